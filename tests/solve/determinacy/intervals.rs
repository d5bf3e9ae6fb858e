//! Intervals of forces against closed forms.

use ldy::solve::{Kind, Law, SolutionSet};
use ldy::system::{Inertia, Kinematics};
use testing::UNIT;

use super::scenes::{Scene, corners, stack};

const INFINITE: f64 = f64::INFINITY;

fn assert_interval(set: &mut SolutionSet, scalar: usize, expected: [f64; 2]) {
    let width = set.scalar_count() / set.row_count();
    let found = set.intervals(&[scalar / width]).unwrap()[scalar % width];
    for (found, expected) in found.into_iter().zip(expected) {
        let close = found == expected || (found - expected).abs() < 1e-8;
        assert!(close, "component {scalar}: {found} where {expected} is expected");
    }
    let is_determined = set.determined().nth(scalar).unwrap();
    assert!(!is_determined || found[0] == found[1], "{scalar}: {found:?}");
}

/// The intervals of forces that change along one null vector of this many forces with signs ±1.
fn along_signs(forces: &[f64], signs: &[f64]) -> Vec<[f64; 2]> {
    let least = |sign: f64| {
        let own = forces.iter().zip(signs).filter(|(_, own)| **own == sign);
        own.map(|(force, _)| *force).fold(INFINITE, f64::min)
    };
    let change = |sign: f64| if sign > 0.0 { [-least(1.0), least(-1.0)] } else { [-least(-1.0), least(1.0)] };
    forces.iter().zip(signs).map(|(force, sign)| change(*sign).map(|change| force + change)).collect()
}

/// The forces of four legs have one null vector, (1, −1, 1, −1).
#[test]
fn a_table_on_four_legs() {
    for center in [[0.0, 0.0], [0.3, -0.1], [0.7, 0.2]] {
        let mut scene = Scene::new();
        let body = scene.add_box(4.0, [2.0, 1.0, 0.5], [center[0], center[1], 1.0], [0.0; 3]);
        scene.add_contacts([Some(body), None], &UNIT, &corners([0.0; 2], [1.0, 0.5], 0.0), Law::contact(0.0));
        let (mut set, _) = scene.solutions();
        // One solution: bilinear shares.
        let [x, y] = [0.5 + center[0] / 2.0, 0.5 + center[1]];
        let shares = [(1.0 - x) * (1.0 - y), x * (1.0 - y), x * y, (1.0 - x) * y].map(|share| 4.0 * share);
        for (leg, expected) in along_signs(&shares, &[1.0, -1.0, 1.0, -1.0]).into_iter().enumerate() {
            assert_interval(&mut set, 3 * leg + 2, expected);
            assert_interval(&mut set, 3 * leg, [0.0; 2]);
            assert_eq!(set.causes(leg, 2).unwrap(), [0, 1, 2, 3]);
            assert_eq!(set.causes(leg, 0).unwrap(), [0; 0]);
        }
    }
}

/// Three legs carry one load in one way. With friction they can also pull at each other.
#[test]
fn a_table_on_three_legs() {
    for friction in [0.0, 0.4] {
        let mut scene = Scene::new();
        let body = scene.add_box(3.0, [1.0, 1.0, 0.5], [0.1, 0.2, 1.0], [0.0; 3]);
        let legs = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
        scene.add_contacts([Some(body), None], &UNIT, &legs, Law::contact(friction));
        let (mut set, _) = scene.solutions();
        // Moments about y and x.
        let top = 3.0 * (0.2 + 1.0) / 2.0;
        let right = (3.0 - top + 3.0 * 0.1) / 2.0;
        for (leg, force) in [3.0 - top - right, right, top].into_iter().enumerate() {
            assert_interval(&mut set, 3 * leg + 2, [force; 2]);
        }
        let determined: Vec<bool> = set.determined().collect();
        for leg in 0..3 {
            assert_eq!(determined[3 * leg..3 * leg + 3], [friction == 0.0, friction == 0.0, true]);
        }
    }
}

/// A support carries most together with the last one on the other side of the load. It carries least together with the next one, or
/// nothing if there are other supports on its side.
#[test]
fn a_beam_on_many_supports() {
    let places = [-2.0_f64, -1.2, -0.3, 0.5, 1.1, 2.5];
    for load in [-1.5, 0.1, 2.0] {
        let mut scene = Scene::new();
        let body = scene.add_box(2.0, [6.0, 0.1, 0.1], [load, 0.0, 0.0], [0.0; 3]);
        let points = places.map(|x| [x, 0.0, 0.0]);
        scene.add_contacts([Some(body), None], &UNIT, &points, Law::contact(0.0));
        let (mut set, _) = scene.solutions();
        for (k, &x) in places.iter().enumerate() {
            let other_side = || places.iter().copied().filter(|&other| (other > load) != (x > load));
            let share = |other: f64| 2.0 * (other - load) / (other - x);
            let greatest = other_side().map(share).fold(0.0, f64::max);
            let is_alone = places.iter().filter(|&&other| (other > load) == (x > load)).count() == 1;
            let least = if is_alone { other_side().map(share).fold(INFINITE, f64::min) } else { 0.0 };
            assert_interval(&mut set, 3 * k + 2, [least, greatest]);
        }
    }
}

