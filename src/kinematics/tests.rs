use nalgebra::{Matrix3, Rotation3, Vector3};
use proptest::prelude::*;
use testing::matrices::block;

use super::pseudo_rigid::PseudoRigid;
use super::rigid::Rigid;
use super::*;

fn vector() -> impl Strategy<Value = Vector> {
    prop::array::uniform3(-1.0..1.0_f64)
}

fn rotation() -> impl Strategy<Value = Matrix3<f64>> {
    vector().prop_map(|axis| *Rotation3::new(Vector3::from(axis)).matrix())
}

/// H u by the definition of a product.
fn operator_times(point: &Point, frame: &Block, u: &[f64]) -> Vector3<f64> {
    let mut h = vec![1.0; 3 * u.len()];
    point.add_operator(-1.0, frame, &mut h);
    let h = nalgebra::Matrix3xX::from_column_slice(&h).map(|h| 1.0 - h);
    h * nalgebra::DVector::from_column_slice(u)
}

proptest! {
    /// The velocity of a rigid motion x(t) = exp(t ω̂) Λ (X − X̄) + x̄ + t v, by central differences, with
    /// ω = Λ Ω.
    #[test]
    fn rigid_operator_is_the_derivative_of_the_motion(
        lambda in rotation(), frame in rotation(), center in vector(), point in vector(),
        u in prop::array::uniform6(-1.0..1.0_f64),
    ) {
        let (rotation, axes) = (block(&lambda), block(&frame));
        let body = Point::Rigid(Rigid { rotation: &rotation, center: &center }, point);
        let arm = Vector3::from(point) - Vector3::from(center);
        let (spin, velocity) = (lambda * Vector3::new(u[0], u[1], u[2]), Vector3::new(u[3], u[4], u[5]));
        let place = |t: f64| Rotation3::new(spin * t) * (lambda * arm) + velocity * t;
        let expected = frame.transpose() * (place(1e-5) - place(-1e-5)) / 2e-5;
        prop_assert!((operator_times(&body, &axes, &u) - expected).amax() < 1e-8);
        prop_assert!((Vector3::from(body.local_velocity(&axes, &u)) - expected).amax() < 1e-8);
    }

    /// The velocity of x(t) = (F + t Ḟ) (X − X̄) + x̄ + t v.
    #[test]
    fn pseudo_rigid_operator_is_the_derivative_of_the_motion(
        frame in rotation(), center in vector(), point in vector(), u in prop::collection::vec(-1.0..1.0_f64, 12),
    ) {
        let axes = block(&frame);
        let body = Point::PseudoRigid(PseudoRigid { center: &center }, point);
        let rate = Matrix3::from_row_slice(&u[..9]);
        let arm = Vector3::from(point) - Vector3::from(center);
        let expected = frame.transpose() * (rate * arm + Vector3::from_column_slice(&u[9..]));
        prop_assert!((operator_times(&body, &axes, &u) - expected).amax() < 1e-14);
        prop_assert!((Vector3::from(body.local_velocity(&axes, &u)) - expected).amax() < 1e-14);
    }
}
