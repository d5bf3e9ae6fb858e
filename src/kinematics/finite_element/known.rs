//! What is known of a point from the last time.

use super::element::{Corners, Element};
use super::location::{Location, locate};
use crate::block::Vector;

/// The last point that was located, in case it comes again.
#[derive(Clone, Copy, Debug, Default)]
pub struct CachedLocation {
    /// Everything that the local coordinates depend on, and they.
    last: Option<(Location, Vector, Corners)>,
}

impl CachedLocation {
    /// As [`locate`]; where everything has the bits of the last time, so has the result.
    pub fn locate(&mut self, element: Element, mesh: &[Vector], point: &Vector) -> Option<Location> {
        let corners = element.corners(mesh);
        if let Some((location, last_point, last_corners)) = &self.last
            && location.element == element
            && same_bits(last_point, point)
            && last_corners.iter().zip(&corners).all(|(last, corner)| same_bits(last, corner))
        {
            return Some(*location);
        }
        let location = locate(element, mesh, point)?;
        self.last = Some((location, *point, corners));
        Some(location)
    }
}

fn same_bits(a: &Vector, b: &Vector) -> bool {
    a.map(f64::to_bits) == b.map(f64::to_bits)
}
