//! The crystal: which atoms there are, where paths lead, and who starts where (D1).

use crate::bitboard::{Bitboard, Square};
use crate::parameters::{ParameterError, Parameters};
use std::sync::{LazyLock, Mutex};

/// The most atoms that a crystal can have: those of a [`Bitboard`].
const MAX_ATOMS: u32 = 64;

/// What may be jumped from an atom, neighbour by neighbour.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Jumps {
    /// The neighbours.
    pub(super) over: [Bitboard; 3],
    /// Where a jump over each of them lands: its other neighbours.
    pub(super) landings: [Bitboard; 3],
}

/// A crystal, its electrons at the start, and its tables.
///
/// Atoms are numbered tier by tier from the bottom, in a tier molecule by molecule, in a molecule from a
/// to d.
#[derive(Debug)]
pub struct Lattice {
    pub(super) id: String,
    pub(super) tiers: u32,
    pub(super) molecules: u32,
    pub(super) tokens: u32,
    /// D4: a full far tier with an own electron on it wins too.
    pub(super) full_tier: bool,
    pub(super) start: [Bitboard; 2],
    /// The tier that each player must reach.
    pub(super) far: [Bitboard; 2],
    pub(super) neighbours: [Bitboard; 64],
    pub(super) jumps: [Jumps; 64],
    /// Steps from each atom to each player's far tier along paths.
    pub(super) steps: [[u8; 64]; 2],
    /// For each player and number of steps, the atoms that are nearer to the far tier.
    pub(super) nearer: [[Bitboard; 64]; 2],
}

/// The crystals in use: each exists once, so that positions can point to it.
static CRYSTALS: LazyLock<Mutex<Vec<&'static Lattice>>> = LazyLock::new(Mutex::default);

/// The crystal of a list of parameters.
pub(super) fn find(text: &str) -> Result<&'static Lattice, ParameterError> {
    let [tiers, molecules, tokens, full_tier] = read_parameters(text)?;
    let lattice = Lattice::new(tiers, molecules, tokens, full_tier == 1);
    // A thread that panics here leaves the list whole.
    let mut crystals = CRYSTALS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(known) = crystals.iter().find(|known| known.id == lattice.id) {
        return Ok(known);
    }
    let new: &'static Lattice = Box::leak(Box::new(lattice));
    crystals.push(new);
    Ok(new)
}

fn read_parameters(text: &str) -> Result<[u32; 4], ParameterError> {
    let parameters = if text.is_empty() {
        Parameters::default()
    } else {
        Parameters::parse("crystal-draughts", text, &["tiers", "molecules", "tokens", "full-tier"])?
    };
    let tiers = parameters.number("tiers", 2, MAX_ATOMS / 4)?.unwrap_or(4);
    let molecules = parameters.number("molecules", 1, MAX_ATOMS / 8)?.unwrap_or(3);
    let atoms = 4 * tiers * molecules;
    if atoms > MAX_ATOMS {
        return Err(ParameterError::Together(format!(
            "{tiers} tiers of {molecules} molecules are {atoms} atoms; a crystal has at most {MAX_ATOMS}"
        )));
    }
    let places = 4 * molecules;
    let tokens = parameters.number("tokens", 1, places)?.unwrap_or(places);
    if tiers == 2 && tokens == places {
        return Err(ParameterError::Together(format!(
            "two tiers with {tokens} tokens each are full: nobody could ever move; give fewer tokens or more tiers"
        )));
    }
    let full_tier = parameters.choice("full-tier", &["off", "on"])?.unwrap_or(0);
    Ok([tiers, molecules, tokens, full_tier as u32])
}

impl Lattice {
    fn new(tiers: u32, molecules: u32, tokens: u32, full_tier: bool) -> Lattice {
        let mut lattice = Lattice {
            id: id(tiers, molecules, tokens, full_tier),
            tiers,
            molecules,
            tokens,
            full_tier,
            start: [Bitboard::EMPTY; 2],
            far: [Bitboard::EMPTY; 2],
            neighbours: [Bitboard::EMPTY; 64],
            jumps: [Jumps::default(); 64],
            steps: [[0; 64]; 2],
            nearer: [[Bitboard::EMPTY; 64]; 2],
        };
        lattice.make_paths();
        lattice.make_jumps();
        lattice.far = [lattice.tier(tiers - 1), lattice.tier(0)];
        for number in 0..tokens {
            let atom = Square::new(number as u8);
            lattice.start[0] |= atom.bit();
            lattice.start[1] |= lattice.opposite(atom).bit();
        }
        lattice.steps = lattice.far.map(|far| lattice.steps_to(far));
        lattice.nearer = lattice.steps.map(|steps| {
            let within = |distance: usize| {
                let atoms = (0..lattice.atoms() as u8).map(Square::new);
                atoms.filter(|atom| usize::from(steps[atom.index()]) < distance).collect()
            };
            std::array::from_fn(within)
        });
        lattice
    }

    /// Tiers of the crystal.
    pub fn tiers(&self) -> u32 {
        self.tiers
    }

    /// Molecules of a tier.
    pub fn molecules(&self) -> u32 {
        self.molecules
    }

    /// Electrons of a player.
    pub fn tokens(&self) -> u32 {
        self.tokens
    }

