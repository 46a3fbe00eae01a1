//! The third step of a generation: the candidate meets the champion, and the champion the ladder.

use crate::alarm::{Figures, alarms};
use crate::error::PipelineError;
use crate::folder::{self, remove_file};
use crate::observe::Event;
use crate::run::Run;
use crate::state::{NetId, Step};
use crate::summary::Summary;
use arena::{Climb, GateReport, GateVerdict, MatchGame, MatchSettings, Searcher};
use evaluator::Evaluator;
use net::Weights;
use replay::Statistics;
use sha2::{Digest as _, Sha256};

/// Nets that are kept: this many of the newest champions, and of the older ones every tenth generation's.
const CHAMPIONS: usize = 10;

impl Run<'_> {
    /// Judges the candidate, measures the champion when it is time, and ends the generation.
    pub(crate) fn gate(&mut self) -> Result<(), PipelineError> {
        let generation = self.state.generation;
        let candidate = self.trainer()?.weights()?;
        // A damaged snapshot has sent the run back to training.
        if self.state.step != Step::Gate {
            return Ok(());
        }
        let champion = self.champion()?;
        let start = self.observer.elapsed();
        let report = self.judge(&candidate, &champion)?;
        self.ledger.timings.gate += self.observer.elapsed().since(start);
        let Some(report) = report else { return Ok(()) };
        let promoted = report.verdict == GateVerdict::Promoted;
        let measured = if generation.is_multiple_of(self.config.run.ladder_every_generations) {
            self.ledger.save(&self.folder)?;
            let start = self.observer.elapsed();
            let climb = self.climb(if promoted { &candidate } else { &champion })?;
            self.ledger.timings.ladder += self.observer.elapsed().since(start);
            if climb.is_none() {
                return Ok(());
            }
            climb
        } else {
            None
        };
        if promoted {
            candidate.write(self.folder.net(generation))?;
            self.state.champions.push(NetId { generation, sha256: candidate.hash() });
        }
        self.end_generation(report, measured)
    }
}

impl Run<'_> {
    /// The match of the two; its games are kept. `None` if it was stopped.
    fn judge(
        &mut self,
        candidate: &Weights,
        champion: &Weights,
    ) -> Result<Option<GateReport>, PipelineError> {
        let generation = self.state.generation;
        let settings = self.match_settings("gate");
        let (make_candidate, make_champion) =
            (self.player("candidate", candidate)?, self.player("champion", champion)?);
        let mut games: Vec<MatchGame> = Vec::new();
        let total = u64::from(if self.state.positions < self.config.gate.young_positions {
            self.config.gate.guard_pairs
        } else {
            self.config.gate.max_pairs
        });
        let observer = &mut *self.observer;
        let report = arena::run_gate(
            &self.config.gate,
            self.state.positions,
            &settings,
            make_candidate,
            make_champion,
            self.stop,
            |pair, score| {
                // What the nets thought of each move would be most of the file.
                games.extend(pair.games.iter().cloned().map(|game| MatchGame { notes: Vec::new(), ..game }));
                let done = u64::from(score.games());
                observer.event(Event::Progress { generation, work: "gate", done, total: 2 * total });
            },
        )?;
        if report.is_some() {
            folder::write_json(&self.folder.matches(generation), &games)?;
        }
        Ok(report)
    }

    /// The ladder; `None` if it was stopped.
    fn climb(&mut self, champion: &Weights) -> Result<Option<Climb>, PipelineError> {
        let generation = self.state.generation;
        let settings = self.match_settings("ladder");
        let make_player = self.player("champion", champion)?;
        let total = self.config.ladder.rungs.len() as u64 * u64::from(self.config.ladder.pairs_per_rung);
        let mut done = 0;
        let observer = &mut *self.observer;
        let climb = arena::climb(&self.config.ladder, &settings, make_player, self.stop, |_, _, _| {
            done += 1;
            observer.event(Event::Progress { generation, work: "ladder", done, total });
        })?;
        Ok((!climb.stopped).then_some(climb))
    }

    fn match_settings(&self, purpose: &str) -> MatchSettings {
        MatchSettings {
            threads: self.games_at_once(),
            seed: seed_of(self.config.run.seed, purpose, self.state.generation),
            openings: self.config.arena.openings.into(),
            rules: self.rules,
            ..MatchSettings::default()
        }
    }

    /// Makes players that search with a net.
    fn player(
        &self,
        name: &'static str,
        weights: &Weights,
    ) -> Result<impl Fn() -> Searcher<Box<dyn Evaluator>> + Sync + use<>, PipelineError> {
        let evaluators = self.evaluators(weights)?;
        let settings = self.config.arena.searcher;
        Ok(move || Searcher::new(name, evaluators(), &settings).expect("the configuration was checked"))
    }

    /// Writes down what the generation was and begins the next. Saving the state is what ends it; all before it can
    /// be done again.
    fn end_generation(&mut self, gate: GateReport, ladder: Option<Climb>) -> Result<(), PipelineError> {
        let generation = self.state.generation;
        let games = match self.statistics.take() {
            Some(statistics) => statistics,
            None => Statistics::of(self.games_of(generation)?.unwrap_or_default()),
        };
        let training = self.state.training.take().unwrap_or_default();
        let alarms = alarms(&Figures {
            generation,
            games: &games,
            passes: training.passes_per_row,
            most_passes: self.config.train.passes_per_row,
            rejections: generation - self.state.champion().generation,
        });
        // What goes on is told once in words, and in every generation's line.
        for alarm in
            alarms.iter().filter(|alarm| !self.alarms.contains(&alarm.kind)).cloned().collect::<Vec<_>>()
        {
            self.warn(&alarm.text)?;
        }
        self.alarms = alarms.iter().map(|alarm| alarm.kind).collect();
        let summary = Summary {
            generation,
            total_games: self.state.games,
            total_positions: self.state.positions,
            games,
            training,
            gate,
            ladder,
            shards_set_aside: self.folder.shards_set_aside(),
            core_secs: self.ledger.core_secs(),
            timings: self.ledger.timings,
            alarms,
        };
        folder::write_json(&self.folder.generation(generation), &summary)?;
        for (name, value) in summary.scalars() {
            self.events.scalar(&name, value, self.state.positions);
        }
        if let Ok(error) = self.failed.try_recv() {
            self.warn(&error.to_string())?;
        }
        self.folder.log(&summary.to_string())?;
        self.remove_old_net()?;
        self.ledger.save(&self.folder)?;
        self.state.generation += 1;
        self.state.step = Step::SelfPlay;
        self.state.save(&self.folder)?;
        self.ledger = self.ledger.begin(self.state.generation);
        self.observer.event(Event::Generation(&summary));
        Ok(())
    }

    /// Of the nets that are no longer among the newest champions, only every tenth generation's is kept.
    fn remove_old_net(&self) -> Result<(), PipelineError> {
        let champions = &self.state.champions;
        match champions.len().checked_sub(CHAMPIONS + 1).map(|index| champions[index].generation) {
            Some(old) if !old.is_multiple_of(10) => remove_file(&self.folder.net(old)),
            _ => Ok(()),
        }
    }
}

/// The seed of one match: its purpose and generation are part of what is hashed.
fn seed_of(run_seed: u64, purpose: &str, generation: u32) -> u64 {
    let digest = Sha256::digest(format!("{run_seed} {purpose} {generation}"));
    u64::from_le_bytes(digest[..8].try_into().expect("SHA-256 has 32 bytes"))
}
