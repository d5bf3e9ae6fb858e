"""The examples run, and print what they should."""

import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"


def run(name, *arguments):
    done = subprocess.run([sys.executable, EXAMPLES / name, *arguments], capture_output=True, text=True, timeout=300)
    if "skipped: " in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    return done.stdout


def number(pattern, text):
    return float(re.search(pattern.replace("#", r"([-+.e\d]+)"), text)[1])


def test_spheres():
    printed = run("spheres.py")
    assert "[ 0. -1.  2. -1.  0.]" in printed and "[5. 4. 3. 2. 1.] converged" in printed
    lines = [line for line in (EXAMPLES / "spheres.py").read_text().rpartition('"""')[2].splitlines() if line and not line.startswith(("import", "print", "#"))]
    assert len(lines) <= 10


def test_humanoid():
    printed = run("humanoid.py")
    assert "8 contacts" in printed and "converged" in printed
    assert number("Pinocchio's: # of", printed) < 1e-12


def test_mujoco():
    printed = run("mujoco_contacts.py")
    assert "3 bodies" in printed and "hard contacts: converged" in printed
    assert number("MuJoCo's: # of", printed) < 1e-12
    assert number("bears # of", printed) == pytest.approx(1, abs=0.1)


def test_the_humanoid_of_mujoco():
    printed = run("mujoco_humanoid.py")
    assert "27 dofs" in printed and "converged at the end" in printed and number("penetration # mm", printed) < 10
    assert len((EXAMPLES / "mujoco_humanoid.py").read_text().splitlines()) <= 32


def test_pile(tmp_path):
    pytest.importorskip("scipy")
    pytest.importorskip("matplotlib")
    printed = run("pile.py", "--steps", "12", "--picture", tmp_path / "pile.png")
    assert printed.startswith("2000 spheres, ") and number(", # contacts", printed) > 3000
    assert "step, 0 not solved" in printed and number("deepest # of", printed) < 0.01
    assert (tmp_path / "pile.png").read_bytes().startswith(b"\x89PNG")


def test_friction_and_mass_are_found(tmp_path):
    pytest.importorskip("scipy")
    printed = run("identify.py", "--picture", tmp_path / "identify.png")
    assert number("mass # kg", printed) == pytest.approx(1.7, abs=1e-5) and number("friction #;", printed) == pytest.approx(0.35, abs=1e-5)
    assert number("^# slides", printed) < 40 and (tmp_path / "identify.png").read_bytes().startswith(b"\x89PNG")


def test_a_throw_finds_its_target(tmp_path):
    printed = run("throw.py", "--picture", tmp_path / "throw.png")
    assert number("first ends # m", printed) > 1 and number("the last # m", printed) < 1e-5 and number("slides # m", printed) > 0.5
    assert (tmp_path / "throw.png").read_bytes().startswith(b"\x89PNG")


def test_many_humanoids(tmp_path):
    printed = run("many_humanoids.py", "--humanoids", "6", "--steps", "60", "--picture", tmp_path / "many.png")
    assert printed.startswith("6 humanoids, 60 steps, ") and ", 0 of 360 solutions did not converge" in printed
    assert number("torso # m", printed) == pytest.approx(number("rollout # m", printed), abs=0.02)
    assert number("penetration at the end # mm", printed) < 10 and (tmp_path / "many.png").read_bytes().startswith(b"\x89PNG")


def test_every_notebook(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    notebooks = list(EXAMPLES.glob("*.ipynb"))
    assert notebooks
    for path in notebooks:
        notebook = nbformat.read(path, as_version=4)
        # Nothing that a run has left is in it, and a cell that fails is an exception here.
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)
        done = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
        kinds = [output.output_type for cell in done.cells if cell.cell_type == "code" for output in cell.outputs]
        assert "display_data" in kinds and "stream" in kinds


def test_where_a_peer_is_missing_an_example_says_so(tmp_path):
    peers = {"humanoid": "pinocchio", "mujoco_contacts": "mujoco", "mujoco_humanoid": "mujoco", "many_humanoids": "mujoco", "throw": "jax"}
    for name, module in peers.items():
        (tmp_path / f"{module}.py").write_text("raise ImportError")
        text = f"import sys, runpy; sys.path.insert(0, {str(tmp_path)!r}); runpy.run_path({str(EXAMPLES / name)!r} + '.py', run_name='__main__')"
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
        assert done.returncode == 1 and done.stderr.startswith("skipped: ") and done.stdout == ""


def test_the_readme():
    """Its programs run, one after the other."""
    pytest.importorskip("scipy")
    text = (EXAMPLES.parent / "README.md").read_text()
    programs = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(programs) == 4
    done = subprocess.run([sys.executable, "-c", "\n".join(programs)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # The upper ball, of mass 2, pushes the lower one onto the ground.
    assert done.stdout.startswith("converged [") and abs(float(done.stdout.split("[")[1].split()[0])) < 1e-6
    for name in re.findall(r"\(examples/([^)]*)\)", text):
        assert (EXAMPLES / name).exists()
