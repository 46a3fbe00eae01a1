//! The window gives back what was recorded, forgets whole games, draws evenly and stays small.

mod common;

use evaluator::{Situation, Wdl, material_balance};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use replay::{FULL_TARGET, GameRecord, PlyRecord, Row, Window, draw_from_u8, value_from_i16};
use rules::{Colour, Game, Outcome, Rules};
use std::collections::BTreeMap;

const HORIZON_PLIES: f32 = 8.0;

/// Games and a window that holds them all.
fn filled(games: u64) -> (Vec<GameRecord>, Window) {
    let games: Vec<_> = (0..games).map(|number| common::game(number, 160)).collect();
    let mut window = Window::new(1_000_000, HORIZON_PLIES);
    for game in &games {
        window.push(game).expect("a game in order");
    }
    (games, window)
}

#[test]
fn every_searched_ply_is_a_row_with_what_was_recorded_of_it() {
    let (records, window) = filled(30);
    let mut index = 0;
    for record in &records {
        let mut game = Game::new(record.start.clone(), Rules::default());
        for (number, ply) in record.plies.iter().enumerate() {
            if ply.simulations > 0 {
                check_row(&window.row(index), record, number, &game, ply);
                index += 1;
            }
            game.play(ply.mv).unwrap();
        }
        let balance = material_balance(game.position(), Colour::Red);
        assert_eq!(i32::from(window.row(index - 1).game().final_balance), balance);
    }
    assert_eq!(index, window.len());
}

fn check_row(row: &Row<'_>, record: &GameRecord, number: usize, game: &Game, ply: &PlyRecord) {
    assert_eq!((row.game().game, usize::from(row.ply())), (record.game, number));
    assert_eq!((row.game().outcome, row.game().reason), (record.outcome, record.reason));
    assert_eq!((row.game().scoring_weight, row.game().decided), (record.scoring_weight, record.decided));
    let cheap = record.decided.filter(|decided| !decided.played_through);
    assert_eq!(row.is_decided(), cheap.is_some_and(|decided| usize::from(decided.ply) <= number));
    assert_eq!(usize::from(row.plies_to_end()), record.plies.len() - number);
    assert_eq!((&row.position(), row.situation()), (game.position(), Situation::of(game)));
    assert_eq!(
        (row.turn(), row.position().quiet_plies()),
        (game.position().turn(), game.position().quiet_plies())
    );
    assert_eq!(row.simulations(), ply.simulations);
    assert_eq!(row.kl().is_some(), !ply.policy.is_empty());
    if let Some(kl) = row.kl() {
        assert!((kl - ply.kl).abs() <= ply.kl / 256.0, "{kl}, recorded {}", ply.kl);
    }

    let result = match record.outcome {
        Outcome::Draw => 0,
        Outcome::Win(winner) => {
            if winner == game.position().turn() {
                1
            } else {
                -1
            }
        }
    };
    assert_eq!(row.result(), result);
    let sign = if game.position().turn() == Colour::Red { 1 } else { -1 };
    assert_eq!(row.final_balance(), sign * row.game().final_balance);

    let target = |mv| ply.policy.iter().find(|entry| entry.mv == mv).map_or(0, |entry| entry.target);
    let legal = game.position().legal_moves();
    let policy: Vec<u16> = row.policy(legal.len()).collect();
    assert_eq!(row.has_policy(), !ply.policy.is_empty());
    if ply.policy.is_empty() {
        assert_eq!(policy, []);
    } else {
        assert_eq!(policy, legal.iter().map(|&mv| target(mv)).collect::<Vec<_>>());
        assert_eq!(policy.iter().map(|&share| u32::from(share)).sum::<u32>(), u32::from(FULL_TARGET));
    }

    let mut expected = (0.0, 0.0, 0.0);
    let mut weight = 1.0;
    for ply in &record.plies[number..] {
        if ply.simulations > 0 {
            let (value, draw) = (value_from_i16(ply.root_value), draw_from_u8(ply.root_draw));
            // The view changes with the ply.
            expected =
                (expected.0 + weight * value, expected.1 + weight.abs() * draw, expected.2 + weight.abs());
        }
        weight *= -HORIZON_PLIES / (1.0 + HORIZON_PLIES);
    }
    let expected = Wdl::from_value(expected.0 / expected.2, expected.1 / expected.2);
    let found = row.short_horizon();
    let near = |a: f32, b: f32| (a - b).abs() < 1e-4;
    assert!(
        near(found.value(), expected.value()) && near(found.draw, expected.draw),
        "{found:?}, {expected:?}"
    );
}

