//! What a global begins with, as a number that two versions share.
//!
//! Addresses in an initialiser are in each version's own numbers, and constants lead to further constants: a
//! string, a table of tables. Whoever gets hold of a constant sees all of that. So the number is made from the bytes, from
//! the names of what is pointed to and, where that is a constant, from its contents in turn. Two equal numbers (128
//! bits, FNV-1a) are taken for equal contents.

use crate::expr::Address;
use crate::ids::{GlobalId, ProcId};
use crate::program::{Global, Program};
use std::collections::{HashMap, VecDeque};

impl Global {
    /// What it is known by in both versions of a comparison.
    pub fn identity(&self) -> &str {
        self.identity.as_deref().unwrap_or(&self.symbol)
    }

    /// Whether it is a constant without a name in the source, a string literal: the compiler numbers these, and the numbers
    /// shift with every change. Its contents are its name.
    pub fn is_literal(&self) -> bool {
        self.constant && self.name.starts_with('.')
    }
}

impl Program {
    /// What a global holds at the start, constants that it leads to included. `procedure` names procedures.
    ///
    /// Constants are numbered in the order in which they are met, so that cycles come to an end and equal graphs
    /// have equal numbers.
    pub fn contents(&self, root: GlobalId, procedure: &dyn Fn(ProcId) -> String) -> u128 {
        let mut hash = Hash::new();
        let mut numbers = HashMap::from([(root, 0usize)]);
        let mut work = VecDeque::from([root]);
        while let Some(id) = work.pop_front() {
            let global = self.global(id);
            hash.number(global.size);
            let Some(init) = &global.init else {
                hash.text("elsewhere");
                hash.text(global.identity());
                continue;
            };
            let used = init.bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            hash.number(used as u64);
            init.bytes[..used].iter().for_each(|byte| hash.byte(*byte));
            hash.number(init.relocations.len() as u64);
            for relocation in &init.relocations {
                hash.number(relocation.offset);
                hash.number(relocation.addend as u64);
                match relocation.target {
                    Address::Global(to) => {
                        let target = self.global(to);
                        hash.text(if target.is_literal() { "literal" } else { target.identity() });
                        hash.text(target.owner.as_deref().unwrap_or(""));
                        if target.constant && target.init.is_some() {
                            let next = numbers.len();
                            let number = *numbers.entry(to).or_insert_with(|| {
                                work.push_back(to);
                                next
                            });
                            hash.number(number as u64);
                        }
                    }
                    Address::Procedure(id) => hash.text(&procedure(id)),
                    Address::External(id) => hash.text(&self.external(id).name),
                    Address::Local(_) => hash.text("local"),
                }
            }
        }
        hash.0
    }
}

/// FNV-1a, 128 bits.
pub(crate) struct Hash(pub(crate) u128);

impl Hash {
    pub(crate) fn new() -> Hash {
        Hash(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    fn byte(&mut self, byte: u8) {
        self.0 ^= u128::from(byte);
        self.0 = self.0.wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }

    fn number(&mut self, number: u64) {
        number.to_le_bytes().into_iter().for_each(|byte| self.byte(byte));
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        text.bytes().for_each(|byte| self.byte(byte));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Init, Linkage, Relocation};
    use crate::stmt::Loc;

    fn global(symbol: &str, constant: bool, bytes: &[u8], to: &[usize]) -> Global {
        let relocation = |(n, to): (usize, &usize)| Relocation {
            offset: 8 * n as u64,
            target: Address::Global(GlobalId::new(*to)),
            addend: 0,
        };
        let relocations = to.iter().enumerate().map(relocation).collect();
        Global {
            name: symbol.to_owned(),
            symbol: symbol.to_owned(),
            owner: None,
            identity: None,
            linkage: Linkage::Internal,
            size: 16,
            open_ended: false,
            align: 8,
            constant,
            thread_local: false,
            init: Some(Init { bytes: bytes.to_vec(), relocations }),
            ctype: None,
            loc: Loc::NONE,
        }
    }

    fn contents(globals: Vec<Global>) -> u128 {
        let program = Program { globals, ..Program::default() };
        program.contents(GlobalId::new(0), &|_| String::new())
    }

    #[test]
    fn what_a_constant_leads_to_counts_however_far_away() {
        let table = |last: &[u8]| {
            vec![
                global("t", true, &[], &[1]),
                global(".str", true, &[], &[2]),
                global(".str.1", true, last, &[]),
            ]
        };
        assert_eq!(contents(table(b"a")), contents(table(b"a\0")));
        assert_ne!(contents(table(b"a")), contents(table(b"b")));
    }

    #[test]
    fn numbers_of_literals_do_not_count_and_names_of_variables_do() {
        let named = |name: &str, constant| {
            contents(vec![global("t", true, &[], &[1]), global(name, constant, &[7], &[])])
        };
        assert_eq!(named(".str", true), named(".str.4", true));
        assert_ne!(named("x", false), named("y", false));
    }

    #[test]
    fn contents_of_a_variable_behind_it_do_not_count() {
        let holding =
            |byte| contents(vec![global("t", true, &[], &[1]), global("x", false, &[byte], &[])]);
        assert_eq!(holding(1), holding(2));
    }

    #[test]
    fn constants_that_lead_to_each_other_come_to_an_end() {
        let pair = |first: &str| {
            contents(vec![global(first, true, &[], &[1]), global(".b", true, &[], &[0, 1])])
        };
        assert_eq!(pair(".a"), pair(".c"));
    }
}
