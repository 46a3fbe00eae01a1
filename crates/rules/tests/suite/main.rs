//! Tests of the rules from outside: data files, and everything that can be known in two ways.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod games;
#[cfg(test)]
mod movegen;
#[cfg(test)]
mod perft;
#[cfg(test)]
mod positions;
#[cfg(test)]
mod repetitions;
#[cfg(test)]
mod setups;
#[cfg(test)]
mod support;
