//! Every layout, size, level, thread count and kind of store must give the bits of a scalar loop.

mod driver;

use codegen_cpu::rt::call::Options;
use codegen_cpu::rt::view::{View, ViewMut};
use driver::{
    Buf, SIZES, Tensor, all_options, binary, binary_claims, check_cast, double, expect_binary,
    expect_gated, gated_broadcast, two_outputs,
};
use op_dsl_ir::DType;
use op_dsl_ir::op::{Pattern, Value};
use proptest::prelude::*;
use std::cell::Cell;

/// Runs on fresh outputs with each of the options, then in place.
fn check_gated(
    pattern: Pattern,
    dim: usize,
    left: bool,
    t: [&Tensor; 3],
    dx: &Tensor,
    all: &[Options],
) {
    let op = gated_broadcast(pattern);
    let attrs = [Value::Int(dim as i64), Value::Bool(left)];
    let want = expect_gated(pattern, dim, left, t, dx);
    let [dy, x, gelu] = t.map(|t| t.view().unwrap());
    for options in all {
        let mut dx = dx.clone();
        op.run(&attrs, &[dy, x, gelu], &mut [dx.view_mut().unwrap()], options).unwrap();
        assert!(dx.buf == want, "{options:?} {t:?}");
    }
    // The operator can work in place if output and input have one shape, and no element is repeated.
    if t[1].repeats() {
        assert!(t[1].clone().both(true).is_err() && t[1].clone().both(false).is_err());
    } else if t[1].shape == dx.shape {
        let want = expect_gated(pattern, dim, left, t, t[1]);
        for (options, cells) in all.iter().flat_map(|o| [(o, true), (o, false)]) {
            let mut both = t[1].clone();
            let (x, dx) = both.both(cells).unwrap();
            op.run(&attrs, &[dy, x, gelu], &mut [dx], options).unwrap();
            assert!(both.buf == want, "in place, {options:?} {:?}", t[0].shape);
        }
    }
}

fn check_binary(t: [&Tensor; 2], z: &Tensor, all: &[Options]) {
    let want = expect_binary(0.75, t, z);
    for options in all {
        let mut z = z.clone();
        let views = t.map(|t| t.view().unwrap());
        binary().run(&[Value::Float(0.75)], &views, &mut [z.view_mut().unwrap()], options).unwrap();
        assert!(z.buf == want, "{options:?} {t:?}");
    }
}

#[test]
fn rows_of_every_boundary_size() {
    let all = all_options();
    for dtype in DType::ALL {
        for n in SIZES {
            for rows in [1, 5] {
                let shape = [rows, n];
                let dense = |shape: &[usize], seed| Tensor::dense(dtype, shape, seed);
                let (dy, gelu) = (dense(&shape, 1), dense(&shape, 2));
                let x = dense(&double(&shape, 1), 3);
                let dx = dense(&x.shape, 4);
                check_gated(Pattern::Halves, 1, n % 2 == 0, [&dy, &x, &gelu], &dx, &all);
                check_gated(Pattern::Interleaved, 1, n % 2 == 1, [&dy, &x, &gelu], &dx, &all);
            }
        }
    }
}

#[test]
fn every_rank_and_split_dimension() {
    for rank in 1..=8 {
        let shape: Vec<usize> = [3, 2, 1, 2, 3, 1, 2, 21][8 - rank..].to_vec();
        for dim in 0..rank {
            let dense = |shape: &[usize], seed| Tensor::dense(DType::F32, shape, seed);
            let (dy, gelu) = (dense(&shape, 1), dense(&shape, 2));
            let x = dense(&double(&shape, dim), 3);
            let dx = dense(&x.shape, 4);
            let pattern = [Pattern::Halves, Pattern::Interleaved][dim % 2];
            check_gated(pattern, dim, rank % 2 == 0, [&dy, &x, &gelu], &dx, &all_options());
        }
    }
}

/// Pointers at every offset from a cache line: the same for all outputs, and different for each.
#[test]
fn unaligned_pointers() {
    for dtype in DType::ALL {
        for lead in 0..33 {
            let shape = [1, 700];
            let at = |shape: &[usize], lead, seed| {
                Tensor::laid_out(dtype, shape, &[1, 0], &[0, 0], &[false; 2], lead, seed)
            };
            let (dy, gelu) = (at(&shape, 1, 1), at(&shape, lead, 2));
            let x = at(&[1, 1400], 3, 3);
            let dx = at(&[1, 1400], lead, 4);
            for pattern in [Pattern::Halves, Pattern::Interleaved] {
                check_gated(pattern, 1, true, [&dy, &x, &gelu], &dx, &all_options());
                let x = at(&[1, 1400], lead, 3);
                check_gated(pattern, 1, lead % 2 == 0, [&dy, &x, &gelu], &dx, &all_options());
            }
        }
    }
}

