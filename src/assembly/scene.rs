//! What an update is made over: bodies, rows and pairs, as a face knows them. Faces say where things are and where results go;
//! they compute nothing.

use std::ops::Range;

use crate::assembly::diagonal::{self, Diagonal};
use crate::assembly::velocities::Side;
use crate::body_operators::factored::{Slot, Slots};
use crate::inertia::cost::MatrixLifetime;
use crate::inertia::{FactorError, InertiaRef};
use crate::kinematics::Point;
use crate::kinematics::pseudo_rigid::{self, PseudoRigid};
use crate::kinematics::rigid::{self, Rigid};
pub use crate::kinematics::{Action, Placement};
use crate::math::simd::{SimdLevel, combination};
use crate::math::{Block, Vector};

use super::update::BodyOperators;

/// How the points of a body move with its generalised velocity.
#[derive(Clone, Copy, Debug)]
pub enum Kinematics<'a> {
    /// A rigid body.
    Rigid(Rigid<'a>),
    /// A pseudo-rigid body.
    PseudoRigid(PseudoRigid<'a>),
    /// A mesh with nodal velocities, all of whose operators are those of nodes.
    Mesh {
        /// Number of nodes.
        nodes: usize,
        /// The rotation that operators take from the configuration, if they do.
        rotation: Option<&'a Block>,
        /// How long A is expected to last, if it is given.
        lifetime: MatrixLifetime,
    },
    /// Any other body, by operators with so many columns.
    General(usize),
}

impl Kinematics<'_> {
    /// Number of degrees of freedom.
    pub fn dofs(&self) -> usize {
        match *self {
            Self::Rigid(_) => rigid::DOFS,
            Self::PseudoRigid(_) => pseudo_rigid::DOFS,
            Self::Mesh { nodes, .. } => 3 * nodes,
            Self::General(dofs) => dofs,
        }
    }
}

/// The part of a model that a body is: A⁻¹ of all bodies of a model works on columns in which they lie one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Which model.
    pub model: usize,
    /// Length of its columns.
    pub size: usize,
    /// Where the body is in them.
    pub place: Range<usize>,
}

/// A row's place on a body: the body's index, and the row's slot in its panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the body.
    pub body: usize,
    /// Slot of the row.
    pub slot: usize,
}

/// The bodies of a scene, by index. A body without slots is left alone.
pub trait Bodies: Sync {
    /// What the face says of a body that cannot be used.
    type Fault: Send;
    /// A constraint on a body.
    type Constraint: Copy;

    /// Number of slots in the panel of a body.
    fn slots(&self, body: usize) -> usize;

    /// The constraints on a body, each with its slot.
    fn constraints(&self, body: usize) -> impl Iterator<Item = (usize, Self::Constraint)>;

    /// How a body moves.
    ///
    /// # Errors
    /// What the face finds wrong with it.
    fn kinematics(&self, body: usize) -> Result<Kinematics<'_>, Self::Fault>;

    /// What is known of A; `None`: [`Bodies::solve`] applies A⁻¹.
    ///
    /// # Errors
    /// What the face finds wrong with it.
    fn inertia(&self, body: usize) -> Result<Option<InertiaRef<'_>>, Self::Fault>;

    /// Replace columns, each as long as the generalised velocity, by A⁻¹ times them; of a member of a model columns of the model.
    /// The thread that updates calls it.
    ///
    /// # Errors
    /// Whatever went wrong.
    fn solve(&self, body: usize, columns: &mut [f64]) -> Result<(), Self::Fault>;

    /// What part of a model a body is, if it is any. Between bodies of a model there are none of another one.
    fn member(&self, _body: usize) -> Option<Member> {
        None
    }

    /// Whether what A⁻¹ has made of the columns of a body can be used.
    ///
    /// # Errors
    /// What the face finds wrong with them.
    fn check_solved(&self, _body: usize, _columns: &[f64]) -> Result<(), Self::Fault> {
        Ok(())
    }

    /// How a constraint acts on a body.
    fn action(&self, body: usize, constraint: Self::Constraint) -> Action<'_>;

    /// Visit the points of a body that a constraint acts at, each with its sign and the local frame: H of the constraint is the
    /// signed sum of their H.
    ///
    /// # Errors
    /// What the face finds wrong with them.
    fn points(
        &self,
        body: usize,
        constraint: Self::Constraint,
        visit: &mut dyn FnMut(f64, &Block, &Point),
    ) -> Result<(), Self::Fault>;

    /// Whether the panel of a body stands as the update before left it, and no row writes to it.
    #[inline(always)]
    fn is_kept(&self, _body: usize) -> bool {
        false
    }

    /// What the face says of a body whose panel cannot be made.
    fn fault(&self, body: usize, error: FactorError) -> Self::Fault;

    /// What the face says if memory is exhausted.
    fn memory(&self) -> Self::Fault;

    /// Ask for what this body and some later ones will need.
    #[inline(always)]
    fn fetch_ahead(&self, _body: usize) {}
}

/// Why a row cannot be made.
#[derive(Clone, Copy, Debug)]
pub enum RowFault {
    /// V or B is not finite.
    Velocities,
    /// The diagonal block cannot be used, for this reason.
    Diagonal(Block, diagonal::Fault),
}

/// What of a row is to be made; all else stands as the update before left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowPart {
    /// Nothing.
    Nothing,
    /// V and B; operators have the same bits.
    Velocities,
    /// V, B, operators and the diagonal block.
    All,
}

