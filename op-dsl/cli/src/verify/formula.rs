//! One specialisation with its attributes fixed, and the settings that it is swept in.

use super::converted;
use codegen_cpu::rt::call::Operator;
use codegen_cpu::rt::simd::Level;
use op_dsl_ir::format::Format;
use op_dsl_ir::op::{Accuracy, Attr, AttrKind, Derived, OpDef, Spec, Value};
use op_dsl_ir::roles::{self, Dependence, activation, dependence, rounds};
use op_dsl_ir::rounding::{self, BUDGET};
use op_dsl_ir::{DType, Graph, Id, Node, Prim, Stored};
use op_dsl_truth::crossing;

/// Value of factors (streams that results are proportional to) while another stream is swept.
pub const FACTOR: f64 = 1.0;
/// Values that the other non-linear input streams take while one is swept through its range.
const BESIDE: [f64; 3] = [0.5, -1.5, 3.0];
/// Factor by which float attributes differ from their defaults in additional sweeps.
const VARIED: f64 = 0.75;
/// Error in ULP that is within every f32 budget: up to it no zero crossing is searched near the result.
const PLAIN: f64 = 1.0;
/// As [`PLAIN`], for 16-bit types: up to this error in ULP no zero crossing is searched.
///
/// It is smaller than [`PLAIN`] because results that are not the nearest number are counted.
const NEAREST: f64 = 0.5;

/// Relative change of an argument of `round` that is no error.
///
/// It is a few roundings in f64, after which the argument may lie on the other side of a tie.
const TIE: f64 = 1.0 / (1u64 << 44) as f64;

/// One specialisation of an operator, and the settings that it is swept in.
pub struct Formula {
    pub op: &'static Operator,
    pub spec: &'static Spec,
    /// Name of the specialisation, for example `tanh`; `formula` if the operator has only one.
    pub mode: String,
    /// Input streams that results depend on in a non-linear way, else the activation; each is swept.
    pub applied: Vec<usize>,
    /// Input streams of masks; each is tried as false and true.
    pub masks: Vec<usize>,
    /// For each input stream, true if every result is proportional to it or independent of it.
    pub multiplies: Vec<bool>,
    /// For each input stream, the type that it has on its own, if any.
    own: Vec<Option<Stored>>,
    /// For each output stream, the type that it has on its own, or as a mask, if any.
    results: Vec<Option<Stored>>,
    /// For each input stream, the range that callers promise, `None` without a promise.
    pub ranges: Vec<Option<[f64; 2]>>,
    pub settings: Vec<Setting>,
    /// The specialisation with arguments of `round` that are off by [`TIE`], either way; empty if it has none.
    beside: Vec<Spec>,
}

/// Values of everything except the stream that is swept.
#[derive(Clone)]
pub struct Setting {
    /// Index of the input stream that is swept.
    pub swept: usize,
    /// Value of every input stream; the entry of the swept one is not used.
    pub streams: Vec<f64>,
    pub attrs: Vec<Value>,
}

impl Setting {
    /// Returns the value of every input stream for the value `x` of the swept one.
    pub fn at(&self, x: f64) -> Vec<f64> {
        with(&self.streams, self.swept, x)
    }
}

/// Returns the values of all streams with that of one stream replaced.
fn with(streams: &[f64], stream: usize, x: f64) -> Vec<f64> {
    let mut streams = streams.to_vec();
    streams[stream] = x;
    streams
}

/// Returns the value of every attribute: the one that the specialisation is for, else the default.
pub fn attributes(op: &Operator, spec: &Spec) -> Vec<Value> {
    let mut values: Vec<Value> = op.def().attrs.iter().map(|a| a.default).collect();
    for &(index, v) in spec.when.iter() {
        values[index] = op.def().attrs[index].kind.value(v);
    }
    values
}

