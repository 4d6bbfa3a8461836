//! The laws of [`Tactics`](crate::tactics::Tactics) and [`Pieces`], checked against slow definitions.

use super::law;
use crate::bitboard::{Bitboard, Square};
use crate::position::list_moves;
use crate::tactics::{PieceValues, Pieces, Tactics};
use crate::value::{Outcome, Side};
use crate::variant::{Captures, Objective, Rules};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// Checks one position against the laws of tactics and of its pieces, with these values in exchanges.
///
/// # Errors
/// The law that is broken.
pub fn check_tactics<P: Pieces>(position: &P, values: &PieceValues) -> Result<(), String> {
    check_stages_and_codes(position)?;
    check_passing(position)?;
    if position.decided().is_some() {
        return Ok(());
    }
    let moves = list_moves(position);
    check_attacks(position)?;
    check_dropped_checks(position, &moves)?;
    let mut values = *values;
    if let Some(royal) = position.rules().royal {
        values[royal as usize] = 30_000;
    }
    for &mv in &moves {
        check_changes(position, mv)?;
        check_exchange(position, mv, &values)?;
    }
    Ok(())
}

/// Checks one position against the laws of tactics that ask nothing of pieces and values.
///
/// # Errors
/// The law that is broken.
pub fn check_stages_and_codes<P: Tactics>(position: &P) -> Result<(), String> {
    let moves = list_moves(position);
    if position.decided().is_some() {
        return law(moves.is_empty(), "a decided position has no moves");
    }
    let drawn = position.outcome() == Some(Outcome::Draw);
    if !moves.is_empty() {
        law(position.adjudicated() == drawn, "an open position is adjudicated exactly if it is drawn")?;
    }
    if P::ALTERNATES {
        let us = position.side_to_move();
        let passes = |mv: &P::Move| position.after(*mv).side_to_move() != us;
        law(moves.iter().all(passes), "where turns alternate every move passes the turn")?;
    }
    check_stages(position, &moves)?;
    check_pass(position)?;
    moves.iter().try_for_each(|&mv| check_code(position, mv, &moves))
}

/// Noisy and quiet moves together are the moves, but for those that lose at once.
fn check_stages<P: Tactics>(position: &P, moves: &[P::Move]) -> Result<(), String> {
    let (mut noisy, mut quiet) = (Vec::new(), Vec::new());
    let _: ControlFlow<()> = position.noisy_moves(|mv| {
        noisy.push(mv);
        ControlFlow::Continue(())
    });
    let _: ControlFlow<()> = position.quiet_moves(|mv| {
        quiet.push(mv);
        ControlFlow::Continue(())
    });
    law(noisy.iter().all(|&mv| position.is_noisy(mv)), "noisy moves are noisy")?;
    law(!quiet.iter().any(|&mv| position.is_noisy(mv)), "quiet moves are not")?;
    let staged: HashSet<_> = noisy.iter().chain(&quiet).copied().collect();
    law(staged.len() == noisy.len() + quiet.len(), "each move is visited in one stage, once")?;
    law(staged.iter().all(|mv| moves.contains(mv)), "staged moves are legal")?;
    for mv in moves.iter().filter(|mv| !staged.contains(mv)) {
        // The opponent has won, or wins by its next move.
        let next = position.after(*mv);
        let wins = |reply: &P::Move| next.after(*reply).decided() == Some(Outcome::Loss);
        let lost = next.decided() == Some(Outcome::Win) || list_moves(&next).iter().any(wins);
        law(position.threatened() && lost, "only moves that lose to a threat are left out")?;
    }
    Ok(())
}

fn check_pass<P: Tactics>(position: &P) -> Result<(), String> {
    let quiet = position.quiet_moves(|_| ControlFlow::Break(())).is_break();
    law(!(position.is_compelled() && quiet), "a compelled position has no quiet moves")?;
    let Some(passed) = position.pass() else { return Ok(()) };
    law(!position.threatened(), "no pass under a threat")?;
    law(passed.zobrist_hash() == passed.recomputed_hash(), "hash equals recomputed hash after a pass")?;
    law(passed.side_to_move() != position.side_to_move(), "a pass gives the turn away")?;
    law(passed.decided() != Some(Outcome::Win), "without a threat a pass does not lose at once")
}

/// Checks one position of a game in which a turn can be passed wherever there is no threat.
///
/// # Errors
/// The law that is broken.
pub fn check_passing<P: Tactics>(position: &P) -> Result<(), String> {
    let possible = position.pass().is_some();
    law(
        position.decided().is_some() || possible != position.threatened(),
        "passing is possible exactly without a threat",
    )
}

