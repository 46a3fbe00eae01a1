//! From rows of games to better weights: targets ([`targets`]), losses ([`Losses`]), the optimiser, schedules
//! ([`schedule`]), averaged weights, exact snapshots, and charts of it all ([`EventWriter`]).
//!
//! Start with [`Trainer::train`]; what it is asked to do is a [`Job`], how it does it stands in [`Settings`].
//!
//! Nothing here looks at a clock or knows a run's folder.
//!
//! ```no_run
//! use std::path::Path;
//! use std::sync::atomic::AtomicBool;
//! use train::{Job, Settings, Trainer};
//!
//! # fn example(weights: &net::Weights, window: &replay::Window) -> Result<(), Box<dyn std::error::Error>> {
//! torch::init(1);
//! let settings = Settings::default();
//! let mut trainer = Trainer::new(settings.clone(), weights, 42, torch::Device::Cpu)?;
//! let job = Job::new(&settings, trainer.step(), 0..window.rows_seen(), None);
//! let stop = AtomicBool::new(false);
//! let summary = trainer.train(window, &job, Path::new("faulty-batch.safetensors"), &stop, |_| ())?;
//! println!("{} steps, value loss {:.3}", summary.steps, summary.losses.value);
//! trainer.weights()?.write("candidate.safetensors")?;
//! trainer.save(Path::new("snapshot.safetensors"))?;
//! # Ok(())
//! # }
//! ```

mod crew;
mod error;
mod events;
mod examples;
mod growth;
mod heads;
mod job;
mod lend;
mod lists;
mod losses;
mod network;
mod optimiser;
mod rows;
mod sampler;
mod sampling;
pub mod schedule;
mod settings;
mod sparse_gradient;
pub mod targets;
mod tensor_file;
#[cfg(test)]
mod testing;
mod trainer;

pub use error::TrainError;
pub use events::{EventError, EventWriter};
pub use examples::Examples;
pub use job::{Job, StepReport, Summary};
pub use lists::Lists;
pub use losses::Losses;
pub use sampler::Sampler;
pub use sampling::Sampling;
pub use settings::{MAX_PASSES_PER_ROW, Settings, SettingsError};
pub use trainer::Trainer;
