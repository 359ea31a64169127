//! Static variables that share a name with others, told apart alike in both versions.
//!
//! The linker numbers variables of one name, and differently in a version that has one more of them. So the
//! symbol of such a variable does not say which one of the other version it is: two versions would be compared from states in
//! which one of two variables is set in the old and the other in the new version. What says it is the file that has the variable; a
//! single one that is in another file now was moved. Files that only one version has are the same in their order, if there are as
//! many in both: `old.c` and `new.c`.

use std::collections::{BTreeMap, BTreeSet};
use verdiff_model::{Global, Linkage, Program, base_name};

/// The positions of variables of one name, in each version.
type Group = [Vec<usize>; 2];

/// Gives static variables whose symbols do not tell which one they are an [identity](Global::identity): their file and name, in a
/// form that nothing else has. Where a file has several of a name (blocks of a function, a header that several files
/// include, files of one name in several folders), they are the same ones only if nothing about them changed. Those that cannot be told apart
/// have no counterpart.
pub(crate) fn identify(programs: [&mut Program; 2]) {
    let renamed = renamed_files([&*programs[0], &*programs[1]]);
    let mut groups: BTreeMap<(Option<String>, String), Group> = BTreeMap::new();
    let mut public: BTreeSet<String> = BTreeSet::new();
    for (side, program) in programs.iter().enumerate() {
        for (at, global) in program.globals.iter().enumerate() {
            if is_static(global) {
                let key = (global.owner.clone(), global.name.clone());
                groups.entry(key).or_default()[side].push(at);
            } else if global.linkage != Linkage::Internal {
                public.insert(global.name.clone());
            }
        }
    }
    for ((owner, name), group) in groups {
        let symbols = [0, 1].map(|side| {
            group[side].iter().map(|at| programs[side].globals[*at].symbol.as_str()).collect()
        });
        let [old, new]: [Vec<&str>; 2] = symbols;
        let plain =
            old.len() <= 1 && new.len() <= 1 && !(owner.is_none() && public.contains(&name));
        if plain && (old == new || old.is_empty() || new.is_empty()) {
            continue;
        }
        let both = [&*programs[0], &*programs[1]];
        let name = owner.map_or(name.clone(), |owner| format!("{owner}.{name}"));
        for (side, list) in identities(both, &group, &name, &renamed).into_iter().enumerate() {
            for (at, identity) in group[side].iter().zip(list) {
                programs[side].globals[*at].identity = Some(identity);
            }
        }
    }
}

/// The identities of the variables of one name. The name of a file has no slash, so no two of the forms below meet.
fn identities(
    programs: [&Program; 2],
    group: &Group,
    name: &str,
    renamed: &BTreeMap<String, String>,
) -> [Vec<String>; 2] {
    let file = |side: usize, at: usize| {
        let file = programs[side].file_name(programs[side].globals[at].loc);
        renamed.get(file).filter(|_| side == 1).map_or(file, |before| before.as_str())
    };
    let mut by_file: BTreeMap<&str, Group> = BTreeMap::new();
    for side in [0, 1] {
        for at in &group[side] {
            by_file.entry(file(side, *at)).or_default()[side].push(*at);
        }
    }
    let mut known: [BTreeMap<usize, String>; 2] = Default::default();
    for (file, [old, new]) in &by_file {
        let single = old.len() <= 1 && new.len() <= 1;
        let same = old.len() == new.len()
            && old.iter().zip(new).all(|(a, b)| {
                let (a, b) = (&programs[0].globals[*a], &programs[1].globals[*b]);
                a.symbol == b.symbol && a.init == b.init
            });
        for (side, list) in [old, new].into_iter().enumerate() {
            for at in list {
                let symbol = &programs[side].globals[*at].symbol;
                let identity = match (single, same) {
                    (true, _) => format!("static/{file}:{name}"),
                    (false, true) => format!("static/{file}/{symbol}:{name}"),
                    (false, false) => format!("static/{side}//{file}/{symbol}:{name}"),
                };
                known[side].insert(*at, identity);
            }
        }
    }
    let mut found = [0, 1].map(|side| {
        let of = |at: &usize| known[side].get(at).cloned().unwrap_or_default();
        group[side].iter().map(of).collect::<Vec<String>>()
    });
    let missing = |here: &[String], there: &[String]| -> Vec<usize> {
        let there: BTreeSet<&String> = there.iter().collect();
        (0..here.len()).filter(|at| !there.contains(&here[*at])).collect()
    };
    let left = [missing(&found[0], &found[1]), missing(&found[1], &found[0])];
    if let [[old], [new]] = [&left[0][..], &left[1][..]] {
        // It was moved, unless the other version has something of its name in its place.
        let [from, to] = [group[0][*old], group[1][*new]];
        let (old_file, new_file) = (file(0, from), file(1, to));
        let has = |side: usize, wanted: &str| {
            let named = |at: usize| {
                let global = &programs[side].globals[at];
                global.name == programs[0].globals[from].name && file(side, at) == wanted
            };
            (0..programs[side].globals.len()).any(named)
        };
        if old_file != new_file && !has(1, old_file) && !has(0, new_file) {
            found[1][*new] = found[0][*old].clone();
        }
    }
    found
}

