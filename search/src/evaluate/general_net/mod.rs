//! The network for every game: rows of weights that are not learnt piece by piece, but computed from what a variant file
//! says of its pieces. So a game that nobody has trained for has a network, which is added to the handcrafted evaluation.
//!
//! Two small networks, one for own pieces and one for the enemy's, turn the facts of a piece on a square into its row. The
//! usual pieces on boards of usual sizes have additional rows, which are added to these.
//! They were trained on self-play of many variants; `docs/evaluation.md` has the method and the measurements. After D. Ha,
//! A. Dai and Q. V. Le, "HyperNetworks", 2016.

mod describe;
mod usual;

use super::derive::{come_back, pieces_of};
use super::net::{BUCKETS, Features, Net, PART};
use describe::{Describer, FACTS};
use jewel_engine::value::{Outcome, Side};
use jewel_engine::variant::Rules;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use usual::Usual;

/// The numbers of all layers as `tools/general-net` writes them: the upper halves of floats, little-endian.
static WEIGHTS: &[u8] = include_bytes!("weights");

/// The width of the hidden layers.
const HIDDEN: usize = 128;

/// The neurons that it gives a net.
const NEURONS: usize = 64;

/// Centipawns by which the logarithm of the odds grows by one: about as in the games that it was trained on.
const UNIT: u32 = 300;

/// What such a net says of where it comes from.
pub const ORIGIN: &str = "the network for every game";

/// Nets that are in use, by the fingerprint of the rules: several searches may play one game.
static NETS: Mutex<BTreeMap<u64, Weak<Net>>> = Mutex::new(BTreeMap::new());

/// The net of a game that has no files; `None` for games unlike those in which it was found to gain: those in which captured
/// pieces come back from hands, and those that are won neither by checkmate nor by taking all pieces of some types.
pub(crate) fn net(rules: &Rules) -> Option<Arc<Net>> {
    if !is_known(rules) {
        return None;
    }
    let mut nets = NETS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(net) = nets.get(&rules.fingerprint).and_then(Weak::upgrade) {
        return Some(net);
    }
    let net = Arc::new(compute(rules)?);
    nets.retain(|_, net| net.strong_count() > 0);
    nets.insert(rules.fingerprint, Arc::downgrade(&net));
    Some(net)
}

/// The facts of a side's pieces on all squares, by type and then by square: what the network is trained on. `None` if the start
/// position cannot be set up.
///
/// ```
/// use jewel_engine::value::Side;
/// let chess = jewel_engine::games::find("chess").unwrap().rules();
/// let facts = jewel_search::evaluate::general_net::facts(chess, Side::White).unwrap();
/// assert_eq!((facts.len(), facts[0].len()), (6 * 64, 152));
/// ```
pub fn facts(rules: &Rules, owner: Side) -> Option<Vec<Vec<f32>>> {
    let describer = Describer::new(rules)?;
    let of = |kind| {
        let describer = &describer;
        rules.geometry.squares().map(move |square| describer.facts(kind, owner, square))
    };
    Some((0..rules.type_count() as u8).flat_map(of).collect())
}

/// The numbers of the additional rows of a side's pieces, by type and then by square; `None` for all but usual pieces on boards of
/// usual sizes.
pub fn usual_rows(rules: &Rules, owner: Side) -> Vec<Option<usize>> {
    let usual = &Usual::new(rules);
    let of = |kind| rules.geometry.squares().map(move |square| usual.row(kind, owner, square));
    (0..rules.type_count() as u8).flat_map(of).collect()
}

/// Whether checkmate or the loss of all pieces of some types loses a game, and captured pieces leave it for good. A single
/// piece that may not be lost is as good as royal, but the network does not know it, and loses there.
fn is_known(rules: &Rules) -> bool {
    let decided = match &rules.extinction {
        None => rules.royal.is_some() && rules.checkmate == Outcome::Loss,
        Some((kinds, outcome)) => *outcome == Outcome::Loss && pieces_of(rules, kinds) > 1,
    };
    decided && !come_back(rules)
}

