//! The rules with their parameters: which tiles, what board, who places where.

use super::board::{crowd, rectangle};
use super::contest::{SpyPip, Table, Traits, table};
use super::tile::{Tile, TileSet};
use crate::bitboard::Bitboard;
use crate::parameters::{ParameterError, Parameters};
use crate::value::Side;
use std::sync::{LazyLock, Mutex};

/// The keys of the parameters.
const KNOWN: [&str; 10] =
    ["tiles", "files", "ranks", "home", "checkers", "give", "quiet", "spy", "thief", "seed"];

/// The order in which tiles come into smaller games: from the beginning Jewels, Generals, Spies, Bombs and
/// plain tiles in about the proportions of the whole set, those with two traits last.
const ORDER: [&str; Tile::COUNT] = [
    "35", "46", "13", "03", "25", "36", "33", "24", "12", "02", "45", "66", "14", "04", "44", "22", "55",
    "26", "11", "00", "23", "34", "56", "01", "15", "06", "16", "05",
];

/// The most checkers that a player can have.
const MAX_CHECKERS: u32 = 4;

/// The rules of one game: numbers and sets that never change in it.
#[derive(Debug)]
pub struct Rules {
    /// The game's id, with the parameters that are not those of the full game.
    pub(super) id: String,
    pub(super) traits: Traits,
    pub(super) contests: &'static Table,
    /// The tiles of the game.
    pub(super) set: TileSet,
    /// Those of them that are Jewels.
    pub(super) jewels: TileSet,
    pub(super) files: u32,
    pub(super) ranks: u32,
    /// The number of home ranks of a player.
    pub(super) home: u32,
    /// The number of tiles of a player.
    pub(super) tiles: u32,
    /// The number of checkers of a player.
    pub(super) checkers: u32,
    /// The number of tiles that a player gives to the other.
    pub(super) give: u32,
    /// C3: plies without a contest that draw the game, 0 for none.
    pub(super) quiet: u32,
    /// The squares of the board.
    pub(super) squares: Bitboard,
    /// The squares on which each player places.
    pub(super) homes: [Bitboard; 2],
}

/// The rules in use: each exists once, so that positions can point to it.
static RULES: LazyLock<Mutex<Vec<&'static Rules>>> = LazyLock::new(Mutex::default);

/// The rules of a list of parameters, and the seed among them.
pub(super) fn find(text: &str) -> Result<(&'static Rules, u32), ParameterError> {
    let (rules, seed) = read_parameters(text)?;
    // A thread that panics here leaves the list whole.
    let mut all = RULES.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(known) = all.iter().find(|known| known.id == rules.id) {
        return Ok((known, seed));
    }
    let new: &'static Rules = Box::leak(Box::new(rules));
    all.push(new);
    Ok((new, seed))
}

fn read_parameters(text: &str) -> Result<(Rules, u32), ParameterError> {
    let given = if text.is_empty() {
        Parameters::default()
    } else {
        Parameters::parse("crown-jewels", text, &KNOWN)?
    };
    let files = given.number("files", 1, 8)?.unwrap_or(8);
    let ranks = given.number("ranks", 2, 8)?.unwrap_or(8);
    let home = given.number("home", 1, ranks / 2)?.unwrap_or_else(|| default_home(ranks));
    let room = files * home;
    let tiles = match given.number("tiles", 1, Tile::COUNT as u32 / 2)? {
        Some(tiles) if tiles > room => {
            return Err(ParameterError::Together(format!(
                "{tiles} tiles do not fit on {home} ranks of {files} files: a player places on {room} squares"
            )));
        }
        Some(tiles) => tiles,
        None => default_tiles(room),
    };
    let free = room - tiles;
    let checkers =
        given.number("checkers", 0, MAX_CHECKERS)?.unwrap_or_else(|| default_checkers(files, home, free));
    if checkers > free || most_checkers(files, home) < checkers {
        return Err(ParameterError::Together(format!(
            "{tiles} tiles and {checkers} checkers, of which no three are joined, do not fit on {home} ranks of \
             {files} files"
        )));
    }
    let give = given.number("give", 0, tiles)?.unwrap_or_else(|| default_give(tiles));
    let quiet = given.number("quiet", 0, 100)?.unwrap_or(100);
    let spy = match given.choice("spy", &["one", "blank"])? {
        Some(1) => SpyPip::Blank,
        _ => SpyPip::One,
    };
    let thief = given.choice("thief", &["off", "on"])? == Some(1);
    let seed = given.number("seed", 0, u32::MAX)?.unwrap_or(0);
    let traits = Traits { spy, thief };
    let sizes = [tiles, files, ranks, home, checkers, give, quiet];
    Ok((Rules::new(sizes, traits), seed))
}

