//! Which frames and rotations a system accepts, and options of systems.
#![forbid(unsafe_code)]

use crate::math::{Block, deviation_from_orthonormal, of_columns, times, transposed_product};

use super::{Checked, Fault, System};

/// An option of a system; all are off in a new system.
///
/// ```
/// use ldy::system::{System, SystemOption};
///
/// let (sine, cosine) = 0.3_f32.sin_cos();
/// let [s, c] = [sine, cosine].map(f64::from);
/// let turned = [c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0];
/// let mut system = System::new();
/// let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// assert!(system.add_rigid(1.0, &unit, &turned, &[0.0; 3]).is_err());
/// system.set_option(SystemOption::Orthonormalize, true);
/// assert!(system.add_rigid(1.0, &unit, &turned, &[0.0; 3]).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SystemOption {
    /// Accept frames and rotations that are not orthonormal, for instance axes that carry units.
    AnyAxes,
    /// Replace frames and rotations that are orthonormal to within 1e-5, for instance of single precision, by the closest
    /// orthonormal ones.
    Orthonormalize,
}

/// The options of a system.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SystemOptions {
    takes_any_axes: bool,
    orthonormalizes: bool,
}

impl System {
    /// Set an option, for all calls from now on.
    pub fn set_option(&mut self, option: SystemOption, value: bool) {
        *self.options.place(option) = value;
    }

    /// Whether an option is on.
    pub fn option(&self, option: SystemOption) -> bool {
        let mut options = self.options;
        *options.place(option)
    }
}

/// The texts of axes that are refused.
pub(super) struct Refused {
    /// For axes that are far from orthonormal.
    pub far: &'static str,
    /// For axes that the option for single precision accepts.
    pub near: &'static str,
}

/// The texts of frames of constraints.
pub(super) const FRAME: Refused = Refused {
    far: "its frame is not orthonormal",
    near: "its frame is not orthonormal to within 1e-8: the option ORTHONORMALIZE accepts single precision",
};

/// The texts of rotations of bodies.
pub(super) const ROTATION: Refused = Refused {
    far: "its rotation is not orthonormal",
    near: "its rotation is not orthonormal to within 1e-8: the option ORTHONORMALIZE accepts single precision",
};

impl SystemOptions {
    fn place(&mut self, option: SystemOption) -> &mut bool {
        match option {
            SystemOption::AnyAxes => &mut self.takes_any_axes,
            SystemOption::Orthonormalize => &mut self.orthonormalizes,
        }
    }

    /// The axes that the system uses for given axes.
    ///
    /// # Errors
    /// If they are not orthonormal and no option accepts them.
    pub fn axes(&self, given: &Block, texts: &Refused) -> Checked<Block> {
        if self.takes_any_axes {
            return Ok(*given);
        }
        let deviation = deviation_from_orthonormal(given);
        let most = if self.orthonormalizes { 1e-5 } else { 1e-8 };
        match deviation {
            _ if deviation <= most => Ok(self.accepted(given)),
            _ if deviation <= 1e-5 => Err(Fault::Invalid(texts.near)),
            _ => Err(Fault::Invalid(texts.far)),
        }
    }

    /// The axes that the system uses for given axes that have been checked.
    pub fn accepted(&self, given: &Block) -> Block {
        if self.orthonormalizes && !self.takes_any_axes { orthonormalized(given) } else { *given }
    }
}

/// The closest orthonormal matrix, the orthogonal polar factor: X ← X (3 − Xᵀ X) / 2 squares the deviation in each step (Higham,
/// SIAM J. Sci. Stat. Comput. 7, 1986), so that three steps reach rounding from 1e-5.
fn orthonormalized(axes: &Block) -> Block {
    let mut x = *axes;
    for _ in 0..3 {
        let square = transposed_product(&x, &x);
        let correction = |k: usize| (if k.is_multiple_of(4) { 3.0 } else { 0.0 } - square[k]) / 2.0;
        let column = |j: usize| times(&x, &[correction(3 * j), correction(3 * j + 1), correction(3 * j + 2)]);
        x = of_columns([column(0), column(1), column(2)]);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rotation by 0.3 about (1, 2, 2) / 3, rounded to single precision, and the exact one.
    #[test]
    fn single_precision_becomes_the_closest_rotation() {
        let (sine, cosine, axis) = (0.3_f64.sin(), 0.3_f64.cos(), [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
        let mut exact = [0.0; 9];
        for j in 0..3 {
            for i in 0..3 {
                let cross = if i == j {
                    0.0
                } else if (i + 1) % 3 == j {
                    -axis[3 - i - j]
                } else {
                    axis[3 - i - j]
                };
                let one = f64::from(u8::from(i == j));
                exact[3 * j + i] = cosine * one + (1.0 - cosine) * axis[i] * axis[j] + sine * cross;
            }
        }
        let single = exact.map(|x| f64::from(x as f32));
        assert!(deviation_from_orthonormal(&single) > 1e-8);
        let rotation = orthonormalized(&single);
        assert!(deviation_from_orthonormal(&rotation) < 4e-16);
        assert!(rotation.iter().zip(exact).all(|(x, y)| (x - y).abs() < 1e-7));

        let texts = Refused { far: "far", near: "near" };
        let mut options = SystemOptions::default();
        assert_eq!(options.axes(&exact, &texts), Ok(exact));
        assert_eq!(options.axes(&single, &texts), Err(Fault::Invalid("near")));
        assert_eq!(options.axes(&exact.map(|x| 1.1 * x), &texts), Err(Fault::Invalid("far")));
        *options.place(SystemOption::Orthonormalize) = true;
        assert_eq!(options.axes(&single, &texts), Ok(rotation));
        assert_eq!(options.axes(&exact.map(|x| 1.1 * x), &texts), Err(Fault::Invalid("far")));
        *options.place(SystemOption::AnyAxes) = true;
        assert_eq!(options.axes(&single, &texts), Ok(single));
    }
}
