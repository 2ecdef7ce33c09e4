//! Parsing, checking and tracing: from the tokens of an item to its operators.

use crate::Errors;
use crate::attr::{self, Asked};
use crate::gradient::{self, Forward};
use crate::model::{EnumDef, Op, OpFn, Strip};
use crate::scope::Scope;
use crate::updates::updated_inputs;
use crate::{elements, names, number, signature, stub, surrogate, trace};
use op_dsl_ir::op::{Accuracy, Attr, GradOf, Kind, List, OpDef, Range, Tensor};
use op_dsl_ir::passes::row_magnitudes;
use op_dsl_ir::roles::has_surrogates;
use op_dsl_ir::stages;
use op_dsl_ir::suggest::nearest;
use op_dsl_ir::wiring::Wiring;
use op_dsl_ir::{DType, Stored};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::VisitMut;
use syn::{Ident, Item, ItemEnum, ItemFn, ItemMod, parse_quote};

/// The operators of one module, or of one function outside of a module.
#[derive(Debug)]
pub struct Family {
    /// The module of the operators, without its items; `None` for a function outside of a module.
    pub module: Option<ItemMod>,
    /// The author's items as the macro emits them, without helper attributes such as `#[saved]`.
    pub items: Vec<Item>,
    /// The functions of the operators, as the author wrote them.
    pub functions: Vec<OpFn>,
    /// The operators: for each function the one it defines, its gradient, and the gradient's gradient.
    pub ops: Vec<Operator>,
    /// All errors of the module. If there are any, the operators are placeholders without graphs.
    pub error: Option<syn::Error>,
}

/// One operator of the family: its definition, and the author's function that it comes from.
#[derive(Debug)]
pub struct Operator {
    /// Definition of the operator.
    pub def: OpDef,
    /// Name of the operator, with its span in the source.
    pub ident: Ident,
    /// Index of the author's function in [`Family::functions`].
    pub function: usize,
    /// Differentiation steps from the author's function to a derived gradient: one, or two.
    ///
    /// Each step connects the streams of two successive operators. The list is empty if the function is the operator's
    /// own formula.
    pub steps: Vec<Wiring>,
}

/// Parses an `#[operators] mod name { .. }`.
///
/// # Errors
/// If the item is no inline module. Any other error is in [`Family::error`].
pub fn module(item: TokenStream) -> syn::Result<Family> {
    let mut module: ItemMod = match syn::parse2(item)? {
        Item::Mod(module) => module,
        other => {
            let help = "write it on `mod name { .. }`";
            return Err(syn::Error::new_spanned(&other, format!("a family is a module; {help}")));
        }
    };
    let Some((_, items)) = &mut module.content else {
        return Err(syn::Error::new_spanned(
            &module,
            "a macro sees only its own tokens; write the module inline, `mod name { .. }`, in its \
             family's file",
        ));
    };
    let items = std::mem::take(items);
    Ok(family(Some(module), items))
}

/// Parses an `#[op(args)] fn`.
///
/// # Errors
/// If the item is no function. Any other error is in [`Family::error`].
pub fn function(args: TokenStream, item: TokenStream) -> syn::Result<Family> {
    let mut function: ItemFn = syn::parse2(item)?;
    let errors = Errors::new();
    surrogate::expand(&mut function, &errors);
    let mut builder = Building::default();
    let scope = Scope::default();
    builder.add(args, &function, &scope, &errors);
    Ok(builder.finish(None, vec![Item::Fn(function)], &scope, errors))
}

/// Parses a `#[formula] fn` outside of an `#[operators]` module, and returns it as an ordinary function on `Elem`.
///
/// No graph is made of it there, because only modules have operators that call it.
///
/// # Errors
/// If the item is no function, or a `#[grad(..)]` in it is wrong.
pub fn formula(item: TokenStream) -> syn::Result<ItemFn> {
    let mut function: ItemFn = syn::parse2(item)?;
    let errors = Errors::new();
    surrogate::expand(&mut function, &errors);
    let formula = elements::formula(&function, &Scope::default());
    errors.finish().map_or(Ok(formula), Err)
}

