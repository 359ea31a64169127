//! Pairs of paths, one of each version: which end alike, which do not, and which depend on what is not known (paper 003, Algorithm 2).

use super::library::Library;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use verdiff_judge::{Budget, Obligation, Side};
use verdiff_logic::TermId;
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Decide, Limits, Query};
use verdiff_product::Product;
use verdiff_product::feasible::FEASIBLE_TIME;
use verdiff_product::obligation::script;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::Stop;
use verdiff_symex::outcome::{Exit, Outcome};

/// For one question whether a pair of paths ends alike.
const PAIR_TIME: Effort = Effort::millis(150);
/// For an obligation to be seen to be one.
const OBLIGATION_TIME: Effort = Effort::millis(300);

/// All pairs of paths that can be taken together.
pub(super) struct PathPairs {
    pub(super) entry: Rc<Entry>,
    /// What holds of entry states.
    pub(super) given: Vec<TermId>,
    /// The finished paths of both versions.
    pub(super) exits: [Vec<Exit>; 2],
    /// When pairs are taken that end alike.
    alike: Vec<Vec<TermId>>,
    /// When pairs are taken that do not.
    pub(super) apart: Vec<Vec<TermId>>,
    /// When pairs are taken of which that depends on a function.
    pub(super) open: Vec<Vec<TermId>>,
    /// What these depend on, and whether pairs are taken that end apart.
    pub(super) open_terms: Vec<TermId>,
    /// The paths that were not followed to their end.
    pub(super) unfollowed: Vec<Vec<TermId>>,
    /// Of the pairs that end alike, when they do not: impossible.
    differ: Vec<TermId>,
}

/// What the judgement may grow by: conditions over the entry state alone.
pub(super) struct Sorted {
    pub(super) equal: TermId,
    pub(super) differ: TermId,
    pub(super) followed: TermId,
}

/// Compares all pairs of paths of the task's pair; those for which there is no time stay open, and all when `enough` are. `None` if there are none.
pub(super) fn compare(
    product: &mut Product<'_>,
    library: &mut Library,
    given: &[TermId],
    enough: usize,
    budget: &Budget,
) -> Result<Option<PathPairs>, Stop> {
    let entry = library.entry(product, product.task.pair)?;
    let mut exits = [vec![], vec![]];
    let mut unfollowed = vec![];
    for side in Side::BOTH {
        let Some(paths) = library.paths(product.task.pair, side) else { return Ok(None) };
        exits[side.index()] = paths.done.to_vec();
        unfollowed.extend(paths.open);
    }
    if exits.iter().any(Vec::is_empty) {
        return Ok(None);
    }
    let mut compared = PathPairs {
        entry,
        given: given.to_vec(),
        exits,
        alike: vec![],
        apart: vec![],
        open: vec![],
        open_terms: vec![],
        unfollowed,
        differ: vec![],
    };
    let mut solver = solver::standard();
    let [old, new] = compared.exits.clone();
    // The paths of one version exclude each other: where one of the new version is taken exactly where one of the old is, no other is.
    let mut same: HashMap<BTreeSet<TermId>, usize> = HashMap::new();
    for (index, exit) in new.iter().enumerate() {
        same.insert(exit.path.iter().copied().collect(), index);
    }
    let partner = |exit: &Exit| same.get(&exit.path.iter().copied().collect::<BTreeSet<_>>());
    let taken: BTreeSet<usize> = old.iter().filter_map(|exit| partner(exit).copied()).collect();
    for left in &old {
        let others: Vec<usize> = match partner(left) {
            Some(one) => vec![*one],
            None => (0..new.len()).filter(|index| !taken.contains(index)).collect(),
        };
        for index in others {
            // Many open questions have few reasons: these are looked for first.
            match budget.is_over() || compared.open.len() >= enough {
                true => {
                    let both = left.path.iter().chain(&new[index].path);
                    compared.open.push(both.copied().collect());
                }
                false => compared.pair(product, &mut solver, left, &new[index])?,
            }
        }
    }
    Ok(Some(compared))
}

