//! Claims about the values of games: data, and their check against the solved game.
//!
//! `results/claims.toml` has them and explains its keys. `jewel claims` solves and checks all of them; `jewel solve` checks
//! those about a game of the program that it solves from the start.

mod subject;

pub use subject::{Subject, subjects};

use crate::text::grouped;
use crate::values::Values;
use anyhow::{Result, anyhow, bail};
use jewel_engine::ability::Notation;
use jewel_engine::value::Verdict;
use jewel_players::support::layout::folded;
use jewel_solver::dense::{self, Reached};
use jewel_solver::solution::{Counts, ValuedMove};
use serde::{Deserialize, Serialize};

/// One claim about a position: in words, and in fields that can be checked.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    text: String,
    #[serde(default)]
    after: String,
    result: Option<Winner>,
    plies: Option<u32>,
    positions: Option<u64>,
    counts: Option<[u64; 3]>,
    not_over: Option<u64>,
    #[serde(default)]
    at_once: bool,
    longest: Option<u32>,
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
#[derive(Deserialize, Clone, PartialEq, Eq, Debug, Default)]
#[serde(deny_unknown_fields, default)]
struct Sorted {
    w: Vec<String>,
    draw: Vec<String>,
    b: Vec<String>,
}

/// A claim compared with the solved game.
#[derive(Serialize, Debug)]
pub struct Checked {
    /// The claim.
    pub text: String,
    /// Whether it holds.
    pub confirmed: bool,
    /// What was found.
    pub found: String,
}

/// What is published about a solved game, compared with it.
#[derive(Serialize, Default, Debug)]
pub struct Published {
    /// Where it was published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How the source counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convention: Option<String>,
    /// The claims of the source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Checked>,
}

impl Published {
    /// Checks the claims of a subject, if there is one, against a game solved from `start`. Without totals, those about numbers
    /// of positions and the longest win are left out.
    #[inline(never)]
    pub fn check<P: Notation>(
        subject: Option<Subject>,
        values: &dyn Values<P>,
        start: &P,
        totals: Option<Totals>,
    ) -> Published {
        let Some(Subject { source, convention, mut claims, .. }) = subject else {
            return Published::default();
        };
        claims.retain(|claim| totals.is_some() || !claim.is_about_totals());
        Published { source, convention, claims: check(&claims, values, start, totals) }
    }

    /// Whether no claim is refuted.
    pub fn agrees(&self) -> bool {
        self.claims.iter().all(|claim| claim.confirmed)
    }

    /// The claims with what was found, in words, after an empty line; nothing where there is none.
    pub fn text(&self) -> String {
        let Some(source) = self.source.as_ref().filter(|_| !self.claims.is_empty()) else {
            return String::new();
        };
        let convention = self.convention.as_ref().map_or(String::new(), |convention| {
            format!("  {}\n", folded(&format!("Counted there: {convention}."), 2))
        });
        let title = folded(&format!("Claims of the source ({source}):"), 0);
        format!("\n{title}\n{convention}{}", lines(&self.claims))
    }
}

impl Claim {
    /// Whether it takes more than values of positions to check it.
    fn is_about_totals(&self) -> bool {
        let Claim { positions, counts, not_over, longest, .. } = self;
        positions.is_some() || counts.is_some() || not_over.is_some() || longest.is_some()
    }
}

/// What was solved, in numbers.
#[derive(Clone, Copy, Debug)]
pub struct Totals {
    /// The positions.
    pub all: Counted,
    /// Those that can be reached if a royal piece is captured as soon as it can be, where they were counted.
    pub at_once: Option<Counted>,
    /// Plies of the longest win.
    pub longest: Option<u32>,
}

/// Positions by their values.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// Positions that are won, drawn and lost for the side to move.
    pub counts: [u64; 3],
    /// Of these, those in which the game goes on, where they were counted.
    pub not_over: Option<u64>,
}

