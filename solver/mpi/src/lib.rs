//! Ranks that are processes of MPI, on one machine or on many: an `Exchange` for
//! [`jewel_solver::tablebase::ranks`](https://docs.rs/jewel-solver).
//!
//! Nothing is compiled without the feature `mpi`, which needs an MPI and libclang. The program `jewel-mpi` builds tables;
//! `docs/cluster.md` says how to start it.
#![deny(missing_docs)]
#![forbid(unsafe_code)]
#![cfg(feature = "mpi")]

use jewel_solver::tablebase::ranks::Exchange;
use mpi::environment::Universe;
use mpi::point_to_point::MatchedReceiveVec;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use std::collections::VecDeque;
use std::io;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Messages are cut into pieces of this many bytes at most.
const PIECE: usize = 64 << 10;
/// Bytes that a piece takes besides its own while it waits to be sent: more than any MPI has asked for.
const OVERHEAD: usize = 1024;
/// Pieces to one rank that it has not acknowledged.
const PIECES: usize = 16;
/// Bytes of MPI's buffer for each other rank. It holds up to `PIECES` pieces and as many acknowledgements, of any lengths and
/// in any order, so that what is free lies in one gap more than there are of these at most. With room for a whole piece in each
/// gap there is always a gap that is large enough, however MPI places them.
const BUFFER: usize = PIECES * (PIECE + OVERHEAD) + PIECES * OVERHEAD + (2 * PIECES + 1) * (PIECE + OVERHEAD);
/// The shortest and the longest pause while there is nothing to send or to receive.
const PAUSES: [Duration; 2] = [Duration::from_micros(20), Duration::from_micros(500)];
/// How long a process that ends waits for others to take its last messages.
const FAREWELL: Duration = Duration::from_secs(30);

/// A piece of a message, the last piece of one, and the acknowledgement of pieces.
const TAGS: [mpi::Tag; 3] = [1, 2, 3];

/// What is under way to and from another rank.
#[derive(Debug, Default)]
struct Peer {
    /// Pieces that MPI has not been given yet, and whether each is the last of its message.
    waiting: VecDeque<(Vec<u8>, bool)>,
    /// Pieces that MPI has and that have not been acknowledged.
    under_way: usize,
    /// The beginning of a message that is arriving.
    arriving: Vec<u8>,
}

/// This process among those of an MPI job, for a thread that works.
#[derive(Debug)]
pub struct Mpi {
    rank: usize,
    ranks: usize,
    outgoing: Sender<(usize, Vec<u8>)>,
    incoming: Receiver<(usize, Vec<u8>)>,
}

/// Joins the other processes of the job. `work` runs on a thread of its own, while this thread, which must be the one that
/// has initialized MPI, carries its messages: MPI only moves a message while both of its processes are in a call of MPI, and
/// a process that works would keep the others waiting.
///
/// # Panics
/// If `work` does.
pub fn run<T: Send>(universe: &mut Universe, work: impl FnOnce(&mut Mpi) -> T + Send) -> T {
    let world = universe.world();
    let (rank, ranks) = (world.rank() as usize, world.size() as usize);
    universe.set_buffer_size((ranks.max(2) - 1) * BUFFER);
    let (outgoing, to_send) = channel();
    let (received, incoming) = channel();
    let peers = (0..ranks).map(|_| Peer::default()).collect();
    let mut mpi = Mpi { rank, ranks, outgoing, incoming };
    thread::scope(|scope| {
        let worker = scope.spawn(move || work(&mut mpi));
        Carrier { world, peers, to_send, received }.carry();
        worker.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// The thread that speaks to MPI.
///
/// MPI copies what is sent into a buffer of this process, so that nobody waits. A piece leaves the buffer at the latest when
/// its receiver acknowledges it, and no more pieces are sent than the buffer has room for.
struct Carrier {
    world: SimpleCommunicator,
    peers: Vec<Peer>,
    to_send: Receiver<(usize, Vec<u8>)>,
    received: Sender<(usize, Vec<u8>)>,
}

impl Carrier {
    /// Carries messages until the worker has ended and MPI has been given all that it has sent.
    fn carry(mut self) {
        let mut pause = PAUSES[0];
        let mut end = None;
        loop {
            let mut active = false;
            while end.is_none() {
                match self.to_send.try_recv() {
                    Ok((to, message)) => {
                        self.send(to, &message);
                        active = true;
                    }
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => end = Some(Instant::now() + FAREWELL),
                }
            }
            while self.pull() {
                active = true;
            }
            let is_flushed = self.peers.iter().all(|peer| peer.waiting.is_empty());
            if end.is_some_and(|end| is_flushed || Instant::now() > end) {
                return;
            }
            pause = if active { PAUSES[0] } else { (pause * 2).min(PAUSES[1]) };
            if active {
                continue;
            }
            match self.to_send.recv_timeout(pause) {
                Ok((to, message)) => self.send(to, &message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => thread::sleep(PAUSES[0]),
            }
        }
    }

    fn send(&mut self, to: usize, message: &[u8]) {
        let pieces = message.len().div_ceil(PIECE);
        let piece = |(n, bytes): (usize, &[u8])| (bytes.to_vec(), n + 1 == pieces);
        self.peers[to].waiting.extend(message.chunks(PIECE).enumerate().map(piece));
        self.push(to);
    }

    /// Gives MPI as many pieces as may be under way.
    fn push(&mut self, to: usize) {
        let peer = &mut self.peers[to];
        while peer.under_way < PIECES {
            let Some((piece, last)) = peer.waiting.pop_front() else { return };
            peer.under_way += 1;
            self.world.process_at_rank(to as i32).buffered_send_with_tag(&piece[..], TAGS[usize::from(last)]);
        }
    }

    /// Takes a piece that has come, if there is one.
    fn pull(&mut self) -> bool {
        let Some(found) = self.world.any_process().immediate_matched_probe() else { return false };
        let (mut piece, status) = found.matched_receive_vec::<u8>();
        let from = status.source_rank() as usize;
        let peer = &mut self.peers[from];
        if status.tag() == TAGS[2] {
            peer.under_way = peer.under_way.saturating_sub(1);
            self.push(from);
            return true;
        }
        peer.arriving.append(&mut piece);
        if status.tag() == TAGS[1] {
            // A worker that has ended wants no more messages.
            let _ = self.received.send((from, std::mem::take(&mut peer.arriving)));
        }
        self.world.process_at_rank(from as i32).buffered_send_with_tag(&[0u8][..], TAGS[2]);
        true
    }
}

impl Exchange for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn send(&mut self, to: usize, message: &[u8]) -> io::Result<()> {
        self.outgoing.send((to, message.to_vec())).map_err(|_| carrier_ended())
    }

    fn receive(&mut self, patience: Duration) -> io::Result<Option<(usize, Vec<u8>)>> {
        match self.incoming.recv_timeout(patience) {
            Ok(message) => Ok(Some(message)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(carrier_ended()),
        }
    }
}

fn carrier_ended() -> io::Error {
    io::Error::other("the thread that speaks to MPI has ended")
}
