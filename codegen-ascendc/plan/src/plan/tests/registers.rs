//! Tests of plans on registers: the cost of a step, and its results.

use super::*;
use crate::plan::registers::{APART, Call, DATA, MASKS, Registers, Work};
use half::{bf16, f16};

fn both(def: &OpDef, dtype: DType) -> (Plan, Plan) {
    let of = |storage| plan_in(def, 0, dtype, soc("ascend950"), storage).expect("a plan");
    (of(Storage::Registers), of(Storage::Memory))
}

fn registers(def: &OpDef, dtype: DType) -> Registers {
    both(def, dtype).0.registers.expect("registers")
}

fn gradients() -> Vec<(&'static str, OpDef)> {
    vec![
        ("GeGlu tanh", ge_glu_grad(Prim::GeluTanhGrad)),
        ("GeGlu none", ge_glu_grad(Prim::GeluGrad)),
        ("SwiGlu", swi_glu_grad()),
        ("Gelu tanh", gelu_grad(Prim::GeluTanhGrad)),
        ("Gelu none", gelu_grad(Prim::GeluGrad)),
    ]
}

#[test]
fn bars_of_the_seed_operators() {
    let swi_glu = registers(&swi_glu_grad(), DType::F16);
    let Work { loads, stores, casts, compute, .. } = swi_glu.work(soc("ascend950").arch);
    assert!(
        compute <= 11 && (casts, loads, stores) == (5, 3, 2),
        "{:?}",
        swi_glu.work(soc("ascend950").arch)
    );
    let is_div = |op: &&crate::plan::registers::Op| op.call == Call::Plain(Api::Div);
    assert_eq!(swi_glu.ops.iter().filter(is_div).count(), 1);
    let (on_registers, on_tensors) = both(&swi_glu_grad(), DType::F16);
    assert_eq!((on_registers.casts(), on_tensors.casts()), (5, 5));
    let ge_glu = registers(&ge_glu_grad(Prim::GeluTanhGrad), DType::F16);
    assert!(
        ge_glu.work(soc("ascend950").arch).compute <= 16,
        "{:?}",
        ge_glu.work(soc("ascend950").arch)
    );
}

#[test]
fn streams_move_once_and_registers_suffice() {
    for (name, def) in gradients() {
        for dtype in DType::ALL {
            let (plan, memory) = both(&def, dtype);
            let registers = plan.registers.as_ref().expect("registers");
            let work = registers.work(soc("ascend950").arch);
            assert_eq!(work.loads, plan.inputs.iter().flatten().count(), "{name} {dtype}");
            assert_eq!(work.stores, plan.outputs.len(), "{name} {dtype}");
            let data = registers.data + registers.halves + registers.constants.len();
            assert!(data <= DATA && registers.masks < MASKS, "{name} {dtype}: {data}");
            // UB holds nothing but the streams.
            let streams = work.loads + work.stores;
            assert_eq!(plan.bytes_per_element(), (2 * streams * dtype.size()) as f64);
            assert_eq!(plan.need.dense.fixed, 0);
            let bar = if name.starts_with("Gelu") { 0.62 } else { 0.6 };
            assert!(plan.cost.cycles <= bar * APART * memory.cost.cycles, "{name} {dtype}");
        }
    }
    assert_eq!(both(&swi_glu_grad(), DType::F16).0.bytes_per_element(), 20.0);
}

/// With more live values than registers, the plan computes on tensors in UB.
#[test]
fn too_many_for_registers() {
    const STREAMS: usize = 34;
    const NAMES: [&str; STREAMS] = [
        "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13",
        "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26",
        "s27", "s28", "s29", "s30", "s31", "s32", "s33",
    ];
    // Each is read again after the sum of all is computed, so all are live at once.
    let of = |n: usize| {
        operator("Many", &NAMES[..n], &["y"], false, |b, s| {
            let all: Vec<Id> = s.iter().map(|s| b.call(Prim::Exp, &[*s])).collect();
            let sum = all.iter().copied().reduce(|a, e| b.call(Prim::Add, &[a, e])).expect("some");
            let scaled: Vec<Id> = all.iter().map(|e| b.call(Prim::Div, &[*e, sum])).collect();
            vec![scaled.into_iter().reduce(|a, q| b.call(Prim::Max, &[a, q])).expect("some")]
        })
    };
    let plan = both(&of(STREAMS), DType::F32).0;
    assert!(plan.registers.is_none() && !plan.instrs.is_empty());
    let plan = both(&of(30), DType::F32).0;
    assert!(plan.registers.is_some() && plan.instrs.is_empty());
}

