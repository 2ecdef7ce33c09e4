//! The forward operator of a gradient: how the gradient's streams connect to it, and the graphs derived from its formula.

use crate::Errors;
use crate::attr::GradArgs;
use crate::model::Saved;
use crate::trace::Traced;
use op_dsl_ir::Stored;
use op_dsl_ir::op::{
    Accuracy, Derived, Kind, List, OpDef, Origin, Part, Range, RowFunction, Spec, Stream, Tensor,
};
use op_dsl_ir::passes::divisors;
use op_dsl_ir::roles::{has_surrogates, without_derivative};
use op_dsl_ir::rounding::Ranges;
use op_dsl_ir::row::RowFormula;
use op_dsl_ir::stages;
use op_dsl_ir::wiring::Wiring;
use syn::Ident;

/// The operator that a gradient is derived from: one with a formula of its own, or itself a gradient.
#[derive(Clone, Copy, Debug)]
pub struct Forward<'a> {
    /// Definition of the operator.
    pub def: &'a OpDef,
    /// Graphs of the author's formula, one per combination of values of the attributes it branches on.
    pub traced: &'a [Traced],
    /// The chain of operators that this one was derived from, the author's own first.
    ///
    /// Each comes with the wiring that connects its streams to those of its gradient, the next operator. The list is
    /// empty if this operator is the author's own, not a derived gradient.
    pub steps: &'a [(OpDef, Wiring)],
    /// The operator's `#[saved]` values, which are its last outputs.
    pub saved: &'a [Saved],
    /// Parameters of the author's function whose errors were reported, so that errors at uses are left out.
    pub refused: &'a [Ident],
}

impl Forward<'_> {
    /// Returns the number of outputs that the function returns; the `#[saved]` ones come after them.
    pub fn returned(&self) -> usize {
        self.def.outputs.len() - self.saved.len()
    }

    /// Returns the outputs that have an upstream gradient: those that the function returns, except integers and masks.
    pub fn differentiated(&self) -> Vec<usize> {
        differentiated(&self.def.outputs[..self.returned()])
    }

    /// Returns whether the operator is itself a gradient, derived or handwritten.
    pub fn is_gradient(&self) -> bool {
        self.def.grad_of.is_some()
    }
}

/// Returns the indices of the outputs that are differentiated: all but integers and masks, which only jump.
pub(super) fn differentiated(outputs: &[Tensor]) -> Vec<usize> {
    (0..outputs.len()).filter(|o| !jumps(&outputs[*o])).collect()
}

/// Returns whether the elements of a tensor are integers or truth values.
pub(super) fn jumps(tensor: &Tensor) -> bool {
    let is_whole = |own: Stored| own == Stored::Byte || own.integers().is_some();
    tensor.kind == Kind::Mask || tensor.own.is_some_and(is_whole)
}

/// Returns kind and own type of the tensor that an input of a gradient holds.
pub(super) fn held(forward: &OpDef, source: Origin) -> (Kind, Option<Stored>) {
    match source {
        Origin::Upstream(o) => gradient_of(&forward.outputs[o]),
        Origin::Output(o) => (forward.outputs[o].kind, forward.outputs[o].own),
        Origin::Input(i) => (forward.inputs[i].kind, forward.inputs[i].own),
        Origin::Own => (Kind::Whole, None), // only in handwritten gradients, which declare their kinds
    }
}

/// Returns kind and own type of a gradient with respect to a tensor, or of its upstream gradient.
///
/// A float of 8 bits has too few digits for gradients, so that they have the element type of the call.
pub(super) fn gradient_of(tensor: &Tensor) -> (Kind, Option<Stored>) {
    (tensor.kind, tensor.own.filter(|own| own.number().is_some()))
}

/// Returns, for each input stream of a gradient, the forward tensor and the part of it that it holds.
///
/// A part is a whole tensor, or the gate or the value elements of a gated tensor.
pub(super) fn streams(forward: &OpDef, inputs: &[(String, Origin)]) -> Vec<(Origin, Part)> {
    let of = |(_, source): &(String, Origin)| {
        let source = *source;
        held(forward, source).0.parts().iter().map(move |part| (source, *part))
    };
    inputs.iter().flat_map(of).collect()
}

