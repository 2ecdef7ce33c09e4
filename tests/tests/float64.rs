//! Calls on tensors of f64: every operator of the family beside the reference evaluator.

#![allow(missing_docs)]

mod common;

use common::{Random, all_defaults, attribute_values};
use op_dsl::ir::Stored;
use op_dsl::ir::bind::{TensorMeta, bind};
use op_dsl::ir::format::Format;
use op_dsl::ir::op::{Kind, Value};
use op_dsl::{Operator, Options, View, ViewMut};
use op_dsl_truth as truth;

/// Number of elements of a part: whole steps and a tail at every level.
const N: usize = 71;
/// Number of elements that are compared; the reference takes some tenths of a millisecond for each.
const COMPARED: usize = 12;

/// The operators that calls on f64 may have.
fn operators() -> impl Iterator<Item = &'static Operator> {
    ops_glu_grad::OPERATORS.iter().copied().filter(|op| op.def().takes_f64())
}

/// A call on f64 with values for each stream and element.
struct Case {
    op: &'static Operator,
    attrs: Vec<Value>,
    scalars: Vec<f64>,
    spec: usize,
    /// Values of each input stream.
    streams: Vec<Vec<f64>>,
    /// Index of each stream's first element in its tensor, and the distance of its elements.
    places: Vec<[usize; 2]>,
    /// The same for output streams.
    results: Vec<[usize; 2]>,
    shapes: Vec<usize>,
}

impl Case {
    fn new(op: &'static Operator, attrs: &[Value], random: &mut Random) -> Case {
        let def = op.def();
        let shapes: Vec<usize> =
            def.inputs.iter().map(|t| if t.kind == Kind::Gated { 2 * N } else { N }).collect();
        let passed = &attrs[..def.passed().len()];
        let rows: Vec<[usize; 2]> = shapes.iter().map(|n| [1, *n]).collect();
        let metas: Vec<TensorMeta> = (def.inputs.iter().zip(&rows).enumerate())
            .map(|(i, (t, shape))| match common::is_given(op, attrs, i) && t.kind != Kind::Rows {
                true => TensorMeta { shape, dtype: t.stored(Stored::Float64) },
                false => TensorMeta { shape: &[], dtype: Stored::Nothing },
            })
            .collect();
        let bound = bind(def, passed, &metas).expect("a call");
        let place = |s: &op_dsl::ir::op::Stream| {
            let place = bound.place(s.part);
            [place.offset, place.step]
        };
        let (inputs, outputs) = (def.input_streams(), def.output_streams());
        let places: Vec<[usize; 2]> = inputs.iter().map(place).collect();
        let results = outputs.iter().map(place).collect();
        let scalars: Vec<f64> =
            def.attrs.iter().zip(attrs).filter_map(|(a, v)| a.number(*v)).collect();
        let mut streams: Vec<Vec<f64>> = inputs
            .iter()
            .map(|s| {
                let t = &def.inputs[s.tensor];
                let value = |random: &mut Random| match (def.range(s.tensor), t.own) {
                    _ if t.kind == Kind::Mask => f64::from(random.below(2) as u8),
                    (Some([low, high]), _) => {
                        let [low, high] = [low.max(-4.0), high.min(4.0)];
                        low + (high - low) * random.unit()
                    }
                    (_, Some(own)) => own.nearest(random.normal(2.0)),
                    _ => random.normal(2.0),
                };
                (0..N).map(|_| value(random)).collect()
            })
            .collect();
        let spec = &def.specs[bound.spec];
        for i in 0..N {
            let mut one: Vec<f64> = streams.iter().map(|s| s[i]).collect();
            spec.restore(&mut one, &scalars);
            streams.iter_mut().zip(one).for_each(|(s, v)| s[i] = v);
        }
        let attrs = attrs.to_vec();
        Case { op, attrs, scalars, spec: bound.spec, streams, places, results, shapes }
    }

