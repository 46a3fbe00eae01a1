//! The run folder: where everything of a run lies. No other crate knows these paths.
//!
//! ```text
//! manifest.json               who made this run, from what, on what
//! config.toml                 the resolved configuration
//! state.json                  where the loop stands; its replacement is the moment a step is done
//! timings.json                what the generation in progress has taken
//! lock                        held while a process works on the run
//! log.txt                     the generations' lines and all warnings
//! games/g000012.parquet       the games of generation 12
//! games/parts/g000012-003.parquet     some of them, while the generation is being played
//! nets/g000012.safetensors    the net that generation 12 promoted (generation 0 is the start); of those that are no
//!                             longer among the newest champions only every tenth generation's stays
//! snapshots/g000012.safetensors       the trainer after generation 12, whole; the newest three
//! matches/g000012.json        the gate of generation 12, game by game
//! generations/g000012.json    the generation's figures
//! events/                     TensorBoard
//! faulty-batch.safetensors    the batch that gave no number, if one did
//! */set-aside/                files that were damaged
//! ```

use crate::error::PipelineError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// A run folder that this process holds the lock of.
#[derive(Debug)]
pub struct RunFolder {
    root: PathBuf,
    /// Unlocked by the system when the file is closed, however the process ends.
    _lock: File,
}

/// Games in one file while a generation is being played: what a kill can cost.
pub(crate) const PART: usize = 32;

const FOLDERS: [&str; 7] = ["games", "games/parts", "nets", "snapshots", "matches", "generations", "events"];

