//! Players by name: a built-in opponent, a weights file or engine file, a run folder, whose champion plays, or an outside engine.

use crate::nets;
use anyhow::Context as _;
use arena::{Baseline, Entrant, OutsideEngine, Player, Searcher, SearcherSettings};
use net::Network;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Someone who can be asked to play as often as there are threads.
pub(crate) enum Contestant {
    /// A built-in opponent.
    Baseline(Baseline),
    /// A net under the search.
    Net {
        /// What the user called it.
        name: String,
        /// Ready for inference.
        net: Network,
        /// Simulations a move, if not the match's.
        simulations: Option<u32>,
    },
    /// An outside engine.
    Engine(OutsideEngine),
}

impl Contestant {
    /// Reads what a user means by a player.
    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        if let Ok(baseline) = text.parse() {
            return Ok(Self::Baseline(baseline));
        }
        if Path::new(text).exists() {
            return Self::net(text);
        }
        if let Some((path, simulations)) = text.rsplit_once(",simulations=") {
            return Self::net_with(path, simulations).with_context(|| format!("player {text}"));
        }
        if text.contains(':') {
            return Self::engine(text);
        }
        anyhow::bail!(
            "\"{text}\" is no player: want random, greedy, depth-1 to depth-8, a weights file, an engine file, a run folder, or an \
             engine such as uci-variant:fairy-stockfish,nodes=300"
        );
    }

    /// Reads an outside engine and finds its program.
    fn engine(text: &str) -> anyhow::Result<Self> {
        let engine: OutsideEngine = text.parse().with_context(|| format!("player {text}"))?;
        let program = find_program(&engine.settings().command.program)?;
        Ok(Self::Engine(engine.with_program(program)))
    }

    /// A net that has simulations of its own.
    fn net_with(path: &str, simulations: &str) -> anyhow::Result<Self> {
        let wanted = simulations
            .parse()
            .with_context(|| format!("simulations = {simulations}: want a whole number"))?;
        SearcherSettings { simulations: wanted, ..SearcherSettings::default() }.check()?;
        match Self::net(path)? {
            Self::Net { name, net, .. } => {
                Ok(Self::Net { name: format!("{name},simulations={wanted}"), net, simulations: Some(wanted) })
            }
            other => Ok(other),
        }
    }

    /// Reads a weights file, an engine file or a run's champion.
    pub(crate) fn net(text: &str) -> anyhow::Result<Self> {
        Ok(Self::Net { name: text.to_owned(), net: nets::open(Path::new(text))?, simulations: None })
    }

    /// The player in match files; nets search as `settings` say.
    pub(crate) fn entrant(&self, settings: &SearcherSettings) -> Entrant {
        let name = match self {
            Self::Baseline(baseline) => baseline.to_string(),
            Self::Net { name, .. } => name.clone(),
            Self::Engine(engine) => engine.name(),
        };
        Entrant { name, what: self.identity(settings) }
    }

    /// What makes the player what it is, in words.
    fn identity(&self, settings: &SearcherSettings) -> String {
        match self {
            Self::Baseline(baseline) => baseline.to_string(),
            Self::Net { net, simulations, .. } => {
                let settings =
                    serde_json::to_string(&with(settings, *simulations)).expect("numbers and names are JSON");
                format!("net {} {settings}", net.hash())
            }
            Self::Engine(engine) => engine.to_string(),
        }
    }

    /// Is it a program of its own?
    pub(crate) const fn is_engine(&self) -> bool {
        matches!(self, Self::Engine(_))
    }

    /// Makes a player; nets search as `settings` say, which must be in range.
    pub(crate) fn player(&self, settings: &SearcherSettings) -> Box<dyn Player> {
        match self {
            Self::Baseline(baseline) => baseline.player(),
            Self::Net { name, net, simulations, .. } => {
                let settings = with(settings, *simulations);
                Box::new(Searcher::new(name, net.evaluator(), &settings).expect("the settings were checked"))
            }
            Self::Engine(engine) => Box::new(engine.player()),
        }
    }
}

/// The settings with a player's own number of simulations.
fn with(settings: &SearcherSettings, simulations: Option<u32>) -> SearcherSettings {
    SearcherSettings { simulations: simulations.unwrap_or(settings.simulations), ..*settings }
}

/// Where Debian puts games, whether it is in the search path or not.
const GAMES: &str = "/usr/games";

/// A program by its path, or by its name in the search path and among the games.
fn find_program(program: &Path) -> anyhow::Result<PathBuf> {
    if program.components().count() > 1 {
        // A link stays one: some programs go by the name that they are called by.
        anyhow::ensure!(program.is_file(), "cannot find the program {}", program.display());
        return std::path::absolute(program).with_context(|| format!("where is {}?", program.display()));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from(GAMES)]);
    let found = folders.map(|folder| folder.join(program)).find(|file| file.is_file());
    found.with_context(|| {
        let name = AsRef::<OsStr>::as_ref(program).display();
        format!("there is no program {name} in the search path or in {GAMES}")
    })
}
