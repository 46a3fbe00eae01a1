//! A game between two players: besides moves there are offers of a draw, resignation, time and broken rules.

use crate::game::{Ending, Game, IllegalMove, Outcome, Reason};
use crate::moves::Move;
use crate::piece::{ByColour, Colour};

/// What a player does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Plays a move.
    Move(Move),
    /// Offers a draw, when it is the player's turn. This is no move.
    OfferDraw,
    /// Accepts the other's offer.
    Accept,
    /// Declines it.
    Decline,
    /// Gives up, whoever's turn it is.
    Resign,
    /// Has no time left.
    Overstep,
}

/// Why a match is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// By the board.
    Rules(Reason),
    /// An offer was accepted: a draw.
    Agreement,
    /// One side gave up.
    Resignation,
    /// One side's time ran out, which loses whatever the other has left.
    Time,
    /// One side broke the rules of movement, and that forfeits.
    IllegalMove,
}

impl Conclusion {
    /// The name in records, as PGN's `Termination` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rules(reason) => reason.name(),
            Self::Agreement => "agreement",
            Self::Resignation => "resignation",
            Self::Time => "time",
            Self::IllegalMove => "illegal-move",
        }
    }
}

/// An action that can't be; the match is as it was.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ActionError {
    /// After the end.
    #[error("the game is over")]
    GameOver,
    /// Only the player whose turn it is can move or overstep.
    #[error("it is not {}'s turn", .0.name())]
    NotOnMove(Colour),
    /// A move that is not legal, or refused as a repetition.
    #[error(transparent)]
    IllegalMove(#[from] IllegalMove),
    /// Draws are offered when it is one's turn and no offer is open; after a refusal not before a move of one's own.
    #[error("{} can't offer a draw now: {why}", .side.name())]
    OfferNotAllowed {
        /// Who wanted to offer.
        side: Colour,
        /// What is in the way.
        why: &'static str,
    },
    /// Nobody offered anything to this side.
    #[error("there is no offer for {} to answer", .0.name())]
    NoOffer(Colour),
}

/// A game and what its players agreed on, or did wrong.
///
/// ```
/// use rules::{Colour, Conclusion, Game, Match, MatchAction, Outcome, Position, Rules};
///
/// let mut players = Match::new(Game::new(Position::start(), Rules::default()), false);
/// players.act(Colour::Red, MatchAction::Move("b2e2".parse()?))?;
/// players.act(Colour::Black, MatchAction::OfferDraw)?;
/// players.act(Colour::Red, MatchAction::Accept)?;
/// assert_eq!(players.conclusion(), Some((Outcome::Draw, Conclusion::Agreement)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Match {
    game: Game,
    illegal_move_forfeits: bool,
    /// Who has offered a draw that is not answered yet.
    offer: Option<Colour>,
    /// Whose offer was refused since their last move.
    refused: ByColour<bool>,
    conclusion: Option<(Outcome, Conclusion)>,
}

impl Match {
    /// A match that begins where the game stands. `illegal_move_forfeits`: a move that is not permitted loses; otherwise it
    /// is an error and the match goes on.
    pub fn new(game: Game, illegal_move_forfeits: bool) -> Self {
        let mut begun =
            Self { game, illegal_move_forfeits, offer: None, refused: ByColour::default(), conclusion: None };
        begun.look_at_the_board();
        begun
    }

    /// The game on the board.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// Who has offered a draw that is not answered yet.
    pub const fn pending_offer(&self) -> Option<Colour> {
        self.offer
    }

    /// How it ended, if it did.
    pub const fn conclusion(&self) -> Option<(Outcome, Conclusion)> {
        self.conclusion
    }

    /// A player does something.
    pub fn act(&mut self, by: Colour, action: Action) -> Result<(), ActionError> {
        if self.conclusion.is_some() {
            return Err(ActionError::GameOver);
        }
        let lost = Outcome::Win(by.opponent());
        match action {
            Action::Move(mv) => return self.play(by, mv),
            Action::OfferDraw => return self.offer_draw(by),
            Action::Accept => {
                self.answer(by)?;
                self.conclusion = Some((Outcome::Draw, Conclusion::Agreement));
            }
            Action::Decline => {
                self.answer(by)?;
                self.refused[by.opponent()] = true;
            }
            Action::Resign => self.conclusion = Some((lost, Conclusion::Resignation)),
            Action::Overstep => {
                self.must_be_on_move(by)?;
                self.conclusion = Some((lost, Conclusion::Time));
            }
        }
        Ok(())
    }

    fn must_be_on_move(&self, by: Colour) -> Result<(), ActionError> {
        if self.game.position().turn() == by { Ok(()) } else { Err(ActionError::NotOnMove(by)) }
    }

    fn play(&mut self, by: Colour, mv: Move) -> Result<(), ActionError> {
        self.must_be_on_move(by)?;
        match self.game.play_permitted(mv) {
            Err(_) if self.illegal_move_forfeits => {
                self.conclusion = Some((Outcome::Win(by.opponent()), Conclusion::IllegalMove));
                return Ok(());
            }
            played => played?,
        }
        self.refused[by] = false;
        // To move on is to decline.
        if self.offer == Some(by.opponent()) {
            self.offer = None;
            self.refused[by.opponent()] = true;
        }
        self.look_at_the_board();
        Ok(())
    }

    fn look_at_the_board(&mut self) {
        self.conclusion =
            self.game.ending().map(|Ending { outcome, reason }| (outcome, Conclusion::Rules(reason)));
    }

    fn offer_draw(&mut self, by: Colour) -> Result<(), ActionError> {
        let refuse = |why| Err(ActionError::OfferNotAllowed { side: by, why });
        if self.game.position().turn() != by {
            return refuse("it is the other's turn");
        }
        if self.offer.is_some() {
            return refuse("an offer is open");
        }
        if self.refused[by] {
            return refuse("the last one was refused, and no move of its own made since");
        }
        self.offer = Some(by);
        Ok(())
    }

    /// Takes the offer that the other side made off the table.
    fn answer(&mut self, by: Colour) -> Result<(), ActionError> {
        if self.offer != Some(by.opponent()) {
            return Err(ActionError::NoOffer(by));
        }
        self.offer = None;
        Ok(())
    }
}
