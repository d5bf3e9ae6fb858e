//! Rigid bodies: placement, velocity, and how they move on.

use parry3d_f64::math::{Matrix, Pose, Rotation, Vector};
use parry3d_f64::shape::SharedShape;

pub const GRAVITY: f64 = 9.81;

/// A brick, a ball or the ground, with its referential axes and mass center where its shape's are.
pub struct Body {
    pub shape: SharedShape,
    pub mass: f64,
    /// Moments of inertia about the referential axes.
    pub inertia: Vector,
    pub pose: Pose,
    /// Ω, in the referential frame.
    pub spin: Vector,
    pub velocity: Vector,
    /// Whether nothing moves it.
    pub fixed: bool,
}

impl Body {
    pub fn brick(size: Vector, density: f64, center: Vector) -> Self {
        let mass = density * size.x * size.y * size.z;
        let square = size * size * (mass / 12.0);
        let inertia = Vector::new(square.y + square.z, square.z + square.x, square.x + square.y);
        Self::new(SharedShape::cuboid(size.x / 2.0, size.y / 2.0, size.z / 2.0), mass, inertia, center)
    }

    pub fn ball(radius: f64, density: f64, center: Vector) -> Self {
        let mass = density * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        let inertia = Vector::splat(0.4 * mass * radius * radius);
        Self::new(SharedShape::ball(radius), mass, inertia, center)
    }

    fn new(shape: SharedShape, mass: f64, inertia: Vector, center: Vector) -> Self {
        let pose = Pose::from_translation(center);
        Self { shape, mass, inertia, pose, spin: Vector::ZERO, velocity: Vector::ZERO, fixed: false }
    }

    /// Λ, column-major.
    pub fn rotation(&self) -> [f64; 9] {
        Matrix::from_quat(self.pose.rotation).to_cols_array()
    }

    /// Half a step, theory (5) and (7). Without torque the angular momentum stays the same in space: what turns is the
    /// frame in which Ω is given. The turn has the Ω in the middle, to second order.
    pub fn advance(&mut self, step: f64) {
        if self.fixed {
            return;
        }
        let halfway = self.spin_after(Rotation::from_scaled_axis(self.spin * (step / 2.0)));
        let turn = Rotation::from_scaled_axis(halfway * step);
        self.pose.rotation = (self.pose.rotation * turn).normalize();
        self.spin = self.spin_after(turn);
        self.pose.translation += self.velocity * step;
    }

    /// Ω in a frame that has turned, with the same angular momentum.
    fn spin_after(&self, turn: Rotation) -> Vector {
        (turn.inverse() * (self.inertia * self.spin)) / self.inertia
    }

    pub fn kinetic_energy(&self) -> f64 {
        0.5 * (self.mass * self.velocity.length_squared() + (self.inertia * self.spin).dot(self.spin))
    }

    pub fn potential_energy(&self) -> f64 {
        if self.fixed { 0.0 } else { self.mass * GRAVITY * self.pose.translation.z }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A brick thrown spinning about its middle axis, which is unstable: its angular momentum in space stays, its
    /// energy nearly.
    #[test]
    fn free_spin_keeps_angular_momentum() {
        let mut brick = Body::brick(Vector::new(0.4, 0.2, 0.1), 1000.0, Vector::ZERO);
        brick.spin = Vector::new(0.01, 20.0, 0.02);
        let momentum = |brick: &Body| brick.pose.rotation * (brick.inertia * brick.spin);
        let (before, energy) = (momentum(&brick), brick.kinetic_energy());
        for _ in 0..2000 {
            brick.advance(5e-4);
        }
        assert!((momentum(&brick) - before).length() < 1e-11 * before.length());
        assert!((brick.kinetic_energy() / energy - 1.0).abs() < 0.01);
    }
}
