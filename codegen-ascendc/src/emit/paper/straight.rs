//! A graph as straight-line code in float64, for readers and for checks: Python or C++.

use op_dsl_ir::{Graph, Node, Prim};
use std::collections::BTreeSet;

/// The language of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// On numpy arrays.
    Python,
    /// On doubles.
    Cpp,
}

/// The code of one graph.
pub struct Straight {
    /// One statement per call.
    pub lines: Vec<String>,
    /// What holds each output.
    pub outputs: Vec<String>,
}

/// Code that reads these names of streams and scalars.
pub fn straight(graph: &Graph, streams: &[String], scalars: &[String], to: Language) -> Straight {
    let numbered = |n: &String| n.strip_prefix('t').is_some_and(|n| n.parse::<u32>().is_ok());
    let taken = streams.iter().chain(scalars).any(numbered);
    let temporary = if taken { "step" } else { "t" };
    let mut names: Vec<String> = Vec::with_capacity(graph.nodes.len());
    let mut lines = Vec::new();
    for node in graph.nodes.iter() {
        let name = match node {
            Node::Stream(i) => streams[usize::from(*i)].clone(),
            Node::Scalar(i) => scalars[usize::from(*i)].clone(),
            Node::Const(c) => number(*c, to),
            Node::Call(prim, _) => {
                let args: Vec<&str> = node.args().iter().map(|a| &*names[a.index()]).collect();
                let name = format!("{temporary}{}", lines.len());
                let value = call(*prim, &args, to);
                lines.push(match to {
                    Language::Python => format!("{name} = {value}"),
                    Language::Cpp => format!("const double {name} = {value};"),
                });
                name
            }
        };
        names.push(name);
    }
    let outputs = graph.outputs.iter().map(|o| names[o.index()].clone()).collect();
    Straight { lines, outputs }
}

/// Shortest digits that read back as the same number.
fn number(c: f64, to: Language) -> String {
    let text = match (c.is_nan(), c.is_infinite(), to) {
        (true, _, Language::Python) => "np.nan".into(),
        (true, _, Language::Cpp) => "NAN".into(),
        (_, true, Language::Python) => if c > 0.0 { "np.inf" } else { "-np.inf" }.to_string(),
        (_, true, Language::Cpp) => if c > 0.0 { "INFINITY" } else { "-INFINITY" }.to_string(),
        _ => format!("{c:?}"),
    };
    if c.is_sign_negative() { format!("({text})") } else { text }
}

fn call(prim: Prim, args: &[&str], to: Language) -> String {
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
        Prim::Select if to == Language::Cpp => {
            format!("{} != 0.0 ? {} : {}", args[0], args[1], args[2])
        }
        Prim::Select => function("np.where"),
        _ => match (library(prim, to), to) {
            (Some(name), _) => function(name),
            // A tensor may have the name of a primitive.
            (None, Language::Python) => function(&format!("_{}", prim.row().name)),
            (None, Language::Cpp) => function(&format!("formula::{}", prim.row().name)),
        },
    }
}

/// The function of the language's library, where it has one.
fn library(prim: Prim, to: Language) -> Option<&'static str> {
    Some(match (prim, to) {
        (Prim::Abs, Language::Python) => "np.abs",
        (Prim::Min, Language::Python) => "np.minimum",
        (Prim::Max, Language::Python) => "np.maximum",
        (Prim::Sqrt, Language::Python) => "np.sqrt",
        (Prim::Exp, Language::Python) => "np.exp",
        (Prim::Expm1, Language::Python) => "np.expm1",
        (Prim::Ln, Language::Python) => "np.log",
        (Prim::Log1p, Language::Python) => "np.log1p",
        (Prim::Tanh, Language::Python) => "np.tanh",
        (Prim::Sin, Language::Python) => "np.sin",
        (Prim::Cos, Language::Python) => "np.cos",
        (Prim::Atan, Language::Python) => "np.arctan",
        (Prim::Pow, Language::Python) => "np.power",
        (Prim::Erf, Language::Python) => "erf",
        (Prim::Erfc, Language::Python) => "erfc",
        (Prim::Abs, Language::Cpp) => "std::fabs",
        (Prim::Sqrt, Language::Cpp) => "std::sqrt",
        (Prim::Exp, Language::Cpp) => "std::exp",
        (Prim::Expm1, Language::Cpp) => "std::expm1",
        (Prim::Ln, Language::Cpp) => "std::log",
        (Prim::Log1p, Language::Cpp) => "std::log1p",
        (Prim::Tanh, Language::Cpp) => "std::tanh",
        (Prim::Sin, Language::Cpp) => "std::sin",
        (Prim::Cos, Language::Cpp) => "std::cos",
        (Prim::Atan, Language::Cpp) => "std::atan",
        (Prim::Pow, Language::Cpp) => "std::pow",
        (Prim::Erf, Language::Cpp) => "std::erf",
        (Prim::Erfc, Language::Cpp) => "std::erfc",
        _ => return None,
    })
}