    /// Runs the call, and returns the values of each output stream.
    fn run(&self, options: &Options) -> Vec<Vec<f64>> {
        let def = self.op.def();
        let mut inputs: Vec<Vec<u8>> = Vec::new();
        for (tensor, (t, n)) in def.inputs.iter().zip(&self.shapes).enumerate() {
            let stored = t.stored(Stored::Float64);
            let mut bytes = vec![0; n * stored.size()];
            for (k, s) in def.input_streams().iter().enumerate().filter(|(_, s)| s.tensor == tensor)
            {
                let [offset, step] = self.places[k];
                let _ = s;
                for (i, v) in self.streams[k].iter().enumerate() {
                    put(stored, &mut bytes, offset + i * step, *v);
                }
            }
            inputs.push(bytes);
        }
        let views: Vec<View> = (def.inputs.iter().zip(&inputs).zip(&self.shapes).enumerate())
            .map(|(i, ((t, bytes), n))| {
                if !common::is_given(self.op, &self.attrs, i) || t.kind == Kind::Rows {
                    return View::ABSENT;
                }
                let stored = t.stored(Stored::Float64);
                View::in_bytes(bytes, stored, &[1, *n], &[*n as isize, 1], 0).expect("a view")
            })
            .collect();
        let stored: Vec<(Stored, usize)> = def
            .outputs
            .iter()
            .map(|t| (t.stored(Stored::Float64), if t.kind == Kind::Gated { 2 * N } else { N }))
            .collect();
        let mut outputs: Vec<Vec<u8>> =
            stored.iter().map(|(s, n)| vec![0xff; n * s.size()]).collect();
        let mut places: Vec<ViewMut> = (outputs.iter_mut().zip(&stored))
            .map(|(bytes, (s, n))| {
                ViewMut::in_bytes(bytes, *s, &[1, *n], &[*n as isize, 1], 0).expect("a view")
            })
            .collect();
        let passed = &self.attrs[..def.passed().len()];
        self.op.run(passed, &views, &mut places, options).expect("a call");
        let value = |(k, s): (usize, op_dsl::ir::op::Stream)| {
            let [offset, step] = self.results[k];
            let (stored, _) = stored[s.tensor];
            (0..N).map(|i| get(stored, &outputs[s.tensor], offset + i * step)).collect()
        };
        def.output_streams().into_iter().enumerate().map(value).collect()
    }
}

fn put(stored: Stored, bytes: &mut [u8], at: usize, v: f64) {
    let to = &mut bytes[at * stored.size()..];
    match stored {
        Stored::Float64 => to[..8].copy_from_slice(&v.to_le_bytes()),
        Stored::Number(op_dsl::ir::DType::F32) => {
            to[..4].copy_from_slice(&(v as f32).to_le_bytes())
        }
        Stored::Byte => to[0] = u8::from(v != 0.0),
        other => panic!("{other}"),
    }
}

fn get(stored: Stored, bytes: &[u8], at: usize) -> f64 {
    let from = &bytes[at * stored.size()..];
    match stored {
        Stored::Float64 => f64::from_le_bytes(from[..8].try_into().expect("eight bytes")),
        Stored::Number(op_dsl::ir::DType::F32) => {
            f32::from_le_bytes(from[..4].try_into().expect("four bytes")).into()
        }
        Stored::Byte => f64::from(from[0]),
        other => panic!("{other}"),
    }
}

/// Errors are relative to the result, or to this number where the result is smaller: near a zero its terms cancel.
const LEAST: f64 = 1.0 / 128.0;
/// Largest error: some roundings of f64, of terms that are larger than the result.
const BOUND: f64 = 1e-13;