/// Addresses that are not a multiple of the element's size, as C callers may pass them.
#[test]
fn odd_addresses() {
    for dtype in DType::ALL {
        let t = [1, 2, 3].map(|seed| Tensor::dense(dtype, &[2, 300], seed));
        let want = bytes(&expect_binary(0.75, [&t[0], &t[1]], &t[2]));
        for options in all_options() {
            let mut odd = t.each_ref().map(|t| [vec![0], bytes(&t.buf)].concat());
            let [x, y, z] = odd.each_mut().map(|bytes| &mut bytes[1..]);
            // SAFETY: the bytes of the same number of elements, which are borrowed for as long.
            let (inputs, z) = unsafe {
                let of = |b: &[u8]| View::from_raw_parts(b.as_ptr(), dtype, &[2, 300], &[300, 1]);
                let z = ViewMut::from_raw_parts(z.as_mut_ptr(), dtype, &[2, 300], &[300, 1]);
                ([of(x).unwrap(), of(y).unwrap()], z.unwrap())
            };
            binary().run(&[Value::Float(0.75)], &inputs, &mut [z], &options).unwrap();
            assert!(odd[2][1..] == want, "{dtype} {options:?}");
        }
    }
}

fn bytes(buf: &Buf) -> Vec<u8> {
    match buf {
        Buf::F16(v) => v.iter().flat_map(|v| v.to_ne_bytes()).collect(),
        Buf::BF16(v) => v.iter().flat_map(|v| v.to_ne_bytes()).collect(),
        Buf::F32(v) => v.iter().flat_map(|v| v.to_ne_bytes()).collect(),
    }
}

/// An operand that is broadcast along rows, along columns, and everywhere.
///
/// All pairs of element types are tested.
#[test]
fn broadcast_and_promotion() {
    for a in DType::ALL {
        for b in DType::ALL {
            for columns in [13, 100, 500, 5000] {
                let x = Tensor::dense(a, &[17, columns], 1);
                let z = Tensor::dense(a.promote(b), &[17, columns], 3);
                for shape in [&[17, columns][..], &[columns], &[17, 1], &[1], &[], &[1, 1]] {
                    let y = Tensor::dense(b, shape, 2);
                    check_binary([&x, &y], &z, &all_options());
                    check_binary([&y, &x], &z, &all_options());
                }
            }
        }
    }
}

/// Repeated runs of one checked call must equal separate calls, with staged rows and reordered dimensions.
#[test]
fn repeated_runs_equal_separate_calls() {
    let attrs = [Value::Float(0.75)];
    for (shape, order) in [(&[40, 130][..], &[0, 1][..]), (&[9, 40, 33], &[2, 0, 1])] {
        for options in all_options() {
            let (none, dense) = (vec![0; shape.len()], vec![false; shape.len()]);
            let lie = |seed| Tensor::laid_out(DType::F32, shape, order, &none, &dense, 0, seed);
            let b = Tensor::dense(DType::F32, shape, 1);
            let (mut once, mut times) = (lie(2), lie(2));
            for _ in 0..3 {
                let (a, out) = once.both(true).unwrap();
                binary().run(&attrs, &[a, b.view().unwrap()], &mut [out], &options).unwrap();
            }
            let (a, out) = times.both(true).unwrap();
            let (inputs, mut outputs) = ([a, b.view().unwrap()], [out]);
            binary().run_repeatedly(3, &attrs, &inputs, &mut outputs, &options).unwrap();
            assert!(times.buf == once.buf && once.buf != lie(2).buf, "{options:?} {shape:?}");
        }
    }
}

