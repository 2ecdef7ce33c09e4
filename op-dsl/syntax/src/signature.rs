//! The signature of an operator: its tensors, attributes, split and outputs.

mod rules;
mod split;

pub use rules::{DEEPEST, is_name};

use crate::Errors;
use crate::attr::{self, AttrArgs, SplitArgs};
use crate::integer::integer;
use crate::model::{self, Op, OpFn, Param, Role, Saved};
use crate::scope::{self, Scope};
use crate::{elements, number};
use op_dsl_ir::op::{AttrKind, Kind, Value};
use op_dsl_ir::suggest::nearest;
use op_dsl_ir::{DType, Stored};
use proc_macro2::TokenStream;
use syn::{Expr, Ident, ItemFn, Lit, Pat, ReturnType, Stmt, Type};

/// Parses an `#[op(..)] fn` and reports its errors; `None` if the operator has no name.
pub fn parse(args: TokenStream, item: &ItemFn, scope: &Scope, errors: &Errors) -> Option<Op> {
    let args = attr::op(args, errors);
    model::plain_signature(item, "an operator", errors);
    let generics = model::type_parameters(item);
    let mut reader = Reader { scope, errors, generics, splits: Vec::new() };
    let mut params: Vec<Param> =
        item.sig.inputs.iter().filter_map(|arg| reader.parameter(arg)).collect();
    rules::distinct(&mut params, errors);
    let refused = refused(item, &params);
    let returns = reader.returns(item);
    let split = split::read(&reader.splits, &params, &returns, item, errors);
    rules::rows(&params, split.is_some(), errors);
    let saved = reader.saved(item);
    reader.streams(&params, item);
    rules::along(&params, errors);
    rules::check_args(&args, item, errors);
    rules::check_gradient(&args, &params, errors);

    args.name.as_ref()?;
    Some(Op {
        args,
        doc: attr::doc(&item.attrs),
        formula: scope::formula(&item.block, scope),
        function: OpFn {
            item: elements::operator(item, scope),
            block: item.block.clone(),
            params,
            refused,
            returns,
            saved,
            split,
        },
    })
}

/// Returns the names of the function's parameters that are not in `params`, because they had an error.
fn refused(item: &ItemFn, params: &[Param]) -> Vec<Ident> {
    let names = item.sig.inputs.iter().filter_map(|arg| match arg {
        syn::FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(p) => Some(&p.ident),
            _ => None,
        },
        syn::FnArg::Receiver(_) => None,
    });
    names.filter(|name| params.iter().all(|p| p.ident != **name)).cloned().collect()
}

struct Reader<'a> {
    scope: &'a Scope,
    errors: &'a Errors,
    /// The function's type parameters, already reported as errors: types that name one are not reported.
    generics: Vec<Ident>,
    splits: Vec<(Ident, SplitArgs)>,
}

