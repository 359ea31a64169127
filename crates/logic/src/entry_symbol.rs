//! The symbols that conditions over an entry state speak of, by what they stand for.
//!
//! Conditions leave the execution that they were found in: as judgements they travel between processes, are used in
//! formulas of callers, and are said in C. A symbol has nothing but its name there, so names must mean the same
//! everywhere. This is the one place that makes such names and tells what they stand for; nobody else reads a name.
//!
//! | stands for | name |
//! |---|---|
//! | the value of a parameter | as it is called in the program ([`EntrySymbol::is_parameter_name`]) |
//! | the memory of a region | `memory.` and the name of the region |
//! | the address of an object | `&` and the name of the object |

/// What a symbol of an entry state stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntrySymbol<'n> {
    /// The value of the parameter of this name.
    Parameter(&'n str),
    /// The memory of the region of this name, as an array.
    Memory(&'n str),
    /// The address of the object of this name.
    Address(&'n str),
}

const MEMORY: &str = "memory.";
const ADDRESS: char = '&';
const NUMBERED: &str = "parameter.";

/// How other symbols of a formula begin: those that stand for parts of an execution, not of its entry state.
const OTHERS: [&str; 8] =
    ["at.", "initialised.", "unwritten.", "call.", "present.", "more.", "fails.", NUMBERED];

impl<'n> EntrySymbol<'n> {
    /// What a symbol of this name stands for.
    pub fn of(name: &'n str) -> EntrySymbol<'n> {
        if let Some(object) = name.strip_prefix(ADDRESS) {
            return EntrySymbol::Address(object);
        }
        match name.strip_prefix(MEMORY) {
            Some(region) => EntrySymbol::Memory(region),
            None => EntrySymbol::Parameter(name),
        }
    }

    /// Its name.
    pub fn name(&self) -> String {
        match self {
            EntrySymbol::Parameter(name) => (*name).to_owned(),
            EntrySymbol::Memory(region) => format!("{MEMORY}{region}"),
            EntrySymbol::Address(object) => format!("{ADDRESS}{object}"),
        }
    }

    /// The name of a parameter that has none that could be used: by its position. `name` is what is known of it.
    pub fn numbered(name: &str, index: usize) -> String {
        let name = if Self::is_parameter_name(name) { format!("{name}.") } else { String::new() };
        format!("{name}{NUMBERED}{index}")
    }

    /// Whether a name was made from a position.
    pub fn is_numbered(name: &str) -> bool {
        name.starts_with(NUMBERED) || name.contains(&format!(".{NUMBERED}"))
    }

    /// Whether a parameter can be called so in formulas without being taken for something else. Every identifier of C can,
    /// and so can a part of a struct (`s.x`). LLVM's intermediate representation has any characters in names.
    pub fn is_parameter_name(name: &str) -> bool {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
        let others = OTHERS.iter().any(|other| name.starts_with(other));
        let digit = name.starts_with(|c: char| c.is_ascii_digit());
        let own = EntrySymbol::of(name) == EntrySymbol::Parameter(name);
        !name.is_empty() && own && !others && !digit && name.chars().all(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_roles_belong_together() {
        for role in [
            EntrySymbol::Parameter("x"),
            EntrySymbol::Memory("int"),
            EntrySymbol::Address("g'"),
            EntrySymbol::Address("memory.x"),
        ] {
            assert_eq!(EntrySymbol::of(&role.name()), role);
        }
    }

    #[test]
    fn a_parameter_is_not_called_as_something_else_is() {
        for good in
            ["x", "_x1", "memory", "at", "call", "s.coerce1", "v.0", "p.addr", "größe", "a$b"]
        {
            assert!(EntrySymbol::is_parameter_name(good), "{good}");
            let numbered = EntrySymbol::numbered(good, 3);
            assert!(EntrySymbol::is_numbered(&numbered) && !EntrySymbol::is_numbered(good));
        }
        for bad in [
            "",
            "&g",
            "memory.int",
            "at.int",
            "unwritten.0.4",
            "call.f.3.x",
            "the world",
            "unspecified!1",
            "0",
            "x y",
            "1x",
        ] {
            assert!(!EntrySymbol::is_parameter_name(bad), "{bad}");
            assert_eq!(EntrySymbol::numbered(bad, 3), "parameter.3");
        }
    }
}
