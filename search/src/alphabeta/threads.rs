//! Several workers as one searcher.

use super::options::Options;
use super::root::Task;
use super::worker::{INFINITE, MAX_PLY, RootMove, Worker};
use crate::control::{Deadline, Stop};
use crate::evaluate::Evaluate;
use crate::limits::{Limits, part_of_thread};
use crate::report::{Info, Report};
use crate::searcher::Searcher;
use crate::tt::TranspositionTable;
use jewel_engine::ability::{NoTables, Probe};
use jewel_engine::position::list_moves;
use jewel_engine::tactics::Tactics;
use jewel_engine::threads::spawn_helper;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A worker reads the clock once in this many nodes.
const CLOCK_EVERY: u32 = 1024;

/// An alpha-beta searcher for one game. Its transposition table and histories keep what they learn from move to move.
///
/// With one thread and without a time limit, searches are reproducible: the same calls from
/// [`new_game`](Searcher::new_game) on visit the same nodes. A limit of nodes is never exceeded.
///
/// ```
/// use jewel_engine::ability::Game;
/// use jewel_engine::chesslike::{ChessGame, Leapers};
/// use jewel_search::alphabeta::{AlphaBeta, Options};
/// use jewel_search::{control::Stop, evaluate::HandcraftedEvaluation, limits::Limits, score::Score, searcher::Searcher};
///
/// let game = ChessGame::<Leapers, 4>::new(jewel_engine::games::find("duel").unwrap().rules()).unwrap();
/// let options = Options { hash: 1, ..Options::default() };
/// let mut searcher = AlphaBeta::new(HandcraftedEvaluation::derived(game.rules()), options).unwrap();
/// // Red stands beside the key, Green too far away to object.
/// let root = game.parse_position("2l/3/1L1 w - - 0 1")?;
/// let limits = Limits { depth: Some(6), ..Limits::default() };
/// let report = searcher.search(&root, &[], &limits, &Stop::new(), &mut |_| ());
/// assert_eq!(report.score(), Score::win_in(2));
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
#[derive(Debug)]
pub struct AlphaBeta<P: Tactics, E: Evaluate<P>, T = NoTables> {
    workers: Vec<Worker<P, E, T>>,
    tt: Arc<TranspositionTable>,
}

impl<P: Tactics, E: Evaluate<P>> AlphaBeta<P, E> {
    /// A searcher with this evaluation; `None` if the memory for its transposition table is not available.
    pub fn new(evaluation: E, options: Options) -> Option<Self> {
        AlphaBeta::with_tables(evaluation, NoTables, options)
    }
}

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> AlphaBeta<P, E, T> {
    /// A searcher that also probes endgame tables; `None` if the memory for its transposition table is not available.
    pub fn with_tables(evaluation: E, tables: T, options: Options) -> Option<Self> {
        let tt = Arc::new(TranspositionTable::new(options.hash, options.threads)?);
        let tables = Arc::new(tables);
        let worker = |number| {
            let limits = Limits::<()>::default();
            let deadline = Deadline::new(&limits, &Stop::new(), CLOCK_EVERY, options.params.sharing());
            let (tt, tables) = (tt.clone(), tables.clone());
            Worker::new(number, tt, evaluation.clone(), tables, &options, deadline)
        };
        let workers = (0..options.threads.max(1)).map(worker).collect();
        Some(AlphaBeta { workers, tt })
    }

    /// Prepares the workers: the moves of the root, the limits.
    fn begin(&mut self, root: &P, history: &[u64], limits: &Limits<P::Move>, stop: &Stop) {
        self.tt.age();
        let threads = self.workers.len();
        let all = list_moves(root);
        let moves: Vec<P::Move> = all.iter().copied().filter(|mv| limits.allows(mv)).collect();
        let known = self.workers[0].tablebase.probe(root);
        for worker in &mut self.workers {
            let part = |nodes| part_of_thread(nodes, worker.number, threads);
            let node_limit = limits.nodes.map_or(u64::MAX, part);
            let deadline = Deadline::new(limits, stop, CLOCK_EVERY, worker.params.sharing());
            let deadline = deadline.paced(limits.pace);
            worker.begin(root, history, deadline, node_limit);
            worker.whole_root = moves.len() == all.len();
            worker.known = known;
            worker.root_moves.clear();
            worker.root_moves.extend(moves.iter().map(|&mv| RootMove::new(mv)));
        }
    }

    /// Lets all workers search; the first one reports for all, on the calling thread.
    fn run(&mut self, root: &P, task: Task, on_info: &mut dyn FnMut(&Info<P::Move>)) {
        let Some((first, helpers)) = self.workers.split_first_mut() else { return };
        let counters: Vec<Arc<AtomicU64>> = helpers.iter().map(|helper| helper.published.clone()).collect();
        let finished = Stop::new();
        std::thread::scope(|scope| {
            for helper in helpers {
                helper.finished = finished.clone();
                let task = Task { lines: 1, exhaustive: true, ..task };
                let _ = spawn_helper(scope, move || helper.deepen(root, task, &mut |_, _| ()));
            }
            first.deepen(root, task, &mut |worker, line| {
                let mut info = worker.info(line);
                info.nodes += counters.iter().map(|counter| counter.load(Relaxed)).sum::<u64>();
                on_info(&info);
            });
            finished.stop();
        });
    }

    /// The worker whose move is played. Each votes for its best move, with a weight that grows with score and depth; of
    /// those that voted for the winning move, the best is elected.
    fn elect(&self) -> &Worker<P, E, T> {
        let candidates = || self.workers.iter().filter(|worker| worker.completed > 0);
        let score = |worker: &Worker<P, E, T>| i64::from(worker.root_moves[0].known_score());
        let Some(least) = candidates().map(score).min() else { return &self.workers[0] };
        let mut votes: HashMap<P::Move, i64> = HashMap::new();
        for worker in candidates() {
            let weight = (score(worker) - least + 20) * i64::from(worker.completed);
            *votes.entry(worker.root_moves[0].mv).or_default() += weight;
        }
        let rank = |worker: &&Worker<P, E, T>| {
            let vote = votes.get(&worker.root_moves[0].mv).copied().unwrap_or(0);
            (vote, worker.completed, score(worker), std::cmp::Reverse(worker.number))
        };
        candidates().max_by_key(rank).unwrap_or(&self.workers[0])
    }

    fn report(&self, root: &P, lines: usize) -> Report<P::Move> {
        // Several lines are known to the first worker only.
        let chosen = if lines > 1 { &self.workers[0] } else { self.elect() };
        let nodes = self.workers.iter().map(|worker| worker.nodes).sum();
        let tb_hits = self.workers.iter().map(|worker| worker.tb_hits).sum();
        let info = |line| Info { nodes, tb_hits, ..chosen.info(line) };
        let lines = (0..lines.min(chosen.root_moves.len())).map(info).collect();
        let report = Report::from_lines(lines, nodes, self.workers[0].deadline.elapsed());
        let answer = || self.answer(root, report.best?);
        Report { ponder: report.ponder.or_else(answer), ..report }
    }

    /// The answer to a move that the table knows, for a search that has just changed its mind: its line ends with the move.
    fn answer(&self, root: &P, mv: P::Move) -> Option<P::Move> {
        if P::DICE && !root.odds(mv).is_certain() {
            return None;
        }
        let next = root.after(mv);
        if next.side_to_move() == root.side_to_move() || next.outcome().is_some() {
            return None;
        }
        self.workers[0].tt_move(&next, self.tt.probe(next.zobrist_hash()).as_ref())
    }
}

