//! Other programs as players, and all that they do wrong: `programs/engine.py` behaves as it is told.

use crate::common::{Folder, duel, line_at};
use jewel_players::engine::GameAt;
use jewel_players::player::{Budget, Choice, Clocks, Fault, Player, Turn};
use jewel_players::spec::PlayerSpec;
use jewel_search::clock::Bonus;
use jewel_search::control::Stop;
use jewel_search::report::Bound;
use jewel_search::score::Score;
use std::fs;
use std::path::Path;
use std::time::Duration;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/engine.py");

/// A program that behaves so, with more keys for its player.
fn program(behaviour: &str, more: &str) -> Box<dyn Player> {
    // Patience with a busy machine, unless a test is about a program that never answers.
    let patience = if more.contains("start_timeout") { "" } else { ",start_timeout=60" };
    let text = format!("name=fake,cmd=python3 -IS '{SCRIPT}' {behaviour}{patience}{more}");
    text.parse::<PlayerSpec>().unwrap().build(&duel()).unwrap()
}

fn ask(player: &mut dyn Player, line: &dyn GameAt, budget: &Budget) -> Result<Choice, Fault> {
    player.choose(&Turn { line, budget }, &Stop::new())
}

const DEPTH: Budget = Budget { depth: Some(3), nodes: None, playouts: None, movetime: None, clocks: None };

fn movetime(milliseconds: u64) -> Budget {
    Budget { movetime: Some(Duration::from_millis(milliseconds)), ..Budget::default() }
}

/// What comes of the first move of a game.
fn first_move(behaviour: &str, more: &str, budget: &Budget) -> Result<Choice, Fault> {
    let line = duel().open();
    let mut player = program(behaviour, more);
    player.new_game(line.as_ref(), 1)?;
    let answer = ask(player.as_mut(), line.as_ref(), budget);
    if answer.as_ref().is_err_and(|fault| !matches!(fault, Fault::Resigned | Fault::Unable(_))) {
        let again = ask(player.as_mut(), line.as_ref(), budget).unwrap_err();
        assert_eq!(again.to_string(), "died: it is not running", "{behaviour} plays on");
    }
    answer
}

fn fault(behaviour: &str, more: &str, budget: &Budget) -> String {
    let fault = first_move(behaviour, more, budget).unwrap_err().to_string();
    assert!(!fault.contains('\n') && !fault.contains('\x07'), "{fault:?}");
    fault
}

/// A legal first move.
fn legal() -> String {
    duel().open().moves().swap_remove(0)
}

#[test]
fn a_program_that_is_not_there_cannot_be_started() {
    let line = duel().open();
    for (text, complaint) in [
        ("cmd=/nowhere/engine", "cannot be started: /nowhere/engine: No such file or directory"),
        ("cmd=jewel-no-such-program", "cannot be started: jewel-no-such-program: No such file or directory"),
        ("cmd=python3,dir=/nowhere", "cannot be started: there is no directory /nowhere"),
        ("cmd=/,dir=/", "cannot be started: /: Permission denied"),
        (
            "cmd=python3,log=/nowhere/log",
            "cannot be started: its log /nowhere/log: No such file or directory",
        ),
    ] {
        let mut player = text.parse::<PlayerSpec>().unwrap().build(&duel()).unwrap();
        let fault = player.new_game(line.as_ref(), 1).unwrap_err();
        assert_eq!((fault.to_string().as_str(), fault.word()), (complaint, "start"));
    }
}

#[test]
fn a_program_that_does_not_start_properly_is_given_up() {
    let brief = ",start_timeout=0.3,stop_timeout=0.1";
    for behaviour in ["hangs-at-start", "mute", "garbage"] {
        assert_eq!(fault(behaviour, brief, &DEPTH), "gave no answer to \"uci\" within 300 ms");
    }
    let died = fault("dies-at-start", "", &DEPTH);
    assert_eq!(died, "died: exit status: 7; it said: no / licence\u{fffd} found");
}

#[test]
fn a_program_that_never_gets_ready_is_given_up() {
    let line = duel().open();
    let mut player = program("never-ready", ",start_timeout=2,stop_timeout=0.1");
    let fault = player.new_game(line.as_ref(), 1).unwrap_err();
    // On a busy machine it may not even have been greeted.
    assert!(matches!(fault, Fault::Silent(_)), "{fault}");
}

#[test]
fn illegal_moves_and_none_are_told_from_each_other() {
    let illegal = fault("illegal", "", &DEPTH);
    assert!(
        illegal.starts_with("played an illegal move, \"a1a9\" in \"l2/3/2L w - - 0 1\", which has "),
        "{illegal}"
    );
    assert_eq!(fault("none", "", &DEPTH), "answered nonsense: \"bestmove (none)\", but the game is not over");
    assert_eq!(fault("babbles", "", &DEPTH), "answered nonsense: \"bestmove \", but the game is not over");
    assert_eq!(first_move("resigns", "", &DEPTH).unwrap_err(), Fault::Resigned);
}

