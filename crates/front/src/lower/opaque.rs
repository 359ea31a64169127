//! What is known of a function that cannot be lowered: whether it is the same code as another one, and whom it calls.
//!
//! The fingerprint is made from the function as LLVM writes it: that has every flag, alignment, predicate, type and operand
//! of every instruction. What the text says by a number or a name that means nothing in another module is said in full:
//!
//! | in the text | in the fingerprint |
//! |---|---|
//! | `%struct.s`, a named type | its fields |
//! | `@g`, a global, procedure or external | its position among what the function names ([`Opaque::names`]) |
//! | `#3`, a group of attributes | the attributes |
//! | `!dbg !7`, where it stands in the source, and other hints | nothing |
//!
//! The fingerprint of one instruction alone ([`instruction`]), a hole in code that could be lowered else, is made in the same way, with
//! the attributes of the function around it; there the names of locals and labels stand for the position of their first mention,
//! since who asks has the operands themselves.
//!
//! In that of a function names of locals and labels are kept: a function in which a local was renamed counts as another one. Whatever the reading below does not
//! understand makes the code unknown, which is never the same as anything.

use super::module::{Lowered, ModuleLowering};
use crate::llvm::{TyKind, Value};
use llvm_sys::LLVMOpcode::*;
use std::collections::{BTreeSet, HashMap, HashSet};
use verdiff_model::{Address, Opaque, OpaqueCall, fingerprint};

/// Metadata that changes nothing about what an instruction does.
const HINTS: [&str; 7] =
    ["dbg", "srcloc", "llvm.loop", "tbaa", "tbaa.struct", "nosanitize", "prof"];
/// How the names of intrinsics begin that call nothing. Others may call anything.
const CALL_NOTHING: [&str; 14] = [
    "llvm.va_",
    "llvm.memcpy.",
    "llvm.memmove.",
    "llvm.memset.",
    "llvm.lifetime.",
    "llvm.stack",
    "llvm.trap",
    "llvm.ubsantrap",
    "llvm.expect",
    "llvm.sadd.with.overflow.",
    "llvm.ssub.with.overflow.",
    "llvm.smul.with.overflow.",
    "llvm.objectsize.",
    "llvm.is.constant.",
];
/// Nested struct types deeper than this are not written out.
const DEEPEST: usize = 64;

/// What is known of the code of a function; nothing if some of it cannot be written down.
pub fn opaque<'m>(m: &mut ModuleLowering<'m>, function: Value<'m>) -> Option<Opaque> {
    let mut reader = OpaqueReader::new(m);
    let code = reader.function(function).ok()?;
    Some(reader.finish(&code))
}

/// A fingerprint of the code of a function with the names of all that it uses.
pub fn code_with_names<'m>(m: &mut ModuleLowering<'m>, function: Value<'m>) -> Option<u128> {
    let Opaque { code, names, takes, .. } = opaque(m, function)?;
    let program = &m.program;
    let name = |address: &Address| match *address {
        Address::Procedure(id) => program.procedure(id).symbol.clone(),
        Address::External(id) => program.external(id).name.clone(),
        Address::Global(id) => program.global(id).symbol.clone(),
        Address::Local(id) => format!("{id:?}"),
    };
    let names: Vec<String> = names.iter().chain(&takes).map(name).collect();
    Some(fingerprint(&format!("{code:032x} {names:?}")))
}

/// What is known of one instruction. Its operands that are no constants are not part of it.
pub fn instruction<'m>(
    m: &mut ModuleLowering<'m>,
    function: Value<'m>,
    inst: Value<'m>,
) -> Lowered<Opaque> {
    let text = inst.text();
    if text.contains("blockaddress") {
        // Its label would be lost.
        return Err("the address of a label".to_owned());
    }
    let mut reader = OpaqueReader::new(m);
    reader.mentioned = Some(HashMap::new());
    reader.types(inst)?;
    reader.locals.insert(inst.name());
    reader.locals.extend(inst.operands().map(Value::name));
    let mut code = attributes(function.function_attributes())?;
    code += &reader.instruction(inst)?;
    for line in text.lines() {
        code += reader.line(line)?.trim();
        code.push('\n');
    }
    Ok(reader.finish(&code))
}

struct OpaqueReader<'a, 'm> {
    m: &'a mut ModuleLowering<'m>,
    /// The names of parameters, blocks and instructions.
    locals: HashSet<String>,
    slots: HashMap<Address, usize>,
    found: Opaque,
    calls: BTreeSet<OpaqueCall>,
    takes: BTreeSet<Address>,
    /// The position of each local, if names do not matter.
    mentioned: Option<HashMap<String, usize>>,
}

