//! Settings come back from their text, and wrong ones are refused by name.

use selfplay::{ResignationSettings, Schedule, Settings};

#[test]
fn settings_come_back_from_their_text() {
    let settings = Settings::default();
    settings.check().unwrap();
    let text = toml::to_string(&settings).unwrap();
    assert_eq!(toml::from_str::<Settings>(&text).unwrap(), settings);
    let error = toml::from_str::<Settings>(&format!("ply_kap = 3\n{text}")).unwrap_err();
    assert!(error.to_string().contains("unknown field `ply_kap`"), "{error}");
}

#[test]
fn values_out_of_range_are_refused_by_name_value_and_range() {
    let limit = Schedule { start: 0, ..Schedule::constant(60) };
    let resignation = ResignationSettings { value: 0.05, ..ResignationSettings::default() };
    let search = search::Settings { c_visit: -1.0, ..search::Settings::default() };
    for (settings, message) in [
        (
            Settings { full_simulations: Schedule::constant(0), ..Settings::default() },
            "full_simulations.start = 0: want 1 to 10000",
        ),
        (
            Settings {
                cheap_simulations: Schedule { over_positions: 0, ..Schedule::constant(8) },
                ..Settings::default()
            },
            "cheap_simulations.over_positions = 0: want 1 to 10000000000",
        ),
        (
            Settings { archive_share: 0.75, classical_share: 0.5, ..Settings::default() },
            "classical_share = 0.5: want 0 to 0.25",
        ),
        (Settings { archive_games: 1, ..Settings::default() }, "archive_games = 1: want 2 to 100000"),
        (Settings { resignation, ..Settings::default() }, "resignation.value = 0.05: want 0.1 to 1"),
        (
            Settings { full_search_share: f32::NAN, ..Settings::default() },
            "full_search_share = NaN: want 0 to 1",
        ),
        (Settings { ply_cap: 0, ..Settings::default() }, "ply_cap = 0: want 41 to 10000"),
        (
            Settings { natural_limit_plies: limit, ..Settings::default() },
            "natural_limit_plies.start = 0: want 9 to 1000",
        ),
        (Settings { search, ..Settings::default() }, "search.c_visit = -1: want 0 to 1000"),
    ] {
        assert_eq!(settings.check().unwrap_err().to_string(), message);
    }
}
