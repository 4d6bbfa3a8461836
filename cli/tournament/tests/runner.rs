//! Whole tournaments, with small players.

use crate::common::{Boards, Count, Manner, Puppets, folder, tournament};
use jewel_tournament::adjudication::{Adjudication, DrawnGame, PlyLimit, Resign};
use jewel_tournament::record::{GameRecord, Reason};
use jewel_tournament::runner::{Finish, Observer, Stage, Tournament};
use jewel_tournament::schedule::Format;
use jewel_tournament::standings::Standings;
use jewel_tournament::statistics::sprt::{Model, Sprt, Verdict};
use jewel_tournament::time_limits::TimeLimits;
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

static NEVER: AtomicBool = AtomicBool::new(false);

fn run(tournament: &Tournament, manners: &[Manner]) -> Finish {
    let factory = Puppets("duel", manners.to_vec());
    tournament.run(&factory, &NEVER, &mut Count::default()).unwrap()
}

fn records(folder: &Path) -> Vec<GameRecord> {
    let text = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn files(folder: &Path) -> (Vec<u8>, Vec<u8>) {
    (fs::read(folder.join("games.jsonl")).unwrap(), fs::read(folder.join("games.pgn")).unwrap())
}

/// Sets the flag after this many games.
struct After<'a>(u64, &'a AtomicBool);

impl Observer for After<'_> {
    fn recorded(&mut self, _: &GameRecord, _: &Standings) {
        self.0 = self.0.saturating_sub(1);
        self.1.store(self.0 == 0, Ordering::Relaxed);
    }
}

#[test]
fn records_do_not_depend_on_workers_or_interruptions() {
    let manners = [Manner::Random; 3];
    let [one, four, often] = ["one", "four", "often"].map(folder);
    let single = run(&Tournament { concurrency: 1, ..tournament("duel", 3, 50, &one) }, &manners);
    assert!(single.complete);
    assert_eq!(single.standings.games(), 300);
    let many = run(&Tournament { concurrency: 4, ..tournament("duel", 3, 50, &four) }, &manners);
    assert_eq!(files(&one), files(&four));
    assert_eq!(single.standings, many.standings);

    let tournament = tournament("duel", 3, 50, &often);
    let mut runs = 0;
    loop {
        runs += 1;
        let stop = AtomicBool::new(false);
        let factory = Puppets("duel", manners.to_vec());
        let finish = tournament.run(&factory, &stop, &mut After(23, &stop)).unwrap();
        if finish.complete {
            assert_eq!(finish.standings, single.standings);
            break;
        }
        // As if the machine had stopped in the middle of a line.
        let path = often.join("games.jsonl");
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - runs * 7]).unwrap();
    }
    assert!(runs > 10, "{runs}");
    assert_eq!(files(&one), files(&often));
    // Once more: there is nothing left to do.
    let finish = run(&tournament, &manners);
    assert!(finish.complete && finish.standings == single.standings);
    assert_eq!(files(&one), files(&often));
}

#[test]
fn games_are_paired_and_legal() {
    let folder = folder("paired");
    run(&tournament("duel", 2, 20, &folder), &[Manner::Random; 2]);
    let games = records(&folder);
    for pair in games.chunks(2) {
        assert_eq!((&pair[0].white, &pair[0].black), (&pair[1].black, &pair[1].white));
        assert_eq!((&pair[0].start, pair[0].book), (&pair[1].start, 2));
        assert_eq!(pair[0].moves[..2], pair[1].moves[..2]);
    }
    let openings: std::collections::HashSet<_> = games.iter().map(|game| game.moves[..2].to_vec()).collect();
    assert!(openings.len() > 3, "{openings:?}");
    let mut line = jewel_players::catalogue::AnyGame::resolve("duel").unwrap().open();
    for game in &games {
        line.set_position(Some(&game.start), &game.moves).unwrap();
        assert_eq!(line.fen(), game.fen);
        let end = line.ending().unwrap();
        assert_eq!(Some(end.verdict), game.verdict());
        assert_eq!(game.reason == Reason::Repetition, end.repetition);
    }
}

