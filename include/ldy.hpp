/* ldy.hpp: ldy_system.h for C++17, local dynamics of any system of constrained bodies, U = B + W R
 *
 * Header only. The functions and their comments are in ldy_system.h: storage by columns, signs, units, ids, threads. C++ adds:
 *
 * - An ldy::System owns its bodies and constraints, and destroys them in its destructor. It can be moved, not copied.
 * - A function that fails throws ldy::Error with the library's text, and has changed nothing, except where ldy_system.h
 *   says so. If an inverse callback throws, the function that called it rethrows the same exception.
 * - Arrays are ldy::views of contiguous values: C arrays, std::vector, std::array, std::span, vectors of Eigen, a list in
 *   braces. A view does not own its values. A wrong length is an error.
 *
 *   ldy::System system;
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

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ldy_system.h"

namespace ldy {

/* The id of a body or a constraint; see ldy_system.h. */
using id = std::int64_t;

/* The id of the ground, for a constraint that has a body on one side only. */
inline constexpr id ground = LDY_GROUND;

/* An error: one of the codes of ldy_system.h, and a text that names constraint and bodies. */
class Error : public std::runtime_error {
public:
  /* An error with a code and a text. */
  Error (int code, const std::string &text) : std::runtime_error (text), code_ (code) {}

  /* One of LDY_ERROR_... */
  int code () const noexcept { return code_; }

private:
  int code_;
};

/* Contiguous values with another owner: the part of C++20's std::span that is needed here. */
template <class T> class view {
public:
  constexpr view () noexcept = default;
  /* size values from data on. */
  constexpr view (T *data, std::size_t size) noexcept : data_ (data), size_ (size) {}
  /* A C array. */
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

  /* The first value. */
  constexpr T *data () const noexcept { return data_; }
  /* The number of values. */
  constexpr std::size_t size () const noexcept { return size_; }
  /* Whether there is no value. */
  constexpr bool empty () const noexcept { return size_ == 0; }
  /* For loops over the values. */
  constexpr T *begin () const noexcept { return data_; }
  /* For loops over the values. */
  constexpr T *end () const noexcept { return data_ + size_; }
  /* Value k, from 0; not checked. */
  constexpr T &operator[] (std::size_t k) const noexcept { return data_[k]; }

private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

namespace detail {
template <class T> void need (view<T> array, std::size_t count, const char *name)
{
  if (array.size () == count) return;
  throw Error (LDY_ERROR_INVALID_ARGUMENT, std::string (name) + ": " + std::to_string (array.size ()) + " values where "
    + std::to_string (count) + " are needed");
}
}

/* Numbers that are read. */
using values = view<const double>;
/* A vector in space. */
using vector3 = std::array<double, 3>;
/* A 3 x 3 matrix by columns. */
using matrix3 = std::array<double, 9>;
/* Indices from 0 that are read. */
using indices = view<const std::int32_t>;

/* An operator H of a constraint; see ldy_operator. Empty for the ground. */
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

  /* Whether this is the operator of the ground. */
  bool empty () const noexcept { return columns_ == 0 && entries_.empty (); }

private:
  friend class System;
  indices starts_, rows_;
  values entries_;
  int columns_ = 0;
};

/* The results of an update; see ldy_rows. They belong to the system and are valid until its next change. */
class rows {
public:
  /* Number of rows. */
  std::size_t size () const noexcept { return static_cast<std::size_t> (raw_.rows); }
  /* Number of blocks, including diagonal blocks. */
  std::size_t blocks () const noexcept { return static_cast<std::size_t> (raw_.blocks); }

  /* Row k has the blocks starts ()[k] <= i < starts ()[k + 1]. */
  indices starts () const noexcept { return { raw_.starts, size () + 1 }; }
  /* The column of each block. */
  indices columns () const noexcept { return { raw_.columns, blocks () }; }
  /* The values of all blocks, block after block. */
  values blocks_of_W () const noexcept { return { raw_.values, raw_.value_starts ? raw_.value_starts[blocks ()] : 9 * blocks () }; }
  /* The values of block i, by columns. */
  values block (std::size_t i) const noexcept { return part (raw_.values, raw_.value_starts, i); }
  /* The free relative velocities, from free velocities of bodies. */
  values B () const noexcept { return { raw_.B, scalars () }; }
  /* The relative velocities before the step, from previous velocities of bodies. */
  values V () const noexcept { return { raw_.V, scalars () }; }
  /* The diagonal block of a row, with compliance and regularization. */
  values diagonal (std::size_t row) const noexcept { return part (raw_.diagonal, raw_.diagonal_starts, row); }
  /* The inverse of the diagonal block of a row. */
  values inverse (std::size_t row) const noexcept { return part (raw_.inverse, raw_.diagonal_starts, row); }

  /* Number of values of all blocks. */
  std::size_t entries () const noexcept { return raw_.entries; }

  /* Number of values of B, V and R. */
  std::size_t scalars () const noexcept { return raw_.scalars; }
  /* Index of the first value of a row in B, V and R. */
  std::size_t scalar (std::size_t row) const noexcept
  {
    return raw_.scalar_starts ? static_cast<std::size_t> (raw_.scalar_starts[row]) : 3 * row;
  }

  /* The constraint of each row. */
  view<const id> constraints () const noexcept { return { raw_.constraints, size () }; }

  /* The underlying C object. */
  const ldy_rows &raw () const noexcept { return raw_; }
  /* The underlying C object, as an argument of functions that take any rows. */
  operator const ldy_rows & () const noexcept { return raw_; }

private:
  friend class System;
  friend class locdyn_rows;
  static values part (const double *first, const std::size_t *starts, std::size_t k) noexcept
  {
    return starts ? values { first + starts[k], starts[k + 1] - starts[k] } : values { first + 9 * k, 9 };
  }

  ldy_rows raw_ = {};
};

/* See ldy_system_csr. */
struct compressed_rows {
  /* Row k has the entries starts[k] to starts[k + 1] - 1. */
  std::vector<int> starts;
  /* The column of each entry. */
  std::vector<int> columns;
  /* The value of each entry. */
  std::vector<double> values;
};

/* See ldy_system_spectral_radius. */
struct eigenvalue {
  /* The estimate. */
  double value;
  /* The bound of the distance of value to an eigenvalue. */
  double residual;
};

/* See ldy_system_critical_step. */
struct critical_step : ldy_critical_step {
  critical_step () noexcept : ldy_critical_step () { size = sizeof (ldy_critical_step); }
};

/* The changes that System::sync_constraints has made; see ldy_sync_report. */
struct sync_report : ldy_sync_report {
  sync_report () noexcept : ldy_sync_report () { size = sizeof (ldy_sync_report); }
};

/* An inverse callback: replaces x by A^-1 x. x has contiguous columns of size values each. It may throw. */
using solver = std::function<void (int size, int columns, double *x)>;

/* The inertia of a body; see ldy_inertia. Its arrays are read by the function that takes it. */
class inertia {
public:
  /* A^-1, n x n. */
  static inertia dense (int n, values inverse)
  {
    std::size_t size = n > 0 ? static_cast<std::size_t> (n) : 0;
    detail::need (inverse, size * size, "inverse");
    return { LDY_INERTIA_DENSE, n, inverse };
  }

  /* The diagonal of A^-1. */
  static inertia diagonal (values inverse) { return { LDY_INERTIA_DIAGONAL, static_cast<int> (inverse.size ()), inverse }; }

  /* A in compressed sparse columns: n + 1 starts, and a row for each entry. */
  static inertia sparse (indices starts, indices rows, values entries)
  {
    detail::need (rows, entries.size (), "rows");
    inertia all (LDY_INERTIA_SPARSE, static_cast<int> (starts.size ()) - 1, entries);
    all.raw_.starts = starts.data (), all.raw_.rows = rows.data (), all.raw_.count = entries.size ();
    return all;
  }

  /* An inverse callback for n generalized velocities. */
  static inertia function (int n, solver apply)
  {
    inertia all (LDY_INERTIA_FUNCTION, n, {});
    all.apply_ = std::move (apply);
    return all;
  }

  /* Mass and referential inertia of a rigid body; for set_inertia. */
  static inertia rigid (double mass, values tensor)
  {
    detail::need (tensor, 9, "inertia");
    inertia all (LDY_INERTIA_MASS, 0, tensor);
    all.raw_.mass = mass;
    return all;
  }

  /* Mass and Euler tensor of a pseudo-rigid body; for set_inertia. */
  static inertia pseudo_rigid (double mass, values euler) { return rigid (mass, euler); }

private:
  friend class System;
  inertia (int kind, int n, values entries) noexcept : raw_ ()
  {
    raw_.size = sizeof raw_, raw_.kind = kind, raw_.n = n, raw_.values = entries.data ();
  }

  ldy_inertia raw_;
  solver apply_;
};

