//! Another program: a process that measures on request, see peers/turns.py.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The process, and what it said of itself.
pub struct Peer {
    process: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    about: String,
}

impl Peer {
    /// Start a script. `None` if a package that it needs is missing; a line on stderr names it.
    ///
    /// # Errors
    /// Why it did not answer.
    pub fn start(scene: &str, script: &str, arguments: &[&str]) -> Result<Option<Self>, String> {
        let variable = if script == "siconos_blocks.py" { "LDY_SICONOS_PYTHON" } else { "LDY_PYTHON" };
        let python = std::env::var(variable).unwrap_or_else(|_| "python3".into());
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(script);
        let spawned = Command::new(&python)
            .arg("-B")
            .arg(path)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut process = match spawned {
            Ok(process) => process,
            Err(error) => {
                println!("missing {scene}: {script} was left out: {python}: {error}");
                return Ok(None);
            }
        };
        let orders = process.stdin.take();
        let answers = BufReader::new(process.stdout.take().ok_or("no pipe to the peer")?);
        let mut peer = Self { process, orders, answers, about: String::new() };
        peer.about = peer.answer()?;
        if let Ok(module) = peer.text("missing") {
            println!("missing {scene}: {script} was left out: {python} has no {module}");
            return Ok(None);
        }
        Ok(Some(peer))
    }

    /// What it said of itself under a key.
    ///
    /// # Errors
    /// It said nothing.
    pub fn text(&self, key: &str) -> Result<&str, String> {
        let pairs = self.about.split_whitespace().filter_map(|pair| pair.split_once('='));
        pairs
            .filter(|(name, _)| *name == key)
            .map(|(_, value)| value)
            .next()
            .ok_or_else(|| format!("the peer said no {key}"))
    }

    /// As [`Self::text`], a number.
    ///
    /// # Errors
    /// It said nothing, or no number.
    pub fn number(&self, key: &str) -> Result<f64, String> {
        self.text(key)?.parse().map_err(|_| format!("{key} is no number"))
    }

    /// What it can measure.
    ///
    /// # Errors
    /// It did not say.
    pub fn calls(&self) -> Result<Vec<String>, String> {
        Ok(self.text("calls")?.split(',').map(String::from).collect())
    }

    /// Measure `count` calls in a row, in milliseconds.
    ///
    /// # Errors
    /// If the process ended or answered with another number of times.
    pub fn measure(&mut self, call: &str, count: usize) -> Result<Vec<f64>, String> {
        let answer = self.order(&format!("measure {call} {count}"))?;
        let times: Option<Vec<f64>> = answer.split_whitespace().map(|time| time.parse().ok()).collect();
        times.filter(|times| times.len() == count).ok_or_else(|| format!("the peer answered {answer}"))
    }

    /// How far W of a call is from the one in a file.
    ///
    /// # Errors
    /// The process ended, or the difference is more than a tolerance.
    pub fn compare(&mut self, call: &str, path: &str, tolerance: f64) -> Result<f64, String> {
        let answer = self.order(&format!("compare {call} {path}"))?;
        let difference = answer.trim().parse().map_err(|_| format!("the peer answered {answer}"))?;
        // NaN counts as a difference.
        if difference <= tolerance {
            Ok(difference)
        } else {
            Err(format!("W of {call} differs by {difference:e}"))
        }
    }

    fn order(&mut self, line: &str) -> Result<String, String> {
        let orders = self.orders.as_mut().ok_or("no pipe to the peer")?;
        writeln!(orders, "{line}").map_err(|error| error.to_string())?;
        self.answer()
    }

    fn answer(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(0) => Err("the peer ended".into()),
            Ok(_) => Ok(line),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The end of its input ends the process.
        self.orders = None;
        if let Err(error) = self.process.wait() {
            eprintln!("peer: {error}");
        }
    }
}
