//! Code to put around a change: blocks of C with loops, jumps, switches and what verdiff does not support.
//!
//! Blocks work on the unsigned variables n0 to n7 and on the array `table`, and read a, b, c and buf. None can trap, and
//! every loop makes few iterations, so that a generated function can be run.

use std::fmt::Write;

/// What the surroundings have besides ordinary code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// Ordinary code only.
    None,
    /// Inline assembly.
    Assembly,
    /// Inline assembly that jumps.
    AssemblyGoto,
    /// A jump to an address.
    ComputedGoto,
    /// Variable arguments.
    VariableArguments,
    /// setjmp and longjmp.
    Setjmp,
    /// Calls of a function of which nothing is known.
    External,
    /// Arithmetic on long double, and an atomic operation.
    LongDouble,
}

impl Special {
    /// All kinds, in the order in which pairs get them.
    pub const ALL: [Special; 8] = [
        Special::None,
        Special::VariableArguments,
        Special::ComputedGoto,
        Special::Assembly,
        Special::Setjmp,
        Special::External,
        Special::AssemblyGoto,
        Special::LongDouble,
    ];

    /// What the report calls it.
    pub fn name(self) -> &'static str {
        match self {
            Special::None => "-",
            Special::Assembly => "assembly",
            Special::AssemblyGoto => "asm goto",
            Special::ComputedGoto => "computed goto",
            Special::VariableArguments => "va_arg",
            Special::Setjmp => "setjmp",
            Special::External => "unknown function",
            Special::LongDouble => "long double, atomic",
        }
    }
}

/// A generator of blocks, the same for the same seed.
pub struct Surroundings {
    state: u64,
    special: Special,
    blocks: usize,
    /// Variables that the next blocks do not read.
    pub hidden: Option<String>,
}

