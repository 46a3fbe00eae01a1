//! Match files: what was played, pair by pair, so that a match goes on after a kill.

use crate::match_identity::{Entrant, MatchIdentity, Terms, identity_of};
use crate::paired_match::{MatchSettings, opening_of};
use crate::record::PairRecord;
use crate::replayed::{check_pair, opening_moves};
use serde::{Deserialize, Serialize};
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
///
/// What is read is not believed: the games are played again by the match's rules, and what doesn't fit (a move, an
/// outcome or reason that the board decides, a name, an opening) is refused with its line.
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
    /// It is a device, a pipe or a folder, which can't be gone on with.
    #[error("{path}: want a file, or a name that isn't there yet")]
    NoFile {
        /// What it is.
        path: PathBuf,
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
    /// A line is damaged, or holds what can't have been played.
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
    /// Opens the file of a match between A and B, or begins it. A file of another match is refused.
    pub fn open(
        path: &Path,
        settings: &MatchSettings,
        entrants: [&Entrant; 2],
    ) -> Result<(Self, Found), MatchFileError> {
        refuse_devices(path)?;
        let identity = identity_of(settings, entrants);
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
            compare(path, &header.r#match, &identity)?;
            check_openings(path, &pairs, settings)?;
        }
        let is_torn = whole < bytes.len();
        file.set_len(whole as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let mut opened = Self { path: path.to_owned(), file, next: pairs.len() as u32 };
        if header.is_none() {
            opened.write(&Header { meihua_match: VERSION, r#match: identity })?;
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

/// Reads a match file that may still be growing: its whole pairs.
pub fn read_match(path: &Path) -> Result<Vec<PairRecord>, MatchFileError> {
    let bytes = fs::read(path).map_err(|source| MatchFileError::Io { path: path.to_owned(), source })?;
    let Contents { header, pairs, .. } = read(path, &bytes)?;
    if header.is_none() {
        return Err(MatchFileError::Header {
            path: path.to_owned(),
            problem: "the file is empty".to_owned(),
        });
    }
    Ok(pairs)
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
    let terms = Terms::read(&header.r#match).map_err(wrong)?;
    let pairs = lines.map(|(index, line)| {
        let wrong = |problem| MatchFileError::Line { path: path.to_owned(), line: index + 1, problem };
        let pair: PairRecord = serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
        if pair.number as usize != index - 1 {
            return Err(wrong(format!("pair {}, want pair {}", pair.number, index - 1)));
        }
        check_pair(&pair, &terms).map_err(wrong)?;
        Ok(pair)
    });
    let pairs = pairs.collect::<Result<_, _>>()?;
    Ok(Contents { header: Some(header), pairs, whole })
}

/// Did the pairs start as the match's seed says?
fn check_openings(path: &Path, pairs: &[PairRecord], settings: &MatchSettings) -> Result<(), MatchFileError> {
    // The first line is the header.
    for (pair, line) in pairs.iter().zip(2..) {
        let (drawn, _) = opening_of(settings, pair.number);
        for game in &pair.games {
            if (&game.start, opening_moves(game)) != (&drawn.start, &drawn.moves) {
                let problem = format!("pair {} doesn't start with its opening", pair.number);
                return Err(MatchFileError::Line { path: path.to_owned(), line, problem });
            }
        }
    }
    Ok(())
}

/// Some of them can be read without end.
fn refuse_devices(path: &Path) -> Result<(), MatchFileError> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(MatchFileError::NoFile { path: path.to_owned() }),
        // Whatever else may be wrong shows when it is opened.
        _ => Ok(()),
    }
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

    fn entrant(name: &str) -> Entrant {
        Entrant { name: name.to_owned(), what: name.to_owned() }
    }

    fn open(path: &Path, settings: &MatchSettings) -> Result<(MatchFile, Found), MatchFileError> {
        MatchFile::open(path, settings, [&entrant("depth-1"), &entrant("random")])
    }

    /// Plays a match into a file, at most so many pairs of it.
    fn play(path: &Path, pairs: usize) -> (Found, MatchResult) {
        let (mut file, found) = open(path, &settings()).unwrap();
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
        assert_eq!(read_match(&path).unwrap().len(), 6);
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
        let error = |settings: &MatchSettings| open(&path, settings).unwrap_err().to_string();
        assert!(
            error(&MatchSettings { seed: 6, ..settings() })
                .ends_with(": holds another match: its seed is 5, not 6")
        );
        let other = MatchFile::open(&path, &settings(), [&entrant("depth-1"), &entrant("greedy")]);
        assert!(
            other.unwrap_err().to_string().ends_with(": holds another match: its b is random, not greedy")
        );
        let book = MatchSettings { openings: Book::masters().into(), ..settings() };
        assert!(error(&book).contains("its openings is 4 to 8 random plies, not 373 of a book, hash "));
        assert_eq!(fs::read(&path).unwrap(), bytes);
        let longer = MatchSettings { pairs: 9, threads: 1, ..settings() };
        let (_file, found) = open(&path, &longer).unwrap();
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
            let error = open(&path, &settings()).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
        }
        fs::write(&path, "a").unwrap();
        assert!(open(&path, &settings()).is_err());
        fs::write(&path, "").unwrap();
        assert!(read_match(&path).unwrap_err().to_string().ends_with("the file is empty"));
    }

    /// The games of a file, each changed by itself: no change is believed.
    #[test]
    fn edited_games_are_refused_with_their_line() {
        type Edit = fn(&mut serde_json::Value);
        let edits: [(&str, Edit, &[&str]); 8] = [
            (
                "another outcome",
                |game| game["outcome"] = if game["outcome"] == "red" { "black" } else { "red" }.into(),
                &["outcome = red: want ", "outcome = black: want "],
            ),
            ("a draw", |game| game["outcome"] = "draw".into(), &["outcome = draw: want "]),
            (
                "another reason",
                |game| game["reason"] = "repetition-chase".into(),
                &["reason = repetition-chase: want"],
            ),
            (
                "a reason that the board can't see",
                |game| game["reason"] = "time".into(),
                &["reason = time: want "],
            ),
            ("another name", |game| game["red"] = "depth-8".into(), &["red = depth-8: want "]),
            (
                "exchanged names",
                |game| {
                    let red = game["red"].take();
                    game["red"] = std::mem::replace(&mut game["black"], red);
                },
                &["red = depth-1: want random", "red = random: want depth-1"],
            ),
            (
                "a move less",
                |game| {
                    let moves = game["moves"].as_str().unwrap();
                    game["moves"] = moves[..moves.rfind(' ').unwrap()].into();
                    let notes = game["notes"].as_array_mut().unwrap();
                    notes.pop();
                },
                &["reason = "],
            ),
            (
                "a shorter opening",
                |game| {
                    game["opening_plies"] = (game["opening_plies"].as_u64().unwrap() - 1).into();
                    game["notes"].as_array_mut().unwrap().push("+0.00".into());
                },
                &["its games have different openings"],
            ),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        play(&path, 6);
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let mut refused = 0;
        for line in 1..lines.len() {
            for game in 0..2 {
                for (what, edit, problems) in edits {
                    let mut pair: serde_json::Value = serde_json::from_str(lines[line]).unwrap();
                    let before = pair.clone();
                    edit(&mut pair["games"][game]);
                    if pair == before {
                        continue;
                    }
                    let mut edited = lines.clone();
                    let pair = pair.to_string();
                    edited[line] = &pair;
                    let edited = edited.join("\n") + "\n";
                    fs::write(&path, &edited).unwrap();
                    for error in [open(&path, &settings()).unwrap_err(), read_match(&path).unwrap_err()] {
                        let error = error.to_string();
                        let place = format!("file line {}: ", line + 1);
                        let fits = problems.iter().any(|problem| error.contains(problem));
                        assert!(fits && error.contains(&place), "{what}: {error}");
                    }
                    assert_eq!(fs::read_to_string(&path).unwrap(), edited, "it is left as it is");
                    refused += 1;
                }
            }
        }
        // A drawn game can't be made one.
        assert!(90 < refused, "{refused}");
        fs::write(&path, &text).unwrap();
        assert_eq!(open(&path, &settings()).unwrap().1.pairs.len(), 6);
    }

    /// Both games of a pair moved to another opening: only who knows the seed sees it.
    #[test]
    fn pairs_from_another_opening_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("file"), folder.path().join("other"));
        play(&path, 2);
        let seed = MatchSettings { seed: 6, ..settings() };
        drop(open(&other, &seed).unwrap());
        let first = fs::read_to_string(&other).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&other, first + &text[text.find('\n').unwrap() + 1..]).unwrap();
        assert_eq!(read_match(&other).unwrap().len(), 2);
        let error = open(&other, &seed).unwrap_err().to_string();
        assert!(error.ends_with("other line 2: pair 0 doesn't start with its opening"), "{error}");
    }

    #[test]
    fn adjudicated_games_are_judged_again() {
        let adjudication = crate::Adjudication {
            win: Some(crate::WinRule { centipawns: 300, moves: 2 }),
            draw: Some(crate::DrawRule { centipawns: 0, moves: 2, from_move: 5 }),
            longest_plies: None,
        };
        let settings = MatchSettings { adjudication, pairs: 8, ..settings() };
        let entrants = [&entrant("depth-2"), &entrant("depth-1")];
        let player = |name: &str| name.parse::<Baseline>().unwrap().player();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let (mut file, _) = MatchFile::open(&path, &settings, entrants).unwrap();
        let result = continue_match(
            &settings,
            &[],
            || player("depth-2"),
            || player("depth-1"),
            &AtomicBool::new(false),
            |pair, _| {
                file.add(pair).unwrap();
                ControlFlow::Continue(())
            },
        );
        let adjudicated = result.unwrap().reasons.count(crate::EndReason::Adjudication);
        assert!(4 < adjudicated, "{adjudicated}");
        assert_eq!(read_match(&path).unwrap().len(), 8);
        let text = fs::read_to_string(&path).unwrap();
        // By other terms, or none, the same games end otherwise.
        for (good, bad) in [("300 centipawns, 2 moves", "none"), ("300 centipawns, 2", "200 centipawns, 1")] {
            fs::write(&path, text.replacen(good, bad, 1)).unwrap();
            let error = read_match(&path).unwrap_err().to_string();
            assert!(error.contains("adjudication"), "{error}");
        }
    }

    /// A device has no end, and takes nothing.
    #[test]
    #[cfg(unix)]
    fn devices_and_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for path in [Path::new("/dev/full"), Path::new("/dev/zero"), folder.path()] {
            let error = open(path, &settings()).unwrap_err().to_string();
            assert_eq!(error, format!("{}: want a file, or a name that isn't there yet", path.display()));
        }
    }
}
