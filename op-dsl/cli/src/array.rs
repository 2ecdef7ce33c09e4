//! The contents of a tensor, owned.

use super::error::Error;
use codegen_cpu::rt::elem::El;
use codegen_cpu::rt::view::{View, ViewMut, contiguous_strides};
use half::{bf16, f16};
use op_dsl_ir::DType;
use op_dsl_ir::bind::{MAX_RANK, TensorMeta, elements};

/// Elements of one of the types.
pub enum Data {
    F16(Vec<f16>),
    BF16(Vec<bf16>),
    F32(Vec<f32>),
}

/// Runs an expression with `$v` bound to the elements, whatever their type.
macro_rules! with_elements {
    ($data:expr, $v:ident => $do:expr) => {
        match $data {
            Data::F16($v) => $do,
            Data::BF16($v) => $do,
            Data::F32($v) => $do,
        }
    };
}

/// A tensor: elements, shape, strides.
pub struct Array {
    pub data: Data,
    /// Elements of `data` before the first one of the tensor, which starts at a cache line.
    pub start: usize,
    pub shape: Vec<usize>,
    /// In elements.
    pub strides: Vec<isize>,
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// So many elements from the first cache line on, and where that is.
fn filled<T: El>(len: usize, next: impl FnMut() -> f32) -> Option<(Vec<T>, usize)> {
    let mut values = Vec::<T>::new();
    values.try_reserve_exact(len.checked_add(LINE / size_of::<T>())?).ok()?;
    let start = values.as_ptr().align_offset(LINE).min(LINE / size_of::<T>());
    let padding = std::iter::repeat_n(T::from_f32(0.0), start);
    values.extend(padding.chain(std::iter::repeat_with(next).take(len).map(T::from_f32)));
    Some((values, start))
}

impl Array {
    /// A dense tensor whose elements come from `next`, rounded to the type.
    pub fn filled(
        dtype: DType,
        shape: &[usize],
        next: impl FnMut() -> f32,
    ) -> Result<Array, Error> {
        let refused = || Error::Memory { shape: shape.to_vec() };
        let len = elements(shape).ok_or_else(refused)?;
        let filled = match dtype {
            DType::F16 => filled(len, next).map(|(v, start)| (Data::F16(v), start)),
            DType::BF16 => filled(len, next).map(|(v, start)| (Data::BF16(v), start)),
            DType::F32 => filled(len, next).map(|(v, start)| (Data::F32(v), start)),
        };
        let (data, start) = filled.ok_or_else(refused)?;
        Ok(Array { start, ..Array::dense(data, shape.to_vec()) })
    }

    /// A dense tensor of zeros.
    pub fn zeros(dtype: DType, shape: &[usize]) -> Result<Array, Error> {
        Array::filled(dtype, shape, || 0.0)
    }

    /// A dense tensor, innermost dimension last.
    pub fn dense(data: Data, shape: Vec<usize>) -> Array {
        let strides = contiguous_strides(&shape)[..shape.len().min(MAX_RANK)].to_vec();
        Array { data, start: 0, shape, strides }
    }

    pub fn dtype(&self) -> DType {
        match self.data {
            Data::F16(_) => DType::F16,
            Data::BF16(_) => DType::BF16,
            Data::F32(_) => DType::F32,
        }
    }

    pub fn meta(&self) -> TensorMeta<'_> {
        TensorMeta { shape: &self.shape, dtype: self.dtype() }
    }

    /// Element `i` in memory order.
    pub fn get(&self, i: usize) -> f32 {
        with_elements!(&self.data, v => v[self.start + i].to_f32())
    }

    /// Sets element `i` in memory order, rounded to the type.
    pub fn set(&mut self, i: usize, value: f32) {
        with_elements!(&mut self.data, v => v[self.start + i] = El::from_f32(value));
    }

    pub fn view(&self) -> Result<View<'_>, Error> {
        let (shape, strides, start) = (&self.shape, &self.strides, self.start);
        Ok(with_elements!(&self.data, v => View::strided(v, shape, strides, start))?)
    }

    pub fn view_mut(&mut self) -> Result<ViewMut<'_>, Error> {
        let (shape, strides, start) = (&self.shape, &self.strides, self.start);
        Ok(with_elements!(&mut self.data, v => ViewMut::strided(v, shape, strides, start))?)
    }
}

/// Views of all.
pub fn views(arrays: &[Array]) -> Result<Vec<View<'_>>, Error> {
    arrays.iter().map(Array::view).collect()
}

/// Views of all, to write.
pub fn views_mut(arrays: &mut [Array]) -> Result<Vec<ViewMut<'_>>, Error> {
    arrays.iter_mut().map(Array::view_mut).collect()
}
