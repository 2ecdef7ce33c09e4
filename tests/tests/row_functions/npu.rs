//! Emitted NPU kernels of row functions on the host model, against the same formulas in f64 by hand.

use super::common::{Data, Random, Tensor};
use super::{Sized, layers, reference};
pub use per_row::ops as rows;

#[path = "per_row.rs"]
mod per_row;
#[path = "traffic.rs"]
mod traffic;

use codegen_ascendc::arch::Soc;
use codegen_ascendc::emit::{Cann, Options, Package};
use codegen_ascendc::host_model::{self, Call};
use op_dsl::Operator;
use op_dsl::ir::bind::{Bound, TensorMeta, bind};
use op_dsl::ir::op::{Kind, Part, Stream, Value};
use op_dsl::ir::{DType, Stored};
use op_dsl_cpp::Compiler;
use op_dsl_ir::format::Format;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Operators of [`layers`] in every type, and gradients with respect to the activation alone: kernels of row functions add nothing over rows.
#[op_dsl::operators(kernels = false)]
pub mod ops {
    use op_dsl::prelude::*;

    #[op(name = "LogSoftmax", grad(name = "LogSoftmaxGrad", wrt(x)))]
    pub fn log_softmax(x: Elem) -> Elem {
        let shifted = x - row_max(x);
        shifted - ln(row_sum(exp(shifted)))
    }

    #[op(name = "Scaled")]
    pub fn scaled(x: Elem) -> Elem {
        x / row_max(abs(x) * 0.25)
    }

    #[op(name = "RmsNormOfX", grad(name = "RmsNormOfXGrad", wrt(x)))]
    pub fn rms_norm(x: Elem, #[broadcast] gamma: Elem, #[attr(default = 1e-6)] eps: f32) -> Elem {
        x * rsqrt(row_mean(x * x) + eps) * gamma
    }

    #[op(name = "LayerNormOfX", grad(name = "LayerNormOfXGrad", wrt(x)))]
    pub fn layer_norm(
        x: Elem,
        #[broadcast] gamma: Elem,
        #[broadcast] beta: Elem,
        #[attr(default = 1e-5)] eps: f32,
    ) -> Elem {
        let centred = x - x.row_mean();
        centred * rsqrt(row_mean(centred * centred) + eps) * gamma + beta
    }

    /// SwiGLU with a scale for each row, ahead of a conversion to int8.
    #[op(name = "SwiGluScaled")]
    pub fn swi_glu_scaled(#[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim) -> Elem {
        let y = x.value * silu(x.gate);
        127.0 * y / row_max(abs(y))
    }
}

/// An operator and the name of its reference.
type Run = (&'static str, &'static str);

/// Operators with their references' names.
const RUN: [Run; 10] = [
    ("Softmax", "Softmax"),
    ("SoftmaxGrad", "SoftmaxGrad"),
    ("LogSoftmax", "LogSoftmax"),
    ("LogSoftmaxGrad", "LogSoftmaxGrad"),
    ("RmsNorm", "RmsNorm"),
    ("RmsNormOfXGrad", "RmsNormGrad"),
    ("LayerNormOfX", "LayerNorm"),
    ("LayerNormOfXGrad", "LayerNormGrad"),
    ("SwiGluScaled", "SwiGluScaled"),
    ("Scaled", "Scaled"),
];

fn operator(name: &str) -> &'static Operator {
    let mut all = ops::OPERATORS.iter().chain(layers::OPERATORS).chain(rows::OPERATORS);
    all.find(|op| op.name() == name).expect("an operator")
}

/// One call: the operator, the shape of its domain, and the shapes of its inputs.
struct Case {
    op: &'static Operator,
    reference: &'static str,
    package: usize,
    attrs: Vec<Value>,
    shapes: Vec<Vec<usize>>,
    bound: Bound,
    dtype: DType,
    cores: u32,
    /// Index of its set of runs, which has random numbers of its own: one more set changes no other.
    set: usize,
}

/// Packages for a product, and calls of their kernels, which are one program: the model takes longer to compile than they do.
struct Calls {
    soc: &'static Soc,
    cann: Cann,
    packages: Vec<Package<'static>>,
    cases: Vec<Case>,
    sets: usize,
}

