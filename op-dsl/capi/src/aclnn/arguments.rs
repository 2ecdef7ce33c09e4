//! Arguments of one call, by the names of its signature.

use super::entry::{Entry, Resolved};
use crate::acl::{ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR};
use crate::acl::{AclScalar, AclTensor, SCALARS, TENSORS, dtype_name};
use crate::refusal::{Checked, Refusal, refuse};
use crate::registry::Handle;
use op_dsl_ir::Stored;
use op_dsl_ir::op::{AttrKind, Kind, Value};
use op_dsl_ir::published::{Negative, SignaturePart};
use std::ffi::{CStr, c_char};
use std::sync::Arc;

/// An argument of an aclnn function, as C passes it.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// `aclTensor*`
    Tensor(Handle),
    /// `int64_t`
    Int(i64),
    /// `bool`, which is true if any bit is set
    Bool(u8),
    /// `double`
    Double(f64),
    /// `char*`
    Chars(*const c_char),
    /// `aclScalar*`
    Scalar(Handle),
}

impl Argument {
    fn is_null(self) -> bool {
        match self {
            Argument::Tensor(p) | Argument::Scalar(p) => p.is_null(),
            Argument::Chars(p) => p.is_null(),
            _ => false,
        }
    }
}

/// An attribute as the caller passed it.
#[derive(Clone, Copy)]
enum RawAttr {
    /// An attribute passed by value.
    Here(Argument),
    /// An attribute passed as a handle of an `aclScalar`, with the number of that scalar.
    Scalar(AclScalar),
}

/// A tensor argument of a call.
pub struct Given<'a> {
    /// The argument's name.
    pub name: &'a str,
    /// The input or output of the operator that this tensor is passed for.
    pub of: SignaturePart,
    /// Description of the tensor by the caller; a placeholder for an optional tensor that is null.
    pub tensor: Arc<AclTensor>,
}

impl Given<'_> {
    /// Returns whether the argument is an input of the operator.
    pub fn is_input(&self) -> bool {
        matches!(self.of, SignaturePart::Input(_))
    }

    /// Returns the type that the tensor has on its own; `None` if it has the element type of the call.
    pub fn own(&self, call: &Call<'_>) -> Option<Stored> {
        let def = call.resolved.operator.def();
        match self.of {
            SignaturePart::Input(i) => def.inputs[i].own,
            SignaturePart::Output(i) => def.outputs[i].own,
            SignaturePart::Attr(_) | SignaturePart::Unused => None,
        }
    }

    /// Returns the kind of the tensor in the operator's signature: whole, gated, mask or row counts.
    pub fn kind(&self, call: &Call<'_>) -> Kind {
        let def = call.resolved.operator.def();
        match self.of {
            SignaturePart::Input(i) => def.inputs[i].kind,
            SignaturePart::Output(i) => def.outputs[i].kind,
            SignaturePart::Attr(_) | SignaturePart::Unused => Kind::Whole, // no tensors of the operator
        }
    }
}

/// Tensors and attributes of a call, after the check that no required one is null.
pub struct Call<'a> {
    /// The function's name.
    pub name: &'static str,
    /// The operator and its signature.
    pub resolved: &'a Resolved,
    /// Tensors in the order of the arguments.
    pub tensors: Vec<Given<'a>>,
    /// `(argument name, index of the operator's attribute, value)` in the order of the arguments.
    attrs: Vec<(&'a str, usize, RawAttr)>,
    /// Names of boolean arguments that are true.
    flags: Vec<&'a str>,
}

