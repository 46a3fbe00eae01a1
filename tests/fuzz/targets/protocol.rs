//! What an interface says, in any dialect or none: each order has one answer, and whatever is said is whole lines of text.

#![no_main]

use engine::serve::{Nets, serve};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // Without files: a path could lead anywhere.
    if data.to_ascii_lowercase().windows(4).any(|word| word == b"file") {
        return;
    }
    let mut input = b"setoption name Hash value 8\n".to_vec();
    input.extend_from_slice(data);
    input.extend_from_slice(b"\nquit\n");
    let mut output = Vec::new();
    serve(input.as_slice(), &mut output, Nets::default(), 1).expect("bytes in memory can be read and written");
    let output = String::from_utf8(output).expect("text");
    assert!(output.is_empty() || output.ends_with('\n'));
    assert!(!output.contains("internal fault"), "{output}");
    let answers = output.lines().filter(|line| line.starts_with("bestmove ") || *line == "nobestmove").count();
    // Orders in plain words; there may be more, as one may follow a mark or stand in another encoding.
    let lines = data.split(|&byte| byte == b'\n').take_while(|line| !line.starts_with(b"quit"));
    let orders = lines.filter(|line| line.starts_with(b"go ") && line.is_ascii()).count();
    assert!(orders <= answers || data.windows(4).any(|word| word.eq_ignore_ascii_case(b"quit") || word.eq_ignore_ascii_case(b"exit")));
});
