//! Engines and the protocols they speak: UCI with both ways of counting ranks, UCI-Cyclone, UCCI and CECP.
//!
//! [`drive`] starts another's engine as a process and asks it for moves. Nothing here judges a game: what an engine
//! answers is read and handed on, and whether the move is legal is the caller's business.
//!
//! [`fakes`] are engines with every bad habit, for tests; the program `fake-engine` is one of them.

pub mod drive;
pub mod fakes;
