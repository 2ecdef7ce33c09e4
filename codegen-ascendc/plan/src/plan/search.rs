//! Finds the elements at which a plan is least accurate: at samples, then around the worst of them.
//!
//! There are some hundred samples, followed by a local search. Rounding makes errors look random from one element to the next, so
//! a few hundred samples of a bad region miss its worst elements. For example, gelu' in f32 was within 8 ulp at all samples, and
//! 10.65 ulp off beside its minimum. Random steps around the worst samples, smaller from round to round, find what a hundred
//! times as many samples find.
//!
//! A plan that passes is attacked before it is taken: the same search with more elements, starting from ones that are drawn at
//! random in all inputs at once. A function of one 16-bit input is evaluated at all of its numbers instead. An element at which a
//! plan fails is the first sample of every other plan.
//!
//! Attributes take their defaults and other values, because some defaults hide errors: `c tanh(x / c)` loses no digits near zero
//! where `c` is 1.

use super::accuracy::Accuracy;
use super::arithmetic::Noise;
use super::interpret::interpret_all;
use super::limits::uniforms;
use super::planned::Plan;
use super::reference::widened;
use super::samples::{Case, Points, Random, Samples};
use op_dsl_ir::roles::{self, Dependence};
use op_dsl_ir::{DType, Id};

/// Number of worst samples around which the search continues, for each output.
const KEPT: usize = 5;
/// Number of random steps around each of the worst samples in a round: in 16 bits, and in `float`.
///
/// `float` has more, because its errors differ from one element to the next.
const STEPS: [usize; 2] = [24, 96];
/// Binary exponent of the largest relative step of each round, in 16 bits.
///
/// The last one is about the unit in the last place.
const ROUNDS: [i32; 4] = [-2, -4, -6, -7];
const ROUNDS_F32: [i32; 4] = [-3, -5, -8, -13];
/// Number of elements that are evaluated before the search checks if an error reaches its limit.
///
/// There are many, because formulas and plans are evaluated column by column, and few enough that a bad plan is given up early.
const CHUNK: usize = 512;

/// Number of elements that each round of an attack evaluates: in 16 bits, and in `float`.
///
/// An attack is a longer search that starts from random elements.
const ATTACK: [usize; 2] = [512, 3072];
/// Number of attacks on a plan in 16 bits, and on one in `float` that is just within its error budget, or over it, for each two inputs.
///
/// One attack is not enough: one found an error of 7.5 ulp where eight found 9.4 ulp. Four are not either: of plans that were just
/// within 8 ulp at four, eight others found two beyond it, one of 9.0 ulp. In 16 bits the error of a plan does not tell if more are
/// needed: it is that of rounding the result, but for a few elements where terms cancel or a factor has no digits left.
/// More inputs take more attacks: of a plan of six inputs, eight found 7.3 ulp where forty-eight others found 8.8.
const ATTACKS: usize = 8;
/// Share of the sufficient error up to which a plan in `float` is attacked only once.
///
/// Beyond it the other attacks follow, because one attack found an error of 6.9 ulp where eight found 8.1 ulp.
const FIRST: f64 = 0.85;
/// Number of worst elements around which each round of an attack continues, for each output.
const ATTACKED: usize = 24;
/// Number of rounds of an attack after the first, and the ratio of step sizes from round to round.
const ATTACK_ROUNDS: (i32, f32) = (7, 0.35);
/// Ranges of binary exponents of the random inputs in the first round of an attack, used in turn.
///
/// One is near 1, because most functions bend there; the other has terms of different sizes.
const ORDERS: [std::ops::Range<i32>; 2] = [-3..3, -10..10];

/// Largest `|x|` at which the search looks for inputs where a result vanishes.
///
/// [`HALVES`] is the number of bisections that locate such an input.
const EDGES: i32 = 128;
const HALVES: usize = 24;

/// Returns the largest error of a plan that sampling, a local search and attacks find.
///
/// An attack is a longer search that starts from random elements. In `float`, a plan is attacked again only if its error exceeds the
/// share [`FIRST`] of `enough`. The search ends at the first error of at least `limit`.
pub(super) fn under_attack(
    samples: &Samples<'_>,
    plan: &Plan,
    enough: f64,
    limit: f64,
) -> Accuracy {
    let mut search = Search::new(samples, plan, limit);
    let mut random = Random::new(0);
    let mut is_through = samples.cases().all(|case| search.judge(case, &mut random).is_some());
    if samples.are_few() {
        let _ = is_through.then(|| samples.cases().try_for_each(|case| search.sweep(case)));
        return search.found;
    }
    let mut random = Random::new(1);
    for attack in 0..ATTACKS * samples.streams().div_ceil(2) {
        let is_open = attack == 0 || plan.dtype.is_narrow() || search.found.error > FIRST * enough;
        if is_through && is_open {
            is_through = samples.cases().all(|case| search.attack(case, &mut random).is_some());
        }
    }
    search.found
}

