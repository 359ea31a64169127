//! A thin safe skin over LLVM's C interface: just what reading a module needs.
//!
//! Why not the `llvm-ir` crate: it drops what the lowering needs (the blocks behind
//! computed gotos, inline assembly, all debug information) and copies the module
//! first. Why it is safe: a [`Value`], [`Ty`] or [`Meta`] borrows the [`Module`] it
//! came from, nothing here changes a module after it was read, and a context is used
//! by one thread only (none of the types is `Send`).

mod attributes;
mod meta;
mod ty;
mod value;

pub use meta::{Meta, MetaKind, Operand};
pub use ty::{Layout, Ty, TyKind};
pub use value::{BasicBlock, Value};

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char, c_void};
use std::marker::PhantomData;
use std::path::Path;

/// The major version of the LLVM this is linked with.
pub const LLVM_MAJOR: u32 = 19;

/// The version of the LLVM library: `19.1.7`.
pub fn llvm_version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: writes three numbers through valid pointers.
    unsafe { llvm_sys::core::LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}

/// A context: owns everything that modules share.
pub struct Context {
    raw: LLVMContextRef,
    // Boxed so that the handler's pointer to it stays valid while the context moves.
    messages: Box<std::cell::RefCell<Vec<String>>>,
}

/// A module, with the debug information in its older form (calls of `llvm.dbg.declare`).
pub struct Module<'c> {
    raw: LLVMModuleRef,
    pub(self) context: &'c Context,
}

extern "C" fn keep_message(info: LLVMDiagnosticInfoRef, messages: *mut c_void) {
    // SAFETY: LLVM calls this with the pointer that `Context::new` registered, which
    // lives as long as the context, and on the thread that called into LLVM.
    unsafe {
        use llvm_sys::LLVMDiagnosticSeverity::{LLVMDSNote, LLVMDSRemark};
        // What the code generator notes about its own work is not for anyone.
        if matches!(LLVMGetDiagInfoSeverity(info), LLVMDSRemark | LLVMDSNote) {
            return;
        }
        let text = LLVMGetDiagInfoDescription(info);
        let messages = &*(messages as *const std::cell::RefCell<Vec<String>>);
        messages.borrow_mut().push(CStr::from_ptr(text).to_string_lossy().into_owned());
        LLVMDisposeMessage(text);
    }
}

impl Context {
    /// A new context.
    pub fn new() -> Context {
        let messages = Box::new(std::cell::RefCell::new(Vec::new()));
        // SAFETY: a fresh context; the handler's argument outlives it (dropped after).
        let raw = unsafe {
            let raw = LLVMContextCreate();
            let argument = &*messages as *const _ as *mut c_void;
            LLVMContextSetDiagnosticHandler(raw, Some(keep_message), argument);
            raw
        };
        Context { raw, messages }
    }

    /// What LLVM had to say since the last call.
    pub fn take_messages(&self) -> Vec<String> {
        self.messages.take()
    }

    /// Reads a module from bitcode or textual IR.
    pub fn read(&self, path: &Path) -> Result<Module<'_>, String> {
        let name = CString::new(path.to_string_lossy().as_bytes()).map_err(|e| e.to_string())?;
        // SAFETY: out-parameters are initialised by LLVM on the path that reads them;
        // LLVMParseIRInContext takes the buffer in every case.
        unsafe {
            let mut buffer = std::ptr::null_mut();
            let mut message: *mut c_char = std::ptr::null_mut();
            if LLVMCreateMemoryBufferWithContentsOfFile(name.as_ptr(), &mut buffer, &mut message)
                != 0
            {
                return Err(take_string(message));
            }
            let mut raw = std::ptr::null_mut();
            if llvm_sys::ir_reader::LLVMParseIRInContext(self.raw, buffer, &mut raw, &mut message)
                != 0
            {
                let mut text = take_string(message);
                for more in self.take_messages() {
                    text.push_str(&more);
                }
                return Err(text);
            }
            LLVMSetIsNewDbgInfoFormat(raw, 0);
            Ok(Module { raw, context: self })
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules borrow the context, so all are gone.
        unsafe { LLVMContextDispose(self.raw) }
    }
}

/// Ends the names of what is used and has no definition that could be linked.
const UNLINKED: &str = ".verdiff.unlinked";

/// The name that was meant, of what [`Module::mark_unlinked`] has marked.
pub fn unlinked(name: &str) -> Option<&str> {
    name.strip_suffix(UNLINKED)
}

