//! Whole runs, small: interrupted and not, damaged, contested.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use net::Architecture;
use pipeline::{
    AlarmKind, Config, Elapsed, Event, Family, GamesPerGeneration, Growth, Observer, Options, PipelineError,
    Step, TowerSettings,
};
use replay::{GameRecord, StartedBy};
use selfplay::Schedule;
use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A run of a second or two: 40 short games a generation, a narrow net.
fn small() -> Config {
    let mut config = Config::default();
    config.run.games_per_generation = GamesPerGeneration::constant(40);
    config.net.hidden = 16;
    config.net.value_hidden = 8;
    config.selfplay.full_simulations = Schedule::constant(8);
    config.selfplay.cheap_simulations = Schedule::constant(4);
    config.selfplay.ply_cap = 50;
    config.train.batch_size = 64;
    config.train.threads = 1;
    config.arena.searcher.simulations = 4;
    config.gate.guard_pairs = 2;
    config.ladder.rungs = vec!["random".parse().unwrap()];
    config.ladder.pairs_per_rung = 1;
    config.run.ladder_every_generations = 2;
    config
}

fn options(threads: usize, generations: u32) -> Options {
    Options {
        threads: NonZeroUsize::new(threads).unwrap(),
        generations: Some(generations),
        positions: None,
        core_secs: None,
        cooldown: false,
        device: torch::Device::Cpu,
        clock: std::time::SystemTime::now,
        program: "test".to_owned(),
    }
}

/// Collects warnings and lines, and raises the stop flag after so many events.
struct Watch<'a> {
    stop: &'a AtomicBool,
    events_left: usize,
    warnings: Vec<String>,
    lines: Vec<String>,
}

impl Observer for Watch<'_> {
    fn elapsed(&mut self) -> Elapsed {
        Elapsed::default()
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Warning(text) => self.warnings.push(text),
            Event::Generation(summary) => self.lines.push(summary.to_string()),
            Event::Opened { .. } | Event::Progress { .. } => {}
        }
        self.events_left = self.events_left.saturating_sub(1);
        if self.events_left == 0 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Runs until it is over or this many events have been; returns warnings and lines.
fn go(root: &Path, config: &Config, options: &Options, events: usize) -> (Vec<String>, Vec<String>) {
    let stop = AtomicBool::new(false);
    let mut watch = Watch { stop: &stop, events_left: events, warnings: Vec::new(), lines: Vec::new() };
    pipeline::train(root, config, options, &stop, &mut watch).unwrap();
    (watch.warnings, watch.lines)
}

/// Everything of a run that must repeat: games, nets, snapshots, matches, state.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in ["games", "games/parts", "nets", "snapshots", "matches"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                files
                    .insert(path.strip_prefix(root).unwrap().display().to_string(), fs::read(&path).unwrap());
            }
        }
    }
    files.insert("state.json".to_owned(), fs::read(root.join("state.json")).unwrap());
    files
}

