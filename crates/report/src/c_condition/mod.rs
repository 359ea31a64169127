//! The conditions of a judgement as C expressions.
//!
//! A condition speaks of parameters, of the regions of memory at entry and of the addresses of globals. For people it
//! is translated to the names of the C program ([`lvalues`]) and made as short as possible
//! ([`verdiff_logic::readable`]), for valid entry states: every pointer at entry is null, or aligned for its type and
//! points to an object (docs/internals/soundness.md). For other states the text may differ from the condition.

mod guard;
mod lvalues;
mod objects;
mod paths;

use lvalues::Lvalues;
use objects::Objects;
use std::collections::BTreeMap;
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{Answer, Decide, Limits, Query};
use verdiff_logic::{
    EntrySymbol, LogicError, Names, Nature, Op, TermId, TermPool, c_partial_expression, readable,
    without_redundancy,
};
use verdiff_model::{CType, CTypeId, CTypes, Procedure, Program, Type, VarKind};

/// Addresses below this are null, or so near that they come from null; as symbolic execution has it.
pub const NULL_ZONE: u64 = 65536;
/// Objects end before this address.
const OBJECTS_END: u128 = 1 << 62;

/// For the check of what is printed, in debug builds.
const CHECK: Effort = Effort::millis(50);

/// The words for the conditions of one pair.
///
/// ```
/// use verdiff_judge::{Evidence, Field, Judgement, Rule};
/// use verdiff_logic::effort::Effort;
/// use verdiff_logic::{Formula, Sort, TermPool};
/// use verdiff_report::ConditionPrinter;
/// # use verdiff_model::{Linkage, Loc, Procedure, Program};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // What an engine found out: they differ where min(x, 100) is not min(x, 101).
/// let mut pool = TermPool::new();
/// let x = pool.symbol("x", Sort::BitVec(32))?;
/// let (a, b) = (pool.bits(32, 100)?, pool.bits(32, 101)?);
/// let (low, high) = (pool.bv_slt(x, a)?, pool.bv_slt(x, b)?);
/// let (old, new) = (pool.ite(low, x, a)?, pool.ite(high, x, b)?);
/// let differ = pool.ne(old, new)?;
/// let mut summary = Judgement::default();
/// # let evidence = Evidence::new(Field::DifferUnder, "flat", Rule::FlatCondition);
/// summary.grow(Formula::of(&pool, differ)?, evidence)?;
///
/// // Asked by another program: when do the versions differ?
/// # let name = || "f".to_owned();
/// # let (linkage, loc) = (Linkage::External, Loc::default());
/// # let procedure = Procedure { name: name(), symbol: name(), linkage, loc, params: vec![], results: vec![],
/// #     variadic: false, ctype: None, vars: vec![], locals: vec![], blocks: vec![], unsupported: vec![],
/// #     opaque: None, with_holes: None, outlined_from: None };
/// # let program = Program::default();
/// let mut pool = TermPool::new();
/// let when = summary.condition(Field::DifferUnder).build(&mut pool)?;
/// let words = ConditionPrinter::of(&mut pool, &program, &procedure, &[when])?;
/// let short = words.shorter(&mut pool, when, Effort::seconds(5))?.expect("C can say it");
/// assert_eq!(words.c(&pool, short).as_deref(), Some("x > 100"));
/// # Ok(()) }
/// ```
pub struct ConditionPrinter {
    names: Names,
    /// What is taken for granted of pointers.
    given: Vec<TermId>,
    /// What the symbols for objects stand for, as far as it matters.
    definitions: Vec<TermId>,
    /// What they stand for, all of it.
    meanings: Vec<TermId>,
    /// For each place behind a pointer, the pointer.
    through: BTreeMap<TermId, TermId>,
    /// The conditions, with symbols for objects.
    whole: BTreeMap<TermId, TermId>,
}

