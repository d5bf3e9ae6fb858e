"""Frictional contact problems from files, and their residuals: local problems (W, q, mu), and problems with bodies (M, H, free velocities).

Residuals are the natural map over |q|, and the same in units in which the diagonal of W has the mean 1 over the forces of a contact, and over
its moments.
"""
import copy
import itertools
import os

import numpy as np
import scipy.sparse as sparse

CONTACT, FIXED, BOUNDS = 0, 1, 2


def load(path):
    """The problem; None if it is in global form, of which `make solve` makes a local problem."""
    with np.load(path, allow_pickle=False) as file:
        if 'M_data' in file:
            return None
        arrays = {name: file[name] for name in file.files}
    return (Bodies if 'vf' in arrays else Local)(path, arrays)


def onto_cones(x, parts):
    """The closest vectors in cones, normal component first. Each part has columns, and the factor of the normal component that bounds their
    length.

    The normal component a of the projection is the root of a - n - sum of c (l - c a)+ over parts of length l with factor c. This is the
    minimum of increasing functions, one for each set of parts, so a is the largest of their roots."""
    normals, lengths = x[:, 0], [np.linalg.norm(x[:, columns], axis=1) for columns, _ in parts]
    a = np.zeros(len(x))
    for chosen in itertools.product((0, 1), repeat=len(parts)):
        held = [(choice * factor, length) for choice, (_, factor), length in zip(chosen, parts, lengths)]
        a = np.maximum(a, (normals + sum(c * length for c, length in held)) / (1 + sum(c * c for c, _ in held)))
    y = x.copy()
    y[:, 0] = a
    for (columns, factor), length in zip(parts, lengths):
        y[:, columns] *= np.minimum(1, np.divide(factor * a, length, out=np.ones(len(x)), where=length > 0))[:, None]
    return y


class Problem:
    """A subclass sets q, friction of its contacts, `components` (the normal, the tangents and the moments of each contact), `scale` of each
    scalar row, and `velocity(r)`. `rolling` has the lengths that bound moments, if there are moments. Other scalar rows have bounds `lower` and
    `upper`."""

    lower, upper, rolling = -np.inf, np.inf, None

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)[:-4]

    def parts(self, root):
        """Parts of cones, see `onto_cones`, of forces times `root`."""
        tangents = self.components.shape[1] - (3 if self.rolling is not None else 1)
        unit = root[self.components]
        parts = [(slice(1, 1 + tangents), self.friction * unit[:, 1] / unit[:, 0])]
        if self.rolling is not None:
            parts.append((slice(1 + tangents, None), self.rolling * unit[:, -1] / unit[:, 0]))
        return parts

    def residuals(self, r):
        if r is None or not np.all(np.isfinite(r)):
            return np.inf, np.inf
        w = self.velocity(r)
        contacts = w[self.components]
        w[self.components[:, 0]] += sum(
            factor * np.linalg.norm(contacts[:, columns], axis=1) for columns, factor in self.parts(np.ones(len(w))))
        return tuple(self.map(r, w, root) for root in (np.ones(len(w)), np.sqrt(self.scale)))

    def map(self, r, w, root):
        """The natural map over |q|, in units in which forces are `root` times as large."""
        x = root * r - w / root
        y = np.clip(x, self.lower * root, self.upper * root)
        y[self.components] = onto_cones(x[self.components], self.parts(root))
        return np.linalg.norm(root * r - y) / np.linalg.norm(self.q / root)

    def residual(self, r):
        """The larger of both."""
        return max(self.residuals(r))


class Local(Problem):
    """Contacts with W as blocks, normal first: of three rows, of two in a plane, or of five with moments about the tangents."""

    def __init__(self, path, arrays):
        super().__init__(path)
        shape = tuple(int(size) for size in arrays['shape'])
        W = sparse.bsr_matrix((arrays['data'], arrays['indices'], arrays['indptr']), shape=shape)
        if 'mu_r' in arrays:
            self.rolling = np.array(arrays['mu_r'], float)
        self._set(W, np.array(arrays['q'], float), np.array(arrays['mu'], float))

    def _set(self, W, q, friction):
        W.sort_indices()
        self.W, self.q, self.friction, self.height = W, q, friction, W.blocksize[0]
        self.components = np.arange(len(q)).reshape(-1, self.height)
        self.scale = self._scale()
        return self

    def _scale(self):
        """Means of the diagonal of W over the forces, and over the moments, of a contact; the largest mean if it is not positive."""
        diagonal = self.W.diagonal()
        for part in np.split(diagonal.reshape(-1, self.height), [3], axis=1):
            if part.size:
                mean = part.mean(1, keepdims=True)
                part[:] = np.where(mean > 0, mean, mean.max())
        return diagonal

    def velocity(self, r):
        return self.W @ r + self.q

    def symmetric(self):
        W = sparse.bsr_matrix(0.5 * (self.W + self.W.T), blocksize=self.W.blocksize)
        return copy.copy(self)._set(W, self.q, self.friction)


