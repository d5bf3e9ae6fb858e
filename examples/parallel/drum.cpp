/* drum SPHERES STEPS SWEEPS FOLDER: spheres in a rotating drum on all processes of MPI, with files for ParaView. A step has at most
 * SWEEPS sweeps. See docs/how-to/parallel.md.
 *
 *   mpicxx -std=c++17 -O2 examples/parallel/drum.cpp $(pkg-config --cflags --libs ldy-mpi) -o drum
 *   mpirun -np 8 ./drum 1000000 100 50 pictures
 *
 * The axis of the drum is y. Half of it is full, below a plane that is steeper than a heap can be, so that spheres flow at once.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <mpi.h>

#include <ldy_parallel.hpp>

#include "cells.hpp"
#include "vtu.hpp"

using ids = std::vector<ldy::id>;
using ranks = std::vector<std::int32_t>;

constexpr double radius = 0.01, mass = 0.0105, friction = 0.5, step = 4e-3, gravity = 9.81, turning = 1.5;
/* Spheres that are closer than this have a contact, so that they cannot meet within a step unnoticed. */
constexpr double reach = 2.2 * radius, spacing = 2.02 * radius, slope = 0.7;
/* Steps until bodies get a new partition. */
constexpr int period = 25;

/* The drum is body 0. Spheres have the ids from 3 on: a contact of sphere i with sphere j has the id 2^31 i + j, and its contacts with
   shell and plates have the ids j, 2^31 + j and 2^32 + j. */
constexpr ldy::id drum = 0, first_sphere = 3;
/* It stands for bodies that a process does not have; see ldy_parallel_system. */
constexpr ldy::id unknown = INT64_MAX;

ldy::id contact_id (ldy::id i, ldy::id j) { return (i << 31) + j; }

struct contacts {
  ids names, masters, slaves;
  std::vector<double> normals, places;
  std::vector<ldy_law> laws;

  /* The normal points from slave to master. A gap may close within the step; a hundredth of a penetration opens in a step. */
  void add (ldy::id name, ldy::id master, ldy::id slave, const point &normal, const point &place, double gap)
  {
    names.push_back (name), masters.push_back (master), slaves.push_back (slave);
    normals.insert (normals.end (), normal.begin (), normal.end ()), places.insert (places.end (), place.begin (), place.end ());
    laws.push_back (ldy::contact_law (friction, 0, { 0, 0, (gap > 0 ? gap : 0.01 * gap) / step }));
  }
};

