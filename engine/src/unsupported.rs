//! Rules that people know from other games and that cannot be had here, told by the marks that give them away: an
//! error then names the rule and not the letter that it stumbled over.

/// What the board field of a position string asks for that cannot be had, such as walls; `None` if it shows no such mark.
pub(crate) fn in_placement(text: &str) -> Option<&'static str> {
    text.contains('*').then_some("walls on the board")
}

/// What the fields of a position string ask for that cannot be had.
pub(crate) fn in_fields(text: &str) -> Option<&'static str> {
    // Most have no such sign: one look.
    if !text.contains('+') {
        return None;
    }
    // `3+3`, or `+0+0` for checks given.
    let counts = |field: &str| {
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        field.trim_start_matches('+').split_once('+').is_some_and(|(a, b)| digits(a) && digits(b))
    };
    text.split_ascii_whitespace().any(counts).then_some(CHECKS)
}

const CHECKS: &str = "counted checks";

/// Beginnings or parts of keys, in lower case, with what they ask for.
const KEYS: [(&str, &str); 18] = [
    ("gating", "pieces that enter the board in a move"),
    ("wall", "walls that a move puts up"),
    ("duck", "walls that a move puts up"),
    ("blast", "captures that remove several pieces"),
    ("explo", "captures that remove several pieces"),
    ("atomic", "captures that remove several pieces"),
    ("checkcount", CHECKS),
    ("countcheck", CHECKS),
    ("connect", "pieces in a row that win"),
    ("inarow", "pieces in a row that win"),
    ("collinear", "pieces in a row that win"),
    ("flip", "pieces that change sides"),
    ("enclos", "pieces that change sides"),
    ("twoboards", "two boards"),
    ("dice", "dice in a variant file"),
    ("fog", "hidden pieces in a variant file"),
    ("hexagon", "boards of hexagons"),
    ("triplestep", "triple steps"),
];

/// What an unknown key of a variant file asks for that cannot be had.
pub(crate) fn by_key(key: &str) -> Option<&'static str> {
    let plain: String =
        key.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let exact = match plain.as_str() {
        "pass" | "passing" => Some("turns that are passed"),
        "players" => Some("more or fewer than two players"),
        _ => None,
    };
    exact.or_else(|| KEYS.iter().find(|(part, _)| plain.contains(part)).map(|(_, what)| *what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_strings_of_other_games_are_understood_that_far() {
        for (board, what) in [
            ("rnbk/pppp/PPPP/RNBK/4", None),
            ("rnbk/pp*p/PPPP/RNBK", Some("walls on the board")),
            ("rnbx/pppp/PPPP/RNBK", None),
        ] {
            assert_eq!(in_placement(board), what, "{board}");
        }
        assert_eq!(in_fields("k/K w - - 3+3 0 1"), Some("counted checks"));
        assert_eq!(in_fields("k/K w - - 0 1 +0+2"), Some("counted checks"));
        assert_eq!(in_fields("k/+P w K+q - 0 1"), None);
        assert_eq!(in_fields("k/K w - - 0 1"), None);
    }

    #[test]
    fn keys_of_other_rules_are_understood_that_far() {
        for (key, what) in [
            ("check_count", Some(CHECKS)),
            ("wallingRule", Some("walls that a move puts up")),
            ("pass", Some("turns that are passed")),
            ("handicap", None),
            ("compass", None),
            ("sumary", None),
        ] {
            assert_eq!(by_key(key), what, "{key}");
        }
    }
}
