//! The elements that plans are judged at, with their reference results.
//!
//! They are computed once for all plans of a specialisation.

use super::arithmetic::round;
use super::limits::defaults;
use super::output::Sizes;
use super::reference::{Reference, widened};
use crate::sequence::Type;
use op_dsl_ir::DType;
use op_dsl_ir::format::Format;
use op_dsl_ir::op::OpDef;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;

/// Elements at which plans are judged: some hundred per input, for each choice of attribute values.
pub(super) struct Samples<'d> {
    pub def: &'d OpDef,
    pub spec: usize,
    pub dtype: DType,
    /// For each input stream, true if it is a mask.
    masks: Vec<bool>,
    /// For each set of samples, the attribute values it is taken at; the default ones come first.
    attributes: Vec<Vec<f64>>,
    cases: Vec<OnceCell<Case<'d>>>,
    /// Whether sizes of inputs count in units of errors.
    sizes: Sizes,
}

/// The samples of an operator at one choice of attribute values.
pub(super) struct Case<'d> {
    pub scalars: Vec<f64>,
    pub reference: Reference<'d>,
    pub points: Points,
    /// Elements at which some plan exceeded its error budget.
    ///
    /// Every other plan is evaluated at them first. The search of a plan misses some of its bad elements, and those of related
    /// plans are mostly bad for it too.
    pub failures: RefCell<Points>,
    /// All numbers of the only input, once a plan was evaluated at them.
    all: OnceCell<Points>,
}

/// Elements at which a plan is evaluated, with their inputs and their reference results.
///
/// `streams` is indexed by input stream, `wants` by output, both then by element. `wants` is empty as long as the results are not
/// computed.
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

    /// Returns elements whose reference results are not computed yet.
    ///
    /// The results are computed on demand, because a search may end before it needs them.
    pub fn unknown(streams: Vec<Vec<f32>>) -> Points {
        Points { streams, wants: Vec::new() }
    }

    /// Returns the reference results of a range of elements: for each output, one value per element.
    ///
    /// Results that are not known yet are computed from `inputs`, the inputs of these elements.
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

    /// Returns a copy of the elements from index `first` on.
    pub fn from(&self, first: usize) -> Points {
        let streams = self.streams.iter().map(|stream| stream[first..].to_vec()).collect();
        let wants = self.wants.iter().map(|want| want[first..].to_vec()).collect();
        Points { streams, wants }
    }

    /// Appends element `i` of `of`, with its reference results `want`, one per output.
    pub fn push(&mut self, of: &Points, i: usize, want: impl ExactSizeIterator<Item = f64>) {
        self.streams.resize(of.streams.len(), Vec::new());
        self.wants.resize(want.len(), Vec::new());
        self.streams.iter_mut().zip(&of.streams).for_each(|(to, from)| to.push(from[i]));
        self.wants.iter_mut().zip(want).for_each(|(to, want)| to.push(want));
    }
}

impl<'d> Samples<'d> {
    pub fn new(def: &'d OpDef, spec: usize, dtype: DType, sizes: Sizes) -> Samples<'d> {
        let attributes = attributes(def, spec);
        let cases = attributes.iter().map(|_| OnceCell::new()).collect();
        let masks = (0..def.input_streams().len()).map(|k| def.is_mask(k)).collect();
        Samples { def, spec, dtype, masks, attributes, cases, sizes }
    }

    /// Returns the samples at each choice of attribute values, the default ones first.
    pub fn cases(&self) -> impl Iterator<Item = &Case<'d>> {
        self.cases.iter().enumerate().map(|(k, case)| case.get_or_init(|| self.case(k)))
    }

    /// Returns true if sizes of inputs may count in units of errors.
    pub fn count_sizes(&self) -> bool {
        self.cases().any(|case| case.reference.counts_sizes())
    }

    fn case(&self, k: usize) -> Case<'d> {
        let scalars = self.attributes[k].clone();
        let (sizes, own) = (self.sizes, scalars.clone());
        let reference = Reference::counting(sizes, self.def, self.spec, self.dtype, own);
        let points = Points::new(self.points(k), &reference);
        Case { scalars, reference, points, failures: RefCell::default(), all: OnceCell::new() }
    }

    /// Returns true if the formula reads an input stream and the stream holds numbers, not a mask.
    ///
    /// Samples sweep such streams, one at a time.
    pub fn is_swept(&self, stream: usize) -> bool {
        self.def.specs[self.spec].graph.reads(stream) && !self.masks[stream]
    }

    /// Returns true if the formula has one input, of 16 bits: few enough elements to evaluate a plan at all of them.
    pub fn are_few(&self) -> bool {
        self.dtype.is_narrow() && self.masks == [false]
    }

    /// Returns all finite numbers of the only input, with their reference results.
    pub fn all<'c>(&self, case: &'c Case<'_>) -> &'c Points {
        case.all.get_or_init(|| {
            let format = Format::of(self.dtype);
            let numbers = (0..=u16::MAX).map(|bits| format.decode(bits.into()) as f32);
            Points::new(vec![numbers.filter(|x| x.is_finite()).collect()], &case.reference)
        })
    }

    pub fn streams(&self) -> usize {
        self.masks.len()
    }

    /// Returns true if an input stream is a mask.
    pub fn is_mask(&self, stream: usize) -> bool {
        self.masks[stream]
    }

    pub fn rounded(&self, value: f32) -> f32 {
        round(value, Type::Data(self.dtype))
    }
}

