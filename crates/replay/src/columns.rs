//! Records as Parquet columns and back. One row per game; lists hold one entry per ply.
//!
//! The `parquet` crate is used without Arrow, so the nesting is written out ([`Levels`]).

use crate::nesting::{ColumnReader, Levels};
use crate::record::{Decided, EndReason, GameRecord, PlyRecord, PolicyEntry, RecordError, StartedBy};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader as _, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, TypePtr};
use rules::{Move, Outcome, Position, RuleSet};
use std::sync::Arc;

/// The columns, in order.
const SCHEMA: &str = "
message games {
    required binary run (STRING);
    required int64 game (INTEGER(64, false));
    required int64 seed (INTEGER(64, false));
    required binary net (STRING);
    required binary rule_set (STRING);
    required int32 feature_version (INTEGER(32, false));
    required binary start_fen (STRING);
    required binary outcome (STRING);
    required binary reason (STRING);
    required int32 plies (INTEGER(16, false));
    required binary started_by (STRING);
    required float scoring_weight;
    optional int32 decided_ply (INTEGER(16, false));
    required boolean played_through;
    required group move (LIST) { repeated group list { required int32 element (INTEGER(16, false)); } }
    required group simulations (LIST) { repeated group list { required int32 element (INTEGER(16, false)); } }
    required group root_value (LIST) { repeated group list { required int32 element (INTEGER(16, true)); } }
    required group root_draw (LIST) { repeated group list { required int32 element (INTEGER(8, false)); } }
    required group kl (LIST) { repeated group list { required float element; } }
    required group policy (LIST) { repeated group list {
        required group element (LIST) { repeated group list {
            required group element {
                required int32 move (INTEGER(16, false));
                required int32 visits (INTEGER(16, false));
                required int32 target (INTEGER(16, false));
            }
        } }
    } }
}";

/// Why columns can't be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ColumnsError {
    /// Not Parquet, or damaged.
    #[error(transparent)]
    Parquet(#[from] ParquetError),
    /// Other columns than ours.
    #[error("it has other columns than a file of games")]
    Schema,
    /// A row that is no record.
    #[error("row {row}: {source}")]
    Record {
        /// Which row, from 0.
        row: usize,
        /// What is wrong with it.
        source: RecordError,
    },
}

/// The records as a Parquet file. The same records and metadata give the same bytes.
pub(crate) fn encode(records: &[GameRecord], metadata: Vec<KeyValue>) -> Result<Vec<u8>, ParquetError> {
    let mut file = SerializedFileWriter::new(Vec::new(), schema()?, Arc::new(properties(metadata)?))?;
    if !records.is_empty() {
        let mut group = RowGroupWriter(file.next_row_group()?);
        group.games(records)?;
        group.0.close()?;
    }
    file.into_inner()
}

/// The records of a Parquet file; they are well formed, but not checked by the rules of the game.
pub(crate) fn decode(file: bytes::Bytes) -> Result<Vec<GameRecord>, ColumnsError> {
    let file = SerializedFileReader::new(file)?;
    if file.metadata().file_metadata().schema_descr().root_schema_ptr() != schema()? {
        return Err(ColumnsError::Schema);
    }
    let mut records = Vec::new();
    for group in 0..file.num_row_groups() {
        let columns = Columns::read(file.get_row_group(group)?.as_ref())?;
        for row in 0..columns.game.len() {
            let number = records.len();
            let record =
                columns.record(row).map_err(|source| ColumnsError::Record { row: number, source })?;
            records.push(record);
        }
    }
    Ok(records)
}

fn schema() -> Result<TypePtr, ParquetError> {
    parse_message_type(SCHEMA).map(Arc::new)
}

fn properties(metadata: Vec<KeyValue>) -> Result<WriterProperties, ParquetError> {
    let kl = ColumnPath::from(["kl", "list", "element"].map(str::to_owned).to_vec());
    Ok(WriterProperties::builder()
        .set_created_by("meihua".to_owned())
        .set_key_value_metadata(Some(metadata))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        // No page index, so that nothing but the footer follows the columns and the shard's seal fits between.
        .set_offset_index_disabled(true)
        .set_column_dictionary_enabled(kl.clone(), false)
        .set_column_encoding(kl, Encoding::BYTE_STREAM_SPLIT)
        .build())
}

