use nalgebra::{DMatrix, Matrix3, Matrix3xX};
use proptest::prelude::*;
use testing::matrices::{inverse_of, nonzero};

use super::*;
use crate::inertia::{Matrix, Sparse};
use crate::kinematics::finite_element::NodalOperator;
use crate::kinematics::finite_element::{Element, Location};

/// Nodes of a row of hexahedra.
const CELLS: usize = 4;
const MESH_NODES: usize = 4 * (CELLS + 1);
const SIZE: usize = 3 * MESH_NODES;

/// A point of the mesh with its axes.
#[derive(Clone, Debug)]
struct Point {
    cell: usize,
    xi: Vector,
    sign: f64,
}

/// The contents of a slot: one point, two, or none, and the axes.
#[derive(Clone, Debug)]
struct Slot {
    points: Vec<Point>,
    factor: [f64; 9],
}

impl Slot {
    fn operators(&self) -> impl Iterator<Item = (f64, NodalOperator)> {
        self.points.iter().map(|point| {
            let nodes: Vec<i32> = (0..8).map(|k| (4 * point.cell + k) as i32).collect();
            let element = Element::new(&nodes, MESH_NODES).unwrap();
            (point.sign, NodalOperator::new(&Location { element, xi: point.xi }, &self.factor, None))
        })
    }

    fn dense(&self) -> Matrix3xX<f64> {
        let mut h = vec![0.0; 3 * SIZE];
        self.operators().for_each(|(sign, operator)| operator.add_to(sign, &mut h));
        Matrix3xX::from_column_slice(&h)
    }
}

/// Coordinates that make points at nodes, on edges, in faces and inside.
fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![Just(-1.0), Just(1.0), -1.0..1.0_f64]
}

fn point() -> impl Strategy<Value = Point> {
    let xi = [coordinate(), coordinate(), coordinate()];
    (0..CELLS, xi, prop_oneof![Just(1.0), Just(-1.0)]).prop_map(|(cell, xi, sign)| Point { cell, xi, sign })
}

fn slot() -> impl Strategy<Value = Slot> {
    (prop::collection::vec(point(), 0..3), prop::array::uniform9(-1.0..1.0_f64))
        .prop_map(|(points, factor)| Slot { points, factor })
}

/// Changes between two updates.
#[derive(Clone, Debug)]
enum Event {
    Turned([f64; 9]),
    Moved(usize, Slot),
    Grown(Slot),
    Shrunk,
    NewMatrix(u64),
    NewStep(f64),
    Nothing,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        prop::array::uniform9(-1.0..1.0_f64).prop_map(Event::Turned),
        (any::<usize>(), slot()).prop_map(|(at, slot)| Event::Moved(at, slot)),
        slot().prop_map(Event::Grown),
        Just(Event::Shrunk),
        any::<u64>().prop_map(Event::NewMatrix),
        (0.1..1.0_f64).prop_map(Event::NewStep),
        Just(Event::Nothing),
    ]
}

/// A well-conditioned matrix that couples neighbor nodes.
fn matrix(structure: Structure, seed: u64) -> DMatrix<f64> {
    let value = |k: usize| ((k as u64 * 7919 + seed % 1009) % 1009) as f64 / 1009.0 - 0.5;
    DMatrix::from_fn(SIZE, SIZE, |i, j| match (i / 3).abs_diff(j / 3) {
        _ if i == j => 8.0,
        0..=4 if structure == Structure::PositiveDefinite => 0.5 * value(SIZE * i.max(j) + i.min(j)),
        0..=4 => 0.5 * value(SIZE * i + j),
        _ => 0.0,
    })
}

/// Inverses that couple no two nodes, of these kinds: a mass for each node, or for each dof, or a full block for each
/// node, or a mass for each node that is half as large along the second or the third axis.
const NODEWISE_KINDS: usize = 5;

fn nodewise(kind: usize, values: &[f64]) -> DMatrix<f64> {
    DMatrix::from_fn(SIZE, SIZE, |i, j| match kind {
        _ if i / 3 != j / 3 => 0.0,
        2 => values[3 * i + j % 3],
        _ if i != j => 0.0,
        1 => values[i],
        3 if i % 3 == 1 => 2.0 * values[i / 3],
        4 if i % 3 == 2 => 2.0 * values[i / 3],
        _ => values[i / 3],
    })
}

