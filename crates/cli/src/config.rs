//! Configuration in layers: `configs/default.toml` (compiled in, names every key), a file, `--set` flags.
//!
//! A later layer may only change keys that the first one has, and only to values of the same type; what a value may
//! be beyond its type, the settings themselves know ([`Config::check`]).

use anyhow::{Context as _, anyhow, bail};
use pipeline::Config;
use std::path::Path;
use toml::{Table, Value};

/// The first layer and the reference: every key with unit, range and meaning.
const DEFAULT: &str = include_str!("../../../configs/default.toml");

/// Reads the layers and checks the result.
pub(crate) fn load(file: Option<&Path>, sets: &[String]) -> anyhow::Result<Config> {
    let mut layers = default_layer();
    if let Some(path) = file {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let layer = text.parse().map_err(|error| not_toml(&text, &error));
        let layer: Table = layer.with_context(|| format!("in {}", path.display()))?;
        merge(&mut layers, layer, "").with_context(|| format!("in {}", path.display()))?;
    }
    for set in sets {
        merge(&mut layers, parse_set(set)?, "").with_context(|| format!("in --set {set}"))?;
    }
    let config: Config = Value::Table(layers)
        .try_into()
        .map_err(|error: toml::de::Error| anyhow!("{}", error.to_string().trim().replace('\n', " ")))?;
    config.check()?;
    Ok(config)
}

/// What the reader says in several lines with a picture, in one.
fn not_toml(text: &str, error: &toml::de::Error) -> anyhow::Error {
    let start = error.span().map_or(0, |span| span.start);
    let line = 1 + text.bytes().take(start).filter(|&byte| byte == b'\n').count();
    anyhow!("line {line}: {}", error.message())
}

fn default_layer() -> Table {
    DEFAULT.parse().expect("configs/default.toml is TOML: a test reads it")
}

/// `key=value`, the value in TOML; a word that is no TOML is taken as text.
fn parse_set(set: &str) -> anyhow::Result<Table> {
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

fn collect_keys(table: &Table, prefix: &str, keys: &mut Vec<String>) {
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
            load(Some(&path), &[]).unwrap_or_else(|error| panic!("{}: {error:#}", path.display()));
            count += 1;
        }
        assert!(count >= 3, "default, laptop, ci");
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
    }
}
