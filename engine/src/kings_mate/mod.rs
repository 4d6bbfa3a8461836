//! King's Mate: a chess on 7x9 squares in which two swordmasters, bonded to their king, make it safe.
//!
//! Three sets of rules share one code: [`Basic`], [`Expanded`] (the Fool's Gambit, the Defense of the
//! Crown) and [`Active`] (captures are rolled for). They are types, so that the plain games pay nothing for
//! the dice; which of the special moves of the last two are played may be declared one by one, and without any, the
//! expanded rules are the basic ones. The numbers K1 to K8 in the comments are those of the project's rules file.
//!
//! ```
//! use jewel_engine::ability::Game;
//! use jewel_engine::kings_mate::{Basic, KingsMateGame};
//! use jewel_engine::perft::perft;
//!
//! let game = KingsMateGame::<Basic>::new();
//! assert_eq!(perft(&game.start(), 4), 18225);
//! ```

mod attack;
mod board;
mod dice;
mod exchange;
mod fen;
mod movegen;
mod notation;
mod outcome;
mod pack;
mod play;
mod playout;
mod tactics;

pub use board::{CENTRE, KING_SQUARES, NEAR, RAISED};
pub use fen::KingsMateError;

use crate::ability::{Game, Notation};
use crate::bitboard::{Bitboard, Square};
use crate::parameters::{ParameterError, Parameters};
use crate::value::{Outcome, Side};
use crate::zobrist::KEYS;
use std::error::Error;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// The piece types, by number, and what they are called.
pub mod kind {
    /// One step in any direction.
    pub const KING: u8 = 0;
    /// Any line, bonded to the king.
    pub const SWORDMASTER: u8 = 1;
    /// Moves as a rook.
    pub const KEEPER: u8 = 2;
    /// Moves as a bishop.
    pub const PRIEST: u8 = 3;
    /// Moves as a bishop too.
    pub const PRIESTESS: u8 = 4;
    /// One step straight, captures diagonally, forward and backward.
    pub const FOOL: u8 = 5;
    /// The number of types.
    pub const COUNT: usize = 6;
    /// Letters in White's case, by type.
    pub const LETTERS: [char; COUNT] = ['M', 'S', 'K', 'P', 'E', 'F'];
    /// Names, by type.
    pub const NAMES: [&str; COUNT] = ["King", "Swordmaster", "Keeper", "Priest", "Priestess", "Fool"];
    /// How many of each type a side has at most if it promotes only to what was captured.
    pub(super) const SET: [u32; COUNT] = [1, 2, 2, 1, 1, 5];
}

use kind::{COUNT, FOOL, KEEPER, KING, PRIEST, PRIESTESS, SWORDMASTER};

/// What distinguishes the three games.
pub trait RuleSet: Copy + Debug + Send + Sync + 'static {
    /// The game's id.
    const ID: &'static str;
    /// The game's name.
    const NAME: &'static str;
    /// Whether there may be the Fool's Gambit and the Defense of the Crown: which of them is said by the game.
    const EXPANDED: bool;
    /// Whether captures are rolled for.
    const DICE: bool;
}

/// `kings-mate`: the bare rules, and no code for others.
#[derive(Clone, Copy, Debug)]
pub struct Basic;

/// `kings-mate-expanded`: with the Fool's Gambit and the Defense of the Crown.
#[derive(Clone, Copy, Debug)]
pub struct Expanded;

/// `kings-mate-active`: the expanded rules, and every capture is an attack that may fail.
#[derive(Clone, Copy, Debug)]
pub struct Active;

impl RuleSet for Basic {
    const ID: &'static str = "kings-mate";
    const NAME: &'static str = "King's Mate";
    const EXPANDED: bool = false;
    const DICE: bool = false;
}

impl RuleSet for Expanded {
    const ID: &'static str = "kings-mate-expanded";
    const NAME: &'static str = "King's Mate, expanded rules";
    const EXPANDED: bool = true;
    const DICE: bool = false;
}

impl RuleSet for Active {
    const ID: &'static str = "kings-mate-active";
    const NAME: &'static str = "King's Mate, Active Play";
    const EXPANDED: bool = true;
    const DICE: bool = true;
}

