//! The two dialects of Betza notation: the other program's, read here, and both, written from motions.
//!
//! Where they differ: on oblique steps a single letter means the two steps that go farther that way (`fN` is
//! our `ffN`), and a pair of perpendicular letters one step (`flN` the wide one, `lfN` the narrow one); `fhN`
//! is our `fN`; `i` never captures; `e` (en passant) says nothing, other keys do. Established by asking the
//! program for the moves of single pieces, for all words of up to three direction letters.

use crate::betza::{self, Motion, Range};
use std::collections::BTreeSet;

type Test = fn(i32, i32) -> bool;

/// Reads a word of the other program's notation: its motions, sorted, each once. The empty word is the piece
/// that cannot move.
///
/// # Errors
/// What is not understood, or not played here.
pub(super) fn parse(word: &str) -> Result<Vec<Motion>, String> {
    let letters: Vec<char> = word.chars().filter(|c| !c.is_whitespace()).collect();
    let mut motions = Vec::new();
    let mut next = 0;
    while next < letters.len() {
        next = atom(&letters, next, &mut motions)?;
    }
    motions.sort_unstable();
    motions.dedup();
    Ok(motions)
}

fn atom(letters: &[char], mut next: usize, motions: &mut Vec<Motion>) -> Result<usize, String> {
    let (mut mover, mut capturer, mut lame, mut initial) = (false, false, false, false);
    let mut directions = Vec::new();
    while let Some(&letter) = letters.get(next).filter(|c| !c.is_ascii_uppercase()) {
        match letter {
            'm' => mover = true,
            'c' => capturer = true,
            'n' => lame = true,
            'i' => initial = true,
            'e' => {}
            'f' | 'b' | 'l' | 'r' | 's' | 'v' | 'h' => directions.push(letter),
            'p' | 'g' => return Err(format!("'{letter}' hops over pieces, which no piece here does")),
            _ => return Err(format!("unsupported modifier '{}'", letter.escape_default())),
        }
        next += 1;
    }
    let Some(&letter) = letters.get(next) else { return Err("modifiers without an atom behind them".into()) };
    next += 1;
    let (steps, slides): (&[(i8, i8)], bool) = match letter {
        'W' => (&[(1, 0)], false),
        'F' => (&[(1, 1)], false),
        'D' => (&[(2, 0)], false),
        'N' => (&[(2, 1)], false),
        'A' => (&[(2, 2)], false),
        'H' => (&[(3, 0)], false),
        'C' => (&[(3, 1)], false),
        'Z' => (&[(3, 2)], false),
        'G' => (&[(3, 3)], false),
        'K' => (&[(1, 0), (1, 1)], false),
        'R' => (&[(1, 0)], true),
        'B' => (&[(1, 1)], true),
        'Q' => (&[(1, 0), (1, 1)], true),
        _ => return Err(format!("unknown atom '{letter}'")),
    };
    let mut range = if slides { Range::Unlimited } else { Range::Leap };
    if letters.get(next) == Some(&letter) {
        range = Range::Unlimited;
        next += 1;
    } else if let Some(digit) = letters.get(next).and_then(|c| c.to_digit(10)) {
        range = match digit {
            0 => Range::Unlimited,
            1 => Range::Leap,
            n => Range::UpTo(n as u8),
        };
        next += 1;
        if letters.get(next).is_some_and(char::is_ascii_digit) {
            return Err(format!("the range behind '{letter}' has more than one digit"));
        }
    }
    if range != Range::Leap && !"WFNKRBQ".contains(letter) {
        return Err(format!("'{letter}' cannot repeat its step"));
    }
    if lame && (range != Range::Leap || !"NAZD".contains(letter)) {
        return Err(format!("'n' goes with N, A, Z and D, found with '{letter}'"));
    }
    if initial && capturer && !mover {
        return Err("an initial move (i) that captures".into());
    }
    let before = motions.len();
    for &step in steps {
        let tests = tests(&directions, step).ok_or_else(|| {
            let directions: String = directions.iter().collect();
            format!("the directions \"{directions}\" of '{letter}' mean nothing certain")
        })?;
        for (dx, dy) in turned(step) {
            if directions.is_empty() || tests.iter().any(|test| test(dx.into(), dy.into())) {
                let both = mover == capturer;
                let capture = (both || capturer) && !initial;
                motions.push(Motion { dx, dy, quiet: both || mover, capture, initial, lame, range });
            }
        }
    }
    if motions.len() == before {
        return Err(format!("the directions leave no step of '{letter}'"));
    }
    Ok(next)
}

