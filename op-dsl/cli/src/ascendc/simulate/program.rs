//! Writes, compiles and runs a C++ program of kernel calls, and removes it afterwards.

use crate::array::{Array, Data, with_elements};
use crate::error::Error;
use crate::scratch::ScratchDir;
use codegen_ascendc::host_model::{self, Call, FLAGS, MODEL};
use codegen_cpu::rt::call::Operator;
use codegen_cpu::with_element;
use op_dsl_ir::op::Value;
use op_dsl_ir::{DType, Stored};
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Output};

/// Compilers to try when `$CXX` is not set.
const COMPILERS: [&str; 3] = ["g++", "clang++", "c++"];

/// Compiled C++ program that can run several calls on the host model, in a temporary directory.
pub struct Program {
    dir: ScratchDir,
}

/// Outcome of the run of one call.
pub enum Ran {
    /// The host model stopped the run; the text says what the hardware would get wrong.
    Finding(String),
    /// The run ended normally.
    Whole {
        /// Report of the host model, one JSON object per line.
        report: String,
        /// Outputs in the order of the operator's signature.
        outputs: Vec<Array>,
    },
}

impl Program {
    /// Writes and compiles a program of these calls, which are all for one architecture.
    pub fn compile(calls: &[Call<'_>], compiler: &str) -> Result<Program, Error> {
        let wrong = |e| Error::Usage(format!("no directory for temporary files: {e}"));
        let program = Program { dir: ScratchDir::new("op-dsl-simulate-").map_err(wrong)? };
        host_model::program(calls)
            .write(program.dir.path(), false)
            .map_err(codegen_ascendc::build::Error::from)?;
        let out = Command::new(compiler)
            .args(FLAGS)
            .args(["-I", MODEL, "main.cpp", "-o", "call"])
            .args(calls.first().map(|c| format!("-DHOST_MODEL_ARCH={}", c.plan.soc.arch.number)))
            .current_dir(&program.dir)
            .output()
            .map_err(|e| Error::Usage(format!("{compiler}: {e}")))?;
        match out.status.success() {
            true => Ok(program),
            false => Err(Error::Usage(format!("{compiler}: {}", first(&out, "error")))),
        }
    }

    /// Runs the call of index `index` in the program, on all of its cores, with these inputs and options of the host model.
    pub fn run(
        &self,
        index: usize,
        op: &Operator,
        attrs: &[Value],
        inputs: &[Array],
        options: &[&str],
    ) -> Result<Ran, Error> {
        let wrong = |path: &Path, e: io::Error| Error::Usage(format!("{}: {e}", path.display()));
        let mut command = Command::new(self.dir.path().join("call"));
        command.current_dir(&self.dir).arg(index.to_string()).args(options);
        for (array, tensor) in inputs.iter().zip(op.def().inputs.iter()) {
            if array.stored() == Stored::Nothing {
                command.arg("--absent").arg(&*tensor.name);
                continue;
            }
            let path = self.dir.path().join(format!("{}.in", tensor.name));
            fs::write(&path, bytes(array, op.def().masks())).map_err(|e| wrong(&path, e))?;
            command.arg("--in").arg(format!("{0}={0}.in", tensor.name));
        }
        let metas: Vec<_> = inputs.iter().map(Array::meta).collect();
        let metas = op.infer(attrs, &metas)?;
        for (meta, tensor) in metas.iter().zip(op.def().outputs.iter()) {
            let size = meta.shape.iter().product::<usize>() * meta.dtype.size();
            command.arg("--out").arg(format!("{0}={0}.out:{size}", tensor.name));
        }
        let out = command.output().map_err(|e| wrong(&self.dir.path().join("call"), e))?;
        match out.status.code() {
            Some(0) => {}
            Some(1) => {
                let finding = first(&out, "finding");
                return Ok(Ran::Finding(finding.trim_start_matches("finding: ").into()));
            }
            _ => {
                return Err(Error::Usage(format!(
                    "the kernel on the host model: {}",
                    first(&out, "")
                )));
            }
        }
        let mut outputs = Vec::new();
        for (meta, tensor) in metas.iter().zip(op.def().outputs.iter()) {
            let path = self.dir.path().join(format!("{}.out", tensor.name));
            let bytes = fs::read(&path).map_err(|e| wrong(&path, e))?;
            let data = match meta.dtype.number() {
                Some(dtype) => data(dtype, &bytes),
                None => Data::Converted(meta.dtype, bytes),
            };
            outputs.push(Array::dense(data, meta.shape.to_vec()));
        }
        Ok(Ran::Whole { report: String::from_utf8_lossy(&out.stdout).into_owned(), outputs })
    }
}

/// Returns the C++ compiler `$CXX`, else the first of [`COMPILERS`] that is installed.
pub fn compiler() -> Result<String, Error> {
    if let Some(asked) = std::env::var("CXX").ok().filter(|c| !c.is_empty()) {
        return Ok(asked);
    }
    let runs = |name: &&&str| Command::new(name).arg("--version").output().is_ok();
    let none = || format!("no C++17 compiler ({}): install one or set CXX", COMPILERS.join(", "));
    COMPILERS.iter().find(runs).map(|c| c.to_string()).ok_or_else(|| Error::Usage(none()))
}

/// Returns the first line of standard error that contains `word`, else its first line.
fn first(out: &Output, word: &str) -> String {
    let text = String::from_utf8_lossy(&out.stderr);
    let found = text.lines().find(|l| l.contains(word)).or(text.lines().next());
    found.unwrap_or("said nothing").to_string()
}

/// Returns a tensor's bytes as they lie in global memory (GM).
///
/// `masks` says whether a mask has a bit or a byte per element there.
fn bytes(array: &Array, masks: Stored) -> Vec<u8> {
    match &array.data {
        Data::Bytes(v) if masks == Stored::Bit => Stored::packed(&v[array.start..]),
        Data::Int64(v) => v[array.start..].iter().flat_map(|v| v.to_le_bytes()).collect(),
        data => with_elements!(
            data,
            v => v[array.start..].iter().flat_map(|v| v.to_le_bytes()).collect(),
            bits => bits[array.start..].to_vec(),
            none => Vec::new()
        ),
    }
}

fn data(dtype: DType, bytes: &[u8]) -> Data {
    with_element!(dtype, E => {
        let elements = bytes.as_chunks().0.iter();
        elements.map(|bytes| E::from_le_bytes(*bytes)).collect::<Vec<E>>().into()
    })
}
