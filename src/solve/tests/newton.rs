//! Newton's method: its steps are the same in the space of contacts and in the space of bodies.

use crate::math::Vector;
use crate::solve::frames::NormalThird;
use crate::solve::newton::{Equations, Newton};
use crate::solve::problem::Problem3;
use crate::solve::velocities::{Input, compute};
use crate::solve::workspace::Memory;
use crate::solve::{Kind, Law};
use crate::team::Team;
use testing::Random;

use super::dense::Dense;

/// Contacts that stick, slide or are open, bounds, and joints.
fn law(row: usize) -> Law {
    let bounds = |lower, upper| Law { kind: Kind::Bounds { lower, upper }, bias: [0.0; 3] };
    match row % 4 {
        0 => Law::contact(0.8),
        1 => Law::contact(0.2),
        2 => bounds([-0.3, 0.0, f64::NEG_INFINITY], [0.2, f64::INFINITY, 0.1]),
        _ => bounds([f64::NEG_INFINITY; 3], [f64::INFINITY; 3]),
    }
}

const ROWS: usize = 12;

/// Rows with laws, and a workspace for steps.
struct Scene {
    dense: Dense,
    laws: Vec<Law>,
    memory: Memory,
    newton: Newton,
}

impl Scene {
    /// Rows of a random matrix of at most this rank.
    fn new(random: &mut Random, rank: usize, law: impl Fn(usize) -> Law) -> Self {
        let dense = Dense::new(random, ROWS, rank, 1.0);
        let laws: Vec<Law> = (0..ROWS).map(law).collect();
        let (mut memory, mut newton) = (Memory::default(), Newton::default());
        memory.prepare::<NormalThird>(&dense.problem3(), &laws).unwrap();
        newton.prepare(&dense.problem3(), &laws, u64::MAX).unwrap().unwrap();
        Self { dense, laws, memory, newton }
    }
}

/// The velocities that forces make.
fn velocities_of(problem: &Problem3, memory: &Memory, forces: &[Vector]) -> Vec<Vector> {
    let mut velocities = vec![[0.0; 3]; ROWS];
    let input = Input { problem, q: &memory.q, roots: &memory.roots, forces };
    compute(&mut Team::alone(), &input, None, &mut velocities);
    velocities
}

fn random_vectors(random: &mut Random) -> Vec<Vector> {
    (0..ROWS).map(|_| random.array()).collect()
}

#[test]
fn steps_are_the_same_in_both_spaces() {
    let mut random = Random::new(11);
    for number in 0..60 {
        let Scene { dense, laws, memory, mut newton } = Scene::new(&mut random, 18, law);
        let problem = dense.problem3();
        let [center, forces] = [(); 2].map(|()| random_vectors(&mut random));
        let velocities = velocities_of(&problem, &memory, &forces);
        let mut bodies = dense.body_space(&memory.roots);
        // What interior points leave behind does not matter.
        bodies.correct(&mut Team::alone(), |row| forces[row]);
        for (alpha, alpha_of_joints) in [(0.5, 0.5), (1e-2, 1e-6), (1e-5, 1e-5)] {
            let equations = Equations {
                problem: &problem,
                laws: &laws,
                roots: &memory.roots,
                alpha,
                alpha_of_joints,
                center: &center,
                velocities: &velocities,
            };
            let [mut one, mut other] = [forces.clone(), forces.clone()];
            assert!(newton.step::<NormalThird>(&mut Team::alone(), &equations, None, &mut one));
            assert!(newton.step::<NormalThird>(
                &mut Team::alone(),
                &equations,
                Some(&mut bodies),
                &mut other
            ));
            let size = one.as_flattened().iter().fold(0.0, |most, x| f64::max(most, x.abs()));
            for (one, other) in one.as_flattened().iter().zip(other.as_flattened()) {
                assert!((one - other).abs() < 1e-7 * size, "{number} {alpha}: {one} {other}");
            }
        }
    }
}

