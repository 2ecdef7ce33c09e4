//! Calling an operator: attributes and views in, checked streams out to the driver.

use super::block::{Kernels, MAX_SCALARS, MAX_STREAMS};
use super::driver;
use super::error::Error;
use super::floor::floor_kernels;
use super::overlap::{identical, may_overlap};
use super::plan::{Job, Stream};
use super::simd::Level;
use super::view::{Raw, View, ViewMut};
use op_dsl_ir::bind::{self, Bound, MAX_RANK, OutputMeta, TensorMeta, bind};
use op_dsl_ir::op::{AttrKind, Kind, OpDef, Part, Tensor, Value};
use op_dsl_ir::{DType, bind::BindError};

/// An operator that can run: what it is, and its kernels.
#[derive(Clone, Debug)]
pub struct Operator {
    /// Its tensors, attributes and graphs.
    pub def: OpDef,
    /// The kernels of each specialisation, in the order of `def.specs`.
    pub kernels: &'static [Kernels],
    /// The author's own formula in f64.
    pub oracle: Oracle,
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
        let streams = |tensors: &[Tensor]| tensors.iter().map(|t| parts(t.kind).len()).sum();
        let kernels = floor_kernels(streams(&self.def.inputs), streams(&self.def.outputs))?;
        let mut floor = self.clone();
        floor.def.specs.to_mut().truncate(1);
        floor.def.specs.to_mut().first_mut()?.when = Vec::new().into();
        floor.kernels = core::slice::from_ref(kernels);
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
        let bound = self.bind(attrs, inputs, outputs)?;
        let level = self.level(options)?;
        let kernels = self.kernels_of(&bound)?;
        if bound.domain.contains(&0) {
            return Ok(());
        }
        let mut job = Job::new(&bound, kernels, level);
        for value in attrs {
            if let Value::Float(v) = value {
                job.add_scalar(*v as f32);
            }
        }
        self.add_streams(&mut job, &bound, inputs, outputs);
        job.in_place = self.check_overlap(&job)?;
        driver::run(&mut job, options);
        Ok(())
    }

    fn bind(
        &self,
        attrs: &[Value],
        inputs: &[View<'_>],
        outputs: &[ViewMut<'_>],
    ) -> Result<Bound, BindError> {
        const NONE: TensorMeta<'static> = TensorMeta { shape: &[], dtype: DType::F32 };
        let mut few = [NONE; MAX_STREAMS];
        let mut many = Vec::new(); // no operator has so many tensors: on the way to an error
        let metas = list(&mut few, &mut many, inputs.iter().map(|v| v.meta()));
        let bound = bind(&self.def, attrs, metas)?;
        let mut few = [NONE; MAX_STREAMS];
        let mut many = Vec::new();
        let metas = list(&mut few, &mut many, outputs.iter().map(|v| v.meta()));
        bind::check_outputs(&self.def, &bound, metas)?;
        Ok(bound)
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
    fn kernels_of(&self, bound: &Bound) -> Result<&'static Kernels, Error> {
        let wrong = |what| Error::Kernels { op: self.def.name.to_string(), what };
        let count = |tensors: &[Tensor]| tensors.iter().map(|t| parts(t.kind).len()).sum::<usize>();
        let (inputs, outputs) = (count(&self.def.inputs), count(&self.def.outputs));
        let floats = self.def.attrs.iter().filter(|a| a.kind == AttrKind::Float).count();
        let kernels = self.kernels.get(bound.spec).ok_or_else(|| wrong("specialisations"))?;
        match () {
            _ if kernels.inputs != inputs => Err(wrong("input streams")),
            _ if kernels.outputs != outputs => Err(wrong("output streams")),
            _ if kernels.scalars > floats || floats > MAX_SCALARS => Err(wrong("scalars")),
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
        inputs: &[View<'_>],
        outputs: &[ViewMut<'_>],
    ) {
        let mut used = None;
        for (tensor, view) in self.def.inputs.iter().zip(inputs) {
            for &part in parts(tensor.kind) {
                let s = stream(view.raw(), bound, part);
                used = used.or(tensor.used.then_some(s));
                job.add_input(s);
            }
        }
        // An input that no formula reads may lie anywhere, so it costs nothing and overlaps
        // nothing: it becomes another name of one that is read.
        let mut k = 0;
        for tensor in self.def.inputs.iter() {
            for _ in parts(tensor.kind) {
                if let (false, Some(s)) = (tensor.used, used) {
                    job.set_input(k, s);
                }
                k += 1;
            }
        }
        for (tensor, view) in self.def.outputs.iter().zip(outputs) {
            for &part in parts(tensor.kind) {
                job.add_output(stream(view.raw(), bound, part));
            }
        }
    }

    /// Whether an output is an input.
    fn check_overlap(&self, job: &Job) -> Result<bool, Error> {
        let sizes = job.sizes();
        let op = || self.def.name.to_string();
        let mut in_place = false;
        for (o, out) in job.outputs().iter().enumerate() {
            for (i, input) in job.inputs().iter().enumerate() {
                if identical(input, out) {
                    in_place = true;
                } else if may_overlap(input, out, sizes) {
                    let output = self.def.output_names().swap_remove(o);
                    let input = self.def.input_names().swap_remove(i);
                    return Err(Error::Overlap { op: op(), output, input });
                }
            }
            for (p, other) in job.outputs()[..o].iter().enumerate() {
                if may_overlap(other, out, sizes) {
                    let mut names = self.def.output_names();
                    let (second, first) = (names.swap_remove(o), names.swap_remove(p));
                    return Err(Error::OutputOverlap { op: op(), first, second });
                }
            }
        }
        Ok(in_place)
    }
}

/// Collects into the array, or into the vector if the array is too short.
fn list<'s, T: Copy>(
    few: &'s mut [T],
    many: &'s mut Vec<T>,
    items: impl ExactSizeIterator<Item = T>,
) -> &'s [T] {
    let n = items.len();
    if n > few.len() {
        many.extend(items);
        return many;
    }
    for (slot, item) in few.iter_mut().zip(items) {
        *slot = item;
    }
    &few[..n]
}

fn parts(kind: Kind) -> &'static [Part] {
    match kind {
        Kind::Whole => &[Part::Whole],
        Kind::Gated => &[Part::Gate, Part::Value],
    }
}

/// The elements of a part of a tensor, laid over the domain.
fn stream(raw: &Raw, bound: &Bound, part: Part) -> Stream {
    let size = raw.dtype.size() as isize;
    let rank = bound.domain.len();
    let lead = rank - raw.shape.len(); // broadcast aligns innermost dimensions
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