#[test]
fn faults_lose_the_game_and_the_tournament_goes_on() {
    let folder = folder("faults");
    let manners = [Manner::Random, Manner::Cheats, Manner::Dies, Manner::Missing];
    let finish = run(&tournament("ambush", 4, 2, &folder), &manners);
    assert!(finish.complete);
    let games = records(&folder);
    assert_eq!(games.len(), 24);
    let reasons = finish.standings.reasons();
    assert!(reasons[&Reason::Illegal] > 0 && reasons[&Reason::Died] > 0 && reasons[&Reason::Start] > 0);
    for game in &games {
        match game.reason {
            Reason::Start => {
                assert_eq!((game.moves.len(), game.termination.as_str()), (game.book, "abandoned"));
                assert_eq!(game.ending, "p3 cannot be started: no such file");
                let winner = if game.result == "1-0" { &game.white } else { &game.black };
                assert_ne!(winner, "p3");
            }
            Reason::Illegal => {
                assert!(game.ending.starts_with("p1 played an illegal move, \"a1a9\": "), "{}", game.ending)
            }
            Reason::Died => assert_eq!(game.ending, "p2 died: exit status 3"),
            _ => {}
        }
    }
    assert_eq!(finish.standings.of(3).games.points(), 0.0);
}

#[test]
fn scores_end_games_if_they_are_to() {
    let adjudicated = |name: &str, rules: Adjudication, claims: [i32; 2]| {
        let folder = folder(name);
        let mut tournament = tournament("ambush", 2, 3, &folder);
        tournament.stages[0].adjudication = rules;
        run(&tournament, &claims.map(Manner::Claims));
        // Random moves may win by rule before anybody has looked at scores.
        records(&folder).into_iter().filter(|game| game.termination == "adjudication").collect::<Vec<_>>()
    };
    let resign = Some(Resign { score: 300, moves: 2 });
    let mut seen = 0;
    for game in adjudicated("resign", Adjudication { resign, ..Adjudication::default() }, [0, -400]) {
        assert_eq!(game.reason, Reason::ResignScore);
        let winner = if game.result == "1-0" { &game.white } else { &game.black };
        assert_eq!(winner, "p0");
        assert!(game.moves.len() <= game.book + 4 && game.scores.len() == game.moves.len() - game.book);
        seen += 1;
    }
    let draw = Some(DrawnGame { score: 5, moves: 2, from: 8 });
    for game in adjudicated("draw", Adjudication { draw, ..Adjudication::default() }, [4, -4]) {
        assert_eq!((game.reason, game.result.as_str(), game.moves.len()), (Reason::DrawScore, "1/2-1/2", 8));
        seen += 1;
    }
    let max_plies = PlyLimit::After(5);
    for game in adjudicated("long", Adjudication { max_plies, ..Adjudication::default() }, [0, 0]) {
        assert_eq!((game.reason, game.moves.len()), (Reason::MaxPlies, 5));
        seen += 1;
    }
    assert!(seen > 6, "{seen}");
}

#[test]
fn a_player_that_oversteps_the_time_loses() {
    let folder = folder("time");
    let mut tournament = Tournament { times: true, concurrency: 1, ..tournament("duel", 2, 1, &folder) };
    let slow = TimeLimits {
        movetime: Some(Duration::from_millis(1)),
        grace: Duration::ZERO,
        ..TimeLimits::default()
    };
    tournament.stages[0].limits[1] = slow;
    run(&tournament, &[Manner::Random, Manner::Slow(Duration::from_millis(15))]);
    for game in records(&folder) {
        // A player that moved in time may have won before.
        assert!(game.reason == Reason::Time || game.moves.len() == game.book + 1, "{game:?}");
        assert!(game.reason != Reason::Time || game.termination == "time forfeit");
        assert_eq!(game.verdict().map(|v| v.score_text() == "1-0"), Some(game.white == "p0"));
        assert!(!game.seconds.is_empty());
    }
    let text = fs::read_to_string(folder.join("games.pgn")).unwrap();
    assert!(text.contains("[WhiteTimeControl \"-\"]\n[BlackTimeControl \"0.001/move\"]"), "{text}");
}

