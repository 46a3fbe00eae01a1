//! Tests of moves, lists of moves, positions and openings in writing.

#[cfg(test)]
mod fens;
#[cfg(test)]
mod openings;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod support;
#[cfg(test)]
mod vectors;
