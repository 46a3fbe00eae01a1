//! What people write.

use crate::support::random_positions;
use notation::{MoveTextError, Proof, Ranks, Settled, Style, read_move, read_moves};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rules::{Move, Position};

const START: &str = rules::START_FEN;
/// Red pawns on f8 f6 and d7 d6.
const TWO_CROWDS: &str = "4k4/5P3/3P5/3P1P3/9/9/9/9/9/3K5 w";
/// Red pawns on e7, e6 and e4.
const THREE: &str = "5k3/9/4P4/4P4/9/4P4/9/9/9/3K5 w";
/// Red pawns on e8, e7, e6, e5 and e3.
const FIVE: &str = "5k3/4P4/4P4/4P4/4P4/9/4P4/9/9/3K5 w";
/// Black pawns on d4 d3 and f4 f2.
const BLACK_CROWDS: &str = "3k5/9/9/9/9/3p1p3/3p5/5p3/9/4K4 b";
/// Red rooks on e1 and e5.
const ROOKS: &str = "3k5/9/9/9/4R4/9/9/9/4R4/5K3 w";
/// Red pawn about to reach the last rank.
const LAST_RANK: &str = "4k4/3P5/9/9/9/9/9/9/9/5K3 w";

fn position(fen: &str) -> Position {
    fen.parse().unwrap()
}

#[test]
fn accepted_texts() {
    let cases = [
        (
            START,
            "h2e2",
            "炮二平五 炮2平5 炮２平５ 砲二平五 包二平五 炮二平五！ C2=5 C2.5 c2.5 c2=5? Ｃ２＝５ 炮25 炮二五",
        ),
        (START, "h2e2", "h2e2 H2E2 H2-E2 h2-e2 Che2 Che2# 炮２平五"),
        (
            START,
            "h0g2",
            "马二进三 馬二進三 傌二上三 㐷２进3 H2+3 N2+3 n2+3 馬2_3 馬23̲ 馬2\\underline{3} Hg2 Ng2",
        ),
        (START, "g0e2", "相三进五 象三進五 E3+5 B3+5 M3+5 b3+5 Ege2 Bge2"),
        (START, "d0e1", "仕六进五 士六進五 A6+5 G6+5 a6+5 Ade1"),
        (START, "e0e1", "帅五进一 將五進一 将5进1 K5+1 k5+1 Ke1"),
        (START, "c3c4", "兵七进一 卒７進１ P7+1 p7+1 Pc4 c4"),
        (START, "h2h9", "炮二进七 C2+7 Cxh9 h2h9 炮27̲"),
        (TWO_CROWDS, "d7e7", "三兵平五 16=5 16.5 Pc=5 pc.5 一兵六平五 前兵六平五 前六平五 一6平5 三兵5"),
        (TWO_CROWDS, "f6e6", "二兵平五 24=5 Pb=5 后兵四平五 後四平五 2兵平5"),
        (THREE, "e7d7", "前兵平六 一兵平六 P+=6 +P=6 +p.6 15=6 Pa=6 前兵6 前五平六 1兵平6"),
        (THREE, "e6d6", "中兵平六 二兵平六 P.=6 P..6 .P=6 25=6 Pb=6 中兵6 中五平六 二5平6"),
        (THREE, "e4e5", "后兵进一 三兵进一 P-+1 -P+1 35+1 后兵1̲ 后兵_1 后兵\\underline{1}"),
        (FIVE, "e3e4", "五兵进一 后兵进一 P-+1 Pe+1 55+1 五五进一"),
        (FIVE, "e6f6", "三兵平四 中兵平四 Pc=4 35=4 三兵4"),
        (FIVE, "e8d8", "一兵平六 前兵平六 P+=6 Pa=6 15=6"),
        (BLACK_CROWDS, "d3e3", "一卒平５ 一卒平五 14=5 pa=5 前卒4平5 前4平5"),
        (BLACK_CROWDS, "f2e2", "三卒平５ Pc=5 16=5 前卒6平5"),
        (ROOKS, "e5e9", "前车进四 R++4 +R+4 r++4 车五进四 R5+4 前車_4 前車4̲"),
        (ROOKS, "e1e0", "后车退一 後車退一 R--1 -R-1 後車^1 後車1̅ 後車\\overline{1} 后车下1"),
        (LAST_RANK, "d8d9", "d8d9 d8d9+ d8d9q d8d9=Q d8d9Q+ D8-D9 兵六进一 Pd9 d9 P6+1"),
    ];
    for (fen, expected, texts) in cases {
        for text in texts.split(' ') {
            let read = read_move(&position(fen), text, Ranks::ZeroBased).map(|mv| mv.to_string());
            assert_eq!(read.as_deref(), Ok(expected), "{text} in {fen}");
        }
    }
    assert_eq!(read_move(&position(START), "炮 二 平 五", Ranks::ZeroBased), Ok("h2e2".parse().unwrap()));
}

