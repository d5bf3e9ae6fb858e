//! The scene of an update: bodies, gathered rows, and pairs of blocks in memory order.

use std::mem::offset_of;
use std::ops::Range;
use std::ptr;

use crate::assembly::diagonal::{Diagonal, DiagonalFault};
use crate::assembly::pairs::{Coupling, Maker, Pair, Pairs};
use crate::assembly::scene::{
    Action, Bodies, KinematicsRef, PanelSlot, PlacementRef, RowFault, RowsOfThread,
};
use crate::assembly::update::BodyOperators;
use crate::assembly::velocities::ConstraintSide;
use crate::body_operators::factored::{Slot as SlotWriter, Slots, Writer};
use crate::body_operators::{Panel, RIGID};
use crate::inertia::{FactorError, InertiaRef};
use crate::kinematics::Point;
use crate::kinematics::pseudo_rigid::PseudoRigid;
use crate::kinematics::rigid::Rigid;
use crate::legacy::display;
use crate::legacy::errors::{self, Code, DetailedError, Result, fail, invalid};
use crate::legacy::host::body::{self, HostBody};
use crate::legacy::host::body_point::{self, CachedLocations, Role};
use crate::legacy::host::constraint;
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::layout::{BODY, CON, MX, VELODIR};
use crate::legacy::non_finite;
use crate::legacy::rows::{self, BodyEntry, ChunkParts, GatheredRow, RowNode, WORD};
use crate::math::simd::SimdLevel;
use crate::math::{Block, Vector, is_finite};
use crate::prefetch::fetch;
use crate::team::{Numbered, Partition};

/// Whether V and B are computed first, from the contributions of all processes (`legacy::mpi`).
pub const VELOCITIES_AHEAD: bool = cfg!(feature = "mpi");

/// A constraint on a body.
#[derive(Clone, Copy)]
pub struct OnBody {
    /// The constraint.
    pub con: *const CON,
    /// The cached locations of its points.
    pub cached: CachedLocations,
}

/// Bodies of the host.
pub struct HostBodies<'a>(&'a [BodyEntry]);

impl<'a> HostBodies<'a> {
    /// Bodies of the host.
    ///
    /// # Safety
    /// The bodies with rows, these rows and all constraints on the bodies are valid, and nobody writes them while this value is
    /// in use. The cached locations of constraints on a body are used by one thread at a time.
    pub unsafe fn new(bodies: &'a [BodyEntry]) -> Self {
        Self(bodies)
    }

    fn view(&self, body: usize) -> Result<HostBody<'_>> {
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        unsafe { HostBody::new(self.0[body].body, false) }.map_err(|code| self.error(body, code))
    }

    /// Put a body's name before the thread's last error.
    #[cold]
    fn of_body(&self, body: usize, code: Code) -> Code {
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        errors::about(format_args!("body {}", unsafe { (*self.0[body].body).id }), code)
    }

    /// Visit the points at which a constraint acts on a body.
    fn visit_points(
        &self,
        body: usize,
        &OnBody { con, cached }: &OnBody,
        visit: &mut dyn FnMut(f64, &Block, &Point),
    ) -> Result<(), Code> {
        let body = self.0[body].body;
        // SAFETY: the caller of HostBodies::new promises valid bodies and constraints, and that only this thread uses their
        // cached locations.
        unsafe {
            let view = HostBody::new(body, false)?;
            constraint::roles_on(con, body).try_for_each(|(sign, role)| {
                let place = body_point::BodyPoint::of(con, role, cached);
                visit(sign, &(*con).base, &view.dense_point(&place)?);
                Ok(())
            })
        }
    }

    /// The error of the constraint with the least id among the constraints on a body whose points fail: it does not depend on
    /// the order of insertion.
    #[cold]
    fn first_without_points(&self, body: usize, con: *const CON, code: Code) -> DetailedError {
        let code_of = |on_body: &OnBody| self.visit_points(body, on_body, &mut |_, _, _| ()).err();
        let failing = self.constraints(body).map(|(_, on_body)| on_body).filter(|it| code_of(it).is_some());
        // SAFETY: the caller of HostBodies::new promises valid constraints.
        unsafe {
            let first = failing.min_by_key(|it| (*it.con).id);
            // Evaluated again, for the text that belongs to the code.
            let first = first.and_then(|first| Some((first.con, code_of(&first)?)));
            let (con, code) = first.unwrap_or((con, code));
            constraint::error(con, code).into()
        }
    }

    /// Put the name of the body's constraint with the least id before the thread's last error.
    #[cold]
    fn error(&self, body: usize, code: Code) -> Code {
        // SAFETY: the caller of HostBodies::new promises valid bodies and constraints.
        unsafe {
            match self.constraints(body).map(|(_, on_body)| on_body.con).min_by_key(|&con| (*con).id) {
                Some(con) => constraint::error(con, code),
                None => self.of_body(body, code),
            }
        }
    }
}

