//! What a run returns in the end, as a function of what the variables of a loop are on the way: guessed from runs.

use super::super::CutPoint;
use super::super::invariant::Var;
use super::super::runs::Run;
use super::super::step::At;
use super::functions::Functions;
use std::collections::BTreeSet;
use verdiff_logic::{LogicError, Sort, TermId};
use verdiff_symex::space::Space;

/// With fewer different numbers, agreement is chance.
const FEWEST_NUMBERS: usize = 4;
/// Exponents in runs are not larger.
const MOST_VARS: usize = 10;
/// How many forms are kept.
const MOST_FORMS: usize = 3;

/// A part of a form. Variables are given by their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Var(usize),
    Power(Base, usize),
    Ones(usize),
    /// A variable of a trace, at the time that is a variable plus a number.
    Traced {
        trace: usize,
        var: usize,
        time: usize,
        more: i128,
    },
}

/// What has a power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Var(usize),
    Number(u64),
}

/// `sum + factor * last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    pub sum: Option<Part>,
    pub factor: Option<Part>,
    pub last: Part,
}

impl Form {
    /// The variables that are added, multiplied or raised to a power.
    pub fn data(&self, at: &At) -> Vec<TermId> {
        let parts = [self.sum, self.factor, Some(self.last)];
        let index = |part: Option<Part>| match part? {
            Part::Var(index) | Part::Power(Base::Var(index), _) => Some(index),
            _ => None,
        };
        parts.into_iter().filter_map(index).map(|index| at.values[index]).collect()
    }
}

/// The visits of one side to a loop head in runs.
pub struct Visits {
    /// For each visit, the variables, the result in the end and the run.
    rows: Vec<(Vec<u128>, u128, usize)>,
    vars: Vec<Var>,
    /// The width of the result.
    width: u32,
}

impl Visits {
    /// The visits of one side to a head, if both versions return one number.
    pub fn of(runs: &[Run], side: usize, head: CutPoint, vars: &[Var], width: u32) -> Visits {
        let own: Vec<Var> = vars
            .iter()
            .filter(|v| v.side == side && !v.pointer && (8..=64).contains(&v.width))
            .copied()
            .take(MOST_VARS)
            .collect();
        let mut rows = vec![];
        for (number, run) in runs.iter().enumerate() {
            let end = run.visits[side].last();
            let Some(Some(result)) = end.and_then(|end| end.values.first().copied()) else {
                continue;
            };
            for visit in run.visits[side].iter().filter(|visit| visit.place == head) {
                let values = visit.values.iter().map(|value| value.unwrap_or(0)).collect();
                rows.push((values, result, number));
            }
        }
        Visits { rows, vars: own, width }
    }

    /// The parameters at the entry of runs, and what one version returned.
    pub fn of_entries(runs: &[Run], side: usize, vars: &[Var], width: u32) -> Visits {
        let mut rows = vec![];
        for (number, run) in runs.iter().enumerate() {
            let end = run.visits[side].last();
            if let Some(Some(result)) = end.and_then(|end| end.values.first().copied()) {
                let values = run.entry.iter().map(|value| value.unwrap_or(0)).collect();
                rows.push((values, result, number));
            }
        }
        let usual = |var: &&Var| (8..=64).contains(&var.width);
        Visits { rows, vars: vars.iter().filter(usual).copied().collect(), width }
    }

    fn data(&self) -> impl Iterator<Item = usize> {
        self.vars.iter().filter(|var| var.width == self.width).map(|var| var.index)
    }

    fn width_of(&self, index: usize) -> u32 {
        self.vars.iter().find(|var| var.index == index).map_or(64, |var| var.width)
    }

    fn mask(&self) -> u128 {
        u128::MAX >> (128 - self.width)
    }

    /// What a part is at all visits.
    fn column(&self, part: Part, functions: &Functions, tables: &Tables) -> Option<Vec<u128>> {
        let number = |(values, _, run): &(Vec<u128>, u128, usize)| match part {
            Part::Var(index) => values.get(index).copied(),
            Part::Power(base, exponent) => {
                let base = match base {
                    Base::Var(index) => *values.get(index)?,
                    Base::Number(number) => u128::from(number),
                };
                Some(power(base, *values.get(exponent)?, self.mask()))
            }
            Part::Ones(index) => Some(u128::from(values.get(index)?.count_ones()) & self.mask()),
            Part::Traced { trace, var, time, more } => {
                let trace_width = functions.traces[trace].width;
                let mask = u128::MAX >> (128 - trace_width);
                let time = values.get(time)?.wrapping_add(more as u128) & mask;
                let at = functions.traces[trace].at(time)?;
                tables[trace].get(*run)?.as_ref()?.get(at)?.get(var).copied()
            }
        };
        self.rows.iter().map(number).collect()
    }