/* A view of a matrix; see ldy_matrix. */
class matrix {
public:
  /* Dense, row by row without gaps. */
  static matrix dense (values entries, std::size_t rows, std::size_t columns)
  {
    return strided (entries, rows, columns, columns * sizeof (double), sizeof (double));
  }

  /* Dense: entry (i, j) is i row_stride + j column_stride bytes after the first one. */
  static matrix strided (values entries, std::size_t rows, std::size_t columns, std::size_t row_stride, std::size_t column_stride)
  {
    std::size_t reach = rows && columns ? ((rows - 1) * row_stride + (columns - 1) * column_stride) / sizeof (double) + 1 : 0;
    if (entries.size () < reach) detail::need (entries, reach, "matrix");
    matrix all (rows, columns, entries);
    all.raw_.row_stride = row_stride, all.raw_.column_stride = column_stride;
    return all;
  }

  /* Compressed sparse rows; counts: empty, or number of entries of each row. */
  static matrix sparse (std::size_t rows, std::size_t columns, indices starts, indices counts, indices columns_of, values entries)
  {
    detail::need (starts, counts.empty () ? rows + 1 : rows, "starts"), detail::need (counts, counts.empty () ? 0 : rows, "counts");
    detail::need (columns_of, entries.size (), "indices");
    matrix all (rows, columns, entries);
    all.raw_.starts = starts.data (), all.raw_.counts = counts.data (), all.raw_.indices = columns_of.data ();
    all.raw_.count = entries.size ();
    return all;
  }

  /* The underlying C object. */
  const ldy_matrix &raw () const noexcept { return raw_; }

private:
  matrix (std::size_t rows, std::size_t columns, values entries) noexcept : raw_ ()
  {
    raw_.size = sizeof raw_, raw_.rows = rows, raw_.columns = columns, raw_.values = entries.data ();
  }

  ldy_matrix raw_;
};

/* A system: bodies, constraints between them, and the results of the last update. One thread at a time may use it. */
class System {
public:
  System ()
  {
    ldy_system *raw = nullptr;
    check (ldy_system_create (&raw));
    raw_.reset (raw);
  }

  /* The other system is empty afterwards. */
  System (System &&other) noexcept = default;

  /* A system that is moved to itself stays as it is. */
  System &operator= (System &&other) noexcept
  {
    System moved (std::move (other));
    std::swap (thrown_, moved.thrown_), std::swap (raw_, moved.raw_);
    return *this;
  }

  /* The underlying C object. */
  ldy_system *raw () const noexcept { return raw_.get (); }

  /* A copy without results; see ldy_system_clone. */
  [[nodiscard]] System clone () const
  {
    System copy;
    ldy_system *made = nullptr;
    check (ldy_system_clone (raw (), &made));
    copy.raw_.reset (made);
    return copy;
  }

  /* ---- bodies */

  id add_rigid (double mass, values inertia, values rotation, values center)
  {
    id body;
    detail::need (inertia, 9, "inertia"), detail::need (rotation, 9, "rotation"), detail::need (center, 3, "center");
    check (ldy_system_add_rigid (raw (), mass, inertia.data (), rotation.data (), center.data (), &body));
    return body;
  }

  id add_pseudo_rigid (double mass, values euler, values center)
  {
    id body;
    detail::need (euler, 9, "euler"), detail::need (center, 3, "center");
    check (ldy_system_add_pseudo_rigid (raw (), mass, euler.data (), center.data (), &body));
    return body;
  }

  id add_obstacle (values rotation, values center)
  {
    id body;
    detail::need (rotation, 9, "rotation"), detail::need (center, 3, "center");
    check (ldy_system_add_obstacle (raw (), rotation.data (), center.data (), &body));
    return body;
  }

  /* Insert a body of a kind of its own; its constraints are given by operators H. */
  id add_body (const inertia &given)
  {
    id body;
    ldy_inertia raw_inertia = taken (given);
    check (ldy_system_add_body (raw (), &raw_inertia, &body));
    return body;
  }

  /* Insert bodies with a shared inverse callback. sizes: number of velocities of each body. A column has the velocities of all
     bodies, in the order of sizes. */
  std::vector<id> add_model (indices sizes, solver apply)
  {
    std::vector<id> bodies (sizes.size ());
    auto kept = std::make_unique<kept_solver> (kept_solver { std::move (apply), thrown_.get () });
    check (ldy_system_add_model (raw (), sizes.data (), sizes.size (), call, kept.release (), release, bodies.data ()));
    return bodies;
  }

  void remove_body (id body) { check (ldy_system_remove_body (raw (), body)); }

  void remove_bodies (view<const id> bodies)
  {
    check (ldy_system_remove_bodies (raw (), bodies.data (), sizeof (id), bodies.size ()));
  }

  /* Remove all bodies and constraints. */
  void clear () { check (ldy_system_clear (raw ())); }

  [[nodiscard]] std::size_t body_count () const noexcept { return ldy_system_body_count (raw ()); }
  [[nodiscard]] std::size_t constraint_count () const noexcept { return ldy_system_constraint_count (raw ()); }

  [[nodiscard]] std::vector<id> bodies () const
  {
    std::vector<id> all (body_count ());
    check (ldy_system_bodies (raw (), all.data (), all.size ()));
    return all;
  }

  [[nodiscard]] std::vector<id> constraints () const
  {
    std::vector<id> all (constraint_count ());
    check (ldy_system_constraints (raw (), all.data (), all.size ()));
    return all;
  }

  /* The number of generalized velocities of a body. */
  [[nodiscard]] int body_size (id body) const
  {
    int n;
    check (ldy_system_body (raw (), body, nullptr, &n));
    return n;
  }

  /* One of LDY_BODY_RIGID, LDY_BODY_PSEUDO_RIGID, LDY_BODY_OBSTACLE, LDY_BODY_GENERAL. */
  [[nodiscard]] int body_kind (id body) const
  {
    int kind;
    check (ldy_system_body (raw (), body, &kind, nullptr));
    return kind;
  }

  /* The number of rows of a constraint, 1 to 6. */
  [[nodiscard]] int constraint_rows (id constraint) const
  {
    int m;
    check (ldy_system_constraint (raw (), constraint, nullptr, 0, nullptr, &m));
    return m;
  }

  /* The bodies of a constraint; see ldy_system_constraint. */
  [[nodiscard]] std::vector<id> constraint_bodies (id constraint) const
  {
    std::vector<id> all (most_bodies);
    std::size_t count;
    check (ldy_system_constraint (raw (), constraint, all.data (), all.size (), &count, nullptr));
    all.resize (count);
    return all;
  }

  void set_rotation (id body, values rotation)
  {
    detail::need (rotation, 9, "rotation");
    check (ldy_system_set_rotation (raw (), body, rotation.data ()));
  }

  void set_inertia (id body, const inertia &given)
  {
    ldy_inertia raw_inertia = taken (given);
    check (ldy_system_set_inertia (raw (), body, &raw_inertia));
  }

  /* which: LDY_VELOCITY_FREE or LDY_VELOCITY_PREVIOUS. */
  void set_velocity (id body, values velocity, int which = LDY_VELOCITY_FREE)
  {
    check (ldy_system_set_velocity (raw (), body, which, velocity.data (), velocity.size ()));
  }

  void velocity (id body, view<double> out, int which = LDY_VELOCITY_FREE) const
  {
    check (ldy_system_velocity (raw (), body, which, out.data (), out.size ()));
  }

  /* option: LDY_OPTION_ANY_AXES or LDY_OPTION_ORTHONORMALIZE. */
  void set_option (int option, bool value) { check (ldy_system_set_option (raw (), option, value)); }

  [[nodiscard]] bool option (int option) const
  {
    int value;
    check (ldy_system_option (raw (), option, &value));
    return value != 0;
  }

  /* Many bodies at once, with the same number of velocities each; the values of one body follow the values of the previous one. */
  void set_velocities (view<const id> bodies, values all, int which = LDY_VELOCITY_FREE)
  {
    std::size_t n = each (bodies, all);
    check (ldy_system_set_velocities (raw (), which, bodies.data (), sizeof (id), all.data (), n * sizeof (double), n, bodies.size ()));
  }

  void velocities (view<const id> bodies, view<double> out, int which = LDY_VELOCITY_FREE) const
  {
    std::size_t n = each (bodies, values (out));
    check (ldy_system_velocities (raw (), which, bodies.data (), sizeof (id), out.data (), n * sizeof (double), n, bodies.size ()));
  }

  void set_rotations (view<const id> bodies, values rotations)
  {
    detail::need (rotations, 9 * bodies.size (), "rotations");
    check (ldy_system_set_rotations (raw (), bodies.data (), sizeof (id), rotations.data (), of_matrix, bodies.size ()));
  }

  void rotations (view<const id> bodies, view<double> out) const
  {
    detail::need (out, 9 * bodies.size (), "rotations");
    check (ldy_system_rotations (raw (), bodies.data (), sizeof (id), out.data (), of_matrix, bodies.size ()));
  }

  /* ---- between the world and a body */

