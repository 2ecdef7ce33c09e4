//! Planning of an operator on a target: its vector calls, their buffers, and the cost of a tile.
//!
//! ```text
//! target      parameters that every lowering of an operator shares
//! storage     whether values are in registers or in UB
//! flow        values, before buffers are assigned
//! instr       a vector call on buffers
//! arithmetic  the result of one call, computed without hardware
//! shared_sigmoid  merges sigmoids of a value and of its negation
//! regions     splits off univariate functions: fractions of one exponential, and Gaussian tails
//! search      finds the elements at which a plan is least accurate
//! choice      chooses the cheapest of several plans that is accurate enough
//! candidates  these plans: rewrites of a graph, and lowerings of each
//! lowering    one lowering, to calls on registers or on buffers
//! accept      decides whether a sequence for such a function is accurate, by computing it
//! accuracy    errors of results, relative near zeros: of a plan, and of a kernel's output
//! reference   the formula in f64 that results are compared with
//! output      an output of the formula, and the units in which its errors count
//! samples     the elements that plans are judged at
//! redundant_bounds  bounds of a graph that its kernel does not need
//! reading     queries on a graph: scalars, single readers, smooth primitives
//! lower       graph -> calls, with a table of sequences for smooth primitives
//! narrow      moves calls to `half` where the result is the same
//! schedule    the order of calls
//! cancelling  polynomials near 0 for sums that cancel there
//! collected   terms of a sum by their attributes, near 0
//! constants   distributes constant factors over sums
//! logarithms  logarithms of quotients near 1
//! masked      takes choices of 0 out of products and sums
//! repeated    merges repeated terms of a sum
//! roots       differences of square roots and numbers
//! shared      factors out functions that terms of a sum share
//! slopes      rewrites `sigmoid(v) sigmoid(-v)` and `sigmoid(-v) - sigmoid(v)`
//! quotients   groups factors by streams
//! gaussian    gelu and its derivatives by one exponential
//! bounded     moves functions of the activation to the front of products
//! allocate    buffer allocation
//! barriers    calls that must wait for those before them
//! ub_budget   the UB requirement of a tile
//! registers   the same calls on registers instead of buffers
//! cost        calls, cycles, bytes
//! rows        plans of the stages of a formula with row functions
//! planned     the result, with all decisions made
//! estimate    the cost of a plan, without a search
//! kept        the plans that searches chose, in a file
//! known       a cache of plans in the process
//! interpret   computes the calls without hardware
//! double_float  double-float arithmetic, for arguments of exponentials
//! rounded_arguments  functions whose arguments are rounded
//! contents    contents of buffers or registers meanwhile
//! asymptotes  continues functions whose powers leave `float`
//! limits      clamps inputs short of infinity
//! skipped     clamps that a kernel skips, because their bound is infinite
//! ```
//!
//! Several orders of calls and buffer preferences are tried. The one with the fewest cycles wins; of equal ones that with the least UB
//! per element, then the first.

mod accept;
pub mod accuracy;
mod allocate;
mod arithmetic;
mod asymptotes;
mod barriers;
mod bounded;
mod cancelling;
mod candidates;
mod choice;
mod collected;
mod constants;
mod contents;
mod cost;
mod double_float;
mod estimate;
mod flow;
mod gaussian;
mod instr;
mod interpret;
pub mod kept;
mod known;
mod limits;
mod logarithms;
mod lower;
mod lowering;
mod masked;
mod narrow;
mod output;
mod planned;
mod quotients;
mod reading;
mod redundant_bounds;
mod reference;
mod regions;
pub mod registers;
mod repeated;
mod roots;
mod rounded_arguments;
pub mod rows;
mod samples;
mod scales;
mod schedule;
mod search;
mod shared;
mod shared_sigmoid;
mod skipped;
mod slopes;
mod storage;
mod target;
mod ub_budget;
mod walks;

pub use arithmetic::Noise;
pub use cost::{Bound, Cost};
pub use estimate::estimate;
pub use instr::{Buffer, Instr, Operand};
pub use interpret::{interpret, interpret_all};
pub use planned::{Plan, RowPlans, RowStage, Terms};
pub use storage::Storage;
pub use ub_budget::DEPTH;
pub use walks::Walk;

use crate::arch::{Refusal, Soc, Why, left_out};
use crate::column;
use crate::sequence::form::Limits;
use accuracy::Accuracy;
use choice::chosen;
use kept::{Choices, Source};
use op_dsl_ir::op::{Kind, OpDef, Pattern, Tensor};
use op_dsl_ir::{DType, Node, Stored};
use output::Sizes;
use samples::Samples;
use std::cell::RefCell;
use target::Target;

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

/// Plans an operator by searches alone and returns their results as lines of `choices.txt`.
///
/// No stored choice is read.
pub fn searched(
    def: &OpDef,
    spec: usize,
    dtype: DType,
    soc: &'static Soc,
    storage: Storage,
    limits: Limits,
) -> Choices {
    let lines = RefCell::default();
    // A refused operator has no choices, so the refusal is ignored.
    let _ = make(def, spec, dtype, soc, storage, limits, Source::Search(&lines));
    lines.into_inner()
}

