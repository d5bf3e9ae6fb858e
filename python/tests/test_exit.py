"""The interpreter ends while daemon threads are in calls of the library."""

import subprocess
import sys

import pytest

PROGRAM = """
import threading, time
import numpy as np, ldy

def system_of(inverse):
    system = ldy.System()
    body = system.add_body(ldy.Inertia.function(6, inverse))
    for _ in range(100):
        system.add_constraint_rows(body, np.eye(3, 6))
    return system

def updates():
    system = system_of(lambda x: x * 1.0)
    while True:
        system.update(0.01)

def solves():
    system = system_of(lambda x: x * 1.0)
    system.update(0.01)
    while True:
        system.solve(0.5, progress=lambda *values: sum(range(100)) < 0)

def at_exit():
    system = system_of(lambda x: x * 2.0)
    system.update(0.01)
    print(system.results().blocks[0][0, 0])

import atexit
atexit.register(at_exit)
for run in (updates, solves, updates):
    threading.Thread(target=run, daemon=True).start()
time.sleep(0.3)
"""


@pytest.mark.parametrize("repetition", range(5))
def test_daemon_threads_do_not_abort_the_process(repetition):
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "0.02\n", "")


def test_handlers_registered_before_the_library_may_use_it():
    """They run after the handler of the library."""
    early = "import atexit\natexit.register(lambda: print(system_of(lambda x: x * 3.0).update(0.01)))\n"
    ended = subprocess.run([sys.executable, "-c", early + PROGRAM], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout.split(), ended.stderr) == (0, ["0.02", "None"], "")


def test_the_child_of_a_fork_does_not_wait_for_threads_that_it_lacks():
    program = """
import os, sys, threading, time
import numpy as np, ldy

inside = threading.Event()

def inverse(x):
    inside.set()
    time.sleep(60)
    return x

def updates():
    system = ldy.System()
    system.add_constraint_rows(system.add_body(ldy.Inertia.function(6, inverse)), np.eye(3, 6))
    system.update(0.01)

threading.Thread(target=updates, daemon=True).start()
inside.wait()
child = os.fork()
if child == 0:
    sys.exit(7)
began = time.monotonic()
status = os.waitpid(child, 0)[1]
print(os.WEXITSTATUS(status), time.monotonic() - began < 2, flush=True)
os._exit(0)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert ended.stdout == "7 True\n", ended.stderr
