//! Power series of every node of a graph in one variable.
//!
//! Sums, products and quotients are Laurent series, because poles may cancel: in `1/x^2 - cos(x)/x^2` both terms have a pole, and
//! their difference has none.

use super::taylor::*;
use crate::analysis::Visit;
use crate::graph::{Graph, Id, Node};
use crate::prim::Prim;
use std::f64::consts::FRAC_2_SQRT_PI;

/// Variable of a series expansion.
#[derive(Clone, Copy)]
pub enum Variable {
    /// The variable is the one input stream that the node depends on.
    Stream,
    /// The variable is the magnitude of the input stream, where the stream has the sign `sign`.
    Size { sign: f64 },
    /// The variable is the difference between the value of node `id` and the number `from`.
    Node { id: Id, from: f64 },
}

/// Minimum number of known coefficients; a shorter series is discarded.
const LEAST: usize = 12;

/// Largest magnitude of a series' variable at which a comparison in the graph may change its result.
///
/// A comparison whose result changes at a larger magnitude has no series.
const MOST_PASSED: f64 = 1.0 / 64.0;

/// Power series of the nodes of a graph, valid above some magnitude of the variable.
pub struct Expansion {
    /// Series per node; `None` if the node has no series.
    pub series: Vec<Option<Series>>,
    /// Magnitude of the variable above which the series are valid.
    ///
    /// Below it, comparisons in the graph have another result.
    ///
    /// For example, `max(|x|, 1e-6)` is `|x|` only above `1e-6`.
    pub above: f64,
    /// Magnitude of the variable up to which the series are valid; above it, a rounded value is another integer.
    pub below: f64,
}

/// Expands every node of a graph into a power series in `variable`, where one exists.
pub fn all_series(graph: &Graph, variable: Variable) -> Expansion {
    let (mut above, mut below) = (0.0, f64::INFINITY);
    let all = graph.forward(|at: Visit<'_, Option<Laurent>>| {
        let series = match (at.node, variable) {
            (_, Variable::Node { id, from }) if id == at.id => Some(line(from, 1.0)),
            (Node::Stream(_), Variable::Stream) => Some(line(0.0, 1.0)),
            (Node::Stream(_), Variable::Size { sign }) => Some(line(0.0, sign)),
            (Node::Stream(_) | Node::Scalar(_), _) => None,
            (Node::Const(c), _) => Some(Laurent::of(constant(c))),
            (Node::Call(prim, args), _) => {
                let arg = args.map(|a| *at.get(a)?);
                let is_chosen = matches!(variable, Variable::Size { .. }) && !prim.is_smooth();
                match is_chosen {
                    true => {
                        let plain = arg.map(|s| s.and_then(|s| s.plain()));
                        chosen(prim, plain, &mut above, &mut below).map(Laurent::of)
                    }
                    false => arithmetic(prim, arg, variable),
                }
            }
        };
        series.filter(|s| s.terms.iter().all(|c| !c.is_infinite()))
    });
    let plain = |s: Option<Laurent>| s?.plain().filter(|s| known(s) >= LEAST);
    Expansion { series: all.into_iter().map(plain).collect(), above, below }
}

fn line(from: f64, slope: f64) -> Laurent {
    Laurent { low: 0, terms: std::array::from_fn(|k| [from, slope].get(k).copied().unwrap_or(0.0)) }
}

/// Laurent series `v^low (terms[0] + terms[1] v + terms[2] v^2 + ..)` in a variable `v`.
#[derive(Clone, Copy)]
struct Laurent {
    low: i32,
    terms: Series,
}

impl Laurent {
    fn of(terms: Series) -> Laurent {
        Laurent { low: 0, terms }
    }

    /// Returns the coefficient of a power of the variable, NaN if it is unknown.
    fn coefficient(&self, power: i32) -> f64 {
        match usize::try_from(power - self.low) {
            Ok(k) => self.terms.get(k).copied().unwrap_or(f64::NAN),
            Err(_) => 0.0,
        }
    }

    /// Returns the coefficients of the powers `low`, `low + 1`, .. of the variable.
    fn from(&self, low: i32) -> Series {
        std::array::from_fn(|k| self.coefficient(low + k as i32))
    }