/// Shapes of a domain, each with these element types and this number of cores.
type Runs<'r> = (&'r [DType], &'r [&'r [usize]], u32);

impl Calls {
    fn new(soc: &str, cann: Cann) -> Calls {
        let soc = Soc::named(soc).expect("a product");
        Calls { soc, cann, packages: Vec::new(), cases: Vec::new(), sets: 0 }
    }

    /// Adds calls of each operator, which no earlier calls are of.
    fn of(mut self, operators: &[Run], runs: &[Runs<'_>]) -> Calls {
        let is_used = |dtype: &DType| runs.iter().any(|(dtypes, ..)| dtypes.contains(dtype));
        let dtypes: Vec<DType> = DType::ALL.into_iter().filter(is_used).collect();
        for &(name, reference) in operators {
            let op = operator(name);
            let options =
                Options { dtypes: Some(dtypes.clone()), cann: self.cann, ..Options::default() };
            let package = Package::new(op.def(), &[self.soc], options);
            self.packages.push(package.unwrap_or_else(|e| panic!("{e}")));
            let package = self.packages.len() - 1;
            for (set, (dtypes, domains, cores)) in runs.iter().enumerate() {
                let all = dtypes.iter().flat_map(|d| domains.iter().map(move |s| (*d, *s)));
                let case = |(dtype, domain)| Case {
                    cores: *cores,
                    set: self.sets + set,
                    ..Case::new((op, reference), package, dtype, domain)
                };
                self.cases.extend(all.map(case));
            }
        }
        self.sets += runs.len();
        self
    }

    /// Compiles all calls, with some more compiler options, and runs each for each set of the model's options.
    ///
    /// Returns the model's reports.
    fn check(&self, flags: &[&str], options: &[&[&str]]) -> Vec<String> {
        let call = |case: &'_ Case| {
            let package = &self.packages[case.package];
            let plan = package.plans.iter().find(|plan| plan.dtype == case.dtype).expect("a plan");
            (package, plan)
        };
        let calls: Vec<Call<'_>> = self
            .cases
            .iter()
            .map(|case| {
                let ((package, plan), Case { attrs, bound, shapes, .. }) = (call(case), case);
                Call { package, plan, attrs, bound, shapes, counts: 0, cores: case.cores }
            })
            .collect();
        let dir =
            TempDir::with_prefix_in("rows", env!("CARGO_TARGET_TMPDIR")).expect("a directory");
        host_model::program(&calls).write(dir.path(), true).expect("files");
        let compiler = Compiler::new(env!("CARGO_TARGET_TMPDIR"))
            .flags(host_model::FLAGS)
            // Calls of operators without attributes give none.
            .flags(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-parameter"])
            .flags(flags)
            .flags([format!("-DHOST_MODEL_ARCH={}", self.soc.arch.number)])
            .include(dir.path().join(host_model::MODEL));
        let program = compiler.program(&[dir.path().join("main.cpp")]);
        let program = match program {
            Ok(program) => program,
            Err(said) => panic!("{}: {said}", dir.keep().display()),
        };
        let mut randoms: Vec<Random> = (0..self.sets).map(|_| Random(7)).collect();
        let mut reports = Vec::new();
        for (index, case) in self.cases.iter().enumerate() {
            let inputs: Vec<Tensor> = case
                .shapes
                .iter()
                .zip(&*case.op.def().inputs)
                .map(|(shape, tensor)| {
                    let own = tensor.stored(case.dtype).number().expect("a float");
                    Tensor::new(shape, own, || {
                        per_row::drawn(case.reference, &mut randoms[case.set])
                    })
                })
                .collect();
            for options in options {
                reports.push(case.run(&program, dir.path(), index, &inputs, options));
            }
        }
        reports
    }
}

impl Case {
    /// Binds a call of an operator, which has a reference of this name, on one core.
    fn new(
        (op, reference): (&'static Operator, &'static str),
        package: usize,
        dtype: DType,
        domain: &[usize],
    ) -> Case {
        let shape = |kind: Kind| match (kind, domain.split_last()) {
            (Kind::Gated, Some((last, outer))) => [outer, &[2 * last]].concat(),
            (Kind::PerRow, Some((_, outer))) => [outer, &[1]].concat(),
            _ => domain.to_vec(),
        };
        let shapes: Vec<Vec<usize>> = op.def().inputs.iter().map(|t| shape(t.kind)).collect();
        let tensors = shapes.iter().zip(&*op.def().inputs);
        let metas = tensors.map(|(shape, t)| TensorMeta { shape, dtype: t.stored(dtype) });
        let metas: Vec<TensorMeta<'_>> = metas.collect();
        let attrs = op.default_attrs();
        let bound = bind(op.def(), &attrs, &metas).expect("a call");
        Case { op, reference, package, attrs, shapes, bound, dtype, cores: 1, set: 0 }
    }

