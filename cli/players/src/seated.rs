//! The one implementation of [`AnyEngine`], generic over the game.

use crate::engine::{Algorithm, AnyEngine, AnyLine, Ending, Leaf, Options, Priors};
use crate::memory;
use crate::playable::{Playable, SharedTables, Tables};
use crate::turns;
use crate::veiled::{Guesser, Seen, blind_texts};
use crate::words::shortened;
use anyhow::{Context, Result, anyhow, bail};
use jewel_engine::ability::{Notation, Symmetric};
use jewel_engine::chance::{Branch, Branches, Chance};
use jewel_engine::diagram::Diagram;
use jewel_engine::perft::perft;
use jewel_engine::playout::Playout;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::{Outcome, Side, Value};
use jewel_search::alphabeta::{self, AlphaBeta, SearchParams, ShallowSearch};
use jewel_search::control::Stop;
use jewel_search::evaluate::Evaluate;
use jewel_search::limits::Limits;
use jewel_search::mcts::dice::DiceMcts;
use jewel_search::mcts::policy::{EvaluationPolicy, Policy, SearchPolicy};
use jewel_search::mcts::{self, Mcts};
use jewel_search::report::{Info, Report};
use jewel_search::searcher::Searcher;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// Centipawns by which a move must look better to be `e` times as likely to be tried first in tree search.
const TEMPERATURE: f32 = 100.0;

/// Most mebibytes of the transposition table for what the leaves of a tree search are worth.
const LEAVES_MIB: usize = 16;

/// What steers tree search.
type AnyPolicy<P> = Box<dyn Policy<P> + Send>;

/// What chooses the moves.
enum Mind<P: Position> {
    /// It sees everything.
    Seeing(Box<dyn Searcher<P> + Send>),
    /// It is shown what the player sees whose turn it is.
    Guessing(Box<dyn Guesser<P> + Send>),
}

/// The engine of a game, at its start position.
pub(crate) fn seat<G: Playable>(game: G) -> Box<dyn AnyEngine>
where
    G::Position: Tactics + Playout + Symmetric,
{
    let position = game.start();
    let evaluation = game.evaluation();
    let options = Options::default();
    Box::new(Seated { game, evaluation, line: Line::new(position), options, tables: None, searcher: None })
}

/// A game, a line of play and, once it is needed, a searcher.
struct Seated<G: Playable>
where
    G::Position: Tactics + Playout + Symmetric,
{
    game: G,
    evaluation: G::Evaluation,
    line: Line<G::Position>,
    options: Options,
    tables: Option<SharedTables<G::Position>>,
    searcher: Option<Mind<G::Position>>,
}

/// A position and how it came about.
#[derive(Clone)]
struct Line<P: Position> {
    position: P,
    /// The moves before it and what was rolled for them, each with the position that it was played in.
    steps: Vec<(P, Branch<P::Move>)>,
    /// Who sees no more of the position than this line may tell, if it was set up as what one player sees.
    viewer: Option<Side>,
}

impl<P: Notation + Tactics> Line<P> {
    fn new(position: P) -> Line<P> {
        Line { position, steps: Vec::new(), viewer: None }
    }

    fn play(&mut self, text: &str) -> Result<()> {
        if P::TURNS {
            for mv in turns::read(&self.position, text)? {
                self.step(Branch { mv, outcome: 0 });
            }
            return Ok(());
        }
        self.step(Branches(self.position.clone()).parse_move(text).map_err(|e| anyhow!("{e}"))?);
        Ok(())
    }

    fn step(&mut self, branch: Branch<P::Move>) {
        self.steps.push((self.position.clone(), branch));
        self.position.play_roll(branch.mv, branch.outcome.into());
    }

