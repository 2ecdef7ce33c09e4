//! Replaces functions that lose their digits near a point by their power series there.
//!
//! For example, near zero `x - tanh(x)` is `x^3/3`, but both terms round to `x`. Where the rounding bound says that a function of
//! one stream has no accurate value near zero, it is evaluated by its Taylor series. The coefficients come from the arithmetic of
//! power series, so that the terms that cancel have already cancelled in them. A quotient whose divisor is zero there has a series
//! too, if its poles cancel: `cos(x)/x - sin(x)/x^2` is `-x/3`.
//!
//! A function of `|x|`, or of a `select` by the sign of `x`, has one series on either side of zero, in powers of `|x|`. For
//! example, `|x| + ln(1 + exp(-2|x|)) - ln 2` is `x^2/2`.
//!
//! ```text
//! taylor     arithmetic of power series
//! expand     the series of every node of a graph
//! near_zero  series near zero
//! elsewhere  series near other points, and of functions of values other than a stream
//! ```

mod elsewhere;
mod expand;
mod near_zero;
mod taylor;

use crate::graph::Graph;

/// Replaces functions that lose their digits by power series, near zero and then near other points.
pub fn run(graph: &Graph) -> Graph {
    elsewhere::run(&near_zero::run(graph))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Builder, Id};
    use crate::prim::Prim;
    use expand::call;
    use taylor::{Series, constant, plus};

    /// Evaluates a formula of stream 0 at `x`, after the pass has rewritten it.
    fn at(formula: &impl Fn(&mut Builder, Id) -> Id, x: f64) -> f64 {
        let mut b = Builder::new();
        let stream = b.stream(0);
        let result = formula(&mut b, stream);
        run(&b.finish(&[result])).eval(&[x], &[])[0]
    }

    fn log_cosh(b: &mut Builder, x: Id) -> Id {
        let size = b.call(Prim::Abs, &[x]);
        let minus = b.scaled(-2.0, size);
        let e = b.call(Prim::Exp, &[minus]);
        let (log, ln2) = (b.call(Prim::Log1p, &[e]), b.num(std::f64::consts::LN_2));
        let sum = b.sum(size, log);
        b.difference(sum, ln2)
    }

    #[test]
    fn functions_of_a_magnitude_have_series_as_well() {
        let close = |is: f64, want: f64| assert!((is - want).abs() <= 1e-9 * want.abs(), "{is:e}");
        for x in [1e-30, 1e-9, 1e-4, 0.03, 0.7, 5.0] {
            let want = match x < 0.01 {
                true => x * x / 2.0 - x * x * x * x / 12.0,
                false => libm::log(libm::cosh(x)),
            };
            close(at(&log_cosh, x), want);
            close(at(&log_cosh, -x), want);
            // With a sign, the two sides need different series.
            let signed = |b: &mut Builder, x: Id| {
                let (sign, value) = (b.sign(x), log_cosh(b, x));
                b.product(sign, value)
            };
            close(at(&signed, x), want);
            close(at(&signed, -x), -want);
        }
        assert_eq!(at(&log_cosh, 0.0), 0.0);
    }

    /// Tests formulas with a breakpoint near zero but not at it, and with a jump at zero.
    #[test]
    fn what_bends_elsewhere_is_left_alone() {
        for bound in [0.01, 0.0] {
            let bent = |b: &mut Builder, x: Id| {
                let (bound, value) = (b.num(bound), log_cosh(b, x));
                let (above, one) = (b.call(Prim::Le, &[bound, x]), b.num(1.0));
                let sum = b.sum(one, value);
                let low = b.difference(sum, one);
                b.call(Prim::Select, &[above, one, low])
            };
            assert_eq!(at(&bent, 0.02), 1.0, "{bound}");
            assert_eq!(at(&bent, 0.0), if bound == 0.0 { 1.0 } else { 0.0 });
        }
    }

    /// Compares the series of `f(x / 2)` with the reference value of `f`, for each primitive `f`.
    #[test]
    fn series_have_the_values_of_their_rows() {
        for row in crate::prim::TABLE.iter().filter(|r| r.arity == 1) {
            let half: Series = std::array::from_fn(|k| if k == 1 { 0.5 } else { 0.0 });
            // Shifts the argument where the domain begins at zero, because the function has no value on the other side.
            let shift = if row.domain.0 == 0.0 { 1.5 } else { 0.0 };
            let argument = plus(&half, shift, &constant(1.0));
            let Some(series) = call(row.prim, &argument) else { continue };
            for x in [-0.4, -0.03, 0.2, 0.41] {
                let value: f64 = series.iter().rev().fold(0.0, |sum, c| sum * x + c);
                let want = (row.oracle)([shift + 0.5 * x, f64::NAN, f64::NAN]);
                assert!((value - want).abs() <= 1e-14, "{}({x}): {value}, not {want}", row.name);
            }
        }
    }
}