/// Returns the attribute values that plans are judged at, the default ones first.
///
/// The others change one attribute at a time, to a quarter and to four times its default; for example, 1 becomes 0.25 and 4.
pub(super) fn attributes(def: &OpDef, spec: usize) -> Vec<Vec<f64>> {
    let spec = &def.specs[spec];
    let graphs = [Some(&spec.graph), spec.wide.as_ref().map(|wide| &wide.graph)];
    let all = graphs.into_iter().flatten().map(|graph| defaults(def, graph));
    let usual = all.max_by_key(Vec::len).unwrap_or_default();
    let others = |v: f64| if v == 0.0 { [0.25, 4.0] } else { [0.25 * v, 4.0 * v] };
    let with = |k: usize, v: f64| [&usual[..k], &[v], &usual[k + 1..]].concat();
    let changed = (0..usual.len()).flat_map(|k| others(usual[k]).map(|v| with(k, v)));
    [usual.clone()].into_iter().chain(changed).collect()
}

/// Binary exponents of the swept input: in f16, and in other types.
///
/// One input at a time is swept through these sizes, while the others are random. All are exponents of normal numbers.
const EXPONENTS: [Range<i32>; 2] = [-14..14, -30..14];
/// Number of samples per binary exponent: at non-default attribute values, and at default ones.
///
/// Defaults have more, because nearly all calls use them.
const EACH: [usize; 2] = [1, 4];
/// Samples spread evenly over a range around 0: their numbers, and two half-widths of the range.
///
/// The numbers are those at non-default and at default attribute values. The two half-widths are used alternately, because most
/// functions bend below the lesser one.
const GRID: ([usize; 2], [f32; 2]) = ([64, 384], [20.0, 4.0]);
/// Number of samples at which all input streams are of the order of 1.
const JOINT: usize = 128;
/// Ranges of binary exponents of the inputs that are random while another input is swept.
///
/// The first is of the order of 1, the second so large that products overflow. In f16 only the first range is used, because
/// functions in f16 have only the digits of f16.
const FACTORS: [Range<i32>; 2] = [-3..3, -14..15];

/// Greatest relative distance from a power of two of inputs that are drawn just above it.
///
/// They are drawn because the unit in the last place is largest there compared with the number.
const LOW: f32 = 1.0 / 64.0;

impl Samples<'_> {
    /// Returns samples at choice `case` of attribute values: for each stream, one value per element.
    ///
    /// One stream is swept at a time, while the others are random.
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
                    _ if self.masks[k] => random.truth(),
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

    /// Draws `count` random elements: for each stream, one value per element.
    ///
    /// The ranges of binary exponents `orders` are used in turn. About every other number has a significand just above 1, where a
    /// rounding is largest in proportion.
    pub fn drawn(&self, count: usize, orders: &[Range<i32>], random: &mut Random) -> Vec<Vec<f32>> {
        let mut all: Vec<Vec<f32>> = vec![Vec::new(); self.streams()];
        for i in 0..count {
            for (k, values) in all.iter_mut().enumerate() {
                let value = match self.masks[k] {
                    true => random.truth(),
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

    /// Returns the samples at which all streams are of the order of 1.
    ///
    /// For each stream, these are one value per element.
    pub fn joint(&self) -> Vec<Vec<f32>> {
        let all = self.cases().next().map_or(&[][..], |case| &case.points.streams);
        all.iter().map(|stream| stream[stream.len().saturating_sub(JOINT)..].to_vec()).collect()
    }
}

/// Pseudo-random numbers (linear congruential), the same in every run so that plans are reproducible.
pub(super) struct Random(u64);

impl Random {
    pub fn new(seed: usize) -> Random {
        Random(0x9e37_79b9_7f4a_7c15 + seed as u64)
    }

    /// Returns a number from -1 to 1.
    pub fn unit(&mut self) -> f32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Returns 0 or 1.
    pub fn truth(&mut self) -> f32 {
        f32::from(self.unit() > 0.0)
    }

    /// Returns a number of random sign whose binary exponent is spread evenly over a range.
    pub fn of_order(&mut self, exponents: Range<i32>) -> f32 {
        let (low, high) = (exponents.start as f32, exponents.end as f32);
        let e = low + (high - low) * 0.5 * (1.0 + self.unit());
        (libm::exp2f(e)).copysign(self.unit())
    }
}