/// A product and a sum become one call where one of the three values is read for the last time.
#[test]
fn fused_sums() {
    let calls = |build: fn(&mut Builder, &[Id]) -> Vec<Id>| -> Vec<Call> {
        let def = operator("Sums", &["x", "y", "z"], &["u", "v"], false, build);
        let ops = registers(&def, DType::F32).ops.into_iter().map(|op| op.call);
        ops.filter(|c| !matches!(c, Call::Load(_) | Call::Store(_))).collect()
    };
    let sum = |b: &mut Builder, s: &[Id]| {
        let p = b.call(Prim::Mul, &[s[0], s[1]]);
        b.call(Prim::Add, &[p, s[2]])
    };
    let last = calls(|b, s| {
        let p = b.call(Prim::Mul, &[s[0], s[1]]);
        let all = b.call(Prim::Add, &[p, s[2]]);
        vec![all, s[0]]
    });
    assert_eq!(last.len(), 1, "{last:?}");
    // No fusion here, because all three are read again.
    let again = calls(|b, s| {
        let p = b.call(Prim::Mul, &[s[0], s[1]]);
        let all = b.call(Prim::Add, &[p, s[2]]);
        let more = b.call(Prim::Max, &[s[0], s[1]]);
        let more = b.call(Prim::Max, &[more, s[2]]);
        vec![all, more]
    });
    let (mul, add) = (Call::Plain(Api::Mul), Call::Plain(Api::Add));
    assert!(again.contains(&mul) && again.contains(&add), "{again:?}");
    // Rounded once, because (1 + u)^2 - (1 + 2u) = u^2 remains.
    let def = operator("Sum", &["x", "y", "z"], &["u"], false, |b, s| vec![sum(b, s)]);
    let x = 1.0 + f32::EPSILON;
    let got = interpret(&both(&def, DType::F32).0, &[x, x, -(x * x)], |_| f32::NAN)[0];
    assert_eq!(got, f32::EPSILON * f32::EPSILON);
}

/// `e^min(x, 20) + 1`
fn bounded_divisor(b: &mut Builder, x: Id) -> Id {
    let (most, one) = (b.num(20.0), b.num(1.0));
    let x = b.call(Prim::Min, &[x, most]);
    let e = b.call(Prim::Exp, &[x]);
    b.call(Prim::Add, &[e, one])
}

/// All quotients of a divisor share one division, if its reciprocal is a normal number for every input.
#[test]
fn only_bounded_divisors_share_one_division() {
    let quotients = |build: fn(&mut Builder, Id) -> Id| {
        let def = operator("Ratio", &["x", "z"], &["y"], false, |b, s| {
            let d = build(b, s[0]);
            let (p, q) = (b.call(Prim::Div, &[s[0], d]), b.call(Prim::Div, &[s[1], d]));
            vec![b.call(Prim::Max, &[p, q])]
        });
        let is_div = |op: &&crate::plan::registers::Op| op.call == Call::Plain(Api::Div);
        registers(&def, DType::F32).ops.iter().filter(is_div).count()
    };
    assert_eq!(quotients(bounded_divisor), 1);
    // Not where the divisor grows beyond 2^126, nor where it may be 0.
    let grows = |b: &mut Builder, x: Id| {
        let (e, one) = (b.call(Prim::Exp, &[x]), b.num(1.0));
        b.call(Prim::Add, &[e, one])
    };
    assert_eq!(quotients(grows), 2);
    assert_eq!(quotients(|_, x| x), 2);
}

#[test]
fn numbers_and_values_over_one_divisor() {
    let def = operator("Ratio", &["x", "z"], &["y"], false, |b, s| {
        let d = bounded_divisor(b, s[0]);
        let (one, two) = (b.num(1.0), b.num(2.0));
        let [p, q, r, t] = [one, s[1], two, s[0]].map(|above| b.quotient(above, d));
        let (first, second) = (b.difference(q, p), b.sum(r, t));
        vec![b.sum(first, second)]
    });
    for dtype in DType::ALL {
        let got = interpret(&both(&def, dtype).0, &[0.0, 4.0], |_| f32::NAN);
        assert_eq!(got, [2.5], "{dtype}");
    }
}

