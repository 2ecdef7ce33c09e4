//! What graphs make of infinities, beside the largest numbers.

use super::points::{Point, Ranges, ends};
use super::{Arithmetic, outputs};
use crate::graph::{Graph, Node};

/// Whether two graphs have the same values in f32 at the infinities of every stream that varies.
pub fn agree_at_infinity(a: &Graph, b: &Graph, ranges: &Ranges) -> bool {
    let agree = |a: &f64, b: &f64| {
        let [a, b] = [*a as f32, *b as f32];
        a == b || (a - b).abs() <= 1e-6 * b.abs() || a.is_nan() && b.is_nan()
    };
    let (a, b) = (at_infinities(a, ranges), at_infinities(b, ranges));
    a.iter().zip(&b).all(|((_, a), (_, b))| a.iter().zip(b).all(|(a, b)| agree(a, b)))
}

/// Whether a graph makes NaN of an infinity, and none of the largest number.
pub fn has_no_limit(graph: &Graph, ranges: &Ranges) -> bool {
    at_infinities(graph, ranges).iter().any(is_lost)
}

/// The attributes that, being zero, make NaN of an infinity and none of the largest number.
pub fn lost_to_zeros(graph: &Graph) -> Vec<u16> {
    let scalars = graph.nodes.iter().filter_map(|n| match n {
        Node::Scalar(s) => Some(*s),
        _ => None,
    });
    let lost = |s: &u16| {
        let zero = ends(graph, &[]).into_iter().map(|end| end.with_scalar(*s, 0.0));
        zero.map(|end| around(graph, &end)).any(|both| is_lost(&both))
    };
    scalars.filter(lost).collect()
}

fn is_lost((finite, infinite): &(Vec<f64>, Vec<f64>)) -> bool {
    finite.iter().zip(infinite).any(|(finite, infinite)| infinite.is_nan() && !finite.is_nan())
}

/// The values of the outputs at the ends of every line, and at the infinities beyond.
fn at_infinities(graph: &Graph, ranges: &Ranges) -> Vec<(Vec<f64>, Vec<f64>)> {
    ends(graph, ranges).iter().map(|end| around(graph, end)).collect()
}

/// The values of the outputs at an end, and at the infinity beyond.
fn around(graph: &Graph, end: &Point) -> (Vec<f64>, Vec<f64>) {
    let values = |point: &Point| -> Vec<f64> {
        outputs(graph, Arithmetic::F64, point).into_iter().map(|b| b.value).collect()
    };
    let mut beyond = end.clone();
    let x = &mut beyond.streams[end.varied];
    *x = f64::INFINITY.copysign(*x);
    (values(end), values(&beyond))
}