/// After a shortened step one law has another form than before, and none has changed before the first one.
#[test]
fn shortened_steps_end_after_the_first_change() {
    let mut random = Random::new(13);
    let mut shortened = 0;
    for number in 0..60 {
        let Scene { dense, laws, memory, mut newton } = Scene::new(&mut random, 18, law);
        let problem = dense.problem3();
        let forces = random_vectors(&mut random);
        let velocities_of = |forces: &[Vector]| velocities_of(&problem, &memory, forces);
        let at_rest = Equations {
            problem: &problem,
            laws: &laws,
            roots: &memory.roots,
            alpha: 0.01,
            alpha_of_joints: 0.01,
            center: &forces,
            velocities: &[],
        };
        let forms = |forces: &[Vector]| -> Vec<[f64; 9]> {
            let velocities = velocities_of(forces);
            let equations = Equations { velocities: &velocities, ..at_rest };
            let slope = |row| equations.linearise_row::<NormalThird>(row, forces).1;
            (0..ROWS).map(|row| slope(row).map(|x| if x == 0.0 || x == 1.0 { x } else { 0.5 })).collect()
        };
        let velocities = velocities_of(&forces);
        let equations = Equations { velocities: &velocities, ..at_rest };
        let mut next = forces.clone();
        assert!(newton.step::<NormalThird>(&mut Team::alone(), &equations, None, &mut next));
        let (whole, velocities) = (next.clone(), velocities_of(&next));
        let equations = Equations { velocities: &velocities, ..at_rest };
        if !newton.shorten::<NormalThird>(&mut Team::alone(), &equations, &mut next) {
            assert_eq!(next, whole);
            assert_eq!(forms(&next), forms(&forces), "{number}");
            continue;
        }
        shortened += 1;
        let at = |share: f64| -> Vec<Vector> {
            let mix =
                |(from, to): (&Vector, &Vector)| std::array::from_fn(|i| from[i] + share * (to[i] - from[i]));
            forces.iter().zip(&next).map(mix).collect()
        };
        assert_eq!(forms(&at(0.95)), forms(&forces), "{number}");
        assert_ne!(forms(&at(0.953)), forms(&forces), "{number}");
    }
    assert!(shortened > 40, "{shortened}");
}

/// With moments between them, a short step along Newton's direction makes the errors of all equations smaller by its length.
#[test]
fn steps_solve_the_linear_equations_of_moments() {
    let mut random = Random::new(12);
    let kind = Kind::Contact {
        friction: 0.4,
        friction_2: 0.4,
        cohesion: 0.2,
        rolling_friction: 0.3,
        torsional_friction: 0.2,
    };
    let law = |row: usize| match row {
        0 | 2 | 4 | 9 => Law { kind, bias: [0.0; 3] },
        1 | 3 | 5 | 10 => Law { kind: Kind::Moments, bias: [0.0; 3] },
        _ => law(row),
    };
    let mut limited = 0;
    for number in 0..60 {
        let Scene { dense, laws, memory, mut newton } = Scene::new(&mut random, 42, law);
        let problem = dense.problem3();
        let [center, forces] = [(); 2].map(|()| random_vectors(&mut random));
        let norm_and_step = |forces: &[Vector], newton: &mut Newton| {
            let velocities = velocities_of(&problem, &memory, forces);
            let equations = Equations {
                problem: &problem,
                laws: &laws,
                roots: &memory.roots,
                alpha: 0.1,
                alpha_of_joints: 0.1,
                center: &center,
                velocities: &velocities,
            };
            let [_, norm] = newton.norms::<NormalThird>(&mut Team::alone(), &equations, forces);
            let mut next = forces.to_vec();
            assert!(newton.step::<NormalThird>(&mut Team::alone(), &equations, None, &mut next));
            (norm, next)
        };
        let (before, next) = norm_and_step(&forces, &mut newton);
        let short = 1e-7;
        let near: Vec<Vector> = (forces.iter().zip(&next))
            .map(|(from, to)| std::array::from_fn(|i| from[i] + short * (to[i] - from[i])))
            .collect();
        let (after, _) = norm_and_step(&near, &mut newton);
        let share = (before - after) / (short * before);
        assert!((share - 1.0).abs() < 1e-4, "{number}: {share}");
        limited += usize::from(forces[0][2] > 0.0);
    }
    assert!(limited > 20, "{limited}");
}
