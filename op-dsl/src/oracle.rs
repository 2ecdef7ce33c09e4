//! The author's function as an oracle: its values, or for derived gradients its derivatives.

use crate::{Elem, OpAttr};
use codegen_cpu::rt::call::OracleInput;
use op_dsl_ir::op::Value;

/// Function in a macro expansion that calls the author's function on one element of each tensor.
///
/// Its arguments are one element per input stream, the attributes, and the saved values that a gradient received, which
/// replace the computed ones. It returns one element per output stream.
pub type Evaluate = fn(&[Elem], &[Value], &[Option<f64>]) -> Vec<Elem>;

/// Connections between the streams of a gradient and those of its forward function, by index.
#[derive(Clone, Copy, Debug)]
pub struct Connections {
    /// For each forward input stream, the gradient's input stream with the same values, if it has one.
    pub inputs: &'static [Option<usize>],
    /// For each forward output stream, the gradient's input stream with the output's upstream gradient.
    pub upstream: &'static [Option<usize>],
    /// For each saved value of the forward function, the gradient's input stream that holds it, if any.
    pub saved: &'static [Option<usize>],
    /// The forward input streams to differentiate by.
    pub wrt: &'static [usize],
}

/// Returns the outputs of the author's function `f` for the streams and attributes of `i`.
pub fn value(f: Evaluate, i: &OracleInput<'_>) -> Vec<f64> {
    let x: Vec<Elem> = i.streams.iter().map(|v| Elem::constant(*v)).collect();
    f(&x, i.attrs, &[]).into_iter().map(|y| y.value).collect()
}

/// Returns the gradient of the author's function `f`; `i` has the gradient's streams and attributes.
///
/// For each input stream that is differentiated by, the result has the sum of the upstream gradients times the
/// derivatives of the outputs.
pub fn gradient(f: Evaluate, c: &Connections, i: &OracleInput<'_>) -> Vec<f64> {
    let stream = |at: Option<usize>| at.and_then(|at| i.streams.get(at)).copied();
    // A stream that the gradient does not use may have any value.
    let x: Vec<Elem> =
        c.inputs.iter().map(|at| Elem::constant(stream(*at).unwrap_or(0.5))).collect();
    let saved: Vec<Option<f64>> = c.saved.iter().map(|at| stream(*at)).collect();
    let by = |wrt: &usize| {
        let mut x = x.clone();
        x[*wrt].derivative = 1.0;
        let y = f(&x, i.attrs, &saved);
        let terms = y.iter().zip(c.upstream).filter_map(|(y, at)| Some((y, stream(*at)?)));
        terms.map(|(y, dy)| dy * y.derivative).sum()
    };
    c.wrt.iter().map(by).collect()
}

/// Returns the gradient of a gradient of the author's function `f`.
///
/// `first` connects the streams of the first gradient to those of `f`, and `second` those of the second gradient (in
/// `i`) to those of the first. A saved value has the derivatives of the expression that was saved.
pub fn second_gradient(
    f: Evaluate,
    first: &Connections,
    second: &Connections,
    i: &OracleInput<'_>,
) -> Vec<f64> {
    let stream = |at: Option<usize>| at.and_then(|at| i.streams.get(at)).copied();
    let held =
        |at: Option<usize>| stream(at.and_then(|at| second.inputs.get(at).copied().flatten()));
    let saved: Vec<Option<f64>> = first.saved.iter().map(|at| held(*at)).collect();
    // Derivative of the gradient by forward input `by`, with respect to the gradient's stream `wrt`.
    let slope = |by: usize, wrt: usize| {
        let x = first.inputs.iter().enumerate().map(|(k, at)| Elem {
            derivative: if k == by { 1.0 } else { 0.0 },
            other: if *at == Some(wrt) { 1.0 } else { 0.0 },
            ..Elem::constant(held(*at).unwrap_or(0.5))
        });
        let y = f(&x.collect::<Vec<Elem>>(), i.attrs, &saved);
        let terms = y.iter().zip(first.upstream).filter(|(_, at)| at.is_some()).map(|(y, at)| {
            let own = if *at == Some(wrt) { y.derivative } else { 0.0 };
            own + held(*at).map_or(0.0, |dy| dy * y.both)
        });
        terms.sum::<f64>()
    };
    let by = |wrt: &usize| {
        let gradients = first.wrt.iter().zip(second.upstream);
        gradients.filter_map(|(k, at)| Some(stream(*at)? * slope(*k, *wrt))).sum()
    };
    second.wrt.iter().map(by).collect()
}

/// Returns saved value number `at`: the one a gradient received, with the derivatives of `computed`.
///
/// If the gradient received no such value, the result is `computed` unchanged.
pub fn given(computed: Elem, saved: &[Option<f64>], at: usize) -> Elem {
    let value = saved.get(at).copied().flatten().unwrap_or(computed.value);
    Elem { value, ..computed }
}

/// Returns the value of an attribute as an integer: a boolean is 0 or 1, and a float is 0.
pub fn int(v: Value) -> i64 {
    v.as_int().unwrap_or_default()
}

/// Returns whether a call passes an optional tensor, which attribute number `at` says.
///
/// Returns false if there is no such attribute.
pub fn is_given(attrs: &[Value], at: usize) -> bool {
    attrs.get(at).is_some_and(|v| int(*v) != 0)
}

/// Returns the value of a float attribute, rounded to f32 as in kernels.
pub fn float(v: Value) -> f32 {
    match v {
        Value::Float(v) => v as f32,
        other => int(other) as f32,
    }
}

/// Returns the value of an enum attribute; the first variant if the number is unknown.
pub fn variant<T: OpAttr>(v: Value) -> T {
    T::from_i64(int(v)).unwrap_or(T::VARIANTS[0].0)
}
