//! Compiled programs that can be called: the program is compiled for real, with the
//! flags that match its meaning here, and each function gets a wrapper
//! `void (const char *args, char *results)` that a driver can call without knowing its
//! type. Static functions and every global are reachable too.
//!
//! The wrappers are made in LLVM and not in C because only there the ABI is spelled
//! out: the parameters of the wrapper's call are those the model has, in the same order.
//!
//! The module gets these tables, each in the order of the [`Program`]'s lists:
//! `verdiff_wrappers`, `verdiff_functions` (addresses), `verdiff_externals` (addresses, null for
//! operations), `verdiff_globals` (addresses, null for thread-local ones and for what is defined
//! elsewhere).
//! Undefined functions that are not in `real_externals` get a body that calls
//! `verdiff_called(number, args, results, further)` with their position in the program's list and their
//! arguments, laid out as [`Callable::external_frames`] says, and a `va_list *` for those beyond the declared
//! ones (null if there can be none); the driver fills the results in, or does not come back. `longjmp` calls
//! `verdiff_jump_back` before, which goes back to a `setjmp` of the same run: `verdiff_jump_set` is told of each
//! buffer.

use crate::callable_cache::KeptCallable;
use crate::clang::{Clang, Overflow};
use crate::error::FrontError;
use crate::llvm::{Context, Module, Value};
use crate::lower::{FLOATING, FLOATING_AT, GENERAL, REGISTERS, Symbols, Taken};
use crate::{Bitcode, Inputs, LLVM_MAJOR};
use llvm_sys::LLVMLinkage::*;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use serde::{Deserialize, Serialize};
use std::ffi::CString;
use std::path::Path;
use verdiff_model::{External, Frame, Program, Type, interp};
use verdiff_process::Deadline;

/// What to build.
#[derive(Clone, Debug, Default)]
pub struct CallableOptions {
    /// Further flags for clang, for the program: `-O2`, `-fsanitize=address`.
    pub flags: Vec<String>,
    /// External functions that are linked for real; all others call `verdiff_called`.
    pub real_externals: Vec<String>,
    /// Whether what C leaves undefined and the model does not is left as it was written. If not, the
    /// compiled program is made to do what the model says.
    pub as_written: bool,
    /// Until when clang may take.
    pub deadline: Deadline,
    /// What tells this build of verdiff from all others. If nobody says, nothing is kept for later runs.
    pub tool: Option<String>,
}

/// How a program in compiled form is called.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Callable {
    /// The program, lowered from the very bitcode that was compiled. (Marks apart, it
    /// is the program that [`load`](crate::load) gives.)
    pub program: Program,
    /// For each procedure, where its arguments and results lie.
    pub frames: Vec<Frame>,
    /// For each external, where `verdiff_called` finds its arguments (those it is declared with)
    /// and puts its results; empty for those that are linked for real.
    pub external_frames: Vec<Frame>,
    /// For each external, whether it is linked for real.
    pub real: Vec<bool>,
}

/// Compiles the inputs with wrappers into an object file at `output`.
pub fn compile_callable(
    inputs: &Inputs,
    options: &CallableOptions,
    output: &Path,
) -> Result<Callable, FrontError> {
    let mut inputs = inputs.clone();
    if !options.flags.is_empty() {
        inputs.clang_flags.extend(options.flags.iter().cloned());
        // Passes, sanitizers among them, run once, when the object is made: what is lowered
        // and wrapped here is the plain program.
        inputs.clang_flags.extend(["-Xclang", "-disable-llvm-passes"].map(str::to_owned));
    }
    let bitcode = crate::compile(&inputs, options.deadline)?;
    let kept = KeptCallable::of(inputs.store.as_ref(), options, &bitcode, inputs.overflow);
    if let Some(callable) = kept.as_ref().and_then(|kept| kept.get(output)) {
        return Ok(callable);
    }
    let callable = build(&inputs, options, &bitcode, output)?;
    if let Some(kept) = kept {
        kept.put(&callable, output);
    }
    Ok(callable)
}

