//! Products with W of many spheres: through the bodies over by blocks, two threads over one, several vectors over each alone.

use std::time::Instant;

use ldy::system::{Columns, System};

use crate::reuse::Spheres;
use ldy_benches::median;
use ldy_benches::said;
use ldy_benches::threads;

/// Rounds that count, and those before.
const ROUNDS: usize = 41;
const WARM_UP: usize = 3;
/// Vectors at once.
const COLUMNS: usize = 4;

/// The measured products.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Blocks,
    Bodies,
    Together,
    BodiesTogether,
}

/// Measure, and print the targets.
///
/// # Errors
/// If the library refuses something.
pub fn measure() -> Result<(), String> {
    threads::set(1);
    let mut spheres = Spheres::new(26)?;
    spheres.push()?;
    spheres.update()?;
    let size = 3 * spheres.system.row_count();
    let x: Vec<f64> = (0..COLUMNS * size).map(|k| (0.3 * k as f64).sin()).collect();
    let mut y = vec![0.0; COLUMNS * size];
    let ways = [Way::Blocks, Way::Bodies, Way::Together, Way::BodiesTogether];
    let mut times = [(); 2].map(|()| [(); 4].map(|()| vec![]));
    for round in 0..WARM_UP + ROUNDS {
        for (count, times) in threads::COUNTS.into_iter().zip(&mut times) {
            threads::set(count);
            // A program does not change the number between two products: the first after it wakes threads up.
            multiply(&spheres.system, Way::Blocks, size, &x, &mut y)?;
            for (way, times) in ways.into_iter().zip(times) {
                let start = Instant::now();
                multiply(&spheres.system, way, size, &x, &mut y)?;
                if round >= WARM_UP {
                    times.push(start.elapsed().as_secs_f64() * 1e3);
                }
            }
        }
    }
    threads::set(1);
    let [one, two] = times.map(|times| times.map(|times| median(&times)));
    for (threads, [blocks, bodies, together, bodies_together]) in threads::COUNTS.into_iter().zip([one, two])
    {
        println!(
            "products spheres-26 threads={threads} by_blocks_ms={blocks:.3} through_bodies_ms={bodies:.3} \
             four_by_blocks_ms={together:.3} four_through_bodies_ms={bodies_together:.3}"
        );
    }
    println!("target product-through-bodies {:.3} 2", one[1] / one[0]);
    println!("target product-2-threads {:.3} 0.62", two[0] / one[0]);
    Ok(())
}

fn multiply(system: &System, way: Way, size: usize, x: &[f64], y: &mut [f64]) -> Result<(), String> {
    let count = if matches!(way, Way::Blocks | Way::Bodies) { 1 } else { COLUMNS };
    let x = Columns { values: x, stride: size };
    let y = Columns { values: y, stride: size };
    said(match way {
        Way::Blocks | Way::Together => system.multiply_columns(count, x, y),
        Way::Bodies | Way::BodiesTogether => system.multiply_columns_through_bodies(count, x, y),
    })
}
