use op_dsl::prelude::*;

#[op(name = "Counted")]
fn counted(#[split(along = dim)] x: Gated, #[rows] n: Rows, #[attr(default = 0)] dim: Dim) -> Elem {
    x.value + row_sum(x.gate)
}

#[op(name = "Twice", grad(name = "TwiceGrad", wrt(x), grad(name = "TwiceGradGrad", wrt(x))))]
fn twice(x: Elem) -> Elem {
    x * row_max(x)
}

#[op(name = "ByHand", grad_of = twice)]
fn by_hand(dy: Elem, x: Elem) -> Elem {
    dy * row_sum(x)
}

#[op(name = "Two")]
fn two(x: Elem) -> Elem {
    x - row_mean(x, x)
}

#[formula]
fn larger(x: Elem, k: f64) -> Elem {
    max(x, row_sum(k * x))
}

#[op(name = "Many")]
fn many(x: Elem) -> Elem {
    larger(x, 1.0) + larger(x, 2.0) + larger(x, 3.0) + larger(x, 4.0) + larger(x, 5.0)
        + larger(x, 6.0) + larger(x, 7.0) + larger(x, 8.0) + larger(x, 9.0) + larger(x, 10.0)
        + larger(x, 11.0) + larger(x, 12.0) + larger(x, 13.0) + larger(x, 14.0) + larger(x, 15.0)
}

fn main() {}
