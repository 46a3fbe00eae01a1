//! Games in which positions come back. A byte chooses the rules, then come the start (a case and some of its moves, or
//! pieces thrown on the board) and the moves, many of them back or once round again.
//!
//! What a game says of its end must not depend on how it got there, on left and right, or on Red and Black.

#![no_main]

use fuzz::case;
use fuzz::position::assert_as_written;
use fuzz::scatter::{Bytes, scattered};
use libfuzzer_sys::{Corpus, fuzz_target};
use rules::{
    Action, ActionError, ByColour, Category, Colour, Deed, Ending, Explanation, Game, Label, Loop, Match,
    MatchAction, Material, Move, Outcome, Position, RuleSet, Rules, Square,
};
use std::num::{NonZeroU8, NonZeroU16};

/// Long enough for a few rounds of a loop.
const MAX_PLIES: usize = 60;

fuzz_target!(|data: &[u8]| -> Corpus {
    let mut bytes = Bytes(data);
    let options = bytes.byte();
    let (start, opening) = if options & 0x80 == 0 {
        let case = case(bytes.byte(), bytes.byte());
        let count = case.moves.len().min(bytes.byte().into());
        (case.start.clone(), &case.moves[..count])
    } else {
        let Some(start) = scattered(&mut bytes) else { return Corpus::Reject };
        (start, &[][..])
    };
    let mut played = Played::new(&start, rules(options));
    for &mv in opening {
        played.play(mv);
    }
    for &byte in bytes.0 {
        for mv in choose(byte, &played.game) {
            played.play(mv);
        }
        if MAX_PLIES <= played.game.plies().len() {
            break;
        }
    }
    played.check_replay();
    check_match(&played, data);
    Corpus::Keep
});

fn rules(options: u8) -> Rules {
    let folds = [None, NonZeroU8::new(2), NonZeroU8::new(1), NonZeroU8::new(4)];
    let limits = [
        (NonZeroU16::new(120), None, Material::Strict),
        (NonZeroU16::new(20), NonZeroU8::new(2), Material::Extended),
        (None, None, Material::Extended),
        (NonZeroU16::new(40), NonZeroU8::new(6), Material::Strict),
    ];
    let rules = Rules::of(RuleSet::ALL[usize::from(options & 7)]);
    let folds = folds[usize::from(options >> 3 & 3)].unwrap_or(rules.folds);
    let (natural_limit_plies, check_cap, material) = limits[usize::from(options >> 5 & 3)];
    Rules { folds, natural_limit_plies, check_cap, material, ..rules }
}

/// The moves that a byte means: one of the legal ones, back with the piece that moved last, or what was played some
/// plies ago, once or all the way round.
fn choose(byte: u8, game: &Game) -> Vec<Move> {
    let plies = game.plies();
    let ago = |count: usize| plies.len().checked_sub(count).map(|ply| plies[ply].mv());
    let round = 4 + 2 * usize::from(byte & 3);
    let mut position = game.position().clone();
    let wanted: Vec<Move> = match byte {
        ..0x80 => Vec::new(),
        0x80..0xC0 => ago(2).map(|mv| Move::new(mv.to(), mv.from())).into_iter().collect(),
        0xC0..0xE0 => ago(round).into_iter().collect(),
        0xE0.. => (1..=round).rev().filter_map(ago).collect(),
    };
    let can_be_played = |mv: &Move| {
        let is_legal = position.is_legal(*mv);
        if is_legal {
            position.play_unchecked(*mv);
        }
        is_legal
    };
    let moves: Vec<Move> = wanted.into_iter().take_while(can_be_played).collect();
    if !moves.is_empty() {
        return moves;
    }
    let legal = game.position().legal_moves();
    legal.get(usize::from(byte) % legal.len().max(1)).copied().into_iter().collect()
}

/// A game, the same with left and right exchanged, and the same with the sides exchanged.
struct Played {
    game: Game,
    mirrored: Game,
    turned: Game,
    /// All positions so far.
    positions: Vec<Position>,
    /// What was said of each.
    endings: Vec<Option<Ending>>,
}

impl Played {
    fn new(start: &Position, rules: Rules) -> Self {
        let game = |start| Game::new(start, rules);
        let mut played = Self {
            game: game(start.clone()),
            mirrored: game(start.mirrored()),
            turned: game(start.turned()),
            positions: Vec::new(),
            endings: Vec::new(),
        };
        played.check();
        played
    }