  /* Set where the mass centers of rigid bodies and obstacles are in the world; see ldy_system_set_positions. */
  void set_positions (view<const id> bodies, values positions)
  {
    detail::need (positions, 3 * bodies.size (), "positions");
    check (ldy_system_set_positions (raw (), bodies.data (), sizeof (id), positions.data (), of_vector, bodies.size ()));
  }

  void positions (view<const id> bodies, view<double> out) const
  {
    detail::need (out, 3 * bodies.size (), "positions");
    check (ldy_system_positions (raw (), bodies.data (), sizeof (id), out.data (), of_vector, bodies.size ()));
  }

  /* Frames and points of contacts from normals and places in the world; slaves may be empty: all are the ground. */
  void contact_frames (view<const id> masters, view<const id> slaves, values normals, values places, view<double> frames,
    view<double> master_points, view<double> slave_points) const
  {
    std::size_t count = masters.size ();
    if (!slaves.empty ()) detail::need (slaves, count, "slaves");
    detail::need (normals, 3 * count, "normals"), detail::need (places, 3 * count, "places"), detail::need (frames, 9 * count, "frames");
    detail::need (master_points, 3 * count, "master_points"), detail::need (slave_points, 3 * count, "slave_points");
    check (ldy_system_contact_frames (raw (), masters.data (), slaves.data (), sizeof (id), normals.data (), of_vector, places.data (),
      of_vector, frames.data (), of_matrix, master_points.data (), slave_points.data (), of_vector, count));
  }

  [[nodiscard]] vector3 body_point (id body, values place) const
  {
    vector3 point;
    detail::need (place, 3, "place");
    check (ldy_system_body_point (raw (), body, place.data (), point.data ()));
    return point;
  }

  void body_points (view<const id> bodies, values places, view<double> points) const
  {
    detail::need (places, 3 * bodies.size (), "places"), detail::need (points, 3 * bodies.size (), "points");
    check (ldy_system_body_points (raw (), bodies.data (), sizeof (id), places.data (), of_vector, points.data (), of_vector,
      bodies.size ()));
  }

  [[nodiscard]] vector3 pseudo_rigid_point (id body, values gradient, values center, values place) const
  {
    vector3 point;
    detail::need (gradient, 9, "gradient"), detail::need (center, 3, "center"), detail::need (place, 3, "place");
    check (ldy_system_pseudo_rigid_point (raw (), body, gradient.data (), center.data (), place.data (), point.data ()));
    return point;
  }

  [[nodiscard]] vector3 body_angular_velocity (id body, values world) const
  {
    vector3 spin;
    detail::need (world, 3, "world");
    check (ldy_system_body_angular_velocity (raw (), body, world.data (), spin.data ()));
    return spin;
  }

  [[nodiscard]] vector3 world_angular_velocity (id body, values referential) const
  {
    vector3 spin;
    detail::need (referential, 3, "referential");
    check (ldy_system_world_angular_velocity (raw (), body, referential.data (), spin.data ()));
    return spin;
  }

  void body_angular_velocities (view<const id> bodies, values world, view<double> referential) const
  {
    detail::need (world, 3 * bodies.size (), "world"), detail::need (referential, 3 * bodies.size (), "referential");
    check (ldy_system_body_angular_velocities (raw (), bodies.data (), sizeof (id), world.data (), of_vector, referential.data (), of_vector,
      bodies.size ()));
  }

  void world_angular_velocities (view<const id> bodies, values referential, view<double> world) const
  {
    detail::need (referential, 3 * bodies.size (), "referential"), detail::need (world, 3 * bodies.size (), "world");
    check (ldy_system_world_angular_velocities (raw (), bodies.data (), sizeof (id), referential.data (), of_vector, world.data (), of_vector,
      bodies.size ()));
  }

  /* ---- constraints */

  id add_point_constraint (id master, id slave, values frame, values master_point, values slave_point)
  {
    id constraint;
    detail::need (frame, 9, "frame"), point (master_point, "master_point"), point (slave_point, "slave_point");
    check (ldy_system_add_point_constraint (raw (), master, slave, frame.data (), master_point.data (), slave_point.data (),
      &constraint));
    return constraint;
  }

  /* Insert a constraint of one to six rows on one to sixteen bodies, with an operator of this number of rows for each body. The operator of
     the ground may be empty. */
  id add_constraint_rows (int rows, view<const id> bodies, view<const operator_view> H)
  {
    id constraint;
    ldy_operator list[most_bodies];
    detail::need (bodies, H.size (), "bodies"), fill (list, rows, H);
    check (ldy_system_add_constraint_rows (raw (), rows, bodies.data (), list, H.size (), &constraint));
    return constraint;
  }

  /* Insert a constraint of one row: coefficient times one generalized velocity of a body. */
  id add_dof_constraint (id body, int dof, double coefficient = 1)
  {
    id constraint;
    check (ldy_system_add_dof_constraint (raw (), body, dof, coefficient, &constraint));
    return constraint;
  }

  /* Insert a contact with moments: rows is 4 (torsion), 5 (rolling) or 6 (both). */
  id add_rolling_contact (int rows, id master, id slave, values frame, values master_point, values slave_point)
  {
    id constraint;
    detail::need (frame, 9, "frame"), point (master_point, "master_point"), point (slave_point, "slave_point");
    check (ldy_system_add_rolling_contact (raw (), rows, master, slave, frame.data (), master_point.data (), slave_point.data (),
      &constraint));
    return constraint;
  }

  /* Insert a joint by axes and points. kind: LDY_AXES_HINGE, ... Frames and points are referential; for the ground in the world. */
  id add_joint (int kind, id master, id slave, values master_frame, values master_point, values slave_frame, values slave_point)
  {
    id joint;
    detail::need (master_frame, 9, "master_frame"), detail::need (master_point, 3, "master_point");
    detail::need (slave_frame, 9, "slave_frame"), detail::need (slave_point, 3, "slave_point");
    check (ldy_system_add_joint (raw (), kind, master, slave, master_frame.data (), master_point.data (), slave_frame.data (),
      slave_point.data (), &joint));
    return joint;
  }

  /* The errors of a joint, one for each row, from the rotations and positions of its bodies. */
  [[nodiscard]] std::vector<double> joint_error (id joint) const
  {
    std::vector<double> errors (static_cast<std::size_t> (constraint_rows (joint)));
    check (ldy_system_joint_error (raw (), joint, errors.data (), errors.size ()));
    return errors;
  }

  /* Set the operators of a constraint, one for each of its bodies without the ground. */
  void set_operators (id constraint, view<const operator_view> H)
  {
    ldy_operator list[most_bodies];
    fill (list, constraint_rows (constraint), H);
    check (ldy_system_set_operators (raw (), constraint, list, H.size ()));
  }

  /* Insert constraints that are rows of a Jacobian J; its columns are the velocities of the bodies. heights: number of rows of
     each constraint. Returns the first id. */
  id add_jacobian (view<const id> bodies, indices heights, const matrix &J)
  {
    id first;
    check (ldy_system_add_jacobian (raw (), bodies.data (), bodies.size (), heights.data (), heights.size (), &J.raw (), &first));
    return first;
  }

  /* Set operators of constraints: rows of a Jacobian, as in add_jacobian. */
  void set_jacobian (view<const id> bodies, view<const id> constraints, const matrix &J)
  {
    check (ldy_system_set_jacobian (raw (), bodies.data (), bodies.size (), constraints.data (), constraints.size (), &J.raw ()));
  }

  /* compliance: m x m for a constraint of m rows, the m values of a diagonal, or empty for none. */
  void set_compliance (id constraint, values compliance)
  {
    check (ldy_system_set_compliance (raw (), constraint, compliance.data (), compliance.size ()));
  }

  /* m x m values. */
  [[nodiscard]] std::vector<double> compliance (id constraint) const
  {
    std::vector<double> all (square (constraint_rows (constraint)));
    check (ldy_system_compliance (raw (), constraint, all.data (), all.size ()));
    return all;
  }

  /* Insert many constraints at points. slaves empty: all slaves are the ground, and slave_points may be empty. Returns the
     first id. */
  id add_point_constraints (view<const id> masters, view<const id> slaves, values frames, values master_points, values slave_points)
  {
    id first;
    std::size_t count = masters.size ();
    if (!slaves.empty ()) detail::need (slaves, count, "slaves");
    detail::need (frames, 9 * count, "frames"), points (master_points, count, "master_points"),
      points (slave_points, count, "slave_points");
    check (ldy_system_add_point_constraints (raw (), masters.data (), slaves.data (), sizeof (id), frames.data (), of_matrix,
                                       master_points.data (), slave_points.data (), of_vector, count, &first));
    return first;
  }

