//! C types from debug information: names, signedness and fields, for people only.

use crate::llvm::{Meta, MetaKind, Module, Operand};
use std::collections::HashMap;
use verdiff_model::{CField, CType, CTypeId, CTypes, Qualifier};

// DWARF tags, from the DWARF 5 standard, figure 7.3.
const TAG_ARRAY: u16 = 0x01;
const TAG_ENUMERATION: u16 = 0x04;
const TAG_MEMBER: u16 = 0x0d;
const TAG_POINTER: u16 = 0x0f;
const TAG_STRUCTURE: u16 = 0x13;
const TAG_TYPEDEF: u16 = 0x16;
const TAG_UNION: u16 = 0x17;
const TAG_CONST: u16 = 0x26;
const TAG_VOLATILE: u16 = 0x35;
const TAG_RESTRICT: u16 = 0x37;
const TAG_ATOMIC: u16 = 0x47;

/// `DIFlagBitField`.
const FLAG_BIT_FIELD: i32 = 1 << 19;

// Where LLVM keeps what in the operands of its debug nodes.
const DERIVED_BASE: usize = 3;
const COMPOSITE_ELEMENTS: usize = 4;
const SUBROUTINE_TYPES: usize = 3;
const VARIABLE_NAME: usize = 1;
const VARIABLE_TYPE: usize = 3;
const SUBPROGRAM_NAME: usize = 2;
const SUBPROGRAM_TYPE: usize = 4;

/// Reads debug types, each once.
pub struct TypeReader<'m> {
    module: &'m Module<'m>,
    known: HashMap<Meta<'m>, CTypeId>,
    void: Option<CTypeId>,
}

impl<'m> TypeReader<'m> {
    /// A reader for one module.
    pub fn new(module: &'m Module<'m>) -> Self {
        TypeReader { module, known: HashMap::new(), void: None }
    }

    /// Name and type of a local or global variable.
    pub fn variable(&mut self, var: Meta<'m>, types: &mut CTypes) -> (String, Option<CTypeId>) {
        let operands = var.operands(self.module);
        (
            text_at(&operands, VARIABLE_NAME),
            node_at(&operands, VARIABLE_TYPE).map(|t| self.read(t, types)),
        )
    }

    /// Name and type of a function.
    pub fn subprogram(&mut self, sub: Meta<'m>, types: &mut CTypes) -> (String, Option<CTypeId>) {
        let operands = sub.operands(self.module);
        (
            text_at(&operands, SUBPROGRAM_NAME),
            node_at(&operands, SUBPROGRAM_TYPE).map(|t| self.read(t, types)),
        )
    }

    /// The name of a function.
    pub fn subprogram_name(&self, sub: Meta<'m>) -> String {
        text_at(&sub.operands(self.module), SUBPROGRAM_NAME)
    }

    fn void(&mut self, types: &mut CTypes) -> CTypeId {
        *self.void.get_or_insert_with(|| types.add(CType::Void))
    }

    /// The C type of a debug type.
    ///
    /// Recursion goes through pointers and records; a type is entered in the table
    /// before its parts are read, so it ends, and C types do not nest deeper than
    /// clang's own recursive parser allowed.
    fn read(&mut self, meta: Meta<'m>, types: &mut CTypes) -> CTypeId {
        if let Some(id) = self.known.get(&meta) {
            return *id;
        }
        let id = types.add(CType::Void);
        self.known.insert(meta, id);
        let ctype = self.describe(meta, types);
        types.set(id, ctype);
        id
    }

    fn read_optional(&mut self, meta: Option<Meta<'m>>, types: &mut CTypes) -> CTypeId {
        match meta {
            Some(meta) => self.read(meta, types),
            None => self.void(types),
        }
    }

    fn describe(&mut self, meta: Meta<'m>, types: &mut CTypes) -> CType {
        match meta.kind() {
            MetaKind::BasicType => self.basic(meta),
            MetaKind::DerivedType => {
                let base = node_at(&meta.operands(self.module), DERIVED_BASE);
                let target = self.read_optional(base, types);
                let qualified = |qualifier| CType::Qualified { qualifier, target };
                match meta.tag() {
                    TAG_POINTER => CType::Pointer(target),
                    TAG_TYPEDEF => CType::Typedef { name: meta.type_name(), target },
                    TAG_CONST => qualified(Qualifier::Const),
                    TAG_VOLATILE => qualified(Qualifier::Volatile),
                    TAG_RESTRICT => qualified(Qualifier::Restrict),
                    TAG_ATOMIC => qualified(Qualifier::Atomic),
                    _ => CType::Typedef { name: meta.type_name(), target },
                }
            }
            MetaKind::CompositeType => self.composite(meta, types),
            MetaKind::SubroutineType => {
                let operands = meta.operands(self.module);
                let list = node_at(&operands, SUBROUTINE_TYPES)
                    .map(|t| t.operands(self.module))
                    .unwrap_or_default();
                let mut parts = list.iter().map(|o| match o {
                    Some(Operand::Node(node)) => Some(*node),
                    _ => None,
                });
                let result = parts.next().flatten();
                let result = self.read_optional(result, types);
                // A missing type after the result stands for `...`.
                let parameters: Vec<_> = parts.collect();
                let variadic = parameters.last().is_some_and(Option::is_none);
                let parameters =
                    parameters.into_iter().flatten().map(|p| self.read(p, types)).collect();
                CType::Function { result, parameters, variadic }
            }
            _ => CType::Void,
        }
    }