    /// Runs the call, compares its results, and returns the model's report.
    fn run(
        &self,
        program: &Path,
        dir: &Path,
        index: usize,
        inputs: &[Tensor],
        more: &[&str],
    ) -> String {
        let def = self.op.def();
        let mut command = Command::new(program);
        command.current_dir(dir).arg(index.to_string()).args(more);
        for (tensor, input) in def.inputs.iter().zip(inputs) {
            fs::write(dir.join(&*tensor.name), bytes(input)).expect("a file");
            command.args(["--in", &format!("{0}={0}", tensor.name)]);
        }
        for tensor in def.outputs.iter() {
            let count: usize = self.bound.shape(tensor.kind).iter().product();
            let bytes = count * self.element(tensor).size();
            command.args(["--out", &format!("{0}=out.{0}:{bytes}", tensor.name)]);
        }
        let out = command.output().expect("the program");
        let what = || {
            let Case { dtype, cores, bound, .. } = self;
            format!("{} {dtype} {:?} on {cores} cores", self.op.name(), &*bound.domain)
        };
        assert!(out.status.success(), "{}: {}", what(), String::from_utf8_lossy(&out.stderr));
        let outputs: Vec<Vec<u8>> = def
            .outputs
            .iter()
            .map(|tensor| fs::read(dir.join(format!("out.{}", tensor.name))).expect("an output"))
            .collect();
        let n = self.bound.domain.last().copied().unwrap_or(1);
        let rows = self.bound.domain.iter().product::<usize>() / n.max(1);
        let reads = def.input_streams();
        for r in 0..rows {
            let column = |s: &Stream| -> Vec<f64> {
                let kind = def.inputs[s.tensor].kind;
                (0..n).map(|i| inputs[s.tensor].at(self.place(s, kind, [r, n, i]))).collect()
            };
            let row: Vec<Vec<f64>> = reads.iter().map(column).collect();
            let want = expected(self.reference, &row);
            for (k, stream) in def.output_streams().iter().enumerate() {
                let dtype = self.element(&def.outputs[stream.tensor]);
                for (i, want) in want[k].iter().enumerate() {
                    let at = self.place(stream, def.outputs[stream.tensor].kind, [r, n, i]);
                    let got = &outputs[stream.tensor][at * dtype.size()..][..dtype.size()];
                    let got = decoded(dtype, got);
                    if let Some((least, greatest)) = dtype.integers() {
                        let what = || format!("{} row {r} [{i}]", what());
                        let nearest = want.0.clamp(least, greatest);
                        let nearest = if nearest.is_nan() { 0.0 } else { nearest };
                        let off = 8.0 * Format::of(DType::F32).ulp(want.1);
                        let off = if off.is_finite() { off } else { 0.0 };
                        assert!(
                            (got - nearest).abs() <= 0.5 + off,
                            "{}: {got}, {}",
                            what(),
                            want.0
                        );
                        continue;
                    }
                    let dtype = dtype.number().expect("a float");
                    compare(dtype, got, *want, &|| format!("{} row {r} [{i}]", what()));
                }
            }
        }
        String::from_utf8(out.stdout).expect("a report")
    }

    /// Returns the element type of a tensor.
    fn element(&self, tensor: &op_dsl::ir::op::Tensor) -> Stored {
        tensor.stored(self.dtype)
    }

