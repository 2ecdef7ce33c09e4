//! Checks of phase 1 once no argument is missing, in the documented order.
//!
//! The order is element types, formats, shapes with the dimension of a split, then layouts in memory. The rules of
//! shapes and their messages are the operator's own (`bind`).

use super::arguments::{Call, Given};
use crate::acl::{
    ACLNN_ERR_PARAM_INVALID, count, dtype_name, element, float_name, is_plain, own, own_names,
    truth,
};
use crate::element::Element;
use crate::operand::Operand;
use crate::refusal::{Checked, Refusal};
use op_dsl_ir::bind::{MAX_RANK, Shape, TensorMeta, bind, check_outputs};
use op_dsl_ir::op::{Kind, Tensor, Value};
use op_dsl_ir::published::{DTypes, Inputs, SignaturePart};
use op_dsl_ir::{DType, Stored};

/// Element types of a call's tensors.
pub struct Types {
    /// Element type of each tensor, in the order of the arguments.
    pub elements: Vec<Element>,
    /// Type that the inputs are promoted to, and that kernels compute in.
    pub computed: DType,
}

/// Returns the element types of a call.
///
/// Checks that outputs have the type that the inputs require.
pub fn types(call: &Call<'_>) -> Checked<Types> {
    let elements: Vec<Element> =
        call.tensors.iter().map(|given| taken(call, given)).collect::<Checked<_>>()?;
    let computed = promoted(call, &elements)?;
    let DTypes { inputs, cast } = call.resolved.dtypes;
    let fits = |element: &Element| match element {
        Element::Other(_) => true, // of a type of its own, which was checked
        element => *element == Element::Float(computed) || cast,
    };
    let mut outputs = call.tensors.iter().zip(&elements).filter(|(given, _)| !given.is_input());
    match outputs.find(|(_, element)| !fits(element)) {
        None => call.scalars().map(|()| Types { elements, computed }),
        Some((given, _)) => {
            let why = match inputs {
                Inputs::Same => "which the inputs have",
                _ => "to which the inputs are promoted",
            };
            other_type(call, given, &format!("{}, {why}", float_name(computed)))
        }
    }
}

/// Returns the type that all inputs are promoted to.
///
/// Two float types are promoted to one that can represent both. Integer inputs are cast to the type of the float inputs.
fn promoted(call: &Call<'_>, elements: &[Element]) -> Checked<DType> {
    let mut common: Option<DType> = None;
    let decides =
        |given: &Given<'_>| given.is_input() != call.resolved.operator.def().outputs_decide();
    for (given, element) in call.tensors.iter().zip(elements) {
        let (&Element::Float(own), true) = (element, decides(given)) else { continue };
        let before = *common.get_or_insert(own);
        if own != before && !call.resolved.dtypes.promotes() {
            let allowed = format!("{}, which the inputs before have", float_name(before));
            return other_type(call, given, &allowed);
        }
        common = Some(before.promote(own));
    }
    match (common, call.tensors.first()) {
        (Some(common), _) => Ok(common),
        (None, Some(given)) => other_type(call, given, "whole numbers beside a float type"),
        (None, None) => call.refuse("tensors", "are missing"),
    }
}

fn other_type<T>(call: &Call<'_>, given: &Given<'_>, allowed: &str) -> Checked<T> {
    let own = dtype_name(given.tensor.dtype);
    call.refuse(given.name, format!("has dtype {own}; allowed: {allowed}"))
}

/// Returns the element type of a tensor, or an error if the function does not take it.
fn taken(call: &Call<'_>, given: &Given<'_>) -> Checked<Element> {
    if given.tensor.is_absent() {
        return Ok(Element::Other(Stored::Nothing));
    }
    let code = given.tensor.dtype;
    let other = match given.kind(call) {
        Kind::Whole | Kind::Gated | Kind::PerRow => {
            given.own(call).map(|of| (own(code, of), own_names(of)))
        }
        Kind::Mask if !given.is_input() => Some((own(code, Stored::Byte), own_names(Stored::Byte))),
        Kind::Mask => Some((truth(code), "ACL_BOOL, ACL_UINT8, ACL_UINT1".into())),
        Kind::Rows => Some((count(code), "ACL_INT64".into())),
    };
    if let Some((stored, allowed)) = other {
        return stored.map_or_else(|| other_type(call, given, &allowed), |s| Ok(Element::Other(s)));
    }
    let floats = &call.resolved.operator.def().dtypes;
    let casts = given.is_input() && call.resolved.dtypes.inputs == Inputs::Numbers;
    let element = element(code).filter(|element| match element {
        Element::Float(dtype) => floats.contains(dtype),
        Element::Whole(_) => casts,
        Element::Other(_) => false,
    });
    let Some(element) = element else {
        let floats: Vec<String> = floats.iter().map(|&dtype| float_name(dtype)).collect();
        let whole = if casts { ", signed integers, ACL_UINT8, ACL_BOOL" } else { "" };
        return other_type(call, given, &(floats.join(", ") + whole));
    };
    Ok(element)
}