/// Two outputs that are interleaved in one buffer, in either order.
#[test]
fn outputs_in_one_buffer() {
    let op = two_outputs();
    let (attrs, n) = ([Value::Int(1), Value::Bool(true)], 700);
    for (dtype, first) in DType::ALL.into_iter().flat_map(|dtype| [(dtype, 0), (dtype, 1)]) {
        let [dy, gelu] = [1, 2].map(|seed| Tensor::dense(dtype, &[2, n], seed));
        let x = Tensor::dense(dtype, &[2, 2 * n], 3);
        let halves = Tensor::dense(dtype, &[2, 2 * n], 4);
        let parts = expect_gated(Pattern::Halves, 1, true, [&dy, &x, &gelu], &halves);
        let at = |i: usize| i / (2 * n) * 2 * n + (i + first) % 2 * n + i % (2 * n) / 2;
        let want = Buf::new(dtype, (0..4 * n).map(|i| parts.get(at(i))));
        let inputs = [&dy, &x, &gelu].map(|t| t.view().unwrap());
        for options in all_options() {
            let mut buf = bytes(&Buf::new(dtype, (0..4 * n).map(|_| 0.0)));
            let size = dtype.size();
            let outputs = [first, 1 - first].map(|start| {
                let start = buf.as_mut_ptr().wrapping_add(start * size);
                let strides = [2 * n as isize, 2];
                // SAFETY: the bytes of the same number of elements, which are borrowed for as long.
                unsafe { ViewMut::from_raw_parts(start, dtype, &[2, n], &strides) }.unwrap()
            });
            op.run(&attrs, &inputs, &mut { outputs }, &options).unwrap();
            assert!(buf == bytes(&want), "{dtype} {options:?}");
        }
    }
}

/// Long rows that are cut into several boxes, and transposed operands.
#[test]
fn long_and_transposed() {
    for dtype in [DType::F32, DType::BF16] {
        for shape in [[3, 70_001], [130, 517], [517, 130]] {
            let lie = |order: &[usize], gap: [usize; 2], seed| {
                Tensor::laid_out(dtype, &shape, order, &gap, &[false, true], 1, seed)
            };
            let z = lie(&[1, 0], [0, 5], 3);
            for order in [[0, 1], [1, 0]] {
                let (x, y) = (lie(&order, [0, 0], 1), lie(&[1, 0], [1, 3], 2));
                check_binary([&x, &y], &z, &all_options());
            }
        }
    }
}

/// An input that a kernel declares as unread may lie anywhere, even on the output.
///
/// If the kernel reads it nevertheless, it sees another input, or zeros if there is none.
#[test]
fn unread_input_is_free() {
    for n in [40, 5000] {
        let x = Tensor::dense(DType::F32, &[n], 1);
        let mut zero = x.clone();
        (0..n).for_each(|i| zero.buf.set(i, 0.0));
        for (op, given) in [(binary_claims(true), &x), (binary_claims(false), &zero)] {
            for options in all_options() {
                let mut z = Tensor::dense(DType::F32, &[n + 1], 2);
                z.shape[0] = n;
                let want = expect_binary(0.5, [given; 2], &z);
                let cells = match &mut z.buf {
                    Buf::F32(v) => Cell::from_mut(&mut v[..]).as_slice_of_cells(),
                    _ => unreachable!("of f32"),
                };
                let y = View::from_cells(cells, &[n], &[1], 1).unwrap(); // overlaps the output without being identical to it
                let out = ViewMut::from_cells(cells, &[n], &[1], 0).unwrap();
                op.run(&op.default_attrs(), &[x.view().unwrap(), y], &mut [out], &options).unwrap();
                assert_eq!(z.buf, want);
            }
        }
    }
}

/// Memory layout of one tensor, independent of its shape.
#[derive(Clone, Debug)]
struct Layout {
    order: Vec<usize>,
    gap: Vec<usize>,
    flip: Vec<bool>,
    repeat: Vec<bool>,
    lead: usize,
    seed: u64,
}

fn layout(rank: usize) -> impl Strategy<Value = Layout> {
    let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
    let sorted = Just((0..rank).rev().collect::<Vec<_>>());
    let order = prop_oneof![sorted, order];
    let gap = prop::collection::vec(prop_oneof![3 => Just(0usize), 1 => 0usize..4], rank);
    let flip = prop::collection::vec(prop::bool::weighted(0.2), rank);
    let repeat = prop::collection::vec(prop::bool::weighted(0.15), rank);
    (order, gap, flip, repeat, 0usize..20, any::<u64>()).prop_map(
        |(order, gap, flip, repeat, lead, seed)| Layout { order, gap, flip, repeat, lead, seed },
    )
}

impl Layout {
    fn output(&self, dtype: DType, shape: &[usize]) -> Tensor {
        Tensor::laid_out(dtype, shape, &self.order, &self.gap, &self.flip, self.lead, self.seed)
    }

    /// Reduces the layout to a tensor of fewer dimensions.
    fn of_rank(mut self, rank: usize) -> Layout {
        self.order.retain(|d| *d < rank);
        (self.gap, self.flip) = (self.gap[..rank].to_vec(), self.flip[..rank].to_vec());
        self.repeat.truncate(rank);
        self
    }

    fn input(&self, dtype: DType, shape: &[usize]) -> Tensor {
        let mut plain = self.clone();
        plain.flip.iter_mut().zip(&self.repeat).for_each(|(f, r)| *f &= !r);
        plain.output(dtype, shape).repeated(&self.repeat)
    }
}

