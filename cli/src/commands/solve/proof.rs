//! Solving a position by proof search: strategies of one or both sides, each checked as a proof file is.

use super::{ExitStatus, NoCounts, Solve};
use crate::best_play::BestPlay;
use crate::proving::{Claim, Made, Provable};
use crate::text::{grouped, plies};
use crate::{interrupt, output, progress};
use anyhow::{Result, anyhow};
use jewel_engine::ability::{Game, Notation, Packed, Probe};
use jewel_engine::position::{Position, list_moves};
use jewel_engine::value::{Outcome, Side};
use jewel_players::catalogue::AnyGame;
use jewel_players::playable::Playable;
use jewel_players::support::layout::columns;
use jewel_players::support::memory;
use jewel_players::support::words::reason;
use jewel_players::with_game;
use jewel_solver::line::LineEnd;
use jewel_solver::proof::header::Kind;
use jewel_solver::proof::value::{Decided, Means, Undecided, decide};
use serde::Serialize;
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// How often progress is shown.
const SHOW: Duration = Duration::from_millis(250);
/// A move of a game.
type Move<G> = <<G as Game>::Position as Position>::Move;

/// A value that strategies prove.
#[derive(Serialize)]
struct Proven {
    #[serde(flatten)]
    best_play: BestPlay,
    /// The most plies to the end of a game that the winner plays by the strategy.
    within: Option<u32>,
    /// First moves of which nothing is known.
    undecided: Vec<String>,
    method: &'static str,
    #[serde(flatten)]
    counts: NoCounts,
    /// Positions opened up.
    nodes: u64,
    proofs: Vec<ProofFile>,
    seconds: f64,
    /// Always: nothing is said before the strategies have passed their check.
    verified: bool,
}

