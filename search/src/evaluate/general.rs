//! What the handcrafted evaluation knows of any chess-like game besides worth, squares and mobility: threats, the structure
//! of pawns and the race of those that pass, endgames without winning chances, and the safety of royal pieces
//! (`royal_safety.rs`). Games whose weights have none of these terms do not pay for them.

use super::files::Files;
use super::hand::HandcraftedEvaluation;
use super::taper::Taper;
use super::weights::AttackUnits;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::tactics::Pieces;
use jewel_engine::value::Side;

/// Distances of royal pieces are not told apart beyond this number of moves.
pub(super) const FAR: u8 = 7;

/// The endgame's weight where both sides can still win, in this many parts.
pub(super) const WHOLE: i32 = 64;

#[derive(Clone, Debug)]
pub(super) struct General {
    pub(super) pair: Taper,
    /// Types whose pieces never leave squares of one colour.
    pub(super) bound: Vec<u8>,
    pub(super) dark: Bitboard,
    pub(super) isolated: Taper,
    pub(super) phalanx: Taper,
    pub(super) backward: Taper,
    pub(super) shelter: Taper,
    pub(super) exposed: Taper,
    pub(super) bare_file: Taper,
    pub(super) storm: Taper,
    pub(super) by_step: Taper,
    pub(super) hanging: Taper,
    pub(super) outnumbered: Taper,
    pub(super) contested: Taper,
    pub(super) outpost: Taper,
    pub(super) half_open: Taper,
    pub(super) open: Taper,
    pub(super) space: Taper,
    pub(super) same_colour: Taper,
    /// Types that move along files.
    pub(super) vertical: Vec<u8>,
    /// Whether pawn-like pieces step forward and take to both sides of that.
    pub(super) takes_beside: bool,
    /// By side: the enemy's half of the board and the own one, without a rank in the middle.
    pub(super) far_half: [Bitboard; 2],
    pub(super) near_half: [Bitboard; 2],
    /// By side and square of its royal piece: where pawns of the enemy storm it.
    pub(super) storms: Box<[[Bitboard; 64]; 2]>,
    pub(super) units: AttackUnits,
    /// The types that can be dropped; none in games without hands.
    pub(super) dropped: Vec<Dropped>,
    /// Types of great worth, whose loss makes attacks less dangerous.
    pub(super) mighty: Vec<u8>,
    pub(super) hunt: Taper,
    /// By squares: the moves of the royal piece from one to the other on an empty board.
    pub(super) steps: Option<Box<[[u8; 64]; 64]>>,
    /// By side and square of the royal piece: where pawns shelter it.
    pub(super) shelters: Box<[[Bitboard; 64]; 2]>,
    /// By square of the royal piece: it and the squares around, three by three of them at the rim, too.
    pub(super) surroundings: Box<[Bitboard; 64]>,
    /// By side and square of the royal piece: the part of the board where attackers gather.
    pub(super) flanks: Box<[[Bitboard; 64]; 2]>,
    pub(super) winning_chances: Option<WinningChances>,
    pub(super) extinction: Option<Extinction>,
}

/// How much an advantage in the endgame counts in games that only checkmate wins.
#[derive(Clone, Debug)]
pub(super) struct WinningChances {
    /// The types that can promote.
    pub(super) promotable: Vec<u8>,
    /// Pieces of these types that a side begins with.
    pub(super) first: i32,
    /// By type: what a piece counts as material. Those that can promote and royal pieces do not count.
    pub(super) worth: Vec<i32>,
    /// Less material is no advantage that wins without pieces that can promote.
    pub(super) least: i32,
}

/// A type that can be dropped.
#[derive(Clone, Debug)]
pub(super) struct Dropped {
    pub(super) kind: u8,
    /// What it is in hand.
    pub(super) held: u8,
    /// By side: where.
    pub(super) zone: [Bitboard; 2],
}

/// Types whose extinction ends the game.
#[derive(Clone, Debug)]
pub(super) struct Extinction {
    pub(super) kinds: Vec<u8>,
    /// By the pieces that a side still has.
    pub(super) remaining: Vec<Taper>,
}

