//! Betza notation: how a piece moves, in a few letters.
//!
//! A word is a row of *atoms*, each with lower-case modifiers before it and a range behind it. The subset
//! understood here, and its meaning where the usage of the field differs, is `docs/variant-files.md`.

use crate::value::Side;
use thiserror::Error;

/// How far a motion repeats its step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Range {
    /// Exactly one step: a leaper.
    Leap,
    /// One to `n` steps (`n` at least 2) over empty squares.
    UpTo(u8),
    /// Any number of steps over empty squares.
    Unlimited,
}

/// One step in one direction with its conditions, as White makes it; Black's ranks run the other way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Motion {
    /// Files to the east.
    pub dx: i8,
    /// Ranks forward.
    pub dy: i8,
    /// Whether it may end on an empty square.
    pub quiet: bool,
    /// Whether it may end on an enemy piece.
    pub capture: bool,
    /// Whether it may be made only from the squares on which the piece starts (`i`).
    pub initial: bool,
    /// Whether it is a leap that cannot jump: the squares of [`Motion::legs`] must be empty (`n`).
    pub lame: bool,
    /// How often the step may be repeated.
    pub range: Range,
}

impl Range {
    /// The most steps on any board.
    pub(crate) const fn max_steps(self) -> i32 {
        match self {
            Range::Leap => 1,
            Range::UpTo(n) => n as i32,
            Range::Unlimited => 63,
        }
    }
}

impl Motion {
    /// The motion as a side makes it, with its ranks counted northwards.
    pub(crate) const fn seen_by(self, side: Side) -> Motion {
        match side {
            Side::White => self,
            Side::Black => Motion { dy: -self.dy, ..self },
        }
    }

    /// One step, in files and ranks.
    pub(crate) const fn step(self) -> (i32, i32) {
        (self.dx as i32, self.dy as i32)
    }

    /// Everywhere that it can lead, in files and ranks.
    pub(crate) fn reach(self) -> impl Iterator<Item = (i32, i32)> {
        (1..=self.range.max_steps()).map(move |n| (i32::from(self.dx) * n, i32::from(self.dy) * n))
    }

    /// Whether it is a double step straight forward over an empty square: what en passant answers.
    pub(crate) fn is_double_step(&self) -> bool {
        self.initial && self.lame && self.quiet && !self.capture && (self.dx, self.dy) == (0, 2)
    }

    /// The steps from the origin to the squares that a lame leaper passes: straight along the longer
    /// axis first, then diagonally.
    pub fn legs(&self) -> Vec<(i32, i32)> {
        let (dx, dy) = self.step();
        let (mut x, mut y) = (0, 0);
        let mut legs = Vec::new();
        loop {
            let (left_x, left_y) = ((dx - x).abs(), (dy - y).abs());
            if left_x >= left_y {
                x += (dx - x).signum();
            }
            if left_y >= left_x {
                y += (dy - y).signum();
            }
            if (x, y) == (dx, dy) {
                return legs;
            }
            legs.push((x, y));
        }
    }
}

/// Why a word cannot be read as Betza notation; `at` counts characters from 1.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BetzaError {
    /// Nothing to read.
    #[error("an empty movement; write Betza atoms such as \"WD\" or \"mfWcfF\"")]
    Empty,
    /// A capital that is not an atom.
    #[error("unknown atom '{letter}' at character {at}; the atoms are W F D N A H C Z G and K R B Q")]
    Atom {
        /// The letter found.
        letter: char,
        /// The character, counted from 1.
        at: usize,
    },
    /// A lower-case letter that is not a modifier known here.
    #[error(
        "unsupported modifier '{}' at character {at}; supported are m c (mode), f b l r s v (direction), n (lame), i (initial)",
        .letter.escape_default()
    )]
    Modifier {
        /// The letter found.
        letter: char,
        /// The character, counted from 1.
        at: usize,
    },
    /// Modifiers that no atom follows.
    #[error("modifiers without an atom behind them at character {at}")]
    Dangling {
        /// The character after the last, counted from 1.
        at: usize,
    },
    /// A range that makes no sense.
    #[error(
        "the range at character {at} must be 0 (unlimited) or 1 to 63, and only one range may follow an atom"
    )]
    Range {
        /// The character, counted from 1.
        at: usize,
    },
    /// Directions that leave an atom without a step.
    #[error("the directions \"{directions}\" leave no step of atom '{atom}' at character {at}")]
    Directions {
        /// The direction letters.
        directions: String,
        /// The atom.
        atom: char,
        /// Where the atom stands.
        at: usize,
    },
    /// `n` where there is nothing to jump.
    #[error("'n' at atom '{atom}', character {at}: it has no squares to pass, or repeats its step")]
    NothingToPass {
        /// The atom.
        atom: char,
        /// Where the atom stands.
        at: usize,
    },
}

