//! Lines of text from whatever bytes come in.

use std::io::{BufRead, ErrorKind, Result};

/// The longest line that is read: a position with thousands of moves is shorter.
pub(super) const MAX_LINE_BYTES: usize = 1 << 16;

/// What came in up to the end of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Line {
    /// A text without line ends, control characters and white space around it; perhaps nothing.
    Text(String),
    /// More than [`MAX_LINE_BYTES`], which were passed over.
    TooLong,
}

/// Reads the next line, whatever its end (`\n`, `\r\n` or the end of the input); `None` at the end.
///
/// A byte order mark is dropped wherever a line begins with it. What isn't UTF-8 is read as GB18030 or Big5, as paths on
/// a Chinese Windows are written. Control characters, tabs and NUL among them, count as spaces.
pub(super) fn next_line(input: &mut impl BufRead) -> Result<Option<Line>> {
    let mut bytes = Vec::new();
    let mut is_too_long = false;
    let mut is_empty = true;
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            break;
        }
        is_empty = false;
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        is_too_long |= bytes.len() + part.len() > MAX_LINE_BYTES;
        if !is_too_long {
            bytes.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    if is_empty {
        return Ok(None);
    }
    Ok(Some(if is_too_long { Line::TooLong } else { Line::Text(text(&bytes)) }))
}

fn text(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => notation::decode(bytes).text,
    };
    text.replace(char::is_control, " ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    /// With a buffer so small that lines lie across its ends.
    fn lines(bytes: &[u8]) -> Vec<Line> {
        let mut input = BufReader::with_capacity(3, bytes);
        std::iter::from_fn(|| next_line(&mut input).expect("bytes in memory can be read")).collect()
    }

    fn texts(texts: &[&str]) -> Vec<Line> {
        texts.iter().map(|&text| Line::Text(text.to_owned())).collect()
    }

    #[test]
    fn line_ends_marks_and_control_characters_are_dropped() {
        assert_eq!(lines(b"\xEF\xBB\xBFuci\r\n"), texts(&["uci"]));
        assert_eq!(lines(b"a\tb\0c  \n\n \r\nend"), texts(&["a b c", "", "", "end"]));
        assert_eq!(lines(b""), []);
    }

    #[test]
    fn other_encodings_are_read() {
        // 象棋 in GBK.
        assert_eq!(lines(b"EvalFile \xCF\xF3\xC6\xE5\n"), texts(&["EvalFile 象棋"]));
        assert_eq!(lines("象棋\n".as_bytes()), texts(&["象棋"]));
        let Line::Text(_) = &lines(&[0xFF, 0xFE, 0x80, 0xC0, b'\n', b'x'])[0] else { panic!("a text") };
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let mut bytes = vec![b'x'; MAX_LINE_BYTES + 1];
        bytes.extend_from_slice(b"\nuci\n");
        assert_eq!(lines(&bytes), [Line::TooLong, Line::Text("uci".to_owned())]);
        let longest = vec![b'x'; MAX_LINE_BYTES];
        assert!(matches!(&lines(&longest)[..], [Line::Text(text)] if text.len() == MAX_LINE_BYTES));
    }
}
