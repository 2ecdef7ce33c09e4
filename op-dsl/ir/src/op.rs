//! Operator definitions: tensors, attributes, split and specialised graphs.
//!
//! One set of types serves both sides: the macro builds the values and prints them as constants, and the expansion
//! holds them as `'static` data. Therefore emission, `explain` and the oracle read exactly what the CPU kernel was
//! lowered from.

pub use crate::accuracy::{Accuracy, Fast, Tables};
pub use crate::attr::{Attr, AttrKind, Variant};
pub use crate::list::{List, Text};
use crate::published::Published;
use crate::registered::Definition;
pub use crate::row::RowFunction;
pub use crate::spec::{Derived, Rule, Spec, Stage, Wide};
pub use crate::tensor::{Gate, Kind, Part, Pattern, Split, Stream, Tensor};
pub use crate::value::Value;
use crate::{DType, Stored};
use std::borrow::Cow;

/// Definition of one operator: its signature, attributes, and the graphs of its formula.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpDef {
    /// Name in CANN, for example `GeGluGradV2`.
    pub name: Text,
    /// Text of the author's doc comment on the operator.
    pub doc: Text,
    /// Path of the author's function, for example `ops_glu_grad::glu::ge_glu`.
    pub source: Text,
    /// The author's formula, as written.
    pub formula: Text,
    /// Input tensors in the order of the signature.
    pub inputs: List<Tensor>,
    /// Output tensors in the order of the signature.
    pub outputs: List<Tensor>,
    /// Attributes in the order of the signature, then a flag for each optional input.
    ///
    /// The flag ([`AttrKind::Given`]) says whether a call passes the input.
    pub attrs: List<Attr>,
    /// Split of gated tensors into a gate and a value; `None` if no tensor is gated.
    pub split: Option<Split>,
    /// Element types that every tensor may have.
    pub dtypes: List<DType>,
    /// Value ranges that callers promise for inputs.
    pub ranges: List<Range>,
    /// Whether inputs are broadcast against each other by NumPy's rule.
    ///
    /// Otherwise their shapes must be equal.
    pub broadcast: bool,
    /// Indices of the inputs that are never broadcast: they have the shape of the outputs.
    pub wide: List<usize>,
    /// Inputs that lie along another dimension than the last if they have one dimension.
    pub along: List<Along>,
    /// Outputs that are sums: gradients with respect to inputs that are broadcast.
    pub sums: List<Sum>,
    /// Whether inputs may differ in element type; outputs then have the promoted type.
    pub promote: bool,
    /// Whether tensors without elements are allowed (the call does nothing); otherwise they are an error.
    pub empty: bool,
    /// For each output, the index of the input that it is the new value of; empty if outputs replace no inputs.
    pub updates: List<usize>,
    /// Accuracy of results in f32, as the author chose it.
    pub accuracy: Accuracy,
    /// The formula's graphs, one per combination of values of the attributes that it branches on.
    pub specs: List<Spec>,
    /// Link to the forward operator if this operator computes a gradient, else `None`.
    pub grad_of: Option<GradOf>,
    /// Published interfaces of the operator; `None` if nothing is published about it.
    pub published: Option<&'static Published>,
}

/// Promised value range of an input. Results for elements outside of the range are less accurate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Index among the operator's inputs.
    pub input: usize,
    /// Lowest and highest value, both included, that callers promise for elements of this input.
    pub bounds: [f64; 2],
}

/// An input that lies along a dimension of the others if it has one dimension.
///
/// For example, weights of shape `[c]`, one for each channel of an input of shape `[n, c, h, w]`, lie along dimension 1: they are
/// broadcast as if their shape were `[c, 1, 1]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Along {
    /// Index among the operator's inputs.
    pub input: usize,
    /// Dimension of the iteration domain, counted from the outermost.
    pub dim: usize,
}

/// An output that has the shape of an input, and sums the results of all elements that share an element of it.
///
/// For example, the gradient with respect to `b` in `x + b`, with `x` of shape `[m, n]` and `b` of shape `[n]`, is a sum over `m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// Index among the operator's outputs.
    pub output: usize,
    /// Index among the operator's inputs.
    pub input: usize,
}

/// Correspondence between the tensors of a gradient operator and those of its forward operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GradOf {
    /// The forward operator's name.
    pub forward: Text,
    /// For each input of the gradient operator, the forward tensor or upstream gradient that it holds.
    pub inputs: List<Origin>,
    /// For each output tensor of the gradient operator, the index of the forward input it belongs to.
    ///
    /// The output is the gradient with respect to that input. The list is empty if a hand-written gradient does not
    /// state the inputs.
    pub wrt: List<usize>,
}

/// The tensor that an input of a gradient operator holds; indices are those of the forward operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The upstream gradient of the forward output with this index.
    Upstream(usize),
    /// The forward input with this index.
    Input(usize),
    /// The value of the forward output with this index.
    Output(usize),
    /// A tensor that the forward operator does not have: an optional input that saves work.
    Own,
}

