#[op_dsl::operators]
mod family {
    use op_dsl::prelude::*;

    #[formula]
    fn f0(x: Elem) -> Elem {
        x
    }

    #[formula]
    fn f1(x: Elem) -> Elem {
        f0(x) + f0(-x)
    }

    #[formula]
    fn f2(x: Elem) -> Elem {
        f1(x) + f1(-x)
    }

    #[formula]
    fn f3(x: Elem) -> Elem {
        f2(x) + f2(-x)
    }

    #[formula]
    fn f4(x: Elem) -> Elem {
        f3(x) + f3(-x)
    }

    #[formula]
    fn f5(x: Elem) -> Elem {
        f4(x) + f4(-x)
    }

    #[formula]
    fn f6(x: Elem) -> Elem {
        f5(x) + f5(-x)
    }

    #[formula]
    fn f7(x: Elem) -> Elem {
        f6(x) + f6(-x)
    }

    #[formula]
    fn f8(x: Elem) -> Elem {
        f7(x) + f7(-x)
    }

    #[formula]
    fn f9(x: Elem) -> Elem {
        f8(x) + f8(-x)
    }

    #[formula]
    fn f10(x: Elem) -> Elem {
        f9(x) + f9(-x)
    }

    #[formula]
    fn f11(x: Elem) -> Elem {
        f10(x) + f10(-x)
    }

    #[formula]
    fn f12(x: Elem) -> Elem {
        f11(x) + f11(-x)
    }

    #[formula]
    fn f13(x: Elem) -> Elem {
        f12(x) + f12(-x)
    }

    #[formula]
    fn f14(x: Elem) -> Elem {
        f13(x) + f13(-x)
    }

    #[formula]
    fn f15(x: Elem) -> Elem {
        f14(x) + f14(-x)
    }

    #[formula]
    fn f16(x: Elem) -> Elem {
        f15(x) + f15(-x)
    }

    #[formula]
    fn f17(x: Elem) -> Elem {
        f16(x) + f16(-x)
    }

    #[formula]
    fn f18(x: Elem) -> Elem {
        f17(x) + f17(-x)
    }

    #[formula]
    fn f19(x: Elem) -> Elem {
        f18(x) + f18(-x)
    }
}

fn main() {}