#[test]
fn a_test_ends_the_match_at_the_same_game_in_any_order() {
    let sprt = Sprt { elo0: 0.0, elo1: 100.0, alpha: 0.05, beta: 0.05, model: Model::Logistic };
    let mut outcomes = Vec::new();
    for concurrency in [1, 3] {
        let folder = folder(&format!("sprt-{concurrency}"));
        let mut tournament = tournament("duel", 2, 10_000, &folder);
        tournament.plan.format = Format::Sprt;
        let tournament = Tournament { sprt: Some(sprt), concurrency, ..tournament };
        let finish = run(&tournament, &[Manner::Random; 2]);
        assert!(finish.complete && finish.standings.games() < 20_000);
        let standing = sprt.standing(&finish.standings.between(0, 1));
        assert_ne!(standing.verdict, Verdict::Continue, "{standing:?}");
        outcomes.push((files(&folder), finish.standings));
    }
    assert_eq!(outcomes[0], outcomes[1]);
}

#[test]
fn a_basket_is_many_games_and_one_verdict() {
    let games = ["duel", "ambush"];
    let basket = |folder: &Path, concurrency| {
        let mut basket = Tournament { concurrency, ..tournament("duel", 2, 12, folder) };
        basket.stages.push(tournament("ambush", 2, 12, folder).stages.remove(0));
        basket.plan.stages = 2;
        basket.stages[1].adjudication.max_plies = PlyLimit::After(60);
        basket
    };
    let factory = Boards(&games, vec![Manner::Random; 2]);
    let [whole, often] = ["basket", "basket-often"].map(folder);
    let finish = basket(&whole, 3).run(&factory, &NEVER, &mut Count::default()).unwrap();
    assert!(finish.complete && finish.standings.games() == 48);
    let all = records(&whole);
    for (pair, expected) in all.chunks(2).zip(games.iter().cycle()) {
        assert!(pair.iter().all(|game| game.game == *expected), "{expected}");
        assert_eq!(pair[0].moves[..2], pair[1].moves[..2]);
    }
    assert!(all.iter().any(|game| game.reason == Reason::MaxPlies && game.moves.len() == 60));
    // Each game's results are those of a tournament of it, and all together are their sum.
    let stages = finish.standings.stages();
    assert_eq!(stages.iter().map(Standings::games).collect::<Vec<_>>(), [24, 24]);
    let mut sum = stages[0].between(0, 1);
    sum += stages[1].between(0, 1);
    assert_eq!(sum, finish.standings.between(0, 1));
    assert_eq!(sum.pairs.iter().sum::<u64>(), 24);
    // Interrupted and on one worker, it ends with the same bytes.
    let interrupted = basket(&often, 1);
    while !{
        let stop = AtomicBool::new(false);
        interrupted.run(&factory, &stop, &mut After(7, &stop)).unwrap().complete
    } {}
    assert_eq!(files(&whole), files(&often));
    // Records of the games in another order are refused.
    let mut turned = basket(&whole, 1);
    turned.stages.reverse();
    let error =
        turned.run(&Boards(&["ambush", "duel"], vec![Manner::Random; 2]), &NEVER, &mut Count::default());
    let error = format!("{:#}", error.unwrap_err());
    assert!(error.contains("line 1: game 1 is not one of ") && error.ends_with(" in ambush"), "{error}");
}