/// Tests 16-bit gradients on registers for every input: they are within a unit of the true value.
#[test]
fn sixteen_bits_to_one_ulp() {
    let cases = [
        (ge_glu_grad(Prim::GeluTanhGrad), Prim::GeluTanhGrad, 0),
        (gelu_grad(Prim::GeluGrad), Prim::GeluGrad, 0),
        (swi_glu_grad(), Prim::SiluGrad, 0),
        (swi_glu_grad(), Prim::Silu, 1),
    ];
    for (def, prim, out) in cases {
        for dtype in [DType::F16, DType::BF16] {
            let plan = both(&def, dtype).0;
            for bits in 0..=u16::MAX {
                let x = match dtype {
                    DType::F16 => f16::from_bits(bits).to_f32(),
                    _ => bf16::from_bits(bits).to_f32(),
                };
                let mut streams = vec![1.0; plan.inputs.len()];
                streams[1] = x;
                let got = interpret(&plan, &streams, |_| f32::NAN)[out];
                if x.is_nan() {
                    assert!(got.is_nan(), "{prim:?} {dtype} of NaN is {got}");
                    continue;
                }
                let up = if prim == Prim::Silu { f32::INFINITY } else { 1.0 };
                if x.is_infinite() {
                    assert_eq!(got, if x > 0.0 { up } else { 0.0 }, "{prim:?} {dtype} at {x}");
                    continue;
                }
                let want = (prim.row().oracle)([x.into(), 0.0, 0.0]);
                // The error from the nearest representable value counts where the function crosses zero or is subnormal.
                let format = op_dsl_ir::format::Format::of(dtype);
                let near = format.round(want);
                let error = |from: f64| (f64::from(got) - from).abs() / format.ulp(want);
                let error = error(want).min(error(near));
                let budget = if want.abs() < 2f64.powi(-126) { 90.0 } else { 1.0 };
                assert!(error <= budget, "{prim:?} {dtype}({x}): {error}");
            }
        }
    }
}

/// Interleaved gate and value take one load and one store.
///
/// Casts use the half of the lane that holds their part.
#[test]
fn one_load_and_one_store_of_both_in_turns() {
    use crate::plan::registers::pairs::{Turn, firsts, turns};
    let arch = soc("ascend950").arch;
    for (dtype, joined, casts) in [(DType::F32, 0, 0), (DType::F16, 1, 5), (DType::BF16, 1, 5)] {
        for gate in [Gate::Left, Gate::Right, Gate::LeftIf(1)] {
            let mut def = swi_glu_grad();
            def.split = Some(Split { dim: 0, gate, pattern: Pattern::Interleaved });
            let found = registers(&def, dtype);
            let (apart, together) =
                (found.work(arch), found.work_on_pairs(&def, arch).expect("a step on pairs"));
            assert_eq!((apart.loads, apart.stores), (3, 2), "{dtype}");
            assert_eq!((together.loads, together.stores, together.casts), (2, 1, casts), "{dtype}");
            assert_eq!(together.compute, apart.compute + joined, "{dtype}");
            for first in firsts(&def) {
                let turns = turns(&found, &def, *first).into_iter();
                let upper = turns.filter(|t| matches!(t, Turn::Upper(_)));
                assert_eq!(upper.count(), 2 * joined, "{dtype}: one to read, one to make");
            }
        }
        let halves = swi_glu_grad();
        assert_eq!(registers(&halves, dtype).work_on_pairs(&halves, arch), None);
    }
}

/// A part that is read alone is separated from the other by the same load.
#[test]
fn one_load_of_one_part() {
    let arch = soc("ascend950").arch;
    for part in [0, 1] {
        let mut def =
            operator("Lone", &["x*", "z"], &["y"], false, |b, s| vec![b.product(s[part], s[2])]);
        def.split = Some(Split { dim: 0, gate: Gate::Left, pattern: Pattern::Interleaved });
        for (dtype, casts) in [(DType::F32, 0), (DType::BF16, 3)] {
            let found = registers(&def, dtype).work_on_pairs(&def, arch).expect("a step on pairs");
            assert_eq!((found.loads, found.casts, found.compute), (2, casts, 1), "{dtype}");
        }
    }
}

/// Interleaved pairs that calls take as they are need only the queues: two buffers for each stream.
///
/// Other small rows are split in additional buffers, by offsets of 4 bytes, and joined by offsets of 8.
#[test]
fn pairs_are_not_parted_in_ub() {
    let of = |def: &OpDef, dtype, pattern| {
        let mut def = def.clone();
        def.split = Some(Split { dim: 0, gate: Gate::Left, pattern });
        let need = plan(&def, 0, dtype, soc("ascend950")).expect("a plan").need;
        [need.dense, need.small.expect("parts"), need.pairs.expect("parts")].map(|f| f.bits / 8)
    };
    let lone = operator("Lone", &["x*", "z"], &["y"], false, |b, s| vec![b.product(s[0], s[2])]);
    for (def, dtype, bytes) in [
        (swi_glu_grad(), DType::F16, [20, 20 + 8 + 12, 20]),
        (swi_glu_grad(), DType::F32, [40, 40 + 16 + 12, 40]),
        (swi_glu(), DType::BF16, [12, 12 + 4 + 4, 12]),
        // The queue holds whole rows, although one part is not read.
        (lone, DType::F32, [24, 32 + 8 + 4, 32]),
    ] {
        let [dense, parted, _] = bytes;
        assert_eq!(of(&def, dtype, Pattern::Interleaved), bytes, "{} {dtype}", def.name);
        let halves = of(&def, dtype, Pattern::Halves);
        assert_eq!(halves, [dense, parted, parted], "{} {dtype}", def.name);
    }
}
