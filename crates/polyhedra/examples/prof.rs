//! x
use verdiff_polyhedra::{*, trace::*};
fn main() {
    let name = std::env::args().nth(1).unwrap();
    let runs: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let t: Trace = std::fs::read_to_string(&name).unwrap().parse().unwrap();
    for _ in 0..runs { if std::env::args().nth(3).is_some() { t.replay::<Polyhedron>(); } else { t.replay::<Blocks>(); } }
}
