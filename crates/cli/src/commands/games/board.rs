//! A position as a picture in text, Red below.

use notation::{Script, Style};
use rules::{Piece, Position, Square};

/// A position as a reader of this style wants to see it: with Chinese characters and the files as both sides count
/// them, or with the letters of FEN and the points as coordinates name them.
pub(super) fn picture(position: &Position, style: Style) -> String {
    match style {
        Style::Chinese { script, .. } => chinese(position, script),
        Style::Shorthand => chinese(position, Script::Traditional),
        _ => letters(position, style.ranks().lowest()),
    }
}

fn letters(position: &Position, lowest: u8) -> String {
    let line = |rank| {
        let points = row(position, rank).map(|piece| piece.map_or('.', Piece::fen_letter));
        format!("{:>2}  {}", rank + lowest, spaced(points))
    };
    let mut lines: Vec<String> = (0..10).rev().map(line).collect();
    lines.push("    a b c d e f g h i".to_owned());
    lines.join("\n")
}

/// The letters of the pieces, and their characters in each script. Those of the two sides differ, as on real pieces.
const LETTERS: &str = "KABNRCPkabnrcp";
const SIMPLIFIED: &str = "帅仕相傌俥炮兵将士象马车砲卒";
const TRADITIONAL: &str = "帥仕相傌俥炮兵將士象馬車砲卒";

fn chinese(position: &Position, script: Script) -> String {
    let (characters, river) = match script {
        Script::Simplified => (SIMPLIFIED, "楚河        汉界"),
        Script::Traditional => (TRADITIONAL, "楚河        漢界"),
    };
    let character = |piece: Piece| {
        let known = LETTERS.chars().zip(characters.chars());
        known
            .into_iter()
            .find(|&(letter, _)| letter == piece.fen_letter())
            .map_or('？', |(_, character)| character)
    };
    let line = |rank| spaced(row(position, rank).map(|piece| piece.map_or('＋', character)));
    let mut lines = vec!["１ ２ ３ ４ ５ ６ ７ ８ ９".to_owned()];
    lines.extend((5..10).rev().map(line));
    lines.push(format!("     {river}"));
    lines.extend((0..5).rev().map(line));
    lines.push("九 八 七 六 五 四 三 二 一".to_owned());
    lines.join("\n")
}

fn row(position: &Position, rank: u8) -> impl Iterator<Item = Option<Piece>> {
    (0..9).map(move |file| position.piece_at(Square::new(file, rank).expect("it is on the board")))
}

fn spaced(points: impl Iterator<Item = char>) -> String {
    points.map(String::from).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_has_its_own_character() {
        let start = Position::start();
        for script in [Script::Simplified, Script::Traditional] {
            let text = chinese(&start, script);
            assert!(!text.contains('？'));
            assert_eq!(text.matches('＋').count(), 58);
            assert_eq!((text.matches('兵').count(), text.matches('卒').count()), (5, 5));
        }
    }

    #[test]
    fn letters_count_ranks_as_the_style_does() {
        let start = Position::start();
        assert!(picture(&start, Style::Iccs).starts_with(" 9  r n b a k a b n r\n 8  . "));
        assert!(picture(&start, Style::OneBasedSan).starts_with("10  r n b a k a b n r\n 9  . "));
    }
}
