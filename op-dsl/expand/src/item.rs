//! The items of an expansion: the author's functions, and the items of each operator.
//!
//! Each operator has a struct of its attributes, a typed call and an entry in the table.

use super::{Purpose, data, doc, oracle};
use op_dsl_ir::op::{Attr, AttrKind, OpDef, Value};
use op_dsl_lower::body;
use op_dsl_lower::literal::{count, f32_literal, integer};
use op_dsl_syntax::{Family, OpFn, Operator, Role};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Item, Path};

/// Returns one of the author's items as the expansion contains it.
///
/// In the function of an operator, numeric attributes are rebound as elements (`Elem`), so that arithmetic on them
/// reads like all other arithmetic. Other items are unchanged.
pub fn kept(item: &Item, functions: &[OpFn]) -> TokenStream {
    let Item::Fn(f) = item else { return item.to_token_stream() };
    let known = functions.iter().find(|known| known.item.sig.ident == f.sig.ident);
    let Some(known) = known else { return f.to_token_stream() };
    let (attrs, vis, sig, stmts) = (&f.attrs, &f.vis, &f.sig, &f.block.stmts);
    let scalars = oracle::scalars(known);
    quote! {
        #(#attrs)*
        #[allow(unused_variables)] // attributes such as `dim` are used by the layout alone
        #vis #sig {
            #scalars
            #(#stmts)*
        }
    }
}

/// Returns the name of an operator's table entry, for example `GE_GLU_GRAD_V2`.
pub fn static_name(op: &Operator) -> Ident {
    Ident::new(&op.def.snake().to_uppercase(), op.ident.span())
}

/// Returns all emitted items of one operator: its struct with methods, its kernels and its `static`.
pub fn operator(
    purpose: Purpose,
    op: &Operator,
    f: &OpFn,
    published: Option<&Path>,
) -> TokenStream {
    let structure = structure(op, f);
    let run = run(op);
    let entry = entry(purpose, op, f, published);
    quote!(#structure #run #entry)
}

/// Returns a test that compares a hand-written gradient with its forward operator.
///
/// Returns `None` unless the operator is such a gradient and the forward operator is in the same module.
pub fn check(op: &Operator, family: &Family) -> Option<TokenStream> {
    let of = op.def.forward().filter(|_| op.steps.is_empty())?;
    let forward = family.ops.iter().find(|f| f.def.name == of)?;
    let source = &family.functions[forward.function].item.sig.ident;
    let name = format_ident!("{}_is_the_gradient_of_{source}", op.def.snake());
    let (forward, gradient) = (static_name(forward), static_name(op));
    // Stubs of refused operators have no graph to test.
    (!op.def.specs.is_empty()).then(|| {
        quote! {
            #[cfg(test)]
            #[test]
            fn #name() -> ::core::result::Result<(), ::std::string::String> {
                ::op_dsl::check::gradient(&#forward, &#gradient)
            }
        }
    })
}

/// Returns the Rust types of a function's attributes, in the order of its parameters.
fn types(f: &OpFn) -> Vec<TokenStream> {
    let attrs = f.params.iter().filter_map(|p| match &p.role {
        Role::Attr { ty, kind, .. } => Some((ty, kind)),
        Role::Tensor { .. } => None,
    });
    attrs
        .map(|(ty, kind)| match kind {
            AttrKind::Dim | AttrKind::Int => quote!(i64),
            AttrKind::Bool | AttrKind::Given(_) => quote!(bool),
            AttrKind::Float => quote!(f32),
            AttrKind::Enum { .. } => ty.to_token_stream(),
        })
        .collect()
}

fn field(attr: &Attr) -> Ident {
    format_ident!("{}", *attr.name)
}

fn structure(op: &Operator, f: &OpFn) -> TokenStream {
    let (name, def) = (&op.ident, &op.def);
    let docs = doc::operator(def, !op.steps.is_empty());
    let passed = def.passed();
    if passed.is_empty() {
        return quote! {
            #[doc = #docs]
            #[derive(Clone, Copy, Debug, Default, PartialEq)]
            pub struct #name {} // no unit struct, because its value may have the entry's name
        };
    }
    let fields: Vec<Ident> = passed.iter().map(field).collect();
    let field_docs = passed.iter().map(doc::attribute);
    let types = types(f);
    let defaults = passed.iter().zip(&types).map(|(a, ty)| default(a, ty));
    quote! {
        #[doc = #docs]
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct #name {
            #(#[doc = #field_docs] pub #fields: #types,)*
        }

        #[automatically_derived]
        #[allow(clippy::approx_constant)] // the author's numbers
        impl ::core::default::Default for #name {
            fn default() -> Self {
                Self { #(#fields: #defaults),* }
            }
        }
    }
}