#[test]
fn a_program_that_dies_tells_how() {
    let died = fault("dies", "", &DEPTH);
    assert!(died.starts_with("died: exit status: 3; it said: ") && died.ends_with("out of ideas"), "{died}");
    let crashed = fault("crashes", "", &DEPTH);
    assert!(crashed.starts_with("died: signal: 11 (SIGSEGV)"), "{crashed}");
    let shut = fault("shuts-stdout", ",stop_timeout=0.1", &DEPTH);
    assert!(shut.starts_with("died: its output is closed and it goes on"), "{shut}");
}

#[test]
fn a_program_that_does_not_stop_is_stopped() {
    let brief = ",stop_grace=0.1,stop_timeout=0.2";
    for behaviour in ["deaf-to-stop", "floods", "endless"] {
        let said = fault(behaviour, brief, &movetime(100));
        assert_eq!(
            said, "gave no answer to \"go\" within 200 ms, nor to \"stop\" within 200 ms",
            "{behaviour}"
        );
    }
    // Without any time to keep there is still an end.
    let said = fault("deaf-to-stop", ",move_timeout=0.3,stop_timeout=0.1", &DEPTH);
    assert_eq!(said, "gave no answer to \"go\" within 300 ms, nor to \"stop\" within 100 ms");
}

#[test]
fn a_program_that_stops_when_told_has_moved() {
    let mv = legal();
    let choice =
        first_move(&format!("stoppable {mv}"), ",stop_grace=0.1,stop_timeout=60", &movetime(50)).unwrap();
    assert_eq!(choice.mv, mv);
    // Told by the caller: long before its time is up.
    let line = duel().open();
    let mut player = program(&format!("stoppable {mv}"), ",stop_timeout=60");
    player.new_game(line.as_ref(), 1).unwrap();
    let stop = Stop::new();
    stop.stop();
    let turn = Turn { line: line.as_ref(), budget: &movetime(3_600_000) };
    assert_eq!(player.choose(&turn, &stop).unwrap().mv, mv);
}

#[test]
fn a_program_that_does_not_read_is_no_trap() {
    let line = duel().open();
    let mut player = program("stops-reading", ",start_timeout=2,stop_timeout=0.1");
    // Ready once, then never again; on a busy machine not even once.
    let fault = player.new_game(line.as_ref(), 1).unwrap_err();
    assert!(matches!(fault, Fault::Silent(_)), "{fault}");
}

