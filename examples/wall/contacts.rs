//! Contacts between bodies, found by the collision library parry.

use super::body::Body;
use parry3d_f64::bounding_volume::BoundingVolume;
use parry3d_f64::math::Vector;
use parry3d_f64::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};

/// A pair of points that touch or are about to.
pub struct Contact {
    /// The same of the same features from step to step.
    pub key: [u32; 4],
    pub master: usize,
    pub slave: usize,
    /// Referential points.
    pub master_point: Vector,
    pub slave_point: Vector,
    /// Local frame, columns: two tangents, then the normal, from slave to master.
    pub frame: [f64; 9],
    /// Distance along the normal; negative in penetration.
    pub gap: f64,
}

/// Contacts of two bodies that are closer together count once, m.
const SAME: f64 = 1e-3;

/// All contacts with gaps up to `reach`, in the order of the bodies.
pub fn find(bodies: &[Body], reach: f64) -> Vec<Contact> {
    let bounds: Vec<_> =
        bodies.iter().map(|body| body.shape.compute_aabb(&body.pose).loosened(reach)).collect();
    let mut found = Vec::new();
    let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
    for slave in 0..bodies.len() {
        for master in slave + 1..bodies.len() {
            if !bounds[slave].intersects(&bounds[master]) {
                continue;
            }
            let (first, second) = (&bodies[slave], &bodies[master]);
            manifolds.clear();
            DefaultQueryDispatcher
                .contact_manifolds(
                    &first.pose.inv_mul(&second.pose),
                    &*first.shape,
                    &*second.shape,
                    reach,
                    &mut manifolds,
                    &mut None,
                )
                .expect("bricks, balls and the ground are supported");
            for manifold in &manifolds {
                let normal = first.pose.transform_vector(manifold.local_n1);
                let frame = frame(normal);
                let points = &manifold.points;
                // Corners that touch corners are found from either side.
                let is_first = |k: usize| {
                    let apart = |other: usize| points[other].local_p1 - points[k].local_p1;
                    (0..k).all(|other| apart(other).reject_from_normalized(manifold.local_n1).length() > SAME)
                };
                for k in (0..points.len()).filter(|k| points[*k].dist <= reach && is_first(*k)) {
                    found.push(Contact {
                        key: [slave as u32, master as u32, points[k].fid1.0, points[k].fid2.0],
                        master,
                        slave,
                        master_point: points[k].local_p2,
                        slave_point: points[k].local_p1,
                        frame,
                        gap: points[k].dist,
                    });
                }
            }
        }
    }
    found
}

/// Axes of which the third is the normal.
fn frame(normal: Vector) -> [f64; 9] {
    let (a, b) = normal.any_orthonormal_pair();
    [a.x, a.y, a.z, b.x, b.y, b.z, normal.x, normal.y, normal.z]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brick_on_a_brick_touches_at_four_corners() {
        let size = Vector::new(0.4, 0.2, 0.1);
        let bodies = [0.0, 0.101].map(|z| Body::brick(size, 1000.0, Vector::new(0.0, 0.0, z)));
        let contacts = find(&bodies, 0.01);
        assert_eq!(contacts.len(), 4);
        for contact in &contacts {
            assert!((contact.gap - 0.001).abs() < 1e-12);
            assert!((contact.frame[8] - 1.0).abs() < 1e-12, "upwards, from slave to master");
            assert_eq!((contact.slave, contact.master), (0, 1));
            assert!(
                (contact.slave_point.z - 0.05).abs() < 1e-12 && (contact.master_point.z + 0.05).abs() < 1e-12
            );
        }
        assert!(find(&bodies, 0.0005).is_empty());
    }
}
