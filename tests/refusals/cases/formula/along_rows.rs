use op_dsl::prelude::*;

#[op(name = "Counted")]
fn counted(#[split(along = dim)] x: Gated, #[rows] n: Rows, #[attr(default = 0)] dim: Dim) -> Elem {
    x.value + row_sum(x.gate)
}

#[op(name = "Twice", grad(name = "TwiceGrad", wrt(x), grad(name = "TwiceGradGrad", wrt(x))))]
fn twice(x: Elem) -> Elem {
    x * row_max(x)
}

#[op(name = "Two")]
fn two(x: Elem) -> Elem {
    x - row_mean(x, x)
}

#[op(name = "Elsewhere")]
fn elsewhere(x: Elem) -> Elem {
    logsumexp(x) + log_softmax(x) + rms_norm(x) + amin(x) + matmul(x, x)
}

#[op_dsl::operators]
mod by_hand {
    use op_dsl::prelude::*;

    #[op(name = "Scaled")]
    fn scaled(x: Elem) -> Elem {
        x * row_max(x)
    }

    #[op(name = "ByHand", grad_of = scaled)]
    fn scaled_grad(dy: Elem, x: Elem) -> Elem {
        dy * row_sum(x)
    }
}

#[op_dsl::operators]
mod many {
    use op_dsl::prelude::*;

    #[formula]
    fn larger(x: Elem, k: f64) -> Elem {
        max(x, row_sum(k * x))
    }

    #[op(name = "Many")]
    fn many(x: Elem) -> Elem {
        let a = larger(x, 1.5) + larger(x, 2.5) + larger(x, 3.5) + larger(x, 4.5);
        let b = larger(x, 5.5) + larger(x, 6.5) + larger(x, 7.5) + larger(x, 8.5);
        let c = larger(x, 9.5) + larger(x, 10.5) + larger(x, 11.5) + larger(x, 12.5);
        a + b + c + larger(x, 13.5) + larger(x, 14.5) + larger(x, 15.5)
    }
}

fn main() {}
