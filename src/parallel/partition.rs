//! Which process should have which body and constraint.
#![forbid(unsafe_code)]

use crate::ffi::errors::{Code, Result, fail, invalid};
use crate::io::words::Reader;
use crate::memory::{self, collected, push};
use crate::system::Id;

use super::bisection::{Bisection, Point};
use super::ghosts::malformed;
use super::mpi::agreement::Call;
use super::mpi::exchange::{Letters, Message};
use super::system::ParallelSystem;

/// What takes part in a partition.
pub struct Partition<'a> {
    /// Own bodies; all others stay where they are.
    pub bodies: &'a [Id],
    /// The place of each body; `None`: its position in the local system.
    pub places: Option<&'a dyn Fn(usize) -> [f64; 3]>,
    /// A weight for each body; `None`: 1 and the number of constraints on it.
    pub weights: Option<&'a [i32]>,
    /// Own constraints.
    pub constraints: &'a [Id],
}

/// Bodies with their places in a list, ascending.
type Order = Vec<(Id, usize)>;

fn place_in(order: &[(Id, usize)], body: Id) -> Option<usize> {
    order.binary_search_by_key(&body, |entry| entry.0).ok().map(|k| order[k].1)
}

impl ParallelSystem {
    /// Find a rank for each body and for each constraint, by recursive bisection. Ranks of bodies do not depend on the present partition.
    /// Collective.
    ///
    /// # Errors
    /// The same on all processes: if a body or constraint is not this process's own or a body is there twice, has no position, or has
    /// an inverse callback; if a weight is negative or a place is not finite; if memory is exhausted.
    pub fn partition(&mut self, given: &Partition) -> Result<(Vec<u32>, Vec<u32>)> {
        let checked = self.check_partition(given);
        let is_counted = given.weights.is_none() && !given.bodies.is_empty();
        let is_counted = self.group.begin(Call::Partition, 0, is_counted, &checked)?;
        let (order, mut points) = checked?;
        if is_counted {
            self.count_constraints(given, &order, &mut points)?;
        }
        let ranks = self.group.agree(Bisection::new(&self.group, &points))?.ranks()?;
        let constraints = self.ranks_of_constraints(given, &order, &ranks)?;
        Ok((ranks, constraints))
    }

    fn check_partition(&self, given: &Partition) -> Result<(Order, Vec<Point>)> {
        let count = given.bodies.len();
        let mut order = collected(count, given.bodies.iter().copied().zip(0..))?;
        order.sort_unstable();
        if let Some([(id, _), _]) = order.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(invalid!("body {id}: it is in the list twice"));
        }
        let mut points = memory::with_capacity(count)?;
        for (k, &id) in given.bodies.iter().enumerate() {
            let is_own = self.system.body(id).is_ok() && self.owner(id) == self.rank();
            ensure!(is_own, fail!(Code::NotFound, "body {id}: it does not belong to this process"));
            let why = "it has an inverse callback, and stays on its process: leave it out";
            ensure!(!self.system.has_inverse_callback(id), invalid!("body {id}: {why}"));
            let known = self.system.body(id)?.position().copied();
            let why = "its position is not known: call ldy_system_set_positions before, or pass points";
            let place = given.places.map_or(known, |place| Some(place(k)));
            let place = place.ok_or_else(|| invalid!("body {id}: {why}"))?;
            let is_finite = place.iter().all(|x| x.is_finite());
            ensure!(is_finite, invalid!("body {id}: its point is not finite"));
            let weight = given.weights.map_or(1, |weights| i64::from(weights[k]));
            ensure!(weight >= 0, invalid!("body {id}: its weight {weight} is negative"));
            let mut point = Point::new(place, id);
            point.weight = if self.system.is_obstacle(id) { 0 } else { weight };
            points.push(point);
        }
        for &id in given.constraints {
            let is_own = self.system.constraint(id).is_ok() && !self.is_halo(id);
            ensure!(is_own, fail!(Code::NotFound, "constraint {id}: it does not belong to this process"));
        }
        Ok((order, points))
    }

    /// Add the number of constraints of all processes on each body to its weight, unless weights are given.
    fn count_constraints(&mut self, given: &Partition, order: &Order, points: &mut [Point]) -> Result {
        for Message { words, .. } in self.exchange(self.uses_of_bodies())? {
            let mut reader = Reader(&words);
            while let Some(body) = reader.word() {
                let count = reader.word().ok_or_else(malformed)? as i64;
                if let Some(place) = place_in(order, body)
                    && given.weights.is_none()
                    && points[place].weight > 0
                {
                    points[place].weight += count;
                }
            }
        }
        Ok(())
    }

    /// To each process: its bodies that own constraints act on, each with the number of these.
    fn uses_of_bodies(&self) -> Result<Letters> {
        let mut used = Vec::new();
        for (_, constraint) in self.own_constraints() {
            for body in constraint.all_bodies() {
                push(&mut used, body)?;
            }
        }
        used.sort_unstable();
        let mut letters = Letters::new(&self.group)?;
        for same in used.chunk_by(|one, other| one == other) {
            let words = letters.to(self.owner(same[0]));
            words.put(same[0]).and_then(|()| words.put(same.len() as u64))?;
        }
        Ok(letters)
    }

    /// The rank of each constraint: the rank of its first body that moves, or else of its first body.
    fn ranks_of_constraints(&mut self, given: &Partition, order: &Order, ranks: &[u32]) -> Result<Vec<u32>> {
        let (bodies, letters) = self.group.agree(self.ask_ranks(given))?;
        let questions = self.exchange(Ok(letters))?;
        let answers = self.exchange(self.answer_ranks(&questions, order, ranks))?;
        self.group.agree(self.read_ranks(&bodies, &answers))
    }

    /// The body that each constraint follows, `None` if it stays, and the questions for ranks of these bodies.
    fn ask_ranks(&self, given: &Partition) -> Result<(Vec<Option<Id>>, Letters)> {
        let mut letters = Letters::new(&self.group)?;
        let mut bodies = memory::with_capacity(given.constraints.len())?;
        for &id in given.constraints {
            let mut all = self.system.constraint(id)?.all_bodies();
            let has_callback = all.clone().any(|body| self.system.has_inverse_callback(body));
            let first = all.clone().find(|&body| !self.system.is_obstacle(body)).or_else(|| all.next());
            let followed = first.filter(|_| !has_callback);
            if let Some(body) = followed {
                letters.to(self.owner(body)).put(body)?;
            }
            bodies.push(followed);
        }
        Ok((bodies, letters))
    }

    fn answer_ranks(&self, questions: &[Message], order: &Order, ranks: &[u32]) -> Result<Letters> {
        let mut letters = Letters::new(&self.group)?;
        for Message { rank, words } in questions {
            for &body in words {
                self.check_owned(body, *rank)?;
                let new = place_in(order, body).map_or(self.rank() as u32, |place| ranks[place]);
                letters.to(*rank).put(new.into())?;
            }
        }
        Ok(letters)
    }

    /// The answers of each process are in the order of the questions.
    fn read_ranks(&self, bodies: &[Option<Id>], answers: &[Message]) -> Result<Vec<u32>> {
        let mut readers = memory::repeated(self.size(), Reader(&[]))?;
        answers.iter().for_each(|message| readers[message.rank] = Reader(&message.words));
        let mut ranks = memory::with_capacity(bodies.len())?;
        for body in bodies {
            let rank = match body {
                Some(body) => readers[self.owner(*body)].word().ok_or_else(malformed)? as u32,
                None => self.rank() as u32,
            };
            ranks.push(rank);
        }
        Ok(ranks)
    }
}
