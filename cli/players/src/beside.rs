//! The network beside a variant file: `mygame.net` beside `mygame.toml`, where `jewel train --minutes` leaves it.
//!
//! A game does not know the file that its rules come from, so the files are remembered here, by the fingerprint of the
//! rules. A network is read when it is first asked for: commands that do not play never touch it.

use crate::support::files::read;
use crate::tuned_files::MAX_NET_BYTES;
use anyhow::anyhow;
use jewel_engine::variant::Rules;
use jewel_engine::zobrist::splitmix64;
use jewel_search::evaluate::net::Net;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What lies beside the variant file of a game.
#[derive(Debug)]
pub struct Beside {
    /// The network; `None` if the file holds none for these rules.
    pub net: Option<Arc<Net>>,
    /// A hash of the file, where it is used.
    pub digest: Option<u64>,
    /// One line for people: which file it is, and whether it is used.
    pub note: String,
}

/// A file that was there when the rules were read, and what it holds once somebody has asked.
struct Remembered {
    file: PathBuf,
    found: OnceLock<Arc<Beside>>,
}

/// By the fingerprint of the rules. Where two files have the same rules, the first that was read counts.
static FILES: Mutex<BTreeMap<u64, Arc<Remembered>>> = Mutex::new(BTreeMap::new());

/// The file of the network that belongs to a variant file.
pub fn net_file(variant: &Path) -> PathBuf {
    variant.with_extension("net")
}

/// Remembers the network beside the file that rules were read from, if there is one.
pub(crate) fn remember(rules: &Rules, variant: &Path) {
    let file = net_file(variant);
    if file != variant && file.is_file() {
        let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Remembered { file, found: OnceLock::new() });
        files.entry(rules.fingerprint).or_insert_with(new);
    }
}

/// What lies beside the file that rules were read from; `None` if they come with the program, or nothing is there.
pub fn find(rules: &Rules) -> Option<Arc<Beside>> {
    let files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let remembered = files.get(&rules.fingerprint)?.clone();
    drop(files);
    Some(remembered.found.get_or_init(|| Arc::new(look(&remembered.file, rules))).clone())
}

fn look(file: &Path, rules: &Rules) -> Beside {
    let name = file.display();
    let parsed = read(file, MAX_NET_BYTES).and_then(|bytes| {
        let net = Net::parse(&bytes, rules).map_err(|problem| anyhow!("{name}: {problem}"))?;
        Ok((net, bytes.iter().fold(0, |hash, byte| splitmix64(hash ^ u64::from(*byte)).1)))
    });
    match parsed {
        Ok((net, digest)) => Beside {
            net: Some(Arc::new(net)),
            digest: Some(digest),
            note: format!("{name}: this network evaluates"),
        },
        Err(problem) => {
            let note = format!("{problem:#}; it is not used: the evaluation follows from the rules");
            Beside { net: None, digest: None, note }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::AnyGame;
    use jewel_search::evaluate::{Evaluation, general_net};
    use std::fs;

    const NET: &[u8] = include_bytes!("../../../search/src/games/diamond-quest/net");

    /// The rules of a variant file with these bytes beside it.
    fn beside(name: &str, change: impl Fn(&str) -> String, bytes: Option<&[u8]>) -> &'static Rules {
        let folder = std::env::temp_dir().join(format!("jewel-beside-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("mine.toml");
        let text = jewel_engine::games::find("diamond-quest").unwrap().text;
        fs::write(&file, change(text)).unwrap();
        if let Some(bytes) = bytes {
            fs::write(net_file(&file), bytes).unwrap();
        }
        let game = AnyGame::load(&file).unwrap();
        let rules = game.rules().unwrap();
        find(rules);
        fs::remove_dir_all(folder).unwrap();
        rules
    }

    #[test]
    fn a_network_is_found_and_one_of_other_rules_is_not_used() {
        let rules = beside("right", str::to_string, Some(NET));
        let found = find(rules).unwrap();
        assert!(found.net.is_some() && found.note.ends_with("mine.net: this network evaluates"));
        let other = |text: &str| text.replacen("to = \"RBN\"", "to = \"RB\"", 1);
        let rules = beside("wrong", other, Some(NET));
        assert!(rules.fingerprint != jewel_engine::games::find("diamond-quest").unwrap().rules().fingerprint);
        let found = find(rules).unwrap();
        assert!(found.net.is_none());
        assert_eq!(Evaluation::best(rules).net().unwrap().origin(), general_net::ORIGIN);
        assert!(
            found.note.contains("mine.net: net: made for the rules ")
                && found.note.contains("it is not used")
        );
        assert!(!found.note.contains('\n'), "{}", found.note);
    }
}
