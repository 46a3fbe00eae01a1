//! An evaluator that remembers.

use crate::evaluate::{Answer, Evaluator, EvaluatorError, Query, Situation};
use rules::{Move, Position};

/// Remembers the answers of another evaluator, in a table of fixed size where a new answer replaces an old one.
///
/// Position, situation and list of moves are compared in full, so a memory never changes an answer. What it doesn't
/// know of a batch goes to the other evaluator as one batch. Whole answers are worth more here than values alone, so values
/// are never called cheap.
#[derive(Clone, Debug)]
pub struct Cached<E> {
    inner: E,
    entries: Vec<Option<Entry>>,
}

#[derive(Clone, Debug)]
struct Entry {
    position: Position,
    situation: Situation,
    legal: Box<[Move]>,
    answer: Answer,
}

impl<E: Evaluator> Cached<E> {
    /// Wraps an evaluator with room for `capacity` answers (at least 1).
    pub fn new(inner: E, capacity: usize) -> Self {
        Self { inner, entries: vec![None; capacity.max(1)] }
    }

    fn recall(&self, query: &Query<'_>) -> Option<&Answer> {
        let entry = self.entries[self.slot(query)].as_ref()?;
        let is_same = entry.situation == query.situation
            && entry.position == *query.position
            && *entry.legal == *query.legal;
        is_same.then_some(&entry.answer)
    }

    fn remember(&mut self, query: &Query<'_>, answer: &Answer) {
        let slot = self.slot(query);
        self.entries[slot] = Some(Entry {
            position: query.position.clone(),
            situation: query.situation,
            legal: query.legal.into(),
            answer: answer.clone(),
        });
    }

    fn slot(&self, query: &Query<'_>) -> usize {
        (query.position.key() % self.entries.len() as u64) as usize
    }
}

impl<E: Evaluator> Evaluator for Cached<E> {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        let mut unknown = Vec::new();
        for (i, query) in queries.iter().enumerate() {
            match self.recall(query) {
                Some(answer) => answers[i].clone_from(answer),
                None => unknown.push(i),
            }
        }
        if unknown.is_empty() {
            return Ok(());
        }
        let asked: Vec<Query<'_>> = unknown.iter().map(|&i| queries[i]).collect();
        let mut found = vec![Answer::default(); asked.len()];
        self.inner.evaluate(&asked, &mut found)?;
        for ((i, query), answer) in unknown.into_iter().zip(asked).zip(found) {
            self.remember(&query, &answer);
            answers[i] = answer;
        }
        Ok(())
    }
}
