//! What is written comes back, and nothing else is taken for it.

mod common;

use proptest::prelude::*;
use replay::{Decided, EndReason, GameRecord, PlyRecord, RecordError, ShardError, read_shard, write_shard};
use rules::{Colour, Outcome, Reason};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that goes away and a path in it.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("games.parquet");
    (folder, path)
}

fn games(count: u64) -> Vec<GameRecord> {
    (0..count).map(|number| common::game(number, 160)).collect()
}

/// Equality of positions leaves the counters out; records must agree in them too.
fn assert_same(found: &[GameRecord], expected: &[GameRecord]) {
    assert_eq!(found, expected);
    let fens = |records: &[GameRecord]| records.iter().map(|record| record.start.fen()).collect::<Vec<_>>();
    assert_eq!(fens(found), fens(expected));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn games_come_back(
        first in 0_u64..1 << 40,
        count in 0_u64..6,
        most_plies in 0_usize..200,
        seed in any::<u64>(),
        feature_version in any::<u32>(),
    ) {
        let (_folder, path) = place();
        let mut games: Vec<_> = (first..first + count).map(|number| common::game(number, most_plies)).collect();
        for game in &mut games {
            (game.seed, game.feature_version, game.run) = (seed, feature_version, format!("梅花 {seed}"));
        }
        write_shard(&path, &games).unwrap();
        assert_same(&read_shard(&path).unwrap(), &games);
    }
}

#[test]
fn a_thousand_games_take_several_pages_and_come_back() {
    let (_folder, path) = place();
    let games = games(1000);
    write_shard(&path, &games).unwrap();
    assert_same(&read_shard(&path).unwrap(), &games);
}

#[test]
fn the_same_games_give_the_same_bytes_and_no_other_file_is_left() {
    let (folder, path) = place();
    write_shard(&path, &games(20)).unwrap();
    let first = fs::read(&path).unwrap();
    write_shard(&path, &games(20)).unwrap();
    assert!(fs::read(&path).unwrap() == first);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_shard_cut_off_anywhere_is_refused() {
    let (_folder, path) = place();
    write_shard(&path, &games(3)).unwrap();
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        if length % 97 == 0 || length < 8 || whole.len() - length < 80 {
            refuses(&path, &whole[..length]);
        }
    }
}

#[test]
fn a_shard_with_any_byte_changed_is_refused() {
    let (_folder, path) = place();
    write_shard(&path, &games(2)).unwrap();
    let whole = fs::read(&path).unwrap();
    let mut changed = whole.clone();
    for at in 0..whole.len() {
        if at % 97 == 0 || at < 8 || whole.len() - at < 80 {
            changed[at] ^= 1 << (at % 8);
            refuses(&path, &changed);
            changed[at] = whole[at];
        }
    }
    changed.push(0);
    refuses(&path, &changed);
}

fn refuses(path: &Path, contents: &[u8]) {
    fs::write(path, contents).expect("a writable folder");
    let error = read_shard(path).expect_err("a damaged file").to_string();
    assert!(error.starts_with(&path.display().to_string()), "{error}");
}

#[test]
fn a_shard_of_another_version_says_both_versions() {
    let (_folder, path) = place();
    write_shard(&path, &games(1)).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let magic = replay::MAGIC.as_bytes();
    let seal = bytes.windows(magic.len()).position(|bytes| bytes == magic).unwrap();
    bytes[seal + magic.len()] = 9;
    fs::write(&path, bytes).unwrap();
    let error = read_shard(&path).unwrap_err();
    assert!(matches!(error, ShardError::Version { found: 9, .. }));
    assert!(error.to_string().ends_with("games in format 9, this program reads format 2"), "{error}");
}

#[test]
fn other_files_and_none_are_refused() {
    let (_folder, path) = place();
    assert!(matches!(read_shard(&path), Err(ShardError::Io { .. })));
    for contents in [&b""[..], b"PAR1", b"PAR1PAR1", b"PAR1\x00\x00\x00\x00PAR1", b"{\"games\": []}"] {
        refuses(&path, contents);
    }
}

#[test]
fn games_that_nobody_can_have_played_are_neither_written_nor_read() {
    type Spoil = fn(&mut GameRecord);
    let spoilt: [(Spoil, &str); 12] = [
        (|game| game.plies[0].mv = game.plies[1].mv, "is not legal in"),
        (|game| game.outcome = Outcome::Win(Colour::Red), "ends with red, ply-cap after 60 plies"),
        (|game| game.reason = EndReason::Rules(Reason::Checkmate), "says unfinished"),
        (|game| game.plies[40].kl = f32::NAN, "kl is NaN"),
        (|game| game.plies[40].root_value = i16::MIN, "root value -32768"),
        (|game| with_policy(game).policy[0].target ^= 1, "the policy adds up to"),
        (|game| with_policy(game).policy[1].mv = "a0b1".parse().unwrap(), "names a0b1, which is not legal"),
        (|game| with_policy(game).simulations = 0, "no simulations"),
        (|game| game.scoring_weight = f32::NAN, "scoring_weight is NaN, want 0 to 1"),
        (|game| game.scoring_weight = 1.5, "scoring_weight is 1.5"),
        (|game| game.decided = Some(decided(60)), "decided at ply 60 of 60: want 1 and more"),
        (|game| game.decided = Some(decided(0)), "decided at ply 0 of 60"),
    ];
    for (spoil, message) in spoilt {
        let (_folder, path) = place();
        let mut game = common::game(1, 60);
        game.check().unwrap();
        spoil(&mut game);
        let error = write_shard(&path, &[common::game(0, 9), game]).unwrap_err();
        assert!(matches!(&error, ShardError::Record { row: 1, .. }));
        assert!(error.to_string().contains(message), "{error}");
        assert!(!path.exists());
    }
    let mut game = common::game(1, 60);
    game.plies[0] = PlyRecord::unsearched(game.plies[0].mv);
    game.decided = Some(decided(1));
    assert!(
        matches!(game.check(), Err(RecordError::Decided { ply: 1, plies: 60 })),
        "nobody searched before"
    );
    let mut game = common::game(1, 60);
    let policy = &mut with_policy(&mut game).policy;
    policy[0].mv = policy[1].mv;
    assert!(matches!(game.check(), Err(RecordError::DoubleTarget { .. })));
}

const fn decided(ply: u16) -> Decided {
    Decided { ply, played_through: true }
}

fn with_policy(game: &mut GameRecord) -> &mut PlyRecord {
    game.plies.iter_mut().find(|ply| !ply.policy.is_empty()).expect("a ply with a policy")
}

/// Whichever occurrence the rules judge, a game that ends by repetition ends there and not before.
#[test]
fn a_repetition_may_be_judged_at_any_occurrence() {
    let there_and_back =
        ["h0g2", "h9g7", "g2h0", "g7h9"].map(|mv| PlyRecord::unsearched(mv.parse().unwrap()));
    for rounds in 1..6 {
        let mut game = common::game(0, 0);
        game.plies = there_and_back.iter().cloned().cycle().take(4 * rounds).collect();
        game.reason = EndReason::Rules(Reason::RepetitionDraw);
        game.check().unwrap();
        game.plies.pop();
        assert_eq!(game.check().is_ok(), rounds > 1, "the position of three plies before has been there too");
        game.plies.truncate(3);
        assert!(game.check().unwrap_err().to_string().ends_with("but the position there says unfinished"));
        game.reason = EndReason::Rules(Reason::RepetitionCheck);
        assert!(game.check().is_err());
    }
}
