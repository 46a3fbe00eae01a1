//! Shards: files of games. `FORMAT.md` describes them.
//!
//! A shard is a Parquet file that any reader opens. Between the columns and the footer, where Parquet lets bytes lie
//! that nobody refers to, stands a seal: magic word, format version, SHA-256 of everything else. It is looked at
//! before the Parquet reader sees a byte, so that a damaged file is an error and never a panic or a wrong game.

use crate::columns::{self, ColumnsError};
use crate::record::{GameRecord, RecordError};
use atomic_write_file::AtomicWriteFile;
use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The word that a seal begins with, and the key of the format version in the Parquet metadata.
pub const MAGIC: &str = "meihua-games";
/// The version of the format that is written, and the only one that is read.
pub const FORMAT_VERSION: u32 = 2;

/// Magic word, version, hash.
const SEAL_BYTES: usize = MAGIC.len() + 4 + 32;
/// Length of the footer, `PAR1`.
const TAIL_BYTES: usize = 8;
const PARQUET_MAGIC: &[u8; 4] = b"PAR1";

/// Why a shard can't be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// The file system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The shard.
        path: PathBuf,
        /// What it says.
        source: io::Error,
    },
    /// No shard at all.
    #[error("{}: not a file of games: {what}", path.display())]
    NotGames {
        /// The file.
        path: PathBuf,
        /// What is missing.
        what: &'static str,
    },
    /// A shard of another version.
    #[error("{}: games in format {found}, this program reads format {FORMAT_VERSION}", path.display())]
    Version {
        /// The shard.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A shard that is not as it was written.
    #[error("{}: damaged: the contents don't match their checksum", path.display())]
    Damaged {
        /// The shard.
        path: PathBuf,
    },
    /// Columns that can't be written or read.
    #[error("{}: {source}", path.display())]
    Parquet {
        /// The shard.
        path: PathBuf,
        /// What the library says.
        source: ParquetError,
    },
    /// Other columns than a shard has.
    #[error("{}: the columns are not those of format {FORMAT_VERSION}", path.display())]
    Columns {
        /// The shard.
        path: PathBuf,
    },
    /// A game that can't have been played.
    #[error("{}: row {row}: {source}", path.display())]
    Record {
        /// The shard.
        path: PathBuf,
        /// Which game of the shard, from 0.
        row: usize,
        /// What is wrong with it.
        source: RecordError,
    },
}

/// Writes games to a file, which appears whole or not at all: under a temporary name, flushed to the disk, renamed.
///
/// The same games give the same bytes. A file of that name is replaced. Refuses games that [`read_shard`] would
/// refuse.
pub fn write_shard(path: &Path, records: &[GameRecord]) -> Result<(), ShardError> {
    check(path, records)?;
    let metadata = vec![
        KeyValue::new(MAGIC.to_owned(), FORMAT_VERSION.to_string()),
        KeyValue::new("games".to_owned(), records.len().to_string()),
    ];
    let parquet = columns::encode(records, metadata)
        .map_err(|source| ShardError::Parquet { path: path.to_owned(), source })?;
    write_whole(path, &seal(&parquet)).map_err(|source| ShardError::Io { path: path.to_owned(), source })
}

/// Reads the games of a file and checks everything: version and checksum of the file, names, numbers and list
/// lengths, and that each game can have been played ([`GameRecord::check`]).
pub fn read_shard(path: &Path) -> Result<Vec<GameRecord>, ShardError> {
    let file = fs::read(path).map_err(|source| ShardError::Io { path: path.to_owned(), source })?;
    check_seal(path, &file)?;
    let records = columns::decode(Bytes::from(file)).map_err(|error| match error {
        ColumnsError::Parquet(source) => ShardError::Parquet { path: path.to_owned(), source },
        ColumnsError::Schema => ShardError::Columns { path: path.to_owned() },
        ColumnsError::Record { row, source } => ShardError::Record { path: path.to_owned(), row, source },
    })?;
    check(path, &records)?;
    Ok(records)
}

fn check(path: &Path, records: &[GameRecord]) -> Result<(), ShardError> {
    for (row, record) in records.iter().enumerate() {
        record.check().map_err(|source| ShardError::Record { path: path.to_owned(), row, source })?;
    }
    Ok(())
}

/// Puts the seal between columns and footer. Columns are found by their distance from the start and the footer by
/// its distance from the end, so both still are.
fn seal(parquet: &[u8]) -> Vec<u8> {
    let (columns, footer) = parquet.split_at(footer_start(parquet).expect("the writer wrote a footer"));
    let mut file = Vec::with_capacity(parquet.len() + SEAL_BYTES);
    file.extend_from_slice(columns);
    file.extend_from_slice(MAGIC.as_bytes());
    file.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    file.extend_from_slice(&hash(columns, footer));
    file.extend_from_slice(footer);
    file
}

fn check_seal(path: &Path, file: &[u8]) -> Result<(), ShardError> {
    let not_games = |what| ShardError::NotGames { path: path.to_owned(), what };
    if !file.starts_with(PARQUET_MAGIC) {
        return Err(not_games("it doesn't begin as Parquet does"));
    }
    let footer = footer_start(file).ok_or_else(|| not_games("it doesn't end as Parquet does; cut off?"))?;
    let (before, footer) = file.split_at(footer);
    let (columns, seal) = before
        .split_last_chunk::<SEAL_BYTES>()
        .filter(|(_, seal)| seal.starts_with(MAGIC.as_bytes()))
        .ok_or_else(|| not_games("it bears no seal"))?;
    let (version, sum) = seal[MAGIC.len()..].split_at(4);
    let found = u32::from_le_bytes(version.try_into().expect("four bytes"));
    if found != FORMAT_VERSION {
        return Err(ShardError::Version { path: path.to_owned(), found });
    }
    if sum != hash(columns, footer) {
        return Err(ShardError::Damaged { path: path.to_owned() });
    }
    Ok(())
}

fn hash(columns: &[u8], footer: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(columns).chain_update(footer).finalize().into()
}

/// Where the footer of a Parquet file begins, if the file ends in one.
fn footer_start(file: &[u8]) -> Option<usize> {
    let (rest, tail) = file.split_last_chunk::<TAIL_BYTES>()?;
    let (length, magic) = tail.split_at(4);
    let length = u32::from_le_bytes(length.try_into().expect("four bytes"));
    if magic == PARQUET_MAGIC { rest.len().checked_sub(length as usize) } else { None }
}

/// Under a temporary name in the same folder, file and folder flushed.
fn write_whole(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = AtomicWriteFile::open(path)?;
    file.write_all(contents)?;
    file.commit()
}
