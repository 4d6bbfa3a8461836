//! Which hidden tile stands where: a belief from how players place and from how the enemy has moved.

use super::setup::Habits;
use super::worth::Worths;
use crate::ismcts::belief::Belief;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::crown_jewels::{CrownJewels, CrownJewelsView, Move, Rules, Tile};
use jewel_engine::hidden::InformationState;
use jewel_engine::random::Random;
use jewel_engine::value::Side;
use std::ops::ControlFlow;

/// How much a belief trusts its sources, each from 0, not at all, to 1, as if the model were true: the exponents
/// of the likelihoods.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Trust {
    /// In the habits of placing.
    pub habits: f32,
    /// In what the enemy's moves say of his tiles.
    pub moves: f32,
}

/// Half trust in moves, none in habits: what the matches of `docs/results/crown-jewels.md` were played with. None of
/// them showed it stronger than [`Uniform`](crate::ismcts::belief::Uniform), which searchers use unless told otherwise.
impl Default for Trust {
    fn default() -> Trust {
        Trust { habits: 0.0, moves: 0.5 }
    }
}

/// Keeps a likelihood for each tile on each square where the enemy hides one, and draws worlds with a probability
/// proportional to the product of the likelihoods of their tiles.
///
/// The model of the enemy is the one of playouts: he moves with a probability proportional to the weight of a
/// move as he sees it ([`Worths`]). A tile that steps next to one it would lose to is hardly weak; one that does
/// not take what it could is hardly strong. What the sum over his other tiles contributes is taken at its mean, so
/// that the likelihoods of squares are independent but for the set of tiles.
#[derive(Clone, Debug)]
pub struct Watcher {
    worths: Worths,
    habits: Habits,
    trust: Trust,
    last: Option<CrownJewelsView>,
    /// Logarithms, by square and tile.
    weights: Box<[[f32; Tile::COUNT]; 64]>,
}

impl Watcher {
    /// A belief that has seen nothing yet.
    pub fn new(rules: &'static Rules, trust: Trust) -> Watcher {
        Watcher {
            worths: Worths::new(rules),
            habits: Habits::new(rules),
            trust,
            last: None,
            weights: Box::new([[0.0; Tile::COUNT]; 64]),
        }
    }

    /// The logarithm of how much more likely a tile is on a square than without knowledge, up to a constant for
    /// each square.
    pub fn log_weight(&self, square: Square, tile: Tile) -> f32 {
        self.weights[square.index()][tile.index()]
    }

    fn begin(&mut self, view: &CrownJewelsView) {
        let enemy = !view.viewer();
        for square in view.hidden_squares() {
            for tile in Tile::all() {
                self.weights[square.index()][tile.index()] =
                    self.trust.habits * self.habits.square_weight(enemy, square, tile);
            }
        }
    }

    /// Weighs what the enemy did by what he could have done; `moved` is his step, if it was one.
    fn weigh(&mut self, before: &CrownJewelsView, moved: Option<Move>) {
        let enemy = !before.viewer();
        let hidden = before.hidden_tiles();
        let count = hidden.count().max(1) as f32;
        let options = Options::of(before, enemy);
        // The sum of the weights of all his moves, the hidden tiles at their mean.
        let mut means = [0.0; 64];
        let mut all = 0.0;
        for square in before.pieces_of(enemy) {
            means[square.index()] = match before.tile(square) {
                Some(tile) => options.weight(&self.worths, square, tile),
                None => {
                    hidden.into_iter().map(|tile| options.weight(&self.worths, square, tile)).sum::<f32>()
                        / count
                }
            };
            all += means[square.index()];
        }
        for square in before.hidden_squares() {
            let others = all - means[square.index()];
            for tile in hidden {
                let own = options.weight(&self.worths, square, tile);
                let mut likelihood = -(others + own).max(1.0).ln();
                if let Some(mv) = moved.filter(|mv| mv.from == square) {
                    likelihood += options.weight_of(&self.worths, mv, tile).ln();
                }
                self.weights[square.index()][tile.index()] += self.trust.moves * likelihood;
            }
        }
    }
}

/// The enemy's moves as he sees them.
struct Options<'a> {
    view: &'a CrownJewelsView,
    enemy: Side,
    /// By square of departure.
    targets: [Bitboard; 64],
}

impl Options<'_> {
    fn of(view: &CrownJewelsView, enemy: Side) -> Options<'_> {
        let mut targets = [Bitboard::EMPTY; 64];
        let _: ControlFlow<()> = view.moves(|mv| {
            targets[mv.from.index()] |= mv.to.bit();
            ControlFlow::Continue(())
        });
        Options { view, enemy, targets }
    }

    /// The weight of a move if this tile makes it.
    fn weight_of(&self, worths: &Worths, mv: Move, tile: Tile) -> f32 {
        let weight = if self.view.pieces_of(!self.enemy).has(mv.to) {
            worths.attack(tile, self.view.tile(mv.to).filter(|_| self.view.known().has(mv.to)))
        } else {
            worths.step(tile, self.enemy, mv.from, mv.to)
        };
        weight as f32
    }

    /// The weight of all moves from a square if this tile stands there.
    fn weight(&self, worths: &Worths, from: Square, tile: Tile) -> f32 {
        let targets = self.targets[from.index()];
        targets.into_iter().map(|to| self.weight_of(worths, Move { from, to }, tile)).sum()
    }
}

