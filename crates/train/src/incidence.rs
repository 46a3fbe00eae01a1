//! Which of many things each row has: a sparse matrix of zeros and ones, listed by rows and by columns.

use tch::{Device, TchError, Tensor};

/// An R × C matrix with N ones, listed in two orders, so that sums over rows and over columns both run through memory
/// in order. All tensors are i64.
#[derive(Debug)]
pub struct Incidence {
    /// `[N]`: the column of each one, row by row.
    pub columns: Tensor,
    /// `[R]`: where each row starts in `columns`.
    pub row_starts: Tensor,
    /// `[N]`: the row of each one, row by row.
    pub row_of: Tensor,
    /// `[N]`: the row of each one, column by column, ascending in each.
    pub rows: Tensor,
    /// `[C]`: where each column starts in `rows`.
    pub column_starts: Tensor,
    /// `[N]`: where each one of `rows` stands in `columns`.
    pub order: Tensor,
}

/// Takes an [`Incidence`] in row by row.
#[derive(Clone, Debug, Default)]
pub(crate) struct IncidenceBuilder {
    columns: Vec<i64>,
    row_starts: Vec<i64>,
    row_of: Vec<i64>,
}

impl IncidenceBuilder {
    /// Adds a row with ones in these columns.
    pub(crate) fn push(&mut self, columns: impl IntoIterator<Item = usize>) {
        let row = self.row_starts.len() as i64;
        self.row_starts.push(self.columns.len() as i64);
        self.columns.extend(columns.into_iter().map(|column| column as i64));
        self.row_of.resize(self.columns.len(), row);
    }

    /// Adds the rows of another matrix below.
    pub(crate) fn append(&mut self, below: &Self) {
        let (rows, ones) = (self.row_starts.len() as i64, self.columns.len() as i64);
        self.row_starts.extend(below.row_starts.iter().map(|start| ones + start));
        self.columns.extend(&below.columns);
        self.row_of.extend(below.row_of.iter().map(|row| rows + row));
    }

    /// How many ones each row has.
    pub(crate) fn row_lengths(&self) -> impl Iterator<Item = usize> {
        let ends = self.row_starts.iter().skip(1).copied().chain([self.columns.len() as i64]);
        self.row_starts.iter().zip(ends).map(|(start, end)| (end - start) as usize)
    }

    /// The matrix with this many columns, on a device.
    pub(crate) fn build(&self, columns: usize, device: Device) -> Result<Incidence, TchError> {
        // Counting sort by column.
        let mut starts = vec![0_i64; columns];
        for &column in &self.columns {
            starts[column as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            (*start, sum) = (sum, sum + *start);
        }
        let mut next = starts.clone();
        let (mut rows, mut order) = (vec![0; self.columns.len()], vec![0; self.columns.len()]);
        for (number, (&column, &row)) in self.columns.iter().zip(&self.row_of).enumerate() {
            let place = &mut next[column as usize];
            (rows[*place as usize], order[*place as usize]) = (row, number as i64);
            *place += 1;
        }
        let tensor = |values: &[i64]| Tensor::f_from_slice(values)?.f_to_device(device);
        Ok(Incidence {
            columns: tensor(&self.columns)?,
            row_starts: tensor(&self.row_starts)?,
            row_of: tensor(&self.row_of)?,
            rows: tensor(&rows)?,
            column_starts: tensor(&starts)?,
            order: tensor(&order)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_say_the_same() {
        let mut builder = IncidenceBuilder::default();
        let mut below = IncidenceBuilder::default();
        builder.push([1, 3]);
        builder.push([]);
        below.push([3]);
        below.push([0, 3]);
        builder.append(&below);
        assert!(builder.row_lengths().eq([2, 0, 1, 2]));
        let matrix = builder.build(5, Device::Cpu).unwrap();
        let numbers = |tensor: &Tensor| Vec::<i64>::try_from(tensor).unwrap();
        assert_eq!(numbers(&matrix.columns), [1, 3, 3, 0, 3]);
        assert_eq!(numbers(&matrix.row_starts), [0, 2, 2, 3]);
        assert_eq!(numbers(&matrix.row_of), [0, 0, 2, 3, 3]);
        assert_eq!(numbers(&matrix.rows), [3, 0, 0, 2, 3]);
        assert_eq!(numbers(&matrix.column_starts), [0, 1, 2, 2, 5]);
        assert_eq!(numbers(&matrix.order), [3, 0, 1, 2, 4]);
    }
}
