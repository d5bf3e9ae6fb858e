/* ldy_host.h: what ldy.h takes from its host, for programs that have no such host's headers
 *
 * Generated: the layouts come from src/legacy/layout.tsv and enumerations.tsv, the prototypes from
 * src/legacy/c_api, the rest from codegen/templates. To change this file, change them and run `make
 * headers`.
 *
 * This header is complete in itself: it defines every structure that a program has to build for this library
 * to read, and includes ldy.h. A program with the host's own headers includes those and ldy.h, but not this
 * one.
 *
 * The structures have exactly the layout of the host's. Fields marked "host's own" are never read here: a
 * program of one's own sets them to zero (calloc does) and fills in the others. A type of the host of which
 * nothing is known here appears as `void *`, or as an array of its size; its name then begins the comment.
 *
 * Ownership. All of these structures, and what they point to, belong to the program. This library writes to
 * them in a few places only: V and num of a constraint, and where cohesion breaks its state and mat.state[0].
 *
 * Storage order, units, linking and errors: see ldy.h.
 */

#ifndef LDY_HOST_H
#define LDY_HOST_H

#ifdef __ldy__
#error "ldy_host.h stands for the host's headers: include it before ldy.h, or not at all"
#endif

#include <stddef.h>
#include <time.h>

/* ---- Names of the structures ---- */

typedef struct memory_pool MEM;
typedef struct general_matrix MX;
typedef struct set SET;
typedef struct map MAP;
typedef struct shape SHAPE;
#ifndef BOX_TYPE
#define BOX_TYPE
typedef struct box BOX;
#endif
typedef struct shape_gobj_pair SGP;
#ifndef ELEMENT_TYPE
#define ELEMENT_TYPE
typedef struct element ELEMENT;
#endif
typedef struct mesh MESH;
typedef struct convex CONVEX;
#ifndef BODY_TYPE
#define BODY_TYPE
typedef struct general_body BODY;
#endif
typedef struct surfmat SURFACE_MATERIAL;
typedef struct surfmat_state SURFACE_MATERIAL_STATE;
#ifndef CONSTRAINT_TYPE
#define CONSTRAINT_TYPE
typedef struct constraint CON;
#endif
#ifndef DOMAIN_TYPE
#define DOMAIN_TYPE
typedef struct domain DOM;
#endif
typedef struct newton NEWTON;
#ifndef SOLFEC_TYPE
#define SOLFEC_TYPE
typedef struct solfec SOLFEC;
#endif

/* ---- Enumerations ---- */

/* Storage of a matrix. */
enum mx_kind {
  MXDENSE = 1, /* dense, column-major */
  MXBD = 2,    /* block diagonal, square dense blocks */
  MXCSC = 4    /* compressed columns */
};

/* Flags of a matrix, to be combined. */
enum mx_flags {
  MXTRANS = 1,  /* host's own */
  MXSTATIC = 2, /* host's own */
  MXDSUBLK = 4, /* host's own */
  MXIFAC = 8,   /* of body->inverse: x holds the matrix A itself, and its inverse is meant */
  MXUNINV = 16, /* host's own */
  MXSPD = 32,   /* with MXIFAC: A is symmetric positive definite and only its lower triangle is held, rows
                   sorted, diagonal first */
  MXNOTMP = 64  /* host's own */
};

/* Kind of a piece of a body's shape. */
enum shape_kind {
  SHAPE_MESH = 0,   /* MESH */
  SHAPE_CONVEX = 1, /* list of CONVEX */
  SHAPE_SPHERE = 2, /* sphere */
  SHAPE_ELLIP = 3   /* ellipsoid */
};

/* Kind of a geometric object. */
enum gobj {
  GOBJ_DUMMY = 0,    /* none */
  GOBJ_ELEMENT = 1,  /* ELEMENT */
  GOBJ_CONVEX = 2,   /* CONVEX */
  GOBJ_SPHERE = 4,   /* sphere */
  GOBJ_ELLIP = 0x10  /* ellipsoid */
};
typedef enum gobj GOBJ;

