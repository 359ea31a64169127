//! Variadic functions: where their further arguments are, as the x86-64 System V ABI has it.
//!
//! A variadic function has two further parameters here, of [kind](VarKind::VariadicArea) their own: the address of the *register area*
//! (in compiled code its prologue saves the registers there: six of 8 bytes, then eight of 16) and the address of the *stack area*
//! (what did not fit into registers, 8 bytes each). `va_start` stores both and two offsets into the `va_list`; what `va_arg` does
//! clang has spelled out already. A call makes both areas as objects of the caller and stores its arguments in
//! them; slots without an argument stay uninitialised, and reading them is what it is in C: undefined.
//!
//! This is right only if every call comes this way. So a function has areas only if all calls that name it are at its own type, with
//! arguments that are put where this module says: integers of at most 64 bits, pointers and `double`. All other
//! variadic functions stay without them; `va_start` in them is unsupported.
//!
//! # Functions whose address is taken
//!
//! A call through a pointer passes no areas. So in the model it never arrives at a function that has them: it is a bad call
//! ([`Procedure::may_be_called_as`](verdiff_model::Procedure::may_be_called_as)), as are all calls whose types are not those of the function. That is right if C has no
//! proper call of it through a pointer. A proper one has its type, which is variadic; so a function whose address is used for anything but calls
//! by its name has areas only if no variadic call through a pointer, in code that can be lowered or not, has types that
//! [may be](PointerCalls::may_lead_to) those of the function. Calls without a prototype (`int (*p)(); p(1, 2)`), whose behaviour is
//! undefined if a variadic function is called but which work, are variadic calls for clang, with all arguments named: where one has
//! types as far as the other has, it may be one. A call at a type that is not variadic is a bad call, as that of any function at another type.
//!
//! Who calls back from outside (a library that was given the address) passes what it likes, as all callers from outside: of an entry
//! state the areas are arbitrary.
//!
//! Whoever calls from outside (`main`, a test) passes what it likes: the areas of an entry state are arbitrary objects. Code may
//! overlap them with other objects only by a pointer into its caller's frame, which C does not give it.

use super::build;
use super::function::FunctionLowering;
use super::module::{Lowered, ModuleLowering, scalar};
use crate::llvm::{Ty, Value};
use llvm_sys::LLVMOpcode::{LLVMCall, LLVMCallBr, LLVMInvoke};
use verdiff_model::{
    Access, Address, CField, CType, CTypeId, Expr, FloatKind, Local, LocalId, Signature, StmtKind,
    Type, Var, VarId, VarKind,
};

/// Registers for integers and pointers.
pub const GENERAL: u64 = 6;
/// Registers for floating-point numbers.
pub const FLOATING: u64 = 8;
/// Where the floating-point registers begin in the register area.
pub const FLOATING_AT: u64 = 8 * GENERAL;
/// Size of the register area.
pub const REGISTERS: u64 = FLOATING_AT + 16 * FLOATING;
/// The names of the areas; none that C could have.
const REGISTERS_NAME: &str = "...registers";
const STACK_NAME: &str = "...stack";
/// Size of a `va_list`.
const LIST: u64 = 24;

/// How many registers the named parameters of a variadic function take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    pub general: u64,
    pub floating: u64,
}

/// The kind of register for an argument.
enum Class {
    General,
    Floating,
}

fn class(ty: Ty<'_>) -> Option<Class> {
    match scalar(ty).ok()? {
        Type::Int(width) if width <= 64 => Some(Class::General),
        Type::Ptr => Some(Class::General),
        Type::Float(FloatKind::Single | FloatKind::Double) => Some(Class::Floating),
        _ => None,
    }
}

