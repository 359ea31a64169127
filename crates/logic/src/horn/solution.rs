//! What Spacer says of predicates, as clauses.

use super::{Clause, Part};
use crate::smtlib::Sexprs;
use std::collections::BTreeMap;

/// More clauses of a predicate, longer ones, and larger factors are no good guesses.
const MOST_CLAUSES: usize = 40;
const MOST_PARTS: usize = 4;
const LARGEST: i64 = 1 << 20;

/// A sum of arguments and a number.
#[derive(Clone, Default)]
struct Sum {
    factors: BTreeMap<usize, i64>,
    constant: i64,
}

/// The definitions of a model: for each predicate its clauses. What is no disjunction of linear inequalities is left out.
pub(super) fn read(model: &str, prefix: &str, sizes: &[usize]) -> Option<Vec<Vec<Clause>>> {
    let parsed = Sexprs::parse(model).ok()?;
    let mut found = vec![vec![]; sizes.len()];
    for root in parsed.roots() {
        // (define-fun place0 ((x!0 Int) (x!1 Bool)) Bool body)
        let Some(&[word, name, arguments, _, body]) = parsed.list(*root) else { continue };
        let name = parsed.atom(name).and_then(|name| name.strip_prefix(prefix));
        let number = name.and_then(|number| number.parse::<usize>().ok());
        let (Some("define-fun"), Some(number)) = (parsed.atom(word), number) else { continue };
        let names = parsed.list(arguments)?.iter().map(|argument| {
            let name = *parsed.list(*argument)?.first()?;
            parsed.atom(name)
        });
        let names: Vec<&str> = names.collect::<Option<_>>()?;
        if sizes.get(number) != Some(&names.len()) {
            continue;
        }
        let reader = Reader { parsed: &parsed, names };
        found[number] = reader.conjuncts(body);
    }
    Some(found)
}

struct Reader<'t> {
    parsed: &'t Sexprs,
    names: Vec<&'t str>,
}

impl Reader<'_> {
    /// The clauses of a conjunction; parts of it that cannot be read are left out.
    fn conjuncts(&self, body: usize) -> Vec<Clause> {
        let mut found: Vec<Clause> = vec![];
        let mut open = vec![body];
        while let Some(part) = open.pop() {
            if let Some([word, parts @ ..]) = self.parsed.list(part)
                && self.parsed.atom(*word) == Some("and")
            {
                open.extend(parts);
                continue;
            }
            found.extend(self.clauses(part, true).unwrap_or_default());
        }
        for clause in &mut found {
            clause.sort();
            clause.dedup();
        }
        found.retain(|clause| !clause.is_empty());
        found.sort();
        found.dedup();
        found.truncate(MOST_CLAUSES);
        found
    }

    /// The clauses of a formula, or of its negation; nothing if it cannot be read, or has too many.
    fn clauses(&self, at: usize, positive: bool) -> Option<Vec<Clause>> {
        let parsed = self.parsed;
        if let Some(word) = parsed.atom(at) {
            return match word {
                "true" | "false" if (word == "true") == positive => Some(vec![]),
                "true" | "false" => Some(vec![vec![]]),
                _ => {
                    let argument = self.argument(word)?;
                    Some(vec![vec![Part::Is(argument, positive)]])
                }
            };
        }
        let [word, operands @ ..] = parsed.list(at)? else { return None };
        match (parsed.atom(*word)?, operands) {
            ("not", [operand]) => self.clauses(*operand, !positive),
            ("=>", [left, right]) => {
                let parts = [self.clauses(*left, !positive)?, self.clauses(*right, positive)?];
                if positive { either(parts.into()) } else { both(parts.into()) }
            }
            (word @ ("and" | "or"), operands) => {
                let parts = operands.iter().map(|operand| self.clauses(*operand, positive));
                let parts = parts.collect::<Option<Vec<_>>>()?;
                if (word == "and") == positive { both(parts) } else { either(parts) }
            }
            (word @ ("<=" | ">=" | "<" | ">"), [left, right]) => {
                let (left, right) = (self.sum(*left)?, self.sum(*right)?);
                let (less, more) =
                    if word.starts_with('<') { (left, right) } else { (right, left) };
                let strict = word.len() == 1;
                // less < more or less <= more; the negation is more <= less or more < less.
                let part = match positive {
                    true => at_least(&more, &less, i64::from(strict)),
                    false => at_least(&less, &more, i64::from(!strict)),
                };
                part.map(clauses_of)
            }
            ("=", [left, right]) => {
                let (Some(left), Some(right)) = (self.sum(*left), self.sum(*right)) else {
                    return self.same(*left, *right, positive);
                };
                let differ = i64::from(!positive);
                let parts = [at_least(&left, &right, differ)?, at_least(&right, &left, differ)?];
                let parts = parts.map(clauses_of).into();
                if positive { both(parts) } else { either(parts) }
            }
            _ => None,
        }
    }

    /// That two truth values are the same, or are not.
    fn same(&self, left: usize, right: usize, positive: bool) -> Option<Vec<Clause>> {
        let one = either(vec![self.clauses(left, false)?, self.clauses(right, positive)?])?;
        let other = either(vec![self.clauses(left, true)?, self.clauses(right, !positive)?])?;
        both(vec![one, other])
    }

    fn argument(&self, word: &str) -> Option<usize> {
        self.names.iter().position(|name| *name == word)
    }

    /// A sum of arguments with factors.
    fn sum(&self, at: usize) -> Option<Sum> {
        let parsed = self.parsed;
        if let Some(word) = parsed.atom(at) {
            if let Ok(constant) = word.parse() {
                return Some(Sum { constant, ..Sum::default() });
            }
            let factors = [(self.argument(word)?, 1)].into();
            return Some(Sum { factors, constant: 0 });
        }
        let [word, operands @ ..] = parsed.list(at)? else { return None };
        let sums = operands.iter().map(|operand| self.sum(*operand));
        let sums = sums.collect::<Option<Vec<Sum>>>()?;
        match (parsed.atom(*word)?, &sums[..]) {
            ("+", sums) => sums.iter().try_fold(Sum::default(), |sum, more| sum.plus(1, more)),
            ("-", [one]) => Sum::default().plus(-1, one),
            ("-", [first, rest @ ..]) => {
                rest.iter().try_fold(first.clone(), |sum, less| sum.plus(-1, less))
            }
            ("*", [factor, sum]) if factor.factors.is_empty() => {
                Sum::default().plus(factor.constant, sum)
            }
            _ => None,
        }
    }
}