impl Bodies for HostBodies<'_> {
    type Fault = DetailedError;
    type Constraint = OnBody;

    #[inline(always)]
    fn slots(&self, body: usize) -> usize {
        let attached = &self.0[body];
        if attached.has_rows() { attached.slots.len() + attached.externals.len() } else { 0 }
    }

    fn constraints(&self, body: usize) -> impl Iterator<Item = (usize, OnBody)> {
        let BodyEntry { slots, externals, .. } = &self.0[body];
        let own = slots.iter().enumerate().filter(|(_, row)| !row.is_null()).map(|(slot, &row)| {
            // SAFETY: rows in slots are live.
            unsafe { (slot, OnBody { con: (*row).public.con, cached: (*row).cached }) }
        });
        let externals = externals.iter().map(|&con| OnBody { con, cached: ptr::null_mut() });
        own.chain((slots.len()..).zip(externals))
    }

    fn kinematics(&self, body: usize) -> Result<KinematicsRef<'_>, DetailedError> {
        Ok(match self.view(body)? {
            HostBody::Rigid(rigid) => KinematicsRef::Rigid(rigid),
            HostBody::PseudoRigid(pseudo_rigid) => KinematicsRef::PseudoRigid(pseudo_rigid),
            HostBody::FiniteElement(mesh) if mesh.is_nodal() => {
                let (nodes, rotation, lifetime) = (mesh.mesh_nodes(), mesh.rotation, mesh.lifetime);
                KinematicsRef::Mesh { nodes, rotation, lifetime }
            }
            HostBody::FiniteElement(mesh) => KinematicsRef::General(mesh.dofs),
        })
    }

    fn inertia(&self, body: usize) -> Result<Option<InertiaRef<'_>>, DetailedError> {
        let dofs = self.view(body)?.dofs();
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        Ok(Some(unsafe { body::inertia(self.0[body].body, dofs) }.map_err(|code| self.of_body(body, code))?))
    }

    fn solve(&self, _: usize, _: &mut [f64]) -> Result<(), DetailedError> {
        unreachable!("a body of the host gives A or its inverse")
    }

    fn action(&self, body: usize, constraint: OnBody) -> Action<'_> {
        // SAFETY: the caller of HostBodies::new promises valid bodies and constraints.
        unsafe {
            let con = &*constraint.con;
            action(con, [con.master, con.slave], self.0[body].body)
        }
    }

    fn points(
        &self,
        body: usize,
        constraint: OnBody,
        visit: &mut dyn FnMut(f64, &Block, &Point),
    ) -> Result<(), DetailedError> {
        self.visit_points(body, &constraint, visit)
            .map_err(|code| self.first_without_points(body, constraint.con, code))
    }

    fn fault(&self, body: usize, error: FactorError) -> DetailedError {
        self.of_body(body, of_panel(error)).into()
    }

    fn memory(&self) -> DetailedError {
        fail!(Code::OutOfMemory, "no memory for an update").into()
    }

    #[inline(always)]
    fn fetch_ahead(&self, body: usize) {
        // Free indices have no body. Only data that was prefetched before is read.
        let at = |ahead: usize| self.0.get(body + ahead).map_or(ptr::null_mut(), |attached| attached.body);
        let body = at(BODIES_AHEAD[0]);
        fetch(body.cast::<[u8; 64]>());
        fetch(body.wrapping_byte_add(offset_of!(BODY, conf)).cast::<*mut f64>());
        fetch(body.wrapping_byte_add(offset_of!(BODY, inverse)).cast::<*mut MX>());
        // SAFETY: the caller of HostBodies::new promises valid bodies; pointers that may be NULL are only prefetched.
        unsafe {
            if let Some(body) = at(BODIES_AHEAD[1]).as_ref() {
                fetch(body.inverse);
            }
            if let Some(matrix) = at(BODIES_AHEAD[2]).as_ref().and_then(|body| body.inverse.as_ref()) {
                fetch(matrix.p);
                fetch(matrix.i);
                fetch(matrix.x.cast::<[f64; 18]>());
            }
        }
    }
}

