//! The scenes of `make bench` against physics: small ones, so that nothing here takes long.

use std::collections::HashMap;

use ldy::legacy::layout::DIAB;
use ldy_benches::c_system::{CSystem, Form};
use ldy_benches::host::Host;
use ldy_benches::scenes::grid::Grid;
use ldy_benches::scenes::matrices::Matrices;
use ldy_benches::scenes::stacks::{self, Motion, Points};
use ldy_benches::scenes::{Body, Contact, DENSITY, STEP, Scene, Side, Vector, hexahedron, spheres};
use ldy_benches::{agreement, matrices, neutral, said, scenes};
use nalgebra::{DMatrix, DVector, Matrix3};
use testing::Random;

const YOUNG: f64 = 3.0;
const POISSON: f64 = 0.25;

const BOX: [Vector; 8] = [
    [0.0, 0.0, 0.0],
    [0.5, 0.0, 0.0],
    [0.5, 0.25, 0.0],
    [0.0, 0.25, 0.0],
    [0.0, 0.0, 2.0],
    [0.5, 0.0, 2.0],
    [0.5, 0.25, 2.0],
    [0.0, 0.25, 2.0],
];

/// A hexahedron without parallel edges.
fn distorted() -> [Vector; 8] {
    let mut nodes = BOX;
    nodes[6] = [0.6, 0.35, 2.2];
    nodes[1] = [0.45, -0.05, 0.1];
    nodes
}

fn stiffness(nodes: &[Vector; 8]) -> DMatrix<f64> {
    let k = hexahedron::stiffness(nodes, YOUNG, POISSON);
    DMatrix::from_fn(24, 24, |i, j| k[i][j])
}

/// Values of a displacement field at nodes.
fn field(nodes: &[Vector], at: impl Fn(&Vector) -> Vector) -> DVector<f64> {
    DVector::from_iterator(3 * nodes.len(), nodes.iter().flat_map(at))
}

/// The three translations and three linearized rotations.
fn rigid_motions(nodes: &[Vector]) -> [DVector<f64>; 6] {
    [
        field(nodes, |_| [1.0, 0.0, 0.0]),
        field(nodes, |_| [0.0, 1.0, 0.0]),
        field(nodes, |_| [0.0, 0.0, 1.0]),
        field(nodes, |x| [0.0, -x[2], x[1]]),
        field(nodes, |x| [x[2], 0.0, -x[0]]),
        field(nodes, |x| [-x[1], x[0], 0.0]),
    ]
}

#[test]
fn stiffness_of_a_hexahedron_resists_all_but_rigid_motions() {
    for nodes in [BOX, distorted()] {
        let k = stiffness(&nodes);
        let scale = k.amax();
        assert!((&k - k.transpose()).amax() < 1e-14 * scale);
        for motion in rigid_motions(&nodes) {
            assert!((&k * motion).amax() < 1e-13 * scale);
        }
        let mut eigenvalues: Vec<f64> = k.symmetric_eigenvalues().iter().copied().collect();
        eigenvalues.sort_by(f64::total_cmp);
        assert!(eigenvalues[..6].iter().all(|value| value.abs() < 1e-13 * scale), "{eigenvalues:?}");
        assert!(eigenvalues[6] > 1e-3 * scale, "{eigenvalues:?}");
    }
}

#[test]
fn a_hexahedron_stores_the_energy_of_uniform_strain() {
    let k = stiffness(&BOX);
    let volume = 0.25;
    let (lambda, mu) = (1.2, 1.2);
    let energy = |u: DVector<f64>| 0.5 * (&k * &u).dot(&u);
    let stretch = energy(field(&BOX, |x| [0.0, 0.0, 0.01 * x[2]]));
    let shear = energy(field(&BOX, |x| [0.01 * x[1], 0.0, 0.0]));
    assert!((stretch / (0.5 * (lambda + 2.0 * mu) * 1e-4 * volume) - 1.0).abs() < 1e-12);
    assert!((shear / (0.5 * mu * 1e-4 * volume) - 1.0).abs() < 1e-12);
}

