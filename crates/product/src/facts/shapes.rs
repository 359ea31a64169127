//! Variables that the versions have in different shapes: of another size, or constants with other contents.
//!
//! Such a variable is two objects, of which an execution calls the first that it meets by the variable's name. Which one that
//! is depends on what is executed, so a condition that speaks of its address would not mean the same to everybody
//! (docs/internals/symex.md, "What names mean").

use std::collections::{BTreeMap, BTreeSet};
use verdiff_model::{GlobalId, Program};

/// The names of these variables.
pub(super) fn ambiguous(programs: [&Program; 2]) -> BTreeSet<String> {
    let mut shapes: BTreeMap<&str, BTreeSet<(u64, Option<u128>)>> = BTreeMap::new();
    for program in programs {
        for (index, global) in program.globals.iter().enumerate() {
            // Literals are called by their contents.
            if global.is_literal() {
                continue;
            }
            let id = GlobalId::new(index);
            let name = |id| program.procedure(id).name.clone();
            let fixed = global.constant && global.init.is_some();
            let contents = fixed.then(|| program.contents(id, &name));
            shapes.entry(&global.name).or_default().insert((global.size, contents));
        }
    }
    let several = shapes.into_iter().filter(|(_, shapes)| shapes.len() > 1);
    several.map(|(name, _)| name.to_owned()).collect()
}

/// Whether an object, by its name in formulas, is one of these variables: that of its owner or file may stand before it.
pub(super) fn is_one_of(ambiguous: &BTreeSet<String>, object: &str) -> bool {
    let object = object.trim_end_matches('\'');
    let is_it = |name: &String| match object.strip_suffix(name.as_str()) {
        Some(before) => before.is_empty() || before.ends_with(['.', ':']),
        None => false,
    };
    ambiguous.iter().any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_known_by_the_name_of_its_variable() {
        let ambiguous = BTreeSet::from(["g".to_owned()]);
        for object in ["g", "g'", "f.g", "a.c:g"] {
            assert!(is_one_of(&ambiguous, object), "{object}");
        }
        for object in ["gg", "g.x", "f.h"] {
            assert!(!is_one_of(&ambiguous, object), "{object}");
        }
    }
}
