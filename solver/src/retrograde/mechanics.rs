//! What the kernel knows about a game: squares, steps, goals and the maps of the game onto itself.

use super::class::Class;
use super::permutation::Permutation;
use super::value;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::chesslike::AnyChessLike;
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::variant::{Bare, Motion, Objective, Rules};
use thiserror::Error;

/// Most piece types that a game with tables may have.
pub(crate) const MAX_TYPES: usize = 12;

/// Squares of every piece, by side and type.
pub(crate) type Masks = [[u64; MAX_TYPES]; 2];

/// Why there can be no tables for a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Unsupported {
    /// More piece types than a class can count.
    #[error("tables are for games of at most {MAX_TYPES} piece types; this one has {0}")]
    Types(usize),
    /// A royal piece and a key.
    #[error("there are no tables for games with both a royal piece and a key")]
    RoyalAndKey,
    /// A royal piece, and a player who wins by having no move: his position would look like one in which the
    /// royal piece can be captured.
    #[error("there are no tables for games with a royal piece in which having no move wins")]
    StuckWins,
    /// A royal piece, and a move that makes the opponent win by an extinction: the position after it would look like one in
    /// which the royal piece can be captured.
    #[error(
        "there are no tables for games with a royal piece in which a move can win the game for the opponent by extinction"
    )]
    ExtinctionWins,
    /// Compulsory captures.
    #[error("there are no tables for games in which captures are compulsory")]
    MustCapture,
    /// Promotions in a circle.
    #[error("the pieces of this game promote in a circle ({0}), so its classes have no order")]
    Circle(String),
    /// More classes than anybody could solve.
    #[error("there are more than {0} classes: name one, or bound the number of pieces")]
    Classes(usize),
}

/// One way of going from a square: the target and the squares between that must be empty (none for a leap).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) to: u8,
    pub(crate) path: u64,
    /// Squares from which an enemy that captures *en passant* could answer it so; 0 for all but double steps.
    pub(crate) guard: u64,
}

/// A step that ends in another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Promoting {
    pub(crate) step: Step,
    pub(crate) quiet: bool,
    pub(crate) capture: bool,
    pub(crate) becomes: u8,
}

/// A piece type of one side.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// Squares on which it can ever stand: of the territory, those that its like reach from where the game begins.
    pub(crate) allowed: u64,
    /// Steps to empty squares that leave it what it is, by square.
    pub(crate) quiet: Vec<Vec<Step>>,
    /// Steps that capture and leave it what it is, by square.
    pub(crate) capture: Vec<Vec<Step>>,
    /// Every capturing step, those that promote included, by square: who attacks what.
    pub(crate) attacks: Vec<Vec<Step>>,
    /// Steps that promote, by square.
    pub(crate) promoting: Vec<Vec<Promoting>>,
    /// Squares on which it wins by holding them, or by stepping there.
    pub(crate) goals: u64,
    /// Squares from which it could reach its goal if nobody stood in its way (J1).
    pub(crate) hopeful: u64,
}

/// A map of the game onto itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Automorphism {
    /// Image of every square.
    pub(crate) perm: Vec<u8>,
    /// Whether it exchanges the sides.
    pub(crate) swap: bool,
}

/// A whole game as plain data, and the rules themselves for what is asked rarely.
#[derive(Clone, Debug)]
pub(crate) struct Mechanics<'r> {
    pub(crate) rules: &'r Rules,
    pub(crate) squares: usize,
    pub(crate) kinds: [Vec<Kind>; 2],
    /// What the kinds' goals are good for; `None` where there are none.
    pub(crate) objective: Option<Objective>,
    /// The kinds that capture *en passant*, a bit each.
    pub(crate) captors: u32,
    /// The kind that must not be left attacked.
    pub(crate) royal: Option<usize>,
    /// What a side to move gets that has no move and is attacked.
    pub(crate) checkmate: Outcome,
    /// What a side to move gets that has no move otherwise.
    pub(crate) stalemate: Outcome,
    /// Whether a position is drawn in which no piece of either side is hopeful.
    pub(crate) dead_draws: bool,
    /// A group (in the mathematical sense); element 0 is the identity.
    pub(crate) automorphisms: Vec<Automorphism>,
    /// The map that exchanges the sides, if there is one, prepared for sets: promotions ask for it cell by cell.
    pub(crate) exchange_of_sets: Option<(Vec<u8>, Permutation)>,
    /// Material of the start position.
    pub(crate) start: Class,
}

