//! The helper attributes: `#[op(..)]`, `#[split(..)]`, `#[attr(..)]` and the bare markers.

use crate::Errors;
use op_dsl_ir::DType;
use op_dsl_ir::bind::MAX_RANK;
use op_dsl_ir::op::Accuracy;
use proc_macro2::TokenStream;
use syn::meta::ParseNestedMeta;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Ident, LitBool, LitStr, Token};

/// The arguments of `#[op(..)]`.
#[derive(Debug, Default)]
pub struct OpArgs {
    /// The operator's name in CANN.
    pub name: Option<LitStr>,
    /// Names of the outputs: those of the returned values, then those of the `#[saved]` values.
    pub outputs: Option<Vec<Ident>>,
    /// Element types that tensors may have; all known types by default.
    pub dtypes: Option<Vec<DType>>,
    /// Whether tensors without elements are allowed; `None` if the author does not say.
    pub empty: Option<bool>,
    /// Whether inputs are broadcast against each other.
    pub broadcast: bool,
    /// Whether inputs may differ in element type.
    pub promote: bool,
    /// The inputs that the outputs are new values of, one for each output.
    pub updates: Option<Vec<Ident>>,
    /// The arithmetic that kernels use, `f32`; `None` if it is chosen by the accuracy of results.
    pub arithmetic: Option<Ident>,
    /// The accuracy of results in f32; exact by default.
    pub accuracy: Option<Asked>,
    /// Arguments of the gradient operator to derive, if one is requested.
    pub grad: Option<GradArgs>,
    /// The function of the forward operator, if this operator is its handwritten gradient.
    pub grad_of: Option<Ident>,
    /// Forward inputs that a handwritten gradient's outputs are the gradients by.
    ///
    /// `None` if the author does not name them; the names of the outputs may tell, as `dx` does.
    pub wrt: Option<Vec<Ident>>,
}

/// The arguments of `grad(..)`, which requests a derived gradient operator.
#[derive(Debug)]
pub struct GradArgs {
    /// The keyword `grad`, for the spans of errors.
    pub keyword: Ident,
    /// The gradient operator's name in CANN.
    pub name: Option<LitStr>,
    /// Names of the forward inputs to differentiate by.
    pub wrt: Vec<Ident>,
    /// The inputs of the gradient operator; by default chosen from what the derived formula reads.
    pub inputs: Option<Vec<Input>>,
    /// Names of the gradient operator's outputs; by default `d` followed by the input's name, as in `dx`.
    pub outputs: Option<Vec<Ident>>,
    /// Whether tensors without elements are allowed; by default as in the forward operator.
    pub empty: Option<bool>,
    /// Whether inputs are broadcast against each other; by default as in the forward operator.
    pub broadcast: Option<bool>,
    /// Whether inputs may differ in element type; by default as in the forward operator.
    pub promote: Option<bool>,
    /// The accuracy of results in f32; exact by default, whatever that of the forward operator is.
    pub accuracy: Option<Asked>,
    /// Arguments of the gradient operator of this gradient, if one is requested.
    pub grad: Option<Box<GradArgs>>,
}

/// The argument `accuracy = ".."`.
#[derive(Debug)]
pub struct Asked {
    /// The accuracy that it names.
    pub accuracy: Accuracy,
    /// The string, for the spans of errors.
    pub text: LitStr,
}

impl Asked {
    /// Returns the accuracy; exact after an error, because row functions leave no choice.
    pub fn checked(&self, has_rows: bool, errors: &Errors) -> Accuracy {
        if self.accuracy == Accuracy::Fast && has_rows {
            errors.at(&self.text, "rows are computed in f32 and f64 always; remove `accuracy`");
            return Accuracy::Exact;
        }
        self.accuracy
    }
}

/// An input of a gradient operator: `x`, or `features = x` to rename the forward tensor `x`.
#[derive(Debug)]
pub struct Input {
    /// Name of the gradient operator's input.
    pub name: Ident,
    /// Name of the forward tensor to pass for this input, if that differs from `name`.
    pub holds: Option<Ident>,
}

impl Parse for Input {
    fn parse(input: ParseStream) -> syn::Result<Input> {
        let name = input.parse()?;
        let renamed = input.parse::<Option<Token![=]>>()?.is_some();
        Ok(Input { name, holds: renamed.then(|| input.parse()).transpose()? })
    }
}

