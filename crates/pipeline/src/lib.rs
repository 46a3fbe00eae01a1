//! The loop and its state machine: self-play → train → gate → promote or reject, on a run folder that can be killed
//! at any instant and goes on where it stood.
//!
//! Start with [`train()`]; [`RunFolder`] says what lies where, [`Config`] what can be set, [`Event`] what a run tells
//! while it goes. It prints nothing, reads no environment and looks at no clock: its caller does.

mod alarm;
mod config;
mod error;
mod folder;
mod gating;
mod history;
mod manifest;
mod observe;
mod playing;
mod run;
mod self_play;
mod state;
mod stored;
mod summary;
mod timings;
mod training;

pub use alarm::{Alarm, AlarmKind};
pub use config::{
    ArenaSettings, Config, Family, GamesPerGeneration, Growth, NetSettings, RulesSettings, RunSettings,
    TowerSettings,
};
pub use error::PipelineError;
pub use folder::{RunFolder, shards};
pub use history::{Milestone, history};
pub use manifest::Manifest;
pub use observe::{Elapsed, Event, Observer, Silent};
pub use run::{Options, train};
pub use state::{NetId, State, Step};
pub use stored::champion;
pub use summary::Summary;
pub use timings::{Timing, Timings};
