//! The operators of this crate.

#[op_dsl::operators]
pub mod operators {
    use op_dsl::prelude::*;

    /// {doc}
    #[op(name = "{op}", grad(name = "{op}Grad", wrt({wrt})))]
    pub fn {function}({signature}) -> Elem {
{body}
    }
}