  /* masters empty: bodies do not change, and slaves is not read. */
  void move_constraints (view<const id> constraints, view<const id> masters, view<const id> slaves, values frames,
    values master_points, values slave_points)
  {
    std::size_t count = constraints.size ();
    if (!masters.empty ()) detail::need (masters, count, "masters");
    if (!slaves.empty ()) detail::need (slaves, count, "slaves");
    detail::need (frames, 9 * count, "frames"), points (master_points, count, "master_points"),
      points (slave_points, count, "slave_points");
    check (ldy_system_move_constraints (raw (), constraints.data (), sizeof (id), masters.data (), slaves.data (),
      sizeof (id), frames.data (), of_matrix, master_points.data (), slave_points.data (), of_vector, count));
  }

  void remove_constraints (view<const id> constraints)
  {
    check (ldy_system_remove_constraints (raw (), constraints.data (), sizeof (id), constraints.size ()));
  }

  /* Return frames and points, as they were given. An empty view is not filled. */
  void point_frames (view<const id> constraints, view<double> frames, view<double> master_points, view<double> slave_points) const
  {
    std::size_t count = constraints.size ();
    if (!frames.empty ()) detail::need (frames, 9 * count, "frames");
    points (values (master_points), count, "master_points"), points (values (slave_points), count, "slave_points");
    check (ldy_system_point_frames (raw (), constraints.data (), sizeof (id), frames.data (), of_matrix, master_points.data (),
      slave_points.data (), of_vector, count));
  }

  void set_compliances (view<const id> constraints, values compliances)
  {
    detail::need (compliances, 9 * constraints.size (), "compliances");
    check (ldy_system_set_compliances (raw (), constraints.data (), sizeof (id), compliances.data (), of_matrix, 9, constraints.size ()));
  }

  /* W + diag (mu). mu: one value for all, one for each row, or one for each scalar row. */
  void set_regularization (values mu) { check (ldy_system_set_regularization (raw (), mu.data (), mu.size ())); }

  /* A value for each scalar row. */
  void regularization (view<double> out) const { check (ldy_system_regularization (raw (), out.data (), out.size ())); }

  void set_tag (id constraint, std::uint64_t tag) { check (ldy_system_set_tags (raw (), &constraint, 0, &tag, 0, 1)); }

  void set_tags (view<const id> constraints, view<const std::uint64_t> tags)
  {
    detail::need (tags, constraints.size (), "tags");
    check (ldy_system_set_tags (raw (), constraints.data (), sizeof (id), tags.data (), sizeof (std::uint64_t), tags.size ()));
  }

  /* Return the tags of all constraints, in the order of rows. */
  void tags (view<std::uint64_t> out) const { check (ldy_system_tags (raw (), out.data (), out.size ())); }

  /* Make the constraints with keys equal to a list; see ldy_system_sync_constraints. slaves empty: all slaves are the ground.
     laws: empty, or one for each entry. constraints: empty, or where to write the id of each entry. */
  ldy::sync_report sync_constraints (view<const std::uint64_t> keys, view<const id> masters, view<const id> slaves,
    values frames, values master_points, values slave_points, view<const ldy_law> laws = {}, view<id> constraints = {})
  {
    ldy::sync_report report;
    std::size_t count = keys.size ();
    detail::need (masters, count, "masters"), detail::need (frames, 9 * count, "frames");
    points (master_points, count, "master_points"), points (slave_points, count, "slave_points");
    if (!slaves.empty ()) detail::need (slaves, count, "slaves");
    if (!laws.empty ()) detail::need (laws, count, "laws");
    if (!constraints.empty ()) detail::need (constraints, count, "constraints");
    check (ldy_system_sync_constraints (raw (), keys.data (), sizeof (std::uint64_t), masters.data (), slaves.data (),
      sizeof (id), frames.data (), of_matrix, master_points.data (), slave_points.data (), of_vector, laws.data (), sizeof (ldy_law),
      constraints.data (), sizeof (id), count, &report));
    return report;
  }

  /* Laws that are kept with constraints; contact_solver::solve uses them if it gets no laws. See ldy_system_set_law. */
  void set_law (id constraint, const ldy_law &law) { check (ldy_system_set_law (raw (), constraint, &law)); }

  /* One law for each constraint. */
  void set_laws (view<const id> constraints, view<const ldy_law> laws)
  {
    detail::need (laws, constraints.size (), "laws");
    check (ldy_system_set_laws (raw (), constraints.data (), sizeof (id), laws.data (), sizeof (ldy_law), laws.size ()));
  }

  [[nodiscard]] ldy_law law (id constraint) const
  {
    ldy_law law;
    check (ldy_system_law (raw (), constraint, &law));
    return law;
  }

  void laws (view<const id> constraints, view<ldy_law> out) const
  {
    detail::need (out, constraints.size (), "laws");
    check (ldy_system_laws (raw (), constraints.data (), sizeof (id), out.data (), sizeof (ldy_law), out.size ()));
  }

  /* Store the reactions of all constraints; see ldy_system_store_reactions. */
  void store_reactions (values R) { check (ldy_system_store_reactions (raw (), R.data (), R.size ())); }

  void stored_reactions (view<double> out) const { check (ldy_system_stored_reactions (raw (), out.data (), out.size ())); }

  void remove_constraint (id constraint) { check (ldy_system_remove_constraint (raw (), constraint)); }

  void move_constraint (id constraint, values frame, values master_point, values slave_point)
  {
    detail::need (frame, 9, "frame"), point (master_point, "master_point"), point (slave_point, "slave_point");
    check (ldy_system_move_constraint (raw (), constraint, frame.data (), master_point.data (), slave_point.data ()));
  }

  /* ---- results */

  void update (double h) { check (ldy_system_update (raw (), h)); }

  [[nodiscard]] ldy::rows results () const
  {
    ldy::rows rows;
    rows.raw_.size = sizeof rows.raw_;
    check (ldy_system_results (raw (), &rows.raw_));
    return rows;
  }

  /* The largest eigenvalue of each diagonal block. */
  [[nodiscard]] std::vector<double> block_eigenvalues () const
  {
    std::vector<double> all (results ().size ());
    check (ldy_system_block_eigenvalues (raw (), all.data (), all.size ()));
    return all;
  }

  /* W in compressed scalar rows. */
  [[nodiscard]] compressed_rows csr () const
  {
    ldy::rows rows = results ();
    compressed_rows all;
    all.starts.resize (rows.scalars () + 1), all.columns.resize (rows.entries ()), all.values.resize (rows.entries ());
    check (ldy_system_csr (raw (), all.starts.data (), all.starts.size (), all.columns.data (), all.values.data (), rows.entries ()));
    return all;
  }

  void check_inverses () const { check (ldy_system_check_inverses (raw ())); }

  [[nodiscard]] int row_of (id constraint) const
  {
    int row;
    check (ldy_system_row_of (raw (), constraint, &row));
    return row;
  }

  /* y = W x for one or several vectors, without gaps between them. flags: 0 or LDY_MULTIPLY_THROUGH_BODIES. */
  void multiply (values x, view<double> y, std::size_t columns = 1, int flags = 0) const
  {
    std::size_t count = columns ? x.size () / columns : 0, stride = count * sizeof (double);
    detail::need (x, columns * count, "x"), detail::need (y, columns * count, "y");
    check (ldy_system_multiply (raw (), x.data (), stride, y.data (), stride, count, columns, flags));
  }

  /* Return for each scalar row of W whether it depends on earlier ones; tolerance 0: 1e-10. */
  [[nodiscard]] std::vector<int> redundant (double tolerance = 0) const
  {
    std::vector<int> flags (results ().scalars ());
    redundant (view<int> (flags), tolerance);
    return flags;
  }

  /* The same; flags has a value for each scalar row. */
  void redundant (view<int> flags, double tolerance = 0) const
  {
    ldy::rows rows = results ();
    check (ldy_rows_redundant (&rows.raw (), tolerance, flags.data (), flags.size (), nullptr));
  }

  void constraint_force (id body, values R, view<double> force) const
  {
    check (ldy_system_constraint_force (raw (), body, R.data (), R.size (), force.data (), force.size ()));
  }

  /* The forces on many bodies with the same number of velocities, one after the other. */
  void constraint_forces (view<const id> bodies, values R, view<double> forces) const
  {
    std::size_t n = each (bodies, values (forces));
    check (ldy_system_constraint_forces (raw (), bodies.data (), sizeof (id), R.data (), R.size (), forces.data (), n * sizeof (double), n,
      bodies.size ()));
  }

  void apply_reactions (values R) { check (ldy_system_apply_reactions (raw (), R.data (), R.size ())); }

  [[nodiscard]] eigenvalue spectral_radius (double tolerance, int max_products) const
  {
    eigenvalue found;
    check (ldy_system_spectral_radius (raw (), tolerance, max_products, &found.value, &found.residual));
    return found;
  }

  /* See ldy_problem_write. R: empty, or the initial guess. laws: empty for the laws that are kept with the constraints. */
  void write_problem (const std::string &path, values R = {}, view<const ldy_law> laws = {}) const
  {
    check (ldy_problem_write (raw (), laws.data (), laws.size (), R.data (), R.size (), path.c_str ()));
  }

