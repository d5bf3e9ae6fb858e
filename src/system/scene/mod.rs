//! A system as the scene of an update. It computes nothing: it gives the places of bodies, rows and blocks.
//!
//! `rows` has the values of a row alone, `pairs` the blocks between regular rows, `irregular_pairs` the blocks of systems with rows
//! of other heights, `whole_rows` the blocks row by row, `parts` the shares of threads.

mod irregular_pairs;
mod irregular_rows;
mod pairs;
mod parts;
mod rows;
mod whole_rows;

use crate::assembly::scene::{Action, Bodies, KinematicsRef, ModelPart, PlacementRef, RigidEnd};
use crate::inertia::cost::MatrixLifetime;
use crate::inertia::{self, FactorError};
use crate::kinematics::Point;
use crate::kinematics::pseudo_rigid::PseudoRigid;
use crate::kinematics::rigid::Rigid;
use crate::math::{Block, is_finite};

use super::body::{Body, Inertia, Kinematics};
use super::constraint::{Constraint, Placement};
use super::error::{Error, Fault, Result};
use super::id_table::{Id, Table};
use super::inverse_callback::{Member, Models};
use super::structure::Structure;
use super::update_plan::Plan;

pub use irregular_pairs::IrregularBlocks;
pub use irregular_rows::{IrregularResults, RegularResults};
pub use pairs::{BlockSources, PairBlocks};
pub use parts::{PairOrder, PartsOfPairs, part_of_rows};

/// Bodies, constraints, and their structure.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The bodies, in the order of ids.
    pub(super) bodies: &'a Table<Body>,
    /// The shared inverse callbacks of some bodies.
    pub(super) models: &'a Models,
    /// The constraints, in the order of rows.
    pub(super) constraints: &'a Table<Constraint>,
    /// The structure of both tables.
    pub(super) structure: &'a Structure,
    /// The plan of the update, unless everything is computed.
    pub(super) plan: Option<&'a Plan>,
    /// Whether a constraint has a compliance.
    pub(super) has_compliance: bool,
}

/// The panic message for a gap in a table that must have none.
const GAP: &str = "the structure has rows and bodies that are there";

/// The scalar rows of a slot: a row, and the number of the group of three in it.
#[derive(Clone, Copy)]
pub struct SlotRow {
    row: u32,
    group: u32,
}

impl<'a> Scene<'a> {
    #[inline(always)]
    fn body(&self, body: usize) -> (Id, &'a Body) {
        (self.bodies.ids()[body], self.bodies.things()[body].as_ref().expect(GAP))
    }

    #[inline(always)]
    fn constraint(&self, row: usize) -> &'a Constraint {
        self.constraints.things()[self.structure.entry(row)].as_ref().expect(GAP)
    }

    /// An error of the constraint of a row.
    #[cold]
    fn failed(&self, row: usize, fault: Fault) -> Error {
        Error { subject: self.constraint(row).subject(self.structure.ids()[row]), fault }
    }

    /// The error of the block between two rows.
    #[cold]
    fn block_not_finite(&self, rows: [usize; 2]) -> Error {
        let (row, other) = (rows[0].min(rows[1]), rows[0].max(rows[1]));
        self.failed(row, Fault::NotFiniteBlock(self.structure.ids()[other]))
    }

    /// The slots of a body, each with its scalar rows: a row of more than three has two slots in succession.
    #[inline(always)]
    fn slots_on(&self, body: usize) -> impl Iterator<Item = (usize, SlotRow)> + use<'a> {
        let mut before = SlotRow { row: u32::MAX, group: 0 };
        self.structure.rows_on(body).iter().enumerate().map(
            #[inline(always)]
            move |(slot, &row)| {
                let group = if row == before.row { before.group + 1 } else { 0 };
                before = SlotRow { row, group };
                (slot, before)
            },
        )
    }

    /// Whether the constraint of a row acts on a body by one operator, given by nodes.
    fn is_nodal(&self, row: usize, body: Id) -> bool {
        let constraint = self.constraint(row);
        if !constraint.is_regular() {
            return false;
        }
        match (&constraint.placement, constraint.roles_of(body)) {
            (Placement::Operators([Some(operator), _]), [true, false])
            | (Placement::Operators([_, Some(operator)]), [false, true]) => operator.by_nodes().is_some(),
            _ => false,
        }
    }

    /// The body with a role in a constraint, if it has one.
    fn body_of(&self, row: usize, role: usize) -> Option<&'a Body> {
        self.bodies.things().get(self.structure.ends(row)[role] as usize)?.as_ref()
    }

    /// A body with a role in a constraint, and its velocities, if it is rigid.
    #[inline(always)]
    fn rigid_end(&self, place: u32) -> Option<RigidEnd<'a>> {
        let body = self.bodies.things().get(place as usize)?.as_ref()?;
        let Kinematics::Rigid { rotation, center } = &body.kinematics else { return None };
        let [previous, free] = body.velocities.as_chunks().0 else { return None };
        Some((Rigid { rotation, center }, [previous, free]))
    }

    #[inline(always)]
    fn action(&self, row: usize, body: usize) -> Action<'a> {
        let constraint = self.constraint(row);
        let placement = match &constraint.placement {
            Placement::Points { frame, points: [master, slave] } => {
                PlacementRef::Points { frame, points: [master, slave] }
            }
            Placement::Operators(operators) => {
                PlacementRef::Operators([operators[0].as_ref(), operators[1].as_ref()])
            }
        };
        Action { roles: self.structure.ends(row).map(|end| end as usize == body), placement, group: 0 }
    }
}

