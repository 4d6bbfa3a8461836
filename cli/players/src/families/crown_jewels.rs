//! Crown Jewels, in which each player sees only their own tiles.

use crate::hidden::{HiddenSearcher, PlayerView};
use crate::options::Options;
use crate::playable::{About, Playable};
use crate::tuned_files::with_weight_list;
use anyhow::{Result, anyhow};
use jewel_engine::ability::Game;
use jewel_engine::crown_jewels::{Contest, CrownJewels, CrownJewelsGame, CrownJewelsView, Deal, Move};
use jewel_engine::hidden::{Hidden, InformationState};
use jewel_engine::position::Position;
use jewel_engine::random::Random;
use jewel_engine::value::Side;
use jewel_search::control::Stop;
use jewel_search::evaluate::CrownJewelsEvaluation;
use jewel_search::ismcts::crown_jewels::{Chooser, CrownJewelsInsight};
use jewel_search::ismcts::{self, InformationSearcher, Ismcts};
use jewel_search::limits::Limits;
use jewel_search::report::{Info, Report};
use std::ops::ControlFlow;
use std::path::Path;

impl From<&CrownJewelsView> for PlayerView {
    fn from(view: &CrownJewelsView) -> PlayerView {
        let mut moves = Vec::new();
        if view.outcome().is_none() {
            let _: ControlFlow<()> = view.moves(|mv| {
                moves.push(mv.text());
                ControlFlow::Continue(())
            });
        }
        let (text, diagram) = (view.text(), view.diagram());
        PlayerView { text, diagram, viewer: view.viewer(), moves, outcome: view.outcome() }
    }
}

impl<S: InformationSearcher<CrownJewels>> HiddenSearcher<CrownJewels> for S {
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

    fn evaluation(&self) -> CrownJewelsEvaluation {
        CrownJewelsEvaluation::new(self)
    }

    fn evaluation_with_weights(&self, weights: &Path) -> Result<CrownJewelsEvaluation> {
        with_weight_list::<Self::Position, _>(self.id(), self.evaluation(), weights)
    }

    fn about(&self) -> About {
        let (files, ranks) = self.rules().size();
        About {
            board: format!("{files}x{ranks}"),
            objective: "take all of the enemy's Jewels".to_string(),
            summary: "Dominoes that only their owner sees, and checkers between them.".to_string(),
        }
    }

    fn hides(&self) -> bool {
        true
    }

    fn hidden_searcher(&self, options: &Options) -> Option<Box<dyn HiddenSearcher<CrownJewels> + Send>> {
        let &Options { threads, hash, seed, guess, .. } = options;
        let options =
            ismcts::Options { method: guess, threads, tree_mb: hash, seed, ..ismcts::Options::default() };
        Some(Box::new(Ismcts::with(options, CrownJewelsInsight::new(self.rules()))))
    }

    /// A random deal and lot; both players give and place as the program does.
    fn deal(&self, random: &mut Random) -> Option<CrownJewels> {
        let chooser = Chooser::new(self.rules());
        let deal = Deal::random(self.rules(), random);
        let gifts = Side::BOTH.map(|side| chooser.give(&deal.view(side), random));
        let setup = deal.give(gifts).ok()?;
        let placements = Side::BOTH.map(|side| chooser.place(&setup.view(side), random));
        let first = if random.below(2) == 0 { Side::White } else { Side::Black };
        setup.play(placements.each_ref(), first).ok()
    }

    fn view_of(&self, state: &CrownJewels, viewer: Side) -> Option<PlayerView> {
        Some((&state.view(viewer)).into())
    }

    fn revealed(&self, before: &CrownJewels, mv: Move) -> Option<String> {
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

    /// A position string has four fields, a view six. Any of the states behind a view of the side to move will do: a
    /// search is shown the view alone.
    fn read_view(&self, text: &str) -> Result<Option<(PlayerView, CrownJewels)>> {
        if text.split_whitespace().count() <= 4 {
            return Ok(None);
        }
        let view = CrownJewelsView::read(self.rules(), text).map_err(|e| anyhow!("{e}"))?;
        Ok(Some(((&view).into(), view.world(&mut Random::new(0)))))
    }
}
