//! Laws whose numbers change from step to step, or from phase to phase, against closed forms.

use ldy::solve::{
    Derivatives, FrictionCurve, HuntCrossley, Kind, Law, LawChange, Normal, Options, Problem, Solver, Status,
};
use ldy::system::{Id, System};

const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// The normal, the third axis, along x.
const ALONG_X: [f64; 9] = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0];
const AGAINST_X: [f64; 9] = [0.0, 1.0, 0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0];

/// Solve with these laws, apply the forces, and return them.
fn solve(system: &mut System, step: f64, laws: &[Law]) -> Vec<f64> {
    system.update(step).unwrap();
    let mut forces = vec![0.0; 3 * laws.len()];
    let options = Options { tolerance: 1e-13, ..Options::default() };
    let report = system.solve(&mut Solver::new(), laws, &options, &mut forces).unwrap();
    assert_eq!(report.status, Status::Converged, "{report:?}");
    system.apply_reactions(&forces).unwrap();
    forces
}

/// A block of mass 2 that is pressed on the ground with 16, along x.
struct Block {
    system: System,
    body: Id,
    velocity: f64,
}

const STEP: f64 = 1.0 / 64.0;

impl Block {
    fn new(velocity: f64) -> Self {
        let mut system = System::new();
        let body = system.add_rigid(2.0, &UNIT, &UNIT, &[0.0; 3]).unwrap();
        system.add_point_constraint([Some(body), None], &UNIT, [[0.0; 3]; 2]).unwrap();
        Self { system, body, velocity }
    }

    /// The velocity after a step with this pull and this coefficient.
    fn pull(&mut self, force: f64, friction: f64) -> f64 {
        let free = [0.0, 0.0, 0.0, self.velocity + STEP * force / 2.0, 0.0, -STEP * 8.0];
        self.system.set_velocity(self.body, &free).unwrap();
        solve(&mut self.system, STEP, &[Law::contact(friction)]);
        self.system.body(self.body).unwrap().velocity()[3]
    }
}

fn assert_near(found: f64, expected: f64, most: f64) {
    assert!((found - expected).abs() <= most, "{found} where {expected} is expected");
}

/// The root of an increasing function between 0 and 10.
fn root(function: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 10.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if function(middle) < 0.0 { low = middle } else { high = middle }
    }
    low
}

#[test]
fn static_and_kinetic_friction() {
    let curve = FrictionCurve {
        static_friction: 0.5,
        kinetic_friction: 0.25,
        stick_speed: 1e-9,
        ..FrictionCurve::default()
    };
    let mut block = Block::new(0.0);
    // The block sticks below 8, breaks away above it, and slides against 4 until it stops; then it has 8 again.
    let steps = [(7.0, 0.0), (9.0, 0.5), (6.0, 1.5), (0.0, 0.0), (7.0, 0.0)];
    for (force, velocity) in steps {
        let friction = curve.friction(block.velocity.abs()).unwrap();
        block.velocity = block.pull(force, friction);
        assert_near(block.velocity, STEP * velocity, 1e-12);
    }
}

#[test]
fn stribeck_friction() {
    let curve = FrictionCurve {
        static_friction: 0.5,
        kinetic_friction: 0.25,
        stribeck_speed: 1.0,
        viscous: 0.01,
        stick_speed: 0.0,
    };
    assert_eq!(curve.friction(0.0), Some(0.5));
    assert_near(curve.friction(1.0).unwrap(), 0.25 + 0.25 * (-1.0_f64).exp() + 0.01, 1e-15);
    assert_near(curve.friction(100.0).unwrap(), 1.25, 1e-15);
    // One implicit step: v = v₀ + h (F − μ (v) N) / m, by the fixed point on the velocity of the last solution.
    let (mut block, mut velocity) = (Block::new(0.5), 0.5);
    let own = |v: f64| 0.25 + 0.25 * (-v * v).exp() + 0.01 * v;
    for _ in 0..20 {
        velocity = block.pull(10.0, curve.friction(velocity).unwrap());
    }
    let expected = root(|v| v - 0.5 - STEP * (10.0 - 16.0 * own(v)) / 2.0);
    assert_near(velocity, expected, 1e-12);
    // A pull against kinetic and viscous friction: the speed where 10 = (0.25 + 0.5 v) 16.
    let viscous = FrictionCurve { stribeck_speed: 0.0, viscous: 0.5, ..curve };
    let mut block = Block::new(0.5);
    for _ in 0..1000 {
        block.velocity = block.pull(10.0, viscous.friction(block.velocity).unwrap());
    }
    assert_near(block.velocity, 0.75, 1e-10);
    for wrong in
        [FrictionCurve { viscous: -1.0, ..curve }, FrictionCurve { kinetic_friction: f64::NAN, ..curve }]
    {
        assert_eq!(wrong.friction(1.0), None);
    }
    assert_eq!([curve.friction(-1.0), curve.friction(f64::INFINITY)], [None, None]);
}

