//! Validates the attributes, shapes and element types of one call and derives its iteration domain.
//!
//! This is the only module that knows an operator's shape rules. It never touches the memory of tensors, and it
//! allocates only to report an error.

use crate::op::{AttrKind, Gate, Kind, OpDef, Part, Pattern, Tensor, Text, Value};
use crate::{DType, Stored};
use error::{Checked, join, refuse};

mod along;
mod attribute;
mod dtypes;
mod error;
mod outputs;
mod shape;
pub use along::{laid, laid_output};
pub use attribute::parse_attr;
pub use error::{BindError, Wrong};
pub use outputs::{OutputMeta, check_outputs, decide, infer};
use shape::MOST_ELEMENTS;
pub use shape::{MAX_RANK, Shape, elements};

/// Shape and storage type of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMeta<'a> {
    /// Sizes of the dimensions, outermost first.
    pub shape: &'a [usize],
    /// Storage type of the elements.
    pub dtype: Stored,
}

/// A tensor as the shape rules see it: a value with a shape and an element type.
pub trait Meta {
    /// Returns the shape and the element type.
    fn meta(&self) -> TensorMeta<'_>;

    /// Returns the number of elements; `None` if they are too many to address, see [`elements`].
    ///
    /// A tensor that stores its element count may override this.
    #[inline]
    fn count(&self) -> Option<usize> {
        elements(self.meta().shape)
    }
}

impl Meta for TensorMeta<'_> {
    #[inline]
    fn meta(&self) -> TensorMeta<'_> {
        *self
    }
}

/// Formula variant (specialisation), element type and iteration domain of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Index in `OpDef::specs` of the formula variant that the attributes select.
    pub spec: usize,
    /// Element type of every output without a type of its own; the formula is computed as if inputs had it too.
    ///
    /// It is f32 in a call on f64, whose kernels see f64 as a type that tensors have of their own.
    pub dtype: DType,
    /// Storage type of every output without a type of its own: [`Bound::dtype`] or f64.
    pub element: Stored,
    /// Iteration domain: the formula is evaluated once per element of this shape.
    pub domain: Shape,
    /// Layout of gated tensors, which hold a gate and a value per element of the domain.
    ///
    /// `None` if the operator has no gated tensors.
    pub split: Option<BoundSplit>,
}

/// How the gated tensors of one call are split into gate and value, as its attributes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundSplit {
    /// Split dimension, counted from the outermost of the domain.
    pub dim: usize,
    /// Number of elements of one part (gate or value) along the split dimension.
    pub half: usize,
    /// True if gate and value alternate along the split dimension, false if each is a half of it.
    pub interleaved: bool,
    /// True if the gate is the first part and the value the second, false for the reverse.
    pub gate_first: bool,
}

/// Offset and step of a stream's elements in its tensor, along the split dimension.
///
/// Element `i` of the stream is element `offset + i * step` of the tensor. For example, the second of two interleaved
/// parts has offset 1 and step 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index in the tensor of the stream's first element.
    pub offset: usize,
    /// Distance between neighbouring elements of the stream, in elements of the tensor.
    pub step: usize,
}

impl Default for Bound {
    /// Returns a placeholder, a scalar domain in f32, for `bind_to` to fill in.
    fn default() -> Bound {
        let dtype = DType::F32;
        Bound { spec: 0, dtype, element: dtype.into(), domain: Shape::default(), split: None }
    }
}

impl Bound {
    /// Sets the element type of the call's tensors, and with it the type that kernels compute in.
    fn set_element(&mut self, element: Stored) {
        (self.element, self.dtype) = (element, element.number().unwrap_or(DType::F32));
    }

    /// Returns the shape of a tensor of this kind that is not broadcast.
    #[inline]
    pub fn shape(&self, kind: Kind) -> Shape {
        let mut shape = self.domain;
        if let Some(i) = self.doubled(kind) {
            shape.dims[i] *= 2; // `bind` checked that it fits
        }
        if let Some(i) = self.single(kind) {
            shape.dims[i] = 1;
        }
        shape
    }

    /// Returns the dimension along which a tensor of this kind is twice as long as the domain.
    ///
    /// `None` if the tensor has the shape of the domain, because it is not gated.
    #[inline]
    fn doubled(&self, kind: Kind) -> Option<usize> {
        self.split.filter(|_| kind == Kind::Gated).map(|s| s.dim)
    }