/// The special moves of the expanded rules, each of which may be declared alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Special {
    gambit: bool,
    defense: bool,
}

impl Special {
    const NONE: Special = Special { gambit: false, defense: false };
    const BOTH: Special = Special { gambit: true, defense: true };
}

/// A position of King's Mate.
///
/// Two positions are equal if the same moves may follow: the counters of a position string do not matter.
/// Rights to the Defense of the Crown that can never be used again do not exist.
#[derive(Clone, Copy)]
pub struct KingsMate<R> {
    by_kind: [Bitboard; COUNT],
    by_side: [Bitboard; 2],
    /// Active Play: the pieces of the side to move whose attacks failed this turn.
    failed: Bitboard,
    key: u64,
    side: Side,
    /// Bit 0: White may still defend the crown; bit 1: Black.
    rights: u8,
    /// K7: the result of having no legal move without being attacked.
    stalemate: Outcome,
    /// The special moves that were declared before the game.
    special: Special,
    /// Plies since a capture or a fool's move.
    clock: u16,
    /// The turn number of position strings, from 1.
    turn: u16,
    rules: PhantomData<R>,
}

/// A move: its piece and its squares. The Defense of the Crown is a move of the king.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// Where the piece comes from.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
    /// The type of the piece.
    pub kind: u8,
    /// The type afterwards, which differs only for a fool that is promoted.
    pub becomes: u8,
}

impl<R: RuleSet> KingsMate<R> {
    const EMPTY: Self = KingsMate {
        by_kind: [Bitboard::EMPTY; COUNT],
        by_side: [Bitboard::EMPTY; 2],
        failed: Bitboard::EMPTY,
        key: 0,
        side: Side::White,
        rights: 0,
        stalemate: Outcome::Draw,
        special: if R::EXPANDED { Special::BOTH } else { Special::NONE },
        clock: 0,
        turn: 1,
        rules: PhantomData,
    };

    /// The squares of a side's pieces.
    #[inline(always)]
    pub fn pieces_of(&self, side: Side) -> Bitboard {
        self.by_side[side.index()]
    }

    /// The squares of a side's pieces of one type.
    #[inline(always)]
    pub fn pieces(&self, side: Side, kind: u8) -> Bitboard {
        self.by_kind[kind as usize % COUNT] & self.by_side[side.index()]
    }

    /// All occupied squares.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.by_side[0] | self.by_side[1]
    }

    /// The piece on a square.
    pub fn piece_on(&self, square: Square) -> Option<(u8, Side)> {
        let side = *Side::BOTH.iter().find(|s| self.pieces_of(**s).has(square))?;
        Some((self.kind_on(square)?, side))
    }

    /// The squares of the pieces that failed this turn: Active Play alone.
    #[inline(always)]
    pub fn failed(&self) -> Bitboard {
        self.failed
    }

    /// Whether a side may still defend the crown, if the board allows.
    #[inline(always)]
    pub fn may_defend_crown(&self, side: Side) -> bool {
        self.rights >> side.index() & 1 != 0
    }

    /// Whether the Fool's Gambit is played.
    #[inline(always)]
    pub fn has_gambit(&self) -> bool {
        R::EXPANDED && self.special.gambit
    }

    /// Plies since a capture or a fool's move.
    pub fn clock(&self) -> u16 {
        self.clock
    }

    #[inline(always)]
    fn kind_on(&self, square: Square) -> Option<u8> {
        self.by_kind.iter().position(|set| set.has(square)).map(|kind| kind as u8)
    }

    #[inline(always)]
    fn king(&self, side: Side) -> Square {
        self.pieces(side, KING).first()
    }

    fn put(&mut self, square: Square, kind: u8, side: Side) {
        self.by_kind[kind as usize % COUNT] |= square.bit();
        self.by_side[side.index()] |= square.bit();
    }

    fn zobrist(&self) -> u64 {
        let mut key = if self.side == Side::Black { KEYS.black } else { 0 };
        for side in Side::BOTH {
            for kind in 0..COUNT {
                for square in self.pieces(side, kind as u8) {
                    key ^= KEYS.piece[kind][side.index()][square.index()];
                }
            }
            if self.may_defend_crown(side) {
                key ^= KEYS.castling[side.index()];
            }
        }
        key ^ failed_hash(self.failed)
    }

    /// Without two swordmasters the rights can never be used again.
    fn drop_idle_rights(&mut self) {
        for side in Side::BOTH {
            if self.pieces(side, SWORDMASTER).count() < 2 {
                self.rights &= !(1 << side.index());
            }
        }
    }

    /// The captured officers of a side that a fool may become, as a set of types (K6: what the set of the
    /// start holds and the board does not).
    #[inline(always)]
    fn captured(&self, side: Side) -> u8 {
        [KEEPER, PRIEST, PRIESTESS].iter().fold(0, |set, &kind| {
            let missing = self.pieces(side, kind).count() < kind::SET[kind as usize];
            set | u8::from(missing) << kind
        })
    }
}

