//! The games that come with the program, as variant files.

use crate::variant::Rules;
use std::sync::LazyLock;

/// A game that comes with the program.
#[derive(Debug)]
pub struct Embedded {
    /// What is typed to name it.
    pub id: &'static str,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// What is proven about it, in a few words.
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
        pub static GAMES: [Embedded; 7] = [$(Embedded {
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
}

/// The game of this id or alias.
pub fn find(id: &str) -> Option<&'static Embedded> {
    GAMES.iter().find(|game| game.id == id || game.aliases.contains(&id))
}

/// The known id or alias nearest to what was typed, if one is near enough to be meant.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |id: &str| edit_distance(typed, id);
    let best = known.into_iter().min_by_key(|id| distance(id))?;
    (distance(best) <= 2 + best.len() / 4).then_some(best)
}

/// Insertions, deletions and replacements that turn one word into another; of the first, 100 letters count.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().take(100).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
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

    #[test]
    fn a_slip_finds_the_game() {
        let ids = || GAMES.iter().map(|g| g.id);
        assert_eq!(nearest("ambsh", ids()), Some("ambush"));
        assert_eq!(nearest("diamondchess", ids()), Some("diamond-chess"));
        assert_eq!(nearest("go", ids()), None);
        assert_eq!(nearest("", ids()), None);
    }
}
