//! Serialisation of tables and tails as 32-bit words, to be stored in a file.

use crate::grid::{Grid, Index};
use crate::joint::{Bend, Joint, Piece, Steps};
use crate::made::{Base, Made};
use crate::polynomial::Polynomial;
use crate::symmetry::{Side, Symmetry};
use crate::table::{Centring, Design, End, MAX_DEGREE, Segment, Table};
use crate::tail::{COLUMNS, Cells, Curve, ENTRIES, Line, Tail};

/// Types that can be written as 32-bit words and read again.
pub trait Serialize: Sized {
    /// Appends the words that encode this value.
    fn write(&self, to: &mut Vec<u32>);

    /// Decodes a value, and removes its words from the front of `from`.
    ///
    /// Returns `None` if the words do not encode a value.
    fn read(from: &mut &[u32]) -> Option<Self>;
}

fn next(from: &mut &[u32]) -> Option<u32> {
    let (first, rest) = from.split_first()?;
    *from = rest;
    Some(*first)
}

/// Implements [`Serialize`] for numbers: one word, by value or by bits.
macro_rules! numbers {
    ($($ty:ty: $to:expr, $from:expr;)*) => {$(
        impl Serialize for $ty {
            fn write(&self, to: &mut Vec<u32>) {
                to.push($to(*self));
            }
            fn read(from: &mut &[u32]) -> Option<Self> {
                next(from).map($from)
            }
        }
    )*};
}

numbers! {
    u32: |x| x, |x| x;
    i32: |x: i32| x as u32, |x| x as i32;
    f32: f32::to_bits, f32::from_bits;
    usize: |x| x as u32, |x| x as usize;
    bool: |x| x as u32, |x| x != 0;
}

/// Implements [`Serialize`] for enums without fields: one word, the position in the list.
macro_rules! variants {
    ($($ty:ty: $($variant:expr),*;)*) => {$(
        impl Serialize for $ty {
            fn write(&self, to: &mut Vec<u32>) {
                let place = [$($variant),*].iter().position(|v| v == self);
                to.push(place.map_or(u32::MAX, |k| k as u32));
            }
            fn read(from: &mut &[u32]) -> Option<Self> {
                [$($variant),*].get(next(from)? as usize).copied()
            }
        }
    )*};
}

variants! {
    Index: Index::Down, Index::Nearest, Index::Product;
    Centring: Centring::Own, Centring::Equal, Centring::Origin;
    End: End::Clamp, End::SlowPath, End::Unused;
    Side: Side::Negative, Side::Positive;
    Bend: Bend::Plain, Bend::High, Bend::Double;
}

/// Implements [`Serialize`] for structures, field by field.
macro_rules! fields {
    ($($ty:ident { $($field:ident),* })*) => {$(
        impl Serialize for $ty {
            fn write(&self, to: &mut Vec<u32>) {
                $(self.$field.write(to);)*
            }
            fn read(from: &mut &[u32]) -> Option<Self> {
                Some($ty { $($field: Serialize::read(from)?),* })
            }
        }
    )*};
}

fields! {
    Design { symmetry, centring, degree, power, pair, once }
    Steps { symmetry, degree, slope, thrice, bend }
    Grid { index, scale, first, entries }
    Curve { within, negative, cells, columns }
    Line { from, base, slope }
    Tail { curve, line }
}

impl Serialize for Made {
    fn write(&self, to: &mut Vec<u32>) {
        let (kind, k) = match self.base {
            Base::Value(k) => (0, k),
            Base::Ratio(k) => (1, k),
        };
        [kind, k, self.results.len()].iter().for_each(|x| x.write(to));
        self.results.iter().for_each(|made| made.0.write(to));
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        let (kind, k, many) = (next(from)?, Serialize::read(from)?, usize::read(from)?);
        let base = if kind == 0 { Base::Value(k) } else { Base::Ratio(k) };
        let results = (0..many).map(|_| Some(Polynomial(Serialize::read(from)?)));
        Some(Made { base, results: results.collect::<Option<_>>()? })
    }
}

impl<T: Serialize> Serialize for Option<T> {
    fn write(&self, to: &mut Vec<u32>) {
        self.is_some().write(to);
        self.iter().for_each(|x| x.write(to));
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        Some(if bool::read(from)? { Some(T::read(from)?) } else { None })
    }
}

impl<T: Serialize + Copy + Default, const N: usize> Serialize for [T; N] {
    fn write(&self, to: &mut Vec<u32>) {
        self.iter().for_each(|x| x.write(to));
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        let mut all = [T::default(); N];
        for x in &mut all {
            *x = T::read(from)?;
        }
        Some(all)
    }
}

impl Serialize for Vec<[f32; ENTRIES]> {
    fn write(&self, to: &mut Vec<u32>) {
        self.len().write(to);
        self.iter().for_each(|column| column.write(to));
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        let many = usize::read(from).filter(|n| *n <= COLUMNS + MAX_DEGREE)?;
        (0..many).map(|_| Serialize::read(from)).collect()
    }
}