#[test]
fn lumped_mass_is_the_mass_of_the_body() {
    let mass: f64 = hexahedron::lumped_mass(&BOX, 8.0).iter().sum();
    assert!((mass - 2.0).abs() < 1e-14);
    let grid = Grid { low: [1.0, 2.0, 3.0], edges: [0.5, 0.5, 0.25], cells: 3 };
    let matrices = Matrices::new(&grid);
    for axis in 0..3 {
        let mass: f64 = matrices.mass.iter().skip(axis).step_by(3).sum();
        assert!((mass / (DENSITY * 0.0625) - 1.0).abs() < 1e-13);
    }
}

/// The dense symmetric matrix with these values at the entries of the stiffness.
fn symmetric(matrices: &Matrices, values: &[f64]) -> DMatrix<f64> {
    let n = matrices.mass.len();
    let mut dense = DMatrix::zeros(n, n);
    for column in 0..n {
        let entries = matrices.starts[column] as usize..matrices.starts[column + 1] as usize;
        assert_eq!(matrices.rows[entries.start], column as i32);
        assert!(matrices.rows[entries.clone()].is_sorted_by(|a, b| a < b));
        for entry in entries {
            let row = matrices.rows[entry] as usize;
            dense[(row, column)] = values[entry];
            dense[(column, row)] = values[entry];
        }
    }
    dense
}

#[test]
fn stiffness_of_a_mesh_resists_all_but_rigid_motions() {
    let grid = Grid { low: [0.0; 3], edges: [0.5, 0.5, 0.25], cells: 2 };
    let matrices = Matrices::new(&grid);
    let k = symmetric(&matrices, &matrices.stiffness);
    let scale = k.amax();
    for motion in rigid_motions(&grid.nodes()) {
        assert!((&k * motion).amax() < 1e-13 * scale);
    }
    let zeros = k.symmetric_eigenvalues().iter().filter(|value| value.abs() < 1e-10 * scale).count();
    assert_eq!(zeros, 6);
}

/// Number of constraints and of blocks.
fn counts(scene: Scene) -> [usize; 2] {
    let host = Host::new(scene);
    host.insert_all();
    [host.constraint_count(), host.block_count()]
}

/// Blocks if all constraints of a body interact.
fn full_blocks(scene: &Scene) -> usize {
    let mut degrees = vec![0; scene.bodies.len()];
    for contact in &scene.contacts {
        degrees[contact.master.body] += 1;
        degrees[contact.slave.body] += 1;
    }
    let moves = |body: &Body| !matches!(body, Body::Obstacle);
    let interacting = scene.bodies.iter().zip(degrees).filter(|(body, _)| moves(body));
    interacting.map(|(_, degree): (_, usize)| degree * degree.saturating_sub(1)).sum()
}

#[test]
fn contacts_are_where_bodies_touch() {
    assert_eq!(counts(spheres::lattice(8)), [1408, 12288]);
    assert_eq!(counts(spheres::hub(16))[0], 16 * 16 + 2 * 16 * 15 + 1);
    // Rectangles of 2 × 2 stacks: 4 on the floor, 4 between stacks on each of 4 levels, and from each level to the
    // next 4 within the stacks, 2 + 2 with a neighbor, 1 across.
    let rectangles = 4 + 4 * 4 + 3 * 9;
    assert_eq!(counts(stacks::rigid(2, Points::Middle))[0], rectangles);
    assert_eq!(counts(stacks::pseudo_rigid(2, Points::Corners))[0], 4 * rectangles);
    // Nodes of a master in such rectangles, 3 × 3 cells a face, three levels.
    let nodes = 4 * 16 + 3 * 4 * 16 + 2 * (4 * 9 + 4 * 3 + 1);
    // Pairs of faces of elements: in a stack, and to a neighbor, the shift cuts three into five along an axis.
    let faces = |levels: usize| 4 * 9 + levels * 4 * 9 + (levels - 1) * (4 * 25 + 4 * 5 + 1);
    for (points, expected) in [(Points::Nodes, nodes), (Points::Middle, faces(3))] {
        for motion in [Motion::Corotational, Motion::Explicit] {
            let scene = stacks::meshes(2, 3, points, motion);
            let full = full_blocks(&scene);
            let [constraints, blocks] = counts(scene);
            assert_eq!(constraints, expected);
            assert_eq!(blocks == full, motion == Motion::Corotational);
            assert!(blocks <= full);
        }
    }
    let crush = stacks::crush(2);
    let full = full_blocks(&crush);
    assert_eq!(counts(crush), [faces(2), full]);
}

