//! Positions, moves and games in writing: text in, text out, no I/O.
//!
//! Start with [`write_move`] and [`read_move`], whose [`Style`] is one of the ways of writing a move; [`read_moves`]
//! reads a list and settles how its coordinates count ranks. [`read_fen`] reads a position, [`Opening`] names how a
//! game began.
//!
//! [`read_records`] reads all games of a file, whatever its [`Format`]; a [`Record`] is one of them, with its [`Tree`]
//! of moves. [`write_pgn`] and [`write_dhtmlxq`] write it.

mod binary;
mod bytes;
mod cbf;
mod ccbridge;
mod described;
mod detect;
mod dhtmlxq;
mod encoding;
mod fault;
mod fen;
mod line;
mod opening;
mod pgn;
mod placed;
mod read;
mod record;
mod style;
mod tree;
mod tsv;
mod write;
mod xqf;

pub use detect::{Format, read_records};
pub use dhtmlxq::write_dhtmlxq;
pub use encoding::{Decoded, TextEncoding, decode};
pub use fault::{Caution, MoveFault, Place, RecordError, RecordFault, Warning};
pub use fen::{FenNote, read_fen};
pub use line::{MoveListError, Proof, Settled, read_moves};
pub use opening::Opening;
pub use pgn::write_pgn;
pub use read::{MoveTextError, read_move};
pub use record::{Record, Tags};
pub use style::{Digits, ParseStyleError, Ranks, Script, Style};
pub use tree::{AddError, Cursor, MAX_PLIES, NodeId, Tree};
pub use write::write_move;