/// Whether it is a variable that the source names and only its file or function can name.
fn is_static(global: &Global) -> bool {
    // The compiler's own have a dot in their names.
    global.linkage == Linkage::Internal && !global.name.contains('.')
}

/// For files of the new version alone, what they are called in the old one.
fn renamed_files([old, new]: [&Program; 2]) -> BTreeMap<String, String> {
    let alone = |here: &Program, there: &Program| -> Vec<String> {
        let known: BTreeSet<&str> = there.files.iter().map(|path| base_name(path)).collect();
        let mut list: Vec<String> = vec![];
        for name in
            here.files.iter().map(|path| base_name(path)).filter(|name| !known.contains(name))
        {
            if !list.iter().any(|other| other == name) {
                list.push(name.to_owned());
            }
        }
        list
    };
    let (before, after) = (alone(old, new), alone(new, old));
    match before.len() == after.len() {
        true => after.into_iter().zip(before).collect(),
        false => BTreeMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdiff_model::{FileId, Loc};

    /// A program with these static variables: the file, and the symbol that the linker gave.
    fn program(variables: &[(&str, &str)]) -> Program {
        let mut program = Program::default();
        for (number, (file, symbol)) in variables.iter().enumerate() {
            program.files.push(format!("somewhere/{file}"));
            program.globals.push(Global {
                name: "limit".to_owned(),
                symbol: (*symbol).to_owned(),
                owner: None,
                identity: None,
                linkage: Linkage::Internal,
                size: 4,
                open_ended: false,
                align: 4,
                constant: false,
                thread_local: false,
                init: Some(Default::default()),
                ctype: None,
                loc: Loc { file: FileId::new(number), line: 1, column: 1 },
            });
        }
        program
    }

    fn identities_of(old: &[(&str, &str)], new: &[(&str, &str)]) -> [Vec<String>; 2] {
        let mut programs = [program(old), program(new)];
        let [old, new] = &mut programs;
        identify([old, new]);
        programs.map(|p| p.globals.iter().map(|g| g.identity().to_owned()).collect())
    }

    #[test]
    fn a_variable_is_that_of_its_file() {
        let [old, new] = identities_of(
            &[("b.c", "limit"), ("c.c", "limit.1")],
            &[("a.c", "limit"), ("b.c", "limit.1"), ("c.c", "limit.2")],
        );
        assert_eq!(old, ["static/b.c:limit", "static/c.c:limit"]);
        assert_eq!(new[1..], old);
        let [old, new] =
            identities_of(&[("b.c", "limit")], &[("a.c", "limit"), ("b.c", "limit.1")]);
        assert_eq!(new[1..], old);
    }

    #[test]
    fn a_single_variable_may_move() {
        let [old, new] = identities_of(&[("a.c", "limit")], &[("b.c", "limit")]);
        assert_eq!((old, new), (vec!["limit".to_owned()], vec!["limit".to_owned()]));
        let [old, new] = identities_of(&[("a.c", "limit")], &[("b.c", "limit.b.c")]);
        assert_eq!(old, new, "something else has its symbol now");
        let two = [("a.c", "limit"), ("b.c", "limit.1")];
        let [old, new] = identities_of(&two, &[("a.c", "limit"), ("c.c", "limit.7")]);
        assert_eq!(old, new, "the only one that is left on both sides");
        let [old, new] = identities_of(&two, &[("c.c", "limit"), ("d.c", "limit.1")]);
        assert_eq!(old, new, "as many other files");
        let three = [("c.c", "limit"), ("d.c", "limit.1"), ("e.c", "limit.2")];
        let [old, new] = identities_of(&two, &three);
        assert!(old.iter().all(|identity| !new.contains(identity)), "nobody knows which is which");
    }

    #[test]
    fn variables_of_one_file_are_the_same_if_nothing_changed() {
        let twice = |file| [(file, "limit"), (file, "limit.1")];
        let [old, new] = identities_of(&twice("old.c"), &twice("new.c"));
        assert_eq!(old, ["static/old.c/limit:limit", "static/old.c/limit.1:limit"]);
        assert_eq!(old, new);
        let [old, new] = identities_of(&twice("a.c"), &[("a.c", "limit")]);
        assert!(!old.contains(&new[0]), "nobody knows which one was left out");
    }
}
