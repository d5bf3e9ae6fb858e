/* ldy.hpp: every function does what its counterpart in C does, errors are exceptions, and arrays may be anything that has
 * values. */
#include "ldy.hpp"
#include "ldy_bridge.hpp"

#include "../support/throws.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace {

/* The number of allocations of C++ until one fails; negative: none fails. */
long allocations_left = -1;

} // namespace

void *operator new (std::size_t size)
{
  if (allocations_left >= 0 && allocations_left -- == 0) throw std::bad_alloc ();
  if (void *memory = std::malloc (size ? size : 1)) return memory;
  throw std::bad_alloc ();
}

/* Not inline: GCC would see free in place of delete, and warn. */
[[gnu::noinline]] void operator delete (void *memory) noexcept { std::free (memory); }
[[gnu::noinline]] void operator delete (void *memory, std::size_t) noexcept { std::free (memory); }

namespace {

int checks, failed;

void check_at (int line, bool holds, const char *what)
{
  checks ++;
  if (holds) return;
  failed ++;
  std::printf ("system.cpp:%d: does not hold: %s\n", line, what);
}

#define CHECK(condition) check_at (__LINE__, (condition), #condition)

bool near (double a, double b)
{
  return std::fabs (a - b) < 1e-12 * (1 + std::fabs (b));
}

constexpr std::array<double, 9> axes = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
constexpr double turned[9] = { 0, 1, 0, -1, 0, 0, 0, 0, 1 };

/* A joint by axes on a body that turns by a quarter about z. */
void test_joints ()
{
  constexpr double velocity[6] = { 0, 0, 3, 4, 5, 6 };
  ldy::System system;
  ldy::id body = system.add_rigid (1, axes, axes, { 0, 0, 0 });
  ldy::id weld = system.add_joint (LDY_AXES_WELD, body, ldy::ground, axes, { 0.5, 0, 0 }, axes, { 0, 0, 0 });
  system.set_velocity (body, velocity);
  system.set_rotation (body, turned);
  system.update (1);
  ldy::values B = system.results ().B ();
  CHECK (B.size () == 6 && near (B[0], 5) && near (B[1], -2.5) && near (B[2], 6) && near (B[5], 3));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "position", [&] { (void) system.joint_error (weld); }));
  system.set_positions ({ body }, { 0, -0.5, 0.25 });
  std::vector<double> errors = system.joint_error (weld);
  CHECK (errors.size () == 6 && near (errors[1], 0) && near (errors[2], 0.25) && near (errors[5], 1.5707963267948966));
  /* The slave's point, the origin, is where the center of the body is: it moves with the velocity of the center. */
  system.set_positions ({ body }, { 0, 0, 0 });
  system.update (1);
  CHECK (near (system.results ().B ()[0], 5) && near (system.results ().B ()[1], -4));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "kind is 9", [&] { system.add_joint (9, body, ldy::ground, axes, { 0, 0, 0 }, axes, { 0, 0, 0 }); }));
}

/* Constraints of one and two rows, of which one is on three bodies. */
void test_rows ()
{
  using H = ldy::operator_view;
  ldy::System system;
  double inverse[2] = { 2, 3 }, row[2] = { 1, -1 }, both[4] = { 1, 0, 0, 1 }, single[2] = { 1, 0 };
  std::vector<ldy::id> bodies;
  for (int k = 0; k < 3; k ++) bodies.push_back (system.add_body (ldy::inertia::diagonal (inverse)));
  ldy::id gear = system.add_constraint_rows (1, bodies, { H (row), H (row), H (row) });
  ldy::id limit = system.add_dof_constraint (bodies[1], 1, -1);
  ldy::id joint = system.add_constraint_rows (2, { bodies[1] }, { H (both) });
  system.set_compliance (limit, { 0.5 });
  system.update (1);
  ldy::rows rows = system.results ();
  CHECK (rows.size () == 3 && rows.scalars () == 4 && rows.scalar (2) == 2 && rows.blocks () == 9);
  CHECK (rows.block (0)[0] == 15 && rows.block (1)[0] == 3 && rows.block (2).size () == 2 && rows.block (2)[1] == -3);
  CHECK (rows.diagonal (1)[0] == 3.5 && near (rows.inverse (2)[3], 1.0 / 3) && rows.B ().size () == 4 && rows.blocks_of_W ().size () == 16);
  CHECK (system.block_eigenvalues ()[2] == 3);
  ldy::compressed_rows csr = system.csr ();
  CHECK (csr.starts[4] == 16 && csr.columns[5] == 1 && csr.values[5] == 3.5 && csr.values[3] == -3);
  system.set_operators (gear, { H (row), H (row), H (single) });
  system.set_compliance (limit, {});
  system.update (1);
  CHECK (system.results ().block (0)[0] == 12 && system.results ().diagonal (1)[0] == 3);
  CHECK (system.row_of (joint) == 2);

  double J[5] = { 2, 0, 0, 2, 0 };
  system.set_jacobian ({ bodies[1] }, { joint }, ldy::matrix::strided (J, 2, 2, 8 * 2, 8 * 1));
  system.update (1);
  CHECK (system.results ().diagonal (2)[0] == 8 && system.results ().diagonal (2)[3] == 12);
  system.set_jacobian ({ bodies[1] }, { limit, joint }, ldy::matrix::sparse (3, 2, { 0, 1, 2, 3 }, {}, { 1, 0, 1 }, { -2, 1, 1 }));
  system.update (1);
  CHECK (system.results ().diagonal (1)[0] == 12 && system.results ().diagonal (2)[0] == 2);
  system.set_jacobian ({ bodies[1] }, { limit }, ldy::matrix::sparse (1, 2, { 1 }, { 1 }, { 0, 1 }, { 7, 1 }));
  system.update (1);
  CHECK (system.results ().diagonal (1)[0] == 3);
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "matrix: 5 values where 6 are needed", [&] { system.set_jacobian ({ bodies[1] }, { joint }, ldy::matrix::strided (J, 2, 2, 8 * 4, 8 * 1)); }));

  ldy::id first = system.add_jacobian ({ bodies[2], bodies[1] }, { 1 }, ldy::matrix::strided (J, 1, 4, 8 * 4, 8 * 1));
  CHECK (system.add_jacobian ({ bodies[1] }, { 1, 2 }, ldy::matrix::sparse (3, 2, { 0, 1, 2, 3 }, {}, { 1, 0, 1 }, { -2, 1, 1 })) == first + 1);
  system.update (1);
  CHECK (system.results ().diagonal (3)[0] == 20 && system.results ().diagonal (4)[0] == 12 && system.results ().diagonal (5)[3] == 3);
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "entry 0", [&] { system.add_jacobian ({ bodies[1] }, { 7 }, ldy::matrix::strided (J, 1, 2, 8 * 2, 8 * 1)); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "starts: 1 values where 2 are needed", [&] { system.add_jacobian ({ bodies[1] }, { 1 }, ldy::matrix::sparse (1, 2, { 1 }, {}, { 1 }, { 7 })); }));
}

