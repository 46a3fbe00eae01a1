//! Weights files. The first byte chooses what the rest is: all of the file; its header, to which length and numbers
//! are added; bytes to be put over those of a right file; or numbers to be put over those of right weights: which
//! tensor, three bytes for the place, four for the number.

#![no_main]

use fuzz::networks::{WEIGHTS, check, check_weights, edit};
use libfuzzer_sys::fuzz_target;
use net::Weights;
use std::sync::LazyLock;

static RIGHT: LazyLock<Vec<u8>> = LazyLock::new(|| WEIGHTS.to_bytes());

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else { return };
    match choice % 4 {
        0 => drop(check(rest)),
        1 => {
            let header_bytes = u64::from_le_bytes(RIGHT[..8].try_into().expect("eight bytes")) as usize;
            let length = (rest.len() as u64).to_le_bytes();
            check(&[&length, rest, &RIGHT[8 + header_bytes..]].concat());
        }
        2 => {
            let mut bytes = RIGHT.clone();
            // Beyond the header there are only numbers, of which the checksum takes care.
            edit::<1>(&mut bytes[..2048], rest);
            check(&bytes[..RIGHT.len() - rest.len() % 4]);
        }
        _ => {
            let mut tensors = WEIGHTS.tensors().clone();
            for edit in rest.chunks_exact(8) {
                let tensor = tensors.values_mut().nth(usize::from(edit[0] % 8)).expect("there are eight");
                let place = u32::from_le_bytes([edit[1], edit[2], edit[3], 0]) as usize % tensor.values.len();
                tensor.values[place] = f32::from_le_bytes([edit[4], edit[5], edit[6], edit[7]]);
            }
            if let Ok(weights) = Weights::new(WEIGHTS.description().clone(), tensors) {
                check_weights(&weights);
            }
        }
    }
});
