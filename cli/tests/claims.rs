//! `jewel claims`: published values, solved anew.

use crate::common::{error, file, ok, run};
use serde_json::Value;

#[test]
fn the_quick_claims_hold() {
    let text = ok(&["claims", "--quick", "--json"]);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() > 40, "{text}");
    for line in &lines {
        assert_eq!(line["confirmed"], true, "{line}");
        assert!(line["claim"].is_string() && line["found"].is_string() && line["seconds"].is_number());
    }
    let of = |subject: &str| lines.iter().find(|line| line["subject"] == subject).unwrap();
    assert_eq!(of("chess KRvK")["found"], "longest win 31 plies");
    assert!(of("chess KRvK")["source"].as_str().unwrap().contains("Nalimov"));
    assert!(of("duel 3x5")["source"].is_null());
}

#[test]
fn a_refuted_claim_says_what_is_true_and_answers_no() {
    let text = "[rules]\n\n[[subject]]\nname = \"wrong\"\ngame = \"duel\"\nsource = \"nobody\"\nseconds = 0.01\n\n\
        [[subject.claim]]\ntext = \"Red wins\"\nresult = \"w\"\n\n\
        [[subject.claim]]\ntext = \"it is small\"\npositions = 162\n\n\
        [[subject.claim]]\ntext = \"nothing\"\n";
    let wrong = file("claims-wrong.toml", text);
    let said = run(&["claims", "--file", &wrong]);
    assert_eq!((said.code, said.stderr.as_str()), (1, ""));
    assert_eq!(
        said.stdout,
        "wrong\n  nobody\n  REFUTED    Red wins\n             found: a draw\n  confirmed  it is small\n             \
         found: 162 positions\n  REFUTED    nothing\n             found: the claim says nothing that could be checked\n\
         1 of 3 claims confirmed\n"
    );
    assert_eq!(run(&["claims", "--file", &wrong, "--json"]).stdout.lines().count(), 3);
}

#[test]
fn classes_are_counted_by_their_number_of_pieces() {
    let check = |about: &str| {
        let text = format!(
            "[rules]\n\n[[subject]]\nname = \"duel\"\ngame = \"duel\"\n{about}\nseconds = 0.1\n\n\
             [[subject.claim]]\ntext = \"it has some\"\npositions = 1\nlongest = 2\n"
        );
        run(&["claims", "--file", &file("claims-pieces.toml", &text), "--json"])
    };
    let found = |about: &str| {
        let line: Value = serde_json::from_str(&check(about).stdout).unwrap();
        line["found"].as_str().unwrap().to_string()
    };
    // Of 72 placements of two pieces on nine squares each of the four reflections keeps six: (72 + 4 * 6) / 8.
    let pieces = found("pieces = 2");
    assert_eq!(pieces, "12 positions");
    assert_eq!(found("class = \"LvL\""), pieces);
    let none = check("pieces = 3");
    assert_eq!((none.code, none.stderr.as_str()), (2, "error: duel: no class has 3 pieces\n"));
}

#[test]
fn what_cannot_be_checked_is_an_error() {
    assert_eq!(
        error(&["claims", "no-such-game"]),
        "no subject has \"no-such-game\" in its name: jewel claims --all checks all of them"
    );
    assert!(error(&["claims", "--file", "no-such-file"]).starts_with("no-such-file: "));
    assert!(error(&["claims", "--quick", "duel"]).contains("--quick"));
    let none = file("claims-none.toml", "[rules]\n\n[[subject]]\nname = \"x\"\n");
    assert!(error(&["claims", "--file", &none]).contains("claims-none.toml: line 3: missing field"));
    let large = error(&["claims", "breakthrough 3x6", "--memory", "1M"]);
    assert!(large.starts_with("breakthrough 3x6: the next step needs "), "{large}");
}
