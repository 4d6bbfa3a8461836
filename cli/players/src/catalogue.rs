//! The games by name: the one place that knows which games there are, and where a game that was named becomes a type.

use crate::beside::{self, Beside};
use crate::engine::Engine;
use crate::objective;
use crate::open_game;
use crate::options::Algorithm;
use crate::playable::{Playable, WithEvaluation};
use crate::proofs::fingerprint_of_id;
use crate::self_play;
use crate::support::files::read_text;
use crate::support::words::shortened;
use anyhow::{Error, Result, anyhow, bail};
use jewel_engine::ability::{Game, Symmetric};
use jewel_engine::chance::Chance;
use jewel_engine::crown_jewels::CrownJewelsGame;
use jewel_engine::crystal::CrystalGame;
use jewel_engine::games::{self, Embedded};
use jewel_engine::interchange::{self, SectionName};
use jewel_engine::kings_mate::{Active, AnyKingsMate, Expanded, KingsMateGame, RuleSet};
use jewel_engine::playout::Playout;
use jewel_engine::tactics::Tactics;
use jewel_engine::text::is_disruptive;
use jewel_engine::variant::{Rules, VariantError};
use jewel_engine::with_leanest_game;
use jewel_engine::world_tree::WorldTreeGame;
use jewel_search::evaluate::Evaluate;
use serde::Serialize;
use std::any::Any;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A game whose type is not known before the program runs.
#[derive(Clone, Copy, Debug)]
pub enum AnyGame {
    /// A game of a variant file.
    Variant(&'static Rules),
    /// A game whose rules are code.
    Coded(&'static dyn CodedGame),
}

/// A game whose rules are code, whatever its type: every [`Playable`] is one.
pub trait CodedGame: Send + Sync {
    /// What the catalogue says about it.
    fn card(&self) -> Card;

    /// The game at its start position, with an engine.
    fn open(&self) -> Box<dyn Engine>;

    /// Whether the players see different things.
    fn hides(&self) -> bool;

    /// Whether chance has a say in it.
    fn has_dice(&self) -> bool;

    /// Plies after which a game is drawn where nobody says anything else; `None` for what is usual.
    fn usual_cap(&self) -> Option<usize>;

    /// A [`Make`](self_play::Make) for its types.
    fn searchers(&self) -> Box<dyn Any>;

    /// The game, for those who know its type.
    fn as_any(&self) -> &dyn Any;
}

impl<G: Playable> CodedGame for G {
    fn card(&self) -> Card {
        let about = self.about();
        Card {
            id: self.id().to_string(),
            name: self.name().to_string(),
            aliases: &[],
            board: about.board,
            objective: about.objective,
            status: "open",
            summary: about.summary,
        }
    }

    fn open(&self) -> Box<dyn Engine> {
        open_game::open(self.clone())
    }

    fn hides(&self) -> bool {
        Playable::hides(self)
    }

    fn has_dice(&self) -> bool {
        <G::Position as Chance>::DICE
    }

    fn usual_cap(&self) -> Option<usize> {
        Playable::usual_cap(self)
    }

    fn searchers(&self) -> Box<dyn Any> {
        self_play::make(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl fmt::Debug for dyn CodedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.card().id)
    }
}

/// Makes a game of the text behind the colon of its name, if there is one.
type Make = fn(Option<&str>) -> Result<AnyGame>;

/// Writes [`CODED`] and [`with_coded_game!`](crate::with_coded_game) from one list of types and their games. The first
/// argument is a dollar sign, for the macro in the macro.
macro_rules! coded_games {
    ($d:tt, $text:ident; $($game:ty { $($id:literal => $make:expr;)* })*) => {
        /// The games that come with the program and are not variant files.
        const CODED: &[(&str, Make)] = &[$($(($id, |$text| $make)),*),*];

        /// Evaluates an expression with a name bound to a [`CodedGame`](crate::catalogue::CodedGame) by its type. The
        /// value of the expression is a `Result` with an error of `anyhow`: that of a game that does not come with
        /// the program is an error.
        #[macro_export]
        macro_rules! with_coded_game {
            ($d coded:expr, $d game:ident => $d body:expr) => {{
                let coded: &'static dyn $crate::catalogue::CodedGame = $d coded;
                $(if let Some(game) = coded.as_any().downcast_ref::<$game>() {
                    let $d game = game.clone();
                    $d body
                } else)* {
                    Err($crate::catalogue::unknown_type(coded))
                }
            }};
        }
    };
}

// A game is named by the text before a colon; `text` is what stands behind it, and makes the game.
coded_games! { $, text;
    ::jewel_engine::kings_mate::KingsMateGame<::jewel_engine::kings_mate::Expanded> {
        "kings-mate" => kings_mate(text);
        "kings-mate-expanded" => kings_mate_with::<Expanded>(text);
    }
    ::jewel_engine::kings_mate::KingsMateGame<::jewel_engine::kings_mate::Active> {
        "kings-mate-active" => kings_mate_with::<Active>(text);
    }
    ::jewel_engine::world_tree::WorldTreeGame {
        "world-tree" => made(WorldTreeGame::with_parameters(text.unwrap_or_default()));
    }
    ::jewel_engine::crystal::CrystalGame {
        "crystal-draughts" => made(CrystalGame::with_parameters(text.unwrap_or_default()));
    }
    ::jewel_engine::crown_jewels::CrownJewelsGame {
        "crown-jewels" => made(CrownJewelsGame::with_parameters(text.unwrap_or_default()));
    }
}

/// Evaluates an expression with a name bound to an [`AnyGame`](crate::catalogue::AnyGame) by its type, as
/// [`with_coded_game!`](crate::with_coded_game) does: for what has to be compiled for each game and cannot be done
/// with the `dyn` type that [`AnyGame::open`](crate::catalogue::AnyGame::open) gives.
#[macro_export]
macro_rules! with_game {
    ($any:expr, $game:ident => $body:expr) => {
        match $any {
            $crate::catalogue::AnyGame::Variant(rules) => {
                ::jewel_engine::with_leanest_game!(rules, $game => $body)
            }
            $crate::catalogue::AnyGame::Coded(coded) => $crate::with_coded_game!(coded, $game => $body),
        }
    };
}

fn made<G: Playable>(game: Result<G, impl Into<Error>>) -> Result<AnyGame> {
    Ok(AnyGame::from_game(game.map_err(Into::into)?))
}

/// King's Mate with the special rules that are declared. Which of its types it is depends on these.
fn kings_mate(declared: Option<&str>) -> Result<AnyGame> {
    let Some(declared) = declared else { return Ok(AnyGame::from_game(KingsMateGame::basic())) };
    Ok(match AnyKingsMate::declared(declared)? {
        AnyKingsMate::Certain(game) => AnyGame::from_game(game),
        AnyKingsMate::Active(game) => AnyGame::from_game(game),
    })
}

/// King's Mate with the rules of this type.
fn kings_mate_with<R: RuleSet>(parameters: Option<&str>) -> Result<AnyGame> {
    made(parameters.map_or_else(|| Ok(KingsMateGame::<R>::new()), KingsMateGame::with_parameters))
}

/// What [`with_coded_game!`](crate::with_coded_game) says of a game that it does not know.
#[doc(hidden)]
pub fn unknown_type(game: &dyn CodedGame) -> Error {
    anyhow!("{} does not come with the program", game.card().id)
}

/// What `jewel games` says about a game.
#[derive(Clone, Serialize, Debug)]
pub struct Card {
    /// As it is typed, with the parameters that differ from the usual ones.
    #[serde(rename = "game")]
    pub id: String,
    /// As people call it.
    pub name: String,
    /// Other ids.
    pub aliases: &'static [&'static str],
    /// The size of its board.
    pub board: String,
    /// What a player is after.
    pub objective: String,
    /// What is proven about it, if anything is.
    pub status: &'static str,
    /// A sentence about it.
    pub summary: String,
}

/// The games that come with the program.
pub fn catalogue() -> Vec<Card> {
    let card = |game: &'static Embedded| Card {
        aliases: game.aliases,
        status: game.status,
        ..AnyGame::Variant(game.rules()).card()
    };
    let plain = |(id, make): &(&str, Make)| make(None).unwrap_or_else(|e| unreachable!("{id}: {e}")).card();
    games::GAMES.iter().map(card).chain(CODED.iter().map(plain)).collect()
}

