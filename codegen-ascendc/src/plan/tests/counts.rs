//! Vector calls per tile and sizes of tiles on architecture 2201.

use super::*;

/// The calls, for a failing test's message.
fn listing(plan: &Plan) -> String {
    let line = |i: &Instr| format!("{} -> {}", i.api.name(), plan.buffer(i.dst));
    plan.instrs.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn calls(def: &OpDef, want: [usize; 3]) {
    for (dtype, want) in [DType::F32, DType::F16, DType::BF16].into_iter().zip(want) {
        let plan = planned(def, dtype);
        let got = plan.cost.calls;
        assert!(got <= want, "{} {dtype}: {got} calls, bar {want}\n{}", plan.op, listing(&plan));
    }
}

#[test]
fn calls_of_gradients_right_at_infinity() {
    calls(&ge_glu_grad(Prim::GeluTanhGrad), [15, 19, 21]);
    calls(&ge_glu_grad(Prim::GeluGrad), [24, 22, 24]);
    calls(&swi_glu_grad(), [10, 15, 15]);
    calls(&gelu_grad(Prim::GeluTanhGrad), [13, 16, 16]);
    calls(&gelu_grad(Prim::GeluGrad), [22, 19, 18]);
}

#[test]
fn calls_when_infinity_is_free() {
    let free = |def: &OpDef, dtype| {
        let plan = plan_with(def, 0, dtype, soc("ascend910b"), Limits::Free).expect("a plan");
        plan.cost.calls
    };
    assert_eq!(free(&ge_glu_grad(Prim::GeluTanhGrad), DType::F16), 17);
    assert_eq!(free(&ge_glu_grad(Prim::GeluGrad), DType::F16), 20);
    assert_eq!(free(&ge_glu_grad(Prim::GeluGrad), DType::BF16), 21);
    assert_eq!(free(&swi_glu_grad(), DType::F32), 9);
    assert_eq!(free(&swi_glu_grad(), DType::F16), 14);
    assert_eq!(free(&swi_glu_grad(), DType::BF16), 14);
}

#[test]
fn calls_of_forwards() {
    calls(&ge_glu(Prim::GeluTanh), [8, 12, 12]);
    calls(&ge_glu(Prim::Gelu), [21, 18, 18]);
    calls(&swi_glu(), [5, 8, 8]);
}

#[test]
fn tiles_and_ub() {
    let bars = [
        (ge_glu_grad(Prim::GeluTanhGrad), [4000, 4300, 4300]),
        (ge_glu_grad(Prim::GeluGrad), [3700, 4300, 4300]),
        (swi_glu_grad(), [4096, 4912, 4912]),
        (gelu_grad(Prim::GeluTanhGrad), [5000, 5000, 5000]),
        (gelu_grad(Prim::GeluGrad), [5000, 5000, 5000]),
    ];
    for (def, bars) in bars {
        for (dtype, bar) in [DType::F32, DType::F16, DType::BF16].into_iter().zip(bars) {
            let p = planned(&def, dtype);
            let what = format!("{} {dtype}: tile {}, {} temps", p.op, p.tile, p.temps);
            assert!(p.tile >= bar, "{what}, bar {bar}\n{}", listing(&p));
            let reported = p.soc.reported_ub();
            assert!(p.ub_used() <= reported && p.ub_used() * 100 >= reported * 95, "{what}");
            assert_eq!(p.tile % (256 / dtype.size() as u64), 0, "{what}");
        }
    }
}

/// The bars in one table; `cargo test -p codegen-ascendc figures -- --ignored --nocapture`.
#[test]
#[ignore = "prints"]
fn figures() {
    let ops = [
        (ge_glu_grad(Prim::GeluTanhGrad), "tanh"),
        (ge_glu_grad(Prim::GeluGrad), "none"),
        (swi_glu_grad(), ""),
        (gelu_grad(Prim::GeluTanhGrad), "tanh"),
        (gelu_grad(Prim::GeluGrad), "none"),
        (ge_glu(Prim::GeluTanh), "tanh"),
        (ge_glu(Prim::Gelu), "none"),
        (swi_glu(), ""),
    ];
    for (def, mode) in &ops {
        for dtype in [DType::F32, DType::F16, DType::BF16] {
            let p = planned(def, dtype);
            println!(
                "{:12} {mode:5} {:4} calls {:2} passes {:4} temps {} B/elem {:5} tile {} {:?}",
                p.op,
                dtype.name(),
                p.cost.calls,
                p.cost.passes,
                p.temps,
                p.bytes_per_element(),
                p.tile,
                p.cost.bound(),
            );
        }
    }
}
