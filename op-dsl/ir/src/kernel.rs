//! The elementwise operators that the kernels of an operator compute: one for each stage with terms, and one for the results.

use crate::DType;
use crate::graph::{Graph, Node};
use crate::list::List;
use crate::op::{Kind, OpDef, RowFunction, Rule, Spec, Stage, Tensor};
use crate::univariate::costs;

/// Maximum number of streams of a kernel, those of stages included.
pub const MAX_KERNEL_STREAMS: usize = 16;

impl OpDef {
    /// Returns whether some formula of the operator has row functions.
    pub fn has_row_functions(&self) -> bool {
        self.specs.iter().any(|spec| !spec.stages.is_empty())
    }

    /// Returns the elementwise operators that kernels compute: for each specialisation the terms of its stages, then its results.
    ///
    /// The streams of stages are further inputs. Stages that are computed once per row have no kernel.
    pub fn kernels(&self) -> Vec<Kernel> {
        self.specs.iter().flat_map(|spec| self.kernels_of(spec)).collect()
    }

    fn kernels_of(&self, spec: &Spec) -> Vec<Kernel> {
        let streams = self.input_streams().len();
        // Terms and values would lose digits in 16 bits.
        let own = Some(DType::F32.into());
        let whole = |name: String| Tensor { name: name.into(), kind: Kind::Whole, own, used: true };
        let further = (0..spec.further(streams)).map(|k| whole(format!(".row.{k}")));
        let inputs: List<Tensor> = self.inputs.iter().cloned().chain(further).collect();
        let is_terms = |stream: usize| spec.stages.iter().any(|s| s.terms == Some(stream));
        let of_rows: Vec<bool> = (0..inputs.len().max(streams + spec.further(streams)))
            .map(|k| k >= streams && !is_terms(k))
            .collect();
        let with = |spec: &Spec, outputs: List<Tensor>, is_sum: bool| Kernel {
            def: OpDef {
                inputs: inputs.clone(),
                outputs,
                specs: vec![Spec { stages: List::default(), ..spec.clone() }].into(),
                ..self.clone()
            },
            of_rows: of_rows.clone(),
            is_sum,
            is_mixed: self.is_mixed(),
        };
        let terms = || vec![whole(".terms".to_owned())].into();
        let stages = spec.stages.iter().filter_map(|stage| match stage.rule {
            Rule::Reduce(function) => {
                let is_sum = function != RowFunction::Max && !has_functions(&stage.spec.graph);
                Some(with(&stage.spec, terms(), is_sum))
            }
            Rule::Uniform => None,
        });
        let results = self.outputs.iter().enumerate().map(|(k, output)| {
            let is_reduced = !spec.stages.is_empty() && self.is_reduced(k);
            Tensor { own: if is_reduced { own } else { output.own }, ..output.clone() }
        });
        stages.chain([with(spec, results.collect(), false)]).collect()
    }
}

/// Returns whether a graph has functions, whose kernels need all registers: with sums in memory they take longer than sums apart.
fn has_functions(graph: &Graph) -> bool {
    graph.nodes.iter().any(|node| matches!(node, Node::Call(prim, _) if costs(*prim)))
}

/// An elementwise formula that a kernel computes.
pub struct Kernel {
    /// The formula as an operator without stages.
    pub def: OpDef,
    /// For each input stream, true if it holds one number of f32 per row instead of one per element.
    pub of_rows: Vec<bool>,
    /// Whether the one output is the terms of a sum or a mean, without functions, which kernels can add.
    pub is_sum: bool,
    /// Whether results or inputs of the whole operator have types of their own, see [`OpDef::is_mixed`].
    pub is_mixed: bool,
}

impl Spec {
    /// Returns whether kernels have enough streams, where the operator has `own` input and `outputs` output streams.
    pub fn fits_kernels(&self, own: usize, outputs: usize) -> bool {
        self.stages.is_empty() || own + self.further(own) + outputs <= MAX_KERNEL_STREAMS
    }

    /// Returns how many streams of stages the kernels read, besides the `own` input streams of the operator.
    pub fn further(&self, own: usize) -> usize {
        let is_reduced = |stage: &&Stage| stage.rule != Rule::Uniform;
        let graphs = self.stages.iter().filter(is_reduced).map(|stage| &stage.spec).chain([self]);
        let streams = graphs.flat_map(|spec| {
            let wide = spec.wide.as_ref().map_or(0, |wide| wide.graph.streams());
            [spec.graph.streams(), wide]
        });
        let terms = self.stages.iter().filter_map(|stage| stage.terms).map(|terms| terms + 1);
        streams.chain(terms).max().unwrap_or(0).saturating_sub(own)
    }
}
