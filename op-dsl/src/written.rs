//! Functions that are formulas of other functions, compiled as Rust on `Elem`.
//!
//! Their bodies are the same text that the compiler reads where a formula calls them.

use crate::elem::{Elem, abs, atan, cos, exp, ln, log1p, max, powf, round, sign, sin, sqrt};
use std::f64::consts::{FRAC_PI_2, LN_2, LN_10, LOG2_E, LOG10_E, PI};

/// Defines each function twice: as a free function, and as a method of `Elem`, its first argument.
macro_rules! functions {
    ($($name:ident($first:ident $(, $more:ident)*) $doc:literal $body:block)*) => {
        $(#[doc = $doc]
        pub fn $name($first: impl Into<Elem> $(, $more: impl Into<Elem>)*) -> Elem {
            let $first = $first.into();
            $(let $more = $more.into();)*
            $body
        })*
        impl Elem {
            $(#[doc = $doc]
            pub fn $name(self $(, $more: impl Into<Elem>)*) -> Elem {
                $name(self $(, $more)*)
            })*
        }
    };
}
op_dsl_ir::written_functions!(functions);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_take_elements_and_numbers() {
        let x = Elem::from(3.0);
        assert_eq!(hypot(x, 4.0).0, 5.0);
        assert_eq!(x.copysign(-1.0).0, -3.0);
        assert_eq!(x.heaviside().0, 1.0);
        assert_eq!(
            [floor(-1.5).0, ceil(-1.5).0, trunc(-1.5).0, round(-1.5).0],
            [-2.0, -1.0, -1.0, -2.0]
        );
        assert!((atan2(-1.0, -x).0 - f64::atan2(-1.0, -3.0)).abs() < 1e-15);
    }
}
