//! What a test checks after the call: the result and all memory that the version could have written. Padding is not compared, unless the
//! version that fails left another value there, which may be the only difference there is.

use super::{Ended, Signature, Test, literal};
use crate::padding;
use crate::replay::Observed;
use std::collections::BTreeMap;
use std::fmt::Write;
use verdiff_judge::NoTest;
use verdiff_model::state::{
    Contents, ObjectEnd, Pointer, PointerTarget, Returned, Value, initial_contents,
};
use verdiff_model::{CType, CTypeId, Type};

/// Writes the checks.
pub(super) fn memory(
    test: &Test<'_>,
    signature: &Signature,
    text: &mut String,
) -> Result<(), NoTest> {
    let mut checks = Checks { test, text, fresh: BTreeMap::new() };
    checks.result(signature);
    for (index, object) in test.entry.objects.iter().enumerate() {
        let left = |observed: &Observed| {
            let end = observed.objects.iter().find(|(at, _)| *at as usize == index);
            match end.map(|(_, end)| end) {
                Some(ObjectEnd::Freed) => None,
                Some(ObjectEnd::Written(contents)) => Some(contents.clone()),
                Some(ObjectEnd::Untouched) | None => Some(object.contents.clone()),
            }
        };
        let Some(contents) = left(test.pass) else { continue };
        let is_result = signature.result_behind_pointer
            && test.entry.args[0] == Pointer::object(index as u32).into();
        let (name, base) = match is_result {
            true => ("the result".to_owned(), "(char *)&result".to_owned()),
            false => (format!("what m{index} holds"), format!("m{index}")),
        };
        let element = match is_result {
            true => Some(signature.result),
            false => test.element(signature, index as u32),
        };
        checks.contents(&name, &base, &contents, element, left(test.fail).as_ref());
    }
    checks.globals();
    checks.new_objects();
    Ok(())
}

struct Checks<'a, 'b> {
    test: &'a Test<'a>,
    text: &'b mut String,
    /// Where new objects are found.
    fresh: BTreeMap<u32, String>,
}

