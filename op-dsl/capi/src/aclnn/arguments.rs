//! The arguments of one call, by the names of its signature.

use super::entry::{Entry, Resolved};
use crate::acl::{ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, AclTensor, TENSORS};
use crate::refusal::{Checked, Refusal, refuse};
use crate::registry::Handle;
use op_dsl_ir::op::{AttrKind, Value};
use op_dsl_ir::published::Of;
use std::ffi::{CStr, c_char};
use std::sync::Arc;

/// An argument as C passes it.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// `aclTensor*`
    Tensor(Handle),
    /// `int64_t`
    Int(i64),
    /// `bool`, of which any bit counts
    Bool(u8),
    /// `double`
    Double(f64),
    /// `char*`
    Chars(*const c_char),
}

/// A tensor of a call.
pub struct Given<'a> {
    /// The argument's name.
    pub name: &'a str,
    /// Which of the operator's tensors it is.
    pub of: Of,
    /// What the caller said of it.
    pub tensor: Arc<AclTensor>,
}

impl Given<'_> {
    /// Whether it is read.
    pub fn is_input(&self) -> bool {
        matches!(self.of, Of::Input(_))
    }
}

/// Tensors and attributes of a call, none of them null.
pub struct Call<'a> {
    /// The function's name.
    pub name: &'static str,
    /// The operator and its signature.
    pub resolved: &'a Resolved,
    /// Tensors in the order of the arguments.
    pub tensors: Vec<Given<'a>>,
    /// `(name, attribute, value)` in the order of the arguments.
    attrs: Vec<(&'a str, usize, Argument)>,
}

impl<'a> Call<'a> {
    /// Reads the arguments.
    ///
    /// # Errors
    /// The first that is null, else the first that is no tensor.
    pub fn read(
        entry: &Entry,
        resolved: &'a Resolved,
        arguments: &[Argument],
    ) -> Checked<Call<'a>> {
        let name = entry.name;
        let params = &resolved.signature.params;
        for (param, argument) in params.iter().zip(arguments) {
            if matches!(argument, Argument::Tensor(p) if p.is_null())
                || matches!(argument, Argument::Chars(p) if p.is_null())
            {
                return refuse(ACLNN_ERR_PARAM_NULLPTR, format!("{name}: {} is null", param.name));
            }
        }
        let (tensors, attrs) = (Vec::with_capacity(params.len()), Vec::with_capacity(params.len()));
        let mut call = Call { name, resolved, tensors, attrs };
        for (param, &argument) in params.iter().zip(arguments) {
            if let Of::Attr(i) = param.of {
                call.attrs.push((&param.name, i, argument));
                continue;
            }
            let Argument::Tensor(handle) = argument else {
                return call.refuse(&param.name, "must be a tensor");
            };
            let Some(tensor) = TENSORS.get(handle) else {
                return call.refuse(&param.name, "is not a live aclTensor");
            };
            call.tensors.push(Given { name: &param.name, of: param.of, tensor });
        }
        Ok(call)
    }

    /// An argument that is not allowed.
    pub fn refuse<T>(&self, argument: &str, what: impl std::fmt::Display) -> Checked<T> {
        Err(self.refusal(argument, what))
    }

    /// As [`Call::refuse`], not yet a result.
    pub fn refusal(&self, argument: &str, what: impl std::fmt::Display) -> Refusal {
        let message = format!("{}: {argument} {what}", self.name);
        Refusal { code: ACLNN_ERR_PARAM_INVALID, message }
    }

    /// Every attribute of the operator: given, fixed by the function's name, or its default. One that is
    /// given a value it cannot have keeps its default, and the first such is the refusal: it is
    /// for after the shapes.
    pub fn values(&self) -> (Vec<Value>, Checked<()>) {
        let def = self.resolved.operator.def();
        let mut values: Vec<Value> = def.attrs.iter().map(|a| a.default).collect();
        for &(attr, number) in &self.resolved.signature.fixed {
            values[attr] = match def.attrs[attr].kind {
                AttrKind::Bool => Value::Bool(number != 0),
                AttrKind::Float => Value::Float(number as f64),
                _ => Value::Int(number),
            };
        }
        let mut checked = Ok(());
        for &(name, attr, argument) in &self.attrs {
            match value(&def.attrs[attr].kind, argument) {
                Ok(value) => values[attr] = value,
                Err(what) => checked = checked.and_then(|()| self.refuse(name, what)),
            }
        }
        (values, checked)
    }
}

/// The value of an attribute, or what is wrong with it.
fn value(kind: &AttrKind, argument: Argument) -> Result<Value, String> {
    match (kind, argument) {
        (AttrKind::Enum { variants, .. }, Argument::Int(number)) => {
            if variants.iter().any(|v| v.value == number) {
                return Ok(Value::Int(number));
            }
            let known: Vec<String> =
                variants.iter().map(|v| format!("{} ({})", v.value, v.name)).collect();
            Err(format!("must be {}, but is {number}", known.join(" or ")))
        }
        (AttrKind::Enum { variants, .. }, Argument::Chars(text)) => {
            // SAFETY: not null, and C's strings end.
            let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
            let found = variants.iter().find(|v| v.name == text);
            let known = || variants.iter().map(|v| &*v.name).collect::<Vec<_>>().join(" or ");
            found
                .map(|v| Value::Int(v.value))
                .ok_or_else(|| format!("must be {}, but is {text:?}", known()))
        }
        (AttrKind::Dim | AttrKind::Int, Argument::Int(number)) => Ok(Value::Int(number)),
        (AttrKind::Bool, Argument::Bool(bits)) => Ok(Value::Bool(bits != 0)),
        (AttrKind::Float, Argument::Double(number)) => Ok(Value::Float(number)),
        _ => Err("is of another type".into()),
    }
}