/* A block of mass 6 and unit inertia on the ground: W at its corners is known by hand. */
void test_rigid ()
{
  ldy::System system;
  ldy::id block = system.add_rigid (6, axes, axes, { 0, 0, 0 });
  system.set_velocity (block, { 0, 0, 0, 3, 0, -2 });
  system.set_velocity (block, std::vector<double> { 0, 0, 1, 0, 0, 0 }, LDY_VELOCITY_PREVIOUS);
  ldy::id contact = system.add_point_constraint (block, ldy::ground, axes, { 1, 1, -1 }, {});
  ldy::id other = system.add_point_constraint (block, ldy::ground, turned, { -1, 1, -1 }, {});
  system.update (0.5);
  CHECK (system.row_of (contact) == 0 && system.row_of (other) == 1);

  ldy::rows rows = system.results ();
  CHECK (rows.size () == 2 && rows.blocks () == 4);
  CHECK (rows.starts ().size () == 3 && rows.starts ()[2] == 4 && rows.columns ()[1] == 1);
  CHECK (rows.constraints ()[0] == contact && rows.constraints ().size () == 2);
  /* h (1 / m + (y^2 + x^2) / I) along the normal, with a unit I. */
  CHECK (near (rows.block (0)[8], 0.5 * (1.0 / 6 + 2)) && rows.block (0)[8] == rows.diagonal (0)[8]);
  CHECK (rows.blocks_of_W ().size () == 36 && rows.blocks_of_W ()[9 + 3] == rows.block (2)[1]);
  CHECK (rows.B ()[0] == 3 && rows.B ()[2] == -2 && rows.B ()[4] == -3 && near (rows.V ()[0], -1) && near (rows.V ()[1], 1));
  double one = 0;
  for (std::size_t k = 0; k < 3; k ++) one += rows.inverse (0)[3 * k] * rows.diagonal (0)[k];
  CHECK (near (one, 1));
  system.check_inverses ();

  std::vector<double> R = { 0, 0, 1, 0, 0, 1 }, U (6), through (6), force (6), velocity (6);
  system.multiply (R, U);
  system.multiply (R, through, 1, LDY_MULTIPLY_THROUGH_BODIES);
  CHECK (near (U[2], rows.block (0)[8] + rows.block (1)[8]) && near (U[2], through[2]) && near (U[5], through[5]));
  system.constraint_force (block, R, force);
  CHECK (force[5] == 2 && near (force[0], 2) && near (force[1], 0));
  system.apply_reactions (R);
  system.velocity (block, velocity);
  CHECK (near (velocity[5], -2 + 0.5 * 2 / 6));
  ldy::eigenvalue largest = system.spectral_radius (1e-6, 100);
  CHECK (largest.value > rows.block (0)[8] && largest.residual >= 0);

  system.move_constraint (other, axes, { 0, 0, -1 }, {});
  system.set_compliance (other, { 0, 0, 7 });
  system.set_rotation (block, turned);
  system.set_inertia (block, ldy::inertia::rigid (12, axes));
  system.update (0.5);
  CHECK (near (system.results ().block (3)[8], 0.5 / 12 + 7));
  system.set_compliance (other, axes);
  system.update (0.5);
  CHECK (near (system.results ().block (3)[8], 0.5 / 12 + 1));
  system.set_compliance (other, {});
  system.remove_constraint (contact);
  system.update (0.5);
  CHECK (system.results ().size () == 1 && near (system.results ().block (0)[8], 0.5 / 12));
  system.remove_constraint (other);
  system.remove_body (block);
  system.update (0.5);
  CHECK (system.results ().size () == 0 && system.results ().starts ().size () == 1);
}

void test_bodies_between_each_other ()
{
  ldy::System system;
  ldy::id soft = system.add_pseudo_rigid (2, axes, { 0, 0, 0 });
  CHECK ((system.pseudo_rigid_point (soft, { 2, 0, 0, 0, 2, 0, 0, 0, 2 }, { 1, 0, 0 }, { 3, 4, 0 }) == ldy::vector3 { 1, 2, 0 }));
  ldy::id wall = system.add_obstacle (axes, { 0, 0, 0 });
  system.set_velocity (wall, { 0, 0, 0, 0, 0, 4 });
  system.add_point_constraint (soft, wall, axes, { 0, 0, 1 }, { 5, 0, 0 });
  system.update (1);
  /* 1 / m + z^2 / E_zz. */
  CHECK (near (system.results ().block (0)[8], 0.5 + 1) && system.results ().B ()[2] == -4);
  system.set_inertia (soft, ldy::inertia::diagonal (std::array<double, 12> { 1, 1, 1, 1, 1, 1, 1, 1, 3, 0, 0, 0.25 }));
  system.update (1);
  CHECK (near (system.results ().block (0)[8], 3.25));
}

/* H picks the first velocity of a body as the first row. */
void test_operators ()
{
  const double pick[6] = { 1, 0, 0, 0, 0, 0 };
  const int starts[3] = { 0, 1, 1 }, rows[1] = { 0 };
  const double one[1] = { 1 };
  ldy::System system;
  ldy::id dense = system.add_body (ldy::inertia::dense (2, { 2, 1, 1, 3 })), diagonal = system.add_body (ldy::inertia::diagonal ({ 5, 6 }));
  ldy::id matrix = system.add_body (ldy::inertia::sparse ({ 0, 1, 2 }, { 0, 1 }, { 4, 8 }));
  system.add_constraint_rows (3, { dense, diagonal }, { ldy::values (pick), { starts, rows, one } });
  ldy::id last = system.add_constraint_rows (3, { matrix, ldy::ground }, { ldy::values (pick), ldy::operator_view () });
  system.update (1);
  CHECK (near (system.results ().block (0)[0], 7) && near (system.results ().block (1)[0], 0.25));
  system.set_inertia (dense, ldy::inertia::dense (2, { 10, 0, 0, 1 }));
  system.set_inertia (matrix, ldy::inertia::sparse ({ 0, 1, 2 }, { 0, 1 }, { 2, 8 }));
  system.set_operators (last, { ldy::values ({ 0, 0, 0, 1, 0, 0 }) });
  system.update (1);
  CHECK (near (system.results ().block (0)[0], 15) && near (system.results ().block (1)[0], 0.125));
  CHECK (fails (52, "rows of an operator H: 1 values where 2", [&] { system.set_operators (last, { { starts, rows, { 1, 2 } } }); }));
}

/* An exception of a solver comes out unchanged, and the system goes on. */
void test_solvers ()
{
  ldy::System first;
  bool throws = false;
  ldy::id body = first.add_body (ldy::inertia::function (1, [&] (int size, int columns, double *x) { if (throws) throw std::runtime_error ("no solution today"); for (int k = 0; k < size * columns; k ++) x[k] *= 3; }));
  first.add_constraint_rows (3, { body, ldy::ground }, { ldy::values ({ 1, 0, 0 }), ldy::operator_view () });
  ldy::System system = std::move (first);
  CHECK (first.raw () == nullptr);
  system.update (1);
  CHECK (system.results ().block (0)[0] == 3);
  throws = true;
  std::string caught;
  try {
    system.set_velocity (body, { 1 });
    system.set_inertia (system.add_body (ldy::inertia::dense (1, { 1 })), ldy::inertia::dense (1, { 2 }));
    system.set_operators (0, { ldy::values ({ 2, 0, 0 }) });
    system.update (1);
  } catch (const ldy::Error &) {
    caught = "an error of the library";
  } catch (const std::runtime_error &error) {
    caught = error.what ();
  }
  CHECK (caught == "no solution today");
  CHECK (fails (LDY_ERROR_STALE_RESULTS, "", [&] { (void) system.results (); }));
  throws = false;
  system.update (1);
  CHECK (system.results ().block (0)[0] == 12);
  system.remove_constraint (0);
  system.remove_body (body);
  ldy::System empty;
  system = std::move (empty);
  system.update (1);
  CHECK (system.results ().size () == 0);
}

