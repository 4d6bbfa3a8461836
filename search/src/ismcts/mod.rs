//! Search where players see different things: what to play when part of the position is hidden.
//!
//! [`Ismcts`] takes what one player knows and nothing else. It draws worlds from a [`Belief`],
//! plays in them and sums up by one of five [`Method`]s; its answer is an expectation with a standard error.
//! [`Cheat`] is shown the true state: an upper bound to compare with, in a type of its own that says so. The
//! methods and what was measured of them are in `docs/ismcts.md`.
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
//! The same lines with the true state in place of the view do not compile, for that reason alone: the types do not
//! match.
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

pub mod belief;
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
use belief::{Belief, Uniform};
use insight::{Insight, Rules};
use jewel_engine::hidden::{Hidden, InformationState};
use jewel_engine::position::list_moves;
use jewel_engine::random::Random;
use simulate::{Setting, Source};
use std::ops::ControlFlow;
use std::time::Duration;

/// Something that chooses moves by what one player knows.
pub trait InformationSearcher<P: Hidden> {
    /// Searches until a limit is reached or `stop` is called.
    ///
    /// It is the viewer's turn in `view`; for any other view, and where there is no move or `limits.search_moves`
    /// has none of them, the report has no best move. `history` has the views of the game since the last move
    /// that cannot be taken back: to come back to one of them is a draw to the search.
    fn search(
        &mut self,
        view: &P::View,
        history: &[P::View],
        limits: &Limits<P::Move>,
        stop: &Stop,
        on_info: &mut dyn FnMut(&Info<P::Move>),
    ) -> Report<P::Move>;

    /// Takes notice of what the player sees: the start of a game and then the view after every move, whoever made
    /// it. A searcher that believes every world to be as likely does not care.
    fn observe(&mut self, view: &P::View);

    /// Forgets everything: another game begins.
    fn new_game(&mut self);
}

/// Monte Carlo search over worlds that a view allows: flat, determinized, single- or multi-observer, or mutual.
#[derive(Debug)]
pub struct Ismcts<I = Rules, B = Uniform> {
    options: Options,
    insight: I,
    belief: B,
    /// A generator for each thread.
    randoms: Vec<Random>,
}

impl Ismcts {
    /// A searcher that knows nothing but the rules and takes every world for as likely.
    pub fn new(options: Options) -> Ismcts {
        Ismcts::with(options, Rules, Uniform)
    }
}

impl<I, B> Ismcts<I, B> {
    /// A searcher with knowledge of the game and a belief about what is hidden.
    pub fn with(options: Options, insight: I, belief: B) -> Ismcts<I, B> {
        let randoms = generators(&options);
        Ismcts { options, insight, belief, randoms }
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The belief.
    pub fn belief(&self) -> &B {
        &self.belief
    }
}

fn generators(options: &Options) -> Vec<Random> {
    (0..options.threads.max(1) as u64).map(|thread| Random::stream(options.seed, thread)).collect()
}

/// Worlds drawn from a belief.
struct Believed<'a, P: Hidden, B> {
    view: &'a P::View,
    belief: &'a B,
    history: &'a [P::View],
}

impl<P: Hidden, B: Belief<P>> Source<P> for Believed<'_, P, B> {
    type Draw = B::Draw;

    fn world(&self, draw: &mut B::Draw, random: &mut Random) -> P {
        self.belief.world(self.view, draw, random)
    }

    fn repeats(&self, world: &P, mv: P::Move) -> bool {
        let again = |next: P::View| self.history.iter().any(|earlier| next.repeats(earlier));
        !self.history.is_empty() && again(world.after(mv).view(self.view.viewer()))
    }
}

impl<P: Hidden, I: Insight<P>, B: Belief<P>> InformationSearcher<P> for Ismcts<I, B> {
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
        let source = Believed { view, belief: &self.belief, history };
        // Whether a move repeats what the viewer saw is the same in every world.
        let world = view.world(&mut Random::new(self.options.seed));
        let moves: Vec<_> = moves.into_iter().map(|mv| (mv, source.repeats(&world, mv))).collect();
        let setting = Setting {
            options: &self.options,
            insight: &self.insight,
            source: &source,
            viewer: view.viewer(),
            moves: &moves,
        };
        setting.run(limits, stop, &mut self.randoms, on_info)
    }

    fn observe(&mut self, view: &P::View) {
        self.belief.observe(view);
    }

    fn new_game(&mut self) {
        self.belief.new_game();
        self.randoms = generators(&self.options);
    }
}

/// Search of the true state: what a player could do who saw everything and whose opponent did too. It is no
/// [`InformationSearcher`], and nothing that is handed views only can hold one in its place.
#[derive(Debug)]
pub struct Cheat<I = Rules> {
    options: Options,
    insight: I,
    randoms: Vec<Random>,
}

impl<I> Cheat<I> {
    /// A searcher of true states: [`Method::Determinized`] with the truth for its only world, whatever method the
    /// options name, or [`Method::Flat`] in it if they name that.
    pub fn new(options: Options, insight: I) -> Cheat<I> {
        let method = if options.method == Method::Flat { Method::Flat } else { Method::Determinized };
        let options = Options { method, worlds: 1, ..options };
        let randoms = generators(&options);
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
        let source = Truth { truth, history };
        let moves = list_moves(truth).into_iter().filter(|mv| limits.allows(mv));
        let moves: Vec<_> = moves.map(|mv| (mv, source.repeats(truth, mv))).collect();
        if moves.is_empty() || truth.outcome().is_some() {
            return Report::from_lines(Vec::new(), 0, Duration::ZERO);
        }
        let setting = Setting {
            options: &self.options,
            insight: &self.insight,
            source: &source,
            viewer: truth.side_to_move(),
            moves: &moves,
        };
        setting.run(limits, stop, &mut self.randoms, on_info)
    }

    /// Forgets everything: another game begins.
    pub fn new_game(&mut self) {
        self.randoms = generators(&self.options);
    }
}

/// Nothing is hidden.
struct Truth<'a, P> {
    truth: &'a P,
    history: &'a [P],
}

impl<P: Hidden> Source<P> for Truth<'_, P> {
    type Draw = ();

    fn world(&self, (): &mut (), _: &mut Random) -> P {
        self.truth.clone()
    }

    fn repeats(&self, world: &P, mv: P::Move) -> bool {
        let key = world.after(mv).repetition_hash();
        key.is_some() && self.history.iter().any(|earlier| earlier.repetition_hash() == key)
    }
}
