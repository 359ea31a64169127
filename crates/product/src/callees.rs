//! How callees are treated: a policy, which is data, and what of it was used.
//!
//! For each procedure of either version the policy says how its calls are executed: inlined, as a function, or unfolded
//! so many levels before they become a function (docs/internals/engines.md, "How a caller sees a callee"). What a function rests
//! on is part of the policy ([`Basis`]), so an execution records by itself which judgements and assumptions it used.
//! This is the only implementation of [`Callees`] outside of symex.

use crate::outside::Outside;
use std::collections::{BTreeMap, BTreeSet};
use verdiff_judge::{PairId, Side, Task};
use verdiff_model::ProcId;
use verdiff_symex::callee::{Abstraction, Callees, View};

/// What justifies that a callee is a function, and where it is common to both versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The judgement of a pair: common everywhere, or only where the condition of the abstraction says so.
    Judged {
        /// The pair.
        pair: PairId,
        /// Whether that is everywhere.
        everywhere: bool,
    },
    /// A coupling of an induction, by its number there: it must be proved by whoever assumes it.
    Coupling(usize),
    /// Nothing: each version has a function of its own.
    Unproved,
}

/// A callee as a function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The function, with the condition under which it is common and the paths that are known.
    pub abstraction: Abstraction,
    /// What justifies it.
    pub basis: Basis,
    /// Whether its inputs and outputs say all that it does to the heap: in a proof of every call, where only unknown functions
    /// make or free objects in it ([`may_start`](crate::inner_states::may_start)).
    pub heap_described: bool,
}

/// How calls of one procedure are executed.
#[derive(Clone, Debug)]
pub enum Treatment {
    /// The body is executed.
    Inline,
    /// They are calls of a function.
    Function(Function),
    /// The body is executed to the depth [`Policy::unfold`]; deeper calls are calls of the function. With `by_lemma` an
    /// unfolded call is one of the function, too, and that it is what the body gives is a lemma.
    Unfolded {
        /// The function.
        function: Function,
        /// Whether unfolding gives lemmas.
        by_lemma: bool,
    },
}

/// How all callees are treated. What is not mentioned is inlined.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    treatments: BTreeMap<(Side, ProcId), Treatment>,
    /// How many levels of calls are unfolded on each side.
    pub unfold: [usize; 2],
}

impl Policy {
    /// Says how calls of a procedure are executed.
    pub fn treat(&mut self, side: Side, procedure: ProcId, treatment: Treatment) {
        self.treatments.insert((side, procedure), treatment);
    }

    /// How calls of a procedure are executed.
    pub fn of(&self, side: Side, procedure: ProcId) -> &Treatment {
        self.treatments.get(&(side, procedure)).unwrap_or(&Treatment::Inline)
    }

    /// The function that calls of a procedure become, if they do.
    pub fn function(&self, side: Side, procedure: ProcId) -> Option<&Function> {
        match self.of(side, procedure) {
            Treatment::Inline => None,
            Treatment::Function(function) | Treatment::Unfolded { function, .. } => Some(function),
        }
    }
}

/// What of a policy was used by executions.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// The pairs that were functions because of their judgements.
    pub pairs: BTreeSet<PairId>,
    /// The couplings that were functions.
    pub couplings: BTreeSet<usize>,
    /// Whether something was a function of each version's own, for some arguments or for all.
    pub private: bool,
    /// Whether a pair was a function that is common for some arguments only: whoever executes its body sees more.
    pub partly: bool,
    /// Whether a function allocates or frees in a way that no formula describes.
    pub undescribed: bool,
    /// Whether an external function was taken as common though it may call back: then the judgements of all pairs whose
    /// address is taken are used as well.
    pub called_back: bool,
}

impl Usage {
    fn note(&mut self, function: &Function) {
        let changes_heap = function.abstraction.allocates || function.abstraction.frees;
        self.undescribed |= changes_heap && !function.heap_described;
        match function.basis {
            Basis::Judged { pair, everywhere } => {
                self.pairs.insert(pair);
                self.private |= !everywhere;
                self.partly |= !everywhere;
            }
            Basis::Coupling(number) => {
                self.couplings.insert(number);
            }
            Basis::Unproved => self.private = true,
        }
    }
}

/// Whether a pair other than that of the task is known to be equal in all calls.
pub(crate) fn is_equal(task: &Task<'_>, pair: PairId) -> bool {
    pair != task.pair && task.judgement_of(pair).is_some_and(|j| j.is_equal_in_calls())
}

/// The name under which both versions call a procedure that cannot be executed, if its pair is equal in all calls.
fn opaque_name(task: &Task<'_>, side: Side, callee: ProcId) -> Option<(PairId, String)> {
    let comparison = task.comparison;
    // Loops that became procedures come behind those of the comparison.
    let procedure = comparison.program(side).procedures.get(callee.index())?;
    let pair = comparison.pair_of(side, callee).filter(|_| !procedure.is_supported())?;
    is_equal(task, pair)
        .then(|| (pair, format!("opaque.{}.{}", comparison.pair(pair).function, pair.0)))
}

/// A policy at work.
pub(crate) struct Applied<'e> {
    pub(crate) task: Task<'e>,
    pub(crate) outside: &'e Outside,
    pub(crate) policy: &'e Policy,
    pub(crate) usage: &'e mut Usage,
    /// The depths of calls at which bodies were entered by unfolding.
    pub(crate) entered: Vec<usize>,
}

impl Applied<'_> {
    /// Code that could not be lowered, and is known to be equal in all calls, is one function that both versions call. Its
    /// judgement is used.
    fn outside_name(&mut self, side: Side, callee: ProcId) -> Option<String> {
        let (pair, name) = opaque_name(&self.task, side, callee)?;
        self.usage.pairs.insert(pair);
        Some(name)
    }
}

impl Callees for Applied<'_> {
    fn view(&mut self, side: Side, callee: ProcId, depth: usize) -> View {
        while self.entered.last().is_some_and(|at| *at >= depth) {
            self.entered.pop();
        }
        match self.policy.of(side, callee) {
            Treatment::Inline => {
                self.outside_name(side, callee).map_or(View::Inline, View::Outside)
            }
            Treatment::Unfolded { function, by_lemma }
                if self.entered.len() < self.policy.unfold[side.index()] =>
            {
                self.entered.push(depth);
                if !by_lemma {
                    return View::Inline;
                }
                self.usage.note(function);
                View::Unfolded(function.abstraction.clone())
            }
            Treatment::Function(function) | Treatment::Unfolded { function, .. } => {
                self.usage.note(function);
                View::Abstract(function.abstraction.clone())
            }
        }
    }

    /// An external function is common to both versions, with two exceptions. One that is nothing but a name may look at
    /// every constant that it can name itself, so these must be equal. One that may call back may call whatever has its
    /// address taken, so all of that must be known to be equal, too.
    fn external(&mut self, side: Side, name: &str, calls_back: bool) -> String {
        let looks_around = calls_back || verdiff_symex::libc::known(name).is_none();
        let equal = |pair: &PairId| is_equal(&self.task, *pair);
        let taken = || self.outside.taken.as_ref().is_some_and(|taken| taken.iter().all(equal));
        if looks_around && !self.outside.constants_are_equal || calls_back && !taken() {
            self.usage.private = true;
            return format!("{name}.{}", side.index());
        }
        self.usage.called_back |= calls_back;
        name.to_owned()
    }
}
