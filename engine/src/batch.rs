//! Moves passed on in batches. A generator that pushes them into a [`Batch`] need not know who visits them, so that one
//! compiled copy of it does for all visitors.

use std::ops::ControlFlow::{self, Break, Continue};

/// Few positions have as many moves as this, so that most are handed on at once.
const SIZE: usize = 64;

/// Receives moves, some at a time, until it breaks.
pub(crate) type Receiver<'r, M> = dyn FnMut(&[M]) -> ControlFlow<()> + 'r;

/// Moves that have not been handed on yet.
pub(crate) struct Batch<'b, 'r, M> {
    moves: [M; SIZE],
    /// Below the size but for a moment.
    count: usize,
    receiver: &'b mut Receiver<'r, M>,
}

impl<'b, 'r, M: Copy> Batch<'b, 'r, M> {
    /// An empty batch; `filler` occupies the places without a move.
    #[inline(always)]
    pub(crate) fn new(filler: M, receiver: &'b mut Receiver<'r, M>) -> Self {
        Batch { moves: [filler; SIZE], count: 0, receiver }
    }

    /// Takes a move, and breaks where the receiver has.
    #[inline(always)]
    pub(crate) fn push(&mut self, mv: M) -> ControlFlow<()> {
        self.moves[self.count % SIZE] = mv;
        self.count += 1;
        if self.count < SIZE { Continue(()) } else { self.empty() }
    }

    #[cold]
    fn empty(&mut self) -> ControlFlow<()> {
        self.count = 0;
        (self.receiver)(&self.moves)
    }

    /// Hands on what is left, once all moves have been pushed.
    #[inline(always)]
    pub(crate) fn finish(self) -> ControlFlow<()> {
        if self.count == 0 { Continue(()) } else { (self.receiver)(&self.moves[..self.count]) }
    }
}

/// Calls `visit` with each move that `generate` hands on, until it breaks.
#[inline(always)]
pub(crate) fn visit_each<M: Copy, B>(
    generate: impl FnOnce(&mut Receiver<'_, M>) -> ControlFlow<()>,
    mut visit: impl FnMut(M) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut flow = Continue(());
    let _ = generate(&mut |moves| {
        for &mv in moves {
            if let Break(found) = visit(mv) {
                flow = Break(found);
                return Break(());
            }
        }
        Continue(())
    });
    flow
}
