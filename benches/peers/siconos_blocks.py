"""Blocks of W by Siconos, from a file of matrices.

Usage: siconos_blocks.py FILE; then see turns.py.
"""

import sys

import matrices
import turns
from modules import module

numpy = module("numpy")
# Siconos hands W out as a matrix of SciPy.
module("scipy.sparse.csr")
kernel = module("siconos.kernel")
numerics = module("siconos.numerics")

STEP = 0.001


def main():
    bodies, constraints = matrices.read(sys.argv[1])
    system = kernel.NonSmoothDynamicalSystem(0.0, 1.0)
    zeros = [numpy.zeros(len(a)) for a, _ in bodies]
    moving = [kernel.LagrangianDS(zero, zero, a) for zero, (a, _) in zip(zeros, bodies)]
    for body in moving:
        system.insertDynamicalSystem(body)
    law = kernel.NewtonImpactFrictionNSL(0.0, 0.0, 0.5, 3)
    kept = []
    for sides in constraints:
        sides = [(moving[body], h) for body, h in sides if h is not None]
        relation = kernel.LagrangianLinearTIR(numpy.hstack([h for _, h in sides]))
        interaction = kernel.Interaction(law, relation)
        system.link(interaction, *(body for body, _ in sides))
        kept.append(interaction)
    problem = kernel.FrictionContact(3)
    problem.setMStorageType(numerics.NM_SPARSE_BLOCK)
    problem.setMaxSize(3 * len(constraints))
    # One sweep, regardless of its accuracy: only W is wanted.
    problem.numericsSolverOptions().iparam[0] = 1
    problem.numericsSolverOptions().dparam[0] = 1e30
    stepping = kernel.TimeStepping(
        system, kernel.TimeDiscretisation(0.0, STEP), kernel.MoreauJeanOSI(0.5), problem
    )
    stepping.initialize()
    stepping.computeOneStep()
    active = system.topology().indexSet(1)
    w = problem.M()

    def assemble():
        problem.updateInteractionBlocks()
        w.fillW(active, True)
        w.convert()

    def response():
        assemble()
        _, sparse = numerics.SBM_to_sparse(w.numericsMatrix())
        entries = sparse.tocoo()
        return entries.row, entries.col, entries.data

    name = "updateInteractionBlocks"
    turns.serve({"version": module("siconos").version}, {name: turns.timed(assemble)}, {name: response})


if __name__ == "__main__":
    main()
