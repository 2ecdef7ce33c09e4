//! The gradient operator that `grad(..)` asks for: its signature, and how its streams connect to
//! those of the forward formula.

use crate::attr::{GradArgs, Input};
use crate::model::{Op, OpFn, Role};
use crate::trace::Traced;
use crate::{Errors, names};
use op_dsl_ir::compile;
use op_dsl_ir::graph::Graph;
use op_dsl_ir::op::{
    Attr, AttrKind, Derived, GradOf, Kind, List, OpDef, Origin, Part, Spec, Stream, Tensor,
};
use op_dsl_ir::wiring::Wiring;
use syn::Ident;

/// A derived gradient: what it is, and how it is wired to its forward operator.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// The operator.
    pub def: OpDef,
    /// Its streams by those of the forward operator.
    pub wiring: Wiring,
}

/// Derives the gradient of `forward`; `None` after an error.
pub fn derive(
    forward: &OpDef,
    traced: &[Traced],
    args: &GradArgs,
    op: &Op,
    errors: &Errors,
) -> Option<Gradient> {
    let returned = op.function.returns.len();
    let wrt = wrt(forward, args, errors)?;
    as_wide_as_the_output(op, args, errors)?;
    let inputs = match &args.inputs {
        Some(names) => explicit(names, forward, returned, args, errors)?,
        None => default(forward, traced, returned, &wrt, errors, args)?,
    };
    let attrs = attributes(forward, &inputs, args, errors)?;
    rows(forward, &inputs, args, errors)?;
    let outputs = outputs(&wrt, forward, args, errors)?;
    distinct(&inputs, &outputs, args, errors)?;
    let wiring = wiring(forward, &inputs, &wrt, returned);
    let specs = specs(traced, &wiring, forward, args, errors)?;
    if args.inputs.is_none() && !specs.is_empty() {
        read(&streams(forward, &inputs), &specs, op, forward, errors)?;
    }

    let tensors: Vec<Tensor> = inputs
        .iter()
        .map(|(name, source)| Tensor {
            name: name.clone().into(),
            kind: kind(forward, *source),
            used: true,
        })
        .collect();
    let doc = format!("The gradient of `{}`.\n\n{}", forward.name, forward.doc);
    let mut def = OpDef {
        name: args.name.as_ref()?.value().into(),
        doc: doc.trim().to_owned().into(),
        inputs: tensors.into(),
        outputs: outputs.into(),
        attrs: attrs.into(),
        broadcast: args.broadcast || forward.broadcast,
        // Of what the forward operator wants as wide as its result, the gradient is as wide.
        wide: if args.broadcast { List::default() } else { wide(forward, &inputs) },
        promote: args.promote || forward.promote,
        empty: args.empty.unwrap_or(forward.empty),
        specs: specs.into(),
        grad_of: Some(GradOf {
            forward: forward.name.clone(),
            inputs: inputs.iter().map(|(_, origin)| *origin).collect(),
            wrt: wrt.into(),
        }),
        published: None,
        ..forward.clone()
    };
    mark_used(&mut def);
    Some(Gradient { def, wiring })
}

/// The inputs of a gradient that hold what is never broadcast.
fn wide(forward: &OpDef, inputs: &[(String, Origin)]) -> List<usize> {
    let is_wide = |o: &Origin| matches!(o, Origin::Input(i) if forward.wide.contains(i));
    inputs.iter().enumerate().filter(|(_, (_, o))| is_wide(o)).map(|(k, _)| k).collect()
}

/// Which inputs any of the graphs reads; rows that are not computed are zeros.
pub(crate) fn mark_used(def: &mut OpDef) {
    let streams = def.input_streams();
    let read: Vec<bool> =
        (0..streams.len()).map(|i| def.specs.iter().any(|s| s.graph.reads(i))).collect();
    for (t, tensor) in def.inputs.to_mut().iter_mut().enumerate() {
        let is_read = streams.iter().zip(&read).any(|(s, read)| s.tensor == t && *read);
        tensor.used = is_read || tensor.kind == Kind::Rows;
    }
}

fn position(tensors: &[Tensor], ident: &Ident) -> Option<usize> {
    let name = names::tensor(ident);
    tensors.iter().position(|t| name == *t.name)
}

