//! Planning of an operator on a target: its vector calls, their buffers, and the cost of a tile.
//!
//! ```text
//! target      parameters that every lowering of an operator shares
//! flow        values, before buffers are assigned
//! instr       a vector call on buffers
//! arithmetic  the result of one call, computed without hardware
//! shared_sigmoid  merges sigmoids of a value and of its negation
//! regions     splits off univariate functions: fractions of one exponential, and Gaussian tails
//! search      finds the elements at which a plan is least accurate
//! choice      chooses the cheapest of several plans that is accurate enough
//! accept      decides whether a sequence for such a function is accurate, by computing it
//! accuracy    errors of results, relative near zeros: of a plan, and of a kernel's output
//! reference   the formula in f64 that results are compared with
//! samples     the elements that plans are judged at
//! redundant_bounds  bounds of a graph that its kernel does not need
//! reading     queries on a graph: scalars, single readers, smooth primitives
//! lower       graph -> calls, with a table of sequences for smooth primitives
//! narrow      moves calls to `half` where the result is the same
//! schedule    the order of calls
//! cancelling  polynomials near 0 for sums that cancel there
//! constants   distributes constant factors over sums
//! repeated    merges repeated terms of a sum
//! shared      factors out functions that terms of a sum share
//! slopes      rewrites `sigmoid(v) sigmoid(-v)`
//! bounded     moves functions of the activation to the front of products
//! allocate    buffer allocation
//! barriers    calls that must wait for those before them
//! ub_budget   the UB requirement of a tile
//! registers   the same calls on registers instead of buffers
//! cost        calls, cycles, bytes
//! planned     the result, with all decisions made
//! estimate    the cost of a plan, without a search
//! kept        the plans that searches chose, in a file
//! known       a cache of plans in the process
//! interpret   computes the calls without hardware
//! contents    contents of buffers or registers meanwhile
//! limits      clamps inputs short of infinity
//! ```
//!
//! Several orders of calls and buffer preferences are tried. The one with the fewest cycles wins; of equal ones that with the least UB
//! per element, then the first.

mod accept;
pub mod accuracy;
mod allocate;
mod arithmetic;
mod barriers;
mod bounded;
mod cancelling;
mod choice;
mod constants;
mod contents;
mod cost;
mod estimate;
mod flow;
mod instr;
mod interpret;
pub mod kept;
mod known;
mod limits;
mod lower;
mod narrow;
mod planned;
mod reading;
mod redundant_bounds;
mod reference;
mod regions;
pub mod registers;
mod repeated;
mod samples;
mod schedule;
mod search;
mod shared;
mod shared_sigmoid;
mod slopes;
mod target;
mod ub_budget;

pub use arithmetic::Noise;
pub use cost::{Bound, Cost};
pub use estimate::estimate;
pub use instr::{Buffer, Instr, Operand};
pub use interpret::{interpret, interpret_all};
pub use planned::Plan;
pub use ub_budget::DEPTH;

use crate::arch::{Refusal, Soc, Why, left_out};
use crate::sequence::form::{Digits, Limits};
use crate::sequence::{Api, Overload};
use crate::tiling::BLOCK;
use accuracy::Accuracy;
use allocate::{Allocated, Prefer, allocate};
use choice::chosen;
use flow::Flow;
use kept::Source;
use lower::lower;
use op_dsl_ir::op::{Kind, OpDef};
use op_dsl_ir::passes::{opposites, simplify};
use op_dsl_ir::{DType, Graph, Id, Node, Stored, roles};
use regions::Regions;
use registers::Registers;
use samples::Samples;
use schedule::Sink;
use target::Target;
use ub_budget::{need, streams_bits, temporaries};

/// Memory in which a kernel keeps its intermediate values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Storage {
    /// In registers, if the architecture computes in registers and has enough of them for the kernel.
    #[default]
    Registers,
    /// In the unified buffer (UB): each call processes a whole tile before the next call starts.
    Memory,
}

/// Plans the vector calls of one specialisation of an operator on a target.
///
/// Results at infinite inputs are exact limits. Intermediate values are in registers if the target computes in registers.
///
/// # Errors
/// The target cannot compute the operator. The refusal names the operator, the target, the element type and what to do instead.
pub fn plan(def: &OpDef, spec: usize, dtype: DType, soc: &'static Soc) -> Result<Plan, Refusal> {
    plan_in(def, spec, dtype, soc, Storage::default())
}

