//! What was gathered as the scene of an update: bodies, rows, and pairs of blocks in the order in which they lie in memory.

use std::mem::offset_of;
use std::ops::Range;
use std::ptr;

use crate::assembly::diagonal::{self, Diagonal};
use crate::assembly::pairs::{Coupling, Make, Pair, Pairs};
use crate::assembly::scene::{Action, Bodies, Kinematics, Place, Placement, RowFault, Rows};
use crate::assembly::update::BodyOperators;
use crate::assembly::velocities::Side;
use crate::body_operators::factored::{Slot as SlotWriter, Slots, Writer};
use crate::body_operators::{Panel, RIGID};
use crate::inertia::{FactorError, InertiaRef};
use crate::kinematics::Point;
use crate::kinematics::pseudo_rigid::PseudoRigid;
use crate::kinematics::rigid::Rigid;
use crate::legacy::display;
use crate::legacy::errors::{self, Code, Error, Result, fail};
use crate::legacy::host::body::{self, Body};
use crate::legacy::host::constraint;
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::host::place::{self, KnownPlaces, Role};
use crate::legacy::layout::{BODY, CON, MX, VELODIR};
use crate::legacy::non_finite;
use crate::legacy::rows::{self, BodyEntry, GatheredRow, Parts, Row, WORD};
use crate::math::{Block, Vector, is_finite};
use crate::prefetch::fetch;
use crate::team::{Numbered, Partition};

/// Whether V and B are made before everything else, from what bodies on all processes do (`legacy::parallel`).
pub const VELOCITIES_AHEAD: bool = cfg!(feature = "mpi");

/// A constraint on a body.
#[derive(Clone, Copy)]
pub struct OnBody {
    /// The constraint.
    pub con: *const CON,
    /// What is known of its places.
    pub known: KnownPlaces,
}

/// Bodies of the host.
pub struct HostBodies<'a>(&'a [BodyEntry]);

impl<'a> HostBodies<'a> {
    /// Bodies of the host.
    ///
    /// # Safety
    /// The bodies with rows, these rows and all constraints on the bodies are valid, and nobody writes them as long as this value
    /// is there. What is known of the places of constraints on a body is used by one thread at a time.
    pub unsafe fn new(bodies: &'a [BodyEntry]) -> Self {
        Self(bodies)
    }