/// A function that a language does not bring: accurate in both tails.
struct Helper {
    name: &'static str,
    needs: &'static [&'static str],
    python: &'static str,
    cpp: &'static str,
}

/// In an order in which each comes after what it needs.
const HELPERS: &[Helper] = &[
    Helper {
        name: "min",
        needs: &[],
        python: "",
        cpp: "double min(double x, double y)\n{\n    return std::isnan(x) || x < y ? x : y;\n}\n",
    },
    Helper {
        name: "max",
        needs: &[],
        python: "",
        cpp: "double max(double x, double y)\n{\n    return std::isnan(x) || x > y ? x : y;\n}\n",
    },
    Helper {
        name: "damped",
        needs: &[],
        python: "def _damped(x, f):\n    \"\"\"x * f, where f vanishes faster than x grows.\"\"\"\n    return np.where((f == 0) & np.isinf(x), 0 * np.sign(x), x * f)\n",
        cpp: "// x * f, where f vanishes faster than x grows.\ndouble damped(double x, double f)\n{\n    return f == 0.0 && std::isinf(x) ? std::copysign(0.0, x) : x * f;\n}\n",
    },
    Helper {
        name: "sigmoid",
        needs: &[],
        python: "def _sigmoid(x):\n    \"\"\"1 / (1 + e^-x), never by a difference.\"\"\"\n    e = np.exp(-np.abs(x))\n    return np.where(x < 0, e, 1.0) / (1.0 + e)\n",
        cpp: "// 1 / (1 + e^-x), never by a difference.\ndouble sigmoid(double x)\n{\n    const double e = std::exp(-std::fabs(x));\n    return (x < 0.0 ? e : 1.0) / (1.0 + e);\n}\n",
    },
    Helper {
        name: "normal_cdf",
        needs: &[],
        python: "def _normal_cdf(x):\n    \"\"\"erfc(-x / sqrt(2)) / 2\"\"\"\n    return 0.5 * erfc(-x * SQRT_HALF)\n",
        cpp: "// erfc(-x / sqrt(2)) / 2\ndouble normal_cdf(double x)\n{\n    return 0.5 * std::erfc(-x * SQRT_HALF);\n}\n",
    },
    Helper {
        name: "softplus",
        needs: &[],
        python: "def _softplus(x):\n    \"\"\"log(1 + e^x)\"\"\"\n    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))\n",
        cpp: "// log(1 + e^x)\ndouble softplus(double x)\n{\n    return (x < 0.0 ? 0.0 : x) + std::log1p(std::exp(-std::fabs(x)));\n}\n",
    },
    Helper {
        name: "gelu",
        needs: &["damped", "normal_cdf"],
        python: "def _gelu(x):\n    \"\"\"x Phi(x)\"\"\"\n    return _damped(x, _normal_cdf(x))\n",
        cpp: "// x Phi(x)\ndouble gelu(double x)\n{\n    return damped(x, normal_cdf(x));\n}\n",
    },
    Helper {
        name: "gelu_tanh",
        needs: &["damped", "sigmoid"],
        python: "def _gelu_tanh(x):\n    \"\"\"x (1 + tanh(u)) / 2 = x sigmoid(2 u), for u = sqrt(2/pi) (x + 0.044715 x^3)\"\"\"\n    return _damped(x, _sigmoid(2.0 * SQRT_2_OVER_PI * (x + 0.044715 * x * x * x)))\n",
        cpp: "// x (1 + tanh(u)) / 2 = x sigmoid(2 u), for u = sqrt(2/pi) (x + 0.044715 x^3)\ndouble gelu_tanh(double x)\n{\n    return damped(x, sigmoid(2.0 * SQRT_2_OVER_PI * (x + 0.044715 * x * x * x)));\n}\n",
    },
    Helper {
        name: "silu",
        needs: &["damped", "sigmoid"],
        python: "def _silu(x):\n    \"\"\"x sigmoid(x)\"\"\"\n    return _damped(x, _sigmoid(x))\n",
        cpp: "// x sigmoid(x)\ndouble silu(double x)\n{\n    return damped(x, sigmoid(x));\n}\n",
    },
    Helper {
        name: "gelu_grad",
        needs: &["damped", "normal_cdf"],
        python: "def _gelu_grad(x):\n    \"\"\"Phi(x) + x phi(x)\"\"\"\n    return _normal_cdf(x) + _damped(x, SQRT_HALF_OVER_PI * np.exp(-0.5 * x * x))\n",
        cpp: "// Phi(x) + x phi(x)\ndouble gelu_grad(double x)\n{\n    return normal_cdf(x) + damped(x, SQRT_HALF_OVER_PI * std::exp(-0.5 * x * x));\n}\n",
    },
    Helper {
        name: "gated_grad",
        needs: &["sigmoid"],
        python: "def _gated_grad(x, v, dv):\n    \"\"\"The derivative of x sigmoid(v(x)).\"\"\"\n    s, slope = _sigmoid(v), _sigmoid(v) * _sigmoid(-v)\n    return np.where(slope == 0, s, s + x * dv * slope)\n",
        cpp: "// The derivative of x sigmoid(v(x)).\ndouble gated_grad(double x, double v, double dv)\n{\n    const double s = sigmoid(v);\n    const double slope = s * sigmoid(-v);\n    return slope == 0.0 ? s : s + x * dv * slope;\n}\n",
    },
    Helper {
        name: "gelu_tanh_grad",
        needs: &["gated_grad", "sigmoid"],
        python: "def _gelu_tanh_grad(x):\n    \"\"\"The derivative of gelu_tanh.\"\"\"\n    v = 2.0 * SQRT_2_OVER_PI * (x + 0.044715 * x * x * x)\n    return _gated_grad(x, v, 2.0 * SQRT_2_OVER_PI * (1.0 + 3.0 * 0.044715 * x * x))\n",
        cpp: "// The derivative of gelu_tanh.\ndouble gelu_tanh_grad(double x)\n{\n    const double v = 2.0 * SQRT_2_OVER_PI * (x + 0.044715 * x * x * x);\n    return gated_grad(x, v, 2.0 * SQRT_2_OVER_PI * (1.0 + 3.0 * 0.044715 * x * x));\n}\n",
    },
    Helper {
        name: "silu_grad",
        needs: &["gated_grad", "sigmoid"],
        python: "def _silu_grad(x):\n    \"\"\"sigmoid(x) (1 + x (1 - sigmoid(x)))\"\"\"\n    return _gated_grad(x, x, 1.0)\n",
        cpp: "// sigmoid(x) (1 + x (1 - sigmoid(x)))\ndouble silu_grad(double x)\n{\n    return gated_grad(x, x, 1.0);\n}\n",
    },
];