/// A layer: each number that comes in has a row of weights.
struct Layer<'a> {
    weights: &'a [f32],
    bias: &'a [f32],
}

impl Layer<'_> {
    /// The sums in the order of what comes in, so that they are the same on every machine.
    fn apply(&self, input: &[f32]) -> Vec<f32> {
        let mut sums = self.bias.to_vec();
        for (&x, row) in input.iter().zip(self.weights.chunks(self.bias.len())) {
            if x != 0.0 {
                sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += x * weight);
            }
        }
        sums
    }
}

/// What turns facts into rows.
struct Head<'a>([Layer<'a>; 3]);

impl Head<'_> {
    fn row(&self, facts: &[f32]) -> Vec<f32> {
        let rectified = |mut numbers: Vec<f32>| {
            numbers.iter_mut().for_each(|x| *x = x.max(0.0));
            numbers
        };
        let [first, second, third] = &self.0;
        third.apply(&rectified(second.apply(&rectified(first.apply(facts)))))
    }
}

/// Takes numbers off the front.
fn take<'a>(rest: &mut &'a [f32], count: usize) -> &'a [f32] {
    let (taken, left) = rest.split_at(count);
    *rest = left;
    taken
}

fn head<'a>(rest: &mut &'a [f32]) -> Head<'a> {
    let mut layer = |from: usize, to: usize| Layer { weights: take(rest, from * to), bias: take(rest, to) };
    Head([layer(FACTS, HIDDEN), layer(HIDDEN, HIDDEN), layer(HIDDEN, NEURONS)])
}

fn floats() -> Vec<f32> {
    let float = |half: &[u8; 2]| f32::from_bits(u32::from(u16::from_le_bytes(*half)) << 16);
    WEIGHTS.as_chunks().0.iter().map(float).collect()
}

fn compute(rules: &Rules) -> Option<Net> {
    let numbers = floats();
    let mut rest = &*numbers;
    let (own, enemy) = (head(&mut rest), head(&mut rest));
    let bias = take(&mut rest, NEURONS);
    let outputs = take(&mut rest, BUCKETS * 2 * NEURONS);
    let output_bias = take(&mut rest, BUCKETS);
    let [own_rows, enemy_rows] = [(); 2].map(|()| take(&mut rest, usual::ROWS * NEURONS));
    let (describer, usual) = (Describer::new(rules)?, Usual::new(rules));
    let features = Features::new(rules);
    let mut rows = vec![[0.0; NEURONS]; features.count()];
    // Where a symmetry exchanges the sides, Black's pieces are White's as Black sees the board.
    let sides = if features.are_shared() { &Side::BOTH[..1] } else { &Side::BOTH };
    for &side in sides {
        for kind in 0..rules.type_count() as u8 {
            for square in rules.geometry.squares() {
                let facts = describer.facts(kind, side, square);
                let (seen, additional) = (features.of(kind, side, square), usual.row(kind, side, square));
                for (viewer, number) in Side::BOTH.into_iter().zip(seen) {
                    let (head, more) = if viewer == side { (&own, own_rows) } else { (&enemy, enemy_rows) };
                    rows[number].copy_from_slice(&head.row(&facts));
                    if let Some(row) = additional {
                        let more = &more[row * NEURONS..][..NEURONS];
                        rows[number].iter_mut().zip(more).for_each(|(weight, more)| *weight += more);
                    }
                }
            }
        }
    }
    let output_bias = std::array::from_fn(|bucket| output_bias[bucket]);
    let mut net = Net::rounded(rules, rows.as_flattened(), bias, outputs, output_bias);
    (net.origin, net.unit, net.added) = (ORIGIN.to_string(), UNIT, true);
    Some(net)
}