impl Taken {
    /// `None` if the function has no areas.
    pub fn of<'m>(m: &ModuleLowering<'m>, function: Value<'m>) -> Option<Taken> {
        let ty = function.value_type();
        if !ty.is_variadic() || function.is_declaration() || !m.has_system_v_lists() {
            return None;
        }
        let mut taken = Taken::default();
        let params = ty.function_params();
        for (index, param) in params.iter().enumerate() {
            if function.type_attribute(index as u32 + 1, m.attributes.by_value).is_some() {
                return None;
            }
            match class(*param)? {
                Class::General => taken.general += 1,
                Class::Floating => taken.floating += 1,
            }
        }
        let only_registers = taken.general <= GENERAL && taken.floating <= FLOATING;
        let fits = |call: Value<'m>| {
            call.call_type() == ty
                && (params.len() as u32..call.arg_count()).all(|index| {
                    class(call.operand(index).ty()).is_some()
                        && !call.call_has_attribute(index + 1, m.attributes.by_value)
                })
        };
        let calls_it = |user: &Value<'m>| {
            user.opcode_if_instruction() == Some(LLVMCall) && user.callee() == function
        };
        let (calls, others): (Vec<_>, Vec<_>) = function.users().into_iter().partition(calls_it);
        let passed = calls
            .iter()
            .any(|call| (0..call.arg_count()).any(|index| call.operand(index) == function));
        let is_taken = passed || !others.is_empty();
        // Another name, by which it may be called, is none of the uses looked at.
        let has_alias = others.iter().any(|user| user.as_alias().is_some());
        let reached = || match m.signature(ty) {
            Ok(own) => m.calls_through_pointers.may_lead_to(&own),
            Err(_) => true,
        };
        let all_fit = only_registers && !has_alias && calls.into_iter().all(fits);
        (all_fit && !(is_taken && reached())).then_some(taken)
    }
}

/// The types of all variadic calls through pointers in a module.
#[derive(Debug, Default)]
pub struct PointerCalls {
    types: Vec<Signature>,
    /// Whether there is one whose types the model does not have.
    unknown: bool,
}

impl PointerCalls {
    /// Those of a module, also in functions that cannot be lowered.
    pub fn of<'m>(m: &ModuleLowering<'m>, functions: &[Value<'m>]) -> PointerCalls {
        let mut found = PointerCalls::default();
        let blocks = functions.iter().flat_map(|function| function.blocks());
        for inst in blocks.flat_map(|block| block.instructions()) {
            let is_call = matches!(inst.opcode(), LLVMCall | LLVMInvoke | LLVMCallBr);
            // Inline assembly is no variadic function.
            if !is_call || !inst.call_type().is_variadic() || m.resolve(inst.callee()).is_function()
            {
                continue;
            }
            match m.signature(inst.call_type()) {
                Ok(types) if !found.types.contains(&types) => found.types.push(types),
                Ok(_) => {}
                Err(_) => found.unknown = true,
            }
        }
        found
    }

    /// Whether one of them may be a call of a variadic function with these named parameters: its arguments are of the types of these, as
    /// far as both have them, and so are its results.
    fn may_lead_to(&self, named: &Signature) -> bool {
        let fits = |call: &Signature| {
            call.results == named.results
                && call.params.iter().zip(&named.params).all(|(a, b)| a == b)
        };
        self.unknown || self.types.iter().any(fits)
    }
}

