//! The perft suites of `data/perft`: every row whose origin is a program or a publication that shares no
//! code with this one.

use crate::common::{compile, count, embedded, look};
use jewel_engine::games;
use jewel_engine::variant::Rules;
use serde_json::Value;
use std::collections::BTreeMap;

/// A depth with more nodes is left to `jewel perft`.
const LIMIT: u64 = 60_000_000;

/// A line of a suite.
struct Row {
    game: String,
    fen: String,
    counts: BTreeMap<u32, u64>,
    /// What a peer counts whose sliders pass an empty key square.
    unblocked: BTreeMap<u32, u64>,
    line: Option<String>,
}

fn suite(text: &str) -> Vec<Row> {
    let file: Value = serde_json::from_str(text).unwrap();
    let counts = |value: &Value| -> BTreeMap<u32, u64> {
        let map = value.as_object().into_iter().flatten();
        map.map(|(depth, nodes)| (depth.parse().unwrap(), nodes.as_u64().unwrap())).collect()
    };
    let rows = file["rows"].as_array().unwrap().iter().map(|row| {
        assert!(row["origin"].as_str().is_some_and(|o| !o.is_empty()), "every row names its origin");
        Row {
            game: row["game"].as_str().unwrap().into(),
            fen: row["fen"].as_str().unwrap().into(),
            counts: counts(&row["perft"]),
            unblocked: counts(&row["perft_without_blocking_key"]),
            line: row["moves_from_start"]
                .as_array()
                .map(|moves| moves.iter().map(|m| m.as_str().unwrap()).collect::<Vec<_>>().join(" ")),
        }
    });
    rows.collect()
}

/// Counts to the limit and returns the depths beyond it, as `game depth`.
fn check(rules: &Rules, row: &Row, counts: &BTreeMap<u32, u64>, note: &str) -> Vec<String> {
    let mut left = Vec::new();
    let mut covered = 0;
    for (&depth, &nodes) in counts {
        if nodes > LIMIT {
            left.push(format!("{} {depth}{note}", row.game));
            continue;
        }
        assert_eq!(count(rules, &row.fen, depth), nodes, "{} \"{}\" depth {depth}{note}", row.game, row.fen);
        covered = depth;
    }
    println!("{} \"{}\" to depth {covered}{note}, {} deeper left out", row.game, row.fen, left.len());
    left
}

fn without_blocking(id: &str) -> Rules {
    let text = games::find(id).unwrap().text;
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("blocking")).collect();
    assert_eq!(kept.len() + 1, text.lines().count());
    compile(&kept.join("\n"))
}

#[test]
fn the_seven_games_count_as_other_programs_count() {
    let rows = suite(include_str!("data/perft/jewel.json"));
    assert_eq!(rows.len(), 39);
    // Chess has suites of its own.
    for game in games::GAMES.iter().filter(|game| game.id != "chess") {
        assert!(rows.iter().any(|r| r.game == game.id), "{} has rows", game.id);
    }
    let left: Vec<String> =
        rows.iter().flat_map(|row| check(embedded(&row.game), row, &row.counts, "")).collect();
    assert_eq!(
        left,
        ["duel 16", "duel 17", "ambush 8", "diamond-quest 7", "diamond-quest 8", "diamond-chess 7"]
    );
}

/// The peer's DiamondQi differs in one rule: sliders pass an empty key square. Without the rule we agree
/// with it, and with the rule not, so that these counts pin it.
#[test]
fn the_peer_differs_by_the_blocking_key_alone() {
    let free = without_blocking("diamond-qi");
    let mut left = Vec::new();
    let mut differing = 0;
    for row in suite(include_str!("data/perft/jewel.json")).iter().filter(|r| !r.unblocked.is_empty()) {
        left.extend(check(&free, row, &row.unblocked, " without blocking"));
        let differs = |(depth, nodes): (&u32, &u64)| row.counts.get(depth).is_some_and(|n| n != nodes);
        differing += usize::from(row.unblocked.iter().any(differs));
    }
    assert_eq!(differing, 4);
    assert_eq!(left, ["diamond-qi 7 without blocking", "diamond-qi 8 without blocking"]);
}

/// The random positions were reached by play: the moves must lead to them, counters and all. Those of
/// DiamondQi were played by the peer's rule, and one of them needs it: a Noble passes the empty key.
#[test]
fn recorded_lines_lead_to_their_positions() {
    let free = without_blocking("diamond-qi");
    let (mut lines, mut against_our_rule) = (0, Vec::new());
    for row in suite(include_str!("data/perft/jewel.json")) {
        let Some(line) = &row.line else { continue };
        let rules = if row.unblocked.is_empty() { embedded(&row.game) } else { &free };
        if let Err(problem) = look(embedded(&row.game), &rules.start, line) {
            against_our_rule.push(problem);
        }
        let reached = look(rules, &rules.start, line).unwrap();
        let recorded = look(rules, &row.fen, "").unwrap();
        assert_eq!(reached, recorded);
        lines += 1;
    }
    assert_eq!(lines, 12);
    assert_eq!(against_our_rule, ["the Noble on e5 cannot go to c3; it can go to g3 d4 f4 d6 c7"]);
}

#[test]
fn orthodox_chess_counts_as_published() {
    let rules = embedded("chess");
    for row in suite(include_str!("data/perft/chess.json")) {
        assert_eq!(check(rules, &row, &row.counts, ""), Vec::<String>::new());
    }
}

/// One position of each of the 960 start positions: all to depth 3, and every 24th one deeper. `jewel perft --suite`
/// counts the rest.
#[test]
fn chess960_counts_as_published() {
    let rules = embedded("chess");
    let rows = suite(include_str!("data/perft/chess960.json"));
    assert_eq!(rows.len(), 960);
    for (n, row) in rows.iter().enumerate() {
        let most = if n % 24 == 0 { 4 } else { 3 };
        for (&depth, &nodes) in row.counts.range(..=most) {
            assert_eq!(count(rules, &row.fen, depth), nodes, "\"{}\" depth {depth}", row.fen);
        }
    }
}

/// Small random games whose counts come from Fairy-Stockfish's move generator: the suite holds each game in
/// both spellings, ours and the peer's.
#[test]
fn random_games_count_as_the_peer_counts() {
    let file: Value = serde_json::from_str(include_str!("data/perft/peer.json")).unwrap();
    let games = file["games"].as_array().unwrap();
    assert_eq!(games.len(), 12);
    for game in games {
        let rules = compile(game["variant"].as_str().unwrap());
        assert!(game["origin"].as_str().is_some_and(|o| o.contains("pyffish")));
        for row in game["rows"].as_array().unwrap() {
            let fen = row["fen"].as_str().unwrap();
            for (depth, nodes) in row["perft"].as_object().unwrap() {
                let ours = count(&rules, fen, depth.parse().unwrap());
                assert_eq!(Some(ours), nodes.as_u64(), "{} \"{fen}\" depth {depth}", rules.name);
            }
        }
    }
}
