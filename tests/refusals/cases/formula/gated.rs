#[op_dsl::operators]
mod family {
    use op_dsl::prelude::*;

    pub struct Pair {
        pub gate: Elem,
    }

    #[op(name = "Part")]
    pub fn part(#[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim) -> Elem {
        x.left * x.value
    }

    #[op(name = "Other")]
    pub fn other(#[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim) -> Gated {
        Pair { gate: x.gate }
    }

    #[op(name = "Half")]
    pub fn half(#[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim) -> Gated {
        Gated { gate: x.value }
    }

    #[op(name = "Whole")]
    pub fn whole(#[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim) -> Gated {
        x.gate
    }

    #[op(name = "Tuple")]
    pub fn tuple(#[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim) -> Gated {
        (x.value, x.gate)
    }

    #[op(name = "Declared")]
    pub fn declared(#[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim) -> Gated {
        let turned: Gated = (x.value, x.gate);
        turned
    }

    #[op(name = "Element")]
    pub fn element(#[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim) -> Elem {
        2.0 * x
    }
}

fn main() {}
