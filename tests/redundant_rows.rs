//! Which rows of W depend on others, against the singular values of W; `docs/how-to/redundancy.md` has the table.

use ldy::system::{Id, System};
use nalgebra::{Matrix3, Rotation3, Vector3};
use testing::UNIT;
use testing::blocks::dense_of_three;
use testing::matrices::block;

type Point = [f64; 3];

struct Scene {
    name: &'static str,
    system: System,
}

impl Scene {
    fn new(name: &'static str) -> Self {
        Self { name, system: System::new() }
    }

    fn rigid(&mut self) -> Id {
        let rotation = Rotation3::new(Vector3::new(0.3, -0.2, 0.5)).into_inner();
        let inertia = Matrix3::new(2.0, 0.1, 0.2, 0.1, 3.0, 0.3, 0.2, 0.3, 4.0);
        self.system.add_rigid(1.5, &block(&inertia), &block(&rotation), &[0.1, 0.2, 0.3]).unwrap()
    }

    fn pseudo_rigid(&mut self) -> Id {
        let euler = Matrix3::new(2.0, 0.1, 0.2, 0.1, 3.0, 0.3, 0.2, 0.3, 4.0);
        self.system.add_pseudo_rigid(1.5, &block(&euler), &[0.1, 0.2, 0.3]).unwrap()
    }

    fn hold(&mut self, bodies: [Option<Id>; 2], points: &[Point]) {
        let frame = Rotation3::new(Vector3::new(-0.4, 0.7, 0.1)).into_inner();
        for point in points {
            self.system.add_point_constraint(bodies, &block(&frame), [*point; 2]).unwrap();
        }
    }
}

/// Corners of the lower face of a brick, at a height.
fn corners(height: f64) -> [Point; 4] {
    [[-1.0, -0.5, height], [1.0, -0.5, height], [1.0, 0.5, height], [-1.0, 0.5, height]]
}

fn scenes() -> Vec<(Scene, usize)> {
    let mut scenes = Vec::new();
    let mut door = Scene::new("rigid door on three hinges in line");
    let body = door.rigid();
    door.hold([Some(body), None], &[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 2.0]]);
    scenes.push((door, 5));
    let mut brick = Scene::new("rigid brick on four corners");
    let body = brick.rigid();
    brick.hold([Some(body), None], &corners(0.0));
    scenes.push((brick, 6));
    let mut brick = Scene::new("pseudo-rigid brick on four corners");
    let body = brick.pseudo_rigid();
    brick.hold([Some(body), None], &corners(0.0));
    scenes.push((brick, 9));
    let mut line = Scene::new("pseudo-rigid body on four points in line");
    let body = line.pseudo_rigid();
    line.hold([Some(body), None], &[[0.0; 3], [1.0, 0.5, 0.2], [2.0, 1.0, 0.4], [-1.0, -0.5, -0.2]]);
    scenes.push((line, 6));
    let mut whole = Scene::new("pseudo-rigid brick on eight corners");
    let body = whole.pseudo_rigid();
    whole.hold([Some(body), None], &[corners(0.0), corners(1.0)].concat());
    scenes.push((whole, 12));
    let mut tower = Scene::new("tower of five rigid bricks");
    let mut below = None;
    for level in 0..5 {
        let body = tower.system.add_rigid(
            1.0 + f64::from(level),
            &[2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0],
            &UNIT,
            &[0.0, 0.0, f64::from(level) + 0.5],
        );
        let body = body.unwrap();
        tower.hold([Some(body), below], &corners(f64::from(level)));
        below = Some(body);
    }
    scenes.push((tower, 30));
    // A plane linkage of three bars and the ground, each hinge two points along its axis: one motion of 18 is left.
    let mut linkage = Scene::new("plane linkage of four hinges");
    let bars: Vec<Id> = (0..3)
        .map(|k| {
            let center = [f64::from(k), 1.0, 0.0];
            linkage.system.add_rigid(1.0, &UNIT, &UNIT, &center).unwrap()
        })
        .collect();
    let hinge = |x: f64, y: f64| [[x, y, -0.1], [x, y, 0.1]];
    linkage.hold([Some(bars[0]), None], &hinge(0.0, 0.0));
    linkage.hold([Some(bars[1]), Some(bars[0])], &hinge(0.0, 2.0));
    linkage.hold([Some(bars[2]), Some(bars[1])], &hinge(2.0, 2.5));
    linkage.hold([Some(bars[2]), None], &hinge(2.2, 0.0));
    scenes.push((linkage, 17));
    scenes
}

/// The ranks agree with theory, by hand, and with singular values; so do the ranks of the first 1, 2, 3, … rows.
#[test]
fn redundant_rows_are_those_of_singular_values() {
    let docs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/how-to/redundancy.md"))
        .unwrap();
    let mut lacking = Vec::new();
    for (mut scene, rank) in scenes() {
        scene.system.update(1e-3).unwrap();
        let rows = scene.system.results().unwrap();
        let size = rows.b.len();
        let w = dense_of_three(rows.w.starts(), rows.w.columns(), rows.w.values().as_chunks().0);
        let by_values = |count: usize| {
            let values = w.view((0, 0), (count, count)).into_owned().singular_values();
            values.iter().filter(|value| **value > 1e-10 * values.max()).count()
        };
        let dependent = scene.system.redundant(0.0).unwrap();
        let mut found = 0;
        for (count, dependent) in (1..).zip(&dependent) {
            found += usize::from(!dependent);
            assert_eq!(found, by_values(count), "{}: the first {count} rows", scene.name);
        }
        assert_eq!(found, rank, "{}", scene.name);
        let mut values: Vec<f64> = w.singular_values().iter().map(|value| value / w.norm()).collect();
        values.sort_by(|a, b| b.total_cmp(a));
        let [least, most] = [values[rank - 1], values.get(rank).copied().unwrap_or(0.0)];
        assert!(least > 1e-6 && most < 1e-14, "{}: {least:e} {most:e}", scene.name);
        let row = format!("| {} | {size} | {found} | {} |", scene.name, size - found);
        if !docs.contains(&row) {
            lacking.push(row);
        }
    }
    assert!(lacking.is_empty(), "docs/how-to/redundancy.md lacks\n{}", lacking.join("\n"));
}
