//! What the repetition rule sets differ in: one algorithm, a row of parameters for each set.

use crate::bitboard::Bitboard;
use crate::piece::Kind;

/// The choices of one repetition rule set. [`RuleSet::parameters`](crate::RuleSet::parameters) has those of each.
///
/// # Words
/// *Chase* (捉): a move that newly attacks a piece which it would win. *Kill* (殺): a move that threatens mate. *Root*
/// (根): a piece that protects. *Idle* (閒): everything else; 兌 (offer to exchange), 獻 (offer), 攔 (block) and 跟
/// (follow) attack nothing that would be won, so nothing need be known of them.
///
/// # What no set knows
/// The 1999 Chinese rules call a move idle that takes a key point of an ending known to be drawn, even if it attacks an
/// advisor or elephant besides (the "key point" exception). What such endings are is knowledge about endings, not a
/// rule that can be computed, and an arbiter may apply it to the same moves either way. Meihua judges such a move by
/// what it attacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Parameters {
    /// What becomes of a forbidden repetition.
    pub action: Action,
    /// The kinds that can chase. Generals and pawns never do alone.
    pub chasers: &'static [Kind],
    /// The kinds that can be chased, pawns only across the river.
    pub victims: &'static [Kind],
    /// Only the piece that moved chases; otherwise lines that it opens, and roots that it cuts off, count too.
    pub moved_piece_only: bool,
    /// When a protected piece would be won all the same.
    pub protected: Protected,
    /// A root must be able to take back legally (no 假根: pinned, blocked, or a general that may not step there).
    /// Otherwise its movement rule is enough.
    pub roots_take_legally: bool,
    /// The attacker must be able to take legally.
    pub attackers_take_legally: bool,
    /// Pieces of the same kind attacking each other are an offer to exchange, if the victim can take the attacker
    /// legally.
    pub equals_exchange: EqualKinds,
    /// Only what was not attacked before the move is chased.
    pub new_attacks_only: bool,
    /// The same piece must be chased on every move. Otherwise any pieces in turn.
    pub one_victim: bool,
    /// A move that checks chases nothing besides.
    pub check_voids_chase: bool,
    /// Any check in the loop, by either side, makes chases harmless.
    pub check_excuses_chases: bool,
    /// Threatening mate on every move is forbidden, by so many checks at most; 0: allowed. The 1999 rules (28.2) know a
    /// mate by consecutive checks of any number.
    pub kill_checks: u8,
    /// What else is forbidden when every move is forbidden but not all for the same reason.
    pub mixtures: Mixtures,
    /// An attack is none if taking would let the opponent mate at once.
    pub mate_refutes: bool,
    /// When one side alone offends, and not by checks, the other side's pawns chase too.
    pub pawns_answer: bool,
    /// An attack counts that wins only after so many checks at most (1999 rules, 29.1); 0: it doesn't.
    pub checks_before_capture: u8,
    /// Which of two offenders loses.
    pub ranking: Ranking,
    /// Each single loop must give the same loser; otherwise the repetition is a draw.
    pub every_loop: bool,
}

/// What becomes of a forbidden repetition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// The offender loses.
    Loss,
    /// The move is refused before it is played; see [`Game::refusals`](crate::Game::refusals).
    Refusal,
}

/// When a protected piece would be won all the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protected {
    /// Never.
    Never,
    /// A rook attacked by horse or cannon.
    MinorOnRook,
    /// The same, and rook, horse or cannon attacked by advisor or elephant.
    LesserOnGreater,
    /// If the exchange on the point, taken to its end, wins more than it costs.
    ByExchange,
}

/// Pieces of the same kind attacking each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EqualKinds {
    /// An offer to exchange if the victim can take the attacker legally.
    ExchangeIfMutual,
    /// Always an offer to exchange.
    AlwaysExchange,
    /// Like other pieces.
    Chase,
}

/// What is forbidden when every move is forbidden but not all for the same reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mixtures {
    /// Nothing.
    Allowed,
    /// 一將一殺: checks and kills.
    CheckAndKill,
    /// 一將一殺, 一將一捉, 一殺一捉: any.
    Any,
}

/// Which of two offenders loses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ranking {
    /// The checker; two others draw.
    Check,
    /// The checker; of two chasers the one whose attacks are new by geometry, not only because a root or a
    /// counter-attack fell away.
    CheckThenDirectChase,
    /// The side with more offending pieces, whatever the offence.
    Pieces,
}

