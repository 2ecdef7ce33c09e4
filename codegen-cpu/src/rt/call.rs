//! Calling an operator: attributes and views in, checked streams out to the driver.

use super::block::{Kernels, MAX_SCALARS, MAX_STREAMS};
use super::dense;
use super::driver;
use super::error::Error;
use super::floor::floor_kernels;
use super::overlap::{extent, identical, may_overlap};
use super::plan::{Job, Stream};
use super::simd::Level;
use super::view::{Raw, View, ViewMut};
use op_dsl_ir::bind::{self, Bound, MAX_RANK, OutputMeta, TensorMeta, bind_to};
use op_dsl_ir::op::{AttrKind, Kind, OpDef, Part, Tensor, Value};
use std::borrow::Cow;

/// An operator that can run: what it is, and its kernels.
///
/// A call relies on what it checked of both, so neither changes behind its back:
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
    oracle: Oracle,
}

/// One element for an [`Oracle`].
#[derive(Clone, Copy, Debug)]
pub struct OracleInput<'a> {
    /// One value per input stream, in the order of [`OpDef::input_streams`].
    pub streams: &'a [f64],
    /// One value per attribute.
    pub attrs: &'a [Value],
}

/// The value of every output stream for one element, in f64.
pub type Oracle = fn(&OracleInput<'_>) -> Vec<f64>;

/// How to run a call. No choice changes a bit of the result, except the level between those with
/// and without a fused multiply-add.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How many threads share the work; 0 asks for as many as pay, 1 for the calling thread only.
    pub threads: usize,
    /// The SIMD level; `None` is the best this CPU has.
    pub level: Option<Level>,
    /// Whether stores go past the caches; `None` lets the size of the outputs decide.
    pub streaming: Option<bool>,
}

impl Operator {
    /// What an expansion makes: a definition, the kernels of each of its specialisations in their order, and the
    /// author's own formula in f64.
    ///
    /// Whether definition and kernels belong together is asked in every call.
    pub const fn new(def: OpDef, kernels: &'static [Kernels], oracle: Oracle) -> Operator {
        Operator { def, kernels: Cow::Borrowed(kernels), oracle }
    }

    /// Its tensors, attributes and graphs.
    pub const fn def(&self) -> &OpDef {
        &self.def
    }

    /// The same kernels and formula under a changed definition: other names, element types or shape rules.
    pub fn redefined(&self, change: impl FnOnce(&mut OpDef)) -> Operator {
        let mut other = self.clone();
        change(&mut other.def);
        other
    }

    /// The author's own formula on one element, in f64: the value of every output stream.
    pub fn oracle(&self, input: &OracleInput<'_>) -> Vec<f64> {
        (self.oracle)(input)
    }

    /// Its name: `GeGluGradV2`.
    pub fn name(&self) -> &str {
        &self.def.name
    }

    /// The attributes when the caller gives none.
    pub fn default_attrs(&self) -> Vec<Value> {
        self.def.attrs.iter().map(|a| a.default).collect()
    }

    /// The same tensors, attributes and driver with next to no arithmetic, whatever the attributes'
    /// values: what memory alone would cost. `None` if it has more streams than there are
    /// such kernels for.
    pub fn floor(&self) -> Option<Operator> {
        let streams = |tensors: &[Tensor]| tensors.iter().map(|t| t.kind.parts().len()).sum();
        let kernels = floor_kernels(streams(&self.def.inputs), streams(&self.def.outputs))?;
        let mut floor = self.clone();
        floor.def.specs.to_mut().truncate(1);
        floor.def.specs.to_mut().first_mut()?.when = Vec::new().into();
        floor.kernels = Cow::Owned(vec![kernels.reading_as(self.kernels.first()?)]);
        Some(floor)
    }

    /// Reads an attribute from text: its index and value. Enums go by name or number, booleans
    /// by `true`, `false`, `1` or `0`.
    ///
    /// # Errors
    /// There is no such attribute, or the text is not one of its values.
    pub fn parse_attr(&self, name: &str, text: &str) -> Result<(usize, Value), Error> {
        Ok(bind::parse_attr(&self.def, name, text)?)
    }

