//! Addresses as C access paths: `p->next`, `p[i].x`, `table[i]`, `buf + 2`.
//!
//! An address is taken apart into a base, a constant offset and scaled indexes, and these
//! are laid over the C type of the base from outside to inside. Where they fit and the type
//! that is found has the size and kind of the access, that is the path; C types are for
//! people only, so where they do not fit the address is written out with casts.

use super::expr::{Level, Renderer, Text, cast, type_name};
use crate::ctype::{CField, CType};
use crate::expr::{Address, BinaryOp, Expr};
use crate::ids::{CTypeId, GlobalId};
use crate::program::Global;
use crate::types::Type;

/// What is wanted at the end of a path.
#[derive(Clone, Copy)]
enum Want {
    /// A scalar of this machine type.
    Scalar(Type),
    /// Something of this many bytes.
    Bytes(u64),
    /// Whatever lies there: its address is used.
    Any,
}

/// What an access of a scalar reads or writes: `p->next`.
pub(super) fn scalar(r: &Renderer, addr: &Expr, ty: Type, ctype: Option<CTypeId>) -> Text {
    let place = AddressParts::of(addr);
    match place.lvalue(r, Want::Scalar(ty)) {
        Some((lvalue, _)) => lvalue,
        None => {
            let known = ctype.filter(|c| r.program.ctypes.size(*c) == Some(ty.bytes()));
            let name = match known {
                Some(c) => r.program.ctypes.declare(c, "*"),
                None => match type_name(ty, true) {
                    name if name.ends_with('*') => format!("{name}*"),
                    name => format!("{name} *"),
                },
            };
            let pointer = cast(&name, place.written_out(r));
            Text::new(Level::Unary, format!("*{}", pointer.at(Level::Unary)))
        }
    }
}

/// The struct or array of `bytes` bytes at an address, if the types know one.
pub(super) fn aggregate(r: &Renderer, addr: &Expr, bytes: u64) -> Option<Text> {
    let (text, ctype) = AddressParts::of(addr).lvalue(r, Want::Bytes(bytes))?;
    matches!(r.program.ctypes.get(r.program.ctypes.resolve(ctype)), CType::Record { .. })
        .then_some(text)
}

/// An address as a value: `&p->next`, `buf + 2`, `"text"`, `f`.
pub(super) fn address(r: &Renderer, e: &Expr) -> Text {
    let place = AddressParts::of(e);
    if let Expr::Address(a) = place.base {
        if let Some(name) = r.function_name(*a) {
            return match place.is_base() {
                true => Text::new(Level::Postfix, name),
                false => place.written_out(r),
            };
        }
        if place.is_base() {
            return base_address(r, *a);
        }
    }
    // An index and nothing behind it is pointer arithmetic.
    if let Some(text) = place.pointer_sum(r) {
        return text;
    }
    match place.lvalue(r, Want::Any) {
        Some((lvalue, ctype)) => address_of(r, lvalue, ctype),
        None => place.written_out(r),
    }
}

/// A string literal's text in quotes, if the global is one.
pub(super) fn string_literal(global: &Global) -> Option<String> {
    let init = global.init.as_ref()?;
    let literal = global.constant && global.name.starts_with(".str");
    if !literal || !init.relocations.is_empty() || global.size > 1 << 16 {
        return None;
    }
    let mut bytes = init.bytes.clone();
    bytes.resize(usize::try_from(global.size).ok()?, 0);
    if bytes.pop() != Some(0) {
        return None;
    }
    let mut text = String::from("\"");
    for b in bytes {
        match b {
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b'\r' => text.push_str("\\r"),
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            0x20..=0x7e => text.push(char::from(b)),
            // Three octal digits: a digit that follows is not taken for part of it.
            _ => text.push_str(&format!("\\{b:03o}")),
        }
    }
    text.push('"');
    Some(text)
}

/// The address of a whole object: an array's name stands for it.
fn base_address(r: &Renderer, a: Address) -> Text {
    let (name, ctype) = object(r, a);
    if name.starts_with('"') {
        return Text::new(Level::Postfix, name);
    }
    match ctype {
        Some(ctype) => address_of(r, Text::new(Level::Postfix, name), ctype),
        // Without a type it is declared as an array of bytes.
        None => Text::new(Level::Postfix, name),
    }
}