/// Reads a word of Betza notation into its motions, sorted, each once.
///
/// ```
/// use jewel_engine::betza;
/// assert_eq!(betza::parse("N")?.len(), 8);
/// assert_eq!(betza::parse("mfWcfF")?.len(), 3);   // a pawn without its double step
/// assert!(betza::parse("pR").is_err());           // cannon hops are not supported
/// # Ok::<(), betza::BetzaError>(())
/// ```
///
/// # Errors
/// [`BetzaError`] names the first letter that is wrong.
pub fn parse(text: &str) -> Result<Vec<Motion>, BetzaError> {
    let letters: Vec<char> = text.chars().collect();
    let mut motions = Vec::new();
    let mut next = 0;
    while next < letters.len() {
        next = atom(&letters, next, &mut motions)?;
    }
    if motions.is_empty() {
        return Err(BetzaError::Empty);
    }
    motions.sort_unstable();
    motions.dedup();
    Ok(motions)
}

#[derive(Default)]
struct Modifiers {
    mover: bool,
    capturer: bool,
    lame: bool,
    initial: bool,
    directions: String,
}

fn atom(letters: &[char], start: usize, motions: &mut Vec<Motion>) -> Result<usize, BetzaError> {
    let mut modifiers = Modifiers::default();
    let mut next = start;
    while let Some(&letter) = letters.get(next).filter(|c| !c.is_ascii_uppercase()) {
        match letter {
            'm' => modifiers.mover = true,
            'c' => modifiers.capturer = true,
            'n' => modifiers.lame = true,
            'i' => modifiers.initial = true,
            'f' | 'b' | 'l' | 'r' | 's' | 'v' => modifiers.directions.push(letter),
            _ => return Err(BetzaError::Modifier { letter, at: next + 1 }),
        }
        next += 1;
    }
    let Some(&letter) = letters.get(next) else { return Err(BetzaError::Dangling { at: next }) };
    let at = next + 1;
    // Long sliders have a letter of their own; W, F, N, … double their letter or write a range.
    let (steps, mut range): (&[(i8, i8)], Range) = match letter {
        'W' => (&[(1, 0)], Range::Leap),
        'F' => (&[(1, 1)], Range::Leap),
        'D' => (&[(2, 0)], Range::Leap),
        'N' => (&[(2, 1)], Range::Leap),
        'A' => (&[(2, 2)], Range::Leap),
        'H' => (&[(3, 0)], Range::Leap),
        'C' => (&[(3, 1)], Range::Leap),
        'Z' => (&[(3, 2)], Range::Leap),
        'G' => (&[(3, 3)], Range::Leap),
        'K' => (&[(1, 0), (1, 1)], Range::Leap),
        'R' => (&[(1, 0)], Range::Unlimited),
        'B' => (&[(1, 1)], Range::Unlimited),
        'Q' => (&[(1, 0), (1, 1)], Range::Unlimited),
        _ => return Err(BetzaError::Atom { letter, at }),
    };
    next += 1;
    if letters.get(next) == Some(&letter) {
        if range != Range::Leap {
            return Err(BetzaError::Range { at: next + 1 });
        }
        range = Range::Unlimited;
        next += 1;
        if letters.get(next).is_some_and(|c| *c == letter || c.is_ascii_digit()) {
            return Err(BetzaError::Range { at: next + 1 });
        }
    } else {
        let digits = letters[next..].iter().take_while(|c| c.is_ascii_digit()).count();
        if digits > 0 {
            let number: String = letters[next..next + digits].iter().collect();
            range = match number.parse::<u8>() {
                Ok(0) => Range::Unlimited,
                Ok(1) => Range::Leap,
                Ok(n @ 2..=63) => Range::UpTo(n),
                _ => return Err(BetzaError::Range { at: next + 1 }),
            };
            next += digits;
        }
    }
    let mut found = false;
    for &(long, short) in steps {
        for (dx, dy) in turned(long, short) {
            if !allowed(&modifiers.directions, dx, dy) {
                continue;
            }
            found = true;
            let both = modifiers.mover == modifiers.capturer;
            let motion = Motion {
                dx,
                dy,
                quiet: both || modifiers.mover,
                capture: both || modifiers.capturer,
                initial: modifiers.initial,
                lame: modifiers.lame,
                range,
            };
            if motion.lame && (range != Range::Leap || motion.legs().is_empty()) {
                return Err(BetzaError::NothingToPass { atom: letter, at });
            }
            motions.push(motion);
        }
    }
    if !found {
        return Err(BetzaError::Directions { directions: modifiers.directions, atom: letter, at });
    }
    Ok(next)
}

