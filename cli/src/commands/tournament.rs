//! `jewel tournament`: games between players, with statistics.

use super::ExitStatus;
use crate::arguments::WhichGame;
use crate::command_line::CommandLine;
use crate::text::grouped;
use crate::web::{Beside, Boards, Feed, Setting, Watched};
use crate::{baskets, beside, interrupt, output};
use anyhow::{Result, bail};
use clap::Args;
use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use indicatif::{ProgressBar, ProgressStyle};
use jewel_players::catalogue::{AnyGame, variant_file};
use jewel_players::settings::Table;
use jewel_players::spec::{KEYS, Key, Kind};
use jewel_players::support::words::shortened;
use jewel_tournament::config::{CLOCK_KEYS, Config};
use jewel_tournament::record::GameRecord;
use jewel_tournament::report::Report;
use jewel_tournament::runner::{Observer, Tournament};
use jewel_tournament::schedule::{Format, Schedule};
use jewel_tournament::standings::Standings;
use jewel_tournament::statistics::sprt::Sprt;
use std::io::IsTerminal;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Let players play each other, and measure their strength
#[derive(Args)]
#[command(after_long_help = help())]
pub(crate) struct TournamentArgs {
    /// The game, by its id or its variant file; the file that describes the tournament; or both
    #[arg(value_name = "GAME|CONFIG", num_args = 0..=2)]
    what: Vec<String>,

    /// The id of the game
    #[arg(long, value_name = "GAME", hide = true)]
    game: Option<String>,

    /// The variant file, where the game is not named
    #[arg(long, value_name = "FILE", help_heading = "Game")]
    variant: Option<PathBuf>,

    /// Play in all games of this file, a game table each, and judge them together
    #[arg(long, value_name = "FILE", help_heading = "Game", conflicts_with_all = ["game", "variant"])]
    basket: Option<PathBuf>,

    /// A player, such as name=ab1,kind=ab,nodes=20000; given once for each
    #[arg(long, alias = "engine", value_name = "PLAYER", help_heading = "Players")]
    player: Vec<String>,

    /// Settings for every player whose kind takes them, such as nodes=5000
    #[arg(long, value_name = "SETTINGS", help_heading = "Players")]
    each: Vec<String>,

    /// Each against each, the first against each, knockout, or a sequential test [default: round-robin]
    #[arg(long, value_name = "FORMAT", help_heading = "Games", value_parser = PossibleValuesParser::new(Format::NAMES.map(|format| format.0)))]
    format: Option<String>,

    /// How often each two players meet [default: 1]
    #[arg(long, value_name = "N", help_heading = "Games", value_parser = RangedU64ValueParser::<u64>::new().range(1..))]
    rounds: Option<u64>,

    /// Games of each meeting; an even number makes pairs with the same opening and colours swapped [default: 2]
    #[arg(long, value_name = "N", help_heading = "Games", value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000))]
    games: Option<u64>,

    /// Seed of openings and of random choices of players [default: 1]
    #[arg(long, value_name = "N", help_heading = "Games")]
    seed: Option<u64>,

    /// Where games begin: random=PLIES, or book=FILE and order=random or sequential [default: random=4]
    #[arg(long, value_name = "OPENINGS", help_heading = "Games")]
    openings: Vec<String>,

    /// Which games are ended early: max_plies, resign_score, resign_moves, draw_score, draw_moves, draw_plies, tables
    #[arg(long, value_name = "RULES", help_heading = "Games")]
    adjudicate: Vec<String>,

    /// Stop when a test has decided: elo0, elo1, alpha, beta, model=normalised or logistic
    #[arg(long, value_name = "TEST", help_heading = "Games")]
    sprt: Vec<String>,

    /// Multiply the times of all clocks by this factor, such as 0.01
    #[arg(long, value_name = "FACTOR", help_heading = "Games", value_parser = scale)]
    clock_scale: Option<f64>,

    /// Games at once [default: as many as the cores allow]
    #[arg(long, value_name = "N", help_heading = "Games", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    concurrency: Option<usize>,

    /// The file of records, one JSON object a game [default: CONFIG.jsonl, or a name made from the settings]
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    records: Option<PathBuf>,

    /// Write the games as PGN too
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pgn: Option<PathBuf>,

    /// Whether records have times [default: true where a player plays by time]
    #[arg(long, value_name = "true|false", help_heading = "Files")]
    times: Option<bool>,

    /// The name of the event, for PGN
    #[arg(long, value_name = "NAME", help_heading = "Files")]
    event: Option<String>,

    /// Show the tournament on a page while it is played, at this port; 0 for one that is free
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "8017", conflicts_with = "standings")]
    serve: Option<u16>,

    /// Print the table of the games so far, and play none
    #[arg(long, alias = "report")]
    standings: bool,

    /// Print a JSON object: players, games, sprt and more
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
A tournament is described by a TOML file, by options, or by both; options override the file. docs/tournaments.md explains \
every key. Every game is written to the file of records (--records) as soon as it is over: the same command continues after \
Ctrl-C, which prints the table of the games so far, or after the machine has stopped, and prints the table again once all games \
are played. With fixed \
nodes, depth or playouts and one thread for each player, the records are the same to the byte whatever --concurrency.

