//! The scene of an update: the traits by which a face presents its bodies, rows and pairs. Faces give the places of data and of
//! results; they compute nothing.

use std::ops::Range;

use crate::assembly::diagonal::{Diagonal, DiagonalFault};
use crate::assembly::velocities::ConstraintSide;
use crate::body_operators::factored::{Slot, Slots};
use crate::inertia::cost::MatrixLifetime;
use crate::inertia::{FactorError, InertiaRef};
use crate::kinematics::Point;
use crate::kinematics::pseudo_rigid::{self, PseudoRigid};
use crate::kinematics::rigid::{self, Rigid};
pub use crate::kinematics::{Action, PlacementRef};
use crate::math::simd::{SimdLevel, combination};
use crate::math::{Block, Vector};

use super::irregular_rows::IrregularRows;
use super::update::BodyOperators;

/// The motion of a body's points with its generalized velocity.
#[derive(Clone, Copy, Debug)]
pub enum KinematicsRef<'a> {
    /// A rigid body.
    Rigid(Rigid<'a>),
    /// A pseudo-rigid body.
    PseudoRigid(PseudoRigid<'a>),
    /// A mesh with nodal velocities; all its operators act on nodes.
    Mesh {
        /// Number of nodes.
        nodes: usize,
        /// The rotation that operators take from the configuration, if any.
        rotation: Option<&'a Block>,
        /// The expected lifetime of A, if A is given.
        lifetime: MatrixLifetime,
    },
    /// Any other body; its operators have `dofs` columns.
    General(usize),
}

impl KinematicsRef<'_> {
    /// The number of dofs.
    pub fn dofs(&self) -> usize {
        match *self {
            Self::Rigid(_) => rigid::DOFS,
            Self::PseudoRigid(_) => pseudo_rigid::DOFS,
            Self::Mesh { nodes, .. } => 3 * nodes,
            Self::General(dofs) => dofs,
        }
    }
}

/// A body's part of a model: A⁻¹ of all bodies of a model applies to columns that contain the values of these bodies in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelPart {
    /// The model.
    pub model: usize,
    /// The length of the model's columns.
    pub size: usize,
    /// The place of the body's values in a column.
    pub place: Range<usize>,
}

/// A row's place on a body: the body's index, and the row's slot in its panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PanelSlot {
    /// Index of the body.
    pub body: usize,
    /// Slot of the row.
    pub slot: usize,
}

/// The bodies of a scene, by index. A body without slots is left alone.
pub trait Bodies: Sync {
    /// The face's error for a body that cannot be used.
    type Fault: Send;
    /// A constraint on a body.
    type Constraint: Copy;

    /// Number of slots in the panel of a body.
    fn slots(&self, body: usize) -> usize;

    /// The constraints on a body, each with its slot.
    fn constraints(&self, body: usize) -> impl Iterator<Item = (usize, Self::Constraint)>;

    /// The kinematics of a body.
    ///
    /// # Errors
    /// If the face refuses the body.
    fn kinematics(&self, body: usize) -> Result<KinematicsRef<'_>, Self::Fault>;

    /// The mass matrix A or its inverse, as far as one is known; `None` if [`Bodies::solve`] applies A⁻¹.
    ///
    /// # Errors
    /// If the face refuses the matrix.
    fn inertia(&self, body: usize) -> Result<Option<InertiaRef<'_>>, Self::Fault>;

    /// Replace columns, each as long as the generalized velocity, by A⁻¹ times them. If the body is a member of a
    /// model, the columns belong to the model. The thread that updates calls this function.
    ///
    /// # Errors
    /// Any error of the application of A⁻¹.
    fn solve(&self, body: usize, columns: &mut [f64]) -> Result<(), Self::Fault>;

    /// The body's part of a model, if it is a member of one. Between bodies of a model there are no bodies of another model.
    fn member(&self, _body: usize) -> Option<ModelPart> {
        None
    }

    /// Check the columns of a body after A⁻¹ was applied.
    ///
    /// # Errors
    /// If the face refuses the columns.
    fn check_solved(&self, _body: usize, _columns: &[f64]) -> Result<(), Self::Fault> {
        Ok(())
    }

    /// The action of a constraint on a body.
    fn action(&self, body: usize, constraint: Self::Constraint) -> Action<'_>;

    /// Visit the points of a body that a constraint acts at, each with its sign and the local frame: H of the constraint is the
    /// signed sum of their H.
    ///
    /// # Errors
    /// If the face refuses a point.
    fn points(
        &self,
        body: usize,
        constraint: Self::Constraint,
        visit: &mut dyn FnMut(f64, &Block, &Point),
    ) -> Result<(), Self::Fault>;

    /// Whether the panel of a body is unchanged since the last update, and no row writes to it.
    #[inline(always)]
    fn is_kept(&self, _body: usize) -> bool {
        false
    }

    /// The face's error for a body whose panel cannot be made.
    fn fault(&self, body: usize, error: FactorError) -> Self::Fault;

    /// The face's error if memory is exhausted.
    fn memory(&self) -> Self::Fault;

    /// Prefetch the data of this body and some later ones.
    #[inline(always)]
    fn fetch_ahead(&self, _body: usize) {}
}

