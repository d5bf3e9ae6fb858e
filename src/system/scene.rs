//! A system as the scene of an update.

use std::mem::offset_of;

use crate::assembly::diagonal::Diagonal;
use crate::assembly::panel::cholesky::{Slot, Slots, Writer};
use crate::assembly::panel::{self, Panel};
use crate::assembly::update::BodyOperators;
use crate::assembly::update::pairs::{Pair, Pairs};
use crate::assembly::update::scene::{self, Action, Bodies, Place, RowFault, RowPart, Rows};
use crate::assembly::update::whole_rows::{Run, WholeRows};
use crate::assembly::velocities::Side;
use crate::block::{Block, Vector, is_finite, mirrored};
use crate::inertia::cost::Lasting;
use crate::inertia::{self, FactorError};
use crate::kinematics::Point;
use crate::kinematics::pseudo_rigid::PseudoRigid;
use crate::kinematics::rigid::Rigid;
use crate::prefetch::fetch;
use crate::threads::{Numbered, Ragged};

use super::body::{Body, Inertia, Kinematics};
use super::changes::Plan;
use super::constraint::{Constraint, Placement};
use super::error::{Error, Fault, Subject};
use super::mixed::Mixed;
use super::models::{Member, Models};
use super::structure::{AHEAD, Structure};
use super::table::{Id, Table};

/// Bodies, constraints, and the structure that is theirs.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The bodies, in the order of ids.
    pub(super) bodies: &'a Table<Body>,
    /// What some of them are parts of.
    pub(super) models: &'a Models,
    /// The constraints, in the order of rows.
    pub(super) constraints: &'a Table<Constraint>,
    /// Which of them share a row.
    pub(super) mixed: Option<&'a Mixed>,
    /// That of both tables.
    pub(super) structure: &'a Structure,
    /// What is to be made, unless all is.
    pub(super) plan: Option<&'a Plan>,
}

/// How many rows ahead to prefetch bodies, and their velocities.
const ROWS_AHEAD: [usize; 2] = [16, 8];

/// What stands where there would be a gap.
const GAP: &str = "the structure is that of what is there";

impl<'a> Scene<'a> {
    #[inline(always)]
    fn body(&self, body: usize) -> (Id, &'a Body) {
        (self.bodies.ids()[body], self.bodies.things()[body].as_ref().expect(GAP))
    }

    #[inline(always)]
    fn constraint(&self, row: usize) -> &'a Constraint {
        self.constraints.things()[self.structure.entry(row)].as_ref().expect(GAP)
    }

    /// The constraint that has a lane of a row.
    #[cold]
    fn owner(&self, row: usize, lane: usize) -> (Id, Subject) {
        let id = self.structure.ids()[row] as Id;
        match self.mixed.and_then(|mixed| Some((mixed, mixed.owner(id, lane)?))) {
            Some((mixed, id)) => (id, mixed.subject(self.constraints, id)),
            None => (id, Subject::Constraint(id, self.constraint(row).bodies())),
        }
    }

    /// An error of the constraint that has a lane of a row.
    #[cold]
    fn failed(&self, row: usize, lane: usize, fault: Fault) -> Error {
        Error { subject: self.owner(row, lane).1, fault }
    }

    /// The first lane of a row whose velocity is not finite.
    #[cold]
    fn lane_of_velocity(&self, row: usize) -> usize {
        let bodies = self.constraint(row).bodies();
        let velocity = |lane: usize, of: fn(&Body) -> &[f64]| {
            let mut sum = 0.0;
            for (id, body) in bodies.iter().flatten().filter_map(|&id| Some((id, self.bodies.get(id)?))) {
                let points = self.constraint(row).points_on(id, body);
                points.for_each(|(sign, frame, point)| {
                    sum += sign * point.local_velocity(frame, of(body))[lane]
                });
            }
            sum
        };
        let is_wrong = |lane: &usize| {
            !is_finite(&[velocity(*lane, Body::velocity), velocity(*lane, Body::previous_velocity)])
        };
        (0..3).find(is_wrong).unwrap_or_default()
    }

    /// The lane of a row with the largest entry of an operator: blocks are too large where it is.
    #[cold]
    fn lane_of_block(&self, row: usize) -> usize {
        let mut most = [0.0; 3];
        for operator in [0, 1].into_iter().filter_map(|role| self.constraint(row).operator(role)) {
            operator.each_column(|column| {
                most.iter_mut().zip(column.values).for_each(|(most, h)| *most = f64::max(*most, h.abs()));
            });
        }
        (1..3).fold(0, |best, lane| if most[lane] > most[best] { lane } else { best })
    }

    /// Whether the constraint of a row acts on a body by one operator, which is that of nodes.
    fn is_nodal(&self, row: usize, body: Id) -> bool {
        let constraint = self.constraint(row);
        match (&constraint.placement, constraint.roles_of(body)) {
            (Placement::Operators([Some(operator), _]), [true, false])
            | (Placement::Operators([_, Some(operator)]), [false, true]) => operator.by_nodes().is_some(),
            _ => false,
        }
    }

    /// The body with a role in a constraint, if it has one.
    fn body_of(&self, row: usize, role: usize) -> Option<&'a Body> {
        self.bodies.things().get(self.structure.ends(row)[role] as usize)?.as_ref()
    }

    #[inline(always)]
    fn action(&self, row: usize, body: usize) -> Action<'a> {
        let constraint = self.constraint(row);
        let placement = match &constraint.placement {
            Placement::Points { frame, points: [master, slave] } => {
                scene::Placement::Points { frame, points: [master, slave] }
            }
            Placement::Operators(operators) => {
                scene::Placement::Operators([operators[0].as_ref(), operators[1].as_ref()])
            }
        };
        Action { roles: self.structure.ends(row).map(|end| end as usize == body), placement }
    }
}

