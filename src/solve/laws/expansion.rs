//! The contact of Poisson's restitution in the second phase of an impact.

use crate::math::{Block, Vector, length};
use crate::memory::{self, push};
use crate::rows::fault::Fault;
use crate::solve::derivatives::{Kink3, KinkKind, LawPart, LinearLaw};
use crate::solve::determinacy::{Cone, Faces, NONE};
use crate::solve::frames::Axes;
use crate::solve::local::ExpansionSolution;
use crate::solve::problem::Normal;
use crate::solve::rows_of_three::{IN_ORDER, LaneOrder, WITHOUT_SECOND};
use crate::solve::state::Solution;

use super::contact::on_cone;
use super::{Expansion, LawKind, first_on_disk, is_size, positive, slope_of_cone};

impl Expansion {
    /// The closest tangential force in the disk of this normal force.
    #[inline(always)]
    fn on_disk<A: Axes>(&self, x: &Vector, normal: f64) -> Vector {
        let (radius, size) = (self.friction * normal, length(x[A::S], x[A::T]));
        let scale = if size <= radius { 1.0 } else { radius / size };
        let mut p = x.map(|x| scale * x);
        p[A::N] = normal;
        p
    }
}

impl LawKind for Expansion {
    type Local = ExpansionSolution;

    const IN_FILES: i32 = 3;
    const HAS_INTERIOR: bool = false;

    fn check(&self, height: usize, _: usize, _: usize) -> Result<(), Fault> {
        ensure!(
            matches!(height, 2 | 3),
            Fault::Invalid("a contact in expansion has two or three scalar rows")
        );
        ensure!(is_size(self.friction), Fault::Invalid("its friction is negative or not finite"));
        let why = "its least normal force is negative or not finite";
        ensure!(is_size(self.least_force), Fault::Invalid(why));
        Ok(())
    }

    fn coefficients(&self) -> [f64; 5] {
        [self.friction, self.friction, 0.0, 0.0, 0.0]
    }

    /// The least force is in the place of the lower bound of the first component.
    fn bounds(&self, component: usize) -> [f64; 2] {
        [if component == 0 { self.least_force } else { 0.0 }, 0.0]
    }

    fn lanes(&self, height: usize, normal: Normal) -> LaneOrder {
        if height == 2 && normal == Normal::Third { WITHOUT_SECOND } else { IN_ORDER }
    }

    #[inline(always)]
    fn frictions(&self) -> Option<[f64; 2]> {
        Some([self.friction; 2])
    }

    #[inline(always)]
    fn least_force(&self) -> f64 {
        self.least_force
    }

    fn local<A: Axes>(&self, w: &Block) -> ExpansionSolution {
        ExpansionSolution::new::<A>(w, self.friction, self.least_force)
    }

    /// The closest point of the cone if it has the least force, and otherwise of the disk where the cone has it.
    #[inline(always)]
    fn allowed<A: Axes>(&self, r: &Vector) -> Vector {
        let p = on_cone::<A>(r, self.friction);
        if p[A::N] >= self.least_force { p } else { self.on_disk::<A>(r, self.least_force) }
    }

    #[inline(always)]
    fn projected<A: Axes>(&self, x: &Vector, root: f64) -> Vector {
        self.on_disk::<A>(x, x[A::N].max(self.least_force * root))
    }

    #[inline(always)]
    fn slope<A: Axes>(&self, x: &Vector, root: f64) -> Block {
        let least = self.least_force * root;
        let is_closed = x[A::N] > least;
        slope_of_cone::<A>(x, self.friction, x[A::N].max(least), !is_closed)
    }

    #[inline(always)]
    fn first_change<A: Axes>(&self, x: &Vector, d: &Vector, root: f64) -> f64 {
        let least = self.least_force * root;
        let growth = if x[A::N] > least { self.friction * d[A::N] } else { 0.0 };
        let radius = [self.friction * x[A::N].max(least), x[A::S], x[A::T]];
        positive((least - x[A::N]) / d[A::N]).min(first_on_disk(&radius, &[growth, d[A::S], d[A::T]]))
    }

