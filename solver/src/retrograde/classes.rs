//! The classes of a game: their names, what they lead to, and the order in which they are solved.

use super::class::Class;
use super::game::{GameData, Unsupported};
use super::pieces::{BySide, MAX_TYPES};
use jewel_engine::value::Side;
use std::collections::{BTreeMap, HashMap};
use thiserror::Error;

/// Why a name is not that of a class.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ClassError {
    /// It has no `v` between two sides.
    #[error("\"{0}\" is not a class: write the pieces of White, a small v, and those of Black, such as {1}")]
    Form(String, String),
    /// A letter is that of no piece.
    #[error("\"{0}\": no piece has the letter '{1}'; pieces are {2}")]
    Letter(String, char, String),
    /// A side has no pieces.
    #[error("\"{0}\": {1} has no piece, so the game is over")]
    Bare(String, String),
    /// A side has not exactly one royal piece.
    #[error("\"{0}\": each side must have exactly one {1}")]
    Royal(String, char),
    /// The game is over with these pieces.
    #[error("\"{0}\": the game is over with these pieces")]
    Over(String),
    /// There are more pieces than squares for them.
    #[error("\"{name}\": {side} cannot have {count} {letter}: there are {squares} squares for them")]
    Crowded {
        /// The name.
        name: String,
        /// The side.
        side: String,
        /// The number of pieces.
        count: u8,
        /// The letter of the piece.
        letter: char,
        /// The squares on which such a piece can stand.
        squares: u32,
    },
}

impl Class {
    /// The one of the class and its exchange of sides that has a table, and whether it is the exchange.
    pub(crate) fn stored(self, game: &GameData<'_>) -> (Class, bool) {
        let swapped = self.swapped();
        let exchanged = swapped > self && game.symmetries.exchange(self).is_some();
        if exchanged { (swapped, true) } else { (self, false) }
    }

    /// Whether the class is its own exchange of sides.
    pub(crate) fn is_own_exchange(self, game: &GameData<'_>) -> bool {
        self == self.swapped() && game.symmetries.exchange(self).is_some()
    }

    /// Reads what [`name`](Class::name) writes, the letters in any order.
    pub(crate) fn parse(game: &GameData<'_>, text: &str) -> Result<Class, ClassError> {
        let rules = game.rules;
        let Some((white, black)) = text.split_once('v') else {
            return Err(ClassError::Form(text.into(), game.start.name(rules)));
        };
        let mut class = Class::default();
        for (side, letters) in Side::BOTH.into_iter().zip([white, black]) {
            for letter in letters.chars() {
                let Some(kind) = rules.type_of(letter) else {
                    let known = rules.pieces.iter().map(|n| n.letter).collect();
                    return Err(ClassError::Letter(text.into(), letter, known));
                };
                let count = &mut class.0[side][usize::from(kind)];
                *count = count.saturating_add(1);
                let squares = game.kinds[side][usize::from(kind)].allowed.count();
                if u32::from(*count) > squares {
                    let side = rules.sides[side.index()].clone();
                    return Err(ClassError::Crowded {
                        name: text.into(),
                        side,
                        count: *count,
                        letter,
                        squares,
                    });
                }
            }
        }
        for side in Side::BOTH {
            if class.pieces_of(side) == 0 {
                return Err(ClassError::Bare(text.into(), rules.sides[side.index()].clone()));
            }
        }
        if let Some(royal) = game.royal
            && !class.has_royals(game)
        {
            return Err(ClassError::Royal(text.into(), rules.pieces[royal].letter));
        }
        if game.terminal(class) { Err(ClassError::Over(text.into())) } else { Ok(class) }
    }

    /// Whether each side has one royal piece, or the game has none.
    fn has_royals(self, game: &GameData<'_>) -> bool {
        game.royal.is_none_or(|royal| self.0.0.iter().all(|side| side[royal] == 1))
    }

    /// Whether pieces of both sides could capture *en passant*.
    pub(crate) fn may_capture_en_passant(self, game: &GameData<'_>) -> bool {
        self.0.0.iter().all(|side| (0..side.len()).any(|k| side[k] > 0 && game.captors >> k & 1 != 0))
    }

    /// The classes that one capture or promotion leads to, without those that end the game; as they are, not as stored.
    pub(crate) fn children(self, game: &GameData<'_>) -> Vec<Class> {
        let mut list = vec![];
        for side in Side::BOTH {
            // The mover's side stays as it is, or a piece promotes.
            let mut own = vec![self];
            for k in (0..game.kinds[side].len()).filter(|&k| self.0[side][k] > 0) {
                let promoting = game.kinds[side][k].promoting.iter().flatten();
                own.extend(promoting.map(|p| self.without(side, k).with(side, p.becomes)));
            }
            own.sort_unstable();
            own.dedup();
            for class in own {
                list.push(class);
                let victims =
                    (0..game.kinds[!side].len()).filter(|&k| class.0[!side][k] > 0 && game.royal != Some(k));
                list.extend(victims.map(|k| class.without(!side, k)));
            }
        }
        list.retain(|&c| c != self && !game.terminal(c));
        list.sort_unstable();
        list.dedup();
        list
    }
}

