//! What an operator is: its tensors, attributes, split and specialised graphs.
//!
//! One set of types serves both sides: the macro builds them, prints them as constants, and the
//! expansion holds them as `'static` data. So emission, `explain` and the oracle read exactly what
//! the CPU kernel was lowered from.

pub use crate::list::{List, Text};
use crate::published::Published;
pub use crate::value::Value;
use crate::wiring::Wiring;
use crate::{DType, Graph, Stored};

/// One operator.
#[derive(Clone, Debug, PartialEq)]
pub struct OpDef {
    /// CANN's name: `GeGluGradV2`.
    pub name: Text,
    /// The author's doc comment.
    pub doc: Text,
    /// Where it was written: `ops_glu_grad::glu::ge_glu`.
    pub source: Text,
    /// The author's formula, as written.
    pub formula: Text,
    /// Input tensors in the order of the signature.
    pub inputs: List<Tensor>,
    /// Output tensors in the order of the signature.
    pub outputs: List<Tensor>,
    /// Attributes in the order of the signature; then [one](AttrKind::Given) for each optional input.
    pub attrs: List<Attr>,
    /// How gated tensors are cut in two; `None` when no tensor is.
    pub split: Option<Split>,
    /// Element types that every tensor may have.
    pub dtypes: List<DType>,
    /// Inputs whose elements callers promise to lie between two numbers.
    pub ranges: List<Range>,
    /// Inputs are broadcast against each other by NumPy's rule; else their shapes must be equal.
    pub broadcast: bool,
    /// Inputs that are never broadcast: they have the shape of the outputs.
    pub wide: List<usize>,
    /// Inputs may differ in element type; outputs have the promoted one.
    pub promote: bool,
    /// Tensors without elements are fine (and do nothing); else they are an error.
    pub empty: bool,
    /// One graph per combination of the attributes that the formula branches on.
    pub specs: List<Spec>,
    /// What a gradient is the gradient of.
    pub grad_of: Option<GradOf>,
    /// What documents have published of it.
    pub published: Option<&'static Published>,
}

/// Between which numbers the elements of an input lie. What is computed of others is less accurate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Index among the operator's inputs.
    pub input: usize,
    /// The least and the greatest.
    pub bounds: [f64; 2],
}

/// How a gradient belongs to its forward operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GradOf {
    /// The forward operator's name.
    pub forward: Text,
    /// What each input tensor of the gradient holds.
    pub inputs: List<Origin>,
    /// The input of the forward operator that each output tensor is the gradient of; empty where
    /// a gradient written by hand does not tell.
    pub wrt: List<usize>,
}

/// What an input of a gradient holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The gradient of this output of the forward operator, which comes from above.
    Upstream(usize),
    /// This input of the forward operator.
    Input(usize),
    /// The value of this output of the forward operator.
    Output(usize),
    /// Nothing of the forward operator's: an optional input that spares the gradient some work.
    Own,
}

/// A tensor of an operator's signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// CANN's name: `dy`.
    pub name: Text,
    /// What it has for each element of the formula.
    pub kind: Kind,
    /// Whether any result depends on it. An unused input is still checked.
    pub used: bool,
}

/// What a tensor has for each element of the formula: its shape and what may be stored in it follow from
/// this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Whole,
    /// Two numbers: a gate and a value. The split dimension is twice as long.
    Gated,
    /// A truth value. Its stream is 0 or 1, and formulas only ask whether it is 0. Inputs alone are
    /// masks.
    Mask,
    /// Nothing: the sum of its integers is how many rows are computed, of those that the dimensions before the
    /// split dimension make; the others are zeros. An operator has one at most, the last of its inputs.
    Rows,
}

impl Kind {
    /// The parts that are streams of their own, in the order that graphs number them.
    pub const fn parts(self) -> &'static [Part] {
        match self {
            Kind::Whole | Kind::Mask => &[Part::Whole],
            Kind::Gated => &[Part::Gate, Part::Value],
            Kind::Rows => &[],
        }
    }

    /// What is stored in a tensor of this kind beside numbers of this type, where nothing says otherwise:
    /// bytes for a mask, integers for counts.
    pub const fn stored(self, dtype: DType) -> Stored {
        match self {
            Kind::Whole | Kind::Gated => Stored::Number(dtype),
            Kind::Mask => Stored::Byte,
            Kind::Rows => Stored::Int64,
        }
    }
}

