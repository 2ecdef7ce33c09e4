//! Verifies formulas with row functions such as `row_sum`: kernels compute whole rows, whose results are compared with those in
//! f64.
//!
//! Kernels round the terms of row functions to f32, so that a result may be off by the change that one unit in the last place of
//! every term causes, beside its own rounding. For example, `row_sum(x * y)` has one correct digit if the products are 1e6, -1e6
//! and 1, because a unit of 1e6 is 0.06. The terms of `row_sum(x)` are elements of an input, which are exact.

use super::bench::Bench;
use super::converted;
use super::formula::Formula;
use super::joint::Random;
use super::pass::{Effort, Pass, Role, attributes};
use super::sweep::{self, Measure, Outcome, Place};
use crate::error::Error;
use codegen_cpu::rt::simd::Level;
use op_dsl_ir::format::Format;
use op_dsl_ir::op::{Derived, Kind as TensorKind, Rule, Spec};
use op_dsl_ir::roles::has_surrogates;
use op_dsl_ir::row::{RowFormula, RowFunction};
use op_dsl_ir::{DType, Graph, Node};

/// Lengths of rows: one element, fewer elements than a vector has, whole vectors, and vectors with a remainder, because a kernel has a
/// loop for each.
const LENGTHS: [usize; 5] = [1, 2, 5, 16, 33];
/// Lengths of long rows, which are tested with usual numbers and the default attributes only.
///
/// This suffices, because their errors have the same causes as those of short rows, only with more additions.
const LONG: [usize; 2] = [130, 1000];

/// How the elements of a row are chosen.
#[derive(Clone, Copy)]
enum Kind {
    /// Random numbers up to this magnitude, in all streams.
    Random(f64),
    /// Random numbers whose largest magnitude differs from stream to stream.
    Mixed,
    /// All elements of a stream are the same number.
    Equal,
    /// Random numbers, except for one element of one stream, which is this infinity or NaN.
    With(f64),
}

/// Kinds of rows to test.
///
/// The usual kind comes first. For rows of that kind most results of 16 bits are correctly rounded.
const KINDS: [Kind; 11] = [
    Kind::Random(4.0),
    Kind::Random(4.0),
    Kind::Random(0.01),
    Kind::Random(1.0),
    Kind::Random(60.0),
    Kind::Random(1000.0),
    Kind::Mixed,
    Kind::Equal,
    Kind::With(f64::INFINITY),
    Kind::With(f64::NEG_INFINITY),
    Kind::With(f64::NAN),
];

/// Largest magnitudes of streams in rows of [`Kind::Mixed`].
const MIXED: [f64; 5] = [1.0, 1e-3, 30.0, 1e3, 0.1];

/// Returns the value of a stream for element `i` of a row of `len` elements.
fn value(formula: &Formula, kind: Kind, row: u64, stream: usize, i: usize, len: usize) -> f64 {
    let def = formula.op.def();
    let is_shared = formula.is_shared(def.inputs[def.input_streams()[stream].tensor].kind);
    let at = if is_shared || matches!(kind, Kind::Equal) { 0 } else { i as u64 };
    let seed = (row << 32) + ((stream as u64) << 24) + at;
    let mut draws = Random(seed);
    let random = draws.unit();
    if formula.masks.contains(&stream) {
        return f64::from(random > 0.3);
    }
    if let Some([low, high]) = formula.ranges[stream] {
        return low + (high - low) * random;
    }
    let most = match kind {
        Kind::Random(most) => most,
        Kind::Mixed => MIXED[(row as usize + stream) % MIXED.len()],
        Kind::Equal => 3.0,
        // In one stream, at one place that is another in every row.
        Kind::With(v)
            if row as usize % formula.ranges.len() == stream
                && (is_shared || row as usize * 7 % len == i) =>
        {
            return v;
        }
        Kind::With(_) => 2.0,
    };
    // Every other number is near 0, as in a normal distribution.
    let size = if draws.unit() < 0.5 { 0.3 } else { 1.0 };
    most * size * (2.0 * random - 1.0)
}

/// Returns how many random rows are tested for each length and kind.
fn repetitions(effort: Effort) -> u64 {
    (effort.joint / Effort::USUAL.joint).max(1)
}