/// The most classes that one closure may have.
const MAX_CLASSES: usize = 20_000;

/// Some classes and all that captures and promotions lead to from them, as stored: each after those that it needs,
/// otherwise fewest pieces first.
///
/// # Errors
/// If pieces promote in a circle, or there are more than [`MAX_CLASSES`] classes.
pub(crate) fn closure(game: &GameData<'_>, tops: &[Class]) -> Result<Vec<Class>, Unsupported> {
    let mut children: BTreeMap<Class, Vec<Class>> = BTreeMap::new();
    let mut open: Vec<Class> = tops.iter().map(|c| c.stored(game).0).collect();
    while let Some(class) = open.pop() {
        if children.contains_key(&class) {
            continue;
        }
        let mut next: Vec<Class> = class.children(game).into_iter().map(|c| c.stored(game).0).collect();
        next.sort_unstable();
        next.dedup();
        open.extend(&next);
        children.insert(class, next);
        if children.len() > MAX_CLASSES {
            return Err(Unsupported::Classes(MAX_CLASSES));
        }
    }
    let mut sorted: Vec<Class> = children.keys().copied().collect();
    sorted.sort_by_key(|c| (c.pieces(), *c));
    let mut order = Order { children: &children, done: vec![], state: HashMap::new() };
    for class in sorted {
        order.visit(class).map_err(|class| Unsupported::Circle(class.name(game.rules)))?;
    }
    Ok(order.done)
}

/// A depth-first walk that puts classes after their children.
struct Order<'a> {
    children: &'a BTreeMap<Class, Vec<Class>>,
    done: Vec<Class>,
    /// `true` once the class is done, `false` while its children are visited.
    state: HashMap<Class, bool>,
}

impl Order<'_> {
    /// Puts a class behind its children; fails with a class that needs itself.
    fn visit(&mut self, class: Class) -> Result<(), Class> {
        match self.state.get(&class) {
            Some(true) => return Ok(()),
            Some(false) => return Err(class),
            None => {}
        }
        self.state.insert(class, false);
        for &child in &self.children[&class] {
            self.visit(child)?;
        }
        self.state.insert(class, true);
        self.done.push(class);
        Ok(())
    }
}

/// All classes of at most `pieces` pieces that can come from the start position: a side has more pieces of a type than
/// at the start only if as many promoters are gone.
///
/// # Errors
/// If there are more than four times [`MAX_CLASSES`].
pub(crate) fn bounded(game: &GameData<'_>, pieces: usize) -> Result<Vec<Class>, Unsupported> {
    let armies = BySide::from_fn(|side| armies(game, side, pieces.saturating_sub(1)));
    let mut list = vec![];
    for white in &armies[Side::White] {
        for black in &armies[Side::Black] {
            let class = Class(BySide([*white, *black]));
            if class.pieces() <= pieces && class.has_royals(game) && !game.terminal(class) {
                list.push(class.stored(game).0);
                if list.len() > 4 * MAX_CLASSES {
                    return Err(Unsupported::Classes(MAX_CLASSES));
                }
            }
        }
    }
    list.sort_unstable();
    list.dedup();
    Ok(list)
}

/// The armies of at most `pieces` pieces that a side can come to have: how many pieces of each type.
fn armies(game: &GameData<'_>, side: Side, pieces: usize) -> Vec<[u8; MAX_TYPES]> {
    let kinds = &game.kinds[side];
    let start = game.start.0[side];
    let promoter = |k: usize| kinds[k].promoting.iter().any(|p| !p.is_empty());
    let promoters: u8 = (0..kinds.len()).filter(|&k| promoter(k)).map(|k| start[k]).sum();
    let made =
        |k: usize| (0..kinds.len()).any(|p| kinds[p].promoting.iter().flatten().any(|m| m.becomes == k));
    let mut list = vec![[0u8; MAX_TYPES]];
    for k in 0..kinds.len() {
        let most = start[k].saturating_add(if made(k) { promoters } else { 0 });
        let mut next = vec![];
        for army in &list {
            let used: usize = army.iter().map(|&c| usize::from(c)).sum();
            for n in 0..=usize::from(most).min(pieces - used) {
                let mut more = *army;
                more[k] = n as u8;
                next.push(more);
            }
        }
        list = next;
    }
    // Every piece beyond the start was made of a promoter that is gone.
    list.retain(|army| {
        let extra: u8 = (0..kinds.len()).map(|k| army[k].saturating_sub(start[k])).sum();
        let gone: u8 =
            (0..kinds.len()).filter(|&k| promoter(k)).map(|k| start[k].saturating_sub(army[k])).sum();
        extra <= gone
    });
    list
}
