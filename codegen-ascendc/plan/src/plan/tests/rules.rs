//! Tests of refusals, peephole rewrites and buffers.

use super::*;
use crate::plan::registers::{Call, Op};
use op_dsl_ir::published::{LeftOut, Published};

fn apis(plan: &Plan) -> Vec<&'static str> {
    plan.instrs.iter().map(|i| i.api.name()).collect()
}

fn of_two(build: impl Fn(&mut Builder, &[Id]) -> Id) -> Plan {
    planned(&operator("Op", &["a", "b"], &["y"], true, |b, s| vec![build(b, s)]), DType::F32)
}

#[test]
fn refusals_name_operator_target_type_and_a_way_out() {
    const TANH_ONLY: LeftOut =
        LeftOut { arch: 2002, attr: "approximate", value: 0, instead: "approximate = tanh" };
    static PUBLISHED: Published = Published { left_out: &[TANH_ONLY], ..Published::NOTHING };
    let none = {
        let mut def = ge_glu_grad(Prim::GeluGrad);
        def.specs.to_mut()[0].when = vec![(1, 0)].into();
        def.published = Some(&PUBLISHED);
        def
    };
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
}

#[test]
fn every_target_takes_what_it_has() {
    let def = gelu_grad(Prim::GeluGrad);
    for soc in crate::arch::SOCS {
        for &dtype in soc.arch.dtypes {
            let plan = plan(&def, 0, dtype, soc).expect("a plan");
            assert!(plan.ub_used() <= soc.reported_ub());
        }
    }
}

/// Calls that a target lacks are replaced by others, with the same result to the bit.
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
            of_old.cost.cycles >= of_new.cost.cycles && of_old.splats.len() >= of_new.splats.len()
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
            // All NaNs are equal here, because their sign and payload are not specified.
            let bits = |v: &f32| if v.is_nan() { None } else { Some(v.to_bits()) };
            let bits = |p: &Plan| run(p).iter().map(bits).collect::<Vec<_>>();
            assert_eq!(bits(&of_old), bits(&of_new), "{} {dtype} of {x}", def.name);
        }
    }
}

#[test]
fn operations_fuse_without_changing_results() {
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
    let saturating = of_two(|b, s| b.call(Prim::Tanh, &[s[0]]));
    let near = ["Mul", "Muls", "Adds", "Mul", "FusedMulAdd", "Compares"];
    let far = ["Muls", "Mins", "Exp", "Adds", "Adds", "Div", "Select"];
    assert_eq!(apis(&saturating), [&near[..], &far].concat());
    for x in [f32::NEG_INFINITY, -90.0, 0.0, 90.0, f32::INFINITY] {
        assert_eq!(interpret(&saturating, &[x, 0.0], |_| f32::NAN), [x.clamp(-1.0, 1.0)]);
    }
    let choice = of_two(|b, s| {
        let zero = b.num(0.0);
        let c = b.call(Prim::Lt, &[zero, s[0]]);
        b.call(Prim::Select, &[c, s[1], zero])
    });
    assert_eq!(apis(&choice), ["Compares", "Select"]);
    assert!(choice.splats.is_empty(), "a number that a call takes is no vector");
    assert_eq!(interpret(&choice, &[1.0, 5.0], |_| f32::NAN), [5.0]);
    assert_eq!(interpret(&choice, &[-1.0, 5.0], |_| f32::NAN), [0.0]);
    assert!(choice.need.dense.fixed >= choice.soc.arch.select_reserve);
}

/// An end of a stream is clamped where a limit would be lost.
///
/// It is not where the result grows faster than the stream. Here `t` is squared, so it is not clamped.
#[test]
fn ends_with_limits_are_held() {
    let plan = of_two(|b, s| {
        let (one, sigmoid) = (b.num(1.0), b.call(Prim::Sigmoid, &[s[0]]));
        let square = b.power(s[1], 2);
        let less = b.difference(square, one);
        let low = b.num(-((1u64 << 40) as f64));
        let above = b.call(Prim::Max, &[s[0], low]);
        let silu = b.product(sigmoid, above);
        let bend = b.product(silu, less);
        b.difference(s[1], bend)
    });
    let is_most = |i: &&Instr| matches!(i.scalar, Some(Scalar::Const(c)) if c.abs() == f32::MAX);
    let held: Vec<&str> = plan.instrs.iter().filter(is_most).map(|i| i.api.name()).collect();
    assert_eq!(held, ["Mins"]);
    for (x, t) in [(f32::INFINITY, 1.0), (f32::NEG_INFINITY, 0.0)] {
        assert_eq!(interpret(&plan, &[x, t], |_| f32::NAN), [t]);
    }
}

/// Values that must not be overwritten are copied.
///
/// These are streams that are stored unchanged, and values that are read again.
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

