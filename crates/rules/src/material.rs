//! Material with which nobody wins.

use crate::piece::{Colour, Kind};
use crate::position::Position;
use crate::rule_set::Material;

impl Position {
    /// Is neither side left with a piece that can cross the river? Then nobody can ever give check (RULES 1.4).
    pub fn is_barren(&self) -> bool {
        [Kind::Rook, Kind::Horse, Kind::Cannon, Kind::Pawn].iter().all(|&kind| self.of_kind(kind).is_empty())
    }
}

impl Material {
    /// Is the position a draw?
    pub fn is_drawn(self, position: &Position) -> bool {
        position.is_barren() || (self == Self::Extended && is_drawn_with_cannons(position))
    }
}

/// At most one cannon a side and nothing else that crosses the river, with too few guards for screens (Pikafish,
/// `rule_judge`).
fn is_drawn_with_cannons(position: &Position) -> bool {
    let count = |colour, kind| position.pieces(colour, kind).count();
    let others = [Kind::Rook, Kind::Horse, Kind::Pawn];
    if others.iter().any(|&kind| !position.of_kind(kind).is_empty()) {
        return false;
    }
    let safe = match (count(Colour::Red, Kind::Cannon), count(Colour::Black, Kind::Cannon)) {
        (1, 0) => lone_cannon(position, Colour::Red),
        (0, 1) => lone_cannon(position, Colour::Black),
        (1, 1) if position.of_kind(Kind::Advisor).is_empty() => {
            if position.of_kind(Kind::Elephant).is_empty() { Drawn::AtOnce } else { Drawn::UnlessMate }
        }
        _ => Drawn::No,
    };
    match safe {
        Drawn::No => false,
        Drawn::AtOnce => true,
        Drawn::UnlessMate => !can_end_the_game(position),
    }
}

enum Drawn {
    No,
    UnlessMate,
    AtOnce,
}

fn lone_cannon(position: &Position, owner: Colour) -> Drawn {
    let count = |colour, kind| position.pieces(colour, kind).count();
    if 0 < count(owner, Kind::Advisor) {
        return Drawn::No;
    }
    let elephants = count(owner, Kind::Elephant);
    match (count(owner.opponent(), Kind::Advisor), elephants) {
        (0, _) | (1, 0) => Drawn::AtOnce,
        (1, _) | (2, 0) => Drawn::UnlessMate,
        _ => Drawn::No,
    }
}

/// Is there a move that leaves the opponent without one?
fn can_end_the_game(position: &Position) -> bool {
    position.legal_moves().iter().any(|&mv| {
        let mut after = position.clone();
        after.play_unchecked(mv);
        !after.has_legal_move()
    })
}
