//! Pictures of the bodies at several times, side by side.

use crate::body::Body;
use parry3d_f64::math::Vector;
use plotters::prelude::*;
use std::error::Error;
use std::f64::consts::PI;
use std::path::Path;

/// Of one picture.
const SIZE: (u32, u32) = (560, 372);
const COLUMNS: usize = 2;

const SKY: RGBColor = RGBColor(0xf4, 0xf1, 0xea);
const GROUND: Vector = Vector::new(0.84, 0.82, 0.76);
const STEEL: Vector = Vector::new(0.30, 0.36, 0.44);
/// The bricks of one course, and of the next.
const BRICKS: [Vector; 2] = [Vector::new(0.80, 0.42, 0.29), Vector::new(0.70, 0.34, 0.25)];

/// A flat piece of surface, counter-clockwise from outside.
struct Face {
    corners: Vec<Vector>,
    normal: Vector,
    color: Vector,
    /// Whether its edges are drawn.
    outlined: bool,
}

#[derive(Default)]
pub struct Filmstrip {
    pictures: Vec<(f64, Vec<Face>)>,
}

impl Filmstrip {
    pub fn add(&mut self, time: f64, bodies: &[Body]) {
        let mut faces = Vec::new();
        for (index, body) in bodies.iter().enumerate().filter(|(_, body)| !body.fixed) {
            if let Some(ball) = body.shape.as_ball() {
                add_ball(body, ball.radius, &mut faces);
            } else if let Some(cuboid) = body.shape.as_cuboid() {
                add_brick(body, cuboid.half_extents, BRICKS[index % 2], &mut faces);
            }
        }
        self.pictures.push((time, faces));
    }

    pub fn draw(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let rows = self.pictures.len().div_ceil(COLUMNS);
        let size = (SIZE.0 * COLUMNS as u32, SIZE.1 * rows as u32);
        let area = SVGBackend::new(path, size).into_drawing_area();
        area.fill(&WHITE)?;
        for ((time, faces), area) in self.pictures.iter().zip(area.split_evenly((rows, COLUMNS))) {
            let area = area.margin(4, 4, 4, 4);
            area.fill(&SKY)?;
            draw(&area, faces)?;
            let style = TextStyle::from(("sans-serif", 20).into_font()).color(&RGBColor(0x33, 0x33, 0x33));
            area.draw(&Text::new(format!("{time:.2} s"), (16, 14), style))?;
        }
        Ok(area.present()?)
    }
}

fn add_brick(body: &Body, half: Vector, color: Vector, faces: &mut Vec<Face>) {
    for axis in 0..3 {
        let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
        for sign in [-1.0, 1.0] {
            let corner = |along_a: f64, along_b: f64| {
                let mut corner = Vector::ZERO;
                corner[axis] = sign * half[axis];
                corner[a] = along_a * half[a];
                corner[b] = sign * along_b * half[b];
                body.pose.transform_point(corner)
            };
            let mut normal = Vector::ZERO;
            normal[axis] = sign;
            faces.push(Face {
                corners: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
                normal: body.pose.transform_vector(normal),
                color,
                outlined: true,
            });
        }
    }
}

fn add_ball(body: &Body, radius: f64, faces: &mut Vec<Face>) {
    let (around, down) = (28, 14);
    let point = |i: usize, j: usize| {
        let ((s, c), (z, r)) = (
            (2.0 * PI * i as f64 / around as f64).sin_cos(),
            (PI * j as f64 / down as f64 - PI / 2.0).sin_cos(),
        );
        Vector::new(c * r, s * r, z) * radius
    };
    for i in 0..around {
        for j in 0..down {
            let corners = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
            let middle: Vector = corners.iter().sum::<Vector>().normalize();
            faces.push(Face {
                corners: corners.iter().map(|corner| body.pose.transform_point(*corner)).collect(),
                normal: body.pose.transform_vector(middle),
                color: STEEL,
                outlined: false,
            });
        }
    }
}

/// Where the camera is, and how it looks.
struct Camera {
    eye: Vector,
    right: Vector,
    up: Vector,
    ahead: Vector,
    /// Pixels of a tangent of one.
    scale: f64,
}

impl Camera {
    fn new() -> Self {
        let eye = Vector::new(4.6, -6.6, 2.3);
        let ahead = (Vector::new(0.55, 1.0, 0.62) - eye).normalize();
        let right = ahead.cross(Vector::Z).normalize();
        Self { eye, right, up: right.cross(ahead), ahead, scale: 800.0 }
    }

    /// The row of pixels to which the ground reaches.
    fn horizon(&self) -> i32 {
        let slope = self.ahead.z / self.ahead.truncate().length();
        (f64::from(SIZE.1) / 2.0 + self.scale * slope).round() as i32
    }

    fn pixel(&self, point: Vector) -> (i32, i32) {
        let sight = point - self.eye;
        let depth = sight.dot(self.ahead);
        let across = self.scale * sight.dot(self.right) / depth;
        let upwards = self.scale * sight.dot(self.up) / depth;
        (
            (f64::from(SIZE.0) / 2.0 + across).round() as i32,
            (f64::from(SIZE.1) / 2.0 - upwards).round() as i32,
        )
    }
}

fn draw<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    faces: &[Face],
) -> Result<(), Box<dyn Error>>
where
    DB::ErrorType: 'static,
{
    let camera = Camera::new();
    draw_ground(area, &camera, faces)?;
    let mut seen: Vec<_> =
        faces.iter().filter(|face| face.normal.dot(face.corners[0] - camera.eye) < 0.0).collect();
    let distance = |face: &Face| (face.corners.iter().sum::<Vector>() / 4.0 - camera.eye).length();
    seen.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    let sun = Vector::new(0.55, -0.45, 0.8).normalize();
    for face in seen {
        let light = 0.55 + 0.45 * face.normal.dot(sun).max(0.0);
        let corners: Vec<_> = face.corners.iter().map(|corner| camera.pixel(*corner)).collect();
        area.draw(&Polygon::new(corners.clone(), color(face.color * light).filled()))?;
        let edge = if face.outlined { color(face.color * 0.45) } else { color(face.color * light) };
        area.draw(&PathElement::new([&corners[..], &corners[..1]].concat(), edge.stroke_width(1)))?;
    }
    Ok(())
}

/// The ground, and shadows straight below the bodies.
fn draw_ground<DB: DrawingBackend>(
    area: &DrawingArea<DB, plotters::coord::Shift>,
    camera: &Camera,
    faces: &[Face],
) -> Result<(), Box<dyn Error>>
where
    DB::ErrorType: 'static,
{
    let flat = |x: f64, y: f64| camera.pixel(Vector::new(x, y, 0.0));
    let horizon = camera.horizon();
    let (width, height) = (SIZE.0 as i32, SIZE.1 as i32);
    area.draw(&Rectangle::new([(0, horizon), (width, height)], color(GROUND).filled()))?;
    for face in faces.iter().filter(|face| face.normal.z > 0.0) {
        let below = face.corners.iter().map(|corner| flat(corner.x, corner.y)).collect::<Vec<_>>();
        area.draw(&Polygon::new(below, color(GROUND * 0.82).filled()))?;
    }
    Ok(())
}

fn color(color: Vector) -> RGBColor {
    let [r, g, b] = (color * 255.0).to_array().map(|value| value.clamp(0.0, 255.0) as u8);
    RGBColor(r, g, b)
}
