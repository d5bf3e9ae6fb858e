#include "support/snapshot.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/element.h"

#define LARGEST_COUNT 100000000

/* ---- lines and words; after the first error everything reads as empty */

typedef struct {
  FILE *file;
  const char *path;
  int line, failed;
  char *text, *at;
  size_t capacity;
  char *error;
  size_t error_size;
} READER;

static void fail (READER *r, const char *format, ...)
{
  va_list arguments;

  if (r->failed) return;
  r->failed = 1;
  int used = snprintf (r->error, r->error_size, "%s:%d: ", r->path, r->line);
  if (used < 0 || (size_t) used >= r->error_size) return;
  va_start (arguments, format);
  vsnprintf (r->error + used, r->error_size - (size_t) used, format, arguments);
  va_end (arguments);
}

static void *zeroed (READER *r, int count, size_t size)
{
  void *memory = calloc (count > 0 ? (size_t) count : 1, size);

  if (!memory) fail (r, "out of memory");
  return memory;
}

/* Reads a line into r->text; 0 at the end of the file. */
static int read_line (READER *r)
{
  size_t used = 0;
  char *larger;
  int c;

  while ((c = getc (r->file)) != EOF && c != '\n') {
    if (used + 1 >= r->capacity) {
      larger = realloc (r->text, r->capacity = 2 * r->capacity + 256);
      if (!larger) {
        fail (r, "out of memory");
        return 0;
      }
      r->text = larger;
    }
    r->text[used ++] = (char) c;
  }
  if (used == 0 && c == EOF) return 0;
  if (r->text) r->text[used] = '\0';
  return 1;
}

/* The next word of the line, NUL-terminated; "" at its end. */
static char *word (READER *r)
{
  if (r->failed || !r->at) return "";
  char *begin = r->at + strspn (r->at, " \t\r");
  r->at = begin + strcspn (begin, " \t\r");
  if (*r->at) *r->at ++ = '\0';
  return begin;
}

static void end_of_line (READER *r)
{
  const char *rest = word (r);

  if (*rest) fail (r, "unexpected `%.40s` at the end of the line", rest);
}

/* Goes to the next line that is not blank. */
static void next_line (READER *r)
{
  do {
    if (r->failed) return;
    r->line ++;
    r->at = NULL;
    if (!read_line (r)) {
      fail (r, "the file ends too early");
      return;
    }
  } while (!r->text || !r->text[strspn (r->text, " \t\r")]);
  r->at = r->text;
}

static void expect_word (READER *r, const char *name)
{
  const char *got = word (r);

  if (!r->failed && strcmp (got, name)) fail (r, "`%s` expected, not `%.40s`", name, got);
}

static void expect_line (READER *r, const char *name)
{
  next_line (r);
  expect_word (r, name);
}

static double number (READER *r)
{
  const char *text = word (r);
  char *end;
  double value = strtod (text, &end);

  if (r->failed) return 0;
  if (!*text) fail (r, "a number is missing");
  else if (*end) fail (r, "`%.40s` is not a number", text);
  return value;
}

static int integer (READER *r, int low, int high)
{
  const char *text = word (r);
  char *end;

  errno = 0;
  long value = strtol (text, &end, 10);
  if (r->failed) return low;
  if (!*text) fail (r, "an integer is missing");
  else if (*end || errno) fail (r, "`%.40s` is not an integer", text);
  else if (value < low || value > high) fail (r, "%ld is not within %d and %d", value, low, high);
  return r->failed ? low : (int) value;
}

static int labelled (READER *r, const char *label, int low, int high)
{
  expect_word (r, label);
  return integer (r, low, high);
}

/* The word's place among `names`, a list that NULL ends. */
static int choice (READER *r, const char *const *names)
{
  const char *text = word (r);

  if (r->failed) return 0;
  for (int i = 0; names[i]; i ++) {
    if (!strcmp (text, names[i])) return i;
  }
  fail (r, "unknown `%.40s`", text);
  return 0;
}

static void numbers (READER *r, const char *name, int count, double *x)
{
  expect_line (r, name);
  for (int i = 0; i < count && !r->failed; i ++) x[i] = number (r);
  end_of_line (r);
}

