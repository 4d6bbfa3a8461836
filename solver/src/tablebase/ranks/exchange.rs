//! How ranks send messages to one another.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// The way from one rank to the others: threads, sockets, or MPI.
///
/// Messages from one rank to another arrive whole, once, and in the order in which they were sent. Nothing is promised about
/// the order of messages of different ranks.
pub trait Exchange {
    /// The number of this rank: 0 up to [`ranks`](Exchange::ranks) less one.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn ranks(&self) -> usize;

    /// Sends a message, which is not empty, to another rank. Returns at once: it does not wait until the receiver takes the
    /// message. A message to a rank that has gone is lost without an error.
    ///
    /// # Errors
    /// If the network fails.
    fn send(&mut self, to: usize, message: &[u8]) -> io::Result<()>;

    /// The next message that has come, with its sender, waiting for it for no longer than `patience`. An empty message says
    /// that its sender has gone and will send no more; where the system ends all ranks with the first one, there are none.
    ///
    /// # Errors
    /// If the network fails.
    fn receive(&mut self, patience: Duration) -> io::Result<Option<(usize, Vec<u8>)>>;
}

/// Ranks that are threads of one process; see [`threads`].
#[derive(Debug)]
pub struct Threads {
    rank: usize,
    to: Vec<Sender<(usize, Vec<u8>)>>,
    from: Receiver<(usize, Vec<u8>)>,
}

/// The exchange of that many ranks which are threads of one process, one item for each.
pub fn threads(ranks: usize) -> Vec<Threads> {
    let (to, from): (Vec<_>, Vec<_>) = (0..ranks).map(|_| channel()).unzip();
    let of = |(rank, from)| Threads { rank, to: to.clone(), from };
    from.into_iter().enumerate().map(of).collect()
}

impl Exchange for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn send(&mut self, to: usize, message: &[u8]) -> io::Result<()> {
        // A rank that has gone has said so.
        let _ = self.to[to].send((self.rank, message.to_vec()));
        Ok(())
    }

    fn receive(&mut self, patience: Duration) -> io::Result<Option<(usize, Vec<u8>)>> {
        match self.from.recv_timeout(patience) {
            Ok(message) => Ok(Some(message)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => unreachable!("this rank holds a sender to itself"),
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        for (to, sender) in self.to.iter().enumerate() {
            if to != self.rank {
                let _ = sender.send((self.rank, vec![]));
            }
        }
    }
}