/// Makes the object file of bitcode.
fn build(
    inputs: &Inputs,
    options: &CallableOptions,
    bitcode: &Bitcode,
    output: &Path,
) -> Result<Callable, FrontError> {
    let context = Context::new();
    let (module, _) = crate::link(&context, bitcode)?;
    let (program, symbols) = crate::lower::lower_with_symbols(&module);
    let frames = add_wrappers(&module, &symbols);
    let (external_frames, real) = add_externals(&module, &program, &symbols, options);
    hide_main(&symbols);
    if !options.as_written {
        define_the_undefined(&module);
    }
    drop(symbols);
    let from_c = bitcode.files.iter().all(|file| !file.given);
    let wraps = inputs.overflow == Overflow::Wraps;
    if from_c && wraps && options.flags.is_empty() && crate::emit::is_plain(&module) {
        context.take_messages();
        let made = crate::emit::object(&module, output);
        let clean = context.take_messages().is_empty();
        // Whatever it was, clang says it better.
        if made.is_ok() && clean {
            return Ok(Callable { program, frames, external_frames, real });
        }
    }
    let wrapped =
        tempfile::Builder::new().prefix("verdiff-").suffix(".bc").tempfile().map_err(|source| {
            FrontError::System { what: "cannot make a temporary file".into(), source }
        })?;
    module.write(wrapped.path()).map_err(|detail| FrontError::BadIr {
        path: wrapped.path().to_path_buf(),
        wanted: LLVM_MAJOR,
        detail,
    })?;
    Clang::find()?.until(options.deadline).assemble(wrapped.path(), output, &options.flags)?;
    Ok(Callable { program, frames, external_frames, real })
}

/// Where LLVM leaves a result open and the model does not, the compiled program is made to do
/// what the model says, so that both can be compared: overlapping areas are copied as if there were a third one,
/// zero has as many leading and trailing zeros as it has bits, and a difference of pointers that is no whole
/// number of elements is rounded towards zero.
fn define_the_undefined(module: &Module<'_>) {
    for function in module.functions() {
        for inst in function.blocks().into_iter().flat_map(|block| block.instructions()) {
            if inst.opcode() == llvm_sys::LLVMOpcode::LLVMSDiv {
                // SAFETY: an instruction of a module of ours that may have the mark.
                unsafe { LLVMSetExact(inst.raw(), 0) };
            }
        }
        let name = function.name();
        let is_copy = name.starts_with("llvm.memcpy.") && !name.starts_with("llvm.memcpy.inline");
        let is_count = name.starts_with("llvm.ctlz.") || name.starts_with("llvm.cttz.");
        for call in function.users().into_iter().filter(|_| is_copy || is_count) {
            // SAFETY: a call of this intrinsic in a module of ours. `memmove` has the very types
            // of `memcpy`; a call's last operand is what it calls.
            unsafe {
                if is_copy {
                    let id = LLVMLookupIntrinsicID(c"llvm.memmove".as_ptr(), 12);
                    let mut types = [0, 1, 2].map(|index| call.operand(index).ty().raw());
                    let copy = LLVMGetIntrinsicDeclaration(module.raw(), id, types.as_mut_ptr(), 3);
                    LLVMSetOperand(call.raw(), call.operand_count() - 1, copy);
                } else {
                    let no = LLVMConstInt(LLVMInt1TypeInContext(module.raw_context()), 0, 0);
                    LLVMSetOperand(call.raw(), 1, no);
                }
            }
        }
    }
}

/// The driver has a `main` of its own; the program's is called like any other function.
fn hide_main(symbols: &Symbols<'_>) {
    let name = c"verdiff.main";
    for function in symbols.procedures.iter().filter(|f| f.name() == "main") {
        // SAFETY: a function of the module that is being built; the name outlives the call.
        unsafe {
            LLVMSetValueName2(function.raw(), name.as_ptr(), name.count_bytes());
            LLVMSetLinkage(function.raw(), LLVMInternalLinkage);
        }
    }
}

fn add_wrappers<'m>(module: &'m Module<'_>, symbols: &Symbols<'m>) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut wrappers = Vec::new();
    for (index, function) in symbols.procedures.iter().enumerate() {
        let variadic = symbols.variadic[index];
        let frame = frame_of(module, *function, variadic);
        wrappers.push(match &frame {
            Some(frame) => wrapper(module, index, *function, variadic.zip(frame.areas)),
            None => None,
        });
        frames.push(frame.unwrap_or_default());
    }
    let functions: Vec<_> = symbols.procedures.iter().map(|f| Some(f.raw())).collect();
    let globals: Vec<_> = symbols
        .globals
        .iter()
        .map(|g| (!g.is_declaration() && !g.is_thread_local()).then(|| g.raw()))
        .collect();
    table(module, c"verdiff_wrappers", &wrappers);
    table(module, c"verdiff_functions", &functions);
    table(module, c"verdiff_globals", &globals);
    // An intrinsic has no address.
    let externals: Vec<_> = symbols
        .externals
        .iter()
        .map(|e| e.filter(|f| !f.name().starts_with("llvm.")).map(|f| f.raw()))
        .collect();
    table(module, c"verdiff_externals", &externals);
    frames
}