/* Insert bodies with a function while each allocation of C++ fails in turn. A function that is destroyed has left no body. */
template <class F> void test_exhausted (int bodies, F insert)
{
  bool threw = true;
  for (long left = 0; threw; left ++) {
    ldy::System system;
    auto owned = std::make_shared<int> (0);
    std::weak_ptr<int> exists = owned;
    ldy::solver apply = [owned] (int, int, double *) { ++ *owned; };
    owned.reset ();
    threw = false;
    allocations_left = left;
    try {
      insert (system, std::move (apply));
    } catch (const std::bad_alloc &) {
      threw = true;
    }
    allocations_left = -1;
    CHECK (left < 20 && exists.expired () == threw);
    /* No id has been used either. */
    for (ldy::id body = 0; !threw && body < bodies; body ++) system.remove_body (body);
    CHECK (exists.expired () && system.add_body (ldy::inertia::diagonal ({ 1.0 })) == (threw ? 0 : bodies));
  }
}

void test_exhausted_memory ()
{
  test_exhausted (1, [] (ldy::System &system, ldy::solver apply) { system.add_body (ldy::inertia::function (1, std::move (apply))); });
  test_exhausted (3, [] (ldy::System &system, ldy::solver apply) { system.add_model ({ 1, 2, 1 }, std::move (apply)); });
}

/* A system may be moved, even to itself. Its functions go with it. */
void test_moves ()
{
  ldy::System system, other;
  int calls = 0;
  ldy::id body = system.add_body (ldy::inertia::function (3, [&calls] (int, int, double *) { calls ++; }));
  other.add_body (ldy::inertia::function (3, [] (int, int, double *) {}));
  system.add_constraint_rows (3, { body, ldy::ground }, { ldy::values (axes), ldy::operator_view () });
  ldy::System &same = system;
  system = std::move (same);
  CHECK (system.raw ());
  if (system.raw ()) system.update (1);
  other = std::move (system);
  other.set_velocity (body, { 1, 2, 3 });
  other.update (1);
  CHECK (calls > 0 && other.results ().B ()[1] == 2);
  ldy::System third (std::move (other));
  third.update (1);
  CHECK (third.results ().size () == 1 && !other.raw ());
}

/* One function for several bodies is there as long as one of them, and what it throws comes out. */
void test_models ()
{
  ldy::System system;
  auto factor = std::make_shared<double> (3);
  bool throws = false;
  std::vector<ldy::id> bodies = system.add_model ({ 1, 2 }, [factor, &throws] (int size, int columns, double *x) {
    if (throws) throw std::runtime_error ("no solution today");
    for (int k = 0; k < size * columns; k ++) x[k] *= *factor;
  });
  CHECK (bodies.size () == 2 && bodies[1] == bodies[0] + 1);
  ldy::id constraint =
    system.add_constraint_rows (3, { bodies[0], bodies[1] }, { ldy::values ({ 1, 0, 0 }), ldy::values ({ 0, 0, 0, -2, 0, 0 }) });
  system.update (1);
  CHECK (system.results ().block (0)[0] == 15);
  throws = true;
  std::string caught;
  try {
    system.update (1);
  } catch (const std::runtime_error &error) {
    caught = error.what ();
  }
  CHECK (caught == "no solution today");
  system.remove_constraint (constraint);
  CHECK (factor.use_count () == 2);
  system.remove_body (bodies[0]);
  CHECK (factor.use_count () == 2);
  system.remove_body (bodies[1]);
  CHECK (factor.use_count () == 1);
  CHECK (fails (52, "at least one body", [&] { system.add_model ({}, [] (int, int, double *) {}); }));
}

void test_errors ()
{
  ldy::System system;
  ldy::id block = system.add_rigid (1, axes, axes, { 0, 0, 0 });
  CHECK (fails (52, "inertia: 3 values where 9", [&] { system.add_rigid (1, { 1, 2, 3 }, axes, { 0, 0, 0 }); }));
  CHECK (fails (52, "slave_point: 2 values where 3", [&] { system.add_point_constraint (block, 0, axes, { 0, 0, 0 }, { 1, 2 }); }));
  CHECK (fails (LDY_ERROR_NOT_FOUND, "body 9", [&] { system.set_velocity (9, { 0, 0, 0, 0, 0, 0 }); }));
  CHECK (fails (52, "5 values where 6", [&] { system.set_velocity (block, { 0, 0, 0, 0, 0 }); }));
  ldy::id contact = system.add_point_constraint (block, ldy::ground, axes, { 0, 0, 0 }, {});
  CHECK (fails (52, "constraint 0 on body 0", [&] { system.move_constraint (contact, axes, { NAN, 0, 0 }, {}); }));
  CHECK (fails (52, "", [&] { system.update (0); }));
  system.update (1);
  CHECK (near (system.results ().block (0)[0], 1));
  CHECK (fails (2, "", [&] { ldy::write (system.results (), "/no/such/folder/W.npz", LDY_FILE_FORMAT_NPZ); }));
  std::vector<double> x (3), y (2);
  CHECK (fails (52, "y: 2 values where 3", [&] { system.multiply (x, y); }));
}

void test_inventory ()
{
  ldy::System system;
  ldy::id block = system.add_rigid (1, axes, axes, { 0, 0, 0 });
  ldy::id other = system.add_body (ldy::inertia::diagonal ({ 1, 2 }));
  ldy::id contact = system.add_point_constraint (block, ldy::ground, axes, { 0, 0, 0 }, {});
  ldy::id limit = system.add_dof_constraint (other, 1);
  CHECK (system.bodies () == (std::vector<ldy::id> { block, other }) && system.constraints () == (std::vector<ldy::id> { contact, limit }));
  CHECK (system.body_size (other) == 2 && system.body_kind (block) == LDY_BODY_RIGID && system.constraint_rows (limit) == 1);
  CHECK (system.constraint_bodies (contact) == (std::vector<ldy::id> { block, ldy::ground }));
  system.set_compliance (contact, { 1, 2, 3 });
  CHECK (system.compliance (contact) == (std::vector<double> { 1, 0, 0, 0, 2, 0, 0, 0, 3 }));
  system.set_regularization ({ 0.5 });
  std::vector<double> mu (4);
  system.regularization (mu);
  CHECK (mu == std::vector<double> (4, 0.5));
  system.set_option (LDY_OPTION_ANY_AXES, true);
  CHECK (system.option (LDY_OPTION_ANY_AXES) && !system.option (LDY_OPTION_ORTHONORMALIZE));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "at most six", [&] { (void) ldy::bounds_law ({ 1, 2, 3, 4, 5, 6, 7 }, {}); }));
  CHECK (ldy::frame_from_normal ({ 0, 0, 2 })[8] == 1 && ldy::threads () >= 1 && ldy::version ()[0] == '0');
  system.clear ();
  CHECK (system.body_count () == 0 && system.constraint_count () == 0);
}