const OFFICERS: &[Kind] = &[Kind::Rook, Kind::Horse, Kind::Cannon];
const OFFICERS_AND_GUARDS: &[Kind] = &[Kind::Rook, Kind::Horse, Kind::Cannon, Kind::Advisor, Kind::Elephant];
const ALL_BUT_GENERAL: &[Kind] =
    &[Kind::Rook, Kind::Horse, Kind::Cannon, Kind::Advisor, Kind::Elephant, Kind::Pawn];
const OFFICERS_AND_PAWNS: &[Kind] = &[Kind::Rook, Kind::Horse, Kind::Cannon, Kind::Pawn];

impl Parameters {
    /// The Asian rules: one chased piece, roots must be real, kills are allowed.
    pub(crate) const AXF: Self = Self {
        action: Action::Loss,
        chasers: OFFICERS_AND_GUARDS,
        victims: ALL_BUT_GENERAL,
        moved_piece_only: false,
        protected: Protected::MinorOnRook,
        roots_take_legally: true,
        attackers_take_legally: true,
        equals_exchange: EqualKinds::ExchangeIfMutual,
        new_attacks_only: true,
        one_victim: true,
        check_voids_chase: false,
        check_excuses_chases: false,
        kill_checks: 0,
        mixtures: Mixtures::Allowed,
        mate_refutes: false,
        pawns_answer: false,
        checks_before_capture: 0,
        ranking: Ranking::CheckThenDirectChase,
        every_loop: true,
    };

    /// The Chinese rules of 1999: all mixtures of check, kill and chase are forbidden, exchanges are reckoned up.
    pub(crate) const FORMAL: Self = Self {
        protected: Protected::ByExchange,
        one_victim: false,
        kill_checks: 1,
        mixtures: Mixtures::Any,
        mate_refutes: true,
        pawns_answer: true,
        ranking: Ranking::Check,
        ..Self::AXF
    };

    /// The same with what wins only after checks.
    pub(crate) const FORMAL_THROUGH_CHECKS: Self =
        Self { kill_checks: 3, checks_before_capture: 2, ..Self::FORMAL };

    /// 長打 as encyclopaedias tell it: the side that attacks with more pieces must vary.
    pub(crate) const WIKI: Self = Self {
        one_victim: false,
        kill_checks: 1,
        mixtures: Mixtures::CheckAndKill,
        ranking: Ranking::Pieces,
        ..Self::AXF
    };

    /// Online play: a third repetition of check or of the chase of one unrooted piece is refused.
    pub(crate) const CASUAL: Self = Self {
        action: Action::Refusal,
        protected: Protected::Never,
        roots_take_legally: false,
        check_voids_chase: true,
        ranking: Ranking::Check,
        ..Self::AXF
    };

    /// The referee of the UCCI engine league: the piece that moved, and no look at pins.
    pub(crate) const UCCI_LEAGUE: Self = Self {
        chasers: OFFICERS,
        victims: OFFICERS_AND_PAWNS,
        moved_piece_only: true,
        roots_take_legally: false,
        attackers_take_legally: false,
        equals_exchange: EqualKinds::AlwaysExchange,
        new_attacks_only: false,
        ranking: Ranking::Check,
        ..Self::AXF
    };

    /// The engine Pikafish: a check by either side makes chases harmless, and loops are not looked at one by one.
    pub(crate) const PIKAFISH: Self = Self {
        protected: Protected::LesserOnGreater,
        check_voids_chase: true,
        check_excuses_chases: true,
        ranking: Ranking::Check,
        every_loop: false,
        ..Self::AXF
    };

    /// One-sided perpetual check loses, every other repetition is a draw.
    pub(crate) const CHECKS: Self =
        Self { chasers: &[], ranking: Ranking::Check, every_loop: false, ..Self::AXF };

    /// Does a piece of `attacker` win one of `victim` even if it is taken in return? Exchanges are another matter.
    pub(crate) fn wins_protected(&self, attacker: Kind, victim: Kind) -> bool {
        let minor_on_rook = matches!(attacker, Kind::Horse | Kind::Cannon) && victim == Kind::Rook;
        let guard_on_officer =
            matches!(attacker, Kind::Advisor | Kind::Elephant) && OFFICERS.contains(&victim);
        match self.protected {
            Protected::Never | Protected::ByExchange => false,
            Protected::MinorOnRook => minor_on_rook,
            Protected::LesserOnGreater => minor_on_rook || guard_on_officer,
        }
    }
}

/// The pieces of some kinds.
pub(crate) fn of_kinds(position: &crate::Position, kinds: &[Kind]) -> Bitboard {
    kinds.iter().fold(Bitboard::EMPTY, |set, &kind| set | position.of_kind(kind))
}
