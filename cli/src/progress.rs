//! How far a long job is: a bar on stderr, where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

const TEMPLATE: &str = "{bar:30} {human_pos}/{human_len} {msg}, {elapsed} gone, {eta} to go";

/// How often the times are drawn anew.
const TICK: Duration = Duration::from_millis(200);

/// A progress bar for `all` pieces of work, which are called `what`.
pub(crate) fn bar(length: u64, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(length).with_message(what);
    // The template is a constant that the test reads.
    if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(TICK);
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_understood() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }
}
