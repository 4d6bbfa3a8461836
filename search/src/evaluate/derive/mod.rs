//! Weights derived from the rules alone: the moves of a piece give its worth.

mod constants;
mod extinction;
mod goals;
mod hands;
mod mobility;

pub use constants::{Constant, Constants};
pub(super) use extinction::pieces_of;
pub(super) use goals::{FAR, distances, key_distances, royal_arrives};

use extinction::{BURDEN_BY_LESSER, BURDEN_HANGING, BURDEN_IN_HAND, BURDEN_MOBILITY, PRECIOUS};
use goals::irreplaceable;

use super::start::Start;
use super::weights::{AttackUnits, GeneralWeights, KeyWeights, Pair, PieceWeights, Weights};
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::value::Side;
use jewel_engine::variant::{Captures, KeyRule, Objective, Rules};
use mobility::{Boards, Mobility};

/// What a reserve is worth of its worth on the board: pieces in hand to which captures add none, and that can be dropped on a
/// quarter of the board at most. Where they can be dropped on half of it, the whole worth is best (`docs/strength.md`).
const RESERVE: f64 = 0.85;

/// What a piece in hand is worth at least, of what it is worth on the board.
const LEAST_HELD: f64 = 0.5;

/// The mobility of a knight of chess, about: that of a piece whose worth is the unit of all.
const USUAL: f64 = 6.0;

/// What a piece gains that reaches the goal of a race, in centipawns.
const GOAL: f64 = 800.0;

impl Weights {
    /// Weights for a game without tuned ones: what [`Constants::FITTED`] make of its rules.
    pub fn derived(rules: &Rules) -> Weights {
        Weights::derived_by(rules, Constants::of(rules), 1)
    }

    /// Weights by other constants, in this part of a centipawn.
    ///
    /// A piece is worth a power of its average mobility on boards with other pieces on them. Where the rules give a value,
    /// that value is used.
    pub fn derived_by(rules: &Rules, constants: &Constants, unit: i32) -> Weights {
        Derivation::new(rules, constants, f64::from(unit)).weights()
    }
}

/// The derivation of the weights of one game.
struct Derivation<'a> {
    rules: &'a Rules,
    c: &'a Constants,
    unit: f64,
    start: Start<'a>,
    mobility: Vec<Mobility>,
    /// In the opening and in the endgame.
    worth: Vec<[f64; 2]>,
}

