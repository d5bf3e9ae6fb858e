//! Contact with friction.

use crate::math::{Block, UNIT, Vector, is_finite, length};
use crate::memory::{self, push};
use crate::rows::fault::Fault;
use crate::solve::derivatives::{Kink3, KinkKind, LawPart, LinearLaw};
use crate::solve::determinacy::{Cone, Faces, NONE};
use crate::solve::frames::Axes;
use crate::solve::interior::Lane;
use crate::solve::local::ContactSolution;
use crate::solve::problem::Normal;
use crate::solve::rolling::Coefficients;
use crate::solve::rows_of_three::{IN_ORDER, LaneOrder, WITHOUT_SECOND};
use crate::solve::state::Solution;

use super::{Contact, LawKind, first_on_disk, is_size, positive, slope_of_cone};

/// The power of two that scales numbers down if their squares would overflow.
pub const SMALL: f64 = f64::from_bits((1023 - 600) << 52);

impl LawKind for Contact {
    type Local = ContactSolution;

    const IN_FILES: i32 = 0;
    const HAS_INTERIOR: bool = true;

    fn check(&self, height: usize, part: usize, _: usize) -> Result<(), Fault> {
        let Self { friction, friction_2, cohesion, rolling_friction, torsional_friction } = *self;
        ensure!(height >= 2, Fault::Invalid("a contact has two to six scalar rows"));
        ensure!(part == 0, Fault::Invalid("a contact begins with the first scalar row"));
        let why = "its friction is negative or not finite";
        ensure!(is_size(friction) && is_size(friction_2), Fault::Invalid(why));
        let why = "a contact of two scalar rows has one coefficient of friction";
        ensure!(height > 2 || friction == friction_2, Fault::Invalid(why));
        ensure!(is_size(cohesion), Fault::Invalid("its cohesion is negative or not finite"));
        let why = "its rolling or torsional friction is negative or not finite";
        ensure!(is_size(rolling_friction) && is_size(torsional_friction), Fault::Invalid(why));
        let why = "it has rolling friction without the rows of moments about the tangents";
        ensure!(height >= 5 || rolling_friction == 0.0, Fault::Invalid(why));
        let why = "it has torsional friction without the row of the moment about the normal";
        ensure!(matches!(height, 4 | 6) || torsional_friction == 0.0, Fault::Invalid(why));
        Ok(())
    }

    fn coefficients(&self) -> [f64; 5] {
        let Self { friction, friction_2, cohesion, rolling_friction, torsional_friction } = *self;
        [friction, friction_2, cohesion, rolling_friction, torsional_friction]
    }

    fn lanes(&self, height: usize, normal: Normal) -> LaneOrder {
        if height == 2 && normal == Normal::Third { WITHOUT_SECOND } else { IN_ORDER }
    }

    #[inline(always)]
    fn frictions(&self) -> Option<[f64; 2]> {
        Some([self.friction, self.friction_2])
    }

    fn isotropic(self, friction: f64) -> Self {
        Self { friction, friction_2: friction, ..self }
    }

    #[inline(always)]
    fn cohesion(&self) -> Option<f64> {
        Some(self.cohesion)
    }

    #[inline(always)]
    fn with_moments(&self) -> Option<Coefficients> {
        let Self { friction, cohesion, rolling_friction, torsional_friction, .. } = *self;
        Some(Coefficients { limits: [friction, rolling_friction, torsional_friction], cohesion })
    }

    fn local<A: Axes>(&self, w: &Block) -> ContactSolution {
        ContactSolution::new::<A>(w, self.friction, self.cohesion)
    }

    #[inline(always)]
    fn allowed<A: Axes>(&self, r: &Vector) -> Vector {
        let shifted = |r: &Vector, by: f64| std::array::from_fn(|i| if i == A::N { r[i] + by } else { r[i] });
        shifted(&on_cone::<A>(&shifted(r, self.cohesion), self.friction), -self.cohesion)
    }

