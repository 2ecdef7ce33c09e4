//! Shared helpers of the tests that cross crates.
//!
//! They call any operator of the table on generated data and compare the results with the graph in f64.
#![allow(dead_code, missing_docs)] // each test binary uses only a part

use half::{bf16, f16};
use op_dsl::ir::bind::{OutputMeta, TensorMeta};
use op_dsl::ir::op::{AttrKind, Gate, Kind, Origin, Part, Pattern, Spec, Stream, Value};
use op_dsl::ir::{DType, Stored};
use op_dsl::{Operator, Options, View, ViewMut};
use op_dsl_ir::format::Format;

/// A small, fast random number generator with the same numbers on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a uniform number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns an approximately normal number with a standard deviation of `sigma`.
    pub fn normal(&mut self, sigma: f64) -> f64 {
        // The sum of twelve 32-bit numbers, two per draw, is approximately normal.
        let halves = |b: u64| (b >> 32) + (b & 0xffff_ffff);
        let sum: u64 = (0..6).map(|_| halves(self.bits())).sum();
        (sum as f64 / 4_294_967_296.0 - 6.0) * sigma
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
}

/// A dense tensor of any element type.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub shape: Vec<usize>,
    pub data: Data,
}

#[derive(Clone, Debug)]
pub enum Data {
    F16(Vec<f16>),
    Bf16(Vec<bf16>),
    F32(Vec<f32>),
    /// Elements of a mask, one byte each.
    Mask(Vec<u8>),
    /// Counts of rows.
    Counts(Vec<i64>),
    /// An optional tensor that the call omits.
    Nothing,
}

/// Compares bit by bit, so that equal NaNs are equal.
impl PartialEq for Data {
    fn eq(&self, other: &Data) -> bool {
        match (self, other) {
            (Data::F16(a), Data::F16(b)) => {
                a.iter().map(|v| v.to_bits()).eq(b.iter().map(|v| v.to_bits()))
            }
            (Data::Bf16(a), Data::Bf16(b)) => {
                a.iter().map(|v| v.to_bits()).eq(b.iter().map(|v| v.to_bits()))
            }
            (Data::F32(a), Data::F32(b)) => {
                a.iter().map(|v| v.to_bits()).eq(b.iter().map(|v| v.to_bits()))
            }
            (Data::Mask(a), Data::Mask(b)) => a == b,
            (Data::Counts(a), Data::Counts(b)) => a == b,
            _ => false,
        }
    }
}

impl Tensor {
    pub fn new(shape: &[usize], dtype: DType, mut value: impl FnMut() -> f64) -> Tensor {
        let n = shape.iter().product();
        let data = match dtype {
            DType::F16 => Data::F16((0..n).map(|_| f16::from_f64(value())).collect()),
            DType::BF16 => Data::Bf16((0..n).map(|_| bf16::from_f64(value())).collect()),
            DType::F32 => Data::F32((0..n).map(|_| value() as f32).collect()),
        };
        Tensor { shape: shape.to_vec(), data }
    }

    /// Returns a mask that is true where `value` is above 0; true is one of several nonzero bytes.
    pub fn mask(shape: &[usize], mut value: impl FnMut() -> f64) -> Tensor {
        let byte = |i: usize| if value() > 0.0 { [1, 255, 128, 2][i % 4] } else { 0 };
        let n: usize = shape.iter().product();
        Tensor { shape: shape.to_vec(), data: Data::Mask((0..n).map(byte).collect()) }
    }

    pub fn stored(&self) -> Stored {
        match self.data {
            Data::F16(_) => DType::F16.into(),
            Data::Bf16(_) => DType::BF16.into(),
            Data::F32(_) => DType::F32.into(),
            Data::Mask(_) => Stored::Byte,
            Data::Counts(_) => Stored::Int64,
            Data::Nothing => Stored::Nothing,
        }
    }

    /// Returns the element type of a tensor of numbers.
    pub fn dtype(&self) -> DType {
        self.stored().number().expect("numbers")
    }

    pub fn at(&self, i: usize) -> f64 {
        match &self.data {
            Data::F16(v) => v[i].to_f64(),
            Data::Bf16(v) => v[i].to_f64(),
            Data::F32(v) => v[i].into(),
            Data::Mask(v) => f64::from(v[i] != 0),
            Data::Counts(v) => v[i] as f64,
            Data::Nothing => f64::NAN,
        }
    }

