//! Characters that are no letters.

/// Whether a character does something to the text around it where it is shown: a control character, a mark that turns
/// the direction of what follows, a separator of lines or paragraphs, or a mark without width. Names from files and
/// programs are shown without them.
///
/// ```
/// use jewel_engine::text::is_disruptive;
/// assert!("\n\u{1b}\u{202e}\u{2066}\u{2028}\u{feff}".chars().all(is_disruptive));
/// assert!(!"Prinzeß Ω 王 ½ ".chars().any(is_disruptive));
/// ```
pub const fn is_disruptive(c: char) -> bool {
    is_control(c) || is_direction_mark(c)
}

const fn is_control(c: char) -> bool {
    matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}')
}

/// Those of them that are no control characters: U+061C, U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F and
/// U+FEFF.
pub const fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
