//! Steps of optimizers, over parameters, gradients and the optimizer's state.

/// Optimizers: each step replaces parameters and state by their new values.
///
/// A parameter and its gradient have the element type of the call, state is f32. Kernels compute in f32, as PyTorch's do.
#[op_dsl::operators]
#[allow(clippy::too_many_arguments)] // attributes are parameters
pub mod optim {
    use op_dsl::prelude::*;

    /// The moving average `average` after one more value `x`.
    #[formula]
    fn moved(average: Elem, x: Elem, beta: f32) -> Elem {
        beta * average + (1.0 - beta) * x
    }

    /// The step of Adam, `lr * m / (sqrt(v) + eps)`, where `m` and `v` are the averages without their bias towards 0. The
    /// biases are factors of `lr` and `eps`, so that an element takes one division (section 2 of the paper).
    #[formula]
    fn adam_step(
        exp_avg: Elem,
        exp_avg_sq: Elem,
        lr: f32,
        beta1: f32,
        beta2: f32,
        eps: f32,
        step: i64,
    ) -> Elem {
        let root = sqrt(1.0 - powf(beta2, step));
        let size = lr * root / (1.0 - powf(beta1, step));
        size * exp_avg / (sqrt(exp_avg_sq) + eps * root)
    }

    /// SGD: `param - lr (grad + weight_decay * param)`.
    #[op(name = "Sgd", updates(param), arithmetic = f32)]
    pub fn sgd(
        param: Elem,
        grad: Elem,
        #[attr(default = 1e-3)] lr: f32,
        #[attr(default = 0.0)] weight_decay: f32,
    ) -> Elem {
        param - lr * (grad + weight_decay * param)
    }

    /// SGD with momentum, by Nesterov if `nesterov`. In the first step pass zeros as `momentum_buffer`, and no dampening.
    ///
    /// Source: I. Sutskever et al., On the importance of initialization and momentum in deep learning (2013), as PyTorch has it.
    #[op(name = "SgdMomentum", updates(param, momentum_buffer), arithmetic = f32)]
    pub fn sgd_momentum(
        param: Elem,
        grad: Elem,
        momentum_buffer: Elem<f32>,
        #[attr(default = 1e-3)] lr: f32,
        #[attr(default = 0.9)] momentum: f32,
        #[attr(default = 0.0)] dampening: f32,
        #[attr(default = 0.0)] weight_decay: f32,
        #[attr(default = false)] nesterov: bool,
    ) -> (Elem, Elem<f32>) {
        let g = grad + weight_decay * param;
        let buffer = momentum * momentum_buffer + (1.0 - dampening) * g;
        let direction = if nesterov { g + momentum * buffer } else { buffer };
        (param - lr * direction, buffer)
    }

    /// Adam. `step` counts from 1.
    ///
    /// Source: D. Kingma, J. Ba, Adam: A Method for Stochastic Optimization (2014).
    #[op(name = "Adam", updates(param, exp_avg, exp_avg_sq), arithmetic = f32)]
    pub fn adam(
        param: Elem,
        grad: Elem,
        exp_avg: Elem<f32>,
        exp_avg_sq: Elem<f32>,
        #[attr(default = 1e-3)] lr: f32,
        #[attr(default = 0.9)] beta1: f32,
        #[attr(default = 0.999)] beta2: f32,
        #[attr(default = 1e-8)] eps: f32,
        #[attr(default = 0.0)] weight_decay: f32,
        #[attr(default = 1)] step: i64,
    ) -> (Elem, Elem<f32>, Elem<f32>) {
        let g = grad + weight_decay * param;
        let (m, v) = (moved(exp_avg, g, beta1), moved(exp_avg_sq, g * g, beta2));
        (param - adam_step(m, v, lr, beta1, beta2, eps, step), m, v)
    }

    /// AdamW: Adam whose weight decay does not pass through the averages. `step` counts from 1.
    ///
    /// Source: I. Loshchilov, F. Hutter, Decoupled Weight Decay Regularization (2017).
    #[op(name = "AdamW", updates(param, exp_avg, exp_avg_sq), arithmetic = f32)]
    pub fn adam_w(
        param: Elem,
        grad: Elem,
        exp_avg: Elem<f32>,
        exp_avg_sq: Elem<f32>,
        #[attr(default = 1e-3)] lr: f32,
        #[attr(default = 0.9)] beta1: f32,
        #[attr(default = 0.999)] beta2: f32,
        #[attr(default = 1e-8)] eps: f32,
        #[attr(default = 1e-2)] weight_decay: f32,
        #[attr(default = 1)] step: i64,
    ) -> (Elem, Elem<f32>, Elem<f32>) {
        let (m, v) = (moved(exp_avg, grad, beta1), moved(exp_avg_sq, grad * grad, beta2));
        let decayed = param * (1.0 - lr * weight_decay);
        (decayed - adam_step(m, v, lr, beta1, beta2, eps, step), m, v)
    }

