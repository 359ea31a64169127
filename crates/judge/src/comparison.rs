//! Two versions, and which procedures of them belong together.

use crate::assumption::Assumption;
use crate::judgement::Judgement;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
pub use verdiff_model::Side;
use verdiff_model::state::{End, Outcome};
use verdiff_model::{ExternId, Frame, GlobalId, ProcId, Procedure, Program, Trap};

/// One version of a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Version {
    /// The program.
    pub program: Program,
    /// How each procedure is called in compiled form.
    pub frames: Vec<Frame>,
}

/// The number of a pair in its [`Comparison`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PairId(pub u32);

impl PairId {
    /// Its position.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Two procedures that are taken for versions of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The function's name, the old version's if it was renamed.
    pub function: String,
    /// The old version's procedure.
    pub old: ProcId,
    /// The new version's.
    pub new: ProcId,
    /// Whether and how it changed.
    pub changed: Changed,
    /// Whether the machine types of parameters and results are those of before.
    pub same_interface: bool,
    /// Whether it is to be judged, as opposed to being looked at where a caller needs it.
    pub wanted: bool,
}

impl Pair {
    /// The procedure of one side.
    pub fn of(&self, side: Side) -> ProcId {
        match side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }
}

/// Whether and how a function changed (docs/internals/semantics.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Changed {
    /// Not at all, nor did anything it calls or may be called back.
    No,
    /// Its code.
    Text,
    /// Its signature or the layout of its locals.
    Types,
    /// A constant or table it uses, or the shape of a global.
    Globals,
    /// Something it calls, or that may be called back.
    Callees,
}

/// How two programs are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Equal termination must be proved too.
    pub full: bool,
    /// A proved hang on one side does not count.
    pub ignore_termination: bool,
    /// States on which the old version overflows are excluded, an overflow of the new version traps. Both programs must have been
    /// compiled with checks that trap ([`Trap::SignedOverflow`]).
    pub overflow_undefined: bool,
    /// Pointer parameters do not alias.
    pub no_alias: bool,
    /// Both programs were compiled with 0 for the number of every line.
    pub ignore_line_numbers: bool,
    /// Functions matched under different names, old and new.
    pub renamed: Vec<(String, String)>,
    /// Preconditions by function: a procedure of the old program that takes the function's parameters and says
    /// whether it holds.
    pub assume: Vec<(String, String)>,
    /// The same as C text, for people.
    pub assume_text: Vec<(String, String)>,
    /// What everything random begins with.
    pub seed: u64,
}

impl Settings {
    /// Whether an entry state from which the old version does this is none that counts.
    pub fn excludes(&self, old: &Outcome) -> bool {
        let overflows = matches!(old.end, End::Trapped { trap: Trap::SignedOverflow, .. });
        self.overflow_undefined && overflows
    }

    /// What the user assumes of the entry states of a function, beyond what every verdict assumes.
    pub fn restricting(&self, function: &str) -> Vec<Assumption> {
        let mut all = vec![];
        all.extend(self.overflow_undefined.then_some(Assumption::OverflowUndefined));
        all.extend(self.no_alias.then_some(Assumption::NoAlias));
        all.extend(self.ignore_line_numbers.then_some(Assumption::NoLineNumbers));
        let of_it = self.assume_text.iter().filter(|(name, _)| name == function);
        all.extend(of_it.map(|(function, c)| Assumption::Precondition {
            function: function.clone(),
            c: c.clone(),
        }));
        all
    }
}

/// Two versions and their pairs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The old version.
    pub old: Version,
    /// The new version.
    pub new: Version,
    /// Procedures of both that belong together.
    pub pairs: Vec<Pair>,
    /// How they are compared.
    pub settings: Settings,
    /// Pairs of outlined regions ([`Findings::divided`](crate::Findings)): the pair whose procedures call them, and their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_pairs: Vec<(PairId, PairId)>,
    /// Of these, the regions that may be left in the middle by `longjmp`, which goes on in the procedure around them: in neither version
    /// is a variable that the region assigns read there before it is assigned again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assign_nothing_read_again: Vec<PairId>,
}

