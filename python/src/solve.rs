//! Laws, options and reports of solvers as Python has them.

use std::time::Duration;

use ldy::solve::{
    self, BlockRows, BodyRows, Demand, FrictionCurve, HuntCrossley, Kind, Law, Measure, Method, Multiplier,
    Normal, Options, Problem, RowLayout, Solver, Stabilization, Status,
};
use ldy::system::{ConflictText, RowLaw};
use numpy::{PyArray1, PyReadonlyArray1, PyReadwriteArray1};
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::arrays::{Array, Numbers, Vectors};
use crate::at_exit::{with_gil, without_gil};
use crate::errors::{invalid, raised, raised_of_rows};

/// Laws of rows: their kinds as in `laws.py`, friction along both tangents, cohesion, rolling and torsional friction, lower bounds,
/// upper bounds, biases.
#[derive(FromPyObject)]
pub struct Laws<'py>(
    PyReadonlyArray1<'py, u8>,
    Numbers<'py>,
    Numbers<'py>,
    Numbers<'py>,
    Numbers<'py>,
    Numbers<'py>,
    Vectors<'py>,
    Vectors<'py>,
    Vectors<'py>,
);

/// Tolerance, measure, method, largest number of sweeps, time limit in seconds, largest work, whether forces are canonical.
#[derive(FromPyObject)]
pub struct Choices(f64, String, String, usize, Option<f64>, Option<u64>, bool);

/// Rows of any W: starts, columns and values, which are column by column in each block, the layout, and B. Without a layout all rows
/// have three scalar rows.
#[derive(FromPyObject)]
pub struct Rows<'py>(
    PyReadonlyArray1<'py, i32>,
    PyReadonlyArray1<'py, i32>,
    Numbers<'py>,
    Option<Starts<'py>>,
    Numbers<'py>,
);

impl Rows<'_> {
    /// The problem of these rows.
    pub fn problem(&self, normal_first: bool) -> PyResult<Problem<'_>> {
        let Self(starts, columns, values, layout, b) = self;
        let layout = match layout {
            Some((scalars, values)) => {
                Some(RowLayout::new(scalars.as_slice()?, values.as_slice()?).map_err(raised_of_rows)?)
            }
            None => None,
        };
        let w = BlockRows::new(starts.as_slice()?, columns.as_slice()?, values.as_slice()?, layout);
        let normal = if normal_first { Normal::First } else { Normal::Third };
        Ok(Problem { w: w.map_err(raised_of_rows)?, b: b.as_slice()?, normal })
    }
}

/// The status; the residual, natural, scaled, of the initial guess, and seconds; the worst row, sweeps, steps and work; the history;
/// the conflict, if there is one.
pub type Report<'py> = (&'static str, [f64; 5], [u64; 4], Array<'py>, Option<Conflict<'py>>);

/// Constraints, components and groups; values; demands of laws; and the text.
pub type Conflict<'py> = ([Array<'py, i64>; 3], Array<'py>, Vec<&'static str>, String);

/// Laws of constraints as [`Laws`] has them.
pub type LawArrays<'py> = (Array<'py, u8>, [Array<'py>; 5], [Array<'py>; 3]);

impl Laws<'_> {
    /// The laws of constraints; no law for kind 2.
    pub fn of_constraints(&self) -> PyResult<Vec<Option<RowLaw>>> {
        let Self(kinds, friction, friction_2, cohesion, rolling, torsion, lower, upper, bias) = self;
        let (friction, friction_2) = (friction.as_slice()?, friction_2.as_slice()?);
        let (cohesion, rolling, torsion) = (cohesion.as_slice()?, rolling.as_slice()?, torsion.as_slice()?);
        let (lower, upper, bias) = (sixes(lower)?, sixes(upper)?, sixes(bias)?);
        let law = |(k, &kind): (usize, &u8)| {
            let kind = match kind {
                0 => Kind::Contact {
                    friction: friction[k],
                    friction_2: friction_2[k],
                    cohesion: cohesion[k],
                    rolling_friction: rolling[k],
                    torsional_friction: torsion[k],
                },
                1 => Kind::Bounds { lower: lower[k], upper: upper[k] },
                3 => Kind::Expansion { friction: friction[k], least_force: lower[k][0] },
                _ => return None,
            };
            Some(RowLaw { kind, bias: bias[k] })
        };
        Ok(kinds.as_slice()?.iter().enumerate().map(law).collect())
    }

    /// The laws of rows with these numbers of scalar rows: two for a row with more than three.
    pub fn made(&self, heights: impl Iterator<Item = usize>) -> PyResult<Vec<Law>> {
        let own = self.of_constraints()?;
        let mut laws = Vec::with_capacity(own.len());
        for ((k, law), height) in own.iter().enumerate().zip(heights) {
            let missing = || invalid(Some(k), "the row has no law");
            laws.extend(law.ok_or_else(missing)?.parts(height));
        }
        Ok(laws)
    }
}

