//! Properties of a function that are found before anything is fitted: symmetry and zeros.

use crate::element::Element;
use crate::exhaustive::Truth;
use crate::float::power_of_two;
use crate::oracle::{Hints, Known, Oracle, Values};
use crate::oracle_cache::Cells;
use crate::symmetry::{self, Symmetry};
use crate::table::{End, Table};
use crate::zero::Zero;
use core::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// Maximum `|x|` that any table covers.
pub(crate) const FAR: f64 = 128.0;

/// Distance from a zero of the function within which errors have units of at least [`FLAT`].
///
/// The values there are differences, whose last places cannot be distinguished from the rounding of the argument.
pub(crate) const NEAR_ROOT: f64 = 0.5;

/// Least unit in which errors are counted within [`NEAR_ROOT`] of a zero of the function: 2^-30.
pub(crate) const FLAT: f64 = 1.0 / (1u32 << 30) as f64;

/// Range of absolute values that may be looked up and then multiplied: 2^-80 to 2^80.
///
/// Their products with an attribute stay in the range of f32.
const IN_RANGE: core::ops::Range<f64> = 1.0 / (1u128 << 80) as f64..(1u128 << 80) as f64;

/// A function to be fitted.
pub struct Function<'a> {
    oracle: &'a Oracle<'a>,
    /// Evaluates the function without error bounds, if there is a cheaper way to do so.
    plain: Option<&'a Values<'a>>,
    pub(crate) hints: Hints,
    symmetry: Symmetry,
    roots: Vec<f64>,
    /// Behaviour at zero from the negative and from the positive side.
    pub(crate) zero: [Zero; 2],
    cells: RefCell<Cells>,
    /// Correct results at all inputs of 16-bit types, computed when first needed.
    truths: RefCell<Vec<Rc<Truth>>>,
    /// Values of the oracle for negative and for positive `x`, computed when first needed.
    surveys: [OnceCell<Survey>; 2],
    /// Distances from zero up to which absolute values stay between 2^-80 and 2^80.
    ///
    /// One is for negative and one for positive `x`. They are computed when first needed.
    ranges: [OnceCell<f64>; 2],
}

/// Values of the oracle on one side of zero, with their error bounds.
pub(crate) struct Survey {
    /// Distances from zero: multiples of 1/8, then the end of the domain or of the range of tables.
    pub(crate) places: Vec<f64>,
    /// Values at `places`, with their error bounds.
    pub(crate) values: Vec<Known>,
    /// Distances close to zero, powers of two from the largest down, and the values there.
    pub(crate) near: Vec<(f64, Known)>,
}

impl<'a> Function<'a> {
    /// Analyses a function over its whole domain: its symmetry, zeros and behaviour at zero.
    pub fn new(oracle: &'a Oracle<'a>, hints: Hints) -> Self {
        let unknown = Zero { value: 0.0, order: None };
        let mut f = Function {
            oracle,
            plain: None,
            hints,
            symmetry: Symmetry::None,
            roots: Vec::new(),
            zero: [unknown; 2],
            cells: RefCell::new(Cells::new(FAR)),
            truths: Default::default(),
            surveys: Default::default(),
            ranges: Default::default(),
        };
        let [low, high] = f.hints.domain;
        // With breakpoints other than zero no symmetry is used, because only a grid of both signs can place them.
        if low == -high && f.hints.kinks.iter().all(|&x| x == 0.0) {
            f.symmetry = symmetry::find(high, &|x| f.known(x));
        }
        f.roots = f.find_roots();
        f.zero = [-1.0, 1.0].map(|sign| {
            let inside = if sign < 0.0 { low < 0.0 } else { high > 0.0 };
            if inside { f.find_zero(sign) } else { unknown }
        });
        f
    }

    /// Adds a faster oracle that returns the same values without error bounds.
    ///
    /// It is worthwhile because most values are needed without bounds.
    pub fn with_values(mut self, values: &'a Values<'a>) -> Self {
        self.plain = Some(values);
        self
    }

    /// Symmetry of the function, found by comparing values at `x` and `-x`.
    pub fn symmetry(&self) -> Symmetry {
        self.symmetry
    }

