//! The one implementation of [`Engine`], generic over the game.

use crate::engine::{Ending, Engine, GameAt};
use crate::hidden::{PlayerView, texts_of_guesses};
use crate::line::{self, Line, SetupError};
use crate::options::{Algorithm, Options};
use crate::playable::{Playable, SharedTables};
use crate::searcher::AnySearcher;
use crate::support::words::shortened;
use crate::turns;
use anyhow::{Result, anyhow, bail};
use jewel_engine::ability::{Notation, Symmetric};
use jewel_engine::chance::{Branch, Branches, Chance};
use jewel_engine::diagram::Diagram;
use jewel_engine::perft::{PerftTable, divide_observed, perft};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::tactics::Tactics;
use jewel_engine::value::{Side, Value};
use jewel_search::alphabeta::SearchParams;
use jewel_search::control::Stop;
use jewel_search::evaluate::Evaluate;
use jewel_search::limits::Limits;
use jewel_search::report::{Info, Report};
use jewel_search::score::Score;
use jewel_search::time::Instant;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

/// What is said where moves are to be played from what one player sees.
const NO_MOVES_FROM_A_VIEW: &str =
    "from what one player sees no moves are played: contests need the whole position";

/// The engine of a game, at its start position.
pub(crate) fn open<G: Playable>(game: G) -> Box<dyn Engine> {
    let line = Line::new(game.start());
    let options = Options::default();
    Box::new(OpenGame {
        game,
        evaluation: OnceLock::new(),
        line,
        viewer: None,
        options,
        tables: None,
        searcher: None,
        judge: None,
    })
}

/// A game, a line of play and, once it is needed, a searcher.
struct OpenGame<G: Playable> {
    game: G,
    /// Made when it is first needed.
    evaluation: OnceLock<G::Evaluation>,
    line: Line<G::Position>,
    /// The player whose view was set up: the line may reveal no more of its position than this player sees.
    viewer: Option<Side>,
    options: Options,
    tables: Option<SharedTables<G::Position>>,
    searcher: Option<AnySearcher<G::Position>>,
    /// The searcher of [`searched_score`](GameAt::searched_score), once it is needed.
    judge: Option<AnySearcher<G::Position>>,
}

/// The hashes of the positions since the last move that cannot be taken back, oldest first. An attack that the dice
/// did not let through has changed nothing for good.
fn history<P: Notation + Tactics>(line: &Line<P>) -> Vec<u64> {
    let for_good = |(position, branch): &&(P, Branch<P::Move>)| {
        branch.outcome == 0 && position.is_irreversible(branch.mv)
    };
    let reversible = line.steps().iter().rev().take_while(|step| !for_good(step));
    let mut hashes: Vec<u64> = reversible.map(|(position, _)| position.zobrist_hash()).collect();
    hashes.reverse();
    hashes
}

impl<G: Playable> OpenGame<G> {
    /// The tables of a folder: those that are open already, if it is the same one.
    fn opened(&self, folder: Option<&Path>) -> Result<Option<SharedTables<G::Position>>> {
        if self.options.tables.as_deref() == folder {
            return Ok(self.tables.clone());
        }
        folder.map(|folder| self.game.tables(folder)).transpose()
    }

    fn own_evaluation(&self) -> &G::Evaluation {
        self.evaluation.get_or_init(|| self.game.evaluation())
    }

    /// The evaluation that is asked for: the one there is, if it is by the same network.
    fn evaluation_of(&self, options: &Options) -> Result<G::Evaluation> {
        match (&options.weights, &options.net) {
            (weights, net) if *weights == self.options.weights && *net == self.options.net => {
                Ok(self.own_evaluation().clone())
            }
            (Some(_), Some(_)) => bail!("weights and net: an evaluation is made with one of them"),
            (Some(file), None) => self.game.evaluation_with_weights(file),
            (None, Some(file)) => self.game.evaluation_with_net(file),
            (None, None) => Ok(self.game.evaluation()),
        }
    }

    /// The limits with moves instead of texts.
    fn limits(&self, limits: &Limits<String>) -> Result<Limits<<G::Position as Position>::Move>> {
        let read = |text: &String| {
            let mv = self.position().parse_move(text);
            mv.map_err(|e| anyhow!("move to search \"{}\": {e}", shortened(text)))
        };
        Ok(limits.with_moves(limits.search_moves.iter().map(read).collect::<Result<_>>()?))
    }

    fn position(&self) -> &G::Position {
        self.line.position()
    }

    /// What the viewer sees, if a view was set up.
    fn view(&self) -> Option<PlayerView> {
        self.viewer.and_then(|viewer| self.view_of(viewer))
    }
}

impl<G: Playable> GameAt for OpenGame<G> {
    fn game(&self) -> &str {
        self.game.id()
    }

    fn name(&self) -> &str {
        self.game.name()
    }