    fn play(&mut self, mv: Move) {
        self.game.play(mv).expect("a legal move");
        self.mirrored.play(mv.mirrored()).expect("legal in the mirror");
        self.turned.play(mv.turned()).expect("legal when turned");
        self.check();
    }

    fn check(&mut self) {
        let game = &self.game;
        self.positions.push(game.position().clone());
        let said = Said::by(game);
        self.endings.push(said.ending);
        assert_as_written(game.position());
        assert!(game.counted_quiet_plies() <= game.position().quiet_plies());
        let count = self.positions.iter().filter(|earlier| *earlier == game.position()).count();
        assert_eq!(game.occurrences() as usize, count, "{game:?}");
        check_repetition(game, &said, count);
        check_refusals(game, &said);
        check_bound_to_vary(game, &said, &self.positions);
        Image::MIRRORED.assert_alike(game, &said, &Said::by(&self.mirrored));
        Image::TURNED.assert_alike(game, &said, &Said::by(&self.turned));
    }

    /// The same endings when all is played from nothing, and when all is taken back.
    fn check_replay(&self) {
        let mut replayed = Game::new(self.game.start().clone(), *self.game.rules());
        let mut endings = vec![replayed.ending()];
        for ply in self.game.plies() {
            replayed.play(ply.mv()).expect("it was played before");
            endings.push(replayed.ending());
        }
        assert_eq!(endings, self.endings, "{replayed:?}");
        while let Some(ending) = endings.pop() {
            assert_eq!(replayed.ending(), ending, "{replayed:?}");
            assert_eq!(replayed.position(), &self.positions[endings.len()]);
            replayed.undo();
        }
        assert!(replayed.plies().is_empty());
    }
}

/// The verdict is the one that is explained, and the plies since the first of the occurrences are enough for it.
fn check_repetition(game: &Game, said: &Said, occurrences: usize) {
    let Rules { rule_set, folds, .. } = *game.rules();
    let folds = usize::from(folds.get());
    let Some(Loop { start, plies }) = game.repeated() else {
        assert!(game.repetition().is_none() && said.explanation.is_none());
        assert!(folds < 2 || occurrences < folds, "{game:?}");
        return;
    };
    let explanation = said.explanation.as_ref().expect("a repetition is explained");
    let Explanation { verdict, plies: labels, occurrences: places, broken_off } = explanation;
    let is_free = |side| verdict.sides[side] == Category::Allowed;
    let expected = match rule_set.parameters().action {
        Action::Loss => Some(*verdict),
        Action::Refusal => Some(*verdict).filter(|_| Colour::ALL.into_iter().all(is_free)),
    };
    assert_eq!(game.repetition(), expected, "{game:?}");
    assert!(places.len() == folds && places[0] == 0 && places[folds - 1] == plies.len(), "{game:?}");
    assert!(labels.iter().map(|(mv, _)| *mv).eq(plies.iter().map(|ply| ply.mv())), "{game:?}");
    assert!(!broken_off || verdict.outcome == Outcome::Draw, "{game:?}");
    for side in Colour::ALL {
        let parity = usize::from(side != start.turn());
        let mut own = labels.iter().skip(parity).step_by(2).map(|(_, label)| label.deed());
        let only_checks = own.clone().all(|deed| deed == Deed::Check);
        assert_eq!(verdict.sides[side] == Category::PerpetualCheck, only_checks, "{side:?} in {game:?}");
        assert!(is_free(side) || own.all(|deed| deed != Deed::Idle), "{side:?} in {game:?}");
    }
    let mut alone = Game::new(start, *game.rules());
    for ply in plies {
        alone.play_unchecked(ply.mv());
    }
    assert_eq!(alone.explanation().as_ref(), Some(explanation), "{game:?}");
}

