//! Names for objects that have none: compound literals outside of functions.
//!
//! `int *p = (int[]){1, 2};` makes an array that may be written like any other. The compiler calls it
//! `.compoundliteral` and a number that shifts with every change. It can be reached through the object alone whose initialiser
//! it stands in, so it is called after that: `p.literal`, and is then a global like any other; or, where the compiler has seen through
//! a constant pointer to it, after the first function that uses it. Constants keep their names: they are known by
//! their contents.

use crate::llvm::{Module, Value};
use std::collections::{HashSet, VecDeque};

/// Renames the literals of a module that may be written.
pub fn name(module: &Module<'_>) {
    let all = module.globals();
    if !all.iter().any(|g| is_nameless(*g)) {
        return;
    }
    let named = all.into_iter().filter(|g| !g.name().starts_with('.'));
    let mut work: VecDeque<(Value<'_>, String)> = named.map(|g| (g, g.name())).collect();
    let mut seen: HashSet<Value<'_>> = work.iter().map(|(g, _)| *g).collect();
    let mut functions = module.functions().into_iter();
    loop {
        while let Some((parent, name)) = work.pop_front() {
            let initializer = parent.initializer().into_iter().collect();
            work.extend(named_after(&name, initializer, &mut seen));
        }
        let Some(function) = functions.next() else { return };
        let instructions = function.blocks().into_iter().flat_map(|b| b.instructions());
        let operands = instructions.flat_map(|i| i.operands().collect::<Vec<_>>());
        let constants = operands.filter(|v| v.is_constant()).collect();
        work.extend(named_after(&function.name(), constants, &mut seen));
    }
}

fn is_nameless(v: Value<'_>) -> bool {
    v.is_global_variable() && v.is_local() && !v.is_global_constant() && v.name().starts_with('.')
}

/// The variables in constants that were not met before, those without a name called after who uses them.
fn named_after<'m>(
    user: &str,
    constants: Vec<Value<'m>>,
    seen: &mut HashSet<Value<'m>>,
) -> Vec<(Value<'m>, String)> {
    let name = format!("{user}.literal");
    let new: Vec<_> = variables(constants).into_iter().filter(|part| seen.insert(*part)).collect();
    new.iter().filter(|part| is_nameless(**part)).for_each(|part| part.rename(&name));
    new.into_iter().map(|part| (part, name.clone())).collect()
}

/// The global variables that constants are made of, in order.
fn variables(mut parts: Vec<Value<'_>>) -> Vec<Value<'_>> {
    parts.reverse();
    let mut found = vec![];
    while let Some(part) = parts.pop() {
        if part.is_global_variable() {
            found.push(part);
        } else if part.is_constant() && !part.is_function() {
            let mut operands: Vec<_> = part.operands().collect();
            operands.reverse();
            parts.extend(operands);
        }
    }
    found
}
