//! Words in messages.

use jewel_players::words::any_of;

#[test]
fn lists_read_like_a_sentence() {
    let words = |list: &[&str]| any_of(&list.iter().map(|w| w.to_string()).collect::<Vec<_>>());
    assert_eq!(words(&["a"]), "a");
    assert_eq!(words(&["a", "b", "c"]), "a, b or c");
}