/// Returns how the elements of an input are stored; `Stored::Nothing` if the attributes leave it out.
pub fn stored(def: &OpDef, attrs: &[Value], input: usize, dtype: DType) -> Stored {
    let is_given = def.presence(input).is_none_or(|at| attrs[at] == Value::Bool(true));
    if is_given { def.inputs[input].stored(dtype) } else { Stored::Nothing }
}

/// Returns the name of a specialisation: `tanh`, `flag=true`, or `formula` if it has no conditions.
pub fn mode(op: &Operator, spec: &Spec) -> String {
    let of = |&(index, v): &(usize, i64)| {
        let attr = &op.def().attrs[index];
        match &attr.kind {
            kind @ AttrKind::Enum { .. } => kind.text(Value::Int(v)),
            AttrKind::Given(_) if v != 0 => format!("with {}", attr.name),
            AttrKind::Given(_) => format!("without {}", attr.name),
            kind => format!("{}={}", attr.name, kind.text(kind.value(v))),
        }
    };
    let parts: Vec<String> = spec.when.iter().map(of).collect();
    if parts.is_empty() { "formula".into() } else { parts.join("+") }
}

impl Formula {
    pub fn new(op: &'static Operator, spec: &'static Spec) -> Formula {
        let mut attrs = attributes(op, spec);
        if let Some(split) = &op.def().split {
            attrs[split.dim] = Value::Int(0); // rows: see `Formula::row`
        }
        let streams = op.def().input_streams().len();
        let (masks, numbers): (Vec<usize>, Vec<usize>) =
            (0..streams).partition(|i| op.def().is_mask(*i));
        let is_applied = |i: &usize| dependence(&spec.graph, *i) == Dependence::Other;
        let mut applied: Vec<usize> = numbers.into_iter().filter(is_applied).collect();
        if applied.is_empty() {
            applied.push(activation(op.def()));
        }
        let settings = settings(op.def(), &applied, &masks, streams, &attrs);
        let multiplies = (0..streams).map(|k| roles::is_factor(&spec.graph, k)).collect();
        let ranges = op.def().stream_ranges();
        let (mode, beside) = (mode(op, spec), beside(spec));
        let own = op.def().own_types().take(streams).collect();
        let outputs = op.def().output_streams();
        let results = outputs.iter().map(|s| op.def().result_type(s.tensor)).collect();
        Formula {
            op,
            spec,
            mode,
            applied,
            masks,
            multiplies,
            own,
            results,
            ranges,
            settings,
            beside,
        }
    }

    /// Returns the type that an input stream has on its own; `None` if it has the element type of the call.
    pub fn own(&self, stream: usize) -> Option<Stored> {
        self.own[stream]
    }

    /// Returns the format of a result, in a call that computes in `dtype`; f32 if kernels convert the result.
    pub fn format(&self, output: usize, dtype: DType) -> Format {
        Format::of(self.result_type(output, dtype))
    }

    pub fn result_type(&self, output: usize, dtype: DType) -> DType {
        self.results[output].map_or(dtype, |own| own.number().unwrap_or(DType::F32))
    }

    /// Returns the format to the accuracy of which exact results are needed.
    pub fn most_exact(&self, dtype: DType) -> Format {
        let all = (0..self.results.len()).map(|k| self.result_type(k, dtype));
        Format::of(all.fold(dtype, DType::promote))
    }

    /// Returns the exact outputs for these values of the input streams.
    ///
    /// An output is `None` where the highest precision of the evaluation cannot decide its value.
    pub fn truth(&self, attrs: &[Value], streams: &[f64], format: Format) -> Vec<Option<f64>> {
        op_dsl_truth::decided(self.spec, streams, &self.op.def().scalars(attrs), format)
    }