/// Returns the passes that test a formula with row functions. Each pass computes one row.
pub fn passes<'f>(formula: &'f Formula, dtype: DType, effort: Effort) -> Vec<Pass<'f>> {
    let format = Format::of(dtype);
    let mut all = Vec::new();
    for (k, attrs) in attributes(formula).iter().enumerate() {
        let short = LENGTHS.iter().flat_map(|len| KINDS.map(|kind| (*len, kind)));
        let long = LONG.into_iter().filter(|_| k == 0).map(|len| (len, KINDS[0]));
        let rows: Vec<(usize, Kind)> = short.chain(long).collect();
        for _ in 0..repetitions(effort) {
            for &(len, kind) in &rows {
                let row = all.len() as u64;
                let element = move |i: u64| {
                    let values = (0..formula.ranges.len())
                        .map(|k| format.round(value(formula, kind, row, k, i as usize, len)));
                    let mut values: Vec<f64> = values.collect();
                    formula.keep_in_range(dtype, &mut values);
                    values
                };
                all.push(Pass {
                    role: if matches!(kind, Kind::Random(4.0)) { Role::Sweep } else { Role::Joint },
                    attrs: attrs.clone(),
                    elements: len as u64,
                    work: effort.work,
                    element: Box::new(element),
                });
            }
        }
    }
    all
}

/// Results of a row in f64, with bounds of the errors that kernels may have because they round terms to f32.
pub struct Reference {
    /// Results in f64: for each output, one number per element.
    pub results: Vec<Vec<f64>>,
    /// For each result, the absolute error that rounded terms of row functions may cause.
    pub off: Vec<Vec<f64>>,
}

impl Reference {
    /// Evaluates a row, and bounds the errors of its results.
    ///
    /// Each computed term may be off by `units` units in the last place of f32. If `units` is more than 1, the numbers that are
    /// computed from terms may be off as well: a sum by `units` units of the sum of its terms' magnitudes. Returns `None` if a term
    /// or a value of the row is not in the range of f32, because kernels keep terms and values in f32.
    pub fn of(spec: &Spec, streams: &[Vec<f64>], scalars: &[f64], units: f64) -> Option<Reference> {
        Reference::through(spec, |spec| &spec.traced, streams, scalars, units)
    }

    /// Evaluates a row as [`Reference::of`] does, by the graphs `graph` of stages and results.
    fn through(
        spec: &Spec,
        graph: impl Fn(&Spec) -> &Graph,
        streams: &[Vec<f64>],
        scalars: &[f64],
        units: f64,
    ) -> Option<Reference> {
        let len = streams.first().map_or(0, Vec::len);
        let own = spec.stages.iter().flat_map(|stage| [Some(stage.value), stage.rest, stage.terms]);
        let count = own.flatten().fold(streams.len(), |most, stream| most.max(stream + 1));
        let mut all = streams.to_vec();
        all.resize(count, vec![0.0; len]);
        // For each stream of a stage, what its values may be off by.
        let mut off = vec![None; count];
        let format = Format::of(DType::F32);
        let is_inside = |v: &f64| !v.is_finite() || v.abs() <= format.max();
        let vanishes = |v: f64| v != 0.0 && v.abs() < f64::from(f32::MIN_POSITIVE);
        for stage in spec.stages.iter() {
            let terms = graph(&stage.spec);
            let Reference { results, off: errors } = Reference::at(terms, &all, &off, scalars, len);
            let (terms, mut errors) = (results.into_iter().next()?, errors.into_iter().next()?);
            let value = match stage.rule {
                Rule::Reduce(function) => function.of(&terms),
                Rule::Uniform => *terms.first()?,
            };
            if !terms.iter().chain([&value]).all(is_inside) || vanishes(value) {
                return None;
            }
            // Elements of inputs are terms as they are; computed terms are rounded.
            let traced = &stage.spec.traced;
            let is_input = matches!(traced.nodes[traced.outputs[0].index()], Node::Stream(_));
            if stage.rule != Rule::Uniform && !is_input {
                errors
                    .iter_mut()
                    .zip(&terms)
                    .for_each(|(off, term)| *off += units * format.ulp(*term));
            }
            let more = |value: f64| if units > 1.0 { units * format.ulp(value) } else { 0.0 };
            let magnitudes: f64 = terms.iter().map(|term| term.abs()).sum();
            let sum: f64 = errors.iter().sum::<f64>() + more(magnitudes);
            let of_value = match stage.rule {
                Rule::Reduce(RowFunction::Sum) => sum + format.ulp(value) / 2.0,
                Rule::Reduce(RowFunction::Mean) => sum / len as f64 + format.ulp(value) / 2.0,
                Rule::Reduce(RowFunction::Max) => errors.iter().copied().fold(0.0, f64::max),
                Rule::Uniform => errors[0] + more(value),
            };
            (all[stage.value], off[stage.value]) = (vec![value; len], Some(vec![of_value; len]));
            if let Some(stream) = stage.terms {
                (all[stream], off[stream]) = (terms, Some(errors));
            }
        }
        Some(Reference::at(graph(spec), &all, &off, scalars, len))
    }

