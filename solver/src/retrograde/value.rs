//! One byte a position while it is being solved: bigger is better for the side to move.
//!
//! `1 + k` lost in `k` plies, `128` drawn, `255 - k` won in `k` plies; `k` is at most [`MAX_DISTANCE`].

use jewel_engine::value::{Outcome, Value};

/// A draw, or nothing known yet.
pub(crate) const DRAW: u8 = 128;
/// The longest distance, in plies, that a byte holds.
pub(crate) const MAX_DISTANCE: u32 = 126;

/// Won in `k` plies.
pub(crate) const fn win(k: u8) -> u8 {
    255 - k
}

/// Lost in `k` plies.
pub(crate) const fn loss(k: u8) -> u8 {
    1 + k
}

/// The value before a move of the opponent of whom `v` is the value, for the mover: one ply further from the end.
/// Values that would be too far away are draws, that is unknown.
#[inline]
pub(crate) const fn back(v: u8) -> u8 {
    if v < DRAW {
        255 - v
    } else if v == DRAW {
        DRAW
    } else {
        1u8.wrapping_sub(v)
    }
}

/// What a byte means.
pub(crate) const fn decode(v: u8) -> Value {
    match v {
        DRAW => Value::Draw,
        v if v > DRAW => Value::Win(255 - v as u32),
        v => Value::Loss(v.saturating_sub(1) as u32),
    }
}

/// The byte of a game that is over.
pub(crate) const fn over(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Win => win(0),
        Outcome::Draw => DRAW,
        Outcome::Loss => loss(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ply_back_is_a_ply_further() {
        assert_eq!(decode(back(DRAW)), Value::Draw);
        for k in 0..MAX_DISTANCE as u8 {
            assert_eq!(decode(back(loss(k))), Value::Win(u32::from(k) + 1));
            assert_eq!(decode(back(win(k))), Value::Loss(u32::from(k) + 1));
        }
    }
}
