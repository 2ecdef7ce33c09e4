//! Functions that are fractions of polynomials in `x` and one exponential of it: the ways to call them.
//!
//! `f = x^a (A(e) + x B(e) + ..) / D(e)` with `e = exp(k x)`, or with `D(e)^2` as the denominator. The sign of the exponent,
//! clamps, and the order of divisions are tried one after the other; `plan/accept.rs` decides which of them are accurate.

use super::forms::{Factors, straight_near_zero, times};
use super::{Api, Seq, Val};
use op_dsl_ir::passes::rational::fraction::{Fraction, Term};
use std::collections::BTreeMap;

/// Coefficients of a polynomial in `e`, from `e^0` on.
type Poly = Vec<f64>;

/// A fraction `x^a (n[0](e) + k x n[1](e) + ..) / d(e)^power` with `e = exp(k x)` and monic `d`.
#[derive(Clone, Debug, PartialEq)]
struct Sorted {
    /// The factor `k` in `e = exp(k x)`.
    rate: f64,
    /// The power `a` of `x` in front of the fraction: 0 or 1.
    x: i32,
    /// The numerators `n[0]`, `n[1]`, .., polynomials in `e`; `n[i]` is multiplied by `(k x)^i`.
    n: Vec<Poly>,
    /// The denominator, a monic polynomial in `e`, and the power that it is raised to.
    d: Poly,
    power: i32,
}

/// A way to compute a fraction by vector calls: the order of divisions, and where `x` is clamped.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    of: Sorted,
    order: Order,
    /// True if `x` is clamped where powers of `e` would overflow.
    holds_high: bool,
    /// True if `x` is clamped where `e` has underflowed to 0.
    holds_low: bool,
    /// True if `e` is the exponential of `-|k x|`, for a function that is even.
    is_even: bool,
    /// The `|x|` below which the function is replaced by a straight line, and the slope of that line.
    line: Option<(f64, f64)>,
}

/// Order of the divisions in `N / D^m`, where `N = A + x B + ..`.
///
/// `A`, `B` and `D` are polynomials in `e`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    /// One division: `N / D`.
    Once,
    /// `(A/D + x B / D) / D` where `D` divides `A`.
    Within,
    /// `q (1 + x C / D)` with `q = A / D / D`, where `A / D` and `C = B / (A / D)` are polynomials.
    Shared,
    /// One division after the other: `N / D / D ..`
    Again,
    /// One division by a product: `N / (D D ..)`
    Multiplied,
    /// `c / (e + a + 1 / e)`, for the fraction `c e / (e^2 + a e + 1)`.
    Both,
}

const MOST_POWERS: usize = 3;

impl Sorted {
    /// Returns the normal form of a fraction in `e = exp(k x)`; `None` if it has none.
    ///
    /// The denominator must not contain `x`, and all degrees must be small. If `turned`, `e` is replaced by `1 / e`.
    fn new(f: &Fraction, turned: bool) -> Option<Sorted> {
        let sign = if turned { -1 } else { 1 };
        let powers = |terms: &[Term]| terms.iter().map(|t| sign * t.e).min().unwrap_or(0);
        let mut e = sign * f.e;
        let mut n: BTreeMap<(i32, i32), f64> = [((0, 0), f.number)].into();
        let mut below: Vec<(Poly, i32)> = Vec::new();
        for (terms, power) in &f.factors {
            let least = powers(terms);
            e += least * power;
            let terms: Vec<Term> =
                terms.iter().map(|t| Term { e: sign * t.e - least, ..*t }).collect();
            if *power > 0 {
                for _ in 0..*power {
                    n = product(&n, &terms);
                }
                continue;
            }
            if terms.iter().any(|t| t.x != 0) {
                return None;
            }
            let poly = in_e(&terms);
            below.push((poly, -power));
        }
        // Denominators of equal powers become one denominator of that power; others are multiplied out.
        let power = below.iter().map(|(_, m)| *m).reduce(|a, b| if a == b { a } else { 1 })?;
        let one = |(p, m): &(Poly, i32)| {
            (0..if power == 1 { *m } else { 1 }).fold(vec![1.0], |all, _| times_poly(&all, p))
        };
        let mut d = below.iter().fold(vec![1.0], |all, p| times_poly(&all, &one(p)));
        // A negative power of `e` that remains goes into the denominator, so that all powers are positive.
        if e < 0 {
            if e % power != 0 {
                return None;
            }
            d.splice(0..0, std::iter::repeat_n(0.0, (-e / power) as usize));
            e = 0;
        }
        let most_x = n.keys().map(|k| k.0).max()?;
        let most_e = n.keys().map(|k| k.1).max()? + e;
        if !(0..=2).contains(&most_x)
            || !(0..=1).contains(&f.x)
            || most_e > 8
            || d.len() > 8
            || power > 3
        {
            return None;
        }
        let mut by_x = vec![vec![0.0; most_e as usize + 1]; most_x as usize + 1];
        n.into_iter().for_each(|((x, p), c)| by_x[x as usize][(p + e) as usize] += c);
        // The denominator becomes monic.
        let lead = *d.last()?;
        d.iter_mut().for_each(|c| *c /= lead);
        let number = lead.powi(power);
        let rate = f64::from(sign) * f.rate;
        by_x.iter_mut().enumerate().for_each(|(k, p)| {
            p.iter_mut().for_each(|c| *c = whole(*c / number / rate.powi(k as i32)));
            trim(p);
        });
        Some(Sorted { rate, x: f.x, n: by_x, d, power })
    }

