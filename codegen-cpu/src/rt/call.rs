//! Operator calls: checks attributes and views, and passes checked streams to the driver.

mod selection;

pub use super::options::Options;

use super::abi::MAX_STREAMS;
use super::block::Kernels;
use super::contiguous;
use super::converters::converters;
use super::driver;
use super::error::Error;
use super::floor::{converting_floor_kernels, floor_kernels};
use super::fp_env::DefaultMode;
use super::job::Job;
use super::row_count;
use super::rows::Rows;
use super::simd::Level;
use super::step::PAIR;
use super::streams::{self, Call};
use super::sums;
use super::view::{View, ViewMut};
use op_dsl_ir::Stored;
use op_dsl_ir::bind::{self, Bound, OutputMeta, TensorMeta, bind_to};
use op_dsl_ir::op::{Kind, OpDef, Pattern, Tensor, Value};
use std::borrow::Cow;

/// A runnable operator: its definition and its kernels.
///
/// The fields are private because a call relies on its checks of both, so neither may change afterwards:
///
/// ```compile_fail,E0616
/// fn lie(op: &mut codegen_cpu::rt::call::Operator) {
///     op.def.name = "Other".into();
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Operator {
    def: OpDef,
    kernels: Cow<'static, [Kernels]>,
    oracle: Option<Oracle>,
}

/// A function that computes the value of every output stream for one element, in f64.
///
/// Its arguments are one value per input stream, in the order of [`OpDef::input_streams`], and one per attribute.
pub type Oracle = fn(&[f64], &[Value]) -> Vec<f64>;

impl Operator {
    /// Creates an operator from its definition, its kernels and its f64 oracle.
    ///
    /// `kernels` has one entry per specialisation, in the order of the definition, after an entry for each of its stages. The oracle is the author's own formula, which a
    /// derived gradient does not have. Each call checks that definition and kernels belong together.
    pub const fn new(def: OpDef, kernels: &'static [Kernels], oracle: Option<Oracle>) -> Operator {
        Operator { def, kernels: Cow::Borrowed(kernels), oracle }
    }

    /// Returns the definition: tensors, attributes and graphs.
    pub const fn def(&self) -> &OpDef {
        &self.def
    }

    /// Returns the same kernels and oracle under a changed definition.
    ///
    /// For example, it may have other names, element types or shape rules.
    pub fn redefined(&self, change: impl FnOnce(&mut OpDef)) -> Operator {
        let mut other = self.clone();
        change(&mut other.def);
        other
    }

    /// Evaluates the author's own formula on one element, in f64: the value of every output stream.
    ///
    /// The arguments are those of an [`Oracle`]. Returns `None` for a derived gradient, whose formula has no author.
    pub fn oracle(&self, streams: &[f64], attrs: &[Value]) -> Option<Vec<f64>> {
        self.oracle.map(|oracle| oracle(streams, attrs))
    }

    /// Returns the operator's name, for example `GeGluGradV2`.
    pub fn name(&self) -> &str {
        &self.def.name
    }

    /// Returns the default value of every attribute that a caller passes.
    pub fn default_attrs(&self) -> Vec<Value> {
        self.def.passed().iter().map(|a| a.default).collect()
    }

    /// Returns an operator with the same tensors and attributes but next to no arithmetic.
    ///
    /// It measures what the memory traffic alone costs, whatever the attributes' values. Interleaved parts of a tensor are treated
    /// as halves, because these are as many bytes. Returns `None` if the operator has more streams than there are such kernels for.
    pub fn floor(&self) -> Option<Operator> {
        let streams = |tensors: &[Tensor]| tensors.iter().map(|t| t.kind.parts().len()).sum();
        let (inputs, outputs) = (streams(&self.def.inputs), streams(&self.def.outputs));
        let kernels = match self.def.outputs.iter().any(|t| t.own.is_some() || t.kind == Kind::Mask)
        {
            true => converting_floor_kernels(inputs, outputs)?,
            false => floor_kernels(inputs, outputs)?,
        };
        let (stages, last) = self.kernels_of(0).ok()?;
        let all = stages.iter().fold(*last, |all, stage| all.reading_with(stage));
        let mut floor = self.clone();
        floor.def.specs.to_mut().truncate(1);
        let spec = floor.def.specs.to_mut().first_mut()?;
        (spec.when, spec.stages) = (Vec::new().into(), Vec::new().into());
        if let Some(split) = &mut floor.def.split {
            split.pattern = Pattern::Halves;
        }
        floor.kernels = Cow::Owned(vec![kernels.reading_as(&all, floor.def.own_types())]);
        Some(floor)
    }

