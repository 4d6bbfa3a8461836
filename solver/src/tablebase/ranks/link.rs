//! Messages between ranks, with the errors of all of them.

use super::exchange::Exchange;
use super::message::Message;
use crate::tablebase::monitor::{BuildError, Monitor};
use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

/// A rank stops sending to another one that has not taken so many bytes.
const WINDOW: u64 = 16 << 20;
/// How long to wait for a message before looking at the interrupt flag.
pub(super) const PAUSE: Duration = Duration::from_millis(20);
/// How long to wait for the farewell of others.
const FAREWELL: Duration = Duration::from_secs(30);

/// This rank's end of the exchange.
pub(super) struct Link<'a> {
    exchange: &'a mut dyn Exchange,
    /// By rank: bytes that it has not taken yet.
    in_flight: Vec<u64>,
    /// By rank: whether it has said that it has done all.
    left: Vec<bool>,
    /// Messages that came before they were asked for, with their lengths.
    held: VecDeque<(usize, Message, u64)>,
    /// The window that is being solved: messages of earlier ones mean nothing any more.
    epoch: u32,
    /// Bytes sent.
    pub(super) bytes: u64,
}

impl<'a> Link<'a> {
    pub(super) fn new(exchange: &'a mut dyn Exchange) -> Link<'a> {
        let ranks = exchange.ranks();
        Link {
            exchange,
            in_flight: vec![0; ranks],
            left: vec![false; ranks],
            held: VecDeque::new(),
            epoch: 0,
            bytes: 0,
        }
    }

    pub(super) fn rank(&self) -> usize {
        self.exchange.rank()
    }

    pub(super) fn ranks(&self) -> usize {
        self.exchange.ranks()
    }

    /// Begins the next window: its number among those of all classes, the same on every rank.
    pub(super) fn next_epoch(&mut self) {
        self.epoch += 1;
        let epoch = self.epoch;
        self.held.retain(|(_, message, _)| message.epoch().is_none_or(|e| e >= epoch));
    }

    pub(super) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// All ranks but this one.
    pub(super) fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let me = self.rank();
        (0..self.ranks()).filter(move |&rank| rank != me)
    }

    /// Whether a rank has taken enough to be sent more.
    pub(super) fn has_room(&self, to: usize) -> bool {
        self.in_flight[to] < WINDOW
    }

    pub(super) fn send(&mut self, to: usize, message: &Message) -> Result<(), BuildError> {
        self.send_encoded(to, &message.encode(), message.is_counted())
    }

    /// The same for a message that is encoded already.
    pub(super) fn send_encoded(
        &mut self,
        to: usize,
        bytes: &[u8],
        is_counted: bool,
    ) -> Result<(), BuildError> {
        self.bytes += bytes.len() as u64;
        if is_counted {
            self.in_flight[to] += bytes.len() as u64;
        }
        self.exchange.send(to, bytes).map_err(failed)
    }

    /// Sends a message to all others.
    pub(super) fn tell_all(&mut self, message: &Message) -> Result<(), BuildError> {
        self.others().try_for_each(|to| self.send(to, message))
    }

    /// The first message that is `wanted`, of those that have come or come within `patience`, with its sender.
    ///
    /// # Errors
    /// If a rank has failed or gone, or the network does.
    pub(super) fn receive(
        &mut self,
        patience: Duration,
        wanted: &dyn Fn(usize, &Message) -> bool,
    ) -> Result<Option<(usize, Message)>, BuildError> {
        if let Some(at) = self.held.iter().position(|(from, message, _)| wanted(*from, message)) {
            let (from, message, length) = self.held.remove(at).expect("it has just been found");
            return self.taken(from, message, length).map(Some);
        }
        let end = Instant::now() + patience;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Some((from, bytes)) = self.exchange.receive(left).map_err(failed)? else { return Ok(None) };
            if bytes.is_empty() {
                if self.left[from] {
                    continue;
                }
                return Err(BuildError::Ranks(format!("rank {from} has gone")));
            }
            match Message::decode(&bytes) {
                Some(Message::Taken(bytes)) => {
                    self.in_flight[from] = self.in_flight[from].saturating_sub(bytes);
                    if !left.is_zero() {
                        // It may be what the caller waits for.
                        return Ok(None);
                    }
                }
                Some(Message::Failed(Some(reason))) => {
                    return Err(BuildError::Ranks(format!("rank {from}: {reason}")));
                }
                Some(Message::Failed(None)) => return Err(BuildError::Interrupted),
                Some(Message::Bye) => self.left[from] = true,
                Some(message) if message.epoch().is_some_and(|epoch| epoch < self.epoch) => {}
                Some(message) if wanted(from, &message) => {
                    return self.taken(from, message, bytes.len() as u64).map(Some);
                }
                Some(message) => self.held.push_back((from, message, bytes.len() as u64)),
                None => return Err(BuildError::Ranks(format!("rank {from} sent what is no message"))),
            }
        }
    }

    fn taken(&mut self, from: usize, message: Message, length: u64) -> Result<(usize, Message), BuildError> {
        if message.is_counted() {
            self.send(from, &Message::Taken(length))?;
        }
        Ok((from, message))
    }

    /// Waits for a message that `pick` makes something of.
    pub(super) fn wait<T>(
        &mut self,
        monitor: &Monitor<'_>,
        pick: impl Fn(usize, &Message) -> Option<T>,
    ) -> Result<T, BuildError> {
        loop {
            monitor.check()?;
            if let Some((from, message)) = self.receive(PAUSE, &|from, m| pick(from, m).is_some())? {
                return Ok(pick(from, &message).expect("it was asked for"));
            }
        }
    }

    /// Ends the exchange once all ranks have done all. Nobody is told of errors: the work is done.
    pub(super) fn leave(mut self) {
        let _ = self.tell_all(&Message::Bye);
        let end = Instant::now() + FAREWELL;
        while self.others().any(|rank| !self.left[rank]) && Instant::now() < end {
            if self.receive(PAUSE, &|_, _| false).is_err() {
                return;
            }
        }
    }

    /// Tells the others that this rank stops.
    pub(super) fn fail(&mut self, error: &BuildError) {
        let reason = match error {
            BuildError::Interrupted => None,
            error => Some(error.to_string()),
        };
        let _ = self.tell_all(&Message::Failed(reason));
    }
}

fn failed(error: io::Error) -> BuildError {
    BuildError::Ranks(format!("the exchange with other ranks failed: {error}"))
}
