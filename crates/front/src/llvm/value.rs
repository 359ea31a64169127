//! LLVM values: functions, instructions, constants.

use super::{Meta, Ty};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMRealPredicate};
use std::marker::PhantomData;

/// A value of a module.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'m> {
    pub(super) raw: LLVMValueRef,
    pub(super) module: PhantomData<&'m ()>,
}

/// A basic block of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BasicBlock<'m> {
    raw: LLVMBasicBlockRef,
    module: PhantomData<&'m ()>,
}

impl<'m> BasicBlock<'m> {
    fn from_raw(raw: LLVMBasicBlockRef) -> Self {
        BasicBlock { raw, module: PhantomData }
    }

    /// Its label.
    pub fn name(self) -> String {
        // SAFETY: a C string that belongs to the block.
        unsafe {
            std::ffi::CStr::from_ptr(LLVMGetBasicBlockName(self.raw)).to_string_lossy().into_owned()
        }
    }

    /// Its instructions in order.
    pub fn instructions(self) -> Vec<Value<'m>> {
        // SAFETY: a list walk.
        unsafe { super::list(LLVMGetFirstInstruction(self.raw), |i| LLVMGetNextInstruction(i)) }
    }
}

// SAFETY of all `unsafe` below: the value belongs to a live module (lifetime), and
// accessors for one kind of value are called by the lowering after it has looked at
// `opcode()` or one of the `as_…` tests.
impl<'m> Value<'m> {
    fn from_raw(raw: LLVMValueRef) -> Self {
        Value { raw, module: PhantomData }
    }

    fn optional(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then(|| Value::from_raw(raw))
    }

    /// The raw value.
    pub(crate) fn raw(self) -> LLVMValueRef {
        self.raw
    }

    /// Its name, empty if it has none.
    pub fn name(self) -> String {
        let mut len = 0;
        unsafe { super::string_of(LLVMGetValueName2(self.raw, &mut len), len) }
    }

