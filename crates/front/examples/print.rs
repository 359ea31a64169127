//! Prints a program.
fn main() {
    let paths = std::env::args().skip(1).map(Into::into).collect();
    let l = verdiff_front::load(&verdiff_front::Inputs { paths, ..Default::default() }).unwrap();
    print!("{}", verdiff_model::print::program(&l.program));
}
