//! Composed functions: several functions of `x`, all of them polynomials in `x` and one basis function `g`.
//!
//! ```text
//! silu(x) = x g      silu'(x) = g + x g (1 - g)      with g the sigmoid
//! tanh(x) = g        tanh'(x) = 1 - g^2              with g = tanh
//! ```
//!
//! Every gated unit's gradient needs a function and its derivative together. In 16 bits one table of `g` and a few products are as good
//! as a table of each. The search is by value, not by formula: `g` is one of the functions, or one of them divided by `x`, and the
//! coefficients solve the equations at half of the sample arguments and satisfy them at the other half. A table of `g` is good if the
//! composed functions are; `g` itself has no accuracy requirement.

use crate::cost_model;
use crate::element::Element;
use crate::exhaustive::Results;
use crate::function::Function;
use crate::half;
use crate::oracle::Hints;
use crate::polynomial::{POWERS, Polynomial};
use crate::request::Request;
use crate::symmetry::Symmetry;
use crate::table::Table;
use crate::view::View;

/// Definition of the basis function `g`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The basis function `g` is the function with this index.
    Value(usize),
    /// The basis function `g` is the function with this index, divided by `x`.
    Ratio(usize),
}

/// Composed functions: polynomials in `x` and one basis function `g` of `x`.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// How `g` follows from one of the functions.
    pub base: Base,
    /// The polynomial of each function, in the order in which the functions were given.
    pub results: Vec<Polynomial>,
}

/// Number of arguments at which functions and polynomials are compared.
///
/// Half of the arguments determine the coefficients, and the other half only checks them.
const PLACES: usize = 48;
/// Maximum `|x|` of the arguments at which functions and polynomials are compared.
const FAR: f64 = 5.0;
/// Maximum error of a polynomial, relative to the sum of the absolute values of its terms.
const OFF: f64 = 1e-10;
/// Coefficients with a smaller absolute value are set to zero.
const NOTHING: f64 = 1e-9;

impl Made {
    /// Finds polynomials in `x` and one basis function `g` that equal the functions.
    ///
    /// All functions have the same domain. Returns `None` if no such `g` is found.
    pub fn find(functions: &[&Function]) -> Option<Made> {
        let first = functions.first()?;
        let [low, high] = first.hints.domain;
        let between = |k: usize| {
            let part = (k as f64 + 0.37) / PLACES as f64;
            low.max(-FAR) + part * (high.min(FAR) - low.max(-FAR))
        };
        let places: Vec<f64> = (0..PLACES).map(between).collect();
        let values: Vec<Vec<f64>> = functions
            .iter()
            .map(|f| f.known(&places).into_iter().map(|known| known.value).collect())
            .collect();
        let bases = (0..functions.len()).flat_map(|k| [Base::Value(k), Base::Ratio(k)]);
        bases.into_iter().find_map(|base| {
            let g: Vec<f64> = match base {
                Base::Value(k) => values[k].clone(),
                Base::Ratio(k) => values[k].iter().zip(&places).map(|(v, x)| v / x).collect(),
            };
            let found = values.iter().map(|f| polynomial(&places, &g, f));
            let results = found.collect::<Option<Vec<_>>>()?;
            // If `g` has no part in a function, there is no reason to look it up for that function.
            results.iter().all(Polynomial::has_g).then_some(Made { base, results })
        })
    }

    /// Returns the table of `g` that computes the functions in the least time on normally distributed data.
    ///
    /// Returns `None` for f32, for a variable that is a product, and if no table is good and cheap enough.
    pub fn table(&self, functions: &[&Function], request: &Request) -> Option<Table> {
        if request.element == Element::F32 || request.of_product {
            return None;
        }
        let (Base::Value(k) | Base::Ratio(k)) = self.base;
        let of = functions.get(k)?;
        let is_ratio = self.base == Base::Ratio(k);
        let places = |x: &[f64]| -> Vec<f64> {
            // The value at zero is taken from very close to it, because a quotient by zero is not defined.
            const BESIDE: f64 = 1e-200;
            let away = |x: &f64| if x.abs() < BESIDE { BESIDE.copysign(*x) } else { *x };
            x.iter().map(|x| if is_ratio { away(x) } else { *x }).collect()
        };
        let by = |x: f64| if is_ratio { x } else { 1.0 };
        let oracle = |x: &[f64]| -> Vec<(f64, f64)> {
            let places = places(x);
            let known = of.known(&places).into_iter().zip(&places);
            known.map(|(f, x)| (f.value / by(*x), (f.error / by(*x)).abs())).collect()
        };
        let values = |x: &[f64]| -> Vec<f64> {
            let places = places(x);
            of.plain(&places).into_iter().zip(&places).map(|(f, x)| f / by(*x)).collect()
        };
        // No limits: where `g` has rounded to its limit, the composed functions have not.
        let g = Function::new(&oracle, Hints { limits: [None; 2], ..of.hints.clone() });
        let g = g.with_values(&values);
        let both = [g.symmetry(), Symmetry::None];
        let layouts = &both[(g.symmetry() == Symmetry::None) as usize..];
        let view = |symmetry: &Symmetry| {
            let view = View::new(&g, *symmetry, request).ok()?;
            Some(View { functions: functions.len(), ..view })
        };
        let views: Vec<View> = layouts.iter().filter_map(view).collect();
        let results = functions.iter().zip(&self.results);
        let results = results.map(|(f, made)| (f.truth(request.element), Some(made))).collect();
        let hopes = views.iter().flat_map(|view| half::hopes(view, request));
        let is_of_use =
            |hope: &half::Hope| hope.cost + self.products(request.entries) < request.under;
        let table = half::best(hopes.filter(is_of_use).collect(), &Results(results))?;
        let table = match request.multiplied {
            true => functions.iter().fold(table, |table, f| f.shortened(table)),
            false => table,
        };
        (self.cost(&table) < request.under).then_some(table)
    }