/// First seed of attacks that no search makes: searches draw by 0 and 1.
const UNUSED: usize = 2;

/// Returns the largest error of a plan that `attacks` attacks find, at elements that no search draws.
///
/// Each `set` of attacks draws others. Unlike [`under_attack`], it does not end at a limit, and it keeps no failure for other plans.
pub(super) fn attacked(samples: &Samples<'_>, plan: &Plan, attacks: usize, set: usize) -> Accuracy {
    let mut search = Search::new(samples, plan, f64::INFINITY);
    let mut random = Random::new(UNUSED + set);
    for case in (0..attacks).flat_map(|_| samples.cases()) {
        let _ = search.attack(case, &mut random);
    }
    search.found
}

/// Returns the largest error of a plan at the fixed samples and around the worst of them.
///
/// Elements at which other plans failed are left out.
pub(super) fn at_samples(samples: &Samples<'_>, plan: &Plan) -> Accuracy {
    let mut search = Search::new(samples, plan, f64::INFINITY);
    let mut random = Random::new(0);
    for case in samples.cases() {
        let failures = case.failures.take();
        let _ = search.judge(case, &mut random);
        case.failures.replace(failures);
    }
    search.found
}

/// Returns the largest error of a plan at the elements where other plans exceeded their budget.
///
/// `seen` counts, for each choice of attribute values, the elements that were evaluated before; these are skipped.
pub(super) fn at_failures(samples: &Samples<'_>, plan: &Plan, seen: &mut Vec<usize>) -> Accuracy {
    let mut search = Search::new(samples, plan, f64::INFINITY);
    search.found = plan.accuracy.clone();
    for (k, case) in samples.cases().enumerate() {
        seen.resize(seen.len().max(k + 1), 0);
        let failures = case.failures.borrow().from(seen[k]);
        seen[k] += failures.count();
        if failures.count() > 0 {
            let numbers = numbers(plan, &case.scalars);
            let _ = search.take(case, &numbers, &failures, &mut search.none());
        }
    }
    search.found
}

/// A search for the elements at which a plan is least accurate.
struct Search<'p, 'd> {
    samples: &'p Samples<'d>,
    plan: &'p Plan,
    limit: f64,
    found: Accuracy,
    /// Number of worst elements to keep for each output, around which the search continues.
    kept: usize,
    /// Number of elements evaluated so far.
    seen: usize,
}

/// For each output, the elements with the largest errors so far: error and inputs, the largest first.
type Worst = Vec<Vec<(f64, Vec<f32>)>>;

impl<'p, 'd> Search<'p, 'd> {
    fn new(samples: &'p Samples<'d>, plan: &'p Plan, limit: f64) -> Self {
        Search { samples, plan, limit, found: Accuracy::new(plan.dtype), kept: KEPT, seen: 0 }
    }

    /// Returns an empty list of worst elements for each output.
    fn none(&self) -> Worst {
        vec![Vec::new(); self.plan.outputs.len()]
    }

    /// Evaluates the plan at the fixed samples, then around the worst of them.
    ///
    /// Returns `None` as soon as an error reaches `self.limit`, otherwise `Some(())`.
    fn judge(&mut self, case: &Case<'_>, random: &mut Random) -> Option<()> {
        self.kept = KEPT;
        let numbers = numbers(self.plan, &case.scalars);
        let mut worst = self.none();
        let failures = case.failures.borrow().clone();
        self.take(case, &numbers, &failures, &mut worst)?;
        self.take(case, &numbers, &case.points, &mut worst)?;
        for stream in (0..self.samples.streams()).filter(|k| self.samples.is_swept(*k)) {
            let edges = Points::unknown(self.edges(&numbers, stream));
            self.take(case, &numbers, &edges, &mut worst)?;
        }
        for round in if self.plan.dtype == DType::F32 { ROUNDS_F32 } else { ROUNDS } {
            let steps = STEPS[usize::from(self.plan.dtype == DType::F32)];
            let size = libm::exp2f(round as f32);
            let around = Points::unknown(self.around(&worst, size, steps, random));
            self.take(case, &numbers, &around, &mut worst)?;
        }
        Some(())
    }