/// The reason why a row cannot be made.
#[derive(Clone, Copy, Debug)]
pub enum RowFault {
    /// V or B is not finite.
    Velocities,
    /// The diagonal block cannot be used, for this reason.
    Diagonal(Block, DiagonalFault),
}

/// The parts of a row to be made; all others keep their values of the last update.
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
    /// Each end with its referential point; `None` is the ground.
    pub ends: [Option<(RigidEnd<'a>, &'a Vector)>; 2],
}

/// A rigid body with its previous and its current velocity.
pub type RigidEnd<'a> = (Rigid<'a>, [&'a [f64; rigid::DOFS]; 2]);

impl RigidEnds<'_> {
    /// V and B. The slave's part is subtracted; elsewhere it is added with the other sign, which gives the same bits. No component
    /// is −0.
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
pub trait RowsOfThread: crate::team::Partition {
    /// The face's error for a row that cannot be made.
    type Fault: Send;

    /// Whether V and B are made; if not, they exist already, and all operators are in their panels.
    const WITH_VELOCITIES: bool;

    /// Whether a row has three scalar rows and at most two bodies. The methods from here to [`RowsOfThread::slot`] are for such
    /// rows.
    #[inline(always)]
    fn is_regular(&self, _row: usize) -> bool {
        true
    }

    /// The irregular rows among these, if there may be some.
    #[inline(always)]
    fn irregular(&mut self) -> Option<&mut dyn IrregularRows<Fault = Self::Fault>> {
        None
    }

    /// The row's places on the bodies that W counts.
    fn places(&self, row: usize) -> [Option<PanelSlot>; 2];

    /// Whether the constraint has a master, and whether it has a slave.
    fn roles(&self, row: usize) -> [bool; 2];

    /// The action of the constraint on the body of one of the places.
    fn action(&self, row: usize, place: usize) -> Action<'_>;

    /// The body of one of the places, a rigid body.
    fn rigid(&self, row: usize, place: usize) -> Rigid<'_>;

    /// The body of one of the places, a pseudo-rigid body.
    fn pseudo_rigid(&self, row: usize, place: usize) -> PseudoRigid<'_>;

    /// The previous and the current velocity of the body of one of the places.
    ///
    /// # Errors
    /// If the body has no velocities.
    fn velocities<const N: usize>(&self, row: usize, place: usize) -> Result<[&[f64; N]; 2], Self::Fault>;

    /// The master, role 0, or the slave, role 1, of a row with its velocities.
    ///
    /// # Errors
    /// If the face refuses the body or its velocities.
    fn side(&self, row: usize, role: usize) -> Result<ConstraintSide<'_>, Self::Fault>;

    /// The ends of a row that acts at points, if they are on the ground or on rigid bodies, not both on the same one.
    #[inline(always)]
    fn rigid_ends(&self, _row: usize) -> Option<RigidEnds<'_>> {
        None
    }

    /// The block that is added to the diagonal block, if any.
    #[inline(always)]
    fn compliance(&self, _row: usize) -> Option<&Block> {
        None
    }

    /// The slot of one of the places.
    fn slot<const N: usize>(&mut self, row: usize, place: usize, slots: &Slots<N>) -> Slot<'_, N>;

    /// The parts of a row to be made. The panels that the row writes to have been started.
    #[inline(always)]
    fn part(&self, _row: usize) -> RowPart {
        RowPart::All
    }

    /// Whether some part of every row is to be made.
    #[inline(always)]
    fn are_all_wanted(&self) -> bool {
        true
    }

    /// The first row, from this place on, with a part to be made; a place after all rows if there is none.
    #[inline(always)]
    fn next_wanted(&self, row: usize) -> usize {
        row
    }

    /// Whether V and B of a row are wanted.
    #[inline(always)]
    fn wants_velocities(&self, _row: usize) -> bool {
        true
    }

    /// Store V and B, finite.
    fn set_velocities(&mut self, row: usize, velocities: [Vector; 2]);

    /// The diagonal block of the last update and its inverse, if that update was complete and the row is the same: they stay if
    /// nothing has changed.
    #[inline(always)]
    fn kept(&self, _row: usize) -> Option<Diagonal> {
        None
    }

    /// Whether the slots of a row may still have another row's values; then all values written there count as changed.
    #[inline(always)]
    fn is_new(&self, _row: usize) -> bool {
        false
    }

    /// Store the diagonal block and its derived values, with rho if it is wanted.
    ///
    /// # Errors
    /// If the face refuses its own results from these.
    fn set_diagonal(&mut self, row: usize, diagonal: &Diagonal) -> Result<(), Self::Fault>;

    /// Handle a row that cannot be made: the update ends, or the face stores a substitute value.
    ///
    /// # Errors
    /// The face's error for the row, if the update ends.
    fn refuse(&mut self, row: usize, fault: RowFault) -> Result<(), Self::Fault>;

    /// Prefetch the data of this row and some later ones.
    #[inline(always)]
    fn fetch_ahead(&self, _row: usize) {}

    /// Prefetch the data with which these rows write operators.
    #[inline(always)]
    fn fetch_writers_ahead(&self, _row: usize, _bodies: &BodyOperators) {}
}
