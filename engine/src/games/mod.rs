//! The games that come with the program, as variant files.

pub use crate::spelling::{edit_distance, nearest};

use crate::variant::Rules;
use std::sync::LazyLock;

/// A game that comes with the program.
#[derive(Debug)]
pub struct Embedded {
    /// What is typed to name it.
    pub id: &'static str,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// How far it is solved, in a few words.
    pub status: &'static str,
    /// The variant file.
    pub text: &'static str,
    rules: LazyLock<Rules>,
}

impl Embedded {
    /// The compiled rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }
}

macro_rules! embedded {
    ($($id:literal, $file:literal, $aliases:expr, $status:literal;)*) => {
        /// Every game that comes with the program, in the order in which they are listed.
        pub static GAMES: [Embedded; 8] = [$(Embedded {
            id: $id,
            aliases: &$aliases,
            status: $status,
            text: include_str!($file),
            // The files are part of the program and the tests read all of them.
            rules: LazyLock::new(|| Rules::parse(include_str!($file)).unwrap_or_else(|e| unreachable!("{}: {e}", $file))),
        }),*];
    };
}

embedded! {
    "duel", "duel.toml", [], "solved: draw";
    "ambush", "ambush.toml", [], "solved: draw";
    "diamond-qi", "diamond-qi.toml", [], "open";
    "diamond-quest", "diamond-quest.toml", ["diamaranga"], "open";
    "diamond-chess", "diamond-chess.toml", [], "open";
    "crystal-of-doom", "crystal-of-doom.toml", [], "open";
    "star-lords", "star-lords.toml", [], "open";
    "chess", "chess.toml", [], "open";
}

/// The game of this id or alias.
pub fn find(id: &str) -> Option<&'static Embedded> {
    GAMES.iter().find(|game| game.id == id || game.aliases.contains(&id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_file_compiles_under_its_own_id() {
        for game in &GAMES {
            assert_eq!(game.rules().id, game.id);
            assert!(find(game.id).is_some_and(|found| found.id == game.id));
        }
    }
}
