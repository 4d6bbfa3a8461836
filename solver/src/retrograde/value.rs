//! One byte a position while it is being solved: bigger is better for the side to move.
//!
//! `1 + k` lost in `k` plies, `128` drawn, `255 - k` won in `k` plies; `k` is at most [`MAX_DISTANCE`].
//!
//! Longer games are solved window by window. In window `w` of length `span`, `k` is the distance less `w * span`, and 0 for
//! what was decided in an earlier window, which stays as it is. At the end of a window what is further away than `span` is
//! forgotten: the next one finds it again. What a window leaves is a *plane*.

use jewel_engine::value::{Outcome, Value};

/// A draw, or nothing known yet.
pub(crate) const DRAW: u8 = 128;
/// The longest distance, in plies, that a byte holds.
pub(crate) const MAX_DISTANCE: u32 = 126;

/// The length of a window that is usual, in plies.
pub(crate) const SPAN: u8 = MAX_DISTANCE as u8 - 1;

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

/// What is left of a value at the end of a window: nothing if it is further away than `span`.
#[inline]
pub(crate) const fn within(v: u8, span: u8) -> u8 {
    match plies(v) {
        Some(k) if k > span => DRAW,
        _ => v,
    }
}

/// A value of a plane as a later window sees it: decided before.
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

/// A value so many plies further from the end.
pub(crate) const fn later(value: Value, plies: u32) -> Value {
    match value {
        Value::Draw => Value::Draw,
        Value::Win(n) => Value::Win(n + plies),
        Value::Loss(n) => Value::Loss(n + plies),
    }
}

/// A value as a window sees it that begins `before` plies from the end; a draw if it is further away than a byte can tell.
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
