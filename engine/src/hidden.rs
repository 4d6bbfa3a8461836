//! Hidden information: games in which a player does not see the whole position.
//!
//! The *true state* is a [`Position`] like any other: perft counts it, an exact solver may walk it. A player is
//! never handed it. A player is handed an [`InformationState`], the view of one side, and whatever chooses
//! that player's moves takes this type and no other: to show it the true state by mistake does not compile.
//!
//! A searcher guesses: it draws [`worlds`](InformationState::world) that the view allows, plays in them, and
//! joins what it learns by what a player would have noticed ([`observation`](Hidden::observation)), as
//! information-set Monte Carlo tree search does (Cowling, Powley and Whitehouse 2012).

use crate::position::{Position, list_moves};
use crate::random::Random;
use crate::value::Side;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::ControlFlow;

/// A true state of a game in which players see different things.
///
/// # Laws
///
/// [`check_hidden`] tests them:
///
/// - The view of a side shows that side as its viewer, and the side to move.
/// - If the viewer is to move, the moves of the view are the moves of the true state.
/// - Worlds drawn from a view have that very view: nothing that the viewer knows is lost, and nothing more
///   is told.
/// - Two worlds of one view in which a move makes the same observation still have the same view after it.
pub trait Hidden: Position {
    /// What one player knows.
    type View: InformationState<World = Self>;

    /// What `viewer` knows of this state.
    fn view(&self, viewer: Side) -> Self::View;

    /// What `observer` notices when a legal move is played: in the worlds of one view, the observer cannot tell
    /// moves with equal numbers apart, and can tell all others. The mover notices which piece moved; the
    /// opponent perhaps only from where to where.
    fn observation(&self, mv: Self::Move, observer: Side) -> u64;
}

/// What one player knows of a game: all that the player, or a program playing for them, may be given.
pub trait InformationState: Clone + Eq + Hash + Debug + Send + Sync {
    /// The true states behind it.
    type World: Hidden<View = Self>;

    /// The side whose view it is.
    fn viewer(&self) -> Side;

    /// Whose turn it is.
    fn side_to_move(&self) -> Side;

    /// The legal moves, as far as the viewer can tell: exactly those of the true state if it is their turn.
    fn moves<B>(
        &self,
        visit: impl FnMut(<Self::World as Position>::Move) -> ControlFlow<B>,
    ) -> ControlFlow<B>;

    /// Whether the viewer takes this for a repetition of an earlier view; a count of quiet moves is not part of
    /// it.
    fn repeats(&self, earlier: &Self) -> bool {
        self == earlier
    }

    /// A true state drawn from all that have this view, each with the same probability.
    fn world(&self, random: &mut Random) -> Self::World;

    /// The natural logarithm of the number of true states that have this view: 0 where nothing is hidden.
    fn log_worlds(&self) -> f64;
}

/// Checks one true state against the laws of [`Hidden`], with `draws` worlds for each view.
///
/// # Errors
/// The law that is broken.
pub fn check_hidden<P: Hidden>(position: &P, draws: usize, random: &mut Random) -> Result<(), String> {
    let law = |holds: bool, text: &str| if holds { Ok(()) } else { Err(format!("broken law: {text}")) };
    for viewer in [Side::White, Side::Black] {
        let view = position.view(viewer);
        law(view.viewer() == viewer, "a view says whose it is")?;
        law(view.side_to_move() == position.side_to_move(), "a view says whose turn it is")?;
        if viewer == position.side_to_move() {
            let mut moves = Vec::new();
            let _: ControlFlow<()> = view.moves(|mv| {
                moves.push(mv);
                ControlFlow::Continue(())
            });
            law(moves == list_moves(position), "the mover's view has the moves of the true state")?;
        }
        law(view.log_worlds() >= 0.0, "at least one world is behind a view")?;
        for _ in 0..draws {
            let world = view.world(random);
            law(world.view(viewer) == view, "a world drawn from a view has that view")?;
            law(world.zobrist_hash() == world.recomputed_hash(), "a world's hash is right")?;
            for mv in list_moves(position) {
                let same = position.observation(mv, viewer) == world.observation(mv, viewer);
                let still = position.after(mv).view(viewer) == world.after(mv).view(viewer);
                law(same == still, "views stay equal exactly where observations are equal")?;
            }
        }
    }
    Ok(())
}
