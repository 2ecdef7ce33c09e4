//! Operators as candle calls them, and their derivatives compared with candle's own.
#![allow(missing_docs)]

use candle_core::{D, DType, Device, Result, Tensor, Var};
use op_dsl::ir::op::Kind;
use ops_glu_grad::OPERATORS;
use ops_glu_grad_candle::Op;

/// Returns numbers between -4 and 4.
fn numbers(seed: usize, shape: &[usize]) -> Result<Tensor> {
    let n: usize = shape.iter().product();
    let number = |i| (i as f32 * 0.618_034 + seed as f32 * 0.414_214 + 0.1).fract() * 8.0 - 4.0;
    Tensor::from_vec((0..n).map(number).collect::<Vec<f32>>(), shape, &Device::Cpu)
}

fn distance(a: &Tensor, b: &Tensor) -> Result<f32> {
    let (a, b) = (a.to_dtype(DType::F32)?, b.to_dtype(DType::F32)?);
    (a - b)?.abs()?.flatten_all()?.max(0)?.to_scalar()
}

/// Returns the result of `f`, and the gradient by `x` of a weighted sum of it.
fn gradient(x: &Tensor, f: impl Fn(&Tensor) -> Result<Tensor>) -> Result<(Tensor, Tensor)> {
    let x = Var::from_tensor(x)?;
    let y = f(&x)?;
    let weights = numbers(9, y.dims())?.to_dtype(y.dtype())?;
    let dx = (&y * weights)?.sum_all()?.backward()?.get(&x).expect("a gradient").clone();
    Ok((y, dx))
}

fn halves(x: &Tensor) -> Result<(Tensor, Tensor)> {
    let half = x.dim(D::Minus1)? / 2;
    Ok((x.narrow(D::Minus1, 0, half)?, x.narrow(D::Minus1, half, half)?))
}

type Composed = fn(&Tensor) -> Result<Tensor>;
type Attributes = &'static [(&'static str, &'static str)];

/// Operators with attributes, and the same functions composed in candle.
const PAIRS: [(&str, Attributes, Composed); 9] = [
    ("GeGluV2", &[("approximate", "none")], |x| {
        let (value, gate) = halves(x)?;
        value * gate.gelu_erf()?
    }),
    ("GeGluV2", &[("activate_left", "true")], |x| {
        let (gate, value) = halves(x)?;
        value * gate.gelu()?
    }),
    ("SwiGlu", &[], |x| {
        let (gate, value) = halves(x)?;
        value * gate.silu()?
    }),
    ("GeluV2", &[], Tensor::gelu_erf),
    ("Gelu", &[], Tensor::gelu),
    ("Silu", &[], Tensor::silu),
    ("Relu", &[], Tensor::relu),
    ("Tanh", &[], Tensor::tanh),
    ("Elu", &[], |x| x.elu(1.0)),
];

#[test]
fn derivatives_are_those_of_candles_own() -> Result<()> {
    for (name, attributes, composed) in PAIRS {
        let mut op = Op::named(name)?;
        for (attribute, value) in attributes {
            op = op.with(attribute, value)?;
        }
        // A transposed view with an offset, so that strides and the start are tested.
        let x = numbers(1, &[14, 5])?.narrow(0, 2, 12)?.t()?;
        for (dtype, bound) in [(DType::F32, 2e-5), (DType::F16, 0.03), (DType::BF16, 0.2)] {
            let x = x.to_dtype(dtype)?;
            let exact = x.to_dtype(DType::F32)?;
            let (y, dx) = gradient(&x, |x| x.apply_op1(op.clone()))?;
            let (want_y, want_dx) = gradient(&exact, composed)?;
            assert_eq!((y.dtype(), dx.dtype(), dx.dims()), (dtype, dtype, x.dims()));
            assert!(
                distance(&y, &want_y)? <= bound,
                "{name} {dtype:?}: {}",
                distance(&y, &want_y)?
            );
            assert!(
                distance(&dx, &want_dx)? <= bound,
                "{name} {dtype:?}: {}",
                distance(&dx, &want_dx)?
            );
        }
    }
    Ok(())
}