/// Attacks a plan of an operator and returns the largest error found.
///
/// Each attack evaluates some 24,000 elements of `float` (4,000 of 16 bits) at every choice of attribute values: random ones, then
/// ones around the worst of these, nearer from round to round. Each `set` of attacks draws other elements, and no search for plans
/// evaluates any of them.
pub fn attacked(def: &OpDef, plan: &Plan, attacks: usize, set: usize) -> Accuracy {
    let samples = Samples::new(def, plan.spec, plan.dtype, Sizes::Counted);
    search::attacked(&samples, plan, attacks, set)
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
    let target = Target::new(def, soc, dtype, limits);
    let refuse =
        |why| Refusal { op: def.name.to_string(), soc: soc.name, dtypes: vec![dtype], why };
    check(def, spec, dtype, soc).map_err(refuse)?;
    if def.is_by_rows() {
        let part =
            |def: &OpDef| make(def, 0, DType::F32, soc, Storage::Memory, Limits::Exact, source);
        return rows::plan(def, spec, dtype, soc, part);
    }
    let graph = &def.specs[spec].graph;
    let [strict, sized] =
        [Sizes::Ignored, Sizes::Counted].map(|sizes| Samples::new(def, spec, dtype, sizes));
    let in_budget = |target: Target<'_>, storage: Storage| {
        let plan = chosen(graph, &strict, target, storage, source).map_err(refuse)?;
        if plan.accuracy.is_good() {
            return Ok(plan);
        }
        // A product with a shared reciprocal is rounded once more than a quotient, so calls on tensors may be accurate where these
        // are not.
        let on_tensors = plan.registers.is_some().then_some((&strict, Storage::Memory));
        let by_size = sized.count_sizes().then_some((&sized, storage));
        let others = on_tensors.into_iter().chain(by_size);
        let mut others =
            others.filter_map(|(samples, on)| chosen(graph, samples, target, on, source).ok());
        Ok(others.find(|plan| plan.accuracy.is_good()).unwrap_or(plan))
    };
    let attributes = samples::attributes(def, spec);
    let (mut target, mut plan) = (target, in_budget(target, storage)?);
    if !asymptotes::serve(def, &plan) {
        let continued = Target { continued: &attributes, ..target };
        let is_better = |found: &Plan| {
            let is_right = asymptotes::serve(def, found) && found.accuracy.is_good();
            is_right || !plan.accuracy.is_good()
        };
        if let Some(found) = in_budget(continued, storage).ok().filter(is_better) {
            (target, plan) = (continued, found);
        }
    }
    let holds = limits::holds(def, graph, &plan);
    if limits == Limits::Exact && !holds.is_empty() {
        let on = if plan.registers.is_some() { storage } else { Storage::Memory };
        plan = in_budget(Target { holds: &holds, ..target }, on)?;
    }
    plan.lost = search::lost(&strict, &plan);
    Ok(plan)
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
    rows::check(def, spec, soc)?;
    if let Some(sum) = def.sums.first().filter(|_| !adds(def, soc)) {
        return Err(Why::Sum(soc, def.outputs[sum.output].name.to_string()));
    }
    let own = |t: &&Tensor| t.own.is_some() && !rows::is_converted(t, soc);
    let written = |t: &&Tensor| own(t) && !(def.is_by_rows() && rows::is_rounded(t));
    if let Some(tensor) = def.inputs.iter().find(own).or(def.outputs.iter().find(written)) {
        return Err(Why::Own(tensor.name.to_string(), tensor.stored(dtype).to_string()));
    }
    if let Some(mask) = def.outputs.iter().find(|t| t.kind == Kind::Mask) {
        return Err(Why::Own(mask.name.to_string(), Stored::Byte.to_string()));
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
    let missing = |node: &Node| match *node {
        Node::Call(prim, _) if column::is_missing(prim) => Some(prim.row().name),
        _ => None,
    };
    if let Some(name) = def.specs[spec].graph.nodes.iter().find_map(missing) {
        return Err(Why::Missing(name));
    }
    for &(attr, value) in def.specs[spec].when.iter() {
        let name = &def.attrs[attr].name;
        if let Some(instead) = left_out(def, soc, name, value) {
            return Err(Why::LeftOut(format!("{name} = {value}"), instead));
        }
    }
    Ok(())
}

/// Returns whether kernels for the target compute the sums of an operator.
///
/// They need copies of any length and a barrier over all cores, and take neither masks nor optional inputs nor interleaved parts.
fn adds(def: &OpDef, soc: &Soc) -> bool {
    let plain = def.inputs.iter().all(|t| matches!(t.kind, Kind::Whole | Kind::Gated));
    let given = (0..def.inputs.len()).all(|i| def.presence(i).is_none());
    let halves = def.split.as_ref().is_none_or(|s| s.pattern == Pattern::Halves);
    soc.arch.pads && plain && given && halves
}

#[cfg(test)]
mod tests;
