//! Engines and the protocols they speak: UCI with both ways of counting ranks, UCI-Cyclone, UCCI and CECP.
//!
//! [`drive`] starts another's engine as a process and asks it for moves. Nothing here judges a game: what an engine
//! answers is read and handed on, and whether the move is legal is the caller's business.
//!
//! [`think`] is the other side: an engine of our own, without a protocol: a search on several threads that ends when
//! it is told to or when a limit is reached.
//!
//! [`serve`] lets others' interfaces talk with it; the program `meihua-engine` does that on its standard streams.
//!
//! [`fakes`] are engines with every bad habit, for tests; the program `fake-engine` is one of them.

pub mod drive;
pub mod fakes;
pub mod serve;
pub mod think;