  /* ---- stability */

  void geometric_stiffness (view<const ldy_joint> joints, values R, values x, view<double> y) const
  {
    detail::need (y, x.size (), "y");
    check (ldy_system_geometric_stiffness (raw (), joints.data (), joints.size (), R.data (), R.size (), x.data (), y.data (),
      x.size ()));
  }

  /* flags: 0 or LDY_CRITICAL_STEP_FREE_MOTIONS. */
  [[nodiscard]] ldy::critical_step critical_step (view<const ldy_joint> joints, values R, int flags = 0) const
  {
    ldy::critical_step found;
    check (ldy_system_critical_step (raw (), joints.data (), joints.size (), R.data (), R.size (), flags, &found));
    return found;
  }

private:
  friend class parallel;

  /* A system that belongs to another object. */
  static System borrowed (ldy_system *raw)
  {
    System other { nullptr };
    other.raw_ = { raw, destroyer { true } };
    return other;
  }

  explicit System (std::nullptr_t) {}

  /* An inverse callback with the place for an exception that it throws. The library releases it. */
  struct kept_solver {
    solver apply;
    std::exception_ptr *thrown;
  };

  struct destroyer {
    bool is_borrowed;
    void operator() (ldy_system *raw) const noexcept
    {
      if (!is_borrowed) ldy_system_destroy (raw);
    }
  };

  /* No exception may pass through C. It is kept, and check rethrows it when the library has returned. */
  static int call (int size, int columns, double *x, void *data)
  {
    auto *kept = static_cast<kept_solver *> (data);
    try {
      kept->apply (size, columns, x);
      return 0;
    } catch (...) {
      *kept->thrown = std::current_exception ();
      return 1;
    }
  }

  static void release (void *data) { delete static_cast<kept_solver *> (data); }

  /* An inertia for a call of the library, which takes over the function. */
  ldy_inertia taken (const inertia &given) const
  {
    ldy_inertia all = given.raw_;
    if (all.kind == LDY_INERTIA_FUNCTION) {
      auto kept = std::make_unique<kept_solver> (kept_solver { given.apply_, thrown_.get () });
      all.apply_inverse = call, all.data = kept.release (), all.release = release;
    }
    return all;
  }

  void check (int code) const
  {
    if (code == 0) return;
    if (std::exception_ptr first = thrown_ ? std::exchange (*thrown_, nullptr) : nullptr) std::rethrow_exception (first);
    throw Error (code, ldy_last_error ());
  }


  static constexpr std::size_t of_matrix = 9 * sizeof (double), of_vector = 3 * sizeof (double);

  /* The number of values of each body, the same for all. */
  static std::size_t each (view<const id> bodies, values all)
  {
    std::size_t n = bodies.empty () ? 0 : all.size () / bodies.size ();
    detail::need (all, n * bodies.size (), "velocities");
    return n;
  }

  static void points (values array, std::size_t count, const char *name)
  {
    if (!array.empty ()) detail::need (array, 3 * count, name);
  }

  /* A point; empty for the ground. */
  static void point (values array, const char *name)
  {
    if (!array.empty ()) detail::need (array, 3, name);
  }

  static std::size_t square (int n) { return n > 0 ? static_cast<std::size_t> (n) * static_cast<std::size_t> (n) : 0; }

  static constexpr std::size_t most_bodies = 16;

  static ldy_operator of (const operator_view &H, std::size_t rows = 3)
  {
    int columns = H.columns_;
    if (H.starts_.empty () && H.rows_.empty ())
    {
      columns = static_cast<int> (H.entries_.size () / rows);
      detail::need (H.entries_, rows * static_cast<std::size_t> (columns), "operator H");
    }
    else if (H.starts_.empty ()) detail::need (H.entries_, 9 + H.rows_.size (), "operator H by nodes");
    else detail::need (H.rows_, H.entries_.size (), "rows of an operator H");
    return { columns, H.starts_.data (), H.rows_.data (), H.entries_.data (), H.entries_.size () };
  }

  /* Operators beyond most_bodies are not read: the library refuses their number. */
  static void fill (ldy_operator (&list)[most_bodies], int rows, view<const operator_view> H)
  {
    for (std::size_t k = 0; k < H.size () && k < most_bodies; k ++)
      list[k] = of (H[k], rows > 0 ? static_cast<std::size_t> (rows) : 1);
  }

  std::unique_ptr<std::exception_ptr> thrown_ = std::make_unique<std::exception_ptr> ();
  std::unique_ptr<ldy_system, destroyer> raw_;
};

namespace detail {
/* Copy up to six values to a law. */
inline void fill_law (double (&to)[6], values from, const char *name)
{
  if (from.size () > 6) throw Error (LDY_ERROR_INVALID_ARGUMENT, std::string (name) + ": a law has at most six values");
  std::copy (from.begin (), from.end (), to);
}
}

/* Laws, one for each row; see ldy_law. Bounds and biases have one value for each scalar row. */
inline ldy_law contact_law (double friction, double cohesion = 0, values bias = {})
{
  ldy_law law = {};
  law.kind = LDY_LAW_CONTACT, law.friction = friction, law.cohesion = cohesion;
  detail::fill_law (law.bias, bias, "bias");
  return law;
}

/* Friction along the first and the second tangent. */
inline ldy_law orthotropic_contact_law (double friction_1, double friction_2, double cohesion = 0, values bias = {})
{
  ldy_law law = contact_law (friction_1, cohesion, bias);
  law.kind = LDY_LAW_ORTHOTROPIC_CONTACT, law.friction_2 = friction_2;
  return law;
}

/* A contact with rolling and torsional friction, for four to six rows. The coefficients are lengths. */
inline ldy_law rolling_contact_law (double friction, double rolling, double torsion, double cohesion = 0, values bias = {})
{
  ldy_law law = contact_law (friction, cohesion, bias);
  law.kind = LDY_LAW_ROLLING_CONTACT, law.rolling_friction = rolling, law.torsional_friction = torsion;
  return law;
}

/* A contact in the expansion phase of an impact; the least force is e times R_N of the compression phase. */
inline ldy_law expansion_law (double friction, double least_force, values bias = {})
{
  ldy_law law = contact_law (friction, 0, bias);
  law.kind = LDY_LAW_EXPANSION, law.lower[0] = least_force;
  return law;
}

/* The law U + bias = 0. */
inline ldy_law fixed_law (values bias = {})
{
  ldy_law law = contact_law (0, 0, bias);
  law.kind = LDY_LAW_FIXED;
  return law;
}

/* The law of a row with bounds for R, one for each component; infinite for none. */
inline ldy_law bounds_law (values lower, values upper, values bias = {})
{
  ldy_law law = contact_law (0, 0, bias);
  law.kind = LDY_LAW_BOUNDS;
  detail::fill_law (law.lower, lower, "lower"), detail::fill_law (law.upper, upper, "upper");
  return law;
}

/* Options of a contact solver. A field that is zero has its default. */
struct contact_solver_options : ldy_contact_solver_options {
  contact_solver_options () noexcept : ldy_contact_solver_options () { size = sizeof (ldy_contact_solver_options); }

  /* Called with the residual, sweeps and steps each time that the residual is computed; it returns whether the solution goes on. If it
     throws, the solver rethrows the exception. */
  std::function<bool (double, int, int)> on_progress;

  /* Options for steps in real time; see ldy_contact_solver_options_real_time. */
  static contact_solver_options real_time ()
  {
    contact_solver_options options;
    if (int code = ldy_contact_solver_options_real_time (&options)) throw Error (code, ldy_last_error ());
    return options;
  }
};

/* The result of a contact solver. Its history is valid until the solver's next call. */
struct contact_solver_report : ldy_contact_solver_report {
  contact_solver_report () noexcept : ldy_contact_solver_report () { size = sizeof (ldy_contact_solver_report); }

  /* Whether the residual is within the tolerance. */
  bool converged () const noexcept { return status == LDY_STATUS_CONVERGED; }
  /* The residuals in the order of their computation. */
  values residuals () const noexcept { return { history, history_count }; }
};

namespace detail {
/* Throw an error with the text of ldy_last_error, unless code is 0. */
inline void check (int code)
{
  if (code != 0) throw Error (code, ldy_last_error ());
}

/* Options in C with the progress function of C++; no exception passes through C. */
class progress_hook {
public:
  explicit progress_hook (const contact_solver_options &options) : options_ (options), function_ (options.on_progress)
  {
    if (function_) options_.progress = call, options_.data = this;
  }

  const ldy_contact_solver_options *options () const noexcept { return &options_; }

  void check (int code) const
  {
    if (thrown_) std::rethrow_exception (thrown_);
    detail::check (code);
  }

private:
  static int call (double residual, int sweeps, int steps, void *data)
  {
    auto *hook = static_cast<progress_hook *> (data);
    try {
      return hook->function_ (residual, sweeps, steps) ? 0 : 1;
    } catch (...) {
      hook->thrown_ = std::current_exception ();
      return 1;
    }
  }

