//! Tables of whole material classes: what to build, building, probing and checking them.
//!
//! [`Plan`] says what there is to do and what it costs; [`build`](fn@build::build) does it, resuming whatever an earlier
//! run left; a [`TableSet`] answers for positions; [`verify`] checks a set by the rules. The work itself is
//! done by `retrograde`, class by class: a class needs those that captures and promotions lead to.
//!
//! ```
//! use jewel_engine::games;
//! use jewel_engine::value::Value;
//! use jewel_solver::tablebase::build::{Options, build};
//! use jewel_solver::tablebase::{Plan, Scope, TableSet};
//!
//! let rules = games::find("duel").unwrap().rules();
//! let plan = Plan::new(rules, &Scope::Start)?;
//! let folder = std::env::temp_dir().join(format!("jewel-duel-{}", std::process::id()));
//! build(&plan, &folder, &Options::default(), &Default::default(), &|_| {})?;
//! let tables = TableSet::open(rules, &folder)?;
//! let start = jewel_engine::chesslike::AnyChessLike::from_fen(rules, &rules.start)?;
//! assert_eq!(tables.probe(&start)?, Value::Draw);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod build;
mod distance;
mod plan;
mod scheme;
mod scratch;
mod set;
mod solve;
pub mod verify;
pub mod zugzwang;

pub use crate::retrograde::class::{Class, ClassError};
pub use crate::retrograde::layout::TooLarge;
pub use crate::retrograde::mechanics::Unsupported;
pub use plan::{Plan, PlanError, PlannedClass, Scope};
pub use set::{ProbeError, TableSet};
