//! Scenes of spheres: updates through the legacy face beside MuJoCo's assembly, and through the neutral face beside Siconos's.

use std::cell::RefCell;
use std::time::Instant;

use ldy::legacy::layout::DIAB;

use crate::TOLERANCE;
use ldy_benches::blocks::Blocks;
use ldy_benches::host::Host;
use ldy_benches::matrices::Matrices;
use ldy_benches::neutral::Neutral;
use ldy_benches::peer::Peer;
use ldy_benches::scenes::{self, STEP};
use ldy_benches::turns::{self, Measured};
use ldy_benches::{median, said, threads};

/// Siconos takes some 10 µs a block.
const MOST_BLOCKS: usize = 100_000;

/// Measure a scene.
///
/// # Errors
/// If something differs from the peers, or they do not answer.
pub fn measure(name: &str) -> Result<(), String> {
    let scene =
        scenes::by_name(name).filter(|_| ["spheres-", "hub-"].iter().any(|kind| name.starts_with(kind)));
    let mut host = Host::new(scene.ok_or("no such scene")?);
    host.insert_all();
    host.update();
    if let Some(peer) = Peer::start(name, "mujoco_scene.py", &[name])? {
        beside_mujoco(name, &mut host, peer)?;
    }
    if host.block_count() <= MOST_BLOCKS {
        beside_siconos(name, &mut host)?;
    }
    Ok(())
}

fn beside_mujoco(name: &str, host: &mut Host, mut peer: Peer) -> Result<(), String> {
    if peer.number("contacts")? != host.constraint_count() as f64 {
        return Err(format!("{} contacts here, {} there", host.constraint_count(), peer.text("contacts")?));
    }
    let difference = (trace(host) / peer.number("trace")? - 1.0).abs();
    if difference.is_nan() || difference > TOLERANCE {
        return Err(format!("the sums of the diagonal of W differ by {difference:e}"));
    }
    let shared = RefCell::new(&mut *host);
    let mut all: Vec<Measured> = vec![];
    for count in threads::COUNTS {
        let shared = &shared;
        all.push(Box::new(move |times| {
            threads::set(count);
            Ok((0..times).map(|_| update(&mut shared.borrow_mut())).collect())
        }));
    }
    all.push(Box::new(|count| peer.measure("mj_projectConstraint", count)));
    let medians = turns::medians(&mut all)?;
    drop(all);
    let other = medians[threads::COUNTS.len()];
    for (count, own) in threads::COUNTS.into_iter().zip(medians) {
        println!(
            "peer {name} mujoco_ms={other:.4} ldy_ms={own:.4} ratio={:.2} mujoco_contacts={} threads={count} \
             contacts={} mujoco_blocks={} blocks={} trace_difference={difference:.1e} jacobian={} version={}",
            other / own,
            peer.text("contacts")?,
            host.constraint_count(),
            peer.text("blocks")?,
            host.block_count(),
            peer.text("jacobian")?,
            peer.text("version")?,
        );
    }
    Ok(())
}

fn beside_siconos(name: &str, host: &mut Host) -> Result<(), String> {
    let file = |ending| format!("{}/{name}.{ending}", env!("CARGO_TARGET_TMPDIR"));
    let (path, blocks_path) = (file("matrices"), file("blocks"));
    // In the first state again: the bodies of the peer have not turned.
    let scene = scenes::by_name(name).ok_or("no such scene")?;
    let matrices = Matrices::of_rigid(&scene);
    matrices.write(&path)?;
    let Some(mut peer) = Peer::start(name, "siconos_blocks.py", &[&path])? else { return Ok(()) };
    threads::set(1);
    let mut neutral = Neutral::new(&Host::new(scene))?;
    neutral.update()?;
    let rows = neutral.rows()?;
    let scalar_starts: Vec<i32> = (0..rows.w.starts().len() as i32).map(|row| 3 * row).collect();
    let blocks = Blocks {
        scalar_starts: &scalar_starts,
        starts: rows.w.starts(),
        columns: rows.w.columns(),
        values: rows.w.values(),
    };
    said(blocks.write(&blocks_path, STEP))?;
    let off_diagonal = rows.w.columns().len() - rows.ids.len();
    let call = "updateInteractionBlocks";
    let difference = peer.compare(call, &blocks_path, TOLERANCE)?;
    let mut setters = vec![];
    let mut all: Vec<Measured> = vec![
        Box::new(|count| {
            let mut times = vec![];
            for _ in 0..count {
                host.advance();
                let states = host.states();
                let start = Instant::now();
                neutral.follow(host.scene(), &states)?;
                let set = start.elapsed();
                neutral.update()?;
                times.push(start.elapsed().as_secs_f64() * 1e3);
                setters.push(set.as_secs_f64() * 1e3);
            }
            Ok(times)
        }),
        Box::new(|count| peer.measure(call, count)),
    ];
    let medians = turns::medians(&mut all)?;
    drop(all);
    let [own, other] = [medians[0], medians[1]];
    println!(
        "peer {name} siconos_ms={other:.4} ldy_ms={own:.4} ratio={:.2} face=neutral call={call} given=points set_ms={:.4} \
         bodies={} freedoms={} threads=1 contacts={} blocks={off_diagonal} difference={difference:.1e} version={}",
        other / own,
        median(&setters),
        matrices.bodies.len(),
        matrices.dofs(),
        matrices.constraints.len(),
        peer.text("version")?,
    );
    Ok(())
}

/// An update in a new step, in milliseconds.
fn update(host: &mut Host) -> f64 {
    host.advance();
    let start = Instant::now();
    host.update();
    start.elapsed().as_secs_f64() * 1e3
}

/// The sum of the diagonal of W, over h.
fn trace(host: &Host) -> f64 {
    // SAFETY: the row is live, and nobody writes it now.
    let of_row = |row: *mut DIAB| unsafe { (*row).W[0] + (*row).W[4] + (*row).W[8] };
    host.rows().map(of_row).sum::<f64>() / STEP
}
