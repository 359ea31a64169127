//! Random C: functions without loops that compute with integers of all widths, go through pointers,
//! take structs by pointer and by value, branch, shift, divide, and call each other.
//!
//! Every local has a value and every shift amount is in range, so that what a function does is defined by
//! the model; divisions by zero and null pointers may happen and must trap alike. What is read is used: a compiler
//! may leave out a load or a division that traps if nothing needs its result, and then compiled code shows no trap.

use std::fmt::Write;

/// A small generator of numbers, the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

const INTEGERS: &[&str] = &[
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "_Bool",
];

/// The structs and globals of every program; the structs are passed in registers, split, and in memory.
const PRELUDE: &str = "\
struct small { unsigned char a; short b; };
struct pair { int a; long b; };
struct large { long a; int b; signed char c[3]; unsigned short d; unsigned e : 5; int f : 7; };
int g0; unsigned short g1; long g2; struct pair g3; unsigned char g4[4];
static const int table[4] = { 3, -7, 1 << 20, 11 };
";

const GLOBALS: &[&str] = &["g0", "g1", "g2", "g3.a", "g3.b", "g4[1]", "g4[3]"];

fn fields(kind: &str) -> &'static [&'static str] {
    match kind {
        "struct large" => &["a", "b", "c[0]", "c[2]", "d", "e", "f"],
        _ => &["a", "b"],
    }
}

const CONSTANTS: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "7",
    "255",
    "-128",
    "0x8000",
    "2147483647",
    "1000003",
    "1L << 40",
    "9ul",
];

/// The text of one program.
pub fn program(seed: u64, functions: usize) -> String {
    let mut text = PRELUDE.to_owned();
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut callable = Vec::new();
    for number in 0..functions {
        let mut one = Function { random: &mut random, places: vec![], values: vec![], locals: 0 };
        text += &one.write(number, &mut callable);
    }
    text
}

/// One function while it is written.
struct Function<'a> {
    random: &'a mut Random,
    /// What can be assigned to.
    places: Vec<String>,
    /// What can only be read.
    values: Vec<String>,
    locals: usize,
}

