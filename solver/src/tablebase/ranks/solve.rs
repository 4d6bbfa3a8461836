//! Solving one class on several ranks.
//!
//! A rank keeps the values and lower bounds of its slices and sweeps over them as a single process does. What outer moves lead
//! to slices of another rank it does not see; that rank sends it the least value after any of them, a byte for each cell of the
//! slice that they begin in. Old values are sound and only lead to more sweeps, so that no rank ever waits for another one
//! but in three cases: before the first sweep of a window, at the end of a window, and when it has nothing to do.
//!
//! A rank sends a slice's minima again when its own slices that they come from have changed and the receiver has used those
//! sent before; it sends the blocks that have changed since.

use super::link::{Link, PAUSE};
use super::message::{Message, MinimaMessage, PART};
use super::partition::Graph;
use super::termination::{Counters, Detector};
use super::{Traffic, send_to_first};
use crate::retrograde::double_steps::DoubleStep;
use crate::retrograde::layout::Layout;
use crate::retrograde::moves::{Moves, SliceSide};
use crate::retrograde::sweep::{NoSuchBlock, State, SweepResult, Version};
use crate::retrograde::visit::Visitor;
use crate::tablebase::monitor::{BuildError, Monitor, Stage};
use crate::tablebase::plan::Plan;
use crate::tablebase::scratch::{self, Content, Stamp};
use crate::tablebase::solve::Task;
use jewel_engine::parallel;
use jewel_engine::value::Side;
use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

/// About how long a rank works before it looks for messages.
const TURN: Duration = Duration::from_millis(20);

/// A slice of another rank with one side to move, from which outer moves lead to slices that are kept here.
struct Loan {
    at: SliceSide,
    to: usize,
    /// What the other rank has been sent.
    seen: Version,
    /// Whether it has used that.
    wanted: bool,
    steps: Vec<DoubleStep>,
}

/// One class on this rank.
pub(super) struct Solver<'a, 'l, const N: usize> {
    task: &'a Task<'a>,
    link: &'a mut Link<'l>,
    monitor: &'a Monitor<'a>,
    traffic: &'a mut Traffic,
    /// By slice: the rank that keeps it.
    rank_of: &'a [u32],
    moves: Moves,
    loans: Vec<Loan>,
    /// By slice and side to move: the place in `loans`.
    loan_of: Vec<[u32; 2]>,
}

/// No place in a list.
const NONE: u32 = u32::MAX;

/// Solves a class together with the other ranks and leaves its values in its files. `task.kept` must be what `rank_of` says.
pub(super) fn solve(
    task: &Task<'_>,
    rank_of: &[u32],
    link: &mut Link<'_>,
    monitor: &Monitor<'_>,
    traffic: &mut Traffic,
) -> Result<(), BuildError> {
    if task.game.squares <= 32 {
        Solver::<32>::new(task, rank_of, link, monitor, traffic).run()
    } else {
        Solver::<64>::new(task, rank_of, link, monitor, traffic).run()
    }
}

/// The rank of each slice of a class.
pub(super) fn rank_of(plan: &Plan<'_>, layout: &Layout, ranks: usize) -> Vec<u32> {
    if ranks == 1 {
        return vec![0; layout.slices.len()];
    }
    Graph::new(layout, &Moves::without_outer(&plan.game, layout)).parts(ranks)
}

/// One window on this rank.
struct Window {
    /// First minima that have not come yet: slice, side to move, and rank.
    missing: HashSet<(SliceSide, usize)>,
    /// Minima that have come and may not have been used yet.
    unused: Vec<(SliceSide, usize)>,
    /// What is to be swept in this round.
    queue: VecDeque<SliceSide>,
    /// What is to be lent in this round.
    lending: VecDeque<usize>,
    counters: Counters,
    /// On rank 0.
    detector: Detector,
    /// A wave that has not been answered.
    probe: bool,
    /// Slices of a turn.
    batch: usize,
    sweeps: u32,
    saved: Instant,
}

impl<'a, 'l, const N: usize> Solver<'a, 'l, N> {
    fn new(
        task: &'a Task<'a>,
        rank_of: &'a [u32],
        link: &'a mut Link<'l>,
        monitor: &'a Monitor<'a>,
        traffic: &'a mut Traffic,
    ) -> Self {
        let moves = Moves::new(task.game, task.layout, task.kept);
        let mut loans = vec![];
        let mut loan_of = vec![[NONE; 2]; rank_of.len()];
        for (i, &to) in rank_of.iter().enumerate().filter(|x| !(task.kept)(x.0)) {
            for turn in Side::BOTH.into_iter().filter(|turn| !moves.slices[i].outer[turn.index()].is_empty())
            {
                loan_of[i][turn.index()] = loans.len() as u32;
                let (at, to) = ((i as u32, turn), to as usize);
                loans.push(Loan { at, to, seen: Version::default(), wanted: true, steps: vec![] });
            }
        }
        Solver { task, link, monitor, traffic, rank_of, moves, loans, loan_of }
    }

