//! Where a plan is least accurate: at some hundred samples, then by a local search around the worst of them.
//!
//! Rounding makes errors look random from one element to the next, so a few hundred samples of a region that is bad miss
//! its worst elements: gelu' in f32 was within 8 ulp at all samples, and 10.65 ulp off beside its least value. Random steps
//! around the worst samples, smaller from round to round, find what a hundred times as many samples find.
//!
//! Attributes have the values that they have by default, and others: `c tanh(x / c)` loses no digits near zero where `c` is 1.

use super::accuracy::{Accuracy, Reference};
use super::arithmetic::{Noise, round};
use super::interpret::interpret_all;
use super::limits::defaults;
use super::planned::Plan;
use crate::sequence::Type;
use op_dsl_ir::op::OpDef;
use op_dsl_ir::roles::{self, Dependence};
use op_dsl_ir::{DType, Graph, Id};

/// Samples of the worst that are searched around, for each output.
const KEPT: usize = 5;
/// Steps around each of them, in a round: of 16 bits, and of `float`, where errors differ from one element to the next.
const STEPS: [usize; 2] = [24, 96];
/// The largest relative step of each round, by its exponent. Steps of 16 bits end at their unit.
const ROUNDS: [i32; 4] = [-2, -4, -6, -7];
const ROUNDS_F32: [i32; 4] = [-3, -5, -8, -13];

/// The size up to which it is looked for where results become 0, and how often a step is halved to find the place.
const EDGES: i32 = 128;
const HALVES: usize = 24;

/// The accuracy of a plan. Where it is over its budget, the search ends unless it is `thorough`.
pub(super) fn judge(def: &OpDef, plan: &Plan, thorough: bool) -> Accuracy {
    let mut found = Accuracy::new(plan.dtype);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (k, scalars) in attributes(def, &plan.graph).into_iter().enumerate() {
        let mut search = Search::new(def, plan, scalars);
        search.take(points(def, plan, k == 0, &mut random), &mut found);
        search.edges(&mut found);
        let rounds = if plan.dtype == DType::F32 { ROUNDS_F32 } else { ROUNDS };
        for round in rounds {
            if !found.is_good() && !thorough {
                return found;
            }
            search.take(search.around(round, &mut random), &mut found);
        }
    }
    found
}

/// The values of attributes that a plan is judged at, those by default first.
fn attributes(def: &OpDef, graph: &Graph) -> Vec<Vec<f64>> {
    let usual = defaults(def, graph);
    let others = |v: f64| if v == 0.0 { [0.25, 4.0] } else { [0.25 * v, 4.0 * v] };
    let with = |k: usize, v: f64| [&usual[..k], &[v], &usual[k + 1..]].concat();
    let changed = (0..usual.len()).flat_map(|k| others(usual[k]).map(|v| with(k, v)));
    [usual.clone()].into_iter().chain(changed).collect()
}

/// A plan where attributes have certain values, and the worst elements that are known.
struct Search<'p> {
    def: &'p OpDef,
    plan: &'p Plan,
    reference: Reference<'p>,
    /// Parts that depend on attributes alone.
    numbers: Vec<f64>,
    /// For each output, elements with their errors, the largest first.
    worst: Vec<Vec<(f64, Vec<f32>)>>,
    seen: usize,
}