/// A code names its move, and altered codes are legal exactly if they name a legal move.
fn check_code<P: Tactics>(position: &P, mv: P::Move, moves: &[P::Move]) -> Result<(), String> {
    let code = P::encode(mv);
    law(code != 0 && position.decode(code) == Some(mv), "a move has a code other than 0")?;
    law(P::kind(mv) < P::KINDS && P::from(mv) < 64 && P::to(mv) < 64, "a move has its place in histories")?;
    law(position.is_legal(mv), "a legal move is legal")?;
    let hash = position.after(mv).zobrist_hash();
    law(position.hash_after(mv).is_none_or(|told| told == hash), "hash_after tells the hash after a move")?;
    for bit in 0..32 {
        let Some(other) = position.decode(code ^ 1 << bit) else { continue };
        law(position.is_legal(other) == moves.contains(&other), "is_legal refuses moves that are not legal")?;
    }
    Ok(())
}

fn placement<P: Pieces>(position: &P) -> HashSet<(u8, Side, Square)> {
    let mut set = HashSet::new();
    for side in Side::BOTH {
        for kind in 0..position.rules().type_count() as u8 {
            set.extend(position.pieces_of_kind(side, kind).into_iter().map(|square| (kind, side, square)));
        }
    }
    set
}

/// What each side has in hand, by type.
fn held<P: Pieces>(position: &P) -> [Vec<u8>; 2] {
    let kinds = position.rules().type_count() as u8;
    Side::BOTH.map(|side| (0..kinds).map(|kind| position.in_hand(side, kind)).collect())
}

fn check_changes<P: Pieces>(position: &P, mv: P::Move) -> Result<(), String> {
    let mut pieces = placement(position);
    let mut sound = true;
    // What leaves comes first, so that a piece may come to where another was.
    for arriving in [false, true] {
        position.changes(mv, |kind, side, square, arrives| {
            if arrives == arriving {
                let piece = (kind, side, square);
                sound &= if arrives { pieces.insert(piece) } else { pieces.remove(&piece) };
            }
        });
    }
    let next = position.after(mv);
    law(sound && pieces == placement(&next), "the changes of a move lead to what is after it")?;
    let mut hands = held(position);
    position.hand_changes(mv, |kind, side, others, arrives| {
        let count = &mut hands[side.index()][kind as usize];
        let (from, to) = if arrives { (others, others + 1) } else { (others + 1, others) };
        sound &= *count == from;
        *count = to;
    });
    law(sound && hands == held(&next), "the changes of hands lead to what is in hand after a move")?;
    let before: u32 = Side::BOTH.map(|side| position.pieces_of(side).count()).iter().sum();
    let after: u32 = Side::BOTH.map(|side| next.pieces_of(side).count()).iter().sum();
    law(position.victim(mv).is_some() == (after < before), "a move has a victim exactly if it captures")
}

/// Drops with check are quiet moves that threaten and, where only checks threaten, all drops that do.
fn check_dropped_checks<P: Pieces>(position: &P, moves: &[P::Move]) -> Result<(), String> {
    let mut checks = HashSet::new();
    let mut twice = false;
    let _: ControlFlow<()> = position.dropped_checks(|mv| {
        twice |= !checks.insert(mv);
        ControlFlow::Continue(())
    });
    law(!twice, "each drop with check is visited once")?;
    for &mv in moves {
        let mut drop = true;
        position.changes(mv, |_, _, _, arrives| drop &= arrives);
        let threatens = position.after(mv).threatened();
        if checks.remove(&mv) {
            law(
                drop && threatens && !position.is_noisy(mv),
                "a drop with check is a quiet drop that threatens",
            )?;
        } else if position.rules().key.is_none() {
            law(!drop || !threatens, "all drops with check are visited")?;
        }
    }
    law(checks.is_empty(), "drops with check are legal")
}

fn occupied<P: Pieces>(position: &P) -> Bitboard {
    position.pieces_of(Side::White) | position.pieces_of(Side::Black)
}

/// The attackers of a square, found by looking from each piece.
fn slow_attackers<P: Pieces>(position: &P, square: Square, occupied: Bitboard) -> Bitboard {
    let attacks = |(kind, side, from): &(u8, Side, Square)| {
        occupied.has(*from) && position.rules().capture_targets(*kind, *side, *from, occupied).has(square)
    };
    placement(position).into_iter().filter(attacks).map(|(_, _, from)| from).collect()
}

