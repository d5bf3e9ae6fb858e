//! The record of every step.

use crate::body::Body;
use crate::dynamics::Step;
use std::fmt::Write;
use std::path::Path;

pub struct Line {
    pub time: f64,
    /// J.
    pub kinetic: f64,
    /// J, above the energy at the beginning.
    pub potential: f64,
    pub contacts: usize,
    pub loaded: usize,
    pub sweeps: usize,
    pub residual: f64,
    /// m.
    pub penetration: f64,
}

pub struct Record {
    pub lines: Vec<Line>,
    /// Potential energy at the beginning.
    ground: f64,
}

impl Record {
    pub fn new(bodies: &[Body]) -> Self {
        let ground = bodies.iter().map(Body::potential_energy).sum();
        let kinetic = bodies.iter().map(Body::kinetic_energy).sum();
        let start = Line {
            time: 0.0,
            kinetic,
            potential: 0.0,
            contacts: 0,
            loaded: 0,
            sweeps: 0,
            residual: 0.0,
            penetration: 0.0,
        };
        Self { lines: vec![start], ground }
    }

    pub fn add(&mut self, time: f64, bodies: &[Body], step: &Step) {
        self.lines.push(Line {
            time,
            kinetic: bodies.iter().map(Body::kinetic_energy).sum(),
            potential: bodies.iter().map(Body::potential_energy).sum::<f64>() - self.ground,
            contacts: step.contacts,
            loaded: step.loaded,
            sweeps: step.solver.sweeps,
            residual: step.solver.residual.scaled,
            penetration: step.penetration,
        });
    }

    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let mut text =
            "time,kinetic,potential,total,contacts,loaded,sweeps,residual,penetration\n".to_string();
        for line in &self.lines {
            let Line { time, kinetic, potential, contacts, loaded, sweeps, residual, penetration } = line;
            let total = kinetic + potential;
            writeln!(
                text,
                "{time:.4},{kinetic:.6e},{potential:.6e},{total:.6e},{contacts},{loaded},{sweeps},{residual:.2e},{penetration:.4e}"
            )
            .expect("a string takes all");
        }
        std::fs::write(path, text)
    }

    /// A line on the whole run.
    pub fn summary(&self) -> String {
        let total = |line: &Line| line.kinetic + line.potential;
        let (first, last) = (&self.lines[0], &self.lines[self.lines.len() - 1]);
        let most = self.lines.iter().map(|line| line.contacts).max().unwrap_or(0);
        let deepest = self.lines.iter().fold(0.0_f64, |deepest, line| deepest.max(line.penetration));
        let rise = self.lines.windows(2).fold(0.0_f64, |rise, two| rise.max(total(&two[1]) - total(&two[0])));
        format!(
            "{:.2} s in {} steps, up to {most} contacts; energy {:.0} J -> {:.0} J, largest rise in a step {:.2} J; \
             deepest penetration {:.1} mm",
            last.time,
            self.lines.len() - 1,
            total(first),
            total(last),
            rise,
            1000.0 * deepest
        )
    }
}
