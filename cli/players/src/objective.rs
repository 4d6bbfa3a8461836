//! What a player is after, in a few words made from the rules.

use crate::support::board::file_letter;
use crate::support::words::any_of;
use jewel_engine::bitboard::Bitboard;
use jewel_engine::geometry::Geometry;
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
        Objective::Try => format!("reach {squares} unattacked{with}"),
    }
}

fn goal(rules: &Rules, key: &KeyRule) -> String {
    let [white, black] = key.squares;
    if white == black {
        return region(rules.geometry, white);
    }
    let owned = |side: Side| {
        format!("{} ({})", region(rules.geometry, key.squares[side.index()]), rules.sides[side.index()])
    };
    format!("{}, {}", owned(Side::White), owned(Side::Black))
}

/// Squares in words: by their names if they are few, else `rank 6`, `file a or file h`, `the edge of the board`, `c3-f6`,
/// or their number.
fn region(geometry: Geometry, squares: Bitboard) -> String {
    let names = |set: Bitboard| set.into_iter().map(|square| geometry.name(square)).collect::<Vec<_>>();
    let within = |set: Bitboard| if set & squares == set { set } else { Bitboard::EMPTY };
    let file_set = |file: u8| {
        geometry
            .squares()
            .filter(|square| geometry.file(*square) == file)
            .fold(Bitboard::EMPTY, |set, square| set | square.bit())
    };
    let ranks: Vec<u8> =
        (0..geometry.height()).filter(|rank| within(geometry.rank_set(*rank)).any()).collect();
    let files: Vec<u8> = (0..geometry.width()).filter(|file| within(file_set(*file)).any()).collect();
    let of_ranks = ranks.iter().fold(Bitboard::EMPTY, |set, rank| set | geometry.rank_set(*rank));
    let of_files = files.iter().fold(Bitboard::EMPTY, |set, file| set | file_set(*file));
    let edge = [0, geometry.height() - 1].map(|rank| geometry.rank_set(rank));
    let edge = edge
        .into_iter()
        .chain([0, geometry.width() - 1].map(file_set))
        .fold(Bitboard::EMPTY, |all, set| all | set);
    if squares == of_ranks && squares.count() > 1 {
        let names: Vec<String> = ranks.iter().map(|rank| (rank + 1).to_string()).collect();
        return format!("rank {}", any_of(&names));
    }
    if squares == of_files && squares.count() > 1 {
        let names: Vec<String> = files.iter().map(|file| file_letter((*file).into()).to_string()).collect();
        return format!("file {}", any_of(&names));
    }
    if squares.count() <= MAX_NAMED {
        return any_of(&names(squares));
    }
    if squares == edge {
        return "the edge of the board".to_string();
    }
    let corners = squares.into_iter().next().zip(squares.into_iter().last());
    if let Some(block) = corners.map(|(from, to)| format!("{}-{}", geometry.name(from), geometry.name(to)))
        && geometry.parse_set(&block) == Ok(squares)
    {
        return block;
    }
    format!("one of {} squares", squares.count())
}

/// What the sides call a piece type: one name, or both.
fn kind_name(rules: &Rules, kind: u8) -> String {
    let [white, black] = [Side::White, Side::Black].map(|side| rules.piece_name(kind, side));
    if white == black { white.to_string() } else { format!("{white}/{black}") }
}