    /// The keys of the positions since the last move that cannot be taken back, oldest first. An attack that the dice
    /// did not let through has changed nothing for good.
    fn history(&self) -> Vec<u64> {
        let for_good = |(position, branch): &&(P, Branch<P::Move>)| {
            branch.outcome == 0 && position.is_irreversible(branch.mv)
        };
        let reversible = self.steps.iter().rev().take_while(|step| !for_good(step));
        let mut keys: Vec<u64> = reversible.map(|(position, _)| position.zobrist_hash()).collect();
        keys.reverse();
        keys
    }
}

impl<G: Playable> Seated<G>
where
    G::Position: Tactics + Playout + Symmetric,
{
    fn build(
        &self,
        options: &Options,
        evaluation: G::Evaluation,
        tables: Option<SharedTables<G::Position>>,
    ) -> Result<Mind<G::Position>> {
        let &Options { algorithm, threads, hash, seed, params, minimax, playout_plies, cheat, .. } = options;
        let short = |free: Option<u64>| match free {
            Some(free) => anyhow!("{hash} MiB of memory are asked for, {free} MiB are free"),
            None => anyhow!("{hash} MiB of memory are not to be had"),
        };
        if let Some(free) = memory::available_mebibytes().filter(|free| *free < hash as u64) {
            return Err(short(Some(free)));
        }
        if let Some(guesser) = self.game.guesser(options).filter(|_| !cheat) {
            if algorithm == Algorithm::Ab {
                bail!(
                    "{}: alpha-beta search needs to see everything; let mcts play, or cheat",
                    self.game.id()
                );
            }
            return Ok(Mind::Guessing(guesser));
        }
        Ok(Mind::Seeing(match algorithm {
            Algorithm::Ab => {
                let params = params.unwrap_or_else(|| self.game.params());
                let options = alphabeta::Options { hash, threads, params, ..Default::default() };
                let searcher = AlphaBeta::with_tables(evaluation, Tables(tables), options);
                Box::new(searcher.ok_or_else(|| short(None))?)
            }
            Algorithm::Mcts => {
                let tables = Tables(tables);
                let policy = self.policy(options, evaluation, &tables);
                let (policy, tree_mb) = policy.ok_or_else(|| short(None))?;
                let minimax = Some(f64::from(minimax.unwrap_or_else(|| self.game.minimax())) / 100.0);
                let options =
                    mcts::Options { tree_mb, threads, seed, playout_plies, minimax, ..Default::default() };
                if <G::Position as Chance>::DICE {
                    Box::new(DiceMcts::with_policy(options, policy))
                } else {
                    Box::new(Mcts::with_tables(options, policy, tables))
                }
            }
        }))
    }

    /// What steers tree search, and the mebibytes that are left for the tree; `None` if the memory is not to be had.
    fn policy(
        &self,
        options: &Options,
        evaluation: G::Evaluation,
        tables: &Tables<G::Position>,
    ) -> Option<(AnyPolicy<G::Position>, usize)> {
        let temperature = (options.priors == Priors::Evaluation).then_some(TEMPERATURE);
        Some(match options.leaf.unwrap_or_else(|| self.game.leaf()) {
            Leaf::Evaluated => (Box::new(EvaluationPolicy::new(evaluation, temperature)), options.hash),
            Leaf::Searched(plies) => {
                // The leaves' transposition table is a part of the memory, as long as there is much of it.
                let leaves = (options.hash / 8).clamp(1, LEAVES_MIB);
                let search =
                    ShallowSearch::new(evaluation, tables.clone(), leaves, self.game.params(), plies)?;
                (Box::new(SearchPolicy::new(search, temperature)), options.hash.saturating_sub(leaves).max(1))
            }
        })
    }

    /// The tables of a folder: those that are open already, if it is the same one.
    fn opened(&self, folder: Option<&Path>) -> Result<Option<SharedTables<G::Position>>> {
        if self.options.tables.as_deref() == folder {
            return Ok(self.tables.clone());
        }
        folder.map(|folder| self.game.tables(folder)).transpose()
    }

    /// The evaluation that is asked for: the one there is, if it is by the same network.
    fn evaluation_of(&self, options: &Options) -> Result<G::Evaluation> {
        match &options.net {
            net if *net == self.options.net => Ok(self.evaluation.clone()),
            Some(file) => self.game.evaluation_by(file),
            None => Ok(self.game.evaluation()),
        }
    }

    /// The limits with moves instead of texts.
    fn limits(&self, limits: &Limits<String>) -> Result<Limits<<G::Position as Position>::Move>> {
        let read = |text: &String| {
            let mv = self.line.position.parse_move(text);
            mv.map_err(|e| anyhow!("move to search \"{}\": {e}", shortened(text)))
        };
        Ok(limits.with_moves(limits.search_moves.iter().map(read).collect::<Result<_>>()?))
    }

    fn has_ended(&self) -> Option<Outcome> {
        self.line.position.outcome().or_else(|| self.repeated().then_some(Outcome::Draw))
    }

    fn repeated(&self) -> bool {
        let allowed = self.game.repetition() as usize;
        let Some(key) = self.line.position.repetition_hash().filter(|_| allowed > 0) else { return false };
        let earlier =
            self.line.steps.iter().filter(|(other, _)| other.repetition_hash() == Some(key)).count();
        earlier + 1 >= allowed
    }
}

