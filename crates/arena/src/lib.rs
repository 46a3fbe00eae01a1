//! Is B stronger than A? Players, paired matches, and the statistics that turn games into an answer.
//!
//! * [`Player`] is who plays: the baselines [`Random`], [`Greedy`] and [`AlphaBeta`], and [`Searcher`], which is
//!   any evaluator under the project's search.
//! * [`play_match`] plays pairs: two games from one random opening with the colours exchanged. The referee is
//!   [`rules::Game`]; a player's opinion of the result is never asked.
//! * [`Score`] counts them, with error bars that know of the pairing; [`Sprt`] says when enough has been played.
//! * [`run_gate`] decides whether a candidate may replace the champion; [`climb`] measures a player against opponents
//!   of known strength.
//!
//! No files, no clock, no output: records are handed to the caller pair by pair. The same settings and seed give the
//! same games, whatever the number of threads.
//!
//! ```
//! use arena::{AlphaBeta, Depth, MatchSettings, Random, play_match};
//! use std::ops::ControlFlow;
//! use std::sync::atomic::AtomicBool;
//!
//! let settings = MatchSettings { pairs: 4, seed: 7, ..MatchSettings::default() };
//! let result = play_match(
//!     &settings,
//!     || AlphaBeta::new(Depth::new(2).expect("between 1 and 8")),
//!     Random::default,
//!     &AtomicBool::new(false),
//!     |_pair, _score| ControlFlow::Continue(()),
//! )?;
//! assert_eq!(result.score.games(), 8);
//! assert!(result.score.share() > 0.5, "{}", result.score);
//! # Ok::<(), arena::MatchError>(())
//! ```

mod alpha_beta;
mod baseline;
mod elo;
mod gate;
mod greedy;
mod ladder;
mod material;
mod opening;
mod paired_match;
mod player;
mod random;
mod record;
mod score;
mod searcher;
mod settings;
mod sprt;

pub use alpha_beta::{AlphaBeta, Depth};
pub use baseline::{Baseline, ParseBaselineError, Reference};
pub use elo::{Elo, elo_of_share, expected_share};
pub use gate::{GateReport, GateRule, GateSettings, GateVerdict, run_gate};
pub use greedy::Greedy;
pub use ladder::{Climb, LadderSettings, Rating, RungScore, climb, maximum_likelihood};
pub use opening::{Opening, OpeningSettings};
pub use paired_match::{MatchEnd, MatchError, MatchResult, MatchSettings, play_match};
pub use player::{Player, PlayerError};
pub use random::Random;
pub use record::{EndReason, MatchGame, PairRecord, Points, Reasons};
pub use score::{Score, ScoreError, Summary};
pub use searcher::{RootKind, Searcher, SearcherSettings};
pub use settings::SettingsError;
pub use sprt::{Sprt, SprtSettings, SprtVerdict};
