//! `jewel variant`: sections of a `variants.ini` to variant files and back.

use crate::common::{error, file, json, ok, place, run};
use std::fs;

const INI: &str = "\
[pawns]
maxRank = 3
maxFile = 3
customPiece1 = p:mfWcfF
startFen = ppp/3/PPP w
flagPiece = p
flagRegionWhite = *3
flagRegionBlack = *1
stalemateValue = loss

[rows:pawns]
connectN = 3
passOnStalemate = true

[loop:chess]
countingRule = makruk
";

#[test]
fn a_section_becomes_a_game_that_is_solved() {
    let (ini, toml) = (file("variant-a.ini", INI), place("variant-a.toml"));
    assert_eq!(ok(&["variant", "import", &ini, "pawns", "-o", &toml]), format!("wrote {toml}\n"));
    assert_eq!(fs::read_to_string(&toml).unwrap(), ok(&["variant", "import", &ini, "pawns"]));
    let solved = json(&["solve", "--variant", &toml, "--json"]);
    assert_eq!((solved["value"].as_str(), solved["distance"].as_u64()), (Some("loss"), Some(6)));
    let object = json(&["variant", "import", &ini, "pawns", "--json"]);
    assert_eq!((object["game"].as_str(), object["imports"].as_bool()), (Some("pawns"), Some(true)));
    assert!(object["text"].as_str().unwrap().contains("objective = \"reach\""));
}

#[test]
fn a_section_that_would_lose_a_rule_is_refused() {
    let ini = file("variant-b.ini", INI);
    let refused = error(&["variant", "import", &ini, "rows"]);
    let expected = "[rows] cannot be imported: line 12, connectN = 3: pieces in a row win nothing here (and 1 more); \
                    --explain names all";
    assert!(refused.ends_with(expected), "{refused}");
    assert_eq!(error(&["variant", "import", &ini, "rows", "--json"]), refused);
    let told = run(&["variant", "import", &ini, "rows", "--explain"]);
    assert_eq!(told.code, 1);
    assert_eq!(
        told.stdout,
        "[rows] cannot be imported:\n  line 12, connectN = 3: pieces in a row win nothing here\n  \
         line 13, passOnStalemate = true: a side that cannot move ends the game here\n"
    );
    let text = ok(&["variant", "import", &ini, "loop", "--accept", "countingRule"]);
    assert!(
        text.contains(
            "# Not expressed: line 16, countingRule = makruk: moves are not counted by material here.\n"
        ),
        "{text}"
    );
}

#[test]
fn a_file_of_several_sections_is_listed() {
    let ini = file("variant-c.ini", INI);
    let list = ok(&["variant", "import", &ini]);
    assert!(list.lines().any(|line| line.starts_with("pawns") && line.ends_with("yes")), "{list}");
    assert!(list.contains("no: connectN, passOnStalemate\n"), "{list}");
    assert!(list.ends_with("\n1 of 3 sections can be imported.\n"), "{list}");
    let lines = ok(&["variant", "import", &ini, "--json"]);
    assert_eq!(lines.lines().count(), 3);
    assert!(
        error(&["variant", "import", &ini, "-o", &place("variant-c.toml")])
            .contains("3 sections: name the one")
    );
}

#[test]
fn what_is_exported_can_be_imported() {
    let section = ok(&["variant", "export", "diamond-quest"]);
    assert!(section.contains("\n[diamond-quest]\nmaxRank = 7\nmaxFile = 7\n"), "{section}");
    let ini = file("variant-d.ini", &section);
    assert!(ok(&["variant", "import", &ini]).contains("id = \"diamond-quest\""));
    let object = json(&["variant", "export", "duel", "--json"]);
    assert_eq!(object["losses"].as_array().unwrap().len(), 3);
}

#[test]
fn bad_input_is_one_line() {
    let ini = file("variant-e.ini", INI);
    assert!(error(&["variant", "import", "/nowhere/x.ini"]).starts_with("/nowhere/x.ini: "));
    assert!(
        error(&["variant", "import", &ini, "pawn"])
            .ends_with("no section [pawn] in the file (did you mean \"pawns\"?)")
    );
    let broken = file("variant-f.ini", "[a]\nmaxRank\n");
    assert!(
        error(&["variant", "import", &broken])
            .ends_with("line 2: expected \"[name]\" or \"key = value\", found \"maxRank\"")
    );
    assert_eq!(
        error(&["variant", "export", "kings-mate"]),
        "kings-mate: its rules are no variant file, and nothing else can be exported"
    );
    assert!(error(&["variant", "export", "dul"]).contains("did you mean \"duel\"?"));
}
