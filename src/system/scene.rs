//! A system as the scene of an update.

use std::iter;
use std::mem::offset_of;
use std::ops::Range;

use crate::assembly::diagonal::Diagonal;
use crate::assembly::pairs::{Make, Pair, Pairs, Run as PairsOfRow};
use crate::assembly::scene::{self, Action, Bodies, Place, RigidEnd, RigidEnds, RowFault, RowPart, Rows};
use crate::assembly::update::BodyOperators;
use crate::assembly::velocities::Side;
use crate::assembly::whole_rows::{Run, WholeRows};
use crate::body_operators::Panel;
use crate::body_operators::factored::{Slot, Slots, Writer};
use crate::inertia::cost::MatrixLifetime;
use crate::inertia::{self, FactorError};
use crate::kinematics::Point;
use crate::kinematics::pseudo_rigid::PseudoRigid;
use crate::kinematics::rigid::Rigid;
use crate::math::{Block, Vector, is_finite, mirrored};
use crate::memory::collect;
use crate::prefetch::{fetch, fetch_beyond};
use crate::team::{Numbered, Partition as _, Ragged, SharedSlice};

use super::body::{Body, Inertia, Kinematics, Member};
use super::constraint::{Constraint, Placement};
use super::error::{Error, Fault, Result, Subject};
use super::id_table::{Id, Table};
use super::mixed::Mixed;
use super::shared_solver::Models;
use super::structure::{AHEAD, NOWHERE, Structure};
use super::update_plan::Plan;

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

    /// A body with a role in a constraint, and its velocities, if it is rigid.
    #[inline(always)]
    fn rigid_end(&self, place: u32) -> Option<RigidEnd<'a>> {
        let body = self.bodies.things().get(place as usize)?.as_ref()?;
        let Kinematics::Rigid { rotation, center } = &body.kinematics else { return None };
        let [previous, free] = body.velocities.as_chunks().0 else { return None };
        Some((Rigid { rotation, center }, [previous, free]))
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

    fn kinematics(&self, body: usize) -> Result<scene::Kinematics<'_>> {
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
                let lifetime = MatrixLifetime::ManyUpdates;
                scene::Kinematics::Mesh { nodes: body.dofs() / 3, rotation: None, lifetime }
            }
            _ => scene::Kinematics::General(body.dofs()),
        })
    }

    fn inertia(&self, body: usize) -> Result<Option<inertia::InertiaRef<'_>>> {
        let (id, body) = self.body(body);
        let failed = |defect| Error::of_body(id, Fault::Matrix(FactorError::Matrix(defect)));
        body.inertia.view().map_err(failed)
    }

    fn solve(&self, body: usize, columns: &mut [f64]) -> Result {
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

    fn check_solved(&self, body: usize, columns: &[f64]) -> Result {
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

    fn points(&self, body: usize, row: u32, visit: &mut dyn FnMut(f64, &Block, &Point)) -> Result {
        let (id, body) = self.body(body);
        let constraint = self.constraint(row as usize);
        constraint.points_on(id, body).for_each(|(sign, frame, point)| visit(sign, frame, &point));
        Ok(())
    }

    #[inline(always)]
    fn is_kept(&self, body: usize) -> bool {
        self.plan.is_some_and(|plan| plan.is_body_kept(body))
    }

    fn fault(&self, body: usize, error: FactorError) -> Error {
        Error::of_body(self.bodies.ids()[body], error)
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
    fn velocities<const N: usize>(&self, row: usize, place: usize) -> Result<[&[f64; N]; 2]> {
        let (id, body) = self.context.body(self.body(row, place));
        match body.velocities.as_chunks().0 {
            [previous, free] => Ok([previous, free]),
            _ => {
                let (what, found) = ("its generalised velocity", body.dofs());
                Err(Error::of_body(id, Fault::Size { what, expected: N, found }))
            }
        }
    }

    #[inline(always)]
    fn side(&self, row: usize, role: usize) -> Result<Side<'_>> {
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
    fn rigid_ends(&self, row: usize) -> Option<RigidEnds<'_>> {
        let (scene, row) = (self.context, self.first + row);
        let Placement::Points { frame, points } = &scene.constraint(row).placement else { return None };
        let places = scene.structure.ends(row);
        if places[0] == places[1] {
            return None;
        }
        let mut ends = [None; 2];
        for k in 0..2 {
            if places[k] != NOWHERE {
                ends[k] = Some((scene.rigid_end(places[k])?, &points[k]));
            }
        }
        Some(RigidEnds { frame, ends })
    }

    #[inline(always)]
    fn compliance(&self, row: usize) -> Option<&Block> {
        self.context.constraint(self.first + row).compliance()
    }

    #[inline(always)]
    fn slot<const N: usize>(&mut self, row: usize, place: usize, slots: &Slots<N>) -> Slot<'_, N> {
        let slot = self.context.structure.place(self.first + row, place).slot;
        // SAFETY: the structure gives each row slots of its own, and this row is in no other part; the update started the panels
        // and does not touch them until all rows are made.
        Slot::new(unsafe { slots.at(slot) })
    }

    #[inline(always)]
    fn part(&self, row: usize) -> RowPart {
        self.context.plan.map_or(RowPart::All, |plan| plan.of_row(self.first + row))
    }

    #[inline(always)]
    fn wants_inverse(&self, row: usize) -> bool {
        self.context.mixed.is_none_or(|mixed| !mixed.is_shared(self.first + row))
    }

    #[inline(always)]
    fn are_all_wanted(&self) -> bool {
        self.context.plan.is_none()
    }

    #[inline(always)]
    fn next_wanted(&self, row: usize) -> usize {
        let Some(plan) = self.context.plan else { return row };
        plan.next_row(self.first + row..self.first + self.count()) - self.first
    }

    #[inline(always)]
    fn fetch_ahead(&self, row: usize) {
        let Scene { bodies: table, constraints, structure, .. } = *self.context;
        let row = self.first + row;
        if let Some(ends) = structure.ends_ahead(row + ROWS_AHEAD[0]) {
            for end in ends {
                let body: *const Option<Body> = table.things().as_ptr().wrapping_add(end as usize);
                fetch(body.cast::<[u8; 128]>());
                let velocities = body.wrapping_byte_add(offset_of!(Body, velocities));
                fetch(velocities.cast::<usize>());
            }
        }
        if let Some(entry) = structure.entry_ahead(row + ROWS_AHEAD[1]) {
            fetch(constraints.things().as_ptr().wrapping_add(entry));
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
    fn fetch_writers_ahead(&self, row: usize, bodies: &BodyOperators) {
        for end in self.context.structure.ends_ahead(self.first + row + ROWS_AHEAD[0]).into_iter().flatten() {
            let writer: *const Writer = bodies.writers.as_ptr().wrapping_add(end as usize);
            fetch(writer.cast::<[u8; Writer::RIGID]>());
        }
    }

    #[inline(always)]
    fn set_velocities(&mut self, row: usize, velocities: [Vector; 2]) {
        let ((b, v), _) = &mut self.things;
        [v[row], b[row]] = velocities;
    }

    #[inline(always)]
    fn set_diagonal(&mut self, row: usize, made: &Diagonal) -> Result {
        let (_, (diagonal, inverse)) = &mut self.things;
        diagonal[row] = made.w;
        inverse[row] = if made.is_hopeless() { [f64::NAN; 9] } else { made.a };
        Ok(())
    }

    #[cold]
    fn refuse(&mut self, row: usize, fault: RowFault) -> Result {
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
#[derive(Clone, Copy)]
pub struct Blocks<'a> {
    /// The scene.
    pub scene: &'a Scene<'a>,
    /// The diagonal blocks.
    pub diagonal: &'a [Block],
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
    fn not_finite(&self, rows: [usize; 2]) -> Error {
        let (row, other) = (rows[0].min(rows[1]), rows[0].max(rows[1]));
        let [lane, other_lane] = [row, other].map(|row| self.scene.lane_of_block(row));
        let other = self.scene.owner(other, other_lane).0;
        self.scene.failed(row, lane, Fault::NotFiniteBlock(other))
    }
}

/// Rows that a thread takes at a time, with all pairs that they come first in, or second if these are made by columns.
#[derive(Debug, Default)]
pub struct PartOfPairs {
    rows: Range<usize>,
    /// The rows of these pairs, and maybe some between them.
    reach: Range<usize>,
    /// Where the first block of each of those goes; found when the part is taken first.
    firsts: Vec<i32>,
    /// Where the next one goes.
    cursors: Vec<i32>,
}

impl PartOfPairs {
    /// Where the next block of each row of the reach goes, as nothing has been written; `first` finds it.
    #[inline(always)]
    fn start(&mut self, first: impl Fn(usize) -> usize) -> &mut [i32] {
        if self.firsts.is_empty() {
            self.firsts.extend(self.reach.clone().map(
                #[inline(always)]
                |row| first(row) as i32,
            ));
        }
        self.cursors.clear();
        self.cursors.extend_from_slice(&self.firsts);
        &mut self.cursors
    }
}

/// How threads share all pairs, kept as long as the structure is the same.
#[derive(Debug, Default)]
pub struct PartsOfPairs {
    parts: Vec<PartOfPairs>,
    /// The order, whether a plan says which pairs are made, and the number of threads.
    made_for: Option<(Order, bool, usize)>,
}

impl PartsOfPairs {
    /// The structure changes.
    pub fn forget(&mut self) {
        self.made_for = None;
    }

    /// Parts with about as many pairs each, or as many rows if a plan says which pairs are made, for a number of threads.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn of(
        &mut self,
        structure: &Structure,
        order: Order,
        is_planned: bool,
        threads: usize,
    ) -> Result<&mut [PartOfPairs]> {
        let wanted = Some((order, is_planned, threads));
        if self.made_for != wanted {
            self.made_for = None;
            self.make(structure, order, is_planned, threads)?;
            self.made_for = wanted;
        }
        Ok(&mut self.parts)
    }

    fn make(&mut self, structure: &Structure, order: Order, is_planned: bool, threads: usize) -> Result {
        /// Parts for each of several threads, and pairs that a part has at least.
        const PARTS: usize = 8;
        const LEAST: usize = 512;
        let parts = &mut self.parts;
        let (rows, pairs) = (structure.len(), (structure.columns().len() - structure.len()) / 2);
        let count = if threads == 1 { 1 } else { (pairs / LEAST).clamp(1, PARTS * threads) };
        parts.try_reserve(count.saturating_sub(parts.len()))?;
        parts.resize_with(count, PartOfPairs::default);
        if is_planned {
            let ends = (0..=count).map(|k| rows * k / count);
            parts.iter_mut().zip(ends.clone().zip(ends.skip(1))).for_each(|(part, (a, b))| part.rows = a..b);
            return Ok(());
        }
        let (mut row, mut before) = (0, 0);
        for (k, part) in (1..).zip(&mut *parts) {
            (part.rows, part.reach) = (row..row, row..row);
            while row < rows && (k == count || before < pairs * k / count) {
                let [first, last] = [row, row + 1].map(|row| structure.starts()[row] as usize);
                let (diagonal, last) = (structure.diagonal(row), last - 1);
                let (own, furthest) = match order {
                    Order::ByRows => (last - diagonal, last),
                    Order::ByColumns => (diagonal - first, first),
                };
                before += own;
                let furthest = structure.columns()[furthest] as usize;
                part.reach = part.reach.start.min(furthest)..part.reach.end.max(1 + row.max(furthest));
                row += 1;
            }
            part.rows.end = row;
            for places in [&mut part.firsts, &mut part.cursors] {
                collect(places, part.reach.len(), iter::empty())?;
            }
        }
        Ok(())
    }
}

/// Blocks, and where those of all pairs go.
#[derive(Clone, Copy)]
pub struct PairBlocks<'a> {
    /// What they are made of.
    pub blocks: Blocks<'a>,
    /// The order, if all are made.
    pub order: Order,
    /// All blocks of W.
    pub values: SharedSlice<'a, Block>,
}

/// Parts of pairs: each writes the diagonal blocks of its rows, and both blocks of its pairs, which no other part has.
pub type SystemPairs<'a> = Numbered<&'a mut [PartOfPairs], &'a PairBlocks<'a>>;

impl Pairs for SystemPairs<'_> {
    /// The two rows; first the one whose part has the pair, so that errors come in one order for any number of parts.
    type Name = [usize; 2];
    type Fault = Error;

    const IN_ROWS: bool = true;

    #[inline(always)]
    fn each(&mut self, _: &[Panel], make: &mut impl Make<[usize; 2]>) {
        for part in self.things.iter_mut() {
            match (self.context.blocks.scene.plan, self.context.order) {
                (Some(plan), _) => each_planned(part, *self.context, plan, make),
                (None, Order::ByRows) => each_by_rows(part, *self.context, make),
                (None, Order::ByColumns) => each_by_columns(part, *self.context, make),
            }
        }
    }

    #[cold]
    fn fault(&self, rows: [usize; 2]) -> Error {
        self.context.blocks.not_finite(rows)
    }
}