    fn run(mut self) -> Result<(), BuildError> {
        let bytes = self.task.bounds::<N>(&self.moves, self.monitor, &self.task.arena()?)?;
        self.task.solved.release();
        let state = State::new(self.task.layout, bytes);
        self.task.begin(&state);
        self.task.double_steps::<N>(&state, &self.moves, 0);
        for window in 0.. {
            self.link.next_epoch();
            self.begin_window(window);
            if let Err(error) = self.settle(&state, window) {
                // What is there is sound. The error is what matters, and the disk may be full.
                if window == 0 {
                    let _ = self.save_share(&state);
                }
                return Err(error);
            }
            let beyond = self.any_rank(state.truncate(self.task.stamp.span))?;
            let last = !beyond && self.task.children_end_by(window);
            self.save_window(&state, window, last)?;
            if last {
                break;
            }
            if window == 0 {
                self.save_share(&state)?;
            }
            self.task.next_window::<N>(&state, &self.moves, window + 1, self.monitor)?;
        }
        drop(state);
        // None of the ranks has one that is needed any more.
        if self.link.rank() == 0 { self.task.files.remove_partial() } else { Ok(()) }
    }

    /// Lends everything anew.
    fn begin_window(&mut self, window: usize) {
        let (task, moves) = (self.task, &self.moves);
        parallel::map_mut(&mut self.loans, |_, loan| {
            (loan.seen, loan.wanted) = (Version::default(), true);
            loan.steps = task.double_steps_from::<N>(loan.at, moves, window);
        });
        task.solved.release();
    }

    /// The minima that this rank needs: of slices that outer moves lead from to slices of other ranks.
    fn needs(&self) -> HashSet<(SliceSide, usize)> {
        let mut needs = HashSet::new();
        let me = self.link.rank() as u32;
        for i in (0..self.rank_of.len()).filter(|&i| self.rank_of[i] == me) {
            self.moves.outer_steps(self.task.layout, i, |step| {
                let rank = self.rank_of[step.to.0 as usize];
                if rank != me {
                    needs.insert(((i as u32, step.turn), rank as usize));
                }
            });
        }
        needs
    }

    /// Sweeps, lends and borrows until no rank finds anything new.
    fn settle(&mut self, state: &State, number: usize) -> Result<(), BuildError> {
        let visitor = Visitor::<N>::new(self.task.layout, &self.moves);
        let mut w = Window {
            missing: self.needs(),
            unused: vec![],
            queue: VecDeque::new(),
            lending: (0..self.loans.len()).collect(),
            counters: Counters::default(),
            detector: Detector::new(self.link.ranks()),
            probe: false,
            batch: 1,
            sweeps: 0,
            saved: Instant::now(),
        };
        let mut peer = Peer {
            task: self.task,
            link: self.link,
            monitor: self.monitor,
            traffic: self.traffic,
            loans: &mut self.loans,
            loan_of: &self.loan_of,
            visitor: &visitor,
            state,
        };
        let mut begun = false;
        let mut idle = false;
        loop {
            self.monitor.check()?;
            if peer.receive(&mut w, idle)? {
                return Ok(());
            }
            if !begun && w.missing.is_empty() {
                begun = true;
                if number == 0 {
                    self.task.find_mates(state, &visitor);
                }
            }
            let worked = if begun && !w.queue.is_empty() { peer.sweep(&mut w)? } else { peer.lend(&mut w)? };
            idle = !worked && !peer.next_round(&mut w, begun)?;
            if idle && begun && peer.is_passive() && peer.answer_probe(&mut w)? {
                return Ok(());
            }
            if number == 0 && begun && w.saved.elapsed() >= self.task.checkpoint {
                let me = (peer.link.rank(), peer.link.ranks());
                save_share(self.task, state, me)?;
                w.saved = Instant::now();
            }
        }
    }

    fn save_share(&self, state: &State) -> Result<(), BuildError> {
        save_share(self.task, state, (self.link.rank(), self.link.ranks()))
    }