    /// Returns whether a result is right although only one of result and exact value is NaN.
    ///
    /// It is right if arithmetic on the formula as written gives the same. Examples are NaN for `relu(-1) * inf`, whose limit
    /// is 0, and 0 for a NaN that `max` ignores. Where the author asks for f32 arithmetic, it gives infinities as written. `k` is the
    /// output, `got` the result and `want` the exact value.
    pub fn is_as_written(
        &self,
        attrs: &[Value],
        streams: &[f64],
        k: usize,
        [got, want]: [f64; 2],
    ) -> bool {
        let is_ignored = want.is_nan() && got == 0.0 && streams.iter().any(|x| x.is_nan());
        let written = || self.in_steps(attrs, streams, k);
        if self.op.def().accuracy == Accuracy::AsWritten && streams.iter().any(|x| !x.is_finite()) {
            let written = written();
            return got == written || got.is_nan() && written.is_nan();
        }
        is_ignored && written() == 0.0 || got.is_nan() && want == 0.0 && written().is_nan()
    }

    /// Returns whether the author asks for f32 arithmetic, and an intermediate value of output `k` of an element leaves the range
    /// of f32.
    pub fn leaves_f32(&self, attrs: &[Value], streams: &[f64], k: usize) -> bool {
        self.bound_in_f32(attrs, streams, k).is_some_and(f64::is_infinite)
    }

    /// Returns a bound of the error of output `k` of an element if the author asks for f32 arithmetic.
    fn bound_in_f32(&self, attrs: &[Value], streams: &[f64], k: usize) -> Option<f64> {
        let scalars = self.op.def().scalars(attrs);
        let bounds = || rounding::errors_in_f32(&self.spec.graph, streams, &scalars);
        (self.op.def().accuracy == Accuracy::AsWritten).then(|| bounds()[k])
    }

    /// Returns the least unit of errors of output `k` of an element: that of f32 at the [largest addend](rounding::largest_addends)
    /// of an operator of `accuracy = "fast"`, else 0.
    ///
    /// The addends are those of the formula as written, or as differentiated by the compiler.
    pub fn unit_of_addends(&self, attrs: &[Value], streams: &[f64], k: usize) -> f64 {
        if self.op.def().accuracy != Accuracy::Fast {
            return 0.0;
        }
        let scalars = self.op.def().scalars(attrs);
        let addend = rounding::largest_addends(&self.spec.traced, streams, &scalars)[k];
        if addend.is_finite() { Format::of(DType::F32).ulp(addend) } else { 0.0 }
    }

    /// Evaluates output `k` of an element by f64 arithmetic on the formula as written.
    ///
    /// For a gradient it is the formula as differentiated by the compiler.
    fn in_steps(&self, attrs: &[Value], streams: &[f64], k: usize) -> f64 {
        self.spec.traced.eval(streams, &self.op.def().scalars(attrs))[k]
    }

