//! What the interfaces that people use say, and what they look for in the answers.

use crate::support::{Engine, START_FEN};
use rules::{Move, Position};
use std::time::Duration;

/// The position after 炮二平五 馬8進7 and a capture: `h2e2 h9g7 e2e6`.
const AFTER_CAPTURE: &str = "rnbakab1r/9/1c4nc1/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b - - 0 2";

/// Is it a move of four characters, legal in a position?
#[track_caller]
fn assert_legal(text: &str, fen: &str, played: &str) {
    let mut position: Position = fen.parse().unwrap();
    for mv in played.split_whitespace() {
        position.play_unchecked(mv.parse().unwrap());
    }
    let mv: Move = text.parse().unwrap_or_else(|error| panic!("{error}"));
    assert!(text.len() == 4 && position.is_legal(mv), "{text} in {}", position.fen());
}

/// What the older 佳佳 interface takes as the move: the four characters after `bestmove `.
#[track_caller]
fn four_characters(engine: &Engine) -> String {
    engine.until("bestmove").pop().unwrap()["bestmove ".len()..][..4].to_owned()
}

#[test]
fn gg_by_ucci() {
    let mut engine = Engine::start();
    engine.say("ucci");
    engine.until("ucciok");
    for (unit, order) in [
        ("on", "go time 3000 increment 0 opptime 3000 oppincrement 0"),
        ("on", "go movetime 100"),
        ("false", "go time 3 increment 0 opptime 3 oppincrement 0"),
        ("false", "go wtime 3000 winc 0 btime 3000 binc 0"),
        ("on", "go depth 1"),
    ] {
        engine.say("stop\nuccinewgame");
        assert_eq!(engine.until("nobestmove").len(), 1);
        engine.say(&format!("setoption usemillisec {unit}\nsetoption usebook true\nsetoption hashsize 64"));
        engine.say(&format!("position fen {START_FEN} moves\n{order}"));
        assert_legal(&four_characters(&engine), START_FEN, "");
        engine.say(&format!("position fen {AFTER_CAPTURE} moves a9a8 a0a1\n{order}"));
        assert_legal(&four_characters(&engine), AFTER_CAPTURE, "a9a8 a0a1");
    }
}

#[test]
fn gg_by_cyclone() {
    let mut engine = Engine::start();
    engine.say("uci");
    engine.until("uciok");
    engine.say("stop\nucinewgame\nsetoption name Hash value 64\nsetoption name Threads value 1");
    engine.say(&format!("fen {START_FEN} moves\ngo wtime 3000 winc 0 btime 3000 binc 0"));
    assert_legal(&four_characters(&engine), START_FEN, "");
    engine.say(&format!("fen {AFTER_CAPTURE} moves a9a8 a0a1\ngo movetime 100"));
    assert_legal(&four_characters(&engine), AFTER_CAPTURE, "a9a8 a0a1");
    engine
        .say(&format!("fen {AFTER_CAPTURE} moves a9a8 a0a1\ngo ponder wtime 3000 winc 0 btime 3000 binc 0"));
    engine.say("stop");
    assert_legal(&four_characters(&engine), AFTER_CAPTURE, "a9a8 a0a1");
    engine.assert_silent();
}

/// A fork of Cute Chess: it may set the variant, and counts ranks from 0 all the same.
#[test]
fn gg_qt() {
    let mut engine = Engine::start();
    engine.say("uci");
    engine.until("uciok");
    engine.say(
        "setoption name UCI_Variant value xiangqi\nsetoption name Ponder value true\nucinewgame\nisready",
    );
    engine.until("readyok");
    engine.say(&format!("fen {START_FEN}\ngo wtime 3000 btime 3000 winc 100 binc 100"));
    let (words, _) = engine.best_move();
    assert_legal(&words[0], START_FEN, "");
    engine
        .say(&format!("fen {START_FEN} moves h2e2 h9g7\ngo ponder wtime 3000 btime 3000 winc 100 binc 100"));
    engine.say("ponderhit");
    let (words, _) = engine.best_move();
    assert_legal(&words[0], START_FEN, "h2e2 h9g7");
    engine.say(&format!("fen {START_FEN} moves h2e2 h9g7\ngo ponder wtime 3000 btime 3000\nstop\nisready"));
    engine.best_move();
    engine.until("readyok");
    engine.assert_silent();
}

/// It asks for UCI first, then for UCCI, and shows only lines with `nps`.
#[test]
fn public_xiangqi() {
    let mut engine = Engine::start();
    engine.say("uci");
    let heard = engine.until("uciok");
    for line in heard.iter().filter(|line| line.starts_with("option ")) {
        assert!([" name ", " type ", " default "].iter().all(|word| line.contains(word)), "{line}");
    }
    engine.say("setoption name Threads value 2\nsetoption name Hash value 64");
    for order in ["go depth 1", "go movetime 100", "go infinite"] {
        engine.say(&format!("stop\nposition fen {START_FEN} moves h2e2\n{order}"));
        if order == "go infinite" {
            engine.listen(Duration::from_millis(200));
            engine.say("stop");
        }
        let (words, heard) = engine.best_move();
        assert_legal(&words[0], START_FEN, "h2e2");
        assert!(words.len() == 1 || words.len() == 3 && words[1] == "ponder", "{words:?}");
        assert!(heard.iter().any(|line| line.contains(" nps ") && line.contains(" pv ")), "{heard:?}");
    }
    engine.say("ucci");
    engine.until("ucciok");
    engine.say(&format!("stop\nposition fen {START_FEN} moves h2e2\ngo movetime 100"));
    engine.until("nobestmove");
    assert_legal(&four_characters(&engine), START_FEN, "h2e2");
}

