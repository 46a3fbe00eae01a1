//! Tests of the search from outside, as drivers use it.

#[cfg(test)]
mod common;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod repetitions;
#[cfg(test)]
mod results;
