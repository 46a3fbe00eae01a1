//! Tests of the contract from outside: everything that can be known in two ways.

#[cfg(test)]
mod evaluators;
#[cfg(test)]
mod features;
#[cfg(test)]
mod moves;
#[cfg(test)]
#[path = "../../../rules/tests/suite/support.rs"]
#[expect(dead_code, reason = "the tests of the rules use the rest")]
mod support;
