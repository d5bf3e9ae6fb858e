//! One body of many dofs with many constraints, as a robot is: updates with all setters beside products by OpenBLAS.

use std::time::{Duration, Instant};

use ldy::system::{Id, Inertia, Jacobian, Kinematics, Operator, System};

use crate::blas::Blas;
use ldy_benches::scenes::STEP;
use ldy_benches::{median, said, threads};
use testing::Random;

/// The dofs of a humanoid robot.
const DOFS: usize = 34;
const CONSTRAINTS: usize = 64;
const ROWS: usize = 3 * CONSTRAINTS;
/// Nonzero columns of a sparse operator: the floating base and a chain of joints, 38 % of all.
const BASE: usize = 6;
const CHAIN: usize = 7;

/// The most that an update may take: with dense operators over the products, with sparse ones over dense ones.
const MOST_OVER_PRODUCTS: f64 = 1.5;
const MOST_OVER_DENSE: f64 = 0.6;

const WARM_UP: usize = 50;
const TURNS: usize = 2000;
/// Different matrices.
const STATES: usize = 8;
const TOLERANCE: f64 = 1e-11;

/// Matrices of a step.
struct State {
    /// A⁻¹.
    inverse: Vec<f64>,
    /// H of each constraint, 3 × dofs.
    operators: Vec<Vec<f64>>,
    /// All rows in one matrix.
    all: Vec<f64>,
    /// The same by rows without zeros: starts, columns, values.
    compressed: (Vec<i32>, Vec<i32>, Vec<f64>),
}

impl State {
    fn new(random: &mut Random, is_sparse: bool) -> Self {
        let factor: Vec<f64> = (0..DOFS * DOFS).map(|_| random.signed()).collect();
        let mut inverse = vec![0.0; DOFS * DOFS];
        for i in 0..DOFS {
            for j in 0..=i {
                let product: f64 = (0..DOFS).map(|k| factor[DOFS * k + i] * factor[DOFS * k + j]).sum();
                let entry = product / DOFS as f64 + if i == j { 1.0 } else { 0.0 };
                (inverse[DOFS * i + j], inverse[DOFS * j + i]) = (entry, entry);
            }
        }
        let operator = |constraint: usize| {
            let first = BASE + constraint * CHAIN % (DOFS - BASE);
            let is_kept =
                |column: usize| !is_sparse || column < BASE || (first..first + CHAIN).contains(&column);
            let mut value = |k: usize| if is_kept(k / 3) { random.signed() } else { 0.0 };
            (0..3 * DOFS).map(&mut value).collect()
        };
        let operators: Vec<Vec<f64>> = (0..CONSTRAINTS).map(operator).collect();
        let mut all = vec![0.0; ROWS * DOFS];
        for (constraint, h) in operators.iter().enumerate() {
            for (column, h) in h.chunks_exact(3).enumerate() {
                all[ROWS * column + 3 * constraint..][..3].copy_from_slice(h);
            }
        }
        let mut compressed = (vec![0], vec![], vec![]);
        for row in 0..ROWS {
            for column in (0..DOFS).filter(|column| all[ROWS * column + row] != 0.0) {
                compressed.1.push(column as i32);
                compressed.2.push(all[ROWS * column + row]);
            }
            compressed.0.push(compressed.1.len() as i32);
        }
        Self { inverse, operators, all, compressed }
    }
}

/// A body with its constraints, and how long it took.
struct Robot {
    system: System,
    is_sparse: bool,
    states: Vec<State>,
    set: Vec<Duration>,
    whole: Vec<Duration>,
}

impl Robot {
    fn new(is_sparse: bool) -> Result<Self, String> {
        let mut random = Random::new(7);
        let states: Vec<State> = (0..STATES).map(|_| State::new(&mut random, is_sparse)).collect();
        let mut system = System::new();
        let inertia = said(Inertia::dense(DOFS, &states[0].inverse))?;
        let body = said(system.add_body(DOFS, Kinematics::General, inertia))?;
        for h in &states[0].operators {
            let operator = said(Operator::dense(3, DOFS, h))?;
            said(system.add_constraint_rows(&[body], vec![operator]))?;
        }
        Ok(Self { system, is_sparse, states, set: vec![], whole: vec![] })
    }

