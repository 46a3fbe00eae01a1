//! Our own engine without a protocol: thinks about a game on several threads until a limit is reached or it is told to
//! stop.
//!
//! Start with [`Thinker`]. A [`Task`] says what to think about and how long, a [`Signal`] ends it from another thread,
//! a [`Thought`] is what was found. Who speaks a protocol, keeps a clock for a whole game or loads a network is the
//! caller's business.
//!
//! All threads walk in one [`PlayTree`](search::PlayTree) at the same time; only pruning wants it alone. Before each
//! walk a thread looks at the signal and the clock, and ends by itself.

mod choice;
mod settings;
mod signal;
mod table;
mod task;
mod thinker;
mod thought;
mod worker;

pub use choice::{Level, Variety};
pub use search::{Line, Proven};
pub use settings::{ThinkerError, ThinkerSettings};
pub use signal::Signal;
pub use task::{Allowance, Task};
pub use thinker::{MakeEvaluator, Thinker};
pub use thought::Thought;
