//! The gradient operators that `grad(..)` requests: their signatures, and the wiring of their streams to the forward
//! operator's.
//!
//! A second derivative is one more step of the same kind.
//!
//! ```text
//! forward     the forward operator, the wiring to it, and the graphs derived from it
//! variables   the inputs named by `wrt`
//! tensors     inputs, outputs and attributes
//! by_hand     handwritten gradients and their forward operators
//! ```

mod by_hand;
mod forward;
mod tensors;
mod variables;

pub(crate) use by_hand::by_hand;
pub use forward::Forward;
pub(crate) use forward::stream_ranges;

use crate::Errors;
use crate::attr::GradArgs;
use crate::trace::has_row_functions;
use forward::{held, specs, streams, wiring};
use op_dsl_ir::doc::of_gradient;
use op_dsl_ir::kernel::MAX_KERNEL_STREAMS;
use op_dsl_ir::op::{Along, GradOf, Kind, List, OpDef, Origin, Range, Tensor};
use op_dsl_ir::wiring::Wiring;
use quote::ToTokens;

/// Derives the gradient operator of `forward`; `None` after reporting an error.
///
/// Also returns the wiring, which connects the gradient's streams to those of `forward`.
pub fn derive(forward: &Forward, args: &GradArgs, errors: &Errors) -> Option<(OpDef, Wiring)> {
    let wrt = variables::wrt(forward, args, errors)?;
    tensors::some_differentiated(forward, args, errors)?;
    tensors::no_sums(forward.def, args, errors)?;
    tensors::no_rows(forward, args, errors)?;
    tensors::no_per_row(forward, args, errors)?;
    let inputs = match &args.inputs {
        Some(names) => tensors::explicit(names, forward, args, errors)?,
        None => tensors::default(forward, &wrt, args, errors)?,
    };
    let def = forward.def;
    let attrs = tensors::attributes(def, &inputs, args, errors)?;
    tensors::rows(def, &inputs, args, errors)?;
    let outputs = tensors::outputs(&wrt, def, args, errors)?;
    tensors::distinct(&inputs, &outputs, args, errors)?;
    let sums = tensors::sums(&wrt, &inputs, def, args, errors)?;
    let wiring = wiring(forward, &inputs, &wrt);
    let tensors: Vec<Tensor> = inputs
        .iter()
        .map(|(name, source)| {
            let (kind, own) = held(def, *source);
            Tensor { name: name.clone().into(), kind, own, used: true }
        })
        .collect();
    let ranges = ranges(def, &inputs);
    let stream_ranges = stream_ranges(&tensors, &ranges);
    let has_rows = has_row_functions(forward.traced);
    let accuracy =
        args.accuracy.as_ref().map(|asked| asked.checked(has_rows, errors)).unwrap_or_default();
    let specs = specs(forward, &wiring, &stream_ranges, accuracy, args, errors)?;
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
        along: if args.broadcast == Some(false) { List::default() } else { along(def, &inputs) },
        sums: sums.into(),
        promote: args.promote.unwrap_or(def.promote),
        empty: args.empty.unwrap_or(def.empty),
        updates: List::default(),
        accuracy,
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
    fits_kernels(&gradient, &args.keyword, errors);
    Some((gradient, wiring))
}

/// Reports an error if row functions need more streams than kernels have.
pub(crate) fn fits_kernels(def: &OpDef, at: &impl ToTokens, errors: &Errors) {
    let (own, outputs) = (def.input_streams().len(), def.output_streams().len());
    if !def.specs.iter().all(|spec| spec.fits_kernels(own, outputs)) {
        let what = format!("tensors and row functions of `{}` need more than", def.name);
        errors.at(at, format!("{what} {MAX_KERNEL_STREAMS} streams; split the operator"));
    }
}

/// Returns the indices of a gradient's inputs that hold forward inputs which are never broadcast.
fn wide(forward: &OpDef, inputs: &[(String, Origin)]) -> List<usize> {
    let is_wide = |o: &Origin| matches!(o, Origin::Input(i) if forward.wide.contains(i));
    inputs.iter().enumerate().filter(|(_, (_, o))| is_wide(o)).map(|(k, _)| k).collect()
}

/// Returns the inputs of a gradient that hold forward inputs which lie along a dimension, with that dimension.
fn along(forward: &OpDef, inputs: &[(String, Origin)]) -> List<Along> {
    let of = |(input, (_, origin)): (usize, &(String, Origin))| match origin {
        Origin::Input(i) => forward.along(*i).map(|dim| Along { input, dim }),
        Origin::Upstream(_) | Origin::Output(_) | Origin::Own => None,
    };
    inputs.iter().enumerate().filter_map(of).collect()
}

/// Marks the inputs that any of the operator's graphs reads as used.
///
/// Row counts are always used, because the rows that are not computed become zeros.
pub(crate) fn mark_used(def: &mut OpDef) {
    let streams = def.input_streams();
    let read: Vec<bool> =
        (0..streams.len()).map(|i| def.specs.iter().any(|s| s.reads(i))).collect();
    for (t, tensor) in def.inputs.to_mut().iter_mut().enumerate() {
        let is_read = streams.iter().zip(&read).any(|(s, read)| s.tensor == t && *read);
        tensor.used = is_read || tensor.kind == Kind::Rows;
    }
}

/// Returns the value ranges of a gradient's inputs, as declared for the forward inputs they hold.
fn ranges(forward: &OpDef, inputs: &[(String, Origin)]) -> List<Range> {
    let of = |(input, (_, origin)): (usize, &(String, Origin))| match origin {
        Origin::Input(i) => forward.range(*i).map(|bounds| Range { input, bounds }),
        Origin::Upstream(_) | Origin::Output(_) | Origin::Own => None,
    };
    inputs.iter().enumerate().filter_map(of).collect()
}
