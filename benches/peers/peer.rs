//! The other program: a process that measures when told to.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::CALLS;

/// The process, and what it said of the scene.
pub struct Peer {
    process: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    scene: String,
}

impl Peer {
    /// Start the program on a scene.
    ///
    /// # Errors
    /// Why it did not start or did not answer.
    pub fn start(scene: &str) -> Result<Self, String> {
        let python = std::env::var("LDY_PYTHON").unwrap_or_else(|_| "python3".into());
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/mujoco_scene.py");
        let mut process = Command::new(&python)
            .args([script, scene])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{python}: {error}"))?;
        let orders = process.stdin.take();
        let answers = BufReader::new(process.stdout.take().ok_or("no pipe to the peer")?);
        let mut peer = Self { process, orders, answers, scene: String::new() };
        peer.scene = peer.answer()?;
        Ok(peer)
    }

    /// What it said of the scene under a key.
    ///
    /// # Errors
    /// It said nothing.
    pub fn text(&self, key: &str) -> Result<&str, String> {
        let pairs = self.scene.split_whitespace().filter_map(|pair| pair.split_once('='));
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

    /// Measure some calls in a row, in milliseconds.
    ///
    /// # Errors
    /// The process ended or did not answer with as many numbers.
    pub fn turn(&mut self) -> Result<[f64; CALLS], String> {
        let orders = self.orders.as_mut().ok_or("no pipe to the peer")?;
        writeln!(orders, "{CALLS}").map_err(|error| error.to_string())?;
        let answer = self.answer()?;
        let times: Option<Vec<f64>> = answer.split_whitespace().map(|time| time.parse().ok()).collect();
        times.and_then(|times| times.try_into().ok()).ok_or_else(|| format!("the peer answered {answer}"))
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
            eprintln!("bench-peers: {error}");
        }
    }
}