    #[inline(always)]
    fn projected<A: Axes>(&self, x: &Vector, _: f64) -> Vector {
        let mut p = [0.0; 3];
        if x[A::N] > 0.0 {
            let radius = self.friction * x[A::N];
            let size = length(x[A::S], x[A::T]);
            let scale = if size <= radius { 1.0 } else { radius / size };
            p[A::N] = x[A::N];
            p[A::S] = scale * x[A::S];
            p[A::T] = scale * x[A::T];
        }
        p
    }

    #[inline(always)]
    fn slope<A: Axes>(&self, x: &Vector, _: f64) -> Block {
        if x[A::N] > 0.0 { slope_of_cone::<A>(x, self.friction, x[A::N], false) } else { [0.0; 9] }
    }

    #[inline(always)]
    fn first_change<A: Axes>(&self, x: &Vector, d: &Vector, _: f64) -> f64 {
        let scaled = |x: &Vector| [self.friction * x[A::N], x[A::S], x[A::T]];
        positive(-x[A::N] / d[A::N]).min(first_on_disk(&scaled(x), &scaled(d)))
    }

    #[inline(always)]
    fn dual<A: Axes>(&self, x: &Vector) -> Vector {
        let mut d = [0.0; 3];
        d[A::N] = x[A::N].max(0.0);
        d
    }

    #[inline(always)]
    fn reach<A: Axes>(&self, a: &Vector) -> (f64, Vector) {
        (-self.cohesion * a[A::N], on_cone::<A>(a, self.friction))
    }

    #[inline(always)]
    fn lane<A: Axes>(&self, component: usize, _: f64) -> Option<Lane> {
        if self.friction > 0.0 {
            None
        } else if component == A::N {
            Some(Lane::Bounded(0.0, f64::INFINITY))
        } else {
            Some(Lane::Pinned(0.0))
        }
    }

    /// An open contact has no direction d. A part of a contact that slides, rolls or spins has its largest force, against its
    /// velocity: it grows with the normal force, in one direction. The other components have a direction each, and the cones
    /// |t_part / coefficient| ≤ t_N.
    fn add_faces<A: Axes>(&self, faces: &mut Faces, solution: &Solution, row: usize) -> memory::Result {
        let &Solution { laws, forces, velocities, roots, zeros, .. } = solution;
        let Self { friction, friction_2, cohesion, .. } = *self;
        faces.base[row][A::N] = -cohesion;
        if velocities[row][A::N] / roots[row] > zeros[row] {
            return Ok(());
        }
        let [_, rolling, torsion] = Coefficients::of(laws, row).map_or([0.0; 3], |own| own.limits);
        let parts: [&[(usize, usize, f64)]; 3] = [
            &[(0, A::S, friction), (0, A::T, friction_2)],
            &[(1, A::S, rolling), (1, A::T, rolling)],
            &[(1, A::N, torsion)],
        ];
        let normal = (forces[row][A::N] + cohesion).max(0.0);
        let mut ray = [[0.0; 3]; 2];
        ray[0][A::N] = 1.0;
        let top = faces.push_direction(row, ray, normal)?;
        let mut is_limited = false;
        for part in parts {
            let own = || {
                part.iter()
                    .copied()
                    .filter(|&(k, lane, most)| most > 0.0 && solution.lanes.has(row + k, lane))
            };
            let size = |value: &dyn Fn(usize, usize, f64) -> f64| {
                own().map(|(k, lane, most)| value(k, lane, most).powi(2)).sum::<f64>().sqrt()
            };
            let speed = size(&|k, lane, _| velocities[row + k][lane] / roots[row + k]);
            if speed > zeros[row] {
                let speed = size(&|k, lane, most| most * velocities[row + k][lane]);
                for (k, lane, most) in own() {
                    let u = velocities[row + k][lane];
                    if u.abs() / roots[row + k] > zeros[row] {
                        ray[k][lane] = -most * most * u / speed;
                    }
                }
                continue;
            }
            let force = size(&|k, lane, most| forces[row + k][lane] / most);
            let share = if force > normal { normal / force } else { 1.0 };
            let mut cone = Cone { directions: [top, NONE, NONE], factors: [1.0, 0.0, 0.0], shift: 0.0 };
            for (i, (k, lane, most)) in (1..).zip(own()) {
                let mut vectors = [[0.0; 3]; 2];
                vectors[k][lane] = 1.0;
                cone.directions[i] = faces.push_direction(row, vectors, share * forces[row + k][lane])?;
                cone.factors[i] = most.recip();
            }
            if cone.directions[1] != NONE {
                is_limited = true;
                push(&mut faces.cones, cone)?;
            }
        }
        faces.directions[top].vectors = ray;
        if is_limited {
            return Ok(());
        }
        push(&mut faces.cones, Cone { directions: [top, NONE, NONE], factors: [1.0, 0.0, 0.0], shift: 0.0 })
    }