/// Writes one column after the other.
struct RowGroupWriter<'a>(SerializedRowGroupWriter<'a, Vec<u8>>);

impl RowGroupWriter<'_> {
    fn games(&mut self, records: &[GameRecord]) -> Result<(), ParquetError> {
        self.texts(records, |record| record.run.as_str())?;
        self.column::<Int64Type>(&per_game(records, |record| record.game as i64), None)?;
        self.column::<Int64Type>(&per_game(records, |record| record.seed as i64), None)?;
        self.texts(records, |record| record.net.as_str())?;
        self.texts(records, |record| record.rule_set.name())?;
        self.column::<Int32Type>(&per_game(records, |record| record.feature_version as i32), None)?;
        self.column::<ByteArrayType>(
            &per_game(records, |record| record.start.fen().into_bytes().into()),
            None,
        )?;
        self.texts(records, |record| record.outcome.name())?;
        self.texts(records, |record| record.reason.name())?;
        self.column::<Int32Type>(&per_game(records, |record| record.plies.len() as i32), None)?;
        self.texts(records, |record| record.started_by.name())?;
        self.column::<FloatType>(&per_game(records, |record| record.scoring_weight), None)?;
        let decided: Vec<i32> =
            records.iter().filter_map(|record| record.decided).map(|decided| decided.ply.into()).collect();
        self.column::<Int32Type>(&decided, Some(&Levels::of_decided(records)))?;
        let played_through =
            |record: &GameRecord| record.decided.is_some_and(|decided| decided.played_through);
        self.column::<BoolType>(&per_game(records, played_through), None)?;
        let levels = Levels::of_plies(records);
        self.column::<Int32Type>(&per_ply(records, |ply| ply.mv.bits().into()), Some(&levels))?;
        self.column::<Int32Type>(&per_ply(records, |ply| ply.simulations.into()), Some(&levels))?;
        self.column::<Int32Type>(&per_ply(records, |ply| ply.root_value.into()), Some(&levels))?;
        self.column::<Int32Type>(&per_ply(records, |ply| ply.root_draw.into()), Some(&levels))?;
        self.column::<FloatType>(&per_ply(records, |ply| ply.kl), Some(&levels))?;
        let levels = Levels::of_policies(records);
        self.column::<Int32Type>(&per_entry(records, |entry| entry.mv.bits()), Some(&levels))?;
        self.column::<Int32Type>(&per_entry(records, |entry| entry.visits), Some(&levels))?;
        self.column::<Int32Type>(&per_entry(records, |entry| entry.target), Some(&levels))
    }

    fn texts(
        &mut self,
        records: &[GameRecord],
        text: impl Fn(&GameRecord) -> &str,
    ) -> Result<(), ParquetError> {
        self.column::<ByteArrayType>(&per_game(records, |record| text(record).into()), None)
    }

    fn column<T: DataType>(&mut self, values: &[T::T], levels: Option<&Levels>) -> Result<(), ParquetError> {
        let missing = || ParquetError::General("the schema has fewer columns than a record".to_owned());
        let mut column = self.0.next_column()?.ok_or_else(missing)?;
        let (definition, repetition) = match levels {
            Some(levels) => (Some(levels.definition()), Some(levels.repetition())),
            None => (None, None),
        };
        column.typed::<T>().write_batch(values, definition, repetition)?;
        column.close()
    }
}

fn per_game<T>(records: &[GameRecord], value: impl Fn(&GameRecord) -> T) -> Vec<T> {
    records.iter().map(value).collect()
}

fn per_ply<T>(records: &[GameRecord], value: impl Fn(&PlyRecord) -> T) -> Vec<T> {
    records.iter().flat_map(|record| &record.plies).map(value).collect()
}

