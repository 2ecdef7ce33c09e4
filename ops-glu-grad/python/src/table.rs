//! An operator as Python sees it.

use crate::call;
use crate::element::name;
use crate::place::Place;
use op_dsl::derivative;
use op_dsl::ir::Stored;
use op_dsl::ir::op::{self, AttrKind, Pattern, Value};
use pyo3::prelude::*;

/// An operator of the table.
#[pyclass(frozen, module = "ops_glu_grad._core")]
pub struct Operator(pub &'static op_dsl::Operator);

/// A tensor of an operator's signature.
#[pyclass(frozen, get_all)]
struct Tensor {
    name: String,
    /// Kind of the tensor: `whole`, `gated`, `mask` or `rows`.
    ///
    /// A `gated` tensor has two parts along one dimension, a `mask` has booleans, and `rows` has row counts.
    kind: &'static str,
    /// Element type that the tensor always has; `None` if it has that of the call.
    own: Option<&'static str>,
    /// Whether a call may omit the tensor.
    optional: bool,
    /// Whether any result depends on the tensor.
    used: bool,
    /// Index of the input that an output has the shape of, because it is a sum over what that input is broadcast along.
    like: Option<usize>,
    /// Dimension that an input of one dimension lies along; `None` if it is aligned at the innermost.
    along: Option<usize>,
}

/// An attribute of an operator.
#[pyclass(frozen, get_all)]
struct Attribute {
    name: String,
    /// Type of the attribute in Python and PyTorch: `int`, `bool`, `float` or `str`.
    kind: &'static str,
    default: Py<PyAny>,
    /// Names of the allowed values of a `str` attribute; empty for other attributes.
    choices: Vec<String>,
}

/// How another operator is an operator's derivative.
#[pyclass(frozen, get_all)]
struct Derivative {
    /// Name of the gradient operator.
    gradient: String,
    /// For each input of the gradient operator, the kind and index of the tensor to pass.
    ///
    /// The kinds are `upstream`, `input` and `output`; `own` stands for an input that is left out.
    holds: Vec<(&'static str, usize)>,
    /// For each output of the gradient operator, the index of the forward input it is the gradient of.
    wrt: Vec<usize>,
    /// Indices of forward inputs that results depend on, but that the gradient operator has no output for.
    unknown: Vec<usize>,
    /// For each attribute of the gradient operator, the index of the forward attribute of the same name.
    ///
    /// `None` if the forward operator has no such attribute.
    passed: Vec<Option<usize>>,
    /// Indices of forward attributes that the gradient operator lacks.
    ///
    /// The gradient is right only if these have their default values.
    fixed: Vec<usize>,
}

/// Converts the default of an attribute to Python; an enum's value becomes the name of its variant.
fn default(py: Python<'_>, attr: &op::Attr) -> PyResult<Py<PyAny>> {
    Ok(match (&attr.kind, attr.default) {
        (kind @ AttrKind::Enum { .. }, Value::Int(v)) => {
            kind.variant(v).map(|variant| &*variant.name).into_pyobject(py)?.unbind()
        }
        (_, Value::Int(v)) => v.into_pyobject(py)?.into_any().unbind(),
        (_, Value::Bool(v)) => v.into_pyobject(py)?.to_owned().into_any().unbind(),
        (_, Value::Float(v)) => v.into_pyobject(py)?.into_any().unbind(),
    })
}

fn attribute(py: Python<'_>, attr: &op::Attr) -> PyResult<Attribute> {
    let choices = match &attr.kind {
        AttrKind::Enum { variants, .. } => variants.iter().map(|v| v.name.to_string()).collect(),
        _ => Vec::new(),
    };
    let kind = match &attr.kind {
        AttrKind::Dim | AttrKind::Int => "int",
        AttrKind::Bool | AttrKind::Given(_) => "bool",
        AttrKind::Float => "float",
        AttrKind::Enum { .. } => "str",
    };
    Ok(Attribute { name: attr.name.to_string(), kind, default: default(py, attr)?, choices })
}

fn tensor(tensor: &op::Tensor) -> Tensor {
    let name = tensor.name.to_string();
    let own = tensor.own.map(crate::element::name);
    let (kind, used) = (tensor.kind.name(), tensor.used);
    Tensor { name, kind, own, optional: false, used, like: None, along: None }
}

#[pymethods]
impl Operator {
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Its name, as Python writes names of functions.
    #[getter]
    fn snake(&self) -> String {
        self.0.def().snake()
    }

    #[getter]
    fn doc(&self) -> &'static str {
        &self.0.def().doc
    }

    #[getter]
    fn inputs(&self) -> Vec<Tensor> {
        let def = self.0.def();
        let of = |(i, t)| Tensor {
            optional: def.presence(i).is_some(),
            along: def.along(i),
            ..tensor(t)
        };
        def.inputs.iter().enumerate().map(of).collect()
    }

    #[getter]
    fn outputs(&self) -> Vec<Tensor> {
        let def = self.0.def();
        let of = |(k, t)| Tensor { like: def.sum(k), ..tensor(t) };
        def.outputs.iter().enumerate().map(of).collect()
    }

    #[getter]
    fn attributes(&self, py: Python<'_>) -> PyResult<Vec<Attribute>> {
        self.0.def().passed().iter().map(|a| attribute(py, a)).collect()
    }

    /// Element types of numbers.
    #[getter]
    fn dtypes(&self) -> Vec<&'static str> {
        let def = self.0.def();
        let f64 = def.takes_f64().then_some(Stored::Float64);
        def.dtypes.iter().map(|d| name(*d)).chain(f64.map(name)).collect()
    }

    /// Index of the attribute with the dimension that gated tensors are cut along.
    #[getter]
    fn dim(&self) -> Option<usize> {
        self.0.def().split.as_ref().map(|split| split.dim)
    }

    /// Whether the parts of gated tensors are alternating elements in a call with these attributes, rather than halves.
    fn interleaved(&self, attributes: Vec<Bound<'_, PyAny>>) -> PyResult<bool> {
        match self.0.def().split.as_ref().map(|split| split.pattern) {
            Some(Pattern::Interleaved) => Ok(true),
            Some(Pattern::InterleavedIf(i)) => attributes[i].extract(),
            Some(Pattern::Halves) | None => Ok(false),
        }
    }

    /// For each output, the index of the input that it is the new value of; empty if outputs replace no inputs.
    #[getter]
    fn updates(&self) -> Vec<usize> {
        self.0.def().updates.to_vec()
    }

    /// Whether inputs are broadcast against each other.
    #[getter]
    fn broadcast(&self) -> bool {
        self.0.def().broadcast
    }

    /// The operator that it is a gradient of.
    #[getter]
    fn forward(&self) -> Option<&str> {
        self.0.def().forward()
    }

    #[getter]
    fn derivative(&self) -> Option<Derivative> {
        let found = derivative::Derivative::of(self.0, ops_glu_grad::OPERATORS)?;
        Some(Derivative {
            gradient: found.gradient.name().into(),
            holds: found.holds.iter().map(|origin| origin.named()).collect(),
            passed: found.passed.clone(),
            fixed: found.fixed.iter().map(|(i, _)| *i).collect(),
            wrt: found.wrt.clone(),
            unknown: found.unknown.clone(),
        })
    }

    /// Shape and element type of each output, for inputs of these; `None` for one that is left out.
    fn infer(
        &self,
        attributes: Vec<Bound<'_, PyAny>>,
        inputs: Vec<Option<(Vec<usize>, String)>>,
    ) -> PyResult<Vec<(Vec<usize>, &'static str)>> {
        call::infer(self.0, &attributes, &inputs)
    }

    /// Computes the outputs from the inputs, each of them described by its [place](Place). The memory that is
    /// described has to be there, and nobody else's to write, until this returns.
    fn run(
        &self,
        py: Python<'_>,
        attributes: Vec<Bound<'_, PyAny>>,
        inputs: Vec<Option<Place>>,
        outputs: Vec<Place>,
        threads: usize,
        fresh: bool,
    ) -> PyResult<()> {
        call::run(py, self.0, &attributes, &inputs, &outputs, threads, fresh)
    }
}
