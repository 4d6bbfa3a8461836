//! Crown Jewels: two armies of dominoes, each of which only its owner sees, hunt each other's Jewels.
//!
//! The true state [`CrownJewels`] and what one player knows, [`CrownJewelsView`], are types of their own. Which
//! tiles there are, the board and the optional rules are parameters. The numbers C1 to C4 in the comments are
//! those of the project's rules file; `docs/crown-jewels.md` describes texts and parameters.
//!
//! ```
//! use jewel_engine::ability::{Game, Notation};
//! use jewel_engine::crown_jewels::CrownJewelsGame;
//! use jewel_engine::hidden::{Hidden, InformationState};
//! use jewel_engine::position::Position;
//! use jewel_engine::random::Random;
//! use jewel_engine::value::{Outcome, Side};
//!
//! let game = CrownJewelsGame::with_parameters("tiles=2,files=3,ranks=4,checkers=1")?;
//! let state = game.parse_position("b35,1,#/3/w46,2/1,#,w13 w b 0")?;
//! // White does not know which tile is on a4: it is the one that Black has left.
//! let view = state.view(Side::White);
//! assert_eq!(view.text(), "b??,1,#/3/w46,2/1,#,w13 w b 0 w 35");
//! assert_eq!(view.world(&mut Random::new(1)), state);
//! let next = state.after(state.parse_move("a2a3")?);
//! // Black's last Jewel attacks a General and falls.
//! assert_eq!(next.after(next.parse_move("a4a3")?).outcome(), Some(Outcome::Win));
//! # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! ```

mod board;
mod contest;
mod deal;
mod game;
mod hash;
mod notation;
mod packed;
mod placement;
mod play;
mod playout;
mod rules;
mod state;
mod tactics;
mod text;
mod tile;
mod view;

pub use board::AROUND;
pub use contest::{Contest, SpyPip, Traits};
pub use deal::{Deal, DealView, Gift, GiftError, Setup, SetupView};
pub use game::CrownJewelsGame;
pub use placement::{Placement, PlacementError};
pub use rules::Rules;
pub use state::{CrownJewels, Move};
pub use text::PositionError;
pub use tile::{Tile, TileSet, Tiles};
pub use view::CrownJewelsView;