fn check_attacks<P: Pieces>(position: &P) -> Result<(), String> {
    let occupied = occupied(position);
    for square in position.rules().geometry.squares() {
        // With everybody, and with every other piece gone.
        for present in [occupied, occupied & Bitboard(0x5a5a_a5a5_5aa5_a55a)] {
            let slow = slow_attackers(position, square, present);
            law(position.attackers(square, present) == slow, "attackers are those who attack")?;
            let lines = position.line_attackers(square, present);
            law((lines & !slow).is_empty(), "attackers along lines are attackers")?;
            // Those who attack whatever stands in between do so on a full board.
            let always = slow_attackers(position, square, position.rules().geometry.all());
            law((slow & !lines & !always).is_empty(), "other attackers depend on nothing in between")?;
        }
    }
    let mut steppers = [Bitboard::EMPTY; 2];
    for (kind, side, from) in placement(position) {
        let attacks = position.rules().capture_targets(kind, side, from, occupied);
        law(position.attacks(kind, side, from) == attacks, "attacks are where a piece could capture")?;
        if position.rules().is_stepper(kind) {
            steppers[side.index()] |= attacks;
        }
    }
    law(Side::BOTH.map(|side| position.stepper_attacks(side)) == steppers, "steppers attack together")
}

/// The cheapest attacker of a side: the lowest type among equals, and of it the lowest square.
fn cheapest<P: Pieces>(
    position: &P,
    side: Side,
    square: Square,
    occupied: Bitboard,
    values: &PieceValues,
) -> Option<(u8, Square)> {
    let attackers = slow_attackers(position, square, occupied) & position.pieces_of(side) & !square.bit();
    let kinds = 0..position.rules().type_count() as u8;
    let present = kinds.filter(|&kind| (attackers & position.pieces_of_kind(side, kind)).any());
    let kind = present.min_by_key(|&kind| stake(position.rules(), kind, values))?;
    Some((kind, (attackers & position.pieces_of_kind(side, kind)).first()))
}

/// What a capture of a piece gains: its worth, and what it is worth in the captor's hand if it goes there.
fn stake(rules: &Rules, kind: u8, values: &PieceValues) -> i32 {
    let kept = rules.hand.filter(|hand| hand.captures == Captures::Captor).and_then(|_| rules.in_hand(kind));
    values[kind as usize] + kept.map_or(0, |held| values[held as usize])
}

/// What a side gains at most by capturing on a square a piece of this worth.
fn slow_gain<P: Pieces>(
    position: &P,
    side: Side,
    square: Square,
    occupied: Bitboard,
    standing: i32,
    values: &PieceValues,
) -> i32 {
    let Some((kind, from)) = cheapest(position, side, square, occupied, values) else { return 0 };
    let left = occupied & !from.bit();
    let answered = (slow_attackers(position, square, left) & position.pieces_of(!side) & !square.bit()).any();
    if position.rules().royal == Some(kind) && answered {
        return 0;
    }
    let stake = stake(position.rules(), kind, values);
    (standing - slow_gain(position, !side, square, left, stake, values)).max(0)
}

/// Whether the mover stays last on a key that is won by staying; `None` if that is not the matter.
fn slow_stay<P: Pieces>(
    position: &P,
    kind: u8,
    square: Square,
    mut occupied: Bitboard,
    values: &PieceValues,
) -> Option<bool> {
    let us = position.side_to_move();
    let key = position.rules().key.as_ref()?;
    let holds = |kind: u8, side: Side| {
        key.objective == Objective::Hold
            && key.eligible >> kind & 1 != 0
            && key.squares[side.index()].has(square)
    };
    let (mut kind, mut side) = (kind, us);
    while holds(kind, side) {
        let Some(next) = cheapest(position, !side, square, occupied, values) else { return Some(side == us) };
        occupied &= !next.1.bit();
        (kind, side) = (next.0, !side);
    }
    None
}

fn check_exchange<P: Pieces>(position: &P, mv: P::Move, values: &PieceValues) -> Result<(), String> {
    let [none, loss] = [0, -100].map(|least| position.exchange_at_least(mv, least, values));
    law(loss || !none, "an exchange that loses nothing loses no more than something")?;
    let us = position.side_to_move();
    let (mut gain, mut standing, mut own, mut dropped) = (0, None, 0, true);
    let after = occupied(&position.after(mv));
    position.changes(mv, |kind, side, square, arrives| {
        if side != us {
            gain += stake(position.rules(), kind, values);
        } else if arrives {
            own += 1;
            standing = Some((kind, square));
            gain += values[kind as usize];
        } else {
            gain -= values[kind as usize];
            dropped = false;
        }
    });
    let Some((kind, square)) = standing else { return law(false, "a move puts a piece somewhere") };
    // Castling moves two pieces and captures nothing.
    let worth = if own > 1 {
        0
    } else if let Some(stays) = slow_stay(position, kind, square, after, values) {
        let told = position.exchange_at_least(mv, 0, values);
        return law(told == stays, "an exchange on the key tells who stays last");
    } else {
        // What is dropped was worth as much in the hand.
        let gain = if dropped { 0 } else { gain };
        gain - slow_gain(position, !us, square, after, stake(position.rules(), kind, values), values)
    };
    law(
        position.exchange_at_least(mv, worth, values) && !position.exchange_at_least(mv, worth + 1, values),
        "an exchange is worth what captures by the cheapest are worth",
    )
}
