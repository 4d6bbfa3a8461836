//! What the kernel knows about a game: pieces, results and symmetries as plain data.

use super::class::Class;
use super::kind::{Kind, reachable};
use super::pieces::{BySide, MAX_TYPES, Pieces};
use super::symmetry::Symmetries;
use super::value;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::chesslike::AnyChessLike;
use jewel_engine::position::Position;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::variant::{Bare, Mark, Objective, Rules};
use thiserror::Error;

/// Why there can be no tables for a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Unsupported {
    /// There are more piece types than a class can count.
    #[error("tables are for games of at most {MAX_TYPES} piece types; this one has {0}")]
    Types(usize),
    /// There are a royal piece and a key.
    #[error("there are no tables for games with both a royal piece and a key")]
    RoyalAndKey,
    /// There is a royal piece, and having no move wins: such a position would look like one in which the royal piece can be
    /// captured.
    #[error("there are no tables for games with a royal piece in which having no move wins")]
    StuckWins,
    /// There is a royal piece, and a move may make the opponent win by extinction: the position after it would look like one in
    /// which the royal piece can be captured.
    #[error(
        "there are no tables for games with a royal piece in which a move can win the game for the opponent by extinction"
    )]
    ExtinctionWins,
    /// There are pieces in hand.
    #[error("there are no tables yet for games with pieces in hand; solve them with --method graph")]
    Hands,
    /// Pieces promote otherwise than by any move that ends in their zone.
    #[error(
        "there are no tables yet for games in which pieces promote as they leave their zone, or by captures alone"
    )]
    Promotion,
    /// Letters alone do not tell the types apart.
    #[error(
        "there are no tables yet for games without hands whose letters have a mark, such as +P; give the type a letter of its own"
    )]
    Marks,
    /// Play that repeats is won or lost.
    #[error(
        "in this game a repetition may be won or lost, and solvers take play that never ends for a draw: solve it with repetition = \"draw\", or with draw.repetition = 0"
    )]
    Repetition,
    /// A goal counts at once if no enemy attacks it.
    #[error("there are no tables yet for games with objective = \"try\"")]
    Try,
    /// Captures are compulsory.
    #[error("there are no tables for games in which captures are compulsory")]
    MustCapture,
    /// Pieces promote in a circle.
    #[error("the pieces of this game promote in a circle ({0}), so its classes have no order")]
    Circle(String),
    /// There are more classes than anybody could solve.
    #[error("there are more than {0} classes: name one, or bound the number of pieces")]
    Classes(usize),
}

/// A whole game as plain data, and the rules themselves for what is asked rarely.
#[derive(Clone, Debug)]
pub(crate) struct GameData<'r> {
    pub(crate) rules: &'r Rules,
    /// The number of squares of the board.
    pub(crate) squares: usize,
    /// The piece types, by side.
    pub(crate) kinds: BySide<Vec<Kind>>,
    /// What a piece has to do on a goal to win; `None` where there are no goals.
    pub(crate) objective: Option<Objective>,
    /// The types that capture *en passant*, a bit each.
    pub(crate) captors: u32,
    /// The type that must not be left attacked.
    pub(crate) royal: Option<usize>,
    /// What a side to move gets that has no move and is attacked.
    pub(crate) checkmate: Outcome,
    /// What a side to move gets that has no move otherwise.
    pub(crate) stalemate: Outcome,
    /// Whether a position is drawn once no piece of either side can reach a goal any more.
    pub(crate) dead_draws: bool,
    /// What keeps the pieces.
    pub(crate) symmetries: Symmetries,
    /// Material of the start position.
    pub(crate) start: Class,
}