/* Kind of a body. */
enum body_kind {
  OBS = 0, /* obstacle: like a rigid body, but contacts on it do not move it */
  RIG = 1, /* rigid, 6 dofs */
  PRB = 2, /* pseudo-rigid, 12 dofs */
  FEM = 3  /* finite elements */
};

/* Time integration of a body. */
enum scheme {
  SCH_RIG_POS = 0, /* rigid */
  SCH_RIG_NEG = 1, /* rigid */
  SCH_RIG_IMP = 2, /* rigid */
  SCH_DEF_EXP = 3, /* deformable, explicit: a finite-element body then has a diagonal inverse */
  SCH_DEF_LIM = 4  /* deformable, linearly implicit */
};
typedef enum scheme SCHEME;

/* Flags of a body, to be combined. */
enum body_flags {
  BODY_DETECT_SELF_CONTACT = 1, /* host's own */
  BODY_CHECK_FRACTURE = 2,      /* host's own */
  BODY_DISABLE_ROTATION = 4,    /* host's own */
  BODY_PARENT = 0x10,           /* MPI: the body itself, which alone knows its velocity */
  BODY_CHILD = 0x20,            /* MPI: an image with configuration and inverse only */
  BODY_CHILD_UPDATED = 0x40,    /* host's own */
  BODY_ABSENT = 0x80            /* host's own */
};
typedef enum body_flags BODY_FLAGS;

/* Formulation of a finite-element body. */
enum femform {
  TOTAL_LAGRANGIAN = 1,                /* displacements of the nodes */
  BODY_COROTATIONAL = 2,               /* displacements of the nodes with one rotation for the body */
  BODY_COROTATIONAL_MODAL = 3,         /* as 2, in a base of eigenvectors */
  BODY_COROTATIONAL_REDUCED_ORDER = 4  /* as 2, in a reduced base */
};
typedef enum femform FEMFORM;

/* Contact model of a surface material. */
enum surface_model {
  SIGNORINI_COULOMB = 0, /* unilateral contact with friction */
  SPRING_DASHPOT = 1     /* penalty */
};

/* Kind of a constraint. */
enum constraint_kind {
  CONTACT = 0,  /* contact of two bodies, or of a body with itself */
  FIXPNT = 1,   /* point fixed in space */
  FIXDIR = 2,   /* point fixed in one direction */
  VELODIR = 3,  /* velocity prescribed in one direction */
  VELODIR3 = 4, /* velocity prescribed in three directions */
  RIGLNK = 5,   /* two points at a constant distance */
  SPRING = 6    /* spring between two points */
};

/* State of a constraint, bits to be combined. */
enum constraint_state {
  CON_COHESIVE = 1, /* cohesive contact */
  CON_NEW = 2,      /* host's own */
  CON_IDLOCK = 4,   /* host's own */
  CON_EXTERNAL = 8, /* MPI: a copy of another process' constraint, without a row */
  CON_DONE = 16     /* host's own */
};

#if defined (MPI) && MPI
/* Where new bodies go; host's own. */
enum insert_body_mode {
  ALWAYS = 0, /* host's own */
  NEVER = 1,  /* host's own */
  RANK0 = 2   /* host's own */
};
#endif

/* Whether the Newton solver wants W assembled. */
enum newton_locdyn {
  LOCDYN_ON = 0,  /* V, B, W, A, rho and the free energy are updated */
  LOCDYN_OFF = 1  /* V and B only are updated */
};

/* Linear solver in the Newton solver; host's own. */
enum newton_linver {
  PQN_GMRES = 0, /* host's own */
  PQN_DIAG = 1   /* host's own */
};

/* Scaling of a parameter of the Newton solver; host's own. */
enum newton_reldelta {
  RELDELTA_OFF = 0,    /* host's own */
  RELDELTA_avgWii = 1, /* by LOCDYN_avgWii */
  RELDELTA_minWii = 2, /* by LOCDYN_minWii */
  RELDELTA_maxWii = 3  /* by LOCDYN_maxWii */
};