    /// Returns the error in ULP of output `k` of an element, whose result is `got` and exact value `want`.
    ///
    /// Near zero crossings the unit is that of [`crossing::scale`], except in 16-bit types. If the output is a sum of terms
    /// that cancel, the unit is not smaller than the rounding error of such a term in f64, and for `accuracy = "fast"` not smaller
    /// than that of the largest addend in f32. At a pole with opposite infinities
    /// on its sides, either infinity is right. Where the formula has no value as written, the limit from both sides is right. If the formula rounds numbers to integers, the exact result of arguments of
    /// `round` that are off by [`TIE`] is right as well.
    pub fn error(
        &self,
        (dtype, level): (DType, Level),
        attrs: &[Value],
        streams: &[f64],
        k: usize,
        [got, want]: [f64; 2],
    ) -> f64 {
        let format = self.format(k, dtype);
        if let Some(stored) = self.converted(k) {
            let beside = self.beside(&self.op.def().scalars(attrs), streams, k, format);
            let unit = self.unit_of_addends(attrs, streams, k) / Format::of(DType::F32).ulp(want);
            let off = self.budget_of(k, DType::F32, level) * unit.max(1.0);
            let all = beside.into_iter().chain([want]);
            return all
                .map(|want| converted::error(stored, got, want, off))
                .fold(f64::MAX, f64::min);
        }
        let error = format.error(got, want, 0.0);
        if error <= if format.is_narrow() { NEAREST } else { PLAIN } {
            return error;
        }
        if let Some(bound) = self.bound_in_f32(attrs, streams, k) {
            // An error within the bound is within the budget.
            let unit = if bound.is_finite() { bound / BUDGET } else { return 0.0 };
            return format.error(got, want, unit);
        }
        let addends = self.unit_of_addends(attrs, streams, k);
        if format.error(got, want, addends) <= PLAIN {
            return format.error(got, want, addends);
        }
        let moved = |stream: usize, x: f64| with(streams, stream, x);
        let varied = || {
            let all = 0..streams.len();
            all.filter(|k| !self.multiplies[*k] && !self.masks.contains(k))
        };
        let scalars = self.op.def().scalars(attrs);
        let beside = self.beside(&scalars, streams, k, format);
        let least = beside.iter().map(|want| format.error(got, *want, 0.0)).fold(error, f64::min);
        if least <= if format.is_narrow() { NEAREST } else { PLAIN } {
            return least;
        }
        if want.is_nan() && got.is_finite() {
            return self.error_of_limit(attrs, streams, k, got, format);
        }
        if want.is_infinite() && got.is_infinite() {
            let is_pole = |s: usize| {
                let x = streams[s];
                let sides = [x.next_down(), x.next_up()].map(|x| moved(s, x));
                let sides = sides.map(|beside| self.truth(attrs, &beside, format)[k]);
                sides.into_iter().flatten().any(|v| v * got > 0.0)
            };
            return if varied().any(is_pole) { 0.0 } else { error };
        }
        if !got.is_finite() {
            // Where several inputs make a pole of a derivative, as in `(x - t)^2 / v`, the chain rule may evaluate `0 /
            // 0`.
            let is_lost = got.is_nan() && want.is_infinite() && varied().nth(1).is_some();
            let is_read = is_lost && self.in_steps(attrs, streams, k).is_nan();
            return if is_read { 0.0 } else { error };
        }
        let value = |s: usize, x: f64| op_dsl_truth::roughly(self.spec, &moved(s, x), &scalars)[k];
        // A result `a + s b` is `a` where `s` is 0; arithmetic in f64 has rounded that `a`.
        let is_linear = |s: &usize| !self.applied.contains(s);
        let terms = varied().filter(is_linear).map(|s| value(s, 0.0).abs());
        let most = terms.filter(|term| term.is_finite()).fold(0.0, f64::max);
        let error = format.error(got, want, addends.max(f64::EPSILON * most));
        if format.is_narrow() || error <= PLAIN {
            return error;
        }
        let factor = self.factor(streams);
        let scales = varied().map(|s| {
            // A sum crosses zero where its terms cancel, however small they are, so that its values elsewhere give the
            // scale.
            let elsewhere = [0.0, 0.5, 2.0].map(|by| value(s, by * streams[s]).abs());
            let around = elsewhere.into_iter().fold(0.0, f64::max);
            crossing::scale(streams[s], factor.min(2.0 * around), |x| value(s, x))
        });
        match scales.fold(0.0, f64::max) {
            0.0 => error,
            scale => error.min(format.error(got, want, addends.max(format.ulp(scale)))),
        }
    }

    /// Returns the error in ULP of a finite result where the formula as written has no value, as `x / tanh(x)` at 0.
    ///
    /// It is the larger error compared with the values on both sides, along the stream for which that is least; infinite if one of
    /// these values is NaN for each stream.
    pub fn error_of_limit(
        &self,
        attrs: &[Value],
        streams: &[f64],
        k: usize,
        got: f64,
        format: Format,
    ) -> f64 {
        let error = |s: usize, x: f64| {
            let side = self.truth(attrs, &with(streams, s, x), format)[k];
            format.error(got, side.unwrap_or(f64::NAN), 0.0)
        };
        let sides = |s: usize| [streams[s].next_down(), streams[s].next_up()].map(|x| error(s, x));
        let varied = (0..streams.len()).filter(|s| !self.masks.contains(s));
        varied.map(|s| sides(s).into_iter().fold(0.0, f64::max)).fold(f64::INFINITY, f64::min)
    }