    /// Evaluates the plan at all numbers of its only input.
    ///
    /// Returns `None` as soon as an error reaches `self.limit`, otherwise `Some(())`.
    fn sweep(&mut self, case: &Case<'_>) -> Option<()> {
        let numbers = numbers(self.plan, &case.scalars);
        self.take(case, &numbers, self.samples.all(case), &mut self.none())
    }

    /// Evaluates the plan at random elements, then round by round around the worst of them.
    ///
    /// Returns `None` as soon as an error reaches `self.limit`, otherwise `Some(())`.
    fn attack(&mut self, case: &Case<'_>, random: &mut Random) -> Option<()> {
        self.kept = ATTACKED;
        let (numbers, mut worst) = (numbers(self.plan, &case.scalars), self.none());
        let failures = case.failures.borrow().clone();
        self.take(case, &numbers, &failures, &mut worst)?;
        let count = ATTACK[usize::from(self.plan.dtype == DType::F32)];
        let first = Points::unknown(self.samples.drawn(count, &ORDERS, random));
        self.take(case, &numbers, &first, &mut worst)?;
        let steps = count.div_ceil(ATTACKED * worst.len());
        let (rounds, share) = ATTACK_ROUNDS;
        let mut size = share;
        for _ in 0..rounds {
            let around = Points::unknown(self.around(&worst, size, steps, random));
            self.take(case, &numbers, &around, &mut worst)?;
            size *= share;
        }
        Some(())
    }

    /// Evaluates the plan at `points` and records its errors; `None` once one reaches `self.limit`.
    ///
    /// `worst` receives the elements with the largest errors, for each output.
    fn take(
        &mut self,
        case: &Case<'_>,
        numbers: &[f32],
        points: &Points,
        worst: &mut Worst,
    ) -> Option<()> {
        let kept = self.kept;
        let least = |worst: &[(f64, Vec<f32>)]| worst.get(kept - 1).map_or(0.0, |worst| worst.0);
        for from in (0..points.count()).step_by(CHUNK) {
            let chunk = from..points.count().min(from + CHUNK);
            let streams: Vec<&[f32]> = points.streams.iter().map(|s| &s[chunk.clone()]).collect();
            let inputs: Vec<Vec<f64>> = streams.iter().map(|stream| widened(stream)).collect();
            let results = self.run(numbers, &streams).into_iter().map(|stream| widened(&stream));
            let results: Vec<Vec<f64>> = results.collect();
            let wants = points.wants(chunk.clone(), &inputs, &case.reference);
            let errors = |(output, got): (usize, &Vec<f64>)| {
                let judged = (least(&worst[output]), self.limit);
                case.reference.errors(&inputs, output, &wants[output], got, judged)
            };
            let errors: Vec<Vec<Option<f64>>> = results.iter().enumerate().map(errors).collect();
            for i in chunk.clone() {
                for (output, error) in errors.iter().enumerate() {
                    let Some(error) = error[i - from] else { continue };
                    if error > self.found.error || self.found.worst.is_none() {
                        let at: Vec<f64> = inputs.iter().map(|stream| stream[i - from]).collect();
                        let (got, want) = (results[output][i - from], wants[output][i - from]);
                        self.found.set(output, self.seen, error, &at, got, want);
                    }
                    let worst = &mut worst[output];
                    if error > least(worst) || worst.len() < kept {
                        let place = worst.partition_point(|known| known.0 >= error);
                        let element = points.streams.iter().map(|stream| stream[i]).collect();
                        worst.insert(place, (error, element));
                        worst.truncate(kept);
                    }
                }
                self.seen += 1;
                if self.found.error >= self.limit {
                    let want = wants.iter().map(|want| want[i - from]);
                    case.failures.borrow_mut().push(points, i, want);
                    return None;
                }
            }
        }
        Some(())
    }

    fn run(&self, numbers: &[f32], streams: &[&[f32]]) -> Vec<Vec<f32>> {
        interpret_all(self.plan, streams, |id: Id| numbers[id.index()], Noise::None)
    }

