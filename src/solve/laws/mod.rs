//! The laws of constraints as data: one file for each kind of law, and the table of all kinds.
//!
//! A method asks a law for what it needs, by [`of_kind!`]: the local solution for sweeps, the projection and its derivative for
//! Newton's method, the cones for proofs, lanes for interior points. The compiler makes a `match` of each question, and the code of
//! a law is inlined there. A new law is a file with an implementation of [`LawKind`], and an entry of the table.

mod bounds;
mod contact;
mod expansion;
pub(super) mod moments;
mod natural_map;

#[cfg(feature = "mpi")]
use crate::math::small_symmetric::MOST_ROWS;
use crate::math::{Block, Vector, length};
use crate::memory;
use crate::rows::fault::Fault;

use super::cone::determinant;
use super::conflict::Demand;
use super::derivatives::{Kink3, LinearLaw};
use super::determinacy::Faces;
use super::frames::Axes;
use super::interior::Lane;
use super::problem::{Law, Normal};
use super::rolling::Coefficients;
use super::rows_of_three::{IN_ORDER, LaneOrder};
use super::state::Solution;

pub use contact::SMALL;
pub use natural_map::{allowed, allowed_in_row, natural_map};

/// What methods need from a kind of law. Vectors have the components of a row of three.
pub trait LawKind: Copy {
    /// The diagonal block of W, prepared for the solution of the row.
    type Local: LocalLaw;

    /// The number of the kind in files.
    const IN_FILES: i32;

    /// Whether interior points can have the law, see [`Self::lane`]. Otherwise they are not used where the law is.
    const HAS_INTERIOR: bool;

    /// Check the numbers of the first (0) or the second (1) law of a row with `height` scalar rows. The law has `count` of these.
    fn check(&self, height: usize, part: usize, count: usize) -> Result<(), Fault>;

    /// Both coefficients of friction, the cohesion, and the coefficients of rolling and torsion, as files have them.
    fn coefficients(&self) -> [f64; 5] {
        [0.0; 5]
    }

    /// The lower and the upper bound of a component, as files have them.
    fn bounds(&self, _component: usize) -> [f64; 2] {
        [0.0; 2]
    }

    /// The lanes of a triple of a row of this height, see `rows_of_three`.
    fn lanes(&self, _height: usize, _normal: Normal) -> LaneOrder {
        IN_ORDER
    }

    /// The law with values for the lanes after the first `count`, which have no scalar row.
    fn padded(self, _count: usize) -> Self {
        self
    }

    /// The coefficients of friction along both tangents, if there is friction.
    #[inline(always)]
    fn frictions(&self) -> Option<[f64; 2]> {
        None
    }

    /// The law with this coefficient along both tangents.
    fn isotropic(self, _friction: f64) -> Self {
        self
    }

    /// The largest pull, which shifts the normal component of the cone of forces.
    #[inline(always)]
    fn cohesion(&self) -> Option<f64> {
        None
    }

    /// The normal force that the law asks for, whatever the velocity is.
    #[inline(always)]
    fn least_force(&self) -> f64 {
        0.0
    }

    /// The coefficients of a contact that may have moments in the next row.
    #[inline(always)]
    fn with_moments(&self) -> Option<Coefficients> {
        None
    }

    /// Whether the velocity of a component is zero for any force.
    #[inline(always)]
    fn is_free(&self, _component: usize) -> bool {
        false
    }

    /// The least positive t at which the projection of x + t d becomes another function, see [`Self::projected`]: a contact begins to
    /// slide, to stick or to open, or a bound is reached. Infinite if there is none.
    #[inline(always)]
    fn first_change<A: Axes>(&self, _x: &Vector, _d: &Vector, _root: f64) -> f64 {
        f64::INFINITY
    }

    /// Whether the law is an equation: each component has zero velocity, or a given force.
    #[inline(always)]
    fn is_joint(&self) -> bool {
        false
    }