impl<'p> Search<'p> {
    fn new(def: &'p OpDef, plan: &'p Plan, scalars: Vec<f64>) -> Search<'p> {
        let numbers = numbers(plan, &scalars);
        let reference = Reference::new(def, plan.spec, plan.dtype, scalars);
        let worst = vec![Vec::new(); plan.outputs.len()];
        Search { def, plan, reference, numbers, worst, seen: 0 }
    }

    /// Takes in the results at elements, given stream by stream.
    fn take(&mut self, points: Vec<Vec<f32>>, found: &mut Accuracy) {
        let streams: Vec<&[f32]> = points.iter().map(Vec::as_slice).collect();
        let number = |id: Id| self.numbers[id.index()] as f32;
        let got = interpret_all(self.plan, &streams, number, Noise::None);
        for i in 0..points.first().map_or(0, Vec::len) {
            let at: Vec<f64> = points.iter().map(|stream| stream[i].into()).collect();
            let got: Vec<f64> = got.iter().map(|stream| stream[i].into()).collect();
            let least =
                |worst: &[(f64, Vec<f32>)]| worst.get(KEPT - 1).map_or(0.0, |worst| worst.0);
            let errors = self.reference.errors(&at, &got, |k| least(&self.worst[k]));
            for (output, error, want) in errors {
                if error > found.error || found.worst.is_none() {
                    found.set(output, self.seen + i, error, &at, got[output], want);
                }
                let worst = &mut self.worst[output];
                if error > least(worst) || worst.len() < KEPT {
                    let place = worst.partition_point(|known| known.0 >= error);
                    let element = points.iter().map(|stream| stream[i]).collect();
                    worst.insert(place, (error, element));
                    worst.truncate(KEPT);
                }
            }
        }
        self.seen += points.first().map_or(0, Vec::len);
    }

    /// Takes in the results at both sides of where they become 0: a tail may be cut off where it still is a normal number,
    /// by an exponential that has become infinite, in a strip that samples miss.
    fn edges(&mut self, found: &mut Accuracy) {
        let is_swept = |k: &usize| self.plan.inputs[*k].is_some() && !self.def.is_mask(*k);
        for k in (0..self.plan.inputs.len()).filter(is_swept) {
            let swept: Vec<f32> = (-EDGES..=EDGES).map(|x| x as f32).collect();
            let got = self.along(k, &swept);
            let mut pairs: Vec<(usize, [f32; 2])> = Vec::new();
            for (output, got) in got.iter().enumerate() {
                let ends = |i: usize| {
                    let (x, y) = (swept[i], swept[i + 1]);
                    match (got[i] == 0.0, got[i + 1] == 0.0) {
                        (true, false) => Some((output, [x, y])),
                        (false, true) => Some((output, [y, x])),
                        _ => None,
                    }
                };
                pairs.extend((0..swept.len() - 1).filter_map(ends));
            }
            for _ in 0..HALVES {
                let middles: Vec<f32> = pairs.iter().map(|(_, [x, y])| 0.5 * (x + y)).collect();
                let got = self.along(k, &middles);
                for (i, (output, pair)) in pairs.iter_mut().enumerate() {
                    pair[usize::from(got[*output][i] != 0.0)] = middles[i];
                }
            }
            let ends: Vec<f32> = pairs.iter().flat_map(|(_, pair)| *pair).collect();
            self.take(self.beside(k, &ends), found);
        }
    }

    /// Elements where one stream has these values, and others are 1.
    fn beside(&self, stream: usize, values: &[f32]) -> Vec<Vec<f32>> {
        let dtype = Type::Data(self.plan.dtype);
        let own = || values.iter().map(|v| round(*v, dtype)).collect();
        let of = |k: usize| if k == stream { own() } else { vec![1.0; values.len()] };
        (0..self.plan.inputs.len()).map(of).collect()
    }

    /// The results there.
    fn along(&self, stream: usize, values: &[f32]) -> Vec<Vec<f32>> {
        let points = self.beside(stream, values);
        let streams: Vec<&[f32]> = points.iter().map(Vec::as_slice).collect();
        let number = |id: Id| self.numbers[id.index()] as f32;
        interpret_all(self.plan, &streams, number, Noise::None)
    }

    /// Elements around the worst that are known, a step away from each in every stream.
    fn around(&self, exponent: i32, random: &mut Random) -> Vec<Vec<f32>> {
        let mut points: Vec<Vec<f32>> = vec![Vec::new(); self.plan.inputs.len()];
        let size = libm::exp2f(exponent as f32);
        for (_, element) in self.worst.iter().flatten() {
            for _ in 0..STEPS[usize::from(self.plan.dtype == DType::F32)] {
                for (k, values) in points.iter_mut().enumerate() {
                    let step = if self.def.is_mask(k) { 0.0 } else { size * random.unit() };
                    let value = element[k] + element[k] * step;
                    values.push(round(value, Type::Data(self.plan.dtype)));
                }
            }
        }
        points
    }
}

/// The values of nodes that depend on attributes only; of others, NaN.
fn numbers(plan: &Plan, scalars: &[f64]) -> Vec<f64> {
    // Streams behind the operator's are functions of it.
    let unknown = vec![f64::NAN; plan.graph.nodes.len() + plan.inputs.len()];
    plan.graph.eval_all(&unknown, scalars)
}

