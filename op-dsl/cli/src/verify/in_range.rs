//! Values that streams can have: in the ranges that callers promise, and of their types.

use super::formula::Formula;
use op_dsl_ir::DType;
use op_dsl_ir::format::Format;

impl Formula {
    /// Replaces the value of each stream by the nearest that the stream can have.
    ///
    /// That is one in the range that callers promise for it (NaN remains), and of the type that it has on its own or else `dtype`.
    pub fn keep_in_range(&self, dtype: DType, streams: &mut [f64]) {
        for (k, value) in streams.iter_mut().enumerate() {
            let own = self.own(k);
            if let Some(own) = own {
                // Only an infinity is infinite.
                let most = Format::of_stored(own).filter(|_| value.is_finite()).map(Format::max);
                let finite = most.map_or(*value, |most| value.clamp(-most, most));
                *value = f64::from(own.nearest(finite) as f32);
            }
            let Some([low, high]) = self.ranges[k] else { continue };
            // A kernel reads numbers of the type, so that the nearest number within a bound stands for the bound.
            let format = own.and_then(Format::of_stored).unwrap_or(Format::of(dtype));
            match *value {
                v if v < low => *value = inwards(format, low, 1.0),
                v if v > high => *value = inwards(format, high, -1.0),
                _ => {}
            }
        }
    }
}

/// Returns the nearest number of a format on one side of `bound`, or `bound` itself if the format has it.
///
/// `side` is 1 for numbers above the bound and -1 for those below it.
fn inwards(format: Format, bound: f64, side: f64) -> f64 {
    let nearest = format.round(bound);
    if side * (nearest - bound) >= 0.0 { nearest } else { nearest + side * format.ulp(nearest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// f16 has neither 0.001 nor 0.1, and its number next to either is on the other side of the bound.
    #[test]
    fn bounds_between_numbers_move_into_the_range() {
        let f16 = Format::of(DType::F16);
        for (low, high) in [(0.001, 0.1), (-0.1, -0.001), (0.5, 2.0)] {
            let [first, last] = [inwards(f16, low, 1.0), inwards(f16, high, -1.0)];
            assert!(low <= first && last <= high, "{first} {last}");
            assert!(first - f16.ulp(first) < low && last + f16.ulp(last) > high);
            assert!([first, last].iter().all(|x| f16.round(*x) == *x));
        }
    }
}