impl PathPairs {
    /// Whether everything is known: all paths were followed, and nothing depends on a function.
    pub(super) fn is_complete(&self) -> bool {
        self.open.is_empty() && self.open_terms.is_empty() && self.unfollowed.is_empty()
    }

    /// Sorts one pair of paths.
    fn pair(
        &mut self,
        product: &mut Product<'_>,
        solver: &mut impl Decide,
        old: &Exit,
        new: &Exit,
    ) -> Result<(), Stop> {
        let mut taken = old.path.clone();
        taken.extend(new.path.iter().filter(|t| !old.path.contains(t)));
        let together = self.is_impossible(product, solver, &taken, &[], FEASIBLE_TIME);
        if taken.len() > old.path.len() && together {
            return Ok(());
        }
        let outcomes = [
            Outcome::of(&mut product.space, std::slice::from_ref(old))?,
            Outcome::of(&mut product.space, std::slice::from_ref(new))?,
        ];
        let entry = (*self.entry).clone();
        let formed = product.compared(entry, outcomes)?;
        let differ = formed.differ;
        // The addresses at which memories are compared have names now.
        let valid = product.valid_entry(&self.entry)?;
        self.given
            .extend(valid.into_iter().filter(|t| !self.given.contains(t)).collect::<Vec<_>>());
        if product.space.pool.as_bool(differ) == Some(false)
            || self.is_impossible(product, solver, &taken, &[differ], PAIR_TIME)
        {
            let mut all = taken.clone();
            all.push(differ);
            self.differ.push(product.space.and(&all)?);
            self.alike.push(taken);
            return Ok(());
        }
        // Whether memories differ at *some* address is not said by the formula for one; without it, it is.
        let Some(exactly) = formed.without_address else {
            self.leave_open(taken, differ);
            return Ok(());
        };
        let same = product.space.not(exactly)?;
        if product.space.pool.as_bool(same) == Some(false)
            || self.is_impossible(product, solver, &taken, &[same], PAIR_TIME)
        {
            // Whether it is taken at all may depend on a function.
            let depends = |t: &&TermId| !product.space.pool.free_names(&[**t]).functions.is_empty();
            self.open_terms.extend(taken.iter().filter(depends));
            self.apart.push(taken);
        } else if product.speaks_of(&self.entry, exactly)? {
            let (mut inside, mut outside) = (taken.clone(), taken);
            inside.push(exactly);
            outside.push(same);
            self.apart.push(inside);
            self.alike.push(outside);
        } else {
            self.leave_open(taken, differ);
        }
        Ok(())
    }

    fn leave_open(&mut self, taken: Vec<TermId>, differ: TermId) {
        self.open_terms.extend_from_slice(&taken);
        self.open_terms.push(differ);
        self.open.push(taken);
    }

    fn is_impossible(
        &self,
        product: &mut Product<'_>,
        solver: &mut impl Decide,
        taken: &[TermId],
        more: &[TermId],
        time: Effort,
    ) -> bool {
        let mut assertions = taken.to_vec();
        assertions.extend_from_slice(more);
        if self.with_given(product, &mut assertions).is_err() {
            return false;
        }
        let query = Query { assertions: &assertions, assumptions: &[] };
        let limits = Limits::effort(time);
        solver.decide(&mut product.space.pool, &query, &limits).is_unsat()
    }

    /// Adds what holds of entry states, and of the objects that are spoken of.
    pub(super) fn with_given(
        &self,
        product: &mut Product<'_>,
        assertions: &mut Vec<TermId>,
    ) -> Result<(), Stop> {
        assertions.extend_from_slice(&self.given);
        let objects = product.space.axioms_about(assertions)?;
        assertions.extend(objects);
        Ok(())
    }

