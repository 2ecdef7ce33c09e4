//! The elements at which the judge tests an operator.

use super::judge::Subject;
use half::{bf16, f16};
use op_dsl::ir::DType;
use op_dsl::ir::format::Format;
use op_dsl::ir::op::{AttrKind, Kind, Part, Value};
use op_dsl::{Level, Operator, Options, View, ViewMut};

/// Number of elements per call, and of calls per element type.
const ELEMENTS: usize = 100;
const CALLS: usize = 8;
/// Values of float attributes, one of which is used in every other call.
const ATTRIBUTES: [f64; 4] = [0.5, 3.0, 0.0, 40.0];
/// Largest errors in units in the last place, in the order of [`DType`].
const BUDGET: [f64; DType::COUNT] = [1.0, 1.0, 2.0];

/// Values of the streams and float attributes.
#[derive(Clone, Debug)]
pub struct Element {
    pub streams: Vec<f64>,
    pub attrs: Vec<f64>,
}

impl Element {
    /// Parses an element as `verify` prints it, with its result: `x=1.5, gamma=2: y = 0, not 1`.
    pub fn parse(operator: &Operator, text: &str) -> Element {
        let text = text.split(": ").next().unwrap_or(text);
        let value = |name: &String| {
            let all = text.split(", ").filter_map(|part| part.split_once('='));
            let found = all.into_iter().find(|(key, _)| key == name);
            let (_, number) = found.unwrap_or_else(|| panic!("no {name} in {text}"));
            f64::from(number.parse::<f32>().expect("a number"))
        };
        let def = operator.def();
        Element {
            streams: def.input_names().iter().map(value).collect(),
            attrs: def.scalar_names().iter().map(value).collect(),
        }
    }
}

/// Random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn number(&mut self, least: f64, greatest: f64) -> f64 {
        let sign = if self.unit() < 0.5 { -1.0 } else { 1.0 };
        sign * (least + (greatest - least) * self.unit()).exp2()
    }
}

pub struct Trial<'s> {
    pub subject: &'s Subject,
}

