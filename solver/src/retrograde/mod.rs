//! Retrograde analysis of material classes, by blocks of bytes in place.
//!
//! Reading order: [`pieces`] and [`game`] (the rules as plain data, with [`kind`]), [`symmetry`], [`class`] and [`classes`], [`layout`] (where each position
//! is stored), [`value`] (the bytes), [`solved`] (finished classes), [`child`], [`captures`], [`promotions`] and [`bounds`]
//! (what a position is worth whatever its quiet moves lead to), [`moves`], [`double_steps`], [`visit`] (one block), [`sweep`]
//! (all blocks until nothing changes), [`simd`] (the vector operations). `docs/solver.md` has the method and its figures.

#![allow(clippy::needless_range_loop, reason = "squares, sides and types index several tables at once")]

pub(crate) mod bounds;
pub(crate) mod bytes;
pub(crate) mod captures;
pub(crate) mod child;
pub(crate) mod class;
pub(crate) mod classes;
pub(crate) mod double_steps;
pub(crate) mod game;
pub(crate) mod kind;
pub(crate) mod layout;
pub(crate) mod moves;
pub(crate) mod permutation;
pub(crate) mod pieces;
pub(crate) mod promotions;
pub(crate) mod simd;
pub(crate) mod slice_state;
pub(crate) mod solved;
pub(crate) mod sweep;
pub(crate) mod symmetry;
pub(crate) mod value;
pub(crate) mod visit;
