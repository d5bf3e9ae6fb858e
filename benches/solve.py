#!/usr/bin/python3
"""Solvers of frictional contact problems, side by side with Siconos, and with Pinocchio's ADMM.

  solve.py LIBRARY.so PROBLEM.npz...

A line a problem and tolerance, `bench-solve NAME contacts=N tolerance=T ldy_ms=X best_ms=X best=SOLVER nsgs_ms=X pin_ms=X natural=X
scaled=X`, then a line `target NAME VALUE LIMIT` for each aim. Times are of one thread, from zero forces; each is the least of several runs
in turns, process CPU time where that clock is fine enough. A run counts as solved if the natural map over |q|, computed here, is
within the tolerance; of ldy the map in scaled units too. A run of others is cut after LIMIT seconds (default 20, environment
LDY_BENCH_LIMIT). Pinocchio needs a Python that has it (environment LDY_PYTHON); it takes W as symmetric, so what it finds is checked with
the symmetric part of W.
"""
import copy
import ctypes
import mmap
import os
import resource
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

for variable in ('OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS', 'MKL_NUM_THREADS'):
    os.environ[variable] = '1'

import numpy as np
import scipy.sparse as sparse
import siconos.numerics as siconos

TOLERANCES = (1e-4, 1e-8)
REPETITIONS = 15
# Siconos's own measure is looser than the natural map where forces are large: its tolerance is lowered until the map is met.
TIGHTER = (1.0, 1e-2, 1e-4, 1e-6)
TIGHTER_ADMM = (1.0, 1e-1, 1e-2, 1e-3, 1e-5)
LIMIT = float(os.environ.get('LDY_BENCH_LIMIT', '20'))
CONTACT_LAW = 1
PYTHON = os.environ.get('LDY_PYTHON')


class Law(ctypes.Structure):
    _fields_ = [('kind', ctypes.c_int), ('friction', ctypes.c_double), ('friction_2', ctypes.c_double), ('cohesion', ctypes.c_double),
                ('lower', ctypes.c_double * 6), ('upper', ctypes.c_double * 6), ('bias', ctypes.c_double * 6)]


class Rows(ctypes.Structure):
    _fields_ = [('size', ctypes.c_size_t), ('rows', ctypes.c_int), ('blocks', ctypes.c_int), ('starts', ctypes.c_void_p),
                ('columns', ctypes.c_void_p), ('values', ctypes.c_void_p), ('B', ctypes.c_void_p)]


class Options(ctypes.Structure):
    _fields_ = [('size', ctypes.c_size_t), ('tolerance', ctypes.c_double), ('measure', ctypes.c_int),
                ('method', ctypes.c_int), ('sweeps', ctypes.c_int), ('normal_first', ctypes.c_int),
                ('seconds', ctypes.c_double)]


class Problem:
    def __init__(self, path):
        with np.load(path, allow_pickle=False) as file:
            shape = tuple(int(size) for size in file['shape'])
            self.W = sparse.bsr_matrix((file['data'], file['indices'], file['indptr']), shape=shape)
            self.q = np.array(file['q'], float)
            self.friction = np.array(file['mu'], float)
        self.W.sort_indices()
        self.name = os.path.basename(path)[:-4]
        self.contacts = len(self.friction)

        self.path = path

    def symmetric(self):
        other = copy.copy(self)
        other.W = sparse.bsr_matrix(0.5 * (self.W + self.W.T), blocksize=(3, 3))
        return other

    def project(self, x):
        n, t = x[:, 0], np.hypot(x[:, 1], x[:, 2])
        inside = (n >= 0) & (t <= self.friction * n)
        polar = ~inside & (self.friction * t <= -n)
        normal = (n + self.friction * t) / (1 + self.friction ** 2)
        scale = np.divide(self.friction * normal, t, out=np.zeros_like(t), where=t > 0)
        edge = np.column_stack((normal, scale * x[:, 1], scale * x[:, 2]))
        return np.where(inside[:, None], x, np.where(polar[:, None], 0.0, edge))

    def residuals(self, r):
        """The natural map over |q|, and the same in units in which the diagonal blocks have the trace 3."""
        if not np.all(np.isfinite(r)):
            return np.inf, np.inf
        u = (self.W @ r + self.q).reshape(-1, 3)
        u[:, 0] += self.friction * np.hypot(u[:, 1], u[:, 2])
        r, q = r.reshape(-1, 3), self.q.reshape(-1, 3)
        d = (self.W.diagonal().reshape(-1, 3).sum(1) / 3)[:, None]
        natural = np.linalg.norm(r - self.project(r - u)) / np.linalg.norm(q)
        scaled = np.linalg.norm(np.sqrt(d) * (r - self.project(r - u / d))) / np.linalg.norm(q / np.sqrt(d))
        return natural, scaled