    /// Whether it is so on any rank.
    fn any_rank(&mut self, here: bool) -> Result<bool, BuildError> {
        let epoch = self.link.epoch();
        if self.link.rank() != 0 {
            self.link.send(0, &Message::Beyond { epoch, any: here })?;
            return self.link.wait(self.monitor, |_, message| match *message {
                Message::Verdict { epoch: e, beyond } if e == epoch => Some(beyond),
                _ => None,
            });
        }
        let mut beyond = here;
        for rank in self.link.others() {
            beyond |= self.link.wait(self.monitor, |from, message| match *message {
                Message::Beyond { epoch: e, any } if e == epoch && from == rank => Some(any),
                _ => None,
            })?;
        }
        self.link.tell_all(&Message::Verdict { epoch, beyond })?;
        Ok(beyond)
    }

    /// Has rank 0 write the values of all ranks.
    fn save_window(&mut self, state: &State, window: usize, last: bool) -> Result<(), BuildError> {
        let epoch = self.link.epoch();
        if self.link.rank() != 0 {
            self.send_values(state)?;
            return self
                .link
                .wait(self.monitor, |_, message| (*message == Message::Written { epoch }).then_some(()));
        }
        let path = self.task.files.window(window);
        let failed = |e| BuildError::io(&path, e);
        let (task, rank_of) = (self.task, self.rank_of);
        let stamp = Stamp { content: Content::Window(window, last), ..task.stamp };
        let mut streams: Vec<Vec<u8>> = vec![vec![]; self.link.ranks()];
        scratch::save_from(&path, stamp, task.layout, failed, |slice, turn, put| {
            let rank = rank_of[slice] as usize;
            if rank == 0 {
                return state.with(slice, turn, |values| put(values)).map_err(failed);
            }
            let cells = task.layout.slices[slice].bytes as usize;
            while streams[rank].len() < cells {
                self.monitor.check()?;
                let values = |from, message: &Message| from == rank && matches!(message, Message::Values(_));
                if let Some((_, Message::Values(values))) = self.link.receive(PAUSE, &values)? {
                    streams[rank].extend_from_slice(&values);
                }
            }
            let rest = streams[rank].split_off(cells);
            put(&std::mem::replace(&mut streams[rank], rest)).map_err(failed)
        })?;
        self.link.tell_all(&Message::Written { epoch })
    }

    /// Sends the values of this rank's slices to rank 0, in the order in which they are written.
    fn send_values(&mut self, state: &State) -> Result<(), BuildError> {
        let mut part = vec![];
        let mut tasks: Vec<SliceSide> = state.tasks().collect();
        tasks.sort_by_key(|&(slice, turn)| (turn.index(), slice));
        for (slice, turn) in tasks {
            state.with(slice as usize, turn, |values| part.extend_from_slice(values));
            if part.len() >= PART {
                self.send_part(std::mem::take(&mut part))?;
            }
        }
        if part.is_empty() { Ok(()) } else { self.send_part(part) }
    }

    fn send_part(&mut self, part: Vec<u8>) -> Result<(), BuildError> {
        for part in part.chunks(PART) {
            self.traffic.final_bytes += part.len() as u64;
            send_to_first(self.link, self.monitor, &Message::Values(part.to_vec()))?;
        }
        Ok(())
    }
}

fn save_share(task: &Task<'_>, state: &State, (rank, ranks): (usize, usize)) -> Result<(), BuildError> {
    let path = task.files.share(rank, ranks);
    scratch::save_share(&path, task.stamp, task.layout, state).map_err(|e| BuildError::io(&path, e))
}

/// What a window works with.
struct Peer<'p, 'l, const N: usize> {
    task: &'p Task<'p>,
    link: &'p mut Link<'l>,
    monitor: &'p Monitor<'p>,
    traffic: &'p mut Traffic,
    loans: &'p mut Vec<Loan>,
    loan_of: &'p [[u32; 2]],
    visitor: &'p Visitor<'p, N>,
    state: &'p State,
}

