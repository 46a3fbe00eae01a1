//! The encoding of a text file: UTF-8, UTF-16, GB18030 or Big5, told apart by what the text then says.

use crate::fault::Caution;
use encoding_rs::{BIG5, Encoding, GB18030, UTF_8, UTF_16BE, UTF_16LE};

/// The most bytes that may be missing at the end of a text that was cut off within a character.
const MAX_CUT: usize = 3;

/// The encodings of game records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextEncoding {
    /// UTF-8, with or without byte order mark.
    Utf8,
    /// UTF-16, little-endian, with byte order mark.
    Utf16Le,
    /// UTF-16, big-endian, with byte order mark.
    Utf16Be,
    /// GB18030, which contains GBK and GB2312.
    Gb18030,
    /// Big5.
    Big5,
}

impl TextEncoding {
    fn encoding(self) -> &'static Encoding {
        match self {
            Self::Utf8 => UTF_8,
            Self::Utf16Le => UTF_16LE,
            Self::Utf16Be => UTF_16BE,
            Self::Gb18030 => GB18030,
            Self::Big5 => BIG5,
        }
    }
}

/// A text and how it was encoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decoded {
    /// The text, without byte order mark and NUL; what was not readable is U+FFFD.
    pub text: String,
    /// The encoding.
    pub encoding: TextEncoding,
    /// What was dropped or replaced.
    pub cautions: Vec<Caution>,
}

/// Decodes a text. A byte order mark decides, then whether all is valid UTF-8; otherwise GB18030, Big5 and UTF-8 are
/// tried, and the one with more moves in Chinese wins. If none has more, as in a file without moves, it is the one in
/// which more characters are common ones, and at last GB18030.
///
/// ```
/// // 炮二平五 in Big5.
/// let decoded = notation::decode(&[0xAC, 0xB6, 0xA4, 0x47, 0xA5, 0xAD, 0xA4, 0xAD]);
/// assert_eq!((decoded.text.as_str(), decoded.encoding), ("炮二平五", notation::TextEncoding::Big5));
/// ```
pub fn decode(bytes: &[u8]) -> Decoded {
    match Encoding::for_bom(bytes) {
        Some((encoding, length)) => {
            let encoding = match encoding {
                encoding if encoding == UTF_16LE => TextEncoding::Utf16Le,
                encoding if encoding == UTF_16BE => TextEncoding::Utf16Be,
                _ => TextEncoding::Utf8,
            };
            decode_as(&bytes[length..], encoding)
        }
        None => decode_as(bytes, guess(bytes)),
    }
}

fn decode_as(bytes: &[u8], encoding: TextEncoding) -> Decoded {
    let (text, has_errors) = encoding.encoding().decode_without_bom_handling(bytes);
    let mut text = text.into_owned();
    let mut cautions = Vec::new();
    // Old Macintosh files end lines so.
    if !text.contains('\n') {
        text = text.replace('\r', "\n");
    }
    let nuls = text.matches('\0').count();
    if nuls > 0 {
        text.retain(|character| character != '\0');
        cautions.push(Caution::Nuls(nuls));
    }
    if has_errors {
        cautions.push(Caution::Undecodable { field: "file".to_owned(), encoding });
    }
    Decoded { text, encoding, cautions }
}

fn guess(bytes: &[u8]) -> TextEncoding {
    match std::str::from_utf8(bytes) {
        Ok(_) => return TextEncoding::Utf8,
        Err(error) => {
            // A file that was cut off within a character is still UTF-8.
            let is_cut = error.error_len().is_none() && bytes.len() - error.valid_up_to() <= MAX_CUT;
            if is_cut && !bytes[..error.valid_up_to()].is_ascii() {
                return TextEncoding::Utf8;
            }
        }
    }
    let candidates = [TextEncoding::Gb18030, TextEncoding::Big5, TextEncoding::Utf8];
    let score = |encoding: TextEncoding| {
        let (text, _) = encoding.encoding().decode_without_bom_handling(bytes);
        let common = match encoding {
            TextEncoding::Utf8 => text.chars().filter(|&c| !c.is_ascii() && c != '\u{fffd}').count(),
            _ => common_characters(bytes, encoding),
        };
        (count_moves(&text), common)
    };
    // Of equal ones the first: `max_by_key` would take the last.
    let mut best = (candidates[0], score(candidates[0]));
    for &encoding in &candidates[1..] {
        let score = score(encoding);
        if best.1 < score {
            best = (encoding, score);
        }
    }
    best.0
}

/// How many times the text has four characters that look like a move: piece, file, direction, number.
fn count_moves(text: &str) -> usize {
    const SUBJECTS: &str = "帅帥将將仕士相象马馬傌车車俥炮砲包兵卒前中后後";
    const FILES: &str = "一二三四五六七八九１２３４５６７８９123456789帅帥将將仕士相象马馬傌车車俥炮砲包兵卒";
    const DIRECTIONS: &str = "进進退平上下";
    const NUMBERS: &str = "一二三四五六七八九１２３４５６７８９123456789";
    let forms = [SUBJECTS, FILES, DIRECTIONS, NUMBERS];
    let (mut count, mut matched) = (0, 0);
    for character in text.chars() {
        if forms[matched].contains(character) {
            matched += 1;
        } else {
            matched = usize::from(SUBJECTS.contains(character));
        }
        if matched == forms.len() {
            count += 1;
            matched = 0;
        }
    }
    count
}

/// How many two-byte characters are among the common ones of an encoding, which each has in one block: GB2312 its
/// first level, Big5 its frequently used characters.
fn common_characters(bytes: &[u8], encoding: TextEncoding) -> usize {
    let is_common = |lead: u8, trail: u8| match encoding {
        TextEncoding::Gb18030 => matches!((lead, trail), (0xA1..=0xA3 | 0xB0..=0xD7, 0xA1..)),
        TextEncoding::Big5 => matches!((lead, trail), (0xA1..=0xC6, 0x40..=0x7E | 0xA1..)),
        TextEncoding::Utf8 | TextEncoding::Utf16Le | TextEncoding::Utf16Be => false,
    };
    let (mut count, mut rest) = (0, bytes);
    while let &[lead, ref after @ ..] = rest {
        rest = after;
        if let (0x81.., &[trail, ref after @ ..]) = (lead, after) {
            count += usize::from(is_common(lead, trail));
            rest = after;
        }
    }
    count
}

/// Decodes a short text of a binary file, which is GB18030, up to the first NUL.
pub(crate) fn decode_field(bytes: &[u8], field: &str, cautions: &mut Vec<Caution>) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let (text, has_errors) = GB18030.decode_without_bom_handling(&bytes[..end]);
    if has_errors {
        cautions.push(Caution::Undecodable { field: field.to_owned(), encoding: TextEncoding::Gb18030 });
    }
    text.into_owned()
}

/// Decodes a text in UTF-16, little-endian, up to the first NUL.
pub(crate) fn decode_wide_field(bytes: &[u8], field: &str, cautions: &mut Vec<Caution>) -> String {
    let units = bytes.chunks_exact(2).take_while(|unit| **unit != [0, 0]).count();
    let (text, has_errors) = UTF_16LE.decode_without_bom_handling(&bytes[..2 * units]);
    if has_errors {
        cautions.push(Caution::Undecodable { field: field.to_owned(), encoding: TextEncoding::Utf16Le });
    }
    text.into_owned()
}
