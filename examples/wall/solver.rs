//! Block Gauss–Seidel for C(U, R) = 0, U = B + W R, theory (11): contact by contact, the force that obeys the law of
//! Signorini and Coulomb while all others are kept.

/// 3×3, column-major.
pub type Block = [f64; 9];
/// Two tangents, then the normal.
pub type Vector = [f64; 3];

/// A row of block-sparse W; the diagonal block is among the blocks.
pub struct Row<'a> {
    pub diagonal: &'a Block,
    pub columns: &'a [i32],
    pub blocks: &'a [Block],
}

/// U = B + W R, as a solver sees it.
pub trait LocalDynamics {
    fn free_velocity(&self, row: usize) -> Vector;
    fn row(&self, row: usize) -> Row<'_>;
}

/// The law of one contact: 0 ≤ R_N ⟂ U_N + bias ≥ 0, and R_T against sliding, at most friction · R_N.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    pub friction: f64,
    /// Restitution e V_N of an approach V_N < 0, or an open gap over the step.
    pub bias: f64,
}

/// How the iteration ended.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub sweeps: usize,
    /// Work of the last changes of R over work of R, square root.
    pub change: f64,
}

/// Improves the forces until a sweep changes them by less than `tolerance`, or `sweeps` have been made.
pub fn solve(
    system: &impl LocalDynamics,
    laws: &[Law],
    forces: &mut [Vector],
    tolerance: f64,
    sweeps: usize,
) -> Outcome {
    let mut outcome = Outcome { sweeps: 0, change: 0.0 };
    while outcome.sweeps < sweeps {
        let (mut changed, mut whole) = (0.0, f64::MIN_POSITIVE);
        for row in order(outcome.sweeps, laws.len()) {
            let old = forces[row];
            let w = system.row(row);
            forces[row] = [0.0; 3];
            let others = velocity(system.free_velocity(row), &w, forces);
            forces[row] = local_force(w.diagonal, others, &laws[row], old);
            let new = forces[row];
            changed += energy(w.diagonal, std::array::from_fn(|i| new[i] - old[i]));
            whole += energy(w.diagonal, new);
        }
        outcome.sweeps += 1;
        outcome.change = f64::sqrt(changed / whole);
        if outcome.change <= tolerance {
            break;
        }
    }
    outcome
}

/// Forwards and backwards in turn: forces travel through a stack in either direction.
fn order(sweep: usize, rows: usize) -> impl Iterator<Item = usize> {
    (0..rows).map(move |row| if sweep.is_multiple_of(2) { row } else { rows - 1 - row })
}

/// B_α + Σ_β W_αβ R_β.
fn velocity(free: Vector, row: &Row<'_>, forces: &[Vector]) -> Vector {
    let mut sum = free;
    for (column, block) in row.columns.iter().zip(row.blocks) {
        let part = times(block, forces[*column as usize]);
        sum = std::array::from_fn(|i| sum[i] + part[i]);
    }
    sum
}

/// The force that obeys the law if it adds W R to the velocity of the others; `guess` is where to begin.
pub fn local_force(w: &Block, others: Vector, law: &Law, guess: Vector) -> Vector {
    let biased = [others[0], others[1], others[2] + law.bias];
    let holds = |stuck: &Vector| stuck[2] >= 0.0 && stuck[0].hypot(stuck[1]) <= law.friction * stuck[2];
    if let Some(stuck) = solved(w, biased.map(|u| -u)).filter(holds) {
        return stuck;
    }
    let mut force = guess;
    for _ in 0..100 {
        let before = force;
        let velocity = |force: Vector| {
            let own = times(w, force);
            std::array::from_fn::<f64, 3, _>(|i| biased[i] + own[i])
        };
        force[2] = (force[2] - velocity(force)[2] / w[8]).max(0.0);
        let sliding = velocity(force);
        let reach = 2.0 / (w[0] + w[4]);
        let pushed = [force[0] - reach * sliding[0], force[1] - reach * sliding[1]];
        let (length, most) = (pushed[0].hypot(pushed[1]), law.friction * force[2]);
        let shorter = if length > most { most / length } else { 1.0 };
        force = [pushed[0] * shorter, pushed[1] * shorter, force[2]];
        let difference = std::array::from_fn(|i| force[i] - before[i]);
        if energy(w, difference) <= 1e-24 * energy(w, force) {
            break;
        }
    }
    force
}