    /// Returns the quotient `n[0] / d`, and the other numerators `n[1]`, .. divided by that quotient.
    ///
    /// Returns `None` if these are not polynomials in `e`, or if there is only one numerator.
    fn shared(&self) -> Option<(Poly, Vec<Poly>)> {
        let first = quotient(&self.n[0], &self.d)?;
        // `quotient` needs a monic divisor; this one may have trailing powers of `e`.
        let lead = *first.last()?;
        let monic: Poly = first.iter().map(|c| c / lead).collect();
        let over = |p: &Poly| {
            let q = quotient(p, &monic)?;
            Some(q.iter().map(|c| c / lead).collect::<Poly>())
        };
        let rest: Option<Vec<Poly>> = self.n[1..].iter().map(over).collect();
        Some((first, rest?)).filter(|(_, rest)| !rest.is_empty())
    }

    /// Returns `c` and `a` if the fraction is `c e / (e^2 + a e + 1)`; otherwise `None`.
    fn both(&self) -> Option<(f64, f64)> {
        let d = (1..self.power).fold(self.d.clone(), |all, _| times_poly(&all, &self.d));
        match (&self.n[..], &d[..]) {
            ([n], [1.0, a, 1.0]) if n.len() == 2 && n[0] == 0.0 => Some((n[1], *a)),
            _ => None,
        }
    }

    /// Returns the highest power of `e` that is computed with this order of the divisions.
    fn degree(&self, order: Order) -> usize {
        let n = self.n.iter().map(Vec::len).max().unwrap_or(1) - 1;
        let d = self.d.len() - 1;
        let times = if order == Order::Multiplied { self.power as usize } else { 1 };
        n.max(times * d).max(1)
    }
}

/// Rounds `c` to an integer, if only rounding errors make it differ from one.
fn whole(c: f64) -> f64 {
    if (c - c.round()).abs() < 1e-12 { c.round() } else { c }
}

fn trim(p: &mut Poly) {
    while p.len() > 1 && p.last() == Some(&0.0) {
        p.pop();
    }
}

fn in_e(terms: &[Term]) -> Poly {
    let most = terms.iter().map(|t| t.e).max().unwrap_or(0);
    let mut p = vec![0.0; most as usize + 1];
    terms.iter().for_each(|t| p[t.e as usize] += t.c);
    p
}

fn product(n: &BTreeMap<(i32, i32), f64>, terms: &[Term]) -> BTreeMap<(i32, i32), f64> {
    let mut out = BTreeMap::new();
    for ((x, e), c) in n {
        for t in terms {
            *out.entry((x + t.x, e + t.e)).or_insert(0.0) += c * t.c;
        }
    }
    out
}

