//! A section with all that it inherits: its pieces, and its settings with the place where each was made.

use super::ini::{Entry, Section};
use super::keys::{self, Value};
use std::collections::BTreeMap;

/// The default template and the built-in variants that sections may inherit.
const BASES: &str = include_str!("bases.ini");

/// A piece type by its name in the file, such as `knight` or `customPiece3`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    pub(super) name: String,
    /// Lower case.
    pub(super) letter: char,
    /// How it moves, in the notation of the file.
    pub(super) word: String,
    /// Where this was said: the key's line, 0 in a built-in variant.
    pub(super) line: usize,
}

/// A key with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Setting {
    /// The key as it was written: `flagRegion` sets `flagRegionWhite` and `flagRegionBlack`.
    pub(super) key: String,
    pub(super) value: String,
    /// 0 in a built-in variant.
    pub(super) line: usize,
    /// The section that says it.
    pub(super) section: String,
    /// For keys that hold pieces: their names. They outlive a change of letters.
    pub(super) pieces: Pieces,
}

/// The pieces that a value names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Pieces {
    /// Not a value of pieces.
    None,
    /// `*`.
    All,
    Some(Vec<String>),
    /// From what to what it promotes.
    Map(Vec<(String, String)>),
    /// A letter that no piece has, or no set of pieces at all.
    Unknown(String),
}

/// A section and its ancestors, applied one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Template {
    pub(super) slots: Vec<Slot>,
    pub(super) settings: BTreeMap<String, Setting>,
}

fn base_sections() -> Vec<Section<'static>> {
    // The file is part of the program, and a test reads it.
    super::ini::parse(BASES).unwrap_or_else(|(line, problem)| unreachable!("bases.ini:{line}: {problem}"))
}

