//! Games in which the players see different things: what a player is shown, and who plays by that alone.
//!
//! A line of play knows the true state. It becomes what one player sees in `Guesser::search` and in
//! `Playable::seen_by`, and nowhere else; the searchers behind take views and nothing more.

use crate::built_in::BuiltIn;
use crate::catalogue::AnyGame;
use crate::engine::Options;
use crate::playable::Playable;
use anyhow::{Result, anyhow, bail};
use jewel_engine::ability::{Game, Notation};
use jewel_engine::crown_jewels::{Contest, CrownJewels, CrownJewelsGame, CrownJewelsView, Deal, Move};
use jewel_engine::diagram::Diagram;
use jewel_engine::hidden::{Hidden, InformationState};
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::value::{Outcome, Side};
use jewel_search::control::Stop;
use jewel_search::evaluate::CrownJewelsEvaluation;
use jewel_search::ismcts::crown_jewels::{Chooser, CrownJewelsInsight};
use jewel_search::ismcts::{self, InformationSearcher, Ismcts};
use jewel_search::limits::Limits;
use jewel_search::report::{Info, Report};
use std::ops::ControlFlow;

/// What one player sees of a position.
#[derive(Clone, Debug)]
pub struct Seen {
    /// As text.
    pub text: String,
    /// What there is to draw.
    pub diagram: Diagram,
    /// Whose view it is.
    pub viewer: Side,
    /// The legal moves of the side to move.
    pub moves: Vec<String>,
    /// The result by rule, seen by the side to move.
    pub outcome: Option<Outcome>,
}

impl AnyGame {
    /// Whether the players of the game see different things.
    pub fn hides(self) -> bool {
        matches!(self, AnyGame::BuiltIn(BuiltIn::CrownJewels(_)))
    }

    /// Reads the text of what one player sees, if it is such a text and no position string.
    ///
    /// # Errors
    /// If it is such a text and is wrong.
    pub fn read_view(self, text: &str) -> Result<Option<Seen>> {
        match self {
            AnyGame::BuiltIn(BuiltIn::CrownJewels(game)) if is_view(text) => {
                let view = CrownJewelsView::read(game.rules(), text).map_err(|e| anyhow!("{e}"))?;
                Ok(Some(seen(&view)))
            }
            _ => Ok(None),
        }
    }
}

/// A position string has four fields, what a player sees six.
pub(crate) fn is_view(text: &str) -> bool {
    text.split_whitespace().count() > 4
}

fn seen(view: &CrownJewelsView) -> Seen {
    let mut moves = Vec::new();
    if view.outcome().is_none() {
        let _: ControlFlow<()> = view.moves(|mv| {
            moves.push(mv.text());
            ControlFlow::Continue(())
        });
    }
    let (text, diagram) = (view.text(), view.diagram());
    Seen { text, diagram, viewer: view.viewer(), moves, outcome: view.outcome() }
}

/// Someone who chooses the moves of a player and is shown what that player knows.
pub(crate) trait Guesser<P: Position> {
    /// Searches for the side to move of `root`; `earlier` has the positions of the game before it. What is hidden
    /// from that side stays so.
    fn search(
        &mut self,
        earlier: &mut dyn Iterator<Item = &P>,
        root: &P,
        limits: &Limits<P::Move>,
        stop: &Stop,
        on_info: &mut dyn FnMut(&Info<P::Move>),
    ) -> Report<P::Move>;

    /// Forgets everything.
    fn new_game(&mut self);
}

impl<S: InformationSearcher<CrownJewels>> Guesser<CrownJewels> for S {
    fn search(
        &mut self,
        earlier: &mut dyn Iterator<Item = &CrownJewels>,
        root: &CrownJewels,
        limits: &Limits<Move>,
        stop: &Stop,
        on_info: &mut dyn FnMut(&Info<Move>),
    ) -> Report<Move> {
        let view = root.view(root.side_to_move());
        let earlier: Vec<&CrownJewels> = earlier.collect();
        // What was before the last contest cannot come back.
        let first = earlier.len().saturating_sub(view.quiet() as usize);
        let history: Vec<CrownJewelsView> =
            earlier[first..].iter().map(|state| state.view(view.viewer())).collect();
        InformationSearcher::search(self, &view, &history, limits, stop, on_info)
    }

    fn new_game(&mut self) {
        InformationSearcher::new_game(self);
    }
}

impl Playable for CrownJewelsGame {
    type Evaluation = CrownJewelsEvaluation;

    fn untuned(&self) -> CrownJewelsEvaluation {
        self.evaluation()
    }

    fn evaluation(&self) -> CrownJewelsEvaluation {
        CrownJewelsEvaluation::new(self)
    }

    fn guesser(&self, options: &Options) -> Option<Box<dyn Guesser<CrownJewels> + Send>> {
        let &Options { threads, hash, seed, guess, .. } = options;
        let options =
            ismcts::Options { method: guess, threads, tree_mb: hash, seed, ..ismcts::Options::default() };
        Some(Box::new(Ismcts::with(options, CrownJewelsInsight::new(self.rules()))))
    }

    /// A random deal and lot; both players give and place as the program does.
    fn dealt(&self, random: &mut Random) -> Option<CrownJewels> {
        let chooser = Chooser::new(self.rules());
        let deal = Deal::random(self.rules(), random);
        let gifts = Side::BOTH.map(|side| chooser.give(&deal.view(side), random));
        let setup = deal.give(gifts).ok()?;
        let placements = Side::BOTH.map(|side| chooser.place(&setup.view(side), random));
        let first = if random.below(2) == 0 { Side::White } else { Side::Black };
        setup.play(placements.each_ref(), first).ok()
    }

    fn seen_by(&self, state: &CrownJewels, viewer: Side) -> Option<Seen> {
        Some(seen(&state.view(viewer)))
    }

    fn told(&self, before: &CrownJewels, mv: Move) -> Option<String> {
        let words = |square, side: Side| {
            let tile = before.tile(square)?;
            Some(format!("{}{tile} ({})", side.letter(), self.rules().words(tile)))
        };
        let (us, result) = (before.side_to_move(), before.contest(mv)?);
        let (attacker, defender) = (words(mv.from, us)?, words(mv.to, !us)?);
        Some(match result {
            Contest::Win => format!("{attacker} takes {defender}"),
            Contest::Lose => format!("{attacker} falls to {defender}"),
            Contest::Both => format!("{attacker} and {defender} both fall"),
        })
    }

    /// Any of the states behind a view of the side to move will do: to search is shown the view alone.
    fn parse(&self, text: &str) -> Result<(CrownJewels, Option<Side>)> {
        if !is_view(text) {
            return Ok((self.parse_position(text).map_err(|e| anyhow!("{e}"))?, None));
        }
        let view = CrownJewelsView::read(self.rules(), text).map_err(|e| anyhow!("{e}"))?;
        if view.viewer() != view.side_to_move() {
            bail!(
                "what {} sees, and {} is to move: a player is asked when it is his turn",
                view.viewer().letter(),
                view.side_to_move().letter()
            );
        }
        Ok((view.world(&mut Random::new(0)), Some(view.viewer())))
    }
}

/// Moves as text whatever the position: what a search that guesses expects need not be legal in truth. Each comes
/// with the side that is to move at the root, since a turn has one ply.
pub(crate) fn blind_texts<P: Notation>(root: &P, line: &[P::Move]) -> Vec<(Side, String)> {
    line.iter().map(|&mv| (root.side_to_move(), root.move_text(mv))).collect()
}