/* A progress function may end a solution, and its exceptions come through. */
void test_progress ()
{
  ldy::System system;
  ldy::id block = system.add_rigid (1, axes, axes, { 0, 0, 0 });
  system.add_point_constraint (block, ldy::ground, axes, { 1, 2, -1 }, {});
  system.set_velocity (block, { 0, 0, 0, 1, 2, -3 });
  system.update (1);
  ldy::contact_solver solver;
  ldy::contact_solver_options options;
  std::vector<double> R (3);
  int calls = 0;
  options.on_progress = [&] (double, int, int) { calls ++; return false; };
  CHECK (solver.solve (system, { ldy::contact_law (0.5) }, R, options).status == LDY_STATUS_STOPPED && calls == 1);
  options.on_progress = [] (double, int, int) -> bool { throw std::runtime_error ("enough"); };
  bool is_thrown = false;
  try { solver.solve (system, { ldy::contact_law (0.5) }, R, options); }
  catch (const std::runtime_error &error) { is_thrown = !std::strcmp (error.what (), "enough"); }
  CHECK (is_thrown);
  CHECK (solver.solve (system.results (), { ldy::contact_law (0.5) }, R).converged ());
}

void test_files (const std::string &folder)
{
  ldy::System system;
  system.add_point_constraint (system.add_rigid (1, axes, axes, { 0, 0, 0 }), ldy::ground, axes, { 0, 0, 0 }, {});
  system.update (1);
  ldy::write (system.results (), folder + "/W.mtx", LDY_FILE_FORMAT_MATRIX_MARKET);
  ldy::write (system.results (), folder + "/W.npz", LDY_FILE_FORMAT_NPZ);
  CHECK (fails (52, "it has no law", [&] { system.write_problem (folder + "/problem.npz"); }));
  ldy_law law = {};
  law.kind = LDY_LAW_CONTACT;
  std::vector<double> forces = { 0.125, 0, 1 };
  system.write_problem (folder + "/problem.npz", forces, { &law, 1 });
  CHECK (std::ifstream (folder + "/problem.npz", std::ios::binary).get () == 'P');
  std::ifstream text (folder + "/W.mtx"), zip (folder + "/W.npz", std::ios::binary);
  std::string line;
  CHECK (std::getline (text, line) && line.rfind ("%%MatrixMarket", 0) == 0);
  CHECK (zip.get () == 'P' && zip.get () == 'K');
  ldy::write (system.results ().raw (), folder + "/rows.mtx", LDY_FILE_FORMAT_MATRIX_MARKET);
  ldy::write (system.results ().raw (), folder + "/rows.npz", LDY_FILE_FORMAT_NPZ);
  for (const char *kind : { ".mtx", ".npz" }) {
    std::ifstream one (folder + "/W" + kind, std::ios::binary), other (folder + "/rows" + kind, std::ios::binary);
    std::istreambuf_iterator<char> end;
    CHECK (std::vector<char> (std::istreambuf_iterator<char> (one), end) == std::vector<char> (std::istreambuf_iterator<char> (other), end));
  }
}

