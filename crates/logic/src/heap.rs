//! How the C library keeps freed memory.
//!
//! A z3 context has tables of 17 MB, which z3 fills when it makes the context. By default such blocks are mapped and
//! unmapped each time, so that the system clears thousands of pages for every context: most of the seven milliseconds
//! that one takes. Memory that the heap keeps makes it one millisecond.

/// Blocks of at least this size are mapped on their own; the largest value that the C library accepts.
const MAPPED_FROM: libc::c_int = 32 << 20;

/// How much free memory at the end of the heap is kept.
const KEPT: libc::c_int = 256 << 20;

/// From now on the heap keeps large blocks that are freed.
pub(crate) fn keep_freed_memory() {
    // SAFETY: sets numbers of the allocator, which has a lock for that.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_FROM);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
    }
}

/// From now on all threads share one heap, which grows by a system call for each megabyte. For a process in which one
/// thread does all the work: the heaps of further threads grow and shrink page by page.
pub fn share_one_heap() {
    // SAFETY: as above.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
        libc::mallopt(libc::M_TOP_PAD, 1 << 20);
    }
}
