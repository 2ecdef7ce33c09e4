//! The candidate plans of a graph: rewrites of it, and the lowerings of each.

use super::accuracy::Accuracy;
use super::lowering::Lowering;
use super::planned::Plan;
use super::regions::Regions;
use super::storage::Storage;
use super::target::Target;
use super::ub_budget::{need, streams_bits};
use super::{
    asymptotes, bounded, cancelling, collected, constants, cost, gaussian, limits, logarithms,
    masked, repeated, roots, rounded_arguments, shared, shared_sigmoid, slopes,
};
use crate::arch::Why;
use crate::sequence::form::Digits;
use crate::tiling::{BLOCK, UbTooSmall};
use op_dsl_ir::compile::{for_float, fractions_for_float, without_f64};
use op_dsl_ir::passes::{opposites, simplify};
use op_dsl_ir::{DType, Graph, Node, Prim, roles};

/// Returns all candidate plans of a graph, the one with the fewest cycles first.
///
/// They differ in rewrites of the graph, and in which univariate functions one sequence of vector calls computes.
pub(super) fn plans(
    graph: &Graph,
    spec: usize,
    target: Target<'_>,
    storage: Storage,
) -> Result<Vec<Plan>, Why> {
    let is_tried =
        |graph: &Graph| target.digits != Digits::Compensated || rounded_arguments::are_in(graph);
    let mut all = if is_tried(graph) { lowerings(graph, target, storage)? } else { Vec::new() };
    for rewritten in rewrites(graph, spec, target).iter().filter(|graph| is_tried(graph)) {
        if rewritten != graph {
            all.extend(lowerings(rewritten, target, storage).unwrap_or_default());
        }
        let has_tails = target.digits.dtype(target.dtype) == DType::F32;
        if target.digits > Digits::Absolute && has_tails && shared_sigmoid::are_in(rewritten) {
            let target = Target { is_far: true, ..target };
            all.extend(lowerings(rewritten, target, storage).unwrap_or_default());
        }
    }
    all.sort_by(|(_, a), (_, b)| a.cycles(target.soc).total_cmp(&b.cycles(target.soc)));
    let planned = |(graph, lowering)| planned(graph, lowering, spec, target);
    let mut plans = distinct(all).into_iter().map(planned).collect::<Result<Vec<Plan>, Why>>()?;
    let is_right = |plan: &Plan| asymptotes::serve(target.def, plan);
    let is_right_at_ends = |plan: &Plan| asymptotes::serve_largest(target.def, plan);
    retain_any(&mut plans, is_right_at_ends);
    if !target.continued.is_empty() {
        retain_any(&mut plans, is_right);
    }
    Ok(plans)
}

/// Keeps the plans that are right; all, if none is.
fn retain_any(plans: &mut Vec<Plan>, is_right: impl Fn(&Plan) -> bool) {
    if plans.iter().any(&is_right) {
        plans.retain(is_right);
    }
}

/// Returns the graph and rewrites of it that may be more accurate or cheaper, each once.
fn rewrites(graph: &Graph, spec: usize, target: Target<'_>) -> Vec<Graph> {
    let masked = masked::run(graph);
    let opposites = [graph, &masked].map(|graph| simplify::run(&opposites::run(graph)));
    let mut graphs = distinct([vec![graph.clone(), masked], opposites.to_vec()].concat());
    // In 16 bits only where it saves a fraction, because infinite inputs have to be clamped for it.
    let is_float = target.digits.dtype(target.dtype) == DType::F32;
    let has_gelu = || graph.nodes.iter().any(|node| matches!(node, Node::Call(Prim::Gelu, _)));
    if is_float && (target.dtype == DType::F32 || has_gelu()) {
        graphs.push(gaussian::run(graph));
    }
    let (written, activation) = (&target.def.specs[spec], roles::activation(target.def));
    graphs.extend(without_f64(&written.traced).iter().map(|graph| bounded::run(graph, activation)));
    // The graph that CPUs compute in f64 cancels less in `float` as well, and may keep a difference that the other one expands.
    if let Some(wide) = written
        .wide
        .as_ref()
        .filter(|_| target.digits > Digits::Absolute || !target.continued.is_empty())
    {
        let wide = for_float(&wide.graph);
        graphs.extend([masked::run(&wide), wide].map(|wide| bounded::run(&wide, activation)));
    }
    // One fraction for each sign of an exponent keeps the digits of both tails, for more calls.
    if target.digits.is_fine() {
        let fractions = fractions_for_float(&written.traced);
        graphs.extend(fractions.map(|graph| bounded::run(&graph, activation)));
    }
    if target.digits > Digits::Absolute {
        graphs.push(cancelling::run(graph));
        // In the arithmetic of 16 bits, terms have too few digits to be collected.
        if is_float {
            graphs.push(collected::run(graph));
            graphs.push(logarithms::run(graph));
            graphs.extend(graphs.iter().map(roots::run).collect::<Vec<_>>());
        }
        graphs = distinct(graphs);
        let rewritten = |graph: &Graph| {
            let once = repeated::run(graph);
            let slopes = |graph: &Graph| bounded::all_first(&slopes::run(graph), activation);
            let [slopes, shared] = [&once, &shared::run(graph)].map(slopes);
            [once, slopes, shared]
        };
        // Only in f32, because results of 16 bits have digits to spare, and plans of both forms keep one graph where several inputs
        // are infinite.
        if target.dtype == DType::F32 {
            graphs.extend(graphs.iter().flat_map(rewritten).collect::<Vec<_>>());
        }
    }
    if target.digits.is_fine() {
        graphs.iter_mut().for_each(|graph| *graph = constants::run(graph));
    }
    distinct(graphs)
}

