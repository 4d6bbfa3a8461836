//! What the network for every game knows of a piece on a square: facts that any variant file has, and no names.
//!
//! All facts are as the owner of the piece sees the board: its home rank is the first, and it moves forwards.

use super::Family;
use crate::evaluate::Weights;
use crate::evaluate::derive::{FAR, key_distances};
use crate::evaluate::net::MAX_HELD;
use crate::evaluate::start::Start;
use jewel_engine::bitboard::{Bitboard, Square};
use jewel_engine::value::{Outcome, Side};
use jewel_engine::variant::Rules;

/// The number of facts of a piece on a square.
pub(super) const FACTS: usize = 152;

/// The number of those that are added where captured pieces come back from hands: how many of its type a piece in hand follows,
/// where it may be dropped, and what the captor gets.
pub(super) const HAND_FACTS: usize = MAX_HELD + 2;

/// Directions in which pieces ride: the eight of rooks and bishops, and the eight of nightriders.
pub(super) const LINES: [(i32, i32); 16] = [
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
    (0, -1),
    (1, -1),
    (1, 2),
    (2, 1),
    (-1, 2),
    (-2, 1),
    (-1, -2),
    (-2, -1),
    (1, -2),
    (2, -1),
];

/// Where a type may capture from the middle of the board.
const FROM_CENTRE: [(i32, i32); 10] =
    [(1, 0), (1, 1), (2, 0), (2, 1), (1, 2), (2, 2), (0, 1), (0, 2), (0, -1), (-1, -1)];

/// Describes the pieces of one game.
pub(super) struct Describer<'a> {
    rules: &'a Rules,
    start: Start<'a>,
    /// Whether the game is one of those with facts of hands.
    with_hands: bool,
    /// By type: what it is worth in the opening and in the endgame, in centipawns.
    worth: Vec<[f32; 2]>,
    /// By type and side: the squares that a piece attacks and moves to on an empty board, on the mean, in twelves.
    means: Vec<[[f32; 2]; 2]>,
    /// By type and side: the moves to the key from each square.
    to_key: Vec<[[u8; 64]; 2]>,
}

/// One side's view of the board.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) rules: &'a Rules,
    pub(super) owner: Side,
}

impl View<'_> {
    /// The file and rank of a square; the owner's home rank is 0.
    pub(super) fn place(self, square: Square) -> (i32, i32) {
        let geometry = self.rules.geometry;
        (geometry.file(square).into(), self.turned(geometry.rank(square).into()))
    }

    fn turned(self, rank: i32) -> i32 {
        if self.owner == Side::White { rank } else { i32::from(self.rules.geometry.height()) - 1 - rank }
    }

    pub(super) fn at(self, (file, rank): (i32, i32)) -> Option<Square> {
        self.rules.geometry.at(file, self.turned(rank))
    }

    /// 1 if a set has the square of this place, else 0.
    fn has(self, set: Bitboard, place: (i32, i32)) -> f32 {
        truth(self.at(place).is_some_and(|square| set.has(square)))
    }
}

fn truth(holds: bool) -> f32 {
    f32::from(u8::from(holds))
}

