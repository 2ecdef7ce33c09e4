//! Exhaustive check of a 16-bit type: the function at all inputs, and the results of a table.

use crate::element::Element;
use crate::float::size;
use crate::polynomial::Polynomial;
use crate::table::Table;
use std::rc::Rc;

/// Allowed number of 16-bit inputs whose result is a neighbour of the correctly rounded one.
///
/// The results of 99.98 % of all inputs are then correct.
const WRONG: usize = 13;
/// Distance from halfway between two numbers within which either result counts as correct.
///
/// It is in units in the last place.
const TIE: f64 = 1e-8;
/// Range of `|x|` in which inputs are checked first, because tables mostly fail there.
const NEAR: core::ops::Range<f32> = 1.0 / 512.0..64.0;
/// Inputs smaller than this part of a segment's largest input do not constrain corrections.
///
/// The function is a single power of `x` there, so that a polynomial that is correct for some of them is correct for all.
const SMALL: f64 = 1.0 / 256.0;
/// Bound of the rounding error of a table's f32 arithmetic, relative to the function's value.
const ROUNDING: f64 = 1.0 / 8_388_608.0;

/// Which inputs of a 16-bit type are checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    /// Some inputs where tables mostly fail, to find out quickly whether a table can pass.
    Some,
    /// All inputs of the type.
    All,
}

/// Interval of changes to a table's value at one input with which the result is correctly rounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) z: f64,
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// Absolute value of the function that the table approximates, at this input.
    pub(crate) size: f64,
}

impl Room {
    /// Returns the relative change of the table's value that reaches the nearer end of the interval.
    ///
    /// It is negative where the value is outside the interval already.
    pub(crate) fn left(&self) -> f64 {
        self.to.min(-self.from) / self.size
    }
}

/// Functions that are computed from one table, each with its correctly rounded results at all inputs.
///
/// A composed function also has the polynomial in `x` and the table's value that computes it. It is `None` where the table's value is
/// the function itself.
pub(crate) struct Results<'a>(pub(crate) Vec<(Rc<Truth>, Option<&'a Polynomial>)>);

/// Pairs of a function's index and an input at which its result is a neighbour of the correct one.
pub(crate) type Wrong = Vec<(usize, f32)>;

impl Results<'_> {
    /// Returns the allowed number of wrong results in a share of the inputs, for all functions together.
    fn few(&self, share: Share) -> usize {
        self.0.iter().map(|(truth, _)| truth.few(share)).sum()
    }

    /// Returns true if no function has more wrong results in a share of the inputs than allowed.
    pub(crate) fn are_few(&self, wrong: &Wrong, share: Share) -> bool {
        self.0.iter().enumerate().all(|(k, (truth, _))| {
            wrong.iter().filter(|(result, _)| *result == k).count() <= truth.few(share)
        })
    }

    /// Returns the inputs of a share at which the table's results are not correctly rounded.
    ///
    /// Returns `None` if there are more than `many` times the allowed number, if a result is neither the correct number nor a
    /// neighbour of it, or if a value is off by more than `before` units in the last place before it is rounded.
    pub(crate) fn wrong(
        &self,
        table: &Table,
        before: f64,
        share: Share,
        many: usize,
    ) -> Option<Wrong> {
        let (mut wrong, most) = (Vec::new(), many * self.few(share));
        for (result, (truth, _)) in self.0.iter().enumerate() {
            for part in truth.share(share) {
                for inputs in &part.0 {
                    self.add_wrong(result, table, before, inputs, most, &mut wrong)?;
                }
            }
        }
        Some(wrong)
    }

    /// Returns the inputs of one segment at which the table's results are not correctly rounded.
    ///
    /// Returns `None` if a result is neither the correct number nor a neighbour of it, or if a value is off by more than
    /// `before` units in the last place before it is rounded.
    pub(crate) fn wrong_in(
        &self,
        table: &Table,
        before: f64,
        share: Share,
        segment: usize,
    ) -> Option<Wrong> {
        let mut wrong = Vec::new();
        for (result, (truth, _)) in self.0.iter().enumerate() {
            for part in truth.share(share) {
                let inputs: Vec<Input> = inputs(part, table, segment, 0.0).collect();
                self.add_wrong(result, table, before, &inputs, usize::MAX, &mut wrong)?;
            }
        }
        Some(wrong)
    }

    fn add_wrong(
        &self,
        result: usize,
        table: &Table,
        before: f64,
        inputs: &[Input],
        most: usize,
        wrong: &mut Wrong,
    ) -> Option<()> {
        let (truth, made) = &self.0[result];
        let element = truth.element;
        let mut next = 0;
        while next < inputs.len() {
            let Input { x, want, right } = inputs[next];
            next += 1;
            let Some(mut got) = table.eval(x) else { continue };
            if let Some(made) = made {
                got = made.at(x, got);
            }
            let got = got as f64;
            if before < f64::INFINITY && size(got - want) > before * element.factor_ulp(want) {
                return None;
            }
            let got = element.round(got);
            let (ulp, off) = (element.ulp(want), size(got - want));
            if off <= ulp * (0.5 + TIE) || got == right {
                continue;
            }
            wrong.push((result, x));
            if wrong.len() > most || off > ulp {
                return None;
            }
        }
        Some(())
    }

    /// Returns, for the inputs of a segment, by how much the table's values may change.
    ///
    /// If changes stay in these intervals, results are correctly rounded, and before rounding they are off by at most `before`
    /// units in the last place.
    pub(crate) fn rooms(&self, table: &Table, before: f64, segment: usize) -> Vec<Room> {
        let rooms = |(truth, made): &(Rc<Truth>, _)| truth.rooms(table, *made, before, segment);
        self.0.iter().flat_map(rooms).collect()
    }
}