/// The error of operators that cannot be computed.
pub fn of_panel(error: FactorError) -> Code {
    let code = match error {
        FactorError::Memory => return fail!(Code::OutOfMemory, "no memory for its operators"),
        FactorError::Matrix(_) => Code::InvalidFormat,
        FactorError::NotPositiveDefinite { .. } => Code::NotPositiveDefinite,
        FactorError::NotFinite => Code::InvalidArgument,
        _ => Code::Singular,
    };
    fail!(code, "its matrix A: {error}")
}

/// Number of bodies ahead to prefetch bodies, their matrices, and the arrays of matrices.
const BODIES_AHEAD: [usize; 3] = [24, 16, 8];

/// How a constraint acts on one of its two bodies.
#[inline(always)]
fn action(con: &CON, bodies: [*mut BODY; 2], body: *mut BODY) -> Action<'_> {
    Action {
        roles: [bodies[0] == body, bodies[1] == body],
        placement: PlacementRef::Points { frame: &con.base, points: [&con.mpnt, &con.spnt] },
        group: 0,
    }
}

/// Rows of the host.
pub type HostRows<'a> = Numbered<&'a mut [GatheredRow], Live>;

/// Proof that the promises to [`HostRows::new`] hold.
#[derive(Clone, Copy)]
pub struct Live(());

impl<'a> HostRows<'a> {
    /// Rows of the host.
    ///
    /// # Safety
    /// The rows are live, and each occurs once; their constraints and the bodies of these are valid. Only this value uses the
    /// targets of a row's writes during `'a`. Slots of the rows belong to panels that have been started and are not used
    /// otherwise.
    pub unsafe fn new(rows: &'a mut [GatheredRow]) -> Self {
        Self { first: 0, things: rows, context: Live(()) }
    }

    /// The body at one of the row's slots, which exists.
    #[inline(always)]
    fn body(&self, row: usize, place: usize) -> *mut BODY {
        // SAFETY: a live row is promised to HostRows::new.
        unsafe { (*self.things[row].row).bodies[place] }
    }
}

