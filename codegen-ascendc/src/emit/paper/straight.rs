//! A graph as straight-line code in float64, for readers and for checks: Python or C++.

use crate::emit::text::Text;
use op_dsl_ir::analysis::Visit;
use op_dsl_ir::{Graph, Node, Prim};
use std::collections::BTreeSet;

/// Language of the straight-line code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Python on numpy arrays.
    Python,
    /// C++ on doubles.
    Cpp,
}

/// Straight-line code of one graph.
pub struct Straight {
    /// Statements, one per call of a primitive in the graph.
    pub lines: Vec<String>,
    /// Expression of each output of the graph, to be evaluated after the statements in `lines`.
    pub outputs: Vec<String>,
}

/// Returns a graph as straight-line code.
///
/// `streams` and `scalars` hold the names of the graph's input streams and scalars.
pub fn straight(graph: &Graph, streams: &[String], scalars: &[String], to: Syntax) -> Straight {
    let numbered = |n: &String| n.strip_prefix('t').is_some_and(|n| n.parse::<u32>().is_ok());
    let taken = streams.iter().chain(scalars).any(numbered);
    let temporary = if taken { "step" } else { "t" };
    let mut lines = Vec::new();
    let names = graph.forward(|at: Visit<'_, String>| match at.node {
        Node::Stream(i) => streams[usize::from(i)].clone(),
        Node::Scalar(i) => scalars[usize::from(i)].clone(),
        Node::Const(c) => number(c, to),
        Node::Call(prim, _) => {
            let args: Vec<&str> = at.args().map(String::as_str).collect();
            let name = format!("{temporary}{}", lines.len());
            let value = call(prim, &args, to);
            lines.push(match to {
                Syntax::Python => format!("{name} = {value}"),
                Syntax::Cpp => format!("const double {name} = {value};"),
            });
            name
        }
    });
    let outputs = graph.outputs.iter().map(|o| names[o.index()].clone()).collect();
    Straight { lines, outputs }
}

/// Returns a number in one of the languages: the shortest digits that parse to the same number.
fn number(c: f64, to: Syntax) -> String {
    let text = match (c.is_nan(), c.is_infinite(), to) {
        (true, _, Syntax::Python) => "np.nan".into(),
        (true, _, Syntax::Cpp) => "NAN".into(),
        (_, true, Syntax::Python) => if c > 0.0 { "np.inf" } else { "-np.inf" }.to_string(),
        (_, true, Syntax::Cpp) => if c > 0.0 { "INFINITY" } else { "-INFINITY" }.to_string(),
        _ => format!("{c:?}"),
    };
    if c.is_sign_negative() { format!("({text})") } else { text }
}

fn call(prim: Prim, args: &[&str], to: Syntax) -> String {
    let infix = |sign: &str| args.join(&format!(" {sign} "));
    let function = |name: &str| format!("{name}({})", args.join(", "));
    match prim {
        Prim::Neg => format!("-{}", args[0]),
        Prim::Add => infix("+"),
        Prim::Sub => infix("-"),
        Prim::Mul | Prim::Mul3 => infix("*"),
        Prim::Div => infix("/"),
        Prim::Lt => infix("<"),
        Prim::Le => infix("<="),
        Prim::Eq => infix("=="),
        Prim::Select if to == Syntax::Cpp => {
            format!("{} != 0.0 ? {} : {}", args[0], args[1], args[2])
        }
        Prim::Select => function("np.where"),
        _ => match (library(prim, to), to) {
            (Some(name), _) => function(name),
            // The prefix avoids a clash, because a tensor may have the name of a primitive.
            (None, Syntax::Python) => function(&format!("_{}", prim.row().name)),
            (None, Syntax::Cpp) => function(&format!("formula::{}", prim.row().name)),
        },
    }
}

/// Returns the library function that computes a primitive in a language; `None` if there is none.
fn library(prim: Prim, to: Syntax) -> Option<&'static str> {
    let row = LIBRARY.iter().find(|row| row.0 == prim)?;
    Some(row.1[to as usize]).filter(|name| !name.is_empty())
}

