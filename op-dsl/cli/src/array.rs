//! Tensors that own their elements.

use super::error::Error;
use codegen_cpu::rt::elem::{El, Element};
use codegen_cpu::rt::view::{View, ViewMut, contiguous_strides};
use codegen_cpu::{elements, with_element};
use half::{bf16, f16};
use op_dsl_ir::Stored;
use op_dsl_ir::bind::{MAX_RANK, TensorMeta, elements};
use op_dsl_ir::format::Format;

/// Elements of a tensor, with one variant per type of elements.
pub enum Data {
    F16(Vec<f16>),
    BF16(Vec<bf16>),
    F32(Vec<f32>),
    /// Truth values, one byte per element.
    Bytes(Vec<u8>),
    /// Masks, eight elements to a byte; read only.
    Bits(Vec<u8>),
    /// Numbers of a type that kernels convert, as their bytes.
    Converted(Stored, Vec<u8>),
    /// Row counts: how many rows each group of a tensor has; read only.
    Int64(Vec<i64>),
    /// No elements: placeholder of an optional tensor that the call leaves out.
    Nothing,
}

/// Evaluates `$do` with `$v` bound to the vector of elements, whatever their type.
///
/// Packed bits are bound to `$bits` in `$else` instead. For numbers of other types, row counts and tensors that are left out,
/// `$none` is evaluated.
macro_rules! with_elements {
    ($data:expr, $v:ident => $do:expr, $bits:ident => $else:expr, none => $none:expr) => {
        match $data {
            Data::F16($v) => $do,
            Data::BF16($v) => $do,
            Data::F32($v) => $do,
            Data::Bytes($v) => $do,
            Data::Bits($bits) => $else,
            Data::Converted(..) | Data::Int64(_) | Data::Nothing => $none,
        }
    };
}
pub(crate) use with_elements;

/// An element type that converts from and to f32: a number, or the byte of a mask.
///
/// The byte of a mask is true (not 0) unless the f32 is 0.
trait Filled: Copy {
    fn of(value: f32) -> Self;
    fn number(self) -> f32;
}

macro_rules! filled {
    ($($E:ty => $Name:ident),*) => {$(
        impl From<Vec<$E>> for Data {
            fn from(values: Vec<$E>) -> Data {
                Data::$Name(values)
            }
        }
        impl Filled for $E {
            fn of(value: f32) -> $E {
                El::from_f32(value)
            }
            fn number(self) -> f32 {
                El::to_f32(self)
            }
        }
    )*};
}
elements!((filled));

impl Filled for u8 {
    /// Returns the byte of a mask for a number: a non-zero byte of the number's bits, or 0 for zero.
    ///
    /// Masks have varied bytes because kernels must take any byte but 0 for true. For example, 1.0 (`0x3f800000`)
    /// becomes `0x80`.
    fn of(value: f32) -> u8 {
        value.to_bits().to_le_bytes().into_iter().find(|byte| *byte != 0).unwrap_or(0)
    }
    fn number(self) -> f32 {
        f32::from(self != 0)
    }
}

/// Returns the number in the bytes of an element of a type that kernels convert.
fn decode(stored: Stored, bytes: &[u8]) -> f64 {
    match (stored, bytes) {
        (Stored::Int8, [b, ..]) => f64::from(*b as i8),
        (Stored::Uint8, [b, ..]) => f64::from(*b),
        (Stored::Int16, [a, b, ..]) => f64::from(i16::from_le_bytes([*a, *b])),
        (Stored::Int32, [a, b, c, d, ..]) => f64::from(i32::from_le_bytes([*a, *b, *c, *d])),
        (_, [b, ..]) => Format::of_stored(stored).map_or(f64::NAN, |f| f.decode(u32::from(*b))),
        (_, []) => f64::NAN,
    }
}