    /// Returns this Laurent series as a power series, or `None` if it has a pole.
    fn plain(&self) -> Option<Series> {
        let has_pole = (self.low..0).any(|power| self.coefficient(power) != 0.0);
        (!has_pole).then(|| self.from(0))
    }

    /// Returns this series with `low` raised so that the coefficient of the lowest power is not 0.
    ///
    /// `None` if no coefficient is known to be nonzero.
    fn trimmed(&self) -> Option<Laurent> {
        let first = self.terms.iter().position(|c| *c != 0.0)?;
        let low = self.low + first as i32;
        (!self.terms[first].is_nan()).then(|| Laurent { low, terms: self.from(low) })
    }

    fn plus(&self, c: f64, other: &Laurent) -> Laurent {
        let low = self.low.min(other.low);
        Laurent { low, terms: plus(&self.from(low), c, &other.from(low)) }
    }

    fn times(&self, other: &Laurent) -> Laurent {
        Laurent { low: self.low + other.low, terms: times(&self.terms, &other.terms) }
    }

    fn over(&self, other: &Laurent) -> Option<Laurent> {
        let below = other.trimmed()?;
        Some(Laurent { low: self.low - below.low, terms: over(&self.terms, &below.terms)? })
    }

    /// Returns the square root of the series; `None` if the root is no Laurent series.
    ///
    /// The root halves the lowest power. If the variable is positive, that power has to be even. Otherwise it has to be a
    /// multiple of 4, because `sqrt(x^2)` is `|x|`, but `sqrt(x^4)` is `x^2`.
    fn sqrt(&self, variable: Variable) -> Option<Laurent> {
        let of = self.trimmed()?;
        let step = if matches!(variable, Variable::Size { .. }) { 2 } else { 4 };
        let has_root = of.low % step == 0;
        has_root.then_some(Laurent { low: of.low / 2, terms: sqrt(&of.terms)? })
    }
}

/// Expands a call of a smooth primitive from the series of its arguments.
fn arithmetic(prim: Prim, [x, y, z]: [Option<Laurent>; 3], variable: Variable) -> Option<Laurent> {
    let x = x?;
    Some(match prim {
        Prim::Neg => Laurent { terms: scaled(-1.0, &x.terms), ..x },
        Prim::Add => x.plus(1.0, &y?),
        Prim::Sub => x.plus(-1.0, &y?),
        Prim::Mul => x.times(&y?),
        Prim::Mul3 => x.times(&y?).times(&z?),
        Prim::Div => x.over(&y?)?,
        Prim::Sqrt => x.sqrt(variable)?,
        Prim::Pow => {
            let y = y?.plain()?;
            let is_number = y[1..].iter().all(|c| *c == 0.0);
            Laurent::of(is_number.then(|| power(&x.plain()?, y[0]))??)
        }
        _ if prim.row().arity == 1 => Laurent::of(call(prim, &x.plain()?)?),
        _ => return None,
    })
}

/// Expands a call of a primitive that is not smooth (`max`, a comparison), in a positive variable.
///
/// Where the call compares, the result has to be the same for all magnitudes of the variable above some bound. `above` is raised to
/// that bound. Where it rounds, the result has to be the same up to some bound, to which `below` is lowered.
fn chosen(
    prim: Prim,
    [x, y, z]: [Option<Series>; 3],
    above: &mut f64,
    below: &mut f64,
) -> Option<Series> {
    let x = x?;
    let mut apart = |x: &Series, y: &Series| {
        let (sign, from) = sign(&plus(x, -1.0, y))?;
        *above = above.max(from);
        Some(sign)
    };
    let truth = |holds: bool| constant(f64::from(u8::from(holds)));
    Some(match prim {
        Prim::Abs => scaled(apart(&x, &constant(0.0))?, &x),
        Prim::Round => {
            *below = below.min(same_integer(&x)?);
            constant(x[0].round_ties_even())
        }
        Prim::Lt => truth(apart(&x, &y?)? < 0.0),
        Prim::Le => truth(apart(&x, &y?)? <= 0.0),
        Prim::Eq => truth(apart(&x, &y?)? == 0.0),
        Prim::Select => {
            if x[0] != 0.0 {
                y?
            } else {
                z?
            }
        }
        Prim::Min => {
            if apart(&x, &y?)? < 0.0 {
                x
            } else {
                y?
            }
        }
        Prim::Max => {
            if apart(&x, &y?)? > 0.0 {
                x
            } else {
                y?
            }
        }
        _ => return None,
    })
}