/* Which solver runs. */
enum solver_kind {
  NONE_SOLVER = 0,         /* none */
  GAUSS_SEIDEL_SOLVER = 1, /* needs everything */
  PENALTY_SOLVER = 2,      /* needs V, B, the diagonal of W, and off-diagonal blocks of non-contact
                              constraints */
  NEWTON_SOLVER = 4,       /* solver then points to a NEWTON, whose locdyn decides */
  SICONOS_SOLVER = 8,      /* needs everything */
  TEST_SOLVER = 16,        /* needs everything */
  HYBRID_SOLVER_KIND = 32  /* needs everything */
};
typedef enum solver_kind SOLVER_KIND;

/* ---- Structures ---- */

/* A pool of equally sized chunks. Only its place and size matter to this library, which never reads or
   writes one. */
struct memory_pool {
  void *blocks;          /* host's own */
  char *freechunk;       /* host's own */
  char *lastchunk;       /* host's own */
  void *deadchunks;      /* host's own */
  size_t chunksize;      /* host's own */
  size_t chunksinblock;  /* host's own */
};

/* A matrix: dense, block diagonal or in compressed columns. The struct and its arrays come from malloc, so
   that MX_Destroy of either side can free it. */
struct general_matrix {
  enum mx_kind kind;    /* storage: dense, block diagonal or compressed columns */
  enum mx_flags flags;  /* bits; of these MXIFAC and MXSPD are read in body->inverse */
  int nzmax;            /* number of values in x */
  int m;                /* rows (block diagonal: rows of the whole matrix) */
  int n;                /* columns (block diagonal: number of blocks) */
  int *p;               /* MXBD: n+1 ints, p[b] is the first entry of block b in x; MXCSC: n+1 ints, p[j]
                           is the first entry of column j; MXDENSE: NULL */
  int *i;               /* MXBD: n+1 ints, i[b] is the first row of block b; MXCSC: row of each entry;
                           MXDENSE: NULL */
  int nz;               /* MXDENSE: m*n; MXBD: p[n]; MXCSC: -1 (0 when created without p and i) */
  double *x;            /* values: MXDENSE m*n column-major, entry (i,j) is x[m*j+i]; MXBD the blocks one
                           after another, each column-major; MXCSC one value an entry */
  void *sym;            /* symbolic factorization, private to the host; never read here, NULL in matrices
                           made here */
  void *num;            /* numeric factorization, private to the host; never read here, NULL in matrices
                           made here */
};

/* A node of a binary search tree; a set is the address of its root. An empty set is NULL or the sentinel.
   A missing child points to a sentinel node private to the host, known by l and r pointing to itself. The
   order of a set is the in-order walk. */
struct set {
  SET *p;       /* parent; arbitrary in the sentinel */
  SET *l;       /* left child, or the sentinel */
  SET *r;       /* right child, or the sentinel */
  char colour;  /* color of the node; host's own */
  void *data;   /* the element */
};

/* A node of a binary search tree of pairs; a sentinel of its own kind, else like SET. */
struct map {
  MAP *p;       /* parent; arbitrary in the sentinel */
  MAP *l;       /* left child, or the sentinel */
  MAP *r;       /* right child, or the sentinel */
  char colour;  /* color of the node; host's own */
  void *key;    /* key; ids are cast to pointers */
  void *data;   /* the element */
};

/* One piece of a body's shape; a body's pieces are linked through next. */
struct shape {
  enum shape_kind kind;  /* what data points to */
  void *data;            /* MESH, CONVEX list, sphere or ellipsoid by kind; the host owns it */
  SHAPE *next;           /* next piece, or NULL */
};

/* A shape and one of its geometric objects: a constraint's point is on the object. The host owns it. */
struct shape_gobj_pair {
  SHAPE *shp;  /* the shape */
  void *gobj;  /* the object of kind below: ELEMENT, CONVEX, sphere or ellipsoid; read for finite-element
                  bodies only */
  GOBJ kind;   /* which kind of object gobj is */
  BOX *box;    /* bounding box; host's own */
};