impl Serialize for Symmetry {
    fn write(&self, to: &mut Vec<u32>) {
        let (kind, more) = match *self {
            Symmetry::None => (0, None),
            Symmetry::Even => (1, None),
            Symmetry::Odd => (2, None),
            Symmetry::Point { sum, side } => (3, Some((sum, side))),
            Symmetry::Linear { slope, side } => (4, Some((slope, side))),
        };
        to.push(kind);
        if let Some((number, side)) = more {
            number.write(to);
            side.write(to);
        }
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        Some(match next(from)? {
            0 => Symmetry::None,
            1 => Symmetry::Even,
            2 => Symmetry::Odd,
            3 => Symmetry::Point { sum: Serialize::read(from)?, side: Serialize::read(from)? },
            4 => Symmetry::Linear { slope: Serialize::read(from)?, side: Serialize::read(from)? },
            _ => return None,
        })
    }
}

impl Serialize for Cells {
    fn write(&self, to: &mut Vec<u32>) {
        match *self {
            Cells::Equal(scale) => {
                to.push(0);
                scale.write(to);
            }
            Cells::Octaves { less, shift } => {
                to.push(1);
                less.write(to);
                shift.write(to);
            }
        }
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        Some(match next(from)? {
            0 => Cells::Equal(Serialize::read(from)?),
            1 => Cells::Octaves { less: Serialize::read(from)?, shift: Serialize::read(from)? },
            _ => return None,
        })
    }
}

/// Reads a number, or returns zero if `is_there` is false because the table does not store it.
///
/// Returns `None` if the words have ended.
fn number(from: &mut &[u32], is_there: bool) -> Option<f32> {
    if is_there { f32::read(from) } else { Some(0.0) }
}

/// Reads the coefficients up to a degree; higher ones are zero.
///
/// Returns `None` if the words have ended.
fn coefficients(from: &mut &[u32], degree: usize) -> Option<[f32; MAX_DEGREE + 1]> {
    let mut all = [0.0; MAX_DEGREE + 1];
    for a in &mut all[..=degree] {
        *a = Serialize::read(from)?;
    }
    Some(all)
}

/// Reads `many` segments; returns `None` if one of them is incomplete.
fn segments<S>(many: usize, segment: impl FnMut() -> Option<S>) -> Option<Vec<S>> {
    let all: Vec<S> = core::iter::repeat_with(segment).take(many).map_while(|s| s).collect();
    (all.len() == many).then_some(all)
}

/// Writes only the coefficients that the design uses, and not the measured error, which is read as 0.
impl Serialize for Table {
    fn write(&self, to: &mut Vec<u32>) {
        self.design.write(to);
        self.grid.write(to);
        self.low.write(to);
        self.high.write(to);
        self.ends.iter().for_each(|end| end.write(to));
        for segment in &self.segments {
            let Design { centring, degree, power, .. } = self.design;
            let own = (centring == Centring::Own).then_some(segment.centre);
            let high = (power != 0).then_some(segment.high);
            own.iter().chain(&high).chain(&segment.a[..=degree]).for_each(|x| x.write(to));
        }
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        let is_whole = |d: &Design| d.degree <= MAX_DEGREE && (!d.pair || d.degree > 2);
        let design = Design::read(from).filter(is_whole)?;
        let grid = Grid::read(from)?;
        let (low, high) = (Serialize::read(from)?, Serialize::read(from)?);
        let ends = [End::read(from)?, End::read(from)?];
        let segments = segments(grid.entries, || {
            let centre = number(from, design.centring == Centring::Own)?;
            let high = number(from, design.power != 0)?;
            Some(Segment { centre, high, a: coefficients(from, design.degree)? })
        })?;
        Some(Table { design, grid, segments, low, high, ends, ulp: 0.0 })
    }
}

/// Writes only the coefficients in use, and not the measured error, which is read as 0.
impl Serialize for Joint {
    fn write(&self, to: &mut Vec<u32>) {
        self.steps.write(to);
        self.grid.write(to);
        self.low.write(to);
        self.high.write(to);
        self.ends.iter().for_each(|end| end.write(to));
        for piece in &self.segments {
            let slope = self.steps.slope.then_some(piece.slope);
            let bend = self.steps.has_bend().then_some(piece.bend);
            piece.centre.write(to);
            slope.iter().chain(&bend).for_each(|x| x.write(to));
            piece.a[..=self.steps.degree].iter().for_each(|x| x.write(to));
        }
    }

    fn read(from: &mut &[u32]) -> Option<Self> {
        let steps = Steps::read(from).filter(|steps| (4..=MAX_DEGREE).contains(&steps.degree))?;
        let grid = Grid::read(from)?;
        let (low, high) = (Serialize::read(from)?, Serialize::read(from)?);
        let ends = [End::read(from)?, End::read(from)?];
        let segments = segments(grid.entries, || {
            let centre = Serialize::read(from)?;
            let slope = number(from, steps.slope)?;
            let bend = number(from, steps.has_bend())?;
            Some(Piece { centre, slope, bend, a: coefficients(from, steps.degree)? })
        })?;
        Some(Joint { steps, grid, segments, low, high, ends, ulp: 0.0 })
    }
}