/// The four or eight steps that symmetry makes of one.
fn turned(long: i8, short: i8) -> impl Iterator<Item = (i8, i8)> {
    let mut steps = Vec::with_capacity(8);
    for (a, b) in [(long, short), (short, long)] {
        for (x, y) in [(a, b), (-a, b), (a, -b), (-a, -b)] {
            if !steps.contains(&(x, y)) {
                steps.push((x, y));
            }
        }
    }
    steps.into_iter()
}

/// Whether the direction letters admit a step. No letters admit all; groups of letters are alternatives.
fn allowed(directions: &str, dx: i8, dy: i8) -> bool {
    if directions.is_empty() {
        return true;
    }
    let letters: Vec<char> = directions.chars().collect();
    let orthogonal = dx == 0 || dy == 0;
    let oblique = !orthogonal && dx.abs() != dy.abs();
    let mut next = 0;
    let mut admitted = false;
    while next < letters.len() {
        let pair =
            letters.get(next + 1).filter(|_| !orthogonal).and_then(|&b| two(letters[next], b, oblique));
        let (test, used): (fn(i8, i8) -> bool, usize) = match pair {
            Some(test) => (test, 2),
            None => (one(letters[next], oblique), 1),
        };
        admitted |= test(dx, dy);
        next += used;
    }
    admitted
}

/// A single direction letter: a half of the plane; `s` and `v` are sideways and vertical steps, for
/// oblique leapers the wide and the narrow ones, for diagonal ones all.
fn one(letter: char, oblique: bool) -> fn(i8, i8) -> bool {
    match (letter, oblique) {
        ('f', _) => |_, dy| dy > 0,
        ('b', _) => |_, dy| dy < 0,
        ('l', _) => |dx, _| dx < 0,
        ('r', _) => |dx, _| dx > 0,
        ('s', true) => |dx, dy| dx.abs() > dy.abs(),
        ('v', true) => |dx, dy| dy.abs() > dx.abs(),
        ('s', false) => |dx, _| dx != 0,
        _ => |_, dy| dy != 0,
    }
}