/// The four or eight steps that symmetry makes of one.
fn turned((long, short): (i8, i8)) -> BTreeSet<(i8, i8)> {
    let quarter = [(long, short), (short, long)];
    quarter.into_iter().flat_map(|(a, b)| [(a, b), (-a, b), (a, -b), (-a, -b)]).collect()
}

/// What the direction letters admit of an atom's steps: any of these. `None` for combinations that the
/// program reads in ways of its own.
fn tests(directions: &[char], (long, short): (i8, i8)) -> Option<Vec<Test>> {
    let (orthogonal, diagonal) = (short == 0, long == short);
    let mut tests: Vec<Test> = Vec::new();
    let mut next = 0;
    while next < directions.len() {
        let first = directions[next];
        let second = directions.get(next + 1).copied();
        let pair = second.filter(|_| !orthogonal).and_then(|second| two(first, second, diagonal));
        if let Some(pair) = pair {
            tests.push(pair);
            next += 2;
            continue;
        }
        match first {
            'h' if orthogonal => {}
            's' | 'v' if !orthogonal && second.is_some() => return None,
            'h' => return None,
            _ => tests.push(one(first, orthogonal, diagonal)),
        }
        next += 1;
    }
    Some(tests)
}

/// A single letter: a half of the plane, of oblique steps the ones that go farther that way.
fn one(letter: char, orthogonal: bool, diagonal: bool) -> Test {
    match letter {
        'f' if orthogonal || diagonal => |_, y| y > 0,
        'b' if orthogonal || diagonal => |_, y| y < 0,
        'l' if orthogonal || diagonal => |x, _| x < 0,
        'r' if orthogonal || diagonal => |x, _| x > 0,
        's' if orthogonal => |x, _| x != 0,
        'v' if orthogonal => |_, y| y != 0,
        's' | 'v' if diagonal => |_, _| true,
        'f' => |x, y| y > x.abs(),
        'b' => |x, y| -y > x.abs(),
        'l' => |x, y| -x > y.abs(),
        'r' => |x, y| x > y.abs(),
        's' => |x, y| x.abs() > y.abs(),
        _ => |x, y| y.abs() > x.abs(),
    }
}

