//! Caches plans in this process.
//!
//! Emitting a package, reporting its costs and running a kernel ask for the same plans.

use super::Plan;
use super::storage::Storage;
use crate::arch::{Refusal, Soc};
use crate::sequence::form::Limits;
use op_dsl_ir::DType;
use op_dsl_ir::op::OpDef;
use rustc_hash::FxHashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

/// Key of a cached plan.
///
/// It consists of the operator's name, its specialisation, the element type, the target and the options.
type Key = (String, usize, DType, &'static str, Storage, Limits);

/// A plan that one thread makes while others wait for it.
type Made = Arc<OnceLock<Result<Plan, Refusal>>>;

/// For each key, the operators of that name, each with its plan.
///
/// Several operators may share a name, so the definition itself is compared too.
type Known = FxHashMap<Key, Vec<(OpDef, Made)>>;
static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default); // only ever looked up

/// Returns the plan cached for these arguments, or calls `make` and caches its result.
pub(super) fn plan(
    def: &OpDef,
    (spec, dtype, soc): (usize, DType, &'static Soc),
    storage: Storage,
    limits: Limits,
    make: impl FnOnce() -> Result<Plan, Refusal>,
) -> Result<Plan, Refusal> {
    let key = (def.name.to_string(), spec, dtype, soc.name, storage, limits);
    let made = {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let of_name = known.entry(key).or_default();
        match of_name.iter().find(|(other, _)| other == def) {
            Some((_, made)) => Arc::clone(made),
            None => {
                let made = Made::default();
                of_name.push((def.clone(), Arc::clone(&made)));
                made
            }
        }
    };
    made.get_or_init(make).clone()
}