/// The path of a variant file, if what was typed for a game is one and no id: it ends in `.toml`, has a separator of
/// paths in it, or names a file.
pub fn variant_file(typed: &str) -> Option<&Path> {
    let path = Path::new(typed);
    let id = typed.split(':').next().unwrap_or_default();
    let known = || games::find(id).is_some() || CODED.iter().any(|(known, _)| *known == id);
    let toml = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    let file = toml || !known() && (typed.contains(std::path::is_separator) || path.is_file());
    file.then_some(path)
}

/// Longest variant file that is read, in bytes: a page of TOML has a few thousand.
const MAX_FILE_BYTES: u64 = 1 << 20;

impl AnyGame {
    /// A game of any crate. It is never freed: games are small, and made a few times in the life of a program.
    pub fn from_game<G: Playable>(game: G) -> AnyGame {
        AnyGame::Coded(Box::leak(Box::new(game)))
    }

    /// A game of any crate that is not [`Playable`] by itself, with what its positions are worth. Every command and
    /// player that takes an `AnyGame` takes it.
    pub fn with_evaluation<G, E>(game: G, evaluation: E) -> AnyGame
    where
        G: Game<Position: Tactics + Playout + Symmetric> + 'static,
        E: Evaluate<G::Position> + 'static,
    {
        AnyGame::from_game(WithEvaluation { game, evaluation })
    }