/// Derivatives by two inputs, one of which is broadcast.
#[test]
fn what_is_broadcast_is_summed() -> Result<()> {
    let (x, weight) =
        (Var::from_tensor(&numbers(1, &[3, 4])?)?, Var::from_tensor(&numbers(2, &[4])?)?);
    let y = x.apply_op2(&weight, Op::named("PRelu")?)?;
    let got = y.sum_all()?.backward()?;
    let zero = x.zeros_like()?;
    let want = x.minimum(&zero)?.sum(0)?;
    assert!(distance(got.get(&weight).expect("a gradient"), &want)? < 1e-5);
    assert_eq!(got.get(&x).expect("a gradient").dims(), x.dims());
    Ok(())
}

/// Weights of channels lie along dimension 1.
#[test]
fn weights_of_channels_are_summed_over_the_others() -> Result<()> {
    let (x, weight) =
        (Var::from_tensor(&numbers(1, &[3, 4, 5])?)?, Var::from_tensor(&numbers(2, &[4])?)?);
    let y = x.apply_op2(&weight, Op::named("PRelu")?)?;
    let got = y.sum_all()?.backward()?;
    let want = x.minimum(&x.zeros_like()?)?.sum(2)?.sum(0)?;
    assert!(distance(got.get(&weight).expect("a gradient"), &want)? < 1e-5);
    Ok(())
}

/// Every operator of up to three inputs runs by candle's calls, and every derivative is evaluated.
#[test]
fn every_operator_runs() -> Result<()> {
    let (mut ran, mut differentiated) = (0, 0);
    for operator in OPERATORS {
        let op = Op::named(operator.name())?;
        let def = operator.def();
        let mut inputs = Vec::new();
        for (i, tensor) in def.inputs.iter().enumerate().filter(|(i, _)| def.presence(*i).is_none())
        {
            let shape: &[usize] = if tensor.kind == Kind::Gated { &[3, 8] } else { &[3, 4] };
            inputs.push(match tensor.kind {
                Kind::Mask => numbers(i, shape)?.gt(0.0)?,
                _ => Var::from_tensor(&numbers(i, shape)?)?.as_tensor().clone(),
            });
        }
        let y = match &inputs[..] {
            [a] => a.apply_op1(op.clone())?,
            [a, b] => a.apply_op2(b, op.clone())?,
            [a, b, c] => a.apply_op3(b, c, op.clone())?,
            _ => continue,
        };
        let all = op.run(&inputs.iter().map(Some).collect::<Vec<_>>())?;
        assert_eq!(y.to_vec2::<f32>()?, all[0].to_vec2::<f32>()?, "{}", operator.name());
        ran += 1;
        match op_dsl::derivative::Derivative::of(operator, OPERATORS) {
            Some(known) if known.unknown.iter().all(|i| def.presence(*i).is_some()) => {
                let gradients = y.sum_all()?.backward()?;
                for i in &known.wrt {
                    let dx = gradients.get(&inputs[*i]).expect("a gradient");
                    assert_eq!(dx.dims(), inputs[*i].dims(), "{}", operator.name());
                }
                differentiated += 1;
            }
            _ => assert!(y.sum_all()?.backward().is_err(), "{}", operator.name()),
        }
    }
    assert!(ran > 70 && differentiated > 35, "{ran} {differentiated}");
    Ok(())
}

#[test]
fn wrong_calls_are_refused_with_reasons() -> Result<()> {
    let x = numbers(1, &[2, 5])?;
    let said = |result: Result<Tensor>| result.expect_err("refused").to_string();
    let elu = Op::named("Elu")?.with("alpha", "2")?;
    let refused = [
        (Op::named("GeGlu").map(|_| x.clone()), "no operator `GeGlu`; there are GeGluV2,"),
        (Op::named("Silu")?.with("beta", "1").map(|_| x.clone()), "no attribute `beta`"),
        (Op::named("Silu")?.output("z").map(|_| x.clone()), "Silu: no output `z`; there are y"),
        (x.apply_op1(Op::named("GeGluV2")?), "dimension 1 is cut in two and must be even"),
        (
            x.to_dtype(DType::F64)?.apply_op1(Op::named("Silu")?),
            "tensor `x` is f64; allowed: f16, bf16, f32",
        ),
        (x.apply_op2(&x, Op::named("Silu")?), "Silu: got 2 tensors; takes 1"),
        (
            gradient(&x, |x| x.apply_op1(elu.clone())).map(|(y, _)| y),
            "with the default of `alpha` alone",
        ),
    ];
    for (result, why) in refused {
        let said = said(result);
        assert!(said.contains(why), "{said}");
    }
    Ok(())
}
