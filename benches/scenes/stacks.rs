//! Stacks of shifted boxes that touch each other above, below and at their sides.

use std::rc::Rc;

use super::grid::Grid;
use super::matrices::Matrices;
use super::{Body, Contact, DENSITY, Lumped, Scene, Side, Vector};

/// Edges of a box.
const EDGES: Vector = [0.5, 0.5, 0.25];
/// Shift of a box against the one below it.
const SHIFT: [f64; 2] = [0.05, 0.03];
/// What counts as touching.
const EPSILON: f64 = 1e-9;

/// Where two boxes that touch in a rectangle have contacts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Points {
    /// At its corners.
    Corners,
    /// One in its middle; between meshes, in the middle of what any two faces of elements share of it.
    Middle,
    /// At the nodes that the master's mesh has on it.
    Nodes,
}

/// How a mesh moves, and so what its inertia is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// Total Lagrangian, explicit: the inverse of the lumped mass.
    Explicit,
    /// Co-rotational, linearly implicit: A stays.
    Corotational,
    /// Total Lagrangian, linearly implicit: A changes every step.
    TotalLagrangian,
}

/// A rectangle in which a master touches a slave, normal to an axis.
struct Overlap {
    master: usize,
    slave: usize,
    low: Vector,
    high: Vector,
    normal: Vector,
}

/// `size`² stacks of four rigid boxes.
pub fn rigid(size: usize, points: Points) -> Scene {
    scene(size, 4, points, |low| Body::Rigid(lumped(low)))
}

/// `size`² stacks of four pseudo-rigid boxes.
pub fn pseudo_rigid(size: usize, points: Points) -> Scene {
    scene(size, 4, points, |low| Body::PseudoRigid(lumped(low)))
}

/// `size`² stacks of three boxes of `cells`³ hexahedra.
pub fn meshes(size: usize, cells: usize, points: Points, motion: Motion) -> Scene {
    stacked_meshes(size, 3, cells, points, motion)
}

/// `size`³ boxes of 3³ hexahedra that stay pressed together: `size`² stacks of `size` boxes, co-rotational.
pub fn crush(size: usize) -> Scene {
    stacked_meshes(size, size, 3, Points::Middle, Motion::Corotational)
}

fn stacked_meshes(size: usize, levels: usize, cells: usize, points: Points, motion: Motion) -> Scene {
    let grid = |low| Grid { low, edges: EDGES, cells };
    let matrices = Rc::new(Matrices::new(&grid([0.0; 3])));
    let body = |low| Body::Mesh { grid: grid(low), motion, matrices: Rc::clone(&matrices) };
    scene(size, levels, points, body)
}

fn lumped(low: Vector) -> Lumped {
    let mass = DENSITY * EDGES.iter().product::<f64>();
    Lumped {
        center: std::array::from_fn(|d| low[d] + 0.5 * EDGES[d]),
        mass,
        second_moments: EDGES.map(|edge| mass * edge * edge / 12.0),
    }
}

/// Stacks side by side on a floor, body 0; the others are boxes, stack by stack, from below.
fn scene(size: usize, levels: usize, points: Points, body: impl Fn(Vector) -> Body) -> Scene {
    let corner = |n: usize| {
        let (level, stack) = (n % levels, n / levels);
        let along = |d: usize, k: usize| EDGES[d] * k as f64 + SHIFT[d] * level as f64;
        [along(0, stack / size), along(1, stack % size), EDGES[2] * level as f64]
    };
    let corners: Vec<Vector> = (0..size * size * levels).map(corner).collect();
    let bodies: Vec<Body> =
        std::iter::once(Body::Obstacle).chain(corners.iter().map(|&low| body(low))).collect();
    let mut contacts = vec![];
    for (n, low) in corners.iter().enumerate() {
        if low[2] == 0.0 {
            let high = [low[0] + EDGES[0], low[1] + EDGES[1], 0.0];
            let floor = Overlap { master: 1 + n, slave: 0, low: *low, high, normal: [0.0, 0.0, 1.0] };
            add_contacts(&mut contacts, &bodies, &floor, points);
        }
        for (m, other) in corners.iter().enumerate().skip(n + 1) {
            if let Some(overlap) = overlap([1 + n, 1 + m], [low, other]) {
                add_contacts(&mut contacts, &bodies, &overlap, points);
            }
        }
    }
    Scene { bodies, contacts }
}