impl Reader<'_> {
    fn parameter(&mut self, arg: &syn::FnArg) -> Option<Param> {
        let errors = self.errors;
        let (ident, ty, mut attrs) = model::parameter(arg, errors)?;
        if model::is_parameter(&ty, &self.generics) {
            return None;
        }
        let split = attr::take(&mut attrs, "split", errors);
        let attribute = attr::take(&mut attrs, "attr", errors);
        let mask = attr::take(&mut attrs, "mask", errors);
        let rows = attr::take(&mut attrs, "rows", errors);
        let unused = attr::take(&mut attrs, "unused", errors);
        let broadcast = attr::take(&mut attrs, "broadcast", errors);
        let holds = attr::take(&mut attrs, "holds", errors);
        let range = attr::take(&mut attrs, "range", errors);
        for other in &attrs {
            let known = "split, attr, mask, rows, unused, broadcast, holds, range";
            errors.at(other, format!("a parameter has no such attribute; known: {known}"));
        }

        let of = model::optional(&ty);
        let (plain, own) = self.own(of.unwrap_or(&ty))?;
        let name = plain.map(|name| name.to_string()).unwrap_or_default();
        let optional = of.is_some();
        if let Some(kind) =
            tensor(&name).filter(|kind| !optional || !matches!(kind, Kind::Gated | Kind::PerRow))
        {
            if let Some(a) = attribute {
                errors.at(&a, "this parameter is a tensor; remove `#[attr]`");
            }
            match (split, kind) {
                (Some(s), Kind::Gated) => {
                    self.splits.push((ident.clone(), attr::split(&s, errors)));
                }
                (Some(s), Kind::Whole | Kind::Mask | Kind::PerRow | Kind::Rows) => {
                    errors.at(&s, "only a gated tensor is split; write `Gated` for the type");
                }
                (None, _) => {}
            }
            if mask.is_some() != (kind == Kind::Mask) {
                self.unmarked(&ident, &ty, "a mask", "#[mask]", "Mask");
            }
            if rows.is_some() != (kind == Kind::Rows) {
                self.unmarked(&ident, &ty, "a count of rows", "#[rows]", "Rows");
            }
            if let (Some(b), Kind::Rows) = (&broadcast, kind) {
                errors.at(b, "counts of rows have no elements to repeat; remove `#[broadcast]`");
            }
            if let (Some(b), Kind::PerRow) = (&broadcast, kind) {
                errors
                    .at(b, "one number per row is repeated along it always; remove `#[broadcast]`");
            }
            let along = broadcast.as_ref().and_then(|a| attr::broadcast(a, errors));
            if let (Some(b), Some(_), Kind::Gated) = (&broadcast, along, kind) {
                errors.at(
                    b,
                    "a gated tensor is split along a dimension already; write `#[broadcast]`",
                );
            }
            let (unused, broadcast) = (unused.is_some(), broadcast.is_some());
            let holds = holds.and_then(|a| attr::holds(&a, errors));
            if let (Some(r), Kind::Mask | Kind::Rows) = (&range, kind) {
                errors.at(r, "only tensors of numbers have a range; remove `#[range]`");
            }
            let range = range.and_then(|a| number::range(&a, self.scope, errors));
            let role = Role::Tensor { kind, own, optional, unused, broadcast, along, holds, range };
            return Some(Param { ident, role });
        }
        if mask.is_some() {
            self.unmarked(&ident, &ty, "a mask", "#[mask]", "Mask");
            return None;
        }
        if rows.is_some() {
            self.unmarked(&ident, &ty, "a count of rows", "#[rows]", "Rows");
            return None;
        }
        if optional {
            let known = "`Option<Elem>`, `Option<Mask>` or `Option<Rows>`";
            return errors
                .none(&ty, format!("what a call may leave out is a tensor: {known}; write one"));
        }
        for a in [&split, &unused, &broadcast, &holds, &range].into_iter().flatten() {
            errors.at(a, "only tensors have this; the parameter is an attribute");
        }
        let args = attribute.as_ref().map(|a| attr::attribute(a, errors)).unwrap_or_default();
        let kind = self.kind(&ty, &name, &args)?;
        if kind == AttrKind::Float && args.default.is_none() && !args.malformed {
            let help = format!("write `#[attr(default = 1.0)] {ident}: f32`");
            let tensor = format!("a tensor is `{ident}: Elem`");
            // The author may have meant a tensor.
            return errors
                .none(&ident, format!("the attribute `{ident}` has no default; {help}; {tensor}"));
        }
        if args.any && kind != AttrKind::Float {
            errors.at(&ident, "only a float may be NaN or infinite; remove `any`");
        }
        let default = self.default(&ident, &kind, &args).unwrap_or_else(|| stub(&kind));
        Some(Param { ident, role: Role::Attr { ty, kind, default, any: args.any } })
    }

    /// Returns the name of a type, and the type that its elements have on their own: `Elem` and `i8` of `Elem<i8>`.
    ///
    /// Returns `None` after reporting an error.
    fn own<'t>(&self, ty: &'t Type) -> Option<(Option<&'t Ident>, Option<Stored>)> {
        let Some(argument) = model::own_type(ty) else { return Some((model::type_name(ty), None)) };
        let named = model::type_name(argument);
        let known = |name: &Ident| Stored::own().find(|(known, _)| *name == *known);
        let Some((_, own)) = named.and_then(known) else {
            let all = Stored::own().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>();
            let what = "no elements are of this type";
            return self.errors.none(argument, format!("{what}; write one of {}", all.join(", ")));
        };
        let Type::Path(path) = ty else { return None };
        let name = path.path.segments.last().map(|s| &s.ident);
        if name.is_some_and(|name| name == "PerRow") && own.number().is_none() {
            let floats = DType::ALL.map(|dtype| format!("`{}`", dtype.name())).join(", ");
            let why = format!("one number per row is a float; write one of {floats}");
            return self.errors.none(argument, why);
        }
        Some((name, Some(own)))
    }

    /// Reports an error for `#[mask]` without type `Mask`, `#[rows]` without type `Rows`, or the reverse.
    fn unmarked(&self, ident: &Ident, ty: &Type, what: &str, mark: &str, name: &str) {
        let help = format!("write `{mark} {ident}: {name}`");
        self.errors.at(ty, format!("{what} is marked and has a type of its own; {help}"));
    }

    fn kind(&self, ty: &Type, name: &str, args: &AttrArgs) -> Option<AttrKind> {
        let kind = match name {
            "Dim" => AttrKind::Dim,
            "bool" => AttrKind::Bool,
            "i64" => AttrKind::Int,
            "f32" => AttrKind::Float,
            _ => {
                let known = model::type_name(ty).and_then(|i| self.scope.enum_named(i));
                let Some(e) = known else {
                    return self.errors.none(ty, unknown_type(name, self.scope));
                };
                if e.variants.is_empty() {
                    return None; // reported at the enum
                }
                return Some(e.kind(args.wire_str));
            }
        };
        if args.wire_str {
            self.errors.at(ty, "only an enum is passed by name; remove `wire`");
        }
        Some(kind)
    }

    fn default(&self, ident: &Ident, kind: &AttrKind, args: &AttrArgs) -> Option<Value> {
        let errors = self.errors;
        let Some(e) = &args.default else {
            if args.malformed {
                return None;
            }
            let help = match kind {
                AttrKind::Bool => format!(
                    "write `#[attr(default = true)]`, or, for a tensor of truth values, \
                     `#[mask] {ident}: Mask`"
                ),
                _ => "write `#[attr(default = ...)]`".to_owned(),
            };
            return errors.none(ident, format!("the attribute `{ident}` has no default; {help}"));
        };
        let (value, want) = match kind {
            AttrKind::Dim | AttrKind::Int => (integer(e).map(Value::Int), "an integer"),
            AttrKind::Bool | AttrKind::Given(_) => {
                let value = match e {
                    Expr::Lit(syn::ExprLit { lit: Lit::Bool(b), .. }) => Some(Value::Bool(b.value)),
                    _ => None,
                };
                (value, "`true` or `false`")
            }
            AttrKind::Float => {
                let value = number::number(e, self.scope, errors)?;
                return match number::beyond_f32(value) {
                    Some(why) => errors.none(e, why),
                    None => Some(Value::Float(value)),
                };
            }
            AttrKind::Enum { ty, variants, .. } => {
                let value = variant_of(e, ty, variants).map(Value::Int);
                (value, "one of the variants, as in `Approximate::Tanh`")
            }
        };
        if value.is_none() {
            errors.at(e, format!("this is no default for `{ident}`; write {want}"));
        }
        value
    }

    fn returns(&self, item: &ItemFn) -> Vec<(Kind, Option<Stored>)> {
        let one = |ty: &Type| {
            let Some((name, own)) = self.own(ty) else { return (Kind::Whole, None) };
            let kind = match name {
                Some(name) if name == "Elem" => Kind::Whole,
                Some(name) if name == "Gated" => Kind::Gated,
                Some(name) if name == "Mask" => Kind::Mask,
                Some(name) if name == "PerRow" => Kind::PerRow,
                Some(name) if self.generics.contains(name) => Kind::Whole,
                _ => {
                    let known = "an output is an `Elem`, a `Gated`, a `Mask` or a `PerRow`";
                    self.errors.at(ty, format!("{known}; several are a tuple of them"));
                    Kind::Whole
                }
            };
            (kind, own)
        };
        match &item.sig.output {
            ReturnType::Default => {
                self.errors.at(&item.sig.ident, "an operator has an output; write `-> Elem`");
                vec![(Kind::Whole, None)]
            }
            ReturnType::Type(_, ty) => match &**ty {
                Type::Tuple(t) if !t.elems.is_empty() => t.elems.iter().map(one).collect(),
                other => vec![one(other)],
            },
        }
    }

    /// Returns name, kind and own type of the `#[saved]` lets at the top level of an operator's body.
    fn saved(&self, item: &ItemFn) -> Vec<Saved> {
        let mut saved: Vec<Saved> = Vec::new();
        for stmt in &item.block.stmts {
            let Stmt::Local(local) = stmt else { continue };
            if !local.attrs.iter().any(|a| attr::is(a, "saved")) {
                continue;
            }
            let (pat, ty) = match &local.pat {
                Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
                pat => (pat, None),
            };
            let (kind, own) = match ty.and_then(|ty| self.own(ty)) {
                Some((Some(name), own)) if name == "PerRow" => (Kind::PerRow, own),
                _ => (Kind::Whole, None),
            };
            match pat {
                Pat::Ident(p) if saved.iter().any(|known| known.ident == p.ident) => {
                    self.errors.at(&p.ident, "another saved value has this name; rename one");
                }
                Pat::Ident(p) => saved.push(Saved { ident: p.ident.clone(), kind, own }),
                other => self.errors.at(other, "a saved value is an output and needs one name"),
            }
        }
        saved
    }

    /// Checks that an operator has at least one tensor of numbers, and not too many streams or attributes.
    fn streams(&self, params: &[Param], item: &ItemFn) {
        let tensor = |p: &Param| match &p.role {
            Role::Tensor { kind, optional, .. } => Some((*kind, *optional)),
            Role::Attr { .. } => None,
        };
        let tensors: Vec<(Kind, bool)> = params.iter().filter_map(tensor).collect();
        let inputs: usize = tensors.iter().map(|(kind, _)| kind.parts().len()).sum();
        // Half of the run time's limit, since a gradient reads the inputs, the saved and the upstream ones.
        if inputs > 8 {
            self.errors.at(&item.sig.inputs, "more than 8 input streams; split the operator");
        }
        // The check is skipped if parameters were refused, because one of them may have been a tensor of numbers.
        let is_number = |kind| matches!(kind, Kind::Whole | Kind::Gated);
        let numbers = tensors.iter().any(|(kind, optional)| is_number(*kind) && !optional);
        if !numbers && params.len() == item.sig.inputs.len() {
            self.errors.at(
                &item.sig.ident,
                "an operator needs a tensor of numbers to run over; write a parameter `x: Elem`",
            );
        }
        let is_number = |p: &&Param| matches!(&p.role, Role::Attr { kind, .. } if kind.is_scalar());
        if params.iter().filter(is_number).count() > 8 {
            self.errors.at(
                &item.sig.inputs,
                "more than 8 attributes that are numbers; split the operator",
            );
        }
    }
}

