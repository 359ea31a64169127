//! How much memory a process and all processes below it have at once, and how much processor time they took.

use std::collections::BTreeMap;
use std::fs;

/// The most that was seen. Pages that several processes share are counted once: verdiff's workers are copies of it.
pub struct PeakMemory {
    process: u32,
    kib: u64,
}

impl PeakMemory {
    /// Of a process that was just started.
    pub fn of(process: u32) -> PeakMemory {
        PeakMemory { process, kib: 0 }
    }

    /// Looks once. Processes that end meanwhile count as nothing.
    pub fn look(&mut self) {
        let children = children();
        let (mut waiting, mut sum) = (vec![self.process], 0);
        while let Some(process) = waiting.pop() {
            sum += proportional_kib(process).unwrap_or(0);
            waiting.extend(children.get(&process).into_iter().flatten());
        }
        self.kib = self.kib.max(sum);
    }

    /// The most, in MiB.
    pub fn mib(&self) -> f64 {
        self.kib as f64 / 1024.0
    }
}

/// The children of every process.
fn children() -> BTreeMap<u32, Vec<u32>> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Ok(process) = entry.file_name().to_string_lossy().parse() else { continue };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name is in brackets and may contain anything; state and parent follow.
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1));
        if let Some(parent) = parent.and_then(|parent| parent.parse().ok()) {
            children.entry(parent).or_default().push(process);
        }
    }
    children
}

fn proportional_kib(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The processor time, in seconds, of all processes that were started from here and waited for, and of those below them.
pub fn processor_seconds() -> f64 {
    // Linux counts in hundredths of a second for everybody who asks.
    const TICKS: f64 = 100.0;
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name, which may contain anything, the state is the first field; these are the 14th and 15th.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS
}
