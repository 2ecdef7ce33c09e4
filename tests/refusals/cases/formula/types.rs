#[op_dsl::operators]
pub mod family {
    use op_dsl::prelude::*;

    const FLAG: bool = true;
    const COUNT: f64 = 3;

    #[derive(Clone, Copy, Debug, PartialEq, OpAttr)]
    pub enum Mode {
        A,
        B,
    }

    #[op(name = "F0")]
    pub fn f0(x: Elem) -> Elem {
        let y = 2 * x;
        max(y, 0)
    }

    #[op(name = "F1")]
    pub fn f1(x: Elem) -> Elem {
        if x > 0 { x } else { 0 }
    }

    #[op(name = "F2")]
    pub fn f2(x: Elem) -> Elem {
        let k: f64 = 3;
        let y: f64 = 2.0 * x;
        x * k + y
    }

    #[formula]
    fn leaky(x: Elem, slope: f32) -> Elem {
        slope * x
    }

    #[op(name = "F3")]
    pub fn f3(x: Elem) -> Elem {
        leaky(x, x) + leaky(x, true)
    }

    #[formula]
    fn slope(x: Elem) -> f64 {
        x
    }

    #[formula]
    fn by_mode(x: Elem, mode: Mode) -> Elem {
        if mode == Mode::A { x } else { -x }
    }

    #[op(name = "F4")]
    pub fn f4(x: Elem, #[attr(default = true)] flag: bool) -> Elem {
        by_mode(x, flag)
    }

    #[op(name = "F5")]
    pub fn f5(x: Elem) -> Elem {
        if FLAG { x } else { COUNT * x }
    }
}

fn main() {}
