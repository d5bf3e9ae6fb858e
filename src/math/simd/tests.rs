use proptest::prelude::*;

use super::*;

/// Every operation on four numbers side by side, in the order of [`alone`].
#[derive(Clone, Copy)]
struct Operations([[f64; 4]; 4]);

impl Kernel for Operations {
    type Output = Vec<[f64; 4]>;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Vec<[f64; 4]> {
        let [a, b, c, d] =
            [level.load(&self.0[0]), level.load(&self.0[1]), level.load(&self.0[2]), level.load(&self.0[3])];
        let s = self.0[1][2];
        vec![
            (a + b).values(),
            (a - b).values(),
            (a * b).values(),
            (a / b).values(),
            (a + s).values(),
            (a * s).values(),
            a.abs().values(),
            a.abs().sqrt().values(),
            a.reciprocal().values(),
            a.max(b).values(),
            a.select_le(b, c, d).values(),
        ]
    }
}

/// The same of the numbers at place `k`.
fn alone(numbers: &[[f64; 4]; 4], k: usize) -> Vec<f64> {
    let [a, b, c, d] = numbers.map(|numbers| numbers[k]);
    let s = numbers[1][2];
    vec![
        a + b,
        a - b,
        a * b,
        a / b,
        a + s,
        a * s,
        Real::abs(a),
        Real::sqrt(Real::abs(a)),
        a.reciprocal(),
        a.max(b),
        a.select_le(b, c, d),
    ]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -1e3..1e3_f64,
        1 => prop_oneof![Just(1.0), Just(-1.0), Just(1e-310), Just(f64::MAX), Just(f64::INFINITY)],
    ]
}

proptest! {
    #[test]
    fn each_number_is_as_if_alone(numbers in prop::array::uniform4(prop::array::uniform4(number()))) {
        for of_level in at_all(Operations(numbers)) {
            for k in 0..4 {
                let together: Vec<u64> = of_level.iter().map(|values| values[k].to_bits()).collect();
                let alone: Vec<u64> = alone(&numbers, k).into_iter().map(f64::to_bits).collect();
                prop_assert_eq!(together, alone);
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Questions([f64; 4], [f64; 4]);

impl Kernel for Questions {
    type Output = [bool; 2];

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> [bool; 2] {
        let (a, b) = (level.load(&self.0), level.load(&self.1));
        [a.all_below(b), a.all_finite()]
    }
}

#[test]
fn one_of_four_decides() {
    let ask = |a, b| at_all(Questions(a, b));
    for k in 0..4 {
        for (value, below, finite) in [
            (0.5, true, true),
            (1.0, false, true),
            (2.0, false, true),
            (f64::NAN, false, false),
            (f64::INFINITY, false, false),
            (f64::NEG_INFINITY, true, false),
        ] {
            let mut a = [0.0; 4];
            a[k] = value;
            assert!(ask(a, [1.0; 4]).into_iter().all(|answers| answers == [below, finite]), "{value} at {k}");
        }
        let mut bound = [1.0; 4];
        bound[k] = f64::NAN;
        assert!(ask([0.0; 4], bound).into_iter().all(|answers| !answers[0]), "NaN at {k}");
    }
}

#[derive(Clone, Copy)]
struct Normalizer([[f64; 4]; 6]);

impl Kernel for Normalizer {
    type Output = Option<[[f64; 4]; 2]>;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Self::Output {
        let mut values = [level.zero(); 6];
        for (lanes, values) in values.iter_mut().zip(&self.0) {
            *lanes = level.load(values);
        }
        Real::normalizer(&values).map(|(scale, unit): (L::F64x4, L::F64x4)| [scale.values(), unit.values()])
    }
}

proptest! {
    #[test]
    fn normalizers_are_those_of_each_alone(
        mut values in prop::array::uniform6(prop::array::uniform4(-1.0..1.0_f64)),
        powers in prop::array::uniform4(-1021..1023_i32),
    ) {
        values[3] = [1.0; 4];
        values.iter_mut().for_each(|values| (0..4).for_each(|k| values[k] *= 2.0_f64.powi(powers[k])));
        for of_level in at_all(Normalizer(values)) {
            let [scale, unit] = of_level.unwrap();
            for k in 0..4 {
                prop_assert_eq!(f64::normalizer(&values.map(|values| values[k])), Some((scale[k], unit[k])));
            }
        }
    }
}

#[test]
fn what_has_no_simple_normalizer() {
    for (value, plain) in [
        (f64::NAN, false),
        (f64::INFINITY, false),
        (f64::NEG_INFINITY, false),
        (f64::MAX, true),
        (-f64::MAX, true),
        // Its reciprocal is subnormal.
        (2.0_f64.powi(1023), true),
    ] {
        for (place, k) in [(0, 3), (3, 0), (5, 2)] {
            let mut values = [[1.0; 4]; 6];
            values[place][k] = value;
            let found: Vec<bool> = at_all(Normalizer(values)).iter().map(Option::is_some).collect();
            assert!(found[0] == plain && found[1..].iter().all(|found| !found), "{value}");
        }
    }
    // Zeros and subnormal numbers alone.
    let found: Vec<bool> = at_all(Normalizer([[1e-310; 4]; 6])).iter().map(Option::is_some).collect();
    assert!(found[0] && found[1..].iter().all(|found| !found));
}

#[derive(Clone, Copy)]
struct Columns(Block);

impl Kernel for Columns {
    type Output = [Block; 3];

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> [Block; 3] {
        let columns = level.columns(&self.0);
        [packed(&columns), packed(&F64x4::transposed(columns)), packed(&level.transposed_columns(&self.0))]
    }
}

#[test]
fn columns_and_rows() {
    let b = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    let rows = [1.0, 4.0, 7.0, 2.0, 5.0, 8.0, 3.0, 6.0, 9.0];
    assert!(at_all(Columns(b)).into_iter().all(|blocks| blocks == [b, rows, rows]));
}

#[derive(Clone, Copy)]
struct Finite(Block);

impl Kernel for Finite {
    type Output = bool;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> bool {
        are_finite(&level.columns(&self.0))
    }
}

#[test]
fn blocks_are_finite_if_each_entry_is() {
    let all = |b, finite: bool| assert!(at_all(Finite(b)).into_iter().all(|found| found == finite), "{b:?}");
    all([f64::MAX; 9], true);
    all([-1.0; 9], true);
    for place in 0..9 {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut b = [1.0; 9];
            b[place] = value;
            all(b, false);
        }
    }
}
