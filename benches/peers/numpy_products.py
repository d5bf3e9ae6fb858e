"""J M^-1 J^T by NumPy, from a file of matrices.

Usage: numpy_products.py FILE; then see turns.py. Bodies are of one size, with the same number of constraints each, all with the ground;
M^-1 is given.
"""

import sys

import matrices
import turns
from modules import module

numpy = module("numpy")


def main():
    bodies, constraints = matrices.read(sys.argv[1])
    rows = [[] for _ in bodies]
    for k, ((body, _), _) in enumerate(constraints):
        rows[body].append(k)
    assert all(side == -1 for _, (side, _) in constraints)
    jacobians = numpy.array([numpy.vstack([constraints[k][0][1] for k in own]) for own in rows])
    inverses = numpy.array([inverse.copy("C") for _, inverse in bodies])
    operands = [jacobians, inverses, jacobians.transpose(0, 2, 1)]
    if len(bodies) == 1:
        operands = [array[0] for array in operands]
    j, inverse, transposed = operands

    def product():
        return j @ inverse @ transposed

    def response():
        w = numpy.zeros((3 * len(constraints),) * 2)
        for own, block in zip(rows, product().reshape(len(bodies), -1, jacobians.shape[1])):
            places = numpy.repeat(3 * numpy.array(own), 3) + numpy.tile(numpy.arange(3), len(own))
            w[numpy.ix_(places, places)] = block
        return w

    turns.serve({"version": numpy.__version__}, {"products": turns.timed(product)}, {"products": response})


if __name__ == "__main__":
    main()
