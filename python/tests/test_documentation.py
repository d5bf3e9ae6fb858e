"""The examples of docstrings run, and docstrings have the sections of numpydoc."""

import doctest
import enum
import importlib.util
import inspect
import pathlib

import ldy
import numpy as np
import pytest

OPTIONAL = ("jax", "mujoco", "parallel", "pinocchio", "plot", "torch")
MODULES = [path.stem for path in pathlib.Path(ldy.__file__).parent.glob("*.py") if path.stem != "__init__"]


@pytest.mark.parametrize("name", ["", *MODULES])
def test_examples_of_docstrings(name):
    if name in OPTIONAL and name not in ("parallel", "plot"):
        pytest.importorskip(name)
    pytest.importorskip("scipy")
    module = importlib.import_module(f"ldy.{name}" if name else "ldy")
    # NumPy 2 has another form of scalars.
    with np.printoptions(legacy="1.25" if np.__version__ >= "2" else False):
        result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def public():
    """All names of the interface: functions, classes and their functions."""
    for name in ldy.__all__:
        thing = None if name in OPTIONAL else getattr(ldy, name)
        if inspect.ismodule(thing):
            yield from (f"ldy.{name}.{one}" for one in thing.__all__)
        elif inspect.isfunction(thing) or inspect.isclass(thing):
            yield f"ldy.{name}"
            if inspect.isclass(thing) and not issubclass(thing, enum.Enum):
                parts = (part for part in dir(thing) if not part.startswith("_") and "ldy" in str(getattr(getattr(thing, part), "__module__", "")))
                yield from (f"ldy.{name}.{part}" for part in parts)
    yield from (f"ldy.plot.{name}" for name in ("pattern", "spectrum", "reactions", "convergence"))
    for name, functions in (("mujoco", ("system", "velocity")), ("pinocchio", ("system",)), *((name, ("Step", "Solver")) for name in ("jax", "torch"))):
        if importlib.util.find_spec(name):
            yield from (f"ldy.{name}.{function}" for function in functions)


# Not every function needs an example, other functions to see, or more than a line.
ALLOWED = {"EX01", "SA01", "ES01"}
# Classes that users make. The arguments of others are no part of the interface.
MADE = {"ldy.Blocks", "ldy.Error", "ldy.Factor", "ldy.Joints", "ldy.Laws", "ldy.Problem", "ldy.System"}


def test_docstrings_have_their_sections(monkeypatch):
    for error in (ldy.Error, ldy.ErrorCode, ldy.InUseError, ldy.SingularMatrixError):
        # numpydoc looks for the source of a class in its module; theirs is the public one.
        monkeypatch.setattr(error, "__module__", "ldy.errors")
    validate = pytest.importorskip("numpydoc.validate").validate
    names = list(public())
    assert len(names) > 100 and "ldy.System.solve" in names and "ldy.laws.contact" in names
    errors = [(name, *error) for name in names for error in validate(name)["errors"] if error[0] not in ALLOWED]
    faults = [(name, code, text) for name, code, text in errors if code != "PR01" or name in MADE or name.count(".") > 1]
    faults = [fault for fault in faults if fault[0] not in ("ldy.laws.Law", "ldy.joints.Joint")]
    assert not faults


def test_all_functions_are_documented_with_what_they_return_and_raise():
    without = []
    for name, function in inspect.getmembers(ldy.System, inspect.isfunction):
        if name.startswith("_"):
            continue
        text = inspect.getdoc(function) or ""
        returns = inspect.signature(function).return_annotation not in ("None", None)
        parameters = len(inspect.signature(function).parameters) > 1
        missing = [head for head, needed in (("Parameters", parameters), ("Returns", returns)) if needed and f"\n{head}\n---" not in text]
        without += [(name, missing)] if missing or not text else []
    assert not without
    for name in ("System", "System.solve", "System.add_rigid", "System.results", "System.delassus", "System.factorize", "Laws", "solve", "Rows"):
        thing = ldy
        for part in name.split("."):
            thing = getattr(thing, part)
        assert ">>> " in thing.__doc__, name