    /// An open contact keeps its force, and a closed one its normal velocity.
    fn linearized<A: Axes>(
        &self,
        solution: &Solution,
        row: usize,
        law: &mut LinearLaw,
        kinks: &mut Vec<Kink3>,
    ) -> memory::Result {
        let root = solution.roots[row];
        let Some(normal) = solution.closed_force::<A>(row) else {
            if solution.velocities[row][A::N] / root <= solution.zeros[row] {
                push(kinks, Kink3 { row, lane: A::N, kind: KinkKind::Touching })?;
            }
            law.force = UNIT;
            law.numbers[6 + A::N] = root;
            return Ok(());
        };
        law.velocity[4 * A::N] = 1.0;
        let lanes = &[A::S, A::T];
        let kind = KinkKind::Sliding;
        let part = LawPart {
            lanes,
            limits: [self.friction, self.friction_2],
            columns: [0, 1],
            ratio: 1.0,
            normal,
            kind,
        };
        let pull = solution.add_part(law, row, &part, kinks)?;
        for lane in [A::S, A::T] {
            law.force[3 * A::N + lane] = pull[lane];
            law.numbers[6 + lane] = root * pull[lane];
        }
        Ok(())
    }
}

/// The closest point of the cone |x_T| ≤ friction · x_N.
#[inline(always)]
pub(super) fn on_cone<A: Axes>(x: &Vector, friction: f64) -> Vector {
    // Most forces are inside: this needs no root. The squares are neither too large nor too small.
    let most = friction * x[A::N];
    let (square, limit) = (x[A::S] * x[A::S] + x[A::T] * x[A::T], most * most);
    if most > 0.0 && square <= limit && (f64::MIN_POSITIVE..f64::INFINITY).contains(&limit) {
        return *x;
    }
    let t = length(x[A::S], x[A::T]);
    if t == f64::INFINITY { of_large::<A>(*x, friction) } else { closest::<A>(x, t, friction) }
}

/// The same, where squares overflow. The vector is passed by value: otherwise the caller would keep it in memory instead of in registers.
#[cold]
fn of_large<A: Axes>(x: Vector, friction: f64) -> Vector {
    if !is_finite(&x) {
        return closest::<A>(&x, f64::INFINITY, friction);
    }
    let small = x.map(|x| x * SMALL);
    closest::<A>(&small, length(small[A::S], small[A::T]), friction).map(|x| x / SMALL)
}

/// The closest point, where t = |x_T|.
#[inline(always)]
fn closest<A: Axes>(x: &Vector, t: f64, friction: f64) -> Vector {
    let n = x[A::N];
    if n >= 0.0 && t <= friction * n {
        return *x;
    }
    if friction * t <= -n {
        return [0.0; 3];
    }
    let normal = (n + friction * t) / (1.0 + friction * friction);
    let scale = if t > 0.0 { friction * normal / t } else { 0.0 };
    let mut p = [0.0; 3];
    p[A::N] = normal;
    p[A::S] = x[A::S] * scale;
    p[A::T] = x[A::T] * scale;
    p
}
