//! Targets that several lines of the table decide together.

/// A target: its name and limit, and the values that it is the greatest of.
struct Target {
    name: &'static str,
    limit: f64,
    values: &'static [Value],
}

/// A value of a scene's lines.
enum Value {
    /// That with a key, of its first line.
    Of(&'static str, &'static str),
    /// Its update with two threads over that with one.
    SecondThread(&'static str),
}

const TARGETS: [Target; 4] = [
    Target {
        name: "insert-over-textbook",
        limit: 1.2,
        values: &[
            Value::Of("hub-32", "insert_over_textbook"),
            Value::Of("spheres-8", "insert_over_textbook"),
            Value::Of("spheres-16", "insert_over_textbook"),
        ],
    },
    Target {
        name: "remove-random",
        limit: 30.0,
        values: &[Value::Of("hub-32", "remove_random_ns_per_block")],
    },
    Target { name: "factor-2-threads", limit: 0.62, values: &[Value::SecondThread("tllim-2-middle")] },
    Target { name: "spheres-16-2-threads", limit: 0.62, values: &[Value::SecondThread("spheres-16")] },
];

/// The lines of all targets whose scenes were measured.
pub fn of(lines: &[String]) -> impl Iterator<Item = String> {
    TARGETS.iter().filter_map(|target| {
        let values: Option<Vec<f64>> = target.values.iter().map(|value| value.find(lines)).collect();
        let greatest = values?.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Some(format!("target {} {greatest:.3} {}", target.name, target.limit))
    })
}

impl Value {
    fn find(&self, lines: &[String]) -> Option<f64> {
        match self {
            Self::Of(scene, key) => of_scene(lines, scene).find_map(|line| number(line, key)),
            Self::SecondThread(scene) => {
                let update = |threads| {
                    let mut lines = of_scene(lines, scene);
                    lines.find(|line| number(line, "threads") == Some(threads))
                };
                Some(number(update(2.0)?, "update_ms")? / number(update(1.0)?, "update_ms")?)
            }
        }
    }
}

fn of_scene<'a>(lines: &'a [String], scene: &str) -> impl Iterator<Item = &'a String> {
    lines.iter().filter(move |line| line.split(' ').nth(1) == Some(scene))
}

fn number(line: &str, key: &str) -> Option<f64> {
    let pairs = line.split(' ').filter_map(|pair| pair.split_once('='));
    pairs.into_iter().find(|&(found, _)| found == key).and_then(|(_, value)| value.parse().ok())
}