impl<'a> Describer<'a> {
    pub(super) fn new(rules: &'a Rules) -> Describer<'a> {
        let weights = Weights::derived(rules);
        let worth = weights.pieces.iter().map(|piece| piece.material.map(|worth| worth as f32)).collect();
        let mean = |kind, owner, targets: fn(&Rules, u8, Side, Square, Bitboard) -> Bitboard| {
            let counts = rules.geometry.squares().map(|s| targets(rules, kind, owner, s, s.bit()).count());
            counts.sum::<u32>() as f32 / f32::from(rules.geometry.area()) / 12.0
        };
        let of = |kind| {
            Side::BOTH.map(|owner| {
                [mean(kind, owner, Rules::capture_targets), mean(kind, owner, Rules::quiet_targets)]
            })
        };
        let means = (0..rules.type_count() as u8).map(of).collect();
        let distances = |kind| Side::BOTH.map(|owner| key_distances(rules, kind, owner, FAR));
        let to_key = (0..rules.type_count() as u8).map(distances).collect();
        let with_hands = Family::of(rules) == Some(Family::Hands);
        Describer { rules, start: Start::of(rules), with_hands, worth, means, to_key }
    }

    /// The facts of a piece of a type and side on a square.
    pub(super) fn facts(&self, kind: u8, owner: Side, square: Square) -> Vec<f32> {
        let mut facts = self.facts_of_board(kind, owner, square);
        if self.with_hands {
            facts.extend([0.0; MAX_HELD]);
            facts.extend(self.facts_of_hands(kind, owner));
        }
        facts
    }

    /// Those that every game has.
    fn facts_of_board(&self, kind: u8, owner: Side, square: Square) -> Vec<f32> {
        let mut facts = Vec::with_capacity(FACTS + HAND_FACTS);
        let (rules, view) = (self.rules, View { rules: self.rules, owner });
        let (width, height) = (i32::from(rules.geometry.width()), i32::from(rules.geometry.height()));
        let worth = self.worth[usize::from(kind)];
        let largest = self.worth.iter().fold(1.0f32, |largest, worth| largest.max(worth[0]));
        // What the type is.
        facts.extend([worth[0] / 500.0, worth[1] / 500.0, worth[0] / largest]);
        facts.push(truth(rules.royal == Some(kind)));
        facts.push(truth(rules.promotion(kind, owner).is_some()));
        facts.push(truth(rules.is_stepper(kind)));
        facts.extend([width as f32 / 8.0, height as f32 / 8.0]);
        // Where it stands: from each edge, and from the middle.
        let (x, y) = view.place(square);
        facts.extend([x, width - 1 - x, y, height - 1 - y].map(|steps| steps as f32 / 7.0));
        for (steps, kinds) in [(y, 5), (height - 1 - y, 5), (x.min(width - 1 - x), 4)] {
            facts.extend((0..kinds).map(|n| truth(steps.min(kinds - 1) == n)));
        }
        for (steps, size) in [(x, width), (y, height)] {
            let off = (2 * steps - (size - 1)) as f32 / (size - 1).max(1) as f32;
            facts.extend([off, off * off]);
        }
        // What it attacks and where it moves from there: nearby, if every square is taken, and along lines, if none is.
        let near = rules.capture_targets(kind, owner, square, Bitboard::ALL);
        let far = rules.capture_targets(kind, owner, square, square.bit());
        let quiet = rules.quiet_targets(kind, owner, square, square.bit());
        for (dx, dy) in around(3, 3).filter(|(dx, dy)| dx.abs() + dy.abs() < 6) {
            facts.push(view.has(near, (x + dx, y + dy)));
        }
        facts.extend(around(1, 2).map(|(dx, dy)| view.has(quiet, (x + dx, y + dy))));
        for (dx, dy) in LINES {
            let reached: f32 = (2..8).map(|n| view.has(far, (x + n * dx, y + n * dy))).sum();
            facts.push(reached / 4.0);
        }
        facts.extend([far, quiet].map(|set| set.count() as f32 / 12.0));
        // What it attacks from elsewhere.
        facts.extend(self.means[usize::from(kind)][owner.index()]);
        self.facts_of_centre(kind, view, &mut facts);
        // The start position.
        let mine = self.start.squares(kind, owner);
        let count = |kind| self.start.squares(kind, Side::White).count() as f32;
        let all: f32 = (0..rules.type_count() as u8).map(count).sum();
        facts.extend([truth(mine.has(square)), mine.count() as f32 / 8.0]);
        facts.push(all / f32::from(rules.geometry.area()));
        for side in [owner, !owner] {
            let royals = rules.royal.map_or(Bitboard::EMPTY, |royal| self.start.squares(royal, side));
            let (dx, dy) = match royals.any().then(|| view.place(royals.first())) {
                Some((royal_x, royal_y)) => (x - royal_x, y - royal_y),
                None => (0, 0),
            };
            facts.extend([dx, dx.abs().max(dy.abs())].map(|steps| steps as f32 / 7.0));
        }
        let army = (0..).zip(&self.worth).map(|(kind, worth)| count(kind) * worth[0]);
        facts.push(army.sum::<f32>() / 5000.0);
        facts.push(truth(!rules.castles.is_empty()));
        self.facts_of_goals(kind, view, square, &mut facts);
        facts
    }

    /// The facts of the first piece of a type in a hand, of the second, and so on up to [`MAX_HELD`]: the mean of those of all
    /// squares where it may be dropped, and which one it is. Nothing in games without facts of hands.
    pub(super) fn facts_in_hand(&self, kind: u8, owner: Side) -> Vec<Vec<f32>> {
        if !self.with_hands {
            return Vec::new();
        }
        let zone = self.drop_zone(kind, owner);
        let mut mean = vec![0.0; FACTS];
        for square in zone {
            let facts = self.facts_of_board(kind, owner, square);
            mean.iter_mut().zip(facts).for_each(|(sum, fact)| *sum += fact);
        }
        let squares = zone.count().max(1) as f32;
        mean.iter_mut().for_each(|sum| *sum /= squares);
        let of = |others: usize| {
            let mut facts = mean.clone();
            facts.extend((0..MAX_HELD).map(|n| truth(n == others)));
            facts.extend(self.facts_of_hands(kind, owner));
            facts
        };
        (0..MAX_HELD).map(of).collect()
    }

    /// How large a part of the board a piece may be dropped on, and what its captor gets.
    fn facts_of_hands(&self, kind: u8, owner: Side) -> [f32; 2] {
        let area = f32::from(self.rules.geometry.area());
        let kept = self.rules.in_hand(kind).map_or(0.0, |held| self.worth[usize::from(held)][0]);
        [self.drop_zone(kind, owner).count() as f32 / area, kept / 500.0]
    }

    /// Where a piece in hand may be dropped, as whatever it may be dropped as.
    fn drop_zone(&self, held: u8, owner: Side) -> Bitboard {
        let kinds =
            (0..self.rules.type_count() as u8).filter(|&kind| self.rules.dropped_from(kind) == Some(held));
        let zones = kinds.filter_map(|kind| self.rules.drop_zone(kind, owner));
        zones.fold(Bitboard::EMPTY, |all, zone| all | zone)
    }

    /// What else there is to win: promotion, the key, and what the rules say of the end.
    fn facts_of_goals(&self, kind: u8, view: View<'_>, square: Square, facts: &mut Vec<f32>) {
        let (rules, owner) = (self.rules, view.owner);
        let promotion = rules.promotion(kind, owner).map_or([0.0; 4], |promotion| {
            let best = promotion.to.iter().map(|&to| self.worth[usize::from(to)][0]).fold(0.0, f32::max);
            let (_, rank) = view.place(square);
            let ranks = promotion.zone.into_iter().map(|goal| view.place(goal).1 - rank);
            let steps = ranks.filter(|&steps| steps >= 0).min().unwrap_or(7);
            let gain = (best - self.worth[usize::from(kind)][0]) / 500.0;
            [gain, steps as f32 / 7.0, truth(steps == 1), truth(promotion.zone.has(square))]
        });
        facts.extend(promotion);
        let moves = self.to_key[usize::from(kind)][owner.index()][square.index()];
        facts.extend((0..4).map(|n| truth(moves == n)));
        facts.push(truth(rules.key.as_ref().is_some_and(|key| key.eligible >> kind & 1 != 0)));
        facts.extend([
            truth(rules.key.is_some()),
            truth(rules.hand.is_some()),
            truth(rules.extinction.is_some()),
        ]);
        facts.push(truth(rules.stalemate != Outcome::Draw));
    }

    /// What a type attacks from the middle of the board.
    fn facts_of_centre(&self, kind: u8, view: View<'_>, facts: &mut Vec<f32>) {
        let rules = self.rules;
        let (x, y) = (i32::from(rules.geometry.width()) / 2, i32::from(rules.geometry.height()) / 2);
        let targets = |occupied: Bitboard| match view.at((x, y)) {
            Some(centre) => rules.capture_targets(kind, view.owner, centre, occupied | centre.bit()),
            None => Bitboard::EMPTY,
        };
        let (far, near) = (targets(Bitboard::EMPTY), targets(Bitboard::ALL));
        facts.extend([far.count() as f32 / 12.0, near.count() as f32 / 8.0]);
        for (dx, dy) in FROM_CENTRE {
            facts.extend([near, far].map(|set| view.has(set, (x + dx, y + dy))));
        }
    }
}

/// The places around one, rank by rank.
fn around(files: i32, ranks: i32) -> impl Iterator<Item = (i32, i32)> {
    let places = (-ranks..=ranks).flat_map(move |dy| (-files..=files).map(move |dx| (dx, dy)));
    places.filter(|&place| place != (0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::games::find;

    #[test]
    fn both_sides_see_the_same_of_their_own_pieces() {
        let rules = find("chess").unwrap().rules();
        let describer = Describer::new(rules);
        for kind in 0..rules.type_count() as u8 {
            for square in rules.geometry.squares() {
                let (file, rank) = (rules.geometry.file(square), rules.geometry.rank(square));
                let mirrored = rules.geometry.at(file.into(), 7 - i32::from(rank)).unwrap();
                let facts = describer.facts(kind, Side::White, square);
                assert_eq!(facts.len(), FACTS);
                assert!(facts.iter().all(|fact| fact.abs() < 10.0), "{facts:?}");
                assert_eq!(facts, describer.facts(kind, Side::Black, mirrored));
            }
        }
    }

    #[test]
    fn pieces_in_hand_are_described_by_where_they_may_be_dropped() {
        let ranks = "\"rank 2\", \"rank 3\", \"rank 4\"";
        let drop = format!("letter = \"P\"\ndrop = {{ zone = {{ w = [{ranks}], b = [{ranks}] }} }}\n");
        let chess = find("chess").unwrap().text.replace("RNBQKBNR w", "RNBQKBNR[] w");
        let text = chess.replace("letter = \"P\"\n", &drop) + "\n[hand]\ncaptures = \"captor\"\n";
        let rules = Rules::parse(&text).unwrap();
        let describer = Describer::new(&rules);
        let (pawn, knight) = (rules.type_of('P').unwrap(), rules.type_of('N').unwrap());
        let square = rules.geometry.at(1, 2).unwrap();
        for (kind, part) in [(pawn, 24.0 / 64.0), (knight, 1.0)] {
            let on_board = describer.facts(kind, Side::White, square);
            assert_eq!(on_board.len(), FACTS + HAND_FACTS);
            assert_eq!(on_board[FACTS..FACTS + MAX_HELD], [0.0; MAX_HELD]);
            let all = describer.facts_in_hand(kind, Side::White);
            assert_eq!(all.len(), MAX_HELD);
            for (others, held) in all.iter().enumerate() {
                assert_eq!(held.len(), on_board.len());
                let which = &held[FACTS..FACTS + MAX_HELD];
                assert!(which[others] == 1.0 && which.iter().sum::<f32>() == 1.0);
                // The captor gets the piece itself, which has the worth that the first fact tells.
                assert_eq!(held[FACTS + MAX_HELD..], [part, on_board[0]]);
                assert!((held[0] - on_board[0]).abs() < 1e-4);
            }
        }
        // Pawns are dropped on the second to the fourth rank of White's: one to three steps from the home rank.
        let rank_of = |facts: &[f32]| facts[10] * 7.0;
        assert!((rank_of(&describer.facts_in_hand(pawn, Side::White)[0]) - 2.0).abs() < 1e-4);
        assert!((rank_of(&describer.facts_in_hand(knight, Side::White)[0]) - 3.5).abs() < 1e-4);
    }

    #[test]
    fn pieces_that_move_alike_are_described_alike_whatever_they_are_called() {
        let rules = find("chess").unwrap().rules();
        let renamed = [
            ("letter = \"N\"", "letter = \"H\""),
            ("QRBN", "QRBH"),
            ("KNvK", "KHvK"),
            ("nbqkbn", "hbqkbh"),
            ("NBQKBN", "HBQKBH"),
        ];
        let text = renamed
            .iter()
            .fold(find("chess").unwrap().text.to_string(), |text, (from, to)| text.replace(from, to));
        let other = Rules::parse(&text).unwrap();
        let (knight, horse) = (rules.type_of('N').unwrap(), other.type_of('H').unwrap());
        let square = rules.geometry.squares().nth(1).unwrap();
        let facts = |rules, kind| Describer::new(rules).facts(kind, Side::White, square);
        assert_eq!(facts(rules, knight), facts(&other, horse));
        assert_ne!(facts(rules, knight), facts(rules, rules.type_of('B').unwrap()));
    }
}
