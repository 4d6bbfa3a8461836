//! Writes what the network for every game is to know of the pieces of a variant, for `tools/general-net/train.py`.
//!
//! `cargo run --release -p jewel-search --features drivers --example describe_pieces -- VARIANT.toml... > variants.jsonl`
//!
//! A line for each variant file, in JSON: its name, board, number of types, the fingerprint of the rules, and by type and square the
//! facts of White's pieces and the numbers of their additional rows. Where a symmetry exchanges the sides, also the squares where
//! Black's pieces stand as Black sees the board; elsewhere the same of Black's pieces.

use jewel_engine::value::Side;
use jewel_engine::variant::Rules;
use jewel_search::evaluate::general_net;
use std::process::ExitCode;

fn line(file: &str) -> Result<String, String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let rules = Rules::parse(&text).map_err(|e| e.to_string())?;
    let facts = |owner| general_net::facts(&rules, owner);
    let mut line = serde_json::json!({
        "file": file,
        "area": rules.geometry.area(),
        "kinds": rules.type_count(),
        "fingerprint": rules.fingerprint,
        "facts": facts(Side::White),
        "usual": general_net::usual_rows(&rules, Side::White),
    });
    if let Some(&(symmetry, _)) = rules.symmetries().iter().find(|(_, exchange)| *exchange) {
        let seen = |square| symmetry.square(rules.geometry, square).index();
        line["seen"] = rules.geometry.squares().map(seen).collect();
    } else {
        line["facts_of_black"] = serde_json::json!(facts(Side::Black));
        line["usual_of_black"] = serde_json::json!(general_net::usual_rows(&rules, Side::Black));
    }
    Ok(line.to_string())
}

fn main() -> ExitCode {
    for file in std::env::args().skip(1) {
        match line(&file) {
            Ok(line) => println!("{line}"),
            Err(problem) => {
                eprintln!("error: {file}: {problem}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
