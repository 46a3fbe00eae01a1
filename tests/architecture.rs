//! The house as it was drawn: reads the map (`crates/README.md`) and every manifest, and fails where they differ.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What may reach libtorch; all others build and test without it.
const ON_LIBTORCH: [&str; 5] = ["torch", "train", "pipeline", "web", "cli"];

/// A row of the map.
struct Room {
    floor: u32,
    may_use: BTreeSet<String>,
}

/// A crate as it is.
struct Found {
    folder: PathBuf,
    manifest: toml::Table,
    /// Names under `dependencies`, `dev-dependencies` and `build-dependencies`.
    uses: BTreeSet<String>,
}

#[test]
fn the_map_shows_every_crate_and_no_other() {
    let (map, found) = (map(), found());
    assert!(map.keys().eq(found.keys()), "map: {:?}\ncrates: {:?}", map.keys(), found.keys());
    for (folder, krate) in &found {
        let name = krate.manifest["package"]["name"].as_str();
        assert_eq!(name, Some(folder.as_str()), "a crate is named like its folder");
    }
}

#[test]
fn no_crate_uses_what_its_row_does_not_name() {
    let (map, found) = (map(), found());
    for (name, krate) in &found {
        let restricted = krate.uses.iter().filter(|used| map.contains_key(*used) || *used == "tch");
        let stray: Vec<_> = restricted.filter(|used| !map[name].may_use.contains(*used)).collect();
        assert!(stray.is_empty(), "{name} uses {stray:?}, which its row in crates/README.md does not name");
    }
}

#[test]
fn rows_name_lower_floors_only() {
    let map = map();
    for (name, room) in &map {
        for used in room.may_use.iter().filter(|used| *used != "tch") {
            let below = map.get(used).unwrap_or_else(|| panic!("{name} may use {used}, which is nowhere"));
            assert!(
                below.floor < room.floor,
                "{name} (floor {}) may use {used} ({})",
                room.floor,
                below.floor
            );
        }
    }
}

/// A crate on libtorch names `torch-sys` itself and has the build script that tells the linker where libtorch is;
/// without them its tests build but don't start.
#[test]
fn libtorch_is_reached_only_from_where_it_may_and_is_found_there() {
    let found = found();
    for (name, krate) in &found {
        let reaches = reaches(name, "tch", &found);
        assert!(!reaches || ON_LIBTORCH.contains(&name.as_str()), "{name} must not reach libtorch");
        assert_eq!(
            krate.uses.contains("torch-sys"),
            reaches,
            "{name}: torch-sys is named where tch is reached"
        );
        let script =
            krate.manifest["package"].get("build").and_then(toml::Value::as_str).unwrap_or("build.rs");
        assert_eq!(
            krate.folder.join(script).exists(),
            reaches,
            "{name}: the build script is there with libtorch"
        );
    }
}

#[test]
fn every_crate_says_what_it_is_and_keeps_the_common_rules() {
    for (name, krate) in found() {
        let roots = ["src/lib.rs", "src/main.rs"].map(|root| krate.folder.join(root));
        let roots: Vec<_> = roots.iter().filter(|root| root.exists()).collect();
        assert!(!roots.is_empty(), "{name} has neither src/lib.rs nor src/main.rs");
        for root in roots {
            assert!(read(root).starts_with("//! "), "{} opens with what it is: //! …", root.display());
        }
        let lints = krate.manifest.get("lints").and_then(|lints| lints.get("workspace")?.as_bool());
        assert_eq!(lints, Some(true), "{name}: [lints] workspace = true");
    }
}

fn reaches(from: &str, to: &str, found: &BTreeMap<String, Found>) -> bool {
    found.get(from).is_some_and(|krate| krate.uses.iter().any(|used| used == to || reaches(used, to, found)))
}

/// The rows `| floor | `crate` | what it is | may use |`.
fn map() -> BTreeMap<String, Room> {
    let text = read(&root().join("crates/README.md"));
    let map: BTreeMap<_, _> = text.lines().filter_map(room).collect();
    assert!(!map.is_empty(), "the map has no rows");
    map
}

fn room(line: &str) -> Option<(String, Room)> {
    let cells: Vec<_> = line.trim().strip_prefix('|')?.split('|').map(str::trim).collect();
    let &[floor, name, _, may_use, _] = cells.as_slice() else { return None };
    let plain = |word: &str| word.trim().trim_matches(['`', '*', '–']).to_owned();
    let may_use = may_use.split(',').map(plain).filter(|word| !word.is_empty()).collect();
    Some((plain(name), Room { floor: floor.parse().ok()?, may_use }))
}

fn found() -> BTreeMap<String, Found> {
    let entries = fs::read_dir(root().join("crates")).expect("the folder of the crates");
    let folders = entries.map(|entry| entry.expect("an entry of the folder").path());
    folders.filter(|folder| folder.is_dir()).map(look).collect()
}

fn look(folder: PathBuf) -> (String, Found) {
    let manifest: toml::Table = read(&folder.join("Cargo.toml")).parse().expect("cargo reads it too");
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let tables = kinds.iter().filter_map(|kind| manifest.get(*kind)?.as_table());
    let uses = tables.flat_map(toml::Table::keys).cloned().collect();
    assert!(!manifest.contains_key("target"), "{}: dependencies are the same everywhere", folder.display());
    let name = folder.file_name().expect("below crates").to_string_lossy().into_owned();
    (name, Found { folder, manifest, uses })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
