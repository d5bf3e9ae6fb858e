//! Bodies and constraints as words of a message to another process, and back, to the bit.
#![forbid(unsafe_code)]

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use crate::io::words::{Reader, Words};
use crate::kinematics::Column;
use crate::kinematics::Nodal;
use crate::math::Block;
use crate::memory::{self, collected, with_capacity};
use crate::solve::{Kind, Law};

use super::body::{Body, Inertia, Kinematics};
use super::constraint::{Constraint, MOST_BODIES, MOST_ROWS, Operator, Placement};
use super::error::{Checked, Error, Fault, Result};
use super::id_table::Id;
use super::laws::RowLaw;
use super::model::System;
use super::model::constraint_data::ConstraintData;

/// Stands for the ground.
const GROUND: u64 = u64::MAX;

/// The id of the obstacle that stands for all bodies that a process does not know. It adds nothing to W.
pub const UNKNOWN_BODY: Id = i64::MAX as Id;

const MALFORMED: Fault = Fault::Invalid("a message from another process is malformed");

/// The flags of the data of a constraint.
const HAS_KEY: u64 = 1;
const HAS_LAW: u64 = 2;
const HAS_COMPLIANCE: u64 = 4;

fn numbers_of(words: &[u64]) -> memory::Result<Vec<f64>> {
    collected(words.len(), words.iter().map(|&word| f64::from_bits(word)))
}

fn integers_of(words: &[u64]) -> memory::Result<Vec<i32>> {
    collected(words.len(), words.iter().map(|&word| word as i32))
}

/// Append what changes in the course of a simulation: motion, place and velocities of a body.
fn put_state(body: &Body, words: &mut Words) -> memory::Result {
    match &body.kinematics {
        Kinematics::Rigid { rotation, center } => {
            words.put(0)?;
            words.put_numbers(rotation)?;
            words.put_numbers(center)?;
        }
        Kinematics::PseudoRigid { center } => {
            words.put(1)?;
            words.put_numbers(center)?;
        }
        Kinematics::General => words.put(2)?,
    }
    words.put_list(body.position.as_ref().map_or(&[], |position| &position[..]))?;
    words.put_list(&body.velocities)
}

struct BodyState<'a> {
    kinematics: Kinematics,
    position: Option<[f64; 3]>,
    velocities: &'a [u64],
}

fn state<'a>(reader: &mut Reader<'a>) -> Option<BodyState<'a>> {
    let kinematics = match reader.word()? {
        0 => Kinematics::Rigid { rotation: reader.numbers()?, center: reader.numbers()? },
        1 => Kinematics::PseudoRigid { center: reader.numbers()? },
        _ => Kinematics::General,
    };
    let position = match reader.list()? {
        &[x, y, z] => Some([x, y, z].map(f64::from_bits)),
        _ => None,
    };
    Some(BodyState { kinematics, position, velocities: reader.list()? })
}

/// Read the id of a body, its state, and its inertia if it is there.
fn read_body<'a>(reader: &mut Reader<'a>) -> Result<(Id, BodyState<'a>, Option<Inertia>)> {
    let id = reader.word().ok_or(Error::of_system(MALFORMED))?;
    let failed = |fault| Error::of_body(id, fault);
    let has_inertia = reader.word() == Some(1);
    let state = state(reader).ok_or(failed(MALFORMED))?;
    let inertia = if has_inertia { Some(inertia(reader).map_err(failed)?) } else { None };
    Ok((id, state, inertia))
}

fn put_inertia(inertia: &Inertia, words: &mut Words) -> Checked {
    match inertia {
        Inertia::Obstacle => words.put(0)?,
        Inertia::Blocks { values, count } => {
            words.put(1)?;
            words.put_list(&values[..9 * count])?;
        }
        Inertia::Dense(values) => {
            words.put(2)?;
            words.put_list(values)?;
        }
        Inertia::Diagonal { values, .. } => {
            words.put(3)?;
            words.put_list(values)?;
        }
        Inertia::Matrix { starts, rows, values } => {
            words.put(4)?;
            words.put_integers(starts)?;
            words.put_integers(rows)?;
            words.put_list(values)?;
        }
        Inertia::Solver(_) | Inertia::Member(_) => {
            let why = "it has an inverse callback, which no other process can call";
            return Err(Fault::Invalid(why));
        }
    }
    Ok(())
}

