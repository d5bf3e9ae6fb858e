"""A process that measures on request.

It prints a line of key=value pairs about itself, or missing=NAME, see modules.py. Then it obeys lines:

        measure CALL COUNT   times of COUNT calls, in milliseconds
    compare CALL FILE    how far W of that call is from the one in a file, see matrices.py
"""

import gc
import sys
import time

import matrices


def timed(function, *arguments):
    """The function with these arguments, as a call that returns its time."""

    def call():
        start = time.perf_counter_ns()
        function(*arguments)
        return (time.perf_counter_ns() - start) / 1e6

    return call


def median(call):
    return sorted(call() for _ in range(101))[50]


def serve(about, calls, responses=None):
    """`calls` return their times, `responses` their W, by the same names."""
    print(*(f"{key}={value}" for key, value in about.items()), f"calls={','.join(calls)}", flush=True)
    gc.disable()
    for line in sys.stdin:
        order, name, argument = line.rstrip("\n").split(" ", 2)
        if order == "measure":
            print(*(calls[name]() for _ in range(int(argument))), flush=True)
        else:
            print(matrices.difference(responses[name](), argument), flush=True)
