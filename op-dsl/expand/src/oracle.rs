//! The author's own function as the reference for its operator.

use op_dsl_ir::op::{AttrKind, Kind};
use op_dsl_lower::literal::count;
use op_dsl_syntax::{OpFn, Operator, Role};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Pat, Stmt};

/// Returns `let` statements that rebind the numeric attributes, under their own names, as elements.
pub fn scalars(f: &OpFn) -> TokenStream {
    let scalars = f.params.iter().filter_map(|p| match &p.role {
        Role::Attr { kind: AttrKind::Float | AttrKind::Int, .. } => Some(&p.ident),
        _ => None,
    });
    quote!(#(let #scalars = ::op_dsl::Elem::from(#scalars);)*)
}

fn name(f: &OpFn) -> Ident {
    format_ident!("__{}_oracle", f.item.sig.ident)
}

/// Returns the oracle of an operator as an expression: `None` for a derived gradient, which has no function of its own.
pub fn of(op: &Operator, f: &OpFn) -> TokenStream {
    // A stub has no graph: its error has been reported.
    if op.def.specs.is_empty() || !op.steps.is_empty() {
        return quote!(None);
    }
    let name = name(f);
    quote!(Some(#name))
}

/// Returns an emitted function that calls the author's function on one element of each stream.
///
/// The function takes one number per input stream and returns one per output stream, returned values before saved ones.
/// Its own names begin with `__`, because the author's function and parameters may have any other name.
pub fn function(f: &OpFn) -> TokenStream {
    let (name, arguments) = (name(f), arguments(f));
    let returned: Vec<Ident> = (0..f.returns.len()).map(|i| format_ident!("__y{i}")).collect();
    let flat = returned.iter().zip(&f.returns).flat_map(|(y, (kind, _))| match kind {
        Kind::Whole | Kind::PerRow | Kind::Rows => vec![quote!(#y.0)],
        Kind::Mask => vec![quote!(f64::from(u8::from(#y)))],
        Kind::Gated => vec![quote!(#y.gate.0), quote!(#y.value.0)],
    });
    let saved = (0..f.saved.len()).map(saved_name);
    let flat = flat.chain(saved.clone().map(|s| quote!(#s.0)));
    let pattern = match &returned[..] {
        [one] => quote!(#one),
        all => quote!((#(#all),*)),
    };
    let (copy, pattern, author) = match f.saved.is_empty() {
        true => (None, pattern, f.item.sig.ident.clone()),
        false => {
            let inner = format_ident!("__with_saved");
            (Some(with_saved(&inner, f)), quote!((#pattern, [#(#saved),*])), inner)
        }
    };
    quote! {
        #[doc(hidden)]
        #[allow(unused_variables)]
        fn #name(__x: &[f64], __a: &[::op_dsl::__rt::data::Value]) -> ::std::vec::Vec<f64> {
            #copy
            let #pattern = #author(#(#arguments),*);
            ::std::vec![#(#flat),*]
        }
    }
}

fn saved_name(at: usize) -> Ident {
    format_ident!("__saved_{at}")
}

/// Returns a copy of the author's function that also returns its saved values.
fn with_saved(name: &Ident, f: &OpFn) -> TokenStream {
    let params = f.item.sig.inputs.iter();
    let output = match &f.item.sig.output {
        syn::ReturnType::Default => quote!(()),
        syn::ReturnType::Type(_, ty) => quote!(#ty),
    };
    let mut kept = Vec::new();
    // `item` is the stripped copy of `block`, so that their statements correspond one to one.
    let (mut stmts, mut tail) = (Vec::new(), None);
    for (plain, written) in f.item.block.stmts.iter().zip(&f.block.stmts) {
        if let Stmt::Expr(e, None) = plain {
            tail = Some(e);
            continue;
        }
        stmts.push(quote!(#plain));
        if let Some(ident) = saved_variable(written) {
            let name = saved_name(kept.len());
            stmts.push(quote!(let #name = #ident;));
            kept.push(name);
        }
    }
    let (saved, scalars) = (count(f.saved.len()), scalars(f));
    quote! {
        fn #name(#(#params),*) -> (#output, [::op_dsl::Elem; #saved]) {
            #scalars
            #(#stmts)*
            (#tail, [#(#kept),*])
        }
    }
}

fn saved_variable(stmt: &Stmt) -> Option<&Ident> {
    let Stmt::Local(local) = stmt else { return None };
    local.attrs.iter().find(|a| a.path().is_ident("saved"))?;
    match &local.pat {
        Pat::Ident(p) => Some(&p.ident),
        Pat::Type(t) => match &*t.pat {
            Pat::Ident(p) => Some(&p.ident),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the arguments of the author's function, from the streams `__x` and the attributes `__a`.
fn arguments(f: &OpFn) -> Vec<TokenStream> {
    let (mut stream, mut attr) = (0usize, 0usize);
    let is_attr = |p: &&op_dsl_syntax::Param| matches!(p.role, Role::Attr { .. });
    let mut presence = f.params.iter().filter(is_attr).count();
    let argument = |p: &op_dsl_syntax::Param| match &p.role {
        Role::Tensor { kind, optional, .. } => {
            let [first, second] = [stream, stream + 1].map(count);
            stream += kind.parts().len();
            let value = match kind {
                Kind::Whole | Kind::PerRow => quote!(::op_dsl::Elem(__x[#first])),
                Kind::Gated => quote!(::op_dsl::Gated {
                    gate: ::op_dsl::Elem(__x[#first]),
                    value: ::op_dsl::Elem(__x[#second]),
                }),
                Kind::Mask => quote!((__x[#first] != 0.0)),
                Kind::Rows => quote!(::op_dsl::Rows),
            };
            if !optional {
                return value;
            }
            presence += 1;
            let i = count(presence - 1);
            quote!(::op_dsl::__rt::oracle::is_given(__a, #i).then_some(#value))
        }
        Role::Attr { ty, kind, .. } => {
            attr += 1;
            let i = count(attr - 1);
            match kind {
                AttrKind::Dim | AttrKind::Int => quote!(::op_dsl::__rt::oracle::int(__a[#i])),
                AttrKind::Bool | AttrKind::Given(_) => {
                    quote!(::op_dsl::__rt::oracle::int(__a[#i]) != 0)
                }
                AttrKind::Float => quote!(::op_dsl::__rt::oracle::float(__a[#i])),
                AttrKind::Enum { .. } => quote!(::op_dsl::__rt::oracle::variant::<#ty>(__a[#i])),
            }
        }
    };
    f.params.iter().map(argument).collect()
}