fn per_entry(records: &[GameRecord], value: impl Fn(&PolicyEntry) -> u16) -> Vec<i32> {
    let plies = records.iter().flat_map(|record| &record.plies);
    plies.flat_map(|ply| &ply.policy).map(|entry| value(entry).into()).collect()
}

/// The columns of a row group, lists cut up by row.
struct Columns {
    run: Vec<ByteArray>,
    game: Vec<i64>,
    seed: Vec<i64>,
    net: Vec<ByteArray>,
    rule_set: Vec<ByteArray>,
    feature_version: Vec<i32>,
    start_fen: Vec<ByteArray>,
    outcome: Vec<ByteArray>,
    reason: Vec<ByteArray>,
    plies: Vec<i32>,
    started_by: Vec<ByteArray>,
    scoring_weight: Vec<f32>,
    decided_ply: Vec<Option<i32>>,
    played_through: Vec<bool>,
    mv: Vec<Vec<i32>>,
    simulations: Vec<Vec<i32>>,
    root_value: Vec<Vec<i32>>,
    root_draw: Vec<Vec<i32>>,
    kl: Vec<Vec<f32>>,
    policy_move: Vec<Vec<Vec<i32>>>,
    policy_visits: Vec<Vec<Vec<i32>>>,
    policy_target: Vec<Vec<Vec<i32>>>,
}

impl Columns {
    fn read(group: &dyn RowGroupReader) -> Result<Self, ParquetError> {
        let mut reader = ColumnReader::new(group);
        Ok(Self {
            run: reader.values::<ByteArrayType>()?,
            game: reader.values::<Int64Type>()?,
            seed: reader.values::<Int64Type>()?,
            net: reader.values::<ByteArrayType>()?,
            rule_set: reader.values::<ByteArrayType>()?,
            feature_version: reader.values::<Int32Type>()?,
            start_fen: reader.values::<ByteArrayType>()?,
            outcome: reader.values::<ByteArrayType>()?,
            reason: reader.values::<ByteArrayType>()?,
            plies: reader.values::<Int32Type>()?,
            started_by: reader.values::<ByteArrayType>()?,
            scoring_weight: reader.values::<FloatType>()?,
            decided_ply: reader.options::<Int32Type>()?,
            played_through: reader.values::<BoolType>()?,
            mv: reader.lists::<Int32Type>()?,
            simulations: reader.lists::<Int32Type>()?,
            root_value: reader.lists::<Int32Type>()?,
            root_draw: reader.lists::<Int32Type>()?,
            kl: reader.lists::<FloatType>()?,
            policy_move: reader.lists_of_lists()?,
            policy_visits: reader.lists_of_lists()?,
            policy_target: reader.lists_of_lists()?,
        })
    }

    fn record(&self, row: usize) -> Result<GameRecord, RecordError> {
        let outcome = text("outcome", &self.outcome[row])?;
        let reason = text("reason", &self.reason[row])?;
        let started_by = text("started_by", &self.started_by[row])?;
        let rule_set = text("rule_set", &self.rule_set[row])?;
        Ok(GameRecord {
            run: text("run", &self.run[row])?.to_owned(),
            game: self.game[row] as u64,
            seed: self.seed[row] as u64,
            net: text("net", &self.net[row])?.to_owned(),
            rule_set: named("rule_set", rule_set, RuleSet::ALL, RuleSet::name)?,
            feature_version: self.feature_version[row] as u32,
            start: text("start_fen", &self.start_fen[row])?.parse::<Position>()?,
            outcome: named("outcome", outcome, Outcome::ALL, Outcome::name)?,
            reason: named("reason", reason, EndReason::all(), EndReason::name)?,
            started_by: named("started_by", started_by, StartedBy::ALL, StartedBy::name)?,
            scoring_weight: self.scoring_weight[row],
            decided: self.decided(row)?,
            plies: self.plies(row)?,
        })
    }

