//! An emitted kernel, run on the host model.

use super::common::{Data, Tensor};
use super::compile::{compiled, instance};
use super::repeated::Known;
use super::shared::{products, shared};
use codegen_ascendc::arch::Soc;
use codegen_ascendc::emit::kernel::tiling_data;
use codegen_ascendc::emit::{Options, Package};
use codegen_ascendc::plan::{Plan, Storage};
use codegen_ascendc::tiling::{Extent, Machine, Tiling, tile};
use half::{bf16, f16};
use op_dsl::Operator;
use op_dsl::ir::bind::{Bound, TensorMeta, bind};
use op_dsl::ir::op::{Gate, Spec, Value};
use op_dsl::ir::{DType, Stored};
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use tempfile::TempDir;

/// All instances of an operator's kernel on one architecture.
pub struct Program {
    pub op: &'static Operator,
    /// The package of the kernel's tree, which serves more products than this one.
    pub package: Package<'static>,
    pub soc: &'static Soc,
    /// The program, which may contain kernels of other operators too.
    binary: PathBuf,
    /// Directory with the files of the last call.
    files: Rc<TempDir>,
    /// Results of the calls that have been judged.
    pub known: RefCell<Known>,
}

/// An operator and its package.
pub type Planned = (&'static Operator, Package<'static>);

/// The results of one call.
pub struct Ran {
    pub tiling: Tiling,
    pub outputs: Vec<Tensor>,
    /// The model's report: one JSON object per line.
    pub report: String,
}

