//! Tables in a folder: where they are, opening them with messages that help, and what they say about positions.

pub(crate) mod build;
mod bus_error;
pub(crate) mod classes_page;
pub(crate) mod dense;
pub(crate) mod histogram;
mod progress;
pub(crate) mod report;
pub(crate) mod summary;

use crate::arguments::{GameArgs, WhichGame};
use crate::best_play::{BestPlay, move_texts, value_text};
use crate::command_line::CommandLine;
use crate::values::{Values, valued_moves};
use anyhow::{Context, Result, anyhow, bail};
pub(crate) use jewel_answers::values::{TableGame, TablePosition};
use jewel_engine::chesslike::Move;
use jewel_engine::value::{Side, Value};
use jewel_engine::variant::Rules;
use jewel_players::support::words::{reason, shortened};
use jewel_solver::line::best_line;
use jewel_solver::solution::ValuedMove;
use jewel_solver::tablebase::{Plan, ProbeError, Scope, TableSet};
use jewel_tables::reader::Table;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The game of these rules, and the position of it that was typed. Tables know no counter of moves, so it has none.
///
/// # Errors
/// As [`GameArgs::position`].
pub(crate) fn typed_position(args: &GameArgs, rules: &'static Rules) -> Result<(TableGame, TablePosition)> {
    let rules = if rules.move_rule.is_some() { rules.without_move_rule().leak() } else { rules };
    let game = TableGame::new(rules).context("these rules have too many piece types")?;
    let position = args.position(&game)?;
    Ok((game, position))
}

/// The name of a position's class, such as `NLvQQ`.
pub(crate) fn class_name(position: &TablePosition) -> String {
    let letters = |side: Side| -> String {
        let kinds = position.rules().pieces.iter().enumerate();
        kinds
            .map(|(kind, piece)| {
                let count = position.pieces(side, kind as u8).count();
                piece.letter.to_string().repeat(count as usize)
            })
            .collect()
    };
    format!("{}v{}", letters(Side::White), letters(Side::Black))
}

/// The name of a position's class with what is in hand: `GLvCL[C]`.
pub(crate) fn class_with_hands(position: &TablePosition) -> String {
    let rules = position.rules();
    let held: String = Side::BOTH
        .into_iter()
        .flat_map(|side| (0..rules.type_count() as u8).map(move |kind| (side, kind)))
        .map(|(side, kind)| rules.letter(kind, side).to_string().repeat(position.in_hand(side, kind).into()))
        .collect();
    format!("{}[{held}]", class_name(position))
}

/// Where tables are: their folder, and how the game and the folder were named.
#[derive(Clone, Debug)]
pub(crate) struct TableFolder {
    pub(crate) path: PathBuf,
    asked: Option<PathBuf>,
    which: WhichGame,
}

impl TableFolder {
    /// The folder that was asked for, or else the folder of the game in the working directory.
    pub(crate) fn new(which: &WhichGame, rules: &Rules, asked: Option<&Path>) -> TableFolder {
        let default = || Path::new("jewel-tables").join(&rules.id);
        let path = asked.map_or_else(default, Path::to_path_buf);
        TableFolder { path, asked: asked.map(Path::to_path_buf), which: which.clone() }
    }

    /// The beginning of the command that builds tables here.
    pub(crate) fn build_command(&self, class: Option<&str>) -> CommandLine {
        let line = CommandLine::new(&["tables", "build"]).which(&self.which);
        line.option("--class", class).option("--tables", self.asked.as_ref().map(|dir| dir.display()))
    }

    /// Opens the tables that are there.
    ///
    /// # Errors
    /// If there are none, or one cannot be used.
    pub(crate) fn open(&self, rules: &'static Rules) -> Result<OpenTables> {
        let set = self.try_open(rules).map_err(|error| self.explained(error))?;
        if set.tables().is_empty() { Err(self.empty()) } else { Ok(OpenTables { set, folder: self.clone() }) }
    }

    /// [`open`](TableFolder::open) with the library's error, for callers that treat damaged files differently.
    pub(crate) fn try_open(&self, rules: &'static Rules) -> Result<TableSet<'static>, ProbeError> {
        TableSet::open(rules, &self.path)
    }

    /// The error where there are no tables.
    pub(crate) fn empty(&self) -> anyhow::Error {
        anyhow!(
            "there are no tables in {}; build them with: {}",
            self.path.display(),
            self.build_command(None)
        )
    }

    /// The error as people read it, with the command that helps.
    pub(crate) fn explained(&self, error: ProbeError) -> anyhow::Error {
        match error {
            ProbeError::Folder { error, .. } if error.kind() == ErrorKind::NotFound => self.empty(),
            ProbeError::Folder { path, error } => anyhow!("{}: {}", path.display(), reason(&error)),
            ProbeError::NoTable(class) => anyhow!(
                "there is no table {class} in {}; build it with: {}",
                self.path.display(),
                self.build_command(Some(&class))
            ),
            other => anyhow!("{other}"),
        }
    }
}

/// The open tables of a game.
#[derive(Debug)]
pub(crate) struct OpenTables {
    pub(crate) set: TableSet<'static>,
    pub(crate) folder: TableFolder,
}

impl OpenTables {
    /// The table of a class of this very name, if it is there.
    ///
    /// # Errors
    /// If it is not.
    pub(crate) fn table(&self, class: &str) -> Result<&Table> {
        let found = self.set.tables().iter().find(|table| name(table) == class);
        found.ok_or_else(|| self.folder.explained(ProbeError::NoTable(class.to_string())))
    }