fn inertia(reader: &mut Reader) -> Checked<Inertia> {
    let kind = reader.word().ok_or(MALFORMED)?;
    let mut list = || reader.list().ok_or(MALFORMED);
    Ok(match kind {
        0 => Inertia::Obstacle,
        1 => {
            let given = list()?;
            let mut values = [0.0; 36];
            values.iter_mut().zip(given).for_each(|(to, &word)| *to = f64::from_bits(word));
            Inertia::Blocks { values, count: given.len() / 9 }
        }
        2 => Inertia::Dense(numbers_of(list()?)?),
        3 => Inertia::diagonal(&numbers_of(list()?)?)?,
        4 => Inertia::Matrix {
            starts: integers_of(list()?)?,
            rows: integers_of(list()?)?,
            values: numbers_of(list()?)?,
        },
        _ => return Err(MALFORMED),
    })
}

fn put_operator(operator: &Operator, words: &mut Words) -> memory::Result {
    words.put(operator.dofs() as u64)?;
    if let Some(Nodal { factor, weights }) = operator.by_nodes() {
        words.put(1)?;
        words.put_numbers(factor)?;
        words.put(weights.len() as u64)?;
        for &(node, weight) in weights {
            words.put(node.into())?;
            words.put(weight.to_bits())?;
        }
        return Ok(());
    }
    words.put(0)?;
    for columns in (0..operator.groups()).filter_map(|group| operator.columns(group)) {
        words.put(columns.len() as u64)?;
        for Column { index, values } in columns {
            words.put((*index).into())?;
            words.put_numbers(values)?;
        }
    }
    Ok(())
}

fn operator(rows: usize, reader: &mut Reader) -> Checked<Operator> {
    let dofs = reader.word().ok_or(MALFORMED)? as u32;
    if reader.word() == Some(1) {
        let factor: Block = reader.numbers().ok_or(MALFORMED)?;
        let count = reader.word().ok_or(MALFORMED)? as usize;
        let mut weights = with_capacity(count)?;
        for _ in 0..count {
            let node = reader.word().ok_or(MALFORMED)? as u32;
            weights.push((node, reader.number().ok_or(MALFORMED)?));
        }
        return Ok(Operator::of_nodes(dofs / 3, Nodal { factor, weights }));
    }
    let mut made = Operator::zero(rows, dofs as usize)?;
    for group in 0..rows.div_ceil(3) {
        let list = made.columns_mut(group).ok_or(MALFORMED)?;
        let count = reader.word().ok_or(MALFORMED)? as usize;
        *list = with_capacity(count)?;
        for _ in 0..count {
            let index = reader.word().ok_or(MALFORMED)? as u32;
            list.push(Column { index, values: reader.numbers().ok_or(MALFORMED)? });
        }
    }
    Ok(made)
}

fn id_of(word: u64) -> Option<Id> {
    (word != GROUND).then_some(word)
}

/// Append the bodies of a constraint and where it acts.
fn put_constraint(constraint: &Constraint, words: &mut Words) -> memory::Result {
    let mut list = [None; MOST_BODIES];
    let bodies = constraint.list_bodies(&mut list);
    words.put(constraint.rows() as u64)?;
    words.put(bodies.len() as u64)?;
    for body in bodies {
        words.put(body.unwrap_or(GROUND))?;
    }
    match constraint.placement() {
        Placement::Points { frame, points } => {
            words.put(0)?;
            words.put_numbers(frame)?;
            words.put_numbers(points.as_flattened())
        }
        Placement::Operators(_) => {
            words.put(1)?;
            constraint.operators().try_for_each(|(_, operator)| put_operator(operator, words))
        }
    }
}

