//! `jewel prove`: proofs that fit in a file, made and checked.

mod check;
mod make;

use super::ExitStatus;
use crate::arguments::GameArgs;
use crate::proving::Claim;
use anyhow::{Result, bail};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use jewel_engine::value::Side;
use jewel_players::support::memory;
use jewel_solver::proof::header::Kind;
use std::path::PathBuf;

/// Prove that a player wins or does not lose, in a file that anybody can check
#[derive(Args)]
#[command(after_long_help = "\
The file has a move for every position that the player may come to, whatever the opponent plays: docs/proof-format.md. It \
is checked before it is called a proof, by a second move generator where that knows the rules; --check does the same with \
any file, and tools/check_proof.py is a program in Python that shares nothing with this one.

The claim is that of the player to move, or of --side: `win`; `win in N`, in at most N plies; or `draw`, at least a draw. A win is searched \
with proof numbers: of the root and of each first move they are shown on a terminal, and the search is saved to FILE.state every \
five minutes (--checkpoint) and by Ctrl-C. The same command goes on from there. A draw is not searched so: each position gets a move that seems to hold, \
until one is left without.

The exit code is 1 if the claim is wrong, or the file proves nothing.

Examples:
  jewel prove examples/variants/hexapawn.toml --side b --claim win
  jewel prove duel --claim draw --file duel.proof
  jewel prove examples/variants/octopawn.toml --claim \"win in 11\"
  jewel prove --check duel.proof")]
pub(crate) struct Prove {
    #[command(flatten)]
    game: GameArgs,

    /// What is claimed: win, draw, or "win in N" plies
    #[arg(long, value_name = "CLAIM", value_parser = parse_claim, required_unless_present = "check")]
    claim: Option<Claim>,

    /// For which player, w or b [default: the one to move]
    #[arg(long, value_name = "SIDE", value_parser = parse_side)]
    side: Option<Side>,

    /// The file of the proof [default: ID.proof in the working directory]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// Check this file instead of making one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "variant", "fen", "moves", "claim", "side", "file", "threads", "checkpoint"])]
    check: Option<PathBuf>,

    /// End lines in the tables of this folder; a check needs the same ones
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// Take about this much memory, such as 500M or 12G [default: 80% of what is free]
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    memory: Option<u64>,

    /// Threads that search for a win; with more than one, the search takes another course each time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: usize,

    /// Save the search for a win this often, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = RangedU64ValueParser::<u64>::new().range(1..))]
    checkpoint: u64,

    /// Print a JSON object: game, fen, side, claim, proven, positions, file, bytes, sha256, nodes, seconds, ...
    #[arg(long)]
    json: bool,
}

fn parse_claim(typed: &str) -> Result<Claim, String> {
    let words: Vec<&str> = typed.split_whitespace().collect();
    match words[..] {
        ["win"] => Ok(Claim { kind: Kind::Win, limit: None }),
        ["draw"] => Ok(Claim { kind: Kind::Safe, limit: None }),
        ["win", "in", plies] => match plies.parse() {
            Ok(limit @ 1..=65535) => Ok(Claim { kind: Kind::Win, limit: Some(limit) }),
            _ => Err("the number of plies is from 1 to 65535".into()),
        },
        _ => Err("a claim is win, draw, or \"win in N\"".into()),
    }
}

fn parse_side(typed: &str) -> Result<Side, String> {
    match typed {
        "w" => Ok(Side::White),
        "b" => Ok(Side::Black),
        _ => Err("a side is w or b".into()),
    }
}

impl Prove {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        if let Some(file) = &self.check {
            return check::run(&self, file);
        }
        let Some(claim) = self.claim else {
            bail!("--claim says what is to be proven: win, draw, or \"win in N\"")
        };
        make::run(&self, claim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read_and_written() {
        for text in ["win", "draw", "win in 5"] {
            assert_eq!(parse_claim(text).unwrap().text(), text);
        }
        assert_eq!(parse_claim(" win  in 7 ").unwrap().limit, Some(7));
        for wrong in ["", "loss", "win in", "win in 0", "win in 70000", "win in x", "draw in 3"] {
            assert!(parse_claim(wrong).is_err(), "{wrong}");
        }
    }
}
