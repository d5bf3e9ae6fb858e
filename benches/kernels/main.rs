//! The kernels of an update, one by one: `make bench-kernels`.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use ldy::body_operators::Panel;
use ldy::inertia::{Dense, InertiaRef, Inverse, Workspace};
use ldy::kinematics::rigid::Rigid;
use ldy::kinematics::{Operator, Point};
use ldy::math::{self, Block};

const IDENTITY: Block = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// A diagonal block of touching spheres, turned a little.
const WELL_SPREAD: Block = [3.5, 0.1, 0.2, 0.1, 3.4, 0.3, 0.2, 0.3, 1.1];
/// Two eigenvalues that agree to twelve digits.
const CLUSTERED: Block = [2.0, 1e-12, 0.0, 1e-12, 2.0, 1e-12, 0.0, 1e-12, 1.0];

fn blocks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("block");
    for (name, w) in [("spread", WELL_SPREAD), ("clustered", CLUSTERED)] {
        group.bench_function(format!("largest_eigenvalue/{name}"), |bencher| {
            bencher.iter(|| math::largest_eigenvalue(black_box(&w)))
        });
    }
    group.bench_function("inverse", |bencher| bencher.iter(|| math::inverse(black_box(&WELL_SPREAD))));
    group.bench_function("inverse_symmetric", |bencher| {
        bencher.iter(|| math::inverse_symmetric(black_box(&WELL_SPREAD)))
    });
}

fn operators(criterion: &mut Criterion) {
    let body = Rigid { rotation: &IDENTITY, center: &[0.1, 0.2, 0.3] };
    let point = [0.2, 0.2, 0.3];
    criterion.bench_function("rigid/operator", |bencher| {
        bencher.iter(|| black_box(body).operator(black_box(&point), black_box(&IDENTITY)))
    });
}

/// W_αβ = H_α Y_β of two constraints on a body with dense operators.
fn pairs(criterion: &mut Criterion) {
    for dofs in [6, 12] {
        let mut panel = Panel::default();
        let general = panel.start_general(2, dofs).expect("little memory is needed");
        let columns = (0..dofs as u32).map(|j| (j, [0, 1, 2].map(|i| f64::from((3 * j + i) % 7) - 3.0)));
        let operator = Operator::of_columns(dofs as u32, columns).expect("little memory is needed");
        for slot in 0..2 {
            general
                .add(slot, 1.0, &IDENTITY, &Point::Operator(&operator, 0))
                .expect("little memory is needed");
        }
        let inverse: Vec<f64> =
            (0..dofs * dofs).map(|k| if k % (dofs + 1) == 0 { 2.0 } else { 0.0 }).collect();
        let inverse = Inverse::Dense(Dense::new(dofs, &inverse).expect("sizes agree"));
        panel
            .apply(1e-3, &InertiaRef::Inverse(inverse), &mut Workspace::default())
            .expect("little memory is needed");
        criterion.bench_function(&format!("pair/{dofs}_freedoms"), |bencher| {
            bencher.iter(|| black_box(&panel).block(black_box(0), black_box(1)))
        });
    }
}

criterion_group! {
    name = kernels;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = blocks, operators, pairs
}
criterion_main!(kernels);
