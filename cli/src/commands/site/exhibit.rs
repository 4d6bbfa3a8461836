//! A game of a site: its card, its board, and what is proven about it.

use super::folder::SiteFile;
use crate::claims::Published;
use crate::text::{grouped, plies};
use crate::web::FolderTables;
use anyhow::{Result, bail};
use jewel_answers::api::place::Place;
use jewel_answers::api::site_tables::TableFile;
use jewel_answers::api::truth::{Bounds, TableSource, Verdict, verdict};
use jewel_players::catalogue::{AnyGame, Card, catalogue, variant_file};
use jewel_players::support::files::read_text;
use jewel_players::support::svg;
use jewel_tables::reader::Table;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest variant file, in bytes: what the page takes.
const MAX_VARIANT: u64 = 64 << 10;

/// What is solved for the gallery: a few seconds for each game.
const BOUNDS: Bounds = Bounds { positions: 2_000_000, memory: 512 << 20, time: Duration::from_secs(10) };

/// A game that is shown.
pub(super) struct Exhibit {
    pub(super) card: Card,
    /// The text of its variant file, where it is not a game of the program.
    pub(super) text: Option<String>,
    game: AnyGame,
    /// What is proven about its start position, a sentence each.
    pub(super) proven: Vec<String>,
    /// Why nothing is.
    pub(super) unproven: Option<&'static str>,
    /// What was claimed about it, where, and what was found.
    pub(super) claims: Vec<String>,
    /// Its endgame tables.
    pub(super) tables: Vec<TableCopy>,
}

/// An endgame table that goes with a site.
pub(super) struct TableCopy {
    class: String,
    from: PathBuf,
    bytes: u64,
}

impl TableCopy {
    fn new(table: &Table) -> TableCopy {
        let (bytes, _) = table.bytes();
        TableCopy { class: table.metadata().class.clone(), from: PathBuf::from(table.name()), bytes }
    }

    /// As the site lists it, of the `n`th game.
    pub(super) fn listed(&self, n: usize) -> TableFile {
        let TableCopy { class, bytes, .. } = self;
        TableFile { class: class.clone(), file: format!("game-{n}-{class}.jt"), bytes: *bytes }
    }

    /// The file of the `n`th game.
    pub(super) fn copied(&self, n: usize) -> SiteFile {
        SiteFile::copied(self.listed(n).file, &self.from, self.bytes)
    }
}

impl Exhibit {
    /// The game that is typed: an id, or the path of a variant file.
    ///
    /// # Errors
    /// If there is no such game, or no page can show it.
    pub(super) fn named(typed: &str) -> Result<Exhibit> {
        match variant_file(typed) {
            Some(file) => Exhibit::load(file),
            None => Exhibit::new(AnyGame::resolve(typed)?, None),
        }
    }

    /// The game of a variant file.
    ///
    /// # Errors
    /// If it cannot be read or has a mistake.
    pub(super) fn load(file: &Path) -> Result<Exhibit> {
        Exhibit::new(AnyGame::load(file)?, Some(read_text(file, MAX_VARIANT)?))
    }

    fn new(game: AnyGame, text: Option<String>) -> Result<Exhibit> {
        let card = game.card();
        if game.hides() {
            bail!("{}: it hides things from its players, which takes a server: see `jewel serve`", card.id);
        }
        let status = catalogue().iter().find(|known| known.id == card.id && text.is_none()).map(|c| c.status);
        let card = Card { status: status.unwrap_or_default(), ..card };
        Ok(Exhibit {
            card,
            text,
            game,
            proven: Vec::new(),
            unproven: None,
            claims: Vec::new(),
            tables: Vec::new(),
        })
    }

