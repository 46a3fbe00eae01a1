//! Moves as engines write them.

use notation::{Ranks, Style, write_move};
use rules::{Move, Position, Square};

/// The move, by its points; the ranks as `ranks` counts them. Nothing is guessed: `a10` is only a point where ranks
/// count from 1, `a0` only where they count from 0. A hyphen between the points and capitals are let pass.
pub(crate) fn read(text: &str, ranks: Ranks) -> Option<Move> {
    let (mv, rest) = read_prefix(text, ranks)?;
    rest.is_empty().then_some(mv)
}

/// The same for CECP.
pub(super) fn read_cecp(text: &str) -> Option<Move> {
    read_promoted(text, Ranks::ZeroBased)
}

/// The same where a letter for what a pawn becomes may follow and means nothing.
pub(crate) fn read_promoted(text: &str, ranks: Ranks) -> Option<Move> {
    let (mv, rest) = read_prefix(text, ranks)?;
    matches!(rest.as_bytes(), [] | [b'a'..=b'z' | b'A'..=b'Z' | b'+' | b'=']).then_some(mv)
}

fn read_prefix(text: &str, ranks: Ranks) -> Option<(Move, &str)> {
    let (from, rest) = point(text, ranks)?;
    let (to, rest) = point(rest.strip_prefix('-').unwrap_or(rest), ranks)?;
    (from != to).then(|| (Move::new(from, to), rest))
}

fn point(text: &str, ranks: Ranks) -> Option<(Square, &str)> {
    let (&letter, rest) = text.as_bytes().split_first()?;
    let file = letter.to_ascii_lowercase().checked_sub(b'a')?;
    let digits = match (ranks, rest) {
        (Ranks::OneBased, [b'1', b'0', ..]) => 2,
        (_, [b'0'..=b'9', ..]) => 1,
        _ => return None,
    };
    let rank: u8 = text.get(1..=digits)?.parse().ok()?;
    let square = Square::new(file, rank.checked_sub(ranks.lowest())?)?;
    Some((square, &text[1 + digits..]))
}

/// A move by its points.
pub(crate) fn write(position: &Position, mv: Move, ranks: Ranks) -> String {
    let style = match ranks {
        Ranks::ZeroBased => Style::Coordinates,
        Ranks::OneBased => Style::OneBasedCoordinates,
    };
    write_move(position, mv, style)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, ranks: Ranks, expected: Option<&str>) {
        let found = read(text, ranks).map(|mv| mv.to_string());
        assert_eq!(found.as_deref(), expected, "{text} with {ranks:?}");
    }

    #[test]
    fn each_dialect_counts_its_own_way() {
        use Ranks::{OneBased, ZeroBased};
        for (text, zero, one) in [
            ("h2e2", Some("h2e2"), Some("h1e1")),
            ("h3e3", Some("h3e3"), Some("h2e2")),
            ("a10a9", None, Some("a9a8")),
            ("a9a10", None, Some("a8a9")),
            ("a10b10", None, Some("a9b9")),
            ("h10g8", None, Some("h9g7")),
            ("a0a1", Some("a0a1"), None),
            ("a1a0", Some("a1a0"), None),
            ("i9i0", Some("i9i0"), None),
            ("a11a9", None, None),
            ("a00a1", None, None),
            ("H2-E2", Some("h2e2"), Some("h1e1")),
            ("j1a1", None, None),
            ("a1a1", None, None),
            ("", None, None),
            ("(none)", None, None),
            ("0000", None, None),
            ("h2e2q", None, None),
            ("h2", None, None),
            ("ä1a2", None, None),
            ("a1é2", None, None),
        ] {
            check(text, ZeroBased, zero);
            check(text, OneBased, one);
        }
    }

    #[test]
    fn writing_and_reading_agree() {
        let position = Position::start();
        for &mv in &position.legal_moves() {
            for ranks in [Ranks::ZeroBased, Ranks::OneBased] {
                assert_eq!(read(&write(&position, mv, ranks), ranks), Some(mv));
            }
        }
    }

    #[test]
    fn cecp_may_promote_a_pawn() {
        assert_eq!(read_cecp("a8a9q"), read_cecp("a8a9"));
        assert_eq!(read_cecp("a8a9xy"), None);
        assert_eq!(read_cecp("a8a91"), None);
    }
}
