//! Ranks that are processes on one machine, joined by Unix sockets in a folder.

use super::exchange::Exchange;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The longest message: a length that is greater was never sent.
const LONGEST: u32 = 1 << 30;
/// How long to try again while another rank has not begun to listen.
const PAUSE: Duration = Duration::from_millis(10);
/// How long a rank that ends waits for another to take its last messages.
const FAREWELL: Duration = Duration::from_secs(10);

/// One of several processes on this machine.
#[derive(Debug)]
pub struct Sockets {
    rank: usize,
    /// By rank; `None` for this one.
    peers: Vec<Option<Peer>>,
    from: Receiver<(usize, Vec<u8>)>,
}

#[derive(Debug)]
struct Peer {
    stream: UnixStream,
    /// To the thread that writes; `None` once this rank ends.
    to: Option<Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
}

impl Sockets {
    /// Joins the others: each rank listens at the socket `RANK.socket` in the folder and connects to those before it. Waits for
    /// all of them for no longer than `patience`.
    ///
    /// # Errors
    /// If a socket cannot be made (the path of a socket may have about 100 bytes), or a rank does not come in time.
    pub fn join(folder: &Path, rank: usize, ranks: usize, patience: Duration) -> io::Result<Sockets> {
        let end = Instant::now() + patience;
        let own = folder.join(format!("{rank}.socket"));
        match std::fs::remove_file(&own) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&own)?;
        listener.set_nonblocking(true)?;
        let (inbox, from) = channel();
        let mut peers: Vec<Option<Peer>> = (0..ranks).map(|_| None).collect();
        for (to, peer) in peers.iter_mut().enumerate().take(rank) {
            let path = folder.join(format!("{to}.socket"));
            let mut stream = until(end, to, || UnixStream::connect(&path))?;
            stream.write_all(&(rank as u32).to_le_bytes())?;
            *peer = Some(Peer::new(stream, to, &inbox)?);
        }
        while let Some(missing) = (rank + 1..ranks).find(|&r| peers[r].is_none()) {
            let (mut stream, _) = until(end, missing, || listener.accept())?;
            stream.set_nonblocking(false)?;
            let mut number = [0; 4];
            stream.read_exact(&mut number)?;
            let number = u32::from_le_bytes(number) as usize;
            if number <= rank || number >= ranks || peers[number].is_some() {
                return Err(io::Error::other(format!("a process says that it is rank {number} of {ranks}")));
            }
            peers[number] = Some(Peer::new(stream, number, &inbox)?);
        }
        std::fs::remove_file(&own)?;
        Ok(Sockets { rank, peers, from })
    }
}

/// Tries until it works, or a moment has come.
fn until<T>(end: Instant, rank: usize, mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    use io::ErrorKind::{ConnectionRefused, Interrupted, NotFound, WouldBlock};
    loop {
        match attempt() {
            Err(e)
                if matches!(e.kind(), ConnectionRefused | NotFound | WouldBlock | Interrupted)
                    && Instant::now() < end =>
            {
                thread::sleep(PAUSE);
            }
            Err(e) => return Err(io::Error::new(e.kind(), format!("rank {rank} did not come: {e}"))),
            done => return done,
        }
    }
}

impl Peer {
    fn new(stream: UnixStream, rank: usize, inbox: &Sender<(usize, Vec<u8>)>) -> io::Result<Peer> {
        let (to, outbox) = channel::<Vec<u8>>();
        let (mut reading, mut writing, inbox) = (stream.try_clone()?, stream.try_clone()?, inbox.clone());
        thread::spawn(move || {
            while let Ok(message) = read_message(&mut reading) {
                if inbox.send((rank, message)).is_err() {
                    return;
                }
            }
            let _ = inbox.send((rank, vec![]));
        });
        let writer = thread::spawn(move || {
            for message in outbox {
                let length = (message.len() as u32).to_le_bytes();
                if writing.write_all(&length).and_then(|()| writing.write_all(&message)).is_err() {
                    // The peer has gone: the thread that reads finds it out too.
                    return;
                }
            }
            let _ = writing.shutdown(Shutdown::Write);
        });
        Ok(Peer { stream, to: Some(to), writer: Some(writer) })
    }
}

fn read_message(stream: &mut UnixStream) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length == 0 || length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut message = vec![0; length as usize];
    stream.read_exact(&mut message)?;
    Ok(message)
}

impl Exchange for Sockets {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.peers.len()
    }

    fn send(&mut self, to: usize, message: &[u8]) -> io::Result<()> {
        if message.is_empty() || message.len() > LONGEST as usize {
            return Err(io::Error::other(format!("a message of {} bytes", message.len())));
        }
        if let Some(sender) = self.peers[to].as_ref().and_then(|peer| peer.to.as_ref()) {
            let _ = sender.send(message.to_vec());
        }
        Ok(())
    }

    fn receive(&mut self, patience: Duration) -> io::Result<Option<(usize, Vec<u8>)>> {
        match self.from.recv_timeout(patience) {
            Ok(message) => Ok(Some(message)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                // All others have gone, and have said so.
                thread::sleep(patience);
                Ok(None)
            }
        }
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        for peer in self.peers.iter_mut().flatten() {
            let _ = peer.stream.set_write_timeout(Some(FAREWELL));
            peer.to = None;
        }
        for peer in self.peers.iter_mut().flatten() {
            if let Some(writer) = peer.writer.take() {
                let _ = writer.join();
            }
            let _ = peer.stream.shutdown(Shutdown::Both);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_in_order_and_ends_are_seen() {
        let folder = std::env::temp_dir().join(format!("jewel-sockets-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let long = vec![7; 3_000_000];
        let rank = |rank: usize| {
            let mut exchange = Sockets::join(&folder, rank, 3, Duration::from_secs(20)).unwrap();
            for to in (0..3).filter(|&to| to != rank) {
                // None of the ranks receives before all of them have sent.
                exchange.send(to, &long).unwrap();
                exchange.send(to, &[rank as u8]).unwrap();
            }
            if rank == 2 {
                return vec![];
            }
            let mut found = vec![];
            while found.last() != Some(&(2, vec![])) {
                let message = exchange.receive(Duration::from_millis(10)).unwrap();
                found.extend(message.filter(|message| message.0 == 2));
            }
            found
        };
        let found = thread::scope(|scope| {
            let all = [0, 1, 2].map(|r| scope.spawn(move || rank(r)));
            all.map(|thread| thread.join().unwrap())
        });
        for found in &found[..2] {
            assert!(*found == [(2, long.clone()), (2, vec![2]), (2, vec![])]);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
