//! The critical step of the geometric stiffness against simulations: the longest step in which small oscillations of a
//! constrained system stay small.

use crate::constrained::{Scheme, System, arch, beads, bricks, catenary, hanging, helix};
use ldy::stability::{CriticalStep, FreeMotion, Stiffness, critical_step};
use nalgebra::{DMatrix, DVectorView, DVectorViewMut};
use std::f64::consts::{FRAC_PI_3, FRAC_PI_6};

fn with_inverse(system: &System, inverse: &DMatrix<f64>) -> CriticalStep {
    let stiffness = Stiffness::new(&system.bodies, &system.reactions()).expect("a good system");
    let product = |f: &[f64], x: &mut [f64]| {
        DVectorViewMut::from_slice(x, f.len()).gemv(1.0, inverse, &DVectorView::from_slice(f, f.len()), 0.0);
    };
    critical_step(&stiffness, product).expect("an eigenvalue")
}

/// With M⁻¹, as the page has it.
fn of_all_directions(system: &System) -> CriticalStep {
    with_inverse(system, &system.inverse())
}

/// M⁻¹ − M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ J M⁻¹ for a matrix in place of M⁻¹.
fn projected(j: &DMatrix<f64>, inverse: &DMatrix<f64>) -> DMatrix<f64> {
    let taken = (j * inverse * j.transpose()).try_inverse().expect("independent constraints");
    inverse - inverse * j.transpose() * taken * j * inverse
}

/// With M⁻¹ projected to the directions that the constraints leave free.
fn of_free_directions(system: &System) -> CriticalStep {
    with_inverse(system, &projected(&system.jacobian(), &system.inverse()))
}

/// The same from M⁻¹ and the gradients alone, one of them given twice.
fn of_free_motion(system: &System) -> CriticalStep {
    let (j, inverse) = (system.jacobian(), system.inverse());
    let n = j.ncols();
    let stiffness = Stiffness::new(&system.bodies, &system.reactions()).expect("a good system");
    let product = |f: &[f64], x: &mut [f64]| {
        DVectorViewMut::from_slice(x, n).gemv(1.0, &inverse, &DVectorView::from_slice(f, n), 0.0);
    };
    let gradients = [j.transpose().as_slice(), j.transpose().column(0).as_slice()].concat();
    let free = FreeMotion::new(&gradients, n, product).expect("numbers");
    assert_eq!(free.rank(), j.nrows());
    let mut force = vec![0.0; n];
    let respond = |f: &[f64], x: &mut [f64]| {
        force.copy_from_slice(f);
        free.respond(&mut force, x, product);
    };
    critical_step(&stiffness, respond).expect("an eigenvalue")
}

/// 2/ω of E K, E = L M⁻¹ Lᵀ and K = L K̃ Lᵀ: the equation of the page in transversal coordinates. Lᵀ L is the projection to the
/// directions that the constraints leave free.
fn of_transversal_coordinates(system: &System) -> f64 {
    let j = system.jacobian();
    let projection = projected(&j, &DMatrix::identity(j.ncols(), j.ncols()));
    with_inverse(system, &(&projection * system.inverse() * &projection)).step
}

fn systems() -> Vec<System> {
    vec![
        beads("pendulum", 1),
        beads("thread of 5 beads, hanging", 5),
        beads("thread of 20 beads, hanging", 20),
        hanging("the same 5, the lowest 10 times heavier", &[0.1, 0.1, 0.1, 0.1, 1.0], &[0.1; 5]),
        hanging("unequal links", &[0.1; 5], &[0.1, 0.02, 0.2, 0.1, 0.05]),
        catenary("thread of 9 between two places, taut", 9, 20.0),
        catenary("the same, slack", 9, 2.0),
        catenary("the same, slacker", 9, 0.5),
        helix("helix of 9, bent by 30°", &[0.1; 9], FRAC_PI_6),
        helix("helix of 9, bent by 60°", &[0.1; 9], FRAC_PI_3),
        helix(
            "the same, every second 20 times heavier",
            &[0.1, 2.0, 0.1, 2.0, 0.1, 2.0, 0.1, 2.0, 0.1],
            FRAC_PI_3,
        ),
        bricks("brick on a fixed point", 1),
        bricks("4 bricks on fixed points", 4),
    ]
}

/// `docs/how-to/stability.md` has this table; `cargo test --test main critical_step:: -- --nocapture` prints it.
#[test]
fn predicted_steps_are_those_observed() {
    let docs =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/how-to/stability.md")).unwrap();
    let mut lacking = Vec::new();
    for system in systems() {
        let (all, free) = (of_all_directions(&system).step, of_free_directions(&system).step);
        let projected = of_free_motion(&system).step;
        assert!((projected / free - 1.0).abs() < 1e-7, "{}: {projected} {free}", system.name);
        let transversal = of_transversal_coordinates(&system);
        let observed =
            [Scheme::SemiImplicit, Scheme::HalfSteps].map(|scheme| system.longest_step(scheme, free));
        let row = format!(
            "| {} | {all:.4} | {transversal:.4} | {free:.4} | {:.4} | {:.4} |",
            system.name, observed[0], observed[1]
        );
        println!("{row}");
        for observed in observed {
            assert!((observed / free - 1.0).abs() < 1e-3, "{row}");
            assert!(all < observed * 1.001, "no bound: {row}");
        }
        if !docs.contains(&row) {
            lacking.push(row);
        }
    }
    assert!(lacking.is_empty(), "docs/how-to/stability.md lacks\n{}", lacking.join("\n"));
}

/// Straight threads move across their links only: there the page's own eigenvalue is the observed one.
#[test]
fn straight_threads_need_no_projection() {
    for system in &systems()[..5] {
        let critical = of_all_directions(system);
        for scheme in [Scheme::SemiImplicit, Scheme::HalfSteps] {
            assert!(system.stays(scheme, 0.995 * critical.step), "{}", system.name);
            assert!(!system.stays(scheme, 1.005 * critical.step), "{}", system.name);
        }
    }
}

/// Links under pressure bound no step: the step is not to blame for the fall of an arch of links.
#[test]
fn an_arch_falls_in_any_step() {
    let system = arch("arch", 9, 2.0);
    assert_eq!(of_all_directions(&system).step, f64::INFINITY);
    assert!(!system.stays(Scheme::SemiImplicit, 0.02));
}