impl<G: Playable> AnyLine for Seated<G>
where
    G::Position: Tactics + Playout + Symmetric,
{
    fn game(&self) -> &str {
        self.game.id()
    }

    fn name(&self) -> &str {
        self.game.name()
    }

    fn params(&self) -> SearchParams {
        self.game.params()
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> Result<()> {
        let (first, viewer) = match fen {
            Some(text) => self.game.parse(text)?,
            None => (self.game.start(), None),
        };
        if viewer.is_some() && !moves.is_empty() {
            bail!("from what one player sees no moves are played: contests need the whole position");
        }
        let mut line = Line { viewer, ..Line::new(first) };
        for (n, text) in moves.iter().enumerate() {
            line.play(text)
                .with_context(|| format!("move {} of {}, \"{}\"", n + 1, moves.len(), shortened(text)))?;
        }
        self.line = line;
        Ok(())
    }

    fn play(&mut self, mv: &str) -> Result<()> {
        if self.line.viewer.is_some() {
            bail!("from what one player sees no moves are played: contests need the whole position");
        }
        self.line.play(mv)
    }

    fn undo(&mut self) -> bool {
        let last = self.line.steps.pop();
        let undone = last.is_some();
        if let Some((before, _)) = last {
            self.line.position = before;
        }
        undone
    }

    fn fen(&self) -> String {
        let seen = self.line.viewer.and_then(|viewer| self.seen_by(viewer));
        seen.map_or_else(|| self.line.position.position_text(), |seen| seen.text)
    }

    fn first_fen(&self) -> String {
        if self.line.viewer.is_some() {
            return self.fen();
        }
        self.line.steps.first().map_or(&self.line.position, |(first, _)| first).position_text()
    }

    fn plies(&self) -> usize {
        self.line.steps.len()
    }

    fn played_from(&self, from: usize) -> Vec<String> {
        let text = |(position, branch): &(G::Position, _)| Branches(position.clone()).move_text(*branch);
        self.line.steps.iter().skip(from).map(text).collect()
    }

    fn turn_lengths(&self) -> Vec<usize> {
        turns::lengths(self.line.steps.iter().map(|(position, _)| position.side_to_move()))
    }

    fn turns(&self) -> Vec<String> {
        let movers = self.line.steps.iter().map(|(position, _)| position.side_to_move());
        turns::joined::<G::Position>(movers.zip(self.played()).collect())
    }

    fn side_to_move(&self) -> Side {
        self.line.position.side_to_move()
    }

    fn zobrist_hash(&self) -> u64 {
        self.line.position.zobrist_hash()
    }

    fn symmetric_hash(&self) -> u64 {
        let position = &self.line.position;
        let images = position.symmetries().into_iter();
        let keys = images.filter_map(|(symmetry, exchange)| {
            Some(position.transformed(symmetry, exchange)?.zobrist_hash())
        });
        keys.min().unwrap_or_else(|| position.zobrist_hash())
    }

    fn diagram(&self) -> Diagram {
        let seen = self.line.viewer.and_then(|viewer| self.seen_by(viewer));
        seen.map_or_else(|| self.line.position.diagram(), |seen| seen.diagram)
    }

    fn dealt(&self, random: &mut Random) -> Option<String> {
        self.game.dealt(random).map(|position| position.position_text())
    }

    fn seen_by(&self, viewer: Side) -> Option<Seen> {
        self.game.seen_by(&self.line.position, viewer)
    }

    fn told(&self) -> Option<String> {
        let (before, branch) = self.line.steps.last()?;
        self.game.told(before, branch.mv)
    }

    fn moves(&self) -> Vec<String> {
        let position = Branches(self.line.position.clone());
        list_moves(&position).into_iter().map(|mv| position.move_text(mv)).collect()
    }

    fn rolled(&self, mv: &str, random: &mut Random) -> Result<String> {
        let position = &self.line.position;
        if G::Position::TURNS {
            return turns::read(position, mv).map(|_| mv.to_string());
        }
        let bare = if <G::Position as Chance>::DICE { mv.split(':').next().unwrap_or_default() } else { mv };
        let mv = position.parse_move(bare).map_err(|e| anyhow!("{e}"))?;
        let branch = Branch { mv, outcome: position.roll(mv, random) as u8 };
        Ok(Branches(position.clone()).move_text(branch))
    }

    fn ending(&self) -> Option<Ending> {
        let position = &self.line.position;
        let outcome = self.has_ended()?;
        Some(Ending {
            verdict: outcome.absolute(position.side_to_move()),
            repetition: position.outcome().is_none(),
        })
    }

    fn evaluation(&self) -> i32 {
        self.evaluation.evaluate_afresh(&self.line.position)
    }

    fn use_tables(&mut self, folder: Option<&Path>) -> Result<()> {
        if self.options.tables.as_deref() != folder {
            self.tables = self.opened(folder)?;
            self.options.tables = folder.map(Path::to_path_buf);
            // It holds the old ones.
            self.searcher = None;
        }
        Ok(())
    }

    fn table_value(&self) -> Option<Value> {
        self.tables.as_ref()?.probe(&self.line.position)
    }

    fn perft(&self, depth: u32, stop: &Stop, each: &mut dyn FnMut(&str, u64)) -> Option<u64> {
        let position = &Branches(self.line.position.clone());
        let Some(below) = depth.checked_sub(1) else { return Some(1) };
        let mut total = 0u64;
        for mv in list_moves(position) {
            let nodes = count(&position.after(mv), below, stop)?;
            each(&position.move_text(mv), nodes);
            total = total.saturating_add(nodes);
        }
        Some(total)
    }
}

impl<G: Playable> AnyEngine for Seated<G>
where
    G::Position: Tactics + Playout + Symmetric,
{
    fn configure(&mut self, options: &Options) -> Result<()> {
        if self.searcher.is_some() && self.options == *options {
            return Ok(());
        }
        let tables = self.opened(options.tables.as_deref())?;
        let evaluation = self.evaluation_of(options)?;
        // First of all the memory of the old one.
        self.searcher = None;
        self.searcher = Some(self.build(options, evaluation.clone(), tables.clone())?);
        (self.tables, self.evaluation) = (tables, evaluation);
        self.options = options.clone();
        Ok(())
    }

    fn forget(&mut self) {
        match &mut self.searcher {
            Some(Mind::Seeing(searcher)) => searcher.new_game(),
            Some(Mind::Guessing(guesser)) => guesser.new_game(),
            None => {}
        }
    }

    fn search(
        &mut self,
        limits: &Limits<String>,
        stop: &Stop,
        on_info: &mut dyn FnMut(&Info<String>),
    ) -> Result<Report<String>> {
        let begun = Instant::now();
        let own = self.limits(limits)?;
        self.configure(&self.options.clone())?;
        let (root, history) = (&self.line.position, self.line.history());
        let Some(searcher) = &mut self.searcher else { bail!("the engine is not set up") };
        let in_words = match searcher {
            Mind::Seeing(_) if self.line.viewer.is_some() => {
                bail!("nobody can cheat in what one player sees: give the whole position")
            }
            Mind::Seeing(_) => texts,
            Mind::Guessing(_) => blind_texts,
        };
        let in_turns = |info: &Info<_>| info.with_pv(turns::joined::<G::Position>(in_words(root, &info.pv)));
        let mut report = if root.outcome().is_some() {
            Report::from_lines(Vec::new(), 0, begun.elapsed())
        } else {
            let on_own = &mut |info: &Info<_>| on_info(&in_turns(info));
            match searcher {
                Mind::Seeing(searcher) => searcher.search(root, &history, &own, stop, on_own),
                Mind::Guessing(guesser) => {
                    let mut earlier = self.line.steps.iter().map(|(position, _)| position);
                    guesser.search(&mut earlier, root, &own, stop, on_own)
                }
            }
        };
        while !stop.is_stopped() && (limits.infinite || limits.ponder && stop.hit_at().is_none()) {
            std::thread::sleep(Duration::from_millis(1));
        }
        if report.best.is_none() {
            report.best = list_moves(root).into_iter().find(|mv| own.allows(mv));
        }
        let lines: Vec<Info<String>> = report.lines.iter().map(in_turns).collect();
        let mut pair = report.best.into_iter().chain(report.ponder).collect::<Vec<_>>();
        pair.truncate(2);
        let mut pair = in_words(root, &pair).into_iter().map(|(_, text)| text);
        Ok(Report {
            best: pair.next(),
            ponder: pair.next(),
            lines,
            depth: report.depth,
            nodes: report.nodes,
            elapsed: report.elapsed,
        })
    }
}

/// The plies of a line from a position on as texts, as far as they are legal, each with whose it is.
fn texts<P: Notation + Tactics>(root: &P, line: &[P::Move]) -> Vec<(Side, String)> {
    let mut position = root.clone();
    let mut texts = Vec::new();
    for &mv in line {
        if !list_moves(&position).contains(&mv) {
            break;
        }
        texts.push((position.side_to_move(), position.move_text(mv)));
        position.play(mv);
    }
    texts
}

/// Plies that perft counts between two looks at the handle.
const UNSTOPPABLE: u32 = 3;

fn count<P: Position>(position: &P, depth: u32, stop: &Stop) -> Option<u64> {
    if stop.is_stopped() {
        return None;
    }
    if depth <= UNSTOPPABLE {
        return Some(perft(position, depth));
    }
    let mut total = 0u64;
    let stopped = position.moves(|mv| match count(&position.after(mv), depth - 1, stop) {
        Some(nodes) => {
            total = total.saturating_add(nodes);
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    });
    stopped.is_continue().then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::ability::Game;
    use jewel_engine::kings_mate::{Active, KingsMateGame};

    #[test]
    fn a_missed_attack_ends_no_history() {
        let game = KingsMateGame::<Active>::new();
        let mut line = Line::new(game.parse_position("k2m3/7/7/7/7/7/7/3S3/K2M3 w - - 0 1").unwrap());
        for (number, text) in ["d2e2", "d9e9", "a1a9:miss", "e2d2", "a9a1:miss", "e9d9"].iter().enumerate() {
            line.play(text).unwrap();
            assert_eq!(line.history().len(), number + 1, "{text}");
        }
        line.play("a1a9:hit").unwrap();
        assert!(line.history().is_empty());
    }
}
