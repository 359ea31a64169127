//! Static variables that share a name with others, told apart alike in both versions.
//!
//! The linker numbers variables of one name, and differently in a version that has one more of them. So the
//! symbol of such a variable does not say which one of the other version it is: two versions would be compared from states in
//! which one of two variables is set in the old and the other in the new version. What says it is the file that has the variable; a
//! single one that is in another file now was moved. Files that only one version has are the same in their order, if there are as
//! many in both: `old.c` and `new.c`.

use std::collections::{BTreeMap, BTreeSet};
use verdiff_model::{Global, Linkage, Program};

/// The positions of variables of one name, in each version.
type Group = [Vec<usize>; 2];

/// Gives static variables whose symbols do not tell which one they are an [identity](Global::identity).
pub(crate) fn identify(programs: [&mut Program; 2]) {
    let renamed = renamed_files([&*programs[0], &*programs[1]]);
    let mut groups: BTreeMap<(Option<String>, String), Group> = BTreeMap::new();
    for (side, program) in programs.iter().enumerate() {
        for (at, global) in program.globals.iter().enumerate().filter(|(_, g)| is_static(g)) {
            let key = (global.owner.clone(), global.name.clone());
            groups.entry(key).or_default()[side].push(at);
        }
    }
    for ((owner, name), group) in groups {
        let symbols = [0, 1].map(|side| {
            group[side].iter().map(|at| programs[side].globals[*at].symbol.as_str()).collect()
        });
        let [old, new]: [Vec<&str>; 2] = symbols;
        let plain = old.len() <= 1 && new.len() <= 1;
        if plain && (old == new || old.is_empty() || new.is_empty()) {
            continue;
        }
        let name = owner.map_or(name.clone(), |owner| format!("{owner}.{name}"));
        let mut identities = [
            identities(programs[0], &group[0], &name, &BTreeMap::new()),
            identities(programs[1], &group[1], &name, &renamed),
        ];
        let missing = |here: &[String], there: &[String]| -> Vec<usize> {
            (0..here.len()).filter(|at| !there.contains(&here[*at])).collect()
        };
        let left =
            [missing(&identities[0], &identities[1]), missing(&identities[1], &identities[0])];
        if let [[old], [new]] = [&left[0][..], &left[1][..]] {
            identities[1][*new] = identities[0][*old].clone();
        }
        for (side, list) in identities.into_iter().enumerate() {
            for (at, identity) in group[side].iter().zip(list) {
                programs[side].globals[*at].identity = Some(identity);
            }
        }
    }
}

/// Whether it is a variable that the source names and only its file or function can name.
fn is_static(global: &Global) -> bool {
    // The compiler's own have a dot in their names.
    global.linkage == Linkage::Internal && !global.name.contains('.')
}

/// The name of a file without its folder.
fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// For files of the new version alone, what they are called in the old one.
fn renamed_files([old, new]: [&Program; 2]) -> BTreeMap<String, String> {
    let alone = |here: &Program, there: &Program| -> Vec<String> {
        let known: BTreeSet<&str> = there.files.iter().map(|path| base(path)).collect();
        let mut list: Vec<String> = vec![];
        for name in here.files.iter().map(|path| base(path)).filter(|name| !known.contains(name)) {
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

/// For each variable of one name its file and name, with a number if the file has several.
fn identities(
    program: &Program,
    group: &[usize],
    name: &str,
    renamed: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut list = vec![];
    for at in group {
        let loc = program.globals[*at].loc;
        let path = if loc.is_known() { program.file(loc.file) } else { "" };
        let file = base(path).to_owned();
        let file = renamed.get(&file).cloned().unwrap_or(file);
        let count = seen.entry(file.clone()).or_default();
        *count += 1;
        list.push(match *count {
            1 => format!("{file}:{name}"),
            number => format!("{file}#{number}:{name}"),
        });
    }
    list
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
        assert_eq!(old, ["b.c:limit", "c.c:limit"]);
        assert_eq!(new, ["a.c:limit", "b.c:limit", "c.c:limit"]);
        let [old, new] =
            identities_of(&[("b.c", "limit")], &[("a.c", "limit"), ("b.c", "limit.1")]);
        assert_eq!((old, new.last().unwrap().as_str()), (vec!["b.c:limit".into()], "b.c:limit"));
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
    fn variables_of_one_file_are_numbered() {
        let twice = |file| [(file, "limit"), (file, "limit.1")];
        let [old, new] = identities_of(&twice("old.c"), &twice("new.c"));
        assert_eq!(old, ["old.c:limit", "old.c#2:limit"]);
        assert_eq!(old, new);
    }
}