    fn view(&self, body: usize) -> Result<Body<'_>> {
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        unsafe { Body::new(self.0[body].body, false) }.map_err(|code| self.error(body, code))
    }

    /// The error of a body.
    #[cold]
    fn of_body(&self, body: usize, code: Code) -> Code {
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        errors::about(format_args!("body {}", unsafe { (*self.0[body].body).id }), code)
    }

    /// Hand over the points at which a constraint acts on a body.
    fn visit_points(
        &self,
        body: usize,
        &OnBody { con, known }: &OnBody,
        visit: &mut dyn FnMut(f64, &Block, &Point),
    ) -> Result<(), Code> {
        let body = self.0[body].body;
        // SAFETY: the caller of HostBodies::new promises valid bodies and constraints, and that this thread alone has what is known
        // of their places.
        unsafe {
            let view = Body::new(body, false)?;
            constraint::roles_on(con, body).try_for_each(|(sign, role)| {
                let place = place::Place::of(con, role, known);
                visit(sign, &(*con).base, &view.dense_point(&place)?);
                Ok(())
            })
        }
    }

    /// The error of the constraint on a body that has the least id of those whose points fail: in which order constraints have come
    /// to the body makes no difference.
    #[cold]
    fn first_without_points(&self, body: usize, con: *const CON, code: Code) -> Error {
        let code_of = |on_body: &OnBody| self.visit_points(body, on_body, &mut |_, _, _| ()).err();
        let failing = self.constraints(body).map(|(_, on_body)| on_body).filter(|it| code_of(it).is_some());
        // SAFETY: the caller of HostBodies::new promises valid constraints.
        unsafe {
            let first = failing.min_by_key(|it| (*it.con).id);
            // Asked once more, for the text that goes with its code.
            let first = first.and_then(|first| Some((first.con, code_of(&first)?)));
            let (con, code) = first.unwrap_or((con, code));
            constraint::error(con, code).into()
        }
    }

    /// The error of the constraint on a body that has the least id.
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
    type Fault = Error;
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
            unsafe { (slot, OnBody { con: (*row).public.con, known: (*row).known }) }
        });
        let externals = externals.iter().map(|&con| OnBody { con, known: ptr::null_mut() });
        own.chain((slots.len()..).zip(externals))
    }

    fn kinematics(&self, body: usize) -> Result<Kinematics<'_>, Error> {
        Ok(match self.view(body)? {
            Body::Rigid(rigid) => Kinematics::Rigid(rigid),
            Body::PseudoRigid(pseudo_rigid) => Kinematics::PseudoRigid(pseudo_rigid),
            Body::FiniteElement(mesh) if mesh.is_nodal() => {
                let (nodes, rotation, lifetime) = (mesh.mesh_nodes(), mesh.rotation, mesh.lifetime);
                Kinematics::Mesh { nodes, rotation, lifetime }
            }
            Body::FiniteElement(mesh) => Kinematics::General(mesh.dofs),
        })
    }

    fn inertia(&self, body: usize) -> Result<Option<InertiaRef<'_>>, Error> {
        let dofs = self.view(body)?.dofs();
        // SAFETY: the caller of HostBodies::new promises valid bodies.
        Ok(Some(unsafe { body::inertia(self.0[body].body, dofs) }.map_err(|code| self.of_body(body, code))?))
    }

    fn solve(&self, _: usize, _: &mut [f64]) -> Result<(), Error> {
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
    ) -> Result<(), Error> {
        self.visit_points(body, &constraint, visit)
            .map_err(|code| self.first_without_points(body, constraint.con, code))
    }

    fn fault(&self, body: usize, error: FactorError) -> Error {
        self.of_body(body, of_panel(error)).into()
    }

    fn memory(&self) -> Error {
        fail!(Code::OutOfMemory, "no memory for an update").into()
    }

    #[inline(always)]
    fn fetch_ahead(&self, body: usize) {
        // Free indices have no body. Of the others this reads only what has been prefetched before.
        let at = |ahead: usize| self.0.get(body + ahead).map_or(ptr::null_mut(), |attached| attached.body);
        let body = at(BODIES_AHEAD[0]);
        fetch(body.cast::<[u8; 64]>());
        fetch(body.wrapping_byte_add(offset_of!(BODY, conf)).cast::<*mut f64>());
        fetch(body.wrapping_byte_add(offset_of!(BODY, inverse)).cast::<*mut MX>());
        // SAFETY: the caller of HostBodies::new promises valid bodies; what may be NULL is only asked for.
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

/// The error of a panel that cannot be made.
pub fn of_panel(error: FactorError) -> Code {
    let code = match error {
        FactorError::Memory => return fail!(Code::OutOfMemory, "no memory for its operators"),
        FactorError::Matrix(_) => Code::MatrixKind,
        FactorError::NotPositiveDefinite { .. } => Code::CholFactor,
        FactorError::NotFinite => Code::BugFound,
        _ => Code::LuFactor,
    };
    fail!(code, "its matrix A: {error}")
}

/// How many places ahead to prefetch bodies, their matrices, and the arrays of matrices.
const BODIES_AHEAD: [usize; 3] = [24, 16, 8];

/// How a constraint acts on one of its two bodies.
#[inline(always)]
fn action(con: &CON, bodies: [*mut BODY; 2], body: *mut BODY) -> Action<'_> {
    Action {
        roles: [bodies[0] == body, bodies[1] == body],
        placement: Placement::Points { frame: &con.base, points: [&con.mpnt, &con.spnt] },
    }
}

/// Rows of the host.
pub type HostRows<'a> = Numbered<&'a mut [GatheredRow], Live>;

/// That rows and what they lead to are as [`HostRows::new`] asks for.
#[derive(Clone, Copy)]
pub struct Live(());

impl<'a> HostRows<'a> {
    /// Rows of the host.
    ///
    /// # Safety
    /// The rows are live, each here once; their constraints and the bodies of these are valid; what a row writes is this value's
    /// alone during `'a`. Slots of the rows are those of panels that have been started and are not touched otherwise.
    pub unsafe fn new(rows: &'a mut [GatheredRow]) -> Self {
        Self { first: 0, things: rows, context: Live(()) }
    }