/// What passed pieces of a type gain, by square.
#[derive(Clone, Debug)]
pub(super) struct Race {
    pub(super) free: [Taper; 64],
    pub(super) safe: [Taper; 64],
    pub(super) chase: [Taper; 64],
    pub(super) escort: [Taper; 64],
    /// The square that is entered next.
    pub(super) next: [Square; 64],
}

/// What several terms ask of a position, found once; all by side.
pub(super) struct Common {
    /// Where the royal pieces are; any square in games without them.
    pub(super) royals: [Square; 2],
    /// What pawn-like pieces attack.
    pub(super) stepped: [Bitboard; 2],
    pub(super) reach: [Reach; 2],
    /// The pawn-like pieces.
    pub(super) pawns: [Bitboard; 2],
    /// The squares in front of them, and those behind them.
    pub(super) ahead: [Bitboard; 2],
    pub(super) behind: [Bitboard; 2],
}

/// What a side attacks.
pub(super) struct Reach {
    /// By all pieces but the royal one.
    pub(super) guard: Bitboard,
    /// By all pieces.
    pub(super) all: Bitboard,
    /// By more than one, the royal one included.
    pub(super) twice: Bitboard,
    /// From where pieces can give check, whether that is safe or not.
    pub(super) checks: Bitboard,
    /// How often squares around the enemy's royal piece are attacked, and by how many pieces.
    pub(super) near: i32,
    pub(super) attackers: i32,
    /// How many pieces attack its surroundings, and the sum of what each means to a siege.
    pub(super) besiegers: i32,
    pub(super) menace: i32,
}

impl HandcraftedEvaluation {
    /// Mobility, threats, safety and pawns: White's less Black's.
    #[inline(always)]
    pub(super) fn general_terms<P: Pieces>(
        &self,
        general: &General,
        position: &P,
        stepped: [Bitboard; 2],
    ) -> Taper {
        let royal = |side| match &self.royal {
            Some(royal) => position.pieces_of_kind(side, royal.kind).first(),
            None => Square::new(0),
        };
        // Both sides by name: what is mapped over an array of two is called, not inlined, and a tenth slower.
        let royals = [royal(Side::White), royal(Side::Black)];
        let (white, white_reach) = self.reach(general, position, Side::White, stepped, royals);
        let (black, black_reach) = self.reach(general, position, Side::Black, stepped, royals);
        let mut score = white - black;
        let pawns = [self.pawn_set(position, Side::White), self.pawn_set(position, Side::Black)];
        let before = |set, side| self.files.before(set, side);
        let common = Common {
            royals,
            stepped,
            reach: [white_reach, black_reach],
            pawns,
            ahead: [before(pawns[0], Side::White), before(pawns[1], Side::Black)],
            behind: [before(pawns[0], Side::Black), before(pawns[1], Side::White)],
        };
        for side in Side::BOTH {
            let mut own = self.attack(general, position, side, &common);
            if !self.pawns.is_empty() {
                own += self.structure(general, position, side, &common);
            }
            if let Some(extinction) = &general.extinction {
                own += extinction.of(position, side);
            }
            if side == Side::White { score += own } else { score -= own }
        }
        score
    }

