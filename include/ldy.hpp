/* ldy.hpp: ldy_system.h for C++17, local dynamics of any system of constrained bodies, U = B + W R
 *
 * Header only. The functions and their comments are in ldy_system.h: storage by columns, signs, units, ids, threads. C++ adds:
 *
 * - An ldy::system owns its bodies and constraints, and destroys them in its destructor. It can be moved, not copied.
 * - A function that fails throws ldy::error with the library's text, and has changed nothing, except where ldy_system.h
 *   says so. If an inverse callback throws, the function that called it rethrows the same exception.
 * - Arrays are ldy::views of contiguous values: C arrays, std::vector, std::array, std::span, vectors of Eigen, a list in
 *   braces. A view does not own its values. A wrong length is an error.
 *
 *   ldy::system system;
 *   auto block = system.add_rigid (6, inertia, axes, center);
 *   system.set_velocity (block, { 0, 0, 0, 3, 0, -2 });
 *   system.add_point_constraint (block, ldy::ground, frame, point, {});
 *   system.update (0.01);
 *   ldy::rows rows = system.results ();
 *   ldy::contact_solver solver;
 *   ldy::contact_solver_report report = solver.solve (system, laws, R);
 */

#ifndef LDY_HPP
#define LDY_HPP

#include <array>
#include <cstddef>
#include <exception>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ldy_system.h"

namespace ldy {

/* The id of a body or a constraint; see ldy_system.h. */
using id = long long;

/* The id of the ground, for a constraint that has a body on one side only. */
inline constexpr id ground = LDY_GROUND;

/* An error: one of the codes of ldy_system.h, and a text that names constraint and bodies. */
class error : public std::runtime_error {
public:
  error (int code, const std::string &text) : std::runtime_error (text), code_ (code) {}

