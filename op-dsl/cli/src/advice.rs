//! Advice of `explain`: what would make a formula cheaper or more accurate.
//!
//! The advice rests on the compiler's own analyses.

use op_dsl_ir::op::{OpDef, Spec};
use op_dsl_ir::roles::rounds;
use op_dsl_ir::rounding::{Arithmetic, worst, worst_in_f32};
use op_dsl_ir::{Graph, Id, Node, Prim, display};

/// Error bounds that the tests of fitted tables require of every table.
const LOOKED_UP: &str = "CPUs look up tables that were fitted in f64: each function within 1.3 ulp in f32, 1.6 where vectors \
                         are of 256 bits; products around them round once each.";

/// Says how large an error in ULP is: `90 ulp off`, or `of no use` if not even the exponent is right.
pub fn in_words(error: f64) -> String {
    const NOTHING_RIGHT: f64 = 1e30;
    if error < NOTHING_RIGHT { format!("{error:.0} ulp off") } else { "of no use".into() }
}

/// Returns advice on a formula as sentences, the most important first.
///
/// The target's advice on the plan of a kernel follows.
pub fn advice(def: &OpDef, spec: &Spec, target: Vec<String>) -> Vec<String> {
    let of = Advisor { def, spec, graph: &spec.graph };
    let all = [of.width(), of.table(), of.digits(), of.divisions()];
    let mut said: Vec<String> = all.into_iter().flatten().collect();
    said.extend(target);
    if said.is_empty() {
        said.push(
            "Nothing that is known here: a few roundings in f32, and no function to look up."
                .into(),
        );
    }
    said
}

/// A formula that advice is given on.
pub struct Advisor<'a> {
    pub def: &'a OpDef,
    pub spec: &'a Spec,
    pub graph: &'a Graph,
}