    /// Returns the type to which kernels convert a result; `None` if they compute in its type.
    pub fn converted(&self, output: usize) -> Option<Stored> {
        self.results[output].filter(|own| own.is_converted())
    }

    /// Returns the exact values of output `k` if arguments of `round` change by [`TIE`] either way; none if the formula does not
    /// round.
    pub fn beside(&self, scalars: &[f64], streams: &[f64], k: usize, format: Format) -> Vec<f64> {
        let value = |spec| op_dsl_truth::decided(spec, streams, scalars, format)[k];
        self.beside.iter().filter_map(value).collect()
    }

    /// Returns the magnitude of the product of all factors (streams that results are proportional to).
    fn factor(&self, streams: &[f64]) -> f64 {
        let factors = (0..streams.len()).filter(|k| self.multiplies[*k] && self.is_factor(*k));
        factors.map(|k| streams[k].abs()).product()
    }

    /// Returns whether a stream is only a factor: neither a mask nor one of the non-linear inputs.
    pub fn is_factor(&self, stream: usize) -> bool {
        !self.applied.contains(&stream) && !self.masks.contains(&stream)
    }

    /// Describes the first setting, for example `x.gate; weight=0.5`.
    ///
    /// That is the swept stream, then the values of other non-linear inputs, masks and float attributes.
    pub fn describe(&self) -> String {
        let (setting, def) = (&self.settings[0], self.op.def());
        let names = def.input_names();
        let beside = self.applied.iter().chain(&self.masks).filter(|k| **k != setting.swept);
        let beside = beside.map(|k| format!("{}={}", names[*k], setting.streams[*k]));
        let scalars = def.scalar_names().into_iter().zip(def.scalars(&setting.attrs));
        let scalars = scalars.map(|(name, v)| format!("{name}={}", v as f32));
        let rest: Vec<String> = beside.chain(scalars).collect();
        let swept = &names[setting.swept];
        if rest.is_empty() { swept.clone() } else { format!("{swept}; {}", rest.join(", ")) }
    }

