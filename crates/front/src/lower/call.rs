//! Calls: of procedures, externals, through pointers, of inline assembly.

use super::function::FunctionLowering;
use super::module::{Lowered, ON_FUNCTION};
use crate::llvm::Value;
use verdiff_model::{Address, Callee, Expr, ExternalKind, Signature, StmtKind, Type};

impl<'m> FunctionLowering<'_, 'm> {
    pub fn call(&mut self, inst: Value<'m>) -> Lowered<()> {
        let callee = self.m.resolve(inst.callee());
        if callee.is_function() {
            let name = callee.name();
            if name.starts_with("llvm.") {
                return self.intrinsic(inst, &name);
            }
        }
        let twice = self.m.attributes.returns_twice;
        if inst.call_has_attribute(ON_FUNCTION, twice)
            || (callee.is_function() && callee.has_attribute(ON_FUNCTION, twice))
        {
            return Err(format!("a call of {}", callee.name()));
        }
        let mut args = Vec::new();
        let mut arg_types = Vec::new();
        for index in 0..inst.arg_count() {
            let arg = inst.operand(index);
            arg_types.extend(self.m.lane_types(arg.ty())?);
            args.extend(self.lanes(arg)?);
        }
        let results = self.m.lane_types(inst.ty())?;
        let mut signature = self.m.signature(inst.call_type())?;
        if callee.is_assembly() {
            let (text, constraints) = callee.assembly();
            signature.variadic = false;
            let name = match text.is_empty() {
                true => String::new(),
                false => format!("{} : {}", assembly_name(&text), assembly_name(&constraints)),
            };
            let id = self.m.operation(&name, ExternalKind::Assembly, signature);
            return self.emit_call(inst, Callee::External(id), args, results);
        }
        let function = callee;
        let callee = if callee.is_function() {
            self.direct(callee, &arg_types, &results, signature)?
        } else {
            Callee::Indirect { addr: self.scalar(callee)?, signature }
        };
        let args = self.further_arguments(function, args, &arg_types);
        self.emit_call(inst, callee, args, results)
    }

    /// A call of a known function. Where the types at the call are not those of the
    /// function (old-style declarations), it is a call of an address, which traps when
    /// they do not fit.
    fn direct(
        &mut self,
        function: Value<'m>,
        args: &[Type],
        results: &[Type],
        at_call: Signature,
    ) -> Lowered<Callee> {
        let own = self.m.signature(function.value_type())?;
        let fits = own.results == results
            && if own.variadic {
                args.len() >= own.params.len() && args[..own.params.len()] == own.params[..]
            } else {
                args == own.params
            };
        let address = self.m.address(function)?;
        Ok(match address {
            Address::Procedure(id) if fits => Callee::Procedure(id),
            Address::External(id) if fits => Callee::External(id),
            // `int f();` called with arguments and defined elsewhere.
            Address::External(id) if own.variadic && own.params.is_empty() => Callee::External(id),
            _ => {
                let signature =
                    Signature { params: args.to_vec(), results: results.to_vec(), ..at_call };
                Callee::Indirect {
                    addr: Expr::Address(address),
                    signature: Signature { variadic: false, ..signature },
                }
            }
        })
    }

    fn emit_call(
        &mut self,
        inst: Value<'m>,
        callee: Callee,
        args: Vec<Expr>,
        results: Vec<Type>,
    ) -> Lowered<()> {
        if inst.users().is_empty() {
            self.emit(StmtKind::Call { results: vec![], callee, args });
            return Ok(());
        }
        let ctype = self.result_ctype(&callee);
        let single = results.len() == 1;
        let vars: Vec<_> =
            results.into_iter().map(|ty| self.temporary(ty, ctype.filter(|_| single))).collect();
        self.emit(StmtKind::Call { results: vars.clone(), callee, args });
        self.define(inst, vars.into_iter().map(Expr::Var).collect());
        Ok(())
    }

    fn result_ctype(&self, callee: &Callee) -> Option<verdiff_model::CTypeId> {
        let program = &self.m.program;
        let function = match callee {
            Callee::Procedure(id) => program.procedure(*id).ctype?,
            Callee::External(id) => program.external(*id).ctype?,
            Callee::Indirect { .. } => return None,
        };
        match program.ctypes.get(function) {
            verdiff_model::CType::Function { result, .. } => Some(*result),
            _ => None,
        }
    }

    /// A call of an operation without side effects whose meaning is not modelled.
    pub fn pure_operation(&mut self, inst: Value<'m>, name: &str) -> Lowered<()> {
        let (mut args, mut params) = (Vec::new(), Vec::new());
        for index in 0..inst.arg_count() {
            let arg = inst.operand(index);
            params.extend(self.m.lane_types(arg.ty())?);
            args.extend(self.lanes(arg)?);
        }
        if params.contains(&Type::Ptr) {
            return Err(format!("the intrinsic {name}"));
        }
        let results = self.m.lane_types(inst.ty())?;
        let signature = Signature { params, results: results.clone(), variadic: false };
        let id = self.m.operation(name, ExternalKind::PureIntrinsic, signature);
        self.emit_call(inst, Callee::External(id), args, results)
    }
}

/// Text of inline assembly as part of a name: what SMT-LIB cannot quote, and the colon that parts
/// it from the constraints, are escaped. Different texts have different names.
fn assembly_name(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars() {
        match c {
            '%' | ':' | '|' | '\\' => name.push_str(&format!("%{:02x}", u32::from(c))),
            c if c.is_control() => name.push_str(&format!("%{:02x}", u32::from(c))),
            c => name.push(c),
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::assembly_name;

    #[test]
    fn assembly_is_named_by_its_text() {
        assert_eq!(assembly_name("subl $1, $0"), "subl $1, $0");
        assert_eq!(assembly_name("nop\n\tnop | \\ %:"), "nop%0a%09nop %7c %5c %25%3a");
    }
}
