//! Plans of a formula with row functions: one for each of its stages, and one for the results.
//!
//! All of them compute in `float`, whatever the element type of the tensors: terms of 16 bits would lose digits before they are
//! added, and a tile is converted once. Streams after the operator's own hold values of rows, repeated along their rows, and terms
//! that later stages read.

use super::accuracy::Accuracy;
use super::cost::Cost;
use super::instr::{Buffer, Instr, Operand};
use super::planned::{Plan, RowPlans, RowStage, Terms};
use crate::arch::{Refusal, Soc, Why};
use crate::sequence::{Api, F32, Overload, Scalar};
use crate::tiling::{BLOCK, Footprint, Need, REPEAT, RowNeed, UbTooSmall};
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{Kind, OpDef, Pattern, Rule, Spec, Stage, Stream, Tensor};
use op_dsl_ir::passes::simplify;
use op_dsl_ir::{Builder, DType, Graph, Id, Node, Prim, Stored};

/// Number of partial results that a reduction of chunks keeps, a block of each.
///
/// Partial result `k` is that of `2^k` chunks, so that these are enough for `2^32` of them.
pub const LEVELS: u64 = 32;

/// Returns an error if the operator has a feature that kernels of row functions do not support.
pub(super) fn check(def: &OpDef, spec: usize, soc: &'static Soc) -> Result<(), Why> {
    let function = |stage: &Stage| match stage.rule {
        Rule::Reduce(function) => Some(function.name().to_string()),
        Rule::Uniform => None,
    };
    let tensor = || def.per_row().next().map(|tensor| tensor.name.to_string());
    let function = def.specs[spec].stages.iter().find_map(function).or_else(tensor);
    let Some(function) = function else { return Ok(()) };
    let has = |kind: Kind| def.inputs.iter().any(|t| t.kind == kind);
    let is_per_row = |tensor: &Tensor| tensor.kind == Kind::PerRow;
    let halves = def.split.as_ref().is_none_or(|s| s.pattern == Pattern::Halves);
    let other = match () {
        _ if !soc.arch.reduces => format!("architecture {}", soc.arch.number),
        _ if !def.sums.is_empty() => "sums over broadcast inputs".into(),
        _ if has(Kind::Mask) => "masks".into(),
        _ if has(Kind::Rows) => "counts of rows".into(),
        _ if (0..def.inputs.len()).any(|i| def.presence(i).is_some()) => "optional inputs".into(),
        _ if !halves => "interleaved parts".into(),
        _ if def.specs[spec].stages.is_empty() && def.outputs.iter().all(is_per_row) => {
            "results that read no element".into()
        }
        _ => return Ok(()),
    };
    Err(Why::Rows(function, other))
}

/// Returns whether kernels convert a tensor with a type of its own: a float of one number per row.
pub(super) fn is_converted(tensor: &Tensor, soc: &Soc) -> bool {
    let is_float = |own: Stored| own.number().is_some_and(|own| soc.arch.dtypes.contains(&own));
    tensor.kind == Kind::PerRow && tensor.own.is_some_and(is_float)
}

/// Returns whether kernels round an output to the type that it has of its own: integers of 8 bits, one per element.
pub(super) fn is_rounded(tensor: &Tensor) -> bool {
    tensor.kind == Kind::Whole && matches!(tensor.own, Some(Stored::Int8 | Stored::Uint8))
}

/// Returns the graph that rounds numbers to integers of a range: the nearest, of two the even one, and 0 for NaN.
///
/// Comparisons with NaN are false, so that it needs no test of its own.
fn rounded((least, greatest): (f64, f64)) -> Graph {
    let mut b = Builder::new();
    let x = b.stream(0);
    let whole = b.call(Prim::Round, &[x]);
    let [zero, least, greatest] = [0.0, least, greatest].map(|number| b.num(number));
    let (below, above) =
        (b.call(Prim::Max, &[whole, least]), b.call(Prim::Min, &[whole, greatest]));
    let (is_below, is_above) = (b.call(Prim::Lt, &[whole, zero]), b.call(Prim::Lt, &[zero, whole]));
    let rest = b.call(Prim::Select, &[is_above, above, zero]);
    let out = b.call(Prim::Select, &[is_below, below, rest]);
    b.finish(&[out])
}

