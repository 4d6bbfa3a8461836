//! What every part of an import needs: the settings of a section, and notes of what is lost.

use super::board;
use super::keys::{self, Matters, Meaning};
use super::template::{Pieces, Setting, Slot, Template};
use crate::bitboard::Bitboard;
use crate::geometry::{Geometry, shorten};
use crate::spelling::nearest;
use crate::value::Side;
use std::fmt;

/// A key that a variant file cannot express, or not entirely.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The key as the file writes it.
    pub key: String,
    /// Its value, shortened.
    pub value: String,
    /// Its line, from 1; `None` where a built-in variant says it, or a default.
    pub line: Option<usize>,
    /// The section or the built-in variant that says it.
    pub section: String,
    /// What is missing here.
    pub why: String,
    /// Whether the caller accepts that it is lost.
    pub accepted: bool,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}, ")?,
            None => write!(f, "inherited from [{}], ", self.section)?,
        }
        write!(f, "{} = {}: {}", self.key, self.value, self.why)
    }
}

/// A section that is being translated.
pub(super) struct Importer<'t> {
    pub(super) name: &'t str,
    line: usize,
    pub(super) template: &'t Template,
    accept: &'t [String],
    pub(super) problems: Vec<Problem>,
    pub(super) geometry: Geometry,
}

