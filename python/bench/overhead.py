"""What Python adds to the time of a call: 10,000 constraints inserted at once, and an update of them, over the same loops of C.

Usage: overhead.py LIBRARY WHEEL, the library made of overhead.c and libldy.a. Both are measured in turns; told are the median of
the ratios and the least times.
"""

import ctypes
import pathlib
import sys
import time

import ldy
import numpy as np

CONSTRAINTS, BODIES, TURNS = 10_000, 3_000, 60
MOST = {"python-bulk-insert": 1.3, "python-update": 1.02}

Values = np.ctypeslib.ndpointer(np.float64, flags="C")
Ids = np.ctypeslib.ndpointer(np.int64, flags="C")


def loops(path):
    library = ctypes.CDLL(path)
    library.make.argtypes, library.make.restype = [ctypes.c_int], ctypes.c_void_p
    library.destroy.argtypes, library.destroy.restype = [ctypes.c_void_p], None
    library.insert.argtypes = [ctypes.c_void_p, ctypes.c_int, Ids, Ids, Values, Values, Values, Ids]
    library.update.argtypes = [ctypes.c_void_p, ctypes.c_double]
    library.insert.restype = library.update.restype = ctypes.c_double
    return library


def timed(function, *arguments):
    begin = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - begin


def in_turns(turn, c, python):
    """The times of both."""
    if turn % 2:
        after = python()
        return c(), after
    return c(), python()


def main():
    library = loops(sys.argv[1])
    rng = np.random.default_rng(0)
    master = rng.integers(0, BODIES, CONSTRAINTS)
    slave = (master + rng.integers(1, BODIES, CONSTRAINTS)) % BODIES
    frame = np.linalg.qr(rng.normal(size=(CONSTRAINTS, 3, 3)))[0]
    points = rng.normal(size=(2, CONSTRAINTS, 3))
    by_columns = np.ascontiguousarray(frame.transpose(0, 2, 1))
    ids = np.zeros(CONSTRAINTS, dtype=np.int64)
    inserts, updates = [], []
    for turn in range(TURNS):
        raw, system = library.make(BODIES), ldy.System()
        system.add_rigid(np.ones(BODIES), 1.0)
        # What goes first may find less in the caches: each does in every other turn.
        inserts.append(
            in_turns(
                turn,
                lambda: library.insert(raw, CONSTRAINTS, master, slave, by_columns, *points, ids),
                lambda: timed(system.add_point_constraints, master, slave, frame, *points),
            )
        )
        # Another step makes everything again; the first update of a system sets up its structure, too.
        for h in (1.0, 2.0, 3.0):
            update = in_turns(turn, lambda: library.update(raw, h), lambda: timed(system.update, h))
            if h > 1:
                updates.append(update)
        library.destroy(raw)
        del system
    for (name, most), times in zip(MOST.items(), (inserts, updates)):
        c, python = np.array(times).T
        assert c.min() > 0
        ratio = np.median(python / c)
        print(f"target {name} {ratio:.3f} {most} c_ms={1000 * c.min():.4f} python_ms={1000 * python.min():.4f}")
    native = next(pathlib.Path(ldy.__file__).parent.glob("_core*.so"))
    print(f"python-package wheel_bytes={pathlib.Path(sys.argv[2]).stat().st_size} native_bytes={native.stat().st_size}")


if __name__ == "__main__":
    main()