    /// Mobility, and threats of pieces of less worth to those of more; and what the side attacks.
    #[inline(always)]
    fn reach<P: Pieces>(
        &self,
        general: &General,
        position: &P,
        side: Side,
        stepped: [Bitboard; 2],
        royals: [Square; 2],
    ) -> (Taper, Reach) {
        let (us, them) = (side.index(), (!side).index());
        let own = position.pieces_of(side);
        let open = !(own | stepped[them]);
        let (target, around) = match &self.royal {
            Some(royal) => (royal.ring[royals[them].index()], general.surroundings[royals[them].index()]),
            None => (Bitboard::EMPTY, Bitboard::EMPTY),
        };
        let (mut guard, mut checks) = (Bitboard::EMPTY, Bitboard::EMPTY);
        let mut twice = Bitboard::EMPTY;
        let (mut near, mut attackers, mut besiegers, mut menace) = (0, 0, 0, 0);
        let mut score = Taper::default();
        // From the least worth to the greatest.
        for piece in &self.mobile {
            let preys = position.pieces_of_kind(!side, piece.kind);
            if preys.any() {
                score += piece.by_pawn * (preys & stepped[us]).count() as i32;
                score += piece.by_lesser * (preys & guard & !stepped[us]).count() as i32;
            }
            let pieces = position.pieces_of_kind(side, piece.kind);
            if pieces.is_empty() {
                continue;
            }
            let (mut all, mut squares) = (Bitboard::EMPTY, 0);
            for from in pieces {
                let attacks = position.attacks(piece.kind, side, from);
                twice |= (guard | all) & attacks;
                all |= attacks;
                let mobility = (attacks & open).count();
                squares += mobility;
                score += piece.curve[mobility as usize & 63];
                let squares = (attacks & target).count() as i32;
                near += squares;
                attackers += i32::from(squares > 0);
                let besieges = i32::from((attacks & around).any());
                besiegers += besieges;
                menace += besieges * piece.menace;
            }
            score += piece.mobility * squares as i32;
            guard |= all;
            if target.any() {
                // The other side's attacks are ours in the mirror of ranks.
                checks |= all & !own & position.attacks(piece.kind, !side, royals[them]);
            }
        }
        if general.bound.iter().any(|&kind| {
            let pieces = position.pieces_of_kind(side, kind);
            (pieces & general.dark).any() && (pieces & !general.dark).any()
        }) {
            score += general.pair;
        }
        twice |= guard & stepped[us];
        guard |= stepped[us];
        besiegers += (stepped[us] & around).count() as i32;
        let by_royal = match &self.royal {
            Some(royal) => position.attacks(royal.kind, side, royals[us]),
            None => Bitboard::EMPTY,
        };
        twice |= guard & by_royal;
        let all = guard | by_royal;
        (score, Reach { guard, all, twice, checks, near, attackers, besiegers, menace })
    }

    /// Undefended pieces, and attacks on the enemy's royal piece.
    #[inline(always)]
    fn attack<P: Pieces>(&self, general: &General, position: &P, side: Side, common: &Common) -> Taper {
        let Common { royals, stepped, reach, .. } = common;
        let (us, them) = (side.index(), (!side).index());
        let (ours, theirs) = (&reach[us], &reach[them]);
        let enemies = position.pieces_of(!side);
        let loose = enemies & ours.all & !theirs.all;
        let contested = ours.all & theirs.all & !stepped[them] & !(theirs.twice & !ours.twice);
        let outnumbered = enemies & ours.twice & theirs.all & !stepped[them] & !theirs.twice;
        let mut score = general.contested * contested.count() as i32;
        let Some(royal) = &self.royal else {
            score += general.outnumbered * outnumbered.count() as i32;
            return score + general.hanging * loose.count() as i32;
        };
        let square = royals[them];
        score += general.outnumbered * (outnumbered & !square.bit()).count() as i32;
        score += general.hanging * (loose & !square.bit()).count() as i32;
        score += self.danger(general, royal, position, side, common);
        if enemies.is_single()
            && let Some(steps) = &general.steps
        {
            score += general.hunt * i32::from(FAR - steps[royals[us].index()][square.index()]);
        }
        score
    }

    /// A side's pawn-like pieces.
    #[inline(always)]
    fn pawn_set<P: Pieces>(&self, position: &P, side: Side) -> Bitboard {
        self.pawns.iter().fold(Bitboard::EMPTY, |set, pawn| set | position.pieces_of_kind(side, pawn.kind))
    }

