//! A differing entry state made simpler, as far as the difference stays.

use super::input_locations::{InputLocation, Number, Places};
use super::search::DifferenceSearch;
use verdiff_judge::Kind;
use verdiff_model::state::{EntryState, Outside};
use verdiff_model::types::mask;
use verdiff_model::{Type, UnaryOp, ops};

/// No more runs than this for one state, nor more steps.
const RUNS: u64 = 600;
const STEPS: u64 = 500_000;

impl DifferenceSearch<'_> {
    /// The simplest state found that differs in the same way.
    pub(super) fn simplest(&mut self, kind: Kind, mut entry: EntryState) -> EntryState {
        self.end = (self.runner.runs + RUNS, self.runner.cost + STEPS);
        loop {
            let before = entry.clone();
            self.drop_globals(kind, &mut entry);
            self.simpler(kind, &mut entry, |e| e.outside = Outside::default());
            self.simpler(kind, &mut entry, |e| {
                e.outside = Outside { beyond: e.outside.beyond, ..Outside::default() };
            });
            self.simpler(kind, &mut entry, |e| e.outside.answers.clear());
            self.less_interference(kind, &mut entry);
            let ran = self.runner.run(&entry);
            let outcomes: Vec<_> = ran.iter().flat_map(|ran| &ran.outcomes).collect();
            let places =
                Places::of(self.programs[0], self.parameters(), &entry, &outcomes, &self.targets);
            for number in &places.numbers {
                self.simplify(kind, &mut entry, number);
            }
            self.clear_objects(kind, &mut entry);
            if entry == before || self.is_enough() {
                return entry;
            }
        }
    }

    fn is_enough(&self) -> bool {
        self.runner.runs >= self.end.0 || self.runner.cost >= self.end.1
    }

    /// Makes a change if the difference stays.
    pub(super) fn simpler(
        &mut self,
        kind: Kind,
        entry: &mut EntryState,
        change: impl FnOnce(&mut EntryState),
    ) -> bool {
        let mut other = entry.clone();
        change(&mut other);
        if other == *entry || self.is_enough() {
            return false;
        }
        let stays = self.runner.run(&other).is_some_and(|ran| ran.differs == Some(kind));
        if stays {
            *entry = other;
        }
        stays
    }

    fn drop_globals(&mut self, kind: Kind, entry: &mut EntryState) {
        for global in self.text.globals.iter().filter(|global| !global.forced) {
            self.simpler(kind, entry, |e| e.globals.retain(|(id, _)| *id != global.old));
        }
    }

    /// A number towards 0: small, few bits, whole.
    fn simplify(&mut self, kind: Kind, entry: &mut EntryState, number: &Number) {
        if let InputLocation::Answer { call, .. } = number.place
            && !entry.outside.answers.iter().any(|answer| answer.call == call)
        {
            return;
        }
        let mut try_it = |entry: &mut EntryState, bits: u128| {
            weight(number.ty, bits) < weight(number.ty, number.get(entry))
                && self.simpler(kind, entry, |e| number.set(e, bits))
        };
        if let Type::Float(_) = number.ty {
            let value = number.get(entry);
            let whole = ops::unary_bits(UnaryOp::FTrunc, number.ty, number.ty, value);
            let from = |n: i64| {
                ops::unary_bits(UnaryOp::SignedToF, number.ty, Type::WORD, n as u64 as u128)
            };
            for bits in [0, 1, -1, 2, -2, 3, 10, 100].map(from).into_iter().chain([whole]) {
                if try_it(entry, bits) {
                    return;
                }
            }
            return;
        }
        let all = mask(number.width());
        for bits in 0..=4u128 {
            if try_it(entry, bits) || try_it(entry, bits.wrapping_neg() & all) {
                return;
            }
        }
        // Halves while that works, then steps.
        while try_it(entry, halved(number.get(entry), number.ty)) {}
        for bit in (0..number.width()).rev() {
            let bits = number.get(entry);
            try_it(entry, bits & !(1 << bit));
        }
        for _ in 0..16 {
            let bits = number.get(entry);
            if !try_it(entry, bits.wrapping_sub(1) & all)
                && !try_it(entry, bits.wrapping_add(1) & all)
            {
                return;
            }
        }
    }

    fn clear_objects(&mut self, kind: Kind, entry: &mut EntryState) {
        for at in 0..entry.objects.len() {
            let size = entry.objects[at].contents.bytes.len();
            let mut step = size;
            while step > 0 && size > 0 {
                for from in (0..size).step_by(step) {
                    let to = (from + step).min(size);
                    self.simpler(kind, entry, |e| e.objects[at].contents.bytes[from..to].fill(0));
                }
                if size > 64 && step <= size / 16 {
                    break;
                }
                step /= 2;
            }
        }
    }
}

/// How simple a number is: less is simpler. Small magnitudes first, then few bits; a positive one before a negative one.
fn weight(ty: Type, bits: u128) -> (u128, u32, bool) {
    if let Type::Float(_) = ty {
        let magnitude = bits & (ty.mask() >> 1);
        let word = ops::unary_bits(UnaryOp::FToSigned, Type::WORD, ty, bits);
        let back = ops::unary_bits(UnaryOp::SignedToF, ty, Type::WORD, word);
        let whole = back == bits;
        return (
            u128::from(!whole) << 1 | u128::from(magnitude > 0),
            bits.count_ones(),
            bits != magnitude,
        );
    }
    let value = verdiff_model::types::signed(bits, ty.width());
    (value.unsigned_abs(), bits.count_ones(), value < 0)
}

fn halved(bits: u128, ty: Type) -> u128 {
    (verdiff_model::types::signed(bits, ty.width()) / 2) as u128 & ty.mask()
}

/// How simple an entry state is, to put the simplest first.
pub(super) fn size(entry: &EntryState) -> (usize, usize, u32) {
    let set = |bytes: &[u8]| bytes.iter().map(|byte| byte.count_ones()).sum::<u32>();
    let args: u32 = entry
        .args
        .iter()
        .map(|value| match value {
            verdiff_model::state::Value::Bits(bits) => bits.count_ones(),
            verdiff_model::state::Value::Pointer(_) => 1,
        })
        .sum();
    let objects: u32 = entry.objects.iter().map(|object| set(&object.contents.bytes)).sum();
    let outside = entry.outside.answers.len() + entry.outside.failures.len();
    let outside = outside + usize::from(entry.outside.beyond.is_some());
    (outside + entry.globals.len(), entry.objects.len(), args + objects)
}
