//! External functions of a test: they answer what the model chose, and note how they are called.

use super::Test;
use super::literal;
use std::collections::BTreeMap;
use std::fmt::Write;
use verdiff_judge::NoTest;
use verdiff_model::state::{Effect, Event, Value};
use verdiff_model::{External, ExternalKind, FloatKind, Global, GlobalId, Linkage, Type};

/// The functions, and the checks of how they were called.
#[derive(Default)]
pub(super) struct Calls {
    pub(super) definitions: String,
    pub(super) checks: String,
}

const NOTES: &str = r#"
/* Functions that are not here answer what makes the difference; how they are called is noted. */
static char calls[CALLS];
static void note(const char *format, ...)
{
    __builtin_va_list list;
    unsigned long used = __builtin_strlen(calls);
    __builtin_va_start(list, format);
    __builtin_vsnprintf(calls + used, sizeof calls - used, format, list);
    __builtin_va_end(list);
}
"#;

impl Test<'_> {
    pub(super) fn calls(&self) -> Result<Calls, NoTest> {
        let mut answers: BTreeMap<&str, Vec<&Effect>> = BTreeMap::new();
        // What only the other version calls must be there, too.
        for external in &self.program.externals {
            let unknown = !verdiff_model::interp::is_emulated(external)
                && external.kind == ExternalKind::Function;
            if unknown {
                answers.insert(&external.name, vec![]);
            }
        }
        if answers.is_empty() {
            return Ok(Calls::default());
        }
        let mut expected = String::new();
        for event in &self.predicted.world.events {
            let Event::Call { name, args, effect: Some(effect), .. } = event else { continue };
            let Some(list) = answers.get_mut(name.as_str()) else { continue };
            list.push(effect);
            self.note(&mut expected, name, args)?;
        }
        // Twice as much as is expected: one call more is seen as well.
        let room = (2 * expected.len() + 2).next_power_of_two().max(1 << 12);
        let definitions = format!("enum {{ CALLS = {room} }};{NOTES}");
        let mut calls = Calls { definitions, checks: String::new() };
        for (name, effects) in &answers {
            self.define(&mut calls.definitions, name, effects)?;
        }
        let expected = literal::text(expected.as_bytes());
        calls.checks = format!(
            "    if (__builtin_strcmp(calls, {expected})) {{\n        \
             __builtin_printf(\"calls: \\\"%s\\\" expected, got \\\"%s\\\"\\n\", {expected}, calls);\n        failed = 1;\n    }}\n"
        );
        Ok(calls)
    }

    fn external(&self, name: &str) -> Result<&External, NoTest> {
        let external = self.program.externals.iter().find(|e| e.name == name);
        external.ok_or_else(|| NoTest::OneSided(name.to_owned()))
    }

    /// The note that a call leaves: its numbers as bits. Pointers are not compared.
    fn note(&self, text: &mut String, name: &str, args: &[Value]) -> Result<(), NoTest> {
        // Writing to a string cannot fail.
        let _ = write!(text, "{name}(");
        for (ty, arg) in self.external(name)?.signature.params.iter().zip(args) {
            if let Value::Bits(bits) = arg
                && is_noted(*ty)
            {
                let _ = write!(text, " {:x}", bits & ty.mask());
            }
        }
        text.push_str(") ");
        Ok(())
    }

    /// The name of a global that a function writes, in both versions.
    fn written(&self, symbol: &str) -> Result<&str, NoTest> {
        let visible = |global: &Global| {
            global.symbol == symbol && global.linkage == Linkage::External && global.init.is_some()
        };
        let index = self.program.globals.iter().position(visible);
        let index = index.ok_or_else(|| NoTest::DefinedElsewhere(symbol.to_owned()))?;
        let name = self.global(GlobalId::new(index))?;
        match self.other.globals.iter().any(|g| visible(g) && g.name == name) {
            true => Ok(name),
            false => Err(NoTest::OneSided(name.to_owned())),
        }
    }

    /// Defines a function by the machine types it is called with, under a name of its own: how the
    /// source declares it is not known, and need not be.
    fn define(&self, text: &mut String, name: &str, effects: &[&Effect]) -> Result<(), NoTest> {
        let external = self.external(name)?;
        let signature = &external.signature;
        if external.no_return
            || external.by_value.iter().any(Option::is_some)
            || signature.results.len() > 1
        {
            return Err(NoTest::StubSignature(name.to_owned()));
        }
        let machine = |ty: &Type| c_type(*ty).ok_or_else(|| NoTest::StubSignature(name.to_owned()));
        let mut list = vec![];
        for (index, ty) in signature.params.iter().enumerate() {
            list.push(format!("{} arg{index}", machine(ty)?));
        }
        let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
        let result = match signature.results.first() {
            Some(ty) => machine(ty)?,
            None => "void",
        };
        let head = format!(
            "{result} stub_{name}({list}{})",
            if signature.variadic { ", ..." } else { "" }
        );
        let _ = writeln!(
            text,
            "\n{head} __asm__(\"{name}\");\n{head}\n{{\n    static int call;\n    note(\"{name}(\");"
        );
        for (index, ty) in signature.params.iter().enumerate() {
            let size = ty.bytes();
            if matches!(ty, Type::Int(1..=64) | Type::Float(FloatKind::Single | FloatKind::Double))
            {
                let _ = writeln!(
                    text,
                    "    unsigned long long bits{index} = 0;\n    __builtin_memcpy(&bits{index}, &arg{index}, {size});\n    note(\" %llx\", bits{index});"
                );
            }
        }
        let _ = writeln!(text, "    note(\") \");\n    switch (call++) {{");
        for (number, effect) in effects.iter().enumerate() {
            let _ = writeln!(text, "    case {number}:");
            for fill in &effect.fills {
                let _ = writeln!(
                    text,
                    "        __builtin_memcpy((char *)arg{} + {}, {}, {});",
                    fill.arg,
                    fill.offset,
                    literal::bytes(&fill.bytes),
                    fill.bytes.len()
                );
            }
            for write in &effect.writes {
                let _ = writeln!(
                    text,
                    "        __builtin_memcpy((char *)&{} + {}, {}, {});",
                    self.written(&write.symbol)?,
                    write.offset,
                    literal::bytes(&write.bytes),
                    write.bytes.len()
                );
            }
            match (effect.results.first(), signature.results.first()) {
                _ if effect.returned.is_some() => {
                    let argument = effect.returned.unwrap_or_default();
                    let _ = writeln!(text, "        return (void *)arg{argument};");
                }
                (Some(bits), Some(ty)) => {
                    let value =
                        answer(*ty, *bits).ok_or_else(|| NoTest::StubResult(name.to_owned()))?;
                    let _ = writeln!(text, "        return {value};");
                }
                _ => text.push_str("        break;\n"),
            }
        }
        text.push_str("    }\n");
        if !signature.results.is_empty() {
            text.push_str("    return 0;\n");
        }
        text.push_str("}\n");
        Ok(())
    }
}