/// The tensor of the forward operator that has this name.
fn held(forward: &OpDef, name: &Ident) -> Option<Origin> {
    let input = position(&forward.inputs, name).map(Origin::Input);
    input.or_else(|| position(&forward.outputs, name).map(Origin::Output))
}

fn no_tensor(ident: &Ident, forward: &OpDef, errors: &Errors) {
    let known = [list(&forward.inputs), list(&forward.outputs)].join(", ");
    let message = format!("`{ident}` is no tensor of `{}`; tensors: {known}", forward.name);
    errors.at(ident, message);
}

/// How a gradient written by hand belongs to its forward operator: inputs by names and
/// `#[holds(..)]`; outputs by `wrt(..)`, else by `d` and the name of an input, else by their order.
pub(crate) fn by_hand(
    forward: &OpDef,
    def: &OpDef,
    f: &OpFn,
    wrt: Option<&[Ident]>,
    errors: &Errors,
) -> GradOf {
    let mut upstream = 0;
    let mut inputs = Vec::new();
    for p in &f.params {
        let Role::Tensor { holds, .. } = &p.role else { continue };
        let of = held(forward, holds.as_ref().unwrap_or(&p.ident));
        // Only numbers are a gradient from above, and only those that every call has.
        let is_other =
            matches!(p.role, Role::Tensor { kind: Kind::Mask | Kind::Rows, optional: false, .. });
        if let (None, Some(unknown)) = (of, holds.as_ref().or(is_other.then_some(&p.ident))) {
            no_tensor(unknown, forward, errors);
        }
        inputs.push(match (of, &p.role) {
            (Some(of), _) => of,
            (None, Role::Tensor { optional: true, .. }) => Origin::Own,
            (None, _) => {
                upstream += 1;
                Origin::Upstream(upstream - 1)
            }
        });
    }
    let named = |o: &Tensor| forward.inputs.iter().position(|i| *o.name == format!("d{}", i.name));
    let named: Option<Vec<usize>> = def.outputs.iter().map(named).collect();
    let in_order = || (0..def.outputs.len()).filter(|_| def.outputs.len() == forward.inputs.len());
    let wrt = match wrt {
        Some(wrt) => variables(wrt, forward, errors).unwrap_or_default(),
        None => named.unwrap_or_else(|| in_order().collect()),
    };
    GradOf { forward: forward.name.clone(), inputs: inputs.into(), wrt: wrt.into() }
}

fn list(tensors: &[Tensor]) -> String {
    tensors.iter().map(|t| format!("`{}`", t.name)).collect::<Vec<_>>().join(", ")
}

fn wrt(forward: &OpDef, args: &GradArgs, errors: &Errors) -> Option<Vec<usize>> {
    if args.wrt.is_empty() {
        let help = "write `wrt(x)` with the inputs to differentiate by";
        errors.at(&args.keyword, format!("the gradient needs its variables; {help}"));
        return None;
    }
    variables(&args.wrt, forward, errors)
}

/// The inputs of the forward operator that are called so.
fn variables(names: &[Ident], forward: &OpDef, errors: &Errors) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for ident in names {
        match position(&forward.inputs, ident) {
            Some(i) if found.contains(&i) => {
                errors.at(ident, format!("`{ident}` is given twice; write it once"))
            }
            Some(i) if forward.inputs[i].kind == Kind::Mask => {
                let help = "write `wrt` with inputs of numbers";
                errors.at(ident, format!("`{ident}` is a mask, which has no gradient; {help}"));
            }
            Some(i) if forward.inputs[i].kind == Kind::Rows => {
                let help = "write `wrt` with inputs of numbers";
                errors.at(ident, format!("`{ident}` counts rows and has no gradient; {help}"));
            }
            Some(i) if forward.presence(i).is_some() => {
                let help = "write `wrt` with inputs that every call has";
                errors.at(ident, format!("`{ident}` is optional, so its gradient is; {help}"));
            }
            Some(i) => found.push(i),
            None => {
                let known = list(&forward.inputs);
                errors.at(ident, format!("`{ident}` is no input of the formula; inputs: {known}"));
            }
        }
    }
    (found.len() == names.len()).then_some(found)
}

