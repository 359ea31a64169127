//! SMT-LIB 2.6: the text that solvers read and write, and that evidence is kept as.

mod names;
mod print;
mod script;
mod sexpr;
mod value_parser;

pub use print::DisplayTerm;
pub use script::{Script, Sharing};
pub use sexpr::{SexprKind, Sexprs, SyntaxError};
pub use value_parser::{ElementNames, ValueError, parse_value};

pub(crate) use script::logic_of;