fn times_poly(a: &Poly, b: &Poly) -> Poly {
    let mut out = vec![0.0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            out[i + j] += x * y;
        }
    }
    out
}

/// Returns the quotient of polynomials `a / d`, `d` monic; `None` if the division leaves a remainder.
fn quotient(a: &Poly, d: &Poly) -> Option<Poly> {
    let mut rest = a.clone();
    let mut q = vec![0.0; (a.len() + 1).checked_sub(d.len())?.max(1)];
    for k in (0..q.len()).rev() {
        let c = rest.get(k + d.len() - 1).copied().unwrap_or(0.0);
        q[k] = c;
        for (j, dj) in d.iter().enumerate() {
            if let Some(r) = rest.get_mut(k + j) {
                *r -= c * dj;
            }
        }
    }
    let size = a.iter().fold(0.0f64, |m, c| m.max(c.abs()));
    rest.iter().all(|r| r.abs() <= 1e-12 * size).then_some(q)
}

/// Returns all sequences of vector calls that may compute a fraction.
///
/// If the function is 0 at 0, `zero` is its slope there, and a line may replace it where `|x|` is below one of `lines`. `is_even`
/// tells whether the function is even.
pub fn ways(f: &Fraction, zero: Option<f64>, lines: &[f64], is_even: bool) -> Vec<Way> {
    let mut all = Vec::new();
    for turned in [false, true] {
        let Some(of) = Sorted::new(f, turned) else { continue };
        if of.n.len() > MOST_POWERS {
            continue;
        }
        let orders: &[Order] = match of.power {
            1 => &[Order::Once, Order::Both],
            2 => &[Order::Multiplied, Order::Within, Order::Shared, Order::Again, Order::Both],
            _ => &[Order::Multiplied, Order::Again],
        };
        let evens: &[bool] = if is_even { &[false, true] } else { &[false] };
        for &order in orders {
            let fits = match order {
                Order::Within => quotient(&of.n[0], &of.d).is_some(),
                Order::Shared => of.shared().is_some(),
                Order::Both => of.both().is_some(),
                _ => true,
            };
            if !fits {
                continue;
            }
            for &is_even in evens {
                for holds in 0..4 {
                    let (holds_high, holds_low) = (holds & 1 != 0, holds & 2 != 0);
                    if is_even && (holds_high || of.rate > 0.0) {
                        continue;
                    }
                    let way =
                        Way { of: of.clone(), order, holds_high, holds_low, is_even, line: None };
                    if let Some(slope) = zero {
                        let line = |least: &f64| Some((*least, slope));
                        let lined = |least| Way { line: line(least), ..way.clone() };
                        all.extend(lines.iter().map(lined));
                    }
                    all.push(way);
                }
            }
        }
    }
    all
}

/// Rounds a positive number down to 7 significant bits, which f16 and bf16 can represent.
fn short(c: f64) -> f64 {
    let unit = 2f64.powi(c.log2().floor() as i32 - 6);
    (c / unit).floor() * unit
}

impl Way {
    /// Emits the vector calls for the fraction at `x`, times the factors `t`.
    pub fn build(&self, s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
        let Way { of, order, .. } = self;
        let size = of.rate.abs();
        // The sizes of `x` at which a power of `e` overflows, and at which `e` underflows to 0.
        let high = short(80.0 / (size * of.degree(*order) as f64));
        let low = short(110.0 / size);
        let (above, below) = if of.rate > 0.0 { (high, low) } else { (low, high) };
        let (holds_above, holds_below) = if of.rate > 0.0 {
            (self.holds_high, self.holds_low)
        } else {
            (self.holds_low, self.holds_high)
        };
        let mut outer = x;
        let mut inner = if self.is_even { s.abs(x) } else { x };
        if self.is_even && self.holds_low {
            inner = s.mins(inner, low);
        } else if !self.is_even {
            if holds_below {
                inner = s.maxs(inner, -below);
                if of.rate > 0.0 {
                    outer = inner;
                }
            }
            if holds_above {
                inner = s.mins(inner, above);
                if of.rate < 0.0 {
                    outer = if holds_below { s.mins(x, above) } else { inner };
                }
            }
        }
        let v = if of.rate == 1.0 { inner } else { s.muls(inner, of.rate) };
        let e = s.exp(v);
        s.named(e, "e");
        let y = self.fraction(&mut Terms { s, e, v, known: Vec::new() });
        let y = if of.x == 1 { s.mul(y, outer) } else { y };
        let y = match self.line {
            Some((least, slope)) => straight_near_zero(s, x, least, slope, y),
            None => y,
        };
        times(s, y, t)
    }