fn address_of(r: &Renderer, lvalue: Text, ctype: CTypeId) -> Text {
    match r.program.ctypes.get(r.program.ctypes.resolve(ctype)) {
        CType::Array { .. } => lvalue,
        _ => match lvalue.text.strip_prefix('*') {
            Some(pointer) => Text::new(Level::Postfix, pointer),
            None => Text::new(Level::Unary, format!("&{}", lvalue.at(Level::Unary))),
        },
    }
}

/// The name and type of an object.
fn object(r: &Renderer, a: Address) -> (String, Option<CTypeId>) {
    match a {
        Address::Global(g) => (global_name(r, g), r.program.global(g).ctype),
        Address::Local(l) => (r.names.locals[l.index()].clone(), r.procedure.local(l).ctype),
        Address::Procedure(_) | Address::External(_) => {
            (r.function_name(a).unwrap_or_default().to_owned(), None)
        }
    }
}

fn global_name(r: &Renderer, g: GlobalId) -> String {
    string_literal(r.program.global(g)).unwrap_or_else(|| r.global_names.globals[g.index()].clone())
}

/// An address taken apart: base + offset + the sum of index * scale.
struct AddressParts<'e> {
    base: &'e Expr,
    offset: i64,
    terms: Vec<(&'e Expr, i64)>,
}

/// How far a path has come.
enum Reached {
    /// What a pointer points to: `*p`, or `p->…` with a field.
    Pointee(String),
    /// An object.
    Object(String),
}

impl Reached {
    fn lvalue(self) -> Text {
        match self {
            Reached::Pointee(p) => Text::new(Level::Unary, format!("*{p}")),
            Reached::Object(text) => Text::new(Level::Postfix, text),
        }
    }

    fn field(self, name: &str) -> Reached {
        match self {
            // An anonymous member has no name; its own fields are reached directly.
            this if name.is_empty() => this,
            Reached::Pointee(p) => Reached::Object(format!("{p}->{name}")),
            Reached::Object(text) => Reached::Object(format!("{text}.{name}")),
        }
    }

    fn index(self, index: &str) -> Reached {
        match self {
            Reached::Pointee(p) => Reached::Object(format!("(*{p})[{index}]")),
            Reached::Object(text) => Reached::Object(format!("{text}[{index}]")),
        }
    }
}

/// What is left of an address on the way down a type.
#[derive(Clone)]
struct Rest<'e> {
    offset: i64,
    terms: Vec<(&'e Expr, i64)>,
}

impl Rest<'_> {
    fn is_done(&self) -> bool {
        self.offset == 0 && self.terms.is_empty()
    }
}

impl<'e> AddressParts<'e> {
    fn of(mut e: &'e Expr) -> AddressParts<'e> {
        let mut place = AddressParts { base: e, offset: 0, terms: vec![] };
        while let Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs, .. } = e {
            place.add(rhs, 1);
            e = lhs;
        }
        place.base = e;
        // The outermost index was met last.
        place.terms.reverse();
        place
    }

    fn add(&mut self, e: &'e Expr, factor: i64) {
        let constant = |e: &Expr| e.as_const().map(|c| c.signed() as i64);
        if let Some(c) = constant(e) {
            self.offset = self.offset.wrapping_add(c.wrapping_mul(factor));
            return;
        }
        if let Expr::Binary { op, lhs, rhs, .. } = e {
            match (op, constant(lhs), constant(rhs)) {
                (BinaryOp::Add, ..) => {
                    self.add(rhs, factor);
                    return self.add(lhs, factor);
                }
                (BinaryOp::Mul, _, Some(c)) => {
                    return self.terms.push((lhs, factor.wrapping_mul(c)));
                }
                (BinaryOp::Mul, Some(c), _) => {
                    return self.terms.push((rhs, factor.wrapping_mul(c)));
                }
                (BinaryOp::Shl, _, Some(c)) if (0..63).contains(&c) => {
                    return self.terms.push((lhs, factor.wrapping_mul(1 << c)));
                }
                _ => {}
            }
        }
        self.terms.push((e, factor));
    }

