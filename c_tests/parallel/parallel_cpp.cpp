/* ldy_parallel.hpp: every function does what its counterpart in C does; errors are exceptions on all processes. A chain of spheres goes
 * through all processes, and is compared with one process. */
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <mpi.h>

#include "ldy_parallel.hpp"

#include "support/throws.hpp"

extern "C" {
#include "mpi/summary.h"
#include "support/check.h"
}

namespace {

constexpr std::array<double, 9> axes = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
constexpr std::array<double, 3> right = { 0.5, 0, 0 }, left = { -0.5, 0, 0 };

int rank, ranks;

void add_sphere (ldy::System &system, int k)
{
  ldy::id body = system.add_rigid (1 + 0.1 * k, axes, axes, { 0, 0, 0 });
  system.set_velocity (body, { 0, 0.1 * k, 0, -1.0 * k, 0.5, -2 });
  system.set_positions ({ body }, { 1.0 * k, 0, 0 });
}

/* Spheres 2 rank and 2 rank + 1. Constraint k is between spheres k and k + 1; the last one is on the ground. */
ldy::parallel chain ()
{
  ldy::parallel parallel (MPI_Comm_c2f (MPI_COMM_WORLD));
  ldy::id first = 2 * rank;
  bool is_last = rank == ranks - 1;
  parallel.set_next_ids (first, first);
  add_sphere (parallel.system (), 2 * rank), add_sphere (parallel.system (), 2 * rank + 1);
  std::vector<ldy::id> ghosts;
  std::vector<std::int32_t> owners;
  if (!is_last) ghosts.push_back (first + 2), owners.push_back (rank + 1);
  parallel.add_ghosts (ghosts, owners);
  std::vector<double> frames (axes.begin (), axes.end ()), masters (right.begin (), right.end ()), slaves (left.begin (), left.end ());
  for (auto *both : { &frames, &masters, &slaves }) both->insert (both->end (), both->begin (), both->begin () + static_cast<long> (both->size ()));
  parallel.add_point_constraints ({ first, first + 1 }, { first, first + 1 }, { first + 1, is_last ? ldy::ground : first + 2 }, frames, masters, slaves);
  for (ldy::id k : { first, first + 1 }) parallel.system ().set_law (k, ldy::fixed_law ());
  return parallel;
}

ldy::System serial ()
{
  ldy::System system;
  for (int k = 0; k < 2 * ranks; k ++) add_sphere (system, k);
  for (int k = 0; k < 2 * ranks; k ++)
    system.set_law (system.add_point_constraint (k, k + 1 < 2 * ranks ? k + 1 : ldy::ground, axes, right, left), ldy::fixed_law ());
  system.update (0.25);
  return system;
}

void check_rows (const ldy::parallel &parallel, const ldy::rows &whole)
{
  ldy::rows mine = parallel.system ().results ();
  for (std::int32_t row : parallel.rows ()) {
    auto k = static_cast<std::size_t> (row), same = static_cast<std::size_t> (mine.constraints ()[k]);
    CHECK_SAME_BITS (&mine.B ()[3 * k], &whole.B ()[3 * same], 3 * sizeof (double));
    CHECK_SAME_BITS (mine.diagonal (k).data (), whole.diagonal (same).data (), 9 * sizeof (double));
  }
}

/* All results of one step. */
void check_step (ldy::parallel &parallel)
{
  ldy::System system = serial ();
  parallel.update (0.25);
  check_rows (parallel, system.results ());
  std::vector<double> x (parallel.scalar_count (), 1), y (x), through (x), all (system.results ().scalars (), 1), expected (all);
  CHECK (x.size () == 3 * parallel.constraint_count ());
  parallel.multiply (x, y), parallel.multiply (x, through, LDY_MULTIPLY_THROUGH_BODIES);
  system.multiply (all, expected);
  std::size_t at = 0;
  for (std::int32_t row : parallel.rows ()) {
    auto same = static_cast<std::size_t> (parallel.system ().results ().constraints ()[static_cast<std::size_t> (row)]);
    CHECK_SAME_BITS (&y[at], &expected[3 * same], 3 * sizeof (double));
    at += 3;
  }
  double sum = 0;
  for (double value : expected) sum += value;
  CHECK_NEAR (parallel.dot (x, y), sum, 1e-12);
  CHECK_NEAR (parallel.dot (x, through), sum, 1e-12);
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "flags", [&] { parallel.multiply (x, y, 2); }));
  ldy::contact_solver_options options;
  options.tolerance = 1e-12;
  std::vector<double> R (x.size ());
  ldy::contact_solver_report report = parallel.solve (R, options);
  CHECK (report.converged () && report.residual <= 1e-12 && report.sweeps > 0);
  parallel.apply_reactions (R);
  parallel.refresh ();
  parallel.update (0.25);
  ldy::values B = parallel.system ().results ().B ();
  for (std::int32_t row : parallel.rows ()) for (int i = 0; i < 3; i ++) CHECK_NEAR (B[static_cast<std::size_t> (3 * row + i)], 0, 1e-9);
}

