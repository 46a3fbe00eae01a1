//! Match files: what was played, pair by pair, so that a match goes on after a kill.

use crate::adjudication::Adjudication;
use crate::opening::Openings;
use crate::paired_match::MatchSettings;
use crate::record::PairRecord;
use rules::{Material, Rules};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// A match file, open for more pairs. Only one process at a time has it open.
///
/// JSON lines: the first one says which match this is, each other is a [`PairRecord`], in the order of their numbers
/// from 0.
///
/// ```json
/// {"meihua_match":1,"match":{"a":"depth-1","b":"random","seed":"7", ...}}
/// {"number":0,"games":[{"pair":0,"red":"depth-1", ...},{...}]}
/// ```
///
/// Each pair is on the disk before [`MatchFile::add`] returns. A kill while a line is written leaves a torn last line,
/// which is cut off when the file is opened again, and its pair played again.
#[derive(Debug)]
pub struct MatchFile {
    path: PathBuf,
    file: File,
    next: u32,
}

/// What a match file held when it was opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Its whole pairs.
    pub pairs: Vec<PairRecord>,
    /// A torn last line was cut off.
    pub is_torn: bool,
}

/// What makes two matches the same: names and values, in words. The number of pairs and of threads don't count, so a
/// match may be made longer.
pub type MatchIdentity = BTreeMap<String, String>;

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    meihua_match: u32,
    r#match: MatchIdentity,
}

/// The format's version.
const VERSION: u32 = 1;

/// What is wrong with a match file.
#[derive(Debug, thiserror::Error)]
pub enum MatchFileError {
    /// Reading or writing failed.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Another process writes to it.
    #[error("{path}: another match is being played into it")]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// It is no match file, or of another version.
    #[error("{path}: no match file of version {VERSION}: {problem}")]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// It belongs to another match.
    #[error("{path}: holds another match: its {key} is {theirs}, not {ours}")]
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// What differs.
        key: String,
        /// What the file has.
        theirs: String,
        /// What the match has.
        ours: String,
    },
    /// A line in the middle is damaged.
    #[error("{path} line {line}: {problem}")]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

