//! The gradient operators that `grad(..)` requests: their signatures, and the wiring of their streams to the forward
//! operator's.
//!
//! A second derivative is one more step of the same kind.
//!
//! ```text
//! variables   the inputs named by `wrt`
//! tensors     inputs, outputs and attributes
//! by_hand     handwritten gradients and their forward operators
//! ```

mod by_hand;
mod tensors;
mod variables;

pub(crate) use by_hand::by_hand;

use crate::Errors;
use crate::attr::GradArgs;
use crate::trace::Traced;
use op_dsl_ir::compile;
use op_dsl_ir::doc::of_gradient;
use op_dsl_ir::graph::Graph;
use op_dsl_ir::op::{
    Derived, GradOf, Kind, List, OpDef, Origin, Part, Range, Spec, Stream, Tensor,
};
use op_dsl_ir::rounding::Ranges;
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
    /// Names of the operator's `#[saved]` values, which are its last outputs, as the author wrote them.
    pub saved: &'a [Ident],
    /// Parameters of the author's function whose errors were reported, so that errors at uses are left out.
    pub refused: &'a [Ident],
}

impl Forward<'_> {
    /// Returns the number of outputs that the function returns; the `#[saved]` ones come after them.
    fn returned(&self) -> usize {
        self.def.outputs.len() - self.saved.len()
    }

    /// Returns whether the operator is itself a gradient, derived or handwritten.
    fn is_gradient(&self) -> bool {
        self.def.grad_of.is_some()
    }
}

/// Derives the gradient operator of `forward`; `None` after reporting an error.
///
/// Also returns the wiring, which connects the gradient's streams to those of `forward`.
pub fn derive(forward: &Forward, args: &GradArgs, errors: &Errors) -> Option<(OpDef, Wiring)> {
    let wrt = variables::wrt(forward, args, errors)?;
    let inputs = match &args.inputs {
        Some(names) => tensors::explicit(names, forward, args, errors)?,
        None => tensors::default(forward, &wrt, args, errors)?,
    };
    let def = forward.def;
    let attrs = tensors::attributes(def, &inputs, args, errors)?;
    tensors::rows(def, &inputs, args, errors)?;
    let outputs = tensors::outputs(&wrt, def, args, errors)?;
    tensors::distinct(&inputs, &outputs, args, errors)?;
    let wiring = wiring(forward, &inputs, &wrt);
    let tensors: Vec<Tensor> = inputs
        .iter()
        .map(|(name, source)| Tensor {
            name: name.clone().into(),
            kind: kind(def, *source),
            used: true,
        })
        .collect();
    let ranges = ranges(def, &inputs);
    let specs = specs(forward, &wiring, &stream_ranges(&tensors, &ranges), args, errors)?;
    if args.inputs.is_none() && !specs.is_empty() {
        tensors::read(&streams(def, &inputs), &specs, forward, errors)?;
    }

    let doc = format!("{}\n\n{}", of_gradient(&def.name), def.doc);
    let mut gradient = OpDef {
        name: args.name.as_ref()?.value().into(),
        doc: doc.trim().to_owned().into(),
        inputs: tensors.into(),
        outputs: outputs.into(),
        attrs: attrs.into(),
        broadcast: args.broadcast.unwrap_or(def.broadcast),
        // An input that the forward operator does not broadcast is not broadcast in the gradient either.
        wide: if args.broadcast.is_some() { List::default() } else { wide(def, &inputs) },
        promote: args.promote.unwrap_or(def.promote),
        empty: args.empty.unwrap_or(def.empty),
        ranges,
        specs: specs.into(),
        grad_of: Some(GradOf {
            forward: def.name.clone(),
            inputs: inputs.iter().map(|(_, origin)| *origin).collect(),
            wrt: wrt.into(),
        }),
        published: None,
        ..def.clone()
    };
    mark_used(&mut gradient);
    Some((gradient, wiring))
}

/// Returns the indices of a gradient's inputs that hold forward inputs which are never broadcast.
fn wide(forward: &OpDef, inputs: &[(String, Origin)]) -> List<usize> {
    let is_wide = |o: &Origin| matches!(o, Origin::Input(i) if forward.wide.contains(i));
    inputs.iter().enumerate().filter(|(_, (_, o))| is_wide(o)).map(|(k, _)| k).collect()
}

/// Marks the inputs that any of the operator's graphs reads as used.
///
/// Row counts are always used, because the rows that are not computed become zeros.
pub(crate) fn mark_used(def: &mut OpDef) {
    let streams = def.input_streams();
    let read: Vec<bool> =
        (0..streams.len()).map(|i| def.specs.iter().any(|s| s.graph.reads(i))).collect();
    for (t, tensor) in def.inputs.to_mut().iter_mut().enumerate() {
        let is_read = streams.iter().zip(&read).any(|(s, read)| s.tensor == t && *read);
        tensor.used = is_read || tensor.kind == Kind::Rows;
    }
}

fn kind(forward: &OpDef, source: Origin) -> Kind {
    match source {
        Origin::Upstream(o) | Origin::Output(o) => forward.outputs[o].kind,
        Origin::Input(i) => forward.inputs[i].kind,
        Origin::Own => Kind::Whole, // only in handwritten gradients, which declare their kinds
    }
}

/// Returns, for each input stream of a gradient, the forward tensor and the part of it that it holds.
///
/// A part is a whole tensor, or the gate or the value elements of a gated tensor.
fn streams(forward: &OpDef, inputs: &[(String, Origin)]) -> Vec<(Origin, Part)> {
    let of = |(_, source): &(String, Origin)| {
        let source = *source;
        kind(forward, source).parts().iter().map(move |part| (source, *part))
    };
    inputs.iter().flat_map(of).collect()
}

fn wiring(forward: &Forward, inputs: &[(String, Origin)], wrt: &[usize]) -> Wiring {
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

fn specs(
    forward: &Forward,
    wiring: &Wiring,
    ranges: &Ranges,
    args: &GradArgs,
    errors: &Errors,
) -> Option<Vec<Spec>> {
    let steps = forward.steps.iter().map(|(_, step)| step).chain([wiring]);
    let steps: List<Wiring> = steps.cloned().collect();
    let mut specs = Vec::new();
    for t in forward.traced {
        match compile::gradient(&t.graph, &steps) {
            Ok(graph) => {
                let derived = Derived { forward: t.graph.clone(), steps: steps.clone() };
                specs.push(Spec { derived: Some(derived), ..spec(t.when.clone(), graph, ranges) });
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
                errors.at(&args.keyword, message);
                return None;
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

/// Returns the value ranges of a gradient's inputs, as declared for the forward inputs they hold.
fn ranges(forward: &OpDef, inputs: &[(String, Origin)]) -> List<Range> {
    let of = |(input, (_, origin)): (usize, &(String, Origin))| match origin {
        Origin::Input(i) => forward.range(*i).map(|bounds| Range { input, bounds }),
        Origin::Upstream(_) | Origin::Output(_) | Origin::Own => None,
    };
    inputs.iter().enumerate().filter_map(of).collect()
}

/// Compiles the graph that was traced for one combination of attribute values, `when`.
pub(crate) fn spec(when: Vec<(usize, i64)>, traced: Graph, ranges: &Ranges) -> Spec {
    let graph = compile::forward(&traced, ranges);
    let wide = Some(compile::wide(&traced, &graph, ranges));
    Spec { when: when.into(), traced, graph, wide, derived: None }
}
