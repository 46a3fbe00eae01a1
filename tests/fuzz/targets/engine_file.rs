//! Engine files. The first byte chooses what the rest is: all of the file; its header, to which numbers, length and
//! checksum are added; numbers to be put over those of a right file, whose checksum is made right again; or bytes to
//! be put over those of a right file.

#![no_main]

use fuzz::networks::{WEIGHTS, check, edit};
use libfuzzer_sys::fuzz_target;
use net::{QuantisedWeights, bytes::sha256_hex};
use std::sync::LazyLock;

/// Magic word, version, length of the header, checksum.
const PREAMBLE: usize = 8 + 4 + 4 + 32;

static RIGHT: LazyLock<Vec<u8>> =
    LazyLock::new(|| QuantisedWeights::new(&WEIGHTS, None).expect("random weights are small").to_bytes());

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else { return };
    let header_bytes = u32::from_le_bytes(RIGHT[12..16].try_into().expect("four bytes")) as usize;
    let (header, numbers) = RIGHT[PREAMBLE..].split_at(header_bytes);
    match choice % 4 {
        0 => check(rest),
        1 => check(&sealed(rest, numbers)),
        2 => {
            let mut numbers = numbers.to_vec();
            edit::<2>(&mut numbers, rest);
            check(&sealed(header, &numbers))
        }
        _ => {
            let mut bytes = RIGHT.clone();
            edit::<1>(&mut bytes, rest);
            check(&bytes[..RIGHT.len() - rest.len() % 3])
        }
    };
});

fn sealed(header: &[u8], numbers: &[u8]) -> Vec<u8> {
    let checksum = sha256_hex([header, numbers]);
    let checksum: Vec<u8> = (0..32)
        .map(|i| u8::from_str_radix(&checksum[2 * i..][..2], 16).expect("hexadecimal digits"))
        .collect();
    [&RIGHT[..12], &(header.len() as u32).to_le_bytes(), &checksum, header, numbers].concat()
}