/// Returns the kind of tensor that a type name in a signature declares; `None` for other types.
fn tensor(ty: &str) -> Option<Kind> {
    const TENSORS: [(&str, Kind); 5] = [
        ("Elem", Kind::Whole),
        ("Gated", Kind::Gated),
        ("Mask", Kind::Mask),
        ("PerRow", Kind::PerRow),
        ("Rows", Kind::Rows),
    ];
    TENSORS.iter().find(|(name, _)| *name == ty).map(|(_, kind)| *kind)
}

/// Returns a placeholder for an attribute's invalid default, so that later uses cause no errors.
fn stub(kind: &AttrKind) -> Value {
    match kind {
        AttrKind::Dim | AttrKind::Int => Value::Int(0),
        AttrKind::Bool | AttrKind::Given(_) => Value::Bool(false),
        AttrKind::Float => Value::Float(0.0),
        AttrKind::Enum { variants, .. } => Value::Int(variants.first().map_or(0, |v| v.value)),
    }
}

/// Returns the number of the enum variant that an expression `Enum::Variant` names.
///
/// Returns `None` if the expression is no such path of the enum `ty`.
fn variant_of(e: &Expr, ty: &str, variants: &[op_dsl_ir::op::Variant]) -> Option<i64> {
    let Expr::Path(p) = e else { return None };
    let mut last = p.path.segments.iter().rev();
    let (variant, of) = (last.next()?, last.next()?);
    let known = variants.iter().find(|v| variant.ident == *v.ident)?;
    (of.ident == *ty).then_some(known.value)
}