/// Laws as arrays.
pub fn arrays<'py>(py: Python<'py>, laws: &[Option<RowLaw>]) -> LawArrays<'py> {
    let (mut kinds, mut numbers, mut sixes) =
        (Vec::new(), [(); 5].map(|()| Vec::new()), [(); 3].map(|()| Vec::new()));
    for law in laws {
        let (kind, own, bounds) = match law.map(|law| law.kind) {
            None | Some(Kind::Moments) => (2, [0.0; 5], [[0.0; 6]; 2]),
            Some(Kind::Contact { friction, friction_2, cohesion, rolling_friction, torsional_friction }) => {
                let own = [friction, friction_2, cohesion, rolling_friction, torsional_friction];
                (0, own, [[0.0; 6]; 2])
            }
            Some(Kind::Bounds { lower, upper }) => (1, [0.0; 5], [lower, upper]),
            Some(Kind::Expansion { friction, least_force }) => {
                (3, [friction, friction, 0.0, 0.0, 0.0], [[least_force, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0; 6]])
            }
        };
        kinds.push(kind);
        numbers.iter_mut().zip(own).for_each(|(all, own)| all.push(own));
        let [lower, upper] = bounds;
        let all = [lower, upper, law.map_or([0.0; 6], |law| law.bias)];
        sixes.iter_mut().zip(all).for_each(|(to, own)| to.extend(own));
    }
    let array = |values: Vec<f64>| PyArray1::from_vec(py, values);
    (PyArray1::from_vec(py, kinds), numbers.map(array), sixes.map(array))
}

fn sixes<'a>(values: &'a Vectors) -> PyResult<&'a [[f64; 6]]> {
    Ok(values.as_slice()?.as_chunks().0)
}

impl Choices {
    /// As the library has it.
    pub fn made(&self) -> PyResult<Options> {
        let Self(tolerance, measure, method, sweeps, seconds, work, canonical) = self;
        let unknown = |what: &str, name: &str, known: &str| {
            invalid(None, &format!("{what}: {name:?} where one of {known} is needed"))
        };
        let measure = match measure.as_str() {
            "both" => Measure::Both,
            "natural" => Measure::Natural,
            "scaled" => Measure::Scaled,
            name => return Err(unknown("measure", name, "\"both\", \"natural\", \"scaled\"")),
        };
        let method = match method.as_str() {
            "automatic" => Method::Automatic,
            "gauss_seidel" => Method::GaussSeidel,
            "newton" => Method::Newton,
            name => return Err(unknown("method", name, "\"automatic\", \"gauss_seidel\", \"newton\"")),
        };
        if let Some(seconds) = seconds.filter(|seconds| seconds.is_nan() || *seconds < 0.0) {
            let text =
                format!("time_limit: {seconds:?} where a number of seconds that is not negative is needed");
            return Err(invalid(None, &text));
        }
        // A time too long for a duration is no limit.
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Ok(Options {
            tolerance: *tolerance,
            measure,
            method,
            max_sweeps: *sweeps,
            max_work: *work,
            time_limit: time,
            canonical: *canonical,
        })
    }
}

/// Tolerance, method and sweeps of the options for steps in real time.
#[pyfunction]
pub fn real_time() -> (f64, &'static str, usize) {
    let Options { tolerance, max_sweeps: sweeps, .. } = Options::real_time();
    (tolerance, "gauss_seidel", sweeps)
}

