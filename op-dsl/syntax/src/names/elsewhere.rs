//! Functions of other libraries (`std`, libm, NumPy, PyTorch): their equivalents in formulas, or why there are none.

/// Function names of other libraries, and what to write instead with arguments `x`, `y` and `z`.
const WRITTEN: &[(&[&str], &str)] = &[
    (&["cot"], "cos(x) / sin(x)"),
    (&["sec"], "1.0 / cos(x)"),
    (&["csc"], "1.0 / sin(x)"),
    (&["arcsin"], "asin(x)"),
    (&["arccos"], "acos(x)"),
    (&["arctan"], "atan(x)"),
    (&["arctan2"], "atan2(x, y)"),
    (&["arcsinh"], "asinh(x)"),
    (&["arccosh"], "acosh(x)"),
    (&["arctanh"], "atanh(x)"),
    (&["coth"], "1.0 / tanh(x)"),
    (&["sech"], "1.0 / cosh(x)"),
    (&["csch"], "1.0 / sinh(x)"),
    (&["log"], "ln(x)"),
    (&["ln_1p"], "log1p(x)"),
    (&["exp_m1"], "expm1(x)"),
    (&["pow", "power"], "powf(x, y)"),
    (&["inv_sqrt"], "rsqrt(x)"),
    (&["reciprocal", "inv"], "recip(x)"),
    (&["square", "sqr"], "x * x"),
    (&["fabs", "absolute"], "abs(x)"),
    (&["signum", "sgn"], "sign(x)"),
    (&["maximum", "fmax"], "max(x, y)"),
    (&["minimum", "fmin"], "min(x, y)"),
    (&["clip"], "clamp(x, y, z)"),
    (&["neg", "negative"], "-x"),
    (&["add"], "x + y"),
    (&["sub", "subtract"], "x - y"),
    (&["mul", "multiply"], "x * y"),
    (&["div", "divide"], "x / y"),
    (&["fma", "mul_add"], "x * y + z"),
    (&["lerp"], "x + z * (y - x)"),
    (&["select"], "if x > 0.0 { y } else { z }"),
    (&["step"], "heaviside(x)"),
    (&["round_ties_even", "rint", "nearbyint"], "round(x)"),
    (&["fract", "frac", "modf"], "x - trunc(x)"),
    (&["fmod"], "rem(x, y)"),
    (&["remainder"], "rem(x, y) + (if rem(x, y) * y < 0.0 { y } else { 0.0 })"),
    (&["rem_euclid"], "rem(x, y) + (if rem(x, y) < 0.0 { abs(y) } else { 0.0 })"),
    (&["floor_div", "floor_divide"], "floor(x / y)"),
    (&["div_euclid"], "if y > 0.0 { floor(x / y) } else { ceil(x / y) }"),
    (&["ln_gamma", "gammaln"], "lgamma(x)"),
    (&["psi"], "digamma(x)"),
    (&["ndtr"], "normal_cdf(x)"),
    (&["swish"], "silu(x)"),
    (&["logsigmoid", "log_sigmoid"], "-softplus(-x)"),
    (&["mish"], "x * tanh(softplus(x))"),
    (&["softsign"], "x / (1.0 + abs(x))"),
    (&["tanhshrink"], "x - tanh(x)"),
    (&["relu6"], "clamp(x, 0.0, 6.0)"),
    (&["hardsigmoid", "hard_sigmoid"], "clamp(x / 6.0 + 0.5, 0.0, 1.0)"),
    (&["hardswish", "hard_swish"], "x * clamp(x / 6.0 + 0.5, 0.0, 1.0)"),
    (&["elu"], "if x > 0.0 { x } else { expm1(x) }"),
    (&["leaky_relu"], "if x > 0.0 { x } else { 0.01 * x }"),
];