/* A finite element of a MESH. The host owns it. */
struct element {
  short type;       /* number of nodes: tetrahedron 4, pyramid 5, wedge 6, hexahedron 8 */
  short domnum;     /* host's own */
  short neighs;     /* host's own */
  short flag;       /* host's own */
  int nodes[8];     /* indices of its nodes in the mesh; the first type of them are used */
  int volume;       /* host's own */
  void *mat;        /* BULK_MATERIAL *: bulk material; host's own */
  double *state;    /* material state; host's own */
  void *dom;        /* TRISURF *: host's own */
  ELEMENT *prev;    /* previous in the mesh's list */
  ELEMENT *next;    /* next in the mesh's list, or NULL */
  ELEMENT *adj[6];  /* host's own */
  void *faces;      /* FACE *: host's own */
};

/* A finite-element mesh. The host owns it. */
struct mesh {
  MEM facmem;          /* pool of faces; host's own */
  MEM elemem;          /* pool of elements; host's own */
  MEM mapmem;          /* pool of map nodes; host's own */
  double *ref_nodes;   /* referential coordinates, 3*nodes_count; node a begins at ref_nodes[3*a] (length) */
  double *cur_nodes;   /* current coordinates, 3*nodes_count; node a begins at cur_nodes[3*a] (length) */
  ELEMENT *surfeles;   /* elements with a face on the surface, linked through next */
  ELEMENT *bulkeles;   /* all other elements, linked through next */
  void *faces;         /* FACE *: faces; host's own */
  int surfeles_count;  /* number of surface elements */
  int bulkeles_count;  /* number of bulk elements */
  int nodes_count;     /* number of nodes */
  MAP *map;            /* host's own */
};

/* A convex polyhedron; in a body with a separate mesh it lists the elements that may contain it. The host
   owns it. */
struct convex {
  double *ref;    /* host's own */
  double *cur;    /* host's own */
  double *pla;    /* host's own */
  void *epn;      /* ELEPNT *: host's own */
  int *surface;   /* host's own */
  int *fac;       /* host's own */
  CONVEX **adj;   /* host's own */
  ELEMENT **ele;  /* nele elements of body->msh that may hold a point of this polyhedron, in the order in
                     which they are tried */
  short nver;     /* host's own */
  short nfac;     /* host's own */
  short nadj;     /* host's own */
  short nele;     /* number of entries of ele */
  short flag;     /* host's own */
  int volume;     /* host's own */
  void *mat;      /* BULK_MATERIAL *: bulk material; host's own */
  CONVEX *next;   /* host's own */
};

/* A body. The host owns it and all it points to; this library only reads it, and LOCDYN_Destroy not even
   that. */
