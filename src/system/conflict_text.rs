//! The text of a proof that a problem has no solution: the constraints that contradict each other, and the bodies that they move.
#![forbid(unsafe_code)]

use std::fmt::{self, Display};

use crate::memory::push;
use crate::solve::{Demand, Multiplier};

use super::body::Inertia;
use super::error::Result;
use super::id_table::Id;
use super::model::System;

/// The largest number of names in a list, and of groups.
const MOST_NAMES: usize = 12;

/// The text of a conflict, a part for each group. Each list has twelve names at most, and the number of the others.
///
/// ```
/// use ldy::solve::{Law, Options, Solver, Status};
/// use ldy::system::System;
///
/// // A ball between the floor, and a ceiling that comes down.
/// let axes = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let mut system = System::new();
/// let ball = system.add_rigid(1.0, &axes, &axes, &[0.0; 3])?;
/// let floor = system.add_point_constraint([Some(ball), None], &axes, [[0.0, 0.0, -1.0]; 2])?;
/// let ceiling = system.add_point_constraint([None, Some(ball)], &axes, [[0.0, 0.0, 1.0]; 2])?;
/// system.update(1.0)?;
/// let laws = [Law::contact(0.0), Law { bias: [0.0, 0.0, -0.5], ..Law::contact(0.0) }];
/// let mut solver = Solver::new();
/// let report = system.solve(&mut solver, &laws, &Options::default(), &mut [0.0; 6])?;
/// assert_eq!(report.status, Status::Infeasible);
/// assert_eq!(
///     system.conflict_text(solver.conflict())?.to_string(),
///     "contacts 0 and 1 contradict each other: no allowed forces give body 0 a velocity that satisfies them"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ConflictText {
    /// In the order of groups, demands and ids.
    names: Vec<Name>,
    /// A group and a body that its constraints move, in ascending order.
    bodies: Vec<(usize, Id)>,
    is_of_rows: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    group: usize,
    demand: Demand,
    id: u64,
}

impl System {
    /// Make the text of the conflict of a solver that has solved problems of this system, see [`Solver::conflict`]. A constraint that
    /// was removed since is named without its bodies.
    ///
    /// # Errors
    /// If memory is exhausted.
    ///
    /// [`Solver::conflict`]: crate::solve::Solver::conflict
    pub fn conflict_text(&self, conflict: &[Multiplier]) -> Result<ConflictText> {
        let mut text = ConflictText::of_constraints(conflict)?;
        for name in &text.names {
            let Ok(constraint) = self.constraint(name.id) else { continue };
            for body in constraint.all_bodies() {
                let is_moved = |body| !matches!(body, &Inertia::Obstacle);
                if self.body(body).is_ok_and(|body| is_moved(body.inertia())) {
                    push(&mut text.bodies, (name.group, body))?;
                }
            }
        }
        text.bodies.sort_unstable();
        text.bodies.dedup();
        Ok(text)
    }
}

impl ConflictText {
    /// Make the text of a conflict of rows that belong to no system.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn of_rows(conflict: &[Multiplier]) -> Result<Self> {
        let mut text = Self { is_of_rows: true, ..Self::of_constraints(conflict)? };
        text.names.sort_unstable_by_key(|name| (name.group, name.id));
        Ok(text)
    }

    /// Make the text without bodies.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn of_constraints(conflict: &[Multiplier]) -> Result<Self> {
        let mut names = Vec::new();
        let is_same = |a: &Multiplier, b: &Multiplier| (a.group, a.constraint) == (b.group, b.constraint);
        for own in conflict.chunk_by(is_same) {
            let &Multiplier { group, constraint: id, .. } = &own[0];
            // A joint with a limit is a joint, unless the limit alone is in conflict.
            let demand = own.iter().map(|multiplier| multiplier.demand).min().unwrap_or(own[0].demand);
            push(&mut names, Name { group, demand, id })?;
        }
        names.sort_unstable();
        Ok(Self { names, bodies: Vec::new(), is_of_rows: false })
    }

    /// The noun for a constraint with this demand, singular and plural.
    fn noun(&self, demand: Demand) -> [&'static str; 2] {
        match demand {
            _ if self.is_of_rows => ["row", "rows"],
            Demand::Contact => ["contact", "contacts"],
            Demand::Joint => ["joint", "joints"],
            Demand::Limit => ["limit", "limits"],
        }
    }

    fn write_group(&self, f: &mut fmt::Formatter, names: &[Name]) -> fmt::Result {
        let kind = |name: &Name| self.noun(name.demand);
        let kinds = names.chunk_by(|one, next| kind(one) == kind(next));
        let last = kinds.clone().count() - 1;
        for (k, own) in kinds.enumerate() {
            f.write_str(separator(k, last))?;
            write_list(f, kind(&own[0]), own.iter().map(|name| name.id))?;
        }
        let is_one = names.len() == 1;
        f.write_str(if is_one {
            ": no allowed forces "
        } else {
            " contradict each other: no allowed forces "
        })?;
        let them = if is_one { "it" } else { "them" };
        let bodies = self.bodies.iter().filter(|(group, _)| *group == names[0].group).map(|(_, body)| *body);
        let count = bodies.clone().count();
        if count == 0 {
            return write!(f, "satisfy {them}");
        }
        f.write_str("give ")?;
        write_list(f, ["body", "bodies"], bodies)?;
        f.write_str(if count == 1 { " a velocity that satisfies " } else { " velocities that satisfy " })?;
        f.write_str(them)
    }
}

