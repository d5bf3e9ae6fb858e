//! The example program of contact dynamics against analytic results, and how its errors shrink with the step.

use crate::compiler::command;
use crate::library::{c_tests, make_c_tests, read, succeeds};

const STEPS: [f64; 3] = [0.004, 0.002, 0.001];

/// A measured quantity, its expected value, and the relative error of each step.
struct Quantity {
    name: String,
    expected: f64,
    errors: Vec<f64>,
}

fn quantities() -> Vec<Quantity> {
    let program = c_tests("contact_dynamics").join("contact_dynamics");
    let (built, messages) = make_c_tests(&c_tests("contact_dynamics"), &[&program.display().to_string()]);
    assert!(built, "{messages}");
    let mut quantities: Vec<Quantity> = Vec::new();
    for step in STEPS {
        let text = succeeds(command(&program.display().to_string()).arg(step.to_string()));
        for (place, line) in text.lines().enumerate() {
            let (name, values) = line.split_once(": ").expect("a name");
            let (computed, expected) = values.split_once(", ").expect("two values");
            let [computed, expected] =
                [computed, expected].map(|value| value.parse::<f64>().expect("a number"));
            if quantities.len() == place {
                quantities.push(Quantity { name: name.into(), expected, errors: Vec::new() });
            }
            quantities[place].errors.push(computed / expected - 1.0);
        }
    }
    quantities
}

/// Sizes of the errors, at most, and by what halving the step divides them, at least; of impacts the moment falls
/// anywhere in a step, so that errors shrink with the step, but not steadily.
fn check(quantity: &Quantity) {
    let Quantity { name, errors, .. } = quantity;
    let halvings = errors.windows(2).map(|two| two[0] / two[1]);
    match name.as_str() {
        "sliding distance" => {
            assert!(
                STEPS.iter().zip(errors).all(|(step, error)| error.abs() < 1e-3 * step),
                "{name}: {errors:?}"
            );
        }
        name if name.starts_with("height") => {
            assert!(
                STEPS.iter().zip(errors).all(|(step, error)| error.abs() < 4.0 * step),
                "{name}: {errors:?}"
            );
        }
        name if name.contains("impact") => {
            assert!(errors.iter().all(|error| error.abs() < 1e-11), "{name}: {errors:?}");
        }
        name if name.starts_with("period") => {
            assert!(errors[0].abs() < 1e-4, "{name}: {errors:?}");
            assert!(halvings.into_iter().all(|ratio| (3.6..4.4).contains(&ratio)), "{name}: {errors:?}");
        }
        _ => panic!("{name} is not expected"),
    }
}

#[test]
fn scenes_agree_with_analytic_results() {
    let docs = read("docs/concepts/contact-dynamics.md");
    let quantities = quantities();
    assert_eq!(quantities.len(), 9);
    let rows = quantities.iter().map(|quantity| {
        let errors = quantity.errors.iter().map(|error| match error.abs() {
            error if error < 1e-11 => "< 1e-11".to_string(),
            _ => format!("{error:.1e}"),
        });
        let cells: Vec<String> = errors.collect();
        format!("| {} | {:.6} | {} |", quantity.name, quantity.expected, cells.join(" | "))
    });
    let rows: Vec<String> = rows.collect();
    println!("{}", rows.join("\n"));
    quantities.iter().for_each(check);
    let lacking: Vec<_> = rows.iter().filter(|row| !docs.contains(*row)).collect();
    assert!(lacking.is_empty(), "docs/concepts/contact-dynamics.md lacks {lacking:#?}");
}
