//! Compositions of calls of a changed library: one to fifteen of them, in sequence and nested, equivalent and different.

use std::fmt::Write;

/// A way to compose calls.
pub struct Shape {
    pub name: &'static str,
    pub equivalent: bool,
    /// The library in either version.
    library: [&'static str; 2],
    /// The statements of the k-th of so many calls; `s` is the result, `x` the parameter, `i` free for use.
    call: fn(k: usize, count: usize) -> String,
}

impl Shape {
    /// Both versions with so many calls; the client is `client`.
    pub fn files(&self, count: usize) -> [String; 2] {
        self.library.map(|library| {
            let mut text = format!("{library}\n\nint client(int x)\n{{\n    int i = 0, s = 0;\n\n");
            for k in 0..count {
                for line in (self.call)(k, count).lines() {
                    let _ = writeln!(text, "    {line}");
                }
            }
            text + "    return s;\n}\n"
        })
    }
}

const SMALL: [&str; 2] = [
    "int lib(int x) { return x > 15 ? -1 : x * x + 1; }",
    "int lib(int x) { return x > 15 ? -2 : x * x + 1; }",
];

const FACTORS: [&str; 2] = [
    "int lib(int n)\n{\n    int i, count = 0;\n\n    for (i = 2; i < n; i++)\n        if (n % i == 0)\n            count++;\n    return count;\n}",
    "int lib(int n)\n{\n    int i;\n\n    for (i = 2; i < n; i++)\n        if (n % i == 0)\n            return 1;\n    return 0;\n}",
];

const TWO: [&str; 2] = [
    "int up(int x) { return x & 63; }\nint down(int x) { return (x >> 3) + 4; }",
    "int up(int x) { return (x & 63) + 1; }\nint down(int x) { return (x >> 3) + 5; }",
];

const OUT: [&str; 2] = [
    "void lib(int x, int *out) { *out = x < 0 ? -1 : x % 10; }",
    "void lib(int x, int *out) { *out = x < 0 ? -2 : x % 10; }",
];

/// All shapes.
pub const SHAPES: &[Shape] = &[
    Shape {
        name: "in sequence, each under a condition",
        equivalent: true,
        library: SMALL,
        call: |k, _| format!("if (x & {})\n    s += lib((x >> {k}) & 15);", 1 << k),
    },
    Shape {
        name: "in sequence, the last argument too large",
        equivalent: false,
        library: SMALL,
        call: |k, count| {
            let mask = if k + 1 == count { 31 } else { 15 };
            format!("if (x & {})\n    s += lib((x >> {k}) & {mask});", 1 << k)
        },
    },
    Shape {
        name: "nested",
        equivalent: true,
        library: SMALL,
        call: |k, _| format!("s = lib((s ^ x) & 15) + {k};"),
    },
    Shape {
        name: "nested, the last argument too large",
        equivalent: false,
        library: SMALL,
        call: |k, count| match k + 1 == count {
            true => "s = lib(x & 31);".to_owned(),
            false => format!("s = lib((s ^ x) & 15) + {k};"),
        },
    },
    Shape {
        name: "two libraries that cancel in each pair",
        equivalent: true,
        library: TWO,
        call: |k, _| format!("s = s * 3 + up(x + {k}) - down(x ^ {k});"),
    },
    Shape {
        name: "two libraries that cancel only in all",
        equivalent: true,
        library: TWO,
        // Those of one kind first, then as many of the other: one more call where the number is odd.
        call: |k, count| {
            let last = (k + 1 == count && count % 2 == 1).then(|| format!("\ns -= down(x ^ {k});"));
            match k < count.div_ceil(2) {
                true => format!("s += up(x + {k});{}", last.unwrap_or_default()),
                false => format!("s -= down(x ^ {k});{}", last.unwrap_or_default()),
            }
        },
    },
    Shape {
        name: "asked for zero",
        equivalent: true,
        library: FACTORS,
        call: |k, _| format!("if (lib((x + {k}) & 255) == 0)\n    s += {};", k + 1),
    },
    Shape {
        name: "asked for zero in loops",
        equivalent: true,
        library: FACTORS,
        call: |k, _| {
            format!(
                "for (i = {k}; i < (x & 127); i++)\n    if (lib(i) == 0)\n        s = s * 3 + i;"
            )
        },
    },
    Shape {
        name: "asked for one at last",
        equivalent: false,
        library: FACTORS,
        call: |k, count| {
            let asked = usize::from(k + 1 == count);
            format!("if (lib((x + {k}) & 255) == {asked})\n    s += {};", k + 1)
        },
    },
    Shape {
        name: "results in memory",
        equivalent: true,
        library: OUT,
        call: |k, _| format!("lib((x >> {k}) & 255, &i);\ns = s * 5 + i;"),
    },
];

/// How many calls there are.
pub const COUNTS: std::ops::RangeInclusive<usize> = 1..=15;