/// The gradient of an input that is broadcast would be a sum, which is not elementwise.
fn as_wide_as_the_output(op: &Op, args: &GradArgs, errors: &Errors) -> Option<()> {
    let every = op.args.broadcast && op.function.tensors().nth(1).is_some();
    let narrow = |ident: &Ident| every || op.function.broadcast().any(|marked| marked == ident);
    let found = args.wrt.iter().filter(|ident| narrow(ident));
    let said = found.map(|ident| {
        let why = format!("`{ident}` is broadcast, so its gradient is a sum over elements");
        let help = "write `wrt` with inputs that are not, or sum a gradient written by hand";
        errors.at(ident, format!("{why}; {help}"));
    });
    (said.count() == 0).then_some(())
}

/// A saved value costs an output of the forward operator, and is there for the gradient to read.
fn read(
    streams: &[(Origin, Part)],
    specs: &[Spec],
    op: &Op,
    forward: &OpDef,
    errors: &Errors,
) -> Option<()> {
    let returned = op.function.returns.len();
    let unread = |o: usize| {
        let is_read = |i| specs.iter().any(|s: &Spec| s.graph.reads(i));
        !streams.iter().enumerate().any(|(i, s)| s.0 == Origin::Output(o) && is_read(i))
    };
    let Some(unread) = (returned..forward.outputs.len()).find(|o| unread(*o)) else {
        return Some(());
    };
    let ident = &op.function.saved[unread - returned];
    let help = "remove `#[saved]`, or return it as an output of its own";
    errors.at(ident, format!("the gradient does not read the saved value `{ident}`; {help}"));
    None
}

/// Inputs as listed: names of the forward operator's tensors, and the upstream gradients.
fn explicit(
    names: &[Input],
    forward: &OpDef,
    returned: usize,
    args: &GradArgs,
    errors: &Errors,
) -> Option<Vec<(String, Origin)>> {
    let mut inputs: Vec<(String, Origin)> = Vec::new();
    let mut upstream = 0;
    for Input { name: ident, holds } in names {
        let source = match (held(forward, holds.as_ref().unwrap_or(ident)), holds) {
            (Some(source), _) => source,
            (None, Some(unknown)) => {
                no_tensor(unknown, forward, errors);
                return None;
            }
            (None, None) => {
                upstream += 1;
                Origin::Upstream(upstream - 1)
            }
        };
        let name = names::tensor(ident);
        if inputs.iter().any(|(known, _)| name == *known) {
            errors.at(ident, format!("`{ident}` is given twice; write it once"));
            return None;
        }
        inputs.push((name, source));
    }
    if upstream != returned {
        let known = [list(&forward.inputs), list(&forward.outputs)].join(", ");
        errors.at(
            &args.keyword,
            format!(
                "inputs that are upstream gradients: {upstream}, outputs of the formula: {returned}; \
                 every name that is not a tensor of the formula ({known}) is an upstream gradient"
            ),
        );
        return None;
    }
    Some(inputs)
}

/// Inputs by default: the upstream gradients, the forward inputs that are read, the saved values.
fn default(
    forward: &OpDef,
    traced: &[Traced],
    returned: usize,
    wrt: &[usize],
    errors: &Errors,
    args: &GradArgs,
) -> Option<Vec<(String, Origin)>> {
    let upstream = (0..returned).map(|o| {
        let name = &forward.outputs[o].name;
        let name = if returned == 1 { "dy".to_owned() } else { format!("dy_{name}") };
        (name, Origin::Upstream(o))
    });
    let read =
        (0..forward.inputs.len()).map(|i| (forward.inputs[i].name.to_string(), Origin::Input(i)));
    let saved = (returned..forward.outputs.len())
        .map(|o| (forward.outputs[o].name.to_string(), Origin::Output(o)));
    let mut all: Vec<(String, Origin)> = upstream.chain(read).chain(saved).collect();

    let wiring = wiring(forward, &all, wrt, returned);
    let specs = specs(traced, &wiring, forward, args, errors)?;
    let streams = streams(forward, &all);
    all.retain(|(_, source)| {
        let reads = |i: usize| specs.iter().any(|s| s.graph.reads(i));
        let is_read = streams.iter().enumerate().any(|(i, s)| s.0 == *source && reads(i));
        match source {
            // Whether it is given picks the formula; what no row depends on has no gradient there.
            Origin::Input(i) => {
                is_read || forward.presence(*i).is_some() || forward.rows() == Some(*i)
            }
            _ => true,
        }
    });
    let mut names: Vec<&String> = all.iter().map(|(name, _)| name).collect();
    names.sort();
    if let Some(twice) = names.windows(2).find(|w| w[0] == w[1]) {
        let name = twice[0];
        let help = "name the inputs by `inputs(..)`";
        errors.at(&args.keyword, format!("two inputs of the gradient are called `{name}`; {help}"));
        return None;
    }
    Some(all)
}