#[test]
fn output_without_end_takes_no_memory() {
    let resident = || {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let before = resident();
    for behaviour in ["endless", "floods"] {
        let _ = fault(behaviour, ",stop_grace=0.3,stop_timeout=0.1", &movetime(300));
    }
    assert!(resident() < before + (64 << 10), "{before} KiB became {} KiB", resident());
}

#[test]
fn after_a_fault_the_next_game_finds_a_new_program() {
    let line = duel().open();
    let mut player = program("dies", "");
    player.new_game(line.as_ref(), 1).unwrap();
    let first = player.title().unwrap().to_string();
    assert!(ask(player.as_mut(), line.as_ref(), &DEPTH).is_err());
    player.new_game(line.as_ref(), 2).unwrap();
    assert_ne!(player.title().unwrap(), first);
}

#[test]
fn a_program_runs_from_game_to_game_or_is_restarted() {
    let line = duel().open();
    let mv = legal();
    for (more, same) in [("", true), (",restart=yes", false)] {
        let mut player = program(&format!("good {mv} {mv}"), more);
        player.new_game(line.as_ref(), 1).unwrap();
        let first = player.title().unwrap().to_string();
        assert_eq!(ask(player.as_mut(), line.as_ref(), &DEPTH).unwrap().mv, mv);
        player.new_game(line.as_ref(), 2).unwrap();
        assert_eq!(player.title().unwrap() == first, same);
        assert_eq!(ask(player.as_mut(), line.as_ref(), &DEPTH).unwrap().mv, mv);
    }
}

#[test]
fn an_answer_that_comes_twice_is_not_an_answer_to_the_next_question() {
    let mut line = duel().open();
    let mv = legal();
    let mut player = program(&format!("twice {mv} {mv}"), "");
    player.new_game(line.as_ref(), 1).unwrap();
    for _ in 0..2 {
        assert_eq!(ask(player.as_mut(), line.as_ref(), &DEPTH).unwrap().mv, mv);
    }
    line.play(&mv).unwrap();
}

#[test]
fn nothing_is_left_of_a_program() {
    let line = duel().open();
    for behaviour in ["good", "stubborn"] {
        let mut player = program(behaviour, ",stop_timeout=0.3");
        player.new_game(line.as_ref(), 1).unwrap();
        let process = player.title().unwrap().strip_prefix("fake ").unwrap().to_string();
        assert!(Path::new("/proc").join(&process).exists());
        drop(player);
        // Not even a zombie.
        assert!(!Path::new("/proc").join(&process).exists(), "{behaviour}");
    }
}

#[test]
fn what_a_program_thinks_is_heard() {
    let mv = legal();
    let thought = first_move(&format!("talks {mv}"), "", &DEPTH).unwrap().thought.unwrap();
    assert_eq!((thought.score, thought.bound), (Score::win_in(3), Bound::Exact));
    assert_eq!((thought.depth, thought.seldepth, thought.nodes, thought.tb_hits), (4, 5, 600, 1));
    assert_eq!((thought.elapsed, thought.hashfull), (Duration::from_millis(9), 3));
    assert_eq!(thought.pv, ["c1b1", "b3"]);
    assert!(first_move(&format!("good {mv}"), "", &DEPTH).unwrap().thought.is_none());
}

/// What a program was told in a game of one move, line by line.
fn told(behaviour: &str, more: &str, budget: &Budget, line: &dyn GameAt) -> Vec<String> {
    let folder = Folder::new(&format!("told-{}", more.len() * 100 + behaviour.len()));
    let log = folder.0.join("log");
    let reply = line.moves().swap_remove(0);
    let more = format!("{more},stop_timeout=60,log={}", log.display());
    let mut player = program(&format!("{behaviour} {reply}"), &more);
    player.new_game(line, 1).unwrap();
    assert_eq!(ask(player.as_mut(), line, budget).unwrap().mv, reply);
    drop(player);
    let text = fs::read_to_string(log).unwrap();
    text.lines().filter(|line| *line != "isready").map(str::to_string).collect()
}

#[test]
fn a_program_is_told_everything_in_order() {
    let mut line = duel().open();
    let mv = legal();
    line.play(&mv).unwrap();
    let clocks = Clocks {
        remaining: [Duration::from_millis(61_500), Duration::from_secs(30)],
        bonus: [Bonus::Increment(Duration::from_secs(1)), Bonus::Delay(Duration::from_secs(2))],
        moves_to_go: [None, Some(10)],
    };
    let budget = Budget { nodes: Some(9000), clocks: Some(clocks), ..DEPTH };
    let told = told("good", ",threads=2,option.skill level=3,nodes=500,time=1.5", &budget, line.as_ref());
    assert_eq!(
        told,
        [
            "uci",
            "setoption name Threads value 2",
            "setoption name Skill Level value 3",
            "ucinewgame",
            &format!("position fen l2/3/2L w - - 0 1 moves {mv}"),
            "go depth 3 nodes 500 movetime 1500 wtime 61500 btime 32000 winc 1000 binc 2000 movestogo 10",
            "quit",
        ]
    );
}

#[test]
fn variants_are_chosen_after_their_file_was_read() {
    let line = duel().open();
    let told = told("variants", ",variants=/some/file.ini", &DEPTH, line.as_ref());
    let [path, again, variant] = &told[1..4] else { panic!("{told:?}") };
    assert_eq!(path, "setoption name VariantPath value /some/file.ini");
    assert_eq!((again.as_str(), variant.as_str()), ("uci", "setoption name UCI_Variant value duel"));
    for (more, complaint) in [
        ("", "it knows no variant \"duel\": name a file that has it with variants=FILE"),
        (",variant=ches", "it knows no variant \"ches\": did you mean variant=chess?"),
    ] {
        assert_eq!(fault("variants", more, &DEPTH), format!("cannot play: {complaint}"));
    }
}

#[test]
fn options_that_a_program_has_not_are_named() {
    for (more, complaint) in [
        (",option.Treads=2", "it has no option \"Treads\": did you mean \"Threads\"?"),
        (",hash=16", "it has no option \"Hash\""),
        (",variant=chess", "it has no option \"UCI_Variant\""),
        (",variants=x.ini", "it has no option \"VariantPath\""),
    ] {
        assert_eq!(fault("good", more, &DEPTH), format!("cannot play: {complaint}"));
    }
    let playouts = Budget { playouts: Some(5), ..Budget::default() };
    assert_eq!(fault("good", "", &playouts), "cannot play: no limit of depth, nodes or time is set");
}

#[test]
fn ugi_gives_times_by_who_moves_first() {
    // The program says that it is not the first player's turn: White to move is the second.
    let line = line_at(duel(), "l2/3/2L w - - 0 1");
    let clocks = Clocks {
        remaining: [Duration::from_secs(10), Duration::from_secs(20)],
        bonus: [Bonus::None; 2],
        moves_to_go: [None; 2],
    };
    let budget = Budget { clocks: Some(clocks), ..Budget::default() };
    let told = told("good", ",proto=ugi", &budget, line.as_ref());
    let position = "position fen l2/3/2L w - - 0 1";
    assert_eq!(
        told,
        ["ugi", "uginewgame", position, "query p1turn", position, "go p1time 20000 p2time 10000", "quit"]
    );
}
