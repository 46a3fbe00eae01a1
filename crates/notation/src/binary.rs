//! What the binary formats have in common: a board, and a tree of moves in which each move has two flags, "moves
//! follow" and "an alternative follows those".

use crate::fault::{Caution, Fault, MoveFault, Place, RecordFault, Refused, Warning};
use crate::placed;
use crate::record::Record;
use crate::tree::{Cursor, NodeId};
use rules::{Colour, Move, Outcome, Piece, Square};

/// The start position as stored.
pub(crate) struct Start {
    pub(crate) board: [Option<Piece>; 90],
    pub(crate) board_place: Place,
    /// Whose turn it is according to the header, which the first move may contradict.
    pub(crate) turn: Colour,
    pub(crate) turn_place: Place,
}

/// A move as stored, or the root, which has none.
pub(crate) struct Step {
    pub(crate) place: Place,
    pub(crate) points: Result<(Square, Square), String>,
    pub(crate) has_child: bool,
    pub(crate) has_sibling: bool,
    pub(crate) comment: String,
}

/// The moves in the order of the file: a move, all that follows it, then its alternatives.
pub(crate) trait Steps: Clone {
    fn next(&mut self, warnings: &mut Vec<Warning>) -> Result<Step, Fault>;
}

/// Reads a game. `describe` adds what the header says about it.
pub(crate) fn read(
    start: &Start,
    mut steps: impl Steps,
    describe: impl FnOnce(&mut Record),
) -> Result<Record, Refused> {
    let mut warnings = Vec::new();
    let root = steps.next(&mut warnings)?;
    let first = steps.clone().next(&mut Vec::new()).ok().filter(|_| root.has_child);
    let first = first.and_then(|step| step.points.ok()).map(|(from, to)| Move::new(from, to));
    let (position, is_other) = placed::position(start.board, first, start.turn)
        .map_err(|error| Refused::at(start.board_place, RecordFault::Start(error)))?;

    let mut record = Record::new(position);
    record.warnings = warnings;
    if is_other {
        record.warnings.push(Warning { place: start.turn_place, caution: Caution::OtherSideFirst });
    }
    describe(&mut record);
    record.tree.cursor().comment(&root.comment);
    if !root.has_child {
        return Ok(record);
    }
    match grow(&mut record, steps) {
        Ok(()) => Ok(record),
        Err((place, fault)) => Err(Refused::with(place, fault, record)),
    }
}

/// The result by its number.
pub(crate) fn result(number: u8, place: Place, warnings: &mut Vec<Warning>) -> Option<Outcome> {
    match number {
        0 => None,
        1 => Some(Outcome::Win(Colour::Red)),
        2 => Some(Outcome::Win(Colour::Black)),
        3 | 4 => Some(Outcome::Draw),
        other => {
            warnings.push(Warning { place, caution: Caution::UnknownResult(other.to_string()) });
            None
        }
    }
}

/// Puts the moves into the tree.
fn grow(record: &mut Record, mut steps: impl Steps) -> Result<(), Fault> {
    let mut grower = Grower {
        cursor: record.tree.cursor(),
        warnings: &mut record.warnings,
        parent: Some(NodeId::ROOT),
        is_main_line: true,
        cut: None,
    };
    // Where alternatives are to come.
    let mut pending = Vec::new();
    loop {
        let step = match steps.next(grower.warnings) {
            Err((place, RecordFault::Truncated { within })) if !grower.is_main_line => {
                grower.warnings.push(Warning { place, caution: Caution::Truncated { within } });
                return Ok(());
            }
            step => step?,
        };
        let node = grower.add(&step)?;
        if step.has_sibling {
            pending.push(grower.parent);
        }
        if step.has_child {
            grower.parent = node;
        } else if let Some(parent) = pending.pop() {
            grower.parent = parent;
            grower.is_main_line = false;
        } else {
            return Ok(());
        }
    }
}

struct Grower<'r> {
    cursor: Cursor<'r>,
    warnings: &'r mut Vec<Warning>,
    /// The node from which the next move goes on; none behind a faulty move.
    parent: Option<NodeId>,
    is_main_line: bool,
    /// The warning about the last faulty move.
    cut: Option<usize>,
}

impl Grower<'_> {
    /// Adds a move. A faulty one is an error in the main line, unless it is the very last move, as in some real files;
    /// elsewhere it is a warning, and what follows it is left out.
    fn add(&mut self, step: &Step) -> Result<Option<NodeId>, Fault> {
        let Some(parent) = self.parent else {
            self.count_dropped();
            return Ok(None);
        };
        self.cursor.go_to(parent);
        let added = match &step.points {
            Ok((from, to)) => self.cursor.add(Move::new(*from, *to)).map_err(MoveFault::from),
            Err(text) => Err(MoveFault::Points(text.clone())),
        };
        let cause = match added {
            Ok(node) => {
                self.cursor.comment(&step.comment);
                return Ok(Some(node));
            }
            Err(cause) => cause,
        };
        let ply = self.cursor.ply() + 1;
        let is_last = !step.has_child && !step.has_sibling;
        if self.is_main_line && !is_last {
            return Err((step.place, RecordFault::Move { ply, cause }));
        }
        self.cut = Some(self.warnings.len());
        let caution = Caution::LineCut { ply, cause, dropped: 1 };
        self.warnings.push(Warning { place: step.place, caution });
        Ok(None)
    }

    fn count_dropped(&mut self) {
        if let Some(warning) = self.cut.and_then(|index| self.warnings.get_mut(index)) {
            warning.count_dropped();
        }
    }
}