#[test]
fn every_operator_beside_the_reference() {
    let (mut random, mut count, mut wrong) = (Random(3), 0, Vec::new());
    for op in operators() {
        let mut worst = 0.0f64;
        for attrs in attribute_values(op) {
            let case = Case::new(op, &attrs, &mut random);
            let got = case.run(&Options { threads: 1, ..Options::default() });
            let spec = &op.def().specs[case.spec];
            for i in 0..COMPARED {
                let one: Vec<f64> = case.streams.iter().map(|s| s[i]).collect();
                let want = truth::outputs(spec, &one, &case.scalars, Format::DOUBLE);
                for (k, want) in want.into_iter().enumerate() {
                    let (got, own) =
                        (got[k][i], op.def().result_type(op.def().output_streams()[k].tensor));
                    let want = own.map_or(want, |own| own.nearest(want));
                    let error = (got - want).abs() / want.abs().max(LEAST);
                    if want.is_nan() || got == want {
                        continue;
                    }
                    worst = worst.max(if error.is_nan() { f64::INFINITY } else { error });
                    if error.is_nan() || error > BOUND {
                        wrong.push(format!("{} {attrs:?} {one:?}: {got} for {want}", op.name()));
                    }
                }
            }
        }
        println!("{:24} {:.1} eps", op.name(), worst / f64::EPSILON);
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100, "{count}");
}

#[test]
fn no_bit_depends_on_threads_or_neighbours() {
    let mut random = Random(4);
    for op in operators() {
        let case = Case::new(op, &all_defaults(op), &mut random);
        let bits = |options: &Options| -> Vec<u64> {
            case.run(options).into_iter().flatten().map(f64::to_bits).collect()
        };
        let one = bits(&Options { threads: 1, ..Options::default() });
        let two = bits(&Options { threads: 2, streaming: Some(true), ..Options::default() });
        assert_eq!(one, two, "{}", op.name());
    }
}

/// With kernels for f32 alone: calls on f64 run one program at every level, whatever types an operator has kernels for.
#[op_dsl::operators]
pub mod functions {
    use op_dsl::prelude::*;

    #[op(name = "Elementary", dtypes(f32), outputs(a, b, c, d, e, f))]
    pub fn elementary(x: Elem) -> (Elem, Elem, Elem, Elem, Elem, Elem) {
        (exp(x), expm1(x), ln(abs(x)), log1p(abs(x)), tanh(x), atan(x))
    }

    #[op(name = "Circle", dtypes(f32), outputs(a, b))]
    pub fn circle(x: Elem) -> (Elem, Elem) {
        (sin(x), cos(x))
    }

    #[op(name = "Gates", dtypes(f32), outputs(a, b, c, d))]
    pub fn gates(x: Elem) -> (Elem, Elem, Elem, Elem) {
        (sigmoid(x), softplus(x), silu(x), gelu_tanh(x))
    }

    #[op(name = "Normal", dtypes(f32), outputs(a, b, c, d))]
    pub fn normal(x: Elem) -> (Elem, Elem, Elem, Elem) {
        (erf(x), erfc(x), normal_cdf(x), gelu(x))
    }

    #[op(name = "Inverse", dtypes(f32), outputs(a))]
    pub fn inverse(x: Elem) -> Elem {
        erfinv(x)
    }

    #[op(name = "Gamma", dtypes(f32), outputs(a, b, c))]
    pub fn gamma(x: Elem) -> (Elem, Elem, Elem) {
        (lgamma(x), digamma(x), trigamma(x))
    }

    #[op(name = "Remainder", dtypes(f32), outputs(a))]
    pub fn remainder(x: Elem, y: Elem) -> Elem {
        x % y
    }

    #[op(name = "Centred", outputs(y))]
    pub fn centred(x: Elem) -> Elem {
        x - row_mean(x)
    }

    #[op(name = "Parts", dtypes(f32), outputs(r))]
    pub fn parts(
        #[split(along = dim, interleaved = pairs)] x: Gated,
        #[mask] mask: Mask,
        n: Elem<i32>,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = false)] pairs: bool,
        #[attr(default = 1.0)] a: f32,
    ) -> Gated {
        Gated { gate: x.value - a * x.gate + n, value: if mask { 0.5 * x.gate } else { x.value } }
    }

    #[op(name = "Power", dtypes(f32), outputs(a))]
    pub fn power(x: Elem, y: Elem) -> Elem {
        powf(x, y)
    }
}

