//! Files of positions, one a line: a position string of the game, then operations of EPD, each up to a semicolon.
//!
//! ```text
//! nqlqn/5/5/5/NQLQN b - - id "start";
//! l2/3/2L w - - 0 1
//! r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7#;
//! TRSZ4/GHC5/KCC5/O7/7z/5ccs/5chr/4okgt w m - 0 bm a5c5; id "array";
//! ```
//!
//! The game's own parser decides where a position string ends: it is as much of the line as that takes. So
//! the counters at the end may be left out where the game allows it, as EPD does.

use jewel_players::engine::GameAt;

/// A position of an EPD file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Epd {
    /// The number of its line, from 1.
    pub line: usize,
    /// The whole position string, as the game writes it.
    pub fen: String,
    /// Operation `id`.
    pub id: Option<String>,
    /// Operation `bm`: the best moves, as the game writes them whether they were given so or in SAN.
    pub best: Vec<String>,
    /// Operation `am`: moves to avoid.
    pub avoid: Vec<String>,
}

/// More fields than any game's position string has.
const MAX_FIELDS: usize = 10;

/// The positions of a file. Empty lines and comments are skipped: lines that begin with `#`, but for `#,` and `#/`, with
/// which a position of Crown Jewels begins where its corner is burnt. Each is set up on `game`, any line of the game.
///
/// # Errors
/// The number of the first line that is not a position, and why.
pub fn parse(text: &str, game: &mut dyn GameAt) -> Result<Vec<Epd>, String> {
    let usual = usual_fields(game)?;
    let lines = text.lines().enumerate().map(|(n, line)| (n + 1, line.trim()));
    let comment = |line: &str| line.strip_prefix('#').is_some_and(|rest| !rest.starts_with([',', '/']));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !comment(line));
    lines.map(|(n, line)| parse_line(n, line, &usual, game).map_err(|e| format!("line {n}: {e}"))).collect()
}

