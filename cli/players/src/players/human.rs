//! A person at the terminal.

use crate::engine::GameAt;
use crate::game_clock::clock_text;
use crate::player::{Choice, Fault, Player, Turn};
use crate::support::board::{self, Style};
use crate::support::words::{shortened, suggestions};
use jewel_engine::value::Side;
use jewel_search::control::Stop;
use std::io::{self, BufRead, BufReader, Read, Write};

/// The longest line that is read, in bytes; the rest counts as another line.
const MAX_LENGTH: u64 = 1 << 12;

const HELP: &str = "type a move such as b1b2, \"moves\" for all of them, or \"resign\"";

/// Asks for each move. Only a typed line ends the turn of a person: neither the time nor a stop does.
pub(crate) struct Human {
    name: String,
    input: Box<dyn BufRead + Send>,
    output: Box<dyn Write + Send>,
}

impl Human {
    /// A person at the terminal of this program. The board and the questions go to stderr; stdout is for
    /// results.
    pub(crate) fn new(name: String) -> Human {
        // No input is read ahead, since the next game may have another player.
        Human::at(name, Box::new(BufReader::with_capacity(1, io::stdin())), Box::new(io::stderr()))
    }

    /// A person who is asked on `output` and answers on `input`.
    pub(crate) fn at(name: String, input: Box<dyn BufRead + Send>, output: Box<dyn Write + Send>) -> Human {
        Human { name, input, output }
    }

    /// Shows the board and whose turn it is.
    fn show(&mut self, turn: &Turn<'_>) -> io::Result<()> {
        let view = turn.line.view_of(turn.line.side_to_move());
        let diagram = view.map_or_else(|| turn.line.diagram(), |view| view.diagram);
        let style = Style { colours: false, unicode: false };
        write!(self.output, "\n{}", board::draw(&diagram, false, style))?;
        if let Some(mv) = turn.line.played_from(turn.line.plies().saturating_sub(1)).first() {
            writeln!(self.output, "last move: {mv}")?;
        }
        if let Some(clocks) = turn.budget.clocks {
            let of = |side: Side| clock_text(clocks.remaining[side.index()]);
            let [white, black] = &diagram.sides;
            writeln!(self.output, "clock: {white} {}, {black} {}", of(Side::White), of(Side::Black))?;
        }
        Ok(())
    }

    /// The next line that is typed, without the blanks around it; `None` at the end of the input.
    fn read(&mut self, prompt: &str) -> io::Result<Option<String>> {
        write!(self.output, "{prompt}")?;
        self.output.flush()?;
        let mut bytes = Vec::new();
        if self.input.by_ref().take(MAX_LENGTH).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        Ok(Some(String::from_utf8_lossy(&bytes).trim().to_string()))
    }

    /// Asks until there is an answer.
    fn ask(&mut self, turn: &Turn<'_>) -> io::Result<Result<Choice, Fault>> {
        self.show(turn)?;
        let legal = turn.line.moves();
        let side = turn.line.diagram().sides[turn.line.side_to_move().index()].clone();
        loop {
            let Some(typed) = self.read(&format!("{side}: "))? else {
                return Ok(Err(Fault::Unable("the input has ended".to_string())));
            };
            if legal.contains(&typed) {
                return Ok(Ok(Choice::silent(typed)));
            }
            match typed.to_ascii_lowercase().as_str() {
                "" => {}
                "resign" => return Ok(Err(Fault::Resigned)),
                "moves" => writeln!(self.output, "{}", legal.join(" "))?,
                "help" | "?" => writeln!(self.output, "{HELP}")?,
                _ => {
                    let meant = suggestions(&typed, &legal);
                    let hint =
                        if meant.is_empty() { HELP.to_string() } else { format!("try {}", meant.join(" ")) };
                    writeln!(self.output, "\"{}\" is not a legal move: {hint}", shortened(&typed))?;
                }
            }
        }
    }
}

impl Player for Human {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, line: &dyn GameAt, _: u64) -> Result<(), Fault> {
        let greeting = writeln!(self.output, "{}: {HELP}", line.name());
        greeting.map_err(|e| Fault::Unable(format!("the terminal cannot be written to: {e}")))
    }

    fn rehearse(&mut self, _: &dyn GameAt) -> Result<(), Fault> {
        // The greeting is for games.
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>, _: &Stop) -> Result<Choice, Fault> {
        self.ask(turn).unwrap_or_else(|e| Err(Fault::Unable(format!("the terminal fails: {e}"))))
    }
}
