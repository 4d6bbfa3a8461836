//! The handcrafted evaluation: weights laid out for speed, and the terms that depend on the whole board.

use super::files::Files;
use super::general::{General, Race, WHOLE};
use super::taper::Taper;
use super::weights::{Weights, WeightsError};
use super::{Evaluate, MAX_EVALUATION};
use jewel_engine::bitboard::Bitboard;
use jewel_engine::tactics::{PieceValues, Pieces};
use jewel_engine::value::Side;
use jewel_engine::variant::Rules;

/// The part of the handcrafted evaluation that is updated move by move: piece-square values, White's minus Black's, and
/// the phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PieceSquareState {
    score: Taper,
    phase: i32,
}

/// A tapered evaluation of pieces on squares: material, squares, mobility, royal safety, pawns, the key.
#[derive(Clone, Debug)]
pub struct HandcraftedEvaluation {
    /// By piece type, side and square: material, square and way to the key.
    pub(super) squares: Vec<[[Taper; 64]; 2]>,
    /// By piece type: what each piece adds to the phase.
    pub(super) phase: Vec<i32>,
    pub(super) full_phase: i32,
    /// The piece types whose mobility counts.
    pub(super) mobile: Vec<MobilePiece>,
    pub(super) pawns: Vec<Pawn>,
    /// Whether these are all types that are moved by shifts.
    pub(super) shifts_pawns: bool,
    pub(super) files: Files,
    pub(super) supported: Taper,
    pub(super) doubled: Taper,
    pub(super) royal: Option<Royal>,
    pub(super) key: Option<Key>,
    /// The types that can be in hand; none in most games.
    pub(super) held: Vec<Held>,
    pub(super) tempo: Taper,
    pub(super) values: PieceValues,
    /// Terms that games with weights of their own may lack.
    pub(super) general: Option<Box<General>>,
}

#[derive(Clone, Debug)]
pub(super) struct MobilePiece {
    pub(super) kind: u8,
    pub(super) mobility: Taper,
    /// By the squares that a piece attacks: what it is worth besides, if the weights have such terms.
    pub(super) curve: [Taper; 64],
    /// An enemy piece of this type that a pawn-like piece attacks, or another one of less worth.
    pub(super) by_pawn: Taper,
    pub(super) by_lesser: Taper,
    pub(super) ring: i32,
    /// What a piece means to a siege, in hundredths: less the more it is worth.
    pub(super) menace: i32,
}

/// A type that can be in hand.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) kind: u8,
    pub(super) worth: Taper,
    pub(super) phase: i32,
}

#[derive(Clone, Debug)]
pub(super) struct Royal {
    pub(super) kind: u8,
    pub(super) danger: Taper,
    /// By square of the royal piece: the squares on which attacks endanger it.
    pub(super) ring: [Bitboard; 64],
}

/// A pawn-like type.
#[derive(Clone, Debug)]
pub(super) struct Pawn {
    pub(super) kind: u8,
    /// By side and square: the bonus for passing, by moves to promotion.
    pub(super) passed: [[Taper; 64]; 2],
    /// By side: what the race to promotion adds.
    pub(super) race: Option<Box<[Race; 2]>>,
}

#[derive(Clone, Debug)]
pub(super) struct Key {
    /// By side: the squares that are fought for; none of a goal that is too wide for that.
    pub(super) squares: [Bitboard; 2],
    pub(super) eligible: Vec<u8>,
    /// By type and side: from where a piece attacks its key, if it is one square, with nothing in the way.
    pub(super) lines: Vec<[Bitboard; 2]>,
    /// By type and side: from where it could ever get there.
    pub(super) reach: Vec<[Bitboard; 2]>,
    pub(super) control: Taper,
    pub(super) blocked_line: Taper,
    pub(super) threat: Taper,
    pub(super) winning: Taper,
    pub(super) hopes: Taper,
    /// The way of a royal piece that wins by a step onto the key.
    pub(super) arrival: Option<Box<Arrival>>,
    /// Whether nothing else wins.
    pub(super) only_way: bool,
}

