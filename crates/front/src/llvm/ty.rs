//! LLVM types and their layout.

use super::Module;
use llvm_sys::LLVMTypeKind::*;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use std::marker::PhantomData;

/// A type of a module.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ty<'m> {
    pub(super) raw: LLVMTypeRef,
    pub(super) module: PhantomData<&'m ()>,
}

/// The shape of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum TyKind<'m> {
    /// No value.
    Void,
    /// An integer of so many bits.
    Int(u32),
    /// A float.
    Float(verdiff_model::FloatKind),
    /// A pointer.
    Ptr,
    /// A struct with these fields.
    Struct(Vec<Ty<'m>>),
    /// An array.
    Array(Ty<'m>, u64),
    /// A vector of fixed length.
    Vector(Ty<'m>, u64),
    /// A function.
    Function,
    /// What the model has no counterpart for.
    Other,
}

impl std::fmt::Debug for Ty<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

impl<'m> Ty<'m> {
    pub(super) fn from_raw(raw: LLVMTypeRef) -> Self {
        Ty { raw, module: PhantomData }
    }

    /// The raw type.
    pub(crate) fn raw(self) -> LLVMTypeRef {
        self.raw
    }

    /// The type as LLVM writes it.
    pub fn text(self) -> String {
        // SAFETY: LLVM hands over a fresh string.
        unsafe { super::take_string(LLVMPrintTypeToString(self.raw)) }
    }

    /// The shape.
    pub fn kind(self) -> TyKind<'m> {
        use verdiff_model::FloatKind;
        // SAFETY: each accessor is called for its own kind only.
        unsafe {
            match LLVMGetTypeKind(self.raw) {
                LLVMVoidTypeKind => TyKind::Void,
                LLVMHalfTypeKind => TyKind::Float(FloatKind::Half),
                LLVMBFloatTypeKind => TyKind::Float(FloatKind::BFloat),
                LLVMFloatTypeKind => TyKind::Float(FloatKind::Single),
                LLVMDoubleTypeKind => TyKind::Float(FloatKind::Double),
                LLVMX86_FP80TypeKind => TyKind::Float(FloatKind::X87),
                LLVMFP128TypeKind => TyKind::Float(FloatKind::Quad),
                LLVMIntegerTypeKind => TyKind::Int(LLVMGetIntTypeWidth(self.raw)),
                LLVMPointerTypeKind => TyKind::Ptr,
                LLVMStructTypeKind => {
                    let count = LLVMCountStructElementTypes(self.raw);
                    let mut fields = vec![std::ptr::null_mut(); count as usize];
                    LLVMGetStructElementTypes(self.raw, fields.as_mut_ptr());
                    TyKind::Struct(fields.into_iter().map(Ty::from_raw).collect())
                }
                LLVMArrayTypeKind => TyKind::Array(
                    Ty::from_raw(LLVMGetElementType(self.raw)),
                    LLVMGetArrayLength2(self.raw),
                ),
                LLVMVectorTypeKind => TyKind::Vector(
                    Ty::from_raw(LLVMGetElementType(self.raw)),
                    u64::from(LLVMGetVectorSize(self.raw)),
                ),
                LLVMFunctionTypeKind => TyKind::Function,
                _ => TyKind::Other,
            }
        }
    }

    /// Whether values of the type have a size.
    pub fn is_sized(self) -> bool {
        // SAFETY: any type may be asked.
        unsafe { LLVMTypeIsSized(self.raw) != 0 }
    }

    /// For a function type: its result.
    pub fn function_result(self) -> Ty<'m> {
        // SAFETY: called on function types only.
        Ty::from_raw(unsafe { LLVMGetReturnType(self.raw) })
    }

    /// For a function type: its parameters.
    pub fn function_params(self) -> Vec<Ty<'m>> {
        // SAFETY: called on function types only; the buffer has the length asked for.
        unsafe {
            let count = LLVMCountParamTypes(self.raw);
            let mut params = vec![std::ptr::null_mut(); count as usize];
            LLVMGetParamTypes(self.raw, params.as_mut_ptr());
            params.into_iter().map(Ty::from_raw).collect()
        }
    }

    /// For a function type: whether further arguments may follow.
    pub fn is_variadic(self) -> bool {
        // SAFETY: called on function types only.
        unsafe { LLVMIsFunctionVarArg(self.raw) != 0 }
    }
}

/// Sizes and offsets, by the module's data layout.
#[derive(Clone, Copy)]
pub struct Layout<'m> {
    raw: LLVMTargetDataRef,
    module: PhantomData<&'m ()>,
}

impl Module<'_> {
    /// The module's data layout.
    pub fn layout(&self) -> Layout<'_> {
        // SAFETY: the layout belongs to the module, which is borrowed.
        Layout { raw: unsafe { LLVMGetModuleDataLayout(self.raw) }, module: PhantomData }
    }
}

impl<'m> Layout<'m> {
    /// Bytes from one array element to the next.
    pub fn size(self, ty: Ty<'m>) -> u64 {
        // SAFETY: callers ask for sized types.
        unsafe { LLVMABISizeOfType(self.raw, ty.raw) }
    }

    /// Alignment the ABI gives the type.
    pub fn align(self, ty: Ty<'m>) -> u32 {
        // SAFETY: as above.
        unsafe { LLVMABIAlignmentOfType(self.raw, ty.raw) }
    }

    /// Where field `index` of a struct begins.
    pub fn field_offset(self, ty: Ty<'m>, index: u32) -> u64 {
        // SAFETY: callers ask for struct types and existing fields.
        unsafe { LLVMOffsetOfElement(self.raw, ty.raw, index) }
    }
}