/// Library functions that compute primitives, in Python and in C++.
///
/// The text is empty where the language's library has no such function.
const LIBRARY: &[(Prim, [&str; 2])] = &[
    (Prim::Abs, ["np.abs", "std::fabs"]),
    (Prim::Min, ["np.minimum", ""]),
    (Prim::Max, ["np.maximum", ""]),
    (Prim::Round, ["np.round", "std::nearbyint"]),
    (Prim::Sqrt, ["np.sqrt", "std::sqrt"]),
    (Prim::Exp, ["np.exp", "std::exp"]),
    (Prim::Expm1, ["np.expm1", "std::expm1"]),
    (Prim::Ln, ["np.log", "std::log"]),
    (Prim::Log1p, ["np.log1p", "std::log1p"]),
    (Prim::Tanh, ["np.tanh", "std::tanh"]),
    (Prim::Sin, ["np.sin", "std::sin"]),
    (Prim::Cos, ["np.cos", "std::cos"]),
    (Prim::Atan, ["np.arctan", "std::atan"]),
    (Prim::Pow, ["np.power", "std::pow"]),
    (Prim::Erf, ["erf", "std::erf"]),
    (Prim::Erfc, ["erfc", "std::erfc"]),
];

/// Mathematical function that is written out because the library of Python or of C++ lacks it.
///
/// The code is accurate in both tails, for large positive and large negative arguments.
struct Helper {
    name: &'static str,
    args: &'static [&'static str],
    doc: &'static str,
    /// Body of the function in Python and in C++; empty where the language's library has the function.
    body: [&'static str; 2],
}

/// Generates [`HELPERS`]: for each function its name, arguments and description, then its body in Python and in C++.
macro_rules! helpers {
    ($($name:literal($($arg:ident),*) $doc:literal: $python:literal, $cpp:literal;)*) => {
        /// Functions that the library of Python or of C++ lacks, each listed after the functions that it calls.
        const HELPERS: &[Helper] = &[$(Helper {
            name: $name,
            args: &[$(stringify!($arg)),*],
            doc: $doc,
            body: [$python, $cpp],
        }),*];
    };
}

helpers! {
    "min"(x, y) "":
        "",
        "return std::isnan(x) || x < y ? x : y;";
    "max"(x, y) "":
        "",
        "return std::isnan(x) || x > y ? x : y;";
    "damped"(x, f) "x * f, where f vanishes faster than x grows.":
        "return np.where((f == 0) & np.isinf(x), 0 * np.sign(x), x * f)",
        "return f == 0.0 && std::isinf(x) ? std::copysign(0.0, x) : x * f;";
    "sigmoid"(x) "1 / (1 + e^-x), never by a difference.":
        "e = np.exp(-np.abs(x))
return np.where(x < 0, e, 1.0) / (1.0 + e)",
        "const double e = std::exp(-std::fabs(x));
return (x < 0.0 ? e : 1.0) / (1.0 + e);";
    "normal_cdf"(x) "erfc(-x / sqrt(2)) / 2":
        "return 0.5 * erfc(-x * SQRT_HALF)",
        "return 0.5 * std::erfc(-x * SQRT_HALF);";
    "softplus"(x) "log(1 + e^x)":
        "return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))",
        "return (x < 0.0 ? 0.0 : x) + std::log1p(std::exp(-std::fabs(x)));";
    "gelu"(x) "x Phi(x)":
        "return _damped(x, _normal_cdf(x))",
        "return damped(x, normal_cdf(x));";
    "gelu_tanh"(x) "x (1 + tanh(u)) / 2 = x sigmoid(2 u), for u = sqrt(2/pi) (x + 0.044715 x^3)":
        "return _damped(x, _sigmoid(2.0 * SQRT_2_OVER_PI * (x + 0.044715 * x * x * x)))",
        "return damped(x, sigmoid(2.0 * SQRT_2_OVER_PI * (x + 0.044715 * x * x * x)));";
    "silu"(x) "x sigmoid(x)":
        "return _damped(x, _sigmoid(x))",
        "return damped(x, sigmoid(x));";
    "gelu_grad"(x) "Phi(x) + x phi(x)":
        "return _normal_cdf(x) + _damped(x, SQRT_HALF_OVER_PI * np.exp(-0.5 * x * x))",
        "return normal_cdf(x) + damped(x, SQRT_HALF_OVER_PI * std::exp(-0.5 * x * x));";
    "gated_grad"(x, v, dv) "The derivative of x sigmoid(v(x)).":
        "s, slope = _sigmoid(v), _sigmoid(v) * _sigmoid(-v)
return np.where(slope == 0, s, s + x * dv * slope)",
        "const double s = sigmoid(v);
const double slope = s * sigmoid(-v);
return slope == 0.0 ? s : s + x * dv * slope;";
    "gelu_tanh_grad"(x) "The derivative of gelu_tanh.":
        "v = 2.0 * SQRT_2_OVER_PI * (x + 0.044715 * x * x * x)
return _gated_grad(x, v, 2.0 * SQRT_2_OVER_PI * (1.0 + 3.0 * 0.044715 * x * x))",
        "const double v = 2.0 * SQRT_2_OVER_PI * (x + 0.044715 * x * x * x);
return gated_grad(x, v, 2.0 * SQRT_2_OVER_PI * (1.0 + 3.0 * 0.044715 * x * x));";
    "silu_grad"(x) "sigmoid(x) (1 + x (1 - sigmoid(x)))":
        "return _gated_grad(x, x, 1.0)",
        "return gated_grad(x, x, 1.0);";
}

