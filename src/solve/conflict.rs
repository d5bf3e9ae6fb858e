//! The rows of a proof that there is no solution, see `infeasibility`: they contradict each other.

use crate::math::{Vector, largest};
use crate::memory::{self, push};

use super::laws::{LawKind, of_kind};
use super::problem::Law;

/// A nonzero multiplier d of a proof that a problem has no solution.
///
/// For all multipliers of a group together, laws demand Σ d (U + bias) ≥ 0, since contacts have d ≥ 0, and limits have the sign that
/// their law gives to U + bias. But Σ d (U + bias) = Σ d (B + bias) + Σ (Wᵀd) · R is negative for all forces that laws allow, except
/// forces 1e8 times as large as B asks for. This proof (Farkas's lemma) need not have the least number of rows.
///
/// The unit of d is a force times any factor: the largest |d| of each group is 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Multiplier {
    /// The number of the group, from 0. Each group is a contradiction of its own: groups have no blocks of W in common.
    pub group: usize,
    /// The row of the constraint; its id if a system solved the problem.
    pub constraint: u64,
    /// The scalar row of the constraint, from 0.
    pub component: usize,
    /// The demand of the law on the velocity of this component.
    pub demand: Demand,
    /// d.
    pub value: f64,
}

/// A demand of a law on U + bias in one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Demand {
    /// It is not negative: the normal velocity of a contact.
    Contact,
    /// It is zero: the force has no bounds.
    Joint,
    /// It has one sign: the force has one bound.
    Limit,
}

/// Append the nonzero components of a proof. If memory is exhausted, a part of them may have been appended.
pub fn append(conflict: &mut Vec<Multiplier>, laws: &[Law], d: &[Vector]) -> memory::Result {
    let most = largest(d.as_flattened());
    for (row, (law, d)) in laws.iter().zip(d).enumerate() {
        for component in (0..3).filter(|&i| d[i] != 0.0) {
            let demand = of_kind!(&law.kind, kind => kind.demand(component));
            let value = d[component] / most;
            push(conflict, Multiplier { group: 0, constraint: row as u64, component, demand, value })?;
        }
    }
    Ok(())
}

/// Order multipliers by their rows, and number the groups, which have any numbers that differ.
pub fn order(conflict: &mut [Multiplier]) {
    conflict
        .sort_unstable_by_key(|multiplier| (multiplier.group, multiplier.constraint, multiplier.component));
    let groups = conflict.chunk_by_mut(|one, next| one.group == next.group);
    groups
        .enumerate()
        .for_each(|(group, own)| own.iter_mut().for_each(|multiplier| multiplier.group = group));
}