struct general_body {
  enum body_kind kind;     /* obstacle, rigid, pseudo-rigid or finite-element */
  unsigned int id;         /* unique identifier, named in error texts */
  void *mat;               /* BULK_MATERIAL *: host's own */
  double ref_mass;         /* host's own */
  double ref_volume;       /* host's own */
  double ref_center[3];    /* referential mass center (length) */
  double ref_tensor[9];    /* host's own */
  double *conf;            /* configuration: OBS and RIG: 12 values, rotation Lambda at [0..9], 3 x 3
                              column-major; FEM form 2, 3, 4: rotation R at [dofs..dofs+9], 3 x 3
                              column-major; otherwise not read here */
  double *velo;            /* generalized velocity, current and previous: OBS and RIG [0..6] and [6..12];
                              PRB [0..12] and [12..24]; FEM form 1, 2 with n mesh nodes [0..3n] and
                              [3n..6n]; FEM form 3, 4 with d = dofs [4d..4d+3n] and [4d+3n..4d+6n] */
  int dofs;                /* number of dofs: OBS and RIG 6, PRB 12, FEM form 1, 2 three a node, FEM form
                              3, 4 the size of the reduced base */
  double *field;           /* host's own */
  SET *con;                /* set of CON *, the body's constraints; LOCDYN_Insert walks it in its order */
  void *forces;            /* FORCE *: host's own */
  void *parmec;            /* PARMEC_FORCE *: host's own */
  void *cra;               /* CRACK *: host's own */
  SHAPE *shape;            /* list of the pieces of the shape; FEM without separate mesh: data of the first
                              is the MESH */
  SGP *sgp;                /* host's own */
  int nsgp;                /* host's own */
  int nsgpall;             /* host's own */
  double extents[6];       /* host's own */
  SCHEME scheme;           /* time integration; SCH_DEF_EXP decides adjacency of finite-element constraints */
  MX *inverse;             /* inverse inertia A^-1, dofs x dofs (FEM form 1, 2: 3n x 3n), or with MXIFAC
                              the matrix A itself; may be NULL for an obstacle that has contacts only */
  MX *M;                   /* inertia; host's own */
  MX *K;                   /* stiffness; host's own */
  double damping;          /* host's own */
  double *eval;            /* host's own */
  MX *evec;                /* reduced base Phi, dense 3n x dofs, column-major; FEM form 3, 4 */
  char *elabel;            /* host's own */
  DOM *dom;                /* host's own */
  BODY *prev;              /* previous body of the domain */
  BODY *next;              /* next body of the domain, or NULL */
  char *label;             /* user's name or NULL; host's own */
  BODY_FLAGS flags;        /* bits; MPI: BODY_PARENT and BODY_CHILD are read here */
  FEMFORM form;            /* finite-element formulation; 0 for other kinds */
  MESH *msh;               /* separate mesh of a finite-element body whose shape is not its mesh, else NULL */
  double energy[5];        /* host's own */
  double cristep0;         /* host's own */
  unsigned char fracture;  /* host's own */
  int rank;                /* process that holds the body (MPI) */
#if !(defined (MPI) && MPI)
  void *rendering;         /* host's own */
  SET *displaypoints;      /* host's own */
#else
  SET *children;           /* host's own */
  SET *prevchildren;       /* host's own */
#endif
};

/* A surface material. The host owns it. */
struct surfmat {
  short index;               /* host's own */
  int surf1;                 /* host's own */
  int surf2;                 /* host's own */
  char *label;               /* host's own */
  enum surface_model model;  /* contact model; LOCDYN_Update_End leaves SPRING_DASHPOT alone */
  double friction;           /* coefficient of friction; read by LOCDYN_Update_End */
  double cohesion;           /* host's own: the present cohesion is in SURFACE_MATERIAL_STATE */
  double restitution;        /* host's own */
  double spring;             /* host's own */
  double dashpot;            /* host's own */
  double hpow;               /* host's own */
};

/* A surface material with the state it has at one constraint. */
struct surfmat_state {
  SURFACE_MATERIAL *base;  /* the material */
  double *state;           /* state[0] is the present cohesion (force per area); LOCDYN_Update_End sets it
                              to 0 where cohesion breaks; NULL counts as cohesion 0; the host owns it */
};