impl<'a> Derivation<'a> {
    fn new(rules: &'a Rules, c: &'a Constants, unit: f64) -> Derivation<'a> {
        let boards = Boards::new(rules);
        let kinds = 0..rules.type_count() as u8;
        let mobility: Vec<Mobility> = kinds.clone().map(|kind| Mobility::new(rules, &boards, kind)).collect();
        let worth = kinds
            .map(|kind| match rules.pieces[kind as usize].value {
                Some(value) => [f64::from(value); 2],
                None => worth(rules, c, kind, &mobility[kind as usize]),
            })
            .collect();
        Derivation { rules, c, unit, start: Start::of(rules), mobility, worth }
    }

    fn weights(&self) -> Weights {
        let (rules, c) = (self.rules, self.c);
        let gain = (0..rules.type_count() as u8).map(|kind| self.gain(kind)).fold(0.0, f64::max);
        let passed = [
            [c.passed_1_opening, c.passed_1_endgame],
            [c.passed_2_opening, c.passed_2_endgame],
            [c.passed_3_opening, c.passed_3_endgame],
            [c.passed_4_opening, c.passed_4_endgame],
            [c.passed_5_opening, c.passed_5_endgame],
            [c.passed_6_opening, c.passed_6_endgame],
        ];
        Weights {
            game: rules.id.clone(),
            origin: "derived from the rules".to_string(),
            pieces: (0..rules.type_count() as u8).map(|kind| self.piece(kind)).collect(),
            passed: passed.map(|pair| self.pair(pair.map(|part| part * gain))).to_vec(),
            supported: self
                .pair(self.structure([c.supported_opening, c.supported_endgame], c.runner_supported)),
            doubled: self.pair(self.structure([c.doubled_opening, c.doubled_endgame], c.runner_doubled)),
            danger: self.pair([c.danger_opening, c.danger_endgame]),
            key: if rules.key.is_some() { self.key_weights() } else { KeyWeights::default() },
            tempo: self.pair([c.tempo_opening, c.tempo_endgame]),
            general: self.general(),
        }
    }

    fn pair(&self, pair: [f64; 2]) -> Pair {
        pair.map(|weight| (weight * self.unit).round() as i32)
    }

    /// Whether reaching a goal with a pawn-like piece of this type is what the game is about.
    fn is_runner(&self, kind: u8) -> bool {
        self.rules.royal.is_none() && races(self.rules, kind)
    }

    /// The weight of a term of pawns: in a game of runners another one.
    fn structure(&self, usual: [f64; 2], runner: f64) -> [f64; 2] {
        let runners = (0..self.rules.type_count() as u8).any(|kind| self.is_runner(kind));
        if runners { [runner; 2] } else { usual }
    }

    fn general(&self) -> GeneralWeights {
        let c = self.c;
        // Parts of 64 have no unit.
        let part = |pair: [f64; 2]| pair.map(|weight| weight.round() as i32);
        let hands = |units: f64| if come_back(self.rules) { units.round() as i32 } else { 0 };
        GeneralWeights {
            pair: self.pair([c.pair_opening, c.pair_endgame]),
            cramped: [
                self.pair([c.cramped_0_opening, c.cramped_0_endgame]),
                self.pair([c.cramped_1_opening, c.cramped_1_endgame]),
                self.pair([c.cramped_2_opening, c.cramped_2_endgame]),
            ],
            isolated: self.pair(self.structure([c.isolated_opening, c.isolated_endgame], c.runner_isolated)),
            phalanx: self.pair(self.structure([c.phalanx_opening, c.phalanx_endgame], c.runner_phalanx)),
            backward: self.pair(self.structure([c.backward_opening, c.backward_endgame], c.runner_backward)),
            passed_free: part([c.passed_free_opening, c.passed_free_endgame]),
            passed_safe: part([c.passed_safe_opening, c.passed_safe_endgame]),
            passed_chase: part([c.passed_chase_opening, c.passed_chase_endgame]),
            passed_escort: part([c.passed_escort_opening, c.passed_escort_endgame]),
            shelter: self.pair([c.shelter_opening, c.shelter_endgame]),
            exposed: self.pair([c.exposed_opening, c.exposed_endgame]),
            bare_file: self.pair([c.bare_file_opening, c.bare_file_endgame]),
            storm: self.pair([c.storm_opening, c.storm_endgame]),
            by_pawn: self.threat([c.by_pawn_opening, c.by_pawn_endgame]),
            by_pawn_worth: self.threat([c.by_pawn_worth_opening, c.by_pawn_worth_endgame]),
            by_lesser: self.threat_or([c.by_lesser_opening, c.by_lesser_endgame], BURDEN_BY_LESSER),
            by_lesser_worth: self.threat([c.by_lesser_worth_opening, c.by_lesser_worth_endgame]),
            by_step: self.threat([c.by_step_opening, c.by_step_endgame]),
            hanging: self.threat_or(
                self.structure([c.hanging_opening, c.hanging_endgame], c.runner_hanging),
                BURDEN_HANGING,
            ),
            outnumbered: self.threat(self.structure([c.outnumbered_opening, c.outnumbered_endgame], 0.0)),
            contested: self.threat(self.structure([c.contested_opening, c.contested_endgame], 0.0)),
            outpost: self.pair([c.outpost_opening, c.outpost_endgame]),
            half_open: self.pair([c.half_open_opening, c.half_open_endgame]),
            open: self.pair([c.open_opening, c.open_endgame]),
            space: self.pair(self.structure([c.space_opening, c.space_endgame], 0.0)),
            same_colour: self.pair([c.same_colour_opening, c.same_colour_endgame]),
            units: AttackUnits {
                near: c.near.round() as i32,
                attackers: c.attackers.round() as i32,
                weak: c.weak.round() as i32,
                check: c.check.round() as i32,
                met: c.met.round() as i32,
                guarded: c.guarded.round() as i32,
                bare: c.bare.round() as i32,
                base: c.base.round() as i32,
                siege: c.siege.round() as i32,
                breach: c.breach.round() as i32,
                ray: c.ray.round() as i32,
                crowd: c.crowd.round() as i32,
                calm: c.calm.round() as i32,
                held: hands(c.held),
                drop_check: hands(c.drop_check),
                drop_met: hands(c.drop_met),
                hole: hands(c.hole),
            },
            hunt: self.pair([0.0, c.hunt]),
            remaining: self.remaining(),
        }
    }

    fn piece(&self, kind: u8) -> PieceWeights {
        let (rules, c, k) = (self.rules, self.c, kind as usize);
        let royal = rules.royal == Some(kind);
        let average = self.mobility[k].usual;
        let per_square = |numerator: f64| {
            if royal || is_pawn(rules, kind) { 0.0 } else { (numerator / (average + 1.0)).max(1.0) }
        };
        let choice = if self.is_burden(kind) { BURDEN_MOBILITY } else { 1.0 };
        let mobility = [c.mobility_opening, c.mobility_endgame].map(|weight| choice * per_square(weight));
        let gain = self.gain(kind);
        let near = 1.0 / self.moves_from_start(kind).max(1.0);
        let promotion = [
            gain * (c.promotion_opening + c.near_opening * near),
            gain * (c.promotion_endgame + c.near_endgame * near),
        ];
        let irreplaceable = irreplaceable(rules, &self.start, kind);
        // The worth already includes the average of the mobility term.
        let material = |n: usize| self.worth[k][n] + promotion[n] + irreplaceable - mobility[n] * average;
        let material = if royal {
            [0.0; 2]
        } else if self.is_burden(kind) {
            self.burden(kind)
        } else if self.is_runner(kind) {
            [c.runner; 2]
        } else {
            let factor = if self.is_precious(kind) { PRECIOUS } else { 1.0 };
            [0, 1].map(|n| factor * material(n).max(0.0))
        };
        PieceWeights {
            letter: rules.pieces[k].letter,
            material: self.pair(material),
            mobility: self.pair(mobility),
            mobility_curve: if royal || is_pawn(rules, kind) { Vec::new() } else { self.curve(average) },
            ring: if royal { 0 } else { ((self.worth[k][0] / 100.0).round() as i32).clamp(1, 8) },
            key_distance: self.key_distance_weights(kind),
            squares: rules.geometry.squares().map(|square| self.square_weight(kind, square)).collect(),
            hand: rules.may_be_held(kind).then(|| {
                self.worth_in_hand(kind, [0, 1].map(|n| self.worth[k][n] + promotion[n] + irreplaceable))
            }),
        }
    }

    /// What a piece is worth in hand, by what it is worth on the board.
    fn worth_in_hand(&self, kind: u8, worth: [f64; 2]) -> Pair {
        if self.is_burden(kind) {
            return self.pair(self.burden(kind).map(|worth| worth * BURDEN_IN_HAND));
        }
        let c = self.c;
        let (part, more) = ([c.hand_opening, c.hand_endgame], [c.spare_opening, c.spare_endgame]);
        // Where it may be dropped as another type, too, it is worth what the best of them is.
        let mut best = worth;
        for form in (0..self.rules.type_count() as u8).filter(|&form| form != kind) {
            if self.rules.dropped_from(form) == Some(kind) {
                best = [0, 1].map(|n| self.worth[form as usize][n].max(best[n]));
            }
        }
        // A piece that comes back is worth what it can do anywhere; a reserve that can only be dropped near home is slow.
        let zone = self.rules.drop_zone(kind, Side::White).map_or(0, Bitboard::count);
        let reserve = !come_back(self.rules) && 4 * zone <= self.rules.geometry.area().into();
        let factor = if reserve { RESERVE } else { 1.0 };
        self.pair([0, 1].map(|n| (part[n] * factor * best[n] + more[n]).max(LEAST_HELD * best[n])))
    }

    /// What the mobility of one piece of a type adds besides its weight a square.
    fn curve(&self, average: f64) -> Vec<Pair> {
        let c = self.c;
        // Beyond twice the average it goes on straight.
        let squared = |n: usize| ((n as f64 - average) / (average + 1.0)).min(1.0).powi(2);
        let most = (2.0 * average).ceil() as usize + 1;
        (0..=most)
            .map(|n| self.pair([c.bend_opening, c.bend_endgame].map(|bend| -bend * squared(n))))
            .collect()
    }

    fn has_steppers(&self) -> bool {
        (0..self.rules.type_count() as u8).any(|kind| is_pawn(self.rules, kind))
    }

    /// What promotion adds to the worth of a type, or reaching the goal of a race.
    fn gain(&self, kind: u8) -> f64 {
        let gain = |k: &u8| self.worth[*k as usize][1] - self.worth[kind as usize][1];
        let promotion = self.rules.promotion(kind, Side::White);
        let best = promotion.and_then(|promotion| promotion.to.iter().map(gain).max_by(f64::total_cmp));
        let goal = if races(self.rules, kind) { GOAL } else { 0.0 };
        best.unwrap_or(0.0).max(goal)
    }

    /// Moves to promotion on an empty board, on average over the pieces of the start position; 0 where none promotes.
    fn moves_from_start(&self, kind: u8) -> f64 {
        let squares = self.start.squares(kind, Side::White).into_iter();
        let ways: Vec<usize> =
            squares.filter_map(|square| moves_to_promotion(self.rules, kind, Side::White, square)).collect();
        ways.iter().sum::<usize>() as f64 / ways.len().max(1) as f64
    }

    /// The weight of a piece on a square: by its moves there, its way to promotion and, if royal, its safety.
    fn square_weight(&self, kind: u8, square: Square) -> Pair {
        let (rules, c) = (self.rules, self.c);
        let geometry = rules.geometry;
        let rank = f64::from(geometry.rank(square));
        let centre = centrality(rules, square);
        self.pair(if rules.royal == Some(kind) {
            [
                c.royal_rank_opening * rank + c.royal_centre_opening * centre,
                c.royal_rank_endgame * rank + c.royal_centre_endgame * centre,
            ]
        } else if self.is_runner(kind) {
            [if rank == 0.0 { c.runner_home } else { 0.0 } + c.runner_centre * centre; 2]
        } else if is_pawn(rules, kind) || !come_back(rules) && rules.promotion(kind, Side::White).is_some() {
            let advance = rank / f64::from(geometry.height().max(2) - 1);
            let promotes = if self.gain(kind) > 0.0 { 1.0 } else { 0.15 };
            let both = centre * advance;
            [
                c.pawn_centre_opening * centre
                    + promotes * c.advance_opening * advance
                    + c.advance_centre_opening * both,
                c.pawn_centre_endgame * centre
                    + promotes * c.advance_endgame * advance * advance
                    + c.advance_centre_endgame * both,
            ]
        } else {
            let empty = rules.quiet_targets(kind, Side::White, square, square.bit()).count();
            let average = self.mobility[kind as usize].usual;
            let activity = (f64::from(empty) - average * 1.5).clamp(-6.0, 6.0);
            // Without pawns there is no forward.
            let steppers = self.has_steppers();
            let home = if rank == 0.0 && steppers { 1.0 } else { 0.0 };
            let way = rank / f64::from(geometry.height().max(2) - 1) - 0.5;
            let way = if steppers { way } else { 0.0 };
            let leaps = self.mobility[kind as usize].leaps;
            [
                c.activity_opening * activity
                    + (c.centre_opening + c.centre_leaps_opening * leaps) * centre
                    + c.rank_opening * way
                    + c.home_opening * home,
                c.activity_endgame * activity
                    + (c.centre_endgame + c.centre_leaps_endgame * leaps) * centre
                    + c.rank_endgame * way
                    + c.home_endgame * home,
            ]
        })
    }
}

