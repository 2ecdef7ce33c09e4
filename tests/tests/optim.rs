//! Steps of optimizers, against formulas in f64 by hand.
#![allow(missing_docs)]

use half::bf16;
use op_dsl::{El, Error, Operator, Options, View, ViewMut};
use ops_glu_grad::optim::{self, AdamW, Ema, Lion, SgdMomentum};

/// Attributes of the hand-written formulas, as f32 has them.
struct Attrs {
    lr: f64,
    beta1: f64,
    beta2: f64,
    eps: f64,
    decay: f64,
    step: i32,
}

/// A step by hand: from parameter, gradient and state in f64 to the new parameter and state.
type Step = fn(&Attrs, f64, f64, [f64; 2]) -> (f64, [f64; 2]);

fn sgd(a: &Attrs, p: f64, g: f64, s: [f64; 2]) -> (f64, [f64; 2]) {
    (p - a.lr * (g + a.decay * p), s)
}

fn sgd_momentum(a: &Attrs, p: f64, g: f64, [b, _]: [f64; 2]) -> (f64, [f64; 2]) {
    let b = a.beta1 * b + (1.0 - f64::from(0.1f32)) * (g + a.decay * p);
    (p - a.lr * b, [b, 0.0])
}

fn adam_from(a: &Attrs, p: f64, g: f64, [m, v]: [f64; 2]) -> (f64, [f64; 2]) {
    let (m, v) = (a.beta1 * m + (1.0 - a.beta1) * g, a.beta2 * v + (1.0 - a.beta2) * g * g);
    let (m_hat, v_hat) = (m / (1.0 - a.beta1.powi(a.step)), v / (1.0 - a.beta2.powi(a.step)));
    (p - a.lr * m_hat / (v_hat.sqrt() + a.eps), [m, v])
}

fn adam(a: &Attrs, p: f64, g: f64, s: [f64; 2]) -> (f64, [f64; 2]) {
    adam_from(a, p, g + a.decay * p, s)
}

fn adam_w(a: &Attrs, p: f64, g: f64, s: [f64; 2]) -> (f64, [f64; 2]) {
    // The factor is rounded to f32, as in PyTorch: alike in every step, so that a hundred steps show it.
    let kept = 1.0 - a.lr as f32 * a.decay as f32;
    adam_from(a, p * f64::from(kept), g, s)
}

fn lion(a: &Attrs, p: f64, g: f64, [m, _]: [f64; 2]) -> (f64, [f64; 2]) {
    let c = a.beta1 * m + (1.0 - a.beta1) * g;
    let sign = if c == 0.0 { 0.0 } else { c.signum() };
    (p * (1.0 - a.lr * a.decay) - a.lr * sign, [a.beta2 * m + (1.0 - a.beta2) * g, 0.0])
}

fn rms_prop(a: &Attrs, p: f64, g: f64, [v, _]: [f64; 2]) -> (f64, [f64; 2]) {
    let g = g + a.decay * p;
    let v = a.beta2 * v + (1.0 - a.beta2) * g * g;
    (p - a.lr * g / (v.sqrt() + a.eps), [v, 0.0])
}

fn rms_prop_momentum(a: &Attrs, p: f64, g: f64, [v, b]: [f64; 2]) -> (f64, [f64; 2]) {
    let g = g + a.decay * p;
    let v = a.beta2 * v + (1.0 - a.beta2) * g * g;
    let b = a.beta1 * b + g / (v.sqrt() + a.eps);
    (p - a.lr * b, [v, b])
}

fn adagrad(a: &Attrs, p: f64, g: f64, [sum, _]: [f64; 2]) -> (f64, [f64; 2]) {
    let (g, lr) = (g + a.decay * p, a.lr / (1.0 + f64::from(a.step - 1) * f64::from(0.1f32)));
    let sum = sum + g * g;
    (p - lr * g / (sum.sqrt() + a.eps), [sum, 0.0])
}

