//! Words in messages: short forms, lists, suggestions, escapes.

use jewel_engine::games::edit_distance;
use jewel_engine::text::is_disruptive;

/// What the system says, without its number.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}

/// What was typed, short enough for an error line.
pub fn shortened(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    if short.len() < text.len() { short + "…" } else { short }
}

/// `a`, `a or b`, `a, b or c`.
pub fn any_of(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// Most words that are suggested.
const MAX: usize = 12;

/// Changes of a letter that a slip may have.
const SLIP: usize = 2;

/// The legal moves that may have been meant: those that begin as typed, or else those that are nearest.
pub fn suggestions(typed: &str, legal: &[String]) -> Vec<String> {
    let begun: Vec<String> = legal.iter().filter(|mv| mv.starts_with(typed)).cloned().collect();
    if !begun.is_empty() {
        return begun;
    }
    let mut near: Vec<(usize, &String)> =
        legal.iter().map(|mv| (edit_distance(typed, mv), mv)).filter(|(n, _)| *n <= SLIP).collect();
    near.sort();
    let best = near.first().map_or(0, |(n, _)| *n);
    near.into_iter().take_while(|(n, _)| *n == best).map(|(_, mv)| mv.clone()).take(MAX).collect()
}

/// Text as XML and HTML have it; characters that XML cannot hold become U+FFFD, and lines one line.
///
/// ```
/// use jewel_players::support::words::escaped;
/// assert_eq!(escaped("<a & \"b\">\n\u{1}"), "&lt;a &amp; &quot;b&quot;&gt; \u{fffd}");
/// ```
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if is_disruptive(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