/// Calls an operator on f64, with all inputs of the same length, and returns its outputs.
fn call(op: &Operator, inputs: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = inputs[0].len();
    let views: Vec<View> = inputs.iter().map(|x| View::new(x, &[n]).expect("a view")).collect();
    let mut outputs = vec![vec![7.0; n]; op.def().outputs.len()];
    let mut places: Vec<ViewMut> =
        outputs.iter_mut().map(|y| ViewMut::new(y, &[n]).expect("a view")).collect();
    op.run(&[], &views, &mut places, &Options::default()).expect("a call");
    drop(places);
    outputs
}

/// Numbers of all exponents from 2^`least` to 2^`greatest`, of both signs.
fn exponents(random: &mut Random, least: i32, greatest: i32, each: usize) -> Vec<f64> {
    let mut one = |e: i32| (1.0 + random.unit()) * 2f64.powi(e) * [1.0, -1.0][random.below(2)];
    (least..=greatest).flat_map(|e| (0..each).map(move |_| e)).map(&mut one).collect()
}

/// Functions are within a unit of the nearest number.
///
/// Arguments are not so small that the reference needs more bits than it has.
#[test]
fn functions_are_within_a_unit() {
    let mut random = Random(5);
    let mut x: Vec<f64> = exponents(&mut random, -60, 9, 3);
    x.extend(exponents(&mut random, -9, 4, 24));
    x.extend((0..200).map(|_| random.normal(8.0)));
    x.extend((0..200).map(|_| random.normal(300.0)));
    let normal: Vec<f64> = x.iter().copied().filter(|x| x.abs() < 26.0).collect();
    let below_one: Vec<f64> = x.iter().map(|x| x.fract()).filter(|x| *x != 0.0).collect();
    let bases: Vec<f64> = x.iter().map(|x| x.abs()).collect();
    let powers: Vec<f64> =
        bases.iter().map(|x| random.normal(200.0) / x.ln().abs().max(1e-3)).collect();
    let all = [
        (&functions::ELEMENTARY, vec![x.clone()]),
        (&functions::CIRCLE, vec![x.clone()]),
        (&functions::GATES, vec![x.clone()]),
        (&functions::NORMAL, vec![normal]),
        (&functions::INVERSE, vec![below_one]),
        (&functions::GAMMA, vec![bases.clone()]),
        (&functions::REMAINDER, vec![x.clone(), powers.clone()]),
        (&functions::POWER, vec![bases, powers]),
    ];
    op_dsl_cpp::in_parallel(all, |(op, inputs)| {
        let got = call(op, &inputs);
        let mut worst = vec![0.0f64; got.len()];
        for i in 0..inputs[0].len() {
            let one: Vec<f64> = inputs.iter().map(|x| x[i]).collect();
            let want = truth::outputs(&op.def().specs[0], &one, &[], Format::DOUBLE);
            for (k, want) in want.into_iter().enumerate() {
                let units = (got[k][i] - want).abs() / Format::DOUBLE.ulp(want);
                let units = if got[k][i] == want { 0.0 } else { units };
                worst[k] = worst[k].max(units);
                assert!(units <= 1.0, "{} {k}: {one:?}: {:e} for {want:e}", op.name(), got[k][i]);
            }
        }
        println!("{} {worst:?}", op.name());
    });
}

