//! Playing games against oneself, to learn from: how they begin, how each move is searched, when they are decided or
//! broken off, and the threads that play many at once.
//!
//! A game is a pure function of the [`Job`], its number and the evaluator. Which thread plays it, when, and how many
//! others there are makes no difference.
//!
//! Start with [`play_game`], one game from the first move to the last; [`play_games`] plays many.

mod archive;
mod opening;
mod play;
mod resignation;
mod schedule;
mod seed;
mod settings;
mod workers;

pub use archive::Archive;
pub use play::{Job, play_game};
pub use resignation::ResignationSettings;
pub use schedule::Schedule;
pub use seed::game_seed;
pub use settings::{Settings, SettingsError};
pub use workers::{SelfPlayError, play_games};
