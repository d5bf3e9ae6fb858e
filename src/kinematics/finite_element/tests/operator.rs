use nalgebra::{DMatrix, Matrix3xX};

use super::*;
use crate::kinematics::finite_element::element::interpolate;

#[derive(Clone, Debug)]
struct Case {
    element: Element,
    mesh: Vec<Vector>,
    location: Location,
    point: Vector,
    frame: Matrix3<f64>,
    rotation: Matrix3<f64>,
}

fn case() -> impl Strategy<Value = Case> {
    (shapes(), vector(1.0), rotation(), rotation()).prop_flat_map(|(shape, unit, frame, rotation)| {
        distorted(shape, 0.1).prop_map(move |corners| {
            let (element, mesh) = mesh_of(shape, &corners);
            let xi = inner_point(shape, &unit);
            let point = interpolate(&shape.functions(&xi), &corners);
            Case { element, mesh, location: Location { element, xi }, point, frame, rotation }
        })
    })
}

/// H as a dense matrix by the definition Eᵀ N R.
fn dense(case: &Case, rotation: &Matrix3<f64>) -> Matrix3xX<f64> {
    let mut h = Matrix3xX::zeros(3 * case.mesh.len());
    let n = case.element.shape.functions(&case.location.xi);
    for (&node, n) in case.element.nodes().iter().zip(n) {
        h.fixed_view_mut::<3, 3>(0, 3 * node as usize).copy_from(&(case.frame.transpose() * n * rotation));
    }
    h
}

fn amount(x: f64) -> f64 {
    if x.is_finite() { x } else { f64::INFINITY }
}

proptest! {
    /// Nodes that move as a rigid body make the point move with it.
    #[test]
    fn a_rigid_velocity_field_gives_the_rigid_local_velocity(
        case in case(), spin in vector(1.0), shift in vector(1.0),
    ) {
        let field = |x: &Vector| Vector3::from(spin).cross(&Vector3::from(*x)) + Vector3::from(shift);
        let velocity: Vec<f64> = case.mesh.iter().flat_map(|x| <[f64; 3]>::from(field(x))).collect();
        let operator = NodalOperator::new(&case.location, &block(&case.frame), None);
        let expected = case.frame.transpose() * field(&case.point);
        let got = Vector3::from(operator.times(&velocity));
        prop_assert!(amount((got - expected).amax()) < 2e-14, "{got} {expected}");
    }

    #[test]
    fn all_forms_of_the_operator_are_its_definition(
        case in case(), rotated in any::<bool>(), base in prop::collection::vec(-1.0..1.0_f64, 2 * 75),
    ) {
        let rotation = if rotated { case.rotation } else { Matrix3::identity() };
        let expected = dense(&case, &rotation);
        let given = block(&case.rotation);
        let operator = NodalOperator::new(&case.location, &block(&case.frame), rotated.then_some(&given));
        let columns = 3 * case.mesh.len();

        let mut h = vec![0.0; 3 * columns];
        operator.add_to(-2.0, &mut h);
        prop_assert!((Matrix3xX::from_column_slice(&h) + 2.0 * &expected).amax() < 1e-15);

        let length = operator.sparse_length();
        prop_assert_eq!(length, 9 * case.element.nodes().len());
        let (mut starts, mut rows, mut values) = (vec![-1; columns + 1], vec![-1; length], vec![f64::NAN; length]);
        operator.write_sparse(&mut starts, &mut rows, &mut values);
        prop_assert_eq!((starts[0], starts[columns]), (0, length as i32));
        for j in 0..columns {
            let range = starts[j] as usize..starts[j + 1] as usize;
            let of_element = case.element.nodes().contains(&(j as u32 / 3));
            prop_assert_eq!(&rows[range.clone()], if of_element { &[0, 1, 2][..] } else { &[][..] });
            for (i, value) in values[range].iter().enumerate() {
                prop_assert!((value - expected[(i, j)]).abs() < 1e-15);
            }
        }

        let base = &base[..2 * columns];
        let reduced = Reduced { location: case.location, rotation: &given, base, rows: columns };
        let product = dense(&case, &case.rotation) * DMatrix::from_column_slice(columns, 2, base);
        let mut h = [0.0; 6];
        reduced.add_operator(-1.0, &block(&case.frame), &mut h);
        prop_assert!((Matrix3xX::from_column_slice(&h) + &product).amax() < 1e-14);
        let velocity = reduced.local_velocity(&block(&case.frame), &[0.5, -2.0]);
        let expected = &product * nalgebra::Vector2::new(0.5, -2.0);
        prop_assert!((Vector3::from(velocity) - expected).amax() < 1e-13);

        prop_assert!(operator.weights().is_sorted_by(|a, b| a.0 < b.0));
    }

    /// Body and frame turned together by S: the factor is (SE)ᵀ(SR) = EᵀR, so W stays what it was in the
    /// body's axes.
    #[test]
    fn a_body_turned_as_a_whole_keeps_its_operator(case in case(), turn in rotation()) {
        let before = NodalOperator::new(&case.location, &block(&case.frame), Some(&block(&case.rotation)));
        let frame = block(&(turn * case.frame));
        let after = NodalOperator::new(&case.location, &frame, Some(&block(&(turn * case.rotation))));
        for (a, b) in before.factor.iter().zip(after.factor) {
            prop_assert!((a - b).abs() < 4e-15);
        }
        prop_assert_eq!(before.weights(), after.weights());
    }
}

#[test]
fn repeated_nodes_of_an_element_are_one() {
    let element = Element::new(&[4, 4, 1, 2], 5).unwrap();
    let location = Location { element, xi: [0.25, 0.5, 0.125] };
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let operator = NodalOperator::new(&location, &identity, None);
    assert_eq!(operator.weights(), [(1, 0.5), (2, 0.125), (4, 0.375)]);
}
