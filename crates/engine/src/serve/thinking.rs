//! The thinker, and when it is made.

use super::nets::Nets;
use super::options::Options;
use crate::think::{MakeEvaluator, Signal, Task, Thinker, ThinkerSettings, Thought};
use evaluator::Material;
use rules::Game;
use std::sync::Arc;

/// A thinker that is made when it is first wanted: opening a net takes time that no interface grants to a greeting.
///
/// Without any net material alone evaluates, and that is said before each answer: a game with a weak opponent is more use
/// than one that an interface ends for want of a move, and an engine that kept quiet would be taken for the real one.
pub(super) struct Thinking {
    nets: Nets,
    ready: Option<Ready>,
}

/// A thinker with its net.
struct Ready {
    thinker: Thinker,
    /// The option `EvalFile` as of when the net was opened.
    chosen: Option<String>,
    /// What is wrong with the net.
    fault: Option<String>,
    /// Settings that it didn't take, and was not asked again to take.
    refused: Option<ThinkerSettings>,
}

/// Something to say: a remark, or what is wrong.
type News = Result<String, String>;

/// Memory for a thinker where there isn't as much as asked for.
const LEAST_HASH_MIB: usize = 8;

impl Thinking {
    pub(super) const fn new(nets: Nets) -> Self {
        Self { nets, ready: None }
    }

    /// Makes the thinker what the options say, if it isn't. What is wrong with the net is said each time.
    pub(super) fn get_ready(&mut self, options: &Options) -> Vec<News> {
        let mut news = Vec::new();
        let is_open = self.ready.as_ref().is_some_and(|ready| ready.chosen == options.eval_file);
        if !is_open {
            self.open(options, &mut news);
        }
        let Some(ready) = &mut self.ready else { return news };
        if *ready.thinker.settings() != options.thinker && ready.refused != Some(options.thinker) {
            ready.refused = ready.thinker.set_settings(&options.thinker).err().map(|error| {
                news.push(Err(error.to_string()));
                options.thinker
            });
        }
        news.extend(ready.fault.clone().map(Err));
        news
    }

    fn open(&mut self, options: &Options, news: &mut Vec<News>) {
        let opened = self.nets.open(options.eval_file.as_deref());
        // The net before goes on playing, if a new one can't be opened.
        if let (Err(fault), Some(ready)) = (&opened, &mut self.ready)
            && ready.fault.is_none()
        {
            news.push(Err(format!("{fault}; the net before stays")));
            ready.chosen.clone_from(&options.eval_file);
            return;
        }
        let (make, fault): (MakeEvaluator, _) = match opened {
            Ok((name, network)) => {
                news.push(Ok(format!("net {name}")));
                (Arc::new(move || network.evaluator()), None)
            }
            Err(fault) => {
                let fault = format!("{fault}; playing by counting material, which is weak");
                (Arc::new(|| Box::new(Material)), Some(fault))
            }
        };
        let chosen = options.eval_file.clone();
        let thinker = Thinker::new(Arc::clone(&make), &options.thinker).or_else(|error| {
            news.push(Err(error.to_string()));
            Thinker::new(make, &ThinkerSettings { hash_mib: LEAST_HASH_MIB, ..options.thinker })
        });
        match thinker {
            Ok(thinker) => {
                let refused = (*thinker.settings() != options.thinker).then_some(options.thinker);
                self.ready = Some(Ready { thinker, chosen, fault, refused });
            }
            Err(error) => news.push(Err(error.to_string())),
        }
    }

    /// Another game begins.
    pub(super) fn forget_game(&mut self) {
        if let Some(ready) = &mut self.ready {
            ready.thinker.forget();
        }
    }

    /// After a fault nothing is trusted any more.
    pub(super) fn forget_all(&mut self) {
        self.ready = None;
    }

    /// Thinks; the error is for people to read.
    pub(super) fn think(
        &mut self,
        game: &Game,
        task: &Task,
        signal: &Signal,
        seen: &mut dyn FnMut(&Thought),
    ) -> Result<Thought, String> {
        let ready = self.ready.as_mut().ok_or("there is no memory to think with")?;
        ready.thinker.think(game, task, signal, seen).map_err(|error| error.to_string())
    }
}
