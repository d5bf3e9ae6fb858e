//! Solutions with steps in the space of bodies: every allocation made to fail in turn, no allocation where sizes stay, and the same
//! bits as a new solver and a new system after any input has changed.

use ldy::solve::{Law, Method, Options, Solver};
use ldy::system::{Fault, Id, Inertia, Kinematics, Result, System};
use testing::allocator::{fail_at, own_allocations as allocations};

const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// Bodies of a tower. Each interface has so many contacts that the space of bodies is cheaper, for Newton's method, too.
const BODIES: usize = 4;
const SIDE: usize = 4;

/// What may change between two solutions.
#[derive(Clone, Copy)]
struct Inputs {
    speed: f64,
    shift: f64,
    mass: f64,
    compliance: Option<f64>,
    friction: f64,
    has_stop: bool,
}

const FIRST: Inputs =
    Inputs { speed: -1.0, shift: 0.0, mass: 1.0, compliance: None, friction: 0.5, has_stop: false };

struct Tower {
    system: System,
    bodies: Vec<Id>,
    contacts: Vec<Id>,
    stop: Option<Id>,
    laws: Vec<Law>,
}

impl Tower {
    fn new(inputs: &Inputs) -> Self {
        let mut system = System::new();
        let bodies: Vec<Id> = (0..BODIES)
            .map(|k| system.add_rigid(1.0, &UNIT, &UNIT, &[0.0, 0.0, k as f64]).unwrap())
            .collect();
        let mut contacts = Vec::new();
        for k in 0..BODIES {
            let below = k.checked_sub(1).map(|below| bodies[below]);
            for _ in 0..SIDE * SIDE {
                contacts.push(
                    system.add_point_constraint([Some(bodies[k]), below], &UNIT, [[0.0; 3]; 2]).unwrap(),
                );
            }
        }
        let mut tower = Self { system, bodies, contacts, stop: None, laws: Vec::new() };
        tower.set(inputs);
        tower
    }

    /// Give the tower these inputs, and update it.
    fn set(&mut self, inputs: &Inputs) {
        let Self { system, bodies, contacts, stop, laws } = self;
        for (k, &body) in bodies.iter().enumerate() {
            let mass = inputs.mass * (1.0 + k as f64);
            system.set_mass(body, mass, &UNIT.map(|x| x * mass)).unwrap();
            system.set_velocity(body, &[0.1, 0.2, 0.0, 0.3, 0.0, inputs.speed]).unwrap();
        }
        for (number, &contact) in contacts.iter().enumerate() {
            let (k, place) = (number / (SIDE * SIDE), number % (SIDE * SIDE));
            let corner = |n: usize| n as f64 / (SIDE - 1) as f64 - 0.5;
            let point = [corner(place % SIDE) + inputs.shift, corner(place / SIDE), k as f64 - 0.5];
            system.move_constraint(contact, &UNIT, [point; 2]).unwrap();
            let compliance = inputs.compliance.map(|size| UNIT.map(|x| x * size));
            system.set_compliance(contact, compliance.as_ref().map_or(&[], |block| &block[..])).unwrap();
        }
        match (inputs.has_stop, *stop) {
            (true, None) => *stop = Some(system.add_dof_constraint(bodies[0], Some(3), 1.0).unwrap()),
            (false, Some(id)) => {
                system.remove_constraint(id).unwrap();
                *stop = None;
            }
            _ => {}
        }
        *laws = vec![Law::contact(inputs.friction); contacts.len()];
        laws.extend(stop.map(|_| Law::fixed()));
        system.update(0.01).unwrap();
    }

    fn solve(&self, solver: &mut Solver, forces: &mut [f64]) -> Result<usize> {
        let options = Options { method: Method::Newton, ..Options::default() };
        self.system.solve(solver, &self.laws, &options, forces).map(|report| report.steps)
    }

    fn forces(&self) -> Vec<f64> {
        vec![0.0; 3 * self.contacts.len() + usize::from(self.stop.is_some())]
    }
}

/// The forces of a new solver for a new system.
fn expected(inputs: &Inputs) -> Vec<f64> {
    let tower = Tower::new(inputs);
    let mut forces = tower.forces();
    assert!(tower.solve(&mut Solver::new(), &mut forces).unwrap() > 0);
    forces
}

/// One other value of each input.
fn changes() -> [fn(&mut Inputs); 6] {
    [
        |inputs| inputs.speed = -2.0,
        |inputs| inputs.shift = 0.1,
        |inputs| inputs.mass = 3.0,
        |inputs| inputs.compliance = Some(1e-3),
        |inputs| inputs.friction = 0.1,
        |inputs| inputs.has_stop = true,
    ]
}