#[test]
fn the_last_mover_of_a_game_that_ends_in_mate_has_won_it() {
    let (records, window) = filled(300);
    let mut mates = 0;
    for index in 0..window.len() {
        let row = window.row(index);
        if row.game().reason.name() == "checkmate" {
            mates += usize::from(row.plies_to_end() == 1);
            assert_eq!(row.result(), if row.plies_to_end() % 2 == 1 { 1 } else { -1 });
        }
    }
    let expected = records.iter().filter(|record| record.reason.name() == "checkmate").count();
    assert!(expected > 0);
    assert_eq!(mates, expected);
}

/// All rows of `window` are the latest of `larger`.
fn assert_latest_rows(window: &Window, larger: &Window) {
    let offset = larger.len() - window.len();
    for index in 0..window.len() {
        let (row, same) = (window.row(index), larger.row(offset + index));
        assert_eq!((row.game(), row.ply(), row.position()), (same.game(), same.ply(), same.position()));
        let legal = row.position().legal_moves().len();
        assert!(row.policy(legal).eq(same.policy(legal)) && row.short_horizon() == same.short_horizon());
        assert_eq!(window.surprise(index), larger.surprise(offset + index));
    }
}

#[test]
fn the_oldest_games_leave_whole() {
    let (records, everything) = filled(60);
    let mut window = Window::new(1000, HORIZON_PLIES);
    for record in &records {
        window.push(record).unwrap();
        assert!(window.len() <= 1000);
        assert_eq!(window.games().last().unwrap().game, record.game);
        let oldest = window.games().next().unwrap().game;
        for index in [0, window.len() / 2, window.len() - 1] {
            assert!(window.row(index).game().game >= oldest);
        }
    }
    assert_eq!(window.rows_seen(), everything.len() as u64);
    assert_latest_rows(&window, &everything);
    let mut counts = BTreeMap::new();
    for index in 0..window.len() {
        *counts.entry(window.surprise(index).number()).or_insert(0) += 1;
    }
    assert!(window.surprises().map(|(surprise, rows)| (surprise.number(), rows)).eq(counts));
    // One more game of any length would not have fitted.
    let first = window.games().next().unwrap().game as usize;
    let rows = |record: &GameRecord| record.plies.iter().filter(|ply| ply.simulations > 0).count();
    assert!(window.len() + rows(&records[first - 1]) > 1000);
}

#[test]
fn the_newest_game_stays_whatever_its_length() {
    let mut window = Window::new(0, HORIZON_PLIES);
    for number in 1..4 {
        let game = common::game(number, 50);
        window.push(&game).unwrap();
        assert!(!window.is_empty());
        let mut alone = Window::new(0, HORIZON_PLIES);
        alone.push(&game).unwrap();
        assert_eq!(window.len(), alone.len());
        assert_latest_rows(&window, &alone);
        assert!(window.games().map(|facts| facts.game).eq([number]));
    }
}

#[test]
fn games_out_of_order_and_impossible_games_are_refused() {
    let (records, mut window) = filled(3);
    let before = window.len();
    let error = window.push(&records[2]).unwrap_err();
    assert_eq!(error.to_string(), "game 2 comes after game 2: the window takes games by ascending number");
    let mut record = common::game(3, 50);
    record.plies.swap(0, 20);
    assert!(window.push(&record).unwrap_err().to_string().starts_with("game 3: ply 0: "));
    assert_eq!(window.len(), before);
    window.push(&common::game(3, 50)).unwrap();
}

#[test]
fn a_game_without_a_search_is_no_row() {
    let mut window = Window::new(100, HORIZON_PLIES);
    let mut record = common::game(1, 0);
    window.push(&record).unwrap();
    record.game = 2;
    window.push(&record).unwrap();
    assert!(window.is_empty() && window.games().len() == 0);
}

