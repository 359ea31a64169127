use verdiff_polyhedra::*;
fn main(){ let (x,y)=(Var(0),Var(1)); let mut p=Polyhedron::top(2);
p.meet_constraints(&[(x+0).greater_than(0),(y+1).greater_than(0)]);
println!("{p:?} {:?} {:?}", p.generators(), p.size());
}
