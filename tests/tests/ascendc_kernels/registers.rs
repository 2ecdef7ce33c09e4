//! Kernels in registers compute the same as calls on tensors, for every operator of the table.

use super::common::{Random, attribute_values, inputs, scalars};
use super::judge::judge;
use super::planned::family;
use super::program::{Program, Ran};
use codegen_ascendc::arch::Soc;
use codegen_ascendc::emit::Package;
use codegen_ascendc::plan::{Noise, Plan, Storage, interpret_all, plan_in};
use half::{bf16, f16};
use op_dsl::Operator;
use op_dsl::ir::op::Value;
use op_dsl::ir::{DType, Id, Stored};

/// Arguments where functions leave their domain, saturate or change branches.
const EDGES: [f32; 16] = [
    f32::NAN,
    f32::NEG_INFINITY,
    f32::INFINITY,
    -3e38,
    -65504.0,
    -120.0,
    -40.0,
    -6.0,
    -1.0,
    -1e-30,
    0.0,
    1e-3,
    1.0,
    20.0,
    88.0,
    1e30,
];

fn rounded(x: f32, dtype: DType) -> f32 {
    match dtype {
        DType::F32 => x,
        DType::F16 => f16::from_f32(x).to_f32(),
        DType::BF16 => bf16::from_f32(x).to_f32(),
    }
}

/// Returns streams that combine edges with edges, and numbers around zero.
fn streams(n: usize, dtype: DType) -> Vec<Vec<f32>> {
    let mut random = Random(n as u64);
    let edges = EDGES.len() * EDGES.len();
    let of = |k: usize, i: usize| match i {
        i if i < edges && k.is_multiple_of(2) => EDGES[i % EDGES.len()],
        i if i < edges => EDGES[i / EDGES.len()],
        _ => random.normal(3.0) as f32,
    };
    let mut value = of;
    let all = |k: usize| (0..2 * edges).map(|i| rounded(value(k, i), dtype)).collect();
    (0..n).map(all).collect()
}

/// Returns whether two results differ only by how sums and quotients round.
fn close(a: f32, b: f32, scale: f32, dtype: DType) -> bool {
    let (digits, most) = match dtype {
        DType::F32 => (20, f32::MAX),
        DType::F16 => (9, 65504.0),
        DType::BF16 => (6, f32::MAX),
    };
    let overflows = |x: f32, y: f32| x.is_infinite() && y.abs() > 0.49 * most && x * y > 0.0;
    let apart = (a - b).abs();
    a == b
        || (a.is_nan() && b.is_nan())
        || overflows(a, b)
        || overflows(b, a)
        || apart <= a.abs().max(b.abs()) * 0.5f32.powi(digits)
        || apart <= scale.max(1.0) * 0.5f32.powi(20.min(digits + 11))
}

/// Compares both variants on these streams; returns whether both exist.
fn same(op: &Operator, registers: &Plan) -> bool {
    let (spec, dtype) = (registers.spec, registers.dtype);
    let soc = Soc::named("ascend950").expect("a target");
    let Ok(memory) = plan_in(op.def(), spec, dtype, soc, Storage::Memory) else { return false };
    // The bits of a step begin inside a block, so selects by bit masks are calls on tensors.
    if op.def().masks() == Stored::Bit {
        assert!(registers.registers.is_none(), "{} {dtype}: bits in registers", op.name());
        return false;
    }
    // Registers are not used where only calls on tensors keep the budget, which no first derivative needs.
    if registers.registers.is_none() {
        assert!(op.name().ends_with("GradGrad"), "{} {dtype}: not in registers", op.name());
        return false;
    }
    let mut ins = streams(registers.inputs.len(), dtype);
    for (_, mask) in ins.iter_mut().enumerate().filter(|(k, _)| op.def().is_mask(*k)) {
        mask.iter_mut().for_each(|x| *x = f32::from(*x > 0.0));
    }
    let slices: Vec<&[f32]> = ins.iter().map(Vec::as_slice).collect();
    let attrs = attribute_values(op).swap_remove(0);
    let run = |plan: &Plan| {
        // Functions of one value are streams after those of the operator.
        let numbers = plan.graph.eval_all(&vec![1.0; ins.len() + 16], &scalars(&attrs));
        interpret_all(plan, &slices, |id: Id| numbers[id.index()] as f32, Noise::None)
    };
    let (got, want) = (run(registers), run(&memory));
    for (k, (got, want)) in got.iter().zip(&want).enumerate() {
        for (i, (g, w)) in got.iter().zip(want).enumerate() {
            let x: Vec<f32> = ins.iter().map(|s| s[i]).collect();
            let scale: f32 = x.iter().filter(|x| x.is_finite()).map(|x| x.abs().max(1.0)).product();
            // Several infinities may give NaN or an infinity, depending on how a variant sums (docs/promises.md).
            let are_many = x.iter().filter(|x| x.is_infinite()).count() > 1;
            let is_open = are_many && !g.is_finite() && !w.is_finite();
            assert!(
                is_open || close(*g, *w, scale, dtype),
                "{} {dtype}, specialisation {spec}, output {k}: {x:?} give {g} in registers, {w} in memory",
                op.name()
            );
        }
    }
    true
}