impl Checks<'_, '_> {
    fn line(&mut self, line: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "    {line}");
    }

    fn result(&mut self, signature: &Signature) {
        let types = &self.test.program.ctypes;
        let values: &[Returned] = &self.test.pass.returned;
        let is_record = matches!(types.get(types.resolve(signature.result)), CType::Record { .. });
        if let ([one], false) = (values, is_record) {
            let Some(value) = one.value else { return };
            match (value, one.ty) {
                (Value::Pointer(to), _) => self.pointer("the result", to, "(void *)result"),
                (Value::Bits(bits), Type::Int(width)) if width <= 64 => {
                    let size = types.size(signature.result).unwrap_or(8).min(8) as usize;
                    let bytes = &bits.to_le_bytes()[..size];
                    match literal::value(types, signature.result, bytes) {
                        Some(value) => {
                            self.line(&format!("check_int(\"the result\", {value}, result);"))
                        }
                        None => self.line(&format!("check_int(\"the result\", {bits}, result);")),
                    }
                }
                (Value::Bits(bits), Type::Float(_)) => {
                    let size = types.size(signature.result).unwrap_or(8) as usize;
                    let bytes = &bits.to_le_bytes()[..size.min(16)];
                    let nan = "__builtin_nan(\"\")".to_owned();
                    let value = literal::value(types, signature.result, bytes);
                    match (value, size) {
                        (Some(value), _) => {
                            self.line(&format!("check_float(\"the result\", {value}, result);"));
                        }
                        (None, 4 | 8) => {
                            let number = match size {
                                4 => f64::from(f32::from_bits(bits as u32)),
                                _ => f64::from_bits(bits as u64),
                            };
                            let value = match number {
                                number if number.is_nan() => nan,
                                number if number > 0.0 => "__builtin_inf()".to_owned(),
                                _ => "-__builtin_inf()".to_owned(),
                            };
                            self.line(&format!("check_float(\"the result\", {value}, result);"));
                        }
                        _ => self.bytes(
                            "the result",
                            "(char *)&result",
                            0,
                            &bits.to_le_bytes()[..10],
                        ),
                    }
                }
                (Value::Bits(bits), ty) => {
                    let size = ty.bytes() as usize;
                    self.bytes("the result", "(char *)&result", 0, &bits.to_le_bytes()[..size]);
                }
            }
            return;
        }
        let padding = padding::of(types, signature.result).unwrap_or_default();
        let mut at = 0;
        for (index, returned) in values.iter().enumerate() {
            let size = returned.ty.bytes() as usize;
            at = usize::next_multiple_of(at, size.next_power_of_two());
            // What goes through registers may be padded beyond the struct's end.
            let whole = types.size(signature.result).unwrap_or(0) as usize;
            let kept = size.min(whole.saturating_sub(at));
            match returned.value {
                Some(Value::Bits(bits)) => {
                    let bytes = bits.to_le_bytes();
                    let other = match self.test.fail.returned.get(index).and_then(|r| r.value) {
                        Some(Value::Bits(other)) => other.to_le_bytes(),
                        _ => bytes,
                    };
                    let is_compared = |byte: usize| {
                        padding.get(at + byte) != Some(&true) || bytes[byte] != other[byte]
                    };
                    let compared: Vec<bool> = (0..kept).map(is_compared).collect();
                    for (from, length) in padding::runs(&compared) {
                        let bytes = &bytes[from..from + length];
                        self.bytes("the result", "(char *)&result", at + from, bytes);
                    }
                }
                Some(Value::Pointer(to)) => {
                    self.pointer("the result", to, &format!("*(void **)((char *)&result + {at})"));
                }
                None => {}
            }
            at += size;
        }
    }

    fn bytes(&mut self, what: &str, base: &str, at: usize, bytes: &[u8]) {
        if !bytes.is_empty() {
            let list = literal::bytes(bytes);
            self.line(&format!("check_bytes(\"{what}\", {list}, {base} + {at}, {});", bytes.len()));
        }
    }

    fn pointer(&mut self, what: &str, to: Pointer, actual: &str) {
        if let PointerTarget::Fresh(number) = to.target {
            let known = self.fresh.get(&number).cloned();
            match known {
                Some(base) => {
                    self.line(&format!(
                        "check_pointer(\"{what}\", {base} + {}, {actual});",
                        to.offset
                    ));
                }
                None => {
                    let name = format!("n{number}");
                    self.line(&format!(
                        "check_int(\"{what} is no null pointer\", 1, {actual} != 0);"
                    ));
                    self.line(&format!("char *{name} = (char *){actual} - ({});", to.offset));
                    self.fresh.insert(number, name);
                }
            }
            return;
        }
        // What has no name here cannot be compared.
        if let Ok(expected) = self.test.pointer(to) {
            self.line(&format!("check_pointer(\"{what}\", {expected}, {actual});"));
        }
    }

    /// Compares memory with what it should hold; `other` is what the version that fails left there.
    fn contents(
        &mut self,
        what: &str,
        base: &str,
        contents: &Contents,
        element: Option<CTypeId>,
        other: Option<&Contents>,
    ) {
        let types = &self.test.program.ctypes;
        let size = contents.bytes.len();
        if size == 0 {
            return;
        }
        let padding = self.not_compared(contents, element, other);
        if contents.unset.is_empty()
            && contents.pointers.is_empty()
            && padding == padding::of_elements(types, element, size)
            && let Some(list) = literal::typed(types, element, &contents.bytes)
        {
            match element.and_then(|element| padding::of(types, element)) {
                Some(one) if one.contains(&true) => {
                    let mask: String = one.iter().map(|p| if *p { '.' } else { 'x' }).collect();
                    self.line(&format!(
                        "check_members(\"{what}\", {list}, {base}, {size}, \"{mask}\");"
                    ));
                }
                _ => self.line(&format!("check_bytes(\"{what}\", {list}, {base}, {size});")),
            }
            return;
        }
        let mut compared: Vec<bool> = padding.iter().map(|padding| !padding).collect();
        for range in &contents.unset {
            compared[range.start as usize..range.end as usize].fill(false);
        }
        for link in &contents.pointers {
            compared[link.offset as usize..link.offset as usize + 8].fill(false);
        }
        let runs = padding::runs(&compared);
        for (at, length) in &runs {
            let what = match *length == size {
                true => what.to_owned(),
                false => format!("{what} from byte {at}"),
            };
            self.bytes(&what, base, *at, &contents.bytes[*at..at + length]);
        }
        for link in &contents.pointers {
            let at = link.offset;
            self.pointer(
                &format!("{what} at byte {at}"),
                link.to,
                &format!("*(void **)({base} + {at})"),
            );
        }
    }

    /// Which bytes are padding and need not be compared: not those where the version that fails is known to have left another value.
    fn not_compared(
        &self,
        contents: &Contents,
        element: Option<CTypeId>,
        other: Option<&Contents>,
    ) -> Vec<bool> {
        let types = &self.test.program.ctypes;
        let mut padding = padding::of_elements(types, element, contents.bytes.len());
        let other = other.filter(|_| self.test.fail.end == Some(Ended::Returned));
        if let Some(other) = other.filter(|other| other.bytes.len() == contents.bytes.len()) {
            let bytes = contents.bytes.iter().zip(&other.bytes);
            for (at, (padding, (byte, there))) in padding.iter_mut().zip(bytes).enumerate() {
                let is_set =
                    |c: &Contents| !c.unset.iter().any(|range| range.contains(&(at as u64)));
                *padding &= byte == there || !is_set(contents) || !is_set(other);
            }
        }
        padding
    }

    /// Globals that either version wrote.
    fn globals(&mut self) {
        let test = self.test;
        let mut names: Vec<&String> =
            test.pass.globals.iter().chain(&test.fail.globals).map(|(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let Some(id) = test.program.global_named(name) else { continue };
            let (Ok(reached), false) = (test.global(id), test.program.global(id).constant) else {
                continue;
            };
            let find = |list: &[(String, Contents)]| {
                list.iter().find(|(n, _)| n == name).map(|(_, contents)| contents.clone())
            };
            let begun =
                || test.entry.globals.iter().find(|(g, _)| *g == id).map(|(_, c)| c.clone());
            let left = |list: &[(String, Contents)]| {
                find(list).or_else(begun).unwrap_or_else(|| initial_contents(test.program, id))
            };
            let (contents, other) = (left(&test.pass.globals), left(&test.fail.globals));
            let types = &test.program.ctypes;
            let element =
                test.program.global(id).ctype.map(|c| match types.get(types.resolve(c)) {
                    CType::Array { element, .. } => *element,
                    _ => c,
                });
            let base = format!("(char *)&{reached}");
            self.contents(reached, &base, &contents, element, Some(&other));
        }
    }

    /// New objects that were found on the way, and those that they lead to.
    fn new_objects(&mut self) {
        let mut done = vec![];
        while let Some((number, base)) =
            self.fresh.iter().map(|(n, b)| (*n, b.clone())).find(|(n, _)| !done.contains(n))
        {
            done.push(number);
            let object = self.test.pass.fresh.get(number as usize);
            if let Some(contents) = object.and_then(|o| o.contents.clone()) {
                self.contents(&format!("new object {number}"), &base, &contents, None, None);
            }
        }
    }
}
