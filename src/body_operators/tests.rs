pub mod given_inverse;

use nalgebra::{DMatrix, Matrix3, Matrix3xX};
use testing::matrices::{inverse_of, nonzero};

use super::*;
use crate::inertia::{self, Inverse, Matrix, Sparse, Structure};
use crate::kinematics::finite_element::{Element, Location, NodalOperator};
use crate::math::{Vector, has_negative_zero};

/// Numbers that look random, between −½ and ½.
fn value(k: usize) -> f64 {
    ((k * 7919 + 104729) % 1009) as f64 / 1009.0 - 0.5
}

fn close(got: &Block, expected: &Matrix3<f64>, scale: f64) -> bool {
    (Matrix3::from_column_slice(got) - expected).amax() < 1e-13 * scale
}

#[test]
fn dense_blocks_are_products_of_operators_and_inverse() {
    for dofs in [1, 6, 7, 12] {
        let inverse: Vec<f64> = (0..dofs * dofs).map(value).collect();
        let mut panel = Panel::default();
        let general = panel.start_general(3, dofs).unwrap();
        for slot in 0..3 {
            let h: Vec<f64> = (0..3 * dofs).map(|k| value(k + 100 * slot)).collect();
            general.add_dense(slot, &h);
        }
        let inertia = InertiaRef::Inverse(Inverse::Dense(inertia::Dense::new(dofs, &inverse).unwrap()));
        panel.apply(0.125, &inertia, &mut Workspace::default()).unwrap();
        let h = |slot: usize| Matrix3xX::from_fn(dofs, |i, j| value(3 * j + i + 100 * slot));
        let inverse = DMatrix::from_column_slice(dofs, dofs, &inverse);
        for (row, column) in [(0, 1), (1, 0), (2, 2)] {
            let expected = 0.125 * h(row) * &inverse * h(column).transpose();
            assert!(close(&panel.block(row, column), &expected, 1.0), "{dofs} {row} {column}");
        }
    }
}

/// A row of hexahedra: `cells` cells, 4 (cells + 1) nodes.
struct Bar {
    cells: usize,
}

impl Bar {
    fn nodes(&self) -> usize {
        4 * (self.cells + 1)
    }

    fn element(&self, cell: usize) -> Element {
        let nodes: Vec<i32> = (0..8).map(|k| (4 * cell + k) as i32).collect();
        Element::new(&nodes, self.nodes()).unwrap()
    }

    /// Points of constraints: some in the middle of cells, some at nodes.
    fn operators(&self) -> Vec<NodalOperator> {
        let places: [(usize, Vector); 5] = [
            (0, [0.25, -0.5, 0.125]),
            (self.cells - 1, [1.0, 1.0, 1.0]),
            (1, [-1.0, -1.0, -1.0]),
            (1, [0.5, 0.0, -0.75]),
            (0, [1.0, 1.0, -1.0]),
        ];
        let operator = |(k, (cell, xi)): (usize, (usize, Vector))| {
            let frame: Block = std::array::from_fn(|i| value(31 * k + i));
            NodalOperator::new(&Location { element: self.element(cell), xi }, &frame, None)
        };
        places.into_iter().enumerate().map(operator).collect()
    }

    /// A well-conditioned matrix that couples neighbor nodes.
    fn matrix(&self, symmetric: bool) -> DMatrix<f64> {
        let n = 3 * self.nodes();
        DMatrix::from_fn(n, n, |i, j| match (i / 3).abs_diff(j / 3) {
            _ if i == j => 8.0,
            0..=4 if symmetric => 0.5 * (value(n * i.max(j) + i.min(j))),
            0..=4 => 0.5 * value(n * i + j),
            _ => 0.0,
        })
    }
}

