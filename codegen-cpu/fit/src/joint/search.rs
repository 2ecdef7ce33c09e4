//! Search for the joint table that takes the least time: degree, evaluation order and width.

use super::differs::differs;
use super::pair::Pair;
use super::segment;
use super::{Bend, Joint, Piece, Steps};
use crate::cost_model;
use crate::element::Element;
use crate::error::Refusal;
use crate::function::Function;
use crate::grid::Grid;
use crate::interval::Search;
use crate::narrow::{self, Segmented};
use crate::request::Request;
use crate::segment::{Fitted, off};
use crate::symmetry::Symmetry;
use crate::table::MAX_DEGREE;
use crate::view::View;

/// Factor by which the target for a table's error is raised if no table reaches it.
const RAISE: f64 = 1.08;

impl Segmented for Pair<'_> {
    type Segment = Piece;
    const STEP: f64 = 0.985;
    const SAMPLES: usize = 4096;
    const OUTER_FIRST: bool = true;

    fn grid(&self, width: f64) -> Option<Grid> {
        self.search.grid(width)
    }

    fn fit(&self, grid: &Grid, i: usize, samples: usize, target: f64) -> Fitted<Piece> {
        segment::fit(self, &self.search.nodes(grid, i), samples, target)
    }

    fn worst(&self, piece: &Piece, at: [f64; 2], samples: usize, enough: f64) -> f64 {
        segment::worst(&mut segment::judges(self, at, samples), &self.steps, piece, enough)
    }
}

impl Request {
    /// Returns the default requirements on a joint table of a function and its derivative in f32.
    ///
    /// `entries` is the number of floats that one look-up of the evaluator holds. The function and its derivative are then within 1.3
    /// units in the last place. The limit is 1.41 where that cannot be reached or look-ups hold fewer than 32 floats; below the least
    /// normal float, values near a double zero are within 1.5.
    pub fn joint(entries: usize) -> Self {
        let target = if entries >= 32 { 1.3 } else { 1.4 };
        Request { target, most: 1.41, ..Request::new(Element::F32, entries) }
    }
}

impl Function<'_> {
    /// Returns the joint table of this function and its derivative that takes the least time.
    ///
    /// The time is that on normally distributed data. Both functions are of f32, and have oracles of their own, the same domain and the
    /// same breakpoints. [`Request::joint`] has suitable defaults.
    ///
    /// # Errors
    ///
    /// `derivative` is not the derivative by its values ([`Refusal::Derivative`]), an oracle's error near zero is too large,
    /// one of the functions is zero at zero but no power of `x` there, or the target cannot be reached.
    pub fn fit_with(&self, derivative: &Function, request: &Request) -> Result<Joint, Refusal> {
        if let Some(at) = differs(self, derivative) {
            return Err(Refusal::Derivative { at });
        }
        let both = [self.symmetry(), Symmetry::None];
        let layouts = &both[(self.symmetry() == Symmetry::None) as usize..];
        let mut refusal = Refusal::Target { ulp: request.most };
        for &symmetry in layouts {
            let view = |of, symmetry| {
                View::new(of, symmetry, request).and_then(View::unlimited).map(View::of_results)
            };
            let views = view(self, symmetry)
                .and_then(|f| Ok((f, view(derivative, symmetry.derivative())?)));
            match views {
                Ok((f, mut derivative)) => {
                    for (r, own) in derivative.reach.iter_mut().zip(f.reach) {
                        r.to = r.to.min(own.to);
                    }
                    let joint = fastest(&f, &derivative, request);
                    if let Some(joint) = joint.filter(|joint| joint.cost() < request.under) {
                        return Ok([self, derivative.function]
                            .into_iter()
                            .fold(joint, Joint::in_range));
                    }
                }
                Err(why) => refusal = why,
            }
        }
        Err(refusal)
    }
}

/// Returns the evaluation orders to try, as the fields `slope`, `thrice` and `bend` of [`Steps`].
///
/// Functions with linear symmetry (`f(x) - f(-x) = slope x`) need no high part of the slope at zero: it is half the slope of
/// the symmetry, where neither side loses digits.
fn arrangements(f: &View, derivative: &View) -> Vec<(bool, bool, Bend)> {
    let linear = matches!(f.symmetry, Symmetry::Linear { .. });
    let slopes = (f.power() == 1 || !f.roots.is_empty()) && !linear;
    let bends: &[Bend] = match (f.power(), derivative.power()) {
        (2, _) => &[Bend::High, Bend::Double],
        (_, 0) if derivative.roots.is_empty() => &[Bend::Plain],
        _ => &[Bend::Plain, Bend::High],
    };
    let slopes = if slopes { &[false, true][..] } else { &[false] };
    let mut all = Vec::new();
    for slope in slopes {
        for thrice in [false, true] {
            all.extend(bends.iter().map(|bend| (*slope, thrice, *bend)));
        }
    }
    all
}

/// Returns the cheapest joint table of a function and its derivative, if one meets the request.
///
/// Degrees and evaluation orders are tried in the order of what their tables would cost if the error of polynomials alone
/// decided how far tables reach. The segment at which one attempt failed is fitted first in the next.
fn fastest(f: &View, derivative: &View, request: &Request) -> Option<Joint> {
    let least = f.power().max(derivative.power() + 1).max(4);
    let degrees = request.degrees.clone().filter(|degree| (least..=MAX_DEGREE).contains(degree));
    let searches: Vec<(f64, Search)> = degrees
        .filter_map(|degree| {
            let search = Search::new(derivative, request.index, request.entries, degree - 1);
            Some((search.widest_polynomials(off(request.target))?, search))
        })
        .collect();
    let mut hopes: Vec<(f64, f64, Pair)> = Vec::new();
    for (width, search) in &searches {
        for (slope, thrice, bend) in arrangements(f, derivative) {
            let (symmetry, degree) = (f.symmetry, search.design.degree + 1);
            let pair = Pair { f, search, steps: Steps { symmetry, degree, slope, thrice, bend } };
            let grid = search.grid(*width)?;
            hopes.push((pair.cost(&grid), *width, pair));
        }
    }
    hopes.retain(|(cost, ..)| *cost < request.under);
    hopes.sort_by(|a, b| a.0.total_cmp(&b.0));
    cost_model::raised([request.target, request.most], RAISE, |target| {
        let mut failed: Vec<(Steps, f64)> = Vec::new();
        let mut hot = None;
        cost_model::cheapest(&hopes, request.under, |(hope, width, pair), enough| {
            // Where one degree found no table at all, another with the same steps that would be at least as wide does not find
            // one either.
            let fails = |(other, least): &(Steps, f64)| {
                Steps { degree: other.degree, ..pair.steps } == *other && width >= least
            };
            if *hope >= enough || failed.iter().any(fails) {
                return None;
            }
            let found = narrow::all(pair, *width, target, &mut hot);
            if found.is_none() {
                failed.push((pair.steps, *width));
            }
            found.map(|found| (pair.cost(&found.0), pair.finish(found)))
        })
    })
}