/// A block that friction holds between two walls: N ≥ G / (2 μ), without an upper limit.
#[test]
fn a_squeezed_block() {
    let mut scene = Scene::new();
    let body = scene.add_box(2.0, [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0; 3]);
    // Tangents y and z, normal ±x.
    let right = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0];
    let left = [0.0, 1.0, 0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0];
    scene.add_contacts([Some(body), None], &right, &[[-0.5, 0.0, 0.0]], Law::contact(0.25));
    scene.add_contacts([Some(body), None], &left, &[[0.5, 0.0, 0.0]], Law::contact(0.25));
    scene.system.update(1.0).unwrap();
    let problem = scene.system.results().unwrap().problem();
    // A solution by hand: both walls press with 5.
    let forces = [0.0, 1.0, 5.0, 0.0, -1.0, 5.0];
    let mut set = SolutionSet::new(&problem, &scene.laws, &forces, 0.0).unwrap();
    for (wall, lift) in [(0, 1.0), (1, -1.0)] {
        assert_interval(&mut set, 3 * wall, [0.0; 2]);
        assert_interval(&mut set, 3 * wall + 1, [lift; 2]);
        assert_interval(&mut set, 3 * wall + 2, [4.0, INFINITE]);
    }
    assert_eq!(set.determined().collect::<Vec<_>>(), [true, true, false, true, true, false]);
}

/// Sliding contacts have the force μ N against the velocity, so that only N is open.
#[test]
fn a_sliding_brick() {
    let (friction, height) = (0.2, 0.4);
    let mut scene = Scene::new();
    let body = scene.add_box(4.0, [2.0, 1.0, 2.0 * height], [0.0, 0.0, height], [3.0, 0.0, 0.0]);
    let points = corners([0.0; 2], [1.0, 0.5], 0.0);
    scene.add_contacts([Some(body), None], &UNIT, &points, Law::contact(friction));
    let (mut set, _) = scene.solutions();
    // The friction 4 μ below the center presses on the front.
    let shift = friction * height * 4.0 / 4.0;
    let normal = along_signs(&[1.0 - shift, 1.0 + shift, 1.0 + shift, 1.0 - shift], &[1.0, -1.0, 1.0, -1.0]);
    for (k, [least, greatest]) in normal.into_iter().enumerate() {
        assert_interval(&mut set, 3 * k + 2, [least, greatest]);
        assert_interval(&mut set, 3 * k, [-friction * greatest, -friction * least]);
        assert_interval(&mut set, 3 * k + 1, [0.0; 2]);
    }
    assert!(set.determined().eq([false, true, false].repeat(4)));
}

/// Two stones of weight G lean against each other, with a joint from the height h₁ to h₂ between them and feet a distance 2 a apart. The
/// joint bears the thrust H at any height, so that G a / (2 h₂) ≤ H ≤ G a / (2 h₁).
#[test]
fn an_arch_of_two_stones() {
    let (weight, a, [low, high]) = (2.0, 1.0, [1.0, 1.25]);
    let mut scene = Scene::new();
    let law = Law::contact(0.9);
    let [left, right] = [-1.0, 1.0].map(|side| {
        let body = scene.add_box(weight, [1.0, 0.5, 1.0], [side * a / 2.0, 0.0, 0.6], [0.0; 3]);
        scene.add_contacts([Some(body), None], &UNIT, &[[side * a, 0.0, 0.0]], law);
        body
    });
    // Tangents y and z, normal x.
    let joint = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0];
    scene.add_contacts([Some(right), Some(left)], &joint, &[low, high].map(|height| [0.0, 0.0, height]), law);
    let (mut set, _) = scene.solutions();
    let [greatest, least] = [low, high].map(|height| weight * a / (2.0 * height));
    for (foot, thrust) in [(0, [least, greatest]), (1, [-greatest, -least])] {
        assert_interval(&mut set, 3 * foot, thrust);
        assert_interval(&mut set, 3 * foot + 2, [weight; 2]);
    }
    assert_interval(&mut set, 3 * 2 + 2, [0.0, greatest]);
    assert_interval(&mut set, 3 * 3 + 2, [0.0, least]);
}

/// Forces of an interface of a stack are not unique. Other interfaces have no influence on them.
#[test]
fn a_stack_of_bricks() {
    let mut scene = stack(6, 0.5);
    let (mut set, _) = scene.solutions();
    assert!(set.determined().all(|is_determined| !is_determined));
    for level in 0..6 {
        let own: Vec<usize> = (4 * level..4 * level + 4).collect();
        for corner in 0..4 {
            let row = 4 * level + corner;
            // Two diagonals carry half of the weight each, in any shares.
            assert_interval(&mut set, 3 * row + 2, [0.0, (6 - level) as f64 / 2.0]);
            for component in 0..3 {
                assert_eq!(set.causes(row, component).unwrap(), own, "level {level}");
            }
        }
    }
}