  ldy_contact_solver_options options_;
  const std::function<bool (double, int, int)> &function_;
  std::exception_ptr thrown_;
};
}

/* A contact solver. It finds forces that obey laws, and keeps its memory for the next problem. One thread at a time may use it. */
class contact_solver {
public:
  contact_solver ()
  {
    ldy_contact_solver *raw = nullptr;
    detail::check (ldy_contact_solver_create (&raw));
    raw_.reset (raw);
  }

  /* The underlying C object. */
  ldy_contact_solver *raw () const noexcept { return raw_.get (); }

  /* See ldy_contact_solver_solve. R: in the initial guess, out the best forces that were found. A solution that did not converge is no
     error: see the report. */
  contact_solver_report solve (const System &system, view<const ldy_law> laws, view<double> R, const contact_solver_options &options = {})
  {
    contact_solver_report report;
    detail::progress_hook hook (options);
    hook.check (ldy_contact_solver_solve (raw (), system.raw (), laws.data (), laws.size (), hook.options (), R.data (), R.size (), &report));
    return report;
  }

  /* The same with the laws that are kept with the constraints. */
  contact_solver_report solve (const System &system, view<double> R, const contact_solver_options &options = {})
  {
    return solve (system, view<const ldy_law> (), R, options);
  }

  /* See ldy_contact_solver_solve_rows: any block-sparse rows. */
  contact_solver_report solve (const ldy_rows &rows, view<const ldy_law> laws, view<double> R, const contact_solver_options &options = {})
  {
    contact_solver_report report;
    detail::progress_hook hook (options);
    hook.check (ldy_contact_solver_solve_rows (raw (), &rows, laws.data (), laws.size (), hook.options (), R.data (), R.size (), &report));
    return report;
  }

  /* The constraints of the last solution that contradict each other; see ldy_contact_solver_conflict. None, unless the status is
     LDY_STATUS_INFEASIBLE. */
  [[nodiscard]] std::vector<ldy_multiplier> conflict () const
  {
    std::size_t count = 0;
    detail::check (ldy_contact_solver_conflict (raw (), nullptr, 0, &count));
    std::vector<ldy_multiplier> multipliers (count);
    detail::check (ldy_contact_solver_conflict (raw (), multipliers.data (), count, nullptr));
    return multipliers;
  }

  /* A text that names them, and the bodies of the solved system that they move; see ldy_contact_solver_conflict_text. */
  [[nodiscard]] std::string conflict_text (const System &system) const { return conflict_text (system.raw ()); }

  /* The same without bodies, for instance if rows were solved. */
  [[nodiscard]] std::string conflict_text () const { return conflict_text (nullptr); }

private:
  std::string conflict_text (const ldy_system *system) const
  {
    std::size_t length = 0;
    detail::check (ldy_contact_solver_conflict_text (raw (), system, nullptr, 0, &length));
    std::string text (length + 1, ' ');
    detail::check (ldy_contact_solver_conflict_text (raw (), system, &text[0], text.size (), nullptr));
    text.resize (length);
    return text;
  }

  struct destroyer {
    void operator() (ldy_contact_solver *raw) const noexcept { ldy_contact_solver_destroy (raw); }
  };

  std::unique_ptr<ldy_contact_solver, destroyer> raw_;
};

/* All solutions with the velocities of a known one: which forces are unique, and how far others can change. */
class solution_set {
public:
  solution_set ()
  {
    ldy_solution_set *raw = nullptr;
    detail::check (ldy_solution_set_create (&raw));
    raw_.reset (raw);
  }

  /* The underlying C object. */
  ldy_solution_set *raw () const noexcept { return raw_.get (); }

  /* See ldy_solution_set_compute. R is a solution; tolerance 0: 1e-6. */
  void compute (const System &system, view<const ldy_law> laws, values R, double tolerance = 0)
  {
    detail::check (ldy_solution_set_compute (raw (), system.raw (), laws.data (), laws.size (), R.data (), R.size (), tolerance));
    count_ = R.size ();
  }

  /* The same with the laws that are kept with the constraints. */
  void compute (const System &system, values R, double tolerance = 0) { compute (system, view<const ldy_law> (), R, tolerance); }

  /* See ldy_solution_set_compute_rows: any block-sparse rows. */
  void compute (const ldy_rows &rows, view<const ldy_law> laws, values R, bool normal_first = false, double tolerance = 0)
  {
    detail::check (ldy_solution_set_compute_rows (raw (), &rows, laws.data (), laws.size (), normal_first, R.data (), R.size (), tolerance));
    count_ = R.size ();
  }

  /* Return for each scalar row whether its force is the same in all solutions. */
  [[nodiscard]] std::vector<std::uint8_t> determined () const
  {
    std::vector<std::uint8_t> flags (count_);
    determined (view<std::uint8_t> (flags));
    return flags;
  }

  /* The same; flags has a value for each scalar row. */
  void determined (view<std::uint8_t> flags) const { detail::check (ldy_solution_set_determined (raw (), flags.data (), flags.size ())); }

  /* The least and the greatest force of each scalar row. */
  void intervals (view<double> least, view<double> greatest) { intervals (view<const id> (), least, greatest); }

  /* The same for some constraints, or for some rows if the set was computed from rows. */
  void intervals (view<const id> constraints, view<double> least, view<double> greatest)
  {
    detail::need (greatest, least.size (), "greatest");
    detail::check (ldy_solution_set_intervals (raw (), constraints.data (), constraints.size (), least.data (), greatest.data (), least.size ()));
  }

  /* The constraints, or rows, whose forces can change together with a component. */
  [[nodiscard]] std::vector<id> causes (id constraint, int component)
  {
    std::size_t count;
    detail::check (ldy_solution_set_causes (raw (), constraint, component, nullptr, 0, &count));
    std::vector<id> causes (count);
    detail::check (ldy_solution_set_causes (raw (), constraint, component, causes.data (), count, nullptr));
    return causes;
  }

  /* Write the forces with the least sum of d R^2. */
  void canonical (view<double> R) { detail::check (ldy_solution_set_canonical (raw (), R.data (), R.size ())); }

private:
  struct destroyer {
    void operator() (ldy_solution_set *raw) const noexcept { ldy_solution_set_destroy (raw); }
  };

  std::unique_ptr<ldy_solution_set, destroyer> raw_;
  std::size_t count_ = 0;
};

/* Derivatives of the forces and velocities of a solution by all data of its problem. */
class derivatives {
public:
  derivatives ()
  {
    ldy_derivatives *raw = nullptr;
    detail::check (ldy_derivatives_create (&raw));
    raw_.reset (raw);
  }

  /* The underlying C object. */
  ldy_derivatives *raw () const noexcept { return raw_.get (); }

  /* See ldy_derivatives_compute. R is a solution; tolerance 0: 1e-6. */
  void compute (const System &system, view<const ldy_law> laws, values R, double tolerance = 0)
  {
    detail::check (ldy_derivatives_compute (raw (), system.raw (), laws.data (), laws.size (), R.data (), R.size (), tolerance));
    count_ = R.size ();
  }

  /* The same with the laws that are kept with the constraints. */
  void compute (const System &system, values R, double tolerance = 0) { compute (system, view<const ldy_law> (), R, tolerance); }

  /* See ldy_derivatives_compute_rows: any block-sparse rows. */
  void compute (const ldy_rows &rows, view<const ldy_law> laws, values R, bool normal_first = false, double tolerance = 0)
  {
    detail::check (ldy_derivatives_compute_rows (raw (), &rows, laws.data (), laws.size (), normal_first, R.data (), R.size (), tolerance));
    count_ = R.size ();
  }

  /* See ldy_derivatives_forward: one change of dB + dW R, or several without gaps between them, and changes of laws if there are any. */
  ldy_fit forward (values velocities, view<double> dR, view<double> dU, view<const ldy_law> laws = {})
  {
    ldy_fit fit;
    const std::size_t columns = this->columns (velocities.size ());
    detail::need (velocities, columns * count_, "velocities");
    detail::need (dR, velocities.size (), "dR");
    detail::need (dU, velocities.size (), "dU");
    detail::check (ldy_derivatives_forward (raw (), velocities.data (), laws.data (), laws.size () / columns, dR.data (), dU.data (), count_, columns, &fit));
    return fit;
  }

  /* See ldy_derivatives_adjoint: the derivatives of one function or of several by R and by U, empty if they are zero; by_laws may be empty. */
  ldy_fit adjoint (values by_R, values by_U, view<double> by_B, view<ldy_law> by_laws = {})
  {
    ldy_fit fit;
    const std::size_t columns = this->columns (by_B.size ());
    detail::need (by_B, columns * count_, "by_B");
    detail::need (by_R, by_R.size () ? by_B.size () : 0, "by_R");
    detail::need (by_U, by_U.size () ? by_B.size () : 0, "by_U");
    detail::check (ldy_derivatives_adjoint (raw (), by_R.size () ? by_R.data () : nullptr, by_U.size () ? by_U.data () : nullptr, by_B.data (), by_laws.size () ? by_laws.data () : nullptr, by_laws.size () / columns, count_, columns, &fit));
    return fit;
  }