class Bodies(Problem):
    """Bodies and constraints of any kind; r are forces, normal third. The free velocities are `vf`, and U = H v + bias."""

    def __init__(self, path, arrays):
        super().__init__(path)
        self.h, self.vf = float(arrays['h']), np.array(arrays['vf'], float).ravel()
        self.masses = packed(arrays['dofs'], arrays['M_packed']) if 'dofs' in arrays else list(np.array(arrays['M'], float))
        self.count = len(arrays['a'])
        self.heights = np.array(arrays.get('heights', np.full(self.count, 3)), int)
        self.kinds = np.array(arrays.get('kind', np.zeros(self.count)), int)
        self.starts = np.concatenate([[0], np.cumsum(self.heights)])
        self.H = jacobian(arrays, len(self.vf))
        self.bias = np.array(arrays['bias'], float)
        if 'heights' not in arrays:
            self.bias = np.column_stack((np.zeros((self.count, 2)), self.bias)).ravel()
        bounded = np.repeat(self.kinds == BOUNDS, self.heights)
        self.lower = np.where(bounded, arrays.get('lower', 0.0), -np.inf)
        self.upper = np.where(bounded, arrays.get('upper', 0.0), np.inf)
        self.mu = np.broadcast_to(np.array(arrays['mu'], float), self.count)
        contacts = self.kinds == CONTACT
        self.friction = self.mu[contacts]
        self.components = self.starts[:-1][contacts, None] + [2, 0, 1]
        self.guess = np.array(arrays['r0'], float) if 'r0' in arrays else None
        self.q = self.H @ self.vf + self.bias
        self.inverse = sparse.block_diag([np.linalg.inv(mass) for mass in self.masses], format='csr')
        self.scale = self._scale()

    def _scale(self):
        """Means of the diagonal of W over the rows of a constraint; if there are more than three, one of the first three and one of the others."""
        diagonal = self.h * np.asarray((self.H @ self.inverse).multiply(self.H).sum(1)).ravel()
        row = np.arange(len(diagonal)) - np.repeat(self.starts[:-1], self.heights)
        part = 2 * np.repeat(np.arange(self.count), self.heights) + (row >= 3)
        mean = np.bincount(part, diagonal) / np.maximum(np.bincount(part), 1)
        return np.where(mean > 0, mean, diagonal.max())[part]

    def velocity(self, r):
        return self.H @ (self.vf + self.inverse @ (self.H.T @ (self.h * r))) + self.bias

    def local(self):
        """The local problem of contacts alone; None if there are other constraints."""
        if not np.all(self.kinds == CONTACT):
            return None
        order = self.components.ravel()
        H = self.H[order]
        W = sparse.bsr_matrix(self.h * (H @ self.inverse @ H.T), blocksize=(3, 3))
        local = Local.__new__(Local)
        Problem.__init__(local, self.path)
        return local._set(W, self.q[order], self.friction)


def packed(dofs, values):
    """Symmetric matrices from their lower triangles, row by row."""
    ends = np.cumsum([n * (n + 1) // 2 for n in dofs])
    masses = []
    for n, part in zip(dofs, np.split(np.array(values, float), ends[:-1])):
        mass = np.zeros((n, n))
        mass[np.tril_indices(n)] = part
        masses.append(mass + np.tril(mass, -1).T)
    return masses


def jacobian(arrays, columns):
    """H as compressed rows: from the file, or from points and normals of contacts of rigid bodies."""
    if 'H_data' in arrays:
        starts = arrays['H_indptr']
        H = sparse.csr_matrix((np.array(arrays['H_data'], float), arrays['H_indices'], starts), shape=(len(starts) - 1, columns))
    else:
        H = sum(side(arrays, name, sign, columns) for name, sign in (('a', 1.0), ('b', -1.0))).tocsr()
    H.sort_indices()
    return H


def side(arrays, name, sign, columns):
    """The part of H that belongs to the first or the second body of each contact."""
    contacts = np.flatnonzero(arrays[name] >= 0)
    bodies = np.array(arrays[name], int)[contacts]
    axes = frames(np.array(arrays['normal'], float)[contacts])
    arms = np.array(arrays['point'], float)[contacts] - np.array(arrays['centre'], float)[bodies]
    values = sign * np.concatenate((np.cross(arms[:, None], axes), axes), axis=2)
    row = 3 * contacts[:, None, None] + np.arange(3)[:, None] + np.zeros(6, int)
    column = 6 * bodies[:, None, None] + np.zeros((3, 1), int) + np.arange(6)
    return sparse.coo_matrix((values.ravel(), (row.ravel(), column.ravel())), shape=(3 * len(arrays['a']), columns))


def frames(normals):
    """Two tangents and the normal of each contact. The first tangent comes from the axis that is least parallel to the normal."""
    unit = lambda v: v / np.linalg.norm(v, axis=1, keepdims=True)
    n = unit(normals)
    axis = np.eye(3)[np.abs(n).argmin(1)]
    t = unit(axis - n * np.sum(n * axis, axis=1, keepdims=True))
    return np.stack((t, np.cross(n, t), n), axis=1)
