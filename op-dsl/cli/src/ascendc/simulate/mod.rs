//! `simulate`: runs the emitted kernel of a call on the host model of AscendC.
//!
//! ```text
//! program   calls as a C++ program: written, compiled, run, removed
//! report    the program's output -> figures
//! accuracy  the program's outputs against the graph in f64
//! ```

pub mod accuracy;
pub mod program;
mod report;

use super::args::Simulate as Args;
use crate::args::ListFormat;
use crate::array::Array;
use crate::bench::Pool;
use crate::error::Error;
use crate::lookup::{self, Operators};
use crate::progress::Progress;
use crate::verdict::{Verdict, print};
use crate::{npy, roles};
use accuracy::accuracy;
use codegen_ascendc::emit::{Options, Refused, package};
use codegen_ascendc::host_model::Call;
use codegen_ascendc::plan::plan_in;
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::Stored;
use op_dsl_ir::bind::{TensorMeta, bind};
use op_dsl_ir::op::{Kind, OpDef, Value};
use program::{Program, Ran, compiler};
use report::Figures;
use std::io::Write;
use std::path::Path;

/// Runs an emitted kernel on the host model of AscendC and prints its accuracy and cost.
///
/// Returns [`Verdict::Missed`] if the model finds an operation that the hardware would get wrong, or if a result exceeds
/// its error budget.
pub fn simulate(operators: Operators, args: &Args, out: &mut dyn Write) -> Result<Verdict, Error> {
    let op = lookup::operator(operators, &args.op)?;
    let attrs = lookup::attributes(op, &args.attrs)?;
    let inputs = inputs(op, &attrs, args)?;
    let metas: Vec<TensorMeta<'_>> = inputs.iter().map(Array::meta).collect();
    let bound = bind(op.def(), &attrs, &metas).map_err(|e| Error::Call(e.into()))?;
    let soc = args.soc;
    let plan = plan_in(op.def(), bound.spec, bound.dtype, soc, args.form)
        .map_err(|e| refused(e.into()))?;
    let options = Options {
        dtypes: Some(vec![bound.dtype]),
        storage: args.form,
        accept_error: true,
        ..Options::default()
    };
    let package = package(op.def(), soc, &options).map_err(refused)?;
    let cores = args.cores.unwrap_or(soc.cores);
    let counts = counts(op.def(), &inputs);
    let shapes: Vec<Vec<usize>> = inputs.iter().map(|a| a.shape.clone()).collect();
    let call = Call {
        package: &package,
        plan: &plan,
        attrs: &attrs,
        bound: &bound,
        shapes: &shapes,
        counts,
        cores,
    };

    let progress = Progress::of_step("compiling");
    let program = Program::compile(&[call], &compiler()?)?;
    progress.set_message("running");
    let ran = program.run(0, op, &attrs, &inputs, &[])?;
    progress.clear();

    let (text, good) = match ran {
        Ran::Finding(finding) => (told(&finding, args.format), false),
        Ran::Whole { report, outputs } => {
            let accuracy = accuracy(op, &attrs, &bound, &inputs, &outputs);
            let figures = Figures::new(&call, &report, &accuracy)?;
            (figures.text(op.name(), args.format), accuracy.is_good())
        }
    };
    print(out, &text)?;
    Ok(if good { Verdict::Good } else { Verdict::Missed })
}

/// Returns the number of elements of the row-count input; 0 if the call has no such input.
pub fn counts(def: &OpDef, inputs: &[Array]) -> usize {
    let given = def.rows().map(|rows| &inputs[rows]).filter(|a| a.stored() == Stored::Int64);
    given.map_or(0, |counts| counts.shape.iter().product())
}

fn refused(refusal: Refused) -> Error {
    codegen_ascendc::build::Error::from(refusal).into()
}

/// Formats a finding of the host model: an operation that the hardware would get wrong.
fn told(finding: &str, format: ListFormat) -> String {
    match format {
        ListFormat::Table => format!("finding  {finding}\n"),
        ListFormat::Json => format!("{:#}\n", serde_json::json!({ "finding": finding })),
    }
}

/// Returns every input, read from its file or else drawn from N(0, 1).
///
/// Optional inputs without a file are left out.
fn inputs(op: &Operator, attrs: &[Value], args: &Args) -> Result<Vec<Array>, Error> {
    let shapes = roles::input_shapes(op, attrs, &args.shape.0)?;
    let files = lookup::files(op.def(), "--in", &op.def().inputs, &args.inputs)?;
    let longest = shapes.iter().map(|s| s.iter().product()).max().unwrap_or(0);
    let mut normal = Pool::normal(longest);
    let mut inputs = Vec::new();
    let tensors = op.def().inputs.iter().zip(&shapes).zip(files).enumerate();
    for (i, ((tensor, shape), file)) in tensors {
        let Some(file) = file else {
            inputs.push(match op.def().presence(i) {
                Some(_) => Array::absent(),
                None => normal.array(tensor, args.dtype, shape)?,
            });
            continue;
        };
        let name = tensor.name.to_string();
        let wrong = |what| Error::File { flag: "--in", name, path: file.into(), what };
        let array = npy::read(Path::new(file), tensor, Some(args.dtype)).and_then(|a| {
            match tensor.kind {
                Kind::Rows => Ok(a), // of any length
                // The call checks shapes, which may be broadcast.
                _ if !op.def().sums.is_empty() && !op.def().wide.contains(&i) => Ok(a),
                Kind::Whole | Kind::Gated | Kind::Mask | Kind::PerRow => fits(a, shape),
            }
        });
        inputs.push(array.map_err(wrong)?);
    }
    Ok(inputs)
}

fn fits(array: Array, shape: &[usize]) -> Result<Array, String> {
    if array.shape != shape {
        return Err(format!("has shape {:?}; --shape makes it {shape:?}", array.shape));
    }
    if array.strides != codegen_cpu::rt::view::contiguous_strides(shape)[..shape.len()] {
        return Err("is in Fortran order; save numpy.ascontiguousarray(..) of it".into());
    }
    Ok(array)
}