fn add_externals<'m>(
    module: &'m Module<'_>,
    program: &Program,
    symbols: &Symbols<'m>,
    options: &CallableOptions,
) -> (Vec<Frame>, Vec<bool>) {
    let mut frames = Vec::new();
    let mut real = Vec::new();
    for (index, external) in symbols.externals.iter().enumerate() {
        let is_real = options.real_externals.contains(&program.externals[index].name);
        real.push(is_real);
        if let Some(function) =
            external.filter(|_| interp::returns_twice(&program.externals[index]))
        {
            tell_of_jumps(module, function);
        }
        frames.push(match external {
            Some(function) if !is_real => {
                let frame = frame_of(module, *function, None);
                call_driver(module, *function, (index, &program.externals[index]), frame.as_ref());
                frame.unwrap_or_default()
            }
            _ => Frame::default(),
        });
    }
    (frames, real)
}

/// Has the driver know each buffer before `setjmp` is called with it.
fn tell_of_jumps(module: &Module<'_>, setjmp: Value<'_>) {
    let context = module.raw_context();
    let calls = setjmp.users().into_iter().filter(|user| {
        user.opcode() == llvm_sys::LLVMOpcode::LLVMCall && user.callee().raw() == setjmp.raw()
    });
    for call in calls {
        // SAFETY: a call in a module of ours, of a function whose first parameter is an address.
        unsafe {
            let builder = LLVMCreateBuilderInContext(context);
            LLVMPositionBuilderBefore(builder, call.raw());
            let (function, ty) = hook(module, c"verdiff_jump_set", 1);
            let mut args = [call.operand(0).raw()];
            LLVMBuildCall2(builder, ty, function, args.as_mut_ptr(), 1, c"".as_ptr());
            LLVMDisposeBuilder(builder);
        }
    }
}

/// A function of the driver with an address and perhaps a number as parameters.
///
/// # Safety
/// What is added belongs to the module.
unsafe fn hook(
    module: &Module<'_>,
    name: &std::ffi::CStr,
    parameters: u32,
) -> (LLVMValueRef, LLVMTypeRef) {
    let context = module.raw_context();
    // SAFETY: types of the module's own context.
    unsafe {
        let mut params = [LLVMPointerTypeInContext(context, 0), LLVMInt32TypeInContext(context)];
        let void = LLVMVoidTypeInContext(context);
        let ty = LLVMFunctionType(void, params.as_mut_ptr(), parameters, 0);
        let known = LLVMGetNamedFunction(module.raw(), name.as_ptr());
        match known.is_null() {
            true => (LLVMAddFunction(module.raw(), name.as_ptr(), ty), ty),
            false => (known, ty),
        }
    }
}

/// Where each procedure's arguments and results would lie; empty for those that cannot be called so.
pub(crate) fn frames(module: &Module<'_>, symbols: &Symbols<'_>) -> Vec<Frame> {
    let all = symbols.procedures.iter().zip(&symbols.variadic);
    all.map(|(f, variadic)| frame_of(module, *f, *variadic).unwrap_or_default()).collect()
}

/// How much of the stack a variadic function is given.
const STACK: u64 = 256;

/// Sizes are rounded up to 16 so that every argument is aligned for any type.
fn frame_of(module: &Module<'_>, function: Value<'_>, variadic: Option<Taken>) -> Option<Frame> {
    let layout = module.layout();
    let by_value = Module::attribute_kind("byval");
    let mut frame = Frame::default();
    let function_type = function.value_type();
    for (index, ty) in function_type.function_params().into_iter().enumerate() {
        let lanes = crate::lower::lane_offsets(module, ty).ok()?;
        let size = function.type_attribute(index as u32 + 1, by_value).map(|t| layout.size(t));
        frame.by_value.extend(lanes.iter().map(|_| size));
        frame.args.extend(lanes.into_iter().map(|(ty, offset)| (ty, frame.args_size + offset)));
        frame.args_size += layout.size(ty).next_multiple_of(16);
    }
    if variadic.is_some() {
        for size in [REGISTERS, STACK] {
            frame.by_value.push(Some(size));
            frame.args.push((Type::Ptr, frame.args_size));
            frame.args_size += 16;
        }
        frame.areas = Some(frame.args_size);
        frame.args_size += REGISTERS + STACK;
    }
    let result = function_type.function_result();
    if result.is_sized() {
        frame.results = crate::lower::lane_offsets(module, result).ok()?;
        frame.results_size = layout.size(result).next_multiple_of(16);
    }
    Some(frame)
}