/// Returns the bytes of a number as an element of a type that kernels convert, of which the first `stored.size()` count.
fn encode(stored: Stored, value: f64) -> [u8; 4] {
    let bits = match Format::of_stored(stored) {
        Some(format) => format.encode(value),
        None => stored.nearest(value) as i64 as u32,
    };
    bits.to_le_bytes()
}

/// A tensor: elements, shape, strides.
pub struct Array {
    pub data: Data,
    /// Index in `data` of the first element, aligned to a cache line if the program filled the tensor.
    pub start: usize,
    pub shape: Vec<usize>,
    /// Stride in elements, per dimension.
    pub strides: Vec<isize>,
}

const LINE: usize = 64;

/// Returns a vector with `len` elements from `next`, and the index of the first element.
///
/// The first element is at the start of a cache line. `None` means that memory does not suffice.
fn filled<T: Filled>(len: usize, next: impl FnMut() -> f32) -> Option<(Vec<T>, usize)> {
    let mut values = Vec::<T>::new();
    values.try_reserve_exact(len.checked_add(LINE / size_of::<T>())?).ok()?;
    let start = values.as_ptr().align_offset(LINE).min(LINE / size_of::<T>());
    let padding = std::iter::repeat_n(T::of(0.0), start);
    values.extend(padding.chain(std::iter::repeat_with(next).take(len).map(T::of)));
    Some((values, start))
}

impl Array {
    /// Returns a contiguous tensor whose elements come from `next`.
    ///
    /// The elements are rounded to the type. A mask is true where they are not 0.
    pub fn filled(
        stored: impl Into<Stored>,
        shape: &[usize],
        mut next: impl FnMut() -> f32,
    ) -> Result<Array, Error> {
        let stored = stored.into();
        let refused = || Error::Memory { shape: shape.to_vec() };
        let len = elements(shape).ok_or_else(refused)?;
        let filled = match stored {
            Stored::Number(dtype) => with_element!(dtype, E => {
                filled::<E>(len, next).map(|(v, start)| (v.into(), start))
            }),
            Stored::Byte | Stored::Bit => {
                filled(len, next).map(|(v, start)| (Data::Bytes(v), start))
            }
            Stored::Int64 => return Ok(Array::all_rows()),
            Stored::Nothing => Some((Data::Nothing, 0)),
            _ => filled::<u8>(len.saturating_mul(stored.size()), || 0.0).map(|(mut v, start)| {
                let elements = v[start..].chunks_exact_mut(stored.size());
                elements.for_each(|e| e.copy_from_slice(&encode(stored, next().into())[..e.len()]));
                (Data::Converted(stored, v), start / stored.size())
            }),
        };
        let (data, start) = filled.ok_or_else(refused)?;
        Ok(Array { start, ..Array::dense(data, shape.to_vec()) })
    }

    /// Returns the placeholder of an optional tensor that the call leaves out.
    pub fn absent() -> Array {
        Array::dense(Data::Nothing, Vec::new())
    }

    /// Returns a row-count tensor with one count, so large that it covers all rows of any tensor.
    pub fn all_rows() -> Array {
        Array::dense(Data::Int64(vec![i64::MAX]), vec![1])
    }

    /// Returns a contiguous tensor of zeros.
    pub fn zeros(stored: impl Into<Stored>, shape: &[usize]) -> Result<Array, Error> {
        Array::filled(stored, shape, || 0.0)
    }

    /// Returns a contiguous tensor with these elements in row-major order.
    pub fn dense(data: Data, shape: Vec<usize>) -> Array {
        let strides = contiguous_strides(&shape)[..shape.len().min(MAX_RANK)].to_vec();
        Array { data, start: 0, shape, strides }
    }

    pub fn stored(&self) -> Stored {
        if let Data::Bytes(_) = self.data {
            return Stored::Byte;
        }
        fn of<E: Element>(_: &[E]) -> Stored {
            E::STORED
        }
        with_elements!(
            &self.data,
            v => of(v),
            _bits => Stored::Bit,
            none => match self.data {
                Data::Converted(stored, _) => stored,
                Data::Int64(_) => Stored::Int64,
                _ => Stored::Nothing,
            }
        )
    }

