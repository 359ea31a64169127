//! The C program: types, a caller for each function, the table of what is said of each, and the part that is the same for all.

use std::fmt::Write;
use verdiff_symex::libc::{
    Ends, Extent, FunctionModel, Hidden, Knowledge, Returns, Scalar, StoredTarget, Touch, Which,
};

/// The program that probes these functions.
pub(super) fn program(knowledge: &Knowledge) -> String {
    let mut text = include_str!("types.h").to_owned();
    let functions: Vec<&FunctionModel> = knowledge.iter().collect();
    for (number, known) in functions.iter().enumerate() {
        caller(&mut text, number, known);
    }
    text.push_str("static struct function functions[] = {\n");
    for (number, known) in functions.iter().enumerate() {
        row(&mut text, number, known);
    }
    text.push_str("};\n");
    text.push_str(include_str!("probe.c"));
    text
}

/// How a machine type is written in C, and which member of a value has it.
fn c_type(scalar: Scalar) -> (&'static str, &'static str) {
    match scalar {
        Scalar::Int(8) => ("unsigned char", "integer"),
        Scalar::Int(16) => ("unsigned short", "integer"),
        Scalar::Int(32) => ("int", "integer"),
        Scalar::Int(_) => ("long", "integer"),
        Scalar::Ptr => ("void *", "pointer"),
        Scalar::Single => ("float", "single"),
        Scalar::Double => ("double", "real"),
        Scalar::LongDouble => ("long double", "extended"),
    }
}

/// A function that calls this one with values.
fn caller(text: &mut String, number: usize, known: &FunctionModel) {
    let prototype = &known.prototype;
    let takes_list = known.prototype.params.last().is_some_and(|p| p.name == "args");
    let mut types: Vec<String> =
        prototype.params.iter().map(|p| c_type(p.ty).0.to_owned()).collect();
    let mut values: Vec<String> = (0..prototype.params.len())
        .map(|n| format!("v[{n}].{}", c_type(prototype.params[n].ty).1))
        .collect();
    if takes_list {
        types.pop();
        types.push("va_list".to_owned());
        values.pop();
        values.push("list".to_owned());
    }
    if prototype.variadic {
        types.push("...".to_owned());
        let further: &[&str] = if known.name.contains("scanf") {
            &["areas[8]", "areas[8] + 64", "areas[8] + 128"]
        } else if known.format.is_some() {
            &["x.number", "x.string", "x.real", "x.letter"]
        } else {
            &["0600"]
        };
        values.extend(further.iter().map(|value| (*value).to_owned()));
    }
    let result = prototype.result.map_or("void", |scalar| c_type(scalar).0);
    let types = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
    let call = format!("(({result} (*)({types}))f)({})", values.join(", "));
    let call = match prototype.result {
        None => call,
        Some(scalar) => format!("r->{} = {call}", c_type(scalar).1),
    };
    let head = "void *f, union value *v, struct further x, unsigned char **areas, union value *r";
    if takes_list {
        let _ = writeln!(
            text,
            "static void list_{number}(void *f, union value *v, union value *r, ...) {{ va_list list; va_start(list, r); \
             {call}; va_end(list); }}\n\
             static void call_{number}({head}) {{ list_{number}(f, v, r, x.number, x.string, x.real, x.letter); }}"
        );
    } else {
        let _ = writeln!(text, "static void call_{number}({head}) {{ {call}; }}");
    }
}

/// What is said of a function, as a row of the table.
fn row(text: &mut String, number: usize, known: &FunctionModel) {
    let (kind, bytes) = match known.prototype.result {
        None => ("VOID", 0),
        Some(scalar) => kind_of(scalar),
    };
    let (returns, fresh, fresh_only) = match known.returns {
        Returns::Value => (-1, 0, 0),
        Returns::Param(n) => (n as i64, 0, 0),
        Returns::Fresh => (-1, 1, 1),
        Returns::FreshOr(_) => (-1, 1, 0),
        Returns::Outside => (-2, 0, 0),
    };
    let hidden = match known.hidden {
        Hidden::Untouched => "UNTOUCHED",
        Hidden::Reads => "READS",
        Hidden::Writes => "WRITES",
    };
    // Not in the shared library itself.
    let address = if known.name == "atexit" { "(void *)atexit" } else { "0" };
    let _ = write!(
        text,
        "{{\"{}\", call_{number}, {address}, {}, {kind}, {bytes}, {returns}, {fresh}, {fresh_only}, {}, {}, {}, {}, {}, {}, \
         {hidden}, {{",
        known.name,
        known.prototype.params.len(),
        i32::from(known.never_null),
        known.frees.map_or(-1, |n| n as i64),
        i32::from(known.world),
        i32::from(known.errno),
        i32::from(known.ends == Ends::Always),
        i32::from(known.ends == Ends::Never),
    );
    for (n, param) in known.prototype.params.iter().enumerate() {
        let (kind, bytes) = kind_of(param.ty);
        let keeps = known.keeps.contains(&Which::Param(n));
        let stores =
            known.stores.iter().find(|(into, _)| *into == n).map_or(0, |(_, from)| match from {
                StoredTarget::Fresh => 1,
                StoredTarget::Param(from) => 2 + from,
            });
        let _ = write!(
            text,
            "{{\"{}\", {kind}, {}, {}, {stores}, {}, {}}}, ",
            param.name,
            bytes * 8,
            i32::from(keeps),
            extent(&known.reads, n),
            extent(&known.writes, n),
        );
    }
    text.push_str("}},\n");
}

fn kind_of(scalar: Scalar) -> (&'static str, u16) {
    match scalar {
        Scalar::Int(width) => ("INTEGER", width / 8),
        Scalar::Ptr => ("POINTER", 8),
        Scalar::Single => ("SINGLE", 4),
        Scalar::Double => ("DOUBLE", 8),
        // Ten bytes have a meaning.
        Scalar::LongDouble => ("LONG_DOUBLE", 10),
    }
}

fn extent(touches: &[Touch], param: usize) -> String {
    let touch = touches.iter().find(|touch| touch.which == Which::Param(param));
    match touch.map(|touch| touch.extent) {
        None => "{NOTHING}".to_owned(),
        Some(Extent::Bytes(count)) => format!("{{BYTES, {count}}}"),
        Some(Extent::Param(n)) => format!("{{PARAM, {n}}}"),
        Some(Extent::Product(a, b)) => format!("{{PRODUCT, {a}, {b}}}"),
        Some(Extent::String) => "{STRING}".to_owned(),
        Some(Extent::StringAtMost(n)) => format!("{{STRING_AT_MOST, {n}}}"),
        Some(Extent::Any) => "{ANYTHING}".to_owned(),
    }
}
