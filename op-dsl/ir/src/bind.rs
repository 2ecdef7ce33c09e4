//! Attributes, shapes and element types of one call -> what the formula runs over, or what is
//! wrong with them.
//!
//! The only place that knows an operator's shape rules. Nothing here touches memory of tensors,
//! and nothing is allocated unless something is wrong.

use crate::DType;
use crate::op::{AttrKind, Gate, Kind, OpDef, Part, Pattern, Text, Value};
use error::{Checked, refuse};
use std::fmt;
use std::ops::Deref;

mod error;
pub use error::{BindError, Wrong};

/// Most dimensions a tensor may have.
pub const MAX_RANK: usize = 8;

/// The shape of a tensor of at most [`MAX_RANK`] dimensions, outermost first.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    dims: [usize; MAX_RANK],
    rank: usize,
}

impl Shape {
    /// The shape with these dimensions; `None` if there are more than [`MAX_RANK`].
    #[inline]
    pub fn new(dims: &[usize]) -> Option<Shape> {
        if dims.len() > MAX_RANK {
            return None;
        }
        let mut shape = Shape { dims: [0; MAX_RANK], rank: dims.len() };
        shape.dims.iter_mut().zip(dims).for_each(|(to, from)| *to = *from);
        Some(shape)
    }

    /// How many elements it has; `None` if a tensor of that many 4-byte elements could not be
    /// addressed.
    pub fn elements(&self) -> Option<usize> {
        elements(self)
    }
}

/// As [`Shape::elements`].
#[inline]
pub fn elements(dims: &[usize]) -> Option<usize> {
    if dims.contains(&0) {
        return Some(0);
    }
    let count = dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d))?;
    (count <= isize::MAX as usize / 4).then_some(count)
}

impl Deref for Shape {
    type Target = [usize];
    #[inline]
    fn deref(&self) -> &[usize] {
        &self.dims[..self.rank]
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Shape and element type of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMeta<'a> {
    /// Dimensions, outermost first.
    pub shape: &'a [usize],
    /// Element type.
    pub dtype: DType,
}

/// Shape and element type that an output must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputMeta {
    /// Dimensions, outermost first.
    pub shape: Shape,
    /// Element type.
    pub dtype: DType,
}

/// What one call runs over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Index of the specialisation that the attributes pick.
    pub spec: usize,
    /// Element type of every output; the formula is computed as if inputs had it too.
    pub dtype: DType,
    /// One element of the formula per element of this shape.
    pub domain: Shape,
    /// How gated tensors lie on the domain, if the operator has any.
    pub split: Option<BoundSplit>,
}

/// A split whose dimension and gate are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundSplit {
    /// The dimension, counted from the outermost of the domain.
    pub dim: usize,
    /// Elements of one part along it.
    pub half: usize,
    /// Halves, or alternating elements.
    pub pattern: Pattern,
    /// Whether the gate is the first part.
    pub gate_first: bool,
}

/// Where a stream's elements are in its tensor, along the split dimension: element `i` of the
/// stream is element `offset + i * step` of the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Element of the tensor that is the stream's first.
    pub offset: usize,
    /// Distance of neighbours.
    pub step: usize,
}

impl Default for Bound {
    /// Of nothing yet.
    fn default() -> Bound {
        Bound { spec: 0, dtype: DType::F32, domain: Shape::default(), split: None }
    }
}

impl Bound {
    /// The shape of a tensor of this kind, before any broadcast.
    #[inline]
    pub fn shape(&self, kind: Kind) -> Shape {
        let mut shape = self.domain;
        if let (Kind::Gated, Some(split)) = (kind, self.split) {
            shape.dims[split.dim] *= 2; // `bind` checked that it fits
        }
        shape
    }

    /// Where a part of a tensor lies along the split dimension.
    #[inline]
    pub fn place(&self, part: Part) -> Place {
        let Some(split) = self.split else { return Place { offset: 0, step: 1 } };
        let second = match part {
            Part::Whole => return Place { offset: 0, step: 1 },
            Part::Gate => !split.gate_first,
            Part::Value => split.gate_first,
        };
        match split.pattern {
            Pattern::Halves => Place { offset: if second { split.half } else { 0 }, step: 1 },
            Pattern::Interleaved => Place { offset: second as usize, step: 2 },
        }
    }
}

