//! Programs run with whatever another machine may have on the stack, on the heap and in the environment.
//!
//! What a program reads without having written it is often the same on one machine at each run, and something else on another one.

use std::path::Path;
use std::process::{Command, Output};

/// Fills the stack below `main` before `main` begins.
const FILL: &str = r#"
#include <stdlib.h>
int __real_main(void);
__attribute__((noinline)) static void fill(int value)
{
    volatile unsigned char stack[1 << 16];
    for (unsigned long i = 0; i < sizeof stack; i++) stack[i] = (unsigned char)(value + i / 64 * 7);
}
/* The frame of `main` lies below the beginning of the frame that was filled. */
__attribute__((noinline)) static int call(void)
{
    volatile char gap[512];
    gap[0] = 0;
    return __real_main() + gap[0];
}
int __wrap_main(void)
{
    fill(atoi(getenv("STACK_FILL")));
    return call();
}
"#;
/// With which it is linked.
pub const FLAG: &str = "-Wl,--wrap=main";

/// What unwritten bytes of the stack begin with, what those of the heap are made of, and how much is in the environment.
const SURROUNDINGS: [(u8, u8, usize); 5] =
    [(0, 0, 0), (0xff, 0xff, 17), (0xdb, 0x24, 1000), (0x5a, 1, 4096), (1, 0x80, 70_001)];

/// Writes the C file that has to be linked with the program.
pub fn write(file: &Path) {
    std::fs::write(file, FILL).unwrap();
}

/// Runs a program in all surroundings, and what it did in each.
pub fn runs(program: &Path) -> Vec<Output> {
    let run = |(stack, heap, environment): (u8, u8, usize)| {
        Command::new(program)
            .env_clear()
            .env("STACK_FILL", stack.to_string())
            .env("MALLOC_PERTURB_", heap.to_string())
            .env("ROOM", "x".repeat(environment))
            .output()
            .unwrap()
    };
    SURROUNDINGS.into_iter().map(run).collect()
}