impl ModuleLowering<'_> {
    /// The types of what is in the areas: registers by kind; words, as many as there are.
    fn area_types(&mut self) -> [CTypeId; 2] {
        *self.area_types.get_or_insert_with(|| {
            let types = &mut self.program.ctypes;
            let long = types.add(CType::Int { name: "long".to_owned(), width: 64, signed: true });
            let double = types.add(CType::Float { name: "double".to_owned(), width: 64 });
            let mut fields = vec![];
            let kinds =
                [("general", long, 0, GENERAL), ("floating", double, FLOATING_AT, 2 * FLOATING)];
            for (name, element, at, count) in kinds {
                let ctype = types.add(CType::Array { element, count: Some(count) });
                fields.push(CField {
                    name: name.to_owned(),
                    offset_bits: 8 * at,
                    bit_width: None,
                    ctype,
                });
            }
            let (name, size) = (String::new(), REGISTERS);
            [types.add(CType::Record { name, union: false, size, fields }), long]
        })
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    /// The parameters that say where the areas are.
    pub fn area_parameters(&mut self) {
        if !self.m.variadic.contains_key(&self.function) {
            return;
        }
        for (name, ctype) in [REGISTERS_NAME, STACK_NAME].into_iter().zip(self.m.area_types()) {
            let ctype = Some(self.m.pointer_to(ctype));
            let (name, kind) = (name.to_owned(), VarKind::VariadicArea);
            let id = self.proc.add_var(Var { name, ty: Type::Ptr, ctype, kind });
            self.proc.params.push(id);
        }
    }

    /// `va_start`.
    pub fn start_list(&mut self, inst: Value<'m>) -> Lowered<()> {
        let areas: Vec<VarId> = self.proc.areas().collect();
        let (Some(taken), [registers, stack]) = (self.m.variadic.get(&self.function), &areas[..])
        else {
            return Err("a variable argument list (va_start)".into());
        };
        let offsets = [8 * taken.general, FLOATING_AT + 16 * taken.floating];
        let [general, floating] = offsets.map(|offset| Expr::int(32, offset.into()));
        let (registers, stack) = (Expr::Var(*registers), Expr::Var(*stack));
        let list = self.scalar(inst.operand(0))?;
        let list = self.atom(list);
        self.store_at(&list, 0, general, 8);
        self.store_at(&list, 4, floating, 4);
        self.store_at(&list, 8, stack, 8);
        self.store_at(&list, 16, registers, 8);
        Ok(())
    }

    /// `va_copy`.
    pub fn copy_list(&mut self, inst: Value<'m>) -> Lowered<()> {
        if !self.m.has_system_v_lists() {
            return Err("a variable argument list (va_copy)".into());
        }
        let (dst, src) = (self.scalar(inst.operand(0))?, self.scalar(inst.operand(1))?);
        let len = Expr::int(64, LIST.into());
        self.emit(StmtKind::Copy { dst, src, len, align: 8, access: Access::Plain });
        Ok(())
    }

    /// The arguments of a call of a function with areas, whose named ones come first: the further ones are stored in areas, whose
    /// addresses take their place.
    pub fn further_arguments(
        &mut self,
        callee: Value<'m>,
        mut args: Vec<Expr>,
        types: &[Type],
    ) -> Vec<Expr> {
        let Some(Taken { mut general, mut floating }) = self.m.variadic.get(&callee).copied()
        else {
            return args;
        };
        let named = callee.value_type().function_params().len();
        let further = args.split_off(named);
        let (mut in_registers, mut on_stack) = (vec![], vec![]);
        for (value, ty) in further.into_iter().zip(&types[named..]) {
            let (next, most, start, step) = match ty {
                Type::Float(_) => (&mut floating, FLOATING, FLOATING_AT, 16),
                _ => (&mut general, GENERAL, 0, 8),
            };
            if *next < most {
                in_registers.push((start + step * *next, value));
                *next += 1;
            } else {
                on_stack.push((8 * on_stack.len() as u64, value));
            }
        }
        let stack = 8 * on_stack.len() as u64;
        args.push(self.area(REGISTERS_NAME, REGISTERS, in_registers));
        // Nobody asks whether it is there: what is read behind the last argument is undefined.
        args.push(match stack {
            0 => Expr::null(),
            _ => self.area(STACK_NAME, stack, on_stack),
        });
        args
    }

    /// An object with arguments at these offsets.
    fn area(&mut self, name: &str, size: u64, arguments: Vec<(u64, Expr)>) -> Expr {
        let name = name.to_owned();
        self.proc.locals.push(Local { name, size, align: 16, ctype: None, loc: self.loc });
        let area = Expr::Address(Address::Local(LocalId::new(self.proc.locals.len() - 1)));
        for (offset, value) in arguments {
            self.store_at(&area, offset, value, 8);
        }
        area
    }

    fn store_at(&mut self, base: &Expr, offset: u64, value: Expr, align: u32) {
        let addr = build::ptr_add(base.clone(), Expr::int(64, offset.into()));
        self.emit(StmtKind::Store { addr, value, align, access: Access::Plain });
    }
}
