//! Points: entry states of which it is known whether a condition holds.

use std::rc::Rc;

use crate::assignment::Assignment;
use crate::bits::Bits;
use crate::eval::Evaluator;
use crate::term::{TermId, TermPool};
use crate::value::Value;

/// A state: what the solver chose, with other values for some variables.
#[derive(Clone)]
pub(super) struct SamplePoint {
    pub(super) base: Rc<Assignment>,
    /// The value of each variable.
    pub(super) values: Vec<Value>,
    /// Whether the condition holds.
    pub(super) holds: bool,
}

/// What is asked of points.
pub(super) struct Sampler<'a> {
    pub(super) pool: &'a TermPool,
    pub(super) condition: TermId,
    pub(super) given: &'a [TermId],
    pub(super) variables: &'a [super::Variable],
}

impl Sampler<'_> {
    /// The point that a model is.
    pub(super) fn of_model(&self, model: Assignment) -> Option<SamplePoint> {
        let mut evaluator = Evaluator::new(&model);
        let values: Option<Vec<Value>> =
            self.variables.iter().map(|v| evaluator.eval(self.pool, v.term).ok()).collect();
        let holds = evaluator.holds(self.pool, self.condition).ok()?;
        let values = values?;
        Some(SamplePoint { base: Rc::new(model), values, holds })
    }

    /// The state with other values; `None` if it is none that is of interest.
    pub(super) fn at(&self, base: &Rc<Assignment>, values: Vec<Value>) -> Option<SamplePoint> {
        let mut evaluator = Evaluator::new(base);
        self.suppose(&mut evaluator, &values);
        for given in self.given {
            if !evaluator.holds(self.pool, *given).ok()? {
                return None;
            }
        }
        let holds = evaluator.holds(self.pool, self.condition).ok()?;
        Some(SamplePoint { base: base.clone(), values, holds })
    }

    /// The value of other terms there.
    pub(super) fn values(&self, point: &SamplePoint, terms: &[TermId]) -> Vec<Option<Value>> {
        let mut evaluator = Evaluator::new(&point.base);
        self.suppose(&mut evaluator, &point.values);
        terms.iter().map(|term| evaluator.eval(self.pool, *term).ok()).collect()
    }

    fn suppose(&self, evaluator: &mut Evaluator<'_>, values: &[Value]) {
        for (variable, value) in self.variables.iter().zip(values) {
            evaluator.suppose(variable.term, value.clone());
        }
    }

    /// Where, on the way from one point to one of the other kind, the condition changes: two
    /// neighbours that differ in one variable.
    pub(super) fn boundary(
        &self,
        from: &SamplePoint,
        to: &SamplePoint,
    ) -> Option<[SamplePoint; 2]> {
        let mut here = from.clone();
        for (index, variable) in self.variables.iter().enumerate() {
            if here.values[index] == to.values[index] {
                continue;
            }
            let mut values = here.values.clone();
            values[index] = to.values[index].clone();
            let Some(next) = self.at(&from.base, values) else { continue };
            if next.holds == from.holds {
                here = next;
            } else if variable.is_number() {
                return self.between(here, next, index);
            } else {
                return Some([here, next]);
            }
        }
        None
    }

    /// Neighbours between two points that differ in one variable.
    fn between(
        &self,
        mut low: SamplePoint,
        mut high: SamplePoint,
        index: usize,
    ) -> Option<[SamplePoint; 2]> {
        let signed = self.variables[index].signed;
        loop {
            let (Value::Bits(a), Value::Bits(b)) = (&low.values[index], &high.values[index]) else {
                return None;
            };
            let middle = middle(a, b, signed)?;
            if middle == *a || middle == *b {
                return Some([low, high]);
            }
            let mut values = low.values.clone();
            values[index] = Value::Bits(middle);
            let next = self.at(&low.base, values)?;
            if next.holds == low.holds {
                low = next;
            } else {
                high = next;
            }
        }
    }
}

/// The number in the middle, towards the first.
fn middle(a: &Bits, b: &Bits, signed: bool) -> Option<Bits> {
    let read = |bits: &Bits| match signed {
        true => bits.to_i128(),
        false => bits.to_u128().and_then(|n| i128::try_from(n).ok()),
    };
    let (a_number, b_number) = (read(a)?, read(b)?);
    let middle = a_number + (b_number - a_number) / 2;
    Some(Bits::from_signed(a.width(), middle))
}