    fn fraction(&self, terms: &mut Terms<'_>) -> Val {
        let Sorted { n, d, .. } = &self.of;
        let one = vec![0.0];
        match self.order {
            Order::Once => {
                let above = terms.numerator(n);
                let below = terms.below(d);
                terms.divided(above, below)
            }
            Order::Again => {
                let above = terms.numerator(n);
                let below = terms.below(d);
                let once = terms.divided(above, below);
                (1..self.of.power).fold(once, |y, _| terms.s.div(y, below))
            }
            Order::Multiplied => {
                let above = terms.numerator(n);
                let below = terms.below(d);
                let all = (1..self.of.power).fold(below, |all, _| terms.s.mul(all, below));
                terms.divided(above, all)
            }
            Order::Both => {
                let (c, a) = self.of.both().unwrap_or_default();
                let (one, e) = (terms.s.splat(1.0), terms.e);
                let turned = terms.s.div(one, e);
                let sum = terms.s.call(Api::Add, &[e, turned]);
                let below = if a == 0.0 { sum } else { terms.s.adds(sum, a) };
                terms.divided(Number::Const(c), below)
            }
            Order::Within => {
                let whole = quotient(&n[0], d).unwrap_or_default();
                let rest: Vec<Poly> = [one].into_iter().chain(n[1..].iter().cloned()).collect();
                let (c, rest) = scaled(&rest);
                let above = terms.numerator(&rest);
                let whole = terms.poly(&whole);
                let below = terms.below(d);
                let bend = terms.divided(above, below);
                let sum = match whole {
                    Number::Vector(whole) if c == 1.0 => terms.s.call(Api::Add, &[bend, whole]),
                    Number::Vector(whole) => terms.s.axpy(whole, bend, c),
                    Number::Const(whole) => {
                        let bend = if c == 1.0 { bend } else { terms.s.muls(bend, c) };
                        if whole == 0.0 { bend } else { terms.s.adds(bend, whole) }
                    }
                };
                terms.s.div(sum, below)
            }
            Order::Shared => {
                let (first, rest) = self.of.shared().unwrap_or_default();
                let rest: Vec<Poly> = [one].into_iter().chain(rest).collect();
                let above = terms.numerator(&rest);
                let first = terms.poly(&first);
                let below = terms.below(d);
                let bend = terms.divided(above, below);
                let q = terms.divided(first, below);
                terms.s.fused_mul_add(bend, q, q)
            }
        }
    }
}

/// Returns the leading coefficient of the last numerator that is not 0, and `n` divided by it.
fn scaled(n: &[Poly]) -> (f64, Vec<Poly>) {
    let lead = n.iter().rev().find_map(|p| p.last().copied().filter(|c| *c != 0.0));
    let lead = lead.unwrap_or(1.0);
    (lead, n.iter().map(|p| p.iter().map(|c| c / lead).collect()).collect())
}

/// A value that a vector call computes, or a constant.
#[derive(Clone, Copy)]
enum Number {
    Vector(Val),
    Const(f64),
}

/// Vector calls under construction, with `e`, `v = k x` and the polynomials in `e` emitted so far.
///
/// Numerator and denominator of the fraction are polynomials in `e = exp(v)`.
struct Terms<'s> {
    s: &'s mut Seq,
    e: Val,
    v: Val,
    known: Vec<(Poly, Val)>,
}