/// A royal piece that is farther from its key than this is not on its way.
pub(super) const MARCH: usize = 3;

/// The way of a royal piece to its key.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    pub(super) kind: u8,
    /// By side, square of the royal piece and moves on an empty board from 1: squares of the key.
    pub(super) near: [[[Bitboard; MARCH]; 64]; 2],
    /// By plies until it is there, from 1.
    pub(super) weights: [Taper; 2 * MARCH],
}

/// The advantage of a side that can no longer win is divided by this.
const HOPELESS: i32 = 16;

impl HandcraftedEvaluation {
    /// The evaluation of a game with weights derived from its rules.
    pub fn derived(rules: &Rules) -> HandcraftedEvaluation {
        HandcraftedEvaluation::compile(rules, &Weights::derived(rules), 1)
    }

    /// The evaluation of a game with these weights.
    ///
    /// # Errors
    /// If the weights are for other pieces or another board.
    pub fn new(rules: &Rules, weights: &Weights) -> Result<HandcraftedEvaluation, WeightsError> {
        weights.check(rules)?;
        Ok(HandcraftedEvaluation::compile(rules, weights, 1))
    }
}

impl<P: Pieces> Evaluate<P> for HandcraftedEvaluation {
    type State = PieceSquareState;

    fn begin(&self, position: &P) -> PieceSquareState {
        let mut state = PieceSquareState::default();
        for side in Side::BOTH {
            for (kind, &phase) in self.phase.iter().enumerate() {
                for square in position.pieces_of_kind(side, kind as u8) {
                    let weight = self.squares[kind][side.index()][square.index()];
                    state.score += if side == Side::White { weight } else { -weight };
                    state.phase += phase;
                }
            }
        }
        state
    }

    #[inline]
    fn advance(&self, before: &P, mv: P::Move, state: &PieceSquareState) -> PieceSquareState {
        let mut state = *state;
        before.changes(mv, |kind, side, square, arrives| {
            let (Some(table), Some(&phase)) =
                (self.squares.get(kind as usize), self.phase.get(kind as usize))
            else {
                return;
            };
            let weight = table[side.index()][square.index()];
            if arrives == (side == Side::White) {
                state.score += weight;
            } else {
                state.score -= weight;
            }
            state.phase += if arrives { phase } else { -phase };
        });
        state
    }

    #[inline(never)]
    fn evaluate(&self, position: &P, state: &PieceSquareState) -> i32 {
        let (relative, hopeless) = self.balance(position, state);
        let (opening, endgame) = (relative.opening(), relative.endgame());
        let endgame = match self.chances(position, endgame) {
            WHOLE => endgame,
            part => endgame * part / WHOLE,
        };
        self.blend(position, state, opening, endgame, hopeless)
    }

    /// Pieces on squares and in hand, and the fight for the key. In Ambush a proof search takes as many nodes with it as with
    /// the whole evaluation, and a fifth less time (`cargo bench -p jewel-benches --bench proofs`).
    fn outline(&self, position: &P) -> i32 {
        let state = <Self as Evaluate<P>>::begin(self, position);
        let (relative, hopeless) = self.relative(position, state.score);
        self.blend(position, &state, relative.opening(), relative.endgame(), hopeless)
    }

    #[inline(always)]
    fn exchange_values(&self) -> &PieceValues {
        &self.values
    }
}

/// An evaluation before its parts are blended, for the side to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct EvaluationParts {
    /// The sum of the opening's weights.
    pub(crate) opening: i32,
    /// The sum of the endgame's weights.
    pub(crate) endgame: i32,
    /// The opening's share, from 0 to 1.
    pub(crate) share: f64,
    /// The endgame's share: together they are less than 1 where an advantage is hard to win.
    pub(crate) endgame_share: f64,
    /// The factor of the blend.
    pub(crate) damping: f64,
}

impl EvaluationParts {
    /// The evaluation, but for rounding and its limits.
    pub(crate) fn value(&self) -> f64 {
        let (opening, endgame) = (f64::from(self.opening), f64::from(self.endgame));
        self.damping * (opening * self.share + endgame * self.endgame_share)
    }
}

