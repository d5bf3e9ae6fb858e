//! The rows of joints: operators H of rigid bodies.
//!
//! Along a direction d of the world, a point X of a body has the velocity d · (Λ (Ω × r) + v) = Ω · (r × Λᵀ d) + d · v with the arm
//! r = X − X̄, and the angular velocity is d · Λ Ω = Ω · Λᵀ d. No place in the world is needed.
#![forbid(unsafe_code)]

use crate::kinematics::rigid::DOFS;
use crate::math::{Block, UNIT, Vector, cross, difference, of_columns, sum, times, transposed_times};
use crate::system::MOST_ROWS;

use super::{JointFrame, JointKind, ListedKind};

/// A row of a joint.
#[derive(Clone, Copy, Debug)]
pub enum JointRow {
    /// The velocity of the point along an axis.
    Point(usize),
    /// The angular velocity along an axis.
    Angular(usize),
    /// The angular velocity along the cross product of the master's first and the slave's second axis.
    Cross,
}

impl JointKind {
    /// The rows in their order.
    pub fn rows(self) -> &'static [JointRow] {
        use JointRow::{Angular, Cross, Point};
        match self {
            Self::Hinge => &[Point(0), Point(1), Point(2), Angular(0), Angular(1)],
            Self::Slider => &[Point(0), Point(1), Angular(0), Angular(1), Angular(2)],
            Self::Universal => &[Point(0), Point(1), Point(2), Cross],
            Self::Weld => &[Point(0), Point(1), Point(2), Angular(0), Angular(1), Angular(2)],
            Self::HingeLimit => &[Angular(2)],
            Self::SliderLimit => &[Point(2)],
        }
    }
}

/// An end of a joint: its frame on a body, and the rotation of the body.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    pub(super) axes: &'a Block,
    /// Λ.
    pub(super) rotation: &'a Block,
    /// From the center to the point, referential; for the ground the point.
    pub(super) arm: Vector,
}

impl<'a> End<'a> {
    /// The end on a body with this Λ and this referential center.
    pub fn new(frame: &'a JointFrame, rotation: &'a Block, center: &Vector) -> Self {
        Self { axes: &frame.axes, rotation, arm: difference(&frame.point, center) }
    }

    /// The end on the ground.
    pub fn of_ground(frame: &'a JointFrame) -> Self {
        Self::new(frame, &UNIT, &[0.0; 3])
    }

    /// An axis in the world.
    pub fn axis(&self, k: usize) -> Vector {
        times(self.rotation, &[self.axes[3 * k], self.axes[3 * k + 1], self.axes[3 * k + 2]])
    }

    /// The place of the point in the world, if the center is there.
    pub fn place(&self, center: &Vector) -> Vector {
        sum(center, &times(self.rotation, &self.arm))
    }

    /// The values of a row along d, for the body of this end.
    fn values(&self, row: JointRow, d: &Vector) -> [f64; DOFS] {
        let turned = transposed_times(self.rotation, d);
        match row {
            JointRow::Point(_) => {
                let [x, y, z] = cross(&self.arm, &turned);
                [x, y, z, d[0], d[1], d[2]]
            }
            JointRow::Angular(_) | JointRow::Cross => [turned[0], turned[1], turned[2], 0.0, 0.0, 0.0],
        }
    }
}

/// Master and slave.
#[derive(Clone, Copy, Debug)]
pub struct Ends<'a>(pub [End<'a>; 2]);

impl Ends<'_> {
    pub fn rotations(&self) -> [Block; 2] {
        self.0.map(|end| *end.rotation)
    }

    /// Master's point − slave's point in the world.
    pub fn gap(&self, centers: &[Vector; 2]) -> Vector {
        let [master, slave] = &self.0;
        difference(&master.place(&centers[0]), &slave.place(&centers[1]))
    }

    /// Move the master's point to the place of the slave's point. Then U is the rate of the gap in the axes of the master, which turn.
    pub fn part(&mut self, centers: &[Vector; 2]) {
        let gap = self.gap(centers);
        let master = &mut self.0[0];
        master.arm = difference(&master.arm, &transposed_times(master.rotation, &gap));
    }

    /// The axes of the rows in the world. The master has them and they turn with it, or a contact has them.
    pub fn axes(&self, kind: ListedKind) -> Block {
        let master = &self.0[0];
        match kind {
            ListedKind::Joint(_) => of_columns([master.axis(0), master.axis(1), master.axis(2)]),
            ListedKind::Contact(_) => *master.axes,
        }
    }

    /// The direction of a row in the world.
    pub fn direction(&self, row: JointRow, axes: &Block) -> Vector {
        match row {
            JointRow::Point(k) | JointRow::Angular(k) => [axes[3 * k], axes[3 * k + 1], axes[3 * k + 2]],
            JointRow::Cross => cross(&self.0[0].axis(0), &self.0[1].axis(1)),
        }
    }

    /// The operator of the master (side 0) or the slave (side 1), signs included: rows × 6 values, column-major; zeros after them.
    pub fn operator(&self, kind: ListedKind, side: usize) -> [f64; MOST_ROWS * DOFS] {
        let (rows, axes) = (kind.rows(), self.axes(kind));
        let mut h = [0.0; MOST_ROWS * DOFS];
        for (i, &row) in rows.iter().enumerate() {
            let values = self.0[side].values(row, &self.direction(row, &axes));
            for (j, value) in values.into_iter().enumerate() {
                h[rows.len() * j + i] = if side == 0 { value } else { -value };
            }
        }
        h
    }
}