    /// The same with its tables, and with what is proven about it, some of it now.
    ///
    /// # Errors
    /// If the claims that come with the program cannot be read.
    pub(super) fn with_proof(mut self, tables: &FolderTables) -> Result<Exhibit> {
        if let Some(open) = tables.classes(self.game) {
            self.tables = open.set.tables().iter().map(TableCopy::new).collect();
        }
        let engine = self.game.open();
        let mut sides = engine.diagram().sides;
        // First the one who begins.
        sides.rotate_left(engine.side_to_move().index());
        let place = Place { game: Some(self.card.id.clone()), variant: None, fen: None, moves: Vec::new() };
        let mut found = Published::default();
        if self.game.has_dice() {
            self.unproven =
                Some("Dice decide: the start has an expectation, and no value that could be proven.");
        } else if let Some(best) = tables.best_play(self.game, &place).ok().flatten() {
            self.proven.push(format!("From tables: {}.", result(best.value_name(), best.distance(), &sides)));
        } else if let Ok(Verdict { value, distance, counts: [wins, draws, losses], longest, published }) =
            verdict(self.game, BOUNDS)
        {
            let [all, wins, draws, losses] = [wins + draws + losses, wins, draws, losses].map(grouped);
            self.proven.push(format!(
                "{}: all {all} positions that can be reached are solved, {wins} of them won, {draws} drawn and {losses} \
                 lost for the side to move.",
                capital(&result(value, distance, &sides))
            ));
            self.proven.extend(longest.map(|n| format!("The longest win takes {}.", plies(n))));
            found = published;
        }
        let source = found.source.map_or(String::new(), |source| format!(" ({source})"));
        self.claims = found
            .claims
            .into_iter()
            .map(|claim| {
                let verdict = if claim.confirmed { "confirmed" } else { "refuted" };
                format!("{}{source}: {verdict}, found {}.", claim.text, claim.found)
            })
            .collect();
        match self.card.status {
            _ if !self.proven.is_empty() || self.unproven.is_some() => {}
            "" | "open" => self.unproven = Some("Not solved: the engine gives its opinion."),
            status => self.proven.push(capital(&format!("{status}."))),
        }
        Ok(self)
    }

    /// The board at the start, as a file of SVG.
    pub(super) fn picture(&self) -> String {
        let board = svg::board(&self.game.open().diagram(), &[], &self.card.name);
        let root = "<svg xmlns=\"http://www.w3.org/2000/svg\" ";
        let (head, rest) = board.split_once('\n').unwrap_or((&board, ""));
        format!("{}\n<style>\n{}</style>\n{rest}", head.replacen("<svg ", root, 1), svg::page_style())
    }
}

/// The value of the start position in words, without a stop: `Red wins in 5 plies`. The first of the sides begins.
fn result(value: &str, distance: Option<u32>, sides: &[String; 2]) -> String {
    let within = distance.map_or(String::new(), |n| format!(" in {}", plies(n)));
    match value {
        "draw" => "a draw with best play".to_string(),
        "win" => format!("{} wins{within}", sides[0]),
        _ => format!("{} wins{within}", sides[1]),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_proven_is_said() {
        let duel = Exhibit::named("duel").unwrap().with_proof(&FolderTables::new(None)).unwrap();
        assert_eq!(duel.proven[0].split(':').next(), Some("A draw with best play"), "{:?}", duel.proven);
        assert!(duel.proven[0].contains("all 162 positions"), "{:?}", duel.proven);
        assert_eq!(duel.claims.len(), 5);
        assert!(duel.claims.iter().all(|claim| claim.contains("confirmed")), "{:?}", duel.claims);
        assert!(duel.picture().starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"board\""));
        let problem = Exhibit::named("crown-jewels").err().map(|e| e.to_string()).unwrap_or_default();
        assert!(problem.contains("jewel serve"), "{problem}");
    }

    #[test]
    fn results_name_the_winner() {
        let sides = ["Red".to_string(), "Green".to_string()];
        assert_eq!(result("win", Some(5), &sides), "Red wins in 5 plies");
        assert_eq!(result("loss", Some(1), &sides), "Green wins in 1 ply");
        assert_eq!(capital(&result("draw", None, &sides)), "A draw with best play");
    }
}