/// Refused moves are legal, can't be played, and would make a repetition in which their side offends.
fn check_refusals(game: &Game, said: &Said) {
    let refusals = &said.refusals;
    let legal = game.position().legal_moves();
    let is_refused = |mv: Move| refusals.iter().any(|&(other, _)| other == mv);
    let permitted = legal.iter().copied().filter(|&mv| !is_refused(mv));
    assert!(permitted.eq(game.permitted_moves().iter().copied()), "{game:?}");
    for &(mv, category) in refusals {
        assert!(legal.contains(&mv) && category != Category::Allowed, "{mv} in {game:?}");
        let mut after = game.clone();
        let refused = after.play_permitted(mv).map_err(|error| error.refused);
        assert_eq!(refused, Err(Some(category)), "{mv} in {game:?}");
        assert_eq!(after.plies().len(), game.plies().len());
        after.play(mv).expect("a legal move");
        let verdict = after.explanation().expect("a repetition").verdict;
        assert_eq!(verdict.sides[game.position().turn()], category, "{mv} in {game:?}");
    }
}

/// Whoever is bound to vary loses, or is refused, by going round once more.
fn check_bound_to_vary(game: &Game, said: &Said, positions: &[Position]) {
    let bound = said.bound;
    let Some((now, earlier)) = positions.split_last() else { return };
    let Some(last) = earlier.iter().rposition(|position| position == now) else {
        assert_eq!(bound, ByColour::default());
        return;
    };
    let Rules { rule_set, folds, .. } = *game.rules();
    let plies = &game.plies()[last..];
    // Equal pieces that exchange points are others in the second round.
    if folds.get() != 3 || !keeps_pieces_apart(now, plies.iter().map(|ply| ply.mv())) {
        return;
    }
    let Some((closing, others)) = plies.split_last() else { return };
    let mut round = game.clone();
    for ply in others {
        round.play(ply.mv()).expect("legal once more");
    }
    if rule_set.parameters().action == Action::Refusal {
        let is_refused = round.refusals().iter().any(|&(mv, _)| mv == closing.mv());
        assert_eq!(bound[round.position().turn()], is_refused, "{game:?}");
    } else {
        round.play(closing.mv()).expect("legal once more");
        let verdict = round.repetition().expect("the third occurrence");
        for side in Colour::ALL {
            assert_eq!(bound[side], verdict.loser() == Some(side), "{side:?} in {game:?}");
        }
    }
}

/// After these moves, which lead back to the position, does each piece stand where it stood?
fn keeps_pieces_apart(position: &Position, moves: impl Iterator<Item = Move>) -> bool {
    let mut origins: Vec<Option<Square>> =
        Square::all().map(|square| position.piece_at(square).map(|_| square)).collect();
    for mv in moves {
        origins[mv.to().index()] = origins[mv.from().index()].take();
    }
    Square::all().zip(&origins).all(|(square, origin)| origin.is_none_or(|origin| origin == square))
}

/// What a game says of its end.
struct Said {
    ending: Option<Ending>,
    explanation: Option<Explanation>,
    bound: ByColour<bool>,
    refusals: Vec<(Move, Category)>,
}

impl Said {
    fn by(game: &Game) -> Self {
        Self {
            ending: game.ending(),
            explanation: game.explanation(),
            bound: game.bound_to_vary(),
            refusals: game.refusals(),
        }
    }
}

/// How one board becomes another.
#[derive(Clone, Copy)]
struct Image {
    mv: fn(Move) -> Move,
    square: fn(Square) -> Square,
    side: fn(Colour) -> Colour,
}

impl Image {
    const MIRRORED: Self = Self { mv: Move::mirrored, square: Square::mirrored, side: |side| side };
    const TURNED: Self = Self { mv: Move::turned, square: Square::turned, side: Colour::opponent };

    /// The image of the game says the image of what the game says.
    fn assert_alike(self, game: &Game, said: &Said, other: &Said) {
        let ending = |Ending { outcome, reason }| Ending { outcome: self.outcome(outcome), reason };
        assert_eq!(other.ending, said.ending.map(ending), "{game:?}");
        for side in Colour::ALL {
            assert_eq!(other.bound[(self.side)(side)], said.bound[side], "{side:?} in {game:?}");
        }
        let mut refusals: Vec<_> = said.refusals.iter().map(|&(mv, what)| ((self.mv)(mv), what)).collect();
        let mut others = other.refusals.clone();
        refusals.sort_by_key(|&(mv, _)| mv);
        others.sort_by_key(|&(mv, _)| mv);
        assert_eq!(others, refusals, "{game:?}");
        match (&said.explanation, &other.explanation) {
            (Some(explanation), Some(other)) => self.assert_explained_alike(game, explanation, other),
            (own, other) => assert!(own.is_none() && other.is_none(), "{game:?}"),
        }
    }

