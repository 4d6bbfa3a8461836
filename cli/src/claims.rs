//! Claims of a game's source about its values: data, and their check against the solved game.
//!
//! A claim holds if all its parts hold: `result` is the winner of the position `after` some moves (`w`, `b` or
//! `draw`); `moves` sorts *all* its moves by the result that they lead to; `only` is a sequence of moves each of which is
//! the only one that keeps the result; and with `repeats` such moves go on until a position is repeated.

use crate::values::Values;
use anyhow::{Result, anyhow, bail};
use jewel_engine::ability::Notation;
use jewel_engine::games;
use jewel_engine::value::Verdict;
use jewel_players::support::layout::folded;
use jewel_solver::solution::ValuedMove;
use serde::{Deserialize, Serialize};

/// The claims about one game.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claims {
    /// The id of the game.
    pub(crate) game: String,
    /// Where the claims were published.
    pub(crate) source: String,
    claim: Vec<Claim>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Claim {
    text: String,
    #[serde(default)]
    after: String,
    result: Option<Winner>,
    moves: Option<Sorted>,
    only: Option<Vec<String>>,
    #[serde(default)]
    repeats: bool,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
enum Winner {
    W,
    B,
    Draw,
}

/// All moves of a position, by result.
#[derive(Deserialize, PartialEq, Eq, Debug, Default)]
#[serde(deny_unknown_fields, default)]
struct Sorted {
    w: Vec<String>,
    draw: Vec<String>,
    b: Vec<String>,
}

/// A claim compared with the solved game.
#[derive(Serialize, Debug)]
pub(crate) struct Checked {
    /// The claim.
    pub(crate) text: String,
    /// Whether it holds.
    pub(crate) confirmed: bool,
    /// What was found.
    pub(crate) found: String,
}

/// The files of the claims that come with the program.
const FILES: [&str; 1] = [include_str!("claims/duel.toml")];

/// The claims about the game with this fingerprint of its rules.
///
/// # Errors
/// If a file that comes with the program has a mistake.
pub(crate) fn about(rules: u64) -> Result<Option<Claims>> {
    for file in FILES {
        let claims: Claims = toml::from_str(file)?;
        if games::find(&claims.game).is_some_and(|game| game.rules().fingerprint == rules) {
            return Ok(Some(claims));
        }
    }
    Ok(None)
}

/// The claims of a source with what was found, in words, after an empty line.
pub(crate) fn text(source: &str, checked: &[Checked]) -> String {
    let mut text = format!("\nClaims of the source ({source}):\n");
    for Checked { text: claim, confirmed, found } in checked {
        let verdict = if *confirmed { "confirmed" } else { "REFUTED  " };
        let (claim, found) = (folded(claim, 13), folded(&format!("found: {found}"), 13));
        text.push_str(&format!("  {verdict}  {claim}\n             {found}\n"));
    }
    text
}

impl Claims {
    /// Checks each claim against the game solved from its start position, `start`.
    pub(crate) fn check<P: Notation>(&self, values: &dyn Values<P>, start: &P) -> Vec<Checked> {
        let facts = Facts { values, start };
        let check = |claim: &Claim| {
            let text = claim.text.clone();
            match facts.check(claim) {
                Ok(found) => Checked { text, confirmed: true, found: found.join("; ") },
                Err(error) => Checked { text, confirmed: false, found: error.to_string() },
            }
        };
        self.claim.iter().map(check).collect()
    }
}

/// The solved game.
struct Facts<'a, P> {
    values: &'a dyn Values<P>,
    start: &'a P,
}

