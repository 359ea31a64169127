//! Holds the model of C files against their compiled code.
//!
//! ```text
//! agree FILE... [--inputs N] [--seed N] [--only NAME] [--no-sanitizers] [--link] [--show NAME N] [-- clang flags]
//! ```
//!
//! Each file is a program of its own; with `--link` all are one. Exits with 1 if anything disagrees.

use std::path::PathBuf;
use std::process::ExitCode;
use verdiff_front::{CallableOptions, Clang, Inputs, compile_callable};
use verdiff_witness::agree::{Build, real_externals};
use verdiff_witness::{
    Agreement, AgreementOptions, Builds, Deadline, Instrument, Report, Toolchain,
};

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let mut options = AgreementOptions::default();
    let (mut files, mut flags, mut linked, mut show) = (vec![], vec![], false, None);
    let mut args = std::env::args().skip(1);
    let number = |text: Option<String>| -> Result<u64, String> {
        text.and_then(|t| t.parse().ok()).ok_or_else(|| "a number is missing".to_owned())
    };
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--inputs" => options.inputs = number(args.next())? as u32,
            "--seed" => options.seed = number(args.next())?,
            "--only" => options.only.extend(args.next()),
            "--no-sanitizers" => options.samples = 0,
            "--link" => linked = true,
            "--show" => show = Some((args.next().unwrap_or_default(), number(args.next())?)),
            "--" => flags.extend(args.by_ref()),
            _ => files.push(PathBuf::from(arg)),
        }
    }
    let clang = Clang::find().map_err(|e| e.to_string())?;
    let toolchain = Toolchain::new(clang.path()).map_err(|e| e.to_string())?;
    let groups: Vec<Vec<PathBuf>> =
        if linked { vec![files] } else { files.into_iter().map(|f| vec![f]).collect() };
    let mut report = Report::default();
    for paths in groups {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let inputs =
            Inputs { paths: paths.clone(), clang_flags: flags.clone(), ..Inputs::default() };
        let make = |instrument: Instrument, deadline: Deadline| {
            let object = folder.path().join(format!("{instrument:?}.o"));
            let callable = CallableOptions {
                flags: instrument.flags().iter().map(|f| (*f).to_owned()).collect(),
                real_externals: real_externals(instrument),
                as_written: instrument.as_written(),
                deadline,
                tool: None,
            };
            let made = compile_callable(&inputs, &callable, &object).map_err(|e| e.to_string())?;
            Ok(Build {
                program: made.program.into(),
                frames: made.frames,
                external_frames: made.external_frames,
                real: made.real,
                object,
            })
        };
        if let Some((name, number)) = &show {
            let build = make(Instrument::Nothing, Deadline::NEVER)?;
            let id = build.program.procedure_named(name).ok_or("no such procedure")?;
            let generator = verdiff_witness::Generator::new(&build.program);
            let entry = generator.entry(id, &build.frames[id.index()], options.seed, *number);
            println!("{entry:#?}");
            let mut machine = verdiff_model::interp::Machine::new(&build.program);
            println!("{:#?}", machine.run(id, &entry, &options.limits));
            continue;
        }
        let builds = Builds { toolchain: &toolchain, make: &make };
        let mut watch = |row: &_| eprintln!("{row}");
        match Agreement::new(builds, options.clone()).run_watched(&mut watch) {
            Ok(found) => {
                let names: Vec<_> = paths.iter().map(|p| p.display().to_string()).collect();
                println!("== {}\n{found}\n", names.join(" "));
                report.absorb(found);
            }
            Err(e) => println!("== {paths:?}: {e}\n"),
        }
    }
    println!("{}", report.totals());
    println!(
        "{} functions, {} agree on {} inputs",
        report.procedures.iter().filter(|p| !p.unsupported).count(),
        report.agreeing(options.inputs),
        options.inputs
    );
    Ok(report.disagreements().next().is_none())
}
