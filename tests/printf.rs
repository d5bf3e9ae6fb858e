//! Numbers in text files are those that C's printf would have written.

use std::ffi::{CStr, c_char};

use ldy::io::PercentG;
use proptest::prelude::*;

/// What C's printf makes of a number.
fn printed(format: &CStr, value: f64) -> String {
    let mut text = [0 as c_char; 64];
    // SAFETY: the format asks for one double; the text has the size given and is terminated within it.
    unsafe {
        libc::snprintf(text.as_mut_ptr(), text.len(), format.as_ptr(), value);
        CStr::from_ptr(text.as_ptr()).to_str().unwrap().to_owned()
    }
}

fn check(value: f64) -> Result<(), TestCaseError> {
    prop_assert_eq!(PercentG::<6>(value).to_string(), printed(c"%.6g", value), "{:e}", value);
    prop_assert_eq!(PercentG::<15>(value).to_string(), printed(c"%.15g", value), "{:e}", value);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::cases(20_000)))]

    #[test]
    fn any_bits(bits in any::<u64>()) {
        check(f64::from_bits(bits))?;
    }

    /// Where the notation changes, and halfway between two decimals.
    #[test]
    fn short_decimals(digits in -2_000_001_i64..2_000_001, power in -12_i32..18, halves in any::<bool>()) {
        let value = digits as f64 * if halves { 0.5 } else { 1.0 };
        check(value * 10_f64.powi(power))?;
        check(value / 10_f64.powi(power))?;
    }

    /// Sums of few powers of two are exactly halfway between two decimals more often than others.
    #[test]
    fn short_binaries(digits in -4_000_000_000_000_000_i64..4_000_000_000_000_000, power in -60_i32..20) {
        check(digits as f64 * 2_f64.powi(power))?;
        check((digits % 4096) as f64 * 2_f64.powi(power))?;
        check((digits >> 20 | 1) as f64 * 2_f64.powi(power))?;
    }
}
