//! Games that are no variant files: each is a family of its own in the engine, with parameters.

use crate::catalogue::{Card, ListedVisitor};
use crate::playable::Playable;
use anyhow::{Result, anyhow};
use jewel_engine::ability::Game;
use jewel_engine::crown_jewels::CrownJewelsGame;
use jewel_engine::crystal::CrystalGame;
use jewel_engine::kings_mate::{Active, Basic, Expanded, KingsMateGame, RuleSet};
use jewel_engine::parameters::ParameterError;
use jewel_engine::world_tree::WorldTreeGame;
use jewel_engine::zobrist::splitmix64;

/// A game that is no variant file, its parameters fixed.
#[derive(Clone, Copy, Debug)]
pub enum BuiltIn {
    /// `kings-mate`.
    KingsMate(&'static KingsMateGame<Basic>),
    /// `kings-mate-expanded`.
    KingsMateExpanded(&'static KingsMateGame<Expanded>),
    /// `kings-mate-active`, with dice.
    KingsMateActive(&'static KingsMateGame<Active>),
    /// `world-tree`.
    WorldTree(WorldTreeGame),
    /// `crystal-draughts`.
    Crystal(CrystalGame),
    /// `crown-jewels`, in which the players see different things.
    CrownJewels(&'static CrownJewelsGame),
}

/// Evaluates an expression with a name bound to the game, whatever its type.
macro_rules! with_built_in {
    ($built_in:expr, $game:ident => $body:expr) => {
        match $built_in {
            $crate::built_in::BuiltIn::KingsMate(game) => {
                let $game = game.clone();
                $body
            }
            $crate::built_in::BuiltIn::KingsMateExpanded(game) => {
                let $game = game.clone();
                $body
            }
            $crate::built_in::BuiltIn::KingsMateActive(game) => {
                let $game = game.clone();
                $body
            }
            $crate::built_in::BuiltIn::WorldTree($game) => $body,
            $crate::built_in::BuiltIn::Crystal($game) => $body,
            $crate::built_in::BuiltIn::CrownJewels(game) => {
                let $game = game.clone();
                $body
            }
        }
    };
}
pub(crate) use with_built_in;

/// What stays the same whatever the parameters.
struct Family {
    id: &'static str,
    board: &'static str,
    objective: &'static str,
    summary: &'static str,
    /// The game as it is, or with what stands behind the colon.
    make: fn(Option<&str>) -> Result<BuiltIn>,
}

const FAMILIES: [Family; 6] = [
    Family {
        id: "kings-mate",
        board: "7x9",
        objective: "checkmate the King",
        summary: "Chess with two swordmasters bonded to the King, who is safe while one of them lives.",
        make: |parameters| Ok(BuiltIn::KingsMate(leak(kings_mate(parameters)?))),
    },
    Family {
        id: "kings-mate-expanded",
        board: "7x9",
        objective: "checkmate the King or bring a fool to his square",
        summary: "King's Mate with the Fool's Gambit and the Defense of the Crown.",
        make: |parameters| Ok(BuiltIn::KingsMateExpanded(leak(kings_mate(parameters)?))),
    },
    Family {
        id: "kings-mate-active",
        board: "7x9",
        objective: "take the King or bring a fool to his square",
        summary: "King's Mate with dice: every capture is an attack that hits 15 times in 36.",
        make: |parameters| Ok(BuiltIn::KingsMateActive(leak(kings_mate(parameters)?))),
    },
    Family {
        id: "world-tree",
        board: "8x8",
        objective: "capture the town",
        summary: "Turns of two moves or one attack, on the banks of a river that crosses the board.",
        make: |parameters| {
            Ok(BuiltIn::WorldTree(WorldTreeGame::with_parameters(parameters.unwrap_or_default())?))
        },
    },
    Family {
        id: "crystal-draughts",
        board: "48 atoms",
        objective: "fill the far tier",
        summary: "A race over the paths of a crystal, by steps and chains of jumps.",
        make: |parameters| {
            Ok(BuiltIn::Crystal(CrystalGame::with_parameters(parameters.unwrap_or_default())?))
        },
    },
    Family {
        id: "crown-jewels",
        board: "8x8",
        objective: "take all of the enemy's Jewels",
        summary: "Dominoes that only their owner sees, and checkers between them.",
        make: |parameters| {
            let game = CrownJewelsGame::with_parameters(parameters.unwrap_or_default())?;
            Ok(BuiltIn::CrownJewels(leak(game)))
        },
    },
];

fn kings_mate<R: RuleSet>(parameters: Option<&str>) -> Result<KingsMateGame<R>, ParameterError> {
    parameters.map_or_else(|| Ok(KingsMateGame::new()), KingsMateGame::with_parameters)
}

/// A game is small, and named a few times in the life of the program.
fn leak<T>(game: T) -> &'static T {
    Box::leak(Box::new(game))
}

/// The ids of all families.
pub(crate) fn ids() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().map(|family| family.id)
}

impl BuiltIn {
    /// The game of a family, with parameters if something stands behind a colon; `None` if there is no such
    /// family.
    ///
    /// # Errors
    /// If a parameter is wrong.
    pub(crate) fn find(id: &str, parameters: Option<&str>) -> Option<Result<BuiltIn>> {
        let family = FAMILIES.iter().find(|family| family.id == id)?;
        Some((family.make)(parameters).map_err(|e| anyhow!("{id}: {e}")))
    }

    /// All of them, without parameters.
    pub(crate) fn all() -> impl Iterator<Item = BuiltIn> {
        let plain =
            |family: &Family| (family.make)(None).unwrap_or_else(|e| unreachable!("{}: {e}", family.id));
        FAMILIES.iter().map(plain)
    }

    /// The id, with what the parameters change.
    pub fn id(self) -> String {
        with_built_in!(self, game => game.id().to_string())
    }

    /// Calls the visitor with the game and its evaluation before tuning.
    pub fn visit_listed<V: ListedVisitor>(self, visitor: V) -> V::Output {
        with_built_in!(self, game => {
            let evaluation = game.untuned();
            visitor.visit(game, evaluation)
        })
    }

    /// What there is to say about it.
    pub(crate) fn card(self) -> Card {
        let id = self.id();
        let name = with_built_in!(self, game => game.name().to_string());
        let stem = id.split(':').next().unwrap_or_default();
        let text = |of: fn(&Family) -> &'static str| {
            FAMILIES.iter().find(|family| family.id == stem).map(of).unwrap_or_default().to_string()
        };
        let board = match self {
            BuiltIn::Crystal(game) => format!("{} atoms", game.lattice().atoms()),
            BuiltIn::CrownJewels(game) => {
                let (files, ranks) = game.rules().size();
                format!("{files}x{ranks}")
            }
            _ => text(|family| family.board),
        };
        let (objective, summary) = (text(|family| family.objective), text(|family| family.summary));
        Card { id, name, aliases: &[], board, objective, status: "open", summary }
    }

    /// A hash of everything that bears on play: of the id, which names the rules and every parameter.
    pub(crate) fn fingerprint(self) -> u64 {
        self.id().bytes().fold(1, |hash, byte| splitmix64(hash ^ u64::from(byte)).1)
    }
}