#[test]
fn names_are_those_of_scenes() {
    let quick = scenes::NAMES.into_iter().filter(|name| !matches!(*name, "boxes-16" | "hub-32"));
    for name in quick.chain(["crush-2"]) {
        assert!(scenes::by_name(name).is_some(), "{name}");
    }
    for name in ["hub", "hub-0", "hub-x", "cones-3", "hub-2-middle", "crush-2-middle", "boxes-2-middle-2"] {
        assert!(scenes::by_name(name).is_none(), "{name}");
    }
}

/// W of all rows as one dense matrix, in the order of the list.
fn dense_w(host: &Host) -> DMatrix<f64> {
    let index: HashMap<*mut DIAB, usize> = host.rows().enumerate().map(|(k, row)| (row, k)).collect();
    let mut w = DMatrix::zeros(3 * index.len(), 3 * index.len());
    for (k, row) in host.rows().enumerate() {
        // SAFETY: the row is live, and nobody writes it now.
        let diagonal = unsafe { (*row).W };
        let mut own = w.fixed_view_mut::<3, 3>(3 * k, 3 * k);
        own += Matrix3::from_column_slice(&diagonal);
        for block in host.blocks(row) {
            // SAFETY: the block is live, and nobody writes it now.
            let (values, neighbour) = unsafe { ((*block).W, (*block).dia) };
            let mut other = w.fixed_view_mut::<3, 3>(3 * k, 3 * index[&neighbour]);
            other += Matrix3::from_column_slice(&values);
        }
    }
    w
}

/// Forces at contacts do no negative work on bodies at rest.
#[test]
fn w_is_symmetric_and_positive_semidefinite() {
    let scenes = [
        ("spheres", spheres::lattice(2)),
        ("hub", spheres::hub(3)),
        ("boxes", stacks::rigid(1, Points::Corners)),
        ("prb", stacks::pseudo_rigid(2, Points::Middle)),
        ("tlexp", stacks::meshes(2, 1, Points::Nodes, Motion::Explicit)),
        ("tlexp-middle", stacks::meshes(1, 2, Points::Middle, Motion::Explicit)),
        ("bclim", stacks::meshes(2, 1, Points::Nodes, Motion::Corotational)),
        ("tllim", stacks::meshes(2, 1, Points::Nodes, Motion::TotalLagrangian)),
    ];
    for (name, scene) in scenes {
        let mut host = Host::new(scene);
        host.insert_all();
        for _ in 0..3 {
            host.advance();
            host.update();
        }
        let w = dense_w(&host);
        assert!(w.nrows() > 0 && w.diagonal().iter().all(|&value| value > 0.0), "{name}");
        assert_eq!(w, w.transpose(), "{name}");
        let eigenvalues = w.symmetric_eigenvalues();
        assert!(eigenvalues.min() > -1e-12 * eigenvalues.max(), "{name}: {}", eigenvalues.min());
        assert!(host.rows().all(|row| {
            // SAFETY: the row is live, and nobody writes it now.
            let (rho, b) = unsafe { ((*row).rho, (*row).B) };
            rho > 0.0 && b.iter().all(|b| *b != 0.0 && b.is_finite())
        }));
    }
}

