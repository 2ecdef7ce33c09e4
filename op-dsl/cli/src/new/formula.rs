//! Translation of the command line's formula into the function of an operator.

use super::fill::filled;
use super::name::Name;
use crate::ascendc::ASCENDC;
use crate::error::Error;
use op_dsl_ir::Prim;
use proc_macro2::TokenStream;
use std::collections::HashSet;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprCall, ExprField, Ident, Member, PatIdent, Stmt};

/// The NPU that the new crate's build script makes a package for.
const SOC: &str = "ascend910b";

/// A formula as a Rust function of the operator language, in parts of text.
#[derive(Debug)]
pub struct Formula {
    /// Name of the function.
    pub function: String,
    /// Parameters of the function.
    pub signature: String,
    /// Names of the tensors that the gradient is computed by, all of the formula's, separated by commas.
    pub wrt: String,
    /// Description of what the function computes, on one line.
    pub doc: String,
    /// Lines between the function's braces.
    pub body: String,
    /// Reason why NPUs cannot run the function; `None` if they can.
    pub refusal: Option<String>,
}

impl Formula {
    /// Parses a formula and runs the compiler's own checks on it.
    ///
    /// A formula is an expression, or statements and an expression. Names that the formula uses but does not define are its
    /// tensors. For example, `x * sigmoid(x)` has the tensor `x`.
    pub fn new(name: &Name, text: &str) -> Result<Formula, Error> {
        let wrong = |what: &str| Error::Usage(format!("--from \"{text}\": {what}"));
        let block: Block = syn::parse_str(&format!("{{ {text} }}"))
            .map_err(|e| wrong(&format!("not an expression: {e}")))?;
        if !matches!(block.stmts.last(), Some(Stmt::Expr(_, None))) {
            return Err(wrong("not an expression; write a formula of tensors: x * sigmoid(x)"));
        }
        let mut names = Names::default();
        names.visit_block(&block);
        if names.tensors.is_empty() {
            return Err(wrong("no tensor in it; write a formula of tensors: x * sigmoid(x)"));
        }
        let output = if names.tensors.iter().any(|t| t.name == "y") { "out" } else { "y" };
        let hides = Prim::named(&name.snake).is_some() || names.called.contains(&name.snake);
        let formula = Formula {
            function: if hides { format!("{}_of", name.snake) } else { name.snake.clone() },
            signature: names.signature(),
            wrt: names.tensors.iter().map(|t| &*t.name).collect::<Vec<_>>().join(", "),
            doc: format!("`{output} = {}`{}", words(text), names.halves()),
            body: text.trim().lines().map(|line| format!("        {}\n", line.trim())).collect(),
            refusal: None,
        };
        let refusal = formula.checked(&name.operator).map_err(|what| wrong(&what))?;
        Ok(Formula { refusal, ..formula })
    }

    /// Returns the Rust source of a module with the operator.
    pub fn family(&self, operator: &str) -> String {
        let Formula { function, signature, wrt, doc, body, .. } = self;
        let values = [
            ("doc", &**doc),
            ("op", operator),
            ("wrt", wrt),
            ("function", function),
            ("signature", signature),
            ("body", body.trim_end()),
        ];
        filled(include_str!("template/family.rs"), &values)
    }

    /// Runs the compiler's checks on the formula as an operator of this name.
    ///
    /// Returns the reason why NPUs cannot run the operator, `None` if they can. An error is the compiler's message.
    fn checked(&self, operator: &str) -> Result<Option<String>, String> {
        let told = |e: syn::Error| {
            let told: HashSet<String> = e.into_iter().map(|e| e.to_string()).collect();
            let mut told: Vec<String> = told.into_iter().collect();
            told.sort();
            told.join("; ")
        };
        let text = self.family(operator);
        let tokens: TokenStream = text.parse().map_err(|_| "not an expression".to_owned())?;
        // The module is parsed without its attribute because the macro does not see that either.
        let item: syn::File = syn::parse2(tokens).map_err(told)?;
        let Some(syn::Item::Mod(mut module)) = item.items.into_iter().next() else {
            return Err("not an expression".into());
        };
        module.attrs.clear();
        let family = op_dsl_syntax::module(quote::quote!(#module)).map_err(told)?;
        family.error.map_or(Ok(()), |e| Err(told(e)))?;
        let refused = |op: &op_dsl_syntax::Operator| ASCENDC.emit(&op.def, &[SOC]).err();
        Ok(family.ops.iter().find_map(refused))
    }
}

/// Joins the words of a text to one line.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct Tensor {
    name: String,
    gated: bool,
}

/// Names that occur in a formula.
#[derive(Default)]
struct Names {
    tensors: Vec<Tensor>,
    defined: HashSet<String>,
    called: HashSet<String>,
}

impl Names {
    fn tensor(&mut self, name: &Ident, gated: bool) {
        let name = name.to_string();
        // Names that begin with a capital are constants.
        let is_constant = name.starts_with(|c: char| c.is_ascii_uppercase());
        if self.defined.contains(&name) || is_constant {
            return;
        }
        match self.tensors.iter_mut().find(|t| t.name == name) {
            Some(known) => known.gated |= gated,
            None => self.tensors.push(Tensor { name, gated }),
        }
    }

