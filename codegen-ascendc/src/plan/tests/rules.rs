//! Refusals, peepholes and buffers.

use super::*;

fn apis(plan: &Plan) -> Vec<&'static str> {
    plan.instrs.iter().map(|i| i.api.name()).collect()
}

fn of_two(build: impl Fn(&mut Builder, &[Id]) -> Id) -> Plan {
    planned(&operator("Op", &["a", "b"], &["y"], true, |b, s| vec![build(b, s)]), DType::F32)
}

#[test]
fn refusals_name_operator_target_type_and_a_way_out() {
    let none = {
        let mut def = ge_glu_grad(Prim::GeluGrad);
        def.specs.to_mut()[0].when = vec![(1, 0)].into();
        def
    };
    let unknown = operator("Own", &["x"], &["y"], false, |b, s| vec![b.call(Prim::Erf, &[s[0]])]);
    let message = |def: &OpDef, dtype, on| plan(def, 0, dtype, soc(on)).unwrap_err().to_string();
    assert_eq!(
        message(&none, DType::BF16, "ascend310p"),
        "GeGluGradV2 on ascend310p in bf16: architecture 2002 has no bf16; use f16 or f32, or ascend910b"
    );
    assert_eq!(
        message(&none, DType::F16, "ascend310p"),
        "GeGluGradV2 on ascend310p in f16: the operator's document leaves out approximate = 0 \
         there; use approximate = tanh"
    );
    let text = message(&unknown, DType::F32, "ascend910b");
    assert!(text.starts_with("Own on ascend910b in f32: `erf` has no sequence"), "{text}");
}

#[test]
fn every_target_takes_what_it_has() {
    let def = gelu_grad(Prim::GeluGrad);
    for soc in crate::arch::SOCS {
        for &dtype in soc.arch.dtypes {
            let plan = plan(&def, 0, dtype, soc).expect("a plan");
            assert!(plan.ub_used() <= soc.reported_ub());
            assert_eq!(plan.need.small.is_some(), soc.arch.gathers);
        }
    }
}

/// Calls that a target lacks are done by others, with the same result to the bit.
#[test]
fn the_oldest_target_has_its_own_calls() {
    let old = soc("ascend910");
    let chosen = operator("Op", &["a", "b"], &["y"], true, |b, s| {
        let (low, high) = (b.num(-1.0), b.num(7.0));
        let c = b.call(Prim::Lt, &[s[0], low]);
        vec![b.call(Prim::Select, &[c, s[1], high])]
    });
    let gradients = [
        ge_glu_grad(Prim::GeluTanhGrad),
        gelu_grad(Prim::GeluTanhGrad),
        gelu_grad(Prim::GeluGrad),
        swi_glu_grad(),
    ];
    let forwards = [ge_glu(Prim::Gelu), ge_glu(Prim::GeluTanh), swi_glu(), chosen];
    for (def, dtype) in
        gradients.iter().chain(&forwards).flat_map(|d| [(d, DType::F16), (d, DType::F32)])
    {
        let (of_old, of_new) = (plan(def, 0, dtype, old).expect("a plan"), planned(def, dtype));
        let lacked = |p: &Plan| apis(p).iter().any(|a| old.arch.lacks.contains(a));
        assert!(!lacked(&of_old), "{} {dtype}: {:?}", def.name, apis(&of_old));
        assert!(of_old.ub_used() <= old.reported_ub());
        assert!(
            of_old.cost.passes >= of_new.cost.passes && of_old.splats.len() >= of_new.splats.len()
        );
        for x in [
            f32::NEG_INFINITY,
            -20.0,
            -3.125,
            -0.125,
            0.0,
            0.75,
            5.0,
            30.0,
            f32::INFINITY,
            f32::NAN,
        ] {
            let streams = [1.5, x, -0.75, 0.5];
            let run = |p: &Plan| interpret(p, &streams[..p.inputs.len()], |_| f32::NAN);
            let bits = |p: &Plan| run(p).iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            let same = bits(&of_old) == bits(&of_new) || run(&of_old).iter().any(|v| v.is_nan());
            assert!(same, "{} {dtype} of {x}: {:?}", def.name, run(&of_old));
        }
    }
}

