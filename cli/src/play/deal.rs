//! Before the first move of Crown Jewels: the deal, what the players give each other, and where they place their
//! tiles, each seen by its player alone.

use super::game::Player;
use super::input::Lines;
use crate::text::one_line;
use anyhow::{Result, bail};
use jewel_engine::ability::Notation;
use jewel_engine::crown_jewels::{CrownJewelsGame, Deal, Gift, Placement, Rules, SetupView, TileSet};
use jewel_engine::random::Random;
use jewel_engine::value::Side;
use jewel_search::ismcts::crown_jewels::Chooser;
use std::fmt::Display;
use std::io::Write;

const SIDES: [&str; 2] = ["White", "Black"];

/// The players before play begins.
pub(crate) struct Dealing<'a> {
    game: &'a CrownJewelsGame,
    players: [Player; 2],
    chooser: Chooser,
    random: Random,
    input: &'a mut dyn Lines,
    output: &'a mut dyn Write,
}

impl<'a> Dealing<'a> {
    /// Players of a game; the seed is that of the deal, of the lot and of what engines choose.
    pub(crate) fn new(
        game: &'a CrownJewelsGame,
        players: [Player; 2],
        seed: u64,
        input: &'a mut dyn Lines,
        output: &'a mut dyn Write,
    ) -> Dealing<'a> {
        let chooser = Chooser::new(game.rules());
        Dealing { game, players, chooser, random: Random::new(seed), input, output }
    }

    /// The position string of the first position of play.
    ///
    /// # Errors
    /// If input or output fail, or the input ends. What people type is never an error.
    pub(crate) fn run(mut self) -> Result<String> {
        let deal = Deal::random(self.game.rules(), &mut self.random);
        let mut gifts = Vec::new();
        for side in Side::BOTH {
            gifts.push(self.gift(&deal, side)?);
        }
        let setup = deal.give([gifts[0], gifts[1]])?;
        let mut placements = Vec::new();
        for side in Side::BOTH {
            placements.push(self.placement(&setup.view(side))?);
        }
        let first = if self.random.below(2) == 0 { Side::White } else { Side::Black };
        let start = setup.play([&placements[0], &placements[1]], first)?;
        self.tell(&format!("{} was drawn by lot to begin.\n", SIDES[first.index()]))?;
        Ok(start.position_text())
    }

    fn gift(&mut self, deal: &Deal, side: Side) -> Result<Gift> {
        let view = deal.view(side);
        if self.players[side.index()] != Player::Human {
            return Ok(self.chooser.give(&view, &mut self.random));
        }
        let rules = self.game.rules();
        self.show(side, "has been dealt", view.hand())?;
        let count = rules.gift();
        self.tell(&format!("Give {count} of them away: \"give\" and the tiles, or \"auto\"."))?;
        self.ask(side, |this, text| match text {
            "auto" => Ok(this.chooser.give(&view, &mut this.random)),
            _ => view.parse_gift(text),
        })
    }

    fn placement(&mut self, view: &SetupView) -> Result<Placement> {
        let side = view.viewer();
        if self.players[side.index()] != Player::Human {
            return Ok(self.chooser.place(view, &mut self.random));
        }
        if !view.received().is_empty() {
            self.tell(&format!("{} was given {}.", SIDES[side.index()], view.received()))?;
        }
        self.show(side, "holds", view.hand())?;
        let rules: &Rules = self.game.rules();
        self.tell(&format!(
            "Place them and {} checkers on your ranks: \"place a1=05 … # b2 …\", or \"auto\".",
            rules.checkers()
        ))?;
        let placement = self.ask(side, |this, text| match text {
            "auto" => Ok(this.chooser.place(view, &mut this.random)),
            _ => view.parse_placement(text),
        })?;
        self.tell(&format!("{placement}"))?;
        Ok(placement)
    }

    /// Lists tiles with what they are.
    fn show(&mut self, side: Side, what: &str, tiles: TileSet) -> Result<()> {
        self.tell(&format!("{} {what}:", SIDES[side.index()]))?;
        for tile in tiles {
            self.tell(&format!("  {tile}  {}", self.game.rules().words(tile)))?;
        }
        Ok(())
    }

    /// Asks until the answer is one; `quit` leaves.
    fn ask<T, E: Display>(
        &mut self,
        side: Side,
        mut read: impl FnMut(&mut Self, &str) -> Result<T, E>,
    ) -> Result<T> {
        loop {
            let prompt = format!("{}> ", SIDES[side.index()]);
            let words = ["auto", "give ", "place ", "quit"].map(str::to_string);
            let Some(text) = self.input.line(&prompt, &words, self.output)? else {
                bail!("the input ended before the tiles were placed");
            };
            match text.trim() {
                "" => {}
                "quit" | "exit" | "q" => bail!("left before the tiles were placed"),
                text => match read(self, text) {
                    Ok(answer) => return Ok(answer),
                    Err(problem) => self.tell(&one_line(&problem.to_string()))?,
                },
            }
        }
    }

    fn tell(&mut self, text: &str) -> Result<()> {
        Ok(writeln!(self.output, "{text}")?)
    }
}
