//! Names for objects that have none: compound literals outside of functions.
//!
//! `int *p = (int[]){1, 2};` makes an array that may be written like any other. The compiler calls it
//! `.compoundliteral` and a number that shifts with every change. It can be reached through the object alone whose initialiser
//! it stands in, so it is called after that: `p.literal`, and is then a global like any other. Constants keep their
//! names: they are known by their contents.

use crate::llvm::{Module, Value};
use std::collections::{HashSet, VecDeque};

/// Renames the literals of a module that may be written.
pub fn name(module: &Module<'_>) {
    let is_nameless = |v: Value<'_>| {
        v.is_global_variable()
            && v.is_local()
            && !v.is_global_constant()
            && v.name().starts_with('.')
    };
    let all = module.globals();
    if !all.iter().copied().any(is_nameless) {
        return;
    }
    let named = all.into_iter().filter(|g| !g.name().starts_with('.'));
    let mut work: VecDeque<(Value<'_>, String)> = named.map(|g| (g, g.name())).collect();
    let mut seen: HashSet<Value<'_>> = work.iter().map(|(g, _)| *g).collect();
    while let Some((parent, name)) = work.pop_front() {
        let name = format!("{name}.literal");
        // In the order of the initialiser.
        let mut parts: Vec<Value<'_>> = parent.initializer().into_iter().collect();
        while let Some(part) = parts.pop() {
            if part.is_global_variable() {
                if seen.insert(part) {
                    if is_nameless(part) {
                        part.rename(&name);
                    }
                    work.push_back((part, name.clone()));
                }
            } else if part.is_constant() && !part.is_function() {
                let mut operands: Vec<_> = part.operands().collect();
                operands.reverse();
                parts.extend(operands);
            }
        }
    }
}
