//! Lines out of a stream of bytes that may be anything.

use std::io::{self, Read};

/// What is kept of a line, in bytes; the rest of it is dropped.
pub(super) const MAX_LINE: usize = 16 * 1024;

/// Reads until the stream ends or `sink` wants no more. A line is what lies between line breaks, without the white
/// space at its ends; empty ones are left out, bytes that are no UTF-8 are replaced, what is too long is cut off.
pub(super) fn for_each_line(
    mut stream: impl Read,
    mut sink: impl FnMut(String) -> Result<(), Closed>,
) -> Result<(), Closed> {
    let mut chunk = [0; 8 * 1024];
    let mut line = Vec::new();
    loop {
        let length = match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        for piece in chunk[..length].split_inclusive(|&byte| matches!(byte, b'\n' | b'\r')) {
            let room = MAX_LINE - line.len();
            line.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") || piece.ends_with(b"\r") {
                finish(&mut line, &mut sink)?;
            }
        }
    }
    finish(&mut line, &mut sink)
}

/// Nobody wants more lines.
#[derive(Debug)]
pub(super) struct Closed;

fn finish(line: &mut Vec<u8>, sink: &mut impl FnMut(String) -> Result<(), Closed>) -> Result<(), Closed> {
    let text = String::from_utf8_lossy(line).trim_matches(is_blank).to_owned();
    line.clear();
    if text.is_empty() { Ok(()) } else { sink(text) }
}

fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || letter == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        for_each_line(bytes, |line| {
            found.push(line);
            Ok(())
        })
        .expect("the sink takes all");
        found
    }

    #[test]
    fn line_breaks_of_all_systems_and_blank_lines() {
        assert_eq!(lines(b"a\nb\r\nc\rd\n\n \t\n  e f \n"), ["a", "b", "c", "d", "e f"]);
        assert_eq!(lines(b"\xef\xbb\xbfuciok"), ["uciok"]);
        assert_eq!(lines(b""), [""; 0]);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(lines(b"\xff\xfe\nbestmove h2e2"), ["\u{fffd}\u{fffd}", "bestmove h2e2"]);
    }

    #[test]
    fn long_lines_are_cut_and_the_next_is_whole() {
        let mut bytes = vec![b'x'; 3 * MAX_LINE];
        bytes.extend_from_slice(b"\nbestmove h2e2\n");
        let found = lines(&bytes);
        assert_eq!((found[0].len(), found[1].as_str()), (MAX_LINE, "bestmove h2e2"));
    }

    #[test]
    fn a_sink_that_is_full_up_ends_the_reading() {
        assert!(for_each_line(&b"a\nb"[..], |_| Err(Closed)).is_err());
    }
}