impl HandcraftedEvaluation {
    /// The parts of a position's evaluation.
    pub(crate) fn parts<P: Pieces>(&self, position: &P) -> EvaluationParts {
        let state = self.begin(position);
        let (relative, hopeless) = self.balance(position, &state);
        let phase = state.phase + self.held_phase(position);
        let share = f64::from(phase.clamp(0, self.full_phase)) / f64::from(self.full_phase);
        let (opening, endgame) = (relative.opening(), relative.endgame());
        let chances = f64::from(self.chances(position, endgame)) / f64::from(WHOLE);
        let endgame_share = chances * (1.0 - share);
        let plain = EvaluationParts { opening, endgame, share, endgame_share, damping: 1.0 };
        let damped = hopeless[usize::from(plain.value() <= 0.0)];
        EvaluationParts { damping: if damped { 1.0 / f64::from(HOPELESS) } else { 1.0 }, ..plain }
    }

    /// All terms together for the side to move, and whether it and the other side are without hope of
    /// winning.
    #[inline(always)]
    fn balance<P: Pieces>(&self, position: &P, state: &PieceSquareState) -> (Taper, [bool; 2]) {
        let attacked = [self.pawn_attacks(position, Side::White), self.pawn_attacks(position, Side::Black)];
        let mut score = state.score;
        if let Some(general) = &self.general {
            score += self.general_terms(general, position, attacked);
        } else {
            score += self.activity(position, Side::White, attacked[1]);
            score -= self.activity(position, Side::Black, attacked[0]);
            if !self.pawns.is_empty() {
                score += self.pawns(position, Side::White, attacked[0]);
                score -= self.pawns(position, Side::Black, attacked[1]);
            }
        }
        self.relative(position, score)
    }

    /// White's score without hands and keys, with both for the side to move.
    #[inline(always)]
    fn relative<P: Pieces>(&self, position: &P, mut score: Taper) -> (Taper, [bool; 2]) {
        let mover = position.side_to_move();
        for held in &self.held {
            let count = |side| i32::from(position.in_hand(side, held.kind));
            score += held.worth * (count(Side::White) - count(Side::Black));
        }
        let mut hopeless = [false; 2];
        if let Some(key) = &self.key {
            for side in Side::BOTH {
                let (term, hope) = key.evaluate(position, side);
                score += if side == Side::White { term } else { -term };
                hopeless[usize::from(side != mover)] = !hope && key.only_way;
            }
        }
        (self.tempo + if mover == Side::White { score } else { -score }, hopeless)
    }

    /// Opening and endgame weighed by the phase, within bounds.
    #[inline(always)]
    fn blend<P: Pieces>(
        &self,
        position: &P,
        state: &PieceSquareState,
        opening: i32,
        endgame: i32,
        hopeless: [bool; 2],
    ) -> i32 {
        let phase = (state.phase + self.held_phase(position)).clamp(0, self.full_phase);
        let (opening, endgame) = (i64::from(opening), i64::from(endgame));
        let (phase, full) = (i64::from(phase), i64::from(self.full_phase));
        let blend = ((opening * phase + endgame * (full - phase)) / full) as i32;
        let blend = if hopeless[usize::from(blend <= 0)] { blend / HOPELESS } else { blend };
        blend.clamp(-MAX_EVALUATION, MAX_EVALUATION)
    }

    /// What a side's pawn-like pieces attack.
    #[inline(always)]
    fn pawn_attacks<P: Pieces>(&self, position: &P, side: Side) -> Bitboard {
        if self.shifts_pawns {
            return position.stepper_attacks(side);
        }
        let mut set = Bitboard::EMPTY;
        for pawn in &self.pawns {
            for from in position.pieces_of_kind(side, pawn.kind) {
                set |= position.attacks(pawn.kind, side, from);
            }
        }
        set
    }

    /// What the pieces in hand add to the phase.
    #[inline(always)]
    fn held_phase<P: Pieces>(&self, position: &P) -> i32 {
        let count = |side, held: &Held| i32::from(position.in_hand(side, held.kind));
        let both = |held| count(Side::White, held) + count(Side::Black, held);
        self.held.iter().map(|held| held.phase * both(held)).sum()
    }