    /// What pawn-like pieces give the others: outposts, space, and attacks after a step.
    #[inline(always)]
    fn room<P: Pieces>(&self, general: &General, position: &P, side: Side, common: &Common) -> Taper {
        let Common { royals, stepped, reach, pawns, .. } = common;
        let (us, them) = (side.index(), (!side).index());
        let (own, enemies) = (pawns[us], pawns[them]);
        let mut posts = position.pieces_of(side) & !own & stepped[us] & general.far_half[us];
        if self.royal.is_some() {
            posts &= !royals[us].bit();
        }
        let posts = posts & !self.files.beside(common.ahead[them]);
        let mut score = general.outpost * posts.count() as i32;
        let squares = general.near_half[us] & common.behind[us] & !own & !stepped[them];
        score += general.space * squares.count() as i32;
        if general.takes_beside {
            let occupied = position.pieces_of(side) | position.pieces_of(!side);
            let steps = self.files.one_back(own, !side) & !occupied & !stepped[them];
            let safe = steps & (reach[us].all | !reach[them].all);
            let preys = self.files.beside(self.files.one_back(safe, !side)) & !stepped[us];
            score += general.by_step * (preys & position.pieces_of(!side) & !enemies).count() as i32;
        }
        score
    }

    #[inline(always)]
    fn structure<P: Pieces>(&self, general: &General, position: &P, side: Side, common: &Common) -> Taper {
        let Common { royals, stepped, reach, pawns, .. } = common;
        let (us, them) = (side.index(), (!side).index());
        let mut score = Taper::default();
        let (own, enemies) = (pawns[us], pawns[them]);
        let (before, behind) = (common.ahead[us], common.behind[us]);
        if self.royal.is_some() {
            let shelter = |square| self.shelter(general, own, behind, side, square);
            let here = shelter(royals[us]);
            // A right to castle is worth the shelter that waits there.
            let castled = position.castling_squares(side).into_iter().map(|square| shelter(square).opening());
            let gain = castled.max().map_or(0, |there| (there - here.opening()).max(0));
            score += here + Taper::new([gain, 0]);
            score += general.storm * (own & general.storms[them][royals[them].index()]).count() as i32;
        }
        let filled = own | before | behind;
        for &kind in &general.vertical {
            let half_open = position.pieces_of_kind(side, kind) & !filled;
            if half_open.any() {
                let blocked = enemies | common.ahead[them] | common.behind[them];
                score += general.half_open * half_open.count() as i32;
                score += general.open * (half_open & !blocked).count() as i32;
            }
        }
        if own.is_empty() {
            return score;
        }
        for &kind in &general.bound {
            let pieces = position.pieces_of_kind(side, kind);
            if pieces.any() {
                let on_dark = (pieces & general.dark).count() * (own & general.dark).count();
                let on_light = (pieces & !general.dark).count() * (own & !general.dark).count();
                score += general.same_colour * (on_dark + on_light) as i32;
            }
        }
        let occupied = position.pieces_of(side) | position.pieces_of(!side);
        score += self.room(general, position, side, common);
        score += self.supported * (own & stepped[us]).count() as i32;
        score += self.doubled * (own & behind).count() as i32;
        score += general.phalanx * (own & self.files.beside(own)).count() as i32;
        let isolated = own & !self.files.beside(filled);
        score += general.isolated * isolated.count() as i32;
        // No other can come beside it any more, and the square before it is taken or attacked by an enemy's pawn.
        let alone = own & !isolated & !self.files.beside(own | before);
        let halted = self.files.one_back(stepped[them] | enemies, side);
        score += general.backward * (alone & halted).count() as i32;
        // An enemy pawn can stop those before it on its own and the neighbouring files.
        let stopped = self.files.widened(common.ahead[them]);
        let passed = own & !stopped;
        if passed.is_empty() {
            return score;
        }
        for pawn in &self.pawns {
            for square in position.pieces_of_kind(side, pawn.kind) & passed {
                score += pawn.passed[us][square.index()];
                if let Some(race) = &pawn.race {
                    score += general.race(
                        &race[us],
                        &self.files,
                        side,
                        square,
                        [occupied, reach[them].all],
                        *royals,
                    );
                }
            }
        }
        score
    }
}

impl General {
    /// What a passed piece gains by the way before it: free, safe, and near to the royal pieces or not.
    #[inline(always)]
    fn race(
        &self,
        race: &Race,
        files: &Files,
        side: Side,
        square: Square,
        [occupied, attacked]: [Bitboard; 2],
        royals: [Square; 2],
    ) -> Taper {
        let (n, mut score) = (square.index(), Taper::default());
        let next = race.next[n];
        if !occupied.has(next) {
            score += race.free[n];
        }
        let way = files.before(square.bit(), side);
        if (way & (occupied | attacked)).is_empty() {
            score += race.safe[n];
        }
        if let Some(steps) = &self.steps {
            score += race.chase[n] * i32::from(steps[royals[(!side).index()].index()][next.index()]);
            score += race.escort[n] * i32::from(steps[royals[side.index()].index()][next.index()]);
        }
        score
    }
}