/// Returns each item once, at its first place.
///
/// Passes that find nothing return the same graph, so the candidates have duplicates.
fn distinct<T: PartialEq>(all: Vec<T>) -> Vec<T> {
    let mut different = Vec::with_capacity(all.len());
    for item in all {
        if !different.contains(&item) {
            different.push(item);
        }
    }
    different
}

/// Returns the lowerings of a graph, each with the rewritten graph that it computes.
///
/// Sigmoids of a value and of its negation are merged or not, and univariate functions are computed by sequences of vector calls
/// or not. Of two with equal cycles, the caller prefers the earlier one.
fn lowerings(
    graph: &Graph,
    target: Target<'_>,
    storage: Storage,
) -> Result<Vec<(Graph, Lowering)>, Why> {
    let inputs = target.def.input_streams().len();
    let graph = &asymptotes::run(graph, target.continued);
    let mut all = Vec::new();
    let brought = shared_sigmoid::run(graph);
    for graph in brought.as_ref().into_iter().chain([graph]) {
        if let Some(regions) = Regions::find(graph, inputs, target) {
            let lowering = Lowering::new(&regions, target, storage);
            all.extend(lowering.map(|lowering| (regions.graph, lowering)));
        }
        let whole = Regions::none(graph, inputs, target);
        match Lowering::new(&whole, target, storage) {
            Ok(lowering) => all.push((whole.graph, lowering)),
            Err(why) if all.is_empty() && Some(graph) != brought.as_ref() => return Err(why),
            Err(_) => {}
        }
    }
    Ok(all)
}

/// Builds the plan for one lowering of a graph, without evaluating its accuracy.
pub(super) fn planned(
    graph: Graph,
    lowering: Lowering,
    spec: usize,
    target: Target<'_>,
) -> Result<Plan, Why> {
    let Target { def, soc, dtype, limits, digits, .. } = target;
    let Lowering { flow, mut registers, found } = lowering;
    if let Some(registers) = &mut registers {
        registers.seldom = limits::seldom(def, &graph, &registers.ops);
    }
    let read = &def.specs[spec].graph;
    let named = |(k, name)| read.reads(k).then_some(name);
    let inputs: Vec<Option<String>> =
        def.input_names().into_iter().enumerate().map(named).collect();
    let pairs = registers.as_ref().is_some_and(|r| r.pairs);
    let need = need(def, &inputs, dtype, soc, &found, pairs);
    let tile = need.dense.capacity(soc.reported_ub(), need.size);
    if tile == 0 {
        let need = need.dense.fixed + (need.dense.bits * BLOCK / need.size).div_ceil(8);
        let have = soc.reported_ub();
        return Err(Why::Ub(UbTooSmall { need, have }));
    }
    let gm_bits = streams_bits(def, &inputs, dtype) + 8 * need.size * flow.outputs.len() as u64;
    let gm_bytes = gm_bits.div_ceil(8);
    let cost = match &registers {
        Some(registers) => {
            cost::of_registers(registers.work(soc.arch), &graph, tile, gm_bytes, soc)
        }
        None => cost::cost(&limits::made(def, &graph, &found.instrs), &graph, tile, gm_bytes, soc),
    };
    Ok(Plan {
        op: def.name.to_string(),
        spec,
        dtype,
        soc,
        limits,
        digits,
        graph,
        functions: functions(&def.specs[spec].graph),
        forms: flow.forms,
        inputs,
        outputs: def.output_names(),
        registers,
        instrs: found.instrs,
        splats: found.splats,
        temps: found.temps,
        halves: found.halves,
        masks: found.masks,
        need,
        tile,
        cost,
        accuracy: Accuracy::new(dtype),
        lost: Vec::new(),
        rows: None,
    })
}

/// Returns the names of the primitives in a graph that are not correctly rounded, each once.
fn functions(graph: &Graph) -> Vec<&'static str> {
    let rounded = |node: &Node| match node {
        Node::Call(prim, _) if prim.row().ulp.0 > 0.5 => Some(prim.row().name),
        _ => None,
    };
    distinct(graph.nodes.iter().filter_map(rounded).collect())
}
