//! Witnesses as C tests: one readable file that passes on one version and fails on the other.
//!
//! The file includes the version it tests, so static functions and globals are reachable, builds the entry state with
//! C types where they are known, calls the function, and checks results, memory, output and calls of
//! external functions against what one version was seen to do: the old one if it returned.

mod calls;
mod checks;
mod literal;

use super::{Ended, Observed, Replayed, Replayer, Request};
use crate::agree::who_sees;
use crate::compare::is_visible;
use crate::compiled::{Instrument, outside};
use crate::padding;
use std::fmt::Write;
use verdiff_judge::NoTest;
use verdiff_model::state::{EntryState, Object, ObjectEnd, Outcome, Pointer, PointerTarget, Value};
use verdiff_model::{CType, CTypeId, Frame, GlobalId, Procedure, Program, Type};

const PRELUDE: &str = include_str!("prelude.h");
const PROCESS: &str = include_str!("process.h");
/// What the test or the version leaves on the heap is no error; whether it is reported would depend on what the stack still holds.
const NO_LEAKS: &str =
    "const char *__asan_default_options(void)\n{\n    return \"detect_leaks=0\";\n}\n";

/// A test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCase {
    /// Names and texts.
    pub files: Vec<(String, String)>,
    /// Whether it is the old version that passes.
    pub passes_on_old: bool,
    /// Flags without which the version that fails may not be seen to: a sanitizer.
    pub flags: Vec<String>,
}

impl Replayer<'_> {
    /// Writes a confirmed request down as a C test; an error says what about it cannot be written.
    pub fn test_case(
        &mut self,
        request: &Request,
        replayed: &Replayed,
    ) -> Result<TestCase, NoTest> {
        if !replayed.status.is_confirmed() {
            return Err(NoTest::Unconfirmed);
        }
        // It was run before: what cannot be done now is of no interest.
        let request = &self.levelled(request).map_err(|_| NoTest::NotAgain)?;
        if !request.old.1.outside.failures.is_empty() {
            return Err(NoTest::FailingAllocation);
        }
        let returned = |observed: &Observed| observed.end == Some(Ended::Returned);
        let passes_on_old = returned(&replayed.old) || !returned(&replayed.new);
        let (old, new) = (self.old.own_program(), self.new.own_program());
        let (half, state) = match passes_on_old {
            true => (&mut self.old, &request.old),
            false => (&mut self.new, &request.new),
        };
        let frame = half.frame(state.0).map_err(|_| NoTest::NotAgain)?;
        let (other, other_id) =
            if passes_on_old { (new, request.new.0) } else { (old, request.old.0) };
        let mine = half.own_program();
        let missing = other.externals.iter().filter(|e| !verdiff_model::interp::is_emulated(e));
        if let Some(external) =
            missing.clone().find(|e| mine.externals.iter().all(|m| m.name != e.name))
        {
            return Err(NoTest::OneSided(external.name.clone()));
        }
        let predicted = half.predict(state, &self.options).map_err(|_| NoTest::NotAgain)?;
        let program = half.own_program();
        let (pass, fail) = match passes_on_old {
            true => (&replayed.old, &replayed.new),
            false => (&replayed.new, &replayed.old),
        };
        let test = Test {
            program,
            procedure: program.procedure(state.0),
            other,
            other_type: other.procedure(other_id).ctype,
            entry: &state.1,
            frame: &frame,
            predicted: &predicted,
            pass,
            fail,
        };
        if let (Some(Ended::Trapped { .. }), Some(Ended::Trapped { .. })) = (&pass.end, &fail.end)
            && pass.printed == fail.printed
        {
            return Err(NoTest::BothTrap);
        }
        let flags = test.flags();
        let text = test.text(passes_on_old, &flags)?;
        let name = format!("{}_test.c", test.procedure.name);
        Ok(TestCase { files: vec![(name, text)], passes_on_old, flags })
    }
}