/// Plans a formula with row functions; `planned` plans one of its parts in `float`.
pub(super) fn plan(
    def: &OpDef,
    spec: usize,
    dtype: DType,
    soc: &'static Soc,
    planned: impl Fn(&OpDef) -> Result<Plan, Refusal>,
) -> Result<Plan, Refusal> {
    let of = &def.specs[spec];
    let own = def.input_streams().len();
    let cut = Cut { def, spec: of, own };
    let kept = |def: OpDef| Ok(Terms::Plan(Box::new(without_overwriting(planned(&def)?))));
    let stage = |stage: &Stage| {
        let from = match cut.element(stage) {
            Some(stream) => Terms::Stream(stream),
            None => kept(cut.kernel(&stage.spec, "terms"))?,
        };
        Ok(RowStage { rule: stage.rule, value: stage.value, terms: stage.terms, from })
    };
    let mut stages = of.stages.iter().map(stage).collect::<Result<Vec<_>, Refusal>>()?;
    let returned = cut.outputs(true);
    let next = own + cut.further();
    for (k, output) in returned.iter().enumerate() {
        let from = kept(cut.kernel(&cut.only(&[*output]), "number"))?;
        stages.push(RowStage { rule: Rule::Uniform, value: next + k, terms: None, from });
    }
    let results = match &cut.outputs(false)[..] {
        [] => None,
        elements => Some(Box::new(planned(&cut.results(&cut.only(elements)))?)),
    };
    let given = def.input_streams().into_iter().enumerate();
    let given = given.filter(|(_, s)| def.inputs[s.tensor].kind == Kind::PerRow).map(|(k, _)| k);
    let given = given.collect();
    let streams = def.output_streams().into_iter().enumerate();
    let integers = streams.filter_map(|(k, stream)| {
        let tensor = &def.outputs[stream.tensor];
        let range = tensor.own.filter(|_| is_rounded(tensor))?.integers()?;
        Some(planned(&cut.rounding(&rounded(range))).map(|plan| (k, Box::new(plan))))
    });
    let integers = integers.collect::<Result<Vec<_>, Refusal>>()?;
    let mut rows = RowPlans { stages, results, own, given, returned, integers, repeated: 0 };
    let reduced = rows.stages.iter().filter(|s| s.rule != Rule::Uniform);
    let read = reduced.filter_map(RowStage::plan).chain(rows.results.as_deref());
    rows.repeated = read.map(|plan| rows.values_of(plan).len()).max().unwrap_or(0);
    let refuse =
        |why| Refusal { op: def.name.to_string(), soc: soc.name, dtypes: vec![dtype], why };
    whole(def, spec, dtype, rows).map_err(refuse)
}

/// Returns a plan that does not overwrite its input streams, because later stages read them.
///
/// From the first call that writes to a stream's buffer, all calls use another buffer instead: that of the result if no call uses
/// it in the meantime, else a temporary one.
fn without_overwriting(mut plan: Plan) -> Plan {
    let touches =
        |instr: &Instr, b: Buffer| instr.dst == b || instr.srcs.contains(&Operand::Buffer(b));
    for stream in (0..plan.inputs.len()).map(Buffer::In) {
        let Some(first) = plan.instrs.iter().position(|instr| instr.dst == stream) else {
            continue;
        };
        let last = plan.instrs.iter().rposition(|instr| touches(instr, stream)).unwrap_or(first);
        let result = Buffer::Out(0);
        let needed = plan.instrs.iter().position(|instr| touches(instr, result));
        let is_copied = plan.instrs[first].api.accumulates();
        let other = match needed {
            Some(needed) if last <= needed && !is_copied => result,
            _ => {
                plan.temps += 1;
                Buffer::Temp(plan.temps - 1)
            }
        };
        let calls = plan.instrs[first..].iter_mut().enumerate();
        for (k, instr) in calls {
            if instr.dst == stream {
                instr.dst = other;
            }
            // The first call reads the stream itself, unless there is a copy to read.
            for src in instr.srcs.iter_mut().filter(|_| k > 0 || is_copied) {
                if *src == Operand::Buffer(stream) {
                    *src = Operand::Buffer(other);
                }
            }
        }
        if is_copied {
            plan.instrs.insert(first, copy(other, stream));
        }
    }
    plan
}

/// Returns the call that copies a buffer of `float`.
fn copy(to: Buffer, from: Buffer) -> Instr {
    Instr {
        api: Api::Muls,
        overload: Overload::Vectors,
        dst: to,
        srcs: vec![Operand::Buffer(from)],
        scalar: Some(Scalar::Const(1.0)),
        to: F32,
        from: F32,
        lanes: F32,
        what: "",
    }
}