impl Bodies for Scene<'_> {
    type Fault = Error;
    /// Its row.
    type Constraint = u32;

    #[inline(always)]
    fn slots(&self, body: usize) -> usize {
        self.structure.rows_on(body).len()
    }

    fn constraints(&self, body: usize) -> impl Iterator<Item = (usize, u32)> {
        self.structure.rows_on(body).iter().copied().enumerate()
    }

    fn kinematics(&self, body: usize) -> Result<scene::Kinematics<'_>, Error> {
        let rows = self.structure.rows_on(body);
        let (id, body) = self.body(body);
        Ok(match &body.kinematics {
            Kinematics::Rigid { rotation, center } => scene::Kinematics::Rigid(Rigid { rotation, center }),
            Kinematics::PseudoRigid { center }
                if rows.iter().all(|&row| self.constraint(row as usize).is_at_points()) =>
            {
                scene::Kinematics::PseudoRigid(PseudoRigid { center })
            }
            _ if rows.iter().all(|&row| self.is_nodal(row as usize, id)) && body.inertia.is_of_nodes() => {
                // Nobody knows how long A will last: hosts give one that stays, or they pay for a new factor.
                let lasting = Lasting::ManyUpdates;
                scene::Kinematics::Mesh { nodes: body.dofs() / 3, rotation: None, lasting }
            }
            _ => scene::Kinematics::General(body.dofs()),
        })
    }

    fn inertia(&self, body: usize) -> Result<Option<inertia::Inertia<'_>>, Error> {
        let (id, body) = self.body(body);
        let failed = |defect| Error::of_body(id, Fault::Matrix(FactorError::Matrix(defect)));
        body.inertia.view().map_err(failed)
    }

    fn solve(&self, body: usize, columns: &mut [f64]) -> Result<(), Error> {
        let (id, body) = self.body(body);
        let code = match &body.inertia {
            Inertia::Solver(solver) => solver.solve(body.dofs(), columns),
            Inertia::Member(member) => self.models.solve(member.model, columns),
            _ => 0,
        };
        if code == 0 { Ok(()) } else { Err(Error::of_body(id, Fault::Solver(code))) }
    }

    fn member(&self, body: usize) -> Option<scene::Member> {
        match &self.body(body).1.inertia {
            Inertia::Member(Member { model, place }) => {
                Some(scene::Member { model: *model, size: self.models.size(*model), place: place.clone() })
            }
            _ => None,
        }
    }

    fn check_solved(&self, body: usize, columns: &[f64]) -> Result<(), Error> {
        let rows = self.structure.rows_on(body);
        let body = self.body(body).1;
        // Also where operators are zero, and so no block would tell.
        let mut made = rows.iter().zip(columns.chunks_exact(3 * body.dofs()));
        match made.find(|(_, columns)| !is_finite(columns)) {
            Some((&row, columns)) => {
                let lane = columns.chunks_exact(body.dofs()).position(|column| !is_finite(column));
                let fault = Fault::NotFinite("its diagonal block of W");
                Err(self.failed(row as usize, lane.unwrap_or_default(), fault))
            }
            None => Ok(()),
        }
    }

    fn action(&self, body: usize, row: u32) -> Action<'_> {
        Scene::action(self, row as usize, body)
    }

    fn points(&self, body: usize, row: u32, visit: &mut dyn FnMut(f64, &Block, &Point)) -> Result<(), Error> {
        let (id, body) = self.body(body);
        let constraint = self.constraint(row as usize);
        constraint.points_on(id, body).for_each(|(sign, frame, point)| visit(sign, frame, &point));
        Ok(())
    }

    #[inline(always)]
    fn is_kept(&self, body: usize) -> bool {
        self.plan.is_some_and(|plan| plan.is_body_kept(body))
    }

    fn fault(&self, body: usize, fault: panel::Fault) -> Error {
        Error::of_body(self.bodies.ids()[body], fault)
    }

    fn memory(&self) -> Error {
        Error::of_system(Fault::Memory)
    }
}