class Ldy:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.solver = ctypes.c_void_p()
        assert self.library.ldy_solve_create(ctypes.byref(self.solver)) == 0

    def prepare(self, problem):
        count = problem.contacts
        starts = np.ascontiguousarray(problem.W.indptr, np.int32)
        columns = np.ascontiguousarray(problem.W.indices, np.int32)
        # By columns.
        values = np.ascontiguousarray(problem.W.data.transpose(0, 2, 1))
        laws = (Law * count)(*(Law(kind=CONTACT_LAW, friction=friction) for friction in problem.friction))
        pointer = lambda array: array.ctypes.data_as(ctypes.c_void_p)
        rows = Rows(ctypes.sizeof(Rows), count, len(columns), *map(pointer, (starts, columns, values, problem.q)))

        def run(tolerance):
            options = Options(size=ctypes.sizeof(Options), tolerance=tolerance, normal_first=1)
            r = np.zeros(3 * count)
            # Another pattern in between would be the rule: a new solver, that keeps nothing, is the fair comparison.
            solver = ctypes.c_void_p()
            assert self.library.ldy_solve_create(ctypes.byref(solver)) == 0
            begin = time.perf_counter(), time.process_time()
            code = self.library.ldy_solve_rows(
                solver, ctypes.byref(rows), laws, ctypes.c_size_t(count), ctypes.byref(options), pointer(r),
                ctypes.c_size_t(3 * count), None)
            seconds = elapsed(begin)
            self.library.ldy_solve_destroy(solver)
            assert code == 0
            return r, seconds

        # The rows have their addresses alone.
        run.arrays = starts, columns, values
        return run


def elapsed(begin):
    """Process CPU time; below 20 ms its clock may be too coarse, and it is the time that passed."""
    wall, cpu = time.perf_counter() - begin[0], time.process_time() - begin[1]
    return wall if wall < 0.02 else cpu


