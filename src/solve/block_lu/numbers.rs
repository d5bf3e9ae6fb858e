//! The numbers of factors, and their parts that belong to sections.

use crate::memory::{self, refill};
use crate::team::Ragged;

use super::block::Square;
use super::branches::Sections;
use super::elimination::Earlier;
use super::supernodes::Strip;

/// The numbers of all sections.
#[derive(Debug, Default)]
pub struct Numbers<const N: usize> {
    /// Panels of L and Uᵀ without the diagonal blocks; the matrix before the elimination.
    pub panels: Vec<Strip>,
    /// The upper triangles of the pivots.
    pub pivots: Vec<Square<N>>,
    /// The inverse of the lower triangle of each pivot, with the exchange of rows.
    pub turned: Vec<Square<N>>,
    /// Whether a place has blocks in U that are not zero. A place without them changes no other.
    is_active: Vec<bool>,
}

/// The numbers of some sections: panels and pivots, triangles and activity.
pub type SectionNumbers<'a, const N: usize> = (
    (Ragged<'a, Strip, usize>, Ragged<'a, Square<N>, usize>),
    (Ragged<'a, Square<N>, usize>, Ragged<'a, bool, usize>),
);

impl<const N: usize> Numbers<N> {
    pub fn make_room(&mut self, places: usize, strips: usize) -> memory::Result {
        refill(&mut self.panels, strips, Strip::default())?;
        refill(&mut self.pivots, places, [[0.0; N]; N])?;
        refill(&mut self.turned, places, [[0.0; N]; N])?;
        refill(&mut self.is_active, places, false)
    }

    /// The numbers of the sections from `first` on.
    pub fn of_sections<'a>(&'a mut self, sections: &'a Sections, first: usize) -> SectionNumbers<'a, N> {
        self.split(sections, first, first).1
    }

    /// The factors of the sections `first..end`, and the numbers of those from `end` on.
    pub fn split<'a>(
        &'a mut self,
        sections: &'a Sections,
        first: usize,
        end: usize,
    ) -> (Earlier<'a>, SectionNumbers<'a, N>) {
        let (strips, places) = (&sections.strips[end..], &sections.places[end..]);
        let (first_strip, first_place) = (sections.strips[first], sections.places[first]);
        let (done, panels) = self.panels.split_at_mut(strips[0]);
        let (is_done, is_active) = self.is_active.split_at_mut(places[0]);
        let earlier = Earlier {
            first_strip,
            first_place,
            panels: &done[first_strip..],
            is_active: &is_done[first_place..],
        };
        let (pivots, turned) = (&mut self.pivots[places[0]..], &mut self.turned[places[0]..]);
        let part = (
            (Ragged { values: panels, starts: strips }, Ragged { values: pivots, starts: places }),
            (Ragged { values: turned, starts: places }, Ragged { values: is_active, starts: places }),
        );
        (earlier, part)
    }
}