    fn is_base(&self) -> bool {
        self.offset == 0 && self.terms.is_empty()
    }

    fn rest(&self) -> Rest<'e> {
        Rest { offset: self.offset, terms: self.terms.clone() }
    }

    /// The C type behind the base if that is a pointer with one.
    fn pointee(&self, r: &Renderer) -> Option<CTypeId> {
        let Expr::Var(v) = self.base else { return None };
        let ctype = r.procedure.var(*v).ctype?;
        match r.program.ctypes.get(r.program.ctypes.resolve(ctype)) {
            CType::Pointer(target) => Some(*target),
            _ => None,
        }
    }

    /// `p + i` for a pointer and whole steps of what it points to.
    fn pointer_sum(&self, r: &Renderer) -> Option<Text> {
        let size = element_size(r, self.pointee(r)?)?;
        let mut rest = self.rest();
        let index = take_index(r, size, &mut rest)?;
        if !rest.is_done() {
            return None;
        }
        let base = r.expr(self.base);
        match index {
            None => Some(base),
            Some(index) => {
                let index = index.at(Level::Additive);
                let sum = match index.strip_prefix('-') {
                    Some(minus) if minus.parse::<u64>().is_ok() => format!("- {minus}"),
                    _ => format!("+ {index}"),
                };
                Some(Text::new(Level::Additive, format!("{} {sum}", base.text)))
            }
        }
    }

    /// The path to what is wanted, and its type.
    fn lvalue(&self, r: &Renderer, want: Want) -> Option<(Text, CTypeId)> {
        let mut rest = self.rest();
        let (start, ctype) = match self.base {
            Expr::Address(a @ (Address::Global(_) | Address::Local(_))) => {
                let (name, ctype) = object(r, *a);
                (Reached::Object(name), ctype?)
            }
            _ => {
                let target = self.pointee(r)?;
                let base = r.expr(self.base).at(Level::Postfix);
                let start = match take_index(r, element_size(r, target)?, &mut rest)? {
                    None => Reached::Pointee(base),
                    Some(index) => Reached::Object(format!("{base}[{}]", index.text)),
                };
                (start, target)
            }
        };
        let (reached, found) = descend(r, start, ctype, rest, want, 0)?;
        Some((reached.lvalue(), found))
    }

    /// The address as arithmetic on bytes.
    fn written_out(&self, r: &Renderer) -> Text {
        let base = match self.base {
            Expr::Address(a) if r.function_name(*a).is_none() => base_address(r, *a),
            Expr::Address(a) => Text::new(Level::Postfix, r.function_name(*a).unwrap_or_default()),
            other => r.expr(other),
        };
        if self.is_base() {
            return base;
        }
        let bytes = match self.base {
            Expr::Address(a) => object(r, *a).1.is_none(),
            _ => self.pointee(r).is_some_and(|t| element_size(r, t) == Some(1)),
        };
        let mut text = if bytes { base.text } else { cast("char *", base).text };
        for (e, scale) in &self.terms {
            let index = scaled(r, e, *scale).at(Level::Additive);
            text.push_str(&format!(" + {index}"));
        }
        match self.offset {
            0 => {}
            n if n < 0 => text.push_str(&format!(" - {}", n.unsigned_abs())),
            n => text.push_str(&format!(" + {n}")),
        }
        Text::new(Level::Additive, text)
    }
}

/// The size of what a pointer steps over; a byte behind `void *`, as clang has it.
fn element_size(r: &Renderer, ctype: CTypeId) -> Option<u64> {
    match r.program.ctypes.get(r.program.ctypes.resolve(ctype)) {
        CType::Void => Some(1),
        _ => r.program.ctypes.size(ctype).filter(|s| *s > 0),
    }
}

