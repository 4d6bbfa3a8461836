//! Players as they are written.

use jewel_engine::kings_mate::{Basic, KingsMate};
use jewel_players::catalogue::AnyGame;
use jewel_players::player::{Budget, Turn};
use jewel_players::settings::text::{self, command_line, command_words};
use jewel_players::settings::{Error, Table};
use jewel_players::spec::{KEYS, Kind, Leaf, PlayerOptions, PlayerSpec};
use jewel_search::control::Stop;
use jewel_search::evaluate::{KingsMateEvaluation, Tunable, WeightList, Weights};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use std::time::Duration;

fn spec(text: &str) -> PlayerSpec {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn refused(text: &str) -> String {
    match text.parse::<PlayerSpec>() {
        Ok(spec) => panic!("{text}: {spec:?}"),
        Err(e) => e.to_string(),
    }
}

#[test]
fn keys_are_read() {
    let ab = spec("name=ab1,kind=ab,nodes=20000,threads=2,hash=2G,depth=9");
    assert_eq!((ab.name(), ab.kind(), ab.threads()), ("ab1", Kind::Ab, 2));
    assert_eq!((ab.budget().nodes, ab.budget().depth, ab.budget().movetime), (Some(20_000), Some(9), None));
    assert!(!ab.needs_limit());
    let mcts = spec("mcts,playouts=500,time=100ms,priors=evaluation,playout-plies=0");
    assert_eq!((mcts.name(), mcts.kind()), ("mcts", Kind::Mcts));
    assert_eq!(mcts.budget().playouts, Some(500));
    assert_eq!(mcts.budget().movetime, Some(Duration::from_millis(100)));
    assert!(spec("kind=mcts").needs_limit() && !spec("greedy").needs_limit());
}

#[test]
fn a_command_makes_a_program() {
    let program = spec(r#"cmd="/opt/my engine/fish.bin" --book 'a,b',option.Threads=3,option.Skill Level=5"#);
    assert_eq!((program.name(), program.kind(), program.threads()), ("fish", Kind::Uci, 3));
    assert!(program.needs_limit());
    assert_eq!(spec("cmd=x,proto=ugi").kind(), Kind::Ugi);
    assert_eq!(spec("kind=ugi,cmd=x,args=-a -b").kind(), Kind::Ugi);
    assert_eq!(spec("cmd=x,threads=4").threads(), 4);
}

#[test]
fn names_may_hold_commas_in_quotes() {
    let text = r#"name="White, the bold",kind=random"#;
    let bold = spec(text);
    assert_eq!(bold.name(), "White, the bold");
    assert_eq!(spec(&bold.to_string()), bold);
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    for (text, complaint) in [
        ("name=a,kind=ab,nods=5", "player \"a\": unknown key \"nods\": did you mean \"nodes\"?"),
        ("kind=ab,zzzzzzzzzz=5", "player: unknown key \"zzzzzzzzzz\": it may be kind, name, seed"),
        ("kind=alphabeta", "player: kind: \"alphabeta\" is unknown: it may be random, greedy"),
        ("name=x,kind=randm", "player \"x\": kind: \"randm\" is unknown: did you mean \"random\"?"),
        ("nodes=5", "player: kind is missing: write kind=ab, or cmd=PROGRAM"),
        ("ab,nodes=5,nodes=6", "player: \"nodes\" is given twice"),
        ("ab,nodes=0", "player: nodes: \"0\" is not a whole number from 1"),
        ("ab,threads=1000", "player: threads: \"1000\" is not a whole number from 1 to 256"),
        (
            "mcts,leaf=deep",
            "player: leaf: \"deep\" is not a whole number from 0 to 64, or \"evaluation\" for no search",
        ),
        ("mcts,minimax=101", "player: minimax: \"101\" is not a whole number from 0 to 100"),
        ("ab,leaf=1", "\"leaf\" means nothing to a player of kind ab"),
        ("ab,time=soon", "player: time: \"soon\" is not a time: write seconds"),
        ("ab,hash=0", "player: hash: \"0\" is not a size"),
        ("ab,", "player: an empty entry: write key=value,key=value"),
        ("", "player: an empty entry"),
        ("ab,fast", "player: \"fast\" is not key=value"),
        ("ab,=3", "player: \"=3\" has no key before its ="),
        ("ab,name='x", "player: a quote ' that is not closed"),
        ("ab,name=", "player: name is empty"),
        (
            "random,threads=2",
            "\"threads\" means nothing to a player of kind random, which takes kind, name, seed",
        ),
        ("ab,cmd=x", "\"cmd\" means nothing to a player of kind ab"),
        ("mcts,priors=clever", "player: priors: \"clever\" is unknown: it may be uniform or evaluation"),
        (
            "mcts,guess=luck",
            "player: guess: \"luck\" is unknown: it may be flat, determinized, single, multi or mutual",
        ),
        ("random,cheat=yes", "\"cheat\" means nothing to a player of kind random"),
        ("table", "player: tables is missing: write tables=DIR"),
        ("table,tables=t,nodes=5", "\"nodes\" means nothing to a player of kind table"),
        ("table,tables=t,fallback=human", "fallback: \"human\" is not random, greedy, ab or mcts"),
        ("uci", "player: cmd is missing: write cmd=PROGRAM"),
        ("cmd=", "player: cmd: no program is named"),
        ("cmd=\"\"", "player: cmd: no program is named"),
        ("cmd=x \\", "player: cmd: a backslash at the end"),
        ("cmd=x,kind=uci,proto=ugi", "player: kind is uci and proto is ugi: leave one out"),
        ("cmd=x,kind=ab,proto=uci", "player: kind is ab and proto is uci: leave one out"),
        ("cmd=x,option.=3", "unknown key \"option.\""),
        (
            "cmd=x,option=3",
            "option: \"3\" is not the name of an option with its value: write option.NAME=VALUE",
        ),
        ("cmd=x,proto=ab", "player: proto: \"ab\" is not uci or ugi"),
        ("ab,off=nul_move", "player: off: ab has no feature \"nul_move\": did you mean \"null_move\"?"),
        ("mcts,off=magic", "mcts has no feature \"magic\": it may be minimax or widening"),
        ("random,weights=x", "\"weights\" means nothing to a player of kind random"),
        ("cmd=x,threads=2,option.threads=3", "the option threads of the program is given twice"),
        ("cmd=x,option.A=1\nquit", "player: option.A: control characters cannot be sent"),
        ("cmd=x,variant=a b", "player: variant: a name is one word"),
    ] {
        let said = refused(text);
        assert!(said.contains(complaint), "{text}: {said}");
        assert!(!said.contains('\n'), "{said}");
    }
}

#[test]
fn a_fallback_takes_its_own_keys() {
    let table = spec("table,tables=t,fallback=ab,nodes=100,threads=2");
    assert_eq!((table.kind(), table.threads(), table.needs_limit()), (Kind::Table, 2, false));
    assert!(spec("table,tables=t,fallback=ab").needs_limit());
    assert!(!spec("table,tables=t,fallback=greedy").needs_limit());
}

/// The player of a TOML file.
fn from_toml(text: &str) -> Result<PlayerSpec, Error> {
    Table::from_toml("x.toml", text).and_then(|table| PlayerSpec::from_table(&table))
}

#[test]
fn a_table_of_a_file_is_read_with_the_same_checks() {
    let text = "cmd = \"engine\"\nname = \"fsf\"\nnodes = 1000\ntime = 0.5\nrestart = true\n\
                args = [\"-x\", \"a \\\"b\"]\n\
                [option]\nThreads = 2\nPonder = false\n\"Skill Level\" = 3\n";
    let fsf = from_toml(text).unwrap();
    assert_eq!(
        fsf.to_string(),
        "cmd=engine,name=fsf,nodes=1000,time=0.5,restart=true,args='\"-x\" \"a \\\"b\"',option.Threads=2,option.Ponder=false,option.Skill Level=3"
    );
    assert_eq!(from_toml("kind = \"ab\"\nnodes = 5").unwrap().budget().nodes, Some(5));
    let wrong = |text: &str| from_toml(text).unwrap_err().to_string();
    assert_eq!(
        wrong("kind = \"ab\"\nnods = 5"),
        "x.toml: line 2: unknown key \"nods\": did you mean \"nodes\"?"
    );
    assert_eq!(
        wrong("kind = \"ab\"\nnodes = -5"),
        "x.toml: line 2, nodes: \"-5\" is not a whole number from 1"
    );
    assert_eq!(
        wrong("kind = \"ab\"\nleaf = 1"),
        "x.toml: player: \"leaf\" means nothing to a player of kind ab, which takes kind, name, depth, nodes, time, threads, hash, tables, params, weights, net, off, cheat"
    );
    assert!(
        wrong("[kind]\nx = 1").contains("x.toml: line 1: \"[…]\" is unknown: it may be random, "),
        "{}",
        wrong("[kind]\nx = 1")
    );
    assert!(
        wrong("nodes = [[1]]")
            .contains("line 1: \"nodes\" is a text, a number, true or false, or a list of texts")
    );
}

#[test]
fn options_without_text_make_the_same_player() {
    let options = PlayerOptions {
        kind: Some(Kind::Mcts),
        name: Some("White, the bold".to_string()),
        time: Some(Duration::from_millis(250)),
        nodes: Some(7),
        leaf: Some(Leaf::Searched(2)),
        off: Some(vec!["minimax".to_string(), "widening".to_string()]),
        cheat: Some(true),
        ..PlayerOptions::default()
    };
    let typed = PlayerSpec::new(&options).unwrap();
    assert_eq!(spec(&typed.to_string()), typed);
    assert_eq!(typed.budget().movetime, Some(Duration::from_millis(250)));
    let words = ["/opt/my engine", "-x", "\"\\"].map(str::to_string).to_vec();
    assert_eq!(command_words(&command_line(&words)).as_ref(), Ok(&words));
    let option = vec![("Skill Level".to_string(), "3".to_string()), ("A".to_string(), String::new())];
    let program = PlayerOptions { cmd: Some(words), option: Some(option), ..PlayerOptions::default() };
    let typed = PlayerSpec::new(&program).unwrap();
    assert_eq!((typed.name(), typed.kind()), ("my engine", Kind::Uci));
    assert_eq!(
        PlayerSpec::new(&PlayerOptions::default()).unwrap_err().to_string(),
        "player: kind is missing: write kind=ab, or cmd=PROGRAM"
    );
}

#[test]
fn every_key_has_a_kind_and_a_word_of_help() {
    for key in KEYS {
        assert!(!key.kinds.is_empty() && !key.help.is_empty() && !key.value.is_empty(), "{}", key.name);
    }
}

#[test]
fn command_lines_are_split_as_in_a_shell() {
    let words = |text| command_words(text).unwrap();
    assert_eq!(words(r#"a  'b c' "d e"f g\ h "" '\' "\"""#), ["a", "b c", "d ef", "g h", "", "\\", "\""]);
    assert!(words("  ").is_empty());
    assert!(command_words("'a").is_err() && command_words("a\\").is_err());
}

proptest! {
    #![proptest_config(Config { cases: 400, rng_seed: RngSeed::Fixed(5), ..Config::default() })]

    #[test]
    fn no_text_is_too_odd(text in "\\PC{0,40}", keyed in "(ab|mcts|cmd=x|table),(name|seed|hash|option.x|time|nodes|log)=\\PC{0,20}") {
        for text in [text, keyed] {
            if let Ok(spec) = text.parse::<PlayerSpec>() {
                prop_assert_eq!(spec.to_string().parse::<PlayerSpec>(), Ok(spec));
            }
            let _ = command_words(&text);
        }
    }

    #[test]
    fn pairs_survive_their_text(values in prop::collection::vec("[a-z ,='\"]{0,12}", 1..5)) {
        let pairs: Vec<_> = values.into_iter().enumerate().map(|(n, value)| (format!("k{n}"), value)).collect();
        let text = text::join(&pairs);
        let again = text::pairs(&text, "kind");
        let odd = pairs.iter().any(|(_, value)| value.contains('"') && value.contains('\''));
        if !odd {
            prop_assert_eq!(again, Ok(pairs));
        }
    }
}

/// The positions that the first move of a player takes.
fn nodes(game: &str, player: &str) -> Result<u64, String> {
    let game = AnyGame::resolve(game).unwrap();
    let line = game.open();
    let mut player = spec(player).build(&game).unwrap();
    player.new_game(line.as_ref(), 1).map_err(|e| e.to_string())?;
    let turn = Turn { line: line.as_ref(), budget: &Budget::default() };
    let choice = player.choose(&turn, &Stop::new()).map_err(|e| e.to_string())?;
    Ok(choice.thought.unwrap().nodes)
}

#[test]
fn features_are_switched_off() {
    let ab = |off: &str| nodes("ambush", &format!("ab,depth=8{off}")).unwrap();
    assert!(ab(",off=null_move") != ab(""));
    assert!(ab(",off=late-reductions+null_move") > ab(""));
    let mcts = |off: &str| nodes("world-tree:start=standard", &format!("mcts,playouts=200{off}")).unwrap();
    assert!(mcts(",off=widening") != mcts(""));
    assert!(nodes("crown-jewels", "mcts,playouts=20,off=widening").unwrap_err().contains("has no feature"));
}

#[test]
fn weights_come_from_a_file() {
    let file = |name: &str, text: &str| {
        let path = std::env::temp_dir().join(format!("jewel-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let rules = jewel_engine::games::find("crystal-of-doom").unwrap().rules();
    let derived = file("derived.json", &Weights::derived(rules).to_text());
    let with = |game: &str, file: &str| nodes(game, &format!("ab,depth=4,weights='{file}'"));
    assert_ne!(with("crystal-of-doom", &derived), nodes("crystal-of-doom", "ab,depth=4"));
    let evaluation = KingsMateEvaluation::default();
    let weights = Tunable::<KingsMate<Basic>>::weights(&evaluation);
    let listed = file("listed.json", &WeightList::new("kings-mate", "", &weights).to_text());
    assert_eq!(with("kings-mate", &listed), nodes("kings-mate", "ab,depth=4"));
    assert!(with("kings-mate", &derived).unwrap_err().contains("derived.json: "));
    assert!(with("ambush", "no.json").unwrap_err().contains("no.json: No such file"));
    let both = nodes("crystal-of-doom", &format!("ab,depth=1,net=none,weights='{derived}'"));
    assert!(both.unwrap_err().contains("weights and net"));
    for name in [derived, listed] {
        std::fs::remove_file(name).unwrap();
    }
}
