//! Optional inputs: one kernel with each input and one without.

use super::common::{all_defaults, judged};
use op_dsl::ir::bind::TensorMeta;
use op_dsl::ir::op::{Kind, Origin, Value};
use op_dsl::ir::{DType, Stored};
use op_dsl::{Operator, Options, View, ViewMut};

#[op_dsl::operators]
pub mod optional {
    use op_dsl::prelude::*;

    #[op(name = "Shifted", dtypes(f32), grad(name = "ShiftedGrad", wrt(x)))]
    pub fn shifted(
        x: Elem,
        scale: Option<Elem>,
        #[attr(default = 3.0)] alpha: f32,
        #[mask] keep: Option<Mask>,
    ) -> Elem {
        let kept = match keep {
            Some(keep) => {
                if keep {
                    x
                } else {
                    0.0
                }
            }
            None => x,
        };
        if let Some(s) = scale { s * kept * kept } else { alpha * kept }
    }

    /// Every way to ask.
    #[op(name = "Asked", dtypes(f32), broadcast)]
    pub fn asked(bias: Option<Elem>, x: Elem) -> Elem {
        let unknown = if bias.is_none() { 2.0 } else { 0.0 };
        let known = if bias.is_some() { 1.0 } else { unknown };
        known * (x + bias.unwrap_or(0.25))
    }

    #[op(name = "Cube", dtypes(f32))]
    pub fn cube(x: Elem) -> Elem {
        x.powi(3)
    }

    /// `squared` spares a product.
    #[op(name = "CubeGrad", dtypes(f32), grad_of = cube, wrt(x))]
    pub fn cube_grad(dy: Elem, x: Elem, squared: Option<Elem>) -> Elem {
        3.0 * dy * squared.unwrap_or(x * x)
    }
}

const N: usize = 21;

fn of<T: codegen_cpu::rt::elem::Element>(values: &[T; N]) -> View<'_> {
    View::new(values, &[N]).expect("a view")
}

#[test]
fn each_way_to_leave_inputs_out() {
    assert_eq!(optional::SHIFTED.def().specs.len(), 4);
    let (x, s) = ([2.0f32; N], [5.0f32; N]);
    let keep: [bool; N] = std::array::from_fn(|i| i % 2 == 0);
    for (scale, mask) in [(false, false), (false, true), (true, false), (true, true)] {
        let (scale, mask) = (scale.then(|| of(&s)), mask.then(|| of(&keep)));
        let (mut y, mut dx) = ([f32::NAN; N], [f32::NAN; N]);
        let out = ViewMut::new(&mut y, &[N]).expect("a view");
        optional::Shifted::default().run(of(&x), scale, mask, out).expect("a call");
        let out = ViewMut::new(&mut dx, &[N]).expect("a view");
        let dy = [10.0f32; N];
        optional::ShiftedGrad::default().run(of(&dy), of(&x), scale, mask, out).expect("a call");
        for i in 0..N {
            let want = match (mask.is_none() || keep[i], scale) {
                (false, _) => [0.0, 0.0],
                (true, None) => [6.0, 30.0],
                (true, Some(_)) => [20.0, 200.0],
            };
            assert_eq!([y[i], dx[i]], want, "{i}");
        }
    }
}

#[test]
fn an_optional_input_is_broadcast_and_asked_in_every_way() {
    let (x, bias) = ([1.0f32; N], [0.5f32]);
    for (bias, want) in [(None, 2.5), (Some(View::new(&bias, &[1]).expect("a view")), 1.5)] {
        let mut y = [f32::NAN; N];
        let out = ViewMut::new(&mut y, &[N]).expect("a view");
        optional::Asked {}.run(bias, of(&x), out).expect("a call");
        assert_eq!(y, [want; N]);
    }
}

#[test]
fn a_call_by_name_leaves_it_out_by_a_view_of_nothing() {
    let op: &Operator = &optional::ASKED;
    let absent = TensorMeta { shape: &[], dtype: Stored::Nothing };
    let x = TensorMeta { shape: &[2, 3], dtype: DType::F32.into() };
    let infer = |inputs: &[TensorMeta<'_>]| op.infer(&op.default_attrs(), inputs);
    assert_eq!(*infer(&[absent, x]).expect("a shape")[0].shape, [2, 3]);
    let missing = infer(&[x, absent]).expect_err("x is needed").to_string();
    assert_eq!(missing, "Asked: tensor `x` is missing; it may not be left out");
    let (x, mut y) = ([1.0f32; N], [f32::NAN; N]);
    let out = ViewMut::new(&mut y, &[N]).expect("a view");
    op.run(&[], &[View::ABSENT, of(&x)], &mut [out], &Options::default()).expect("a call");
    assert_eq!(y, [2.5; N]);
    // Its presence cannot be set as an attribute.
    assert!(op.parse_attr("bias", "true").is_err());
    assert!(op.default_attrs().is_empty());
}

/// A kernel gets no pointer to an input that it does not read.
#[test]
fn a_kernel_that_reads_what_is_left_out_is_refused() {
    let reads_both = codegen_cpu::rt::floor::floor_kernels(2, 1).expect("two in, one out");
    let def = optional::ASKED.def().clone();
    let op = Operator::new(def, std::slice::from_ref(reads_both), None);
    let (x, mut y) = ([1.0f32; N], [f32::NAN; N]);
    let out = ViewMut::new(&mut y, &[N]).expect("a view");
    let call = op.run(&[], &[View::ABSENT, of(&x)], &mut [out], &Options::default());
    let error = call.expect_err("nothing to read").to_string();
    assert!(error.contains("they read an input that is left out"), "{error}");
}

#[test]
fn gradients_with_optional_inputs() {
    let def = optional::SHIFTED_GRAD.def();
    assert_eq!(def.input_names(), ["dy", "x", "scale", "keep"]);
    assert_eq!([0, 1, 2, 3].map(|i| def.presence(i).is_some()), [false, false, true, true]);
    assert_eq!(def.inputs[3].kind, Kind::Mask);
    // The reference evaluator takes the same presence.
    for (scale, want) in [(false, 3.0), (true, 20.0)] {
        let mut attrs = all_defaults(&optional::SHIFTED_GRAD);
        attrs[1] = Value::Bool(scale);
        let streams = [1.0, 2.0, 5.0, 0.0];
        assert_eq!(judged(&optional::SHIFTED_GRAD, &attrs, &streams), [want]);
    }
    // An optional input that only saves work is neither a tensor of the forward operator nor an upstream gradient.
    let of = optional::CUBE_GRAD.def().grad_of.as_ref().expect("a gradient");
    assert_eq!(of.inputs[..], [Origin::Upstream(0), Origin::Input(0), Origin::Own]);
    let (dy, x, squared, mut dx) = ([1.0f32; N], [2.0f32; N], [4.0f32; N], [f32::NAN; N]);
    for squared in [None, Some(&squared)] {
        let out = ViewMut::new(&mut dx, &[N]).expect("a view");
        let view = |v| View::new(v, &[N]).expect("a view");
        let squared = squared.map(|s| View::new(s, &[N]).expect("a view"));
        optional::CubeGrad {}.run(view(&dy), view(&x), squared, out).expect("a call");
        assert_eq!(dx, [12.0; N]);
    }
}
