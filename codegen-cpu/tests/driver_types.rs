//! Outputs of every element type must equal a scalar loop that rounds to the type of the call first.

mod driver;

use codegen_cpu::rt::call::Options;
use codegen_cpu::rt::view::{View, ViewMut};
use driver::{
    Buf, SIZES, Tensor, all_options, binary, check_cast, double, expect_gated, gated_broadcast,
    indices, two_outputs,
};
use half::{bf16, f16};
use op_dsl_ir::DType;
use op_dsl_ir::op::{Pattern, Value};

/// Every pair of element types, on contiguous tensors of every boundary size.
#[test]
fn outputs_of_another_type() {
    for a in DType::ALL {
        for c in DType::ALL {
            for n in SIZES.into_iter().chain([5000]) {
                for rows in [1, 3] {
                    let [x, y] = [1, 2].map(|seed| Tensor::dense(a, &[rows, n], seed));
                    check_cast([&x, &y], Tensor::dense(c, &[rows, n], 3));
                }
            }
        }
    }
}

/// Two outputs, each with its own type and offset from a cache line, and then one of them in place.
#[test]
fn outputs_of_several_types() {
    let op = two_outputs();
    let (attrs, n) = ([Value::Int(1), Value::Bool(true)], 700);
    for [a, first, second] in every_three_types() {
        for (rows, lead) in [(1, 0), (1, 4), (3, 0)] {
            let lie = |dtype, columns, lead, seed| {
                let (order, none) = ([1, 0], [0, 0]);
                Tensor::laid_out(dtype, &[rows, columns], &order, &none, &[false; 2], lead, seed)
            };
            let [dy, gelu] = [1, 2].map(|seed| lie(a, n, 0, seed));
            let (x, outputs) =
                (lie(a, 2 * n, 0, 3), [lie(first, n, lead, 4), lie(second, n, 0, 5)]);
            let mut want = outputs.clone();
            for index in indices(&[rows, n]) {
                let at = |t: &Tensor, k: usize| t.buf.get(t.at(&[index[0], index[1] + k]));
                let (d, s, g, v) = (at(&dy, 0), at(&gelu, 0), at(&x, 0), at(&x, n));
                for (want, value) in want.iter_mut().zip([d * g - v, s * v - d]) {
                    let value = Buf::new(a, [value].into_iter()).get(0);
                    want.buf.set(want.at(&index), value);
                }
            }
            for options in all_options().into_iter().map(|o| Options { cast: true, ..o }) {
                let [mut dg, mut dv] = outputs.clone();
                let inputs = [&dy, &x, &gelu].map(|t| t.view().unwrap());
                let both = &mut [dg.view_mut().unwrap(), dv.view_mut().unwrap()];
                op.run(&attrs, &inputs, both, &options).unwrap();
                assert!([&dg.buf, &dv.buf] == [&want[0].buf, &want[1].buf], "{a} {options:?}");
                if first != a {
                    continue;
                }
                let mut dy = dy.clone();
                let [_, x, gelu] = inputs;
                let (read, write) = dy.both(false).unwrap();
                let both = &mut [write, dv.view_mut().unwrap()];
                op.run(&attrs, &[read, x, gelu], both, &options).unwrap();
                let dg: Vec<f32> = indices(&[rows, n]).map(|i| dg.buf.get(dg.at(&i))).collect();
                assert!((0..rows * n).all(|i| dy.buf.get(i) == dg[i]), "in place, {a} {options:?}");
                assert!(dv.buf == want[1].buf, "in place, {a} {options:?}");
            }
        }
    }
}

fn every_three_types() -> impl Iterator<Item = [DType; 3]> {
    let [a, b, c] = [(); 3].map(|()| DType::ALL);
    a.into_iter().flat_map(move |a| b.into_iter().flat_map(move |b| c.map(|c| [a, b, c])))
}

/// Both parts of one tensor, with a type that differs from that of the inputs, along rows and across.
#[test]
fn gated_outputs_of_another_type() {
    let patterns = [Pattern::Halves, Pattern::Interleaved];
    let cases = DType::ALL.into_iter().flat_map(|a| DType::ALL.map(|c| (a, c)));
    for ((a, c), n) in cases.flat_map(|types| [7, 64, 700, 5000].map(|n| (types, n))) {
        for ((pattern, dim), left) in patterns
            .into_iter()
            .flat_map(|p| [0, 1].map(|dim| (p, dim)))
            .zip([true, false].repeat(2))
        {
            let shape = [3, n];
            let [dy, gelu] = [1, 2].map(|seed| Tensor::dense(a, &shape, seed));
            let x = Tensor::dense(a, &double(&shape, dim), 3);
            let dx = Tensor::dense(c, &x.shape, 4);
            let computed = expect_gated(pattern, dim, left, [&dy, &x, &gelu], &x);
            let mut want = dx.buf.clone();
            (0..6 * n).for_each(|i| want.set(i, computed.get(i)));
            let inputs = [&dy, &x, &gelu].map(|t| t.view().unwrap());
            let attrs = [Value::Int(dim as i64), Value::Bool(left)];
            for options in all_options().into_iter().map(|o| Options { cast: true, ..o }) {
                let mut dx = dx.clone();
                let out = dx.view_mut().unwrap();
                gated_broadcast(pattern).run(&attrs, &inputs, &mut [out], &options).unwrap();
                assert!(dx.buf == want, "{a} -> {c}, {pattern:?} along {dim}, {n}, {options:?}");
            }
        }
    }
}

/// NaN, infinities, and values beyond the range of f16.
#[test]
fn what_another_type_makes_of_extremes() {
    let values =
        [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e-30, -0.0, 65520.0];
    let payload = f32::from_bits(0x7fff_ffff);
    let x: Vec<f32> = values.into_iter().chain([payload]).cycle().take(70).collect();
    let one = vec![1.0f32; 70];
    for options in all_options() {
        let options = Options { cast: true, ..options };
        let (mut half, mut brain) = (vec![f16::ZERO; 70], vec![bf16::ZERO; 70]);
        let views = [View::new(&x, &[70]).unwrap(), View::new(&one, &[70]).unwrap()];
        let run = |z| binary().run(&[Value::Float(0.0)], &views, &mut [z], &options).unwrap();
        run(ViewMut::new(&mut half, &[70]).unwrap());
        run(ViewMut::new(&mut brain, &[70]).unwrap());
        for ((x, half), brain) in x.iter().zip(half).zip(brain) {
            let same = |got: f32, want: f32| got == want || got.is_nan() && want.is_nan();
            assert!(same(half.to_f32(), f16::from_f32(*x).to_f32()), "{x} {half}");
            assert!(same(brain.to_f32(), bf16::from_f32(*x).to_f32()), "{x} {brain}");
        }
    }
}
