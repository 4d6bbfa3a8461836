//! Where the lines that people type come from.

use crate::interrupt;
use anyhow::Result;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use std::io::{BufRead, Write};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Where the lines that people type come from.
pub(crate) trait Lines {
    /// The next line; `None` where the input has ended, or after Ctrl-C. `words` is what a line may begin with.
    ///
    /// # Errors
    /// If the prompt cannot be written or the input cannot be read.
    fn line(&mut self, prompt: &str, words: &[String], output: &mut dyn Write) -> Result<Option<String>>;
}

/// Time between two looks for Ctrl-C.
const GLANCE: Duration = Duration::from_millis(20);

/// The lines of a pipe or a file.
pub(crate) struct Piped {
    lines: Receiver<std::io::Result<Vec<u8>>>,
}

impl Piped {
    /// The lines of stdin, which a thread of its own waits for: Ctrl-C is heard meanwhile.
    pub(crate) fn stdin() -> Piped {
        let (sender, lines) = sync_channel(0);
        std::thread::spawn(move || {
            let mut input = std::io::stdin().lock();
            loop {
                let mut line = Vec::new();
                let read = match input.read_until(b'\n', &mut line) {
                    Ok(0) => return,
                    read => read.map(|_| line),
                };
                let failed = read.is_err();
                // The receiver is gone when the game is over.
                if sender.send(read).is_err() || failed {
                    return;
                }
            }
        });
        Piped { lines }
    }
}

impl Lines for Piped {
    fn line(&mut self, prompt: &str, _: &[String], output: &mut dyn Write) -> Result<Option<String>> {
        write!(output, "{prompt}")?;
        output.flush()?;
        loop {
            if interrupt::flag().load(Ordering::Relaxed) {
                return Ok(None);
            }
            match self.lines.recv_timeout(GLANCE) {
                Ok(line) => return Ok(Some(String::from_utf8_lossy(&line?).into_owned())),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// The lines of a terminal, which can be edited: the arrow keys move in the line and through earlier ones, and Tab
/// completes a word.
pub(crate) struct Terminal {
    editor: Editor<Words, rustyline::history::MemHistory>,
}

impl Terminal {
    /// The terminal of this program.
    ///
    /// # Errors
    /// If it cannot be used.
    pub(crate) fn new() -> Result<Terminal> {
        let config = Config::builder().completion_type(CompletionType::List).auto_add_history(true).build();
        let mut editor = Editor::with_history(config, rustyline::history::MemHistory::new())?;
        editor.set_helper(Some(Words(Vec::new())));
        Ok(Terminal { editor })
    }
}

impl Lines for Terminal {
    fn line(&mut self, prompt: &str, words: &[String], output: &mut dyn Write) -> Result<Option<String>> {
        output.flush()?;
        // Ctrl-C while the line was not being edited.
        if interrupt::flag().load(Ordering::Relaxed) {
            return Ok(None);
        }
        self.editor.set_helper(Some(Words(words.to_vec())));
        match self.editor.readline(prompt) {
            Ok(line) => Ok(Some(line)),
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The words that Tab completes to.
struct Words(Vec<String>);

impl Completer for Words {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = &line[..at];
        Ok((0, self.0.iter().filter(|word| word.starts_with(typed)).cloned().collect()))
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}

impl Validator for Words {}

impl Helper for Words {}
