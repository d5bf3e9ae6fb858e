//! The C interface of the twelve entry points of the legacy module. They are defined in `entry.c`: thin C functions that call
//! one status-returning Rust function each and raise an error only after it has returned.

use std::ffi::c_char;

use crate::legacy::layout::{BODY, CON, DIAB, DOM, LOCDYN};

unsafe extern "C" {
    /// Create an empty local dynamics over a domain.
    ///
    /// dom: the domain, kept by reference; dom->solfec may still be NULL.
    ///
    /// Returns the new structure, owned by the caller: release it with LOCDYN_Destroy.
    ///
    /// Errors (NULL is returned if a handler returns): LDY_ERROR_OUT_OF_MEMORY; LDY_ERROR_INVALID_ARGUMENT if dom is NULL.
    ///
    /// # Safety
    /// dom points to a domain that outlives the structure.
    pub fn LOCDYN_Create(dom: *mut DOM) -> *mut LOCDYN;

    /// Insert a row for a constraint at the head of the list, and a pair of blocks for each neighbor.
    ///
    /// con: the constraint; the row's R, U, V point to its arrays. The caller stores the returned row in con->dia; until then
    /// con->dia is not read.
    ///
    /// one, two: the bodies it acts on, either may be NULL. For one, then for two: every constraint c of the body's set, in set
    /// order, gets one block in its row and one in the new row. Each block is put at the head of its list. Skipped are con itself,
    /// every c with c->dia == NULL (MPI: or that is external), an obstacle if con is a CONTACT, and pairs that an explicit
    /// finite-element body does not couple. With one == two each neighbor appears twice.
    ///
    /// Returns the row, owned by the structure; its address stays valid until LOCDYN_Remove or LOCDYN_Destroy.
    ///
    /// Errors (nothing is changed; NULL is returned if a handler returns): LDY_ERROR_OUT_OF_MEMORY; LDY_ERROR_INVALID_ARGUMENT if
    /// ldy or con is NULL, con has a row already, con or a body is of unknown kind, c->dia is not a live row of ldy, there is no
    /// element where an explicit finite-element body needs it, or ldy is a clone.
    ///
    /// # Safety
    /// ldy comes from LOCDYN_Create; con and the bodies, with their sets, are valid.
    pub fn LOCDYN_Insert(ldy: *mut LOCDYN, con: *mut CON, one: *mut BODY, two: *mut BODY) -> *mut DIAB;

    /// Remove a row and all blocks that point to it.
    ///
    /// dia: the row, as LOCDYN_Insert returned it. Its memory goes back to the pool for reuse. con->dia does not change; neither
    /// bodies nor their sets are read. Cost: proportional to the row's own blocks.
    ///
    /// Errors (nothing is changed): LDY_ERROR_INVALID_ARGUMENT if ldy or dia is NULL, or dia is not a live row of ldy (removed
    /// twice).
    ///
    /// # Safety
    /// ldy comes from LOCDYN_Create.
    pub fn LOCDYN_Remove(ldy: *mut LOCDYN, dia: *mut DIAB);

    /// Assemble U = B + W R, theory (62)-(64): V and B of all constraints, then W, A, rho, free_energy.
    ///
    /// V = H v0 of the previous, B = H v of the current generalized velocity, master minus slave. W = h H inv(A) H^T in 3 x 3
    /// blocks, column-major; the two blocks of a pair are transposes of each other to the bit. A = inverse of the diagonal block;
    /// rho = 1 / its largest eigenvalue.
    ///
    /// dom->solfec->kind chooses what is computed: PENALTY_SOLVER: no rho, off-diagonal blocks only in rows of non-contacts;
    /// NEWTON_SOLVER with locdyn == LOCDYN_OFF: V and B only; any other, or no solfec: everything. Runs the host's timer "LOCDYN"
    /// and, if dom->verbose, prints "LOCDYN ... " to stdout.
    ///
    /// A matrix A of a finite-element body (MXIFAC) is factored here; the factor is kept as long as pattern and values are the
    /// same, and released with the body's last row.
    ///
    /// MPI: collective, even with no constraints; rank 0 alone prints. V and B are sums of the contributions of parent bodies, on
    /// whichever process they are. Blocks to external constraints are rebuilt at adjext, unless V and B alone are computed. An
    /// error before contributions are exchanged is raised on all ranks. See docs/solfec/mpi.md.
    ///
    /// Errors (values may be partly updated, free_energy is not; the structure stays usable):
    ///
    /// - LDY_ERROR_OUT_OF_MEMORY;
    /// - LDY_ERROR_SINGULAR: a diagonal block, or a general A, is singular;
    /// - LDY_ERROR_NOT_POSITIVE_DEFINITE: A is not positive definite;
    /// - LDY_ERROR_INVALID_FORMAT: an inverse or reduced base is missing, of unknown kind, ill-formed or of wrong size;
    /// - LDY_ERROR_EIGENVALUES: the eigenvalue iteration fails;
    /// - LDY_ERROR_POINT_NOT_IN_ELEMENT: the local coordinates of a point are not found;
    /// - LDY_ERROR_INVALID_ARGUMENT: NULL or inconsistent argument, a constraint without a row, unknown kind, non-finite input or
    ///   result, ldy is a clone. MPI: also a body that is neither parent nor child or a parent twice, an external constraint whose
    ///   owner is no other rank or does not know it, another rank failed.
    ///
    /// # Safety
    /// ldy comes from LOCDYN_Create; its domain, with all bodies and constraints, is valid.
    pub fn LOCDYN_Update_Begin(ldy: *mut LOCDYN);

    /// Break cohesive contacts whose reactions left the cohesive cone, unless the update kind is penalty.
    ///
    /// For each contact with CON_COHESIVE and a surface model other than SPRING_DASHPOT, let c = cohesion (mat.state[0]) times
    /// area, f = friction, e = 1e-8 c. If R[2] + c < e or |(R[0],R[1])| + e >= f (R[2] + c), the state bit CON_COHESIVE is cleared
    /// and the cohesion set to 0. Runs the host's timer "LOCDYN".
    ///
    /// Errors (nothing is changed): LDY_ERROR_INVALID_ARGUMENT if ldy is NULL, or a cohesive contact has no material, a reaction,
    /// cohesion or friction that is not a number, or an infinite reaction or cohesion.
    ///
    /// # Safety
    /// As LOCDYN_Update_Begin.
    pub fn LOCDYN_Update_End(ldy: *mut LOCDYN);

    /// Write the rows as text: one line for each row in the order of the list, its neighbors in geometrical order.
    ///
    /// A line is `KIND (point) (master id, slave id) [base] [W] (B) (V) (U) (R)` and for each neighbor ` => KIND (point) (master
    /// id, slave id) [base] [W]`; numbers as %.6g, ids as %d, -1 for no slave, matrices by columns, items separated by `, `. Blocks
    /// to the same neighbor are summed. Neighbors ascend by point, smaller and larger body id, kind, base[6], base[7], base[8];
    /// neighbors that are equal in all of these are one, with the first label.
    ///
    /// path: the file to write, created or replaced. It is written beside an old one, as .ldy-PROCESS-NUMBER, and replaces it when
    /// it is complete: after an error the old file is as it was. Devices, pipes, links, files of other users, files with several
    /// names and files in a folder that takes no new ones are written in place. After LDY_ERROR_FILE_WRITE they have the part that
    /// was written.
    ///
    /// MPI: collective. Each rank writes path.rank, then rank 0 joins these files in the order of ranks and removes them. If one
    /// rank fails all ranks raise the same code, with the text of a rank that failed; files path.rank may stay.
    ///
    /// Errors (the structure is not changed): LDY_ERROR_OUT_OF_MEMORY; LDY_ERROR_FILE_OPEN; LDY_ERROR_FILE_WRITE;
    /// LDY_ERROR_INVALID_ARGUMENT if ldy or path is NULL, or a constraint has no master or is of unknown kind. Errors other than
    /// LDY_ERROR_FILE_OPEN and LDY_ERROR_FILE_WRITE are found before the file is opened.
    ///
    /// # Safety
    /// ldy comes from LOCDYN_Create; the constraints of its rows and their bodies are valid; path is a C string.
    pub fn LOCDYN_Dump(ldy: *mut LOCDYN, path: *const c_char);

    /// Write W in MatrixMarket coordinate format, and number the constraints.
    ///
    /// The first lines are `%%MatrixMarket matrix coordinate real general` and `N  N  NNZ`. N = three times the rows, NNZ = nine
    /// times rows and blocks. Then each row has its diagonal block and its blocks in the order of the list, nine lines `I  J
    /// VALUE` each, row by row, indices from 1, values as %.15g. Two blocks of one pair give two entries at each place; the value
    /// of W is their sum. con->num of every row becomes the index of its first equation: 1, 4, 7, ...
    ///
    /// path: the file to write, as in LOCDYN_Dump.
    ///
    /// Errors (the structure is not changed): LDY_ERROR_FILE_OPEN; LDY_ERROR_FILE_WRITE; LDY_ERROR_NOT_IMPLEMENTED in the MPI
    /// build; LDY_ERROR_INVALID_ARGUMENT if ldy or path is NULL, or an int cannot number the rows. If the file cannot be opened,
    /// con->num does not change.
    ///
    /// # Safety
    /// As LOCDYN_Dump.
    pub fn LOCDYN_W_MatrixMarket(ldy: *mut LOCDYN, path: *const c_char);

    /// Copy the rows of all constraints but contacts, with the contributions of contacts moved into B.
    ///
    /// The new structure has the same domain and free_energy. For each such row it has one with the same con, R, U, V (pointers)
    /// and the same W, A, B, rho (values), in the same order. It has the blocks between such rows. Each of them was put at the head
    /// of its row's list, so that their order is the reverse of the order in ldy. Then the sum of W R over the row's blocks to
    /// contacts, in the order of the list in ldy, is added to B, R being the contact's current reaction. con->dia still points to
    /// the rows of ldy.
    ///
    /// The clone's rows can be read, written, removed, dumped and cloned. LOCDYN_Insert and LOCDYN_Update_Begin refuse the clone
    /// (LDY_ERROR_INVALID_ARGUMENT, nothing is changed), since con->dia points to other rows.
    ///
    /// Returns the clone, owned by the caller: release it with LOCDYN_Destroy, before or after ldy.
    ///
    /// Errors (NULL is returned if a handler returns, ldy is not changed): LDY_ERROR_OUT_OF_MEMORY; LDY_ERROR_INVALID_ARGUMENT if
    /// ldy or its domain is NULL, or a constraint is of unknown kind.
    ///
    /// # Safety
    /// As LOCDYN_Dump.
    pub fn LOCDYN_Clone_Non_Contacts(ldy: *mut LOCDYN) -> *mut LOCDYN;

    /// Mean of the diagonal entries of W over all rows, three a row; NaN if there are no rows.
    ///
    /// Errors (NaN is returned if a handler returns): LDY_ERROR_INVALID_ARGUMENT if ldy is NULL.
    ///
    /// # Safety
    /// ldy comes from LOCDYN_Create.
    pub fn LOCDYN_avgWii(ldy: *mut LOCDYN) -> f64;

    /// Least of the diagonal entries of W over all rows; DBL_MAX if there are no rows.
    ///
    /// Errors (NaN is returned if a handler returns): LDY_ERROR_INVALID_ARGUMENT if ldy is NULL.
    ///
    /// # Safety
    /// ldy comes from LOCDYN_Create.
    pub fn LOCDYN_minWii(ldy: *mut LOCDYN) -> f64;

    /// Largest of the diagonal entries of W over all rows; 0 if there are no rows.
    ///
    /// Errors (NaN is returned if a handler returns): LDY_ERROR_INVALID_ARGUMENT if ldy is NULL.
    ///
    /// # Safety
    /// ldy comes from LOCDYN_Create.
    pub fn LOCDYN_maxWii(ldy: *mut LOCDYN) -> f64;

    /// Release the structure with all its rows and blocks. No body and no constraint is read.
    ///
    /// Errors: LDY_ERROR_INVALID_ARGUMENT if ldy is NULL or not made by LOCDYN_Create.
    ///
    /// # Safety
    /// ldy comes from LOCDYN_Create and is not used afterwards.
    pub fn LOCDYN_Destroy(ldy: *mut LOCDYN);
}