impl Bodies for Scene<'_> {
    type Fault = Error;
    type Constraint = SlotRow;

    #[inline(always)]
    fn slots(&self, body: usize) -> usize {
        self.structure.rows_on(body).len()
    }

    #[inline(always)]
    fn constraints(&self, body: usize) -> impl Iterator<Item = (usize, SlotRow)> {
        self.slots_on(body)
    }

    fn kinematics(&self, body: usize) -> Result<KinematicsRef<'_>> {
        let rows = self.structure.rows_on(body);
        let (id, body) = self.body(body);
        Ok(match &body.kinematics {
            Kinematics::Rigid { rotation, center } => KinematicsRef::Rigid(Rigid { rotation, center }),
            Kinematics::PseudoRigid { center }
                if rows.iter().all(|&row| self.constraint(row as usize).is_at_points()) =>
            {
                KinematicsRef::PseudoRigid(PseudoRigid { center })
            }
            _ if rows.iter().all(|&row| self.is_nodal(row as usize, id)) && body.inertia.is_of_nodes() => {
                // The lifetime of A is unknown: hosts keep one A for many updates, or they pay for a new factor.
                let lifetime = MatrixLifetime::ManyUpdates;
                KinematicsRef::Mesh { nodes: body.dofs() / 3, rotation: None, lifetime }
            }
            _ => KinematicsRef::General(body.dofs()),
        })
    }

    fn inertia(&self, body: usize) -> Result<Option<inertia::InertiaRef<'_>>> {
        let (id, body) = self.body(body);
        let failed = |defect| Error::of_body(id, Fault::Matrix(FactorError::Matrix(defect)));
        body.inertia.view().map_err(failed)
    }

    fn solve(&self, body: usize, columns: &mut [f64]) -> Result {
        let (id, body) = self.body(body);
        let code = match &body.inertia {
            Inertia::Solver(solver) => solver.solve(body.dofs(), columns),
            Inertia::Member(member) => self.models.solve(member.model, columns),
            _ => 0,
        };
        if code == 0 { Ok(()) } else { Err(Error::of_body(id, Fault::Solver(code))) }
    }

    fn member(&self, body: usize) -> Option<ModelPart> {
        match &self.body(body).1.inertia {
            Inertia::Member(Member { model, place }) => {
                Some(ModelPart { model: *model, size: self.models.size(*model), place: place.clone() })
            }
            _ => None,
        }
    }

    fn check_solved(&self, body: usize, columns: &[f64]) -> Result {
        let dofs = self.body(body).1.dofs();
        // Blocks would not show a wrong value where operators are zero.
        let mut rest = columns;
        for (_, SlotRow { row, group }) in self.slots_on(body) {
            let height = (self.structure.height(row as usize) - 3 * group as usize).min(3);
            let (own, others) = rest.split_at(height * dofs);
            if !is_finite(own) {
                return Err(self.failed(row as usize, Fault::NotFinite("its diagonal block of W")));
            }
            rest = others;
        }
        Ok(())
    }

    fn action(&self, body: usize, slot: SlotRow) -> Action<'_> {
        Scene::action(self, slot.row as usize, body)
    }

    fn points(
        &self,
        body: usize,
        SlotRow { row, group }: SlotRow,
        visit: &mut dyn FnMut(f64, &Block, &Point),
    ) -> Result {
        let (id, body) = self.body(body);
        self.constraint(row as usize).each_point_on(id, body, group as usize, visit);
        Ok(())
    }

    #[inline(always)]
    fn is_kept(&self, body: usize) -> bool {
        self.plan.is_some_and(|plan| plan.is_body_kept(body))
    }

    fn fault(&self, body: usize, error: FactorError) -> Error {
        Error::of_body(self.bodies.ids()[body], error)
    }

    fn memory(&self) -> Error {
        Error::of_system(Fault::Memory)
    }
}
