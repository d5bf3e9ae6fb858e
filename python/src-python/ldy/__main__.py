"""Solve and examine contact problems in files: ``python -m ldy solve a.npz -o forces.npy``, ``python -m ldy info a.npz``."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from .files import Problem, load_problem

#: Larger matrices are not made dense.
_MOST = 3000


def main(words: list[str] | None = None) -> int:
    """Run a command; returns the exit status: 0, 1 if a problem is not solved, or 2 if the input is wrong."""
    parser = argparse.ArgumentParser(prog="python -m ldy", description="Contact problems in files; docs/reference/file-format.md has the format.")
    commands = parser.add_subparsers(dest="command", required=True)
    solver = commands.add_parser("solve", help="solve a problem from its initial guess")
    solver.add_argument("file")
    solver.add_argument("--tolerance", type=float, default=1e-8, help="1e-8 by default")
    solver.add_argument("--method", default="automatic", help="automatic, gauss_seidel or newton")
    solver.add_argument("--measure", default="both", help="both, natural or scaled")
    solver.add_argument("-o", "--output", help="the forces, for numpy.load")
    info = commands.add_parser("info", help="print size, islands, laws, rank and condition")
    info.add_argument("file")
    info.add_argument("--picture", help="write a picture of the pattern of W, for instance W.png")
    given = parser.parse_args(words)
    try:
        problem = load_problem(given.file)
        return _solve(problem, given) if given.command == "solve" else _info(problem, given)
    except (OSError, ValueError, RuntimeError) as error:
        print(f"ldy: {error}", file=sys.stderr)
        return 2


def _solve(problem: Problem, given: argparse.Namespace) -> int:
    R, report = problem.solve(tolerance=given.tolerance, method=given.method, measure=given.measure)
    print(report)
    if given.output:
        with open(given.output, "wb") as file:
            np.save(file, R)
    return 0 if report.converged else 1


def _info(problem: Problem, given: argparse.Namespace) -> int:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    W, rows, size = coo_array(problem.W), len(problem), len(problem.B)
    owner = np.repeat(np.arange(rows), problem.row_counts)
    links = coo_array((np.ones(W.nnz), (owner[W.row], owner[W.col])), shape=(rows, rows)).tocsr()
    count, island = connected_components(links, directed=False)
    print(f"size: {rows} rows, {size} scalar rows, {links.nnz} blocks")
    print(f"scalar rows of rows: {_counts(problem.row_counts)}")
    print(f"laws: {_counts(problem.laws.kind)}")
    print(f"normal: {'first' if problem.normal_first else 'last'}")
    print(f"islands: {count}, the largest with {np.bincount(island, minlength=1).max(initial=0)} rows")
    print(f"initial guess: {'no' if problem.R is None else 'yes'}")
    asymmetry = abs(W - W.T).max() / max(abs(W).max(), np.finfo(float).tiny) if size else 0.0
    print(f"asymmetry: {asymmetry:.1e} of the largest entry")
    if size > _MOST:
        print(f"rank and condition: not computed for more than {_MOST} scalar rows")
    elif size:
        _rank(W.toarray())
    if given.picture:
        _picture(problem, given.picture)
    return 0


def _counts(values: Any) -> str:
    return ", ".join(f"{count} of {value}" for value, count in zip(*np.unique(values, return_counts=True)))


def _rank(W: Any) -> None:
    """Print rank and condition, and scalar rows that depend on others."""
    from scipy.linalg import qr

    values = np.linalg.svd(W, compute_uv=False)
    rank = int(np.sum(values > 4 * len(W) * np.finfo(float).eps * values[0]))
    condition = values[0] / values[rank - 1] if rank else np.nan
    print(f"rank: {rank} of {len(W)}, condition {condition:.1e}")
    redundant = np.sort(qr(W, mode="r", pivoting=True)[1][rank:])
    if len(redundant):
        print(f"redundant scalar rows: {' '.join(map(str, redundant[:20]))}{' ...' if len(redundant) > 20 else ''}")


def _picture(problem: Problem, path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from scipy.sparse import coo_array

    W = coo_array(problem.W)
    W.eliminate_zeros()
    figure, axes = plt.subplots(figsize=(7, 6))
    marker = min(40.0, (300.0 / max(W.shape[0], 1)) ** 2)
    drawn = axes.scatter(W.col, W.row, c=np.log10(np.abs(W.data)), s=marker, marker="s", linewidths=0)
    axes.set(xlim=(-0.5, W.shape[1] - 0.5), ylim=(W.shape[0] - 0.5, -0.5), aspect="equal", xlabel="scalar column", ylabel="scalar row")
    axes.set_title(f"W: {len(problem)} rows, {W.shape[0]} scalar rows")
    figure.colorbar(drawn, ax=axes, label="log10 of the entry")
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    sys.exit(main())
