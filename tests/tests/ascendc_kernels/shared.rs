//! One program per architecture with all kernels that tests run on it.
//!
//! They are compiled together because the model takes longer to compile than the kernels.

use super::compile::compiled;
use super::{RUN, choices, counts, masks, operator};
use codegen_ascendc::arch::Soc;
use codegen_ascendc::emit::{Layout, Options, Package};
use codegen_ascendc::plan::Storage;
use op_dsl::Operator;
use op_dsl_cpp::in_parallel;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

/// Operators of tests that run outside of [`RUN`].
const MORE: [(&str, &str); 6] = [
    ("MishGrad", ""),
    ("ReluGradV2", ""),
    ("Swish", "ascend950"),
    ("GeGluGradV2", "ascend950"),
    ("SwiGluGrad", "ascend950"),
    ("Mixed", "ascend950"),
];

/// Packages and the program with all of their kernels.
pub struct Shared {
    packages: Vec<(&'static Operator, &'static Package<'static>)>,
    pub program: PathBuf,
}

impl Shared {
    /// Returns the package of an operator, if the program has its kernels.
    pub fn package(&self, op: &Operator) -> Option<&Package<'static>> {
        self.packages.iter().find(|(known, _)| known.name() == op.name()).map(|(_, p)| *p)
    }
}

/// Emits and compiles the kernels for a product, once in a process.
pub fn shared(soc: &'static Soc, storage: Storage) -> &'static Shared {
    static SHARED: Once<(u16, bool), &'static Shared> = Mutex::new(BTreeMap::new());
    let in_registers = soc.arch.registers && storage == Storage::Registers;
    once(&SHARED, (soc.arch.number, in_registers), || {
        let able = |op: &'static Operator| {
            op.def().sums.is_empty().then_some(())?; // their tiling takes the shapes of all inputs
            Some((op, planned(op, soc, storage)?))
        };
        // By all processors ahead, because other tests wait for these plans.
        in_parallel(operators(soc), |op| _ = able(op));
        let packages: Vec<_> = operators(soc).into_iter().filter_map(able).collect();
        let all: Vec<&Package<'_>> = packages.iter().map(|(_, package)| *package).collect();
        let program = compiled(&all, soc.arch, &[]);
        &*Box::leak(Box::new(Shared { packages, program }))
    })
}

/// Plans an operator for the products of a tree, once in a process; `None` if they cannot run it.
///
/// Products of one tree share their packages, because plans of these operators are searched for, which takes longer than to
/// compile them.
pub fn planned(
    op: &'static Operator,
    soc: &'static Soc,
    storage: Storage,
) -> Option<&'static Package<'static>> {
    type Key = (&'static str, &'static str, bool);
    static PLANNED: Once<Key, Option<&'static Package<'static>>> = Mutex::new(BTreeMap::new());
    // Only plans for architectures with registers depend on the storage.
    let storage = if soc.arch.registers { storage } else { Storage::default() };
    let products = products(soc);
    let key = (op.name(), products[0].name, storage == Storage::Registers);
    once(&PLANNED, key, || {
        let options = Options { storage, ..Options::default() };
        let package = Package::able(op.def(), &products, options).ok()?.0;
        Some(&*Box::leak(Box::new(package)))
    })
}

/// Values that are computed once each.
type Once<K, V> = Mutex<BTreeMap<K, Arc<OnceLock<V>>>>;

/// Returns the value for a key, which the first thread that asks computes.
fn once<K: Ord, V: Copy>(all: &Once<K, V>, key: K, compute: impl FnOnce() -> V) -> V {
    // The lock is released here, so that another thread can compute another value.
    let cell = Arc::clone(all.lock().expect("no panic").entry(key).or_default());
    *cell.get_or_init(compute)
}

/// Returns the products of one tree: all that ops-nn knows, or one that it does not know.
pub fn products(soc: &'static Soc) -> Vec<&'static Soc> {
    let together = Layout::OpsNn.socs();
    if together.contains(&soc) { together } else { vec![soc] }
}

/// Returns the operators whose kernels tests run on a product, each once.
fn operators(soc: &Soc) -> Vec<&'static Operator> {
    let is_here = |(_, place): &&(&str, &str)| place.is_empty() || *place == soc.name;
    let named = RUN.iter().chain(&MORE).filter(is_here).map(|(op, _)| operator(op));
    let own = [choices::ops::OPERATORS, counts::ops::OPERATORS, masks::ops::OPERATORS].concat();
    let mut all: Vec<&'static Operator> = Vec::new();
    for op in named.chain(own) {
        if all.iter().all(|known| known.name() != op.name()) {
            all.push(op);
        }
    }
    all
}
