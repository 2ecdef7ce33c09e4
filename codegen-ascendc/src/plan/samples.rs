//! The elements that plans are judged at, and what is right there: made once for all plans of a specialisation.

use super::arithmetic::round;
use super::limits::defaults;
use super::reference::{Reference, widened};
use crate::sequence::Type;
use op_dsl_ir::DType;
use op_dsl_ir::op::OpDef;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;

/// The elements of a specialisation: for each choice of attributes some hundred of each input.
pub(super) struct Samples<'d> {
    pub def: &'d OpDef,
    pub spec: usize,
    pub dtype: DType,
    /// For each stream, true if it is a mask.
    masks: Vec<bool>,
    /// The values of attributes, those by default first.
    attributes: Vec<Vec<f64>>,
    cases: Vec<OnceCell<Case<'d>>>,
}

/// Elements where attributes have certain values.
pub(super) struct Case<'d> {
    pub scalars: Vec<f64>,
    pub reference: Reference<'d>,
    pub points: Points,
    /// Elements at which some plan is over its budget. They are the first samples of every other plan: the search of a plan
    /// misses some of its bad elements, and those of its relatives are mostly bad for it too.
    pub failures: RefCell<Points>,
}

/// Inputs by stream, and right results by output; none where they are not known yet.
#[derive(Clone, Default)]
pub(super) struct Points {
    pub streams: Vec<Vec<f32>>,
    pub wants: Vec<Vec<f64>>,
}

impl Points {
    pub fn new(streams: Vec<Vec<f32>>, reference: &Reference<'_>) -> Points {
        let widened: Vec<Vec<f64>> = streams.iter().map(|stream| widened(stream)).collect();
        let wants = reference.columns(&widened);
        Points { streams, wants }
    }

    /// Elements whose right results are computed when a search gets to them, because it may end before.
    pub fn unknown(streams: Vec<Vec<f32>>) -> Points {
        Points { streams, wants: Vec::new() }
    }

    /// The right results of some elements, by output, from their inputs where they are not known yet.
    pub fn wants(
        &self,
        elements: Range<usize>,
        inputs: &[Vec<f64>],
        reference: &Reference<'_>,
    ) -> Vec<Cow<'_, [f64]>> {
        match self.wants.is_empty() {
            true => reference.columns(inputs).into_iter().map(Cow::Owned).collect(),
            false => self.wants.iter().map(|want| Cow::Borrowed(&want[elements.clone()])).collect(),
        }
    }

    pub fn count(&self) -> usize {
        self.streams.first().map_or(0, Vec::len)
    }

    /// The elements from one on.
    pub fn from(&self, first: usize) -> Points {
        let streams = self.streams.iter().map(|stream| stream[first..].to_vec()).collect();
        let wants = self.wants.iter().map(|want| want[first..].to_vec()).collect();
        Points { streams, wants }
    }

    /// Adds an element of others.
    pub fn push(&mut self, of: &Points, i: usize, want: impl ExactSizeIterator<Item = f64>) {
        self.streams.resize(of.streams.len(), Vec::new());
        self.wants.resize(want.len(), Vec::new());
        self.streams.iter_mut().zip(&of.streams).for_each(|(to, from)| to.push(from[i]));
        self.wants.iter_mut().zip(want).for_each(|(to, want)| to.push(want));
    }
}

impl<'d> Samples<'d> {
    pub fn new(def: &'d OpDef, spec: usize, dtype: DType) -> Samples<'d> {
        let attributes = attributes(def, spec);
        let cases = attributes.iter().map(|_| OnceCell::new()).collect();
        let masks = (0..def.input_streams().len()).map(|k| def.is_mask(k)).collect();
        Samples { def, spec, dtype, masks, attributes, cases }
    }

    /// The elements for each choice of attributes, those by default first.
    pub fn cases(&self) -> impl Iterator<Item = &Case<'d>> {
        self.cases.iter().enumerate().map(|(k, case)| case.get_or_init(|| self.case(k)))
    }

    fn case(&self, k: usize) -> Case<'d> {
        let scalars = self.attributes[k].clone();
        let reference = Reference::new(self.def, self.spec, self.dtype, scalars.clone());
        let points = Points::new(self.points(k), &reference);
        Case { scalars, reference, points, failures: RefCell::default() }
    }

    /// Tells if a stream holds numbers, no mask, and is read.
    pub fn is_swept(&self, stream: usize) -> bool {
        self.def.specs[self.spec].graph.reads(stream) && !self.masks[stream]
    }

    pub fn streams(&self) -> usize {
        self.masks.len()
    }

    /// Tells if a stream is a mask.
    pub fn is_mask(&self, stream: usize) -> bool {
        self.masks[stream]
    }

    pub fn rounded(&self, value: f32) -> f32 {
        round(value, Type::Data(self.dtype))
    }
}

