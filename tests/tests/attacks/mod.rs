//! Attacks on plans for NPUs, with other elements than the search for them.

use codegen_ascendc::arch::Soc;
use codegen_ascendc::plan::{self, Storage};
use codegen_ascendc::sequence::form::Limits;
use op_dsl::ir::DType;
use op_dsl::ir::op::OpDef;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The parameters of a plan.
pub type Asked = (&'static OpDef, usize, DType, &'static Soc, Storage, Limits);

/// Number of attacks on a plan in a set.
const ATTACKS: usize = 8;

/// Evaluates `of` for each plan, on all processors, and returns all that it returns.
pub fn on_all<R: Send, I: IntoIterator<Item = R>>(
    plans: &[Asked],
    of: impl Fn(&Asked) -> I + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mine = std::iter::from_fn(|| plans.get(next.fetch_add(1, Ordering::Relaxed)));
        mine.flat_map(&of).collect::<Vec<R>>()
    };
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        all.into_iter().flat_map(|one| one.join().expect("results")).collect()
    })
}

/// Attacks every plan that is emitted, prints the largest errors, and checks that they are within the budget.
///
/// `sets` is the number of sets of attacks on each plan, in the order of [`DType`]. `over` has the operators that are over the budget
/// in f32, each with the error that must not be exceeded.
pub fn find_no_error_over_the_budget(
    plans: &[Asked],
    sets: [usize; DType::COUNT],
    over: &[(&str, f64)],
) {
    let attacked = |(def, spec, dtype, soc, storage, limits): &Asked| {
        let plan = plan::plan_with(def, *spec, *dtype, soc, *storage, *limits).ok()?;
        // A plan of a formula of rows is a plan for each of its stages.
        let is_attacked = plan.accuracy.is_good() && plan.rows.is_none();
        let sets = 0..if is_attacked { sets[*dtype as usize] } else { 0 };
        let found = sets.map(|set| plan::attacked(def, &plan, ATTACKS, set));
        let found = found.max_by(|a, b| a.error.total_cmp(&b.error))?;
        let known = over.iter().find(|(name, _)| *name == plan.op && *dtype == DType::F32);
        let most = known.map_or(found.budget, |(_, most)| *most);
        let on = if plan.registers.is_some() { "registers" } else { "memory" };
        let place = format!("{} {spec} {dtype} {} {on}", plan.op, soc.name);
        let at = found.worst.map(|worst| worst.streams);
        let line = format!("{place}: {:.3}, {} calls, at {at:?}", found.error, plan.cost.calls);
        Some((found.error / found.budget, found.error <= most, line))
    };
    let mut found = on_all(plans, attacked);
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.iter().for_each(|(_, _, line)| println!("{line}"));
    println!("{} plans of {} are emitted", found.len(), plans.len());
    let missed: Vec<&String> =
        found.iter().filter(|(_, is_known, _)| !is_known).map(|(_, _, line)| line).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Returns the plans of operators in f32, with calls on tensors and on registers.
#[allow(dead_code)] // the family has plans of all types
pub fn of_formulas(operators: &[&'static op_dsl::Operator]) -> Vec<Asked> {
    let socs = ["ascend910b", "ascend950"].map(|name| Soc::named(name).expect("a target"));
    let of = |op: &&'static op_dsl::Operator| {
        let def = op.def();
        socs.map(|soc| (def, 0, DType::F32, soc, Storage::Registers, Limits::Exact))
    };
    operators.iter().flat_map(of).collect()
}
