//! The source as parsed, before any formula is traced: enums, constants, formulas, operators.

use crate::Errors;
use crate::attr::{self, OpArgs};
use crate::integer::integer;
use crate::names;
use op_dsl_ir::Stored;
use op_dsl_ir::op::{Along, Attr, AttrKind, Kind, Range, Split, Value, Variant};
use quote::ToTokens;
use std::rc::Rc;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, FnArg, Ident, ItemEnum, ItemFn, Pat, Type};

/// An enum with `#[derive(OpAttr)]`, which is the type of an attribute of operators.
#[derive(Clone, Debug)]
pub struct EnumDef {
    /// Name of the type.
    pub ident: Ident,
    /// For each variant, its identifier and the name and number that callers outside Rust pass for it.
    pub variants: Vec<Variant>,
    /// Identifiers of the variants, with their spans in the source.
    pub idents: Vec<Ident>,
}

impl EnumDef {
    /// Reads an enum and reports the errors in its definition.
    pub fn parse(item: &ItemEnum, errors: &Errors) -> EnumDef {
        let mut variants: Vec<Variant> = Vec::new();
        let mut next = 0i64;
        if !item.generics.params.is_empty() {
            errors.at(&item.generics, "an attribute enum has no parameters; remove them");
        }
        for v in &item.variants {
            if !matches!(v.fields, syn::Fields::Unit) {
                errors.at(v, "an attribute is one of a few names; remove the fields");
            }
            let value = match &v.discriminant {
                Some((_, e)) => integer(e).unwrap_or_else(|| {
                    errors.at(e, "the wire value must be seen here; write an integer");
                    next
                }),
                None => next,
            };
            let mut attrs = v.attrs.clone();
            let renamed = attr::take(&mut attrs, "attr", errors);
            let renamed = renamed.and_then(|a| attr::variant_name(&a, errors));
            let name = renamed.map_or_else(|| v.ident.to_string().to_lowercase(), |n| n.value());
            if variants.iter().any(|known| known.value == value) {
                errors.at(
                    v,
                    format!("another variant has the wire value {value} already; change one"),
                );
            }
            if variants.iter().any(|known| known.name == name) {
                errors
                    .at(v, format!("another variant has the name \"{name}\" already; change one"));
            }
            next = value.wrapping_add(1);
            variants.push(Variant { ident: v.ident.to_string().into(), name: name.into(), value });
        }
        if variants.is_empty() {
            errors.at(item, "an attribute needs at least one value; add a variant");
        }
        let idents = item.variants.iter().map(|v| v.ident.clone()).collect();
        EnumDef { ident: item.ident.clone(), variants, idents }
    }
}

impl EnumDef {
    /// Returns the kind of an attribute of this enum type; `wire_str`: CANN passes names, not numbers.
    pub fn kind(&self, wire_str: bool) -> AttrKind {
        let variants = self.variants.clone().into();
        AttrKind::Enum { ty: self.ident.to_string().into(), wire_str, variants }
    }
}

/// A `const` item that formulas may use, from a module or from an operator's body.
#[derive(Clone, Debug)]
pub struct Const {
    /// Name of the constant.
    pub ident: Ident,
    /// Declared type of the constant.
    pub ty: Type,
    /// Value of the constant.
    ///
    /// Copies of the constant share one expression, because its errors are identified by its address.
    pub expr: Rc<Expr>,
}

/// A `#[formula] fn`, which the formulas of operators may call.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Name of the function.
    pub ident: Ident,
    /// Names and types of the parameters.
    pub params: Vec<(Ident, Type)>,
    /// Body of the function.
    ///
    /// Copies of the function share one body, because errors in it are identified by address.
    pub block: Rc<Block>,
    /// Declared type of the result.
    pub returns: Option<Type>,
    /// Type parameters, already reported as errors: types that name one are not reported again.
    pub generics: Vec<Ident>,
}

impl Formula {
    pub(crate) fn parse(item: &ItemFn, errors: &Errors) -> Formula {
        plain_signature(item, "a formula", errors);
        if names::is_known(&item.sig.ident.to_string()) {
            errors.at(&item.sig.ident, shadowed(&item.sig.ident));
        }
        Formula::built_in(item, errors)
    }

    /// Reads a formula whose name may be one that every formula knows.
    pub(crate) fn built_in(item: &ItemFn, errors: &Errors) -> Formula {
        let params = item.sig.inputs.iter().filter_map(|arg| parameter(arg, errors));
        Formula {
            ident: item.sig.ident.clone(),
            params: params.map(|(ident, ty, _)| (ident, ty)).collect(),
            block: Rc::new((*item.block).clone()),
            returns: match &item.sig.output {
                syn::ReturnType::Default => None,
                syn::ReturnType::Type(_, ty) => Some((**ty).clone()),
            },
            generics: type_parameters(item),
        }
    }

