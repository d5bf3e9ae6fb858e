"""Laws of constraints: what each demands of its U and R."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .arrays import Floats, Ints, flat, numbers
from .errors import Error

__all__ = [
    "Law",
    "Laws",
    "bounds",
    "contact",
    "contact_bias",
    "contact_compliance",
    "contact_friction",
    "expansion",
    "fixed",
    "none",
    "rolling_contact",
]

_CONTACT, _BOUNDS, _NONE, _EXPANSION = range(4)
_NAMES = ("contact", "bounds", "none", "expansion")
_SIXES = ("lower", "upper", "bias")


@dataclass(frozen=True, eq=False)
class Law:
    """A law for one row, or for each of several rows.

    Make one by :func:`contact`, :func:`rolling_contact`, :func:`expansion`, :func:`fixed`, :func:`bounds` or :func:`none`. Its values broadcast over the rows that get it.
    """

    _kind: int
    _values: dict[str, Floats]

    def __repr__(self) -> str:
        name = _NAMES[self._kind]
        return f"<ldy.laws.{name}: {', '.join(f'{key}={value.tolist()}' for key, value in self._values.items())}>"


def contact(friction: ArrayLike = 0.0, *, cohesion: ArrayLike = 0.0, bias: ArrayLike = 0.0, friction_2: ArrayLike | None = None) -> Law:
    """Make the law of a contact with Coulomb's friction.

    With U + bias for U: 0 <= R_N + cohesion, 0 <= U_N, one of them zero; R_T opposes U_T, and \\|R_T\\| <= friction (R_N + cohesion). The
    last component is the normal one. It points from the slave to the master. A contact has three scalar rows, or two in a plane.

    Parameters
    ----------
    friction : float or (rows,) array_like
        The coefficient of friction.
    cohesion : float or (rows,) array_like
        The largest pull.
    bias : float, (m,), (rows, 1) or (rows, m) array_like
        Added to U: (0, 0, e V_N) for restitution, (0, 0, gap / h) for a contact that is still open.
    friction_2 : float or (rows,) array_like, optional
        The coefficient along the second tangent, if it differs from the first. Then \\|(R_1 / friction, R_2 / friction_2)\\| <=
        R_N + cohesion, and R_T is the admissible force that dissipates most.

    Returns
    -------
    Law
        The law.

    See Also
    --------
    Laws : Laws of several rows.

    Examples
    --------
    >>> import ldy
    >>> ldy.laws.contact(0.5)
    <ldy.laws.contact: friction=0.5, friction_2=0.5, cohesion=0.0, bias=0.0>
    """
    values = {"friction": friction, "friction_2": friction if friction_2 is None else friction_2, "cohesion": cohesion, "bias": bias}
    return Law(_CONTACT, {name: numbers(name, value) for name, value in values.items()})


def rolling_contact(
    friction: ArrayLike = 0.0,
    *,
    rolling: ArrayLike = 0.0,
    torsion: ArrayLike = 0.0,
    cohesion: ArrayLike = 0.0,
    bias: ArrayLike = 0.0,
    friction_2: ArrayLike | None = None,
) -> Law:
    """Make the law of a contact with Coulomb's, rolling and torsional friction.

    Forces, velocities and the first three components are those of :func:`contact`. Then come the angular velocity about the normal (four
    scalar rows), about both tangents (five), or about all three axes in the order of the force's components (six); R has moments there.
    The moment about the tangents opposes its angular velocity, \\|M_T\\| <= rolling (R_N + cohesion). The moment about the normal opposes
    its angular velocity, \\|M_N\\| <= torsion (R_N + cohesion).

    Parameters
    ----------
    friction : float or (rows,) array_like
        The coefficient of friction.
    rolling : float or (rows,) array_like
        The coefficient of rolling friction, a length. Zero for rows without moments about the tangents.
    torsion : float or (rows,) array_like
        The coefficient of torsional friction, a length. Zero for rows without a moment about the normal.
    cohesion : float or (rows,) array_like
        The largest pull.
    bias : float, (m,), (rows, 1) or (rows, m) array_like
        Added to U.
    friction_2 : float or (rows,) array_like, optional
        The coefficient along the second tangent, if it differs from the first.

    Returns
    -------
    Law
        The law.

    See Also
    --------
    contact : A contact without moments.

    Examples
    --------
    >>> import ldy
    >>> laws = ldy.Laws(2, ldy.laws.rolling_contact(0.5, rolling=0.01))
    >>> laws.rolling_friction
    array([0.01, 0.01])
    """
    law = contact(friction, cohesion=cohesion, bias=bias, friction_2=friction_2)
    moments = {"rolling_friction": rolling, "torsional_friction": torsion}
    return Law(_CONTACT, {**law._values, **{name: numbers(name, value) for name, value in moments.items()}})


def contact_bias(
    gap: ArrayLike,
    h: float,
    velocity: ArrayLike = 0.0,
    *,
    erp: float = 0.0,
    slop: float = 0.0,
    max_speed: float = 0.0,
    restitution: float = 0.0,
    bounce_speed: float = 0.0,
) -> Floats:
    """Return biases of the normal components of contacts from their gaps.

    A contact that is open may close: U_N >= -gap / h. A penetration beyond the slop is removed with the speed erp (-gap - slop) / h. A
    contact that is closed and approaches faster than ``bounce_speed`` leaves with restitution times its approach speed. The larger of the
    speeds holds.

    Parameters
    ----------
    gap : float or (rows,) array_like
        Distances of the bodies along the normals, negative for penetrations.
    h : float
        The time step.
    velocity : float or (rows,) array_like, optional
        Normal components of V, before the step.
    erp : float, optional
        The share of a penetration that one step removes, 0 to 1.
    slop : float, optional
        The penetration that is left alone.
    max_speed : float, optional
        The largest speed by which a penetration is removed; 0 for no limit.
    restitution : float, optional
        Newton's coefficient of restitution, 0 to 1.
    bounce_speed : float, optional
        The approach speed up to which contacts do not bounce.

    Returns
    -------
    () or (rows,) ndarray
        The normal components, in the common shape of gaps and velocities.

    Raises
    ------
    Error
        If a value is not finite, h is not positive, or a parameter is out of range.

    See Also
    --------
    contact : The law that gets the bias.

    Examples
    --------
    >>> import ldy
    >>> normal = ldy.laws.contact_bias([0.01, -0.02], 0.1, erp=0.5)
    >>> normal
    array([ 0.1, -0.1])
    >>> law = ldy.laws.contact(0.5, bias=normal[:, None] * [0, 0, 1])
    """
    try:
        gaps, velocities = np.broadcast_arrays(numbers("gap", gap), numbers("velocity", velocity))
    except ValueError:
        raise Error(f"gap and velocity: shapes {np.shape(gap)} and {np.shape(velocity)} differ") from None
    parameters = (float(erp), float(slop), float(max_speed), float(restitution), float(bounce_speed))
    biases = _core.contact_bias(flat("gap", gaps), flat("velocity", velocities), h, parameters)
    return biases.reshape(gaps.shape)


def contact_friction(
    slip: ArrayLike,
    static_friction: float,
    kinetic_friction: float,
    *,
    stribeck_speed: float = 0.0,
    viscous: float = 0.0,
    stick_speed: float = 0.0,
) -> Floats:
    """Return coefficients of friction of contacts from their slips in the last solution.

    The coefficient is kinetic + (static - kinetic) exp(-(slip / stribeck_speed)**2) + viscous slip, and static up to the stick speed.
    Without a Stribeck speed a contact that sticks has the static coefficient, and one that slides the kinetic one. Use it once in each
    step, or solve a step again until the coefficients no longer change.

    Parameters
    ----------
    slip : float or (rows,) array_like
        \\|U_T\\| in the last solution, 0 for a contact that is new or open.
    static_friction, kinetic_friction : float
        The coefficients of a contact that sticks, and of one that slides fast.
    stribeck_speed : float, optional
        The speed of the transition.
    viscous : float, optional
        The growth of the coefficient with the slip, 1 over a velocity.
    stick_speed : float, optional
        The slip up to which a contact counts as sticking: the error of velocities in a solution.

    Returns
    -------
    () or (rows,) ndarray
        The coefficients, in the shape of the slips.

    Raises
    ------
    Error
        If a number is negative or not finite, or a coefficient overflows.

    See Also
    --------
    contact : The law that gets the coefficient.

    Examples
    --------
    >>> import ldy
    >>> ldy.laws.contact_friction([0.0, 0.1], 0.75, 0.5)
    array([0.75, 0.5 ])
    """
    slips = numbers("slip", slip)
    parameters = (float(static_friction), float(kinetic_friction), float(stribeck_speed), float(viscous), float(stick_speed))
    return _core.contact_friction(flat("slip", slips), parameters).reshape(slips.shape)


def contact_compliance(
    gap: ArrayLike,
    h: float,
    velocity: ArrayLike = 0.0,
    *,
    stiffness: float,
    least_penetration: float,
    exponent: float = 1.5,
    damping: float = 0.0,
) -> tuple[Floats, Floats]:
    """Return compliances and biases of the normal components of Hunt and Crossley's contacts, for this step.

    The force is k x**n (1 + 3/2 c dx/dt) for a penetration x > 0, linearized at the penetration and the velocity before the step, and taken
    at the end of the step. A contact with this compliance and this bias has the force -(U_N + bias) / compliance, or none.

    Parameters
    ----------
    gap : float or (rows,) array_like
        Distances of the bodies along the normals, negative for penetrations.
    h : float
        The time step.
    velocity : float or (rows,) array_like, optional
        Normal components of V, before the step.
    stiffness : float
        The stiffness k, positive.
    least_penetration : float
        The penetration, positive, below which the tangent of x**n at this penetration replaces x**n.
    exponent : float, optional
        The exponent n, at least 1: 1.5 for Hertz's contact of spheres.
    damping : float, optional
        The damping c, 1 over a velocity. An impact with a small speed v has the coefficient of restitution 1 - c v.

    Returns
    -------
    compliance : () or (rows,) ndarray
        The normal entries of :meth:`System.set_compliance`, in the common shape of gaps and velocities.
    bias : () or (rows,) ndarray
        The normal components of the biases.

    Raises
    ------
    Error
        If a value is not finite, h is not positive, a parameter is out of range, or a result overflows.

    See Also
    --------
    contact : The law that gets the bias.

    Examples
    --------
    A linear spring, k = 1000, with a penetration of 0.01:

    >>> import ldy
    >>> compliance, bias = ldy.laws.contact_compliance(-0.01, 0.1, stiffness=1000, exponent=1, least_penetration=1e-6)
    >>> print(f"{compliance:.3f} {bias:.3f}")
    0.010 -0.100
    """
    try:
        gaps, velocities = np.broadcast_arrays(numbers("gap", gap), numbers("velocity", velocity))
    except ValueError:
        raise Error(f"gap and velocity: shapes {np.shape(gap)} and {np.shape(velocity)} differ") from None
    parameters = (float(stiffness), float(exponent), float(damping), float(least_penetration))
    compliances, biases = _core.contact_compliance(flat("gap", gaps), flat("velocity", velocities), h, parameters)
    return compliances.reshape(gaps.shape), biases.reshape(gaps.shape)


def expansion(friction: ArrayLike = 0.0, *, least_force: ArrayLike, bias: ArrayLike = 0.0) -> Law:
    """Make the law of a contact in the expansion phase of an impact, Poisson's restitution.

    With U + bias for U: 0 <= R_N - least_force, 0 <= U_N, one of them zero; R_T opposes U_T, and \\|R_T\\| <= friction R_N, also if the
    contact opens. A contact has three scalar rows, or two in a plane.

    Parameters
    ----------
    friction : float or (rows,) array_like
        The coefficient of friction.
    least_force : float or (rows,) array_like
        The coefficient of restitution times R_N of the compression phase.
    bias : float, (m,), (rows, 1) or (rows, m) array_like
        Added to U.

    Returns
    -------
    Law
        The law.

    See Also
    --------
    contact : The law of the compression phase.

    Examples
    --------
    >>> import ldy
    >>> laws = ldy.Laws(2, ldy.laws.expansion(0.5, least_force=[1.0, 2.0]))
    >>> laws.least_force
    array([1., 2.])
    """
    values = {name: numbers(name, value) for name, value in {"friction": friction, "friction_2": friction, "bias": bias}.items()}
    return Law(_EXPANSION, {**values, "cohesion": np.zeros(()), "lower": numbers("least_force", least_force)[..., None]})


def fixed(bias: ArrayLike = 0.0) -> Law:
    """Make the law U + bias = 0 of a joint.

    Parameters
    ----------
    bias : float, (m,), (rows, 1) or (rows, m) array_like
        -v for a prescribed velocity v.

    Returns
    -------
    Law
        The law.
    """
    return bounds(-np.inf, np.inf, bias)


def bounds(lower: ArrayLike, upper: ArrayLike, bias: ArrayLike = 0.0) -> Law:
    """Make the law lower <= R <= upper of a limit, a motor or dry friction.

    U + bias is zero if R is between the bounds, not negative at the lower bound, and not positive at the upper bound. Bounds of zero leave
    a component free, infinite ones fix it.

    Parameters
    ----------
    lower, upper : float, (m,), (rows, 1) or (rows, m) array_like
        Bounds of the m scalar rows of a row; -inf and inf for none.
    bias : float, (m,), (rows, 1) or (rows, m) array_like
        Added to U.

    Returns
    -------
    Law
        The law.

    Examples
    --------
    A link along the normal, and a joint limit:

    >>> import numpy as np
    >>> import ldy
    >>> link = ldy.laws.bounds((0, 0, -np.inf), (0, 0, np.inf))
    >>> limit = ldy.laws.bounds(0, np.inf)
    """
    values = {"lower": lower, "upper": upper, "bias": bias}
    return Law(_BOUNDS, {name: numbers(name, value) for name, value in values.items()})


def none() -> Law:
    """Make the law of a constraint that has none.

    Returns
    -------
    Law
        The law; :meth:`System.set_laws` removes the law of a constraint that gets it.
    """
    return Law(_NONE, {})


class Laws:
    """Laws of a number of rows, an array of laws.

    Assign a :class:`Law` to rows: an index, a slice, a mask, an array of indices, or ``...`` for all. Reading rows returns their laws.

    Parameters
    ----------
    rows : int
        The number of rows.
    law : Law, optional
        The law of all rows, at first; none by default, which no solver accepts.

    See Also
    --------
    laws.contact, laws.rolling_contact, laws.expansion, laws.fixed, laws.bounds, laws.none : Make a law.

    Examples
    --------
    >>> import numpy as np
    >>> import ldy
    >>> laws = ldy.Laws(3, ldy.laws.contact(0.5))
    >>> laws[2] = ldy.laws.bounds(0, np.inf)
    >>> laws.kind
    array(['contact', 'contact', 'bounds'], dtype='<U9')
    """

    def __init__(self, rows: int, law: Law | None = None) -> None:
        if operator.index(rows) < 0:
            raise Error(f"rows: {rows} where a number that is not negative is needed")
        self._kinds = np.full(rows, _NONE, dtype=np.uint8)
        self._friction, self._friction_2, self._cohesion = np.zeros(rows), np.zeros(rows), np.zeros(rows)
        self._rolling_friction, self._torsional_friction = np.zeros(rows), np.zeros(rows)
        self._lower, self._upper, self._bias = np.zeros((rows, 6)), np.zeros((rows, 6)), np.zeros((rows, 6))
        # For lower, upper and bias of each row: how many numbers were given.
        self._given = np.ones((rows, 3), dtype=np.int64)
        if law is not None:
            self[...] = law

    def __len__(self) -> int:
        return len(self._kinds)

    def __repr__(self) -> str:
        counts = {name: int(np.sum(self._kinds == kind)) for kind, name in enumerate(_NAMES)}
        return f"<ldy.Laws: {', '.join(f'{count} {name}' for name, count in counts.items() if count) or 'no rows'}>"

    def __setitem__(self, rows: Any, law: Law | Laws) -> None:
        if isinstance(law, Laws):
            for name, values in vars(law).items():
                vars(self)[name][rows] = values
            return
        # A law that does not fit must change no row.
        made = [(name, *_fitting(name, values, self._kinds[rows].shape)) for name, values in law._values.items()]
        self._kinds[rows], self._given[rows] = law._kind, 1
        self._rolling_friction[rows] = self._torsional_friction[rows] = 0
        for name, values, given in made:
            vars(self)[f"_{name}"][rows] = values
            if given > 1:
                self._given[rows, _SIXES.index(name)] = given

    def __getitem__(self, rows: Any) -> Laws:
        part = Laws(0)
        for name, values in vars(self).items():
            chosen = values[rows]
            vars(part)[name] = chosen[None].copy() if chosen.ndim < values.ndim else chosen.copy()
        return part

    @property
    def kind(self) -> NDArray[np.str_]:
        """Kinds of the laws, (rows,): "contact", "bounds" (also for fixed rows), "expansion" or "none"."""
        kinds: NDArray[np.str_] = np.array(_NAMES)[self._kinds]
        return kinds

    @property
    def friction(self) -> Floats:
        """Friction of contacts along the first and the second tangent, (rows, 2); 0 for other laws."""
        both: Floats = np.stack([self._friction, self._friction_2], axis=1) * np.isin(self._kinds, [_CONTACT, _EXPANSION])[:, None]
        return both

    @property
    def cohesion(self) -> Floats:
        """The largest pull of contacts, (rows,); 0 for other laws."""
        cohesion: Floats = self._cohesion * (self._kinds == _CONTACT)
        return cohesion

    @property
    def rolling_friction(self) -> Floats:
        """Coefficients of rolling friction of contacts, (rows,); 0 for other laws."""
        rolling: Floats = self._rolling_friction * (self._kinds == _CONTACT)
        return rolling

    @property
    def torsional_friction(self) -> Floats:
        """Coefficients of torsional friction of contacts, (rows,); 0 for other laws."""
        torsion: Floats = self._torsional_friction * (self._kinds == _CONTACT)
        return torsion

    @property
    def least_force(self) -> Floats:
        """Least normal forces of expansion, (rows,); 0 for other laws."""
        least: Floats = np.where(self._kinds == _EXPANSION, self._lower[:, 0], 0.0)
        return least

    @property
    def lower(self) -> Floats:
        """Lower bounds, (rows, 6); only the first m values of a row with m scalar rows count."""
        return self._lower.copy()

    @property
    def upper(self) -> Floats:
        """Upper bounds, (rows, 6); only the first m values of a row with m scalar rows count."""
        return self._upper.copy()

    @property
    def bias(self) -> Floats:
        """Biases, (rows, 6); only the first m values of a row with m scalar rows count."""
        return self._bias.copy()


def _fitting(name: str, values: Floats, rows: tuple[int, ...]) -> tuple[Floats, int]:
    """Values for rows, one each or six each for bounds and biases; how many were given for each row."""
    if values.ndim == 0:
        return values, 1
    given, shape = 1, values.shape
    if name in _SIXES:
        given, rows = shape[-1], (*rows, 6)
        if given > 6 or values.ndim > len(rows):
            raise Error(f"{name}: shape {shape} where (), (m,), (rows, 1) or (rows, m) is needed, m at most six")
        if given > 1:
            values = np.concatenate([values, np.zeros((*shape[:-1], 6 - given))], axis=-1)
    try:
        return np.broadcast_to(values, rows), given
    except ValueError:
        raise Error(f"{name}: shape {shape} for {rows[0] if rows else 1} rows") from None


def of_rows(laws: Laws | Law | ArrayLike, rows: int) -> Laws:
    """Laws of rows. One law is for all, and friction alone means contacts."""
    if isinstance(laws, Laws):
        return laws
    return Laws(rows, laws if isinstance(laws, Law) else contact(laws))


def raw(laws: Laws | Law | ArrayLike, row_counts: Ints) -> Any:
    """Laws of rows, with these numbers of scalar rows, for the native module."""
    rows, laws = len(row_counts), of_rows(laws, len(row_counts))
    if len(laws) != rows:
        raise Error(f"laws: {len(laws)} laws for {rows} rows")
    wrong = (laws._given > 1) & (laws._given != row_counts[:, None])
    if wrong.any():
        row, which = np.argwhere(wrong)[0].tolist()
        why = f"{laws._given[row, which]} numbers for a row with {row_counts[row]} scalar rows; the shape for several rows is (rows, m)"
        raise Error(f"row {row}: {_SIXES[which]}: {why}", entry=row)
    moments = laws._rolling_friction, laws._torsional_friction
    return laws._kinds, laws._friction, laws._friction_2, laws._cohesion, *moments, laws._lower, laws._upper, laws._bias


def with_numbers(laws: Laws, row_counts: Ints, numbers: Mapping[str, Floats]) -> Laws:
    """A copy of laws with other numbers for all rows that have them.

    Friction has the shape (rows, 2), bounds and biases (rows, m), m the most scalar rows of a row.
    """
    made, has_moments = laws[:], {"rolling_friction": row_counts >= 5, "torsional_friction": np.isin(row_counts, [4, 6])}
    for name, values in numbers.items():
        if name == "friction":
            made._friction, made._friction_2 = np.ascontiguousarray(values[:, 0]), np.ascontiguousarray(values[:, 1])
        elif name in _SIXES:
            vars(made)[f"_{name}"] = np.concatenate([values, np.zeros((len(values), 6 - values.shape[1]))], axis=1)
            made._given[:, _SIXES.index(name)] = 1
        else:
            vars(made)[f"_{name}"] = np.where(has_moments.get(name, True), values, 0.0)
    return made


def of_raw(raw: Any) -> Laws:
    """Laws from the arrays of the native module."""
    kinds, numbers, sixes = raw
    laws = Laws(len(kinds))
    laws._kinds, (laws._friction, laws._friction_2, laws._cohesion, laws._rolling_friction, laws._torsional_friction) = kinds, numbers
    laws._lower, laws._upper, laws._bias = (values.reshape(-1, 6) for values in sixes)
    return laws
