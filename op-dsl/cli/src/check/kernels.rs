//! The emitted kernels of every form, element type and architecture, on the host model.

use super::{Context, Finding};
use crate::array::Array;
use crate::bench::Pool;
use crate::error::Error;
use crate::roles;
use crate::simulate::accuracy::accuracy;
use crate::simulate::program::{Program, Ran};
use crate::verify::formula::{attributes, mode, stored};
use codegen_ascendc::arch::{SOCS, Soc};
use codegen_ascendc::emit::{Options, Package};
use codegen_ascendc::host_model::Call;
use codegen_ascendc::plan::Plan;
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::Stored;
use op_dsl_ir::bind::{Bound, TensorMeta, bind};
use op_dsl_ir::op::Value;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Of the activation: tiles of rows, of the columns of one long row, of many short rows.
const SHAPES: [[usize; 2]; 3] = [[19, 130], [1, 40_000], [250, 6]];
/// So few that each has several tiles.
const CORES: u32 = 3;

/// What calls of one architecture came to.
#[derive(Default)]
struct Tally {
    calls: usize,
    /// The largest error over its budget.
    load: f64,
    missed: Vec<String>,
}

/// Whether every kernel does what its graph says, and nothing that hardware would do wrong. `packages` says
/// why there is none.
pub fn kernels(context: &Context<'_>, op: &'static Operator) -> Result<Option<Finding>, Error> {
    let op = op.redefined(|def| *def = def.of_all_rows().into_owned());
    let mut socs: Vec<&'static Soc> = SOCS.iter().collect();
    socs.dedup_by(|a, b| a.arch == b.arch);
    let able = |soc| Package::able(op.def(), &[soc], Options::default()).ok().map(|p| p.0);
    let packages: Vec<Package<'_>> = socs.into_iter().filter_map(able).collect();
    if packages.is_empty() {
        return Ok(None);
    }
    context.progress.reset();
    context.progress.set_length(packages.len() as u64);
    let (next, total) = (AtomicUsize::new(0), Mutex::new(Ok(Tally::default())));
    let work = || {
        while let Some(package) = packages.get(next.fetch_add(1, Ordering::Relaxed)) {
            let tally = on_one(&op, package, &context.compiler);
            context.progress.inc(1);
            let mut total = total.lock().unwrap_or_else(|e| e.into_inner());
            match (tally, &mut *total) {
                (Ok(tally), Ok(all)) => all.merge(tally),
                (Err(e), _) => *total = Err(e),
                (Ok(_), Err(_)) => {}
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
        work();
    });
    let tally = total.into_inner().unwrap_or_else(|e| e.into_inner())?;
    let names: Vec<&str> = packages.iter().map(|package| package.soc().name).collect();
    let said = format!(
        "{} calls on {}, at most {:.2} of the budget",
        tally.calls,
        names.join(", "),
        tally.load
    );
    Ok(Some(Finding::of(match tally.missed.first() {
        None => Ok(said),
        Some(first) => Err(format!("{} of {said}; {first}", tally.missed.len())),
    })))
}

impl Tally {
    fn merge(&mut self, other: Tally) {
        self.calls += other.calls;
        self.load = self.load.max(other.load);
        self.missed.extend(other.missed);
    }
}

/// A call with its tensors.
struct Case<'p> {
    plan: &'p Plan,
    attrs: Vec<Value>,
    bound: Bound,
    inputs: Vec<Array>,
}

/// All kernels of one architecture, as one program.
fn on_one(op: &Operator, package: &Package<'_>, compiler: &str) -> Result<Tally, Error> {
    let of_plan = |plan| SHAPES.map(|shape| Case::new(op, plan, &shape));
    let cases: Vec<Case<'_>> = package.plans.iter().flat_map(of_plan).collect::<Result<_, _>>()?;
    let calls: Vec<Call<'_>> = cases.iter().map(|case| case.call(package)).collect();
    let program = Program::compile(&calls, compiler)?;
    let mut tally = Tally { calls: cases.len(), ..Tally::default() };
    for (i, case) in cases.iter().enumerate() {
        let why = match program.run(i, op, &case.attrs, &case.inputs)? {
            Ran::Finding(finding) => finding,
            Ran::Whole { outputs, .. } => {
                let found = accuracy(op, &case.attrs, &case.bound, &case.inputs, &outputs);
                tally.load = tally.load.max(found.error / found.budget);
                if found.good() {
                    continue;
                }
                format!("{:.2} of at most {} ulp off", found.error, found.budget)
            }
        };
        tally.missed.push(format!("{}: {why}", case.describe(op)));
    }
    Ok(tally)
}

impl<'p> Case<'p> {
    fn new(op: &Operator, plan: &'p Plan, shape: &[usize]) -> Result<Case<'p>, Error> {
        let attrs = attributes(op, &op.def().specs[plan.spec]);
        let shapes = roles::input_shapes(op, &attrs, shape)?;
        let longest = shapes.iter().map(|s| s.iter().product()).max().unwrap_or(0);
        let mut normal = Pool::normal_of(3.0, longest);
        let def = op.def();
        let tensors = def.inputs.iter().zip(&shapes).enumerate();
        let filled = tensors.map(|(i, (tensor, shape))| match stored(def, &attrs, i, plan.dtype) {
            Stored::Nothing => Ok(Array::absent()),
            _ => normal.array(tensor.kind, plan.dtype, shape),
        });
        let inputs: Vec<Array> = filled.collect::<Result<_, _>>()?;
        let metas: Vec<TensorMeta<'_>> = inputs.iter().map(Array::meta).collect();
        let bound = bind(op.def(), &attrs, &metas).map_err(|e| Error::Call(e.into()))?;
        Ok(Case { plan, attrs, bound, inputs })
    }

    fn call<'c>(&'c self, package: &'c Package<'c>) -> Call<'c> {
        let Case { plan, attrs, bound, .. } = self;
        Call { package, plan, attrs, bound, cores: CORES }
    }

    fn describe(&self, op: &Operator) -> String {
        let (soc, dtype) = (self.plan.soc.name, self.plan.dtype);
        let dims: Vec<String> = self.bound.domain.iter().map(usize::to_string).collect();
        let mode = mode(op, &op.def().specs[self.plan.spec]);
        format!("{soc} {dtype} {mode} {}", dims.join("x"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::program::compiler;
    use crate::tests::SCALE;
    use op_dsl_ir::DType;

    #[test]
    fn a_kernel_of_another_formula_is_found() {
        let options = Options { dtypes: Some(vec![DType::F32]), ..Options::default() };
        let (package, _) = Package::able(SCALE.def(), &[&SOCS[0]], options).expect("plans");
        let other = SCALE.redefined(|def| {
            let graph = &mut def.specs.to_mut()[0].graph;
            graph.outputs = graph.outputs.iter().rev().copied().collect::<Vec<_>>().into();
        });
        let compiler = compiler().expect("a compiler");
        let tally = on_one(&other, &package, &compiler).expect("it runs");
        assert_eq!((tally.calls, tally.missed.len()), (3, 3), "{:?}", tally.missed);
        assert!(
            tally.missed[1].starts_with("ascend910b f32 formula 1x20000: "),
            "{:?}",
            tally.missed
        );
    }
}