/* A constraint. The host owns it. Relative velocities are master minus slave, in the local frame. */
struct constraint {
  double R[3];                 /* reaction, local frame (force, average over the step); the solver writes
                                  it */
  double U[3];                 /* relative velocity at the end of the step, local frame (velocity); the
                                  solver writes it */
  double V[3];                 /* H v0 of the master minus H v0 of the slave, v0 the previous velocities:
                                  relative velocity at the start of the step, local frame (velocity);
                                  LOCDYN_Update_Begin writes it */
  struct diab *dia;            /* the row that LOCDYN_Insert returned; stored by the caller */
  double point[3];             /* spatial point (length) */
  double base[9];              /* local frame E, 3 x 3 column-major: the columns are the axes, the third is
                                  the normal */
  double area;                 /* contact area; LOCDYN_Update_End reads it */
  double gap;                  /* host's own */
  double Z[7];                 /* auxiliary values; VELODIR: Z[0] is read for the free energy */
  double merit;                /* host's own */
  unsigned int id;             /* unique identifier, named in error texts */
  int num;                     /* LOCDYN_W_MatrixMarket sets it to the 1-based index of the row's first
                                  scalar equation */
  enum constraint_kind kind;   /* kind of constraint */
  int state;                   /* bits of enum constraint_state; LOCDYN_Update_End clears CON_COHESIVE */
  short paircode;              /* host's own */
  int spair[2];                /* host's own */
  SURFACE_MATERIAL_STATE mat;  /* surface material and its state; contacts only */
  void *tms[3];                /* TMS *: host's own */
  BODY *master;                /* master body, never NULL */
  BODY *slave;                 /* slave body, or NULL; the master once more for self-contact */
  double mpnt[3];              /* referential point on the master (length) */
  double spnt[3];              /* referential point on the slave (length) */
  SGP *msgp;                   /* shape and object of mpnt; read for finite-element bodies only, else may
                                  be NULL */
  SGP *ssgp;                   /* shape and object of spnt; read for finite-element bodies only, else may
                                  be NULL */
  int rank;                    /* process that owns the constraint (MPI) */
  CON *prev;                   /* previous constraint of the domain */
  CON *next;                   /* next constraint of the domain, or NULL */
#if defined (MPI) && MPI
  SET *ext;                    /* host's own */
#endif
};

/* The domain: bodies, constraints, time step. The host owns it. */
struct domain {
  MEM conmem;                            /* host's own */
  MEM mapmem;                            /* host's own */
  MEM setmem;                            /* host's own */
  MEM sgpmem;                            /* host's own */
  MEM excmem;                            /* host's own */
  void *aabb;                            /* AABB *: host's own */
  void *sps;                             /* SPSET *: host's own */
  short dynamic;                         /* host's own */
  double step;                           /* time step h (time) */
  double time;                           /* host's own */
  unsigned int bid;                      /* host's own */
  MAP *lab;                              /* host's own */
  MAP *idb;                              /* host's own */
  BODY *bod;                             /* list of bodies, linked through next */
  int nbod;                              /* number of bodies */
  SET *newb;                             /* host's own */
  MAP *allbodies;                        /* host's own */
  short allbodiesread;                   /* host's own */
  int nobs;                              /* host's own */
  int nrig;                              /* host's own */
  int nprb;                              /* host's own */
  int nfem;                              /* host's own */
  int dofs;                              /* host's own */
  unsigned int cid;                      /* host's own */
  SET *sparecid;                         /* host's own */
  MAP *idc;                              /* MPI: the constraints by identifier, the key being the id cast
                                            to a pointer, the data CON * */
  CON *con;                              /* list of constraints, linked through next; each has a row */
  int ncon;                              /* number of constraints */
  int nspa;                              /* host's own */
  SET *excluded;                         /* host's own */
  struct locdyn *ldy;                    /* the local dynamics of this domain; set by the host from
                                            LOCDYN_Create */
  SOLFEC *solfec;                        /* the program's record: its solver chooses the kind of update.
                                            NULL: everything is updated, no timers */
  void *aabb_data;                       /* AABB_DATA *: host's own */
  void *gravity[3];                      /* TMS *: host's own */
  double extents[6];                     /* host's own */
  double threshold;                      /* host's own */
  double minarea;                        /* host's own */
  double mindist;                        /* host's own */
  double depth;                          /* host's own */
  int flags;                             /* host's own */
  short verbose;                         /* non-zero: LOCDYN_Update_Begin prints "LOCDYN ... " to stdout */
  double merit;                          /* host's own */
#if defined (MPI) && MPI
  int rank;                              /* rank of this process; only rank 0 prints */
  int ncpu;                              /* number of processes */
  MAP *children;                         /* host's own */
  void *lb;                              /* struct dynlb *: host's own */
  double imbalance_tolerance;            /* host's own */
  double weight_factor;                  /* host's own */
  unsigned int noid;                     /* host's own */
  MAP *conext;                           /* external constraints: copies of constraints of other processes
                                            that act on bodies of this one: the key is the id cast to a
                                            pointer, the data CON * */
  int megabytes;                         /* host's own */
  int weight;                            /* host's own */
  void *stats;                           /* DOMSTATS *: host's own */
  int nstats;                            /* host's own */
  void *dbd;                             /* DBD *: host's own */
  SET *pendingcons;                      /* host's own */
  SET *pendingbods;                      /* host's own */
  SET *pendingremovebods;                /* host's own */
  MAP *pairedup;                         /* host's own */
  MAP *idtorank;                         /* host's own */
  SET *sparebid;                         /* host's own */
  enum insert_body_mode insertbodymode;  /* host's own */
  int rebalanced;                        /* host's own */
  int updatefreq;                        /* host's own */
  int excluded_changed[2];               /* host's own */
#endif
  /* A host built with OpenMP has a lock here. This library reads nothing beyond it. */
  DOM *prev;                             /* host's own */
  DOM *next;                             /* host's own */
};

