//! Legal moves without trying them out: every enemy line that bears on the general becomes a [`Limit`] on where
//! the other pieces may go; only the general's own steps are tested one by one.

use crate::attacks::{self, Occupancy};
use crate::bitboard::Bitboard;
use crate::moves::{Move, MoveList};
use crate::piece::{Colour, Kind};
use crate::position::Position;
use crate::square::Square;

impl Position {
    /// Writes all legal moves to `moves`, in a fixed order, replacing what was there.
    pub fn legal_moves_into(&self, moves: &mut MoveList) {
        moves.clear();
        self.for_each_legal(|from, targets| moves.push_all(from, targets));
    }

    /// How many legal moves there are; cheaper than the list.
    pub fn legal_count(&self) -> u32 {
        let mut count = 0;
        self.for_each_legal(|_, targets| count += targets.count());
        count
    }

    /// Is there any legal move? Stops at the first.
    pub fn has_legal_move(&self) -> bool {
        self.has_legal_move_given(self.in_check())
    }

    /// The same for a caller who knows whether the mover is in check. The generals don't face: no position has that.
    #[inline]
    pub(crate) fn has_legal_move_given(&self, in_check: bool) -> bool {
        let Some(general) = self.general(self.turn()) else { return false };
        let has_move_elsewhere = || self.moves_elsewhere(general).any(|(_, targets)| !targets.is_empty());
        !in_check && has_move_elsewhere() || self.has_legal_move_under_limits(general)
    }

    /// Moves that have nothing to do with the mover's general, and are legal unless it is in check: by rooks, horses,
    /// cannons and pawns that are neither on its lines nor where a horse that looks at it has its leg, to points that
    /// aren't on its lines.
    ///
    /// Nearly always there are some: with this look first, self-play without a net takes 5 % fewer instructions.
    #[inline]
    fn moves_elsewhere(&self, general: Square) -> impl Iterator<Item = (Square, Bitboard)> {
        let own = self.of_colour(self.turn());
        let lines = attacks::lines(general);
        let (from, to) = (own & !(lines | attacks::legs(general)), !(own | lines));
        [Kind::Rook, Kind::Horse, Kind::Cannon, Kind::Pawn].into_iter().flat_map(move |kind| {
            let pieces = self.pieces(self.turn(), kind) & from;
            pieces.into_iter().map(move |from| (from, self.reached_by(kind, from) & to))
        })
    }

    fn has_legal_move_under_limits(&self, general: Square) -> bool {
        let mut limits = Limits::none(self.of_colour(self.turn()));
        limits.look(self, general);
        for kind in [Kind::Pawn, Kind::Horse, Kind::Rook, Kind::Cannon, Kind::Advisor, Kind::Elephant] {
            for from in self.pieces(self.turn(), kind) {
                if !(self.reached_by(kind, from) & limits.allowed(from)).is_empty() {
                    return true;
                }
            }
        }
        !self.safe_steps(general).is_empty()
    }

    /// Is this move legal here? Knows it in another way than the list: it plays the move and looks at the general.
    pub fn is_legal(&self, mv: Move) -> bool {
        let Some(piece) = self.piece_at(mv.from()) else { return false };
        let own = self.of_colour(self.turn());
        if piece.colour != self.turn() || own.contains(mv.to()) {
            return false;
        }
        if !self.reached_by(piece.kind, mv.from()).contains(mv.to()) {
            return false;
        }
        let mut after = self.clone();
        after.play_unchecked(mv);
        after.general(piece.colour).is_some_and(|general| {
            after.attackers(general, piece.colour.opponent()).is_empty() && !after.generals_face()
        })
    }

    /// What each piece of `side` reaches by its movement rule, whoever is to move, its own side's points too: checks,
    /// pins and facing generals don't count.
    pub fn reached(&self, side: Colour) -> impl Iterator<Item = (Square, Bitboard)> {
        let seen = self.with_turn(side);
        self.of_colour(side).into_iter().map(move |from| (from, seen.targets(from)))
    }

    /// What the mover's piece on this point reaches by its movement rule, its own side's points too.
    pub(crate) fn targets(&self, from: Square) -> Bitboard {
        self.piece_at(from).map_or(Bitboard::EMPTY, |piece| self.reached_by(piece.kind, from))
    }

