//! Where a plan is least accurate: at some hundred samples, then by a local search around the worst of them.
//!
//! Rounding makes errors look random from one element to the next, so a few hundred samples of a region that is bad miss
//! its worst elements: gelu' in f32 was within 8 ulp at all samples, and 10.65 ulp off beside its least value. Random steps
//! around the worst samples, smaller from round to round, find what a hundred times as many samples find.
//!
//! A plan that passes there is attacked before it is taken: the same search with more of all, from elements that are drawn
//! at random in all inputs at once. An element that fails a plan is the first sample of every other plan.
//!
//! Attributes have the values that they have by default, and others: `c tanh(x / c)` loses no digits near zero where `c` is 1.

use super::accuracy::Accuracy;
use super::arithmetic::Noise;
use super::interpret::interpret_all;
use super::planned::Plan;
use super::reference::widened;
use super::samples::{Case, Points, Random, Samples};
use op_dsl_ir::roles::{self, Dependence};
use op_dsl_ir::{DType, Id};

/// Samples of the worst that are searched around, for each output.
const KEPT: usize = 5;
/// Steps around each of them, in a round: of 16 bits, and of `float`, where errors differ from one element to the next.
const STEPS: [usize; 2] = [24, 96];
/// The largest relative step of each round, by its exponent. Steps of 16 bits end at their unit.
const ROUNDS: [i32; 4] = [-2, -4, -6, -7];
const ROUNDS_F32: [i32; 4] = [-3, -5, -8, -13];
/// Elements that are computed before it is looked whether the search goes on.
const CHUNK: usize = 512;

/// Elements of an attack in its first round and in each other, of 16 bits and of `float`.
const ATTACK: [usize; 2] = [512, 3072];
/// Attacks of a plan that is just within its budget, or of those that are not: one found 7.5 ulp where eight found 9.4.
const ATTACKS: usize = 4;
/// Elements of the worst that each round is spread around, for each output.
const ATTACKED: usize = 24;
/// The rounds after the first, and the share by which the largest step of each is smaller than that of the one before.
const ATTACK_ROUNDS: (i32, f32) = (7, 0.35);
/// Exponents of all inputs in the first round, by turns.
const ORDERS: [std::ops::Range<i32>; 2] = [-3..3, -10..10];

/// The size up to which it is looked for where results become 0, and how often a step is halved to find the place.
const EDGES: i32 = 128;
const HALVES: usize = 24;

/// The accuracy of a plan: at samples and around them, then under attack, which is repeated while an error is more than what is
/// enough. The search ends at an error as large as the limit.
pub(super) fn under_attack(
    samples: &Samples<'_>,
    plan: &Plan,
    enough: f64,
    limit: f64,
) -> Accuracy {
    let mut search = Search::new(samples, plan, limit);
    let mut random = Random::new(0);
    let mut is_through = samples.cases().all(|case| search.judge(case, &mut random).is_some());
    let mut random = Random::new(1);
    for attack in 0..ATTACKS {
        if is_through && (attack == 0 || search.found.error > enough) {
            is_through = samples.cases().all(|case| search.attack(case, &mut random).is_some());
        }
    }
    search.found
}

/// The accuracy of a plan at samples and around them, without those at which others failed.
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

/// The accuracy of a plan at the elements where others are over their budget, but for so many of each case that it was looked
/// at before.
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

/// A plan, and the worst that is known of it.
struct Search<'p, 'd> {
    samples: &'p Samples<'d>,
    plan: &'p Plan,
    limit: f64,
    found: Accuracy,
    /// Elements of the worst that are kept, for each output.
    kept: usize,
    /// Elements looked at so far.
    seen: usize,
}

/// For each output, elements with their errors, the largest first.
type Worst = Vec<Vec<(f64, Vec<f32>)>>;

impl<'p, 'd> Search<'p, 'd> {
    fn new(samples: &'p Samples<'d>, plan: &'p Plan, limit: f64) -> Self {
        Search { samples, plan, limit, found: Accuracy::new(plan.dtype), kept: KEPT, seen: 0 }
    }

    /// The worst of no elements.
    fn none(&self) -> Worst {
        vec![Vec::new(); self.plan.outputs.len()]
    }

    /// At samples and around the worst of them; `None` if an error is as large as the limit.
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

    /// From elements drawn at random to the worst around them; `None` if an error is as large as the limit.
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

    /// Takes in the results at elements; `None` if an error is as large as the limit.
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
                case.reference.errors(&inputs, output, &wants[output], got, least(&worst[output]))
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

    /// Elements at both sides of where results become 0 along a stream: a tail may be cut off where it still is a normal
    /// number, by an exponential that has become infinite, in a strip that samples miss.
    fn edges(&self, numbers: &[f32], stream: usize) -> Vec<Vec<f32>> {
        let along = |values: &[f32]| {
            let points = self.beside(stream, values);
            let streams: Vec<&[f32]> = points.iter().map(Vec::as_slice).collect();
            self.run(numbers, &streams)
        };
        let swept: Vec<f32> = (-EDGES..=EDGES).map(|x| x as f32).collect();
        let mut pairs: Vec<(usize, [f32; 2])> = Vec::new();
        for (output, got) in along(&swept).iter().enumerate() {
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
            let got = along(&middles);
            for (i, (output, pair)) in pairs.iter_mut().enumerate() {
                pair[usize::from(got[*output][i] != 0.0)] = middles[i];
            }
        }
        let ends: Vec<f32> = pairs.iter().flat_map(|(_, pair)| *pair).collect();
        self.beside(stream, &ends)
    }

    /// Elements where one stream has these values, and others are 1.
    fn beside(&self, stream: usize, values: &[f32]) -> Vec<Vec<f32>> {
        let own = || values.iter().map(|v| self.samples.rounded(*v)).collect();
        let of = |k: usize| if k == stream { own() } else { vec![1.0; values.len()] };
        (0..self.samples.streams()).map(of).collect()
    }

    /// Elements around the worst that are known, so many of each, up to a relative step away in every stream.
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

/// The values of nodes that depend on attributes only; of others, NaN.
fn numbers(plan: &Plan, scalars: &[f64]) -> Vec<f32> {
    // Streams behind the operator's are functions of it.
    let unknown = vec![f64::NAN; plan.graph.nodes.len() + plan.inputs.len()];
    plan.graph.eval_all(&unknown, scalars).into_iter().map(|v| v as f32).collect()
}

/// Input streams that only multiply, and whose infinities are NaN where the formula is infinite: in `w + m w`, as
/// derivatives have it that share `w`, it is `inf - inf` where `m` is negative.
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
            // Far out functions have become nothing, and nothing times infinity is no number.
            let is_near = at.iter().all(|v| v.abs() <= 8.0 || v.is_infinite());
            let want = graph.eval(&at, &case.scalars);
            is_near && got.iter().zip(want).any(|(got, want)| got[i].is_nan() && want.is_infinite())
        })
    };
    (0..plan.inputs.len()).filter(|k| samples.is_swept(*k)).filter(is_lost).collect()
}