/// The rectangle in which two boxes touch; edges and corners alone do not count.
fn overlap([master, slave]: [usize; 2], [own, other]: [&Vector; 2]) -> Option<Overlap> {
    let low: Vector = std::array::from_fn(|d| own[d].max(other[d]));
    let high: Vector = std::array::from_fn(|d| own[d].min(other[d]) + EDGES[d]);
    let mut normal = [0.0; 3];
    for d in 0..3 {
        match high[d] - low[d] {
            depth if depth > EPSILON => (),
            depth if depth > -EPSILON => normal[d] = (own[d] - other[d]).signum(),
            _ => return None,
        }
    }
    let touching = normal.iter().filter(|&&component| component != 0.0).count() == 1;
    touching.then_some(Overlap { master, slave, low, high, normal })
}

fn add_contacts(contacts: &mut Vec<Contact>, bodies: &[Body], overlap: &Overlap, points: Points) {
    let Overlap { master, slave, low, high, normal } = overlap;
    let points: Vec<Vector> = match points {
        Points::Middle => middles(overlap, [&bodies[*master], &bodies[*slave]]),
        Points::Corners => corners(low, high, normal),
        Points::Nodes => match &bodies[*master] {
            Body::Mesh { grid, .. } => {
                grid.nodes().into_iter().filter(|node| within(node, low, high)).collect()
            }
            _ => vec![],
        },
    };
    let side = |body: usize, point: &Vector| match &bodies[body] {
        Body::Mesh { grid, .. } => Side { body, element: Some(grid.element_at(point)) },
        _ => Side { body, element: None },
    };
    contacts.extend(points.into_iter().map(|point| {
        let (master, slave) = (side(*master, &point), side(*slave, &point));
        Contact { point, normal: *normal, master, slave }
    }));
}

/// The middles of the rectangles into which the faces of elements cut an overlap.
fn middles(overlap: &Overlap, bodies: [&Body; 2]) -> Vec<Vector> {
    let mut points = vec![overlap.low];
    for d in 0..3 {
        let (low, high) = (overlap.low[d], overlap.high[d]);
        let mut cuts = vec![low, high];
        for body in bodies {
            if let Body::Mesh { grid, .. } = body {
                cuts.extend(grid.planes(d).filter(|&x| x > low + EPSILON && x < high - EPSILON));
            }
        }
        cuts.sort_by(f64::total_cmp);
        cuts.dedup_by(|b, a| (*b - *a).abs() < EPSILON && high - low > EPSILON);
        let along: Vec<f64> = cuts.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
        points = points
            .into_iter()
            .flat_map(|point| {
                along.iter().map(move |&x| {
                    let mut moved = point;
                    moved[d] = x;
                    moved
                })
            })
            .collect();
    }
    points
}

fn corners(low: &Vector, high: &Vector, normal: &Vector) -> Vec<Vector> {
    let axis = normal.iter().position(|&component| component != 0.0).unwrap_or(2);
    let (one, two) = ((axis + 1) % 3, (axis + 2) % 3);
    let corner = |(first, second): (&Vector, &Vector)| {
        let mut point = *low;
        point[one] = first[one];
        point[two] = second[two];
        point
    };
    [(low, low), (high, low), (high, high), (low, high)].map(corner).into()
}

fn within(point: &Vector, low: &Vector, high: &Vector) -> bool {
    (0..3).all(|d| point[d] > low[d] - EPSILON && point[d] < high[d] + EPSILON)
}
