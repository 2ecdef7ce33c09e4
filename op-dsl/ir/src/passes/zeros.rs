//! Clamps factors of attributes that may be zero, so that `0 * inf` is 0.
//!
//! For example, `if x > 0 { x } else { slope * x }` tends to 0 on the left where the slope is 0, but is NaN at `-inf`. Where the
//! attribute is zero, its other factor is clamped to the largest finite number:
//!
//! ```text
//! slope * x  ->  slope * clamp(x, -bound, bound)      bound = if slope == 0 { MAX } else { inf }
//! ```
//!
//! The bound is the same for all elements. Only f32 graphs need this, for targets that compute with infinities at full speed,
//! because in f64 a number beyond f32 stands for infinity (`limits`).

use crate::analysis::Inputs;
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::rounding::lost_to_zeros;

/// The largest number of f32.
const MAX: f64 = f32::MAX as f64;

/// Clamps factors of attributes to finite numbers, where `attribute * factor` would be `0 * inf`, which is NaN.
///
/// That is where the attribute may be zero and an infinite stream makes the factor infinite. Factors are clamped on one side if
/// that is enough, otherwise on both.
pub fn run(graph: &Graph) -> Graph {
    let lost = lost_to_zeros(graph);
    if lost.is_empty() {
        return graph.clone();
    }
    let with = |bounds: &[Bound]| bounded(graph, &lost, bounds);
    let one_side = [Bound::Low, Bound::High].map(|bound| with(&[bound]));
    let enough = one_side.into_iter().find(|graph| lost_to_zeros(graph).is_empty());
    enough.unwrap_or_else(|| with(&[Bound::Low, Bound::High]))
}

#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Low,
    High,
}

fn bounded(graph: &Graph, lost: &[u16], bounds: &[Bound]) -> Graph {
    let inputs = graph.inputs();
    let lost = lost.iter().fold(0, |all, s| all | Inputs::bit((*s).into()));
    let is_varied = |x: Id| inputs[x.index()].streams != 0;
    let is_lost = |x: Id| !is_varied(x) && inputs[x.index()].scalars & lost != 0;
    graph.rewrite_at(|b, at| {
        let factors = match at.node {
            Node::Call(Prim::Mul, [x, y, _]) if is_lost(x) && is_varied(y) => Some((x, y)),
            Node::Call(Prim::Mul, [x, y, _]) if is_varied(x) && is_lost(y) => Some((y, x)),
            _ => None,
        };
        let Some((scale, x)) = factors else { return b.add(at.copy()) };
        let hold = |x, bound: &Bound| hold(b, at[scale], x, *bound);
        let held = bounds.iter().fold(at[x], hold);
        b.product(at[scale], held)
    })
}

/// Clamps `x` to finite f32 numbers where `scale`, which multiplies it, is zero.
///
/// The clamp is on the side that `bound` says: from below or from above.
fn hold(b: &mut Builder, scale: Id, x: Id, bound: Bound) -> Id {
    let (sign, choose) = match bound {
        Bound::Low => (-1.0, Prim::Max),
        Bound::High => (1.0, Prim::Min),
    };
    let zero = b.num(0.0);
    let is_zero = b.call(Prim::Eq, &[scale, zero]);
    let (most, infinity) = (b.num(sign * MAX), b.num(sign * f64::INFINITY));
    let bound = b.call(Prim::Select, &[is_zero, most, infinity]);
    b.call(choose, &[x, bound])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests `if x > 0 { x } else { slope * x }`, and `x + slope`, where a slope of 0 gives no NaN.
    #[test]
    fn a_slope_of_zero_is_flat_to_the_end() {
        let leaky = |hold: bool| {
            let mut b = Builder::new();
            let (x, slope, zero) = (b.stream(0), b.scalar(0), b.num(0.0));
            let (scaled, above) = (b.product(slope, x), b.call(Prim::Lt, &[zero, x]));
            let leaky = b.call(Prim::Select, &[above, x, scaled]);
            let graph = b.finish(&[leaky]);
            if hold { run(&graph) } else { graph }
        };
        let at = |graph: &Graph, x: f64, slope: f64| graph.eval(&[x], &[slope])[0];
        let (plain, held) = (leaky(false), leaky(true));
        assert!(at(&plain, f64::NEG_INFINITY, 0.0).is_nan());
        assert_eq!(at(&held, f64::NEG_INFINITY, 0.0), 0.0);
        assert!(at(&held, f64::NAN, 0.0).is_nan());
        for (x, slope) in [(f64::NEG_INFINITY, 0.5), (-3.0, 0.0), (f64::INFINITY, 0.0), (-2.0, 0.5)]
        {
            assert_eq!(at(&held, x, slope), at(&plain, x, slope), "{x} {slope}");
        }
        let mut b = Builder::new();
        let (x, slope) = (b.stream(0), b.scalar(0));
        let sum = b.sum(x, slope);
        let graph = b.finish(&[sum]);
        assert_eq!(run(&graph), graph);
    }
}
