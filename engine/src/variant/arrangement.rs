//! Chess960: rules for kings and rooks that start on other files of their rank.
//!
//! Positions refer to their rules, and where castling leads is part of these. So for each arrangement of kings and
//! rooks that a position string asks for there are rules of their own. They are made once, share all large tables
//! and live as long as the rules that they come from: to play by them costs no more than to play by the others.

use super::Rules;
use super::spec::{Castle, RulesSpec};
use super::tables::{CastlingTables, Tables};
use std::sync::OnceLock;

/// The rules that others have been asked for.
#[derive(Debug, Default)]
pub(super) struct Arrangements {
    /// Chains by a hash of the squares of kings and rooks, so that none grows long.
    chains: [Chain; CHAINS],
    /// The same arrangement with castling written in the manner of Chess960.
    twin: OnceLock<Box<Rules>>,
}

/// How many chains there are.
const CHAINS: usize = 32;

type Chain = OnceLock<Box<Link>>;

#[derive(Debug)]
struct Link {
    rules: Rules,
    next: Chain,
}

impl Rules {
    /// The same rules with these castling moves in place of their own.
    pub(crate) fn arranged(&self, castles: &[Castle]) -> &Rules {
        if self.castles == castles {
            return self;
        }
        let mut link = &self.arrangements.chains[hash(castles)];
        loop {
            let known = link.get_or_init(|| {
                Box::new(Link { rules: self.with_castles(castles.to_vec()), next: OnceLock::new() })
            });
            if known.rules.castles == castles {
                return &known.rules;
            }
            link = &known.next;
        }
    }

    /// The same rules, where castling is always written as the king's move to the square of its rook. Rules without
    /// Chess960 castling stay as they are.
    pub fn with_chess960_moves(&self) -> &Rules {
        if self.king_takes_rook || !self.chess960 {
            return self;
        }
        self.arrangements.twin.get_or_init(|| Box::new(self.with_castles(self.castles.clone())))
    }

    fn with_castles(&self, castles: Vec<Castle>) -> Rules {
        Rules {
            fingerprint: self.fingerprint,
            symmetries: self.symmetries.clone(),
            tables: Tables { castling: CastlingTables::new(&castles, self.chess960), ..self.tables.clone() },
            spec: RulesSpec { castles, ..self.spec.clone() },
            king_takes_rook: true,
            arrangements: Arrangements::default(),
        }
    }
}

fn hash(castles: &[Castle]) -> usize {
    let squares = castles.iter().flat_map(|castle| [castle.king[0], castle.rook[0]]);
    squares.fold(0, |hash: usize, square| hash.wrapping_mul(31).wrapping_add(square.index())) % CHAINS
}