/// Predicate names of other libraries, and what to write instead with the argument `x`.
const ASKED: &[(&[&str], &str)] = &[
    (&["isnan"], "is_nan(x)"),
    (&["is_infinite", "isinf"], "is_inf(x)"),
    (&["isfinite"], "is_finite(x)"),
    (&["is_sign_negative", "signbit"], "x < 0.0"),
    (&["is_sign_positive"], "x > 0.0"),
];

/// Function names of other libraries for functions of rows, and what to write instead with the argument `x`.
const OF_ROWS: &[(&[&str], &str)] = &[
    (&["sum"], "row_sum(x)"),
    (&["mean", "average"], "row_mean(x)"),
    (&["amax"], "row_max(x)"),
    (&["amin"], "-row_max(-x)"),
    (&["logsumexp"], "row_max(x) + ln(row_sum(exp(x - row_max(x))))"),
    (&["softmax"], "exp(x - row_max(x)) / row_sum(exp(x - row_max(x)))"),
    (&["log_softmax"], "x - row_max(x) - ln(row_sum(exp(x - row_max(x))))"),
    (&["rms_norm"], "x * rsqrt(row_mean(x * x) + 1e-6)"),
];

/// Names of functions of several elements (reductions, sorts, matrix products) and random functions.
const NOT_ELEMENTWISE: &[&str] = &[
    "prod", "product", "norm", "var", "variance", "std", "argmax", "argmin", "cumsum", "cumprod",
    "sort", "topk", "median", "dot", "matmul", "conv", "layer_norm", "batch_norm", "dropout",
    "rand", "randn",
];

/// Names of special functions that have no closed form in the functions that formulas know.
const SPECIAL: &[&str] = &[
    "erfcinv", "erfcx", "ndtri", "gamma", "tgamma", "polygamma", "zeta", "beta", "i0", "i0e", "i1",
    "i1e", "j0", "j1", "y0", "y1", "expint", "lambertw", "frexp",
];

/// Returns the error message for a call of a function that only other libraries have.
///
/// Returns `None` if no list in this file has the name.
pub fn advice(name: &str) -> Option<String> {
    let is_in = |names: &[&str]| names.contains(&name);
    if let Some((_, text)) = WRITTEN.iter().chain(ASKED).find(|(names, _)| is_in(names)) {
        return Some(format!("no function `{name}` is known; write `{text}`"));
    }
    if let Some((_, text)) = OF_ROWS.iter().find(|(names, _)| is_in(names)) {
        return Some(format!("no function `{name}` is known; write `{text}` for that along a row"));
    }
    let why = if is_in(NOT_ELEMENTWISE) {
        "is not elementwise: a formula sees one element of each tensor; compute it before the operator \
         and hand it over as a tensor or an attribute"
    } else if is_in(SPECIAL) {
        "is none of the functions of formulas and no formula of those; compute it before the operator"
    } else {
        return None;
    };
    Some(format!("`{name}` {why}"))
}

#[cfg(test)]
mod tests {
    use super::{OF_ROWS, WRITTEN, advice};
    use crate::function;
    use std::collections::HashSet;