def full_error(options):
    options.iparam[siconos.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = \
        siconos.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL


def local_projection(options):
    siconos.solver_options_update_internal(
        options, 0, siconos.SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration)
    inner = siconos.solver_options_get_internal_solver(options, 0)
    inner.dparam[siconos.SICONOS_DPARAM_TOL] = 1e-12
    inner.iparam[siconos.SICONOS_IPARAM_MAX_ITER] = 10


def nothing(_):
    pass


# Number, changes to its default options, most iterations.
SOLVERS = {
    'NSGS': (siconos.SICONOS_FRICTION_3D_NSGS, [], 10 ** 8),
    'NSGS-FULL': (siconos.SICONOS_FRICTION_3D_NSGS, [full_error], 10 ** 8),
    'NSGS-PLI': (siconos.SICONOS_FRICTION_3D_NSGS, [local_projection], 10 ** 8),
    'NSGS-PLI-FULL': (siconos.SICONOS_FRICTION_3D_NSGS, [local_projection, full_error], 10 ** 8),
    'NSN_AC': (siconos.SICONOS_FRICTION_3D_NSN_AC, [], 2000),
    'ADMM': (siconos.SICONOS_FRICTION_3D_ADMM, [], 10 ** 8),
    'VI_EG': (siconos.SICONOS_FRICTION_3D_VI_EG, [], 10 ** 8),
    'PROX': (siconos.SICONOS_FRICTION_3D_PROX, [], 10 ** 8),
}


def siconos_problem(problem):
    """Through Siconos's text format, with sparse blocks."""
    count, blocks = problem.contacts, problem.W.data
    numbers = lambda values: ' '.join('%.17e' % value for value in values)
    ends = ' '.join(str(3 * (row + 1)) for row in range(count))
    with tempfile.NamedTemporaryFile('w', suffix='.dat') as file:
        file.write('3\n%d\n1\n%d\n%d\n%d\n' % (count, 3 * count, 3 * count, len(blocks)))
        file.write('%d\n%d\n%s\n%s\n%d\n%d\n' % (count, count, ends, ends, count + 1, len(blocks)))
        file.write('%s\n%s\n' % (' '.join(map(str, problem.W.indptr)), ' '.join(map(str, problem.W.indices))))
        for index, block in enumerate(blocks):
            file.write('%d\n%s\n' % (index, '\n'.join('%.17e' % value for value in block.T.ravel())))
        file.write('%s\n%s\n' % (numbers(problem.q), numbers(problem.friction)))
        file.flush()
        return siconos.frictionContact_new_from_filename(file.name)


def limit_time():
    """The time limit of this process: LIMIT seconds from now."""
    limit = int(time.process_time() + LIMIT) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def siconos_run(native, size, solver, tolerance):
    """The forces and the time of a run in a process of its own, since some never end; none of one that is cut."""
    shared = mmap.mmap(-1, 8 * size + 8)
    r = np.frombuffer(shared, count=size, offset=8)
    child = os.fork()
    if child == 0:
        limit_time()
        quiet = os.open('/dev/null', os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        number, changes, most = SOLVERS[solver]
        least, begun = np.inf, time.perf_counter()
        for _ in range(REPETITIONS):
            r[:] = 0
            options = siconos.SolverOptions(number)
            options.dparam[siconos.SICONOS_DPARAM_TOL] = tolerance
            options.iparam[siconos.SICONOS_IPARAM_MAX_ITER] = most
            for change in changes:
                change(options)
            begin = time.perf_counter(), time.process_time()
            siconos.fc3d_driver(native, r, np.zeros(size), options)
            least = min(least, elapsed(begin))
            shared[0:8] = struct.pack('d', least)
            if time.perf_counter() - begun > 0.3:
                break
        os._exit(0)
    _, status = os.waitpid(child, 0)
    seconds, = struct.unpack('d', shared[0:8])
    ended = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0
    return (np.array(r), seconds) if ended and seconds > 0 else (None, np.inf)


def siconos_times(problem, tolerance):
    """The time of each solver that meets the tolerance."""
    native = siconos_problem(problem)
    times = {}
    for solver in SOLVERS:
        for tighter in TIGHTER:
            r, seconds = siconos_run(native, len(problem.q), solver, tolerance * tighter)
            if r is None:
                break
            if problem.residuals(r)[0] <= tolerance:
                times[solver] = seconds
                break
    return times


class Pinocchio:
    """Its ADMM, in a process with the Python that has it."""

    def __init__(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'solve_admm.py')
        self.process = subprocess.Popen([PYTHON, '-B', path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, *request):
        """Seconds, or none of a run that is cut."""
        print(*request, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().strip()
        if not answer:
            sys.exit('Pinocchio has ended')
        return None if answer == 'cut' else float(answer)

    def time(self, problem, tolerance):
        """With the storage of W that is quicker; infinite where it does not meet the tolerance."""
        symmetric, least = problem.symmetric(), np.inf
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, 'r.npy')
            for storage in ('dense', 'sparse'):
                for tighter in TIGHTER_ADMM:
                    seconds = self.run('%g' % (tolerance * tighter), storage, LIMIT, out, problem.path)
                    if seconds is None:
                        break
                    if symmetric.residuals(np.load(out))[0] <= tolerance:
                        least = min(least, seconds)
                        break
        return least


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    ldy, pinocchio = Ldy(sys.argv[1]), Pinocchio() if PYTHON else None
    unsolved, over_best, over_nsgs, over_pin = 0, {t: [] for t in TOLERANCES}, [], []
    for path in sys.argv[2:]:
        problem = Problem(path)
        run = ldy.prepare(problem)
        for tolerance in TOLERANCES:
            times = siconos_times(problem, tolerance)
            runs = [run(tolerance) for _ in range(REPETITIONS)]
            own = min(seconds for _, seconds in runs)
            natural, scaled = problem.residuals(runs[0][0])
            solved = max(natural, scaled) <= tolerance * (1 + 1e-6)
            best = min(times, key=times.get, default=None)
            nsgs = times.get('NSGS', np.inf)
            pin = pinocchio.time(problem, tolerance) if pinocchio else np.inf
            print('bench-solve %s contacts=%d tolerance=%g ldy_ms=%.3f best_ms=%.3f best=%s nsgs_ms=%.3f pin_ms=%.3f natural=%.1e scaled=%.1e%s' % (
                problem.name, problem.contacts, tolerance, 1e3 * own, 1e3 * times.get(best, np.inf), best, 1e3 * nsgs,
                1e3 * pin, natural, scaled, '' if solved else ' UNSOLVED'), flush=True)
            if tolerance == 1e-8 and times and not solved:
                unsolved += 1
            if problem.contacts >= 20 and times:
                ratio = own / times[best] if solved else np.inf
                over_best[tolerance].append(ratio)
                if np.isfinite(nsgs):
                    over_nsgs.append(own / nsgs if solved else np.inf)
                if np.isfinite(pin):
                    over_pin.append(own / pin if solved else np.inf)
    print('target unsolved-1e-8 %d 0' % unsolved)
    if over_nsgs:
        medians = {tolerance: statistics.median(ratios) for tolerance, ratios in over_best.items() if ratios}
        for tolerance, median in medians.items():
            print('median-over-best at %g: %.3f' % (tolerance, median))
        print('target median-over-best %.3f 0.5' % max(medians.values()))
        print('target over-nsgs %.3f 0.2' % statistics.median(over_nsgs))
    if over_pin:
        print('median-over-pinocchio, of %d: %.3f' % (len(over_pin), statistics.median(over_pin)))
    print('targets of the pile: make bench-pile')


if __name__ == '__main__':
    main()
