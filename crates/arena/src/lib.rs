//! Is B stronger than A? Players, paired matches, and the statistics that turn games into an answer.
//!
//! * [`Player`] is who plays: the baselines [`Random`], [`Greedy`] and [`AlphaBeta`], [`Searcher`], which is any
//!   evaluator under the project's search, and [`EnginePlayer`], which is an outside engine.
//! * [`play_match`] plays pairs: two games from one opening ([`Openings`]) with the colours exchanged. The referee is
//!   [`rules::Game`], with a clock of its own; a player's opinion of the result is not asked, unless [`Adjudication`]
//!   is wanted. Whatever a player does wrong ends its game with an [`EndReason`], and the match goes on.
//! * [`MatchFile`] keeps what was played, so that [`continue_match`] goes on after a kill.
//! * [`Score`] counts them, with error bars that know of the pairing; [`Sprt`] says when enough has been played.
//! * [`run_gate`] decides whether a candidate may replace the champion; [`climb`] measures a player against opponents
//!   of known strength; [`Pool::rate`] rates everybody at once from all games that are known.
//!
//! No output, and no files but match files: records are handed to the caller pair by pair. The same settings and seed
//! give the same games, whatever the number of threads; only outside engines know what time it is.
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

mod adjudication;
mod alpha_beta;
mod baseline;
mod book;
mod clock;
mod elo;
mod engine_player;
mod gate;
mod greedy;
mod ladder;
mod linear;
mod match_file;
mod match_identity;
mod material;
mod note;
mod opening;
mod paired_match;
mod player;
mod pool;
mod pool_report;
mod random;
mod rating;
mod record;
mod replayed;
mod results;
mod rung;
mod score;
mod searcher;
mod settings;
mod sprt;

pub use adjudication::{Adjudication, DrawRule, WinRule};
pub use alpha_beta::{AlphaBeta, Depth};
pub use baseline::{Baseline, ParseBaselineError, Reference};
pub use book::{Book, BookError};
pub use clock::TimeControl;
pub use elo::{Elo, EloScale, NORMALISED_ELO, elo_of_share, expected_share};
pub use engine_player::{EnginePlayer, EngineSettings, OutsideEngine, ParseEngineError};
pub use gate::{GateOpenings, GateReport, GateRule, GateSettings, GateVerdict, run_gate};
pub use greedy::Greedy;
pub use ladder::{Climb, LadderSettings, Rating, RungScore, climb, climb_with};
pub use match_file::{Found, MatchFile, MatchFileError, read_match};
pub use match_identity::Entrant;
pub use note::{MoveNote, MoveScore, ParseNoteError};
pub use opening::{Opening, OpeningSettings, Openings};
pub use paired_match::{MatchEnd, MatchError, MatchResult, MatchSettings, continue_match, play_match};
pub use player::{Choice, Fault, Player, PlayerError, Turn};
pub use pool::{Pairing, Pool, PoolError, PoolPlayer, PoolRating, Standing, Tally, Triple};
pub use random::Random;
pub use rating::{Encounter, maximum_likelihood};
pub use record::{EndReason, MatchGame, PairRecord, Points, Reasons};
pub use rung::{ParseRungError, Rung};
pub use score::{Score, ScoreError, Statistics, Summary};
pub use searcher::{RootKind, Searcher, SearcherSettings};
pub use settings::SettingsError;
pub use sprt::{Sprt, SprtReport, SprtSettings, SprtVerdict};