impl RunFolder {
    /// Opens the folder, making it where it is missing, and takes its lock.
    pub fn open(root: &Path) -> Result<Self, PipelineError> {
        for folder in FOLDERS {
            let path = root.join(folder);
            fs::create_dir_all(&path).map_err(PipelineError::io("create folder", &path))?;
        }
        let path = root.join("lock");
        let mut lock = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(PipelineError::io("open", &path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Only for the message: without it the error is still clear.
                lock.read_to_string(&mut holder).unwrap_or_default();
                return Err(PipelineError::InUse {
                    folder: root.to_owned(),
                    process: holder.trim().to_owned(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(PipelineError::io("lock", &path)(error)),
        }
        write_process_id(&mut lock).map_err(PipelineError::io("write", &path))?;
        let folder = Self { root: root.to_owned(), _lock: lock };
        folder.sweep()?;
        Ok(folder)
    }

    /// Removes what a killed process was writing: files under a temporary name, `.` before and six letters behind
    /// the real one.
    fn sweep(&self) -> Result<(), PipelineError> {
        for folder in FOLDERS.map(|folder| self.root.join(folder)).iter().chain([&self.root]) {
            for entry in fs::read_dir(folder).map_err(PipelineError::io("read folder", folder))? {
                let path = entry.map_err(PipelineError::io("read folder", folder))?.path();
                if is_temporary(&path.file_name().unwrap_or_default().to_string_lossy()) {
                    remove_file(&path)?;
                }
            }
        }
        Ok(())
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.root.join("manifest.json")
    }

    /// The state of a run that somebody else may be working on.
    pub(crate) fn state_in(root: &Path) -> PathBuf {
        root.join("state.json")
    }

    /// A net of such a run.
    pub(crate) fn net_in(root: &Path, generation: u32) -> PathBuf {
        root.join(format!("nets/g{generation:06}.safetensors"))
    }

    /// The figures of such a run.
    pub(crate) fn generations_in(root: &Path) -> PathBuf {
        root.join("generations")
    }

    pub(crate) fn timings(&self) -> PathBuf {
        self.root.join("timings.json")
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    pub(crate) fn state(&self) -> PathBuf {
        Self::state_in(&self.root)
    }

    pub(crate) fn games(&self, generation: u32) -> PathBuf {
        self.root.join(format!("games/g{generation:06}.parquet"))
    }

    pub(crate) fn games_part(&self, generation: u32, part: usize) -> PathBuf {
        self.root.join(format!("games/parts/g{generation:06}-{part:03}.parquet"))
    }

    pub(crate) fn net(&self, generation: u32) -> PathBuf {
        Self::net_in(&self.root, generation)
    }

    pub(crate) fn snapshot(&self, generation: u32) -> PathBuf {
        self.root.join(format!("snapshots/g{generation:06}.safetensors"))
    }

    /// Where the trainer leaves a batch that it could not learn from.
    pub(crate) fn faulty_batch(&self) -> PathBuf {
        self.root.join("faulty-batch.safetensors")
    }

    pub(crate) fn matches(&self, generation: u32) -> PathBuf {
        self.root.join(format!("matches/g{generation:06}.json"))
    }

    pub(crate) fn generation(&self, generation: u32) -> PathBuf {
        self.root.join(format!("generations/g{generation:06}.json"))
    }

    pub(crate) fn events(&self) -> PathBuf {
        self.root.join("events")
    }

    /// The newest generation before this one that has a snapshot; 0 if there is none.
    pub(crate) fn snapshot_before(&self, generation: u32) -> u32 {
        (1..generation).rev().find(|&before| self.snapshot(before).exists()).unwrap_or(0)
    }

    /// How many shards lie set aside.
    pub(crate) fn shards_set_aside(&self) -> usize {
        let count = |folder: &str| fs::read_dir(self.root.join(folder)).map_or(0, Iterator::count);
        count("games/set-aside") + count("games/parts/set-aside")
    }

    /// Adds a line to the log.
    pub(crate) fn log(&self, line: &str) -> Result<(), PipelineError> {
        let path = self.root.join("log.txt");
        let file = File::options().append(true).create(true).open(&path);
        file.and_then(|mut file| writeln!(file, "{line}")).map_err(PipelineError::io("write", &path))
    }

    /// Moves a file that can't be used to `set-aside` beside it, where it is in nobody's way and not lost.
    pub(crate) fn set_aside(&self, path: &Path) -> Result<(), PipelineError> {
        let folder = path.parent().unwrap_or(&self.root).join("set-aside");
        fs::create_dir_all(&folder).map_err(PipelineError::io("create folder", &folder))?;
        let name = path.file_name().unwrap_or_default();
        let free = (1..=u32::MAX)
            .map(|copy| folder.join(format!("{}.{copy}", name.to_string_lossy())))
            .find(|free| !free.exists())
            .expect("some number is free");
        fs::rename(path, &free).map_err(PipelineError::io("set aside", path))
    }
}

/// The shards of a run folder or of any folder, in the order of their names; of a file, the file itself. What is set
/// aside or still being played lies in folders below and is not among them.
pub fn shards(path: &Path) -> Result<Vec<PathBuf>, PipelineError> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let games = path.join("games");
    let folder = if games.is_dir() { &games } else { path };
    let mut shards = Vec::new();
    for entry in fs::read_dir(folder).map_err(PipelineError::io("read folder", folder))? {
        let path = entry.map_err(PipelineError::io("read folder", folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".parquet") {
            shards.push(path);
        }
    }
    shards.sort();
    Ok(shards)
}

/// Is this how `atomic_write_file` names one of our files while it is written?
fn is_temporary(name: &str) -> bool {
    let parts = name.strip_prefix('.').and_then(|name| name.rsplit_once('.'));
    parts.is_some_and(|(ours, random)| {
        let endings = [".parquet", ".safetensors", ".json", ".toml"];
        endings.iter().any(|ending| ours.ends_with(ending))
            && random.len() == 6
            && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

fn write_process_id(lock: &mut File) -> io::Result<()> {
    lock.set_len(0)?;
    lock.rewind()?;
    writeln!(lock, "{}", std::process::id())
}

/// Writes a file whole or not at all.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), PipelineError> {
    let write = || {
        let mut file = atomic_write_file::AtomicWriteFile::open(path)?;
        file.write_all(bytes)?;
        file.commit()
    };
    write().map_err(PipelineError::io("write", path))
}

pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), PipelineError> {
    let mut text =
        serde_json::to_string_pretty(value).expect("our own types have text keys and finite depth");
    text.push('\n');
    write_file(path, text.as_bytes())
}

pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, PipelineError> {
    let text = fs::read_to_string(path).map_err(PipelineError::io("read", path))?;
    serde_json::from_str(&text)
        .map_err(|error| PipelineError::Damaged { path: path.to_owned(), what: error.to_string() })
}

/// Removes a file that may be gone already.
pub(crate) fn remove_file(path: &Path) -> Result<(), PipelineError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(PipelineError::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}