/// Constants are passed as a call can read them: as scalars, by repeats, or from a whole vector.
#[test]
fn numbers_among_the_arguments() {
    let overloads = |p: &Plan| p.instrs.iter().map(|i| i.overload).collect::<Vec<_>>();
    let chosen = |first: bool| {
        of_two(move |b, s| {
            let (zero, five) = (b.num(0.0), b.num(5.0));
            let c = b.call(Prim::Lt, &[zero, s[0]]);
            let [y, z] = if first { [five, s[1]] } else { [five, zero] };
            b.call(Prim::Select, &[c, y, z])
        })
    };
    let (first, both) = (chosen(true), chosen(false));
    assert_eq!(overloads(&first), [Overload::Vectors, Overload::Repeats]);
    assert_eq!(overloads(&both), [Overload::Vectors, Overload::Repeats]);
    assert_eq!((first.splats.len(), both.splats.len()), (1, 2));
    let by_number = |prim| {
        let build = move |b: &mut Builder, s: &[Id]| {
            let alpha = b.scalar(0);
            let e = b.call(prim, &[alpha]);
            vec![b.product(s[0], e)]
        };
        let def = operator("Op", &["a"], &["y"], false, build);
        plan(&def, 0, DType::F32, soc("ascend910b"))
    };
    assert_eq!(apis(&by_number(Prim::Exp).expect("a plan")), ["Duplicate", "Exp", "Mul"]);
    assert_eq!(apis(&by_number(Prim::Abs).expect("a plan")), ["Muls"]);
    assert_eq!(apis(&by_number(Prim::Sin).expect("a plan"))[0], "Duplicate");
    let by_truth = of_two(|b, s| {
        let (alpha, zero) = (b.scalar(0), b.num(0.0));
        let c = b.call(Prim::Lt, &[zero, alpha]);
        b.call(Prim::Select, &[c, s[0], s[1]])
    });
    assert_eq!(apis(&by_truth), ["Duplicate", "Compares", "Select"]);
    assert_eq!(interpret(&by_truth, &[1.0, 2.0], |_| 1.0), [1.0]);
    assert_eq!(interpret(&by_truth, &[1.0, 2.0], |_| 0.0), [2.0]);
}

/// The bounded factor comes first, since a product of the others would overflow.
#[test]
fn products_of_large_factors() {
    let of_prims = |prims: &'static [Prim]| {
        operator("Op", &["dy", "a", "x"], &["y"], true, move |b, s| {
            let mut terms = prims.iter().map(|p| {
                let g = b.call(*p, &[s[2]]);
                b.call(Prim::Mul3, &[g, s[0], s[1]])
            });
            let first = terms.next().expect("a term");
            let rest: Vec<Id> = terms.collect();
            vec![rest.into_iter().fold(first, |sum, term| b.sum(sum, term))]
        })
    };
    let each: [&'static [Prim]; 4] =
        [&[Prim::GeluGrad], &[Prim::GeluTanhGrad], &[Prim::Sigmoid], &[Prim::Exp]];
    for prims in each {
        let def = of_prims(prims);
        for soc in crate::arch::SOCS {
            for &dtype in soc.arch.dtypes.iter().filter(|d| **d != DType::F16) {
                let plan = plan(&def, 0, dtype, soc).expect("a plan");
                for dy in [1e30, -1e30] {
                    let got = interpret(&plan, &[dy, 1e30, -110.0], |_| f32::NAN)[0];
                    assert!(got.abs() < 1e15, "{prims:?} {dtype} on {}: {got}", soc.name);
                }
                assert_eq!(plan.cost.apart, 0);
            }
        }
    }
    let shared = planned(&of_prims(&[Prim::GeluGrad, Prim::Sigmoid]), DType::F32);
    assert_eq!(shared.cost.apart, 1);
    assert_eq!(interpret(&shared, &[1e30, 1e30, -110.0], |_| f32::NAN), [0.0]);
}

/// A random step: a call of a primitive on earlier values, or a select between them.
#[derive(Clone, Copy, Debug)]
enum Random {
    Call(Prim),
    Choice(Prim),
}