    /// Its type.
    pub fn ty(self) -> Ty<'m> {
        Ty::from_raw(unsafe { LLVMTypeOf(self.raw) })
    }

    /// The value as LLVM writes it.
    pub fn text(self) -> String {
        unsafe { super::take_string(LLVMPrintValueToString(self.raw)) }
    }

    /// How often it is used.
    pub fn users(self) -> Vec<Value<'m>> {
        let mut out = Vec::new();
        unsafe {
            let mut link = LLVMGetFirstUse(self.raw);
            while !link.is_null() {
                out.push(Value::from_raw(LLVMGetUser(link)));
                link = LLVMGetNextUse(link);
            }
        }
        out
    }

    /// Number of operands.
    pub fn operand_count(self) -> u32 {
        unsafe { LLVMGetNumOperands(self.raw) as u32 }
    }

    /// An operand.
    pub fn operand(self, index: u32) -> Value<'m> {
        Value::from_raw(unsafe { LLVMGetOperand(self.raw, index) })
    }

    /// All operands.
    pub fn operands(self) -> impl Iterator<Item = Value<'m>> {
        (0..self.operand_count()).map(move |i| self.operand(i))
    }

    // Kinds of value.

    /// Whether it is an instruction.
    pub fn is_instruction(self) -> bool {
        unsafe { !LLVMIsAInstruction(self.raw).is_null() }
    }

    /// Whether it is a constant, functions and globals included.
    pub fn is_constant(self) -> bool {
        unsafe { LLVMIsConstant(self.raw) != 0 }
    }

    /// Whether it is a function.
    pub fn is_function(self) -> bool {
        unsafe { !LLVMIsAFunction(self.raw).is_null() }
    }

    /// What an alias stands for.
    pub fn as_alias(self) -> Option<Value<'m>> {
        unsafe {
            let alias = LLVMIsAGlobalAlias(self.raw);
            if alias.is_null() { None } else { Value::optional(LLVMAliasGetAliasee(alias)) }
        }
    }

    /// Whether it is an `ifunc`.
    pub fn is_ifunc(self) -> bool {
        unsafe { !LLVMIsAGlobalIFunc(self.raw).is_null() }
    }

    /// Whether it is a parameter.
    pub fn is_argument(self) -> bool {
        unsafe { !LLVMIsAArgument(self.raw).is_null() }
    }

    /// Whether it is inline assembly.
    pub fn is_assembly(self) -> bool {
        unsafe { !LLVMIsAInlineAsm(self.raw).is_null() }
    }

    /// Text and constraints of inline assembly.
    pub fn assembly(self) -> (String, String) {
        unsafe {
            let mut len = 0;
            let text = super::string_of(LLVMGetInlineAsmAsmString(self.raw, &mut len), len);
            let constraints =
                super::string_of(LLVMGetInlineAsmConstraintString(self.raw, &mut len), len);
            (text, constraints)
        }
    }

    /// Whether it is `undef` or `poison`.
    pub fn is_undef(self) -> bool {
        unsafe { LLVMIsUndef(self.raw) != 0 }
    }

    /// Whether it is all zeros: null, 0, `zeroinitializer`.
    pub fn is_null(self) -> bool {
        unsafe { LLVMIsNull(self.raw) != 0 }
    }

    /// Whether it is an integer constant.
    pub fn is_int_constant(self) -> bool {
        unsafe { !LLVMIsAConstantInt(self.raw).is_null() }
    }

    /// Whether it is a float constant.
    pub fn is_float_constant(self) -> bool {
        unsafe { !LLVMIsAConstantFP(self.raw).is_null() }
    }

    /// Whether it is a constant expression.
    pub fn is_constant_expr(self) -> bool {
        unsafe { !LLVMIsAConstantExpr(self.raw).is_null() }
    }

    /// The label behind a block address: function and block.
    pub fn as_block_address(self) -> Option<(Value<'m>, BasicBlock<'m>)> {
        unsafe {
            if LLVMIsABlockAddress(self.raw).is_null() {
                return None;
            }
            Some((
                Value::from_raw(LLVMGetBlockAddressFunction(self.raw)),
                BasicBlock::from_raw(LLVMGetBlockAddressBasicBlock(self.raw)),
            ))
        }
    }

    /// A constant array of bytes, whole.
    pub fn as_byte_string(self) -> Option<Vec<u8>> {
        unsafe {
            if LLVMIsAConstantDataSequential(self.raw).is_null()
                || LLVMIsConstantString(self.raw) == 0
            {
                return None;
            }
            let mut len = 0;
            let text = LLVMGetAsString(self.raw, &mut len);
            Some(std::slice::from_raw_parts(text.cast::<u8>(), len).to_vec())
        }
    }

    /// The low 64 bits of an integer constant, zero-extended.
    pub fn int_low(self) -> u64 {
        unsafe { LLVMConstIntGetZExtValue(self.raw) }
    }

    /// A float constant as a double, and whether precision was lost.
    pub fn float_as_double(self) -> (f64, bool) {
        let mut lost = 0;
        let value = unsafe { LLVMConstRealGetDouble(self.raw, &mut lost) };
        (value, lost != 0)
    }

    /// An element of a constant aggregate.
    pub fn element(self, index: u32) -> Option<Value<'m>> {
        Value::optional(unsafe { LLVMGetAggregateElement(self.raw, index) })
    }

    // Instructions and constant expressions.

    /// The operation of an instruction.
    pub fn opcode(self) -> LLVMOpcode {
        unsafe { LLVMGetInstructionOpcode(self.raw) }
    }

    /// The operation of a constant expression.
    pub fn constant_opcode(self) -> LLVMOpcode {
        unsafe { LLVMGetConstOpcode(self.raw) }
    }

    /// Whether signed overflow is undefined.
    pub fn has_nsw(self) -> bool {
        unsafe { LLVMGetNSW(self.raw) != 0 }
    }

    /// Whether unsigned overflow is undefined.
    pub fn has_nuw(self) -> bool {
        unsafe { LLVMGetNUW(self.raw) != 0 }
    }

    /// The predicate of an integer comparison.
    pub fn int_predicate(self) -> LLVMIntPredicate {
        unsafe { LLVMGetICmpPredicate(self.raw) }
    }

    /// The predicate of a float comparison.
    pub fn float_predicate(self) -> LLVMRealPredicate {
        unsafe { LLVMGetFCmpPredicate(self.raw) }
    }

    /// The operation of an `atomicrmw`.
    pub fn atomic_op(self) -> LLVMAtomicRMWBinOp {
        unsafe { LLVMGetAtomicRMWBinOp(self.raw) }
    }

    /// Alignment of a load, store, alloca, atomic or global.
    pub fn alignment(self) -> u32 {
        unsafe { LLVMGetAlignment(self.raw) }
    }

    /// Whether a memory access is volatile.
    pub fn is_volatile(self) -> bool {
        unsafe { LLVMGetVolatile(self.raw) != 0 }
    }

    /// The type an alloca reserves.
    pub fn allocated_type(self) -> Ty<'m> {
        Ty::from_raw(unsafe { LLVMGetAllocatedType(self.raw) })
    }

    /// The type a `getelementptr` steps over.
    pub fn gep_source_type(self) -> Ty<'m> {
        Ty::from_raw(unsafe { LLVMGetGEPSourceElementType(self.raw) })
    }

    /// Indices of an `extractvalue` or `insertvalue`.
    pub fn indices(self) -> Vec<u32> {
        unsafe {
            let count = LLVMGetNumIndices(self.raw) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.raw), count).to_vec()
        }
    }

    /// The lanes a `shufflevector` takes; `None` where any will do.
    pub fn shuffle_mask(self) -> Vec<Option<u32>> {
        unsafe {
            let undef = LLVMGetUndefMaskElem();
            (0..LLVMGetNumMaskElements(self.raw))
                .map(|i| LLVMGetMaskValue(self.raw, i))
                .map(|m| if m == undef { None } else { u32::try_from(m).ok() })
                .collect()
        }
    }

    /// Incoming values and blocks of a phi.
    pub fn incoming(self) -> Vec<(Value<'m>, BasicBlock<'m>)> {
        unsafe {
            (0..LLVMCountIncoming(self.raw))
                .map(|i| {
                    (
                        Value::from_raw(LLVMGetIncomingValue(self.raw, i)),
                        BasicBlock::from_raw(LLVMGetIncomingBlock(self.raw, i)),
                    )
                })
                .collect()
        }
    }

    /// The block an instruction stands in.
    pub fn parent(self) -> BasicBlock<'m> {
        BasicBlock::from_raw(unsafe { LLVMGetInstructionParent(self.raw) })
    }

    /// Successors of a terminator.
    pub fn successors(self) -> Vec<BasicBlock<'m>> {
        unsafe {
            (0..LLVMGetNumSuccessors(self.raw))
                .map(|i| BasicBlock::from_raw(LLVMGetSuccessor(self.raw, i)))
                .collect()
        }
    }

    /// Whether a branch has a condition.
    pub fn is_conditional(self) -> bool {
        unsafe { LLVMIsConditional(self.raw) != 0 }
    }

    /// The condition of a branch.
    pub fn condition(self) -> Value<'m> {
        Value::from_raw(unsafe { LLVMGetCondition(self.raw) })
    }

    /// The block operand at `index` (of a switch or indirect branch).
    pub fn block_operand(self, index: u32) -> BasicBlock<'m> {
        BasicBlock::from_raw(unsafe { LLVMValueAsBasicBlock(LLVMGetOperand(self.raw, index)) })
    }

    // Calls.

    /// What is called.
    pub fn callee(self) -> Value<'m> {
        Value::from_raw(unsafe { LLVMGetCalledValue(self.raw) })
    }

    /// The type of the function at a call.
    pub fn call_type(self) -> Ty<'m> {
        Ty::from_raw(unsafe { LLVMGetCalledFunctionType(self.raw) })
    }

    /// How many arguments a call has.
    pub fn arg_count(self) -> u32 {
        unsafe { LLVMGetNumArgOperands(self.raw) }
    }

    /// Whether a call has an attribute on its function (`u32::MAX`), result (0) or argument (from 1).
    pub fn call_has_attribute(self, place: u32, kind: u32) -> bool {
        unsafe { !LLVMGetCallSiteEnumAttribute(self.raw, place, kind).is_null() }
    }

    /// The number in an attribute, such as `align`, of a call's argument.
    pub fn call_attribute_value(self, place: u32, kind: u32) -> Option<u64> {
        unsafe {
            let attribute = LLVMGetCallSiteEnumAttribute(self.raw, place, kind);
            (!attribute.is_null()).then(|| LLVMGetEnumAttributeValue(attribute))
        }
    }

    // Functions and globals.

    /// Whether there is no body or initialiser.
    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.raw) != 0 }
    }

    /// The type of a function or of what a global holds.
    pub fn value_type(self) -> Ty<'m> {
        Ty::from_raw(unsafe { LLVMGlobalGetValueType(self.raw) })
    }

    /// Linkage of a function or global.
    pub fn linkage(self) -> LLVMLinkage {
        unsafe { LLVMGetLinkage(self.raw) }
    }

    /// Whether only its own module can see it.
    pub fn is_local(self) -> bool {
        matches!(self.linkage(), LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
    }

    /// Whether it may be missing, or give way to another definition.
    pub fn is_weak(self) -> bool {
        use LLVMLinkage::*;
        matches!(
            self.linkage(),
            LLVMExternalWeakLinkage | LLVMWeakAnyLinkage | LLVMLinkOnceAnyLinkage
        )
    }

    /// Gives it another name; if that is taken, LLVM adds a number.
    pub fn rename(self, name: &str) {
        unsafe { LLVMSetValueName2(self.raw, name.as_ptr().cast(), name.len()) }
    }

    /// Whether it is a global variable.
    pub fn is_global_variable(self) -> bool {
        unsafe { !LLVMIsAGlobalVariable(self.raw).is_null() }
    }

    /// Parameters of a function.
    pub fn params(self) -> Vec<Value<'m>> {
        unsafe {
            (0..LLVMCountParams(self.raw))
                .map(|i| Value::from_raw(LLVMGetParam(self.raw, i)))
                .collect()
        }
    }

    /// Blocks of a function.
    pub fn blocks(self) -> Vec<BasicBlock<'m>> {
        unsafe {
            let mut raw = vec![std::ptr::null_mut(); LLVMCountBasicBlocks(self.raw) as usize];
            LLVMGetBasicBlocks(self.raw, raw.as_mut_ptr());
            raw.into_iter().map(BasicBlock::from_raw).collect()
        }
    }

    /// Whether a function has an attribute on itself (`u32::MAX`), its result (0) or a parameter (from 1).
    pub fn has_attribute(self, place: u32, kind: u32) -> bool {
        unsafe { !LLVMGetEnumAttributeAtIndex(self.raw, place, kind).is_null() }
    }

    /// The type in a type attribute of a parameter.
    pub fn type_attribute(self, place: u32, kind: u32) -> Option<Ty<'m>> {
        unsafe {
            let attribute = LLVMGetEnumAttributeAtIndex(self.raw, place, kind);
            (!attribute.is_null()).then(|| Ty::from_raw(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// The initialiser of a global.
    pub fn initializer(self) -> Option<Value<'m>> {
        Value::optional(unsafe { LLVMGetInitializer(self.raw) })
    }

    /// Whether a global may not be written.
    pub fn is_global_constant(self) -> bool {
        unsafe { LLVMIsGlobalConstant(self.raw) != 0 }
    }

    /// Whether a global is put into a section that the source names.
    pub fn has_section(self) -> bool {
        unsafe {
            let section = LLVMGetSection(self.raw);
            !section.is_null() && *section != 0
        }
    }

    /// Whether each thread has its own.
    pub fn is_thread_local(self) -> bool {
        unsafe { LLVMIsThreadLocal(self.raw) != 0 }
    }

    // Debug information.

    /// The description of a function.
    pub fn subprogram(self) -> Option<Meta<'m>> {
        Meta::optional(unsafe { LLVMGetSubprogram(self.raw) })
    }

    /// The description of a global variable.
    pub fn global_debug(self) -> Option<Meta<'m>> {
        unsafe {
            let mut count = 0;
            let entries = LLVMGlobalCopyAllMetadata(self.raw, &mut count);
            let dbg = LLVMGetMDKindID(c"dbg".as_ptr(), 3);
            let found = (0..count as u32)
                .find(|i| LLVMValueMetadataEntriesGetKind(entries, *i) == dbg)
                .map(|i| LLVMValueMetadataEntriesGetMetadata(entries, i));
            LLVMDisposeValueMetadataEntries(entries);
            found.and_then(|e| Meta::optional(LLVMDIGlobalVariableExpressionGetVariable(e)))
        }
    }

    /// Line, column and scope of an instruction.
    pub fn location(self) -> Option<(u32, u32, Meta<'m>)> {
        unsafe {
            let location = LLVMInstructionGetDebugLoc(self.raw);
            if location.is_null() {
                return None;
            }
            let scope = Meta::optional(LLVMDILocationGetScope(location))?;
            Some((LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location), scope))
        }
    }

    /// A metadata operand.
    pub fn as_meta(self) -> Option<Meta<'m>> {
        Meta::optional(unsafe { LLVMValueAsMetadata(self.raw) })
    }
}

impl<'m> Value<'m> {
    /// The operation, if this is an instruction.
    pub fn opcode_if_instruction(self) -> Option<LLVMOpcode> {
        self.is_instruction().then(|| self.opcode())
    }

    /// The value that a metadata operand wraps (the first operand of `llvm.dbg.declare`).
    pub fn as_meta_value(self) -> Option<Value<'m>> {
        // SAFETY: LLVM gives the wrapped value of a ValueAsMetadata as the single operand
        // of the metadata-as-value; other metadata have none.
        unsafe {
            let meta = self.as_meta()?;
            if meta.kind() != super::MetaKind::Value {
                return None;
            }
            let mut raw = std::ptr::null_mut();
            if LLVMGetMDNodeNumOperands(self.raw) != 1 {
                return None;
            }
            LLVMGetMDNodeOperands(self.raw, &mut raw);
            Value::optional(raw)
        }
    }
}
