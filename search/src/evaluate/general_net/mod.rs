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
use super::start::Start;
use describe::{Describer, FACTS, HAND_FACTS};
use jewel_engine::value::{Outcome, Side};
use jewel_engine::variant::Rules;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use usual::Usual;

/// Games that have weights of their own. The weights are the numbers of all layers as `tools/general-net` writes them: the upper
/// halves of floats, little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    /// Checkmate or the loss of all pieces of some types loses, and captured pieces leave the game for good.
    Mate,
    /// The same where captured pieces come back from hands.
    Hands,
}

impl Family {
    /// That of a game; `None` for games unlike those in which a network was found to gain.
    fn of(rules: &Rules) -> Option<Family> {
        let with_hands = come_back(rules);
        let decided = match &rules.extinction {
            None => rules.royal.is_some() && rules.checkmate == Outcome::Loss,
            // A single piece that may not be lost is as good as royal, but the network does not know it, and loses there.
            Some((kinds, Outcome::Loss)) => pieces_of(&Start::of(rules), kinds) > 1,
            Some(_) => false,
        };
        decided.then_some(if with_hands { Family::Hands } else { Family::Mate })
    }

    fn weights(self) -> Vec<f32> {
        let halves: &[u8] = match self {
            Family::Mate => include_bytes!("weights"),
            Family::Hands => include_bytes!("hand-weights"),
        };
        let float = |half: &[u8; 2]| f32::from_bits(u32::from(u16::from_le_bytes(*half)) << 16);
        halves.as_chunks().0.iter().map(float).collect()
    }

    /// The number of facts of a piece.
    fn facts(self) -> usize {
        match self {
            Family::Mate => FACTS,
            Family::Hands => FACTS + HAND_FACTS,
        }
    }

    /// The number of additional rows of usual pieces.
    fn usual_rows(self) -> usize {
        if self == Family::Mate { usual::ROWS } else { 0 }
    }
}

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

/// The net of a game that has no files; `None` for games unlike those in which one was found to gain.
pub(crate) fn net(rules: &Rules) -> Option<Arc<Net>> {
    let family = Family::of(rules)?;
    let mut nets = NETS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(net) = nets.get(&rules.fingerprint).and_then(Weak::upgrade) {
        return Some(net);
    }
    let net = Arc::new(compute(rules, family));
    nets.retain(|_, net| net.strong_count() > 0);
    nets.insert(rules.fingerprint, Arc::downgrade(&net));
    Some(net)
}

/// The facts of a side's pieces on all squares, by type and then by square, and where captured pieces come back from hands, after
/// those the facts of its pieces in hand, by type and then by their number: what the network is trained on.
///
/// ```
/// use jewel_engine::value::Side;
/// let chess = jewel_engine::games::find("chess").unwrap().rules();
/// let facts = jewel_search::evaluate::general_net::facts(chess, Side::White);
/// assert_eq!((facts.len(), facts[0].len()), (6 * 64, 152));
/// ```
pub fn facts(rules: &Rules, owner: Side) -> Vec<Vec<f32>> {
    let describer = Describer::new(rules);
    let describer = &describer;
    let kinds = 0..rules.type_count() as u8;
    let on_board = kinds
        .clone()
        .flat_map(|kind| rules.geometry.squares().map(move |square| describer.facts(kind, owner, square)));
    let held = kinds.flat_map(|kind| describer.facts_in_hand(kind, owner));
    on_board.chain(held).collect()
}

/// The numbers of the additional rows of a side's pieces, by type and then by square; `None` for all but usual pieces on boards of
/// usual sizes.
pub fn usual_rows(rules: &Rules, owner: Side) -> Vec<Option<usize>> {
    let usual = &Usual::new(rules);
    let of = |kind| rules.geometry.squares().map(move |square| usual.row(kind, owner, square));
    (0..rules.type_count() as u8).flat_map(of).collect()
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

fn head<'a>(rest: &mut &'a [f32], facts: usize) -> Head<'a> {
    let mut layer = |from: usize, to: usize| Layer { weights: take(rest, from * to), bias: take(rest, to) };
    Head([layer(facts, HIDDEN), layer(HIDDEN, HIDDEN), layer(HIDDEN, NEURONS)])
}