    /// Returns the same operator with the interpreter as its kernel at every SIMD level.
    ///
    /// The interpreter shares no code with the kernels except functions in f64, so that tests can compare one with the other. Returns
    /// `None` if the operator has no programs for the interpreter.
    pub fn interpreted(&self) -> Option<Operator> {
        let kernels = self.kernels.iter().map(Kernels::interpreted).collect::<Option<Vec<_>>>()?;
        Some(Operator { kernels: Cow::Owned(kernels), ..self.clone() })
    }

    /// Parses an attribute from text, and returns its index and value.
    ///
    /// Enums are given by name or number, booleans as `true`, `false`, `1` or `0`.
    ///
    /// # Errors
    /// There is no such attribute, or the text is not one of its values.
    pub fn parse_attr(&self, name: &str, text: &str) -> Result<(usize, Value), Error> {
        Ok(bind::parse_attr(&self.def, name, text)?)
    }

    /// Infers shapes and element types of the outputs, for callers that allocate them.
    ///
    /// # Errors
    /// Invalid attributes, shapes or element types.
    pub fn infer(
        &self,
        attrs: &[Value],
        inputs: &[TensorMeta<'_>],
    ) -> Result<Vec<OutputMeta>, Error> {
        Ok(bind::infer(&self.def, attrs, inputs)?)
    }

    /// Computes the outputs from the inputs, both in the order of the signature.
    ///
    /// An output may be one of the inputs, or the part (gate or value) of a gated input that it replaces. The operator then works in
    /// place.
    ///
    /// # Errors
    /// Names the operator, the argument, what is wrong with it and what is allowed. Nothing has been written in that case.
    pub fn run(
        &self,
        attrs: &[Value],
        inputs: &[View<'_>],
        outputs: &mut [ViewMut<'_>],
        options: &Options,
    ) -> Result<(), Error> {
        self.run_repeatedly(1, attrs, inputs, outputs, options)
    }

    /// As [`Operator::run`], with each output written over the input that it is the new value of ([`OpDef::updates`]).
    ///
    /// `inputs` are the other inputs, and `updated` the replaced ones, in the order of the outputs.
    ///
    /// # Errors
    /// As [`Operator::run`]; the operator says of no input that an output is its new value; another number of tensors.
    pub fn run_in_place(
        &self,
        attrs: &[Value],
        inputs: &[View<'_>],
        updated: &mut [ViewMut<'_>],
        options: &Options,
    ) -> Result<(), Error> {
        let updates = &self.def.updates;
        let op = || self.def.name.to_string();
        if updates.is_empty() {
            return Err(Error::NotInPlace { op: op() });
        }
        let wanted = [self.def.inputs.len().saturating_sub(updates.len()), updates.len()];
        let got = [inputs.len(), updated.len()];
        if got != wanted {
            return Err(Error::InPlaceCount { op: op(), got, wanted });
        }
        // No kernel has more inputs; `run` refuses an operator that has.
        let count = self.def.inputs.len().min(MAX_STREAMS);
        let mut all = [View::ABSENT; MAX_STREAMS];
        let mut others = inputs.iter();
        for (k, view) in all.iter_mut().enumerate().take(count) {
            *view = match updates.iter().position(|i| *i == k) {
                // SAFETY: the memory stays borrowed until this call returns, and `run` gets both views of it.
                Some(output) => unsafe { updated[output].as_input() },
                None => others.next().copied().unwrap_or(View::ABSENT),
            };
        }
        self.run(attrs, &all[..count], updated, options)
    }

    /// As [`Operator::run`], `times` times in a row after one check.
    ///
    /// Benchmarks use it to time memory and kernels alone. In place, the results of one run are the inputs of the next.
    ///
    /// # Errors
    /// As [`Operator::run`].
    pub fn run_repeatedly(
        &self,
        times: usize,
        attrs: &[Value],
        inputs: &[View<'_>],
        outputs: &mut [ViewMut<'_>],
        options: &Options,
    ) -> Result<(), Error> {
        let mut bound = Bound::default();
        bind_to(&mut bound, &self.def, attrs, inputs)?;
        bind::decide(&self.def, &mut bound, outputs);
        bind::check_outputs(&self.def, &bound, inputs, outputs, options.cast)?;
        let level = self.level(options)?;
        let (stages, mut last) = self.kernels_of(bound.spec)?;
        let (on_f64, joined);
        if bound.element == Stored::Float64 {
            on_f64 = self.on_f64(last, inputs)?;
            last = &on_f64;
        }
        let kernels = match stages {
            [] => last,
            _ => {
                joined = stages.iter().fold(*last, |joined, stage| joined.reading_with(stage));
                &joined
            }
        };
        self.check_given(kernels, inputs)?;
        let counted = row_count::Rows::of(&self.def, &bound, inputs)?;
        let call = Call { def: &self.def, bound: &bound, kernels, inputs, outputs };
        if bound.domain.contains(&0) {
            sums::clear(&call);
            return Ok(());
        }
        let _mode = DefaultMode::enter();
        let dtype = bound.dtype;
        let kernel = last.get(dtype, level).ok_or_else(|| self.lacks(level))?;
        let converters = converters(level).ok_or_else(|| self.lacks(level))?;
        let mut job = Job::new(&bound, dtype, kernel, converters, level);
        (job.program, job.alone) = (last.program(dtype), call.has_cells());
        if bound.element == Stored::Float64 {
            job.step = PAIR * level.lanes();
            let numbers = self.def.attrs.iter().zip(attrs).filter_map(|(a, v)| a.number(*v));
            job.doubles.iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
        }
        for (to, (mask, reads)) in
            job.masks.iter_mut().zip(kernels.masks().iter().zip(kernels.reads()))
        {
            *to = mask & reads;
        }
        for (to, (own, reads)) in job.own.iter_mut().zip(kernels.own().iter().zip(kernels.reads()))
        {
            *to = own.filter(|_| *reads);
        }
        for (attr, value) in self.def.attrs.iter().zip(attrs) {
            if let Some(v) = attr.scalar(*value) {
                // Drops the payload of a NaN, because `Isa::bf16_narrow` requires zeros in its lower bits.
                job.add_scalar(if v.is_nan() { f32::NAN } else { v });
            }
        }
        last.complete(&mut job.scalars);
        let rows = (!stages.is_empty()).then(|| Rows {
            spec: &self.def.specs[bound.spec],
            stages,
            results: last,
            inputs: self.def.input_streams().len(),
            scalars: self.def.scalars(attrs),
        });
        if rows.is_some() || sums::has_sums(&call) {
            lay_over_domain(&mut job, &call)?;
            job.rank = job.rank.max(1);
            (0..times).for_each(|_| sums::run(&job, &call, rows.as_ref(), options));
            return Ok(());
        }
        let Some(counted) = counted else {
            build_streams(&mut job, &call)?;
            (0..times).for_each(|_| driver::run(&mut job, options));
            return Ok(());
        };
        let zeros = row_count::zeros(bound.element, level).ok_or_else(|| self.lacks(level))?;
        lay_over_domain(&mut job, &call)?;
        (0..times).try_for_each(|_| {
            counted.compute(&job, &call, options);
            counted.clear(&job, zeros, &call, options)
        })
    }

    fn level(&self, options: &Options) -> Result<Level, Error> {
        match options.level {
            Some(level) if level != Level::best() && !level.is_available() => {
                Err(self.lacks(level))
            }
            Some(level) => Ok(level),
            None => Ok(Level::best()),
        }
    }

    /// Returns the error for a SIMD level that this CPU or this build lacks.
    #[cold]
    fn lacks(&self, level: Level) -> Error {
        let names = Level::ALL.iter().filter(|l| l.is_available()).map(|l| l.name());
        let available = names.collect::<Vec<_>>().join(", ");
        Error::Level { op: self.def.name.to_string(), level, available }
    }
}

/// Adds the call's inputs and outputs to the job, in as few dimensions as their strides allow.
fn build_streams(job: &mut Job, call: &Call<'_>) -> Result<(), Error> {
    if !contiguous::build_streams(job, call).map_err(|e| call.left(e))? {
        lay_over_domain(job, call)?;
        job.collapse();
        job.take_turns(call.kernels);
    }
    Ok(())
}

/// Adds the call's inputs and outputs to the job, as streams over the domain (index space) as it is.
///
/// Also sets `job.in_place`, which says whether an output is also an input.
fn lay_over_domain(job: &mut Job, call: &Call<'_>) -> Result<(), Error> {
    streams::build_streams(job, call).map_err(|e| call.left(e))?;
    job.in_place = streams::check_overlap(job, call)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt::block::{Body, Input};
    use crate::rt::blocking::Boxes;
    use crate::rt::elem::El;
    use crate::rt::load::Load;
    use crate::rt::simd::Isa;
    use crate::rt::step::Floats;
    use op_dsl_ir::op::{Attr, AttrKind, Gate, Spec, Split};
    use op_dsl_ir::{DType, Graph};

    /// `x (interleaved) -> dx (interleaved)`, with the two parts exchanged.
    struct Turned;

    impl Body<2, 0, 2> for Turned {
        const INPUT_TURNS: [bool; 2] = [true, false];
        const OUTPUT_TURNS: [bool; 2] = [true, false];

        fn eval<S: Isa, E: El, const W: usize>(
            _: S,
            [gate, value]: [Input<'_, S, E, W>; 2],
            _: [Floats<S, W>; 0],
        ) -> [Floats<S, W>; 2] {
            [value.load(), gate.load()]
        }
    }

    fn turned() -> OpDef {
        let of = |name: &'static str| Tensor {
            name: name.into(),
            kind: Kind::Gated,
            own: None,
            used: true,
        };
        let dim =
            Attr { name: "dim".into(), kind: AttrKind::Dim, default: Value::Int(-1), any: false };
        let split = Split { dim: 0, gate: Gate::Right, pattern: Pattern::Interleaved };
        OpDef {
            name: "Turned".into(),
            inputs: vec![of("x")].into(),
            outputs: vec![of("dx")].into(),
            attrs: vec![dim].into(),
            split: Some(split),
            dtypes: vec![DType::F32].into(),
            empty: true,
            specs: vec![Spec::of(Graph { nodes: vec![].into(), outputs: vec![].into() })].into(),
            ..OpDef::default()
        }
    }

    /// Returns the number of staged streams, and whether the job consists of plain rows (the fast path).
    fn staged(strides: [[isize; 2]; 2], dim: i64) -> (usize, bool) {
        let (def, kernels) = (turned(), Kernels::of::<Turned, 2, 0, 2>());
        let (x, mut dx) = ([0f32; 16 * 1000], [0f32; 16 * 1000]);
        let inputs = [View::strided(&x, &[4, 800], &strides[0], 0).expect("a view")];
        let outputs = [ViewMut::strided(&mut dx, &[4, 800], &strides[1], 0).expect("a view")];
        let mut bound = Bound::default();
        bind_to(&mut bound, &def, &[Value::Int(dim)], &inputs).expect("an operator");
        let call = Call {
            def: &def,
            bound: &bound,
            kernels: &kernels,
            inputs: &inputs,
            outputs: &outputs,
        };
        let (kernel, level) = (kernels.get(DType::F32, Level::best()), Level::best());
        let converters = converters(level).expect("of this machine");
        let (kernel, dtype) = (kernel.expect("of this machine"), DType::F32);
        let mut job = Job::new(&bound, dtype, kernel, converters, level);
        build_streams(&mut job, &call).expect("streams");
        (Boxes::new(&mut job, 1).staging.count, job.is_plain())
    }

    /// Tests a call of an operator without kernels, as build scripts have it.
    #[test]
    fn without_kernels_a_call_says_why() {
        let op = Operator::new(turned(), &[], None);
        let (x, mut dx) = ([1f32; 8], [7f32; 8]);
        let inputs = [View::new(&x, &[2, 4]).expect("a view")];
        let mut outputs = [ViewMut::new(&mut dx, &[2, 4]).expect("a view")];
        let got = op.run(&[Value::Int(1)], &inputs, &mut outputs, &Options::default());
        let why = got.expect_err("no kernels").to_string();
        assert!(
            why.ends_with("(there are none in a build script, or with `kernels = false`)"),
            "{why}"
        );
        assert!(op.floor().is_none());
        assert_eq!(dx, [7.0; 8]);
    }

    /// An operator without kernels may have more inputs than kernels can.
    #[test]
    fn calls_in_place_refuse_more_inputs_than_kernels_have() {
        let mut def = turned();
        let (x, dx) = (def.inputs[0].clone(), def.outputs[0].clone());
        def.inputs = vec![x; MAX_STREAMS + 4].into();
        (def.outputs, def.updates) = (vec![dx].into(), vec![0].into());
        let op = Operator::new(def, &[], None);
        let (x, mut dx) = ([1f32; 8], [7f32; 8]);
        let others = [View::new(&x, &[2, 4]).expect("a view"); MAX_STREAMS + 3];
        let mut updated = [ViewMut::new(&mut dx, &[2, 4]).expect("a view")];
        let got = op.run_in_place(&[Value::Int(1)], &others, &mut updated, &Options::default());
        assert!(got.is_err() && dx == [7.0; 8]);
    }

    #[test]
    fn parts_that_take_turns_are_walked_where_they_are() {
        let (dense, padded, apart, columns) = ([800, 1], [900, 1], [2000, 2], [1, 4]);
        assert_eq!(staged([dense, dense], 1), (0, true));
        assert_eq!(staged([dense, dense], 0), (0, true));
        assert_eq!(staged([padded, dense], 1), (0, false));
        assert_eq!(staged([padded, padded], 0), (0, false));
        assert_eq!(staged([apart, dense], 1), (2, false));
        assert_eq!(staged([apart, apart], 1), (4, false));
        assert_eq!(staged([columns, dense], 1), (2, false));
    }
}
