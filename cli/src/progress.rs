//! Progress on stderr, where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// How often the times are drawn anew.
const TICK: Duration = Duration::from_millis(200);

/// How a bar is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Style {
    /// Pieces of work, with their name as the message.
    Pieces,
    /// The share that is done, with the message.
    Share,
    /// The share that is done, with the message and the time left.
    ShareAndTime,
    /// The share that is done, with the time gone and the time left.
    Times,
    /// A message about work of unknown length.
    Message,
}

impl Style {
    fn template(self) -> &'static str {
        match self {
            Style::Pieces => "{bar:30} {human_pos}/{human_len} {msg}, {elapsed} gone, {eta} to go",
            Style::Share => "{bar:30} {percent:>3}% {msg}",
            Style::ShareAndTime => "{bar:30} {percent:>3}% {msg}, {eta} left",
            Style::Times => "{bar:40} {percent}% {elapsed} (about {eta} left)",
            Style::Message => "{spinner} {elapsed} {msg}",
        }
    }

    /// The bar, drawn like this.
    pub(crate) fn apply(self, bar: ProgressBar) -> ProgressBar {
        // The test reads all templates.
        match ProgressStyle::with_template(self.template()) {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }
}

/// A progress bar for `length` pieces of work, which are called `what`.
pub(crate) fn bar(length: u64, what: &'static str) -> ProgressBar {
    let bar = Style::Pieces.apply(ProgressBar::new(length).with_message(what));
    bar.enable_steady_tick(TICK);
    bar
}

/// A spinner for work of unknown length, with a message.
pub(crate) fn message(what: &str) -> ProgressBar {
    let spinner = Style::Message.apply(ProgressBar::new_spinner().with_message(what.to_string()));
    spinner.enable_steady_tick(TICK);
    spinner
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_are_understood() {
        for style in [Style::Pieces, Style::Share, Style::ShareAndTime, Style::Times, Style::Message] {
            assert!(ProgressStyle::with_template(style.template()).is_ok(), "{style:?}");
        }
    }
}