impl Advisor<'_> {
    /// Returns whether CPUs evaluate this formula by tables of univariate functions.
    fn has_tables(&self) -> bool {
        // Graphs of functions of rows read streams of stages as well.
        let own = self.def.input_streams().len();
        self.spec.split(own + self.spec.further(own)).is_some()
    }

    /// Says why CPUs evaluate the formula in f64 or by tables, and at which inputs f32 would lose most.
    ///
    /// Returns `None` if CPUs evaluate the formula in f32.
    fn width(&self) -> Option<String> {
        let wide = self.spec.wide.as_ref().filter(|wide| wide.single)?;
        let found = worst_in_f32(self.graph, &self.def.stream_ranges());
        let off = in_words(found.ulps);
        let names = self.def.input_names();
        let at = names.iter().zip(&found.streams).map(|(name, v)| format!("{name} = {v:.2e}"));
        let at: Vec<String> = at.collect();
        let at = if at.is_empty() { String::new() } else { format!(" near {}", at.join(", ")) };
        let types = if wide.halves { "" } else { ", for tensors of f32" };
        let instead = match self.has_tables() {
            true => "look up a table that was fitted in f64, where they can",
            false => "compute it in f64",
        };
        let what = match rounds(self.graph) {
            true => "what cancels, overflows or is an inexact argument of `round`",
            false => "what cancels or overflows there",
        };
        Some(format!(
            "In f32 it would be {off}{at}, so CPUs {instead}{types}: a form without {what} would \
             stay in f32."
        ))
    }

    /// Says why a formula that would profit from fitted tables has none.
    ///
    /// Returns `None` if the formula has tables or needs none.
    fn table(&self) -> Option<String> {
        let wide = self.spec.wide.as_ref()?;
        if self.has_tables() {
            return None;
        }
        let (graph, reads) = (&wide.graph, self.reads(&wide.graph));
        let repeats = |prim: Prim| matches!(prim, Prim::Sin | Prim::Cos);
        let joint = calls(graph).find(|(_, prim, args)| {
            prim.row().arity == 1 && is_function(*prim) && reads[args[0].index()].count_ones() > 1
        });
        let why = match joint {
            Some((_, prim, args)) => {
                let streams = self.names(reads[args[0].index()]).join(" and ");
                format!("`{}` is applied to {streams} together", prim.row().name)
            }
            None if calls(graph).any(|(_, prim, _)| repeats(prim)) => {
                "what repeats itself for ever has none".into()
            }
            None => "a sum of functions, or a jump, is no product of functions of one value".into(),
        };
        Some(format!(
            "No table is looked up: {why}. A product of functions of one value each, or of a sum or product of two, would be looked up."
        ))
    }

    /// Names the primitive with the largest rounding error in f32, or says that CPUs look up tables.
    ///
    /// Returns `None` if CPUs evaluate the formula in f64 or no primitive is approximated.
    fn digits(&self) -> Option<String> {
        let wide = self.spec.wide.as_ref();
        if wide.is_some_and(|wide| wide.single) {
            return None;
        }
        if self.has_tables() {
            return Some(LOOKED_UP.into());
        }
        let most = calls(self.graph).filter(|(_, prim, _)| is_function(*prim));
        let (_, prim, _) = most.max_by(|a, b| a.1.row().ulp.0.total_cmp(&b.1.row().ulp.0))?;
        let (name, own) = (prim.row().name, f64::from(prim.row().ulp.0));
        let all = worst(self.graph, Arithmetic::F32, &self.def.stream_ranges()).ulps;
        let rest = match own >= 0.5 * all {
            true => "the arithmetic around it loses little",
            false => "the arithmetic around it loses more",
        };
        Some(format!(
            "In f32 at most {all:.1} ulp are estimated; `{name}` alone may be {own:.1} off, {rest}."
        ))
    }

    /// Advises against several divisions, and against dividing by a value that all elements share.
    ///
    /// Returns `None` if the formula has neither.
    fn divisions(&self) -> Option<String> {
        let uniform = self.graph.uniform();
        let divisors: Vec<Id> = calls(self.graph)
            .filter(|(_, prim, _)| *prim == Prim::Div)
            .map(|(_, _, args)| args[1])
            .collect();
        let same = divisors.iter().find(|id| uniform[id.index()]);
        match (same, divisors.len()) {
            (Some(id), _) => Some(format!(
                "A division by {} is by the same number everywhere: times its reciprocal it is one product, half a \
                 unit less accurate.",
                self.expression(*id)
            )),
            (None, n) if n > 1 => {
                Some(format!("{n} divisions: over one denominator, one would do."))
            }
            _ => None,
        }
    }

    /// Returns, for every node, a bit mask of the input streams that it depends on.
    pub fn reads(&self, graph: &Graph) -> Vec<u64> {
        let mut all: Vec<u64> = Vec::with_capacity(graph.nodes.len());
        for node in graph.nodes.iter() {
            all.push(match node {
                Node::Stream(s) => bit(usize::from(*s)),
                _ => node.args().iter().fold(0, |read, arg| read | all[arg.index()]),
            });
        }
        all
    }

    fn names(&self, streams: u64) -> Vec<String> {
        let names = self.def.input_names().into_iter().enumerate();
        names.filter(|(k, _)| streams & bit(*k) != 0).map(|(_, name)| name).collect()
    }

    pub fn expression(&self, id: Id) -> String {
        let graph = Graph { nodes: self.graph.nodes.clone(), outputs: vec![id].into() };
        format!(
            "`{}`",
            display::expression(&graph, &self.def.input_names(), &self.def.scalar_names())
        )
    }
}

/// Returns the bit of an input stream in a bit mask. No operator has 64 streams, so that no two share a bit.
pub fn bit(stream: usize) -> u64 {
    1u64.wrapping_shl(stream as u32)
}

/// Returns whether a primitive is a function with an approximated value, such as `exp`.
pub fn is_function(prim: Prim) -> bool {
    let row = prim.row();
    row.arity == 1 && row.ulp.0 > 0.5
}

