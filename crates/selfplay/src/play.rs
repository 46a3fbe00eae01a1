//! One game.

use crate::archive::Archive;
use crate::opening;
use crate::seed::game_seed;
use crate::settings::Settings;
use evaluator::{Evaluator, EvaluatorError, FEATURE_VERSION};
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use replay::{Decided, EndReason, GameRecord, PlyRecord, PolicyEntry, draw_to_u8, value_to_i16};
use rules::{Game, Move, Outcome, Rules};
use search::{Report, Root, Search};
use std::num::NonZeroU16;
use std::sync::Arc;

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
    /// The weight that material has in the value of games without a verdict at this point of the run, for the records.
    pub scoring_weight: f32,
    /// Positions of earlier games, the same for all of these games; [`Settings::archive_share`] says how many use it.
    pub archive: Arc<Archive>,
    /// Openings for [`Settings::classical_share`]: legal moves from the start position, after which games go on.
    pub classical: Arc<[Vec<Move>]>,
}

/// How moves are searched at some point of a game.
#[derive(Clone, Copy)]
struct Effort {
    /// Share of the moves that get a full search.
    full_share: f32,
    /// Simulations of a full search.
    full: u16,
    /// Simulations of a cheap one.
    cheap: u16,
}

impl Job {
    fn rules(&self) -> Rules {
        let limit = self.settings.natural_limit_plies.at(self.positions);
        // No limit at all would be a game without end.
        Rules { natural_limit_plies: NonZeroU16::new(limit).or(Some(NonZeroU16::MIN)), ..self.rules }
    }

    fn effort(&self, decided: Option<Decided>) -> Effort {
        let settings = &self.settings;
        let full_share = match decided {
            Some(Decided { played_through: false, .. }) => settings.resignation.full_search_share,
            _ => settings.full_search_share,
        };
        Effort {
            full_share,
            full: settings.full_simulations.at(self.positions),
            cheap: settings.cheap_simulations.at(self.positions),
        }
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
    let (mut game, started_by) = opening::open(job, job.rules(), &mut rng);
    let mut plies: Vec<PlyRecord> = game.plies().iter().map(|ply| PlyRecord::unsearched(ply.mv())).collect();
    let (mut decided, mut effort) = (None, job.effort(None));

    let (outcome, reason) = loop {
        if let Some(end) = end(&game, job.settings.ply_cap) {
            break end;
        }
        if stopped() {
            return Ok(None);
        }
        if decided.is_none() && job.settings.resignation.is_decided(&plies) {
            let played_through = rng.random_bool(job.settings.resignation.holdout_share.into());
            decided = Some(Decided { ply: plies.len() as u16, played_through });
            effort = job.effort(decided);
        }
        let ply = choose(effort, &game, search, evaluator, &mut rng)?;
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
        scoring_weight: job.scoring_weight,
        decided,
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
    effort: Effort,
    game: &Game,
    search: &mut Search,
    evaluator: &mut (impl Evaluator + ?Sized),
    rng: &mut impl Rng,
) -> Result<PlyRecord, EvaluatorError> {
    let full = rng.random_bool(effort.full_share.into());
    let simulations = if full { effort.full } else { effort.cheap };
    search.start(game, Root::Gumbel { noise: true }, simulations.into(), rng);
    search::run(search, evaluator)?;
    let (decision, policy) = if full {
        let report = search.report();
        (report.decision, policy(&report))
    } else {
        (search.decide(), Vec::new())
    };
    Ok(PlyRecord {
        mv: decision.best,
        // Of 1 to `simulations`: a root is proven by a simulation at the earliest.
        simulations: decision.simulations as u16,
        root_value: value_to_i16(decision.value),
        root_draw: draw_to_u8(decision.draw),
        kl: decision.kl,
        policy,
    })
}

fn policy(report: &Report) -> Vec<PolicyEntry> {
    PolicyEntry::quantise(report.moves.iter().map(|entry| (entry.mv, entry.visits, entry.target)))
}