#[test]
fn xqwizard() {
    let mut engine = Engine::start();
    engine.say("ucci");
    engine.until("ucciok");
    engine.say(
        "setoption usemillisec true\nsetoption usebook true\nsetoption bookfiles C:\\棋 谱\\BOOK.DAT\nsetoption hashsize \
         64\nsetoption threads 2\nsetoption newgame\nisready",
    );
    let heard = engine.until("readyok");
    // What isn't known is passed over.
    assert!(heard.iter().all(|line| !line.contains("error")), "{heard:?}");
    engine.say(&format!(
        "position fen {START_FEN} moves h2e2\ngo time 5000 increment 0 opptime 5000 oppincrement 0"
    ));
    let (words, heard) = engine.best_move();
    assert_legal(&words[0], START_FEN, "h2e2");
    let score = heard.iter().rfind(|line| line.contains(" score ")).unwrap();
    let words: Vec<_> = score.split(' ').collect();
    assert_eq!((words[0], words[1], words[3]), ("info", "depth", "score"));
    assert!(words[4].parse::<i32>().is_ok() && words[5] == "pv", "{score}");
    assert!(
        heard.iter().all(|line| !line.contains(" cp ") && !line.contains("mate") && !line.contains("nps"))
    );
    engine.say("go ponder draw time 5000 increment 0\nponderhit draw");
    engine.best_move();
    engine.say("probe fen 3k5/9/9/9/9/9/9/9/9/4K4 w\nquit");
    engine.until("pophash");
    engine.until("bye");
}

#[test]
fn liground() {
    let mut engine = Engine::start();
    engine.say("uci");
    engine.until("uciok");
    engine.say("setoption name UCI_Variant value xiangqi\nucinewgame\nisready");
    engine.until("readyok");
    engine.say(&format!("position fen {START_FEN} moves h3e3 h10g8\ngo infinite"));
    engine.listen(Duration::from_millis(200));
    engine.say("stop");
    let (words, _) = engine.best_move();
    assert!(words[0] != "(none)" && !words[0].contains("a0"), "{words:?}");
    // Black's back rank is the tenth.
    engine.say("position fen r3k4/9/9/9/9/9/9/9/9/3K5 b\ngo depth 1 searchmoves a10a9");
    assert_eq!(engine.best_move().0[0], "a10a9");
}

/// The adapter for `XBoard`. It sets the variant, and counts ranks from 0 all the same.
#[test]
fn uci2wb_by_cyclone() {
    let mut engine = Engine::start();
    engine.say("uci");
    engine.until("uciok");
    engine.say("isready\nucinewgame\nsetoption name UCI_Variant value xiangqi\nucinewgame\nisready");
    engine.until("readyok");
    engine.until("readyok");
    let fen = START_FEN.replace(" w - - 0 1", " r");
    engine.say("setoption name Ponder value true");
    engine.say(&format!("fen {fen} moves h2e2\ngo btime 4000 wtime 4000 movestogo 40"));
    let (words, _) = engine.best_move();
    assert_legal(&words[0], START_FEN, "h2e2");
    engine
        .say(&format!("fen {fen} moves h2e2 b7f7 e2e6\ngo ponder btime 4000 wtime 4000 movestogo 39\nstop"));
    let (words, _) = engine.best_move();
    assert_legal(&words[0], START_FEN, "h2e2 b7f7 e2e6");
    engine.say(&format!("fen {fen} moves h2e2 b7f7 b2d2\ngo btime 4000 wtime 4000 movestogo 39"));
    let (words, _) = engine.best_move();
    assert_legal(&words[0], START_FEN, "h2e2 b7f7 b2d2");
    engine.assert_silent();
}

#[test]
fn uci2wb_by_ucci() {
    let mut engine = Engine::start();
    engine.say("ucci");
    engine.until("ucciok");
    engine.say("setoption usemillisec true\nisready\nsetoption newgame\nsetoption ponder 1");
    engine.until("readyok");
    engine.say(&format!("position fen {START_FEN} moves h2e2\ngo time 4000 opptime 4000 movestogo 40"));
    let (words, _) = engine.best_move();
    assert_legal(&words[0], START_FEN, "h2e2");

    let after = "rnbakabnr/9/5c1c1/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b - - 0 1";
    engine.say(&format!(
        "position fen {after} moves\ngo ponder time 4000 opptime 4000 movestogo 39\nstop\nquit"
    ));
    let (words, _) = engine.best_move();
    assert_legal(&words[0], after, "");
    engine.until("bye");
}