impl<P: Tactics, E: Evaluate<P>, T: Probe<P>> Searcher<P> for AlphaBeta<P, E, T>
where
    P::Move: Hash,
{
    fn search(
        &mut self,
        root: &P,
        history: &[u64],
        limits: &Limits<P::Move>,
        stop: &Stop,
        on_info: &mut dyn FnMut(&Info<P::Move>),
    ) -> Report<P::Move> {
        self.begin(root, history, limits, stop);
        let over = root.outcome().is_some() || self.workers[0].root_moves.is_empty();
        let lines = limits.multipv.max(1) as usize;
        // The first move of each line as it was told last.
        let mut told = vec![None; lines];
        if !over {
            // A fixed time is used in full, the time of a clock only in part.
            let clock = limits.clock.is_some() && limits.movetime.is_none();
            let bounded = limits.depth.is_some() || limits.infinite || limits.ponder;
            let depth = limits.depth.map_or(MAX_PLY as i32, |depth| depth.clamp(1, MAX_PLY as u32) as i32);
            let mut tell = |info: &Info<P::Move>| {
                told[info.multipv as usize - 1] = info.pv.first().copied();
                on_info(info);
            };
            self.run(root, Task { depth, lines, exhaustive: bounded, clock }, &mut tell);
        }
        stop.wait_to_answer(limits);
        if over {
            return Report::from_lines(Vec::new(), 0, self.workers[0].deadline.elapsed());
        }
        let report = self.report(root, lines);
        // What an unfinished iteration or another thread has changed has not been told yet.
        let told: Vec<Option<P::Move>> = told.into_iter().take(report.lines.len()).collect();
        if !report.lines.iter().map(|line| line.pv.first().copied()).eq(told) {
            report.lines.iter().for_each(on_info);
        }
        report
    }

    fn new_game(&mut self) {
        self.tt.clear(self.workers.len());
        for worker in &mut self.workers {
            worker.forget();
        }
    }
}

impl<M: Copy> RootMove<M> {
    fn new(mv: M) -> RootMove<M> {
        RootMove {
            mv,
            score: -INFINITE,
            previous: -INFINITE,
            failed: false,
            line: vec![mv],
            depth: 0,
            seldepth: 0,
            nodes: 0,
        }
    }

    /// The score of the last iteration that searched the move.
    pub(super) fn known_score(&self) -> i32 {
        if self.score == -INFINITE { self.previous } else { self.score }
    }
}
