//! Parameters as the programmer wrote them. The target's calling convention passes small structs in
//! pieces (`p.coerce0`, `p.coerce1`) and large ones behind a pointer; here they are whole.

use super::reachable::function_type;
use super::types::ValueView;
use super::view::RunView;
use verdiff_model::state::{Contents, Link, Value};
use verdiff_model::{CTypeId, Type};

/// Where clang's name for a piece of a struct begins.
const PIECE: &str = ".coerce";

/// Parameters by the old version's names, in order; then those that only the new version has.
pub(super) fn inputs(old: &RunView<'_>, new: &RunView<'_>) -> Vec<(String, ValueView)> {
    let mut shown = old.inputs();
    let further = new.inputs().into_iter().skip(shown.len());
    shown.extend(further);
    shown
}

/// A parameter of the source: consecutive ones of the machine.
struct Parameter {
    name: String,
    /// Positions in the machine's list.
    first: usize,
    count: usize,
    ctype: Option<CTypeId>,
}

impl RunView<'_> {
    fn inputs(&self) -> Vec<(String, ValueView)> {
        self.parameters().into_iter().map(|p| (p.name.clone(), self.input(&p))).collect()
    }

    fn parameters(&self) -> Vec<Parameter> {
        let skip = usize::from(self.result_object().is_some());
        let mut found: Vec<Parameter> = vec![];
        for first in skip..self.procedure.params.len().min(self.entry.args.len()) {
            let var = self.procedure.var(self.procedure.params[first]);
            let (base, piece) = base(&var.name);
            match found.last_mut() {
                Some(last) if piece.is_some() && last.name == base => last.count += 1,
                _ => found.push(Parameter {
                    name: base.to_owned(),
                    first,
                    count: 1,
                    ctype: var.ctype.filter(|_| piece.is_none()),
                }),
            }
        }
        // Types by position, where nothing was added or left out on the way.
        if let Some((_, types)) = function_type(self.program, self.procedure.ctype)
            && types.len() == found.len()
        {
            for (parameter, ctype) in found.iter_mut().zip(types) {
                parameter.ctype.get_or_insert(*ctype);
            }
        }
        found
    }

    fn input(&self, parameter: &Parameter) -> ValueView {
        let Parameter { first, count, .. } = *parameter;
        let machine = |index: usize| {
            let var = self.procedure.var(self.procedure.params[index]);
            (var.name.as_str(), var.ty, self.entry.args[index])
        };
        if let Some(object) = self.passed_object(first)
            && let Some(object) = self.entry.objects.get(object as usize)
        {
            let pointer = self.procedure.var(self.procedure.params[first]).ctype;
            let ctype = pointer.and_then(|p| self.program.ctypes.target(p)).or(parameter.ctype);
            return match ctype {
                Some(ctype) => self.decode(ctype, &object.contents, 0),
                None => self.bytes(&object.contents, 0, object.size()),
            };
        }
        let (name, ty, value) = machine(first);
        if count == 1 && base(name).1.is_none() {
            return self.scalar(ty, parameter.ctype, value);
        }
        let pieces: Vec<_> = (first..first + count).map(machine).collect();
        let placed = placed(&pieces);
        match parameter.ctype {
            Some(ctype) => self.assembled(ctype, &placed),
            None => ValueView::List {
                values: pieces
                    .iter()
                    .map(|(_, ty, value)| self.scalar(*ty, None, *value))
                    .collect(),
                text: None,
            },
        }
    }

    /// A value that arrives in pieces, each at its place.
    pub(super) fn assembled(&self, ctype: CTypeId, pieces: &[(u64, Type, Value)]) -> ValueView {
        let end = |(at, ty, _): &(u64, Type, Value)| at + ty.bytes();
        let size = pieces.iter().map(end).max().unwrap_or(0);
        let size = self.program.ctypes.size(ctype).unwrap_or(0).max(size);
        let mut contents = Contents::from(vec![0; size as usize]);
        for (at, ty, value) in pieces {
            match value {
                Value::Pointer(to) => contents.pointers.push(Link { offset: *at, to: *to }),
                Value::Bits(bits) => {
                    let (from, len) = (*at as usize, ty.bytes() as usize);
                    contents.bytes[from..from + len].copy_from_slice(&bits.to_le_bytes()[..len]);
                }
            }
        }
        self.decode(ctype, &contents, 0)
    }
}

/// A machine parameter's name in the source, and which piece it is: `p.coerce1.0` is the first
/// lane of the second piece of `p`. No C name has a dot in it.
fn base(name: &str) -> (&str, Option<u64>) {
    match name.split_once(PIECE) {
        Some((base, rest)) => {
            let digits = rest.split('.').next().unwrap_or("");
            (base, Some(digits.parse().unwrap_or(0)))
        }
        None => match name.rsplit_once('.') {
            Some((base, lane)) if lane.parse::<u32>().is_ok() => (base, Some(0)),
            _ => (name, None),
        },
    }
}

/// Where pieces belong: each piece is an eightbyte, its lanes follow each other.
fn placed(pieces: &[(&str, Type, Value)]) -> Vec<(u64, Type, Value)> {
    let mut last = None;
    let mut at = 0;
    let mut placed = vec![];
    for (name, ty, value) in pieces {
        let piece = base(name).1.unwrap_or(0);
        if last != Some(piece) {
            at = 8 * piece;
            last = Some(piece);
        }
        placed.push((at, *ty, *value));
        at += ty.bytes();
    }
    placed
}
