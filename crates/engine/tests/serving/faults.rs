//! Faults that users of other engines have reported; none of them here.

use crate::support::{Engine, START_FEN};
use rules::{Position, Setup};
use std::time::Duration;

/// The last line about the best move before the answer.
fn last_line(heard: &[String]) -> &str {
    heard.iter().rfind(|line| line.starts_with("info depth ")).unwrap()
}

/// What follows a word of a line.
fn after<'a>(line: &'a str, word: &str) -> &'a str {
    let mut words = line.split(' ').skip_while(|other| *other != word);
    words.nth(1).unwrap_or_else(|| panic!("no {word} in {line}"))
}

/// Interfaces for `XBoard` may append what a pawn becomes. (Fairy-Stockfish 180, 385)
#[test]
fn a_pawn_on_the_last_rank_becomes_nothing() {
    let mut engine = Engine::greeted("uci");
    for text in ["d8d9", "d8d9+", "d8d9q"] {
        engine.say(&format!("position fen 4k4/3P5/9/9/9/9/9/9/9/5K3 w moves {text}\nd\nisready"));
        assert_eq!(engine.until("readyok")[0], "info string fen 3Pk4/9/9/9/9/9/9/9/9/5K3 b - - 1 1");
    }
    engine.say("position fen 4k4/3P5/9/9/9/9/9/9/9/5K3 w\ngo nodes 5 searchmoves d8d9q");
    assert_eq!(engine.best_move().0[0], "d8d9");
}

