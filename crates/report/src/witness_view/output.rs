//! Events of the world as the calls they are.

use super::decode::is_character;
use super::reachable::function_type;
use super::text;
use super::types::{ArgumentWrite, ExternalCallView, GlobalWrite, PointeeKind, ValueView};
use super::view::RunView;
use verdiff_model::state::{Contents, Effect, Event, Payload, Value, Write};
use verdiff_model::{CTypeId, External, GlobalId, Linkage, Type};

/// How many events are shown.
const MOST: usize = 256;
/// How much of what lies behind an argument is shown.
const MOST_BEHIND: u64 = 16;

/// All that was said to the outside, in order.
pub(super) fn output_lines(view: &RunView<'_>) -> Vec<String> {
    let world = &view.outcome.world;
    let mut said: Vec<String> = world.events.iter().take(MOST).map(|e| view.event(e)).collect();
    let left = world.count.saturating_sub(said.len() as u64);
    if left > 0 {
        said.push(format!("… and {left} more"));
    }
    said
}

/// The calls of unknown functions, whose results were chosen: each once.
pub(super) fn externals(old: &RunView<'_>, new: &RunView<'_>) -> Vec<ExternalCallView> {
    let mut seen = vec![];
    let mut shown = vec![];
    for view in [old, new] {
        for event in view.outcome.world.events.iter().take(MOST) {
            let Event::Call { name, effect: Some(effect), .. } = event else { continue };
            let tells =
                !effect.results.is_empty() || !effect.fills.is_empty() || !effect.writes.is_empty();
            if tells && !seen.contains(&effect.call) {
                seen.push(effect.call);
                shown.push(view.external(name, effect));
            }
        }
    }
    shown
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl RunView<'_> {
    fn external(&self, name: &str, effect: &Effect) -> ExternalCallView {
        let external = self.external_named(name);
        let ctype = external.and_then(|e| function_type(self.program, e.ctype)).map(|(r, _)| r);
        let types: &[Type] = external.map_or(&[], |e| &e.signature.results);
        let mut values: Vec<ValueView> = effect
            .results
            .iter()
            .enumerate()
            .map(|(index, bits)| {
                let ty = types.get(index).copied().unwrap_or(Type::WORD);
                let given = self.entry.given_pointer(name, *bits as u64);
                if let Some(argument) = effect.returned {
                    let points_to = format!("argument {}", argument + 1);
                    return ValueView::Pointer { points_to, offset: 0, target: PointeeKind::Text };
                }
                let pointer = given.filter(|_| ty == Type::Ptr).map(Value::Pointer);
                self.scalar(ty, ctype, pointer.unwrap_or(Value::Bits(*bits)))
            })
            .collect();
        let returns = match values.len() {
            0 | 1 => values.pop(),
            _ => Some(ValueView::List { values, text: None }),
        };
        let fill = |fill: &verdiff_model::state::Fill| ArgumentWrite {
            argument: fill.arg,
            offset: fill.offset,
            bytes: hexadecimal(&fill.bytes),
        };
        let fills = effect.fills.iter().map(fill).collect();
        let writes = effect.writes.iter().map(|write| self.write(write)).collect();
        ExternalCallView { call: name.to_owned(), returns, fills, writes }
    }

    fn write(&self, write: &Write) -> GlobalWrite {
        let found = self
            .program
            .globals
            .iter()
            .position(|g| g.symbol == write.symbol && g.linkage == Linkage::External);
        let global = found
            .map_or_else(|| write.symbol.clone(), |index| self.global_name(GlobalId::new(index)).0);
        let ctype = found.and_then(|index| {
            let global = &self.program.globals[index];
            let whole = write.offset == 0 && write.bytes.len() as u64 == global.size;
            global.ctype.filter(|_| whole)
        });
        let contents = Contents::from(write.bytes.clone());
        let value = ctype.map(|ctype| self.decode(ctype, &contents, 0));
        GlobalWrite { global, offset: write.offset, bytes: hexadecimal(&write.bytes), value }
    }

    fn external_named(&self, name: &str) -> Option<&External> {
        self.program.externals.iter().find(|e| e.name == name)
    }

    fn event(&self, event: &Event) -> String {
        let at = |address: &Value| self.scalar(Type::Ptr, None, *address);
        match event {
            Event::Call { name, args, payloads, effect } => {
                self.call(name, args, payloads, effect.is_some())
            }
            Event::VolatileRead { address, value, bytes } => {
                format!("volatile read of {value} ({bytes} bytes) at {}", at(address))
            }
            Event::VolatileWrite { address, value, bytes } => {
                format!("volatile write of {value} ({bytes} bytes) at {}", at(address))
            }
            Event::VolatileBlock { address, contents } => {
                let bytes = self.bytes(contents, 0, contents.bytes.len() as u64);
                format!("volatile write of {bytes} at {}", at(address))
            }
        }
    }

    /// A call. What the library is known to do with a string is in its payload *instead* of the argument; an
    /// unknown function has all its arguments, and payloads besides.
    fn call(&self, name: &str, args: &[Value], payloads: &[Payload], unknown: bool) -> String {
        let behind = |index: usize| payloads.iter().find(|p| p.arg as usize == index);
        let mut rest = args.iter();
        let mut shown = vec![];
        let count = if unknown { args.len() } else { args.len() + payloads.len() };
        for index in 0..count {
            shown.push(match behind(index) {
                Some(payload) if !unknown => text::quoted(&payload.contents.bytes),
                payload => match rest.next() {
                    Some(value) => self.argument(name, index, *value, payload),
                    None => continue,
                },
            });
        }
        format!("{name}({})", shown.join(", "))
    }

    fn argument(
        &self,
        name: &str,
        index: usize,
        value: Value,
        payload: Option<&Payload>,
    ) -> String {
        let external = self.external_named(name);
        let signature = external.map(|e| &e.signature);
        let ctypes = external.and_then(|e| function_type(self.program, e.ctype));
        let ctype = ctypes.and_then(|(_, parameters)| parameters.get(index).copied());
        let declared = signature.and_then(|s| s.params.get(index).copied());
        let ty = declared.unwrap_or(match value {
            Value::Pointer(_) => Type::Ptr,
            Value::Bits(_) => Type::WORD,
        });
        let shown = self.scalar(ty, ctype, value);
        match (payload, &shown, name, index) {
            (Some(payload), _, _, _) => self.behind(&shown, ctype, &payload.contents),
            (None, ValueView::Integer(_), "putchar" | "putc" | "fputc", 0) => {
                let Value::Bits(bits) = value else { return shown.to_string() };
                let character = text::quoted(&[bits as u8]);
                format!("'{}'", character.trim_matches('"'))
            }
            (None, ValueView::Named { value, .. }, ..) => value.clone(),
            _ => shown.to_string(),
        }
    }

    /// A pointer argument with what the function sees there.
    fn behind(&self, pointer: &ValueView, ctype: Option<CTypeId>, seen: &Contents) -> String {
        let target = ctype.and_then(|c| self.program.ctypes.target(c));
        if target.is_some_and(|t| is_character(&self.program.ctypes, t))
            && let Some(end) = seen.bytes.iter().position(|b| *b == 0)
            && let Some(text) = text::string(&seen.bytes[..=end])
        {
            return text;
        }
        let memory = self.memory(String::new(), target, seen, MOST_BEHIND);
        let values: Vec<String> = memory.values.iter().map(ToString::to_string).collect();
        let dots = if memory.omitted > 0 { ", …" } else { "" };
        match (memory.values.len(), memory.omitted) {
            (1, 0) => format!("{pointer} -> {}", values.concat()),
            _ => format!("{pointer} -> {{{}{dots}}}", values.join(", ")),
        }
    }
}
