//! Room for large rings of data that are read here and there, on pages of 2 MiB where the system has them.
//!
//! The processor looks up where each page of memory lies. With pages of 4 KiB it has forgotten that of nearly every row of
//! a large window, and even a prefetch waits for the answer.

use std::collections::VecDeque;
use std::mem::MaybeUninit;

/// Less has no huge page of its own to be sure of.
const LARGE_BYTES: usize = 4 << 20;

/// Makes sure of room for `more` items. A full ring grows by an eighth, but not beyond `limit` unless it must: doubling
/// would leave half of a large one empty. While it is copied there are two of it.
pub(crate) fn grow<T: Copy>(ring: &mut VecDeque<T>, more: usize, limit: usize) {
    let needed = ring.len() + more;
    if needed > ring.capacity() {
        let capacity = needed.max(limit.min(ring.len() + ring.len() / 8));
        let mut larger = Vec::with_capacity(capacity);
        if size_of::<T>() * capacity >= LARGE_BYTES {
            ask_for_huge_pages(larger.spare_capacity_mut());
        }
        let (first, second) = ring.as_slices();
        larger.extend_from_slice(first);
        larger.extend_from_slice(second);
        *ring = larger.into();
    }
}

/// Asks the system to back `memory` with huge pages where it can; one that can't says no, and nothing changes.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages<T>(memory: &mut [MaybeUninit<T>]) {
    use rustix::mm::{Advice, madvise};
    let range = memory.as_mut_ptr_range();
    let page = rustix::param::page_size();
    let start = range.start.addr().next_multiple_of(page);
    if let Some(bytes) = range.end.addr().checked_sub(start) {
        #[expect(unsafe_code, reason = "a quarter more rows a second from a window of ten million")]
        // SAFETY: this advice changes what pages back the memory, not what lies there. It reaches to the end of the last
        // page, in which the memory ends.
        unsafe {
            madvise(range.start.with_addr(start).cast(), bytes, Advice::LinuxHugepage).ok();
        }
    }
}

#[cfg(not(target_os = "linux"))]
const fn ask_for_huge_pages<T>(_memory: &mut [MaybeUninit<T>]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_keeps_its_items_in_order_while_it_grows() {
        let mut ring = VecDeque::new();
        let mut next = 0_u64;
        // Beyond the size from which on huge pages are asked for; the ring's beginning is often not that of its memory.
        for round in 0..60 {
            let more = 20_000 + round;
            grow(&mut ring, more, 1_000_000);
            let capacity = ring.capacity();
            ring.extend(next..next + more as u64);
            assert_eq!(ring.capacity(), capacity);
            next += more as u64;
            ring.drain(..5_000);
        }
        assert!(size_of::<u64>() * ring.len() >= LARGE_BYTES);
        assert!(ring.iter().copied().eq(next - ring.len() as u64..next));
    }

    #[test]
    fn a_ring_grows_by_an_eighth_up_to_its_limit_and_beyond_by_what_is_needed() {
        let mut ring: VecDeque<u16> = (0..1600).collect();
        ring.shrink_to_fit();
        grow(&mut ring, 10, 2_500);
        assert_eq!(ring.capacity(), 1_800);
        ring.extend(0..200);
        grow(&mut ring, 10, 1_900);
        assert_eq!(ring.capacity(), 1_900);
        ring.extend(0..100);
        grow(&mut ring, 10, 1_900);
        assert_eq!(ring.capacity(), 1_910);
        grow(&mut ring, 3, 1_900);
        assert_eq!(ring.capacity(), 1_910);
    }
}