/* A line `NAME N` and N values, where N has to be `count`. */
static void counted_numbers (READER *r, const char *name, int count, double *x)
{
  expect_line (r, name);
  integer (r, count, count);
  for (int i = 0; i < count && !r->failed; i ++) x[i] = number (r);
  end_of_line (r);
}

static void counted_integers (READER *r, const char *name, int count, int low, int high, int *x)
{
  expect_line (r, name);
  integer (r, count, count);
  for (int i = 0; i < count && !r->failed; i ++) x[i] = integer (r, low, high);
  end_of_line (r);
}

/* A line `NAME N` and N values, N of any size; *x is allocated. */
static int values (READER *r, const char *name, double **x)
{
  expect_line (r, name);
  int count = integer (r, 0, LARGEST_COUNT);
  *x = zeroed (r, count, sizeof (double));
  for (int i = 0; i < count && !r->failed; i ++) (*x)[i] = number (r);
  end_of_line (r);
  return count;
}

static int indices (READER *r, const char *name, int limit, int **x)
{
  expect_line (r, name);
  int count = integer (r, 0, LARGEST_COUNT);
  *x = zeroed (r, count, sizeof (int));
  for (int i = 0; i < count && !r->failed; i ++) (*x)[i] = integer (r, 0, limit - 1);
  end_of_line (r);
  return count;
}

/* ---- matrices */

static MX *read_matrix (READER *r, const char *name)
{
  static const char *const kinds[] = { "none", "dense", "bd", "csc", NULL };
  static const int codes[] = { 0, MXDENSE, MXBD, MXCSC };
  int kind, flags, m, n, nzmax, np, ni;

  expect_line (r, name);
  kind = codes[choice (r, kinds)];
  if (kind == 0) {
    end_of_line (r);
    return NULL;
  }
  flags = integer (r, 0, 127);
  m = integer (r, 1, LARGEST_COUNT);
  n = integer (r, 1, LARGEST_COUNT);
  if (kind == MXDENSE && m > LARGEST_COUNT / n) fail (r, "the matrix is too large");
  nzmax = r->failed ? 0 : kind == MXDENSE ? m * n : integer (r, 0, LARGEST_COUNT);
  end_of_line (r);
  if (r->failed) return NULL;
  np = kind == MXDENSE ? 0 : n + 1;
  ni = kind == MXDENSE ? 0 : kind == MXBD ? n + 1 : nzmax;
  MX *matrix = host_matrix_raw (kind, m, n, np, ni, nzmax);
  memcpy (&matrix->flags, &flags, sizeof matrix->flags);
  if (np) {
    counted_integers (r, "p", np, 0, nzmax, matrix->p);
    counted_integers (r, "i", ni, 0, m, matrix->i);
  }
  counted_numbers (r, "x", nzmax, matrix->x);
  if (!r->failed) return matrix;
  host_matrix_free (matrix);
  return NULL;
}

/* ---- bodies */

static ELEMENT *read_element (READER *r, int nodes)
{
  ELEMENT *element = zeroed (r, 1, sizeof *element);

  expect_line (r, "element");
  element->type = (short) integer (r, 4, 8);
  if (element->type == 7) fail (r, "an element has 4, 5, 6 or 8 nodes");
  for (int i = 0; i < element->type && !r->failed; i ++) element->nodes[i] = integer (r, 0, nodes - 1);
  end_of_line (r);
  return element;
}

/* Elements with a free face come first in the file, then the others: two lists. */
static void hang_in_lists (MESH *mesh, ELEMENT **elements, int count)
{
  ELEMENT **list = &mesh->surfeles, *last = NULL;
  int surface = 1;

  for (int i = 0; i < count; i ++) {
    if (surface && !element_has_free_face (elements[i], elements, count)) {
      surface = 0;
      list = &mesh->bulkeles;
      last = NULL;
    }
    if (last) last->next = elements[i];
    else *list = elements[i];
    elements[i]->prev = last;
    last = elements[i];
    if (surface) mesh->surfeles_count ++;
    else mesh->bulkeles_count ++;
  }
}

