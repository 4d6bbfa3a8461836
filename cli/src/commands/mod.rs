//! The commands, one file each.

mod accuracy;
mod analyse;
mod claims;
mod completions;
mod games;
mod man;
mod matches;
mod moves;
mod openings;
pub(crate) mod perft;
mod play;
mod prove;
pub(crate) mod report;
mod serve;
pub(crate) mod show;
mod site;
mod solve;
mod tables;
mod tournament;
mod train;
mod tune;
mod uci;
mod variant;

use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

/// What the program can do.
#[derive(Subcommand)]
pub(crate) enum Command {
    Games(games::Games),
    Show(show::Show),
    Moves(moves::Moves),
    Perft(perft::Perft),
    Solve(solve::Solve),
    Prove(prove::Prove),
    Claims(claims::Claims),
    Tables(tables::Tables),
    Analyse(analyse::Analyse),
    Play(play::Play),
    Tournament(tournament::TournamentArgs),
    Match(matches::MatchArgs),
    Openings(openings::Openings),
    Accuracy(accuracy::Accuracy),
    Report(report::ReportArgs),
    Serve(serve::Serve),
    Site(site::Site),
    Uci(uci::Uci),
    Tune(tune::Tune),
    Train(train::Train),
    Variant(variant::Variant),
    Completions(completions::Completions),
    #[command(hide = true)]
    Man(man::Man),
}

/// What a command that worked ends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExitStatus {
    /// Done, or the answer is "yes".
    Done,
    /// The answer is "no": a mismatch, a claim refuted.
    No,
}

impl ExitStatus {
    pub(crate) fn exit_code(self) -> ExitCode {
        match self {
            ExitStatus::Done => ExitCode::SUCCESS,
            ExitStatus::No => ExitCode::from(1),
        }
    }
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// Whatever is wrong with what was typed; see the exit codes of the program.
    pub(crate) fn run(self) -> Result<ExitStatus> {
        match self {
            Command::Games(command) => command.run(),
            Command::Show(command) => command.run(),
            Command::Moves(command) => command.run(),
            Command::Perft(command) => command.run(),
            Command::Solve(command) => command.run(),
            Command::Prove(command) => command.run(),
            Command::Claims(command) => command.run(),
            Command::Tables(command) => command.run(),
            Command::Analyse(command) => command.run(),
            Command::Play(command) => command.run(),
            Command::Tournament(command) => command.run(),
            Command::Match(command) => command.run(),
            Command::Openings(command) => command.run(),
            Command::Accuracy(command) => command.run(),
            Command::Report(command) => command.run(),
            Command::Serve(command) => command.run(),
            Command::Site(command) => command.run(),
            Command::Uci(command) => command.run(),
            Command::Tune(command) => command.run(),
            Command::Train(command) => command.run(),
            Command::Variant(command) => command.run(),
            Command::Completions(command) => command.run(),
            Command::Man(command) => command.run(),
        }
    }
}