    /// Give the library everything of a step, and update.
    fn turn(&mut self, number: usize) -> Result<(), String> {
        let state = &self.states[number % STATES];
        let start = Instant::now();
        said(self.system.set_dense(0, DOFS, &state.inverse))?;
        let (shape, (starts, indices, values)) = ([ROWS, DOFS], &state.compressed);
        let jacobian = match self.is_sparse {
            true => Jacobian::Sparse { shape, starts, counts: None, indices, values },
            false => Jacobian::Dense { values: &state.all, shape, strides: [1, ROWS] },
        };
        said(self.system.set_jacobian(std::iter::once(0), 0..CONSTRAINTS as Id, &jacobian))?;
        let set = start.elapsed();
        said(self.system.update(STEP))?;
        if number >= WARM_UP {
            self.set.push(set);
            self.whole.push(start.elapsed());
        }
        Ok(())
    }

    /// The largest difference from W, relative to the largest entry.
    fn difference(&self, w: &[f64]) -> Result<f64, String> {
        let rows = said(self.system.results())?;
        let largest = w.iter().fold(0.0, |largest: f64, w| largest.max(w.abs()));
        let (mut worst, mut count) = (0.0, 0);
        for row in 0..CONSTRAINTS {
            for (column, block) in rows.w.row(row) {
                for (at, value) in block.iter().enumerate() {
                    let difference =
                        (value - w[ROWS * (3 * column + at / 3) + 3 * row + at % 3]).abs() / largest;
                    // NaN counts as a difference.
                    worst = if difference <= worst { worst } else { difference };
                }
                count += 1;
            }
        }
        let is_rounding = worst <= TOLERANCE;
        if count != CONSTRAINTS * CONSTRAINTS || !is_rounding {
            return Err(format!("{count} blocks, which differ by {worst:e} from those of OpenBLAS"));
        }
        Ok(worst)
    }
}

/// Measure and print the targets.
///
/// # Errors
/// If OpenBLAS is missing, or matrices differ.
pub fn measure() -> Result<(), String> {
    threads::set(1);
    let blas = Blas::load()?;
    let mut robots = [Robot::new(false)?, Robot::new(true)?];
    let (mut half, mut w) = (vec![0.0; ROWS * DOFS], vec![0.0; ROWS * ROWS]);
    let mut products = vec![];
    for number in 0..WARM_UP + TURNS {
        let state = &robots[0].states[number % STATES];
        let start = Instant::now();
        blas.delassus(STEP, [ROWS, DOFS], &state.all, &state.inverse, &mut half, &mut w);
        if number >= WARM_UP {
            products.push(start.elapsed());
        }
        for robot in &mut robots {
            robot.turn(number)?;
        }
    }
    let last = (WARM_UP + TURNS - 1) % STATES;
    let milliseconds = |times: Vec<Duration>| median(&times).as_secs_f64() * 1e3;
    let products = milliseconds(products);
    let mut whole = [0.0; 2];
    for (k, (robot, name)) in robots.into_iter().zip(["dense", "sparse"]).enumerate() {
        let state = &robot.states[last];
        blas.delassus(STEP, [ROWS, DOFS], &state.all, &state.inverse, &mut half, &mut w);
        let difference = robot.difference(&w)?;
        whole[k] = milliseconds(robot.whole);
        println!(
            "articulated {name} dofs={DOFS} constraints={CONSTRAINTS} set_and_update_ms={:.4} set_ms={:.4} openblas_ms={products:.4} \
             threads=1 difference={difference:.1e}",
            whole[k],
            milliseconds(robot.set),
        );
    }
    println!("target articulated-64 {:.3} {MOST_OVER_PRODUCTS}", whole[0] / products);
    println!("target sparse-operators {:.3} {MOST_OVER_DENSE}", whole[1] / whole[0]);
    Ok(())
}