impl Function<'_> {
    fn write(&mut self, number: usize, callable: &mut Vec<(String, usize)>) -> String {
        let count = 1 + self.random.below(4) as usize;
        let mut parameters = Vec::new();
        let mut plain = true;
        for index in 0..count {
            let name = format!("p{index}");
            let integer = self.random.pick(INTEGERS);
            let record = self.random.pick(&["struct small", "struct pair", "struct large"]);
            match self.random.below(8) {
                0 | 1 => {
                    plain = false;
                    self.places.extend([format!("*{name}"), format!("{name}[1]")]);
                    parameters.push(format!("{integer} *{name}"));
                }
                2 => {
                    plain = false;
                    let field = self.random.pick(fields(record));
                    self.places.push(format!("{name}->{field}"));
                    self.places.push(format!("{name}->a"));
                    parameters.push(format!("{record} *{name}"));
                }
                3 => {
                    plain = false;
                    let field = self.random.pick(fields(record));
                    self.places.extend([format!("{name}.{field}"), format!("{name}.b")]);
                    parameters.push(format!("{record} {name}"));
                }
                _ => {
                    self.places.push(name.clone());
                    parameters.push(format!("{integer} {name}"));
                }
            }
        }
        self.values.extend(["table[2]".to_owned(), "g2".to_owned()]);
        self.values.push(format!("table[{} & 3]", self.places[0].clone()));
        // Every third function calls nothing and may be called: deep chains would only be the same again.
        let leaf = number.is_multiple_of(3);
        for (name, arity) in callable.iter().rev().take(if leaf { 0 } else { 2 }) {
            let arguments: Vec<String> = (0..*arity).map(|_| self.expression(1)).collect();
            self.values.push(format!("{name}({})", arguments.join(", ")));
        }
        let result = self.random.pick(INTEGERS);
        let record = (self.random.below(6) == 0)
            .then(|| self.random.pick(&["struct small", "struct pair", "struct large"]));
        let mut body = String::new();
        let statements = 2 + self.random.below(5);
        for _ in 0..statements {
            self.statement(&mut body, 2);
        }
        let name = format!("f{number}");
        match record {
            Some(record) => {
                let _ = writeln!(body, "  {record} r = {{ 0 }};");
                for field in fields(record) {
                    let value = self.expression(2);
                    let _ = writeln!(body, "  r.{field} = {value};");
                }
                let _ = writeln!(body, "  return r;");
            }
            None => {
                let _ = writeln!(body, "  return {};", self.expression(3));
                if plain && leaf {
                    callable.push((name.clone(), count));
                }
            }
        }
        let result = record.unwrap_or(result);
        format!("{result} {name}({}) {{\n{body}}}\n", parameters.join(", "))
    }

    fn statement(&mut self, body: &mut String, depth: u64) {
        let _ = match self.random.below(if depth == 0 { 4 } else { 8 }) {
            0 => {
                let (ty, value) = (self.random.pick(INTEGERS), self.expression(2));
                let name = format!("v{}", self.locals);
                self.locals += 1;
                let written = writeln!(body, "  {ty} {name} = {value};");
                self.places.push(name);
                written
            }
            1..=3 => {
                let (place, op) =
                    (self.place(), self.random.pick(&["=", "=", "+=", "-=", "^=", "*=", "|="]));
                let value = self.expression(3);
                writeln!(body, "  {place} {op} {value};")
            }
            4 | 5 => {
                let condition = self.expression(2);
                let _ = writeln!(body, "  if ({condition}) {{");
                self.block(body, depth);
                if self.random.below(2) == 0 {
                    let _ = writeln!(body, "  }} else {{");
                    self.block(body, depth);
                }
                writeln!(body, "  }}")
            }
            6 => {
                let value = self.expression(1);
                let _ = writeln!(body, "  switch (({value}) & 7) {{\n  case 1:");
                self.block(body, depth);
                let _ = writeln!(body, "  case 3: case 4:");
                self.block(body, depth);
                let _ = writeln!(body, "  break;\n  default: ;");
                self.block(body, depth);
                writeln!(body, "  }}")
            }
            _ => {
                let place = self.place();
                writeln!(body, "  ({place}){};", self.random.pick(&["++", "--"]))
            }
        };
    }

    /// Statements whose locals are forgotten afterwards.
    fn block(&mut self, body: &mut String, depth: u64) {
        let known = self.places.len();
        let _ = writeln!(body, "  {{");
        for _ in 0..1 + self.random.below(2) {
            self.statement(body, depth - 1);
        }
        let _ = writeln!(body, "  }}");
        self.places.truncate(known);
    }

    fn place(&mut self) -> String {
        if self.random.below(5) == 0 {
            return self.random.pick(GLOBALS).to_owned();
        }
        self.places[self.random.below(self.places.len() as u64) as usize].clone()
    }

    fn expression(&mut self, depth: u64) -> String {
        if depth == 0 || self.random.below(6) == 0 {
            return match self.random.below(8) {
                0 | 1 => format!("({})", self.random.pick(CONSTANTS)),
                2 if !self.values.is_empty() => {
                    self.values[self.random.below(self.values.len() as u64) as usize].clone()
                }
                _ => self.place(),
            };
        }
        let a = self.expression(depth - 1);
        match self.random.below(14) {
            0 => format!("({})({a})", self.random.pick(INTEGERS)),
            1 => format!("({}({a}))", self.random.pick(&["-", "~", "!"])),
            2 => {
                let (b, c) = (self.expression(depth - 1), self.expression(depth - 1));
                format!("(({a}) ? ({b}) : ({c}))")
            }
            3 | 4 => {
                let (op, b) = (self.random.pick(&["<<", ">>"]), self.expression(depth - 1));
                let (ty, mask) =
                    *[("int", 31), ("unsigned", 31), ("long", 63), ("unsigned long", 63)]
                        .get(self.random.below(4) as usize)
                        .unwrap_or(&("int", 31));
                format!("(({ty})({a}) {op} (({b}) & {mask}))")
            }
            // Most runs should get further than the first division.
            5 if self.random.below(6) == 0 => {
                // Compilers know `x / x` without dividing, zero or not.
                let (op, b) = (self.random.pick(&["/", "%"]), self.expression(depth - 1));
                let b = if a == b { "g0".to_owned() } else { b };
                format!("(({a}) {op} ({b}))")
            }
            5 | 6 => {
                let (op, b) = (self.random.pick(&["/", "%"]), self.expression(depth - 1));
                format!("(({a}) {op} ((({b}) & 15) + 1))")
            }
            _ => {
                let ops = [
                    "+", "-", "*", "&", "|", "^", "<", "<=", ">", "==", "!=", "&&", "||", "+", "-",
                ];
                let (op, b) = (self.random.pick(&ops), self.expression(depth - 1));
                format!("(({a}) {op} ({b}))")
            }
        }
    }
}
