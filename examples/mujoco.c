/* A host in C that has bodies and contacts of its own, MuJoCo, gets W of its contacts: it is MuJoCo's A = J M^-1 J^T times the
 * step. Then forces of hard contacts are found. `make test-mujoco` builds it with the headers and the library of PyPI's package.
 *
 *   cc -Iinclude -IMUJOCO/include examples/mujoco.c target/release/libldy.a MUJOCO/libmujoco.so.4.0.0 \
 *     -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc -o mujoco
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <mujoco/mujoco.h>
#include "ldy_system.h"

static const char scene[] =
  "<mujoco><option cone='elliptic' solver='PGS' jacobian='dense' timestep='0.002'/>"
  "<default><geom condim='3' friction='0.6'/></default><worldbody><geom type='plane' size='5 5 1'/>"
  "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.2 0.2 0.1'/></body>"
  "<body pos='0.05 0 0.3'><freejoint/><geom type='box' size='0.15 0.15 0.1'/></body>"
  "<body pos='1 0 0.3'><freejoint/><geom type='capsule' size='0.05 0.2'/>"
  "<body pos='0 0 -0.2'><joint type='ball'/><geom type='capsule' fromto='0 0 0 0.3 0 -0.03' size='0.05'/></body></body>"
  "</worldbody></mujoco>";

static void need (int code)
{
  if (code == 0) return;
  fprintf (stderr, "ldy: %s\n", ldy_last_error ());
  exit (1);
}

static void *room (size_t count, size_t size)
{
  void *place = calloc (count, size);

  if (place) return place;
  fprintf (stderr, "out of memory\n");
  exit (1);
}

/* The inverse of a block of the mass matrix, by Gauss and Jordan: it is positive definite. */
static void invert (const mjtNum *full, int nv, int first, int n, double *inverse)
{
  double *a = room ((size_t) (n * n), sizeof (double));

  for (int i = 0; i < n; i ++) {
    for (int j = 0; j < n; j ++) a[n * i + j] = full[nv * (first + i) + first + j], inverse[n * i + j] = i == j;
  }
  for (int k = 0; k < n; k ++) {
    double pivot = a[n * k + k];
    for (int j = 0; j < n; j ++) a[n * k + j] /= pivot, inverse[n * k + j] /= pivot;
    for (int i = 0; i < n; i ++) {
      double factor = a[n * i + k];
      if (i == k) continue;
      for (int j = 0; j < n; j ++) a[n * i + j] -= factor * a[n * k + j], inverse[n * i + j] -= factor * inverse[n * k + j];
    }
  }
  /* Rounding aside it is symmetric. */
  for (int i = 0; i < n; i ++) {
    for (int j = 0; j < i; j ++) inverse[n * i + j] = inverse[n * j + i] = (inverse[n * i + j] + inverse[n * j + i]) / 2;
  }
  free (a);
}

/* MuJoCo has the normal first, the library third. */
static const int theirs[3] = { 1, 2, 0 };

/* The operators of a contact on the trees that it moves, one or two. */
static void add_contact (ldy_system *system, const mjModel *m, const mjData *d, int row, const int64_t *bodies)
{
  ldy_operator H[2] = { { 0 }, { 0 } };
  int64_t on[2] = { LDY_GROUND, LDY_GROUND }, contact;
  double *values[2] = { NULL, NULL };
  int count = 0;

  for (int tree = 0; tree < (int) m->ntree && count < 2; tree ++) {
    int first = m->tree_dofadr[tree], n = m->tree_dofnum[tree], moves = 0;
    double *own = room ((size_t) (3 * n), sizeof (double));
    for (int i = 0; i < 3; i ++) {
      for (int j = 0; j < n; j ++) {
        own[3 * j + i] = d->efc_J[(row + theirs[i]) * m->nv + first + j];
        moves |= own[3 * j + i] != 0;
      }
    }
    if (moves) {
      on[count] = bodies[tree], values[count] = own;
      H[count ++] = (ldy_operator) { n, NULL, NULL, own, (size_t) (3 * n) };
    } else free (own);
  }
  need (ldy_system_add_constraint_rows (system, 3, on, H, 2, &contact));
  free (values[0]), free (values[1]);
}

