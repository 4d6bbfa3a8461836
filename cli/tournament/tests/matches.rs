//! Whole matches, played by small players.

use jewel_players::spec::PlayerSpec;
use jewel_tournament::adjudication::{Adjudication, PlyLimit};
use jewel_tournament::matches::play::{MatchPlayer, MatchSeries};
use jewel_tournament::matches::rules::{ClockRules, Form, MatchRules};
use jewel_tournament::matches::scoresheet::Scoresheet;
use jewel_tournament::record::Reason;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn series(rules: MatchRules, players: [&str; 2], matches: u64) -> MatchSeries {
    let player = |text: &str| {
        let spec: PlayerSpec = text.parse().unwrap();
        MatchPlayer { spec, grace: Duration::from_secs(60) }
    };
    MatchSeries {
        rules,
        players: players.map(player),
        matches,
        seed: 3,
        concurrency: 2,
        adjudication: Adjudication { max_plies: PlyLimit::After(60), ..Adjudication::default() },
        records: None,
        pgn: None,
    }
}

/// The scoresheet and the games as PGN, with files in a folder of that name.
fn play(series: &MatchSeries, folder: &str) -> (Scoresheet, String) {
    let folder = new_folder(folder);
    let pgn = folder.join("games.pgn");
    let series = MatchSeries { pgn: Some(pgn.clone()), ..series.clone() };
    let mut scoresheet = series.scoresheet();
    let complete = series.run(&AtomicBool::new(false), &mut |line| {
        scoresheet.enter(line);
        Ok(())
    });
    assert!(complete.unwrap());
    (scoresheet, fs::read_to_string(pgn).unwrap())
}