    /// Returns the function as text, without its attributes.
    pub(crate) fn source(&self) -> String {
        let params = self.params.iter().map(|(name, ty)| format!("{name}: {}", text(ty)));
        let params = params.collect::<Vec<_>>().join(", ");
        let returns = self.returns.as_ref().map(|ty| format!(" -> {}", text(ty)));
        let body = source(&self.block).replace('\n', "\n    ");
        format!("fn {}({params}){} {{\n    {body}\n}}", self.ident, returns.unwrap_or_default())
    }
}

/// Returns the error message for a function of the module that has the name of a primitive.
pub(crate) fn shadowed(name: &Ident) -> String {
    format!(
        "`{name}` is a function that every formula knows, and this one takes its place in the whole \
         module; rename it"
    )
}

/// Returns the names of a function's type parameters.
pub(crate) fn type_parameters(item: &ItemFn) -> Vec<Ident> {
    item.sig.generics.type_params().map(|p| p.ident.clone()).collect()
}

/// Returns whether a type is the name of one of the type parameters `generics`.
pub(crate) fn is_parameter(ty: &Type, generics: &[Ident]) -> bool {
    type_name(ty).is_some_and(|name| generics.contains(name))
}

pub(crate) fn derives_op_attr(item: &ItemEnum) -> bool {
    let derives = item.attrs.iter().filter(|a| a.path().is_ident("derive"));
    let mut found = false;
    for a in derives {
        // Errors are ignored, because rustc reports malformed lists.
        let _ = a.parse_nested_meta(|m| {
            found |= m.path.segments.last().is_some_and(|s| s.ident == "OpAttr");
            Ok(())
        });
    }
    found
}

/// A value that an operator saves for its gradient, as a further output: a `#[saved]` let.
#[derive(Clone, Debug)]
pub struct Saved {
    pub ident: Ident,
    /// [`Kind::PerRow`] if it is declared as `PerRow`.
    pub kind: Kind,
    /// The element type that it has on its own.
    pub own: Option<Stored>,
}

/// The function of an operator: an `#[op(..)] fn`.
#[derive(Clone, Debug)]
pub struct OpFn {
    /// The function as the macro emits it, without helper attributes such as `#[saved]`.
    pub item: ItemFn,
    /// The body as written, with `#[saved]`.
    pub block: Box<Block>,
    /// Parameters of the function, in order.
    pub params: Vec<Param>,
    /// Names of parameters whose errors were reported, so that errors at their uses are left out.
    pub refused: Vec<Ident>,
    /// Kind (plain, gated or mask) of each output that the function returns, in order, and the type that it has on its own.
    pub returns: Vec<(Kind, Option<Stored>)>,
    /// The `#[saved]` lets, whose values are further outputs.
    pub saved: Vec<Saved>,
    /// How gated tensors are split into gate and value; `None` if no tensor is gated.
    pub split: Option<Split>,
}

impl OpFn {
    /// Returns kind and own type of each output: the returned ones, then the saved ones.
    pub fn outputs(&self) -> impl Iterator<Item = (Kind, Option<Stored>)> {
        let saved = self.saved.iter().map(|saved| (saved.kind, saved.own));
        self.returns.iter().copied().chain(saved)
    }

    /// Returns the tensor parameters: name, kind, and whether the tensor is marked `#[unused]`.
    pub fn tensors(&self) -> impl Iterator<Item = (&Ident, Kind, bool)> {
        self.params.iter().filter_map(|p| match &p.role {
            Role::Tensor { kind, unused, .. } => Some((&p.ident, *kind, *unused)),
            Role::Attr { .. } => None,
        })
    }

    /// Returns the type that each tensor parameter has on its own, `None` for those of the call's element type.
    pub fn own_types(&self) -> impl Iterator<Item = Option<Stored>> {
        self.params.iter().filter_map(|p| match &p.role {
            Role::Tensor { own, .. } => Some(*own),
            Role::Attr { .. } => None,
        })
    }

    /// Returns the element ranges that `#[range]` declares, each with the index of the input tensor.
    pub fn ranges(&self) -> impl Iterator<Item = Range> {
        let ranges = self.params.iter().filter_map(|p| match &p.role {
            Role::Tensor { range, .. } => Some(*range),
            Role::Attr { .. } => None,
        });
        ranges.enumerate().filter_map(|(input, bounds)| Some(Range { input, bounds: bounds? }))
    }

