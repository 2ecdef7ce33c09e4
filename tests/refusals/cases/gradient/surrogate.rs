use op_dsl::prelude::*;

#[op(name = "Unsaid")]
fn unsaid(x: Elem) -> Elem {
    #[grad]
    let q = round(x);
    q
}

#[op(name = "NoCall")]
fn no_call(x: Elem) -> Elem {
    #[grad(identity)]
    let q = round(x) * 2.0;
    q
}

#[op(name = "Misplaced")]
#[grad(identity)]
fn misplaced(x: Elem) -> Elem {
    x
}

#[op_dsl::operators]
mod by_hand {
    use op_dsl::prelude::*;

    #[op(name = "Rounded")]
    fn rounded(x: Elem) -> Elem {
        #[grad(identity)]
        let q = round(x);
        q
    }

    #[op(name = "RoundedGrad", grad_of = rounded)]
    fn rounded_grad(dy: Elem, #[unused] x: Elem) -> Elem {
        dy
    }
}

fn main() {}