    fn signature(&self) -> String {
        let one = |t: &Tensor| match t.gated {
            true => format!("#[split(along = dim)] {}: Gated", t.name),
            false => format!("{}: Elem", t.name),
        };
        let dim = self.tensors.iter().any(|t| t.gated);
        let dim = dim.then(|| "#[attr(default = -1)] dim: Dim".to_owned());
        self.tensors.iter().map(one).chain(dim).collect::<Vec<_>>().join(", ")
    }

    /// Returns ` over the two halves of `x` along `dim`` if the formula has a gated tensor, else nothing.
    fn halves(&self) -> String {
        let gated = self.tensors.iter().find(|t| t.gated);
        gated.map_or_else(String::new, |t| {
            format!(" over the two halves of `{}` along `dim`", t.name)
        })
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::Path(path) => {
                if let Some(name) = path.path.get_ident() {
                    self.tensor(name, false);
                }
            }
            _ => visit::visit_expr(self, e),
        }
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(path) = &*call.func {
            self.called.extend(path.path.get_ident().map(Ident::to_string));
        }
        call.args.iter().for_each(|a| self.visit_expr(a));
    }

    fn visit_expr_field(&mut self, field: &'ast ExprField) {
        match (&*field.base, &field.member) {
            (Expr::Path(path), Member::Named(_)) if path.path.get_ident().is_some() => {
                path.path.get_ident().iter().for_each(|name| self.tensor(name, true));
            }
            _ => visit::visit_expr_field(self, field),
        }
    }

    /// Visits the initial value first, because a binding is in scope only after its own statement.
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.visit_expr(&init.expr);
        }
        self.visit_pat(&local.pat);
    }

    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.defined.insert(pat.ident.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn read(text: &str) -> Result<Formula, String> {
        let name = Name::of(Path::new("sigmoid")).expect("a name");
        Formula::new(&name, text).map_err(|e| e.to_string())
    }

    #[test]
    fn tensors_are_what_is_not_defined() {
        let of =
            |text: &str| read(text).map(|f| (f.signature, f.wrt)).unwrap_or_else(|e| panic!("{e}"));
        for (text, signature, wrt) in [
            ("x * sigmoid(1.702 * x)", "x: Elem", "x"),
            ("let k = LN_2; let a = k * x; a + z", "x: Elem, z: Elem", "x, z"),
            ("if x > 0.0 { x } else { slope * x }", "x: Elem, slope: Elem", "x, slope"),
            (
                "x.value * x.gate.max(0.0)",
                "#[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim",
                "x",
            ),
        ] {
            assert_eq!(of(text), (signature.to_owned(), wrt.to_owned()), "{text}");
        }
        assert_eq!(read("x").map(|f| f.function), Ok("sigmoid_of".to_owned()));
    }

    #[test]
    fn what_is_wrong_is_one_line() {
        for (text, part) in [
            ("", "not an expression"),
            ("x *", "not an expression"),
            ("x * (", "not an expression"),
            ("x }", "not an expression"),
            ("let a = x;", "not an expression"),
            ("1.0", "no tensor"),
            ("x * sigmod(x)", "sigmoid"),
            ("x + 1", "1.0"),
            ("x * PI_2", "PI_2"),
            ("for i in 0..3 { x }", "loop"),
        ] {
            let told = read(text).expect_err(text);
            assert!(
                told.starts_with("--from \"") && told.contains(part) && !told.contains('\n'),
                "{told}"
            );
        }
    }
}
