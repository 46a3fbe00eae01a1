//! The second step of a generation: the trainer makes a candidate.

use crate::error::PipelineError;
use crate::folder::remove_file;
use crate::observe::Event;
use crate::run::Run;
use crate::state::Step;
use train::Job;

/// Trainer snapshots that are kept.
const SNAPSHOTS: u32 = 3;

impl Run<'_> {
    /// Trains for as many steps as the generation's new positions pay for.
    pub(crate) fn train(&mut self) -> Result<(), PipelineError> {
        let generation = self.state.generation;
        let start = self.observer.elapsed();
        if !self.fill_window(generation)? {
            return self.play_again();
        }
        let summary = self.run_trainer()?;
        self.ledger.timings.training += self.observer.elapsed().since(start);
        let Some(summary) = summary else { return Ok(()) };
        if summary.steps == 0 {
            self.warn(
                "the new positions pay for no training step: see train.batch_size and train.passes_per_row",
            )?;
        }
        let snapshot = self.folder.snapshot(generation);
        self.trainer()?.save(&snapshot)?;
        if let Some(old) = generation.checked_sub(SNAPSHOTS) {
            remove_file(&self.folder.snapshot(old))?;
        }
        self.state.trained = generation;
        self.state.training = Some(summary);
        self.state.step = Step::Gate;
        self.ledger.save(&self.folder)?;
        self.state.save(&self.folder)
    }

    /// `None` if it was stopped: the trainer in memory has then gone part of the way and is not used again.
    fn run_trainer(&mut self) -> Result<Option<train::Summary>, PipelineError> {
        let generation = self.state.generation;
        let before = self.state.positions - self.state.new_positions;
        let positions = before..self.state.positions;
        let cooldown_start = self.state.cooldown_start;
        let mut trainer = match self.trainer.take() {
            Some(trainer) => trainer,
            None => self.load_trainer()?,
        };
        let hidden = self.config.net.hidden_at(self.state.positions);
        // A run whose snapshots were damaged may begin anew with less.
        if let Some(before) = trainer.hidden().filter(|&before| before < hidden) {
            self.folder.log(&format!("the hidden layer grows from {before} to {hidden} units"))?;
            trainer = trainer.widened(hidden)?;
        }
        let job = Job::new(&self.config.train, trainer.step(), positions, cooldown_start);
        let (first, total) = (job.steps.start, job.steps.end - job.steps.start);
        let observer = &mut *self.observer;
        let summary =
            trainer.train(&self.window, &job, &self.folder.faulty_batch(), self.stop, |report| {
                let done = report.step + 1 - first;
                observer.event(Event::Progress { generation, work: "training", done, total });
            })?;
        self.trainer = Some(trainer);
        Ok((!summary.stopped).then_some(summary))
    }
}