/// Read a constraint; bodies for which `is_known` is false become the obstacle that stands for them.
fn constraint(reader: &mut Reader, is_known: impl Fn(Id) -> bool) -> Checked<Constraint> {
    let rows = reader.word().ok_or(MALFORMED)? as usize;
    let count = reader.word().filter(|&count| count <= MOST_BODIES as u64).ok_or(MALFORMED)? as usize;
    let mut list = [None; MOST_BODIES];
    for (body, &word) in list.iter_mut().zip(reader.words(count).ok_or(MALFORMED)?) {
        *body = id_of(word);
    }
    let bodies = &mut list[..count];
    let known = |body: Option<Id>| body.map(|id| if is_known(id) { id } else { UNKNOWN_BODY });
    if reader.word() == Some(0) {
        let frame = reader.numbers().ok_or(MALFORMED)?;
        let [a, b, c, x, y, z] = reader.numbers().ok_or(MALFORMED)?;
        let bodies = [bodies[0], bodies[1]].map(|body| body.filter(|&id| is_known(id)));
        return Ok(Constraint::regular(bodies, Placement::Points { frame, points: [[a, b, c], [x, y, z]] }));
    }
    let mut operators = with_capacity(count)?;
    for body in bodies.iter_mut() {
        let Some(id) = *body else { continue };
        let own = operator(rows, reader)?;
        *body = known(*body);
        operators.push(if is_known(id) { own } else { Operator::zero(rows, 1)? });
    }
    Constraint::by_operators(bodies, rows, operators.into_iter().map(Ok))
}

fn put_data(constraint: &Constraint, data: &ConstraintData, words: &mut Words) -> memory::Result {
    let ConstraintData { tag, has_key, law, reaction, compliance, shift } = data;
    let flags = [(*has_key, HAS_KEY), (law.is_some(), HAS_LAW), (compliance.is_some(), HAS_COMPLIANCE)];
    words.put(flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum())?;
    words.put(*tag)?;
    words.put_numbers(reaction)?;
    words.put_numbers(shift)?;
    if let Some(law) = law {
        put_law(law, words)?;
    }
    if let Some(block) = compliance {
        words.put_numbers(block)?;
    }
    if let Some(irregular) = &constraint.irregular {
        words.put_list(&irregular.compliance)?;
        words.put_numbers(&irregular.shift)?;
    }
    Ok(())
}

fn read_data(reader: &mut Reader, constraint: &mut Constraint) -> Checked<ConstraintData> {
    let mut read = || {
        let flags = reader.word()?;
        let mut data = ConstraintData {
            tag: reader.word()?,
            has_key: flags & HAS_KEY != 0,
            reaction: reader.numbers()?,
            shift: reader.numbers()?,
            ..ConstraintData::default()
        };
        if flags & HAS_LAW != 0 {
            data.law = Some(law(reader)?);
        }
        if flags & HAS_COMPLIANCE != 0 {
            data.compliance = Some(reader.numbers()?);
        }
        Some(data)
    };
    let data = read().ok_or(MALFORMED)?;
    match &mut constraint.irregular {
        Some(irregular) => {
            irregular.compliance = numbers_of(reader.list().ok_or(MALFORMED)?)?;
            irregular.shift = reader.numbers().ok_or(MALFORMED)?;
        }
        None => constraint.compliance = data.added(),
    }
    Ok(data)
}

/// Append the law of a row.
///
/// # Errors
/// If memory is exhausted.
pub fn put_law(law: &RowLaw, words: &mut Words) -> memory::Result {
    let mut made = Ok(());
    law.kind.pack(&mut |number| {
        if made.is_ok() {
            made = words.put(number.to_bits());
        }
    });
    made?;
    words.put_numbers(&law.bias)
}