impl<const N: usize> Peer<'_, '_, N> {
    /// Takes all messages that have come, and waits for one if there is nothing else to do. Says whether all is over.
    fn receive(&mut self, w: &mut Window, idle: bool) -> Result<bool, BuildError> {
        let epoch = self.link.epoch();
        let mine = |_, message: &Message| {
            use Message::{Answer, Minima, Probe, Settled, Used};
            message.epoch() == Some(epoch)
                && matches!(message, Minima(_) | Used { .. } | Probe { .. } | Answer { .. } | Settled { .. })
        };
        let mut patience = if idle { PAUSE } else { Duration::ZERO };
        while let Some((from, message)) = self.link.receive(patience, &mine)? {
            patience = Duration::ZERO;
            match message {
                Message::Minima(minima) => self.take(w, from, &minima)?,
                Message::Used { slices, .. } => {
                    for (slice, turn) in slices {
                        let places = self.loan_of.get(slice as usize).ok_or_else(|| nonsense(from))?;
                        let loan = self.loans.get_mut(places[turn.index()] as usize);
                        loan.filter(|loan| loan.to == from).ok_or_else(|| nonsense(from))?.wanted = true;
                    }
                }
                Message::Probe { .. } => w.probe = true,
                Message::Answer { sent, received, .. } => {
                    if self.count_answer(w, Counters { sent, received })? {
                        return Ok(true);
                    }
                }
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Takes minima.
    fn take(&mut self, w: &mut Window, from: usize, m: &MinimaMessage) -> Result<(), BuildError> {
        w.counters.received += 1;
        let layout = self.task.layout;
        let at = (m.slice, m.turn);
        let slice = layout.slices.get(m.slice as usize).filter(|_| (self.task.kept)(m.slice as usize));
        let slice = slice.ok_or_else(|| nonsense(from))?;
        let mut rest = &m.values[..];
        let blocks = m.blocks.iter().map(|&b| {
            let cells = slice
                .blocks
                .get(b as usize)
                .map_or(0, |block| layout.rows(block.occupied) * layout.columns(block.occupied));
            let (values, after) = rest.split_at_checked(cells).unwrap_or_default();
            rest = after;
            (b, values)
        });
        self.state.take(layout, at, from, blocks).map_err(|NoSuchBlock| nonsense(from))?;
        if m.complete {
            w.missing.remove(&(at, from));
            w.unused.push((at, from));
        }
        Ok(())
    }

    /// Sweeps over some slices of the queue.
    fn sweep(&mut self, w: &mut Window) -> Result<bool, BuildError> {
        let tasks: VecDeque<SliceSide> = w.queue.drain(..w.batch.min(w.queue.len())).collect();
        let begun = Instant::now();
        let (task, monitor, number) = (self.task, self.monitor, w.sweeps);
        let tell = |cells| monitor.tell(task.files.name(), Stage::Sweep(number), cells);
        let swept = self.state.sweep_some(self.visitor, tasks, monitor.interrupt, &tell);
        if swept == SweepResult::Interrupted {
            return Err(BuildError::Interrupted);
        }
        adapt(&mut w.batch, begun.elapsed());
        if w.queue.is_empty() {
            w.lending = self.wanted().collect();
        }
        Ok(true)
    }

    /// Sends news of some slices to the ranks that keep them.
    fn lend(&mut self, w: &mut Window) -> Result<bool, BuildError> {
        let mut chosen = vec![];
        let most = 4 * rayon::current_num_threads();
        let room: Vec<bool> = (0..self.link.ranks()).map(|rank| self.link.has_room(rank)).collect();
        while chosen.len() < most
            && let Some(loan) = w.lending.pop_front()
        {
            let Loan { at, to, seen, wanted, .. } = self.loans[loan];
            if wanted && room[to] && self.state.has_news(at, self.visitor.moves, seen) {
                chosen.push(loan);
            }
        }
        if chosen.is_empty() {
            return Ok(false);
        }
        let (state, visitor, epoch, loans) = (self.state, self.visitor, self.link.epoch(), &self.loans);
        let lent: Vec<Lent> = parallel::map(chosen.len(), |n| lent(state, visitor, epoch, &loans[chosen[n]]));
        let version = state.version();
        for (loan, lent) in chosen.into_iter().zip(lent) {
            let loan = &mut self.loans[loan];
            loan.seen = version;
            if lent.messages.is_empty() {
                // The slices have changed, but none of the blocks that the moves lead to.
                continue;
            }
            loan.wanted = false;
            self.traffic.cells += lent.cells;
            self.traffic.cells_a_move += lent.cells_a_move;
            for bytes in lent.messages {
                w.counters.sent += 1;
                self.traffic.messages += 1;
                self.traffic.bytes += bytes.len() as u64;
                self.link.send_encoded(loan.to, &bytes, true)?;
            }
        }
        Ok(true)
    }

    /// Makes lists of what there is to do; says whether there is anything.
    fn next_round(&mut self, w: &mut Window, begun: bool) -> Result<bool, BuildError> {
        if !w.queue.is_empty() && begun || !w.lending.is_empty() {
            return Ok(true);
        }
        let moves = &self.visitor.moves;
        if begun {
            self.say_used(w)?;
            w.queue = self.state.tasks().filter(|&task| self.state.is_due(task, moves)).collect();
            w.sweeps += u32::from(!w.queue.is_empty());
        }
        if w.queue.is_empty() {
            w.lending = self.wanted().filter(|&loan| self.link.has_room(self.loans[loan].to)).collect();
        }
        Ok(!w.queue.is_empty() || !w.lending.is_empty())
    }

    /// The loans of which the other rank has used what it has, and there is news.
    fn wanted(&self) -> impl Iterator<Item = usize> + '_ {
        let is_wanted =
            |loan: &Loan| loan.wanted && self.state.has_news(loan.at, self.visitor.moves, loan.seen);
        (0..self.loans.len()).filter(move |&loan| is_wanted(&self.loans[loan]))
    }

    /// Tells other ranks which of their minima have been used.
    fn say_used(&mut self, w: &mut Window) -> Result<(), BuildError> {
        let moves = &self.visitor.moves;
        let (due, used): (Vec<_>, Vec<_>) = w.unused.drain(..).partition(|x| self.state.is_due(x.0, moves));
        w.unused = due;
        for rank in self.link.others() {
            let slices: Vec<SliceSide> = used.iter().filter(|x| x.1 == rank).map(|x| x.0).collect();
            if !slices.is_empty() {
                self.link.send(rank, &Message::Used { epoch: self.link.epoch(), slices })?;
            }
        }
        Ok(())
    }

    /// Whether there is nothing to sweep and nothing that another rank does not know.
    fn is_passive(&self) -> bool {
        let moves = &self.visitor.moves;
        !self.loans.iter().any(|loan| self.state.has_news(loan.at, moves, loan.seen))
    }

    /// Answers a wave as a passive rank; rank 0 begins one if none is under way. Says whether all is over.
    fn answer_probe(&mut self, w: &mut Window) -> Result<bool, BuildError> {
        if self.link.rank() != 0 {
            if std::mem::take(&mut w.probe) {
                let Counters { sent, received } = w.counters;
                self.link.send(0, &Message::Answer { epoch: self.link.epoch(), sent, received })?;
            }
            return Ok(false);
        }
        if w.detector.is_idle() {
            self.probe(w)?;
        }
        // With one rank, wave follows wave.
        while std::mem::take(&mut w.probe) {
            if self.count_answer(w, w.counters)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn probe(&mut self, w: &mut Window) -> Result<(), BuildError> {
        w.probe = true;
        self.link.tell_all(&Message::Probe { epoch: self.link.epoch(), wave: w.detector.begin() })
    }

    /// On rank 0: counts an answer, and ends the window or begins the next wave after the last one.
    fn count_answer(&mut self, w: &mut Window, counters: Counters) -> Result<bool, BuildError> {
        match w.detector.answer(counters) {
            Some(true) => {
                self.link.tell_all(&Message::Settled { epoch: self.link.epoch() })?;
                Ok(true)
            }
            Some(false) => {
                self.probe(w)?;
                Ok(false)
            }
            None => Ok(false),
        }
    }
}

fn nonsense(rank: usize) -> BuildError {
    BuildError::Ranks(format!("rank {rank} sent what cannot be: do all ranks run the same program?"))
}

/// News of a slice.
#[derive(Default)]
struct Lent {
    messages: Vec<Vec<u8>>,
    cells: u64,
    /// Cells that one message for each move would have.
    cells_a_move: u64,
}

fn lent<const N: usize>(state: &State, visitor: &Visitor<'_, N>, epoch: u32, loan: &Loan) -> Lent {
    let mut lent = Lent::default();
    let (slice, turn) = loan.at;
    let mut part = MinimaMessage { epoch, slice, turn, complete: false, blocks: vec![], values: vec![] };
    let mut any = false;
    state.lend(visitor, loan.at, &loan.steps, loan.seen, |block, moves, values| {
        any = true;
        lent.cells += values.len() as u64;
        lent.cells_a_move += (values.len() * moves) as u64;
        part.blocks.push(block);
        part.values.extend_from_slice(values);
        if part.values.len() >= PART {
            let full = MinimaMessage {
                blocks: part.blocks.split_off(0),
                values: part.values.split_off(0),
                ..part.clone()
            };
            lent.messages.push(Message::Minima(full).encode());
        }
    });
    // The first time an answer is waited for, even if there are no such moves after all.
    if any || loan.seen == Version::default() {
        part.complete = true;
        lent.messages.push(Message::Minima(part).encode());
    }
    lent
}

/// Adapts the size of a batch to the time that one took.
fn adapt(batch: &mut usize, took: Duration) {
    if took < TURN / 2 {
        *batch = batch.saturating_mul(2);
    } else if took > TURN * 2 {
        *batch = (*batch / 2).max(1);
    }
}