/// Checks one call of an operator.
///
/// # Errors
/// Names the operator, the argument, what is wrong with it and what is allowed.
pub fn bind(def: &OpDef, attrs: &[Value], inputs: &[TensorMeta<'_>]) -> Result<Bound, BindError> {
    let mut bound = Bound::default();
    bind_to(&mut bound, def, attrs, inputs)?;
    Ok(bound)
}

/// As [`bind`], in place: the run-time counts the nanoseconds.
///
/// # Errors
/// As [`bind`]; what is bound then is no use.
pub fn bind_to(
    bound: &mut Bound,
    def: &OpDef,
    attrs: &[Value],
    inputs: &[TensorMeta<'_>],
) -> Result<(), BindError> {
    let mut check = || -> Checked<()> {
        check_attrs(def, attrs)?;
        let matches = |&(i, v): &(usize, i64)| attrs[i].as_int() == Some(v);
        let spec = def.specs.iter().position(|s| s.when.iter().all(matches));
        bound.spec = spec.ok_or_else(|| Box::new(Wrong::NoSpec))?;
        check_count("input", &def.inputs, inputs.len())?;
        bound.dtype = check_dtypes(def, inputs)?;
        check_shapes(bound, def, attrs, inputs)?;
        check_sizes(def, inputs, bound)
    };
    check().map_err(|what| BindError { op: def.name.clone(), what })
}

/// Shapes and element types of the outputs, for callers that allocate them.
///
/// # Errors
/// As [`bind`].
pub fn infer(
    def: &OpDef,
    attrs: &[Value],
    inputs: &[TensorMeta<'_>],
) -> Result<Vec<OutputMeta>, BindError> {
    let bound = bind(def, attrs, inputs)?;
    let meta = |kind| OutputMeta { shape: bound.shape(kind), dtype: bound.dtype };
    Ok(def.outputs.iter().map(|t| meta(t.kind)).collect())
}

/// Checks what the caller wants written against what [`bind`] found.
///
/// # Errors
/// The number, a shape or an element type differs.
pub fn check_outputs(
    def: &OpDef,
    bound: &Bound,
    outputs: &[TensorMeta<'_>],
) -> Result<(), BindError> {
    let check = || -> Checked<()> {
        check_count("output", &def.outputs, outputs.len())?;
        for (t, got) in def.outputs.iter().zip(outputs) {
            let want = bound.shape(t.kind);
            if *got.shape != *want {
                let (got, want) = (got.shape.to_vec(), want.to_vec());
                let from = "the inputs".into();
                return refuse(Wrong::Shape { tensor: t.name.clone(), got, want, from });
            }
            if got.dtype != bound.dtype {
                let allowed = bound.dtype.to_string();
                return refuse(Wrong::DType { tensor: t.name.clone(), got: got.dtype, allowed });
            }
        }
        Ok(())
    };
    check().map_err(|what| BindError { op: def.name.clone(), what })
}

/// Reads an attribute from text: its index and value. Enums go by name or number, booleans by
/// `true`, `false`, `1` or `0`.
///
/// # Errors
/// There is no such attribute, or the text is not one of its values.
pub fn parse_attr(def: &OpDef, name: &str, text: &str) -> Result<(usize, Value), BindError> {
    let err = |what| BindError { op: def.name.clone(), what: Box::new(what) };
    let Some(index) = def.attrs.iter().position(|a| a.name == name) else {
        let names = join(def.attrs.iter().map(|a| &a.name));
        return Err(err(Wrong::UnknownAttr { name: name.into(), names }));
    };
    let attr = &def.attrs[index];
    let value = match &attr.kind {
        AttrKind::Dim | AttrKind::Int => text.parse().ok().map(Value::Int),
        AttrKind::Bool => match text {
            "true" | "1" => Some(Value::Bool(true)),
            "false" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        AttrKind::Float => text.parse().ok().map(Value::Float),
        AttrKind::Enum { variants, .. } => {
            let number = text.parse().ok();
            let found = variants.iter().find(|v| v.name == text || Some(v.value) == number);
            found.map(|v| Value::Int(v.value))
        }
    };
    let wrong = || Wrong::AttrValue {
        attr: attr.name.clone(),
        got: format!("`{text}`"),
        allowed: allowed_values(&attr.kind),
    };
    value.map(|v| (index, v)).ok_or_else(|| err(wrong()))
}

fn join<'a>(names: impl Iterator<Item = &'a Text>) -> String {
    let names: Vec<&str> = names.map(|n| &**n).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

fn allowed_values(kind: &AttrKind) -> String {
    match kind {
        AttrKind::Dim | AttrKind::Int => "integers".into(),
        AttrKind::Bool => "true, false".into(),
        AttrKind::Float => "numbers".into(),
        AttrKind::Enum { variants, .. } => {
            let one = |v: &crate::op::Variant| format!("{} ({})", v.name, v.value);
            variants.iter().map(one).collect::<Vec<_>>().join(", ")
        }
    }
}

#[inline]
fn check_count(role: &'static str, want: &[crate::op::Tensor], got: usize) -> Checked<()> {
    if got == want.len() {
        return Ok(());
    }
    let names = join(want.iter().map(|t| &t.name));
    refuse(Wrong::Count { role, got, want: want.len(), names })
}

fn check_attrs(def: &OpDef, attrs: &[Value]) -> Checked<()> {
    if attrs.len() != def.attrs.len() {
        let names = join(def.attrs.iter().map(|a| &a.name));
        return refuse(Wrong::AttrCount { got: attrs.len(), want: def.attrs.len(), names });
    }
    for (attr, value) in def.attrs.iter().zip(attrs) {
        let fits = match (&attr.kind, value) {
            (AttrKind::Dim | AttrKind::Int, Value::Int(_)) => true,
            (AttrKind::Bool, Value::Bool(_)) => true,
            (AttrKind::Float, Value::Float(_)) => true,
            (AttrKind::Enum { variants, .. }, Value::Int(v)) => {
                variants.iter().any(|known| known.value == *v)
            }
            _ => false,
        };
        if !fits {
            let got = match value {
                Value::Int(v) => v.to_string(),
                Value::Bool(v) => v.to_string(),
                Value::Float(v) => v.to_string(),
            };
            let allowed = allowed_values(&attr.kind);
            return refuse(Wrong::AttrValue { attr: attr.name.clone(), got, allowed });
        }
    }
    Ok(())
}

/// The element type to compute in.
fn check_dtypes(def: &OpDef, inputs: &[TensorMeta<'_>]) -> Checked<DType> {
    let mut common: Option<DType> = None;
    for (tensor, meta) in def.inputs.iter().zip(inputs) {
        let wrong =
            |allowed| Wrong::DType { tensor: tensor.name.clone(), got: meta.dtype, allowed };
        if !def.dtypes.contains(&meta.dtype) {
            let names: Vec<&str> = def.dtypes.iter().map(|d| d.name()).collect();
            return refuse(wrong(names.join(", ")));
        }
        common = Some(match common {
            None => meta.dtype,
            Some(c) if def.promote => c.promote(meta.dtype),
            Some(c) if c == meta.dtype => c,
            Some(c) => return refuse(wrong(format!("{c}, as `{}` has", def.inputs[0].name))),
        });
    }
    Ok(common.unwrap_or(DType::F32))
}

/// Finds the domain, and the split on it.
fn check_shapes(
    bound: &mut Bound,
    def: &OpDef,
    attrs: &[Value],
    inputs: &[TensorMeta<'_>],
) -> Checked<()> {
    let gated = |k: &usize| def.inputs[*k].kind == Kind::Gated;
    // The tensor that decides: the first gated one, else the first; the widest when broadcasting.
    let mut lead = (0..inputs.len()).find(gated).unwrap_or(0);
    if def.broadcast {
        for k in 0..inputs.len() {
            if inputs[k].shape.len() > inputs[lead].shape.len() {
                lead = k;
            }
        }
    }
    let min = def.split.is_some() as usize;
    for (tensor, meta) in def.inputs.iter().zip(inputs) {
        let got = meta.shape.len();
        if !(min..=MAX_RANK).contains(&got) {
            return refuse(Wrong::Rank { tensor: tensor.name.clone(), got, min });
        }
    }
    let rank = inputs.get(lead).map_or(0, |m| m.shape.len());
    for (attr, value) in def.attrs.iter().zip(attrs) {
        if let (AttrKind::Dim, Value::Int(d)) = (&attr.kind, value) {
            resolve(&attr.name, *d, rank)?;
        }
    }
    let Bound { domain, split, .. } = bound;
    *split = None;
    if let Some(s) = &def.split {
        let dim = match (def.attrs.get(s.dim), attrs.get(s.dim)) {
            (Some(attr), Some(Value::Int(d))) => resolve(&attr.name, *d, rank)?,
            _ => return refuse(Wrong::NoSpec),
        };
        let gate_first = match s.gate {
            Gate::Left => true,
            Gate::Right => false,
            Gate::LeftIf(i) => matches!(attrs.get(i), Some(Value::Bool(true) | Value::Int(1))),
        };
        *split = Some(BoundSplit { dim, half: 0, pattern: s.pattern, gate_first });
    }

    *domain = Shape { dims: [1; MAX_RANK], rank };
    if let (false, Some(meta)) = (def.broadcast, inputs.get(lead)) {
        *domain = part_of(def, lead, meta.shape, split, rank)?;
    }
    for (k, (tensor, meta)) in def.inputs.iter().zip(inputs).enumerate() {
        if !def.broadcast {
            let twice = |i: usize| {
                let gated = tensor.kind == Kind::Gated && split.is_some_and(|s| s.dim == i);
                1 + gated as usize
            };
            let same = meta.shape.len() == rank
                && (0..rank).all(|i| Some(meta.shape[i]) == domain[i].checked_mul(twice(i)));
            if !same {
                let want = (0..rank).map(|i| domain[i].saturating_mul(twice(i))).collect();
                let (tensor, got) = (tensor.name.clone(), meta.shape.to_vec());
                return refuse(Wrong::Shape {
                    tensor,
                    got,
                    want,
                    from: format!("`{}`", def.inputs[lead].name),
                });
            }
            continue;
        }
        let part = part_of(def, k, meta.shape, split, rank)?;
        for i in 0..part.len() {
            let d = &mut domain.dims[rank - part.len() + i];
            match (*d, part[i]) {
                (1, n) => *d = n,
                (n, m) if n == m || m == 1 => {}
                _ => {
                    let (got, with) = (meta.shape.to_vec(), domain.to_vec());
                    return refuse(Wrong::Broadcast { tensor: tensor.name.clone(), got, with });
                }
            }
        }
    }
    if let Some(s) = split {
        s.half = domain[s.dim];
    }
    Ok(())
}

/// The shape of one part of input `k`: half of it along the split dimension if it is gated.
fn part_of(
    def: &OpDef,
    k: usize,
    shape: &[usize],
    split: &Option<BoundSplit>,
    rank: usize,
) -> Checked<Shape> {
    let tensor = &def.inputs[k];
    let rank_error = |min| Wrong::Rank { tensor: tensor.name.clone(), got: shape.len(), min };
    let mut part = Shape::new(shape).ok_or_else(|| rank_error(0))?;
    if let (Kind::Gated, Some(s)) = (tensor.kind, split) {
        // Broadcast aligns shapes at their innermost dimension.
        let dim =
            (s.dim + shape.len()).checked_sub(rank).ok_or_else(|| rank_error(rank - s.dim))?;
        if part.dims[dim] % 2 != 0 {
            let (tensor, shape) = (tensor.name.clone(), shape.to_vec());
            return refuse(Wrong::OddSplit { tensor, shape, dim });
        }
        part.dims[dim] /= 2;
    }
    Ok(part)
}

#[inline]
fn resolve(attr: &Text, dim: i64, rank: usize) -> Checked<usize> {
    let r = rank as i64;
    if (-r..r).contains(&dim) {
        return Ok(dim.rem_euclid(r) as usize);
    }
    let allowed = match r {
        0 => "nothing, the tensor has no dimensions".into(),
        _ => format!("{} to {} for tensors of rank {rank}", -r, r - 1),
    };
    refuse(Wrong::AttrValue { attr: attr.clone(), got: dim.to_string(), allowed })
}

/// No tensor is too large; none is empty where that is not allowed.
fn check_sizes(def: &OpDef, inputs: &[TensorMeta<'_>], bound: &Bound) -> Checked<()> {
    let overflow = |tensor: &Text, shape: &[usize]| Wrong::Overflow {
        tensor: tensor.clone(),
        shape: shape.to_vec(),
    };
    for (t, m) in def.inputs.iter().zip(inputs) {
        let count = elements(m.shape).ok_or_else(|| overflow(&t.name, m.shape))?;
        if count == 0 && !def.empty {
            return refuse(Wrong::Empty { tensor: t.name.clone(), shape: m.shape.to_vec() });
        }
    }
    for t in def.outputs.iter() {
        if let (Kind::Gated, Some(s)) = (t.kind, bound.split) {
            let fits = bound.domain[s.dim].checked_mul(2);
            fits.ok_or_else(|| overflow(&t.name, &bound.domain))?;
        }
        let shape = bound.shape(t.kind);
        shape.elements().ok_or_else(|| overflow(&t.name, &shape))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