fn update(
    nodal: &mut NodalPanel,
    slots: &[Slot],
    (step, lasting): (f64, MatrixLifetime),
    inertia: &InertiaRef,
    factored: &mut Factored,
) {
    nodal.start(slots.len(), MESH_NODES, lasting).unwrap();
    for (at, slot) in slots.iter().enumerate() {
        slot.operators().for_each(|(sign, operator)| nodal.add(at, sign, &operator));
    }
    nodal.apply(step, inertia, factored, &mut Workspace::default()).unwrap();
}

fn block(nodal: &NodalPanel, row: usize, column: usize) -> Block {
    packed(&nodal.columns(Plain, row, column))
}

/// All blocks against h H A⁻¹ Hᵀ.
fn check(nodal: &NodalPanel, slots: &[Slot], step: f64, inverse: &DMatrix<f64>) {
    let mut h = DMatrix::zeros(3 * slots.len(), SIZE);
    slots.iter().enumerate().for_each(|(at, slot)| h.fixed_rows_mut::<3>(3 * at).copy_from(&slot.dense()));
    // One product, since products of large matrices alone are fast without optimization.
    let expected = step * &h * inverse * h.transpose();
    for row in 0..slots.len() {
        for column in 0..slots.len() {
            let got = Matrix3::from_column_slice(&block(nodal, row, column));
            let error = (got - expected.fixed_view::<3, 3>(3 * row, 3 * column)).amax();
            assert!(error < 1e-14, "{row} {column}: {error}");
        }
    }
}

