//! Players as they are written.

use jewel_players::spec::{KEYS, Kind, PlayerSpec};
use jewel_players::support::pairs::{self, command_words};
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
    let other = bold.renamed("Black");
    assert_eq!((other.name(), spec(&other.to_string()).name()), ("Black", "Black"));
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    for (text, complaint) in [
        ("name=a,kind=ab,nods=5", "player \"a\": unknown key \"nods\": did you mean \"nodes\"?"),
        ("kind=ab,zzzzzzzzzz=5", "player: unknown key \"zzzzzzzzzz\": it may be kind, name, seed"),
        ("kind=alphabeta", "player: no kind \"alphabeta\": it may be random, greedy"),
        ("name=x,kind=randm", "player \"x\": no kind \"randm\": did you mean \"random\"?"),
        ("nodes=5", "player: kind is missing: write kind=ab, or cmd=PROGRAM"),
        ("ab,nodes=5,nodes=6", "player: \"nodes\" is given twice"),
        ("ab,nodes=0", "player: nodes: \"0\" is no whole number from 1"),
        ("ab,threads=1000", "player: threads: \"1000\" is no whole number from 1 to 256"),
        (
            "mcts,leaf=deep",
            "player: leaf: \"deep\" is no whole number from 0 to 64, or \"evaluation\" for no search",
        ),
        ("mcts,minimax=101", "player: minimax: \"101\" is no whole number from 0 to 100"),
        ("ab,leaf=1", "\"leaf\" means nothing to a player of kind ab"),
        ("ab,time=soon", "player: time: \"soon\" is no time: write seconds"),
        ("ab,hash=0", "player: hash: \"0\" is no size"),
        ("ab,", "player: an empty entry: write key=value,key=value"),
        ("", "player: an empty entry"),
        ("ab,fast", "player: \"fast\" is no key=value"),
        ("ab,=3", "player: \"=3\" has no key before its ="),
        ("ab,name='x", "player: a quote ' that is not closed"),
        ("ab,name=", "player: name is empty"),
        (
            "random,threads=2",
            "\"threads\" means nothing to a player of kind random, which takes kind, name, seed",
        ),
        ("ab,cmd=x", "\"cmd\" means nothing to a player of kind ab"),
        ("mcts,priors=clever", "player: priors: \"clever\" is not uniform or evaluation"),
        ("mcts,guess=luck", "player: guess: \"luck\" is not flat, determinized, single, multi or mutual"),
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

#[test]
fn a_table_of_a_file_is_read_with_the_same_checks() {
    let text = "cmd = \"engine\"\nname = \"fsf\"\nnodes = 1000\ntime = 0.5\nrestart = true\n\
                [option]\nThreads = 2\nPonder = false\n\"Skill Level\" = 3\n";
    let spec: PlayerSpec = toml::from_str(text).unwrap();
    assert_eq!(
        spec.to_string(),
        "cmd=engine,name=fsf,nodes=1000,option.Ponder=false,option.Skill Level=3,option.Threads=2,restart=yes,time=0.5"
    );
    let json = serde_json::to_string(&spec).unwrap();
    assert_eq!(serde_json::from_str::<PlayerSpec>(&json).unwrap(), spec);
    let one: PlayerSpec = serde_json::from_str("\"ab,nodes=5\"").unwrap();
    assert_eq!(one.budget().nodes, Some(5));
    let wrong = toml::from_str::<PlayerSpec>("kind = \"ab\"\nnods = 5").unwrap_err();
    assert_eq!(wrong.message(), "player: unknown key \"nods\": did you mean \"nodes\"?");
    let list = toml::from_str::<PlayerSpec>("kind = [\"ab\"]").unwrap_err();
    assert!(list.message().contains("kind: not a plain value"), "{}", list.message());
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
        let text = pairs::text(&pairs);
        let again = pairs::parse(&text, "kind");
        let odd = pairs.iter().any(|(_, value)| value.contains('"') && value.contains('\''));
        if !odd {
            prop_assert_eq!(again, Ok(pairs));
        }
    }
}