    /// Returns the place of an element of a row in its tensor, whose parts are halves of rows.
    fn place(&self, stream: &Stream, kind: Kind, [row, n, i]: [usize; 3]) -> usize {
        let is_first =
            |part: Part| self.bound.split.is_some_and(|s| s.gate_first) == (part == Part::Gate);
        match stream.part {
            Part::Whole if kind == Kind::PerRow => row,
            Part::Whole => row * n + i,
            part => row * 2 * n + if is_first(part) { i } else { n + i },
        }
    }
}

/// Returns the results of a row, each with the sum of magnitudes in whose units its error counts.
fn expected(name: &str, row: &[Vec<f64>]) -> Vec<Vec<Sized>> {
    if name == "LogSoftmax" {
        // The sum of exponentials is at least 1 and may be units off, which its logarithm is then.
        let mut all = reference(name, row);
        all.iter_mut().flatten().for_each(|(_, size)| *size += 1.0);
        return all;
    }
    if let Some(expected) = per_row::expected(name, row) {
        return expected;
    }
    if name != "SwiGluScaled" {
        return reference(name, row);
    }
    let y = |i: usize| row[1][i] * row[0][i] / (1.0 + libm::exp(-row[0][i]));
    let largest = (0..row[0].len()).map(|i| y(i).abs()).fold(0.0, f64::max);
    let scaled = |i: usize| (127.0 * y(i) / largest, (127.0 * y(i) / largest).abs());
    vec![(0..row[0].len()).map(scaled).collect()]
}

/// Checks a result: f32 within 8 units of the sum of magnitudes, 16 bits within one unit beside as many of f32.
fn compare(dtype: DType, got: f64, (want, size): Sized, at: &dyn Fn() -> String) {
    if !want.is_finite() {
        assert!(
            got == want || (got.is_nan() && want.is_nan()),
            "{}: {got:e} is not {want:e}",
            at()
        );
        return;
    }
    let float = 8.0 * Format::of(DType::F32).ulp(size.max(want.abs()));
    let allowed = if dtype == DType::F32 { float } else { Format::of(dtype).ulp(want) + float };
    assert!((got - want).abs() <= allowed, "{}: {got:e} is not {want:e}", at());
}

fn bytes(tensor: &Tensor) -> Vec<u8> {
    match &tensor.data {
        Data::F32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        Data::F16(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        Data::Bf16(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        _ => unreachable!("numbers only"),
    }
}

fn decoded(stored: Stored, bytes: &[u8]) -> f64 {
    let dtype = match stored {
        Stored::Int8 => return f64::from(bytes[0] as i8),
        Stored::Uint8 => return f64::from(bytes[0]),
        stored => stored.number().expect("a float"),
    };
    let mut bits = [0; 4];
    bits[..bytes.len()].copy_from_slice(bytes);
    Format::of(dtype).decode(u32::from_le_bytes(bits))
}

/// Lengths around blocks and repeats, rows of one element, several tiles, rows that fill UB, and no elements.
const DOMAINS: [&[usize]; 9] = [
    &[3, 1],
    &[5, 7],
    &[300, 8],
    &[2, 3, 63],
    &[700, 64],
    &[40, 1000],
    &[3, 4096],
    &[0, 5],
    &[3, 0],
];

/// Short rows that do not end on blocks, of which tiles are turned: several tiles a core, and fewer rows than a line has.
const SHORT: [&[usize]; 4] = [&[9, 1], &[20_001, 1], &[3003, 7], &[70, 13]];

/// Rows that do not fit UB, from just beyond it to vocabularies of language models; the last chunk of 6145 elements would have one.
const LONG: [&[usize]; 5] = [&[3, 5801], &[5, 6145], &[2, 8192], &[1, 50_257], &[1, 131_072]];

#[test]
fn on_ascend910b() {
    let runs: [Runs<'_>; 4] = [
        (&DType::ALL, &DOMAINS[..6], 8),
        (&DType::ALL, &SHORT, 3),
        (&[DType::F32], &DOMAINS[5..], 2),
        (&[DType::F32, DType::BF16], &LONG, 2),
    ];
    let calls = Calls::new("ascend910b", Cann::V9).of(&RUN, &runs);
    per_row::on_ascend910b(calls).check(&[], &[&[]]);
}

#[test]
fn on_ascend950_with_the_compilers_order() {
    let runs: [Runs<'_>; 2] = [
        (&[DType::F32, DType::BF16], &DOMAINS[1..5], 5),
        (&[DType::F32, DType::F16], &SHORT[2..3], 5),
    ];
    let calls = per_row::on_ascend950(Calls::new("ascend950", Cann::V9).of(&RUN, &runs));
    calls.check(&["-DCOMPILER_ORDERS_VECTOR_CALLS"], &[&["--auto-sync"]]);
}

#[test]
#[ignore = "a quarter of a minute: .ci/deep everything"]
fn rows_that_do_not_fit_ub_on_other_products() {
    let floats = [DType::F32, DType::F16];
    let ordered = Calls::new("ascend950", Cann::V9).of(&RUN, &[(&floats, &[&[3, 20_001]], 2)]);
    ordered.check(&["-DCOMPILER_ORDERS_VECTOR_CALLS"], &[&["--auto-sync"]]);
    let blocks = Calls::new("ascend310p", Cann::V8).of(&RUN, &[(&floats, &[&[3, 20_016]], 2)]);
    blocks.check(&[], &[&[]]);
    let inexact = Calls::new("ascend910b", Cann::V8).of(&RUN, &[(&[DType::F32], &LONG[1..2], 3)]);
    inexact.check(&[], &[&["--noise", "5"], &["--flush"]]);
}

/// Copies move whole blocks there, so that rows end on blocks; those of integers of 8 bits too.
#[test]
fn on_ascend310p() {
    let floats = [DType::F32, DType::F16];
    let domains: [&[usize]; 3] = [&[300, 16], &[2, 3, 64], &[9, 1008]];
    let calls = Calls::new("ascend310p", Cann::V8).of(&RUN, &[(&floats, &domains, 8)]);
    let domains: [&[usize]; 5] = [&[304, 32], &[2, 8, 64], &[37, 1024], &[9, 2048], &[35, 20_032]];
    calls.of(&per_row::INTEGERS, &[(&floats, &domains, 8)]).check(&[], &[&[]]);
}

/// Exponentials, quotients and roots may be a unit off, and small numbers may be flushed to 0.
#[test]
fn where_functions_are_inexact() {
    let calls = Calls::new("ascend910b", Cann::V8).of(&RUN, &[(&[DType::F32], &DOMAINS[3..5], 3)]);
    calls.check(&[], &[&["--noise", "5"], &["--flush"]]);
}

#[test]
fn what_kernels_do_not_go_with_is_named() {
    let soc = |name| [Soc::named(name).expect("a product")];
    let refused = |op: &str, product| {
        let package = Package::new(operator(op).def(), &soc(product), Options::default());
        package.expect_err("a refusal").to_string()
    };
    for (op, product, why) in [
        ("Softmax", "ascend910", "not yet emitted for architecture 1001; compute it on CPUs"),
        (
            "Masked",
            "ascend910b",
            "`row_sum`, and NPU kernels of row functions are not yet emitted for masks",
        ),
        ("RmsNormGrad", "ascend910b", "not yet emitted for sums over broadcast inputs"),
        ("Dequant8", "ascend910b", "`q` has elements of int8 whatever the type of the call"),
    ] {
        let said = refused(op, product);
        assert!(said.contains(why), "{said}");
    }
}

/// Runs a command on the operators of [`layers`]; returns whether it succeeded, and what it printed.
fn said(line: &str) -> (bool, String) {
    let words = ["layers"].into_iter().chain(line.split(' ')).map(std::ffi::OsString::from);
    let mut out = Vec::new();
    let code = op_dsl_cli::run(layers::OPERATORS, "", words, &mut out);
    let is_good = format!("{code:?}") == format!("{:?}", std::process::ExitCode::SUCCESS);
    (is_good, String::from_utf8_lossy(&out).into_owned())
}

#[test]
fn commands_show_and_run_them() {
    let (is_good, plan) = said("explain SoftmaxGrad --soc ascend910b --dtype f16");
    assert!(is_good && plan.contains("row_max along each row"), "{plan}");
    let (is_good, figures) = said("simulate Halves --shape 9x40 --soc ascend910b --dtype f32");
    assert!(is_good && figures.contains("gm moved over least"), "{figures}");
    let line = "tile Softmax --shape 64x1000 --soc ascend910b --dtype f32";
    assert!(!said(line).0, "tiles are whole rows");
}
