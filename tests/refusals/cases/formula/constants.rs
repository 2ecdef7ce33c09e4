#[op_dsl::operators]
mod family {
    use op_dsl::prelude::*;

    const LOOP: f64 = LOOP + 1.0;
    const BITS: f64 = 5 ^ 3;
    const CALL: f64 = f64::sqrt(2.0);
    const BIG: f64 = 1.0e300;

    #[op(name = "Itself")]
    pub fn itself(x: Elem) -> Elem {
        x * LOOP
    }

    #[op(name = "Remainder")]
    pub fn remainder(x: Elem) -> Elem {
        x * BITS
    }

    #[op(name = "OfCall")]
    pub fn call(x: Elem) -> Elem {
        x * CALL
    }

    #[op(name = "OfBig")]
    pub fn big(x: Elem) -> Elem {
        x * BIG
    }

    #[op(name = "Default")]
    pub fn default(x: Elem, #[attr(default = 1.0e39)] a: f32) -> Elem {
        x * a
    }
}

fn main() {}