fn assert_same_files(a: &Path, b: &Path) {
    let (a, b) = (files(a), files(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, bytes) in &a {
        assert!(*bytes == b[name], "{name} differs");
    }
}

#[test]
fn an_interrupted_run_equals_an_uninterrupted_one_with_any_threads() {
    let folder = tempfile::tempdir().unwrap();
    whole_and_in_pieces(&small(), 3, folder.path());
}

/// Games depend on earlier generations by the archive, and on their own course by the verdict that they are decided; and
/// generations grow.
#[test]
fn so_it_does_with_every_way_to_begin_and_to_end_a_game() {
    let mut config = small();
    config.run.games_per_generation = GamesPerGeneration { start: 40, end: 46, over_generations: 2 };
    config.selfplay.full_simulations = Schedule { start: 8, end: 16, over_positions: 3000 };
    config.selfplay.cheap_simulations = Schedule { start: 4, end: 8, over_positions: 3000 };
    config.selfplay.archive_share = 0.4;
    // Less than two generations: games leave, and a process that goes on has not seen them.
    config.selfplay.archive_games = 60;
    config.selfplay.classical_share = 0.2;
    // A net that learns fast says something of its games within two generations.
    config.train.learning_rate = 0.02;
    config.train.warmup_steps = 1;
    config.selfplay.resignation.value = 0.1;
    config.selfplay.resignation.plies = 2;
    config.selfplay.resignation.holdout_share = 0.5;
    let folder = tempfile::tempdir().unwrap();
    let whole = whole_and_in_pieces(&config, 3, folder.path());

    let shards = (1..=3).map(|generation| whole.join(format!("games/g{generation:06}.parquet")));
    let games: Vec<GameRecord> = shards.flat_map(|shard| replay::read_shard(&shard).unwrap()).collect();
    let started =
        |by| games.iter().filter(|game| game.started_by == by).map(|game| game.game).collect::<Vec<_>>();
    assert!(started(StartedBy::Archive).len() > 20 && started(StartedBy::Classical).len() > 12);
    assert!(started(StartedBy::Archive)[0] >= 40, "the first generation has no games before it");
    let decided = games.iter().filter(|game| game.decided.is_some()).count();
    assert!(decided > 5, "{decided} decided");
    let weights = |generation: usize| games[generation * 40..][..40].iter().map(|game| game.scoring_weight);
    assert!(weights(0).all(|weight| (weight - 0.5).abs() < 1e-6));
    assert!(
        weights(1).all(|weight| weight < 0.4999 && weight.to_bits() == games[40].scoring_weight.to_bits())
    );
}

/// Also while the window and the net grow.
#[test]
fn so_it_does_with_every_method_of_training() {
    let mut config = small();
    config.run.window_start_positions = 1000;
    config.net.growth = vec![Growth { positions: 2500, hidden: 24 }];
    config.selfplay.resignation.value = 0.1;
    config.selfplay.resignation.plies = 2;
    config.train.surprise_share = 0.5;
    config.train.cheap_row_weight = 0.5;
    config.train.decided_row_weight = 0.5;
    config.train.dedupe = true;
    config.train.soft_policy_loss_weight = 2.0;
    config.train.opponent_reply_loss_weight = 0.15;
    config.train.decay_end_positions = 5000;
    config.train.final_learning_rate_share = 0.1;
    let folder = tempfile::tempdir().unwrap();
    let whole = whole_and_in_pieces(&config, 3, folder.path());

    let description = pipeline::champion(&whole).unwrap().description().clone();
    assert!(description.step > 0, "a candidate was promoted");
    assert_eq!(description.architecture, Architecture::Sparse { hidden: 24, value_hidden: 8 });
}

/// Batches are made of what games happen to ask at the same time; answers don't depend on it.
#[test]
fn so_it_does_with_a_tower() {
    let mut config = small();
    config.net.family = Family::Tower;
    config.net.tower = TowerSettings { channels: 8, blocks: 1, value_hidden: 8, batch_size: 4 };
    // Matches of nets that know nothing are long.
    config.rules.natural_limit_plies = 20;
    config.arena.searcher.simulations = 2;
    config.run.games_per_generation = GamesPerGeneration::constant(10);
    config.selfplay.full_simulations = Schedule::constant(4);
    config.selfplay.cheap_simulations = Schedule::constant(2);
    config.train.learning_rate = 0.01;
    config.train.warmup_steps = 1;
    let folder = tempfile::tempdir().unwrap();
    let whole = whole_and_in_pieces(&config, 2, folder.path());

    let description = pipeline::champion(&whole).unwrap().description().clone();
    assert!(description.step > 0, "a candidate was promoted");
    assert_eq!(description.architecture, Architecture::Tower { channels: 8, blocks: 1, value_hidden: 8 });
}

/// Runs once in one go and once with many interruptions and more threads; nothing may differ. Returns the former.
fn whole_and_in_pieces(config: &Config, generations: u32, folder: &Path) -> PathBuf {
    let (whole, pieces) = (folder.join("whole"), folder.join("pieces"));
    let (warnings, lines) = go(&whole, config, &options(1, generations), usize::MAX);
    assert_eq!(warnings, Vec::<String>::new());
    assert_eq!(lines.len(), generations as usize);
    let mut seen = 0;
    for events in (1..).step_by(7) {
        let (warnings, lines) = go(&pieces, config, &options(2, generations), events);
        assert_eq!(warnings, Vec::<String>::new());
        seen += lines.len();
        if seen == generations as usize {
            break;
        }
    }
    assert_same_files(&whole, &pieces);
    whole
}

/// Cut between the files of a step and the state that ends it: the step is done again and leaves nothing behind.
#[test]
fn a_step_whose_state_was_not_saved_is_done_again() {
    let (config, folder) = (small(), tempfile::tempdir().unwrap());
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    go(&whole, &config, &options(1, 2), usize::MAX);
    go(&cut, &config, &options(1, 1), usize::MAX);
    let state = fs::read(cut.join("state.json")).unwrap();
    let parts = cut.join("games/parts");
    // Forty games of the second generation, the last of which completes it, then three steps of training.
    go(&cut, &config, &options(1, 2), 1 + 40 + 3);
    fs::copy(cut.join("games/g000002.parquet"), parts.join("g000002-000.parquet")).unwrap();
    fs::write(cut.join("state.json"), &state).unwrap();
    go(&cut, &config, &options(1, 2), usize::MAX);
    assert_eq!(fs::read_dir(&parts).unwrap().count(), 0);
    fs::write(cut.join("state.json"), &state).unwrap();
    go(&cut, &config, &options(1, 2), usize::MAX);
    assert_same_files(&whole, &cut);
}

#[test]
fn another_seed_gives_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    let mut config = small();
    go(&a, &config, &options(1, 1), usize::MAX);
    config.run.seed += 1;
    go(&b, &config, &options(1, 1), usize::MAX);
    assert_ne!(files(&a)["nets/g000001.safetensors"], files(&b)["nets/g000001.safetensors"]);
}

