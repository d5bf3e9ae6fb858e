//! A host: a scene as the C structures that the library works on.

mod array;
mod body;
mod matrix;
mod mesh;
mod set;

use std::ffi::{c_int, c_uint};
use std::{iter, mem, ptr};

use ldy::legacy::c_api::entry_points::*;
use ldy::legacy::layout::*;

use array::Array;
use body::Arrays;
pub use body::State;
use set::Set;

use crate::scenes::{STEP, Scene, Vector};
use testing::Random;

/// A domain with bodies, constraints, and rows for the constraints.
pub struct Host {
    scene: Scene,
    random: Random,
    ldy: *mut LOCDYN,
    constraints: Array<CON>,
    arrays: Vec<Arrays>,
    _bodies: Array<BODY>,
    _sets: Vec<Set>,
    dom: Array<DOM>,
}

impl Host {
    /// A scene without rows.
    pub fn new(scene: Scene) -> Self {
        let arrays: Vec<Arrays> = scene.bodies.iter().map(Arrays::new).collect();
        let bodies = iter::zip(&scene.bodies, &arrays).enumerate();
        let bodies = Array::new(bodies.map(|(k, (body, arrays))| arrays.body(k + 1, body)));
        let constraints = Array::new(constraints(&scene, &bodies, &arrays));
        let sets = sets(&scene, &bodies, &constraints);
        let dom = Array::new([DOM {
            step: STEP,
            bod: bodies.first(),
            nbod: bodies.len() as c_int,
            con: if constraints.len() > 0 { constraints.first() } else { ptr::null_mut() },
            ncon: constraints.len() as c_int,
            ..zeroed()
        }]);
        link_lists(&bodies, &constraints);
        // SAFETY: the domain lives as long as the host.
        let ldy = unsafe { LOCDYN_Create(dom.first()) };
        // SAFETY: as above.
        unsafe { (*dom.first()).ldy = ldy };
        Self { scene, random: Random::new(1), ldy, constraints, arrays, _bodies: bodies, _sets: sets, dom }
    }

    /// The structure under test.
    pub fn ldy(&self) -> *mut LOCDYN {
        self.ldy
    }

    /// Make the rows of all constraints, in their order.
    pub fn insert_all(&self) {
        (0..self.constraints.len()).for_each(|k| self.insert(k));
    }

    /// Number of constraints.
    pub fn constraint_count(&self) -> usize {
        self.constraints.len()
    }

    /// Make the row of a constraint.
    pub fn insert(&self, constraint: usize) {
        let con = self.constraints.at(constraint);
        // SAFETY: the constraint, its bodies and their sets are valid.
        unsafe { (*con).dia = LOCDYN_Insert(self.ldy, con, (*con).master, (*con).slave) };
    }

    /// Make the rows of all constraints by somebody else's insertion.
    pub fn insert_all_by(&self, insert: impl Fn(*mut CON) -> *mut DIAB) {
        for k in 0..self.constraints.len() {
            let con = self.constraints.at(k);
            // SAFETY: the constraint is the host's.
            unsafe { (*con).dia = insert(con) };
        }
    }

    /// Forget the rows of all constraints, which are somebody else's.
    pub fn forget_rows(&self) {
        self.insert_all_by(|_| ptr::null_mut());
    }

    /// Remove the row of a constraint.
    pub fn remove(&self, constraint: usize) {
        let con = self.constraints.at(constraint);
        // SAFETY: the row was inserted before.
        unsafe {
            LOCDYN_Remove(self.ldy, (*con).dia);
            (*con).dia = ptr::null_mut();
        }
    }