/// The worth of a type by its moves alone, in the opening and in the endgame.
fn worth(rules: &Rules, c: &Constants, kind: u8, mobility: &Mobility) -> [f64; 2] {
    let pawn_like = rules.is_stepper(kind) || rules.promotion(kind, Side::White).is_some();
    // Where a piece captures otherwise than it moves, squares that it attacks say more than those that it moves to.
    let attack = if pawn_like { 0.0 } else { c.attack };
    let moves =
        |free: f64, attacked: f64, captures: f64| free + attack * (attacked - free) + c.capture * captures;
    let reach = if pawn_like { 1.0 } else { mobility.reach.max(0.01).powf(c.reach) };
    let kinds = 1.0 + c.leaps * mobility.leaps + c.forward * (mobility.forward - 0.5);
    let board = if pawn_like { 1.0 } else { (f64::from(rules.geometry.area()) / 64.0).powf(-c.board) };
    let worth =
        |unit: f64, power: f64, moves: f64| unit * (moves / USUAL).powf(power) * reach * kinds * board;
    [
        worth(c.worth_opening, c.power_opening, moves(mobility.free, mobility.attacked, mobility.captures)),
        worth(
            c.worth_endgame,
            c.power_endgame,
            moves(mobility.late_free, mobility.late_attacked, mobility.late_captures),
        ),
    ]
}

