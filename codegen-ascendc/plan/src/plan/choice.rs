//! Chooses the plan of a graph: the cheapest that is accurate enough.
//!
//! Attacks on plans underestimate the largest error by up to a tenth. So a plan well within the budget is preferred to one just
//! within, unless it is much more expensive. Where no plan is within the budget, the plan with the smallest error is chosen, or a
//! cheaper one whose error differs by no more than the errors that two attacks on one plan find.

use super::kept::{self, Place, Source};
use super::reference::BUDGET;
use super::samples::Samples;
use super::storage::Storage;
use super::target::Target;
use super::{Plan, bounded, candidates, search};
use crate::arch::Why;
use crate::sequence::form::Digits;
use op_dsl_ir::{DType, Graph, roles};

/// Share of the error budget up to which the search takes a plan at once, in the order of [`DType`].
///
/// In f32 it is below 1, because a search of ten times as many elements finds errors that are a tenth larger. In 16 bits rounding
/// of the result is half of the budget, and eight attacks on every plan leave no element with a larger error.
const ENOUGH: [f64; DType::COUNT] = [1.0, 1.0, 0.875];

/// Share of the error budget up to which a plan is taken before the next accuracy class is tried.
///
/// The sequences of that class have more digits and are more expensive.
const MOST: f64 = 0.95;

/// Largest ratio of cycles at which a plan within [`ENOUGH`] is preferred to one within [`MOST`].
const DEARER: f64 = 1.1;

/// Ratio above which the errors of two plans count as different.
///
/// Two attacks on the same plan may differ by more (see [`SCATTER`]).
const NEARLY: f64 = 1.02;

/// Ratio of errors up to which a cheaper plan is taken, where no plan is within the budget.
///
/// Smaller differences mean nothing, because two attacks on the same plan, with different random numbers, differ as much.
const SCATTER: f64 = 1.1;

/// Returns the plan of a graph: the one in `choices.txt`, or one found by a search, as `source` says.
pub(super) fn chosen(
    graph: &Graph,
    samples: &Samples<'_>,
    target: Target<'_>,
    storage: Storage,
    source: Source<'_>,
) -> Result<Plan, Why> {
    let graph = &bounded::run(graph, roles::activation(target.def));
    let key = kept::key(graph, samples.spec, target, storage);
    match source {
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

/// Searches the cheapest plan within its error budget, with the cheaper accuracy classes first.
///
/// Sequences of a class with more digits are more expensive, but fewer of its candidates fail: a second derivative took 36 cycles
/// where the first accurate candidate of the class before takes 67. So that class is searched too if some candidate failed.
///
/// Returns the plan and its position among the candidates. If none is within the budget, it is the most accurate one. An element
/// at which one plan exceeds its budget is a sample of all later plans.
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
    // Samples decide whether the plan is emitted, because an attack also finds errors where terms cancel, which no sequence in
    // `float` avoids.
    let judged = |(place, plan): (Place, Plan)| {
        let accuracy = search::at_samples(samples, &plan);
        (place, Plan { accuracy, ..plan })
    };
    let mut cheapest: Option<(Place, Plan)> = None;
    for &digits in Digits::of(target.dtype) {
        // Double-floats take several times the calls, so that a plan just within the budget is preferred.
        if digits == Digits::Compensated
            && cheapest.is_none()
            && let Some(found) = within(&mut over, samples, budget / NEARLY)
        {
            return Ok(judged(found));
        }
        let plans = candidates::plans(graph, samples.spec, Target { digits, ..target }, storage);
        let mut plans = match plans {
            Err(_) if cheapest.is_some() => break,
            plans => plans?,
        };
        if let Some((_, found)) = &cheapest {
            plans.retain(|plan| plan.cost.cycles < found.cost.cycles);
        }
        cheapest = first_within(plans, digits, samples, [enough, most], &mut over).or(cheapest);
        // Candidates before the found one are cheaper and inaccurate. With more digits they may be accurate and still cheaper.
        if cheapest.as_ref().is_some_and(|((of, number), _)| *of != digits || *number == 0) {
            break;
        }
    }
    if let Some(found) = cheapest {
        return Ok(found);
    }
    let best = within(&mut over, samples, budget / NEARLY)
        .or_else(|| within(&mut over, samples, budget))
        .or_else(|| most_accurate(over, samples));
    best.map(judged).ok_or(Why::Unplanned("outputs"))
}

/// Returns the first plan of an accuracy class that is within its error limit under attack; `None` if there is none.
///
/// The limits are those up to which a plan is taken at once, and up to which it is taken unless one within the first limit is hardly
/// more expensive. `plans` start with the cheapest. Plans beyond their limit are added to `over`.
fn first_within(
    plans: Vec<Plan>,
    digits: Digits,
    samples: &Samples<'_>,
    [enough, most]: [f64; 2],
    over: &mut Vec<Over>,
) -> Option<(Place, Plan)> {
    let mut just_within: Option<(Place, Plan)> = None;
    for (number, mut plan) in plans.into_iter().enumerate() {
        let place = (digits, number);
        let limit = if just_within.is_none() { most } else { enough };
        let is_dearer = |(_, found): &(Place, Plan)| plan.cost.cycles > DEARER * found.cost.cycles;
        if just_within.as_ref().is_some_and(is_dearer) {
            break;
        }
        plan.accuracy = search::under_attack(samples, &plan, enough, limit.next_up());
        match plan.accuracy.error {
            error if error <= enough => return Some((place, plan)),
            error if error <= limit => just_within = Some((place, plan)),
            _ => over.push(Over { place, plan, seen: Vec::new() }),
        }
    }
    just_within
}

/// A candidate plan whose search ended at the first element over its error limit.
///
/// `seen` counts, for each choice of attribute values, the failures of other plans that this plan was already evaluated at.
struct Over {
    place: Place,
    plan: Plan,
    seen: Vec<usize>,
}

impl Over {
    fn error(&self) -> f64 {
        self.plan.accuracy.error
    }

    /// Evaluates the plan at elements where other plans failed, as these are likely bad for it too.
    fn look_at_failures(&mut self, samples: &Samples<'_>) {
        self.plan.accuracy = search::at_failures(samples, &self.plan, &mut self.seen);
    }
}

/// Returns the cheapest plan of `over` whose error does not exceed `limit`; `None` if there is none.
///
/// The plan comes with its position among the candidates.
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

/// Returns the most accurate plan of `over`, or a cheaper one that is hardly less accurate.
///
/// The plan comes with its position among the candidates. Returns `None` if `over` is empty.
fn most_accurate(mut over: Vec<Over>, samples: &Samples<'_>) -> Option<(Place, Plan)> {
    let best = loop {
        over.iter_mut().for_each(|over| over.look_at_failures(samples));
        over.sort_by(|a, b| a.error().total_cmp(&b.error()));
        let next = over.get(1).map_or(f64::INFINITY, |next| NEARLY * next.error());
        let best = over.first_mut()?;
        // Its first elements are the known failures, so the error is no less than before.
        best.plan.accuracy = search::under_attack(samples, &best.plan, 0.0, next);
        if best.error() < next || next.is_infinite() {
            break over.swap_remove(0);
        }
    };
    over.retain(|over| over.plan.cost.cycles < best.plan.cost.cycles);
    let budget = best.plan.accuracy.budget;
    let is_emitted = |plan: &Plan| search::at_samples(samples, plan).error <= budget;
    let cheaper = within(&mut over, samples, SCATTER * best.error());
    let cheaper = cheaper.filter(|(_, plan)| is_emitted(plan) || !is_emitted(&best.plan));
    cheaper.or(Some((best.place, best.plan)))
}