/// The end of a range of sizes.
///
/// It is smaller in an interpreter, where an element takes 100 us and every case has several runs.
fn below(native: usize, interpreted: usize) -> usize {
    if cfg!(miri) { interpreted } else { native }
}

fn shape() -> impl Strategy<Value = Vec<usize>> {
    let small = prop::collection::vec(1..below(8, 4), 1..=below(5, 4));
    let outer = prop::collection::vec(1..below(5, 3), 0..=2);
    let long = (outer, 1..below(400, 150)).prop_map(|(mut v, n)| {
        v.push(n);
        v
    });
    let wide = (1..below(200, 20), 1..below(200, 20)).prop_map(|(a, b)| vec![a, b]);
    let empty = prop::collection::vec(0usize..3, 1..=4);
    prop_oneof![4 => small, 4 => long, 3 => wide, 1 => empty]
}

fn dtype() -> impl Strategy<Value = DType> {
    prop::sample::select(&DType::ALL[..])
}

proptest! {
    // Few cases in an interpreter, because each takes a second and more.
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 400 }))]

    #[test]
    fn any_strides(
        (shape, dim, layouts) in shape().prop_flat_map(|s| {
            let rank = s.len();
            (Just(s), 0..rank, prop::collection::vec(layout(rank), 4))
        }),
        dtype in dtype(),
        left in any::<bool>(),
        interleaved in any::<bool>(),
    ) {
        let pattern = if interleaved { Pattern::Interleaved } else { Pattern::Halves };
        let both = double(&shape, dim);
        let dy = layouts[0].input(dtype, &shape);
        let x = layouts[1].input(dtype, &both);
        let gelu = layouts[2].input(dtype, &shape);
        let dx = layouts[3].output(dtype, &both);
        check_gated(pattern, dim, left, [&dy, &x, &gelu], &dx, &all_options());
    }

    /// Tensors that lack outer dimensions, or have size 1 along some; for a gated tensor, each part.
    #[test]
    fn any_broadcast(
        (shape, dim, layouts, ones, missing) in shape().prop_flat_map(|s| {
            let rank = s.len();
            let ones = prop::collection::vec(prop::collection::vec(any::<bool>(), rank), 3);
            let missing = prop::collection::vec(0..3usize, 3);
            (Just(s), 0..rank, prop::collection::vec(layout(rank), 4), ones, missing)
        }),
        dtype in dtype(),
        left in any::<bool>(),
        interleaved in any::<bool>(),
    ) {
        let pattern = if interleaved { Pattern::Interleaved } else { Pattern::Halves };
        let rank = shape.len();
        // The gated tensor keeps the split dimension, and every tensor at least one dimension.
        let missing = [0, 1, 2].map(|k| missing[k].min(if k == 1 { dim } else { rank - 1 }));
        let own = [0, 1, 2].map(|k| -> Vec<usize> {
            let one = |(&n, one): (&usize, &bool)| if *one { 1 } else { n };
            shape.iter().zip(&ones[k]).map(one).skip(missing[k]).collect()
        });
        let most = own.iter().map(Vec::len).max().unwrap();
        let domain: Vec<usize> = (0..most).map(|d| {
            let of = own.iter().filter_map(|own| own.get((d + own.len()).checked_sub(most)?));
            of.copied().find(|n| *n != 1).unwrap_or(1)
        }).collect();
        let at = |rank: usize| dim + rank - shape.len();
        let tensor = |k: usize, shape: &[usize]| {
            layouts[k].clone().of_rank(shape.len()).input(dtype, shape)
        };
        let (dy, gelu) = (tensor(0, &own[0]), tensor(2, &own[2]));
        let x = tensor(1, &double(&own[1], at(own[1].len())));
        let dx = double(&domain, at(most));
        let dx = layouts[3].clone().of_rank(most).output(dtype, &dx);
        check_gated(pattern, at(most), left, [&dy, &x, &gelu], &dx, &all_options());
    }

    #[test]
    fn any_strides_and_types(
        (shape, layouts) in shape().prop_flat_map(|s| {
            let rank = s.len();
            (Just(s), prop::collection::vec(layout(rank), 3))
        }),
        (a, b, c) in (dtype(), dtype(), dtype()),
    ) {
        let x = layouts[0].input(a, &shape);
        let y = layouts[1].input(b, &shape);
        let z = layouts[2].output(a.promote(b), &shape);
        check_binary([&x, &y], &z, &all_options());
        check_cast([&x, &y], layouts[2].output(c, &shape));
    }
}
