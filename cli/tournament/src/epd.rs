//! Files of positions, one a line: EPD (a position string without its counters, then operations) or whole
//! position strings.
//!
//! ```text
//! nqlqn/5/5/5/NQLQN b - - id "start";
//! l2/3/2L w - - 0 1
//! ```

/// A position of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Epd {
    /// The number of its line, from 1.
    pub line: usize,
    /// The whole position string.
    pub fen: String,
    /// Operation `id`.
    pub id: Option<String>,
    /// Operation `bm`: the moves that are best.
    pub best: Vec<String>,
    /// Operation `am`: moves to avoid.
    pub avoid: Vec<String>,
}

/// The positions of a file; empty lines and lines that begin with `#` are passed over.
///
/// # Errors
/// The number of the first line that is no position, and why not.
pub fn parse(text: &str) -> Result<Vec<Epd>, String> {
    let lines = text.lines().enumerate().map(|(n, line)| (n + 1, line.trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(n, line)| parse_line(n, line).map_err(|e| format!("line {n}: {e}"))).collect()
}

fn parse_line(number: usize, line: &str) -> Result<Epd, String> {
    let mut rest = line;
    let mut fields = Vec::new();
    while fields.len() < 4 {
        let Some(field) = next_word(&mut rest).filter(|field| !field.contains(';')) else {
            return Err(format!("a position has at least 4 fields, found {}", fields.len()));
        };
        fields.push(field);
    }
    let counters = take_counters(&mut rest);
    let mut epd = Epd { line: number, ..Epd::default() };
    let [mut clock, mut move_number] = counters.unwrap_or(["0", "1"]).map(str::to_string);
    for operation in operations(rest)? {
        let mut operands = operation.as_str();
        let words = |text: &str| text.split_whitespace().map(str::to_string).collect();
        match next_word(&mut operands).unwrap_or_default() {
            "id" => epd.id = Some(operands.trim().trim_matches('"').to_string()),
            "bm" => epd.best = words(operands),
            "am" => epd.avoid = words(operands),
            "hmvc" => clock = operands.trim().to_string(),
            "fmvn" => move_number = operands.trim().to_string(),
            _ => {}
        }
    }
    epd.fen = format!("{} {clock} {move_number}", fields.join(" "));
    Ok(epd)
}

/// Takes the next word off.
fn next_word<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let text = rest.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    *rest = after;
    (!word.is_empty()).then_some(word)
}

/// Takes the two counters of a whole position string off, if they are there.
fn take_counters<'a>(rest: &mut &'a str) -> Option<[&'a str; 2]> {
    let mut after = *rest;
    let is_number = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
    let clock = next_word(&mut after).filter(is_number)?;
    let number = next_word(&mut after).map(|word| word.trim_end_matches(';')).filter(is_number)?;
    *rest = after;
    (!number.is_empty()).then_some([clock, number])
}

/// The operations, each up to its semicolon; a quoted text may have semicolons.
fn operations(text: &str) -> Result<Vec<String>, String> {
    let mut operations = vec![String::new()];
    let mut quoted = false;
    for c in text.chars() {
        quoted ^= c == '"';
        match (c, operations.last_mut()) {
            (';', _) if !quoted => operations.push(String::new()),
            (c, Some(last)) => last.push(c),
            (_, None) => {}
        }
    }
    if quoted {
        return Err("a quoted text has no end".to_string());
    }
    Ok(operations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_with_and_without_counters_and_operations() {
        let text = "# a comment\n\nl2/3/2L w - - 3 9\n\
                    2l/3/1L1 w - - bm b1b2 b1c1; id \"one; two\"; c0 \"x\";\n\
                    l2/3/2L b - - hmvc 4; fmvn 7; am a3a1\n\
                    l2/3/2L w - - 0 1; id \"x\";";
        let found = parse(text).unwrap();
        let list = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        assert_eq!(found[0], Epd { line: 3, fen: "l2/3/2L w - - 3 9".to_string(), ..Epd::default() });
        assert_eq!((found[1].line, found[1].fen.as_str()), (4, "2l/3/1L1 w - - 0 1"));
        assert_eq!(found[1].best, list(&["b1b2", "b1c1"]));
        assert_eq!(found[1].id.as_deref(), Some("one; two"));
        assert_eq!((found[2].fen.as_str(), &found[2].avoid), ("l2/3/2L b - - 4 7", &list(&["a3a1"])));
        assert_eq!((found[3].fen.as_str(), found[3].id.as_deref()), ("l2/3/2L w - - 0 1", Some("x")));
    }

    #[test]
    fn mistakes_name_their_line() {
        assert_eq!(parse("\nl2/3/2L w -").unwrap_err(), "line 2: a position has at least 4 fields, found 3");
        assert_eq!(parse("l2/3/2L w - - id \"x").unwrap_err(), "line 1: a quoted text has no end");
        assert_eq!(parse("a b; c d").unwrap_err(), "line 1: a position has at least 4 fields, found 1");
    }
}
