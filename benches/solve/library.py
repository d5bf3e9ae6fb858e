"""The library through its C interface: laws, rows and systems as arrays of NumPy, and one solution that is timed."""
import ctypes

import numpy as np

from problems import CONTACT, Local
from timing import clocks, elapsed

CONTACT_LAW, BOUNDS_LAW = 1, 3
GAUSS_SEIDEL_METHOD = 1
DENSE_INERTIA, FREE_VELOCITY = 1, 0
# A tolerance of zero would be the default.
NEVER = 1e-300


class Law(ctypes.Structure):
    _fields_ = [('kind', ctypes.c_int), ('friction', ctypes.c_double), ('friction_2', ctypes.c_double), ('cohesion', ctypes.c_double),
                ('lower', ctypes.c_double * 6), ('upper', ctypes.c_double * 6), ('bias', ctypes.c_double * 6)]


class Rows(ctypes.Structure):
    _fields_ = [('size', ctypes.c_size_t), ('rows', ctypes.c_int), ('blocks', ctypes.c_int), ('starts', ctypes.c_void_p),
                ('columns', ctypes.c_void_p), ('values', ctypes.c_void_p), ('B', ctypes.c_void_p), ('V', ctypes.c_void_p),
                ('diagonal', ctypes.c_void_p), ('inverse', ctypes.c_void_p), ('constraints', ctypes.c_void_p),
                ('scalar_starts', ctypes.c_void_p), ('value_starts', ctypes.c_void_p), ('diagonal_starts', ctypes.c_void_p),
                ('scalars', ctypes.c_size_t)]


class Options(ctypes.Structure):
    _fields_ = [('size', ctypes.c_size_t), ('tolerance', ctypes.c_double), ('measure', ctypes.c_int),
                ('method', ctypes.c_int), ('sweeps', ctypes.c_int), ('normal_first', ctypes.c_int),
                ('seconds', ctypes.c_double)]


class Inertia(ctypes.Structure):
    _fields_ = [('size', ctypes.c_size_t), ('kind', ctypes.c_int), ('n', ctypes.c_int), ('values', ctypes.c_void_p),
                ('starts', ctypes.c_void_p), ('rows', ctypes.c_void_p), ('count', ctypes.c_size_t), ('mass', ctypes.c_double),
                ('apply_inverse', ctypes.c_void_p), ('data', ctypes.c_void_p), ('release', ctypes.c_void_p)]


class Matrix(ctypes.Structure):
    _fields_ = [('size', ctypes.c_size_t), ('rows', ctypes.c_size_t), ('columns', ctypes.c_size_t), ('values', ctypes.c_void_p),
                ('row_stride', ctypes.c_size_t), ('column_stride', ctypes.c_size_t), ('starts', ctypes.c_void_p),
                ('counts', ctypes.c_void_p), ('indices', ctypes.c_void_p), ('count', ctypes.c_size_t)]


def sized(structure, **fields):
    return structure(size=ctypes.sizeof(structure), **fields)


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


class Library:
    def __init__(self, path):
        self.functions = ctypes.CDLL(path)
        self.functions.ldy_last_error.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        if getattr(self.functions, name)(*arguments):
            raise RuntimeError(self.functions.ldy_last_error().decode())

    def create(self, name):
        handle = ctypes.c_void_p()
        self.call(name, ctypes.byref(handle))
        return handle

    def prepare(self, problem):
        """The problem as the library takes it."""
        return (LocalRows if isinstance(problem, Local) else System)(self, problem)


class Prepared:
    """A subclass sets `rows` and `laws`."""

    normal_first, system = 0, None

    def run(self, tolerance, r, of_system=False, **options):
        """Solve from the forces r. Returns the seconds. Each solver is a new one: most problems of a simulation have another pattern."""
        library, options = self.library, sized(Options, tolerance=tolerance, normal_first=self.normal_first, **options)
        solver = library.create('ldy_contact_solver_create')
        name, subject = ('ldy_contact_solver_solve', self.system) if of_system else ('ldy_contact_solver_solve_rows', ctypes.byref(self.rows))
        begin = clocks()
        library.call(name, solver, subject, self.laws, ctypes.c_size_t(len(self.laws)), ctypes.byref(options), pointer(r),
                     ctypes.c_size_t(len(r)), None)
        seconds = elapsed(begin)
        library.functions.ldy_contact_solver_destroy(solver)
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
            return self.run(NEVER, r, method=GAUSS_SEIDEL_METHOD, sweeps=count)
        return attempt


class LocalRows(Prepared):
    normal_first = 1

    def __init__(self, library, problem):
        self.library, count = library, len(problem.friction)
        starts, columns = (np.ascontiguousarray(indices, np.int32) for indices in (problem.W.indptr, problem.W.indices))
        # The library has blocks by columns.
        values = np.ascontiguousarray(problem.W.data.transpose(0, 2, 1))
        self.laws = (Law * count)(*(Law(kind=CONTACT_LAW, friction=friction) for friction in problem.friction))
        self.rows = sized(Rows, rows=count, blocks=len(columns), starts=pointer(starts), columns=pointer(columns),
                          values=pointer(values), B=pointer(problem.q))
        # The rows have the addresses alone.
        self.arrays = starts, columns, values, problem


class System(Prepared):
    def __init__(self, library, problem):
        self.library, self.system = library, library.create('ldy_system_create')
        bodies = np.array([self._insert(mass) for mass in problem.masses], np.int64)
        first = 0
        for body, mass in zip(bodies, problem.masses):
            library.call('ldy_system_set_velocity', self.system, ctypes.c_longlong(body), FREE_VELOCITY, pointer(problem.vf[first:]),
                         ctypes.c_size_t(len(mass)))
            first += len(mass)
        H, heights, size = problem.H, np.array(problem.heights, np.int32), ctypes.c_size_t
        starts, indices = (np.ascontiguousarray(array, np.int32) for array in (H.indptr, H.indices))
        J = sized(Matrix, rows=H.shape[0], columns=H.shape[1], values=pointer(H.data), starts=pointer(starts),
                  indices=pointer(indices), count=len(H.data))
        library.call('ldy_system_add_jacobian', self.system, pointer(bodies), size(len(bodies)), pointer(heights),
                     size(len(heights)), ctypes.byref(J), ctypes.byref(ctypes.c_longlong()))
        library.call('ldy_system_update', self.system, ctypes.c_double(problem.h))
        self.rows = sized(Rows)
        library.call('ldy_system_results', self.system, ctypes.byref(self.rows))
        self.laws = (Law * problem.count)(*(law(problem, k) for k in range(problem.count)))

    def _insert(self, mass):
        inverse, body = np.linalg.inv(mass), ctypes.c_longlong()
        inverse = 0.5 * (inverse + inverse.T)
        inertia = sized(Inertia, kind=DENSE_INERTIA, n=len(mass), values=pointer(inverse))
        self.library.call('ldy_system_add_body', self.system, ctypes.byref(inertia), ctypes.byref(body))
        return body.value


def law(problem, k):
    """The law of a constraint. A fixed one has no bounds."""
    rows = slice(problem.starts[k], problem.starts[k + 1])
    six = lambda values: (ctypes.c_double * 6)(*values[rows])
    if problem.kinds[k] == CONTACT:
        return Law(kind=CONTACT_LAW, friction=problem.mu[k], bias=six(problem.bias))
    return Law(kind=BOUNDS_LAW, lower=six(problem.lower), upper=six(problem.upper), bias=six(problem.bias))