fn outputs(
    wrt: &[usize],
    forward: &OpDef,
    args: &GradArgs,
    errors: &Errors,
) -> Option<Vec<Tensor>> {
    if let Some(names) = args.outputs.as_ref().filter(|names| names.len() != wrt.len()) {
        let (is, want) = (names.len(), wrt.len());
        errors.at(&args.keyword, format!("`outputs` names {is} and `wrt` asks for {want}"));
        return None;
    }
    let tensor = |(k, i): (usize, &usize)| {
        let input = &forward.inputs[*i];
        let name = match &args.outputs {
            Some(given) => names::tensor(&given[k]),
            None => format!("d{}", input.name),
        };
        Tensor { name: name.into(), kind: input.kind, used: true }
    };
    Some(wrt.iter().enumerate().map(tensor).collect())
}

/// Inputs and outputs are parameters of one call.
fn distinct(
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
            errors.at(&args.keyword, format!("{message}; {help}"));
            return None;
        }
    }
    Some(())
}

fn kind(forward: &OpDef, source: Origin) -> Kind {
    match source {
        Origin::Upstream(o) | Origin::Output(o) => forward.outputs[o].kind,
        Origin::Input(i) => forward.inputs[i].kind,
        Origin::Own => Kind::Whole, // of gradients written by hand, which come with their kinds
    }
}

/// The attributes of the gradient: those of the forward operator, of which some say whether an input is
/// given, under the index that it has here.
fn attributes(
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

/// Rows that the forward operator does not compute have no gradient: the same counts tell both. They are the last
/// input here too.
fn rows(
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
    errors.at(&args.keyword, format!("{what}; write `{name}` as the last of its inputs"));
    None
}

/// Origin and part of each input stream of the gradient.
fn streams(forward: &OpDef, inputs: &[(String, Origin)]) -> Vec<(Origin, Part)> {
    let of = |(_, source): &(String, Origin)| {
        let source = *source;
        kind(forward, source).parts().iter().map(move |part| (source, *part))
    };
    inputs.iter().flat_map(of).collect()
}

fn wiring(forward: &OpDef, inputs: &[(String, Origin)], wrt: &[usize], returned: usize) -> Wiring {
    let streams = streams(forward, inputs);
    let stream_of = |source, part| streams.iter().position(|s| *s == (source, part));
    let (ins, outs) = (forward.input_streams(), forward.output_streams());
    let saved = |s: &Stream| {
        let output = Some(Origin::Output(s.tensor)).filter(|_| s.tensor >= returned);
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
    traced: &[Traced],
    wiring: &Wiring,
    forward: &OpDef,
    args: &GradArgs,
    errors: &Errors,
) -> Option<Vec<Spec>> {
    let mut specs = Vec::new();
    for t in traced {
        match compile::gradient(&t.graph, wiring) {
            Ok(graph) => {
                let derived = Derived { forward: t.graph.clone(), wiring: wiring.clone() };
                specs.push(Spec { derived: Some(derived), ..spec(t.when.clone(), graph) });
            }
            Err(unconnected) => {
                let names = forward.input_names();
                let name = names.get(unconnected.stream).map_or("?", String::as_str);
                errors.at(
                    &args.keyword,
                    format!("the gradient reads `{name}`, which is not among its inputs; add it"),
                );
                return None;
            }
        }
    }
    Some(specs)
}

/// A specialisation from its traced graph.
pub(crate) fn spec(when: Vec<(usize, i64)>, traced: Graph) -> Spec {
    let graph = compile::forward(&traced);
    let wide = compile::wide(&traced, &graph);
    Spec { when: when.into(), traced, graph, wide, derived: None }
}
