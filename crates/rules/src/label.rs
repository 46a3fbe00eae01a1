//! What one move of a loop does: checks, threatens mate, chases, or nothing of the kind.

use crate::bitboard::Bitboard;
use crate::moves::Move;
use crate::parameters::Parameters;
use crate::piece::{Colour, Kind, Piece};
use crate::position::Position;
use crate::square::Square;
use crate::threat::{Board, Excuse};

const PAWNS: &[Kind] = &[Kind::Pawn];

/// A piece on its point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The piece.
    pub piece: Piece,
    /// Where it stands.
    pub square: Square,
}

/// A new attack that would win a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threat {
    /// What would be won.
    pub victim: Placed,
    /// How.
    pub means: Means,
}

/// How a piece would be won.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Means {
    /// This piece takes it.
    Taking {
        /// The attacker.
        attacker: Placed,
        /// It could not take there before the move. Otherwise the attack is new because a root or a counter-attack
        /// fell away.
        direct: bool,
    },
    /// It falls after checks that begin with this move.
    Checks(Move),
}

/// An attack that counts for nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Excused {
    /// The attacker.
    pub attacker: Placed,
    /// What it attacks.
    pub victim: Placed,
    /// Why it doesn't count.
    pub why: Excuse,
}

/// What a move does, in full.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The pieces that give check after it.
    pub checkers: Vec<Placed>,
    /// The mate that it threatens.
    pub kill: Option<Move>,
    /// What it chases.
    pub threats: Vec<Threat>,
    /// What its side attacks without chasing it.
    pub excused: Vec<Excused>,
}

/// What a move counts as: the heaviest of what it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deed {
    /// 閒
    Idle,
    /// 捉
    Chase,
    /// 殺
    Kill,
    /// 將
    Check,
}

impl Deed {
    /// The name in explanations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Chase => "chase",
            Self::Kill => "kill",
            Self::Check => "check",
        }
    }
}

impl Label {
    /// What the move counts as.
    pub fn deed(&self) -> Deed {
        if !self.checkers.is_empty() {
            Deed::Check
        } else if self.kill.is_some() {
            Deed::Kill
        } else if !self.threats.is_empty() {
            Deed::Chase
        } else {
            Deed::Idle
        }
    }
}

/// The pieces of a loop, each with a number that it keeps while it moves. A set of them is a `u32`: two equal pieces
/// that exchange points leave the position as it was, but are not each other.
#[derive(Clone, Debug)]
pub(crate) struct Roster([u8; 90]);

impl Roster {
    pub(crate) fn new(position: &Position) -> Self {
        let mut numbers = [0; 90];
        for (number, square) in position.occupied().into_iter().enumerate() {
            numbers[square.index()] = number as u8;
        }
        Self(numbers)
    }

    pub(crate) fn play(&mut self, mv: Move) {
        self.0[mv.to().index()] = self.0[mv.from().index()];
    }

    fn set(&self, squares: Bitboard) -> u32 {
        squares.into_iter().fold(0, |set, square| set | self.one(square))
    }

    fn one(&self, square: Square) -> u32 {
        1 << self.0[square.index()]
    }
}

/// The new threats of a move, as sets of pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Chase {
    /// What is chased.
    pub(crate) victims: u32,
    /// What of it is chased by a piece that could not take there before.
    pub(crate) direct: u32,
    /// What chases.
    pub(crate) attackers: u32,
}

/// A new threat, on the board after the move.
#[derive(Clone, Copy)]
struct Found {
    victim: Square,
    by: By,
}

impl Found {
    /// Is it this attack?
    fn is(self, attacker: Square, victim: Square) -> bool {
        matches!(self.by, By::Taking { attacker: by, .. } if (by, self.victim) == (attacker, victim))
    }
}

/// [`Means`] without the piece.
#[derive(Clone, Copy)]
enum By {
    Taking { attacker: Square, direct: bool },
    Checks(Move),
}

/// A move of a loop. What it does is found out when somebody asks.
#[derive(Clone, Debug)]
pub(crate) struct Examined<'a> {
    parameters: &'a Parameters,
    pub(crate) mover: Colour,
    pub(crate) mv: Move,
    before: Position,
    after: Position,
    /// As the pieces stand after the move.
    roster: Roster,
    kill: Option<bool>,
    chase: Option<Chase>,
}

impl<'a> Examined<'a> {
    pub(crate) fn new(parameters: &'a Parameters, before: Position, mv: Move, roster: Roster) -> Self {
        let mut after = before.clone();
        after.play_unchecked(mv);
        Self { parameters, mover: before.turn(), mv, before, after, roster, kill: None, chase: None }
    }

    /// The pieces that give check.
    pub(crate) fn checkers(&self) -> u32 {
        self.roster.set(self.after.checkers())
    }

    /// The piece that moved.
    pub(crate) fn moved(&self) -> u32 {
        self.roster.one(self.mv.to())
    }

    /// Does it threaten mate, without giving check?
    pub(crate) fn kills(&mut self) -> bool {
        match self.kill {
            Some(kill) => kill,
            None => *self.kill.insert(self.mate_threatened().is_some()),
        }
    }

    fn mate_threatened(&self) -> Option<Move> {
        if self.parameters.kill_checks == 0 || self.after.in_check() {
            return None;
        }
        Board::new(self.parameters, &self.after, self.mover).mate(self.parameters.kill_checks)
    }

    /// What it chases.
    pub(crate) fn chase(&mut self) -> Chase {
        match self.chase {
            Some(chase) => chase,
            None => *self.chase.insert(self.sets(&self.threats())),
        }
    }

    /// What its pawns chase.
    pub(crate) fn chase_by_pawns(&self) -> Chase {
        self.sets(&self.new_threats(PAWNS))
    }

