//! The constants of the derivation: the same for every game.

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
            || ["near", "attackers", "weak", "check", "calm"].contains(&self.name)
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
    worth_opening: 62.1, 6.0;
    /// The same in the endgame.
    worth_endgame: 65.7, 6.0;
    /// The power of mobility that worth follows.
    power: 1.029, 0.1;
    /// What a target of a capture counts for mobility; a free square counts 1.
    capture: 1.008, 0.2;
    /// The power of the part of the board that a piece can ever reach, for pieces that cannot reach all of it.
    reach: 0.272, 0.1;
    /// How much more a piece is worth the more of its moves are leaps, over no leaps.
    leaps: 0.074, 0.15;
    /// How much more a piece is worth the more of its moves go forward, over half of them.
    forward: -0.022, 0.3;
    /// The part of what promotion gains that a piece is worth more for it.
    promotion_opening: 0.010, 0.03;
    promotion_endgame: 0.045, 0.04;
    /// The same, divided by the moves from the start to promotion.
    near_opening: -0.021, 0.1;
    near_endgame: -0.041, 0.1;
    /// A square that a piece attacks, times its average mobility and one.
    mobility_opening: 20.9, 8.0;
    mobility_endgame: 32.7, 8.0;
    /// For each move on an empty board above 1.5 times the average mobility.
    activity_opening: 2.605, 1.5;
    activity_endgame: 1.213, 1.5;
    /// From the rim to the middle of the board, halved.
    centre_opening: 10.6, 6.0;
    centre_endgame: 5.9, 6.0;
    /// A piece on its first rank.
    home_opening: -10.5, 8.0;
    home_endgame: -0.107, 8.0;
    /// A royal piece: each rank from home, and the centre.
    royal_rank_opening: -16.6, 8.0;
    royal_rank_endgame: -3.1, 6.0;
    royal_centre_opening: -28.4, 12.0;
    royal_centre_endgame: 22.9, 10.0;
    /// A pawn-like piece: the centre, and the way to the last rank, of which the endgame's is squared.
    pawn_centre_opening: 10.3, 6.0;
    pawn_centre_endgame: -8.1, 6.0;
    advance_opening: -3.1, 12.0;
    advance_endgame: 21.8, 15.0;
    /// A passed piece by moves to promotion, as a part of what promotion gains.
    passed_1_opening: 0.167, 0.05;
    passed_1_endgame: 0.197, 0.08;
    passed_2_opening: 0.067, 0.04;
    passed_2_endgame: 0.144, 0.06;
    passed_3_opening: 0.020, 0.03;
    passed_3_endgame: 0.083, 0.05;
    passed_4_opening: 0.013, 0.03;
    passed_4_endgame: 0.039, 0.04;
    passed_5_opening: 0.006, 0.02;
    passed_5_endgame: 0.044, 0.03;
    passed_6_opening: 0.005, 0.02;
    passed_6_endgame: 0.023, 0.02;
    /// The terms of the same names in `GeneralWeights` and `Weights`.
    passed_free_opening: 4.0, 10.0;
    passed_free_endgame: 11.0, 10.0;
    passed_safe_opening: 4.0, 10.0;
    passed_safe_endgame: 39.0, 15.0;
    passed_chase_opening: 2.0, 3.0;
    passed_chase_endgame: 10.0, 4.0;
    passed_escort_opening: 0.0, 3.0;
    passed_escort_endgame: -2.0, 4.0;
    supported_opening: 15.7, 6.0;
    supported_endgame: -1.397, 6.0;
    doubled_opening: -12.4, 6.0;
    doubled_endgame: -16.1, 8.0;
    isolated_opening: -11.2, 6.0;
    isolated_endgame: -8.5, 6.0;
    phalanx_opening: 10.2, 5.0;
    phalanx_endgame: 8.2, 5.0;
    backward_opening: -9.7, 6.0;
    backward_endgame: -12.1, 6.0;
    pair_opening: 22.4, 12.0;
    pair_endgame: 31.8, 15.0;
    cramped_0_opening: -8.1, 12.0;
    cramped_0_endgame: -21.7, 12.0;
    cramped_1_opening: -13.8, 8.0;
    cramped_1_endgame: -13.1, 8.0;
    cramped_2_opening: -5.0, 6.0;
    cramped_2_endgame: -7.3, 6.0;
    shelter_opening: 14.7, 8.0;
    shelter_endgame: -1.882, 5.0;
    exposed_opening: -10.5, 12.0;
    exposed_endgame: 3.3, 8.0;
    by_pawn_opening: 73.7, 20.0;
    by_pawn_endgame: 41.2, 20.0;
    by_lesser_opening: 38.5, 12.0;
    by_lesser_endgame: 29.8, 12.0;
    hanging_opening: 30.6, 12.0;
    hanging_endgame: 28.8, 12.0;
    danger_opening: 9.0, 10.0;
    danger_endgame: 0.000, 6.0;
    /// Attack units, in quarters: those of `AttackUnits`.
    near: 2.0, 3.0;
    attackers: 2.0, 3.0;
    weak: 24.0, 6.0;
    check: 40.0, 12.0;
    calm: -40.0, 20.0;
    hunt: 8.0, 5.0;
    /// A piece that wins by reaching a square, by its moves to it, in a game with royal pieces.
    march_1_opening: 40.0, 40.0;
    march_1_endgame: 200.1, 80.0;
    march_2_opening: 14.8, 30.0;
    march_2_endgame: 106.7, 50.0;
    march_3_opening: 5.3, 20.0;
    march_3_endgame: 64.9, 40.0;
    march_4_opening: -0.558, 20.0;
    march_4_endgame: 27.0, 30.0;
    /// A pawn-like piece that wins by reaching a goal: its worth, by its moves to the goal from 1, and on its first rank.
    runner: 100.0, 40.0;
    runner_1: 120.0, 60.0;
    runner_2: 80.0, 40.0;
    runner_3: 40.0, 30.0;
    runner_4: 20.0, 20.0;
    runner_home: 10.0, 20.0;
    runner_centre: 0.0, 10.0;
    /// The terms of the same names for such pieces.
    runner_supported: 0.0, 10.0;
    runner_doubled: -10.0, 10.0;
    runner_isolated: -8.0, 10.0;
    runner_phalanx: 8.0, 10.0;
    runner_backward: -12.0, 10.0;
    runner_hanging: 29.0, 30.0;
    /// Where the extinction of types loses: what the last of a side's pieces of these types lacks, shared by those left.
    extinct: 300.0, 100.0;
    /// Where it wins: the part of its usual worth that such a piece is worth, and the last one's lack of it.
    burden_opening: -0.3, 0.3;
    burden_endgame: -0.3, 0.3;
    last: 200.0, 100.0;
    tempo_opening: 9.2, 6.0;
    tempo_endgame: 3.2, 6.0;
}