    pub fn set(&mut self, i: usize, value: f64) {
        match &mut self.data {
            Data::F16(v) => v[i] = f16::from_f64(value),
            Data::Bf16(v) => v[i] = bf16::from_f64(value),
            Data::F32(v) => v[i] = value as f32,
            Data::Mask(v) => v[i] = u8::from(value != 0.0),
            Data::Counts(v) => v[i] = value as i64,
            Data::Nothing => {}
        }
    }

    pub fn meta(&self) -> TensorMeta<'_> {
        TensorMeta { shape: &self.shape, dtype: self.stored() }
    }

    pub fn view(&self) -> View<'_> {
        let view = match &self.data {
            Data::F16(v) => View::new(v, &self.shape),
            Data::Bf16(v) => View::new(v, &self.shape),
            Data::F32(v) => View::new(v, &self.shape),
            Data::Mask(v) => View::new(v, &self.shape),
            Data::Counts(v) => View::new(v, &self.shape),
            Data::Nothing => Ok(View::ABSENT),
        };
        view.expect("a dense tensor")
    }

    pub fn view_mut(&mut self) -> ViewMut<'_> {
        let view = match &mut self.data {
            Data::F16(v) => ViewMut::new(v, &self.shape),
            Data::Bf16(v) => ViewMut::new(v, &self.shape),
            Data::F32(v) => ViewMut::new(v, &self.shape),
            Data::Mask(_) | Data::Counts(_) | Data::Nothing => panic!("no output"),
        };
        view.expect("a dense tensor")
    }
}

/// Returns the defaults of all attributes, including those of optional inputs, which are omitted.
pub fn all_defaults(op: &Operator) -> Vec<Value> {
    op.def().attrs.iter().map(|a| a.default).collect()
}

/// Returns whether an input is given, by the attribute that says so.
///
/// An attribute beyond the end of `attrs` counts as false.
pub fn is_given(op: &Operator, attrs: &[Value], input: usize) -> bool {
    op.def().presence(input).is_none_or(|at| attrs.get(at) == Some(&Value::Bool(true)))
}

/// Returns every combination of an operator's enum and boolean attributes.
///
/// Optional inputs are both given and omitted. `dim` keeps its default.
pub fn attribute_values(op: &Operator) -> Vec<Vec<Value>> {
    let mut all = vec![all_defaults(op)];
    for (i, attr) in op.def().attrs.iter().enumerate() {
        let values: Vec<Value> = match &attr.kind {
            AttrKind::Bool | AttrKind::Given(_) => vec![Value::Bool(false), Value::Bool(true)],
            AttrKind::Enum { variants, .. } => {
                variants.iter().map(|v| Value::Int(v.value)).collect()
            }
            _ => continue,
        };
        all = all
            .into_iter()
            .flat_map(|attrs| {
                values.iter().map(move |v| {
                    let mut attrs = attrs.clone();
                    attrs[i] = *v;
                    attrs
                })
            })
            .collect();
    }
    all
}

/// Returns the run-time scalars among the attributes, in the order of graphs. Attributes are f32.
pub fn scalars(attrs: &[Value]) -> Vec<f64> {
    let float = |v: &Value| match v {
        Value::Float(v) => Some(f64::from(*v as f32)),
        _ => None,
    };
    attrs.iter().filter_map(float).collect()
}

/// Returns the operators that are tested in full: at every level, size, rank and product.
///
/// `family.rs` tests what only other operators have, for example second derivatives.
pub fn thorough() -> Vec<&'static Operator> {
    let mut all = [ops_glu_grad::glu::OPERATORS, ops_glu_grad::gelu::OPERATORS].concat();
    all.retain(|op| !is_second(op));
    all
}

/// Returns whether an operator is a second derivative.
pub fn is_second(op: &Operator) -> bool {
    let of = |name: &str| ops_glu_grad::OPERATORS.iter().find(|o| o.name() == name);
    let forward = op.def().forward().and_then(of);
    forward.is_some_and(|forward| forward.def().forward().is_some())
}

/// Returns the index of the attribute with the split dimension.
pub fn dim_attr(op: &Operator) -> Option<usize> {
    op.def().split.as_ref().map(|s| s.dim)
}

