"""What Python adds to 1,000 small steps of a robot with 27 velocities and 20 contacts, over the same loop of C.

Usage: small_loop.py LIBRARY, the library made of small_loop.c and libldy.a. Both are measured in turns; the result is the median of the
ratios and the least times. Both have the same forces, to the bit.
"""

import ctypes
import sys
import time

import ldy
import numpy as np

STEPS, DOFS, CONTACTS, TURNS = 1000, 27, 20, 15
H, FRICTION, TOLERANCE, MOST = 0.002, 0.6, 1e-6, 2

Values = np.ctypeslib.ndpointer(np.float64, flags="C")


def loops(path):
    library = ctypes.CDLL(path)
    library.robot_create.argtypes, library.robot_create.restype = [ctypes.c_int, Values, ctypes.c_int, Values], ctypes.c_void_p
    library.robot_destroy.argtypes, library.robot_destroy.restype = [ctypes.c_void_p], None
    numbers = [ctypes.c_double] * 3
    library.robot_steps.argtypes = [ctypes.c_void_p, ctypes.c_int, Values, *numbers, Values, Values]
    library.robot_steps.restype = ctypes.c_double
    return library


def steps(system, velocities, R):
    """The loop of Python; seconds, forces and the last velocity."""
    begin = time.perf_counter()
    for velocity in velocities:
        system.set_velocity(0, velocity)
        system.update(H)
        R, report = system.solve(ldy.laws.contact(FRICTION), R, tolerance=TOLERANCE)
        rows = system.results()
        system.apply_reactions(R)
        last, _ = system.velocity(0), rows.B[0]
    return time.perf_counter() - begin, R, last


def main():
    library, rng = loops(sys.argv[1]), np.random.default_rng(0)
    mass = rng.normal(size=(DOFS, DOFS))
    inverse = np.linalg.inv(mass @ mass.T + DOFS * np.eye(DOFS))
    inverse = (inverse + inverse.T) / 2
    J = rng.normal(size=(CONTACTS, 3, DOFS))
    velocities = rng.normal(size=(STEPS, DOFS))
    raw = library.robot_create(DOFS, inverse, CONTACTS, np.ascontiguousarray(J.transpose(0, 2, 1)))
    system = ldy.System()
    robot = system.add_body(ldy.Inertia.dense(inverse))
    for operator in J:
        system.add_constraint_rows(robot, operator)
    times = []
    for turn in range(TURNS):
        R, last = np.zeros(3 * CONTACTS), np.zeros(DOFS)
        order = [False, True] if turn % 2 else [True, False]
        took = {}
        for is_c in order:
            if is_c:
                took[is_c] = library.robot_steps(raw, STEPS, velocities, H, FRICTION, TOLERANCE, R, last)
            else:
                took[is_c], forces, velocity = steps(system, velocities, np.zeros(3 * CONTACTS))
        assert took[True] > 0
        np.testing.assert_array_equal(forces, R)
        np.testing.assert_array_equal(velocity, last)
        times.append((took[True], took[False]))
    library.robot_destroy(raw)
    c, python = np.array(times).T
    microseconds = 1e6 / STEPS
    print(
        f"target python-small-loop {np.median(python / c):.3f} {MOST} c_us_per_step={microseconds * c.min():.1f} "
        f"python_us_per_step={microseconds * python.min():.1f}"
    )


if __name__ == "__main__":
    main()
