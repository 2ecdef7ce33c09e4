//! The backward pass, by the gradient operators of the same table.

use crate::{Op, storage};
use candle_core::{Error, Result, Tensor};
use op_dsl::derivative::Derivative;
use op_dsl::ir::bind::laid;
use op_dsl::ir::op::{Kind, Origin};

impl Op {
    /// Computes the gradients of the inputs from the result and its gradient.
    ///
    /// The gradient operator is found in the operator's table. `None` stands for an input that it computes no gradient of.
    pub(crate) fn backward<const N: usize>(
        &self,
        inputs: [&Tensor; N],
        result: &Tensor,
        gradient: &Tensor,
    ) -> Result<[Option<Tensor>; N]> {
        let (def, name) = (self.operator.def(), self.operator.name());
        let known = Derivative::of(self.operator, self.table);
        let known = known.filter(|d| d.holds.contains(&Origin::Upstream(self.output)));
        let known = known.ok_or(Error::BackwardNotSupported { op: name })?;
        if let Some(i) = known.unknown.iter().find(|i| **i < N) {
            let what =
                format!("no operator of the table is its gradient by `{}`", def.inputs[*i].name);
            return Err(Error::msg(format!("{name}: {what}")));
        }
        let attributes = known.attributes(&self.attributes).map_err(|i| {
            let (other, of) = (known.gradient.name(), &def.attrs[i].name);
            Error::msg(format!(
                "{name}: its gradient {other} is that with the default of `{of}` alone"
            ))
        })?;

        let values = self.values(&known, inputs, result)?;
        let mut held = Vec::with_capacity(known.holds.len());
        for (origin, tensor) in known.holds.iter().zip(known.gradient.def().inputs.iter()) {
            let number = matches!(tensor.kind, Kind::Whole | Kind::Gated);
            let of = match *origin {
                Origin::Upstream(o) if o == self.output => Some(gradient.clone()),
                Origin::Upstream(_) => Some(gradient.zeros_like()?),
                Origin::Input(i) => inputs.get(i).map(|t| (*t).clone()),
                Origin::Output(o) => values.get(o).cloned(),
                Origin::Own => None,
            };
            held.push(match of {
                Some(of) if number => {
                    let of = of.to_dtype(gradient.dtype())?;
                    // Only operators without a split broadcast their inputs against each other.
                    let wide = def.broadcast && tensor.kind == Kind::Whole;
                    let of = match *origin {
                        Origin::Input(i) if wide => {
                            of.reshape(&*laid(def, i, gradient.rank(), of.dims()))?
                        }
                        _ => of,
                    };
                    Some(if wide { of.broadcast_as(gradient.shape())? } else { of })
                }
                of => of,
            });
        }
        let held: Vec<_> = held.iter().map(Option::as_ref).collect();
        let computed = storage::on_tensors(known.gradient, &attributes, &held)?;
        let mut gradients = [const { None }; N];
        for (i, computed) in known.wrt.iter().zip(computed) {
            if let Some(place) = gradients.get_mut(*i) {
                let shape = laid(def, *i, gradient.rank(), inputs[*i].dims());
                *place = Some(summed(computed, &shape, inputs[*i])?);
            }
        }
        Ok(gradients)
    }

    /// Returns the forward operator's outputs for the gradient operator; unread ones are arbitrary.
    ///
    /// If the gradient operator reads other outputs than the result, all outputs are computed again, because candle
    /// keeps only the result.
    fn values<const N: usize>(
        &self,
        known: &Derivative,
        inputs: [&Tensor; N],
        result: &Tensor,
    ) -> Result<Vec<Tensor>> {
        let outputs = self.operator.def().outputs.len();
        let others = |origin: &Origin| matches!(origin, Origin::Output(o) if *o != self.output);
        if known.holds.iter().any(others) {
            return self.run(&inputs.map(Some));
        }
        Ok(vec![result.clone(); outputs])
    }
}

/// Sums a gradient over the dimensions that the input was broadcast along, by this shape, in the input's element type.
fn summed(gradient: Tensor, shape: &[usize], input: &Tensor) -> Result<Tensor> {
    let lead = gradient.rank() - shape.len();
    let mut sum = gradient;
    for dim in 0..sum.rank() {
        if dim < lead || (shape[dim - lead] == 1 && sum.dim(dim)? != 1) {
            sum = sum.sum_keepdim(dim)?;
        }
    }
    sum.reshape(input.shape())?.to_dtype(input.dtype())
}
