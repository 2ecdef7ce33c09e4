#[op_dsl::operators]
mod family {
    use op_dsl::prelude::*;

    const MAGIC: f64 = 12582912.0;

    #[op(name = "Rounded")]
    pub fn rounded(x: Elem) -> Elem {
        (x + 12582912.0) - 12582912.0
    }

    #[formula]
    fn round_to_integer(x: Elem) -> Elem {
        let shifted = MAGIC + x;
        shifted - MAGIC
    }

    #[op(name = "Shared")]
    pub fn shared(x: Elem) -> Elem {
        round_to_integer(2.0 * x)
    }

    #[op(name = "Others")]
    pub fn others(x: Elem) -> Elem {
        ((x - 8388608.0) + 8388608.0) * (8388608.0 - (8388608.0 - x)) * (-8388608.0 + (x + 8388608.0))
    }

    /// Small numbers cost digits in f32 and are exact in what is computed here.
    #[op(name = "Fine")]
    pub fn fine(x: Elem) -> Elem {
        ((x + 1.0) - 1.0) * ((x + 12582912.0) - 12582911.0)
    }
}

fn main() {}