    /// The table that answers for a class, whatever the order of its letters in `asked`, and whether or not the sides
    /// are exchanged in the table.
    ///
    /// # Errors
    /// If there is none, or no such class.
    pub(crate) fn find(&self, asked: &str) -> Result<&Table> {
        let Some([white, black]) = armies(asked) else {
            // The library says what is wrong with the name.
            Plan::new(self.set.rules(), &scope(Some(asked), None, None)?)?;
            return self.table(asked);
        };
        let exchanged = [black.clone(), white.clone()];
        let class = [white, black];
        let of = |table: &&Table| armies(&name(table));
        let exchanges = |table: &&Table| table.index().scheme().symmetries.iter().any(|map| map.exchange);
        let direct = self.set.tables().iter().find(|table| of(table).as_ref() == Some(&class));
        let found = direct.or_else(|| {
            let mut tables = self.set.tables().iter();
            tables.find(|table| of(table).as_ref() == Some(&exchanged) && exchanges(table))
        });
        match found {
            Some(table) => Ok(table),
            None => {
                Plan::new(self.set.rules(), &scope(Some(asked), None, None)?)?;
                Err(self.folder.explained(ProbeError::NoTable(asked.to_string())))
            }
        }
    }
}

/// What tables say about a position.
///
/// # Errors
/// If one is missing or damaged, or the value of the position is not that of its best move.
pub(crate) fn best_play(game: &TableGame, position: &TablePosition, tables: &OpenTables) -> Result<BestPlay> {
    let value = tables.value(position)?;
    if let Some(best) = tables.children(position)?.first().filter(|best| best.value != value) {
        bail!(
            "the tables in {} contradict each other: \"{}\" has the value {}, its best move {}; see `jewel tables verify`",
            tables.folder.path.display(),
            position.to_fen(),
            value_text(value),
            value_text(best.value)
        );
    }
    BestPlay::new(game, position, tables)
}

/// The line that wins from a position.
///
/// # Errors
/// If it is not a position of the game, or a table is missing.
pub(crate) fn line_of(rules: &'static Rules, tables: &OpenTables, fen: &str) -> Result<Vec<String>> {
    let position = TablePosition::from_fen(rules, fen)?;
    let line = best_line(&position, |position| tables.children(position))?;
    Ok(move_texts(&position, &line.plies))
}

/// The letters of both sides in the name of a class, each in order.
fn armies(class: &str) -> Option<[Vec<char>; 2]> {
    let (white, black) = class.split_once('v')?;
    Some([white, black].map(|letters| {
        let mut letters: Vec<char> = letters.chars().collect();
        letters.sort_unstable();
        letters
    }))
}

impl Values<TablePosition> for OpenTables {
    fn value(&self, position: &TablePosition) -> Result<Value> {
        self.set.probe(position).map_err(|error| self.folder.explained(error))
    }

    fn children(&self, position: &TablePosition) -> Result<Vec<ValuedMove<Move>>> {
        valued_moves(position, |next| self.value(next))
    }
}

/// The name of a table: that of its file, less the ending.
pub(crate) fn name(table: &Table) -> String {
    let path = Path::new(table.name());
    path.file_stem().map_or_else(|| table.name().to_string(), |stem| stem.to_string_lossy().into_owned())
}

/// The classes that the options select.
///
/// # Errors
/// If the name of the class is too long to be one.
pub(crate) fn scope(class: Option<&str>, pieces: Option<usize>, with: Option<&str>) -> Result<Scope> {
    let with = with.map(str::to_string);
    Ok(match (class, pieces) {
        (Some(class), _) if class.chars().count() > 130 => {
            bail!("\"{}\" is not a class: a board has 64 squares", shortened(class))
        }
        (Some(class), _) => Scope::Class(class.to_string()),
        (None, Some(pieces)) => match with {
            Some(letters) => Scope::Containing { pieces, letters },
            None => Scope::MaxPieces(pieces),
        },
        (None, None) => Scope::Start,
    })
}
