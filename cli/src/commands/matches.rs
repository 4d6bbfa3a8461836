//! `jewel match`: the matches of Jewel between two players.

use super::ExitStatus;
use super::tournament::{add_players, scale};
use crate::command_line::CommandLine;
use crate::{interrupt, output, progress};
use anyhow::{Result, anyhow, bail};
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use jewel_players::catalogue::AnyGame;
use jewel_players::settings::Table;
use jewel_players::spec::Kind;
use jewel_players::support::words::shortened;
use jewel_tournament::adjudication::{Adjudication, PlyLimit};
use jewel_tournament::config::{Clock, Config};
use jewel_tournament::matches::play::{MatchPlayer, MatchSeries};
use jewel_tournament::matches::rules::{Beginners, ClockRules, Event, Form, MatchRules, Seats};
use std::path::PathBuf;
use std::time::Duration;

/// Play the matches of Jewel: Northern Light, or the series of Facets 1 to 3
#[derive(Args)]
#[command(after_long_help = "\
northern-light is DiamondQi; if that is drawn, DiamondQuest, in which the other side moves first; if that is drawn too, \
DiamondChess. A win in DiamondQi is 1 point; a draw there is half a point for each, and a later win 1 point more. \
With --deciding a second DiamondChess follows three draws; if that is drawn as well, the side that moves second in it wins the match. \
jewel-series is Duel (1 point), Ambush (2 points) and Northern Light, added up. docs/matches.md has all the rules.

Sides, and the first move where the rules leave it to a lot, are drawn from --seed. Several matches come in \
pairs: in the second match of a pair the players change sides, and the other lots are the same. With --south a player \
insists on the southern side, as the rules allow one who had it in an earlier game.

Players are written as in `jewel help tournament`. The clocks are those of the rules: time left from one hunt is added to \
the next. They are used if --clock-scale is given or a player has no limit of its own.

Examples:
  jewel match northern-light --player ab,nodes=5000 --player mcts,nodes=5000
  jewel match northern-light --deciding --player ab --player mcts --clock-scale 0.01
  jewel match jewel-series --player ab,nodes=2000 --player random --matches 20 --pgn series.pgn
  jewel match jewel-series --player human,name=me --player ab,depth=6 --clock-scale 1 --duel-minutes 10")]
pub(crate) struct MatchArgs {
    /// Which match
    #[arg(value_enum, value_name = "MATCH")]
    form: FormArg,

    /// A player, such as name=ab1,kind=ab,nodes=20000; given twice
    #[arg(long, alias = "engine", value_name = "PLAYER")]
    player: Vec<String>,

    /// Settings for every player whose kind takes them, such as nodes=5000
    #[arg(long, value_name = "SETTINGS")]
    each: Vec<String>,

    /// Break a tie: after three draws a Deciding Hunt, and a win bonus of 4, 3 or 1 (northern-light)
    #[arg(long)]
    deciding: bool,

    /// Let Duel and Ambush bring points in the first match alone: by the source they do so on first play only (jewel-series)
    #[arg(long)]
    first_play: bool,

    /// The player who has the southern side, Red, in every match, instead of a lot
    #[arg(long, value_name = "NAME")]
    south: Option<String>,

    /// Number of matches
    #[arg(long, value_name = "N", default_value = "1", value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000))]
    matches: u64,

    /// Seed of the lots and of random choices of players
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,

    /// Play with the clocks of the rules, their times multiplied by this, such as 0.01 [default: 1 if a player has no limit, else no clocks]
    #[arg(long, value_name = "FACTOR", value_parser = scale)]
    clock_scale: Option<f64>,

    /// Time of each side for Duel: 5 or 10 minutes
    #[arg(long, value_name = "5|10", default_value = "5", value_parser = ["5", "10"])]
    duel_minutes: String,

    /// Plies after which a game is a draw
    #[arg(long, value_name = "N", default_value = "1000", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    max_plies: usize,

    /// Matches at once [default: as many as the cores allow; one with clocks or people]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    concurrency: Option<usize>,

    /// Record each match in this file, and continue after those that are there
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,

    /// Write the games to this file as PGN
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,

    /// Print a JSON object: match, players with wins, draws, losses, points and bonus, and the matches with their games
    #[arg(long)]
    json: bool,
}

