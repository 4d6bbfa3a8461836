//! `jewel match`: the matches of Jewel between two players.

use super::ExitStatus;
use crate::command_line::CommandLine;
use crate::{interrupt, output, progress};
use anyhow::{Result, anyhow, bail};
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use jewel_players::catalogue::AnyGame;

use jewel_players::spec::Kind;
use jewel_tournament::adjudication::Adjudication;
use jewel_tournament::config::{Config, Section, read_flag};
use jewel_tournament::matches::play::{Contest, Contestant};
use jewel_tournament::matches::rules::{ClockRules, Event, Form, MatchRules};
use jewel_tournament::matches::sheet::Sheet;
use std::path::PathBuf;
use std::time::Duration;

/// Play the matches of Jewel: Northern Light, or the series of Facets 1 to 3
#[derive(Args)]
#[command(after_long_help = "\
northern-light is DiamondQi; if that is drawn DiamondQuest, in which the other side moves first; if that is drawn, too, \
DiamondChess. Winning DiamondQi brings 1 point; a draw there brings each half a point, and a hunt won later one more. \
With --deciding a second DiamondChess follows three draws, and whoever moves second in it takes the match if that is drawn as well. \
jewel-series is Duel (1 point), Ambush (2 points) and Northern Light, summed. docs/matches.md has all the rules.

Sides, and who moves first where the rules leave it to a lot, are drawn from --seed. Of several matches each two are a \
pair: in the second the players change sides, and the other lots are the same.

Players are written as in `jewel help tournament`. The clocks are those of the rules: what is left from one hunt is added to \
the next. They run where --clock-scale is given or a player has no limit of its own.

Examples:
  jewel match northern-light --engine ab,nodes=5000 --engine mcts,nodes=5000
  jewel match northern-light --deciding --engine ab --engine mcts --clock-scale 0.01
  jewel match jewel-series --engine ab,nodes=2000 --engine random --matches 20 --pgn series.pgn
  jewel match jewel-series --engine human,name=me --engine ab,depth=6 --clock-scale 1 --duel-minutes 10")]
pub(crate) struct MatchArgs {
    /// Which match
    #[arg(value_enum, value_name = "MATCH")]
    form: FormArg,

    /// A player, such as name=ab1,kind=ab,nodes=20000; twice
    #[arg(long, value_name = "PLAYER")]
    engine: Vec<String>,

    /// Settings for each player to whom they mean something, such as nodes=5000
    #[arg(long, value_name = "SETTINGS")]
    each: Vec<String>,

    /// Break a tie: after three draws a Deciding Hunt, and a win bonus of 4, 3 or 1 (northern-light)
    #[arg(long)]
    deciding: bool,

    /// How many matches
    #[arg(long, value_name = "N", default_value = "1", value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000))]
    matches: u64,

    /// Seed of the lots and of players who play at random
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,

    /// Play with the clocks of the rules, so many times as long, such as 0.01 [default: 1 if a player has no limit, else no clocks]
    #[arg(long, value_name = "FACTOR", value_parser = scale)]
    clock_scale: Option<f64>,

    /// What the clocks of Duel have: 5 or 10 minutes
    #[arg(long, value_name = "5|10", default_value = "5", value_parser = ["5", "10"])]
    duel_minutes: String,

    /// A game of so many plies is a draw
    #[arg(long, value_name = "N", default_value = "1000", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    max_plies: usize,

    /// Matches at once [default: as many as there are cores for; one with clocks or people]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    concurrency: Option<usize>,

    /// Keep a line for each match in this file, and go on from those that are there
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,

    /// Write the games to this file as PGN
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,

    /// Print a JSON object: match, players with wins, draws, losses, points and bonus, and the matches with their games
    #[arg(long)]
    json: bool,
}

/// What sort of match, as it is typed.
#[derive(Clone, Copy, ValueEnum)]
enum FormArg {
    /// Facet 3: up to three hunts, with --deciding four
    NorthernLight,
    /// Facets 1 to 3: Duel, Ambush and Northern Light
    JewelSeries,
}

