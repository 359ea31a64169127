//! Debug information.

use super::{Module, Value};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;

/// A piece of metadata.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Meta<'m> {
    raw: LLVMMetadataRef,
    module: PhantomData<&'m ()>,
}

/// The kinds of debug information the lowering reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetaKind {
    /// `int`, `char`, `double`.
    BasicType,
    /// Pointers, typedefs, qualifiers, members.
    DerivedType,
    /// Structs, unions, enums, arrays.
    CompositeType,
    /// Functions' types.
    SubroutineType,
    /// The extent of an array dimension.
    Subrange,
    /// A name of an enum.
    Enumerator,
    /// A function.
    Subprogram,
    /// A value wrapped as metadata.
    Value,
    /// Something else.
    Other,
}

/// A field of a metadata node.
pub enum Operand<'m> {
    /// Text.
    Text(String),
    /// A constant.
    Constant(Value<'m>),
    /// Another node.
    Node(Meta<'m>),
}

// SAFETY of all `unsafe` below: the node belongs to a live module (lifetime), and
// accessors for one kind are called after `kind()` or `tag()` was looked at.
impl<'m> Meta<'m> {
    pub(super) fn optional(raw: LLVMMetadataRef) -> Option<Self> {
        (!raw.is_null()).then_some(Meta { raw, module: PhantomData })
    }

    /// What kind of node it is.
    pub fn kind(self) -> MetaKind {
        use LLVMMetadataKind::*;
        unsafe {
            match LLVMGetMetadataKind(self.raw) {
                LLVMDIBasicTypeMetadataKind => MetaKind::BasicType,
                LLVMDIDerivedTypeMetadataKind => MetaKind::DerivedType,
                LLVMDICompositeTypeMetadataKind => MetaKind::CompositeType,
                LLVMDISubroutineTypeMetadataKind => MetaKind::SubroutineType,
                LLVMDISubrangeMetadataKind => MetaKind::Subrange,
                LLVMDIEnumeratorMetadataKind => MetaKind::Enumerator,
                LLVMDISubprogramMetadataKind => MetaKind::Subprogram,
                LLVMConstantAsMetadataMetadataKind | LLVMLocalAsMetadataMetadataKind => {
                    MetaKind::Value
                }
                _ => MetaKind::Other,
            }
        }
    }

    /// DWARF tag of a debug node.
    pub fn tag(self) -> u16 {
        unsafe { LLVMGetDINodeTag(self.raw) }
    }

    /// The fields of the node.
    pub fn operands(self, module: &'m Module<'_>) -> Vec<Option<Operand<'m>>> {
        unsafe {
            let value = LLVMMetadataAsValue(module.context.raw, self.raw);
            let count = LLVMGetMDNodeNumOperands(value) as usize;
            let mut raw = vec![std::ptr::null_mut(); count];
            LLVMGetMDNodeOperands(value, raw.as_mut_ptr());
            raw.into_iter()
                .map(|v| {
                    if v.is_null() {
                        return None;
                    }
                    let value = Value { raw: v, module: PhantomData };
                    let mut len = 0;
                    let text = LLVMGetMDString(v, &mut len);
                    if !text.is_null() {
                        return Some(Operand::Text(super::string_of(text, len as usize)));
                    }
                    if value.is_constant() {
                        return Some(Operand::Constant(value));
                    }
                    Meta::optional(LLVMValueAsMetadata(v)).map(Operand::Node)
                })
                .collect()
        }
    }

    /// The node in LLVM's text form: for what the C interface does not tell
    /// (the encoding of a basic type, the value of an enumerator).
    pub fn text(self, module: &'m Module<'_>) -> String {
        unsafe {
            let value = LLVMMetadataAsValue(module.context.raw, self.raw);
            super::take_string(LLVMPrintValueToString(value))
        }
    }

    /// The name of a type.
    pub fn type_name(self) -> String {
        let mut len = 0;
        unsafe { super::string_of(LLVMDITypeGetName(self.raw, &mut len), len) }
    }

    /// The size of a type in bits.
    pub fn size_bits(self) -> u64 {
        unsafe { LLVMDITypeGetSizeInBits(self.raw) }
    }

    /// The offset of a member in bits.
    pub fn offset_bits(self) -> u64 {
        unsafe { LLVMDITypeGetOffsetInBits(self.raw) }
    }

    /// The flags of a type or member.
    pub fn flags(self) -> i32 {
        unsafe { LLVMDITypeGetFlags(self.raw) }
    }

    /// The line of a function.
    pub fn subprogram_line(self) -> u32 {
        unsafe { LLVMDISubprogramGetLine(self.raw) }
    }

    /// The line of a variable.
    pub fn variable_line(self) -> u32 {
        unsafe { LLVMDIVariableGetLine(self.raw) }
    }

    /// The file of a variable.
    pub fn variable_file(self) -> Option<Meta<'m>> {
        Meta::optional(unsafe { LLVMDIVariableGetFile(self.raw) })
    }

    /// The scope of a variable.
    pub fn variable_scope(self) -> Option<Meta<'m>> {
        Meta::optional(unsafe { LLVMDIVariableGetScope(self.raw) })
    }

    /// The file of a scope.
    pub fn scope_file(self) -> Option<Meta<'m>> {
        Meta::optional(unsafe { LLVMDIScopeGetFile(self.raw) })
    }

    /// The name of a file, as clang was given it.
    pub fn file_name(self) -> String {
        let mut len = 0;
        unsafe { super::string_of(LLVMDIFileGetFilename(self.raw, &mut len), len as usize) }
    }
}