    /// Evaluates a graph, and bounds the changes of its outputs if each stream is off by its own bound.
    ///
    /// A change is found by evaluating the graph with the bound added to one stream, and with the bound subtracted. The larger of
    /// the two changes counts, and the changes by all streams are added.
    fn at(
        graph: &Graph,
        streams: &[Vec<f64>],
        off: &[Option<Vec<f64>>],
        scalars: &[f64],
        len: usize,
    ) -> Reference {
        let results = graph.eval_columns(streams, scalars, len);
        let mut changes = vec![vec![0.0; len]; results.len()];
        for (stream, off) in off.iter().enumerate().filter_map(|(k, off)| Some((k, off.as_ref()?)))
        {
            if !graph.reads(stream) {
                continue;
            }
            let moved = [1.0, -1.0].map(|sign| {
                let mut streams = streams.to_vec();
                streams[stream].iter_mut().zip(off).for_each(|(v, off)| *v += sign * off);
                graph.eval_columns(&streams, scalars, len)
            });
            for (k, changes) in changes.iter_mut().enumerate() {
                for (i, change) in changes.iter_mut().enumerate() {
                    let by = moved.each_ref().map(|moved| match (moved[k][i], results[k][i]) {
                        (a, b) if a == b || a.is_nan() && b.is_nan() => 0.0,
                        (a, b) if a.is_nan() || b.is_nan() => f64::INFINITY,
                        (a, b) => (a - b).abs(),
                    });
                    *change += by[0].max(by[1]);
                }
            }
        }
        Reference { results, off: changes }
    }
}

/// A row that is tested, and its results in f64.
struct Row {
    /// Values of the input streams: for each stream, one number per element.
    streams: Vec<Vec<f64>>,
    exact: Reference,
    /// The results of the rewritten formula, if those of the formula as it is written are NaN although no input is.
    ///
    /// For example, `p ln(p)` with a softmax `p` is NaN for elements so small that f64 has 0 for `p`, while the rewritten formula has
    /// its limit there. A result is right if it is one of the two.
    rewritten: Option<Reference>,
    /// The results with [`LARGE`] in place of infinite inputs; `None` if all inputs are finite.
    limit: Option<Reference>,
}

impl Row {
    /// Evaluates the row of a pass; `None` if a term or a value leaves the range of f32.
    fn of(formula: &Formula, pass: &Pass<'_>) -> Option<Row> {
        let elements: Vec<Vec<f64>> = (0..pass.elements).map(|i| pass.element(i)).collect();
        let column = |k: usize| elements.iter().map(|element| element[k]).collect();
        let streams: Vec<Vec<f64>> = (0..formula.ranges.len()).map(column).collect();
        let scalars = formula.op.def().scalars(&pass.attrs);
        let reference = |streams: &[Vec<f64>]| Reference::of(formula.spec, streams, &scalars, 1.0);
        let exact = reference(&streams)?;
        let is_nan = |values: &[Vec<f64>]| values.iter().flatten().any(|v| v.is_nan());
        let by_rewriting = (is_nan(&exact.results) && !is_nan(&streams))
            .then(|| Reference::through(formula.spec, Spec::precise, &streams, &scalars, 1.0));
        let is_infinite = streams.iter().flatten().any(|v| v.is_infinite());
        let mut large = streams.clone();
        for v in large.iter_mut().flatten().filter(|v| v.is_infinite()) {
            *v = LARGE.copysign(*v);
        }
        let limit = if is_infinite { reference(&large) } else { None };
        Some(Row { streams, exact, rewritten: by_rewriting.flatten(), limit })
    }

