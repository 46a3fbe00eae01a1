//! The first step of a generation: the champion plays itself.

use crate::error::PipelineError;
use crate::folder::{PART, remove_file};
use crate::observe::Event;
use crate::run::Run;
use crate::state::Step;
use arena::Book;
use replay::{GameRecord, Statistics, write_shard};
use rules::Move;
use std::sync::Arc;
use train::schedule;

impl Run<'_> {
    /// Plays what is missing of the generation's games and joins them in one shard.
    pub(crate) fn self_play(&mut self) -> Result<(), PipelineError> {
        let generation = self.state.generation;
        let records = match self.games_of(generation)? {
            Some(records) => records,
            None => match self.play_generation()? {
                Some(records) => records,
                None => return Ok(()),
            },
        };
        for part in 0..records.len().div_ceil(PART) {
            remove_file(&self.folder.games_part(generation, part))?;
        }
        let statistics = Statistics::of(&records);
        self.state.games += statistics.games;
        self.state.positions += statistics.searched_plies;
        self.state.new_positions = statistics.searched_plies;
        self.state.step = Step::Train;
        self.statistics = Some(statistics);
        if self.windowed + 1 == generation {
            self.window.set_capacity(self.config.run.window_at(self.state.positions));
            self.push_into_window(generation, &records);
        }
        self.state.save(&self.folder)
    }

    /// Back to the beginning of the generation, whose games are gone: they will be played again, move for move.
    pub(crate) fn play_again(&mut self) -> Result<(), PipelineError> {
        let generation = self.state.generation;
        self.warn(&format!("the games of generation {generation} are played again"))?;
        self.state.games -= u64::from(self.config.run.games_per_generation.of(generation));
        self.state.positions -= self.state.new_positions;
        self.state.new_positions = 0;
        self.state.step = Step::SelfPlay;
        self.state.save(&self.folder)
    }

    /// How many games the generation has.
    fn games(&self) -> usize {
        self.config.run.games_per_generation.of(self.state.generation) as usize
    }

    /// All games of the generation; `None` if it was stopped before.
    fn play_generation(&mut self) -> Result<Option<Vec<GameRecord>>, PipelineError> {
        let mut records = self.read_parts()?;
        self.play_from(&mut records)?;
        if records.len() < self.games() {
            return Ok(None);
        }
        write_shard(&self.folder.games(self.state.generation), &records)?;
        Ok(Some(records))
    }

    /// The games that an earlier process finished: whole parts from the first on.
    fn read_parts(&mut self) -> Result<Vec<GameRecord>, PipelineError> {
        let mut records = Vec::new();
        for part in 0..self.games().div_ceil(PART) {
            let Some(games) = self.games_of_part(part)? else { break };
            records.extend(games);
        }
        Ok(records)
    }

    /// Puts the games of earlier generations into the archive, so far as it has room. This generation's own are no part
    /// of it, so that its games don't depend on each other.
    fn fill_archive(&mut self) -> Result<(), PipelineError> {
        let settings = &self.config.selfplay;
        if settings.archive_share <= 0.0 {
            return Ok(());
        }
        let begins_with = |generation| self.config.run.games_per_generation.numbers(generation).start;
        let now = begins_with(self.state.generation);
        let is_old =
            |&generation: &u32| begins_with(generation + 1) + u64::from(settings.archive_games) <= now;
        for generation in (self.archived + 1..self.state.generation).skip_while(is_old).collect::<Vec<_>>() {
            match self.games_of(generation)? {
                Some(games) => games.iter().for_each(|game| Arc::make_mut(&mut self.archive).push(game)),
                None => {
                    self.warn(&format!("the archive goes without the games of generation {generation}"))?;
                }
            }
            self.archived = generation;
        }
        Ok(())
    }

    /// The openings that classical games start with.
    fn classical(&self) -> Arc<[Vec<Move>]> {
        if self.config.selfplay.classical_share <= 0.0 {
            return Arc::new([]);
        }
        Book::masters().openings().iter().map(|opening| opening.moves.clone()).collect()
    }

    /// Plays the games after `records` and writes each part when it is full.
    fn play_from(&mut self, records: &mut Vec<GameRecord>) -> Result<(), PipelineError> {
        self.fill_archive()?;
        let champion = self.champion()?;
        let evaluators = self.evaluators(&champion)?;
        let games_at_once = self.games_at_once();
        let all = self.games();
        let numbers = self.game_numbers(self.state.generation);
        let mut positions = 0;
        let mut start = self.observer.elapsed();
        let job = selfplay::Job {
            run: self.manifest.run.clone(),
            seed: self.config.run.seed,
            net: champion.hash(),
            rules: self.rules,
            settings: self.config.selfplay.clone(),
            positions: self.state.positions,
            scoring_weight: schedule::scoring_weight(&self.config.train, self.state.positions) as f32,
            archive: Arc::clone(&self.archive),
            classical: self.classical(),
        };
        let (generation, folder, observer) = (self.state.generation, &self.folder, &mut *self.observer);
        let ledger = &mut self.ledger;
        selfplay::play_games(
            &job,
            numbers.start + records.len() as u64..numbers.end,
            games_at_once,
            || evaluators(),
            self.stop,
            |record| {
                positions += record.plies.iter().filter(|ply| ply.simulations > 0).count() as u64;
                records.push(record);
                if records.len().is_multiple_of(PART) || records.len() == all {
                    let part = (records.len() - 1) / PART;
                    write_shard(&folder.games_part(generation, part), &records[part * PART..])?;
                    let now = observer.elapsed();
                    ledger.timings.selfplay += now.since(start);
                    ledger.timings.positions += std::mem::take(&mut positions);
                    start = now;
                    ledger.save(folder)?;
                }
                let (done, total) = (records.len() as u64, all as u64);
                observer.event(Event::Progress { generation, work: "self-play", done, total });
                Ok::<_, PipelineError>(())
            },
        )?;
        // Games that are not in a part are lost with this process, their time is not.
        self.ledger.timings.selfplay += self.observer.elapsed().since(start);
        Ok(())
    }
}