/// Compare all blocks, to the bit, with a body that never had another update and has its slots in another order.
fn check_bits(nodal: &NodalPanel, slots: &[Slot], settings: (f64, MatrixLifetime), inertia: &InertiaRef) {
    let place = |slot: usize| 5 * slot % 23;
    let mut moved = vec![Slot { points: Vec::new(), factor: [0.0; 9] }; 23];
    slots.iter().enumerate().for_each(|(slot, own)| moved[place(slot)] = own.clone());
    let mut fresh = NodalPanel::default();
    update(&mut fresh, &moved, settings, inertia, &mut Factored::default());
    for row in 0..slots.len() {
        for column in 0..slots.len() {
            let bits = |block: Block| block.map(f64::to_bits);
            let (got, expected) = (block(nodal, row, column), block(&fresh, place(row), place(column)));
            assert_eq!(bits(got), bits(expected), "{row} {column} {:?}", nodal.response);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::cases(40)))]

    /// No change from one update to the next shows which values are kept.
    #[test]
    fn couplings_follow_all_changes(
        general in any::<bool>(),
        lasts in any::<bool>(),
        mut slots in prop::collection::vec(slot(), 1..12),
        events in prop::collection::vec((event(), any::<bool>()), 1..10),
    ) {
        let structure = if general { Structure::General } else { Structure::PositiveDefinite };
        let lasting = if lasts { MatrixLifetime::ManyUpdates } else { MatrixLifetime::OneUpdate };
        let (mut nodal, mut factored) = (NodalPanel::default(), Factored::default());
        let (mut seed, mut step) = (1, 0.5);
        let mut inverse = (seed, inverse_of(&matrix(structure, seed)));
        for (event, refused) in std::iter::once((Event::Nothing, false)).chain(events) {
            match event {
                Event::Turned(factor) => slots.iter_mut().for_each(|slot| slot.factor = factor),
                Event::Moved(at, slot) => {
                    let at = at % slots.len();
                    slots[at] = slot;
                }
                Event::Grown(slot) => slots.push(slot),
                Event::Shrunk => slots.truncate(slots.len().max(2) - 1),
                Event::NewMatrix(other) => seed = other,
                Event::NewStep(other) => step = other,
                Event::Nothing => {}
            }
            let a = matrix(structure, seed);
            let (starts, rows, values) = nonzero(&a, |i, j| general || i >= j);
            let inertia = InertiaRef::Matrix(Matrix { structure, starts: &starts, rows: &rows, values: &values });
            update(&mut nodal, &slots, (step, lasting), &inertia, &mut factored);
            if inverse.0 != seed {
                inverse = (seed, inverse_of(&a));
            }
            check(&nodal, &slots, step, &inverse.1);
            check_bits(&nodal, &slots, (step, lasting), &inertia);
            if refused {
                // The next update finds what an update left that failed.
                let values = vec![f64::NAN; values.len()];
                let inertia =
                    InertiaRef::Matrix(Matrix { structure, starts: &starts, rows: &rows, values: &values });
                nodal.start(0, MESH_NODES, lasting).unwrap();
                nodal.apply(step, &inertia, &mut factored, &mut Workspace::default()).unwrap_err();
            }
        }
    }

    /// If A stays and many constraints are on few nodes, not every update solves with A.
    #[test]
    fn a_matrix_that_stays_gives_couplings(
        general in any::<bool>(),
        places in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 16..30),
        seeds in prop::collection::vec(any::<u64>(), 1..4),
    ) {
        let structure = if general { Structure::General } else { Structure::PositiveDefinite };
        let (mut nodal, mut factored) = (NodalPanel::default(), Factored::default());
        let factor = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let slot = |xi| Slot { points: vec![Point { cell: 1, xi, sign: 1.0 }], factor };
        let slots: Vec<Slot> = places.into_iter().map(slot).collect();
        for seed in seeds {
            let a = matrix(structure, seed);
            let (starts, rows, values) = nonzero(&a, |i, j| general || i >= j);
            let inertia = InertiaRef::Matrix(Matrix { structure, starts: &starts, rows: &rows, values: &values });
            (0..2).for_each(|_| update(&mut nodal, &slots, (0.5, MatrixLifetime::ManyUpdates), &inertia, &mut factored));
            prop_assert!(matches!(nodal.response, Response::Couplings));
        }
    }

    /// Blocks of slots with the same weights, and of slots that moved, do not depend on the order of the slots.
    #[test]
    fn couplings_do_not_depend_on_places(
        places in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 10),
        factor in prop::array::uniform9(-1.0..1.0_f64),
    ) {
        let a = matrix(Structure::PositiveDefinite, 1);
        let (starts, rows, values) = nonzero(&a, |i, j| i >= j);
        let structure = Structure::PositiveDefinite;
        let inertia = InertiaRef::Matrix(Matrix { structure, starts: &starts, rows: &rows, values: &values });
        let (mut nodal, mut factored) = (NodalPanel::default(), Factored::default());
        let slot = |xi| Slot { points: vec![Point { cell: 1, xi, sign: 1.0 }], factor };
        let mut slots: Vec<Slot> = places.iter().chain(&places).map(|&xi| slot(xi)).collect();
        for at in 0..5 {
            update(&mut nodal, &slots, (0.3, MatrixLifetime::ManyUpdates), &inertia, &mut factored);
            prop_assert!(matches!(nodal.response, Response::Couplings));
            check_bits(&nodal, &slots, (0.3, MatrixLifetime::ManyUpdates), &inertia);
            slots[at] = slot(places[at].map(|x| -x));
        }
    }

    /// The number of kept entries of A⁻¹ stays below its limit while constraints move from cell to cell.
    #[test]
    fn entries_stay_below_their_limit(
        general in any::<bool>(),
        places in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 16..20),
        cells in prop::collection::vec((0..CELLS, 0..CELLS), 1..6),
    ) {
        let structure = if general { Structure::General } else { Structure::PositiveDefinite };
        let a = matrix(structure, 1);
        let (starts, rows, values) = nonzero(&a, |i, j| general || i >= j);
        let inertia = InertiaRef::Matrix(Matrix { structure, starts: &starts, rows: &rows, values: &values });
        let inverse = inverse_of(&a);
        // For the nodes of one cell, or of two neighbors.
        let most = NodalInverse::bytes_of(12, !general);
        let limited = NodalInverse::with_most_bytes(most);
        let (mut nodal, mut factored) =
            (NodalPanel { nodal_inverse: limited, ..NodalPanel::default() }, Factored::default());
        let indices = size_of::<u32>() * 6 * MESH_NODES;
        for (one, other) in cells {
            let slot = |(k, &xi)| {
                let cell = if k % 2 == 0 { one } else { other };
                Slot { points: vec![Point { cell, xi, sign: 1.0 }], factor: [1.0; 9] }
            };
            let slots: Vec<Slot> = places.iter().enumerate().map(slot).collect();
            update(&mut nodal, &slots, (0.5, MatrixLifetime::ManyUpdates), &inertia, &mut factored);
            check(&nodal, &slots, 0.5, &inverse);
            prop_assert!(nodal.entries_bytes() <= most + indices, "{} {most}", nodal.entries_bytes());
            prop_assert_eq!(matches!(nodal.response, Response::Couplings), one.abs_diff(other) < 2);
        }
    }

    /// Lumped masses, equal in all directions at a node or not, and full blocks of the nodes.
    #[test]
    fn nodewise_inverses_couple_shared_nodes(
        kind in 0..NODEWISE_KINDS, slots in prop::collection::vec(slot(), 1..12),
        values in prop::collection::vec(0.5..1.0_f64, 9 * MESH_NODES),
    ) {
        let inverse = nodewise(kind, &values);
        let (starts, rows, values) = nonzero(&inverse, |_, _| true);
        let inertia = InertiaRef::Inverse(Inverse::Sparse(Sparse::new(&starts, &rows, &values).unwrap()));
        let mut nodal = NodalPanel::default();
        update(&mut nodal, &slots, (0.25, MatrixLifetime::default()), &inertia, &mut Factored::default());
        check(&nodal, &slots, 0.25, &inverse);
        check_bits(&nodal, &slots, (0.25, MatrixLifetime::default()), &inertia);
        prop_assert!(matches!(nodal.response, Response::Nodewise));
        let nodes = |slot: &Slot| -> Vec<u32> {
            slot.operators().flat_map(|(_, operator)| operator.weights().to_vec()).map(|(node, _)| node).collect()
        };
        for (row, own) in slots.iter().enumerate() {
            for (column, other) in slots.iter().enumerate() {
                if !nodes(own).iter().any(|node| nodes(other).contains(node)) {
                    prop_assert_eq!(block(&nodal, row, column), [0.0; 9]);
                }
            }
        }
    }

    /// Nodes of a slot ascend, each once, and none has weight zero.
    #[test]
    fn operators_are_packed(slots in prop::collection::vec(slot(), 1..12), order in prop::collection::vec(any::<u32>(), 24)) {
        let mut operators = NodalOperators::default();
        operators.start(slots.len()).unwrap();
        let all = slots.iter().enumerate().flat_map(|(at, slot)| slot.operators().map(move |added| (at, added)));
        let mut all: Vec<_> = all.zip(order).collect();
        all.sort_by_key(|(_, order)| *order);
        for ((at, (sign, operator)), _) in &all {
            let weights = operator.weights().iter().map(|(node, weight)| (*node, sign * weight));
            operators.add(*at, &operator.factor, weights).unwrap();
        }
        for (at, slot) in slots.iter().enumerate() {
            let (nodes, weights) = operators.shapes.of(at);
            prop_assert!(nodes.is_sorted_by(|a, b| a < b));
            prop_assert!(weights.iter().all(|weight| *weight != 0.0));
            let mut h = Matrix3xX::zeros(SIZE);
            let q = Matrix3::from_column_slice(&operators.factors[at]);
            for (&node, weight) in nodes.iter().zip(weights) {
                h.fixed_view_mut::<3, 3>(0, 3 * node as usize).copy_from(&(*weight * q));
            }
            prop_assert!((h - slot.dense()).amax() < 1e-15);
        }
    }
}

