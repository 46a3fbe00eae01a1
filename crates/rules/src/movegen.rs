//! Legal moves without trying them out: every enemy line that bears on the general becomes a [`Limit`] on where
//! the other pieces may go; only the general's own steps are tested one by one.

use crate::attacks;
use crate::bitboard::Bitboard;
use crate::moves::{Move, MoveList};
use crate::piece::Kind;
use crate::position::Position;
use crate::square::Square;

impl Position {
    /// Writes all legal moves to `moves`, in a fixed order, replacing what was there.
    pub fn legal_moves_into(&self, moves: &mut MoveList) {
        moves.clear();
        self.for_each_legal(|from, targets| {
            for to in targets {
                moves.push(Move::new(from, to));
            }
        });
    }

    /// How many legal moves there are; cheaper than the list.
    pub fn legal_count(&self) -> u32 {
        let mut count = 0;
        self.for_each_legal(|_, targets| count += targets.count());
        count
    }

    /// Is there any legal move?
    pub fn has_legal_move(&self) -> bool {
        self.legal_count() > 0
    }

    /// Is this move legal here? Knows it in another way than the list: it plays the move and looks at the general.
    pub fn is_legal(&self, mv: Move) -> bool {
        let Some(piece) = self.piece_at(mv.from()) else { return false };
        if piece.colour != self.turn() || !self.reached_by(piece.kind, mv.from()).contains(mv.to()) {
            return false;
        }
        let mut after = self.clone();
        after.play_unchecked(mv);
        after.attackers(after.general(piece.colour), piece.colour.opponent()).is_empty()
            && !after.generals_face()
    }

    /// Where the mover's piece of this kind on this point goes by its movement rule.
    #[inline]
    fn reached_by(&self, kind: Kind, from: Square) -> Bitboard {
        let (own, enemy) = (self.of_colour(self.turn()), self.of_colour(self.turn().opponent()));
        let occupied = self.occupied();
        match kind {
            Kind::General => attacks::general(from) & !own,
            Kind::Advisor => attacks::advisor(from) & !own,
            Kind::Elephant => attacks::elephant(from, occupied) & !own,
            Kind::Horse => attacks::horse(from, occupied) & !own,
            Kind::Rook => attacks::rook(from, self.occupancy()) & !own,
            Kind::Cannon => {
                (attacks::rook(from, self.occupancy()) & !occupied)
                    | (attacks::cannon(from, self.occupancy()) & enemy)
            }
            Kind::Pawn => attacks::pawn(self.turn(), from) & !own,
        }
    }

    /// Calls `visit` once for each piece of the mover with its legal targets: kind by kind, then by point.
    #[inline]
    fn for_each_legal(&self, mut visit: impl FnMut(Square, Bitboard)) {
        let mover = self.turn();
        let limits = Limits::of(self);
        let general = self.general(mover);
        visit(general, self.safe_steps(general));
        for kind in &Kind::ALL[1..] {
            for from in self.pieces(mover, *kind) {
                visit(from, self.reached_by(*kind, from) & limits.allowed(from));
            }
        }
    }

    /// The general's steps to points that are attacked neither before nor after it leaves its point.
    #[inline]
    fn safe_steps(&self, general: Square) -> Bitboard {
        let enemy = self.turn().opponent();
        let mut occupied = *self.occupancy();
        occupied.toggle(general);
        let mut safe = Bitboard::EMPTY;
        for to in self.reached_by(Kind::General, general) {
            // A captured piece no longer attacks, but its point stays occupied, now by the general.
            let by = |kind| self.pieces(enemy, kind).without(to);
            let seen = attacks::rook(to, &occupied);
            let attackers = (seen & by(Kind::Rook))
                | (attacks::cannon(to, &occupied) & by(Kind::Cannon))
                | (attacks::horse_sources(to, occupied.all) & by(Kind::Horse))
                | (attacks::pawn_sources(enemy, to) & by(Kind::Pawn))
                | (seen & by(Kind::General));
            if attackers.is_empty() {
                safe = safe.with(to);
            }
        }
        safe
    }
}

/// One enemy piece's claim on the general: pieces other than the general may go only to `others`, but the piece
/// on a point of `screen` only to `screened`.
#[derive(Clone, Copy)]
struct Limit {
    screen: Square,
    screened: Bitboard,
    others: Bitboard,
}

