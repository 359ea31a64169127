//! `--assume F:'EXPR'`: a precondition, compiled as C behind the text of the old version.
//!
//! The condition becomes a function with F's parameters, so that it means what C means and engines can run it
//! and execute it like any other.

use crate::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use verdiff_front::{FrontError, Inputs, Loaded};
use verdiff_model::{CType, Program};

/// What clang calls the place of a condition, before its number.
const MARK: &str = "--assume ";

/// The old version with the preconditions in it, and the name of the procedure for each.
pub fn load(
    assume: &[(String, String)],
    old: &Inputs,
    plain: &Program,
) -> Result<(Loaded, Vec<(String, String)>), Error> {
    let (path, flags) = match (&old.paths[..], &old.units[..]) {
        ([path], []) => (path.clone(), &old.clang_flags),
        ([], [unit]) => (unit.directory.clone().unwrap_or_default().join(&unit.file), &unit.flags),
        _ => return refuse(" needs an old version that is one C file"),
    };
    if path.extension().is_none_or(|e| e != "c") {
        let path = path.display();
        return refuse(format!(" needs an old version that is a C file, not {path}"));
    }
    let whole = std::path::absolute(&path)?;
    let mut text = format!("#include {}\n", quoted(&whole)?);
    let mut names = vec![];
    for (number, (function, condition)) in assume.iter().enumerate() {
        let name = format!("verdiff_assume_{number}_{function}");
        let parameters = parameters(plain, function)?;
        // The condition has lines of its own, so that clang's columns are those of the option.
        let _ = writeln!(text, "_Bool {name}({parameters}) {{ return (");
        let _ = writeln!(text, "#line 1 \"{MARK}{number}\"");
        let _ = writeln!(text, "{condition}\n); }}");
        names.push((function.clone(), name));
    }
    let folder = tempfile::Builder::new().prefix("verdiff-").tempdir()?;
    let file: PathBuf = folder.path().join("assume.c");
    // What the folder is called is no part of the program.
    let unnamed = format!("-fdebug-prefix-map={}=.", folder.path().display());
    let clang_flags = flags.iter().cloned().chain([unnamed]).collect();
    std::fs::write(&file, text)?;
    let inputs =
        Inputs { paths: vec![file], clang_flags, overflow: old.overflow, ..Inputs::default() };
    let loaded = verdiff_front::load(&inputs);
    if let Err(FrontError::DoesNotCompile { diagnostics, .. }) = &loaded
        && let Some(message) = refused(assume, diagnostics)
    {
        return refuse(message);
    }
    Ok((loaded?, names))
}

/// What is wrong with a condition, by clang's first message about one.
fn refused(assume: &[(String, String)], diagnostics: &str) -> Option<String> {
    diagnostics.lines().find_map(|line| {
        // `MARK` number `:` line `:` column `: error: ` message
        let mut parts = line.strip_prefix(MARK)?.splitn(4, ':');
        let (function, condition) = assume.get(parts.next()?.parse::<usize>().ok()?)?;
        let (row, column) = (parts.next()?.parse::<usize>().ok()?, parts.next()?.parse().ok()?);
        let message = parts.next()?.trim().strip_prefix("error: ")?;
        // Behind its last character clang sees the next line.
        let column = if row == 1 { column } else { condition.chars().count() + 1 };
        let caret = " ".repeat(column - 1) + "^";
        Some(format!(" {function}: column {column}: {message}\n  {condition}\n  {caret}"))
    })
}

/// What is wrong, behind the name of the option.
fn refuse<T>(why: impl Into<String>) -> Result<T, Error> {
    Err(Error::Assume(why.into()))
}

fn quoted(path: &Path) -> Result<String, Error> {
    let Some(text) = path.to_str() else {
        return refuse(": the path of the old version is not valid UTF-8");
    };
    if text.contains(['"', '\\', '\n']) {
        return refuse(format!(": the path of the old version cannot be written in C: {text}"));
    }
    Ok(format!("\"{text}\""))
}

/// The parameters of a function, as C declares them.
fn parameters(program: &Program, function: &str) -> Result<String, Error> {
    let Some(id) = program.procedure_named(function) else {
        return refuse(format!(": the old version has no function {function}"));
    };
    let procedure = program.procedure(id);
    let types = &program.ctypes;
    let declared = match procedure.ctype.map(|c| types.get(types.resolve(c))) {
        Some(CType::Function { parameters, .. }) => parameters.clone(),
        _ => {
            return refuse(format!(
                ": the parameters of {function} are not known (compile with -g)"
            ));
        }
    };
    if declared.len() != procedure.params.len() {
        return refuse(format!(
            ": {function} takes a struct by value, which is not supported here"
        ));
    }
    if declared.is_empty() {
        return Ok("void".to_owned());
    }
    let one = |(ctype, param): (&verdiff_model::CTypeId, &verdiff_model::VarId)| {
        types.declare(*ctype, &procedure.var(*param).name)
    };
    Ok(declared.iter().zip(&procedure.params).map(one).collect::<Vec<_>>().join(", "))
}
