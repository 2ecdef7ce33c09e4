//! The package as Python imports it: the library that this test run built, beside the Python files.
//!
//! `test_*.py` compare its results with those of the same calls in Rust. Needs `python3` with numpy, and for some tests
//! the modules of [`MODULES`] and pyright; prints what it skips without them.
#![allow(missing_docs)]
#![cfg(target_os = "linux")]

#[path = "../../../tests/tests/common/tools.rs"]
mod tools;

use half::{bf16, f16};
use op_dsl::ir::bind::TensorMeta;
use op_dsl::ir::op::Kind;
use op_dsl::ir::{DType, Stored};
use op_dsl::{El, Operator, Options, View, ViewMut};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use tools::{has_python_module, has_tool};

/// Modules that some tests need.
const MODULES: [&str; 4] = ["ml_dtypes", "torch", "transformers", "mypy"];

/// Shape of whole tensors: rows and columns.
const SHAPE: [usize; 2] = [3, 37];

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Creates the package with the layout of the wheel.
fn package() -> PathBuf {
    let site = Path::new(env!("CARGO_TARGET_TMPDIR")).join("site");
    let package = site.join("ops_glu_grad");
    fs::create_dir_all(&package).unwrap();
    for file in fs::read_dir(home().join("ops_glu_grad")).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_some_and(|e| e == "py" || e == "pyi" || e == "typed") {
            fs::copy(&file, package.join(file.file_name().unwrap())).unwrap();
        }
    }
    // Cargo builds the library beside this test.
    let library = std::env::current_exe().unwrap().with_file_name("libops_glu_grad_python.so");
    // The old file is replaced, because copying onto a library that a process has loaded would change it there.
    let extension = package.join("_core.abi3.so");
    fs::copy(library, extension.with_extension("new")).unwrap();
    fs::rename(extension.with_extension("new"), extension).unwrap();
    site
}

/// Returns a number between -4 and 4, by the same rule as in Python.
fn number(seed: usize, i: usize) -> f32 {
    let turn = (i as f64 + 1.0) * 0.618_033_988_749_895 + seed as f64 * 0.414_213_562_373_095;
    (turn.fract() * 8.0 - 4.0) as f32
}

/// Runs one call of an operator on elements of one type.
///
/// Numbers are written as the bits of `f32`, which represents all of them.
fn case<T: El>(op: &Operator, round: fn(f32) -> T, exact: fn(T) -> f32) -> Value {
    let def = op.def();
    let shape_of = |kind| match kind {
        Kind::Gated => [SHAPE[0], 2 * SHAPE[1]],
        _ => SHAPE,
    };
    let is_f32 = |stored| stored == Stored::Number(DType::F32);
    let (mut numbers, mut floats, mut masks) = (Vec::new(), Vec::new(), Vec::new());
    for (k, tensor) in def.inputs.iter().enumerate() {
        let n = shape_of(tensor.kind).iter().product();
        numbers.push((0..n).map(|i| round(number(k, i))).collect::<Vec<T>>());
        floats.push((0..n).map(|i| number(k, i)).collect::<Vec<f32>>());
        masks.push((0..n).map(|i| number(k, i) > 0.0).collect::<Vec<bool>>());
    }
    let shapes: Vec<_> = def.inputs.iter().map(|tensor| shape_of(tensor.kind)).collect();
    let (mut views, mut metas, mut inputs) = (Vec::new(), Vec::new(), Vec::new());
    for (k, tensor) in def.inputs.iter().enumerate() {
        let shape = &shapes[k][..];
        let (view, bits) = match tensor.kind {
            _ if def.presence(k).is_some() => (View::ABSENT, Value::Null),
            Kind::Mask => (View::new(&masks[k], shape).unwrap(), json!(masks[k])),
            _ if tensor.own.is_some_and(is_f32) => {
                let bits: Vec<u32> = floats[k].iter().map(|v| v.to_bits()).collect();
                (View::new(&floats[k], shape).unwrap(), json!(bits))
            }
            _ => {
                let bits: Vec<u32> = numbers[k].iter().map(|v| exact(*v).to_bits()).collect();
                (View::new(&numbers[k], shape).unwrap(), json!(bits))
            }
        };
        metas.push(TensorMeta { shape, dtype: view.dtype() });
        views.push(view);
        inputs.push(json!({ "shape": shape, "bits": bits, "dtype": view.dtype().name() }));
    }
    let attrs = op.default_attrs();
    let wanted = op.infer(&attrs, &metas).unwrap();
    let mut results: Vec<Vec<T>> =
        wanted.iter().map(|o| vec![T::default(); o.shape.iter().product()]).collect();
    let mut own: Vec<Vec<f32>> =
        wanted.iter().map(|o| vec![0.0; o.shape.iter().product()]).collect();
    let mut places: Vec<_> = results
        .iter_mut()
        .zip(&mut own)
        .zip(&wanted)
        .map(|((result, own), o)| match is_f32(o.dtype) {
            true => ViewMut::new(own, &o.shape).unwrap(),
            false => ViewMut::new(result, &o.shape).unwrap(),
        })
        .collect();
    op.run(&attrs, &views, &mut places, &Options::default()).unwrap();
    let outputs = results.iter().zip(&own).zip(&wanted).map(|((result, own), o)| {
        let bits: Vec<u32> = match is_f32(o.dtype) {
            true => own.iter().map(|v| v.to_bits()).collect(),
            false => result.iter().map(|v| exact(*v).to_bits()).collect(),
        };
        json!({ "shape": *o.shape, "bits": bits, "dtype": o.dtype.name() })
    });
    let outputs: Vec<_> = outputs.collect();
    json!({ "op": op.name(), "dtype": T::DTYPE.name(), "inputs": inputs, "outputs": outputs })
}