    /// Returns `(name, [x, y, z], value)` for functions of other libraries.
    ///
    /// The value is that of `std` or follows from the function's definition.
    fn values() -> Vec<(&'static str, [f64; 3], f64)> {
        let [x, y, z] = [0.625f64, -1.25, 3.5];
        let unary = |name, value: f64| (name, [x, y, z], value);
        vec![
            unary("cot", x.tan().recip()),
            unary("sec", x.cos().recip()),
            unary("csc", x.sin().recip()),
            unary("arcsin", x.asin()),
            unary("arccos", x.acos()),
            unary("arctan", x.atan()),
            unary("arctan2", x.atan2(y)),
            unary("arcsinh", x.asinh()),
            ("arccosh", [z, y, x], z.acosh()),
            unary("arctanh", x.atanh()),
            unary("coth", x.tanh().recip()),
            unary("sech", x.cosh().recip()),
            unary("csch", x.sinh().recip()),
            unary("log", x.ln()),
            unary("ln_1p", x.ln_1p()),
            unary("exp_m1", x.exp_m1()),
            unary("pow", x.powf(y)),
            unary("inv_sqrt", x.sqrt().recip()),
            unary("reciprocal", x.recip()),
            unary("square", x * x),
            ("fabs", [y, x, z], y.abs()),
            ("signum", [y, x, z], -1.0),
            unary("maximum", x.max(y)),
            unary("minimum", x.min(y)),
            ("clip", [x, y, 0.5], 0.5),
            unary("neg", -x),
            unary("add", x + y),
            unary("sub", x - y),
            unary("mul", x * y),
            unary("div", x / y),
            unary("fma", x * y + z),
            unary("lerp", x + z * (y - x)),
            unary("select", y),
            unary("step", 1.0),
            ("round_ties_even", [y, x, z], y.round_ties_even()),
            ("fract", [y, x, z], y.fract()),
            ("fmod", [z, y, x], z % y),
            ("remainder", [z, y, x], z - y * (z / y).floor()),
            ("rem_euclid", [z, y, x], z.rem_euclid(y)),
            ("floor_div", [z, y, x], (z / y).floor()),
            ("div_euclid", [z, y, x], z.div_euclid(y)),
            unary("ln_gamma", 0.360_829_495_488_940_2),
            unary("psi", -1.452_708_764_576_566_6),
            unary("ndtr", 0.734_014_470_951_299),
            unary("swish", x / (1.0 + (-x).exp())),
            unary("logsigmoid", -(1.0 + (-x).exp()).ln()),
            unary("mish", x * (1.0 + x.exp()).ln().tanh()),
            unary("softsign", x / 1.625),
            unary("tanhshrink", x - x.tanh()),
            ("relu6", [7.0, y, z], 6.0),
            unary("hardsigmoid", x / 6.0 + 0.5),
            unary("hardswish", x * (x / 6.0 + 0.5)),
            ("elu", [y, x, z], y.exp_m1()),
            ("leaky_relu", [y, x, z], 0.01 * y),
        ]
    }

    /// Checks that every suggested formula compiles and has the value of the function that it replaces.
    #[test]
    fn advice_can_be_followed() {
        let values = values();
        let mut names = HashSet::new();
        for (known, text) in WRITTEN {
            assert!(known.iter().all(|name| names.insert(*name)), "{known:?} is there twice");
            let item = format!(
                "fn f(x: Elem, y: Elem, z: Elem) -> (Elem, Elem) {{ ({text}, x + y + z) }}"
            );
            let args = "name = \"F\", outputs(result, sum)".parse().expect("tokens");
            let family = function(args, item.parse().expect("tokens")).expect("a function");
            assert!(family.error.is_none(), "{known:?}: {:?}", family.error);
            let (_, at, want) =
                values.iter().find(|v| v.0 == known[0]).expect("a value for each row");
            let got = family.ops[0].def.specs[0].traced.eval(at, &[])[0];
            assert!((got - want).abs() <= 1e-12 * want.abs(), "{text}: {got}, want {want}");
        }
        assert_eq!(values.len(), WRITTEN.len());
    }

    #[test]
    fn advice_on_rows_can_be_followed() {
        for (known, text) in OF_ROWS {
            let item = format!("fn f(x: Elem) -> Elem {{ {text} }}");
            let args = "name = \"F\"".parse().expect("tokens");
            let family = function(args, item.parse().expect("tokens")).expect("a function");
            assert!(family.error.is_none(), "{known:?}: {:?}", family.error);
            assert!(family.ops[0].def.has_row_functions(), "{known:?}");
        }
    }

    #[test]
    fn functions_of_formulas_need_no_advice() {
        for name in crate::names::functions() {
            assert_eq!(advice(name), None);
        }
    }
}