/// The kind of match, as it is typed.
#[derive(Clone, Copy, ValueEnum)]
enum FormArg {
    /// Facet 3: up to three hunts, with --deciding four
    NorthernLight,
    /// Facets 1 to 3: Duel, Ambush and Northern Light
    JewelSeries,
}

impl MatchArgs {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let series = self.series()?;
        let sides = AnyGame::resolve(Event::Duel.game())?.open().diagram().sides;
        let interrupt = interrupt::listen()?;
        let bar = progress::bar(self.matches, "matches");
        let mut scoresheet = series.scoresheet();
        let complete = series.run(interrupt, &mut |line| {
            scoresheet.enter(line);
            bar.inc(1);
            Ok(())
        });
        bar.finish_and_clear();
        if !complete? {
            let done = format!("interrupted after {} of {} matches", scoresheet.matches.len(), self.matches);
            match &self.records {
                Some(file) => {
                    bail!("{done}: they are in {}, go on with: {}", file.display(), CommandLine::typed())
                }
                None => bail!("{done}: nothing was kept; --records FILE keeps matches and goes on"),
            }
        }
        output::print(&if self.json { output::json_line(&scoresheet)? } else { scoresheet.text(&sides) })?;
        Ok(ExitStatus::Done)
    }

    /// The series of matches to play.
    fn series(&self) -> Result<MatchSeries> {
        let form = match self.form {
            FormArg::NorthernLight => Form::NorthernLight,
            FormArg::JewelSeries => Form::JewelSeries,
        };
        if self.deciding && form == Form::JewelSeries {
            bail!("--deciding is for northern-light: the series has no Deciding Hunt");
        }
        let config = self.config()?;
        let [first, second] = &config.players[..] else {
            bail!("a match is between two players: {} given, write --player twice", config.players.len());
        };
        if self.first_play && form != Form::JewelSeries {
            bail!("--first-play is for jewel-series: Northern Light always brings points");
        }
        let beginners = if self.first_play { Beginners::FirstPlay } else { Beginners::Always };
        let seats = match &self.south {
            None => Seats::ByLot,
            Some(name) => {
                let names = [first, second].map(|player| player.spec.name());
                Seats::South(names.iter().position(|own| own == name).ok_or_else(|| {
                    let [one, other] = names.map(shortened);
                    anyhow!("--south: no player \"{}\": they are \"{one}\" and \"{other}\"", shortened(name))
                })?)
            }
        };
        let clocked =
            self.clock_scale.is_some() || config.players.iter().any(|player| player.spec.needs_limit());
        let duel = Duration::from_secs(if self.duel_minutes == "10" { 600 } else { 300 });
        let clocks = clocked.then(|| ClockRules { duel, scale: self.clock_scale.unwrap_or(1.0) });
        let people = config.players.iter().any(|player| player.spec.kind() == Kind::Human);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let concurrency = match self.concurrency {
            _ if people => 1,
            Some(asked) => asked,
            None if clocked => 1,
            None => (cores / config.threads()).max(1),
        };
        Ok(MatchSeries {
            rules: MatchRules { form, deciding: self.deciding, clocks, beginners, seats },
            players: [first, second]
                .map(|player| MatchPlayer { spec: player.spec.clone(), grace: player.grace }),
            matches: self.matches,
            seed: self.seed,
            concurrency,
            adjudication: Adjudication {
                max_plies: PlyLimit::After(self.max_plies),
                ..Adjudication::default()
            },
            records: self.records.clone(),
            pgn: self.pgn.clone(),
        })
    }

    /// The players, as a tournament reads them.
    fn config(&self) -> Result<Config> {
        let mut table = Table::default();
        add_players(&mut table, &self.player, &self.each)?;
        let mut config = Config::from_table(table)?;
        for player in &mut config.players {
            if player.clock.is_some() {
                bail!(
                    "player \"{}\": the clocks of a match are those of its rules: leave clock out, and write \
                     --clock-scale",
                    player.spec.name()
                );
            }
            // A player without a limit of its own plays by the clock.
            player.clock = Some(Clock::Jewel);
        }
        config.check().map_err(|e| anyhow!(e))?;
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_a_positive_number() {
        assert_eq!(scale("0.01"), Ok(0.01));
        for wrong in ["0", "-1", "x", "nan", "inf", "1e9", ""] {
            assert!(scale(wrong).is_err(), "{wrong}");
        }
    }
}