/// The speed after an impact with speed 1 of a mass 2 on a spring with k = 10000, and the number of steps.
fn bounce(model: &HuntCrossley, step: f64) -> f64 {
    let mut system = System::new();
    let body = system.add_rigid(2.0, &UNIT, &UNIT, &[0.0; 3]).unwrap();
    let contact = system.add_point_constraint([Some(body), None], &UNIT, [[0.0; 3]; 2]).unwrap();
    let (mut gap, mut velocity) = (0.0, -1.0);
    while gap <= 0.0 {
        let (compliance, bias) = model.compliance(gap, velocity, step).unwrap();
        system.set_compliance(contact, &[0.0, 0.0, compliance]).unwrap();
        system.set_velocity(body, &[0.0, 0.0, 0.0, 0.0, 0.0, velocity]).unwrap();
        let law = Law { bias: [0.0, 0.0, bias], ..Law::contact(0.0) };
        solve(&mut system, step, &[law]);
        velocity = system.body(body).unwrap().velocity()[5];
        gap += step * velocity;
    }
    velocity
}

#[test]
fn hunt_crossley_contact() {
    // 1024 (1/64)^(3/2) = 2 carries the weight of 16 with k = 8 · 1024: the body rests.
    let model = HuntCrossley { stiffness: 8192.0, exponent: 1.5, damping: 0.2, least_penetration: 1e-9 };
    let (compliance, bias) = model.compliance(-1.0 / 64.0, 0.0, STEP).unwrap();
    assert_near(-bias / compliance, 16.0, 1e-12);
    // 1 / C = (3/2) c k xⁿ + h n k xⁿ⁻¹.
    assert_near(compliance.recip(), 0.3 * 16.0 + STEP * 1.5 * 16.0 * 64.0, 1e-11);
    // Separation with 2 reduces the slope by 1 − 0.3 · 2, and not below zero.
    assert_near(model.compliance(-1.0 / 64.0, 2.0, STEP).unwrap().0.recip(), 4.8 + 0.4 * 24.0, 1e-11);
    assert_near(model.compliance(-1.0 / 64.0, 9.0, STEP).unwrap().0.recip(), 4.8, 1e-11);
    // A contact that is open by more than it can close has no force: the bias is a gap.
    assert!(model.compliance(0.5, 0.0, STEP).unwrap().1 > 0.5 / STEP * 0.99);
    // With a = (3/2) c, the integral of motion is v / a − ln (1 + a v) / a² for approach with v and departure with −v.
    let (a, model) = (0.3, HuntCrossley { stiffness: 1e4, ..model });
    let integral = |v: f64| v / a - (1.0 + a * v).ln() / (a * a);
    let expected = root(|v| integral(-v) - integral(1.0));
    let [coarse, fine] = [1e-3, 5e-4].map(|step| bounce(&model, step));
    assert_near(2.0 * fine - coarse, expected, 2e-3);
    assert!((fine - expected).abs() < 0.6 * (coarse - expected).abs(), "{fine} {coarse} {expected}");
    let wrong = [
        HuntCrossley { stiffness: 0.0, ..model },
        HuntCrossley { exponent: 0.5, ..model },
        HuntCrossley { damping: -1.0, ..model },
        HuntCrossley { least_penetration: 0.0, ..model },
    ];
    wrong.iter().for_each(|model| assert_eq!(model.compliance(-0.1, 0.0, 1.0), None));
    assert_eq!([model.compliance(f64::NAN, 0.0, 1.0), model.compliance(0.0, 0.0, 0.0)], [None, None]);
}

/// Compression, then expansion with at least e times the forces of the compression. Returns the forces of both phases.
fn impact(system: &mut System, friction: f64, restitution: &[f64]) -> [Vec<f64>; 2] {
    let compression = solve(system, 1.0, &vec![Law::contact(friction); restitution.len()]);
    let expansion = |(e, force): (&f64, &[f64; 3])| Law {
        kind: Kind::Expansion { friction, least_force: e * force[2] },
        bias: [0.0; 3],
    };
    let laws: Vec<Law> = restitution.iter().zip(compression.as_chunks().0).map(expansion).collect();
    let expansion = solve(system, 1.0, &laws);
    [compression, expansion]
}