impl Origin {
    /// Returns the kind of tensor in a word, and its index.
    pub const fn named(self) -> (&'static str, usize) {
        match self {
            Origin::Upstream(i) => ("upstream", i),
            Origin::Input(i) => ("input", i),
            Origin::Output(i) => ("output", i),
            Origin::Own => ("own", 0),
        }
    }
}

impl OpDef {
    /// Returns the operator with its tensors renamed to the names in its published definition.
    pub fn renamed(&self, definition: &Definition) -> Cow<'_, OpDef> {
        if definition.inputs.is_empty() && definition.outputs.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut renamed = self.clone();
        let inputs = renamed.inputs.to_mut().iter_mut().zip(definition.inputs);
        let outputs = renamed.outputs.to_mut().iter_mut().zip(definition.outputs);
        for (tensor, name) in inputs.chain(outputs) {
            tensor.name = Text::Borrowed(name);
        }
        Cow::Owned(renamed)
    }

    /// Returns the input streams in the order that graphs number them: tensors in order, gate before value.
    pub fn input_streams(&self) -> Vec<Stream> {
        streams(&self.inputs)
    }

    /// Returns the output streams in the order of a graph's outputs.
    pub fn output_streams(&self) -> Vec<Stream> {
        streams(&self.outputs)
    }

    /// Returns the names of the input streams, for example `dy`, `x.gate`, `x.value`, `gelu`.
    pub fn input_names(&self) -> Vec<String> {
        names(&self.inputs)
    }

    /// Returns the names of the output streams, for example `dx.gate`, `dx.value`.
    pub fn output_names(&self) -> Vec<String> {
        names(&self.outputs)
    }

    /// Returns the attributes that callers pass: all but the flags that say which inputs are given.
    pub fn passed(&self) -> &[Attr] {
        let is_passed = |a: &&Attr| !matches!(a.kind, AttrKind::Given(_));
        &self.attrs[..self.attrs.iter().take_while(is_passed).count()]
    }

    /// Returns the index of the flag that says whether an optional input is given.
    ///
    /// Returns `None` if the input is not optional.
    pub fn presence(&self, input: usize) -> Option<usize> {
        self.attrs.iter().position(|a| a.kind == AttrKind::Given(input))
    }

    /// Returns the type that an output always has; `None` if it has the element type of the call.
    pub fn result_type(&self, output: usize) -> Option<Stored> {
        match self.outputs[output].kind {
            Kind::Mask => Some(Stored::Byte),
            _ => self.outputs[output].own,
        }
    }

    /// Returns, for each stream, the type of its own that kernels convert from or to, inputs before outputs.
    ///
    /// An output that is a sum, or has one number per row, differs, because kernels write a term of it for each element. Terms have
    /// the element type of the call. They are f32 if the output is f32, and in operators with row functions, whose kernels read f32
    /// anyway.
    pub fn own_types(&self) -> impl Iterator<Item = Option<Stored>> {
        let inputs = self.inputs.iter().map(|t| (t.kind, t.own));
        let outputs = self.outputs.iter().enumerate().map(|(k, t)| {
            let own = self.result_type(k);
            match self.is_reduced(k) {
                true if self.has_row_functions() => (t.kind, Some(DType::F32.into())),
                true => (t.kind, own.filter(|own| *own == DType::F32)),
                false => (t.kind, own),
            }
        });
        let parts = |(kind, own): (Kind, _)| kind.parts().iter().map(move |_| own);
        inputs.chain(outputs).flat_map(parts)
    }

    /// Returns whether outputs decide the element type of a call, because every input has a type of its own.
    pub fn outputs_decide(&self) -> bool {
        let is_plain = |t: &Tensor| t.kind.is_numbers() && t.own.is_none();
        !self.inputs.iter().any(is_plain)
    }

    /// Returns whether some tensor has numbers of a type of its own, so that 16-bit kernels need the accuracy of f32.
    pub fn is_mixed(&self) -> bool {
        let mut all = self.inputs.iter().chain(&*self.outputs);
        all.any(|tensor| tensor.own.is_some_and(|own| own != Stored::Byte))
    }

    /// Returns whether an input stream reads a mask, a tensor of booleans.
    pub fn is_mask(&self, stream: usize) -> bool {
        self.input_streams().get(stream).is_some_and(|s| self.inputs[s.tensor].kind == Kind::Mask)
    }

    /// Returns the storage type of the operator's masks in emitted packages: as published, else bytes.
    pub fn masks(&self) -> Stored {
        self.published.map_or(Stored::Byte, |p| p.masks)
    }

    /// Returns the index of the input that holds row counts; `None` if there is none.
    pub fn rows(&self) -> Option<usize> {
        self.inputs.iter().position(|t| t.kind == Kind::Rows)
    }

    /// Returns the inputs that hold data per element: all but the row counts, which come last.
    pub fn laid_out(&self) -> &[Tensor] {
        &self.inputs[..self.rows().unwrap_or(self.inputs.len())]
    }

    /// Returns the input whose shape an output has because it is a sum; `None` for every other output.
    pub fn sum(&self, output: usize) -> Option<usize> {
        self.sums.iter().find(|sum| sum.output == output).map(|sum| sum.input)
    }

    /// Returns the tensors with one number per row, inputs before outputs.
    pub fn per_row(&self) -> impl Iterator<Item = &Tensor> {
        self.inputs.iter().chain(&*self.outputs).filter(|t| t.kind == Kind::PerRow)
    }

    /// Returns whether NPU kernels take whole rows: for row functions, and for tensors with one number per row.
    pub fn is_by_rows(&self) -> bool {
        self.has_row_functions() || self.per_row().next().is_some()
    }

    /// Returns whether an output has fewer elements than kernels write terms of it: a sum, or one number per row.
    pub fn is_reduced(&self, output: usize) -> bool {
        self.outputs[output].kind == Kind::PerRow || self.sum(output).is_some()
    }

    /// Returns the dimension that an input lies along if it has one dimension; `None` if it is aligned at the innermost.
    #[inline]
    pub fn along(&self, input: usize) -> Option<usize> {
        self.along.iter().find(|along| along.input == input).map(|along| along.dim)
    }

    /// Returns whether calls on CPUs may be on tensors of f64: where they may be on f32.
    ///
    /// Operators with row functions, or with results that are floats of a type of their own, have none.
    pub fn takes_f64(&self) -> bool {
        let is_float = |tensor: &Tensor| matches!(tensor.own, Some(Stored::Number(_)));
        let is_exact = !self.has_row_functions() && !self.outputs.iter().any(is_float);
        self.dtypes.contains(&DType::F32) && is_exact
    }

    /// Returns the names of the element types that calls on CPUs may have, for messages.
    pub fn element_names(&self) -> String {
        let f64 = self.takes_f64().then(|| Stored::Float64.name());
        let all: Vec<&str> = self.dtypes.iter().map(|dtype| dtype.name()).chain(f64).collect();
        all.join(", ")
    }

    /// Returns the value range that callers promise for an input; `None` if they promise none.
    pub fn range(&self, input: usize) -> Option<[f64; 2]> {
        self.ranges.iter().find(|r| r.input == input).map(|r| r.bounds)
    }

    /// Returns the value range that callers promise for each input stream; `None` where they promise none.
    pub fn stream_ranges(&self) -> Vec<Option<[f64; 2]>> {
        self.input_streams().iter().map(|s| self.range(s.tensor)).collect()
    }

    /// Returns the names of the run-time scalars (numeric attributes) in the order that graphs number them.
    pub fn scalar_names(&self) -> Vec<String> {
        let scalars = self.attrs.iter().filter(|a| a.kind.is_scalar());
        scalars.map(|a| a.name.to_string()).collect()
    }

    /// Returns the values of the numeric attributes among these, rounded to f32 as in kernels.
    pub fn scalars(&self, attrs: &[Value]) -> Vec<f64> {
        let scalars = self.attrs.iter().zip(attrs).filter_map(|(attr, value)| attr.scalar(*value));
        scalars.map(f64::from).collect()
    }

    /// Returns the name of the forward operator; `None` if this operator is no gradient.
    pub fn forward(&self) -> Option<&str> {
        self.grad_of.as_ref().map(|of| &*of.forward)
    }

    /// Returns the operator's name by CANN's [`snake`] rule.
    pub fn snake(&self) -> String {
        snake(&self.name)
    }
}