/// A row of boxes between two walls, on a floor without friction: any pressure goes through the whole row. Boxes and floors have null
/// vectors of their own.
#[test]
fn a_row_of_boxes_between_walls() {
    let mut scene = Scene::new();
    // Tangents y and z, normals x and −x.
    let right = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0];
    let left = [0.0, 1.0, 0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0];
    let law = Law::contact(0.0);
    let mut before = None;
    for k in 0..3 {
        let x = f64::from(k);
        let body = scene.add_box(1.0, [1.0; 3], [x, 0.0, 0.5], [0.0; 3]);
        scene.add_contacts([Some(body), before], &right, &[[x - 0.5, 0.0, 0.5]], law);
        scene.add_contacts([Some(body), None], &UNIT, &corners([x, 0.0], [0.5; 2], 0.0), law);
        before = Some(body);
    }
    scene.add_contacts([before, None], &left, &[[2.5, 0.0, 0.5]], law);
    let (mut set, _) = scene.solutions();
    for side in [0, 5, 10, 15] {
        assert_interval(&mut set, 3 * side + 2, [0.0, INFINITE]);
        assert_eq!(set.causes(side, 2).unwrap(), [0, 5, 10, 15]);
    }
    for k in 0..3 {
        for corner in 1..5 {
            assert_interval(&mut set, 3 * (5 * k + corner) + 2, [0.0, 0.5]);
            assert_eq!(set.causes(5 * k + corner, 2).unwrap(), (5 * k + 1..5 * k + 5).collect::<Vec<_>>());
        }
    }
}

/// Bounds: two drives with limits at one axis share the load.
#[test]
fn two_drives_at_one_axis() {
    let mut scene = Scene::new();
    let wheel = scene.system.add_body(1, Kinematics::General, Inertia::diagonal(&[1.0]).unwrap()).unwrap();
    scene.system.set_velocity(wheel, &[-5.0]).unwrap();
    let limits: [[f64; 2]; 2] = [[-2.0, 4.0], [-3.0, 3.0]];
    for [lower, upper] in limits {
        scene.system.add_dof_constraint(wheel, Some(0), 1.0).unwrap();
        scene.laws.push(Law { kind: Kind::Bounds { lower: [lower; 3], upper: [upper; 3] }, bias: [0.0; 3] });
    }
    let (mut set, _) = scene.solutions();
    assert_interval(&mut set, 0, [2.0, 4.0]);
    assert_interval(&mut set, 1, [1.0, 3.0]);
    assert_eq!(set.causes(1, 0).unwrap(), [0, 1]);
    // Too strong a load: both drives are at their limits.
    scene.system.set_velocity(wheel, &[-8.0]).unwrap();
    let (mut set, _) = scene.solutions();
    assert!(set.determined().all(|is_determined| is_determined));
    assert_interval(&mut set, 0, [4.0; 2]);
}

/// Redundant joints have no limits at all.
#[test]
fn redundant_joints() {
    let mut scene = Scene::new();
    let body = scene.add_box(2.0, [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0; 3]);
    let hinges = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    scene.add_contacts([Some(body), None], &UNIT, &hinges, Law::fixed());
    let (mut set, _) = scene.solutions();
    let determined: Vec<bool> = set.determined().collect();
    assert_eq!(determined, [true, true, false, true, true, false]);
    for hinge in 0..2 {
        assert_interval(&mut set, 3 * hinge + 2, [-INFINITE, INFINITE]);
    }
}

/// Cohesion: a contact may pull, up to its cohesion.
#[test]
fn cohesion_widens_intervals() {
    let mut scene = Scene::new();
    let body = scene.add_box(4.0, [2.0, 1.0, 0.5], [0.0, 0.0, 1.0], [0.0; 3]);
    let law = Law { kind: Kind::contact([0.0; 2], 0.25), bias: [0.0; 3] };
    scene.add_contacts([Some(body), None], &UNIT, &corners([0.0; 2], [1.0, 0.5], 0.0), law);
    let (mut set, _) = scene.solutions();
    for leg in 0..4 {
        assert_interval(&mut set, 3 * leg + 2, [-0.25, 2.25]);
    }
}

/// Two coefficients: a block between two jaws with the same normal, whose tangents pull at each other along x or y.
#[test]
fn two_coefficients() {
    let mut scene = Scene::new();
    let body = scene.add_box(2.0, [2.0, 1.0, 1.0], [0.0, 0.0, 0.5], [0.0; 3]);
    let law = Law { kind: Kind::contact([0.5, 0.2], 0.0), bias: [0.0; 3] };
    scene.add_contacts([Some(body), None], &UNIT, &[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], law);
    let (mut set, _) = scene.solutions();
    // The body can turn about x: the points are in line. Forces along the line are open, those across are not.
    for point in 0..2 {
        assert_interval(&mut set, 3 * point, [-0.5, 0.5]);
        assert_interval(&mut set, 3 * point + 1, [0.0; 2]);
        assert_interval(&mut set, 3 * point + 2, [1.0; 2]);
    }
}
