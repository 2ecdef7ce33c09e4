//! The four functions of an infiniop operator.

use super::codes::*;
use super::descriptor::{DESCRIPTORS, OperatorDescriptor, live};
use super::device::HANDLES;
use super::entry::Entry;
use super::tensor::{TENSORS, TensorDescriptor};
use crate::operand::{Operand, reply};
use crate::refusal::{Checked, refuse, status};
use crate::registry::Handle;
use codegen_cpu::rt::call::{Operator, Options};
use codegen_cpu::rt::view::{View, ViewMut};
use op_dsl_ir::bind::Shape;
use op_dsl_ir::op::{self, Kind};
use op_dsl_ir::{DType, Stored};
use std::ffi::c_void;
use std::sync::Arc;

/// Returns the operator's tensors in infiniop's order: outputs, then inputs.
fn tensors(operator: &Operator) -> impl Iterator<Item = &op::Tensor> {
    operator.def().outputs.iter().chain(operator.def().inputs.iter())
}

/// Implements `infiniopCreateXxxDescriptor`: checks the tensors' layouts and stores them.
///
/// # Safety
/// `desc_ptr` is null or may be written.
pub unsafe fn create(
    entry: &'static Entry,
    handle: Handle,
    desc_ptr: *mut Handle,
    tensors: &[Handle],
) -> i32 {
    status(INTERNAL_ERROR, || {
        let descriptor = check(entry, handle, desc_ptr.is_null(), tensors)?;
        // SAFETY: not null, since `check` refuses null, and the caller guarantees that it may be written.
        unsafe { desc_ptr.write(DESCRIPTORS.insert(descriptor)) };
        Ok(())
    })
}

fn check(
    entry: &'static Entry,
    handle: Handle,
    nowhere: bool,
    handles: &[Handle],
) -> Checked<OperatorDescriptor> {
    let operator = entry.operator()?;
    let wrong = |code, name: &str, what: String| {
        refuse(code, format!("infiniopCreate{}Descriptor: {name} {what}", entry.name))
    };
    let Some(device) = HANDLES.get(handle) else {
        return wrong(BAD_PARAM, "handle", "is not a live handle".into());
    };
    if device.kind != CPU {
        return wrong(DEVICE_TYPE_NOT_SUPPORTED, "handle", "is not of the CPU".into());
    }
    if nowhere {
        return wrong(BAD_PARAM, "desc_ptr", "is null".into());
    }
    let outputs = operator.def().outputs.len();
    // An optional input whose descriptor is null is left out.
    let may_be_null =
        |k: usize| k.checked_sub(outputs).is_some_and(|i| operator.def().presence(i).is_some());
    let mut given: Vec<(&str, &op::Tensor, Option<Arc<TensorDescriptor>>)> =
        Vec::with_capacity(handles.len());
    for (tensor, &handle) in tensors(operator).zip(handles) {
        match TENSORS.get(handle) {
            Some(described) => given.push((&tensor.name, tensor, Some(described))),
            None if handle.is_null() && may_be_null(given.len()) => {
                given.push((&tensor.name, tensor, None));
            }
            None => {
                let name = format!("{}_desc", tensor.name);
                return wrong(BAD_PARAM, &name, "is not a live tensor descriptor".into());
            }
        }
    }
    // The first tensor without a type of its own has the element type of the call.
    let is_plain = |t: &op::Tensor| t.own.is_none() && t.kind.is_numbers();
    let plain = given.iter().find(|(_, tensor, t)| is_plain(tensor) && t.is_some());
    let Some((first, of, Some(output))) = plain.or(given.first()) else {
        return wrong(INTERNAL_ERROR, "the operator", "has no tensors".into());
    };
    let element = dtype(output.dtype).or((!is_plain(of)).then_some(DType::F32));
    let Some(dtype) = element.filter(|t| operator.def().dtypes.contains(t)) else {
        let what = format!("has dtype {}; allowed: {}", output.dtype, dtypes());
        return wrong(BAD_TENSOR_DTYPE, first, what);
    };
    let mut types: Vec<Stored> = Vec::with_capacity(given.len());
    for (name, tensor, t) in &given {
        let Some(t) = t else {
            types.push(Stored::Nothing);
            continue;
        };
        if let Some(wanted) = tensor.own {
            match own(t.dtype).map(|stored| tensor.seen(stored)).filter(|own| *own == wanted) {
                Some(stored) => types.push(stored),
                None => {
                    let what = format!("has dtype {}; allowed: {wanted}", t.dtype);
                    return wrong(BAD_TENSOR_DTYPE, name, what);
                }
            }
            continue;
        }
        types.push(match (tensor.kind, truth(t.dtype)) {
            (Kind::Mask, Some(stored)) => stored,
            (kind, _) if kind.is_numbers() && t.dtype == output.dtype => dtype.into(),
            (Kind::Rows, _) => {
                let what = "counts rows, for which infiniop has no tensor".into();
                return wrong(BAD_PARAM, name, what);
            }
            (Kind::Mask, None) => {
                let what = format!("has dtype {}; allowed for a mask: BOOL, U8", t.dtype);
                return wrong(BAD_TENSOR_DTYPE, name, what);
            }
            _ => {
                let what = format!("has dtype {}, but {first} {}", t.dtype, output.dtype);
                return wrong(BAD_TENSOR_DTYPE, name, what);
            }
        });
    }
    // All shapes are equal, because infiniop's callers write a broadcast as a stride of 0.
    let mut shapes = given.iter().filter_map(|(name, _, t)| Some((name, t.as_ref()?)));
    if let Some((name, other)) = shapes.find(|(_, t)| t.shape != output.shape) {
        let what = format!("has shape {:?}, but {first} {:?}", other.shape, output.shape);
        return wrong(BAD_TENSOR_SHAPE, name, what);
    }
    if output.shape.elements().is_none() {
        let what = format!("of shape {:?} has more elements than addresses", output.shape);
        return wrong(BAD_TENSOR_SHAPE, first, what);
    }
    let mut operands = Vec::with_capacity(given.len());
    for (k, ((name, _, t), stored)) in given.iter().zip(types).enumerate() {
        let (shape, strides) =
            t.as_ref().map_or((Shape::SCALAR, &[][..]), |t| (t.shape, &t.strides));
        let operand = Operand::new(stored, shape, strides, 0);
        let Some(operand) = operand.filter(|o| o.span().is_ok()) else {
            let what = format!("overflows with strides {strides:?}");
            return wrong(BAD_TENSOR_STRIDES, name, what);
        };
        if k < outputs
            && let Err(why) = operand.writable()
        {
            return wrong(BAD_TENSOR_STRIDES, name, why.to_string());
        }
        operands.push(operand);
    }
    Ok(OperatorDescriptor { entry, operator, device: *device, operands })
}