/// The arguments of `#[split(..)]`.
#[derive(Debug, Default)]
pub struct SplitArgs {
    /// The parameter of type `Dim` that says which dimension is split.
    pub along: Option<Ident>,
    /// Whether the gate is the first of the two parts: `true`, `false` or a boolean parameter.
    pub gate_left: Option<Expr>,
    /// Whether gate and value are interleaved: `true`, `false` or a boolean parameter.
    ///
    /// By default they are contiguous halves.
    pub interleaved: Option<Expr>,
}

/// The arguments of `#[attr(..)]` on a parameter.
#[derive(Debug, Default)]
pub struct AttrArgs {
    /// The attribute's value if the caller passes none.
    pub default: Option<Expr>,
    /// Whether CANN passes an enum attribute by name instead of by number.
    pub wire_str: bool,
    /// Whether callers may pass NaN or infinity for a float attribute.
    pub any: bool,
    /// Whether the arguments of `#[attr(..)]` had an error, which is reported already.
    pub malformed: bool,
}

/// Names of the attributes that this crate reads on functions and parameters, and strips from them.
pub const HELPERS: [&str; 11] = [
    "op", "formula", "attr", "split", "mask", "rows", "saved", "unused", "broadcast", "holds",
    "range",
];

/// Removes the attribute of this name from the list and returns it; `None` if there is none.
///
/// A second attribute of the name is reported as an error.
pub fn take(attrs: &mut Vec<Attribute>, name: &str, errors: &Errors) -> Option<Attribute> {
    let mut found: Vec<Attribute> = attrs.extract_if(.., |a| is(a, name)).collect();
    for again in found.iter().skip(1) {
        errors.at(again, format!("`{name}` is given twice; write it once"));
    }
    found.truncate(1);
    found.pop()
}

/// Returns whether an attribute has this name, alone or as the last segment of a path (`op_dsl::op`).
pub fn is(attr: &Attribute, name: &str) -> bool {
    attr.path().segments.last().is_some_and(|s| s.ident == name)
}

/// Returns the text of all doc comments among the attributes, without the leading blank of each line.
pub fn doc(attrs: &[Attribute]) -> String {
    let lines = attrs.iter().filter_map(|a| match &a.meta {
        syn::Meta::NameValue(m) if m.path.is_ident("doc") => match &m.value {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(s), .. }) => Some(s.value()),
            _ => None,
        },
        _ => None,
    });
    let lines: Vec<String> =
        lines.map(|l| l.strip_prefix(' ').map(str::to_owned).unwrap_or(l)).collect();
    lines.join("\n").trim().to_owned()
}

/// Returns the tokens between an attribute's parentheses; no tokens if it has no parentheses.
pub fn arguments(attr: &Attribute, errors: &Errors) -> TokenStream {
    match &attr.meta {
        syn::Meta::Path(_) => TokenStream::new(),
        syn::Meta::List(list) => list.tokens.clone(),
        syn::Meta::NameValue(_) => {
            errors.at(attr, "this takes its arguments in parentheses; write `name(key = value)`");
            TokenStream::new()
        }
    }
}

/// Parses the arguments of an attribute, calling `f` for each; returns true if there was no error.
fn parse(
    tokens: TokenStream,
    errors: &Errors,
    f: impl FnMut(ParseNestedMeta) -> syn::Result<()>,
) -> bool {
    syn::meta::parser(f).parse2(tokens).map_err(|e| errors.push(e)).is_ok()
}

/// Parses the arguments of `#[op(..)]`.
pub fn op(tokens: TokenStream, errors: &Errors) -> OpArgs {
    let mut args = OpArgs::default();
    parse(tokens, errors, |meta| {
        match key(&meta).as_str() {
            "name" => once(&mut args.name, meta.value()?.parse()?, &meta, errors),
            "outputs" => once(&mut args.outputs, listed(&meta)?, &meta, errors),
            "dtypes" => once(&mut args.dtypes, dtypes(&meta, errors)?, &meta, errors),
            "empty" => once(&mut args.empty, boolean(&meta)?, &meta, errors),
            "grad" => once(&mut args.grad, grad(&meta, errors)?, &meta, errors),
            "grad_of" => once(&mut args.grad_of, meta.value()?.parse()?, &meta, errors),
            "wrt" => once(&mut args.wrt, listed(&meta)?, &meta, errors),
            "broadcast" => args.broadcast = true,
            "promote" => args.promote = true,
            "updates" => once(&mut args.updates, listed(&meta)?, &meta, errors),
            "arithmetic" => {
                let arithmetic: Ident = meta.value()?.parse()?;
                if arithmetic != "f32" {
                    let help = "leave it out where f64 may be needed";
                    errors.at(
                        &arithmetic,
                        format!("the only arithmetic to ask for is `f32`; {help}"),
                    );
                }
                once(&mut args.arithmetic, arithmetic, &meta, errors);
            }
            "accuracy" => once(&mut args.accuracy, accuracy(&meta, errors)?, &meta, errors),
            _ => {
                return Err(meta.error(
                    "unknown argument of `op`; known: name, outputs, dtypes, empty, broadcast, \
                     promote, updates, arithmetic, accuracy, grad, grad_of, wrt",
                ));
            }
        }
        Ok(())
    });
    args
}

