//! Which files hold the games that a command line names.

use crate::progress::complain;
use anyhow::{Context as _, bail};
use notation::Format;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A file of games.
#[derive(Debug)]
pub(crate) struct Source {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Its path below the folder that was named; of a file that was named itself, its name.
    pub(crate) below: PathBuf,
    /// What it is.
    pub(crate) kind: Kind,
}

/// What a file of games is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A shard of a run.
    Shard,
    /// Records of other programs.
    Records,
}

/// The ending of a shard.
const SHARD: &str = "parquet";
/// How a shard begins.
const SHARD_MAGIC: &[u8; 4] = b"PAR1";
/// The ending of tables, of games or of something else.
const TABLE: &str = "tsv";
/// Within so many bytes the names of its columns are.
const TABLE_HEAD_BYTES: u64 = 1 << 20;
/// The endings of records.
const RECORDS: [&str; 11] =
    ["pgn", "txt", "html", "htm", "ubb", "dhtmlxq", "xqf", "cbr", "cbl", "cbf", TABLE];

/// The files that are named and those in the folders that are named, in the order of their names. In a folder the
/// ending says what is a file of games, and of a table its columns; how many others there are is said. Of a run only
/// the shards are taken.
pub(crate) fn sources(inputs: &[PathBuf]) -> anyhow::Result<Vec<Source>> {
    let mut found = Found::default();
    for input in inputs {
        let metadata = fs::metadata(input).with_context(|| format!("cannot read {}", input.display()))?;
        if metadata.is_dir() {
            found.walk(input, input)?;
        } else {
            let kind = kind_of(input)?;
            let below = PathBuf::from(input.file_name().unwrap_or(input.as_os_str()));
            found.sources.push(Source { path: input.clone(), below, kind });
        }
    }
    if let Some(first) = found.others.first() {
        let (count, first) = (found.others.len(), first.display());
        complain(&format!(
            "left out: {count} files that are no games, by their endings or columns, such as {first}"
        ));
    }
    Ok(found.sources)
}

/// The same where there must be some.
pub(crate) fn some_sources(inputs: &[PathBuf]) -> anyhow::Result<Vec<Source>> {
    let sources = sources(inputs)?;
    if sources.is_empty() {
        let inputs = inputs.iter().map(|input| input.display().to_string()).collect::<Vec<_>>().join(", ");
        let endings = RECORDS.join(", .");
        bail!(
            "no games in {inputs}: want files that end in .{endings} (with a column named moves), .{SHARD}"
        );
    }
    Ok(sources)
}

#[derive(Default)]
struct Found {
    sources: Vec<Source>,
    /// Files in folders that are no games by their endings, or tables of something else.
    others: Vec<PathBuf>,
}

impl Found {
    fn walk(&mut self, folder: &Path, root: &Path) -> anyhow::Result<()> {
        if is_run(folder) {
            for path in pipeline::shards(folder)? {
                self.add(path, root, Kind::Shard);
            }
            return Ok(());
        }
        for path in entries(folder)? {
            let name = path.file_name().unwrap_or_default();
            if name.to_string_lossy().starts_with('.') {
                continue;
            }
            // A link to a folder could lead round in a circle.
            if path.is_dir() {
                let is_unfinished = name == "parts" && folder.file_name() == Some(OsStr::new("games"));
                if !path.is_symlink() && !is_unfinished {
                    self.walk(&path, root)?;
                }
            } else if path.is_file() {
                match kind_by_ending(&path) {
                    Some(kind) if !is_other_table(&path) => self.add(path, root, kind),
                    _ => self.others.push(path),
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, path: PathBuf, root: &Path, kind: Kind) {
        let below = path.strip_prefix(root).unwrap_or(&path).to_owned();
        self.sources.push(Source { path, below, kind });
    }
}

fn is_run(folder: &Path) -> bool {
    folder.join("games").is_dir() && folder.join("state.json").is_file()
}

fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let what = || format!("cannot read folder {}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).with_context(what)? {
        paths.push(entry.with_context(what)?.path());
    }
    paths.sort();
    Ok(paths)
}

/// Is it a table, but none of games? What can't be read may be one: whoever reads it says so.
fn is_other_table(path: &Path) -> bool {
    ending(path).as_deref() == Some(TABLE)
        && beginning(path, TABLE_HEAD_BYTES).is_ok_and(|bytes| Format::of(&bytes) != Format::Tsv)
}

/// The first bytes of a file.
fn beginning(path: &Path, bytes: u64) -> anyhow::Result<Vec<u8>> {
    let mut read = Vec::new();
    let opened = File::open(path).and_then(|file| file.take(bytes).read_to_end(&mut read));
    opened.with_context(|| format!("cannot read {}", path.display()))?;
    Ok(read)
}

fn ending(path: &Path) -> Option<String> {
    Some(path.extension()?.to_string_lossy().to_ascii_lowercase())
}

fn kind_by_ending(path: &Path) -> Option<Kind> {
    match ending(path)?.as_str() {
        SHARD => Some(Kind::Shard),
        ending if RECORDS.contains(&ending) => Some(Kind::Records),
        _ => None,
    }
}

/// What a file is that was named itself: the content says what the ending doesn't.
fn kind_of(path: &Path) -> anyhow::Result<Kind> {
    if let Some(kind) = kind_by_ending(path) {
        return Ok(kind);
    }
    // What is no plain file, such as a pipe, can be read only once.
    if !path.is_file() {
        return Ok(Kind::Records);
    }
    Ok(if beginning(path, 4)? == SHARD_MAGIC { Kind::Shard } else { Kind::Records })
}