/// Takes the multiples of an element's size out of what is left: the index as text, `None`
/// inside for index zero. `None` outside if a part is not a whole number of elements though
/// it is no smaller than one.
fn take_index(r: &Renderer, size: u64, rest: &mut Rest) -> Option<Option<Text>> {
    let size = i64::try_from(size).ok()?;
    let mut parts = Vec::new();
    for (e, scale) in &rest.terms {
        if scale % size == 0 {
            parts.push(scaled(r, e, scale / size));
        } else if scale.unsigned_abs() > size.unsigned_abs() {
            return None;
        }
    }
    rest.terms.retain(|(_, scale)| scale % size != 0);
    let constant = rest.offset.div_euclid(size);
    rest.offset = rest.offset.rem_euclid(size);
    if parts.is_empty() {
        let text = || Text::new(Level::Postfix, constant.to_string());
        return Some((constant != 0).then(text));
    }
    if parts.len() == 1 && constant == 0 {
        return Some(parts.pop());
    }
    let summands: Vec<String> = parts.into_iter().map(|p| p.at(Level::Additive)).collect();
    let mut text = summands.join(" + ");
    if constant != 0 {
        let sign = if constant < 0 { '-' } else { '+' };
        text.push_str(&format!(" {sign} {}", constant.unsigned_abs()));
    }
    Some(Some(Text::new(Level::Additive, text)))
}

/// An index with its factor.
fn scaled(r: &Renderer, e: &Expr, factor: i64) -> Text {
    let index = match e {
        Expr::Unary { op, .. } if *op != crate::expr::UnaryOp::Truncate => {
            r.expr(r.without_conversion(e))
        }
        _ => r.expr(e),
    };
    match factor {
        1 => index,
        -1 => Text::new(Level::Unary, format!("-{}", index.at(Level::Unary))),
        n => {
            let text = format!("{} * {n}", index.at(Level::Multiplicative));
            Text::new(Level::Multiplicative, text)
        }
    }
}

/// Deeper nests than this are no C; the table of types is data from outside.
const MAX_NESTING: usize = 64;

fn descend(
    r: &Renderer,
    reached: Reached,
    ctype: CTypeId,
    mut rest: Rest,
    want: Want,
    depth: usize,
) -> Option<(Reached, CTypeId)> {
    if depth > MAX_NESTING {
        return None;
    }
    let ctypes = &r.program.ctypes;
    let resolved = ctypes.resolve(ctype);
    let fits = match want {
        Want::Any => rest.is_done(),
        Want::Bytes(n) => rest.is_done() && ctypes.size(resolved) == Some(n),
        Want::Scalar(ty) => rest.is_done() && is_scalar(ctypes.get(resolved), ty),
    };
    if fits {
        return Some((reached, ctype));
    }
    match ctypes.get(resolved) {
        CType::Array { element, .. } => {
            let index = take_index(r, element_size(r, *element)?, &mut rest)?;
            let next = reached.index(index.as_ref().map_or("0", |i| &i.text));
            descend(r, next, *element, rest, want, depth + 1)
        }
        CType::Record { fields, .. } => {
            let holds = |f: &&CField| {
                let start = (f.offset_bits / 8) as i64;
                let size = ctypes.size(f.ctype);
                let open = matches!(
                    ctypes.get(ctypes.resolve(f.ctype)),
                    CType::Array { count: None | Some(0), .. }
                );
                f.bit_width.is_none()
                    && start <= rest.offset
                    && (open || size.is_some_and(|s| rest.offset < start + s as i64))
            };
            let start = match reached {
                Reached::Pointee(ref p) => (true, p.clone()),
                Reached::Object(ref o) => (false, o.clone()),
            };
            let again = || match &start {
                (true, p) => Reached::Pointee(p.clone()),
                (false, o) => Reached::Object(o.clone()),
            };
            let mut found = fields.iter().filter(holds).filter_map(|f| {
                let mut rest = rest.clone();
                rest.offset -= (f.offset_bits / 8) as i64;
                descend(r, again().field(&f.name), f.ctype, rest, want, depth + 1)
            });
            found.next()
        }
        _ => None,
    }
}

fn is_scalar(ctype: &CType, ty: Type) -> bool {
    match (ctype, ty) {
        (CType::Int { width, .. } | CType::Enum { width, .. }, Type::Int(_)) => {
            u64::from(*width).div_ceil(8) == ty.bytes()
        }
        (CType::Float { width, .. }, Type::Float(_)) => {
            // An x87 number has 80 bits in 128.
            *width == ty.width() || (ty.width() == 80 && *width >= 80)
        }
        (CType::Pointer(_), Type::Ptr) => true,
        _ => false,
    }
}