fn default(attr: &Attr, ty: &TokenStream) -> TokenStream {
    match (&attr.kind, attr.default) {
        (AttrKind::Enum { variants, .. }, Value::Int(v)) => {
            let variant = variants.iter().find(|known| known.value == v);
            let variant = variant.map(|known| format_ident!("{}", *known.ident));
            quote!(<#ty>::#variant)
        }
        (_, Value::Int(v)) => integer(v),
        (_, Value::Bool(b)) => quote!(#b),
        (_, Value::Float(v)) => f32_literal(v as f32),
    }
}

/// Returns the methods `attrs` and `run` (the typed call) of an operator's struct.
fn run(op: &Operator) -> TokenStream {
    let (name, def, entry) = (&op.ident, &op.def, static_name(op));
    let tensors = |list: &[op_dsl_ir::op::Tensor]| -> Vec<Ident> {
        // A name that is a keyword gets a `_`, because it cannot be a parameter.
        let ident = |name: &str| syn::parse_str(name).unwrap_or_else(|_| format_ident!("{name}_"));
        list.iter().map(|t| ident(&t.name)).collect()
    };
    let (inputs, outputs) = (tensors(&def.inputs), tensors(&def.outputs));
    let values = def.passed().iter().map(|a| {
        let field = field(a);
        match a.kind {
            AttrKind::Dim | AttrKind::Int => quote!(Value::Int(self.#field)),
            AttrKind::Bool | AttrKind::Given(_) => quote!(Value::Bool(self.#field)),
            AttrKind::Float => quote!(Value::Float(f64::from(self.#field))),
            AttrKind::Enum { .. } => quote!(Value::Int(::op_dsl::OpAttr::to_i64(self.#field))),
        }
    });
    let attr_count = count(def.passed().len());
    let optional: Vec<bool> = (0..inputs.len()).map(|i| def.presence(i).is_some()).collect();
    let views = optional.iter().map(|optional| match optional {
        true => quote!(::core::option::Option<::op_dsl::View<'_>>),
        false => quote!(::op_dsl::View<'_>),
    });
    let given = inputs.iter().zip(&optional).map(|(input, optional)| match optional {
        true => quote!(#input.unwrap_or(::op_dsl::View::ABSENT)),
        false => quote!(#input),
    });
    let (run_docs, attrs_docs) = (doc::call(def), "The attributes as the table has them.");
    let in_place = run_in_place(def, &inputs, &views.clone().collect::<Vec<_>>(), &entry);
    quote! {
        #[automatically_derived]
        impl #name {
            #[doc = #attrs_docs]
            pub fn attrs(&self) -> [::op_dsl::__rt::data::Value; #attr_count] {
                #[allow(unused_imports)]
                use ::op_dsl::__rt::data::Value;
                [#(#values),*]
            }

            #[doc = #run_docs]
            #[allow(clippy::too_many_arguments)]
            pub fn run(
                &self,
                #(#inputs: #views,)*
                #(#outputs: ::op_dsl::ViewMut<'_>,)*
            ) -> ::core::result::Result<(), ::op_dsl::Error> {
                let options = ::op_dsl::Options::default();
                #entry.run(&self.attrs(), &[#(#given),*], &mut [#(#outputs),*], &options)
            }

            #in_place
        }
    }
}

/// Returns the method `run_in_place`, if outputs are new values of inputs: its tensors are the inputs.
fn run_in_place(
    def: &OpDef,
    inputs: &[Ident],
    views: &[TokenStream],
    entry: &Ident,
) -> Option<TokenStream> {
    let is_updated = |i: &usize| def.updates.contains(i);
    let tensors = views.iter().enumerate().map(|(i, view)| match is_updated(&i) {
        true => quote!(::op_dsl::ViewMut<'_>),
        false => view.clone(),
    });
    let others = (0..inputs.len()).filter(|i| !is_updated(i)).map(|i| {
        let input = &inputs[i];
        match def.presence(i) {
            Some(_) => quote!(#input.unwrap_or(::op_dsl::View::ABSENT)),
            None => quote!(#input),
        }
    });
    let updated = def.updates.iter().map(|i| &inputs[*i]);
    let docs = doc::call_in_place(def);
    (!def.updates.is_empty()).then(|| {
        quote! {
            #[doc = #docs]
            #[allow(clippy::too_many_arguments)]
            pub fn run_in_place(
                &self,
                #(#inputs: #tensors,)*
            ) -> ::core::result::Result<(), ::op_dsl::Error> {
                let (options, attrs) = (::op_dsl::Options::default(), self.attrs());
                #entry.run_in_place(&attrs, &[#(#others),*], &mut [#(#updated),*], &options)
            }
        }
    })
}

/// Returns the operator's `static` in the table of operators: definition, kernels and oracle.
fn entry(purpose: Purpose, op: &Operator, f: &OpFn, published: Option<&Path>) -> TokenStream {
    let (def, entry) = (&op.def, static_name(op));
    let docs = format!("[`{}`] in the table of operators.", def.name);
    let oracle = oracle::of(op, f);
    let definition = data::definition(def, published);
    let (kernels, listed) = match purpose {
        Purpose::Call => {
            let module = format_ident!("kernels_of_{}", def.snake());
            (kernels(&module, def), quote!(#module::KERNELS))
        }
        Purpose::Define => (TokenStream::new(), quote!(&[])),
    };
    quote! {
        #kernels

        #[doc = #docs]
        #[allow(clippy::approx_constant)] // a graph's numbers, however they came about
        pub static #entry: ::op_dsl::Operator = {
            use ::op_dsl::__rt::data::*;
            ::op_dsl::Operator::new(#definition, #listed, #oracle)
        };
    }
}

fn body_name(kernel: usize) -> Ident {
    format_ident!("Spec{kernel}")
}

/// Returns a module with an operator's kernels.
///
/// Each operator has its own module, because rustc compiles modules separately and recompiles only the changed ones.
fn kernels(module: &Ident, def: &OpDef) -> TokenStream {
    let all = def.kernels();
    let names: Vec<Ident> = (0..all.len()).map(body_name).collect();
    let bodies = names.iter().zip(&all).map(|(name, kernel)| {
        let body = body::implementation(name, kernel);
        quote!(struct #name; #body)
    });
    let listed = names.iter().zip(&all).map(|(name, kernel)| {
        let [inputs, scalars, outputs] = body::widths(kernel).map(count);
        quote!(Kernels::of::<#name, #inputs, #scalars, #outputs>())
    });
    quote! {
        mod #module {
            #[allow(unused_imports)]
            use ::op_dsl::__rt::vector::*;

            #(#bodies)*

            pub(super) static KERNELS: &[Kernels] = &[#(#listed),*];
        }
    }
}