    /// Zeros of the function other than 0: those where its sign changes, and those that were given.
    pub fn roots(&self) -> &[f64] {
        &self.roots
    }

    pub(crate) fn kinks(&self) -> &[f64] {
        &self.hints.kinks
    }

    /// Returns true if `x` is in the domain.
    pub(crate) fn covers(&self, x: f64) -> bool {
        (self.hints.domain[0]..=self.hints.domain[1]).contains(&x)
    }

    /// Returns true if the function has neither breakpoints nor ends of its domain.
    ///
    /// The borders of segments may then be anywhere.
    pub(crate) fn smooth(&self) -> bool {
        self.kinks().is_empty() && self.hints.domain.iter().all(|x| x.is_infinite())
    }

    /// Returns the function's correct results at all inputs of a 16-bit type.
    pub(crate) fn truth(&self, element: Element) -> Rc<Truth> {
        if let Some(known) = self.truths.borrow().iter().find(|truth| truth.element == element) {
            return known.clone();
        }
        let beyond = self.clamped(element);
        let is_asked = |x: f64| self.covers(x) && (x.abs() < FAR || beyond[(x > 0.0) as usize]);
        let truth = Rc::new(Truth::new(element, &is_asked, &|x| self.values(x)));
        self.truths.borrow_mut().push(truth.clone());
        truth
    }

    /// Returns, for negative and for positive `x`, whether a table may clamp large arguments.
    ///
    /// It may if the function has rounded to its limit there. Otherwise no table has values beyond [`FAR`].
    fn clamped(&self, element: Element) -> [bool; 2] {
        // No table of a 16-bit type reaches as far.
        const OUTSIDE: f64 = 32.0;
        let own = [(0, -OUTSIDE), (1, OUTSIDE)].map(|(side, x)| {
            let round = |v: f64| element.round(v);
            self.hints.limits[side].is_some_and(|l| round(self.known(&[x])[0].value) == round(l))
        });
        match self.symmetry {
            Symmetry::None => own,
            _ => [own[0] || own[1]; 2],
        }
    }

    /// Returns the oracle's values at `x`, each with a bound of its error.
    pub(crate) fn known(&self, x: &[f64]) -> Vec<Known> {
        (self.oracle)(x).into_iter().map(|(value, error)| Known { value, error }).collect()
    }

    /// Returns the function's values at `x`, from fine polynomials that replace the slow oracle.
    pub(crate) fn values(&self, x: &[f64]) -> Vec<f64> {
        self.cells.borrow_mut().values(x, &self.zero, &|x| self.plain(x))
    }

    /// Returns the oracle's values at `x`, without error bounds.
    pub(crate) fn plain(&self, x: &[f64]) -> Vec<f64> {
        match self.plain {
            Some(plain) => plain(x),
            None => (self.oracle)(x).into_iter().map(|(value, _)| value).collect(),
        }
    }

    /// Returns the oracle's values on the side of zero that has this sign.
    ///
    /// They are computed once for all tables.
    pub(crate) fn survey(&self, sign: f64) -> &Survey {
        self.surveys[(sign > 0.0) as usize].get_or_init(|| {
            let [low, high] = self.hints.domain;
            let end = FAR.min(if sign < 0.0 { -low } else { high });
            let inside = (1..=1024).map(|j| j as f64 / 8.0).filter(|&x| x < end);
            let places: Vec<f64> = inside.chain([end]).collect();
            let at = |x: &[f64]| self.known(&x.iter().map(|x| x * sign).collect::<Vec<_>>());
            let near: Vec<f64> = (4..=60).map(|j| power_of_two(-j)).collect();
            let known = at(&near);
            Survey { values: at(&places), near: near.into_iter().zip(known).collect(), places }
        })
    }

    /// Shortens a table of the function to where values stay between 2^-80 and 2^80.
    ///
    /// They are multiplied by attributes, and products of values further out may leave the range of f32.
    pub(crate) fn shortened(&self, table: Table) -> Table {
        let (low, high, ends) =
            self.ends_in_range(table.design.symmetry, [table.low, table.high], table.ends);
        Table { low, high, ends, ..table }
    }

