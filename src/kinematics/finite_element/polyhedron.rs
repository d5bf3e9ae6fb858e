//! The distance of a point from the convex hull of a few points.
//!
//! The method is direct, and cheap enough for up to eight points. The boundary of the hull consists of triangles of its points.
//! The point of the hull nearest to an outside point is therefore on one of the segments or triangles that the points span. Each
//! tested position is a convex combination of the points, so flat, needle-like or otherwise degenerate sets of points never give a
//! distance that is too small. A plane decides whether the point is outside: it is if, and only if, all points of the hull are well
//! below the point in the direction from the nearest position. Such a plane is a proof, regardless of rounding.

use crate::math::{Vector, cross, difference, dot};

/// Triangles are skipped if the sine of the angle between their edges is smaller than this; their edges are tested anyway.
const THIN: f64 = 1e-12;

/// A position on the hull, relative to the point.
struct Nearest {
    /// The squared distance from the point.
    square: f64,
    /// The position.
    place: Vector,
    /// The direction to the point, computed from the simplex of the position. Unlike the difference of point and position, it stays
    /// accurate if the two are close.
    normal: Vector,
}

/// The distance of `point` from the convex hull of `corners`; zero inside, infinite without corners.
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

/// The distance of `point` from the axis-aligned bounding box of `corners`: a lower bound of [`distance`].
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
    /// Replace the position if the new one is nearer.
    fn keep(&mut self, place: Vector, normal: Vector, point: &Vector) {
        let gap = difference(point, &place);
        let square = dot(&gap, &gap);
        if square < self.square {
            *self = Self { square, place, normal };
        }
    }
}

/// Test the interior of the segment from `a` to `b`.
fn segment(a: &Vector, b: &Vector, point: &Vector, nearest: &mut Nearest) {
    let (edge, arm) = (difference(b, a), difference(point, a));
    let square = dot(&edge, &edge);
    let t = dot(&edge, &arm) / square;
    // A segment of length zero gives NaN: its ends have been tested already.
    if t > 0.0 && t < 1.0 {
        let place = combine(a, [(t, &edge)]);
        let gap = difference(point, &place);
        let normal = combine(&gap, [(-dot(&gap, &edge) / square, &edge)]);
        nearest.keep(place, normal, point);
    }
}

/// Test the interior of the triangle `a`, `b`, `c`.
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
