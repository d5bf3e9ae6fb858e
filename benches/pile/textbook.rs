//! Gauss–Seidel as textbooks have it: rows in order, for each contact the forces of all others kept, its own found by a fixed point
//! of the projection on Coulomb's cone, R ← P (R − ρ (U + μ |U_T| n)).

use ldy::rows::Bsr3;
use ldy::solve::{Kind, Law, Problem};

/// The change that ends the steps to a fixed point.
const SMALL: f64 = 1e-10;

/// W as 3×3 blocks, and B as vectors.
fn parts<'a>(problem: &Problem<'a>) -> (Bsr3<'a>, &'a [[f64; 3]]) {
    (problem.w.as_threes().expect("contacts"), problem.b.as_chunks().0)
}

/// Sweep over all contacts, whose third component is the normal one, with at most `steps` steps to a fixed point for each.
pub fn sweep(problem: &Problem, laws: &[Law], forces: &mut [[f64; 3]], steps: usize) {
    let (matrix, b) = parts(problem);
    for (row, law) in laws.iter().enumerate() {
        let Kind::Contact { friction, .. } = law.kind else { unreachable!("contacts alone") };
        let mut others: [f64; 3] = std::array::from_fn(|i| b[row][i] + law.bias[i]);
        let mut own = [0.0; 9];
        for k in matrix.starts[row] as usize..matrix.starts[row + 1] as usize {
            let (column, w) = (matrix.columns[k] as usize, &matrix.values[k]);
            if column == row {
                own = *w;
                continue;
            }
            let r = forces[column];
            for i in 0..3 {
                others[i] += w[i] * r[0] + w[3 + i] * r[1] + w[6 + i] * r[2];
            }
        }
        let rho = 1.0 / own[0].max(own[4]).max(own[8]);
        let mut r = forces[row];
        for _ in 0..steps {
            let u: [f64; 3] =
                std::array::from_fn(|i| others[i] + own[i] * r[0] + own[3 + i] * r[1] + own[6 + i] * r[2]);
            let slip = (u[0] * u[0] + u[1] * u[1]).sqrt();
            let new = projected(
                [r[0] - rho * u[0], r[1] - rho * u[1], r[2] - rho * (u[2] + friction * slip)],
                friction,
            );
            let change: f64 = (0..3).map(|i| (new[i] - r[i]).abs()).sum();
            let size: f64 = new.iter().map(|x| x.abs()).sum();
            r = new;
            if change <= SMALL * size {
                break;
            }
        }
        forces[row] = r;
    }
}

fn projected(x: [f64; 3], friction: f64) -> [f64; 3] {
    let size = (x[0] * x[0] + x[1] * x[1]).sqrt();
    if size <= friction * x[2] {
        return x;
    }
    if friction * size <= -x[2] {
        return [0.0; 3];
    }
    let normal = (x[2] + friction * size) / (1.0 + friction * friction);
    [x[0] / size * friction * normal, x[1] / size * friction * normal, normal]
}

/// ‖R − P (R − U − μ |U_T| n)‖ / ‖B + bias‖, and the same in units in which the diagonal blocks have the trace 3; the larger.
pub fn residual(problem: &Problem, laws: &[Law], forces: &[[f64; 3]]) -> f64 {
    let (matrix, b) = parts(problem);
    let mut sums = [[0.0; 2]; 2];
    for (row, law) in laws.iter().enumerate() {
        let Kind::Contact { friction, .. } = law.kind else { unreachable!("contacts alone") };
        let q: [f64; 3] = std::array::from_fn(|i| b[row][i] + law.bias[i]);
        let (mut u, mut d) = (q, 0.0);
        for k in matrix.starts[row] as usize..matrix.starts[row + 1] as usize {
            let (column, w) = (matrix.columns[k] as usize, &matrix.values[k]);
            for i in 0..3 {
                u[i] += (0..3).map(|j| w[3 * j + i] * forces[column][j]).sum::<f64>();
            }
            if column == row {
                d = (w[0] + w[4] + w[8]) / 3.0;
            }
        }
        u[2] += friction * (u[0] * u[0] + u[1] * u[1]).sqrt();
        for (sum, rho, weight) in [(0, 1.0, 1.0), (1, 1.0 / d, d)] {
            let r = forces[row];
            let p = projected(std::array::from_fn(|i| r[i] - rho * u[i]), friction);
            sums[sum][0] += weight * (0..3).map(|i| (r[i] - p[i]) * (r[i] - p[i])).sum::<f64>();
            sums[sum][1] += q.iter().map(|q| q * q).sum::<f64>() * if sum == 0 { 1.0 } else { 1.0 / d };
        }
    }
    sums.map(|[top, bottom]| (top / bottom).sqrt()).into_iter().fold(0.0, f64::max)
}