    /// What the judgement may grow by.
    pub(super) fn sorted(&self, product: &mut Product<'_>) -> Result<Sorted, Stop> {
        let unfollowed = self.anywhere(product, &[&self.unfollowed])?;
        let not_alike = self.anywhere(product, &[&self.apart, &self.open, &self.unfollowed])?;
        let not_apart = self.anywhere(product, &[&self.alike, &self.open, &self.unfollowed])?;
        let equal = product.space.not(not_alike)?;
        let mut differ = product.space.not(not_apart)?;
        // Every run takes a pair of paths: where all that are apart speak of the entry state, the same is said in fewer words.
        if self.open.is_empty() && self.unfollowed.is_empty() && self.are_exact(product)? {
            differ = not_alike;
        } else {
            // From an entry state outside of G some pair is taken that is apart, so it is in B. What is no entry state may take none of the pairs, and
            // would be in ¬G and ¬B.
            differ = product.space.and(&[differ, not_alike])?;
        }
        let followed = product.space.not(unfollowed)?;
        Ok(Sorted {
            equal: product.space.tidy(equal)?,
            differ: product.space.tidy(differ)?,
            followed: product.space.tidy(followed)?,
        })
    }

    /// Where one of these may be taken for some meaning of the functions: all literals that speak of the entry state alone. Those
    /// that hold of every entry state are left out: what they say of others is no matter, and another engine may say something else.
    fn anywhere(
        &self,
        product: &mut Product<'_>,
        lists: &[&Vec<Vec<TermId>>],
    ) -> Result<TermId, Stop> {
        let mut any = vec![];
        let mut is_of_use: HashMap<TermId, bool> = HashMap::new();
        for path in lists.iter().flat_map(|list| list.iter()) {
            let mut literals = vec![];
            for literal in path {
                let of_use = match is_of_use.get(literal) {
                    Some(known) => *known,
                    None => {
                        product.speaks_of(&self.entry, *literal)?
                            && !self.is_certain(product, *literal)?
                    }
                };
                is_of_use.insert(*literal, of_use);
                if of_use {
                    literals.push(*literal);
                }
            }
            any.push(product.space.and(&literals)?);
        }
        Ok(product.space.or(&any)?)
    }

    /// Whether a literal speaks of where objects lie and of nothing else, and holds wherever they do: a path of a callee that
    /// was given the address of a global asks of that what it asks of every pointer.
    fn is_certain(&self, product: &mut Product<'_>, literal: TermId) -> Result<bool, Stop> {
        let space = &product.space;
        let symbols = space.pool.free_names(&[literal]).symbols;
        let mut terms = symbols.iter().map(|symbol| space.pool.symbol_term(*symbol));
        if symbols.is_empty() || !terms.all(|term| space.is_entry_object(term)) {
            return Ok(false);
        }
        let not = product.space.not(literal)?;
        Ok(self.is_impossible(product, &mut solver::standard(), &[not], &[], FEASIBLE_TIME))
    }

    /// Whether the pairs that are apart are so exactly where literals over the entry state say.
    fn are_exact(&self, product: &mut Product<'_>) -> Result<bool, Stop> {
        for literal in self.apart.iter().flatten() {
            if !product.speaks_of(&self.entry, *literal)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What another solver can check: that no outcome differs where they are said to be equal, and that every run takes one of the paths.
    pub(super) fn obligations(
        &self,
        product: &mut Product<'_>,
        equal: TermId,
        budget: &Budget,
    ) -> Result<Vec<Obligation>, Stop> {
        let mut asked = vec![("no outcome differs".to_owned(), product.space.or(&self.differ)?)];
        for side in Side::BOTH {
            let mut paths = vec![];
            for exit in &self.exits[side.index()] {
                paths.push(product.space.and(&exit.path)?);
            }
            let any = product.space.or(&paths)?;
            let version = ["old", "new"][side.index()];
            let name = format!("every run of the {version} version takes one of the paths");
            asked.push((name, product.space.not(any)?));
        }
        let mut obligations = vec![];
        let mut solver = solver::standard();
        for (name, question) in asked {
            if product.space.pool.as_bool(question) == Some(false) {
                continue;
            }
            let time = OBLIGATION_TIME.min(budget.left());
            if self.is_impossible(product, &mut solver, &[equal], &[question], time) {
                let mut assertions = vec![equal, question];
                self.with_given(product, &mut assertions)?;
                obligations.extend(script(&product.space.pool, &name, &assertions));
            }
        }
        Ok(obligations)
    }
}