/// `void verdiff.call.N(ptr args, ptr results)`: loads the arguments, calls, stores the result. A variadic function gets
/// everything that is in its areas, whose contents are at the given place: a value for each register that is left, then the stack.
fn wrapper(
    module: &Module<'_>,
    index: usize,
    function: Value<'_>,
    variadic: Option<(Taken, u64)>,
) -> Option<LLVMValueRef> {
    let layout = module.layout();
    let context = module.raw_context();
    let name = CString::new(format!("verdiff.call.{index}")).ok()?;
    let ty = function.value_type();
    // SAFETY: builds a new function in a module of ours; all types and values belong to
    // its context, and the builder is disposed of.
    unsafe {
        let ptr = LLVMPointerTypeInContext(context, 0);
        let i8 = LLVMInt8TypeInContext(context);
        let void = LLVMVoidTypeInContext(context);
        let mut params = [ptr, ptr];
        let wrapper_ty = LLVMFunctionType(void, params.as_mut_ptr(), 2, 0);
        let wrapper = LLVMAddFunction(module.raw(), name.as_ptr(), wrapper_ty);
        LLVMSetLinkage(wrapper, LLVMInternalLinkage);
        let builder = LLVMCreateBuilderInContext(context);
        LLVMPositionBuilderAtEnd(
            builder,
            LLVMAppendBasicBlockInContext(context, wrapper, c"entry".as_ptr()),
        );
        let i64 = LLVMInt64TypeInContext(context);
        let load = |ty: LLVMTypeRef, offset: u64| {
            let mut step = [LLVMConstInt(i64, offset, 0)];
            let area = LLVMGetParam(wrapper, 0);
            let at = LLVMBuildGEP2(builder, i8, area, step.as_mut_ptr(), 1, c"".as_ptr());
            let value = LLVMBuildLoad2(builder, ty, at, c"".as_ptr());
            LLVMSetAlignment(value, 1);
            value
        };
        let mut args = Vec::new();
        let mut offset = 0;
        for param in ty.function_params() {
            args.push(load(param.raw(), offset));
            offset += layout.size(param).next_multiple_of(16);
        }
        let named = args.len() as u32;
        if let Some((taken, areas)) = variadic {
            let double = LLVMDoubleTypeInContext(context);
            let general = (taken.general..GENERAL).map(|n| (i64, 8 * n));
            let floating = (taken.floating..FLOATING).map(|n| (double, FLOATING_AT + 16 * n));
            let stack = (0..STACK / 8).map(|n| (i64, REGISTERS + 8 * n));
            let further = general.chain(floating).chain(stack);
            args.extend(further.map(|(ty, offset)| load(ty, areas + offset)));
        }
        let call = LLVMBuildCall2(
            builder,
            ty.raw(),
            function.raw(),
            args.as_mut_ptr(),
            args.len() as u32,
            c"".as_ptr(),
        );
        LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function.raw()));
        // Extension, byval and sret attributes are part of the calling convention.
        for place in 0..=named {
            let count = LLVMGetAttributeCountAtIndex(function.raw(), place) as usize;
            let mut attributes = vec![std::ptr::null_mut(); count];
            LLVMGetAttributesAtIndex(function.raw(), place, attributes.as_mut_ptr());
            for attribute in attributes {
                LLVMAddCallSiteAttribute(call, place, attribute);
            }
        }
        if ty.function_result().is_sized() {
            let store = LLVMBuildStore(builder, call, LLVMGetParam(wrapper, 1));
            LLVMSetAlignment(store, 1);
        }
        LLVMBuildRetVoid(builder);
        LLVMDisposeBuilder(builder);
        Some(wrapper)
    }
}

