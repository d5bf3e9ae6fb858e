//! Updates in turns with what others assemble of the same scenes: `make bench-peers`, see docs/developers/measured/legacy.md.
//!
//! Arguments name scenes. The environment variable LDY_PYTHON names a Python that has MuJoCo, Pinocchio and NumPy,
//! LDY_SICONOS_PYTHON one that has Siconos.

mod robots;
mod spheres;

use std::process::ExitCode;

use ldy_benches::threads;

const NAMES: [&str; 15] = [
    "spheres-8",
    "spheres-12",
    "spheres-16",
    "hub-16",
    "hub-32",
    "panda-8",
    "panda-24",
    "panda-64",
    "humanoid-8",
    "humanoid-24",
    "humanoid-64",
    "mujoco-humanoids-1",
    "mujoco-humanoids-22",
    "mujoco-friction-loss-1",
    "mujoco-chains-20",
];
/// Largest relative difference that counts as rounding.
const TOLERANCE: f64 = 1e-9;

fn main() -> ExitCode {
    // SAFETY: nothing has started a thread yet.
    unsafe { threads::one_for_others() };
    let named: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let names = if named.is_empty() { NAMES.map(String::from).into() } else { named };
    for name in names {
        let measured = match robots::source(&name) {
            Some(script) => robots::measure(&name, script),
            None => spheres::measure(&name),
        };
        if let Err(text) = measured {
            eprintln!("bench-peers: {name}: {text}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