impl<'t> Importer<'t> {
    pub(super) fn new(
        name: &'t str,
        line: usize,
        template: &'t Template,
        accept: &'t [String],
    ) -> Importer<'t> {
        // Any board, until that of the file is read.
        let geometry = Geometry::new(8, 8).unwrap_or_else(|_| unreachable!("8x8 is a board"));
        Importer { name, line, template, accept, problems: Vec::new(), geometry }
    }

    /// Notes that a setting cannot be expressed, or not entirely.
    pub(super) fn problem(&mut self, key: &str, why: impl Into<String>) {
        self.note(key, why.into(), true);
    }

    /// Notes that nothing can be made of a setting, accepted or not.
    pub(super) fn fatal(&mut self, key: &str, why: impl Into<String>) {
        self.note(key, why.into(), false);
    }

    fn note(&mut self, key: &str, why: String, acceptable: bool) {
        let Some(setting) = self.template.setting(key) else {
            return self.push(key, "(default)", self.line, self.name, why, acceptable);
        };
        self.push(&setting.key, &shorten(&setting.value), setting.line, &setting.section, why, acceptable);
    }

    /// Notes that nothing can be made of a piece.
    pub(super) fn fatal_piece(&mut self, slot: &Slot, why: impl Into<String>) {
        let value = shorten(&format!("{}:{}", slot.letter, slot.word));
        self.push(&slot.name, &value, slot.line, self.name, why.into(), false);
    }

    /// Notes that the section as a whole makes no variant.
    pub(super) fn fatal_section(&mut self, why: String) {
        self.push(&format!("[{}]", self.name), "as a whole", self.line, self.name, why, false);
    }

    /// Adds a problem, once. Line 0 is that of a built-in variant.
    fn push(&mut self, key: &str, value: &str, line: usize, section: &str, why: String, acceptable: bool) {
        let problem = Problem {
            key: key.into(),
            value: value.into(),
            line: Some(line).filter(|line| *line > 0),
            section: section.into(),
            why,
            accepted: acceptable && self.accept.iter().any(|accepted| accepted == key),
        };
        let known = |p: &Problem| (&p.key, &p.line, &p.why) == (&problem.key, &problem.line, &problem.why);
        if !self.problems.iter().any(known) {
            self.problems.push(problem);
        }
    }

    /// Names the keys that are unknown, or have no counterpart.
    pub(super) fn foreign_keys(&mut self, royal: bool, castling: bool) {
        let template = self.template;
        for (key, setting) in &template.settings {
            let row = keys::find(key);
            if let Some(Meaning::Refused { neutral, matters, why }) = row.map(|row| row.meaning) {
                let matters = match matters {
                    Matters::Always => true,
                    Matters::WithRoyal => royal,
                    Matters::With("castling") => castling,
                    Matters::With(master) => self.speaks(master),
                };
                if matters && !neutral.contains(&setting.value.as_str()) {
                    self.problem(key, why);
                }
            } else if !keys::is_known(key) {
                let all = keys::all();
                let near = nearest(key, all.iter().map(String::as_str));
                let guess = near.map_or(String::new(), |near| format!(" (did you mean \"{near}\"?)"));
                self.problem(key, format!("unknown key{guess}"));
            } else if let Pieces::Unknown(why) = &setting.pieces {
                self.problem(key, why.clone());
            }
        }
    }

    /// Whether a key says something, so that those that refine it do so too.
    fn speaks(&self, master: &str) -> bool {
        let value = |key: &str| self.template.setting(key).map(|setting| setting.value.as_str());
        match master {
            "nFoldRule" => value(master) != Some("0"),
            "flagRegion" => value("flagRegionWhite").is_some() || value("flagRegionBlack").is_some(),
            "connectN" => ["connectN", "connectNxN", "collinearN"].iter().any(|key| value(key).is_some()),
            _ => {
                let neutral = match keys::find(master).map(|row| row.meaning) {
                    Some(Meaning::Refused { neutral, .. }) => neutral,
                    _ => &["false", "-", ""],
                };
                value(master).is_some_and(|value| !neutral.contains(&value))
            }
        }
    }

    /// The flags of the rules that are set, by their keys in a variant file.
    pub(super) fn flags(&mut self) -> Vec<&'static str> {
        let mut set = Vec::new();
        for key in keys::KEYS {
            if let Meaning::Flag { toml, .. } = key.meaning
                && self.flag(key.name, false)
            {
                set.push(toml);
            }
        }
        set
    }

    /// What a setting's value means; `default` where nothing is said, or nothing that is expected.
    fn value<T>(&mut self, key: &str, default: T, expected: &str, read: impl Fn(&str) -> Option<T>) -> T {
        let Some(setting) = self.template.setting(key) else { return default };
        read(&setting.value).unwrap_or_else(|| {
            self.problem(key, format!("expected {expected}"));
            default
        })
    }

    /// A setting of true or false.
    pub(super) fn flag(&mut self, key: &str, default: bool) -> bool {
        self.value(key, default, "true or false", |value| value.parse().ok())
    }

    /// A whole number.
    pub(super) fn number(&mut self, key: &str, default: u32) -> u32 {
        self.value(key, default, "a whole number", |value| value.parse().ok())
    }

    /// The result for the side to move, as variant files write it.
    pub(super) fn outcome(&mut self, key: &str, default: &'static str) -> &'static str {
        let known = ["loss", "draw", "win"];
        self.value(key, default, "win, draw or loss", |value| known.into_iter().find(|known| *known == value))
    }

    /// A file of the board, as a number from 0.
    pub(super) fn file(&mut self, key: &str) -> Option<u8> {
        self.value(key, None, "a file, as a letter or a number", |value| board::file(value).map(Some))
    }

    /// A set of squares; `None` where nothing is said.
    pub(super) fn region(&mut self, key: &str) -> Option<Bitboard> {
        let setting = self.template.setting(key)?;
        match board::region(&setting.value, self.geometry) {
            Ok(set) => Some(set),
            Err(why) => {
                self.problem(key, why);
                None
            }
        }
    }

    /// The same for each side, with a default.
    pub(super) fn regions(&mut self, key: &str, default: [&str; 2]) -> [Bitboard; 2] {
        Side::BOTH.map(|side| {
            let set = self.region(&keys::per_side(key, side));
            set.unwrap_or_else(|| board::region(default[side.index()], self.geometry).unwrap_or_default())
        })
    }

    /// Whether a type is among the pieces of a setting; `default` where nothing is said.
    pub(super) fn names_piece(&self, key: &str, slot: &Slot, default: &[&str]) -> bool {
        match self.template.setting(key).map(|setting| &setting.pieces) {
            Some(Pieces::All) => true,
            Some(Pieces::Some(names)) => names.contains(&slot.name),
            Some(_) => false,
            None => default.contains(&slot.name.as_str()),
        }
    }

    pub(super) fn setting(&self, key: &str) -> Option<&'t Setting> {
        self.template.setting(key)
    }
}
