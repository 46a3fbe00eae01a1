//! Reading numbers and texts from bytes, never beyond their end.

use crate::fault::{Fault, Place, RecordFault};

/// A place in a binary file, from which the next bytes are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'b> {
    all: &'b [u8],
    at: usize,
    /// What is being read, for errors.
    within: &'static str,
}

impl<'b> Bytes<'b> {
    pub(crate) const fn new(all: &'b [u8], at: usize, within: &'static str) -> Self {
        Self { all, at, within }
    }

    /// Where the next byte is.
    pub(crate) const fn place(&self) -> Place {
        Place::Byte(self.at)
    }

    /// The next `length` bytes.
    pub(crate) fn take(&mut self, length: usize) -> Result<&'b [u8], Fault> {
        let taken = self.at.checked_add(length).and_then(|end| self.all.get(self.at..end));
        let taken = taken.ok_or((self.place(), RecordFault::Truncated { within: self.within }))?;
        self.at += length;
        Ok(taken)
    }

    /// The next four bytes.
    pub(crate) fn four(&mut self) -> Result<[u8; 4], Fault> {
        Ok(self.take(4)?.try_into().unwrap_or_default())
    }

    /// The next four bytes as a number, little-endian.
    pub(crate) fn number(&mut self) -> Result<u32, Fault> {
        Ok(u32::from_le_bytes(self.four()?))
    }
}