fn new_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("matches-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

const RANDOM: [&str; 2] = ["random,name=one", "random,name=two"];

#[test]
fn matches_are_reproducible_whatever_the_number_of_workers() {
    let rules = MatchRules { deciding: true, ..MatchRules::new(Form::NorthernLight) };
    let series = series(rules, RANDOM, 6);
    let (scoresheet, pgn) = play(&series, "two");
    let alone = play(&MatchSeries { concurrency: 1, ..series.clone() }, "one");
    assert_eq!((&scoresheet, &pgn), (&alone.0, &alone.1));
    assert_ne!(pgn, play(&MatchSeries { seed: 4, ..series }, "other").1);
    assert_eq!(scoresheet.matches.iter().map(|line| line.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(pgn.matches("[Event \"Northern Light: ").count() as u64, scoresheet.games);
}

#[test]
fn the_side_of_the_lot_moves_first_and_sides_are_kept() {
    let rules = MatchRules { deciding: true, ..MatchRules::new(Form::NorthernLight) };
    let (scoresheet, _) = play(&series(rules, RANDOM, 8), "1");
    for pair in scoresheet.matches.chunks(2) {
        assert_eq!(pair[0].players[0], pair[1].players[1], "players change sides");
        assert_eq!(pair[0].games[0].first, pair[1].games[0].first, "and the lots are the same");
    }
    let firsts: Vec<&str> = scoresheet.matches.iter().map(|line| line.games[0].first.as_str()).collect();
    assert!(firsts.contains(&"Red") && firsts.contains(&"Green"), "{firsts:?}");
    for line in &scoresheet.matches {
        let games: Vec<&str> = line.games.iter().map(|game| game.game.as_str()).collect();
        let hunts = ["diamond-qi", "diamond-quest", "diamond-chess", "diamond-chess"];
        assert_eq!(games, hunts[..games.len()]);
        for game in &line.games {
            let letter = if game.first == "Red" { " w " } else { " b " };
            assert!(game.start.contains(letter), "{game:?}");
        }
        if let [qi, quest, ..] = &line.games[..] {
            assert_ne!(qi.first, quest.first);
            assert_eq!(qi.result, "1/2-1/2", "what follows, follows a draw");
        }
        assert_eq!(line.bonus.iter().sum::<u32>() > 0, line.winner.is_some());
    }
}

#[test]
fn a_series_has_all_facets_and_its_points_are_summed() {
    let rules = MatchRules::new(Form::JewelSeries);
    let (scoresheet, _) = play(&series(rules, RANDOM, 2), "2");
    for line in &scoresheet.matches {
        assert_eq!([&line.games[0].game, &line.games[1].game], ["duel", "ambush"]);
        assert_eq!([&*line.games[0].first, &*line.games[1].first], ["Red", "Green"]);
        let sum: f64 = line.points.iter().map(|points| points.value()).sum();
        // Duel 1, Ambush 2, and the hunts 1, or 2 if one after the first was won.
        assert!(sum == 4.0 || sum == 5.0, "{line:?}");
    }
    let text = scoresheet.text(&["Red".to_string(), "Green".to_string()]);
    assert!(text.starts_with("Jewel, Facets 1 to 3\n\nMatch 1: Red "), "{text}");
    let json = serde_json::to_value(&scoresheet).unwrap();
    assert_eq!(json["match"], "jewel-series");
    assert_eq!(json["players"][0]["name"], "one");
    assert_eq!(json["matches"][0]["games"][0]["game"], "duel");
}

#[test]
fn what_is_left_on_a_clock_goes_to_the_next_hunt() {
    let clocks = ClockRules { duel: Duration::from_secs(300), scale: 0.01 };
    let rules = MatchRules { clocks: Some(clocks), ..MatchRules::new(Form::NorthernLight) };
    let mut series = series(rules, RANDOM, 1);
    // Nobody wins in one ply.
    series.adjudication.max_plies = PlyLimit::After(1);
    let (scoresheet, _) = play(&series, "3");
    let [qi, quest, chess] = &scoresheet.matches[0].games[..] else { panic!("{scoresheet:?}") };
    assert_eq!(qi.clocks, Some([36.0, 36.0]));
    for (before, after) in [(qi, quest), (quest, chess)] {
        let (left, given) = (before.left.unwrap(), after.clocks.unwrap());
        for side in 0..2 {
            assert!((given[side] - left[side] - 18.0).abs() < 0.002, "{left:?} {given:?}");
        }
    }
    assert_eq!(scoresheet.matches[0].winner, None);
    let text = scoresheet.text(&["Red".to_string(), "Green".to_string()]);
    assert!(text.contains("points ½-½: drawn"), "{text}");
}

#[test]
fn a_flag_that_falls_loses_the_hunt() {
    let clocks = ClockRules { duel: Duration::from_secs(300), scale: 1e-9 };
    let rules = MatchRules { clocks: Some(clocks), ..MatchRules::new(Form::NorthernLight) };
    let mut series = series(rules, ["random,name=one", "ab,name=two,depth=5"], 1);
    series.players.iter_mut().for_each(|player| player.grace = Duration::ZERO);
    series.players[0].grace = Duration::from_secs(60);
    let (scoresheet, _) = play(&series, "4");
    assert_eq!(scoresheet.matches[0].games[0].reason, Reason::Time);
    assert_eq!(scoresheet.matches[0].winner.as_deref(), Some("one"));
}

#[test]
fn an_interrupt_ends_it() {
    let rules = MatchRules::new(Form::NorthernLight);
    let series = series(rules, RANDOM, 1000);
    let interrupt = AtomicBool::new(false);
    let complete = series.run(&interrupt, &mut |_| {
        interrupt.store(true, Ordering::Relaxed);
        Ok(())
    });
    assert!(!complete.unwrap());
}

#[test]
fn what_was_interrupted_goes_on_as_if_nothing_had_been() {
    let rules = MatchRules { deciding: true, ..MatchRules::new(Form::NorthernLight) };
    let plain = series(rules, RANDOM, 6);
    let (whole, whole_pgn) = play(&plain, "whole");
    let folder = new_folder("resumed");
    let [records, pgn] = ["matches.jsonl", "games.pgn"].map(|name| folder.join(name));
    let kept = MatchSeries { records: Some(records.clone()), pgn: Some(pgn.clone()), ..plain };
    let mut complete = false;
    for stop_after in [1, 3, 6] {
        let interrupt = AtomicBool::new(false);
        let mut scoresheet = kept.scoresheet();
        let run = kept.run(&interrupt, &mut |line| {
            scoresheet.enter(line);
            interrupt.store(line.number >= stop_after && stop_after < 6, Ordering::Relaxed);
            Ok(())
        });
        complete = run.unwrap();
        // Matches that are over when the interrupt comes are kept, too.
        assert!(scoresheet.matches.len() >= stop_after as usize);
        assert_eq!(scoresheet.matches[..], whole.matches[..scoresheet.matches.len()]);
        // As a crash leaves it.
        let torn = fs::read_to_string(&records).unwrap() + "{\"tournament\":";
        fs::write(&records, torn).unwrap();
    }
    assert!(complete);
    assert_eq!(fs::read_to_string(pgn).unwrap(), whole_pgn);
    let other = MatchSeries { seed: 4, ..kept.clone() }.run(&AtomicBool::new(false), &mut |_| Ok(()));
    assert!(other.unwrap_err().to_string().contains("with other settings"));
    let fewer = MatchSeries { matches: 5, ..kept }.run(&AtomicBool::new(false), &mut |_| Ok(()));
    assert!(format!("{:#}", fewer.unwrap_err()).contains("raise --matches"));
}
