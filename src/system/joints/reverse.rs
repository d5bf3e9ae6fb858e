//! Derivatives by what the operators of joints are made of, in the reverse order of their calculation.
//!
//! Along a direction d of the world, with t = Λᵀ d and the arm r, the row of a point is (r × t, d) and an angular row is (t, 0). For the
//! derivatives (g_Ω, g_v) by such a row those by t are g_Ω × r or g_Ω, those by r are t × g_Ω or zero, those by d are g_v + Λ ∂L/∂t, and
//! those by Λ are d (∂L/∂t)ᵀ.
#![forbid(unsafe_code)]

use crate::kinematics::rigid::DOFS;
use crate::math::{Block, Vector, cross, sum, times, transposed_times};
use crate::system::error::Checked;
use crate::system::id_table::Id;
use crate::system::model::System;

use super::rows::{End, Ends, JointRow};
use super::{ListedJoint, ListedKind};

/// Derivatives by what one side of a constraint is made of.
#[derive(Clone, Copy, Debug, Default)]
pub struct BySide {
    /// By the frame or the axes, column-major.
    pub frame: Block,
    /// By the referential point; those by the referential center are their opposite.
    pub point: Vector,
    /// By Λ, column-major.
    pub rotation: Block,
    /// By the place of the center in the world.
    pub position: Vector,
}

impl System {
    /// The constraint of the k-th joint by axes or contact with moments, its bodies, and the derivatives by both sides.
    ///
    /// `by`: the derivatives by a row of the operator of a constraint on a body, from constraint, body, and the place of the row.
    pub(in crate::system) fn reverse_joint(
        &self,
        k: usize,
        by: impl Fn(Id, Id, usize) -> [f64; DOFS],
    ) -> Checked<(Id, [Option<Id>; 2], [BySide; 2])> {
        let ListedJoint { id, bodies, kind, ref frames, ref made } = self.joints[k];
        let ends = self.ends(bodies, frames)?;
        let by = |side: usize, row: usize| bodies[side].map_or([0.0; DOFS], |body| by(id, body, row));
        let mut parted = ends;
        if let Some(centers) = &made.centers {
            parted.part(centers);
        }
        let mut sides = parted.reverse(kind, by);
        if let Some(centers) = &made.centers {
            ends.reverse_part(centers, &mut sides);
        }
        Ok((id, bodies, sides))
    }
}

impl Ends<'_> {
    /// The derivatives by both sides; `by` are those by a row of the operator of a side, signs included.
    fn reverse(&self, kind: ListedKind, by: impl Fn(usize, usize) -> [f64; DOFS]) -> [BySide; 2] {
        let axes = self.axes(kind);
        let mut sides = [BySide::default(); 2];
        for (i, &row) in kind.rows().iter().enumerate() {
            let direction = self.direction(row, &axes);
            let mut by_direction = [0.0; 3];
            for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                let own = by(side, i).map(|value| sign * value);
                let part = self.0[side].reverse_values(row, &direction, &own, &mut sides[side]);
                by_direction = sum(&by_direction, &part);
            }
            self.reverse_direction(kind, row, &by_direction, &mut sides);
        }
        sides
    }

    /// Add the derivatives by what a direction is made of.
    fn reverse_direction(&self, kind: ListedKind, row: JointRow, by: &Vector, sides: &mut [BySide; 2]) {
        let [master, slave] = &self.0;
        match (kind, row) {
            (ListedKind::Contact(_), JointRow::Point(k) | JointRow::Angular(k)) => {
                add(&mut sides[0].frame[3 * k..3 * k + 3], by);
            }
            (ListedKind::Joint(_), JointRow::Point(k) | JointRow::Angular(k)) => {
                master.reverse_axis(k, by, &mut sides[0]);
            }
            (_, JointRow::Cross) => {
                master.reverse_axis(0, &cross(&slave.axis(1), by), &mut sides[0]);
                slave.reverse_axis(1, &cross(by, &master.axis(0)), &mut sides[1]);
            }
        }
    }

    /// Go from the derivatives by the arm of the master after [`Ends::part`] to those by what it is made of: r − Λᵀ gap.
    fn reverse_part(&self, centers: &[Vector; 2], sides: &mut [BySide; 2]) {
        let ([master, slave], gap) = (&self.0, self.gap(centers));
        let by_arm = sides[0].point;
        let by_gap = times(master.rotation, &by_arm).map(|value| -value);
        add_product(&mut sides[0].rotation, &gap, &by_arm, -1.0);
        for (end, side, sign) in [(master, 0, 1.0), (slave, 1, -1.0)] {
            let by_place = by_gap.map(|value| sign * value);
            add_product(&mut sides[side].rotation, &by_place, &end.arm, 1.0);
            add(&mut sides[side].point, &transposed_times(end.rotation, &by_place));
            add(&mut sides[side].position, &by_place);
        }
    }
}

impl End<'_> {
    /// Add the derivatives by point and rotation for those by the values of a row along d; those by d.
    fn reverse_values(&self, row: JointRow, d: &Vector, by: &[f64; DOFS], to: &mut BySide) -> Vector {
        let [x, y, z, linear @ ..] = *by;
        let (spin, turned) = ([x, y, z], transposed_times(self.rotation, d));
        let (by_turned, linear) = match row {
            JointRow::Point(_) => {
                add(&mut to.point, &cross(&turned, &spin));
                (cross(&spin, &self.arm), linear)
            }
            JointRow::Angular(_) | JointRow::Cross => (spin, [0.0; 3]),
        };
        add_product(&mut to.rotation, d, &by_turned, 1.0);
        sum(&linear, &times(self.rotation, &by_turned))
    }

    /// Add the derivatives by axis and rotation for those by an axis in the world.
    fn reverse_axis(&self, k: usize, by: &Vector, to: &mut BySide) {
        let axis = [self.axes[3 * k], self.axes[3 * k + 1], self.axes[3 * k + 2]];
        add(&mut to.frame[3 * k..3 * k + 3], &transposed_times(self.rotation, by));
        add_product(&mut to.rotation, by, &axis, 1.0);
    }
}

fn add(to: &mut [f64], values: &Vector) {
    to.iter_mut().zip(values).for_each(|(to, value)| *to += value);
}

/// Add s x yᵀ to a block.
fn add_product(to: &mut Block, x: &Vector, y: &Vector, scale: f64) {
    for (column, y) in to.as_chunks_mut::<3>().0.iter_mut().zip(y) {
        add(column, &x.map(|x| scale * x * y));
    }
}