    /// The game that is typed where a game is expected: an id, as [`resolve`](AnyGame::resolve) takes it, or the path
    /// of a variant file.
    ///
    /// # Errors
    /// As [`resolve`](AnyGame::resolve) and [`load`](AnyGame::load).
    pub fn named(typed: &str) -> Result<AnyGame> {
        variant_file(typed).map_or_else(|| AnyGame::resolve(typed), AnyGame::load)
    }

    /// The game that `id` or `id:key=value,key=value` names.
    ///
    /// # Errors
    /// If there is no such game (the nearest name is suggested), or no such parameter.
    pub fn resolve(typed: &str) -> Result<AnyGame> {
        let (id, parameters) = match typed.split_once(':') {
            Some((id, parameters)) => (id, Some(parameters)),
            None => (typed, None),
        };
        if let Some((_, make)) = CODED.iter().find(|(known, _)| *known == id) {
            return make(parameters).map_err(|e| anyhow!("{id}: {e}"));
        }
        let Some(game) = games::find(id) else {
            let variants = games::GAMES.iter().flat_map(|g| g.aliases.iter().copied().chain([g.id]));
            let known = variants.chain(CODED.iter().map(|(id, _)| *id));
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

    /// The game of a variant file. Its rules are never freed.
    ///
    /// # Errors
    /// If the file cannot be read or has a mistake: one line that begins with the file's name.
    pub fn load(file: &Path) -> Result<AnyGame> {
        let text = read_text(file, MAX_FILE_BYTES)?;
        let game = AnyGame::from_text(&text).map_err(|e| anyhow!("{}: {e}", file.display()))?;
        if let AnyGame::Variant(rules) = game {
            beside::remember(rules, file);
        }
        Ok(game)
    }

    /// The network beside the game's variant file, or what is wrong with it; `None` where nothing is there.
    pub fn beside(self) -> Option<Arc<Beside>> {
        let AnyGame::Variant(rules) = self else { return None };
        beside::find(rules)
    }

    /// The game of the text of a variant file. Its rules are never freed.
    ///
    /// # Errors
    /// The first mistake of the text.
    pub fn from_text(text: &str) -> Result<AnyGame, VariantError> {
        let mut rules = Rules::parse(text)?;
        disarm(&mut rules);
        Ok(AnyGame::Variant(rules.leak()))
    }

    /// The games of a file: that of a variant file, or those of the sections of a `variants.ini`, as its name ends in
    /// `.ini`. Sections that cannot be played here are left out, each with the reason in a line. So is a section
    /// with the name of a game of the program.
    ///
    /// # Errors
    /// As [`load`](AnyGame::load), or if no section is left.
    pub fn load_all(file: &Path) -> Result<(Vec<AnyGame>, Vec<String>)> {
        if file.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("ini")) {
            return Ok((vec![AnyGame::load(file)?], Vec::new()));
        }
        let name = file.display();
        let text = read_text(file, MAX_FILE_BYTES)?;
        let (mut games, mut refused) = (Vec::new(), Vec::new());
        for SectionName { name: section, .. } in
            interchange::sections(&text).map_err(|e| anyhow!("{name}: {e}"))?
        {
            match AnyGame::of_section(&text, &section) {
                Ok(game) => games.push(game),
                Err(problem) => refused.push(format!("{name}: [{}]: {problem}", shortened(&section))),
            }
        }
        match (games.is_empty(), refused.first()) {
            (true, Some(first)) => bail!("{first}"),
            (true, None) => bail!("{name}: no section in the file: expected [name]"),
            _ => Ok((games, refused)),
        }
    }

    fn of_section(text: &str, section: &str) -> Result<AnyGame, String> {
        let import = interchange::import(text, Some(section), &[]).map_err(|e| e.to_string())?;
        if catalogue().iter().any(|card| card.id == import.id) {
            return Err(format!("{} is a game of the program", import.id));
        }
        AnyGame::from_text(&import.text).map_err(|e| e.to_string())
    }

    /// The same game, where castling is always written as the king's move to the square of its rook, as in Chess960.
    /// Games without Chess960 castling stay as they are.
    pub fn with_chess960_moves(self) -> AnyGame {
        match self {
            AnyGame::Variant(rules) => AnyGame::Variant(rules.with_chess960_moves()),
            AnyGame::Coded(_) => self,
        }
    }

    /// The rules, if the game is one of a variant file.
    ///
    /// # Errors
    /// If it is not: what that means for the caller, who needs them.
    pub fn rules(self) -> Result<&'static Rules> {
        match self {
            AnyGame::Variant(rules) => Ok(rules),
            AnyGame::Coded(game) => {
                bail!("{} is not a game of a variant file: endgame tables are for those", game.card().id)
            }
        }
    }