static MESH *read_mesh (READER *r, int nodes, int count)
{
  MESH *mesh = zeroed (r, 1, sizeof *mesh);
  ELEMENT **elements = zeroed (r, count, sizeof *elements);
  int i;

  mesh->ref_nodes = zeroed (r, 3 * nodes, sizeof (double));
  mesh->cur_nodes = zeroed (r, 3 * nodes, sizeof (double));
  mesh->nodes_count = nodes;
  for (i = 0; i < nodes && !r->failed; i ++) {
    expect_line (r, "node");
    for (int j = 0; j < 3; j ++) mesh->ref_nodes[3 * i + j] = number (r);
    for (int j = 0; j < 3; j ++) mesh->cur_nodes[3 * i + j] = number (r);
    end_of_line (r);
  }
  for (i = 0; i < count && !r->failed; i ++) elements[i] = read_element (r, nodes);
  if (!r->failed) hang_in_lists (mesh, elements, count);
  else for (int j = 0; j < i; j ++) free (elements[j]);
  free (elements);
  return mesh;
}

static void read_body_mesh (READER *r, BODY *body, int separate)
{
  int nodes, count;
  SHAPE *shape;

  expect_line (r, "mesh");
  nodes = integer (r, 0, LARGEST_COUNT / 3);
  count = integer (r, 0, LARGEST_COUNT);
  end_of_line (r);
  if ((nodes > 0) != (body->kind == FEM)) fail (r, "exactly finite-element bodies have a mesh");
  if (r->failed || nodes == 0) return;
  MESH *mesh = read_mesh (r, nodes, count);
  shape = zeroed (r, 1, sizeof *shape);
  shape->kind = separate ? SHAPE_CONVEX : SHAPE_MESH;
  body->shape = shape;
  if (separate) body->msh = mesh;
  else shape->data = mesh;
}

static BODY *read_body (READER *r, HOST *host, int index, int **order, int *count, int constraints)
{
  static const char *const kinds[] = { "OBS", "RIG", "PRB", "FEM", NULL };
  BODY *body = host_add_raw_body (host, OBS, 0, 0, 0);
  int kind, separate;

  free (body->conf);
  free (body->velo);
  body->conf = body->velo = NULL;
  expect_line (r, "body");
  integer (r, index, index);
  body->id = (unsigned int) labelled (r, "id", 0, LARGEST_COUNT);
  expect_word (r, "kind");
  kind = choice (r, kinds);
  memcpy (&body->kind, &kind, sizeof body->kind);
  body->form = labelled (r, "form", 0, 4);
  body->scheme = labelled (r, "scheme", 0, 4);
  body->dofs = labelled (r, "dofs", 1, LARGEST_COUNT);
  separate = labelled (r, "separate_mesh", 0, 1);
  end_of_line (r);
  numbers (r, "center", 3, body->ref_center);
  values (r, "conf", &body->conf);
  values (r, "velo", &body->velo);
  body->inverse = read_matrix (r, "inverse");
  body->evec = read_matrix (r, "evec");
  read_body_mesh (r, body, separate);
  *count = indices (r, "constraints_of_body", constraints, order);
  return body;
}

static void read_bodies (READER *r, SNAPSHOT *s, int ***order, int **counts)
{
  expect_line (r, "bodies");
  s->bodies = integer (r, 0, LARGEST_COUNT);
  end_of_line (r);
  s->body = zeroed (r, s->bodies, sizeof *s->body);
  *order = zeroed (r, s->bodies, sizeof **order);
  *counts = zeroed (r, s->bodies, sizeof **counts);
  for (int i = 0; i < s->bodies && !r->failed; i ++) {
    /* How many constraints there are is said further down: their indices are checked there. */
    s->body[i] = read_body (r, s->host, i, &(*order)[i], &(*counts)[i], LARGEST_COUNT);
  }
}

/* ---- constraints */

static ELEMENT *element_at (const MESH *mesh, int index)
{
  ELEMENT *element = index < mesh->surfeles_count ? mesh->surfeles : mesh->bulkeles;

  if (index >= mesh->surfeles_count) index -= mesh->surfeles_count;
  while (index --) element = element->next;
  return element;
}