/* Parameters of the Newton solver; solver of a SOLFEC whose kind is NEWTON_SOLVER. Only locdyn is read
   here. */
struct newton {
  double meritval;                /* host's own */
  int maxiter;                    /* host's own */
  enum newton_locdyn locdyn;      /* LOCDYN_OFF: LOCDYN_Update_Begin computes V and B only */
  enum newton_linver linver;      /* host's own */
  int linmaxiter;                 /* host's own */
  int maxmatvec;                  /* host's own */
  double epsilon;                 /* host's own */
  double delta;                   /* host's own */
  double theta;                   /* host's own */
  double omega;                   /* host's own */
  short gsflag;                   /* host's own */
  enum newton_reldelta reldelta;  /* host's own */
  double W_norm;                  /* host's own */
  double *merhist;                /* host's own */
  int *mvhist;                    /* host's own */
  int iters;                      /* host's own */
  int *itershist;                 /* host's own */
  int itershistcount;             /* host's own */
  int itershistsize;              /* host's own */
};

/* The program's record. Only kind and solver are read here; its address goes to the host's timers. */
struct solfec {
  unsigned char mode[4];             /* SOLFEC_MODE: host's own */
  void *aabb;                        /* AABB *: host's own */
  void *fis;                         /* FISET *: host's own */
  void *sps;                         /* SPSET *: host's own */
  void *mat;                         /* MATSET *: host's own */
  DOM *dom;                          /* the domain */
  int iover;                         /* host's own */
  double output_interval;            /* host's own */
  double output_time;                /* host's own */
  char *outpath;                     /* host's own */
  unsigned char compression[4];      /* PBF_FLG: host's own */
  void *bf;                          /* PBF *: host's own */
  void *bcd;                         /* BCD *: host's own */
  double callback_interval;          /* host's own */
  double callback_time;              /* host's own */
  void *data;                        /* host's own */
  void *call;                        /* host's own */
  unsigned char callback[8];         /* SOLFEC_Callback: host's own */
  MEM mapmem;                        /* host's own */
  MEM timemem;                       /* host's own */
  MAP *timers;                       /* host's own */
  double t0;                         /* host's own */
  double duration;                   /* host's own */
  time_t start;                      /* host's own */
  unsigned char verbose_timing[32];  /* TIMING: host's own */
  short verbose;                     /* host's own */
  short cleanup;                     /* host's own */
  SOLVER_KIND kind;                  /* which solver runs; PENALTY_SOLVER and NEWTON_SOLVER change what
                                        LOCDYN_Update_Begin computes */
  void *solver;                      /* the solver's parameters: NEWTON for NEWTON_SOLVER */
  MAP *registered_bases;             /* host's own */
  SOLFEC *next;                      /* host's own */
};

/* ---- Local dynamics ---- */