/// Converts a name to snake case by CANN's rule.
///
/// A `_` comes before each capital that follows a lower-case letter or a digit, or that stands between a capital and
/// a lower-case letter. For example, `GeGluGradV2` becomes `ge_glu_grad_v2` and `GeLUBackward` becomes
/// `ge_lu_backward`.
pub fn snake(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (i, &c) in chars.iter().enumerate() {
        let previous = i.checked_sub(1).map(|i| chars[i]);
        let begins_word = previous.is_some_and(|p| {
            let next_is_lower = chars.get(i + 1).is_some_and(char::is_ascii_lowercase);
            !p.is_ascii_uppercase() || next_is_lower
        });
        if c.is_ascii_uppercase() && begins_word {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn streams(tensors: &[Tensor]) -> Vec<Stream> {
    let of = |(tensor, t): (usize, &Tensor)| {
        t.kind.parts().iter().map(move |&part| Stream { tensor, part }).collect::<Vec<_>>()
    };
    tensors.iter().enumerate().flat_map(of).collect()
}

fn names(tensors: &[Tensor]) -> Vec<String> {
    let of = |s: Stream| {
        let name = &tensors[s.tensor].name;
        match s.part {
            Part::Whole => name.to_string(),
            Part::Gate => format!("{name}.gate"),
            Part::Value => format!("{name}.value"),
        }
    };
    streams(tensors).into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn snake_rule() {
        for (name, want) in [
            ("GeGluGradV2", "ge_glu_grad_v2"),
            ("SwiGluGrad", "swi_glu_grad"),
            ("GeluGradV2", "gelu_grad_v2"),
            ("GeLUBackward", "ge_lu_backward"),
            ("Conv2DCustom", "conv2_d_custom"),
        ] {
            assert_eq!(super::snake(name), want);
        }
    }
}