/// Whether pieces that are captured come back from a hand. They are dropped where the fight is, so that pieces, kings
/// and structures are worth something else than in other games.
pub(super) fn come_back(rules: &Rules) -> bool {
    rules.hand.is_some_and(|hand| hand.captures != Captures::Nobody)
}

/// Whether pieces of a type are pawn-like: moved by shifts and, where pieces come back from hands, only forwards.
pub(super) fn is_pawn(rules: &Rules, kind: u8) -> bool {
    let forwards = |from: Square| {
        let targets = rules.quiet_targets(kind, Side::White, from, from.bit())
            | rules.capture_targets(kind, Side::White, from, from.bit());
        targets.into_iter().all(|to| rules.geometry.rank(to) > rules.geometry.rank(from))
    };
    rules.is_stepper(kind) && (!come_back(rules) || rules.geometry.squares().all(forwards))
}

/// Whether pieces of a type win by getting to a goal that no enemy needs to be driven from, as pawns do.
fn races(rules: &Rules, kind: u8) -> bool {
    let reach = |key: &&KeyRule| key.eligible >> kind & 1 != 0 && key.objective == Objective::Reach;
    is_pawn(rules, kind) && rules.key.as_ref().filter(reach).is_some()
}

/// The moves that a piece needs to promote on an empty board, or to win a race.
pub(super) fn moves_to_promotion(rules: &Rules, kind: u8, side: Side, from: Square) -> Option<usize> {
    let mut zone = rules.promotion(kind, side).map_or(Bitboard::EMPTY, |promotion| promotion.zone);
    if races(rules, kind)
        && let Some(key) = &rules.key
    {
        zone |= key.squares[side.index()];
    }
    let mut reached = from.bit();
    for moves in 1..=64 {
        let next: Bitboard = reached
            .into_iter()
            .fold(reached, |set, at| set | rules.quiet_targets(kind, side, at, Bitboard::EMPTY));
        if (next & zone).any() {
            return Some(moves);
        }
        if next == reached {
            return None;
        }
        reached = next;
    }
    None
}

