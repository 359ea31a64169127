//! Sets of values: what comparisons with constants leave of a word.

/// Values of a word of at most 64 bits, as closed intervals in order, none of which touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Values {
    width: u32,
    intervals: Vec<(u128, u128)>,
}

impl Values {
    /// One value.
    pub(super) fn only(width: u32, value: u128) -> Values {
        Values { width, intervals: vec![(value, value)] }
    }

    /// What is below, as unsigned numbers.
    pub(super) fn below(width: u32, limit: u128) -> Values {
        Values {
            width,
            intervals: limit.checked_sub(1).map(|last| (0, last)).into_iter().collect(),
        }
    }

    /// What is below, as signed numbers.
    pub(super) fn below_signed(width: u32, limit: u128) -> Values {
        let least = 1u128 << (width - 1);
        // Signed numbers are unsigned ones, moved by half the range.
        Values::below(width, limit ^ least).moved(least)
    }

    /// Each value plus `by`.
    pub(super) fn moved(&self, by: u128) -> Values {
        let most = greatest(self.width);
        let mut intervals = Vec::new();
        for (first, last) in &self.intervals {
            let (first, last) = (first.wrapping_add(by) & most, last.wrapping_add(by) & most);
            if first <= last {
                intervals.push((first, last));
            } else {
                intervals.extend([(first, most), (0, last)]);
            }
        }
        Values { width: self.width, intervals }.tidy()
    }

    /// All other values.
    pub(super) fn others(&self) -> Values {
        let mut intervals = Vec::new();
        let mut next = 0;
        for (first, last) in &self.intervals {
            if *first > next {
                intervals.push((next, first - 1));
            }
            next = last + 1;
        }
        if next <= greatest(self.width) {
            intervals.push((next, greatest(self.width)));
        }
        Values { width: self.width, intervals }
    }

    /// The values that are in both.
    pub(super) fn both(&self, other: &Values) -> Values {
        let mut intervals = Vec::new();
        for (first, last) in &self.intervals {
            for (from, to) in &other.intervals {
                let (from, to) = (*first.max(from), *last.min(to));
                if from <= to {
                    intervals.push((from, to));
                }
            }
        }
        Values { width: self.width, intervals }.tidy()
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    /// The value, if there is only one.
    pub(super) fn single(&self) -> Option<u128> {
        match self.intervals[..] {
            [(first, last)] if first == last => Some(first),
            _ => None,
        }
    }

    fn tidy(mut self) -> Values {
        self.intervals.sort_unstable();
        let mut merged: Vec<(u128, u128)> = Vec::new();
        for (first, last) in self.intervals {
            match merged.last_mut() {
                Some(before) if first <= before.1 + 1 => before.1 = before.1.max(last),
                _ => merged.push((first, last)),
            }
        }
        Values { width: self.width, intervals: merged }
    }
}

fn greatest(width: u32) -> u128 {
    (1 << width) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every set that comparisons can give at four bits is what it should be, value by value.
    #[test]
    fn sets_are_what_comparisons_say() {
        let holds = |values: &Values, x: u128| !values.both(&Values::only(4, x)).is_empty();
        let signed = |x: u128| if x >= 8 { x as i128 - 16 } else { x as i128 };
        for (limit, by) in (0..16).flat_map(|limit| (0..16).map(move |by| (limit, by))) {
            let sets = [
                (Values::only(4, limit), true),
                (Values::below(4, limit), false),
                (Values::below_signed(4, limit), false),
            ];
            for (number, (set, one)) in sets.iter().enumerate() {
                assert_eq!(
                    set.single().is_some(),
                    *one || (0..16).filter(|x| holds(set, *x)).count() == 1
                );
                for x in 0..16 {
                    let is = match number {
                        0 => x == limit,
                        1 => x < limit,
                        _ => signed(x) < signed(limit),
                    };
                    assert_eq!(holds(set, x), is, "{set:?} {x}");
                    assert_eq!(holds(&set.others(), x), !is);
                    assert_eq!(holds(&set.moved(by), (x + by) % 16), is);
                }
                let sieve = set.moved(by).both(&set.others());
                let expected = |x: u128| holds(&set.moved(by), x) && !holds(set, x);
                assert!((0..16).all(|x| holds(&sieve, x) == expected(x)));
                assert_eq!(sieve.is_empty(), !(0..16).any(expected));
            }
        }
        assert!(Values::below(4, 16).others().is_empty());
    }
}
