//! What a table is laid out by: groups of like pieces, and the symmetries that save storing the same twice.

use jewel_engine::value::Side;

/// Like pieces of one side, which are not told apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// Whose they are.
    pub side: Side,
    /// Their letter in position strings, an upper-case ASCII letter for both sides.
    pub letter: u8,
    /// How many, at least 1.
    pub count: u8,
    /// The squares on which they may stand. Groups of the same side and letter have disjoint sets.
    pub allowed: u64,
}

/// A symmetry of the board, alone or together with an exchange of the sides, that leaves the rules as they
/// are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map {
    /// Whether the sides change places too.
    pub exchange: bool,
    /// Where each square goes.
    pub squares: Vec<u8>,
}

impl Map {
    /// Where a set of squares goes.
    #[inline]
    pub fn set(&self, mut set: u64) -> u64 {
        let mut out = 0;
        while set != 0 {
            out |= 1 << (self.squares[set.trailing_zeros() as usize] & 63);
            set &= set - 1;
        }
        out
    }

    /// The side that `side` becomes.
    #[inline]
    pub fn side(&self, side: Side) -> Side {
        if self.exchange { !side } else { side }
    }
}

/// The pieces of a material class, in the order in which they make up an index, and the symmetries.
///
/// The first `leading` groups are placed under the symmetries: only one placement of each orbit is stored, so
/// that the more of them the less is stored twice, and the more numbers a reader has to go through when it opens the file.
/// The remaining groups follow within a *slice*; the last varies fastest. Compression likes single pieces last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scheme {
    /// Files of the board.
    pub width: u8,
    /// Ranks of the board.
    pub height: u8,
    /// All pieces. 1 to 32 groups.
    pub groups: Vec<Group>,
    /// The number of leading groups, at least 1.
    pub leading: usize,
    /// A group of maps (in the mathematical sense), the identity first; at most 16.
    pub symmetries: Vec<Map>,
}

impl Scheme {
    /// The number of squares.
    pub fn area(&self) -> usize {
        usize::from(self.width) * usize::from(self.height)
    }

    /// The class in words, such as `NLvQQ`: the letters of White's pieces, then Black's.
    pub fn class(&self) -> String {
        let side = |side| -> String {
            let groups = self.groups.iter().filter(|g| g.side == side);
            groups.map(|g| char::from(g.letter).to_string().repeat(usize::from(g.count))).collect()
        };
        format!("{}v{}", side(Side::White), side(Side::Black))
    }

    /// What each group becomes under a map, if the class is its own image: the automorphisms.
    pub(crate) fn automorphism(&self, map: &Map) -> Option<Vec<usize>> {
        let image = |g: &Group| {
            let (side, allowed) = (map.side(g.side), map.set(g.allowed));
            self.groups
                .iter()
                .position(|h| (h.side, h.letter, h.count, h.allowed) == (side, g.letter, g.count, allowed))
        };
        self.groups.iter().map(image).collect()
    }

    /// Says what is wrong with the scheme.
    pub(crate) fn check(&self) -> Result<(), String> {
        let area = self.area();
        if !(1..=64).contains(&area) {
            return Err(format!("a board of {} x {} squares", self.width, self.height));
        }
        let board = !0 >> (64 - area);
        let groups = &self.groups;
        if !(1..=32).contains(&groups.len()) || !(1..=groups.len()).contains(&self.leading) {
            return Err(format!("{} groups, {} of them leading", groups.len(), self.leading));
        }
        for (i, g) in groups.iter().enumerate() {
            if g.count == 0 || u32::from(g.count) > g.allowed.count_ones() || g.allowed & !board != 0 {
                return Err(format!("group {i} has {} pieces on squares {:x}", g.count, g.allowed));
            }
            if !g.letter.is_ascii_uppercase() {
                return Err(format!("group {i} has a letter that is none: {:?}", char::from(g.letter)));
            }
            let same = |h: &&Group| (h.side, h.letter) == (g.side, g.letter) && h.allowed & g.allowed != 0;
            if groups[..i].iter().any(|h| same(&h)) {
                return Err(format!("group {i} overlaps another of the same pieces"));
            }
        }
        self.check_symmetries(area)
    }

    fn check_symmetries(&self, area: usize) -> Result<(), String> {
        let maps = &self.symmetries;
        if !(1..=16).contains(&maps.len()) {
            return Err(format!("{} symmetries", maps.len()));
        }
        for (i, map) in maps.iter().enumerate() {
            let mut seen = 0u64;
            for &s in map.squares.iter().filter(|&&s| usize::from(s) < area) {
                seen |= 1 << s;
            }
            if map.squares.len() != area || seen.count_ones() as usize != area {
                return Err(format!("symmetry {i} is no permutation of the squares"));
            }
            // A finite set that is closed under composition has the inverses too.
            for next in maps {
                let both = Map {
                    exchange: map.exchange ^ next.exchange,
                    squares: map.squares.iter().map(|&s| next.squares[usize::from(s) % area]).collect(),
                };
                if !maps.contains(&both) {
                    return Err("the symmetries are no group".to_string());
                }
            }
            for (g, group) in self.groups.iter().enumerate() {
                let (side, allowed) = (map.side(group.side), map.set(group.allowed));
                let like = |h: &&Group| (h.side, h.letter) == (side, group.letter);
                if self.groups.iter().filter(like).any(|h| h.allowed & allowed != 0 && h.allowed != allowed) {
                    return Err(format!("symmetry {i} takes group {g} half onto another"));
                }
            }
            if let Some(image) = self.automorphism(map)
                && image[..self.leading].iter().any(|&h| h >= self.leading)
            {
                return Err(format!("symmetry {i} takes a leading group to one that is not"));
            }
        }
        let identity =
            |m: &Map| !m.exchange && m.squares.iter().enumerate().all(|(i, &s)| i == usize::from(s));
        if !identity(&maps[0]) {
            return Err("the first symmetry is not the identity".to_string());
        }
        Ok(())
    }
}
