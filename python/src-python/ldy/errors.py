"""Exceptions of the package."""

from __future__ import annotations

import enum

import numpy as np

__all__ = ["ConvergenceWarning", "DerivativeWarning", "Error", "ErrorCode", "InUseError", "SingularMatrixError"]


class ErrorCode(enum.IntEnum):
    """Numbers of errors, the same as in C.

    A code is the kind of an error. The text of the exception names the body, the constraint or the value. Exhausted memory is Python's
    ``MemoryError``.
    """

    OUT_OF_MEMORY = 1
    FILE_OPEN = 2
    FILE_WRITE = 4
    NOT_IMPLEMENTED = 8
    SINGULAR = 15
    NOT_POSITIVE_DEFINITE = 16
    INVALID_FORMAT = 20
    INVALID_ARGUMENT = 52
    STALE_RESULTS = 101
    NOT_FOUND = 102
    TOO_LARGE = 103
    NOT_CONVERGED = 104


class Error(ValueError):
    """An argument or a state that the library refuses; nothing has changed.

    Parameters
    ----------
    text : str
        The value that was refused, and the reason.
    code : int, optional
        A number of :class:`ErrorCode`.
    constraint, body : int, optional
        The ids that the error is about.
    entry : int, optional
        The index in the arrays of a call for several bodies, constraints or rows.

    Attributes
    ----------
    code : ErrorCode
        The kind of error.
    constraint, body : int or None
        The ids that the error is about; None where they are not known.
    entry : int or None
        The index in the arrays of the call; None if the call was for one thing.

    Examples
    --------
    >>> import ldy
    >>> system = ldy.System()
    >>> try:
    ...     system.add_rigid([1.0, -1.0], 1.0)
    ... except ldy.Error as error:
    ...     print(error.code.name, error.entry)
    INVALID_ARGUMENT 1
    """

    def __init__(
        self,
        text: str,
        code: int = ErrorCode.INVALID_ARGUMENT,
        constraint: int | None = None,
        body: int | None = None,
        entry: int | None = None,
    ) -> None:
        super().__init__(text)
        self.code = ErrorCode(code)
        self.constraint, self.body, self.entry = constraint, body, entry


class SingularMatrixError(Error, np.linalg.LinAlgError):
    """A matrix is singular or not positive definite; see :class:`Error` for its attributes."""


class InUseError(Error, RuntimeError):
    """A system or factor is used by another thread, or by a function of yours that its own call has called."""


class ConvergenceWarning(RuntimeWarning):
    """A solution in a differentiable function has not converged; see :mod:`ldy.torch` and :mod:`ldy.jax`."""


class DerivativeWarning(RuntimeWarning):
    """Derivatives are those to one side of a kink, or of no solution, or a part of the forces has none; the text names the constraints."""


for _class in (ConvergenceWarning, DerivativeWarning, Error, ErrorCode, InUseError, SingularMatrixError):
    # The public place, for messages and pickles.
    _class.__module__ = "ldy"