/// All claims on the mover's general.
struct Limits {
    /// Where any piece may go, whatever the list says besides.
    common: Bitboard,
    list: [Limit; 16],
    len: usize,
}

impl Limits {
    /// Looks along the general's lines and horse jumps.
    ///
    /// For a slider `a` with the points `between` it and the general, a move changes the number of pieces between
    /// by leaving (a screen of ours) or entering. A rook (or the facing general) attacks when none is between, a
    /// cannon when exactly one is. A capture of `a` always answers its claim.
    #[inline]
    fn of(position: &Position) -> Self {
        let mover = position.turn();
        let enemy = mover.opponent();
        let general = position.general(mover);
        let (own, occupied) = (position.of_colour(mover), position.occupied());
        let mut limits = Self { common: Bitboard::ALL, list: [Limit::NONE; 16], len: 0 };

        let file = Bitboard::file(general.file());
        let lines = file | Bitboard::rank(general.rank());
        let rooks =
            (position.pieces(enemy, Kind::Rook) & lines) | (position.pieces(enemy, Kind::General) & file);
        for rook in rooks {
            let between = Bitboard::between(general, rook);
            let blockers = between & occupied;
            match blockers.count() {
                0 => limits.everyone(between.with(rook)),
                1 => limits.screens(blockers & own, between.with(rook), Bitboard::ALL),
                _ => {}
            }
        }
        for cannon in position.pieces(enemy, Kind::Cannon) & lines {
            let between = Bitboard::between(general, cannon);
            let blockers = between & occupied;
            match blockers.count() {
                0 => limits.everyone(!between),
                // Check: the screen leaves the line or takes the cannon, or another piece comes between.
                1 if (blockers & own).is_empty() => limits.everyone((between ^ blockers).with(cannon)),
                1 => limits.screens(blockers, !between, (between ^ blockers).with(cannon)),
                2 => limits.screens(blockers & own, (between ^ blockers).with(cannon), Bitboard::ALL),
                _ => {}
            }
        }
        for horse in position.pieces(enemy, Kind::Horse) & attacks::horse_circle(general) {
            let leg = Bitboard::of(attacks::horse_leg(horse, general));
            if (leg & occupied).is_empty() {
                limits.everyone(leg.with(horse));
            } else {
                limits.screens(leg & own, Bitboard::of(horse), Bitboard::ALL);
            }
        }
        for pawn in position.pieces(enemy, Kind::Pawn) & attacks::pawn_sources(enemy, general) {
            limits.everyone(Bitboard::of(pawn));
        }
        limits
    }

    #[inline]
    fn everyone(&mut self, allowed: Bitboard) {
        self.common &= allowed;
    }

    /// Adds a limit for each of up to two screens.
    #[inline]
    fn screens(&mut self, screens: Bitboard, screened: Bitboard, others: Bitboard) {
        for screen in screens {
            self.list[self.len] = Limit { screen, screened, others };
            self.len += 1;
        }
    }

    /// Where the piece on this point may go without leaving the general in check.
    #[inline]
    fn allowed(&self, from: Square) -> Bitboard {
        self.list[..self.len].iter().fold(self.common, |allowed, limit| {
            allowed & if limit.screen == from { limit.screened } else { limit.others }
        })
    }
}

impl Limit {
    const NONE: Self = Self { screen: Square::from_index(0), screened: Bitboard::ALL, others: Bitboard::ALL };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::piece::Colour;

    /// Every pair of points: the list and `is_legal` must say the same.
    pub(crate) fn check_list(position: &Position) {
        let list = position.legal_moves();
        assert_eq!(list.len(), position.legal_count() as usize, "{position:?}");
        for from in position.of_colour(position.turn()) {
            for to in Square::all() {
                let mv = Move::new(from, to);
                assert_eq!(list.contains(&mv), position.is_legal(mv), "{mv} in {position:?}");
            }
        }
    }

    #[test]
    fn a_check_by_rook_and_cannon_is_answered_by_one_interposed_piece() {
        // pychess-variants#843
        let position: Position = "3aka3/9/9/9/4R4/9/9/4C4/9/4K4 b".parse().unwrap();
        let moves: Vec<String> = position.legal_moves().iter().map(ToString::to_string).collect();
        assert_eq!(moves, ["d9e8", "f9e8"]);
    }

    #[test]
    fn the_start_position_agrees_with_is_legal() {
        check_list(&Position::start());
        assert_eq!(Position::start().turn(), Colour::Red);
    }
}