    /// Shapes and element types of the outputs, for callers that allocate them.
    ///
    /// # Errors
    /// What is wrong with attributes, shapes or element types.
    pub fn infer(
        &self,
        attrs: &[Value],
        inputs: &[TensorMeta<'_>],
    ) -> Result<Vec<OutputMeta>, Error> {
        Ok(bind::infer(&self.def, attrs, inputs)?)
    }

    /// Computes the outputs from the inputs, both in the order of the signature.
    ///
    /// An output may be one of the inputs (or the part of a gated input that it takes the place
    /// of): then the operator works in place.
    ///
    /// # Errors
    /// Names the operator, the argument, what is wrong with it and what is allowed; nothing has
    /// been written then.
    pub fn run(
        &self,
        attrs: &[Value],
        inputs: &[View<'_>],
        outputs: &mut [ViewMut<'_>],
        options: &Options,
    ) -> Result<(), Error> {
        let mut bound = Bound::default();
        bind_to(&mut bound, &self.def, attrs, inputs)?;
        bind::check_outputs(&self.def, &bound, outputs)?;
        let level = self.level(options)?;
        let kernels = self.kernels_of(&bound)?;
        if bound.domain.contains(&0) {
            return Ok(());
        }
        let mut job = Job::new(&bound, kernels, level);
        for value in attrs {
            if let Value::Float(v) = value {
                // No payload: see `Isa::bf16_narrow`.
                job.add_scalar(if v.is_nan() { f32::NAN } else { *v as f32 });
            }
        }
        if !dense::lay(&mut job, &self.def, &bound, kernels, inputs, outputs) {
            self.add_streams(&mut job, &bound, kernels, inputs, outputs);
            job.in_place = self.check_overlap(&job, kernels, inputs, outputs)?;
            job.collapse();
        }
        driver::run(&mut job, options);
        Ok(())
    }

    fn level(&self, options: &Options) -> Result<Level, Error> {
        match options.level {
            Some(level) if level != Level::best() && !level.is_available() => {
                let names = Level::ALL.iter().filter(|l| l.is_available()).map(|l| l.name());
                let available = names.collect::<Vec<_>>().join(", ");
                Err(Error::Level { op: self.def.name.to_string(), level, available })
            }
            Some(level) => Ok(level),
            None => Ok(Level::best()),
        }
    }

    /// The kernels that the attributes pick, held against the description: what follows relies
    /// on their numbers of streams.
    fn kernels_of(&self, bound: &Bound) -> Result<&Kernels, Error> {
        let wrong = |what| Error::Kernels { op: self.def.name.to_string(), what };
        let count =
            |tensors: &[Tensor]| tensors.iter().map(|t| t.kind.parts().len()).sum::<usize>();
        let (inputs, outputs) = (count(&self.def.inputs), count(&self.def.outputs));
        let floats = self.def.attrs.iter().filter(|a| a.kind == AttrKind::Float).count();
        let kernels = self.kernels.get(bound.spec).ok_or_else(|| wrong("specialisations"))?;
        match () {
            _ if kernels.inputs() != inputs => Err(wrong("input streams")),
            _ if kernels.outputs() != outputs => Err(wrong("output streams")),
            _ if kernels.scalars() > floats || floats > MAX_SCALARS => Err(wrong("scalars")),
            _ if inputs + outputs > MAX_STREAMS => Err(wrong("too many streams")),
            _ if self.def.split.is_none()
                && self
                    .def
                    .inputs
                    .iter()
                    .chain(&*self.def.outputs)
                    .any(|t| t.kind == Kind::Gated) =>
            {
                Err(wrong("a gated tensor without a split"))
            }
            _ => Ok(kernels),
        }
    }

    fn add_streams(
        &self,
        job: &mut Job,
        bound: &Bound,
        kernels: &Kernels,
        inputs: &[View<'_>],
        outputs: &[ViewMut<'_>],
    ) {
        for (tensor, view) in self.def.inputs.iter().zip(inputs) {
            for &part in tensor.kind.parts() {
                job.add_input(lay(view.raw(), bound, part));
            }
        }
        // An input that the kernel does not read may lie anywhere, so it costs nothing and overlaps nothing:
        // it becomes another name of one that is read.
        let read = kernels.reads().iter().position(|reads| *reads);
        for (k, _) in kernels.reads().iter().enumerate().filter(|(_, reads)| !**reads) {
            match read {
                Some(read) => job.alias_input(k, read),
                None => job.zero_input(k),
            }
        }
        for (tensor, view) in self.def.outputs.iter().zip(outputs) {
            for &part in tensor.kind.parts() {
                job.add_output(lay(view.raw(), bound, part));
            }
        }
    }

    /// Whether an output is an input.
    fn check_overlap(
        &self,
        job: &Job,
        kernels: &Kernels,
        inputs: &[View<'_>],
        outputs: &[ViewMut<'_>],
    ) -> Result<bool, Error> {
        let op = || self.def.name.to_string();
        let mut in_place = false;
        let mut extents = [(0, 0); MAX_STREAMS];
        for (e, s) in extents.iter_mut().zip(job.streams()) {
            *e = extent(s, job.sizes());
        }
        let meet = |a: usize, b: usize| {
            let stream = |k: usize| (&job.streams()[k], extents[k]);
            may_overlap(stream(a), stream(b), job.sizes())
        };
        let first_out = job.input_count();
        let (mut o, all_outs) = (0, job.outputs());
        for (tensor, out) in self.def.outputs.iter().zip(outputs) {
            let outs = &all_outs[o..o + tensor.kind.parts().len()];
            // The parts of one tensor never share elements: a view to write has each only once.
            for p in 0..o {
                let other = |q: &usize| meet(first_out + p, first_out + o + q);
                if let Some(q) = (0..outs.len()).find(other) {
                    let mut names = self.def.output_names();
                    let (second, first) = (names.swap_remove(o + q), names.swap_remove(p));
                    return Err(Error::OutputOverlap { op: op(), first, second });
                }
            }
            let mut i = 0;
            for (source, input) in self.def.inputs.iter().zip(inputs) {
                let ins = &job.inputs()[i..i + source.kind.parts().len()];
                // The parts of a tensor that are not read have no place to overlap.
                let reads = &kernels.reads()[i..i + ins.len()];
                if reads.contains(&true) {
                    let same = source.kind == tensor.kind && input.raw().is(out.raw());
                    in_place |= same;
                    for (a, b) in (0..ins.len()).flat_map(|a| (0..outs.len()).map(move |b| (a, b)))
                    {
                        if same || !reads[a] {
                            continue; // part by part
                        } else if identical(&ins[a], &outs[b]) {
                            in_place = true;
                        } else if meet(i + a, first_out + o + b) {
                            let output = self.def.output_names().swap_remove(o + b);
                            let input = self.def.input_names().swap_remove(i + a);
                            return Err(Error::Overlap { op: op(), output, input });
                        }
                    }
                }
                i += ins.len();
            }
            o += outs.len();
        }
        Ok(in_place)
    }
}

/// Lays the elements of a part of a tensor over the domain.
#[inline]
fn lay(raw: &Raw, bound: &Bound, part: Part) -> Stream {
    let size = raw.dtype.size() as isize;
    let lead = bound.domain.len() - raw.shape.len(); // broadcast aligns innermost dimensions
    let mut s = Stream { ptr: raw.ptr, dtype: raw.dtype, strides: [0; MAX_RANK] };
    for (i, (&n, &stride)) in raw.shape.iter().zip(&raw.strides).enumerate() {
        // A dimension of one element has whatever stride it likes; it may even overflow.
        if n > 1 && bound.domain[lead + i] > 1 {
            s.strides[lead + i] = stride * size;
        }
    }
    if let (Some(split), Part::Gate | Part::Value) = (bound.split, part) {
        let (at, place) = (split.dim - lead, bound.place(part));
        s.strides[split.dim] *= place.step as isize;
        let bytes = raw.strides[at] * size * place.offset as isize;
        // `offset` is an index within the tensor; the domain is not empty, so it is an element.
        s.ptr = s.ptr.wrapping_offset(bytes);
    }
    s
}
