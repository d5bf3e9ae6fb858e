"""The package is typed: mypy finds nothing in it, and finds misuse."""

import pathlib
import subprocess
import sys

import ldy
import pytest

pytest.importorskip("mypy")

USE = """
import ldy
import numpy as np

system = ldy.System()
R, report = system.solve(ldy.laws.contact(friction=0.5))
reveal_type(R)
reveal_type(report.history)
reveal_type(system.add_rigid(1.0, 1.0))
reveal_type(system.add_rigid([1.0, 2.0], 1.0))
reveal_type(ldy.plot.pattern)
system.update("soon")
report.status = ldy.Status.CONVERGED
system.solve(0.1, tolerence=1e-3)
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """What mypy knows of NumPy, for all tests."""
    return tmp_path_factory.mktemp("mypy")


def mypy(cache, *arguments):
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={cache}", "--no-error-summary"]
    # Of what the package uses, SciPy has no types.
    done = subprocess.run([*command, "--disable-error-code=import-untyped", *arguments], capture_output=True, text=True)
    return done.stdout + done.stderr


def test_the_package_has_no_error_of_types(cache):
    assert pathlib.Path(ldy.__file__).with_name("py.typed").exists()
    assert mypy(cache, "-p", "ldy") == ""


def test_users_are_told(cache, tmp_path):
    use = tmp_path / "use.py"
    use.write_text(USE)
    lines = [line.split(": ", 1)[1] for line in mypy(cache, str(use)).splitlines() if "error" in line or "Revealed" in line]
    assert len(lines) == 8, lines
    assert "ndarray" in lines[0] and "ndarray" in lines[1] and "int" in lines[2] and "ndarray" in lines[3] and "def (rows" in lines[4]
    assert '"str"; expected "float"' in lines[5] and "read-only" in lines[6] and "tolerence" in lines[7]


def test_the_stub_is_that_of_the_native_part(tmp_path):
    """Names and arguments; what pyo3 adds is left out."""
    allowed = tmp_path / "allowed"
    # The wheel has no MPI.
    allowed.write_text("ldy._core.__all__\n" + ("" if hasattr(ldy._core, "Parallel") else "ldy._core.Parallel\n"))
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "ldy._core", "--allowlist", allowed], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_all_that_is_public_is_documented():
    for thing in (getattr(ldy, name) for name in ldy.__all__ if name not in ("jax", "mujoco", "parallel", "pinocchio", "plot", "torch")):
        assert isinstance(thing, int) or thing.__doc__
        for name, part in vars(thing).items() if isinstance(thing, type) else ():
            if not name.startswith("_") and callable(part):
                assert part.__doc__, f"{thing.__name__}.{name}"
