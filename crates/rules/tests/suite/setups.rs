//! What is no position, and which words say so.

use rules::{FenError, Position, START_FEN, Setup, SetupError, Square};

fn refusal(fen: &str) -> String {
    fen.parse::<Position>().expect_err(fen).to_string()
}

/// The faults of a board without the words that introduce them.
fn faults(fen: &str) -> Vec<String> {
    let Err(FenError::Setup(SetupError { faults })) = fen.parse::<Position>() else {
        panic!("{fen} has no faults");
    };
    faults.iter().map(ToString::to_string).collect()
}

#[test]
fn positions_that_cannot_exist_are_refused_each_with_its_own_message() {
    // Stockfish#5982, #6476: such input crashed.
    let cases = [
        (START_FEN.replacen('K', "1", 1), "Red has no general"),
        (START_FEN.replacen('k', "1", 1), "Black has no general"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 w".to_owned(), "the generals face each other on an open file"),
        (
            START_FEN.replacen("9/9/P", "9/8P/P", 1),
            "Red has 6 pieces of kind Pawn, at most 5 are allowed; Red has two uncrossed pawns on file i",
        ),
        ("3k5/9/9/9/9/9/9/9/9/P3K4 w".to_owned(), "Red's Pawn on a0 can never get there"),
        ("3k5/9/9/9/9/A8/9/9/9/4K4 w".to_owned(), "Red's Advisor on a4 can never get there"),
        ("3k5/9/9/9/9/9/9/9/9/3RK4 w".to_owned(), "Black is in check but it is the other side's turn"),
    ];
    for (fen, message) in cases {
        assert_eq!(refusal(&fen), format!("not a possible position: {message}"));
    }
}

#[test]
fn each_kind_has_its_points() {
    let cases = [
        ("3k5/9/9/9/9/9/9/4K4/9/9 w", vec![]),
        ("3k5/9/9/9/9/9/4K4/9/9/9 w", vec!["Red's General on e3 can never get there"]),
        ("2k6/9/9/9/9/9/9/9/9/4K4 w", vec!["Black's General on c9 can never get there"]),
        ("3k5/9/9/9/9/9/9/9/9/3AK4 w", vec![]),
        ("3k5/9/9/9/9/9/9/9/3A5/4K4 w", vec!["Red's Advisor on d1 can never get there"]),
        ("3k5/9/9/9/9/9/9/4a4/9/4K4 w", vec!["Black's Advisor on e2 can never get there"]),
        ("3k5/9/9/9/9/2B6/9/9/9/4K4 w", vec![]),
        ("3k5/9/9/9/9/1B7/9/9/9/4K4 w", vec!["Red's Elephant on b4 can never get there"]),
        ("3k5/9/9/9/2B6/9/9/9/9/4K4 w", vec!["Red's Elephant on c5 can never get there"]),
        ("3k5/9/9/9/2b6/9/9/9/9/4K4 w", vec![]),
        ("3k5/9/9/9/1P7/9/9/9/9/4K4 w", vec![]),
        ("3k5/9/9/9/9/1P7/9/9/9/4K4 w", vec!["Red's Pawn on b4 can never get there"]),
        ("3k5/p8/9/9/9/9/9/9/9/4K4 w", vec!["Black's Pawn on a8 can never get there"]),
        ("3k5/9/9/9/9/P8/P8/9/9/4K4 w", vec!["Red has two uncrossed pawns on file a"]),
        ("3k5/9/9/9/P8/P8/9/9/9/4K4 w", vec![]),
    ];
    for (fen, expected) in cases {
        match fen.parse::<Position>() {
            Ok(_) => assert!(expected.is_empty(), "{fen}"),
            Err(_) => assert_eq!(faults(fen), expected, "{fen}"),
        }
    }
}

#[test]
fn more_pieces_than_the_set_holds() {
    assert_eq!(
        faults("3kk4/9/9/9/9/9/9/9/9/4K4 w"),
        ["Black has 2 pieces of kind General, at most 1 are allowed"]
    );
    assert_eq!(
        faults("3k5/9/9/9/RRR6/9/9/9/9/4K4 w"),
        ["Red has 3 pieces of kind Rook, at most 2 are allowed"]
    );
    assert_eq!(
        faults("3k5/9/9/9/ccc6/9/9/9/9/4K4 w"),
        ["Black has 3 pieces of kind Cannon, at most 2 are allowed"]
    );
    assert_eq!(
        faults("3k5/9/9/9/nnn6/9/9/9/9/4K4 w"),
        ["Black has 3 pieces of kind Horse, at most 2 are allowed"]
    );
    assert_eq!(
        faults("3k5/9/9/9/PPPPPP3/9/9/9/9/4K4 w"),
        ["Red has 6 pieces of kind Pawn, at most 5 are allowed"]
    );
    assert_eq!(
        faults("3k5/9/9/9/9/9/9/4B4/9/2B1K1B2 w"),
        ["Red has 3 pieces of kind Elephant, at most 2 are allowed"]
    );
    assert_eq!(
        faults("3k5/9/9/9/9/9/9/3A5/9/3AKA3 w"),
        ["Red has 3 pieces of kind Advisor, at most 2 are allowed"]
    );
}

#[test]
fn all_faults_are_told_at_once() {
    assert_eq!(
        faults("4k4/P8/9/9/9/R8/9/RR7/3A5/P3K3r b"),
        [
            "Red's Advisor on d1 can never get there",
            "Red has 3 pieces of kind Rook, at most 2 are allowed",
            "Red's Pawn on a0 can never get there",
            "the generals face each other on an open file",
            "Red is in check but it is the other side's turn",
        ]
    );
}

#[test]
fn counters_that_no_game_reaches() {
    let setup = Setup { quiet_plies: 10_000, round: u16::MAX, ..START_FEN.parse().unwrap() };
    assert_eq!(
        setup.check().unwrap_err().to_string(),
        "not a possible position: the count of plies without capture is 10000, at most 9999 is allowed; \
         the round is 65535, at most 9999 is allowed"
    );
}

#[test]
fn texts_that_are_no_fen() {
    let board = START_FEN.split(' ').next().unwrap();
    let cases = [
        (String::new(), "the board has 1 ranks, want 10 separated by \"/\""),
        ("9/9/9".to_owned(), "the board has 3 ranks, want 10 separated by \"/\""),
        (format!("{board}/9"), "the board has 11 ranks, want 10 separated by \"/\""),
        (board.replacen("/9/", "/8/", 1), "rank 8 (\"8\") has 8 points, want 9"),
        (board.replacen("/9/", "/91/", 1), "rank 8 (\"91\") has 10 points, want 9"),
        (board.replacen("/9/", "//", 1), "rank 8 (\"\") has 0 points, want 9"),
        (
            board.replacen("/9/", "/9Q/", 1),
            "'Q' is no piece: want one of K A B N R C P (E, H too), upper case for Red",
        ),
        (
            board.replacen("/9/", "/90/", 1),
            "'0' is no piece: want one of K A B N R C P (E, H too), upper case for Red",
        ),
        (format!("{board} x"), "\"x\" is no side to move: want w, r or b"),
        (
            format!("{board} w - - -1 1"),
            "the count of plies without capture is \"-1\", want a whole number from 0 to 9999",
        ),
        (format!("{board} w - - 0 10000"), "the round is \"10000\", want a whole number from 0 to 9999"),
        (format!("{board} w - - 0 1 moves"), "\"moves\" is no part of a position"),
    ];
    for (fen, message) in cases {
        assert_eq!(refusal(&fen), message, "{fen}");
    }
}

#[test]
fn fen_is_read_generously() {
    let board = START_FEN.split(' ').next().unwrap();
    let other_letters = board.replace('B', "E").replace('b', "e").replace('N', "H").replace('n', "h");
    for fen in [
        board.to_owned(),
        format!("{board} w"),
        format!("{board} r - - 0 1"),
        format!("{board} w - - - -"),
        format!("{board} w - - 0 0"),
        format!("{board} w KQkq e3 0 1"),
        format!("{board}[] w - - 0 1"),
        format!("  {other_letters}   w - - 0 1\n"),
    ] {
        assert_eq!(fen.parse::<Position>().unwrap().fen(), START_FEN, "{fen}");
    }
}

#[test]
fn any_setup_can_be_written_and_read() {
    let mut setup: Setup = START_FEN.parse().unwrap();
    for square in Square::all() {
        setup.board[square.index()] = setup.board[89 - square.index() / 2];
        assert_eq!(setup.fen().parse::<Setup>().unwrap(), setup);
    }
}

#[test]
fn a_diagram_may_show_what_no_game_reaches() {
    // A general that can be taken; pawns and an advisor where they can't get.
    for fen in
        ["4k4/9/9/9/9/9/9/4C4/9/3KC4 w", "3k5/9/9/9/3p1p3/9/3p5/5p3/9/4K4 b", "4k4/9/9/9/9/9/9/A8/9/3K5 w"]
    {
        let setup: Setup = fen.parse().unwrap();
        assert!(setup.check().is_err(), "{fen}");
        assert_eq!(setup.check_diagram().unwrap().to_setup(), setup);
    }
    // A missing or misplaced general and facing generals are no board at all.
    for fen in ["9/9/9/9/9/9/9/9/9/3K5 w", "4k4/9/9/9/9/9/9/9/9/K8 w", "4k4/9/9/9/9/9/9/9/9/4K4 w"] {
        assert!(fen.parse::<Setup>().unwrap().check_diagram().is_err(), "{fen}");
    }
}