/// Rust types that authors write for attributes by mistake, each with its error message.
const MEANT: &[(&str, &str)] = &[
    ("f64", "kernels compute in f32, and so does an attribute; write `f32`"),
    ("i32", "an integer attribute is `i64`; write `i64`"),
    ("usize", "an integer attribute is `i64`; write `i64`"),
    ("String", "an attribute with a few names is an enum; derive `OpAttr` on one in this module"),
];

fn unknown_type(name: &str, scope: &Scope) -> String {
    if let Some((_, message)) = MEANT.iter().find(|(known, _)| *known == name) {
        return (*message).to_owned();
    }
    let enums: Vec<String> = scope.enums.iter().map(|e| e.ident.to_string()).collect();
    let known = ["Elem", "Gated", "Mask", "PerRow", "Rows", "Dim", "bool", "i64", "f32"];
    let known = known.into_iter();
    let known = known.chain(enums.iter().map(String::as_str));
    match nearest(name, known) {
        Some(meant) => format!("no type `{name}` is known here; did you mean `{meant}`?"),
        None => {
            "a tensor is `Elem`, `Gated`, `Mask`, `PerRow` or `Rows`, an attribute `Dim`, `bool`, `i64`, `f32` or an enum \
                 with `#[derive(OpAttr)]` in the same `#[operators]` module; write one of these"
                .to_owned()
        }
    }
}