/// Chi-square over the rows: its mean is the degrees of freedom n − 1, its standard deviation √(2 (n − 1)).
#[test]
fn all_rows_are_drawn_alike() {
    let (_, window) = filled(4);
    let mut counts = vec![0_u32; window.len()];
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let expected = 200.0;
    for _ in 0..200 * window.len() {
        counts[window.sample(&mut rng)] += 1;
    }
    let chi_square: f64 = counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
    let freedom = (window.len() - 1) as f64;
    assert!((chi_square - freedom).abs() < 4.0 * (2.0 * freedom).sqrt(), "{chi_square} of {freedom}");
}

/// Also when there are fewer than are asked for ahead, and after games have left.
#[test]
fn several_rows_are_the_rows_one_by_one() {
    let mut window = Window::new(1000, HORIZON_PLIES);
    for number in 0..40 {
        window.push(&common::game(number, 160)).unwrap();
    }
    assert!(window.rows_seen() > 1000);
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for count in [0, 1, 7, 8, 9, 16, 31, 32, 33, 300] {
        let mut indices: Vec<usize> = (0..count).map(|_| window.sample(&mut rng)).collect();
        indices.extend([0, window.len() - 1, 0].iter().take(count));
        let rows: Vec<Row<'_>> = window.rows(&indices).collect();
        assert_eq!(rows.len(), indices.len());
        for (row, &index) in rows.iter().zip(&indices) {
            let expected = window.row(index);
            assert_eq!((row.game(), row.ply(), row.kl()), (expected.game(), expected.ply(), expected.kl()));
            assert_eq!(row.position(), expected.position());
            let legal = row.position().legal_moves().len();
            assert!(row.policy(legal).eq(expected.policy(legal)));
            assert_eq!(row.short_horizon(), expected.short_horizon());
        }
    }
}

#[test]
fn a_row_takes_at_most_100_bytes() {
    let (_, window) = filled(200);
    let bytes = window.bytes() as f64 / window.len() as f64;
    assert!(bytes <= 100.0, "{bytes:.1} bytes a row");
}

#[test]
fn the_next_row_is_that_of_the_next_ply() {
    let (_, window) = filled(30);
    let mut followed = 0;
    for index in 0..window.len() {
        let row = window.row(index);
        let expected = (index + 1..window.len())
            .map(|index| window.row(index))
            .find(|next| next.game() == row.game() && next.ply() == row.ply() + 1);
        let (found, expected) = (row.next(), expected);
        assert_eq!(found.map(|next| next.position()), expected.map(|next| next.position()));
        followed += usize::from(found.is_some());
    }
    assert!(followed > window.len() / 2);
}

#[test]
fn no_row_follows_the_last_of_a_game_or_one_before_a_pause() {
    let (first, mut second) = (common::game(1, 10), common::game(2, 20));
    // The second game's searches begin one ply after the first game's end, and there is a pause among them.
    for ply in (0..10).chain([12]) {
        second.plies[ply] = PlyRecord::unsearched(second.plies[ply].mv);
    }
    let mut window = Window::new(100, HORIZON_PLIES);
    window.push(&first).unwrap();
    let of_first = window.len();
    window.push(&second).unwrap();
    let plies = |row: Row<'_>| (row.ply(), row.next().map(|next| next.ply()));
    let found = |rows: std::ops::Range<usize>| rows.map(|index| plies(window.row(index))).collect::<Vec<_>>();
    assert_eq!(found(of_first - 2..of_first), [(8, Some(9)), (9, None)]);
    assert_eq!(found(of_first..of_first + 3), [(10, Some(11)), (11, None), (13, Some(14))]);
}

/// A window that grew as games came in holds what one of the last size holds that took in everything at once, so long
/// as it never grew by more than what came in.
#[test]
fn a_window_that_grew_is_the_same_as_one_filled_anew() {
    let (records, _) = filled(60);
    let (mut grown, mut anew) = (Window::new(300, HORIZON_PLIES), Window::new(0, HORIZON_PLIES));
    for record in &records {
        let rows = record.plies.iter().filter(|ply| ply.simulations > 0).count();
        grown.set_capacity(grown.capacity() + rows / 3);
        grown.push(record).unwrap();
    }
    anew.set_capacity(grown.capacity());
    for record in &records {
        anew.push(record).unwrap();
    }
    assert_eq!(grown.len(), anew.len());
    assert_latest_rows(&grown, &anew);
    assert!(grown.games().eq(anew.games()) && grown.games().len() > 1 && grown.len() < grown.capacity());
}
