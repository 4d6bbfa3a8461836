//! The players, one file each. They are made by [`PlayerSpec::build`](crate::spec::PlayerSpec::build).

pub(crate) mod external;
pub(crate) mod greedy;
mod group;
pub(crate) mod human;
mod process;
mod protocol;
pub(crate) mod random;
pub(crate) mod searching;
pub(crate) mod table;

use crate::engine::GameAt;
use crate::player::Fault;
use jewel_engine::random::Random;

/// The random numbers of a player in one game, which depend on both seeds.
fn random_of(own: u64, game: u64) -> Random {
    Random::stream(game, own)
}

/// Brings a player's own line to where the game is. Within a game only the moves that are new are played.
fn follow(own: &mut dyn GameAt, game: &dyn GameAt) -> Result<(), Fault> {
    let known = own.plies();
    let next = known <= game.plies() && game.played_from(known).iter().all(|mv| own.play(mv).is_ok());
    if next && own.plies() == game.plies() && own.zobrist_hash() == game.zobrist_hash() {
        Ok(())
    } else {
        begin(own, game)
    }
}

/// Sets a player's own line up from the first position of the game.
fn begin(own: &mut dyn GameAt, game: &dyn GameAt) -> Result<(), Fault> {
    let all = own.set_position(Some(&game.first_fen()), &game.played());
    all.map_err(|e| Fault::Unable(format!("the game is not the one it was made for: {e}")))
}