/// The values of attributes that plans are judged at, those by default first.
fn attributes(def: &OpDef, spec: usize) -> Vec<Vec<f64>> {
    let spec = &def.specs[spec];
    let graphs = [Some(&spec.graph), spec.wide.as_ref().map(|wide| &wide.graph)];
    let all = graphs.into_iter().flatten().map(|graph| defaults(def, graph));
    let usual = all.max_by_key(Vec::len).unwrap_or_default();
    let others = |v: f64| if v == 0.0 { [0.25, 4.0] } else { [0.25 * v, 4.0 * v] };
    let with = |k: usize, v: f64| [&usual[..k], &[v], &usual[k + 1..]].concat();
    let changed = (0..usual.len()).flat_map(|k| others(usual[k]).map(|v| with(k, v)));
    [usual.clone()].into_iter().chain(changed).collect()
}

/// Exponents of a stream that is swept, of f16 and of other types: of normal numbers.
const EXPONENTS: [Range<i32>; 2] = [-14..14, -30..14];
/// Points of each exponent.
const EACH: [usize; 2] = [1, 4];
/// Points that are spread evenly up to two sizes, each the other time: most functions bend below the lesser one.
const GRID: ([usize; 2], [f32; 2]) = ([64, 384], [20.0, 4.0]);
/// Points where all streams are of the order of 1.
const JOINT: usize = 128;
/// Exponents of what multiplies: of the order of 1, and so large that products leave it. Functions of f16 have its digits only.
const FACTORS: [Range<i32>; 2] = [-3..3, -14..15];

/// How far above a power of two the lower significands are.
const LOW: f32 = 1.0 / 64.0;

impl Samples<'_> {
    /// For each stream its values, at a choice of attributes: it is swept while others are of the order of 1.
    fn points(&self, case: usize) -> Vec<Vec<f32>> {
        let (many, mut random) = (usize::from(case == 0), Random::new(case));
        let is_half = self.dtype == DType::F16;
        let mut all: Vec<Vec<f32>> = vec![Vec::new(); self.streams()];
        let mut turn = 0;
        let mut add = |swept: Option<(usize, f32)>, random: &mut Random| {
            turn += 1;
            let others = &FACTORS[if is_half { 0 } else { turn % 2 }];
            for (k, values) in all.iter_mut().enumerate() {
                let value = match swept {
                    Some((stream, value)) if stream == k => value,
                    _ if self.masks[k] => (random.unit() > 0.0) as u8 as f32,
                    _ => random.of_order(others.clone()),
                };
                values.push(self.rounded(value));
            }
        };
        for stream in (0..self.streams()).filter(|k| self.is_swept(*k)) {
            let exponents = EXPONENTS[usize::from(!is_half)].clone();
            for e in exponents.flat_map(|e| std::iter::repeat_n(e, EACH[many])) {
                let value = random.of_order(e..e + 1);
                add(Some((stream, value)), &mut random);
            }
            for k in 0..GRID.0[many] {
                let value = GRID.1[k % 2] * random.unit();
                add(Some((stream, value)), &mut random);
            }
        }
        for stream in (0..self.streams()).filter(|k| !self.masks[*k]) {
            add(Some((stream, 0.0)), &mut random);
        }
        (0..JOINT).for_each(|_| add(None, &mut random));
        all
    }

    /// Elements with all streams drawn at random, their exponents from each of these ranges by turns. The significand of every
    /// other number is just above 1, where a rounding is the most that it is in proportion.
    pub fn drawn(&self, count: usize, orders: &[Range<i32>], random: &mut Random) -> Vec<Vec<f32>> {
        let mut all: Vec<Vec<f32>> = vec![Vec::new(); self.streams()];
        for i in 0..count {
            for (k, values) in all.iter_mut().enumerate() {
                let value = match self.masks[k] {
                    true => (random.unit() > 0.0) as u8 as f32,
                    false => random.of_order(orders[i % orders.len()].clone()),
                };
                let is_low = random.unit() > 0.0 && value.is_normal();
                let low = libm::exp2f(libm::floorf(libm::log2f(value.abs()))).copysign(value);
                let value = if is_low { low * (1.0 + LOW * random.unit().abs()) } else { value };
                values.push(self.rounded(value));
            }
        }
        all
    }

    /// Elements where all streams are of the order of 1.
    pub fn joint(&self) -> Vec<Vec<f32>> {
        let all = self.cases().next().map_or(&[][..], |case| &case.points.streams);
        all.iter().map(|stream| stream[stream.len().saturating_sub(JOINT)..].to_vec()).collect()
    }
}

/// Numbers that look random, the same every time.
pub(super) struct Random(u64);

impl Random {
    pub fn new(seed: usize) -> Random {
        Random(0x9e37_79b9_7f4a_7c15 + seed as u64)
    }

    /// From -1 to 1.
    pub fn unit(&mut self) -> f32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// A number of either sign, its exponent anywhere in a range.
    pub fn of_order(&mut self, exponents: Range<i32>) -> f32 {
        let (low, high) = (exponents.start as f32, exponents.end as f32);
        let e = low + (high - low) * 0.5 * (1.0 + self.unit());
        (libm::exp2f(e)).copysign(self.unit())
    }
}