/* A pendulum of mass m under tension T: omega^2 = T / (m l). */
void test_stability ()
{
  ldy::System system;
  ldy::id bob = system.add_rigid (2, axes, axes, { 0, 0, 0 });
  const double frame[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  ldy::id link = system.add_point_constraint (bob, ldy::ground, frame, { 0, 0, 0 }, {});
  ldy_joint joint = { LDY_JOINT_LINK, 0.5 };
  std::vector<double> R = { 0, 0, -8 }, x = { 0, 0, 0, 1, 0, 0 }, y (6);
  system.geometric_stiffness ({ &joint, 1 }, R, x, y);
  CHECK (near (y[3], 16) && near (y[5], 0));
  ldy::critical_step step = system.critical_step ({ joint }, R);
  CHECK (near (system.critical_step ({ joint }, R, LDY_CRITICAL_STEP_FREE_MOTIONS).step, step.step));
  CHECK (near (step.omega_squared, 8) && near (step.step, 2 / std::sqrt (8)) && step.constraint == link && near (step.share, 1));
}

/* Products of several vectors at once equal the products of each alone. */
void test_columns ()
{
  ldy::System system;
  ldy::id block = system.add_rigid (6, axes, axes, { 0, 0, 0 });
  system.add_point_constraint (block, ldy::ground, axes, { 1, 1, -1 }, {});
  system.add_point_constraint (block, ldy::ground, turned, { -1, 1, -1 }, {});
  system.update (0.5);
  std::vector<double> x (18), y (18), through (18), one (6);
  for (std::size_t k = 0; k < 18; k ++) x[k] = std::sin (static_cast<double> (k));
  system.multiply (x, y, 3);
  system.multiply (x, through, 3, LDY_MULTIPLY_THROUGH_BODIES);
  for (std::size_t column = 0; column < 3; column ++) {
    system.multiply (ldy::values (x.data () + 6 * column, 6), one);
    CHECK (std::memcmp (one.data (), y.data () + 6 * column, 6 * sizeof (double)) == 0);
    for (std::size_t k = 0; k < 6; k ++) CHECK (near (through[6 * column + k], one[k]));
  }
  CHECK (fails (52, "6 are needed", [&] { system.multiply ({}, {}, 0); }));
  CHECK (fails (52, "y: 6 values where 18", [&] { system.multiply (x, one, 3); }));
  CHECK (fails (52, "x: 18 values where 16", [&] { system.multiply (x, y, 4); }));
  CHECK (fails (52, "", [&] { system.multiply (x, y, 2); }));
}

/* A bar of two nodes, unit inverse: H = [N_0 Q, N_1 Q], W = (N_0^2 + N_1^2) Q Q^T. */
void test_nodes ()
{
  ldy::System system;
  ldy::id bar = system.add_body (ldy::inertia::diagonal (std::vector<double> (6, 1.0)));
  const int nodes[2] = { 0, 1 };
  std::vector<double> entries = { 0, 2, 0, -2, 0, 0, 0, 0, 2, 0.25, 0.75 };
  ldy::id contact = system.add_constraint_rows (3, { bar, ldy::ground }, { ldy::operator_view::by_nodes (6, nodes, entries), ldy::operator_view () });
  system.set_velocity (bar, { 1, 0, 0, 5, 0, 3 });
  system.update (1);
  for (std::size_t k = 0; k < 9; k ++) CHECK (near (system.results ().block (0)[k], k % 4 == 0 ? 4 * (0.0625 + 0.5625) : 0));
  CHECK (near (system.results ().B ()[1], 2 * (0.25 * 1 + 0.75 * 5)) && near (system.results ().B ()[2], 2 * 0.75 * 3));
  auto one_node = ldy::operator_view::by_nodes (6, ldy::indices (nodes, 1), ldy::values (entries.data (), 10));
  system.set_operators (contact, { one_node });
  system.update (1);
  CHECK (near (system.results ().block (0)[0], 4 * 0.0625));
  auto wrong = ldy::operator_view::by_nodes (6, nodes, ldy::values (entries.data (), 10));
  CHECK (fails (52, "operator H by nodes: 10 values where 11", [&] { system.set_operators (contact, { wrong }); }));
}

/* A block of mass 6 on four corners stops falling and slides: the impulse of the normal forces is 12, and friction makes a
 * tenth of it. */
void test_forces ()
{
  ldy::System system;
  const double corners[4][3] = { { 1, 1, -1 }, { -1, 1, -1 }, { -1, -1, -1 }, { 1, -1, -1 } };
  ldy::id block = system.add_rigid (6, axes, axes, { 0, 0, 0 });
  system.set_velocity (block, { 0, 0, 0, 3, 0, -2 });
  for (auto &corner : corners) system.add_point_constraint (block, ldy::ground, axes, corner, {});
  system.update (0.01);
  std::vector<ldy_law> laws (4, ldy::contact_law (0.1));
  std::vector<double> R (12), again (12), U (12);
  ldy::contact_solver first, solver = std::move (first);
  CHECK (first.raw () == nullptr && solver.raw () != nullptr);
  ldy::contact_solver_report report = solver.solve (system, laws, R);
  CHECK (report.converged () && report.residual <= 1e-8 && !report.residuals ().empty ());
  double sum[3] = { 0, 0, 0 };
  for (std::size_t k = 0; k < 12; k ++) sum[k % 3] += 0.01 * R[k];
  CHECK (std::fabs (sum[0] + 1.2) < 1e-5 && std::fabs (sum[1]) < 1e-5 && std::fabs (sum[2] - 12) < 1e-5);

  ldy::rows rows = system.results ();
  ldy::contact_solver_options options;
  options.tolerance = 1e-12, options.method = LDY_METHOD_NEWTON;
  report = solver.solve (rows.raw (), laws, again, options);
  CHECK (report.converged () && report.residual <= 1e-12);
  double other = 0;
  for (std::size_t k = 2; k < 12; k += 3) other += 0.01 * again[k];
  CHECK (std::fabs (other - 12) < 1e-9);

  /* Two corners held at a velocity, one a link, one without any force. */
  laws = { ldy::fixed_law ({ 0, 0, 0.5 }), ldy::fixed_law ({ 0, 0, 0.5 }), ldy::bounds_law ({ 0, 0, -INFINITY }, { 0, 0, INFINITY }),
           ldy::bounds_law ({ 0, 0, 0 }, { 0, 0, 0 }) };
  CHECK (solver.solve (system, laws, R).converged ());
  system.multiply (R, U);
  for (std::size_t k = 0; k < 12; k ++) U[k] += rows.B ()[k];
  CHECK (std::fabs (U[0]) < 1e-6 && std::fabs (U[2] + 0.5) < 1e-6 && std::fabs (U[5] + 0.5) < 1e-6 && std::fabs (U[8]) < 1e-6);
  CHECK (R[6] == 0 && R[7] == 0 && R[9] == 0 && R[11] == 0);

  laws.assign (4, ldy::orthotropic_contact_law (0.05, 0.7));
  std::fill (R.begin (), R.end (), 0);
  CHECK (solver.solve (system, laws, R).converged ());
  CHECK (std::fabs (0.01 * (R[0] + R[3] + R[6] + R[9]) + 0.6) < 1e-5);

  laws[1] = ldy::contact_law (-1);
  std::vector<double> before = R;
  CHECK (fails (52, "constraint 1 on body 0", [&] { solver.solve (system, laws, R); }));
  CHECK (R == before);
  CHECK (fails (52, "", [&] { solver.solve (system, laws, U = { 1, 2, 3 }); }));
  CHECK (fails (52, "forces: 3 values where 12", [&] { solver.solve (rows.raw (), laws, U); }));
}

/* Calls for many bodies or constraints do what those for one do. */
void test_many ()
{
  ldy::System system;
  std::vector<ldy::id> bodies, constraints;
  for (int k = 0; k < 3; k ++) bodies.push_back (system.add_rigid (1 + k, axes, axes, { 0, 0, 0 }));
  std::vector<double> frames, points, velocities (18), read (18), rotations, turns (27);
  for (int k = 0; k < 3; k ++) {
    frames.insert (frames.end (), axes.begin (), axes.end ());
    rotations.insert (rotations.end (), turned, turned + 9);
    for (int i = 0; i < 3; i ++) points.push_back (k + i), velocities[static_cast<std::size_t> (6 * k + i)] = k - i;
  }
  ldy::id first = system.add_point_constraints (bodies, {}, frames, points, {});
  for (int k = 0; k < 3; k ++) constraints.push_back (first + k);
  system.set_velocities (bodies, velocities), system.set_velocities (bodies, velocities, LDY_VELOCITY_PREVIOUS);
  system.velocities (bodies, read);
  CHECK (read == velocities);
  system.set_rotations (bodies, rotations);
  system.rotations (bodies, turns);
  CHECK (turns == rotations);
  system.set_compliances (constraints, frames);
  system.update (1);
  ldy::rows rows = system.results ();
  CHECK (rows.B ()[3] == rows.V ()[3] && near (rows.block (0)[0], 1 + 1 + 2 * 2)); /* mass, compliance, and the arm along z: that along y is turned to x */

  std::vector<double> there (27), at (9), none;
  system.point_frames (constraints, there, at, none);
  CHECK (there == frames && at == points);
  for (double &x : points) x = 0;
  system.move_constraints (constraints, {}, {}, frames, points, {});
  system.point_frames ({ constraints[1] }, none, at = { 7, 7, 7 }, none);
  CHECK (at[0] == 0 && at[2] == 0);
  system.set_tags (constraints, std::vector<std::uint64_t> { 5, 6, 7 }), system.set_tag (constraints[1], 1ull << 63);
  std::vector<std::uint64_t> tags (3);
  system.tags (tags);
  CHECK (tags[0] == 5 && tags[1] == 1ull << 63 && tags[2] == 7);
  std::vector<ldy_law> laws = { ldy::contact_law (0.5), ldy::fixed_law (), ldy::contact_law (0.25) }, told (2);
  std::vector<ldy::id> outer = { constraints[0], constraints[2] };
  system.set_laws (constraints, laws), system.set_law (constraints[2], laws[0]);
  system.laws (outer, told);
  CHECK (told[1].friction == 0.5 && system.law (constraints[1]).kind == LDY_LAW_FIXED);
  CHECK (fails (52, "laws: 2 values where 3", [&] { system.set_laws (constraints, told); }));
  std::vector<double> by_row (9), by_law (9);
  laws[2] = laws[0];
  ldy::contact_solver solver;
  system.update (1);
  CHECK (solver.solve (system, laws, by_row).converged () && solver.solve (system, by_law).converged () && by_law == by_row);
  ldy::contact_solver_options bounded = ldy::contact_solver_options::real_time ();
  CHECK (bounded.max_sweeps == 100 && bounded.method == LDY_METHOD_GAUSS_SEIDEL && bounded.tolerance == 1e-3);
  bounded.max_work = 1000000;
  CHECK (solver.solve (system, by_law, bounded).converged () && solver.solve (system, by_law, bounded).work < bounded.max_work);
  std::vector<double> R = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, kept (6);
  system.store_reactions (R);
  system.remove_constraints ({ constraints[1] });
  system.stored_reactions (kept);
  CHECK (kept == (std::vector<double> { 1, 2, 3, 7, 8, 9 }));
  CHECK (fails (52, "frames: 9 values where 27", [&] { system.add_point_constraints (bodies, {}, axes, points, {}); }));
  CHECK (fails (52, "velocities: 4 values where 3", [&] { system.set_velocities (bodies, R = { 1, 2, 3, 4 }); }));
  CHECK (fails (LDY_ERROR_NOT_FOUND, "constraint 1", [&] { system.remove_constraints ({ constraints[0], constraints[1] }); }));

  std::vector<ldy::id> synced (2), masters = { bodies[0], bodies[1] };
  std::vector<double> two (frames.begin (), frames.begin () + 18), places (6);
  for (double *frame : { two.data (), two.data () + 9 }) for (int i = 0; i < 9; i ++) frame[i] = i % 4 == 0;
  ldy::sync_report report = system.sync_constraints ({ 7, 5 }, masters, {}, two, places, {}, laws = { laws[0], laws[1] }, synced);
  CHECK (report.inserted == 2 && report.kept == 0 && report.first_inserted == synced[0] && synced[1] == synced[0] + 1);
  report = system.sync_constraints ({ 5 }, { bodies[2] }, masters = { bodies[0] }, { 0, 1, 0, 0, 0, 1, 1, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 });
  CHECK (report.kept == 1 && report.removed == 1 && report.first_inserted == -1 && system.law (synced[1]).kind == LDY_LAW_FIXED);
  CHECK (fails (52, "masters: 1 values where 2", [&] { system.sync_constraints ({ 1, 2 }, masters, {}, two, places, {}); }));
  CHECK (fails (52, "entry 1", [&] { system.sync_constraints ({ 1, 1 }, { bodies[0], bodies[1] }, {}, two, places, {}); }));
  CHECK (system.sync_constraints ({}, {}, {}, {}, {}, {}).removed == 1);

  std::vector<double> positions = { 1, 0, 0, 0, 1, 0 }, six (6), turned_frames (18), more (6), twelve (12);
  masters = { bodies[0], bodies[1] };
  system.set_positions (masters, positions);
  system.positions (masters, six);
  CHECK (six == positions);
  system.contact_frames (masters, {}, { 0, 0, 1, 0, 0, 2 }, { 1, 2, 3, 4, 5, 6 }, turned_frames, six, more);
  CHECK (near (six[0], 2) && near (six[1], 0) && near (six[2], 3) && more == (std::vector<double> { 1, 2, 3, 4, 5, 6 }));
  CHECK (turned_frames[8] == 1 && turned_frames[17] == 1);
  CHECK (fails (52, "slaves: 1 values where 2", [&] { system.contact_frames (masters, { bodies[2] }, six, six, turned_frames, six, more); }));
  system.body_points (masters, more, positions);
  CHECK (positions == six);
  system.body_angular_velocities (masters, more, six), system.world_angular_velocities (masters, six, positions);
  CHECK (near (positions[0], 1) && near (positions[5], 6));
  ldy::gyroscopic_changes ({ 1, 0, 0, 0, 2, 0, 0, 0, 3 }, { 0, 1, 1, 0, 0, 1 }, 1e-9, six);
  CHECK (std::fabs (six[0] + 1e-9) < 1e-17 && six[3] == 0);
  ldy::advance_rotations (turned_frames, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, 1, two);
  CHECK (two == turned_frames);
  ldy::System copy = system.clone ();
  CHECK (copy.bodies () == system.bodies () && copy.constraints () == system.constraints ());
  copy.remove_constraints (copy.constraints ());
  CHECK (copy.constraint_count () == 0 && system.constraint_count () > 0);

  ldy::vector3 point = system.body_point (bodies[0], { 1, 2, 3 }), spin = system.body_angular_velocity (bodies[0], { 1, 2, 3 });
  CHECK (near (point[0], 2) && near (point[1], 0) && near (point[2], 3)); /* turned by a quarter about z */
  spin = system.world_angular_velocity (bodies[0], spin);
  CHECK (near (spin[0], 1) && near (spin[1], 2) && near (spin[2], 3));
  spin = ldy::gyroscopic_change (std::vector<double> { 1, 0, 0, 0, 2, 0, 0, 0, 3 }, spin, 0);
  CHECK (spin == ldy::vector3 ());
  CHECK (fails (52, "inertia: 3 values where 9", [&] { ldy::gyroscopic_change (spin, spin, 1); }));
  CHECK (fails (52, "spin: 2 values where 3", [&] { ldy::gyroscopic_change ({ 1, 0, 0, 0, 2, 0, 0, 0, 3 }, { 1, 2 }, 1); }));
  ldy::vector3 change = ldy::gyroscopic_change ({ 1, 0, 0, 0, 2, 0, 0, 0, 3 }, { 0, 1, 1 }, 1e-9);
  CHECK (std::fabs (change[0] + 1e-9) < 1e-17 && std::fabs (change[1]) < 1e-17); /* w x J w = (1 * 3 - 1 * 2, 0, 0) */
  ldy::matrix3 turn = ldy::advance_rotation ({ 1, 0, 0, 0, 1, 0, 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 2 }, std::acos (0.) * 2 / 3);
  CHECK (near (turn[1], 1) && near (turn[3], -1) && near (turn[8], 1));
  CHECK (fails (52, "rotation: 3 values where 9", [&] { ldy::advance_rotation (change, change, change, 1); }));
  CHECK (fails (52, "", [&] { system.set_rotation (bodies[0], { 2, 0, 0, 0, 1, 0, 0, 0, 1 }); }));
  system.set_option (LDY_OPTION_ANY_AXES, true);
  system.set_rotation (bodies[0], { 2, 0, 0, 0, 1, 0, 0, 0, 1 });
  ldy::set_threads (1);
  CHECK (fails (52, "", [&] { ldy::set_threads (0); }));
}

/* A weld of six scalar rows and a limit: laws for each, factors and redundant rows. */
/* C tests check the copies; here errors are exceptions. */
void test_rows_of_locdyn ()
{
  ldy::locdyn_rows copies;
  std::vector<double> none;
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "NULL", [&] { copies.copy (nullptr); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "NULL", [&] { copies.reactions (nullptr, none); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "NULL", [&] { copies.set_reactions (nullptr, none); }));
}

void test_factors ()
{
  using H = ldy::operator_view;
  ldy::System system;
  std::vector<double> six (36), one = { 1, 0, 0, 0, 0, 0 };
  for (std::size_t k = 0; k < 6; k ++) six[7 * k] = 1;
  ldy::id body = system.add_body (ldy::inertia::diagonal ({ 1, 2, 3, 4, 5, 6 }));
  system.set_velocity (body, { 1, 1, 1, 1, 1, -1 });
  system.add_constraint_rows (6, { body }, { H (six) });
  system.update (1);
  std::vector<double> R (6), x = { 1, 2, 3, 4, 5, 6, 2, 4, 6, 8, 10, 12 };
  double far = 1e9;
  ldy::contact_solver solver;
  CHECK (solver.solve (system, { ldy::bounds_law ({ -far, -far, -far, -far, -0.1, -far }, { far, far, far, far, far, far }, { 0, 0, 0, 0, 0, 3 }) }, R).converged ());
  CHECK (std::fabs (R[1] + 0.5) < 1e-7 && R[4] == -0.1 && std::fabs (R[5] + 1 / 3.) < 1e-7);
  CHECK (solver.solve (system, { ldy::fixed_law () }, R).converged () && std::fabs (R[4] + 0.2) < 1e-7);
  ldy::factor first, factor = std::move (first);
  CHECK (first.raw () == nullptr);
  factor.compute (system, { 1 });
  factor.solve (x, 2);
  for (std::size_t k = 0; k < 12; k ++) CHECK (near (x[k], (1 + double (k / 6)) * double (k % 6 + 1) / double (k % 6 + 2)));
  CHECK (near (factor.log_determinant (), std::log (5040)));
  CHECK (system.redundant () == std::vector<int> (6));
  system.add_constraint_rows (1, { body }, { H (one) });
  system.update (1);
  CHECK (system.redundant () == (std::vector<int> { 0, 0, 0, 0, 0, 0, 1 }));
  std::vector<double> once (7), several (14, 1), y (14);
  system.multiply ({ several.data (), 7 }, once);
  ldy::multiply (system.results ().raw (), several, y, 2);
  for (std::size_t k = 0; k < 14; k ++) CHECK (y[k] == once[k % 7]);
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "not so many vectors", [&] { ldy::multiply (system.results ().raw (), several, y, 3); }));
  std::vector<int> flags (7);
  CHECK (ldy::redundant (system.results ().raw (), flags) == 1 && flags[6] == 1);
  system.set_velocity (body, { 1, 2, 3, 4, 5, 6 });
  system.update (1);
  flags[6] = 0;
  system.redundant (flags);
  CHECK (flags == (std::vector<int> { 0, 0, 0, 0, 0, 0, 1 }));
  CHECK (fails (16, "constraint", [&] { factor.compute (system); }));
  factor.compute (system.results ().raw (), { 0, 1 });
  system.set_regularization ({ 0, 1 });
  system.update (1);
  first = ldy::factor ();
  first.compute (system);
  CHECK (near (first.log_determinant (), factor.log_determinant ()));
  CHECK (fails (52, "so many vectors", [&] { factor.solve (x, 5); }));
}

