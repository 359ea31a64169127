//! Loads files and says how long it took and what is unsupported.
fn main() {
    let paths = std::env::args().skip(1).map(Into::into).collect();
    match verdiff_front::load(&verdiff_front::Inputs { paths, ..Default::default() }) {
        Err(e) => println!("error: {e}"),
        Ok(l) => {
            let n = l.program.procedures.len();
            let bad: Vec<_> = l.program.procedures.iter().filter(|p| !p.is_supported()).collect();
            for p in &bad {
                println!("{}: {:?}", p.name, p.unsupported);
            }
            println!("{n} procedures, {} unsupported, {:?}", bad.len(), l.times);
            if let Err(problems) = verdiff_model::validate::validate(&l.program) {
                for p in problems.iter().take(20) {
                    println!("PROBLEM {p}");
                }
                println!("{} problems", problems.len());
            }
        }
    }
}
