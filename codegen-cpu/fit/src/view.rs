//! The function as one table sees it: how far the table may reach, and the unit that errors are counted in.

use crate::element::Element;
use crate::error::Refusal;
use crate::float::{larger, power_of_two, size, ulp};
use crate::function::{FLAT, Function, NEAR_ROOT, Survey};
use crate::half::HOPELESS;
use crate::oracle::Known;
use crate::request::{BEFORE, Request};
use crate::symmetry::Symmetry;
use crate::zero::Zero;

/// A function as one table sees it: in the variable `z`, which is `x` or, for symmetric functions, `|x|`.
pub(crate) struct View<'a> {
    pub(crate) function: &'a Function<'a>,
    pub(crate) symmetry: Symmetry,
    pub(crate) element: Element,
    /// Zeros, in `z`.
    pub(crate) roots: Vec<f64>,
    /// Behaviour at zero from either side.
    pub(crate) zero: [Zero; 2],
    /// Maximum error of 16-bit values before they are rounded, in units in the last place of a factor.
    pub(crate) before: f64,
    /// True if values are multiplied before they are rounded.
    pub(crate) multiplied: bool,
    /// True if errors count in the last place of products, where the same error can be twice as many units.
    pub(crate) of_products: bool,
    /// True if the symmetry may be part of the last step of the polynomial; see `Design::once`.
    pub(crate) once: bool,
    /// How far the table may or must reach on either side.
    pub(crate) reach: [Reach; 2],
    /// Number of functions that are computed from the table.
    ///
    /// The cost model needs it because all of them take the slow path where the table ends.
    pub(crate) functions: usize,
}

