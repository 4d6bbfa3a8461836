//! Retrograde analysis of material classes, by blocks of bytes in place.
//!
//! Reading order: [`mechanics`] (the game as plain data), [`class`], [`layout`] (index and symmetry), [`solved`]
//! (finished values), [`child`], [`captures`], [`promotions`] and [`floor`] (what does not depend on the class itself),
//! [`moves`], [`en_passant`], [`visit`] (one block), [`sweep`] (all blocks until nothing changes), [`simd`] (the vector operations).
//! `docs/solver.md` has the method and its figures.

#![allow(clippy::needless_range_loop, reason = "squares, sides and kinds index several tables at once")]

pub(crate) mod bytes;
pub(crate) mod captures;
pub(crate) mod child;
pub(crate) mod class;
pub(crate) mod en_passant;
pub(crate) mod floor;
pub(crate) mod half;
pub(crate) mod layout;
pub(crate) mod mechanics;
pub(crate) mod moves;
pub(crate) mod permutation;
pub(crate) mod promotions;
pub(crate) mod simd;
pub(crate) mod solved;
pub(crate) mod sweep;
pub(crate) mod value;
pub(crate) mod visit;
