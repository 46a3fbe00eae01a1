//! What must happen in any interface, one test for each.

use crate::support::{Engine, START_FEN};
use rules::{Game, Move, Position, Rules};
use std::thread;
use std::time::Duration;

/// Is it a legal move, with ranks from 0?
#[track_caller]
fn assert_legal(text: &str, fen: &str, played: &[&str]) {
    let mut game = Game::new(fen.parse::<Position>().unwrap(), Rules::default());
    for mv in played {
        game.play(mv.parse().unwrap()).unwrap();
    }
    let mv: Move = text.parse().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(text.len(), 4);
    assert!(game.position().is_legal(mv), "{text} in {}", game.position().fen());
}

#[test]
fn a_byte_order_mark_and_dos_line_ends_are_no_hindrance_and_neither_is_a_missing_net() {
    let mut engine = Engine::without_net();
    engine.say_bytes(b"\xEF\xBB\xBFuci\r\n");
    let heard = engine.until("uciok");
    assert!(heard[0].starts_with("id name Meihua "), "{heard:?}");
    assert!(heard.contains(&"option name UCI_Variant type combo default xiangqi var xiangqi".to_owned()));
}

#[test]
fn an_unknown_first_word_does_no_harm() {
    let mut engine = Engine::without_net();
    engine.say("foo\nucci");
    let heard = engine.until("ucciok");
    assert!(heard.iter().any(|line| line == "option usemillisec type check default false"), "{heard:?}");
}

#[test]
fn a_position_without_the_word_position() {
    let mut engine = Engine::greeted("uci");
    engine.say(&format!("fen {START_FEN} moves\ngo nodes 1"));
    let (words, _) = engine.best_move();
    assert_legal(&words[0], START_FEN, &[]);
    engine.say("startpos moves h2e2\ngo nodes 1");
    let (words, _) = engine.best_move();
    assert_legal(&words[0], START_FEN, &["h2e2"]);
}

#[test]
fn ranks_from_1_once_the_variant_is_set() {
    let mut engine = Engine::greeted("uci");
    engine.say("setoption name UCI_Variant value xiangqi\nposition startpos moves h3e3 h10g8\ngo nodes 300");
    let (words, heard) = engine.best_move();
    let zero_based = |text: &str| {
        let legal = |mv: &Move| {
            let point =
                |square: rules::Square| format!("{}{}", char::from(b'a' + square.file()), square.rank() + 1);
            point(mv.from()) + &point(mv.to()) == text
        };
        let all = (0..90u16).flat_map(|from| (0..90u16).map(move |to| from | to << 7));
        all.filter_map(Move::from_bits).find(legal).unwrap_or_else(|| panic!("{text}"))
    };
    // The line too, whose later moves start from points that are empty now.
    let mut position = Position::start();
    for text in ["h3e3", "h10g8"] {
        position.play_unchecked(zero_based(text));
    }
    assert!(position.is_legal(zero_based(&words[0])));
    let line = heard.iter().rfind(|line| line.contains(" pv ")).unwrap();
    let moves: Vec<_> = line.split(" pv ").nth(1).unwrap().split(' ').collect();
    assert!(1 < moves.len(), "{line}");
    for text in moves {
        let mv = zero_based(text);
        assert!(position.is_legal(mv), "{text} of {line}");
        position.play_unchecked(mv);
    }
    // In this counting nothing stands on h2.
    engine.say("position startpos moves h2e2");
    engine.say("isready");
    assert!(engine.until("readyok")[0].starts_with("info string error move 1: "));
}

#[test]
fn no_move_loses() {
    let mut engine = Engine::greeted("uci");
    engine.say("position fen 3k5/9/3P5/9/9/9/9/9/4R4/4K4 b\ngo depth 1");
    let (words, heard) = engine.best_move();
    assert_eq!(words, ["(none)"]);
    assert!(heard.contains(&"info depth 0 score mate 0".to_owned()), "{heard:?}");
}

#[test]
fn a_bad_position_is_said_and_the_last_good_one_stands() {
    let mut engine = Engine::greeted("uci");
    engine.say("position startpos moves h2e2\nposition fen foobar\nisready");
    let heard = engine.until("readyok");
    assert!(heard[0].starts_with("info string error fen \"foobar\": "), "{heard:?}");
    engine.say("position startpos moves h2e2 h2e2\nisready");
    let heard = engine.until("readyok");
    assert!(heard[0].starts_with("info string error move 2: h2e2 is not legal in "), "{heard:?}");
    engine.say("go nodes 1");
    let (words, _) = engine.best_move();
    assert_legal(&words[0], START_FEN, &["h2e2"]);
}