    /// Returns the dimension along which a tensor of this kind has size 1, because a row has one number of it.
    #[inline]
    fn single(&self, kind: Kind) -> Option<usize> {
        if kind == Kind::PerRow { self.domain.len().checked_sub(1) } else { None }
    }

    /// Returns where a part (gate, value or all) of an unbroadcast tensor lies along the split dimension.
    #[inline]
    pub fn place(&self, part: Part) -> Place {
        self.split.map_or(Place { offset: 0, step: 1 }, |split| split.place(part, split.half))
    }
}

impl BoundSplit {
    /// Returns where a part (gate, value or all) of a tensor lies along the split dimension.
    ///
    /// The tensor has `half` elements of each part along that dimension.
    #[inline]
    pub fn place(&self, part: Part, half: usize) -> Place {
        let second = match part {
            Part::Whole => return Place { offset: 0, step: 1 },
            Part::Gate => !self.gate_first,
            Part::Value => self.gate_first,
        };
        match self.interleaved {
            false => Place { offset: if second { half } else { 0 }, step: 1 },
            true => Place { offset: second as usize, step: 2 },
        }
    }

    /// Returns how many leading dimensions the contiguous runs of one part (gate or value) repeat over.
    ///
    /// For parts that are halves, these are the dimensions before the split dimension. Interleaved parts alternate along the split
    /// dimension, so that it is one of them too.
    #[inline]
    pub fn outer(&self) -> usize {
        self.dim + usize::from(self.interleaved)
    }
}

/// Checks the attributes and inputs of one call of an operator, and derives its domain.
///
/// # Errors
/// Names the operator, the argument, what is wrong with it and what is allowed.
pub fn bind(def: &OpDef, attrs: &[Value], inputs: &[impl Meta]) -> Result<Bound, BindError> {
    let mut bound = Bound::default();
    bind_to(&mut bound, def, attrs, inputs)?;
    Ok(bound)
}

/// Checks one call as [`bind`] does, but fills `bound` in place, which saves nanoseconds per call.
///
/// # Errors
/// An attribute or input is not allowed, as for [`bind`]; `bound` is then incomplete and must not be used.
pub fn bind_to(
    bound: &mut Bound,
    def: &OpDef,
    attrs: &[Value],
    inputs: &[impl Meta],
) -> Result<(), BindError> {
    let mut check = || -> Checked<()> {
        attribute::check(def, attrs)?;
        check_count("input", &def.inputs, inputs.len())?;
        let matches = |&(i, v): &(usize, i64)| match def.attrs[i].kind {
            AttrKind::Given(input) => i64::from(is_given(&inputs[input])) == v,
            _ => attrs[i].as_int() == Some(v),
        };
        let spec = def.specs.iter().position(|s| s.when.iter().all(matches));
        bound.spec = spec.ok_or_else(|| Box::new(Wrong::NoSpec))?;
        bound.set_element(dtypes::check(def, inputs.iter().map(|input| input.meta().dtype))?);
        check_shapes(bound, def, attrs, inputs)?;
        check_rows(def, inputs)?;
        check_sizes(def, inputs, bound)
    };
    check().map_err(|what| BindError { op: def.name.clone(), what })
}

/// Returns whether the call supplies this input.
#[inline]
fn is_given(input: &impl Meta) -> bool {
    input.meta().dtype != Stored::Nothing
}

#[inline]
fn check_count(role: &'static str, want: &[Tensor], got: usize) -> Checked<()> {
    if got == want.len() {
        return Ok(());
    }
    let names = join(want.iter().map(|t| &t.name));
    refuse(Wrong::Count { role, got, want: want.len(), names })
}