/// How gated tensors are cut in two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Index of the attribute that holds the dimension.
    pub dim: usize,
    /// Which part is the gate.
    pub gate: Gate,
    /// Halves, or alternating elements.
    pub pattern: Pattern,
}

/// Which of the two parts of a gated tensor is the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The first half (even elements).
    Left,
    /// The second half (odd elements).
    Right,
    /// The first if the boolean attribute with this index is true, else the second.
    LeftIf(usize),
}

/// How the two parts of a gated tensor lie along the split dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `[a a a b b b]`
    Halves,
    /// `[a b a b a b]`
    Interleaved,
    /// The second if the boolean attribute with this index is true, else the first.
    InterleavedIf(usize),
}

/// An attribute: a parameter that is the same for every element.
#[derive(Clone, Debug, PartialEq)]
pub struct Attr {
    /// CANN's name: `approximate`.
    pub name: Text,
    /// Its type and allowed values.
    pub kind: AttrKind,
    /// The value when the caller gives none.
    pub default: Value,
    /// Whether a float may be NaN or infinite.
    pub any: bool,
}

/// The type of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttrKind {
    /// A dimension in `[-rank, rank - 1]`.
    Dim,
    /// True or false.
    Bool,
    /// An integer: a run-time scalar of the formula, as the nearest number of f32.
    Int,
    /// A run-time scalar of the formula.
    Float,
    /// Whether a call gives the optional input with this index. No caller says so: the inputs do.
    Given(usize),
    /// One of a few named values.
    Enum {
        /// Name of the Rust type: `Approximate`.
        ty: Text,
        /// Whether CANN passes the name (a string) instead of the number.
        wire_str: bool,
        /// The allowed values.
        variants: List<Variant>,
    },
}

impl AttrKind {
    /// Whether graphs have it as a run-time scalar.
    pub fn is_scalar(&self) -> bool {
        matches!(self, AttrKind::Int | AttrKind::Float)
    }
}

impl Attr {
    /// The run-time scalar that a value is: an integer beyond 2^24 is the nearest number of f32.
    pub fn scalar(&self, value: Value) -> Option<f32> {
        match (&self.kind, value) {
            (AttrKind::Float, Value::Float(v)) => Some(v as f32),
            (AttrKind::Int, Value::Int(n)) => Some(n as f32),
            _ => None,
        }
    }
}

/// One value of an enum attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Rust name: `Tanh`.
    pub ident: Text,
    /// Name on the wire and on the command line: `tanh`.
    pub name: Text,
    /// Number on the wire.
    pub value: i64,
}

/// The formula for one combination of the attributes it branches on.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// `(attribute index, value)` for each attribute it was specialised on.
    pub when: List<(usize, i64)>,
    /// As written (or as differentiated), before any other pass.
    pub traced: Graph,
    /// After all target-independent passes: what every back end lowers.
    pub graph: Graph,
    /// The same for a back end that has f64, where f32 is not accurate enough or not as fast as tables.
    pub wide: Option<Wide>,
    /// What it is the derivative of; `None` for a formula of the author's own.
    pub derived: Option<Derived>,
}

/// A formula to be evaluated in f64 and rounded once.
#[derive(Clone, Debug, PartialEq)]
pub struct Wide {
    /// Its graph. No order of factors is kept for f32's sake: nothing overflows in f64.
    pub graph: Graph,
    /// Whether f32 needs it. If not, it is for tables of functions alone, which take less time than f32 does.
    pub single: bool,
    /// Whether 16-bit types need it as well: they have digits to spare in f32.
    pub halves: bool,
}

/// The formula that a gradient was derived from: what its results are judged by.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// As the author wrote it, before any pass.
    pub forward: Graph,
    /// From there to the gradient: one step, and for the gradient of a gradient two.
    pub steps: List<Wiring>,
}

/// One input or output stream of a graph: a tensor, or one part of a gated one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Index among the operator's inputs, or outputs.
    pub tensor: usize,
    /// Which part.
    pub part: Part,
}

/// Which elements of a tensor a stream reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of them.
    Whole,
    /// Those of the gate.
    Gate,
    /// Those of the value.
    Value,
}

impl Spec {
    /// A formula that branches on no attribute, lowered as it stands.
    pub fn of(graph: Graph) -> Spec {
        let when = List::Borrowed(&[][..]);
        Spec { when, traced: graph.clone(), graph, wide: None, derived: None }
    }