#[test]
fn a_truncated_shard_is_set_aside_and_training_goes_on() {
    let (config, folder) = (small(), tempfile::tempdir().unwrap());
    let root = folder.path();
    go(root, &config, &options(1, 2), usize::MAX);
    let shard = root.join("games/g000001.parquet");
    let bytes = fs::read(&shard).unwrap();
    fs::write(&shard, &bytes[..bytes.len() / 2]).unwrap();
    fs::remove_file(root.join("games/g000002.parquet")).unwrap();
    let (warnings, lines) = go(root, &config, &options(1, 3), usize::MAX);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].contains("1 shards set aside"), "{lines:?}");
    assert!(warnings.iter().any(|text| text.contains("g000001.parquet is set aside")), "{warnings:?}");
    assert!(warnings.iter().any(|text| text.contains("without the games of generation 2")), "{warnings:?}");
    assert_eq!(fs::read_dir(root.join("games/set-aside")).unwrap().count(), 1);
}

#[test]
fn games_that_are_lost_before_they_were_learnt_from_are_played_again() {
    let (config, folder) = (small(), tempfile::tempdir().unwrap());
    let (whole, broken) = (folder.path().join("whole"), folder.path().join("broken"));
    go(&whole, &config, &options(1, 1), usize::MAX);
    go(&broken, &config, &options(1, 1), 1 + 40 + 3);
    fs::write(broken.join("games/g000001.parquet"), "nothing").unwrap();
    let (warnings, _) = go(&broken, &config, &options(1, 1), usize::MAX);
    assert!(warnings.iter().any(|text| text.contains("are played again")), "{warnings:?}");
    assert_same_files(&whole, &broken);
}

#[test]
fn the_games_of_another_generation_are_not_taken_for_this_one() {
    let (config, folder) = (small(), tempfile::tempdir().unwrap());
    let root = folder.path();
    go(root, &config, &options(1, 2), usize::MAX);
    fs::copy(root.join("games/g000001.parquet"), root.join("games/g000002.parquet")).unwrap();
    let (warnings, _) = go(root, &config, &options(1, 3), usize::MAX);
    assert!(warnings[0].contains("does not hold the games 40 to 79"), "{warnings:?}");
}

#[test]
fn a_net_of_another_version_ends_the_run_and_stays() {
    let (config, folder) = (small(), tempfile::tempdir().unwrap());
    let root = folder.path();
    go(root, &config, &options(1, 1), usize::MAX);
    let net = root.join("nets/g000001.safetensors");
    let mut bytes = fs::read(&net).unwrap();
    let version = b"feature_version\\\":1";
    let at = bytes.windows(version.len()).position(|window| window == version).unwrap();
    bytes[at + version.len() - 1] = b'7';
    fs::write(&net, &bytes).unwrap();
    let error = error_of(root, &config, 2).to_string();
    assert!(error.contains("version 7") && error.contains("g000001.safetensors"), "{error}");
    assert_eq!(fs::read(&net).unwrap(), bytes);
}

#[test]
fn games_without_a_state_are_nobodys_run() {
    let (config, folder) = (small(), tempfile::tempdir().unwrap());
    go(folder.path(), &config, &options(1, 1), usize::MAX);
    fs::remove_file(folder.path().join("state.json")).unwrap();
    let error = error_of(folder.path(), &config, 1).to_string();
    assert!(error.contains("holds games but no state.json"), "{error}");
}

