//! Advice of `explain` on a plan: what would make it cheaper.

use crate::advice::{Advisor, bit, calls, is_function};
use codegen_ascendc::plan::{Bound, Cost, Plan, estimate};
use op_dsl_ir::op::{Kind, OpDef, Origin, Spec, Tensor};
use op_dsl_ir::passes::simplify;
use op_dsl_ir::{Graph, Id, Node};

/// Returns advice on a plan as sentences, the most important first.
pub fn advice(def: &OpDef, plan: &Plan) -> Vec<String> {
    let spec = &def.specs[plan.spec];
    let of = Advisor { def, spec, graph: &spec.graph };
    // A value that an operator with functions of rows saves is no input of its results alone.
    let saved = if plan.rows.is_some() { None } else { of.saved(plan) };
    saved.into_iter().chain(of.on(plan)).collect()
}

impl Advisor<'_> {
    /// Names the intermediate value of a gradient that its forward operator should save as an output.
    ///
    /// Returns `None` if saving no value reduces the vector calls of a tile.
    fn saved(&self, plan: &Plan) -> Option<String> {
        let of = self.def.grad_of.as_ref()?;
        let streams = self.def.input_streams();
        let from_above =
            |k: &usize| matches!(of.inputs.get(streams[*k].tensor), Some(Origin::Upstream(_)));
        let above = (0..streams.len()).filter(from_above).fold(0, |all, k| all | bit(k));
        let reads = self.reads(self.graph);
        let known = calls(self.graph).filter(|(id, prim, _)| {
            let read = reads[id.index()];
            is_function(*prim) && read != 0 && read & above == 0
        });
        let would = known.filter_map(|(id, ..)| Some((id, self.if_read(plan, id)?)));
        let (id, cost) = would.min_by(|a, b| cycles(&a.1).total_cmp(&cycles(&b.1)))?;
        let (calls, soc) = (plan.cost.calls, plan.soc.name);
        let pays = match cycles(&cost) < cycles(&plan.cost) {
            true => format!(
                "{:.1} cycles of 64 elements instead of {:.1}",
                cycles(&cost),
                cycles(&plan.cost)
            ),
            false => "which does not pay there, as more bytes are moved".into(),
        };
        (cost.calls < calls).then(|| {
            format!(
                "{} follows from the forward operator's inputs: saved there by `#[saved]`, a tile takes about {} \
                 calls instead of {calls} on {soc}, {pays}.",
                self.expression(id),
                cost.calls,
            )
        })
    }

    /// Returns the cost of an NPU kernel if node `id` were an input tensor instead of being computed.
    ///
    /// `None` means that no plan is possible.
    fn if_read(&self, plan: &Plan, id: Id) -> Option<Cost> {
        let mut def = self.def.clone();
        let mut nodes = self.graph.nodes.to_vec();
        nodes[id.index()] = Node::Stream(def.input_streams().len() as u16);
        let graph = Graph { nodes: nodes.into(), outputs: self.graph.outputs.clone() };
        def.specs =
            vec![Spec { when: self.spec.when.clone(), ..Spec::of(simplify::run(&graph)) }].into();
        let saved = Tensor { name: "saved".into(), kind: Kind::Whole, own: None, used: true };
        def.inputs.to_mut().push(saved);
        estimate(&def, 0, plan)
    }

    /// Says whether memory traffic or the vector unit limits the speed of the plan on its NPU.
    ///
    /// Further sentences say how many vector calls are casts or prevent overflow.
    fn on(&self, plan: &Plan) -> Vec<String> {
        let (cost, soc) = (&plan.cost, plan.soc.name);
        let (vector, gm) = (cost.cycles, cost.gm_cycles);
        let mut said = match cost.bound() {
            Bound::Memory => vec![format!(
                "On {soc} GM is the bound, {gm:.1} cycles of 64 elements beside {vector:.1} in the vector unit: fewer \
                 calls gain nothing, fewer or shorter tensors do."
            )],
            Bound::Vector => {
                let has_rows = plan.rows.is_some();
                let functions =
                    calls(self.graph).filter(|(_, prim, _)| !has_rows && is_function(*prim));
                let spared = functions.filter_map(|(id, prim, _)| {
                    Some((prim, vector - self.if_read(plan, id)?.cycles))
                });
                let most =
                    spared.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, spared)| *spared > 0.0);
                let most = most.map_or_else(String::new, |(prim, spared)| {
                    format!(", {spared:.1} of them for `{}`", prim.row().name)
                });
                vec![format!(
                    "On {soc} the vector unit is the bound, {vector:.1} cycles of 64 elements{most}, beside {gm:.1} \
                     in GM: fewer or cheaper calls are what counts."
                )]
            }
        };
        let casts = plan.casts();
        if casts > 0 && cost.bound() == Bound::Vector {
            said.push(format!(
                "{casts} of its {} calls are casts, which tensors of f32 do not need.",
                cost.calls
            ));
        }
        if cost.apart > 0 {
            said.push(format!(
                "{} of its calls keep products from overflowing on the way to a finite result.",
                cost.apart
            ));
        }
        said
    }
}

/// Returns the cycles of 64 elements in the slower of vector unit and global memory (GM).
fn cycles(cost: &Cost) -> f64 {
    cost.cycles.max(cost.gm_cycles)
}
