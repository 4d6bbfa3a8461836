//! `jewel tournament`: players against each other, with statistics.

use super::ExitStatus;
use crate::command_line::CommandLine;
use crate::text::grouped;
use crate::{interrupt, output};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use jewel_players::catalogue::AnyGame;
use jewel_players::support::files::read_text;
use jewel_tournament::config::{Choice, Config, Section, Setting, read_flag, read_toml};
use jewel_tournament::record::GameRecord;
use jewel_tournament::report::Report;
use jewel_tournament::runner::{Observer, Tournament};
use jewel_tournament::schedule::Schedule;
use jewel_tournament::standings::Standings;
use jewel_tournament::statistics::sprt::Sprt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Let players play each other, and say who is stronger
#[derive(Args)]
#[command(after_long_help = "\
A tournament is described by a TOML file, by options, or by both; options override. docs/tournaments.md explains every \
key. Every game is written to the file of records (--records) as soon as it is over: the same command goes on after \
Ctrl-C, or after the machine has stopped, and once everything has been played it prints the table again. With fixed \
nodes, depth or playouts and one thread for each player, the records are the same to the byte whatever --concurrency.

A player is key=value,key=value: kind (random, greedy, ab, mcts, table, human, uci, ugi), name, nodes, depth, time, \
playouts, clock, threads, hash, tables, seed; for other programs cmd, args, dir, option.NAME and more. A first word \
without = is the kind.

The exit code of a sequential test (--sprt) is 0 if H1 was accepted, and 1 if H0 was, or none.

Examples:
  jewel tournament cup.toml
  jewel tournament --game duel --engine random --engine greedy --rounds 500
  jewel tournament --game ambush --engine ab --engine mcts --each nodes=5000 --openings random=4 --rounds 200
  jewel tournament --game diamond-chess --engine name=new,kind=ab --engine name=old,cmd=./old --each clock=10+0.1 \\
    --openings book=book.epd --sprt elo0=0,elo1=5 --pgn games.pgn")]
pub(crate) struct TournamentArgs {
    /// The file that describes the tournament
    #[arg(value_name = "CONFIG")]
    config: Option<PathBuf>,

    /// The id of the game
    #[arg(long, value_name = "GAME", help_heading = "Game")]
    game: Option<String>,

    /// Play by this variant file instead of a game that comes with the program
    #[arg(long, value_name = "FILE", help_heading = "Game")]
    variant: Option<String>,

    /// A player, such as name=ab1,kind=ab,nodes=20000; once for each
    #[arg(long, value_name = "PLAYER", help_heading = "Players")]
    engine: Vec<String>,

    /// Settings for each player to whom they mean something, such as nodes=5000
    #[arg(long, value_name = "SETTINGS", help_heading = "Players")]
    each: Vec<String>,

    /// round-robin, gauntlet (the first against each), knockout, or sprt [default: round-robin]
    #[arg(long, value_name = "FORMAT", help_heading = "Games")]
    format: Option<String>,

    /// How often each two meet [default: 1]
    #[arg(long, value_name = "N", help_heading = "Games")]
    rounds: Option<String>,

    /// Games each time; an even number makes pairs with the same opening and colours swapped [default: 2]
    #[arg(long, value_name = "N", help_heading = "Games")]
    games: Option<String>,

    /// Seed of openings and of players who play at random [default: 1]
    #[arg(long, value_name = "N", help_heading = "Games")]
    seed: Option<String>,

    /// Where games begin: random=PLIES, or book=FILE and order=random or sequential [default: the start position]
    #[arg(long, value_name = "OPENINGS", help_heading = "Games")]
    openings: Vec<String>,

    /// Which games are ended early: max_plies, resign_score, resign_moves, draw_score, draw_moves, draw_plies, tables
    #[arg(long, value_name = "RULES", help_heading = "Games")]
    adjudicate: Vec<String>,

    /// Stop when a test has decided: elo0, elo1, alpha, beta, model=normalised or logistic
    #[arg(long, value_name = "TEST", help_heading = "Games")]
    sprt: Vec<String>,

    /// Let clocks run so many times as long as they say, such as 0.01
    #[arg(long, value_name = "FACTOR", help_heading = "Games")]
    clock_scale: Option<String>,

    /// Games at once [default: as many as there are cores for]
    #[arg(long, value_name = "N", help_heading = "Games")]
    concurrency: Option<String>,

    /// The file of records, one JSON object a game [default: CONFIG.jsonl, or a name made from the settings]
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    records: Option<String>,

    /// Write the games as PGN too
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pgn: Option<String>,

    /// Whether records have times [default: true where somebody plays by the time]
    #[arg(long, value_name = "true|false", help_heading = "Files")]
    times: Option<String>,

    /// The name of the event, for PGN
    #[arg(long, value_name = "NAME", help_heading = "Files")]
    event: Option<String>,

    /// Play nothing: print the table of what has been played so far
    #[arg(long)]
    report: bool,

    /// Print a JSON object: players, games, sprt and more
    #[arg(long)]
    json: bool,
}

/// Longest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 16 << 20;