/// Implements `infiniopGetXxxWorkspaceSize`: writes 0, since no operator needs a workspace.
///
/// # Safety
/// `size` is null or may be written.
pub unsafe fn workspace_size(entry: &'static Entry, desc: Handle, size: *mut usize) -> i32 {
    status(INTERNAL_ERROR, || {
        live(entry, desc)?;
        // SAFETY: the caller upholds the `# Safety` contract.
        unsafe { reply(BAD_PARAM, "size", size, 0) }
    })
}

/// Implements `infiniopXxx`: runs the operator, which is complete when the function returns.
///
/// # Safety
/// Each address (outputs before inputs) is null or that of the first element of a tensor as described; no other thread
/// uses memory that is written, and none writes memory that is read.
pub unsafe fn run(entry: &'static Entry, desc: Handle, addresses: &[*const c_void]) -> i32 {
    status(INTERNAL_ERROR, || {
        let name = entry.name;
        let descriptor = live(entry, desc)?;
        let operator = descriptor.operator;
        let split = operator.def().outputs.len();
        let wrong = |what: String| refuse(BAD_PARAM, format!("infiniop{name}: {what}"));
        let mut inputs = Vec::with_capacity(operator.def().inputs.len());
        let mut outputs = Vec::with_capacity(split);
        let all = tensors(operator).zip(&descriptor.operands).zip(addresses).enumerate();
        for (k, ((tensor, operand), address)) in all {
            let is_absent = operand.element == Stored::Nothing;
            if address.is_null() && !operand.is_empty() && !is_absent {
                return wrong(format!("{} is null", tensor.name));
            }
            let base = address.expose_provenance();
            let made = if k < split {
                // SAFETY: the caller upholds the `# Safety` contract.
                unsafe { operand.view_mut(base) }.map(|v: ViewMut<'_>| outputs.push(v))
            } else {
                // SAFETY: the caller upholds the `# Safety` contract.
                unsafe { operand.view(base) }.map(|v: View<'_>| inputs.push(v))
            };
            if let Err(why) = made {
                return wrong(why.to_string());
            }
        }
        let attrs = operator.default_attrs();
        match operator.run(&attrs, &inputs, &mut outputs, &Options::default()) {
            Ok(()) => Ok(()),
            Err(why) => wrong(why.to_string()),
        }
    })
}

/// Implements `infiniopDestroyXxxDescriptor`: destroys a descriptor; null is ignored.
pub fn destroy(entry: &'static Entry, desc: Handle) -> i32 {
    status(INTERNAL_ERROR, || {
        if desc.is_null() {
            return Ok(());
        }
        live(entry, desc)?;
        DESCRIPTORS.take(desc);
        Ok(())
    })
}
