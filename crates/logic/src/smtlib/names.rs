//! Names of symbols and sorts in SMT-LIB text: different names stay different, and none collides
//! with a word of the language, of a theory, or of this crate's own making.

use crate::sort::Sort;
use crate::term::{FunctionId, SymbolId, TermPool};

/// Words that a solver may know already and then refuses to declare again. Theory symbols with a
/// dot in them are recognised by their prefix instead.
const RESERVED: &[&str] = &[
    "_",
    "!",
    "as",
    "let",
    "exists",
    "forall",
    "match",
    "par",
    "assert",
    "true",
    "false",
    "not",
    "and",
    "or",
    "xor",
    "implies",
    "iff",
    "if",
    "ite",
    "distinct",
    "select",
    "store",
    "const",
    "map",
    "concat",
    "extract",
    "repeat",
    "abs",
    "div",
    "mod",
    "rem",
    "divisible",
    "to_real",
    "to_int",
    "is_int",
    "int2bv",
    "bv2int",
    "bv2nat",
    "nat2bv",
    "int_to_bv",
    "ubv_to_int",
    "sbv_to_int",
    "fp",
    "to_fp",
    "to_fp_unsigned",
    "RNE",
    "RNA",
    "RTP",
    "RTN",
    "RTZ",
    "roundNearestTiesToEven",
    "roundNearestTiesToAway",
    "roundTowardPositive",
    "roundTowardNegative",
    "roundTowardZero",
    "NaN",
    "Bool",
    "Int",
    "Real",
    "Array",
    "BitVec",
    "FloatingPoint",
    "RoundingMode",
    "String",
    "RegLan",
    "Seq",
    "Set",
    "List",
    "Float16",
    "Float32",
    "Float64",
    "Float128",
    "default",
    "union",
    "intersection",
    "intersect",
    "setminus",
    "complement",
    "subset",
    "lambda",
    "insert",
    "nil",
    "head",
    "tail",
    "cons",
    "pi",
    "euler",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "sqrt",
    "exp",
    "exponential",
    "sine",
    "cosine",
    "tangent",
    "pow2",
    "iand",
    "emptyset",
    "singleton",
    "member",
    "card",
    "choose",
    "tuple",
    "project",
    "mkTuple",
    "rotate_left",
    "rotate_right",
    "zero_extend",
    "sign_extend",
    "ext_rotate_left",
    "ext_rotate_right",
    "bit2bool",
    "carry",
    "xor3",
    "BINARY",
    "DECIMAL",
    "HEXADECIMAL",
    "NUMERAL",
    "STRING",
    "is",
    "update",
    "sep",
    "pto",
    "wand",
    "witness",
    "eqrange",
    "power",
    "root-obj",
    "as-array",
    "array-ext",
    "set-has-size",
    "at-most",
    "at-least",
    "pble",
    "pbge",
    "pbeq",
    "linear-order",
    "partial-order",
    "tree-order",
    "Pair",
    "pair",
    "first",
    "second",
    "mk-pair",
    "unit",
    "comp",
    "sin",
    "push",
    "pop",
    "reset",
    "exit",
    "echo",
];

/// A symbol or function in the text of a script.
pub(super) fn quoted(name: &str, number: u32, kind: char) -> String {
    if is_safe(name) {
        return if is_simple(name) { name.to_string() } else { format!("|{name}|") };
    }
    let allowed = |c: char| (c.is_ascii_graphic() || c == ' ') && !matches!(c, '|' | '\\');
    let ascii: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    // Names that begin so are the solver's, quoted or not.
    let start = if name.starts_with(['.', '@']) { "_" } else { "" };
    format!("|{start}{ascii}!{kind}{number}|")
}

pub(super) fn symbol(pool: &TermPool, symbol: SymbolId) -> String {
    quoted(pool.symbol_name(symbol), symbol.0, 's')
}

pub(super) fn function(pool: &TermPool, function: FunctionId) -> String {
    quoted(&pool.signature(function).name, function.0, 'f')
}

/// A sort in the text of a script.
pub(super) fn sort(pool: &TermPool, sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".to_string(),
        Sort::BitVec(width) => format!("(_ BitVec {width})"),
        Sort::Float(format) => {
            format!("(_ FloatingPoint {} {})", format.exponent(), format.significand())
        }
        Sort::Uninterpreted(id) => quoted(pool.uninterpreted_name(id), id.0, 'u'),
        Sort::Array(array) => {
            let (index, element) = pool.array_parts(array);
            format!("(Array {} {})", self::sort(pool, index), self::sort(pool, element))
        }
    }
}

/// Whether a name can be written as it is. The marks `!s1`, `!f1`, `!u1` at the end of a name are
/// ours, so a name that has one gets another: that keeps different names different.
fn is_safe(name: &str) -> bool {
    let marked = name.rsplit_once('!').is_some_and(|(_, tail)| {
        let mut tail = tail.chars();
        matches!(tail.next(), Some('s' | 'f' | 'u')) && tail.all(|c| c.is_ascii_digit())
    });
    let theory =
        ["bv", "fp.", "str.", "re.", "seq.", "set.", "bag.", "int.", "rel.", "ff.", "table."]
            .iter()
            .any(|prefix| name.starts_with(prefix));
    let ours = name.starts_with(['?', '@', '.', ':']);
    let ascii =
        name.chars().all(|c| (c.is_ascii_graphic() || c == ' ') && !matches!(c, '|' | '\\'));
    ascii && !marked && !theory && !ours && !RESERVED.contains(&name)
}

fn is_simple(name: &str) -> bool {
    let starts_well = !name.starts_with(|c: char| c.is_ascii_digit());
    starts_well
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c))
        && name.chars().any(|c| c.is_ascii_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_begins_like_those_of_the_solver() {
        assert_eq!(quoted("x", 1, 's'), "x");
        assert_eq!(quoted("...registers", 1, 's'), "|_...registers!s1|");
        assert_eq!(quoted("@x", 2, 's'), "|_@x!s2|");
        assert_eq!(quoted("a|b", 3, 'f'), "|a_b!f3|");
    }
}