/// Blocks of a panel with the operators of the bar against H A⁻¹ Hᵀ; the last slot is free, the second last the difference
/// of two points.
fn check(bar: &Bar, panel: &mut Panel, inertia: &InertiaRef, inverse: &DMatrix<f64>) {
    let operators = bar.operators();
    let both = [
        operators[1],
        NodalOperator::new(
            &Location { element: bar.element(0), xi: [0.5, 0.25, 0.0] },
            &std::array::from_fn(|i| value(31 + i)),
            None,
        ),
    ];
    let nodal = panel.start_nodal(operators.len() + 2, bar.nodes(), MatrixLifetime::ManyUpdates).unwrap();
    operators.iter().enumerate().for_each(|(slot, operator)| nodal.add(slot, 1.0, operator));
    nodal.add(operators.len(), 1.0, &both[0]);
    nodal.add(operators.len(), -1.0, &both[1]);
    panel.apply(0.25, inertia, &mut Workspace::default()).unwrap();

    let dense = |operator: &NodalOperator| {
        let mut h = vec![0.0; 9 * bar.nodes()];
        operator.add_to(1.0, &mut h);
        Matrix3xX::from_column_slice(&h)
    };
    let mut h: Vec<_> = operators.iter().map(dense).collect();
    h.push(dense(&both[0]) - dense(&both[1]));
    for (row, own) in h.iter().enumerate() {
        for (column, other) in h.iter().enumerate() {
            let expected = 0.25 * own * inverse * other.transpose();
            assert!(close(&panel.block(row, column), &expected, inverse.amax()), "{row} {column}");
        }
        assert_eq!(panel.block(row, h.len()), [0.0; 9]);
    }
}

#[test]
fn nodal_blocks_with_explicit_inverses() {
    let bar = Bar { cells: 3 };
    let full = bar.matrix(false);
    let diagonal = DMatrix::from_diagonal(&full.diagonal());
    let blocks =
        DMatrix::from_fn(full.nrows(), full.ncols(), |i, j| if i / 3 == j / 3 { full[(i, j)] } else { 0.0 });
    for inverse in [full, diagonal, blocks] {
        let (starts, rows, values) = nonzero(&inverse, |_, _| true);
        let sparse = Inverse::Sparse(Sparse::new(&starts, &rows, &values).unwrap());
        check(&bar, &mut Panel::default(), &InertiaRef::Inverse(sparse), &inverse);
        let dense = Inverse::Dense(inertia::Dense::new(inverse.nrows(), inverse.as_slice()).unwrap());
        check(&bar, &mut Panel::default(), &InertiaRef::Inverse(dense), &inverse);
    }
}

/// A small body uses other methods for its blocks than a long one, and an unchanged matrix other methods than a new one.
#[test]
fn nodal_blocks_with_factored_matrices() {
    for cells in [2, 3, 12] {
        for structure in [Structure::PositiveDefinite, Structure::General] {
            let bar = Bar { cells };
            let mut panel = Panel::default();
            for change in [0.0, 0.0, 0.0, 1.0] {
                let symmetric = structure == Structure::PositiveDefinite;
                let mut matrix = bar.matrix(symmetric);
                matrix[(0, 0)] += change;
                let (starts, rows, values) = nonzero(&matrix, |i, j| i >= j || !symmetric);
                let inertia =
                    InertiaRef::Matrix(Matrix { structure, starts: &starts, rows: &rows, values: &values });
                check(&bar, &mut panel, &inertia, &inverse_of(&matrix));
            }
        }
    }
}

/// Slots with axes along the axes of space, of either sign, for each method of making their blocks.
#[test]
fn entries_that_are_zero_have_no_sign() {
    let bar = Bar { cells: 3 };
    let frames: [Block; 2] = [1.0, -1.0].map(|sign| [0.0, sign, 0.0, 0.0, 0.0, -sign, sign, 0.0, 0.0]);
    let check = |panel: &mut Panel, inertia: &InertiaRef| {
        let nodal = panel.start_nodal(4, bar.nodes(), MatrixLifetime::ManyUpdates).unwrap();
        for (slot, (frame, sign)) in frames.iter().flat_map(|frame| [(frame, 1.0), (frame, -1.0)]).enumerate()
        {
            let place = Location { element: bar.element(slot % 2), xi: [1.0, -1.0, 0.0] };
            nodal.add(slot, sign, &NodalOperator::new(&place, frame, None));
        }
        panel.apply(0.25, inertia, &mut Workspace::default()).unwrap();
        for (row, column) in (0..4).flat_map(|row| (0..4).map(move |column| (row, column))) {
            let block = panel.block(row, column);
            assert!(block.iter().filter(|&&entry| entry == 0.0).count() >= 6 && !has_negative_zero(&block));
        }
    };
    // Three matrices that do not couple directions: a node with itself alone, neighbors, and these without symmetry.
    let n = 3 * bar.nodes();
    let of_nodes = |coupling: fn(usize, usize) -> f64| {
        DMatrix::from_fn(n, n, |i, j| if i % 3 == j % 3 { coupling(i / 3, j / 3) } else { 0.0 })
    };
    for (matrix, structure) in [
        (of_nodes(|a, b| if a == b { 2.0 } else { 0.0 }), Structure::PositiveDefinite),
        (of_nodes(|a, b| if a == b { 2.0 } else { -0.01 }), Structure::PositiveDefinite),
        (of_nodes(|a, b| if a <= b { 1.0 / (1 + b - a) as f64 } else { 0.0 }), Structure::General),
    ] {
        let (starts, rows, values) = nonzero(&matrix, |_, _| true);
        let sparse = Inverse::Sparse(Sparse::new(&starts, &rows, &values).unwrap());
        check(&mut Panel::default(), &InertiaRef::Inverse(sparse));
        let is_kept = |i, j| i >= j || structure == Structure::General;
        let (starts, rows, values) = nonzero(&matrix, is_kept);
        let inertia = InertiaRef::Matrix(Matrix { structure, starts: &starts, rows: &rows, values: &values });
        let mut panel = Panel::default();
        for _ in 0..3 {
            check(&mut panel, &inertia);
        }
    }
}