    /// Returns the inputs that lie along a dimension that `#[broadcast(along = 1)]` names.
    pub fn along(&self) -> impl Iterator<Item = Along> {
        let dims = self.params.iter().filter_map(|p| match &p.role {
            Role::Tensor { along, .. } => Some(*along),
            Role::Attr { .. } => None,
        });
        dims.enumerate().filter_map(|(input, dim)| Some(Along { input, dim: dim? }))
    }

    /// Returns the tensor parameters that are marked `#[broadcast]`.
    pub fn broadcast(&self) -> impl Iterator<Item = &Ident> {
        let marked = |p: &&Param| matches!(p.role, Role::Tensor { broadcast: true, .. });
        self.params.iter().filter(marked).map(|p| &p.ident)
    }

    /// Returns the attributes: the declared ones, then a flag for each optional tensor.
    ///
    /// The flag says whether a call passes the tensor.
    pub fn attrs(&self) -> impl Iterator<Item = Attr> {
        let declared = self.params.iter().filter_map(|p| match &p.role {
            Role::Attr { kind, default, any, .. } => Some(Attr {
                name: p.ident.to_string().into(),
                kind: kind.clone(),
                default: *default,
                any: *any,
            }),
            Role::Tensor { .. } => None,
        });
        let presence = self.optional().map(|(ident, input)| Attr {
            name: ident.to_string().into(),
            kind: AttrKind::Given(input),
            default: Value::Bool(false), // a call that does not pass the tensor
            any: false,
        });
        declared.chain(presence)
    }

    /// Returns the optional tensors: name, and index among the inputs.
    pub fn optional(&self) -> impl Iterator<Item = (&Ident, usize)> {
        let tensors = self.params.iter().filter_map(|p| match &p.role {
            Role::Tensor { optional, .. } => Some((&p.ident, *optional)),
            Role::Attr { .. } => None,
        });
        tensors.enumerate().filter(|(_, (_, optional))| *optional).map(|(i, (ident, _))| (ident, i))
    }
}

/// A parameter of an operator.
#[derive(Clone, Debug)]
pub struct Param {
    /// Name of the parameter.
    pub ident: Ident,
    /// Whether the parameter is a tensor or an attribute, with its properties.
    pub role: Role,
}

/// The role of a parameter: a tensor or an attribute, with its properties.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // there are only a few per operator
pub enum Role {
    /// A tensor, of which a formula sees one element at a time.
    Tensor {
        /// Data per element: one number, gate and value, a mask bit, or none (row counts).
        kind: Kind,
        /// Type that the tensor has on its own, as in `Elem<i8>`; `None` for the element type of the call.
        own: Option<Stored>,
        /// Whether the tensor is declared as an `Option`, so that a call may omit it.
        optional: bool,
        /// Whether the tensor is marked `#[unused]`: part of the signature, but not read by the formula.
        unused: bool,
        /// Whether the tensor is marked `#[broadcast]`: it may be smaller than the unmarked tensors.
        broadcast: bool,
        /// The dimension that the tensor lies along if it has one dimension, from `#[broadcast(along = 1)]`.
        along: Option<usize>,
        /// In a handwritten gradient, the forward tensor to pass for this parameter, if its name differs.
        holds: Option<Ident>,
        /// Bounds of the tensor's elements, from `#[range(low, high)]`.
        range: Option<[f64; 2]>,
    },
    /// An attribute, which has the same value for every element.
    Attr {
        /// Rust type of the parameter.
        ty: Type,
        /// Kind of the attribute, with the allowed values of an enum.
        kind: AttrKind,
        /// Value of the attribute if the caller passes none.
        default: Value,
        /// Whether the attribute is marked `any`, so that callers may pass NaN or infinity.
        any: bool,
    },
}

/// An operator as parsed: its function and the arguments of `#[op(..)]`.
#[derive(Debug)]
pub struct Op {
    /// The arguments of `#[op(..)]`.
    pub args: OpArgs,
    /// The operator's function.
    pub function: OpFn,
    /// The text of the function's doc comment.
    pub doc: String,
    /// The function's body as text, followed by the `#[formula]` functions of the module that it calls.
    pub formula: String,
}