/// Derives the iteration domain and the split of gated tensors, and checks the inputs' shapes.
fn check_shapes(
    bound: &mut Bound,
    def: &OpDef,
    attrs: &[Value],
    inputs: &[impl Meta],
) -> Checked<()> {
    let gated = |k: &usize| def.inputs[*k].kind == Kind::Gated;
    let is_along = |k: &usize| along::is_along(def, *k, inputs[*k].meta().shape);
    let rank_of = |k: usize| inputs.get(k).map_or(0, |t| t.meta().shape.len());
    let given = (0..inputs.len())
        .filter(|k| is_given(&inputs[*k]) && !def.inputs[*k].kind.parts().is_empty());
    // The lead tensor determines the rank: the first gated one, else the first; with broadcasting, the one of highest
    // rank.
    let is_per_row = |k: &usize| def.inputs[*k].kind == Kind::PerRow;
    let gated = given.clone().find(gated);
    let first = || given.clone().find(|k| !is_per_row(k)).or(given.clone().next());
    let mut lead = gated.or_else(first).unwrap_or(0);
    if def.broadcast {
        // An input that lies along a dimension of the others has no part in it.
        let whole = given.clone().filter(|k| !is_along(k) && !is_per_row(k));
        lead = whole.clone().next().unwrap_or(lead);
        for k in whole {
            if rank_of(k) > rank_of(lead) {
                lead = k;
            }
        }
    }
    let min = def.split.is_some() as usize;
    for k in given.clone() {
        let (tensor, got) = (&def.inputs[k], rank_of(k));
        if !(min..=MAX_RANK).contains(&got) {
            return refuse(Wrong::Rank { tensor: tensor.name.clone(), got, min });
        }
    }
    let rank = rank_of(lead);
    for (attr, value) in def.attrs.iter().zip(attrs) {
        if let (AttrKind::Dim, Value::Int(d)) = (&attr.kind, value) {
            resolve(&attr.name, *d, rank)?;
        }
    }
    bound.split = None;
    if let Some(s) = &def.split {
        let dim = match (def.attrs.get(s.dim), attrs.get(s.dim)) {
            (Some(attr), Some(Value::Int(d))) => resolve(&attr.name, *d, rank)?,
            _ => return refuse(Wrong::NoSpec),
        };
        let is_true = |i| matches!(attrs.get(i), Some(Value::Bool(true) | Value::Int(1)));
        let gate_first = match s.gate {
            Gate::Left => true,
            Gate::Right => false,
            Gate::LeftIf(i) => is_true(i),
        };
        let interleaved = match s.pattern {
            Pattern::Halves => false,
            Pattern::Interleaved => true,
            Pattern::InterleavedIf(i) => is_true(i),
        };
        bound.split = Some(BoundSplit { dim, half: 0, interleaved, gate_first });
    }

    bound.domain = Shape { dims: [1; MAX_RANK], rank };
    if def.broadcast {
        for k in given.clone().filter(|k| !is_along(k) && !is_per_row(k)) {
            widen(bound, def, k, inputs[k].meta().shape)?;
        }
        for k in given.clone().filter(is_along) {
            along::check(&bound.domain, def, k, inputs[k].meta().shape)?;
        }
        for k in given.filter(|k| def.wide.contains(k) || is_per_row(k)) {
            let from = || "the other inputs: it is not broadcast".into();
            check_shape(bound, &def.inputs[k], inputs[k].meta().shape, from)?;
        }
    } else if let Some(input) = inputs.get(lead) {
        widen(bound, def, lead, input.meta().shape)?;
        for k in given {
            let from = || format!("`{}`", def.inputs[lead].name);
            check_shape(bound, &def.inputs[k], inputs[k].meta().shape, from)?;
        }
    }
    if let Some(s) = &mut bound.split {
        s.half = bound.domain[s.dim];
    }
    Ok(())
}

/// Returns an error if a tensor, which is not broadcast, lacks the shape that follows from the domain.
#[inline]
fn check_shape(
    bound: &Bound,
    tensor: &Tensor,
    got: &[usize],
    from: impl FnOnce() -> String,
) -> Checked<()> {
    if has_shape(bound, tensor.kind, got) {
        return Ok(());
    }
    let (got, want) = (got.to_vec(), wanted(bound, tensor.kind));
    refuse(Wrong::Shape { tensor: tensor.name.clone(), got, want, from: from() })
}

/// Returns whether `shape` is the one that a tensor of this kind must have if it is not broadcast.
#[inline]
fn has_shape(bound: &Bound, kind: Kind, shape: &[usize]) -> bool {
    let doubled = bound.doubled(kind).unwrap_or(MAX_RANK);
    let single = bound.single(kind).unwrap_or(MAX_RANK);
    let mut dims = shape.iter().zip(&*bound.domain).enumerate();
    shape.len() == bound.domain.len()
        && dims.all(|(i, (&n, &d))| match i {
            _ if i == doubled => n % 2 == 0 && n / 2 == d,
            _ if i == single => n == 1,
            _ => n == d,
        })
}

