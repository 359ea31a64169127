//! What points where: regions by unification, and the fields of what is in them.
//!
//! A *target* is where an address leads: a region, and a position in a *shape*. The shape says
//! what addresses lie at which offsets of the objects of the region. Joining two targets joins
//! their regions, and their shapes such that the two positions become one; so what their
//! fields lead to is joined as well. Copying from one object to another joins their shapes
//! but not their regions.
//!
//! Offsets are exact as long as they are constant. Where a position may be any of several, the
//! shape gets a *stride*, a power of two that divides all the distances, and offsets count modulo
//! it. (A power of two, since a multiple of 24 that wraps around at 2^64 is no multiple of 24.) At
//! stride 1 there is one field only. That one, and a field of other than eight bytes, may hold
//! parts of addresses. Put together again in another way they may lead elsewhere in the same
//! object, so what such a field leads to has stride 1 as well.

use std::collections::BTreeMap;

/// How wide an address is.
const POINTER: u64 = 8;

/// Where an address leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    region: u32,
    shape: u32,
    offset: i64,
}

/// Something that holds an address: a variable, a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Holder(u32);

/// The part of a shape between two of its offsets.
#[derive(Clone, Copy, Debug)]
struct Field {
    width: u64,
    to: Target,
}

/// The fields of a shape, by offset; they do not overlap.
#[derive(Clone, Debug, Default)]
struct FieldList {
    /// Zero if every offset counts for itself.
    stride: u64,
    fields: BTreeMap<i64, Field>,
}

/// Everything that points.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    regions: Forest,
    has_object: Vec<bool>,
    shapes: Forest,
    /// For each shape, where its origin lies in its parent.
    delta: Vec<i64>,
    bodies: Vec<FieldList>,
    holders: Vec<Option<Target>>,
    work: Vec<(Target, Target)>,
}

impl Target {
    /// So many bytes further on.
    pub(super) fn plus(self, bytes: i64) -> Target {
        Target { offset: self.offset.wrapping_add(bytes), ..self }
    }
}

impl Points {
    /// A target in a region of its own.
    fn fresh(&mut self) -> Target {
        self.has_object.push(false);
        self.delta.push(0);
        self.bodies.push(FieldList::default());
        Target { region: self.regions.add(), shape: self.shapes.add(), offset: 0 }
    }

    /// A new object in a region of its own.
    pub(super) fn object(&mut self) -> Target {
        let target = self.fresh();
        self.has_object[target.region as usize] = true;
        target
    }

    /// A new variable.
    pub(super) fn holder(&mut self) -> Holder {
        self.holders.push(None);
        Holder(u32::try_from(self.holders.len() - 1).expect("fewer than 2^32 variables"))
    }

    /// How many regions were made, those joined since included.
    pub(super) fn region_count(&self) -> usize {
        self.has_object.len()
    }

    /// The number of a target's region, below [`Points::region_count`].
    pub(super) fn region(&self, target: Target) -> usize {
        self.regions.find(target.region) as usize
    }

    /// Whether an object is known to lie in the target's region.
    pub(super) fn has_object(&self, target: Target) -> bool {
        self.has_object[self.region(target)]
    }

    /// Where a variable leads, if anything was ever said of it.
    pub(super) fn known(&self, holder: Holder) -> Option<Target> {
        self.holders[holder.0 as usize]
    }

    /// Where a variable leads.
    pub(super) fn held(&mut self, holder: Holder) -> Target {
        match self.known(holder) {
            Some(target) => target,
            None => {
                let target = self.fresh();
                self.holders[holder.0 as usize] = Some(target);
                target
            }
        }
    }

    /// An address that leads to `target` gets into a variable.
    pub(super) fn hold(&mut self, holder: Holder, target: Target) {
        match self.known(holder) {
            Some(other) => self.join(other, target),
            None => self.holders[holder.0 as usize] = Some(target),
        }
    }

    /// Where the address lying in the `width` bytes at `place` leads.
    pub(super) fn field(&mut self, place: Target, width: u64) -> Target {
        let (root, at) = self.position(place);
        let (at, width) = self.normal(root, at, width);
        if let Some(field) = self.bodies[root].fields.get(&at)
            && field.width == width
        {
            return field.to;
        }
        let to = self.fresh();
        self.put(root, at, Field { width, to });
        self.settle();
        to
    }

    /// Where the addresses that lie anywhere at `place` lead.
    pub(super) fn anything(&mut self, place: Target) -> Target {
        self.blur(place);
        self.field(place, 1)
    }