#[test]
fn peepholes() {
    let scaled = of_two(|b, s| {
        let c = b.num(3.0);
        let p = b.product(c, s[0]);
        let q = b.call(Prim::Exp, &[s[1]]);
        b.sum(p, q)
    });
    assert_eq!(apis(&scaled), ["Exp", "Axpy"]);
    assert_eq!(interpret(&scaled, &[2.0, 0.0], |_| f32::NAN), [7.0]);
    let fused = of_two(|b, s| {
        let m = b.call(Prim::Abs, &[s[0]]);
        let p = b.product(m, s[1]);
        b.sum(p, s[1])
    });
    assert_eq!(apis(&fused), ["Abs", "FusedMulAdd"]);
    assert_eq!(interpret(&fused, &[-2.0, 5.0], |_| f32::NAN), [15.0]);
    let choice = of_two(|b, s| {
        let zero = b.num(0.0);
        let c = b.call(Prim::Lt, &[zero, s[0]]);
        b.call(Prim::Select, &[c, s[1], zero])
    });
    assert_eq!(apis(&choice), ["Compares", "Select"]);
    assert_eq!(interpret(&choice, &[1.0, 5.0], |_| f32::NAN), [5.0]);
    assert_eq!(interpret(&choice, &[-1.0, 5.0], |_| f32::NAN), [0.0]);
    assert!(choice.need.dense.fixed >= choice.soc.arch.select_reserve);
}

/// What nobody may overwrite is copied: streams that are stored as they are, values read again.
#[test]
fn outputs_that_are_inputs_and_values_read_twice() {
    for dtype in DType::ALL {
        let def = operator("Op", &["a"], &["x", "y", "z"], false, |b, s| {
            let e = b.call(Prim::Abs, &[s[0]]);
            vec![s[0], e, e]
        });
        let plan = planned(&def, dtype);
        assert_eq!(interpret(&plan, &[-2.0], |_| f32::NAN), [-2.0, 2.0, 2.0], "{dtype}");
    }
}

#[test]
fn attributes_stay_scalars() {
    let def = operator("Op", &["a"], &["y"], false, |b, s| {
        let alpha = b.scalar(0);
        let two = b.num(2.0);
        let twice = b.product(two, alpha);
        let p = b.product(twice, s[0]);
        let e = b.call(Prim::Exp, &[p]);
        vec![b.product(e, alpha)]
    });
    let plan = planned(&def, DType::F32);
    assert_eq!(apis(&plan), ["Muls", "Exp", "Muls"]);
    assert!(matches!(plan.instrs[0].scalar, Some(Scalar::Uniform(_))));
}

/// Buffers against values: random graphs give what the graph gives.
#[test]
fn random_graphs_through_their_buffers() {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};
    let prims = [Prim::Add, Prim::Sub, Prim::Mul, Prim::Min, Prim::Max, Prim::Mul3, Prim::Abs];
    let steps = prop::collection::vec((0..prims.len(), any::<[u8; 3]>()), 1..14);
    let mut runner =
        TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(800) });
    let run = |(steps, outs): (Vec<(usize, [u8; 3])>, [u8; 2])| {
        let build = |b: &mut Builder, s: &[Id]| {
            let mut known = s.to_vec();
            known.extend([2.0, -1.0, 3.0].map(|c| b.num(c)));
            for (p, args) in &steps {
                let args = args.map(|a| known[a as usize % known.len()]);
                let id = b.call(prims[*p], &args[..prims[*p].row().arity]);
                known.push(id);
            }
            outs.map(|o| known[known.len() - 1 - o as usize % 3]).to_vec()
        };
        let def = operator("Op", &["a", "b", "c"], &["y", "z"], true, build);
        let values = [2.0f32, -3.0, 1.0];
        let want = def.specs[0].graph.eval(&values.map(f64::from), &[]);
        let plan = planned(&def, DType::F32);
        let uniform = |id: Id| def.specs[0].graph.eval_all(&[0.0; 3], &[])[id.index()] as f32;
        let got = interpret(&plan, &values, uniform);
        for (g, w) in got.iter().zip(&want) {
            let close = (f64::from(*g) - w).abs() <= 1e-5 * w.abs().max(1.0);
            prop_assert!(close || w.abs() > 1e7, "{got:?} {want:?} {:?}", plan.instrs);
        }
        Ok(())
    };
    runner.run(&(steps, any::<[u8; 2]>()), run).expect("every graph");
}
