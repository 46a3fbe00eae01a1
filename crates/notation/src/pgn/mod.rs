//! PGN, in every dialect of Xiangqi programs and books: reading ([`lexer`], [`reader`]) and writing ([`writer`]).

mod lexer;
mod reader;
mod writer;

pub(crate) use reader::read;
pub use writer::write_pgn;

/// The remarks that have signs, by their numbers less one.
const REMARKS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

/// A remark's sign, or its number if it has none.
pub(crate) fn remark_text(number: u8) -> String {
    let sign = usize::from(number).checked_sub(1).and_then(|index| REMARKS.get(index));
    sign.map_or_else(|| format!("${number}"), |&sign| sign.to_owned())
}

/// A remark's number.
fn remark_number(sign: &str) -> Option<u8> {
    let numbered = sign.strip_prefix('$').and_then(|number| number.parse().ok());
    numbered.or_else(|| REMARKS.iter().position(|known| *known == sign).map(|index| index as u8 + 1))
}
