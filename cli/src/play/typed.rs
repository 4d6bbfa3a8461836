//! What people type at the board.

/// A line that was typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Typed {
    Nothing,
    /// Anything else: meant to be a move.
    Move(String),
    /// All moves, or those that begin with a text.
    Moves(String),
    Undo,
    Hint,
    Board,
    Position,
    Clock,
    Switch,
    Save(String),
    Load(String),
    Resign,
    Help,
    Quit,
}

/// What can be typed besides moves.
pub(super) const HELP: &str = "\
a move          origin and target, such as b1b2; a promotion adds its letter
moves [b1]      the legal moves, or those that begin so
hint            what an engine would play
undo            take your last move back
board           draw the board again
position        the position string
clock           the time left
switch          change sides
save FILE       write the record of the game
load FILE       go on with a recorded game
resign          give the game up
quit            stop here
";

/// The words that a command begins with, for completion.
pub(super) const COMMANDS: [&str; 13] = [
    "moves", "hint", "undo", "board", "position", "clock", "switch", "save ", "load ", "resign", "help",
    "quit", "exit",
];

/// Reads a line.
pub(super) fn read(line: &str) -> Typed {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim().to_string();
    match word.to_ascii_lowercase().as_str() {
        "" => Typed::Nothing,
        "moves" | "m" => Typed::Moves(rest),
        "undo" | "u" => Typed::Undo,
        "hint" => Typed::Hint,
        "board" => Typed::Board,
        "position" | "fen" => Typed::Position,
        "clock" => Typed::Clock,
        "switch" => Typed::Switch,
        "save" => Typed::Save(rest),
        "load" => Typed::Load(rest),
        "resign" => Typed::Resign,
        "help" | "?" => Typed::Help,
        "quit" | "exit" | "q" => Typed::Quit,
        _ => Typed::Move(line.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_moves() {
        assert_eq!(read("  \n"), Typed::Nothing);
        assert_eq!(read("c1b1\r\n"), Typed::Move("c1b1".to_string()));
        assert_eq!(read("Save  my game.pgn "), Typed::Save("my game.pgn".to_string()));
        assert_eq!(read("m b1"), Typed::Moves("b1".to_string()));
        assert_eq!((read("u"), read("?"), read("EXIT")), (Typed::Undo, Typed::Help, Typed::Quit));
        // Every command in the help is understood.
        let words =
            HELP.lines().filter_map(|line| line.split_whitespace().next()).filter(|word| *word != "a");
        assert!(words.clone().count() >= 11);
        for word in words {
            assert!(!matches!(read(word), Typed::Move(_)), "{word}");
        }
    }
}