/// Returns a magnitude of the variable up to which a series rounds to one integer; `None` if there is none.
fn same_integer(x: &Series) -> Option<f64> {
    let room = 0.5 - (x[0] - x[0].round_ties_even()).abs();
    let moved = |v: f64| (1..known(x)).map(|k| x[k].abs() * v.powi(k as i32)).sum::<f64>();
    (-20..=2).rev().map(|e| 2f64.powi(e)).find(|v| moved(*v) < 0.99 * room)
}

/// Returns the sign of a series of at most two terms, and the magnitude above which it has that sign.
///
/// With a variable `v > 0` and coefficients `c` and `d`, a single term `c v^n` has one sign everywhere. If `c` and `d` have
/// opposite signs, `c + d v^n` has the sign of `d` above its root: for example, `v - 1e-6` is positive above `1e-6`. Otherwise
/// `None`.
fn sign(x: &Series) -> Option<(f64, f64)> {
    let mut terms = x.iter().enumerate().filter(|(_, c)| **c != 0.0);
    let Some((first, c)) = terms.next() else { return Some((0.0, 0.0)) };
    let Some((power, d)) = terms.next() else { return Some((c.signum(), 0.0)) };
    if first > 0 || terms.next().is_some() {
        return None;
    }
    if c.signum() == d.signum() {
        return Some((c.signum(), 0.0));
    }
    // The bound is slightly larger than the root, so that rounding of the comparison itself does not matter.
    let from = (-c / d).powf(1.0 / power as f64) * (1.0 + 1e-9);
    (from < MOST_PASSED).then_some((d.signum(), from))
}

/// Expands a primitive of one argument, given the power series of the argument.
///
/// `None` if the primitive has no power series there.
pub fn call(prim: Prim, x: &Series) -> Option<Series> {
    let one = &constant(1.0);
    // Integrates the derivative `slope * x'` from the function's value at the constant term.
    let by_slope = |slope: Series| {
        let first = (prim.row().oracle)([x[0], f64::NAN, f64::NAN]);
        Some(integral(first, &times(&slope, &derivative(x))))
    };
    match prim {
        Prim::Sqrt => sqrt(x),
        Prim::Exp => Some(exp(x)),
        Prim::Expm1 => by_slope(exp(x)),
        Prim::Ln => by_slope(over(one, x)?),
        Prim::Log1p => by_slope(over(one, &plus(one, 1.0, x))?),
        Prim::Sin => Some(turned(x)[0]),
        Prim::Cos => Some(turned(x)[1]),
        Prim::Atan => by_slope(over(one, &plus(one, 1.0, &times(x, x)))?),
        Prim::Sigmoid => sigmoid(x),
        Prim::Tanh => Some(plus(&scaled(2.0, &sigmoid(&scaled(2.0, x))?), -1.0, one)),
        Prim::Softplus => by_slope(sigmoid(x)?),
        Prim::Erf => by_slope(scaled(FRAC_2_SQRT_PI, &bell(-1.0, x))),
        Prim::Erfc => by_slope(scaled(-FRAC_2_SQRT_PI, &bell(-1.0, x))),
        // Newton's method doubles the number of correct terms.
        Prim::Erfinv => {
            let mut y = constant((prim.row().oracle)([x[0], f64::NAN, f64::NAN]));
            for _ in 0..TERMS.ilog2() + 1 {
                let miss = plus(&call(Prim::Erf, &y)?, -1.0, x);
                let step = over(&miss, &scaled(FRAC_2_SQRT_PI, &bell(-1.0, &y)))?;
                y = plus(&y, -1.0, &step);
            }
            Some(y).filter(|y| y[0].is_finite())
        }
        Prim::NormalCdf => by_slope(density(x)),
        Prim::Silu => Some(times(x, &sigmoid(x)?)),
        _ => None,
    }
}
