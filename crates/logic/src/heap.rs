//! How the C library keeps freed memory.
//!
//! A z3 context has tables of 17 MB, which z3 fills when it makes the context. By default such blocks are mapped and
//! unmapped each time, so that the system clears thousands of pages for every context: most of the seven milliseconds
//! that one takes. Memory that the heap keeps makes it one millisecond.
//!
//! The first context of a thread finds nothing kept. For that one the system is asked for large pages (2 MB on x86-64),
//! of which it clears nine instead of thousands: three milliseconds instead of seven. It may refuse.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Blocks of at least this size are mapped on their own; the largest value that the C library accepts.
const MAPPED_FROM: libc::c_int = 32 << 20;

/// How much free memory at the end of each heap is kept. A thread may have a heap of its own.
const KEPT: libc::c_int = 48 << 20;

/// How much is kept where there is one heap only.
const KEPT_IN_ONE: libc::c_int = 256 << 20;

/// The tables of a context, and a large page more, since large pages begin at multiples of their size.
const TABLES: usize = 20 << 20;

/// Any page size of the system divides this.
const PAGE: usize = 1 << 16;

/// Whether all threads share one heap.
static ONE: AtomicBool = AtomicBool::new(false);

/// From now on heaps keep large blocks that are freed.
pub(crate) fn keep_freed_memory() {
    let kept = if ONE.load(Ordering::SeqCst) { KEPT_IN_ONE } else { KEPT };
    // SAFETY: sets numbers of the allocator, which has a lock for that.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_FROM);
        libc::mallopt(libc::M_TRIM_THRESHOLD, kept);
    }
}

/// Asks the system for large pages where the heap of this thread will put the tables of its first context.
pub(crate) fn use_large_pages() {
    thread_local! {
        static ASKED: Cell<bool> = const { Cell::new(false) };
    }
    // Threads that share a heap find what the first of them got, but the request costs them little.
    if ASKED.replace(true) {
        return;
    }
    // SAFETY: the block is allocated here, `madvise` gets whole pages inside it, and its contents are not used. Freed, it
    // is the part of the heap from which the next large blocks are cut.
    unsafe {
        let block = libc::malloc(TABLES);
        if block.is_null() {
            return;
        }
        let skipped = block.cast::<u8>().align_offset(PAGE);
        let length = (TABLES - skipped) / PAGE * PAGE;
        libc::madvise(block.byte_add(skipped), length, libc::MADV_HUGEPAGE);
        libc::free(block);
    }
}

/// From now on all threads share one heap, which grows by a system call for each megabyte. For a process in which one
/// thread does all the work, before it starts that thread: the heaps of further threads grow and shrink page by page.
pub fn share_one_heap() {
    ONE.store(true, Ordering::SeqCst);
    // SAFETY: as above.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
        libc::mallopt(libc::M_TOP_PAD, 1 << 20);
    }
}
