//! Graphs as MathML.

use crate::table::escaped;
use op_dsl_ir::prim::Style;
use op_dsl_ir::{Graph, Id, Node, Prim, display};

/// Returns a graph as MathML equations: one per value that is used several times, one per output.
///
/// The equations have the order of the lines of [`display::listing`].
pub fn lines(
    graph: &Graph,
    inputs: &[String],
    scalars: &[String],
    outputs: &[String],
) -> Vec<String> {
    let mut uses = vec![0usize; graph.nodes.len()];
    let read = graph.nodes.iter().flat_map(Node::args).chain(graph.outputs.iter());
    read.for_each(|id| uses[id.index()] += 1);
    let mut maths = Maths { graph, inputs, scalars, shared: vec![None; graph.nodes.len()] };
    let mut lines = Vec::new();
    for (i, node) in graph.nodes.iter().enumerate() {
        if uses[i] > 1 && matches!(node, Node::Call(..)) {
            let name = format!("<msub><mi>t</mi><mn>{}</mn></msub>", lines.len());
            lines.push(equation(&name, &maths.term(Id(i as u32), LOOSEST)));
            maths.shared[i] = Some(name);
        }
    }
    let results = graph.outputs.iter().zip(outputs);
    lines.extend(results.map(|(id, output)| equation(&name(output), &maths.term(*id, LOOSEST))));
    lines
}

/// Precedence of a context that needs no brackets.
const LOOSEST: u8 = 0;
/// Sign of products in [`Style::Infix`], the style of primitives that stand between their arguments.
const PRODUCT: &str = "*";

struct Maths<'a> {
    graph: &'a Graph,
    inputs: &'a [String],
    scalars: &'a [String],
    /// Name in MathML of each node; `None` for nodes without an equation of their own.
    shared: Vec<Option<String>>,
}

impl Maths<'_> {
    fn term(&self, id: Id, outer: u8) -> String {
        if let Some(name) = &self.shared[id.index()] {
            return name.clone();
        }
        let (text, strength) = match self.graph.nodes[id.index()] {
            // Streams after the operator's own hold values of stages.
            Node::Stream(i) => {
                let input = self.inputs.get(usize::from(i));
                (name(input.unwrap_or(&format!("r{i}"))), u8::MAX)
            }
            Node::Scalar(i) => (name(&self.scalars[usize::from(i)]), u8::MAX),
            Node::Const(c) => (self.number(id), if c < 0.0 { 6 } else { u8::MAX }),
            Node::Call(prim, args) => self.call(prim, &args),
        };
        if strength < outer { bracketed(&text) } else { text }
    }

    /// Formats a constant node as [`display`] does, which prints some constants by name.
    fn number(&self, id: Id) -> String {
        let graph = Graph { nodes: self.graph.nodes.clone(), outputs: vec![id].into() };
        let text = display::expression(&graph, self.inputs, self.scalars);
        let bare = text.trim_start_matches('(').trim_end_matches(')');
        match bare.parse::<f64>() {
            Ok(_) => format!("<mn>{bare}</mn>"),
            Err(_) => format!("<mtext>{}</mtext>", escaped(&text)),
        }
    }

    fn call(&self, prim: Prim, args: &[Id; 3]) -> (String, u8) {
        let row = prim.row();
        let whole = |k: usize| self.term(args[k], LOOSEST);
        match (prim, row.style) {
            (Prim::Div, _) => {
                (format!("<mfrac>{}{}</mfrac>", row_of(&whole(0)), row_of(&whole(1))), u8::MAX)
            }
            (Prim::Sqrt, _) => (format!("<msqrt>{}</msqrt>", whole(0)), u8::MAX),
            (Prim::Abs, _) => (format!("<mrow><mo>|</mo>{}<mo>|</mo></mrow>", whole(0)), u8::MAX),
            (Prim::Exp, _) => (format!("<msup><mi>e</mi>{}</msup>", row_of(&whole(0))), u8::MAX),
            (_, Style::Prefix(sign, s)) => (format!("<mo>{sign}</mo>{}", self.term(args[0], s)), s),
            (_, Style::Infix(sign, s)) => {
                let sign = if sign == PRODUCT { "&#183;".into() } else { escaped(sign) };
                let (left, right) = (self.term(args[0], s), self.term(args[1], s + 1));
                (format!("{left}<mo>{sign}</mo>{right}"), s)
            }
            (_, Style::Choice) => {
                let case = |value: &str, when: &str| {
                    format!("<mtr><mtd>{value}</mtd><mtd>{when}</mtd></mtr>")
                };
                let when = format!("<mtext>if&#160;</mtext>{}", whole(0));
                let cases = case(&whole(1), &when) + &case(&whole(2), "<mtext>else</mtext>");
                (format!("<mrow><mo>{{</mo><mtable>{cases}</mtable></mrow>"), u8::MAX)
            }
            (_, Style::Function) => {
                let args: Vec<String> = (0..row.arity).map(whole).collect();
                (format!("{}{}", name(row.name), bracketed(&args.join("<mo>,</mo>"))), u8::MAX)
            }
        }
    }
}

fn equation(left: &str, right: &str) -> String {
    format!("<math display=\"block\">{left}<mo>=</mo>{right}</math>")
}

fn row_of(text: &str) -> String {
    format!("<mrow>{text}</mrow>")
}

/// Puts brackets around MathML; they stretch only around tall content, such as fractions.
fn bracketed(text: &str) -> String {
    let is_tall = ["<mfrac>", "<mtable>"].iter().any(|tag| text.contains(tag));
    let stretchy = if is_tall { "" } else { " stretchy=\"false\"" };
    format!("<mrow><mo{stretchy}>(</mo>{text}<mo{stretchy}>)</mo></mrow>")
}

/// Formats a name as MathML; `x.gate` becomes `x` with the subscript `gate`.
fn name(text: &str) -> String {
    match text.split_once('.') {
        Some((of, part)) => {
            format!("<msub><mi>{}</mi><mi>{}</mi></msub>", escaped(of), escaped(part))
        }
        None => format!("<mi>{}</mi>", escaped(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::Builder;

    #[test]
    fn brackets_stand_where_they_must() {
        let mut b = Builder::new();
        let [x, y] = [0, 1].map(|i| b.stream(i));
        let (sum, two) = (b.sum(x, y), b.num(2.0));
        let product = b.product(two, sum);
        let quotient = b.quotient(product, sum);
        let graph = b.finish(&[quotient]);
        let names = ["x", "y.gate"].map(String::from);
        assert_eq!(
            lines(&graph, &names, &[], &["out".into()]),
            [
                "<math display=\"block\"><msub><mi>t</mi><mn>0</mn></msub><mo>=</mo><mi>x</mi><mo>+</mo>\
             <msub><mi>y</mi><mi>gate</mi></msub></math>",
                "<math display=\"block\"><mi>out</mi><mo>=</mo><mfrac><mrow><mn>2</mn><mo>&#183;</mo><msub><mi>t</mi>\
             <mn>0</mn></msub></mrow><mrow><msub><mi>t</mi><mn>0</mn></msub></mrow></mfrac></math>",
            ]
        );
    }
}
