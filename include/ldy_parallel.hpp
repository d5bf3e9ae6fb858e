/* ldy_parallel.hpp: ldy_parallel.h for C++17, one system across the processes of an MPI communicator
 *
 * Header only; needs the library for MPI, and no header of MPI. The functions and their comments are in ldy_parallel.h; conventions
 * are as in ldy.hpp. A collective function that fails throws ldy::Error on all processes. If an array has a wrong length on one process,
 * its own error names the array, and the errors of the others its rank.
 *
 *   ldy::parallel parallel (MPI_Comm_c2f (MPI_COMM_WORLD));
 *   parallel.set_next_ids (first_body, 0);
 *   ldy::id block = parallel.system ().add_rigid (6, inertia, axes, center);
 *   parallel.add_ghosts (bodies, owners);
 *   parallel.update (0.01);
 *   ldy::contact_solver_report report = parallel.solve (R);
 */

#ifndef LDY_PARALLEL_HPP
#define LDY_PARALLEL_HPP

#include "ldy.hpp"
#include "ldy_parallel.h"

namespace ldy {

/* Counts of a process; see ldy_parallel_stats. */
struct parallel_stats : ldy_parallel_stats {
  parallel_stats () noexcept : ldy_parallel_stats () { size = sizeof (ldy_parallel_stats); }
};

/* A system across the processes of a communicator. It is destroyed by all processes together, or after MPI_Finalize. */
class parallel {
public:
  /* communicator: its Fortran handle, MPI_Comm_c2f (comm). */
  explicit parallel (int communicator)
  {
    ldy_parallel *raw = nullptr;
    ldy_system *local = nullptr;
    detail::check (ldy_parallel_create (communicator, &raw));
    raw_.reset (raw);
    detail::check (ldy_parallel_system (raw, &local));
    local_ = System::borrowed (local);
  }

  /* The underlying C object. */
  ldy_parallel *raw () const noexcept { return raw_.get (); }

  /* The bodies and constraints of this process, ghosts and halo; see ldy_parallel_system. */
  System &system () noexcept { return local_; }

  /* The same, to be read alone. */
  const System &system () const noexcept { return local_; }

  /* The global ids of the body and the constraint that are inserted next. */
  void set_next_ids (id body, id constraint) { detail::check (ldy_parallel_set_next_ids (raw (), body, constraint)); }

  void add_ghosts (view<const id> bodies, indices owners)
  {
    arrays given;
    given.need (owners, bodies.size (), "owners");
    given.check (ldy_parallel_add_ghosts (raw (), given.data (bodies), given.data (owners), given.count (bodies)));
  }

  void refresh () { detail::check (ldy_parallel_refresh (raw ())); }

  /* Not collective. */
  void remove_bodies (view<const id> bodies)
  {
    detail::check (ldy_parallel_remove_bodies (raw (), bodies.data (), bodies.size ()));
  }

  /* Not collective. slaves empty: all slaves are the ground; points empty: all are the origin. */
  void add_point_constraints (view<const id> constraints, view<const id> masters, view<const id> slaves, values frames,
    values master_points, values slave_points)
  {
    constexpr std::size_t of_vector = 3 * sizeof (double);
    std::size_t count = constraints.size ();
    detail::need (masters, count, "masters"), detail::need (frames, 9 * count, "frames");
    if (!slaves.empty ()) detail::need (slaves, count, "slaves");
    if (!master_points.empty ()) detail::need (master_points, 3 * count, "master_points");
    if (!slave_points.empty ()) detail::need (slave_points, 3 * count, "slave_points");
    detail::check (ldy_parallel_add_point_constraints (raw (), constraints.data (), sizeof (id), masters.data (), slaves.data (),
      sizeof (id), frames.data (), 3 * of_vector, master_points.data (), slave_points.data (), of_vector, count));
  }

  void update (double h) { detail::check (ldy_parallel_update (raw (), h)); }

  [[nodiscard]] std::size_t constraint_count () const noexcept { return ldy_parallel_constraint_count (raw ()); }
  [[nodiscard]] std::size_t scalar_count () const noexcept { return ldy_parallel_scalar_count (raw ()); }

  /* The bodies that this process owns, ascending. */
  [[nodiscard]] std::vector<id> bodies () const
  {
    std::vector<id> all (ldy_parallel_body_count (raw ()));
    detail::check (ldy_parallel_bodies (raw (), all.data (), all.size ()));
    return all;
  }

  /* The constraints of this process, ascending, without its halo. */
  [[nodiscard]] std::vector<id> constraints () const
  {
    std::vector<id> all (constraint_count ());
    detail::check (ldy_parallel_constraints (raw (), all.data (), all.size ()));
    return all;
  }

