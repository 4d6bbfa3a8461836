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
                "base",
                "siege",
                "breach",
                "ray",
                "crowd",
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
    /// Centipawns of a piece with the mobility of a knight of chess, in the opening and in the endgame.
    worth_opening: 319.2, 40.0;
    worth_endgame: 343.2, 40.0;
    /// The power of mobility that worth follows.
    power_opening: 1.047, 0.1;
    power_endgame: 1.065, 0.1;
    /// What a target of a capture counts for mobility; a free square counts 1.
    capture: 1.716, 0.2;
    /// What free squares on which a piece could capture count for mobility; those that it could move to count the rest.
    attack: 0.95, 0.2;
    /// The power of the part of the board that a piece can ever reach, for pieces that cannot reach all of it.
    reach: 0.141, 0.1;
    /// How much more a piece is worth the more of its moves are leaps, over no leaps.
    leaps: -0.029, 0.15;
    /// The power of the size of the board by which pieces that do not promote are worth more on small boards.
    board: 0.153, 0.3;
    /// How much more a piece is worth the more of its moves go forward, over half of them.
    forward: 0.601, 0.3;
    /// The part of what promotion gains that a piece is worth more for it.
    promotion_opening: -0.021, 0.03;
    promotion_endgame: 0.005, 0.04;
    /// The same, divided by the moves from the start to promotion.
    near_opening: 0.026, 0.1;
    near_endgame: 0.046, 0.1;
    /// A square that a piece attacks, times its average mobility and one.
    mobility_opening: 12.1, 8.0;
    mobility_endgame: 26.4, 8.0;
    /// How much less each further square is worth: the squared distance from the average, in parts of the average and one.
    bend_opening: 14.1, 8.0;
    bend_endgame: 48.0, 8.0;
    /// For each move on an empty board above 1.5 times the average mobility.
    activity_opening: 4.053, 1.5;
    activity_endgame: 0.848, 1.5;
    /// From the rim to the middle of the board, halved.
    centre_opening: 16.9, 6.0;
    centre_endgame: -0.099, 6.0;
    /// What the centre adds for a piece the more of its moves are leaps.
    centre_leaps_opening: 20.8, 8.0;
    centre_leaps_endgame: 8.416, 8.0;
    /// From the first rank to the last.
    rank_opening: 9.09, 15.0;
    rank_endgame: 27.4, 15.0;
    /// A piece on its first rank.
    home_opening: 3.556, 8.0;
    home_endgame: -13.0, 8.0;
    /// A royal piece: each rank from home, and the centre.
    royal_rank_opening: -9.8, 8.0;
    royal_rank_endgame: -0.516, 6.0;
    royal_centre_opening: -31.4, 12.0;
    royal_centre_endgame: 28.7, 10.0;
    /// A pawn-like piece: the centre, and the way to the last rank, of which the endgame's is squared.
    pawn_centre_opening: 12.8, 6.0;
    pawn_centre_endgame: -8.775, 6.0;
    advance_opening: 10.1, 12.0;
    advance_endgame: -1.165, 15.0;
    /// The product of both, centre and way.
    advance_centre_opening: 52.4, 12.0;
    advance_centre_endgame: 9.934, 12.0;
    /// A passed piece by moves to promotion, as a part of what promotion gains.
    passed_1_opening: 0.159, 0.05;
    passed_1_endgame: 0.203, 0.08;
    passed_2_opening: 0.058, 0.04;
    passed_2_endgame: 0.116, 0.06;
    passed_3_opening: 0.009, 0.03;
    passed_3_endgame: 0.069, 0.05;
    passed_4_opening: -0.001, 0.03;
    passed_4_endgame: 0.04, 0.04;
    passed_5_opening: 0.002, 0.02;
    passed_5_endgame: 0.013, 0.03;
    passed_6_opening: -0.004, 0.02;
    passed_6_endgame: 0.018, 0.02;
    /// The terms of the same names in `GeneralWeights` and `Weights`.
    passed_free_opening: 21.3, 10.0;
    passed_free_endgame: 14.6, 10.0;
    passed_safe_opening: 9.125, 10.0;
    passed_safe_endgame: 76.0, 15.0;
    passed_chase_opening: 2.272, 3.0;
    passed_chase_endgame: 16.4, 4.0;
    passed_escort_opening: -4.381, 3.0;
    passed_escort_endgame: -12.8, 4.0;
    supported_opening: 10.5, 6.0;
    supported_endgame: 2.752, 6.0;
    doubled_opening: -10.0, 6.0;
    doubled_endgame: -15.4, 8.0;
    isolated_opening: -10.4, 6.0;
    isolated_endgame: -9.41, 6.0;
    phalanx_opening: 6.011, 5.0;
    phalanx_endgame: 2.421, 5.0;
    backward_opening: -9.424, 6.0;
    backward_endgame: -14.5, 6.0;
    pair_opening: 28.7, 12.0;
    pair_endgame: 25.3, 15.0;
    cramped_0_opening: -6.284, 12.0;
    cramped_0_endgame: -42.2, 12.0;
    cramped_1_opening: -4.011, 8.0;
    cramped_1_endgame: -13.0, 8.0;
    cramped_2_opening: -4.233, 6.0;
    cramped_2_endgame: -8.913, 6.0;
    shelter_opening: 25.0, 8.0;
    shelter_endgame: -0.545, 5.0;
    exposed_opening: 0.0, 12.0;
    exposed_endgame: 5.022, 8.0;
    bare_file_opening: 0.0, 8.0;
    bare_file_endgame: 2.474, 8.0;
    storm_opening: 0.0, 5.0;
    storm_endgame: 1.76, 5.0;
    by_pawn_opening: 55.0, 20.0;
    by_pawn_endgame: 38.9, 20.0;
    by_pawn_worth_opening: 16.7, 12.0;
    by_pawn_worth_endgame: 7.855, 12.0;
    by_lesser_opening: 38.2, 12.0;
    by_lesser_endgame: 34.3, 12.0;
    by_lesser_worth_opening: 6.488, 10.0;
    by_lesser_worth_endgame: 8.393, 10.0;
    by_step_opening: 22.3, 10.0;
    by_step_endgame: 22.1, 10.0;
    hanging_opening: 14.6, 12.0;
    hanging_endgame: 57.6, 12.0;
    outnumbered_opening: 11.4, 12.0;
    outnumbered_endgame: 31.0, 12.0;
    contested_opening: 4.925, 4.0;
    contested_endgame: -6.165, 4.0;
    outpost_opening: 18.6, 10.0;
    outpost_endgame: 2.075, 10.0;
    half_open_opening: 11.7, 10.0;
    half_open_endgame: 17.0, 10.0;
    open_opening: 17.0, 10.0;
    open_endgame: -2.752, 10.0;
    space_opening: 0.625, 3.0;
    space_endgame: -0.244, 3.0;
    same_colour_opening: 1.236, 4.0;
    same_colour_endgame: -13.4, 4.0;
    danger_opening: 4.0, 10.0;
    danger_endgame: 0.0, 6.0;
    /// Attack units, in quarters: those of `AttackUnits`.
    near: 4.0, 3.0;
    attackers: 0.0, 3.0;
    weak: 0.0, 6.0;
    check: 45.0, 12.0;
    met: 7.0, 6.0;
    guarded: 0.0, 4.0;
    bare: 0.0, 6.0;
    base: 137.0, 20.0;
    siege: 6.4, 3.0;
    breach: 11.0, 4.0;
    ray: 24.0, 8.0;
    crowd: 2.0, 1.0;
    calm: -23.0, 20.0;
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
    march_1_opening: 66.8, 40.0;
    march_1_endgame: 235.7, 80.0;
    march_2_opening: 42.2, 30.0;
    march_2_endgame: 194.7, 50.0;
    march_3_opening: 15.9, 20.0;
    march_3_endgame: 114.2, 40.0;
    march_4_opening: -17.2, 20.0;
    march_4_endgame: 68.9, 30.0;
    /// A pawn-like piece that wins by reaching a goal: its worth, by its moves to the goal from 1, and on its first rank.
    runner: 124.3, 40.0;
    runner_1: 109.5, 60.0;
    runner_2: 118.7, 40.0;
    runner_3: 66.8, 30.0;
    runner_4: 7.735, 20.0;
    runner_home: 16.6, 20.0;
    runner_centre: -8.45, 10.0;
    /// The terms of the same names for such pieces.
    runner_supported: 6.194, 10.0;
    runner_doubled: -6.624, 10.0;
    runner_isolated: -14.1, 10.0;
    runner_phalanx: 7.44, 10.0;
    runner_backward: -11.6, 10.0;
    runner_hanging: 68.0, 30.0;
    /// Where the extinction of types loses: what a side lacks when one of its two pieces of these types is left.
    extinct: 222.0, 100.0;
    /// Where it wins: what the last such piece is worth, shared by those left.
    last: 181.2, 100.0;
    tempo_opening: 33.1, 6.0;
    tempo_endgame: 22.1, 6.0;
}
