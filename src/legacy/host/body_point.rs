//! The point at which a constraint acts on a body, in the host's terms.

use std::ffi::c_void;
use std::ptr;

use crate::kinematics::finite_element::CachedLocation;
use crate::legacy::layout::*;
use crate::math::Vector;

/// A referential point of a body; for finite elements also the shape and the geometric object that contain it.
#[derive(Clone, Copy)]
pub struct BodyPoint {
    /// The referential point.
    pub point: Vector,
    /// The shape; may be NULL.
    pub shape: *const SHAPE,
    /// The element, or the convex of a body with a separate mesh; may be NULL.
    pub object: *const c_void,
    /// The location found last time; may be NULL.
    pub cached: *mut CachedLocation,
}

/// The locations found last time for the points of a constraint, on the master and on the slave; may be NULL. Each is used by
/// one thread at a time.
pub type CachedLocations = *mut [CachedLocation; 2];

/// One of the two bodies of a constraint.
#[derive(Clone, Copy)]
pub enum Role {
    /// The body with positive sign.
    Master,
    /// The body with negative sign.
    Slave,
}

impl Role {
    /// Both roles.
    pub const BOTH: [Self; 2] = [Self::Master, Self::Slave];
}

impl BodyPoint {
    /// The point of a constraint on one of its bodies.
    ///
    /// # Safety
    /// `con` is valid, and its pairs of shape and object are NULL or valid; `cached` is NULL or valid.
    #[inline(always)]
    pub unsafe fn of(con: *const CON, role: Role, cached: CachedLocations) -> Self {
        // SAFETY: the caller promises a valid constraint; its pairs of shape and object, and `cached`, are
        // NULL or valid.
        unsafe {
            let (point, pair, which) = match role {
                Role::Master => ((*con).mpnt, (*con).msgp.as_ref(), 0),
                Role::Slave => ((*con).spnt, (*con).ssgp.as_ref(), 1),
            };
            let (shape, object) = pair
                .map_or((ptr::null(), ptr::null()), |pair| (pair.shp.cast_const(), pair.gobj.cast_const()));
            let first = cached.cast::<CachedLocation>();
            Self { point, shape, object, cached: if first.is_null() { first } else { first.add(which) } }
        }
    }
}