With --basket FILE the same players meet in several games, one [[game]] of the TOML file each, with game = \"ID\" or \
variant = \"FILE\", and its own [game.openings] and [game.adjudication] where it needs them. Each round plays all of them; \
the verdict, a sequential test too, is on all pairs of games together.

A player is key=value,key=value; a first word without = is the kind. The keys, with the kinds of players that take them:

{keys}

The exit code of a sequential test (--sprt) is 0 if H1 was accepted, and 1 if H0 or neither was.

Examples:
  jewel tournament cup.toml
  jewel tournament duel --player random --player greedy --rounds 500
  jewel tournament ambush --player ab --player mcts --each nodes=5000 --openings random=4 --rounds 200
  jewel tournament diamond-chess --player name=new,kind=ab --player name=old,cmd=./old --each clock=10+0.1 \\
    --openings book=book.epd --sprt elo0=0,elo1=5 --pgn games.pgn
  jewel tournament duel --player ab,nodes=500 --player mcts,nodes=500 --rounds 500 --serve
  jewel tournament --basket basket.toml --player name=new,params=new.json,kind=ab --player name=old,kind=ab \\
    --each nodes=5000 --sprt elo0=0,elo1=10";

/// The help with the keys of players.
fn help() -> String {
    let line = |key: &Key| {
        let name = if key.name == "option" { "option.NAME" } else { key.name };
        let kinds: Vec<&str> = key.kinds.iter().map(|kind| kind.name()).collect();
        let kinds = if kinds.len() == Kind::ALL.len() { "all".to_string() } else { kinds.join(", ") };
        format!("  {name}={}: {} ({kinds})", key.value, key.help)
    };
    let keys: Vec<String> = KEYS.iter().chain(&CLOCK_KEYS).map(line).collect();
    HELP.replace("{keys}", &keys.join("\n"))
}

impl TournamentArgs {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let (which, file) = self.what()?;
        let stem = file.as_ref().map(|(file, _)| file.with_extension(""));
        let config = self.config(&which, file.map(|(_, table)| table))?;
        let games = games(&config)?;
        let (tournament, roster) = config.prepare(&games, stem.as_deref())?;
        if !self.standings {
            games.iter().for_each(|game| tell_beside(*game, &config));
            roster.rehearse()?;
            if let Some(warning) = config.oversubscription() {
                eprintln!("warning: {warning}");
            }
        }
        let interrupt = if self.standings { &NOTHING_MORE } else { interrupt::listen()? };
        let mut screen = Screen::new(&tournament);
        let boards = Boards::default();
        let server = self.serve.map(|port| serve(port, &games, &tournament, &boards)).transpose()?;
        let finish = match &server {
            Some(server) => {
                screen.say(&format!("serving the tournament at {} until it is over", server.url));
                let watched = Watched { factory: &roster, boards, names: &tournament.names };
                tournament.run(&watched, interrupt, &mut screen)
            }
            None => tournament.run(&roster, interrupt, &mut screen),
        };
        screen.bar.finish_and_clear();
        let finish = finish?;
        let mut report = screen.report(&finish.standings, finish.complete);
        report.champion = finish.champion.map(|number| tournament.names[number].clone());
        output::print(&if self.json { output::json_line(&report)? } else { report.text() })?;
        if !finish.complete && !self.standings {
            bail!(
                "interrupted after {} games: all of them are in {}, go on with: {}",
                grouped(finish.standings.games()),
                tournament.records.display(),
                CommandLine::typed()
            );
        }
        // People learn where a file with a generated name is; programs get a clean stderr.
        let chosen = config.records.is_some() || stem.is_some();
        if !chosen && !self.standings && !self.json && std::io::stderr().is_terminal() {
            eprintln!("The games are in {}.", tournament.records.display());
        }
        // A test that has not accepted H1 answers "no".
        Ok(if report.sprt.is_none_or(|sprt| sprt.verdict == "h1") {
            ExitStatus::Done
        } else {
            ExitStatus::No
        })
    }

    /// The game that is named, and the file that describes the tournament with its table. Both may be TOML: the rules
    /// of a game have a board.
    fn what(&self) -> Result<(WhichGame, Option<(PathBuf, Table)>)> {
        let mut which = WhichGame { game: self.game.clone(), variant: self.variant.clone() };
        let mut config = None;
        for word in &self.what {
            if let Some(file) = variant_file(word) {
                let table = baskets::read(file)?;
                if table.get("board").is_none() {
                    if config.replace((file.to_path_buf(), table)).is_some() {
                        bail!("two files describe the tournament: leave \"{}\" out", shortened(word));
                    }
                    continue;
                }
            }
            if which.game.is_some() {
                bail!("a tournament has one game: leave \"{}\" out", shortened(word));
            }
            which.game = Some(word.clone());
        }
        if let (Some(game), Some(_)) = (&which.game, &which.variant) {
            bail!("--variant takes the place of the game: leave \"{}\" out", shortened(game));
        }
        Ok((which, config))
    }

    /// The configuration of the file's table, with the options in place of its settings. What a file of a basket has
    /// beside games counts where nothing else is said.
    fn config(&self, which: &WhichGame, file: Option<Table>) -> Result<Config> {
        let mut table = match &self.basket {
            Some(basket) => baskets::table(basket, which.game.as_deref())?,
            None => Table::default(),
        };
        let mut own = file.unwrap_or_default();
        if self.basket.is_some() {
            // The games are those of the basket.
            let _ = own.split(|key| matches!(key, "game" | "variant"));
        }
        table.extend(own);
        for (key, flag, texts) in [
            ("openings", "--openings", &self.openings),
            ("adjudication", "--adjudicate", &self.adjudicate),
            ("sprt", "--sprt", &self.sprt),
        ] {
            for text in texts {
                table.merge(key, Table::from_pairs(flag, text, "")?);
            }
        }
        add_players(&mut table, &self.player, &self.each)?;
        let file = Config::from_table(table)?;
        let typed = which.game.is_some() || which.variant.is_some();
        let (game, variant) = (which.game.clone(), which.variant.clone());
        let (game, variant) = if typed { (game, variant) } else { (file.game, file.variant) };
        Ok(Config {
            game,
            variant,
            // A game that is typed takes the place of what the file has.
            basket: if typed { Vec::new() } else { file.basket },
            event: self.event.clone().unwrap_or(file.event),
            format: self.format.as_deref().and_then(Format::from_name).or(file.format),
            rounds: self.rounds.or(file.rounds),
            games: self.games.unwrap_or(file.games),
            seed: self.seed.unwrap_or(file.seed),
            concurrency: self.concurrency.or(file.concurrency),
            clock_scale: self.clock_scale.unwrap_or(file.clock_scale),
            records: self.records.clone().or(file.records),
            pgn: self.pgn.clone().or(file.pgn),
            times: self.times.or(file.times),
            ..file
        })
    }
}

