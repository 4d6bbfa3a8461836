//! Material classes: how many pieces of each type each side has.

use super::mechanics::{MAX_TYPES, Masks, Mechanics, Unsupported};
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;
use std::collections::{BTreeMap, HashMap};
use thiserror::Error;

/// How many pieces of each type, by side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Class(pub(crate) [[u8; MAX_TYPES]; 2]);

/// What is wrong with the name of a class.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ClassError {
    /// No `v` between two sides.
    #[error("\"{0}\" is no class: write the pieces of White, a small v, and those of Black, such as {1}")]
    Form(String, String),
    /// A letter of no piece.
    #[error("\"{0}\": no piece has the letter '{1}'; pieces are {2}")]
    Letter(String, char, String),
    /// A side without pieces.
    #[error("\"{0}\": {1} has no piece, so the game is over")]
    Bare(String, String),
    /// Not exactly one royal piece a side.
    #[error("\"{0}\": each side must have exactly one {1}")]
    Royal(String, char),
    /// Decided by what is on the board.
    #[error("\"{0}\": the game is over with these pieces")]
    Over(String),
    /// More pieces than squares for them.
    #[error("\"{name}\": {side} cannot have {count} {letter}: there are {squares} squares for them")]
    Crowded {
        /// The name.
        name: String,
        /// The side.
        side: String,
        /// How many.
        count: u8,
        /// Of what.
        letter: char,
        /// The squares on which such a piece can stand.
        squares: u32,
    },
}

impl Class {
    /// The class of a position.
    pub(crate) fn of(m: &Masks) -> Class {
        Class(m.map(|side| side.map(|set| set.count_ones() as u8)))
    }

    /// The same with the sides exchanged.
    pub(crate) fn swapped(self) -> Class {
        Class([self.0[1], self.0[0]])
    }

    /// Pieces of both sides.
    pub fn pieces(self) -> usize {
        self.side(0) + self.side(1)
    }

    pub(crate) fn side(self, s: usize) -> usize {
        self.0[s].iter().map(|&c| usize::from(c)).sum()
    }

    pub(crate) fn without(mut self, side: usize, kind: usize) -> Class {
        self.0[side][kind] -= 1;
        self
    }

    pub(crate) fn with(mut self, side: usize, kind: usize) -> Class {
        self.0[side][kind] += 1;
        self
    }

    /// The one of the class and its exchange of sides that has a table, and whether it is the exchange.
    pub(crate) fn stored(self, game: &Mechanics<'_>) -> (Class, bool) {
        let swapped = self.swapped();
        if game.exchange().is_some() && swapped > self { (swapped, true) } else { (self, false) }
    }

    /// The class in words, such as `NLvQQ`: White's pieces, a small v, Black's.
    pub fn name(self, rules: &Rules) -> String {
        let side = |s: usize| -> String {
            let kinds = rules.pieces.iter().zip(self.0[s]);
            kinds.map(|(names, count)| names.letter.to_string().repeat(usize::from(count))).collect()
        };
        format!("{}v{}", side(0), side(1))
    }

    /// Reads what [`name`](Class::name) writes, the letters in any order.
    pub(crate) fn parse(game: &Mechanics<'_>, text: &str) -> Result<Class, ClassError> {
        let rules = game.rules;
        let Some((white, black)) = text.split_once('v') else {
            return Err(ClassError::Form(text.into(), game.start.name(rules)));
        };
        let mut class = Class::default();
        for (s, letters) in [white, black].into_iter().enumerate() {
            for letter in letters.chars() {
                let Some(kind) = rules.type_of(letter) else {
                    let known = rules.pieces.iter().map(|n| n.letter).collect();
                    return Err(ClassError::Letter(text.into(), letter, known));
                };
                let count = &mut class.0[s][usize::from(kind)];
                *count = count.saturating_add(1);
                let squares = game.kinds[s][usize::from(kind)].allowed.count_ones();
                if u32::from(*count) > squares {
                    let side = rules.sides[s].clone();
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
            if class.side(side.index()) == 0 {
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
    fn has_royals(self, game: &Mechanics<'_>) -> bool {
        game.royal.is_none_or(|royal| self.0.iter().all(|side| side[royal] == 1))
    }

    /// Whether pieces of both sides could capture *en passant*.
    pub(crate) fn may_capture_en_passant(self, game: &Mechanics<'_>) -> bool {
        self.0.iter().all(|side| (0..side.len()).any(|k| side[k] > 0 && game.captors >> k & 1 != 0))
    }

    /// The classes that one capture or promotion leads to, decided ones left out, as they are (not as stored).
    pub(crate) fn children(self, game: &Mechanics<'_>) -> Vec<Class> {
        let mut list = vec![];
        for s in 0..2 {
            // What a move makes of the mover's side: nothing, or a promotion.
            let mut own = vec![self];
            for k in (0..game.kinds[s].len()).filter(|&k| self.0[s][k] > 0) {
                let promoting = game.kinds[s][k].promoting.iter().flatten();
                own.extend(promoting.map(|p| self.without(s, k).with(s, usize::from(p.becomes))));
            }
            own.sort_unstable();
            own.dedup();
            for class in own {
                list.push(class);
                let victims =
                    (0..game.kinds[1 - s].len()).filter(|&k| class.0[1 - s][k] > 0 && game.royal != Some(k));
                list.extend(victims.map(|k| class.without(1 - s, k)));
            }
        }
        list.retain(|&c| c != self && !game.terminal(c));
        list.sort_unstable();
        list.dedup();
        list
    }
}

/// Most classes that one closure may have.
const MAX_CLASSES: usize = 20_000;

/// Everything that captures and promotions lead to from some classes, these included, as stored: each after those
/// that it needs, otherwise fewest pieces first.
///
/// # Errors
/// If pieces promote in a circle, or there are too many classes to think of solving them.
pub(crate) fn closure(game: &Mechanics<'_>, tops: &[Class]) -> Result<Vec<Class>, Unsupported> {
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
    /// Fails with a class that needs itself.
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

/// All classes of at most so many pieces that can come from the start position: no side has more of a kind than
/// it begins with, but for promotions by pieces that are missing.
///
/// # Errors
/// If there are too many to think of solving them.
pub(crate) fn bounded(game: &Mechanics<'_>, pieces: usize) -> Result<Vec<Class>, Unsupported> {
    let sides: Vec<Vec<[u8; MAX_TYPES]>> =
        (0..2).map(|s| armies(game, s, pieces.saturating_sub(1))).collect();
    let mut list = vec![];
    for white in &sides[0] {
        for black in &sides[1] {
            let class = Class([*white, *black]);
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

/// The armies of at most so many pieces that a side can come to have.
fn armies(game: &Mechanics<'_>, s: usize, pieces: usize) -> Vec<[u8; MAX_TYPES]> {
    let kinds = &game.kinds[s];
    let start = game.start.0[s];
    let promoter = |k: usize| kinds[k].promoting.iter().any(|p| !p.is_empty());
    let promoters: u8 = (0..kinds.len()).filter(|&k| promoter(k)).map(|k| start[k]).sum();
    let made = |k: usize| {
        (0..kinds.len()).any(|p| kinds[p].promoting.iter().flatten().any(|m| m.becomes as usize == k))
    };
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