#[test]
fn a_damaged_part_is_played_again() {
    let (config, folder) = (small(), tempfile::tempdir().unwrap());
    let (whole, broken) = (folder.path().join("whole"), folder.path().join("broken"));
    go(&whole, &config, &options(1, 1), usize::MAX);
    // The first part has 32 games, one event each.
    go(&broken, &config, &options(1, 1), 35);
    let part = broken.join("games/parts/g000001-000.parquet");
    let mut bytes = fs::read(&part).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs::write(&part, bytes).unwrap();
    let (warnings, _) = go(&broken, &config, &options(1, 1), usize::MAX);
    assert!(warnings[0].contains("g000001-000.parquet is set aside"), "{warnings:?}");
    assert_same_files(&whole, &broken);
}

#[test]
fn a_damaged_snapshot_is_replaced_by_the_one_before() {
    let (config, folder) = (small(), tempfile::tempdir().unwrap());
    let root = folder.path();
    go(root, &config, &options(1, 2), usize::MAX);
    let snapshot = root.join("snapshots/g000002.safetensors");
    let bytes = fs::read(&snapshot).unwrap();
    fs::write(&snapshot, &bytes[..bytes.len() - 10]).unwrap();
    let (warnings, lines) = go(root, &config, &options(1, 3), usize::MAX);
    assert!(warnings.iter().any(|text| text.contains("g000002.safetensors is set aside")), "{warnings:?}");
    assert!(warnings.iter().any(|text| text.contains("snapshot of generation 1 is taken")), "{warnings:?}");
    assert_eq!(lines.len(), 1);
}

#[test]
fn a_damaged_champion_is_replaced_by_the_one_before() {
    let (config, folder) = (small(), tempfile::tempdir().unwrap());
    let root = folder.path();
    go(root, &config, &options(1, 2), usize::MAX);
    let champion = pipeline::champion(root).unwrap();
    assert!(champion.description().step > 0, "two small generations are promoted by the guard");
    let mut nets: Vec<_> =
        fs::read_dir(root.join("nets")).unwrap().map(|entry| entry.unwrap().path()).collect();
    nets.sort();
    fs::write(nets.last().unwrap(), b"nothing").unwrap();
    let (warnings, lines) = go(root, &config, &options(1, 3), usize::MAX);
    assert!(warnings.iter().any(|text| text.contains("plays instead")), "{warnings:?}");
    assert_eq!(lines.len(), 1);
}

#[test]
fn what_a_killed_process_was_writing_is_swept_away() {
    let (config, folder) = (small(), tempfile::tempdir().unwrap());
    go(folder.path(), &config, &options(1, 1), 3);
    let half = folder.path().join("games/.g000001.parquet.a1b2c3");
    fs::write(&half, "half a shard").unwrap();
    go(folder.path(), &config, &options(1, 1), 3);
    assert!(!half.exists());
}

#[test]
fn one_process_at_a_time_works_on_a_run() {
    let (config, folder) = (small(), tempfile::tempdir().unwrap());
    let _held = pipeline::RunFolder::open(folder.path()).unwrap();
    let error = error_of(folder.path(), &config, 1);
    assert!(matches!(error, PipelineError::InUse { .. }));
    assert!(error.to_string().contains(&format!("in use by process {}", std::process::id())), "{error}");
}

#[test]
fn a_run_goes_on_with_its_own_settings_only() {
    let (mut config, folder) = (small(), tempfile::tempdir().unwrap());
    go(folder.path(), &config, &options(1, 1), 5);
    config.train.batch_size = 32;
    let error = error_of(folder.path(), &config, 1).to_string();
    assert!(error.contains("begun with train.batch_size = 64 (now 32); use"), "{error}");
    // Another number of lines, and no other key is blamed.
    let mut config = small();
    config.net.growth = vec![Growth { positions: 100, hidden: 24 }];
    let error = error_of(folder.path(), &config, 1).to_string();
    assert!(error.contains("begun with net.growth = [] (now [{ "), "{error}");
    assert_eq!(error.matches("(now ").count(), 1, "{error}");
}

#[test]
fn a_damaged_state_is_an_error() {
    let (config, folder) = (small(), tempfile::tempdir().unwrap());
    go(folder.path(), &config, &options(1, 1), 5);
    fs::write(folder.path().join("state.json"), "{\"version\": 1").unwrap();
    let error = error_of(folder.path(), &config, 1).to_string();
    assert!(error.contains("state.json is damaged"), "{error}");
}

