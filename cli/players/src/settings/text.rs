//! Lists of `key=value` pairs, and command lines in a value.

/// One `key=value`.
pub type Pair = (String, String);

/// Why a text is not a list of pairs, or not a command line.
type Problem = String;

/// Reads `key=value,key=value`. A comma within single or double quotes belongs to the value; a value that is
/// quoted as a whole stands without its quotes. A first entry without `=` is the value of `first`.
///
/// ```
/// use jewel_players::settings::text::pairs;
/// let pairs = pairs("ab,nodes=2000,name='White, the bold'", "kind").unwrap();
/// assert_eq!(pairs[0], ("kind".to_string(), "ab".to_string()));
/// assert_eq!(pairs[2].1, "White, the bold");
/// ```
///
/// # Errors
/// What is wrong: a quote that is not closed, an entry without `=`, a key without a name.
pub fn pairs(text: &str, first: &str) -> Result<Vec<Pair>, Problem> {
    let mut pairs = Vec::new();
    for (n, entry) in entries(text)?.into_iter().enumerate() {
        let (key, value) = match entry.split_once('=') {
            Some((key, value)) => (key.trim(), unquoted(value.trim())),
            None if n == 0 && !first.is_empty() && !entry.trim().is_empty() => {
                (first, unquoted(entry.trim()))
            }
            None if entry.trim().is_empty() => return Err("an empty entry: write key=value,key=value".into()),
            None => {
                return Err(format!(
                    "\"{}\" is not key=value",
                    crate::support::words::shortened(entry.trim())
                ));
            }
        };
        if key.is_empty() {
            return Err(format!(
                "\"{}\" has no key before its =",
                crate::support::words::shortened(entry.trim())
            ));
        }
        pairs.push((key.to_string(), value.to_string()));
    }
    Ok(pairs)
}

/// The text that [`pairs`] reads as these; a value with quotes of both kinds has no such form and loses its
/// double ones.
pub fn join(pairs: &[Pair]) -> String {
    let entry = |(key, value): &Pair| format!("{key}={}", quoted(value));
    pairs.iter().map(entry).collect::<Vec<_>>().join(",")
}

/// The words of a command line, as a shell would split them: blanks separate, single and double quotes keep
/// together, a backslash outside of single quotes takes the next character as it is. Nothing is expanded.
///
/// ```
/// use jewel_players::settings::text::command_words;
/// assert_eq!(command_words(r#"'my engine' -x "a b" c\ d"#).unwrap(), ["my engine", "-x", "a b", "c d"]);
/// ```
///
/// # Errors
/// If a quote is not closed, or a backslash ends the text.
pub fn command_words(text: &str) -> Result<Vec<String>, Problem> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => {
                let next = letters.next().ok_or("a backslash at the end")?;
                word.get_or_insert_default().push(next);
            }
            (_, Some(open)) if letter == open => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(letter),
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (_, None) if letter.is_whitespace() => words.extend(word.take()),
            (_, None) => word.get_or_insert_default().push(letter),
        }
    }
    if let Some(open) = quote {
        return Err(not_closed(open));
    }
    words.extend(word);
    Ok(words)
}

/// The command line that [`command_words`] splits into these words.
pub fn command_line(words: &[String]) -> String {
    let quoted = |word: &String| format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""));
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn not_closed(quote: char) -> Problem {
    format!("a quote {quote} that is not closed")
}

/// The parts between the commas that are not in quotes.
fn entries(text: &str) -> Result<Vec<&str>, Problem> {
    let mut entries = Vec::new();
    let mut quote = None;
    let mut begin = 0;
    for (at, letter) in text.char_indices() {
        match (letter, quote) {
            (',', None) => {
                entries.push(&text[begin..at]);
                begin = at + 1;
            }
            ('\'' | '"', None) => quote = Some(letter),
            (_, Some(open)) if letter == open => quote = None,
            _ => {}
        }
    }
    match quote {
        Some(open) => Err(not_closed(open)),
        None => {
            entries.push(&text[begin..]);
            Ok(entries)
        }
    }
}

/// The value without the quotes, if it is one quoted text.
fn unquoted(value: &str) -> &str {
    for quote in ['"', '\''] {
        let inner = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner.filter(|inner| !inner.contains(quote)) {
            return inner;
        }
    }
    value
}

fn quoted(value: &str) -> String {
    let plain = !value.contains(['\'', '"', ',']) && value.trim() == value;
    if plain || balanced(value) {
        value.to_string()
    } else if !value.contains('"') {
        format!("\"{value}\"")
    } else if !value.contains('\'') {
        format!("'{value}'")
    } else {
        format!("\"{}\"", value.replace('"', ""))
    }
}

/// Whether the value is read back as it is, quotes and commas and all.
fn balanced(value: &str) -> bool {
    value.trim() == value && unquoted(value) == value && entries(value).is_ok_and(|parts| parts.len() == 1)
}
