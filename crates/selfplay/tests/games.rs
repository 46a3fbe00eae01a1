//! Games of self-play are games, are recorded as they were played, and are the same whoever plays them.

use evaluator::{Answer, Evaluator, EvaluatorError, Hashed, Material, Query, Uniform, material_balance};
use replay::{EndReason, GameRecord, StartedBy, Statistics, value_to_i16};
use rules::{Colour, Game, Rules};
use search::Search;
use selfplay::{
    Archive, Job, ResignationSettings, Schedule, SelfPlayError, Settings, game_seed, play_game, play_games,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Searches and games short enough for a test.
fn settings() -> Settings {
    Settings {
        full_simulations: Schedule::constant(16),
        cheap_simulations: Schedule::constant(4),
        ply_cap: 60,
        ..Settings::default()
    }
}

fn job(settings: Settings) -> Job {
    Job {
        run: "test".to_owned(),
        seed: 7,
        net: "none".to_owned(),
        rules: Rules::default(),
        settings,
        positions: 0,
        scoring_weight: 0.0,
        archive: Arc::new(Archive::new(0)),
        classical: Arc::new([]),
    }
}

fn play<E: Evaluator>(
    job: &Job,
    numbers: std::ops::Range<u64>,
    threads: usize,
    evaluator: impl Fn() -> E + Sync,
) -> Vec<GameRecord> {
    let mut records = Vec::new();
    let stop = AtomicBool::new(false);
    play_games(job, numbers, threads, evaluator, &stop, |record| {
        records.push(record);
        Ok::<_, SelfPlayError>(())
    })
    .expect("fakes don't fail");
    records
}

#[test]
fn games_can_be_replayed_and_come_in_order() {
    for records in [
        play(&job(settings()), 100..140, 2, || Uniform),
        play(&job(settings()), 100..140, 2, || Hashed { seed: 1 }),
        play(&job(settings()), 100..140, 2, || Material),
    ] {
        assert_eq!(
            records.iter().map(|record| record.game).collect::<Vec<_>>(),
            (100..140).collect::<Vec<_>>()
        );
        for record in &records {
            record.check().unwrap();
            assert_eq!(record.seed, game_seed(7, record.game));
            assert!(record.plies.len() <= 60);
            assert!(record.reason != EndReason::PlyCap || record.plies.len() == 60);
        }
        let statistics = Statistics::of(&records);
        let full = statistics.policy_plies as f64 / statistics.searched_plies as f64;
        assert!((0.45..0.55).contains(&full), "{full}");
    }
}

#[test]
fn each_kind_of_ply_is_recorded_as_what_it_is() {
    for record in play(&job(settings()), 0..20, 1, || Hashed { seed: 1 }) {
        let random = record.plies.iter().take_while(|ply| ply.simulations == 0).count();
        assert!(random <= 8);
        assert!(
            record.started_by == StartedBy::Thinned
                || (random > 0) == (record.started_by == StartedBy::RandomPlies)
        );
        let proven = |ply: &replay::PlyRecord| ply.root_value.abs() == i16::MAX || ply.root_draw == 255;
        for ply in &record.plies[random..] {
            if ply.policy.is_empty() {
                assert!(ply.simulations == 4 || proven(ply) && ply.simulations < 4, "{ply:?}");
            } else {
                assert!(ply.simulations == 16 || proven(ply) && ply.simulations < 16, "{ply:?}");
                assert!(ply.policy.iter().map(|entry| u32::from(entry.visits)).sum::<u32>() <= 16);
            }
        }
    }
}

#[test]
fn values_are_the_movers() {
    let (mut right, mut wrong) = (0, 0);
    for record in play(&job(settings()), 0..40, 1, || Material) {
        record
            .replay(|game, ply| {
                let balance = material_balance(game.position(), game.position().turn());
                if ply.simulations > 0 && balance.abs() >= 9 {
                    let agrees = i32::from(ply.root_value).signum() == balance.signum();
                    *(if agrees { &mut right } else { &mut wrong }) += 1;
                }
            })
            .unwrap();
    }
    assert!(right > 100 && right > 10 * wrong, "{right} right, {wrong} wrong");
}

#[test]
fn the_number_of_threads_and_the_time_of_day_change_nothing() {
    let evaluator = || Hashed { seed: 3 };
    let one = play(&job(settings()), 0..30, 1, evaluator);
    assert_eq!(one, play(&job(settings()), 0..30, 1, evaluator));
    assert_eq!(one, play(&job(settings()), 0..30, 3, evaluator));
    assert_eq!(one[10..], play(&job(settings()), 10..30, 2, evaluator), "a run that goes on");
    for pair in one.windows(2) {
        assert_ne!(pair[0].plies, pair[1].plies);
    }
    let other = Job { seed: 8, ..job(settings()) };
    assert_ne!(one[0].plies, play(&other, 0..1, 1, evaluator)[0].plies);
}

#[test]
fn seeds_of_games_differ() {
    let seeds: std::collections::BTreeSet<u64> =
        (0..10).flat_map(|run| (0..1000).map(move |game| game_seed(run, game))).collect();
    assert_eq!(seeds.len(), 10_000);
}

#[test]
fn the_natural_limit_grows_with_the_run() {
    let limit = Schedule { start: 60, end: 120, over_positions: 1000 };
    for (positions, plies) in [(0, 60), (500, 90), (1000, 120), (u64::MAX, 120)] {
        assert_eq!(limit.at(positions), plies);
    }
    let short = Schedule { start: 10, end: 30, over_positions: 1000 };
    let settings = Settings { natural_limit_plies: short, random_plies: 0, ..settings() };
    let longest_quiet = |positions| {
        let job = Job { positions, ..job(settings.clone()) };
        let quiet = |record: &GameRecord| {
            let mut game = Game::new(record.start.clone(), Rules::default());
            let plies = record.plies.iter().map(|ply| {
                game.play(ply.mv).expect("a legal move");
                game.position().quiet_plies()
            });
            plies.max().unwrap_or(0)
        };
        play(&job, 0..20, 1, || Uniform).iter().map(quiet).max()
    };
    assert_eq!((longest_quiet(0), longest_quiet(1000)), (Some(10), Some(30)));
}

#[test]
fn searches_grow_with_the_run() {
    let grown = Settings {
        full_simulations: Schedule { start: 16, end: 48, over_positions: 1000 },
        cheap_simulations: Schedule { start: 4, end: 12, over_positions: 2000 },
        ..settings()
    };
    for (positions, full, cheap) in [(0, 16, 4), (500, 32, 6), (1000, 48, 8), (1_000_000, 48, 12)] {
        let job = Job { positions, ..job(grown.clone()) };
        let mut counts = [0; 2];
        for ply in play(&job, 0..4, 1, || Hashed { seed: 1 }).iter().flat_map(|record| &record.plies) {
            let wanted = if ply.policy.is_empty() { cheap } else { full };
            // A search ends early only when the result is certain.
            assert!(ply.simulations <= wanted);
            counts[usize::from(ply.policy.is_empty())] += u32::from(ply.simulations == wanted);
        }
        assert!(counts[0] > 30 && counts[1] > 30, "{counts:?}");
    }
}

#[test]
fn games_begin_where_the_shares_say() {
    let mut archive = Archive::new(1000);
    for record in play(&job(settings()), 0..60, 1, || Hashed { seed: 1 }) {
        archive.push(&record);
    }
    assert!(archive.counts()[0] >= 50, "{:?}", archive.counts());
    let classical: Vec<Vec<rules::Move>> = ["h2e2 h9g7", "b2e2 b9c7 h0g2"]
        .map(|moves| moves.split(' ').map(|mv| mv.parse().unwrap()).collect())
        .to_vec();
    let job = Job {
        archive: Arc::new(archive),
        classical: classical.clone().into(),
        ..job(Settings { archive_share: 0.3, classical_share: 0.2, ply_cap: 41, ..settings() })
    };
    let records = play(&job, 1000..1300, 2, || Uniform);
    let started_by = |by| records.iter().filter(move |record| record.started_by == by);
    for record in started_by(StartedBy::Archive) {
        assert!(record.plies[0].simulations > 0, "no random plies");
        assert_eq!(record.start.quiet_plies(), 0);
        record.check().unwrap();
    }
    for record in started_by(StartedBy::Classical) {
        let opening: Vec<_> =
            record.plies.iter().take_while(|ply| ply.simulations == 0).map(|ply| ply.mv).collect();
        assert!(classical.contains(&opening), "{opening:?}");
    }
    let (archived, classics) =
        (started_by(StartedBy::Archive).count(), started_by(StartedBy::Classical).count());
    // 300 games: 90 ± 8 and 60 ± 7.
    assert!((66..114).contains(&archived) && (39..81).contains(&classics), "{archived} {classics}");

    let nothing = Job { archive: Arc::new(Archive::new(1000)), classical: Arc::new([]), ..job };
    for record in play(&nothing, 1000..1050, 1, || Uniform) {
        assert!(!matches!(record.started_by, StartedBy::Archive | StartedBy::Classical));
    }
}

#[test]
fn what_is_switched_off_changes_no_game() {
    let usual = job(settings());
    let others = Job {
        settings: Settings {
            archive_games: 2,
            resignation: ResignationSettings {
                value: 1.0,
                plies: 2,
                full_search_share: 0.7,
                holdout_share: 0.7,
            },
            ..settings()
        },
        ..job(settings())
    };
    assert_eq!(play(&usual, 0..20, 1, || Material), play(&others, 0..20, 1, || Material));
}

/// Material decides many a game with thinned armies; half of those are played through.
#[test]
fn a_decided_game_goes_on_cheaply_or_as_before() {
    let resignation =
        ResignationSettings { value: 0.8, plies: 4, full_search_share: 0.0, holdout_share: 0.5 };
    let job = Job { scoring_weight: 0.25, ..job(Settings { resignation, ..settings() }) };
    let records = play(&job, 0..300, 2, || Material);
    let full = |record: &GameRecord, from: usize| {
        let plies = &record.plies[from..];
        (plies.iter().filter(|ply| !ply.policy.is_empty()).count(), plies.len())
    };
    let (mut cheap, mut through) = ((0, 0), (0, 0));
    let mut counts = [0; 2];
    for record in &records {
        record.check().unwrap();
        assert_eq!(record.scoring_weight.to_bits(), 0.25_f32.to_bits());
        assert_eq!(record.decided.map(|decided| usize::from(decided.ply)), decided_ply(record));
        let Some(decided) = record.decided else { continue };
        let sum = if decided.played_through { &mut through } else { &mut cheap };
        let (policies, plies) = full(record, decided.ply.into());
        (sum.0, sum.1) = (sum.0 + policies, sum.1 + plies);
        counts[usize::from(decided.played_through)] += 1;
    }
    assert!(counts[0] > 30 && counts[1] > 30, "{counts:?}");
    assert!(cheap.0 == 0 && cheap.1 > 100, "{cheap:?}");
    let share = through.0 as f64 / through.1 as f64;
    assert!((0.4..0.6).contains(&share), "{through:?}");

    let statistics = Statistics::of(&records).resignation;
    assert_eq!((statistics.decided, statistics.played_through), (counts[0] + counts[1], counts[1]));
    assert_eq!(statistics.decided_plies, (cheap.1 + through.1) as u64);
    assert!(statistics.mistaken <= statistics.played_through);
}

/// The first ply after four searches in a row that call the game won for the same side, by 0.8, if the game has one.
fn decided_ply(record: &GameRecord) -> Option<usize> {
    let red = |number: usize| {
        let ply = &record.plies[number];
        let sign = if number.is_multiple_of(2) == (record.start.turn() == Colour::Red) { 1.0 } else { -1.0 };
        if ply.simulations == 0 { 0.0 } else { sign * f32::from(ply.root_value) }
    };
    let least = f32::from(value_to_i16(0.8));
    (4..record.plies.len()).find(|&ply| {
        (ply - 4..ply).all(|before| red(before) >= least)
            || (ply - 4..ply).all(|before| red(before) <= -least)
    })
}

#[test]
fn a_stop_delivers_what_is_finished_up_to_the_first_gap() {
    let stop = AtomicBool::new(false);
    let mut numbers = Vec::new();
    play_games(
        &job(settings()),
        5..1_000_000,
        3,
        || Uniform,
        &stop,
        |record| {
            numbers.push(record.game);
            if numbers.len() == 10 {
                stop.store(true, Ordering::Relaxed);
            }
            Ok::<_, SelfPlayError>(())
        },
    )
    .unwrap();
    assert!(numbers.len() >= 10);
    assert_eq!(numbers, (5..5 + numbers.len() as u64).collect::<Vec<_>>());

    play_games(
        &job(settings()),
        0..9,
        3,
        || Uniform,
        &stop,
        |_| unreachable!("stopped before the first move"),
    )
    .unwrap_or_else(|error: SelfPlayError| panic!("{error}"));
    let mut search = Search::new(settings().search);
    assert_eq!(play_game(&job(settings()), 0, &mut search, &mut Uniform, || true).unwrap(), None);
}

#[test]
fn no_games_are_no_trouble() {
    assert_eq!(play(&job(settings()), 3..3, 4, || Uniform), []);
    assert_eq!(play(&job(settings()), 3..4, 0, || Uniform).len(), 1);
}

/// Fails at the 500th question of all threads together.
struct Failing<'a> {
    asked: &'a AtomicU32,
    panics: bool,
}

