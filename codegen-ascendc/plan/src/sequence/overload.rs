//! Chooses the overload of an AscendC call that takes numbers among its arguments.
//!
//! A vector of equal numbers (a splat) is 256 bytes, written once per kernel. Few calls can read one: those that have an overload
//! with a scalar, and those with two sources whose overload with repeats reads one repeat again and again by a stride of 0. The
//! facts are those of the API's pages on `Select`, `Compare`, `Compares` and the binary calls.

use super::api::{Api, F32, Type};
use crate::arch::Arch;

/// An overload of an AscendC vector call, which decides how the call is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overload {
    /// Takes a count of elements; every argument is a vector.
    Vectors,
    /// Takes a count of elements; the last argument is a scalar.
    ///
    /// Only `Select` has this overload: `VSEL_TENSOR_SCALAR_MODE`.
    ScalarLast,
    /// Takes repeats and strides; a splat (256 bytes of one number) has a stride of 0.
    Repeats,
    /// One call for each repeat, since a mask holds the bits of one repeat.
    ///
    /// Splats are read at the same address each time.
    EachRepeat,
}

impl Overload {
    /// Returns the overload of a vector call for its arguments; `None` if the call has none.
    ///
    /// `splats` tells for each argument whether it is a splat: 256 bytes of one number. `lanes` is the type of the first argument.
    pub fn of(api: Api, lanes: Type, splats: &[bool], arch: &Arch) -> Option<Overload> {
        let one_mask = !arch.long_masks && matches!(api, Api::Compare(_) | Api::Select);
        match (api, splats) {
            (Api::Select, [true, ..]) => None, // a mask is bits, never a number
            _ if one_mask => Some(Overload::EachRepeat),
            (_, splats) if !splats.contains(&true) => Some(Overload::Vectors),
            (Api::Select, [_, false, true]) => Some(Overload::ScalarLast),
            (Api::Select, _) => Some(Overload::Repeats),
            // Not where calls are on registers, because `Adds` adds a number to a square as cheaply there.
            (Api::FusedMulAdd, [false, false, true]) if lanes == F32 && !arch.registers => {
                let lacks = arch.lacks.contains(&api.name());
                (!lacks).then_some(Overload::Repeats)
            }
            (api, [a, b]) if api.is_binary() && lanes == F32 && a != b => Some(Overload::Repeats),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::Soc;
    use crate::sequence::Compare;

    #[test]
    fn what_takes_a_number_where() {
        let of = |api, splats: &[bool], soc| {
            Overload::of(api, F32, splats, Soc::named(soc).expect("a target").arch)
        };
        for soc in ["ascend910b", "ascend310p", "ascend950"] {
            assert_eq!(of(Api::Select, &[false, false, true], soc), Some(Overload::ScalarLast));
            assert_eq!(of(Api::Select, &[false, true, false], soc), Some(Overload::Repeats));
            assert_eq!(of(Api::Select, &[false, true, true], soc), Some(Overload::Repeats));
            assert_eq!(of(Api::Compare(Compare::Lt), &[true, false], soc), None);
        }
        for soc in ["ascend910b", "ascend910"] {
            assert_eq!(of(Api::Select, &[true, false, false], soc), None);
            assert_eq!(of(Api::Div, &[true, false], soc), Some(Overload::Repeats));
            assert_eq!(of(Api::Div, &[true, true], soc), None);
            assert_eq!(of(Api::Exp, &[true], soc), None);
            assert_eq!(of(Api::Axpy, &[true, false], soc), None);
        }
        for (soc, overload) in
            [("ascend910b", Some(Overload::Repeats)), ("ascend910", None), ("ascend950", None)]
        {
            assert_eq!(of(Api::FusedMulAdd, &[false, false, true], soc), overload, "{soc}");
        }
        assert_eq!(of(Api::Select, &[false, true, true], "ascend910"), Some(Overload::EachRepeat));
    }
}
