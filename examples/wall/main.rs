//! A wall of bricks hit by a ball: contact dynamics on `ldy::system`, contacts from the collision library parry.
//!
//!   cargo run --release --package ldy-wall [DIRECTORY]
//!
//! writes to the directory (`target/wall`) `energies.csv` with energies and penetrations of every step, `energies.svg`,
//! `contacts.svg`, and `wall.svg`, a filmstrip.
#![forbid(unsafe_code)]

mod body;
mod contacts;
mod dynamics;
mod filmstrip;
mod plots;
mod record;
mod scene;

use dynamics::Dynamics;
use filmstrip::Filmstrip;
use indicatif::{ProgressBar, ProgressStyle};
use record::Record;
use std::error::Error;
use std::path::PathBuf;

/// s.
const STEP: f64 = 1e-3;
const STEPS: usize = 1200;
/// Steps after which the filmstrip has a picture.
const PICTURES: [usize; 6] = [60, 110, 160, 300, 600, 1200];

fn main() -> Result<(), Box<dyn Error>> {
    let directory = PathBuf::from(std::env::args_os().nth(1).unwrap_or("target/wall".into()));
    std::fs::create_dir_all(&directory)?;
    let mut dynamics = Dynamics::new(scene::bodies())?;
    let mut record = Record::new(&dynamics.bodies);
    let mut strip = Filmstrip::default();
    let bar = ProgressBar::new(STEPS as u64)
        .with_style(ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {msg}, {eta} to go")?);
    for step in 1..=STEPS {
        let happened = dynamics.step(STEP)?;
        bar.set_message(format!("{} contacts", happened.contacts));
        record.add(step as f64 * STEP, &dynamics.bodies, &happened);
        if PICTURES.contains(&step) {
            strip.add(step as f64 * STEP, &dynamics.bodies);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    record.write(&directory.join("energies.csv"))?;
    plots::energies(&record, &directory.join("energies.svg"))?;
    plots::contacts(&record, &directory.join("contacts.svg"))?;
    strip.draw(&directory.join("wall.svg"))?;
    println!("{}", record.summary());
    for name in ["wall.svg", "energies.svg", "contacts.svg", "energies.csv"] {
        println!("{}", directory.join(name).display());
    }
    Ok(())
}
