//! What `verdiff show --json --measure` adds, for `cargo xtask bench` and `real-code`.

use serde::Serialize;
use std::time::Duration;
use verdiff_front::Loaded;
use verdiff_model::print::Summary;

/// A summary, with figures if they were asked for.
#[derive(Serialize)]
pub struct Measured {
    /// The schema `verdiff-model/1`.
    #[serde(flatten)]
    pub summary: Summary,
    /// The figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<Measure>,
}

/// What loading cost, and whether what came out is valid.
#[derive(Serialize)]
pub struct Measure {
    clang_ms: f64,
    read_ms: f64,
    lower_ms: f64,
    /// Of this process; clang's is its own. `null` where the system does not tell.
    peak_memory_mib: Option<f64>,
    blocks: usize,
    statements: usize,
    /// How the model breaks its own rules. Must be empty.
    problems: Vec<String>,
}

impl Measure {
    /// The figures of what was loaded.
    pub fn of(loaded: &Loaded) -> Measure {
        const SHOWN: usize = 20;
        let ms = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
        // Before validation, which needs memory too.
        let peak_memory_mib = peak_memory_mib();
        let program = &loaded.program;
        let blocks = || program.procedures.iter().flat_map(|p| &p.blocks);
        let problems = verdiff_model::validate(program).err().unwrap_or_default();
        Measure {
            clang_ms: ms(loaded.times.clang),
            read_ms: ms(loaded.times.read),
            lower_ms: ms(loaded.times.lower),
            peak_memory_mib,
            blocks: blocks().count(),
            statements: blocks().map(|b| b.stmts.len() + 1).sum(),
            problems: problems.iter().take(SHOWN).map(ToString::to_string).collect(),
        }
    }
}

/// The most memory this process ever had, as Linux keeps it.
fn peak_memory_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some((kib / 1024.0 * 10.0).round() / 10.0)
}
