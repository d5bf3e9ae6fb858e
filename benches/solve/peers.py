"""Solvers in processes with another Python, which has them: lines of requests and answers.

A request is `TOLERANCE VARIANT SECONDS FORCES.npy PROBLEM.npz`. The answer is the seconds of the quickest of several runs, or `cut` if they
need more CPU time than SECONDS, or fail. The first line of all is `ready`.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

from timing import LIMIT, limit


READY = 'ready\n'


class Peer:
    """A solver that meets no tolerance if the Python is None or has not got it."""

    def __init__(self, python, script):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), script)
        command = [python, '-B', path] if python else ['true']
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.is_here = self.process.stdout.readline() == READY

    def run(self, *request):
        """Seconds; None of a run that is cut."""
        print(*request, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().strip()
        if not answer:
            sys.exit('a peer has ended')
        return None if answer == 'cut' else float(answer)

    def time(self, problem, tolerance, measure, variants, factors=(1.0,)):
        """The time of the quickest variant; infinite if none meets the tolerance by `measure(r)`. The solver's own tolerance is that one times
        the factors in turn, until the forces meet it."""
        least, variants = np.inf, variants if self.is_here else ()
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, 'r.npy')
            for variant in variants:
                for factor in factors:
                    seconds = self.run('%g' % (tolerance * factor), variant, LIMIT, out, problem.path)
                    if seconds is None:
                        break
                    if measure(np.load(out)) <= tolerance:
                        least = min(least, seconds)
                        break
        return least


def serve(run):
    """Answer requests. `run(tolerance, variant, out, path)` writes the forces and returns the seconds."""
    print(READY, end='', flush=True)
    for line in sys.stdin:
        tolerance, variant, seconds, out, path = line.rstrip('\n').split(' ', 4)
        # Some never end: each in a process of its own.
        child = os.fork()
        if child == 0:
            limit(float(seconds))
            print(run(float(tolerance), variant, out, path), flush=True)
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            print('cut', flush=True)
