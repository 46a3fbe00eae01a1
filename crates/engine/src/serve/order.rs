//! What follows `go`.

use rules::ByColour;

/// An order to think. Fields that weren't said are `None`, `false` or empty.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Order {
    /// Answer only when told to.
    pub(super) infinite: bool,
    /// Answer only when told to, or after `ponderhit`.
    pub(super) ponder: bool,
    /// UCCI: the opponent offers a draw.
    pub(super) draw: bool,
    /// Plies.
    pub(super) depth: Option<u32>,
    /// Simulations.
    pub(super) nodes: Option<u64>,
    /// Find a mate in so many moves.
    pub(super) mate: Option<u32>,
    /// Milliseconds for this move.
    pub(super) move_time: Option<u64>,
    /// Milliseconds on both clocks.
    pub(super) clocks: ByColour<Option<u64>>,
    /// Milliseconds that are added for each move.
    pub(super) increments: ByColour<u64>,
    /// UCCI: the mover's clock, in the unit of the option `usemillisec`.
    pub(super) time: Option<u64>,
    /// UCCI: what is added for each move, in the same unit.
    pub(super) increment: u64,
    /// Moves until the clock is filled up again.
    pub(super) moves_to_go: Option<u64>,
    /// `searchmoves`: the only moves that may be played.
    pub(super) only: Option<Vec<String>>,
    /// What can't be understood, and was left out.
    pub(super) faults: Vec<String>,
}

impl Order {
    /// Reads the words of UCI and UCCI; some interfaces mix them.
    ///
    /// A negative number counts as 0: interfaces show an overstepped clock so.
    pub(super) fn read(rest: &str) -> Self {
        let mut order = Self::default();
        let mut words = rest.split_whitespace().peekable();
        while let Some(word) = words.next() {
            match word.to_ascii_lowercase().as_str() {
                "infinite" => order.infinite = true,
                "ponder" => order.ponder = true,
                "draw" => order.draw = true,
                "searchmoves" => {
                    let moves = std::iter::from_fn(|| words.next_if(|word| !is_key(word)));
                    order.only = Some(moves.map(str::to_owned).collect());
                }
                "depth" if words.next_if(|word| word.eq_ignore_ascii_case("infinite")).is_some() => {
                    order.infinite = true;
                }
                key if is_key(key) => match words.next_if(|word| !is_key(word)) {
                    Some(value) => order.set(key, value),
                    None => order.faults.push(format!("go {key}: want a whole number after it")),
                },
                _ => order.faults.push(format!("go {word}: no such limit")),
            }
        }
        order
    }

    fn set(&mut self, key: &str, value: &str) {
        let Some(number) = number(value) else {
            self.faults.push(format!("go {key} = {value}: want a whole number"));
            return;
        };
        let small = u32::try_from(number).unwrap_or(u32::MAX);
        match key {
            "depth" => self.depth = Some(small),
            "nodes" => self.nodes = Some(number),
            "mate" => self.mate = Some(small),
            "movetime" => self.move_time = Some(number),
            "wtime" => self.clocks.red = Some(number),
            "btime" => self.clocks.black = Some(number),
            "winc" => self.increments.red = number,
            "binc" => self.increments.black = number,
            "time" => self.time = Some(number),
            "increment" => self.increment = number,
            // Some say 0 for no more controls.
            "movestogo" => self.moves_to_go = (number > 0).then_some(number),
            "perft" => self.faults.push("go perft is not there: meihua perft counts moves".to_owned()),
            // The opponent's clock.
            _ => {}
        }
    }

    /// Is nothing sure to end the thinking but `stop` or `ponderhit`? There may be no mate to find.
    pub(super) fn is_open(&self) -> bool {
        let Self { depth, nodes, move_time, clocks, time, .. } = self;
        let has_limit = depth.is_some()
            || nodes.is_some()
            || move_time.is_some()
            || clocks.red.is_some()
            || clocks.black.is_some()
            || time.is_some();
        self.infinite || self.ponder || !has_limit
    }
}

/// Is it a word of `go`, rather than a move or a number?
fn is_key(word: &str) -> bool {
    const KEYS: [&str; 20] = [
        "searchmoves",
        "ponder",
        "infinite",
        "draw",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "movetime",
        "depth",
        "nodes",
        "mate",
        "perft",
        "time",
        "increment",
        "opptime",
        "oppincrement",
        "oppmovestogo",
        "nodestime",
    ];
    KEYS.iter().any(|key| key.eq_ignore_ascii_case(word))
}

/// A whole number; what is too large for the type is its greatest value, what is negative is 0.
fn number(text: &str) -> Option<u64> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(if is_negative { 0 } else { digits.parse().unwrap_or(u64::MAX) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_both_families_are_read() {
        let order =
            Order::read("wtime 60000 btime -5 winc 600 binc 0 movestogo 0 depth 4 nodes 7 mate 2 movetime 9");
        assert_eq!(order.clocks, ByColour { red: Some(60_000), black: Some(0) });
        assert_eq!((order.increments.red, order.increments.black, order.moves_to_go), (600, 0, None));
        assert_eq!(
            (order.depth, order.nodes, order.mate, order.move_time),
            (Some(4), Some(7), Some(2), Some(9))
        );
        assert!(!order.is_open() && order.faults.is_empty(), "{order:?}");

        let order = Order::read("draw time 300 increment 3 opptime 290 oppincrement 3");
        assert_eq!((order.draw, order.time, order.increment), (true, Some(300), 3));
        assert!(order.faults.is_empty());
        assert!(Order::read("depth infinite").infinite);
        assert!(Order::read("ponder wtime 5 btime 5").is_open());
        assert!(Order::read("").is_open() && Order::read("mate 3").is_open());
    }

    #[test]
    fn search_moves_end_at_the_next_word_of_go() {
        let order = Order::read("searchmoves h2e2 b2e2 nodes 10");
        assert_eq!(order.only, Some(vec!["h2e2".to_owned(), "b2e2".to_owned()]));
        assert_eq!(order.nodes, Some(10));
    }

    #[test]
    fn what_cannot_be_understood_is_said() {
        let order = Order::read("depth x nodes 99999999999999999999999 movetime foo");
        assert_eq!(
            order.faults,
            ["go depth = x: want a whole number", "go movetime = foo: want a whole number"]
        );
        assert_eq!((order.depth, order.nodes), (None, Some(u64::MAX)));
        assert_eq!(Order::read("depth").faults, ["go depth: want a whole number after it"]);
        assert_eq!(Order::read("wtime winc 5").increments.red, 5);
    }
}