    fn has_nan(&self) -> bool {
        self.streams.iter().flatten().any(|v| v.is_nan())
    }

    fn has_infinity(&self) -> bool {
        self.streams.iter().flatten().any(|v| v.is_infinite())
    }

    /// Returns the error of result `got` of output `k` and element `i`, in units in the last place.
    fn error(&self, formula: &Formula, dtype: DType, (k, i): (usize, usize), got: f64) -> f64 {
        let error = |Reference { results, off }: &Reference| {
            let (want, off) = (results[k][i], off[k][i]);
            let of_f32 = || 2.0 + off / Format::of(DType::F32).ulp(want);
            match formula.converted(k) {
                // Neither number is known to be right.
                _ if off.is_infinite() => 0.0,
                Some(stored) => converted::error(stored, got, want, of_f32()),
                None => {
                    let format = formula.format(k, dtype);
                    // 16 bits have a budget of one unit, and round what is off already.
                    let rounding = if format.is_narrow() { format.ulp(want) / 2.0 } else { 0.0 };
                    format.error(got, want, off + rounding)
                }
            }
        };
        let others = [&self.rewritten, &self.limit].into_iter().flatten();
        others.map(error).fold(error(&self.exact), f64::min)
    }
}

/// Finite number that stands for an infinite input, to find the limit of a result there.
///
/// A result at an infinity is right if it is this limit, or if it is the result of IEEE arithmetic. The square of the number is in
/// the range of f32.
const LARGE: f64 = (1u64 << 60) as f64;

