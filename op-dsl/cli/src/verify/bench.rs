//! Tensors for many elements of one setting, and the operator's run on them.

use super::formula::{Formula, stored};
use crate::array::{Array, views, views_mut};
use crate::error::Error;
use codegen_cpu::rt::call::Options;
use codegen_cpu::rt::simd::Level;
use op_dsl_ir::op::{Kind, Stream, Tensor, Value};
use op_dsl_ir::{DType, Stored};

/// Tensors of an operator that hold up to `capacity` elements of every stream.
pub struct Bench<'f> {
    formula: &'f Formula,
    capacity: usize,
    inputs: Vec<Array>,
    outputs: Vec<Array>,
}

impl<'f> Bench<'f> {
    pub fn new(formula: &'f Formula, dtype: DType, capacity: usize) -> Result<Bench<'f>, Error> {
        let (def, attrs) = (formula.op.def(), &formula.settings[0].attrs);
        let make = |t: &Tensor, stored| match stored {
            Stored::Nothing => Ok(Array::absent()),
            stored => Array::zeros(stored, &formula.shape(t.kind, capacity)),
        };
        let input = |(i, t): (usize, &Tensor)| make(t, stored(def, attrs, i, dtype));
        let inputs: Result<_, _> = def.inputs.iter().enumerate().map(input).collect();
        let outputs: Result<_, _> = def.outputs.iter().map(|t| make(t, t.stored(dtype))).collect();
        Ok(Bench { formula, capacity, inputs: inputs?, outputs: outputs? })
    }

    /// Sets all elements of an input stream to one value.
    pub fn fill(&mut self, stream: usize, value: f64) {
        (0..self.capacity).for_each(|i| self.set(stream, i, value as f32));
    }

    pub fn set(&mut self, stream: usize, i: usize, value: f32) {
        let of = self.formula.op.def().input_streams()[stream];
        let at = self.place(of, i, self.formula.op.def().inputs[of.tensor].kind);
        self.inputs[of.tensor].set(at, value);
    }

    /// Returns element `i` of an output stream.
    pub fn get(&self, output: Stream, i: usize) -> f64 {
        let kind = self.formula.op.def().outputs[output.tensor].kind;
        self.outputs[output.tensor].get(self.place(output, i, kind))
    }

    /// Returns the index of element `i` of a stream; elements of a row may share one.
    fn place(&self, stream: Stream, i: usize, kind: Kind) -> usize {
        if self.formula.is_shared(kind) {
            return 0;
        }
        self.formula.row(stream.part) * self.capacity + i
    }

    pub fn run(&mut self, attrs: &[Value], level: Level) -> Result<(), Error> {
        let options = Options {
            threads: 1,
            level: Some(level),
            streaming: Some(false),
            ..Options::default()
        };
        let (inputs, mut outputs) = (views(&self.inputs)?, views_mut(&mut self.outputs)?);
        Ok(self.formula.op.run(attrs, &inputs, &mut outputs, &options)?)
    }
}