impl Trial<'_> {
    /// Returns the first fault among elements of every kind.
    pub fn search(&self, dtype: DType) -> Option<String> {
        let mut random = Random(dtype as u64 + 1);
        let defaults = self.defaults();
        let random_calls = (0..CALLS).map(|call| {
            let mut attrs = defaults.clone();
            if call % 2 == 1 && !attrs.is_empty() {
                let which = (random.unit() * attrs.len() as f64) as usize;
                attrs[which] = ATTRIBUTES[call / 2 % ATTRIBUTES.len()];
            }
            let all = (0..ELEMENTS).map(|_| self.random(dtype, &mut random)).collect();
            (all, attrs)
        });
        let random_calls: Vec<(Vec<Vec<f64>>, Vec<f64>)> = random_calls.collect();
        let ends = [(self.ends(), defaults)];
        random_calls.into_iter().chain(ends).find_map(|(streams, attrs)| {
            let got = self.run(dtype, &streams, &attrs);
            streams.into_iter().zip(got).find_map(|(streams, got)| {
                let element = Element { streams, attrs: attrs.clone() };
                let fault = self.fault(dtype, &element, &got, false)?;
                fault
                    .then(|| format!("{element:?} gives {got:?}, {:?}", self.want(&element, false)))
            })
        })
    }

    /// Returns whether a kernel is wrong at an element; `None` if the judge has no result there.
    pub fn is_fault(&self, dtype: DType, element: &Element, is_single: bool) -> Option<bool> {
        let got = self.run(dtype, std::slice::from_ref(&element.streams), &element.attrs);
        self.fault(dtype, element, &got[0], is_single)
    }

    fn want(&self, element: &Element, is_single: bool) -> Option<Vec<f64>> {
        let Element { streams, attrs } = element;
        match streams.iter().filter(|x| x.is_infinite()).count() {
            _ if streams.iter().any(|x| x.is_nan()) => None,
            0 => self.subject.results(streams, attrs, is_single),
            1 => self.subject.limits(streams, attrs),
            _ => self.subject.arithmetic(streams, attrs),
        }
    }

    fn fault(&self, dtype: DType, element: &Element, got: &[f64], is_single: bool) -> Option<bool> {
        let want = self.want(element, is_single)?;
        let format = Format::of(dtype);
        // NaN is accepted for 0 if a stream is infinite, as in arithmetic. It is also accepted if an attribute is 0,
        // because quotients by it have no value.
        let Element { streams, attrs } = element;
        let is_loose = streams.iter().any(|x| x.is_infinite()) || attrs.contains(&0.0);
        let is_wrong = |(k, (got, want)): (usize, (&f64, &f64))| {
            if is_loose && got.is_nan() && *want == 0.0 {
                return false;
            }
            let error = format.error(*got, *want, 0.0);
            let is_lenient = dtype == DType::F32 && !is_single && got.is_finite();
            error > BUDGET[dtype as usize]
                && !(is_lenient && self.is_near_zero(element, k, format, [*got, *want]))
        };
        let is_fault = got.iter().zip(&want).enumerate().any(is_wrong);
        // At infinities the value of the formula as written is accepted as well. For example, for a quotient of two
        // growing sums it may differ from the limit.
        let is_infinite = element.streams.iter().any(|x| x.is_infinite());
        let written = || self.subject.arithmetic(&element.streams, &element.attrs);
        let is_as_written = |want: Vec<f64>| {
            got.iter().zip(&want).all(|(got, want)| format.error(*got, *want, 0.0) <= 1.0)
        };
        Some(is_fault && !(is_infinite && written().is_some_and(is_as_written)))
    }

    /// Returns whether an error is small relative to results nearby, for example at a zero crossing.
    ///
    /// Only `verify` reports such errors; the judge's own search does not.
    fn is_near_zero(
        &self,
        element: &Element,
        k: usize,
        format: Format,
        [got, want]: [f64; 2],
    ) -> bool {
        let beside = (0..element.streams.len()).flat_map(|s| {
            [0.0, 0.5, 0.75, 1.25, 2.0].map(|by| {
                let mut streams = element.streams.clone();
                streams[s] *= by;
                self.subject
                    .results(&streams, &element.attrs, false)
                    .map_or(0.0, |all| all[k].abs())
            })
        });
        let around = beside.filter(|v| v.is_finite()).fold(0.0, f64::max);
        format.error(got, want, format.ulp(around / 32.0)) <= BUDGET[DType::F32 as usize]
    }

    fn defaults(&self) -> Vec<f64> {
        let attrs = self.subject.operator.def().attrs.iter();
        attrs
            .filter_map(|a| {
                if let Value::Float(v) = a.default { Some(f64::from(v as f32)) } else { None }
            })
            .collect()
    }

    /// Returns random streams: of any exponent, moderate, or equal to another stream.
    fn random(&self, dtype: DType, random: &mut Random) -> Vec<f64> {
        let format = Format::of(dtype);
        let (least, greatest) = dtype.row().exponents;
        let wide = [f64::from(least - dtype.row().precision / 2), f64::from(greatest + 1)];
        let mut streams: Vec<f64> = Vec::new();
        for _ in self.subject.operator.def().input_names() {
            let kind = (random.unit() * 8.0) as usize;
            let v = match kind {
                0..=2 => random.number(wide[0], wide[1]),
                3 if !streams.is_empty() => {
                    let near = 1.0 + random.number(-24.0, -2.0);
                    streams[(random.unit() * streams.len() as f64) as usize] * near
                }
                _ => random.number(-14.0, 9.0),
            };
            streams.push(format.round(v).clamp(-format.max(), format.max()));
        }
        streams
    }

    /// Returns elements with one infinity or several among ordinary numbers.
    fn ends(&self) -> Vec<Vec<f64>> {
        let values = [f64::INFINITY, f64::NEG_INFINITY, 1.5, -0.75];
        let streams = self.subject.operator.def().input_names().len() as u32;
        let ways = (0..values.len().pow(streams)).step_by(if streams > 3 { 7 } else { 1 });
        let all = ways.map(|way| {
            (0..streams).map(|k| values[way / values.len().pow(k) % values.len()]).collect()
        });
        all.filter(|x: &Vec<f64>| x.iter().any(|v| v.is_infinite())).collect()
    }

    /// Runs the operator at the best SIMD level of this CPU and returns the outputs of each element.
    fn run(&self, dtype: DType, elements: &[Vec<f64>], attrs: &[f64]) -> Vec<Vec<f64>> {
        let operator = self.subject.operator;
        let def = operator.def();
        let mut floats = attrs.iter();
        let values: Vec<Value> = def
            .attrs
            .iter()
            .map(|a| match a.kind {
                AttrKind::Float => Value::Float(*floats.next().expect("an attribute")),
                // The parts of gated tensors are rows, because they are split along dimension 0.
                AttrKind::Dim => Value::Int(0),
                _ => a.default,
            })
            .collect();
        let shape = |kind: Kind| match kind {
            Kind::Gated => vec![2, elements.len()],
            _ if def.split.is_some() => vec![1, elements.len()],
            _ => vec![elements.len()],
        };
        // The gate is the left part in all formulas here.
        let row = |part: Part| usize::from(part == Part::Value) * elements.len();
        let mut inputs: Vec<Data> =
            def.inputs.iter().map(|t| Data::new(dtype, shape(t.kind))).collect();
        for (k, stream) in def.input_streams().iter().enumerate() {
            elements
                .iter()
                .enumerate()
                .for_each(|(i, x)| inputs[stream.tensor].set(row(stream.part) + i, x[k]));
        }
        let mut outputs: Vec<Data> =
            def.outputs.iter().map(|t| Data::new(dtype, shape(t.kind))).collect();
        let options = Options { level: Some(Level::best()), threads: 1, ..Options::default() };
        let views: Vec<View<'_>> = inputs.iter().map(Data::view).collect();
        let mut outs: Vec<ViewMut<'_>> = outputs.iter_mut().map(Data::view_mut).collect();
        operator.run(&values, &views, &mut outs, &options).unwrap_or_else(|e| panic!("{e}"));
        drop(outs);
        let streams = def.output_streams();
        (0..elements.len())
            .map(|i| streams.iter().map(|s| outputs[s.tensor].get(row(s.part) + i)).collect())
            .collect()
    }
}