/// For each field of the game's start position, whether it is a number.
fn usual_fields(game: &mut dyn GameAt) -> Result<Vec<bool>, String> {
    game.set_position(None, &[]).map_err(|e| format!("{e:#}"))?;
    Ok(game.fen().split_whitespace().map(is_number).collect())
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

fn parse_line(number: usize, line: &str, usual: &[bool], game: &mut dyn GameAt) -> Result<Epd, String> {
    let words = position_words(line);
    let position = |count: usize| words[..count].iter().map(|(word, _)| *word).collect::<Vec<_>>().join(" ");
    let mut reads = |text: &str| game.set_position(Some(text), &[]).map_err(|e| format!("{e:#}"));
    let taken: Vec<usize> = (1..=words.len()).filter(|&count| reads(&position(count)).is_ok()).collect();
    let (Some(&shortest), Some(&longest)) = (taken.first(), taken.last()) else {
        // The fault lies in what stands in place of the fields of a position.
        reads(&position(meant(&words, usual)))?;
        return Err("not a position".to_string());
    };
    let mut epd = Epd { line: number, fen: position(longest), ..Epd::default() };
    let counters = words[shortest..longest].iter().map(|(word, _)| word.to_string());
    let mut counters: Vec<String> =
        counters.chain(["0".to_string(), "1".to_string()].into_iter().skip(longest - shortest)).collect();
    let mut counted = false;
    for operation in operations(&line[words[longest - 1].1..])? {
        let mut operands = operation.as_str();
        let words = |text: &str| text.split_whitespace().map(str::to_string).collect();
        match next_word(&mut operands).unwrap_or_default() {
            "id" => epd.id = Some(operands.trim().trim_matches('"').to_string()),
            "bm" => epd.best = words(operands),
            "am" => epd.avoid = words(operands),
            name @ ("hmvc" | "fmvn") => {
                counters[usize::from(name == "fmvn")] = operands.trim().to_string();
                counted = true;
            }
            _ => {}
        }
    }
    if counted {
        epd.fen = format!("{} {}", position(shortest), counters.join(" "));
    }
    reads(&epd.fen).map_err(|e| if counted { format!("with hmvc and fmvn: {e}") } else { e })?;
    epd.fen = game.fen();
    // What is not legal stays as it is: whoever uses it says so.
    for mv in epd.best.iter_mut().chain(&mut epd.avoid) {
        *mv = game.read_move(mv).unwrap_or_else(|_| mv.clone());
    }
    Ok(epd)
}

/// The words that may belong to the position, those before any semicolon, and where each ends in the line.
fn position_words(line: &str) -> Vec<(&str, usize)> {
    let mut rest = line;
    let mut words = Vec::new();
    while words.len() < MAX_FIELDS
        && let Some(word) = next_word(&mut rest)
    {
        let end = line.len() - rest.len();
        match word.split_once(';') {
            None => words.push((word, end)),
            Some((last, after)) => {
                if !last.is_empty() {
                    words.push((last, end - after.len()));
                }
                break;
            }
        }
    }
    words
}

/// How many words a position that the game does not take was probably meant to have: as many as the start position,
/// without the counters at the end that are not numbers here.
fn meant(words: &[(&str, usize)], usual: &[bool]) -> usize {
    let mut count = usual.len();
    while count > 1 && usual[count - 1] && words.get(count - 1).is_none_or(|(word, _)| !is_number(word)) {
        count -= 1;
    }
    count.min(words.len())
}

/// Takes the next word off.
fn next_word<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let text = rest.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    *rest = after;
    (!word.is_empty()).then_some(word)
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
    use jewel_players::catalogue::AnyGame;

    fn read(game: &str, text: &str) -> Result<Vec<Epd>, String> {
        let mut line = AnyGame::resolve(game).unwrap().open();
        parse(text, line.as_mut())
    }

    fn list(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn best_moves_may_be_in_san() {
        let line = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7# Qf7; am O-O a2a3; id \"mate\";";
        let found = &read("chess", line).unwrap()[0];
        assert_eq!(found.best, list(&["h5f7", "h5f7"]));
        assert_eq!(found.avoid, list(&["O-O", "a2a3"]));
        assert_eq!(read("duel", "l2/3/2L w - - bm Lb1;").unwrap()[0].best, list(&["c1b1"]));
    }

    #[test]
    fn positions_with_and_without_counters_and_operations() {
        let text = "# a comment\n\nl2/3/2L w - - 3 9\n\
                    2l/3/1L1 w - - bm b1b2 b1c1; id \"one; two\"; c0 \"x\";\n\
                    l2/3/2L b - - hmvc 4; fmvn 7; am a3a1\n\
                    l2/3/2L w - - 2 3; id \"x\";\n\
                    l2/3/2L w - - 2 3 fmvn 5;";
        let found = read("duel", text).unwrap();
        assert_eq!(found[0], Epd { line: 3, fen: "l2/3/2L w - - 3 9".to_string(), ..Epd::default() });
        assert_eq!((found[1].line, found[1].fen.as_str()), (4, "2l/3/1L1 w - - 0 1"));
        assert_eq!(found[1].best, list(&["b1b2", "b1c1"]));
        assert_eq!(found[1].id.as_deref(), Some("one; two"));
        assert_eq!((found[2].fen.as_str(), &found[2].avoid), ("l2/3/2L b - - 4 7", &list(&["a3a1"])));
        assert_eq!((found[3].fen.as_str(), found[3].id.as_deref()), ("l2/3/2L w - - 2 3", Some("x")));
        assert_eq!(found[4].fen, "l2/3/2L w - - 2 5");
    }

    #[test]
    fn every_game_reads_its_own_position_strings() {
        for game in [
            "diamond-chess",
            "kings-mate",
            "kings-mate-active",
            "world-tree:start=standard",
            "crystal-draughts",
            "crown-jewels",
        ] {
            let fen = AnyGame::resolve(game).unwrap().open().fen();
            let text = format!("{fen}\n{fen};\n{fen} id \"a b\"; ce 12;\n");
            let found = read(game, &text).unwrap();
            assert!(found.len() == 3 && found.iter().all(|epd| epd.fen == fen), "{game}: {found:?}");
            assert_eq!(found[2].id.as_deref(), Some("a b"), "{game}");
        }
        // In the middle of a turn, with stacks and markers.
        let fen = "(TZ)2O4/R+1sC1C2/8/2C5/4hg1z/3Kc2r/H2c1k2/4c1ot w m Cf7 6";
        let found = read("world-tree", &format!("{fen} bm done;")).unwrap();
        assert_eq!((found[0].fen.as_str(), &found[0].best), (fen, &list(&["done"])));
        // What one player sees has more fields than the true state.
        let seen = AnyGame::resolve("crown-jewels")
            .unwrap()
            .open()
            .view_of(jewel_engine::value::Side::White)
            .unwrap();
        assert_eq!(
            read("crown-jewels", &format!("{} id \"w\";", seen.text)).unwrap()[0].id.as_deref(),
            Some("w")
        );
    }

    #[test]
    fn mistakes_name_their_line_and_what_would_be_right() {
        let problem = |game: &str, text: &str| read(game, text).unwrap_err();
        let fields =
            "a position has 4 to 6 fields (pieces, side, castling, en passant, clock, move number), found";
        assert_eq!(problem("duel", "\nl2/3/2L w -"), format!("line 2: {fields} 3"));
        assert_eq!(problem("duel", "l2/3/2L w - - id \"x"), "line 1: a quoted text has no end");
        assert_eq!(problem("duel", "a b; c d"), format!("line 1: {fields} 2"));
        assert_eq!(problem("duel", ";"), format!("line 1: {fields} 0"));
        assert!(problem("duel", "l3/3/2L w - - bm a1a2;").starts_with("line 1: "));
        let start = "TRSZ4/GHC5/KCC5/O7/7z/5ccs/5chr/4okgt w m -";
        let form = "line 1: a position has 5 fields, \"board side phase moved quiet\"; found";
        assert_eq!(problem("world-tree", &format!("{start} bm a5c5;")), format!("{form} 4"));
        assert_eq!(
            problem("world-tree", "l2/3/2L w - - 0 1"),
            "line 1: the board has 8 ranks with '/' between, found 3"
        );
        assert_eq!(
            problem("world-tree", &format!("{start} 0 hmvc 3;")),
            format!("line 1: with hmvc and fmvn: {} 7", &form[8..])
        );
    }
}