/// Two letters that mean one thing on diagonal and oblique steps: a corner (`fl`), and on oblique ones the
/// narrow (`ff`) or wide (`fs`) steps of a half.
fn two(first: char, second: char, oblique: bool) -> Option<fn(i8, i8) -> bool> {
    Some(match (first, second) {
        ('f', 'l') | ('l', 'f') => |dx, dy| dx < 0 && dy > 0,
        ('f', 'r') | ('r', 'f') => |dx, dy| dx > 0 && dy > 0,
        ('b', 'l') | ('l', 'b') => |dx, dy| dx < 0 && dy < 0,
        ('b', 'r') | ('r', 'b') => |dx, dy| dx > 0 && dy < 0,
        ('f', 'f') if oblique => |dx, dy| dy > dx.abs(),
        ('b', 'b') if oblique => |dx, dy| -dy > dx.abs(),
        ('l', 'l') if oblique => |dx, dy| -dx > dy.abs(),
        ('r', 'r') if oblique => |dx, dy| dx > dy.abs(),
        ('f', 's') if oblique => |dx, dy| dy > 0 && dx.abs() > dy,
        ('b', 's') if oblique => |dx, dy| dy < 0 && dx.abs() > -dy,
        ('l', 'v') if oblique => |dx, dy| dx < 0 && dy.abs() > -dx,
        ('r', 'v') if oblique => |dx, dy| dx > 0 && dy.abs() > dx,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<(i8, i8)> {
        parse(text).unwrap().iter().map(|m| (m.dx, m.dy)).collect()
    }

    #[test]
    fn every_atom_has_its_steps() {
        for (atom, count) in [
            ("W", 4),
            ("F", 4),
            ("D", 4),
            ("N", 8),
            ("A", 4),
            ("H", 4),
            ("C", 8),
            ("Z", 8),
            ("G", 4),
            ("K", 8),
            ("R", 4),
            ("B", 4),
            ("Q", 8),
            ("WD", 8),
            ("FAN", 16),
        ] {
            assert_eq!(steps(atom).len(), count, "{atom}");
        }
    }

    #[test]
    fn directions_choose_among_steps() {
        assert_eq!(steps("fW"), [(0, 1)]);
        assert_eq!(steps("bF"), [(-1, -1), (1, -1)]);
        assert_eq!(steps("flF"), [(-1, 1)]);
        assert_eq!(steps("fsW"), [(-1, 0), (0, 1), (1, 0)]);
        assert_eq!(steps("vR"), [(0, -1), (0, 1)]);
        assert_eq!(steps("ffN"), [(-1, 2), (1, 2)]);
        assert_eq!(steps("fsN"), [(-2, 1), (2, 1)]);
        assert_eq!(steps("fN").len(), 4);
        assert_eq!(steps("vN").len(), 4);
        assert_eq!(steps("flN"), [(-2, 1), (-1, 2)]);
        assert_eq!(steps("fbF").len(), 4);
        // A gold general: forward and sideways on lines, forward on diagonals.
        assert_eq!(steps("WfF").len(), 6);
    }

    #[test]
    fn ranges_and_modes() {
        assert!(parse("NN").unwrap().iter().all(|m| m.range == Range::Unlimited));
        assert!(parse("R3").unwrap().iter().all(|m| m.range == Range::UpTo(3)));
        assert_eq!(parse("W0"), parse("R"));
        assert_eq!(parse("R1"), parse("W"));
        assert_eq!(parse("Q"), parse("RB"));
        assert_eq!(parse("mcW"), parse("W"));
        let pawn = parse("mfWcfFimfnD").unwrap();
        assert_eq!(pawn.iter().filter(|m| m.capture && !m.quiet).count(), 2);
        let double = pawn.iter().find(|m| m.initial).unwrap();
        assert_eq!((double.dx, double.dy, double.lame, double.legs()), (0, 2, true, vec![(0, 1)]));
    }

    #[test]
    fn lame_leapers_go_straight_first() {
        let legs = |text: &str| parse(text).unwrap()[0].legs();
        let first = |text: &str| (parse(text).unwrap()[0].dx, parse(text).unwrap()[0].dy);
        assert_eq!((first("nN"), legs("nN")), ((-2, -1), vec![(-1, 0)]));
        assert_eq!((first("nA"), legs("nA")), ((-2, -2), vec![(-1, -1)]));
        assert_eq!((first("nZ"), legs("nZ")), ((-3, -2), vec![(-1, 0), (-2, -1)]));
        assert_eq!((first("nC"), legs("nC")), ((-3, -1), vec![(-1, 0), (-2, 0)]));
        assert_eq!((first("nH"), legs("nH")), ((-3, 0), vec![(-1, 0), (-2, 0)]));
    }

    #[test]
    fn errors_name_the_letter() {
        assert_eq!(parse("WpR"), Err(BetzaError::Modifier { letter: 'p', at: 2 }));
        assert_eq!(parse("WX"), Err(BetzaError::Atom { letter: 'X', at: 2 }));
        assert_eq!(parse("Wmf"), Err(BetzaError::Dangling { at: 3 }));
        assert_eq!(parse(""), Err(BetzaError::Empty));
        for bad in ["W64", "RR", "WWW", "WW2", "nW", "nR", "nDD", "W ", "ü", "W99999999999"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