/// Parses an enum with `#[derive(OpAttr)]`.
///
/// # Errors
/// If the item is no enum, or its variants have fields.
pub fn attribute_enum(item: TokenStream) -> syn::Result<EnumDef> {
    let item: syn::Result<ItemEnum> = syn::parse2(item);
    let item = item.map_err(|e| {
        syn::Error::new(e.span(), "an attribute is one of a few names; derive `OpAttr` on an enum")
    })?;
    let errors = Errors::new();
    let def = EnumDef::parse(&item, &errors);
    errors.finish().map_or(Ok(def), Err)
}

fn family(module: Option<ItemMod>, mut items: Vec<Item>) -> Family {
    let errors = Errors::new();
    for item in &mut items {
        if let Item::Fn(f) = item
            && f.attrs.iter().any(|a| attr::is(a, "op") || attr::is(a, "formula"))
        {
            surrogate::expand(f, &errors);
        }
    }
    let mut scope = Scope::default();
    for item in &items {
        scope.add(item, &errors);
    }
    trace::formulas(&scope, 0, &errors);
    let mut builder = Building::default();
    for item in &items {
        match item {
            Item::Fn(f) => {
                if let Some(a) = f.attrs.iter().find(|a| attr::is(a, "op")) {
                    let twice = f.attrs.iter().filter(|a| attr::is(a, "op")).nth(1);
                    if let Some(again) = twice {
                        errors.at(again, "a function is one operator; write another function");
                    }
                    builder.add(attr::arguments(a, &errors), f, &scope, &errors);
                }
            }
            Item::Mod(m) => misplaced(&m.attrs, &errors),
            Item::Struct(s) => misplaced(&s.attrs, &errors),
            _ => {}
        }
    }
    builder.finish(module, items, &scope, errors)
}

/// Reports an error for `#[op]` or `#[formula]` among the attributes of an item that is no function.
fn misplaced(attrs: &[syn::Attribute], errors: &Errors) {
    for a in attrs.iter().filter(|a| attr::is(a, "op") || attr::is(a, "formula")) {
        errors.at(a, "only a function is a formula; write it on a `fn`");
    }
}

#[derive(Default)]
struct Building {
    ops: Vec<(Op, Vec<trace::Traced>)>,
}

impl Building {
    fn add(&mut self, args: TokenStream, item: &ItemFn, scope: &Scope, errors: &Errors) {
        if let Some(op) = signature::parse(args, item, scope, errors) {
            let traced = trace::operator(&op.function, scope, errors);
            self.ops.push((op, traced));
        }
    }

    fn finish(
        self,
        module: Option<ItemMod>,
        mut items: Vec<Item>,
        scope: &Scope,
        errors: Errors,
    ) -> Family {
        let by_function: Vec<(Ident, String)> = self.ops.iter().filter_map(named).collect();
        let each = self.ops.iter();
        let own = each.map(|(op, traced)| definition(op, traced, &by_function, &errors));
        let mut own: Vec<OpDef> = own.collect();
        connect(&mut own, &self.ops, &errors);
        let mut found = Vec::new();
        for (function, ((op, traced), def)) in self.ops.iter().zip(own).enumerate() {
            found.extend(operators(function, op, traced, def, &errors));
        }
        unique(&self.ops, &errors);
        distinct(&mut found);
        let error = errors.finish();
        for item in &mut items {
            keep(item, module.is_none(), scope, error.is_some());
        }
        if error.is_some() {
            for op in &mut found {
                op.def.specs = Vec::new().into();
            }
        }
        let functions = self.ops.into_iter().map(|(op, _)| op.function).collect();
        Family { module, items, functions, ops: found, error }
    }
}

