//! Attributes of functions and calls as text, and names of a module.

use super::{Module, Ty, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::ffi::CString;
use std::marker::PhantomData;

/// Where the attributes of a function itself are kept, as opposed to those of its parameters and result.
const ON_FUNCTION: u32 = u32::MAX;

impl<'m> Value<'m> {
    /// The attributes of a function itself, as text; `None` if some cannot be written down.
    pub fn function_attributes(self) -> Option<Vec<String>> {
        // SAFETY: a function; the buffer has the length asked for.
        let list = unsafe {
            let count = LLVMGetAttributeCountAtIndex(self.raw(), ON_FUNCTION) as usize;
            let mut list = vec![std::ptr::null_mut(); count];
            LLVMGetAttributesAtIndex(self.raw(), ON_FUNCTION, list.as_mut_ptr());
            list
        };
        list.into_iter().map(attribute).collect()
    }

    /// The attributes of the function at a call.
    pub fn call_attributes(self) -> Option<Vec<String>> {
        // SAFETY: a call; the buffer has the length asked for.
        let list = unsafe {
            let count = LLVMGetCallSiteAttributeCount(self.raw(), ON_FUNCTION) as usize;
            let mut list = vec![std::ptr::null_mut(); count];
            LLVMGetCallSiteAttributes(self.raw(), ON_FUNCTION, list.as_mut_ptr());
            list
        };
        list.into_iter().map(attribute).collect()
    }
}

fn attribute(attribute: LLVMAttributeRef) -> Option<String> {
    // SAFETY: each accessor is called for its own kind of attribute only; strings belong to the context.
    unsafe {
        if LLVMIsStringAttribute(attribute) != 0 {
            let mut len = 0;
            let key = LLVMGetStringAttributeKind(attribute, &mut len);
            let key = super::string_of(key, len as usize);
            let value = LLVMGetStringAttributeValue(attribute, &mut len);
            Some(format!("{key:?}={:?}", super::string_of(value, len as usize)))
        } else if LLVMIsEnumAttribute(attribute) != 0 {
            let (kind, value) =
                (LLVMGetEnumAttributeKind(attribute), LLVMGetEnumAttributeValue(attribute));
            Some(format!("{kind}={value}"))
        } else {
            None
        }
    }
}

impl Module<'_> {
    /// The function, global or alias with this name.
    pub fn named(&self, name: &str) -> Option<Value<'_>> {
        let text = CString::new(name).ok()?;
        // SAFETY: look-ups by name in a live module; a found value belongs to it.
        let found = unsafe {
            let mut found = LLVMGetNamedFunction(self.raw(), text.as_ptr());
            if found.is_null() {
                found = LLVMGetNamedGlobal(self.raw(), text.as_ptr());
            }
            if found.is_null() {
                found = LLVMGetNamedGlobalAlias(self.raw(), text.as_ptr(), name.len());
            }
            found
        };
        (!found.is_null()).then_some(Value { raw: found, module: PhantomData })
    }

    /// The struct type with this name.
    pub fn named_type(&self, name: &str) -> Option<Ty<'_>> {
        let name = CString::new(name).ok()?;
        // SAFETY: a look-up by name in a live context.
        let found = unsafe { LLVMGetTypeByName2(self.raw_context(), name.as_ptr()) };
        (!found.is_null()).then(|| Ty::from_raw(found))
    }
}

impl Ty<'_> {
    /// Whether it is, or has in it, a struct that is no literal and has no name: LLVM numbers these for each text.
    pub fn has_nameless(self) -> bool {
        use super::TyKind;
        match self.kind() {
            // SAFETY: asked of structs only.
            TyKind::Struct(fields) => unsafe {
                let nameless =
                    LLVMIsLiteralStruct(self.raw()) == 0 && LLVMGetStructName(self.raw()).is_null();
                nameless || fields.into_iter().any(Ty::has_nameless)
            },
            TyKind::Array(element, _) | TyKind::Vector(element, _) => element.has_nameless(),
            TyKind::Function => {
                self.function_result().has_nameless()
                    || self.function_params().into_iter().any(Ty::has_nameless)
            }
            _ => false,
        }
    }
}
