//! Knockout: matches in rounds, whose winners go on.

use super::{Next, Pairing, Plan, half_points};
use jewel_engine::value::{Side, Verdict};

/// Pairs of games that are played after a drawn match, one at a time; then the player that was named earlier
/// goes on.
const TIE_BREAKS: u64 = 10;

/// The bracket of a knockout, as far as results are known.
///
/// Games come in blocks: all games of a round, then, as long as matches are drawn, a pair of games for each of
/// them. A block can be played in any order; the next one is known when it is over.
#[derive(Clone, Debug)]
pub(super) struct Knockout {
    plan: Plan,
    round: u64,
    /// The players of this round, neighbours against each other; `None` for a bye.
    seats: Vec<Option<usize>>,
    /// The matches of the block.
    open: Vec<Match>,
    /// The number of the first game of the block.
    first: u64,
    /// Games of each match of the block.
    games: u64,
    recorded: u64,
    /// Openings used up before the block.
    openings: u64,
    tie_breaks: u64,
}

/// A match that is not decided.
#[derive(Clone, Copy, Debug)]
struct Match {
    /// The number of the first seat, an even one.
    seat: usize,
    players: [usize; 2],
    /// Half points of both players.
    points: [u64; 2],
}

impl Knockout {
    pub(super) fn new(plan: Plan) -> Knockout {
        let size = plan.players.next_power_of_two();
        let seats = seeding(size).into_iter().map(|seed| (seed < plan.players).then_some(seed)).collect();
        let mut knockout = Knockout {
            plan,
            round: 0,
            seats,
            open: Vec::new(),
            first: 0,
            games: plan.games,
            recorded: 0,
            openings: 0,
            tie_breaks: 0,
        };
        knockout.draw_round();
        knockout
    }

    /// Games of the blocks so far.
    pub(super) fn games_in_sight(&self) -> u64 {
        self.first + self.open.len() as u64 * self.games
    }

    pub(super) fn champion(&self) -> Option<usize> {
        if self.seats.len() == 1 { self.seats[0] } else { None }
    }

    pub(super) fn next(&self, number: u64) -> Next {
        if self.champion().is_some() {
            return Next::Over;
        }
        let Some(within) = number.checked_sub(self.first) else { return Next::Over };
        if number >= self.games_in_sight() {
            return Next::Later;
        }
        let unit = if self.games.is_multiple_of(2) { 2 } else { 1 };
        let matches = self.open.len() as u64;
        let (set, part) = (within / unit, within % unit);
        let (turn, which) = (set / matches, (set % matches) as usize);
        let [a, b] = self.open[which].players;
        let swapped = if unit == 2 { part == 1 } else { turn % 2 == 1 };
        let players = if swapped { [b, a] } else { [a, b] };
        Next::Game(self.plan.pairing(number, self.round, players, self.openings + turn))
    }

    pub(super) fn record(&mut self, pairing: &Pairing, verdict: Verdict) {
        for (side, player) in Side::BOTH.into_iter().zip(pairing.players) {
            let points = half_points(verdict.seen_by(side));
            for of_match in &mut self.open {
                for (own, seated) in of_match.points.iter_mut().zip(of_match.players) {
                    *own += if seated == player { points } else { 0 };
                }
            }
        }
        self.recorded += 1;
        if self.recorded == self.games_in_sight() {
            self.finish_block();
        }
    }

    /// Sends the winners on; drawn matches get more games.
    fn finish_block(&mut self) {
        self.openings += self.games.div_ceil(if self.games.is_multiple_of(2) { 2 } else { 1 });
        self.first = self.recorded;
        let out_of_time = self.tie_breaks >= TIE_BREAKS;
        for of_match in &self.open {
            let [a, b] = of_match.points;
            let [first, second] = of_match.players;
            let winner = match a.cmp(&b) {
                std::cmp::Ordering::Greater => first,
                std::cmp::Ordering::Less => second,
                std::cmp::Ordering::Equal if out_of_time => first.min(second),
                std::cmp::Ordering::Equal => continue,
            };
            self.seats[of_match.seat] = Some(winner);
            self.seats[of_match.seat + 1] = None;
        }
        self.open.retain(|of_match| of_match.points[0] == of_match.points[1] && !out_of_time);
        self.games = 2;
        self.tie_breaks += 1;
        if self.open.is_empty() {
            self.seats = self.seats.chunks(2).map(|pair| pair[0].or(pair[1])).collect();
            self.round += 1;
            self.draw_round();
        }
    }

