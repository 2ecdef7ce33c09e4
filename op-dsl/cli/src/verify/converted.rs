//! Errors of results that kernels convert to integers, truth values or floats of 8 bits.

use op_dsl_ir::format::Format;
use op_dsl_ir::{DType, Stored};

/// Largest allowed error, in units in the last place of the type: results are the nearest numbers.
pub const BUDGET: f64 = 0.5;

/// Returns the error of the result `got` of type `stored`, whose exact value is `want`, in units in the last place of the type.
///
/// Kernels convert a number in f32, which may differ from the exact value by `off` units in the last place of f32. If such a
/// difference reaches the other side of a tie, a result that is rounded to that side has an error of half a unit.
pub fn error(stored: Stored, got: f64, want: f64, off: f64) -> f64 {
    let format = Format::of_stored(stored);
    let apart = |want: f64| match (format, stored.integers()) {
        (Some(format), _) => format.error(got, want, 0.0),
        (None, Some((least, greatest))) => (got - want.clamp(least, greatest)).abs(),
        (None, None) => f64::from(u8::from(got != stored.nearest(want))),
    };
    let off = off * Format::of(DType::F32).ulp(want);
    let [low, nearest, high] = [-off, 0.0, off].map(|by| stored.nearest(want + by));
    let is_between = (low..=high).contains(&got) || [low, nearest, high].contains(&got);
    let is_nan = got.is_nan() && [low, nearest, high].into_iter().any(f64::is_nan);
    match is_between || is_nan {
        true => apart(want).min(BUDGET),
        false => apart(want).max(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_neighbour_of_a_tie_is_right() {
        let unit = f64::from(f32::EPSILON);
        for (stored, got, want, error_is) in [
            (Stored::Int8, 2.0, 2.5, 0.5),
            (Stored::Int8, 3.0, 2.5, 0.5),
            (Stored::Int8, 3.0, 2.5 - unit, 0.5),
            (Stored::Int8, 3.0, 2.499, 1.0),
            (Stored::Int8, 127.0, 1e9, 0.0),
            (Stored::Int8, 0.0, f64::NAN, 0.5),
            (Stored::Byte, 1.0, 0.25, 0.0),
            (Stored::Byte, 0.0, 0.25, 1.0),
            (Stored::E4m3fn, f64::NAN, 464.0 + 64.0 * unit, 0.5),
            // The largest number stands for what is beyond it, but only NaN is right there.
            (Stored::E4m3fn, 448.0, 500.0, 1.0),
        ] {
            assert_eq!(error(stored, got, want, 2.0), error_is, "{stored} {got} {want}");
        }
    }
}