/// Plans as [`plan`] does, but with the given storage for intermediate values.
///
/// # Errors
/// As [`plan`].
pub fn plan_in(
    def: &OpDef,
    spec: usize,
    dtype: DType,
    soc: &'static Soc,
    storage: Storage,
) -> Result<Plan, Refusal> {
    plan_with(def, spec, dtype, soc, storage, Limits::Exact)
}

/// Plans as [`plan_in`] does, but with the given promise about results at infinite inputs.
///
/// Plans are cached for the lifetime of the process, so that none is made twice.
///
/// # Errors
/// As [`plan`].
pub fn plan_with(
    def: &OpDef,
    spec: usize,
    dtype: DType,
    soc: &'static Soc,
    storage: Storage,
    limits: Limits,
) -> Result<Plan, Refusal> {
    let make = || make(def, spec, dtype, soc, storage, limits, Source::File);
    known::plan(def, (spec, dtype, soc), storage, limits, make)
}

fn make(
    def: &OpDef,
    spec: usize,
    dtype: DType,
    soc: &'static Soc,
    storage: Storage,
    limits: Limits,
    source: Source<'_>,
) -> Result<Plan, Refusal> {
    let target = Target { source, ..Target::new(def, soc, dtype, limits) };
    let refuse =
        |why| Refusal { op: def.name.to_string(), soc: soc.name, dtypes: vec![dtype], why };
    check(def, spec, dtype, soc).map_err(refuse)?;
    let (graph, samples) = (&def.specs[spec].graph, Samples::new(def, spec, dtype));
    let in_budget = |target: Target<'_>, storage: Storage| {
        let plan = chosen(graph, &samples, target, storage).map_err(refuse)?;
        if plan.registers.is_none() || plan.accuracy.is_good() {
            return Ok(plan);
        }
        // A product with a shared reciprocal is rounded once more than a quotient, so calls on tensors may be accurate where these
        // are not.
        let on_tensors = chosen(graph, &samples, target, Storage::Memory).ok();
        Ok(on_tensors.filter(|plan| plan.accuracy.is_good()).unwrap_or(plan))
    };
    let mut plan = in_budget(target, storage)?;
    let holds = limits::holds(def, graph, &plan);
    if limits == Limits::Exact && !holds.is_empty() {
        let on = if plan.registers.is_some() { storage } else { Storage::Memory };
        plan = in_budget(Target { holds: &holds, ..target }, on)?;
    }
    plan.lost = search::lost(&samples, &plan);
    Ok(plan)
}

