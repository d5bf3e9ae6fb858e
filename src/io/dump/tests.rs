use super::*;

const AXES: Block = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// The quantities that distinguish neighbors.
#[derive(Clone, Copy)]
struct Given {
    kind: (i32, &'static str),
    point: Vector,
    bodies: [i32; 2],
    normal: Vector,
    w: f64,
}

const GIVEN: Given =
    Given { kind: (0, "CONTACT"), point: [1.0, 2.0, 3.0], bodies: [4, 2], normal: [0.0, 0.0, 1.0], w: 0.0 };

/// The texts after each ` => ` in a line of the dump. All entries of the neighbors' blocks are their `w`.
fn neighbors(all: &[Given]) -> Vec<String> {
    let bases: Vec<Block> = all
        .iter()
        .map(|given| {
            let [x, y, z] = given.normal;
            [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z]
        })
        .collect();
    let blocks: Vec<Block> = all.iter().map(|given| [given.w; 9]).collect();
    let mut list = Neighbors::with_capacity(all.len()).unwrap();
    for ((given, base), w) in all.iter().zip(&bases).zip(&blocks) {
        let (kind, name) = given.kind;
        list.push(Label { name, kind, point: &given.point, bodies: given.bodies, base }, w);
    }
    let label = Label { name: "FIXPNT", kind: 1, point: &[0.5, -0.0, 1e-7], bodies: [7, -1], base: &AXES };
    let (zero, b) = ([0.0; 3], [1.0, 2.0, 3.0]);
    let row = DumpRow { label, w: &AXES, vectors: [&b, &zero, &zero, &zero] };
    let mut text = Vec::new();
    write_row(&mut text, &row, &mut list).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut parts = text.strip_suffix('\n').unwrap().split(" => ").map(str::to_owned);
    let axes = "[1, 0, 0, 0, 1, 0, 0, 0, 1]";
    let head =
        format!("FIXPNT (0.5, -0, 1e-07) (7, -1) {axes} {axes} (1, 2, 3) (0, 0, 0) (0, 0, 0) (0, 0, 0)");
    assert_eq!(parts.next().unwrap(), head);
    parts.collect()
}

/// The values of the blocks, in the order of the dump.
fn order(all: &[Given]) -> Vec<f64> {
    let value = |text: &String| text.rsplit(", ").next().unwrap().trim_end_matches(']').parse().unwrap();
    neighbors(all).iter().map(value).collect()
}

#[test]
fn a_neighbor_is_labeled() {
    let text = "CONTACT (1, 2, 3) (4, 2) [1, 0, 0, 0, 1, 0, 0, 0, 1] [0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25]";
    assert_eq!(neighbors(&[Given { w: 0.25, ..GIVEN }]), [text]);
    assert!(neighbors(&[]).is_empty());
}

/// Each list ascends in one of the keys, with all later keys descending.
#[test]
fn keys_count_one_after_the_other() {
    let point = |x, y, z, w: f64| Given { point: [x, y, z], bodies: [-w as i32, 50], w, ..GIVEN };
    assert_eq!(
        order(&[point(2.0, 0.0, 0.0, 3.0), point(1.0, 9.0, 9.0, 1.0), point(1.5, 5.0, 5.0, 2.0)]),
        [1.0, 2.0, 3.0]
    );
    assert_eq!(order(&[point(1.0, 1.0, 8.0, 2.0), point(1.0, -1.0, 9.0, 1.0)]), [1.0, 2.0]);
    assert_eq!(order(&[point(1.0, 1.0, 8.0, 2.0), point(1.0, 1.0, 7.0, 1.0)]), [1.0, 2.0]);
    assert_eq!(order(&[point(1.0, 1.0, f64::NAN, 2.0), point(1.0, 1.0, 7.0, 1.0)]), [1.0, 2.0]);

    // The smaller id counts first, whichever of the two bodies has it; no slave is less than all bodies.
    let bodies = |one, two, w: f64| Given { bodies: [one, two], kind: (-w as i32, "SPRING"), w, ..GIVEN };
    let given = [bodies(3, 9, 4.0), bodies(9, 2, 3.0), bodies(2, 8, 2.0), bodies(9, -1, 1.0)];
    assert_eq!(order(&given), [1.0, 2.0, 3.0, 4.0]);
    // Ids beyond the largest int are negative.
    assert_eq!(order(&[bodies(1, 2, 2.0), bodies(1, u32::MAX as i32 - 1, 1.0)]), [1.0, 2.0]);

    let kind = |kind, w: f64| Given { kind: (kind, "SPRING"), normal: [0.0, 0.0, -w], w, ..GIVEN };
    assert_eq!(order(&[kind(6, 2.0), kind(1, 1.0)]), [1.0, 2.0]);

    let normal = |x, y, z, w| Given { normal: [x, y, z], w, ..GIVEN };
    let given = [
        normal(1.0, 0.0, 0.0, 4.0),
        normal(0.0, 1.0, 0.0, 3.0),
        normal(0.0, 0.0, 1.0, 2.0),
        normal(0.0, 0.0, 0.5, 1.0),
    ];
    assert_eq!(order(&given), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn equal_neighbors_are_summed_under_the_first_label() {
    let other = Given { point: [0.0, 0.0, 0.0], w: 7.0, ..GIVEN };
    let given = [
        Given { w: 1.0, bodies: [2, 4], ..GIVEN },
        other,
        Given { w: 0.5, ..GIVEN },
        Given { w: 0.25, ..GIVEN },
    ];
    let merged = neighbors(&given);
    assert_eq!(merged.len(), 2);
    assert!(merged[0].starts_with("CONTACT (0, 0, 0) (4, 2) "));
    assert!(merged[1].starts_with("CONTACT (1, 2, 3) (2, 4) "), "{}", merged[1]);
    assert_eq!(order(&given), [7.0, 1.75]);

    // Zeros of both signs are equal; the smallest difference makes two neighbors different.
    let point = |x, w| Given { point: [x, 0.0, 0.0], w, ..GIVEN };
    assert_eq!(order(&[point(0.0, 1.0), point(-0.0, 2.0)]), [3.0]);
    assert_eq!(order(&[point(1.0 + f64::EPSILON, 1.0), point(1.0, 2.0)]), [2.0, 1.0]);
    // The block to a place that is no number is one neighbor's all the same.
    assert_eq!(order(&[point(f64::NAN, 1.0), point(0.0, 5.0), point(f64::NAN, 2.0)]), [5.0, 3.0]);
}

/// 1, many of half the last place of 1, −1 are summed in this order to 0, in most others to more; neighbors that
/// come between them make the sort move them.
#[test]
fn blocks_are_summed_in_the_order_of_the_list() {
    let others =
        (0..200).map(|k| Given { point: [f64::from(k * 37 % 200) + 2.0, 0.0, 0.0], w: 5.0, ..GIVEN });
    let tiny = Given { w: f64::EPSILON / 2.0, ..GIVEN };
    let mut all = vec![Given { w: 1.0, ..GIVEN }];
    all.extend(others.flat_map(|other| [other, tiny]));
    all.push(Given { w: -1.0, ..GIVEN });
    assert_eq!(order(&all)[0], 0.0);
    all.swap(0, 200);
    assert_ne!(order(&all)[0], 0.0);
}