    fn basic(&self, meta: Meta<'m>) -> CType {
        let name = meta.type_name();
        let width = u16::try_from(meta.size_bits()).unwrap_or(0);
        // The C interface has no accessor for the encoding; the text form has.
        let text = meta.text(self.module);
        let encoding = text.split("encoding: ").nth(1).unwrap_or("");
        let encoding = encoding.split([',', ')']).next().unwrap_or("");
        match encoding {
            "DW_ATE_float" | "DW_ATE_complex_float" => CType::Float { name, width },
            "DW_ATE_signed" | "DW_ATE_signed_char" => CType::Int { name, width, signed: true },
            _ => CType::Int { name, width, signed: false },
        }
    }

    fn composite(&mut self, meta: Meta<'m>, types: &mut CTypes) -> CType {
        let operands = meta.operands(self.module);
        let elements: Vec<Meta<'m>> = node_at(&operands, COMPOSITE_ELEMENTS)
            .map(|list| {
                list.operands(self.module)
                    .into_iter()
                    .filter_map(|o| if let Some(Operand::Node(n)) = o { Some(n) } else { None })
                    .collect()
            })
            .unwrap_or_default();
        match meta.tag() {
            TAG_ARRAY => {
                let base = node_at(&operands, DERIVED_BASE);
                let mut element = self.read_optional(base, types);
                let counts: Vec<Option<u64>> =
                    elements.iter().map(|e| subrange_count(*e, self.module)).collect();
                let (first, inner) = counts.split_first().unwrap_or((&None, &[]));
                for count in inner.iter().rev() {
                    element = types.add(CType::Array { element, count: *count });
                }
                CType::Array { element, count: *first }
            }
            TAG_ENUMERATION => {
                let base = node_at(&operands, DERIVED_BASE).map(|b| self.read(b, types));
                let signed = base.and_then(|b| types.signed(b)).unwrap_or(false);
                let enumerators =
                    elements.iter().filter_map(|e| enumerator(&e.text(self.module))).collect();
                let width = u16::try_from(meta.size_bits()).unwrap_or(32);
                CType::Enum { name: meta.type_name(), width, signed, enumerators }
            }
            TAG_STRUCTURE | TAG_UNION => {
                let fields = elements
                    .iter()
                    .filter(|e| e.kind() == MetaKind::DerivedType && e.tag() == TAG_MEMBER)
                    .map(|member| {
                        let base = node_at(&member.operands(self.module), DERIVED_BASE);
                        CField {
                            name: member.type_name(),
                            ctype: self.read_optional(base, types),
                            offset_bits: member.offset_bits(),
                            bit_width: (member.flags() & FLAG_BIT_FIELD != 0)
                                .then(|| u16::try_from(member.size_bits()).unwrap_or(0)),
                        }
                    })
                    .collect();
                CType::Record {
                    name: meta.type_name(),
                    union: meta.tag() == TAG_UNION,
                    size: meta.size_bits() / 8,
                    fields,
                }
            }
            _ => CType::Void,
        }
    }
}

fn subrange_count<'m>(meta: Meta<'m>, module: &'m Module<'m>) -> Option<u64> {
    if meta.kind() != MetaKind::Subrange {
        return None;
    }
    match meta.operands(module).into_iter().next().flatten() {
        // A count of -1 is clang's way to say that it is open.
        Some(Operand::Constant(count)) if count.is_int_constant() => {
            Some(count.int_low()).filter(|n| *n != u64::MAX)
        }
        _ => None,
    }
}

/// `!DIEnumerator(name: "RED", value: -1)` as name and value.
fn enumerator(text: &str) -> Option<(String, i128)> {
    let name = text.split("name: \"").nth(1)?.split('"').next()?.to_owned();
    let value = text.split("value: ").nth(1)?.split([',', ')']).next()?.trim().parse().ok()?;
    Some((name, value))
}

fn node_at<'m>(operands: &[Option<Operand<'m>>], index: usize) -> Option<Meta<'m>> {
    match operands.get(index) {
        Some(Some(Operand::Node(node))) => Some(*node),
        _ => None,
    }
}

fn text_at(operands: &[Option<Operand<'_>>], index: usize) -> String {
    match operands.get(index) {
        Some(Some(Operand::Text(text))) => text.clone(),
        _ => String::new(),
    }
}