impl MatchFile {
    /// Opens the file of a match, or begins it. A file of another match is refused.
    pub fn open(path: &Path, identity: &MatchIdentity) -> Result<(Self, Found), MatchFileError> {
        let failed = |source| MatchFileError::Io { path: path.to_owned(), source };
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = options.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(MatchFileError::InUse { path: path.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let Contents { header, pairs, whole } = read(path, &bytes)?;
        if let Some(header) = &header {
            compare(path, &header.r#match, identity)?;
        }
        let is_torn = whole < bytes.len();
        file.set_len(whole as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let mut opened = Self { path: path.to_owned(), file, next: pairs.len() as u32 };
        if header.is_none() {
            opened.write(&Header { meihua_match: VERSION, r#match: identity.clone() })?;
            sync_folder(path).map_err(failed)?;
        }
        Ok((opened, Found { pairs, is_torn }))
    }

    /// Adds the next pair, unless it is in the file already. When this returns the pair is on the disk.
    pub fn add(&mut self, pair: &PairRecord) -> Result<(), MatchFileError> {
        if pair.number < self.next {
            return Ok(());
        }
        assert_eq!(pair.number, self.next, "pairs are handed over in order");
        self.write(pair)?;
        self.next += 1;
        Ok(())
    }

    fn write(&mut self, value: &impl Serialize) -> Result<(), MatchFileError> {
        let line = serde_json::to_string(value).expect("texts and numbers are JSON") + "\n";
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|source| MatchFileError::Io { path: self.path.clone(), source })
    }
}

/// Reads a match file that may still be growing: which match it is, and its whole pairs.
pub fn read_match(path: &Path) -> Result<(MatchIdentity, Vec<PairRecord>), MatchFileError> {
    let bytes = fs::read(path).map_err(|source| MatchFileError::Io { path: path.to_owned(), source })?;
    let Contents { header, pairs, .. } = read(path, &bytes)?;
    let header = header.ok_or_else(|| MatchFileError::Header {
        path: path.to_owned(),
        problem: "the file is empty".to_owned(),
    })?;
    Ok((header.r#match, pairs))
}

/// What makes a match with these settings what it is. Who the players are, the caller adds.
pub fn identity_of(settings: &MatchSettings) -> MatchIdentity {
    // Every setting must be looked at here.
    let MatchSettings { pairs: _, threads: _, seed, openings, rules, adjudication } = settings;
    let openings = match openings {
        Openings::Random(settings) => {
            format!("{} to {} random plies", settings.plies_min, settings.plies_max)
        }
        Openings::Book(book) => {
            let mut hash = Sha256::new();
            book.lines().for_each(|line| hash.update(line + "\n"));
            let hash = hash.finalize();
            let hash = hash.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
            format!("{} of a book, hash {hash:016x}", book.openings().len())
        }
    };
    let Rules { rule_set, folds, natural_limit_plies, check_cap, material } = rules;
    let limit = natural_limit_plies.map_or("none".to_owned(), |plies| plies.to_string());
    let cap = check_cap.map_or("none".to_owned(), |checks| checks.to_string());
    let material = match material {
        Material::Strict => "strict",
        Material::Extended => "extended",
    };
    let Adjudication { win, draw } = adjudication;
    let win =
        win.map_or("none".to_owned(), |rule| format!("{} centipawns, {} moves", rule.centipawns, rule.moves));
    let draw = draw.map_or("none".to_owned(), |rule| {
        format!("{} centipawns, {} moves, from move {}", rule.centipawns, rule.moves, rule.from_move)
    });
    let entries = [
        ("seed", seed.to_string()),
        ("openings", openings),
        ("rule set", rule_set.name().to_owned()),
        ("folds", folds.to_string()),
        ("natural limit", limit),
        ("check cap", cap),
        ("material", material.to_owned()),
        ("adjudicated wins", win),
        ("adjudicated draws", draw),
    ];
    entries.map(|(key, value)| (key.to_owned(), value)).into()
}

struct Contents {
    /// None in an empty file.
    header: Option<Header>,
    pairs: Vec<PairRecord>,
    /// The bytes of whole lines.
    whole: usize,
}

fn read(path: &Path, bytes: &[u8]) -> Result<Contents, MatchFileError> {
    // A line is whole with its end; what comes after the last is what a kill left.
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    let mut lines = bytes[..whole].split_inclusive(|&byte| byte == b'\n').enumerate();
    let Some((_, first)) = lines.next() else {
        // Without a line it must at least be the start of one of ours.
        let start = br#"{"meihua_match":"#;
        let is_ours = bytes.iter().zip(start).all(|(byte, expected)| byte == expected);
        let problem = "no first line".to_owned();
        return if is_ours {
            Ok(Contents { header: None, pairs: Vec::new(), whole })
        } else {
            Err(MatchFileError::Header { path: path.to_owned(), problem })
        };
    };
    let wrong = |problem| MatchFileError::Header { path: path.to_owned(), problem };
    let header: Header = serde_json::from_slice(first).map_err(|error| wrong(error.to_string()))?;
    if header.meihua_match != VERSION {
        return Err(wrong(format!("version {}", header.meihua_match)));
    }
    let pairs = lines.map(|(index, line)| {
        let wrong = |problem| MatchFileError::Line { path: path.to_owned(), line: index + 1, problem };
        let pair: PairRecord = serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
        if pair.number as usize != index - 1 {
            return Err(wrong(format!("pair {}, want pair {}", pair.number, index - 1)));
        }
        Ok(pair)
    });
    let pairs = pairs.collect::<Result<_, _>>()?;
    Ok(Contents { header: Some(header), pairs, whole })
}

fn compare(path: &Path, theirs: &MatchIdentity, ours: &MatchIdentity) -> Result<(), MatchFileError> {
    let value =
        |identity: &MatchIdentity, key: &str| identity.get(key).map_or("nothing".to_owned(), Clone::clone);
    match theirs.keys().chain(ours.keys()).find(|&key| theirs.get(key) != ours.get(key)) {
        None => Ok(()),
        Some(key) => Err(MatchFileError::OtherMatch {
            path: path.to_owned(),
            key: key.clone(),
            theirs: value(theirs, key),
            ours: value(ours, key),
        }),
    }
}

/// Makes the new name last.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::Baseline;
    use crate::book::Book;
    use crate::paired_match::{MatchResult, continue_match};
    use std::ops::ControlFlow;
    use std::sync::atomic::AtomicBool;

    fn settings() -> MatchSettings {
        MatchSettings { pairs: 6, seed: 5, threads: 2, ..MatchSettings::default() }
    }

    /// Plays a match into a file, at most so many pairs of it.
    fn play(path: &Path, pairs: usize) -> (Found, MatchResult) {
        let (mut file, found) = MatchFile::open(path, &identity_of(&settings())).unwrap();
        let player = |name: &str| name.parse::<Baseline>().unwrap().player();
        let result = continue_match(
            &settings(),
            &found.pairs,
            || player("depth-1"),
            || player("random"),
            &AtomicBool::new(false),
            |pair, _| {
                file.add(pair).unwrap();
                if pair.number as usize + 1 == pairs {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        (found, result.unwrap())
    }

    /// A kill leaves any prefix of the file: from each the match ends as the uninterrupted one, byte for byte.
    #[test]
    fn a_match_goes_on_from_any_prefix_of_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("whole");
        let (found, whole) = play(&path, 6);
        assert_eq!((found.pairs.len(), found.is_torn), (0, false));
        let bytes = fs::read(&path).unwrap();
        let line_ends: Vec<usize> = (1..=bytes.len()).filter(|&end| bytes[end - 1] == b'\n').collect();
        assert_eq!(line_ends.len(), 7);
        let torn = [0, 1, 10, 100, bytes.len() - 1].into_iter();
        for length in torn.chain(line_ends.iter().flat_map(|&end| [end - 1, end, bytes.len().min(end + 7)])) {
            let path = folder.path().join("part");
            fs::write(&path, &bytes[..length]).unwrap();
            let (found, result) = play(&path, 6);
            let lines = line_ends.iter().filter(|&&end| end <= length).count();
            assert_eq!(found.pairs.len(), lines.saturating_sub(1), "{length} bytes");
            assert_eq!(found.is_torn, 0 < length && !line_ends.contains(&length), "{length} bytes");
            assert_eq!((&result, &fs::read(&path).unwrap()), (&whole, &bytes), "{length} bytes");
        }
        let (identity, pairs) = read_match(&path).unwrap();
        assert_eq!((identity, pairs.len()), (identity_of(&settings()), 6));
    }

    #[test]
    fn a_match_that_was_decided_stays_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let (_, decided) = play(&path, 4);
        let (found, again) = play(&path, 4);
        assert_eq!((found.pairs.len(), again), (4, decided));
    }

    #[test]
    fn a_file_of_another_match_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        play(&path, 2);
        let bytes = fs::read(&path).unwrap();
        let error = |settings: &MatchSettings| {
            MatchFile::open(&path, &identity_of(settings)).unwrap_err().to_string()
        };
        assert!(
            error(&MatchSettings { seed: 6, ..settings() })
                .ends_with(": holds another match: its seed is 5, not 6")
        );
        let book = MatchSettings { openings: Book::masters().into(), ..settings() };
        assert!(error(&book).contains("its openings is 4 to 8 random plies, not 373 of a book, hash "));
        assert_eq!(fs::read(&path).unwrap(), bytes);
        let longer = MatchSettings { pairs: 9, threads: 1, ..settings() };
        let (_file, found) = MatchFile::open(&path, &identity_of(&longer)).unwrap();
        assert_eq!(found.pairs.len(), 2);
        assert!(error(&settings()).ends_with("another match is being played into it"));
    }

    #[test]
    fn damage_is_named_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        play(&path, 3);
        let text = fs::read_to_string(&path).unwrap();
        for (good, bad, what) in [
            ("\"number\":1", "\"number\":7", " line 3: pair 7 has games of another"),
            ("{\"number\":1", "\"number\":1", " line 3: "),
            ("\"meihua_match\":1", "\"meihua_match\":2", "no match file of version 1: version 2"),
            ("{\"meihua", "<html>", "no match file of version 1: "),
        ] {
            let damaged = text.replacen(good, bad, 1);
            fs::write(&path, &damaged).unwrap();
            let error = MatchFile::open(&path, &identity_of(&settings())).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
        }
        fs::write(&path, "a").unwrap();
        assert!(MatchFile::open(&path, &identity_of(&settings())).is_err());
        fs::write(&path, "").unwrap();
        assert!(read_match(&path).unwrap_err().to_string().ends_with("the file is empty"));
    }
}
