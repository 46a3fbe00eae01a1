//! What quantising costs a network, in its own words: its answers in floats and in integers on positions of games.
//!
//! ```text
//! cargo run --release -p net --example quantisation -- WEIGHTS COUNT < tests/games/ccpd_excerpt.tsv
//! ```
//!
//! Standard input has a game a line: the moves from the start position, with spaces between, in the last column of
//! those that tabs part. Of each game the positions are taken in order, up to COUNT different ones in all.
#![expect(clippy::print_stdout, reason = "it is an example program")]

use evaluator::{Answer, Evaluator as _, Query, Situation};
use net::{QuantisedWeights, SparseEvaluator, SparseNet, Weights};
use rules::{Game, Move, Position, Rules};
use std::collections::BTreeSet;
use std::io;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [weights, count] = arguments.as_slice() else { return Err("want WEIGHTS COUNT".into()) };
    let (weights, count) = (Weights::read(weights)?, count.parse::<usize>()?);
    let quantised = QuantisedWeights::new(&weights, None)?;
    let nets = [SparseNet::new(&weights)?, SparseNet::quantised(&quantised)];
    let [mut floats, mut integers] = nets.map(|net| SparseEvaluator::new(net.into()));
    let mut differences = Differences::default();
    let mut seen = BTreeSet::new();
    for line in io::stdin().lines() {
        let line = line?;
        let moves = line.rsplit('\t').next().unwrap_or_default();
        // Headings and comments have no moves.
        let Ok(moves) = moves.split_whitespace().map(str::parse).collect::<Result<Vec<Move>, _>>() else {
            continue;
        };
        let mut game = Game::new(Position::start(), Rules::default());
        for mv in moves {
            let position = game.position();
            let legal = position.legal_moves();
            if !legal.contains(&mv) || seen.len() == count {
                break;
            }
            if seen.insert(position.fen()) {
                let query = Query { position, situation: Situation::of(&game), legal: &legal };
                let [mut a, mut b] = [[Answer::default()], [Answer::default()]];
                floats.evaluate(&[query], &mut a)?;
                integers.evaluate(&[query], &mut b)?;
                differences.add(&a[0], &b[0]);
            }
            game.play_unchecked(mv);
        }
    }
    differences.print();
    Ok(())
}

/// Sums and largest differences over positions.
#[derive(Default)]
struct Differences {
    positions: u32,
    same_best: u32,
    kl: MeanAndMost,
    value: MeanAndMost,
    draw: MeanAndMost,
    moves_left: MeanAndMost,
    logit: MeanAndMost,
}

#[derive(Default)]
struct MeanAndMost {
    sum: f64,
    count: u32,
    most: f64,
}

impl Differences {
    fn add(&mut self, floats: &Answer, integers: &Answer) {
        self.positions += 1;
        self.same_best += u32::from(best(&floats.logits) == best(&integers.logits));
        let [p, q] = [log_softmax(&floats.logits), log_softmax(&integers.logits)];
        self.kl.add(p.iter().zip(q).map(|(p, q)| p.exp() * (p - q)).sum());
        self.value.add(f64::from(floats.wdl.value() - integers.wdl.value()).abs());
        self.draw.add(f64::from(floats.wdl.draw - integers.wdl.draw).abs());
        self.moves_left.add(f64::from(floats.moves_left - integers.moves_left).abs());
        for (a, b) in floats.logits.iter().zip(&integers.logits) {
            self.logit.add(f64::from(a - b).abs());
        }
    }

    fn print(&self) {
        let share = 100.0 * f64::from(self.same_best) / f64::from(self.positions);
        println!("{} positions, the same best move by the policy alone in {share:.2} %", self.positions);
        for (name, differences) in [
            ("KL(policy in floats || in integers)", &self.kl),
            ("|value - value|", &self.value),
            ("|draw - draw|", &self.draw),
            ("|moves left - moves left|, plies", &self.moves_left),
            ("|logit - logit|", &self.logit),
        ] {
            let mean = differences.sum / f64::from(differences.count);
            println!("{name:<36} mean {mean:.7}  most {:.6}", differences.most);
        }
    }
}

impl MeanAndMost {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
        self.most = self.most.max(value);
    }
}

fn best(logits: &[f32]) -> Option<usize> {
    (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b]))
}

fn log_softmax(logits: &[f32]) -> Vec<f64> {
    let most = logits.iter().copied().fold(f32::MIN, f32::max);
    let sum: f64 = logits.iter().map(|&logit| f64::from(logit - most).exp()).sum();
    logits.iter().map(|&logit| f64::from(logit - most) - sum.ln()).collect()
}
