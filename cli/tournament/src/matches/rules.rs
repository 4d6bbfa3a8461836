//! The rules of matches, as the source of Jewel has them: from the results so far to the next game, or to the
//! points.
//!
//! All of it speaks of sides, not of players: a player keeps the same side throughout a match.

use super::points::Points;
use crate::clock::TimeControl;
use jewel_engine::random::Random;
use jewel_engine::value::{Side, Verdict};
use serde::Serialize;
use std::time::Duration;

/// The kind of match.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Facet 3: DiamondQi and, as long as games are drawn, DiamondQuest and DiamondChess.
    NorthernLight,
    /// Duel, Ambush and Northern Light.
    JewelSeries,
}

impl Form {
    /// Its name.
    pub const fn title(self) -> &'static str {
        match self {
            Form::NorthernLight => "Northern Light",
            Form::JewelSeries => "Jewel, Facets 1 to 3",
        }
    }
}

/// A game of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// Facet 1.
    Duel,
    /// Facet 2.
    Ambush,
    /// The first hunt of Facet 3.
    DiamondQi,
    /// Its second hunt.
    DiamondQuest,
    /// Its third hunt.
    DiamondChess,
    /// A second DiamondChess, which always has a winner.
    DecidingHunt,
}

impl Event {
    /// The id of the game that is played.
    pub const fn game(self) -> &'static str {
        match self {
            Event::Duel => "duel",
            Event::Ambush => "ambush",
            Event::DiamondQi => "diamond-qi",
            Event::DiamondQuest => "diamond-quest",
            Event::DiamondChess | Event::DecidingHunt => "diamond-chess",
        }
    }

    /// Its name.
    pub const fn title(self) -> &'static str {
        match self {
            Event::Duel => "Duel",
            Event::Ambush => "Ambush",
            Event::DiamondQi => "DiamondQi",
            Event::DiamondQuest => "DiamondQuest",
            Event::DiamondChess => "DiamondChess",
            Event::DecidingHunt => "The Deciding Hunt",
        }
    }

    /// Whether the time left from the game before is added.
    const fn inherits_time(self) -> bool {
        matches!(self, Event::DiamondQuest | Event::DiamondChess | Event::DecidingHunt)
    }
}

/// The clocks of a match.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ClockRules {
    /// The time of each side for Duel: the rules leave the choice between five and ten minutes.
    pub duel: Duration,
    /// Factor by which all times of the rules are multiplied, delays too. Time left over is not scaled
    /// again.
    pub scale: f64,
}

/// The rules of a match.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MatchRules {
    /// The kind of match.
    pub form: Form,
    /// Whether Northern Light breaks a tie: after three draws there is a Deciding Hunt, and the winner gets a
    /// bonus.
    pub deciding: bool,
    /// The clocks, if the match has clocks.
    pub clocks: Option<ClockRules>,
    /// Which matches Duel and Ambush bring points in.
    pub beginners: Beginners,
    /// Who plays which side.
    pub seats: Seats,
}

/// Which matches of several Duel and Ambush bring points in: by the source they do so for the first time that a player
/// plays them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Beginners {
    /// All of them.
    #[default]
    Always,
    /// The first.
    FirstPlay,
}

/// Who plays which side.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Seats {
    /// By lot, and in the second match of a pair the other way round.
    #[default]
    ByLot,
    /// The player with this number, 0 or 1, has the southern side in every match: a player may insist on the side of an
    /// earlier game.
    South(usize),
}

/// The lots of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lots {
    /// The players of the southern and of the northern side, 0 and 1.
    pub players: [usize; 2],
    /// The side that moves first in DiamondQi.
    pub qi_first: Side,
    /// The side that moves first in DiamondChess, and in The Deciding Hunt.
    pub chess_first: Side,
}

impl Lots {
    /// The lots of a match, by its number from 0. Matches 2n and 2n + 1 are a pair: the players change sides,
    /// and the other lots are the same.
    pub fn draw(seed: u64, number: u64, seats: Seats) -> Lots {
        let mut random = Random::stream(seed, number / 2);
        let south = ((u64::from(random.below(2)) + number) % 2) as usize;
        let south = match seats {
            Seats::ByLot => south,
            Seats::South(player) => player,
        };
        let [qi_first, chess_first] = [(); 2].map(|()| Side::BOTH[random.below(2) as usize]);
        Lots { players: [south, 1 - south], qi_first, chess_first }
    }
}