/// Returns a graph of a specialisation that reads values of rows without their remainders.
///
/// A remainder is what a value loses when it is rounded to `float`. Kernels and documents have values in `float` only.
pub fn nearest(spec: &Spec, graph: &Graph) -> Graph {
    let is_rest = |k: usize| spec.stages.iter().any(|stage| stage.rest == Some(k));
    let nearest = graph.rewrite(|b, node| match node {
        Node::Stream(k) if is_rest(k.into()) => b.num(0.0),
        _ => b.add(node),
    });
    if nearest == *graph { nearest } else { simplify::run(&nearest) }
}

/// The parts of a specialisation as operators of their own.
struct Cut<'d> {
    def: &'d OpDef,
    spec: &'d Spec,
    own: usize,
}

impl Cut<'_> {
    /// Returns the stream of the operator whose elements are the terms of a stage; `None` if they are computed.
    fn element(&self, stage: &Stage) -> Option<usize> {
        let graph = nearest(self.spec, &stage.spec.graph);
        let output = graph.outputs.first()?;
        match graph.nodes[output.index()] {
            Node::Stream(k) if usize::from(k) < self.own && stage.rule != Rule::Uniform => {
                let is_element = self.kind(k.into()) != Kind::PerRow;
                Some(k.into()).filter(|_| stage.terms.is_none() && is_element)
            }
            _ => None,
        }
    }

    fn kind(&self, input: usize) -> Kind {
        self.def.inputs[self.def.input_streams()[input].tensor].kind
    }

    /// Returns the output streams with one number per row, or those with a number per element.
    fn outputs(&self, per_row: bool) -> Vec<usize> {
        let streams = self.def.output_streams().into_iter().enumerate();
        let is = |stream: &Stream| self.def.outputs[stream.tensor].kind == Kind::PerRow;
        streams.filter(|(_, stream)| is(stream) == per_row).map(|(k, _)| k).collect()
    }

    /// Returns the specialisation with only some of its output streams.
    fn only(&self, outputs: &[usize]) -> Spec {
        let only = |graph: &Graph| {
            let outputs: Vec<Id> = outputs.iter().map(|k| graph.outputs[*k]).collect();
            if outputs == *graph.outputs { graph.clone() } else { graph.with_outputs(&outputs) }
        };
        let of = self.spec;
        Spec {
            traced: only(&of.traced),
            graph: only(&of.graph),
            wide: of.wide.clone().map(|mut wide| {
                wide.graph = only(&wide.graph);
                wide
            }),
            ..of.clone()
        }
    }

    /// Returns the number of streams after the operator's own: those with values and terms of stages.
    fn further(&self) -> usize {
        let last = self.spec.stages.iter().flat_map(|s| [Some(s.value), s.rest, s.terms]).flatten();
        last.max().map_or(0, |last| last + 1 - self.own)
    }

    /// Returns the operator that rounds a result by a graph.
    fn rounding(&self, graph: &Graph) -> OpDef {
        let whole = |name: &str| Tensor {
            name: name.to_string().into(),
            kind: Kind::Whole,
            own: None,
            used: true,
        };
        OpDef {
            inputs: vec![whole("result")].into(),
            outputs: vec![whole("integer")].into(),
            attrs: Vec::new().into(),
            specs: vec![Spec::of(graph.clone())].into(),
            sums: Vec::new().into(),
            updates: Vec::new().into(),
            wide: Vec::new().into(),
            along: Vec::new().into(),
            ranges: Vec::new().into(),
            split: None,
            published: None,
            grad_of: None,
            ..self.def.clone()
        }
    }

    /// Returns the operator that computes the results that have a number per element.
    fn results(&self, spec: &Spec) -> OpDef {
        let is_element = |tensor: &&Tensor| tensor.kind != Kind::PerRow;
        let elements = self.def.outputs.iter().filter(is_element).cloned();
        let outputs = elements.map(|tensor| Tensor { own: None, ..tensor }).collect();
        OpDef { outputs, ..self.kernel(spec, "results") }
    }

    /// Returns the operator that computes one number, which has the given name.
    fn kernel(&self, spec: &Spec, name: &str) -> OpDef {
        let nearest = |graph: &Graph| nearest(self.spec, graph);
        let spec = Spec {
            when: self.spec.when.clone(),
            traced: nearest(&spec.traced),
            graph: nearest(&spec.graph),
            wide: spec.wide.clone().map(|mut wide| {
                wide.graph = nearest(&wide.graph);
                wide
            }),
            derived: None,
            stages: Vec::new().into(),
        };
        let whole =
            |name: String| Tensor { name: name.into(), kind: Kind::Whole, own: None, used: true };
        let names = (0..self.further()).map(|k| whole(self.name(self.own + k)));
        let own = self.def.inputs.iter().map(|tensor| match tensor.kind {
            Kind::PerRow => whole(tensor.name.to_string()),
            _ => tensor.clone(),
        });
        OpDef {
            inputs: own.chain(names).collect(),
            outputs: vec![whole(self.unused(name))].into(),
            specs: vec![spec].into(),
            sums: Vec::new().into(),
            updates: Vec::new().into(),
            published: None,
            grad_of: None,
            ..self.def.clone()
        }
    }

    /// Returns the name of a stream of stages.
    fn name(&self, stream: usize) -> String {
        let of = |(k, stage): (usize, &Stage)| match () {
            _ if stage.value == stream => Some(format!("row{k}")),
            _ if stage.terms == Some(stream) => Some(format!("terms{k}")),
            _ => None,
        };
        let name = self.spec.stages.iter().enumerate().find_map(of);
        self.unused(&name.unwrap_or_else(|| format!("unused{stream}")))
    }

    /// Returns a name that no tensor or attribute of the operator has in C++.
    fn unused(&self, name: &str) -> String {
        let def = self.def;
        let names = || {
            let tensors = def.inputs.iter().chain(def.outputs.iter()).map(|t| &*t.name);
            tensors.chain(def.attrs.iter().map(|a| &*a.name)).map(cpp_name)
        };
        let parts = || def.input_names().into_iter().chain(def.output_names());
        let mut name = name.to_string();
        while names().any(|n| n == name) || parts().any(|n| cpp_name(&n) == name) {
            name.push('Z');
        }
        name
    }
}