fn grad(meta: &ParseNestedMeta, errors: &Errors) -> syn::Result<GradArgs> {
    let mut args = GradArgs {
        keyword: meta.path.require_ident()?.clone(),
        name: None,
        wrt: Vec::new(),
        inputs: None,
        outputs: None,
        empty: None,
        broadcast: None,
        promote: None,
        accuracy: None,
        grad: None,
    };
    let mut wrt = None;
    meta.parse_nested_meta(|meta| {
        match key(&meta).as_str() {
            "name" => once(&mut args.name, meta.value()?.parse()?, &meta, errors),
            "wrt" => once(&mut wrt, variables(&meta, errors)?, &meta, errors),
            "inputs" => once(&mut args.inputs, listed(&meta)?, &meta, errors),
            "outputs" => once(&mut args.outputs, listed(&meta)?, &meta, errors),
            "empty" => once(&mut args.empty, boolean(&meta)?, &meta, errors),
            "broadcast" => once(&mut args.broadcast, boolean(&meta)?, &meta, errors),
            "promote" => once(&mut args.promote, boolean(&meta)?, &meta, errors),
            "accuracy" => once(&mut args.accuracy, accuracy(&meta, errors)?, &meta, errors),
            "grad" => once(&mut args.grad, Box::new(grad(&meta, errors)?), &meta, errors),
            _ => {
                return Err(meta.error(
                    "unknown argument of `grad`; known: name, wrt, inputs, outputs, empty, \
                     broadcast, promote, accuracy, grad",
                ));
            }
        }
        Ok(())
    })?;
    args.wrt = wrt.unwrap_or_default();
    Ok(args)
}

/// Parses `accuracy = ".."`.
fn accuracy(meta: &ParseNestedMeta, errors: &Errors) -> syn::Result<Asked> {
    let text: LitStr = meta.value()?.parse()?;
    let accuracy = match text.value().as_str() {
        "exact" => Accuracy::Exact,
        "fast" => Accuracy::Fast,
        other => {
            let known = "known: \"exact\", the default, and \"fast\"";
            errors.at(&text, format!("unknown accuracy `{other}`; {known}"));
            Accuracy::Exact
        }
    };
    Ok(Asked { accuracy, text })
}

/// Parses the arguments of `#[split(..)]`.
pub fn split(attr: &Attribute, errors: &Errors) -> SplitArgs {
    let mut args = SplitArgs::default();
    parse(arguments(attr, errors), errors, |meta| {
        match key(&meta).as_str() {
            "along" => once(&mut args.along, meta.value()?.parse()?, &meta, errors),
            "gate_left" => once(&mut args.gate_left, meta.value()?.parse()?, &meta, errors),
            "interleaved" => {
                let alone = !meta.input.peek(Token![=]);
                let value = if alone { syn::parse_quote!(true) } else { meta.value()?.parse()? };
                once(&mut args.interleaved, value, &meta, errors);
            }
            _ => {
                return Err(
                    meta.error("unknown argument of `split`; known: along, gate_left, interleaved")
                );
            }
        }
        Ok(())
    });
    args
}

/// Parses the dimension of `#[broadcast(along = 1)]`; `None` without it, or after reporting an error.
pub fn broadcast(attr: &Attribute, errors: &Errors) -> Option<usize> {
    let mut along = None;
    parse(arguments(attr, errors), errors, |meta| {
        if !meta.path.is_ident("along") {
            return Err(meta.error("unknown argument of `broadcast`; known: along"));
        }
        let dim: Expr = meta.value()?.parse()?;
        let number = match &dim {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. }) => n.base10_parse().ok(),
            _ => None,
        };
        let Some(number) = number.filter(|n| *n < MAX_RANK) else {
            let help = format!("write a number from 0 to {}", MAX_RANK - 1);
            errors.at(
                &dim,
                format!("no tensor has such a dimension, counted from the outermost; {help}"),
            );
            return Ok(());
        };
        once(&mut along, number, &meta, errors);
        Ok(())
    });
    along
}