/// Whether a call's note has an argument of the type.
fn is_noted(ty: Type) -> bool {
    matches!(ty, Type::Int(1..=64) | Type::Float(FloatKind::Single | FloatKind::Double))
}

/// The C type that is passed as the machine type is.
fn c_type(ty: Type) -> Option<&'static str> {
    Some(match ty {
        Type::Ptr => "void *",
        Type::Int(1) => "_Bool",
        Type::Int(8) => "unsigned char",
        Type::Int(16) => "unsigned short",
        Type::Int(32) => "unsigned",
        Type::Int(64) => "unsigned long long",
        Type::Float(FloatKind::Single) => "float",
        Type::Float(FloatKind::Double) => "double",
        Type::Float(FloatKind::X87) => "long double",
        _ => return None,
    })
}

fn answer(ty: Type, bits: u128) -> Option<String> {
    match ty {
        Type::Ptr if bits == 0 => Some("0".to_owned()),
        Type::Int(1..=64) => Some(match bits & ty.mask() {
            small @ 0..=0x7fff_ffff => small.to_string(),
            large => format!("{large}ULL"),
        }),
        Type::Float(FloatKind::Single) => {
            Some(f32::from_bits(bits as u32)).filter(|v| v.is_finite()).map(|v| format!("{v:?}f"))
        }
        Type::Float(FloatKind::Double) => {
            Some(f64::from_bits(bits as u64)).filter(|v| v.is_finite()).map(|v| format!("{v:?}"))
        }
        _ => None,
    }
}