/// Returns the plan of the whole formula, whose calls are those of its stages.
fn whole(def: &OpDef, spec: usize, dtype: DType, rows: RowPlans) -> Result<Plan, Why> {
    // Operators without results for elements have a stage for each other result.
    let Some(base) = rows.plans().last() else { return Err(Why::Unplanned("rows")) };
    let soc = base.soc;
    let is_read = |k: &usize| {
        let of_plan = |plan: &Plan| plan.inputs[*k].is_some();
        let of_stage = |stage: &RowStage| matches!(stage.from, Terms::Stream(s) if s == *k);
        rows.plans().any(of_plan) || rows.stages.iter().any(of_stage)
    };
    let names = def.input_names().into_iter().enumerate();
    let inputs: Vec<Option<String>> = names.map(|(k, name)| is_read(&k).then_some(name)).collect();
    let outputs = (def.output_streams().len() - rows.returned.len()) as u64;
    let streams = rows.elements().filter(|stream| inputs[*stream].is_some()).count() as u64;
    // Rows of bytes would need gathers of their own.
    let turns =
        def.split.is_none() && soc.arch.pads && soc.arch.gathers && rows.integers.is_empty();
    let need = need(dtype, soc, &rows, [streams, outputs], turns);
    let single = need.small.unwrap_or(need.dense);
    let tile = single.capacity(soc.reported_ub(), need.size);
    if tile == 0 {
        let need = single.fixed + (single.bits * BLOCK / need.size).div_ceil(8);
        return Err(Why::Ub(UbTooSmall { need, have: soc.reported_ub() }));
    }
    let reduced = rows.stages.iter().filter(|s| s.rule != Rule::Uniform).count();
    let gm_bytes = (streams + outputs) * need.size;
    let casts = if dtype == DType::F32 { 0 } else { (streams + outputs) as usize };
    let casts = casts + 2 * rows.integers.len();
    let cost = Cost {
        calls: rows.all().map(|plan| plan.cost.calls).sum::<usize>() + reduced + casts,
        apart: 0,
        // A reduction adds each element once or twice, and a value of a row is repeated along it.
        cycles: rows.all().map(|plan| plan.cost.cycles).sum::<f64>()
            + 2.0 * reduced as f64
            + casts as f64,
        repeats: rows.all().map(|plan| plan.cost.repeats).sum(),
        gm_bytes,
        gm_cycles: 64.0 * gm_bytes as f64 / soc.gm_bytes_per_cycle,
    };
    let mut functions: Vec<&'static str> = rows.plans().flat_map(|p| p.functions.clone()).collect();
    functions.dedup();
    let mut forms: Vec<_> = rows.plans().flat_map(|p| p.forms.clone()).collect();
    forms.dedup();
    let worst = |a: Accuracy, b: &Accuracy| if b.error > a.error { b.clone() } else { a };
    let accuracy = rows.plans().map(|p| &p.accuracy).fold(Accuracy::new(DType::F32), worst);
    let lost = rows.plans().flat_map(|p| p.lost.clone()).filter(|k| *k < rows.own).collect();
    Ok(Plan {
        op: def.name.to_string(),
        spec,
        dtype,
        functions,
        forms,
        inputs,
        instrs: Vec::new(),
        splats: Vec::new(),
        temps: 0,
        halves: 0,
        masks: 0,
        need,
        tile,
        cost,
        accuracy: Accuracy { worst: None, ..accuracy },
        lost,
        rows: None,
        outputs: def.output_names(),
        ..base.clone()
    }
    .with_rows(rows))
}

