//! One limit of a joint, a row of one scalar, beside many contacts: what it adds to memory, and to an update after one contact has been
//! removed and inserted. One thread; times are the least, in turns.

use ldy::system::{Id, Operator, System};

use crate::reuse::Spheres;
use ldy_benches::said;
use ldy_benches::threads;
use testing::allocator;

/// The bytes of a system with the limit after its first update over the bytes without it, at most.
const MOST_MEMORY: f64 = 1.02;
/// The time of an update after a swap, at most.
const MOST_TIME: f64 = 1.10;

/// Rounds that count, and those before.
const ROUNDS: usize = 101;
const WARM_UP: usize = 3;

/// Limit the angle between the first two spheres.
fn limit(system: &mut System) -> Result<(), String> {
    let bodies: Vec<Id> = system.bodies().map(|(id, _)| id).skip(1).take(2).collect();
    let turn = |sign: f64| Operator::dense(1, 6, &[sign, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let operators = vec![said(turn(1.0))?, said(turn(-1.0))?];
    said(system.add_constraint_rows(&bodies, operators)).map(drop)
}

/// The spheres after their first update, and the bytes that they hold.
fn spheres(is_limited: bool) -> Result<(Spheres, usize), String> {
    let before = allocator::live_bytes();
    let mut spheres = Spheres::new(16)?;
    if is_limited {
        limit(&mut spheres.system)?;
    }
    spheres.update()?;
    Ok((spheres, allocator::live_bytes() - before))
}

/// Measure, and print the targets.
///
/// # Errors
/// The errors of the library.
pub fn measure() -> Result<(), String> {
    threads::set(1);
    let [(mut without, bytes), (mut with, bytes_with)] = [spheres(false)?, spheres(true)?];
    let mut least = [f64::INFINITY; 2];
    for round in 0..WARM_UP + ROUNDS {
        for (spheres, least) in [&mut without, &mut with].into_iter().zip(&mut least) {
            spheres.swap()?;
            let time = spheres.update()?;
            if round >= WARM_UP {
                *least = least.min(time);
            }
        }
    }
    let [swap, swap_with] = least;
    println!(
        "one-limit spheres-16 bytes={bytes} bytes_with_limit={bytes_with} one_swap_ms={swap:.4} one_swap_with_limit_ms={swap_with:.4}"
    );
    println!("target one-limit-memory {:.4} {MOST_MEMORY}", bytes_with as f64 / bytes as f64);
    println!("target one-limit-swap {:.3} {MOST_TIME}", swap_with / swap);
    Ok(())
}