impl<P: Notation> Facts<'_, P> {
    /// What was found, in words; an error if it is not what was claimed.
    fn check(&self, claim: &Claim) -> Result<Vec<String>> {
        let position = self.play(&claim.after)?;
        let mut found = Vec::new();
        if let Some(result) = claim.result {
            found.push(self.result(&position, result)?);
        }
        if let Some(moves) = &claim.moves {
            found.push(self.moves(&position, moves)?);
        }
        if claim.only.is_some() || claim.repeats {
            found.push(self.only(position, claim.only.as_deref().unwrap_or_default(), claim.repeats)?);
        }
        if found.is_empty() {
            bail!("the claim says nothing that could be checked");
        }
        Ok(found)
    }

    fn play(&self, moves: &str) -> Result<P> {
        let mut position = self.start.clone();
        for text in moves.split_whitespace() {
            let mv = position.parse_move(text).map_err(|e| anyhow!("{text} cannot be played: {e}"))?;
            position.play(mv);
        }
        Ok(position)
    }

    fn children(&self, position: &P) -> Result<Vec<ValuedMove<P::Move>>> {
        self.values.children(position)
    }

    fn result(&self, position: &P, claimed: Winner) -> Result<String> {
        let value = self.values.value(position)?;
        let side = position.side_to_move();
        let sides = position.diagram().sides;
        let found = match value.distance() {
            None => "a draw".to_string(),
            Some(0) => format!("{} has won", winner_name(value.absolute(side).verdict, &sides)),
            Some(n) => {
                let ply = if n == 1 { "ply" } else { "plies" };
                format!("{} wins in {n} {ply}", winner_name(value.absolute(side).verdict, &sides))
            }
        };
        if winner(value.absolute(side).verdict) == claimed { Ok(found) } else { Err(anyhow!(found)) }
    }

    fn moves(&self, position: &P, claimed: &Sorted) -> Result<String> {
        let mut sorted = Sorted::default();
        let mut words = Vec::new();
        for child in self.children(position)? {
            let text = position.move_text(child.mv);
            words.push(format!("{text} {}", child.value));
            match winner(child.value.absolute(position.side_to_move()).verdict) {
                Winner::W => sorted.w.push(text),
                Winner::B => sorted.b.push(text),
                Winner::Draw => sorted.draw.push(text),
            }
        }
        let order = |list: &[String]| {
            let mut list = list.to_vec();
            list.sort();
            list
        };
        let same = order(&sorted.w) == order(&claimed.w)
            && order(&sorted.b) == order(&claimed.b)
            && order(&sorted.draw) == order(&claimed.draw);
        let words = words.join(", ");
        if same { Ok(words) } else { Err(anyhow!(words)) }
    }

    /// Follows moves that are the only ones to keep the result: those that are claimed, and with `repeats` further
    /// ones until a position is repeated.
    fn only(&self, mut position: P, claimed: &[String], repeats: bool) -> Result<String> {
        let mut seen: Vec<P> = Vec::new();
        let mut played: Vec<String> = Vec::new();
        loop {
            if repeats && seen.contains(&position) {
                let text = played.join(" ");
                // A position may be repeated before all claimed moves were looked at.
                if played.len() < claimed.len() {
                    bail!("{text} is a repetition already");
                }
                return Ok(format!("only {text}, and a position is there again"));
            }
            if !repeats && played.len() == claimed.len() {
                return Ok(format!("only {}", played.join(" ")));
            }
            let so_far =
                if played.is_empty() { String::new() } else { format!(" after {}", played.join(" ")) };
            let children = self.children(&position)?;
            let Some(best) = children.first() else { bail!("the game is over{so_far}") };
            let holding: Vec<String> = children
                .iter()
                .filter(|child| child.value.outcome() == best.value.outcome())
                .map(|child| position.move_text(child.mv))
                .collect();
            let expected = claimed.get(played.len());
            if holding.len() != 1 || expected.is_some_and(|text| *text != holding[0]) {
                bail!("{} held{so_far}", holding.join(", "));
            }
            seen.push(position.clone());
            position.play(best.mv);
            played.extend(holding);
        }
    }
}

fn winner(verdict: Verdict) -> Winner {
    match verdict {
        Verdict::WhiteWins => Winner::W,
        Verdict::BlackWins => Winner::B,
        Verdict::Draw => Winner::Draw,
    }
}

fn winner_name(verdict: Verdict, sides: &[String; 2]) -> &str {
    match verdict {
        Verdict::WhiteWins => &sides[0],
        Verdict::BlackWins => &sides[1],
        Verdict::Draw => "nobody",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::ability::Game;
    use jewel_engine::chesslike::{ChessGame, Leapers};
    use jewel_solver::control::{Control, Limits};
    use jewel_solver::graph::Graph;
    use jewel_solver::solution::Solution;

    fn check(file: &str) -> Vec<Checked> {
        let game = ChessGame::<Leapers, 4>::new(games::find("duel").unwrap().rules()).unwrap();
        let solution: Solution<_, u64> = Control::with_limits(Limits::default(), |control| {
            let mut graph = Graph::new(game.start());
            graph.enumerate(control)?;
            graph.solve(control)
        })
        .unwrap();
        toml::from_str::<Claims>(file).unwrap().check(&solution, &game.start())
    }

    #[test]
    fn every_file_is_understood_and_about_a_game() {
        for file in FILES {
            let claims: Claims = toml::from_str(file).unwrap();
            let rules = games::find(&claims.game).unwrap().rules().fingerprint;
            assert_eq!(about(rules).unwrap().unwrap().game, claims.game);
        }
        assert!(about(games::find("ambush").unwrap().rules().fingerprint).unwrap().is_none());
    }

    #[test]
    fn the_claims_about_duel_hold() {
        let checked = check(FILES[0]);
        assert_eq!(checked.len(), 5);
        assert!(checked.iter().all(|claim| claim.confirmed), "{checked:#?}");
    }

    #[test]
    fn false_claims_are_refuted_with_what_is_true() {
        for (claim, found) in [
            ("result = 'w'", "a draw"),
            ("after = 'c1b1 a3c3 b1b2'\nresult = 'draw'", "Red wins in 1 ply"),
            ("after = 'c1b1 a3a2 b1b2 a2b2'\nresult = 'w'", "Green has won"),
            ("moves = { draw = ['c1b1'], b = ['c1a1', 'c1c3'] }", "c1b1 draw, c1c2 draw, c1a1 loss in 2"),
            ("moves = { draw = ['c1b1', 'c1c2', 'c1a1'], b = ['c1c3'] }", "c1b1 draw, c1c2 draw"),
            ("only = ['c1b1']", "c1b1, c1c2 held"),
            ("after = 'c1c2'\nonly = ['a3a2']", "a3b3 held"),
            ("after = 'c1c2'\nonly = ['a3b3', 'c2c1']", "c2a2 held after a3b3"),
            ("after = 'c1b1 a3a2 b1b2 a2b2'\nrepeats = true", "the game is over"),
            ("after = 'c1c9'\nresult = 'w'", "c1c9 cannot be played"),
            ("", "says nothing"),
        ] {
            let file = format!("game = 'duel'\nsource = 'test'\n[[claim]]\ntext = 'x'\n{claim}\n");
            let checked = check(&file);
            assert!(!checked[0].confirmed && checked[0].found.contains(found), "{claim}: {checked:?}");
        }
    }
}
