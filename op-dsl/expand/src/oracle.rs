//! The author's own function as the reference for its operators, by value and by derivative.

use op_dsl_ir::op::{AttrKind, Kind};
use op_dsl_ir::wiring::Wiring;
use op_dsl_lower::literal::count;
use op_dsl_syntax::{OpFn, Operator, Role};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Pat, Stmt};

/// Returns `let` statements that rebind the numeric attributes, under their own names, as elements.
pub fn scalars(f: &OpFn) -> TokenStream {
    let scalars = f.params.iter().filter_map(|p| {
        let name = &p.ident;
        match &p.role {
            Role::Attr { kind: AttrKind::Float, .. } => Some(quote!(#name)),
            Role::Attr { kind: AttrKind::Int, .. } => Some(quote!(#name as f32)),
            _ => None,
        }
        .map(|value| quote!(let #name = ::op_dsl::Elem::constant(f64::from(#value));))
    });
    quote!(#(#scalars)*)
}

fn evaluator_name(f: &OpFn) -> Ident {
    format_ident!("__{}_elements", f.item.sig.ident)
}

/// Returns an emitted function that calls the author's function on one element of each stream.
///
/// The function takes one element per input stream and returns one per output stream, returned values before saved
/// ones. Its own names begin with `__`, because the author's function and parameters may have any other name.
pub fn evaluator(f: &OpFn) -> TokenStream {
    let name = evaluator_name(f);
    let arguments = arguments(f);
    let returned: Vec<Ident> = (0..f.returns.len()).map(|i| format_ident!("__y{i}")).collect();
    let pattern = match &returned[..] {
        [one] => quote!(#one),
        all => quote!((#(#all),*)),
    };
    let flat = returned.iter().zip(&f.returns).map(|(y, kind)| match kind {
        Kind::Whole | Kind::Mask | Kind::Rows => quote!(#y),
        Kind::Gated => quote!(#y.gate, #y.value),
    });
    let (copy, call) = if f.saved.is_empty() {
        let author = &f.item.sig.ident;
        (None, quote!((#author(#(#arguments),*), [])))
    } else {
        let inner = format_ident!("__with_saved");
        (Some(with_saved(&inner, f)), quote!(#inner(#(#arguments,)* __given)))
    };
    let saved = count(f.saved.len());
    quote! {
        #[doc(hidden)]
        #[allow(unused_variables)]
        fn #name(
            __x: &[::op_dsl::Elem],
            __a: &[::op_dsl::__rt::data::Value],
            __given: &[::core::option::Option<f64>],
        ) -> ::std::vec::Vec<::op_dsl::Elem> {
            #copy
            let (#pattern, __kept): (_, [::op_dsl::Elem; #saved]) = #call;
            let mut __y = ::std::vec![#(#flat),*];
            __y.extend(__kept);
            __y
        }
    }
}

/// Returns a copy of the author's function that also returns its saved values.
///
/// If a gradient received a saved value as an input, that input replaces the computed value.
fn with_saved(name: &Ident, f: &OpFn) -> TokenStream {
    let params = f.item.sig.inputs.iter();
    let output = match &f.item.sig.output {
        syn::ReturnType::Default => quote!(()),
        syn::ReturnType::Type(_, ty) => quote!(#ty),
    };
    let saved = count(f.saved.len());
    let mut found = 0usize;
    // `item` is the stripped copy of `block`, so that their statements correspond one to one.
    let (mut stmts, mut tail) = (Vec::new(), None);
    for (plain, written) in f.item.block.stmts.iter().zip(&f.block.stmts) {
        if let Stmt::Expr(e, None) = plain {
            tail = Some(e);
            continue;
        }
        stmts.push(quote!(#plain));
        if let Some(ident) = saved_name(written) {
            let kept = format_ident!("__saved_{found}");
            let at = count(found);
            stmts.push(quote! {
                let #ident = ::op_dsl::__rt::oracle::given(#ident, __given, #at);
                let #kept = #ident;
            });
            found += 1;
        }
    }
    let kept = (0..found).map(|i| format_ident!("__saved_{i}"));
    let scalars = scalars(f);
    quote! {
        fn #name(#(#params,)* __given: &[::core::option::Option<f64>]) -> (#output, [::op_dsl::Elem; #saved]) {
            #scalars
            #(#stmts)*
            (#tail, [#(#kept),*])
        }
    }
}

fn saved_name(stmt: &Stmt) -> Option<&Ident> {
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
                Kind::Whole => quote!(__x[#first]),
                Kind::Gated => quote!(::op_dsl::Gated { gate: __x[#first], value: __x[#second] }),
                Kind::Mask => quote!((__x[#first].value != 0.0)),
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

/// Returns the oracle (reference function in f64) of one operator, as an `fn oracle`.
pub fn function(op: &Operator, f: &OpFn) -> TokenStream {
    let evaluator = evaluator_name(f);
    let call = match &op.steps[..] {
        // A stub: its error has been reported.
        _ if op.def.specs.is_empty() => quote!(::std::vec::Vec::new()),
        [] => quote!(::op_dsl::__rt::oracle::value(#evaluator, i)),
        [wiring] => {
            let wiring = connections(wiring, f.saved.len());
            quote!(::op_dsl::__rt::oracle::gradient(#evaluator, &#wiring, i))
        }
        [first, second, ..] => {
            let (first, second) = (connections(first, f.saved.len()), connections(second, 0));
            quote!(::op_dsl::__rt::oracle::second_gradient(#evaluator, &#first, &#second, i))
        }
    };
    quote! {
        #[allow(unused_variables)]
        fn oracle(i: &::op_dsl::OracleInput<'_>) -> ::std::vec::Vec<f64> {
            #call
        }
    }
}

/// Returns the connections of a gradient to its forward formula, as a `Connections` literal.
///
/// The last `saved` of the formula's output streams are the saved ones.
fn connections(w: &Wiring, saved: usize) -> TokenStream {
    let places = |list: &[Option<usize>]| {
        let each = list.iter().map(|p| match p {
            Some(i) => {
                let i = count(*i);
                quote!(::core::option::Option::Some(#i))
            }
            None => quote!(::core::option::Option::None),
        });
        quote!(&[#(#each),*])
    };
    let (inputs, upstream) = (places(&w.inputs), places(&w.upstream));
    let saved = places(&w.saved[w.saved.len() - saved..]);
    let wrt = w.wrt.iter().copied().map(count);
    quote! {
        ::op_dsl::__rt::oracle::Connections {
            inputs: #inputs,
            upstream: #upstream,
            saved: #saved,
            wrt: &[#(#wrt),*],
        }
    }
}