impl RowsOfThread for HostRows<'_> {
    type Fault = DetailedError;

    const WITH_VELOCITIES: bool = !VELOCITIES_AHEAD;

    #[inline(always)]
    fn places(&self, row: usize) -> [Option<PanelSlot>; 2] {
        // SAFETY: a live row is promised to HostRows::new.
        let sides = unsafe { (*self.things[row].row).body_slots };
        sides.map(
            #[inline(always)]
            |side| side.map(|side| PanelSlot { body: side.body() as usize, slot: side.slot as usize }),
        )
    }

    #[inline(always)]
    fn roles(&self, row: usize) -> [bool; 2] {
        self.things[row].bodies.map(
            #[inline(always)]
            |body| !body.is_null(),
        )
    }

    #[inline(always)]
    fn action(&self, row: usize, place: usize) -> Action<'_> {
        // SAFETY: a valid constraint is promised to HostRows::new.
        unsafe { action(&*self.things[row].con, self.things[row].bodies, self.body(row, place)) }
    }

    #[inline(always)]
    fn rigid(&self, row: usize, place: usize) -> Rigid<'_> {
        // SAFETY: a valid body is promised to HostRows::new; panels of rigid bodies are not started without a configuration.
        unsafe {
            let body = &*self.body(row, place);
            Rigid { rotation: &*body.conf.cast(), center: &body.ref_center }
        }
    }

    #[inline(always)]
    fn pseudo_rigid(&self, row: usize, place: usize) -> PseudoRigid<'_> {
        // SAFETY: a valid body is promised to HostRows::new.
        PseudoRigid { center: unsafe { &(*self.body(row, place)).ref_center } }
    }

    #[inline(always)]
    fn velocities<const N: usize>(&self, row: usize, place: usize) -> Result<[&[f64; N]; 2], DetailedError> {
        let body = self.body(row, place);
        // SAFETY: a valid body is promised to HostRows::new; velo holds the current velocity, then the previous one.
        unsafe {
            let velo = (*body).velo.cast_const().cast::<[f64; N]>();
            ensure!(
                !velo.is_null(),
                constraint::error(self.things[row].con, display::null("velo", body)).into()
            );
            Ok([&*velo.add(1), &*velo])
        }
    }

    #[inline(always)]
    fn side(&self, row: usize, role: usize) -> Result<ConstraintSide<'_>, DetailedError> {
        let (GatheredRow { con, row, .. }, role) = (self.things[row], Role::BOTH[role]);
        // SAFETY: a live row and a valid constraint with this body are promised to HostRows::new; no other thread has the row.
        Ok(unsafe { constraint::side(con, role, constraint::body_of(con, role), (*row).cached) }?)
    }

    #[inline(always)]
    fn slot<const N: usize>(&mut self, row: usize, place: usize, slots: &Slots<N>) -> SlotWriter<'_, N> {
        // SAFETY: a live row is promised to HostRows::new, no two rows share a slot, and nobody else uses this row; panels are
        // not used otherwise between their start and the end of the rows.
        unsafe {
            let slot =
                (*self.things[row].row).body_slots[place].map_or(usize::MAX, |side| side.slot as usize);
            SlotWriter::new(slots.at(slot))
        }
    }

    #[inline(always)]
    fn wants_velocities(&self, row: usize) -> bool {
        self.things[row].is_listed
    }

    #[inline(always)]
    fn set_velocities(&mut self, row: usize, [v, b]: [Vector; 2]) {
        let gathered = &self.things[row];
        // SAFETY: the row is live and only this thread uses it and V, as promised to HostRows::new.
        unsafe {
            *gathered.v = v;
            (*gathered.row).public.B = b;
        }
    }

    #[inline(always)]
    fn is_new(&self, row: usize) -> bool {
        // SAFETY: a live row is promised to HostRows::new.
        unsafe { (*self.things[row].row).is_stale }
    }

    #[inline(always)]
    fn kept(&self, row: usize) -> Option<Diagonal> {
        // SAFETY: a live row is promised to HostRows::new.
        let row = unsafe { &*self.things[row].row };
        (!row.is_stale).then_some(Diagonal { w: row.public.W, a: row.public.A, rho: None })
    }

    #[inline(always)]
    fn set_diagonal(&mut self, row: usize, diagonal: &Diagonal) -> Result<(), DetailedError> {
        let gathered = &mut self.things[row];
        // SAFETY: the row is live, only this thread uses it, and its constraint is valid, as promised to HostRows::new.
        unsafe {
            let row = &mut *gathered.row;
            gathered.energy = free_energy(gathered, diagonal, &row.public.B)?;
            (row.public.W, row.public.A) = (diagonal.w, diagonal.a);
            // Most rows are not stale, and need no write.
            if row.is_stale {
                row.is_stale = false;
            }
            if let Some(rho) = diagonal.rho {
                row.public.rho = rho;
            }
        }
        Ok(())
    }

    #[cold]
    fn refuse(&mut self, row: usize, fault: RowFault) -> Result<(), DetailedError> {
        let con = self.things[row].con;
        // SAFETY: a valid constraint with valid bodies is promised to HostRows::new.
        let code = unsafe {
            match fault {
                RowFault::Velocities => non_finite::of_velocities(con, &Role::BOTH),
                RowFault::Diagonal(w, DiagonalFault::NotFinite) => non_finite::of_block(con, &w),
                RowFault::Diagonal(_, DiagonalFault::Eigenvalue) => {
                    let code = fail!(Code::Eigenvalues, "no largest eigenvalue of W found");
                    constraint::error(con, code)
                }
                RowFault::Diagonal(_, DiagonalFault::Singular) => {
                    constraint::error(con, fail!(Code::Singular, "singular W"))
                }
            }
        };
        Err(code.into())
    }

    #[inline(always)]
    fn fetch_ahead(&self, row: usize) {
        // SAFETY: the caller of HostRows::new promises live rows, valid constraints and bodies; pointers that may be NULL are
        // only prefetched.
        unsafe {
            if let Some(ahead) = self.things.get(row + ROWS_AHEAD[0]) {
                fetch(ahead.v);
                fetch(ahead.con.wrapping_byte_add(offset_of!(CON, base)).cast::<Block>());
                fetch(ahead.con.wrapping_byte_add(offset_of!(CON, mpnt)).cast::<Vector>());
                fetch(ahead.con.wrapping_byte_add(offset_of!(CON, spnt)).cast::<Vector>());
                fetch(ahead.row.cast::<[u8; RowNode::UPDATED]>());
            }
            if let Some(ahead) = self.things.get(row + ROWS_AHEAD[1]) {
                for body in ahead.bodies {
                    fetch(body.wrapping_byte_add(offset_of!(BODY, ref_center)).cast::<Vector>());
                    fetch(body.wrapping_byte_add(offset_of!(BODY, conf)).cast::<[*mut f64; 2]>());
                }
            }
            if let Some(ahead) = self.things.get(row + ROWS_AHEAD[2]) {
                for body in ahead.bodies {
                    if let Some(body) = body.as_ref() {
                        fetch(body.conf.cast::<Block>());
                        fetch(body.velo.cast::<[f64; 12]>());
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn fetch_writers_ahead(&self, row: usize, bodies: &BodyOperators) {
        if let Some(ahead) = self.things.get(row + ROWS_AHEAD[1]) {
            // SAFETY: the caller of HostRows::new promises live rows.
            for side in unsafe { (*ahead.row).body_slots }.into_iter().flatten() {
                let writer = &raw const bodies.writers[side.body() as usize];
                fetch(writer.cast::<[u8; Writer::RIGID]>());
            }
        }
    }
}

/// Number of rows ahead to prefetch constraints and rows, their bodies, and the arrays of bodies.
const ROWS_AHEAD: [usize; 3] = [64, 32, 12];

/// The contribution of a constraint to the free energy.
///
/// # Errors
/// If it is not finite.
///
/// # Safety
/// The constraint of the row is valid, and so are its bodies.
#[inline(always)]
unsafe fn free_energy(
    &GatheredRow { con, kind, .. }: &GatheredRow,
    diagonal: &Diagonal,
    b: &Vector,
) -> Result<f64> {
    // SAFETY: the caller promises a valid constraint.
    let prescribed = if kind == VELODIR { unsafe { (*con).Z[0] } } else { 0.0 };
    let share = diagonal.free_energy(b, prescribed);
    if share.is_finite() {
        return Ok(share);
    }
    let code = match (is_finite(b), prescribed.is_finite()) {
        (false, _) => non_finite::not_finite("B"),
        (_, false) => non_finite::not_finite("the prescribed velocity Z[0]"),
        _ => invalid!("its free energy overflows, though B and Z[0] are finite"),
    };
    // SAFETY: the caller promises a valid constraint with valid bodies.
    Err(unsafe { constraint::error(con, code) })
}

/// Largest number of words of pairs that a thread takes at a time: many more pairs than it prefetches beyond them, which belong
/// to another thread.
pub const PART: usize = 1024 / WORD;

/// Options for the blocks of pairs.
#[derive(Clone, Copy, PartialEq)]
pub struct PairOptions {
    /// For [`UpdateKind::Penalty`] only the blocks of rows that are not contacts.
    pub kind: UpdateKind,
    /// Whether blocks of unchanged operators are kept.
    pub reuse: bool,
    /// Whether the second block of two rows through one body is zero.
    pub once: bool,
}

impl PairOptions {
    /// All blocks, as most updates need them.
    pub const EVERYTHING: Self = Self { kind: UpdateKind::All, reuse: false, once: false };
}

/// Some parts of pairs. A second instance for updates with [`PairOptions::EVERYTHING`] has no tests of the options in its loop.
#[derive(Clone)]
pub struct HostPairs<'a, const EVERYTHING: bool> {
    parts: ChunkParts<'a, rows::BlockPair>,
    numbers: Range<usize>,
    wanted: PairOptions,
}

impl<'a, const EVERYTHING: bool> HostPairs<'a, EVERYTHING> {
    /// All pairs, to be distributed one part at a time. With `EVERYTHING`, `wanted` has to be [`PairOptions::EVERYTHING`].
    ///
    /// # Safety
    /// The pairs and their rows are live, and the constraints of the rows are valid; only this value uses the pairs during
    /// `'a`.
    pub unsafe fn new(parts: ChunkParts<'a, rows::BlockPair>, wanted: PairOptions) -> Self {
        Self { parts, numbers: 0..parts.count(), wanted }
    }
}

// SAFETY: different parts have different pairs.
unsafe impl<const EVERYTHING: bool> Partition for HostPairs<'_, EVERYTHING> {
    type Shared = Self;

    fn count(&self) -> usize {
        self.numbers.len()
    }

    fn shared(self) -> Self {
        self
    }

    unsafe fn part(shared: &Self, range: Range<usize>) -> Self {
        let first = shared.numbers.start;
        Self { numbers: first + range.start..first + range.end, ..shared.clone() }
    }
}

impl<const EVERYTHING: bool> Pairs for HostPairs<'_, EVERYTHING> {
    type Name = *mut rows::BlockPair;
    type Fault = DetailedError;

    const IN_ROWS: bool = false;

    #[inline(always)]
    fn each<L: SimdLevel>(&mut self, make: &mut Maker<L, *mut rows::BlockPair>) {
        let panels = make.panels;
        let PairOptions { kind, reuse, once } =
            if EVERYTHING { PairOptions::EVERYTHING } else { self.wanted };
        for number in self.numbers.clone() {
            let [mut coming, pairs] = [self.parts.part(number), self.parts.part(number)];
            for pair in coming.by_ref().take(PAIRS_AHEAD) {
                // SAFETY: a chunk in use is a pair, and none has been handed out yet.
                unsafe { fetch_operators(pair, panels) };
            }
            for name in pairs {
                if let Some(ahead) = coming.next() {
                    // SAFETY: a chunk in use is a pair, and this one has not been handed out yet.
                    unsafe { fetch_operators(ahead, panels) };
                }
                // SAFETY: a chunk in use is a pair, and each is handed out once.
                let pair = unsafe { &mut *name };
                if (kind == UpdateKind::All || !pair.is_of_contacts())
                    && (!reuse || !is_unchanged(panels, pair))
                {
                    make.pair(blocks_of(name, pair, kind, once));
                }
            }
        }
    }

    #[cold]
    fn fault(&self, pair: *mut rows::BlockPair) -> DetailedError {
        // SAFETY: a live pair of live rows with valid constraints is promised to HostPairs::new.
        unsafe {
            non_finite::of_blocks_between(rows::BlockPair::rows(pair).map(|row| (*row).public.con)).into()
        }
    }
}

/// Number of pairs ahead to prefetch operators.
const PAIRS_AHEAD: usize = 8;
/// Number of pairs ahead in memory to prefetch pairs: the distance is large because memory is slow under load.
const FURTHER: usize = 64;

/// Prefetch the operators that a pair needs, and a later pair.
///
/// # Safety
/// The pair is live, and nobody writes it meanwhile.
#[inline(always)]
unsafe fn fetch_operators(pair: *const rows::BlockPair, panels: &[Panel]) {
    // SAFETY: the caller promises a live pair.
    if let Some(Coupling { body, row, column }) = unsafe { (*pair).coupling() } {
        for slot in [row, column] {
            fetch(panels[body].place(slot).cast::<[f64; RIGID]>());
        }
    }
    fetch(pair.wrapping_add(FURTHER));
}

/// The blocks to compute of a pair: with `once`, a repeated pair is zero; for [`UpdateKind::Penalty`], blocks of contacts are
/// omitted.
#[inline(always)]
fn blocks_of(
    name: *mut rows::BlockPair,
    pair: &mut rows::BlockPair,
    kind: UpdateKind,
    once: bool,
) -> Pair<'_, *mut rows::BlockPair> {
    let coupling = if once && pair.is_repeated() { None } else { pair.coupling() };
    let [block, transpose] = pair.blocks();
    let wanted = |(block, is_contact): (_, bool)| {
        if kind == UpdateKind::All || !is_contact { Some(block) } else { None }
    };
    Pair { name, couplings: [coupling, None], block: wanted(block), transpose: wanted(transpose) }
}

/// Whether the blocks of a pair are up to date with its operators. This is unknown for repeated pairs, since the former value
/// of `once` is not recorded.
fn is_unchanged(panels: &[Panel], pair: &rows::BlockPair) -> bool {
    match pair.coupling() {
        Some(Coupling { body, row, column }) if !pair.is_repeated() => {
            !panels[body].has_changed(row) && !panels[body].has_changed(column)
        }
        _ => false,
    }
}