/// Constants that helpers read.
const CONSTANTS: &[(&str, f64)] = &[
    ("SQRT_HALF", std::f64::consts::FRAC_1_SQRT_2),
    ("SQRT_2_OVER_PI", std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2),
    ("SQRT_HALF_OVER_PI", 0.5 * std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2),
];

/// Constants and functions that these graphs need beyond the language's library.
pub fn prelude<'a>(graphs: impl Iterator<Item = &'a Graph>, to: Language) -> String {
    let mut wanted: BTreeSet<&str> = graphs
        .flat_map(|g| g.nodes.iter())
        .filter_map(|n| match n {
            Node::Call(prim, _) if library(*prim, to).is_none() => Some(prim.row().name),
            _ => None,
        })
        .collect();
    for helper in HELPERS.iter().rev() {
        if wanted.contains(helper.name) {
            wanted.extend(helper.needs);
        }
    }
    let (gap, chosen) = match to {
        Language::Python => {
            ("\n\n", HELPERS.iter().map(|h| (h.name, h.python)).collect::<Vec<_>>())
        }
        Language::Cpp => ("\n", HELPERS.iter().map(|h| (h.name, h.cpp)).collect()),
    };
    let texts: Vec<&str> =
        chosen.iter().filter(|(n, t)| wanted.contains(n) && !t.is_empty()).map(|c| c.1).collect();
    let helpers = texts.join(gap);
    let mut head = String::new();
    for (name, value) in CONSTANTS.iter().filter(|c| reads(&helpers, c.0)) {
        head += &match to {
            Language::Python => format!("{name} = {value:?}\n"),
            Language::Cpp => format!("constexpr double {name} = {value:?};\n"),
        };
    }
    if !head.is_empty() && !helpers.is_empty() {
        head += gap;
    }
    head + &helpers
}

/// Whether a text has a word: `SQRT_HALF` is not in `SQRT_HALF_OVER_PI`.
fn reads(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|w| w == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::prim::TABLE;

    /// A primitive is arithmetic, in the library, or has a helper in both languages.
    #[test]
    fn every_primitive_is_written() {
        use Prim::*;
        let arithmetic = [Neg, Add, Sub, Mul, Div, Mul3, Lt, Le, Eq, Select];
        let written = |prim: Prim| arithmetic.contains(&prim) || prim.is_composed();
        for row in TABLE.iter().filter(|r| !written(r.prim)) {
            let helper = HELPERS.iter().find(|h| h.name == row.name);
            for to in [Language::Python, Language::Cpp] {
                let text =
                    helper.map_or("", |h| if to == Language::Cpp { h.cpp } else { h.python });
                assert!(library(row.prim, to).is_some() || !text.is_empty(), "{}", row.name);
            }
        }
    }
}