    /// How much the endgame counts, of [`WHOLE`], if it is worth this for the side to move.
    #[inline(always)]
    fn chances<P: Pieces>(&self, position: &P, endgame: i32) -> i32 {
        let Some(chances) = self.general.as_ref().and_then(|general| general.winning_chances.as_ref()) else {
            return WHOLE;
        };
        let mover = position.side_to_move();
        chances.of(position, if endgame < 0 { !mover } else { mover })
    }

    /// Mobility, and attacks on the enemy's royal piece.
    #[inline(always)]
    fn activity<P: Pieces>(&self, position: &P, side: Side, guarded: Bitboard) -> Taper {
        let open = !(position.pieces_of(side) | guarded);
        let target = match &self.royal {
            Some(royal) => royal.ring[position.pieces_of_kind(!side, royal.kind).first().index()],
            None => Bitboard::EMPTY,
        };
        let (mut score, mut units, mut attackers) = (Taper::default(), 0, 0);
        for piece in &self.mobile {
            let mut squares = 0;
            for from in position.pieces_of_kind(side, piece.kind) {
                let attacks = position.attacks(piece.kind, side, from);
                squares += (attacks & open).count();
                let near = (attacks & target).count() as i32;
                units += near * piece.ring;
                attackers += i32::from(near > 0);
            }
            score += piece.mobility * squares as i32;
        }
        if let Some(royal) = &self.royal
            && attackers > 1
        {
            let danger = royal.danger * (units * units);
            score += Taper::new([danger.opening() / 64, danger.endgame() / 64]);
        }
        score
    }

    #[inline(always)]
    fn pawns<P: Pieces>(&self, position: &P, side: Side, attacked: Bitboard) -> Taper {
        let mut score = Taper::default();
        let (mut own, mut enemies) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for pawn in &self.pawns {
            own |= position.pieces_of_kind(side, pawn.kind);
            enemies |= position.pieces_of_kind(!side, pawn.kind);
        }
        score += self.supported * (own & attacked).count() as i32;
        score += self.doubled * (own & self.files.before(own, !side)).count() as i32;
        // An enemy pawn can stop those before it on its own and the neighbouring files.
        let stopped = self.files.before(self.files.widened(enemies), !side);
        for pawn in &self.pawns {
            for square in position.pieces_of_kind(side, pawn.kind) & !stopped {
                score += pawn.passed[side.index()][square.index()];
            }
        }
        score
    }
}

impl Key {
    /// A side's score in the fight for its key, and whether it could ever win there.
    #[inline(always)]
    fn evaluate<P: Pieces>(&self, position: &P, side: Side) -> (Taper, bool) {
        let s = side.index();
        let (own, enemies) = (position.pieces_of(side), position.pieces_of(!side));
        let (mut score, mut fought) = (Taper::default(), Taper::default());
        let mut fighters = Bitboard::EMPTY;
        for &kind in &self.eligible {
            fighters |= position.pieces_of_kind(side, kind);
        }
        if let Some(arrival) = &self.arrival {
            score += arrival.evaluate(position, side);
            fighters &= !position.pieces_of_kind(side, arrival.kind);
        }
        for square in self.squares[s] {
            let attackers = position.attackers(square, own | enemies);
            let (ours, theirs) = (attackers & own, attackers & enemies);
            score += self.control * ours.count() as i32;
            for (kind, lines) in self.lines.iter().enumerate() {
                let blocked =
                    position.pieces_of_kind(side, kind as u8) & lines[s] & !attackers & !square.bit();
                score += self.blocked_line * blocked.count() as i32;
            }
            if (fighters & ours).any() && ours.count() > theirs.count() && !own.has(square) {
                fought = if position.side_to_move() == side { self.winning } else { self.threat };
            }
        }
        let mut hopes = 0;
        for &kind in &self.eligible {
            let pieces = position.pieces_of_kind(side, kind);
            hopes += (pieces & self.reach[kind as usize][s]).count() as i32;
        }
        score += fought + self.hopes * hopes.min(3);
        (score, hopes > 0)
    }
}