/// All inputs of a 16-bit type, and the function's correct values there.
pub(crate) struct Truth {
    /// Three parts: every n-th input in the range [`NEAR`], the other inputs in that range, and the inputs outside it.
    ///
    /// `n` is 1 for sparse types, else 4. Tables mostly fail in that range, so that its inputs are checked first.
    parts: [Inputs; 3],
    pub(crate) element: Element,
}

/// An input `x`, the function's value there (`want`), and that value rounded (`right`).
#[derive(Clone, Copy)]
struct Input {
    x: f32,
    want: f64,
    right: f64,
}

/// Positive and negative inputs, each sorted by absolute value.
#[derive(Default)]
struct Inputs([Vec<Input>; 2]);

impl Inputs {
    fn push(&mut self, input: Input) {
        self.0[input.x.is_sign_negative() as usize].push(input);
    }

    /// Returns the positive and the negative inputs whose absolute values are in `from..to`.
    fn of(&self, from: f64, to: f64) -> [&[Input]; 2] {
        self.0.each_ref().map(|inputs| {
            let below = |size: f64| inputs.partition_point(|i| f64::from(i.x.abs()) < size);
            &inputs[below(from)..below(to)]
        })
    }
}

impl Truth {
    /// Evaluates the function at all inputs for which `is_asked` is true.
    pub(crate) fn new(
        element: Element,
        is_asked: &dyn Fn(f64) -> bool,
        values: &dyn Fn(&[f64]) -> Vec<f64>,
    ) -> Self {
        let mut inputs: Vec<f64> = element.inputs().into_iter().map(f64::from).collect();
        inputs.retain(|x| is_asked(*x));
        let values = values(&inputs);
        let mut truth = Truth { parts: Default::default(), element };
        for (j, (x, want)) in inputs.into_iter().zip(values).enumerate() {
            // The first part has odd inputs only, because values at round numbers are often close to halfway for every table.
            let odd = (j + 1).is_multiple_of(thinned(element).0);
            let x = x as f32;
            let part = if NEAR.contains(&x.abs()) { !odd as usize } else { 2 };
            truth.parts[part].push(Input { x, want, right: element.round(want) });
        }
        truth
    }

    /// Returns the allowed number of wrong results of this function in a share of the inputs.
    fn few(&self, share: Share) -> usize {
        if share == Share::Some { thinned(self.element).1 } else { WRONG }
    }

    fn share(&self, share: Share) -> &[Inputs] {
        &self.parts[..if share == Share::Some { 1 } else { self.parts.len() }]
    }

    /// Returns, for the inputs of a segment, by how much the table's values may change.
    ///
    /// The function's results are correctly rounded if changes stay in these intervals. `made` is its polynomial in `x` and the
    /// table's value, if it is composed.
    fn rooms(
        &self,
        table: &Table,
        made: Option<&Polynomial>,
        before: f64,
        segment: usize,
    ) -> Vec<Room> {
        let room = |Input { x, want, right }: Input| {
            let value = table.eval(x)?;
            let got = f64::from(made.map_or(value, |made| made.at(x, value)));
            let (from, to) = self.halfway(right);
            let (rounding, most) = (ROUNDING * right.abs(), before * self.element.factor_ulp(want));
            let from = (from + rounding).max(want - most) - got;
            let to = (to - rounding).min(want + most) - got;
            let [from, to] = match made {
                Some(made) => made.room(x.into(), value.into(), [from, to]),
                None => [from, to],
            };
            let size = if made.is_some() { f64::from(value) } else { right };
            let room = match table.design.symmetry.turns(x) {
                true => [-to, -from],
                false => [from, to],
            };
            let z = table.design.symmetry.fold(x).into();
            (from <= to).then_some(Room { z, from: room[0], to: room[1], size: size.abs() })
        };
        let [start, end] = [segment, segment + 1].map(|i| table.grid.start(i).abs());
        let least = SMALL * start.max(end);
        let inputs = |part| inputs(part, table, segment, least);
        self.parts.iter().flat_map(inputs).filter_map(room).collect()
    }

    /// Returns the least and the largest value that round to `right`, a number of the 16-bit type.
    fn halfway(&self, right: f64) -> (f64, f64) {
        let half = |v: f64| (0.5 * self.element.ulp(v)).copysign(right);
        // Below a power of two units are smaller.
        let (toward, away) = (right - half(right * 0.999_999), right + half(right));
        (toward.min(away), toward.max(away))
    }
}

/// Returns those inputs of `part` that are in a segment of the table and have `|x| >= least`.
fn inputs(part: &Inputs, table: &Table, segment: usize, least: f64) -> impl Iterator<Item = Input> {
    let [start, end] = [segment, segment + 1].map(|i| table.grid.start(i));
    let nearest = if start < 0.0 && end > 0.0 { 0.0 } else { start.abs().min(end.abs()) };
    let furthest = start.abs().max(end.abs());
    // Rounding may move the border of a segment by this much.
    let around = 1e-6 * furthest;
    let all = part.of(least.max(nearest - around), furthest + around);
    all.into_iter().flatten().copied().filter(move |input| {
        let z = table.design.symmetry.fold(input.x);
        z >= table.low && z < table.high && table.grid.segment(z) == segment as i64
    })
}

/// Returns `(n, wrong)`: one in `n` inputs is checked first, and `wrong` of those may be wrong.
///
/// All inputs of sparse types such as bf16 are checked first, because few are in the range that matters. Of f16 one in 4 is,
/// because it has more inputs elsewhere that every table gets wrong.
fn thinned(element: Element) -> (usize, usize) {
    if element.is_sparse() { (1, WRONG) } else { (4, 3) }
}