/// Operators with their formulas by hand, and the names that their attributes have there.
fn all() -> [(&'static Operator, Step); 8] {
    [
        (&optim::SGD, sgd),
        (&optim::SGD_MOMENTUM, sgd_momentum),
        (&optim::ADAM, adam),
        (&optim::ADAM_W, adam_w),
        (&optim::LION, lion),
        (&optim::RMS_PROP, rms_prop),
        (&optim::RMS_PROP_MOMENTUM, rms_prop_momentum),
        (&optim::ADAGRAD, adagrad),
    ]
}

fn values(op: &Operator, a: &Attrs) -> Vec<op_dsl::ir::op::Value> {
    let mut values = op.default_attrs();
    for (name, text) in [
        ("lr", a.lr.to_string()),
        ("beta1", a.beta1.to_string()),
        ("momentum", a.beta1.to_string()),
        ("beta2", a.beta2.to_string()),
        ("alpha", a.beta2.to_string()),
        ("eps", a.eps.to_string()),
        ("weight_decay", a.decay.to_string()),
        ("dampening", "0.1".into()),
        ("lr_decay", "0.1".into()),
        ("step", a.step.to_string()),
    ] {
        if let Ok((at, value)) = op.parse_attr(name, &text) {
            values[at] = value;
        }
    }
    values
}

fn attrs(step: i32) -> Attrs {
    let [lr, beta1, beta2, eps, decay] = [1e-3f32, 0.9, 0.99, 1e-8, 0.02].map(f64::from);
    Attrs { lr, beta1, beta2, eps, decay, step }
}

/// A number between -0.5 and 0.5.
fn number(seed: usize, i: usize) -> f32 {
    (((i * 7919 + seed * 104_729) % 1009) as f32 / 1009.0) - 0.5
}

/// Errors of eight operations in f32, which is as many as one term has.
const ROUNDINGS: f64 = 4.0 * f32::EPSILON as f64;

/// Runs 100 steps on `n` elements, and compares each with the formula by hand on what the step before left, and all
/// with the formula alone.
fn steps<T: El>(op: &Operator, by_hand: Step, round: fn(f32) -> T, exact: fn(T) -> f32, ulp: f64) {
    let n = 1003;
    let count = op.def().outputs.len() - 1;
    let mut param: Vec<T> = (0..n).map(|i| round(number(1, i))).collect();
    let mut state = [vec![0f32; n], vec![0f32; n]];
    let mut alone: Vec<(f64, [f64; 2])> =
        param.iter().map(|p| (f64::from(exact(*p)), [0.0; 2])).collect();
    for step in 1..=100 {
        let a = attrs(step);
        let grad: Vec<T> = (0..n).map(|i| round(number(step as usize + 2, i))).collect();
        let before: Vec<(f64, [f64; 2])> = (0..n)
            .map(|i| (f64::from(exact(param[i])), [0, 1].map(|k| f64::from(state[k][i]))))
            .collect();
        let [first, second] = &mut state;
        let tensors = [Some(first), Some(second)].into_iter().flatten().take(count);
        let mut updated = vec![ViewMut::new(&mut param, &[n]).unwrap()];
        updated.extend(tensors.map(|s| ViewMut::new(s, &[n]).unwrap()));
        let grads = [View::new(&grad, &[n]).unwrap()];
        op.run_in_place(&values(op, &a), &grads, &mut updated, &Options::default()).unwrap();
        for i in 0..n {
            let (p, s) = before[i];
            let g = f64::from(exact(grad[i]));
            let (want, want_state) = by_hand(&a, p, g, s);
            let got = f64::from(exact(param[i]));
            // Within a few roundings in f32 of the largest term, a step of `lr` at least, and rounded once to the type of the
            // parameter.
            let largest = p.abs().max((want - p).abs()).max(a.lr);
            let bound = ROUNDINGS * largest + ulp * want.abs();
            assert!((got - want).abs() <= bound, "{} {step} {i}: {got} {want}", op.name());
            for k in 0..count {
                let got = f64::from(state[k][i]);
                let largest = s[k].abs().max(want_state[k].abs()).max(g.abs());
                let bound = ROUNDINGS * largest;
                assert!((got - want_state[k]).abs() <= bound, "{} {step} {i} {k}", op.name());
            }
            alone[i] = by_hand(&a, alone[i].0, g, alone[i].1);
        }
    }
    if ulp == 0.0 {
        let off = param.iter().zip(&alone).map(|(p, a)| (f64::from(exact(*p)) - a.0).abs());
        let off = off.fold(0.0, f64::max);
        // The sign of a direction that is nearly 0 is decided by rounding.
        let bound = if op.name() == "Lion" { 1e-2 } else { 1e-6 };
        assert!(off < bound, "{}: {off:e} after 100 steps", op.name());
    }
}

#[test]
fn a_hundred_steps_are_those_of_formulas_in_f64() {
    for (op, by_hand) in all() {
        steps(op, by_hand, |v| v, |v| v, 0.0);
    }
}

#[test]
fn parameters_of_16_bits_have_state_in_f32() {
    for (op, by_hand) in all() {
        steps(op, by_hand, bf16::from_f32, bf16::to_f32, 1.0 / 256.0);
    }
}

#[test]
fn parts_of_a_flat_buffer_and_columns_are_updated() {
    let grad: Vec<f32> = (0..24).map(|i| number(3, i)).collect();
    let (mut dense, mut m, mut v) = ([0.25f32; 24], [0.5f32; 24], [0.125f32; 24]);
    let step = AdamW { lr: 0.01, step: 3, ..AdamW::default() };
    let whole = |data| View::new(data, &[4, 6]).unwrap();
    step.run_in_place(
        ViewMut::new(&mut dense, &[4, 6]).unwrap(),
        whole(&grad),
        ViewMut::new(&mut m, &[4, 6]).unwrap(),
        ViewMut::new(&mut v, &[4, 6]).unwrap(),
    )
    .unwrap();
    // Parameter and state lie in one buffer: a matrix with padded rows, its state by columns.
    let mut flat = [7.0f32; 100];
    let (param, state) = flat.split_at_mut(40);
    let (first, second) = state.split_at_mut(30);
    (0..4).for_each(|r| param[r * 9..r * 9 + 6].fill(0.25));
    first[..24].fill(0.5);
    second[..24].fill(0.125);
    step.run_in_place(
        ViewMut::strided(param, &[4, 6], &[9, 1], 0).unwrap(),
        whole(&grad),
        ViewMut::strided(first, &[4, 6], &[1, 4], 0).unwrap(),
        ViewMut::strided(second, &[4, 6], &[-6, 1], 18).unwrap(),
    )
    .unwrap();
    for (r, c) in (0..4).flat_map(|r| (0..6).map(move |c| (r, c))) {
        let at = r * 6 + c;
        assert_eq!(param[r * 9 + c].to_bits(), dense[at].to_bits());
        assert_eq!(first[c * 4 + r].to_bits(), m[at].to_bits());
        assert_eq!(second[18 - r * 6 + c].to_bits(), v[at].to_bits());
    }
    let untouched = (0..4).flat_map(|r| &param[r * 9 + 6..r * 9 + 9]).chain(&first[24..]);
    assert!(untouched.chain(&second[24..]).all(|x| *x == 7.0));
}

#[test]
fn tensors_without_elements_and_wrong_calls() {
    let none: [f32; 0] = [];
    let (mut p, mut b) = ([0f32; 0], [0f32; 0]);
    let empty = |data| ViewMut::new(data, &[3, 0]).unwrap();
    SgdMomentum::default()
        .run_in_place(empty(&mut p), View::new(&none, &[3, 0]).unwrap(), empty(&mut b))
        .unwrap();

    let grad = [1f32; 4];
    let mut data = [[0f32; 4]; 3];
    let [p, m, short] = &mut data;
    let grad = View::new(&grad, &[4]).unwrap();
    fn view(data: &mut [f32; 4]) -> ViewMut<'_> {
        ViewMut::new(data, &[4]).unwrap()
    }
    let said = |result: Result<(), Error>| result.unwrap_err().to_string();
    let attrs = optim::LION.default_attrs();
    let few = optim::LION.run_in_place(&attrs, &[grad], &mut [view(p)], &Options::default());
    let want = "Lion: called in place with 1 inputs and 1 tensors to update; it has 1 and 2";
    assert_eq!(said(few), want);
    let other = Lion::default().run_in_place(view(p), grad, ViewMut::new(short, &[2]).unwrap());
    assert!(said(other).starts_with("Lion: tensor"), "another shape");
    let silu = ops_glu_grad::OPERATORS.iter().find(|op| op.name() == "Silu").unwrap();
    let attrs = silu.default_attrs();
    let none = silu.run_in_place(&attrs, &[grad], &mut [view(m)], &Options::default());
    assert!(said(none).starts_with("Silu: no output is the new value of an input; allowed: "));
    assert_eq!(data, [[0.0; 4]; 3]);
}

