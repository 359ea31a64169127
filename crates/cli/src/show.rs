//! `verdiff show`: the program model of some C code.

mod measure;
mod overview;

use crate::arguments::{Color, Show};
use crate::fault;
use crate::paint::Paint;
use anyhow::{Context, bail};
use measure::Measured;
use overview::Overview;
use std::io::{self, BufWriter, Write};
use verdiff_front::{Inputs, Loaded};
use verdiff_model::print::{Printer, Summary, dot};
use verdiff_model::{ProcId, Program};

/// Runs the command.
pub fn run(arguments: &Show, color: Color) -> anyhow::Result<u8> {
    let loaded = verdiff_front::load(&Inputs {
        paths: arguments.files.clone(),
        clang_flags: arguments.clang_flags.clone(),
        ..Inputs::default()
    })?;
    fault::pass_on(&loaded.diagnostics);
    for warning in &loaded.warnings {
        fault::warn(warning, color);
    }
    let program = &loaded.program;
    let chosen = choose(program, &arguments.function)?;
    let stdout = io::stdout().lock();
    let paint = Paint::for_stream(&stdout, color);
    let mut out = BufWriter::new(stdout);
    let written = if arguments.json {
        json(&mut out, &loaded, &chosen, arguments.measure)
    } else if arguments.dot {
        graphviz(&mut out, program, &chosen, !arguments.function.is_empty())
    } else {
        text(&mut out, program, &chosen, paint)
    };
    written.and_then(|()| out.flush()).context("cannot write the output")?;
    Ok(0)
}

/// The procedures that were asked for, all if none was named. A name that several `static`
/// functions share means all of them.
fn choose(program: &Program, names: &[String]) -> anyhow::Result<Vec<ProcId>> {
    if names.is_empty() {
        return Ok(program.procedure_ids().collect());
    }
    let mut chosen = Vec::new();
    for name in names {
        let before = chosen.len();
        chosen.extend(program.procedure_ids().filter(|id| {
            let procedure = program.procedure(*id);
            procedure.name == *name || procedure.symbol == *name
        }));
        if chosen.len() == before {
            bail!("{}", not_defined(program, name));
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

fn not_defined(program: &Program, name: &str) -> String {
    const SHOWN: usize = 8;
    if program.externals.iter().any(|e| e.name == name) {
        return format!("{name}: this function is called but not defined in these files");
    }
    let names: Vec<&str> = program.procedures.iter().map(|p| p.name.as_str()).collect();
    match names.len() {
        0 => format!("{name}: no such function; these files define none"),
        n if n <= SHOWN => {
            format!("{name}: no such function; these files define {}", names.join(", "))
        }
        n => format!(
            "{name}: no such function; these files define {} and {} more",
            names[..SHOWN].join(", "),
            n - SHOWN
        ),
    }
}

fn json(out: &mut impl Write, loaded: &Loaded, chosen: &[ProcId], measure: bool) -> io::Result<()> {
    let mut summary = Summary::of(&loaded.program);
    let mut position = 0;
    summary.procedures.retain(|_| {
        position += 1;
        chosen.binary_search(&ProcId::new(position - 1)).is_ok()
    });
    let measured = Measured { summary, measure: measure.then(|| measure::Measure::of(loaded)) };
    // An error of the stream must stay one, so that a closed pipe is known for what it is.
    serde_json::to_writer_pretty(&mut *out, &measured).map_err(io::Error::from)?;
    writeln!(out)
}

fn graphviz(
    out: &mut impl Write,
    program: &Program,
    chosen: &[ProcId],
    named: bool,
) -> io::Result<()> {
    if !named {
        return out.write_all(dot::call_graph(program).as_bytes());
    }
    for id in chosen {
        out.write_all(dot::control_flow(program, *id).as_bytes())?;
    }
    Ok(())
}

fn text(
    out: &mut impl Write,
    program: &Program,
    chosen: &[ProcId],
    paint: Paint,
) -> io::Result<()> {
    let printer = Printer::new(program);
    if chosen.len() == program.procedures.len() {
        write_code(out, &printer.program(), paint)?;
    } else {
        for (i, id) in chosen.iter().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            write_code(out, &printer.procedure(*id), paint)?;
        }
    }
    Overview::new(program, &printer, chosen).write(out, paint)
}

/// Writes code line by line, comments set off from it.
fn write_code(out: &mut impl Write, code: &str, paint: Paint) -> io::Result<()> {
    for line in code.lines() {
        match line.split_once("// ") {
            Some((before, comment)) if comment.starts_with("unsupported: ") => {
                writeln!(out, "{before}{0}// {comment}{0:#}", paint.alarm)?
            }
            Some((before, comment)) if !before.contains('"') => {
                writeln!(out, "{before}{0}// {comment}{0:#}", paint.aside)?
            }
            _ => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}
