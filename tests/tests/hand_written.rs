//! Gradients written by hand.
#![allow(missing_docs)]

/// Right ones: what each expansion tests of itself runs here.
#[op_dsl::operators]
pub mod right {
    use op_dsl::prelude::*;

    #[derive(OpAttr, Clone, Copy, Debug, PartialEq)]
    pub enum Mode {
        Plain,
        Cut,
    }

    /// `y = value * gate * sigmoid(beta gate) + z * gate`, over alternating elements.
    #[op(name = "Mixed")]
    pub fn mixed(
        #[split(along = dim, interleaved)] x: Gated,
        z: Elem,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = 1.5)] beta: f32,
    ) -> Elem {
        #[saved]
        let s = sigmoid(beta * x.gate);
        x.value * x.gate * s + z * x.gate
    }

    /// Two outputs, and a saved value among the inputs.
    #[op(name = "MixedGrad", grad_of = mixed, outputs(dx, dz))]
    pub fn mixed_grad(
        dy: Elem,
        #[split(along = dim, interleaved)] x: Gated,
        z: Elem,
        s: Elem,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = 1.5)] beta: f32,
    ) -> (Gated, Elem) {
        let gate = x.value * s * (1.0 + beta * x.gate * (1.0 - s)) + z;
        (Gated { gate: dy * gate, value: dy * x.gate * s }, dy * x.gate)
    }

    /// The gate is the odd element, and the gradient is derived.
    #[op(name = "Odd", grad(name = "OddGrad", wrt(x)))]
    pub fn odd(
        #[split(along = dim, gate_left = false, interleaved)] x: Gated,
        #[attr(default = -1)] dim: Dim,
    ) -> Elem {
        x.value * silu(x.gate)
    }

    /// One kink, of which two specialisations make different things.
    #[op(name = "Leaky")]
    pub fn leaky(
        x: Elem,
        #[attr(default = Mode::Plain)] mode: Mode,
        #[attr(default = 0.0)] slope: f32,
    ) -> Elem {
        let y = if x > 0.0 { x } else { slope * x };
        match mode {
            Mode::Plain => y,
            Mode::Cut => min(y, 2.0),
        }
    }

    /// Names of CANN's own: matched by their order.
    #[op(name = "LeakyGrad", grad_of = leaky, outputs(backprops))]
    pub fn leaky_grad(
        gradients: Elem,
        x: Elem,
        #[attr(default = 0.0)] slope: f32,
        #[attr(default = Mode::Plain)] mode: Mode,
    ) -> Elem {
        let cut = mode == Mode::Cut;
        let y = if x > 0.0 { x } else { slope * x };
        let dx = if x > 0.0 { gradients } else { slope * gradients };
        if cut && y > 2.0 { 0.0 * gradients } else { dx }
    }
}

/// In a function, so that the tests of the expansion itself, which must fail, are not run.
#[allow(unnameable_test_items)]
fn refused(what: &str) {
    #[op_dsl::operators]
    mod wrong {
        use op_dsl::prelude::*;

        #[op(name = "Square")]
        pub fn square(x: Elem, z: Elem) -> Elem {
            x * x * z
        }

        /// The factor 2 is missing.
        #[op(name = "Half", grad_of = square, outputs(dx))]
        pub fn half(dy: Elem, x: Elem, z: Elem) -> Elem {
            dy * x * z
        }

        /// Right at `z = 1` only, and not a number elsewhere.
        #[op(name = "Nan", grad_of = square, outputs(dx))]
        pub fn nan(dy: Elem, x: Elem, z: Elem) -> Elem {
            if z == 1.0 { 2.0 * dy * x } else { ln(-exp(dy * x)) }
        }

        #[op(name = "NoUpstream", grad_of = square, outputs(dx))]
        pub fn no_upstream(x: Elem, z: Elem) -> Elem {
            2.0 * x * z
        }

        #[op(name = "Unnamed", grad_of = square, outputs(w))]
        pub fn unnamed(dy: Elem, x: Elem, z: Elem) -> Elem {
            2.0 * dy * x * z
        }

        #[op(name = "Undefined")]
        pub fn undefined(x: Elem) -> Elem {
            ln(-abs(x))
        }

        #[op(name = "UndefinedGrad", grad_of = undefined, outputs(dx))]
        pub fn undefined_grad(dy: Elem, x: Elem) -> Elem {
            dy / x
        }
    }
    let named = |name: &str| wrong::OPERATORS.iter().find(|o| o.name() == name).expect("a name");
    let gradient = named(what);
    let of = gradient.def.grad_of.as_deref().expect("a gradient");
    op_dsl::check::gradient(named(of), gradient);
}

#[test]
#[should_panic(expected = "`Half` is not the gradient of `Square`: `dx` is ")]
fn a_missing_factor_is_found() {
    refused("Half");
}

#[test]
#[should_panic(expected = "`dx` is NaN, not ")]
fn no_number_is_no_gradient() {
    refused("Nan");
}

#[test]
#[should_panic(expected = "one input is the upstream gradient, besides some of: x, z, y")]
fn the_upstream_gradient_is_an_input() {
    refused("NoUpstream");
}

#[test]
#[should_panic(expected = "outputs are `d` and the name of an input, of x, z")]
fn outputs_belong_to_inputs() {
    refused("Unnamed");
}

#[test]
#[should_panic(expected = "fewer than 20 of 400 points have a derivative")]
fn nothing_to_judge_is_no_agreement() {
    refused("UndefinedGrad");
}