    /// Estimated cost of all functions from a table of `g`, in nanoseconds per element.
    pub fn cost(&self, table: &Table) -> f64 {
        cost_model::table_cost(table, self.results.len()) + self.products(table.grid.entries)
    }

    /// Cost of evaluating the polynomials after the look-up of `g`, in nanoseconds per element.
    fn products(&self, entries: usize) -> f64 {
        cost_model::inside(entries, 0, self.results.iter().map(Polynomial::operations).sum())
    }
}

/// Finds a function as a polynomial in `x` and `g`, with as few powers of each as possible.
///
/// `g` and `f` are values at `places`. Returns `None` if no polynomial equals the function.
fn polynomial(places: &[f64], g: &[f64], f: &[f64]) -> Option<Polynomial> {
    [[2, 3], [2, POWERS[1]], [POWERS[0], 3], POWERS].into_iter().find_map(|powers| {
        let term = |i: usize, j: usize, k: usize| {
            (0..i).fold(1.0, |p, _| p * places[k]) * (0..j).fold(1.0, |p, _| p * g[k])
        };
        let terms: Vec<[usize; 2]> =
            (0..powers[1]).flat_map(|j| (0..powers[0]).map(move |i| [i, j])).collect();
        let even: Vec<usize> = (0..places.len()).step_by(2).collect();
        let columns = terms.iter().map(|[i, j]| even.iter().map(|k| term(*i, *j, *k)).collect());
        let wanted = even.iter().map(|k| f[*k]).collect();
        let mut factors = solved(columns.collect(), wanted)?;
        factors.iter_mut().filter(|c| c.abs() < NOTHING).for_each(|c| *c = 0.0);
        let holds = |k: usize| {
            let parts = terms.iter().zip(&factors).map(|([i, j], c)| c * term(*i, *j, k));
            let (sum, size) = parts.fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()));
            (sum - f[k]).abs() <= OFF * size
        };
        let mut made = Polynomial::default();
        for ([i, j], c) in terms.iter().zip(&factors) {
            made.0[*j][*i] = *c as f32;
        }
        (0..places.len()).all(holds).then_some(made)
    })
}

/// Solves for the factors with which columns add up to `wanted`, by least squares with Gram-Schmidt.
///
/// Returns `None` if some columns depend on others.
fn solved(mut columns: Vec<Vec<f64>>, mut wanted: Vec<f64>) -> Option<Vec<f64>> {
    const DEPENDENT: f64 = 1e-11;
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let many = columns.len();
    let mut mix = vec![vec![0.0; many]; many];
    let mut parts = vec![0.0; many];
    for k in 0..many {
        let size = dot(&columns[k], &columns[k]);
        // Twice, because rounding leaves a remainder in the first pass.
        for j in (0..k).chain(0..k) {
            let by = dot(&columns[k], &columns[j]) / dot(&columns[j], &columns[j]);
            mix[j][k] += by;
            let other = columns[j].clone();
            columns[k].iter_mut().zip(other).for_each(|(x, y)| *x -= by * y);
        }
        let left = dot(&columns[k], &columns[k]);
        if left.is_nan() || left <= DEPENDENT * DEPENDENT * size {
            return None;
        }
        parts[k] = dot(&wanted, &columns[k]) / left;
        wanted.iter_mut().zip(&columns[k]).for_each(|(w, x)| *w -= parts[k] * x);
    }
    for k in (0..many).rev() {
        for j in k + 1..many {
            parts[k] -= mix[k][j] * parts[j];
        }
    }
    Some(parts)
}
