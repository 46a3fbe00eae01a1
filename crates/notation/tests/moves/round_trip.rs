//! What is written reads back; left and right, Red and Black are alike.

use crate::support::{assert_round_trips, random_positions};
use notation::{Digits, Ranks, Script, Style, read_move, write_move};
use rules::{Kind, Move, Position};

#[test]
fn every_move_round_trips_in_every_style() {
    let texts: usize = random_positions(1, 600).iter().map(assert_round_trips).sum();
    assert!(texts > 100_000, "{texts}");
}

/// Every way of having pawns on one, two or three files, seen from both sides.
#[test]
fn crowded_pawns_round_trip() {
    let boards = [
        "5k3/4P4/4P4/9/9/9/9/9/9/3K5",
        "5k3/9/4P4/4P4/9/4P4/9/9/9/3K5",
        "5k3/4P4/4P4/4P4/4P4/9/9/9/9/3K5",
        "5k3/4P4/4P4/4P4/4P4/9/4P4/9/9/3K5",
        "5k3/4P4/4P4/4P4/4P4/4P4/9/9/9/3K5",
        "4k4/5P3/3P5/3P1P3/9/9/9/9/9/3K5",
        "4k4/5P3/3P5/3P1P3/3P5/9/9/9/9/3K5",
        "4k4/5P3/3P1P3/3P1P3/9/9/9/9/9/3K5",
        "4k4/9/3P3P1/3P1P3/5P3/9/9/9/9/3K5",
        "4k4/5P3/3P1P3/3P4P/9/9/9/9/9/3K5",
        "4k4/5P3/P4P3/P7P/9/9/9/9/9/3K5",
    ];
    for board in boards {
        let position: Position = board.parse().unwrap();
        for position in [position.turned(), position.mirrored(), position] {
            assert_round_trips(&position);
        }
    }
}

#[test]
fn advisors_and_elephants_on_one_file_round_trip() {
    for board in ["5k3/9/9/9/9/9/9/3A5/9/3AK4", "4k4/9/9/9/9/2B6/9/9/9/2BK5"] {
        let position: Position = board.parse().unwrap();
        assert_round_trips(&position);
        assert_round_trips(&position.turned());
    }
}

/// The styles that name files from the mover's right are the same for both sides.
#[test]
fn the_turned_move_has_the_same_text() {
    let ascii = Style::Chinese { script: Script::Simplified, digits: Digits::Ascii };
    for position in random_positions(2, 200) {
        let turned = position.turned();
        for &mv in &position.legal_moves() {
            for style in [Style::Wxf, Style::Xqbase] {
                assert_eq!(write_move(&position, mv, style), write_move(&turned, mv.turned(), style));
            }
            // In Chinese, once each side has the other's digits and names.
            let [mine, other] = [(&position, mv), (&turned, mv.turned())]
                .map(|(position, mv)| write_move(position, mv, ascii));
            assert_eq!(
                other.chars().map(neutral).collect::<String>(),
                mine.chars().map(neutral).collect::<String>()
            );
        }
    }
}

fn neutral(c: char) -> char {
    let pairs = "一1二2三3四4五5六6七7八8九9帅将仕士相象兵卒";
    let pairs: Vec<char> = pairs.chars().collect();
    pairs.chunks(2).find(|pair| pair[1] == c).map_or(c, |pair| pair[0])
}

/// With left and right exchanged, file n is file 10 - n.
#[test]
fn the_mirrored_move_names_the_mirrored_files() {
    for position in random_positions(3, 200) {
        let mirrored = position.mirrored();
        for &mv in &position.legal_moves() {
            let expected = with_mirrored_files(&position, mv);
            assert_eq!(
                write_move(&mirrored, mv.mirrored(), Style::Wxf),
                expected,
                "{mv} in {}",
                position.fen()
            );
        }
    }
}

fn with_mirrored_files(position: &Position, mv: Move) -> String {
    let kind = position.piece_at(mv.from()).unwrap().kind;
    let mut text = write_move(position, mv, Style::Wxf).into_bytes();
    let mirror = |digit: &mut u8| *digit = b'0' + b'9' + 1 - *digit;
    if text[1].is_ascii_digit() {
        mirror(&mut text[1]);
    }
    if text[2] == b'=' || matches!(kind, Kind::Advisor | Kind::Elephant | Kind::Horse) {
        mirror(&mut text[3]);
    }
    String::from_utf8(text).unwrap()
}

/// Lower case, `.` for `=`, remarks and spaces change nothing, however the pawns are crowded.
#[test]
fn spellings_of_wxf_name_the_same_move() {
    for position in random_positions(4, 100) {
        for &mv in &position.legal_moves() {
            let wxf = write_move(&position, mv, Style::Wxf);
            let variants =
                [wxf.to_lowercase(), wxf.replace('=', "."), format!("{wxf}!?"), format!(" {wxf}+ ")];
            for text in variants {
                assert_eq!(
                    read_move(&position, &text, Ranks::ZeroBased),
                    Ok(mv),
                    "{text} in {}",
                    position.fen()
                );
            }
        }
    }
}