/// Checks buffers and overloads with random graphs that have selects, constants and attributes.
///
/// On every target the plan gives what the graph gives, NaN where it does.
#[test]
fn random_graphs_through_their_buffers() {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};
    let calls = [Prim::Add, Prim::Sub, Prim::Mul, Prim::Min, Prim::Max, Prim::Mul3, Prim::Abs];
    let more = [Prim::Div, Prim::Neg, Prim::Exp];
    let kinds: Vec<Random> = calls
        .into_iter()
        .chain(more)
        .map(Random::Call)
        .chain([Prim::Lt, Prim::Le, Prim::Eq].map(Random::Choice))
        .collect();
    let steps = prop::collection::vec((0..kinds.len(), any::<[u8; 4]>()), 1..14);
    // Runs as many cases as `PROPTEST_CASES` says, otherwise 24, because every plan is attacked; the cases differ from run to run.
    // `.ci/deep everything` asks for more.
    let cases = std::env::var("PROPTEST_CASES").map_or(24, |_| Config::default().cases);
    let mut runner =
        TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    const STREAMS: [f64; 3] = [2.0, -3.0, 1.0];
    const SCALARS: [f64; 2] = [-0.5, 1.0];
    let run = |(steps, outs): (Vec<(usize, [u8; 4])>, [u8; 2])| {
        let build = |b: &mut Builder, s: &[Id]| {
            let mut known = s.to_vec();
            known.extend([2.0, -1.0, 3.0].map(|c| b.num(c)));
            known.extend([0, 1].map(|k| b.scalar(k)));
            for (kind, args) in &steps {
                let args = args.map(|a| known[a as usize % known.len()]);
                let id = match kinds[*kind] {
                    Random::Call(prim) => b.call(prim, &args[..prim.row().arity]),
                    Random::Choice(by) => {
                        let c = b.call(by, &args[..2]);
                        b.call(Prim::Select, &[c, args[2], args[3]])
                    }
                };
                known.push(id);
            }
            outs.map(|o| known[known.len() - 1 - o as usize % 3]).to_vec()
        };
        let def = operator("Op", &["a", "b", "c"], &["y", "z"], true, build);
        let graph = &def.specs[0].graph;
        let values = graph.eval_all(&STREAMS, &SCALARS);
        // Beyond these sizes `float` and f64 differ; within them, only by the rounding of quotients and exponentials.
        if values.iter().any(|v| v.abs() > 1e3 || (*v != 0.0 && v.abs() < 1e-7)) {
            return Ok(());
        }
        for soc in architectures() {
            let plan = plan(&def, 0, DType::F32, soc).expect("a plan");
            let numbers = plan.graph.eval_all(&STREAMS, &SCALARS);
            let uniform = |id: Id| numbers[id.index()] as f32;
            let got = interpret(&plan, &STREAMS.map(|v| v as f32), uniform);
            for (g, o) in got.iter().zip(graph.outputs.iter()) {
                let (g, w) = (f64::from(*g), values[o.index()]);
                let close = g == w
                    || (g.is_nan() && w.is_nan())
                    || (g - w).abs() <= 1e-4 * w.abs().max(1.0);
                prop_assert!(close, "{}: {got:?}, not {w}: {:?}", soc.name, plan.instrs);
            }
        }
        Ok(())
    };
    runner.run(&(steps, any::<[u8; 2]>()), run).expect("every graph");
}

/// A bound that only one sign of an attribute needs is skipped for the other sign.
///
/// For example, one end of `x sigmoid(beta x)` needs a clamp, and which one is decided by the sign of `beta`.
#[test]
fn bounds_by_the_sign_of_an_attribute_are_one_call() {
    let mut def = operator("Op", &["x"], &["y"], false, |b, s| {
        let beta = b.scalar(0);
        let scaled = b.product(beta, s[0]);
        let sigmoid = b.call(Prim::Sigmoid, &[scaled]);
        vec![b.product(s[0], sigmoid)]
    });
    let kind = AttrKind::Float;
    def.attrs.to_mut().push(Attr {
        name: "beta".into(),
        kind,
        default: Value::Float(1.0),
        any: false,
    });
    let on_registers = plan(&def, 0, DType::F32, soc("ascend950")).expect("a plan");
    let plan = planned(&def, DType::F32);
    let bounds: Vec<&Instr> = plan.instrs.iter().filter(|i| plan.bound(i).is_some()).collect();
    assert_eq!(bounds.iter().map(|i| i.api.name()).collect::<Vec<_>>(), ["Maxs", "Mins"]);
    assert_eq!(plan.cost.calls, plan.instrs.len() - 1);
    let registers = on_registers.registers.as_ref().expect("registers");
    let calls = |ops: &mut dyn Iterator<Item = &Op>| {
        let api = |op: &Op| if let Call::Plain(api) = op.call { Some(api.name()) } else { None };
        ops.filter_map(api).filter(|name| ["Maxs", "Mins"].contains(name)).collect::<Vec<_>>()
    };
    // The last one clamps the argument of the exponential.
    assert_eq!(calls(&mut registers.ops.iter()), ["Maxs", "Mins", "Mins"]);
    assert_eq!(calls(&mut registers.usual()), ["Maxs", "Mins"]);
    for (beta, made) in [(1.5, [true, false]), (-1.5, [false, true])] {
        let values = plan.graph.eval_all(&[f64::NAN; 16], &[beta]);
        let of = |i: &&Instr| plan.bound(i).is_some_and(|id| values[id.index()].is_finite());
        assert_eq!(bounds.iter().map(of).collect::<Vec<_>>(), made, "{beta}");
        for (x, want) in
            [(f32::INFINITY * beta as f32, f32::INFINITY), (f32::NEG_INFINITY * beta as f32, 0.0)]
        {
            let got = interpret(&plan, &[x], |id| values[id.index()] as f32)[0];
            assert!(got.abs() == want, "{beta}: {got} of {x}");
            let got = interpret(&on_registers, &[x], |id| values[id.index()] as f32)[0];
            assert!(got.abs() == want, "{beta} on registers: {got} of {x}");
        }
    }
}
