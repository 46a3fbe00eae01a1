//! Lists of numbers, one for each row of a batch, and the same turned over: for each number, the rows that list it.

use std::ops::Range;

/// For each of R rows a list of numbers; N in all.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lists {
    numbers: Vec<u16>,
    /// Where each row ends in `numbers`.
    ends: Vec<u32>,
}

impl Lists {
    /// No rows yet, but room for some and their numbers.
    pub(crate) fn with_capacity(rows: usize, numbers: usize) -> Self {
        Self { numbers: Vec::with_capacity(numbers), ends: Vec::with_capacity(rows) }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, numbers: impl IntoIterator<Item = u16>) {
        self.numbers.extend(numbers);
        self.ends.push(self.numbers.len() as u32);
    }

    /// Adds the rows of other lists below.
    pub(crate) fn append(&mut self, below: &Self) {
        let before = self.numbers.len() as u32;
        self.numbers.extend(&below.numbers);
        self.ends.extend(below.ends.iter().map(|end| before + end));
    }

    /// R: how many rows there are.
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Is there no row?
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The numbers of all rows, one row after another.
    pub fn numbers(&self) -> &[u16] {
        &self.numbers
    }

    /// Where each row ends in [`Lists::numbers`], which is where the next one begins.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u16]> {
        self.stretch(0..self.len()).rows()
    }

    /// Some rows that follow one another: those of this range that there are.
    #[inline]
    pub(crate) fn stretch(&self, rows: Range<usize>) -> Stretch<'_> {
        let (start, end) = (rows.start.min(self.len()), rows.end.min(self.len()));
        let first = start.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        Stretch { numbers: &self.numbers, first, ends: &self.ends[start..end] }
    }
}

/// Some rows of [`Lists`] that follow one another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'a> {
    /// Those of all rows.
    numbers: &'a [u16],
    /// Where the first row begins in them.
    first: usize,
    /// Where each ends.
    ends: &'a [u32],
}

impl<'a> Stretch<'a> {
    /// The rows.
    #[inline]
    pub(crate) fn rows(self) -> impl ExactSizeIterator<Item = &'a [u16]> {
        let mut start = self.first;
        self.ends.iter().map(move |&end| {
            let row = &self.numbers[start..end as usize];
            start = end as usize;
            row
        })
    }

    /// Where the rows' numbers stand in [`Lists::numbers`].
    #[inline]
    pub(crate) fn entries(self) -> Range<usize> {
        self.first..self.ends.last().map_or(self.first, |&end| end as usize)
    }
}

/// [`Lists`] turned over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    places: Vec<Place>,
    /// Where each number's places end.
    ends: Vec<u32>,
}

/// One entry of [`Lists`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Place {
    /// Which row lists it.
    pub(crate) row: u32,
    /// Where it stands in [`Lists::numbers`].
    pub(crate) entry: u32,
}

impl Columns {
    /// Turns lists over, whose numbers are below `count`; a counting sort in the memory of the last one.
    pub(crate) fn turn(&mut self, lists: &Lists, count: usize) {
        self.ends.clear();
        self.ends.resize(count, 0);
        for &number in &lists.numbers {
            self.ends[usize::from(number)] += 1;
        }
        let mut sum = 0;
        for end in &mut self.ends {
            // For now where each number's places start.
            (*end, sum) = (sum, sum + *end);
        }
        self.places.resize(lists.numbers.len(), Place::default());
        let mut entry = 0;
        for (row, numbers) in (0..).zip(lists.rows()) {
            for &number in numbers {
                let end = &mut self.ends[usize::from(number)];
                self.places[*end as usize] = Place { row, entry };
                *end += 1;
                entry += 1;
            }
        }
    }

    /// The places of each number from `first` on, in the order of the rows.
    #[inline]
    pub(crate) fn from(&self, first: usize) -> impl Iterator<Item = &[Place]> {
        let mut start = first.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.ends[first..].iter().map(move |&end| {
            let places = &self.places[start..end as usize];
            start = end as usize;
            places
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_turned_over_say_the_same() {
        let (mut lists, mut below) = (Lists::default(), Lists::default());
        lists.push([1, 3]);
        lists.push([]);
        below.push([3]);
        below.push([0, 3]);
        lists.append(&below);
        let rows: Vec<&[u16]> = lists.rows().collect();
        assert_eq!(rows, [&[1, 3][..], &[], &[3], &[0, 3]]);
        assert_eq!((lists.len(), lists.ends()), (4, &[2, 2, 3, 5][..]));
        let stretch = lists.stretch(1..3);
        assert_eq!((stretch.rows().collect::<Vec<_>>(), stretch.entries()), (rows[1..3].to_vec(), 2..3));
        let stretch = lists.stretch(3..9);
        assert_eq!((stretch.rows().collect::<Vec<_>>(), stretch.entries()), (rows[3..].to_vec(), 3..5));
        assert_eq!((lists.stretch(7..9).rows().len(), lists.stretch(7..9).entries()), (0, 5..5));
        let mut columns = Columns::default();
        // Twice: the second time in the memory of the first.
        for _ in 0..2 {
            columns.turn(&lists, 5);
            let found: Vec<Vec<(u32, u32)>> =
                columns.from(0).map(|places| places.iter().map(|p| (p.row, p.entry)).collect()).collect();
            assert_eq!(found, [vec![(3, 3)], vec![(0, 0)], vec![], vec![(0, 1), (2, 2), (3, 4)], vec![]]);
            assert!(columns.from(2).eq(columns.from(0).skip(2)));
        }
    }
}