/// Read the law of a row.
pub fn law(reader: &mut Reader) -> Option<RowLaw> {
    let kind = Kind::<[f64; MOST_ROWS]>::unpack(&mut || reader.number())?;
    Some(Law { kind, bias: reader.numbers()? })
}

impl System {
    /// Append a body: its id, its state, and its inertia unless this is known where the message goes.
    ///
    /// # Errors
    /// If there is no such body, it has an inverse callback, or memory is exhausted.
    pub(crate) fn pack_body(&self, id: Id, with_inertia: bool, words: &mut Words) -> Result {
        let body = self.body(id)?;
        words.put(id)?;
        words.put(with_inertia.into())?;
        put_state(body, words)?;
        let made = if with_inertia { put_inertia(&body.inertia, words) } else { Ok(()) };
        made.map_err(|fault| Error::of_body(id, fault))
    }

    /// Read a new body with its inertia.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub(crate) fn unpack_body(reader: &mut Reader) -> Result<(Id, Body)> {
        let (id, state, inertia) = read_body(reader)?;
        let failed = |fault| Error::of_body(id, fault);
        let BodyState { kinematics, position, velocities } = state;
        let inertia = inertia.ok_or(failed(MALFORMED))?;
        let mut body = Body::new(velocities.len() / 2, kinematics, inertia).map_err(failed)?;
        body.position = position;
        body.velocities.iter_mut().zip(velocities).for_each(|(to, &word)| *to = f64::from_bits(word));
        Ok((id, body))
    }

    /// Read a body that this system has, and make its own one equal to it.
    ///
    /// # Errors
    /// If there is no such body, it is another one, or memory is exhausted.
    pub(crate) fn receive_body(&mut self, reader: &mut Reader) -> Result {
        let (id, BodyState { kinematics, position, velocities }, inertia) = read_body(reader)?;
        let dofs = self.body(id)?.dofs();
        ensure!(velocities.len() == 2 * dofs, Error::of_body(id, MALFORMED));
        if let Some(inertia) = inertia {
            self.set_inertia(id, inertia)?;
        }
        self.receive_state(id, kinematics, position, velocities)
    }

    /// A number that differs, but for a chance of 2⁻⁶⁴, if the inertia of a body has other bits.
    ///
    /// # Errors
    /// If there is no such body, it has an inverse callback, or memory is exhausted.
    pub(crate) fn inertia_digest(&self, id: Id, scratch: &mut Words) -> Result<u64> {
        scratch.0.clear();
        put_inertia(&self.body(id)?.inertia, scratch).map_err(|fault| Error::of_body(id, fault))?;
        Ok(FxBuildHasher.hash_one(&scratch.0))
    }

    /// Whether a body is an obstacle, which couples no constraints.
    pub(crate) fn is_obstacle(&self, id: Id) -> bool {
        self.body(id).is_ok_and(|body| matches!(body.inertia, Inertia::Obstacle))
    }

    /// Whether a body has an inverse callback, which only its own process can call.
    pub(crate) fn has_inverse_callback(&self, id: Id) -> bool {
        self.body(id).is_ok_and(|body| matches!(body.inertia, Inertia::Solver(_) | Inertia::Member(_)))
    }

    /// Append a constraint: its id, its bodies and where it acts; with its data if it is to move to another process.
    ///
    /// # Errors
    /// If there is no such constraint, or memory is exhausted.
    pub(crate) fn pack_constraint(&self, id: Id, with_data: bool, words: &mut Words) -> Result {
        let constraint = self.constraint(id)?;
        words.put(id)?;
        put_constraint(constraint, words)?;
        if with_data {
            put_data(constraint, self.data(id)?, words)?;
            self.pack_joint(id, words)?;
        }
        Ok(())
    }

    /// Read constraints of other processes, and make the constraints of this system with the ids in `before`, which ascend, equal to
    /// them: those that are there change, new ones are inserted, and the others are removed. Bodies that this system does not have are
    /// left out. Each message has the rank of its sender, and the ids in it ascend. `tell` gets each id with the rank.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub(crate) fn receive_constraints(
        &mut self,
        messages: &mut [(u32, Reader)],
        before: &[Id],
        tell: &mut dyn FnMut(Id, u32) -> memory::Result,
    ) -> Result {
        let (mut new, mut here) = (Vec::new(), with_capacity(before.len())?);
        while let Some((rank, reader)) = next_of(messages) {
            let id = reader.word().ok_or(Error::of_system(MALFORMED))?;
            tell(id, *rank)?;
            let made = constraint(reader, |id| self.bodies.get(id).is_some()).map_err(Error::of_system)?;
            memory::push(&mut here, id)?;
            let is_known = before.binary_search(&id).is_ok();
            match self.constraint(id) {
                Ok(own) if is_known && own.is_of_bodies_of(&made) => self.receive_place(id, made)?,
                Ok(_) if is_known => {
                    self.remove_constraint(id)?;
                    memory::push(&mut new, (id, made, ConstraintData::default()))?;
                }
                Ok(own) => {
                    let why = "another process has a constraint with its id";
                    return Err(Error { subject: own.subject(id), fault: Fault::Invalid(why) });
                }
                Err(_) => memory::push(&mut new, (id, made, ConstraintData::default()))?,
            }
        }
        for &id in before {
            if here.binary_search(&id).is_err() && self.constraint(id).is_ok() {
                self.remove_constraint(id)?;
            }
        }
        if new.iter().any(|(_, made, _)| made.all_bodies().any(|id| id == UNKNOWN_BODY)) {
            self.stand_in()?;
        }
        self.insert_constraints(new)
    }

    /// Insert constraints that move here, with their data.
    ///
    /// # Errors
    /// If a body does not exist, an id is there twice, or memory is exhausted.
    pub(crate) fn unpack_constraints(&mut self, messages: &mut [(u32, Reader)]) -> Result {
        let (mut new, mut joints) = (Vec::new(), Vec::new());
        while let Some((_, reader)) = next_of(messages) {
            let id = reader.word().ok_or(Error::of_system(MALFORMED))?;
            let mut made = constraint(reader, |_| true).map_err(Error::of_system)?;
            let data = read_data(reader, &mut made).map_err(Error::of_system)?;
            let joint = Self::read_joint(id, made.bodies, reader).ok_or(Error::of_system(MALFORMED))?;
            memory::push(&mut new, (id, made, data))?;
            joint.map_or(Ok(()), |joint| memory::push(&mut joints, joint))?;
        }
        self.joints.try_reserve(joints.len())?;
        self.insert_constraints(new)?;
        self.list_joints(joints);
        Ok(())
    }

    /// Insert the obstacle that stands for bodies that this process does not know.
    fn stand_in(&mut self) -> Result {
        if self.body(UNKNOWN_BODY).is_ok() {
            return Ok(());
        }
        let failed = |fault| Error::of_body(UNKNOWN_BODY, fault);
        let obstacle = Body::new(1, Kinematics::General, Inertia::Obstacle).map_err(failed)?;
        self.insert_bodies(collected(1, std::iter::once((UNKNOWN_BODY, obstacle)))?)
    }
}

impl Constraint {
    /// Whether another constraint has the same rows and bodies, so that it differs in its place alone.
    fn is_of_bodies_of(&self, other: &Self) -> bool {
        let [mut own, mut others] = [[None; MOST_BODIES]; 2];
        self.rows == other.rows
            && self.is_at_points() == other.is_at_points()
            && self.list_bodies(&mut own) == other.list_bodies(&mut others)
    }
}

/// The message with the least id at its front.
fn next_of<'a, 'b>(messages: &'a mut [(u32, Reader<'b>)]) -> Option<&'a mut (u32, Reader<'b>)> {
    messages.iter_mut().filter(|(_, reader)| !reader.is_empty()).min_by_key(|(_, reader)| reader.0[0])
}
