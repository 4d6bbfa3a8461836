//! `jewel-mpi`: builds tables on the ranks of an MPI job.
#![forbid(unsafe_code)]

use anyhow::{Context, Result, anyhow, bail};
use clap::{Parser, ValueEnum};
use jewel_engine::games;
use jewel_engine::variant::Rules;
use jewel_solver::tablebase::build::{BuildError, Options};
use jewel_solver::tablebase::ranks::{self, Exchange, Traffic};
use jewel_solver::tablebase::{Plan, Scope};
use jewel_tables::writer::Distances;
use mpi::Threading;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Build tables on several ranks of an MPI job, which solve each class together. Start it with mpirun or srun; all ranks must
/// see the same folder. After a rank was stopped the same command goes on, on any number of ranks. The files are those of
/// `jewel tables build`.
#[derive(Parser, Debug)]
#[command(name = "jewel-mpi", version)]
struct Arguments {
    /// A game of jewel, or a variant file
    game: String,

    /// This class, such as NLvNQ, and all that it leads to; without it and --max-pieces, those of the start position
    #[arg(long, value_name = "CLASS", conflicts_with = "max_pieces")]
    class: Option<String>,

    /// Every class of at most this number of pieces
    #[arg(long, value_name = "N")]
    max_pieces: Option<usize>,

    /// The folder of the tables, jewel-tables/GAME if it is not given
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// Memory of each rank, such as 16G; a class that takes more keeps its slices in a file
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,

    /// Threads of each rank
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: usize,

    /// Seconds between two saves of a class that takes long
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(0..=86400))]
    checkpoint: u64,

    /// Which distances to store
    #[arg(long, value_enum, default_value_t = Stored::All)]
    distances: Stored,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Stored {
    /// All of them.
    All,
    /// Those of lost positions.
    Lost,
    /// None.
    None,
}

impl From<Stored> for Distances {
    fn from(stored: Stored) -> Distances {
        match stored {
            Stored::All => Distances::All,
            Stored::Lost => Distances::Lost,
            Stored::None => Distances::None,
        }
    }
}

/// A number of bytes, with K, M, G or T for powers of 1024.
fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("a size is a number, or one with K, M, G or T, such as 16G".to_string()),
    };
    let number: u64 = digits.parse().map_err(|_| "a size begins with a number, such as 16G".to_string())?;
    number.checked_mul(1 << shift).ok_or_else(|| "that is more than any memory".to_string())
}

fn rules(game: &str) -> Result<&'static Rules> {
    if let Some(info) = games::find(game) {
        return Ok(info.rules());
    }
    if !game.ends_with(".toml") {
        bail!("there is no game {game}, and the name of a variant file ends in .toml");
    }
    let text = std::fs::read_to_string(game).with_context(|| game.to_string())?;
    Ok(Rules::parse(&text).map_err(|e| anyhow!("{game}: {e}"))?.leak())
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            let stopped = error.downcast_ref::<BuildError>().is_some();
            ExitCode::from(if stopped { 1 } else { 2 })
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let rules = rules(&arguments.game)?;
    let scope = match (&arguments.class, arguments.max_pieces) {
        (Some(class), _) => Scope::Class(class.clone()),
        (None, Some(pieces)) => Scope::MaxPieces(pieces),
        (None, None) => Scope::Start,
    };
    let folder = arguments.tables.clone().unwrap_or_else(|| Path::new("jewel-tables").join(&rules.id));
    let plan = Plan::new(rules, &scope)?;
    let interrupt = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&interrupt))?;
    }
    let (mut universe, provided) =
        mpi::initialize_with_threading(Threading::Funneled).context("MPI cannot be initialized")?;
    if provided < Threading::Funneled {
        bail!("this MPI does not allow a process to have threads");
    }
    let options = Options {
        memory: arguments.memory.unwrap_or(u64::MAX),
        checkpoint: Duration::from_secs(arguments.checkpoint),
        distances: arguments.distances.into(),
        ..Options::default()
    };
    let begun = Instant::now();
    let threads = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build()?;
    let (rank, built) = jewel_mpi::run(&mut universe, |exchange| {
        let (rank, ranks) = (exchange.rank(), exchange.ranks());
        let built = threads.install(|| ranks::build(&plan, &folder, &options, exchange, &interrupt, &|_| {}));
        (rank, built.with_context(|| format!("rank {rank} of {ranks}")))
    });
    drop(universe);
    let sent = built?;
    if rank == 0 {
        println!("tables   {} in {}", plan.classes.len(), folder.display());
        println!("cells    {}", plan.cells());
        println!("seconds  {:.3}", begun.elapsed().as_secs_f64());
    }
    let Traffic { messages, bytes, cells, cells_a_move, final_bytes, all_bytes } = sent;
    println!(
        "rank {rank}   sent {bytes} bytes for {cells} cells in {messages} messages (one a move: {cells_a_move} cells), \
         {final_bytes} finished cells, {all_bytes} bytes in all"
    );
    Ok(())
}
