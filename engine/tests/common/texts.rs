//! What tests with any text have in common.

/// A text with some bytes removed, replaced or put in; those that come in are of an alphabet.
pub(crate) fn edited(text: &str, alphabet: &[u8], edits: &[(usize, u8)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for &(place, byte) in edits {
        let (at, new) = (place % (bytes.len() + 1), alphabet[byte as usize % alphabet.len()]);
        match byte % 3 {
            0 if at < bytes.len() => drop(bytes.remove(at)),
            1 if at < bytes.len() => bytes[at] = new,
            _ => bytes.insert(at, new),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What every error must be: a line, neither empty nor endless, that shows control characters and does not obey them.
pub(crate) fn decent(error: &dyn std::fmt::Display, input: &str) {
    let text = error.to_string();
    assert!(!text.trim().is_empty(), "an empty error for {input:?}");
    assert!(!text.contains(char::is_control), "control characters for {input:?}: {text:?}");
    assert!(text.chars().count() < 400, "an endless error for {input:?}: {text}");
}
