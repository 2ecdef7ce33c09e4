//! Gated tensors broadcast with others of any shape, using only the macros and safe code.
#![forbid(unsafe_code)]
#![allow(missing_docs)]

#[op_dsl::operators]
pub mod gates {
    use op_dsl::prelude::*;

    /// `y = value * gate + z`
    #[op(name = "Halves", broadcast)]
    pub fn halves(#[split(along = dim)] x: Gated, z: Elem, #[attr(default = -1)] dim: Dim) -> Elem {
        x.value * x.gate + z
    }

    /// `y = value * gate + z`
    #[op(name = "Pairs", broadcast)]
    pub fn pairs(
        #[split(along = dim, interleaved)] x: Gated,
        z: Elem,
        #[attr(default = -1)] dim: Dim,
    ) -> Elem {
        x.value * x.gate + z
    }
}

use op_dsl::ir::op::Value;
use op_dsl::{Options, View, ViewMut};

/// Returns `n` distinct small numbers.
fn numbers(first: usize, n: usize) -> Vec<f32> {
    (first..first + n).map(|i| i as f32 / 4.0).collect()
}

/// Neither part reads beyond the tensor, however often it is repeated.
#[test]
fn a_part_of_one_element_is_repeated() {
    for n in [1, 5, 100, 3_000_000] {
        let (x, z) = ([3.0f32, 0.5], numbers(0, n));
        let want: Vec<f32> = z.iter().map(|z| 1.5 + z).collect();
        let views = || (View::new(&x, &[2]).expect("x"), View::new(&z, &[n]).expect("z"));
        for op in gates::OPERATORS {
            let mut y = vec![0.0f32; n];
            let (x, z) = views();
            let out = ViewMut::new(&mut y, &[n]).expect("y");
            op.run(&[Value::Int(-1)], &[x, z], &mut [out], &Options::default()).expect("a call");
            assert!(y == want, "{} of {n}", op.name());
        }
    }
}

/// Every way to have a dimension of 1, or none, where another tensor has more.
#[test]
fn any_dimension_may_be_repeated() {
    let full = [2usize, 3, 4];
    for op in gates::OPERATORS {
        for (dim, ones, missing) in
            (0..3).flat_map(|d| (0..64).flat_map(move |ones| (0..=d).map(move |m| (d, ones, m))))
        {
            let of = |bits: usize, missing: usize| -> Vec<usize> {
                let one = |(i, n): (usize, &usize)| if bits >> i & 1 == 1 { 1 } else { *n };
                full.iter().enumerate().map(one).skip(missing).collect()
            };
            let (part, z_shape) = (of(ones & 7, missing), of(ones >> 3, 0));
            let domain: Vec<usize> = (0..3)
                .map(|d: usize| d.checked_sub(missing).map_or(1, |d| part[d]).max(z_shape[d]))
                .collect();
            let (split, mut x_shape) = (dim - missing, part.clone());
            x_shape[split] *= 2;
            let x = numbers(1, x_shape.iter().product());
            let z = numbers(50, z_shape.iter().product());
            let n = domain.iter().product();
            let want: Vec<f32> = (0..n)
                .map(|i| {
                    let index =
                        [i / (domain[1] * domain[2]), i / domain[2] % domain[1], i % domain[2]];
                    let at = |shape: &[usize], second: Option<bool>| {
                        let lead = 3 - shape.len();
                        shape.iter().enumerate().fold(0, |at, (d, n)| {
                            let own = |len: usize| if len == 1 { 0 } else { index[lead + d] };
                            let own = match second.filter(|_| d == split) {
                                Some(second) if op.name() == "Halves" => {
                                    own(n / 2) + if second { n / 2 } else { 0 }
                                }
                                Some(second) => 2 * own(n / 2) + usize::from(second),
                                None => own(*n),
                            };
                            at * n + own
                        })
                    };
                    let [a, b] = [false, true].map(|second| x[at(&x_shape, Some(second))]);
                    a * b + z[at(&z_shape, None)]
                })
                .collect();
            let mut y = vec![0.0f32; n];
            let inputs = [View::new(&x, &x_shape).expect("x"), View::new(&z, &z_shape).expect("z")];
            let out = ViewMut::new(&mut y, &domain).expect("y");
            op.run(&[Value::Int(dim as i64)], &inputs, &mut [out], &Options::default())
                .expect("a call");
            assert!(y == want, "{} {x_shape:?} {z_shape:?} along {dim}", op.name());
        }
    }
}
