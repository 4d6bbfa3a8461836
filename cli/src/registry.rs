//! Names and games: the one place that knows which games there are, and the one place where a game that
//! was named becomes a type.
//!
//! A family of games that is no variant file takes an arm in [`AnyGame`] and its entries in
//! [`catalogue`] and [`AnyGame::resolve`]; commands do not change.

use crate::objective;
use anyhow::{Context, Result, anyhow, bail};
use jewel_engine::chesslike::{self, GameVisitor, StaticVisitor};
use jewel_engine::games::{self, Embedded};
use jewel_engine::variant::Rules;
use serde::Serialize;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A game whose type is not known before the program runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AnyGame {
    /// A game of a variant file.
    Variant(&'static Rules),
}

/// What `jewel games` says about a game.
#[derive(Clone, Serialize, Debug)]
pub(crate) struct Card {
    #[serde(rename = "game")]
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) board: String,
    pub(crate) objective: String,
    pub(crate) status: &'static str,
    pub(crate) summary: String,
}

/// The games that come with the program.
pub(crate) fn catalogue() -> Vec<Card> {
    let card = |game: &'static Embedded| Card {
        aliases: game.aliases,
        status: game.status,
        ..AnyGame::Variant(game.rules()).card()
    };
    games::GAMES.iter().map(card).collect()
}

/// Longest variant file that is read, in bytes: a page of TOML has a few thousand.
const LONGEST_FILE: u64 = 1 << 20;

impl AnyGame {
    /// The game that `id` or `id:key=value,key=value` names.
    ///
    /// # Errors
    /// If there is no such game (the nearest name is suggested), or no such parameter.
    pub(crate) fn resolve(typed: &str) -> Result<AnyGame> {
        let (id, parameters) = match typed.split_once(':') {
            Some((id, parameters)) => (id, Some(parameters)),
            None => (typed, None),
        };
        let Some(game) = games::find(id) else {
            let known = games::GAMES.iter().flat_map(|g| g.aliases.iter().copied().chain([g.id]));
            let hint = match games::nearest(id, known) {
                Some(near) => format!("did you mean \"{near}\"? "),
                None => String::new(),
            };
            bail!("no game \"{}\": {hint}`jewel games` lists them", shortened(id));
        };
        if let Some(parameters) = parameters {
            let first = parameters.split(',').next().unwrap_or_default();
            let key = first.split_once('=').map_or(first, |(key, _)| key);
            bail!(
                "{} has no parameter \"{}\"; it has none at all: write just \"{id}\"",
                game.id,
                shortened(key)
            );
        }
        Ok(AnyGame::Variant(game.rules()))
    }

    /// The game of a variant file.
    ///
    /// # Errors
    /// If the file cannot be read or has a mistake: one line that begins with the file's name.
    pub(crate) fn load(file: &Path) -> Result<AnyGame> {
        let text = read_text(file, LONGEST_FILE)?;
        let mut rules = Rules::parse(&text).map_err(|e| anyhow!("{}: {e}", file.display()))?;
        disarm(&mut rules);
        Ok(AnyGame::Variant(rules.leak()))
    }

    /// The rules.
    pub(crate) fn rules(self) -> &'static Rules {
        match self {
            AnyGame::Variant(rules) => rules,
        }
    }

    /// Calls the visitor with the game, which it may keep.
    pub(crate) fn visit_static<V: StaticVisitor>(self, visitor: V) -> V::Output {
        match self {
            AnyGame::Variant(rules) => chesslike::with_static_game(rules, visitor),
        }
    }

    /// Calls the visitor with the game.
    pub(crate) fn visit<V: GameVisitor>(self, visitor: V) -> V::Output {
        match self {
            AnyGame::Variant(rules) => chesslike::with_game(rules, visitor),
        }
    }

    /// A hash of everything that bears on play.
    pub(crate) fn fingerprint(self) -> u64 {
        match self {
            AnyGame::Variant(rules) => rules.fingerprint,
        }
    }

    /// What there is to say about the game itself.
    pub(crate) fn card(self) -> Card {
        match self {
            AnyGame::Variant(rules) => Card {
                id: rules.id.clone(),
                aliases: &[],
                name: rules.name.clone(),
                board: format!("{}x{}", rules.geometry.width(), rules.geometry.height()),
                objective: objective::of(rules),
                status: "",
                summary: rules.summary.clone(),
            },
        }
    }
}

/// Replaces control characters in the names of a stranger's file: they could command the terminal.
fn disarm(rules: &mut Rules) {
    let words = [&mut rules.name, &mut rules.summary].into_iter().chain(&mut rules.sides);
    let of_kinds =
        rules.names.iter_mut().flat_map(|kind| kind.names.iter_mut().chain(&mut kind.abbreviations));
    for word in words.chain(of_kinds) {
        if word.contains(char::is_control) {
            *word = word.replace(char::is_control, "\u{fffd}");
        }
    }
}

/// Reads a file of UTF-8 text.
///
/// # Errors
/// One line that begins with the file's name.
pub(crate) fn read_text(file: &Path, longest: u64) -> Result<String> {
    let name = file.display();
    let open = || -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(file)?.take(longest + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    if file.is_dir() {
        bail!("{name}: a directory, not a file");
    }
    let bytes = open().map_err(|e| anyhow!("{name}: {}", reason(&e)))?;
    if bytes.len() as u64 > longest {
        bail!("{name}: longer than {longest} bytes");
    }
    let text = String::from_utf8(bytes)
        .map_err(|e| anyhow!("not UTF-8 text: byte {} cannot be read", e.utf8_error().valid_up_to() + 1));
    text.with_context(|| name.to_string())
}

/// What the system says, without its number.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}

/// What was typed, short enough for an error line.
pub(crate) fn shortened(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    if short.len() < text.len() { short + "…" } else { short }
}
