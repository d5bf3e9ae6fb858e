//! What differs: the largest difference of each quantity, and the first one beyond its tolerance.

#![allow(non_snake_case, reason = "quantities have the names of the theory")]

use std::fmt;

use crate::legacy::errors::{Code, fail};
use crate::legacy::interface::types::{ldy_differences, ldy_tolerance};
use crate::legacy::rows::Place;

/// The tolerance of every quantity where the host gives none.
const DEFAULT: f64 = 1e-12;

/// What was compared so far.
pub struct Findings {
    /// What is allowed.
    pub tolerance: ldy_tolerance,
    /// The largest differences, -1 where nothing was compared.
    pub largest: ldy_differences,
    /// Where the first finding is.
    pub place: Place,
    /// The largest condition number of a matrix A; 0: there is none.
    pub condition: f64,
    /// Seconds of the library's own assembly.
    pub time: f64,
    /// Whether nothing is wrong with the list of rows itself, and each block leads to one of them.
    pub is_list_sound: bool,
    found: bool,
}

impl Findings {
    /// Nothing compared, the default tolerance.
    pub fn new() -> Self {
        let [V, B, W, A, rho, block, free_energy] = [DEFAULT; 7];
        Self {
            tolerance: ldy_tolerance {
                size: size_of::<ldy_tolerance>(),
                V,
                B,
                W,
                A,
                rho,
                block,
                free_energy,
            },
            largest: ldy_differences::NONE,
            place: Place::default(),
            condition: 0.0,
            time: 0.0,
            is_list_sound: true,
            found: false,
        }
    }

    /// A difference of a quantity; returns whether it is beyond its tolerance, as NaN is.
    pub fn exceeds(&mut self, of: fn(&mut ldy_differences) -> &mut f64, off: f64, allowed: f64) -> bool {
        raise(of(&mut self.largest), off);
        off.is_nan() || off > allowed
    }

    /// Something differs at a place; only the first such text is kept.
    pub fn add(&mut self, place: Place, text: fmt::Arguments) {
        if !self.found {
            self.found = true;
            self.place = place;
            fail!(Code::Differs, "{text}");
        }
    }

    /// The list itself is wrong at a place, as no legacy module leaves it.
    pub fn add_of_list(&mut self, place: Place, text: fmt::Arguments) {
        self.is_list_sound = false;
        self.add(place, text);
    }

    /// The end of a comparison.
    pub fn verdict(&self) -> Result<(), Code> {
        if self.found { Err(Code::Differs) } else { Ok(()) }
    }
}

/// Make `largest` the larger of itself and `difference`; NaN counts as the largest.
pub fn raise(largest: &mut f64, difference: f64) {
    if difference.is_nan() || difference > *largest {
        *largest = difference;
    }
}