const _: () = assert!(NEURONS == PART, "the accumulator is the narrow one");

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::games::{GAMES, find};

    #[test]
    fn the_weights_are_as_many_as_the_layers_need() {
        let layers = (FACTS + 1) * HIDDEN + (HIDDEN + 1) * HIDDEN + (HIDDEN + 1) * NEURONS;
        let outputs = NEURONS + BUCKETS * (2 * NEURONS + 1);
        assert_eq!(WEIGHTS.len(), 2 * (2 * layers + outputs + 2 * usual::ROWS * NEURONS));
    }

    #[test]
    fn games_of_mate_have_a_net_and_it_is_a_net_of_their_own() {
        let chess = find("chess").unwrap().rules();
        let found = net(chess).unwrap();
        assert!(Arc::ptr_eq(&found, &net(chess).unwrap()));
        assert_eq!(Net::parse(&found.to_bytes(), chess).unwrap(), *found);
        assert!(found.is_added() && found.neurons() == NEURONS);
        // Pieces that come back from hands, and a game without royal pieces.
        for file in ["dobutsu", "fox-and-hounds"] {
            let path = format!("{}/../examples/variants/{file}.toml", env!("CARGO_MANIFEST_DIR"));
            assert_eq!(net(&Rules::parse(&std::fs::read_to_string(path).unwrap()).unwrap()), None, "{file}");
        }
    }

    #[test]
    fn usual_pieces_have_additional_rows() {
        let chess = find("chess").unwrap().rules();
        let (net, features) = (net(chess).unwrap(), Features::new(chess));
        let numbers = floats();
        let (mut rest, learnt) = numbers.split_at(numbers.len() - 2 * usual::ROWS * NEURONS);
        let own = head(&mut rest);
        let (knight, b1) = (chess.type_of('N').unwrap(), chess.geometry.squares().nth(1).unwrap());
        let computed = own.row(&Describer::new(chess).unwrap().facts(knight, Side::White, b1));
        let row = Usual::new(chess).row(knight, Side::White, b1).unwrap();
        let additional = &learnt[row * NEURONS..][..NEURONS];
        assert!(additional.iter().any(|weight| weight.abs() > 0.01));
        let [feature, _] = features.of(knight, Side::White, b1);
        for (n, weight) in net.rows[feature].iter().enumerate() {
            let sum = (computed[n] + additional[n]) * super::super::net::ONE as f32;
            assert_eq!(*weight, sum.round() as i16, "{n}");
        }
    }

    #[test]
    fn every_feature_has_a_row_also_where_the_sides_are_unlike() {
        let text = find("diamond-chess").unwrap().text;
        let unlike = text.replace("w = [\"rank 7\"]", "w = [\"rank 6\", \"rank 7\"]");
        for rules in [text, &unlike].map(|text| Rules::parse(text).unwrap()) {
            let net = compute(&rules).unwrap();
            assert!(
                net.rows.chunks(net.parts).all(|row| row.as_flattened().iter().any(|&weight| weight != 0))
            );
        }
    }

    #[test]
    fn games_without_mate_or_precious_pieces_are_unlike_those_that_it_knows() {
        for game in &GAMES {
            assert_eq!(is_known(game.rules()), game.rules().royal.is_some(), "{}", game.id);
        }
        let chess = find("chess").unwrap().text;
        let with = |more: &str| is_known(&Rules::parse(&format!("{chess}\n{more}\n")).unwrap());
        assert!(with("[end]\nextinction = { pieces = \"R\", result = \"loss\" }"));
        // One piece decides the game, or losing pieces wins it.
        assert!(!with("[end]\nextinction = { pieces = \"Q\", result = \"loss\" }"));
        assert!(!with("[end]\nextinction = { pieces = \"R\", result = \"win\" }"));
        assert!(!with("[end]\ncheckmate = \"draw\""));
        // Pieces in hand from the start, which do not come back, and captured ones, which do.
        let pocket = chess.replace("RNBQKBNR w", "RNBQKBNR[Nn] w");
        for (captures, known) in [("nobody", true), ("captor", false)] {
            let text = format!("{pocket}\n[hand]\ncaptures = \"{captures}\"\n");
            assert_eq!(is_known(&Rules::parse(&text).unwrap()), known, "{captures}");
        }
    }
}