impl Terms<'_> {
    /// Emits the polynomial in `e` with coefficients `p`, the constant first.
    fn poly(&mut self, p: &[f64]) -> Number {
        let n = p.iter().rposition(|c| *c != 0.0);
        let Some(n) = n.filter(|n| *n > 0) else {
            return Number::Const(p.first().copied().unwrap_or(0.0));
        };
        let p = p[..=n].to_vec();
        let value = self.beside(&p).unwrap_or_else(|| self.horner(&p));
        self.known.push((p, value));
        Number::Vector(value)
    }

    /// Returns the value of polynomial `p` if an emitted one is equal or differs from it by one call.
    ///
    /// Otherwise returns `None`.
    fn beside(&mut self, p: &Poly) -> Option<Val> {
        let (s, e) = (&mut *self.s, self.e);
        self.known.iter().find_map(|(q, value)| {
            let differs: Vec<(usize, f64)> = (p.iter().zip(q).enumerate())
                .filter(|(_, (a, b))| p.len() == q.len() && a != b)
                .map(|(k, (a, b))| (k, a - b))
                .collect();
            match differs[..] {
                [] if p.len() == q.len() => Some(*value),
                [(0, c)] => Some(s.adds(*value, c)),
                [(1, 1.0)] if p.len() > 2 => Some(s.call(Api::Add, &[*value, e])),
                _ => None,
            }
        })
    }

    fn horner(&mut self, p: &Poly) -> Val {
        let (s, e, n) = (&mut *self.s, self.e, p.len() - 1);
        let mut value = if p[n] == 1.0 { e } else { s.muls(e, p[n]) };
        if p[n - 1] != 0.0 {
            value = s.adds(value, p[n - 1]);
        }
        for c in p[..n - 1].iter().rev() {
            value = s.mul(value, e);
            if *c != 0.0 {
                value = s.adds(value, *c);
            }
        }
        value
    }

    /// Emits the denominator, a polynomial in `e` with coefficients `d`, the constant first.
    fn below(&mut self, d: &Poly) -> Val {
        match self.poly(d) {
            Number::Vector(below) => self.s.named(below, "D(e)"),
            Number::Const(c) => self.s.splat(c),
        }
    }

    /// Emits the numerator `n[0](e) + v n[1](e) + ..`, where `v = k x` and `e = exp(v)`.
    fn numerator(&mut self, n: &[Poly]) -> Number {
        let mut sum = Number::Const(0.0);
        for p in n.iter().rev() {
            // A constant factor of a whole polynomial costs no call in a scaled sum.
            let lead = p.last().copied().filter(|c| *c != 0.0).unwrap_or(1.0);
            let monic: Vec<f64> = p.iter().map(|c| c / lead).collect();
            let product = match sum {
                Number::Const(0.0) => None,
                Number::Const(c) => Some((self.v, c)),
                Number::Vector(v) => Some((self.s.mul(v, self.v), 1.0)),
            };
            let poly = self.poly(&monic);
            let s = &mut *self.s;
            sum = match (product, poly) {
                (None, Number::Const(c)) => Number::Const(c * lead),
                (None, Number::Vector(v)) if lead == 1.0 => Number::Vector(v),
                (None, Number::Vector(v)) => Number::Vector(s.muls(v, lead)),
                (Some((v, c)), Number::Const(a)) => {
                    let v = if c == 1.0 { v } else { s.muls(v, c) };
                    Number::Vector(if a == 0.0 { v } else { s.adds(v, a * lead) })
                }
                (Some((v, 1.0)), Number::Vector(a)) if lead == 1.0 => {
                    Number::Vector(s.call(Api::Add, &[v, a]))
                }
                (Some((v, 1.0)), Number::Vector(a)) => Number::Vector(s.axpy(v, a, lead)),
                (Some((v, c)), Number::Vector(a)) if lead == 1.0 => Number::Vector(s.axpy(a, v, c)),
                (Some((v, c)), Number::Vector(a)) => {
                    let v = s.muls(v, c);
                    Number::Vector(s.axpy(v, a, lead))
                }
            };
        }
        sum
    }

    fn divided(&mut self, above: Number, below: Val) -> Val {
        let above = match above {
            Number::Vector(v) => v,
            Number::Const(c) => self.s.splat(c),
        };
        self.s.div(above, below)
    }
}
