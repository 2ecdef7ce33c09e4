//! `run`: applies an operator to files.

use super::args::Run;
use super::array::{Array, Data, views, views_mut};
use super::error::Error;
use super::lookup::{self, Operators};
use super::npy;
use super::table::Table;
use codegen_cpu::rt::call::{Operator, Options};
use op_dsl_ir::Stored;
use op_dsl_ir::op::{Kind, Tensor};
use std::path::{Path, PathBuf};

/// Reads the input files, computes, and writes the outputs; returns a table of the written files.
pub fn run(operators: Operators, args: &Run) -> Result<String, Error> {
    let op = lookup::operator(operators, &args.op)?;
    let attrs = lookup::attributes(op, &args.attrs)?;
    let targets = targets(op, args)?;
    let inputs = read(op, args)?;

    let metas: Vec<_> = inputs.iter().map(Array::meta).collect();
    let mut outputs = Vec::new();
    for (meta, tensor) in op.infer(&attrs, &metas)?.iter().zip(op.def().outputs.iter()) {
        let asked = args.dtype.filter(|_| op.def().outputs_decide());
        let stored = asked.map_or(meta.dtype, |dtype| tensor.stored(dtype));
        outputs.push(Array::zeros(stored, &meta.shape)?);
    }
    let options = Options { threads: args.threads.unwrap_or(0), ..Options::default() };
    op.run(&attrs, &views(&inputs)?, &mut views_mut(&mut outputs)?, &options)?;

    // First all files are written next to their places, then all are moved, so that no result appears without the
    // others.
    let mut pending = Vec::new();
    let mut table = Table::new(&["output", "dtype", "shape", "file"]);
    for (target, array) in targets.iter().zip(&outputs) {
        let Some(target) = target else { continue };
        let done = npy::write_beside(&target.place, array).map_err(|e| target.error(e))?;
        pending.push((target, done));
        let stored = match array.stored() {
            Stored::Number(d) if !d.is_in_numpy() => &format!("{d} as {}", d.row().numpy),
            stored => stored.name(),
        };
        let shape = format!("{:?}", array.shape);
        table.row([&target.name, stored, &shape, &target.typed]);
    }
    for (target, done) in pending {
        done.place(&target.place).map_err(|e| target.error(npy::plain(e)))?;
    }
    Ok(table.to_text())
}

fn read(op: &Operator, args: &Run) -> Result<Vec<Array>, Error> {
    let flag = "--in";
    let files = lookup::files(op.def(), flag, &op.def().inputs, &args.inputs)?;
    let mut arrays = Vec::new();
    for (i, (tensor, file)) in op.def().inputs.iter().zip(files).enumerate() {
        let name = tensor.name.to_string();
        let Some(file) = file else {
            if op.def().presence(i).is_some() {
                arrays.push(Array::absent());
                continue;
            }
            let all = lookup::names(&op.def().inputs);
            return Err(Error::MissingTensor { op: op.name().into(), flag, name, all });
        };
        let wrong = |what| Error::File { flag, name, path: file.into(), what };
        arrays.push(npy::read(Path::new(file), tensor, args.dtype).map_err(wrong)?);
    }
    for name in &args.packed {
        let (mask, shape) = packed(op, name, &arrays)?;
        let wrong = |what| Error::Usage(format!("--packed {name}: {what}"));
        let bits =
            std::mem::replace(&mut arrays[mask], Array::dense(Data::Bits(Vec::new()), vec![]));
        arrays[mask] = bits.unpacked(shape).map_err(wrong)?;
    }
    Ok(arrays)
}

/// Returns the index of the mask `name`, and the shape that its packed bits have.
///
/// The shape is that of the first ungated tensor.
fn packed(op: &Operator, name: &str, arrays: &[Array]) -> Result<(usize, Vec<usize>), Error> {
    let inputs = &op.def().inputs;
    let is_mask = |t: &&Tensor| t.kind == Kind::Mask;
    let masks: Vec<Tensor> = inputs.iter().filter(is_mask).cloned().collect();
    lookup::known(op.def(), "mask", &masks, name)?;
    let mask = inputs.iter().position(|t| t.name == name).unwrap_or(0);
    let numbers = inputs.iter().position(|t| t.kind == Kind::Whole).unwrap_or(0);
    Ok((mask, arrays[numbers].shape.clone()))
}

/// Output file: name of the tensor, path as typed, and path to write to.
struct Target {
    name: String,
    typed: String,
    place: PathBuf,
}

impl Target {
    fn error(&self, what: String) -> Error {
        Error::File { flag: "--out", name: self.name.clone(), path: self.typed.clone(), what }
    }
}

/// Returns the file to write each output to; `None` for an output for which no file is given.
fn targets(op: &Operator, args: &Run) -> Result<Vec<Option<Target>>, Error> {
    let flag = "--out";
    let files = lookup::files(op.def(), flag, &op.def().outputs, &args.outputs)?;
    if files.iter().all(Option::is_none) {
        let all = lookup::names(&op.def().outputs);
        let name = op.def().outputs.first().map(|t| t.name.to_string()).unwrap_or_default();
        return Err(Error::MissingTensor { op: op.name().into(), flag, name, all });
    }
    let mut targets: Vec<Option<Target>> = Vec::new();
    for (tensor, file) in op.def().outputs.iter().zip(files) {
        let name = tensor.name.to_string();
        let Some(file) = file else {
            targets.push(None);
            continue;
        };
        let mut target = Target { name, typed: file.into(), place: PathBuf::new() };
        target.place = npy::target(Path::new(file)).map_err(|e| target.error(e))?;
        if let Some(other) = targets.iter().flatten().find(|t| t.place == target.place) {
            let (first, second) = (other.name.clone(), target.name);
            return Err(Error::SameFile { first, second, path: target.typed });
        }
        targets.push(Some(target));
    }
    Ok(targets)
}
