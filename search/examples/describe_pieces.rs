//! Writes what the network for every game is to know of the pieces of a variant, for `tools/general-net/train.py`.
//!
//! `cargo run --release -p jewel-search --features drivers --example describe_pieces -- VARIANT.toml... > variants.jsonl`
//!
//! A line for each variant file, in JSON: its name, board, number of types, the fingerprint of the rules, where Black's pieces
//! stand as Black sees the board, and the facts of White's pieces by type and square. Variants whose sides are unlike are left out.

use jewel_engine::variant::Rules;
use jewel_search::evaluate::general_net;
use std::process::ExitCode;

fn line(file: &str) -> Result<Option<String>, String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let rules = Rules::parse(&text).map_err(|e| e.to_string())?;
    let Some(&(symmetry, _)) = rules.symmetries().iter().find(|(_, exchange)| *exchange) else {
        return Ok(None);
    };
    let seen = rules.geometry.squares().map(|square| symmetry.square(rules.geometry, square).index());
    let facts = general_net::facts(&rules).ok_or("its start position cannot be set up")?;
    let line = serde_json::json!({
        "file": file,
        "area": rules.geometry.area(),
        "kinds": rules.type_count(),
        "fingerprint": rules.fingerprint,
        "seen": seen.collect::<Vec<_>>(),
        "facts": facts,
    });
    Ok(Some(line.to_string()))
}

fn main() -> ExitCode {
    for file in std::env::args().skip(1) {
        match line(&file) {
            Ok(Some(line)) => println!("{line}"),
            Ok(None) => eprintln!("{file}: left out, since its sides are unlike"),
            Err(problem) => {
                eprintln!("error: {file}: {problem}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
