//! How values nest in lists, written and read.
//!
//! A value's repetition level says which list it goes on with (0 begins a row), its definition level how deep it is
//! defined (less than full: the list at that depth is empty, or there is no value).

use crate::record::GameRecord;
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{DataType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;

/// How values nest in lists.
#[derive(Default)]
pub(crate) struct Levels {
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

impl Levels {
    /// One value per game that was decided.
    pub(crate) fn of_decided(records: &[GameRecord]) -> Self {
        let mut levels = Self::default();
        for record in records {
            levels.push(record.decided.is_some().into(), 0);
        }
        levels
    }

    /// One list per game, one value per ply.
    pub(crate) fn of_plies(records: &[GameRecord]) -> Self {
        let mut levels = Self::default();
        for record in records {
            levels.list(0, record.plies.len());
        }
        levels
    }

    /// One list per game, in it one list per ply.
    pub(crate) fn of_policies(records: &[GameRecord]) -> Self {
        let mut levels = Self::default();
        for record in records {
            if record.plies.is_empty() {
                levels.push(0, 0);
            }
            for (number, ply) in record.plies.iter().enumerate() {
                // Its first value begins a row or goes on with the list of plies.
                let first = levels.definition.len();
                levels.list(1, ply.policy.len());
                levels.repetition[first] = i16::from(number > 0);
            }
        }
        levels
    }

    /// A list inside `depth` others.
    fn list(&mut self, depth: i16, length: usize) {
        self.push(depth + i16::from(length > 0), depth);
        for _ in 1..length {
            self.push(depth + 1, depth + 1);
        }
    }

    pub(crate) fn definition(&self) -> &[i16] {
        &self.definition
    }

    pub(crate) fn repetition(&self) -> &[i16] {
        &self.repetition
    }

    fn iter(&self) -> impl Iterator<Item = (i16, i16)> {
        self.definition.iter().copied().zip(self.repetition.iter().copied())
    }

    fn push(&mut self, definition: i16, repetition: i16) {
        self.definition.push(definition);
        self.repetition.push(repetition);
    }
}

/// Reads one column after the other.
pub(crate) struct ColumnReader<'a> {
    group: &'a dyn RowGroupReader,
    next: usize,
}

impl<'a> ColumnReader<'a> {
    pub(crate) const fn new(group: &'a dyn RowGroupReader) -> Self {
        Self { group, next: 0 }
    }

    /// A column without lists.
    pub(crate) fn values<T: DataType>(&mut self) -> Result<Vec<T::T>, ParquetError> {
        Ok(self.read::<T>()?.1)
    }

    /// A column whose rows may be without a value.
    pub(crate) fn options<T: DataType>(&mut self) -> Result<Vec<Option<T::T>>, ParquetError> {
        let (levels, values) = self.read::<T>()?;
        let mut values = values.into_iter();
        levels
            .definition
            .iter()
            .map(|&level| if level == 0 { Ok(None) } else { next(&mut values).map(Some) })
            .collect()
    }

    /// A column with one list per row.
    pub(crate) fn lists<T: DataType>(&mut self) -> Result<Vec<Vec<T::T>>, ParquetError> {
        let (levels, values) = self.read::<T>()?;
        let mut values = values.into_iter();
        let mut rows = Vec::new();
        for (definition, repetition) in levels.iter() {
            if repetition == 0 {
                rows.push(Vec::new());
            }
            if definition == 1 {
                last(&mut rows)?.push(next(&mut values)?);
            }
        }
        Ok(rows)
    }

    /// A column of integers with one list of lists per row.
    pub(crate) fn lists_of_lists(&mut self) -> Result<Vec<Vec<Vec<i32>>>, ParquetError> {
        let (levels, values) = self.read::<Int32Type>()?;
        let mut values = values.into_iter();
        let mut rows: Vec<Vec<Vec<i32>>> = Vec::new();
        for (definition, repetition) in levels.iter() {
            if repetition == 0 {
                rows.push(Vec::new());
            }
            let row = last(&mut rows)?;
            if repetition <= 1 && definition >= 1 {
                row.push(Vec::new());
            }
            if definition == 2 {
                last(row)?.push(next(&mut values)?);
            }
        }
        Ok(rows)
    }

    fn read<T: DataType>(&mut self) -> Result<(Levels, Vec<T::T>), ParquetError> {
        let mut column = get_typed_column_reader::<T>(self.group.get_column_reader(self.next)?);
        self.next += 1;
        let (mut levels, mut values) = (Levels::default(), Vec::new());
        let rows = self.group.metadata().num_rows() as usize;
        let mut read = 0;
        while read < rows {
            let (definition, repetition) = (&mut levels.definition, &mut levels.repetition);
            let more = column.read_records(rows - read, Some(definition), Some(repetition), &mut values)?.0;
            if more == 0 {
                return Err(ParquetError::EOF(format!("a column has {read} rows, want {rows}")));
            }
            read += more;
        }
        Ok((levels, values))
    }
}

fn last<T>(list: &mut [T]) -> Result<&mut T, ParquetError> {
    list.last_mut()
        .ok_or_else(|| ParquetError::General("a column goes on with a list it never began".to_owned()))
}

fn next<T>(values: &mut impl Iterator<Item = T>) -> Result<T, ParquetError> {
    values.next().ok_or_else(|| ParquetError::EOF("a column has fewer values than levels".to_owned()))
}