/// A strategy that has passed its check.
#[derive(Serialize)]
struct ProofFile {
    side: char,
    claim: String,
    positions: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

/// Decides the position of the arguments, and prints the result. `no_tables` says why there are no tables of it.
pub(super) fn run(args: &Solve, any: AnyGame, no_tables: Option<String>) -> Result<ExitStatus> {
    let solved = with_game!(any, game => solve(args, any, game));
    solved.map_err(|error| match no_tables {
        Some(why) => anyhow!("{error}; there are no tables: {why}"),
        None => error,
    })
}

fn solve<G: Playable<Position: Packed>>(args: &Solve, any: AnyGame, game: G) -> Result<ExitStatus> {
    let start = Instant::now();
    let memory = memory::limit(args.memory);
    let what = Provable::new(&args.game, any, game, None, memory)?;
    let judge = what.judge();
    let means = Means {
        memory,
        threads: rayon::current_num_threads(),
        nodes: u64::MAX,
        leaves: what.leaves(),
        judge: &judge,
        interrupt: interrupt::listen()?,
    };
    let bar = progress::message("searching for proofs");
    let mut last = Instant::now();
    let mut show = |nodes: u64| {
        if last.elapsed() >= SHOW {
            last = Instant::now();
            bar.set_message(format!("{} nodes of proof search", grouped(nodes)));
        }
    };
    let (decided, nodes) = decide(&what.root, &means, &mut show);
    bar.finish_and_clear();
    let decided = decided.map_err(|why| match why {
        Undecided::Stopped => anyhow!(
            "interrupted after {} nodes of proof search, and not decided; `jewel prove` keeps what it has searched",
            grouped(nodes)
        ),
        Undecided::Memory => anyhow!(
            "not decided after {} nodes of proof search: it seems a draw, and strategies that show it take more than {}: \
             give --memory more",
            grouped(nodes),
            memory::size_text(memory)
        ),
    })?;
    let proofs = proofs(args, &what, &decided)?;
    let known = Known::of(&what.root, &decided, what.leaves());
    let unknown = |mv: &Move<G>| known.moves.iter().all(|(other, _)| other != mv);
    let undecided = list_moves(&what.root).into_iter().filter(unknown);
    let proven = Proven {
        undecided: undecided.map(|mv| what.root.move_text(mv)).collect(),
        best_play: BestPlay::proven(
            &what.game,
            &what.root,
            known.outcome,
            &known.moves,
            (&known.line, known.end),
        ),
        within: known.within,
        method: "proof",
        counts: NoCounts::default(),
        nodes,
        proofs,
        seconds: start.elapsed().as_secs_f64(),
        verified: true,
    };
    output::print(&if args.json { output::json_line(&proven)? } else { proven.text() })?;
    Ok(ExitStatus::Done)
}

/// Checks the strategies, and writes their files if there is a folder for them.
fn proofs<G: Playable<Position: Packed>>(
    args: &Solve,
    what: &Provable<'_, G>,
    decided: &Decided<Move<G>>,
) -> Result<Vec<ProofFile>> {
    let strategies = match decided {
        Decided::Won(side, strategy) => vec![(*side, Kind::Win, strategy)],
        Decided::Drawn(strategies) => {
            Side::BOTH.into_iter().zip(strategies).map(|(side, by)| (side, Kind::Safe, by)).collect()
        }
    };
    let id = what.file_stem();
    let mut proofs = vec![];
    for (side, kind, strategy) in strategies {
        let claim = Claim { kind, limit: None };
        let made = what.file(strategy, side, claim)?;
        let file = match &args.proofs {
            Some(folder) => {
                Some(keep(folder, &format!("{id}-{}-{}.proof", side.letter(), claim.text()), &made)?)
            }
            None => None,
        };
        proofs.push(ProofFile {
            side: side.letter(),
            claim: claim.text(),
            positions: made.checked.positions,
            file,
        });
    }
    Ok(proofs)
}

/// Writes a proof file into a folder, which may have to be made; returns its path.
fn keep(folder: &Path, name: &str, made: &Made) -> Result<String> {
    std::fs::create_dir_all(folder).map_err(|e| anyhow!("{}: {}", folder.display(), reason(&e)))?;
    let path = folder.join(name);
    made.save(&path)?;
    Ok(path.display().to_string())
}

/// What strategies say of a position.
struct Known<M> {
    /// For the side to move.
    outcome: Outcome,
    /// First moves with their outcomes, for the mover; of the others nothing is known.
    moves: Vec<(M, Outcome)>,
    /// The most plies to the end if somebody wins.
    within: Option<u32>,
    line: Vec<M>,
    end: LineEnd,
}

impl<M: Copy + PartialEq> Known<M> {
    fn of<P: Packed<Move = M>>(root: &P, decided: &Decided<M>, leaves: &dyn Probe<P>) -> Known<M> {
        let mover = root.side_to_move();
        let all = list_moves(root);
        let (outcome, within) = match decided {
            Decided::Drawn(_) => (Outcome::Draw, None),
            Decided::Won(side, strategy) => {
                let outcome = if *side == mover { Outcome::Win } else { Outcome::Loss };
                (outcome, strategy.plies(root, *side, leaves))
            }
        };
        let known: Vec<M> = match outcome {
            Outcome::Loss => all,
            _ => decided.reply(root).map(|(mv, _)| mv).into_iter().collect(),
        };
        let (line, end) = line(root, decided);
        Known { outcome, moves: known.into_iter().map(|mv| (mv, outcome)).collect(), within, line, end }
    }
}

/// A line of the strategies: whoever loses makes the move after which the win takes longest.
fn line<P: Packed>(root: &P, decided: &Decided<P::Move>) -> (Vec<P::Move>, LineEnd) {
    let (mut position, mut moves) = (root.clone(), vec![]);
    let mut seen = HashMap::new();
    loop {
        if let Some(outcome) = position.outcome() {
            return (moves, LineEnd::Over(outcome));
        }
        if let Some(ply) = seen.insert(position.clone(), moves.len()) {
            return (moves, LineEnd::Repetition(ply));
        }
        let longest = |position: &P| {
            let plies = |mv: &P::Move| decided.reply(&position.after(*mv)).map_or(0, |(_, plies)| plies);
            list_moves(position).into_iter().max_by_key(plies)
        };
        let Some(mv) = decided.reply(&position).map(|(mv, _)| mv).or_else(|| longest(&position)) else {
            unreachable!("a game that is not over has moves")
        };
        moves.push(mv);
        position.play(mv);
    }
}

impl Proven {
    fn text(&self) -> String {
        let value = match self.within {
            Some(most) => format!("{} in at most {}", self.best_play.value(), plies(most)),
            None => self.best_play.value(),
        };
        let mut rows = vec![
            ["value".to_string(), value],
            ["found by".into(), format!("proof search of {} nodes", grouped(self.nodes))],
        ];
        for proof in &self.proofs {
            let file = proof.file.as_ref().map_or(String::new(), |file| format!(", in {file}"));
            let what = format!(
                "{} for {}: {} positions, checked{file}",
                proof.claim,
                proof.side,
                grouped(proof.positions)
            );
            rows.push(["proof".into(), what]);
        }
        rows.push(["seconds".into(), format!("{:.3}", self.seconds)]);
        let mut text = self.best_play.heading() + &columns(&rows) + &self.best_play.moves_text();
        if !self.undecided.is_empty() {
            let others = match self.undecided.len() {
                1 => "the other move".to_string(),
                n => format!("{n} other moves"),
            };
            text += &format!("  nothing is known of {others}\n");
        }
        text + &self.best_play.line_text("By the strategies:")
    }
}