impl<'r> GameData<'r> {
    /// Takes the rules apart.
    ///
    /// # Errors
    /// If tables cannot be made for a game with these rules.
    pub(crate) fn new(rules: &'r Rules) -> Result<GameData<'r>, Unsupported> {
        let start = AnyChessLike::from_fen(rules, &rules.start)
            .unwrap_or_else(|e| unreachable!("the start was checked when the rules were read: {e}"));
        GameData::from_start(rules, &pieces_of(rules, &start))
    }

    /// The same with another start position.
    pub(crate) fn from_start(rules: &'r Rules, start: &Pieces) -> Result<GameData<'r>, Unsupported> {
        check(rules)?;
        let types = rules.type_count();
        let squares = rules.geometry.squares().count();
        let allowed = reachable(rules, start);
        let new = |side, kind| Kind::new(rules, side, kind, allowed[side][kind], squares);
        let kinds = BySide::from_fn(|side| (0..types).map(|kind| new(side, kind)).collect());
        Ok(GameData {
            rules,
            squares,
            symmetries: Symmetries::new(rules, &kinds),
            kinds,
            objective: rules.key.as_ref().map(|key| key.objective),
            captors: (0..types)
                .filter(|&k| rules.captures_en_passant(k as u8))
                .fold(0, |set, k| set | 1 << k),
            royal: rules.royal.map(usize::from),
            checkmate: rules.checkmate,
            stalemate: rules.stalemate,
            dead_draws: rules.key.is_some() && rules.bare != Bare::Loses && rules.extinction.is_none(),
            start: Class::from_pieces(start),
        })
    }

    /// Whether a class is decided by what is on the board: a side without pieces, an extinction, material that is
    /// declared a draw. A class without positions counts too: nothing leads to it.
    pub(crate) fn terminal(&self, class: Class) -> bool {
        if self.rules.is_insufficient(|side, kind| class.0[side][usize::from(kind)]) {
            return true;
        }
        let extinct = |side: Side| {
            let mut kinds = self.rules.extinction.iter();
            kinds.any(|(kinds, _)| kinds.iter().all(|&k| class.0[side][usize::from(k)] == 0))
        };
        Side::BOTH.into_iter().any(|side| class.pieces_of(side) == 0 || extinct(side))
            || !self.has_room(class)
    }

    /// Whether there is a square for every piece of a class: a class without positions has no table.
    fn has_room(&self, class: Class) -> bool {
        let kinds = Side::BOTH.into_iter().flat_map(|side| self.kinds[side].iter().zip(class.0[side]));
        let pieces: Vec<Bitboard> =
            kinds.flat_map(|(kind, count)| std::iter::repeat_n(kind.allowed, count.into())).collect();
        let mut holders = [None; 64];
        (0..pieces.len()).all(|piece| settle(&pieces, piece, &mut holders, &mut Bitboard::default()))
    }

    /// Whether a piece of `side` could capture on a square, `occupied` being the occupied squares.
    pub(crate) fn attacked(&self, m: &Pieces, side: Side, target: Square, occupied: Bitboard) -> bool {
        self.kinds[side].iter().zip(&m[side]).any(|(kind, &set)| {
            set.into_iter().any(|from| {
                let mut attacks = kind.attacks[from.index()].iter();
                attacks.any(|step| step.to == target && (step.path & occupied).is_empty())
            })
        })
    }

    /// Whether a side has a move in a position.
    pub(crate) fn movable(&self, m: &Pieces, side: Side) -> bool {
        let prey = m.occupied_by(!side);
        let occupied = prey | m.occupied_by(side);
        self.kinds[side].iter().zip(&m[side]).any(|(kind, &set)| {
            set.into_iter().map(Square::index).any(|from| {
                kind.quiet[from].iter().any(|step| (occupied & step.clear()).is_empty())
                    || kind.attacks[from]
                        .iter()
                        .any(|step| prey.has(step.to) && (step.path & occupied).is_empty())
                    || kind.promoting[from].iter().any(|p| p.quiet && (occupied & p.step.clear()).is_empty())
            })
        })
    }

    /// Whether the side to move could capture the other side's royal piece: no game leads to such a position.
    pub(crate) fn illegal(&self, m: &Pieces, turn: Side) -> bool {
        self.royal.is_some_and(|royal| {
            let occupied = m.occupied();
            m[!turn][royal].into_iter().any(|square| self.attacked(m, turn, square, occupied))
        })
    }

    /// The value byte of a position of a terminal class by the rules. An illegal one gets the best value for the side to
    /// move, so that no move leads there.
    pub(crate) fn over(&self, m: &Pieces, turn: Side) -> u8 {
        if self.illegal(m, turn) {
            return value::ILLEGAL;
        }
        // A bare side that the rules spare and that is not to move has no outcome: no capture leads here.
        value::over(self.outcome(m, turn).unwrap_or(Outcome::Draw))
    }

    /// The outcome of a position by the rules, if the game is over.
    pub(crate) fn outcome(&self, m: &Pieces, turn: Side) -> Option<Outcome> {
        self.position(m, turn).outcome()
    }

    /// The position of the rules engine with these pieces.
    pub(crate) fn position(&self, m: &Pieces, turn: Side) -> AnyChessLike<'_> {
        let sets = Side::BOTH
            .into_iter()
            .flat_map(|side| (0..self.rules.type_count()).map(move |kind| (kind as u8, side, m[side][kind])));
        AnyChessLike::assemble(self.rules, turn, sets)
    }

    /// The pieces of a position of the rules engine.
    pub(crate) fn pieces(&self, position: &AnyChessLike<'_>) -> Pieces {
        pieces_of(self.rules, position)
    }
}

/// Finds a square for a piece, moving others that have one if need be; `pieces` are the squares that each may have, and
/// `tried` those that were looked at.
fn settle(
    pieces: &[Bitboard],
    piece: usize,
    holders: &mut [Option<usize>; 64],
    tried: &mut Bitboard,
) -> bool {
    for square in pieces[piece] {
        if tried.has(square) {
            continue;
        }
        *tried |= square.bit();
        if holders[square.index()].is_none_or(|other| settle(pieces, other, holders, tried)) {
            holders[square.index()] = Some(piece);
            return true;
        }
    }
    false
}

fn pieces_of(rules: &Rules, position: &AnyChessLike<'_>) -> Pieces {
    let mut pieces = Pieces::default();
    for side in Side::BOTH {
        for kind in 0..rules.type_count() {
            pieces[side][kind] = position.pieces(side, kind as u8);
        }
    }
    pieces
}

fn check(rules: &Rules) -> Result<(), Unsupported> {
    if rules.type_count() > MAX_TYPES {
        return Err(Unsupported::Types(rules.type_count()));
    }
    if rules.hand.is_some() {
        return Err(Unsupported::Hands);
    }
    if rules.pieces.iter().any(|piece| piece.mark != Mark::None) {
        return Err(Unsupported::Marks);
    }
    if !rules.endless_is_draw() {
        return Err(Unsupported::Repetition);
    }
    let special =
        |kind: u8| Side::BOTH.iter().any(|&side| rules.promotion(kind, side).is_some_and(|p| p.special));
    if (0..rules.type_count() as u8).any(special) {
        return Err(Unsupported::Promotion);
    }
    if rules.key.as_ref().is_some_and(|key| key.objective == Objective::Try) {
        return Err(Unsupported::Try);
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

/// Whether a move may make the opponent win by extinction: a capture where the side that has lost its pieces wins, or a
/// promotion of the mover's last such piece where that side loses.
fn extinction_may_win_for_opponent(rules: &Rules) -> bool {
    let promotes = |kind: u8| Side::BOTH.iter().any(|&side| rules.promotion(kind, side).is_some());
    match &rules.extinction {
        Some((_, Outcome::Win)) => true,
        Some((kinds, Outcome::Loss)) => kinds.iter().any(|&kind| promotes(kind)),
        _ => false,
    }
}
