/* A chain of rigid links: it hangs, then it is let go from the side and swings, and its end slides over a floor. The forces of the
 * hanging chain, the drift of its joints and its energy are printed. See docs/how-to/cpp.md.
 *
 *   c++ -std=c++17 -Iinclude examples/chain.cpp target/release/libldy.a -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc -o chain
 */
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "ldy.hpp"

using vector = std::array<double, 3>;
using matrix = std::array<double, 9>; /* by columns */

constexpr std::size_t links = 10;
constexpr double length = 0.2, mass = 0.5, gravity = 9.81, step = 1e-3, friction = 0.3;
constexpr matrix unit = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

/* A rod along its own x, and an inertia about that axis so that it has an inverse. */
constexpr double across = mass * length * length / 12, along = across / 50;
constexpr matrix inertia = { along, 0, 0, 0, across, 0, 0, 0, across };

struct rod {
  vector center;
  matrix rotation;
  std::array<double, 6> velocity; /* angular, in its own axes; of the centre */
};

vector times (const matrix &A, const vector &x)
{
  vector y = {};
  for (std::size_t j = 0; j < 3; j ++)
    for (std::size_t i = 0; i < 3; i ++) y[i] += A[3 * j + i] * x[j];
  return y;
}

/* Where the end of a link is: -1 its first, 1 its last. */
vector end_of (const rod &one, int side)
{
  vector place = times (one.rotation, { side * length / 2, 0, 0 });
  for (std::size_t i = 0; i < 3; i ++) place[i] += one.center[i];
  return place;
}

