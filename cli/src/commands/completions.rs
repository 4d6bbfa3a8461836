//! `jewel completions`: what a shell needs to complete a command line.

use super::ExitStatus;
use crate::{Cli, output};
use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print the completion script of a shell
#[derive(Args)]
#[command(after_long_help = "\
Examples:
  jewel completions bash > ~/.local/share/bash-completion/completions/jewel
  jewel completions zsh > ~/.zfunc/_jewel
  jewel completions fish > ~/.config/fish/completions/jewel.fish")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "jewel", &mut script);
        output::print_bytes(&script)?;
        Ok(ExitStatus::Done)
    }
}