/// An error as its text.
/// Bodies by their masses or sparse matrices, constraints at points or by sparse operators, and the legacy interface.
#[test]
fn both_interfaces_make_the_same() -> Result<(), String> {
    let meshes = |cells, points, motion| stacks::meshes(2, cells, points, motion);
    let scenes = [
        ("spheres", spheres::lattice(2)),
        ("hub", spheres::hub(3)),
        ("boxes", stacks::rigid(2, Points::Corners)),
        ("prb", stacks::pseudo_rigid(2, Points::Corners)),
        ("tlexp", meshes(1, Points::Nodes, Motion::Explicit)),
        ("bclim", meshes(2, Points::Middle, Motion::Corotational)),
        ("tllim", meshes(1, Points::Middle, Motion::TotalLagrangian)),
    ];
    for (name, scene) in scenes {
        let mut host = Host::new(scene);
        host.insert_all();
        host.advance();
        let mut neutral = neutral::Neutral::new(&host)?;
        for _ in 0..3 {
            host.advance();
            neutral.follow(host.scene(), &host.states())?;
            host.update();
            neutral.update()?;
            agreement::difference(&host, &neutral.rows()?).map_err(|text| format!("{name}: {text}"))?;
        }
    }
    Ok(())
}

/// W over a step, from the file that another program compares with its own.
fn dense_from(path: &str) -> DMatrix<f64> {
    let bytes = std::fs::read(path).expect("it has been written");
    let numbers: Vec<f64> = bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    let (rows, blocks) = (numbers[0] as usize, numbers[1] as usize);
    let (scalars, rest) = numbers[2..].split_at(rows + 1);
    let (starts, rest) = rest.split_at(rows + 1);
    let (columns, mut values) = rest.split_at(blocks);
    let size = scalars[rows] as usize;
    let mut w = DMatrix::zeros(size, size);
    let scalars = |row: usize| scalars[row] as usize..scalars[row + 1] as usize;
    for row in 0..rows {
        for &column in &columns[starts[row] as usize..starts[row + 1] as usize] {
            let (own, other) = (scalars(row), scalars(column as usize));
            let (block, rest) = values.split_at(own.len() * other.len());
            let block = DMatrix::from_column_slice(own.len(), other.len(), block);
            w.view_mut((own.start, other.start), (own.len(), other.len())).copy_from(&block);
            values = rest;
        }
    }
    assert!(values.is_empty());
    w
}

/// What benches hand to other programs and what the C interface makes of it, in both forms.
fn through_files(given: &matrices::Matrices) -> Result<Vec<DMatrix<f64>>, String> {
    let folder = said(tempfile::tempdir())?;
    let path = |name| folder.path().join(name).display().to_string();
    given.write(&path("matrices"))?;
    let read = matrices::Matrices::read(&path("matrices"))?;
    let through = |form| {
        let mut system = CSystem::new(&read, form)?;
        // Every other update has other numbers, which must not be seen.
        system.measure(3)?;
        system.write(&path("blocks"))?;
        Ok(dense_from(&path("blocks")))
    };
    [Form::Dense, Form::Sparse].into_iter().map(through).collect()
}

#[test]
fn matrices_make_the_w_of_dense_products() -> Result<(), String> {
    let mut random = Random::new(7);
    let mut filled = |rows, columns| DMatrix::from_fn(rows, columns, |_, _| random.signed());
    let sizes = [4, 7];
    let a = sizes.map(|n| {
        let root = filled(n, n);
        &root * root.transpose() + DMatrix::identity(n, n)
    });
    let inverses = a.clone().map(|a| a.try_inverse().expect("positive definite"));
    let bodies = a.iter().zip(&inverses).map(|(a, inverse)| matrices::Dense {
        dofs: a.nrows(),
        matrix: a.as_slice().to_vec(),
        // Exactly symmetric.
        inverse: ((inverse + inverse.transpose()) * 0.5).as_slice().to_vec(),
    });
    // Which bodies each constraint acts on, and how many rows it has.
    let pairs = [[Some(0), None], [Some(1), Some(0)], [None, Some(1)], [Some(0), Some(1)], [Some(1), None]];
    let heights = [3, 3, 3, 3, 1];
    let mut all = [DMatrix::zeros(13, 4), DMatrix::zeros(13, 7)];
    let constraints = pairs.iter().zip(heights).enumerate().map(|(k, (sides, rows))| {
        let sides = sides.map(|body| {
            let body = body?;
            let mut h = filled(rows, sizes[body]);
            h.column_mut(k % 4).fill(0.0);
            all[body].rows_mut(3 * k, rows).copy_from(&h);
            Some(matrices::Operator { body, values: h.as_slice().to_vec() })
        });
        matrices::Constraint { rows, sides }
    });
    let given = matrices::Matrices { bodies: bodies.collect(), constraints: constraints.collect() };
    let expected: DMatrix<f64> = (0..2).map(|k| &all[k] * &inverses[k] * all[k].transpose()).sum();
    for w in through_files(&given)? {
        assert!((w - &expected).amax() < 1e-13 * expected.amax());
    }
    Ok(())
}