  int code () const noexcept { return code_; }

private:
  int code_;
};

/* Contiguous values with another owner: the part of C++20's std::span that is needed here. */
template <class T> class view {
public:
  constexpr view () noexcept = default;
  constexpr view (T *data, std::size_t size) noexcept : data_ (data), size_ (size) {}
  template <std::size_t N> constexpr view (T (&array)[N]) noexcept : data_ (array), size_ (N) {}

  /* A list in braces. It is valid until the end of the full expression. */
  template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
  constexpr view (std::initializer_list<std::remove_const_t<U>> list) noexcept
  {
    data_ = list.begin ();
    size_ = list.size ();
  }

  /* Any container with data () and size (). */
  template <class C, class = std::enable_if_t<std::is_convertible_v<decltype (std::declval<C &> ().data ()), T *>>,
            class = decltype (std::declval<C &> ().size ())>
  constexpr view (C &&values) : data_ (values.data ()), size_ (static_cast<std::size_t> (values.size ())) {}

  constexpr T *data () const noexcept { return data_; }
  constexpr std::size_t size () const noexcept { return size_; }
  constexpr bool empty () const noexcept { return size_ == 0; }
  constexpr T *begin () const noexcept { return data_; }
  constexpr T *end () const noexcept { return data_ + size_; }
  constexpr T &operator[] (std::size_t k) const noexcept { return data_[k]; }

private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

using values = view<const double>;
using vector3 = std::array<double, 3>;
using matrix3 = std::array<double, 9>;
using indices = view<const int>;

/* An operator H of three rows, or of the number of rows given to add_rows; see ldy_operator. Empty for the ground. */
class operator_view {
public:
  operator_view () noexcept = default;

  /* 3 n values, column-major. */
  operator_view (values dense) : entries_ (dense) { columns_ = static_cast<int> (dense.size () / 3); }

  /* Compressed sparse columns: n + 1 starts, and a row, 0, 1 or 2, for each entry. */
  operator_view (indices starts, indices rows, values entries) : starts_ (starts), rows_ (rows), entries_ (entries)
  {
    columns_ = static_cast<int> (starts.size ()) - 1;
  }

  /* By nodes, with three of the n columns for each: 9 values of Q, then a weight for each node. Nodes count from 0 and ascend. */
  static operator_view by_nodes (int n, indices nodes, values factor_and_weights)
  {
    operator_view H;
    H.columns_ = n, H.rows_ = nodes, H.entries_ = factor_and_weights;
    return H;
  }

  bool empty () const noexcept { return columns_ == 0 && entries_.empty (); }

private:
  friend class system;
  indices starts_, rows_;
  values entries_;
  int columns_ = 0;
};

/* The results of an update; see ldy_rows. They belong to the system and are valid until its next change. */
class rows {
public:
  /* Number of rows; number of blocks, including diagonal blocks. */
  std::size_t size () const noexcept { return static_cast<std::size_t> (raw_.rows); }
  std::size_t blocks () const noexcept { return static_cast<std::size_t> (raw_.blocks); }

  /* Row k has the blocks starts ()[k] <= i < starts ()[k + 1]. */
  indices starts () const noexcept { return { raw_.starts, size () + 1 }; }
  indices columns () const noexcept { return { raw_.columns, blocks () }; }
  values blocks_of_W () const noexcept { return { raw_.values, raw_.value_starts ? raw_.value_starts[blocks ()] : 9 * blocks () }; }
  values block (std::size_t i) const noexcept { return part (raw_.values, raw_.value_starts, i); }
  values B () const noexcept { return { raw_.B, scalars () }; }
  values V () const noexcept { return { raw_.V, scalars () }; }
  values diagonal (std::size_t row) const noexcept { return part (raw_.diagonal, raw_.diagonal_starts, row); }
  values inverse (std::size_t row) const noexcept { return part (raw_.inverse, raw_.diagonal_starts, row); }

  /* Number of values of B, V and R; index of the first of a row. */
  std::size_t scalars () const noexcept { return raw_.scalars; }
  std::size_t scalar (std::size_t row) const noexcept
  {
    return raw_.scalar_starts ? static_cast<std::size_t> (raw_.scalar_starts[row]) : 3 * row;
  }

  view<const id> constraints () const noexcept { return { raw_.constraints, size () }; }

  /* The underlying C object. */
  const ldy_rows &raw () const noexcept { return raw_; }

private:
  friend class system;
  friend class locdyn_rows;
  static values part (const double *first, const std::size_t *starts, std::size_t k) noexcept
  {
    return starts ? values { first + starts[k], starts[k + 1] - starts[k] } : values { first + 9 * k, 9 };
  }

  ldy_rows raw_ = {};
};

/* See ldy_system_csr. */
struct compressed_rows {
  std::vector<int> starts, columns;
  std::vector<double> values;
};

/* See ldy_system_spectral_radius. */
struct eigenvalue {
  double value, residual;
};

/* See ldy_system_critical_step. */
struct critical_step {
  double omega_squared, step;
  id constraint;
  double share;
};

/* The changes that system::sync_constraints has made; see ldy_sync_report. */
struct sync_report : ldy_sync_report {
  sync_report () noexcept : ldy_sync_report () { size = sizeof (ldy_sync_report); }
};

/* An inverse callback: replaces x by A^-1 x. x has contiguous columns of size values each. It may throw. */
using solver = std::function<void (int size, int columns, double *x)>;

/* A system: bodies, constraints between them, and the results of the last update. One thread at a time may use it. */
class system {
public:
  system ()
  {
    ldy_system *raw = nullptr;
    check (ldy_system_create (&raw));
    raw_.reset (raw);
  }

  system (system &&other) noexcept = default;

  /* A system that is moved to itself stays as it is. */
  system &operator= (system &&other) noexcept
  {
    system moved (std::move (other));
    std::swap (solvers_, moved.solvers_), std::swap (raw_, moved.raw_);
    return *this;
  }

  /* The underlying C object. */
  ldy_system *raw () const noexcept { return raw_.get (); }

  /* ---- bodies */

  id add_rigid (double mass, values inertia, values rotation, values center)
  {
    id body;
    need (inertia, 9, "inertia"), need (rotation, 9, "rotation"), need (center, 3, "center");
    check (ldy_system_add_rigid (raw (), mass, inertia.data (), rotation.data (), center.data (), &body));
    return body;
  }

  id add_pseudo_rigid (double mass, values euler, values center)
  {
    id body;
    need (euler, 9, "euler"), need (center, 3, "center");
    check (ldy_system_add_pseudo_rigid (raw (), mass, euler.data (), center.data (), &body));
    return body;
  }

  id add_obstacle (values rotation, values center)
  {
    id body;
    need (rotation, 9, "rotation"), need (center, 3, "center");
    check (ldy_system_add_obstacle (raw (), rotation.data (), center.data (), &body));
    return body;
  }

  id add_dense (int n, values inverse)
  {
    id body;
    need (inverse, square (n), "inverse");
    check (ldy_system_add_dense (raw (), n, inverse.data (), &body));
    return body;
  }

  id add_diagonal (values inverse)
  {
    id body;
    check (ldy_system_add_diagonal (raw (), length (inverse), inverse.data (), &body));
    return body;
  }

  /* A in compressed sparse columns: n + 1 starts, and a row for each entry. */
  id add_matrix (indices starts, indices rows, values entries)
  {
    id body;
    need (rows, entries.size (), "rows");
    check (ldy_system_add_matrix (raw (), length (starts) - 1, starts.data (), rows.data (), entries.data (), entries.size (),
      &body));
    return body;
  }

  id add_solver (int n, solver apply)
  {
    id body;
    auto kept = std::make_shared<kept_solver> (kept_solver { std::move (apply), nullptr });
    solver_map entries = entries_of (kept, 1);
    check (ldy_system_add_solver (raw (), n, call, kept.get (), &body));
    keep (entries, { &body, 1 });
    return body;
  }

  /* Insert bodies with a shared inverse callback. sizes: number of velocities of each body. A column has the velocities of all
     bodies, in the order of sizes. */
  std::vector<id> add_model (indices sizes, solver apply)
  {
    std::vector<id> bodies (sizes.size ());
    auto kept = std::make_shared<kept_solver> (kept_solver { std::move (apply), nullptr });
    solver_map entries = entries_of (kept, sizes.size ());
    check (ldy_system_add_model (raw (), sizes.data (), sizes.size (), call, kept.get (), bodies.data ()));
    keep (entries, bodies);
    return bodies;
  }

  void remove_body (id body)
  {
    check (ldy_system_remove_body (raw (), body));
    solvers_.erase (body);
  }

  void set_rotation (id body, values rotation)
  {
    need (rotation, 9, "rotation");
    check (ldy_system_set_rotation (raw (), body, rotation.data ()));
  }

  void set_mass (id body, double mass, values inertia)
  {
    need (inertia, 9, "inertia");
    check (ldy_system_set_mass (raw (), body, mass, inertia.data ()));
  }

  void set_dense (id body, int n, values inverse)
  {
    need (inverse, square (n), "inverse");
    check (ldy_system_set_dense (raw (), body, n, inverse.data ()));
  }

  void set_diagonal (id body, values inverse) { check (ldy_system_set_diagonal (raw (), body, length (inverse), inverse.data ())); }

  void set_matrix (id body, indices starts, indices rows, values entries)
  {
    need (rows, entries.size (), "rows");
    check (ldy_system_set_matrix (raw (), body, length (starts) - 1, starts.data (), rows.data (), entries.data (),
      entries.size ()));
  }

  void set_velocity (id body, values velocity)
  {
    check (ldy_system_set_velocity (raw (), body, velocity.data (), velocity.size ()));
  }

  void set_previous_velocity (id body, values velocity)
  {
    check (ldy_system_set_previous_velocity (raw (), body, velocity.data (), velocity.size ()));
  }

  void velocity (id body, view<double> out) const { check (ldy_system_velocity (raw (), body, out.data (), out.size ())); }

  void take_any_axes (bool any) { check (ldy_system_take_any_axes (raw (), any)); }

  /* Many bodies at once, with the same number of velocities each; the values of one body follow the values of the previous one. */
  void set_velocities (view<const id> bodies, values all)
  {
    std::size_t n = each (bodies, all);
    check (ldy_system_set_velocities (raw (), bodies.size (), bodies.data (), sizeof (id), n, all.data (), n * sizeof (double)));
  }

  void set_previous_velocities (view<const id> bodies, values all)
  {
    std::size_t n = each (bodies, all);
    check (ldy_system_set_previous_velocities (raw (), bodies.size (), bodies.data (), sizeof (id), n, all.data (),
      n * sizeof (double)));
  }

  void velocities (view<const id> bodies, view<double> out) const
  {
    std::size_t n = each (bodies, values (out));
    check (ldy_system_velocities (raw (), bodies.size (), bodies.data (), sizeof (id), n, out.data (), n * sizeof (double)));
  }

  void set_rotations (view<const id> bodies, values rotations)
  {
    need (rotations, 9 * bodies.size (), "rotations");
    check (ldy_system_set_rotations (raw (), bodies.size (), bodies.data (), sizeof (id), rotations.data (), of_matrix));
  }

  void rotations (view<const id> bodies, view<double> out) const
  {
    need (out, 9 * bodies.size (), "rotations");
    check (ldy_system_rotations (raw (), bodies.size (), bodies.data (), sizeof (id), out.data (), of_matrix));
  }

  /* ---- between the world and a body */

  vector3 body_point (id body, values center, values place) const
  {
    vector3 point;
    need (center, 3, "center"), need (place, 3, "place");
    check (ldy_system_body_point (raw (), body, center.data (), place.data (), point.data ()));
    return point;
  }

  vector3 pseudo_rigid_point (id body, values gradient, values center, values place) const
  {
    vector3 point;
    need (gradient, 9, "gradient"), need (center, 3, "center"), need (place, 3, "place");
    check (ldy_system_pseudo_rigid_point (raw (), body, gradient.data (), center.data (), place.data (), point.data ()));
    return point;
  }

  vector3 body_angular_velocity (id body, values world) const
  {
    vector3 spin;
    need (world, 3, "world");
    check (ldy_system_body_angular_velocity (raw (), body, world.data (), spin.data ()));
    return spin;
  }

  vector3 world_angular_velocity (id body, values referential) const
  {
    vector3 spin;
    need (referential, 3, "referential");
    check (ldy_system_world_angular_velocity (raw (), body, referential.data (), spin.data ()));
    return spin;
  }

  /* ---- constraints */

  id add_point_constraint (id master, id slave, values frame, values master_point, values slave_point)
  {
    id constraint;
    need (frame, 9, "frame"), point (master_point, "master_point"), point (slave_point, "slave_point");
    check (ldy_system_add_point_constraint (raw (), master, slave, frame.data (), master_point.data (), slave_point.data (),
      &constraint));
    return constraint;
  }

  id add_operators (id master, operator_view H_master, id slave, operator_view H_slave)
  {
    id constraint;
    ldy_operator first = of (H_master), second = of (H_slave);
    check (ldy_system_add_operators (raw (), master, pointer (H_master, first), slave, pointer (H_slave, second), &constraint));
    return constraint;
  }

  /* Insert a constraint of one to six rows on one to sixteen bodies, with an operator of this number of rows for each body. */
  id add_rows (int rows, view<const id> bodies, view<const operator_view> H)
  {
    id constraint;
    ldy_operator list[most_bodies];
    need (bodies, H.size (), "bodies"), fill (list, rows, H);
    check (ldy_system_add_rows (raw (), rows, bodies.data (), list, H.size (), &constraint));
    return constraint;
  }

  /* Insert a constraint of one row: coefficient times one generalized velocity of a body. */
  id add_dof_constraint (id body, int freedom, double coefficient)
  {
    id constraint;
    check (ldy_system_add_dof_constraint (raw (), body, freedom, coefficient, &constraint));
    return constraint;
  }

  void set_rows_operators (id constraint, int rows, view<const operator_view> H)
  {
    ldy_operator list[most_bodies];
    fill (list, rows, H);
    check (ldy_system_set_rows_operators (raw (), constraint, list, H.size ()));
  }

  /* Insert constraints that are rows of a Jacobian J; its columns are the velocities of the bodies. heights: number of rows of
     each constraint. Entry (i, j) is J[i row_stride + j column_stride]. Returns the first id. */
  id add_jacobian (view<const id> bodies, indices heights, values J, std::size_t rows, std::size_t columns, std::size_t row_stride,
                   std::size_t column_stride)
  {
    id first;
    need_reach (J, rows, columns, row_stride, column_stride);
    check (ldy_system_add_jacobian (raw (), bodies.data (), bodies.size (), heights.data (), heights.size (), J.data (), rows,
      columns, row_stride, column_stride, &first));
    return first;
  }

  /* The same for compressed rows; counts: empty, or number of entries of each row. */
  id add_sparse_jacobian (view<const id> bodies, indices heights, std::size_t rows, std::size_t columns, indices starts,
    indices counts, indices columns_of, values entries)
  {
    id first;
    need_compressed (rows, starts, counts, columns_of, entries);
    check (ldy_system_add_sparse_jacobian (raw (), bodies.data (), bodies.size (), heights.data (), heights.size (), rows, columns,
                                           starts.data (), counts.data (), columns_of.data (), entries.data (), entries.size (),
                                             &first));
    return first;
  }

  /* Set operators of constraints: rows of a Jacobian, as in add_jacobian. */
  void set_jacobian (view<const id> bodies, view<const id> constraints, values J, std::size_t rows, std::size_t columns,
    std::size_t row_stride, std::size_t column_stride)
  {
    need_reach (J, rows, columns, row_stride, column_stride);
    check (ldy_system_set_jacobian (raw (), bodies.data (), bodies.size (), constraints.data (), constraints.size (), J.data (),
      rows, columns, row_stride, column_stride));
  }

  void set_sparse_jacobian (view<const id> bodies, view<const id> constraints, std::size_t rows, std::size_t columns,
    indices starts, indices counts, indices columns_of, values entries)
  {
    need_compressed (rows, starts, counts, columns_of, entries);
    check (ldy_system_set_sparse_jacobian (raw (), bodies.data (), bodies.size (), constraints.data (), constraints.size (), rows,
      columns, starts.data (), counts.data (), columns_of.data (), entries.data (), entries.size ()));
  }

  /* compliance: m x m for a constraint of m rows, or empty for none. */
  void set_rows_compliance (id constraint, values compliance)
  {
    check (ldy_system_set_rows_compliance (raw (), constraint, compliance.data (), compliance.size ()));
  }

  /* Insert many constraints at points. slaves empty: all slaves are the ground, and slave_points may be empty. Returns the
     first id. */
  id add_point_constraints (view<const id> masters, view<const id> slaves, values frames, values master_points, values slave_points)
  {
    id first;
    std::size_t count = masters.size ();
    if (!slaves.empty ()) need (slaves, count, "slaves");
    need (frames, 9 * count, "frames"), points (master_points, count, "master_points"),
      points (slave_points, count, "slave_points");
    check (ldy_system_add_point_constraints (raw (), count, masters.data (), slaves.data (), sizeof (id), frames.data (), of_matrix,
                                       master_points.data (), slave_points.data (), of_vector, &first));
    return first;
  }

  /* masters empty: bodies do not change, and slaves is not read. */
  void move_constraints (view<const id> constraints, view<const id> masters, view<const id> slaves, values frames,
    values master_points, values slave_points)
  {
    std::size_t count = constraints.size ();
    if (!masters.empty ()) need (masters, count, "masters");
    if (!slaves.empty ()) need (slaves, count, "slaves");
    need (frames, 9 * count, "frames"), points (master_points, count, "master_points"),
      points (slave_points, count, "slave_points");
    check (ldy_system_move_constraints (raw (), count, constraints.data (), sizeof (id), masters.data (), slaves.data (),
      sizeof (id), frames.data (), of_matrix, master_points.data (), slave_points.data (), of_vector));
  }

  void remove_constraints (view<const id> constraints)
  {
    check (ldy_system_remove_constraints (raw (), constraints.size (), constraints.data (), sizeof (id)));
  }

  /* Return frames and points, as they were given. An empty view is not filled. */
  void point_frames (view<const id> constraints, view<double> frames, view<double> master_points, view<double> slave_points) const
  {
    std::size_t count = constraints.size ();
    if (!frames.empty ()) need (frames, 9 * count, "frames");
    points (values (master_points), count, "master_points"), points (values (slave_points), count, "slave_points");
    check (ldy_system_point_frames (raw (), count, constraints.data (), sizeof (id), frames.data (), of_matrix, master_points.data (),
                                  slave_points.data (), of_vector));
  }

  void set_compliances (view<const id> constraints, values compliances)
  {
    need (compliances, 9 * constraints.size (), "compliances");
    check (ldy_system_set_compliances (raw (), constraints.size (), constraints.data (), sizeof (id), compliances.data (),
      of_matrix));
  }

  /* W + diag (mu). mu: one value for all, one for each row, or one for each scalar row. */
  void set_regularization (values mu) { check (ldy_system_set_regularization (raw (), mu.data (), mu.size ())); }

  void set_tag (id constraint, unsigned long long tag) { check (ldy_system_set_tag (raw (), constraint, tag)); }

  void set_tags (view<const id> constraints, view<const unsigned long long> tags)
  {
    need (tags, constraints.size (), "tags");
    check (ldy_system_set_tags (raw (), tags.size (), constraints.data (), sizeof (id), tags.data (), sizeof (unsigned long long)));
  }

  /* Return the tags of all constraints, in the order of rows. */
  void tags (view<unsigned long long> out) const { check (ldy_system_tags (raw (), out.data (), out.size ())); }

  /* Make the constraints with keys equal to a list; see ldy_system_sync_constraints. slaves empty: all slaves are the ground.
     laws: empty, or one for each entry. constraints: empty, or where to write the id of each entry. */
  ldy::sync_report sync_constraints (view<const unsigned long long> keys, view<const id> masters, view<const id> slaves,
    values frames, values master_points, values slave_points, view<const ldy_law> laws = {}, view<id> constraints = {})
  {
    ldy::sync_report report;
    std::size_t count = keys.size ();
    need (masters, count, "masters"), need (frames, 9 * count, "frames");
    points (master_points, count, "master_points"), points (slave_points, count, "slave_points");
    if (!slaves.empty ()) need (slaves, count, "slaves");
    if (!laws.empty ()) need (laws, count, "laws");
    if (!constraints.empty ()) need (constraints, count, "constraints");
    check (ldy_system_sync_constraints (raw (), count, keys.data (), sizeof (unsigned long long), masters.data (), slaves.data (),
      sizeof (id), frames.data (), of_matrix, master_points.data (), slave_points.data (), of_vector, laws.data (), sizeof (ldy_law),
      constraints.data (), sizeof (id), &report));
    return report;
  }

  /* Laws that are kept with constraints; contact_solver::solve uses them if it gets no laws. See ldy_system_set_law. */
  void set_law (id constraint, const ldy_law &law) { check (ldy_system_set_law (raw (), constraint, &law)); }

  /* One law for each constraint. */
  void set_laws (view<const id> constraints, view<const ldy_law> laws)
  {
    need (laws, constraints.size (), "laws");
    check (ldy_system_set_laws (raw (), laws.size (), constraints.data (), sizeof (id), laws.data (), sizeof (ldy_law)));
  }

  ldy_law law (id constraint) const
  {
    ldy_law law;
    check (ldy_system_law (raw (), constraint, &law));
    return law;
  }

  void laws (view<const id> constraints, view<ldy_law> out) const
  {
    need (out, constraints.size (), "laws");
    check (ldy_system_laws (raw (), out.size (), constraints.data (), sizeof (id), out.data (), sizeof (ldy_law)));
  }

  /* Store the reactions of all constraints; see ldy_system_store_reactions. */
  void store_reactions (values R) { check (ldy_system_store_reactions (raw (), R.data (), R.size ())); }

  void stored_reactions (view<double> out) const { check (ldy_system_stored_reactions (raw (), out.data (), out.size ())); }

  void remove_constraint (id constraint) { check (ldy_system_remove_constraint (raw (), constraint)); }

  void move_constraint (id constraint, values frame, values master_point, values slave_point)
  {
    need (frame, 9, "frame"), point (master_point, "master_point"), point (slave_point, "slave_point");
    check (ldy_system_move_constraint (raw (), constraint, frame.data (), master_point.data (), slave_point.data ()));
  }

  void set_operators (id constraint, operator_view H_master, operator_view H_slave)
  {
    ldy_operator first = of (H_master), second = of (H_slave);
    check (ldy_system_set_operators (raw (), constraint, pointer (H_master, first), pointer (H_slave, second)));
  }

  /* compliance: 3 x 3, a diagonal of three values, or empty for none. */
  void set_compliance (id constraint, values compliance)
  {
    if (compliance.size () == 3) {
      check (ldy_system_set_diagonal_compliance (raw (), constraint, compliance.data ()));
    } else {
      if (!compliance.empty ()) need (compliance, 9, "compliance");
      check (ldy_system_set_compliance (raw (), constraint, compliance.data ()));
    }
  }

  /* ---- results */

  void update (double h) { check (ldy_system_update (raw (), h)); }

  ldy::rows results () const
  {
    ldy::rows rows;
    rows.raw_.size = sizeof rows.raw_;
    check (ldy_system_results (raw (), &rows.raw_));
    return rows;
  }

  /* The largest eigenvalue of each diagonal block. */
  std::vector<double> block_eigenvalues () const
  {
    std::vector<double> all (results ().size ());
    check (ldy_system_block_eigenvalues (raw (), all.data (), all.size ()));
    return all;
  }

  /* W in compressed scalar rows. */
  compressed_rows csr () const
  {
    int count;
    std::size_t entries;
    compressed_rows all;
    check (ldy_system_csr_size (raw (), &count, &entries));
    all.starts.resize (static_cast<std::size_t> (count) + 1), all.columns.resize (entries), all.values.resize (entries);
    check (ldy_system_csr (raw (), all.starts.data (), all.starts.size (), all.columns.data (), all.values.data (), entries));
    return all;
  }

  void check_inverses () const { check (ldy_system_check_inverses (raw ())); }

  int row_of (id constraint) const
  {
    int row;
    check (ldy_system_row_of (raw (), constraint, &row));
    return row;
  }

  void multiply (values x, view<double> y) const
  {
    need (y, x.size (), "y");
    check (ldy_system_multiply (raw (), x.data (), y.data (), x.size ()));
  }

  void multiply_through_bodies (values x, view<double> y) const
  {
    need (y, x.size (), "y");
    check (ldy_system_multiply_through_bodies (raw (), x.data (), y.data (), x.size ()));
  }

  /* Several vectors at once, without gaps between them. */
  void multiply_columns (std::size_t columns, values x, view<double> y) const
  {
    std::size_t count = vectors (columns, x, y);
    check (ldy_system_multiply_columns (raw (), columns, x.data (), count, y.data (), count, count));
  }

  void multiply_columns_through_bodies (std::size_t columns, values x, view<double> y) const
  {
    std::size_t count = vectors (columns, x, y);
    check (ldy_system_multiply_columns_through_bodies (raw (), columns, x.data (), count, y.data (), count, count));
  }

  /* Return for each scalar row of W whether it depends on earlier ones; tolerance 0: 1e-10. */
  std::vector<int> redundant (double tolerance = 0) const
  {
    std::vector<int> flags (results ().scalars ());
    redundant (view<int> (flags), tolerance);
    return flags;
  }

  /* The same; flags has a value for each scalar row. Velocities may have changed since the update. */
  void redundant (view<int> flags, double tolerance = 0) const
  {
    check (ldy_system_redundant (raw (), tolerance, flags.data (), flags.size (), nullptr));
  }

  void constraint_force (id body, values R, view<double> force) const
  {
    check (ldy_system_constraint_force (raw (), body, R.data (), R.size (), force.data (), force.size ()));
  }

  void apply_reactions (values R) { check (ldy_system_apply_reactions (raw (), R.data (), R.size ())); }

  eigenvalue spectral_radius (double tolerance, int most_products) const
  {
    eigenvalue found;
    check (ldy_system_spectral_radius (raw (), tolerance, most_products, &found.value, &found.residual));
    return found;
  }

  void write_matrix_market (const std::string &path) const { check (ldy_system_write_matrix_market (raw (), path.c_str ())); }

  void write_npz (const std::string &path) const { check (ldy_system_write_npz (raw (), path.c_str ())); }

  /* See ldy_problem_write. R: empty, or the initial guess. laws: empty for the laws that are kept with the constraints. */
  void write_problem (const std::string &path, values R = {}, view<const ldy_law> laws = {}) const
  {
    check (ldy_problem_write (raw (), laws.data (), laws.size (), R.data (), R.size (), path.c_str ()));
  }

  /* ---- stability */

  void geometric_stiffness (view<const ldy_joint> joints, values R, values x, view<double> y) const
  {
    need (y, x.size (), "y");
    check (ldy_system_geometric_stiffness (raw (), joints.data (), joints.size (), R.data (), R.size (), x.data (), y.data (),
      x.size ()));
  }

  ldy::critical_step critical_step (view<const ldy_joint> joints, values R) const
  {
    ldy::critical_step found;
    check (ldy_system_critical_step (raw (), joints.data (), joints.size (), R.data (), R.size (), &found.omega_squared,
      &found.step, &found.constraint, &found.share));
    return found;
  }

  ldy::critical_step sharp_critical_step (view<const ldy_joint> joints, values R) const
  {
    ldy::critical_step found;
    check (ldy_system_sharp_critical_step (raw (), joints.data (), joints.size (), R.data (), R.size (), &found.omega_squared,
      &found.step, &found.constraint, &found.share));
    return found;
  }

private:
  struct kept_solver {
    solver apply;
    std::exception_ptr thrown;
  };

  struct destroyer {
    void operator() (ldy_system *raw) const noexcept { ldy_system_destroy (raw); }
  };

  /* No exception may pass through C. It is kept, and check rethrows it when the library has returned. */
  static int call (int size, int columns, double *x, void *data)
  {
    auto *kept = static_cast<kept_solver *> (data);
    try {
      kept->apply (size, columns, x);
      return 0;
    } catch (...) {
      kept->thrown = std::current_exception ();
      return 1;
    }
  }

  /* The functions of bodies. A function is kept while one of its bodies exists. */
  using solver_map = std::map<id, std::shared_ptr<kept_solver>>;

  /* Entries for new bodies with a function, made before the bodies, since memory may be exhausted. They get their ids in keep. */
  static solver_map entries_of (const std::shared_ptr<kept_solver> &kept, std::size_t count)
  {
    solver_map entries;
    for (std::size_t k = 0; k < count; k ++) entries.emplace_hint (entries.end (), static_cast<id> (k), kept);
    return entries;
  }

  /* Keep the functions of bodies by such entries. This allocates nothing. */
  void keep (solver_map &entries, view<const id> bodies) noexcept
  {
    for (id body : bodies) {
      auto entry = entries.extract (entries.begin ());
      entry.key () = body;
      solvers_.insert (std::move (entry));
    }
  }

  void check (int code) const
  {
    if (code == 0) return;
    std::exception_ptr first;
    for (auto &[body, kept] : solvers_) {
      std::exception_ptr thrown = std::exchange (kept->thrown, nullptr);
      if (!first) first = thrown;
    }
    if (first) std::rethrow_exception (first);
    throw error (code, ldy_last_error ());
  }

  friend vector3 gyroscopic_change (values inertia, values spin, double h);
  friend matrix3 advance_rotation (values rotation, values before, values after, double h);

  template <class T> static void need (view<T> array, std::size_t count, const char *name)
  {
    if (array.size () == count) return;
    throw error (LDY_ERROR_INVALID_ARGUMENT, std::string (name) + ": " + std::to_string (array.size ()) + " values where "
      + std::to_string (count) + " are needed");
  }

  /* The length of each of several vectors. */
  static std::size_t vectors (std::size_t columns, values x, view<double> y)
  {
    std::size_t count = columns ? x.size () / columns : 0;
    need (x, columns * count, "x"), need (y, columns * count, "y");
    return count;
  }

  static constexpr std::size_t of_matrix = 9 * sizeof (double), of_vector = 3 * sizeof (double);

  /* The number of values of each body, the same for all. */
  static std::size_t each (view<const id> bodies, values all)
  {
    std::size_t n = bodies.empty () ? 0 : all.size () / bodies.size ();
    need (all, n * bodies.size (), "velocities");
    return n;
  }

  /* Check that J has all of its entries. */
  static void need_reach (values J, std::size_t rows, std::size_t columns, std::size_t row_stride, std::size_t column_stride)
  {
    std::size_t reach = rows && columns ? (rows - 1) * row_stride + (columns - 1) * column_stride + 1 : 0;
    if (J.size () < reach) need (J, reach, "J");
  }

  static void need_compressed (std::size_t rows, indices starts, indices counts, indices columns_of, values entries)
  {
    need (starts, counts.empty () ? rows + 1 : rows, "starts"), need (counts, counts.empty () ? 0 : rows, "counts");
    need (columns_of, entries.size (), "indices");
  }

  static void points (values array, std::size_t count, const char *name)
  {
    if (!array.empty ()) need (array, 3 * count, name);
  }

  /* A point; empty for the ground. */
  static void point (values array, const char *name)
  {
    if (!array.empty ()) need (array, 3, name);
  }

  static std::size_t square (int n) { return n > 0 ? static_cast<std::size_t> (n) * static_cast<std::size_t> (n) : 0; }

  template <class T> static int length (view<T> array) { return static_cast<int> (array.size ()); }

  static constexpr std::size_t most_bodies = 16;

  static ldy_operator of (const operator_view &H, std::size_t rows = 3)
  {
    int columns = H.columns_;
    if (H.starts_.empty () && H.rows_.empty ())
    {
      columns = static_cast<int> (H.entries_.size () / rows);
      need (H.entries_, rows * static_cast<std::size_t> (columns), "operator H");
    }
    else if (H.starts_.empty ()) need (H.entries_, 9 + H.rows_.size (), "operator H by nodes");
    else need (H.rows_, H.entries_.size (), "rows of an operator H");
    return { columns, H.starts_.data (), H.rows_.data (), H.entries_.data (), H.entries_.size () };
  }

  /* Operators beyond most_bodies are not read: the library refuses their number. */
  static void fill (ldy_operator (&list)[most_bodies], int rows, view<const operator_view> H)
  {
    for (std::size_t k = 0; k < H.size () && k < most_bodies; k ++)
      list[k] = of (H[k], rows > 0 ? static_cast<std::size_t> (rows) : 1);
  }

  static const ldy_operator *pointer (const operator_view &H, const ldy_operator &raw) { return H.empty () ? nullptr : &raw; }

  solver_map solvers_;
  std::unique_ptr<ldy_system, destroyer> raw_; /* after the solvers, so that it is destroyed before them */
};

/* Laws, one for each row; see ldy_law. Bounds and biases have one value for each scalar row. */
inline ldy_law contact_law (double friction, double cohesion = 0, values bias = {})
{
  ldy_law law = {};
  law.kind = LDY_LAW_CONTACT, law.friction = friction, law.cohesion = cohesion;
  for (std::size_t i = 0; i < 6 && i < bias.size (); i ++) law.bias[i] = bias[i];
  return law;
}

/* Friction along the first and the second tangent. */
inline ldy_law orthotropic_contact_law (double friction_1, double friction_2, double cohesion = 0, values bias = {})
{
  ldy_law law = contact_law (friction_1, cohesion, bias);
  law.kind = LDY_LAW_ORTHOTROPIC_CONTACT, law.friction_2 = friction_2;
  return law;
}

inline ldy_law fixed_law (values bias = {})
{
  ldy_law law = contact_law (0, 0, bias);
  law.kind = LDY_LAW_FIXED;
  return law;
}

inline ldy_law bounds_law (values lower, values upper, values bias = {})
{
  ldy_law law = contact_law (0, 0, bias);
  law.kind = LDY_LAW_BOUNDS;
  for (std::size_t i = 0; i < 6 && i < lower.size (); i ++) law.lower[i] = lower[i];
  for (std::size_t i = 0; i < 6 && i < upper.size (); i ++) law.upper[i] = upper[i];
  return law;
}

/* Options of a contact solver. A field that is zero has its default. */
struct contact_solver_options : ldy_contact_solver_options {
  contact_solver_options () noexcept : ldy_contact_solver_options () { size = sizeof (ldy_contact_solver_options); }

  /* Options for steps in real time; see ldy_contact_solver_options_real_time. */
  static contact_solver_options real_time ()
  {
    contact_solver_options options;
    if (int code = ldy_contact_solver_options_real_time (&options)) throw error (code, ldy_last_error ());
    return options;
  }
};

/* The result of a contact solver. Its history is valid until the solver's next call. */
struct contact_solver_report : ldy_contact_solver_report {
  contact_solver_report () noexcept : ldy_contact_solver_report () { size = sizeof (ldy_contact_solver_report); }

  bool converged () const noexcept { return status == LDY_STATUS_CONVERGED; }
  values residuals () const noexcept { return { history, history_count }; }
};

/* Throw an error with the text of ldy_last_error, unless code is 0. */
inline void check (int code)
{
  if (code != 0) throw error (code, ldy_last_error ());
}

/* A contact solver. It finds forces that obey laws, and keeps its memory for the next problem. One thread at a time may use it. */
class contact_solver {
public:
  contact_solver ()
  {
    ldy_contact_solver *raw = nullptr;
    check (ldy_contact_solver_create (&raw));
    raw_.reset (raw);
  }

  /* The underlying C object. */
  ldy_contact_solver *raw () const noexcept { return raw_.get (); }

  /* See ldy_contact_solver_solve. R: in the initial guess, out the best forces that were found. A solution that did not converge is no
     error: see the report. */
  contact_solver_report solve (const system &system, view<const ldy_law> laws, view<double> R, const contact_solver_options &options = {})
  {
    contact_solver_report report;
    check (ldy_contact_solver_solve (raw (), system.raw (), laws.data (), laws.size (), &options, R.data (), R.size (), &report));
    return report;
  }

  /* The same with the laws that are kept with the constraints. */
  contact_solver_report solve (const system &system, view<double> R, const contact_solver_options &options = {})
  {
    return solve (system, view<const ldy_law> (), R, options);
  }

  /* See ldy_contact_solver_solve_rows: any block-sparse rows. */
  contact_solver_report solve (const ldy_rows &rows, view<const ldy_law> laws, view<double> R, const contact_solver_options &options = {})
  {
    contact_solver_report report;
    check (ldy_contact_solver_solve_rows (raw (), &rows, laws.data (), laws.size (), &options, R.data (), R.size (), &report));
    return report;
  }

private:
  struct destroyer {
    void operator() (ldy_contact_solver *raw) const noexcept { ldy_contact_solver_destroy (raw); }
  };

  std::unique_ptr<ldy_contact_solver, destroyer> raw_;
};

/* See ldy_rows_redundant, for any rows. flags has a value for each scalar row. Returns the number of dependent scalar rows. */
inline int redundant (const ldy_rows &rows, view<int> flags, double tolerance = 0)
{
  int dimension;
  check (ldy_rows_redundant (&rows, tolerance, flags.data (), flags.size (), &dimension));
  return dimension;
}

/* y = W x for any rows and one or several vectors, without gaps between them. */
inline void multiply (const ldy_rows &rows, values x, view<double> y, std::size_t columns = 1)
{
  std::size_t count = columns ? x.size () / columns : 0;
  if (count * columns != x.size () || y.size () != x.size ())
    throw error (LDY_ERROR_INVALID_ARGUMENT, "x and y: the values are not so many vectors");
  check (ldy_rows_multiply_columns (&rows, columns, x.data (), count, y.data (), count, count));
}

/* See ldy_rows_write_matrix_market and ldy_rows_write_npz. */
inline void write_matrix_market (const ldy_rows &rows, const std::string &path)
{
  check (ldy_rows_write_matrix_market (&rows, path.c_str ()));
}

inline void write_npz (const ldy_rows &rows, const std::string &path) { check (ldy_rows_write_npz (&rows, path.c_str ())); }

/* Copies of the rows of a LOCDYN, for the functions above, contact solvers and factors; see ldy_locdyn_rows_copy. */
class locdyn_rows {
public:
  locdyn_rows ()
  {
    ldy_locdyn_rows *raw = nullptr;
    check (ldy_locdyn_rows_create (&raw));
    raw_.reset (raw);
  }

  /* Copy the rows. The copy is valid until the next one. */
  ldy::rows copy (const locdyn *dynamics)
  {
    ldy::rows copied;
    copied.raw_.size = sizeof (ldy_rows);
    check (ldy_locdyn_rows_copy (raw_.get (), dynamics, &copied.raw_));
    return copied;
  }

  /* Return, or set, the reactions of its constraints. */
  void reactions (const locdyn *dynamics, view<double> R) const
  {
    check (ldy_locdyn_rows_reactions (raw_.get (), dynamics, R.data (), R.size ()));
  }

  void set_reactions (const locdyn *dynamics, values R) const
  {
    check (ldy_locdyn_rows_set_reactions (raw_.get (), dynamics, R.data (), R.size ()));
  }

private:
  struct destroyer {
    void operator() (ldy_locdyn_rows *raw) const noexcept { ldy_locdyn_rows_destroy (raw); }
  };

  std::unique_ptr<ldy_locdyn_rows, destroyer> raw_;
};

/* The Cholesky factor of W + diag (mu); see ldy_factor. It keeps its memory for the next one. */
class factor {
public:
  factor ()
  {
    ldy_factor *raw = nullptr;
    check (ldy_factor_create (&raw));
    raw_.reset (raw);
  }

  /* The underlying C object. */
  ldy_factor *raw () const noexcept { return raw_.get (); }

  /* mu: empty, one value for all, one for each row, or one for each scalar row. */
  void compute (const system &system, values mu = {}) { check (ldy_factor_compute (raw (), system.raw (), mu.data (), mu.size ())); }
  void compute (const ldy_rows &rows, values mu = {}) { check (ldy_factor_compute_rows (raw (), &rows, mu.data (), mu.size ())); }

  /* Replace one or several vectors x, without gaps between them, by (W + diag (mu))^-1 x. */
  void solve (view<double> x, std::size_t columns = 1)
  {
    std::size_t count = columns ? x.size () / columns : 0;
    if (count * columns != x.size ()) throw error (LDY_ERROR_INVALID_ARGUMENT, "x: the values are not so many vectors");
    check (ldy_factor_solve (raw (), columns, x.data (), count, count));
  }

  double log_determinant () const
  {
    double value;
    check (ldy_factor_log_determinant (raw (), &value));
    return value;
  }

private:
  struct destroyer {
    void operator() (ldy_factor *raw) const noexcept { ldy_factor_destroy (raw); }
  };

  std::unique_ptr<ldy_factor, destroyer> raw_;
};

/* See ldy_gyroscopic_change. */
inline vector3 gyroscopic_change (values inertia, values spin, double h)
{
  vector3 change;
  system::need (inertia, 9, "inertia"), system::need (spin, 3, "spin");
  check (ldy_gyroscopic_change (inertia.data (), spin.data (), h, change.data ()));
  return change;
}

/* See ldy_advance_rotation. */
inline matrix3 advance_rotation (values rotation, values before, values after, double h)
{
  matrix3 turned;
  system::need (rotation, 9, "rotation"), system::need (before, 3, "before"), system::need (after, 3, "after");
  check (ldy_advance_rotation (rotation.data (), before.data (), after.data (), h, turned.data ()));
  return turned;
}

inline void set_threads (int n) { check (ldy_set_threads (n)); }

} // namespace ldy

#endif