/// The ends of a row at points of rigid bodies, the master first.
#[derive(Clone, Copy, Debug)]
pub struct RigidEnds<'a> {
    /// E, the local frame: its axes are the columns.
    pub frame: &'a Block,
    /// Each with its referential point; `None` is the ground.
    pub ends: [Option<(RigidEnd<'a>, &'a Vector)>; 2],
}

/// A rigid body with its previous and its current velocity.
pub type RigidEnd<'a> = (Rigid<'a>, [&'a [f64; rigid::DOFS]; 2]);

impl RigidEnds<'_> {
    /// V and B. What the slave adds with the other sign elsewhere is subtracted, which gives the same bits; no component is −0.
    #[inline(always)]
    pub fn velocities<L: SimdLevel>(&self, level: L) -> [L::F64x4; 2] {
        let axes = level.transposed_columns(self.frame);
        let [mut v, mut b] = [level.zero(); 2];
        let [master, slave] = &self.ends;
        if let Some(((body, [previous, current]), point)) = master {
            let h = body.columns(point, &axes);
            (v, b) = (v + combination(&h, *previous), b + combination(&h, *current));
        }
        if let Some(((body, [previous, current]), point)) = slave {
            let h = body.columns(point, &axes);
            (v, b) = (v - combination(&h, *previous), b - combination(&h, *current));
        }
        [v, b]
    }
}

/// Some rows, by place, to be made by one thread.
pub trait Rows: crate::team::Partition {
    /// What the face says of a row that cannot be made.
    type Fault: Send;

    /// Whether V and B are made; else they have been made before, and all operators are in their panels.
    const WITH_VELOCITIES: bool;

    /// The row's places on its bodies, as far as W counts these.
    fn places(&self, row: usize) -> [Option<Place>; 2];

    /// Whether the constraint has a master, and whether it has a slave.
    fn roles(&self, row: usize) -> [bool; 2];

    /// How the constraint acts on the body of one of the places.
    fn action(&self, row: usize, place: usize) -> Action<'_>;

    /// The body of one of the places, which is a rigid one.
    fn rigid(&self, row: usize, place: usize) -> Rigid<'_>;

    /// The body of one of the places, which is a pseudo-rigid one.
    fn pseudo_rigid(&self, row: usize, place: usize) -> PseudoRigid<'_>;

    /// The previous and the current velocity of the body of one of the places.
    ///
    /// # Errors
    /// If it has none.
    fn velocities<const N: usize>(&self, row: usize, place: usize) -> Result<[&[f64; N]; 2], Self::Fault>;

    /// The master, role 0, or the slave, role 1, of a row with its velocities.
    ///
    /// # Errors
    /// What the face finds wrong with them.
    fn side(&self, row: usize, role: usize) -> Result<Side<'_>, Self::Fault>;

    /// The ends of a row that acts at points, if they are on the ground or on rigid bodies, not both on the same one.
    #[inline(always)]
    fn rigid_ends(&self, _row: usize) -> Option<RigidEnds<'_>> {
        None
    }

    /// What is added to the diagonal block, if anything is.
    #[inline(always)]
    fn compliance(&self, _row: usize) -> Option<&Block> {
        None
    }

    /// The slot of one of the places.
    fn slot<const N: usize>(&mut self, row: usize, place: usize, slots: &Slots<N>) -> Slot<'_, N>;

    /// What of a row is to be made. Panels that it writes to have been started.
    #[inline(always)]
    fn part(&self, _row: usize) -> RowPart {
        RowPart::All
    }

    /// Whether something of all rows is to be made.
    #[inline(always)]
    fn are_all_wanted(&self) -> bool {
        true
    }

    /// The first row from this place on of which something is to be made, or a place behind all rows.
    #[inline(always)]
    fn next_wanted(&self, row: usize) -> usize {
        row
    }

    /// Whether V and B of a row are wanted.
    #[inline(always)]
    fn wants_velocities(&self, _row: usize) -> bool {
        true
    }

    /// V and B, finite.
    fn set_velocities(&mut self, row: usize, velocities: [Vector; 2]);

    /// The diagonal block of the last update and its inverse, if it is complete and the row is the same: they stay where
    /// nothing has changed.
    #[inline(always)]
    fn kept(&self, _row: usize) -> Option<Diagonal> {
        None
    }

    /// Whether the inverse of the diagonal block of a row is wanted.
    #[inline(always)]
    fn wants_inverse(&self, _row: usize) -> bool {
        true
    }

    /// Whether what is in the slots of a row may be another row's, so that all that is written there counts as changed.
    #[inline(always)]
    fn is_new(&self, _row: usize) -> bool {
        false
    }

    /// The diagonal block and what is made of it; rho if it is wanted.
    ///
    /// # Errors
    /// What the face finds wrong with what it makes of these.
    fn set_diagonal(&mut self, row: usize, diagonal: &Diagonal) -> Result<(), Self::Fault>;

    /// What is done where a row cannot be made: the end of the update, or the face has a value for it.
    ///
    /// # Errors
    /// What the face says of it.
    fn refuse(&mut self, row: usize, fault: RowFault) -> Result<(), Self::Fault>;

    /// Ask for what this row and some later ones will need.
    #[inline(always)]
    fn fetch_ahead(&self, _row: usize) {}

    /// Ask for what they will need to write operators.
    #[inline(always)]
    fn fetch_writers_ahead(&self, _row: usize, _bodies: &BodyOperators) {}
}