/// Writes the results of Rust for every operator and element type.
fn cases() -> PathBuf {
    let mut all = Vec::new();
    for op in ops_glu_grad::OPERATORS.iter().chain(ops_glu_grad::OPTIMIZERS) {
        for dtype in op.def().dtypes.iter() {
            all.push(match dtype {
                DType::F16 => case(op, f16::from_f32, f16::to_f32),
                DType::BF16 => case(op, bf16::from_f32, bf16::to_f32),
                DType::F32 => case(op, |v| v, |v| v),
            });
        }
    }
    assert!(all.len() > 200, "{} cases", all.len());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cases.json");
    fs::write(&path, serde_json::to_string(&all).unwrap()).unwrap();
    path
}

/// The package and the cases, made once for both tests.
static MADE: LazyLock<(PathBuf, PathBuf)> = LazyLock::new(|| (package(), cases()));

/// Runs the files of tests whose names match.
fn passes(files: &str) {
    if !has_python_module("numpy", "the package for Python") {
        return;
    }
    let (site, cases) = &*MADE;
    let mut tests = Command::new("python3");
    tests.args(["-m", "unittest", "discover", "-p", files, "-s"]).arg(home().join("tests"));
    // Not run in this crate's directory, because its Python files lack the library.
    tests.current_dir(site).env("PYTHONPATH", site).env("OPS_GLU_GRAD_CASES", cases);
    let ran = tests.env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{}{said}", String::from_utf8_lossy(&ran.stdout));
    println!("{said}");
}

#[test]
fn tools_of_some_tests() {
    for module in MODULES {
        has_python_module(module, "tests of the package for Python that need it");
    }
    let ran = Command::new("pyright").arg("--version").output();
    let is_there = ran.is_ok_and(|ran| ran.status.success());
    has_tool("pyright", is_there, "types of the package for Python by pyright");
}

#[test]
fn absent_tensors_have_no_type() {
    assert_eq!(View::ABSENT.dtype(), Stored::Nothing);
}

/// Half of the time goes to this file, so that two processes share the work.
#[test]
fn package_works_with_pytorch() {
    passes("test_torch.py");
}

#[test]
fn package_works_elsewhere() {
    passes("test_[!t]*.py");
}
