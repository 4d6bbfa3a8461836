//! The numbers of pruning and reduction, in plies and centipawns, and those by which time is used.

use crate::clock::Sharing;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

/// A number that may be set: what it is called, what it is by default, between what bounds it makes sense, and by how
/// much it has to change until play does. Those by which time is used begin with `time_`: they tell where a search
/// has a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// As it is written.
    pub name: &'static str,
    /// By default.
    pub default: i32,
    /// The least value that is accepted.
    pub least: i32,
    /// The greatest.
    pub most: i32,
    /// A change that should show.
    pub step: i32,
}

/// Why a text holds no params.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SearchParamsError {
    /// The text is no JSON of the right form.
    #[error("no params: {0}")]
    Form(String),
    /// A number is out of bounds.
    #[error("{name} is {value}, which is not between {least} and {most}")]
    Bounds {
        /// The number.
        name: &'static str,
        /// What it is.
        value: i32,
        /// The least value that is accepted.
        least: i32,
        /// The greatest.
        most: i32,
    },
}

macro_rules! params {
    ($($(#[doc = $text:literal])* $name:ident: $default:literal, $least:literal to $most:literal by $step:literal;)*) => {
        /// Numbers of the search that can be tuned. Depths are in plies, all else is in centipawns where nothing else is said.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct SearchParams {
            $($(#[doc = $text])* pub $name: i32,)*
        }

        impl SearchParams {
            /// What they are by default.
            pub const DEFAULT: SearchParams = SearchParams { $($name: $default,)* };

            /// All of them, in order.
            pub const PARAMS: &'static [Param] = &[
                $(Param { name: stringify!($name), default: $default, least: $least, most: $most, step: $step },)*
            ];

            /// The numbers, in the order of the [`PARAMS`](SearchParams::PARAMS).
            pub fn numbers(&self) -> Vec<i32> {
                vec![$(self.$name,)*]
            }

            /// The params of such numbers, each brought within its bounds; what is missing is as by default.
            pub fn from_numbers(numbers: &[i32]) -> SearchParams {
                let mut numbers = numbers.iter();
                SearchParams { $($name: numbers.next().map_or($default, |n| (*n).clamp($least, $most)),)* }
            }
        }
    };
}

params! {
    /// What late quiet moves are reduced by at least, in 1/1024 ply.
    reduction: 587, 0 to 2000 by 200;
    /// What the product of the logarithms of depth and number of the move counts in reductions, in 1/1024.
    reduction_growth: 947, 256 to 3072 by 120;
    /// By how much history makes a reduction smaller: so many points are 1/1024 ply.
    reduction_history: 14, 4 to 60 by 3;
    /// What a move is reduced by less where the window is open, in 1/1024 ply.
    reduction_open: 378, 0 to 3072 by 200;
    /// What a move is reduced by less that makes a threat, in 1/1024 ply.
    reduction_threat: 1607, 0 to 3072 by 200;
    /// What a move is reduced by more where it is expected that one raises the window, in 1/1024 ply.
    reduction_cut: 114, 0 to 3072 by 200;
    /// What a move is reduced by less where a principal variation went through, in 1/1024 ply.
    reduction_was_open: 273, 0 to 3072 by 200;
    /// What a move is reduced by more where the evaluation does not improve, in 1/1024 ply.
    reduction_worse: 323, 0 to 3072 by 200;
    /// Half the width of the first window of an iteration.
    aspiration: 15, 4 to 200 by 5;
    /// How far above the window a node must be to be left, by depth.
    reverse_futility: 50, 15 to 300 by 15;
    /// By how much less if the evaluation improves.
    reverse_futility_improving: 35, 0 to 300 by 20;
    /// How far below the window a node must be to be given to quiescence, for a start and by squared depth.
    razoring: 261, 50 to 1000 by 60;
    /// How far below the window a quiet move may be, for a start.
    futility: 92, 0 to 500 by 30;
    /// The same by depth.
    futility_depth: 68, 15 to 300 by 20;
    /// Quiet moves that are tried, for a start.
    late_moves: 7, 1 to 30 by 1;
    /// Those that squared depth adds, in 1/1024.
    late_moves_growth: 1521, 128 to 4096 by 200;
    /// What a noisy move may lose in exchanges, by depth.
    exchange_noisy: 109, 10 to 400 by 20;
    /// What a quiet move may lose in exchanges, by squared depth.
    exchange_quiet: 3, 2 to 150 by 8;
    /// What a pass is searched less deep by at least, in 1/1024 ply.
    null_reduction: 3809, 1024 to 6144 by 320;
    /// The same by depth.
    null_growth: 234, 0 to 768 by 48;
    /// Centipawns above the window for which a pass is searched a ply less deep.
    null_above: 92, 40 to 600 by 40;
    /// By how much the evaluation may be below the window for a pass, by depth.
    null_slack: 24, 0 to 100 by 6;
    /// How far below the table's score other moves must be for it to be singular, by depth, in 1/64 centipawn.
    singular: 73, 16 to 768 by 32;
    /// What histories give the move that refutes, by depth.
    history_bonus: 161, 20 to 500 by 40;
    /// What they take from the moves before it, by depth.
    history_malus: 222, 20 to 500 by 40;
    /// How much a capture in quiescence may fall short of the window.
    delta: 322, 30 to 600 by 50;
    /// What a move gets of the time left, in thousandths.
    time_part: 50, 10 to 200 by 4;
    /// How many times its share a move may take, in tenths.
    time_stretch: 40, 10 to 100 by 4;
    /// What of its share a move takes that has just become the best, in hundredths.
    time_calm: 130, 50 to 300 by 8;
    /// By how much less for each iteration, up to eight, that the best move has not changed, in hundredths.
    time_steady: 6, 0 to 20 by 1;
    /// From what, in hundredths, the best move's part of the work is taken to find what part of the time is used.
    time_effort: 160, 101 to 300 by 8;
}

impl Param {
    /// Whether it is one of those by which time is used.
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
    /// Reads JSON: an object of names and numbers; what is not named is as by default.
    ///
    /// # Errors
    /// If it is no such object, or a number is out of its bounds.
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

    /// As a file has them.
    pub fn to_text(&self) -> String {
        let lines: Vec<String> = SearchParams::PARAMS
            .iter()
            .zip(self.numbers())
            .map(|(dial, number)| format!("  \"{}\": {number}", dial.name))
            .collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }

    /// How far above the window a node must be to be left at this depth.
    #[inline(always)]
    pub(super) fn reverse_futility_at(&self, depth: i32, improving: bool) -> i32 {
        self.reverse_futility * depth - if improving { self.reverse_futility_improving } else { 0 }
    }

    /// How far below the window a node must be to be given to quiescence at this depth.
    #[inline(always)]
    pub(super) fn razoring_at(&self, depth: i32) -> i32 {
        self.razoring + self.razoring * depth * depth
    }

    /// How far below the window a quiet move may be at this depth.
    #[inline(always)]
    pub(super) fn futility_at(&self, depth: i32) -> i32 {
        self.futility + self.futility_depth * depth
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

    /// Plies that a pass is searched less deep.
    #[inline(always)]
    pub(super) fn null_reduction_at(&self, depth: i32, above: i32) -> i32 {
        (self.null_reduction + depth * self.null_growth) / 1024 + (above / self.null_above).min(3)
    }

    /// What histories give the move that refutes at this depth, and what they take from the moves before it.
    pub(super) fn rewards_at(&self, depth: i32) -> [i32; 2] {
        [self.history_bonus, self.history_malus].map(|points| (points * depth - points / 2).clamp(40, 1700))
    }

    /// The score that other moves must not reach for the table's move to be singular.
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

    /// What part of a move's time to use where its best move has been the same for so many iterations.
    pub(super) fn calm_at(&self, stability: i32) -> f64 {
        f64::from(self.time_calm - self.time_steady * stability.min(8)) / 100.0
    }

    /// What part of it to use where the best move took such a share of the work.
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

/// Most depth at which futility and its kin are trusted.
pub(super) const SHALLOW: i32 = 8;

/// The depth from which null-move cutoffs are verified.
pub(super) const VERIFIED: i32 = 12;

/// The depth from which moves may be singular.
pub(super) const SINGULAR: i32 = 7;

/// The depth from which a node without a table move is searched less deep.
pub(super) const INTERNAL: i32 = 4;

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