/// What is known of each pair so far.
pub type Judgements = BTreeMap<PairId, Judgement>;

impl Comparison {
    /// One version.
    pub fn version(&self, side: Side) -> &Version {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }

    /// One version's program.
    pub fn program(&self, side: Side) -> &Program {
        &self.version(side).program
    }

    /// A pair.
    pub fn pair(&self, id: PairId) -> &Pair {
        &self.pairs[id.index()]
    }

    /// The pairs of regions that were outlined from a pair.
    pub fn sub_pairs_of(&self, pair: PairId) -> impl Iterator<Item = PairId> + '_ {
        self.sub_pairs.iter().filter(move |(of, _)| *of == pair).map(|(_, sub)| *sub)
    }

    /// All pairs with their numbers.
    pub fn pair_ids(&self) -> impl Iterator<Item = PairId> + use<> {
        (0..self.pairs.len() as u32).map(PairId)
    }

    /// One side's procedure of a pair.
    pub fn procedure(&self, id: PairId, side: Side) -> &Procedure {
        self.program(side).procedure(self.pair(id).of(side))
    }

    /// The pair a procedure belongs to.
    pub fn pair_of(&self, side: Side, procedure: ProcId) -> Option<PairId> {
        let position = self.pairs.iter().position(|pair| pair.of(side) == procedure);
        position.map(|index| PairId(index as u32))
    }

    /// The global of the other version that is this one. Named ones by their [identity](verdiff_model::Global::identity), and for
    /// locals of functions the function's name; constants without a name by their contents.
    pub fn global_in_other(&self, side: Side, id: GlobalId) -> Option<GlobalId> {
        let global = self.program(side).global(id);
        let others = &self.program(side.other()).globals;
        let found = if global.is_literal() {
            let contents = self.contents_of(side, id);
            (0..others.len()).find(|index| {
                let other = GlobalId::new(*index);
                others[*index].is_literal() && self.contents_of(side.other(), other) == contents
            })
        } else {
            others.iter().position(|g| g.identity() == global.identity() && g.owner == global.owner)
        };
        found.map(GlobalId::new)
    }

    /// What a global begins with, constants that it leads to included: equal numbers are equal contents, in
    /// either version. Procedures are known by their pairs.
    pub fn contents_of(&self, side: Side, id: GlobalId) -> u128 {
        self.program(side).contents(id, &|procedure| match self.pair_of(side, procedure) {
            Some(pair) => format!("pair {}", pair.0),
            None => format!("{side:?} {}", self.program(side).procedure(procedure).symbol),
        })
    }

    /// The procedure of the other version that belongs to this one.
    pub fn procedure_in_other(&self, side: Side, id: ProcId) -> Option<ProcId> {
        self.pair_of(side, id).map(|pair| self.pair(pair).of(side.other()))
    }

    /// The external function of the other version with the same name.
    pub fn external_in_other(&self, side: Side, id: ExternId) -> Option<ExternId> {
        let name = &self.program(side).external(id).name;
        let others = &self.program(side.other()).externals;
        others.iter().position(|e| e.name == *name).map(ExternId::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_assumes_of_a_function_restricts_it_alone() {
        let text = |function: &str| (function.to_owned(), "n > 0".to_owned());
        let assume_text = vec![text("f"), text("g")];
        let settings = Settings { no_alias: true, assume_text, ..Settings::default() };
        let (function, c) = text("f");
        let expected = [Assumption::NoAlias, Assumption::Precondition { function, c }];
        assert_eq!(settings.restricting("f"), expected);
        assert_eq!(settings.restricting("h"), [Assumption::NoAlias]);
        assert!(Settings::default().restricting("f").is_empty());
    }
}
