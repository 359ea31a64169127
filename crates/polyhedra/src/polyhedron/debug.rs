//! Polyhedra as text, for people.

use super::Polyhedron;
use std::fmt;

impl fmt::Display for Polyhedron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("{ empty }");
        }
        let constraints: Vec<String> =
            self.constraint_list().iter().map(ToString::to_string).collect();
        write!(f, "{{ {} }}", constraints.join(", "))
    }
}

impl fmt::Debug for Polyhedron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
