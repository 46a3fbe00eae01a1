//! Plays the built-in opponents against each other and prints each pairing beside what their reference ratings
//! say: `cargo run --release -p arena --example cross_table -- 20 random greedy depth-1 depth-2`.

use arena::{Baseline, MatchSettings, expected_share, play_match};
use std::error::Error;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

#[expect(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let pairs = arguments.next().ok_or("want the number of pairs, then two or more opponents")?.parse()?;
    let players = arguments.map(|name| name.parse()).collect::<Result<Vec<Baseline>, _>>()?;
    let settings = MatchSettings { pairs, threads: 2, seed: 1, ..MatchSettings::default() };
    for (i, &strong) in players.iter().enumerate() {
        for &weak in &players[..i] {
            let stop = AtomicBool::new(false);
            let result = play_match(
                &settings,
                || strong.player(),
                || weak.player(),
                &stop,
                |_, _| ControlFlow::Continue(()),
            )?;
            let reference = |player: Baseline| player.reference().map(|reference| reference.elo);
            let expected = reference(strong).zip(reference(weak));
            let expected = expected.map_or(f64::NAN, |(a, b)| 100.0 * expected_share(a - b));
            println!("{strong} - {weak}: {}; reference {expected:.1} %; {}", result.score, result.reasons);
        }
    }
    Ok(())
}