impl Sum {
    fn plus(mut self, times: i64, other: &Sum) -> Option<Sum> {
        for (argument, factor) in &other.factors {
            let sum = self.factors.entry(*argument).or_default();
            *sum = sum.checked_add(factor.checked_mul(times)?)?;
        }
        self.constant = self.constant.checked_add(other.constant.checked_mul(times)?)?;
        Some(self)
    }
}

/// `more - less >= least`: a truth value, if it speaks of no argument.
fn at_least(more: &Sum, less: &Sum, least: i64) -> Option<Result<Part, bool>> {
    let sum = more.clone().plus(-1, less)?;
    let least = least.checked_sub(sum.constant)?;
    let sum: Vec<(usize, i64)> = sum.factors.into_iter().filter(|(_, f)| *f != 0).collect();
    if sum.is_empty() {
        return Some(Err(0 >= least));
    }
    let usual = sum.iter().all(|(_, factor)| factor.unsigned_abs() <= LARGEST as u64);
    usual.then_some(Ok(Part::AtLeast { sum, least }))
}

fn clauses_of(part: Result<Part, bool>) -> Vec<Clause> {
    match part {
        Ok(part) => vec![vec![part]],
        Err(true) => vec![],
        Err(false) => vec![vec![]],
    }
}

fn both(parts: Vec<Vec<Clause>>) -> Option<Vec<Clause>> {
    let all: Vec<Clause> = parts.into_iter().flatten().collect();
    (all.len() <= MOST_CLAUSES).then_some(all)
}

fn either(parts: Vec<Vec<Clause>>) -> Option<Vec<Clause>> {
    let mut found: Vec<Clause> = vec![vec![]];
    for clauses in parts {
        let pairs = found
            .iter()
            .flat_map(|first| clauses.iter().map(move |second| [&first[..], &second[..]].concat()));
        found = pairs.collect();
        found.iter_mut().for_each(|clause: &mut Clause| {
            clause.sort();
            clause.dedup();
        });
        if found.len() > MOST_CLAUSES || found.iter().any(|clause| clause.len() > MOST_PARTS) {
            return None;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clauses(body: &str) -> Vec<Clause> {
        let model = format!("(define-fun place0 ((x!0 Int) (x!1 Int) (x!2 Bool)) Bool {body})");
        read(&model, "place", &[3]).unwrap().remove(0)
    }

    fn at_least(sum: &[(usize, i64)], least: i64) -> Part {
        Part::AtLeast { sum: sum.to_vec(), least }
    }

    #[test]
    fn inequalities_are_read() {
        assert_eq!(clauses("(<= (+ x!0 (* (- 2) x!1)) 3)"), [[at_least(&[(0, -1), (1, 2)], -3)]]);
        assert_eq!(clauses("(not (>= x!0 x!1))"), [[at_least(&[(0, -1), (1, 1)], 1)]]);
        assert_eq!(clauses("(< x!0 5)"), [[at_least(&[(0, -1)], -4)]]);
    }

    #[test]
    fn disjunctions_are_distributed() {
        let found = clauses("(or x!2 (and (>= x!0 1) (>= x!1 2)))");
        let or = |part| vec![part, Part::Is(2, true)];
        assert_eq!(found, [or(at_least(&[(0, 1)], 1)), or(at_least(&[(1, 1)], 2))]);
        assert_eq!(clauses("(=> x!2 (= x!0 4))").len(), 2);
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        assert_eq!(clauses("(and (= (mod x!0 2) 0) (>= x!1 0))"), [[at_least(&[(1, 1)], 0)]]);
        assert!(clauses("(or (= (mod x!0 2) 0) (>= x!1 0))").is_empty());
        assert!(clauses("(>= 3 2)").is_empty());
    }
}