/* The files are those of the function in C. */
void check_files (const ldy::parallel &parallel, const std::string &path)
{
  auto content = [&] {
    std::ifstream file (path, std::ios::binary);
    return std::string (std::istreambuf_iterator<char> (file), {});
  };
  for (int format : std::array<int, 2> { LDY_FILE_FORMAT_NPZ, LDY_FILE_FORMAT_MATRIX_MARKET | LDY_PARALLEL_PIECES }) {
    CHECK_INT (ldy_parallel_rows_write (parallel.raw (), path.c_str (), format), 0);
    std::string expected = content ();
    MPI_Barrier (MPI_COMM_WORLD);
    std::remove (path.c_str ());
    MPI_Barrier (MPI_COMM_WORLD);
    parallel.write_rows (path, format);
    CHECK (!expected.empty () && content () == expected);
    MPI_Barrier (MPI_COMM_WORLD);
  }
  std::remove (path.c_str ());
  std::remove ((path + "." + std::to_string (rank) + ".mtx").c_str ());
  CHECK (fails (LDY_ERROR_FILE_OPEN, "/nowhere", [&] { parallel.write_rows ("/nowhere/W", LDY_FILE_FORMAT_NPZ); }));
}

/* A ghost gets the velocity of its body. */
void check_refresh (ldy::parallel &parallel)
{
  std::array<double, 6> before, velocity = { 1.0 + rank, 0, 0, 0, 0, 0 };
  parallel.system ().velocity (2 * rank, before);
  parallel.system ().set_velocity (2 * rank, velocity);
  parallel.refresh ();
  if (rank + 1 < ranks) {
    parallel.system ().velocity (2 * rank + 2, velocity);
    CHECK (velocity[0] == 2.0 + rank);
  }
  parallel.system ().set_velocity (2 * rank, before);
}

/* A constraint gets the process of its first sphere, and all arrive where they began. */
void check_migration (ldy::parallel &parallel)
{
  std::vector<ldy::id> own, constraints;
  for (ldy::id k : { 2 * rank, 2 * rank + 1 }) own.push_back (k), constraints.push_back (k);
  std::vector<std::int32_t> to (2, (rank + 1) % ranks), found (2, -1), found_constraints (2, -1), weights (2, 1);
  parallel.partition (own, found, constraints, found_constraints, {}, weights);
  for (std::size_t k = 0; k < 2; k ++) CHECK (found[k] == rank && found_constraints[k] == rank);
  parallel.migrate (own, to, constraints, to);
  int before = (rank + ranks - 1) % ranks;
  own = parallel.bodies ();
  CHECK ((own == std::vector<ldy::id> { 2 * before, 2 * before + 1 }) && parallel.constraints () == own);
  parallel.update (0.25);
  CHECK (parallel.constraints () == own);
  parallel.partition (own, found, own, found_constraints, {}, weights);
  for (std::size_t k = 0; k < 2; k ++) CHECK (found[k] == before && found_constraints[k] == before);
  std::vector<double> points;
  for (ldy::id k : own) points.insert (points.end (), { 0, -1.0 * static_cast<double> (k), 0 });
  parallel.partition (own, found, own, found_constraints, points, weights);
  for (std::size_t k = 0; k < 2; k ++) CHECK (found[k] == ranks - 1 - before && found_constraints[k] == ranks - 1 - before);
  parallel.migrate (own, std::vector<std::int32_t> (2, before), own, std::vector<std::int32_t> (2, before));
  ldy::parallel_stats stats = parallel.stats ();
  CHECK (ranks == 1 || stats.messages > 0);
}

/* An array with a wrong length on the last process is an error on all; nobody waits. */
void check_lengths (ldy::parallel &parallel)
{
  parallel.update (0.25);
  bool is_last = rank == ranks - 1;
  std::vector<double> x (parallel.scalar_count (), 1), y (x);
  if (is_last) y.pop_back ();
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, is_last ? "y: its length" : "NULL", [&] { parallel.multiply (x, y); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, is_last ? "y: its length" : "NULL", [&] { (void) parallel.dot (x, y); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "", [&] { parallel.apply_reactions (y); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "", [&] { parallel.solve (y); }));
  std::vector<std::int32_t> none, owners (is_last ? 1 : 0);
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, is_last ? "owners" : "NULL", [&] { parallel.add_ghosts ({}, owners); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, is_last ? "points" : "NULL", [&] { parallel.partition ({}, none, {}, none, is_last ? ldy::values (x) : ldy::values ()); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, is_last ? "constraint_ranks" : "NULL", [&] { parallel.migrate ({}, {}, {}, owners); }));
  CHECK (fails (LDY_ERROR_INVALID_ARGUMENT, "masters", [&] { parallel.add_point_constraints ({ 7 }, { 0, 1 }, {}, axes, {}, {}); }));
  CHECK (fails (LDY_ERROR_NOT_FOUND, "1000", [&] { parallel.remove_bodies ({ 1000 }); }));
  y.resize (x.size ());
  parallel.multiply (x, y);
}

void run (const std::string &path)
{
  ldy::parallel first = chain ();
  ldy::parallel parallel = std::move (first);
  check_step (parallel);
  check_files (parallel, path);
  check_refresh (parallel);
  check_migration (parallel);
  check_lengths (parallel);
}

} // namespace

int main (int argc, char **argv)
{
  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  try {
    run (argc > 1 ? argv[1] : "parallel_cpp");
  } catch (const ldy::Error &error) {
    std::printf ("rank %d: %s\n", rank, error.what ());
    MPI_Abort (MPI_COMM_WORLD, 1);
  }
  int code = summary_of_ranks ("parallel_cpp");
  MPI_Finalize ();
  return code;
}
