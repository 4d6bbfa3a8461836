//! The numbers of pruning and reduction, in plies and centipawns.

/// Reductions in 1/1024 ply, by depth and number of the move.
#[derive(Clone, Debug)]
pub(super) struct Reductions {
    logarithms: [i32; 256],
}

impl Reductions {
    pub(super) fn new() -> Reductions {
        // In 1/1024, rounded: the same on every machine that rounds logarithms alike to a thousandth.
        let logarithm = |n: usize| if n == 0 { 0 } else { ((n as f64).ln() * 1024.0 / 1.5).round() as i32 };
        Reductions { logarithms: std::array::from_fn(logarithm) }
    }

    /// For a quiet move: 0.6 and the product of two logarithms.
    #[inline(always)]
    pub(super) fn quiet(&self, depth: i32, number: usize) -> i32 {
        let log = |n: usize| self.logarithms[n.min(255)];
        600 + (log(depth as usize) * log(number)) / 1024
    }
}

/// Most depth at which futility and its kin are trusted.
pub(super) const SHALLOW: i32 = 8;

/// How far above the window a node must be to be left at this depth.
pub(super) const fn reverse_futility(depth: i32, improving: bool) -> i32 {
    75 * depth - if improving { 60 } else { 0 }
}

/// How far below the window a node must be to be given to quiescence at this depth.
pub(super) const fn razoring(depth: i32) -> i32 {
    220 + 220 * depth * depth
}

/// How far below the window a quiet move may be at this depth.
pub(super) const fn futility(depth: i32) -> i32 {
    100 + 85 * depth
}

/// Quiet moves that are tried at this depth.
pub(super) const fn late_moves(depth: i32, improving: bool) -> usize {
    let moves = 4 + depth * depth;
    (if improving { moves } else { moves / 2 + 1 }) as usize
}

/// What a move may lose in exchanges at this depth.
pub(super) const fn exchange(depth: i32, noisy: bool) -> i32 {
    if noisy { -90 * depth } else { -25 * depth * depth }
}

/// Plies that a pass is searched less deep.
pub(super) fn null_reduction(depth: i32, above: i32) -> i32 {
    3 + depth / 4 + (above / 150).min(3)
}

/// The depth from which null-move cutoffs are verified.
pub(super) const VERIFIED: i32 = 12;

/// The depth from which moves may be singular.
pub(super) const SINGULAR: i32 = 7;

/// The depth from which a node without a table move is searched less deep.
pub(super) const INTERNAL: i32 = 4;

/// How much a capture in quiescence may fall short of the window.
pub(super) const DELTA: i32 = 180;
