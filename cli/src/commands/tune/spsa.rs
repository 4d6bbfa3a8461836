//! `jewel tune --spsa`: the parameters of the search, from games that they play against each other.

use super::{ExitStatus, Tune};
use crate::text::grouped;
use crate::{baskets, interrupt, output, progress};
use anyhow::{Result, anyhow, bail};
use jewel_players::support::layout::columns;

use jewel_players::support::files::{self, read_text};
use jewel_players::tuned_files::search_params;
use jewel_search::alphabeta::SearchParams;
use jewel_tournament::adjudication::Adjudication;
use jewel_tournament::config::Config;
use jewel_tournament::openings::Source;
use jewel_tournament::spsa::{Progress, Spsa, TunedGame};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The longest state file that is read, in bytes.
const MAX_STATE_BYTES: u64 = 1 << 20;

/// The state file.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct State {
    /// The command, without options that do not change its result.
    command: String,
    /// The fingerprints of the rules of all games.
    rules: String,
    progress: Progress,
}

/// The result: what `--json` prints.
#[derive(Serialize, Debug)]
struct Summary {
    /// The id of the game, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<String>,
    /// The ids of the games of a basket.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    basket: Vec<String>,
    games: u64,
    nodes: u64,
    out: Option<String>,
    params: SearchParams,
    #[serde(skip)]
    before: SearchParams,
}

/// The games in which parameters are tuned, where they begin, and how they end early.
fn games(args: &Tune) -> Result<Vec<TunedGame>> {
    let random = Source::Random { plies: args.opening_plies };
    let Some(basket) = &args.basket else {
        let (game, adjudication) = (args.which.resolve()?, Adjudication::default());
        return Ok(vec![TunedGame { game, openings: random, adjudication }]);
    };
    let config = Config::from_table(baskets::table(basket, args.which.game.as_deref())?)?;
    let usual = if config.openings == Source::Usual { random } else { config.openings };
    let games = baskets::games(&config.basket)?.into_iter().zip(config.basket);
    Ok(games
        .map(|(game, entry)| TunedGame {
            game,
            openings: entry.openings.unwrap_or_else(|| usual.clone()),
            adjudication: entry.adjudication.unwrap_or_else(|| config.adjudication.clone()),
        })
        .collect())
}

pub(super) fn run(args: &Tune) -> Result<ExitStatus> {
    let games = games(args)?;
    if let Some(TunedGame { game, .. }) = games.iter().find(|tuned| tuned.game.hides()) {
        bail!(
            "{}: alpha-beta search does not play games that hide something from their players",
            game.card().id
        );
    }
    let ids: Vec<String> = games.iter().map(|tuned| tuned.game.card().id).collect();
    let start = match &args.params {
        Some(file) => search_params(file)?,
        None if args.basket.is_some() => SearchParams::DEFAULT,
        None => games[0].game.open().params(),
    };
    let fingerprints: Vec<String> =
        games.iter().map(|tuned| format!("{:016x}", tuned.game.fingerprint())).collect();
    let mut state = State {
        command: args.command().to_string(),
        rules: fingerprints.join(" "),
        progress: Progress::new(&start),
    };
    if let Some(file) = args.state.as_deref().filter(|file| file.exists()) {
        state = resume(file, state)?;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let spsa = Spsa {
        games,
        pairs: args.games / 2,
        nodes: args.nodes,
        clock: args.clock.clone(),
        longest: args.max_plies,
        seed: args.seed,
        concurrency: args.threads.unwrap_or(cores),
    };
    let interrupt = interrupt::listen()?;
    let bar = progress::bar(spsa.pairs, "pairs of games");
    let openings = spsa.openings()?;
    while state.progress.pairs < spsa.pairs {
        bar.set_position(state.progress.pairs);
        let complete = spsa.step(&openings, &mut state.progress, interrupt)?;
        if let Some(file) = &args.state {
            save(&state, file)?;
        }
        if !complete {
            bar.finish_and_clear();
            return Err(interrupted(args, &state, &ids[0]));
        }
    }
    bar.finish_and_clear();
    let params = state.progress.params();
    if let Some(file) = &args.out {
        files::write(file, params.to_text().as_bytes())?;
    }
    let (game, basket) =
        if args.basket.is_some() { (None, ids) } else { (ids.into_iter().next(), Vec::new()) };
    let summary = Summary {
        game,
        basket,
        games: 2 * spsa.pairs,
        nodes: spsa.nodes,
        out: args.out.as_ref().map(|file| file.display().to_string()),
        params,
        before: start,
    };
    output::print(&if args.json { output::json_line(&summary)? } else { summary.text() })?;
    Ok(ExitStatus::Done)
}

/// Goes on from a file.
fn resume(file: &Path, fresh: State) -> Result<State> {
    let name = file.display();
    let found: State = serde_json::from_str(&read_text(file, MAX_STATE_BYTES)?)
        .map_err(|e| anyhow!("{name}: no state file of jewel tune --spsa: {e}"))?;
    if found.command != fresh.command {
        bail!("{name}: made by \"{}\", which is not what was typed now", found.command);
    }
    let numbers = &found.progress.numbers;
    let right = numbers.len() == SearchParams::PARAMS.len() && numbers.iter().all(|n| n.is_finite());
    if found.rules != fresh.rules || !right {
        bail!("{name}: made with other rules, or by another version; remove it to begin anew");
    }
    Ok(found)
}

fn save(state: &State, file: &Path) -> Result<()> {
    files::write(file, serde_json::to_string(state)?.as_bytes())
}

/// Saves the state even if that was not asked for, and says how to go on.
fn interrupted(args: &Tune, state: &State, game: &str) -> anyhow::Error {
    let stem = if args.basket.is_some() { "basket" } else { game };
    let file = args.state.clone().unwrap_or_else(|| files::unused_name(&format!("{stem}-spsa")));
    if args.state.is_none()
        && let Err(error) = save(state, &file)
    {
        return error;
    }
    anyhow!(
        "interrupted after {} of {} games: all of it is in {}, go on with: {}",
        grouped(2 * state.progress.pairs),
        grouped(args.games),
        file.display(),
        args.command_to_go_on(&file)
    )
}

impl Summary {
    fn text(&self) -> String {
        let Some(out) = &self.out else { return self.params.to_text() };
        let mut rows = vec![["parameter".to_string(), "before".to_string(), "after".to_string()]];
        rows.extend(
            SearchParams::PARAMS
                .iter()
                .zip(self.before.numbers().into_iter().zip(self.params.numbers()))
                .map(|(param, (before, now))| [param.name.to_string(), before.to_string(), now.to_string()]),
        );
        format!("{}\ngames   {}\nwritten {out}\n", columns(&rows), grouped(self.games))
    }
}
