//! Tests of the thinker: limits, threads, errors.

#[cfg(test)]
mod limits;
#[cfg(test)]
mod moves;
#[cfg(test)]
mod support;
#[cfg(test)]
mod threads;