/// Blocks do not depend on the kind of nodewise inverse that a body had before.
#[test]
fn nodewise_inverses_follow_each_other() {
    let values: Vec<f64> = (0..9 * MESH_NODES).map(|k| 0.5 + (k * 7919 % 1009) as f64 / 2018.0).collect();
    let factor = [0.5, 0.25, -1.0, 1.0, 0.75, 0.0, -0.5, 0.25, 1.0];
    let slot = |cell, x| Slot { points: vec![Point { cell, xi: [x, 0.25, 0.5 * x], sign: 1.0 }], factor };
    let slots = [slot(0, 0.5), slot(0, -0.25), slot(1, 0.5), slot(3, 0.125)];
    for (one, two) in (0..NODEWISE_KINDS).flat_map(|one| (0..NODEWISE_KINDS).map(move |two| (one, two))) {
        let mut nodal = NodalPanel::default();
        for kind in [one, two] {
            let inverse = nodewise(kind, &values);
            let (starts, rows, values) = nonzero(&inverse, |_, _| true);
            let inertia = InertiaRef::Inverse(Inverse::Sparse(Sparse::new(&starts, &rows, &values).unwrap()));
            update(&mut nodal, &slots, (0.25, MatrixLifetime::default()), &inertia, &mut Factored::default());
            check(&nodal, &slots, 0.25, &inverse);
        }
    }
}
