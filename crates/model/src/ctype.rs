//! C types, kept for people: names, signedness, fields. No meaning hangs on them,
//! the code that was lowered is already exact; they are what lets a condition or a
//! witness be printed as the C programmer wrote it.

use crate::ids::CTypeId;
use serde::{Deserialize, Serialize};

/// The C types of a program, each once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CTypes {
    types: Vec<CType>,
}

/// A C type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CType {
    /// `void`, also what is behind a `void *`.
    Void,
    /// An integer type, `_Bool` and the character types included.
    Int {
        /// The type's name, `unsigned int`.
        name: String,
        /// Width in bits.
        width: u16,
        /// Whether it is signed.
        signed: bool,
    },
    /// A floating-point type.
    Float {
        /// The type's name, `long double`.
        name: String,
        /// Size in bits, padding included.
        width: u16,
    },
    /// A pointer.
    Pointer(CTypeId),
    /// An array; `count` is absent where the declaration left it open.
    Array {
        /// The type of an element.
        element: CTypeId,
        /// How many there are.
        count: Option<u64>,
    },
    /// A struct or union.
    Record {
        /// The tag, empty for an anonymous one.
        name: String,
        /// Whether it is a union.
        union: bool,
        /// Size in bytes.
        size: u64,
        /// Its fields in order; empty for one that is only declared.
        fields: Vec<CField>,
    },
    /// An enumeration.
    Enum {
        /// The tag, empty for an anonymous one.
        name: String,
        /// Width in bits.
        width: u16,
        /// Whether the underlying type is signed.
        signed: bool,
        /// Names and values.
        enumerators: Vec<(String, i128)>,
    },
    /// A function type.
    Function {
        /// What it returns.
        result: CTypeId,
        /// Its parameters.
        parameters: Vec<CTypeId>,
        /// Whether more may follow.
        variadic: bool,
    },
    /// Another name for a type.
    Typedef {
        /// The name.
        name: String,
        /// The type it stands for.
        target: CTypeId,
    },
    /// A qualified type.
    Qualified {
        /// `const`, `volatile`, `restrict` or `_Atomic`.
        qualifier: Qualifier,
        /// The type without it.
        target: CTypeId,
    },
}

/// A type qualifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Qualifier {
    /// `const`
    Const,
    /// `volatile`
    Volatile,
    /// `restrict`
    Restrict,
    /// `_Atomic`
    Atomic,
}

/// A member of a struct or union.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CField {
    /// Its name, empty for an anonymous member.
    pub name: String,
    /// Its type.
    pub ctype: CTypeId,
    /// Where it begins, in bits from the start of the record.
    pub offset_bits: u64,
    /// For a bit-field, how many bits it has.
    pub bit_width: Option<u16>,
}

impl CTypes {
    /// Adds a type.
    pub fn add(&mut self, ctype: CType) -> CTypeId {
        self.types.push(ctype);
        CTypeId::new(self.types.len() - 1)
    }

    /// Replaces a type that was added before: how a record that contains pointers
    /// to itself is built.
    pub fn set(&mut self, id: CTypeId, ctype: CType) {
        self.types[id.index()] = ctype;
    }