/// Returns the input tensors of an operator over a domain (the shape of `dy`).
///
/// They are filled by `value`, which gets the tensor's name. A domain of one dimension gets another of 1 ahead if an input lies along
/// one that it lacks.
pub fn inputs(
    op: &Operator,
    attrs: &[Value],
    domain: &[usize],
    dtype: DType,
    mut value: impl FnMut(&str) -> f64,
) -> Vec<Tensor> {
    let dim = split_dim(op, attrs, domain.len());
    let make = |(i, t): (usize, &op_dsl::ir::op::Tensor)| {
        // Counts of rows are omitted, because they have tests of their own.
        if !is_given(op, attrs, i) || t.kind == Kind::Rows {
            return Tensor { shape: Vec::new(), data: Data::Nothing };
        }
        let is_row = domain.len() == 1 && !op.def().along.is_empty();
        let mut shape = if is_row { vec![1, domain[0]] } else { domain.to_vec() };
        if let (Kind::Gated, Some(d)) = (t.kind, dim) {
            shape[d] *= 2;
        }
        if let (Kind::PerRow, Some(last)) = (t.kind, shape.last_mut()) {
            *last = 1;
        }
        match t.kind {
            Kind::Mask => Tensor::mask(&shape, || value(&t.name)),
            _ => Tensor::new(&shape, dtype, || value(&t.name)),
        }
    };
    op.def().inputs.iter().enumerate().map(make).collect()
}

pub fn split_dim(op: &Operator, attrs: &[Value], rank: usize) -> Option<usize> {
    let dim = attrs[dim_attr(op)?].as_int()?;
    Some(if dim < 0 { (dim + rank as i64) as usize } else { dim as usize })
}

/// Runs an operator and returns newly allocated outputs.
pub fn run(op: &Operator, attrs: &[Value], inputs: &[Tensor], options: &Options) -> Vec<Tensor> {
    let metas: Vec<TensorMeta> = inputs.iter().map(Tensor::meta).collect();
    let outputs = op.infer(attrs, &metas).unwrap_or_else(|e| panic!("{e}"));
    let empty = |m: &OutputMeta| {
        let dtype = m.dtype.number().expect("a float that kernels compute with");
        Tensor::new(&m.shape, dtype, || f64::NAN)
    };
    let mut outputs: Vec<Tensor> = outputs.iter().map(empty).collect();
    {
        let views: Vec<View> = inputs.iter().map(Tensor::view).collect();
        let mut outs: Vec<ViewMut> = outputs.iter_mut().map(Tensor::view_mut).collect();
        op.run(attrs, &views, &mut outs, options).unwrap_or_else(|e| panic!("{e}"));
    }
    outputs
}

/// Maps elements of the domain to positions in a tensor, for one of its streams.
pub struct Places {
    /// For a gated tensor: the length of its contiguous parts, and whether the stream is the second part.
    ///
    /// The order is gate, value or the reverse.
    parts: Option<(usize, bool)>,
}

impl Places {
    pub fn new(op: &Operator, attrs: &[Value], stream: Stream, domain: &[usize]) -> Places {
        let gate_left = match op.def().split.as_ref().map(|s| s.gate) {
            Some(Gate::Left) => true,
            Some(Gate::LeftIf(a)) => attrs[a] == Value::Bool(true),
            _ => false,
        };
        let second = match stream.part {
            Part::Whole => return Places { parts: None },
            Part::Gate => !gate_left,
            Part::Value => gate_left,
        };
        let Some(dim) = split_dim(op, attrs, domain.len()) else { return Places { parts: None } };
        let inner: usize = domain[dim + 1..].iter().product();
        let interleaved = match op.def().split.as_ref().map(|s| s.pattern) {
            Some(Pattern::Interleaved) => true,
            Some(Pattern::InterleavedIf(a)) => attrs[a] == Value::Bool(true),
            _ => false,
        };
        let part = if interleaved { inner } else { domain[dim] * inner };
        Places { parts: Some((part, second)) }
    }

    /// Returns the position of element `i`.
    pub fn of(&self, i: usize) -> usize {
        let Some((part, second)) = self.parts else { return i };
        let (outer, rest) = (i / part, i % part);
        outer * 2 * part + usize::from(second) * part + rest
    }
}

