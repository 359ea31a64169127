//! An entry state from which one version ends and the other does not, as far as runs can show it.

use verdiff_judge::{Side, Task};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Answer, Decide, Limits as SolverLimits, Query};
use verdiff_logic::{Assignment, LogicError, TermId, TermPool};
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{End, EntryState, Object, Outcome, Pointer, PointerTarget, Value};
use verdiff_model::{Procedure, Type};

/// How far a run goes before it is taken not to end; as far as replay goes.
const RUN: Limits = Limits { steps: 2_000_000, depth: 5000, memory: 64 << 20, objects: 1 << 16 };
/// What one question may take. What is worth a proof is worth an example, whatever time is left.
const MOST: Effort = Effort::millis(150);
/// How many bytes a pointer leads to.
const ROOM: usize = 64;

/// A state of the condition from which `ends` ends and the other version does not within the limits. If there is none, one
/// from which neither does: a loop over all numbers of 32 bits has an end that only the compiled program gets to.
pub fn find(
    task: &Task<'_>,
    pool: &mut TermPool,
    condition: TermId,
    ends: Side,
) -> Result<Option<(EntryState, EntryState)>, LogicError> {
    let procedure = task.comparison.procedure(task.pair, Side::Old);
    let mut long = None;
    // Small numbers first: people read them, and runs are short.
    for bound in [Some(2u128), Some(100), Some(5000), None] {
        let mut all = vec![condition];
        for param in &procedure.params {
            let Some(symbol) = pool.find_symbol(&procedure.var(*param).name) else { continue };
            let term = pool.symbol_term(symbol);
            if let (Some(bound), Type::Int(_), Some(width)) =
                (bound, procedure.var(*param).ty, pool.sort(term).width().filter(|w| *w >= 16))
            {
                let low = pool.bits_signed(width, -(bound as i128))?;
                let high = pool.bits(width, bound)?;
                all.push(pool.bv_sle(low, term)?);
                all.push(pool.bv_sle(term, high)?);
            }
        }
        let query = Query { assertions: &all, assumptions: &[] };
        let limits = SolverLimits::effort(MOST);
        let Answer::Sat(model) = solver::standard().decide(pool, &query, &limits) else { continue };
        let Some(old) = state(pool, procedure, &model) else { continue };
        let Some(new) = task.comparison.entry_for_other(Side::Old, &old) else { continue };
        match run(task, &old, &new, ends) {
            Runs::AsProved => return Ok(Some((old, new))),
            Runs::Long => long = long.or(Some((old, new))),
            Runs::Otherwise => {}
        }
    }
    Ok(long)
}

/// What the interpreter sees of a state from which one version is proved to terminate, and the other not to.
enum Runs {
    AsProved,
    /// Neither terminates within the limits.
    Long,
    Otherwise,
}

/// A model as an entry state. What the condition does not speak of is zero; a pointer leads to zeros.
fn state(pool: &TermPool, procedure: &Procedure, model: &Assignment) -> Option<EntryState> {
    let mut entry = EntryState::default();
    for param in &procedure.params {
        let var = procedure.var(*param);
        let symbol = pool.find_symbol(&var.name);
        let value = symbol.and_then(|s| model.get(s));
        let bits = match value {
            None => 0,
            Some(value) => match (value.as_bool(), value.as_bits()) {
                (Some(truth), _) => u128::from(truth),
                (_, Some(bits)) => bits.to_u128()?,
                _ => return None,
            },
        };
        entry.args.push(match var.ty {
            Type::Ptr if value.is_some() && bits == 0 => {
                Value::Pointer(Pointer { target: PointerTarget::Null, offset: 0 })
            }
            Type::Ptr => {
                let target = PointerTarget::Object(entry.objects.len() as u32);
                entry.objects.push(Object::new(16, vec![0; ROOM]));
                Value::Pointer(Pointer { target, offset: 0 })
            }
            _ => Value::Bits(bits),
        });
    }
    Some(entry)
}

fn run(task: &Task<'_>, old: &EntryState, new: &EntryState, ends: Side) -> Runs {
    let outcome = |side: Side| {
        let entry = if side == Side::Old { old } else { new };
        let procedure = task.comparison.pair(task.pair).of(side);
        Machine::new(task.comparison.program(side)).run(procedure, entry, &RUN)
    };
    if !matches!(outcome(ends.other()).end, End::OutOfSteps | End::Stopped(_)) {
        return Runs::Otherwise;
    }
    match outcome(ends) {
        ended if ended.is_conclusive() => Runs::AsProved,
        Outcome { end: End::OutOfSteps, .. } => Runs::Long,
        _ => Runs::Otherwise,
    }
}