impl<'a> PairBlocks<'a> {
    /// Put a diagonal block in its place.
    ///
    /// # Safety
    /// The part at hand has the row.
    #[inline(always)]
    unsafe fn put_diagonal(&self, row: usize) {
        // SAFETY: parts have different rows, whose diagonal blocks have places of their own; the caller promises that this one has
        // it.
        unsafe { *self.values.at(self.blocks.scene.structure.diagonal(row)) = self.blocks.diagonal[row] };
    }

    /// The blocks at two places.
    ///
    /// # Safety
    /// They are those of a pair, and the part at hand has it.
    #[inline(always)]
    unsafe fn pair(self, [one, other]: [usize; 2]) -> [Option<&'a mut Block>; 2] {
        // SAFETY: parts have different rows, and so different pairs, by rows all or by columns all. Each pair has two places of its
        // own; the caller promises that this part has it.
        unsafe { [Some(self.values.at(one)), Some(self.values.at(other))] }
    }
}

/// Pairs in the order of their earlier rows.
#[inline(always)]
fn each_by_rows(part: &mut PartOfPairs, context: PairBlocks, make: &mut impl Make<[usize; 2]>) {
    let (structure, rows) = (context.blocks.scene.structure, part.rows.clone());
    let first = rows.start;
    let cursors = part.start(
        #[inline(always)]
        |row| structure.first_left_from(row, first),
    );
    for row in rows {
        // SAFETY: the part has this row.
        unsafe { context.put_diagonal(row) };
        let mut place = structure.diagonal(row) + 1;
        let mut columns = &structure.columns()[place..structure.starts()[row + 1] as usize];
        let mut coming = columns.get(AHEAD..).unwrap_or_default().iter();
        for Run { couplings, count } in structure.later_runs(row) {
            let (own, others) = columns.split_at(count);
            let mut transpose = |k: usize| {
                // Counterparts lie rows apart, where no processor looks ahead.
                if let Some(&column) = coming.next() {
                    fetch(context.values.address(cursors[column as usize - first] as usize));
                }
                let cursor = &mut cursors[own[k] as usize - first];
                *cursor += 1;
                // SAFETY: the part has this row, and the structure has the counterpart of this block of it there.
                unsafe { context.values.at(*cursor as usize - 1) }
            };
            match couplings {
                [Some(coupling), None] if count > 1 => {
                    // SAFETY: the part has this row, and the structure has the blocks of these pairs there.
                    let blocks = unsafe { context.values.some_at(place..place + count) };
                    let name = |k: usize| [row, own[k] as usize];
                    make.run(coupling, PairsOfRow { name, blocks, transpose });
                }
                _ => {
                    // SAFETY: as above.
                    let block = Some(unsafe { context.values.at(place) });
                    let (name, transpose) = ([row, own[0] as usize], Some(transpose(0)));
                    make.pair(Pair { name, couplings, block, transpose });
                }
            }
            (place, columns) = (place + count, others);
        }
    }
}