/// Left of 0, where gamma functions cross zero between any two poles, they are within a unit of the value or of 1/8.
#[test]
fn gamma_functions_on_the_left_are_within_a_unit_of_an_eighth() {
    let mut random = Random(6);
    let mut x: Vec<f64> = exponents(&mut random, -40, 9, 6).iter().map(|x| -x.abs()).collect();
    x.extend((0..600).map(|_| -12.0 * random.unit()));
    // Next to the first zeros of lgamma and of digamma.
    for zero in [-2.457_024_738_220_800_5, -2.747_682_646_727_412_5, -0.504_083_008_264_455_3] {
        x.extend([zero, zero * (1.0 + 1e-9), zero * (1.0 - 1e-14)]);
    }
    let got = call(&functions::GAMMA, std::slice::from_ref(&x));
    let mut worst = [0.0f64; 3];
    for (i, x) in x.iter().enumerate() {
        let want = truth::outputs(&functions::GAMMA.def().specs[0], &[*x], &[], Format::DOUBLE);
        for (k, want) in want.into_iter().enumerate() {
            let unit = Format::DOUBLE.ulp(want.abs().max(0.125));
            worst[k] = worst[k].max((got[k][i] - want).abs() / unit);
            assert!(worst[k] <= 1.0, "{k}: {x:e}: {:e} for {want:e}", got[k][i]);
        }
    }
    println!("{worst:?}");
}

#[test]
fn limits_and_nan() {
    let x = vec![f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.0, -0.0, 1e300, -1e300];
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    let check = |op: &Operator, output: usize, want: [f64; 7]| {
        let got = call(op, std::slice::from_ref(&x)).swap_remove(output);
        assert!(got.iter().zip(want).all(|(a, b)| same(*a, b)), "{} {output}: {got:?}", op.name());
    };
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    check(&functions::ELEMENTARY, 0, [inf, 0.0, nan, 1.0, 1.0, inf, 0.0]);
    check(&functions::ELEMENTARY, 1, [inf, -1.0, nan, 0.0, -0.0, inf, -1.0]);
    check(&functions::ELEMENTARY, 4, [1.0, -1.0, nan, 0.0, -0.0, 1.0, -1.0]);
    let right = core::f64::consts::FRAC_PI_2;
    check(&functions::ELEMENTARY, 5, [right, -right, nan, 0.0, -0.0, right, -right]);
    check(&functions::GATES, 0, [1.0, 0.0, nan, 0.5, 0.5, 1.0, 0.0]);
    check(&functions::GATES, 1, [inf, 0.0, nan, 2f64.ln(), 2f64.ln(), 1e300, 0.0]);
    check(&functions::GATES, 2, [inf, -0.0, nan, 0.0, -0.0, 1e300, -0.0]);
    check(&functions::GATES, 3, [inf, -0.0, nan, 0.0, -0.0, 1e300, -0.0]);
    check(&functions::NORMAL, 0, [1.0, -1.0, nan, 0.0, -0.0, 1.0, -1.0]);
    check(&functions::NORMAL, 1, [0.0, 2.0, nan, 1.0, 1.0, 0.0, 2.0]);
    check(&functions::NORMAL, 2, [1.0, 0.0, nan, 0.5, 0.5, 1.0, 0.0]);
    check(&functions::NORMAL, 3, [inf, -0.0, nan, 0.0, -0.0, 1e300, -0.0]);
    // The values of large numbers are those of `libm`.
    check(&functions::GAMMA, 0, [inf, inf, nan, inf, inf, 6.897_755_278_982_137e302, inf]);
    check(&functions::GAMMA, 1, [inf, -inf, nan, -inf, inf, 1e300f64.ln(), -inf]);
    check(&functions::GAMMA, 2, [0.0, inf, nan, inf, inf, 1e-300, inf]);
    let powers = |x: f64, y: f64| call(&functions::POWER, &[vec![x], vec![y]])[0][0];
    for (x, y) in [
        (2.0, inf),
        (0.5, inf),
        (0.0, -1.0),
        (-0.0, -3.0),
        (inf, 0.5),
        (-8.0, 3.0),
        (nan, 0.0),
        (1.0, nan),
    ] {
        assert!(same(powers(x, y), libm::pow(x, y)), "{x}^{y}: {}", powers(x, y));
    }
}

