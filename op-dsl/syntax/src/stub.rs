//! Placeholders for refused functions: the same signature, with a body that panics.
//!
//! Without them rustc would report the same mistake again.

use crate::model::type_name;
use crate::scope::Scope;
use crate::trace::is_known;
use syn::{FnArg, ItemFn, ReturnType, Signature, Type, parse_quote};

/// Returns the placeholder for a function with errors: the same signature, with a body that panics.
///
/// A parameter whose type had an error accepts any type.
pub fn function(item: &ItemFn, scope: &Scope) -> ItemFn {
    let inputs = item.sig.inputs.iter().filter_map(|arg| match arg {
        FnArg::Typed(arg) if is_known(&arg.ty, scope) => Some((*arg.ty).clone()),
        FnArg::Typed(_) => Some(parse_quote!(impl ::core::marker::Sized)),
        FnArg::Receiver(_) => None,
    });
    let output: Type = match &item.sig.output {
        ReturnType::Type(_, ty) if is_result(ty, scope) => (**ty).clone(),
        _ => parse_quote!(!),
    };
    let (vis, ident) = (&item.vis, &item.sig.ident);
    let sig: Signature = parse_quote!(fn #ident(#(_: #inputs),*) -> #output);
    parse_quote! {
        #[doc(hidden)]
        #[allow(dead_code)]
        #vis #sig {
            ::core::unreachable!("its formula is refused while compiling")
        }
    }
}

fn is_result(ty: &Type, scope: &Scope) -> bool {
    match ty {
        Type::Tuple(t) => t.elems.iter().all(|ty| is_result(ty, scope)),
        other => type_name(other).is_some() && is_known(other, scope),
    }
}