impl Extinction {
    #[inline(always)]
    fn of<P: Pieces>(&self, position: &P, side: Side) -> Taper {
        let left: u32 = self.kinds.iter().map(|&kind| position.pieces_of_kind(side, kind).count()).sum();
        self.remaining.get(left as usize).or(self.remaining.last()).copied().unwrap_or_default()
    }
}

impl WinningChances {
    /// How much an advantage of a side in the endgame counts, of [`WHOLE`].
    #[inline(always)]
    pub(super) fn of<P: Pieces>(&self, position: &P, strong: Side) -> i32 {
        let left: u32 =
            self.promotable.iter().map(|&kind| position.pieces_of_kind(strong, kind).count()).sum();
        if left > 0 {
            return (36 + 56 * left as i32 / self.first).min(WHOLE);
        }
        let material = |side| -> i32 {
            let of = |(kind, &worth): (usize, &i32)| {
                position.pieces_of_kind(side, kind as u8).count() as i32 * worth
            };
            self.worth.iter().enumerate().map(of).sum()
        };
        let (ours, theirs) = (material(strong), material(!strong));
        if ours - theirs > self.least {
            return WHOLE;
        }
        if ours <= self.least { 1 } else { 12 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Constants, Evaluate, HandcraftedEvaluation, Weights};
    use jewel_engine::ability::Game;
    use jewel_engine::chesslike::{Chess, ChessGame};
    use jewel_engine::games::find;

    /// What a position of chess is worth to the side to move by these constants.
    fn worth_by(constants: &Constants, fen: &str) -> i32 {
        let game = ChessGame::<Chess, 8>::new(find("chess").unwrap().rules()).unwrap();
        let weights = Weights::derived_by(game.rules(), constants, 1);
        let evaluation = HandcraftedEvaluation::new(game.rules(), &weights).unwrap();
        evaluation.evaluate_afresh(&game.parse_position(fen).unwrap())
    }

    /// What positions of chess are worth to the side to move.
    fn worth(fens: [&str; 2]) -> [i32; 2] {
        fens.map(|fen| worth_by(&Constants::FITTED, fen))
    }

    fn is_better(better: &str, worse: &str) {
        let [a, b] = worth([better, worse]);
        assert!(a > b, "{better} {a}, {worse} {b}");
    }

    #[test]
    fn material_that_cannot_win_is_worth_little() {
        let [bishop, rook] = worth(["4k3/8/8/8/8/8/8/2B1K3 w - - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"]);
        assert!((0..60).contains(&bishop) && rook > 400, "{bishop} {rook}");
        let [rooks, more] = worth(["r3k3/8/8/8/8/8/8/R2BK3 w - - 0 1", "r3k3/8/8/8/8/8/P7/R2BK3 w - - 0 1"]);
        assert!((0..200).contains(&rooks) && more > 2 * rooks.max(50), "{rooks} {more}");
        // To defend is as hard for Black.
        let [white, black] = worth(["4k3/8/8/8/8/8/8/2B1K3 b - - 0 1", "2b1k3/8/8/8/8/8/8/4K3 w - - 0 1"]);
        assert_eq!(white, black);
    }

    #[test]
    fn a_bare_king_is_hunted() {
        is_better("8/8/8/8/8/5k2/8/Q4K2 w - - 0 1", "8/5k2/8/8/8/8/8/Q4K2 w - - 0 1");
    }

    #[test]
    fn bishops_of_both_colours_are_a_pair() {
        is_better(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKNBR w - - 0 1",
        );
    }

    #[test]
    fn pawns_shelter_a_king() {
        is_better(
            "rnbq1rk1/pppp1ppp/8/8/8/8/3P1PPP/RNBQ1RK1 w - - 0 1",
            "rnbq1rk1/pppp1ppp/8/8/8/8/PPPP4/RNBQ1RK1 w - - 0 1",
        );
    }

    /// Takes a constant away.
    type Without = fn(&mut Constants);

    /// What a constant adds to the worth of a position of chess for the side to move.
    fn effect(fen: &str, without: Without) -> i32 {
        let mut constants = Constants::FITTED;
        without(&mut constants);
        worth_by(&Constants::FITTED, fen) - worth_by(&constants, fen)
    }

    #[test]
    fn each_attack_unit_counts_what_it_says() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1";
        let siege = "6k1/5ppp/8/6NQ/8/8/5PPP/6K1 w - - 0 1";
        let ray = "6k1/6n1/8/8/8/8/8/K2Q2R1 w - - 0 1";
        let units: [(&str, Without); 6] = [
            (siege, |c| c.near = 0.0),
            (siege, |c| c.siege = 0.0),
            (siege, |c| c.breach = 0.0),
            (siege, |c| c.crowd = 0.0),
            (siege, |c| c.check = 0.0),
            (ray, |c| c.ray = 0.0),
        ];
        for (fen, without) in units {
            assert!(effect(fen, without) > 5, "{fen} {}", effect(fen, without));
            assert_eq!(effect(start, without), 0);
        }
        // Nothing is in the way of the rook, or a pawn is.
        for fen in ["6k1/8/8/8/8/8/8/K2Q2R1 b - - 0 1", "6k1/6p1/8/8/8/8/8/K2Q2R1 w - - 0 1"] {
            assert_eq!(effect(fen, |c| c.ray = 0.0), 0, "{fen}");
        }
        // A slight danger counts more where it adds to something.
        assert!(effect(siege, |c| c.base = 1.0) > 10);
        // Without a queen the attack is not worth much.
        assert!(effect("6k1/5ppp/8/6NR/q7/8/5PPP/6K1 w - - 0 1", |c| c.calm = 0.0) < -5);
    }

