//! Perft in several forms for the benchmarks, which differ only in how moves get from the rules to the caller.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use arrayvec::ArrayVec;
use jewel_engine::perft::perft;
use jewel_engine::position::Position;
use std::ops::ControlFlow;

/// More moves than any position of the benchmarked games has.
const MAX_MOVES: usize = 256;

/// Perft that collects each position's moves into a buffer on the stack before it plays them; the last ply
/// is counted in bulk, as in [`perft`].
pub fn perft_buffered<P: Position>(position: &P, depth: u32) -> u64 {
    if depth <= 1 {
        return perft(position, depth);
    }
    let mut buffer: ArrayVec<P::Move, MAX_MOVES> = ArrayVec::new();
    let _: ControlFlow<()> = position.moves_inlined(|mv| {
        buffer.push(mv);
        ControlFlow::Continue(())
    });
    buffer.iter().map(|&mv| perft_buffered(&position.after(mv), depth - 1)).sum()
}

/// Perft that visits every move of the last ply too, without bulk counting.
pub fn perft_visited<P: Position>(position: &P, depth: u32) -> u64 {
    let mut nodes = 0;
    let _: ControlFlow<()> = position.moves_inlined(|mv| {
        nodes += if depth <= 1 { 1 } else { perft_visited(&position.after(mv), depth - 1) };
        ControlFlow::Continue(())
    });
    nodes
}
