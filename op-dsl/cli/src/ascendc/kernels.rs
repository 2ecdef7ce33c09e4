//! Emitted kernels of every specialisation, element type and architecture, run on the host model.

use super::simulate::accuracy::accuracy;
use super::simulate::program::{Program, Ran};
use crate::array::{Array, Data};
use crate::bench::Pool;
use crate::each::each;
use crate::error::Error;
use crate::progress::Progress;
use crate::roles;
use crate::target::Finding;
use crate::verify::formula::{attributes, mode, stored};
use codegen_ascendc::arch::{SOCS, Soc};
use codegen_ascendc::emit::{Options, Package};
use codegen_ascendc::host_model::Call;
use codegen_ascendc::plan::{Plan, Storage};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::Stored;
use op_dsl_ir::bind::{Bound, TensorMeta, bind};
use op_dsl_ir::op::{Kind, Value};

/// Shapes of the activation, one for each kind of tile.
///
/// Tiles are of whole rows, of columns of one long row, or of many short rows.
const SHAPES: [[usize; 2]; 3] = [[19, 130], [1, 40_000], [250, 6]];
/// Returns the shapes that a kernel runs on: [`SHAPES`], or as many whole rows as a kernel of row functions takes.
fn shapes(plan: &Plan) -> [[usize; 2]; 3] {
    let longest = usize::try_from(plan.tile).unwrap_or(usize::MAX);
    match &plan.rows {
        None => SHAPES,
        Some(_) if plan.soc.arch.pads => [[19, 130], [2, longest], [250, 6]],
        // Rows end on blocks there.
        Some(_) => [[19, 144], [2, longest], [250, 16]],
    }
}

/// Number of cores that kernels run on.
///
/// There are few, because only a core with several tiles overlaps copies with arithmetic.
const CORES: u32 = 3;

/// Totals over the calls of an operator's kernels, on one NPU architecture or on several.
#[derive(Default)]
struct Tally {
    calls: usize,
    /// The largest ratio of an error to its budget.
    load: f64,
    missed: Vec<String>,
}

/// Compiled kernels of several operators, in one program per architecture.
///
/// Operators share a program because a compiler spends more time on what kernels have in common than on the kernels.
#[derive(Default)]
pub struct Kernels {
    programs: Vec<Compiled>,
}

/// The program for one architecture, and the calls that it can run.
struct Compiled {
    soc: &'static Soc,
    storage: Storage,
    program: Program,
    cases: Vec<Case>,
}

/// A call of a kernel, without its input data.
struct Case {
    op: Operator,
    plan: Plan,
    attrs: Vec<Value>,
    bound: Bound,
    /// Shape of each input tensor, in the order of the operator's signature.
    shapes: Vec<Vec<usize>>,
    /// Row counts to pass; empty if the operator takes none.
    ///
    /// It is also empty if the call has a single count that covers all rows.
    counts: Vec<i64>,
}

