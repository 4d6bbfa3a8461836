//! Choosing a move: alpha-beta search, Monte Carlo tree search, search with hidden information, and the evaluations
//! that they use.
//!
//! A [`Searcher`](searcher::Searcher) takes a position, the [`Limits`](limits::Limits) of the caller and a
//! [`Stop`](control::Stop) handle. It reports lines as [`Info`](report::Info) while it runs and returns a
//! [`Report`](report::Report). Searches never print, and read a clock only through
//! [`Deadline`](control::Deadline).
//!
//! ```
//! use jewel_engine::ability::{Game, Notation};
//! use jewel_engine::chesslike::ChessGame;
//! use jewel_engine::games;
//! use jewel_search::alphabeta::{AlphaBeta, Options};
//! use jewel_search::control::Stop;
//! use jewel_search::evaluate::HandcraftedEvaluation;
//! use jewel_search::limits::Limits;
//! use jewel_search::searcher::Searcher;
//!
//! let rules = games::find("ambush").ok_or("no such game")?.rules();
//! let game = ChessGame::from_any(rules);
//! let evaluation = HandcraftedEvaluation::best(rules);
//! let mut searcher = AlphaBeta::new(evaluation, Options::default()).ok_or("out of memory")?;
//!
//! let position = game.parse_position("n4/5/5/5/2L1N w - - 0 1")?;
//! let limits = Limits { depth: Some(6), ..Limits::default() };
//! let report = searcher.search(&position, &[], &limits, &Stop::new(), &mut |_| {});
//! let best = report.best.ok_or("the game is over")?;
//! println!("{} ({})", position.move_text(best), report.score());
//! # assert_eq!(position.move_text(best), "c1c3");
//! # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! ```
//!
//! From a variant file to a search that knows the exact values of endgame tables, which `jewel-solver` builds:
//!
//! ```
//! use jewel_engine::ability::{Game, Notation};
//! use jewel_engine::chesslike::ChessGame;
//! use jewel_engine::position::Position;
//! use jewel_engine::variant::Rules;
//! use jewel_search::alphabeta::{AlphaBeta, Options};
//! use jewel_search::evaluate::HandcraftedEvaluation;
//! use jewel_search::{control::Stop, limits::Limits, searcher::Searcher};
//! use jewel_solver::tablebase::{Plan, Scope, TableSet, build};
//!
//! let rules = Rules::parse(&std::fs::read_to_string("../examples/variants/duel-4x4.toml")?)?.leak();
//! let folder = std::env::temp_dir().join(format!("jewel-search-{}", std::process::id()));
//! build::build(&Plan::new(rules, &Scope::Start)?, &folder, &Default::default(), &Default::default(), &|_| {})?;
//! let tables = TableSet::open(rules, &folder)?;
//!
//! let evaluation = HandcraftedEvaluation::best(rules);
//! let mut searcher = AlphaBeta::with_tables(evaluation, tables, Options::default()).ok_or("out of memory")?;
//! let mut position = ChessGame::from_any(rules).start();
//! position.play(position.parse_move("d1d2")?);
//! let limits = Limits { depth: Some(6), ..Limits::default() };
//! let report = searcher.search(&position, &[], &limits, &Stop::new(), &mut |info| println!("{}", info.score));
//! println!("{:?}, {} probes", report.best.map(|mv| position.move_text(mv)), report.lines[0].tb_hits);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! ```
//!
//! [`alphabeta`] searches any game with tactics, [`mcts`] any game that can be played at random, [`ismcts`] games with
//! hidden information; [`exhaustive`] is slow, short and right, to test the others by.
#![deny(missing_docs)]

pub mod alphabeta;
pub mod clock;
pub mod control;
pub mod evaluate;
pub mod exhaustive;
pub mod games;
pub mod ismcts;
pub mod limits;
pub mod mcts;
mod memory;
pub mod report;
mod sampling;
pub mod score;
pub mod searcher;
pub mod time;
pub mod train;
pub mod tt;
pub mod tune;