/// Biases of contacts from gaps and normal velocities. The parameters are the fields of [`Stabilization`] in their order.
#[pyfunction]
pub fn contact_bias<'py>(
    py: Python<'py>,
    gap: Numbers,
    velocity: Numbers,
    h: f64,
    parameters: [f64; 5],
) -> PyResult<Array<'py>> {
    let [erp, slop, max_speed, restitution, bounce_speed] = parameters;
    let stabilization = Stabilization { erp, slop, max_speed, restitution, bounce_speed };
    let (gaps, velocities) = (gap.as_slice()?, velocity.as_slice()?);
    let text = "gap, velocity or h is not finite, h is not positive, or a parameter is out of range";
    let bias = |(k, (&gap, &velocity)): (usize, (&f64, &f64))| {
        let bias = stabilization.bias(gap, velocity, h);
        bias.ok_or_else(|| invalid((gaps.len() > 1).then_some(k), text))
    };
    let biases = gaps.iter().zip(velocities).enumerate().map(bias).collect::<PyResult<Vec<f64>>>()?;
    Ok(PyArray1::from_vec(py, biases))
}

/// Coefficients of friction of contacts from their slips. The parameters are the fields of [`FrictionCurve`] in their order.
#[pyfunction]
pub fn contact_friction<'py>(py: Python<'py>, slip: Numbers, parameters: [f64; 5]) -> PyResult<Array<'py>> {
    let [static_friction, kinetic_friction, stribeck_speed, viscous, stick_speed] = parameters;
    let curve = FrictionCurve { static_friction, kinetic_friction, stribeck_speed, viscous, stick_speed };
    let slips = slip.as_slice()?;
    let text = "the slip or a parameter is negative or not finite, or the coefficient overflows";
    let friction = |(k, &slip): (usize, &f64)| {
        curve.friction(slip).ok_or_else(|| invalid((slips.len() > 1).then_some(k), text))
    };
    Ok(PyArray1::from_vec(py, slips.iter().enumerate().map(friction).collect::<PyResult<Vec<f64>>>()?))
}

/// Compliances and biases of contacts from gaps and normal velocities. The parameters are the fields of [`HuntCrossley`] in their
/// order.
#[pyfunction]
pub fn contact_compliance<'py>(
    py: Python<'py>,
    gap: Numbers,
    velocity: Numbers,
    h: f64,
    parameters: [f64; 4],
) -> PyResult<[Array<'py>; 2]> {
    let [stiffness, exponent, damping, least_penetration] = parameters;
    let model = HuntCrossley { stiffness, exponent, damping, least_penetration };
    let (gaps, velocities) = (gap.as_slice()?, velocity.as_slice()?);
    let text = "gap, velocity or h is not finite, h is not positive, a parameter is out of range, or a result overflows";
    let (mut compliances, mut biases) = (Vec::with_capacity(gaps.len()), Vec::with_capacity(gaps.len()));
    for (k, (&gap, &velocity)) in gaps.iter().zip(velocities).enumerate() {
        let both = model.compliance(gap, velocity, h);
        let (compliance, bias) = both.ok_or_else(|| invalid((gaps.len() > 1).then_some(k), text))?;
        compliances.push(compliance);
        biases.push(bias);
    }
    Ok([compliances, biases].map(|values| PyArray1::from_vec(py, values)))
}

/// A function of Python that gets the progress of a solution: residual, sweeps, steps. The solution ends if it raises an exception or
/// returns False.
pub struct Progress {
    function: Option<Py<PyAny>>,
    measure: Measure,
    raised: Option<PyErr>,
}

impl Progress {
    pub fn new(function: Option<Py<PyAny>>, measure: Measure) -> Self {
        Self { function, measure, raised: None }
    }

    /// The watch function of a solution, if there is a function of Python: it calls that one, and returns whether the solution goes on.
    pub fn watch(&mut self) -> Option<impl FnMut(&ldy::solve::Report) -> bool> {
        let Self { function, measure, raised } = self;
        let function = function.as_ref()?;
        Some(|report: &ldy::solve::Report| {
            with_gil(|py| {
                let told = (report.residual.by(*measure), report.sweeps, report.steps);
                match function.call1(py, told).map(|answer| answer.bind(py).is(&*PyBool::new(py, false))) {
                    Ok(stops) => !stops,
                    Err(error) => {
                        *raised = Some(error);
                        false
                    }
                }
            })
        })
    }