  /* Where the solution is at a kink. */
  [[nodiscard]] std::vector<ldy_kink> kinks () const
  {
    std::size_t count;
    detail::check (ldy_derivatives_kinks (raw (), nullptr, 0, &count));
    std::vector<ldy_kink> kinks (count);
    detail::check (ldy_derivatives_kinks (raw (), kinks.data (), count, nullptr));
    return kinks;
  }

  /* The constraints, or rows, whose forces have no derivatives. */
  [[nodiscard]] std::vector<id> undetermined ()
  {
    std::size_t count;
    detail::check (ldy_derivatives_undetermined (raw (), nullptr, 0, &count));
    std::vector<id> constraints (count);
    detail::check (ldy_derivatives_undetermined (raw (), constraints.data (), count, nullptr));
    return constraints;
  }

private:
  /* The number of vectors. */
  std::size_t columns (std::size_t size) const { return count_ && size > count_ ? size / count_ : 1; }

  struct destroyer {
    void operator() (ldy_derivatives *raw) const noexcept { ldy_derivatives_destroy (raw); }
  };

  std::unique_ptr<ldy_derivatives, destroyer> raw_;
  std::size_t count_ = 0;
};

/* Derivatives of a function of a step by the data of its system. */
class gradient {
public:
  gradient ()
  {
    ldy_gradient *raw = nullptr;
    detail::check (ldy_gradient_create (&raw));
    raw_.reset (raw);
  }

  /* The underlying C object. */
  ldy_gradient *raw () const noexcept { return raw_.get (); }

  /* See ldy_gradient_compute. by_R, by_U and by_velocities are empty if they are zero; by_B and by_laws may be empty. */
  ldy_fit compute (const System &system, derivatives &of, values R, values by_R, values by_U, values by_velocities, view<double> by_B = {}, view<ldy_law> by_laws = {})
  {
    ldy_fit fit;
    const auto given = [&] (values by, const char *name) {
      detail::need (by, by.size () ? R.size () : 0, name);
      return by.size () ? by.data () : nullptr;
    };
    detail::need (by_B, by_B.size () ? R.size () : 0, "by_B");
    const double *of_R = given (by_R, "by_R"), *of_U = given (by_U, "by_U"), *of_velocities = by_velocities.size () ? by_velocities.data () : nullptr;
    detail::check (ldy_gradient_compute (raw (), system.raw (), of.raw (), R.data (), of_R, of_U, R.size (), of_velocities, by_velocities.size (), by_B.size () ? by_B.data () : nullptr, by_laws.size () ? by_laws.data () : nullptr, by_laws.size (), &fit));
    return fit;
  }

  /* The derivative by the step. */
  [[nodiscard]] double step () const
  {
    double value;
    detail::check (ldy_gradient_step (raw (), &value));
    return value;
  }

  /* The derivatives by the free velocity of a body. */
  void velocity (id body, view<double> by) const { detail::check (ldy_gradient_velocity (raw (), body, by.data (), by.size ())); }

  /* Those by its mass, which is returned, and by its inertia or Euler tensor, 9 values. */
  double inertia (id body, view<double> tensor) const
  {
    double mass;
    detail::need (tensor, 9, "tensor");
    detail::check (ldy_gradient_inertia (raw (), body, &mass, tensor.data ()));
    return mass;
  }

  /* Those by its matrix A, n x n. */
  void matrix (id body, view<double> by) const { detail::check (ldy_gradient_matrix (raw (), body, by.data (), by.size ())); }

  /* Those by the rotation, 9 values, and by the referential mass center, 3 values. */
  void pose (id body, view<double> rotation, view<double> center) const
  {
    detail::need (rotation, 9, "rotation"), detail::need (center, 3, "center");
    detail::check (ldy_gradient_pose (raw (), body, rotation.data (), center.data ()));
  }

  /* Those by the frame of a constraint, 9 values, and by its points, 3 values each. */
  void place (id constraint, view<double> frame, view<double> master_point, view<double> slave_point) const
  {
    detail::need (frame, 9, "frame"), detail::need (master_point, 3, "master_point"), detail::need (slave_point, 3, "slave_point");
    detail::check (ldy_gradient_place (raw (), constraint, frame.data (), master_point.data (), slave_point.data ()));
  }

  /* Those by the position of a rigid body in the world. */
  [[nodiscard]] vector3 position (id body) const
  {
    vector3 by;
    detail::check (ldy_gradient_position (raw (), body, by.data ()));
    return by;
  }

  /* Those by the axes of a joint on master and slave, 9 values each, and by its points, 3 values each. */
  void joint (id joint, view<double> master_frame, view<double> master_point, view<double> slave_frame, view<double> slave_point) const
  {
    detail::need (master_frame, 9, "master_frame"), detail::need (master_point, 3, "master_point");
    detail::need (slave_frame, 9, "slave_frame"), detail::need (slave_point, 3, "slave_point");
    detail::check (ldy_gradient_joint (raw (), joint, master_frame.data (), master_point.data (), slave_frame.data (), slave_point.data ()));
  }

  /* Those by its operator on a body, m x n. */
  void operator_of (id constraint, id body, view<double> by) const { detail::check (ldy_gradient_operator (raw (), constraint, body, by.data (), by.size ())); }

  /* Those by its compliance, m x m. */
  void compliance (id constraint, view<double> by) const { detail::check (ldy_gradient_compliance (raw (), constraint, by.data (), by.size ())); }

private:
  struct destroyer {
    void operator() (ldy_gradient *raw) const noexcept { ldy_gradient_destroy (raw); }
  };

  std::unique_ptr<ldy_gradient, destroyer> raw_;
};

/* Many systems at once: each has the results that it has alone. */
class batch {
public:
  batch ()
  {
    ldy_batch *raw = nullptr;
    detail::check (ldy_batch_create (&raw));
    raw_.reset (raw);
  }

  /* The underlying C object. */
  ldy_batch *raw () const noexcept { return raw_.get (); }

  /* See ldy_batch_update. */
  void update (view<ldy_system *const> systems, double h) { detail::check (ldy_batch_update (raw (), systems.data (), systems.size (), h)); }

  /* See ldy_batch_solve. starts has the first value of each system in R, and the end; statuses and residuals may be empty. */
  void solve (view<ldy_system *const> systems, view<double> R, view<const std::size_t> starts, view<std::int32_t> statuses = {}, view<double> residuals = {}, const ldy_contact_solver_options *options = nullptr)
  {
    const std::size_t count = systems.size ();
    check_starts (starts, count, R.size ());
    detail::need (statuses, statuses.size () ? count : 0, "statuses");
    detail::need (residuals, residuals.size () ? count : 0, "residuals");
    detail::check (ldy_batch_solve (raw (), systems.data (), count, options, R.data (), starts.data (), statuses.size () ? statuses.data () : nullptr, residuals.size () ? residuals.data () : nullptr));
  }

  /* See ldy_batch_multiply. */
  void multiply (view<ldy_system *const> systems, values x, view<double> y, view<const std::size_t> starts)
  {
    check_starts (starts, systems.size (), x.size ());
    detail::need (y, x.size (), "y");
    detail::check (ldy_batch_multiply (raw (), systems.data (), systems.size (), x.data (), y.data (), starts.data ()));
  }

  /* See ldy_batch_adjoint; by_laws and fits may be empty. */
  void adjoint (view<ldy_system *const> systems, values R, values by_R, values by_U, view<double> by_B, view<const std::size_t> starts, view<ldy_fit> fits = {}, view<ldy_law> by_laws = {})
  {
    const std::size_t count = systems.size ();
    check_starts (starts, count, R.size ());
    detail::need (by_R, R.size (), "by_R"), detail::need (by_U, R.size (), "by_U"), detail::need (by_B, R.size (), "by_B");
    detail::need (fits, fits.size () ? count : 0, "fits");
    ldy_law *laws = by_laws.size () ? by_laws.data () : nullptr;
    detail::check (ldy_batch_adjoint (raw (), systems.data (), count, R.data (), by_R.data (), by_U.data (), by_B.data (), laws, by_laws.size (), starts.data (), fits.size () ? fits.data () : nullptr));
  }

  /* See ldy_batch_solve_strided: the forces of system k begin with value stride k of R. */
  void solve_strided (view<ldy_system *const> systems, view<double> R, std::size_t stride, view<std::int32_t> statuses = {}, view<double> residuals = {}, const ldy_contact_solver_options *options = nullptr)
  {
    const std::size_t count = systems.size ();
    check_extent (systems, R.size (), stride, "R");
    detail::need (statuses, statuses.size () ? count : 0, "statuses");
    detail::need (residuals, residuals.size () ? count : 0, "residuals");
    detail::check (ldy_batch_solve_strided (raw (), systems.data (), count, options, R.data (), bytes (stride), statuses.size () ? statuses.data () : nullptr, residuals.size () ? residuals.data () : nullptr));
  }

