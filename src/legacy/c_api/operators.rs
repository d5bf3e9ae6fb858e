//! The C interface of operators that a full host defines itself and a smaller host may lack. They are weak definitions in
//! `hooks.c`: a host's own definitions take precedence. The assembly does not use them.

use std::ffi::{c_int, c_short, c_void};

use crate::legacy::layout::{BODY, MX, SGP, SHAPE};

unsafe extern "C" {
    /// Operator H of a point: local velocity = H times generalized velocity, theory (42)-(45).
    ///
    /// body: of any kind. constraint_kind: an obstacle's H is zero for CONTACT.
    /// sgp: shape and element (or convex, of a body with a separate mesh) of the point; read for
    /// finite-element bodies only, else may be NULL.
    /// X: referential point, 3 values. E: local frame, 3 x 3 column-major, columns are the axes.
    ///
    /// Returns a new matrix that the caller releases with MX_Destroy: MXDENSE, 3 x dofs; for finite elements with
    /// nodal velocities MXCSC, 3 x dofs, rows 0, 1, 2 in each column of the element's nodes.
    /// Errors (NULL is returned if a handler returns): 1 memory exhausted; 20 reduced base missing or of wrong
    /// size; 47 local coordinates of the point not found; 52 NULL argument, unknown kind, no element, non-finite
    /// input.
    ///
    /// # Safety
    /// body and its conf are valid; X and E have the sizes given.
    pub fn BODY_Gen_To_Loc_Operator(
        body: *mut BODY,
        constraint_kind: c_short,
        sgp: *mut SGP,
        X: *mut f64,
        E: *mut f64,
    ) -> *mut MX;

    /// Local velocities of a point: prev = H v0 and cur = H v of the previous and the current velocity.
    ///
    /// Arguments as in BODY_Gen_To_Loc_Operator. prev, cur: 3 values each in the axes of E, either may be NULL.
    /// An obstacle has its own velocity, a reduced body the velocity of its mesh.
    ///
    /// Errors: 47 local coordinates of the point not found; 52 NULL argument, unknown kind, no element, non-finite
    /// input.
    ///
    /// # Safety
    /// body, its conf and velo are valid; the arrays have the sizes given.
    pub fn BODY_Local_Velo(
        body: *mut BODY,
        sgp: *mut SGP,
        X: *mut f64,
        E: *mut f64,
        prev: *mut f64,
        cur: *mut f64,
    );

    /// Operator H of a point of a finite-element body, theory (45).
    ///
    /// shp: the shape, its data the mesh (not read where body->msh is the mesh). gobj: the ELEMENT, or the CONVEX of a
    /// body with a separate mesh. Else, and in result and errors, as BODY_Gen_To_Loc_Operator; 52 also for a body of
    /// another kind.
    ///
    /// # Safety
    /// As BODY_Gen_To_Loc_Operator.
    pub fn FEM_Gen_To_Loc_Operator(
        body: *mut BODY,
        shp: *mut SHAPE,
        gobj: *mut c_void,
        X: *mut f64,
        E: *mut f64,
    ) -> *mut MX;

    /// Local velocities of a point of a finite-element body.
    ///
    /// Arguments as in FEM_Gen_To_Loc_Operator; else, and in errors, as BODY_Local_Velo; 52 also for a body of another
    /// kind.
    ///
    /// # Safety
    /// As BODY_Local_Velo.
    pub fn FEM_Local_Velo(
        body: *mut BODY,
        shp: *mut SHAPE,
        gobj: *mut c_void,
        X: *mut f64,
        E: *mut f64,
        prev: *mut f64,
        cur: *mut f64,
    );

    /// Create a matrix of zeros; all memory comes from malloc.
    ///
    /// MXDENSE: m x n, column-major, p and i are not read; the values begin 80 bytes after the start of the one
    /// memory block. MXBD: m rows in n diagonal blocks, p[n+1] first entries of the blocks, i[n+1] their first
    /// rows; one memory block too. MXCSC: m x n, p[n+1] column starts, i[p[n]] row indices; p, i and x are memory
    /// blocks of their own, all three NULL if p and i are NULL. p and i are copied.
    ///
    /// Returns the matrix, owned by the caller. Errors (NULL is returned if a handler returns): 1 memory
    /// exhausted; 20 unknown kind, p or i missing or ill-formed; 52 negative size.
    ///
    /// # Safety
    /// p and i are NULL or have the sizes given.
    pub fn MX_Create(kind: c_short, m: c_int, n: c_int, p: *mut c_int, i: *mut c_int) -> *mut MX;

    /// Release a matrix made by MX_Create or by the operators above; NULL, and one flagged MXSTATIC, are ignored.
    ///
    /// # Safety
    /// a is NULL or such a matrix, and is not used afterwards.
    pub fn MX_Destroy(a: *mut MX);
}