    /// The game at its start position, with an engine.
    pub fn open(self) -> Box<dyn Engine> {
        match self {
            AnyGame::Variant(rules) => with_leanest_game!(rules, game => open_game::open(game)),
            AnyGame::Coded(game) => game.open(),
        }
    }

    /// The algorithm that plays the game if none is asked for: alpha-beta search, where it sees everything.
    pub fn usual_algorithm(self, cheat: bool) -> Algorithm {
        if self.hides() && !cheat { Algorithm::Mcts } else { Algorithm::Ab }
    }

    /// Whether the players see different things.
    pub fn hides(self) -> bool {
        matches!(self, AnyGame::Coded(game) if game.hides())
    }

    /// Whether chance has a say in it.
    pub fn has_dice(self) -> bool {
        matches!(self, AnyGame::Coded(game) if game.has_dice())
    }

    /// Plies after which a game is drawn where nobody says anything else; `None` for what is usual.
    pub fn usual_cap(self) -> Option<usize> {
        match self {
            AnyGame::Variant(_) => None,
            AnyGame::Coded(game) => game.usual_cap(),
        }
    }

    /// A hash of everything that bears on play: of the rules, or of the id, which names them and every parameter.
    pub fn fingerprint(self) -> u64 {
        match self {
            AnyGame::Variant(rules) => rules.fingerprint,
            AnyGame::Coded(game) => fingerprint_of_id(&game.card().id),
        }
    }

    /// What the catalogue says about the game.
    pub fn card(self) -> Card {
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
            AnyGame::Coded(game) => game.card(),
        }
    }
}

/// Replaces control characters and direction marks in the names of a stranger's file: they could command the terminal.
fn disarm(rules: &mut Rules) {
    let spec = &mut rules.spec;
    let words = [&mut spec.name, &mut spec.summary].into_iter().chain(&mut spec.sides);
    let of_pieces = spec.pieces.iter_mut().flat_map(|kind| {
        let promoted = kind.promoted_names.iter_mut().flatten().chain(&mut kind.promoted_abbreviations);
        kind.names.iter_mut().chain(&mut kind.abbreviations).chain(promoted)
    });
    for word in words.chain(of_pieces) {
        if word.contains(is_disruptive) {
            *word = word.replace(is_disruptive, "\u{fffd}");
        }
    }
}
