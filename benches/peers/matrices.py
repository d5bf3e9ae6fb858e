"""Matrices of a scene in a file, and W of two programs compared.

A file holds numbers of 8 bytes: how many bodies and constraints there are; of each body n, A and its inverse; of each
constraint how many rows it has, its two bodies, -1 for the ground, and the operators H on them, the ground's left out. Matrices are
stored by columns, and n is the number of a body's dofs.
"""

from modules import module

numpy = module("numpy")


def write(path, bodies, constraints):
    """`bodies`: matrices A. `constraints`: ((body, H), (body, H)), H None for the ground, which is body -1."""
    numbers = [[len(bodies), len(constraints)]]
    for a in bodies:
        numbers += [[len(a)], a.ravel("F"), symmetric(numpy.linalg.inv(a)).ravel("F")]
    for sides in constraints:
        height = next(len(h) for _, h in sides if h is not None)
        numbers.append([height] + [body for body, _ in sides])
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
        height, *pair = (int(number) for number in take(3))
        constraints.append([(body, take(height, len(bodies[body][0])) if body >= 0 else None) for body in pair])
    return bodies, constraints


def symmetric(upper):
    """The symmetric matrix with this upper triangle."""
    return numpy.triu(upper) + numpy.triu(upper, 1).T


def difference(response, path):
    """The largest difference between a W, dense or (rows, columns, values), and the one in a file, over the geometric mean of
    the largest values of the two diagonal blocks.

    The file holds: how many rows and blocks there are, where the scalars of each row begin and the last end, where its blocks do, the
    columns of blocks, and blocks by columns."""
    numbers = numpy.fromfile(path, "<f8")
    count, blocks = map(int, numbers[:2])
    ends = numpy.cumsum([count + 1, count + 1, blocks])
    scalars, starts, columns, values = numpy.split(numbers[2:], ends)
    scalars, columns = scalars.astype(numpy.int64), columns.astype(numpy.int64)
    rows = numpy.repeat(numpy.arange(count), numpy.diff(starts.astype(numpy.int64)))
    heights, size = numpy.diff(scalars), int(scalars[-1])
    # The block of each value, and its place in the block.
    lengths = heights[rows] * heights[columns]
    block = numpy.repeat(numpy.arange(blocks), lengths)
    place = numpy.arange(len(values)) - numpy.repeat(numpy.cumsum(lengths) - lengths, lengths)
    row = scalars[rows[block]] + place % heights[rows[block]]
    column = scalars[columns[block]] + place // heights[rows[block]]
    largest = numpy.zeros(count)
    diagonal = rows[block] == columns[block]
    numpy.maximum.at(largest, rows[block][diagonal], numpy.abs(values[diagonal]))
    scale = numpy.repeat(numpy.sqrt(largest), heights)
    own_keys = row * size + column
    if isinstance(response, tuple):
        other_rows, other_columns, other = response
    else:
        assert response.shape == (size, size), f"{response.shape} is not the shape of W"
        other_rows, other_columns = numpy.nonzero(response)
        other = response[other_rows, other_columns]
    other_keys = other_rows.astype(numpy.int64) * size + other_columns
    keys = numpy.union1d(own_keys, other_keys)
    apart = numpy.zeros(len(keys))
    apart[numpy.searchsorted(keys, own_keys)] = values
    apart[numpy.searchsorted(keys, other_keys)] -= other
    return float(numpy.max(numpy.abs(apart) / (scale[keys // size] * scale[keys % size])))