/// Pairs in the order of their later rows.
#[inline(always)]
fn each_by_columns(part: &mut PartOfPairs, context: PairBlocks, make: &mut impl Make<[usize; 2]>) {
    let (structure, rows, first) = (context.blocks.scene.structure, part.rows.clone(), part.reach.start);
    let cursors = part.start(
        #[inline(always)]
        |row| structure.first_right_from(row, rows.start),
    );
    for row in rows {
        let start = structure.starts()[row] as usize;
        let left = &structure.columns()[start..structure.diagonal(row)];
        let mut coming = left.get(AHEAD..).unwrap_or_default().iter();
        for (place, (column, couplings)) in (start..).zip(structure.earlier(row)) {
            if let Some(&column) = coming.next() {
                fetch(context.values.address(cursors[column as usize - first] as usize));
            }
            fetch_beyond(context.values.address(place));
            let cursor = &mut cursors[column - first];
            // SAFETY: the part has this row, and the structure has the pair's blocks there.
            let [block, transpose] = unsafe { context.pair([*cursor as usize, place]) };
            *cursor += 1;
            make.pair(Pair { name: [row, column], couplings, block, transpose });
        }
        // In the order of memory.
        // SAFETY: the part has this row.
        unsafe { context.put_diagonal(row) };
    }
}

