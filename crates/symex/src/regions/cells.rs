//! Whether a region's array can hold words.

use super::Cell;
use super::points::Target;
use verdiff_model::Expr;

/// The widest word, in bytes.
const WIDEST: u64 = 16;

/// An access to memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) place: Target,
    shape: Shape,
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    /// One value.
    Word { width: u64, align: u32 },
    /// A constant number of bytes.
    Block { len: u64, align: u32 },
    /// Bytes.
    Bytes,
}

impl Access {
    /// A load or store.
    pub(super) fn word(place: Target, width: u64, align: u32) -> Access {
        Access { place, shape: Shape::Word { width, align } }
    }

    /// A copy or fill.
    pub(super) fn block(place: Target, len: &Expr, align: u32) -> Access {
        let len = len.as_const().and_then(|c| u64::try_from(c.bits).ok());
        let shape = len.map_or(Shape::Bytes, |len| Shape::Block { len, align });
        Access { place, shape }
    }

    /// An access of unknown shape.
    pub(super) fn bytes(place: Target) -> Access {
        Access { place, shape: Shape::Bytes }
    }
}

/// Collects what decides about a region's cells.
#[derive(Clone, Debug)]
pub(super) struct CellBuilder {
    width: Option<u64>,
    bytes: bool,
    /// What every alignment is a multiple of.
    align: u32,
    /// What every constant length is a multiple of.
    len: u64,
}

impl Default for CellBuilder {
    fn default() -> CellBuilder {
        CellBuilder { width: None, bytes: false, align: u32::MAX, len: 0 }
    }
}

impl CellBuilder {
    /// An object with this alignment lies in the region.
    pub(super) fn object(&mut self, align: u32) {
        self.align = self.align.min(align);
    }

    pub(super) fn access(&mut self, access: &Access) {
        match access.shape {
            Shape::Word { width, align } => {
                self.bytes |= self.width.is_some_and(|other| other != width);
                self.width = Some(width);
                self.align = self.align.min(align);
            }
            Shape::Block { len: 0, .. } => {}
            Shape::Block { len, align } => {
                self.align = self.align.min(align);
                self.len = greatest_common_divisor(self.len, len);
            }
            Shape::Bytes => self.bytes = true,
        }
    }

    pub(super) fn cell(&self) -> Cell {
        match self.width {
            Some(width)
                if !self.bytes
                    && (2..=WIDEST).contains(&width)
                    && width.is_power_of_two()
                    && u64::from(self.align) >= width
                    && self.len.is_multiple_of(width) =>
            {
                Cell::Words(width as u32)
            }
            _ => Cell::Bytes,
        }
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