    #[test]
    fn a_check_next_to_the_king_is_safe_with_a_second_attacker() {
        let check = |fen: &str| effect(fen, |c| c.check = 0.0);
        let [alone, two] =
            ["6k1/5pp1/8/8/8/N2Q4/8/K7 w - - 0 1", "6k1/5pp1/8/6N1/8/3Q4/8/K7 w - - 0 1"].map(check);
        assert!(two > alone + 20, "{two} {alone}");
    }

    #[test]
    fn a_right_to_castle_counts_for_the_shelter_that_waits() {
        let fens =
            ["KQ", "Q", "-"].map(|rights| format!("rnbq1rk1/pppp1ppp/8/8/8/8/5PPP/RNBQK2R w {rights} - 0 1"));
        let [king, queen, none] = fens.each_ref().map(|fen| worth([fen.as_str(); 2])[0]);
        assert!(king > none + 10, "{king} {none}");
        // Three pawns are on the one wing and none on the other.
        assert_eq!(queen, none);
        // It is worth less than to have castled, and nothing where the shelter is the same.
        is_better("rnbq1rk1/pppp1ppp/8/8/8/8/5PPP/RNBQ1RK1 w - - 0 1", &fens[0]);
        let [with, without] = worth(["4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 0 1"]);
        assert_eq!(with, without);
    }

    #[test]
    fn a_passed_pawn_likes_a_free_way_and_a_far_enemy_king() {
        is_better("k7/8/8/4P3/8/8/8/4K3 w - - 0 1", "4k3/8/8/4P3/8/8/8/4K3 w - - 0 1");
        is_better("n6k/8/4P3/8/8/8/8/4K3 w - - 0 1", "7k/4n3/4P3/8/8/8/8/4K3 w - - 0 1");
    }

    #[test]
    fn an_undefended_piece_that_is_attacked_is_a_weakness() {
        is_better(
            "r1bqkb1r/pppppppp/8/n7/8/2B5/PPPPPPPP/RN1QKBNR w KQkq - 0 1",
            "r1bqkb1r/p1pppppp/1p6/n7/8/2B5/PPPPPPPP/RN1QKBNR w KQkq - 0 1",
        );
    }
}