    fn params(&self) -> SearchParams {
        self.game.params()
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> Result<(), SetupError> {
        let refused = |e: anyhow::Error| SetupError::Position(format!("{e:#}"));
        let (viewer, first) = match fen.map(|text| self.game.read_view(text)).transpose().map_err(refused)? {
            Some(Some((view, position))) => {
                let [viewer, mover] = [view.viewer, position.side_to_move()];
                if viewer != mover {
                    let [viewer, mover] = [viewer, mover].map(Side::letter);
                    return Err(SetupError::Position(format!(
                        "what {viewer} sees, and {mover} is to move: a player is asked only when it is their turn"
                    )));
                }
                if !moves.is_empty() {
                    return Err(SetupError::Moves(NO_MOVES_FROM_A_VIEW.to_string()));
                }
                (Some(viewer), position)
            }
            _ => (None, line::first_position(&self.game, fen)?),
        };
        self.line = Line::after(first, moves)?;
        self.viewer = viewer;
        Ok(())
    }

    fn play(&mut self, mv: &str) -> Result<()> {
        if self.viewer.is_some() {
            bail!(NO_MOVES_FROM_A_VIEW);
        }
        self.line.play(mv)
    }

    fn undo(&mut self) -> bool {
        self.line.undo()
    }

    fn fen(&self) -> String {
        self.view().map_or_else(|| self.position().position_text(), |view| view.text)
    }

    fn first_fen(&self) -> String {
        match self.line.steps().first() {
            Some((first, _)) => first.position_text(),
            None => self.fen(),
        }
    }

    fn plies(&self) -> usize {
        self.line.steps().len()
    }

    fn played_from(&self, from: usize) -> Vec<String> {
        let text = |(position, branch): &(G::Position, _)| Branches(position.clone()).move_text(*branch);
        self.line.steps().iter().skip(from).map(text).collect()
    }

    fn played_san(&self) -> Option<Vec<String>> {
        self.line.steps().iter().map(|(position, branch)| position.san(branch.mv)).collect()
    }

    fn turn_lengths(&self) -> Vec<usize> {
        turns::lengths(self.line.steps().iter().map(|(position, _)| position.side_to_move()))
    }

    fn turns(&self) -> Vec<String> {
        let movers = self.line.steps().iter().map(|(position, _)| position.side_to_move());
        turns::joined::<G::Position>(movers.zip(self.played()).collect())
    }

    fn side_to_move(&self) -> Side {
        self.position().side_to_move()
    }

    fn zobrist_hash(&self) -> u64 {
        self.position().zobrist_hash()
    }

    fn symmetric_hash(&self) -> u64 {
        let position = self.position();
        let images = position.symmetries().into_iter();
        let keys = images.filter_map(|(symmetry, exchange)| {
            Some(position.transformed(symmetry, exchange)?.zobrist_hash())
        });
        keys.min().unwrap_or_else(|| position.zobrist_hash())
    }

    fn diagram(&self) -> Diagram {
        let mut diagram = self.view().map_or_else(|| self.position().diagram(), |view| view.diagram);
        self.game.name_promoted(&mut diagram, &self.played());
        diagram
    }

    fn deal(&self, random: &mut Random) -> Option<String> {
        self.game.deal(random).map(|position| position.position_text())
    }

    fn view_of(&self, viewer: Side) -> Option<PlayerView> {
        self.game.view_of(self.position(), viewer)
    }

    fn read_view(&self, text: &str) -> Result<Option<PlayerView>> {
        Ok(self.game.read_view(text)?.map(|(view, _)| view))
    }

    fn revealed(&self) -> Option<String> {
        let (before, branch) = self.line.steps().last()?;
        self.game.revealed(before, branch.mv)
    }

    fn moves(&self) -> Vec<String> {
        let position = Branches(self.position().clone());
        list_moves(&position).into_iter().map(|mv| position.move_text(mv)).collect()
    }

    fn legal_turns(&self) -> Vec<String> {
        if G::Position::TURNS { turns::all(self.position()) } else { self.moves() }
    }

    fn read_move(&self, typed: &str) -> Result<String> {
        if G::Position::TURNS {
            return turns::read(self.position(), typed).map(|_| typed.to_string());
        }
        let position = Branches(self.position().clone());
        let mv = position.parse_move(typed).map_err(|e| anyhow!("{e}"))?;
        Ok(position.move_text(mv))
    }

    fn san(&self, mv: &str) -> Option<String> {
        let position = self.position();
        position.san(position.parse_move(mv).ok()?)
    }

    fn rolled(&self, mv: &str, random: &mut Random) -> Result<String> {
        let position = self.position();
        if G::Position::TURNS {
            return turns::read(position, mv).map(|_| mv.to_string());
        }
        let bare = if <G::Position as Chance>::DICE { mv.split(':').next().unwrap_or_default() } else { mv };
        let mv = position.parse_move(bare).map_err(|e| anyhow!("{e}"))?;
        let branch = Branch { mv, outcome: position.roll(mv, random) as u8 };
        Ok(Branches(position.clone()).move_text(branch))
    }

    fn ending(&self) -> Option<Ending> {
        let outcome = self.line.outcome(self.game.repetition())?;
        let repetition = self.position().outcome().is_none();
        Some(Ending { repetition, ..Ending::from_outcome(outcome, self.side_to_move()) })
    }

    fn evaluation(&self) -> i32 {
        self.own_evaluation().evaluate_afresh(self.position())
    }

    fn searched_score(&mut self, nodes: u64) -> Result<Score> {
        if self.judge.is_none() {
            let options = Options { algorithm: Algorithm::Ab, hash: 1, cheat: true, ..Options::default() };
            let evaluation = self.own_evaluation().clone();
            self.judge = Some(AnySearcher::new(&self.game, &options, evaluation, self.tables.clone())?);
        }
        let Some(AnySearcher::Open(judge)) = &mut self.judge else {
            bail!("the search does not see the whole position")
        };
        judge.new_game();
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let report = judge.search(self.line.position(), &[], &limits, &Stop::new(), &mut |_| ());
        Ok(report.score())
    }

    fn use_tables(&mut self, folder: Option<&Path>) -> Result<()> {
        if self.options.tables.as_deref() != folder {
            self.tables = self.opened(folder)?;
            self.options.tables = folder.map(Path::to_path_buf);
            // They hold the old ones.
            (self.searcher, self.judge) = (None, None);
        }
        Ok(())
    }

    fn table_value(&self) -> Option<Value> {
        self.tables.as_ref()?.probe(self.position())
    }

    fn divide(
        &self,
        depth: u32,
        known: Option<&PerftTable>,
        done: &(dyn Fn(usize, usize) + Sync),
    ) -> Vec<(String, u64)> {
        // Each outcome of a roll counts as a move.
        if <G::Position as Chance>::DICE {
            divide_in_words(&Branches(self.position().clone()), depth, known, done)
        } else {
            divide_in_words(self.position(), depth, known, done)
        }
    }

    fn perft(&self, depth: u32, stop: &Stop, each: &mut dyn FnMut(&str, u64)) -> Option<u64> {
        if <G::Position as Chance>::DICE {
            perft_in_words(&Branches(self.position().clone()), depth, stop, each)
        } else {
            perft_in_words(self.position(), depth, stop, each)
        }
    }
}

impl<G: Playable> Engine for OpenGame<G> {
    fn configure(&mut self, options: &Options) -> Result<()> {
        if self.searcher.is_some() && self.options == *options {
            return Ok(());
        }
        let tables = self.opened(options.tables.as_deref())?;
        let evaluation = self.evaluation_of(options)?;
        // First of all the memory of the old ones.
        (self.searcher, self.judge) = (None, None);
        self.searcher = Some(AnySearcher::new(&self.game, options, evaluation.clone(), tables.clone())?);
        (self.tables, self.evaluation) = (tables, OnceLock::from(evaluation));
        self.options = options.clone();
        Ok(())
    }

