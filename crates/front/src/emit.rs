//! Object files without another process.
//!
//! clang takes 25 ms before it reads a line, which is most of what it takes for a small file. The code generator is that of the very
//! LLVM that clang of this version uses, and it is asked for what `clang -c -x ir` asks it for: the pipeline
//! `default<O0>`, position-independent code, no optimisation, the processor that the functions' attributes name.
//!
//! Only what is sure to be harmless is done here, since an error in the code generator would end verdiff: C that this clang compiled
//! just now, without assembly, small enough that nobody has to stop it, and without what the linker must be told of (constructors).

use crate::llvm::Module;
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMStripModuleDebugInfo;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use llvm_sys::transforms::pass_builder::*;
use std::ffi::{CStr, CString};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::Once;

/// Larger modules take longer than clang takes to start.
const MOST_INSTRUCTIONS: usize = 20_000;
/// Whose code generator is initialised.
const TARGET: &str = "x86_64-";

/// Whether a module is for this code generator.
pub(crate) fn is_plain(module: &Module<'_>) -> bool {
    let mut instructions = 0;
    let mut assembly = false;
    for function in module.functions() {
        assembly |= function.is_ifunc();
        for block in function.blocks() {
            for instruction in block.instructions() {
                instructions += 1;
                assembly |= instruction.operands().any(|operand| operand.is_assembly());
            }
        }
        if instructions > MOST_INSTRUCTIONS {
            return false;
        }
    }
    let special = |name: String| name.starts_with("llvm.global_") || name == "llvm.used";
    let has_special = module.globals().into_iter().any(|global| special(global.name()));
    let mut length = 0;
    // SAFETY: a module of ours; the text is not looked at.
    unsafe { LLVMGetModuleInlineAsm(module.raw(), &raw mut length) };
    !assembly && !has_special && length == 0 && module.target().starts_with(TARGET)
}

/// Writes the module as an object file. Its code is changed by the pipeline.
pub(crate) fn object(module: &Module<'_>, output: &Path) -> Result<(), String> {
    static READY: Once = Once::new();
    READY.call_once(|| {
        // SAFETY: each may be called at any time.
        unsafe {
            LLVMInitializeX86TargetInfo();
            LLVMInitializeX86Target();
            LLVMInitializeX86TargetMC();
            LLVMInitializeX86AsmPrinter();
        }
    });
    // Nobody debugs it, and the linker would have to read it four times. The code is the same without it.
    // SAFETY: a module of ours; nothing that was read from it before refers to what goes.
    unsafe { LLVMStripModuleDebugInfo(module.raw()) };
    let machine = Machine::of(module)?;
    machine.run_passes(module)?;
    machine.emit(module, output)
}

/// A code generator.
struct Machine(LLVMTargetMachineRef);

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: it was made here, and nobody else has it.
        unsafe { LLVMDisposeTargetMachine(self.0) };
    }
}

impl Machine {
    fn of(module: &Module<'_>) -> Result<Machine, String> {
        let triple = CString::new(module.target()).map_err(|e| e.to_string())?;
        let mut target = null_mut();
        let mut message = null_mut();
        // SAFETY: the texts live as long as the calls; the message is ours if the call fails.
        unsafe {
            if LLVMGetTargetFromTriple(triple.as_ptr(), &raw mut target, &raw mut message) != 0 {
                return Err(taken(message));
            }
            let machine = LLVMCreateTargetMachine(
                target,
                triple.as_ptr(),
                c"x86-64".as_ptr(),
                c"".as_ptr(),
                LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelDefault,
            );
            match machine.is_null() {
                true => Err("LLVM has no code generator for it".to_owned()),
                false => Ok(Machine(machine)),
            }
        }
    }

    fn run_passes(&self, module: &Module<'_>) -> Result<(), String> {
        // SAFETY: module and machine are alive; the options are made and disposed of here, and an error is taken.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(module.raw(), c"default<O0>".as_ptr(), self.0, options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let message = LLVMGetErrorMessage(error);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            Err(text)
        }
    }

    fn emit(&self, module: &Module<'_>, output: &Path) -> Result<(), String> {
        let path = output.to_str().ok_or("a path is no text")?;
        let path = CString::new(path).map_err(|e| e.to_string())?;
        let mut message = null_mut();
        // SAFETY: module and machine are alive, the path lives as long as the call, the message is ours if the call fails.
        unsafe {
            let failed = LLVMTargetMachineEmitToFile(
                self.0,
                module.raw(),
                path.as_ptr().cast_mut(),
                LLVMCodeGenFileType::LLVMObjectFile,
                &raw mut message,
            );
            match failed {
                0 => Ok(()),
                _ => Err(taken(message)),
            }
        }
    }
}

/// A message that LLVM leaves to its caller.
unsafe fn taken(message: *mut std::ffi::c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: the caller says that it is LLVM's and ours to dispose of.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}
