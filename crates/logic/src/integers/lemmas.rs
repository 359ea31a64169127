//! Scripts over the integers: of what is shown on the way, and of what is left in the end.

use super::sum::{Range, Sum, Unknown, name, number};
use super::translation::{Said, Translation};
use crate::effort::{self, Effort};
use crate::solver::{Limits, refutes_text};
use std::collections::BTreeSet;
use std::fmt::Write;

/// How many lemmas are tried, and what one is worth: without products, and with.
const MOST_ASKED: usize = 80;
const LINEAR: Effort = Effort::millis(20);
const OTHER: Effort = Effort::millis(40);

impl Translation<'_> {
    /// Whether the value of a sum is shown to be in a range.
    pub(super) fn is_shown_within(&mut self, sum: &Sum, range: &Range) -> bool {
        let claim = self.within(sum, range);
        self.is_shown(&claim, sum.degree() <= 1)
    }

    /// Whether a claim is shown to follow from what is given here; it is recorded then.
    pub(super) fn is_shown(&mut self, claim: &str, linear: bool) -> bool {
        if self.conditions.is_empty() || self.asked >= MOST_ASKED || effort::has_passed(self.until)
        {
            return false;
        }
        self.asked += 1;
        let script = self.script(Some(claim), linear);
        let most = if linear { LINEAR } else { OTHER };
        let left = self.until.saturating_sub(effort::spent());
        let shown = refutes_text(&script, &Limits::effort(most.min(left)));
        if shown && !self.lemmas.contains(&script) {
            self.lemmas.push(script);
        }
        shown
    }

    /// The script that says all that is given here, and that a claim does not hold. If it is linear, what has products or
    /// does not belong to it is left out.
    pub(super) fn script(&self, claim: Option<&str>, linear: bool) -> String {
        let all: Vec<&Said> = self.conditions.iter().chain(&self.said).collect();
        let mut needed: BTreeSet<Unknown> = claim.map(unknowns).unwrap_or_default();
        let mut kept: Vec<bool> = all.iter().map(|_| claim.is_none()).collect();
        let mut changed = claim.is_some();
        while changed {
            changed = false;
            for (said, kept) in all.iter().zip(&mut kept) {
                if *kept || linear && !said.linear {
                    continue;
                }
                let own = unknowns(&said.text);
                if own.is_empty() || own.iter().any(|unknown| needed.contains(unknown)) {
                    (*kept, changed) = (true, true);
                    needed.extend(own);
                }
            }
        }
        let chosen = all.iter().zip(&kept).filter(|(_, kept)| **kept);
        let chosen: Vec<&str> = chosen.map(|(said, _)| said.text.as_str()).collect();
        for text in &chosen {
            needed.extend(unknowns(text));
        }
        let mut script = String::from("(set-logic ALL)\n");
        for declaration in &self.declarations {
            let _ = writeln!(script, "{declaration}");
        }
        for unknown in &needed {
            let _ = writeln!(script, "(declare-fun {} () Int)", name(*unknown));
        }
        for unknown in &needed {
            let Range { low, high } = &self.ranges[*unknown as usize];
            let (low, high) = (number(low), number(high));
            let _ = writeln!(script, "(assert (<= {low} {} {high}))", name(*unknown));
        }
        for text in chosen {
            let _ = writeln!(script, "(assert {text})");
        }
        if let Some(claim) = claim {
            let _ = writeln!(script, "(assert (not {claim}))");
        }
        script.push_str("(check-sat)\n");
        script
    }
}

/// The unknowns that a text speaks of.
fn unknowns(text: &str) -> BTreeSet<Unknown> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter_map(|word| word.strip_prefix('v')?.parse().ok()).collect()
}