/* The object of a separate mesh: a convex that knows the elements that it is in. */
static CONVEX *add_convex (READER *r, BODY *body, const int *elements, int count)
{
  CONVEX *convex = zeroed (r, 1, sizeof *convex);

  convex->ele = zeroed (r, count, sizeof *convex->ele);
  convex->nele = (short) count;
  for (int i = 0; i < count; i ++) convex->ele[i] = element_at (body->msh, elements[i]);
  convex->next = body->shape->data;
  body->shape->data = convex;
  return convex;
}

static SGP *read_side (READER *r, const char *name, BODY *body)
{
  const MESH *mesh = !body || body->kind != FEM ? NULL : body->msh ? body->msh : body->shape->data;
  int limit = mesh ? mesh->surfeles_count + mesh->bulkeles_count : 0, count, *elements;
  SGP *sgp = NULL;

  count = indices (r, name, limit, &elements);
  if (mesh && !r->failed) {
    if (count < 1 || (!body->msh && count != 1) || count > 32767) fail (r, "%d elements on a body of %d", count, limit);
    sgp = zeroed (r, 1, sizeof *sgp);
    sgp->shp = body->shape;
    sgp->kind = body->msh ? GOBJ_CONVEX : GOBJ_ELEMENT;
    if (!r->failed) {
      if (body->msh) sgp->gobj = add_convex (r, body, elements, count);
      else sgp->gobj = element_at (mesh, elements[0]);
    }
  }
  free (elements);
  return sgp;
}

static CON *read_constraint (READER *r, SNAPSHOT *s, int index)
{
  static const char *const kinds[] = { "CONTACT", "FIXPNT", "FIXDIR", "VELODIR", "VELODIR3", "RIGLNK", "SPRING", NULL };
  int id, kind, state, master, slave;

  expect_line (r, "constraint");
  integer (r, index, index);
  id = labelled (r, "id", 0, LARGEST_COUNT);
  expect_word (r, "kind");
  kind = choice (r, kinds);
  state = labelled (r, "state", 0, 255);
  master = labelled (r, "master", 0, s->bodies - 1);
  slave = labelled (r, "slave", -1, s->bodies - 1);
  end_of_line (r);
  if (r->failed) return NULL;
  CON *con = host_add_constraint (s->host, kind, s->body[master], slave < 0 ? NULL : s->body[slave]);
  con->id = (unsigned int) id;
  con->state = state;
  numbers (r, "point", 3, con->point);
  numbers (r, "base", 9, con->base);
  numbers (r, "mpnt", 3, con->mpnt);
  numbers (r, "spnt", 3, con->spnt);
  numbers (r, "Z", 7, con->Z);
  numbers (r, "R", 3, con->R);
  numbers (r, "U", 3, con->U);
  con->msgp = read_side (r, "master_elements", con->master);
  con->ssgp = read_side (r, "slave_elements", con->slave);
  return con;
}

static void read_constraints (READER *r, SNAPSHOT *s, int **order, const int *counts)
{
  int bad = 0;
  CON **con;

  expect_line (r, "constraints");
  s->constraints = integer (r, 0, LARGEST_COUNT);
  end_of_line (r);
  s->con = zeroed (r, s->constraints, sizeof *s->con);
  con = zeroed (r, s->constraints, sizeof *con);
  for (int i = 0; i < s->constraints && !r->failed; i ++) s->con[i] = read_constraint (r, s, i);
  for (int i = 0; i < s->bodies && !r->failed; i ++) {
    for (int j = 0; j < counts[i]; j ++) bad |= order[i][j] >= s->constraints;
    if (bad || counts[i] != host_set_size (s->body[i]->con)) {
      fail (r, "constraints_of_body of body %d disagrees with the constraints", i);
      break;
    }
    for (int j = 0; j < counts[i]; j ++) con[j] = s->con[order[i][j]];
    host_set_constraints (s->body[i], con, counts[i]);
  }
  free (con);
}

/* ---- expected values */

