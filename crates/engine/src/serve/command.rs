//! The words of a line.

use super::order::Order;

/// What a line asks for. Words that only some dialects have are understood in all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Command {
    /// `uci`.
    Uci,
    /// `ucci`.
    Ucci,
    /// `ucicyclone`.
    UciCyclone,
    /// `isready`.
    IsReady,
    /// `ucinewgame`, `uccinewgame`.
    NewGame,
    /// `setoption` and what follows.
    SetOption(String),
    /// `position` and what follows.
    Position(String),
    /// A position without the word `position`, as UCI-Cyclone has it.
    BarePosition(String),
    /// `banmoves` and what follows.
    BanMoves(String),
    /// `go`.
    Go(Order),
    /// `ponderhit`.
    PonderHit {
        /// The opponent offered a draw with the move.
        draw: bool,
    },
    /// `stop`.
    Stop,
    /// `quit`.
    Quit,
    /// `probe`: UCCI asks for an entry of the hash table.
    Probe,
    /// `d`: show the position.
    Show,
    /// Something that is said to all engines and means nothing to this one.
    Nothing,
    /// None of these.
    Unknown(String),
}

impl Command {
    /// Reads a line. The first word may be in capitals.
    pub(super) fn read(line: &str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word.to_ascii_lowercase().as_str() {
            "uci" => Self::Uci,
            "ucci" => Self::Ucci,
            "ucicyclone" => Self::UciCyclone,
            "isready" => Self::IsReady,
            "ucinewgame" | "uccinewgame" => Self::NewGame,
            "setoption" => Self::SetOption(rest.to_owned()),
            "position" => Self::Position(rest.to_owned()),
            "fen" | "startpos" => Self::BarePosition(line.to_owned()),
            "banmoves" => Self::BanMoves(rest.to_owned()),
            "go" => Self::Go(Order::read(rest)),
            "ponderhit" => Self::PonderHit {
                draw: rest.split_whitespace().any(|word| word.eq_ignore_ascii_case("draw")),
            },
            "stop" => Self::Stop,
            "quit" | "exit" => Self::Quit,
            "probe" => Self::Probe,
            "d" => Self::Show,
            "" | "debug" | "register" => Self::Nothing,
            _ => Self::Unknown(line.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_words() {
        for (line, command) in [
            ("uci", Command::Uci),
            ("  UCI  ", Command::Uci),
            ("position  startpos", Command::Position("startpos".to_owned())),
            ("fen x moves", Command::BarePosition("fen x moves".to_owned())),
            ("startpos", Command::BarePosition("startpos".to_owned())),
            ("ponderhit draw", Command::PonderHit { draw: true }),
            ("ponderhit", Command::PonderHit { draw: false }),
            ("", Command::Nothing),
            ("foo bar", Command::Unknown("foo bar".to_owned())),
            ("象 棋", Command::Unknown("象 棋".to_owned())),
        ] {
            assert_eq!(Command::read(line), command, "{line}");
        }
    }
}
