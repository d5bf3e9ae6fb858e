"""Matrices of a scene in a file, and W of two programs compared.

A file holds numbers of 8 bytes: how many bodies and constraints there are; of each body n, A and its inverse; of each
constraint its two bodies, -1 for the ground, and the operators H on them, the ground's left out. Matrices are stored by
columns, and n is the number of a body's freedoms.
"""

from modules import module

numpy = module("numpy")


def write(path, bodies, constraints):
    """`bodies`: matrices A. `constraints`: ((body, H), (body, H)), H None for the ground, which is body -1."""
    numbers = [[len(bodies), len(constraints)]]
    for a in bodies:
        numbers += [[len(a)], a.ravel("F"), symmetric(numpy.linalg.inv(a)).ravel("F")]
    for sides in constraints:
        numbers.append([body for body, _ in sides])
        numbers += [h.ravel("F") for _, h in sides if h is not None]
    numpy.concatenate(numbers).astype("<f8").tofile(path)


def read(path):
    """Bodies as pairs (A, inverse of A), and constraints as for `write`."""
    numbers = numpy.fromfile(path, "<f8")
    place = 0

    def take(*shape):
        nonlocal place
        count = int(numpy.prod(shape))
        place += count
        return numbers[place - count : place].reshape(shape, order="F")

    body_count, constraint_count = map(int, take(2))
    bodies = []
    for _ in range(body_count):
        n = int(take(1)[0])
        bodies.append((take(n, n), take(n, n)))
    constraints = []
    for _ in range(constraint_count):
        pair = [int(body) for body in take(2)]
        constraints.append([(body, take(3, len(bodies[body][0])) if body >= 0 else None) for body in pair])
    return bodies, constraints


def symmetric(upper):
    """The symmetric matrix with this upper triangle."""
    return numpy.triu(upper) + numpy.triu(upper, 1).T


def difference(response, path):
    """The largest difference between a W, dense or (rows, columns, values), and the one in a file, over the geometric mean of
    the largest values of the two diagonal blocks.

    The file holds: how many rows and blocks there are, where each row's blocks begin and the last end, the columns of blocks, and
    blocks of 3 x 3 by columns."""
    numbers = numpy.fromfile(path, "<f8")
    count, blocks = map(int, numbers[:2])
    starts, columns, values = numpy.split(numbers[2:], [count + 1, count + 1 + blocks])
    columns, values = columns.astype(numpy.int64), values.reshape(blocks, 3, 3).transpose(0, 2, 1)
    rows = numpy.repeat(numpy.arange(count), numpy.diff(starts.astype(numpy.int64)))
    scale = numpy.repeat(numpy.sqrt(numpy.abs(values[rows == columns]).max(axis=(1, 2))), 3)
    size, three = 3 * count, numpy.arange(3)
    own_keys = (3 * rows[:, None, None] + three[:, None]) * size + 3 * columns[:, None, None] + three
    if isinstance(response, tuple):
        other_rows, other_columns, other = response
    else:
        assert response.shape == (size, size), f"{response.shape} is not the shape of W"
        other_rows, other_columns = numpy.nonzero(response)
        other = response[other_rows, other_columns]
    other_keys = other_rows.astype(numpy.int64) * size + other_columns
    keys = numpy.union1d(own_keys, other_keys)
    apart = numpy.zeros(len(keys))
    apart[numpy.searchsorted(keys, own_keys.ravel())] = values.ravel()
    apart[numpy.searchsorted(keys, other_keys)] -= other
    return float(numpy.max(numpy.abs(apart) / (scale[keys // size] * scale[keys % size])))