/* Two joints at one axis demand different velocities. */
void test_conflicts ()
{
  using H = ldy::operator_view;
  ldy::System system;
  std::vector<double> one = { 1 }, R (2);
  ldy::id body = system.add_body (ldy::inertia::diagonal ({ 1 }));
  for (int k = 0; k < 2; k ++) system.add_constraint_rows (1, { body }, { H (one) });
  std::vector<ldy_law> laws = { ldy::fixed_law (), ldy::fixed_law ({ -1 }) };
  system.update (1);
  ldy::contact_solver solver;
  CHECK (solver.conflict ().empty () && solver.conflict_text ().empty ());
  CHECK (solver.solve (system, laws, R).status == LDY_STATUS_INFEASIBLE);
  std::vector<ldy_multiplier> found = solver.conflict ();
  CHECK (found.size () == 2 && found[1].constraint == 1 && found[0].demand == LDY_LAW_FIXED && found[0].value * found[1].value < 0);
  const std::string start = "joints 0 and 1 contradict each other: no allowed forces ";
  CHECK (solver.conflict_text (system) == start + "give body 0 a velocity that satisfies them");
  CHECK (solver.conflict_text () == start + "satisfy them");
}

/* Two drives at one axis share the load 5. */
void test_solution_sets ()
{
  using H = ldy::operator_view;
  ldy::System system;
  std::vector<double> one = { 1 }, least (2), greatest (2), R (2);
  ldy::id body = system.add_body (ldy::inertia::diagonal ({ 1 }));
  system.set_velocity (body, { -5 });
  ldy::id first = system.add_constraint_rows (1, { body }, { H (one) }), second = system.add_constraint_rows (1, { body }, { H (one) });
  std::vector<ldy_law> laws = { ldy::bounds_law ({ -2 }, { 4 }), ldy::bounds_law ({ -3 }, { 3 }) };
  std::vector<ldy::id> both = { first, second };
  system.update (1);
  ldy::contact_solver solver;
  ldy::contact_solver_options options;
  options.canonical = 1;
  CHECK (solver.solve (system, laws, R, options).converged () && std::fabs (R[0] - 2.5) < 1e-9 && std::fabs (R[1] - 2.5) < 1e-9);
  ldy::solution_set empty, set = std::move (empty);
  CHECK (empty.raw () == nullptr);
  set.compute (system, laws, R);
  CHECK (set.determined () == std::vector<std::uint8_t> (2) && set.causes (second, 0) == both);
  set.intervals (least, greatest);
  CHECK (std::fabs (least[0] - 2) < 1e-8 && std::fabs (greatest[0] - 4) < 1e-8);
  set.intervals (std::vector<ldy::id> { second }, ldy::view<double> (least.data (), 1), ldy::view<double> (greatest.data (), 1));
  CHECK (std::fabs (least[0] - 1) < 1e-8 && std::fabs (greatest[0] - 3) < 1e-8);
  system.set_laws (both, laws);
  R = { 4, 1 };
  set.compute (system, R);
  set.canonical (R);
  CHECK (std::fabs (R[0] - 2.5) < 1e-9 && std::fabs (R[1] - 2.5) < 1e-9);
  set.compute (system.results ().raw (), laws, R);
  CHECK (set.causes (0, 0) == (std::vector<ldy::id> { 0, 1 }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "no solution", [&] { set.compute (system, { 1, 1 }); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "greatest: 2 values where 1", [&] { set.intervals (ldy::view<double> (least.data (), 1), greatest); }));
}

/* A drive with the inverse inertia 2 that cannot hold the speed 9: R = 3, U = -9 + 2 R. */
void test_derivatives ()
{
  using H = ldy::operator_view;
  ldy::System system;
  std::vector<double> one = { 1 }, R = { 3 }, U = { 1 }, dR (2), dU (2), W (1), by_B (2);
  ldy::id body = system.add_body (ldy::inertia::diagonal ({ 2 }));
  system.set_velocity (body, { -9 });
  const ldy::id drive = system.add_constraint_rows (1, { body }, { H (one) });
  const std::vector<ldy_law> laws = { ldy::bounds_law ({ -2 }, { 3 }) };
  std::vector<ldy_law> by_laws (2), changes (2);
  system.update (1);
  ldy::derivatives empty, derivatives = std::move (empty);
  CHECK (empty.raw () == nullptr);
  derivatives.compute (system, laws, R);
  changes[1].upper[0] = 1;
  CHECK (derivatives.forward ({ 4, 0 }, dR, dU, changes).is_solution == 1);
  const auto near = [] (double x, double y) { return std::fabs (x - y) < 1e-14; };
  CHECK (near (dR[0], 0) && near (dR[1], 1) && near (dU[0], 4) && near (dU[1], 2));
  CHECK (derivatives.adjoint ({}, { 1, 3 }, by_B, by_laws).is_singular == 0);
  CHECK (near (by_B[0], 1) && near (by_B[1], 3) && near (by_laws[0].upper[0], 2) && near (by_laws[1].upper[0], 6) && by_laws[1].lower[0] == 0);
  CHECK (derivatives.adjoint ({ 1 }, {}, ldy::view<double> (by_B.data (), 1)).outside == 0 && by_B[0] == 0);
  CHECK (derivatives.kinks ().empty () && derivatives.undetermined ().empty ());
  system.set_laws (std::vector<ldy::id> { drive }, laws);
  system.set_velocity (body, { -6 });
  system.update (1);
  derivatives.compute (system, R);
  CHECK (derivatives.kinks ().size () == 1 && derivatives.kinks ()[0].constraint == drive && derivatives.kinks ()[0].kind == LDY_KINK_BOUND);
  derivatives.compute (system.results ().raw (), laws, R);
  ldy::outer_product (system.results ().raw (), U, R, W);
  CHECK (W[0] == 3);
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "dU: 1 values where 2", [&] { derivatives.forward ({ 4, 0 }, dR, U); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "by_R: 1 values where 2", [&] { derivatives.adjoint ({ 1 }, {}, by_B); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "velocities: 2 values where 0", [&] { ldy::derivatives ().forward ({ 4, 0 }, dR, dU); }));
}

/* A ball of the mass 2 that comes down at the speed 1 and stops: R = 2 m, U = 0, whatever its mass. */
void test_gradients ()
{
  ldy::System system;
  const std::vector<double> R = { 0, 0, 4 };
  std::vector<double> u (6), tensor (9), A (36), rotation (9), center (3), frame (9), point (3), other (3), H (18), C (9), by_B (3);
  std::vector<ldy_law> laws = { ldy::contact_law (0.5) }, by_laws (1);
  const ldy::id ball = system.add_rigid (2, ldy::view<const double> (axes), ldy::view<const double> (axes), { 0, 0, 0 });
  const ldy::id contact = system.add_point_constraint (ball, ldy::ground, ldy::view<const double> (axes), { 0, 0, 0 }, {});
  system.set_velocity (ball, { 0, 0, 0, 0, 0, -1 });
  system.update (0.5);
  ldy::derivatives derivatives;
  derivatives.compute (system, laws, R);
  ldy::gradient empty, gradient = std::move (empty);
  CHECK (empty.raw () == nullptr);
  /* The function is R_N: - m (u_N + W_NN R_N) / h = 0. */
  CHECK (gradient.compute (system, derivatives, R, { 0, 0, 1 }, {}, {}, by_B, by_laws).is_solution == 1);
  gradient.velocity (ball, u);
  CHECK (std::fabs (u[5] + 4) < 1e-12 && std::fabs (by_B[2] + 4) < 1e-12 && std::fabs (by_laws[0].bias[2] + 4) < 1e-12);
  CHECK (std::fabs (gradient.inertia (ball, tensor) - 2) < 1e-12 && std::fabs (tensor[0]) < 1e-12);
  CHECK (std::fabs (gradient.step () + 8) < 1e-12);
  gradient.matrix (ball, A), gradient.pose (ball, rotation, center), gradient.place (contact, frame, point, other);
  gradient.operator_of (contact, ball, H), gradient.compliance (contact, C);
  CHECK (std::fabs (A[35] - 2) < 1e-12 && std::fabs (C[8] + 16) < 1e-12 && std::fabs (center[0]) < 1e-12 && other[2] == 0);
  CHECK (gradient.position (ball) == ldy::vector3 {});
  std::vector<double> master_frame (9), slave_frame (9, 7.0), master_point (3), slave_point (3, 7.0);
  gradient.joint (contact, master_frame, master_point, slave_frame, slave_point);
  CHECK (master_frame == frame && master_point == point && slave_point == other && slave_frame == std::vector<double> (9));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "slave_frame: 3 values where 9", [&] { gradient.joint (contact, frame, point, other, other); }));
  CHECK (gradient.compute (system, derivatives, R, {}, {}, { 0, 0, 0, 0, 0, 1 }).is_singular == 0);
  gradient.velocity (ball, u);
  CHECK (std::fabs (u[5]) < 1e-12);
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "by_U: 1 values where 3", [&] { gradient.compute (system, derivatives, R, {}, { 1 }, {}); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "tensor: 6 values where 9", [&] { gradient.inertia (ball, u); }));
}

