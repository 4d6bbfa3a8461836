//! Positions with known answers for the tactical suite: those in which exactly one move wins fastest.
//!
//! `cargo run --release -p jewel-search --features drivers --example find_tactics -- GAME SEED PLIES=COUNT...`
//! `cargo run --release -p jewel-search --features drivers --example find_tactics -- check FILE`
//!
//! Weak players, who search a few nodes and often move at random, play until somebody has won. The winner's
//! positions that lie some plies before the end are proven by exhaustive search: a win in exactly PLIES
//! plies, by one move only, with a third of the pieces left. At most one position comes from each game. Every
//! one is a line of JSON for `tests/data/tactics.json`. The search that is to be tested takes no part in the
//! proof, so what it cannot see is found like anything else. It does choose moves of the games: another
//! version of it makes other games of a seed.
//!
//! `check` proves the answers of such a file again, in those games in which they are the fastest wins.

use jewel_engine::ability::{Game, Notation, Packed, Symmetric};
use jewel_engine::playout::random_move;
use jewel_engine::position::{Position, list_moves};
use jewel_engine::random::Random;
use jewel_engine::tactics::Pieces;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::with_leanest_game;
use jewel_search::alphabeta::{AlphaBeta, Options};
use jewel_search::control::Stop;
use jewel_search::evaluate::HandcraftedEvaluation;
use jewel_search::limits::Limits;
use jewel_search::searcher::Searcher;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::process::ExitCode;

/// Nodes that the players search for a move.
const STRENGTH: u64 = 200;
/// One move in this many is random.
const CARELESSNESS: u32 = 5;
const MAX_GAME_PLIES: usize = 200;
/// Games after which the search is given up.
const MAX_GAMES: u64 = 3000;
/// Positions that a proof may look at; what takes more is passed over.
const PROOF_NODES: u64 = 20_000_000;

/// What a proof knows of a position: forced within how many plies, not within how many, and the move that
/// showed it last.
#[derive(Clone, Copy)]
struct Known<M> {
    forced: u32,
    not_forced: u32,
    mv: Option<M>,
}

/// Exhaustive search for forced wins: every move of both sides counts, no evaluation, nothing pruned. Unlike
/// `exhaustive::forced` it asks yes or no, which lets it stop at the first refutation, and it remembers.
struct Proof<P: Position> {
    known: HashMap<P, Known<P::Move>>,
    nodes: u64,
}

/// The fastest win of the side to move: its plies, and all moves that win in as many.
struct FastestWin<M> {
    plies: u32,
    moves: Vec<M>,
}

/// The proof took too many nodes.
struct GivenUp;

impl<P: Position> Proof<P> {
    /// A proof about new positions.
    fn new() -> Self {
        Proof { known: HashMap::new(), nodes: 0 }
    }

    /// Whether `goal` for the side to move is forced within a number of plies: [`Outcome::Win`] if some move
    /// leads to it, [`Outcome::Loss`] if every move does.
    fn forced(&mut self, position: &P, goal: Outcome, plies: u32) -> Result<bool, GivenUp> {
        self.nodes += 1;
        if self.nodes > PROOF_NODES {
            return Err(GivenUp);
        }
        if let Some(outcome) = position.outcome() {
            return Ok(outcome == goal);
        }
        if plies == 0 {
            return Ok(false);
        }
        let nothing = Known { forced: u32::MAX, not_forced: 0, mv: None };
        let before = self.known.get(position).copied().unwrap_or(nothing);
        if before.forced <= plies || before.not_forced >= plies {
            return Ok(before.forced <= plies);
        }
        let one_is_enough = goal == Outcome::Win;
        let mut moves = list_moves(position);
        if let Some(place) = before.mv.and_then(|mv| moves.iter().position(|&m| m == mv)) {
            moves[..=place].rotate_right(1);
        }
        let mut result = !one_is_enough;
        let mut telling = None;
        for mv in moves {
            if self.forced(&position.after(mv), !goal, plies - 1)? == one_is_enough {
                (result, telling) = (one_is_enough, Some(mv));
                break;
            }
        }
        // Only the last plies are cheaper to look at again than to remember.
        if plies >= 2 {
            let mv = telling.or(before.mv);
            let now = if result {
                Known { forced: plies, mv, ..before }
            } else {
                Known { not_forced: plies, mv, ..before }
            };
            self.known.insert(position.clone(), now);
        }
        Ok(result)
    }

    /// The fastest win, if there is one within a number of plies.
    fn fastest(&mut self, position: &P, most: u32) -> Result<Option<FastestWin<P::Move>>, GivenUp> {
        for plies in 1..=most {
            let mut moves = Vec::new();
            for mv in list_moves(position) {
                if self.forced(&position.after(mv), Outcome::Loss, plies - 1)? {
                    moves.push(mv);
                }
            }
            if !moves.is_empty() {
                return Ok(Some(FastestWin { plies, moves }));
            }
        }
        Ok(None)
    }
}

/// Whether at least a third of the pieces are left: bare endings look all the same.
fn is_rich<P: Pieces>(position: &P, start: &P) -> bool {
    let pieces = |p: &P| Side::BOTH.iter().map(|&side| p.pieces_of(side).count()).sum::<u32>();
    3 * pieces(position) >= pieces(start)
}