/// The key of the set of failed pieces.
#[inline]
fn failed_hash(failed: Bitboard) -> u64 {
    failed.into_iter().fold(0, |key, square| key ^ KEYS.en_passant[square.index()])
}

impl<R> PartialEq for KingsMate<R> {
    fn eq(&self, other: &Self) -> bool {
        self.by_kind == other.by_kind
            && self.by_side == other.by_side
            && (self.side, self.rights, self.failed, self.stalemate, self.special)
                == (other.side, other.rights, other.failed, other.stalemate, other.special)
    }
}

impl<R> Eq for KingsMate<R> {}

impl<R> Hash for KingsMate<R> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key);
    }
}

impl<R: RuleSet> Debug for KingsMate<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} \"{}\"", R::ID, self.position_text())
    }
}

/// One of the games, with its parameters.
#[derive(Clone, Debug)]
pub struct KingsMateGame<R> {
    id: String,
    name: String,
    stalemate: Outcome,
    special: Special,
    rules: PhantomData<R>,
}

/// A game with any of the special rules. Fewer types are less to compile: the basic rules are the expanded ones without
/// special moves.
#[derive(Clone, Debug)]
pub enum AnyKingsMate {
    /// With no special move, with one or both.
    Certain(KingsMateGame<Expanded>),
    /// With dice, and perhaps special moves.
    Active(KingsMateGame<Active>),
}

impl AnyKingsMate {
    /// The game of special rules that are declared one by one, what follows the colon in
    /// `kings-mate:dice=on,gambit=on,defense=on`: Active Play, the Fool's Gambit, the Defense of the Crown. What is not
    /// named is off. `stalemate` is as in [`KingsMateGame::with_parameters`]. Rules that are those of a game with an id of
    /// its own make that game.
    ///
    /// ```
    /// use jewel_engine::ability::Game;
    /// use jewel_engine::kings_mate::AnyKingsMate;
    ///
    /// let AnyKingsMate::Certain(game) = AnyKingsMate::declared("gambit=on")? else { unreachable!() };
    /// assert_eq!(game.id(), "kings-mate:gambit=on");
    /// let AnyKingsMate::Active(game) = AnyKingsMate::declared("defense=on,gambit=on,dice=on")? else { unreachable!() };
    /// assert_eq!(game.id(), "kings-mate-active");
    /// # Ok::<(), jewel_engine::parameters::ParameterError>(())
    /// ```
    ///
    /// # Errors
    /// If there is another parameter, or one has no such value.
    pub fn declared(text: &str) -> Result<AnyKingsMate, ParameterError> {
        let parameters = Parameters::parse(Basic::ID, text, &["dice", "gambit", "defense", "stalemate"])?;
        let on = |key: &str| Ok(parameters.choice(key, &["off", "on"])? == Some(1));
        let (dice, special) = (on("dice")?, Special { gambit: on("gambit")?, defense: on("defense")? });
        let lost = parameters.choice("stalemate", &["draw", "loss"])? == Some(1);
        let stalemate = if lost { Outcome::Loss } else { Outcome::Draw };
        Ok(match dice {
            true => AnyKingsMate::Active(KingsMateGame::of(special, stalemate)),
            false => AnyKingsMate::Certain(KingsMateGame::of(special, stalemate)),
        })
    }
}