impl Totals {
    /// Those without more than counts of wins, draws and losses, and the longest win.
    pub fn new(counts: [u64; 3], longest: Option<u32>) -> Totals {
        Totals { all: Counted { counts, not_over: None }, at_once: None, longest }
    }

    /// Those of a solved graph.
    pub fn from_counts(counts: &Counts) -> Totals {
        Totals::new([counts.wins, counts.draws, counts.losses], counts.longest_win)
    }

    /// Those of the one table of a game with pieces in hand, from the positions that were reached.
    pub fn from_dense(reached: &Reached, longest: Option<u32>) -> Totals {
        let counts = |counts: &dense::Counts| [counts.wins, counts.draws, counts.losses];
        let [all, _] = &reached.every;
        // Where a royal piece can be captured it is, so that such a position counts as over.
        let at_once =
            |[all, _]: &[dense::Counts; 2]| Counted { counts: counts(all), not_over: Some(all.quiet) };
        Totals {
            all: Counted { counts: counts(all), not_over: Some(all.open) },
            at_once: reached.at_once.as_ref().map(at_once),
            longest,
        }
    }

    /// Checks what a claim says about them: what was found, in words, or that as an error.
    fn check(self, claim: &Claim, found: &mut Vec<String>) -> Result<()> {
        let Totals { all, at_once, longest } = self;
        let Counted { counts, not_over } = match (claim.at_once, at_once) {
            (false, _) => all,
            (true, Some(at_once)) => at_once,
            (true, None) => {
                bail!(
                    "not counted: only games with pieces in hand and a royal piece that is captured have this count"
                )
            }
        };
        let mut compare = |holds: bool, text: String| {
            if !holds {
                bail!(text);
            }
            found.push(text);
            Ok(())
        };
        if let Some(claimed) = claim.positions {
            let positions: u64 = counts.iter().sum();
            compare(positions == claimed, format!("{} positions", grouped(positions)))?;
        }
        if let Some(claimed) = claim.counts {
            let [wins, draws, losses] = counts.map(grouped);
            compare(counts == claimed, format!("{wins} won, {draws} drawn, {losses} lost"))?;
        }
        if let Some(claimed) = claim.not_over {
            let text =
                not_over.map_or("not counted".to_string(), |open| format!("{} not over", grouped(open)));
            compare(not_over == Some(claimed), text)?;
        }
        if let Some(claimed) = claim.longest {
            let text = longest.map_or("no win".to_string(), |plies| format!("longest win {plies} plies"));
            compare(longest == Some(claimed), text)?;
        }
        Ok(())
    }
}

/// Claims with what was found, in words.
pub fn lines(checked: &[Checked]) -> String {
    let mut text = String::new();
    for Checked { text: claim, confirmed, found } in checked {
        let verdict = if *confirmed { "confirmed" } else { "REFUTED  " };
        let (claim, found) = (folded(claim, 13), folded(&format!("found: {found}"), 13));
        text.push_str(&format!("  {verdict}  {claim}\n             {found}\n"));
    }
    text
}

/// Checks each claim against a game solved from `start`.
#[inline(never)]
fn check<P: Notation>(
    claims: &[Claim],
    values: &dyn Values<P>,
    start: &P,
    totals: Option<Totals>,
) -> Vec<Checked> {
    let facts = Facts { values, start, totals };
    claims.iter().map(|claim| checked(claim, facts.check(claim))).collect()
}

/// Checks each claim against totals alone.
pub fn check_totals(claims: &[Claim], totals: Totals) -> Vec<Checked> {
    let check = |claim: &Claim| {
        let mut found = Vec::new();
        totals.check(claim, &mut found).map(|()| found)
    };
    claims.iter().map(|claim| checked(claim, check(claim))).collect()
}