#include "ldy.h"

/* ---- Operators and matrices ----
 *
 * Defined weakly: a program that defines one of these functions itself links, and its own is the one called.
 * The assembly calls none of them: a program's own operators do not change W. */

#ifdef __cplusplus
extern "C" {
#endif

/* Operator H of a point: local velocity = H times generalized velocity, theory (42)-(45).

   body: of any kind. constraint_kind: an obstacle's H is zero for CONTACT.
   sgp: shape and element (or convex, of a body with a separate mesh) of the point; read for
   finite-element bodies only, else may be NULL.
   X: referential point, 3 values. E: local frame, 3 x 3 column-major, columns are the axes.

   Returns a new matrix that the caller releases with MX_Destroy: MXDENSE, 3 x dofs; for finite elements with
   nodal velocities MXCSC, 3 x dofs, rows 0, 1, 2 in each column of the element's nodes.
   Errors (NULL is returned if a handler returns): 1 memory exhausted; 20 reduced base missing or of wrong
   size; 47 local coordinates of the point not found; 52 NULL argument, unknown kind, no element, non-finite
   input.

   Safety:
   body and its conf are valid; X and E have the sizes given. */
MX *BODY_Gen_To_Loc_Operator(BODY *body, short constraint_kind, SGP *sgp, double *X, double *E);

/* Local velocities of a point: prev = H v0 and cur = H v of the previous and the current velocity.

   Arguments as in BODY_Gen_To_Loc_Operator. prev, cur: 3 values each in the axes of E, either may be NULL.
   An obstacle has its own velocity, a reduced body the velocity of its mesh.

   Errors: 47 local coordinates of the point not found; 52 NULL argument, unknown kind, no element, non-finite
   input.

   Safety:
   body, its conf and velo are valid; the arrays have the sizes given. */
void BODY_Local_Velo(BODY *body, SGP *sgp, double *X, double *E, double *prev, double *cur);

/* Operator H of a point of a finite-element body, theory (45).

   shp: the shape, its data the mesh (not read where body->msh is the mesh). gobj: the ELEMENT, or the CONVEX of a
   body with a separate mesh. Else, and in result and errors, as BODY_Gen_To_Loc_Operator; 52 also for a body of
   another kind.

   Safety:
   As BODY_Gen_To_Loc_Operator. */
MX *FEM_Gen_To_Loc_Operator(BODY *body,
                            SHAPE *shp,
                            void *gobj,
                            double *X,
                            double *E);

/* Local velocities of a point of a finite-element body.

   Arguments as in FEM_Gen_To_Loc_Operator; else, and in errors, as BODY_Local_Velo; 52 also for a body of another
   kind.

   Safety:
   As BODY_Local_Velo. */
void FEM_Local_Velo(BODY *body,
                    SHAPE *shp,
                    void *gobj,
                    double *X,
                    double *E,
                    double *prev,
                    double *cur);

/* Create a matrix of zeros; all memory comes from malloc.

   MXDENSE: m x n, column-major, p and i are not read; the values begin 80 bytes after the start of the one
   memory block. MXBD: m rows in n diagonal blocks, p[n+1] first entries of the blocks, i[n+1] their first
   rows; one memory block too. MXCSC: m x n, p[n+1] column starts, i[p[n]] row indices; p, i and x are memory
   blocks of their own, all three NULL if p and i are NULL. p and i are copied.

   Returns the matrix, owned by the caller. Errors (NULL is returned if a handler returns): 1 memory
   exhausted; 20 unknown kind, p or i missing or ill-formed; 52 negative size.

   Safety:
   p and i are NULL or have the sizes given. */
MX *MX_Create(short kind, int m, int n, int *p, int *i);

/* Release a matrix made by MX_Create or by the operators above; NULL, and one flagged MXSTATIC, are ignored.

   Safety:
   a is NULL or such a matrix, and is not used afterwards. */
void MX_Destroy(MX *a);

#ifdef __cplusplus
}
#endif

#endif