#[test]
fn without_an_end_there_is_one_answer_and_only_when_told_to() {
    let mut engine = Engine::greeted("uci");
    engine.say("position startpos\ngo infinite");
    let heard = engine.listen(Duration::from_millis(700));
    assert!(heard.iter().any(|line| line.starts_with("info depth")), "{heard:?}");
    assert!(heard.iter().all(|line| !line.starts_with("bestmove")), "{heard:?}");
    engine.say("stop");
    engine.best_move();
    engine.say("stop");
    engine.assert_silent();
    // A limit ends the thinking, but not the silence; nor does a result that is proven.
    engine.say("go infinite nodes 5\nisready");
    engine.until("readyok");
    engine.say("position fen 4k4/9/9/9/9/9/9/9/9/3K1R3 w\ngo infinite");
    thread::sleep(Duration::from_millis(300));
    engine.say("stop");
    // The second order has ended the first one.
    engine.best_move();
    engine.best_move();
    engine.assert_silent();
}

#[test]
fn pondering_ends_with_a_hit_or_a_stop() {
    let mut engine = Engine::greeted("uci");
    for (end, order) in [
        ("stop", "go ponder wtime 1000 btime 1000"),
        ("ponderhit", "go ponder wtime 1000 btime 1000"),
        ("ponderhit", "go ponder nodes 10"),
        ("stop", "go ponder nodes 10"),
    ] {
        engine.say("position startpos moves h2e2 h9g7");
        engine.say(order);
        let heard = engine.listen(Duration::from_millis(1500));
        assert!(heard.iter().all(|line| !line.starts_with("bestmove")), "{order}: {heard:?}");
        engine.say(end);
        let (words, _) = engine.best_move();
        assert_legal(&words[0], START_FEN, &["h2e2", "h9g7"]);
        engine.assert_silent();
    }
    // Nobody ponders.
    engine.say("ponderhit");
    engine.assert_silent();
}

#[test]
fn ucci_counts_milliseconds_if_told_to() {
    let mut engine = Engine::greeted("ucci");
    engine.say(&format!("setoption usemillisec on\nposition fen {START_FEN}\ngo time 1000 increment 0"));
    let (words, heard) = engine.best_move();
    assert_legal(&words[0], START_FEN, &[]);
    let info = heard.iter().rfind(|line| line.starts_with("info time ")).unwrap();
    let millis: u64 = info.split(' ').nth(2).unwrap().parse().unwrap();
    // Its own measure, so that a busy machine makes no difference: it didn't think for its share of 1,000 s.
    assert!(millis < 5_000, "{info}");
}

#[test]
fn ucci_has_no_move_if_all_are_banned() {
    let mut engine = Engine::greeted("ucci");
    let moves: Vec<_> = Position::start().legal_moves().iter().map(Move::to_string).collect();
    engine.say(&format!("position fen {START_FEN}\nbanmoves {}\ngo depth 3", moves.join(" ")));
    let heard = engine.until("nobestmove");
    assert_eq!(heard.len(), 1 + usize::from(heard[0].starts_with("info message net ")), "{heard:?}");
    engine.say(&format!("banmoves {}\ngo nodes 5", moves[1..].join(" ")));
    engine.until("nobestmove");
    // The next position lifts the ban.
    engine.say(&format!("position fen {START_FEN}\nbanmoves {}\ngo nodes 5", moves[1..].join(" ")));
    assert_eq!(engine.best_move().0[0], moves[0]);
    engine.say(&format!("position fen {START_FEN}\ngo nodes 5"));
    engine.best_move();
}

#[test]
fn no_more_lines_than_moves() {
    let mut engine = Engine::greeted("uci");
    engine.say("setoption name MultiPV value 500\nposition fen 4k4/9/9/9/9/9/9/9/4N4/4K4 w\ngo nodes 100");
    let (_, heard) = engine.best_move();
    let last: Vec<_> =
        heard[heard.len() - 2..].iter().map(|line| line.split(" pv ").nth(1).unwrap()).collect();
    let mut first_moves: Vec<_> = last.iter().map(|line| &line[..4]).collect();
    first_moves.sort_unstable();
    assert_eq!(first_moves, ["e0d0", "e0f0"], "{heard:?}");
    assert!(heard.iter().all(|line| !line.contains(" multipv 3 ")));
}

#[test]
fn the_process_ends_with_its_input() {
    for order in
        ["go infinite", "go ponder wtime 100000 btime 100000", "go movetime 100000", "go nodes 100000000"]
    {
        let mut engine = Engine::greeted("uci");
        engine.say("position startpos");
        engine.say(order);
        engine.listen(Duration::from_millis(200));
        let (heard, status, _) = engine.close();
        assert!(status.success(), "{status}");
        let answers = heard.iter().filter(|line| line.starts_with("bestmove ")).count();
        assert_eq!(answers, 1, "{order}: {heard:?}");
    }
}

