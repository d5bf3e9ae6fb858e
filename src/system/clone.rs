//! Copies of systems. `Clone` would abort the program if memory is exhausted.
#![forbid(unsafe_code)]

use crate::inertia::Boxed;
use crate::kinematics::Operator;
use crate::memory::{copied, with_capacity};

use super::body::{Body, Inertia};
use super::constraint::{Constraint, Irregular, Placement};
use super::dirty;
use super::error::{Checked, Error, Fault, Result};
use super::model::System;

impl System {
    /// Copy a system: bodies, constraints, and everything that its user has set, under the same ids. The copy has no results. After
    /// an update it has the bits of the original.
    ///
    /// # Errors
    /// If a body has an inverse callback, which belongs to its user, or memory is exhausted.
    pub fn try_clone(&self) -> Result<Self> {
        let bodies = self.bodies.copied(|id, body| {
            let copy = body.try_clone().map_err(|fault| Error::of_body(id, fault))?;
            Ok::<_, Error>((copy, dirty::of_body(&body.inertia)))
        })?;
        let constraints = self.constraints.copied(|id, constraint| {
            let failed = |fault| Error { subject: constraint.subject(id), fault };
            Ok::<_, Error>((constraint.try_clone().map_err(failed)?, dirty::CHANGED))
        })?;
        let data = self.data.copied(|_, data| Ok::<_, Error>((data.clone(), 0)))?;
        Ok(Self {
            bodies,
            constraints,
            data,
            joints: copied(&self.joints)?,
            irregular: self.irregular,
            compliances: self.compliances,
            options: self.options,
            ..Self::default()
        })
    }
}

impl Body {
    fn try_clone(&self) -> Checked<Self> {
        let &Self { kinematics, position, users, .. } = self;
        Ok(Self {
            kinematics,
            inertia: self.inertia.try_clone()?,
            velocities: copied(&self.velocities)?,
            position,
            users,
        })
    }
}

impl Inertia {
    fn try_clone(&self) -> Checked<Self> {
        Ok(match self {
            Self::Obstacle => Self::Obstacle,
            Self::Blocks { values, count } => Self::Blocks { values: *values, count: *count },
            Self::Dense(values) => Self::Dense(copied(values)?),
            Self::Diagonal { values, ends } => {
                Self::Diagonal { values: copied(values)?, ends: copied(ends)? }
            }
            Self::Matrix { starts, rows, values } => {
                Self::Matrix { starts: copied(starts)?, rows: copied(rows)?, values: copied(values)? }
            }
            Self::Solver(_) | Self::Member(_) => {
                return Err(Fault::Invalid(
                    "its inverse callback cannot be copied: give it another inertia to clone the system",
                ));
            }
        })
    }
}

impl Constraint {
    fn try_clone(&self) -> Checked<Self> {
        let copy = |own: &Option<Operator>| own.as_ref().map(Operator::try_clone).transpose();
        let placement = match &self.placement {
            &Placement::Points { frame, points } => Placement::Points { frame, points },
            Placement::Operators([first, second]) => Placement::Operators([copy(first)?, copy(second)?]),
        };
        let irregular = match &self.irregular {
            Some(own) => Some(Boxed::new(own.try_clone()?)?),
            None => None,
        };
        Ok(Self { bodies: self.bodies, placement, compliance: self.compliance, rows: self.rows, irregular })
    }
}

impl Irregular {
    fn try_clone(&self) -> Checked<Self> {
        let mut others = with_capacity(self.others.len())?;
        for (body, operator) in &self.others {
            others.push((*body, operator.try_clone()?));
        }
        Ok(Self { others, compliance: copied(&self.compliance)?, shift: self.shift })
    }
}
