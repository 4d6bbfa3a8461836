//! Search parameters: the numbers of pruning and reduction, and those of time management.

use crate::clock::Sharing;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::RangeInclusive;
use thiserror::Error;

/// The description of a search parameter. Names of parameters of time management begin with `time_`; they matter
/// only where a search has a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name in files.
    pub name: &'static str,
    /// Its default.
    pub default: i32,
    /// The least value that is accepted.
    pub least: i32,
    /// The greatest value that is accepted.
    pub most: i32,
    /// The smallest change that should affect play.
    pub step: i32,
}

/// Why a text cannot be read as search parameters.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SearchParamsError {
    /// The text is not JSON of the right form.
    #[error("no params: {0}")]
    Form(String),
    /// A number is out of bounds.
    #[error("{name} is {value}, which is not between {least} and {most}")]
    Bounds {
        /// The parameter's name.
        name: &'static str,
        /// Its value in the text.
        value: i32,
        /// The least value that is accepted.
        least: i32,
        /// The greatest value that is accepted.
        most: i32,
    },
}

macro_rules! params {
    ($($(#[doc = $text:literal])* $name:ident: $default:literal, $least:literal to $most:literal by $step:literal;)*) => {
        /// Numbers of the search that can be tuned, in centipawns unless another unit is given; depths are in plies.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct SearchParams {
            $($(#[doc = $text])* pub $name: i32,)*
        }

        impl SearchParams {
            /// The defaults.
            pub const DEFAULT: SearchParams = SearchParams { $($name: $default,)* };

            /// Descriptions of all parameters, in order.
            pub const PARAMS: &'static [Param] = &[
                $(Param { name: stringify!($name), default: $default, least: $least, most: $most, step: $step },)*
            ];

            /// The numbers, in the order of the [`PARAMS`](SearchParams::PARAMS).
            pub fn numbers(&self) -> Vec<i32> {
                vec![$(self.$name,)*]
            }

            /// The parameters with these numbers, each clamped to its bounds; missing ones get their defaults.
            pub fn from_numbers(numbers: &[i32]) -> SearchParams {
                let mut numbers = numbers.iter();
                SearchParams { $($name: numbers.next().map_or($default, |n| (*n).clamp($least, $most)),)* }
            }
        }
    };
}

params! {
    /// The least reduction of late quiet moves, in 1/1024 ply.
    reduction: 587, 0 to 2000 by 200;
    /// The weight of ln(depth) * ln(number of the move) in reductions, in 1/1024.
    reduction_growth: 947, 256 to 3072 by 120;
    /// Points of history that make a reduction smaller by 1/1024 ply.
    reduction_history: 14, 4 to 60 by 3;
    /// How much less a move is reduced where the window is open, in 1/1024 ply.
    reduction_open: 378, 0 to 3072 by 200;
    /// How much less a move that makes a threat is reduced, in 1/1024 ply.
    reduction_threat: 1607, 0 to 3072 by 200;
    /// How much more a move is reduced where the node is expected to fail high, in 1/1024 ply.
    reduction_cut: 114, 0 to 3072 by 200;
    /// How much less a move is reduced where the node was on a principal variation, in 1/1024 ply.
    reduction_was_open: 273, 0 to 3072 by 200;
    /// How much more a move is reduced where the evaluation does not improve, in 1/1024 ply.
    reduction_worse: 323, 0 to 3072 by 200;
    /// Half the width of the first window of an iteration.
    aspiration: 15, 4 to 200 by 5;
    /// Reverse futility: how far above the window a node must be to be left, for each ply of depth.
    reverse_futility: 70, 15 to 300 by 15;
    /// How much less that is if the evaluation improves.
    reverse_futility_improving: 35, 0 to 300 by 20;
    /// Razoring: how far below the window a node must be to be left to quiescence search, at depth 0 and for each
    /// squared ply of depth.
    razoring: 261, 50 to 1000 by 60;
    /// Futility: how far below the window a quiet move may be, at depth 0.
    futility: 92, 0 to 500 by 30;
    /// How much that grows for each ply of depth.
    futility_depth: 68, 15 to 300 by 20;
    /// Futility of noisy moves: how far below the window one may come with what it gains, at depth 0 and for each ply of
    /// depth.
    futility_noisy: 120, 15 to 500 by 30;
    /// Late pruning: quiet moves that are tried at depth 0.
    late_moves: 7, 1 to 30 by 1;
    /// How many squared depth adds, in 1/1024.
    late_moves_growth: 2000, 128 to 4096 by 200;
    /// What a noisy move may lose in exchanges, for each ply of depth.
    exchange_noisy: 109, 10 to 400 by 20;
    /// What a quiet move may lose in exchanges, for each squared ply of depth.
    exchange_quiet: 10, 2 to 150 by 8;
    /// The least reduction of a null move, in 1/1024 ply.
    null_reduction: 3809, 1024 to 6144 by 320;
    /// How much that grows for each ply of depth, in 1/1024 ply.
    null_growth: 234, 0 to 768 by 48;
    /// Centipawns above the window that reduce a null move by one more ply.
    null_above: 92, 40 to 600 by 40;
    /// How far below the window the evaluation may be for a null move, for each ply of depth.
    null_slack: 24, 0 to 100 by 6;
    /// How far below the score of the transposition table's move the others must be for it to be singular, for each ply
    /// of depth, in 1/64 centipawn.
    singular: 73, 16 to 768 by 32;
    /// How far below that they must be for the move to be extended by two plies.
    singular_twice: 20, 0 to 500 by 8;
    /// What histories give the move that refutes, for each ply of depth.
    history_bonus: 200, 20 to 500 by 40;
    /// What they take from the moves before it, for each ply of depth.
    history_malus: 222, 20 to 500 by 40;
    /// What the butterfly history gives a quiet move for each centipawn by which it improves the evaluation.
    history_evaluation: 4, 0 to 40 by 2;
    /// How much a capture in quiescence may fall short of the window.
    delta: 322, 30 to 600 by 50;
    /// The part of the time left that a move gets, in thousandths.
    time_part: 50, 10 to 200 by 4;
    /// How many times its share a move may take, in tenths.
    time_stretch: 40, 10 to 100 by 4;
    /// How much of its share a move takes when the best move has just changed, in hundredths.
    time_calm: 130, 50 to 300 by 8;
    /// How much less that is for each iteration, up to eight, without a change of the best move, in hundredths.
    time_steady: 6, 0 to 20 by 1;
    /// The part of the time that is used is this, in hundredths, less the best move's share of the work.
    time_effort: 160, 101 to 300 by 8;
}

impl Param {
    /// Whether it is a parameter of time management.
    pub fn is_of_time(&self) -> bool {
        self.name.starts_with("time_")
    }
}

impl Default for SearchParams {
    fn default() -> SearchParams {
        SearchParams::DEFAULT
    }
}

impl SearchParams {
    /// Reads a JSON object of names and numbers; missing names get their defaults.
    ///
    /// # Errors
    /// If the text is not such an object, or a number is out of bounds.
    pub fn parse(text: &str) -> Result<SearchParams, SearchParamsError> {
        let form = |e: serde_json::Error| SearchParamsError::Form(e.to_string());
        // By way of an object: a struct would be read from a list, too.
        let object: Map<String, Value> = serde_json::from_str(text).map_err(form)?;
        let params: SearchParams = serde_json::from_value(object.into()).map_err(form)?;
        for (value, &Param { name, least, most, .. }) in
            params.numbers().into_iter().zip(SearchParams::PARAMS)
        {
            if !(least..=most).contains(&value) {
                return Err(SearchParamsError::Bounds { name, value, least, most });
            }
        }
        Ok(params)
    }

    /// The text of a file.
    pub fn to_text(&self) -> String {
        let lines: Vec<String> = SearchParams::PARAMS
            .iter()
            .zip(self.numbers())
            .map(|(dial, number)| format!("  \"{}\": {number}", dial.name))
            .collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }

    /// Reverse futility: how far above the window a node must be to be left at this depth.
    #[inline(always)]
    pub(super) fn reverse_futility_at(&self, depth: i32, improving: bool) -> i32 {
        self.reverse_futility * depth - if improving { self.reverse_futility_improving } else { 0 }
    }

    /// Razoring: how far below the window a node must be to be left to quiescence search at this depth.
    #[inline(always)]
    pub(super) fn razoring_at(&self, depth: i32) -> i32 {
        self.razoring + self.razoring * depth * depth
    }

    /// Futility: how far below the window a quiet move may be at this depth.
    #[inline(always)]
    pub(super) fn futility_at(&self, depth: i32) -> i32 {
        self.futility + self.futility_depth * depth
    }

    /// Futility of noisy moves: how far below the window one may come at this depth with what it gains.
    #[inline(always)]
    pub(super) fn futility_noisy_at(&self, depth: i32) -> i32 {
        self.futility_noisy * (1 + depth)
    }

    /// Quiet moves that are tried at this depth.
    #[inline(always)]
    pub(super) fn late_moves_at(&self, depth: i32, improving: bool) -> usize {
        let moves = self.late_moves + depth * depth * self.late_moves_growth / 1024;
        (if improving { moves } else { moves / 2 + 1 }) as usize
    }

    /// What a move may lose in exchanges at this depth.
    #[inline(always)]
    pub(super) fn exchange_at(&self, depth: i32, noisy: bool) -> i32 {
        if noisy { -self.exchange_noisy * depth } else { -self.exchange_quiet * depth * depth }
    }

    /// The reduction of a null move, in plies.
    #[inline(always)]
    pub(super) fn null_reduction_at(&self, depth: i32, above: i32) -> i32 {
        (self.null_reduction + depth * self.null_growth) / 1024 + (above / self.null_above).min(3)
    }

    /// What histories give the move that refutes at this depth, and what they take from the moves before it.
    pub(super) fn rewards_at(&self, depth: i32) -> [i32; 2] {
        [self.history_bonus, self.history_malus].map(|points| (points * depth - points / 2).clamp(40, 1700))
    }

    /// The score that other moves must not reach for the transposition table's move to be singular.
    #[inline(always)]
    pub(super) fn singular_at(&self, depth: i32, score: i32) -> i32 {
        score - self.singular * depth / 64
    }
}

impl SearchParams {
    /// How the time for a game is shared among its moves.
    pub(super) fn sharing(&self) -> Sharing {
        // Bounds keep both from being negative.
        Sharing { part: self.time_part as u32, stretch: self.time_stretch as u32 }
    }

    /// The part of a move's time to use when the best move has been the same for `stability` iterations.
    pub(super) fn calm_at(&self, stability: i32) -> f64 {
        f64::from(self.time_calm - self.time_steady * stability.min(8)) / 100.0
    }

    /// The part of it to use when the best move took this share of the work.
    pub(super) fn effort_at(&self, share: f64) -> f64 {
        f64::from(self.time_effort) / 100.0 - share
    }
}

/// Reductions in 1/1024 ply, by depth and number of the move.
#[derive(Clone, Debug)]
pub(super) struct Reductions {
    logarithms: [i32; 256],
    least: i32,
    growth: i32,
}

impl Reductions {
    pub(super) fn new(params: &SearchParams) -> Reductions {
        // In 1/1024, rounded: the same on every machine that rounds logarithms alike to a thousandth.
        let logarithm = |n: usize| if n == 0 { 0 } else { ((n as f64).ln() * 1024.0 / 1.5).round() as i32 };
        let logarithms = std::array::from_fn(logarithm);
        Reductions { logarithms, least: params.reduction, growth: params.reduction_growth }
    }

    /// For a quiet move: some 0.6 and the product of two logarithms.
    #[inline(always)]
    pub(super) fn quiet(&self, depth: i32, number: usize) -> i32 {
        let log = |n: usize| self.logarithms[n.min(255)];
        self.least + (log(depth as usize) * log(number) / 1024) * self.growth / 1024
    }
}

/// The greatest depth at which futility and similar pruning is used.
pub(super) const SHALLOW: i32 = 8;

/// The greatest depth at which futility prunes noisy moves.
pub(super) const NOISY: i32 = 6;

/// The plies of quiescence search that look at drops with check.
pub(super) const DROPPED_CHECKS: usize = 1;

/// The depth from which null-move cutoffs are verified.
pub(super) const VERIFIED: i32 = 12;

/// With no more pieces that can mostly wait, null-move cutoffs are verified at any depth.
pub(super) const FEW: u32 = 2;

/// The depth from which moves may be singular.
pub(super) const SINGULAR: i32 = 7;

/// The depth from which the opponent's move is rewarded if nothing answers it well.
pub(super) const REWARDED: i32 = 3;

/// The depth from which a node without a table move is searched less deep.
pub(super) const INTERNAL: i32 = 4;

/// The depths at which moves are searched a ply less deep once one has raised the score.
pub(super) const RAISED: RangeInclusive<i32> = 3..=11;

/// How far above the window a move must come to be rewarded as if it had been searched a ply deeper, in centipawns.
pub(super) const CLEAR: i32 = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_dial_and_its_bounds() {
        let names = |params: &SearchParams| -> Vec<String> {
            let object = serde_json::to_value(params).unwrap();
            object.as_object().unwrap().keys().cloned().collect()
        };
        let mut listed: Vec<&str> = SearchParams::PARAMS.iter().map(|dial| dial.name).collect();
        listed.sort_unstable();
        let mut known = names(&SearchParams::DEFAULT);
        known.sort_unstable();
        assert_eq!(known, listed);
        for (dial, number) in SearchParams::PARAMS.iter().zip(SearchParams::DEFAULT.numbers()) {
            assert_eq!(dial.default, number, "{}", dial.name);
            assert!(dial.least < number && number < dial.most && dial.step > 0, "{}", dial.name);
        }
    }

    #[test]
    fn params_are_read_back_and_kept_within_bounds() {
        let numbers: Vec<i32> = SearchParams::PARAMS.iter().map(|dial| dial.default + dial.step).collect();
        let params = SearchParams::from_numbers(&numbers);
        assert_eq!(params.numbers(), numbers);
        assert_eq!(SearchParams::parse(&params.to_text()), Ok(params));
        assert_eq!(SearchParams::parse("{}"), Ok(SearchParams::DEFAULT));
        let all = |n: i32| SearchParams::from_numbers(&vec![n; SearchParams::PARAMS.len()]).numbers();
        assert_eq!(all(i32::MIN), SearchParams::PARAMS.iter().map(|dial| dial.least).collect::<Vec<_>>());
        assert_eq!(all(i32::MAX), SearchParams::PARAMS.iter().map(|dial| dial.most).collect::<Vec<_>>());
        let error = SearchParams::parse("{\"delta\": 7}").unwrap_err().to_string();
        assert_eq!(error, "delta is 7, which is not between 30 and 600");
        for wrong in ["", "[]", "{\"magic\": 1}", "{\"delta\": \"much\"}", "{\"delta\": 1e99}"] {
            assert!(matches!(SearchParams::parse(wrong), Err(SearchParamsError::Form(_))), "{wrong}");
        }
    }

    #[test]
    fn formulas_are_those_of_the_documentation() {
        let params = SearchParams {
            reduction: 600,
            reduction_growth: 1024,
            reverse_futility: 75,
            reverse_futility_improving: 60,
            razoring: 220,
            futility: 100,
            futility_depth: 85,
            late_moves: 4,
            late_moves_growth: 1024,
            exchange_noisy: 90,
            exchange_quiet: 25,
            null_reduction: 3072,
            null_growth: 256,
            null_above: 150,
            singular: 128,
            history_bonus: 160,
            history_malus: 160,
            ..SearchParams::DEFAULT
        };
        assert_eq!([1, 8].map(|depth| params.reverse_futility_at(depth, true)), [15, 540]);
        assert_eq!(params.razoring_at(3), 220 + 220 * 9);
        assert_eq!(params.futility_at(2), 270);
        assert_eq!(params.futility_noisy_at(2), 3 * params.futility_noisy);
        assert_eq!([true, false].map(|improving| params.late_moves_at(3, improving)), [13, 7]);
        assert_eq!([true, false].map(|noisy| params.exchange_at(2, noisy)), [-180, -100]);
        assert_eq!(params.null_reduction_at(8, 1000), 8);
        assert_eq!(params.null_reduction_at(3, 149), 3);
        assert_eq!([1, 5, 12].map(|depth| params.rewards_at(depth)), [[80; 2], [720; 2], [1700; 2]]);
        assert_eq!(params.singular_at(7, 50), 36);
        assert_eq!(params.sharing(), Sharing { part: 50, stretch: 40 });
        assert_eq!([0, 3, 20].map(|stability| params.calm_at(stability)), [1.3, 1.12, 0.82]);
        assert_eq!(params.effort_at(0.5), 1.1);
        // 0.6 plies and ln 4 ln 4 / 2.25.
        assert_eq!(Reductions::new(&params).quiet(4, 4), 600 + 946 * 946 / 1024);
    }
}
