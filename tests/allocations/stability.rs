//! Every allocation of the stability functions made to fail in turn: an error each time, and the next call is right.

use ldy::stability::{
    ConstraintForce, Endpoint, Error, Fault, LoadedConstraint, PosedBody, Stiffness, StiffnessBlocks,
    critical_step,
};
use testing::allocator::fail_at;

/// Call `action` again and again, each time with the next allocation failing, until none is left to fail.
fn fails_and_recovers<T: PartialEq + std::fmt::Debug>(action: impl Fn() -> Result<T, Error>) {
    let expected = action().expect("enough memory");
    for k in 1.. {
        fail_at(k);
        let result = action();
        let is_over = fail_at(0);
        if is_over {
            assert_eq!(result, Ok(expected));
            assert!(k > 1, "nothing was allocated");
            return;
        }
        assert_eq!(result, Err(Error { row: None, fault: Fault::Memory }), "allocation {k}");
        assert_eq!(action().as_ref(), Ok(&expected), "after allocation {k}");
    }
}

/// Forty bodies in a row, rigid ones and particles, on links under tension.
fn row() -> (Vec<PosedBody>, Vec<LoadedConstraint>) {
    let rotation = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let place = |k: usize| [0.5 * k as f64, (k as f64).sin(), 0.0];
    let body = |k: usize| match k % 2 {
        0 => PosedBody::Rigid { rotation, center: [0.0; 3], place: place(k) },
        _ => PosedBody::Particle { place: place(k) },
    };
    let on = |body: usize| Endpoint::Body { body, point: [0.1, 0.0, 0.2] };
    let link = |k: usize| LoadedConstraint {
        force: ConstraintForce::Link { tension: 1.0 + k as f64 },
        master: on(k),
        slave: if k == 0 { Endpoint::Space([-1.0; 3]) } else { on(k - 1) },
    };
    ((0..40).map(body).collect(), (0..40).map(link).collect())
}

#[test]
fn no_allocation_failure_goes_unnoticed() {
    let (bodies, constraints) = row();
    let stiffness = Stiffness::new(&bodies, &constraints).unwrap();
    let x: Vec<f64> = (0..stiffness.dofs()).map(|k| (k as f64).cos()).collect();
    fails_and_recovers(|| Stiffness::new(&bodies, &constraints).map(|stiffness| stiffness.dofs()));
    fails_and_recovers(|| {
        StiffnessBlocks::assemble(&stiffness).map(|blocks| (blocks.columns, blocks.values))
    });
    fails_and_recovers(|| stiffness.contributions(&x));
    fails_and_recovers(|| {
        let critical = critical_step(&stiffness, |f, x| x.copy_from_slice(f))?;
        Ok((critical.frequency_squared, critical.constraint, critical.vector))
    });
}
