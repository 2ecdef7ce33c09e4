//! Constant evaluation at expansion time: literals, constants, and arithmetic on them.

use crate::model::{Const, type_name};
use crate::scope::Scope;
use crate::{Errors, attr, names};
use op_dsl_ir::suggest::nearest;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, BinOp, Expr, ExprLit, ExprPath, ExprUnary, Ident, Lit, Path, Token, Type, UnOp,
};

/// Maximum length of a chain of constants, each defined in terms of the next.
const MAX_DEPTH: usize = 32;

/// Returns whether a type is `f32` or `f64`.
pub fn is_float(ty: &Type) -> bool {
    is_single(ty) || type_name(ty).is_some_and(|name| name == "f64")
}

/// Returns whether a type is `i64`, the integer type of attributes.
pub fn is_integer(ty: &Type) -> bool {
    type_name(ty).is_some_and(|name| name == "i64")
}

fn is_single(ty: &Type) -> bool {
    type_name(ty).is_some_and(|name| name == "f32")
}

/// Evaluates a constant expression; `None` after reporting an error.
pub fn number(e: &Expr, scope: &Scope, errors: &Errors) -> Option<f64> {
    Reader { scope, errors, single: false, depth: 0 }.read(e)
}

/// Evaluates a constant; `None` after reporting an error.
pub fn constant(c: &Const, scope: &Scope, errors: &Errors) -> Option<f64> {
    Reader { scope, errors, single: false, depth: 0 }.constant(c)
}

/// Parses `#[range(0.0, 1.0)]` on a tensor: two numbers, the smaller first.
///
/// Returns `None` after reporting an error.
pub fn range(attr: &Attribute, scope: &Scope, errors: &Errors) -> Option<[f64; 2]> {
    let bounds = |input: ParseStream| Punctuated::<Expr, Token![,]>::parse_terminated(input);
    let bounds = bounds.parse2(attr::arguments(attr, errors)).map_err(|e| errors.push(e)).ok()?;
    let number = |e: &Expr| number(e, scope, errors);
    let bounds: Option<Vec<f64>> = bounds.iter().map(number).collect();
    match bounds?[..] {
        [low, high] if low < high => Some([low, high]),
        _ => errors
            .none(attr, "a range is two numbers, the smaller first; write `#[range(0.0, 1.0)]`"),
    }
}

/// Returns whether a path names a `std` constant that formulas may use, such as `f64::consts::PI`.
pub fn is_of_std(path: &Path) -> bool {
    of_std(path).is_some()
}

/// Returns the value of the `std` constant that a path names, and whether the path is in `std::f32`.
///
/// Returns `None` if the path names no constant that formulas know.
fn of_std(path: &Path) -> Option<(f64, bool)> {
    let mut last = path.segments.iter().rev();
    let value = names::constant(&last.next()?.ident.to_string())?;
    let known = last.next().is_none_or(|s| s.ident == "consts");
    known.then(|| (value, last.next().is_some_and(|s| s.ident == "f32")))
}

struct Reader<'a> {
    scope: &'a Scope,
    errors: &'a Errors,
    /// Whether each operation of the constant's expression is rounded to f32, as Rust does for type `f32`.
    single: bool,
    depth: usize,
}

impl Reader<'_> {
    fn rounded(&self, v: f64) -> f64 {
        if self.single { f64::from(v as f32) } else { v }
    }

    fn constant(&self, c: &Const) -> Option<f64> {
        if self.depth >= MAX_DEPTH {
            return self
                .errors
                .none_once(&*c.expr, "this constant depends on itself; write its value");
        }
        let single = is_single(&c.ty);
        Reader { single, depth: self.depth + 1, ..*self }.read(&c.expr)
    }

    fn read(&self, e: &Expr) -> Option<f64> {
        match e {
            Expr::Lit(ExprLit { lit: Lit::Float(f), .. }) if self.single => {
                f.base10_parse::<f32>().ok().map(f64::from)
            }
            Expr::Lit(ExprLit { lit: Lit::Float(f), .. }) => f.base10_parse().ok(),
            // An integer literal is accepted here, because rustc checks its type.
            Expr::Lit(ExprLit { lit: Lit::Int(i), .. }) => i.base10_parse().ok(),
            Expr::Group(g) => self.read(&g.expr),
            Expr::Paren(p) => self.read(&p.expr),
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => self.read(expr).map(|v| -v),
            Expr::Binary(b) => {
                let (x, y) = (self.read(&b.left)?, self.read(&b.right)?);
                match arithmetic(&b.op, x, y) {
                    Some(v) => Some(self.rounded(v)),
                    None => self.errors.none_once(&b.op, "constants know only `+ - * / %`"),
                }
            }
            Expr::Path(p) if p.qself.is_none() => self.path(e, p),
            other => self.errors.none_once(
                other,
                "the value of a constant must be seen here; write numbers, names of constants \
                     and `+ - * / %`",
            ),
        }
    }

    fn path(&self, e: &Expr, p: &ExprPath) -> Option<f64> {
        if let Some(c) = p.path.get_ident().and_then(|ident| self.scope.const_named(ident)) {
            return self.constant(c);
        }
        if let Some((value, single)) = of_std(&p.path) {
            return Some(if single { f64::from(value as f32) } else { value });
        }
        self.errors.none_once(e, unknown_constant(&p.path.segments.last()?.ident, self.scope))
    }
}

/// Computes `x op y` for `+`, `-`, `*`, `/` and `%`; `None` for other operators.
pub fn arithmetic(op: &BinOp, x: f64, y: f64) -> Option<f64> {
    match op {
        BinOp::Add(_) => Some(x + y),
        BinOp::Sub(_) => Some(x - y),
        BinOp::Mul(_) => Some(x * y),
        BinOp::Div(_) => Some(x / y),
        BinOp::Rem(_) => Some(x % y),
        _ => None,
    }
}

/// Returns why a number cannot be a constant of a kernel, which computes in f32; `None` if it can.
pub fn beyond_f32(v: f64) -> Option<&'static str> {
    let rounded = v as f32;
    if !v.is_finite() {
        Some("this constant is not finite; write a number that f32 holds")
    } else if rounded.is_infinite() {
        Some("this constant is beyond f32, which ends at 3.4e38; write a smaller one")
    } else if v != 0.0 && rounded.abs() < f32::MIN_POSITIVE {
        Some(
            "this constant is below f32, whose normal numbers start at 1.2e-38; write `0.0` or a \
             larger one",
        )
    } else {
        None
    }
}

/// Returns the error message for a constant that is not in scope.
pub fn unknown_constant(ident: &Ident, scope: &Scope) -> String {
    let mine: Vec<String> = scope.consts.iter().map(|c| c.ident.to_string()).collect();
    let known = names::CONSTANTS.iter().map(|c| c.0).chain(mine.iter().map(String::as_str));
    let name = ident.to_string();
    match nearest(&name, known) {
        Some(meant) => format!("no constant `{name}` is in sight; did you mean `{meant}`?"),
        None => format!(
            "no constant `{name}` is in sight; define it in this module, since a macro sees only \
             its own tokens"
        ),
    }
}