    /// Prepare the diagonal block of W.
    fn local<A: Axes>(&self, w: &Block) -> Self::Local;

    /// The closest force that the law allows; for moments as they are.
    fn allowed<A: Axes>(&self, r: &Vector) -> Vector;

    /// Alart and Curnier's projection P of scaled forces; `root` is √d.
    fn projected<A: Axes>(&self, x: &Vector, root: f64) -> Vector;

    /// An element of the generalized Jacobian of P.
    fn slope<A: Axes>(&self, x: &Vector, root: f64) -> Block;

    /// The closest point of the dual of the cone in which the law keeps velocities.
    fn dual<A: Axes>(&self, x: &Vector) -> Vector;

    /// The largest value of a · R over allowed forces: a finite part, and the vector whose product with the forces that can grow is
    /// the rest.
    fn reach<A: Axes>(&self, a: &Vector) -> (f64, Vector);

    /// The demand on the velocity of a component.
    fn demand(&self, _component: usize) -> Demand {
        Demand::Contact
    }

    /// Add the directions in which the force can change while the velocity remains, and their cones.
    fn add_faces<A: Axes>(&self, faces: &mut Faces, solution: &Solution, row: usize) -> memory::Result;

    /// Write the law for small changes of a solution, for derivatives, where the default is. Kinks of the solution are added.
    fn linearized<A: Axes>(
        &self,
        solution: &Solution,
        row: usize,
        law: &mut LinearLaw,
        kinks: &mut Vec<Kink3>,
    ) -> memory::Result;

    /// The kind of a component for interior points; none if the component belongs to a cone of friction.
    #[inline(always)]
    fn lane<A: Axes>(&self, _component: usize, _root: f64) -> Option<Lane> {
        Some(Lane::Pinned(0.0))
    }
}

/// The exact solution of one row, while all other forces are kept.
pub trait LocalLaw {
    /// The force that obeys the law if it adds W R to the velocity q, which includes the bias. `old` is the initial guess, and is
    /// kept where the block leaves the force open. Errors of the last force times `accuracy` may be left; 0: only rounding.
    fn force<A: Axes>(&self, q: &Vector, old: &Vector, accuracy: f64) -> Vector;
}