#[test]
fn a_state_that_contradicts_itself_is_an_error() {
    let (config, folder) = (small(), tempfile::tempdir().unwrap());
    go(folder.path(), &config, &options(1, 1), usize::MAX);
    let path = folder.path().join("state.json");
    let state = fs::read_to_string(&path).unwrap();
    for (key, value) in
        [("generation", "4294967295"), ("trained", "7"), ("new_positions", "18446744073709551615")]
    {
        let at = state.find(&format!("\"{key}\": ")).unwrap() + key.len() + 4;
        let end = at + state[at..].find(',').unwrap();
        fs::write(&path, format!("{}{value}{}", &state[..at], &state[end..])).unwrap();
        let error = error_of(folder.path(), &config, 2).to_string();
        assert!(error.contains("state.json is damaged"), "{key}: {error}");
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let error = error_of(&folder.path().join("file/run"), &small(), 1).to_string();
    assert!(error.starts_with("cannot create folder"), "{error}");
}

#[test]
fn a_stop_before_the_start_changes_nothing() {
    let (config, folder) = (small(), tempfile::tempdir().unwrap());
    let stop = AtomicBool::new(true);
    let state =
        pipeline::train(folder.path(), &config, &options(1, 1), &stop, &mut pipeline::Silent).unwrap();
    assert_eq!((state.generation, state.step, state.games), (1, Step::SelfPlay, 0));
}

/// A clock on which every look takes a core-second.
#[derive(Default)]
struct Ticking {
    looks: u32,
    generations: Vec<f64>,
    alarms: Vec<AlarmKind>,
}

impl Observer for Ticking {
    fn elapsed(&mut self) -> Elapsed {
        self.looks += 1;
        let time = Duration::from_secs(self.looks.into());
        Elapsed { wall: time, cores: time }
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Generation(summary) = event {
            self.generations.push(summary.core_secs);
            self.alarms.extend(summary.alarms.iter().map(|alarm| alarm.kind));
        }
    }
}

/// Forty games are two parts, each a look at the clock, as are training and gate; the ladder of the second generation
/// doesn't count.
#[test]
fn core_seconds_are_counted_over_restarts_and_end_a_run() {
    let (config, folder) = (small(), tempfile::tempdir().unwrap());
    let root = folder.path();
    let go_on = |budget: f64| {
        let options = Options { generations: None, core_secs: Some(budget), ..options(1, 1) };
        let mut ticking = Ticking::default();
        let stop = AtomicBool::new(false);
        let state = pipeline::train(root, &config, &options, &stop, &mut ticking).unwrap();
        (state.generation - 1, ticking.generations)
    };
    // Two parts, what comes after the last of them, training, gate.
    assert_eq!(go_on(1.0), (1, vec![5.0]));
    assert_eq!(go_on(5.0), (1, vec![]), "the budget is used up");
    // Stopped in the second part of the games, on a clock that stands still.
    let stop = AtomicBool::new(false);
    let mut watch = Watch { stop: &stop, events_left: 35, warnings: Vec::new(), lines: Vec::new() };
    pipeline::train(root, &config, &options(1, 2), &stop, &mut watch).unwrap();
    assert_eq!(go_on(6.0), (2, vec![9.0]), "the second part and what comes after it, training, gate");
    assert_eq!(go_on(10.0), (3, vec![14.0]));
    let history = pipeline::history(root).unwrap();
    let milestones: Vec<_> = history
        .iter()
        .map(|milestone| (milestone.generation, milestone.core_secs, milestone.rungs.len()))
        .collect();
    assert_eq!(milestones, [(1, 5.0, 0), (2, 9.0, 1), (3, 14.0, 0)]);
}

/// A net that learns nothing plays draws and changes no policy.
#[test]
fn a_run_that_goes_wrong_gives_alarm() {
    let (mut config, folder) = (small(), tempfile::tempdir().unwrap());
    config.selfplay.search.c_scale = 0.0;
    config.selfplay.ply_cap = 41;
    let mut ticking = Ticking::default();
    let stop = AtomicBool::new(false);
    pipeline::train(folder.path(), &config, &options(1, 4), &stop, &mut ticking).unwrap();
    assert_eq!(ticking.alarms, [AlarmKind::Kl, AlarmKind::Draws]);
    let log = fs::read_to_string(folder.path().join("log.txt")).unwrap();
    assert!(log.contains("\nwarning: KL 0.0"), "{log}");
    assert!(log.contains(" | ALARM kl, draws\n"), "{log}");
    let figures = fs::read_to_string(folder.path().join("generations/g000004.json")).unwrap();
    assert!(figures.contains("\"kind\": \"draws\""), "{figures}");
}

fn error_of(root: &Path, config: &Config, generations: u32) -> PipelineError {
    let stop = AtomicBool::new(false);
    pipeline::train(root, config, &options(1, generations), &stop, &mut pipeline::Silent).unwrap_err()
}
