//! All inputs of a 16-bit type: what the function is there, and what a table makes of them.

use crate::element::Element;
use crate::float::size;
use crate::polynomial::Polynomial;
use crate::table::Table;

/// So many of all inputs may come out as a neighbour of the right result: 99.98 % are right.
const WRONG: usize = 13;
/// Halfway between two numbers, up to this part of a unit, either is right.
const TIE: f64 = 1e-8;
/// Inputs of this size are looked at first.
const NEAR: core::ops::Range<f32> = 1.0 / 512.0..64.0;
/// At so much smaller inputs than a segment's largest the function is one power of `z`: what is right for some is for all.
const SMALL: f64 = 1.0 / 256.0;
/// What the arithmetic of f32 may make of a value, as a part of it.
const ROUNDING: f64 = 1.0 / 8_388_608.0;

/// What inputs are asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    /// Some where tables mostly fail: whether there is hope.
    Some,
    /// All there are.
    All,
}

/// What a table's value may change by at an input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) z: f64,
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// The size of the function's value.
    pub(crate) size: f64,
}

impl Room {
    /// How far the end is, as a part of the value: less than nothing where the value is beyond.
    pub(crate) fn left(&self) -> f64 {
        self.to.min(-self.from) / self.size
    }
}

/// The functions that are made of a table's values, and what they are.
pub(crate) struct Results<'a>(pub(crate) Vec<(&'a Truth, Option<&'a Polynomial>)>);

/// Inputs where a result comes out as a neighbour of the right one, and which result.
pub(crate) type Wrong = Vec<(usize, f32)>;

impl Results<'_> {
    /// How many inputs may be wrong in all.
    fn few(&self, share: Share) -> usize {
        self.0.iter().map(|(truth, _)| truth.few(share)).sum()
    }

    /// Whether of no result more of a share are wrong than may be.
    pub(crate) fn are_few(&self, wrong: &Wrong, share: Share) -> bool {
        self.0.iter().enumerate().all(|(k, (truth, _))| {
            wrong.iter().filter(|(result, _)| *result == k).count() <= truth.few(share)
        })
    }

    /// The inputs that are wrong: nothing if there are more than `many` times what may be, or if some results come out
    /// as something else than neighbours, or off by more than `before` units before they are rounded.
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

    /// The same of the inputs of one segment.
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
        let (truth, made) = self.0[result];
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

    /// What the table's values at the inputs of a segment may change by.
    pub(crate) fn rooms(&self, table: &Table, before: f64, segment: usize) -> Vec<Room> {
        let rooms = |(truth, made): &(&Truth, _)| truth.rooms(table, *made, before, segment);
        self.0.iter().flat_map(rooms).collect()
    }
}

/// All inputs of a type, and what the function is there.
pub(crate) struct Truth {
    /// A share of those where tables mostly fail, the others of the same sizes, and those of all others.
    parts: [Inputs; 3],
    element: Element,
}

/// An input, what the function is there, and that rounded.
#[derive(Clone, Copy)]
struct Input {
    x: f32,
    want: f64,
    right: f64,
}

/// Positive and negative inputs, each in the order of their size.
#[derive(Default)]
struct Inputs([Vec<Input>; 2]);

impl Inputs {
    fn push(&mut self, input: Input) {
        self.0[input.x.is_sign_negative() as usize].push(input);
    }

    /// The inputs of about these sizes, by sign.
    fn of(&self, from: f64, to: f64) -> [&[Input]; 2] {
        self.0.each_ref().map(|inputs| {
            let below = |size: f64| inputs.partition_point(|i| f64::from(i.x.abs()) < size);
            &inputs[below(from)..below(to)]
        })
    }
}

impl Truth {
    /// Of a function that has these values where it is asked for.
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
            // Odd ones: values at round numbers are often all but halfway, for every table alike.
            let odd = (j + 1).is_multiple_of(thinned(element).0);
            let x = x as f32;
            let part = if NEAR.contains(&x.abs()) { !odd as usize } else { 2 };
            truth.parts[part].push(Input { x, want, right: element.round(want) });
        }
        truth
    }

    /// How many of a share may be wrong.
    fn few(&self, share: Share) -> usize {
        if share == Share::Some { thinned(self.element).1 } else { WRONG }
    }

    fn share(&self, share: Share) -> &[Inputs] {
        &self.parts[..if share == Share::Some { 1 } else { self.parts.len() }]
    }

    /// What the table's values at the inputs of a segment may change by.
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

    /// The least and the largest value that are rounded to a number.
    fn halfway(&self, right: f64) -> (f64, f64) {
        let half = |v: f64| (0.5 * self.element.ulp(v)).copysign(right);
        // Below a power of two units are smaller.
        let (toward, away) = (right - half(right * 0.999_999), right + half(right));
        (toward.min(away), toward.max(away))
    }
}

/// The inputs of a segment that are not smaller than `least`.
fn inputs(part: &Inputs, table: &Table, segment: usize, least: f64) -> impl Iterator<Item = Input> {
    let [start, end] = [segment, segment + 1].map(|i| table.grid.start(i));
    let nearest = if start < 0.0 && end > 0.0 { 0.0 } else { start.abs().min(end.abs()) };
    let furthest = start.abs().max(end.abs());
    // What rounding makes of the border.
    let around = 1e-6 * furthest;
    let all = part.of(least.max(nearest - around), furthest + around);
    all.into_iter().flatten().copied().filter(move |input| {
        let z = table.design.symmetry.fold(input.x);
        z >= table.low && z < table.high && table.grid.segment(z) == segment as i64
    })
}

/// Of so many inputs one is looked at first, and so many of these may be wrong: bf16 has few where it
/// matters, f16 has as many elsewhere that every table gets wrong.
fn thinned(element: Element) -> (usize, usize) {
    if element == Element::F16 { (4, 3) } else { (1, WRONG) }
}
