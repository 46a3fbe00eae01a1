//! Files of any bytes; most of them are PGN to the reader.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| fuzz::records::check(data));
