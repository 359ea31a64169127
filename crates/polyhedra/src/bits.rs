//! A matrix of bits: which generator does *not* saturate which constraint.
//!
//! The bit is set where the scalar product is positive (a set bit is a row and column that do not
//! touch). Then the constraints saturated by two rays together are the unset bits of the union, and
//! "saturates at least what both saturate" is "its set bits are a subset of the union".

/// Rows of bits of equal length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BitMatrix {
    columns: usize,
    rows: usize,
    /// Words a row; at least one, so that rows can be told apart.
    stride: usize,
    words: Vec<u64>,
}

impl BitMatrix {
    pub(crate) fn new(rows: usize, columns: usize) -> BitMatrix {
        let stride = columns.div_ceil(64).max(1);
        BitMatrix { columns, rows, stride, words: vec![0; rows * stride] }
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    pub(crate) fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.stride..(row + 1) * self.stride]
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    #[cfg(test)]
    pub(crate) fn get(&self, row: usize, column: usize) -> bool {
        self.row(row)[column / 64] >> (column % 64) & 1 == 1
    }

    pub(crate) fn set(&mut self, row: usize, column: usize) {
        self.words[row * self.stride + column / 64] |= 1 << (column % 64);
    }

    /// Appends an unset column.
    pub(crate) fn add_column(&mut self) {
        if self.columns == self.stride * 64 {
            let stride = self.stride + 1;
            let mut words = Vec::with_capacity(self.rows * stride);
            for row in self.words.chunks(self.stride) {
                words.extend_from_slice(row);
                words.push(0);
            }
            (self.stride, self.words) = (stride, words);
        }
        self.columns += 1;
    }

    /// Appends a row.
    pub(crate) fn push(&mut self, row: &[u64]) {
        debug_assert_eq!(row.len(), self.stride);
        self.words.extend_from_slice(row);
        self.rows += 1;
    }

    /// The matrix of these rows, in this order.
    pub(crate) fn select_rows(&self, rows: &[usize]) -> BitMatrix {
        let mut words = Vec::with_capacity(rows.len() * self.stride);
        for row in rows {
            words.extend_from_slice(self.row(*row));
        }
        BitMatrix { columns: self.columns, rows: rows.len(), stride: self.stride, words }
    }

    /// Rows become columns.
    pub(crate) fn transposed(&self) -> BitMatrix {
        let mut result = BitMatrix::new(self.columns, self.rows);
        for row in 0..self.rows {
            for (at, word) in self.row(row).iter().enumerate() {
                let mut rest = *word;
                while rest != 0 {
                    result.set(at * 64 + rest.trailing_zeros() as usize, row);
                    rest &= rest - 1;
                }
            }
        }
        result
    }
}

/// Whether every bit of `a` is set in `b`.
pub(crate) fn is_subset(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a & !b == 0)
}

/// How many bits are set.
pub(crate) fn count(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_added_beyond_a_word() {
        let mut matrix = BitMatrix::new(2, 0);
        for column in 0..130 {
            matrix.add_column();
            matrix.set(column % 2, column);
        }
        let turned = matrix.transposed();
        assert_eq!((turned.rows(), turned.columns()), (130, 2));
        for column in 0..130 {
            assert!(matrix.get(column % 2, column) && !matrix.get(1 - column % 2, column));
            assert!(turned.get(column, column % 2));
        }
        assert_eq!(count(matrix.row(0)), 65);
        assert_eq!(turned.transposed(), matrix);
    }
}