    /// The type behind an id.
    pub fn get(&self, id: CTypeId) -> &CType {
        &self.types[id.index()]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// The type with typedefs and qualifiers taken off.
    pub fn resolve(&self, mut id: CTypeId) -> CTypeId {
        // A chain of typedefs is finite in C, but the table is data from outside.
        for _ in 0..self.types.len() {
            match self.get(id) {
                CType::Typedef { target, .. } | CType::Qualified { target, .. } => id = *target,
                _ => break,
            }
        }
        id
    }

    /// Whether the type is qualified so, under any names.
    pub fn has_qualifier(&self, mut id: CTypeId, wanted: Qualifier) -> bool {
        for _ in 0..self.types.len() {
            match self.get(id) {
                CType::Qualified { qualifier, .. } if *qualifier == wanted => return true,
                CType::Typedef { target, .. } | CType::Qualified { target, .. } => id = *target,
                _ => break,
            }
        }
        false
    }

    /// What a pointer points to, or an array holds.
    pub fn target(&self, id: CTypeId) -> Option<CTypeId> {
        match self.get(self.resolve(id)) {
            CType::Pointer(target) => Some(*target),
            CType::Array { element, .. } => Some(*element),
            _ => None,
        }
    }

    /// Size in bytes, where it is known.
    pub fn size(&self, id: CTypeId) -> Option<u64> {
        match self.get(self.resolve(id)) {
            CType::Void | CType::Function { .. } => None,
            CType::Int { width, .. } | CType::Float { width, .. } | CType::Enum { width, .. } => {
                Some(u64::from(*width).div_ceil(8))
            }
            CType::Pointer(_) => Some(8),
            CType::Array { element, count } => self.size(*element)?.checked_mul((*count)?),
            CType::Record { size, fields, .. } => {
                (!fields.is_empty() || *size > 0).then_some(*size)
            }
            CType::Typedef { .. } | CType::Qualified { .. } => None,
        }
    }

    /// What addresses of the type's objects are multiples of, where it is known. Members that are not at
    /// multiples of their own alignment tell of a packed record, of which nothing is known.
    pub fn align(&self, id: CTypeId) -> Option<u64> {
        const LARGEST: u64 = 16;
        match self.get(self.resolve(id)) {
            CType::Int { .. } | CType::Float { .. } | CType::Enum { .. } => {
                let size = self.size(id)?;
                Some(if size.is_power_of_two() { size.min(LARGEST) } else { 1 })
            }
            CType::Pointer(_) => Some(8),
            CType::Array { element, .. } => self.align(*element),
            CType::Record { size, fields, .. } => {
                let mut largest = 1;
                for field in fields {
                    let align = self.align(field.ctype)?;
                    if field.bit_width.is_none() && !(field.offset_bits / 8).is_multiple_of(align) {
                        return None;
                    }
                    largest = largest.max(align);
                }
                (!fields.is_empty() && size.is_multiple_of(largest)).then_some(largest)
            }
            _ => None,
        }
    }

    /// Whether values of the type are signed integers; `None` if it is no integer.
    pub fn signed(&self, id: CTypeId) -> Option<bool> {
        match self.get(self.resolve(id)) {
            CType::Int { signed, .. } | CType::Enum { signed, .. } => Some(*signed),
            _ => None,
        }
    }

    /// The type as C writes it when nothing is declared, `const char *`.
    pub fn display(&self, id: CTypeId) -> String {
        self.declare(id, "")
    }

    /// A declaration of `name` with the type, `char (*name)[4]`.
    pub fn declare(&self, id: CTypeId, name: &str) -> String {
        self.declare_at(id, name.to_owned(), 0)
    }

    fn declare_at(&self, id: CTypeId, inner: String, depth: usize) -> String {
        if depth > 32 {
            return format!("/* too deep */ {inner}");
        }
        let spaced = |base: &str| {
            if inner.is_empty() { base.to_owned() } else { format!("{base} {inner}") }
        };
        match self.get(id) {
            CType::Void => spaced("void"),
            CType::Int { name, .. } | CType::Float { name, .. } | CType::Typedef { name, .. } => {
                spaced(name)
            }
            CType::Record { name, union, .. } => {
                let keyword = if *union { "union" } else { "struct" };
                let tag = if name.is_empty() { "{...}" } else { name };
                spaced(&format!("{keyword} {tag}"))
            }
            CType::Enum { name, .. } => {
                spaced(&format!("enum {}", if name.is_empty() { "{...}" } else { name }))
            }
            CType::Pointer(target) => {
                let inner = match self.get(*target) {
                    CType::Array { .. } | CType::Function { .. } => format!("(*{inner})"),
                    _ => format!("*{inner}"),
                };
                self.declare_at(*target, inner, depth + 1)
            }
            CType::Array { element, count } => {
                let count = count.map(|n| n.to_string()).unwrap_or_default();
                self.declare_at(*element, format!("{inner}[{count}]"), depth + 1)
            }
            CType::Function { result, parameters, variadic } => {
                let mut list: Vec<String> = parameters
                    .iter()
                    .map(|p| self.declare_at(*p, String::new(), depth + 1))
                    .collect();
                if *variadic {
                    list.push("...".to_owned());
                } else if list.is_empty() {
                    list.push("void".to_owned());
                }
                self.declare_at(*result, format!("{inner}({})", list.join(", ")), depth + 1)
            }
            CType::Qualified { qualifier, target } => {
                let word = match qualifier {
                    Qualifier::Const => "const",
                    Qualifier::Volatile => "volatile",
                    Qualifier::Restrict => "restrict",
                    Qualifier::Atomic => "_Atomic",
                };
                match self.get(*target) {
                    CType::Pointer(_) => {
                        let inner = if inner.is_empty() {
                            word.to_owned()
                        } else {
                            format!("{word} {inner}")
                        };
                        self.declare_at(*target, inner, depth + 1)
                    }
                    _ => format!("{word} {}", self.declare_at(*target, inner, depth + 1)),
                }
            }
        }
    }
}
