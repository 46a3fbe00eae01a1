//! What would a side win if it were to move? The difference before and after a move is what the move chases.
//!
//! One function decides, [`Board::excuse`]: why an attack would win nothing, if so. Everything is found by playing the
//! captures out on a copy of the board.

use crate::attacks;
use crate::bitboard::Bitboard;
use crate::moves::Move;
use crate::parameters::{EqualKinds, Parameters, Protected, of_kinds};
use crate::piece::{Colour, Kind};
use crate::position::Position;
use crate::square::Square;

/// Why an attack counts for nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Excuse {
    /// Generals and pawns (and in some sets advisors and elephants) don't chase.
    NoChaser,
    /// A pawn that has not crossed the river (and in some sets an advisor or elephant) is no victim.
    NoVictim,
    /// Taking would expose the attacker's general to the piece on this point.
    ExposesGeneral(Square),
    /// 兌: the victim is of the same kind and could take the attacker.
    OffersExchange,
    /// 有根: the piece on this point takes back, and the exchange wins nothing.
    Rooted(Square),
    /// Taking would let the opponent mate by this move.
    AllowsMate(Move),
    /// The piece was attacked so before the move.
    NotNew,
}

/// A position seen by a side as if it were its turn, be it or not.
#[derive(Debug)]
pub(crate) struct Board<'a> {
    parameters: &'a Parameters,
    position: Position,
    side: Colour,
    /// The side's pieces that attack the enemy general already. A root is judged as if that check were not: otherwise a
    /// move that checks would make every root look false.
    standing: Bitboard,
    /// The enemy pieces that attack the side's general already. What was attacked before the side left check is not new
    /// because of leaving it.
    suffered: Bitboard,
}

impl<'a> Board<'a> {
    pub(crate) fn new(parameters: &'a Parameters, position: &Position, side: Colour) -> Self {
        let position = position.with_turn(side);
        let standing = position.checkers_of(side.opponent());
        let suffered = position.checkers_of(side);
        Self { parameters, position, side, standing, suffered }
    }

    /// The side's pieces of these kinds.
    pub(crate) fn own(&self, kinds: &[Kind]) -> Bitboard {
        of_kinds(&self.position, kinds) & self.position.of_colour(self.side)
    }

    /// The enemy pieces that can be chased under these rules.
    pub(crate) fn victims(&self) -> Bitboard {
        let enemy = self.side.opponent();
        let of_kinds = of_kinds(&self.position, self.parameters.victims) & self.position.of_colour(enemy);
        of_kinds & !(self.position.of_kind(Kind::Pawn) & attacks::half(enemy))
    }

    /// The enemy pieces, the general apart, that a piece of the side attacks by its movement rule.
    pub(crate) fn attacked_by(&self, attacker: Square) -> Bitboard {
        let enemy = self.side.opponent();
        let reached = self.position.targets(attacker) & self.position.of_colour(enemy);
        reached & !self.position.pieces(enemy, Kind::General)
    }

    /// Could the piece take legally? Attacks on the own general that are there anyway don't count.
    pub(crate) fn can_take(&mut self, attacker: Square, victim: Square) -> bool {
        self.attacked_by(attacker).contains(victim) && self.exposed_by(attacker, victim).is_none()
    }

    /// The piece to which taking would expose the own general.
    fn exposed_by(&mut self, attacker: Square, victim: Square) -> Option<Square> {
        let undo = self.position.play_unchecked(Move::new(attacker, victim));
        let exposed = self.position.checkers_of(self.side) & !self.suffered;
        self.position.undo(undo);
        exposed.first()
    }

    /// Why the attack would win nothing; `None` if it is a threat. The attacker must reach the victim by its movement
    /// rule.
    pub(crate) fn excuse(&mut self, attacker: Square, victim: Square) -> Option<Excuse> {
        let (kind, victim_kind) = (self.kind(attacker), self.kind(victim));
        if self.parameters.attackers_take_legally
            && let Some(square) = self.exposed_by(attacker, victim)
        {
            return Some(Excuse::ExposesGeneral(square));
        }
        if !self.parameters.wins_protected(kind, victim_kind) {
            if kind == victim_kind && self.is_exchange(attacker, victim) {
                return Some(Excuse::OffersExchange);
            }
            if let Some(root) = self.root(attacker, victim) {
                return Some(Excuse::Rooted(root));
            }
        }
        self.mate_allowed(attacker, victim).map(Excuse::AllowsMate)
    }

    fn kind(&self, square: Square) -> Kind {
        self.position.piece_at(square).expect("a piece stands there").kind
    }

    /// Is the attack on a piece of the same kind an offer to exchange?
    fn is_exchange(&mut self, attacker: Square, victim: Square) -> bool {
        match self.parameters.equals_exchange {
            EqualKinds::AlwaysExchange => true,
            EqualKinds::Chase => false,
            EqualKinds::ExchangeIfMutual => {
                let enemy = self.side.opponent();
                let seen = self.position.attackers(attacker, enemy).contains(victim);
                seen && self.takes_now(victim, attacker)
            }
        }
    }

    /// Could the enemy piece take on this point now? A check on its general counts, even one that the move gave.
    fn takes_now(&mut self, from: Square, to: Square) -> bool {
        let undo = self.position.play_unchecked(Move::new(from, to));
        let safe = self.position.checkers_of(self.side.opponent()).is_empty();
        self.position.undo(undo);
        safe
    }

