//! Which plan of a graph is taken: the cheapest that is accurate enough.
//!
//! Attacks of plans miss the worst of their elements by up to a tenth. So a plan well within the budget is preferred to one
//! just within, unless it is much dearer; where no plan is within, the least error counts, and of errors that hardly differ
//! the cheaper plan.

use super::accuracy::BUDGET;
use super::kept::{self, Place, Source};
use super::samples::Samples;
use super::target::Target;
use super::{Plan, Storage, bounded, plans, search};
use crate::arch::Why;
use crate::sequence::form::Digits;
use op_dsl_ir::{DType, Graph, roles};
use std::borrow::Cow;

/// The share of the budget up to which a plan is taken as soon as it is found: a search of ten times as many elements finds some
/// that are a tenth further off. In 16 bits rounding of the result is half of the budget, and no element was seen that is.
const ENOUGH: [f64; DType::COUNT] = [1.0, 1.0, 0.875];

/// The share up to which a plan is taken before dearer forms are tried.
const MOST: f64 = 0.95;

/// How many times as many cycles a plan may take that is within the lesser share.
const DEARER: f64 = 1.1;

/// Errors differ if one is more than so many times the other.
const NEARLY: f64 = 1.02;

/// The graph with products of functions of the activation first.
pub(super) fn ordered<'g>(graph: &'g Graph, target: Target<'_>) -> Cow<'g, Graph> {
    let ordered = bounded::run(graph, roles::activation(target.def));
    ordered.map_or(Cow::Borrowed(graph), Cow::Owned)
}

/// The plan of a graph that is taken, as it is kept or found.
pub(super) fn chosen(
    graph: &Graph,
    samples: &Samples<'_>,
    target: Target<'_>,
    storage: Storage,
) -> Result<Plan, Why> {
    let graph = &*ordered(graph, target);
    let key = kept::key(graph, samples.spec, target, storage);
    match target.source {
        Source::File => {
            let plan = kept::plan(key, graph, samples.spec, target, storage);
            plan.unwrap_or_else(|| Ok(found(graph, samples, target, storage)?.1))
        }
        Source::Search(to) => {
            let (place, plan) = found(graph, samples, target, storage)?;
            kept::note(to, key, place, &plan);
            Ok(plan)
        }
    }
}

/// The plan of a graph with the fewest cycles among those within their budget of accuracy, with the cheaper forms first;
/// the most accurate one if none is. An element that fails a plan is a sample of those after it.
fn found(
    graph: &Graph,
    samples: &Samples<'_>,
    target: Target<'_>,
    storage: Storage,
) -> Result<(Place, Plan), Why> {
    let mut over: Vec<Over> = Vec::new();
    let budget = BUDGET[target.dtype as usize];
    let enough = ENOUGH[target.dtype as usize] * budget;
    let most = enough.max(MOST * budget);
    for &digits in Digits::of(target.dtype) {
        let mut just_within: Option<(Place, Plan)> = None;
        let plans = plans(graph, samples.spec, Target { digits, ..target }, storage)?;
        for (number, mut plan) in plans.into_iter().enumerate() {
            let place = (digits, number);
            let limit = if just_within.is_none() { most } else { enough };
            let is_dearer =
                |(_, found): &(Place, Plan)| plan.cost.cycles > DEARER * found.cost.cycles;
            if just_within.as_ref().is_some_and(is_dearer) {
                break;
            }
            plan.accuracy = search::under_attack(samples, &plan, enough, limit.next_up());
            match plan.accuracy.error {
                error if error <= enough => return Ok((place, plan)),
                error if error <= limit => just_within = Some((place, plan)),
                _ => over.push(Over { place, plan, seen: Vec::new() }),
            }
        }
        if let Some(found) = just_within {
            return Ok(found);
        }
    }
    let best = within(&mut over, samples, budget).or_else(|| most_accurate(over, samples));
    let (place, mut best) = best.ok_or(Why::NoSequence("nothing", "no outputs"))?;
    // Samples decide whether it is emitted, because an attack also finds what no sequence of `float` keeps, where terms cancel.
    best.accuracy = search::at_samples(samples, &best);
    Ok((place, best))
}

/// A plan whose search ended at its first failure, and the failures of others that it was judged at, for each choice of attributes.
struct Over {
    place: Place,
    plan: Plan,
    seen: Vec<usize>,
}

impl Over {
    fn error(&self) -> f64 {
        self.plan.accuracy.error
    }

    /// Elements where some plan fails tell more of the others.
    fn look_at_failures(&mut self, samples: &Samples<'_>) {
        self.plan.accuracy = search::at_failures(samples, &self.plan, &mut self.seen);
    }
}

/// The plan with the fewest cycles whose error is no larger than a limit.
fn within(over: &mut [Over], samples: &Samples<'_>, limit: f64) -> Option<(Place, Plan)> {
    over.sort_by(|a, b| a.plan.cost.cycles.total_cmp(&b.plan.cost.cycles));
    over.iter_mut().find_map(|over| {
        over.look_at_failures(samples);
        if over.error() <= limit {
            over.plan.accuracy = search::under_attack(samples, &over.plan, 0.0, limit.next_up());
        }
        (over.error() <= limit).then(|| (over.place, over.plan.clone()))
    })
}

/// The most accurate plan, or a cheaper one that is hardly less accurate.
fn most_accurate(mut over: Vec<Over>, samples: &Samples<'_>) -> Option<(Place, Plan)> {
    let best = loop {
        over.iter_mut().for_each(|over| over.look_at_failures(samples));
        over.sort_by(|a, b| a.error().total_cmp(&b.error()));
        let next = over.get(1).map_or(f64::INFINITY, |next| NEARLY * next.error());
        let best = over.first_mut()?;
        // Failures are its first elements: an error is no less than before.
        best.plan.accuracy = search::under_attack(samples, &best.plan, 0.0, next);
        if best.error() < next || next.is_infinite() {
            break over.swap_remove(0);
        }
    };
    over.retain(|over| over.plan.cost.cycles < best.plan.cost.cycles);
    let cheaper = within(&mut over, samples, NEARLY * best.error());
    cheaper.or(Some((best.place, best.plan)))
}
