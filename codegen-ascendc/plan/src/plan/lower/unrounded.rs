//! Arguments of functions with what their rounding lost, as double-floats.

use super::Pass;
use crate::arch::Why;
use crate::plan::double_float::{DoubleFloat, DoubleFloats};
use crate::plan::rounded_arguments::{is_corrected, matter};
use crate::sequence::form::Digits;
use crate::sequence::{Api, Val};
use op_dsl_ir::{Id, Node, Prim};

impl Pass<'_> {
    /// Emits `e^x`. For `Digits::Fine` it is corrected by the rounding error of a difference `x = a - b`, and for
    /// `Digits::Compensated` by those of all arithmetic that computes `x`.
    ///
    /// For example, a difference of 60 has a rounding error of up to 2^-19, which is the relative error of its exponential. TwoSum
    /// (Knuth) computes this error `r`, and `e^(x + r)` is `e^x (1 + r)`. Bounds keep differences finite, and infinite exponentials
    /// positive.
    pub(super) fn exponential(&mut self, x: Id) -> Result<Val, Why> {
        if self.target.digits == Digits::Compensated {
            let x = self.unrounded(x)?;
            return Ok(self.double_floats().exponential(x));
        }
        let Node::Call(Prim::Sub, [a, b, _]) = self.read.node(x) else {
            return self.plain(Api::Exp, &[x]);
        };
        let is_number = self.read.scalar(a).or(self.read.scalar(b)).is_some();
        if is_number || self.target.digits != Digits::Fine {
            return self.plain(Api::Exp, &[x]);
        }
        let (a, b, x) = (self.value(a)?, self.value(b)?, self.value(x)?);
        let seq = &mut self.seq;
        let x = seq.maxs(x, f64::from(f32::MIN));
        let x = seq.mins(x, f64::from(f32::MAX));
        let back = seq.sub(x, a);
        let of_a = seq.sub(x, back);
        let (of_a, of_b) = (seq.sub(a, of_a), seq.call(Api::Add, &[b, back]));
        let lost = seq.sub(of_a, of_b);
        let lost = seq.maxs(lost, -0.5);
        let more = seq.adds(lost, 1.0);
        let e = seq.call(Api::Exp, &[x]);
        Ok(seq.mul(e, more))
    }

    pub(super) fn double_floats(&mut self) -> DoubleFloats<'_> {
        DoubleFloats { seq: &mut self.seq, fuses: self.target.fuses }
    }

    /// Emits node `id` with what the arithmetic that computes it lost by rounding.
    pub(super) fn unrounded(&mut self, id: Id) -> Result<DoubleFloat, Why> {
        if let Some(c) = self.read.as_const(id) {
            return Ok(self.double_floats().number(c));
        }
        let Node::Call(prim, [x, y, z]) = self.read.node(id) else { return self.as_is(id) };
        let is_choice = matches!(prim, Prim::Abs | Prim::Min | Prim::Max);
        if self.read.is_uniform(id) || is_choice && !is_corrected(&self.regions.graph, id) {
            return self.as_is(id);
        }
        let number = |id: Id| self.read.as_const(id);
        let (of, factor) = match prim {
            Prim::Neg => (x, -1.0),
            Prim::Mul if number(x).is_some() => (y, number(x).unwrap_or_default()),
            Prim::Mul if number(y).is_some() => (x, number(y).unwrap_or_default()),
            Prim::Div if number(y).is_some() => (x, 1.0 / number(y).unwrap_or_default()),
            Prim::Abs => {
                let x = self.unrounded(x)?;
                return Ok(self.double_floats().size(x));
            }
            Prim::Mul | Prim::Mul3 | Prim::Div | Prim::Add | Prim::Sub | Prim::Min | Prim::Max => {
                let (x, y) = (self.unrounded(x)?, self.unrounded(y)?);
                let mut arithmetic = self.double_floats();
                let value = match prim {
                    Prim::Min => arithmetic.chosen(Api::Min, x, y),
                    Prim::Max => arithmetic.chosen(Api::Max, x, y),
                    Prim::Div => arithmetic.quotient(x, y),
                    Prim::Add => arithmetic.sum(x, y),
                    Prim::Sub => arithmetic.difference(x, y),
                    _ => arithmetic.product(x, y),
                };
                if prim != Prim::Mul3 {
                    return Ok(value);
                }
                let z = self.unrounded(z)?;
                return Ok(self.double_floats().product(value, z));
            }
            _ => return self.as_is(id),
        };
        let of = self.unrounded(of)?;
        Ok(self.double_floats().scaled(of, factor))
    }

    /// Emits node `id` as [`Pass::value`] does; what its rounding lost is unknown.
    fn as_is(&mut self, id: Id) -> Result<DoubleFloat, Why> {
        Ok(DoubleFloat { high: self.value(id)?, low: None, is_loose: false })
    }

    /// Emits the argument of a function; for [`Digits::Compensated`] with what its upper part lost, if it is rounded.
    pub(super) fn argument(&mut self, prim: Prim, arg: Id) -> Result<DoubleFloat, Why> {
        if self.target.digits != Digits::Compensated || !matter(&self.regions.graph, prim, arg) {
            return self.as_is(arg);
        }
        let x = self.unrounded(arg)?;
        Ok(self.double_floats().argument(x))
    }
}