/// How a game of a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameResult {
    /// The winner, or a draw.
    pub verdict: Verdict,
    /// The time that both sides had left; 0 without clocks.
    pub left: [Duration; 2],
}

/// The next game.
#[derive(Clone, PartialEq, Debug)]
pub struct NextGame {
    /// Which game of the match.
    pub event: Event,
    /// The side that moves first; `None` is the side of the start position.
    pub first: Option<Side>,
    /// The clocks of both sides.
    pub clocks: Option<[TimeControl; 2]>,
}

/// The points of a match, the southern side's first.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Score {
    /// Game points; in the tie-break form they are nominal.
    pub points: [Points; 2],
    /// The win bonus of the tie-break form, in game points.
    pub bonus: [u32; 2],
}

impl Score {
    /// The side with more points.
    pub fn winner(&self) -> Option<Side> {
        let [south, north] = self.points;
        match south.cmp(&north) {
            std::cmp::Ordering::Greater => Some(Side::White),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(Side::Black),
        }
    }

    /// Adds the points of a game: `win` for a win, half of it each for a draw.
    fn enter(&mut self, verdict: Verdict, win: Points) {
        match winner_of(verdict) {
            Some(side) => self.points[side.index()] += win,
            None => self.points.iter_mut().for_each(|own| *own += win.half()),
        }
    }
}

fn winner_of(verdict: Verdict) -> Option<Side> {
    match verdict {
        Verdict::WhiteWins => Some(Side::White),
        Verdict::Draw => None,
        Verdict::BlackWins => Some(Side::Black),
    }
}

/// What comes after the results so far.
#[derive(Clone, PartialEq, Debug)]
pub enum Next {
    /// This game.
    Game(NextGame),
    /// The match is over.
    Over(Score),
}

/// The win bonus for winning one of the three hunts.
const BONUS: u32 = 4;
/// The same for winning The Deciding Hunt.
const BONUS_DECIDING: u32 = 3;
/// The same for drawing The Deciding Hunt, having moved second.
const BONUS_DRAWN: u32 = 1;

impl MatchRules {
    /// The usual rules of a kind of match: no tie-break, no clocks, sides by lot.
    pub fn new(form: Form) -> MatchRules {
        MatchRules {
            form,
            deciding: false,
            clocks: None,
            beginners: Beginners::default(),
            seats: Seats::default(),
        }
    }

    /// Whether Duel and Ambush bring points in the match with this number, from 0.
    fn points_of_beginners(&self, number: u64) -> bool {
        self.beginners == Beginners::Always || number == 0
    }

    /// What comes in the match with this number after the results of the games so far, in order. Results after the end of the match count
    /// for nothing.
    pub fn next(&self, number: u64, lots: &Lots, results: &[GameResult]) -> Next {
        let mut score = Score::default();
        let mut results = results.iter();
        if self.form == Form::JewelSeries {
            for (event, win) in [(Event::Duel, Points::ONE), (Event::Ambush, Points::TWO)] {
                match results.next() {
                    None => return self.game(event, None, None),
                    Some(result) if self.points_of_beginners(number) => score.enter(result.verdict, win),
                    Some(_) => {}
                }
            }
        }
        self.hunts(lots, &mut results, score)
    }

    /// Northern Light, with the points that were made before it.
    fn hunts<'a>(
        &self,
        lots: &Lots,
        results: &mut impl Iterator<Item = &'a GameResult>,
        mut score: Score,
    ) -> Next {
        let mut before: Option<&GameResult> = None;
        for (event, first) in [
            (Event::DiamondQi, lots.qi_first),
            (Event::DiamondQuest, !lots.qi_first),
            (Event::DiamondChess, lots.chess_first),
        ] {
            let Some(result) = results.next() else {
                return self.game(event, Some(first), before);
            };
            if let Some(side) = winner_of(result.verdict) {
                score.points[side.index()] += Points::ONE;
                return self.over(score, side, BONUS);
            }
            if event == Event::DiamondQi {
                // Both keep their half points; draws of the later hunts bring nothing.
                score.enter(Verdict::Draw, Points::ONE);
            }
            before = Some(result);
        }
        if !self.deciding {
            return Next::Over(score);
        }
        let Some(result) = results.next() else {
            return self.game(Event::DecidingHunt, Some(lots.chess_first), before);
        };
        let second = !lots.chess_first;
        let (side, points, bonus) = match winner_of(result.verdict) {
            Some(side) => (side, Points::ONE, BONUS_DECIDING),
            None => (second, Points::HALF, BONUS_DRAWN),
        };
        score.points[side.index()] += points;
        self.over(score, side, bonus)
    }

    fn over(&self, mut score: Score, winner: Side, bonus: u32) -> Next {
        if self.deciding {
            score.bonus[winner.index()] = bonus;
        }
        Next::Over(score)
    }

    fn game(&self, event: Event, first: Option<Side>, before: Option<&GameResult>) -> Next {
        let left = before.filter(|_| event.inherits_time()).map_or([Duration::ZERO; 2], |result| result.left);
        let clocks = self.clocks.map(|clocks| left.map(|left| clocks.of(event, left)));
        Next::Game(NextGame { event, first, clocks })
    }
}