#[test]
fn every_allocation_of_a_systems_solution_may_fail() {
    for has_stop in [false, true] {
        let inputs = Inputs { has_stop, compliance: Some(1e-3), ..FIRST };
        let expected = expected(&inputs);
        for failure in 1.. {
            let (tower, mut solver) = (Tower::new(&inputs), Solver::new());
            let mut forces = tower.forces();
            fail_at(failure);
            let result = tower.solve(&mut solver, &mut forces);
            if fail_at(0) {
                assert!(result.is_ok() && forces == expected && failure > 40, "{failure}");
                break;
            }
            assert_eq!(result.expect_err("no memory").fault, Fault::Memory, "allocation {failure}");
            assert_eq!(forces, tower.forces());
            tower.solve(&mut solver, &mut forces).unwrap();
            assert_eq!(forces, expected, "after allocation {failure}");
        }
    }
}

#[test]
fn a_repeated_solution_of_a_system_allocates_nothing() {
    for has_stop in [false, true] {
        let inputs = Inputs { has_stop, ..FIRST };
        let (mut tower, mut solver) = (Tower::new(&inputs), Solver::new());
        let mut forces = tower.forces();
        tower.solve(&mut solver, &mut forces).unwrap();
        let other = Inputs { speed: -2.0, shift: 0.1, mass: 2.0, ..inputs };
        tower.set(&other);
        let before = allocations();
        let steps = tower.solve(&mut solver, &mut forces).unwrap();
        assert_eq!((allocations(), steps > 0), (before, true));
    }
}

/// Each input alone and with each other one, and back.
#[test]
fn a_kept_solver_has_the_bits_of_a_new_one() {
    let (mut tower, mut solver) = (Tower::new(&FIRST), Solver::new());
    for (k, one) in changes().into_iter().enumerate() {
        for other in changes().into_iter().skip(k) {
            let mut inputs = FIRST;
            one(&mut inputs);
            other(&mut inputs);
            for inputs in [inputs, FIRST] {
                tower.set(&inputs);
                let mut forces = tower.forces();
                tower.solve(&mut solver, &mut forces).unwrap();
                assert_eq!(forces, expected(&inputs));
            }
        }
    }
}

/// A body whose mass matrix has a sparse factor, which needs memory for solutions, held at two of its velocities.
fn held_body() -> System {
    const DOFS: i32 = 80;
    let mut starts = vec![0];
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    for column in 0..DOFS {
        let own = column..DOFS.min(column + 2);
        values.extend(own.clone().map(|row| if row == column { 9.0 } else { 1.0 }));
        rows.extend(own);
        starts.push(rows.len() as i32);
    }
    let mut system = System::new();
    let mass = Inertia::matrix(&starts, &rows, &values).unwrap();
    let body = system.add_body(DOFS as usize, Kinematics::General, mass).unwrap();
    system.set_velocity(body, &[0.1; DOFS as usize]).unwrap();
    for velocity in [0, 7] {
        system.add_dof_constraint(body, Some(velocity), 1.0).unwrap();
    }
    system.update(0.01).unwrap();
    system
}

fn solve_held(system: &System, solver: &mut Solver, forces: &mut [f64; 2]) -> Result<usize> {
    let options = Options { method: Method::Newton, ..Options::default() };
    system.solve(solver, &[Law::fixed(); 2], &options, forces).map(|report| report.steps)
}

#[test]
fn memory_for_a_mass_matrix_may_be_exhausted() {
    let system = held_body();
    let mut expected = [0.0; 2];
    assert!(solve_held(&system, &mut Solver::new(), &mut expected).unwrap() > 0);
    for failure in 1.. {
        let (system, mut solver, mut forces) = (held_body(), Solver::new(), [0.0; 2]);
        fail_at(failure);
        let result = solve_held(&system, &mut solver, &mut forces);
        if fail_at(0) {
            assert!(result.is_ok() && forces == expected && failure > 20, "{failure}");
            break;
        }
        assert_eq!(result.expect_err("no memory").fault, Fault::Memory, "allocation {failure}");
        assert_eq!(forces, [0.0; 2]);
        solve_held(&system, &mut solver, &mut forces).unwrap();
        assert_eq!(forces, expected, "after allocation {failure}");
    }
}

#[test]
fn a_mass_matrix_needs_no_memory_again() {
    let (system, mut solver) = (held_body(), Solver::new());
    solve_held(&system, &mut solver, &mut [0.0; 2]).unwrap();
    let before = allocations();
    let steps = solve_held(&system, &mut solver, &mut [0.0; 2]).unwrap();
    assert_eq!((allocations(), steps > 0), (before, true));
}