/// Records in each handwritten gradient which tensors of its forward operator its own tensors match.
///
/// A forward operator may be defined below its gradient.
fn connect(own: &mut [OpDef], found: &[(Op, Vec<trace::Traced>)], errors: &Errors) {
    for i in 0..own.len() {
        let Some(of) = own[i].forward() else { continue };
        if let Some(at) = own.iter().position(|f| *f.name == *of) {
            let (forward, Op { function, args, .. }) = (&own[at], &found[i].0);
            if own[i].has_row_functions() || forward.has_row_functions() {
                let why = "a gradient of row functions is not compared with differences";
                let help = "write it without `grad_of`, or derive it by `grad(..)`";
                errors.at(&function.item.sig.ident, format!("{why}; {help}"));
            }
            let wrt = args.wrt.as_deref();
            if found[at].1.iter().any(|t| has_surrogates(&t.formula.graph)) {
                let what = "has a derivative that is not that of its values";
                let help = "remove `grad_of`, or derive the gradient by `grad(..)`";
                errors.at(&args.grad_of, format!("`{}` {what}; {help}", forward.source));
            }
            own[i].grad_of = Some(gradient::by_hand(forward, &own[i], function, wrt, errors));
        }
    }
}

/// Returns the operators of one function: the one it defines, its gradient, the gradient's gradient.
fn operators(
    function: usize,
    op: &Op,
    traced: &[trace::Traced],
    own: OpDef,
    errors: &Errors,
) -> Vec<Operator> {
    let mut steps: Vec<(OpDef, Wiring)> = Vec::new();
    let mut found = Vec::new();
    let mut push = |def: &OpDef, name: &Option<syn::LitStr>, steps: &[(OpDef, Wiring)]| {
        // Invalid names were reported with the attribute.
        if let Some(name) = name.as_ref().filter(|_| signature::is_name(&def.name)) {
            let ident = Ident::new(&def.name, name.span());
            let steps = steps.iter().map(|(_, step)| step.clone()).collect();
            found.push(Operator { def: def.clone(), ident, function, steps });
        }
    };
    push(&own, &op.args.name, &[]);
    let (mut def, mut next) = (own, op.args.grad.as_ref());
    while let Some(args) = next.filter(|_| steps.len() < signature::DEEPEST) {
        let saved = if steps.is_empty() { &op.function.saved[..] } else { &[] };
        let refused = &op.function.refused[..];
        let forward = Forward { def: &def, traced, steps: &steps, saved, refused };
        let Some((gradient, wiring)) = gradient::derive(&forward, args, errors) else { break };
        steps.push((def, wiring));
        push(&gradient, &args.name, &steps);
        // Without a traced formula the inputs of the next gradient are unknown, because they are what it reads.
        (def, next) = (gradient, args.grad.as_deref().filter(|_| !traced.is_empty()));
    }
    found
}

/// Rewrites one of the author's items to its emitted form.
///
/// `lone` is true for a function outside of a module, which is an operator. `refused` is true if there were errors;
/// functions then become placeholders.
fn keep(item: &mut Item, lone: bool, scope: &Scope, refused: bool) {
    match item {
        Item::Enum(_) => {} // the derive macro reads the helper attributes
        Item::Const(c) if refused && number::is_float(&c.ty) => *c.expr = parse_quote!(0.0),
        Item::Fn(f) => {
            let ours = |name: &str| f.attrs.iter().any(|a| attr::is(a, name));
            *f = match (lone || ours("op"), ours("formula")) {
                (false, false) => return,
                _ if refused => stub::function(f, scope),
                (true, _) => elements::operator(f, scope),
                _ => elements::formula(f, scope),
            };
        }
        other => Strip.visit_item_mut(other),
    }
}

fn named((op, _): &(Op, Vec<trace::Traced>)) -> Option<(Ident, String)> {
    Some((op.function.item.sig.ident.clone(), op.args.name.as_ref()?.value()))
}