    fn assert_explained_alike(self, game: &Game, own: &Explanation, other: &Explanation) {
        let (verdict, others) = (own.verdict, other.verdict);
        assert_eq!(
            (others.outcome, others.reason),
            (self.outcome(verdict.outcome), verdict.reason),
            "{game:?}"
        );
        for side in Colour::ALL {
            assert_eq!(others.sides[(self.side)(side)], verdict.sides[side], "{side:?} in {game:?}");
        }
        assert_eq!((&other.occurrences, other.broken_off), (&own.occurrences, own.broken_off), "{game:?}");
        for ((mv, own), (others_move, other)) in own.plies.iter().zip(&other.plies) {
            assert_eq!((*others_move, other.deed()), ((self.mv)(*mv), own.deed()), "{mv} in {game:?}");
            assert_eq!(points(other, |point| point), points(own, self.square), "{mv} in {game:?}");
        }
    }

    fn outcome(self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Win(winner) => Outcome::Win((self.side)(winner)),
            Outcome::Draw => Outcome::Draw,
        }
    }
}

/// Where what a label names stands, each list in order.
fn points(label: &Label, point: fn(Square) -> Square) -> [Vec<Square>; 3] {
    let checkers = label.checkers.iter().map(|placed| placed.square).collect();
    let victims = label.threats.iter().map(|threat| threat.victim.square).collect();
    let spared = label.excused.iter().map(|excused| excused.victim.square).collect();
    [checkers, victims, spared].map(|squares: Vec<Square>| {
        let mut squares: Vec<Square> = squares.into_iter().map(point).collect();
        squares.sort_unstable();
        squares
    })
}

/// Two players play the same moves, with offers in between. The match ends when the game does, or before.
fn check_match(played: &Played, data: &[u8]) {
    let forfeits = data.len().is_multiple_of(2);
    let mut players = Match::new(Game::new(played.game.start().clone(), *played.game.rules()), forfeits);
    for (number, (ply, &noise)) in played.game.plies().iter().zip(data.iter().cycle()).enumerate() {
        let by = players.game().position().turn();
        let ending = players.conclusion().map(|(outcome, why)| (outcome, why.name()));
        assert_eq!(ending, played.endings[number].map(|Ending { outcome, reason }| (outcome, reason.name())));
        talk(&mut players, by, noise);
        let is_over = players.conclusion().is_some();
        let is_refused = players.game().refusals().iter().any(|&(mv, _)| mv == ply.mv());
        match players.act(by, MatchAction::Move(ply.mv())) {
            Err(ActionError::GameOver) => assert!(is_over),
            Err(ActionError::IllegalMove(error)) => {
                assert!(is_refused && !forfeits && error.refused.is_some() && players.conclusion().is_none());
            }
            Err(error) => panic!("{error}"),
            Ok(()) if is_refused => assert!(forfeits && players.conclusion().is_some()),
            Ok(()) => assert!(!is_over && players.pending_offer().is_none_or(|side| side == by)),
        }
        let is_played = number < players.game().plies().len();
        assert_eq!(is_played, !is_over && !is_refused);
        if !is_played {
            return;
        }
    }
}

/// An offer, an answer, or nothing, by either side. An error changes nothing.
fn talk(players: &mut Match, on_move: Colour, noise: u8) {
    let by = if noise & 8 == 0 { on_move } else { on_move.opponent() };
    let action = match noise >> 4 {
        0 | 1 => MatchAction::OfferDraw,
        2 | 3 => MatchAction::Decline,
        4 if noise & 7 == 0 => MatchAction::Accept,
        5 if noise & 7 == 0 => MatchAction::Overstep,
        6 if noise & 7 == 0 => MatchAction::Resign,
        _ => return,
    };
    let before = (players.pending_offer(), players.conclusion());
    let done = players.act(by, action);
    let after = (players.pending_offer(), players.conclusion());
    assert_eq!(done == Err(ActionError::GameOver), before.1.is_some());
    match (done, action) {
        (Err(error), _) => assert!(before == after && !error.to_string().is_empty()),
        (Ok(()), MatchAction::OfferDraw) => assert_eq!((before.0, after), (None, (Some(by), None))),
        (Ok(()), MatchAction::Decline) => assert_eq!((before.0, after), (Some(by.opponent()), (None, None))),
        (Ok(()), _) => assert!(after.1.is_some()),
    }
}
