//! Inputs, outputs and attributes of a derived gradient.

use super::forward::{Forward, gradient_of, specs, streams, wiring};
use super::variables::{self, list};
use crate::attr::{GradArgs, Input};
use crate::{Errors, names};
use op_dsl_ir::op::{Accuracy, Attr, AttrKind, OpDef, Origin, Part, Spec, Sum, Tensor};

/// Resolves the names in `inputs(..)` of a gradient; `None` after reporting an error.
///
/// A name of a forward tensor stands for that tensor, and any other name for an upstream gradient.
pub fn explicit(
    names: &[Input],
    forward: &Forward,
    args: &GradArgs,
    errors: &Errors,
) -> Option<Vec<(String, Origin)>> {
    let (def, outputs) = (forward.def, forward.differentiated());
    let mut inputs: Vec<(String, Origin)> = Vec::new();
    let mut upstream = 0;
    for Input { name: ident, holds } in names {
        let source = match (variables::held(def, holds.as_ref().unwrap_or(ident)), holds) {
            (Some(source), _) => source,
            (None, Some(unknown)) => {
                variables::no_tensor(unknown, def, errors);
                return None;
            }
            (None, None) => {
                upstream += 1;
                Origin::Upstream(outputs.get(upstream - 1).copied().unwrap_or_default())
            }
        };
        let name = names::tensor(ident);
        if inputs.iter().any(|(known, _)| name == *known) {
            return errors.none(ident, format!("`{ident}` is given twice; write it once"));
        }
        inputs.push((name, source));
    }
    if upstream != outputs.len() {
        let returned = outputs.len();
        let known = [list(&def.inputs), list(&def.outputs)].join(", ");
        return errors.none(
            &args.keyword,
            format!(
                "inputs that are upstream gradients: {upstream}, outputs of the formula: {returned}; \
                 every name that is not a tensor of the formula ({known}) is an upstream gradient"
            ),
        );
    }
    Some(inputs)
}

/// Returns the inputs of a gradient whose author wrote no `inputs(..)`.
///
/// The inputs are the upstream gradients, the forward inputs that the gradient reads, the saved values, and row counts.
/// Returns `None` after reporting an error.
pub fn default(
    forward: &Forward,
    wrt: &[usize],
    args: &GradArgs,
    errors: &Errors,
) -> Option<Vec<(String, Origin)>> {
    let (def, returned, outputs) = (forward.def, forward.returned(), forward.differentiated());
    let is_by_y = wrt.iter().any(|i| &*def.inputs[*i].name == "y");
    let upstream = outputs.iter().map(|&o| {
        let name = &def.outputs[o].name;
        let name = match outputs.len() {
            // A gradient already has an input `dy`.
            _ if forward.is_gradient() => format!("d{name}"),
            // `dy` is the gradient by the input `y`.
            1 if is_by_y => format!("d{name}"),
            1 => "dy".to_owned(),
            _ => format!("dy_{name}"),
        };
        (name, Origin::Upstream(o))
    });
    let read = (0..def.inputs.len()).map(|i| (def.inputs[i].name.to_string(), Origin::Input(i)));
    let saved =
        (returned..def.outputs.len()).map(|o| (def.outputs[o].name.to_string(), Origin::Output(o)));
    let mut all: Vec<(String, Origin)> = upstream.chain(read).chain(saved).collect();
    all.sort_by_key(|(_, source)| def.rows().map(Origin::Input) == Some(*source));

    let wiring = wiring(forward, &all, wrt);
    let streams = streams(def, &all);
    let ranges = vec![None; streams.len()];
    let specs = specs(forward, &wiring, &ranges, Accuracy::Exact, args, errors)?;
    all.retain(|(_, source)| {
        // As differentiated: `s / s` is 1 in the kernel, but the derivative has no value where `s` is 0.
        let reads = |i: usize| specs.iter().any(|s| s.traced.reads(i) || s.reads(i));
        let is_read = streams.iter().enumerate().any(|(i, s)| s.0 == *source && reads(i));
        match source {
            // An optional tensor stays because its presence selects the formula. Counts of rows stay because rows
            // that are not computed have no gradient, and a broadcast input because its gradient has its shape.
            Origin::Input(i) => {
                let is_summed = wrt.contains(i) && variables::is_summed(def, args, *i);
                is_read || is_summed || def.presence(*i).is_some() || def.rows() == Some(*i)
            }
            _ => true,
        }
    });
    let mut names: Vec<&String> = all.iter().map(|(name, _)| name).collect();
    names.sort();
    if let Some(twice) = names.windows(2).find(|w| w[0] == w[1]) {
        let name = twice[0];
        let help = "name the inputs by `inputs(..)`";
        return errors.none(
            &args.keyword,
            format!("two inputs of the gradient are called `{name}`; {help}"),
        );
    }
    Some(all)
}