/// A dense tensor.
enum Data {
    F16(Vec<f16>, Vec<usize>),
    Bf16(Vec<bf16>, Vec<usize>),
    F32(Vec<f32>, Vec<usize>),
}

impl Data {
    fn new(dtype: DType, shape: Vec<usize>) -> Data {
        let n = shape.iter().product();
        match dtype {
            DType::F16 => Data::F16(vec![f16::ZERO; n], shape),
            DType::BF16 => Data::Bf16(vec![bf16::ZERO; n], shape),
            DType::F32 => Data::F32(vec![0.0; n], shape),
        }
    }

    fn set(&mut self, i: usize, v: f64) {
        match self {
            Data::F16(all, _) => all[i] = f16::from_f64(v),
            Data::Bf16(all, _) => all[i] = bf16::from_f64(v),
            Data::F32(all, _) => all[i] = v as f32,
        }
    }

    fn get(&self, i: usize) -> f64 {
        match self {
            Data::F16(all, _) => all[i].to_f64(),
            Data::Bf16(all, _) => all[i].to_f64(),
            Data::F32(all, _) => all[i].into(),
        }
    }

    fn view(&self) -> View<'_> {
        let view = match self {
            Data::F16(all, shape) => View::new(all, shape),
            Data::Bf16(all, shape) => View::new(all, shape),
            Data::F32(all, shape) => View::new(all, shape),
        };
        view.unwrap_or_else(|e| panic!("{e}"))
    }

    fn view_mut(&mut self) -> ViewMut<'_> {
        let view = match self {
            Data::F16(all, shape) => ViewMut::new(all, shape),
            Data::Bf16(all, shape) => ViewMut::new(all, shape),
            Data::F32(all, shape) => ViewMut::new(all, shape),
        };
        view.unwrap_or_else(|e| panic!("{e}"))
    }
}