impl ConditionPrinter {
    /// The words for some conditions on the entry state of a procedure. They are terms of the pool.
    pub fn of(
        pool: &mut TermPool,
        program: &Program,
        procedure: &Procedure,
        conditions: &[TermId],
    ) -> Result<ConditionPrinter, LogicError> {
        let objects = Objects::of(pool, program, procedure, conditions)?;
        let Objects { conditions: whole, known, same, definitions: meanings, may_alias, .. } =
            objects;
        let definitions = if may_alias { meanings.clone() } else { vec![] };
        let places = Lvalues::of(pool, program, procedure, &whole, &known);
        let globals: Vec<(TermId, u64)> = pool
            .sub_terms(&whole)
            .into_iter()
            .filter_map(|t| Some((t, u64::from(places.global(t)?.align))))
            .collect();
        let objects::KnownObject { names, through, targets } = places.known;
        let whole = conditions.iter().copied().zip(whole).collect();
        let given = same;
        let mut words = ConditionPrinter { names, given, definitions, meanings, through, whole };
        let mut pointers: Vec<(TermId, u64, bool)> = vec![];
        for param in procedure.params.iter().map(|p| procedure.var(*p)) {
            if param.ty == Type::Ptr
                && let Some(symbol) = pool.find_symbol(&param.name)
            {
                let types = &program.ctypes;
                let target = param.ctype.and_then(|c| types.target(c));
                // Where a large struct is returned to is no pointer of the program's: it always leads to room for it.
                let never_null = param.name == lvalues::RESULT
                    || param.kind == VarKind::VariadicArea
                    || target.is_some_and(|c| is_passed_by_value(types, procedure, c));
                let align = target.and_then(|c| types.align(c));
                let align = align.unwrap_or(if never_null { 16 } else { 1 });
                pointers.push((pool.symbol_term(symbol), align, never_null));
            }
        }
        for (term, named) in &words.names {
            let known = pointers.iter().any(|(other, ..)| other == term);
            if matches!(named.nature, Nature::Pointer(_)) && !known {
                // Pointers in memory are aligned for their type, too: `ValidPointers` is about all pointers at entry.
                let align = targets.get(term).and_then(|target| program.ctypes.align(*target));
                pointers.push((*term, align.unwrap_or(1), false));
            }
        }
        // Two variables are never at the same address; of literals that is not known.
        let addresses: Vec<TermId> = pool
            .sub_terms(&words.whole.values().copied().collect::<Vec<_>>())
            .into_iter()
            .filter(|t| {
                let name = pool.as_symbol(*t).map(|s| pool.symbol_name(s));
                let variable =
                    |role| matches!(role, EntrySymbol::Address(n) if !n.starts_with("literal"));
                name.map(EntrySymbol::of).is_some_and(variable)
            })
            .collect();
        for (number, one) in addresses.iter().enumerate() {
            for other in &addresses[number + 1..] {
                words.given.push(pool.ne(*one, *other)?);
            }
        }
        pointers.extend(globals.into_iter().map(|(base, align)| (base, align, true)));
        pointers.sort_unstable();
        for (term, align, never_null) in pointers {
            let valid = valid(pool, term, align, never_null)?;
            words.given.push(valid);
        }
        Ok(words)
    }

    /// The names that it uses.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// A condition that says the same in fewer words, and which as C can be evaluated on every entry state. If none is
    /// found in time, the condition itself; `None` if it cannot be evaluated so.
    pub fn shorter(
        &self,
        pool: &mut TermPool,
        condition: TermId,
        time: Effort,
    ) -> Result<Option<TermId>, LogicError> {
        let whole = self.whole.get(&condition).copied().unwrap_or(condition);
        let shorter = self.search(pool, whole, time)?;
        if cfg!(debug_assertions)
            && let Some(shorter) = shorter
        {
            self.check(pool, condition, shorter)?;
        }
        Ok(shorter)
    }

    fn search(
        &self,
        pool: &mut TermPool,
        condition: TermId,
        time: Effort,
    ) -> Result<Option<TermId>, LogicError> {
        let mut given = self.given.clone();
        given.extend_from_slice(&self.definitions);
        let pointers: Vec<TermId> = self.pointers();
        let plain = without_redundancy(pool, condition, &given, &pointers, time)?;
        if pool.op(plain).is_constant() {
            return Ok(Some(plain));
        }
        let short = readable(pool, plain, &self.given, &self.definitions, &self.names, time);
        let short = short.unwrap_or(plain);
        // Only what C can say at all is worth the question.
        match c_partial_expression(pool, short, &self.names) {
            Some(_) => self.guarded(pool, short),
            None => Ok(None),
        }
    }