/// Returns the position of element `i` of the domain in a tensor, for one of its streams.
pub fn place(op: &Operator, attrs: &[Value], stream: Stream, domain: &[usize], i: usize) -> usize {
    Places::new(op, attrs, stream, domain).of(i)
}

/// Returns the values of all input streams for one element of the domain.
pub fn element(
    op: &Operator,
    attrs: &[Value],
    ins: &[Tensor],
    domain: &[usize],
    i: usize,
) -> Vec<f64> {
    let of = |s: Stream| ins[s.tensor].at(place(op, attrs, s, domain, i));
    op.def().input_streams().into_iter().map(of).collect()
}

/// Returns the forward operator of a gradient among `all`.
pub fn forward<'a>(all: &[&'a Operator], gradient: &Operator) -> Option<&'a Operator> {
    let name = gradient.def().forward()?;
    all.iter().copied().find(|op| op.name() == name)
}

/// Returns the origin of each input tensor of a gradient.
pub fn origins(gradient: &Operator) -> &[Origin] {
    gradient.def().grad_of.as_ref().map_or(&[], |of| &of.inputs)
}

/// Returns the attributes of the forward operator: those that the gradient has too, and defaults for the others.
fn attributes_of_forward(forward: &Operator, gradient: &Operator, attrs: &[Value]) -> Vec<Value> {
    let same = |name: &str| gradient.def().attrs.iter().position(|a| a.name == name);
    let value = |a: &op_dsl::ir::op::Attr| same(&a.name).map_or(a.default, |i| attrs[i]);
    forward.def().attrs.iter().map(value).collect()
}

/// Returns the values of a gradient's input streams.
///
/// `x` are the values of the forward operator's input streams, and `dy` the upstream gradients.
pub fn gradient_streams(
    forward: &Operator,
    gradient: &Operator,
    attrs: &[Value],
    x: &[f64],
    dy: f64,
) -> Vec<f64> {
    let attrs = attributes_of_forward(forward, gradient, attrs);
    let y = graph(forward, &attrs).eval(x, &scalars(&attrs));
    let (inputs, outputs) = (forward.def().input_streams(), forward.def().output_streams());
    let origins = origins(gradient);
    let value = |streams: &[Stream], values: &[f64], tensor, part| {
        let at = streams.iter().position(|s| *s == Stream { tensor, part });
        values[at.expect("a stream of the forward operator")]
    };
    let of = |s: Stream| match origins[s.tensor] {
        Origin::Input(t) => value(&inputs, x, t, s.part),
        Origin::Output(t) => value(&outputs, &y, t, s.part),
        Origin::Upstream(_) => dy,
        Origin::Own => 0.5,
    };
    gradient.def().input_streams().into_iter().map(of).collect()
}

/// Returns the specialisation that these attributes select.
pub fn spec<'a>(op: &'a Operator, attrs: &[Value]) -> &'a Spec {
    let value = |i: usize| attrs.get(i).copied().unwrap_or(op.def().attrs[i].default);
    let picked = |s: &&Spec| s.when.iter().all(|(i, v)| value(*i).as_int() == Some(*v));
    op.def().specs.iter().find(picked).expect("a specialisation")
}

/// Returns the graph of the specialisation that these attributes select.
pub fn graph<'a>(op: &'a Operator, attrs: &[Value]) -> &'a op_dsl::ir::Graph {
    &spec(op, attrs).graph
}

/// Returns the outputs for one element by a judge that shares nothing with the passes.
///
/// It is the author's own function, or for a derived gradient the reference evaluator.
pub fn judged(op: &Operator, attrs: &[Value], streams: &[f64]) -> Vec<f64> {
    let format = Format::of(DType::F32);
    let truth =
        || op_dsl_truth::outputs(spec(op, attrs), streams, &op.def().scalars(attrs), format);
    op.oracle(streams, attrs).unwrap_or_else(truth)
}

/// Returns one unit in the last place of `v`, or of `least` if that is larger.
pub fn ulp(dtype: DType, v: f64, least: f64) -> f64 {
    let (digits, lowest) = match dtype {
        DType::F16 => (10, -14),
        DType::BF16 => (7, -126),
        DType::F32 => (23, -126),
    };
    let magnitude = v.abs().max(least).max(f64::MIN_POSITIVE);
    // Computes the exponent and the power of two from the bits of normal numbers.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(lowest);
    f64::from_bits(((exponent - digits + 1023) as u64) << 52)
}
