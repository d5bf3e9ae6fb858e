"""Frictional contact problems from files, and their residuals: local problems (W, q, mu), and problems with bodies (M, H, free velocities).

Residuals are the natural map over |q|, and the same in units in which the diagonal blocks of W have the trace 3.
"""
import copy
import os

import numpy as np
import scipy.sparse as sparse

CONTACT, FIXED, BOUNDS = 0, 1, 2


def load(path):
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return (Bodies if 'vf' in arrays else Local)(path, arrays)


def onto_cones(x, friction):
    """The closest vectors in cones; the normal component comes first."""
    n, t = x[:, 0], np.hypot(x[:, 1], x[:, 2])
    inside = (n >= 0) & (t <= friction * n)
    polar = ~inside & (friction * t <= -n)
    normal = (n + friction * t) / (1 + friction ** 2)
    directions = np.divide(x[:, 1:], t[:, None], out=np.zeros_like(x[:, 1:]), where=t[:, None] > 0)
    edge = np.column_stack((normal, (friction * normal)[:, None] * directions))
    return np.where(inside[:, None], x, np.where(polar[:, None], 0.0, edge))


class Problem:
    """A subclass sets q, friction of its contacts, `components` (the normal and the tangents of each contact), `scale` of each scalar row, and
    `velocity(r)`. Other scalar rows have bounds `lower` and `upper`."""

    lower, upper = -np.inf, np.inf

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)[:-4]

    def project(self, x):
        y = np.clip(x, self.lower, self.upper)
        y[self.components] = onto_cones(x[self.components], self.friction)
        return y

    def residuals(self, r):
        if r is None or not np.all(np.isfinite(r)):
            return np.inf, np.inf
        w = self.velocity(r)
        normal, *tangents = self.components.T
        w[normal] += self.friction * np.hypot(*(w[tangent] for tangent in tangents))
        root = np.sqrt(self.scale)
        natural = np.linalg.norm(r - self.project(r - w)) / np.linalg.norm(self.q)
        scaled = np.linalg.norm(root * (r - self.project(r - w / self.scale))) / np.linalg.norm(self.q / root)
        return natural, scaled

    def residual(self, r):
        """The larger of both."""
        return max(self.residuals(r))


class Local(Problem):
    """Contacts with W as 3x3 blocks, normal first."""

    def __init__(self, path, arrays):
        super().__init__(path)
        shape = tuple(int(size) for size in arrays['shape'])
        W = sparse.bsr_matrix((arrays['data'], arrays['indices'], arrays['indptr']), shape=shape)
        self._set(W, np.array(arrays['q'], float), np.array(arrays['mu'], float))

    def _set(self, W, q, friction):
        W.sort_indices()
        self.W, self.q, self.friction = W, q, friction
        self.components = np.arange(len(q)).reshape(-1, 3)
        self.scale = np.repeat(W.diagonal().reshape(-1, 3).mean(1), 3)
        return self

    def velocity(self, r):
        return self.W @ r + self.q

    def symmetric(self):
        return copy.copy(self)._set(sparse.bsr_matrix(0.5 * (self.W + self.W.T), blocksize=(3, 3)), self.q, self.friction)


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