/// A game between weak players: its positions, and whether the last one is a win for somebody.
fn weak_game<G: Game>(
    game: &G,
    searcher: &mut AlphaBeta<G::Position, HandcraftedEvaluation>,
    random: &mut Random,
) -> Option<Vec<G::Position>>
where
    G::Position: Pieces,
{
    searcher.new_game();
    let mut positions = vec![game.start()];
    while let Some(position) = positions.last().filter(|_| positions.len() < MAX_GAME_PLIES) {
        match position.outcome() {
            Some(Outcome::Draw) => return None,
            Some(_) => return Some(positions),
            None => (),
        }
        let careless = random.below(CARELESSNESS) == 0;
        let limits = Limits { nodes: Some(STRENGTH), ..Limits::default() };
        let mv = if careless {
            random_move(position, random)
        } else {
            searcher.search(position, &[], &limits, &Stop::new(), &mut |_| ()).best
        };
        let next = position.after(mv?);
        positions.push(next);
    }
    None
}

/// How many positions of each distance in plies are still wanted.
struct Hunt {
    seed: u64,
    wanted: BTreeMap<u32, u32>,
}

impl Hunt {
    /// A position before the end of a won game whose distance is wanted, with its only fastest move.
    fn choose<P: Pieces>(&self, positions: &[P]) -> Option<(u32, P, P::Move)> {
        let most = self.wanted.iter().filter(|w| *w.1 > 0).map(|w| *w.0).max()?;
        let end = positions.last()?;
        let winner = match end.outcome()? {
            Outcome::Win => end.side_to_move(),
            _ => !end.side_to_move(),
        };
        let mut proof = Proof::new();
        let mut chosen = None;
        // From the end backwards, as far as the win is forced: the longest is the best.
        for position in positions.iter().rev().skip(1).filter(|p| p.side_to_move() == winner) {
            let Ok(Some(FastestWin { plies, moves })) = proof.fastest(position, most) else { break };
            if let [mv] = moves[..]
                && is_rich(position, &positions[0])
                && self.wanted.get(&plies).is_some_and(|&left| left > 0)
            {
                chosen = Some((plies, position.clone(), mv));
            }
        }
        chosen
    }
}

impl Hunt {
    /// Whether everything wanted was found.
    fn visit<G>(mut self, game: G) -> bool
    where
        G: Game,
        G::Position: Packed + Symmetric + Pieces,
    {
        let evaluation = HandcraftedEvaluation::derived(game.start().rules());
        let options = Options { hash: 1, ..Options::default() };
        let Some(mut searcher) = AlphaBeta::new(evaluation, options) else { return false };
        for number in 0..MAX_GAMES {
            if self.wanted.values().all(|&left| left == 0) {
                return true;
            }
            let mut random = Random::stream(self.seed, number);
            let Some(positions) = weak_game(&game, &mut searcher, &mut random) else { continue };
            if let Some((plies, position, mv)) = self.choose(&positions) {
                let (fen, best) = (position.position_text(), position.move_text(mv));
                println!(r#"{{"fen": "{fen}", "plies": {plies}, "best": ["{best}"]}},"#);
                self.wanted.entry(plies).and_modify(|left| *left -= 1);
            }
        }
        false
    }
}

/// The positions of one game in a file.
#[derive(Deserialize)]
struct Group {
    game: String,
    fastest: bool,
    positions: Vec<Answer>,
}

/// A position with the moves that win it in a given number of plies.
#[derive(Deserialize)]
struct Answer {
    fen: String,
    plies: u32,
    best: Vec<String>,
}

impl Group {
    /// Whether all answers are right.
    fn visit<G: Game>(self, game: G) -> bool {
        let mut right = true;
        for Answer { fen, plies, best } in &self.positions {
            let verdict =
                match game.parse_position(fen).map(|root| (Proof::new().fastest(&root, *plies), root)) {
                    Ok((Ok(Some(win)), root)) => {
                        let moves: Vec<String> = win.moves.iter().map(|&mv| root.move_text(mv)).collect();
                        if win.plies == *plies && moves == *best {
                            "right".to_string()
                        } else {
                            format!("wrong: {} wins in {} plies", moves.join(" "), win.plies)
                        }
                    }
                    Ok((Ok(None), _)) => "wrong: no win in as many plies".to_string(),
                    Ok((Err(GivenUp), _)) => "not proven: too many nodes".to_string(),
                    Err(error) => error.to_string(),
                };
            println!("{} {fen}: {verdict}", self.game);
            right &= verdict == "right";
        }
        right
    }
}

/// Checks the answers of a file; an error is one line.
fn check(path: &str) -> Result<bool, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let groups: Vec<Group> = serde_json::from_str(&text).map_err(|e| format!("{path}: {e}"))?;
    let mut right = true;
    for group in groups.into_iter().filter(|group| group.fastest) {
        let game = jewel_engine::games::find(&group.game).ok_or(format!("no game {}", group.game))?;
        right &= with_leanest_game!(game.rules(), game => group.visit(game));
    }
    Ok(right)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, path] = &arguments[..]
        && word == "check"
    {
        return match check(path) {
            Ok(right) => ExitCode::from(u8::from(!right)),
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::from(2)
            }
        };
    }
    let parsed = || {
        let [game, seed, wanted @ ..] = &arguments[..] else { return None };
        let wanted: Option<BTreeMap<u32, u32>> = wanted
            .iter()
            .map(|text| {
                let (plies, count) = text.split_once('=')?;
                Some((plies.parse().ok()?, count.parse().ok()?))
            })
            .collect();
        let hunt = Hunt { seed: seed.parse().ok()?, wanted: wanted? };
        Some((jewel_engine::games::find(game)?, hunt))
    };
    let Some((game, hunt)) = parsed() else {
        eprintln!("usage: find_tactics GAME SEED PLIES=COUNT..., or find_tactics check FILE");
        return ExitCode::from(2);
    };
    if with_leanest_game!(game.rules(), game => hunt.visit(game)) {
        ExitCode::SUCCESS
    } else {
        eprintln!("not everything was found in {MAX_GAMES} games");
        ExitCode::from(1)
    }
}