/// What happened between two views.
enum Change {
    /// Nothing: the same view.
    None,
    /// A ply of the viewer, or a contest of the enemy's.
    Other,
    /// The enemy made a step, or skipped.
    Step(Option<Move>),
    /// Something that no ply does.
    Break,
}

fn change(before: &CrownJewelsView, after: &CrownJewelsView) -> Change {
    if before == after {
        return Change::None;
    }
    let same_game = std::ptr::eq(before.rules(), after.rules())
        && before.viewer() == after.viewer()
        && before.checkers() == after.checkers()
        && before.side_to_move() != after.side_to_move();
    let mover = before.side_to_move();
    let gone = before.pieces_of(mover) & !after.pieces_of(mover);
    let come = after.pieces_of(mover) & !before.pieces_of(mover);
    let lost = before.pieces_of(!mover) & !after.pieces_of(!mover);
    let grown = after.pieces_of(!mover) & !before.pieces_of(!mover);
    if !same_game || gone.count() > 1 || come.count() > 1 || lost.count() > 1 || grown.any() {
        return Change::Break;
    }
    let contest = after.quiet() == 0
        && before.tiles_of(Side::White).count() + before.tiles_of(Side::Black).count()
            > after.tiles_of(Side::White).count() + after.tiles_of(Side::Black).count();
    if mover == before.viewer() || contest {
        return Change::Other;
    }
    match (gone.is_single(), come.is_single()) {
        (true, true) => Change::Step(Some(Move { from: gone.first(), to: come.first() })),
        (false, false) => Change::Step(None),
        _ => Change::Break,
    }
}

/// The state of a Markov chain over the orders of the hidden tiles.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// Of the view that the order belongs to.
    squares: Vec<Square>,
    order: Vec<Tile>,
}

/// Exchanges that are tried before the first draw, and between draws, for each hidden tile.
const FIRST_EXCHANGES: usize = 20;
const EXCHANGES: usize = 3;

impl Belief<CrownJewels> for Watcher {
    type Draw = Chain;

    fn new_game(&mut self) {
        self.last = None;
        *self.weights = [[0.0; Tile::COUNT]; 64];
    }

    fn observe(&mut self, view: &CrownJewelsView) {
        let Some(before) = self.last.replace(*view) else { return self.begin(view) };
        match change(&before, view) {
            Change::None => {}
            Change::Other => {
                if before.side_to_move() != view.viewer() {
                    self.weigh(&before, None);
                }
            }
            Change::Step(mv) => {
                self.weigh(&before, mv);
                if let Some(mv) = mv {
                    self.weights[mv.to.index()] = self.weights[mv.from.index()];
                }
            }
            Change::Break => self.begin(view),
        }
    }