/* A random number that follows from another one (Steele, Lea and Flood: Fast splittable pseudorandom number generators, 2014). */
std::uint64_t mixed (std::uint64_t x)
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class simulation {
public:
  simulation (std::size_t spheres, int sweeps) : sweeps_ (sweeps)
  {
    MPI_Comm_rank (MPI_COMM_WORLD, &rank_), MPI_Comm_size (MPI_COMM_WORLD, &processes_);
    /* Its length is about five times its radius. */
    size_ = spacing * std::cbrt (0.4 * static_cast<double> (spheres) / 3.14159265358979) + radius;
    insert_drum ();
    insert_spheres (spheres);
    double begin = MPI_Wtime ();
    divide ();
    seconds[0] = MPI_Wtime () - begin;
  }

  /* Find a partition, and move everything to the processes that should have it. */
  void divide ()
  {
    ids bodies = parallel_.bodies (), constraints = parallel_.constraints ();
    bodies.erase (std::remove (bodies.begin (), bodies.end (), drum), bodies.end ());
    ranks of_bodies (bodies.size ()), of_constraints (constraints.size ());
    parallel_.partition (bodies, of_bodies, constraints, of_constraints);
    parallel_.migrate (bodies, of_bodies, constraints, of_constraints);
    own_ = parallel_.bodies ();
    own_.erase (std::remove (own_.begin (), own_.end (), drum), own_.end ());
    read_places ();
  }

  void advance ()
  {
    double begin = MPI_Wtime ();
    fall ();
    ids near = exchange_ghosts ();
    set_contacts (find_contacts (near));
    remove_other_ghosts (near);
    double found = MPI_Wtime ();
    parallel_.update (step);
    double updated = MPI_Wtime ();
    solve ();
    move ();
    seconds = { found - begin, updated - found, MPI_Wtime () - updated };
  }

  void write (const std::string &folder, int number) const
  {
    std::vector<double> velocities (6 * own_.size ());
    parallel_.system ().velocities (own_, velocities);
    std::vector<vtu_field> fields = { { "place", 3, {} }, { "velocity", 3, {} }, { "process", 1, {} } };
    for (std::size_t k = 0; k < own_.size (); k ++) {
      for (std::size_t c = 0; c < 3; c ++) {
        fields[0].values.push_back (static_cast<float> (places_[k][c]));
        fields[1].values.push_back (static_cast<float> (velocities[6 * k + 3 + c]));
      }
      fields[2].values.push_back (static_cast<float> (rank_));
    }
    std::string name = "drum" + std::to_string (number);
    write_vtu (folder + "/" + name + "." + std::to_string (rank_) + ".vtu", fields);
    if (rank_ == 0) write_pvtu (folder, name, fields, processes_);
  }

  /* A number that differs if a coordinate of any sphere has other bits. Collective. */
  std::uint64_t digest () const
  {
    std::uint64_t sum = 0, all = 0;
    for (std::size_t k = 0; k < own_.size (); k ++) for (double x : places_[k]) {
      std::uint64_t bits;
      std::memcpy (&bits, &x, sizeof bits);
      sum += mixed (bits ^ mixed (static_cast<std::uint64_t> (own_[k])));
    }
    MPI_Allreduce (&sum, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
  }

  int rank () const { return rank_; }
  int processes () const { return processes_; }
  const ldy::parallel &parallel () const { return parallel_; }
  std::size_t spheres () const { return own_.size (); }

  ldy::contact_solver_report report;
  /* Times of the last step: contacts and ghosts, update, solution. Before the first one: partition and migration. */
  std::array<double, 3> seconds = {};

private:
  static constexpr double axes[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, inertia = 0.4 * mass * radius * radius;

  /* One process owns the drum, and the others have ghosts of it. */
  void insert_drum ()
  {
    ldy::System &system = parallel_.system ();
    if (rank_ == 0) {
      parallel_.set_next_ids (drum, 0);
      system.add_obstacle (axes, { 0, 0, 0 });
      system.set_positions ({ drum }, { 0, 0, 0 });
      for (int which : { LDY_VELOCITY_PREVIOUS, LDY_VELOCITY_FREE }) system.set_velocity (drum, { 0, turning, 0, 0, 0, 0 }, which);
      parallel_.add_ghosts ({}, {});
    } else {
      parallel_.add_ghosts ({ drum }, { 0 });
    }
  }

  /* Points of a lattice in the drum below a plane, slice after slice. Each process takes some slices; `divide` does better. */
  void insert_spheres (std::size_t spheres)
  {
    std::size_t count = 0;
    auto most = static_cast<int> (size_ / spacing);
    std::vector<double> all;
    for (int j = 0; count < spheres; j ++) for (int i = -most; i <= most; i ++) for (int k = -most; k <= most; k ++) {
      double x = i * spacing, z = k * spacing;
      if (z > slope * x || x * x + z * z > (size_ - reach / 2) * (size_ - reach / 2) || count == spheres) continue;
      auto owner = static_cast<int> (count ++ * static_cast<std::size_t> (processes_) / spheres);
      if (owner != rank_) continue;
      if (own_.empty ()) parallel_.set_next_ids (first_sphere + static_cast<ldy::id> (count) - 1, 0);
      own_.push_back (parallel_.system ().add_rigid (mass, { inertia, 0, 0, 0, inertia, 0, 0, 0, inertia }, axes, { 0, 0, 0 }));
      std::uint64_t bits = mixed (count);
      for (double value : { x, radius + j * spacing, z }) all.push_back (value + 0.005 * spacing * static_cast<double> ((bits = mixed (bits)) >> 40) / 16777216.0);
      length_ = std::max (length_, 2 * radius + j * spacing);
    }
    parallel_.system ().set_positions (own_, all);
    MPI_Allreduce (MPI_IN_PLACE, &length_, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    length_ += 0.1 * radius;
  }

  void read_places ()
  {
    places_.resize (own_.size ());
    parallel_.system ().positions (own_, { reinterpret_cast<double *> (places_.data ()), 3 * places_.size () });
  }

  /* The free velocity of the step. Spheres do not turn: their axes stay parallel to the world's. */
  void fall ()
  {
    std::vector<double> velocities (6 * own_.size ());
    ldy::System &system = parallel_.system ();
    system.velocities (own_, velocities);
    system.set_velocities (own_, velocities, LDY_VELOCITY_PREVIOUS);
    for (std::size_t k = 0; k < own_.size (); k ++) velocities[6 * k + 5] -= step * gravity;
    system.set_velocities (own_, velocities);
  }

  void move ()
  {
    std::vector<double> velocities (6 * own_.size ());
    parallel_.system ().velocities (own_, velocities);
    for (std::size_t k = 0; k < own_.size (); k ++)
      for (std::size_t c = 0; c < 3; c ++) places_[k][c] += step * velocities[6 * k + 3 + c];
    parallel_.system ().set_positions (own_, { reinterpret_cast<double *> (places_.data ()), 3 * places_.size () });
  }

  /* Get a ghost of each sphere near the box of the own ones. Returns the ids of these spheres. */
  ids exchange_ghosts ()
  {
    ids near, sent;
    ranks owners;
    std::vector<int> counts, from (static_cast<std::size_t> (processes_)), starts, places;
    std::vector<double> boxes = all_boxes ();
    for (std::size_t p = 0; p < from.size (); p ++) {
      std::size_t before = sent.size ();
      for (std::size_t k = 0; k < own_.size () && static_cast<int> (p) != rank_; k ++)
        if (is_near (places_[k], &boxes[6 * p])) sent.push_back (own_[k]);
      starts.push_back (static_cast<int> (before)), counts.push_back (static_cast<int> (sent.size () - before));
    }
    MPI_Alltoall (counts.data (), 1, MPI_INT, from.data (), 1, MPI_INT, MPI_COMM_WORLD);
    for (std::size_t p = 0; p < from.size (); p ++) {
      places.push_back (static_cast<int> (owners.size ()));
      owners.insert (owners.end (), static_cast<std::size_t> (from[p]), static_cast<std::int32_t> (p));
    }
    near.resize (owners.size ());
    MPI_Alltoallv (sent.data (), counts.data (), starts.data (), MPI_INT64_T, near.data (), from.data (), places.data (), MPI_INT64_T, MPI_COMM_WORLD);
    add_new_ghosts (near, owners);
    return near;
  }

  void add_new_ghosts (const ids &near, const ranks &owners)
  {
    ids here = parallel_.system ().bodies (), missing;
    ranks from;
    for (std::size_t k = 0; k < near.size (); k ++)
      if (!std::binary_search (here.begin (), here.end (), near[k])) missing.push_back (near[k]), from.push_back (owners[k]);
    parallel_.add_ghosts (missing, from);
    parallel_.refresh ();
  }

  /* Lower and upper ends of the boxes of all processes. */
  std::vector<double> all_boxes () const
  {
    std::vector<double> boxes (6 * static_cast<std::size_t> (processes_));
    double own[6] = { 1e30, 1e30, 1e30, -1e30, -1e30, -1e30 };
    for (const point &place : places_)
      for (std::size_t c = 0; c < 3; c ++) own[c] = std::min (own[c], place[c]), own[3 + c] = std::max (own[3 + c], place[c]);
    MPI_Allgather (own, 6, MPI_DOUBLE, boxes.data (), 6, MPI_DOUBLE, MPI_COMM_WORLD);
    return boxes;
  }

  static bool is_near (const point &place, const double *box)
  {
    for (std::size_t c = 0; c < 3; c ++) if (place[c] < box[c] - reach || place[c] > box[3 + c] + reach) return false;
    return true;
  }

  /* Contacts of own spheres with spheres of larger ids and with the drum. */
  contacts find_contacts (const ids &near) const
  {
    contacts found;
    ids all = own_;
    std::vector<point> points = places_;
    all.insert (all.end (), near.begin (), near.end ()), points.resize (all.size ());
    parallel_.system ().positions (near, { reinterpret_cast<double *> (points.data () + own_.size ()), 3 * near.size () });
    each_pair (points, own_.size (), reach, [&] (std::size_t i, std::size_t j) {
      if (all[i] > all[j]) return;
      point normal, place;
      for (std::size_t c = 0; c < 3; c ++) normal[c] = points[i][c] - points[j][c], place[c] = 0.5 * (points[i][c] + points[j][c]);
      double distance = std::sqrt (normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
      for (double &n : normal) n /= distance;
      found.add (contact_id (all[i], all[j]), all[i], all[j], normal, place, distance - 2 * radius);
    });
    for (std::size_t k = 0; k < own_.size (); k ++) add_drum (found, own_[k], places_[k]);
    return found;
  }

  void add_drum (contacts &found, ldy::id sphere, const point &at) const
  {
    double out = std::sqrt (at[0] * at[0] + at[2] * at[2]);
    const point normals[3] = { { -at[0] / out, 0, -at[2] / out }, { 0, 1, 0 }, { 0, -1, 0 } };
    const double distances[3] = { size_ - out, at[1], length_ - at[1] };
    for (int side = 0; side < 3; side ++) {
      point place = at;
      if (distances[side] > reach / 2) continue;
      for (std::size_t c = 0; c < 3; c ++) place[c] -= distances[side] * normals[side][c];
      found.add (contact_id (side, sphere), sphere, drum, normals[side], place, distances[side] - radius);
    }
  }

  /* Make the constraints of this process equal to the contacts: they are removed, inserted and moved in bulk. */
  void set_contacts (const contacts &found)
  {
    ids old = parallel_.constraints (), now = found.names, gone;
    std::sort (now.begin (), now.end ());
    std::set_difference (old.begin (), old.end (), now.begin (), now.end (), std::back_inserter (gone));
    ldy::System &system = parallel_.system ();
    system.remove_constraints (gone);
    std::size_t count = now.size ();
    std::vector<double> frames (9 * count), masters (3 * count), slaves (3 * count);
    system.contact_frames (found.masters, found.slaves, found.normals, found.places, frames, masters, slaves);
    contacts parts[2];
    std::vector<double> values[2][3];
    for (std::size_t k = 0; k < count; k ++) {
      std::size_t is_new = std::binary_search (old.begin (), old.end (), found.names[k]) ? 0 : 1;
      contacts &part = parts[is_new];
      part.names.push_back (found.names[k]), part.masters.push_back (found.masters[k]), part.slaves.push_back (found.slaves[k]);
      values[is_new][0].insert (values[is_new][0].end (), &frames[9 * k], &frames[9 * k] + 9);
      values[is_new][1].insert (values[is_new][1].end (), &masters[3 * k], &masters[3 * k] + 3);
      values[is_new][2].insert (values[is_new][2].end (), &slaves[3 * k], &slaves[3 * k] + 3);
    }
    system.move_constraints (parts[0].names, {}, {}, values[0][0], values[0][1], values[0][2]);
    parallel_.add_point_constraints (parts[1].names, parts[1].masters, parts[1].slaves, values[1][0], values[1][1], values[1][2]);
    system.set_laws (found.names, found.laws);
  }

  /* Ghosts that are not near any more. Their contacts have been removed. */
  void remove_other_ghosts (ids near)
  {
    near.insert (near.end (), own_.begin (), own_.end ()), near.push_back (drum), near.push_back (unknown);
    std::sort (near.begin (), near.end ());
    ids here = parallel_.system ().bodies (), gone;
    std::set_difference (here.begin (), here.end (), near.begin (), near.end (), std::back_inserter (gone));
    parallel_.remove_bodies (gone);
  }

  /* The forces of the last step, which constraints keep, are the initial guess. */
  void solve ()
  {
    ldy::System &system = parallel_.system ();
    std::vector<double> all (system.results ().scalars ()), R (parallel_.scalar_count ());
    std::vector<std::int32_t> rows = parallel_.rows ();
    system.stored_reactions (all);
    for (std::size_t k = 0; k < R.size (); k ++) R[k] = all[3 * static_cast<std::size_t> (rows[k / 3]) + k % 3];
    ldy::contact_solver_options options;
    options.measure = LDY_MEASURE_SCALED;
    options.tolerance = 1e-3;
    options.max_sweeps = sweeps_;
    report = parallel_.solve (R, options);
    for (std::size_t k = 0; k < R.size (); k ++) all[3 * static_cast<std::size_t> (rows[k / 3]) + k % 3] = R[k];
    system.store_reactions (all);
    parallel_.apply_reactions (R);
  }

  ldy::parallel parallel_ { MPI_Comm_c2f (MPI_COMM_WORLD) };
  int rank_, processes_, sweeps_;
  double size_ = 0, length_ = 0;
  ids own_;
  std::vector<point> places_;
};

/* Megabytes that this process has used at most. */
double memory ()
{
  std::ifstream file ("/proc/self/status");
  for (std::string line; std::getline (file, line);)
    if (line.rfind ("VmHWM:", 0) == 0) return std::atof (line.c_str () + 6) / 1024;
  return 0;
}

void run (std::size_t spheres, int steps, int sweeps, const std::string &folder)
{
  double begin = MPI_Wtime ();
  simulation all (spheres, sweeps);
  if (all.rank () == 0) std::printf ("%zu spheres on %d processes: %.2f s, of which %.2f s for partition and migration\n", spheres, all.processes (), MPI_Wtime () - begin, all.seconds[0]);
  for (int k = 1; k <= steps; k ++) {
    if (k % period == 0) all.divide ();
    all.advance ();
    unsigned long long contacts = all.parallel ().constraint_count ();
    MPI_Allreduce (MPI_IN_PLACE, &contacts, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (all.rank () == 0)
      std::printf ("step %d: %llu contacts, %d sweeps to %.1e, seconds: contacts %.2f, update %.2f, forces %.2f\n", k, contacts, all.report.sweeps,
        all.report.residual, all.seconds[0], all.seconds[1], all.seconds[2]);
    std::fflush (stdout);
  }
  if (!folder.empty ()) all.write (folder, steps);
  unsigned long long digest = all.digest ();
  if (all.rank () == 0) std::printf ("places %016llx, the same for any number of processes\n", digest);
  ldy::parallel_stats stats = all.parallel ().stats ();
  for (int rank = 0; rank < all.processes (); rank ++) {
    MPI_Barrier (MPI_COMM_WORLD);
    if (rank == all.rank ())
      std::printf ("process %d: %zu spheres, %llu ghosts, %zu contacts, halo %llu, %.0f MB\n", rank, all.spheres (), static_cast<unsigned long long> (stats.ghosts),
        all.parallel ().constraint_count (), static_cast<unsigned long long> (stats.halo), memory ());
    std::fflush (stdout);
  }
}

int main (int argc, char **argv)
{
  MPI_Init (&argc, &argv);
  try {
    run (argc > 1 ? std::strtoul (argv[1], nullptr, 10) : 2000, argc > 2 ? std::atoi (argv[2]) : 10, argc > 3 ? std::atoi (argv[3]) : 50,
      argc > 4 ? argv[4] : "");
  } catch (const std::exception &error) {
    std::fprintf (stderr, "drum: %s\n", error.what ());
    MPI_Abort (MPI_COMM_WORLD, 1);
  }
  MPI_Finalize ();
}
