//! Numbers as tokens.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Returns `n` as a literal without a type suffix.
pub fn count(n: usize) -> Literal {
    Literal::usize_unsuffixed(n)
}

/// Returns `v` as tokens; the sign is a separate token, because literals have none.
pub fn integer(v: i64) -> TokenStream {
    let magnitude = Literal::u64_unsuffixed(v.unsigned_abs());
    match v {
        i64::MIN => quote!(i64::MIN),
        _ if v < 0 => quote!(-#magnitude),
        _ => quote!(#magnitude),
    }
}

macro_rules! float_literals {
    ($($name:ident: $Float:ident, $decimal:ident, $bits:ident;)*) => {$(
        /// Returns the tokens of `v`: the shortest decimal that reads back as the same number.
        ///
        /// A number that is not finite is written by its bits.
        pub fn $name(v: $Float) -> TokenStream {
            if !v.is_finite() {
                let bits = Literal::$bits(v.to_bits());
                return quote!($Float::from_bits(#bits));
            }
            let magnitude = Literal::$decimal(v.abs());
            if v.is_sign_negative() { quote!(-#magnitude) } else { quote!(#magnitude) }
        }
    )*};
}
float_literals! {
    f64_literal: f64, f64_unsuffixed, u64_unsuffixed;
    f32_literal: f32, f32_unsuffixed, u32_unsuffixed;
}