    /// Returns the ends of a table: least `z` inside, least `z` above, and treatment of other arguments.
    ///
    /// The ends are moved to where the function's values leave the range from 2^-80 to 2^80, if that is nearer, because products of
    /// values outside it with an attribute may leave the range of f32.
    pub(crate) fn ends_in_range(
        &self,
        symmetry: Symmetry,
        [mut low, mut high]: [f32; 2],
        mut ends: [End; 2],
    ) -> (f32, f32, [End; 2]) {
        let [left, right] = [-1.0, 1.0].map(|sign| self.in_range(symmetry.sign() * sign) as f32);
        if right < high {
            (high, ends[1]) = (right, End::SlowPath);
        }
        if symmetry == Symmetry::None && -left > low {
            (low, ends[0]) = (-left, End::SlowPath);
        }
        (low, high, ends)
    }

    /// Returns the distance from zero up to which the function's values stay within `IN_RANGE`.
    ///
    /// Values outside would lose digits when multiplied. `sign` selects the side of zero; values closer to zero than an eighth
    /// do not count.
    fn in_range(&self, sign: f64) -> f64 {
        *self.ranges[(sign > 0.0) as usize].get_or_init(|| self.find_range(sign))
    }

    fn find_range(&self, sign: f64) -> f64 {
        let leaves = |x: f64| {
            let size = self.plain(&[sign * x])[0].abs();
            size != 0.0 && !IN_RANGE.contains(&size)
        };
        let is_asked = |x: &f64| *x <= FAR && self.covers(sign * x);
        let mut places = (1..).map(|k| f64::from(k) / 8.0).take_while(is_asked);
        let Some(mut outside) = places.find(|x| leaves(*x)) else { return f64::INFINITY };
        let mut inside = outside - 0.125;
        for _ in 0..20 {
            let middle = 0.5 * (inside + outside);
            if leaves(middle) { outside = middle } else { inside = middle }
        }
        inside
    }

    fn find_zero(&self, sign: f64) -> Zero {
        let value = self.known(&[sign * 1e-300])[0].value;
        // Less than any float: treated as zero, however the function gets there.
        if value.abs() > 1e-60 {
            return Zero { value, order: Some(1) };
        }
        let h = sign * power_of_two(-12);
        let v = self.known(&[h, 2.0 * h]);
        let growth = v[1].value / v[0].value;
        let order = (1..=3).find(|&k| {
            let whole = power_of_two(k);
            growth > 0.8 * whole && growth < 1.25 * whole
        });
        Zero { value: 0.0, order: order.map(|k| k as usize) }
    }

    /// Finds zeros of the function by sign changes between arguments an eighth apart.
    ///
    /// An interval with a sign change is divided by 16 until no digits are left.
    fn find_roots(&self) -> Vec<f64> {
        let [low, high] = self.hints.domain;
        let places: Vec<f64> = (-256..=256)
            .map(|k| (k as f64 + 0.317) / 8.0)
            .filter(|&x| x > low && x < high)
            .collect();
        let mut roots = self.hints.roots.clone();
        let values = self.known(&places);
        for (x, v) in places.windows(2).zip(values.windows(2)) {
            let sure = v.iter().all(|k| k.value.is_finite() && k.value.abs() > k.error);
            if !sure || v[0].value * v[1].value > 0.0 || x[0] * x[1] < 0.0 {
                continue;
            }
            let (mut a, mut b) = (x[0], x[1]);
            let mut drop = 1.0;
            for _ in 0..14 {
                let cuts: [f64; 17] = core::array::from_fn(|j| a + (b - a) * j as f64 / 16.0);
                let at = self.known(&cuts);
                let negative = at[0].value < 0.0;
                let j = at.iter().position(|k| (k.value < 0.0) != negative).unwrap_or(16).max(1);
                drop = (at[j].value - at[j - 1].value).abs();
                (a, b) = (cuts[j - 1], cuts[j]);
            }
            // A jump is not a zero.
            if drop < 1e-6 {
                roots.push(0.5 * (a + b));
            }
        }
        roots
    }

    /// Returns the least unit in which an error at `x` is counted: [`FLAT`] near a zero, otherwise 0.
    pub(crate) fn flat(&self, x: f64) -> f64 {
        if self.roots.iter().any(|r| (x - r).abs() < NEAR_ROOT) { FLAT } else { 0.0 }
    }
}
