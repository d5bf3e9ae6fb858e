"""Optional modules are imported when they are used, and name what is missing."""

import subprocess
import sys

import pytest


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)


def test_the_package_imports_none():
    done = run("import ldy, sys; print([name for name in ('torch', 'jax', 'mujoco', 'pinocchio', 'matplotlib') if name in sys.modules])")
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.parametrize("name, title", [("torch", "PyTorch"), ("jax", "JAX")])
def test_what_to_install(name, title):
    done = run(f"import sys; sys.modules['{name}'] = None; import ldy; ldy.{name}")
    assert done.stderr.endswith(f"ModuleNotFoundError: ldy.{name} needs {title}: pip install {name}\n"), done.stderr


def test_a_broken_package_says_why(tmp_path):
    (tmp_path / "torch.py").write_text("import not_there")
    done = run(f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import ldy; ldy.torch")
    assert done.stderr.endswith("ModuleNotFoundError: No module named 'not_there'\n"), done.stderr


def test_a_build_without_mpi_says_how_to_build_one():
    done = run("import ldy; vars(ldy._core).pop('Parallel', None); ldy.parallel.Parallel(None)")
    assert "ImportError: this build of ldy has no MPI" in done.stderr, done.stderr