  /* The rows of system ().results () that belong to this process. */
  [[nodiscard]] std::vector<std::int32_t> rows () const
  {
    std::vector<std::int32_t> all (constraint_count ());
    detail::check (ldy_parallel_rows (raw (), all.data (), all.size ()));
    return all;
  }

  /* y = W x. flags: 0 or LDY_MULTIPLY_THROUGH_BODIES. */
  void multiply (values x, view<double> y, std::int32_t flags = 0) const
  {
    arrays given;
    given.need (y, x.size (), "y");
    given.check (ldy_parallel_multiply (raw (), given.data (x), given.data (y), given.count (x), flags));
  }

  [[nodiscard]] double dot (values x, values y) const
  {
    double sum = 0;
    arrays given;
    given.need (y, x.size (), "y");
    given.check (ldy_parallel_dot (raw (), given.data (x), given.data (y), given.count (x), &sum));
    return sum;
  }

  void apply_reactions (values R) { detail::check (ldy_parallel_apply_reactions (raw (), R.data (), R.size ())); }

  /* Write W of all processes. format: LDY_FILE_FORMAT_MATRIX_MARKET or LDY_FILE_FORMAT_NPZ; add LDY_PARALLEL_PIECES for a file for each
     process, and an index. */
  void write_rows (const std::string &path, int format) const
  {
    detail::check (ldy_parallel_rows_write (raw (), path.c_str (), format));
  }

  /* R: in the initial guess, out the forces. mode: LDY_PARALLEL_SAME_BITS or LDY_PARALLEL_FAST. */
  contact_solver_report solve (view<double> R, const contact_solver_options &options = {}, int mode = LDY_PARALLEL_SAME_BITS)
  {
    contact_solver_report report;
    detail::progress_hook hook (options);
    hook.check (ldy_parallel_solve (raw (), hook.options (), mode, R.data (), R.size (), &report));
    return report;
  }

  /* Write the rank of each body and constraint. points empty: positions of bodies; weights empty: counts of constraints. */
  void partition (view<const id> bodies, view<std::int32_t> body_ranks, view<const id> constraints,
    view<std::int32_t> constraint_ranks, values points = {}, indices weights = {}) const
  {
    arrays given;
    given.need (body_ranks, bodies.size (), "body_ranks"), given.need (constraint_ranks, constraints.size (), "constraint_ranks");
    if (!points.empty ()) given.need (points, 3 * bodies.size (), "points");
    if (!weights.empty ()) given.need (weights, bodies.size (), "weights");
    given.check (ldy_parallel_partition (raw (), given.data (bodies), given.data (points), given.data (weights), given.data (body_ranks),
      given.count (bodies), given.data (constraints), given.data (constraint_ranks), given.count (constraints)));
  }

  /* Move bodies and constraints to the processes of these ranks. */
  void migrate (view<const id> bodies, indices body_ranks, view<const id> constraints, indices constraint_ranks)
  {
    arrays given;
    given.need (body_ranks, bodies.size (), "body_ranks"), given.need (constraint_ranks, constraints.size (), "constraint_ranks");
    given.check (ldy_parallel_migrate (raw (), given.data (bodies), given.data (body_ranks), given.count (bodies), given.data (constraints),
      given.data (constraint_ranks), given.count (constraints)));
  }

  [[nodiscard]] parallel_stats stats () const
  {
    parallel_stats counts;
    detail::check (ldy_parallel_get_stats (raw (), &counts));
    return counts;
  }

private:
  /* Arrays of a collective function. It is called in any case, since other processes wait in it: if an array has a wrong length, all
     are NULL, and the function returns an error on all processes. */
  class arrays {
  public:
    template <class T> void need (view<T> array, std::size_t count, const char *name) noexcept
    {
      if (array.size () != count && !wrong_) wrong_ = name;
    }

    template <class T> T *data (view<T> array) const noexcept { return wrong_ ? nullptr : array.data (); }
    template <class T> std::size_t count (view<T> array) const noexcept { return wrong_ ? 1 : array.size (); }

    void check (int code) const
    {
      if (code != 0 && wrong_) throw Error (code, std::string (wrong_) + ": its length is wrong");
      detail::check (code);
    }

  private:
    const char *wrong_ = nullptr;
  };

  struct destroyer {
    void operator() (ldy_parallel *raw) const noexcept { ldy_parallel_destroy (raw); }
  };

  std::unique_ptr<ldy_parallel, destroyer> raw_;
  System local_ { nullptr };
};

} // namespace ldy

#endif