    /// Forms that are the result at all visits, short ones first.
    pub fn forms(&self, functions: &Functions, tables: &Tables, bases: &[u64]) -> Vec<Form> {
        let results: Vec<u128> = self.rows.iter().map(|(_, result, _)| *result).collect();
        let different: BTreeSet<u128> = results.iter().copied().collect();
        if different.len() < FEWEST_NUMBERS {
            return vec![];
        }
        let mut lasts: Vec<Part> = self.vars.iter().map(|var| Part::Ones(var.index)).collect();
        for exponent in &self.vars {
            let vars = self.data().filter(|base| *base != exponent.index).map(Base::Var);
            let numbers = bases.iter().copied().map(Base::Number);
            lasts.extend(vars.chain(numbers).map(|base| Part::Power(base, exponent.index)));
        }
        let usual = |part: &Part| match part {
            Part::Traced { trace, var, .. } => {
                functions.traces[*trace].vars[*var].width == self.width
            }
            _ => true,
        };
        lasts.extend(self.traced(functions).into_iter().filter(usual));
        let mut found: Vec<(usize, Form)> = vec![];
        let data: Vec<(Part, Vec<u128>)> = self
            .data()
            .map(Part::Var)
            .filter_map(|part| Some((part, self.column(part, functions, tables)?)))
            .collect();
        for last in lasts {
            let Some(numbers) = self.column(last, functions, tables) else { continue };
            let different: BTreeSet<u128> = numbers.iter().copied().collect();
            if different.len() < FEWEST_NUMBERS {
                continue;
            }
            let mut sums: Vec<(Option<Part>, Vec<u128>)> = vec![(None, vec![0; results.len()])];
            sums.extend(data.iter().map(|(part, numbers)| (Some(*part), numbers.clone())));
            if let Part::Traced { trace, time, more, .. } = last {
                let all = 0..functions.traces[trace].vars.len();
                let all = all.map(|var| Part::Traced { trace, var, time, more });
                for part in all.filter(&usual) {
                    let column = self.column(part, functions, tables);
                    sums.extend(column.map(|column| (Some(part), column)));
                }
            }
            let mut factors: Vec<(Option<Part>, Vec<u128>)> = vec![(None, vec![1; results.len()])];
            factors.extend(data.iter().map(|(part, numbers)| (Some(*part), numbers.clone())));
            for (sum, add) in &sums {
                for (factor, by) in &factors {
                    let fits = (0..results.len()).all(|n| {
                        let product = by[n].wrapping_mul(numbers[n]);
                        add[n].wrapping_add(product) & self.mask() == results[n]
                    });
                    if fits {
                        let size = usize::from(sum.is_some()) + usize::from(factor.is_some());
                        found.push((size, Form { sum: *sum, factor: *factor, last }));
                    }
                }
            }
        }
        found.sort_by_key(|(size, _)| *size);
        found.truncate(MOST_FORMS);
        found.into_iter().map(|(_, form)| form).collect()
    }

    /// The variables of traces at times that are near a variable.
    fn traced(&self, functions: &Functions) -> Vec<Part> {
        let mut found = vec![];
        for (trace, known) in functions.traces.iter().enumerate() {
            let times = self.vars.iter().filter(|var| var.width == known.width);
            for time in times.map(|var| var.index) {
                for (var, _) in known.vars.iter().enumerate() {
                    let more = [0, -1, 1, -2, 2].into_iter();
                    found.extend(more.map(|more| Part::Traced { trace, var, time, more }));
                }
            }
        }
        found
    }

    /// The variable of the loop that is traced, at the time that it is at: for each, if there is one.
    pub fn own_times(&self, functions: &Functions, tables: &Tables) -> Vec<(usize, Part)> {
        let mut found = vec![];
        for (n, trace) in functions.traces.iter().enumerate() {
            for (var, traced) in trace.vars.iter().enumerate() {
                let own = self.column(Part::Var(traced.index), functions, tables);
                let parts = self.traced(functions).into_iter().filter(|part| {
                    matches!(part, Part::Traced { trace, var: v, .. } if *trace == n && *v == var)
                });
                let mut fitting = parts.filter(|part| {
                    let numbers = self.column(*part, functions, tables);
                    numbers.is_some() && numbers == own
                });
                found.extend(fitting.next().map(|part| (traced.index, part)));
            }
        }
        found
    }