#[test]
fn refusals_name_what_is_allowed() {
    let rows = &functions::CENTRED;
    let x = vec![1.0; 4];
    let views: Vec<View> =
        rows.def().inputs.iter().map(|_| View::new(&x, &[4]).expect("a view")).collect();
    let mut y = vec![0.0; 4];
    let mut outputs = [ViewMut::new(&mut y, &[4]).expect("a view")];
    let attrs = rows.default_attrs();
    let got = rows.run(&attrs, &views, &mut outputs, &Options::default()).expect_err("refused");
    assert!(got.to_string().ends_with("has dtype f64; allowed: f16, bf16, f32"), "{got}");
    let (x, y) = ([1.0f64; 4], [1.0f32; 4]);
    let views = [View::new(&x, &[4]).expect("a view"), View::new(&y, &[4]).expect("a view")];
    let mut out = [0.0; 4];
    let mut outputs = [ViewMut::new(&mut out, &[4]).expect("a view")];
    let got = functions::POWER.run(&[], &views, &mut outputs, &Options::default());
    let message = "Power: tensor `y` has dtype f32; allowed: f64, as `x` has";
    assert_eq!(got.expect_err("refused").to_string(), message);
}

/// A tensor of two dimensions in one of four layouts: contiguous, with gaps, transposed, backwards.
fn laid([m, n]: [isize; 2], layout: usize) -> ([isize; 2], usize, usize) {
    match layout {
        0 => ([n, 1], 0, (m * n) as usize),
        1 => ([2 * n + 3, 2], 5, ((2 * n + 3) * m + 5) as usize),
        2 => ([1, m], 1, (m * n + 1) as usize),
        _ => ([-n, -1], (m * n - 1) as usize, (m * n) as usize),
    }
}

#[test]
fn values_in_every_layout() {
    let (mut random, op) = (Random(6), &functions::PARTS);
    for [m, n] in [[1, 1], [3, 5], [7, 64], [2, 1000], [300, 4], [1, 20_000]] {
        for (from, to) in (0..4).flat_map(|from| (0..4).map(move |to| (from, to))) {
            for (pairs, threads) in [(false, 1), (true, 1), (true, 2)] {
                let (strides, start, len) = laid([m, 2 * n], from);
                let x: Vec<f64> = (0..len).map(|_| random.normal(3.0)).collect();
                let (single, first, count) = laid([m, n], from);
                let mask: Vec<bool> = (0..count).map(|_| random.below(2) == 1).collect();
                let counts: Vec<i32> = (0..count).map(|_| (random.bits() >> 33) as i32).collect();
                let (written, begin, size) = laid([m, 2 * n], to);
                let mut r = vec![7.0; size];
                let [double, whole] = [[m as usize, 2 * n as usize], [m as usize, n as usize]];
                let inputs = [
                    View::strided(&x, &double, &strides, start).expect("a view"),
                    View::strided(&mask, &whole, &single, first).expect("a view"),
                    View::strided(&counts, &whole, &single, first).expect("a view"),
                ];
                let mut outputs =
                    [ViewMut::strided(&mut r, &double, &written, begin).expect("a view")];
                let attrs = [Value::Int(-1), Value::Bool(pairs), Value::Float(0.1)];
                let streaming = (threads == 2).then_some(true);
                let options = Options { threads, streaming, ..Options::default() };
                op.run(&attrs, &inputs, &mut outputs, &options).expect("a call");
                let at = |s: [isize; 2], start: usize, i: isize, j: isize| {
                    start.wrapping_add_signed(i * s[0] + j * s[1])
                };
                for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let parts = if pairs { [2 * j, 2 * j + 1] } else { [j, j + n] };
                    let [gate, value] = parts.map(|j| x[at(strides, start, i, j)]);
                    let k = at(single, first, i, j);
                    let want = [
                        value - 0.1 * gate + f64::from(counts[k]),
                        if mask[k] { 0.5 * gate } else { value },
                    ];
                    let got = parts.map(|j| r[at(written, begin, i, j)]);
                    assert_eq!(got, want, "{m} x {n}: {from} {to} {pairs} {threads}, {i} {j}");
                }
            }
        }
    }
}