    /// Describes an element by its streams and float attributes, for example `x.gate=0.5, weight=2`.
    pub fn place(&self, attrs: &[Value], streams: &[f64]) -> String {
        let def = self.op.def();
        let numbers = def.input_names().into_iter().zip(streams.iter().copied());
        let attrs = def.scalar_names().into_iter().zip(def.scalars(attrs));
        let said = |(name, v): (String, f64)| format!("{name}={}", short(v as f32));
        let attrs = attrs.map(|(name, v)| said((name.to_string(), v)));
        numbers
            .map(|(name, v)| said((name.to_string(), v)))
            .chain(attrs)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Returns whether the exponent of some power in the formula depends on this float attribute.
    pub fn is_exponent(&self, scalar: usize) -> bool {
        let graph = self.written();
        let depends = graph.depends_on(|_, node| node == Node::Scalar(scalar as u16));
        let is_power =
            |node: &Node| matches!(*node, Node::Call(Prim::Pow, [_, y, _]) if depends[y.index()]);
        graph.nodes.iter().any(is_power)
    }

    /// Returns the formula as its author wrote it; for a gradient, that of its forward operator.
    fn written(&self) -> &Graph {
        self.spec.derived.as_ref().map_or(&self.spec.traced, |d| &d.forward)
    }

    /// Returns the constants and float attributes of the formula, near which results may bend or jump.
    pub fn constants(&self) -> Vec<f64> {
        let number = |n: &Node| if let Node::Const(c) = n { Some(*c) } else { None };
        let scalars = self.settings.iter().flat_map(|s| self.op.def().scalars(&s.attrs));
        let constants = self.written().nodes.iter().filter_map(number).chain(scalars);
        if !rounds(self.written()) {
            return constants.collect();
        }
        // Ties of quotients and products with one of the numbers, and of the input itself.
        const TIES: [f64; 6] = [1.0, 0.5, 1.5, 2.5, 7.5, 127.5];
        constants.chain([1.0]).flat_map(|c| TIES.map(|tie| tie * c)).collect()
    }
}

/// Returns two specialisations in which all computed arguments of `round` are smaller, and larger, by the relative change [`TIE`].
///
/// Evaluated at a tie, they give the results on both sides of it. Returns none if the formula does not call `round`.
fn beside(spec: &Spec) -> Vec<Spec> {
    let moved = |graph: &Graph, by: f64| {
        let argument = |node: &Node| match *node {
            Node::Call(Prim::Round, [x, ..]) => Some(x),
            _ => None,
        };
        let is_computed = |x: &Id| matches!(graph.nodes[x.index()], Node::Call(..));
        let all: Vec<Id> = graph.nodes.iter().filter_map(argument).filter(is_computed).collect();
        graph.rewrite_at(|b, at| {
            let id = b.add(at.copy());
            if all.contains(&at.id) { b.scaled(by, id) } else { id }
        })
    };
    let written = spec.derived.as_ref().map_or(&spec.traced, |derived| &derived.forward);
    let sides = if rounds(written) { &[1.0 - TIE, 1.0 + TIE][..] } else { &[] };
    let side = |by: &f64| {
        let derived = spec.derived.clone();
        let derived = derived.map(|of| Derived { forward: moved(&of.forward, *by), ..of });
        Spec { traced: moved(&spec.traced, *by), derived, ..spec.clone() }
    };
    sides.iter().map(side).collect()
}

/// Returns every combination of mask values, each as a function from a stream's index to 0 or 1.
///
/// The function returns `None` for a stream that is not a mask.
pub fn choices(masks: &[usize]) -> impl Iterator<Item = impl Fn(usize) -> Option<f64>> {
    (0..1u32 << masks.len()).map(move |bits| {
        move |stream| {
            let k = masks.iter().position(|m| *m == stream)?;
            Some(f64::from(bits >> k & 1))
        }
    })
}

/// Returns the settings, in which each of the non-linear input streams `applied` is swept in turn.
///
/// Meanwhile the other streams in `applied` take a few values, float attributes two, and masks all combinations.
fn settings(
    def: &OpDef,
    applied: &[usize],
    masks: &[usize],
    streams: usize,
    attrs: &[Value],
) -> Vec<Setting> {
    let varied = |(attr, v): (&Attr, &Value)| match *v {
        Value::Float(0.0) => Value::Float(VARIED),
        Value::Float(v) => Value::Float(f64::from((VARIED * v) as f32)),
        Value::Int(n) if attr.kind == AttrKind::Int => Value::Int(n + 1),
        other => other,
    };
    let mut all = vec![attrs.to_vec()];
    let other: Vec<Value> = def.attrs.iter().zip(attrs).map(varied).collect();
    if other != attrs {
        all.push(other);
    }
    let beside = if applied.len() == 1 { &BESIDE[..1] } else { &BESIDE[..] };
    let mut settings = Vec::new();
    for attrs in all {
        for &swept in applied {
            for (&value, truth) in beside.iter().flat_map(|v| choices(masks).map(move |t| (v, t))) {
                let of = |i: usize| if applied.contains(&i) { value } else { FACTOR };
                let streams = (0..streams).map(|i| truth(i).unwrap_or(of(i))).collect();
                settings.push(Setting { swept, streams, attrs: attrs.clone() });
            }
        }
    }
    settings
}
/// Formats a number, without an exponent if it is 0 or from 1e-3 to 1e6.
pub fn short(v: f32) -> String {
    let is_plain = v == 0.0 || !v.is_finite() || (1e-3..1e6).contains(&v.abs());
    if is_plain { v.to_string() } else { format!("{v:e}") }
}