impl Helper {
    /// Returns the name of this function in the code of a language.
    fn called(&self, to: Syntax) -> String {
        match to {
            // The prefix avoids a clash, because a tensor may have the name of a primitive.
            Syntax::Python => format!("_{}", self.name),
            Syntax::Cpp => self.name.into(),
        }
    }

    /// Returns the definition of this function in a language.
    fn text(&self, to: Syntax) -> String {
        let (name, body, mut text) = (self.called(to), self.body[to as usize], Text::new());
        match to {
            Syntax::Python => {
                text.line(format!("def {name}({}):", self.args.join(", ")));
                text.indented(|text| {
                    text.line(format!("\"\"\"{}\"\"\"", self.doc)).lines(body);
                });
            }
            Syntax::Cpp => {
                if !self.doc.is_empty() {
                    text.line(format!("// {}", self.doc));
                }
                let args: Vec<String> = self.args.iter().map(|x| format!("double {x}")).collect();
                text.function(format!("double {name}({})", args.join(", ")), |text| {
                    text.lines(body);
                });
            }
        }
        text.finish()
    }
}

/// Constants that the code of the functions in `HELPERS` reads, each with its value.
const CONSTANTS: &[(&str, f64)] = &[
    ("SQRT_HALF", std::f64::consts::FRAC_1_SQRT_2),
    ("SQRT_2_OVER_PI", std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2),
    ("SQRT_HALF_OVER_PI", 0.5 * std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2),
];

/// Returns definitions that must precede the straight-line code of some graphs in a language.
///
/// They are the constants and functions that the language's library lacks.
pub fn prelude<'a>(graphs: impl Iterator<Item = &'a Graph>, to: Syntax) -> String {
    let mut wanted: BTreeSet<&str> = graphs
        .flat_map(|g| g.nodes.iter())
        .filter_map(|n| match n {
            Node::Call(prim, _) if library(*prim, to).is_none() => Some(prim.row().name),
            _ => None,
        })
        .collect();
    for helper in HELPERS.iter().rev().filter(|helper| !helper.body[to as usize].is_empty()) {
        if wanted.contains(helper.name) {
            let body = helper.body[to as usize];
            let called = HELPERS.iter().filter(|other| reads(body, &other.called(to)));
            wanted.extend(called.map(|other| other.name));
        }
    }
    let written = |h: &&Helper| wanted.contains(h.name) && !h.body[to as usize].is_empty();
    let texts: Vec<String> = HELPERS.iter().filter(written).map(|h| h.text(to)).collect();
    let gap = if to == Syntax::Python { "\n\n" } else { "\n" };
    let helpers = texts.join(gap);
    let mut head = String::new();
    for (name, value) in CONSTANTS.iter().filter(|c| reads(&helpers, c.0)) {
        head += &match to {
            Syntax::Python => format!("{name} = {value:?}\n"),
            Syntax::Cpp => format!("constexpr double {name} = {value:?};\n"),
        };
    }
    if !head.is_empty() && !helpers.is_empty() {
        head += gap;
    }
    head + &helpers
}

/// Returns whether a piece of code contains an identifier as a whole word.
///
/// For example, `SQRT_HALF_OVER_PI` does not contain `SQRT_HALF`.
fn reads(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|w| w == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::prim::TABLE;

    /// Checks that each primitive is arithmetic, in the library, or has a helper in both languages.
    #[test]
    fn every_primitive_is_written() {
        use Prim::*;
        let arithmetic = [Neg, Add, Sub, Mul, Div, Mul3, Lt, Le, Eq, Select];
        let written = |prim: Prim| {
            arithmetic.contains(&prim)
                || prim.is_composed()
                || op_dsl_plan::column::is_missing(prim)
        };
        for row in TABLE.iter().filter(|r| !written(r.prim)) {
            let helper = HELPERS.iter().find(|h| h.name == row.name);
            for to in [Syntax::Python, Syntax::Cpp] {
                let written = helper.is_some_and(|h| !h.body[to as usize].is_empty());
                assert!(library(row.prim, to).is_some() || written, "{}", row.name);
            }
        }
    }
}
