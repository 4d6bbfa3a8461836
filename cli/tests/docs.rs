//! The outputs in README and docs are those of the program.
//!
//! `JEWEL_BLESS=1 cargo test -p jewel-cli --test docs` pastes them anew.

mod common;

use common::{place, program};
use std::fs;
use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The pages with pasted output, and the least number of commands that each has.
const PAGES: [(&str, usize); 4] =
    [("README.md", 7), ("docs/cli.md", 10), ("docs/solver.md", 1), ("docs/tournaments.md", 1)];

/// The words of a command line; double quotes hold words together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (n, part) in line.split('"').enumerate() {
        if n % 2 == 1 {
            words.push(part.to_string());
        } else {
            words.extend(part.split_whitespace().map(str::to_string));
        }
    }
    words
}

/// An empty folder for the commands of a page, with the examples: what they build is in nobody's way.
fn workplace(page: &str) -> String {
    let path = place(&format!("docs-{}", page.replace('/', "-")));
    let _ = fs::remove_dir_all(&path);
    let variants = Path::new(&path).join("examples/variants");
    fs::create_dir_all(&variants).unwrap();
    for entry in fs::read_dir(format!("{ROOT}/examples/variants")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), variants.join(entry.file_name())).unwrap();
    }
    path
}

/// What a command line of the page prints in a folder, errors included.
fn output(line: &str, folder: &str) -> String {
    let words = words(line);
    assert_eq!(words[0], "jewel", "{line}");
    let output = program().args(&words[1..]).current_dir(folder).output().expect("it starts");
    String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8")
}

/// Times differ from run to run: of their lines only the first word counts.
fn steady(text: &str) -> Vec<String> {
    let line = |line: &str| match line.split_once(' ') {
        Some((word @ ("seconds" | "speed"), _)) => word.to_string(),
        _ => line.to_string(),
    };
    text.lines().map(line).collect()
}

#[test]
fn the_pages_show_what_the_program_prints() {
    for (name, least) in PAGES {
        let path = format!("{ROOT}/{name}");
        let page = fs::read_to_string(&path).unwrap();
        let (fresh, commands) = pasted_anew(&page, &workplace(name));
        assert!(commands >= least, "{name}: {commands} commands");
        if std::env::var_os("JEWEL_BLESS").is_some() {
            fs::write(&path, fresh).unwrap();
        } else {
            assert_eq!(steady(&page), steady(&fresh), "{name}");
        }
    }
}

/// The page with the outputs of its commands, and how many there are.
fn pasted_anew(page: &str, folder: &str) -> (String, usize) {
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