    /// Where the addresses in a target's objects lead.
    pub(super) fn contents(&self, place: Target) -> impl Iterator<Item = Target> + '_ {
        let (root, _) = self.position(place);
        self.bodies[root].fields.values().map(|field| field.to)
    }

    /// The position of an address in its object is not known.
    pub(super) fn blur(&mut self, place: Target) {
        self.step(place, 1);
    }

    /// The position of an address is known but for multiples of a distance.
    pub(super) fn step(&mut self, place: Target, distance: u64) {
        let (root, _) = self.position(place);
        self.narrow(root, distance);
        self.settle();
    }

    /// Two targets are one.
    pub(super) fn join(&mut self, a: Target, b: Target) {
        self.work.push((a, b));
        self.settle();
    }

    /// What is in one object is copied to another.
    pub(super) fn copy(&mut self, to: Target, from: Target) {
        self.join_shapes(to, from);
        self.settle();
    }

    /// Joins what is still to be joined. Every turn makes regions, shapes or fields fewer or a
    /// stride smaller, so it ends.
    fn settle(&mut self) {
        while let Some((a, b)) = self.work.pop() {
            let (top, bottom) = self.regions.join(a.region, b.region);
            self.has_object[top as usize] |= self.has_object[bottom as usize];
            self.join_shapes(a, b);
        }
    }

    fn join_shapes(&mut self, a: Target, b: Target) {
        let ((root_a, at_a), (root_b, at_b)) = (self.position(a), self.position(b));
        let distance = at_a.wrapping_sub(at_b);
        if root_a == root_b {
            if distance != 0 {
                self.narrow(root_a, distance.unsigned_abs());
            }
            return;
        }
        let (top, bottom) = self.shapes.join(root_a as u32, root_b as u32);
        let (top, bottom) = (top as usize, bottom as usize);
        // What was at b is at a now.
        let shift = if top == root_a { distance } else { distance.wrapping_neg() };
        self.delta[bottom] = shift;
        let body = std::mem::take(&mut self.bodies[bottom]);
        if body.stride != 0 {
            self.narrow(top, body.stride);
        }
        for (at, field) in body.fields {
            self.put(top, at.wrapping_add(shift), field);
        }
    }

    /// The shape that stands for a target's, and the position in it.
    fn position(&self, target: Target) -> (usize, i64) {
        let (mut at, mut offset) = (target.shape, target.offset);
        while let Some(parent) = self.shapes.parent(at) {
            offset = offset.wrapping_add(self.delta[at as usize]);
            at = parent;
        }
        (at as usize, offset)
    }

    /// Where a field goes, given the stride.
    fn normal(&self, root: usize, at: i64, width: u64) -> (i64, u64) {
        match self.bodies[root].stride {
            0 => (at, width.max(1)),
            1 => (0, 1),
            stride => (at & (stride as i64 - 1), width.max(1)),
        }
    }

    /// Makes the stride a divisor of `distance`.
    fn narrow(&mut self, root: usize, distance: u64) {
        let body = &mut self.bodies[root];
        let power = 1 << (body.stride | distance).trailing_zeros().min(62);
        if power == body.stride || (body.stride == 0 && distance == 0) {
            return;
        }
        body.stride = power;
        for (at, field) in std::mem::take(&mut body.fields) {
            self.put(root, at, field);
        }
    }

    /// Adds a field to a shape, making one of all that it overlaps.
    fn put(&mut self, root: usize, at: i64, field: Field) {
        let (mut at, mut width) = self.normal(root, at, field.width);
        let stride = self.bodies[root].stride;
        let crosses = stride > 1 && (at as u64).saturating_add(width) > stride;
        if crosses || at.checked_add_unsigned(width).is_none() {
            self.narrow(root, 1);
            (at, width) = (0, 1);
        }
        let one_field = self.bodies[root].stride == 1;
        let fields = &mut self.bodies[root].fields;
        let mut end = at.saturating_add_unsigned(width);
        let mut mixed = one_field || field.width != POINTER;
        // From the last one that starts before the end, backwards.
        while let Some((start, other)) = fields.range(..end).next_back().map(|(s, f)| (*s, *f)) {
            let other_end = start.saturating_add_unsigned(other.width);
            if other_end <= at {
                break;
            }
            mixed |= (start, other_end) != (at, end);
            self.work.push((field.to, other.to));
            fields.remove(&start);
            (at, end) = (at.min(start), end.max(other_end));
        }
        fields.insert(at, Field { width: at.abs_diff(end), to: field.to });
        // Parts of addresses: see above.
        if mixed && self.bodies[self.position(field.to).0].stride != 1 {
            self.work.push((field.to, field.to.plus(1)));
        }
    }
}

/// Sets that can be joined.
#[derive(Clone, Debug, Default)]
struct Forest {
    parent: Vec<u32>,
    rank: Vec<u8>,
}

impl Forest {
    fn add(&mut self) -> u32 {
        let id = u32::try_from(self.parent.len()).expect("fewer than 2^32 sets");
        self.parent.push(id);
        self.rank.push(0);
        id
    }

    fn parent(&self, at: u32) -> Option<u32> {
        let parent = self.parent[at as usize];
        (parent != at).then_some(parent)
    }

    /// The member that stands for all; joining by rank keeps the way to it short.
    fn find(&self, mut at: u32) -> u32 {
        while let Some(parent) = self.parent(at) {
            at = parent;
        }
        at
    }

    /// Joins two sets; gives the member that stands for both and the one that did for the other.
    fn join(&mut self, a: u32, b: u32) -> (u32, u32) {
        let (mut top, mut bottom) = (self.find(a), self.find(b));
        if top != bottom {
            if self.rank[top as usize] < self.rank[bottom as usize] {
                (top, bottom) = (bottom, top);
            }
            self.rank[top as usize] +=
                u8::from(self.rank[top as usize] == self.rank[bottom as usize]);
            self.parent[bottom as usize] = top;
        }
        (top, bottom)
    }
}
