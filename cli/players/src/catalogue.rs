//! Names and games: the one place that knows which games there are, and the one place where a game that
//! was named becomes a type.
//!
//! A family of games that is no variant file takes an arm in [`BuiltIn`]; commands do not change.

use crate::built_in::{self, BuiltIn, with_built_in};
use crate::files::read_text;
use crate::objective;
use crate::words::shortened;
use anyhow::{Result, anyhow, bail};
use jewel_engine::ability::{Game, Packed, Symmetric};
use jewel_engine::chance::Rolled;
use jewel_engine::games::{self, Embedded};
use jewel_engine::tactics::Tactics;
use jewel_engine::variant::Rules;
use jewel_engine::with_leanest_game;
use jewel_search::evaluate::Tunable;
use serde::Serialize;
use std::path::Path;

/// A game whose type is not known before the program runs.
#[derive(Clone, Copy, Debug)]
pub enum AnyGame {
    /// A game of a variant file.
    Variant(&'static Rules),
    /// A game that is none.
    BuiltIn(BuiltIn),
}

/// Something to do with a game whose type is known only at run time.
pub trait GameVisitor {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<G>(self, game: G) -> Self::Output
    where
        G: Game,
        G::Position: Packed + Symmetric;
}

/// Something to do with a game that is no variant file and its evaluation, as it was before any tuning.
pub trait ListedVisitor {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<G, E>(self, game: G, evaluation: E) -> Self::Output
    where
        G: Game,
        G::Position: Tactics,
        E: Tunable<G::Position>;
}

/// What `jewel games` says about a game.
#[derive(Clone, Serialize, Debug)]
pub struct Card {
    #[serde(rename = "game")]
    /// As it is typed.
    pub id: String,
    /// As people call it.
    pub name: String,
    /// Other ids.
    pub aliases: &'static [&'static str],
    /// The size of its board.
    pub board: String,
    /// What a player is after.
    pub objective: String,
    /// What is proven about it, if anything is.
    pub status: &'static str,
    /// A sentence about it.
    pub summary: String,
}

/// The games that come with the program.
pub fn catalogue() -> Vec<Card> {
    let card = |game: &'static Embedded| Card {
        aliases: game.aliases,
        status: game.status,
        ..AnyGame::Variant(game.rules()).card()
    };
    games::GAMES.iter().map(card).chain(BuiltIn::all().map(BuiltIn::card)).collect()
}

/// Longest variant file that is read, in bytes: a page of TOML has a few thousand.
const MAX_FILE_BYTES: u64 = 1 << 20;

impl AnyGame {
    /// The game that `id` or `id:key=value,key=value` names.
    ///
    /// # Errors
    /// If there is no such game (the nearest name is suggested), or no such parameter.
    pub fn resolve(typed: &str) -> Result<AnyGame> {
        let (id, parameters) = match typed.split_once(':') {
            Some((id, parameters)) => (id, Some(parameters)),
            None => (typed, None),
        };
        if let Some(built_in) = BuiltIn::find(id, parameters) {
            return built_in.map(AnyGame::BuiltIn);
        }
        let Some(game) = games::find(id) else {
            let variants = games::GAMES.iter().flat_map(|g| g.aliases.iter().copied().chain([g.id]));
            let known = variants.chain(built_in::ids());
            let hint = match games::nearest(id, known) {
                Some(near) => format!("did you mean \"{near}\"? "),
                None => String::new(),
            };
            bail!("no game \"{}\": {hint}`jewel games` lists them", shortened(id));
        };
        if let Some(parameters) = parameters {
            let first = parameters.split(',').next().unwrap_or_default();
            let key = first.split_once('=').map_or(first, |(key, _)| key);
            bail!(
                "{} has no parameter \"{}\"; it has none at all: write just \"{id}\"",
                game.id,
                shortened(key)
            );
        }
        Ok(AnyGame::Variant(game.rules()))
    }

    /// The game of a variant file.
    ///
    /// # Errors
    /// If the file cannot be read or has a mistake: one line that begins with the file's name.
    pub fn load(file: &Path) -> Result<AnyGame> {
        let text = read_text(file, MAX_FILE_BYTES)?;
        let mut rules = Rules::parse(&text).map_err(|e| anyhow!("{}: {e}", file.display()))?;
        disarm(&mut rules);
        Ok(AnyGame::Variant(rules.leak()))
    }

    /// The rules, if the game is one of a variant file.
    ///
    /// # Errors
    /// If it is not: what that means for the caller, who needs them.
    pub fn rules(self) -> Result<&'static Rules> {
        match self {
            AnyGame::Variant(rules) => Ok(rules),
            AnyGame::BuiltIn(game) => {
                bail!("{} is no game of a variant file: endgame tables are for those", game.id())
            }
        }
    }

    /// Calls the visitor with the game; one of chance with moves that say what was rolled for them.
    pub fn visit<V: GameVisitor>(self, visitor: V) -> V::Output {
        match self {
            AnyGame::Variant(rules) => with_leanest_game!(rules, game => visitor.visit(game)),
            AnyGame::BuiltIn(BuiltIn::KingsMateActive(game)) => visitor.visit(Rolled(game.clone())),
            AnyGame::BuiltIn(game) => with_built_in!(game, game => visitor.visit(game)),
        }
    }

    /// Whether chance has a say in it.
    pub fn has_dice(self) -> bool {
        matches!(self, AnyGame::BuiltIn(BuiltIn::KingsMateActive(_)))
    }

    /// A hash of everything that bears on play.
    pub fn fingerprint(self) -> u64 {
        match self {
            AnyGame::Variant(rules) => rules.fingerprint,
            AnyGame::BuiltIn(game) => game.fingerprint(),
        }
    }

    /// What there is to say about the game itself.
    pub fn card(self) -> Card {
        match self {
            AnyGame::Variant(rules) => Card {
                id: rules.id.clone(),
                aliases: &[],
                name: rules.name.clone(),
                board: format!("{}x{}", rules.geometry.width(), rules.geometry.height()),
                objective: objective::of(rules),
                status: "",
                summary: rules.summary.clone(),
            },
            AnyGame::BuiltIn(game) => game.card(),
        }
    }
}

/// Replaces control characters in the names of a stranger's file: they could command the terminal.
fn disarm(rules: &mut Rules) {
    let spec = &mut rules.spec;
    let words = [&mut spec.name, &mut spec.summary].into_iter().chain(&mut spec.sides);
    let of_pieces =
        spec.pieces.iter_mut().flat_map(|kind| kind.names.iter_mut().chain(&mut kind.abbreviations));
    for word in words.chain(of_pieces) {
        if word.contains(char::is_control) {
            *word = word.replace(char::is_control, "\u{fffd}");
        }
    }
}
