//! A function in the variable of one table: how far the table may reach, and the unit that errors are counted in.

use crate::element::Element;
use crate::error::Refusal;
use crate::float::{larger, power_of_two, size, ulp};
use crate::function::{FLAT, Function, NEAR_ROOT, Survey};
use crate::oracle::Known;
use crate::request::{BEFORE, HOPELESS, Request};
use crate::symmetry::Symmetry;
use crate::zero::Zero;

/// A function in the variable `z` of one table, which is `x` or, for symmetric functions, `|x|`.
pub(crate) struct View<'a> {
    pub(crate) function: &'a Function<'a>,
    pub(crate) symmetry: Symmetry,
    pub(crate) element: Element,
    /// Zeros of the function, as values of `z`.
    pub(crate) roots: Vec<f64>,
    /// Behaviour of the function at zero, from either side.
    pub(crate) zero: [Zero; 2],
    /// Maximum error of 16-bit values before they are rounded, in units of [`Element::factor_ulp`].
    pub(crate) before: f64,
    /// True if values are multiplied before they are rounded.
    pub(crate) multiplied: bool,
    /// True if errors are counted in the last place of products in which the value is a factor.
    ///
    /// That unit can be half as large as the value's own.
    pub(crate) of_products: bool,
    /// True if the symmetry may be part of the last step of the polynomial; see `Design::once`.
    pub(crate) once: bool,
    /// How far the table may or must reach on either side of zero.
    pub(crate) reach: [Reach; 2],
    /// Number of functions that are computed from the table.
    ///
    /// The cost model needs it because all of them take the slow path where the table ends.
    pub(crate) functions: usize,
}

/// How far a table may reach on one side of zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Largest `|z|` that the table may cover.
    pub(crate) to: f64,
    /// Limit of the function, if the function has rounded to it from `to` on, otherwise `None`.
    ///
    /// A longer table is of no use if there is a limit.
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
            once: request.rounds_once(symmetry),
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

    /// Order of the zero that the function has at `z = 0`, or 0 if it is not zero there.
    pub(crate) fn power(&self) -> usize {
        let sides = if self.symmetric() { &self.zero[1..] } else { &self.zero[..] };
        sides.iter().map(|z| z.power()).max().unwrap_or(0)
    }

    /// Returns the sides of `z = 0` that are inside the domain, each as its index (0 or 1) and sign.
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

    /// Returns the unit in which an error at `z` is counted, where the function's value is `v`.
    ///
    /// The value is that on the side of zero that the table describes.
    #[inline]
    pub(crate) fn unit(&self, z: f64, v: f64) -> f64 {
        let flat = match self.roots.is_empty() {
            true => 0.0,
            false => self.function.flat(self.symmetry.sign() * z),
        };
        self.at_least(flat, v)
    }

    /// Returns the unit in which an error is counted on the side of zero without a table, at `|x| = z`.
    ///
    /// With a symmetry, a table describes one side of zero only. The function's value on the other side is `v`.
    #[inline]
    pub(crate) fn other_unit(&self, z: f64, v: f64) -> f64 {
        let flat = match self.function.roots().is_empty() {
            true => 0.0,
            false => self.function.flat(-self.symmetry.sign() * z),
        };
        self.at_least(flat, v)
    }

    /// Returns the unit in which the error of a value `v` is counted, which is at least `flat`.
    ///
    /// If errors are those of products of the value, it is the least unit of such products: half of the unit of numbers just
    /// above a power of two.
    #[inline]
    fn at_least(&self, flat: f64, v: f64) -> f64 {
        match self.of_products {
            true => larger(size(v) * (0.5 * ulp(1.0)), 0.5 * larger(ulp(v), flat)),
            false => larger(ulp(v), flat),
        }
    }

    /// Returns the lower limit of the absolute value to which errors at `z` are taken as relative.
    fn least(&self, z: f64) -> f64 {
        let near = self.roots.iter().any(|r| (z - r).abs() < NEAR_ROOT);
        let normal = power_of_two(self.element.least_normal());
        if near { (FLAT / ulp(1.0)).max(normal) } else { normal }
    }

    /// Returns the absolute value to which polynomial errors at `z` are taken as relative.
    ///
    /// It is that of the function's value, with a lower limit. Results that are denormal in f16 allow larger errors. If they
    /// are multiplied, their errors are limited to a quarter of a unit ([`BEFORE`]).
    pub(crate) fn size(&self, z: f64, value: f64) -> f64 {
        let size = value.abs().max(self.least(z));
        let least = self.element.least_factor();
        if self.multiplied && least < self.element.least_normal() {
            let factor = value.abs().max(power_of_two(least));
            return size.min(factor * (BEFORE / HOPELESS));
        }
        size
    }

    /// Returns the larger unit in the last place of the value `v` and of its sum by symmetry.
    ///
    /// The sum is the function's value at `z` on the side that the table does not describe. If `v` is a multiple of the larger
    /// unit, it loses nothing in that sum.
    pub(crate) fn turned_unit(&self, z: f64, v: f64) -> f64 {
        larger(ulp(v), self.symmetry.other(v, z).map_or(0.0, ulp))
    }

    /// Returns true if the oracle's error bound at `z` is small enough to be ignored.
    fn believed(&self, z: f64, k: Known) -> bool {
        // 1/32 of a unit in f32, and an error that is not visible in 16 bits.
        let (share, least) = match self.element {
            Element::F32 => (power_of_two(-29), power_of_two(-155)),
            _ => (power_of_two(-18), power_of_two(-155)),
        };
        let size = k.value.abs().max(if self.least(z) > 1e-30 { self.least(z) } else { 0.0 });
        k.error <= (size * share).max(least) && k.value.abs() < f32::MAX as f64
    }

    /// Returns the view without limits, so that the table may go on where the function has reached them.
    ///
    /// A joint table needs it, because a function may still change where its derivative has rounded to its limit.
    pub(crate) fn unlimited(mut self) -> Result<Self, Refusal> {
        for (k, sign) in self.signs() {
            self.reach[k] = Reach { to: self.sure(sign)?, limit: None };
        }
        Ok(self)
    }

    /// Returns the oracle's values on one side of `z = 0`.
    fn survey(&self, sign: f64) -> &'a Survey {
        self.function.survey(sign * self.symmetry.sign())
    }

    /// Returns the distance from zero up to which the oracle's errors can be ignored, on one side.
    ///
    /// It is judged at the arguments at which the oracle was evaluated once for all tables. Returns an error if the oracle is
    /// too inaccurate close to zero.
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

    /// Returns true if the value `v` at `z` and the limit round to the same number.
    ///
    /// That has to hold on both sides of zero, and before rounding they may differ by at most `before` units.
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

    /// Returns the distance between `inside` and `outside` up to which `holds` returns true.
    ///
    /// The distance is rounded towards `inside`.
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