/// Returns the definition of the operator that a function defines itself, without its gradients.
fn definition(
    op: &Op,
    traced: &[trace::Traced],
    by_function: &[(Ident, String)],
    errors: &Errors,
) -> OpDef {
    let f = &op.function;
    let tensor =
        |name: String, kind: Kind, own| Tensor { name: name.into(), kind, own, used: true };
    let attrs: Vec<Attr> = f.attrs().collect();
    let grad_of = op.args.grad_of.as_ref().and_then(|forward| {
        let known = by_function.iter().find(|(ident, _)| ident == forward);
        if known.is_none() {
            errors.at(
                forward,
                format!("no operator is called `{forward}` in this module; name its function"),
            );
        }
        let unconnected = |name: &String| GradOf {
            forward: name.clone().into(),
            inputs: List::default(),
            wrt: List::default(),
        };
        known.map(|(_, name)| unconnected(name))
    });
    let inputs = f.tensors().zip(f.own_types());
    let inputs: List<Tensor> =
        inputs.map(|((n, kind, _), own)| tensor(names::tensor(n), kind, own)).collect();
    let ranges: List<Range> = f.ranges().collect();
    let streams = gradient::stream_ranges(&inputs, &ranges);
    let accuracy = accuracy(op, traced, errors);
    let outputs: List<Tensor> =
        outputs(op, errors).map(|(n, (kind, own))| tensor(n, kind, own)).collect();
    let is_rounded = outputs.iter().any(|t| t.own.is_some_and(|own| own.number().is_none()));
    let specs = traced.iter().map(|t| {
        let formula = &t.formula;
        let formula = if is_rounded { &row_magnitudes::run(formula) } else { formula };
        stages::compile(t.when.clone(), formula, &streams, accuracy)
    });
    let mut def = OpDef {
        name: op.args.name.as_ref().map(syn::LitStr::value).unwrap_or_default().into(),
        doc: op.doc.clone().into(),
        source: f.item.sig.ident.to_string().into(),
        formula: op.formula.clone().into(),
        inputs,
        outputs,
        attrs: attrs.into(),
        split: f.split.clone(),
        dtypes: op.args.dtypes.clone().unwrap_or_else(|| DType::ALL.to_vec()).into(),
        ranges,
        broadcast: op.args.broadcast || f.broadcast().next().is_some(),
        wide: wide(f),
        along: f.along().collect(),
        sums: List::default(),
        promote: op.args.promote,
        empty: op.args.empty.unwrap_or(true),
        updates: List::default(),
        accuracy,
        specs: specs.collect(),
        grad_of,
        published: None, // the expansion adds it, because only the expansion knows the table
    };
    def.updates = updated_inputs(op, &def, errors);
    gradient::mark_used(&mut def);
    gradient::fits_kernels(&def, &f.item.sig.ident, errors);
    check_used(op, &def, !traced.is_empty(), errors);
    def
}

/// Returns the accuracy that an operator asks for; with row functions there is no choice.
fn accuracy(op: &Op, traced: &[trace::Traced], errors: &Errors) -> Accuracy {
    let (arithmetic, asked) = (op.args.arithmetic.as_ref(), op.args.accuracy.as_ref());
    let has_rows = trace::has_row_functions(traced);
    match (arithmetic, asked) {
        (Some(f32), _) if has_rows => {
            errors.at(f32, "rows are computed in f32 and f64 always; remove `arithmetic`");
        }
        (Some(_), Some(Asked { text, .. })) => {
            errors.at(text, "`arithmetic = f32` says what is allowed; remove `accuracy`");
        }
        (Some(_), None) => return Accuracy::AsWritten,
        (None, Some(asked)) => return asked.checked(has_rows, errors),
        (None, None) => {}
    }
    Accuracy::Exact
}

/// Requires `#[unused]` on the inputs that the formula does not read, and on no others.
///
/// If the formula has an error, only inputs whose names it does not mention are known to be unread.
fn check_used(op: &Op, def: &OpDef, is_traced: bool, errors: &Errors) {
    let mut words = Vec::new();
    identifiers(op.function.block.to_token_stream(), &mut words);
    let is_input = |word: &&String| op.function.tensors().any(|t| *t.0 == **word);
    let reads_any = words.iter().any(|word| is_input(&word));
    for ((ident, kind, unused), tensor) in op.function.tensors().zip(def.inputs.iter()) {
        let name = ident.to_string();
        // A name that resembles an input may be a typo, which has its own message.
        let others = words.iter().filter(|word| !is_input(word));
        let may_be_meant =
            || others.into_iter().any(|word| nearest(word, [&*name].into_iter()).is_some());
        let used = if is_traced {
            tensor.used
        } else if !reads_any || kind == Kind::Rows || words.contains(&name) || may_be_meant() {
            continue;
        } else {
            false
        };
        match (unused, used) {
            (true, true) => errors.at(ident, format!("`{ident}` is read; remove `#[unused]`")),
            (false, false) => {
                let help = "write `#[unused]` before it if the signature asks for it";
                errors.at(ident, format!("the formula does not read `{ident}`; {help}"));
            }
            _ => {}
        }
    }
}

