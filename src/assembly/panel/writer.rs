//! How the operators of a body with a Cholesky factor get into its panel: Z = H L, slot by slot, while rows are made.

use super::cholesky::Cholesky;
use super::{PSEUDO_RIGID, RIGID, cholesky};
use crate::threads::Places;

/// What the operators of a body are made with, as long as an update lasts. Two cache lines from the beginning have all that
/// rigid bodies need.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Writer {
    /// Where operators go.
    pub target: Target,
    /// L for those that are still to be written; kept from one update to the next.
    pub factor: Cholesky,
}

/// Where the operators of a body go.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// They are in the panel already.
    Complete,
    /// Z = H L is to be written to the slots of a rigid body.
    Rigid(Slots<RIGID>),
    /// The same for a pseudo-rigid body.
    PseudoRigid(Slots<PSEUDO_RIGID>),
}

const _: () = assert!(std::mem::offset_of!(Writer, factor) + 2 * size_of::<[f64; 6]>() <= Writer::RIGID);

impl Writer {
    /// Bytes from the beginning that rigid bodies need.
    pub const RIGID: usize = 128;

    /// Of a body without a panel.
    pub const NONE: Self = Self { target: Target::Complete, factor: Cholesky::NONE };
}

impl Default for Writer {
    fn default() -> Self {
        Self::NONE
    }
}

/// Where Z = H L of each slot goes, and whether it changes; see [`cholesky::Slots`].
#[derive(Clone, Copy, Debug)]
pub struct Slots<const LENGTH: usize>(Places<[f64; LENGTH], bool>);

/// Where Z of one slot goes.
pub struct Slot<'a, const LENGTH: usize> {
    z: &'a mut [f64; LENGTH],
    changed: &'a mut bool,
}

impl<const LENGTH: usize> Slots<LENGTH> {
    /// The slots that a panel was started with.
    pub fn new(slots: cholesky::Slots<LENGTH>) -> Self {
        Self(Places::new(slots.z, slots.changed))
    }

    /// Where Z of the slots goes, and whether each changes: for whoever owns a slot.
    #[inline(always)]
    pub fn places(&self) -> Places<[f64; LENGTH], bool> {
        self.0
    }
}

impl<'a, const LENGTH: usize> Slot<'a, LENGTH> {
    /// The slot that has these places.
    #[inline(always)]
    pub fn new((z, changed): (&'a mut [f64; LENGTH], &'a mut bool)) -> Self {
        Self { z, changed }
    }

    /// Let `write` write Z, and note whether its bits change; returns that. Unless it matters, which is `compare`, all count as
    /// changed.
    #[inline(always)]
    pub fn write(self, compare: bool, write: impl FnOnce(&mut [f64; LENGTH])) -> bool {
        let Self { z, changed } = self;
        *changed = if compare {
            let old = *z;
            write(z);
            old.iter().zip(&*z).any(|(old, new)| old.to_bits() != new.to_bits())
        } else {
            write(z);
            true
        };
        *changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_changes_with_any_bit() {
        let (mut z, mut changed) = ([0.0; RIGID], false);
        for place in [0, RIGID - 1] {
            for (value, changes) in
                [(0.0, false), (-0.0, true), (-0.0, false), (f64::NAN, true), (f64::NAN, false), (0.0, true)]
            {
                let slot = Slot { z: &mut z, changed: &mut changed };
                assert_eq!(slot.write(true, |z| z[place] = value), changes, "{place} {value}");
                assert_eq!(changed, changes);
            }
        }
    }
}