/// The games of a tournament: the one that is named, or those of its basket.
fn games(config: &Config) -> Result<Vec<AnyGame>> {
    if !config.basket.is_empty() {
        return baskets::games(&config.basket);
    }
    let game = match (&config.variant, &config.game) {
        (Some(file), _) => AnyGame::load(file)?,
        (None, Some(game)) => AnyGame::named(game)?,
        (None, None) => bail!(
            "no game given: write its id (`jewel games` lists them) or a variant file, or game = \"ID\" in the \
             file of the tournament"
        ),
    };
    Ok(vec![game])
}

/// Says what lies beside the variant file of a game, if some player may use it.
fn tell_beside(game: AnyGame, config: &Config) {
    if config.players.iter().any(|player| player.spec.uses_own_evaluation()) {
        beside::tell(game, "net=none for a player");
    }
}

/// Shows a tournament on a page.
fn serve(port: u16, games: &[AnyGame], tournament: &Tournament, boards: &Boards) -> Result<Beside> {
    Beside::start(Setting {
        games: games.to_vec(),
        feed: Some(Feed::from_tournament(tournament, boards.clone())),
        address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port),
        // The players need the machine.
        searches: 1,
        threads: 1,
        ..Setting::default()
    })
}

/// A factor for the times of clocks.
pub(super) fn scale(typed: &str) -> Result<f64, String> {
    let factor = typed.parse().ok().filter(|factor| (1e-6..=1e3).contains(factor));
    factor.ok_or_else(|| "write a number from 0.000001 to 1000, such as 0.01".to_string())
}

/// Adds the players that are typed, and the settings for each.
pub(super) fn add_players(table: &mut Table, engines: &[String], each: &[String]) -> Result<()> {
    for text in engines {
        table.append("player", Table::from_pairs("--player", text, "kind")?);
    }
    for text in each {
        table.merge("each", Table::from_pairs("--each", text, "")?);
    }
    Ok(())
}

/// An interrupt from the start, so that no game is played.
static NOTHING_MORE: AtomicBool = AtomicBool::new(true);

/// Time between two updates of the table on the terminal.
const REDRAW: Duration = Duration::from_millis(250);

/// Most faults of players that are reported one by one.
const MAX_FAULTS: u32 = 20;

const BAR: &str = "{msg}\n{bar:30} {pos}/{len} games, {elapsed} gone, {eta} to go";

/// The live table on stderr, where that is a terminal, and the faults of players.
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
        let games: Vec<(String, String)> =
            self.tournament.stages.iter().map(|stage| (stage.name.clone(), stage.game.clone())).collect();
        match &games[..] {
            [(_, game)] => Report::new(game, standings, scheduled, complete, self.sprt.as_ref()),
            games => Report::of_basket(games, standings, scheduled, complete, self.sprt.as_ref()),
        }
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