    /// Raise the exception of the function, if there is one.
    pub fn end(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}

/// The status for Python.
pub fn status_of(status: Status) -> &'static str {
    match status {
        Status::Converged => "converged",
        Status::SweepLimit => "sweep_limit",
        Status::TimeLimit => "time_limit",
        Status::Stalled => "stalled",
        Status::Infeasible => "infeasible",
        Status::Stopped => "stopped",
        Status::WorkLimit => "work_limit",
        // Later versions of the library may have more.
        _ => "unknown",
    }
}

/// The report of a solver's last problem.
pub fn report<'py>(
    py: Python<'py>,
    report: &ldy::solve::Report,
    options: &Options,
    solver: &Solver,
    text: &ConflictText,
) -> Report<'py> {
    let multipliers = solver.conflict();
    let conflict = (!multipliers.is_empty()).then(|| conflict(py, multipliers, text));
    report_of(py, report, options, solver.history(), conflict)
}

/// A report with a history and a conflict.
pub fn report_of<'py>(
    py: Python<'py>,
    report: &ldy::solve::Report,
    options: &Options,
    history: &[f64],
    conflict: Option<Conflict<'py>>,
) -> Report<'py> {
    let status = status_of(report.status);
    let residual = &report.residual;
    let numbers = [
        residual.by(options.measure),
        residual.natural,
        residual.scaled,
        report.initial.by(options.measure),
        report.time.as_secs_f64(),
    ];
    let [worst, sweeps, steps] = [residual.worst, report.sweeps, report.steps].map(|count| count as u64);
    let counts = [worst, sweeps, steps, report.work];
    (status, numbers, counts, PyArray1::from_slice(py, history), conflict)
}

fn conflict<'py>(py: Python<'py>, all: &[Multiplier], text: &ConflictText) -> Conflict<'py> {
    let integers = |of: fn(&Multiplier) -> i64| PyArray1::from_vec(py, all.iter().map(of).collect());
    let integers =
        [integers(|m| m.constraint as i64), integers(|m| m.component as i64), integers(|m| m.group as i64)];
    let demand = |multiplier: &Multiplier| match multiplier.demand {
        Demand::Contact => "contact",
        Demand::Joint => "joint",
        Demand::Limit => "limit",
    };
    let values = PyArray1::from_vec(py, all.iter().map(|multiplier| multiplier.value).collect());
    (integers, values, all.iter().map(demand).collect(), text.to_string())
}

/// The starts of rows in vectors, and of blocks in the list of values.
type Starts<'py> = (PyReadonlyArray1<'py, i32>, PyReadonlyArray1<'py, usize>);

/// Starts, nodes and values of Z.
type Factor<'py> = (PyReadonlyArray1<'py, i32>, PyReadonlyArray1<'py, i32>, Numbers<'py>);

/// Solve with the rows of any W.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "arrays of a matrix")]
pub fn solve_rows<'py>(
    py: Python<'py>,
    rows: Rows,
    z: Option<Factor>,
    normal_first: bool,
    laws: Laws,
    options: Choices,
    progress: Option<Py<PyAny>>,
    mut reactions: PyReadwriteArray1<f64>,
) -> PyResult<Report<'py>> {
    let options = options.made()?;
    let problem = rows.problem(normal_first)?;
    let laws = laws.made((0..problem.w.len()).map(|row| problem.w.height(row)))?;
    let z = match &z {
        Some((starts, nodes, values)) => {
            let z = BodyRows::new(starts.as_slice()?, nodes.as_slice()?, values.as_slice()?);
            Some(z.map_err(raised_of_rows)?)
        }
        None => None,
    };
    let forces = reactions.as_slice_mut()?;
    let mut solver = Solver::new();
    let mut progress = Progress::new(progress, options.measure);
    let made = without_gil(py, || {
        let mut watch = progress.watch();
        let watch = watch.as_mut().map(|watch| watch as &mut solve::Progress);
        match (&z, watch) {
            (Some(z), watch) => solver.solve_with_factor(&problem, z, &laws, &options, forces, watch),
            (None, Some(watch)) => solver.solve_with_progress(&problem, &laws, &options, forces, watch),
            (None, None) => solver.solve(&problem, &laws, &options, forces),
        }
    })
    .map_err(raised_of_rows)?;
    progress.end()?;
    let text = ConflictText::of_rows(solver.conflict()).map_err(raised)?;
    Ok(report(py, &made, &options, &solver, &text))
}
