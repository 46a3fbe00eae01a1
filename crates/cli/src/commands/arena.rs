//! `meihua arena`: a match between two players.

use super::match_flags::{MatchFlags, MatchPlan, threads};
use super::print_result;
use crate::players::Contestant;
use crate::progress::{Bar, complain};
use crate::stop;
use anyhow::Context as _;
use arena::{
    Book, DrawRule, EloScale, Found, MatchEnd, MatchFile, MatchSettings, PairRecord, Sprt, SprtReport,
    SprtSettings, SprtVerdict, WinRule, continue_match,
};
use notation::{Style, write_pgn};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Play a match: is A stronger than B?
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Players: random, greedy, depth-1 to depth-8 (alpha-beta on material), a weights file, a run folder, whose champion
plays (either with ,simulations=N of its own), or an outside engine. Games come in pairs that share an opening with colours exchanged.

Outside engines: PROTOCOL:PROGRAM,key=value,... with the protocol uci (ranks 0 to 9), uci-variant (ranks 1 to 10),
cyclone, ucci or cecp, a program in the search path, in /usr/games, or by its path, and at least one of the limits
nodes=N, depth=N, movetime_ms=N and clock=SECONDS+SECONDS. Ours as well are name=, args=, folder= and, in seconds,
longest_s= (the most for a move that no clock limits, 60), start_s= (to get ready, 10), grace_s= (to answer when told to
stop, 1) and quit_s= (to quit, 2); all other keys are options of the engine.
An engine that breaks down, falls silent, plays an illegal move or loses on time loses that game and is started anew.

Examples:
  meihua arena runs/laptop depth-2 --games 100 --simulations 128
  meihua arena runs/a runs/b --games 400 --match-file a-b.jsonl --sprt -10,10
  meihua arena runs/a,simulations=64 runs/a,simulations=32 --games 2000 --sprt 0,20
  meihua arena depth-1 random --games 40 --json
  meihua arena runs/laptop depth-3 --pgn games.pgn --notation wxf
  meihua arena 'uci-variant:fairy-stockfish,nodes=100,Skill Level=20' depth-3 --openings masters
  meihua arena cecp:hoixiangqi,depth=2 ucci:fairy-stockfish,nodes=100 --games 20")]
pub(crate) struct Arguments {
    /// The player whose score is given
    a: String,
    /// Its opponent
    b: String,
    /// How games start: random (arena.openings), masters (373 positions of masters' games), named, an opening's
    /// name, or a file with positions (FEN, EPD) or games
    #[arg(long, value_name = "WHICH", default_value = "random")]
    openings: String,
    /// How many plies of the games in such a file are the opening
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=200))]
    opening_plies: u16,
    /// Keep the match in this file, pair by pair, and go on with what is in it
    #[arg(long, value_name = "FILE")]
    match_file: Option<PathBuf>,
    /// End the match when the sequential test knows: is A stronger by ELO0 or by ELO1?
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = numbers::<f64, 2>)]
    sprt: Option<[f64; 2]>,
    /// The test's error rates
    #[arg(long, value_name = "ALPHA,BETA", requires = "sprt", default_value = "0.05,0.05", value_parser = numbers::<f64, 2>)]
    sprt_errors: [f64; 2],
    /// The test's Elo are normalised
    #[arg(long, requires = "sprt")]
    sprt_normalised: bool,
    /// Give a game to a side if in MOVES moves of each side both put it ahead by this much
    #[arg(long, value_name = "CENTIPAWNS,MOVES", value_parser = numbers::<u16, 2>)]
    adjudicate_win: Option<[u16; 2]>,
    /// Call a game drawn if in MOVES moves of each side both see no more than this, from move FROM on
    #[arg(long, value_name = "CENTIPAWNS,MOVES,FROM", value_parser = numbers::<u16, 3>)]
    adjudicate_draw: Option<[u16; 3]>,
    /// Call a game drawn that is so long, the plies of its opening counted; 40 to 10000
    #[arg(long, value_name = "PLIES")]
    longest_plies: Option<u16>,
    /// Write the games to this file as PGN, as they end; an old file is replaced
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// How moves are written there: chinese, wxf, iccs, coordinates and others
    #[arg(long, default_value_t = Style::CHINESE, requires = "pgn")]
    notation: Style,
    #[command(flatten)]
    flags: MatchFlags,
}

/// So many numbers with commas between.
fn numbers<T: FromStr, const N: usize>(text: &str) -> Result<[T; N], String> {
    let numbers = text.split(',').map(|number| number.parse().ok()).collect::<Option<Vec<T>>>();
    let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| format!("want {N} numbers with commas between"))
}