    /// Go to the next step: new velocities, small new rotations, new A where it changes.
    pub fn advance(&mut self) {
        for (body, arrays) in self.scene.bodies.iter().zip(&self.arrays) {
            arrays.advance(body, &mut self.random);
        }
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The present state of each body, as far as it changes.
    pub fn states(&self) -> Vec<State> {
        self.arrays.iter().map(Arrays::state).collect()
    }

    /// Assemble everything.
    pub fn update(&self) {
        // SAFETY: domain, bodies and constraints are valid.
        unsafe { LOCDYN_Update_Begin(self.ldy) };
    }

    /// The domain.
    pub fn domain(&self) -> *mut DOM {
        self.dom.first()
    }

    /// The energy after the last update.
    pub fn free_energy(&self) -> f64 {
        // SAFETY: the structure is the host's, and nobody writes it now.
        unsafe { (*self.ldy).free_energy }
    }

    /// All rows, in the order of their list.
    pub fn rows(&self) -> impl Iterator<Item = *mut DIAB> {
        // SAFETY: the structure is the host's.
        rows_from(unsafe { (*self.ldy).dia })
    }

    /// The off-diagonal blocks of a row, in the order of their list.
    pub fn blocks(&self, row: *mut DIAB) -> impl Iterator<Item = *mut OFFB> {
        blocks_of(row)
    }

    /// Number of off-diagonal blocks.
    pub fn block_count(&self) -> usize {
        self.rows().map(|row| self.blocks(row).count()).sum()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: the structure comes from LOCDYN_Create and is not used afterwards.
        unsafe { LOCDYN_Destroy(self.ldy) };
    }
}

/// The rows of a list, from its head.
pub fn rows_from(head: *mut DIAB) -> impl Iterator<Item = *mut DIAB> {
    let some = |row: *mut DIAB| (!row.is_null()).then_some(row);
    // SAFETY: a list holds live rows.
    iter::successors(some(head), move |&row| some(unsafe { (*row).n }))
}

/// The off-diagonal blocks of a row, in the order of their list.
pub fn blocks_of(row: *mut DIAB) -> impl Iterator<Item = *mut OFFB> {
    let some = |block: *mut OFFB| (!block.is_null()).then_some(block);
    // SAFETY: the row is live, and its list holds live blocks.
    iter::successors(some(unsafe { (*row).adj }), move |&block| some(unsafe { (*block).n }))
}

/// A structure of the host with nothing in it.
pub fn zeroed<T: Structure>() -> T {
    // SAFETY: such structures hold numbers and raw pointers, for which zeros are values.
    unsafe { mem::zeroed() }
}

/// Structures of numbers, raw pointers and arrays of them.
pub trait Structure {}

impl Structure for BODY {}
impl Structure for CON {}
impl Structure for DOM {}
impl Structure for ELEMENT {}
impl Structure for MESH {}
impl Structure for SGP {}
impl Structure for SHAPE {}

fn constraints(scene: &Scene, bodies: &Array<BODY>, arrays: &[Arrays]) -> Vec<CON> {
    let constraint = |(k, contact): (usize, &crate::scenes::Contact)| CON {
        id: k as c_uint + 1,
        kind: CONTACT,
        master: bodies.at(contact.master.body),
        slave: bodies.at(contact.slave.body),
        point: contact.point,
        mpnt: contact.point,
        spnt: contact.point,
        msgp: arrays[contact.master.body].pair(contact.master.element),
        ssgp: arrays[contact.slave.body].pair(contact.slave.element),
        base: frame(&contact.normal),
        ..zeroed()
    };
    scene.contacts.iter().enumerate().map(constraint).collect()
}

/// A local frame, column-major. Its third axis is the normal, which is along a coordinate axis.
pub fn frame(normal: &Vector) -> [f64; 9] {
    let [x, y, z] = *normal;
    let (first, second) = ([y, z, x], [z, x, y]);
    let mut frame = [0.0; 9];
    frame[..3].copy_from_slice(&first);
    frame[3..6].copy_from_slice(&second);
    frame[6..].copy_from_slice(normal);
    frame
}

/// Give each body the set of its constraints.
fn sets(scene: &Scene, bodies: &Array<BODY>, constraints: &Array<CON>) -> Vec<Set> {
    let mut elements = vec![vec![]; scene.bodies.len()];
    for (k, contact) in scene.contacts.iter().enumerate() {
        elements[contact.master.body].push(constraints.at(k));
        elements[contact.slave.body].push(constraints.at(k));
    }
    let sets: Vec<Set> = elements.iter().map(|elements| Set::new(elements)).collect();
    for (k, set) in sets.iter().enumerate() {
        // SAFETY: the bodies are the caller's.
        unsafe { (*bodies.at(k)).con = set.root() };
    }
    sets
}

fn link_lists(bodies: &Array<BODY>, constraints: &Array<CON>) {
    // SAFETY: bodies and constraints are the caller's.
    unsafe {
        for k in 1..bodies.len() {
            (*bodies.at(k)).prev = bodies.at(k - 1);
            (*bodies.at(k - 1)).next = bodies.at(k);
        }
        for k in 1..constraints.len() {
            (*constraints.at(k)).prev = constraints.at(k - 1);
            (*constraints.at(k - 1)).next = constraints.at(k);
        }
    }
}