/// Returns name, type and attributes of a parameter; `None` after reporting an error.
pub(crate) fn parameter(
    arg: &FnArg,
    errors: &Errors,
) -> Option<(Ident, Type, Vec<syn::Attribute>)> {
    let FnArg::Typed(typed) = arg else {
        return errors.none(arg, "a formula is not a method; write a parameter `x: Elem`");
    };
    match &*typed.pat {
        Pat::Ident(p) if p.by_ref.is_none() && p.mutability.is_none() && p.subpat.is_none() => {
            Some((p.ident.clone(), (*typed.ty).clone(), typed.attrs.clone()))
        }
        other => errors.none(other, "a parameter is one plain name; write `x: Elem`"),
    }
}

/// Reports errors for what no formula's signature may have.
///
/// These are `async`, `unsafe`, `extern`, generics, `...` and `cfg`. `what` names the function in messages, for example
/// "a formula".
pub(crate) fn plain_signature(item: &ItemFn, what: &str, errors: &Errors) {
    let sig = &item.sig;
    if let Some(token) = &sig.asyncness {
        errors.at(token, format!("{what} is evaluated at once; remove `async`"));
    }
    if !matches!(sig.safety, syn::Safety::Default) {
        errors.at(&sig.safety, format!("{what} is only arithmetic; remove `unsafe`"));
    }
    if let Some(abi) = &sig.abi {
        errors.at(abi, format!("{what} has no calling convention; remove `extern`"));
    }
    if !sig.generics.params.is_empty() {
        errors.at(&sig.generics, format!("{what} is not generic; every element is an `Elem`"));
    }
    if let Some(variadic) = &sig.variadic {
        errors.at(variadic, format!("{what} has a fixed list of parameters; remove `...`"));
    }
    if let Some(cfg) = item.attrs.iter().find(|a| attr::is(a, "cfg") || attr::is(a, "cfg_attr")) {
        errors.at(cfg, format!("{what} is expanded before `cfg` is known; put it on the module"));
    }
}

/// Returns the last segment of a type's path; `None` if the type is no plain path.
pub(crate) fn type_name(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Path(p) if p.qself.is_none() => {
            p.path.segments.last().filter(|s| s.arguments.is_none()).map(|s| &s.ident)
        }
        Type::Group(g) => type_name(&g.elem),
        Type::Paren(p) => type_name(&p.elem),
        _ => None,
    }
}

/// Returns the type `T` of an `Option<T>`; `None` for any other type.
pub(crate) fn optional(ty: &Type) -> Option<&Type> {
    argument(ty, &["Option"])
}

/// Returns the type `i8` of an `Elem<i8>`, a `Gated<i8>` or a `PerRow<i8>`; `None` for any other type.
pub(crate) fn own_type(ty: &Type) -> Option<&Type> {
    argument(ty, &["Elem", "Gated", "PerRow"])
}

/// Returns the type argument of a type with one argument that has one of these names.
fn argument<'t>(ty: &'t Type, names: &[&str]) -> Option<&'t Type> {
    let Type::Path(p) = ty else { return None };
    let last = p.path.segments.last().filter(|s| names.iter().any(|name| s.ident == name))?;
    match &last.arguments {
        syn::PathArguments::AngleBracketed(of) => match of.args.first() {
            Some(syn::GenericArgument::Type(ty)) if of.args.len() == 1 => Some(ty),
            _ => None,
        },
        _ => None,
    }
}

/// Removes the helper attributes, such as `#[saved]`, from a function and everything inside it, and `<i8>` from `Elem<i8>`.
#[derive(Debug)]
pub struct Strip;

impl VisitMut for Strip {
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<syn::Attribute>) {
        attrs.retain(|a| !attr::HELPERS.iter().any(|h| attr::is(a, h)));
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        if own_type(ty).is_some()
            && let Type::Path(p) = &mut *ty
            && let Some(last) = p.path.segments.last_mut()
        {
            last.arguments = syn::PathArguments::None;
        }
        visit_mut::visit_type_mut(self, ty);
    }
}

fn text(ty: &Type) -> String {
    ty.to_token_stream().to_string().replace(" ,", ",")
}

/// Returns the source text between a block's braces, without the indentation.
///
/// The result is the block's tokens as text if there is no source text.
pub(crate) fn source(block: &Block) -> String {
    let text = block.brace_token.span.join().source_text();
    let text = text.unwrap_or_else(|| block.to_token_stream().to_string());
    let inner = text.trim().trim_start_matches('{').trim_end_matches('}');
    let lines: Vec<&str> = inner.lines().map(str::trim_end).filter(|l| !l.is_empty()).collect();
    let indent = lines.iter().map(|l| l.len() - l.trim_start().len()).min().unwrap_or(0);
    let cut: Vec<&str> = lines.iter().map(|l| l.get(indent..).unwrap_or(l)).collect();
    cut.join("\n").trim().to_owned()
}
