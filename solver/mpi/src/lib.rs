//! Ranks that are processes of MPI, on one machine or on many: an `Exchange` for
//! [`jewel_solver::tablebase::ranks`](https://docs.rs/jewel-solver).
//!
//! Nothing is compiled without the feature `mpi`, which needs an MPI and libclang. The program `jewel-mpi` builds tables;
//! `docs/cluster.md` says how to start it.
#![deny(missing_docs)]
#![cfg(feature = "mpi")]

use jewel_solver::tablebase::ranks::Exchange;
use mpi::environment::Universe;
use mpi::point_to_point::MatchedReceiveVec;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use std::collections::VecDeque;
use std::io;
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
/// The longest and the shortest pause while there is nothing to receive.
const PAUSES: [Duration; 2] = [Duration::from_micros(20), Duration::from_millis(2)];

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

/// This process among those of an MPI job.
///
/// MPI copies what is sent into a buffer of this process, so that nobody waits. A piece leaves the buffer at the latest when
/// its receiver acknowledges it, and no more pieces are sent than the buffer has room for.
pub struct Mpi {
    world: SimpleCommunicator,
    peers: Vec<Peer>,
    whole: VecDeque<(usize, Vec<u8>)>,
}

impl std::fmt::Debug for Mpi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mpi").field("rank", &self.world.rank()).finish_non_exhaustive()
    }
}

impl Mpi {
    /// Joins the other processes of the job.
    pub fn new(universe: &mut Universe) -> Mpi {
        let world = universe.world();
        let ranks = world.size() as usize;
        universe.set_buffer_size((ranks.max(2) - 1) * BUFFER);
        let peers = (0..ranks).map(|_| Peer::default()).collect();
        Mpi { world, peers, whole: VecDeque::new() }
    }

    /// The number of this rank.
    pub fn number(&self) -> usize {
        self.world.rank() as usize
    }

    /// The number of ranks.
    pub fn count(&self) -> usize {
        self.peers.len()
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
            self.whole.push_back((from, std::mem::take(&mut peer.arriving)));
        }
        self.world.process_at_rank(from as i32).buffered_send_with_tag(&[0u8][..], TAGS[2]);
        true
    }

    /// Whether MPI has been given all that was sent.
    fn is_flushed(&self) -> bool {
        self.peers.iter().all(|peer| peer.waiting.is_empty())
    }
}

/// Sends what is still waiting.
impl Drop for Mpi {
    fn drop(&mut self) {
        let end = Instant::now() + FAREWELL;
        while !self.is_flushed() && Instant::now() < end {
            if !self.pull() {
                thread::sleep(PAUSES[0]);
            }
        }
    }
}

impl Exchange for Mpi {
    fn rank(&self) -> usize {
        self.number()
    }

    fn ranks(&self) -> usize {
        self.count()
    }

    fn send(&mut self, to: usize, message: &[u8]) -> io::Result<()> {
        let pieces = message.len().div_ceil(PIECE);
        let piece = |(n, bytes): (usize, &[u8])| (bytes.to_vec(), n + 1 == pieces);
        self.peers[to].waiting.extend(message.chunks(PIECE).enumerate().map(piece));
        self.push(to);
        Ok(())
    }

    fn receive(&mut self, patience: Duration) -> io::Result<Option<(usize, Vec<u8>)>> {
        let end = Instant::now() + patience;
        let mut pause = PAUSES[0];
        loop {
            while self.whole.is_empty() && self.pull() {
                pause = PAUSES[0];
            }
            if let Some(message) = self.whole.pop_front() {
                return Ok(Some(message));
            }
            let now = Instant::now();
            if now >= end {
                return Ok(None);
            }
            thread::sleep(pause.min(end - now));
            pause = (pause * 2).min(PAUSES[1]);
        }
    }
}