/// Make the kinds of laws, the data of each kind, and [`of_kind!`] from the table. An entry has the numbers of a law, then the values
/// that it has for each scalar row. `$d` is a dollar sign.
macro_rules! table {
    ($d:tt $($(#[$doc:meta])* $name:ident
        $({ $($(#[$of_number:meta])* $number:ident,)* } [ $($(#[$of_value:meta])* $value:ident,)* ])?;)*) => {
        /// The kinds of laws.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Kind<V = Vector> {
            $($(#[$doc])* $name $({ $($(#[$of_number])* $number: f64,)* $($(#[$of_value])* $value: V,)* })?,)*
        }

        impl<V> Kind<V> {
            /// The same with other values for the scalar rows.
            pub(crate) fn map<U>(self, values: impl Fn(V) -> U) -> Kind<U> {
                _ = &values;
                match self {
                    $(Self::$name $({ $($number,)* $($value,)* })? => {
                        Kind::$name $({ $($number,)* $($value: values($value),)* })?
                    })*
                }
            }
        }

        #[cfg(feature = "mpi")]
        impl Kind<[f64; MOST_ROWS]> {
            /// Call a function for each number of the law, first its kind.
            pub(crate) fn pack(&self, put: &mut dyn FnMut(f64)) {
                match *self {
                    $(Self::$name $({ $($number,)* $($value,)* })? => {
                        put(<$name as LawKind>::IN_FILES.into());
                        $($(put($number);)* $($value.into_iter().for_each(&mut *put);)*)?
                    })*
                }
            }

            /// The law whose numbers a function returns one by one, in the order of [`Kind::pack`].
            pub(crate) fn unpack(take: &mut dyn FnMut() -> Option<f64>) -> Option<Self> {
                let kind = take()?;
                $(if kind == <$name as LawKind>::IN_FILES.into() {
                    $($(let $number = take()?;)* $(let mut $value = [0.0; MOST_ROWS];
                        for value in &mut $value {
                            *value = take()?;
                        })*)?
                    return Some(Self::$name $({ $($number,)* $($value,)* })?);
                })*
                None
            }
        }

        $(
            /// The data of the kind with this name.
            #[derive(Clone, Copy, Debug)]
            pub(crate) struct $name { $($(pub $number: f64,)* $(pub $value: Vector,)*)? }

            impl From<$name> for Kind {
                #[inline(always)]
                fn from(law: $name) -> Self {
                    _ = law;
                    Self::$name $({ $($number: law.$number,)* $($value: law.$value,)* })?
                }
            }
        )*

        /// The local solution of a row of any kind.
        #[derive(Clone, Copy, Debug)]
        pub enum Local {
            $($name(<$name as LawKind>::Local),)*
            /// A contact with moments in the next row; its number among such contacts.
            Pair(u32),
        }

        impl Local {
            /// Prepare a diagonal block of W.
            pub fn new<A: Axes>(w: &Block, law: &Law) -> Self {
                match law.kind {
                    $(Kind::$name $({ $($number,)* $($value,)* })? => {
                        Self::$name($name { $($($number,)* $($value,)*)? }.local::<A>(w))
                    })*
                }
            }

            /// See [`LocalLaw::force`].
            #[inline(always)]
            pub fn force<A: Axes>(&self, q: &Vector, old: &Vector, accuracy: f64) -> Vector {
                match self {
                    $(Self::$name(local) => local.force::<A>(q, old, accuracy),)*
                    // Two rows together have these forces.
                    Self::Pair(_) => *old,
                }
            }
        }

        /// Evaluate an expression with the law of this kind.
        macro_rules! of_kind {
            ($d kind:expr, $d law:ident => $d value:expr) => {
                match *$d kind {
                    $($crate::solve::Kind::$name $({ $($number,)* $($value,)* })? => {
                        let $d law = $crate::solve::laws::$name { $($($number,)* $($value,)*)? };
                        $d value
                    })*
                }
            };
        }
    };
}

table! {
    $
    /// Signorini and Coulomb: 0 ≤ R_N + cohesion ⟂ U_N ≥ 0, and R_T against U_T, |R_T| ≤ friction · (R_N + cohesion).
    ///
    /// The constraint has three scalar rows, or two: contacts in a plane have one tangent.
    ///
    /// With two coefficients |(R_1 / friction, R_2 / friction_2)| ≤ R_N + cohesion, and R_T is the force with the most dissipation
    /// among these.
    ///
    /// With four to six scalar rows the contact also has moments. After the scalar rows of the force there is the moment about the
    /// normal (four), are the moments about both tangents (five), or all three in the order of the force's components (six). The
    /// moment about the tangents is against their angular velocity and at most rolling_friction · (R_N + cohesion); the moment about
    /// the normal is against its angular velocity and at most torsional_friction · (R_N + cohesion).
    Contact {
        /// Coulomb's coefficient along the first tangent.
        friction,
        /// The coefficient along the second tangent; the same if friction is isotropic, or if there is no second tangent. One of
        /// them may be zero.
        friction_2,
        /// The largest pull, a force.
        cohesion,
        /// The coefficient of rolling friction, a length; zero if there is no moment about the tangents.
        rolling_friction,
        /// The coefficient of torsional friction, a length; zero if there is no moment about the normal.
        torsional_friction,
    } [];
    /// The second law of a contact with moments, see [`Law::parts`]: the moments obey the law of the contact.
    Moments;
    /// Independent components: lower ≤ R_i ≤ upper; between the bounds U_i = 0, at the lower one U_i ≥ 0, at the upper
    /// one U_i ≤ 0. Infinite bounds make a fixed component, equal ones a given force, −m and m a motor or dry friction
    /// with the most force m, 0 and infinity a stop.
    Bounds {} [
        /// The lower bounds.
        lower,
        /// The upper bounds, none below its lower bound.
        upper,
    ];
    /// A contact in the expansion phase of an impact, Poisson's restitution: 0 ≤ R_N − least_force ⟂ U_N ≥ 0, and R_T against U_T,
    /// |R_T| ≤ friction · R_N. The least force is e times R_N of the compression phase. Friction acts where U_N > 0, too.
    ///
    /// The constraint has three scalar rows, or two: contacts in a plane have one tangent.
    Expansion {
        /// Coulomb's coefficient.
        friction,
        /// The least normal force, not negative.
        least_force,
    } [];
}

pub(super) use of_kind;

impl Kind {
    /// Whether interior points can have the law.
    pub(super) fn has_interior(&self) -> bool {
        fn of<L: LawKind>(_: L) -> bool {
            L::HAS_INTERIOR
        }
        of_kind!(self, law => of(law))
    }
}

impl<V> Kind<V> {
    /// Whether the law is that of a contact with one coefficient of friction for both tangents.
    pub(crate) fn is_isotropic(&self) -> bool {
        matches!(self, Self::Contact { friction, friction_2, .. } if friction == friction_2)
    }

    /// Contact without moments: friction along both tangents, and cohesion.
    pub fn contact([friction, friction_2]: [f64; 2], cohesion: f64) -> Self {
        Self::Contact { friction, friction_2, cohesion, rolling_friction: 0.0, torsional_friction: 0.0 }
    }
}

/// t if it is positive, otherwise infinity.
#[inline(always)]
fn positive(t: f64) -> f64 {
    if t > 0.0 { t } else { f64::INFINITY }
}

/// The least positive t at which the tangents are on their disk: |x_T + t d_T| = x_0 + t d_0 > 0, for a radius x_0 and its growth d_0.
#[inline(always)]
fn first_on_disk(x: &Vector, d: &Vector) -> f64 {
    // The roots of a t² + 2 b t + c.
    let (a, b, c) = (determinant(d), x[0] * d[0] - x[1] * d[1] - x[2] * d[2], determinant(x));
    let q = -(b + (b * b - a * c).sqrt().copysign(b));
    let on_disk = |t: f64| if x[0] + t * d[0] > 0.0 { positive(t) } else { f64::INFINITY };
    on_disk(q / a).min(on_disk(c / q))
}

/// Check that a number is not negative and finite.
fn is_size(x: f64) -> bool {
    x >= 0.0 && x.is_finite()
}

/// The derivative of a projection that has the normal force `normal`, a component of x or else constant, and the tangents on its disk.
#[inline(always)]
fn slope_of_cone<A: Axes>(x: &Vector, friction: f64, normal: f64, is_constant: bool) -> Block {
    let mut slope = [0.0; 9];
    let (radius, size) = (friction * normal, length(x[A::S], x[A::T]));
    slope_of_disk::<A>(&mut slope, x, radius, size);
    if !is_constant {
        slope[4 * A::N] = 1.0;
        if size > radius {
            slope[3 * A::N + A::S] = friction * (x[A::S] / size);
            slope[3 * A::N + A::T] = friction * (x[A::T] / size);
        }
    }
    slope
}

/// Write the derivative of the projection of the tangents on a disk.
#[inline(always)]
fn slope_of_disk<A: Axes>(slope: &mut Block, x: &Vector, radius: f64, size: f64) {
    if size <= radius {
        slope[4 * A::S] = 1.0;
        slope[4 * A::T] = 1.0;
        return;
    }
    let (s, t) = (x[A::S] / size, x[A::T] / size);
    let ratio = radius / size;
    slope[4 * A::S] = ratio * (1.0 - s * s);
    slope[4 * A::T] = ratio * (1.0 - t * t);
    slope[3 * A::T + A::S] = -ratio * s * t;
    slope[3 * A::S + A::T] = -ratio * s * t;
}