/// Checks that every tensor has an `aclFormat` in which shape and strides say where its elements are.
pub fn formats(call: &Call<'_>) -> Checked<()> {
    match call.tensors.iter().find(|g| !is_plain(g.tensor.format)) {
        Some(given) => {
            let format = given.tensor.format;
            call.refuse(given.name, format!("has aclFormat {format}; allowed: ACL_FORMAT_ND"))
        }
        None => Ok(()),
    }
}

/// Returns the shape of each tensor, after the check of the operator's rules for shapes.
pub fn shapes(call: &Call<'_>, attrs: &[Value], computed: DType) -> Checked<Vec<Shape>> {
    let shapes: Vec<Shape> =
        call.tensors.iter().map(|given| shape(call, given)).collect::<Checked<_>>()?;
    // Inputs that are cast have the computed type by the time the kernel runs.
    let meta = |of, tensor: &Tensor| {
        // A tensor that the function has no argument for counts as left out as well.
        let at = call.resolved.position(of).filter(|at| !call.tensors[*at].tensor.is_absent());
        let dtype = at.map_or(Stored::Nothing, |_| tensor.stored(computed));
        TensorMeta { shape: at.map_or(&[], |at| &shapes[at]), dtype }
    };
    let def = call.resolved.operator.def();
    let inputs = def.inputs.iter().enumerate();
    let inputs: Vec<_> = inputs.map(|(i, t)| meta(SignaturePart::Input(i), t)).collect();
    let outputs = def.outputs.iter().enumerate();
    let outputs: Vec<_> = outputs.map(|(i, t)| meta(SignaturePart::Output(i), t)).collect();
    match bind(def, attrs, &inputs)
        .and_then(|bound| check_outputs(def, &bound, &inputs, &outputs, false))
    {
        Ok(()) => Ok(shapes),
        Err(why) => Err(Refusal { code: ACLNN_ERR_PARAM_INVALID, message: why.to_string() }),
    }
}

fn shape(call: &Call<'_>, given: &Given<'_>) -> Checked<Shape> {
    let dims = &*given.tensor.view;
    let sizes: Option<Vec<usize>> = dims.iter().map(|&n| usize::try_from(n).ok()).collect();
    let Some(sizes) = sizes else {
        return call.refuse(given.name, format!("has a negative dimension: {dims:?}"));
    };
    Shape::new(&sizes).ok_or_else(|| {
        let what = format!("has {} dimensions; allowed: up to {MAX_RANK}", dims.len());
        call.refusal(given.name, what)
    })
}

/// Returns the layout of each tensor, after the check that it is valid.
///
/// Views must stay within their storage, and no element of an output may share its address with another.
pub fn layouts(
    call: &Call<'_>,
    elements: &[Element],
    shapes: &[Shape],
) -> Checked<Vec<Operand<Element>>> {
    let tensors = call.tensors.iter().zip(elements).zip(shapes);
    tensors.map(|((given, &element), &shape)| layout(call, given, element, shape)).collect()
}

fn layout(
    call: &Call<'_>,
    given: &Given<'_>,
    element: Element,
    shape: Shape,
) -> Checked<Operand<Element>> {
    let tensor = &*given.tensor;
    let wrong = |what: String| call.refusal(given.name, what);
    // The stride of a dimension of one element, or in an empty tensor, is arbitrary because it is never used.
    let steps = |n: usize| n > 1 && !shape.contains(&0);
    if tensor.strides.iter().zip(&*shape).any(|(&s, &n)| s < 0 && steps(n)) {
        return Err(wrong(format!("has a negative stride: {:?}", &*tensor.strides)));
    }
    let Ok(offset) = usize::try_from(tensor.offset) else {
        return Err(wrong(format!("has a negative offset: {}", tensor.offset)));
    };
    let room =
        tensor.storage.iter().try_fold(1i64, |all, &n| all.checked_mul(n).filter(|_| n >= 0));
    let Some(room) = room else {
        return Err(wrong(format!("has an impossible storage shape: {:?}", &*tensor.storage)));
    };
    let strides: Vec<isize> = tensor.strides.iter().map(|&s| s as isize).collect();
    let Some(operand) = Operand::new(element, shape, &strides, offset) else {
        return Err(wrong("does not have one stride for each dimension".into()));
    };
    let reach = operand
        .span()
        .map_err(|_| wrong(format!("overflows with shape {shape:?} and strides {strides:?}")))?;
    if let Some((first, last)) = reach
        && last >= room
    {
        let what = format!(
            "reaches elements {first} to {last} of a storage of {room}: shape {shape:?}, \
             strides {strides:?}, offset {offset}"
        );
        return Err(wrong(what));
    }
    if !given.is_input() {
        operand.writable().map_err(|why| wrong(format!("cannot be written: {why}")))?;
    }
    Ok(operand)
}
