//! Contests: the traits of a tile, and which is left when two meet.

use super::tile::Tile;

/// C1: which of the pips 0 and 1 makes a Spy; the other one makes a Bomb.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SpyPip {
    /// One pip is a Spy, a blank a Bomb.
    One,
    /// A blank is a Spy, one pip a Bomb.
    Blank,
}

/// The rules of contests that may be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Traits {
    /// C1: what the pips 0 and 1 make of a tile.
    pub spy: SpyPip,
    /// C4: whether the tile 2-2 is the Jewel Thief.
    pub thief: bool,
}

impl Traits {
    /// Whether the tile is a Jewel: five pips on a half.
    pub const fn is_jewel(self, tile: Tile) -> bool {
        tile.has(5)
    }

    /// Whether the tile is a General: six pips on a half.
    pub const fn is_general(self, tile: Tile) -> bool {
        tile.has(6)
    }

    /// Whether the tile is a Spy.
    pub const fn is_spy(self, tile: Tile) -> bool {
        tile.has(match self.spy {
            SpyPip::One => 1,
            SpyPip::Blank => 0,
        })
    }

    /// Whether the tile is a Bomb.
    pub const fn is_bomb(self, tile: Tile) -> bool {
        tile.has(match self.spy {
            SpyPip::One => 0,
            SpyPip::Blank => 1,
        })
    }

    /// Whether the tile is the Jewel Thief.
    pub const fn is_thief(self, tile: Tile) -> bool {
        self.thief && tile.has(2) && tile.is_double()
    }

    /// What is left when one tile attacks another.
    pub const fn contest(self, attacker: Tile, defender: Tile) -> Contest {
        let attacker_wins = self.attacker_wins(attacker, defender);
        let loser = if attacker_wins { defender } else { attacker };
        match (self.is_bomb(loser), attacker_wins) {
            (true, _) => Contest::Both,
            (false, true) => Contest::Win,
            (false, false) => Contest::Lose,
        }
    }

    /// The tests in their order, Bombs apart.
    const fn attacker_wins(self, attacker: Tile, defender: Tile) -> bool {
        if self.is_thief(attacker) && self.is_jewel(defender) {
            return true;
        }
        if self.is_spy(defender) && self.is_general(attacker) {
            return false;
        }
        if self.is_spy(attacker) && self.is_general(defender) {
            return true;
        }
        if attacker.strength() != defender.strength() {
            return attacker.strength() > defender.strength();
        }
        // C2.
        if self.is_general(attacker) != self.is_general(defender) {
            return self.is_general(attacker);
        }
        attacker.is_double() || !defender.is_double()
    }
}

/// The result of a contest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Contest {
    /// The defender is removed, the attacker takes its square.
    Win,
    /// The attacker is removed.
    Lose,
    /// Both are removed.
    Both,
}

/// The results by attacker and defender; a tile against itself, which cannot occur, is [`Contest::Both`].
pub(super) type Table = [[Contest; Tile::COUNT]; Tile::COUNT];

/// The table of results for a choice of traits.
pub(super) fn table(traits: Traits) -> &'static Table {
    static TABLES: [[Table; 2]; 2] = [
        [
            make_table(Traits { spy: SpyPip::One, thief: false }),
            make_table(Traits { spy: SpyPip::One, thief: true }),
        ],
        [
            make_table(Traits { spy: SpyPip::Blank, thief: false }),
            make_table(Traits { spy: SpyPip::Blank, thief: true }),
        ],
    ];
    &TABLES[traits.spy as usize][usize::from(traits.thief)]
}

const fn make_table(traits: Traits) -> Table {
    let mut table = [[Contest::Both; Tile::COUNT]; Tile::COUNT];
    let mut attacker = 0;
    while attacker < Tile::COUNT {
        let mut defender = 0;
        while defender < Tile::COUNT {
            if attacker != defender {
                let (one, other) = (Tile::new(attacker as u8), Tile::new(defender as u8));
                table[attacker][defender] = traits.contest(one, other);
            }
            defender += 1;
        }
        attacker += 1;
    }
    table
}