/// From -1 on the rim to 1 in the middle.
fn centrality(rules: &Rules, square: Square) -> f64 {
    let geometry = rules.geometry;
    let along = |at: u8, size: u8| {
        let half = (f64::from(size) - 1.0) / 2.0;
        if half < 0.5 { 0.0 } else { 1.0 - 2.0 * (f64::from(at) - half).abs() / half }
    };
    (along(geometry.file(square), geometry.width()) + along(geometry.rank(square), geometry.height())) / 2.0
}

#[cfg(test)]
mod tests {
    use super::super::{Evaluate, HandcraftedEvaluation};
    use super::*;
    use jewel_engine::ability::Game;
    use jewel_engine::chesslike::{ChessGame, General};

    /// The worth of pieces with these moves, by their letters, in the middle of a game on a board of this size.
    fn worth_of(size: usize, pieces: &[(char, &str)]) -> impl Fn(char) -> i32 {
        let rank = |letters: String| format!("{letters}{}", size - letters.len());
        let letters: String = pieces.iter().map(|piece| piece.0).collect();
        let mut text =
            format!("id = \"test\"\nname = \"Test\"\n[board]\nsize = \"{size}x{size}\"\nstart = \"");
        text += &rank(letters.to_lowercase());
        text += &format!("/{size}").repeat(size - 2);
        text += &format!("/{} w - - 0 1\"\n", rank(letters));
        for (letter, moves) in pieces {
            text += &format!("[[piece]]\nletter = \"{letter}\"\nmoves = \"{moves}\"\n");
        }
        let rules = Rules::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let derivation = Derivation::new(&rules, &Constants::FITTED, 1.0);
        let worth: Vec<(char, i32)> = (0..rules.type_count())
            .map(|k| (rules.pieces[k].letter, derivation.worth[k][0].round() as i32))
            .collect();
        move |letter| worth.iter().find(|piece| piece.0 == letter).unwrap().1
    }

