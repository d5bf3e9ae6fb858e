"""The time of runs of solvers: CPU time of one thread, in a process of their own that is ended after a limit."""
import mmap
import os
import resource
import struct
import time

for variable in ('OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'LDY_NUM_THREADS'):
    os.environ[variable] = '1'

import numpy as np

REPETITIONS = 15
# Repetitions end after this number of seconds.
ENOUGH = 0.3
# Where its memory lies makes a process faster or slower by up to a half for as long as it runs: short runs are timed in several.
PROCESSES = 5
SHORT = 0.002
LIMIT = float(os.environ.get('LDY_BENCH_LIMIT', '20'))
# Some solvers of Siconos store dense matrices of large problems.
MOST_BYTES = 4 << 30


def clocks():
    return time.perf_counter(), time.process_time()


def elapsed(begin):
    """Process CPU time; below 20 ms its clock may be too coarse, and the result is the elapsed time."""
    wall, cpu = (now - then for now, then in zip(clocks(), begin))
    return wall if wall < 0.02 else cpu


def limit(seconds):
    """End this process after some seconds of CPU time from now, or if it needs too much memory."""
    end = int(time.process_time() + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (end, end + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def least_time(attempt):
    """The least seconds of several runs. `attempt()` returns the seconds of a run."""
    least, begin = np.inf, time.perf_counter()
    for _ in range(REPETITIONS):
        least = min(least, attempt())
        if time.perf_counter() - begin > ENOUGH:
            break
    return least


def apart(size, attempt, most=LIMIT):
    """Forces and least seconds of `attempt(r)` in processes of its own; (None, infinity) if the first one is ended or fails."""
    r, least = process(size, attempt, most)
    if least < SHORT:
        least = min(least, *(process(size, attempt, most)[1] for _ in range(PROCESSES - 1)))
    return r, least


def process(size, attempt, most):
    shared = mmap.mmap(-1, 8 * size + 8)
    r = np.frombuffer(shared, count=size, offset=8)
    child = os.fork()
    if child == 0:
        limit(most)
        shared[0:8] = struct.pack('d', least_time(lambda: attempt(r)))
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    seconds, = struct.unpack('d', shared[0:8])
    return (np.array(r), seconds) if status == 0 and seconds > 0 else (None, np.inf)