impl Surroundings {
    pub fn new(seed: u64, special: Special) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Surroundings { state, special, blocks: 0, hidden: None }
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) % bound
    }

    /// Blocks of at least so many lines.
    pub fn lines(&mut self, lines: usize) -> String {
        let mut text = String::new();
        while text.lines().count() < lines {
            text += &self.block();
        }
        text
    }

    fn block(&mut self) -> String {
        self.blocks += 1;
        // One block in ten is special, the third among them.
        if self.blocks % 10 == 3 && self.special != Special::None {
            return self.special_block();
        }
        match self.below(9) {
            0 => self.counted_loop(),
            1 => self.halving_loop(),
            2 => self.switch(),
            3 => self.jumps(),
            4 => self.nested_conditions(),
            5 => self.table_loop(),
            6 => self.text_loop(),
            7 => self.early_return(),
            _ => self.straight(),
        }
    }

    /// A variable to write.
    fn target(&mut self) -> String {
        format!("n{}", self.below(8))
    }

    /// Something to read.
    fn operand(&mut self) -> String {
        let name = match self.below(12) {
            0 => "a",
            1 => "b",
            2 => "c",
            3 => return format!("(unsigned)buf[{}]", self.below(8)),
            4 => return format!("table[{} & 31]", self.target()),
            5 => return format!("{}u", self.below(1000)),
            _ => return self.target(),
        };
        match &self.hidden {
            Some(hidden) if hidden == name => "17u".to_owned(),
            _ => format!("(unsigned){name}"),
        }
    }

    fn expression(&mut self) -> String {
        let (x, y) = (self.operand(), self.operand());
        let number = self.below(29) + 3;
        match self.below(6) {
            0 => format!("{x} + {y} * {number}u"),
            1 => format!("({x} ^ {y}) >> {}", number % 13),
            2 => format!("{x} * {number}u - {y}"),
            3 => format!("{x} % {number}u + ({y} | 1u)"),
            4 => format!("({x} << {}) ^ {y}", number % 11),
            _ => format!("{x} / ({y} % {number}u + 1u)"),
        }
    }

    fn straight(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..3 + self.below(5) {
            let (to, value) = (self.target(), self.expression());
            let _ = writeln!(text, "{to} = {value};");
        }
        text
    }

    fn counted_loop(&mut self) -> String {
        let (bound, to, value, other) =
            (self.target(), self.target(), self.expression(), self.target());
        let most = [7, 15, 31][self.below(3) as usize];
        format!(
            "for (i = 0; i < ({bound} & {most}); i++) {{\n    {to} = {to} * 33u + i;\n    if ({to} % 5u == 2u)\n        \
             continue;\n    {other} ^= {value};\n}}\n"
        )
    }

    fn halving_loop(&mut self) -> String {
        let (x, count, value) = (self.target(), self.target(), self.expression());
        format!(
            "k = {value};\nwhile (k > {}u) {{\n    {count} += k & 1u;\n    if (({x} ^ k) == {}u)\n        break;\n    k /= 2u;\n}}\n",
            self.below(50) + 1,
            self.below(5000)
        )
    }

    fn switch(&mut self) -> String {
        let on = self.expression();
        let cases = 4 + self.below(5);
        let mut text = format!("switch (({on}) % {}u) {{\n", cases + 1);
        for case in 0..cases {
            let (to, value) = (self.target(), self.expression());
            let _ = writeln!(text, "case {case}:\n    {to} = {value};");
            match self.below(4) {
                0 => text.push_str("    /* fall through */\n"),
                _ => text.push_str("    break;\n"),
            }
        }
        let (to, value) = (self.target(), self.expression());
        let _ = writeln!(text, "default:\n    {to} ^= {value};\n}}");
        text
    }

    /// A small machine of labels and jumps.
    fn jumps(&mut self) -> String {
        let id = self.blocks;
        let (x, y, value) = (self.target(), self.target(), self.expression());
        let (steps, odd) = (self.below(6) + 2, self.below(7) + 2);
        format!(
            "i = 0;\nagain_{id}:\nif (i++ > {steps}u)\n    goto done_{id};\nif ({x} % {odd}u == 0u)\n    goto other_{id};\n\
             {x} = {value};\ngoto again_{id};\nother_{id}:\n{y} = {y} * 3u + {x};\n{x}++;\nif ({y} & 4u)\n    goto again_{id};\n\
             {y} ^= i;\ndone_{id}:\n{x} += {y};\n"
        )
    }

    fn nested_conditions(&mut self) -> String {
        let mut text = String::new();
        let conditions = [self.expression(), self.expression(), self.expression()];
        let stores: Vec<String> =
            (0..4).map(|_| format!("{} = {};", self.target(), self.expression())).collect();
        let _ = write!(
            text,
            "if (({}) > {}u) {{\n    {}\n    if (({}) & 2u) {{\n        {}\n    }} else {{\n        {}\n    }}\n}} else if ({}) {{\n    {}\n}}\n",
            conditions[0],
            self.below(4000),
            stores[0],
            conditions[1],
            stores[1],
            stores[2],
            conditions[2],
            stores[3]
        );
        text
    }

    fn table_loop(&mut self) -> String {
        let (from, value, to) = (self.target(), self.expression(), self.target());
        format!(
            "for (i = {from} & 7u; i < 32u; i += {}u) {{\n    table[i] = table[i] * 5u + ({value});\n    \
             if (table[i] > {to})\n        {to} = table[i] ^ i;\n}}\n",
            self.below(5) + 1
        )
    }

    fn text_loop(&mut self) -> String {
        let words = ["alpha", "mode=7", "x:y:z", "range 10..20", "end"];
        let (to, word) = (self.target(), words[self.below(5) as usize]);
        format!(
            "for (text = \"{word}\"; *text; text++) {{\n    if (*text == ':' || *text == ' ')\n        continue;\n    \
             {to} = {to} * 31u + (unsigned char)*text;\n}}\n"
        )
    }

    fn early_return(&mut self) -> String {
        let (x, y) = (self.target(), self.target());
        let number = 1_000_000 + self.below(3_000_000_000);
        format!("if (({x} ^ {y} * 7u) == {number}u) {{\n    result[11] = 1;\n    return -1;\n}}\n")
    }

    fn special_block(&mut self) -> String {
        let id = self.blocks;
        let (x, y, value) = (self.target(), self.target(), self.expression());
        match self.special {
            Special::None => String::new(),
            Special::Assembly => format!(
                "k = {value};\n__asm__(\"xorl %1, %0\" : \"+r\"(k) : \"r\"({x}) : \"cc\");\n{y} += k;\n"
            ),
            Special::AssemblyGoto => format!(
                "k = {value};\n__asm__ goto(\"testl $1, %0\\n\\tjne %l1\" : : \"r\"(k) : \"cc\" : odd_{id});\n\
                 {x} += 3u;\nodd_{id}:\n{y} ^= k;\n"
            ),
            Special::ComputedGoto => format!(
                "{{\n    static const void *const targets[] = {{&&one_{id}, &&two_{id}, &&three_{id}}};\n\n    \
                 goto *targets[({value}) % 3u];\n}}\none_{id}:\n{x} += 1u;\ngoto three_{id};\ntwo_{id}:\n{x} ^= {y};\nthree_{id}:\n{y} += {x};\n"
            ),
            Special::VariableArguments => format!(
                "{{\n    va_list list;\n\n    va_start(list, v);\n    {x} += (unsigned)va_arg(list, int);\n    \
                 va_end(list);\n}}\n{y} ^= {value};\n"
            ),
            Special::Setjmp => format!(
                "if (setjmp(target) == 0) {{\n    if (({value}) % 2u)\n        longjmp(target, 1);\n    table[{}] += 1u;\n}}\n",
                self.below(32)
            ),
            Special::External => {
                format!("{x} = (unsigned)probe((int)({value}));\n{y} += {x} >> 3;\n")
            }
            Special::LongDouble => format!(
                "{{\n    long double x = (long double)({value});\n\n    x = x * 1.5L + 0.25L;\n    {x} ^= (unsigned)(x / 4.0L);\n}}\n\
                 {y} = __sync_fetch_and_add(&table[{}], {x});\n",
                self.below(32)
            ),
        }
    }
}
