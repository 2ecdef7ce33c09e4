//! Selection of the kernels of a call, and their checks against the operator's definition.

use super::Operator;
use crate::rt::abi::{MAX_SCALARS, MAX_STREAMS};
use crate::rt::block::Kernels;
use crate::rt::error::Error;
use crate::rt::view::View;
use op_dsl_ir::Stored;
use op_dsl_ir::op::{Kind, Rule, Spec, Tensor};

impl Operator {
    /// Selects the kernels of the specialisation in `bound`, and checks them against the definition.
    ///
    /// The rest of the call relies on these kernels having as many streams as the definition.
    pub(super) fn kernels_of(&self, spec: usize) -> Result<(&[Kernels], &Kernels), Error> {
        let wrong = |what| Error::Kernels { op: self.def.name.to_string(), what };
        let count =
            |tensors: &[Tensor]| tensors.iter().map(|t| t.kind.parts().len()).sum::<usize>();
        let (inputs, outputs) = (count(&self.def.inputs), count(&self.def.outputs));
        let floats = self.def.attrs.iter().filter(|a| a.kind.is_scalar()).count();
        let none = match self.kernels.is_empty() {
            true => "there are none in a build script, or with `kernels = false`",
            false => "specialisations",
        };
        let [before, stages] = self.stages_up_to(spec);
        let kernels = self.kernels.get(spec + before..=spec + before + stages);
        let (kernels, stages) = kernels.and_then(<[_]>::split_last).ok_or_else(|| wrong(none))?;
        let same = |stage: &Kernels| {
            let widths = |k: &Kernels| (k.inputs(), k.scalars());
            let mut own = stage.own().iter().zip(kernels.own()).take(kernels.inputs());
            let is_sole = stage.outputs() == 1;
            is_sole && widths(stage) == widths(kernels) && own.all(|(a, b)| a == b)
        };
        // Streams of stages are between those of the inputs and those of the outputs.
        let own = kernels.own().iter().take(inputs);
        let own = own.chain(kernels.own().iter().skip(kernels.inputs())).copied();
        let parts = self.def.inputs.iter().flat_map(|t| t.kind.parts().iter().map(|_| t.kind));
        let read = parts.zip(kernels.reads()).zip(kernels.masks());
        let mut masks = read.filter(|((_, reads), _)| **reads);
        match () {
            _ if kernels.inputs() < inputs => Err(wrong("input streams")),
            _ if kernels.inputs() != inputs && stages.is_empty() => Err(wrong("input streams")),
            _ if !stages.iter().all(same) => Err(wrong("stages")),
            _ if kernels.outputs() != outputs => Err(wrong("output streams")),
            _ if masks.any(|((kind, _), mask)| (kind == Kind::Mask) != *mask) => {
                Err(wrong("masks"))
            }
            _ if !own.eq(self.def.own_types()) => Err(wrong("element types of their own")),
            _ if kernels.attributes() > floats || floats > MAX_SCALARS => Err(wrong("scalars")),
            _ if kernels.attributes() < floats && kernels.scalars() > kernels.attributes() => {
                Err(wrong("scalars"))
            }
            _ if inputs + outputs > MAX_STREAMS => Err(wrong("too many streams")),
            _ if self.def.split.is_none()
                && self
                    .def
                    .inputs
                    .iter()
                    .chain(&*self.def.outputs)
                    .any(|t| t.kind == Kind::Gated) =>
            {
                Err(wrong("a gated tensor without a split"))
            }
            _ => Ok((stages, kernels)),
        }
    }

    /// Returns how many kernels the stages before a specialisation have, and how many its own.
    fn stages_up_to(&self, spec: usize) -> [usize; 2] {
        let stages = |spec: &Spec| {
            let reduced = spec.stages.iter().filter(|stage| stage.rule != Rule::Uniform);
            reduced.count()
        };
        let specs = &self.def.specs;
        [specs.iter().take(spec).map(stages).sum(), specs.get(spec).map_or(0, stages)]
    }

    /// Returns the kernels of a call on f64.
    #[cold]
    pub(super) fn on_f64(&self, kernels: &Kernels, inputs: &[View<'_>]) -> Result<Kernels, Error> {
        let stored = self.def.inputs.iter().zip(inputs).flat_map(|(tensor, input)| {
            let stored = tensor.seen(input.dtype());
            tensor.kind.parts().iter().map(move |_| stored)
        });
        let what = "there is no program for f64";
        kernels.on_f64(stored).ok_or_else(|| Error::Kernels { op: self.def.name.to_string(), what })
    }

    /// Checks that the kernels read no input that the call omits.
    pub(super) fn check_given(&self, kernels: &Kernels, inputs: &[View<'_>]) -> Result<(), Error> {
        let mut reads = kernels.reads().iter();
        for (tensor, input) in self.def.inputs.iter().zip(inputs) {
            let parts = reads.by_ref().take(tensor.kind.parts().len());
            let is_read = parts.fold(false, |any, reads| any | reads);
            if is_read && input.dtype() == Stored::Nothing {
                let what = "they read an input that is left out";
                return Err(Error::Kernels { op: self.def.name.to_string(), what });
            }
        }
        Ok(())
    }
}
