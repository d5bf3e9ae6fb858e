use crate::inertia::cost::{Counts, MatrixLifetime, SolveMethod, cheapest, multiplications};

/// A box of 4 × 4 × 4 hexahedra with contacts at single nodes.
const BOX: Counts = Counts {
    dofs: 375,
    factor_length: 38_000,
    symmetric: true,
    constraints: 120,
    pairs: 120 * 121 / 2,
    nodes: 98,
    nodes_of_constraint: 2.0,
    lifetime: MatrixLifetime::OneUpdate,
};

#[test]
fn counts_are_those_of_the_table() {
    let solve = 38_000.0;
    let sums = 18.0 * 98.0 * 120.0 + 72.0 * 7260.0;
    assert_eq!(multiplications(&BOX, SolveMethod::NodalInverse), 0.625 * 6.0 * 98.0 * solve + 5.0 * sums);
    assert_eq!(multiplications(&BOX, SolveMethod::HalfSolve), 360.0 * solve + 5.0 * 9.0 * 375.0 * 7260.0);
    assert_eq!(multiplications(&BOX, SolveMethod::FullSolve), 720.0 * solve + 5.0 * 45.0 * 7260.0);
    let lifetime = Counts { lifetime: MatrixLifetime::ManyUpdates, ..BOX };
    let share = 0.625 * 6.0 * 98.0 * solve / 17.0 + 5.0 * sums;
    assert!((multiplications(&lifetime, SolveMethod::NodalInverse) - share).abs() < 1e-12 * share);
    let general = Counts { symmetric: false, ..BOX };
    assert_eq!(
        multiplications(&general, SolveMethod::NodalInverse)
            - multiplications(&BOX, SolveMethod::NodalInverse),
        (1.0 - 0.625) * 6.0 * 98.0 * solve
    );
}

#[test]
fn a_matrix_that_stays_gets_its_entries() {
    let kept = Counts { lifetime: MatrixLifetime::ManyUpdates, ..BOX };
    assert_eq!(cheapest(&kept, usize::MAX), SolveMethod::NodalInverse);
    // Without the memory for them the next best.
    assert_ne!(cheapest(&kept, 1000), SolveMethod::NodalInverse);
}

#[test]
fn few_constraints_on_a_changing_matrix_are_solved_for() {
    // A pair of points inside hexahedra.
    let few = Counts { constraints: 2, pairs: 3, nodes: 16, nodes_of_constraint: 8.0, ..BOX };
    assert_eq!(cheapest(&few, usize::MAX), SolveMethod::HalfSolve);
    assert_eq!(cheapest(&Counts { symmetric: false, ..few }, usize::MAX), SolveMethod::FullSolve);
    // Many pairs cost more than the second half of the solves.
    let many = Counts { constraints: 500, pairs: 125_250, nodes: 800, ..few };
    let many = Counts { factor_length: 6000, ..many };
    assert_eq!(cheapest(&many, 0), SolveMethod::FullSolve);
}
