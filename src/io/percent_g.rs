//! Numbers in the format of C's printf.

use std::fmt;
use std::io::Write;

/// A number in the format `%.{DIGITS}g` of C's printf, in the C locale: `DIGITS` significant digits, correctly rounded (ties to even),
/// without trailing zeros; in scientific notation if the exponent is less than −4, or at least `DIGITS`. Infinities and NaN are `inf` and
/// `nan`, with a minus if the sign bit is set.
#[derive(Clone, Copy, Debug)]
pub struct PercentG<const DIGITS: usize>(pub f64);

impl<const DIGITS: usize> fmt::Display for PercentG<DIGITS> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let magnitude = self.0.abs();
        if self.0.is_sign_negative() {
            f.write_str("-")?;
        }
        if !magnitude.is_finite() {
            return f.write_str(if magnitude.is_nan() { "nan" } else { "inf" });
        }
        // The text is: first digit, point, other digits, e, exponent.
        let mut text = [0; 32];
        let mut rest = &mut text[..];
        write!(rest, "{magnitude:.*e}", DIGITS - 1).map_err(|_| fmt::Error)?;
        let left = rest.len();
        let text = std::str::from_utf8(&text[..text.len() - left]).map_err(|_| fmt::Error)?;
        let (digits, exponent) = text.split_once('e').ok_or(fmt::Error)?;
        let exponent: i32 = exponent.parse().map_err(|_| fmt::Error)?;
        let (first, others) = (&digits[..1], digits.get(2..).unwrap_or_default());
        let kept = others.trim_end_matches('0');
        if (-4..0).contains(&exponent) {
            return write!(f, "0.{:0>width$}{kept}", first, width = exponent.unsigned_abs() as usize);
        }
        let is_fixed = (0..DIGITS as i32).contains(&exponent);
        let whole = if is_fixed { exponent as usize } else { 0 };
        write!(f, "{first}{}", &others[..whole])?;
        if kept.len() > whole {
            write!(f, ".{}", &kept[whole..])?;
        }
        if is_fixed { Ok(()) } else { write!(f, "e{exponent:+03}") }
    }
}

#[cfg(test)]
mod tests;
