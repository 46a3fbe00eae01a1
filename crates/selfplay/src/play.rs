//! One game.

use crate::opening;
use crate::seed::game_seed;
use crate::settings::Settings;
use evaluator::{Evaluator, EvaluatorError, FEATURE_VERSION};
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use replay::{EndReason, GameRecord, PlyRecord, PolicyEntry, draw_to_u8, value_to_i16};
use rules::{Game, Outcome, Rules};
use search::{Report, Root, Search};

/// What the games of a batch have in common.
#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// The training run, for the records.
    pub run: String,
    /// The run's seed; each game's own comes from it ([`game_seed`]).
    pub seed: u64,
    /// The net that plays, as SHA-256 of its weights in hexadecimal, for the records.
    pub net: String,
    /// The rules that games are played by, but for the natural limit, which [`Settings::natural_limit_plies`] sets.
    pub rules: Rules,
    /// How they are played.
    pub settings: Settings,
    /// Searched positions of the run before these games, which schedules go by. The same for all of them, so that a
    /// game doesn't depend on others.
    pub positions: u64,
}

impl Job {
    fn rules(&self) -> Rules {
        let limit = self.settings.natural_limit_plies.at(self.positions);
        Rules { natural_limit_plies: Some(limit), ..self.rules }
    }
}

/// Plays a game of this number from its opening to its end; `None` if `stopped` says so before a move.
///
/// `search` is room to work in, made with the job's settings.
pub fn play_game(
    job: &Job,
    number: u64,
    search: &mut Search,
    evaluator: &mut (impl Evaluator + ?Sized),
    stopped: impl Fn() -> bool,
) -> Result<Option<GameRecord>, EvaluatorError> {
    let seed = game_seed(job.seed, number);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut game, started_by) = opening::open(&job.settings, job.rules(), &mut rng);
    let mut plies: Vec<PlyRecord> = game.plies().iter().map(|ply| PlyRecord::unsearched(ply.mv())).collect();

    let (outcome, reason) = loop {
        if let Some(end) = end(&game, job.settings.ply_cap) {
            break end;
        }
        if stopped() {
            return Ok(None);
        }
        let ply = choose(&job.settings, &game, search, evaluator, &mut rng)?;
        game.play_unchecked(ply.mv);
        plies.push(ply);
    };
    Ok(Some(GameRecord {
        run: job.run.clone(),
        game: number,
        seed,
        net: job.net.clone(),
        rule_set: job.rules.rule_set,
        feature_version: FEATURE_VERSION,
        start: game.start().clone(),
        outcome,
        reason,
        started_by,
        plies,
    }))
}

/// How the game ended, by the rules or by its length, if it did.
fn end(game: &Game, ply_cap: u16) -> Option<(Outcome, EndReason)> {
    if let Some(ending) = game.ending() {
        return Some((ending.outcome, EndReason::Rules(ending.reason)));
    }
    (game.plies().len() >= ply_cap.into()).then_some((Outcome::Draw, EndReason::PlyCap))
}

/// Searches for a move, fully or cheaply as chance has it.
fn choose(
    settings: &Settings,
    game: &Game,
    search: &mut Search,
    evaluator: &mut (impl Evaluator + ?Sized),
    rng: &mut impl Rng,
) -> Result<PlyRecord, EvaluatorError> {
    let full = rng.random_bool(settings.full_search_share.into());
    let simulations = if full { settings.full_simulations } else { settings.cheap_simulations };
    search.start(game, Root::Gumbel { noise: true }, simulations.into(), rng);
    search::run(search, evaluator)?;
    let report = search.report();
    Ok(PlyRecord {
        mv: report.best,
        // Of 1 to `simulations`: a root is proven by a simulation at the earliest.
        simulations: report.simulations as u16,
        root_value: value_to_i16(report.value),
        root_draw: draw_to_u8(report.draw),
        kl: report.kl,
        policy: if full { policy(&report) } else { Vec::new() },
    })
}

fn policy(report: &Report) -> Vec<PolicyEntry> {
    PolicyEntry::quantise(report.moves.iter().map(|entry| (entry.mv, entry.visits, entry.target)))
}
