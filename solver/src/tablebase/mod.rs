//! Tables of whole material classes: planning, building, probing and checking them.
//!
//! A [`Plan`] lists the classes and what they cost; [`build`](fn@build::build) solves them and resumes what an earlier run
//! left; a [`TableSet`] looks up positions; [`verify`] checks tables by the rules. The private module `retrograde` does the
//! work, class by class: a class needs those that captures and promotions lead to.
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
mod count;
mod distance;
mod fleet;
pub mod histogram;
mod lost;
mod monitor;
mod plan;
pub mod ranks;
mod scheme;
mod scratch;
mod set;
mod solve;
pub mod verify;
pub mod zugzwang;

pub use crate::retrograde::class::Class;
pub use crate::retrograde::classes::ClassError;
pub use crate::retrograde::game::Unsupported;
pub use crate::retrograde::layout::TooLarge;
pub use lost::{Cause, LostSymmetries};
pub use plan::{FleetPlan, Plan, PlanError, PlannedClass, Scope};
pub use set::{ProbeError, TableSet};