pub fn calls(graph: &Graph) -> impl Iterator<Item = (Id, Prim, [Id; 3])> {
    graph.nodes.iter().enumerate().filter_map(|(i, node)| match *node {
        Node::Call(prim, args) => Some((Id(i as u32), prim, args)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ASCENDC;
    use crate::target::Kernel;
    use crate::tests::SCALE;
    use clap::ArgMatches;
    use op_dsl_ir::Builder;
    use op_dsl_ir::DType;
    use op_dsl_ir::op::{Fast, GradOf, Kind, Origin, Tensor, Wide};

    /// Returns the advice on a formula of `dy`, `x.gate` and `x.value` whose first scalar is `k`.
    fn said(formula: fn(&mut Builder) -> Id, grad: bool, single: Option<bool>) -> String {
        let mut b = Builder::new();
        let y = formula(&mut b);
        let graph = b.finish(&[y]);
        let wide = single.map(|single| Wide {
            graph: graph.clone(),
            single,
            halves: single,
            fast: Fast::NONE,
        });
        let spec = Spec { wide, ..Spec::of(graph) };
        let op = SCALE.redefined(|def| {
            let mut k = def.attrs[1].clone();
            (k.name, k.kind) = ("k".into(), op_dsl_ir::op::AttrKind::Float);
            def.attrs.to_mut().push(k);
            let inputs = vec![Origin::Upstream(0), Origin::Input(0)].into();
            let of = GradOf { forward: "F".into(), inputs, wrt: vec![0].into() };
            def.grad_of = grad.then_some(of);
        });
        let mut def = op.def().clone();
        def.specs = vec![spec.clone()].into();
        let y = Tensor { name: "y".into(), kind: Kind::Whole, own: None, used: true };
        def.outputs = vec![y].into();
        let kernel = Kernel { def: &def, spec: 0, dtype: DType::F32, machine: "ascend910b" };
        let planned = ASCENDC.explain(kernel, &ArgMatches::default(), true).unwrap_or_default();
        advice(&def, &spec, planned.1).join("\n")
    }

    #[test]
    fn every_sentence_has_its_formula() {
        type Formula = fn(&mut Builder) -> Id;
        let plain: Formula = |b| b.stream(0);
        let gelu: Formula = |b| {
            let (dy, x) = (b.stream(0), b.stream(1));
            let f = b.call(Prim::GeluGrad, &[x]);
            b.product(dy, f)
        };
        let joint: Formula = |b| {
            let (x, z) = (b.stream(1), b.stream(2));
            let t = b.quotient(x, z);
            b.call(Prim::Tanh, &[t])
        };
        let by_scalar: Formula = |b| {
            let (x, k) = (b.stream(1), b.scalar(0));
            b.quotient(x, k)
        };
        let twice: Formula = |b| {
            let (x, z, dy) = (b.stream(1), b.stream(2), b.stream(0));
            let t = b.quotient(dy, x);
            b.quotient(t, z)
        };
        for (formula, grad, single, part) in [
            (plain, false, None, "On ascend910b GM is the bound"),
            (
                gelu,
                false,
                None,
                "`gelu_grad` alone may be 0.5 off, the arithmetic around it loses little",
            ),
            (
                gelu,
                true,
                None,
                "`gelu_grad(x.gate)` follows from the forward operator's inputs: saved there by `#[saved]`, a tile takes about 1 calls",
            ),
            (joint, false, None, "`tanh` alone may be 1.4 off"),
            (gelu, false, Some(true), "so CPUs look up a table that was fitted in f64"),
            (gelu, false, Some(false), "each function within 1.3 ulp in f32"),
            (joint, false, Some(true), "so CPUs compute it in f64"),
            (joint, false, Some(false), "`tanh` is applied to x.gate and x.value together"),
            (by_scalar, false, None, "A division by `k` is by the same number everywhere"),
            (twice, false, None, "2 divisions: over one denominator, one would do"),
        ] {
            let text = said(formula, grad, single);
            assert!(text.contains(part), "{text}");
        }
        let nothing = advice(SCALE.def(), &SCALE.def().specs[0], Vec::new()).join("\n");
        assert!(nothing.starts_with("Nothing that is known here"), "{nothing}");
    }
}