/// Returns how the streams of a gradient with these inputs connect to those of its forward operator.
pub(super) fn wiring(forward: &Forward, inputs: &[(String, Origin)], wrt: &[usize]) -> Wiring {
    let streams = streams(forward.def, inputs);
    let stream_of = |source, part| streams.iter().position(|s| *s == (source, part));
    let (ins, outs) = (forward.def.input_streams(), forward.def.output_streams());
    let saved = |s: &Stream| {
        let output = Some(Origin::Output(s.tensor)).filter(|_| s.tensor >= forward.returned());
        output.and_then(|output| stream_of(output, s.part))
    };
    Wiring {
        inputs: ins.iter().map(|s| stream_of(Origin::Input(s.tensor), s.part)).collect(),
        upstream: outs.iter().map(|s| stream_of(Origin::Upstream(s.tensor), s.part)).collect(),
        saved: outs.iter().map(saved).collect(),
        wrt: wrt.iter().flat_map(|w| (0..ins.len()).filter(|i| ins[*i].tensor == *w)).collect(),
    }
}

/// Reports an error if the gradient needs the derivative of a primitive that has none.
fn has_derivatives(
    forward: &Forward,
    wiring: &Wiring,
    args: &GradArgs,
    errors: &Errors,
) -> Option<()> {
    let own = forward.def.input_streams().len();
    // A gradient is differentiated as it was derived from the author's formula.
    let lacks = |graph| without_derivative(graph, &wiring.wrt, own);
    let lacks = match forward.steps.is_empty() {
        true => forward.traced.iter().find_map(|t| lacks(&t.formula.graph)),
        false => forward.def.specs.iter().find_map(|spec| lacks(&spec.traced)),
    };
    let Some(prim) = lacks else { return Some(()) };
    errors.none(
        &args.keyword,
        format!(
            "the derivative of `{name}` is no function of formulas, and `{of}` needs it; leave this `grad(..)` out, \
             or give the value another derivative by `with_grad({name}(x), ..)`",
            name = prim.row().name,
            of = args.name.as_ref().map_or_else(String::new, |name| name.value()),
        ),
    )
}

/// Derives the gradient's specialisations; `None` after reporting an error.
///
/// `ranges` has the value range of each of the gradient's input streams.
pub(super) fn specs(
    forward: &Forward,
    wiring: &Wiring,
    ranges: &Ranges,
    accuracy: Accuracy,
    args: &GradArgs,
    errors: &Errors,
) -> Option<Vec<Spec>> {
    has_derivatives(forward, wiring, args, errors)?;
    let steps = forward.steps.iter().map(|(_, step)| step).chain([wiring]);
    let steps: List<Wiring> = steps.cloned().collect();
    let mut specs = Vec::new();
    let per_row = |streams: Vec<Stream>, tensors: &[Tensor]| -> Vec<bool> {
        let tensors = streams.iter().map_while(|s| tensors.get(s.tensor));
        tensors.map(|tensor| tensor.kind == Kind::PerRow).collect()
    };
    let [inputs, outputs] = [
        per_row(forward.def.input_streams(), &forward.def.inputs),
        per_row(forward.def.output_streams(), &forward.def.outputs[..forward.returned()]),
    ];
    let sums: Vec<bool> = wiring.wrt.iter().map(|k| inputs[*k]).collect();
    for t in forward.traced {
        let averaged = t.formula.averaged(&outputs);
        let rows: List<RowFunction> = averaged.functions.clone().into();
        match stages::gradient(&averaged, &steps, ranges.len()) {
            Ok(formula) => {
                let formula = formula.summed(&sums);
                let forward = averaged.graph.clone();
                let compiled = RowFormula {
                    graph: divisors::cancelled(&formula.graph, has_surrogates(&forward)),
                    ..formula.clone()
                };
                let mut spec = stages::compile(t.when.clone(), &compiled, ranges, accuracy);
                if spec.stages.is_empty() {
                    spec.traced = formula.graph;
                }
                let derived = Derived { forward, steps: steps.clone(), rows };
                specs.push(Spec { derived: Some(derived), ..spec });
            }
            Err(unconnected) => {
                let earlier = forward.steps.get(unconnected.step).map(|(def, _)| def);
                let names = earlier.unwrap_or(forward.def).input_names();
                let name = names.get(unconnected.stream).map_or("?", String::as_str);
                let message = match earlier {
                    None => {
                        format!(
                            "the gradient reads `{name}`, which is not among its inputs; add it"
                        )
                    }
                    Some(def) => format!(
                        "the gradient reads what was saved of `{}`, which is not among its inputs and \
                         cannot be computed without `{name}`; add it",
                        def.name
                    ),
                };
                return errors.none(&args.keyword, message);
            }
        }
    }
    Some(specs)
}

/// Returns the declared value range of every stream of these inputs; `None` where none is declared.
pub(crate) fn stream_ranges(inputs: &[Tensor], ranges: &[Range]) -> Vec<Option<[f64; 2]>> {
    let of = |(i, tensor): (usize, &Tensor)| {
        let range = ranges.iter().find(|r| r.input == i).map(|r| r.bounds);
        vec![range; tensor.kind.parts().len()]
    };
    inputs.iter().enumerate().flat_map(of).collect()
}
