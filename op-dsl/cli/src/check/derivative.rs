//! Check of a gradient against central differences of its forward operator's own function.

use crate::lookup::Operators;
use crate::target::Finding;
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::differences::compare;
use op_dsl_ir::op::Spec;
use op_dsl_ir::roles::has_surrogates;

/// Checks that a gradient operator agrees with finite differences of its forward operator's results.
///
/// Returns `None` if the operator is no gradient.
pub fn derivative(operators: Operators, op: &Operator) -> Option<Finding> {
    let forward = op.def().forward()?;
    let Some(forward) = operators.iter().find(|f| f.name() == forward) else {
        return Some(Finding::Nothing(format!("{forward} is not among the operators")));
    };
    let is_chosen = |spec: &Spec| spec.derived.as_ref().is_some_and(|d| has_surrogates(&d.forward));
    if op.def().specs.iter().any(is_chosen) {
        let text = "values with a derivative of the author's choice have no differences";
        return Some(Finding::Nothing(text.to_owned()));
    }
    if op.def().has_row_functions() || forward.def().has_row_functions() {
        return Some(Finding::Nothing(
            "functions of rows are not compared with differences".into(),
        ));
    }
    let oracle = |streams: &[f64], attrs: &[_]| forward.oracle(streams, attrs);
    let agreement = compare(forward.def(), op.def(), oracle).map(|found| {
        let (points, off) = (found.points, found.off);
        format!("{points} differences of {}, at most {off:.0e} off", forward.name())
    });
    Some(Finding::of(agreement))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{SCALE, WRONG_KERNEL};
    use op_dsl_ir::op::{GradOf, Origin};

    /// The test operator `Scale` is its own gradient by `x`; a copy with a wrong factor is not.
    #[test]
    fn a_wrong_gradient_is_found() {
        let gradient = |op: &'static Operator| -> &'static Operator {
            Box::leak(Box::new(op.redefined(|def| {
                let inputs = vec![Origin::Input(0), Origin::Upstream(0)].into();
                let forward = "Scale".into();
                def.grad_of = Some(GradOf { forward, inputs, wrt: vec![1].into() });
            })))
        };
        let found = |op| derivative(&[&SCALE], op);
        assert!(found(&SCALE).is_none());
        let Some(Finding::Holds(text)) = found(gradient(&SCALE)) else { panic!("no gradient") };
        assert!(text.starts_with("800 differences of Scale, at most "), "{text}");
        let Some(Finding::Missed(text)) = found(gradient(&WRONG_KERNEL)) else { panic!("good") };
        assert!(text.starts_with("`dx.gate` is "), "{text}");
    }
}
