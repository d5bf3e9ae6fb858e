//! After any calls, the laws of rows are the laws that are kept with their constraints.

use std::collections::BTreeMap;

use ldy::solve::{Kind, Law, Options, Solver};
use ldy::system::{Id, RowLaw, System};
use proptest::prelude::*;

use super::scene::Scene;

fn some_law(scene: &mut Scene, rows: usize) -> RowLaw {
    // Values beyond the rows are not read.
    let mut values =
        |least: f64| std::array::from_fn(|i| if i < rows { least * scene.real().abs() } else { f64::NAN });
    let (bias, lower, upper): ([f64; 6], [f64; 6], [f64; 6]) = (values(0.5), values(-1.0), values(1.0));
    let kind = match scene.below(4) {
        0 if rows == 3 => Kind::contact([0.5; 2], 0.0),
        1 if rows == 3 => Kind::contact([0.25, 1.0], 0.125),
        2 => Kind::Bounds { lower: [f64::NEG_INFINITY; 6], upper: [f64::INFINITY; 6] },
        _ => Kind::Bounds { lower, upper },
    };
    Law { kind, bias }
}

fn set_some(scene: &mut Scene, laws: &mut BTreeMap<Id, RowLaw>) {
    laws.retain(|id, _| scene.model.constraints.contains_key(id));
    let mut entries = Vec::new();
    for (id, rows) in scene.model.constraints.iter().map(|(id, one)| (*id, one.rows)).collect::<Vec<_>>() {
        if !laws.contains_key(&id) || scene.below(8) == 0 {
            let law = some_law(scene, rows);
            laws.insert(id, law);
            entries.push((id, law));
        }
    }
    if scene.below(2) == 0 {
        scene.system.set_laws(entries.len(), |k| (entries[k].0, Some(entries[k].1))).unwrap();
    } else {
        entries.iter().for_each(|&(id, law)| scene.system.set_law(id, Some(law)).unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: testing::cases(40), failure_persistence: None, ..ProptestConfig::default() })]

    /// Solving with kept laws has the bits of solving with laws that are given row by row.
    #[test]
    fn kept_laws_are_the_laws_of_their_rows(seed: u64) {
        let mut scene = Scene::new(seed);
        let (mut laws, mut kept) = (BTreeMap::new(), Vec::new());
        let options = Options { max_sweeps: 20, tolerance: 1e-6, ..Options::default() };
        (0..4).for_each(|_| scene.add_body());
        (0..8).for_each(|_| scene.add_constraint());
        for _ in 0..8 {
            (0..1 + scene.below(4)).for_each(|_| scene.call());
            scene.system.update(scene.step).unwrap();
            set_some(&mut scene, &mut laws);
            // No update is needed after that.
            let rows = scene.system.results().unwrap();
            let parts = scene.model.constraints.iter().flat_map(|(id, one)| laws[id].parts(one.rows));
            let given: Vec<Law> = parts.collect();
            let mut forces = [vec![0.0; rows.b.len()], vec![0.0; rows.b.len()]];
            let [one, other] = &mut forces;
            let expected = scene.system.solve(&mut Solver::new(), &given, &options, one).unwrap();
            scene.system.row_laws(&mut kept).unwrap();
            let report = scene.system.solve(&mut Solver::new(), &kept, &options, other).unwrap();
            let bits = |forces: &[f64]| forces.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&forces[0]), bits(&forces[1]));
            prop_assert_eq!((expected.status, expected.sweeps, expected.steps), (report.status, report.sweeps, report.steps));
            prop_assert_eq!(expected.residual.natural.to_bits(), report.residual.natural.to_bits());
        }
    }
}

fn ball() -> System {
    let mut system = System::new();
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let body = system.add_rigid(1.0, &unit, &unit, &[0.0; 3]).unwrap();
    system.add_point_constraint([Some(body), None], &unit, [[0.0; 3]; 2]).unwrap();
    system.add_dof_constraint(body, Some(3), 1.0).unwrap();
    system
}

#[test]
fn bad_laws_are_refused_and_change_nothing() {
    let mut system = ball();
    let contact = |friction| RowLaw::from(Law::contact(friction));
    let text = |error: &dyn std::error::Error| error.to_string();
    let mut kept = Vec::new();
    assert_eq!(text(&system.row_laws(&mut kept).unwrap_err()), "constraint 0 on body 0: it has no law");
    system.set_law(0, Some(contact(0.5))).unwrap();
    assert_eq!(text(&system.row_laws(&mut kept).unwrap_err()), "constraint 1 on body 0: it has no law");
    let friction = "constraint 0 on body 0: its friction is negative or not finite";
    assert_eq!(text(&system.set_law(0, Some(contact(-1.0))).unwrap_err()), friction);
    let error = system.set_laws(3, |k| ([0, 1, 0][k], Some(contact(0.25)))).unwrap_err();
    assert_eq!(text(&error), "entry 1: constraint 1 on body 0: a contact has two to six scalar rows");
    let error = system.set_laws(2, |k| ([0, 7][k], Some(contact(0.25)))).unwrap_err();
    assert_eq!(text(&error), "entry 1: constraint 7: there is no such constraint");
    assert_eq!(system.law(0).unwrap(), Some(&contact(0.5)));
    assert_eq!(system.law(1).unwrap(), None);
    // Of one scalar row, one bound counts; the others are zero.
    let mut bounds =
        RowLaw { kind: Kind::Bounds { lower: [f64::NAN; 6], upper: [-1.0; 6] }, bias: [f64::NAN; 6] };
    assert_eq!(
        text(&system.set_law(1, Some(bounds)).unwrap_err()),
        "constraint 1 on body 0: the bias of its law is not finite"
    );
    bounds.bias[0] = 2.0;
    assert!(text(&system.set_law(1, Some(bounds)).unwrap_err()).ends_with("above the upper one"));
    bounds.kind = Kind::Bounds { lower: [-2.0; 6], upper: [-1.0; 6] };
    system.set_law(1, Some(bounds)).unwrap();
    let one = |x| [x, 0.0, 0.0, 0.0, 0.0, 0.0];
    let kind = Kind::Bounds { lower: one(-2.0), upper: one(-1.0) };
    assert_eq!(system.law(1).unwrap(), Some(&Law { kind, bias: one(2.0) }));
    // A law stays when its constraint is moved, and goes with it.
    let axes = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0];
    system.move_constraint(0, &axes, [[1.0; 3]; 2]).unwrap();
    assert_eq!(system.law(0).unwrap(), Some(&contact(0.5)));
    system.remove_constraint(0).unwrap();
    assert!(system.law(0).is_err());
    system.add_point_constraint([Some(0), None], &axes, [[0.0; 3]; 2]).unwrap();
    assert_eq!(system.law(2).unwrap(), None);
    system.set_law(2, Some(Law::fixed().into())).unwrap();
    system.row_laws(&mut kept).unwrap();
    system.set_law(1, None).unwrap();
    assert_eq!(text(&system.row_laws(&mut kept).unwrap_err()), "constraint 1 on body 0: it has no law");
}