    #[inline(always)]
    fn dual<A: Axes>(&self, x: &Vector) -> Vector {
        let mut d = [0.0; 3];
        d[A::N] = x[A::N].max(0.0);
        d
    }

    /// Allowed forces are the sums of a force in the disk with the least force, and of a force in the cone.
    #[inline(always)]
    fn reach<A: Axes>(&self, a: &Vector) -> (f64, Vector) {
        let most = self.least_force * (a[A::N] + self.friction * length(a[A::S], a[A::T]));
        (most, on_cone::<A>(a, self.friction))
    }

    /// As a contact, but the normal force begins with the least force. So friction acts where the contact is open, too.
    fn add_faces<A: Axes>(&self, faces: &mut Faces, solution: &Solution, row: usize) -> memory::Result {
        let (force, u) = (&solution.forces[row], &solution.velocities[row]);
        let (least, friction, zero) =
            (self.least_force, self.friction, solution.zeros[row] * solution.roots[row]);
        faces.base[row][A::N] = least;
        let mut ray = [[0.0; 3]; 2];
        ray[0][A::N] = 1.0;
        let is_open = u[A::N] > zero;
        let top = match is_open {
            true => NONE,
            false => faces.push_direction(row, ray, (force[A::N] - least).max(0.0))?,
        };
        let lanes =
            || [A::S, A::T].into_iter().filter(|&lane| friction > 0.0 && solution.lanes.has(row, lane));
        let speed = lanes().map(|lane| u[lane] * u[lane]).sum::<f64>().sqrt();
        let mut cone = Cone { directions: [top, NONE, NONE], factors: [1.0, 0.0, 0.0], shift: least };
        if speed > zero {
            for lane in lanes() {
                ray[0][lane] = -friction * u[lane] / speed;
                faces.base[row][lane] = least * ray[0][lane];
            }
        } else {
            let normal = force[A::N].max(least);
            let held = self.on_disk::<A>(force, normal);
            for (i, lane) in (1..).zip(lanes()) {
                let mut vectors = [[0.0; 3]; 2];
                vectors[0][lane] = 1.0;
                cone.directions[i] = faces.push_direction(row, vectors, held[lane])?;
                cone.factors[i] = friction.recip();
            }
            if cone.directions[1] != NONE {
                push(&mut faces.cones, cone)?;
            }
        }
        if is_open {
            return Ok(());
        }
        faces.directions[top].vectors = ray;
        push(&mut faces.cones, Cone { directions: [top, NONE, NONE], factors: [1.0, 0.0, 0.0], shift: 0.0 })
    }

    /// The contact is closed beyond its least force. The limit of its friction does not depend on that force.
    fn linearized<A: Axes>(
        &self,
        solution: &Solution,
        row: usize,
        law: &mut LinearLaw,
        kinks: &mut Vec<Kink3>,
    ) -> memory::Result {
        law.has_least_force = true;
        let (root, zero) = (solution.roots[row], solution.zeros[row]);
        let (normal, velocity) = (root * solution.forces[row][A::N], solution.velocities[row][A::N] / root);
        let above = normal - root * self.least_force;
        if above > zero && (velocity <= zero || velocity < above) {
            law.velocity[4 * A::N] = 1.0;
        } else {
            if velocity <= zero {
                push(kinks, Kink3 { row, lane: A::N, kind: KinkKind::Touching })?;
            }
            law.force[4 * A::N] = 1.0;
            law.numbers[6 + A::N] = -root;
        }
        if normal <= zero {
            (law.force[4 * A::S], law.force[4 * A::T]) = (1.0, 1.0);
            return Ok(());
        }
        let (lanes, limits, kind) = (&[A::S, A::T], [self.friction; 2], KinkKind::Sliding);
        let part = LawPart { lanes, limits, columns: [0, 1], ratio: 1.0, normal, kind };
        let pull = solution.add_part(law, row, &part, kinks)?;
        for lane in [A::S, A::T] {
            law.force[3 * A::N + lane] = pull[lane];
        }
        Ok(())
    }
}