/* Half a step: the centre moves, the axes turn about the angular velocity (Rodrigues' formula). */
void move (rod &one, double h)
{
  const double *w = one.velocity.data ();
  double angle = std::sqrt (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  for (std::size_t i = 0; i < 3; i ++) one.center[i] += h * one.velocity[3 + i];
  if (angle == 0) return;
  const double a[3] = { w[0] / angle, w[1] / angle, w[2] / angle }, c = std::cos (h * angle), s = std::sin (h * angle);
  const matrix skew = { 0, a[2], -a[1], -a[2], 0, a[0], a[1], -a[0], 0 };
  matrix turned = {};
  for (std::size_t j = 0; j < 3; j ++) {
    vector column;
    for (std::size_t i = 0; i < 3; i ++) column[i] = (i == j) * c + s * skew[3 * j + i] + (1 - c) * a[i] * a[j];
    column = times (one.rotation, column);
    std::copy (column.begin (), column.end (), turned.begin () + 3 * j);
  }
  one.rotation = turned;
}

double energy (const std::vector<rod> &chain)
{
  double sum = 0;
  for (const rod &one : chain) {
    const auto &u = one.velocity;
    sum += 0.5 * (along * u[0] * u[0] + across * (u[1] * u[1] + u[2] * u[2])) + 0.5 * mass * (u[3] * u[3] + u[4] * u[4] + u[5] * u[5])
           + mass * gravity * one.center[2];
  }
  return sum;
}

/* Links and joints of a chain that hangs from the origin, and maybe the contact of its end with a floor. */
class simulation {
public:
  simulation (const matrix &axes, double floor) : floor_ (floor)
  {
    for (std::size_t k = 0; k < links; k ++) {
      vector center = times (axes, { (static_cast<double> (k) + 0.5) * length, 0, 0 });
      chain.push_back ({ center, axes, {} });
      ids_.push_back (system_.add_rigid (mass, inertia, axes, { 0, 0, 0 }));
      /* The point of the ground does not matter: velocities alone do. */
      system_.add_point_constraint (ids_[k], k ? ids_[k - 1] : ldy::ground, unit, { -length / 2, 0, 0 }, { length / 2, 0, 0 });
    }
    end_ = system_.add_point_constraint (ids_.back (), ldy::ground, unit, { length / 2, 0, 0 }, {});
    R.resize (3 * (links + 1));
  }

  void advance ()
  {
    std::vector<ldy_law> laws;
    for (rod &one : chain) move (one, step / 2);
    for (std::size_t k = 0; k < links; k ++) {
      std::array<double, 6> velocity = chain[k].velocity;
      /* Euler's equations without forces: I w' = I w x w. */
      const double w[3] = { velocity[0], velocity[1], velocity[2] }, I[3] = { along, across, across };
      for (std::size_t i = 0; i < 3; i ++) velocity[i] += step * (I[(i + 1) % 3] - I[(i + 2) % 3]) * w[(i + 1) % 3] * w[(i + 2) % 3] / I[i];
      velocity[5] -= step * gravity;
      system_.set_rotation (ids_[k], chain[k].rotation);
      system_.set_velocity (ids_[k], velocity);
      /* A gap of a joint closes within some steps. */
      vector gap = opening (k);
      for (double &g : gap) g *= 0.1 / step;
      laws.push_back (ldy::fixed_law (gap));
    }
    double height = end_of (chain.back (), 1)[2] - floor_;
    /* Far from the floor there is no force: a large bias would count in the residual of everything. */
    if (height > length) laws.push_back (ldy::bounds_law ({ 0, 0, 0 }, { 0, 0, 0 }));
    else laws.push_back (ldy::contact_law (friction, 0, { 0, 0, (height > 0 ? height : 0.1 * height) / step }));
    system_.update (step);
    ldy::contact_solver_options options;
    options.tolerance = 1e-10;
    report = solver_.solve (system_, laws, R, options);
    system_.apply_reactions (R);
    for (std::size_t k = 0; k < links; k ++) {
      system_.velocity (ids_[k], chain[k].velocity);
      move (chain[k], step / 2);
    }
  }

  /* Between the first end of a link and what it hangs on. */
  vector opening (std::size_t k) const
  {
    vector gap = end_of (chain[k], -1), other = k ? end_of (chain[k - 1], 1) : vector {};
    for (std::size_t i = 0; i < 3; i ++) gap[i] -= other[i];
    return gap;
  }

  double drift () const
  {
    double most = 0;
    for (std::size_t k = 0; k < links; k ++) {
      vector gap = opening (k);
      for (double g : gap) most = std::max (most, std::fabs (g));
    }
    return most;
  }

  std::vector<rod> chain;
  std::vector<double> R;
  ldy::contact_solver_report report;

private:
  ldy::System system_;
  ldy::contact_solver solver_;
  std::vector<ldy::id> ids_;
  ldy::id end_;
  double floor_;
};

int main ()
{
  const matrix down = { 0, 0, -1, 0, 1, 0, 1, 0, 0 };
  simulation hanging (down, -1e3);
  hanging.advance ();
  double worst = 0;
  for (std::size_t k = 0; k < links; k ++) {
    double weight = static_cast<double> (links - k) * mass * gravity;
    worst = std::max (worst, std::fabs (hanging.R[3 * k + 2] - weight) / weight);
  }
  std::printf ("hanging: each joint bears what is below it, to %.0e\n", worst);

  simulation swinging (unit, -1e3);
  double before = energy (swinging.chain), least = before, most = before;
  for (int k = 0; k < 500; k ++) {
    swinging.advance ();
    least = std::min (least, energy (swinging.chain)), most = std::max (most, energy (swinging.chain));
  }
  double scale = links * mass * gravity * links * length / 2;
  std::printf ("swinging: joints open by %.1e of a link, energy changes by %.1e\n", swinging.drift () / length, (most - least) / scale);

  simulation sweeping (unit, -0.9 * links * length);
  double deepest = 0;
  int touches = 0;
  before = energy (sweeping.chain);
  for (int k = 0; k < 1500; k ++) {
    sweeping.advance ();
    touches += sweeping.R[3 * links + 2] > 0;
    deepest = std::min (deepest, end_of (sweeping.chain.back (), 1)[2] + 0.9 * links * length);
    if (!sweeping.report.converged ()) std::printf ("step %d: residual %.1e\n", k, sweeping.report.residual);
  }
  std::printf ("sweeping: the end is on the floor in %d steps, %.1e of a link too deep, energy is %s\n", touches, std::fabs (deepest) / length,
               energy (sweeping.chain) < before ? "lost" : "won");
  return 0;
}