/// Results of rows: B and V, diagonal blocks and their inverses.
pub type Results<'a> = ((&'a mut [Vector], &'a mut [Vector]), (&'a mut [Block], &'a mut [Block]));

/// Rows of a system.
pub type SystemRows<'a> = Numbered<Results<'a>, &'a Scene<'a>>;

impl SystemRows<'_> {
    /// The index of a body that a row has in one of its places.
    #[inline(always)]
    fn body(&self, row: usize, place: usize) -> usize {
        self.context.structure.place(self.first + row, place).body
    }
}

impl Rows for SystemRows<'_> {
    type Fault = Error;

    const WITH_VELOCITIES: bool = true;

    #[inline(always)]
    fn places(&self, row: usize) -> [Option<Place>; 2] {
        self.context.structure.places(self.first + row)
    }

    #[inline(always)]
    fn roles(&self, row: usize) -> [bool; 2] {
        self.context.constraint(self.first + row).roles()
    }

    #[inline(always)]
    fn action(&self, row: usize, place: usize) -> Action<'_> {
        self.context.action(self.first + row, self.body(row, place))
    }

    #[inline(always)]
    fn rigid(&self, row: usize, place: usize) -> Rigid<'_> {
        match &self.context.body(self.body(row, place)).1.kinematics {
            Kinematics::Rigid { rotation, center } => Rigid { rotation, center },
            _ => unreachable!("its operators are those of a rigid body"),
        }
    }

    #[inline(always)]
    fn pseudo_rigid(&self, row: usize, place: usize) -> PseudoRigid<'_> {
        match &self.context.body(self.body(row, place)).1.kinematics {
            Kinematics::PseudoRigid { center } => PseudoRigid { center },
            _ => unreachable!("its operators are those of a pseudo-rigid body"),
        }
    }

    #[inline(always)]
    fn velocities<const N: usize>(&self, row: usize, place: usize) -> Result<[&[f64; N]; 2], Error> {
        let (id, body) = self.context.body(self.body(row, place));
        match body.velocities.as_chunks().0 {
            [previous, free] => Ok([previous, free]),
            _ => {
                let (what, found) = ("its generalised velocity", body.dofs());
                Err(Error::of_body(id, Fault::Size { what, expected: N, found }))
            }
        }
    }

    fn side(&self, row: usize, role: usize) -> Result<Side<'_>, Error> {
        let (scene, row) = (self.context, self.first + row);
        let body = scene.body_of(row, role);
        let point = body.and_then(|body| scene.constraint(row).point(role, body));
        match (body, point) {
            (Some(body), Some((sign, frame, point))) => {
                let (previous, current) = (body.previous_velocity(), body.velocity());
                Ok(Side { sign, frame, point, previous, current })
            }
            _ => Err(scene.failed(row, 0, Fault::Unknown)),
        }
    }

    #[inline(always)]
    fn compliance(&self, row: usize) -> Option<&Block> {
        self.context.constraint(self.first + row).compliance()
    }

    #[inline(always)]
    fn slot<const N: usize>(&mut self, row: usize, place: usize, slots: &Slots<N>) -> Slot<'_, N> {
        let slot = self.context.structure.place(self.first + row, place).slot;
        // SAFETY: the structure gives each row slots of its own, and this row is in no other part; the update started the panels and
        // does not touch them until all rows are made.
        Slot::new(unsafe { slots.at(slot) })
    }

    #[inline(always)]
    fn part(&self, row: usize) -> RowPart {
        self.context.plan.map_or(RowPart::All, |plan| plan.of_row(self.first + row))
    }

    #[inline(always)]
    fn fetch_ahead(&self, row: usize, bodies: &BodyOperators) {
        let Scene { bodies: table, structure, .. } = *self.context;
        let row = self.first + row;
        if let Some(ends) = structure.ends_ahead(row + ROWS_AHEAD[0]) {
            for end in ends {
                let body: *const Option<Body> = table.things().as_ptr().wrapping_add(end as usize);
                fetch(body.cast::<[u8; 128]>());
                let velocities = body.wrapping_byte_add(offset_of!(Body, velocities));
                fetch(velocities.cast::<usize>());
                let writer: *const Writer = bodies.writers.as_ptr().wrapping_add(end as usize);
                fetch(writer.cast::<[u8; Writer::RIGID]>());
            }
        }
        if let Some(ends) = structure.ends_ahead(row + ROWS_AHEAD[1]) {
            for end in ends {
                if let Some(Some(body)) = table.things().get(end as usize) {
                    fetch(body.velocities.as_ptr().cast::<[f64; 12]>());
                }
            }
        }
    }

    #[inline(always)]
    fn set_velocities(&mut self, row: usize, velocities: [Vector; 2]) {
        let ((b, v), _) = &mut self.things;
        [v[row], b[row]] = velocities;
    }

    #[inline(always)]
    fn set_diagonal(&mut self, row: usize, made: &Diagonal) -> Result<(), Error> {
        let (_, (diagonal, inverse)) = &mut self.things;
        diagonal[row] = made.w;
        inverse[row] = if made.is_hopeless() { [f64::NAN; 9] } else { made.a };
        Ok(())
    }

    #[cold]
    fn refuse(&mut self, row: usize, fault: RowFault) -> Result<(), Error> {
        let (scene, own) = (self.context, self.first + row);
        let failed = |lane, what| Err(scene.failed(own, lane, Fault::NotFinite(what)));
        let RowFault::Diagonal(w, _) = fault else {
            return failed(scene.lane_of_velocity(own), "its velocity V or B");
        };
        let w = mirrored(&w);
        if !is_finite(&w) {
            let lane = (0..3).find(|lane| !w[4 * lane].is_finite());
            return failed(lane.unwrap_or_default(), "its diagonal block of W");
        }
        // Rho may have been what failed, and is not wanted.
        let made = Diagonal::new(&w, false);
        self.set_diagonal(row, &made.unwrap_or(Diagonal { w, a: [f64::NAN; 9], rho: None }))
    }
}