    /// The body of one of the places of a row; there is one.
    #[inline(always)]
    fn body(&self, row: usize, place: usize) -> *mut BODY {
        // SAFETY: a live row is promised to HostRows::new.
        unsafe { (*self.things[row].row).bodies[place] }
    }
}

impl Rows for HostRows<'_> {
    type Fault = Error;

    const WITH_VELOCITIES: bool = !VELOCITIES_AHEAD;

    #[inline(always)]
    fn places(&self, row: usize) -> [Option<Place>; 2] {
        // SAFETY: a live row is promised to HostRows::new.
        let sides = unsafe { (*self.things[row].row).sides };
        sides.map(
            #[inline(always)]
            |side| side.map(|side| Place { body: side.body() as usize, slot: side.slot as usize }),
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
    fn velocities<const N: usize>(&self, row: usize, place: usize) -> Result<[&[f64; N]; 2], Error> {
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
    fn side(&self, row: usize, role: usize) -> Result<Side<'_>, Error> {
        let (GatheredRow { con, row, .. }, role) = (self.things[row], Role::BOTH[role]);
        // SAFETY: a live row and a valid constraint with this body are promised to HostRows::new; no other thread has the row.
        Ok(unsafe { constraint::side(con, role, constraint::body_of(con, role), (*row).known) }?)
    }

    #[inline(always)]
    fn slot<const N: usize>(&mut self, row: usize, place: usize, slots: &Slots<N>) -> SlotWriter<'_, N> {
        // SAFETY: a live row is promised to HostRows::new, no two rows have one slot, and nobody else has this row;
        // panels are not touched between their start and the end of the rows.
        unsafe {
            let slot = (*self.things[row].row).sides[place].map_or(usize::MAX, |side| side.slot as usize);
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
        // SAFETY: the row is live and this thread's alone, and so is V, as promised to HostRows::new.
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
    fn set_diagonal(&mut self, row: usize, diagonal: &Diagonal) -> Result<(), Error> {
        let gathered = &mut self.things[row];
        // SAFETY: the row is live and this thread's alone, its constraint valid, as promised to HostRows::new.
        unsafe {
            let row = &mut *gathered.row;
            gathered.energy = free_energy(gathered, diagonal, &row.public.B)?;
            (row.public.W, row.public.A) = (diagonal.w, diagonal.a);
            // Most rows are not: their memory is not written for it.
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
    fn refuse(&mut self, row: usize, fault: RowFault) -> Result<(), Error> {
        let con = self.things[row].con;
        // SAFETY: a valid constraint with valid bodies is promised to HostRows::new.
        let code = unsafe {
            match fault {
                RowFault::Velocities => non_finite::of_velocities(con, &Role::BOTH),
                RowFault::Diagonal(w, diagonal::Fault::NotFinite) => non_finite::of_block(con, &w),
                RowFault::Diagonal(_, diagonal::Fault::Eigenvalue) => {
                    let code = fail!(Code::EigenDecomposition, "no largest eigenvalue of W found");
                    constraint::error(con, code)
                }
                RowFault::Diagonal(_, diagonal::Fault::Singular) => {
                    constraint::error(con, fail!(Code::LuFactor, "singular W"))
                }
            }
        };
        Err(code.into())
    }

    #[inline(always)]
    fn fetch_ahead(&self, row: usize) {
        // SAFETY: the caller of HostRows::new promises live rows, valid constraints and bodies; what may be NULL is only asked for.
        unsafe {
            if let Some(ahead) = self.things.get(row + ROWS_AHEAD[0]) {
                fetch(ahead.v);
                fetch(ahead.con.wrapping_byte_add(offset_of!(CON, base)).cast::<Block>());
                fetch(ahead.con.wrapping_byte_add(offset_of!(CON, mpnt)).cast::<Vector>());
                fetch(ahead.con.wrapping_byte_add(offset_of!(CON, spnt)).cast::<Vector>());
                fetch(ahead.row.cast::<[u8; Row::UPDATED]>());
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
            for side in unsafe { (*ahead.row).sides }.into_iter().flatten() {
                let writer = &raw const bodies.writers[side.body() as usize];
                fetch(writer.cast::<[u8; Writer::RIGID]>());
            }
        }
    }
}

/// How many places ahead to prefetch constraints and rows, the bodies of these, and what bodies lead to.
const ROWS_AHEAD: [usize; 3] = [64, 32, 12];

/// The share of a constraint in the free energy.
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
        _ => fail!(Code::BugFound, "its free energy overflows, though B and Z[0] are finite"),
    };
    // SAFETY: the caller promises a valid constraint with valid bodies.
    Err(unsafe { constraint::error(con, code) })
}

/// Most words of pairs that one of several threads takes at a time: many more pairs than are prefetched beyond them, which are
/// another thread's.
pub const PART: usize = 1024 / WORD;

/// Which blocks are made.
#[derive(Clone, Copy, PartialEq)]
pub struct Wanted {
    /// For [`UpdateKind::Penalty`] only those in rows that are no contacts.
    pub kind: UpdateKind,
    /// Whether blocks of operators that have not changed are left as they are.
    pub reuse: bool,
    /// Whether second blocks of two rows through one body are zero.
    pub once: bool,
}

impl Wanted {
    /// All blocks with their values: what most updates want.
    pub const EVERYTHING: Self = Self { kind: UpdateKind::All, reuse: false, once: false };
}

/// Some parts of pairs. Compiled once more for updates that want everything, so that the loop does not ask each pair what
/// is known beforehand.
#[derive(Clone)]
pub struct HostPairs<'a, const EVERYTHING: bool> {
    parts: Parts<'a, rows::Pair>,
    numbers: Range<usize>,
    wanted: Wanted,
}

impl<'a, const EVERYTHING: bool> HostPairs<'a, EVERYTHING> {
    /// All pairs, to be dealt one part at a time; what is wanted is everything, if so it is called.
    ///
    /// # Safety
    /// The pairs and their rows are live, the constraints of the rows valid; pairs are this value's alone during `'a`.
    pub unsafe fn new(parts: Parts<'a, rows::Pair>, wanted: Wanted) -> Self {
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
    type Name = *mut rows::Pair;
    type Fault = Error;

    const IN_ROWS: bool = false;

    #[inline(always)]
    fn each(&mut self, panels: &[Panel], make: &mut impl Make<*mut rows::Pair>) {
        let Wanted { kind, reuse, once } = if EVERYTHING { Wanted::EVERYTHING } else { self.wanted };
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
    fn fault(&self, pair: *mut rows::Pair) -> Error {
        // SAFETY: a live pair of live rows with valid constraints is promised to HostPairs::new.
        unsafe {
            non_finite::of_blocks_between(rows::Pair::rows(pair).map(|row| (*row).public.con.cast_const()))
                .into()
        }
    }
}

/// How many pairs ahead to prefetch operators.
const PAIRS_AHEAD: usize = 8;
/// How many pairs further on in memory to prefetch pairs: they are many, and memory takes long to answer while it is busy.
const FURTHER: usize = 64;

/// Prefetch the operators that a pair needs, and a pair further on.
///
/// # Safety
/// The pair is live, and nobody writes it meanwhile.
#[inline(always)]
unsafe fn fetch_operators(pair: *const rows::Pair, panels: &[Panel]) {
    // SAFETY: the caller promises a live pair.
    if let Some(Coupling { body, row, column }) = unsafe { (*pair).coupling() } {
        for slot in [row, column] {
            fetch(panels[body].place(slot).cast::<[f64; RIGID]>());
        }
    }
    fetch(pair.wrapping_add(FURTHER));
}

/// What is wanted of a pair: its second blocks not twice, for [`UpdateKind::Penalty`] none of contacts.
#[inline(always)]
fn blocks_of(
    name: *mut rows::Pair,
    pair: &mut rows::Pair,
    kind: UpdateKind,
    once: bool,
) -> Pair<'_, *mut rows::Pair> {
    let coupling = if once && pair.is_repeated() { None } else { pair.coupling() };
    let [block, transpose] = pair.blocks();
    let wanted = |(block, is_contact): (_, bool)| {
        if kind == UpdateKind::All || !is_contact { Some(block) } else { None }
    };
    Pair { name, couplings: [coupling, None], block: wanted(block), transpose: wanted(transpose) }
}

/// Whether a pair has the blocks that its operators make. For repeated pairs nothing records what was wanted before.
fn is_unchanged(panels: &[Panel], pair: &rows::Pair) -> bool {
    match pair.coupling() {
        Some(Coupling { body, row, column }) if !pair.is_repeated() => {
            !panels[body].has_changed(row) && !panels[body].has_changed(column)
        }
        _ => false,
    }
}
