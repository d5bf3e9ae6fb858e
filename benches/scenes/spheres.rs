//! Rigid spheres: a lattice of them, and many on one box.

use std::f64::consts::PI;

use super::{Body, Contact, DENSITY, Lumped, Scene, Side, Vector};

/// Radius; neighbors are two of it apart.
const RADIUS: f64 = 0.1;

const X: Vector = [1.0, 0.0, 0.0];
const Y: Vector = [0.0, 1.0, 0.0];
const Z: Vector = [0.0, 0.0, 1.0];

/// A sphere.
pub fn sphere(center: Vector) -> Body {
    let mass = DENSITY * 4.0 / 3.0 * PI * RADIUS.powi(3);
    Body::Rigid(Lumped { center, mass, second_moments: [mass * RADIUS * RADIUS / 5.0; 3] })
}

/// `size`³ touching spheres on a cubic lattice, on a floor.
pub fn lattice(size: usize) -> Scene {
    let mut scene = Scene { bodies: vec![Body::Obstacle], contacts: vec![] };
    let index = |i, j, k| 1 + i + size * (j + size * k);
    for k in 0..size {
        for j in 0..size {
            for i in 0..size {
                let center = at(i, j, RADIUS + 2.0 * RADIUS * k as f64);
                scene.bodies.push(sphere(center));
                let own = index(i, j, k);
                touch(&mut scene, center, own, Z, if k > 0 { index(i, j, k - 1) } else { 0 });
                if i > 0 {
                    touch(&mut scene, center, own, X, index(i - 1, j, k));
                }
                if j > 0 {
                    touch(&mut scene, center, own, Y, index(i, j - 1, k));
                }
            }
        }
    }
    scene
}

/// A box on a floor that carries `size`² touching spheres.
pub fn hub(size: usize) -> Scene {
    let width = 2.0 * RADIUS * size as f64;
    let height = 2.0 * RADIUS;
    let mass = DENSITY * width * width * height;
    let middle = 0.5 * width - RADIUS;
    let carrier = Lumped {
        center: [middle, middle, 0.5 * height],
        mass,
        second_moments: [width, width, height].map(|edge| mass * edge * edge / 12.0),
    };
    let mut scene = Scene { bodies: vec![Body::Obstacle, Body::Rigid(carrier)], contacts: vec![] };
    let side = |body| Side { body, element: None };
    scene.contacts.push(Contact { point: [middle, middle, 0.0], normal: Z, master: side(1), slave: side(0) });
    let index = |i, j| 2 + i + size * j;
    for j in 0..size {
        for i in 0..size {
            let center = at(i, j, height + RADIUS);
            scene.bodies.push(sphere(center));
            let own = index(i, j);
            touch(&mut scene, center, own, Z, 1);
            if i > 0 {
                touch(&mut scene, center, own, X, index(i - 1, j));
            }
            if j > 0 {
                touch(&mut scene, center, own, Y, index(i, j - 1));
            }
        }
    }
    scene
}

fn at(i: usize, j: usize, z: f64) -> Vector {
    [2.0 * RADIUS * i as f64, 2.0 * RADIUS * j as f64, z]
}

/// Add the contact of a sphere with the body on its side against the normal.
fn touch(scene: &mut Scene, center: Vector, master: usize, normal: Vector, slave: usize) {
    let point = std::array::from_fn(|i| center[i] - RADIUS * normal[i]);
    let side = |body| Side { body, element: None };
    scene.contacts.push(Contact { point, normal, master: side(master), slave: side(slave) });
}