/// What blocks are made of, but for panels.
pub struct Blocks<'a> {
    /// The scene.
    pub scene: Scene<'a>,
    /// The diagonal blocks.
    pub diagonal: &'a [Block],
    /// The order of pairs.
    pub order: Order,
}

/// The order in which pairs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As products with operators of any form are quickest.
    ByRows,
    /// As entries of inverse matrices of meshes lie in memory.
    ByColumns,
}

impl Blocks<'_> {
    #[cold]
    fn not_finite(&self, [row, other]: [usize; 2]) -> Error {
        let [lane, other_lane] = [row, other].map(|row| self.scene.lane_of_block(row));
        let other = self.scene.owner(other, other_lane).0;
        self.scene.failed(row, lane, Fault::NotFiniteBlock(other))
    }
}

/// The blocks of rows, and for each row where the next block left of its diagonal goes. A part writes the blocks of its own rows:
/// both of a pair, if both rows are its own; else [`Structure::each_apart`] copies the other one.
pub type SystemPairs<'a> = Numbered<(Ragged<'a, Block>, &'a mut [i32]), &'a Blocks<'a>>;

impl Pairs for SystemPairs<'_> {
    /// The two rows.
    type Name = [usize; 2];
    type Fault = Error;

    const IN_ROWS: bool = true;

    #[inline(always)]
    fn each(&mut self, _: &[Panel], make: impl FnMut(Pair<'_, [usize; 2]>)) {
        match self.context.order {
            Order::ByRows => each_by_rows(self, make),
            Order::ByColumns => each_by_columns(self, make),
        }
    }

    #[cold]
    fn fault(&self, rows: [usize; 2]) -> Error {
        self.context.not_finite(rows)
    }
}

