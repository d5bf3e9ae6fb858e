//! A wall in running bond on the ground, and a ball that flies at it.

use super::body::Body;
use parry3d_f64::math::Vector;

const COURSES: usize = 9;
const BRICKS_PER_COURSE: usize = 8;
/// Length, depth and height of a brick, m.
const BRICK: Vector = Vector::new(0.40, 0.20, 0.20);
/// Joints between the bricks of a course, m: they do not touch before the ball comes.
const JOINT: f64 = 0.004;
/// kg/m³.
const BRICK_DENSITY: f64 = 1800.0;
const BALL_DENSITY: f64 = 7800.0;
const BALL_RADIUS: f64 = 0.22;
/// m/s.
const BALL_SPEED: f64 = 14.0;

/// The ground, the bricks from the lowest course up, and last the ball.
pub fn bodies() -> Vec<Body> {
    let mut ground = Body::brick(Vector::new(40.0, 40.0, 1.0), 1.0, Vector::new(0.0, 0.0, -0.5));
    ground.fixed = true;
    let mut bodies = vec![ground];
    for course in 0..COURSES {
        bodies.extend(self::course(course));
    }
    let mut ball = Body::ball(BALL_RADIUS, BALL_DENSITY, Vector::new(0.12, -1.6, 1.05));
    ball.velocity = Vector::new(0.0, BALL_SPEED, 0.6);
    bodies.push(ball);
    bodies
}

/// Every second course begins and ends with half a brick.
fn course(course: usize) -> Vec<Body> {
    let pitch = BRICK.x + JOINT;
    let half = Vector::new((BRICK.x - JOINT) / 2.0, BRICK.y, BRICK.z);
    let height = BRICK.z * (course as f64 + 0.5);
    let brick = |size: Vector, x: f64| Body::brick(size, BRICK_DENSITY, Vector::new(x, 0.0, height));
    let middle = |count: usize, k: usize| pitch * (k as f64 - (count as f64 - 1.0) / 2.0);
    if course.is_multiple_of(2) {
        return (0..BRICKS_PER_COURSE).map(|k| brick(BRICK, middle(BRICKS_PER_COURSE, k))).collect();
    }
    let whole = BRICKS_PER_COURSE - 1;
    let end = (pitch * BRICKS_PER_COURSE as f64 - JOINT - half.x) / 2.0;
    let between = (0..whole).map(|k| brick(BRICK, middle(whole, k)));
    std::iter::once(brick(half, -end)).chain(between).chain(std::iter::once(brick(half, end))).collect()
}