/// Returns all candidate plans of a graph, the one with the fewest cycles first.
///
/// They differ in rewrites of the graph, and in which univariate functions one sequence of vector calls computes.
fn plans(
    graph: &Graph,
    spec: usize,
    target: Target<'_>,
    storage: Storage,
) -> Result<Vec<Plan>, Why> {
    let mut graphs = vec![graph.clone(), simplify::run(&opposites::run(graph))];
    if target.digits > Digits::Absolute {
        graphs.push(cancelling::run(graph));
        // The graph that CPUs compute in f64 cancels less in `float` as well.
        if let Some(wide) = target.def.specs[spec].wide.as_ref() {
            let wide = op_dsl_ir::compile::for_float(&wide.graph);
            graphs.push(bounded::run(&wide, roles::activation(target.def)));
        }
        graphs = distinct(graphs);
        let rewritten = |graph: &Graph| {
            let once = repeated::run(graph);
            let [slopes, shared] = [&once, &shared::run(graph)].map(slopes::run);
            [once, slopes, shared]
        };
        // Only in f32, because results of 16 bits have digits to spare, and plans of both forms keep one graph where several inputs
        // are infinite.
        if target.dtype == DType::F32 {
            graphs.extend(graphs.iter().flat_map(rewritten).collect::<Vec<_>>());
        }
    }
    if target.digits == Digits::Fine {
        graphs.iter_mut().for_each(|graph| *graph = constants::run(graph));
    }
    let mut ways = ways(graph, target, storage)?;
    for (k, graph) in distinct(graphs).iter().enumerate() {
        if k > 0 {
            ways.extend(self::ways(graph, target, storage).unwrap_or_default());
        }
        let has_tails = target.digits.dtype(target.dtype) == DType::F32;
        if target.digits > Digits::Absolute && has_tails && shared_sigmoid::are_in(graph) {
            let target = Target { is_far: true, ..target };
            ways.extend(self::ways(graph, target, storage).unwrap_or_default());
        }
    }
    ways.sort_by(|(_, a), (_, b)| a.cycles(target.soc).total_cmp(&b.cycles(target.soc)));
    distinct(ways).into_iter().map(|(graph, way)| planned(graph, way, spec, target)).collect()
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

/// Builds the plan for one lowering (`way`) of a graph, without evaluating its accuracy.
fn planned(graph: Graph, way: Way, spec: usize, target: Target<'_>) -> Result<Plan, Why> {
    let Target { def, soc, dtype, limits, digits, .. } = target;
    let Way { flow, mut registers, found } = way;
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
        return Err(Why::Ub(crate::tiling::UbTooSmall { need, have }));
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

/// Returns an error if the target lacks a type, mask or attribute value that the operator needs.
fn check(def: &OpDef, spec: usize, dtype: DType, soc: &'static Soc) -> Result<(), Why> {
    if !def.dtypes.contains(&dtype) {
        let names: Vec<&str> = def.dtypes.iter().map(|d| d.name()).collect();
        return Err(Why::DType(names.join(", ")));
    }
    if !soc.arch.dtypes.contains(&dtype) {
        return Err(Why::NoDType(soc, dtype));
    }
    if let Some(mask) = def.inputs.iter().find(|t| t.kind == Kind::Mask) {
        let (name, bits) = (mask.name.to_string(), def.masks() == Stored::Bit);
        if bits && !soc.arch.long_masks {
            return Err(Why::OneMask(soc, name));
        }
        if def.split.is_some() && (bits || !soc.arch.pads) {
            return Err(Why::MaskOfRows(soc, name));
        }
    }
    for &(attr, value) in def.specs[spec].when.iter() {
        let name = &def.attrs[attr].name;
        if let Some(instead) = left_out(def, soc, name, value) {
            return Err(Why::LeftOut(format!("{name} = {value}"), instead));
        }
    }
    Ok(())
}

/// One lowering of a graph to vector calls on registers, or on buffers in UB.
struct Way {
    flow: Flow,
    registers: Option<Registers>,
    found: Allocated,
}

impl Way {
    fn new(regions: &Regions, target: Target<'_>, storage: Storage) -> Result<Way, Why> {
        // Bit masks need calls on tensors, because the bits of a step of 64 elements may begin inside a block of UB.
        let bits = target.def.masks() == Stored::Bit && reads_masks(regions, target);
        if storage == Storage::Registers && target.soc.arch.registers && !bits {
            let orders = orders(regions.graph.outputs.len());
            if let Some((flow, registers)) = registers::registers(regions, target, &orders)? {
                let found = Allocated::default();
                return Ok(Way { flow, registers: Some(registers), found });
            }
        }
        let (flow, found) = best(regions, target)?;
        Ok(Way { flow, registers: None, found })
    }

    fn cycles(&self, soc: &Soc) -> f64 {
        let of_calls = || cycles(&self.found, soc);
        self.registers.as_ref().map_or_else(of_calls, |on| on.work(soc.arch).cycles)
    }
}

/// Two lowerings are equal if they consist of the same vector calls.
impl PartialEq for Way {
    fn eq(&self, other: &Way) -> bool {
        self.registers == other.registers && self.found == other.found
    }
}

fn reads_masks(regions: &Regions, target: Target<'_>) -> bool {
    (0..regions.inputs).any(|k| regions.graph.reads(k) && target.truths(k).is_some())
}

/// Returns the lowerings of a graph, each with the rewritten graph that it computes.
///
/// Sigmoids of a value and of its negation are merged or not, and univariate functions are computed by sequences of vector calls
/// or not. Of two with equal cycles, the caller prefers the earlier one.
fn ways(graph: &Graph, target: Target<'_>, storage: Storage) -> Result<Vec<(Graph, Way)>, Why> {
    let inputs = target.def.input_streams().len();
    let mut ways = Vec::new();
    let brought = shared_sigmoid::run(graph);
    for graph in brought.as_ref().into_iter().chain([graph]) {
        if let Some(regions) = Regions::find(graph, inputs, target) {
            let way = Way::new(&regions, target, storage);
            ways.extend(way.map(|way| (regions.graph, way)));
        }
        let whole = Regions::none(graph, inputs, target);
        match Way::new(&whole, target, storage) {
            Ok(way) => ways.push((whole.graph, way)),
            Err(why) if ways.is_empty() && Some(graph) != brought.as_ref() => return Err(why),
            Err(_) => {}
        }
    }
    Ok(ways)
}

fn cycles(found: &Allocated, soc: &Soc) -> f64 {
    found.instrs.iter().map(|i| i.cycles(soc.arch)).sum()
}

/// Returns the lowering to calls on UB buffers with the fewest cycles, then the least UB per element.
fn best(regions: &Regions, target: Target<'_>) -> Result<(Flow, Allocated), Why> {
    let mut best: Option<((f64, u64), Flow, Allocated)> = None;
    for outputs in orders(regions.graph.outputs.len()) {
        let mut flow = lower(regions, target, &outputs)?;
        if target.dtype == DType::F16 {
            narrow::run(&mut flow);
        }
        for sink in Sink::ALL {
            let mut flow = flow.clone();
            let mut order = schedule::order(&flow, sink);
            schedule::legalise(&mut flow, &mut order);
            for prefer in Prefer::ALL {
                let found = allocate(&flow, &order, target.dtype, prefer)?;
                let score = (cycles(&found, target.soc), temporaries(&found, target.soc));
                if best.as_ref().is_none_or(|(least, ..)| score < *least) {
                    best = Some((score, flow.clone(), found));
                }
            }
        }
    }
    best.map(|(_, flow, found)| (flow, found)).ok_or(Why::Unplanned("outputs"))
}

/// Returns the orders in which to lower `n` outputs: all permutations of up to three.
///
/// More outputs have too many permutations, so only the given order is tried.
fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 || n > 3 {
        return vec![(0..n).collect()];
    }
    let with = |last: usize| {
        let others = move |k: usize| if k >= last { k + 1 } else { k };
        let with = move |o: Vec<usize>| o.into_iter().map(others).chain([last]).collect();
        orders(n - 1).into_iter().map(with)
    };
    (0..n).rev().flat_map(with).collect()
}

impl Plan {
    /// Number of type conversions among [`Cost::calls`].
    pub fn casts(&self) -> usize {
        let on_tensors = self.instrs.iter().filter(|i| matches!(i.api, Api::Cast(_))).count();
        on_tensors + self.registers.as_ref().map_or(0, |r| r.work(self.soc.arch).casts)
    }

    /// Returns the bound of a clamp that the kernel skips where attributes make the bound infinite.
    ///
    /// The bound is a node of the plan's graph. Returns `None` for all other calls.
    pub fn bound(&self, instr: &Instr) -> Option<Id> {
        limits::picked(&self.graph, instr)
    }

    /// Returns true if some call processes only whole repeats of 256 bytes, as comparisons do.
    pub fn whole_repeats(&self) -> bool {
        self.masks > 0
            || self.instrs.iter().any(|i| i.overload == Overload::Repeats && i.api == Api::Select)
    }

    /// Bytes of UB per element of a tile.
    pub fn bytes_per_element(&self) -> f64 {
        self.need.dense.bits as f64 / 8.0
    }

    /// Bytes of UB that the largest tile occupies.
    pub fn ub_used(&self) -> u64 {
        self.need.dense.fixed + self.tile * self.need.dense.bits / 8
    }

    /// Returns the name of a buffer: that of its stream, or for example `t0`, `h0`, `m0` for a temporary.
    pub fn buffer(&self, buffer: Buffer) -> String {
        match buffer {
            Buffer::In(k) => self.inputs[k].clone().unwrap_or_default(),
            Buffer::Out(k) => self.outputs[k].clone(),
            Buffer::Temp(k) => format!("t{k}"),
            Buffer::Half(k) => format!("h{k}"),
            Buffer::Mask(k) => format!("m{k}"),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