/* Balls of the masses 1, 2 and 3 that come down at the speed 1. */
void test_batches ()
{
  std::vector<ldy::System> systems (3);
  std::vector<ldy_system *> raw;
  std::vector<double> R (9), zero (9), by_B (9), residuals (3);
  std::vector<std::int32_t> statuses (3, 7);
  std::vector<ldy_fit> fits (3);
  const std::vector<std::size_t> starts = { 0, 3, 6, 9 };
  const ldy::view<const double> unit (axes);
  for (int k = 0; k < 3; k ++) {
    ldy::System &system = systems[static_cast<std::size_t> (k)];
    const ldy::id ball = system.add_rigid (k + 1, unit, unit, { 0, 0, 0 });
    system.set_velocity (ball, { 0, 0, 0, 0, 0, -1 });
    const ldy::id contact = system.add_point_constraint (ball, ldy::ground, unit, { 0, 0, 0 }, {});
    system.set_laws (std::vector<ldy::id> { contact }, std::vector<ldy_law> { ldy::contact_law (0.5) });
    raw.push_back (system.raw ());
  }
  ldy::batch empty, batch = std::move (empty);
  CHECK (empty.raw () == nullptr);
  batch.update (raw, 0.5);
  batch.solve (raw, R, starts, statuses, residuals);
  for (std::size_t k = 0; k < 3; k ++)
    CHECK (std::fabs (R[3 * k + 2] - 2 * static_cast<double> (k + 1)) < 1e-7 && statuses[k] == LDY_STATUS_CONVERGED && residuals[k] <= 1e-8);
  batch.adjoint (raw, R, { 0, 0, 1, 0, 0, 1, 0, 0, 1 }, zero, by_B, starts, fits);
  CHECK (std::fabs (by_B[2] + 2) < 1e-9 && std::fabs (by_B[8] + 6) < 1e-9 && fits[2].is_solution == 1);
  batch.solve (raw, R, starts);
  /* Each vector has a place for a fourth value, which stays. */
  std::vector<double> wide (12, 9.0), product (11, 9.0), by_wide (12, 1.0), by_B_wide (12, 9.0), Rs (12, 0.0);
  std::vector<ldy_law> laws (3);
  batch.solve_strided (raw, Rs, 4, statuses, residuals);
  batch.multiply_strided (raw, Rs, 4, ldy::view<double> (product.data (), 11), 4);
  batch.adjoint_strided (raw, Rs, by_wide, by_wide, by_B_wide, 4, fits, laws, 1);
  for (std::size_t k = 0; k < 3; k ++)
    CHECK (Rs[4 * k + 2] == R[3 * k + 2] && Rs[4 * k + 3] == 0 && std::fabs (product[4 * k + 2] - 1) < 1e-7 && by_B_wide[4 * k + 3] == 9);
  CHECK (product[3] == 9 && laws[2].bias[2] != 0 && fits[1].is_solution == 1);
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "R: the values of system 2 are not all there", [&] { batch.solve_strided (raw, ldy::view<double> (Rs.data (), 10), 4); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "by_laws: the values of system 2", [&] { batch.adjoint_strided (raw, Rs, wide, wide, by_B_wide, 4, {}, laws, 2); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "R: a stride of 16 bytes is too short", [&] { batch.solve_strided (raw, Rs, 2); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "starts: the last value", [&] { batch.solve (raw, ldy::view<double> (R.data (), 8), starts); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "statuses: 2 values where 3", [&] { batch.solve (raw, R, starts, ldy::view<std::int32_t> (statuses.data (), 2)); }));
}

#if __cplusplus >= 202002L
void test_spans ()
{
  ldy::System system;
  std::span<const double> identity (axes);
  system.add_point_constraint (system.add_rigid (1, identity, identity, identity.first (3)), ldy::ground, identity, identity.last (3), {});
  system.update (1);
  std::vector<double> x (3, 1.0), y (3);
  system.multiply (std::span (x), std::span (y));
  CHECK (system.results ().size () == 1 && y[0] > 0);
}
#endif

} // namespace

int main (int, char **argv)
{
  test_rigid ();
  test_rows ();
  test_joints ();
  test_bodies_between_each_other ();
  test_operators ();
  test_solvers ();
  test_exhausted_memory ();
  test_moves ();
  test_models ();
  test_errors ();
  test_inventory ();
  test_progress ();
  test_files (argv[1]);
  test_stability ();
  test_columns ();
  test_nodes ();
  test_forces ();
  test_many ();
  test_factors ();
  test_conflicts ();
  test_solution_sets ();
  test_derivatives ();
  test_gradients ();
  test_batches ();
  test_rows_of_locdyn ();
#if __cplusplus >= 202002L
  test_spans ();
#endif
  std::printf ("%d checks, %d failed\n", checks, failed);
  return failed != 0;
}