/// Two letters that mean one thing on diagonal or oblique steps.
fn two(first: char, second: char, diagonal: bool) -> Option<Test> {
    let test: Test = match (first, second, diagonal) {
        ('f', 'l', true) | ('l', 'f', true) => |x, y| x < 0 && y > 0,
        ('f', 'r', true) | ('r', 'f', true) => |x, y| x > 0 && y > 0,
        ('b', 'l', true) | ('l', 'b', true) => |x, y| x < 0 && y < 0,
        ('b', 'r', true) | ('r', 'b', true) => |x, y| x > 0 && y < 0,
        ('s', 's', true) | ('v', 'v', true) | ('h', 'l' | 'r', true) => |_, _| true,
        ('f', 'f' | 's' | 'h', true) | ('f', 'h', false) => |_, y| y > 0,
        ('b', 'b' | 's' | 'h', true) | ('b', 'h', false) => |_, y| y < 0,
        ('l', 'l' | 'v' | 'h', true) | ('l', 'h', false) => |x, _| x < 0,
        ('r', 'r' | 'v' | 'h', true) | ('r', 'h', false) => |x, _| x > 0,
        ('f', 'f', false) => |x, y| y > x.abs(),
        ('b', 'b', false) => |x, y| -y > x.abs(),
        ('l', 'l', false) => |x, y| -x > y.abs(),
        ('r', 'r', false) => |x, y| x > y.abs(),
        ('s', 's', false) => |x, y| x.abs() > y.abs(),
        ('v', 'v', false) => |x, y| y.abs() > x.abs(),
        ('f', 's', false) => |x, y| y > 0 && x.abs() > y,
        ('b', 's', false) => |x, y| y < 0 && x.abs() > -y,
        ('l', 'v', false) => |x, y| x < 0 && y.abs() > -x,
        ('r', 'v', false) => |x, y| x > 0 && y.abs() > x,
        ('f', 'l', false) => |x, y| y > 0 && -x > y,
        ('f', 'r', false) => |x, y| y > 0 && x > y,
        ('b', 'l', false) => |x, y| y < 0 && x < y,
        ('b', 'r', false) => |x, y| y < 0 && x > -y,
        ('l', 'f', false) => |x, y| x < 0 && y > -x,
        ('l', 'b', false) => |x, y| x < 0 && y < x,
        ('r', 'f', false) => |x, y| x > 0 && y > x,
        ('r', 'b', false) => |x, y| x > 0 && -y > x,
        // The eight steps by turns: every second one around the circle.
        ('h', 'l', false) => |x, y| (x.abs() > y.abs()) == ((x > 0) == (y > 0)),
        ('h', 'r', false) => |x, y| (x.abs() > y.abs()) != ((x > 0) == (y > 0)),
        _ => return None,
    };
    Some(test)
}

/// The format in which a word is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reader {
    /// A variant file.
    Ours,
    /// A `variants.ini`.
    Theirs,
}

impl Reader {
    fn read(self, word: &str) -> Option<Vec<Motion>> {
        match self {
            Reader::Ours => betza::parse(word).ok(),
            Reader::Theirs => parse(word).ok(),
        }
    }
}

/// Direction letters worth trying, the plainest first.
const DIRECTIONS: [&str; 37] = [
    "", "f", "b", "l", "r", "s", "v", "fb", "lr", "fs", "bs", "lv", "rv", "fl", "fr", "bl", "br", "lf", "rf",
    "lb", "rb", "ff", "bb", "ll", "rr", "fh", "bh", "lh", "rh", "hl", "hr", "fsb", "flb", "frb", "flr",
    "blr", "fsbb",
];

/// A word for some motions that this reader understands as just them, if there is one.
pub(super) fn write(motions: &[Motion], reader: Reader) -> Option<String> {
    let mut word = String::new();
    let mut left: BTreeSet<Motion> = motions.iter().copied().collect();
    while let Some(&first) = left.first() {
        let alike = |m: &Motion| {
            let flags = |m: &Motion| (m.quiet, m.capture, m.initial, m.lame, m.range);
            flags(m) == flags(&first)
        };
        let wanted: BTreeSet<Motion> = motions.iter().copied().filter(alike).collect();
        let candidates = candidates(&first, reader).into_iter().filter(|(_, set)| set.is_subset(&wanted));
        let fresh = |set: &BTreeSet<Motion>| set.intersection(&left).count();
        // The most new motions; of equals the first, which is the plainest.
        let best = candidates.reduce(|best, next| if fresh(&next.1) > fresh(&best.1) { next } else { best });
        let best = best.filter(|(_, set)| fresh(set) > 0)?;
        word.push_str(&best.0);
        left.retain(|motion| !best.1.contains(motion));
    }
    let read: BTreeSet<Motion> = reader.read(&word)?.into_iter().collect();
    (read == motions.iter().copied().collect()).then_some(word)
}

