//! The columns of an operator of three rows, put together of rows whose columns are others.
#![forbid(unsafe_code)]

use crate::kinematics::Column;
use crate::math::Vector;
use crate::memory::{self, resize};

use super::rows::Part;

/// All columns, most of them zero, and a bit for each that may not be. Between two operators there is nothing.
#[derive(Debug, Default)]
pub struct Gathered {
    values: Vec<Vector>,
    words: Vec<u64>,
}

impl Gathered {
    /// Have room for so many columns.
    pub fn reserve(&mut self, columns: usize) -> memory::Result {
        let Self { values, words } = self;
        let columns = columns.max(values.len());
        resize(values, columns, [0.0; 3])?;
        resize(words, columns.div_ceil(u64::BITS as usize), 0)
    }

    /// Let some lanes of columns be these rows; others stay as they are.
    #[inline(always)]
    pub fn put<'a>(&mut self, lanes: impl Iterator<Item = (usize, Part<'a>)>, columns: &mut Vec<Column>) {
        let (mut given, mut reach) = ([false; 3], [usize::MAX, 0]);
        let Self { values, words } = self;
        let mut add = |index: usize, lane: usize, value: f64| {
            values[index][lane] = value;
            let word = index / u64::BITS as usize;
            words[word] |= 1 << (index % u64::BITS as usize);
            reach = [reach[0].min(word), reach[1].max(word + 1)];
        };
        for (lane, row) in lanes {
            given[lane] = true;
            match row {
                Part::Dense { values, stride, count } => {
                    (0..count).for_each(|k| add(k, lane, values[stride * k]));
                }
                Part::Sparse { indices, values, first, .. } => {
                    let entries = indices.iter().zip(values);
                    entries.for_each(|(index, value)| add((*index as u32 - first) as usize, lane, *value));
                }
            }
        }
        if given != [true; 3] {
            for column in columns.iter() {
                for lane in (0..3).filter(|&lane| !given[lane]) {
                    add(column.index as usize, lane, column.values[lane]);
                }
            }
        }
        columns.clear();
        for (word, bits) in words.iter_mut().enumerate().take(reach[1]).skip(reach[0]) {
            let mut bits = std::mem::take(bits);
            while bits != 0 {
                let index = word * u64::BITS as usize + bits.trailing_zeros() as usize;
                push_column(columns, index as u32, std::mem::take(&mut values[index]));
                bits &= bits - 1;
            }
        }
    }
}

/// Append a column that is not zero.
#[inline(always)]
pub(super) fn push_column(columns: &mut Vec<Column>, index: u32, values: [f64; 3]) {
    if values != [0.0; 3] {
        columns.push(Column { index, values });
    }
}