/// Requires that the gradient reads every saved value; `None` after reporting an error.
///
/// A saved value that is not read is an error, because each costs an output of the forward operator.
pub fn read(
    streams: &[(Origin, Part)],
    specs: &[Spec],
    forward: &Forward,
    errors: &Errors,
) -> Option<()> {
    let returned = forward.returned();
    let unread = |o: usize| {
        let is_read = |i| specs.iter().any(|s: &Spec| s.reads(i));
        !streams.iter().enumerate().any(|(i, s)| s.0 == Origin::Output(o) && is_read(i))
    };
    let Some(unread) = (returned..forward.def.outputs.len()).find(|o| unread(*o)) else {
        return Some(());
    };
    let ident = &forward.saved[unread - returned].ident;
    let help = "remove `#[saved]`, or return it as an output of its own";
    errors.none(ident, format!("the gradient does not read the saved value `{ident}`; {help}"))
}

/// Returns the outputs of a gradient, one for each input of `wrt`; `None` after reporting an error.
///
/// The output for an input `x` is called `dx`, unless `outputs(..)` has another name.
pub fn outputs(
    wrt: &[usize],
    forward: &OpDef,
    args: &GradArgs,
    errors: &Errors,
) -> Option<Vec<Tensor>> {
    if let Some(names) = args.outputs.as_ref().filter(|names| names.len() != wrt.len()) {
        let (is, want) = (names.len(), wrt.len());
        return errors
            .none(&args.keyword, format!("`outputs` names {is} and `wrt` asks for {want}"));
    }
    let tensor = |(k, i): (usize, &usize)| {
        let input = &forward.inputs[*i];
        let name = match &args.outputs {
            Some(given) => names::tensor(&given[k]),
            None => format!("d{}", input.name),
        };
        let (kind, own) = gradient_of(input);
        Tensor { name: name.into(), kind, own, used: true }
    };
    Some(wrt.iter().enumerate().map(tensor).collect())
}

/// Returns the outputs that are sums, each with the input of the gradient that it has the shape of.
///
/// Returns `None` after reporting an error: the gradient lacks such an input.
pub fn sums(
    wrt: &[usize],
    inputs: &[(String, Origin)],
    forward: &OpDef,
    args: &GradArgs,
    errors: &Errors,
) -> Option<Vec<Sum>> {
    let summed = wrt.iter().enumerate().filter(|(_, i)| variables::is_summed(forward, args, **i));
    let sum = |(output, input): (usize, &usize)| {
        let at = inputs.iter().position(|(_, source)| *source == Origin::Input(*input));
        if at.is_none() {
            let name = &forward.inputs[*input].name;
            let why = format!("the gradient by `{name}`, a sum over elements, has its shape");
            errors.at(&args.keyword, format!("{why}; add `{name}` to its inputs"));
        }
        Some(Sum { output, input: at? })
    };
    summed.map(sum).collect()
}

/// Refuses to differentiate an operator all of whose outputs are integers or masks; `None` after reporting the error.
pub fn some_differentiated(forward: &Forward, args: &GradArgs, errors: &Errors) -> Option<()> {
    if !forward.differentiated().is_empty() {
        return Some(());
    }
    let why = "no output has a gradient, because integers and masks have none";
    errors.none(&args.keyword, format!("{why}; remove `grad(..)`"))
}