/// Input streams that only multiply, and whose infinities are NaN where the formula is infinite: in `w + m w`, as
/// derivatives have it that share `w`, it is `inf - inf` where `m` is negative.
pub(super) fn lost(def: &OpDef, plan: &Plan) -> Vec<usize> {
    let graph = &def.specs[plan.spec].graph;
    let scalars = defaults(def, &plan.graph);
    let numbers = numbers(plan, &scalars);
    let mut all = points(def, plan, true, &mut Random(0x9e37_79b9_7f4a_7c15));
    all.iter_mut().for_each(|stream| drop(stream.drain(..stream.len().saturating_sub(JOINT))));
    let is_lost = |k: &usize| {
        if plan.inputs[*k].is_none() || def.is_mask(*k) {
            return false;
        }
        if roles::dependence(graph, *k) != Dependence::Affine {
            return false;
        }
        let mut points = all.clone();
        points[*k].fill(f32::INFINITY);
        let streams: Vec<&[f32]> = points.iter().map(Vec::as_slice).collect();
        let got = interpret_all(plan, &streams, |id: Id| numbers[id.index()] as f32, Noise::None);
        (0..JOINT).any(|i| {
            let at: Vec<f64> = points.iter().map(|stream| stream[i].into()).collect();
            // Far out functions have become nothing, and nothing times infinity is no number.
            let is_near = at.iter().all(|v| v.abs() <= 8.0 || v.is_infinite());
            let want = graph.eval(&at, &scalars);
            is_near && got.iter().zip(want).any(|(got, want)| got[i].is_nan() && want.is_infinite())
        })
    };
    (0..plan.inputs.len()).filter(is_lost).collect()
}

/// Exponents of a stream that is swept, of f16 and of other types: of normal numbers.
const EXPONENTS: [std::ops::Range<i32>; 2] = [-14..14, -30..14];
/// Points of each exponent.
const EACH: [usize; 2] = [1, 4];
/// Points that are spread evenly up to two sizes, each the other time: most functions bend below the lesser one.
const GRID: ([usize; 2], [f32; 2]) = ([64, 384], [20.0, 4.0]);
/// Points where all streams are of the order of 1.
const JOINT: usize = 128;
/// Exponents of what multiplies: of the order of 1, and so large that products leave it. Functions of f16 have its digits only.
const FACTORS: [std::ops::Range<i32>; 2] = [-3..3, -14..15];

/// For each stream its values: it is swept while others are of the order of 1.
fn points(def: &OpDef, plan: &Plan, all_of_them: bool, random: &mut Random) -> Vec<Vec<f32>> {
    let many = usize::from(all_of_them);
    let number = |k: usize| !def.is_mask(k);
    let mut all: Vec<Vec<f32>> = vec![Vec::new(); plan.inputs.len()];
    let mut turn = 0;
    let mut add = |swept: Option<(usize, f32)>, random: &mut Random| {
        turn += 1;
        let others = &FACTORS[if plan.dtype == DType::F16 { 0 } else { turn % 2 }];
        for (k, values) in all.iter_mut().enumerate() {
            let value = match swept {
                Some((stream, value)) if stream == k => value,
                _ if !number(k) => (random.unit() > 0.0) as u8 as f32,
                _ => random.of_order(others.clone()),
            };
            values.push(round(value, Type::Data(plan.dtype)));
        }
    };
    let swept = (0..plan.inputs.len()).filter(|k| plan.inputs[*k].is_some() && number(*k));
    for stream in swept {
        let exponents = EXPONENTS[usize::from(plan.dtype != DType::F16)].clone();
        for e in exponents.flat_map(|e| std::iter::repeat_n(e, EACH[many])) {
            let value = random.of_order(e..e + 1);
            add(Some((stream, value)), random);
        }
        for k in 0..GRID.0[many] {
            let value = GRID.1[k % 2] * random.unit();
            add(Some((stream, value)), random);
        }
    }
    for stream in (0..plan.inputs.len()).filter(|k| number(*k)) {
        add(Some((stream, 0.0)), random);
    }
    (0..JOINT).for_each(|_| add(None, random));
    all
}

/// Numbers that look random, the same every time.
struct Random(u64);

impl Random {
    /// From -1 to 1.
    fn unit(&mut self) -> f32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// A number of either sign, its exponent anywhere in a range.
    fn of_order(&mut self, exponents: std::ops::Range<i32>) -> f32 {
        let (low, high) = (exponents.start as f32, exponents.end as f32);
        let e = low + (high - low) * 0.5 * (1.0 + self.unit());
        (libm::exp2f(e)).copysign(self.unit())
    }
}
