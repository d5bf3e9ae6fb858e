//! Scenes of bodies in contact, each made from a few numbers; nothing is read from files.
//!
//! Lengths, masses and times are in SI units. Bodies are at rest in their referential places, so that referential and
//! spatial points are the same.

pub mod grid;
pub mod hexahedron;
pub mod matrices;
pub mod spheres;
pub mod stacks;

use std::rc::Rc;

use grid::Grid;
use matrices::Matrices;
use stacks::{Motion, Points};

/// A point or direction.
pub type Vector = [f64; 3];

/// Time step h.
pub const STEP: f64 = 0.001;
/// Mass per volume of all bodies.
pub const DENSITY: f64 = 1000.0;
/// Young's modulus of meshes.
pub const YOUNG: f64 = 1e7;
/// Poisson's ratio of meshes.
pub const POISSON: f64 = 0.25;

/// The scenes that are measured unless others are asked for.
pub const NAMES: [&str; 16] = [
    "spheres-8",
    "spheres-16",
    "boxes-16",
    "boxes-16-middle",
    "prb-8",
    "prb-8-middle",
    "hub-16",
    "hub-32",
    "tlexp-3",
    "tlexp-3-middle",
    "bclim-2",
    "bclim-2-middle",
    "bclim-3",
    "bclim-3-middle",
    "tllim-2",
    "tllim-2-middle",
];

/// Bodies and the contacts between them.
#[derive(Default)]
pub struct Scene {
    /// The bodies.
    pub bodies: Vec<Body>,
    /// The contacts, in the order in which a host finds them.
    pub contacts: Vec<Contact>,
}

impl Scene {
    /// Whether all constraints on a body interact: not where they do so by nodes, on explicit meshes.
    #[allow(dead_code, reason = "one bench asks")]
    pub fn couples_all(&self) -> bool {
        let by_nodes = |body: &Body| matches!(body, Body::Mesh { motion: Motion::Explicit, .. });
        !self.bodies.iter().any(by_nodes)
    }
}

/// A body at rest.
pub enum Body {
    /// A fixed obstacle.
    Obstacle,
    /// A rigid body whose principal axes are the coordinate axes.
    Rigid(Lumped),
    /// A pseudo-rigid body whose principal axes are the coordinate axes.
    PseudoRigid(Lumped),
    /// Finite elements.
    Mesh {
        /// The mesh.
        grid: Grid,
        /// How it moves, and so what its inertia is.
        motion: Motion,
        /// Mass and stiffness, shared by bodies of equal shape.
        matrices: Rc<Matrices>,
    },
}

/// Mass and moments of a body.
pub struct Lumped {
    /// Mass center.
    pub center: Vector,
    /// Mass.
    pub mass: f64,
    /// ∫ρ x² dV about the center, for each axis.
    pub second_moments: Vector,
}

/// A contact: its point, and the unit normal out of the slave into the master.
pub struct Contact {
    /// Where the bodies touch.
    pub point: Vector,
    /// Third axis of the local frame.
    pub normal: Vector,
    /// The body that counts plus.
    pub master: Side,
    /// The body that counts minus.
    pub slave: Side,
}

/// A body's part in a contact.
#[derive(Clone, Copy)]
pub struct Side {
    /// Index of the body.
    pub body: usize,
    /// Index of the element that holds the point, for meshes.
    pub element: Option<usize>,
}

impl Lumped {
    /// The moments of inertia about the three axes.
    pub fn moments_of_inertia(&self) -> Vector {
        let [x, y, z] = self.second_moments;
        [y + z, z + x, x + y]
    }
}

/// The scene with a name as `hub-16`, `None` if there is none: kind, size, and for boxes maybe where the contacts are.
pub fn by_name(name: &str) -> Option<Scene> {
    let (whole, middle) = match name.strip_suffix("-middle") {
        Some(whole) => (whole, true),
        None => (name, false),
    };
    let (kind, size) = whole.split_once('-')?;
    let size = size.parse().ok().filter(|&size| size > 0)?;
    let points = |other| if middle { Points::Middle } else { other };
    let cells = if whole == "bclim-3" { 4 } else { 3 };
    let meshes = |motion| stacks::meshes(size, cells, points(Points::Nodes), motion);
    match kind {
        "spheres" if !middle => Some(spheres::lattice(size)),
        "hub" if !middle => Some(spheres::hub(size)),
        "boxes" => Some(stacks::rigid(size, points(Points::Corners))),
        "prb" => Some(stacks::pseudo_rigid(size, points(Points::Corners))),
        "crush" if !middle => Some(stacks::crush(size)),
        "tlexp" => Some(meshes(Motion::Explicit)),
        "bclim" => Some(meshes(Motion::Corotational)),
        "tllim" => Some(meshes(Motion::TotalLagrangian)),
        _ => None,
    }
}