impl KingsMateGame<Expanded> {
    /// The game of the basic rules: the expanded ones without their special moves.
    pub fn basic() -> Self {
        Self::of(Special::NONE, Outcome::Draw)
    }
}

impl<R: RuleSet> KingsMateGame<R> {
    /// The game as the rules have it: to have no legal move without being attacked draws.
    pub fn new() -> Self {
        Self::of(KingsMate::<R>::EMPTY.special, Outcome::Draw)
    }

    fn of(special: Special, stalemate: Outcome) -> Self {
        let usual = special == KingsMate::<R>::EMPTY.special;
        let declared = [(R::DICE, "dice"), (special.gambit, "gambit"), (special.defense, "defense")];
        let mut parameters: Vec<String> = Vec::new();
        if !usual {
            parameters.extend(declared.iter().filter(|(on, _)| *on).map(|(_, key)| format!("{key}=on")));
        }
        if stalemate == Outcome::Loss {
            parameters.push("stalemate=loss".to_string());
        }
        let id = if usual { R::ID } else { Basic::ID };
        let id =
            if parameters.is_empty() { id.to_string() } else { format!("{id}:{}", parameters.join(",")) };
        let words = [
            (R::DICE, "dice"),
            (special.gambit, "the Fool's Gambit"),
            (special.defense, "the Defense of the Crown"),
        ];
        let words: Vec<&str> = words.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
        let name = match (usual, words.is_empty()) {
            (true, _) => R::NAME.to_string(),
            (false, true) => Basic::NAME.to_string(),
            (false, false) => format!("{} with {}", Basic::NAME, words.join(" and ")),
        };
        KingsMateGame { id, name, stalemate, special, rules: PhantomData }
    }

    /// Whether the Fool's Gambit is played.
    pub fn has_gambit(&self) -> bool {
        self.special.gambit
    }

    /// Whether the Defense of the Crown is played.
    pub fn has_defense(&self) -> bool {
        self.special.defense
    }

    /// The game of a list of parameters, what follows the colon in `kings-mate:stalemate=loss`. The only one
    /// is `stalemate`, `draw` (as the source's text says) or `loss` (as the caption of its figure says): K7.
    ///
    /// # Errors
    /// If there is another parameter, or one has no such value.
    pub fn with_parameters(text: &str) -> Result<Self, ParameterError> {
        let parameters = Parameters::parse(R::ID, text, &["stalemate"])?;
        let lost = parameters.choice("stalemate", &["draw", "loss"])? == Some(1);
        Ok(Self::of(KingsMate::<R>::EMPTY.special, if lost { Outcome::Loss } else { Outcome::Draw }))
    }
}

impl<R: RuleSet> KingsMateGame<R> {
    /// An empty board.
    fn empty(&self) -> KingsMate<R> {
        KingsMate { stalemate: self.stalemate, special: self.special, ..KingsMate::EMPTY }
    }
}

impl<R: RuleSet> Default for KingsMateGame<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: RuleSet> Game for KingsMateGame<R> {
    type Position = KingsMate<R>;

    fn id(&self) -> &str {
        &self.id
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn start(&self) -> KingsMate<R> {
        const BACK: [u8; 7] = [KEEPER, PRIEST, SWORDMASTER, KING, SWORDMASTER, PRIESTESS, KEEPER];
        let mut position = self.empty();
        // Black's half is White's turned by 180 degrees.
        let mut both = |number: usize, kind: u8| {
            position.put(Square::new(number as u8), kind, Side::White);
            position.put(Square::new(62 - number as u8), kind, Side::Black);
        };
        BACK.iter().enumerate().for_each(|(file, &kind)| both(file, kind));
        [0, 1, 3, 5, 6].iter().for_each(|file| both(7 + file, FOOL));
        position.rights = if self.special.defense { 3 } else { 0 };
        position.key = position.zobrist();
        position
    }

    fn parse_position(&self, text: &str) -> Result<KingsMate<R>, Box<dyn Error + Send + Sync>> {
        Ok(self.empty().read(text)?)
    }

    fn repetition(&self) -> u32 {
        3
    }
}
