//! The value of a position in one byte while its class is solved: a greater byte is better for the side to move.
//!
//! `1 + k` is lost in `k` plies, `128` drawn or not decided yet, `255 - k` won in `k` plies; `k` is at most [`MAX_DISTANCE`].
//!
//! Longer games are solved window by window. In window `w` of length `span`, `k` is the distance less `w * span`, and 0 for
//! what was decided in an earlier window, which stays as it is. At the end of a window, wins and losses further away than
//! `span` are forgotten: the next window finds them again.
//!
//! A *lower bound* is what a position is worth whatever its quiet moves lead to: the value of its best capture or
//! promotion, [`NOTHING`] if there is none, or [`LOST`] or [`DRAWN`] if the game is over. Cells that are not positions have
//! the bound 255: no move leads there.

use jewel_engine::value::{Outcome, Value};

/// A draw, or nothing known yet.
pub(crate) const DRAW: u8 = 128;
/// The longest distance, in plies, that a byte holds.
pub(crate) const MAX_DISTANCE: u32 = 126;

/// The usual length of a window, in plies.
pub(crate) const SPAN: u8 = MAX_DISTANCE as u8 - 1;

/// The value of a position in which the side to move could capture the royal piece, which no game leads to: the best there
/// is, so that no move of the opponent leads there.
pub(crate) const ILLEGAL: u8 = win(0);

/// As a lower bound: the game is over, and lost for the side to move.
pub(crate) const LOST: u8 = 0;
/// As a lower bound: the game is over, and drawn.
pub(crate) const DRAWN: u8 = 1;
/// As a lower bound: no capture helps. At worst the opponent wins with the next move.
pub(crate) const NOTHING: u8 = loss(1);

/// Won in `k` plies.
pub(crate) const fn win(k: u8) -> u8 {
    255 - k
}

/// Lost in `k` plies.
pub(crate) const fn loss(k: u8) -> u8 {
    1 + k
}

/// The value for the mover of a move after which the position is worth `v` to the opponent: one ply further from the end.
/// A value that would be too far away becomes a draw, that is unknown.
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

/// Plies of a decided value, less those of earlier windows; `None` for a draw.
#[inline]
pub(crate) const fn plies(v: u8) -> Option<u8> {
    if v == DRAW {
        None
    } else if v > DRAW {
        Some(255 - v)
    } else {
        Some(v.saturating_sub(1))
    }
}

/// A value at the end of a window: forgotten if it is further away than `span`.
#[inline]
pub(crate) const fn within(v: u8, span: u8) -> u8 {
    match plies(v) {
        Some(k) if k > span => DRAW,
        _ => v,
    }
}

/// A value of a finished window as a later one sees it: decided before.
#[inline]
pub(crate) const fn settled(v: u8) -> u8 {
    if v == DRAW {
        DRAW
    } else if v > DRAW {
        win(0)
    } else {
        loss(0)
    }
}

/// A value `plies` further from the end.
pub(crate) const fn later(value: Value, plies: u32) -> Value {
    match value {
        Value::Draw => Value::Draw,
        Value::Win(n) => Value::Win(n + plies),
        Value::Loss(n) => Value::Loss(n + plies),
    }
}

/// A value as seen from a window that begins `before` plies from the end; a draw if it is further away than a byte can tell.
pub(crate) const fn in_window(value: Value, before: u32) -> u8 {
    match value {
        Value::Draw => DRAW,
        Value::Win(n) | Value::Loss(n) => {
            let k = n.saturating_sub(before);
            if k > MAX_DISTANCE {
                return DRAW;
            }
            if matches!(value, Value::Win(_)) { win(k as u8) } else { loss(k as u8) }
        }
    }
}

/// The value that a byte stands for.
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

/// The lower bound of a position in which the game is over.
pub(crate) const fn bound_of(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Win => win(0),
        Outcome::Draw => DRAWN,
        Outcome::Loss => LOST,
    }
}

/// The value that a position with this lower bound begins with.
pub(crate) const fn first_value(bound: u8) -> u8 {
    match bound {
        LOST => loss(0),
        b if b < DRAW => DRAW,
        b => b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_keep_what_is_near_and_settle_what_was() {
        for k in 0..=MAX_DISTANCE {
            for value in [Value::Win(k), Value::Loss(k)] {
                let byte = in_window(value, 0);
                assert_eq!(decode(byte), value);
                assert_eq!(plies(byte), Some(k as u8));
                assert_eq!(within(byte, 6), if k <= 6 { byte } else { DRAW });
                assert_eq!(settled(byte), in_window(value, 1000));
                assert_eq!(in_window(value, k), settled(byte));
            }
        }
        assert_eq!(in_window(Value::Win(327), 200), DRAW);
        assert_eq!(decode(in_window(Value::Loss(326), 200)), Value::Loss(126));
        assert_eq!((within(DRAW, 0), settled(DRAW), in_window(Value::Draw, 9)), (DRAW, DRAW, DRAW));
    }

    #[test]
    fn a_ply_back_is_a_ply_further() {
        assert_eq!(decode(back(DRAW)), Value::Draw);
        for k in 0..MAX_DISTANCE as u8 {
            assert_eq!(decode(back(loss(k))), Value::Win(u32::from(k) + 1));
            assert_eq!(decode(back(win(k))), Value::Loss(u32::from(k) + 1));
        }
    }
}