    /// The piece that takes back so that nothing is won.
    fn root(&mut self, attacker: Square, victim: Square) -> Option<Square> {
        let undo = self.position.play_unchecked(Move::new(attacker, victim));
        let roots = self.position.attackers(victim, self.side.opponent());
        let root = roots.into_iter().find(|&root| self.takes_back(root, victim));
        let lost = root.filter(|_| self.parameters.protected == Protected::ByExchange);
        let gain = lost.map_or(0, |_| self.exchange_value(victim));
        self.position.undo(undo);
        let pawns = [self.kind(attacker), self.kind(victim)].contains(&Kind::Pawn);
        root.filter(|_| lost.is_none() || pawns || worth(self.kind(victim)) <= gain)
    }

    /// Can the enemy piece take on this point, which it reaches?
    fn takes_back(&mut self, root: Square, point: Square) -> bool {
        !self.parameters.roots_take_legally || self.takes_legally(root, point, self.side.opponent())
    }

    /// Can the piece take without exposing its general? Checks that the general suffers already don't count, unless it is
    /// the general itself that takes.
    fn takes_legally(&mut self, from: Square, to: Square, side: Colour) -> bool {
        let undo = self.position.play_unchecked(Move::new(from, to));
        let mut exposed = self.position.checkers_of(side);
        self.position.undo(undo);
        if self.kind(from) != Kind::General {
            exposed &= !if side == self.side { self.suffered } else { self.standing };
        }
        exposed.is_empty()
    }

    /// What the side to move wins on this point at most, taking with its least piece first and free to stop at any time:
    /// static exchange evaluation with legal captures. Exchanges in which a pawn is taken win nothing.
    fn exchange_value(&mut self, point: Square) -> i32 {
        let turn = self.position.turn();
        let mut takers: Vec<Square> = self.position.attackers(point, turn).into_iter().collect();
        takers.sort_by_key(|&taker| (self.kind(taker) == Kind::General, worth(self.kind(taker))));
        let legally = self.parameters.roots_take_legally;
        let taker = takers.into_iter().find(|&taker| !legally || self.takes_legally(taker, point, turn));
        let Some(taker) = taker else { return 0 };
        let won = worth(self.kind(point));
        let undo = self.position.play_unchecked(Move::new(taker, point));
        let lost = self.exchange_value(point);
        self.position.undo(undo);
        (won - lost).max(0)
    }

    /// The mate that taking would allow.
    fn mate_allowed(&mut self, attacker: Square, victim: Square) -> Option<Move> {
        if !self.parameters.mate_refutes {
            return None;
        }
        let undo = self.position.play_unchecked(Move::new(attacker, victim));
        let mate = mate_by_checks(&mut self.position, 1);
        self.position.undo(undo);
        mate
    }

    /// Could the side mate by so many checks at most? Nobody may be in check.
    pub(crate) fn mate(&mut self, checks: u8) -> Option<Move> {
        mate_by_checks(&mut self.position, checks)
    }

    /// The first of at most so many checks after which the piece would be won, wherever it goes. Nobody may be in
    /// check.
    pub(crate) fn check_that_wins(&self, victim: Square, checks: u8) -> Option<Move> {
        if checks == 0 || !self.standing.is_empty() || !self.suffered.is_empty() {
            return None;
        }
        let moves = self.position.legal_moves();
        moves.iter().copied().filter(|mv| mv.to() != victim).find(|&mv| {
            let mut checked = self.position.clone();
            checked.play_unchecked(mv);
            if !checked.in_check() {
                return false;
            }
            let replies = checked.legal_moves();
            replies.iter().all(|&reply| self.wins_after(&checked, reply, victim, checks))
        })
    }

    /// Is the piece won after this reply to a check?
    fn wins_after(&self, checked: &Position, reply: Move, victim: Square, checks: u8) -> bool {
        let mut position = checked.clone();
        position.play_unchecked(reply);
        let victim = if reply.from() == victim { reply.to() } else { victim };
        let mut board = Board::new(self.parameters, &position, self.side);
        if !board.victims().contains(victim) {
            return false;
        }
        let chasers = board.own(self.parameters.chasers);
        let taken = chasers.into_iter().any(|chaser| {
            board.attacked_by(chaser).contains(victim) && board.excuse(chaser, victim).is_none()
        });
        taken || board.check_that_wins(victim, checks - 1).is_some()
    }
}

/// What a piece counts in exchanges: rook 8, horse and cannon 4, advisor and elephant 2 (1999 rules: a rook is two horses
/// or cannons, or one of each). Pawns have no fixed worth and win nothing.
const fn worth(kind: Kind) -> i32 {
    match kind {
        Kind::Rook => 8,
        Kind::Horse | Kind::Cannon => 4,
        Kind::Advisor | Kind::Elephant => 2,
        Kind::Pawn | Kind::General => 0,
    }
}

/// The first move of a mate by at most so many checks on end. Taking a general that stands in check is no mate.
fn mate_by_checks(position: &mut Position, checks: u8) -> Option<Move> {
    let moves = position.legal_moves();
    let general = position.pieces(position.turn().opponent(), Kind::General);
    moves.iter().copied().filter(|mv| !general.contains(mv.to())).find(|&mv| {
        let undo = position.play_unchecked(mv);
        let mates = position.in_check()
            && (!position.has_legal_move() || (1 < checks && every_reply_is_mated(position, checks - 1)));
        position.undo(undo);
        mates
    })
}

fn every_reply_is_mated(position: &mut Position, checks: u8) -> bool {
    let replies = position.legal_moves();
    replies.iter().all(|&reply| {
        let undo = position.play_unchecked(reply);
        let mated = mate_by_checks(position, checks).is_some();
        position.undo(undo);
        mated
    })
}
