//! The `jewel` program: a workbench to invent, play and solve small board games.
//!
//! It is glue: [`commands`] has one file for each command, `jewel_players` turns what was typed into a game, and
//! everything else is done by the libraries. Results go to stdout; an error is one line on stderr and
//! leaves stdout empty. Exit codes: 0 done, 1 the answer is "no", 2 usage or bad input.

mod analysis;
mod arguments;
mod baskets;
mod beside;
mod command_line;
mod commands;
mod engine_arguments;
mod graph_progress;
mod interrupt;
mod machine;
mod output;
mod play;
mod progress;
mod proving;
mod suite;
mod tables;
mod terminal;
mod threads;
mod uci;
mod web;

use jewel_answers::{best_play, claims, proof, text, values};

use clap::Parser;
use clap::error::ErrorKind;
use commands::Command;
use std::process::ExitCode;

/// The command line.
#[derive(Parser)]
#[command(name = "jewel", version, about = ABOUT, long_about = LONG_ABOUT, after_help = FIRST_SESSION)]
#[command(max_term_width = 80, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

const ABOUT: &str = "A workbench to invent, play and solve small board games";

const LONG_ABOUT: &str = "\
A workbench to invent, play and solve small board games.

A game is named by its id (`jewel games` lists them) or by its variant file: twenty lines of TOML \
that say what the board is and how the pieces move. Every command that prints results has --json; \
results go to stdout, an error is one line on stderr. The exit code is 0 when the work is done, 1 when the \
answer is \"no\" (a count that differs, a claim refuted) and 2 when something typed is wrong.";

const FIRST_SESSION: &str = "\
A first session:
  jewel games                           the games that come with the program
  jewel show ambush                     the board, with its legend
  jewel moves duel                      the legal moves
  jewel moves duel --moves \"c1b1 a3c3\"  the same after two moves
  jewel show mine.toml                  a game of your own
  jewel solve duel                      the value of a game, proven
  jewel analyse diamond-quest --time 5  what a search finds in a position
  jewel play ambush                     play against it
  jewel serve                           the board on a page, in your browser
  jewel site duel --out site            the same as files for any web server
  jewel tournament --help               let engines play each other
  jewel report duel                     a designer's report on a game
  jewel tables plan ambush              what it takes to solve a larger one
  jewel perft ambush 5                  count move sequences: the test of a rules engine
  jewel help perft                      all about one command, with examples";

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match cli.command.run() {
        Ok(answer) => answer.exit_code(),
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("{error:#}")),
    }
}

/// Help and version are results; anything else that the parser says is an error.
fn usage(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => match output::help(error) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
            Err(error) => fail(&format!("{error:#}")),
        },
        _ => fail(&text::usage_line(&error.to_string())),
    }
}

/// The one line of an error. Control characters of what was typed are shown, not obeyed.
fn fail(problem: &str) -> ExitCode {
    // Nothing better can be done where stderr is closed.
    let _ = std::io::Write::write_all(
        &mut std::io::stderr(),
        format!("error: {}\n", text::one_line(&text::without_error_numbers(problem))).as_bytes(),
    );
    ExitCode::from(2)
}