/// Runs every pass at each SIMD level, and returns the measurements per level.
pub fn sweep(
    formula: &Formula,
    dtype: DType,
    passes: &[Pass<'_>],
    levels: &[Level],
) -> Result<Vec<Measure>, Error> {
    let outputs = formula.op.def().output_streams();
    let mut measures = vec![Measure::new(outputs.len()); levels.len()];
    for (index, pass) in passes.iter().enumerate() {
        let Some(row) = Row::of(formula, pass) else { continue };
        let len = pass.elements as usize;
        let mut bench = Bench::new(formula, dtype, len)?;
        for (k, column) in row.streams.iter().enumerate() {
            column.iter().enumerate().for_each(|(i, v)| bench.set(k, i, *v as f32));
        }
        for (&level, measure) in levels.iter().zip(&mut measures) {
            bench.run(&pass.attrs, level)?;
            for (k, i) in (0..outputs.len()).flat_map(|k| (0..len).map(move |i| (k, i))) {
                let (got, want) = (bench.get(outputs[k], i), row.exact.results[k][i]);
                let at = || Place {
                    streams: row.streams.iter().map(|column| column[i]).collect(),
                    index: (index, i as u64),
                    result: Outcome { output: k, got, want },
                };
                let (format, error) =
                    (formula.format(k, dtype), row.error(formula, dtype, (k, i), got));
                let is_right = error <= formula.budget(k, dtype, level);
                measure.decided.add(true, at);
                if row.has_nan() {
                    measure.nan.add(is_right, at);
                } else if row.has_infinity() {
                    // An infinity is noticed as well as NaN.
                    measure.limits.add(is_right || want.is_nan() && got.is_infinite(), at);
                } else if pass.role == Role::Sweep {
                    let is_loose = row.exact.off[k][i] > 0.01 * format.ulp(want);
                    let is_rounded = || error == 0.0 || sweep::is_rounded(format, got, want);
                    measure.rounded.add(is_loose && is_right || is_rounded(), at);
                    measure.raise(k, error, at);
                } else {
                    measure.factors.add(got.is_finite() || !sweep::is_in(format, want), at);
                    measure.raise(k, error, at);
                }
            }
        }
    }
    Ok(measures)
}

/// Step of the difference quotients that derivatives are compared with.
///
/// The quotients use five points, so that their error is about the fourth power of the step.
const STEP: f64 = 1e-3;
/// Length of the rows whose derivatives are compared.
const SHORT: usize = 4;
/// Largest relative difference at which a derivative and a difference quotient count as equal.
///
/// A difference quotient has no more correct digits than that.
const ALIKE: f64 = 1e-7;
/// Lower bound of the unit in which differences are measured.
///
/// Derivatives of a row that are all smaller are therefore compared absolutely.
const SMALL: f64 = 1.0 / 128.0;

/// Returns the largest relative difference between the graphs and an independent evaluation of the same formula.
///
/// The result is 0 if rounding in f64 explains the difference. A formula is compared with the author's own code, which computes
/// rows of one element. A derived gradient is compared with difference quotients of the forward formula.
pub fn difference(formula: &Formula) -> f64 {
    let attrs = &formula.settings[0].attrs;
    let scalars = formula.op.def().scalars(attrs);
    let mut worst = 0.0f64;
    for row in 0..200 {
        let len = if formula.spec.derived.is_some() { SHORT } else { 1 };
        let value = |k, i| value(formula, Kind::Random(4.0), row, k, i, len);
        let column = |k| (0..len).map(|i| value(k, i)).collect();
        let mut streams: Vec<Vec<f64>> = (0..formula.ranges.len()).map(column).collect();
        let want = match &formula.spec.derived {
            None => formula.op.oracle(&streams.concat(), attrs),
            Some(derived) => differences(formula, derived, &mut streams, &scalars),
        };
        let Some(want) = want else { return 0.0 };
        let got = formula.spec.eval_row(&streams, &scalars, len).concat();
        let sizes = want.iter().map(|v| v.abs()).filter(|v| v.is_finite());
        let scale = sizes.fold(SMALL, f64::max);
        for (got, want) in got.iter().zip(&want).filter(|(_, want)| want.is_finite()) {
            let off = (got - want).abs() / scale;
            worst = worst.max(if off.is_nan() { f64::INFINITY } else { off });
        }
    }
    if worst <= ALIKE { 0.0 } else { worst }
}

/// Returns the derivatives of a row by difference quotients: all those by the first input stream, then by the next.
///
/// Derivatives next to kinks are NaN. Streams with saved outputs of the forward formula are set to these outputs. Returns `None` if
/// the formula defines a derivative of its own (`with_grad`), which no difference quotient approximates.
fn differences(
    formula: &Formula,
    derived: &Derived,
    streams: &mut [Vec<f64>],
    scalars: &[f64],
) -> Option<Vec<f64>> {
    let [wiring] = &*derived.steps else { return None };
    if has_surrogates(&derived.forward) {
        return None;
    }
    let len = streams.first().map_or(0, Vec::len);
    let column = |at: &Option<usize>| at.map_or(vec![f64::NAN; len], |at| streams[at].clone());
    let inputs: Vec<Vec<f64>> = wiring.inputs.iter().map(column).collect();
    let (graph, functions) = (derived.forward.clone(), derived.rows.to_vec());
    let forward = RowFormula { graph, functions, inputs: inputs.len() };
    let results = forward.eval(&inputs, scalars, len);
    for (value, at) in results.into_iter().zip(wiring.saved.iter()) {
        at.iter().for_each(|at| streams[*at].clone_from(&value));
    }
    let total = |inputs: &[Vec<f64>]| {
        let results = forward.eval(inputs, scalars, len);
        let of = |(y, at): (&Vec<f64>, &Option<usize>)| {
            at.map_or(0.0, |at| y.iter().zip(&streams[at]).map(|(y, dy)| y * dy).sum())
        };
        results.iter().zip(wiring.upstream.iter()).map(of).sum::<f64>()
    };
    let def = formula.op.def();
    let outputs = def.output_streams();
    let is_shared = |output: usize| def.outputs[outputs[output].tensor].kind == TensorKind::PerRow;
    let slope = |(output, k): (usize, usize), i: usize, step: f64| {
        let at = |steps: f64| {
            let mut inputs = inputs.clone();
            let moved = if is_shared(output) { 0..len } else { i..i + 1 };
            inputs[k][moved].iter_mut().for_each(|x| *x += steps * step);
            total(&inputs)
        };
        (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * step)
    };
    // Where steps of two sizes disagree, there is a kink between them, as where another element becomes the largest.
    let derivative = |k: (usize, usize), i: usize| {
        let [slope, other] = [STEP, STEP / 4.0].map(|step| slope(k, i, step));
        let is_smooth = (slope - other).abs() <= ALIKE * slope.abs().max(1.0);
        if is_smooth { other } else { f64::NAN }
    };
    let wrt = wiring.wrt.iter().copied().enumerate();
    let all = wrt.flat_map(|k| (0..len).map(move |i| (k, i)));
    Some(all.map(|(k, i)| derivative(k, i)).collect())
}