/// Positions that can't be crash some. (Stockfish 5982, 6476)
#[test]
fn impossible_positions_are_refused_each_for_its_reason() {
    let mut engine = Engine::greeted("uci");
    for (fen, reason) in [
        ("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBA1ABNR w", "Red has no general"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 w", "face each other"),
        ("rnbakabnr/9/1c5c1/p1p1p1p1p/9/P8/P1P1P1P1P/1C5C1/9/RNBAKABNR w", "Red has 6 pieces of kind Pawn"),
        ("4k4/9/9/9/9/9/9/9/9/P4K3 w", "Pawn on a0"),
        ("4k4/9/9/9/9/A8/9/9/9/5K3 w", "Advisor on a4"),
    ] {
        engine.say(&format!("position fen {fen}\nisready"));
        let heard = engine.until("readyok");
        assert!(heard[0].starts_with("info string error ") && heard[0].contains(reason), "{heard:?}");
    }
    engine.say("go nodes 1");
    engine.best_move();
}

/// `score cp` in UCCI is shown as 0. (Pikafish 5)
#[test]
fn scores_in_ucci_are_bare() {
    let mut engine = Engine::greeted("ucci");
    engine.say(&format!("position fen {START_FEN}\ngo depth 1"));
    let (_, heard) = engine.best_move();
    assert!(after(last_line(&heard), "score").parse::<i32>().is_ok(), "{heard:?}");
    // A depth of 0 asks for the score alone.
    engine.say("go depth 0");
    let heard = engine.until("nobestmove");
    assert!(after(last_line(&heard), "score").parse::<i32>().is_ok(), "{heard:?}");
}

/// Some begin as orthodox chess. (Fairy-Stockfish 530, 57, 127)
#[test]
fn the_start_of_xiangqi_is_the_default() {
    let mut engine = Engine::greeted("uci");
    engine.say("isready\ngo nodes 1");
    let (words, _) = engine.best_move();
    assert!(Position::start().is_legal(words[0].parse().unwrap()));
}

/// An answer in the midst of pondering. (Lc0 651, Cute Chess 180, Rodent 25)
#[test]
fn pondering_is_silent_though_its_limit_is_reached() {
    let mut engine = Engine::greeted("uci");
    engine.say("position startpos\ngo ponder nodes 10");
    let heard = engine.listen(Duration::from_millis(500));
    assert!(heard.iter().all(|line| !line.starts_with("bestmove")), "{heard:?}");
    engine.say("ponderhit");
    engine.best_move();
}

/// A line from the position before. (Lc0 167)
#[test]
fn lines_are_legal_from_the_new_root() {
    let mut engine = Engine::greeted("uci");
    for order in ["go nodes 1", "go movetime 50"] {
        engine.say("position startpos\ngo nodes 200");
        let (words, _) = engine.best_move();
        let other = ["a0a1", "b0a2"].into_iter().find(|mv| *mv != words[0]).unwrap();
        engine.say(&format!("position startpos moves {other}\n{order}"));
        let (_, heard) = engine.best_move();
        let mut shown = 0;
        for line in heard.iter().filter(|line| line.contains(" pv ")) {
            let mut position = Position::start();
            position.play_unchecked(other.parse().unwrap());
            for text in line.split(" pv ").nth(1).unwrap().split(' ') {
                let mv = text.parse().unwrap();
                assert!(position.is_legal(mv), "{text} of {line}");
                position.play_unchecked(mv);
            }
            shown += 1;
        }
        assert!(0 < shown);
    }
}

/// The second player's moves not turned. (Lc0 pull request 2128, leela-chess 236)
#[test]
fn a_position_and_its_twin_with_colours_exchanged_are_worth_the_same() {
    let fen = "r1bakab1r/9/1cn4c1/p1p1p1p1p/6n2/2P6/P3P1P1P/1C2C1N2/9/RNBAKAB1R w - - 0 1";
    let position: Position = fen.parse().unwrap();
    let mut twin: Setup = position.to_setup();
    twin.board.reverse();
    for piece in twin.board.iter_mut().flatten() {
        piece.colour = piece.colour.opponent();
    }
    twin.turn = twin.turn.opponent();
    let mut engine = Engine::greeted("uci");
    engine.say("setoption name VerboseMoveStats value true");
    let mut ask = |fen: String| {
        engine.say(&format!("position fen {fen}\ngo nodes 1"));
        let (_, heard) = engine.best_move();
        let score = after(last_line(&heard), "score").to_owned() + after(last_line(&heard), "cp");
        let statistics = heard.iter().filter_map(|line| line.strip_prefix("info string ")?.split_once(' '));
        let mut priors: Vec<_> = statistics
            .filter_map(|(mv, rest)| Some((mv.parse::<rules::Move>().ok()?, rest.to_owned())))
            .collect();
        priors.sort();
        (score, priors)
    };
    let (score, priors) = ask(position.fen());
    let (twin_score, twin_priors) = ask(twin.fen());
    let mut turned: Vec<_> = twin_priors.into_iter().map(|(mv, text)| (mv.turned(), text)).collect();
    turned.sort();
    assert_eq!((score, &priors), (twin_score, &turned));
    assert_eq!(priors.len(), position.legal_moves().len());
}

/// No line with one node. (Ceres 74)
#[test]
fn one_node_gives_a_line_of_one_move_and_a_score() {
    let mut engine = Engine::greeted("uci");
    engine.say("position startpos\ngo nodes 1");
    let (words, heard) = engine.best_move();
    let line = last_line(&heard);
    assert_eq!((after(line, "nodes"), after(line, "pv")), ("1", words[0].as_str()));
    assert!(line.ends_with(&format!(" pv {}", words[0])) && line.contains(" score cp "), "{line}");
}

/// More lines, other moves. (Lc0 1072, 1763)
#[test]
fn the_number_of_lines_changes_nothing_else() {
    let mut engine = Engine::greeted("uci");
    engine.say("setoption name VerboseMoveStats value true");
    let mut ask = |lines: u32| {
        engine.say(&format!(
            "setoption name MultiPV value {lines}\nposition startpos moves h2e2\ngo nodes 300"
        ));
        let (words, heard) = engine.best_move();
        let statistics: Vec<_> = heard.into_iter().filter(|line| line.contains(" N: ")).collect();
        (words, statistics)
    };
    let (one, four, again) = (ask(1), ask(4), ask(1));
    assert_eq!(one, four);
    // Nothing is drawn by lot: the same answer each time.
    assert_eq!(one, again);
    let mut position = Position::start();
    position.play_unchecked("h2e2".parse().unwrap());
    assert_eq!(one.1.len(), position.legal_moves().len());
}

/// Rules that refuse a repetition are told by an option, and what is refused isn't played, wherever the list begins.
#[test]
fn moves_that_the_rules_refuse_are_not_played() {
    let mut engine = Engine::greeted("uci");
    engine.say("setoption name RuleSet value casual");
    // A cannon without protection is chased by a rook, for the third time.
    let fen = "2ba1k3/4a4/b8/7R1/9/9/1r2p4/9/4A4/2B1KAB1c w - - 0 1";
    let chase = "h6i6 i0h0 i6h6 h0i0 h6i6 i0h0 i6h6 h0i0";
    // The same with the capture before it: the rook has taken a pawn on h6.
    let before = "2ba1k3/4a4/b7R/7p1/9/9/1r2p4/9/4A4/2B1KAB1c w - - 0 1";
    for (position, nodes) in
        [(format!("fen {fen} moves {chase}"), "nodes 50"), (format!("fen {before} moves i7h7"), "nodes 50")]
    {
        engine.say(&format!("position {position}\ngo searchmoves h6i6 {nodes}"));
        let (words, heard) = engine.best_move();
        let is_refused = position.contains("i0h0");
        assert_eq!(words[0] == "(none)", is_refused || !position.contains(fen), "{heard:?}");
    }
    engine.say(&format!(
        "setoption name RuleSet value formal\nposition fen {fen} moves {chase}\ngo searchmoves h6i6 nodes 50"
    ));
    assert_eq!(engine.best_move().0[0], "h6i6");
}

/// Limits that are nonsense.
#[test]
fn nonsense_in_go_is_said_and_answered() {
    let mut engine = Engine::greeted("uci");
    for order in [
        "go nodes 0",
        "go depth 0",
        "go movetime -5",
        "go wtime -1 btime -1",
        "go wtime 0 btime 0 movestogo 0",
        "go wtime 99999999999999999999999 winc 99999999999999999999 nodes 3",
        "go nodes 3 foo bar",
        "go searchmoves nodes 3",
        "go mate 1 nodes 50",
    ] {
        engine.say("position startpos");
        engine.say(order);
        let (words, heard) = engine.best_move();
        assert_eq!(words[0] == "(none)", order.contains("searchmoves"), "{order}: {heard:?}");
        assert_eq!(
            heard.iter().any(|line| line.contains("error go foo")),
            order.contains("foo"),
            "{heard:?}"
        );
    }
}

/// A mate is claimed when it is proven, in moves of the winner.
#[test]
fn a_mate_is_counted_in_moves() {
    let mut engine = Engine::greeted("uci");
    for order in ["go mate 1", "go nodes 1000", "go movetime 20000"] {
        engine.say(&format!("position fen 5k3/R8/7R1/9/9/9/p8/9/9/3K5 w\n{order}"));
        let (words, heard) = engine.best_move();
        assert_eq!(words, ["h7h9"]);
        assert_eq!(after(last_line(&heard), "mate"), "1");
    }
}

/// A tree that goes on from the move before was taken for the end of thinking, so that every other move of a timed game
/// was played without any.
#[test]
fn a_move_is_thought_about_though_the_last_one_was_too() {
    let mut engine = Engine::greeted("uci");
    engine.say("position startpos\ngo nodes 2000");
    let (words, _) = engine.best_move();
    let [best, _, answer] = &words[..] else { panic!("{words:?}") };
    engine.say(&format!("position startpos moves {best} {answer}\ngo movetime 5000"));
    let (_, heard) = engine.best_move();
    assert_ne!(after(last_line(&heard), "nodes"), "0", "{heard:?}");
}

/// Mates that are none, by a verdict on a repetition that isn't there yet. (Pikafish 113, 146; Fairy-Stockfish 635)
#[test]
fn a_repetition_is_no_mate_before_its_time_and_no_end_of_thinking_after_it() {
    let mut engine = Engine::greeted("uci");
    let cycle = " a8a9 d9d8 a9a8 d8d9";
    for (cycles, plies) in [(1, 4), (1, 3), (1, 2), (2, 4)] {
        let moves = cycle.repeat(cycles - 1) + &cycle[..5 * plies];
        engine.say(&format!("position fen 3k5/R8/9/9/9/8p/9/9/9/4K4 w moves{moves}\ngo nodes 200"));
        let (words, heard) = engine.best_move();
        assert!(heard.iter().all(|line| !line.contains(" mate ")), "{heard:?}");
        assert_eq!(words[0].len(), 4);
    }
}