impl<'a, 'm> OpaqueReader<'a, 'm> {
    fn new(m: &'a mut ModuleLowering<'m>) -> OpaqueReader<'a, 'm> {
        OpaqueReader {
            m,
            locals: HashSet::new(),
            slots: HashMap::new(),
            found: Opaque::default(),
            calls: BTreeSet::new(),
            takes: BTreeSet::new(),
            mentioned: None,
        }
    }

    fn finish(self, code: &str) -> Opaque {
        let mut found = self.found;
        found.code = fingerprint(code);
        found.calls = self.calls.into_iter().collect();
        found.takes = self.takes.into_iter().collect();
        found
    }

    fn function(&mut self, function: Value<'m>) -> Lowered<String> {
        let mut code = attributes(function.function_attributes())?;
        self.types(function)?;
        self.locals.extend(function.params().into_iter().map(Value::name));
        for block in function.blocks() {
            self.locals.insert(block.name());
            for inst in block.instructions() {
                self.locals.insert(inst.name());
                self.types(inst)?;
                code += &self.instruction(inst)?;
            }
        }
        for line in function.text().lines().filter(|line| !line.contains("@llvm.dbg.")) {
            code += &self.line(line)?;
            code.push('\n');
        }
        Ok(code)
    }

    /// Notes what an instruction calls and whose addresses it uses. Gives the attributes of a call.
    fn instruction(&mut self, inst: Value<'m>) -> Lowered<String> {
        let is_call = matches!(inst.opcode(), LLVMCall | LLVMInvoke | LLVMCallBr);
        let callee = is_call.then(|| self.m.resolve(inst.callee()));
        for operand in inst.operands() {
            if callee != Some(self.m.resolve(operand)) || is_argument(inst, operand) {
                self.operand(operand)?;
            }
        }
        let Some(callee) = callee else {
            self.found.copies |= inst.opcode() == LLVMLoad && is_aggregate(inst);
            return Ok(String::new());
        };
        let twice = self.m.attributes.returns_twice;
        self.found.returns_twice |= inst.call_has_attribute(super::module::ON_FUNCTION, twice);
        if callee.is_function() {
            self.found.returns_twice |= callee.has_attribute(super::module::ON_FUNCTION, twice);
            let name = callee.name();
            self.found.copies |= name.starts_with("llvm.mem") && !name.starts_with("llvm.memset");
            if name.starts_with("llvm.dbg.") || CALL_NOTHING.iter().any(|p| name.starts_with(p)) {
            } else if name.starts_with("llvm.") {
                self.calls.insert(OpaqueCall::Unknown);
            } else {
                self.call(callee)?;
            }
        } else {
            self.calls.insert(OpaqueCall::Unknown);
            if callee.is_assembly() {
                self.found.copies = true;
                self.assembly(&callee.assembly().0)?;
            }
        }
        attributes(inst.call_attributes())
    }

    fn call(&mut self, callee: Value<'m>) -> Lowered<()> {
        match self.m.address(callee)? {
            Address::Procedure(id) => self.calls.insert(OpaqueCall::Procedure(id)),
            Address::External(id) => self.calls.insert(OpaqueCall::External(id)),
            Address::Global(_) | Address::Local(_) => self.calls.insert(OpaqueCall::Unknown),
        };
        Ok(())
    }