/// Appends the identifiers and keywords among these tokens to `found`.
fn identifiers(tokens: TokenStream, found: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => found.push(ident.to_string()),
            TokenTree::Group(group) => identifiers(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Returns names, kinds and own types of an operator's outputs: the returned ones, then the `#[saved]` ones.
fn outputs(op: &Op, errors: &Errors) -> impl Iterator<Item = (String, (Kind, Option<Stored>))> {
    let f = &op.function;
    let count = f.returns.len() + f.saved.len();
    let has_y = f.params.iter().any(|p| p.ident == "y");
    let by_default = || {
        let returned = (0..f.returns.len()).map(|i| match f.returns.len() {
            1 if has_y => "out".to_owned(),
            1 => "y".to_owned(),
            _ => format!("y{i}"),
        });
        returned.chain(f.saved.iter().map(|saved| saved.ident.to_string())).collect::<Vec<String>>()
    };
    let updated = op.args.updates.as_ref().filter(|given| given.len() == count);
    let mut names: Vec<String> = match &op.args.outputs {
        None if updated.is_some() => {
            updated.into_iter().flatten().map(|x| format!("new_{}", names::tensor(x))).collect()
        }
        Some(given) if given.len() == count => given.iter().map(names::tensor).collect(),
        Some(names) => {
            let help = "name those returned, then those saved";
            let message = format!("`outputs` names {} of {count} outputs; {help}", names.len());
            match names.first() {
                Some(first) => errors.at(first, message),
                None => errors.at(&f.item.sig.ident, message),
            }
            by_default()
        }
        None => by_default(),
    };
    let mut known: Vec<String> = f.params.iter().map(|p| p.ident.to_string()).collect();
    for name in &mut names {
        if known.contains(name) {
            let help = "name the outputs by `outputs(..)`";
            errors.at(&f.item.sig.ident, format!("two tensors are called `{name}`; {help}"));
            name.push('_'); // so that the placeholder has distinct names
        }
        known.push(name.clone());
    }
    names.into_iter().zip(f.outputs())
}

/// Reports an error for operators with the same name, because an operator's name becomes a type.
///
/// Names of gradients that could not be derived count as well.
fn unique(ops: &[(Op, Vec<trace::Traced>)], errors: &Errors) {
    let mut known: Vec<String> = Vec::new();
    for (op, _) in ops {
        let gradients = std::iter::successors(op.args.grad.as_ref(), |g| g.grad.as_deref());
        for name in op.args.name.iter().chain(gradients.filter_map(|g| g.name.as_ref())) {
            let text = name.value();
            if known.contains(&text) {
                errors.at(name, format!("another operator is called `{text}`; rename one"));
            }
            known.push(text);
        }
    }
}

/// Keeps only the first of several operators with the same name.
fn distinct(ops: &mut Vec<Operator>) {
    let mut known: Vec<op_dsl_ir::op::Text> = Vec::new();
    ops.retain(|op| {
        let again = known.contains(&op.def.name);
        known.push(op.def.name.clone());
        !again
    });
}

/// Returns the indices of the inputs not marked `#[broadcast]`; none if no input is marked.
fn wide(f: &OpFn) -> List<usize> {
    let marked: Vec<&Ident> = f.broadcast().collect();
    let others = f.tensors().enumerate().filter(|(_, t)| !marked.contains(&t.0));
    others.map(|(i, _)| i).filter(|_| !marked.is_empty()).collect()
}
