//! Plans of formulas for NPUs, attacked as those of the family are (`known_plans.rs`).

use codegen_ascendc::arch::Soc;
use codegen_ascendc::plan::{self, Storage};
use codegen_ascendc::sequence::form::Limits;
use op_dsl::Operator;
use op_dsl::ir::DType;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Number of attacks on each plan.
const ATTACKS: usize = 8;

/// Attacks the f32 plans of operators that are emitted, with calls on tensors and on registers.
///
/// Prints how many there are, and those over their budget of 8 units with the worst element. Returns the names of these operators.
pub fn over_budget(operators: &[&'static Operator]) -> BTreeSet<String> {
    let socs = ["ascend910b", "ascend950"].map(|name| Soc::named(name).expect("a target"));
    let of = |op: &&'static Operator| socs.map(|soc| (*op, soc));
    let asked: Vec<(&'static Operator, &'static Soc)> = operators.iter().flat_map(of).collect();
    let next = AtomicUsize::new(0);
    let judged = |(op, soc): &(&'static Operator, &'static Soc)| {
        let (def, storage) = (op.def(), Storage::Registers);
        let plan = plan::plan_with(def, 0, DType::F32, soc, storage, Limits::Exact).ok()?;
        let plan = Some(plan).filter(|plan| plan.accuracy.is_good() && plan.rows.is_none())?;
        let found = plan::attacked(def, &plan, ATTACKS, 0);
        let is_over = found.error > found.budget;
        if is_over {
            let at = found.worst.map(|worst| worst.streams);
            println!("{} on {}: {:.2} units at {at:?}", def.name, soc.name, found.error);
        }
        Some((def.name.to_string(), is_over))
    };
    let work = || {
        let mine = std::iter::from_fn(|| asked.get(next.fetch_add(1, Ordering::Relaxed)));
        mine.filter_map(judged).collect::<Vec<(String, bool)>>()
    };
    let emitted: Vec<(String, bool)> = thread::scope(|scope| {
        let all = [scope.spawn(work), scope.spawn(work)];
        all.into_iter().flat_map(|one| one.join().expect("plans")).collect()
    });
    println!("{} plans of {} are emitted", emitted.len(), asked.len());
    emitted.into_iter().filter(|(_, is_over)| *is_over).map(|(name, _)| name).collect()
}