    #[test]
    fn pieces_are_worth_what_experience_says() {
        let armies = [('N', "N"), ('B', "B"), ('R', "R"), ('Q', "Q"), ('C', "NR"), ('A', "NB"), ('Z', "NQ")];
        for size in [6, 8] {
            let worth = worth_of(size, &armies[..size.min(7) - 1]);
            assert!(worth('R') > worth('N') && worth('R') > worth('B'), "{size}");
            assert!(worth('Q') > worth('R') + worth('B') / 2 && worth('Q') < 3 * worth('R'), "{size}");
            assert!(worth('C') > worth('R') + worth('N') / 2, "{size}");
        }
        let worth = worth_of(8, &armies);
        assert!((260..380).contains(&worth('N')) && (260..420).contains(&worth('B')), "{}", worth('N'));
        assert!(worth('Z') > worth('Q') + 100 && worth('A') > worth('B') + worth('N') / 2);
        let small = worth_of(8, &[('W', "W"), ('F', "F"), ('A', "A"), ('D', "D"), ('M', "WF"), ('I', "nN")]);
        // An alfil sees an eighth of the board, a ferz half of it.
        assert!(small('A') < small('F') && small('D') < small('M') && small('W') < small('M'));
    }

    /// Rules with a Silver, a Pawn and a Gold, and what else a file says.
    fn shogi_like(rest: &str) -> Rules {
        let text = shogi_text(rest);
        Rules::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    fn shogi_text(rest: &str) -> String {
        let hand = if rest.is_empty() { "" } else { "[]" };
        format!(
            "id = \"test\"\nname = \"Test\"\n[board]\nsize = \"5x5\"\nstart = \"sg2k/4p/5/P4/K2GS{hand} w - - 0 1\"\n\
             [[piece]]\nletter = \"P\"\nmoves = \"fW\"\n\
             promotion = {{ zone = {{ w = [\"rank 5\"], b = [\"rank 1\"] }}, to = \"G\" }}\n\
             [[piece]]\nletter = \"S\"\nmoves = \"FfW\"\n\
             promotion = {{ zone = {{ w = [\"rank 5\"], b = [\"rank 1\"] }}, to = \"G\" }}\n\
             [[piece]]\nletter = \"G\"\nmoves = \"WfF\"\n[[piece]]\nletter = \"K\"\nmoves = \"K\"\nroyal = true\n{rest}"
        )
    }

    #[test]
    fn where_pieces_come_back_only_those_that_go_forwards_are_pawns() {
        let pawns = |rules: &Rules| -> Vec<bool> { (0..4).map(|kind| is_pawn(rules, kind)).collect() };
        let [plain, kept, back] = ["", "[hand]\ncaptures = \"nobody\"\n", "[hand]\n"].map(shogi_like);
        // Both are moved by shifts.
        assert_eq!(pawns(&plain), [true, true, false, false]);
        assert_eq!(pawns(&kept), [true, true, false, false]);
        assert_eq!(pawns(&back), [true, false, false, false]);
        assert!(Weights::derived(&back).pieces[1].mobility[0] > 0);
        assert_eq!(Weights::derived(&plain).pieces[1].mobility[0], 0);
        assert_eq!(Constants::of(&kept), &Constants::FITTED);
        assert_eq!(Constants::of(&back), &Constants::HANDS);
        assert_eq!(Weights::derived(&kept).general.units.held, 0);
        for piece in &Weights::derived(&back).pieces[..3] {
            assert!(piece.hand.is_some_and(|hand| hand[0] > 0), "{piece:?}");
        }
    }

    #[test]
    fn an_attack_on_a_royal_piece_is_not_counted_by_its_worth() {
        let mut text = shogi_text("[hand]\n");
        text = text.replace("royal = true", "royal = \"capture\"");
        let rules = Rules::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!((rules.royal, rules.captured_royal), (None, Some(3)));
        assert_eq!(Constants::of(&rules), &Constants::FITTED);
        let evaluation = HandcraftedEvaluation::derived(&rules);
        assert_eq!(evaluation.mobile.len(), 3);
        for piece in &evaluation.mobile {
            assert!(piece.by_pawn.opening() < 200 && piece.by_lesser.opening() < 200, "{piece:?}");
        }
    }

    #[test]
    fn pieces_in_hand_endanger_a_royal_piece() {
        let rules = shogi_like("[hand]\n");
        let game = ChessGame::<General, 32>::new(&rules).unwrap();
        let mut weights = Weights::derived(&rules);
        for piece in &mut weights.pieces {
            piece.hand = piece.hand.map(|_| [0; 2]);
        }
        let evaluation = HandcraftedEvaluation::new(&rules, &weights).unwrap();
        let worth = |fen: &str| evaluation.evaluate_afresh(&game.parse_position(fen).unwrap());
        // Apart from their worth, which is none here.
        assert!(worth("3sk/3g1/4P/5/K4[GS] w - - 0 1") > worth("3sk/3g1/4P/5/K4[] w - - 0 1") + 20);
    }

    #[test]
    fn what_may_be_dropped_promoted_is_worth_as_much_in_hand() {
        let worth = |drop: &str| {
            let text = format!(
                "id = \"test\"\nname = \"Test\"\n[board]\nsize = \"5x5\"\nstart = \"p3k/5/5/5/K3P[] w - - 0 1\"\n\
                 [[piece]]\nletter = \"P\"\nmoves = \"W\"\npromotion = {{ zone = {{ w = [\"rank 5\"], b = [\"rank 1\"] }}, to = \"+P\" }}\n\
                 [[piece]]\nletter = \"+P\"\nmoves = \"R\"\n{drop}\
                 [[piece]]\nletter = \"K\"\nmoves = \"K\"\nroyal = true\n[hand]\n"
            );
            let weights = Weights::derived(&Rules::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}")));
            (weights.pieces[0].hand.unwrap()[0], weights.pieces[1].material[0])
        };
        let everywhere = (1..=5).map(|n| format!("\"rank {n}\"")).collect::<Vec<_>>().join(", ");
        let ((plain, _), (promoted, rook)) = (
            worth(""),
            worth(&format!("drop = {{ zone = {{ w = [{everywhere}], b = [{everywhere}] }} }}\n")),
        );
        assert!(plain < rook / 2 && promoted > rook * 3 / 4, "{plain} {promoted} {rook}");
    }

    #[test]
    fn what_a_piece_attacks_counts_more_than_where_it_goes() {
        let worth = worth_of(8, &[('N', "N"), ('R', "R"), ('S', "mRcN"), ('T', "mNcR"), ('U', "mQcN")]);
        assert!(worth('T') > worth('S') + 50 && worth('T') > worth('N') + 50);
        assert!(worth('R') > worth('S') + 50 && 10 * worth('T') < 11 * worth('R'));
        // A queen's moves alone make no queen of a knight.
        assert!(10 * worth('U') > 8 * worth('N') && worth('U') < worth('R'));
    }

    #[test]
    fn constants_are_a_list() {
        let list = Constants::FITTED.list();
        let values: Vec<f64> = list.iter().map(|constant| constant.value).collect();
        assert_eq!(Constants::FITTED.with(&values), Constants::FITTED);
        assert!(list.iter().all(|constant| constant.reach > 0.0));
        let raised: Vec<f64> = values.iter().map(|value| value + 1.0).collect();
        let raised = Constants::FITTED.with(&raised).list();
        assert!(raised.iter().zip(&list).all(|(a, b)| a.name == b.name && a.value == b.value + 1.0));
    }

    #[test]
    fn units_are_parts_of_a_centipawn() {
        let rules = jewel_engine::games::find("chess").unwrap().rules();
        let [whole, parts] =
            [1, 10].map(|unit| Weights::derived_by(rules, &Constants::FITTED, unit).pieces[1].material[0]);
        assert!((parts - 10 * whole).abs() <= 5, "{whole} {parts}");
    }

    #[test]
    fn a_race_to_the_last_rank_gives_pawns_something_to_gain() {
        let text = "id = \"race\"\nname = \"Race\"\n[board]\nsize = \"4x6\"\nstart = \"pppp/pppp/4/4/PPPP/PPPP w - - 0 1\"\n\
                    [[piece]]\nletter = \"P\"\nmoves = \"mfWfF\"\n\
                    [key]\ngoals = { w = [\"rank 6\"], b = [\"rank 1\"] }\nobjective = \"reach\"\n";
        let rules = Rules::parse(text).unwrap_or_else(|e| panic!("{e}"));
        let weights = Weights::derived(&rules);
        assert!(weights.passed[0][1] > 80, "{:?}", weights.passed);
        let a5 = Square::new(16);
        assert_eq!(moves_to_promotion(&rules, 0, Side::White, a5), Some(1));
        assert_eq!(moves_to_promotion(&rules, 0, Side::Black, a5), Some(4));
    }
}
