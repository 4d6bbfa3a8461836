//! The form of a `variants.ini`: sections, each with lines `key = value`. What the keys mean is not known here.

use crate::geometry::shorten;

/// One line `key = value`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry<'t> {
    pub(super) key: &'t str,
    pub(super) value: &'t str,
    /// The line, from 1.
    pub(super) line: usize,
}

/// One `[name]` or `[name:parent]` with its lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Section<'t> {
    pub(super) name: &'t str,
    pub(super) parent: Option<&'t str>,
    pub(super) line: usize,
    pub(super) entries: Vec<Entry<'t>>,
}

/// Most keys of a section; the largest that is known has a few dozen.
const MAX_KEYS: usize = 1000;

/// Most sections of a file; the largest that is known has two hundred.
const MAX_SECTIONS: usize = 5000;

/// Reads the sections of a file. Lines that begin with `#` or `;` are comments; within a line there are none.
///
/// # Errors
/// The number of the first line that is neither, and what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Vec<Section<'_>>, (usize, String)> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let (line, number) = (line.trim(), number + 1);
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(header) = line.strip_prefix('[') {
            if sections.len() >= MAX_SECTIONS {
                return Err((number, format!("a file has at most {MAX_SECTIONS} sections")));
            }
            sections.push(header_of(header, number)?);
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            let found = shorten(line);
            return Err((number, format!("expected \"[name]\" or \"key = value\", found \"{found}\"")));
        };
        if sections.last().is_some_and(|section| section.entries.len() >= MAX_KEYS) {
            return Err((number, format!("a section has at most {MAX_KEYS} keys")));
        }
        let Some(section) = sections.last_mut() else {
            return Err((number, format!("the key \"{}\" stands before any [section]", shorten(key.trim()))));
        };
        let entry = Entry { key: key.trim(), value: value.trim(), line: number };
        if entry.key.is_empty() {
            return Err((number, "a value without a key before the \"=\"".into()));
        }
        section.entries.push(entry);
    }
    Ok(sections)
}

/// The section that a header begins; `text` is what follows the opening bracket.
fn header_of(text: &str, line: usize) -> Result<Section<'_>, (usize, String)> {
    let Some((inside, _)) = text.split_once(']') else {
        return Err((line, format!("the section header \"[{}\" lacks its \"]\"", shorten(text))));
    };
    let (name, parent) = match inside.split_once(':') {
        Some((name, parent)) => (name.trim(), Some(parent.trim())),
        None => (inside.trim(), None),
    };
    if name.is_empty() || parent == Some("") {
        let found = shorten(inside);
        return Err((line, format!("expected [name] or [name:parent], found \"[{found}]\"")));
    }
    Ok(Section { name, parent, line, entries: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_keys_and_comments() {
        let text = "\u{feff}# one\r\n; two\r\n[a:chess]\r\n maxRank=6 \r\nstartFen = 3/3 w # kept\n[b]\n";
        let sections = parse(text).unwrap();
        assert_eq!(sections.len(), 2);
        assert_eq!((sections[0].name, sections[0].parent, sections[0].line), ("a", Some("chess"), 3));
        assert_eq!(sections[0].entries[0], Entry { key: "maxRank", value: "6", line: 4 });
        assert_eq!(sections[0].entries[1].value, "3/3 w # kept");
        assert_eq!((sections[1].name, sections[1].parent), ("b", None));
    }

    #[test]
    fn what_is_neither_is_named_with_its_line() {
        for (text, line) in
            [("[a]\n\nx", 3), ("k = v", 1), ("[a", 1), ("[]", 1), ("[a:]", 1), ("[:b]", 1), ("[a]\n= 3", 2)]
        {
            assert_eq!(parse(text).unwrap_err().0, line, "{text}");
        }
    }
}