#[test]
fn the_same_game_in_two_parts_of_a_basket_is_played_twice() {
    let folder = folder("basket-same");
    let mut basket = tournament("duel", 2, 3, &folder);
    let again = Stage { name: "again".to_string(), ..basket.stages[0].clone() };
    basket.stages.push(again);
    basket.plan.stages = 2;
    // Nobody chooses at random: the second time in the same part would be no evidence.
    basket.stages.iter_mut().for_each(|stage| stage.random = vec![false; 2]);
    let factory = Boards(&["duel", "duel"], vec![Manner::Claims(0), Manner::Claims(0)]);
    let finish = basket.run(&factory, &NEVER, &mut Count::default()).unwrap();
    let [first, second] = [0, 1].map(|n| finish.standings.stages()[n].clone());
    assert_eq!((first.games(), first.repeated()), (second.games(), second.repeated()));
    assert_eq!(finish.standings.repeated(), first.repeated() + second.repeated());
}

#[test]
fn a_knockout_has_a_champion() {
    let folder = folder("knockout");
    let mut tournament = tournament("duel", 5, 1, &folder);
    tournament.plan.format = Format::Knockout;
    let finish = run(
        &tournament,
        &[Manner::Missing, Manner::Missing, Manner::Random, Manner::Missing, Manner::Missing],
    );
    assert_eq!((finish.complete, finish.champion), (true, Some(2)));
    let rounds: Vec<u64> = records(&folder).iter().map(|game| game.round).collect();
    assert!(rounds.is_sorted() && rounds.last() == Some(&3), "{rounds:?}");
}

#[test]
fn files_that_are_in_the_way_are_named() {
    let folder = folder("in-the-way");
    let tournament = tournament("duel", 2, 2, &folder);
    run(&tournament, &[Manner::Random; 2]);
    let problem = |tournament: &Tournament| {
        let factory = Puppets("duel", vec![Manner::Random; 2]);
        let error = tournament.run(&factory, &NEVER, &mut Count::default()).unwrap_err();
        format!("{error:#}")
    };
    let other = Tournament { id: "other".to_string(), ..tournament.clone() };
    assert!(problem(&other).contains("records of another tournament"), "{}", problem(&other));
    let mut fewer = tournament.clone();
    fewer.plan.rounds = 1;
    assert!(problem(&fewer).contains("line 3: there are more games"), "{}", problem(&fewer));
    fs::write(&tournament.records, "{}\n").unwrap();
    assert!(problem(&tournament).contains("line 1: no record of a game"), "{}", problem(&tournament));
    let directory = Tournament { records: folder.clone(), ..tournament.clone() };
    assert!(problem(&directory).ends_with("a directory, not a file"), "{}", problem(&directory));
    let nowhere = Tournament { pgn: Some(folder.join("no/such.pgn")), ..tournament };
    assert!(problem(&nowhere).contains("such.pgn"), "{}", problem(&nowhere));
}

#[test]
fn more_rounds_go_on_where_fewer_ended() {
    let [short, long] = ["short", "long"].map(folder);
    run(&tournament("duel", 3, 5, &short), &[Manner::Random; 3]);
    run(&tournament("duel", 3, 8, &short), &[Manner::Random; 3]);
    run(&tournament("duel", 3, 8, &long), &[Manner::Random; 3]);
    assert_eq!(files(&short), files(&long));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(3), ..Default::default() })]

    #[test]
    fn no_file_of_records_does_harm(text in any::<String>(), cut in 0..4000usize, put in "[ -~\n]{0,8}") {
        let folder = folder("harm");
        let tournament = Tournament { pgn: None, ..tournament("duel", 2, 2, &folder) };
        run(&tournament, &[Manner::Random; 2]);
        let whole = fs::read_to_string(&tournament.records).unwrap();
        let factory = Puppets("duel", vec![Manner::Random; 2]);
        let mut damaged = whole.clone();
        damaged.insert_str(cut % whole.len(), &put);
        for contents in [text, damaged, whole[..cut % whole.len()].to_string()] {
            fs::write(&tournament.records, contents).unwrap();
            if let Err(problem) = tournament.run(&factory, &NEVER, &mut Count::default()) {
                prop_assert!(!format!("{problem:#}").contains('\n'), "{:#}", problem);
            }
        }
    }
}
