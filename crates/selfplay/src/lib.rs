//! Playing games against oneself, to learn from: how they begin, how each move is searched, when they are broken
//! off, and the threads that play many at once.
//!
//! A game is a pure function of the [`Job`], its number and the evaluator. Which thread plays it, when, and how many
//! others there are makes no difference.
//!
//! Start with [`play_game`], one game from the first move to the last; [`play_games`] plays many.

mod opening;
mod play;
mod seed;
mod settings;
mod workers;

pub use play::{Job, play_game};
pub use seed::game_seed;
pub use settings::{NaturalLimit, Settings, SettingsError};
pub use workers::{SelfPlayError, play_games};
