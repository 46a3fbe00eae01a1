//! Every setting with its value, where that comes from, and what it means. The comments of `configs/default.toml` are
//! the meanings.

use crate::config::{DEFAULT, Layers, value};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use toml::Value;

/// All settings. Prints as a configuration file.
#[derive(Serialize, Debug)]
#[serde(transparent)]
pub(crate) struct Explanation(Vec<Setting>);

#[derive(Serialize, Debug)]
struct Setting {
    /// "section.key".
    key: String,
    value: Value,
    /// "default", a file, or "flag".
    origin: String,
    meaning: String,
}

/// Explains what is in force, section by section, if it is a configuration.
pub(crate) fn explain(layers: &Layers) -> anyhow::Result<Explanation> {
    layers.config()?;
    let settings = meanings(DEFAULT).into_iter().map(|(key, meaning)| Setting {
        value: value(&layers.table, &key).clone(),
        origin: layers.origins.get(&key).cloned().unwrap_or_else(|| "default".to_owned()),
        key,
        meaning,
    });
    Ok(Explanation(settings.collect()))
}

/// What a key ("section.key") means, and its range, as `configs/default.toml` says it.
pub(crate) fn meaning(key: &str) -> Option<String> {
    meanings(DEFAULT).into_iter().find(|(known, _)| known == key).map(|(_, meaning)| meaning)
}

/// Each key of a configuration file, in its order, with the comment above it. Keys in a row share their comment.
fn meanings(text: &str) -> Vec<(String, String)> {
    let (mut section, mut comment, mut is_comment) = (String::new(), Vec::new(), false);
    let mut found = Vec::new();
    for line in text.lines() {
        let was_comment = std::mem::replace(&mut is_comment, line.starts_with('#'));
        if let Some(words) = line.strip_prefix('#') {
            if !was_comment {
                comment.clear();
            }
            comment.push(words.strip_prefix(' ').unwrap_or(words));
        } else if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = format!("{name}.");
            comment.clear();
        } else if let Some((key, _)) = line.split_once(" = ") {
            found.push((format!("{section}{key}"), comment.join("\n")));
        }
    }
    found
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sections: BTreeMap<&str, ()> = BTreeMap::new();
        let mut meaning_before = "";
        for Setting { key, value, origin, meaning } in &self.0 {
            let (section, name) = key.rsplit_once('.').unwrap_or(("", key));
            if sections.insert(section, ()).is_none() {
                writeln!(f, "{}[{section}]", if sections.len() > 1 { "\n" } else { "" })?;
                meaning_before = "";
            }
            if meaning != meaning_before {
                meaning.lines().try_for_each(|line| writeln!(f, "# {line}"))?;
                meaning_before = meaning;
            }
            writeln!(f, "{name} = {value}  # {origin}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{collect_keys, read};
    use toml::Table;

    #[test]
    fn every_key_has_a_meaning() {
        let mut keys = Vec::new();
        collect_keys(&DEFAULT.parse().unwrap(), "", &mut keys);
        keys.sort();
        let mut explained = meanings(DEFAULT);
        for (key, meaning) in &explained {
            assert!(meaning.len() > 10, "{key}: {meaning}");
        }
        explained.sort();
        assert_eq!(explained.into_iter().map(|(key, _)| key).collect::<Vec<_>>(), keys);
    }

    #[test]
    fn comments_belong_to_the_keys_below_them() {
        let text =
            "# Of the file.\n\n[a]\n# One\n#   two.\nx = 1\ny = 2\n# Three.\nz = 3\n[a.b]\n# Four.\nx = 4\n";
        let expected =
            [("a.x", "One\n  two."), ("a.y", "One\n  two."), ("a.z", "Three."), ("a.b.x", "Four.")];
        assert_eq!(meanings(text), expected.map(|(key, meaning)| (key.to_owned(), meaning.to_owned())));
    }

    /// Printed and read again it is the same configuration.
    #[test]
    fn an_explanation_is_a_configuration_file() {
        let layers = read(None, &["run.seed=7".to_owned(), "arena.searcher.root=puct".to_owned()]).unwrap();
        let text = explain(&layers).unwrap().to_string();
        assert_eq!(text.parse::<Table>().unwrap(), layers.table);
        assert!(text.contains("seed = 7  # flag"), "{text}");
        assert!(text.contains("hidden = 128  # default"), "{text}");
    }

    /// Of a run's configuration, which names all keys, only what was changed is said to be from there.
    #[test]
    fn the_origin_is_the_last_layer_that_changed_the_default() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, "[run]\nseed = 1\nwindow_positions = 4000\n[net]\nhidden = 64\n").unwrap();
        let sets = ["net.hidden=32".to_owned(), "train.mirror=true".to_owned()];
        let origins = read(Some(&path), &sets).unwrap().origins;
        let expected = [("net.hidden", "flag"), ("run.window_positions", path.to_str().unwrap())];
        assert_eq!(origins, expected.map(|(key, origin)| (key.to_owned(), origin.to_owned())).into());
    }

    #[test]
    fn a_value_out_of_range_is_not_explained() {
        let layers = read(None, &["net.hidden=100".to_owned()]).unwrap();
        assert!(explain(&layers).unwrap_err().to_string().starts_with("net.hidden = 100: "));
    }
}