/// Refuses to differentiate a gradient whose outputs are sums; `None` after reporting the error.
pub fn no_sums(forward: &OpDef, args: &GradArgs, errors: &Errors) -> Option<()> {
    let Some(sum) = forward.sums.first() else { return Some(()) };
    let (output, input) = (&forward.outputs[sum.output].name, &forward.inputs[sum.input].name);
    let why = format!("`{output}` is a sum over elements, which has no second derivative here");
    let help = format!("write the first `wrt` without `{input}`");
    errors.none(&args.keyword, format!("{why}; {help}"))
}

/// Refuses to differentiate a gradient whose forward formula has row functions; `None` after reporting the error.
pub fn no_rows(forward: &Forward, args: &GradArgs, errors: &Errors) -> Option<()> {
    let mut functions = forward.traced.iter().flat_map(|t| &t.formula.functions);
    let Some(function) = functions.next().filter(|_| forward.is_gradient()) else {
        return Some(());
    };
    let why = format!("`{}` has no second derivative here", function.name());
    errors.none(&args.keyword, format!("{why}; write the first `grad(..)` without another"))
}

/// Refuses to differentiate a gradient with tensors of one number per row; `None` after reporting the error.
pub fn no_per_row(forward: &Forward, args: &GradArgs, errors: &Errors) -> Option<()> {
    let per_row = forward.def.per_row().next().filter(|_| forward.is_gradient());
    let Some(tensor) = per_row else { return Some(()) };
    let why = format!("`{}` has one number per row, and no second derivative here", tensor.name);
    errors.none(&args.keyword, format!("{why}; write the first `grad(..)` without another"))
}

/// Requires distinct names of a gradient's inputs and outputs; `None` after reporting an error.
///
/// All of them are parameters of one call.
pub fn distinct(
    inputs: &[(String, Origin)],
    outputs: &[Tensor],
    args: &GradArgs,
    errors: &Errors,
) -> Option<()> {
    for (k, output) in outputs.iter().enumerate() {
        let earlier = outputs[..k].iter().any(|o| o.name == output.name);
        if earlier || inputs.iter().any(|(name, _)| *name == output.name) {
            let message = format!("two tensors of the gradient are called `{}`", output.name);
            let help = "name its outputs by `outputs(..)`";
            return errors.none(&args.keyword, format!("{message}; {help}"));
        }
    }
    Some(())
}

/// Returns the attributes of a gradient, which are those of the forward operator.
///
/// A flag that says whether an optional input is given gets the index of that input in the gradient. Returns `None`
/// after an error: the gradient lacks such an input.
pub fn attributes(
    forward: &OpDef,
    inputs: &[(String, Origin)],
    args: &GradArgs,
    errors: &Errors,
) -> Option<Vec<Attr>> {
    let here = |attr: &Attr| {
        let AttrKind::Given(input) = attr.kind else { return Some(attr.clone()) };
        let at = inputs.iter().position(|(_, source)| *source == Origin::Input(input));
        if at.is_none() {
            let help = "add it to its inputs";
            let name = &forward.inputs[input].name;
            let why = format!("the gradient depends on whether `{name}` is given");
            errors.at(&args.keyword, format!("{why}; {help}"));
        }
        Some(Attr { kind: AttrKind::Given(at?), ..attr.clone() })
    };
    forward.attrs.iter().map(here).collect()
}

/// Requires that a gradient has the forward operator's row counts, if any, as its last input.
///
/// Rows that the forward operator does not compute have no gradient, so both operators take the same counts. Returns
/// `None` after reporting an error.
pub fn rows(
    forward: &OpDef,
    inputs: &[(String, Origin)],
    args: &GradArgs,
    errors: &Errors,
) -> Option<()> {
    let Some(rows) = forward.rows() else { return Some(()) };
    if inputs.last().map(|(_, source)| *source) == Some(Origin::Input(rows)) {
        return Some(());
    }
    let name = &forward.inputs[rows].name;
    let what = "the gradient of rows that are not computed is zero";
    errors.none(&args.keyword, format!("{what}; write `{name}` as the last of its inputs"))
}