    fn forget(&mut self) {
        if let Some(searcher) = &mut self.searcher {
            searcher.new_game();
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
        let (root, history) = (self.line.position(), history(&self.line));
        let Some(searcher) = &mut self.searcher else { bail!("the engine is not set up") };
        let in_words = match searcher {
            AnySearcher::Open(_) if self.viewer.is_some() => {
                bail!("nobody can cheat in what one player sees: give the whole position")
            }
            AnySearcher::Open(_) => texts,
            AnySearcher::Hidden(_) => texts_of_guesses,
        };
        let in_turns = |info: &Info<_>| info.with_pv(turns::joined::<G::Position>(in_words(root, &info.pv)));
        let mut report = if root.outcome().is_some() {
            Report::from_lines(Vec::new(), 0, begun.elapsed())
        } else {
            let on_own = &mut |info: &Info<_>| on_info(&in_turns(info));
            match searcher {
                AnySearcher::Open(searcher) => searcher.search(root, &history, &own, stop, on_own),
                AnySearcher::Hidden(searcher) => {
                    let mut earlier = self.line.steps().iter().map(|(position, _)| position);
                    searcher.search(&mut earlier, root, &own, stop, on_own)
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

fn divide_in_words<P: Notation>(
    position: &P,
    depth: u32,
    known: Option<&PerftTable>,
    done: &(dyn Fn(usize, usize) + Sync),
) -> Vec<(String, u64)> {
    let counts = divide_observed(position, depth, known, done);
    counts.into_iter().map(|(mv, nodes)| (position.move_text(mv), nodes)).collect()
}

fn perft_in_words<P: Notation>(
    position: &P,
    depth: u32,
    stop: &Stop,
    each: &mut dyn FnMut(&str, u64),
) -> Option<u64> {
    let Some(below) = depth.checked_sub(1) else { return Some(1) };
    let mut total = 0u64;
    for mv in list_moves(position) {
        let nodes = count(&position.after(mv), below, stop)?;
        each(&position.move_text(mv), nodes);
        total = total.saturating_add(nodes);
    }
    Some(total)
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
            assert_eq!(history(&line).len(), number + 1, "{text}");
        }
        line.play("a1a9:hit").unwrap();
        assert!(history(&line).is_empty());
    }
}
