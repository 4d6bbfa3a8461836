//! The outputs in README and docs are those of the program.
//!
//! `JEWEL_BLESS=1 cargo test -p jewel-cli docs::` pastes them anew.

use crate::common::{folder_with_examples, program, words};
use std::fs;
use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The pages with pasted output, and the least number of commands that each has.
const PAGES: [(&str, usize); 5] = [
    ("README.md", 7),
    ("docs/cli.md", 10),
    ("docs/solver.md", 1),
    ("docs/tournaments.md", 1),
    ("docs/tutorial.md", 5),
];

/// What a command line of the page prints in a folder, errors included.
fn output(line: &str, folder: &Path) -> String {
    let words = words(line);
    assert_eq!(words[0], "jewel", "{line}");
    let output = program().args(&words[1..]).current_dir(folder).output().expect("it starts");
    String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8")
}

/// Times differ from run to run, and estimates of them from machine to machine: of their lines only the first word counts, and
/// of tables whose last column is a time all but that.
fn steady(text: &str) -> Vec<String> {
    let mut timed = false;
    let line = |line: &str| {
        timed = line.ends_with("  time") || timed && !line.is_empty();
        match (line.split_once(' '), line.rsplit_once("  ")) {
            (Some((word @ ("seconds" | "speed" | "time"), _)), _) => word.to_string(),
            (_, Some((rest, _))) if timed => rest.trim_end().to_string(),
            _ => line.to_string(),
        }
    };
    text.lines().map(line).collect()
}

#[test]
fn the_pages_show_what_the_program_prints() {
    for (name, least) in PAGES {
        let path = format!("{ROOT}/{name}");
        let page = fs::read_to_string(&path).unwrap();
        let (fresh, commands) =
            pasted_anew(&page, &folder_with_examples(&format!("docs-{}", name.replace('/', "-"))));
        assert!(commands >= least, "{name}: {commands} commands");
        if std::env::var_os("JEWEL_BLESS").is_some() {
            fs::write(&path, fresh).unwrap();
        } else {
            assert_eq!(steady(&page), steady(&fresh), "{name}");
        }
    }
}

/// The crates whose tests are compiled together.
const TESTED: [&str; 7] = ["cli", "cli/players", "cli/tournament", "engine", "search", "solver", "tables"];

/// A file of tests that nobody names would not be compiled.
#[test]
fn every_file_of_tests_is_compiled() {
    for krate in TESTED {
        let all = fs::read_to_string(format!("{ROOT}/{krate}/tests/all.rs")).unwrap();
        let manifest = fs::read_to_string(format!("{ROOT}/{krate}/Cargo.toml")).unwrap();
        let mut files = 0;
        for entry in fs::read_dir(format!("{ROOT}/{krate}/tests")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            if path.extension().is_some_and(|it| it == "rs")
                || ["mod.rs", "main.rs"].iter().any(|file| path.join(file).exists())
            {
                let known = all.contains(&format!("\nmod {name};\n"));
                assert!(
                    known || manifest.contains(&format!("path = \"tests/{name}.rs\"")),
                    "{}",
                    path.display()
                );
                files += 1;
            }
        }
        assert!(files > 2, "{krate}");
    }
}

/// The page with the outputs of its commands, and how many there are.
fn pasted_anew(page: &str, folder: &Path) -> (String, usize) {
    let mut fresh = String::new();
    let mut commands = 0;
    let mut inside = false;
    for line in page.lines() {
        inside = if inside { line != "```" } else { line == "```console" };
        if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            fresh.push_str(&format!("{line}\n{}", output(command, folder)));
            commands += 1;
        } else if !inside || line == "```console" {
            fresh.push_str(&format!("{line}\n"));
        }
    }
    (fresh, commands)
}

/// The pages of the documentation: README, the changelog and everything under `docs/`.
fn pages() -> Vec<String> {
    let names = |folder: &str| -> Vec<String> {
        let entries = fs::read_dir(format!("{ROOT}/{folder}")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".md")).map(|name| format!("{folder}/{name}")).collect()
    };
    [vec!["README.md".to_string(), "CHANGELOG.md".to_string()], names("docs"), names("docs/results")].concat()
}

/// The text of a page outside its code blocks.
fn prose(page: &str) -> String {
    let text = fs::read_to_string(format!("{ROOT}/{page}")).unwrap();
    let blocks = text.split("\n```").enumerate();
    blocks.filter(|(n, _)| n % 2 == 0).map(|(_, text)| text).collect::<Vec<_>>().join("\n")
}

/// The targets of a page's links to other files.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target).filter(|target| !target.contains("://")).collect()
}

/// What a heading is called in a link: its letters and digits in lower case, with hyphens for spaces.
fn anchor(heading: &str) -> String {
    let lower = heading.trim().to_lowercase();
    let kept = lower.chars().filter(|c| c.is_alphanumeric() || "- _".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut seen = 0;
    for page in pages() {
        let text = prose(&page);
        for link in links(&text) {
            let (file, wanted) = link.split_once('#').map_or((link, None), |(file, part)| (file, Some(part)));
            let folder = Path::new(&page).parent().unwrap();
            let target =
                if file.is_empty() { page.clone() } else { folder.join(file).to_str().unwrap().to_string() };
            assert!(Path::new(ROOT).join(&target).exists(), "{page}: {link}");
            if let Some(wanted) = wanted.filter(|_| target.ends_with(".md")) {
                let there = prose(&target);
                let mut headings = there.lines().filter_map(|line| line.strip_prefix('#'));
                assert!(
                    headings.any(|line| anchor(line.trim_start_matches('#')) == wanted),
                    "{page}: {link}"
                );
            }
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn the_book_lists_every_page() {
    let summary = prose("docs/SUMMARY.md");
    let listed = links(&summary);
    for page in pages() {
        let Some(name) = page.strip_prefix("docs/").filter(|name| *name != "SUMMARY.md") else { continue };
        assert!(listed.contains(&name), "docs/SUMMARY.md does not list {name}");
    }
}

#[test]
fn the_tutorial_shows_the_file_that_comes_with_it() {
    let page = fs::read_to_string(format!("{ROOT}/docs/tutorial.md")).unwrap();
    let file = fs::read_to_string(format!("{ROOT}/examples/variants/messengers.toml")).unwrap();
    let shown = page.split_once("```toml\n").and_then(|(_, rest)| rest.split_once("```")).unwrap().0;
    assert!(file.ends_with(shown), "{shown}");
}