    /// Metropolis: two tiles change places if that makes the world more likely, and else with the ratio of the
    /// probabilities. Every world can be reached, and in the long run each comes as often as it is likely.
    fn world(&self, view: &CrownJewelsView, chain: &mut Chain, random: &mut Random) -> CrownJewels {
        let Chain { squares, order } = chain;
        let count = view.hidden_tiles().count() as usize;
        let mut exchanges = EXCHANGES * count;
        if order.len() != count {
            squares.clear();
            squares.extend(view.hidden_squares());
            order.clear();
            order.extend(view.hidden_tiles());
            for last in (1..count).rev() {
                order.swap(last, random.below(last as u32 + 1) as usize);
            }
            exchanges = FIRST_EXCHANGES * count;
        }
        for _ in 0..if count > 1 { exchanges } else { 0 } {
            let one = random.below(count as u32) as usize;
            let other = random.below(count as u32) as usize;
            let of = |place: usize, tile: usize| self.weights[squares[place].index()][order[tile].index()];
            let gain = of(one, other) + of(other, one) - of(one, one) - of(other, other);
            if gain >= 0.0 || random.unit() < f64::from(gain.exp()) {
                order.swap(one, other);
            }
        }
        // The list is an order of the hidden tiles: there is such a world.
        view.world_of(order).unwrap_or_else(|| view.world(random))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::ability::{Game, Notation};
    use jewel_engine::crown_jewels::CrownJewelsGame;
    use jewel_engine::hidden::Hidden;
    use jewel_engine::position::{Position, list_moves};
    use std::collections::HashMap;

    fn watcher(rules: &'static Rules, habits: f32, moves: f32) -> Watcher {
        Watcher::new(rules, Trust { habits, moves })
    }

    /// All orders of a list.
    fn orders(tiles: &[Tile]) -> Vec<Vec<Tile>> {
        if tiles.is_empty() {
            return vec![Vec::new()];
        }
        let each = (0..tiles.len()).flat_map(|first| {
            let mut rest = tiles.to_vec();
            let tile = rest.remove(first);
            orders(&rest).into_iter().map(move |mut order| {
                order.insert(0, tile);
                order
            })
        });
        each.collect()
    }

    #[test]
    fn worlds_come_as_often_as_they_are_likely() {
        let game = CrownJewelsGame::with_parameters("tiles=4,files=4,ranks=4,checkers=0,home=1").unwrap();
        let view = game.start().view(Side::White);
        let mut belief = watcher(game.rules(), 0.0, 1.0);
        let mut random = Random::new(5);
        for square in view.hidden_squares() {
            for tile in view.hidden_tiles() {
                belief.weights[square.index()][tile.index()] = 2.0 * random.unit() as f32;
            }
        }
        let squares: Vec<Square> = view.hidden_squares().into_iter().collect();
        let tiles: Vec<Tile> = view.hidden_tiles().into_iter().collect();
        let likelihood = |order: &[Tile]| -> f64 {
            let log = squares.iter().zip(order).map(|(&square, &tile)| belief.log_weight(square, tile));
            f64::from(log.sum::<f32>().exp())
        };
        let all = orders(&tiles);
        let sum: f64 = all.iter().map(|order| likelihood(order)).sum();
        const DRAWS: usize = 48_000;
        let mut seen: HashMap<CrownJewels, f64> = HashMap::new();
        let mut chain = Chain::default();
        for _ in 0..DRAWS {
            let world = Belief::world(&belief, &view, &mut chain, &mut random);
            assert_eq!(world.view(Side::White), view);
            *seen.entry(world).or_default() += 1.0;
        }
        let mut chi = 0.0;
        for order in &all {
            let expected = likelihood(order) / sum * DRAWS as f64;
            let drawn = seen.get(&view.world_of(order).unwrap()).copied().unwrap_or(0.0);
            chi += (drawn - expected).powi(2) / expected;
        }
        // 23 degrees of freedom: above 49.7 once in a thousand, twice as much for draws that hang together.
        assert!(all.len() == 24 && chi < 100.0, "chi-square {chi}");
    }

    #[test]
    fn a_tile_that_does_not_take_is_not_believed_to_be_strong() {
        let game = CrownJewelsGame::new();
        // The tile on a4 could take the weak one on b3, which Black knows.
        let text = "7,b15/8/8/8/b36,b12,6/1,w22!,6/8/w35,w46,6 b wb 0";
        let start = game.parse_position(text).unwrap();
        let mut belief = watcher(game.rules(), 0.0, 1.0);
        belief.observe(&start.view(Side::White));
        let after = start.after(start.parse_move("b4c5").unwrap());
        belief.observe(&after.view(Side::White));
        let [strong, weak] = ["36", "12"].map(|text| Tile::parse(text).unwrap());
        let of = |square: u8, tile| belief.log_weight(Square::new(square), tile);
        let (a4, b4, c5) = (3 * 8, 3 * 8 + 1, 4 * 8 + 2);
        assert!(of(a4, strong) < of(a4, weak) - 0.1);
        // What has moved takes its likelihoods along.
        assert!(of(c5, strong) != 0.0 && of(c5, strong) == of(b4, strong));
        // And what is the same view again says nothing.
        let known = belief.clone();
        belief.observe(&after.view(Side::White));
        assert_eq!(belief.weights, known.weights);
    }

    #[test]
    fn games_leave_a_belief_that_draws_worlds_of_the_view() {
        let game = CrownJewelsGame::with_parameters("tiles=6,files=4,ranks=6").unwrap();
        let mut random = Random::new(8);
        let mut belief = watcher(game.rules(), 1.0, 1.0);
        for _ in 0..5 {
            let mut state = game.start();
            Belief::<CrownJewels>::new_game(&mut belief);
            for _ in 0..60 {
                let view = state.view(Side::Black);
                belief.observe(&view);
                let mut chain = Chain::default();
                for _ in 0..3 {
                    let world = Belief::world(&belief, &view, &mut chain, &mut random);
                    assert_eq!(world.view(Side::Black), view);
                }
                let squares = view.hidden_squares();
                for (square, tile) in squares.into_iter().flat_map(|s| Tile::all().map(move |t| (s, t))) {
                    assert!(belief.log_weight(square, tile).is_finite());
                }
                let moves = list_moves(&state);
                if state.outcome().is_some() || moves.is_empty() {
                    break;
                }
                state.play(moves[random.below(moves.len() as u32) as usize]);
            }
        }
    }
}
