#[op_dsl::operators]
mod family {
    use op_dsl::prelude::*;

    #[op(name = "Cfg")]
    #[cfg(all())]
    pub fn cfg(x: Elem) -> Elem {
        x
    }

    #[formula]
    #[cfg_attr(all(), inline)]
    fn cfg_attr(x: Elem) -> Elem {
        x
    }
}

fn main() {}