/// A claim with what was found: words, or an error if it is not what was claimed.
fn checked(claim: &Claim, found: Result<Vec<String>>) -> Checked {
    let text = claim.text.clone();
    match found {
        Ok(found) if found.is_empty() => Checked {
            text,
            confirmed: false,
            found: "the claim says nothing that could be checked".to_string(),
        },
        Ok(found) => Checked { text, confirmed: true, found: found.join("; ") },
        Err(error) => Checked { text, confirmed: false, found: error.to_string() },
    }
}

/// The solved game.
struct Facts<'a, P> {
    values: &'a dyn Values<P>,
    start: &'a P,
    totals: Option<Totals>,
}

impl<P: Notation> Facts<'_, P> {
    /// What was found, in words; an error if it is not what was claimed.
    fn check(&self, claim: &Claim) -> Result<Vec<String>> {
        let position = self.play(&claim.after)?;
        let mut found = Vec::new();
        if claim.result.is_some() || claim.plies.is_some() {
            found.push(self.result(&position, claim)?);
        }
        if let Some(totals) = self.totals {
            totals.check(claim, &mut found)?;
        }
        if let Some(moves) = &claim.moves {
            found.push(self.moves(&position, moves)?);
        }
        if claim.only.is_some() || claim.repeats {
            found.push(self.only(position, claim.only.as_deref().unwrap_or_default(), claim.repeats)?);
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

    fn result(&self, position: &P, claim: &Claim) -> Result<String> {
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
        let right = claim.result.is_none_or(|claimed| winner(value.absolute(side).verdict) == claimed);
        let in_time = claim.plies.is_none_or(|plies| value.distance() == Some(plies));
        if right && in_time { Ok(found) } else { Err(anyhow!(found)) }
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
    use jewel_engine::chesslike::{AnyChessLike, ChessGame, Leapers};
    use jewel_engine::games;
    use jewel_solver::control::{Control, Limits};
    use jewel_solver::graph::Graph;
    use jewel_solver::solution::Solution;

    fn check(claims: &[Claim]) -> Vec<Checked> {
        let game = ChessGame::<Leapers, 4>::new(games::find("duel").unwrap().rules()).unwrap();
        let solution: Solution<_> = Control::with_limits(Limits::default(), |control| {
            let mut graph = Graph::new(game.start()).unwrap();
            graph.enumerate(control)?;
            graph.solve(control)
        })
        .unwrap();
        super::check(claims, &solution, &game.start(), Some(Totals::from_counts(&solution.counts())))
    }

    #[test]
    fn the_claims_about_duel_hold() {
        let duel = games::find("duel").unwrap().rules();
        let start = |text: &str| AnyChessLike::from_fen(duel, text).unwrap();
        let about = |fingerprint, text| Subject::about(fingerprint, &start(text)).unwrap();
        let checked = check(&about(duel.fingerprint, &duel.start).unwrap().claims);
        assert_eq!(checked.len(), 5);
        assert!(checked.iter().all(|claim| claim.confirmed), "{checked:#?}");
        assert!(about(duel.fingerprint, "1l1/3/2L w - - 0 1").is_none(), "it starts elsewhere");
        assert!(about(duel.fingerprint + 1, &duel.start).is_none(), "it has other rules");
    }

    #[test]
    fn false_claims_are_refuted_with_what_is_true() {
        for (claim, found) in [
            ("result = 'w'", "a draw"),
            ("after = 'c1b1 a3c3 b1b2'\nresult = 'w'\nplies = 3", "Red wins in 1 ply"),
            ("result = 'draw'\npositions = 161", "162 positions"),
            ("counts = [96, 41, 25]", "96 won, 40 drawn, 26 lost"),
            ("longest = 3", "longest win 2 plies"),
            ("not_over = 3", "not counted"),
            ("at_once = true\npositions = 162", "not counted"),
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
            let claim: Claim = toml::from_str(&format!("text = 'x'\n{claim}\n")).unwrap();
            let checked = check(&[claim]);
            assert!(!checked[0].confirmed && checked[0].found.contains(found), "{checked:?}");
        }
    }
}
