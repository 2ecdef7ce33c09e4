//! Shapes of at most eight dimensions, stored without allocation.

use std::fmt;
use std::ops::Deref;

/// Maximum rank of a tensor.
pub const MAX_RANK: usize = 8;

/// Maximum number of elements, because elements of 4 bytes each must still have addresses.
pub(super) const MOST_ELEMENTS: usize = isize::MAX as usize / 4;

/// The shape of a tensor of at most [`MAX_RANK`] dimensions, outermost first.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    pub(super) dims: [usize; MAX_RANK],
    pub(super) rank: usize,
}

impl Shape {
    /// The shape of rank 0, which has one element.
    pub const SCALAR: Shape = Shape { dims: [0; MAX_RANK], rank: 0 };

    /// Returns the shape with these dimensions; `None` if there are more than [`MAX_RANK`].
    #[inline]
    pub fn new(dims: &[usize]) -> Option<Shape> {
        if dims.len() > MAX_RANK {
            return None;
        }
        let mut shape = Shape { dims: [0; MAX_RANK], rank: dims.len() };
        shape.dims.iter_mut().zip(dims).for_each(|(to, from)| *to = *from);
        Some(shape)
    }

    /// Returns the number of elements; `None` if they are too many to address.
    pub fn elements(&self) -> Option<usize> {
        elements(self)
    }
}

/// Returns the number of elements of a shape; `None` if they are too many to address.
///
/// A dimension of 0 makes the number of elements 0, even where the product of the other dimensions overflows.
#[inline]
pub fn elements(dims: &[usize]) -> Option<usize> {
    let (mut count, mut fits) = (1usize, true);
    for &d in dims {
        if d == 0 {
            return Some(0);
        }
        let (product, over) = count.overflowing_mul(d);
        (count, fits) = (product, fits && !over);
    }
    (fits && count <= MOST_ELEMENTS).then_some(count)
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
