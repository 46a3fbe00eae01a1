//! Reading files of games one by one: what is wrong goes to standard error and is counted, the rest goes on.

use super::run_games::record_of;
use super::sources::{Kind, Source};
use super::text::one_line;
use crate::progress::{Bar, complain};
use anyhow::bail;
use notation::{Record, read_records};
use replay::read_shard;
use serde::Serialize;
use std::fs;

/// A game that could be read.
#[derive(Debug)]
pub(crate) struct Game {
    /// Its number in the file, from 1, bad ones counted.
    pub(crate) number: usize,
    /// The game.
    pub(crate) record: Record,
}

/// How much was read, and how much not.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Debug)]
pub(crate) struct Tally {
    /// Games that could be read.
    pub(crate) games: u64,
    /// Files that have such games.
    pub(crate) files: u64,
    /// Games that could not be read; a file that couldn't be opened counts as one.
    pub(crate) bad_games: u64,
    /// Files that have such games.
    pub(crate) bad_files: u64,
    /// What was dropped, replaced or doubted in games that could be read.
    pub(crate) warnings: u64,
}

/// Reads files, shows how far it is, complains and counts.
#[derive(Debug)]
pub(crate) struct Reading {
    bar: Option<Bar>,
    files: usize,
    done: usize,
    tally: Tally,
}

impl Reading {
    /// So many files are to be read.
    pub(crate) fn new(files: usize, with_bar: bool) -> Self {
        let bar = (with_bar && files > 1).then(Bar::new);
        Self { bar, files, done: 0, tally: Tally::default() }
    }

    /// The games of a file that can be read.
    pub(crate) fn read(&mut self, source: &Source) -> Vec<Game> {
        let games = read_all(source);
        let mut good = Vec::with_capacity(games.len());
        let mut bad = 0;
        for (index, game) in games.into_iter().enumerate() {
            match game {
                Ok(record) => good.push(Game { number: index + 1, record }),
                Err(error) => {
                    bad += 1;
                    self.say(&format!("bad: {}: {error}", source.path.display()));
                }
            }
        }
        for Game { number, record } in &good {
            for warning in &record.warnings {
                self.say(&format!("warning: {}: game {number}, {warning}", source.path.display()));
            }
            self.tally.warnings += record.warnings.len() as u64;
        }
        self.tally.games += good.len() as u64;
        self.tally.files += u64::from(!good.is_empty());
        self.tally.bad_games += bad;
        self.tally.bad_files += u64::from(bad > 0);
        self.done += 1;
        if let Some(bar) = &mut self.bar {
            bar.show("files".to_owned(), self.done as u64, self.files as u64);
        }
        good
    }

    /// What was read so far.
    pub(crate) const fn tally(&self) -> Tally {
        self.tally
    }

    /// Says in one line what was read; that is an error if something couldn't be and is not to be skipped.
    pub(crate) fn finish(self, skip_bad: bool) -> anyhow::Result<()> {
        if let Some(bar) = &self.bar {
            bar.clear();
        }
        let Tally { games, files, bad_games, bad_files, warnings } = self.tally;
        let read = format!(
            "{games} games from {files} files, {bad_games} games in {bad_files} files could not be read"
        );
        let summary = if warnings > 0 { format!("{read}, {warnings} warnings") } else { read };
        if bad_games > 0 && !skip_bad {
            bail!(summary);
        }
        complain(&summary);
        Ok(())
    }

    fn say(&self, line: &str) {
        let line = one_line(line);
        match &self.bar {
            Some(bar) => bar.aside(|| complain(&line)),
            None => complain(&line),
        }
    }
}

/// All games of a file, or what is wrong with each.
pub(crate) fn read_all(source: &Source) -> Vec<Result<Record, String>> {
    let refused = |error: &dyn std::fmt::Display| vec![Err(error.to_string())];
    match source.kind {
        Kind::Records => match fs::read(&source.path) {
            Ok(bytes) => {
                read_records(&bytes).into_iter().map(|game| game.map_err(|e| e.to_string())).collect()
            }
            Err(error) => refused(&error),
        },
        Kind::Shard => match read_shard(&source.path) {
            Ok(games) => {
                let record =
                    |(index, game)| record_of(game).map_err(|error| format!("game {}: {error}", index + 1));
                games.iter().enumerate().map(record).collect()
            }
            Err(error) => {
                // The path has been named already.
                let (text, path) = (error.to_string(), format!("{}: ", source.path.display()));
                refused(&text.strip_prefix(&path).unwrap_or(&text))
            }
        },
    }
}