  /* See ldy_batch_multiply_strided: the vector of system k begins with value x_stride k of x, and with value y_stride k of y. */
  void multiply_strided (view<ldy_system *const> systems, values x, std::size_t x_stride, view<double> y, std::size_t y_stride)
  {
    check_extent (systems, x.size (), x_stride, "x"), check_extent (systems, y.size (), y_stride, "y");
    detail::check (ldy_batch_multiply_strided (raw (), systems.data (), systems.size (), x.data (), bytes (x_stride), y.data (), bytes (y_stride)));
  }

  /* See ldy_batch_adjoint_strided: one stride for all vectors, a number of values, and one for the laws of systems, a number of laws. */
  void adjoint_strided (view<ldy_system *const> systems, values R, values by_R, values by_U, view<double> by_B, std::size_t stride, view<ldy_fit> fits = {}, view<ldy_law> by_laws = {}, std::size_t laws_stride = 0)
  {
    const std::size_t count = systems.size (), step = bytes (stride);
    check_extent (systems, R.size (), stride, "R"), check_extent (systems, by_R.size (), stride, "by_R");
    check_extent (systems, by_U.size (), stride, "by_U"), check_extent (systems, by_B.size (), stride, "by_B");
    detail::need (fits, fits.size () ? count : 0, "fits");
    if (by_laws.size ()) check_extent (systems, by_laws.size (), laws_stride, "by_laws", true);
    ldy_law *laws = by_laws.size () ? by_laws.data () : nullptr;
    detail::check (ldy_batch_adjoint_strided (raw (), systems.data (), count, R.data (), step, by_R.data (), step, by_U.data (), step, by_B.data (), step, laws, laws_stride * sizeof (ldy_law), fits.size () ? fits.data () : nullptr));
  }

private:
  static std::size_t bytes (std::size_t stride) { return stride * sizeof (double); }

  /* The values or laws of each system must be in the array. Systems without results are found by the call. */
  static void check_extent (view<ldy_system *const> systems, std::size_t size, std::size_t stride, const char *name, bool are_laws = false)
  {
    for (std::size_t k = 0; k < systems.size (); k ++) {
      ldy_rows rows {};
      rows.size = sizeof rows;
      if (ldy_system_results (systems.data ()[k], &rows) == 0 && stride * k + (are_laws ? static_cast<std::size_t> (rows.rows) : scalar_count (rows)) > size)
        throw Error (LDY_ERROR_INVALID_ARGUMENT, std::string (name) + ": the values of system " + std::to_string (k) + " are not all there");
    }
  }

  static std::size_t scalar_count (const ldy_rows &rows)
  {
    return rows.scalar_starts ? static_cast<std::size_t> (rows.scalar_starts[rows.rows]) : 3 * static_cast<std::size_t> (rows.rows);
  }

  static void check_starts (view<const std::size_t> starts, std::size_t count, std::size_t size)
  {
    detail::need (starts, count + 1, "starts");
    if (starts.data ()[count] != size)
      throw Error (LDY_ERROR_INVALID_ARGUMENT, "starts: the last value is not the number of forces");
  }

  struct destroyer {
    void operator() (ldy_batch *raw) const noexcept { ldy_batch_destroy (raw); }
  };

  std::unique_ptr<ldy_batch, destroyer> raw_;
};

/* See ldy_rows_redundant, for any rows. flags has a value for each scalar row. Returns the number of dependent scalar rows. */
inline int redundant (const ldy_rows &rows, view<int> flags, double tolerance = 0)
{
  int dimension;
  detail::check (ldy_rows_redundant (&rows, tolerance, flags.data (), flags.size (), &dimension));
  return dimension;
}

/* y = W x for any rows and one or several vectors, without gaps between them. */
inline void multiply (const ldy_rows &rows, values x, view<double> y, std::size_t columns = 1)
{
  std::size_t count = columns ? x.size () / columns : 0;
  if (count * columns != x.size () || y.size () != x.size ())
    throw Error (LDY_ERROR_INVALID_ARGUMENT, "x and y: the values are not so many vectors");
  detail::check (ldy_rows_multiply (&rows, x.data (), count * sizeof (double), y.data (), count * sizeof (double), count, columns));
}

/* Write the blocks of x y^T in the pattern of W: see ldy_rows_outer_product. */
inline void outer_product (const ldy_rows &rows, values x, values y, view<double> blocks)
{
  detail::need (y, x.size (), "y");
  detail::check (ldy_rows_outer_product (&rows, x.data (), y.data (), x.size (), blocks.data (), blocks.size ()));
}

/* Write W to a file; format: LDY_FILE_FORMAT_MATRIX_MARKET or LDY_FILE_FORMAT_NPZ. */
inline void write (const ldy_rows &rows, const std::string &path, int format)
{
  detail::check (ldy_rows_write (&rows, path.c_str (), format));
}

/* The Cholesky factor of W + diag (mu); see ldy_factor. It keeps its memory for the next one. */
class factor {
public:
  factor ()
  {
    ldy_factor *raw = nullptr;
    detail::check (ldy_factor_create (&raw));
    raw_.reset (raw);
  }

  /* The underlying C object. */
  ldy_factor *raw () const noexcept { return raw_.get (); }

  /* mu: empty, one value for all, one for each row, or one for each scalar row. */
  void compute (const System &system, values mu = {}) { detail::check (ldy_factor_compute (raw (), system.raw (), mu.data (), mu.size ())); }
  void compute (const ldy_rows &rows, values mu = {}) { detail::check (ldy_factor_compute_rows (raw (), &rows, mu.data (), mu.size ())); }

  /* Replace one or several vectors x, without gaps between them, by (W + diag (mu))^-1 x. */
  void solve (view<double> x, std::size_t columns = 1)
  {
    std::size_t count = columns ? x.size () / columns : 0;
    if (count * columns != x.size ()) throw Error (LDY_ERROR_INVALID_ARGUMENT, "x: the values are not so many vectors");
    detail::check (ldy_factor_solve (raw (), x.data (), count * sizeof (double), count, columns));
  }

  double log_determinant () const
  {
    double value;
    detail::check (ldy_factor_log_determinant (raw (), &value));
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
  detail::need (inertia, 9, "inertia"), detail::need (spin, 3, "spin");
  detail::check (ldy_gyroscopic_change (inertia.data (), spin.data (), h, change.data ()));
  return change;
}

/* The gyroscopic terms of several bodies, one after the other; inertias has 9 values for each of them, or for all. */
inline void gyroscopic_changes (values inertias, values spins, double h, view<double> changes)
{
  std::size_t count = spins.size () / 3, stride = inertias.size () == 9 ? 0 : 9;
  detail::need (spins, 3 * count, "spins"), detail::need (changes, 3 * count, "changes");
  detail::need (inertias, stride ? 9 * count : 9, "inertias");
  detail::check (ldy_gyroscopic_changes (inertias.data (), stride * sizeof (double), spins.data (), 3 * sizeof (double), h, changes.data (),
    3 * sizeof (double), count));
}

/* See ldy_advance_rotations. */
inline void advance_rotations (values rotations, values before, values after, double h, view<double> turned)
{
  std::size_t count = before.size () / 3;
  detail::need (before, 3 * count, "before"), detail::need (after, 3 * count, "after");
  detail::need (rotations, 9 * count, "rotations"), detail::need (turned, 9 * count, "turned");
  detail::check (ldy_advance_rotations (rotations.data (), 9 * sizeof (double), before.data (), after.data (), 3 * sizeof (double), h,
    turned.data (), 9 * sizeof (double), count));
}

/* See ldy_advance_rotation. */
inline matrix3 advance_rotation (values rotation, values before, values after, double h)
{
  matrix3 turned;
  detail::need (rotation, 9, "rotation"), detail::need (before, 3, "before"), detail::need (after, 3, "after");
  detail::check (ldy_advance_rotation (rotation.data (), before.data (), after.data (), h, turned.data ()));
  return turned;
}

/* A frame whose third column has the direction of the normal; see ldy_frame_from_normal. */
[[nodiscard]] inline matrix3 frame_from_normal (values normal)
{
  matrix3 frame;
  detail::need (normal, 3, "normal");
  detail::check (ldy_frame_from_normal (normal.data (), frame.data ()));
  return frame;
}

inline void set_threads (int n) { detail::check (ldy_set_threads (n)); }

[[nodiscard]] inline int threads () noexcept { return ldy_threads (); }

/* End the library's threads; see ldy_shutdown. */
inline void shutdown () noexcept { ldy_shutdown (); }

[[nodiscard]] inline const char *version () noexcept { return ldy_version (); }
[[nodiscard]] inline const char *build_info () noexcept { return ldy_build_info (); }

} // namespace ldy

#endif