impl<'a> Call<'a> {
    /// Reads the arguments of a call to the function `entry`.
    ///
    /// # Errors
    /// Names the first required argument that is null, else the first that is no live tensor or scalar.
    pub fn read(
        entry: &Entry,
        resolved: &'a Resolved,
        arguments: &[Argument],
    ) -> Checked<Call<'a>> {
        let name = entry.name;
        let params = &resolved.signature.params;
        for (param, argument) in params.iter().zip(arguments) {
            if param.is_needed() && argument.is_null() {
                return refuse(ACLNN_ERR_PARAM_NULLPTR, format!("{name}: {} is null", param.name));
            }
        }
        let mut call = Call {
            name,
            resolved,
            tensors: Vec::with_capacity(params.len()),
            attrs: Vec::with_capacity(params.len()),
            flags: Vec::new(),
        };
        for (param, &argument) in params.iter().zip(arguments) {
            call.flags.extend(matches!(argument, Argument::Bool(1..)).then_some(&*param.name));
            match (param.of, argument) {
                (SignaturePart::Unused, _) => {}
                // A null optional attribute keeps its default.
                (SignaturePart::Attr(_), argument) if argument.is_null() => {}
                (SignaturePart::Attr(i), Argument::Scalar(handle)) => match SCALARS.get(handle) {
                    Some(scalar) => call.attrs.push((&param.name, i, RawAttr::Scalar(*scalar))),
                    None => return call.refuse(&param.name, "is not a live aclScalar"),
                },
                (SignaturePart::Attr(i), argument) => {
                    call.attrs.push((&param.name, i, RawAttr::Here(argument)));
                }
                (of @ SignaturePart::Input(_), argument) if argument.is_null() => {
                    let tensor = Arc::new(AclTensor::absent());
                    call.tensors.push(Given { name: &param.name, of, tensor });
                }
                (of, Argument::Tensor(handle)) => match TENSORS.get(handle) {
                    Some(tensor) => call.tensors.push(Given { name: &param.name, of, tensor }),
                    None => return call.refuse(&param.name, "is not a live aclTensor"),
                },
                _ => return call.refuse(&param.name, "must be a tensor"),
            }
        }
        Ok(call)
    }

    /// Returns an error that names this function and the argument, and says `what` is wrong.
    pub fn refuse<T>(&self, argument: &str, what: impl std::fmt::Display) -> Checked<T> {
        Err(self.refusal(argument, what))
    }

    /// Returns the error of [`Call::refuse`] as a [`Refusal`] instead of a `Result`.
    pub fn refusal(&self, argument: &str, what: impl std::fmt::Display) -> Refusal {
        let message = format!("{}: {argument} {what}", self.name);
        Refusal { code: ACLNN_ERR_PARAM_INVALID, message }
    }

    /// Returns the value of every attribute of the operator, and the first error in such an argument.
    ///
    /// A value is the argument's, else the one that this function fixes, else the default. An attribute with an
    /// invalid argument keeps its default. The caller reports the error only after checking the shapes, in the
    /// documented order.
    pub fn values(&self) -> (Vec<Value>, Checked<()>) {
        let def = self.resolved.operator.def();
        let mut values: Vec<Value> = def.attrs.iter().map(|a| a.default).collect();
        for &(attr, value) in &self.resolved.signature.fixed {
            values[attr] = value;
        }
        let mut checked = Ok(());
        for &(name, attr, told) in &self.attrs {
            let value = value(&def.attrs[attr].kind, told);
            match value.and_then(|value| self.not_negative(attr, value)) {
                Ok(value) => values[attr] = value,
                Err(what) => checked = checked.and_then(|()| self.refuse(name, what)),
            }
        }
        (values, checked)
    }

    /// Applies this function's rule for negative numbers to a valid value of attribute `attr`.
    ///
    /// The rule leaves a negative number as it is, replaces it by 0, or refuses it with a message.
    fn not_negative(&self, attr: usize, value: Value) -> Result<Value, String> {
        let rule = self.resolved.negative.iter().find(|rule| rule.0 == attr).map(|rule| rule.1);
        let (Some(rule), Value::Float(number @ ..0.0)) = (rule, value) else { return Ok(value) };
        match rule {
            Negative::Zero => Ok(Value::Float(0.0)),
            Negative::Refused => Err(format!("must not be negative, but is {number}")),
            Negative::RefusedIf(flag) if self.flags.contains(&flag) => {
                Err(format!("must not be negative where {flag} is true, but is {number}"))
            }
            Negative::RefusedIf(_) => Ok(value),
        }
    }

    /// Checks that every `aclScalar` among the arguments has a type that converts to float.
    pub fn scalars(&self) -> Checked<()> {
        for &(name, _, told) in &self.attrs {
            if let RawAttr::Scalar(AclScalar { dtype, value: None }) = told {
                let dtype = dtype_name(dtype);
                return self.refuse(name, format!("has dtype {dtype}; allowed: real numbers"));
            }
        }
        Ok(())
    }
}

/// Converts an argument to the value of an attribute of this kind, or says what is wrong with it.
fn value(kind: &AttrKind, told: RawAttr) -> Result<Value, String> {
    let argument = match told {
        RawAttr::Scalar(scalar) => Argument::Double(scalar.value.unwrap_or(f32::NAN).into()),
        RawAttr::Here(argument) => argument,
    };
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
            // SAFETY: not null, and the caller guarantees that strings are NUL-terminated.
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