/// The section `at` with what it inherits from sections before it and from built-in variants.
///
/// # Errors
/// The line of the section and the parent that is neither.
pub(super) fn resolve(sections: &[Section<'_>], at: usize) -> Result<Template, (usize, String)> {
    let bases = base_sections();
    let mut chain: Vec<(&Section<'_>, bool)> = Vec::new();
    let mut place = Some((sections, at, false));
    while let Some((list, at, built_in)) = place {
        let section = &list[at];
        chain.push((section, built_in));
        place = match section.parent {
            None => None,
            Some(parent) => {
                let in_list = list[..at].iter().position(|s| s.name == parent);
                let in_bases = bases.iter().position(|s| s.name == parent).filter(|_| !built_in);
                match (in_list, in_bases) {
                    (Some(found), _) => Some((list, found, built_in)),
                    (None, Some(found)) => Some((&bases[..], found, true)),
                    (None, None) => return Err((section.line, parent.to_string())),
                }
            }
        };
    }
    let mut template = Template::default();
    for (section, built_in) in chain.into_iter().rev() {
        template.apply(section, built_in);
    }
    Ok(template)
}

impl Template {
    pub(super) fn setting(&self, key: &str) -> Option<&Setting> {
        self.settings.get(key)
    }

    pub(super) fn slot(&self, name: &str) -> Option<usize> {
        self.slots.iter().position(|slot| slot.name == name)
    }

    pub(super) fn slot_by_letter(&self, letter: char) -> Option<usize> {
        self.slots.iter().position(|slot| slot.letter == letter)
    }

    /// Pieces first, since the other keys name them by letter; then keys for many things before those for one.
    fn apply(&mut self, section: &Section<'_>, built_in: bool) {
        for entry in &section.entries {
            if let Some(word) = keys::predefined(entry.key) {
                self.define(entry, word, if built_in { 0 } else { entry.line });
            }
        }
        let mut entries: Vec<&Entry<'_>> =
            section.entries.iter().filter(|entry| keys::predefined(entry.key).is_none()).collect();
        entries.sort_by_key(|entry| keys::precedence(entry.key));
        for entry in entries {
            let setting = Setting {
                key: entry.key.to_string(),
                value: entry.value.to_string(),
                line: if built_in { 0 } else { entry.line },
                section: section.name.to_string(),
                pieces: self.pieces(entry),
            };
            for key in keys::expansion(entry.key) {
                let mut setting = setting.clone();
                // Pairs are added to those that are inherited.
                if let (Pieces::Map(pairs), Some(Pieces::Map(earlier))) =
                    (&mut setting.pieces, self.settings.get(&key).map(|earlier| &earlier.pieces))
                {
                    let kept = earlier.iter().filter(|(from, _)| pairs.iter().all(|(own, _)| own != from));
                    let kept: Vec<_> = kept.cloned().collect();
                    pairs.extend(kept);
                }
                self.settings.insert(key, setting);
            }
        }
    }

    /// `knight = n`, `king = k:KN`, `customPiece1 = x:WD`, `queen = -`. A letter has one piece, the latest.
    fn define(&mut self, entry: &Entry<'_>, predefined: &str, line: usize) {
        self.slots.retain(|slot| slot.name != entry.key);
        let (letter, word) = match entry.value.split_once(':') {
            Some((letter, word)) => (letter.trim(), word.trim()),
            None => (entry.value, predefined),
        };
        let Some(letter) = letter.chars().next().filter(char::is_ascii_alphabetic) else { return };
        let letter = letter.to_ascii_lowercase();
        self.slots.retain(|slot| slot.letter != letter);
        self.slots.push(Slot { name: entry.key.to_string(), letter, word: word.to_string(), line });
    }

    fn pieces(&self, entry: &Entry<'_>) -> Pieces {
        let name = |letter: char| {
            let slot = self.slot_by_letter(letter.to_ascii_lowercase());
            slot.map(|slot| self.slots[slot].name.clone()).ok_or(letter)
        };
        let unknown =
            |letter: char| Pieces::Unknown(format!("no piece has the letter '{}'", letter.escape_default()));
        match keys::holds(entry.key) {
            Value::Other => Pieces::None,
            Value::Pieces if entry.value == "*" => Pieces::All,
            Value::Pieces => {
                let letters = entry.value.chars().filter(|c| !c.is_whitespace() && *c != '-');
                match letters.map(name).collect::<Result<Vec<String>, char>>() {
                    Ok(names) => Pieces::Some(names),
                    Err(letter) => unknown(letter),
                }
            }
            Value::Pairs => {
                let pairs = entry.value.split_whitespace().filter(|pair| *pair != "-").map(|pair| {
                    let letters: Vec<char> = pair.chars().collect();
                    match letters[..] {
                        [from, ':', to] => Ok((name(from)?, name(to)?)),
                        _ => Err(letters[0]),
                    }
                });
                match pairs.collect::<Result<Vec<(String, String)>, char>>() {
                    Ok(pairs) => Pieces::Map(pairs),
                    Err(letter) => unknown(letter),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(text: &str) -> Template {
        let sections = super::super::ini::parse(text).unwrap();
        resolve(&sections, sections.len() - 1).unwrap()
    }

    #[test]
    fn every_built_in_variant_resolves_and_has_known_keys_only() {
        let sections = base_sections();
        for (at, section) in sections.iter().enumerate() {
            assert!(resolve(&sections, at).is_ok(), "{}", section.name);
            for entry in &section.entries {
                assert!(keys::is_known(entry.key), "{}: {}", section.name, entry.key);
            }
        }
    }

    #[test]
    fn a_child_overrides_its_parents() {
        let child = template("[a:chess]\nmaxRank = 6\nqueen = -\n[b:a]\nmaxRank = 7\nking = k:KN\n");
        assert_eq!(child.setting("maxRank").unwrap().value, "7");
        assert_eq!(child.setting("maxRank").unwrap().line, 5);
        assert!(child.slot("queen").is_none());
        assert_eq!(child.slots[child.slot("king").unwrap()].word, "KN");
        assert_eq!(child.setting("startFen").unwrap().line, 0);
    }

    /// The program keeps types: a set of pieces does not pick up another piece that takes over a letter.
    #[test]
    fn sets_of_pieces_are_of_types_and_not_of_letters() {
        let child = template("[a:chess]\namazon = q\n");
        assert!(child.slot("queen").is_none());
        let Pieces::Some(names) = &child.setting("promotionPieceTypesWhite").unwrap().pieces else {
            panic!()
        };
        assert_eq!(names, &["knight", "bishop", "rook", "queen"]);
    }

    #[test]
    fn a_general_key_sets_the_special_ones_whatever_their_order() {
        let child = template("[a:chess]\nflagRegionBlack = *1\nflagRegion = *8\n");
        assert_eq!(child.setting("flagRegionWhite").unwrap().value, "*8");
        assert_eq!(child.setting("flagRegionBlack").unwrap().value, "*1");
    }

    #[test]
    fn an_unknown_parent_is_named() {
        let sections = super::super::ini::parse("[a:nothing]\n").unwrap();
        assert_eq!(resolve(&sections, 0).unwrap_err(), (1, "nothing".to_string()));
    }
}