    fn decided(&self, row: usize) -> Result<Option<Decided>, RecordError> {
        match (self.decided_ply[row], self.played_through[row]) {
            (Some(ply), played_through) => {
                Ok(Some(Decided { ply: number("decided_ply", ply)?, played_through }))
            }
            (None, false) => Ok(None),
            (None, true) => Err(RecordError::PlayedThrough),
        }
    }

    fn plies(&self, row: usize) -> Result<Vec<PlyRecord>, RecordError> {
        let plies = self.plies[row] as usize;
        let lengths = [
            ("move", self.mv[row].len()),
            ("simulations", self.simulations[row].len()),
            ("root_value", self.root_value[row].len()),
            ("root_draw", self.root_draw[row].len()),
            ("kl", self.kl[row].len()),
            ("policy", self.policy_move[row].len()),
            ("policy", self.policy_visits[row].len()),
            ("policy", self.policy_target[row].len()),
        ];
        if let Some(&(column, length)) = lengths.iter().find(|&&(_, length)| length != plies) {
            return Err(RecordError::Length { column, length, plies });
        }
        (0..plies).map(|ply| self.ply(row, ply)).collect()
    }

    fn ply(&self, row: usize, ply: usize) -> Result<PlyRecord, RecordError> {
        Ok(PlyRecord {
            mv: to_move("move", self.mv[row][ply])?,
            simulations: number("simulations", self.simulations[row][ply])?,
            root_value: number("root_value", self.root_value[row][ply])?,
            root_draw: number("root_draw", self.root_draw[row][ply])?,
            kl: self.kl[row][ply],
            policy: self.policy(row, ply)?,
        })
    }

    fn policy(&self, row: usize, ply: usize) -> Result<Vec<PolicyEntry>, RecordError> {
        let moves = &self.policy_move[row][ply];
        let visits = &self.policy_visits[row][ply];
        let targets = &self.policy_target[row][ply];
        for length in [visits.len(), targets.len()] {
            if length != moves.len() {
                return Err(RecordError::Length { column: "policy", length, plies: moves.len() });
            }
        }
        let entries = moves.iter().zip(visits).zip(targets);
        entries
            .map(|((&mv, &visits), &target)| {
                Ok(PolicyEntry {
                    mv: to_move("policy.move", mv)?,
                    visits: number("policy.visits", visits)?,
                    target: number("policy.target", target)?,
                })
            })
            .collect()
    }
}

fn text<'a>(column: &'static str, bytes: &'a ByteArray) -> Result<&'a str, RecordError> {
    std::str::from_utf8(bytes.data()).map_err(|source| RecordError::Text { column, source })
}

fn named<T: Copy>(
    column: &'static str,
    found: &str,
    all: impl IntoIterator<Item = T>,
    name: impl Fn(T) -> &'static str,
) -> Result<T, RecordError> {
    let mut allowed = Vec::new();
    for value in all {
        if name(value) == found {
            return Ok(value);
        }
        allowed.push(name(value));
    }
    Err(RecordError::Name { column, found: found.to_owned(), allowed: allowed.join(", ") })
}

/// A whole number of up to 16 bits.
trait Small: TryFrom<i32> {
    const LEAST: i64;
    const MOST: i64;
}

impl Small for u8 {
    const LEAST: i64 = 0;
    const MOST: i64 = Self::MAX as i64;
}

impl Small for u16 {
    const LEAST: i64 = 0;
    const MOST: i64 = Self::MAX as i64;
}

impl Small for i16 {
    const LEAST: i64 = Self::MIN as i64;
    const MOST: i64 = Self::MAX as i64;
}

fn number<T: Small>(column: &'static str, found: i32) -> Result<T, RecordError> {
    let outside = |_| RecordError::Number { column, found: found.into(), least: T::LEAST, most: T::MOST };
    T::try_from(found).map_err(outside)
}

fn to_move(column: &'static str, found: i32) -> Result<Move, RecordError> {
    let bits = number(column, found)?;
    Move::from_bits(bits).ok_or(RecordError::Move { column, bits })
}
