//! Numbers as C's printf writes them.

use std::fmt::{self, Write};

/// A number as `%.{DIGITS}g` of C's printf writes it, in the C locale: `DIGITS` significant digits, correctly rounded
/// (ties to even), without zeros at the end; scientific if the exponent is below −4 or not below `DIGITS`. What is no
/// number is `inf` or `nan`, with a minus where its sign bit is set.
#[derive(Clone, Copy, Debug)]
pub struct General<const DIGITS: usize>(pub f64);

impl<const DIGITS: usize> fmt::Display for General<DIGITS> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let magnitude = self.0.abs();
        if self.0.is_sign_negative() {
            f.write_char('-')?;
        }
        if magnitude.is_nan() {
            return f.write_str("nan");
        }
        if magnitude.is_infinite() {
            return f.write_str("inf");
        }
        let mut parts = Parts::<DIGITS>::default();
        write!(parts, "{magnitude:.*e}", DIGITS - 1)?;
        parts.write(f)
    }
}

/// Digits and exponent of a number, collected from its scientific notation while that is being written.
struct Parts<const DIGITS: usize> {
    digits: [u8; DIGITS],
    /// Digits seen.
    count: usize,
    in_exponent: bool,
    negative: bool,
    /// Without its sign.
    exponent: i32,
}

impl<const DIGITS: usize> Default for Parts<DIGITS> {
    fn default() -> Self {
        Self { digits: [b'0'; DIGITS], count: 0, in_exponent: false, negative: false, exponent: 0 }
    }
}

impl<const DIGITS: usize> Write for Parts<DIGITS> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        for byte in piece.bytes() {
            match byte {
                b'.' => {}
                b'e' => self.in_exponent = true,
                b'-' => self.negative = true,
                digit if self.in_exponent => self.exponent = 10 * self.exponent + i32::from(digit - b'0'),
                digit => {
                    self.digits[self.count] = digit;
                    self.count += 1;
                }
            }
        }
        Ok(())
    }
}

impl<const DIGITS: usize> Parts<DIGITS> {
    fn write(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let digits = std::str::from_utf8(&self.digits).map_err(|_| fmt::Error)?;
        let kept = digits.trim_end_matches('0').len().max(1);
        let exponent = if self.negative { -self.exponent } else { self.exponent };
        if (-4..0).contains(&exponent) {
            let places = kept + self.exponent as usize - 1;
            return write!(f, "0.{:0>places$}", &digits[..kept]);
        }
        let fixed = (0..DIGITS as i32).contains(&exponent);
        let whole = if fixed { self.exponent as usize + 1 } else { 1 };
        f.write_str(&digits[..whole])?;
        if kept > whole {
            write!(f, ".{}", &digits[whole..kept])?;
        }
        if !fixed {
            write!(f, "e{}{:02}", if self.negative { '-' } else { '+' }, self.exponent)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
