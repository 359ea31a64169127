//! What is tried in a fixed order: all inputs if there are few, then the values that are worth most.

use super::input_locations::{InputLocation, Number};
use super::search::DifferenceSearch;

/// All inputs are tried if there are no more than this.
const ALL: u64 = 1 << 12;

impl DifferenceSearch<'_> {
    /// Tries everything, if that is little.
    pub(super) fn exhaust(&mut self) {
        let Some(item) = self.queue.first() else { return };
        let (base, places) = (item.entry.clone(), item.places.clone());
        let bits: u64 = places.numbers.iter().map(|number| u64::from(number.width())).sum();
        let scalar = places.pointers.is_empty()
            && base.objects.is_empty()
            && base.globals.is_empty()
            && !self.has_unknown_calls
            && self.allocations == 0;
        if !scalar || bits > ALL.trailing_zeros().into() {
            return;
        }
        let mut entry = base;
        for all in 0..1u128 << bits {
            let mut rest = all;
            for number in &places.numbers {
                number.set(&mut entry, rest);
                rest >>= number.width();
            }
            self.attempt(&entry);
            if self.is_over() {
                return;
            }
        }
        self.exhausted =
            !self.has_unknown_calls && self.allocations == 0 && self.cut_off.is_empty();
    }

    /// Tries the values that are worth most: for all arguments at once, for each number alone, for
    /// pairs of arguments.
    pub(super) fn sweep(&mut self, index: usize) {
        let Some(item) = self.queue.get(index) else { return };
        let (base, places) = (item.entry.clone(), item.places.clone());
        let is_argument = |n: &&Number| matches!(n.place, InputLocation::Arg(_));
        let arguments: Vec<Number> = places.numbers.iter().filter(is_argument).copied().collect();
        let mut entry = base.clone();
        if arguments.len() > 1 {
            let values = self.list(arguments[0], 64);
            for value in values {
                for number in &arguments {
                    let same_sort = number.ty.is_float() == arguments[0].ty.is_float();
                    number.set(&mut entry, if same_sort { value } else { 0 });
                }
                self.attempt(&entry);
            }
            entry.clone_from(&base);
        }
        self.let_end(&base, &places);
        for (at, number) in places.numbers.iter().enumerate().filter(|(_, n)| !n.late) {
            let most = if arguments.len() == 1 && at == 0 { 400 } else { 40 };
            for value in self.list(*number, most) {
                number.set(&mut entry, value);
                self.attempt(&entry);
                if self.is_over() {
                    return;
                }
            }
            number.set(&mut entry, number.get(&base));
            if !matches!(number.place, InputLocation::Arg(_)) {
                entry.clone_from(&base);
            }
        }
        for (at, a) in arguments.iter().enumerate().take(3) {
            for b in arguments.iter().skip(at + 1).take(3) {
                let (first, second) = (self.list(*a, 16), self.list(*b, 16));
                for x in &first {
                    for y in &second {
                        a.set(&mut entry, *x);
                        b.set(&mut entry, *y);
                        self.attempt(&entry);
                        if self.is_over() {
                            return;
                        }
                    }
                }
                entry.clone_from(&base);
            }
        }
    }

    fn list(&mut self, number: Number, most: usize) -> Vec<u128> {
        if number.truth {
            return vec![0, 1];
        }
        let list = self.values.of(self.text, number.ty);
        list[..list.len().min(most)].to_vec()
    }
}
