//! The constants of the derivation: the same for every game.

use jewel_engine::variant::Rules;

/// A constant and what it means to the fit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Constant {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// How far off it may be: a judgement. The fit pulls less at a constant of greater reach.
    pub reach: f64,
}

impl Constant {
    /// Whether only its whole part counts.
    pub(crate) fn whole(&self) -> bool {
        self.name.starts_with("passed_") && !self.name.as_bytes()[7].is_ascii_digit()
            || [
                "near",
                "attackers",
                "weak",
                "check",
                "met",
                "guarded",
                "bare",
                "calm",
                "held",
                "drop_check",
                "drop_met",
                "hole",
            ]
            .contains(&self.name)
    }
}

macro_rules! constants {
    ($($(#[doc = $text:literal])* $name:ident: $value:expr, $reach:literal;)*) => {
        /// What turns rules into weights. Each constant was fitted over many games at once, and for none of them
        /// alone (docs/evaluation.md).
        #[derive(Clone, Copy, PartialEq, Debug)]
        #[allow(missing_docs, reason = "a comment covers a constant of the opening and of the endgame")]
        pub struct Constants {
            $($(#[doc = $text])* pub $name: f64,)*
        }

        impl Constants {
            /// The constants in use.
            pub const FITTED: Constants = Constants { $($name: $value,)* };

            /// The constants for a game: those of checkmate in which pieces come back from hands have their own.
            pub fn of(rules: &Rules) -> &'static Constants {
                let mate = rules.royal.is_some();
                if mate && super::come_back(rules) { &Constants::HANDS } else { &Constants::FITTED }
            }

            /// All constants, in a fixed order.
            pub fn list(&self) -> Vec<Constant> {
                vec![$(Constant { name: stringify!($name), value: self.$name, reach: $reach },)*]
            }

            /// The constants with these values, in the same order; those that are missing stay.
            #[must_use]
            pub fn with(mut self, values: &[f64]) -> Constants {
                let mut values = values.iter();
                $(self.$name = values.next().copied().unwrap_or(self.$name);)*
                self
            }
        }
    };
}

constants! {
    /// Centipawns of a piece with one move on average, in the opening.
    worth_opening: 44.0, 6.0;
    /// The same in the endgame.
    worth_endgame: 47.9, 6.0;
    /// The power of mobility that worth follows.
    power: 1.061, 0.1;
    /// What a target of a capture counts for mobility; a free square counts 1.
    capture: 1.717, 0.2;
    /// The power of the part of the board that a piece can ever reach, for pieces that cannot reach all of it.
    reach: 0.138, 0.1;
    /// How much more a piece is worth the more of its moves are leaps, over no leaps.
    leaps: 0.043, 0.15;
    /// How much more a piece is worth the more of its moves go forward, over half of them.
    forward: 0.392, 0.3;
    /// The part of what promotion gains that a piece is worth more for it.
    promotion_opening: -0.027, 0.03;
    promotion_endgame: -0.001, 0.04;
    /// The same, divided by the moves from the start to promotion.
    near_opening: 0.130, 0.1;
    near_endgame: 0.094, 0.1;
    /// A square that a piece attacks, times its average mobility and one.
    mobility_opening: 19.0, 8.0;
    mobility_endgame: 22.9, 8.0;
    /// How much less each further square is worth: the squared distance from the average, in parts of the average and one.
    bend_opening: 9.7, 8.0;
    bend_endgame: 45.1, 8.0;
    /// For each move on an empty board above 1.5 times the average mobility.
    activity_opening: 3.6, 1.5;
    activity_endgame: -0.879, 1.5;
    /// From the rim to the middle of the board, halved.
    centre_opening: 17.6, 6.0;
    centre_endgame: -2.270, 6.0;
    /// What the centre adds for a piece the more of its moves are leaps.
    centre_leaps_opening: 13.9, 8.0;
    centre_leaps_endgame: 1.622, 8.0;
    /// From the first rank to the last.
    rank_opening: 2.880, 15.0;
    rank_endgame: 12.3, 15.0;
    /// A piece on its first rank.
    home_opening: -0.039, 8.0;
    home_endgame: -5.5, 8.0;
    /// A royal piece: each rank from home, and the centre.
    royal_rank_opening: -9.8, 8.0;
    royal_rank_endgame: -0.516, 6.0;
    royal_centre_opening: -21.9, 12.0;
    royal_centre_endgame: 19.5, 10.0;
    /// A pawn-like piece: the centre, and the way to the last rank, of which the endgame's is squared.
    pawn_centre_opening: 13.3, 6.0;
    pawn_centre_endgame: -1.420, 6.0;
    advance_opening: 13.1, 12.0;
    advance_endgame: 16.1, 15.0;
    /// The product of both, centre and way.
    advance_centre_opening: 31.0, 12.0;
    advance_centre_endgame: 15.8, 12.0;
    /// A passed piece by moves to promotion, as a part of what promotion gains.
    passed_1_opening: 0.167, 0.05;
    passed_1_endgame: 0.209, 0.08;
    passed_2_opening: 0.022, 0.04;
    passed_2_endgame: 0.138, 0.06;
    passed_3_opening: -0.005, 0.03;
    passed_3_endgame: 0.070, 0.05;
    passed_4_opening: -0.008, 0.03;
    passed_4_endgame: 0.044, 0.04;
    passed_5_opening: -0.003, 0.02;
    passed_5_endgame: 0.022, 0.03;
    passed_6_opening: 0.0, 0.02;
    passed_6_endgame: 0.022, 0.02;
    /// The terms of the same names in `GeneralWeights` and `Weights`.
    passed_free_opening: 13.8, 10.0;
    passed_free_endgame: 6.1, 10.0;
    passed_safe_opening: 6.1, 10.0;
    passed_safe_endgame: 81.1, 15.0;
    passed_chase_opening: 2.256, 3.0;
    passed_chase_endgame: 13.3, 4.0;
    passed_escort_opening: -1.184, 3.0;
    passed_escort_endgame: -9.8, 4.0;
    supported_opening: 16.3, 6.0;
    supported_endgame: 7.2, 6.0;
    doubled_opening: -10.0, 6.0;
    doubled_endgame: -14.9, 8.0;
    isolated_opening: -4.6, 6.0;
    isolated_endgame: -5.2, 6.0;
    phalanx_opening: 9.4, 5.0;
    phalanx_endgame: 5.9, 5.0;
    backward_opening: -11.2, 6.0;
    backward_endgame: -16.0, 6.0;
    pair_opening: 18.2, 12.0;
    pair_endgame: 23.5, 15.0;
    cramped_0_opening: -5.8, 12.0;
    cramped_0_endgame: -39.0, 12.0;
    cramped_1_opening: -0.484, 8.0;
    cramped_1_endgame: -14.9, 8.0;
    cramped_2_opening: -1.907, 6.0;
    cramped_2_endgame: -9.5, 6.0;
    shelter_opening: 11.2, 8.0;
    shelter_endgame: -1.489, 5.0;
    exposed_opening: -10.4, 12.0;
    exposed_endgame: 2.800, 8.0;
    bare_file_opening: -0.433, 8.0;
    bare_file_endgame: -0.434, 8.0;
    storm_opening: 0.282, 5.0;
    storm_endgame: 0.647, 5.0;
    by_pawn_opening: 50.4, 20.0;
    by_pawn_endgame: 29.8, 20.0;
    by_pawn_worth_opening: 19.0, 12.0;
    by_pawn_worth_endgame: 3.9, 12.0;
    by_lesser_opening: 31.8, 12.0;
    by_lesser_endgame: 28.6, 12.0;
    by_lesser_worth_opening: 5.1, 10.0;
    by_lesser_worth_endgame: 8.3, 10.0;
    by_step_opening: 25.0, 10.0;
    by_step_endgame: 14.0, 10.0;
    hanging_opening: 21.4, 12.0;
    hanging_endgame: 55.4, 12.0;
    outnumbered_opening: 13.0, 12.0;
    outnumbered_endgame: 20.6, 12.0;
    contested_opening: 6.3, 4.0;
    contested_endgame: -2.560, 4.0;
    outpost_opening: 14.6, 10.0;
    outpost_endgame: 1.259, 10.0;
    half_open_opening: 13.6, 10.0;
    half_open_endgame: 3.4, 10.0;
    open_opening: 19.5, 10.0;
    open_endgame: -7.9, 10.0;
    space_opening: 1.162, 3.0;
    space_endgame: 3.2, 3.0;
    same_colour_opening: 1.891, 4.0;
    same_colour_endgame: -5.9, 4.0;
    danger_opening: 5.2, 10.0;
    danger_endgame: 0.0, 6.0;
    /// Attack units, in quarters: those of `AttackUnits`.
    near: 7.4, 3.0;
    attackers: 9.1, 3.0;
    weak: 24.5, 6.0;
    check: 61.4, 12.0;
    met: 12.0, 6.0;
    guarded: -3.9, 4.0;
    bare: 9.7, 6.0;
    calm: -92.2, 20.0;
    hunt: 6.4, 5.0;
    /// Attack units of pieces in hand, in quarters.
    held: 8.0, 6.0;
    drop_check: 24.0, 12.0;
    drop_met: 8.0, 8.0;
    hole: 8.0, 6.0;
    /// What a piece in hand is worth of what it is worth on the board, and what it is worth more.
    hand_opening: 1.0, 0.15;
    hand_endgame: 1.0, 0.15;
    spare_opening: 0.0, 20.0;
    spare_endgame: 0.0, 20.0;
    /// A piece that wins by reaching a square, by its moves to it, in a game with royal pieces.
    march_1_opening: 41.4, 40.0;
    march_1_endgame: 167.8, 80.0;
    march_2_opening: 15.6, 30.0;
    march_2_endgame: 92.2, 50.0;
    march_3_opening: 4.0, 20.0;
    march_3_endgame: 49.0, 40.0;
    march_4_opening: -3.1, 20.0;
    march_4_endgame: 23.3, 30.0;
    /// A pawn-like piece that wins by reaching a goal: its worth, by its moves to the goal from 1, and on its first rank.
    runner: 96.5, 40.0;
    runner_1: 96.0, 60.0;
    runner_2: 41.8, 40.0;
    runner_3: 40.4, 30.0;
    runner_4: 5.2, 20.0;
    runner_home: 3.5, 20.0;
    runner_centre: -2.560, 10.0;
    /// The terms of the same names for such pieces.
    runner_supported: 7.9, 10.0;
    runner_doubled: -6.3, 10.0;
    runner_isolated: -10.0, 10.0;
    runner_phalanx: 0.370, 10.0;
    runner_backward: -8.7, 10.0;
    runner_hanging: 24.6, 30.0;
    /// Where the extinction of types loses: what the last of a side's pieces of these types lacks, shared by those left.
    extinct: 251.4, 100.0;
    /// Where it wins: the part of its usual worth that such a piece is worth, and the last one's lack of it.
    burden_opening: -0.298, 0.3;
    burden_endgame: -0.285, 0.3;
    last: 159.0, 100.0;
    tempo_opening: 15.3, 6.0;
    tempo_endgame: 9.4, 6.0;
}
