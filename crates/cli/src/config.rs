//! Configuration in layers: `configs/default.toml` (compiled in, names every key), a file, `--set` flags.
//!
//! A later layer may only change keys that the first one has, and only to values of the same type; what a value may
//! be beyond its type, the settings themselves know ([`Config::check`]).

use crate::explain::meaning;
use anyhow::{Context as _, anyhow, bail};
use pipeline::Config;
use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};

/// The first layer and the reference: every key with unit, range and meaning.
pub(crate) const DEFAULT: &str = include_str!("../../../configs/default.toml");

/// All layers as one, and where each value comes from.
#[derive(Debug)]
pub(crate) struct Layers {
    /// All keys with the values in force.
    pub(crate) table: Table,
    /// By path ("section.key"), for the values that are not the default: the last layer that changed it.
    pub(crate) origins: BTreeMap<String, String>,
}

/// Reads the layers and checks the result.
pub(crate) fn load(file: Option<&Path>, sets: &[String]) -> anyhow::Result<Config> {
    read(file, sets)?.config()
}

impl Layers {
    /// The settings, checked.
    pub(crate) fn config(&self) -> anyhow::Result<Config> {
        let config: Config =
            Value::Table(self.table.clone()).try_into().map_err(|error| not_a_value(&error))?;
        config.check()?;
        Ok(config)
    }

    fn add(&mut self, layer: Table, origin: &str) -> anyhow::Result<()> {
        let (before, default) = (self.table.clone(), default_layer());
        merge(&mut self.table, layer, "")?;
        let mut keys = Vec::new();
        collect_keys(&default, "", &mut keys);
        for key in keys {
            let now = value(&self.table, &key);
            if now == value(&default, &key) {
                self.origins.remove(&key);
            } else if now != value(&before, &key) {
                self.origins.insert(key, origin.to_owned());
            }
        }
        Ok(())
    }
}

/// Reads the layers; a key that there is and a value of its type are all that is checked.
pub(crate) fn read(file: Option<&Path>, sets: &[String]) -> anyhow::Result<Layers> {
    let mut layers = Layers { table: default_layer(), origins: BTreeMap::new() };
    if let Some(path) = file {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let layer = text.parse().map_err(|error| not_toml(&text, &error));
        let layer: Table = layer.with_context(|| format!("in {}", path.display()))?;
        let name = path.display().to_string();
        layers.add(layer, &name).with_context(|| format!("in {name}"))?;
    }
    for set in sets {
        layers.add(parse_set(set)?, "flag").with_context(|| format!("in --set {set}"))?;
    }
    Ok(layers)
}

/// What the reader says in several lines with a picture, in one.
fn not_toml(text: &str, error: &toml::de::Error) -> anyhow::Error {
    let start = error.span().map_or(0, |span| span.start);
    let line = 1 + text.bytes().take(start).filter(|&byte| byte == b'\n').count();
    anyhow!("line {line}: {}", error.message())
}

/// A value that its type can't hold, such as a number below 0, with what the key means and may be.
fn not_a_value(error: &toml::de::Error) -> anyhow::Error {
    let text = error.to_string().trim().replace('\n', " ");
    let number = text.strip_prefix("invalid value: integer ");
    let key = number.and_then(|text| text.rsplit_once("in `")?.1.strip_suffix('`'));
    // Of what stands in a list, the list's.
    let meaning = key.and_then(|key| meaning(key).or_else(|| meaning(key.rsplit_once('.')?.0)));
    match meaning {
        Some(meaning) => anyhow!("{text}: {}", meaning.replace('\n', " ")),
        None => anyhow!("{text}"),
    }
}

fn default_layer() -> Table {
    DEFAULT.parse().expect("configs/default.toml is TOML: a test reads it")
}

/// The value at a path ("section.key"), which must be there.
pub(crate) fn value<'a>(table: &'a Table, path: &str) -> &'a Value {
    let mut parts = path.split('.');
    let first = &table[parts.next().unwrap_or_default()];
    parts.fold(first, |value, part| &value[part])
}

/// `key=value`, the value in TOML; a word that is no TOML is taken as text.
pub(crate) fn parse_set(set: &str) -> anyhow::Result<Table> {
    let wrong = || anyhow!("--set {set:?}: want key=value, such as selfplay.ply_cap=200");
    // A second line would be a second setting.
    let Some((key, value)) = set.split_once('=').filter(|_| !set.contains('\n')) else {
        return Err(wrong());
    };
    let (key, value) = (key.trim(), value.trim());
    let parsed: Result<Table, _> =
        format!("{key} = {value}").parse().or_else(|_| format!("{key} = {value:?}").parse());
    // The reader's own words show a picture of several lines.
    parsed.ok().ok_or_else(wrong)
}