    /// The matches of a new round.
    fn draw_round(&mut self) {
        let pairs = self.seats.chunks(2).enumerate();
        let of_pair = |(n, pair): (usize, &[Option<usize>])| match pair {
            [Some(a), Some(b)] => Some(Match { seat: 2 * n, players: [*a, *b], points: [0; 2] }),
            _ => None,
        };
        self.open = pairs.filter_map(of_pair).collect();
        self.games = self.plan.games;
        self.tie_breaks = 0;
    }
}

/// The order of seeds in a bracket, from 0: the best two can meet only in the final.
fn seeding(size: usize) -> Vec<usize> {
    let mut order = vec![0];
    while order.len() < size {
        let double = 2 * order.len();
        order = order.iter().flat_map(|&seed| [seed, double - 1 - seed]).collect();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Schedule};
    use super::*;
    use proptest::prelude::*;

    fn plan(players: usize, games: u64) -> Plan {
        Plan { format: Format::Knockout, players, stages: 1, rounds: 1, games, seed: 1 }
    }

    /// Plays a knockout in which `verdict` decides; the champion and all games.
    fn play(plan: Plan, mut verdict: impl FnMut(&Pairing) -> Verdict) -> (usize, Vec<Pairing>) {
        let mut schedule = Schedule::new(plan).unwrap();
        let mut all = Vec::new();
        loop {
            match schedule.next(all.len() as u64) {
                Next::Game(pairing) => {
                    all.push(pairing);
                    schedule.record(&pairing, verdict(&pairing));
                }
                Next::Later => panic!("everything so far is known"),
                Next::Over => return (schedule.champion().unwrap(), all),
            }
        }
    }

    fn better(pairing: &Pairing) -> Verdict {
        if pairing.players[0] < pairing.players[1] { Verdict::WhiteWins } else { Verdict::BlackWins }
    }

    #[test]
    fn seeds_meet_late() {
        assert_eq!(seeding(8), [0, 7, 3, 4, 1, 6, 2, 5]);
        assert_eq!((seeding(1), seeding(2)), (vec![0], vec![0, 1]));
    }

    #[test]
    fn the_best_wins_and_byes_go_to_the_first() {
        for players in 2..20 {
            let (champion, all) = play(plan(players, 2), better);
            assert_eq!(champion, 0);
            // Every match has one loser.
            assert_eq!(all.len(), 2 * (players - 1));
        }
        let (_, all) = play(plan(3, 2), better);
        assert_eq!(all[0].players, [1, 2]);
        assert_eq!((all[2].round, all[2].players), (1, [0, 1]));
    }

    #[test]
    fn drawn_matches_get_more_games_and_then_the_earlier_player_goes_on() {
        let (champion, all) = play(plan(4, 2), |_| Verdict::Draw);
        assert_eq!(champion, 0);
        assert_eq!(all.len() as u64, 3 * 2 * (1 + TIE_BREAKS));
        // The third pair of a match has an opening of its own.
        assert_eq!((all[0].opening, all[4].opening, all[8].opening), (0, 1, 2));
        // Only the drawn match goes on.
        let first = |pairing: &Pairing| {
            if pairing.players.contains(&3) && pairing.number < 4 { Verdict::Draw } else { better(pairing) }
        };
        let (_, all) = play(plan(4, 2), first);
        assert_eq!(all.len(), 2 * 3 + 2);
        assert!(all[4].players == [0, 3] && all[5].players == [3, 0] && all[6].round == 1);
    }

    #[test]
    fn games_of_the_next_round_wait() {
        let mut schedule = Schedule::new(plan(4, 2)).unwrap();
        assert_eq!((schedule.games(), schedule.next(4)), (4, Next::Later));
        for number in 0..4 {
            let Next::Game(pairing) = schedule.next(number) else { panic!("{number}") };
            schedule.record(&pairing, better(&pairing));
        }
        assert!(matches!(schedule.next(4), Next::Game(pairing) if pairing.players == [0, 1]));
        assert_eq!(schedule.games(), 6);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(3), ..Default::default() })]

        #[test]
        fn every_knockout_ends(players in 2..12usize, games in 1..5u64, seed in any::<u64>()) {
            let mut random = jewel_engine::random::Random::new(seed);
            let (champion, all) = play(plan(players, games), |_| match random.below(3) {
                0 => Verdict::WhiteWins,
                1 => Verdict::Draw,
                _ => Verdict::BlackWins,
            });
            prop_assert!(champion < players);
            prop_assert!(all.iter().enumerate().all(|(n, pairing)| pairing.number == n as u64));
        }
    }
}
