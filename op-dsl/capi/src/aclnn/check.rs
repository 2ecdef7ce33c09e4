//! What phase 1 refuses once no argument is missing, in the documented order: element types,
//! formats, shapes, values of attributes; then what only memory tells.

use super::arguments::{Call, Given};
use crate::acl::{dtype, dtype_name, is_plain};
use crate::operand::Operand;
use crate::refusal::Checked;
use op_dsl_ir::DType;
use op_dsl_ir::bind::MAX_RANK;
use op_dsl_ir::op::Kind;
use op_dsl_ir::published::DTypes;

/// The element types that the tensors have together.
pub fn dtypes(call: &Call<'_>) -> Checked<Vec<DType>> {
    let rule = call.resolved.dtypes;
    let mut types = Vec::with_capacity(call.tensors.len());
    let mut common: Option<(DType, &str)> = None;
    for given in &call.tensors {
        let code = given.tensor.dtype;
        let allowed = &call.resolved.operator.def().dtypes;
        let known = dtype(code).filter(|t| allowed.contains(t));
        let is = || format!("has dtype {}", dtype_name(code));
        let Some(own) = known else {
            let names = "ACL_FLOAT, ACL_FLOAT16 or ACL_BF16";
            return call.refuse(given.name, format!("{}; allowed: {names}", is()));
        };
        common = Some(match common {
            None => (own, given.name),
            Some(common) if common.0 == own => common,
            Some((first, name)) => match rule {
                DTypes::Same => {
                    return call.refuse(given.name, format!("{}, but {name} {first}", is()));
                }
                _ if given.is_input() => (first.promote(own), "the promoted inputs"),
                DTypes::Promoted => {
                    return call.refuse(given.name, format!("{}, but {name} are {first}", is()));
                }
                DTypes::Cast => (first, name),
            },
        });
        types.push(own);
    }
    Ok(types)
}

/// Elements lie where shape and strides say.
pub fn formats(call: &Call<'_>) -> Checked<()> {
    match call.tensors.iter().find(|g| !is_plain(g.tensor.format)) {
        Some(given) => {
            let format = given.tensor.format;
            call.refuse(given.name, format!("has aclFormat {format}; allowed: ACL_FORMAT_ND"))
        }
        None => Ok(()),
    }
}

/// Shapes, and the dimension of a split.
pub fn shapes(call: &Call<'_>) -> Checked<()> {
    for given in &call.tensors {
        let shape = given.shape();
        if shape.len() > MAX_RANK {
            let what = format!("has {} dimensions; allowed: up to {MAX_RANK}", shape.len());
            return call.refuse(given.name, what);
        }
        if shape.iter().any(|&n| n < 0) {
            return call.refuse(given.name, format!("has a negative dimension: {shape:?}"));
        }
    }
    let def = call.resolved.operator.def();
    match &def.split {
        _ if def.broadcast => broadcast(call)?,
        Some(split) => halves(call, split.dim)?,
        None => equal(call, call.tensors.iter())?,
    }
    if !def.empty {
        let empty = |g: &&Given<'_>| g.is_input() && g.shape().contains(&0);
        if let Some(given) = call.tensors.iter().find(empty) {
            return call.refuse(given.name, format!("has no elements: {:?}", given.shape()));
        }
    }
    Ok(())
}

/// All have the shape of the first.
fn equal<'a>(call: &Call<'_>, mut all: impl Iterator<Item = &'a Given<'a>>) -> Checked<()> {
    let Some(first) = all.next() else { return Ok(()) };
    match all.find(|g| g.shape() != first.shape()) {
        Some(other) => call.refuse(
            other.name,
            format!("has shape {:?}, but {} {:?}", other.shape(), first.name, first.shape()),
        ),
        None => Ok(()),
    }
}

/// Inputs are broadcast by NumPy's rule, and outputs have the shape that follows.
fn broadcast(call: &Call<'_>) -> Checked<()> {
    let mut domain: Vec<i64> = Vec::new();
    for given in call.tensors.iter().filter(|g| g.is_input()) {
        let shape = given.shape();
        while domain.len() < shape.len() {
            domain.insert(0, 1);
        }
        let before = domain.clone();
        let lead = domain.len() - shape.len();
        for (to, &n) in domain[lead..].iter_mut().zip(shape) {
            match (*to, n) {
                (1, n) => *to = n,
                (m, n) if n == m || n == 1 => {}
                _ => {
                    let what = format!("of shape {shape:?} cannot be broadcast with {before:?}");
                    return call.refuse(given.name, what);
                }
            }
        }
    }
    match call.tensors.iter().find(|g| !g.is_input() && g.shape() != domain) {
        Some(out) => {
            let what = format!("has shape {:?}; must be {domain:?}", out.shape());
            call.refuse(out.name, what)
        }
        None => Ok(()),
    }
}

