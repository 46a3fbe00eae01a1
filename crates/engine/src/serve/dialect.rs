//! How the interface talks.

/// Which of the dialects is spoken. It is UCI until a word of another comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dialect {
    /// UCI.
    Uci,
    /// UCI's words with positions as of the last capture, `fen F moves …` without `position`. Ranks from 0 always.
    Cyclone,
    /// UCCI 3.0. Ranks from 0.
    Ucci,
}
