"""The library through its C interface: laws, rows and systems as arrays of NumPy, and one solution that is timed. The header says the
layouts of structures."""
import pathlib
import subprocess

import cffi
import numpy as np

from problems import CONTACT, Local
from timing import clocks, elapsed

# A tolerance of zero would be the default.
NEVER = 1e-300


def declarations():
    header = pathlib.Path(__file__).parents[2] / 'include' / 'ldy_system.h'
    # cffi knows the types of the system's headers.
    text = ''.join(line for line in header.open() if not line.startswith('#include'))
    return subprocess.run(['cc', '-E', '-P', '-'], input=text, capture_output=True, text=True, check=True).stdout


ffi = cffi.FFI()
ffi.cdef(declarations())


def sized(name, **fields):
    """A pointer to a new structure with its size set."""
    return ffi.new(name + ' *', dict(fields, size=ffi.sizeof(name)))


def pointer(array):
    """The address alone: the caller keeps the array."""
    return ffi.cast('void *', array.ctypes.data)


class Library:
    def __init__(self, path):
        self.functions = ffi.dlopen(path)

    def call(self, name, *arguments):
        if getattr(self.functions, name)(*arguments):
            raise RuntimeError(ffi.string(self.functions.ldy_last_error()).decode())

    def create(self, kind):
        handle = ffi.new('ldy_%s **' % kind)
        self.call('ldy_%s_create' % kind, handle)
        return handle[0]

    def prepare(self, problem):
        """The problem as the library takes it."""
        return (LocalRows if isinstance(problem, Local) else System)(self, problem)


class Prepared:
    """A subclass sets `rows` and `laws`."""

    normal_first, system = 0, None

    def run(self, tolerance, r, of_system=False, **options):
        """Solve from the forces r. Returns the seconds. Each solver is a new one: most problems of a simulation have another pattern."""
        library = self.library
        options = sized('ldy_contact_solver_options', tolerance=tolerance, normal_first=self.normal_first, **options)
        solver = library.create('contact_solver')
        functions = library.functions
        solve, subject = (functions.ldy_contact_solver_solve, self.system) if of_system else (functions.ldy_contact_solver_solve_rows, self.rows)
        forces = pointer(r)
        begin = clocks()
        code = solve(solver, subject, self.laws, len(self.laws), options, forces, len(r), ffi.NULL)
        seconds = elapsed(begin)
        if code:
            raise RuntimeError(ffi.string(functions.ldy_last_error()).decode())
        functions.ldy_contact_solver_destroy(solver)
        return seconds

    def attempt(self, tolerance, of_system=False, guess=None):
        """A run for `timing.apart`, from a guess or from zeros."""
        def attempt(r):
            r[:] = 0 if guess is None else guess
            return self.run(tolerance, r, of_system)
        return attempt

    def sweeps(self, count):
        """A run of plain sweeps from zeros, for `timing.apart`."""
        def attempt(r):
            r[:] = 0
            return self.run(NEVER, r, method=self.library.functions.LDY_METHOD_GAUSS_SEIDEL, max_sweeps=count)
        return attempt


class LocalRows(Prepared):
    normal_first = 1

    def __init__(self, library, problem):
        self.library, count, height = library, len(problem.friction), problem.height
        starts, columns = (np.ascontiguousarray(indices, np.int32) for indices in (problem.W.indptr, problem.W.indices))
        # The library has blocks by columns.
        values = np.ascontiguousarray(problem.W.data.transpose(0, 2, 1))
        rolling = np.zeros(count) if problem.rolling is None else problem.rolling
        kind = library.functions.LDY_LAW_CONTACT if problem.rolling is None else library.functions.LDY_LAW_ROLLING_CONTACT
        self.laws = ffi.new('ldy_law[]', [
            {'kind': kind, 'friction': friction, 'rolling_friction': length} for friction, length in zip(problem.friction, rolling)])
        scalar_starts = height * np.arange(count + 1, dtype=np.int32)
        value_starts = height ** 2 * np.arange(len(columns) + 1, dtype=np.uintp)
        # Rows of three scalars need no layout.
        layout = {} if height == 3 else {
            'scalar_starts': pointer(scalar_starts), 'value_starts': pointer(value_starts), 'scalars': height * count}
        self.rows = sized('ldy_rows', rows=count, blocks=len(columns), starts=pointer(starts), columns=pointer(columns),
                          values=pointer(values), B=pointer(problem.q), **layout)
        # The rows have the addresses alone.
        self.arrays = starts, columns, values, scalar_starts, value_starts, problem


class System(Prepared):
    def __init__(self, library, problem):
        self.library, self.system = library, library.create('system')
        functions = library.functions
        bodies = np.array([self._insert(mass) for mass in problem.masses], np.int64)
        first = 0
        for body, mass in zip(bodies, problem.masses):
            library.call('ldy_system_set_velocity', self.system, body, functions.LDY_VELOCITY_FREE, pointer(problem.vf[first:]), len(mass))
            first += len(mass)
        H, heights = problem.H, np.array(problem.heights, np.int32)
        starts, indices = (np.ascontiguousarray(array, np.int32) for array in (H.indptr, H.indices))
        J = sized('ldy_matrix', rows=H.shape[0], columns=H.shape[1], values=pointer(H.data), starts=pointer(starts),
                  indices=pointer(indices), count=len(H.data))
        library.call('ldy_system_add_jacobian', self.system, pointer(bodies), len(bodies), pointer(heights), len(heights), J,
                     ffi.new('int64_t *'))
        library.call('ldy_system_update', self.system, problem.h)
        self.rows = sized('ldy_rows')
        library.call('ldy_system_results', self.system, self.rows)
        self.laws = ffi.new('ldy_law[]', [law(functions, problem, k) for k in range(problem.count)])

    def _insert(self, mass):
        inverse, body = np.linalg.inv(mass), ffi.new('int64_t *')
        inverse = 0.5 * (inverse + inverse.T)
        inertia = sized('ldy_inertia', kind=self.library.functions.LDY_INERTIA_DENSE, n=len(mass), values=pointer(inverse))
        self.library.call('ldy_system_add_body', self.system, inertia, body)
        return body[0]


def law(functions, problem, k):
    """The law of a constraint. A fixed one has no bounds."""
    rows = slice(problem.starts[k], problem.starts[k + 1])
    bias = list(problem.bias[rows])
    if problem.kinds[k] == CONTACT:
        return {'kind': functions.LDY_LAW_CONTACT, 'friction': problem.mu[k], 'bias': bias}
    return {'kind': functions.LDY_LAW_BOUNDS, 'lower': list(problem.lower[rows]), 'upper': list(problem.upper[rows]), 'bias': bias}
