//! The signature of behaviour: node counts, principal variations, table bytes, records and the JSON of every command.
//!
//! `tests/data/signature.txt` is a list of commands with their output. A change that is not meant to change behaviour
//! leaves it alone; one that is says in its commit why the file changes.
//! `JEWEL_BLESS=1 cargo test -p jewel-cli signature::` writes the output anew.

use crate::common::{folder_with_examples, program, words};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/signature.txt");

/// JSON keys whose values depend on the machine and not the program.
const TIMES: [&str; 4] = ["seconds", "nodes_per_second", "cells_per_second", "peak_memory"];

fn without_times(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|key, _| !TIMES.contains(&key.as_str()));
            object.values_mut().for_each(without_times);
        }
        Value::Array(list) => list.iter_mut().for_each(without_times),
        _ => {}
    }
}

/// A line of output as the signature keeps it: JSON without times, and keys in alphabetical order.
fn kept(line: &str) -> String {
    match serde_json::from_str::<Value>(line) {
        Ok(mut value @ Value::Object(_)) => {
            without_times(&mut value);
            value.to_string()
        }
        _ => line.to_string(),
    }
}

/// The SHA-256 of each file of a folder, in order of their names.
fn checksums(folder: &Path, prefix: &str) -> Vec<String> {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    let line = |entry: fs::DirEntry| {
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            return checksums(&entry.path(), &format!("{name}/"));
        }
        let digest = Sha256::digest(fs::read(entry.path()).unwrap());
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        vec![format!("{hex}  {name}")]
    };
    entries.into_iter().flat_map(line).collect()
}

/// What a command line gives in a folder.
fn output(line: &str, folder: &Path) -> Vec<String> {
    let words = words(line);
    let text = match words[0].as_str() {
        "cat" => fs::read_to_string(folder.join(&words[1])).unwrap(),
        "sha256" => return checksums(&folder.join(&words[1]), ""),
        "jewel" => {
            let output = program().args(&words[1..]).current_dir(folder).output().expect("it starts");
            assert!(output.stderr.is_empty(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).expect("UTF-8")
        }
        other => panic!("{other}: not a command of the signature"),
    };
    text.lines().map(kept).collect()
}

#[test]
fn behaviour_is_as_it_was() {
    let folder = folder_with_examples("signature");
    let before = fs::read_to_string(FILE).unwrap();
    let kept = before.lines().filter(|line| line.starts_with("$ ") || line.starts_with("# "));
    let mut fresh = Vec::new();
    for line in kept {
        fresh.push(line.to_string());
        if let Some(command) = line.strip_prefix("$ ") {
            fresh.extend(output(command, &folder));
        }
    }
    if std::env::var_os("JEWEL_BLESS").is_some() {
        fs::write(FILE, fresh.join("\n") + "\n").unwrap();
        return;
    }
    let mut command = "";
    for (n, (was, is)) in before.lines().zip(&fresh).enumerate() {
        if was.starts_with("$ ") {
            command = was;
        }
        assert_eq!(was, is, "line {} of signature.txt, {command}", n + 1);
    }
    assert_eq!(before.lines().count(), fresh.len(), "after {command}");
}