impl Kernels {
    /// Emits and compiles the kernels of these operators for every architecture that can run them.
    pub fn compile(operators: &[&'static Operator], compiler: &str) -> Result<Kernels, Error> {
        let mut socs: Vec<&'static Soc> = SOCS.iter().collect();
        socs.dedup_by(|a, b| a.arch == b.arch);
        // Kernels that compute in registers by default can compute in memory on request: both variants are tested.
        let on = |soc: &'static Soc| match soc.arch.registers {
            true => vec![(soc, Storage::Registers), (soc, Storage::Memory)],
            false => vec![(soc, Storage::default())],
        };
        let targets: Vec<(&'static Soc, Storage)> = socs.into_iter().flat_map(on).collect();
        let programs = each(&targets, |on| Compiled::new(operators, *on, compiler));
        let programs = programs.into_iter().filter_map(Result::transpose);
        Ok(Kernels { programs: programs.collect::<Result<_, _>>()? })
    }

    /// Checks that every emitted kernel of an operator computes what its graph says.
    ///
    /// The host model also reports operations that the hardware would get wrong. Returns `None` where no architecture has a
    /// kernel, because the check `packages` reports the reason.
    pub fn check(&self, op: &Operator, progress: &Progress) -> Result<Option<Finding>, Error> {
        let programs = self.programs.iter();
        let programs: Vec<&Compiled> =
            programs.filter(|p| p.cases_of(op).next().is_some()).collect();
        if programs.is_empty() {
            return Ok(None);
        }
        progress.reset();
        progress.set_length(programs.len() as u64);
        let tallies = each(&programs, |program| {
            let tally = program.tally(op, &[]);
            progress.inc(1);
            tally
        });
        let mut all = Tally::default();
        for tally in tallies {
            all.merge(tally?);
        }
        let names: Vec<String> = programs.iter().map(|program| program.name()).collect();
        let said = format!(
            "{} calls on {}, at most {:.2} of the budget",
            all.calls,
            names.join(", "),
            all.load
        );
        Ok(Some(Finding::of(match all.missed.first() {
            None => Ok(said),
            Some(first) => Err(format!("{} of {said}; {first}", all.missed.len())),
        })))
    }
}

impl Tally {
    fn merge(&mut self, other: Tally) {
        self.calls += other.calls;
        self.load = self.load.max(other.load);
        self.missed.extend(other.missed);
    }
}

impl Compiled {
    /// Emits and compiles the kernels for one architecture; `None` if no operator has a kernel for it.
    fn new(
        operators: &[&'static Operator],
        (soc, storage): (&'static Soc, Storage),
        compiler: &str,
    ) -> Result<Option<Compiled>, Error> {
        let able = |op: &&'static Operator| {
            let options = Options { accept_error: true, storage, ..Options::default() };
            let package = Package::able(op.def(), &[soc], options).ok()?.0;
            Some((*op, package))
        };
        let packages: Vec<(&Operator, Package<'_>)> = operators.iter().filter_map(able).collect();
        Compiled::of(&packages, (soc, storage), compiler)
    }

    fn of(
        packages: &[(&Operator, Package<'_>)],
        (soc, storage): (&'static Soc, Storage),
        compiler: &str,
    ) -> Result<Option<Compiled>, Error> {
        let mut cases = Vec::new();
        let mut from = Vec::new();
        for (op, package) in packages {
            for (plan, shape) in
                package.plans.iter().flat_map(|p| shapes(p).map(|shape| (p, shape)))
            {
                let case = Case::new(op, plan, &shape)?;
                cases.extend(case.with_counts()?);
                cases.extend(case.with_sums()?);
                cases.push(case);
                from.resize(cases.len(), package);
            }
        }
        if cases.is_empty() {
            return Ok(None);
        }
        let calls: Vec<Call<'_>> =
            cases.iter().zip(from).map(|(case, package)| case.call(package)).collect();
        let program = Program::compile(&calls, compiler)?;
        Ok(Some(Compiled { soc, storage, program, cases }))
    }

    fn name(&self) -> String {
        named(self.soc, self.storage)
    }

    /// Returns the calls of an operator, each with its index among all calls of the program.
    fn cases_of(&self, op: &Operator) -> impl Iterator<Item = (usize, &Case)> {
        let name = op.name();
        self.cases.iter().enumerate().filter(move |(_, case)| case.op.name() == name)
    }

    /// Runs the calls of an operator with options of the host model.
    fn tally(&self, op: &Operator, options: &[&str]) -> Result<Tally, Error> {
        let mut tally = Tally::default();
        for (i, case) in self.cases_of(op) {
            tally.calls += 1;
            let inputs = case.inputs()?;
            let why = match self.program.run(i, &case.op, &case.attrs, &inputs, options)? {
                Ran::Finding(finding) => finding,
                Ran::Whole { outputs, .. } => {
                    let found = accuracy(&case.op, &case.attrs, &case.bound, &inputs, &outputs);
                    tally.load = tally.load.max(found.error / found.budget);
                    if found.is_good() {
                        continue;
                    }
                    format!("{:.2} of at most {} ulp off", found.error, found.budget)
                }
            };
            tally.missed.push(format!("{}: {why}", case.describe(self.storage)));
        }
        Ok(tally)
    }
}

/// Returns the name of an NPU, and where its kernels keep intermediate values.
///
/// `in memory` is added only if the NPU could keep them in registers.
fn named(soc: &Soc, storage: Storage) -> String {
    match storage {
        Storage::Memory if soc.arch.registers => format!("{} in memory", soc.name),
        _ => soc.name.to_string(),
    }
}

impl Case {
    fn new(op: &Operator, plan: &Plan, shape: &[usize]) -> Result<Case, Error> {
        let attrs = attributes(op, &op.def().specs[plan.spec]);
        let shapes = roles::input_shapes(op, &attrs, shape)?;
        Case::of(op, plan, attrs, shapes)
    }

    fn of(
        op: &Operator,
        plan: &Plan,
        attrs: Vec<Value>,
        shapes: Vec<Vec<usize>>,
    ) -> Result<Case, Error> {
        let of = |(i, shape)| TensorMeta { shape, dtype: stored(op.def(), &attrs, i, plan.dtype) };
        let metas: Vec<TensorMeta<'_>> = shapes.iter().map(|s| &**s).enumerate().map(of).collect();
        let bound = bind(op.def(), &attrs, &metas).map_err(|e| Error::Call(e.into()))?;
        let counts = Vec::new();
        Ok(Case { op: op.clone(), plan: plan.clone(), attrs, bound, shapes, counts })
    }

    /// Returns this call with row counts that sum to two thirds of the rows.
    ///
    /// `None` means that the operator takes no row counts.
    fn with_counts(&self) -> Result<Option<Case>, Error> {
        let (def, split) = (self.op.def(), self.bound.split);
        let (Some(rows), Some(split)) = (def.rows(), split) else { return Ok(None) };
        let third = self.bound.domain[..split.dim].iter().product::<usize>() as i64 / 3;
        let mut attrs = self.attrs.clone();
        if let Some(given) = def.presence(rows) {
            attrs[given] = Value::Bool(true);
        }
        let mut case = Case::of(&self.op, &self.plan, attrs, self.shapes.clone())?;
        case.counts = vec![third, 0, third];
        Ok(Some(case))
    }

    /// Returns this call with inputs that are broadcast: of one row, of one column, of one element, and of one dimension that lies along
    /// another than the last.
    ///
    /// Returns nothing if no output is a sum, and no call with a shape that the operator does not take.
    fn with_sums(&self) -> Result<Vec<Case>, Error> {
        let def = self.op.def();
        let summed = |i: usize| def.sums.iter().any(|sum| sum.input == i);
        let of = |kept: usize| -> Option<Result<Case, Error>> {
            let mut shapes = self.shapes.clone();
            for (i, shape) in shapes.iter_mut().enumerate().filter(|(i, _)| summed(*i)) {
                let split = self.bound.split.filter(|_| def.inputs[i].kind == Kind::Gated);
                let one = |d: usize| if split.is_some_and(|s| s.dim == d) { 2 } else { 1 };
                (0..shape.len()).filter(|d| *d != kept).for_each(|d| shape[d] = one(d));
            }
            let gated = |i: usize| def.inputs[i].kind == Kind::Gated && summed(i);
            let inner = self.bound.split.is_some_and(|s| kept < s.dim);
            // Parts inside the rows of a gated sum are not neighbours.
            let fits = !(inner && (0..shapes.len()).any(gated));
            fits.then(|| Case::of(&self.op, &self.plan, self.attrs.clone(), shapes))
        };
        let laid = || {
            let mut shapes = self.shapes.clone();
            for along in def.along.iter() {
                shapes[along.input] = vec![*self.bound.domain.get(along.dim).unwrap_or(&1)];
            }
            Case::of(&self.op, &self.plan, self.attrs.clone(), shapes)
        };
        let laid = (!def.along.is_empty()).then(laid);
        match def.sums.is_empty() {
            true => Ok(Vec::new()),
            false => (0..=self.bound.domain.len()).filter_map(of).chain(laid).collect(),
        }
    }

    /// Returns the input tensors, with the same random values every time.
    fn inputs(&self) -> Result<Vec<Array>, Error> {
        let (def, dtype) = (self.op.def(), self.plan.dtype);
        let longest = self.shapes.iter().map(|s| s.iter().product()).max().unwrap_or(0);
        let mut normal = Pool::normal_of(3.0, longest);
        let tensors = def.inputs.iter().zip(&self.shapes).enumerate();
        let filled = tensors.map(|(i, (tensor, shape))| match stored(def, &self.attrs, i, dtype) {
            Stored::Nothing => Ok(Array::absent()),
            Stored::Int64 if !self.counts.is_empty() => {
                Ok(Array::dense(Data::Int64(self.counts.clone()), vec![self.counts.len()]))
            }
            _ => normal.array(tensor, dtype, shape),
        });
        filled.collect()
    }

    fn call<'c>(&'c self, package: &'c Package<'c>) -> Call<'c> {
        let Case { plan, attrs, bound, shapes, .. } = self;
        // A required input without counts of its own has one count, of all rows.
        let rows = self.op.def().rows().map(|rows| stored(self.op.def(), attrs, rows, plan.dtype));
        let counts = match rows {
            Some(Stored::Int64) => self.counts.len().max(1),
            _ => 0,
        };
        Call { package, plan, attrs, bound, shapes, counts, cores: CORES }
    }

    fn describe(&self, storage: Storage) -> String {
        let (soc, dtype) = (named(self.plan.soc, storage), self.plan.dtype);
        let dims: Vec<String> = self.bound.domain.iter().map(usize::to_string).collect();
        let mode = mode(&self.op, &self.op.def().specs[self.plan.spec]);
        let counts = if self.counts.is_empty() { "" } else { " with counts" };
        let shared = |i: &usize| self.op.def().sums.iter().any(|sum| sum.input == *i);
        let sums: Vec<String> = (0..self.shapes.len())
            .filter(shared)
            .map(|i| format!(" {} {:?}", self.op.def().inputs[i].name, self.shapes[i]))
            .collect();
        format!("{soc} {dtype} {mode} {}{counts}{}", dims.join("x"), sums.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ascendc::simulate::program::compiler;
    use crate::tests::SCALE;
    use op_dsl_ir::op::{Spec, Sum, Tensor};
    use op_dsl_ir::{Builder, DType};

    #[test]
    fn a_kernel_of_another_formula_is_found() {
        let options = Options { dtypes: Some(vec![DType::F32]), ..Options::default() };
        let (package, _) = Package::able(SCALE.def(), &[&SOCS[0]], options).expect("plans");
        let other = SCALE.redefined(|def| {
            let graph = &mut def.specs.to_mut()[0].graph;
            graph.outputs = graph.outputs.iter().rev().copied().collect::<Vec<_>>().into();
        });
        let compiler = compiler().expect("a compiler");
        let on = (&SOCS[0], Storage::default());
        let compiled = Compiled::of(&[(&other, package)], on, &compiler);
        let tally = compiled.expect("it compiles").expect("kernels").tally(&other, &[]);
        let tally = tally.expect("it runs");
        assert_eq!((tally.calls, tally.missed.len()), (3, 3), "{:?}", tally.missed);
        assert!(
            tally.missed[1].starts_with("ascend910b f32 formula 1x20000: "),
            "{:?}",
            tally.missed
        );
    }

    /// Returns an operator whose result `dy * x` is summed over the elements that share an element of `x`.
    ///
    /// Unless `x` is gated, there is `b` beside it and another result, `dy * b`.
    fn summed(gated: bool) -> Operator {
        SCALE.redefined(|def| {
            def.name = if gated { "SumOfParts" } else { "Sum" }.into();
            def.broadcast = true;
            def.wide = vec![0].into();
            def.sums = vec![Sum { output: 0, input: 1 }].into();
            if !gated {
                def.split = None;
                def.attrs = Vec::new().into();
                let tensors = [&mut def.inputs.to_mut()[1], &mut def.outputs.to_mut()[0]];
                tensors.into_iter().for_each(|tensor| tensor.kind = Kind::Whole);
                let named = |tensor: &Tensor, name: &str| Tensor {
                    name: name.to_string().into(),
                    ..tensor.clone()
                };
                let (b, db) = (named(&def.inputs[1], "b"), named(&def.outputs[0], "db"));
                def.inputs.to_mut().push(b);
                def.outputs.to_mut().push(db);
                def.sums = vec![Sum { output: 0, input: 1 }, Sum { output: 1, input: 2 }].into();
                let mut b = Builder::new();
                let [dy, x, other] = [0, 1, 2].map(|i| b.stream(i));
                let products = [b.product(dy, x), b.product(dy, other)];
                def.specs = vec![Spec::of(b.finish(&products))].into();
            }
        })
    }

    #[test]
    fn sums_over_rows_over_columns_and_over_all() {
        sums_on(&[("ascend910b", Storage::default())]);
    }

    #[test]
    #[ignore = "ten seconds: .ci/deep everything"]
    fn sums_on_ascend950() {
        sums_on(&[("ascend950", Storage::Registers), ("ascend950", Storage::Memory)]);
    }

    fn sums_on(products: &[(&str, Storage)]) {
        let compiler = compiler().expect("a compiler");
        for &(soc, storage) in products {
            let soc = Soc::named(soc).expect("a target");
            let options = Options { storage, ..Options::default() };
            let ops = [false, true].map(summed);
            let packages = ops
                .iter()
                .map(|op| (op, Package::able(op.def(), &[soc], options.clone()).expect("plans").0));
            let packages: Vec<_> = packages.collect();
            let compiled = Compiled::of(&packages, (soc, storage), &compiler);
            let compiled = compiled.expect("it compiles").expect("kernels");
            // Barriers are there, and also right where the compiler adds its own.
            for options in [&[][..], &["--auto-sync"]] {
                for (op, calls) in ops.iter().zip([36, 27]) {
                    let tally = compiled.tally(op, options).expect("it runs");
                    assert_eq!((tally.calls, tally.missed.len()), (calls, 0), "{:?}", tally.missed);
                }
            }
        }
    }
}
