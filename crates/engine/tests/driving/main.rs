//! Engines driven as processes: fakes with every bad habit, and real ones where they are installed.

mod habits;
mod leaks;
mod real;
mod stops;
mod support;
mod transcripts;
