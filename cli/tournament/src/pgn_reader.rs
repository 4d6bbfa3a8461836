//! Reads games in PGN, whoever wrote them.

/// A game that was read.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ReadGame {
    /// The number of the line on which it begins, from 1.
    pub line: usize,
    /// Names and values of its tags.
    pub tags: Vec<(String, String)>,
    /// The moves of the main line, as they are written.
    pub moves: Vec<String>,
}

impl ReadGame {
    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The id of the game that the tag `Variant` names, if there is one. What others call chess and Chess960 is `chess`
    /// here.
    pub fn game(&self) -> Option<String> {
        const CHESS: [&str; 9] = [
            "chess",
            "standard",
            "normal",
            "classical",
            "from position",
            "chess960",
            "chess 960",
            "fischerandom",
            "fischerrandom",
        ];
        let lower = self.tag("Variant")?.to_lowercase();
        Some(if CHESS.contains(&lower.as_str()) { "chess".to_string() } else { lower })
    }
}

/// Reads the games of a file. Comments, variations, marks and numbers of moves are passed over.
///
/// # Errors
/// The number of the line with the first mistake, and what it is.
pub fn read(text: &str) -> Result<Vec<ReadGame>, String> {
    let mut games: Vec<ReadGame> = Vec::new();
    let mut open: Option<ReadGame> = None;
    let mut movetext = Movetext::default();
    for (n, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let number = n + 1;
        let trimmed = line.trim();
        // An escape: a line for other programs.
        if line.starts_with('%') {
            continue;
        }
        if movetext.is_plain() && trimmed.starts_with('[') {
            if open.as_ref().is_some_and(|game| movetext.begun || game.line == 0) {
                games.extend(open.take());
                movetext = Movetext::default();
            }
            let tag = tag_of(&trimmed[1..]).ok_or(format!("line {number}: a tag is [Name \"value\"]"))?;
            open.get_or_insert_with(|| ReadGame { line: number, ..ReadGame::default() }).tags.push(tag);
            continue;
        }
        for word in movetext.words(line, number)? {
            let game = open.get_or_insert_with(|| ReadGame { line: number, ..ReadGame::default() });
            if RESULTS.contains(&word.as_str()) {
                games.extend(open.take());
                movetext = Movetext::default();
            } else {
                game.moves.push(word);
                movetext.begun = true;
            }
        }
    }
    if let Some(opened) = movetext.comment {
        return Err(format!("line {opened}: a comment has no end"));
    }
    if let Some(opened) = movetext.variations.first() {
        return Err(format!("line {opened}: a variation has no end"));
    }
    games.extend(open);
    Ok(games)
}

const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

fn tag_of(tag: &str) -> Option<(String, String)> {
    let (name, value) = tag.strip_suffix(']')?.trim_end().split_once(char::is_whitespace)?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    Some((name.to_string(), value.replace("\\\"", "\"").replace("\\\\", "\\")))
}

/// Where in the text of moves the reader is.
#[derive(Default)]
struct Movetext {
    /// Whether the game has moves already.
    begun: bool,
    /// The line on which the comment began that it is in.
    comment: Option<usize>,
    /// The lines on which the variations began that it is in.
    variations: Vec<usize>,
}

impl Movetext {
    /// Whether neither a comment nor a variation is open.
    fn is_plain(&self) -> bool {
        self.comment.is_none() && self.variations.is_empty()
    }

    /// The moves and results of the main line in a line of text.
    fn words(&mut self, line: &str, number: usize) -> Result<Vec<String>, String> {
        let mut plain = String::new();
        for c in line.chars() {
            match (self.comment, c) {
                (Some(_), '}') => self.comment = None,
                (Some(_), _) => {}
                (None, ';') => break,
                (None, '{') => {
                    self.comment = Some(number);
                    plain.push(' ');
                }
                (None, '(') => {
                    self.variations.push(number);
                    plain.push(' ');
                }
                (None, ')') => {
                    self.variations.pop().ok_or(format!("line {number}: a ')' without '('"))?;
                    plain.push(' ');
                }
                (None, c) if self.variations.is_empty() => plain.push(c),
                (None, _) => {}
            }
        }
        let words = plain.split_whitespace().map(without_number);
        let is_mark = |word: &&str| {
            word.is_empty() || word.starts_with('$') || word.chars().all(|c| matches!(c, '!' | '?' | '.'))
        };
        Ok(words.filter(|word| !is_mark(word)).map(str::to_string).collect())
    }
}

/// A word without the number of a move before it: `1.e4` is a number and a move.
fn without_number(word: &str) -> &str {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &word[digits..];
    match rest.trim_start_matches('.') {
        after if after.len() < rest.len() || rest.is_empty() => after,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_others_write_is_read() {
        let text = "\u{feff}[Event \"x\"]\n[Variant \"Chess960\"]\n\n1.e4 {a (comment)\n[not a tag]} e5 $3 2. Nf3 ( 2. f4 (2. d4 {x)} ) \
                    exf4 ) Nc6!? ; the rest )\n% [escape\n3... Bb5 1/2-1/2\n\n1. d4 d5 *\n[Event \"y\"]\n\n1. c4\n[Event \"z\"]\n\n0-1";
        let games = read(text).unwrap();
        let moves: Vec<Vec<&str>> =
            games.iter().map(|game| game.moves.iter().map(String::as_str).collect()).collect();
        assert_eq!(moves, [vec!["e4", "e5", "Nf3", "Nc6!?", "Bb5"], vec!["d4", "d5"], vec!["c4"], vec![]]);
        assert_eq!(games[0].game().as_deref(), Some("chess"));
        assert_eq!(games.iter().map(|game| game.line).collect::<Vec<_>>(), [1, 9, 10, 13]);
        for (text, problem) in [
            ("[Variant duel]\n", "line 1: a tag is"),
            ("\n1. a1a2 {x\n\n", "line 2: a comment has no end"),
            ("1. a1a2 (1. b1b2", "line 1: a variation has no end"),
            ("1. a1a2 )", "line 1: a ')' without '('"),
        ] {
            assert!(read(text).unwrap_err().starts_with(problem), "{text}");
        }
        assert_eq!(read("\n\n").unwrap(), []);
    }

    proptest! {
        #[test]
        fn no_text_does_harm(text in any::<String>(), words in "[\\[\\](){};.\"* a-c1-3\n%]{0,60}") {
            let _ = read(&text);
            let _ = read(&words);
        }
    }
}
