//! What a player is after, in a few words made from the rules.

use crate::support::words::any_of;
use jewel_engine::bitboard::Bitboard;
use jewel_engine::value::{Outcome, Side};
use jewel_engine::variant::{Bare, KeyRule, Objective, Rules};

/// Most goal squares that are listed by name.
const MAX_NAMED: u32 = 4;

/// The objective of a variant: `hold b2 for a turn`, `checkmate the Princess`.
pub(crate) fn of(rules: &Rules) -> String {
    let mut ways = Vec::new();
    if let Some(key) = &rules.key {
        ways.push(by_key(rules, key));
    }
    if let Some(royal) = rules.royal {
        let name = kind_name(rules, royal);
        match rules.checkmate {
            Outcome::Loss => ways.push(format!("checkmate the {name}")),
            Outcome::Win => ways.push(format!("have your {name} checkmated")),
            Outcome::Draw => {}
        }
    }
    if let Some((kinds, outcome)) = &rules.extinction {
        let names: Vec<String> = kinds.iter().map(|&kind| kind_name(rules, kind)).collect();
        match outcome {
            Outcome::Loss => ways.push(format!("capture every {}", any_of(&names))),
            Outcome::Win => ways.push(format!("lose every {}", any_of(&names))),
            Outcome::Draw => {}
        }
    }
    if rules.bare == Bare::Loses {
        ways.push("capture every piece".to_string());
    }
    match rules.stalemate {
        Outcome::Loss => ways.push("leave no move".to_string()),
        Outcome::Win => ways.push("have no move left".to_string()),
        Outcome::Draw => {}
    }
    if ways.is_empty() { "none: every game is a draw".to_string() } else { any_of(&ways) }
}

fn by_key(rules: &Rules, key: &KeyRule) -> String {
    let all = (1u32 << rules.type_count().min(31)) - 1;
    let with = if key.eligible & all == all {
        String::new()
    } else {
        let kinds = (0..rules.type_count() as u8).filter(|kind| key.eligible >> kind & 1 != 0);
        let names: Vec<String> = kinds.map(|kind| kind_name(rules, kind)).collect();
        format!(" with the {}", any_of(&names))
    };
    let squares = goal(rules, key);
    match key.objective {
        Objective::Hold => format!("hold {squares} for a turn{with}"),
        Objective::Secure => format!("hold {squares} unattacked{with}"),
        Objective::Reach => format!("reach {squares}{with}"),
    }
}

fn goal(rules: &Rules, key: &KeyRule) -> String {
    let names = |set: Bitboard| {
        if set.count() > MAX_NAMED {
            return format!("one of {} squares", set.count());
        }
        any_of(&set.into_iter().map(|square| rules.geometry.name(square)).collect::<Vec<_>>())
    };
    let [white, black] = key.squares;
    if white == black {
        return names(white);
    }
    let owned = |side: Side| format!("{} ({})", names(key.squares[side.index()]), rules.sides[side.index()]);
    format!("{}, {}", owned(Side::White), owned(Side::Black))
}

/// What the sides call a piece type: one name, or both.
fn kind_name(rules: &Rules, kind: u8) -> String {
    let [white, black] = [Side::White, Side::Black].map(|side| rules.piece_name(kind, side));
    if white == black { white.to_string() } else { format!("{white}/{black}") }
}