    /// What the mover's piece of this kind on this point reaches by its movement rule, its own side's points too.
    #[expect(clippy::inline_always, reason = "callers know the kind: 10 % of the time of a move list")]
    #[inline(always)]
    fn reached_by(&self, kind: Kind, from: Square) -> Bitboard {
        match kind {
            Kind::General => attacks::general(from),
            Kind::Advisor => attacks::advisor(from),
            Kind::Elephant => attacks::elephant(from, self.occupied()),
            Kind::Horse => attacks::horse(from, self.occupied()),
            Kind::Rook => attacks::rook(from, &self.occupancy()),
            Kind::Cannon => attacks::cannon(from, &self.occupancy()),
            Kind::Pawn => attacks::pawn(self.turn(), from),
        }
    }

    /// Calls `visit` once for each piece of the mover with its legal targets, kind by kind, then by point.
    #[inline]
    fn for_each_legal(&self, mut visit: impl FnMut(Square, Bitboard)) {
        let Some(general) = self.general(self.turn()) else { return };
        let mut limits = Limits::none(self.of_colour(self.turn()));
        limits.look(self, general);
        visit(general, self.safe_steps(general));
        self.for_each_of(Kind::Advisor, &limits, &mut visit);
        self.for_each_of(Kind::Elephant, &limits, &mut visit);
        self.for_each_of(Kind::Horse, &limits, &mut visit);
        self.for_each_of(Kind::Rook, &limits, &mut visit);
        self.for_each_of(Kind::Cannon, &limits, &mut visit);
        self.for_each_of(Kind::Pawn, &limits, &mut visit);
    }

    /// The same for one kind but the general.
    #[expect(clippy::inline_always, reason = "see `reached_by`")]
    #[inline(always)]
    fn for_each_of(&self, kind: Kind, limits: &Limits, visit: &mut impl FnMut(Square, Bitboard)) {
        for from in self.pieces(self.turn(), kind) {
            visit(from, self.reached_by(kind, from) & limits.allowed(from));
        }
    }

    /// The general's steps to points that are attacked neither before nor after it leaves its point.
    #[inline]
    fn safe_steps(&self, general: Square) -> Bitboard {
        let enemy = self.turn().opponent();
        let by = |kind| self.pieces(enemy, kind);
        let along_lines = by(Kind::Rook) | by(Kind::General);
        let mut files = *self.occupancy().files;
        files.toggle(general);
        let occupied = Occupancy { all: self.occupied().without(general), files: &files };
        let is_safe = |to: &Square| {
            // A piece that is captured attacks no longer, and by its own rule never attacked its own point.
            let lines = attacks::lines(*to);
            (attacks::pawn_sources(enemy, *to) & by(Kind::Pawn)).is_empty()
                && ((attacks::horse_circle(*to) & by(Kind::Horse)).is_empty()
                    || (attacks::horse_sources(*to, occupied.all) & by(Kind::Horse)).is_empty())
                && ((lines & along_lines).is_empty()
                    || (attacks::rook(*to, &occupied) & along_lines).is_empty())
                && ((lines & by(Kind::Cannon)).is_empty()
                    || (attacks::cannon(*to, &occupied) & by(Kind::Cannon)).is_empty())
        };
        let steps = attacks::general(general) & !self.of_colour(self.turn());
        steps.into_iter().filter(is_safe).collect()
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
    /// Where a piece on none of the `screens` may go.
    free: Bitboard,
    screens: Bitboard,
    list: [Limit; 9],
    len: usize,
}

impl Limits {
    /// No claims: pieces may go anywhere but to points of their own side.
    #[inline]
    fn none(own: Bitboard) -> Self {
        Self { common: !own, free: !own, screens: Bitboard::EMPTY, list: [Limit::NONE; 9], len: 0 }
    }