struct Test<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    /// The other version, with the function's type there.
    other: &'a Program,
    other_type: Option<CTypeId>,
    entry: &'a EntryState,
    frame: &'a Frame,
    predicted: &'a Outcome,
    /// What the version that passes did.
    pass: &'a Observed,
    fail: &'a Observed,
}

/// How the source's parameters are passed.
struct Signature {
    result: CTypeId,
    /// Whether the first machine parameter is where the result goes.
    result_behind_pointer: bool,
    params: Vec<Param>,
}

struct Param {
    ctype: CTypeId,
    /// The machine's parameters it became.
    lanes: std::ops::Range<usize>,
    /// Whether it is a struct that is passed behind a pointer.
    by_value: bool,
}

impl Test<'_> {
    fn flags(&self) -> Vec<String> {
        let hidden = match &self.fail.end {
            Some(Ended::Trapped { trap, .. }) if !is_visible(*trap) => who_sees(*trap),
            _ => None,
        };
        let freed =
            |observed: &Observed| observed.objects.iter().any(|(_, end)| *end == ObjectEnd::Freed);
        let instrument =
            hidden.or((freed(self.fail) && !freed(self.pass)).then_some(Instrument::Address));
        instrument.map_or(&[][..], Instrument::flags).iter().map(|f| (*f).to_owned()).collect()
    }

    /// Whether the version must run in a process of its own.
    fn in_process(&self) -> bool {
        self.pass.end != Some(Ended::Returned)
            || matches!(self.fail.end, Some(Ended::Exited(_) | Ended::LeftThrough(_)))
            || !self.pass.printed.is_empty()
            || !self.fail.printed.is_empty()
    }

    fn text(&self, passes_on_old: bool, flags: &[String]) -> Result<String, NoTest> {
        let signature = self.signature()?;
        let name = &self.procedure.name;
        let (good, bad) = if passes_on_old { ("old", "new") } else { ("new", "old") };
        let all = [&crate::replay::MEANING_FLAGS.map(str::to_owned)[..], flags].concat().join(" ");
        let mut text = format!(
            "/* A difference of `{name}`, found by verdiff: this passes on the {good} version and fails on the {bad} one.\n \
             *\n \
             *   clang {all} -DSOURCE='\"{good}.c\"' {name}_test.c -o {good}_test && ./{good}_test   # exits with 0\n \
             *   clang {all} -DSOURCE='\"{bad}.c\"' {name}_test.c -o {bad}_test && ./{bad}_test   # does not\n \
             */\n\
             #ifndef SOURCE\n#error \"compile with -DSOURCE='\\\"old.c\\\"'\"\n#endif\n"
        );
        // The version may have one of its own.
        text.push_str("#define main main_of_the_version\n#include SOURCE\n#undef main\n\n");
        text.push_str(PRELUDE);
        if flags.iter().any(|flag| flag.contains("address")) {
            text.push_str(NO_LEAKS);
        }
        if self.in_process() {
            let room = (0..2).map(|stream| self.printed(stream).len() + 1).max().unwrap_or(0);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "enum {{ ROOM = {} }};", room.next_power_of_two().max(1 << 16));
            text.push_str(PROCESS);
        }
        let calls = self.calls()?;
        text.push_str(&calls.definitions);
        text.push_str(if self.in_process() {
            "\nstatic void body(void)\n{\n"
        } else {
            "\nint main(void)\n{\n"
        });
        self.set_up(&mut text, &signature)?;
        self.call(&mut text, &signature)?;
        if self.in_process() {
            text.push_str("    called();\n");
        }
        if self.pass.end == Some(Ended::Returned) {
            checks::memory(self, &signature, &mut text)?;
            text.push_str(&calls.checks);
        }
        if self.in_process() {
            text.push_str("}\n\n");
            self.process(&mut text);
        } else {
            text.push_str("    return failed;\n}\n");
        }
        Ok(text)
    }

    fn signature(&self) -> Result<Signature, NoTest> {
        let types = &self.program.ctypes;
        let ctype = self.procedure.ctype.ok_or(NoTest::UnknownType)?;
        let CType::Function { result, parameters, variadic } = types.get(types.resolve(ctype))
        else {
            return Err(NoTest::UnknownType);
        };
        if *variadic {
            return Err(NoTest::Variadic);
        }
        let machine = &self.procedure.params;
        let is_record = |id: CTypeId| matches!(types.get(types.resolve(id)), CType::Record { .. });
        let pointer =
            |at: usize| machine.get(at).is_some_and(|var| self.procedure.var(*var).ty == Type::Ptr);
        let result_behind_pointer = self.procedure.results.is_empty()
            && is_record(*result)
            && types.size(*result).unwrap_or(0) > 0
            && pointer(0);
        let mut at = usize::from(result_behind_pointer);
        let mut params = vec![];
        for param in parameters {
            let by_value =
                is_record(*param) && self.frame.by_value.get(at).is_some_and(Option::is_some);
            let from = at;
            if !is_record(*param) || by_value {
                at += 1;
            } else {
                let mut left = types.size(*param).unwrap_or(0);
                while left > 0 && at < machine.len() {
                    left = left.saturating_sub(self.procedure.var(machine[at]).ty.bytes());
                    at += 1;
                }
            }
            params.push(Param { ctype: *param, lanes: from..at, by_value });
        }
        if at != machine.len() {
            return Err(NoTest::Parameters);
        }
        Ok(Signature { result: *result, result_behind_pointer, params })
    }

    /// The type that the source says is in an object.
    fn element(&self, signature: &Signature, object: u32) -> Option<CTypeId> {
        let leads = |param: &Param| {
            param.lanes.clone().any(|lane| {
                matches!(self.entry.args[lane], Value::Pointer(p) if p.target == PointerTarget::Object(object))
            })
        };
        let (index, param) = signature.params.iter().enumerate().find(|(_, param)| leads(param))?;
        // A struct with another layout there is not what the state holds.
        if !self.is_common(index, param) {
            return None;
        }
        if param.by_value {
            return Some(param.ctype);
        }
        self.program.ctypes.target(param.ctype)
    }

    /// Whether a parameter's type has the same layout in both versions.
    fn is_common(&self, index: usize, param: &Param) -> bool {
        let types = &self.other.ctypes;
        let other = self.other_type.map(|id| types.get(types.resolve(id)));
        match other {
            Some(CType::Function { parameters, .. }) => {
                parameters.get(index).is_some_and(|there| {
                    literal::layout(&self.program.ctypes, param.ctype, 0)
                        == literal::layout(types, *there, 0)
                })
            }
            _ => false,
        }
    }

    fn set_up(&self, text: &mut String, signature: &Signature) -> Result<(), NoTest> {
        let types = &self.program.ctypes;
        for (index, object) in self.entry.objects.iter().enumerate() {
            if signature.result_behind_pointer
                && self.entry.args[0] == Pointer::object(index as u32).into()
            {
                continue;
            }
            let Object { contents, align } = object;
            if *align > 16 {
                return Err(NoTest::Alignment);
            }
            let element = self.element(signature, index as u32);
            let size = contents.bytes.len();
            let typed = literal::typed(types, element, &contents.bytes);
            let bytes = typed.clone().unwrap_or_else(|| literal::bytes(&contents.bytes));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    char *m{index} = object({bytes}, {size});");
            if let (Some(_), Some(one)) = (typed, element.and_then(|e| padding::of(types, e))) {
                clear_padding(text, &format!("m{index}"), &one, size);
            }
        }
        for (index, object) in self.entry.objects.iter().enumerate() {
            for link in &object.contents.pointers {
                let to = self.pointer(link.to)?;
                let _ = writeln!(text, "    *(void **)(m{index} + {}) = {to};", link.offset);
            }
        }
        for (id, contents) in &self.entry.globals {
            let name = self.global(*id)?;
            let global = self.program.global(*id);
            let scalar = global.ctype.filter(|c| {
                !matches!(types.get(types.resolve(*c)), CType::Array { .. } | CType::Record { .. })
            });
            match scalar.and_then(|ctype| literal::value(types, ctype, &contents.bytes)) {
                Some(value) => {
                    let _ = writeln!(text, "    {name} = {value};");
                }
                None => {
                    let bytes = literal::bytes(&contents.bytes);
                    let size = contents.bytes.len();
                    let _ =
                        writeln!(text, "    __builtin_memcpy((void *)&{name}, {bytes}, {size});");
                }
            }
            for link in &contents.pointers {
                let to = self.pointer(link.to)?;
                let _ = writeln!(text, "    *(void **)((char *)&{name} + {}) = {to};", link.offset);
            }
        }
        for (index, param) in signature.params.iter().enumerate() {
            self.argument(text, index, param)?;
        }
        Ok(())
    }

    fn argument(&self, text: &mut String, index: usize, param: &Param) -> Result<(), NoTest> {
        let types = &self.program.ctypes;
        let name = format!("arg{index}");
        // It is assigned to, so it must not be constant.
        let declared = types.declare(unqualified(self.program, param.ctype), &name);
        if declared.contains("{...}") {
            return Err(NoTest::UnnamedType);
        }
        let record = matches!(types.get(types.resolve(param.ctype)), CType::Record { .. });
        if record && !self.is_common(index, param) {
            return Err(NoTest::StructLayout);
        }
        if param.by_value {
            let Value::Pointer(to) = self.entry.args[param.lanes.start] else {
                return Err(NoTest::Parameters);
            };
            let from = self.pointer(to)?;
            let _ = writeln!(
                text,
                "    {declared};\n    __builtin_memcpy(&{name}, {from}, sizeof {name});"
            );
            return Ok(());
        }
        let mut bytes = vec![];
        for lane in param.lanes.clone() {
            let ty = self.procedure.var(self.procedure.params[lane]).ty;
            let size = ty.bytes() as usize;
            match self.entry.args[lane] {
                Value::Pointer(to) if param.lanes.len() == 1 => {
                    let to = self.pointer(to)?;
                    let _ = writeln!(text, "    {declared} = {to};");
                    return Ok(());
                }
                Value::Pointer(_) => return Err(NoTest::PointerInStruct),
                Value::Bits(bits) => {
                    bytes.resize(bytes.len().next_multiple_of(size.next_power_of_two()), 0);
                    bytes.extend(&bits.to_le_bytes()[..size]);
                }
            }
        }
        let size = types.size(param.ctype).unwrap_or(0) as usize;
        // `_Bool` is a bit for the machine, and the ABI may pad what it passes.
        bytes.resize(size.max(1), 0);
        match literal::value(types, param.ctype, &bytes[..size]) {
            Some(value) => {
                let _ = writeln!(text, "    {declared} = {value};");
                if let Some(one) = padding::of(types, param.ctype) {
                    clear_padding(text, &format!("(char *)&{name}"), &one, size);
                }
            }
            None => {
                let bytes = literal::bytes(&bytes[..size]);
                let _ = writeln!(
                    text,
                    "    {declared};\n    __builtin_memcpy(&{name}, {bytes}, {size});"
                );
            }
        }
        Ok(())
    }

    fn call(&self, text: &mut String, signature: &Signature) -> Result<(), NoTest> {
        let types = &self.program.ctypes;
        let args: Vec<String> = (0..signature.params.len()).map(|i| format!("arg{i}")).collect();
        // The version's `main` was renamed where it was defined.
        let name = match self.procedure.name.as_str() {
            "main" => "main_of_the_version",
            name => name,
        };
        let call = format!("{name}({})", args.join(", "));
        if matches!(types.get(types.resolve(signature.result)), CType::Void) {
            let _ = writeln!(text, "    {call};");
            return Ok(());
        }
        let result = types.declare(unqualified(self.program, signature.result), "result");
        if result.contains("{...}") {
            return Err(NoTest::UnnamedType);
        }
        let _ = writeln!(text, "    {result} = {call};");
        Ok(())
    }

    /// The end of a test that runs the version in a process.
    fn process(&self, text: &mut String) {
        text.push_str("int main(void)\n{\n    int returned = 0, status = run(&returned);\n");
        let expected = match &self.pass.end {
            Some(Ended::Exited(status)) => {
                format!(
                    "!returned && WIFEXITED(status) && WEXITSTATUS(status) == {}",
                    status & 0xff
                )
            }
            Some(Ended::Trapped { .. }) => "!returned && WIFSIGNALED(status)".to_owned(),
            _ => "returned".to_owned(),
        };
        let _ = writeln!(
            text,
            "    if (!({expected})) {{\n        printf(\"it ends in another way: status %d\\n\", status);\n        failed = 1;\n    }}"
        );
        for (index, stream) in ["stdout", "stderr"].iter().enumerate() {
            let bytes = self.printed(index);
            let (expected, length) = (literal::text(&bytes), bytes.len());
            let _ = writeln!(text, "    check_text(\"{stream}\", {expected}, {length}, {index});");
        }
        text.push_str("    return failed;\n}\n");
    }

    /// What the version that passes prints to a standard stream.
    fn printed(&self, stream: usize) -> Vec<u8> {
        let (name, descriptor) =
            (["stdout", "stderr"][stream], format!("descriptor {}", stream + 1));
        let printed = self.pass.printed.iter().filter(|p| p.to == name || p.to == descriptor);
        printed.flat_map(|p| p.bytes.clone()).collect()
    }

    /// A pointer as an expression of type `void *`.
    fn pointer(&self, to: Pointer) -> Result<String, NoTest> {
        let base = match to.target {
            PointerTarget::Null if to.offset == 0 => return Ok("0".to_owned()),
            PointerTarget::Null => return Ok(format!("(void *){}LL", to.offset)),
            PointerTarget::Object(index) => format!("m{index}"),
            PointerTarget::Global(id) => format!("(char *)&{}", self.global(id)?),
            PointerTarget::Procedure(id) => {
                return Ok(format!("(void *){}", self.program.procedure(id).name));
            }
            PointerTarget::External(id) => {
                return Ok(format!("(void *){}", self.program.external(id).name));
            }
            PointerTarget::Fresh(_) => return Err(NoTest::PointerToNew),
        };
        Ok(match to.offset {
            0 => format!("(void *)({base})"),
            offset => format!("(void *)({base} + {offset})"),
        })
    }

    /// The name of a global that the test can reach.
    fn global(&self, id: GlobalId) -> Result<&str, NoTest> {
        let global = self.program.global(id);
        let named = global.name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if global.owner.is_some() || !named || global.name.is_empty() {
            return Err(NoTest::Unreachable(global.name.clone()));
        }
        if global.init.is_none() && !outside::is_of_the_library(global) {
            return Err(NoTest::DefinedElsewhere(global.name.clone()));
        }
        Ok(&global.name)
    }
}

/// Sets padding to zero, in each element that begins at a place.
fn clear_padding(text: &mut String, place: &str, one: &[bool], size: usize) {
    for (at, length) in padding::runs(one) {
        // Writing to a string cannot fail.
        let _ = match size / one.len() {
            0 | 1 => {
                writeln!(text, "    __builtin_memset({place} + {at}, 0, {length}); /* padding */")
            }
            count => writeln!(
                text,
                "    for (int i = 0; i < {count}; i++) __builtin_memset({place} + {} * i + {at}, 0, {length}); /* padding */",
                one.len()
            ),
        };
    }
}

/// A type without its outermost qualifiers.
fn unqualified(program: &Program, mut id: CTypeId) -> CTypeId {
    while let CType::Qualified { target, .. } = program.ctypes.get(id) {
        id = *target;
    }
    id
}
