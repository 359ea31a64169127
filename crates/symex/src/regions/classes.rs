//! Classes of things that point to the same place: union-find in which joining two classes
//! joins what they point to as well.

/// A class, by one of its members; [`Classes::find`] gives the member that stands for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Class(u32);

const NONE: u32 = u32::MAX;

impl Class {
    /// The position in tables over all members.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// All classes and what each points to.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes {
    parent: Vec<u32>,
    rank: Vec<u8>,
    target: Vec<u32>,
    object: Vec<bool>,
}

impl Classes {
    /// A class of its own.
    pub(super) fn fresh(&mut self) -> Class {
        let id = u32::try_from(self.parent.len()).expect("fewer than 2^32 things that point");
        self.parent.push(id);
        self.rank.push(0);
        self.target.push(NONE);
        self.object.push(false);
        Class(id)
    }

    /// A class of its own that holds an object.
    pub(super) fn object(&mut self) -> Class {
        let class = self.fresh();
        self.object[class.index()] = true;
        class
    }

    /// How many members all classes have together.
    pub(super) fn len(&self) -> usize {
        self.parent.len()
    }

    /// The member at a position.
    pub(super) fn member(&self, index: usize) -> Class {
        debug_assert!(index < self.parent.len());
        Class(index as u32)
    }

    /// Whether some object is in the class.
    pub(super) fn has_object(&self, class: Class) -> bool {
        self.object[self.find(class).index()]
    }

    /// The member that stands for the class.
    pub(super) fn find(&self, class: Class) -> Class {
        let mut at = class.0;
        while self.parent[at as usize] != at {
            at = self.parent[at as usize];
        }
        Class(at)
    }

    /// As [`Classes::find`], making later searches shorter.
    fn find_mut(&mut self, class: Class) -> u32 {
        let mut at = class.0;
        while self.parent[at as usize] != at {
            let above = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = above;
            at = above;
        }
        at
    }

    /// What the class points to, if it was ever asked for.
    pub(super) fn known_target(&self, class: Class) -> Option<Class> {
        let target = self.target[self.find(class).index()];
        (target != NONE).then(|| self.find(Class(target)))
    }

    /// What the class points to.
    pub(super) fn target(&mut self, class: Class) -> Class {
        let root = self.find_mut(class) as usize;
        if self.target[root] == NONE {
            self.target[root] = self.fresh().0;
        }
        let target = Class(self.target[root]);
        Class(self.find_mut(target))
    }

    /// Makes a class point to itself.
    pub(super) fn close(&mut self, class: Class) {
        let target = self.target(class);
        self.join(class, target);
    }

    /// Makes two classes one, and what they point to, and so on.
    pub(super) fn join(&mut self, a: Class, b: Class) {
        let mut work = vec![(a, b)];
        while let Some((a, b)) = work.pop() {
            let (mut a, mut b) = (self.find_mut(a) as usize, self.find_mut(b) as usize);
            if a == b {
                continue;
            }
            if self.rank[a] < self.rank[b] {
                (a, b) = (b, a);
            }
            self.parent[b] = a as u32;
            self.rank[a] += u8::from(self.rank[a] == self.rank[b]);
            self.object[a] |= self.object[b];
            match (self.target[a], self.target[b]) {
                (NONE, other) => self.target[a] = other,
                (_, NONE) => {}
                (x, y) => work.push((Class(x), Class(y))),
            }
        }
    }
}