impl Arrival {
    /// What it is worth that a side's royal piece could soon step onto its key: the way there may still be barred, but the
    /// square itself is neither its own nor attacked.
    #[inline(always)]
    fn evaluate<P: Pieces>(&self, position: &P, side: Side) -> Taper {
        let (own, enemies) = (position.pieces_of(side), position.pieces_of(!side));
        let from = position.pieces_of_kind(side, self.kind).first();
        let open = |square| (position.attackers(square, own | enemies) & enemies).is_empty();
        let ways = &self.near[side.index()][from.index()];
        match ways.iter().position(|&squares| (squares & !own).into_iter().any(open)) {
            Some(before) => self.weights[2 * before + usize::from(position.side_to_move() != side)],
            None => Taper::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Term;
    use jewel_engine::ability::{Game, Packed, Symmetric};
    use jewel_engine::chesslike::{ChessGame, General};
    use jewel_engine::games::{GAMES, find};
    use jewel_engine::position::{Position, list_moves};
    use jewel_engine::with_leanest_game;
    use jewel_engine::zobrist::splitmix64;

    /// Plays at random and compares what is carried along with what is computed afresh, and each position
    /// with its image.
    struct Walk(u64);

    impl Walk {
        fn visit<G>(self, game: G)
        where
            G: Game,
            G::Position: Packed + Symmetric + Pieces,
        {
            let mut random = self.0;
            for _ in 0..20 {
                let mut position = game.start();
                let evaluation = HandcraftedEvaluation::derived(position.rules());
                let mut state = evaluation.begin(&position);
                for _ in 0..80 {
                    assert_eq!(state, evaluation.begin(&position));
                    let worth = evaluation.evaluate(&position, &state);
                    let outline = evaluation.outline(&position);
                    for (symmetry, exchange) in position.symmetries() {
                        let Some(image) = position.transformed(symmetry, exchange) else { continue };
                        assert_eq!(evaluation.evaluate_afresh(&image), worth, "{position:?} {symmetry:?}");
                        assert_eq!(evaluation.outline(&image), outline, "{position:?} {symmetry:?}");
                    }
                    let moves = list_moves(&position);
                    if moves.is_empty() {
                        break;
                    }
                    random = splitmix64(random).1;
                    let mv = moves[(random % moves.len() as u64) as usize];
                    state = evaluation.advance(&position, mv, &state);
                    position.play(mv);
                }
            }
        }
    }

    /// A game in which a king wins by a step onto one of these squares.
    fn hill(goals: &str) -> Rules {
        let text = format!(
            "id = \"hill\"\nname = \"Hill\"\n[board]\nsize = \"7x7\"\nstart = \"r2k3/ppppppp/7/7/7/PPPPPPP/R2K3 w - - 0 1\"\n\
             [[piece]]\nletter = \"P\"\nmoves = \"mfWcfF\"\n[[piece]]\nletter = \"R\"\nmoves = \"R\"\n\
             [[piece]]\nletter = \"K\"\nmoves = \"K\"\nroyal = true\n\
             [key]\ngoals = {goals}\nobjective = \"reach\"\neligible = \"K\"\n[end]\ncheckmate = \"loss\"\n"
        );
        Rules::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    const MIDDLE: &str = "{ w = [\"d4\"], b = [\"d4\"] }";
    const LAST_RANK: &str = "{ w = [\"rank 7\"], b = [\"rank 1\"] }";

    #[test]
    fn states_follow_moves_and_images_are_worth_the_same() {
        for game in &GAMES {
            with_leanest_game!(game.rules(), game => Walk(3).visit(game));
        }
        for goals in [MIDDLE, LAST_RANK] {
            with_leanest_game!(&hill(goals), game => Walk(3).visit(game));
        }
    }

    /// With no other weights than those of [`KeyWeights::arrival`](crate::evaluate::KeyWeights::arrival), 10 for one ply
    /// and 60 for six.
    #[test]
    fn a_royal_piece_is_on_its_way_to_squares_of_the_key_that_are_open() {
        let worth = |goals: &str, fen: &str| {
            let rules = hill(goals);
            let mut weights = Weights::derived(&rules);
            for (term, pair) in weights.terms_mut() {
                *pair = match term {
                    Term::Arrival(plies) => [10 * i32::from(plies); 2],
                    _ => [0; 2],
                };
            }
            weights.general.units = Default::default();
            let evaluation = HandcraftedEvaluation::new(&rules, &weights).unwrap();
            let game = ChessGame::<General, 32>::new(&rules).unwrap();
            evaluation.evaluate_afresh(&game.parse_position(fen).unwrap())
        };
        // To move, and not to move. A king next to the square bars the other's way.
        assert_eq!(worth(MIDDLE, "6k/7/7/7/7/3K3/7 w - - 0 1"), 30 - 60);
        assert_eq!(worth(MIDDLE, "6k/7/7/7/7/3K3/7 b - - 0 1"), 50 - 40);
        assert_eq!(worth(MIDDLE, "6k/7/7/7/3K3/7/7 w - - 0 1"), 10);
        // Attacked, or taken by an own piece.
        assert_eq!(worth(MIDDLE, "6k/7/7/r6/7/3K3/7 w - - 0 1"), -60);
        assert_eq!(worth(MIDDLE, "6k/7/2p4/7/7/3K3/7 w - - 0 1"), -60);
        assert_eq!(worth(MIDDLE, "6k/7/3p3/7/7/3K3/7 w - - 0 1"), 30 - 60);
        assert_eq!(worth(MIDDLE, "6k/7/7/3P3/7/3K3/7 w - - 0 1"), -60);
        // Of several squares the nearest one that is open; a king that is four moves away is not on its way.
        assert_eq!(worth(LAST_RANK, "7/3K3/r6/6k/7/7/7 w - - 0 1"), 10 - 60);
        assert_eq!(worth(LAST_RANK, "r6/3K3/6k/7/7/7/7 w - - 0 1"), 50);
        assert_eq!(worth(LAST_RANK, "7/7/3K3/6k/7/7/7 b - - 0 1"), 50 - 40);
    }

    /// Without mobility and pawns nothing is left to the outline but pieces on squares, so it is the whole evaluation where
    /// the weights have no more.
    #[test]
    fn the_outline_leaves_out_what_depends_on_the_whole_board() {
        let rules = find("ambush").unwrap().rules();
        let evaluation = HandcraftedEvaluation::derived(rules);
        let bare =
            HandcraftedEvaluation { mobile: vec![], pawns: vec![], general: None, ..evaluation.clone() };
        with_leanest_game!(rules, game => outlines(game, &evaluation, &bare));
    }

    fn outlines<G: Game<Position: Pieces>>(
        game: G,
        evaluation: &HandcraftedEvaluation,
        bare: &HandcraftedEvaluation,
    ) {
        let mut position = game.start();
        for n in 0..40 {
            let moves = list_moves(&position);
            let Some(&mv) = moves.get(n * 7 % moves.len().max(1)) else { break };
            position.play(mv);
            assert_eq!(evaluation.outline(&position), bare.evaluate_afresh(&position), "{position:?}");
        }
    }

    #[test]
    fn derived_values_are_sensible() {
        let values = |id: &str| {
            let rules = find(id).unwrap().rules();
            let values = HandcraftedEvaluation::derived(rules).values;
            move |letter: char| values[rules.type_of(letter).unwrap() as usize]
        };
        let chess = values("diamond-chess");
        assert!(chess('R') > chess('B') && chess('R') > chess('N') + 80);
        assert!(chess('N') > 2 * chess('P') && chess('B') > 2 * chess('P'));
        assert!((60..150).contains(&chess('P')), "{}", chess('P'));
        assert!((400..680).contains(&chess('R')), "{}", chess('R'));
        let crystal = values("crystal-of-doom");
        assert!(crystal('C') > crystal('R'));
        // No side wins without its Princess.
        assert!(values("diamond-qi")('K') > chess('R'));
    }
}
