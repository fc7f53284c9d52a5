//! The allocator of a hook's own binary.
//!
//! A hook runs for a millisecond and allocates a few dozen small values. The system's allocator takes about a fifth of
//! the instructions of such a process, and asks the system for memory; taking the next bytes of a static array costs
//! almost nothing. Allocations that do not fit go to the system's allocator, so that memory is not limited.

#![expect(unsafe_code, reason = "an allocator hands out raw memory")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

const SIZE: usize = 256 * 1024;

// In the library and not in `hookkit::main!`: rustc compiles an allocator more slowly than the rest of a launcher.
#[cfg(not(test))]
#[global_allocator]
static ALLOCATOR: Arena = Arena::new();

/// An allocator that hands out the bytes of an array one after the other, then the system's memory.
struct Arena {
    bytes: UnsafeCell<[u8; SIZE]>,
    /// Number of bytes handed out.
    used: AtomicUsize,
}

// SAFETY: no reference to the array is ever made; each byte belongs to the one allocation that moved `used` over it.
unsafe impl Sync for Arena {}

impl Arena {
    /// Creates an arena with no allocations.
    const fn new() -> Self {
        Self { bytes: UnsafeCell::new([0; SIZE]), used: AtomicUsize::new(0) }
    }

    fn start(&self) -> *mut u8 {
        self.bytes.get().cast()
    }

    /// Returns the offset of an allocation in the array, if it is in the array.
    fn offset(&self, pointer: *mut u8) -> Option<usize> {
        let offset = pointer.addr().wrapping_sub(self.start().addr());
        (offset < SIZE).then_some(offset)
    }

    /// Takes the next bytes of the array, if there are enough.
    fn take(&self, layout: Layout) -> Option<*mut u8> {
        loop {
            let used = self.used.load(Ordering::Relaxed);
            let address = self.start().addr() + used;
            let offset = used + (address.next_multiple_of(layout.align()) - address);
            // Neither sum can overflow: a layout's size and alignment fit an `isize`.
            let end = offset + layout.size();
            if end > SIZE {
                return None;
            }
            if self.move_end(used, end) {
                return Some(self.start().wrapping_add(offset));
            }
        }
    }

