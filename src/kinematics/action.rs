//! H of a constraint on one of its bodies: that of the master minus that of the slave, if the body is both.

use super::operator::Operator;
use super::pseudo_rigid::{self, PseudoRigid};
use super::rigid::{self, Rigid};
use crate::block::lanes::SimdLevel;
use crate::block::{Block, Vector};

/// How a constraint acts on a body: as master, as slave, or as both.
#[derive(Clone, Copy, Debug)]
pub struct Action<'a> {
    /// Whether the body is the master, and whether it is the slave.
    pub roles: [bool; 2],
    /// Where the constraint acts.
    pub placement: Placement<'a>,
}

/// Where a constraint acts on its bodies, the master first.
#[derive(Clone, Copy, Debug)]
pub enum Placement<'a> {
    /// At points, in a local frame.
    Points {
        /// E, the local frame: its axes are the columns.
        frame: &'a Block,
        /// Referential points.
        points: [&'a Vector; 2],
    },
    /// By operators H, signs included; `None` is zero.
    Operators([Option<&'a Operator>; 2]),
}

impl Action<'_> {
    /// The columns of H on a rigid body, that of the master minus that of the slave.
    #[inline(always)]
    pub fn rigid_columns<L: SimdLevel>(&self, level: L, body: &Rigid) -> [L::F64x4; rigid::DOFS] {
        let mut h = [level.zero(); rigid::DOFS];
        match self.placement {
            Placement::Points { frame, points: [master, slave] } => {
                let axes = level.transposed_columns(frame);
                if self.roles[0] {
                    h = body.columns(master, &axes);
                }
                if self.roles[1] {
                    for (h, slave) in h.iter_mut().zip(body.columns(slave, &axes)) {
                        *h = *h - slave;
                    }
                }
            }
            Placement::Operators(_) => {
                // One value more: a column is read with the value behind it.
                let mut values = [0.0; 3 * rigid::DOFS + 1];
                self.operators(|operator| operator.add_to(1.0, &mut values[..3 * rigid::DOFS]));
                for (k, h) in h.iter_mut().enumerate() {
                    *h = level.four(&values, 3 * k);
                }
            }
        }
        h
    }

    /// H at points of a pseudo-rigid body, that of the master minus that of the slave.
    ///
    /// # Panics
    /// If the constraint acts by operators: then the body has none of this form.
    #[inline(always)]
    pub fn pseudo_rigid_operator<L: SimdLevel>(
        &self,
        level: L,
        body: &PseudoRigid,
    ) -> pseudo_rigid::Operator<L::F64x4> {
        let Placement::Points { frame, points: [master, slave] } = self.placement else {
            unreachable!("a pseudo-rigid body with constraints by operators is a general one")
        };
        let mut arm = if self.roles[0] { body.arm(master) } else { [0.0; 4] };
        if self.roles[1] {
            for (arm, slave) in arm.iter_mut().zip(body.arm(slave)) {
                *arm -= slave;
            }
        }
        pseudo_rigid::Operator { axes: level.transposed_columns(frame), arm }
    }

    /// Visit the operators on the body.
    fn operators(&self, mut visit: impl FnMut(&Operator)) {
        if let Placement::Operators(operators) = self.placement {
            let own = operators.into_iter().zip(self.roles).filter(|(_, is_own)| *is_own);
            own.filter_map(|(operator, _)| operator).for_each(&mut visit);
        }
    }
}
