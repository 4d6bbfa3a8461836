//! Text for a terminal of 80 columns.

use jewel_players::support::layout::{WIDTH, columns, folded, numbers, table_or_list};
use proptest::prelude::*;

fn rows<const N: usize>(rows: &[[&str; N]]) -> Vec<[String; N]> {
    rows.iter().map(|row| row.map(str::to_string)).collect()
}

#[test]
fn numbers_stand_below_each_other() {
    assert_eq!(numbers(&rows(&[["ab", "1", "20"], ["c", "300", ""]])), "ab    1  20\nc   300\n");
}

#[test]
fn the_last_column_is_broken_into_lines() {
    let text = columns(&rows(&[["line", &"c1b1 ".repeat(30)], ["end", "draw"]]));
    let expected =
        format!("line  {}\n      {}\nend   draw\n", ["c1b1"; 15].join(" "), ["c1b1"; 15].join(" "));
    assert_eq!(text, expected);
}

#[test]
fn a_position_string_is_kept_whole() {
    let fen = "r1bkbr1/pppppp1/n5p/1P5/P1N1P2/R1P2PP/1nBKB1R b - - 3 8";
    let text = folded(&format!("20 plies, the longest of all wins there are, from {fen} onwards"), 13);
    assert!(text.contains(fen), "{text}");
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn a_wide_table_becomes_a_list() {
    let wide = "x".repeat(70);
    let narrow = rows(&[["", "kept"], ["ab", "1"]]);
    assert_eq!(table_or_list(&narrow, |n| n == 0), "    kept\nab     1\n");
    let list = table_or_list(&rows(&[["", "kept", "time of a move"], ["ab", &wide, "1"]]), |n| n == 0);
    assert_eq!(list, format!("ab\n  kept            {wide}\n  time of a move  1\n"));
}

proptest! {
    #[test]
    fn folding_loses_no_word(text in "[a-c/ ]{0,300}", indent in 0usize..40) {
        let fold = folded(&text, indent);
        let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
        prop_assert_eq!(words(&fold), words(&text));
    }

    #[test]
    fn lines_of_short_words_fit(words in proptest::collection::vec("[a-z]{1,20}", 0..60), indent in 0usize..40) {
        let fold = format!("{}{}", " ".repeat(indent), folded(&words.join(" "), indent));
        prop_assert!(fold.lines().all(|line| line.chars().count() <= WIDTH), "{}", fold);
    }
}
