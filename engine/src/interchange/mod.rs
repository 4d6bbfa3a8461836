//! Interchange with Fairy-Stockfish: its `variants.ini` sections become variant files, and the other way round.
//!
//! [`import`] translates a section, with all that it inherits, into the text of a variant file, and refuses if a
//! rule would be lost, unless the caller accepts that loss by name. [`export`] writes a section and tells what
//! that format cannot say. `docs/interchange.md` goes through the keys. The format is known from its
//! documentation and from the program's answers.

mod board;
mod castling;
mod dialect;
mod ends;
mod export;
mod export_hand;
mod import;
mod importer;
mod ini;
mod keys;
mod pieces;
mod sheet;
mod template;

pub use export::{Export, Loss, export};
pub use import::{Import, ImportError, SectionName, import, sections};
pub use importer::Problem;