/// All words of one atom with the modes and the range of a motion, and what they mean.
fn candidates(like: &Motion, reader: Reader) -> Vec<(String, BTreeSet<Motion>)> {
    let mode = match (like.quiet, like.capture) {
        (true, true) => "",
        (true, false) => "m",
        _ => "c",
    };
    let (initial, lame) = (if like.initial { "i" } else { "" }, if like.lame { "n" } else { "" });
    let atoms: Vec<String> = match like.range {
        Range::Leap => "KWFDNAHCZG".chars().map(String::from).collect(),
        Range::Unlimited => {
            let doubled = "NDAHCZG".chars().map(|c| format!("{c}{c}"));
            "QRB".chars().map(String::from).chain(doubled).collect()
        }
        Range::UpTo(n) => "QRBNDAHCZG".chars().map(|c| format!("{c}{n}")).collect(),
    };
    let mut words = Vec::new();
    for directions in DIRECTIONS {
        for atom in &atoms {
            let word = format!("{initial}{mode}{directions}{lame}{atom}");
            if let Some(motions) = reader.read(&word) {
                words.push((word, motions.into_iter().collect()));
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(word: &str) -> Vec<(i8, i8)> {
        parse(word).unwrap().iter().map(|m| (m.dx, m.dy)).collect()
    }

    /// As the program answered.
    #[test]
    fn oblique_directions_are_the_other_dialect() {
        assert_eq!(steps("fN"), [(-1, 2), (1, 2)]);
        assert_eq!(steps("lN"), [(-2, -1), (-2, 1)]);
        assert_eq!(steps("flN"), [(-2, 1)]);
        assert_eq!(steps("lfN"), [(-1, 2)]);
        assert_eq!(steps("fhN"), [(-2, 1), (-1, 2), (1, 2), (2, 1)]);
        assert_eq!(steps("hlN"), [(-2, -1), (-1, 2), (1, -2), (2, 1)]);
        assert_eq!(steps("hrN"), [(-2, 1), (-1, -2), (1, 2), (2, -1)]);
        assert_eq!(steps("rbN"), [(1, -2)]);
        assert_eq!(steps("ffNfsN"), steps("fhN"));
        assert_eq!(steps("flrN"), [(-2, 1), (2, -1), (2, 1)]);
        assert_eq!(steps("fsF"), [(-1, 1), (1, 1)]);
        assert_eq!(steps("lfrbB"), [(-1, 1), (1, -1)]);
    }

    #[test]
    fn what_is_not_played_here_is_named() {
        for (word, why) in [
            ("mRcpR", "hops"),
            ("gQ", "hops"),
            ("DD", "repeat"),
            ("nC", "'n' goes with"),
            ("jR", "modifier 'j'"),
            ("R12", "more than one digit"),
            ("icW", "initial"),
            ("sfN", "directions"),
            ("W2x", "modifier 'x'"),
            ("X", "atom"),
        ] {
            assert!(parse(word).unwrap_err().contains(why), "{word}: {:?}", parse(word));
        }
        assert_eq!(parse("").unwrap(), []);
    }

    #[test]
    fn words_survive_writing_in_both_dialects() {
        for word in [
            "K",
            "KN",
            "mfWcfFimfnD",
            "mNcK",
            "WfF",
            "nN",
            "RmF",
            "mfhNcfW",
            "NN",
            "Q3",
            "lfrbB",
            "FfW",
            "ffN",
            "fsWbF",
            "mWcN",
            "nZ",
            "WD",
            "fhNbW",
            "vRsW2",
            "mKcF",
        ] {
            let motions = parse(word).unwrap();
            let theirs = write(&motions, Reader::Theirs).unwrap();
            assert_eq!(parse(&theirs).unwrap(), motions, "{word}: {theirs}");
            let ours = write(&motions, Reader::Ours).unwrap();
            assert_eq!(betza::parse(&ours).unwrap(), motions, "{word}: {ours}");
        }
        assert_eq!(write(&parse("KN").unwrap(), Reader::Ours).as_deref(), Some("KN"));
        // One step of a knight has no word in a variant file.
        assert_eq!(write(&parse("flN").unwrap(), Reader::Ours), None);
    }
}