    /// Lion: a step of `lr` in the direction of the sign of an average.
    ///
    /// Source: X. Chen et al., Symbolic Discovery of Optimization Algorithms (2023).
    #[op(name = "Lion", updates(param, exp_avg), arithmetic = f32)]
    pub fn lion(
        param: Elem,
        grad: Elem,
        exp_avg: Elem<f32>,
        #[attr(default = 1e-4)] lr: f32,
        #[attr(default = 0.9)] beta1: f32,
        #[attr(default = 0.99)] beta2: f32,
        #[attr(default = 0.0)] weight_decay: f32,
    ) -> (Elem, Elem<f32>) {
        let direction = sign(moved(exp_avg, grad, beta1));
        (param * (1.0 - lr * weight_decay) - lr * direction, moved(exp_avg, grad, beta2))
    }

    /// RMSprop.
    ///
    /// Source: G. Hinton, Neural Networks for Machine Learning, lecture 6e (2012), as PyTorch has it.
    #[op(name = "RmsProp", updates(param, square_avg), arithmetic = f32)]
    pub fn rms_prop(
        param: Elem,
        grad: Elem,
        square_avg: Elem<f32>,
        #[attr(default = 1e-2)] lr: f32,
        #[attr(default = 0.99)] alpha: f32,
        #[attr(default = 1e-8)] eps: f32,
        #[attr(default = 0.0)] weight_decay: f32,
    ) -> (Elem, Elem<f32>) {
        let g = grad + weight_decay * param;
        let average = moved(square_avg, g * g, alpha);
        (param - lr * g / (sqrt(average) + eps), average)
    }

    /// RMSprop with momentum.
    ///
    /// Source: as of RmsProp.
    #[op(
        name = "RmsPropMomentum",
        updates(param, square_avg, momentum_buffer),
        arithmetic = f32
    )]
    pub fn rms_prop_momentum(
        param: Elem,
        grad: Elem,
        square_avg: Elem<f32>,
        momentum_buffer: Elem<f32>,
        #[attr(default = 1e-2)] lr: f32,
        #[attr(default = 0.99)] alpha: f32,
        #[attr(default = 1e-8)] eps: f32,
        #[attr(default = 0.0)] weight_decay: f32,
        #[attr(default = 0.9)] momentum: f32,
    ) -> (Elem, Elem<f32>, Elem<f32>) {
        let g = grad + weight_decay * param;
        let average = moved(square_avg, g * g, alpha);
        let buffer = momentum * momentum_buffer + g / (sqrt(average) + eps);
        (param - lr * buffer, average, buffer)
    }

    /// Adagrad. `step` counts from 1.
    ///
    /// Source: J. Duchi et al., Adaptive Subgradient Methods for Online Learning and Stochastic Optimization (2011).
    #[op(name = "Adagrad", updates(param, sum), arithmetic = f32)]
    pub fn adagrad(
        param: Elem,
        grad: Elem,
        sum: Elem<f32>,
        #[attr(default = 1e-2)] lr: f32,
        #[attr(default = 0.0)] lr_decay: f32,
        #[attr(default = 0.0)] weight_decay: f32,
        #[attr(default = 1e-10)] eps: f32,
        #[attr(default = 1)] step: i64,
    ) -> (Elem, Elem<f32>) {
        let g = grad + weight_decay * param;
        let total = sum + g * g;
        (param - lr / (1.0 + (step - 1.0) * lr_decay) * g / (sqrt(total) + eps), total)
    }

    /// Exponential moving average of parameters: `decay * ema + (1 - decay) * param`.
    #[op(name = "Ema", updates(ema), arithmetic = f32)]
    pub fn ema(ema: Elem<f32>, param: Elem, #[attr(default = 0.999)] decay: f32) -> Elem<f32> {
        moved(ema, param, decay)
    }
}
