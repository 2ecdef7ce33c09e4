//! Numbers as tokens.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// A number of things, without its type.
pub fn count(n: usize) -> Literal {
    Literal::usize_unsuffixed(n)
}

/// An integer; literals have no sign.
pub fn integer(v: i64) -> TokenStream {
    let magnitude = Literal::u64_unsuffixed(v.unsigned_abs());
    match v {
        i64::MIN => quote!(i64::MIN),
        _ if v < 0 => quote!(-#magnitude),
        _ => quote!(#magnitude),
    }
}

/// The shortest decimal that reads back as the same number.
pub fn f64_literal(v: f64) -> TokenStream {
    if !v.is_finite() {
        let bits = Literal::u64_unsuffixed(v.to_bits());
        return quote!(f64::from_bits(#bits));
    }
    let magnitude = Literal::f64_unsuffixed(v.abs());
    if v.is_sign_negative() { quote!(-#magnitude) } else { quote!(#magnitude) }
}

/// The shortest decimal that reads back as the same number.
pub fn f32_literal(v: f32) -> TokenStream {
    if !v.is_finite() {
        let bits = Literal::u32_unsuffixed(v.to_bits());
        return quote!(f32::from_bits(#bits));
    }
    let magnitude = Literal::f32_unsuffixed(v.abs());
    if v.is_sign_negative() { quote!(-#magnitude) } else { quote!(#magnitude) }
}
