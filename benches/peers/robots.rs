//! Robots of other programs: their matrices through the C interface.

use std::cell::RefCell;

use crate::TOLERANCE;
use ldy_benches::c_system::{CSystem, Form};
use ldy_benches::matrices::Matrices;
use ldy_benches::peer::Peer;
use ldy_benches::turns::{self, Measured};
use ldy_benches::{median, threads};

/// For the factors of Pinocchio, which are regularized.
const COARSE: f64 = 1e-7;

/// The script that has the matrices of a scene; `None` for scenes of our own.
pub fn source(name: &str) -> Option<&'static str> {
    match name.rsplit_once('-')?.0 {
        "panda" | "humanoid" => Some("pinocchio_robots.py"),
        "mujoco-humanoids" | "mujoco-friction-loss" | "mujoco-chains" => Some("mujoco_robots.py"),
        _ => None,
    }
}

/// Measurements of a peer.
struct Call<'a> {
    peer: &'a RefCell<Peer>,
    /// As its lines name it.
    program: &'static str,
    name: String,
    /// Index of the form in which the library gets what the peer gets.
    form: usize,
    tolerance: f64,
}

/// Measure a scene.
///
/// # Errors
/// If something differs from the peers, or they do not answer.
pub fn measure(name: &str, script: &str) -> Result<(), String> {
    let file = |ending| format!("{}/{name}.{ending}", env!("CARGO_TARGET_TMPDIR"));
    let (path, blocks_path) = (file("matrices"), file("blocks"));
    let Some(source) = Peer::start(name, script, &[name, &path])? else { return Ok(()) };
    let matrices = Matrices::read(&path)?;
    threads::set(1);
    let forms = [Form::Dense, Form::Sparse];
    let systems = [CSystem::new(&matrices, forms[0])?, CSystem::new(&matrices, forms[1])?].map(RefCell::new);
    let mut peers = vec![(if script.starts_with("mujoco") { "mujoco" } else { "pinocchio" }, source)];
    // Theirs have rows of three.
    let has_threes = matrices.constraints.iter().all(|constraint| constraint.rows == 3);
    let others = [("numpy", "numpy_products.py"), ("siconos", "siconos_blocks.py")];
    for (program, script) in others.into_iter().filter(|_| has_threes) {
        peers.extend(Peer::start(name, script, &[&path])?.map(|peer| (program, peer)));
    }
    let peers: Vec<_> = peers.into_iter().map(|(program, peer)| (program, RefCell::new(peer))).collect();
    let mut calls = vec![];
    for (program, peer) in &peers {
        for call in peer.borrow().calls()? {
            let form = forms.iter().position(|form| (*form == Form::Dense) == (*program == "numpy"));
            let tolerance = if call == "ConstraintCholeskyDecomposition" { COARSE } else { TOLERANCE };
            calls.push(Call { peer, program, name: call, form: form.unwrap_or(0), tolerance });
        }
    }
    let mut differences = vec![];
    let mut blocks = 0;
    for call in &calls {
        blocks = systems[call.form].borrow_mut().write(&blocks_path)?;
        differences.push(call.peer.borrow_mut().compare(&call.name, &blocks_path, call.tolerance)?);
    }

    let setters = forms.map(|_| RefCell::new(vec![]));
    let mut all: Vec<Measured> = vec![];
    for (system, setters) in systems.iter().zip(&setters) {
        all.push(Box::new(move |count| {
            let times = system.borrow_mut().measure(count)?;
            setters.borrow_mut().extend(times.iter().map(|[set, _]| *set));
            Ok(times.into_iter().map(|[_, both]| both).collect())
        }));
    }
    for Call { peer, name, .. } in &calls {
        all.push(Box::new(move |count| peer.borrow_mut().measure(name, count)));
    }
    let medians = turns::medians(&mut all)?;
    drop(all);
    let setters = setters.map(|times| median(&times.into_inner()));
    let (own, others) = medians.split_at(forms.len());
    for ((call, other), difference) in calls.iter().zip(others).zip(differences) {
        let Call { peer, program, name: call, form, .. } = call;
        let (own, setters) = (own[*form], setters[*form]);
        let given = ["inverse", "matrix"][*form];
        let peer = peer.borrow();
        let rest: String = ["jacobian", "inputs_ms", "factor_ms", "python_ms"]
            .iter()
            .filter_map(|key| Some(format!(" {key}={}", peer.text(key).ok()?)))
            .collect();
        println!(
            "peer {name} {program}_ms={other:.4} ldy_ms={own:.4} ratio={:.2} face=neutral call={call} given={given} \
             set_ms={setters:.4} bodies={} freedoms={} threads=1 contacts={} blocks={} difference={difference:.1e}{rest} \
             version={}",
            other / own,
            matrices.bodies.len(),
            matrices.dofs(),
            matrices.constraints.len(),
            blocks - matrices.constraints.len(),
            peer.text("version")?,
        );
        if name.starts_with("mujoco-friction-loss") {
            // The library is given A and factors it. Neither of the two calls from Python counts as MuJoCo's time.
            let factor = peer.number("factor_ms")? - 2.0 * peer.number("python_ms")?;
            println!("target mujoco-friction-loss {:.2} 1.0", own / (other + factor));
        }
    }
    Ok(())
}