/// Pairs in the order of the rows that they come first in.
#[inline(always)]
fn each_by_rows(pairs: &mut SystemPairs, mut make: impl FnMut(Pair<'_, [usize; 2]>)) {
    let Numbered { first, things: (Ragged { values, starts }, cursors), context } = pairs;
    let (first, base) = (*first, starts[0]);
    let Blocks { scene: Scene { structure, .. }, diagonal, .. } = *context;
    for (row, cursor) in (first..).zip(cursors.iter_mut()) {
        *cursor = structure.first_left_from(row, first) as i32 - base;
    }
    for row in first..first + cursors.len() {
        let mut place = structure.diagonal(row) - base as usize;
        values[place] = diagonal[row];
        let columns = &structure.columns()[structure.diagonal(row) + 1..structure.starts()[row + 1] as usize];
        let mut coming = columns.get(AHEAD..).unwrap_or_default().iter();
        for (column, couplings) in structure.later(row) {
            place += 1;
            // Counterparts lie rows apart, where no processor looks ahead.
            if let Some(cursor) = coming.next().and_then(|&column| cursors.get(column as usize - first)) {
                fetch(values.as_ptr().wrapping_add(*cursor as usize));
            }
            let (before, behind) = values.split_at_mut(place + 1);
            let transpose = cursors.get_mut(column - first).map(|cursor| {
                let counterpart = *cursor as usize;
                *cursor += 1;
                &mut behind[counterpart - place - 1]
            });
            make(Pair { name: [row, column], couplings, block: before.last_mut(), transpose });
        }
    }
}

/// Pairs of these rows in the order of the later ones, then those with rows of other parts.
#[inline(always)]
fn each_by_columns(pairs: &mut SystemPairs, mut make: impl FnMut(Pair<'_, [usize; 2]>)) {
    let Numbered { first, things: (Ragged { values, starts }, cursors), context } = pairs;
    let (first, base) = (*first, starts[0] as usize);
    let end = first + cursors.len();
    let Blocks { scene: Scene { structure, .. }, diagonal, .. } = *context;
    for row in first..end {
        let start = structure.first_left_from(row, first);
        let mut place = start - base;
        let left = &structure.columns()[start..structure.diagonal(row)];
        let mut coming = left.get(AHEAD..).unwrap_or_default().iter();
        for (column, couplings) in structure.earlier(row) {
            if let Some(&column) = coming.next() {
                fetch(values.as_ptr().wrapping_add(cursors[column as usize - first] as usize));
            }
            let Some(cursor) = cursors.get_mut(column.wrapping_sub(first)) else { continue };
            let (before, behind) = values.split_at_mut(place);
            let block = before.get_mut(*cursor as usize);
            make(Pair { name: [column, row], couplings, block, transpose: behind.first_mut() });
            *cursor += 1;
            place += 1;
        }
        values[place] = diagonal[row];
        cursors[row - first] = place as i32 + 1;
    }
    for row in end..structure.len() {
        let [from, to] = [first, end].map(|column| structure.first_left_from(row, column));
        if from == to {
            continue;
        }
        for (column, couplings) in structure.earlier(row) {
            let Some(cursor) = cursors.get_mut(column.wrapping_sub(first)) else { continue };
            let block = values.get_mut(*cursor as usize);
            make(Pair { name: [column, row], couplings, block, transpose: None });
            *cursor += 1;
        }
    }
}

/// What is needed where only some blocks are made.
pub struct Planned<'a> {
    /// As for all.
    pub blocks: Blocks<'a>,
    /// What is to be made.
    pub plan: &'a Plan,
}

/// The blocks of rows, of which those are made that a [`Plan`] wants; parts as with [`SystemPairs`].
pub type PlannedPairs<'a> = Numbered<Ragged<'a, Block>, &'a Planned<'a>>;

impl Pairs for PlannedPairs<'_> {
    type Name = [usize; 2];
    type Fault = Error;

    const IN_ROWS: bool = true;

    #[inline(always)]
    fn each(&mut self, _: &[Panel], mut make: impl FnMut(Pair<'_, [usize; 2]>)) {
        let Self { first, things: Ragged { values, starts }, context: Planned { blocks, plan } } = self;
        let (base, end) = (starts[0] as usize, *first + starts.len() - 1);
        let structure = blocks.scene.structure;
        for row in *first..end {
            let [has_diagonal, has_pairs] = plan.blocks_of(row);
            if !has_diagonal && !has_pairs {
                continue;
            }
            let mut place = structure.diagonal(row) - base;
            if has_diagonal {
                values[place] = blocks.diagonal[row];
            }
            if !has_pairs {
                continue;
            }
            for (column, couplings) in structure.later(row) {
                place += 1;
                if plan.has_pair([row, column], couplings.iter().flatten().map(|coupling| coupling.body)) {
                    let (before, behind) = values.split_at_mut(place + 1);
                    let counterpart =
                        (column < end).then(|| structure.first_left_from(column, row) - base - place - 1);
                    let transpose = counterpart.map(|counterpart| &mut behind[counterpart]);
                    make(Pair { name: [row, column], couplings, block: before.last_mut(), transpose });
                }
            }
        }
    }

    #[cold]
    fn fault(&self, rows: [usize; 2]) -> Error {
        self.context.blocks.not_finite(rows)
    }
}

/// Rows that a thread takes at a time: as many as can be, for the sake of pairs with both rows in one part.
pub fn part_of_pairs(rows: usize, threads: usize) -> usize {
    const LEAST: usize = 256;
    if threads == 1 { rows.max(1) } else { LEAST.max(rows.div_ceil(2 * threads)) }
}

/// The blocks of rows.
pub type SystemWholeRows<'a> = Numbered<Ragged<'a, Block>, &'a Blocks<'a>>;

impl WholeRows for SystemWholeRows<'_> {
    type Fault = Error;

    #[inline(always)]
    fn each(&mut self, mut make: impl FnMut(&Run, &mut [Block]) -> bool) -> Result<(), Error> {
        let Self { first, things: Ragged { values, starts }, context } = self;
        let Blocks { scene, diagonal, .. } = *context;
        let structure = scene.structure;
        for (row, range) in (*first..).zip(starts.windows(2)) {
            let blocks = &mut values[(range[0] - starts[0]) as usize..(range[1] - starts[0]) as usize];
            let mut done = 0;
            for run in structure.runs(row) {
                if !make(&run, &mut blocks[done..done + run.count]) {
                    let other = structure.columns()[range[0] as usize + done];
                    return Err(context.not_finite([row, other as usize]));
                }
                done += run.count;
            }
            blocks[structure.diagonal(row) - range[0] as usize] = diagonal[row];
        }
        Ok(())
    }
}

/// Rows that a thread takes at a time if each is for itself.
pub fn part_of_rows(rows: usize, threads: usize) -> usize {
    if threads == 1 { rows.max(1) } else { (rows / (16 * threads)).clamp(16, 256) }
}