/// Lays `layer` over `base`; both stand at `prefix` ("" or "section.").
fn merge(base: &mut Table, layer: Table, prefix: &str) -> anyhow::Result<()> {
    for (key, value) in layer {
        let path = format!("{prefix}{key}");
        let Some(slot) = base.get_mut(&key) else {
            bail!("unknown key {path}{}", suggestion(&path));
        };
        match (slot, value) {
            (Value::Table(inner), Value::Table(layer)) => merge(inner, layer, &format!("{path}."))?,
            (slot @ Value::Float(_), Value::Integer(whole)) => *slot = Value::Float(whole as f64),
            (slot, value) if slot.same_type(&value) => *slot = value,
            (slot, value) => bail!("{path} = {value}: want {}, such as {slot}", type_name(slot)),
        }
    }
    Ok(())
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a section",
    }
}

/// " (did you mean …?)" with the known key that is nearest, whatever section the writer put it in.
fn suggestion(unknown: &str) -> String {
    let mut known = Vec::new();
    collect_keys(&default_layer(), "", &mut known);
    let last = |path: &str| path.rsplit('.').next().unwrap_or_default().to_owned();
    let distance = |path: &str| {
        strsim::damerau_levenshtein(path, unknown)
            .min(strsim::damerau_levenshtein(&last(path), &last(unknown)))
    };
    let nearest =
        known.iter().min_by_key(|path| (distance(path), strsim::damerau_levenshtein(path, unknown)));
    nearest.map_or_else(String::new, |path| format!(" (did you mean {path}?)"))
}

/// The paths ("section.key") of all keys.
pub(crate) fn collect_keys(table: &Table, prefix: &str, keys: &mut Vec<String>) {
    for (key, value) in table {
        let path = format!("{prefix}{key}");
        match value {
            Value::Table(inner) => collect_keys(inner, &format!("{path}."), keys),
            _ => keys.push(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(set: &str) -> String {
        format!("{:#}", load(None, &[set.to_owned()]).unwrap_err())
    }

    #[test]
    fn default_toml_is_the_default_and_names_every_key() {
        let mut named = Vec::new();
        collect_keys(&default_layer(), "", &mut named);
        let mut keys = Vec::new();
        let all = Table::try_from(Config::default()).unwrap();
        collect_keys(&all, "", &mut keys);
        named.sort();
        keys.sort();
        assert_eq!(named, keys);
        assert_eq!(load(None, &[]).unwrap(), Config::default());
    }

    #[test]
    fn every_shipped_configuration_loads() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with("learning.toml") {
                continue;
            }
            load(Some(&path), &[]).unwrap_or_else(|error| panic!("{}: {error:#}", path.display()));
            count += 1;
        }
        assert!(count >= 3, "default, laptop, ci");
    }

    #[test]
    fn every_arm_of_the_learning_table_is_a_configuration() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/learning.toml");
        let table: Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
        let arms = table["arms"].as_table().unwrap();
        assert!(arms.len() >= 20);
        for (name, settings) in arms {
            let sets: Vec<String> =
                settings.as_table().unwrap().iter().map(|(key, value)| format!("{key}={value}")).collect();
            load(None, &sets).unwrap_or_else(|error| panic!("{name}: {error:#}"));
        }
    }

    #[test]
    fn an_unknown_key_is_an_error_that_names_the_nearest() {
        assert_eq!(
            error("selfplay.ply_kap=200"),
            "in --set selfplay.ply_kap=200: unknown key selfplay.ply_kap (did you mean selfplay.ply_cap?)"
        );
        assert!(error("train.ply_cap=200").contains("did you mean selfplay.ply_cap?"));
    }

    #[test]
    fn a_value_of_another_type_is_an_error() {
        assert!(error("selfplay.ply_cap=many").contains("want a whole number"));
        assert!(error("selfplay=3").contains("want a section"));
        assert!(error("nonsense").contains("want key=value"));
    }

    #[test]
    fn a_file_that_is_no_toml_is_named_with_the_line() {
        let text = "[net]\nhidden = 64\n[train\n";
        let error = text.parse::<Table>().unwrap_err();
        assert_eq!(not_toml(text, &error).to_string(), "line 3: unclosed table, expected `]`");
    }

    #[test]
    fn a_value_out_of_range_is_an_error() {
        assert!(error("selfplay.ply_cap=0").contains("selfplay.ply_cap"));
        // These no type can hold.
        for (set, range) in [
            ("run.seed=-1", "0 to 9223372036854775807"),
            ("rules.folds=1000000000", "2 to 9"),
            ("net.growth=[{ positions = -5, hidden = 256 }]", "positions from 1"),
        ] {
            let error = error(set);
            assert!(error.contains(range) && error.contains(set.split_once('=').unwrap().0), "{error}");
        }
    }
}