    /// Whether a full far tier with an own electron on it wins (D4).
    pub fn full_tier_wins(&self) -> bool {
        self.full_tier
    }

    /// The number of atoms, at most 64.
    pub fn atoms(&self) -> u32 {
        4 * self.tiers * self.molecules
    }

    /// The atoms one path away.
    #[inline(always)]
    pub fn neighbours(&self, atom: Square) -> Bitboard {
        self.neighbours[atom.index()]
    }

    /// The tier that a player must reach.
    #[inline(always)]
    pub fn far(&self, side: crate::value::Side) -> Bitboard {
        self.far[side.index()]
    }

    /// The fewest steps along paths from an atom to a player's far tier, without jumps.
    #[inline(always)]
    pub fn steps(&self, side: crate::value::Side, atom: Square) -> u32 {
        u32::from(self.steps[side.index()][atom.index()])
    }

    /// The atoms of a tier, counted from the bottom.
    pub fn tier(&self, tier: u32) -> Bitboard {
        let places = 4 * self.molecules;
        Bitboard(!0u64 >> (64 - places) << (tier * places))
    }

    pub(super) fn atom(&self, tier: u32, molecule: u32, letter: u32) -> Square {
        Square::new((4 * (tier * self.molecules + molecule % self.molecules) + letter) as u8)
    }

    /// Tier, molecule and atom of the molecule.
    pub(super) fn parts(&self, atom: Square) -> [u32; 3] {
        let number = atom.index() as u32;
        [number / 4 / self.molecules, number / 4 % self.molecules, number % 4]
    }

    /// The four cycles a-b-c-d-a, and the paths that lead up: `a` to the left, that is by half a turn between
    /// molecules in the direction of decreasing angle, to a `c`; `b` to the right, to a `d`. On odd tiers the
    /// molecules stand half a turn further.
    fn make_paths(&mut self) {
        for tier in 0..self.tiers {
            for molecule in 0..self.molecules {
                for letter in 0..4 {
                    self.join(self.atom(tier, molecule, letter), self.atom(tier, molecule, (letter + 1) % 4));
                }
                if tier + 1 < self.tiers {
                    let left = if tier % 2 == 0 { molecule + self.molecules - 1 } else { molecule };
                    self.join(self.atom(tier, molecule, 0), self.atom(tier + 1, left, 2));
                    self.join(self.atom(tier, molecule, 1), self.atom(tier + 1, left + 1, 3));
                }
            }
        }
    }

    fn join(&mut self, one: Square, other: Square) {
        self.neighbours[one.index()] |= other.bit();
        self.neighbours[other.index()] |= one.bit();
    }

    fn make_jumps(&mut self) {
        for number in 0..self.atoms() {
            let from = Square::new(number as u8);
            for (n, over) in self.neighbours(from).into_iter().enumerate() {
                self.jumps[from.index()].over[n] = over.bit();
                self.jumps[from.index()].landings[n] = self.neighbours(over) & !from.bit();
            }
        }
    }

    /// The image of an atom on the other player's side: bottom and top, left and right exchanged, by half a
    /// turn about a horizontal axis. With an odd number of tiers the molecules of odd tiers, which stand half
    /// a turn further, go to the other side of the axis.
    pub(super) fn opposite(&self, atom: Square) -> Square {
        let [tier, molecule, letter] = self.parts(atom);
        let shift = u32::from(self.tiers % 2 == 1 && tier % 2 == 1);
        self.atom(self.tiers - 1 - tier, 2 * self.molecules - molecule - shift, letter ^ 2)
    }

    /// The image of an atom in a mirror that exchanges left and right alone.
    pub(super) fn mirrored(&self, atom: Square) -> Square {
        let [tier, molecule, letter] = self.parts(atom);
        self.atom(tier, 2 * self.molecules - molecule - tier % 2, letter ^ 1)
    }

    /// The image of an atom if the crystal is turned by a number of molecules.
    pub(super) fn turned(&self, atom: Square, molecules: u32) -> Square {
        let [tier, molecule, letter] = self.parts(atom);
        self.atom(tier, molecule + molecules % self.molecules, letter)
    }

    fn steps_to(&self, goal: Bitboard) -> [u8; 64] {
        let mut steps = [0; 64];
        let (mut reached, mut front, mut distance) = (goal, goal, 0);
        while front.any() {
            front.into_iter().for_each(|atom| steps[atom.index()] = distance);
            let next = front.into_iter().fold(Bitboard::EMPTY, |set, atom| set | self.neighbours(atom));
            front = next & !reached;
            reached |= front;
            distance += 1;
        }
        steps
    }
}

/// The id with the parameters that differ from the defaults.
fn id(tiers: u32, molecules: u32, tokens: u32, full_tier: bool) -> String {
    let mut parts = Vec::new();
    if tiers != 4 {
        parts.push(format!("tiers={tiers}"));
    }
    if molecules != 3 {
        parts.push(format!("molecules={molecules}"));
    }
    if tokens != 4 * molecules {
        parts.push(format!("tokens={tokens}"));
    }
    if full_tier {
        parts.push("full-tier=on".into());
    }
    if parts.is_empty() { "crystal-draughts".into() } else { format!("crystal-draughts:{}", parts.join(",")) }
}