    pub fn meta(&self) -> TensorMeta<'_> {
        TensorMeta { shape: &self.shape, dtype: self.stored() }
    }

    /// Reinterprets the bytes of a mask as packed bits of a mask of this shape.
    ///
    /// # Errors
    /// The bytes are not contiguous, or their number is not what the shape takes.
    pub fn unpacked(self, shape: Vec<usize>) -> Result<Array, String> {
        let dense = contiguous_strides(&self.shape);
        match (self.data, elements(&shape).map(|n| n.div_ceil(8))) {
            (Data::Bytes(bytes), Some(needed))
                if bytes.len() == needed && dense[..self.shape.len()] == self.strides =>
            {
                Ok(Array::dense(Data::Bits(bytes), shape))
            }
            (_, needed) => Err(format!(
                "the file has shape {:?}; {shape:?} takes {} bytes of packed bits, one after the other",
                self.shape,
                needed.unwrap_or(usize::MAX)
            )),
        }
    }

    /// Returns element `i` in memory order as a number; an element of a mask is 1 or 0.
    pub fn get(&self, i: usize) -> f64 {
        with_elements!(
            &self.data,
            v => v[self.start + i].number().into(),
            bits => f64::from(bits[i / 8] >> (i % 8) & 1),
            none => match &self.data {
                Data::Converted(stored, v) => {
                    decode(*stored, &v[(self.start + i) * stored.size()..])
                }
                _ => f64::NAN,
            }
        )
    }

    /// Sets element `i` in memory order to `value`, rounded to the type.
    ///
    /// In a mask it becomes true unless `value` is 0.
    pub fn set(&mut self, i: usize, value: f32) {
        with_elements!(
            &mut self.data,
            v => v[self.start + i] = Filled::of(value),
            _bits => {},
            none => if let Data::Converted(stored, v) = &mut self.data {
                let size = stored.size();
                let bytes = encode(*stored, value.into());
                v[(self.start + i) * size..][..size].copy_from_slice(&bytes[..size]);
            }
        );
    }

    pub fn view(&self) -> Result<View<'_>, Error> {
        let (shape, strides, start) = (&self.shape, &self.strides, self.start);
        Ok(with_elements!(
            &self.data,
            v => View::strided(v, shape, strides, start)?,
            bits => View::strided_bits(bits, shape, strides, start)?,
            none => match &self.data {
                Data::Converted(stored, v) => View::in_bytes(v, *stored, shape, strides, start)?,
                Data::Int64(v) => View::strided(v, shape, strides, start)?,
                _ => View::ABSENT,
            }
        ))
    }

    /// Returns a view of the tensor to write; an error for packed bits and row counts, because no output is one.
    pub fn view_mut(&mut self) -> Result<ViewMut<'_>, Error> {
        let (shape, strides, start) = (&self.shape, &self.strides, self.start);
        Ok(match &mut self.data {
            Data::F16(v) => ViewMut::strided(v, shape, strides, start)?,
            Data::BF16(v) => ViewMut::strided(v, shape, strides, start)?,
            Data::F32(v) => ViewMut::strided(v, shape, strides, start)?,
            Data::Bytes(v) => ViewMut::strided(v, shape, strides, start)?,
            Data::Converted(stored, v) => ViewMut::in_bytes(v, *stored, shape, strides, start)?,
            Data::Bits(_) | Data::Int64(_) | Data::Nothing => {
                return Err(Error::Usage("an output holds numbers or truth values".into()));
            }
        })
    }
}

/// Returns a view of every array.
pub fn views(arrays: &[Array]) -> Result<Vec<View<'_>>, Error> {
    arrays.iter().map(Array::view).collect()
}

/// Returns a view of every array to write.
pub fn views_mut(arrays: &mut [Array]) -> Result<Vec<ViewMut<'_>>, Error> {
    arrays.iter_mut().map(Array::view_mut).collect()
}
