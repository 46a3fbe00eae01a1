//! Much at once, at bad moments, and without sense: one answer for each order, no crash, no silence.
//!
//! `MEIHUA_STORM=10` makes them ten times as long.

use crate::support::{Engine, START_FEN};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use std::thread;
use std::time::Duration;

fn times(number: usize) -> usize {
    let factor: usize = std::env::var("MEIHUA_STORM").map_or(1, |factor| factor.parse().unwrap());
    number * factor
}

#[test]
fn pondering_stopped_at_any_time_has_one_answer() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut engine = Engine::greeted("uci");
    for number in 0..times(100) {
        let order =
            ["go ponder wtime 500 btime 500", "go ponder nodes 20", "go ponder movetime 5"][number % 3];
        engine.say(&format!("position startpos moves h2e2\n{order}"));
        thread::sleep(Duration::from_micros(rng.random_range(0..8_000)));
        engine.say(["stop", "ponderhit", "ponderhit\nstop"][rng.random_range(0..3)]);
        let (_, heard) = engine.best_move();
        assert!(heard.iter().all(|line| line.starts_with("info ")), "{heard:?}");
    }
    engine.assert_silent();
}

const WORDS: [&str; 24] = [
    "moves",
    "startpos",
    "fen",
    "h2e2",
    "h9g7",
    "a10b10",
    "0",
    "-1",
    "99999999999999999999",
    "value",
    "name",
    "infinite",
    "ponder",
    "depth",
    "nodes",
    "(none)",
    "\u{feff}",
    "象棋",
    "////",
    "w",
    "type",
    "draw",
    "searchmoves",
    "\t",
];

/// A line that makes sense, or once did.
fn line(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let number = rng.random_range(0..40);
    let position = || {
        let moves = &["h2e2", "h9g7", "h0g2", "i9h9"][..number % 5];
        format!("{} {}", ["position startpos moves", "startpos moves"][number % 2], moves.join(" "))
    };
    let text = match rng.random_range(0..22) {
        0..4 => position(),
        4 => format!("position fen {START_FEN} moves h2e2"),
        5 => format!("fen {START_FEN}"),
        6 => "position fen 4k4/9/9/9/9/9/9/9/4N4/4K4 w".to_owned(),
        7 => "position fen 3k5/9/3P5/9/9/9/9/9/4R4/4K4 b".to_owned(),
        8..11 => format!("go nodes {number}"),
        11 => format!("go movetime {}", number / 4),
        12 => "go infinite".to_owned(),
        13 => "go ponder wtime 20 btime 20".to_owned(),
        14 => format!("go depth {}", number % 3),
        15 => format!("go searchmoves h2e2 b0c2 nodes {number}"),
        16 => "stop".to_owned(),
        17 => "ponderhit".to_owned(),
        18 => "isready".to_owned(),
        19 => [
            "setoption name MultiPV value 3",
            "setoption name Hash value 8",
            "setoption name Threads value 2",
            "setoption name Threads value 1",
            "setoption name RuleSet value casual",
            "setoption name Level value 3",
            "setoption name Level value 0",
            "setoption name Contempt value x",
            "setoption name EvalFile value /no/such/file",
            "ucinewgame",
            "d",
        ][number % 11]
            .to_owned(),
        20 => {
            let words: Vec<_> = (0..number % 9).map(|_| WORDS[rng.random_range(0..WORDS.len())]).collect();
            format!(
                "{} {}",
                ["position", "setoption", "banmoves", "fen", "probe", "x"][number % 6],
                words.join(" ")
            )
        }
        _ => "banmoves h2e2".to_owned(),
    };
    let mut bytes = text.into_bytes();
    // Some are damaged; what a `go` is must stay countable.
    if !bytes.starts_with(b"go") && rng.random_range(0..6) == 0 && !bytes.is_empty() {
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(1..=bytes.len());
            bytes.insert(at, [0, 0xFF, b'\t', b'\r', b' ', 0x80][rng.random_range(0..6)]);
        }
    }
    bytes.extend_from_slice(if rng.random_range(0..5) == 0 { b"\r\n" } else { b"\n" });
    bytes
}

/// Says so many lines and returns how many orders there were, how often `stop` was said, and all answers.
fn storm(hello: &str, seed: u64, lines: usize) -> (usize, usize, Vec<String>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut engine = Engine::greeted(hello);
    let (mut orders, mut stops) = (0, 0);
    for _ in 0..lines {
        let line = line(&mut rng);
        orders += usize::from(line.starts_with(b"go"));
        stops += usize::from(line.starts_with(b"stop"));
        engine.say_bytes(&line);
        if rng.random_range(0..50) == 0 {
            thread::sleep(Duration::from_millis(rng.random_range(0..20)));
        }
    }
    let (heard, status, _) = engine.close();
    assert!(status.success(), "{status}");
    assert!(heard.iter().all(|line| !line.contains("internal fault")), "{heard:?}");
    let answers = heard.into_iter().filter(|line| line.starts_with("bestmove ") || line == "nobestmove");
    (orders, stops, answers.collect())
}

#[test]
fn nonsense_in_uci() {
    let (orders, _, answers) = storm("uci", 3, times(1000));
    assert!(0 < orders && answers.len() == orders, "{orders} orders, {} answers", answers.len());
    assert!(answers.iter().all(|line| line.starts_with("bestmove ")));
}

#[test]
fn nonsense_in_ucci() {
    let (orders, stops, answers) = storm("ucci", 4, times(1000));
    // `stop` is answered too if there is nothing to stop.
    let range = orders..=orders + stops;
    assert!(0 < orders && range.contains(&answers.len()), "{range:?}: {}", answers.len());
}

#[test]
fn bytes_without_sense() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut engine = Engine::start();
    for _ in 0..times(50) {
        let bytes: Vec<u8> = (0..rng.random_range(0..2_000)).map(|_| rng.random()).collect();
        engine.say_bytes(&bytes);
    }
    engine.say_bytes(&vec![b'x'; 1 << 20]);
    engine.say("\nuci");
    engine.until("uciok");
    let (_, status, _) = engine.close();
    assert!(status.success(), "{status}");
}
