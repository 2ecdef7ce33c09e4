//! Formulas at infinity: where they go far out.
//!
//! That is what one infinite stream stands for. Several are no limit, as it would depend on which of them grows faster: they
//! meet as in arithmetic of the formula as written. So do sums that one stream grows in apart, in a quotient.

use crate::exact::{NOTHING, exactly};
use crate::real::Real;
use crate::tower::Tower;
use op_dsl_ir::op::Spec;
use op_dsl_ir::rounding::divides_apart;

/// Powers of two, each the square of the one before, that stand for infinity in turn.
const FAR: [f64; 4] = [40.0, 80.0, 160.0, 320.0];
/// Values that differ by less are the same number.
const SAME: f64 = 1.0 / (1u64 << 30) as f64;

/// The limits of the outputs where some streams are infinite; NaN where there is none.
pub fn outputs(spec: &Spec, streams: &[f64], scalars: &[f64]) -> Vec<f64> {
    let mut infinite = (0..streams.len()).filter(|k| streams[*k].is_infinite());
    let written = &spec.traced;
    let values = written.eval_all(streams, scalars);
    let is_several = match (infinite.next(), infinite.next()) {
        (Some(one), None) => spec.derived.is_none() && divides_apart(written, &values, one),
        _ => true,
    };
    if is_several {
        return written.outputs.iter().map(|y| values[y.index()]).collect();
    }
    let far = |power: f64| {
        let at = |x: &f64| if x.is_infinite() { power.exp2().copysign(*x) } else { *x };
        let streams: Vec<f64> = streams.iter().map(at).collect();
        exactly(spec, &streams, scalars)
    };
    let points = FAR.map(far);
    // Of what is nothing even the sign may be wrong.
    let value = |y: &Tower| if y.is_below(NOTHING) { 0.0 } else { y.to_f64() };
    (0..points[0].len()).map(|k| limit(points.each_ref().map(|p| value(&p[k])))).collect()
}

/// Where four values go.
pub fn limit(values: [f64; 4]) -> f64 {
    let [.., before, last] = values;
    let pairs = || values.windows(2).map(|w| (w[0], w[1]));
    match () {
        _ if values.iter().any(|v| v.is_nan()) => f64::NAN,
        _ if before == last || ((last - before) / last).abs() < SAME => last,
        _ if pairs().all(|(a, b)| b.abs() < 0.9 * a.abs()) => 0.0,
        _ if pairs().all(|(a, b)| b * a > 0.0 && (b.abs() > 1.1 * a.abs() || a == b)) => {
            f64::INFINITY.copysign(last)
        }
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::limit;

    #[test]
    fn limits_of_sequences() {
        assert_eq!(limit([1.0, 2.0, 4.0, 8.0]), f64::INFINITY);
        assert_eq!(limit([-1.0, -2.0, f64::NEG_INFINITY, f64::NEG_INFINITY]), f64::NEG_INFINITY);
        assert_eq!(limit([1.0, 0.5, 0.25, 0.125]), 0.0);
        assert_eq!(limit([1e-300, 0.0, 0.0, 0.0]), 0.0);
        assert_eq!(limit([0.9, 0.999, 1.0, 1.0]), 1.0);
        assert!(limit([0.3, -0.8, 0.1, 0.9]).is_nan());
    }
}