#[derive(Serialize)]
struct Report<'a> {
    a: &'a str,
    b: &'a str,
    score: arena::Summary,
    reasons: arena::Reasons,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtReport>,
    /// Games by the opening that they reached, by its Chinese name; openings without a name left out.
    openings: BTreeMap<&'static str, u32>,
    stopped: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let MatchPlan { settings, searcher, .. } = arguments.flags.plan(&["arena", "rules"])?;
    let settings = arguments.complete(settings)?;
    let sprt = arguments.sprt()?;
    let (a, b) = (Contestant::parse(&arguments.a)?, Contestant::parse(&arguments.b)?);
    let cores = threads(None).get();
    if (a.is_engine() || b.is_engine()) && cores < settings.threads {
        anyhow::bail!("--threads {}: want at most {cores}, the cores, if an engine plays", settings.threads);
    }
    if arguments.pgn.is_some() && arguments.pgn == arguments.match_file {
        anyhow::bail!("--pgn and --match-file name the same file");
    }
    let entrants = [&a, &b].map(|player| player.entrant(&searcher));
    let open = |path| MatchFile::open(path, &settings, entrants.each_ref());
    let opened = arguments.match_file.as_deref().map(open).transpose()?;
    let (match_file, found) = opened.unzip();
    let found = found.unwrap_or(Found { pairs: Vec::new(), is_torn: false });
    if found.is_torn {
        complain("the last line of the match file was torn; its pair is played again");
    }
    let stop = stop::on_signal()?;
    let mut books = Books {
        match_file,
        pgn: arguments.pgn.as_deref().map(PgnFile::create).transpose()?,
        event: format!("{} against {}", arguments.a, arguments.b),
        style: arguments.notation,
        openings: BTreeMap::new(),
    };
    let mut failed = Ok(());
    let mut bar = Bar::new();
    let total = arguments.flags.games();
    let result = continue_match(
        &settings,
        &found.pairs,
        || a.player(&searcher),
        || b.player(&searcher),
        &stop,
        |pair, score| {
            if found.pairs.len() <= pair.number as usize {
                bar.aside(|| complain_of_faults(pair));
            }
            bar.show(format!("match {:.0} %", 100.0 * score.share()), u64::from(score.games()), total);
            failed = books.enter(pair);
            let is_decided = sprt.is_some_and(|sprt| sprt.verdict(&score.pairs()) != SprtVerdict::Continue);
            if failed.is_err() || is_decided { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    bar.clear();
    let result = result?;
    failed?;
    let (a, b, score) = (&arguments.a, &arguments.b, result.score);
    let stopped = result.end == MatchEnd::Stopped;
    let early = if stopped { "stopped early: " } else { "" };
    let sprt = sprt.map(|sprt| sprt.report(&score));
    let mut lines = vec![format!("{early}{a} against {b}: {score}"), format!("ends: {}", result.reasons)];
    lines.extend(sprt.as_ref().map(ToString::to_string));
    let openings = books.openings;
    if !openings.is_empty() {
        let named: Vec<String> = openings.iter().map(|(name, count)| format!("{name} {count}")).collect();
        lines.push(format!("openings: {}", named.join(", ")));
    }
    let report = Report { a, b, score: score.summary(), reasons: result.reasons, sprt, openings, stopped };
    print_result(&lines.join("\n"), arguments.flags.json.then_some(&report))
}

impl Arguments {
    /// The settings of the match with what only this command has.
    fn complete(&self, mut settings: MatchSettings) -> anyhow::Result<MatchSettings> {
        if let Some(book) = self.book()? {
            settings.openings = book.into();
        }
        settings.adjudication.win =
            self.adjudicate_win.map(|[centipawns, moves]| WinRule { centipawns: centipawns.into(), moves });
        settings.adjudication.draw = self.adjudicate_draw.map(|[centipawns, moves, from_move]| DrawRule {
            centipawns: centipawns.into(),
            moves,
            from_move,
        });
        settings.adjudication.longest_plies = self.longest_plies;
        settings.check()?;
        Ok(settings)
    }

    /// The book of openings; none if they are random.
    fn book(&self) -> anyhow::Result<Option<Book>> {
        let path = Path::new(&self.openings);
        Ok(Some(match self.openings.as_str() {
            "random" => return Ok(None),
            "masters" => Book::masters(),
            "named" => Book::named(),
            file if path.exists() => {
                let bytes = fs::read(path).with_context(|| format!("cannot read {file}"))?;
                Book::read(&bytes, self.opening_plies).with_context(|| format!("in {file}"))?
            }
            name => Book::of_name(name).context("--openings: no file")?,
        }))
    }

    fn sprt(&self) -> anyhow::Result<Option<Sprt>> {
        let scale = if self.sprt_normalised { EloScale::Normalised } else { EloScale::Logistic };
        let [alpha, beta] = self.sprt_errors;
        let settings = self.sprt.map(|[elo0, elo1]| SprtSettings { scale, elo0, elo1, alpha, beta });
        Ok(settings.map(|settings| Sprt::new(&settings)).transpose()?)
    }
}

/// Where the pairs are entered, in order.
struct Books {
    match_file: Option<MatchFile>,
    pgn: Option<PgnFile>,
    event: String,
    style: Style,
    openings: BTreeMap<&'static str, u32>,
}

impl Books {
    fn enter(&mut self, pair: &PairRecord) -> anyhow::Result<()> {
        if let Some(file) = &mut self.match_file {
            file.add(pair)?;
        }
        for game in &pair.games {
            if let Some(opening) = game.opening {
                *self.openings.entry(opening.name_zh).or_default() += 1;
            }
            if let Some(file) = &mut self.pgn {
                let text = write_pgn(&game.to_record(&self.event), self.style) + "\n";
                file.write(&text)?;
            }
        }
        Ok(())
    }
}

fn complain_of_faults(pair: &PairRecord) {
    for (game, number) in pair.games.iter().zip(2 * pair.number + 1..) {
        if let Some(fault) = &game.fault {
            complain(&format!("game {number} lost ({}): {fault}", game.reason.name()));
        }
    }
}

/// A file of games, with its name for messages.
struct PgnFile {
    path: PathBuf,
    file: File,
}

impl PgnFile {
    fn create(path: &Path) -> anyhow::Result<Self> {
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { path: path.to_owned(), file })
    }

    fn write(&mut self, text: &str) -> anyhow::Result<()> {
        let written = self.file.write_all(text.as_bytes());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}
