//! The scheme of a table: groups of like pieces, and the symmetries, of whose images one is stored.

use jewel_engine::value::Side;

/// Like pieces of one side, which are not told apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The side that they belong to.
    pub side: Side,
    /// Their letter in position strings, an upper-case ASCII letter for both sides.
    pub letter: u8,
    /// The number of pieces, at least 1.
    pub count: u8,
    /// The squares on which they may stand. Groups of the same side and letter have disjoint sets.
    pub allowed: u64,
}

/// A symmetry of the board, alone or with an exchange of the sides, that keeps the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map {
    /// Whether it exchanges the sides too.
    pub exchange: bool,
    /// The image of each square.
    pub squares: Vec<u8>,
}

impl Map {
    /// The image of a set of squares.
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
/// Of the placements of the first `leading` groups only one of each orbit under the symmetries is stored. More leading groups
/// save more space, and give the reader more placements to go through when it opens the file. The other groups follow within a
/// *slice*; the last one varies fastest. Single pieces at the end compress best.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scheme {
    /// Files of the board.
    pub width: u8,
    /// Ranks of the board.
    pub height: u8,
    /// All pieces, in 1 to 32 groups.
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

    /// The name of the class, such as `NLvQQ`: the letters of White's pieces, a `v`, those of Black's.
    pub fn class(&self) -> String {
        let side = |side| -> String {
            let groups = self.groups.iter().filter(|g| g.side == side);
            groups.map(|g| char::from(g.letter).to_string().repeat(usize::from(g.count))).collect()
        };
        format!("{}v{}", side(Side::White), side(Side::Black))
    }

    /// The group that each group becomes under a map; `None` if the image of the class is another class.
    pub(crate) fn automorphism(&self, map: &Map) -> Option<Vec<usize>> {
        let image = |g: &Group| {
            let (side, allowed) = (map.side(g.side), map.set(g.allowed));
            self.groups
                .iter()
                .position(|h| (h.side, h.letter, h.count, h.allowed) == (side, g.letter, g.count, allowed))
        };
        self.groups.iter().map(image).collect()
    }

    /// Checks the rules of [`Scheme`] and [`Map`]; the error says which one is broken.
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
                return Err(format!(
                    "group {i} has the letter {:?}, which is not upper case",
                    char::from(g.letter)
                ));
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
                return Err(format!("symmetry {i} is not a permutation of the squares"));
            }
            // A finite set that is closed under composition has the inverses too.
            for next in maps {
                let both = Map {
                    exchange: map.exchange ^ next.exchange,
                    squares: map.squares.iter().map(|&s| next.squares[usize::from(s) % area]).collect(),
                };
                if !maps.contains(&both) {
                    return Err("the symmetries do not form a group".to_string());
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