/// Pairs that a plan wants.
#[inline(always)]
fn each_planned(
    PartOfPairs { rows, .. }: &PartOfPairs,
    context: PairBlocks,
    plan: &Plan,
    make: &mut impl Make<[usize; 2]>,
) {
    let structure = context.blocks.scene.structure;
    let mut next = plan.next_row(rows.clone());
    while next < rows.end {
        let row = next;
        next = plan.next_row(row + 1..rows.end);
        let [has_diagonal, has_pairs] = plan.blocks_of(row);
        if has_diagonal {
            // SAFETY: the part has this row.
            unsafe { context.put_diagonal(row) };
        }
        if !has_pairs {
            continue;
        }
        for (place, (column, couplings)) in (structure.diagonal(row) + 1..).zip(structure.later(row)) {
            if plan.has_pair([row, column], couplings.iter().flatten().map(|coupling| coupling.body)) {
                let counterpart = structure.first_left_from(column, row);
                // SAFETY: the part has this row, and the structure has the pair's blocks there.
                let [block, transpose] = unsafe { context.pair([place, counterpart]) };
                make.pair(Pair { name: [row, column], couplings, block, transpose });
            }
        }
    }
}

/// The blocks of rows.
pub type SystemWholeRows<'a> = Numbered<Ragged<'a, Block>, Blocks<'a>>;

impl WholeRows for SystemWholeRows<'_> {
    type Fault = Error;

    #[inline(always)]
    fn each(&mut self, mut make: impl FnMut(&Run, &mut [Block]) -> bool) -> Result {
        let Self { first, things: Ragged { values, starts }, context } = self;
        let Blocks { scene, diagonal } = *context;
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