    /// Assembly may name what it likes: whatever is called as a word of it is called by it.
    fn assembly(&mut self, text: &str) -> Lowered<()> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_.$".contains(c);
        for word in text.split(|c: char| !is_part(c)) {
            let Some(named) = self.m.module.named(word) else { continue };
            let named = self.m.resolve(named);
            self.slot(named)?;
            if named.is_function() {
                self.call(named)?;
            }
        }
        Ok(())
    }

    /// Notes the addresses in a constant.
    fn operand(&mut self, operand: Value<'m>) -> Lowered<()> {
        let mut work = vec![operand];
        let mut seen = HashSet::new();
        while let Some(value) = work.pop() {
            if !value.is_constant() || !seen.insert(value) {
                continue;
            }
            let value = self.m.resolve(value);
            if value.is_function() {
                if !value.name().starts_with("llvm.") {
                    self.takes.insert(self.m.address(value)?);
                }
            } else if !value.is_global_variable() && value.as_block_address().is_none() {
                work.extend(value.operands());
            }
        }
        Ok(())
    }

    /// Sees that every type has a name or is written out where it stands.
    fn types(&mut self, value: Value<'m>) -> Lowered<()> {
        let mut nameless = value.ty().has_nameless();
        if value.is_function() {
            nameless |= value.value_type().has_nameless();
        } else {
            nameless |= value.operands().any(|operand| operand.ty().has_nameless());
            nameless |= match value.opcode() {
                LLVMAlloca => value.allocated_type().has_nameless(),
                LLVMGetElementPtr => value.gep_source_type().has_nameless(),
                LLVMCall | LLVMInvoke | LLVMCallBr => value.call_type().has_nameless(),
                _ => false,
            };
        }
        if nameless { Err("a type without a name".to_owned()) } else { Ok(()) }
    }

    /// One line of the text.
    fn line(&mut self, line: &str) -> Lowered<String> {
        self.read(line, 0)
    }

    fn read(&mut self, text: &str, depth: usize) -> Lowered<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            match next {
                ';' => break,
                '"' => {
                    let (quoted, after) = quoted(rest)?;
                    out += quoted;
                    rest = after;
                }
                '@' | '%' => {
                    let (name, after) = name(&rest[1..])?;
                    out +=
                        &if next == '@' { self.global(&name)? } else { self.local(&name, depth)? };
                    rest = after;
                }
                '#' => rest = rest[1..].trim_start_matches(|c: char| c.is_ascii_digit()),
                '!' if rest[1..].starts_with('"') => {
                    out.push('!');
                    rest = &rest[1..];
                }
                '!' => {
                    let (kind, after) = name(&rest[1..])?;
                    if !HINTS.contains(&kind.as_str()) {
                        return Err(format!("the metadata {kind}"));
                    }
                    let number = after.trim_start().strip_prefix('!').ok_or("metadata")?;
                    rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
                    let kept = out.trim_end().trim_end_matches(',').len();
                    out.truncate(kept);
                }
                other => {
                    out.push(other);
                    rest = &rest[other.len_utf8()..];
                }
            }
        }
        Ok(out)
    }

    /// What a name with `@` stands for.
    fn global(&mut self, name: &str) -> Lowered<String> {
        if name.starts_with("llvm.") {
            return Ok(format!("@{name}"));
        }
        let value = self.m.module.named(name).ok_or("a name that nothing has")?;
        let value = self.m.resolve(value);
        Ok(format!("@[{}]", self.slot(value)?))
    }

    fn slot(&mut self, value: Value<'m>) -> Lowered<usize> {
        let address = self.m.address(value)?;
        let next = self.found.names.len();
        let slot = *self.slots.entry(address).or_insert(next);
        if slot == next {
            self.found.names.push(address);
        }
        Ok(slot)
    }

    /// What a name with `%` stands for: a value or block of the function, or a type.
    fn local(&mut self, name: &str, depth: usize) -> Lowered<String> {
        let number = name.chars().all(|c| c.is_ascii_digit());
        let ty = if number { None } else { self.m.module.named_type(name) };
        match (number || self.locals.contains(name) && depth == 0, ty) {
            (true, None) => Ok(match &mut self.mentioned {
                None => format!("%{name}"),
                Some(mentioned) => {
                    let next = mentioned.len();
                    format!("%[{}]", mentioned.entry(name.to_owned()).or_insert(next))
                }
            }),
            (false, Some(ty)) if depth < DEEPEST => {
                let text = ty.text();
                let (_, fields) = text.split_once(" = type ").ok_or("a type without fields")?;
                self.read(fields, depth + 1)
            }
            // Nobody could tell one from the other.
            _ => Err(format!("the name {name}")),
        }
    }
}

/// Whether a function that is called is also among the arguments.
fn is_argument<'m>(call: Value<'m>, operand: Value<'m>) -> bool {
    (0..call.arg_count()).any(|index| call.operand(index) == operand)
}

fn is_aggregate(inst: Value<'_>) -> bool {
    matches!(inst.ty().kind(), TyKind::Struct(_) | TyKind::Array(..) | TyKind::Vector(..))
}

fn attributes(list: Option<Vec<String>>) -> Lowered<String> {
    Ok(format!("[{}]\n", list.ok_or("an attribute")?.join(" ")))
}

/// A name behind `@`, `%` or `!`, and what follows it.
fn name(text: &str) -> Lowered<(String, &str)> {
    if text.starts_with('"') {
        let (quoted, after) = quoted(text)?;
        return Ok((unescaped(&quoted[1..quoted.len() - 1])?, after));
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-$._".contains(c);
    let len = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    if len == 0 { Err("a name".to_owned()) } else { Ok((text[..len].to_owned(), &text[len..])) }
}

/// Text in quotes, with them, and what follows it. A quote inside is written as `\22`.
fn quoted(text: &str) -> Lowered<(&str, &str)> {
    let end = text[1..].find('"').ok_or("a quote without an end")?;
    Ok(text.split_at(end + 2))
}

fn unescaped(text: &str) -> Lowered<String> {
    let mut bytes = vec![];
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next(), rest.next()].map(|d| d.map_or('?', char::from));
        let code = String::from_iter(digits);
        bytes.push(u8::from_str_radix(&code, 16).map_err(|_| "an escape".to_owned())?);
    }
    String::from_utf8(bytes).map_err(|_| "a name that is no text".to_owned())
}