/// How far a table may reach on one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Largest `|z|` of the table.
    pub(crate) to: f64,
    /// The limit, if the function has rounded to it from there on, so that a longer table is of no use.
    pub(crate) limit: Option<f64>,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        function: &'a Function<'a>,
        symmetry: Symmetry,
        request: &Request,
    ) -> Result<Self, Refusal> {
        let sign = symmetry.sign();
        let mut view = View {
            function,
            symmetry,
            element: request.element,
            roots: function.roots().iter().map(|r| r * sign).collect(),
            zero: function.zero,
            before: request.before(),
            multiplied: request.multiplied,
            of_products: request.counts_products(),
            once: request.counts_products() && symmetry.once(),
            reach: [Reach { to: 0.0, limit: None }; 2],
            functions: 1,
        };
        if view.symmetric() {
            view.roots.retain(|&r| r > 0.0);
        }
        if sign < 0.0 {
            view.zero.reverse();
        }
        for (k, sign) in view.signs() {
            view.reach[k] = view.find_reach(k, sign)?;
            if view.zero[k].order.is_none() {
                return Err(Refusal::Zero);
            }
        }
        Ok(view)
    }

    /// Returns the view with errors counted in units of the function's own values.
    pub(crate) fn of_results(self) -> Self {
        View { of_products: false, once: false, ..self }
    }

    pub(crate) fn symmetric(&self) -> bool {
        self.symmetry != Symmetry::None
    }

    /// Order of the zero that the function has at zero, or 0.
    pub(crate) fn power(&self) -> usize {
        let sides = if self.symmetric() { &self.zero[1..] } else { &self.zero[..] };
        sides.iter().map(|z| z.power()).max().unwrap_or(0)
    }

    /// The sides of `z` that are inside the domain: index among the ends, and sign.
    fn signs(&self) -> Vec<(usize, f64)> {
        let [low, high] = self.function.hints.domain;
        let both = [(0, -1.0, !self.symmetric() && low < 0.0), (1, 1.0, high > 0.0)];
        both.into_iter().filter(|s| s.2).map(|(k, sign, _)| (k, sign)).collect()
    }

    fn known(&self, z: &[f64]) -> Vec<Known> {
        self.function.known(&z.iter().map(|z| z * self.symmetry.sign()).collect::<Vec<_>>())
    }

    pub(crate) fn values(&self, z: &[f64]) -> Vec<f64> {
        self.function.values(&z.iter().map(|z| z * self.symmetry.sign()).collect::<Vec<_>>())
    }

    pub(crate) fn value(&self, z: f64) -> f64 {
        self.values(&[z])[0]
    }

    /// One unit of the error at `z`, where the value is `v`, on the table's own side.
    #[inline]
    pub(crate) fn unit(&self, z: f64, v: f64) -> f64 {
        let flat = match self.roots.is_empty() {
            true => 0.0,
            false => self.function.flat(self.symmetry.sign() * z),
        };
        self.at_least(flat, v)
    }

    /// One unit of the error at `z` on the other side, where the value is `v`.
    #[inline]
    pub(crate) fn other_unit(&self, z: f64, v: f64) -> f64 {
        let flat = match self.function.roots().is_empty() {
            true => 0.0,
            false => self.function.flat(-self.symmetry.sign() * z),
        };
        self.at_least(flat, v)
    }

    /// Unit in which the error of a value is measured, if it is at least `flat`.
    ///
    /// For products it is their least unit, half of the unit of numbers just above a power of two.
    #[inline]
    fn at_least(&self, flat: f64, v: f64) -> f64 {
        match self.of_products {
            true => larger(size(v) * (0.5 * ulp(1.0)), 0.5 * larger(ulp(v), flat)),
            false => larger(ulp(v), flat),
        }
    }

    /// Least value that errors of the polynomial are weighted by at `z`.
    fn least(&self, z: f64) -> f64 {
        let near = self.roots.iter().any(|r| (z - r).abs() < NEAR_ROOT);
        let normal = power_of_two(self.element.least_normal());
        if near { (FLAT / ulp(1.0)).max(normal) } else { normal }
    }

    /// Value that errors of the polynomial are weighted by.
    ///
    /// Results that are denormal in f16 allow larger errors. If they are multiplied, the limit is the error that a factor may
    /// have.
    pub(crate) fn size(&self, z: f64, value: f64) -> f64 {
        let size = value.abs().max(self.least(z));
        if self.multiplied && self.element == Element::F16 {
            let factor = value.abs().max(power_of_two(self.element.least_factor()));
            return size.min(factor * (BEFORE / HOPELESS));
        }
        size
    }

    /// Unit of the table's value `v` or of the sum on the other side, whichever is larger.
    ///
    /// A value that is a multiple of it loses nothing in that sum. `z` is the largest in question.
    pub(crate) fn turned_unit(&self, z: f64, v: f64) -> f64 {
        larger(ulp(v), self.symmetry.other(v, z).map_or(0.0, ulp))
    }

    /// Returns true if the bound of the error is small enough to be ignored.
    fn believed(&self, z: f64, k: Known) -> bool {
        // 1/32 of a unit in f32, and an error that is not visible in 16 bits.
        let (share, least) = match self.element {
            Element::F32 => (power_of_two(-29), power_of_two(-155)),
            _ => (power_of_two(-18), power_of_two(-155)),
        };
        let size = k.value.abs().max(if self.least(z) > 1e-30 { self.least(z) } else { 0.0 });
        k.error <= (size * share).max(least) && k.value.abs() < f32::MAX as f64
    }

    /// Returns the view without limits.
    ///
    /// A joint table needs it, because a function may still change where its derivative has rounded to its limit.
    pub(crate) fn unlimited(mut self) -> Result<Self, Refusal> {
        for (k, sign) in self.signs() {
            self.reach[k] = Reach { to: self.sure(sign)?, limit: None };
        }
        Ok(self)
    }

    /// The oracle's answers on a side of `z`.
    fn survey(&self, sign: f64) -> &'a Survey {
        self.function.survey(sign * self.symmetry.sign())
    }

    /// Returns how far the oracle's errors can be ignored on a side, judged at the places of the survey.
    fn sure(&self, sign: f64) -> Result<f64, Refusal> {
        let Survey { places, values, near } = self.survey(sign);
        let doubt = |x: f64, k: Known| !self.believed(x * sign, k);
        if let Some((z, _)) = near.iter().find(|(z, k)| doubt(*z, *k)) {
            return Err(Refusal::Unsure { at: self.symmetry.sign() * sign * z });
        }
        let (places, values) = (&places[..], &values[..]);
        let first = (0..places.len()).find(|&j| doubt(places[j], values[j]));
        Ok(match first {
            None => places[places.len() - 1],
            Some(j) => {
                let inside = if j == 0 { 0.0 } else { places[j - 1] };
                self.border(inside, places[j], sign, &|x, k| !doubt(x, k))
            }
        })
    }

    fn find_reach(&self, k: usize, sign: f64) -> Result<Reach, Refusal> {
        let to = self.sure(sign)?;
        let Survey { places, values, .. } = self.survey(sign);
        let (places, values) = (&places[..], &values[..]);
        // The limit on the table's own side; if the table is of negative `x`, it is the one at the other end.
        let own = if self.symmetry.sign() < 0.0 { 1 - k } else { k };
        let Some(limit) = self.function.hints.limits[own] else {
            return Ok(Reach { to, limit: None });
        };
        let there = |z: f64, v: f64| self.same(z, v, limit);
        let Some(last) = (0..places.len()).rev().find(|&j| !there(places[j], values[j].value))
        else {
            return Ok(Reach { to, limit: None });
        };
        if last + 1 >= places.len() {
            return Ok(Reach { to, limit: None });
        }
        let at = self.border(places[last], places[last + 1], sign, &|x, k| !there(x, k.value));
        // The reach is slightly larger, so that the last float of the table is the limit to a small part of a unit.
        let at = at * 1.03 + 1.0 / 64.0;
        Ok(if at <= to { Reach { to: at, limit: Some(limit) } } else { Reach { to, limit: None } })
    }

    /// Returns true if two values round to the same number on either side, and differ by at most `before` units.
    pub(crate) fn same(&self, z: f64, v: f64, limit: f64) -> bool {
        let same = |a: f64, b: f64| {
            let near = (a - b).abs() <= self.before * self.element.factor_ulp(b);
            near && self.element.round(a) == self.element.round(b)
        };
        let others = (self.symmetry.other(v, z), self.symmetry.other(limit, z));
        same(v, limit)
            && match others {
                (Some(a), Some(b)) => same(a, b),
                _ => true,
            }
    }

    /// Returns where between `inside` and `outside` a property ends, rounded towards `inside`.
    fn border(
        &self,
        mut inside: f64,
        mut outside: f64,
        sign: f64,
        holds: &dyn Fn(f64, Known) -> bool,
    ) -> f64 {
        for _ in 0..3 {
            let cuts: Vec<f64> =
                (0..=16).map(|j| inside + (outside - inside) * j as f64 / 16.0).collect();
            let values = self.known(&cuts.iter().map(|x| x * sign).collect::<Vec<_>>());
            let j = (1..=16).find(|&j| !holds(cuts[j], values[j])).unwrap_or(16);
            (inside, outside) = (cuts[j - 1], cuts[j]);
        }
        inside
    }
}
