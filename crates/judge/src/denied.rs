//! Whether a run that was seen to differ is one of which a judgement says that it cannot.

use crate::judgement::{Condition, Field, Judgement};
use verdiff_logic::{Assignment, Bits, EntrySymbol, LogicError, Sort, TermPool, Value as Number};
use verdiff_model::Procedure;
use verdiff_model::state::Value;

impl Judgement {
    /// Whether U holds of these arguments, so that a difference there contradicts it. Only where U speaks of
    /// numbers among the parameters alone; elsewhere the answer is no.
    pub fn denies(&self, procedure: &Procedure, args: &[Value]) -> bool {
        let condition = self.condition(Field::EqualUnder);
        condition.is_true() || holds(condition, procedure, args).unwrap_or(false)
    }
}

fn holds(condition: &Condition, procedure: &Procedure, args: &[Value]) -> Result<bool, LogicError> {
    let mut pool = TermPool::new();
    let term = condition.build(&mut pool)?;
    let free = pool.free_names(&[term]);
    if !free.functions.is_empty() {
        return Ok(false);
    }
    let mut assignment = Assignment::new();
    for symbol in free.symbols {
        let named = |(param, _): &(&verdiff_model::VarId, &Value)| {
            let name = &procedure.var(**param).name;
            EntrySymbol::is_parameter_name(name) && pool.find_symbol(name) == Some(symbol)
        };
        let mut same_name = procedure.params.iter().zip(args).filter(named);
        let (Some((_, Value::Bits(bits))), None) = (same_name.next(), same_name.next()) else {
            return Ok(false);
        };
        let sort = pool.sort(pool.symbol_term(symbol));
        let Sort::BitVec(width) = sort else { return Ok(false) };
        assignment.set(&pool, symbol, Number::Bits(Bits::new(width, *bits)))?;
    }
    Ok(pool.eval(term, &assignment)?.as_bool() == Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Evidence;
    use crate::rule::Rule;
    use verdiff_logic::Formula;
    use verdiff_model::{Linkage, Loc, Type, Var, VarId, VarKind};

    #[test]
    fn what_is_said_of_one_number_is_asked_for_it() {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", Sort::BitVec(32)).unwrap();
        let five = pool.bits(32, 5).unwrap();
        let not_five = pool.ne(x, five).unwrap();
        let mut judgement = Judgement::default();
        let evidence = Evidence::new(Field::EqualUnder, "test", Rule::PathsEqual);
        judgement.grow(Formula::of(&pool, not_five).unwrap(), evidence).unwrap();
        let (name, ty) = ("x".to_owned(), Type::Int(32));
        let procedure = Procedure {
            name: "f".to_owned(),
            symbol: "f".to_owned(),
            linkage: Linkage::External,
            loc: Loc::default(),
            params: vec![VarId::new(0)],
            results: vec![],
            variadic: false,
            ctype: None,
            vars: vec![Var { name, ty, ctype: None, kind: VarKind::Parameter }],
            locals: vec![],
            blocks: vec![],
            unsupported: vec![],
            opaque: None,
            with_holes: None,
            outlined_from: None,
        };
        assert!(judgement.denies(&procedure, &[Value::Bits(4)]));
        assert!(!judgement.denies(&procedure, &[Value::Bits(5)]));
        assert!(!Judgement::default().denies(&procedure, &[Value::Bits(4)]));
    }
}