impl TournamentArgs {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let config = Config::read(self.sections()?).map_err(|e| anyhow!(e))?;
        let game = match &config.game {
            Choice::Id(id) if id.is_empty() => {
                bail!(
                    "no game given: write game = \"ID\" in the file, or --game ID (`jewel games` lists them)"
                )
            }
            Choice::Id(id) => AnyGame::resolve(id)?,
            Choice::File(file) => AnyGame::load(file)?,
        };
        let stem = self.config.as_ref().map(|file| file.with_extension(""));
        let (tournament, company) = config.prepare(game, stem.as_deref())?;
        if !self.report {
            company.rehearse()?;
            if let Some(warning) = config.oversubscription() {
                eprintln!("warning: {warning}");
            }
        }
        let interrupt = if self.report { &NOTHING_MORE } else { interrupt::listen()? };
        let mut screen = Screen::new(&tournament);
        let finish = tournament.run(&company, interrupt, &mut screen);
        screen.bar.finish_and_clear();
        let finish = finish?;
        if !finish.complete && !self.report {
            bail!(
                "interrupted after {} games: all of them are in {}, go on with: {}",
                grouped(finish.standings.games()),
                tournament.records.display(),
                CommandLine::typed()
            );
        }
        let mut report = screen.report(&finish.standings, finish.complete);
        report.champion = finish.champion.map(|number| tournament.names[number].clone());
        output::print(&if self.json { output::json_line(&report)? } else { report.text() })?;
        // A test that has not decided for H1 is no yes.
        Ok(if report.sprt.is_none_or(|sprt| sprt.verdict == "h1") {
            ExitStatus::Done
        } else {
            ExitStatus::No
        })
    }

    /// The sections of the file, then those of the options.
    fn sections(&self) -> Result<Vec<Section>> {
        let mut sections = match &self.config {
            Some(file) => {
                let text = read_text(file, MAX_FILE_BYTES)?;
                read_toml(&file.display().to_string(), &text).map_err(|e| anyhow!(e))?
            }
            None => Vec::new(),
        };
        let single = [
            ("game", "--game", &self.game),
            ("variant", "--variant", &self.variant),
            ("format", "--format", &self.format),
            ("rounds", "--rounds", &self.rounds),
            ("games", "--games", &self.games),
            ("seed", "--seed", &self.seed),
            ("clock_scale", "--clock-scale", &self.clock_scale),
            ("concurrency", "--concurrency", &self.concurrency),
            ("records", "--records", &self.records),
            ("pgn", "--pgn", &self.pgn),
            ("times", "--times", &self.times),
            ("event", "--event", &self.event),
        ];
        let given = single.into_iter().filter_map(|(key, flag, value)| {
            let value = value.clone()?;
            Some(Setting { key: key.to_string(), value, place: flag.to_string() })
        });
        sections.push(Section { name: String::new(), place: String::new(), settings: given.collect() });
        for (name, flag, first, texts) in [
            ("openings", "--openings", "", &self.openings),
            ("adjudication", "--adjudicate", "", &self.adjudicate),
            ("sprt", "--sprt", "", &self.sprt),
            ("each", "--each", "", &self.each),
            ("engine", "--engine", "kind", &self.engine),
        ] {
            for text in texts {
                sections.push(read_flag(flag, name, text, first).map_err(|e| anyhow!(e))?);
            }
        }
        Ok(sections)
    }
}

/// Set from the start: nothing is played.
static NOTHING_MORE: AtomicBool = AtomicBool::new(true);

/// How often the table on the terminal is drawn anew.
const REDRAW: Duration = Duration::from_millis(250);

/// Most faults of players that are told one by one.
const MAX_FAULTS: u32 = 20;

const BAR: &str = "{msg}\n{bar:30} {pos}/{len} games, {elapsed} gone, {eta} to go";

/// The live table, on stderr where that is a terminal; and faults of players, wherever that is.
struct Screen<'a> {
    tournament: &'a Tournament,
    sprt: Option<Sprt>,
    scheduled: u64,
    bar: ProgressBar,
    drawn: Instant,
    faults: u32,
}

impl<'a> Screen<'a> {
    fn new(tournament: &'a Tournament) -> Screen<'a> {
        let scheduled = Schedule::new(tournament.plan).map_or(0, |schedule| schedule.games());
        let bar = ProgressBar::new(scheduled);
        // The template is a constant that the tests read.
        if let Ok(style) = ProgressStyle::with_template(BAR) {
            bar.set_style(style);
        }
        Screen { tournament, sprt: tournament.sprt, scheduled, bar, drawn: Instant::now(), faults: 0 }
    }

    fn report(&self, standings: &Standings, complete: bool) -> Report {
        let scheduled = self.scheduled.max(standings.games());
        Report::new(&self.tournament.game, standings, scheduled, complete, self.sprt.as_ref())
    }

    fn say(&self, line: &str) {
        if self.bar.is_hidden() {
            eprintln!("{line}");
        } else {
            self.bar.println(line);
        }
    }
}

impl Observer for Screen<'_> {
    fn recorded(&mut self, record: &GameRecord, standings: &Standings) {
        if record.reason.is_fault() {
            self.faults += 1;
            if self.faults <= MAX_FAULTS {
                let GameRecord { number, white, black, ending, .. } = record;
                self.say(&format!("game {number}, {white} against {black}: {ending}"));
            } else if self.faults == MAX_FAULTS + 1 {
                self.say(&format!("more such games: see {}", self.tournament.records.display()));
            }
        }
        if !self.bar.is_hidden() && self.drawn.elapsed() >= REDRAW {
            self.bar.set_length(self.scheduled.max(standings.games()));
            self.bar.set_position(standings.games());
            self.bar.set_message(self.report(standings, false).live());
            self.drawn = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_bar_is_understood() {
        assert!(ProgressStyle::with_template(BAR).is_ok());
    }
}
