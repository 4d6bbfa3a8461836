//! Whole surveys of small games.

use jewel_players::catalogue::AnyGame;
use jewel_players::options::Algorithm;
use jewel_players::support::board::Style;
use jewel_tournament::designer::{Known, Survey, SurveyOptions, survey};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

fn wanted(games: u64, nodes: u64) -> SurveyOptions {
    SurveyOptions {
        games,
        nodes,
        rungs: 2,
        algorithm: Algorithm::Ab,
        plies: None,
        max_plies: 60,
        seed: 1,
        concurrency: Some(2),
        records: None,
    }
}

fn of(game: &str, wanted: &SurveyOptions) -> Survey {
    let game = AnyGame::resolve(game).unwrap();
    survey(game, Known::default(), wanted, &AtomicBool::new(false), &mut |_, _| {}).unwrap().unwrap()
}

#[test]
fn a_survey_is_the_same_however_many_games_are_played_at_once() {
    let wanted = wanted(12, 64);
    let two = of("ambush", &wanted);
    assert_eq!(two, of("ambush", &SurveyOptions { concurrency: Some(1), ..wanted.clone() }));
    let other = of("ambush", &SurveyOptions { seed: 2, ..wanted });
    assert_ne!(two.sampled, other.sampled);
    assert_eq!((two.sampled.games, two.first.as_str(), two.method.plies), (12, "Green", 4));
    assert_eq!(two.sampled.first.iter().sum::<u64>(), 12);
    let lengths: u64 = two.sampled.length.histogram.iter().map(|bar| bar.games).sum();
    assert_eq!(lengths, 12);
    let [step] = &two.ladder[..] else { panic!("{:?}", two.ladder) };
    assert_eq!((step.nodes, step.against, step.results.iter().sum::<u64>()), (64, 16, 12));
}

#[test]
fn the_ladder_ends_where_nodes_do() {
    let found = of("duel", &SurveyOptions { rungs: 9, ..wanted(2, 17) });
    let steps: Vec<_> = found.ladder.iter().map(|step| (step.nodes, step.against)).collect();
    assert_eq!(steps, [(4, 1), (17, 4)]);
    assert!(of("duel", &SurveyOptions { rungs: 1, ..wanted(2, 17) }).ladder.is_empty());
}

#[test]
fn more_thinking_wins_more_of_ambush() {
    let found = of("ambush", &SurveyOptions { rungs: 2, ..wanted(60, 400) });
    assert!(found.ladder[0].elo.value > 0.0, "{:?}", found.ladder);
}

#[test]
fn records_are_kept_and_taken_up_again() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("survey-records");
    let _ = fs::remove_dir_all(&folder);
    let wanted = SurveyOptions { records: Some(folder.clone()), ..wanted(20, 16) };
    let game = AnyGame::resolve("ambush").unwrap();
    let interrupt = AtomicBool::new(false);
    let stopped = survey(game, Known::default(), &wanted, &interrupt, &mut |done, all| {
        assert_eq!(all, 40);
        interrupt.store(done == 7, Ordering::Relaxed);
    });
    assert_eq!(stopped.unwrap(), None);
    let mut heard = Vec::new();
    let whole =
        survey(game, Known::default(), &wanted, &AtomicBool::new(false), &mut |done, _| heard.push(done))
            .unwrap()
            .unwrap();
    assert_eq!(heard, (8..=40).collect::<Vec<_>>(), "seven games are not played again");
    assert_eq!(whole, of("ambush", &SurveyOptions { records: None, ..wanted }));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "a file of each tournament");
}

/// The tags of a page must nest; returns how many there are.
fn tags(page: &str) -> usize {
    let mut open: Vec<&str> = Vec::new();
    let mut count = 0;
    for (n, part) in page.split('<').enumerate().skip(1) {
        let tag = &part[..part.find('>').unwrap_or_else(|| panic!("part {n}: {part}"))];
        if tag.starts_with('!') || tag.ends_with('/') {
            continue;
        }
        count += 1;
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{part}"),
            None => open.push(tag.split(' ').next().unwrap()),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    count
}

#[test]
fn the_page_is_whole_and_depends_on_nothing() {
    let mut found = of("ambush", &wanted(12, 64));
    found.name = "<b> & co".to_string();
    let page = found.html("jewel report \"<x>\"");
    assert!(tags(&page) > 100);
    assert_eq!(page.matches("<svg").count(), 10);
    assert!(
        page.contains("<h1>&lt;b&gt; &amp; co</h1>") && page.contains("jewel report &quot;&lt;x&gt;&quot;")
    );
    assert!(page.contains("prefers-color-scheme: dark"));
    for outside in ["http:", "https:", "src=", "href=", "@import", "url(", "<script", "NaN", "inf"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn people_and_scripts_get_every_part() {
    let found = of("duel", &wanted(10, 32));
    let text = found.text(Style { colours: false, unicode: false });
    for part in ["Exact\n", "not solved", "Self-play\n", "intervals", "branching", "Skill\n", "32     8"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!((json["game"].as_str(), json["fen"].as_str()), (Some("duel"), Some("l2/3/2L w - - 0 1")));
    for pointer in ["/sampled/length/mean/value", "/sampled/draw_rate/low", "/sampled/branching/mean/high"] {
        assert!(json.pointer(pointer).is_some_and(|value| value.is_f64()), "{pointer}");
    }
}