#[test]
fn poisson_restitution() {
    // A ball of mass 1 strikes two in a row. With e = 0 in the second contact, the bound of its force does not hold it back.
    for second in [1.0, 0.0] {
        let mut system = System::new();
        let balls = [0, 1, 2].map(|_| system.add_rigid(1.0, &UNIT, &UNIT, &[0.0; 3]).unwrap());
        for pair in balls.windows(2) {
            system.add_point_constraint([Some(pair[1]), Some(pair[0])], &ALONG_X, [[0.0; 3]; 2]).unwrap();
        }
        system.set_velocity(balls[0], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]).unwrap();
        let [compression, expansion] = impact(&mut system, 0.0, &[1.0, second]);
        for (forces, expected) in [(compression, [2.0 / 3.0, 1.0 / 3.0]), (expansion, [2.0 / 3.0, 1.0 / 3.0])]
        {
            assert_near(forces[2], expected[0], 1e-11);
            assert_near(forces[5], expected[1], 1e-11);
        }
        for (ball, velocity) in balls.into_iter().zip([-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]) {
            assert_near(system.body(ball).unwrap().velocity()[3], velocity, 1e-11);
        }
    }
    // An oblique impact of a mass 2: friction acts in both phases, v_T − μ (1 + e) v_N; a slow one stops sliding in the second.
    for (speed, expected) in [(3.0, 3.0 - 0.25 * 1.5 * 4.0), (1.25, 0.0)] {
        let mut block = Block::new(speed);
        block.system.set_velocity(block.body, &[0.0, 0.0, 0.0, speed, 0.0, -4.0]).unwrap();
        impact(&mut block.system, 0.25, &[0.5]);
        let velocity = block.system.body(block.body).unwrap().velocity();
        assert_near(velocity[3], expected, 1e-11);
        assert_near(velocity[5], 2.0, 1e-11);
    }
    // Two contacts of one ball share 3 with the least sum of squares that their bounds allow.
    for (least, expected) in [([1.0, 0.5], [1.5, 1.5]), ([2.0, 0.5], [2.0, 1.0])] {
        let mut system = System::new();
        let ball = system.add_rigid(1.0, &UNIT, &UNIT, &[0.0; 3]).unwrap();
        for _ in 0..2 {
            system.add_point_constraint([Some(ball), None], &UNIT, [[0.0; 3]; 2]).unwrap();
        }
        system.set_velocity(ball, &[0.0, 0.0, 0.0, 0.0, 0.0, -3.0]).unwrap();
        system.update(1.0).unwrap();
        let laws = least
            .map(|least_force| Law { kind: Kind::Expansion { friction: 0.0, least_force }, bias: [0.0; 3] });
        let (options, mut forces) = (Options { canonical: true, ..Options::default() }, [0.0; 6]);
        system.solve(&mut Solver::new(), &laws, &options, &mut forces).unwrap();
        assert_near(forces[2], expected[0], 1e-7);
        assert_near(forces[5], expected[1], 1e-7);
    }
    // Two walls that approach each other press on the ball between them: no solution, and a proof of it.
    let mut system = System::new();
    let ball = system.add_rigid(1.0, &UNIT, &UNIT, &[0.0; 3]).unwrap();
    for frame in [&ALONG_X, &AGAINST_X] {
        system.add_point_constraint([Some(ball), None], frame, [[0.0; 3]; 2]).unwrap();
    }
    system.update(1.0).unwrap();
    let law = Law { kind: Kind::Expansion { friction: 0.5, least_force: 0.25 }, bias: [0.0, 0.0, -1.0] };
    let report = system.solve(&mut Solver::new(), &[law; 2], &Options::default(), &mut [0.0; 6]).unwrap();
    assert_eq!(report.status, Status::Infeasible);
}

/// A contact that opens with the least force L = 2 and slides with friction 0.25 has R = (−μ L, 0, L); W is 1/2.
#[test]
fn derivatives_of_an_expansion() {
    let mut block = Block::new(0.0);
    block.system.set_velocity(block.body, &[0.0, 0.0, 0.0, 3.0, 0.0, 0.5]).unwrap();
    block.system.update(1.0).unwrap();
    let law = Law { kind: Kind::Expansion { friction: 0.25, least_force: 2.0 }, bias: [0.0; 3] };
    let mut forces = [0.0; 3];
    block.system.solve(&mut Solver::new(), &[law], &Options::default(), &mut forces).unwrap();
    assert_near(forces[0], -0.5, 1e-12);
    assert_near(forces[2], 2.0, 1e-12);
    let rows = block.system.results().unwrap();
    let problem = Problem { w: rows.w, b: rows.b, normal: Normal::Third };
    let mut derivatives = Derivatives::new(&problem, &[law], &forces, 0.0).unwrap();
    let mut by_laws = [LawChange::default()];
    derivatives.adjoint(Some(&[1.0, 0.0, 10.0]), None, &mut [0.0; 3], Some(&mut by_laws)).unwrap();
    // dR_T / dμ = −L, dR_T / dL = −μ, dR_N / dL = 1.
    assert_near(by_laws[0].friction + by_laws[0].friction_2, -2.0, 1e-9);
    assert_near(by_laws[0].lower[0], 10.0 - 0.25, 1e-9);
    assert_eq!(by_laws[0].cohesion, 0.0);
    let change = LawChange { lower: [0.5, 0.0, 0.0, 0.0, 0.0, 0.0], ..LawChange::default() };
    let (mut force, mut velocity) = ([0.0; 3], [0.0; 3]);
    derivatives.forward(&[0.0; 3], Some(&[change]), &mut force, &mut velocity).unwrap();
    assert_near(force[2], 0.5, 1e-9);
}
