//! Names that mean the same in every version.
//!
//! Objects and procedures of several programs correspond if their names here are equal. Where a
//! name of the source is not unique in one of the programs (statics of several files), the
//! file's own name is added, without its folder, for versions lie in different folders.

use std::collections::HashMap;
use verdiff_model::{Global, GlobalId, Linkage, Program};

/// For each program, the names of its procedures and globals.
pub(super) struct Names {
    pub(super) procedures: Vec<Vec<String>>,
    pub(super) globals: Vec<Vec<String>>,
}

impl Names {
    pub(super) fn of(programs: &[&Program]) -> Names {
        let procedures = programs.iter().map(|program| {
            let list = program.procedures.iter();
            list.map(|p| (p.name.clone(), program.file_name(p.loc).to_owned())).collect()
        });
        let globals = programs.iter().map(|program| {
            let list = program.globals.iter();
            list.enumerate()
                .map(|(n, g)| {
                    (base(program, GlobalId::new(n), g), program.file_name(g.loc).to_owned())
                })
                .collect()
        });
        Names {
            procedures: tell_apart(procedures.collect()),
            globals: tell_apart(globals.collect()),
        }
    }
}

/// Numbers for things of one name, in order: `x`, `x#1`, `x#2`.
#[derive(Default)]
pub(super) struct Counter(HashMap<String, usize>);

impl Counter {
    pub(super) fn next(&mut self, name: String) -> String {
        let count = self.0.entry(name.clone()).or_default();
        *count += 1;
        match *count {
            1 => name,
            n => format!("{name}#{}", n - 1),
        }
    }
}

fn base(program: &Program, id: GlobalId, global: &Global) -> String {
    match &global.owner {
        _ if global.identity.is_some() => global.identity().to_owned(),
        Some(owner) => format!("{owner}.{}", global.name),
        None if is_compilers(global) => {
            // Procedures by their names alone: those are told apart later.
            let contents = program.contents(id, &|id| program.procedure(id).name.clone());
            format!("const.{contents:032x}")
        }
        None => global.name.clone(),
    }
}

/// Whether a global has no name in the source: a string literal, the initialiser of a local.
/// The compiler numbers these, and the numbers shift with every change.
pub(super) fn is_compilers(global: &Global) -> bool {
    global.constant && global.linkage == Linkage::Internal && global.name.contains('.')
}

fn tell_apart(sides: Vec<Vec<(String, String)>>) -> Vec<Vec<String>> {
    let mut most: HashMap<&str, usize> = HashMap::new();
    for side in &sides {
        let mut here: HashMap<&str, usize> = HashMap::new();
        for (name, _) in side {
            *here.entry(name).or_default() += 1;
        }
        for (name, count) in here {
            let entry = most.entry(name).or_default();
            *entry = (*entry).max(count);
        }
    }
    let one_side = |side: &Vec<(String, String)>| {
        let mut counter = Counter::default();
        side.iter()
            .map(|(name, file)| {
                let unique = most[name.as_str()] == 1;
                counter.next(if unique { name.clone() } else { format!("{name}@{file}") })
            })
            .collect()
    };
    sides.iter().map(one_side).collect()
}