/// Both variants are emitted and run on the host model.
///
/// They agree with the graph, and with each other but for how sums and quotients round.
#[test]
#[ignore = "a quarter of a minute: .ci/deep everything"]
fn both_forms_on_the_host_model() {
    let ops = ["GeGluGradV2", "SwiGluGrad", "Mixed"].map(super::operator);
    let [registers, memory] = [Storage::Registers, Storage::Memory]
        .map(|storage| Program::all_in(&ops, "ascend950", storage));
    let mut both = 0;
    for (registers, memory) in registers.iter().zip(&memory) {
        let attrs = registers.op.default_attrs();
        for dtype in DType::ALL.into_iter().filter(|dtype| memory.has(&attrs, *dtype)) {
            let [on, off] = [registers, memory].map(|p| p.plan_of(&attrs, dtype));
            assert!(off.registers.is_none(), "{}", on.op);
            // Registers are not used where only calls on tensors keep the budget.
            if on.registers.is_none() {
                continue;
            }
            both += 1;
            for (domain, cores) in
                [(&[37, 65][..], 2), (&[3, 2048], 40), (&[29, 1], 1), (&[5, 7], 3)]
            {
                let mut random = Random(domain[1] as u64);
                let ins = inputs(registers.op, &attrs, domain, dtype, |_| random.normal(2.0));
                let [got, want] = [registers, memory].map(|p| {
                    let ran = p.run(&attrs, &ins, cores);
                    judge(p, &attrs, &ins, domain, &ran);
                    ran
                });
                for (got, want) in got.outputs.iter().zip(&want.outputs) {
                    for i in 0..got.shape.iter().product() {
                        let (g, w) = (got.at(i) as f32, want.at(i) as f32);
                        assert!(close(g, w, 8.0, dtype), "{} {dtype}: {g}, {w} in memory", on.op);
                    }
                }
            }
        }
    }
    assert!(both >= 7, "{both} of nine in both forms");
}

#[test]
fn registers_and_memory_agree() {
    let soc = Soc::named("ascend950").expect("a target");
    let of = |(op, package): (&Operator, Package<'_>)| {
        package.plans.iter().filter(|plan| same(op, plan)).count()
    };
    let both: usize = family(soc, |_| true).map(of).sum();
    assert!(both > 150, "{both}");
}

/// The sign of an attribute decides at which end a formula has a limit: the usual sign has a step of its own.
#[test]
fn either_sign_of_an_attribute_on_the_host_model() {
    let programs = Program::all_in(&[super::operator("Swish")], "ascend950", Storage::Registers);
    let (program, domain) = (&programs[0], [3, 130]);
    for (scale, dtype) in [1.0, -1.0, 2.5, 0.0].into_iter().flat_map(|s| DType::ALL.map(|d| (s, d)))
    {
        let attrs = vec![Value::Float(scale); program.op.def().attrs.len()];
        let mut edges = EDGES.iter().cycle().map(|x| f64::from(*x));
        let ins = inputs(program.op, &attrs, &domain, dtype, |_| edges.next().unwrap_or(0.0));
        let ran = program.run(&attrs, &ins, 2);
        judge(program, &attrs, &ins, &domain, &ran);
        for (x, y) in (0..3 * 130).map(|i| (ins[0].at(i), ran.outputs[0].at(i))) {
            assert_eq!(y.is_nan(), x.is_nan(), "{scale} {dtype}: {y} of {x}");
        }
        saturates(&ran, &program.run_with(&attrs, &ins, 2, &["--saturate"]), dtype);
    }
}

/// Checks the device's default mode: 16-bit results saturate to the largest number for infinity and to 0 for NaN.
fn saturates(ran: &Ran, saturating: &Ran, dtype: DType) {
    let largest = match dtype {
        DType::F16 => f16::MAX.to_f64(),
        DType::BF16 => bf16::MAX.to_f64(),
        DType::F32 => f64::INFINITY,
    };
    let (plain, got) = (&ran.outputs[0], &saturating.outputs[0]);
    let count = plain.shape.iter().product();
    for (y, got) in (0..count).map(|i| (plain.at(i), got.at(i))) {
        match y.is_nan() && dtype != DType::F32 {
            true => assert_eq!(got, 0.0, "{dtype}: for NaN"),
            false => assert!(
                got == y.clamp(-largest, largest) || (got.is_nan() && y.is_nan()),
                "{dtype}: {got} for {y}"
            ),
        }
    }
    // Only f16 must overflow here, because in the wider types inputs are clamped short of infinity.
    assert!(dtype != DType::F16 || (0..count).any(|i| plain.at(i).is_infinite()), "no infinity");
}
