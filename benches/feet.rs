//! A body of many velocities on feet, as a humanoid.

use testing::Random;

/// H of a body on feet, each with four contacts at its corners: its columns by the dofs, six of which move a foot most.
pub fn feet(random: &mut Random, dofs: usize, contacts: usize) -> Vec<Vec<f64>> {
    let mut h = Vec::new();
    for first in (0..contacts).step_by(4) {
        let [v, turn] = [0, 3].map(|second| {
            [0, 1, 2].map(|i| {
                let mut row: Vec<f64> = random.values(dofs).iter().map(|x| 0.1 * x).collect();
                row[(first / 4 * 6 + second + i) % dofs] += 1.0;
                row
            })
        });
        for corner in first..contacts.min(first + 4) {
            let (x, y) = ([0.1, -0.1][corner % 2], [0.05, -0.05][corner / 2 % 2]);
            let row = |of: &dyn Fn(usize) -> f64| (0..dofs).map(of).collect::<Vec<f64>>();
            h.push(row(&|k| v[0][k] - y * turn[2][k]));
            h.push(row(&|k| v[1][k] + x * turn[2][k]));
            h.push(row(&|k| v[2][k] + y * turn[0][k] - x * turn[1][k]));
        }
    }
    h
}