impl Display for ConflictText {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let groups = self.names.chunk_by(|one, next| one.group == next.group);
        for (k, names) in groups.clone().take(MOST_NAMES).enumerate() {
            f.write_str(if k == 0 { "" } else { "; " })?;
            self.write_group(f, names)?;
        }
        match groups.count() {
            ..=MOST_NAMES => Ok(()),
            count => write!(f, "; and {} more contradictions", count - MOST_NAMES),
        }
    }
}

/// Write a noun and ids: "contact 3", "contacts 3 and 5", "contacts 3, 5 and 8".
fn write_list(
    f: &mut fmt::Formatter,
    [one, many]: [&str; 2],
    ids: impl Iterator<Item = u64> + Clone,
) -> fmt::Result {
    let count = ids.clone().count();
    let named = count.min(MOST_NAMES);
    write!(f, "{} ", if count == 1 { one } else { many })?;
    for (k, id) in ids.take(named).enumerate() {
        write!(f, "{}{id}", separator(k, if count > named { named } else { named - 1 }))?;
    }
    match count - named {
        0 => Ok(()),
        1 => f.write_str(" and 1 other"),
        others => write!(f, " and {others} others"),
    }
}

/// The text before the k-th item of a list.
fn separator(k: usize, last: usize) -> &'static str {
    match k {
        0 => "",
        k if k == last => " and ",
        _ => ", ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(names: &[(usize, Demand, u64)], bodies: &[(usize, Id)]) -> String {
        let multiplier = |&(group, demand, constraint): &(usize, Demand, u64)| Multiplier {
            group,
            constraint,
            component: 0,
            demand,
            value: 1.0,
        };
        let conflict: Vec<Multiplier> = names.iter().map(multiplier).collect();
        let text = ConflictText::of_constraints(&conflict).unwrap();
        ConflictText { bodies: bodies.to_vec(), ..text }.to_string()
    }

    #[test]
    fn kinds_and_bodies_are_listed() {
        use Demand::{Contact, Joint, Limit};
        assert_eq!(
            text(&[(0, Contact, 3), (0, Joint, 4), (0, Contact, 17)], &[(0, 9)]),
            "contacts 3 and 17 and joint 4 contradict each other: \
             no allowed forces give body 9 a velocity that satisfies them"
        );
        assert_eq!(
            text(&[(0, Limit, 5), (1, Contact, 1), (1, Joint, 2), (1, Limit, 4)], &[(1, 2), (1, 7), (1, 8)]),
            "limit 5: no allowed forces satisfy it; contact 1, joint 2 and limit 4 contradict each other: \
             no allowed forces give bodies 2, 7 and 8 velocities that satisfy them"
        );
        // A joint of which two components are in conflict, one of them a limit.
        assert_eq!(
            text(&[(0, Limit, 6), (0, Joint, 6)], &[(0, 1)]),
            "joint 6: no allowed forces give body 1 a velocity that satisfies it"
        );
        assert_eq!(text(&[], &[]), "");
    }

    #[test]
    fn long_lists_are_cut() {
        let list = "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10";
        let names = |count: u64| (0..count).map(|id| (0, Demand::Contact, id)).collect::<Vec<_>>();
        let start = |count: u64| text(&names(count), &[]).split(" contradict").next().map(str::to_owned);
        assert_eq!(start(12).unwrap(), format!("contacts {list} and 11"));
        assert_eq!(start(13).unwrap(), format!("contacts {list}, 11 and 1 other"));
        let bodies: Vec<(usize, Id)> = (0..40).map(|body| (0, body)).collect();
        assert!(text(&names(2), &bodies).contains(&format!("bodies {list}, 11 and 28 others velocities")));
        let groups: Vec<_> = (0..14).map(|group| (group, Demand::Joint, 3)).collect();
        let all = text(&groups, &[]);
        assert_eq!(
            (all.matches("joint 3").count(), all.ends_with("; and 2 more contradictions")),
            (12, true)
        );
    }
}
