//! Words in messages.

use jewel_players::support::words::{any_of, suggestions};

#[test]
fn lists_read_like_a_sentence() {
    let words = |list: &[&str]| any_of(&list.iter().map(|w| w.to_string()).collect::<Vec<_>>());
    assert_eq!(words(&["a"]), "a");
    assert_eq!(words(&["a", "b", "c"]), "a, b or c");
}

#[test]
fn what_was_begun_is_completed_and_slips_are_mended() {
    let legal: Vec<String> = ["c1a1", "c1b1", "c1c2", "a3a1"].map(str::to_string).to_vec();
    assert_eq!(suggestions("c1", &legal), ["c1a1", "c1b1", "c1c2"]);
    assert_eq!(suggestions("c1b2", &legal), ["c1b1", "c1c2"]);
    assert_eq!(suggestions("a3a", &legal), ["a3a1"]);
    assert!(suggestions("hello there", &legal).is_empty());
}