impl Evaluator for Failing<'_> {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Answer]) -> Result<(), EvaluatorError> {
        if self.asked.fetch_add(1, Ordering::Relaxed) >= 500 {
            assert!(!self.panics, "out of memory, or some such");
            return Err(EvaluatorError::Backend("no device".to_owned()));
        }
        Uniform.evaluate(queries, answers)
    }
}

#[test]
fn an_evaluator_that_fails_or_panics_ends_everything_with_its_error() {
    for (panics, message) in
        [(false, "evaluation failed: no device"), (true, "a self-play thread died: out of memory")]
    {
        let asked = AtomicU32::new(0);
        let stop = AtomicBool::new(false);
        let evaluator = || Failing { asked: &asked, panics };
        let error =
            play_games(&job(settings()), 0..1_000_000, 3, evaluator, &stop, |_| Ok::<_, SelfPlayError>(()))
                .unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn an_error_of_the_receiver_ends_everything_and_comes_back() {
    #[derive(Debug, PartialEq)]
    enum Error {
        DiskFull,
        Other(String),
    }
    impl From<SelfPlayError> for Error {
        fn from(error: SelfPlayError) -> Self {
            Self::Other(error.to_string())
        }
    }
    let stop = AtomicBool::new(false);
    let mut delivered = 0;
    let result = play_games(
        &job(settings()),
        0..1_000_000,
        3,
        || Uniform,
        &stop,
        |_| {
            delivered += 1;
            if delivered == 3 { Err(Error::DiskFull) } else { Ok(()) }
        },
    );
    assert_eq!((result, delivered), (Err(Error::DiskFull), 3));
}
