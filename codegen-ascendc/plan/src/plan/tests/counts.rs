//! Vector calls per tile with free limits at infinity, and tile sizes, on architecture 2201.
//!
//! The calls of the operators themselves are a table of `docs/performance.md`, which a test of the workspace checks.

use super::*;

/// Lists the calls, for a failing test's message.
fn listing(plan: &Plan) -> String {
    let line = |i: &Instr| format!("{} -> {}", i.api.name(), plan.buffer(i.dst));
    plan.instrs.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn calls_when_infinity_is_free() {
    let free = |def: &OpDef, dtype| {
        let plan = plan_with(def, 0, dtype, soc("ascend910b"), Storage::Memory, Limits::Free)
            .expect("a plan");
        plan.cost.calls
    };
    assert_eq!(free(&ge_glu_grad(Prim::GeluTanhGrad), DType::F16), 17);
    assert_eq!(free(&swi_glu_grad(), DType::F32), 9);
    assert_eq!(free(&swi_glu_grad(), DType::F16), 14);
    assert_eq!(free(&swi_glu_grad(), DType::BF16), 14);
}

/// Tests tile sizes and UB.
///
/// In `float`, GeGluGradV2's none form keeps dy and value in their buffers until gelu' is computed, which takes one temporary
/// buffer more than forming their product first. The none forms select a side by a mask, which saves a cycle and takes 8 KB of UB.
#[test]
fn tiles_and_ub() {
    let bars = [
        (ge_glu_grad(Prim::GeluTanhGrad), [4000, 4800, 4800]),
        (ge_glu_grad(Prim::GeluGrad), [3400, 4600, 5100]),
        (swi_glu_grad(), [4096, 4912, 4912]),
        (gelu_grad(Prim::GeluTanhGrad), [6900, 8000, 8000]),
        (gelu_grad(Prim::GeluGrad), [5400, 6600, 7600]),
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

/// Cycles for 64 elements with all casts and products, by the published rates.
#[test]
fn cycles_of_64_elements() {
    let bars = [
        (ge_glu_grad(Prim::GeluTanhGrad), [18.0, 20.5, 24.0]),
        (ge_glu_grad(Prim::GeluGrad), [25.0, 22.0, 25.0]),
        (swi_glu_grad(), [13.0, 17.5, 18.0]),
        (gelu_grad(Prim::GeluTanhGrad), [17.0, 18.0, 19.0]),
        (gelu_grad(Prim::GeluGrad), [23.0, 19.5, 20.0]),
    ];
    for (def, bars) in bars {
        for (dtype, bar) in [DType::F32, DType::F16, DType::BF16].into_iter().zip(bars) {
            let p = planned(&def, dtype);
            assert_eq!(p.cost.cycles, bar, "{} {dtype}\n{}", p.op, listing(&p));
        }
    }
}