    /// Sets the input streams of a gradient that hold saved values to what its forward formula makes of the
    /// other streams; not, where it would need one that the gradient does not have.
    pub fn restore(&self, streams: &mut [f64], scalars: &[f64]) {
        let Some(Derived { forward, steps }) = &self.derived else { return };
        let [wiring] = &**steps else { return };
        let held = |at: &Option<usize>| at.map_or(f64::NAN, |at| streams[at]);
        let inputs: Vec<f64> = wiring.inputs.iter().map(held).collect();
        for (value, at) in forward.eval(&inputs, scalars).into_iter().zip(wiring.saved.iter()) {
            if let (Some(at), false) = (*at, value.is_nan()) {
                streams[at] = value;
            }
        }
    }
}

impl OpDef {
    /// Input streams in the order that graphs number them: tensors in order, gate before value.
    pub fn input_streams(&self) -> Vec<Stream> {
        streams(&self.inputs)
    }

    /// Output streams in the order of a graph's outputs.
    pub fn output_streams(&self) -> Vec<Stream> {
        streams(&self.outputs)
    }

    /// Names of the input streams: `dy`, `x.gate`, `x.value`, `gelu`.
    pub fn input_names(&self) -> Vec<String> {
        names(&self.inputs)
    }

    /// Names of the output streams: `dx.gate`, `dx.value`.
    pub fn output_names(&self) -> Vec<String> {
        names(&self.outputs)
    }

    /// The attributes that callers pass.
    pub fn passed(&self) -> &[Attr] {
        let is_passed = |a: &&Attr| !matches!(a.kind, AttrKind::Given(_));
        &self.attrs[..self.attrs.iter().take_while(is_passed).count()]
    }

    /// Index of the attribute that says whether an input is given; `None` of those that always are.
    pub fn presence(&self, input: usize) -> Option<usize> {
        self.attrs.iter().position(|a| a.kind == AttrKind::Given(input))
    }

    /// Whether an input stream is one of truth values.
    pub fn is_mask(&self, stream: usize) -> bool {
        self.input_streams().get(stream).is_some_and(|s| self.inputs[s.tensor].kind == Kind::Mask)
    }

    /// What a package wants its masks to be stored as: as published, else bytes.
    pub fn masks(&self) -> Stored {
        self.published.map_or(Stored::Byte, |p| p.masks)
    }

    /// The input that says how many rows are computed.
    pub fn rows(&self) -> Option<usize> {
        self.inputs.iter().position(|t| t.kind == Kind::Rows)
    }

    /// The inputs that lie over the domain: all but the counts of rows, which come last.
    pub fn laid_out(&self) -> &[Tensor] {
        &self.inputs[..self.rows().unwrap_or(self.inputs.len())]
    }

    /// Between which numbers the elements of an input lie, if callers promise that.
    pub fn range(&self, input: usize) -> Option<[f64; 2]> {
        self.ranges.iter().find(|r| r.input == input).map(|r| r.bounds)
    }

    /// The same of every input stream.
    pub fn stream_ranges(&self) -> Vec<Option<[f64; 2]>> {
        self.input_streams().iter().map(|s| self.range(s.tensor)).collect()
    }

    /// Names of the run-time scalars, in the order that graphs number them.
    pub fn scalar_names(&self) -> Vec<String> {
        let scalars = self.attrs.iter().filter(|a| a.kind.is_scalar());
        scalars.map(|a| a.name.to_string()).collect()
    }

    /// The run-time scalars of a call with these attributes, as kernels have them.
    pub fn scalars(&self, attrs: &[Value]) -> Vec<f64> {
        let scalars = self.attrs.iter().zip(attrs).filter_map(|(attr, value)| attr.scalar(*value));
        scalars.map(f64::from).collect()
    }

    /// The forward operator of a gradient.
    pub fn forward(&self) -> Option<&str> {
        self.grad_of.as_ref().map(|of| &*of.forward)
    }

    /// The operator's name by CANN's [`snake`] rule.
    pub fn snake(&self) -> String {
        snake(&self.name)
    }
}

/// CANN's snake rule: a `_` before each capital that follows a lower-case letter or a digit, or
/// that stands between a capital and a lower-case letter.
/// `GeGluGradV2 -> ge_glu_grad_v2`, `GeLUBackward -> ge_lu_backward`.
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