/// All but two ranks, or three of an odd number, and at least one of each player.
fn default_home(ranks: u32) -> u32 {
    ((ranks - 2) / 2).max(1)
}

/// As densely as in the full game.
fn default_tiles(room: u32) -> u32 {
    (room * 7 / 12).clamp(1, Tile::COUNT as u32 / 2)
}

/// Half of the squares that the tiles leave.
fn default_checkers(files: u32, home: u32, free: u32) -> u32 {
    (free / 2).min(most_checkers(files, home))
}

/// Two in seven.
fn default_give(tiles: u32) -> u32 {
    tiles * 2 / 7
}

/// How many checkers fit without three of them joined; at most as many as a player has.
fn most_checkers(files: u32, home: u32) -> u32 {
    fn grow(left: Bitboard, placed: Bitboard) -> u32 {
        let mut left = left;
        let mut most = placed.count();
        while left.any() && most < MAX_CHECKERS {
            let square = left.first();
            left &= !square.bit();
            if crowd(placed | square.bit()).is_none() {
                most = most.max(grow(left, placed | square.bit()));
            }
        }
        most
    }
    grow(rectangle(files, home), Bitboard::EMPTY)
}

impl Rules {
    /// The rules of these sizes, in the order of the parameters.
    fn new(sizes: [u32; 7], traits: Traits) -> Rules {
        let [tiles, files, ranks, home, checkers, give, quiet] = sizes;
        let set: TileSet =
            ORDER.iter().take(2 * tiles as usize).filter_map(|text| Tile::parse(text)).collect();
        let south = rectangle(files, home);
        Rules {
            id: id(sizes, traits),
            traits,
            contests: table(traits),
            set,
            jewels: set.into_iter().filter(|&tile| traits.is_jewel(tile)).collect(),
            files,
            ranks,
            home,
            tiles,
            checkers,
            give,
            quiet,
            squares: rectangle(files, ranks),
            homes: [south, Bitboard(south.0 << (8 * (ranks - home)))],
        }
    }

    /// The traits of tiles.
    pub fn traits(&self) -> Traits {
        self.traits
    }

    /// The tiles of the game, those of both players.
    pub fn tiles(&self) -> TileSet {
        self.set
    }

    /// How many tiles each player has at the start of play.
    pub fn hand(&self) -> u32 {
        self.tiles
    }

    /// How many checkers each player has.
    pub fn checkers(&self) -> u32 {
        self.checkers
    }

    /// How many tiles each player gives to the other.
    pub fn gift(&self) -> u32 {
        self.give
    }

    /// The squares on which a player places.
    pub fn home(&self, side: Side) -> Bitboard {
        self.homes[side.index()]
    }

    /// Files and ranks of the board. Square numbers are those of 8x8 squares, of which it is the south-west corner.
    pub fn size(&self) -> (u32, u32) {
        (self.files, self.ranks)
    }
}

/// The id of the game with parameters that differ from the defaults.
fn id(sizes: [u32; 7], traits: Traits) -> String {
    let [tiles, files, ranks, home, ..] = sizes;
    let room = files * home;
    let defaults = [
        default_tiles(room),
        8,
        8,
        default_home(ranks),
        default_checkers(files, home, room - tiles),
        default_give(tiles),
        100,
    ];
    let mut parts: Vec<String> = Vec::new();
    for (n, key) in KNOWN.iter().take(sizes.len()).enumerate() {
        if sizes[n] != defaults[n] {
            parts.push(format!("{key}={}", sizes[n]));
        }
    }
    if traits.spy == SpyPip::Blank {
        parts.push("spy=blank".into());
    }
    if traits.thief {
        parts.push("thief=on".into());
    }
    if parts.is_empty() { "crown-jewels".into() } else { format!("crown-jewels:{}", parts.join(",")) }
}
