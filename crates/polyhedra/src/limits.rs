//! How much an operation may cost, and which limit stopped one that would have cost more.
//!
//! Double description can be exponential in the number of variables. The limits count rows and
//! steps, never time, so that the same analysis gives the same result on every machine.

use crate::row::Row;

/// Limits on one conversion between constraints and generators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConversionLimits {
    /// The largest number of constraints or generators, intermediate ones included.
    pub rows: usize,
    /// The largest number of bits of a coefficient.
    pub bits: u64,
    /// The largest number of steps; one step compares two rows of saturation bits or combines rows.
    pub steps: u64,
}

impl ConversionLimits {
    /// No limits: an operation takes what it takes.
    pub const NONE: ConversionLimits =
        ConversionLimits { rows: usize::MAX, bits: u64::MAX, steps: u64::MAX };
}

impl Default for ConversionLimits {
    /// Limits that keep an operation below roughly a tenth of a second.
    fn default() -> ConversionLimits {
        ConversionLimits { rows: 2_000, bits: 512, steps: 50_000_000 }
    }
}

/// Which limit an operation exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Exceeded {
    /// Too many constraints or generators.
    #[error("too many constraints or generators")]
    Rows,
    /// Too large coefficients.
    #[error("too large coefficients")]
    Bits,
    /// Too many steps.
    #[error("too many steps")]
    Steps,
}

/// Counts the steps of an operation against its limits.
#[derive(Debug)]
pub(crate) struct Meter {
    limits: ConversionLimits,
    steps: u64,
}

impl Meter {
    pub(crate) fn new(limits: ConversionLimits) -> Meter {
        Meter { limits, steps: 0 }
    }

    /// The steps counted so far.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Counts steps.
    pub(crate) fn charge(&mut self, steps: usize) -> Result<(), Exceeded> {
        self.steps = self.steps.saturating_add(steps as u64);
        if self.steps > self.limits.steps { Err(Exceeded::Steps) } else { Ok(()) }
    }

    /// Checks a number of rows.
    pub(crate) fn rows(&self, rows: usize) -> Result<(), Exceeded> {
        if rows > self.limits.rows { Err(Exceeded::Rows) } else { Ok(()) }
    }

    /// Checks the coefficients of a row; only those that have outgrown machine words cost time.
    pub(crate) fn row(&self, row: &Row) -> Result<(), Exceeded> {
        let bits = match row {
            Row::Small(_) if self.limits.bits >= 64 => return Ok(()),
            row => row.bits(),
        };
        if bits > self.limits.bits { Err(Exceeded::Bits) } else { Ok(()) }
    }
}
