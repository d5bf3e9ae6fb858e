//! Distance of a point from the convex hull of a few points.
//!
//! A direct method, for up to eight points cheap enough: the boundary of the hull is made of triangles of its
//! points, so the place of the hull nearest to an outside point is found on one of all the segments and
//! triangles that the points span. Every place looked at is a convex combination of the points, so flat,
//! needle-like or otherwise degenerate sets of points never give a distance that is too small. Whether the
//! point is outside is decided by a plane: it is if, and only if, all points of the hull lie well below it in
//! the direction from the nearest place. Such a plane is a proof, whatever the rounding that led to it.

use crate::math::{Vector, cross, difference, dot};

/// Triangles whose edges enclose an angle with a sine below this are left to their edges.
const THIN: f64 = 1e-12;

/// A place of the hull, as seen from the point.
struct Nearest {
    /// Squared distance from the point.
    square: f64,
    /// The place.
    place: Vector,
    /// The direction in which the point lies, computed from the simplex the place lies on: unlike point −
    /// place it stays accurate when the two are close.
    normal: Vector,
}

/// Distance of `point` from the convex hull of `corners`, zero inside; infinite without corners.
///
/// The error is a few ε times the size of the hull.
pub fn distance(corners: &[Vector], point: &Vector) -> f64 {
    let mut nearest = Nearest { square: f64::INFINITY, place: [0.0; 3], normal: [0.0; 3] };
    for (i, a) in corners.iter().enumerate() {
        nearest.keep(*a, difference(point, a), point);
        for (j, b) in corners[..i].iter().enumerate() {
            segment(a, b, point, &mut nearest);
            for c in &corners[..j] {
                triangle(a, b, c, point, &mut nearest);
            }
        }
    }
    let separated = |direction: &Vector| {
        let gap = dot(direction, &difference(point, &nearest.place));
        gap > 0.0 && corners.iter().all(|c| dot(direction, &difference(c, &nearest.place)) <= 0.5 * gap)
    };
    if nearest.square.is_infinite()
        || separated(&nearest.normal)
        || separated(&difference(point, &nearest.place))
    {
        nearest.square.sqrt()
    } else {
        0.0
    }
}

/// Distance of `point` from the smallest box, along the axes, round `corners`: a lower bound of [`distance`].
pub fn box_distance(corners: &[Vector], point: &Vector) -> f64 {
    let mut square = 0.0;
    for (k, x) in point.iter().enumerate() {
        let (low, high) = corners
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), c| (low.min(c[k]), high.max(c[k])));
        let outside = (low - x).max(x - high).max(0.0);
        square += outside * outside;
    }
    square.sqrt()
}

impl Nearest {
    /// Keep the place if it is nearer than the one so far.
    fn keep(&mut self, place: Vector, normal: Vector, point: &Vector) {
        let gap = difference(point, &place);
        let square = dot(&gap, &gap);
        if square < self.square {
            *self = Self { square, place, normal };
        }
    }
}

/// The inner part of the segment from `a` to `b`.
fn segment(a: &Vector, b: &Vector, point: &Vector, nearest: &mut Nearest) {
    let (edge, arm) = (difference(b, a), difference(point, a));
    let square = dot(&edge, &edge);
    let t = dot(&edge, &arm) / square;
    // A segment of no length gives a NaN: its ends are looked at already.
    if t > 0.0 && t < 1.0 {
        let place = combine(a, [(t, &edge)]);
        let gap = difference(point, &place);
        let normal = combine(&gap, [(-dot(&gap, &edge) / square, &edge)]);
        nearest.keep(place, normal, point);
    }
}

/// The inner part of the triangle `a`, `b`, `c`.
fn triangle(a: &Vector, b: &Vector, c: &Vector, point: &Vector, nearest: &mut Nearest) {
    let (first, second, arm) = (difference(b, a), difference(c, a), difference(point, a));
    let normal = cross(&first, &second);
    let square = dot(&normal, &normal);
    if square <= THIN * THIN * dot(&first, &first) * dot(&second, &second) {
        return;
    }
    let s = dot(&normal, &cross(&arm, &second)) / square;
    let t = dot(&normal, &cross(&first, &arm)) / square;
    if s >= 0.0 && t >= 0.0 && s + t <= 1.0 {
        let side = if dot(&normal, &arm) < 0.0 { -1.0 } else { 1.0 };
        nearest.keep(combine(a, [(s, &first), (t, &second)]), normal.map(|x| side * x), point);
    }
}

/// `a` plus multiples of vectors.
fn combine<const COUNT: usize>(a: &Vector, terms: [(f64, &Vector); COUNT]) -> Vector {
    terms.iter().fold(*a, |sum, (factor, v)| [0, 1, 2].map(|k| sum[k] + factor * v[k]))
}
