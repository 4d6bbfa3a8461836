//! The parts of the search that can be switched off, one by one, to measure what each is worth.

use serde::{Deserialize, Serialize};

macro_rules! features {
    ($($(#[doc = $text:literal])* $name:ident,)*) => {
        /// Which parts of the search are in use. The default is all of them.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Features {
            $($(#[doc = $text])* pub $name: bool,)*
        }

        impl Features {
            /// Everything.
            pub const ALL: Features = Features { $($name: true,)* };

            /// Nothing: plain alpha-beta search to a fixed depth, which gives the value of full-width
            /// minimax.
            pub const NONE: Features = Features { $($name: false,)* };

            /// The names of all features.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name),)*];

            /// The switch of this name.
            pub fn switch(&mut self, name: &str) -> Option<&mut bool> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)*
                    _ => None,
                }
            }
        }
    };
}

features! {
    /// Scores from the transposition table end the search of a node.
    tt_cutoffs,
    /// The move of the transposition table is tried first.
    tt_move,
    /// Iterations begin with a narrow window around the last score.
    aspiration,
    /// Lines that cannot beat a forced result already found are not followed.
    distance_pruning,
    /// Leaves are searched on until no capture, promotion or step onto the key is worth it.
    quiescence,
    /// Moves that create a threat which must be answered are searched a ply deeper.
    threat_extension,
    /// Where losing pieces wins and captures are compulsory: a side's only capture is searched a ply deeper, and
    /// quiescence never stands pat instead of it.
    forced_extension,
    /// A move of the transposition table that is far better than all others is searched a ply deeper.
    singular,
    /// A node is left where even passing is good enough.
    null_move,
    /// Null-move cutoffs at great depth are checked by a search without passing.
    null_verification,
    /// Moves that come late in the order are searched less deep first.
    late_reductions,
    /// At low depth quiet moves that come very late are left out.
    late_pruning,
    /// At low depth quiet moves are left out where the evaluation is far below the window.
    futility,
    /// At low depth a node is left where the evaluation is far above the window.
    reverse_futility,
    /// At low depth a node is left to quiescence search where the evaluation is hopelessly below the window.
    razoring,
    /// Moves that lose too much in exchanges are left out at low depth and in quiescence.
    exchange_pruning,
    /// Nodes without a move of the transposition table are searched less deep.
    internal_reduction,
    /// Quiet moves that refuted siblings come early.
    killers,
    /// The move that last refuted the opponent's move comes early.
    counter_moves,
    /// Quiet moves are ordered by their success.
    butterfly_history,
    /// Quiet moves are ordered by their success after the moves before.
    continuation_history,
    /// Noisy moves are ordered by their success.
    capture_history,
    /// The evaluation is corrected by what searches found in positions of the same structure.
    correction_history,
    /// Of two plies of a turn that can be played in either order, one order is searched.
    turn_order,
}

impl Default for Features {
    fn default() -> Features {
        Features::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_its_switch() {
        let mut features = Features::NONE;
        for name in Features::NAMES {
            *features.switch(name).unwrap() = true;
        }
        assert_eq!(features, Features::ALL);
        assert!(features.switch("magic").is_none());
    }
}