    /// The variable that is what a parameter was at the entry, at all visits.
    fn kept(&self, runs: &[Run], param: usize) -> Option<usize> {
        let is = |index: &usize| {
            let same = |(values, _, run): &(Vec<u128>, u128, usize)| {
                let entry = runs[*run].entry.get(param).copied().flatten();
                values.get(*index).copied() == entry
            };
            self.rows.iter().all(same)
        };
        self.vars.iter().map(|var| var.index).find(is)
    }

    /// A part as a term.
    pub fn part(
        &self,
        space: &mut Space,
        functions: &mut Functions,
        (at, runs): (&At, &[Run]),
        part: Part,
    ) -> Result<Option<TermId>, LogicError> {
        Ok(Some(match part {
            Part::Var(index) => at.values[index],
            Part::Power(base, exponent) => {
                let base = match base {
                    Base::Var(index) => at.values[index],
                    Base::Number(number) => space.pool.bits(self.width, number.into())?,
                };
                functions.power(space, base, at.values[exponent])?
            }
            Part::Ones(index) => functions.ones(space, at.values[index], self.width)?,
            Part::Traced { trace, var, time, more } => {
                let trace = &functions.traces[trace];
                let mut arguments = vec![];
                for (param, symbol) in &trace.params {
                    let kept = self.kept(runs, *param).map(|index| at.values[index]);
                    let sort = space.pool.sort(*symbol);
                    match kept.filter(|kept| space.pool.sort(*kept) == sort) {
                        Some(kept) => arguments.push(kept),
                        None => return Ok(None),
                    }
                }
                let more = space.pool.bits_signed(trace.width, more)?;
                let time = space.pool.bv_add(at.values[time], more)?;
                arguments.push(space.tidy(time)?);
                space.pool.call(trace.vars[var].function, &arguments)?
            }
        }))
    }

    /// A form as a term of the width of the result.
    pub fn term(
        &self,
        space: &mut Space,
        functions: &mut Functions,
        at: (&At, &[Run]),
        form: Form,
    ) -> Result<Option<TermId>, LogicError> {
        let Some(mut term) = self.part(space, functions, at, form.last)? else { return Ok(None) };
        if let Some(factor) = form.factor {
            let Some(factor) = self.part(space, functions, at, factor)? else { return Ok(None) };
            term = space.pool.bv_mul(factor, term)?;
        }
        if let Some(sum) = form.sum {
            let Some(sum) = self.part(space, functions, at, sum)? else { return Ok(None) };
            term = space.pool.bv_add(sum, term)?;
        }
        Ok((space.pool.sort(term) == Sort::BitVec(self.width)).then_some(term))
    }

    /// As text, by the names of variables: of this side, and of the loop that is traced.
    pub fn text(
        &self,
        functions: &Functions,
        [name, traced]: [&dyn Fn(usize) -> String; 2],
        form: Form,
    ) -> String {
        let part = |part: Part| match part {
            Part::Var(index) => name(index),
            Part::Power(Base::Var(base), by) => format!("power({}, {})", name(base), name(by)),
            Part::Power(Base::Number(base), by) => format!("power({base}, {})", name(by)),
            Part::Ones(index) => format!("ones({})", name(index)),
            Part::Traced { trace, var, time, more } => {
                let index = functions.traces[trace].vars[var].index;
                let more = match more {
                    0 => String::new(),
                    more if more < 0 => format!(" - {}", -more),
                    more => format!(" + {more}"),
                };
                format!("({} after {}{more} iterations)", traced(index), name(time))
            }
        };
        let mut text = part(form.last);
        if let Some(factor) = form.factor {
            text = format!("{} * {text}", part(factor));
        }
        match form.sum {
            Some(sum) => format!("{} + {text}", part(sum)),
            None => text,
        }
    }

    /// Whether exponents and times are variables of so many bits.
    pub fn widths(&self) -> BTreeSet<u32> {
        self.vars.iter().map(|var| self.width_of(var.index)).collect()
    }
}

/// For each trace and each run, what its variables are after 0, 1, 2… iterations.
pub type Tables = Vec<Vec<Option<Vec<Vec<u128>>>>>;

fn power(base: u128, exponent: u128, mask: u128) -> u128 {
    let (mut base, mut exponent, mut power) = (base & mask, exponent, 1 & mask);
    while exponent > 0 {
        if exponent & 1 != 0 {
            power = power.wrapping_mul(base) & mask;
        }
        base = base.wrapping_mul(base) & mask;
        exponent >>= 1;
    }
    power
}
