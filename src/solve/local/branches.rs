//! Counts of the branches of local solutions, in tests alone: random cases must reach all of them.

/// Count a branch; nothing if the library is not compiled for tests.
macro_rules! branch {
    ($name:ident) => {
        #[cfg(test)]
        $crate::solve::local::branches::count($crate::solve::local::branches::Branch::$name)
    };
}
pub(super) use branch;

#[cfg(test)]
pub use counts::*;

#[cfg(test)]
mod counts {
    use std::cell::Cell;

    /// The branches that the conditions of a law do not show.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Branch {
        ContactSticks,
        ContactSticksOnALine,
        ContactSlides,
        ContactSlidesAlong,
        BoundsFixed,
        BoundsCombined,
        BoundsRelaxed,
        RollingFromLast,
        RollingFromHeld,
        RollingSearched,
        RollingPartsInTurn,
        ExpansionClosed,
        ExpansionSearched,
        DiskHeld,
        DiskLimited,
    }

    const COUNT: usize = Branch::DiskLimited as usize + 1;

    thread_local! {
        static COUNTS: Cell<[usize; COUNT]> = const { Cell::new([0; COUNT]) };
    }

    pub fn count(branch: Branch) {
        let mut counts = COUNTS.get();
        counts[branch as usize] += 1;
        COUNTS.set(counts);
    }

    /// How often this thread has reached a branch.
    pub fn reached(branch: Branch) -> usize {
        COUNTS.get()[branch as usize]
    }
}