/// Parses the arguments of `#[attr(..)]` on a parameter.
pub fn attribute(attr: &Attribute, errors: &Errors) -> AttrArgs {
    let mut args = AttrArgs::default();
    let mut wire = None;
    let whole = parse(arguments(attr, errors), errors, |meta| {
        match key(&meta).as_str() {
            "default" => once(&mut args.default, meta.value()?.parse()?, &meta, errors),
            "wire" => {
                let value: LitStr = meta.value()?.parse()?;
                if value.value() != "string" {
                    errors.at(
                        &value,
                        "an enum is passed by number or by name; write `wire = \"string\"` for \
                         names and nothing for numbers",
                    );
                }
                once(&mut wire, (), &meta, errors);
            }
            "any" => args.any = true,
            _ => return Err(meta.error("unknown argument of `attr`; known: default, wire, any")),
        }
        Ok(())
    });
    args.malformed = !whole;
    args.wire_str = wire.is_some();
    args
}

/// Parses the name in `#[attr(name = "..")]` on an enum variant; `None` after reporting an error.
pub fn variant_name(attr: &Attribute, errors: &Errors) -> Option<LitStr> {
    let mut name = None;
    parse(arguments(attr, errors), errors, |meta| {
        if !meta.path.is_ident("name") {
            return Err(meta.error("unknown argument of `attr` on a variant; known: name"));
        }
        once(&mut name, meta.value()?.parse()?, &meta, errors);
        Ok(())
    });
    name
}

fn key(meta: &ParseNestedMeta) -> String {
    meta.path.get_ident().map(Ident::to_string).unwrap_or_default()
}

fn once<T>(slot: &mut Option<T>, value: T, meta: &ParseNestedMeta, errors: &Errors) {
    if slot.replace(value).is_some() {
        errors.push(meta.error(format!("`{}` is given twice; write it once", key(meta))));
    }
}

/// Parses `key`, `key = true` or `key = false`; `key` alone means `true`.
fn boolean(meta: &ParseNestedMeta) -> syn::Result<bool> {
    if meta.input.peek(Token![=]) { Ok(meta.value()?.parse::<LitBool>()?.value) } else { Ok(true) }
}

/// Parses an argument of the form `key(a, b, c)` and returns the items in parentheses.
fn listed<T: Parse>(meta: &ParseNestedMeta) -> syn::Result<Vec<T>> {
    let content;
    syn::parenthesized!(content in meta.input);
    Ok(Punctuated::<T, Token![,]>::parse_terminated(&content)?.into_iter().collect())
}

/// Parses the name `x` in `#[holds(x)]` on a parameter of a handwritten gradient.
///
/// Returns `None` after reporting an error.
pub fn holds(attr: &Attribute, errors: &Errors) -> Option<Ident> {
    syn::parse2(arguments(attr, errors)).map_err(|e| errors.push(e)).ok()
}

/// Parses the names in `wrt(a, b)`: the forward inputs that a gradient differentiates by.
///
/// A part of a gated tensor, for example `x.gate`, is reported as an error because only the whole tensor has a
/// gradient.
fn variables(meta: &ParseNestedMeta, errors: &Errors) -> syn::Result<Vec<Ident>> {
    let content;
    syn::parenthesized!(content in meta.input);
    let mut found = Vec::new();
    for e in Punctuated::<Expr, Token![,]>::parse_terminated(&content)? {
        let whole = match &e {
            Expr::Field(f) => &f.base,
            _ => &e,
        };
        let Expr::Path(syn::ExprPath { path, .. }) = whole else {
            return Err(syn::Error::new_spanned(e, "`wrt` names inputs; write `wrt(x)`"));
        };
        let ident = path.require_ident()?;
        if let Expr::Field(_) = e {
            let help = format!("write `wrt({ident})`");
            errors.at(&e, format!("a gradient has both parts of a gated tensor; {help}"));
        }
        if !found.contains(ident) || matches!(e, Expr::Path(_)) {
            found.push(ident.clone());
        }
    }
    Ok(found)
}

fn dtypes(meta: &ParseNestedMeta, errors: &Errors) -> syn::Result<Vec<DType>> {
    let mut list: Vec<DType> = Vec::new();
    for ident in listed::<Ident>(meta)? {
        match ident.to_string().parse() {
            Ok(dtype) if list.contains(&dtype) => {
                errors.at(&ident, format!("`{ident}` is given twice; write it once"))
            }
            Ok(dtype) => list.push(dtype),
            Err(_) => errors.at(&ident, format!("unknown element type; known: {}", DType::names())),
        }
    }
    if list.is_empty() && errors.is_empty() {
        let all = DType::names();
        let message = format!("an operator needs an element type; write `dtypes({all})`");
        errors.push(meta.error(message));
    }
    Ok(list)
}