/// Operators of rigid bodies are written down apart from the library's.
#[test]
fn matrices_of_spheres_make_the_w_of_points() -> Result<(), String> {
    for scene in [spheres::lattice(2), spheres::hub(3)] {
        let given = matrices::Matrices::of_rigid(&scene);
        let host = Host::new(scene);
        let mut neutral = neutral::Neutral::new(&host)?;
        neutral.update()?;
        let rows = neutral.rows()?;
        let mut expected = DMatrix::zeros(3 * rows.ids.len(), 3 * rows.ids.len());
        for row in 0..rows.ids.len() {
            for (column, block) in rows.w.row(row) {
                let block = Matrix3::from_column_slice(block) / STEP;
                expected.fixed_view_mut::<3, 3>(3 * row, 3 * column).copy_from(&block);
            }
        }
        for w in through_files(&given)? {
            assert!((w - &expected).amax() < 1e-13 * expected.amax());
        }
    }
    Ok(())
}

#[test]
fn two_spheres_respond_in_closed_form() {
    let side = |body| Side { body, element: None };
    let contact =
        Contact { point: [0.1, 0.0, 0.0], normal: [1.0, 0.0, 0.0], master: side(1), slave: side(0) };
    let bodies = vec![spheres::sphere([0.0; 3]), spheres::sphere([0.2, 0.0, 0.0])];
    let host = Host::new(Scene { bodies, contacts: vec![contact] });
    host.insert_all();
    host.update();
    let mass = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
    let inertia = 0.4 * mass * 0.01;
    let (normal, tangential) = (2.0 / mass, 2.0 * (1.0 / mass + 0.01 / inertia));
    let expected =
        DMatrix::from_diagonal(&DVector::from_column_slice(&[tangential, tangential, normal])) * STEP;
    assert!((dense_w(&host) - &expected).amax() < 1e-14 * expected.amax());
}

#[test]
fn floor_contacts_of_a_mesh_see_its_inverse() {
    for (motion, inverse) in
        [(Motion::Corotational, true), (Motion::TotalLagrangian, true), (Motion::Explicit, false)]
    {
        let scene = stacks::meshes(1, 2, Points::Nodes, motion);
        let Body::Mesh { grid, matrices, .. } = &scene.bodies[1] else { panic!("body 1 is a mesh") };
        let nodes = grid.nodes();
        let a = match inverse {
            true => symmetric(matrices, &matrices.implicit(1.0)),
            false => DMatrix::from_diagonal(&DVector::from_column_slice(&matrices.mass)),
        };
        let a = a.try_inverse().expect("positive definite");
        let on_floor: Vec<Vector> = scene.contacts.iter().map(|contact| contact.point).collect();
        let host = Host::new(scene);
        host.insert_all();
        host.update();
        let mut seen = 0;
        for row in host.rows() {
            // SAFETY: the row is live, and so is its constraint.
            let (w, id, frame) = unsafe { ((*row).W, (*(*row).con).id, (*(*row).con).base) };
            let point = on_floor[id as usize - 1];
            if point[2] == 0.0 {
                let node = nodes.iter().position(|node| *node == point).expect("a node");
                let frame = Matrix3::from_column_slice(&frame);
                let block = a.fixed_view::<3, 3>(3 * node, 3 * node);
                let expected = STEP * frame.transpose() * block * frame;
                assert!((Matrix3::from_column_slice(&w) - expected).amax() < 1e-12 * expected.amax());
                seen += 1;
            }
        }
        assert_eq!(seen, 9);
    }
}
