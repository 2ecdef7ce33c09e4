//! Check of hand-written gradients against their forward operators.
//!
//! The test that `#[op(.., grad_of = f)]` generates calls it.

use crate::Operator;
use op_dsl_ir::differences;

/// Compares the graphs of `gradient` with central differences of `forward`'s own function.
///
/// A derived gradient has no function of its own: differences for its gradient are those of its graphs.
///
/// # Errors
/// A message of one line if the two differ, if names do not tell which tensors correspond, or if too few of the random
/// points have a derivative.
pub fn gradient(forward: &Operator, gradient: &Operator) -> Result<(), String> {
    let oracle = |streams: &[f64], attrs: &[_]| forward.oracle(streams, attrs);
    differences::compare(forward.def(), gradient.def(), oracle).map(|_| ()).map_err(|why| {
        format!("`{}` is not the gradient of `{}`: {why}", gradient.name(), forward.name())
    })
}