/// Gives an undefined function a body that hands its arguments to the driver and returns what that
/// gives, if it comes back. Without a frame nothing can be handed over.
fn call_driver(
    module: &Module<'_>,
    function: Value<'_>,
    (number, external): (usize, &External),
    frame: Option<&Frame>,
) {
    let layout = module.layout();
    let context = module.raw_context();
    let ty = function.value_type();
    // SAFETY: as in `wrapper`; the function has no body yet.
    unsafe {
        let i32 = LLVMInt32TypeInContext(context);
        let i64 = LLVMInt64TypeInContext(context);
        let i8 = LLVMInt8TypeInContext(context);
        let ptr = LLVMPointerTypeInContext(context, 0);
        let mut params = [i32, ptr, ptr, ptr];
        let called_ty = LLVMFunctionType(LLVMVoidTypeInContext(context), params.as_mut_ptr(), 4, 0);
        let mut called = LLVMGetNamedFunction(module.raw(), c"verdiff_called".as_ptr());
        if called.is_null() {
            called = LLVMAddFunction(module.raw(), c"verdiff_called".as_ptr(), called_ty);
        }
        let builder = LLVMCreateBuilderInContext(context);
        let entry = LLVMAppendBasicBlockInContext(context, function.raw(), c"entry".as_ptr());
        LLVMPositionBuilderAtEnd(builder, entry);
        if interp::goes_back(external) {
            // Where `setjmp` of this run was, the driver goes there; else it is a call like any other.
            let (jump, jump_ty) = hook(module, c"verdiff_jump_back", 2);
            let mut args = [0, 1].map(|index| LLVMGetParam(function.raw(), index));
            LLVMBuildCall2(builder, jump_ty, jump, args.as_mut_ptr(), 2, c"".as_ptr());
        }
        let mut areas = [LLVMConstNull(ptr); 2];
        if let Some(frame) = frame {
            for (area, size) in areas.iter_mut().zip([frame.args_size, frame.results_size]) {
                let size = LLVMConstInt(i64, size.max(16), 0);
                *area = LLVMBuildArrayAlloca(builder, i8, size, c"".as_ptr());
                LLVMSetAlignment(*area, 16);
            }
            let mut offset = 0;
            for (index, param) in ty.function_params().into_iter().enumerate() {
                let mut step = [LLVMConstInt(i64, offset, 0)];
                let at = LLVMBuildGEP2(builder, i8, areas[0], step.as_mut_ptr(), 1, c"".as_ptr());
                let value = LLVMGetParam(function.raw(), index as u32);
                LLVMSetAlignment(LLVMBuildStore(builder, value, at), 1);
                offset += layout.size(param).next_multiple_of(16);
            }
        }
        let mut further = LLVMConstNull(ptr);
        if frame.is_some() && LLVMIsFunctionVarArg(ty.raw()) != 0 {
            // No target's `va_list` is larger.
            further = LLVMBuildArrayAlloca(builder, i8, LLVMConstInt(i64, 64, 0), c"".as_ptr());
            LLVMSetAlignment(further, 16);
            let id = LLVMLookupIntrinsicID(c"llvm.va_start".as_ptr(), 13);
            let mut types = [ptr];
            let start = LLVMGetIntrinsicDeclaration(module.raw(), id, types.as_mut_ptr(), 1);
            let start_ty = LLVMIntrinsicGetType(context, id, types.as_mut_ptr(), 1);
            let mut list = [further];
            LLVMBuildCall2(builder, start_ty, start, list.as_mut_ptr(), 1, c"".as_ptr());
        }
        let mut args = [LLVMConstInt(i32, number as u64, 0), areas[0], areas[1], further];
        LLVMBuildCall2(builder, called_ty, called, args.as_mut_ptr(), 4, c"".as_ptr());
        let result = ty.function_result();
        if frame.is_none() {
            LLVMBuildUnreachable(builder);
        } else if result.is_sized() {
            let value = LLVMBuildLoad2(builder, result.raw(), areas[1], c"".as_ptr());
            LLVMSetAlignment(value, 1);
            LLVMBuildRet(builder, value);
        } else {
            LLVMBuildRetVoid(builder);
        }
        LLVMDisposeBuilder(builder);
        // Its own copy: a library that has the real one may be linked too.
        LLVMSetLinkage(function.raw(), LLVMInternalLinkage);
    }
}

/// A constant table of addresses; `None` is null.
fn table(module: &Module<'_>, name: &std::ffi::CStr, entries: &[Option<LLVMValueRef>]) {
    // SAFETY: constants of the module's own context.
    unsafe {
        let ptr = LLVMPointerTypeInContext(module.raw_context(), 0);
        let null = LLVMConstNull(ptr);
        let mut values: Vec<_> = entries.iter().map(|e| e.unwrap_or(null)).collect();
        let init = LLVMConstArray2(ptr, values.as_mut_ptr(), values.len() as u64);
        let global = LLVMAddGlobal(module.raw(), LLVMTypeOf(init), name.as_ptr());
        LLVMSetInitializer(global, init);
        LLVMSetGlobalConstant(global, 1);
    }
}