/// Other programs leave the marks of two pieces on a file out where only one of them can make the move.
#[test]
fn a_file_alone_means_the_piece_that_can_move() {
    let doubled = position("3k5/9/9/9/4R4/9/9/4p4/4R4/5K3 w");
    let read = |text| read_move(&doubled, text, Ranks::ZeroBased);
    assert_eq!(read("R5-2"), Ok("e5e3".parse().unwrap()));
    assert_eq!(read("车五退二"), read("R5-2"));
    let error = read("R5=4").unwrap_err();
    let MoveTextError::Ambiguous { moves, .. } = &error else { panic!("{error}") };
    assert_eq!(moves.len(), 2);
    assert_eq!(
        error.to_string(),
        format!("\"R5=4\" can mean e1f1 or e5f5 in {}", doubled.fen()),
        "an ambiguous move names what it can be"
    );
}

#[test]
fn refused_texts() {
    let unreadable = [
        "",
        " ",
        "!",
        "+",
        "0000",
        "e4 e5 e6",
        "炮",
        "炮二",
        "炮二平",
        "炮二平十",
        "平五",
        "C2",
        "C=5",
        "62.5x",
        "O-O",
        "h2e",
        "h2e2e2",
        "h2e22",
        "C25",
        "P2f",
        "Ph2e2qq",
        "x",
        "10",
        "1-0",
        "*",
        "_1",
        "\u{332}",
        "前前平五",
        "xx",
        "Zhe2",
        "帅帅帅帅",
        "\\underline{",
        "十兵平五",
    ];
    for text in unreadable {
        let read = read_move(&Position::start(), text, Ranks::ZeroBased);
        assert_eq!(read, Err(MoveTextError::Unreadable(text.to_owned())));
    }
    for text in [
        "炮二平九",
        "C2=9",
        "h2h8",
        "H2-H8",
        "Ch8",
        "前炮平五",
        "C+=5",
        "15=5",
        "Pa=5",
        "xe2",
        "马二平三",
        "d8d9q",
    ] {
        let read = read_move(&Position::start(), text, Ranks::ZeroBased);
        assert!(matches!(read, Err(MoveTextError::Illegal { .. })), "{text}: {read:?}");
    }
    for (text, rank, ranks) in
        [("h10g8", 10, Ranks::ZeroBased), ("h0g2", 0, Ranks::OneBased), ("Hg10", 10, Ranks::ZeroBased)]
    {
        let read = read_move(&Position::start(), text, ranks);
        assert_eq!(read, Err(MoveTextError::Rank { text: text.to_owned(), rank, ranks }));
    }
    let error = read_move(&Position::start(), "h10g8", Ranks::ZeroBased).unwrap_err();
    assert_eq!(error.to_string(), "\"h10g8\" names rank 10, want 0 to 9");
}

#[test]
fn a_promotion_is_only_a_pawns() {
    let read = read_move(&Position::start(), "h2e2q", Ranks::ZeroBased);
    assert!(matches!(read, Err(MoveTextError::Illegal { .. })), "{read:?}");
}

#[test]
fn the_counting_of_ranks_is_settled_for_the_whole_list() {
    let cases: [(&[&str], Ranks, Proof); 7] = [
        (&["炮二平五", "H8+7"], Ranks::ZeroBased, Proof::NoRanks),
        (&[], Ranks::ZeroBased, Proof::NoRanks),
        (&["h2e2", "h9g7", "h0g2"], Ranks::ZeroBased, Proof::Zero),
        (&["h3e3", "h10g8"], Ranks::OneBased, Proof::Ten),
        (&["Che3", "Hg8", "Hg3", "Rh10"], Ranks::OneBased, Proof::Ten),
        (&["h3e3", "h8e8"], Ranks::OneBased, Proof::Legality),
        (&["h2e2", "h7e7"], Ranks::ZeroBased, Proof::Legality),
    ];
    for (texts, ranks, proof) in cases {
        assert_eq!(Settled::of(&Position::start(), texts), Settled { ranks, proof }, "{texts:?}");
        assert!(read_moves(&Position::start(), texts).is_ok(), "{texts:?}");
    }
    // Rooks on h4 and h5 can both go to their e points.
    let both = position("3k5/9/9/9/7R1/7R1/9/9/9/5K3 w");
    assert_eq!(Settled::of(&both, &["h5e5"]), Settled { ranks: Ranks::ZeroBased, proof: Proof::Convention });
    // A later move settles an earlier one.
    let moves = read_moves(&both, &["h5e5", "d10d9"]).unwrap();
    assert_eq!(moves.iter().map(ToString::to_string).collect::<Vec<_>>(), ["h4e4", "d9d8"]);
}

