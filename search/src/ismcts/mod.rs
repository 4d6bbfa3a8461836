//! Search of games with hidden information.
//!
//! [`Ismcts`] takes what one player knows and nothing else. It draws *worlds*, true states that look to the player
//! as the real one does, searches them by one of five [`Method`]s and averages; its answer is an expectation with a
//! standard error. [`Cheat`] is shown the true state: an upper bound to compare with, in a type of its own. The
//! methods and their measurements are in `docs/ismcts.md`.
//!
//! ```
//! use jewel_engine::ability::Game;
//! use jewel_engine::crown_jewels::{CrownJewels, CrownJewelsGame};
//! use jewel_engine::hidden::Hidden;
//! use jewel_engine::value::Side;
//! use jewel_search::control::Stop;
//! use jewel_search::ismcts::{InformationSearcher, Ismcts, Options};
//! use jewel_search::limits::Limits;
//!
//! let game = CrownJewelsGame::with_parameters("tiles=2,files=3,ranks=4,checkers=1")?;
//! let state: CrownJewels = game.parse_position("b35,1,#/3/w46,2/1,#,w13 w b 0")?;
//! let player: &mut dyn InformationSearcher<CrownJewels> = &mut Ismcts::new(Options::default());
//! let limits = Limits { playouts: Some(100), ..Limits::default() };
//! let shown = state.view(Side::White);
//! let report = player.search(&shown, &[], &limits, &Stop::new(), &mut |_| {});
//! assert!(report.best.is_some());
//! # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! ```
//!
//! With the true state in place of the view the same lines do not compile, because the types do not match.
//!
//! ```compile_fail,E0308
//! use jewel_engine::ability::Game;
//! use jewel_engine::crown_jewels::{CrownJewels, CrownJewelsGame};
//! use jewel_engine::hidden::Hidden;
//! use jewel_engine::value::Side;
//! use jewel_search::control::Stop;
//! use jewel_search::ismcts::{InformationSearcher, Ismcts, Options};
//! use jewel_search::limits::Limits;
//!
//! let game = CrownJewelsGame::with_parameters("tiles=2,files=3,ranks=4,checkers=1")?;
//! let state: CrownJewels = game.parse_position("b35,1,#/3/w46,2/1,#,w13 w b 0")?;
//! let player: &mut dyn InformationSearcher<CrownJewels> = &mut Ismcts::new(Options::default());
//! let limits = Limits { playouts: Some(100), ..Limits::default() };
//! let shown = state;
//! let report = player.search(&shown, &[], &limits, &Stop::new(), &mut |_| {});
//! assert!(report.best.is_some());
//! # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! ```

pub mod crown_jewels;
pub mod insight;
mod options;
mod run;
mod select;
mod simulate;
mod tally;
#[cfg(test)]
mod toys;
mod tree;

pub use options::{Method, Options};

use crate::control::Stop;
use crate::limits::Limits;
use crate::report::{Info, Report};
use crate::sampling::generators;
use insight::{Insight, Rules};
use jewel_engine::hidden::{Hidden, InformationState};
use jewel_engine::position::list_moves;
use jewel_engine::random::Random;
use simulate::{Determinizer, SearchRequest};
use std::ops::ControlFlow;
use std::time::Duration;

/// A search that chooses moves by what one player knows.
pub trait InformationSearcher<P: Hidden> {
    /// Searches until a limit is reached or `stop` is called.
    ///
    /// It is the viewer's turn in `view`; for any other view, and where there is no move or `limits.search_moves`
    /// has none of them, the report has no best move. `history` has the views of the game since the last move
    /// that cannot be taken back: the search counts a return to one of them as a draw.
    fn search(
        &mut self,
        view: &P::View,
        history: &[P::View],
        limits: &Limits<P::Move>,
        stop: &Stop,
        on_info: &mut dyn FnMut(&Info<P::Move>),
    ) -> Report<P::Move>;

    /// Forgets everything: another game begins.
    fn new_game(&mut self);
}

/// Monte Carlo search over the worlds that a view allows.
#[derive(Debug)]
pub struct Ismcts<I = Rules> {
    options: Options,
    insight: I,
    /// A generator for each thread.
    randoms: Vec<Random>,
}

impl Ismcts {
    /// A searcher that knows nothing but the rules.
    pub fn new(options: Options) -> Ismcts {
        Ismcts::with(options, Rules)
    }
}

impl<I> Ismcts<I> {
    /// A searcher with knowledge of the game.
    pub fn with(options: Options, insight: I) -> Ismcts<I> {
        let randoms = generators(options.seed, options.threads);
        Ismcts { options, insight, randoms }
    }
}