/* The largest difference of W / h and A without its regularization, over A's largest entry. */
static double difference (const ldy_rows *rows, const mjData *d, double h)
{
  double *W = room ((size_t) (d->nefc * d->nefc), sizeof (double)), most = 0, largest = 0;

  for (int row = 0; row < rows->rows; row ++) {
    for (int k = rows->starts[row]; k < rows->starts[row + 1]; k ++) {
      for (int j = 0; j < 3; j ++) {
        for (int i = 0; i < 3; i ++) {
          W[(3 * row + theirs[i]) * d->nefc + 3 * rows->columns[k] + theirs[j]] = rows->values[9 * k + 3 * j + i] / h;
        }
      }
    }
  }
  for (int i = 0; i < d->nefc; i ++) {
    for (int j = 0; j < d->nefc; j ++) {
      double A = d->efc_AR[i * d->nefc + j] - (i == j ? d->efc_R[i] : 0);
      most = fmax (most, fabs (W[i * d->nefc + j] - A)), largest = fmax (largest, fabs (A));
    }
  }
  free (W);
  return most / largest;
}

int main (void)
{
  char message[500] = "";
  mjSpec *spec = mj_parseXMLString (scene, NULL, message, sizeof message);
  mjModel *m = spec ? mj_compile (spec, NULL) : NULL;
  mjData *d = m ? mj_makeData (m) : NULL;

  if (! d) {
    fprintf (stderr, "MuJoCo: %s\n", message);
    return 1;
  }
  for (int step = 0; step < 500; step ++) mj_step (m, d);
  mj_forward (m, d);

  ldy_system *system;
  mjtNum *mass = room ((size_t) (m->nv * m->nv), sizeof (mjtNum));
  int64_t *bodies = room ((size_t) m->ntree, sizeof (int64_t));
  double h = m->opt.timestep;
  mj_fullM (m, d, mass);
  need (ldy_system_create (&system));
  for (int tree = 0; tree < (int) m->ntree; tree ++) {
    int first = m->tree_dofadr[tree], n = m->tree_dofnum[tree];
    double *inverse = room ((size_t) (n * n), sizeof (double)), *velocity = room ((size_t) n, sizeof (double));
    invert (mass, (int) m->nv, first, n, inverse);
    for (int i = 0; i < n; i ++) velocity[i] = d->qvel[first + i] + h * d->qacc_smooth[first + i];
    ldy_inertia inertia = { .size = sizeof inertia, .kind = LDY_INERTIA_DENSE, .n = n, .values = inverse };
    need (ldy_system_add_body (system, &inertia, &bodies[tree]));
    need (ldy_system_set_velocity (system, bodies[tree], LDY_VELOCITY_FREE, velocity, (size_t) n));
    free (inverse), free (velocity);
  }
  for (int row = 0; row < d->nefc; row += 3) add_contact (system, m, d, row, bodies);
  need (ldy_system_update (system, h));

  ldy_rows rows = { .size = sizeof rows };
  ldy_contact_solver *solver;
  ldy_contact_solver_report report = { .size = sizeof report };
  ldy_law *laws = room ((size_t) d->ncon, sizeof (ldy_law));
  double *R = room ((size_t) d->nefc, sizeof (double)), weight = 0, borne = 0;
  need (ldy_system_results (system, &rows));
  for (int k = 0; k < d->ncon; k ++) laws[k] = (ldy_law) { .kind = LDY_LAW_CONTACT, .friction = 0.6 };
  need (ldy_contact_solver_create (&solver));
  need (ldy_contact_solver_solve (solver, system, laws, (size_t) d->ncon, NULL, R, (size_t) d->nefc, &report));
  for (int k = 0; k < m->nbody; k ++) weight -= m->opt.gravity[2] * m->body_mass[k];
  for (int k = 0; k < d->ncon; k ++) borne += d->contact[k].geom[0] == 0 ? R[3 * k + 2] : 0;
  printf ("%d bodies, %d contacts, %d blocks\n", (int) m->ntree, (int) d->ncon, rows.blocks);
  printf ("largest difference from MuJoCo's A: %.1e of its largest entry\n", difference (&rows, d, h));
  printf ("hard contacts: %s, the ground bears %.2f of the weight\n", report.status == LDY_STATUS_CONVERGED ? "converged" : "not converged",
          borne / weight);
  ldy_contact_solver_destroy (solver);
  ldy_system_destroy (system);
  free (mass), free (bodies), free (laws), free (R);
  mj_deleteData (d), mj_deleteModel (m), mj_deleteSpec (spec);
  return 0;
}