    /// Returns elements on both sides of each value of input `stream` at which a result vanishes.
    ///
    /// For each stream, these are one value per element. A result vanishes where it becomes 0 or, in types with the range of `float`, is
    /// no normal number any more. A tail may be cut off where it still is a normal number, because an exponential has overflowed, to 0
    /// or to another term that is smaller. Samples miss this strip, because it is narrow.
    fn edges(&self, numbers: &[f32], stream: usize) -> Vec<Vec<f32>> {
        let along = |values: &[f32]| {
            let points = self.beside(stream, values);
            let streams: Vec<&[f32]> = points.iter().map(Vec::as_slice).collect();
            self.run(numbers, &streams)
        };
        let swept: Vec<f32> = (-EDGES..=EDGES).map(|x| x as f32).collect();
        let mut pairs: Vec<(usize, [f32; 2])> = Vec::new();
        let least = if self.plan.dtype.has_f32_range() { f32::MIN_POSITIVE } else { 0.0 };
        let is_gone = |got: f32| got == 0.0 || got.abs() < least;
        for (output, got) in along(&swept).iter().enumerate() {
            let ends = |i: usize| {
                let (x, y) = (swept[i], swept[i + 1]);
                match (is_gone(got[i]), is_gone(got[i + 1])) {
                    (true, false) => Some((output, [x, y])),
                    (false, true) => Some((output, [y, x])),
                    _ => None,
                }
            };
            pairs.extend((0..swept.len() - 1).filter_map(ends));
        }
        for _ in 0..HALVES {
            let middles: Vec<f32> = pairs.iter().map(|(_, [x, y])| 0.5 * (x + y)).collect();
            let got = along(&middles);
            for (i, (output, pair)) in pairs.iter_mut().enumerate() {
                pair[usize::from(!is_gone(got[*output][i]))] = middles[i];
            }
        }
        let ends: Vec<f32> = pairs.iter().flat_map(|(_, pair)| *pair).collect();
        self.beside(stream, &ends)
    }

    /// Returns elements with the given values of stream `stream` and 1 in all other streams.
    ///
    /// For each stream, these are one value per element.
    fn beside(&self, stream: usize, values: &[f32]) -> Vec<Vec<f32>> {
        let own = || values.iter().map(|v| self.samples.rounded(*v)).collect();
        let of = |k: usize| if k == stream { own() } else { vec![1.0; values.len()] };
        (0..self.samples.streams()).map(of).collect()
    }

    /// Returns `steps` random elements around each of the worst elements.
    ///
    /// In every stream, they differ from the worst element by up to the relative step `size`.
    fn around(&self, worst: &Worst, size: f32, steps: usize, random: &mut Random) -> Vec<Vec<f32>> {
        let mut points: Vec<Vec<f32>> = vec![Vec::new(); self.samples.streams()];
        for (_, element) in worst.iter().flatten() {
            for _ in 0..steps {
                for (k, values) in points.iter_mut().enumerate() {
                    let is_mask = self.samples.is_mask(k);
                    let step = if is_mask { 0.0 } else { size * random.unit() };
                    values.push(self.samples.rounded(element[k] + element[k] * step));
                }
            }
        }
        points
    }
}

/// For each node of the plan's graph, returns its value at attribute values `scalars`.
///
/// The value is NaN for nodes that depend on input streams.
fn numbers(plan: &Plan, scalars: &[f64]) -> Vec<f32> {
    uniforms(&plan.graph, scalars).into_iter().map(|v| v as f32).collect()
}

/// Returns the input streams at whose infinities the plan gives NaN where the formula is infinite.
///
/// Only streams that multiply terms are tried, such as incoming gradients. For example, `w + m w`, which occurs in derivatives
/// whose terms share `w`, is `inf - inf` where `w` is infinite and `m` is negative.
pub(super) fn lost(samples: &Samples<'_>, plan: &Plan) -> Vec<usize> {
    let graph = &samples.def.specs[plan.spec].graph;
    let Some(case) = samples.cases().next() else { return Vec::new() };
    let (numbers, all) = (numbers(plan, &case.scalars), samples.joint());
    let is_lost = |k: &usize| {
        if roles::dependence(graph, *k) != Dependence::Affine {
            return false;
        }
        let mut points = all.clone();
        points[*k].fill(f32::INFINITY);
        let streams: Vec<&[f32]> = points.iter().map(Vec::as_slice).collect();
        let got = interpret_all(plan, &streams, |id: Id| numbers[id.index()], Noise::None);
        (0..points[*k].len()).any(|i| {
            let at: Vec<f64> = points.iter().map(|stream| stream[i].into()).collect();
            // Far out, functions have underflowed to 0, and 0 times infinity is NaN in any plan, so only elements near 0 count.
            let is_near = at.iter().all(|v| v.abs() <= 8.0 || v.is_infinite());
            let want = graph.eval(&at, &case.scalars);
            is_near && got.iter().zip(want).any(|(got, want)| got[i].is_nan() && want.is_infinite())
        })
    };
    (0..plan.inputs.len()).filter(|k| samples.is_swept(*k)).filter(is_lost).collect()
}