    /// In debug builds, and so in all tests: no valid entry state may tell what is printed from the condition, as far
    /// as a solver finds one at once.
    fn check(
        &self,
        pool: &mut TermPool,
        condition: TermId,
        printed: TermId,
    ) -> Result<(), LogicError> {
        let unlike = pool.ne(condition, printed)?;
        let mut assertions = self.given.clone();
        assertions.extend_from_slice(&self.meanings);
        assertions.push(unlike);
        let query = Query { assertions: &assertions, assumptions: &[] };
        let answer = verdiff_logic::solver::standard().decide(pool, &query, &Limits::effort(CHECK));
        assert!(
            !matches!(answer, Answer::Sat(_)),
            "{} is not {}",
            pool.display(printed),
            pool.display(condition)
        );
        Ok(())
    }

    /// The condition as it is, if as C it can be evaluated on every entry state.
    pub fn as_it_is(
        &self,
        pool: &mut TermPool,
        condition: TermId,
    ) -> Result<Option<TermId>, LogicError> {
        let condition = self.whole.get(&condition).copied().unwrap_or(condition);
        match c_partial_expression(pool, condition, &self.names) {
            Some(_) => self.guarded(pool, condition),
            None => Ok(None),
        }
    }

    /// Everything that is an address, in a fixed order.
    fn pointers(&self) -> Vec<TermId> {
        let is_pointer = |n: &verdiff_logic::Named| matches!(n.nature, Nature::Pointer(_));
        let mut all: Vec<TermId> =
            self.names.iter().filter(|(_, n)| is_pointer(n)).map(|(t, _)| *t).collect();
        all.sort_unstable();
        all
    }

    /// The condition as C that compiles behind the declarations of the program, if C can say it.
    pub fn c(&self, pool: &TermPool, condition: TermId) -> Option<String> {
        c_partial_expression(pool, condition, &self.names)
    }
}

/// Whether a pointer to this type is how a struct is passed by value: the function takes such a struct, and no pointer
/// to one.
fn is_passed_by_value(types: &CTypes, procedure: &Procedure, target: CTypeId) -> bool {
    let kind = |c: CTypeId| types.get(types.resolve(c));
    let Some(CType::Function { parameters, .. }) = procedure.ctype.map(kind) else { return false };
    let is_it = |c: CTypeId| types.resolve(c) == types.resolve(target);
    matches!(kind(target), CType::Record { .. })
        && parameters.iter().any(|c| is_it(*c))
        && !parameters.iter().any(|c| types.target(*c).is_some_and(is_it))
}

/// That a pointer is null, or leads to an object.
fn valid(
    pool: &mut TermPool,
    term: TermId,
    align: u64,
    never_null: bool,
) -> Result<TermId, LogicError> {
    let (zero, low) = (pool.bits(64, 0)?, pool.bits(64, NULL_ZONE.into())?);
    let high = pool.bits(64, OBJECTS_END)?;
    let mut object = vec![pool.bv_ule(low, term)?, pool.bv_ule(term, high)?];
    if align > 1 {
        let mask = pool.bits(64, u128::from(align - 1))?;
        let rest = pool.bv_and(term, mask)?;
        object.push(pool.eq(rest, zero)?);
    }
    let object = pool.and(&object)?;
    if never_null {
        return Ok(object);
    }
    let null = pool.eq(term, zero)?;
    pool.or(&[null, object])
}

/// The negation of a condition, with the opposites inside: `x != 2 && x != 4` rather than `!(x == 2 || x == 4)`.
pub fn negation(pool: &mut TermPool, condition: TermId) -> Result<TermId, LogicError> {
    const DEEPEST: u64 = 100;
    if pool.depth(condition) > DEEPEST {
        return pool.not(condition);
    }
    let operands = pool.operands(condition).to_vec();
    match pool.op(condition) {
        Op::Not => Ok(operands[0]),
        op @ (Op::And | Op::Or) => {
            let turned: Result<Vec<TermId>, LogicError> =
                operands.iter().map(|t| negation(pool, *t)).collect();
            let turned = turned?;
            if op == Op::And { pool.or(&turned) } else { pool.and(&turned) }
        }
        Op::Ite => {
            let (yes, no) = (negation(pool, operands[1])?, negation(pool, operands[2])?);
            pool.ite(operands[0], yes, no)
        }
        Op::True => Ok(pool.falsity()),
        Op::False => Ok(pool.truth()),
        _ => pool.not(condition),
    }
}