impl<'c> Module<'c> {
    /// Links `other` into this module.
    pub fn link(&mut self, other: Module<'c>) -> Result<(), String> {
        let raw = other.raw;
        // LLVMLinkModules2 destroys the source, so it must not be dropped here too.
        std::mem::forget(other);
        // SAFETY: both modules belong to one context (same lifetime), the source is not used again.
        let failed = unsafe {
            LLVMSetIsNewDbgInfoFormat(raw, 0);
            llvm_sys::linker::LLVMLinkModules2(self.raw, raw) != 0
        };
        let messages = self.context.take_messages();
        if failed { Err(messages.join("; ")) } else { Ok(()) }
    }

    /// Whether the module is well formed: for files that no clang of ours has made.
    pub fn verify(&self) -> Result<(), String> {
        use llvm_sys::analysis::*;
        // SAFETY: LLVM hands over a message that is disposed of once.
        unsafe {
            let mut message = std::ptr::null_mut();
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let broken = LLVMVerifyModule(self.raw, action, &mut message) != 0;
            let text = take_string(message);
            if broken { Err(text) } else { Ok(()) }
        }
    }

    /// Writes the module as bitcode.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let name = CString::new(path.to_string_lossy().as_bytes()).map_err(|e| e.to_string())?;
        // SAFETY: a live module and a C string.
        let failed =
            unsafe { llvm_sys::bit_writer::LLVMWriteBitcodeToFile(self.raw, name.as_ptr()) };
        if failed != 0 { Err(format!("{}: cannot be written", path.display())) } else { Ok(()) }
    }

    /// What it defines for everyone.
    pub fn strong_definitions(&self) -> Vec<String> {
        let all = self.functions().into_iter().chain(self.globals());
        let strong = |v: &Value<'_>| {
            !v.is_declaration() && v.linkage() == llvm_sys::LLVMLinkage::LLVMExternalLinkage
        };
        all.filter(strong).map(|v| v.name()).collect()
    }

    /// Gives what it uses of these names, and does not define, names that nothing has: [`unlinked`] knows them again.
    pub fn mark_unlinked(&mut self, names: &BTreeSet<String>) {
        let used = |v: &Value<'_>| v.is_declaration() && names.contains(&v.name());
        for value in self.functions().into_iter().chain(self.globals()).filter(used) {
            let name = value.name() + UNLINKED;
            // SAFETY: a live value of this module; LLVM copies the name.
            unsafe { LLVMSetValueName2(value.raw, name.as_ptr().cast(), name.len()) };
        }
    }

    /// Gives another name to what both modules define for everyone (several programs of one
    /// compilation database, each with its `main`): the names, old and new. LLVM links nothing that is local and
    /// unused, so [`Module::make_local`] comes after linking.
    pub fn rename_what_is_defined_in(
        &mut self,
        other: &Module<'c>,
        file: &str,
    ) -> Vec<(String, String)> {
        use llvm_sys::LLVMLinkage::LLVMExternalLinkage;
        let strong = |v: &Value<'_>| !v.is_declaration() && v.linkage() == LLVMExternalLinkage;
        let mut names = Vec::new();
        for value in self.functions().into_iter().chain(self.globals()).filter(strong) {
            let old = value.name();
            if other.named(&old).is_some_and(|found| strong(&found)) {
                let new = self.rename_for(value, other, file);
                names.push((old, new));
            }
        }
        names
    }

    /// Gives variables and functions that only one file sees another name if the other module has theirs. The linker
    /// would number them, and so differently in a version with one more of them; the name of the file is the same in both.
    pub fn rename_statics(&mut self, other: &Module<'c>, file: &str) {
        // What begins with a dot is a literal, which is known by what it holds.
        let is_static = |v: &Value<'_>| v.is_local() && !v.name().starts_with('.');
        for value in self.functions().into_iter().chain(self.globals()).filter(is_static) {
            if other.named(&value.name()).is_some() {
                self.rename_for(value, other, file);
            }
        }
    }

    /// Gives a function or variable of this module a name that neither module has, made of its own and that of its file.
    fn rename_for(&self, value: Value<'_>, other: &Module<'c>, file: &str) -> String {
        let old = value.name();
        let taken = |name: &str| self.named(name).is_some() || other.named(name).is_some();
        let first = format!("{old}.{file}");
        let mut numbered = (2..).map(|number| format!("{first}.{number}"));
        let new = match taken(&first) {
            false => first,
            true => numbered.find(|name| !taken(name)).unwrap_or(old),
        };
        // SAFETY: the value belongs to this module; LLVM copies the name.
        unsafe { LLVMSetValueName2(value.raw, new.as_ptr().cast(), new.len()) };
        new
    }

    /// Makes local what was renamed. It keeps the name that it has of its file: the linker would number its own.
    pub fn make_local(&mut self, renamed: &[(String, String)]) {
        for (_, new) in renamed {
            let Some(found) = self.named(new) else { continue };
            // SAFETY: a value of this module.
            unsafe { LLVMSetLinkage(found.raw, llvm_sys::LLVMLinkage::LLVMInternalLinkage) };
        }
    }

    /// Keeps the bodies of `inline` functions that another file is to define: they give way to its definition, if it is
    /// there. Says whether there is any.
    pub fn keep_inline_bodies(&mut self) -> bool {
        use llvm_sys::LLVMLinkage::{LLVMAvailableExternallyLinkage, LLVMWeakAnyLinkage};
        let mut found = false;
        for function in self.functions() {
            if function.linkage() == LLVMAvailableExternallyLinkage {
                // SAFETY: a function of this module, with a body.
                unsafe { LLVMSetLinkage(function.raw, LLVMWeakAnyLinkage) };
                found = true;
            }
        }
        found
    }

    /// The raw module, for code in this crate that builds something of its own from it.
    pub(crate) fn raw(&self) -> LLVMModuleRef {
        self.raw
    }

    /// The raw context.
    pub(crate) fn raw_context(&self) -> LLVMContextRef {
        self.context.raw
    }

    /// The target triple.
    pub fn target(&self) -> String {
        // SAFETY: the string belongs to the module.
        unsafe { CStr::from_ptr(LLVMGetTarget(self.raw)).to_string_lossy().into_owned() }
    }

    /// Whether it has assembly outside of functions.
    pub fn has_assembly(&self) -> bool {
        let mut length = 0;
        // SAFETY: the string belongs to the module; only its length is looked at.
        unsafe { LLVMGetModuleInlineAsm(self.raw, &mut length) };
        length > 0
    }

    /// Whether addresses are 64 bits wide and integers little endian, as the model has it.
    pub fn is_64_bit_little_endian(&self) -> bool {
        use llvm_sys::target::*;
        // SAFETY: the layout belongs to the module.
        unsafe {
            let layout = LLVMGetModuleDataLayout(self.raw);
            LLVMPointerSize(layout) == 8
                && matches!(LLVMByteOrder(layout), LLVMByteOrdering::LLVMLittleEndian)
        }
    }

    /// All functions, declared and defined.
    pub fn functions(&self) -> Vec<Value<'_>> {
        // SAFETY: a list walk; each value belongs to this module.
        unsafe { list(LLVMGetFirstFunction(self.raw), |v| LLVMGetNextFunction(v)) }
    }

    /// All global variables.
    pub fn globals(&self) -> Vec<Value<'_>> {
        // SAFETY: as above.
        unsafe { list(LLVMGetFirstGlobal(self.raw), |v| LLVMGetNextGlobal(v)) }
    }

    /// All aliases.
    pub fn aliases(&self) -> Vec<Value<'_>> {
        // SAFETY: as above.
        unsafe { list(LLVMGetFirstGlobalAlias(self.raw), |v| LLVMGetNextGlobalAlias(v)) }
    }

    /// The number of an attribute kind, such as `byval`.
    pub fn attribute_kind(name: &str) -> u32 {
        // SAFETY: a look-up by name and length.
        unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: values borrow the module, so all are gone.
        unsafe { LLVMDisposeModule(self.raw) }
    }
}

/// Walks one of LLVM's linked lists.
fn list<'m>(first: LLVMValueRef, next: impl Fn(LLVMValueRef) -> LLVMValueRef) -> Vec<Value<'m>> {
    let mut out = Vec::new();
    let mut value = first;
    while !value.is_null() {
        out.push(Value { raw: value, module: PhantomData });
        value = next(value);
    }
    out
}

/// A string LLVM owns. SAFETY: `text` is null or has `len` bytes.
unsafe fn string_of(text: *const c_char, len: usize) -> String {
    if text.is_null() || len == 0 {
        return String::new();
    }
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// A string LLVM hands over. SAFETY: `text` is null or a C string to be disposed of once.
unsafe fn take_string(text: *mut c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    unsafe {
        let out = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        out
    }
}