    /// Moves the end of the used bytes, unless another thread moved it first.
    fn move_end(&self, from: usize, to: usize) -> bool {
        self.used.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

// SAFETY: a block is either the system's, or is in the array, aligned, after every earlier block that is still in use:
// `used` only moves back over the last block, when that is freed.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system's allocator requires.
        self.take(layout).unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match self.take(layout) {
            Some(block) => {
                // SAFETY: the block was just handed out, and has this size. It may hold bytes of an earlier block.
                unsafe { block.write_bytes(0, layout.size()) };
                block
            }
            // SAFETY: as in `alloc`.
            None => unsafe { System.alloc_zeroed(layout) },
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        match self.offset(pointer) {
            // Only the last block can be reused; any other is freed by the end of the process.
            Some(offset) => {
                self.move_end(offset + layout.size(), offset);
            }
            // SAFETY: a block outside the array came from the system's allocator, with the same layout.
            None => unsafe { System.dealloc(pointer, layout) },
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let Some(offset) = self.offset(pointer) else {
            // SAFETY: as in `dealloc`.
            return unsafe { System.realloc(pointer, layout, new_size) };
        };
        if offset + new_size <= SIZE && self.move_end(offset + layout.size(), offset + new_size) {
            return pointer;
        }
        // SAFETY: the caller promises that the new size does not overflow; the blocks are distinct, since the old one
        // is still in use, and the smaller of the two lengths is within both.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
            if !new.is_null() {
                new.copy_from_nonoverlapping(pointer, layout.size().min(new_size));
                self.dealloc(pointer, layout);
            }
            new
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Allocates a block, fills it, and returns it.
    fn filled(arena: &Arena, layout: Layout, byte: u8) -> *mut u8 {
        // SAFETY: the layouts in the tests are not empty, and the block is written within its size.
        unsafe {
            let block = arena.alloc(layout);
            assert!(!block.is_null() && block.addr().is_multiple_of(layout.align()));
            block.write_bytes(byte, layout.size());
            block
        }
    }

    fn holds(block: *mut u8, length: usize, byte: u8) -> bool {
        // SAFETY: the tests only read bytes that they have written.
        unsafe { std::slice::from_raw_parts(block, length).iter().all(|found| *found == byte) }
    }

    #[test]
    fn blocks_are_aligned_and_apart() {
        let arena = Arena::new();
        let layouts = [(1, 1), (3, 1), (8, 8), (100, 16), (5, 4), (64, 64), (SIZE, 8), (16, 4096)];
        let layouts = layouts.map(|(size, align)| Layout::from_size_align(size, align).unwrap());
        let blocks: Vec<_> = (1..).zip(layouts).map(|(byte, layout)| filled(&arena, layout, byte)).collect();
        for ((byte, layout), block) in (1..).zip(layouts).zip(blocks) {
            assert!(holds(block, layout.size(), byte));
            // SAFETY: each block is freed once, with its own layout.
            unsafe { arena.dealloc(block, layout) };
        }
    }

    #[test]
    fn the_last_block_is_used_again_and_grows_in_place() {
        let arena = Arena::new();
        let layout = Layout::from_size_align(100, 8).unwrap();
        let first = filled(&arena, layout, 1);
        // SAFETY: the block is in use, and of this layout.
        let grown = unsafe { arena.realloc(first, layout, 200) };
        assert_eq!(grown, first);
        // SAFETY: as above.
        unsafe { arena.dealloc(grown, Layout::from_size_align(200, 8).unwrap()) };
        assert_eq!(filled(&arena, layout, 2), first);
    }

    #[test]
    fn a_block_that_grows_keeps_its_bytes() {
        let arena = Arena::new();
        let mut layout = Layout::from_size_align(10, 2).unwrap();
        let mut block = filled(&arena, layout, 7);
        for size in [20, 1000, SIZE / 2, SIZE, 4 * SIZE, 30] {
            // A block after it keeps it from growing in place.
            filled(&arena, Layout::new::<u64>(), 9);
            // SAFETY: the block is in use, and of this layout.
            block = unsafe { arena.realloc(block, layout, size) };
            layout = Layout::from_size_align(size, 2).unwrap();
            assert!(!block.is_null() && holds(block, 10, 7));
        }
        // SAFETY: as above.
        unsafe { arena.dealloc(block, layout) };
    }

    /// ThreadSanitizer, if it is enabled, also finds races here.
    #[test]
    fn a_freed_block_is_reused_by_one_thread_only() {
        let layout = Layout::from_size_align(24, 8).unwrap();
        let (rounds, uses) = if cfg!(miri) { (2, 50) } else { (20, 1_000) };
        for _ in 0..rounds {
            let (arena, start) = (Arena::new(), std::sync::Barrier::new(2));
            let use_blocks = |byte| {
                start.wait();
                for _ in 0..uses {
                    let block = filled(&arena, layout, byte);
                    assert!(holds(block, layout.size(), byte));
                    // SAFETY: the block is in use, and of this layout.
                    unsafe { arena.dealloc(block, layout) };
                }
            };
            std::thread::scope(|scope| {
                scope.spawn(|| use_blocks(1));
                scope.spawn(|| use_blocks(2));
            });
        }
    }

    #[test]
    fn threads_never_share_a_block() {
        let arena = Arena::new();
        std::thread::scope(|scope| {
            for byte in 0..4 {
                let arena = &arena;
                scope.spawn(move || {
                    let layout = Layout::from_size_align(24, 8).unwrap();
                    let blocks: Vec<_> = (0..500).map(|_| filled(arena, layout, byte).expose_provenance()).collect();
                    for address in blocks {
                        let block = std::ptr::with_exposed_provenance_mut(address);
                        assert!(holds(block, layout.size(), byte));
                    }
                });
            }
        });
    }
}
