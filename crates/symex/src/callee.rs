//! How a caller sees a callee (docs/internals/engines.md, "How a caller sees a callee").
//!
//! The execution of a caller asks, for each procedure it calls, for a [`View`]: the body
//! itself, or a function of which only that is known what the engine has proved. An
//! engine implements [`Callees`]; [`InlineAll`] is the plain one.

use crate::effects::ProcedureEffects;
use crate::entry::Entry;
use crate::regions::{RegionId, Regions};
use crate::space::Space;
pub use crate::summary::Summary;
use std::rc::Rc;
use verdiff_logic::TermId;
use verdiff_model::{ProcId, Side};

/// What a caller knows of a callee.
#[derive(Clone, Debug)]
pub enum View {
    /// Its body.
    Inline,
    /// Only what these say.
    Abstract(Abstraction),
    /// What these say, and besides that it is what the body gives: a fact about the function
    /// ([`Space::lemmas`]), which the code behind the call does not see. Only merged execution knows
    /// the difference. The function must be one that every call of a run that ends agrees with.
    Unfolded(Abstraction),
    /// Nothing but this name, which is common to both versions: it is called as an unknown external function is, which takes and
    /// gives everything that it can reach. For code that cannot be executed, where both versions' are known to be equal in all calls.
    Outside(String),
}

/// What the known paths of an abstracted callee are used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseOfPaths {
    /// A call takes the first that covers it, and is one of the function elsewhere.
    Taken,
    /// The same, but where a call is one of the common function it is that and nothing else: what is common to both
    /// versions mostly need not be known. Merged execution takes them as [`UseOfPaths::Taken`].
    TakenWhereNotCommon,
    /// They are not taken but said of the function, as facts ([`Space::lemmas`]): every call is one of the function.
    Facts {
        /// Whether no local objects lie in the memory that it may write, so that its memory may be told, too.
        with_memory: bool,
    },
}

/// A callee as an uninterpreted function of everything it may read.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// The function's name. Equal names in the two versions make it common to both: that
    /// is right where the pair is known to be equal, and only there.
    pub name: String,
    /// Where it may be taken as common: a condition over `entry`, under which `name` is used
    /// and outside of which `private` is. `None` means everywhere.
    pub common_under: Option<TermId>,
    /// The name to use where it is not common.
    pub private: String,
    /// The callee's entry state, over which `common_under` speaks. Without flags for its parameters
    /// ([`Entry::with_unset`]) the condition says nothing of calls in which one has no value.
    pub entry: Rc<Entry>,
    /// Paths that are known exactly; the first that covers the arguments is taken.
    pub summaries: Vec<Summary>,
    /// What the known paths are used for.
    pub use_of_paths: UseOfPaths,
    /// The regions it may read.
    pub reads: Vec<RegionId>,
    /// The regions it may write.
    pub writes: Vec<RegionId>,
    /// Whether it may do input or output.
    pub world: bool,
    /// Whether it may make heap objects.
    pub allocates: bool,
    /// Whether it may free some.
    pub frees: bool,
    /// Whether it is known to return always.
    pub returns: bool,
}

impl Abstraction {
    /// Whether known paths are said of the function as facts.
    pub fn tells_facts(&self) -> bool {
        matches!(self.use_of_paths, UseOfPaths::Facts { .. })
    }

    /// A callee of which nothing is proved: a function of each version's own, of all that it may read on
    /// either side, with all that it may write on either side. `effects` are those of both versions.
    pub fn unproved(
        space: &mut Space,
        regions: &Regions,
        name: &str,
        entry: Rc<Entry>,
        effects: &[&ProcedureEffects],
    ) -> Abstraction {
        let mut all = ProcedureEffects::default();
        effects.iter().for_each(|one| all.extend(one));
        // `errno` lies in the outside region, which is not counted as written for it alone.
        if all.errno {
            all.writes.insert(regions.outside());
        }
        Abstraction {
            name: name.to_owned(),
            common_under: Some(space.pool.falsity()),
            private: format!("{name}.private"),
            entry,
            summaries: vec![],
            use_of_paths: UseOfPaths::Taken,
            reads: all.reads.iter().collect(),
            writes: all.writes.iter().collect(),
            world: all.world,
            allocates: all.allocates,
            frees: all.frees,
            returns: false,
        }
    }
}

/// Tells how callees are seen.
pub trait Callees {
    /// How calls of `callee` in version `side` are seen, `depth` calls below the entry.
    fn view(&mut self, side: Side, callee: ProcId, depth: usize) -> View;

    /// The name under which an external function is known. Equal names make it common to
    /// both versions. That is not right by itself for one that may call back into the program
    /// (`calls_back`): an engine that knows all it can call back to be equal may say otherwise.
    fn external(&mut self, side: Side, name: &str, calls_back: bool) -> String {
        if calls_back { format!("{name}.{}", side.index()) } else { name.to_owned() }
    }
}

/// Every body is executed where it is called.
#[derive(Clone, Copy, Debug, Default)]
pub struct InlineAll;

impl Callees for InlineAll {
    fn view(&mut self, _: Side, _: ProcId, _: usize) -> View {
        View::Inline
    }
}