    fn sets(&self, threats: &[Found]) -> Chase {
        let mut chase = Chase::default();
        for threat in threats {
            let victim = self.roster.one(threat.victim);
            chase.victims |= victim;
            if let By::Taking { attacker, direct } = threat.by {
                chase.attackers |= self.roster.one(attacker);
                chase.direct |= if direct { victim } else { 0 };
            }
        }
        chase
    }

    /// The new threats.
    fn threats(&self) -> Vec<Found> {
        if self.parameters.check_voids_chase && self.after.in_check() {
            return Vec::new();
        }
        let mut threats = self.new_threats(self.parameters.chasers);
        if 0 < self.parameters.checks_before_capture {
            threats.extend(self.new_threats_after_checks(&threats));
        }
        threats
    }

    /// The new threats by pieces of these kinds.
    fn new_threats(&self, chasers: &[Kind]) -> Vec<Found> {
        let mut after = Board::new(self.parameters, &self.after, self.mover);
        let mut attackers = after.own(chasers);
        if self.parameters.moved_piece_only {
            attackers &= Bitboard::of(self.mv.to());
        }
        let threats = threats(&mut after, attackers);
        let taking = |attacker, victim, direct| Found { victim, by: By::Taking { attacker, direct } };
        if threats.is_empty() || !self.parameters.new_attacks_only {
            return threats.into_iter().map(|(attacker, victim)| taking(attacker, victim, true)).collect();
        }
        let mut before = Board::new(self.parameters, &self.before, self.mover);
        let attackers = before.own(chasers);
        let old = threats_on(&mut before, attackers, threats.iter().map(|&(_, victim)| victim).collect());
        let new = threats.into_iter().filter(|&(_, victim)| !old.contains(victim));
        let found = new.map(|(attacker, victim)| {
            let stood = if attacker == self.mv.to() { self.mv.from() } else { attacker };
            taking(attacker, victim, !before.can_take(stood, victim))
        });
        found.collect()
    }

    /// The pieces that would be won only after checks, and not before the move in any way.
    fn new_threats_after_checks(&self, threats: &[Found]) -> Vec<Found> {
        let checks = self.parameters.checks_before_capture;
        let after = Board::new(self.parameters, &self.after, self.mover);
        let mut before = Board::new(self.parameters, &self.before, self.mover);
        let mut found = Vec::new();
        for victim in after.victims() {
            if threats.iter().any(|threat| threat.victim == victim) {
                continue;
            }
            let Some(check) = after.check_that_wins(victim, checks) else { continue };
            let chasers = before.own(self.parameters.chasers);
            let was_won = !threats_on(&mut before, chasers, Bitboard::of(victim)).is_empty()
                || before.check_that_wins(victim, checks).is_some();
            if !was_won {
                found.push(Found { victim, by: By::Checks(check) });
            }
        }
        found
    }

    /// Everything that the move does. `also_by_pawns`: its pawns' threats count too.
    pub(crate) fn label(&self, also_by_pawns: bool) -> Label {
        let placed = |square: Square| Placed {
            piece: self.after.piece_at(square).expect("a piece stands there"),
            square,
        };
        let mut found = self.threats();
        if also_by_pawns {
            found.extend(self.new_threats(PAWNS));
        }
        let excused = self.excused(&found).into_iter().map(|(attacker, victim, why)| Excused {
            attacker: placed(attacker),
            victim: placed(victim),
            why,
        });
        let threats = found.iter().map(|threat| Threat {
            victim: placed(threat.victim),
            means: match threat.by {
                By::Taking { attacker, direct } => Means::Taking { attacker: placed(attacker), direct },
                By::Checks(check) => Means::Checks(check),
            },
        });
        Label {
            checkers: self.after.checkers().into_iter().map(placed).collect(),
            kill: self.mate_threatened(),
            threats: threats.collect(),
            excused: excused.collect(),
        }
    }

    /// Attacks after the move that are no new threats, and why.
    fn excused(&self, threats: &[Found]) -> Vec<(Square, Square, Excuse)> {
        let mut board = Board::new(self.parameters, &self.after, self.mover);
        let (chasers, victims) = (board.own(self.parameters.chasers), board.victims());
        let mut excused = Vec::new();
        for attacker in self.after.of_colour(self.mover) {
            for victim in board.attacked_by(attacker) {
                if threats.iter().any(|threat| threat.is(attacker, victim)) {
                    continue;
                }
                let why = if !chasers.contains(attacker) {
                    Excuse::NoChaser
                } else if !victims.contains(victim) {
                    Excuse::NoVictim
                } else {
                    board.excuse(attacker, victim).unwrap_or(Excuse::NotNew)
                };
                excused.push((attacker, victim, why));
            }
        }
        excused
    }
}

/// Attackers and what they would win.
fn threats(board: &mut Board<'_>, attackers: Bitboard) -> Vec<(Square, Square)> {
    let victims = board.victims();
    let mut threats = Vec::new();
    for attacker in attackers {
        for victim in board.attacked_by(attacker) & victims {
            if board.excuse(attacker, victim).is_none() {
                threats.push((attacker, victim));
            }
        }
    }
    threats
}

/// Which of these pieces the attackers would win.
fn threats_on(board: &mut Board<'_>, attackers: Bitboard, of: Bitboard) -> Bitboard {
    let mut victims = board.victims() & of;
    let mut won = Bitboard::EMPTY;
    for attacker in attackers {
        for victim in board.attacked_by(attacker) & victims {
            if board.excuse(attacker, victim).is_none() {
                won = won.with(victim);
                victims = victims.without(victim);
            }
        }
    }
    won
}