impl ClockRules {
    /// The clock of a side that has this much time left from the game before.
    fn of(&self, event: Event, left: Duration) -> TimeControl {
        // Every game of a match has one, of one period.
        let source = TimeControl::from_jewel(event.game()).map(|control| control.periods()[0]);
        let (mut time, bonus) = source.map_or_else(Default::default, |period| (period.time, period.bonus));
        if event == Event::Duel {
            time = self.duel;
        }
        let scaled = TimeControl::sudden_death(time, bonus).scaled(self.scale);
        let period = scaled.periods()[0];
        TimeControl::sudden_death(period.time.saturating_add(left), period.bonus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Event::{Ambush, DecidingHunt, DiamondChess, DiamondQi, DiamondQuest, Duel};
    use Side::{Black, White};
    use Verdict::{BlackWins, Draw, WhiteWins};

    const LOTS: Lots = Lots { players: [0, 1], qi_first: White, chess_first: White };

    fn rules(form: Form, deciding: bool) -> MatchRules {
        MatchRules { deciding, ..MatchRules::new(form) }
    }

    fn results(verdicts: &[Verdict]) -> Vec<GameResult> {
        verdicts.iter().map(|&verdict| GameResult { verdict, left: [Duration::ZERO; 2] }).collect()
    }

    fn after(rules: MatchRules, lots: &Lots, verdicts: &[Verdict]) -> Next {
        rules.next(0, lots, &results(verdicts))
    }

    /// The next game and who moves first in it.
    fn game(rules: MatchRules, lots: &Lots, verdicts: &[Verdict]) -> (Event, Option<Side>) {
        match after(rules, lots, verdicts) {
            Next::Game(game) => (game.event, game.first),
            Next::Over(score) => panic!("{verdicts:?}: {score:?}"),
        }
    }

    /// The points as text, the southern side's first.
    fn points(rules: MatchRules, lots: &Lots, verdicts: &[Verdict]) -> String {
        let score = score(rules, lots, verdicts);
        format!("{}-{}", score.points[0], score.points[1])
    }

    fn score(rules: MatchRules, lots: &Lots, verdicts: &[Verdict]) -> Score {
        match after(rules, lots, verdicts) {
            Next::Over(score) => score,
            Next::Game(game) => panic!("{verdicts:?}: {game:?}"),
        }
    }

    #[test]
    fn northern_light_goes_on_as_long_as_hunts_are_drawn() {
        let light = rules(Form::NorthernLight, false);
        assert_eq!(game(light, &LOTS, &[]).0, DiamondQi);
        assert_eq!(game(light, &LOTS, &[Draw]).0, DiamondQuest);
        assert_eq!(game(light, &LOTS, &[Draw, Draw]).0, DiamondChess);
    }

    #[test]
    fn who_moves_first_in_the_hunts() {
        let light = rules(Form::NorthernLight, true);
        for qi_first in Side::BOTH {
            for chess_first in Side::BOTH {
                let lots = Lots { players: [0, 1], qi_first, chess_first };
                assert_eq!(game(light, &lots, &[]), (DiamondQi, Some(qi_first)), "by lot");
                assert_eq!(game(light, &lots, &[Draw]), (DiamondQuest, Some(!qi_first)), "the other side");
                assert_eq!(game(light, &lots, &[Draw; 2]), (DiamondChess, Some(chess_first)), "by lot");
                assert_eq!(
                    game(light, &lots, &[Draw; 3]),
                    (DecidingHunt, Some(chess_first)),
                    "the same again"
                );
            }
        }
    }

    #[test]
    fn points_of_northern_light() {
        let light = rules(Form::NorthernLight, false);
        for (verdicts, expected) in [
            (&[WhiteWins][..], "1-0"),
            (&[BlackWins], "0-1"),
            (&[Draw, WhiteWins], "1½-½"),
            (&[Draw, BlackWins], "½-1½"),
            (&[Draw, Draw, WhiteWins], "1½-½"),
            (&[Draw, Draw, BlackWins], "½-1½"),
            (&[Draw, Draw, Draw], "½-½"),
        ] {
            assert_eq!(points(light, &LOTS, verdicts), expected, "{verdicts:?}");
            assert_eq!(score(light, &LOTS, verdicts).bonus, [0, 0], "only the tie-break form has a bonus");
        }
        assert_eq!(score(light, &LOTS, &[Draw, BlackWins]).winner(), Some(Black));
        assert_eq!(score(light, &LOTS, &[Draw; 3]).winner(), None);
    }

    #[test]
    fn a_tie_break_is_decided_by_a_second_diamond_chess() {
        let tie = rules(Form::NorthernLight, true);
        assert_eq!(DecidingHunt.game(), "diamond-chess");
        for second in Side::BOTH {
            let lots = Lots { chess_first: !second, ..LOTS };
            for (last, winner, points) in [(WhiteWins, White, ["1½", "½"]), (BlackWins, Black, ["½", "1½"])]
            {
                let score = score(tie, &lots, &[Draw, Draw, Draw, last]);
                assert_eq!(score.winner(), Some(winner));
                assert_eq!(score.points.map(|own| own.to_string()), points);
                assert_eq!(score.bonus[winner.index()], 3);
                assert_eq!(score.bonus[(!winner).index()], 0);
            }
            let drawn = score(tie, &lots, &[Draw; 4]);
            assert_eq!(drawn.winner(), Some(second), "who moved second takes a drawn one");
            assert_eq!(drawn.points[second.index()], Points::ONE, "with an extra half point");
            assert_eq!(drawn.points[(!second).index()], Points::HALF);
            assert_eq!((drawn.bonus[second.index()], drawn.bonus[(!second).index()]), (1, 0));
        }
    }

    #[test]
    fn a_tie_break_won_earlier_brings_the_whole_bonus() {
        let tie = rules(Form::NorthernLight, true);
        for drawn in 0..3 {
            let mut verdicts = vec![Draw; drawn];
            verdicts.push(BlackWins);
            assert_eq!(score(tie, &LOTS, &verdicts).bonus, [0, 4], "{drawn}");
            let plain = rules(Form::NorthernLight, false);
            assert_eq!(points(tie, &LOTS, &verdicts), points(plain, &LOTS, &verdicts), "nominal points");
        }
    }

    #[test]
    fn the_series_is_duel_ambush_and_northern_light() {
        let series = rules(Form::JewelSeries, false);
        assert_eq!(game(series, &LOTS, &[]), (Duel, None), "Red moves first, by the start position");
        assert_eq!(game(series, &LOTS, &[WhiteWins]), (Ambush, None), "Green does");
        assert_eq!(game(series, &LOTS, &[WhiteWins, WhiteWins]), (DiamondQi, Some(White)));
        assert_eq!(game(series, &LOTS, &[Draw, Draw, Draw]), (DiamondQuest, Some(Black)));
    }

    #[test]
    fn points_of_the_series_are_summed() {
        let series = rules(Form::JewelSeries, false);
        for (verdicts, expected) in [
            (&[WhiteWins, BlackWins, WhiteWins][..], "2-2"),
            (&[WhiteWins, Draw, WhiteWins], "3-1"),
            (&[Draw, WhiteWins, BlackWins], "2½-1½"),
            (&[Draw, Draw, Draw, BlackWins], "2-3"),
            (&[Draw, Draw, Draw, Draw, Draw], "2-2"),
            (&[BlackWins, BlackWins, Draw, Draw, WhiteWins], "1½-3½"),
        ] {
            assert_eq!(points(series, &LOTS, verdicts), expected, "{verdicts:?}");
        }
    }

    #[test]
    fn duel_and_ambush_may_count_on_first_play_alone() {
        let series = MatchRules { beginners: Beginners::FirstPlay, ..rules(Form::JewelSeries, false) };
        let points = |number| match series.next(number, &LOTS, &results(&[WhiteWins, Draw, BlackWins])) {
            Next::Over(score) => format!("{}-{}", score.points[0], score.points[1]),
            Next::Game(game) => panic!("{game:?}"),
        };
        assert_eq!([points(0), points(1), points(2)], ["2-2", "0-1", "0-1"]);
    }

    #[test]
    fn a_player_may_insist_on_a_side() {
        let souths =
            |seats| (0..20).map(|number| Lots::draw(3, number, seats).players[0]).collect::<Vec<_>>();
        assert_eq!(souths(Seats::South(1)), [1; 20]);
        let by_lot = souths(Seats::ByLot);
        assert_eq!(by_lot.iter().sum::<usize>(), 10);
        let other = |number, seats| {
            let Lots { qi_first, chess_first, .. } = Lots::draw(3, number, seats);
            (qi_first, chess_first)
        };
        assert!((0..20).all(|number| other(number, Seats::South(0)) == other(number, Seats::ByLot)));
    }

    #[test]
    fn results_after_the_end_count_for_nothing() {
        let light = rules(Form::NorthernLight, true);
        assert_eq!(after(light, &LOTS, &[WhiteWins, BlackWins]), after(light, &LOTS, &[WhiteWins]));
        assert_eq!(after(light, &LOTS, &[Draw; 9]), after(light, &LOTS, &[Draw; 4]));
    }

    /// The clocks of the next game after drawn games with these seconds left.
    fn clocks(form: Form, clocks: ClockRules, left: &[[u64; 2]]) -> [String; 2] {
        let rules = MatchRules { clocks: Some(clocks), ..rules(form, form == Form::NorthernLight) };
        let results: Vec<GameResult> = left
            .iter()
            .map(|left| GameResult { verdict: Draw, left: left.map(Duration::from_secs) })
            .collect();
        match rules.next(0, &LOTS, &results) {
            Next::Game(game) => game.clocks.expect("clocks").map(|clock| clock.to_string()),
            Next::Over(_) => panic!("{left:?}"),
        }
    }

    const FULL: ClockRules = ClockRules { duel: Duration::from_secs(300), scale: 1.0 };

    #[test]
    fn hunts_inherit_the_time_of_the_one_before() {
        let hunts = |left: &[[u64; 2]]| clocks(Form::NorthernLight, FULL, left);
        assert_eq!(hunts(&[]), ["60:00", "60:00"], "no delay in DiamondQi");
        assert_eq!(hunts(&[[600, 60]]), ["40:00+d5", "31:00+d5"], "30 minutes and one's own rest");
        assert_eq!(hunts(&[[600, 60], [0, 120]]), ["30:00+d5", "32:00+d5"], "the rest of DiamondQuest alone");
        assert_eq!(hunts(&[[0, 0], [0, 0], [60, 0]]), ["31:00+d5", "30:00+d5"], "the deciding one too");
    }

    #[test]
    fn facets_do_not_share_time() {
        let series = |left: &[[u64; 2]]| clocks(Form::JewelSeries, FULL, left);
        assert_eq!(series(&[]), ["5:00+d5", "5:00+d5"]);
        assert_eq!(series(&[[100, 200]]), ["30:00+d5", "30:00+d5"]);
        assert_eq!(series(&[[100, 200], [300, 400]]), ["60:00", "60:00"]);
        let ten = ClockRules { duel: Duration::from_secs(600), ..FULL };
        assert_eq!(clocks(Form::JewelSeries, ten, &[])[0], "10:00+d5");
        assert_eq!(clocks(Form::JewelSeries, ten, &[[0, 0]])[0], "30:00+d5", "of Duel alone");
    }

    #[test]
    fn clocks_are_scaled_and_rests_are_not_scaled_again() {
        let quick = ClockRules { scale: 0.01, ..FULL };
        assert_eq!(clocks(Form::NorthernLight, quick, &[])[0], "36");
        assert_eq!(clocks(Form::NorthernLight, quick, &[[7, 0]]), ["25+d0.05", "18+d0.05"]);
    }

    #[test]
    fn no_clocks_where_none_are_wanted() {
        let Next::Game(game) = after(rules(Form::JewelSeries, false), &LOTS, &[]) else { panic!() };
        assert_eq!(game.clocks, None);
    }

    #[test]
    fn lots_are_seeded_and_pairs_change_sides() {
        let mut seen = std::collections::BTreeSet::new();
        for number in (0..64).step_by(2) {
            let [one, two] = [number, number + 1].map(|number| Lots::draw(7, number, Seats::ByLot));
            assert_eq!(one.players, [two.players[1], two.players[0]]);
            assert_eq!((one.qi_first, one.chess_first), (two.qi_first, two.chess_first));
            assert_eq!(one, Lots::draw(7, number, Seats::ByLot));
            seen.insert((one.players[0], one.qi_first.index(), one.chess_first.index()));
        }
        assert_eq!(seen.len(), 8, "every outcome of the three lots occurs");
    }
}