impl Program {
    /// Emits some operators and compiles them together with all kernels that tests run on this product.
    ///
    /// One tree serves all products that ops-nn knows; a product that it does not know has its own.
    pub fn all(ops: &[&'static Operator], soc: &str) -> Vec<Program> {
        Program::all_in(ops, soc, Storage::default())
    }

    /// As `all`, for a given storage.
    pub fn all_in(ops: &[&'static Operator], soc: &str, storage: Storage) -> Vec<Program> {
        Program::built(ops, soc, storage, &[])
    }

    /// As `all_in`, with options for the compiler.
    pub fn built(
        ops: &[&'static Operator],
        soc: &str,
        storage: Storage,
        options: &[&str],
    ) -> Vec<Program> {
        let soc = Soc::named(soc).expect("a target");
        if options.is_empty() {
            let shared = shared(soc, storage);
            let packages: Option<Vec<_>> = ops.iter().map(|op| shared.package(op)).collect();
            if let Some(packages) = packages {
                let all = ops.iter().copied().zip(packages.into_iter().cloned());
                return Program::each(all.collect(), soc, &shared.program);
            }
        }
        let package = |op: &&'static Operator| {
            let chosen = Options { storage, ..Options::default() };
            (*op, Package::able(op.def(), &products(soc), chosen).expect("plans").0)
        };
        Program::compiled(ops.iter().map(package).collect(), soc, options)
    }

    /// Compiles packages together, for one of their products.
    pub fn compiled(packages: Vec<Planned>, soc: &'static Soc, options: &[&str]) -> Vec<Program> {
        let all: Vec<&Package<'_>> = packages.iter().map(|(_, package)| package).collect();
        let binary = compiled(&all, soc.arch, options);
        Program::each(packages, soc, &binary)
    }

    fn each(packages: Vec<Planned>, soc: &'static Soc, binary: &Path) -> Vec<Program> {
        let files = TempDir::with_prefix_in(packages[0].0.name(), env!("CARGO_TARGET_TMPDIR"));
        let files = Rc::new(files.expect("a directory"));
        let program = |(op, package)| Program {
            op,
            package,
            soc,
            binary: binary.to_path_buf(),
            files: Rc::clone(&files),
            known: RefCell::default(),
        };
        packages.into_iter().map(program).collect()
    }

    /// Returns the element types of the product's kernels.
    pub fn dtypes(&self) -> Vec<DType> {
        let has = |d: &DType| self.package.plans_of(self.soc.arch).any(|p| p.dtype == *d);
        DType::ALL.into_iter().filter(has).collect()
    }

    /// Returns the plan of a specialisation and element type.
    pub fn plan(&self, spec: usize, dtype: DType) -> &Plan {
        let fits = |p: &&Plan| p.spec == spec && p.dtype == dtype;
        self.package.plans_of(self.soc.arch).find(fits).expect("a plan")
    }

    /// Returns whether there is a plan for these attributes.
    pub fn has(&self, attrs: &[Value], dtype: DType) -> bool {
        let spec = self.spec(attrs);
        self.package.plans_of(self.soc.arch).any(|p| p.spec == spec && p.dtype == dtype)
    }

    /// Returns the plan for these attributes.
    pub fn plan_of(&self, attrs: &[Value], dtype: DType) -> &Plan {
        self.plan(self.spec(attrs), dtype)
    }

    fn spec(&self, attrs: &[Value]) -> usize {
        let picked = |s: &Spec| s.when.iter().all(|(i, v)| attrs[*i].as_int() == Some(*v));
        self.op.def().specs.iter().position(picked).expect("a specialisation")
    }

    /// Cuts a call into tiles.
    pub fn tile(&self, bound: &Bound, cores: u32) -> Tiling {
        let soc = self.soc;
        let plan = self.plan(bound.spec, bound.dtype);
        let machine = Machine { ub: soc.reported_ub(), cores, pads: soc.arch.pads };
        tile(&Extent::new(bound), &plan.need, &machine).expect("a tiling")
    }

    /// Runs a call on all cores; panics if the model reports an error.
    pub fn run(&self, attrs: &[Value], inputs: &[Tensor], cores: u32) -> Ran {
        self.run_with(attrs, inputs, cores, &[])
    }

    /// As `run`, with options of the model.
    pub fn run_with(
        &self,
        attrs: &[Value],
        inputs: &[Tensor],
        cores: u32,
        options: &[&str],
    ) -> Ran {
        let metas: Vec<TensorMeta> = inputs.iter().map(Tensor::meta).collect();
        let bound = bind(self.op.def(), attrs, &metas).unwrap_or_else(|e| panic!("{e}"));
        let tiling = self.tile(&bound, cores);
        let path = |name: &str| self.files.path().join(name);
        let mut command = Command::new(&self.binary);
        let plan = self.plan(bound.spec, bound.dtype);
        command.args(options);
        command.args(["--kernel", &instance(&self.package.snake(), plan, tiling.path as u32 == 2)]);
        command.args(["--ub", &self.soc.reported_ub().to_string()]);
        command.args(["--blocks", &tiling.cores.max(1).to_string()]);
        for (tensor, def) in inputs.iter().zip(self.op.def().inputs.iter()) {
            if let Data::Nothing = tensor.data {
                command.args(["--absent", &def.name]);
                continue;
            }
            let path = path(&def.name);
            fs::write(&path, bytes(tensor, self.op.def().masks())).expect("a file");
            command.args(["--in", &format!("{}={}", def.name, path.display())]);
        }
        let counts = self.op.def().rows().map_or(0, |rows| match &inputs[rows].data {
            Data::Counts(v) => v.len() as u64,
            _ => 0,
        });
        let metas = self.op.infer(attrs, &metas).unwrap_or_else(|e| panic!("{e}"));
        for (meta, def) in metas.iter().zip(self.op.def().outputs.iter()) {
            let size = meta.shape.iter().product::<usize>() * meta.dtype.size();
            let path = path(&format!("out.{}", def.name));
            command.args(["--out", &format!("out.{}={}:{size}", def.name, path.display())]);
        }
        fs::write(path("tiling"), self.tiling_bytes(&tiling, &bound, attrs, counts))
            .expect("a file");
        command.args(["--absent", "workspace", "--tiling"]).arg(path("tiling"));
        let out = command.output().expect("the program");
        assert!(
            out.status.success(),
            "{} {attrs:?} {:?} {} on {cores} cores of {}: {}\n{tiling:?}",
            self.op.name(),
            &*bound.domain,
            bound.dtype,
            self.soc.name,
            String::from_utf8_lossy(&out.stderr)
        );
        let outputs = metas.iter().zip(self.op.def().outputs.iter()).map(|(meta, def)| {
            let bytes = fs::read(path(&format!("out.{}", def.name))).expect("an output");
            from_bytes(&meta.shape, meta.dtype.number().expect("a float"), &bytes)
        });
        let outputs = outputs.collect();
        let report = String::from_utf8(out.stdout).expect("a report");
        Ran { tiling, outputs, report }
    }

    fn tiling_bytes(&self, t: &Tiling, bound: &Bound, attrs: &[Value], counts: u64) -> Vec<u8> {
        let def = self.op.def();
        let mut out: Vec<u8> =
            [t.rows, t.columns, t.pieces, t.share].iter().flat_map(|v| v.to_le_bytes()).collect();
        let words = [
            t.unit_rows, t.unit_columns, t.tile_rows, t.tile_columns, t.pitch, t.cores, t.big,
            t.path as u32,
        ];
        out.extend(words.iter().flat_map(|v| v.to_le_bytes()));
        if def.rows().is_some() {
            let along = bound.split.filter(|split| split.interleaved);
            let rows_of_count = along.map_or(1, |split| bound.domain[split.dim] as u64);
            out.extend([counts, rows_of_count].iter().flat_map(|v| v.to_le_bytes()));
        }
        if let Some(Gate::LeftIf(a)) = def.split.as_ref().map(|s| s.gate) {
            out.extend(u32::from(attrs[a] == Value::Bool(true)).to_le_bytes());
        }
        for (attr, value) in def.attrs.iter().zip(attrs) {
            out.extend(attr.scalar(*value).into_iter().flat_map(f32::to_le_bytes));
        }
        out.resize(out.len().next_multiple_of(8), 0);
        let fields = tiling_data::fields(&self.package);
        let size: usize = fields.iter().map(|f| if f.ty == "uint64_t" { 8 } else { 4 }).sum();
        assert_eq!(size, out.len(), "the struct and its bytes");
        out
    }
}

impl Ran {
    /// Returns a number from the report's record of this kind.
    pub fn number(&self, record: &str, field: &str) -> u64 {
        let head = format!("{{\"record\":\"{record}\"");
        let line = self.report.lines().find(|l| l.starts_with(&head)).expect("a record");
        self.field(line, field)
    }

    /// Returns the bytes of an argument's sectors that were read.
    pub fn read(&self, argument: &str) -> u64 {
        let head = format!("{{\"record\":\"buffer\",\"name\":\"{argument}\"");
        let line = self.report.lines().find(|l| l.starts_with(&head)).expect("an argument");
        self.field(&line[line.find("\"read\":").expect("a side")..], "sector_bytes")
    }

    /// Returns the number of calls of this name in the largest tile; prints them if there are any.
    pub fn calls(&self, name: &str) -> u64 {
        let listed = format!("\"{name}\":");
        let of_tiles = |l: &&str| l.starts_with("{\"record\":\"tile\"") && l.contains(&listed);
        self.report.lines().find(of_tiles).map_or(0, |line| self.field(line, name))
    }

    /// Returns the number of calls in the largest tile that split and join rows.
    pub fn parting(&self) -> u64 {
        ["Gather", "TransDataTo5HD", "DataCopy"].map(|call| self.calls(call)).iter().sum()
    }

    fn field(&self, line: &str, field: &str) -> u64 {
        let mark = format!("\"{field}\":");
        let at = line.find(&mark).expect("a field") + mark.len();
        let digits: String = line[at..].chars().take_while(char::is_ascii_digit).collect();
        digits.parse().expect("a number")
    }

    /// Returns the bytes of the touched GM sectors, divided by those of the touched tensors.
    pub fn traffic(&self) -> f64 {
        let (mut moved, mut least) = (0, 0);
        for line in self.report.lines().filter(|l| l.starts_with("{\"record\":\"buffer\"")) {
            for side in ["\"read\":", "\"write\":"] {
                let at = line.find(side).expect("a side");
                let sectors = self.field(&line[at..], "sector_bytes");
                moved += sectors;
                least += if sectors > 0 { self.field(line, "bytes").div_ceil(32) * 32 } else { 0 };
            }
        }
        moved as f64 / least.max(1) as f64
    }
}

/// Returns the bytes of a tensor as it lies in GM.
fn bytes(tensor: &Tensor, masks: Stored) -> Vec<u8> {
    fn all<T: Copy, const N: usize>(values: &[T], one: impl Fn(T) -> [u8; N]) -> Vec<u8> {
        let mut out = vec![0; values.len() * N];
        for (to, value) in out.chunks_exact_mut(N).zip(values) {
            to.copy_from_slice(&one(*value));
        }
        out
    }
    match &tensor.data {
        Data::F16(v) => all(v, f16::to_le_bytes),
        Data::Bf16(v) => all(v, bf16::to_le_bytes),
        Data::F32(v) => all(v, f32::to_le_bytes),
        Data::Mask(v) if masks == Stored::Bit => Stored::packed(v),
        Data::Mask(v) => v.clone(),
        Data::Counts(v) => all(v, i64::to_le_bytes),
        Data::Nothing => Vec::new(),
    }
}

fn from_bytes(shape: &[usize], dtype: DType, bytes: &[u8]) -> Tensor {
    let two = |b: &[u8]| u16::from_le_bytes([b[0], b[1]]);
    let four = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let data = match dtype {
        DType::F16 => Data::F16(bytes.chunks_exact(2).map(|b| f16::from_bits(two(b))).collect()),
        DType::BF16 => Data::Bf16(bytes.chunks_exact(2).map(|b| bf16::from_bits(two(b))).collect()),
        DType::F32 => Data::F32(bytes.chunks_exact(4).map(|b| f32::from_bits(four(b))).collect()),
    };
    Tensor { shape: shape.to_vec(), data }
}