#[test]
fn a_list_names_the_move_that_fails() {
    let error = read_moves(&Position::start(), &["h2e2", "h9g7", "h0g1"]).unwrap_err();
    assert_eq!((error.index, error.ranks), (2, Ranks::ZeroBased));
    let fen = "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2";
    assert_eq!(error.to_string(), format!("move 3: \"h0g1\" is no legal move in {fen}"));
    let contradiction = read_moves(&Position::start(), &["h3e3", "h10g8", "h0g2"]).unwrap_err();
    assert_eq!(contradiction.to_string(), "move 3: \"h0g2\" names rank 0, want 1 to 10");
}

/// Whatever is written gets an answer, and what is read is legal.
#[test]
fn nonsense_is_answered() {
    let alphabet: Vec<char> =
        "前中后後一二三五九炮兵卒马车平进退上下帅CcPpHaAbeixRr0123459１９+-=.#!?_^\u{332}\u{305}\\{} x"
            .chars()
            .collect();
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let positions = random_positions(5, 20);
    for position in &positions {
        for _ in 0..2_000 {
            let length = rng.random_range(0..7);
            let text: String = (0..length).map(|_| alphabet[rng.random_range(0..alphabet.len())]).collect();
            for ranks in [Ranks::ZeroBased, Ranks::OneBased] {
                if let Ok(mv) = read_move(position, &text, ranks) {
                    assert!(position.is_legal(mv), "{text} read as {mv} in {}", position.fen());
                }
            }
        }
    }
}

#[test]
fn names_of_styles_parse() {
    for style in Style::ALL {
        assert_eq!(style.name().parse(), Ok(style));
    }
    let error = "klingon".parse::<Style>().unwrap_err();
    assert!(error.to_string().starts_with("\"klingon\" is no style of notation: want one of chinese, "));
}

/// The same games in the spelling of several programs, each of which must give the same moves.
#[test]
fn dialects_of_other_programs() {
    let Some(data) = std::env::var_os("MEIHUA_DATA") else {
        println!("skipped: MEIHUA_DATA doesn't name the folder of reference data");
        return;
    };
    let folder = std::path::PathBuf::from(data).join("formats/dialects");
    for game in ["g1", "g2"] {
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        let expected: Vec<Move> =
            read(&format!("{game}.uci")).split_whitespace().map(|mv| mv.parse().unwrap()).collect();
        let dialects = [
            ("chinese_utf8", Ranks::ZeroBased),
            ("ffish_wxf", Ranks::ZeroBased),
            ("iccs_utf8", Ranks::ZeroBased),
            ("pychess_san_rank1to10", Ranks::OneBased),
            ("uci_lower_nofmt", Ranks::ZeroBased),
            ("wxf_utf8", Ranks::ZeroBased),
            ("xboard_san_rank0to9", Ranks::ZeroBased),
        ];
        for (dialect, ranks) in dialects {
            let text = read(&format!("{game}_{dialect}.pgn"));
            let words = text.lines().filter(|line| !line.starts_with('[')).flat_map(str::split_whitespace);
            let is_move =
                |word: &&str| !word.ends_with('.') && !["1-0", "0-1", "1/2-1/2", "*"].contains(word);
            let words: Vec<&str> = words.filter(is_move).collect();
            assert_eq!(read_moves(&Position::start(), &words), Ok(expected.clone()), "{game}_{dialect}");
            let settled = Settled::of(&Position::start(), &words);
            assert_eq!(settled.ranks, ranks, "{game}_{dialect}: {settled:?}");
            assert_written_alike(dialect, &words, &expected);
        }
    }
}

/// Does our writing print the very words of the dialect?
fn assert_written_alike(dialect: &str, words: &[&str], moves: &[Move]) {
    let style = match dialect {
        "chinese_utf8" => Style::CHINESE,
        "iccs_utf8" => Style::Iccs,
        "wxf_utf8" => Style::Wxf,
        "pychess_san_rank1to10" => Style::OneBasedSan,
        "xboard_san_rank0to9" => Style::San,
        _ => return,
    };
    let mut position = Position::start();
    for (word, &mv) in words.iter().zip(moves) {
        let text = notation::write_move(&position, mv, style);
        assert_eq!(text, word.replace('.', "="), "{dialect} {mv} in {}", position.fen());
        position.play_unchecked(mv);
    }
}