fn scale(typed: &str) -> Result<f64, String> {
    let factor = typed.parse().ok().filter(|factor| (1e-6..=1e3).contains(factor));
    factor.ok_or_else(|| "write a number from 0.000001 to 1000, such as 0.01".to_string())
}

impl MatchArgs {
    pub(crate) fn run(self) -> Result<ExitStatus> {
        let contest = self.contest()?;
        let sides = AnyGame::resolve(Event::Duel.game())?.open().diagram().sides;
        let interrupt = interrupt::listen()?;
        let bar = progress::bar(self.matches, "matches");
        let mut sheet = Sheet::new(&contest);
        let complete = contest.run(interrupt, &mut |line| {
            sheet.enter(line);
            bar.inc(1);
            Ok(())
        });
        bar.finish_and_clear();
        if !complete? {
            let done = format!("interrupted after {} of {} matches", sheet.matches.len(), self.matches);
            match &self.records {
                Some(file) => {
                    bail!("{done}: they are in {}, go on with: {}", file.display(), CommandLine::typed())
                }
                None => bail!("{done}: nothing was kept; --records FILE keeps matches and goes on"),
            }
        }
        output::print(&if self.json { output::json_line(&sheet)? } else { sheet.text(&sides) })?;
        Ok(ExitStatus::Done)
    }

    /// What is to be played.
    fn contest(&self) -> Result<Contest> {
        let form = match self.form {
            FormArg::NorthernLight => Form::NorthernLight,
            FormArg::JewelSeries => Form::JewelSeries,
        };
        if self.deciding && form == Form::JewelSeries {
            bail!("--deciding is for northern-light: the series has no Deciding Hunt");
        }
        let config = Config::read(self.sections()?).map_err(|e| anyhow!(e))?;
        let [first, second] = &config.entrants[..] else {
            bail!("a match is between two players: {} given, write --engine twice", config.entrants.len());
        };
        let clocked =
            self.clock_scale.is_some() || config.entrants.iter().any(|player| player.spec.needs_limit());
        let duel = Duration::from_secs(if self.duel_minutes == "10" { 600 } else { 300 });
        let clocks = clocked.then(|| ClockRules { duel, scale: self.clock_scale.unwrap_or(1.0) });
        let people = config.entrants.iter().any(|player| player.spec.kind() == Kind::Human);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let concurrency = match self.concurrency {
            _ if people => 1,
            Some(asked) => asked,
            None if clocked => 1,
            None => (cores / config.threads()).max(1),
        };
        Ok(Contest {
            rules: MatchRules { form, deciding: self.deciding, clocks },
            players: [first, second]
                .map(|entrant| Contestant { spec: entrant.spec.clone(), margin: entrant.margin }),
            matches: self.matches,
            seed: self.seed,
            concurrency,
            adjudication: Adjudication { max_plies: Some(self.max_plies), ..Adjudication::default() },
            records: self.records.clone(),
            pgn: self.pgn.clone(),
        })
    }

    /// The players, as a tournament reads them.
    fn sections(&self) -> Result<Vec<Section>> {
        let mut sections = Vec::new();
        for (name, flag, first, texts) in
            [("engine", "--engine", "kind", &self.engine), ("each", "--each", "", &self.each)]
        {
            for text in texts {
                let section = read_flag(flag, name, text, first).map_err(|e| anyhow!(e))?;
                if section.settings.iter().any(|setting| setting.key == "clock") {
                    bail!(
                        "{flag}: the clocks of a match are those of its rules: leave clock out, and write --clock-scale"
                    );
                }
                sections.push(section);
            }
        }
        // Whoever has no limit of its own plays by the clock.
        sections.push(read_flag("--each", "each", "clock=jewel", "").map_err(|e| anyhow!(e))?);
        Ok(sections)
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