fn compute(rules: &Rules, family: Family) -> Net {
    let numbers = family.weights();
    let mut rest = &*numbers;
    let (own, enemy) = (head(&mut rest, family.facts()), head(&mut rest, family.facts()));
    let bias = take(&mut rest, NEURONS);
    let outputs = take(&mut rest, BUCKETS * 2 * NEURONS);
    let output_bias = take(&mut rest, BUCKETS);
    let [own_rows, enemy_rows] = [(); 2].map(|()| take(&mut rest, family.usual_rows() * NEURONS));
    let (describer, usual) = (Describer::new(rules), Usual::new(rules));
    let features = Features::new(rules);
    let mut rows = vec![[0.0; NEURONS]; features.count()];
    // Where a symmetry exchanges the sides, Black's pieces are White's as Black sees the board.
    let sides = if features.are_shared() { &Side::BOTH[..1] } else { &Side::BOTH };
    for &side in sides {
        let mut learn = |seen: [usize; 2], facts: &[f32], additional: Option<usize>| {
            for (viewer, number) in Side::BOTH.into_iter().zip(seen) {
                let (head, more) = if viewer == side { (&own, own_rows) } else { (&enemy, enemy_rows) };
                rows[number].copy_from_slice(&head.row(facts));
                if let Some(row) = additional {
                    let more = &more[row * NEURONS..][..NEURONS];
                    rows[number].iter_mut().zip(more).for_each(|(weight, more)| *weight += more);
                }
            }
        };
        for kind in 0..rules.type_count() as u8 {
            for square in rules.geometry.squares() {
                let facts = describer.facts(kind, side, square);
                learn(features.of(kind, side, square), &facts, usual.row(kind, side, square));
            }
            for (others, facts) in (0..).zip(describer.facts_in_hand(kind, side)) {
                if let Some(seen) = features.in_hand(kind, side, others) {
                    learn(seen, &facts, None);
                }
            }
        }
    }
    let output_bias = std::array::from_fn(|bucket| output_bias[bucket]);
    let mut net = Net::rounded(rules, rows.as_flattened(), bias, outputs, output_bias);
    (net.origin, net.unit, net.added) = (ORIGIN.to_string(), UNIT, true);
    net
}

const _: () = assert!(NEURONS == PART, "the accumulator is the narrow one");

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::games::{GAMES, find};

    #[test]
    fn the_weights_are_as_many_as_the_layers_need() {
        let outputs = NEURONS + BUCKETS * (2 * NEURONS + 1);
        for family in [Family::Mate, Family::Hands] {
            let layers = (family.facts() + 1) * HIDDEN + (HIDDEN + 1) * HIDDEN + (HIDDEN + 1) * NEURONS;
            let rows = 2 * family.usual_rows() * NEURONS;
            assert_eq!(family.weights().len(), 2 * layers + outputs + rows, "{family:?}");
        }
    }

    #[test]
    fn games_of_mate_have_a_net_and_it_is_a_net_of_their_own() {
        let chess = find("chess").unwrap().rules();
        let found = net(chess).unwrap();
        assert!(Arc::ptr_eq(&found, &net(chess).unwrap()));
        assert_eq!(Net::parse(&found.to_bytes(), chess).unwrap(), *found);
        assert!(found.is_added() && found.neurons() == NEURONS);
        assert!(net(&with_hands("captor")).unwrap().is_added());
    }

    /// Chess in which a Knight a side is in hand, and captured pieces go there.
    fn with_hands(captures: &str) -> Rules {
        let chess = find("chess").unwrap().text.replace("RNBQKBNR w", "RNBQKBNR[Nn] w");
        Rules::parse(&format!("{chess}\n[hand]\ncaptures = \"{captures}\"\n")).unwrap()
    }

    #[test]
    fn usual_pieces_have_additional_rows() {
        let chess = find("chess").unwrap().rules();
        let (net, features) = (net(chess).unwrap(), Features::new(chess));
        let numbers = Family::Mate.weights();
        let (mut rest, learnt) = numbers.split_at(numbers.len() - 2 * usual::ROWS * NEURONS);
        let own = head(&mut rest, FACTS);
        let (knight, b1) = (chess.type_of('N').unwrap(), chess.geometry.squares().nth(1).unwrap());
        let computed = own.row(&Describer::new(chess).facts(knight, Side::White, b1));
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
        let [equal, unlike] = [text, &unlike].map(|text| Rules::parse(text).unwrap());
        for rules in [equal, unlike, with_hands("captor")] {
            assert_eq!(silent_rows(&rules), 0, "{}", rules.id);
        }
        // Nothing is known of pieces in hand that do not come back.
        let reserve = with_hands("nobody");
        let features = Features::new(&reserve);
        assert_eq!(silent_rows(&reserve), features.count() - features.on_board());
    }

    /// The rows that say nothing.
    fn silent_rows(rules: &Rules) -> usize {
        let net = compute(rules, Family::of(rules).unwrap());
        net.rows.chunks(net.parts).filter(|row| row.as_flattened().iter().all(|&weight| weight == 0)).count()
    }

    #[test]
    fn games_are_of_the_family_whose_aims_they_have() {
        for game in &GAMES {
            let mate = game.rules().royal.map(|_| Family::Mate);
            assert_eq!(Family::of(game.rules()), mate, "{}", game.id);
        }
        let chess = find("chess").unwrap().text;
        let with = |more: &str| Family::of(&Rules::parse(&format!("{chess}\n{more}\n")).unwrap());
        assert_eq!(with("[end]\nextinction = { pieces = \"R\", result = \"loss\" }"), Some(Family::Mate));
        // One piece decides the game, or losing pieces wins it.
        assert_eq!(with("[end]\nextinction = { pieces = \"R\", result = \"win\" }"), None);
        assert_eq!(with("[end]\nextinction = { pieces = \"Q\", result = \"loss\" }"), None);
        assert_eq!(with("[end]\ncheckmate = \"draw\""), None);
        // Pieces in hand from the start, which do not come back, and captured ones, which do.
        assert_eq!(Family::of(&with_hands("nobody")), Some(Family::Mate));
        assert_eq!(Family::of(&with_hands("captor")), Some(Family::Hands));
    }
}