/// A mate in one threatens, and Black has no defence.
const LOST_FEN: &str = "5k3/R8/7R1/9/9/p8/9/9/9/3K5 b - - 0 1";

#[test]
fn ucci_may_accept_a_draw_and_give_up_if_that_is_allowed() {
    let mut engine = Engine::greeted("ucci");
    let mut ask = |options: &str, order: &str| {
        engine.say(&format!("{options}\nposition fen {LOST_FEN}\n{order}"));
        let (words, heard) = engine.best_move();
        assert!(heard.iter().any(|line| line.contains(" score -29998 ")), "{heard:?}");
        ["draw", "resign"].map(|word| words.iter().any(|other| other == word))
    };
    assert_eq!(ask("", "go nodes 500"), [false, false]);
    assert_eq!(ask("", "go draw nodes 500"), [true, false]);
    assert_eq!(ask("", "go ponder nodes 500\nponderhit draw"), [true, false]);
    assert_eq!(ask("setoption AllowDraw false", "go draw nodes 500"), [false, false]);
    assert_eq!(ask("setoption AllowResign true", "go nodes 500"), [false, true]);
    // A win isn't given away.
    engine.say(&format!("setoption AllowDraw true\nposition fen {LOST_FEN} moves a4a3\ngo draw nodes 500"));
    assert_eq!(engine.best_move().0, ["h7h9"]);
    // UCI has no words for it.
    engine.say(&format!("uci\nposition fen {LOST_FEN}\ngo draw nodes 500"));
    let (words, heard) = engine.best_move();
    assert!(words.iter().all(|word| word != "draw" && word != "resign"), "{words:?}");
    assert!(heard.iter().any(|line| line.contains(" score mate -1 ")), "{heard:?}");
}

#[test]
fn a_batch_is_finished_after_its_end() {
    let mut engine = Engine::greeted("ucci");
    engine.say(&format!(
        "setoption batch true\nposition fen {START_FEN}\ngo nodes 3000\nbanmoves h2e2\ngo nodes 4000"
    ));
    let (heard, status, _) = engine.close();
    assert!(status.success());
    assert_eq!(heard.iter().filter(|line| line.starts_with("bestmove ")).count(), 2);
    for nodes in [3000, 4000] {
        let whole = format!(" nodes {nodes}");
        assert!(heard.iter().any(|line| line.ends_with(&whole)), "{heard:?}");
    }
}

#[test]
fn short_scripts_without_an_end_are_finished() {
    let mut engine = Engine::start();
    engine.say("position startpos\ngo nodes 20");
    let (heard, status, _) = engine.close();
    assert!(status.success());
    assert!(heard.iter().any(|line| line.contains(" nodes 20 ")), "{heard:?}");
}

#[test]
fn isready_is_answered_in_the_midst_of_thinking() {
    let mut engine = Engine::greeted("uci");
    engine.say("go infinite");
    engine.say("isready");
    let heard = engine.until("readyok");
    assert!(heard.iter().all(|line| !line.starts_with("bestmove")), "{heard:?}");
    // After `stop` the answer comes first.
    engine.say("stop\nisready");
    let heard = engine.until("readyok");
    assert!(heard.iter().any(|line| line.starts_with("bestmove")), "{heard:?}");
}

#[test]
fn the_only_move_is_played_at_once_with_a_line() {
    let mut engine = Engine::greeted("uci");
    engine.say("position fen 3ak4/9/4R4/9/9/9/9/9/9/4K4 b");
    for order in ["go movetime 100000", "go depth 50", "go wtime 1000000 btime 1000000"] {
        engine.say(order);
        let (words, heard) = engine.best_move();
        assert_eq!(words[0], "d9e8");
        assert!(
            heard.iter().any(|line| line.starts_with("info depth ") && line.contains(" pv d9e8")),
            "{heard:?}"
        );
    }
}

#[test]
fn what_is_said_while_it_thinks_is_done_afterwards() {
    let mut engine = Engine::greeted("uci");
    engine.say("go nodes 2000\nposition startpos moves h2e2\ngo nodes 1\nsetoption name UCI_ShowWDL value true\ngo nodes 2");
    let (first, heard) = engine.best_move();
    assert_legal(&first[0], START_FEN, &[]);
    assert!(
        heard.iter().any(|line| line.contains(" nodes 2000 "))
            && !heard.iter().any(|line| line.contains(" wdl "))
    );
    for nodes in [1, 2] {
        let (words, heard) = engine.best_move();
        assert_legal(&words[0], START_FEN, &["h2e2"]);
        assert_eq!(heard.iter().any(|line| line.contains(" wdl ")), nodes == 2, "{heard:?}");
    }
}
