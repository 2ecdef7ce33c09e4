use op_dsl::prelude::*;

#[op(name = "Written")]
fn written(x: Elem) -> Elem {
    let cot_ = cot(x);
    let sec_ = sec(x);
    let csc_ = csc(x);
    let arcsin_ = arcsin(x);
    let arccos_ = arccos(x);
    let arctan_ = arctan(x);
    let arctan2_ = arctan2(x);
    let coth_ = coth(x);
    let sech_ = sech(x);
    let csch_ = csch(x);
    let log_ = log(x);
    let ln_1p_ = ln_1p(x);
    let exp_m1_ = exp_m1(x);
    let pow_ = pow(x);
    let inv_sqrt_ = inv_sqrt(x);
    let reciprocal_ = reciprocal(x);
    let square_ = square(x);
    let fabs_ = fabs(x);
    let signum_ = signum(x);
    let maximum_ = maximum(x);
    let minimum_ = minimum(x);
    let clip_ = clip(x);
    let neg_ = neg(x);
    let add_ = add(x);
    let sub_ = sub(x);
    let mul_ = mul(x);
    let div_ = div(x);
    let fma_ = fma(x);
    let lerp_ = lerp(x);
    let select_ = select(x);
    let step_ = step(x);
    let rint_ = rint(x);
    let fract_ = fract(x);
    let fmod_ = fmod(x);
    let remainder_ = remainder(x);
    let rem_euclid_ = rem_euclid(x);
    let floor_div_ = floor_div(x);
    let div_euclid_ = div_euclid(x);
    let ln_gamma_ = ln_gamma(x);
    let psi_ = psi(x);
    let ndtr_ = ndtr(x);
    let swish_ = swish(x);
    let logsigmoid_ = logsigmoid(x);
    let mish_ = mish(x);
    let softsign_ = softsign(x);
    let tanhshrink_ = tanhshrink(x);
    let relu6_ = relu6(x);
    let hardsigmoid_ = hardsigmoid(x);
    let hardswish_ = hardswish(x);
    let elu_ = elu(x);
    let leaky_relu_ = leaky_relu(x);
    x.inv_sqrt()
}

#[op(name = "Reduced")]
fn reduced(x: Elem) -> Elem {
    x - sum(x) / softmax(x)
}

#[op(name = "Rounded")]
fn rounded(x: Elem) -> Elem {
    frexp(x) + x.rint()
}

#[op(name = "Special")]
fn special(x: Elem) -> Elem {
    expint(x)
}

#[op(name = "Sign")]
fn sign_bit(x: Elem) -> Elem {
    if signbit(x) { 0.0 } else { x }
}

fn main() {}