/// Tensors of one kind are equal; cut ones are twice as long along the dimension.
fn halves(call: &Call<'_>, attr: usize) -> Checked<()> {
    let of_kind = |kind| call.tensors.iter().filter(move |g| g.kind == kind);
    equal(call, of_kind(Kind::Whole))?;
    equal(call, of_kind(Kind::Gated))?;
    let Some(cut) = of_kind(Kind::Gated).next() else { return Ok(()) };
    let (name, dim) = call.integer(attr).unwrap_or(("dim", -1));
    let rank = cut.shape().len();
    // A tensor without dimensions counts as one of rank 1 here, and nowhere else.
    let range = rank.max(1) as i64;
    if !(-range..range).contains(&dim) {
        let what = format!("must be in [{}, {}], but is {dim}", -range, range - 1);
        return call.refuse(name, what);
    }
    if rank == 0 {
        return call.refuse(cut.name, format!("has no dimensions; allowed: 1 to {MAX_RANK}"));
    }
    let dim = dim.rem_euclid(range) as usize;
    if cut.shape()[dim] % 2 != 0 {
        let what = format!("is cut in two along dimension {dim}, which is odd: {:?}", cut.shape());
        return call.refuse(cut.name, what);
    }
    let Some(whole) = of_kind(Kind::Whole).next() else { return Ok(()) };
    let half = cut.shape().iter().enumerate().map(|(i, n)| if i == dim { n / 2 } else { *n });
    if !whole.shape().iter().copied().eq(half.clone()) {
        let half: Vec<i64> = half.collect();
        let what = format!("has shape {:?}; must be {half:?}, half of {}", whole.shape(), cut.name);
        return call.refuse(whole.name, what);
    }
    Ok(())
}

/// Views stay in their storage, and no element is written twice.
pub fn layouts(call: &Call<'_>, dtypes: &[DType]) -> Checked<Vec<Operand>> {
    let mut operands = Vec::with_capacity(dtypes.len());
    for (given, &dtype) in call.tensors.iter().zip(dtypes) {
        operands.push(layout(call, given, dtype)?);
    }
    Ok(operands)
}

fn layout(call: &Call<'_>, given: &Given<'_>, dtype: DType) -> Checked<Operand> {
    let tensor = &*given.tensor;
    let wrong = |what: String| call.refusal(given.name, what);
    if tensor.strides.iter().any(|&s| s < 0) {
        return Err(wrong(format!("has a negative stride: {:?}", &*tensor.strides)));
    }
    let Ok(offset) = usize::try_from(tensor.offset) else {
        return Err(wrong(format!("has a negative offset: {}", tensor.offset)));
    };
    let elements = || {
        let dims = tensor.storage.iter();
        dims.clone().all(|&n| n >= 0).then_some(())?;
        dims.into_iter().try_fold(1i64, |all, &n| all.checked_mul(n))
    };
    let Some(elements) = elements() else {
        return Err(wrong(format!("has an impossible storage shape: {:?}", &*tensor.storage)));
    };
    let (mut shape, mut strides) = ([0usize; MAX_RANK], [0isize; MAX_RANK]);
    let rank = tensor.view.len().min(MAX_RANK); // as `shapes` has checked
    for i in 0..rank {
        (shape[i], strides[i]) = (tensor.view[i] as usize, tensor.strides[i] as isize);
    }
    let (shape, strides) = (&shape[..rank], &strides[..rank]);
    let Some(mut operand) = Operand::new(dtype, shape, strides, offset) else {
        return Err(wrong("cannot be described".into()));
    };
    operand.base = tensor.data;
    let reach = operand
        .span()
        .map_err(|_| wrong(format!("overflows with shape {shape:?} and strides {strides:?}")))?;
    if let Some((first, last)) = reach
        && last >= elements
    {
        let what = format!(
            "reaches elements {first} to {last} of a storage of {elements}: shape {shape:?}, \
             strides {strides:?}, offset {offset}"
        );
        return Err(wrong(what));
    }
    if !given.is_input() {
        operand.writable().map_err(|why| wrong(format!("cannot be written: {why}")))?;
    }
    Ok(operand)
}