/// Returns the shape that an unbroadcast tensor of this kind must have; sizes saturate at `usize::MAX`.
fn wanted(bound: &Bound, kind: Kind) -> Vec<usize> {
    let mut shape = bound.domain.to_vec();
    if let Some(i) = bound.doubled(kind) {
        shape[i] = shape[i].saturating_mul(2);
    }
    if let Some(i) = bound.single(kind) {
        shape[i] = 1;
    }
    shape
}

/// Broadcasts the domain with the shape of input `k`, innermost dimensions aligned.
///
/// A gated input, which holds gate and value, counts with half its length along the split dimension. For example, a
/// gated `[1, 6]` widens the domain `[5, 4, 3]` as `[1, 3]`, if the split dimension is the last.
fn widen(bound: &mut Bound, def: &OpDef, k: usize, shape: &[usize]) -> Checked<()> {
    let tensor = &def.inputs[k];
    let lead = bound.domain.len() - shape.len();
    let doubled = bound.doubled(tensor.kind);
    if let Some(dim) = doubled {
        let Some(dim) = dim.checked_sub(lead) else {
            let (tensor, got, min) = (tensor.name.clone(), shape.len(), bound.domain.len() - dim);
            return refuse(Wrong::Rank { tensor, got, min });
        };
        if !shape[dim].is_multiple_of(2) {
            let (tensor, shape) = (tensor.name.clone(), shape.to_vec());
            return refuse(Wrong::OddSplit { tensor, shape, dim });
        }
    }
    for (i, &n) in shape.iter().enumerate().map(|(i, n)| (lead + i, n)) {
        let n = if doubled == Some(i) { n / 2 } else { n };
        let d = &mut bound.domain.dims[i];
        match (*d, n) {
            (1, n) => *d = n,
            (d, n) if d == n || n == 1 => {}
            _ => {
                let (got, with) = (shape.to_vec(), bound.domain.to_vec());
                return refuse(Wrong::Broadcast { tensor: tensor.name.clone(), got, with });
            }
        }
    }
    Ok(())
}

#[inline]
fn resolve(attr: &Text, dim: i64, rank: usize) -> Checked<usize> {
    let r = rank as i64;
    let from_outermost = if dim < 0 { dim + r } else { dim };
    if (0..r).contains(&from_outermost) {
        return Ok(from_outermost as usize);
    }
    let allowed = match r {
        0 => "nothing, the tensor has no dimensions".into(),
        _ => format!("{} to {} for tensors of rank {rank}", -r, r - 1),
    };
    refuse(Wrong::AttrValue { attr: attr.clone(), got: dim.to_string(), allowed })
}

/// Checks that the tensor whose sum is the number of rows, if given, is one-dimensional and not empty.
fn check_rows(def: &OpDef, inputs: &[impl Meta]) -> Checked<()> {
    let Some(rows) = def.rows().filter(|rows| is_given(&inputs[*rows])) else { return Ok(()) };
    match inputs[rows].meta().shape {
        [n] if *n > 0 => Ok(()),
        got => refuse(Wrong::RowCounts {
            tensor: def.inputs[rows].name.clone(),
            got: got.to_vec(),
            optional: def.presence(rows).is_some(),
        }),
    }
}

/// Checks that every tensor can be addressed, and that none is empty unless the operator allows it.
fn check_sizes(def: &OpDef, inputs: &[impl Meta], bound: &Bound) -> Checked<()> {
    let overflow = |tensor: &Text, shape: &[usize]| Wrong::Overflow {
        tensor: tensor.clone(),
        shape: shape.to_vec(),
    };
    for (t, input) in def.inputs.iter().zip(inputs) {
        let shape = input.meta().shape;
        let count = input.count().ok_or_else(|| overflow(&t.name, shape))?;
        if count == 0 && !def.empty {
            return refuse(Wrong::Empty { tensor: t.name.clone(), shape: shape.to_vec() });
        }
    }
    let count = bound.domain.elements();
    for t in def.outputs.iter() {
        if t.kind == Kind::PerRow && count == Some(0) && !bound.shape(t.kind).contains(&0) {
            let (tensor, domain) = (t.name.clone(), bound.domain.to_vec());
            return refuse(Wrong::EmptyRow { tensor, domain });
        }
        let fits = |n: usize| match bound.doubled(t.kind) {
            Some(i) => n.max(bound.domain[i]) <= MOST_ELEMENTS / 2,
            None => true,
        };
        if !count.is_some_and(fits) {
            return refuse(overflow(&t.name, &wanted(bound, t.kind)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