fn times(b: &Block, x: Vector) -> Vector {
    std::array::from_fn(|i| b[i] * x[0] + b[3 + i] * x[1] + b[6 + i] * x[2])
}

/// x · W x.
fn energy(w: &Block, x: Vector) -> f64 {
    times(w, x).iter().zip(x).map(|(y, x)| y * x).sum()
}

/// W⁻¹ x by Cramer's rule; none of a singular W.
fn solved(w: &Block, x: Vector) -> Option<Vector> {
    let column = |j: usize| [w[3 * j], w[3 * j + 1], w[3 * j + 2]];
    let determinant = |a: Vector, b: Vector, c: Vector| {
        a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    let (a, b, c) = (column(0), column(1), column(2));
    let whole = determinant(a, b, c);
    let size = w[0] * w[4] * w[8];
    (whole > 1e-12 * size)
        .then(|| [determinant(x, b, c), determinant(a, x, c), determinant(a, b, x)].map(|part| part / whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A particle of mass 1 on a plane, h = 1: W is the unit matrix.
    const UNIT: Block = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    const LAW: Law = Law { friction: 0.5, bias: 0.0 };

    #[test]
    fn what_leaves_is_free() {
        assert_eq!(local_force(&UNIT, [1.0, 2.0, 0.1], &LAW, [0.0, 0.0, 3.0]), [0.0; 3]);
    }

    #[test]
    fn slow_things_stick() {
        assert_eq!(local_force(&UNIT, [0.3, -0.2, -1.0], &LAW, [0.0; 3]), [-0.3, 0.2, 1.0]);
    }

    #[test]
    fn fast_things_slide() {
        let force = local_force(&UNIT, [3.0, -4.0, -2.0], &LAW, [0.0; 3]);
        let expected = [-0.6, 0.8, 2.0];
        assert!(force.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{force:?}");
    }

    /// With coupled normal and tangents: U_N = 0, |R_T| = μ R_N, and R_T against U_T.
    #[test]
    fn coupled_sliding_obeys_the_law() {
        let w = [2.0, 0.3, 0.4, 0.3, 1.0, -0.2, 0.4, -0.2, 1.5];
        let others = [3.0, 1.0, -2.0];
        let r = local_force(&w, others, &LAW, [0.0; 3]);
        let own = times(&w, r);
        let u: Vector = std::array::from_fn(|i| others[i] + own[i]);
        assert!(u[2].abs() < 1e-10 && r[2] > 0.0);
        assert!((r[0].hypot(r[1]) - 0.5 * r[2]).abs() < 1e-10);
        assert!((r[0] * u[1] - r[1] * u[0]).abs() < 1e-9 && r[0] * u[0] + r[1] * u[1] < 0.0);
    }

    #[test]
    fn restitution_throws_back() {
        let law = Law { friction: 0.0, bias: 0.5 * -2.0 };
        // U_N = −2 + R_N is to be 1.
        assert_eq!(local_force(&UNIT, [0.0, 0.0, -2.0], &law, [0.0; 3])[2], 3.0);
    }

    struct Chain([i32; 2], [[Block; 2]; 2]);

    impl LocalDynamics for Chain {
        fn free_velocity(&self, _: usize) -> Vector {
            [0.0, 0.0, -1.0]
        }
        fn row(&self, row: usize) -> Row<'_> {
            Row { diagonal: &self.1[row][row], columns: &self.0, blocks: &self.1[row] }
        }
    }

    /// Two contacts that push on each other: 2 R − R = 1 of both.
    #[test]
    fn contacts_settle_together() {
        let (own, other) = (UNIT.map(|w| 2.0 * w), UNIT.map(|w| -w));
        let system = Chain([0, 1], [[own, other], [other, own]]);
        let mut forces = [[0.0; 3]; 2];
        let outcome = solve(&system, &[LAW; 2], &mut forces, 1e-12, 100);
        assert!(outcome.sweeps < 100 && outcome.change <= 1e-12);
        assert!(forces.iter().all(|force| (force[2] - 1.0).abs() < 1e-11), "{forces:?}");
    }
}