#[test]
fn dense_blocks_with_factored_matrices() {
    let bar = Bar { cells: 1 };
    let matrix = bar.matrix(true);
    let (starts, rows, values) = nonzero(&matrix, |i, j| i >= j);
    let structure = Structure::PositiveDefinite;
    let inertia = InertiaRef::Matrix(Matrix { structure, starts: &starts, rows: &rows, values: &values });
    let mut panel = Panel::default();
    let general = panel.start_general(2, matrix.nrows()).unwrap();
    for slot in 0..2 {
        let h: Vec<f64> = (0..3 * matrix.nrows()).map(|k| value(k + 1000 * slot)).collect();
        general.add_dense(slot, &h);
    }
    panel.apply(2.0, &inertia, &mut Workspace::default()).unwrap();
    let h = |slot: usize| Matrix3xX::from_fn(matrix.nrows(), |i, j| value(3 * j + i + 1000 * slot));
    let expected = 2.0 * h(0) * inverse_of(&matrix) * h(1).transpose();
    assert!(close(&panel.block(0, 1), &expected, 1.0));
}

#[test]
fn matrices_that_cannot_be_factored_are_told() {
    let bar = Bar { cells: 1 };
    let mut panel = Panel::default();
    panel.start_nodal(1, bar.nodes(), MatrixLifetime::ManyUpdates).unwrap();
    let n = 3 * bar.nodes() as i32;
    let (starts, rows): (Vec<i32>, Vec<i32>) = ((0..=n).collect(), (0..n).collect());
    for (structure, entry, wanted) in [
        (Structure::PositiveDefinite, -1.0, FactorError::NotPositiveDefinite { row: 5 }),
        (Structure::General, 0.0, FactorError::Singular),
        (Structure::General, f64::NAN, FactorError::NotFinite),
    ] {
        let mut values = vec![1.0; n as usize];
        values[5] = entry;
        let inertia = InertiaRef::Matrix(Matrix { structure, starts: &starts, rows: &rows, values: &values });
        let error = panel.apply(1.0, &inertia, &mut Workspace::default()).unwrap_err();
        assert_eq!(error, wanted);
    }
}

/// The next form of a panel does not count values of an earlier form as unchanged.
#[test]
fn another_form_knows_no_roots() {
    let is_new = |panel: &mut Panel| {
        let slots = panel.start_rigid(1).unwrap();
        let is_new = slots.z[0][0].is_nan();
        slots.z[0] = [1.0; RIGID];
        is_new
    };
    let mut panel = Panel::default();
    assert!(is_new(&mut panel) && !is_new(&mut panel));
    panel.start_general(1, 6).unwrap();
    assert!(is_new(&mut panel), "dense");
    panel.start_nodal(1, 8, MatrixLifetime::ManyUpdates).unwrap();
    assert!(is_new(&mut panel), "nodal");
    let slots = panel.start_pseudo_rigid(1).unwrap();
    assert!(slots.z[0][0].is_nan(), "pseudo-rigid");
    slots.z[0] = [1.0; PSEUDO_RIGID];
    assert!(is_new(&mut panel), "rigid again");
}
