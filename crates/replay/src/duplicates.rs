//! Which rows of a window show a network the same position.

use crate::seen::Seen;
use crate::window::Window;

/// The rows of a window in groups: two rows are of the same group exactly if a network's inputs are the same for both,
/// or are when left and right are exchanged in one of them. 8 bytes a row at most.
#[derive(Clone, Debug)]
pub struct Duplicates {
    /// Rows, group by group, oldest first; the top bit says that left and right are exchanged.
    members: Vec<u32>,
    /// Where each group ends in `members`.
    ends: Vec<u32>,
}

/// A row of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// The number of the row.
    pub row: usize,
    /// Is it the mirror image of the group's first?
    pub mirrored: bool,
}

/// Marks a mirror image in [`Duplicates::members`]. No window has so many rows.
const MIRRORED: u32 = 1 << 31;

impl Duplicates {
    /// Compares all rows. The order of the groups depends on what is in them alone.
    pub fn of(window: &Window) -> Self {
        // Hash above, row below: sorted, rows that may be alike stand together, the oldest first.
        let mut keys: Vec<u64> = (0..window.len())
            .map(|row| u64::from(window.row(row).seen().hash()) << 32 | row as u64)
            .collect();
        keys.sort_unstable();
        let mut groups = Self { members: Vec::with_capacity(keys.len()), ends: Vec::new() };
        for alike in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
            groups.push(window, alike.iter().map(|&key| key as u32));
        }
        groups.ends.shrink_to_fit();
        groups
    }

    /// Adds rows of one hash: of one group, but for rare accidents.
    fn push(&mut self, window: &Window, rows: impl Iterator<Item = u32>) {
        let mut groups: Vec<(Seen, Vec<u32>)> = Vec::new();
        for row in rows {
            let seen = window.row(row as usize).seen();
            let found = groups.iter_mut().find_map(|(first, members)| {
                let mirrored = seen != *first;
                (!mirrored || seen.mirrored() == *first).then_some((mirrored, members))
            });
            match found {
                Some((mirrored, members)) => members.push(row | if mirrored { MIRRORED } else { 0 }),
                None => groups.push((seen, vec![row])),
            }
        }
        for (_, members) in groups {
            self.members.extend(members);
            self.ends.push(self.members.len() as u32);
        }
    }

    /// How many groups there are: positions that differ.
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Is there no row?
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The rows of a group, oldest first; at least one.
    ///
    /// # Panics
    /// If `group` is not below [`Duplicates::len`].
    pub fn members(&self, group: usize) -> impl ExactSizeIterator<Item = Member> + Clone {
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        let members = &self.members[start as usize..self.ends[group] as usize];
        members
            .iter()
            .map(|&member| Member { row: (member & !MIRRORED) as usize, mirrored: member & MIRRORED != 0 })
    }

    /// The bytes that the groups take up.
    pub const fn bytes(&self) -> usize {
        (self.members.capacity() + self.ends.capacity()) * size_of::<u32>()
    }
}