impl Plan {
    fn with_rows(self, rows: RowPlans) -> Plan {
        Plan { rows: Some(Box::new(rows)), ..self }
    }
}

/// Returns the UB requirement of a tile of whole rows: `dense` with two buffers in every queue, `small` with one.
///
/// Buffers of `float` hold streams and results of 16 bits, kept terms, values repeated along rows, and temporary results. A row has
/// one number of each value, which is less than a block; rows have a block or more, unless the kernel turns them.
fn need(
    dtype: DType,
    soc: &Soc,
    rows: &RowPlans,
    [streams, outputs]: [u64; 2],
    turns: bool,
) -> Need {
    let size = dtype.size() as u64;
    let [temps, masks] = rows.temporaries().map(|n| n as u64);
    // Queues of numbers of rows have two buffers, and columns hold them in `float`. A stage computes each result.
    let (given, returned) = (rows.given.len() as u64, rows.returned.len() as u64);
    let values = rows.stages.len() as u64 + given + 2 * (given + returned);
    let converted = if dtype == DType::F32 { 0 } else { streams + outputs };
    // Results that are rounded to integers have buffers of their own, and another one while they are rounded.
    let integers = rows.integers.len() as u64;
    let work = u64::from(rows.results.is_none()) + integers + integers.min(1);
    let floats = converted + rows.kept().count() as u64 + rows.repeated as u64 + temps + work;
    // A row has a block at least, which is eight numbers or sixteen. Where queues have one buffer, there are few rows.
    let per_row = (32 * (values + 1)).div_ceil(BLOCK / size);
    let own = 32 * floats + masks * soc.arch.mask_bits();
    let queue = 8 * size * (streams + outputs);
    let splats: u64 = rows.all().map(|plan| plan.splats.len() as u64 * REPEAT).sum();
    let is_select = |plan: &Plan| plan.instrs.iter().any(|i| i.api == Api::Select);
    let reserved = match rows.all().any(is_select) {
        true => soc.arch.select_reserve.max(soc.arch.repeat_reserve),
        false => soc.arch.repeat_reserve,
    };
    // Every value has room for whole repeats of rows.
    let fixed = splats + masks * BLOCK + (values + 1) * REPEAT + reserved;
    let footprint = |bits: u64| Footprint { fixed, bits };
    // A chunk has another buffer, in which terms are reduced, and each function the partial results of its chunks.
    let reduced = rows.stages.iter().filter(|s| s.rule != Rule::Uniform).count() as u64;
    let chunk = Footprint { fixed: fixed + reduced * LEVELS * BLOCK, bits: own + 32 + 2 * queue };
    // Turned streams and results, and two tables of offsets. A row may have one element, and each value as many.
    let turned = footprint(own + 2 * queue + 32 * (streams + outputs + 2 + values + 1));
    let held = rows.held().len() as u64;
    Need {
        size,
        dense: footprint(own + 2 * queue + per_row),
        small: Some(footprint(own + queue)),
        pairs: None,
        even: 1,
        gathers: false,
        rows: Some(RowNeed { chunk, held, turned: turns.then_some(turned) }),
    }
}