    /// Looks along the general's lines and horse jumps.
    ///
    /// For a slider `a` with the points `between` it and the general, a move changes the number of pieces between
    /// by leaving (a screen of ours) or entering. A rook (or the facing general) attacks when none is between, a
    /// cannon when exactly one is. A capture of `a` always answers its claim.
    #[inline]
    fn look(&mut self, position: &Position, general: Square) {
        let mover = position.turn();
        let enemy = mover.opponent();
        let (own, occupied) = (position.of_colour(mover), position.occupied());
        let lines = attacks::lines(general);
        for rook in (position.pieces(enemy, Kind::Rook) | position.pieces(enemy, Kind::General)) & lines {
            let between = Bitboard::between(general, rook);
            let blockers = between & occupied;
            match blockers.count() {
                0 => self.everyone(between.with(rook)),
                1 => self.screens(blockers & own, between.with(rook), Bitboard::ALL),
                _ => {}
            }
        }
        for cannon in position.pieces(enemy, Kind::Cannon) & lines {
            let between = Bitboard::between(general, cannon);
            let blockers = between & occupied;
            match blockers.count() {
                0 => self.everyone(!between),
                // Check: the screen leaves the line or takes the cannon, or another piece comes between.
                1 if (blockers & own).is_empty() => self.everyone((between ^ blockers).with(cannon)),
                1 => self.screens(blockers, !between, (between ^ blockers).with(cannon)),
                2 => self.screens(blockers & own, (between ^ blockers).with(cannon), Bitboard::ALL),
                _ => {}
            }
        }
        for horse in position.pieces(enemy, Kind::Horse) & attacks::horse_circle(general) {
            let leg = Bitboard::of(attacks::horse_leg(horse, general));
            if (leg & occupied).is_empty() {
                self.everyone(leg.with(horse));
            } else {
                self.screens(leg & own, Bitboard::of(horse), Bitboard::ALL);
            }
        }
        for pawn in position.pieces(enemy, Kind::Pawn) & attacks::pawn_sources(enemy, general) {
            self.everyone(Bitboard::of(pawn));
        }
    }

    #[inline]
    fn everyone(&mut self, allowed: Bitboard) {
        self.common &= allowed;
        self.free &= allowed;
    }

    /// Adds a limit for each of up to two screens.
    #[inline]
    fn screens(&mut self, screens: Bitboard, screened: Bitboard, others: Bitboard) {
        self.screens |= screens;
        for screen in screens {
            self.free &= others;
            self.list[self.len] = Limit { screen, screened, others };
            self.len += 1;
        }
    }

    /// Where the piece on this point may go without leaving the general in check.
    #[inline]
    fn allowed(&self, from: Square) -> Bitboard {
        if !self.screens.contains(from) {
            return self.free;
        }
        self.list[..self.len].iter().fold(self.common, |allowed, limit| {
            allowed & if limit.screen == from { limit.screened } else { limit.others }
        })
    }
}

impl Limit {
    const NONE: Self =
        Self { screen: Square::from_index(0), screened: Bitboard::EMPTY, others: Bitboard::EMPTY };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::piece::Colour;
    use rand::SeedableRng as _;
    use rand::seq::IndexedRandom as _;
    use rand_chacha::ChaCha8Rng;

    /// Every pair of points: the list and `is_legal` must say the same.
    pub(crate) fn check_list(position: &Position) {
        let list = position.legal_moves();
        assert_eq!(list.len(), position.legal_count() as usize, "{position:?}");
        assert_eq!(position.has_legal_move(), !list.is_empty(), "{position:?}");
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

    #[test]
    fn moves_elsewhere_are_legal() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mut tried, mut not_elsewhere) = (0, 0);
        for _ in 0..100 {
            let mut position = Position::start();
            for _ in 0..200 {
                let Some(&mv) = position.legal_moves().choose(&mut rng) else { break };
                position.play_unchecked(mv);
                let (false, Some(general)) = (position.in_check(), position.general(position.turn())) else {
                    continue;
                };
                let before = tried;
                for (from, targets) in position.moves_elsewhere(general) {
                    for to in targets {
                        tried += 1;
                        assert!(position.is_legal(Move::new(from, to)), "{from}{to} in {position:?}");
                    }
                }
                not_elsewhere += usize::from(tried == before);
            }
        }
        assert!(tried > 100_000 && not_elsewhere > 10, "{tried} moves, {not_elsewhere} positions without");
    }
}