#[test]
fn a_gradient_that_exploded_shows() {
    for (op, _) in all() {
        let count = op.def().outputs.len() - 1;
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let (mut p, grad) = ([0.5f32, 0.5], [bad, 0.1]);
            let mut state = [[0.1f32; 2]; 2];
            let mut updated = vec![ViewMut::new(&mut p, &[2]).unwrap()];
            updated.extend(state.iter_mut().take(count).map(|s| ViewMut::new(s, &[2]).unwrap()));
            let grads = [View::new(&grad, &[2]).unwrap()];
            let options = Options::default();
            op.run_in_place(&op.default_attrs(), &grads, &mut updated, &options).unwrap();
            // Lion takes the sign of infinity, and its state shows it.
            let shown = !p[0].is_finite() || op.name() == "Lion" && !state[0][0].is_finite();
            assert!(shown && p[1].is_finite(), "{} {bad}: {p:?}", op.name());
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let n = (1 << 16) + 3;
    let grad: Vec<bf16> = (0..n).map(|i| bf16::from_f32(number(5, i))).collect();
    let run = |threads| {
        let mut param = vec![bf16::from_f32(0.3); n];
        let (mut m, mut v) = (vec![0.1f32; n], vec![0.2f32; n]);
        let grads = [View::new(&grad, &[n]).unwrap()];
        let mut updated = [
            ViewMut::new(&mut param, &[n]).unwrap(),
            ViewMut::new(&mut m, &[n]).unwrap(),
            ViewMut::new(&mut v, &[n]).unwrap(),
        ];
        let options = Options { threads, ..Options::default() };
        let op = &optim::ADAM_W;
        op.run_in_place(&op.default_attrs(), &grads, &mut updated, &options).unwrap();
        (param, m, v)
    };
    assert!(run(1) == run(2));
}

#[test]
fn an_average_of_16_bit_parameters() {
    let param = [1.0, -2.0, 0.5].map(bf16::from_f32);
    let mut ema = [0.5f32, 0.5, 0.5];
    let view = ViewMut::new(&mut ema, &[3]).unwrap();
    Ema { decay: 0.75 }.run_in_place(view, View::new(&param, &[3]).unwrap()).unwrap();
    assert_eq!(ema, [0.625, -0.125, 0.5]);
}