impl<'r> Mechanics<'r> {
    /// Takes the rules apart.
    pub(crate) fn new(rules: &'r Rules) -> Result<Mechanics<'r>, Unsupported> {
        check(rules)?;
        let geometry = rules.geometry;
        let squares = geometry.squares().count();
        let start = AnyChessLike::from_fen(rules, &rules.start)
            .unwrap_or_else(|e| unreachable!("the start was checked when the rules were read: {e}"));
        let mut masks = Masks::default();
        for side in Side::BOTH {
            for kind in 0..rules.type_count() {
                masks[side.index()][kind] = start.pieces(side, kind as u8).0;
            }
        }
        let allowed = reachable(rules, &masks);
        let kinds = Side::BOTH.map(|side| {
            let of = |kind: usize| Kind::new(rules, side, kind, allowed[side.index()][kind], squares);
            (0..rules.type_count()).map(of).collect()
        });
        let image = |symmetry: &jewel_engine::symmetry::Symmetry, swap: bool| Automorphism {
            perm: (0..squares)
                .map(|s| symmetry.square(geometry, Square::new(s as u8)).index() as u8)
                .collect(),
            swap,
        };
        // Those that keep the allowed squares: again a group.
        let automorphisms: Vec<Automorphism> = rules
            .symmetries()
            .iter()
            .filter(|(symmetry, swap)| {
                let there = |set: u64| symmetry.set(geometry, Bitboard(set)).0;
                (0..2).all(|s| {
                    let t = if *swap { 1 - s } else { s };
                    (0..rules.type_count()).all(|k| there(allowed[s][k]) == allowed[t][k])
                })
            })
            .map(|(symmetry, swap)| image(symmetry, *swap))
            .collect();
        Ok(Mechanics {
            rules,
            squares,
            kinds,
            objective: rules.key.as_ref().map(|key| key.objective),
            captors: (0..rules.type_count())
                .filter(|&k| rules.captures_en_passant(k as u8))
                .fold(0, |set, k| set | 1 << k),
            royal: rules.royal.map(usize::from),
            checkmate: rules.checkmate,
            stalemate: rules.stalemate,
            dead_draws: rules.key.is_some() && rules.bare != Bare::Loses && rules.extinction.is_none(),
            exchange_of_sets: automorphisms
                .iter()
                .find(|a| a.swap)
                .map(|a| (a.perm.clone(), Permutation::of(&a.perm))),
            automorphisms,
            start: Class::of(&masks),
        })
    }

    /// The map that exchanges the sides, if there is one.
    pub(crate) fn exchange(&self) -> Option<&Automorphism> {
        self.automorphisms.iter().find(|a| a.swap)
    }

    /// Whether a class is decided by what is on the board: a side without pieces, an extinction, material that is
    /// declared a draw. A class that no position can have counts too: nothing leads to it.
    pub(crate) fn terminal(&self, class: Class) -> bool {
        if self.rules.is_insufficient(|side, kind| class.0[side.index()][usize::from(kind)]) {
            return true;
        }
        let extinct = |s: usize| {
            let kinds = self.rules.extinction.iter();
            kinds.into_iter().any(|(kinds, _)| kinds.iter().all(|&k| class.0[s][k as usize] == 0))
        };
        (0..2).any(|s| class.side(s) == 0 || extinct(s) || !self.has_room(class, s))
    }

    /// Whether the pieces of a side in a class have squares to stand on: of a class without a position there is no table.
    fn has_room(&self, class: Class, side: usize) -> bool {
        let kinds = self.kinds[side].iter().zip(class.0[side]);
        kinds.into_iter().all(|(kind, count)| u32::from(count) <= kind.allowed.count_ones())
    }

    /// Whether a piece of `side` could capture on a square, `occupied` being the occupied squares.
    pub(crate) fn attacked(&self, m: &Masks, side: usize, target: usize, occupied: u64) -> bool {
        self.kinds[side].iter().zip(&m[side]).any(|(kind, &set)| {
            let hits = |st: &Step| usize::from(st.to) == target && st.path & occupied == 0;
            squares(set).any(|s| kind.attacks[s].iter().any(hits))
        })
    }

    /// Whether a side has a move in a position.
    pub(crate) fn movable(&self, m: &Masks, side: usize) -> bool {
        let prey = m[1 - side].iter().fold(0, |a, &x| a | x);
        let occupied = m[side].iter().fold(prey, |a, &x| a | x);
        self.kinds[side].iter().zip(&m[side]).any(|(kind, &set)| {
            let goes = |st: &Step| occupied & (st.path | 1 << st.to) == 0;
            let takes = |st: &Step| prey >> st.to & 1 != 0 && st.path & occupied == 0;
            squares(set).any(|s| {
                kind.quiet[s].iter().any(goes)
                    || kind.attacks[s].iter().any(takes)
                    || kind.promoting[s].iter().any(|p| p.quiet && goes(&p.step))
            })
        })
    }

    /// Whether the side to move could capture the other side's royal piece: no such position can come about.
    pub(crate) fn illegal(&self, m: &Masks, turn: usize) -> bool {
        self.royal.is_some_and(|royal| {
            let occupied = m.iter().flatten().fold(0, |a, &x| a | x);
            squares(m[1 - turn][royal]).any(|square| self.attacked(m, turn, square, occupied))
        })
    }

    /// The value byte of a position of a terminal class by the rules: the best there is for the side to move if the
    /// position is illegal, so that nobody goes there.
    pub(crate) fn over(&self, m: &Masks, turn: usize) -> u8 {
        if self.illegal(m, turn) { value::win(0) } else { value::over(self.result(m, turn)) }
    }

    fn result(&self, m: &Masks, turn: usize) -> Outcome {
        // A bare side that has been spared by the rules and is not to move: nobody comes here by a capture.
        self.outcome(m, turn).unwrap_or(Outcome::Draw)
    }

    /// The outcome of a position by the rules, if the game is over in it.
    pub(crate) fn outcome(&self, m: &Masks, turn: usize) -> Option<Outcome> {
        self.assemble(m, turn).outcome()
    }
}

fn check(rules: &Rules) -> Result<(), Unsupported> {
    if rules.type_count() > MAX_TYPES {
        return Err(Unsupported::Types(rules.type_count()));
    }
    if rules.must_capture {
        return Err(Unsupported::MustCapture);
    }
    if rules.royal.is_some() && [rules.stalemate, rules.checkmate].contains(&Outcome::Win) {
        return Err(Unsupported::StuckWins);
    }
    if rules.royal.is_some() && extinction_may_win_for_opponent(rules) {
        return Err(Unsupported::ExtinctionWins);
    }
    if rules.royal.is_some() && rules.key.is_some() { Err(Unsupported::RoyalAndKey) } else { Ok(()) }
}

/// Whether a move can be the opponent's win by extinction: a capture where the side that has lost its pieces wins, or a
/// promotion of the mover's last such piece where that side loses.
fn extinction_may_win_for_opponent(rules: &Rules) -> bool {
    let promotes = |kind: u8| Side::BOTH.iter().any(|&side| rules.promotion(kind, side).is_some());
    match &rules.extinction {
        Some((_, Outcome::Win)) => true,
        Some((kinds, Outcome::Loss)) => kinds.iter().any(|&kind| promotes(kind)),
        _ => false,
    }
}

/// For each kind the squares that its like can reach from the start, by promotion too; the whole territory for
/// kinds that cannot be there at all.
fn reachable(rules: &Rules, start: &Masks) -> Masks {
    let mut reach = *start;
    // Castling takes king and rook where none of their own moves may.
    for castle in &rules.castles {
        for (kind, [_, to]) in [(castle.king_kind, castle.king), (castle.rook_kind, castle.rook)] {
            reach[castle.side.index()][usize::from(kind)] |= to.bit().0;
        }
    }
    let mut grown = true;
    while grown {
        grown = false;
        for side in Side::BOTH {
            for kind in 0..rules.type_count() {
                let s = side.index();
                let territory = rules.territory(kind as u8, side);
                for from in Bitboard(reach[s][kind]) & territory {
                    for motion in rules.motions(kind as u8, side, from) {
                        let mut add = |k: usize| {
                            grown |= reach[s][k] >> motion.to.index() & 1 == 0;
                            reach[s][k] |= motion.to.bit().0;
                        };
                        match rules.promotion(kind as u8, side).filter(|p| p.zone.has(motion.to)) {
                            None => add(kind),
                            Some(p) => {
                                p.to.iter().for_each(|&k| add(k as usize));
                                if p.optional {
                                    add(kind);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    for side in Side::BOTH {
        for (kind, set) in reach[side.index()].iter_mut().enumerate().take(rules.type_count()) {
            if *set == 0 {
                *set = rules.territory(kind as u8, side).0;
            }
        }
    }
    reach
}

impl Kind {
    fn new(rules: &Rules, side: Side, kind: usize, allowed: u64, squares: usize) -> Kind {
        let key = rules.key.as_ref().filter(|key| key.eligible >> kind & 1 != 0);
        let goals = key.map_or(0, |key| key.squares[side.index()].0) & allowed;
        let mut k = Kind {
            allowed,
            quiet: vec![vec![]; squares],
            capture: vec![vec![]; squares],
            attacks: vec![vec![]; squares],
            promoting: vec![vec![]; squares],
            goals,
            hopeful: rules.key_reach(kind as u8, side).0,
        };
        let promotion = rules.promotion(kind as u8, side);
        for from in Bitboard(allowed) {
            let at = from.index();
            for m in rules.motions(kind as u8, side, from) {
                let guard = if m.quiet { guard(rules, kind, side, from, m) } else { 0 };
                let step = Step { to: m.to.index() as u8, path: m.path.0, guard };
                if m.capture {
                    k.attacks[at].push(step);
                }
                let promotes = promotion.as_ref().filter(|p| p.zone.has(m.to));
                for &becomes in promotes.iter().flat_map(|p| p.to) {
                    k.promoting[at].push(Promoting { step, quiet: m.quiet, capture: m.capture, becomes });
                }
                if promotes.is_none_or(|p| p.optional) {
                    if m.quiet {
                        k.quiet[at].push(step);
                    }
                    if m.capture {
                        k.capture[at].push(step);
                    }
                }
            }
        }
        k
    }
}

/// Where an enemy stands that may answer a move *en passant*: see [`Step::guard`].
fn guard(rules: &Rules, kind: usize, side: Side, from: Square, motion: Motion) -> u64 {
    let forward = i32::from(rules.geometry.width()) * if side == Side::White { 1 } else { -1 };
    let [from, to] = [from, motion.to].map(|square| square.index() as i32);
    let Some(passed) = motion.path.into_iter().next().map(|square| square.index() as i32) else { return 0 };
    let double = motion.path.count() == 1 && (passed, to) == (from + forward, from + 2 * forward);
    if !double || !rules.captures_en_passant(kind as u8) {
        return 0;
    }
    let captors = (0..rules.type_count() as u8).filter(|&k| rules.captures_en_passant(k));
    let takes = |k: u8, at: Square| {
        let mut motions = rules.motions(k, !side, at).into_iter();
        motions.any(|m| m.capture && m.to.index() as i32 == passed)
    };
    let origins = captors.flat_map(|k| rules.territory(k, !side).into_iter().map(move |at| (k, at)));
    origins.filter(|&(k, at)| takes(k, at)).fold(0, |set, (_, at)| set | at.bit().0)
}

/// Squares of a set, ascending.
pub(crate) fn squares(set: u64) -> impl Iterator<Item = usize> {
    Bitboard(set).into_iter().map(Square::index)
}