/// Draws the worlds that a view allows, all with the same probability.
struct FromView<'a, P: Hidden> {
    view: &'a P::View,
    history: &'a [P::View],
}

impl<P: Hidden> Determinizer<P> for FromView<'_, P> {
    fn world(&self, random: &mut Random) -> P {
        self.view.world(random)
    }

    fn repeats(&self, world: &P, mv: P::Move) -> bool {
        let again = |next: P::View| self.history.iter().any(|earlier| next.repeats(earlier));
        !self.history.is_empty() && again(world.after(mv).view(self.view.viewer()))
    }
}

impl<P: Hidden, I: Insight<P>> InformationSearcher<P> for Ismcts<I> {
    fn search(
        &mut self,
        view: &P::View,
        history: &[P::View],
        limits: &Limits<P::Move>,
        stop: &Stop,
        on_info: &mut dyn FnMut(&Info<P::Move>),
    ) -> Report<P::Move> {
        let mut moves = Vec::new();
        if view.side_to_move() == view.viewer() {
            let _: ControlFlow<()> = view.moves(|mv| {
                moves.push(mv);
                ControlFlow::Continue(())
            });
        }
        moves.retain(|mv| limits.allows(mv));
        if moves.is_empty() {
            return Report::from_lines(Vec::new(), 0, Duration::ZERO);
        }
        let determinizer = FromView { view, history };
        // Whether a move repeats what the viewer saw is the same in every world.
        let world = view.world(&mut Random::new(self.options.seed));
        let moves: Vec<_> = moves.into_iter().map(|mv| (mv, determinizer.repeats(&world, mv))).collect();
        let request = SearchRequest {
            options: &self.options,
            insight: &self.insight,
            determinizer: &determinizer,
            viewer: view.viewer(),
            moves: &moves,
        };
        request.run(limits, stop, &mut self.randoms, on_info)
    }

    fn new_game(&mut self) {
        self.randoms = generators(self.options.seed, self.options.threads);
    }
}

/// Search of the true state, as if both players saw everything. It does not implement [`InformationSearcher`], so
/// that code that is to be given views only cannot hold one by mistake.
#[derive(Debug)]
pub struct Cheat<I = Rules> {
    options: Options,
    insight: I,
    randoms: Vec<Random>,
}

impl<I> Cheat<I> {
    /// A searcher of true states: [`Method::Flat`] if the options name that, otherwise [`Method::Determinized`] with the
    /// true state as the only world.
    pub fn new(options: Options, insight: I) -> Cheat<I> {
        let method = if options.method == Method::Flat { Method::Flat } else { Method::Determinized };
        let options = Options { method, worlds: 1, ..options };
        let randoms = generators(options.seed, options.threads);
        Cheat { options, insight, randoms }
    }

    /// Searches the true state as [`InformationSearcher::search`] does a view; `history` has the true states of
    /// the game since the last move that cannot be taken back.
    pub fn search<P: Hidden>(
        &mut self,
        truth: &P,
        history: &[P],
        limits: &Limits<P::Move>,
        stop: &Stop,
        on_info: &mut dyn FnMut(&Info<P::Move>),
    ) -> Report<P::Move>
    where
        I: Insight<P>,
    {
        let determinizer = TrueState { truth, history };
        let moves = list_moves(truth).into_iter().filter(|mv| limits.allows(mv));
        let moves: Vec<_> = moves.map(|mv| (mv, determinizer.repeats(truth, mv))).collect();
        if moves.is_empty() || truth.outcome().is_some() {
            return Report::from_lines(Vec::new(), 0, Duration::ZERO);
        }
        let request = SearchRequest {
            options: &self.options,
            insight: &self.insight,
            determinizer: &determinizer,
            viewer: truth.side_to_move(),
            moves: &moves,
        };
        request.run(limits, stop, &mut self.randoms, on_info)
    }

    /// Forgets everything: another game begins.
    pub fn new_game(&mut self) {
        self.randoms = generators(self.options.seed, self.options.threads);
    }
}

/// The true state as the only world.
struct TrueState<'a, P> {
    truth: &'a P,
    history: &'a [P],
}

impl<P: Hidden> Determinizer<P> for TrueState<'_, P> {
    fn world(&self, _: &mut Random) -> P {
        self.truth.clone()
    }

    fn repeats(&self, world: &P, mv: P::Move) -> bool {
        let hash = world.after(mv).repetition_hash();
        hash.is_some() && self.history.iter().any(|earlier| earlier.repetition_hash() == hash)
    }
}
