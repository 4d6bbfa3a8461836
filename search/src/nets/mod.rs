//! The nets that games come with.
//!
//! A net is made by `jewel train` and kept only if matches have shown that it plays better than the hand-made
//! evaluation at equal time: `docs/strength.md` has the scores, and each file the command that made it.

use crate::evaluate::net::Net;
use crate::evaluate::{Evaluation, HandcraftedEvaluation};
use jewel_engine::games;
use jewel_engine::variant::Rules;
use std::sync::Arc;

/// Ids of embedded games, with their nets.
const NETS: [(&str, &[u8]); 2] = [
    ("diamond-quest", include_bytes!("diamond-quest.net")),
    ("diamond-chess", include_bytes!("diamond-chess.net")),
];

/// The net of a game, if it is one that comes with the program and has one. A variant of the same name, but with
/// other rules, has none.
pub fn embedded(rules: &Rules) -> Option<Net> {
    let game = games::find(&rules.id)?.rules();
    let (_, bytes) = NETS.iter().find(|(id, _)| *id == rules.id && game.fingerprint == rules.fingerprint)?;
    // The files are part of the program and the tests read all of them.
    Some(Net::parse(bytes, rules).unwrap_or_else(|e| unreachable!("{}: {e}", rules.id)))
}

impl Evaluation {
    /// The best evaluation there is for a game: its net, or else hand-made terms with the best weights there are.
    pub fn best(rules: &Rules) -> Evaluation {
        let hand = HandcraftedEvaluation::best(rules);
        match embedded(rules) {
            Some(net) => Evaluation::with_net(hand, Arc::new(net)),
            None => Evaluation::from(hand),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jewel_engine::games::{GAMES, find};

    #[test]
    fn every_net_belongs_to_its_game() {
        for (id, bytes) in NETS {
            let rules = find(id).unwrap_or_else(|| panic!("{id}: no such game")).rules();
            let net = Net::parse(bytes, rules).unwrap_or_else(|e| panic!("{id}: {e}"));
            assert_eq!(net.game(), id);
            assert!(net.origin().starts_with(&format!("jewel train {id} ")), "{id}: {}", net.origin());
            assert_eq!(net.to_bytes(), bytes, "{id}");
            assert!(bytes.len() < 300_000, "{id}: {} bytes", bytes.len());
            assert_eq!(Evaluation::best(rules).net(), Some(&net));
            let mut other = Rules::parse(find(id).unwrap().text).unwrap();
            assert!(embedded(&other).is_some());
            other.fingerprint ^= 1;
            assert_eq!(embedded(&other), None);
        }
    }

    #[test]
    fn games_without_a_net_are_evaluated_by_hand() {
        for game in GAMES.iter().filter(|game| NETS.iter().all(|(id, _)| *id != game.id)) {
            assert!(Evaluation::best(game.rules()).net().is_none());
        }
    }
}