static void read_block (READER *r, SNAPSHOT *s, SNAPSHOT_BLOCK *block)
{
  expect_line (r, "adj");
  block->con = s->con[integer (r, 0, s->constraints - 1)];
  block->body = s->body[integer (r, 0, s->bodies - 1)];
  if (!r->at || !r->at[strspn (r->at, " \t\r")]) return;
  block->recorded = 1;
  for (int i = 0; i < 9; i ++) block->W[i] = number (r);
  end_of_line (r);
}

static void read_row (READER *r, SNAPSHOT *s, SNAPSHOT_ROW *row)
{
  expect_line (r, "row");
  row->con = s->con[integer (r, 0, s->constraints - 1)];
  int count = labelled (r, "adjacent", 0, LARGEST_COUNT);
  end_of_line (r);
  numbers (r, "V", 3, row->V);
  numbers (r, "B", 3, row->B);
  if (s->update != UPDATE_MINIMAL) {
    numbers (r, "W", 9, row->W);
    numbers (r, "A", 9, row->A);
    if (s->update == UPDATE_ALL) numbers (r, "rho", 1, &row->rho);
  }
  if (r->failed) return;
  row->block = zeroed (r, count, sizeof *row->block);
  row->count = count;
  for (int i = 0; i < count && !r->failed; i ++) read_block (r, s, &row->block[i]);
}

static void read_rows (READER *r, SNAPSHOT *s)
{
  expect_line (r, "expected_rows");
  s->rows = integer (r, s->constraints, s->constraints);
  end_of_line (r);
  s->row = zeroed (r, s->rows, sizeof *s->row);
  for (int i = 0; i < s->rows && !r->failed; i ++) read_row (r, s, &s->row[i]);
}

/* ---- the whole */

static void read_head (READER *r, SNAPSHOT *s)
{
  static const char *const updates[] = { "all", "penalty", "minimal", NULL };

  expect_line (r, "ldysnap");
  integer (r, 1, 1);
  end_of_line (r);
  expect_line (r, "source");
  numbers (r, "step", 1, &s->host->dom.step);
  numbers (r, "time", 1, &s->host->dom.time);
  expect_line (r, "update");
  s->update = (UPDATE_KIND) choice (r, updates);
  end_of_line (r);
  host_set_update (s->host, s->update);
  numbers (r, "geometric_epsilon", 1, &s->geometric_epsilon);
}

static void read_all (READER *r, SNAPSHOT *s)
{
  int **order = NULL, *counts = NULL;

  read_head (r, s);
  read_bodies (r, s, &order, &counts);
  if (!r->failed) read_constraints (r, s, order, counts);
  for (int i = 0; order && i < s->bodies; i ++) free (order[i]);
  free (order);
  free (counts);
  if (!r->failed) read_rows (r, s);
  if (s->update != UPDATE_MINIMAL) numbers (r, "free_energy", 1, &s->free_energy);
  expect_line (r, "end");
  end_of_line (r);
}

SNAPSHOT *snapshot_read (const char *path, char *error, size_t size)
{
  READER r = { NULL, path, 0, 0, NULL, NULL, 0, error, size };
  SNAPSHOT *snapshot;

  r.file = fopen (path, "r");
  if (!r.file) {
    snprintf (error, size, "%s: %s", path, strerror (errno));
    return NULL;
  }
  snapshot = zeroed (&r, 1, sizeof *snapshot);
  if (snapshot) {
    snapshot->host = host_create ();
    read_all (&r, snapshot);
  }
  fclose (r.file);
  free (r.text);
  if (!r.failed) return snapshot;
  snapshot_free (snapshot);
  return NULL;
}

void snapshot_free (SNAPSHOT *snapshot)
{
  if (!snapshot) return;
  for (int i = 0; snapshot->row && i < snapshot->rows; i ++) free (snapshot->row[i].block);
  free (snapshot->row);
  free (snapshot->con);
  free (snapshot->body);
  host_destroy (snapshot->host);
  free (snapshot);
}

int snapshot_insert (SNAPSHOT *snapshot)
{
  for (int i = snapshot->rows - 1; i >= 0; i --) {
    if (!host_insert (snapshot->host, snapshot->row[i].con)) return 0;
  }
  return 1;
}
