//! The clocks of a game.

use jewel_engine::value::Side;
use jewel_players::game_clock::GameClock;
use jewel_search::clock::Bonus;
use std::time::Duration;

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// What White has after a move that takes some seconds; `None` if the flag fell.
fn after(bonus: Bonus, used: u64) -> Option<u64> {
    let mut clock = GameClock::new(s(10), bonus);
    let in_time = clock.spend(Side::White, s(used));
    assert_eq!(clock.remaining(Side::Black), s(10));
    in_time.then(|| clock.remaining(Side::White).as_secs())
}

#[test]
fn every_kind_of_bonus() {
    assert_eq!((after(Bonus::None, 4), after(Bonus::None, 10)), (Some(6), Some(0)));
    assert_eq!((after(Bonus::Increment(s(3)), 4), after(Bonus::Increment(s(3)), 11)), (Some(9), None));
    // With a delay, ten seconds are thirteen; what is not used of it is lost.
    assert_eq!((after(Bonus::Delay(s(3)), 1), after(Bonus::Delay(s(3)), 13)), (Some(10), Some(0)));
    assert_eq!(after(Bonus::Delay(s(3)), 14), None);
    // Bronstein gives back what was used, and comes too late for a flag that has fallen.
    assert_eq!((after(Bonus::Bronstein(s(3)), 1), after(Bonus::Bronstein(s(3)), 5)), (Some(10), Some(8)));
    assert_eq!(after(Bonus::Bronstein(s(3)), 11), None);
    assert_eq!(after(Bonus::None, 11), None);
}

#[test]
fn clocks_are_written_as_on_a_wall() {
    let text = |ms| GameClock::new(Duration::from_millis(ms), Bonus::None).text(Side::Black);
    for (ms, expected) in
        [(0, "0.0"), (9_960, "9.9"), (10_000, "0:10"), (299_000, "4:59"), (3_661_000, "1:01:01")]
    {
        assert_eq!(text(ms), expected);
    }
}
