//! The derived operators have the signatures that CANN documents, and three evaluations of them agree.
//!
//! They are the kernel, the graph, and the reference evaluator; the author's own function for what is not derived.
#![allow(missing_docs)]

mod common;

use common::{all_defaults, is_given, judged, scalars};
use op_dsl::ir::op::{Gate, Kind, Value};
use op_dsl::{Operator, Options, View, ViewMut};
use ops_glu_grad::OPERATORS;

fn find(name: &str) -> &'static Operator {
    OPERATORS.iter().find(|op| op.name() == name).expect("an operator of this name")
}

/// `inputs -> outputs (attributes)`
fn signature(name: &str) -> String {
    let def = &find(name).def();
    let tensors = |list: &[op_dsl::ir::op::Tensor], optional: &dyn Fn(usize) -> bool| {
        let each = list.iter().enumerate().map(|(i, t)| {
            let gated = if t.kind == Kind::Gated { "/2" } else { "" };
            let unused = if t.used { "" } else { "?" };
            let text = format!("{}{gated}{unused}", t.name);
            if optional(i) { format!("[{text}]") } else { text }
        });
        each.collect::<Vec<_>>().join(", ")
    };
    let attrs = def.passed().iter().map(|a| format!("{} = {:?}", a.name, a.default));
    let attrs = attrs.collect::<Vec<_>>().join(", ");
    let flags = [(def.broadcast, "broadcast"), (def.promote, "promote"), (!def.empty, "filled")];
    let flags: String = flags.iter().filter(|f| f.0).map(|f| format!(" {}", f.1)).collect();
    format!(
        "{} -> {} ({attrs}){flags}",
        tensors(&def.inputs, &|i| def.presence(i).is_some()),
        tensors(&def.outputs, &|_| false)
    )
}

#[test]
fn signatures_are_those_of_the_documents() {
    let gate = "dim = Int(-1), approximate = Int(1), activate_left = Bool(false)";
    for (name, want) in [
        ("GeGluV2", format!("x/2 -> y, gelu ({gate})")),
        ("GeGluGradV2", format!("dy, x/2, gelu -> dx/2 ({gate})")),
        ("SwiGlu", "x/2 -> y (dim = Int(-1)) filled".to_owned()),
        ("SwiGluGrad", "y_grad, x/2 -> x_grad/2 (dim = Int(-1)) filled".to_owned()),
        ("GeluV2", "x -> y (approximate = Int(0))".to_owned()),
        ("GeluGradV2", "dy, x -> z (approximate = Int(0)) broadcast promote".to_owned()),
        ("Gelu", "x -> y ()".to_owned()),
        ("GeluGrad", "dy, x, y? -> z ()".to_owned()),
        ("GeLU", "input -> output ()".to_owned()),
        ("GeLUBackward", "input, grad_output -> grad_input () broadcast".to_owned()),
    ] {
        assert_eq!(signature(name), want, "{name}");
    }
    let split = |name| find(name).def().split.clone().expect("a split").gate;
    assert_eq!(split("GeGluGradV2"), Gate::LeftIf(2));
    assert_eq!(split("SwiGluGrad"), Gate::Left);
}

/// The gradients of the family, by the definitions of ops-nn/activation.
///
/// `docs/family.md` lists what is missing of an interface that is not complete.
#[test]
fn gradients_have_the_signatures_of_their_definitions() {
    let third = "negative_slope = Float(0.2), scale = Float(1.414213562373)";
    let line = format!("alpha = Float({}), beta = Float(0.5)", 1.0 / 6.0);
    let elu = "alpha = Float(1.0), scale = Float(1.0), input_scale = Float(1.0)";
    let situ = "dim = Int(-1), beta = Float(1.0), linear_beta = Float(0.0)";
    let clipped = "alpha = Float(1.702), limit = Float(7.0), bias = Float(1.0)";
    for (name, tensors, attrs) in [
        ("ReluGrad", "gradients, features -> backprops", ""),
        ("Relu6Grad", "gradients, features -> backprops", ""),
        ("LeakyReluGrad", "gradients, features -> backprops", "negative_slope = Float(0.0)"),
        ("FusedBiasLeakyReluGrad", "y_grad, features -> x_grad", third),
        ("ThresholdGradV2D", "gradOutput, self -> out", "threshold = Float(1.0)"),
        ("HardShrinkGrad", "gradients, features -> backprops", "lambd = Float(0.5)"),
        ("SoftShrinkGrad", "input_grad, input_x -> output_y", "lambd = Float(0.5)"),
        ("HardSigmoidGrad", "grads, input_x -> y", &line),
        ("HardSwishGrad", "grad_output, self -> grad_input", ""),
        ("HardSwishGradV2", "gradOutput, self -> out", ""),
        ("HardtanhGrad", "result, grad -> y", "min_val = Float(-1.0), max_val = Float(1.0)"),
        ("EluGrad", "grads, activations -> y", ""),
        ("EluGradV2", "grads, activations -> y", &format!("{elu}, is_result = Bool(false)")),
        ("SeluGrad", "gradients, outputs -> y", ""),
        ("SoftplusGrad", "gradients, features -> backprops", ""),
        (
            "SoftplusV2Grad",
            "input_gradients, input_features -> output_backprops",
            "beta = Float(1.0), threshold = Float(20.0)",
        ),
        ("LogSigmoidGrad", "grads, features -> backprops", ""),
        ("SigmoidGrad", "y, dy -> z", ""),
        ("TanhGrad", "y, dy -> z", ""),
        ("SiluGrad", "dy, x -> dx", ""),
        ("SwishGrad", "grad, x, y? -> grad_x", "scale = Float(1.0)"),
        ("FastGeluGrad", "dy, x -> z", ""),
        ("MishGrad", "grad, x, [tanhx] -> x_grad", ""),
        ("SoftsignGrad", "gradients, features -> output", ""),
        ("GLUGrad", "grad_out, self/2 -> out/2", "dim = Int(-1)"),
        ("SituGluGrad", "grad_y, x/2 -> grad_x/2", &format!("{situ}, activate_left = Bool(true)")),
        (
            "ClippedSwigluGrad",
            "grad_y, x/2, [group_index] -> grad_x/2",
            &format!("dim = Int(-1), {clipped}, interleaved = Bool(true)"),
        ),
    ] {
        assert_eq!(signature(name), format!("{tensors} ({attrs})"), "{name}");
    }
    let update = "grads, features, weights -> dx, update () broadcast";
    assert_eq!(signature("PReluGradUpdate"), update);
    assert_eq!(signature("PReluGrad"), "grads, features, weights -> dx, da () broadcast");
}

/// Returns every combination of the attributes that the formula branches on.
fn settings(op: &Operator) -> Vec<Vec<Value>> {
    let mut all = vec![all_defaults(op)];
    for (i, attr) in op.def().attrs.iter().enumerate() {
        let values: Vec<Value> = match &attr.kind {
            op_dsl::ir::op::AttrKind::Enum { variants, .. } => {
                variants.iter().map(|v| Value::Int(v.value)).collect()
            }
            _ => continue,
        };
        all = all
            .iter()
            .flat_map(|a| {
                values.iter().map(move |v| {
                    let mut a = a.clone();
                    a[i] = *v;
                    a
                })
            })
            .collect();
    }
    all
}

fn samples(streams: usize) -> Vec<Vec<f64>> {
    // Exact in f32, so that all three evaluations start from the same numbers.
    let values = [-9.5, -3.25, -0.75, -0.03125, 0.0, 0.5, 1.375, 4.0, 12.0];
    (0..200).map(|i| (0..streams).map(|k| values[(i * (2 * k + 1) + k) % 9]).collect()).collect()
}

#[test]
fn kernel_graph_and_judge_agree() {
    for op in OPERATORS {
        let def = op.def();
        let (ins, outs) = (def.input_streams(), def.output_streams());
        for attrs in settings(op) {
            let matches = |s: &&op_dsl::ir::op::Spec| {
                s.when.iter().all(|(i, v)| attrs[*i].as_int() == Some(*v))
            };
            let spec = def.specs.iter().find(matches).expect("a specialisation");
            for streams in samples(ins.len()) {
                let want = judged(op, &attrs, &streams);
                let graph = spec.graph.eval(&streams, &scalars(&attrs));
                let traced = spec.traced.eval(&streams, &scalars(&attrs));
                let kernel = call(op, &attrs, &streams);
                assert_eq!(want.len(), outs.len(), "{}", def.name);
                for k in 0..outs.len() {
                    let context = || format!("{} {attrs:?} {streams:?} output {k}", def.name);
                    let near = |is: f64, digits: f64| {
                        (is - want[k]).abs() <= digits * want[k].abs().max(1e-6)
                    };
                    assert!(near(graph[k], 1e-9), "{}: {} {}", context(), graph[k], want[k]);
                    assert!(near(traced[k], 1e-9), "{}: {} {}", context(), traced[k], want[k]);
                    assert!(near(kernel[k], 1e-6), "{}: {} {}", context(), kernel[k], want[k]);
                }
            }
        }
    }
}

/// Runs the kernel on one element: gate and value are neighbours along a dimension of 1 or 2.
fn call(op: &Operator, attrs: &[Value], streams: &[f64]) -> Vec<f64> {
    let def = op.def();
    let gate_first = match def.split.as_ref().map(|s| s.gate) {
        Some(Gate::LeftIf(i)) => attrs[i].as_int() == Some(1),
        Some(Gate::Right) => false,
        _ => true,
    };
    let mut next = streams.iter().map(|v| *v as f32);
    let inputs: Vec<Vec<f32>> = def
        .inputs
        .iter()
        .map(|t| {
            let n = t.kind.parts().len();
            let mut data: Vec<f32> = next.by_ref().take(n).collect();
            if !gate_first {
                data.reverse();
            }
            data
        })
        .collect();
    let truths: Vec<[bool; 1]> =
        inputs.iter().map(|d| [d.first().is_some_and(|v| *v != 0.0)]).collect();
    let view = |i: usize| match def.inputs[i].kind {
        kind if kind == Kind::Rows || !is_given(op, attrs, i) => View::ABSENT,
        Kind::Mask => View::new(&truths[i], &[1, 1]).expect("a view"),
        _ => View::new(&inputs[i], &[1, inputs[i].len()]).expect("a view"),
    };
    let views: Vec<View> = (0..inputs.len()).map(view).collect();
    let mut outputs: Vec<Vec<f32>> =
        def.outputs.iter().map(|t| vec![f32::NAN; t.kind.parts().len()]).collect();
    let mut out_views: Vec<ViewMut> = outputs
        .iter_mut()
        .map(|d| {
            let n = d.len();
            ViewMut::new(d, &[1, n]).expect("a view")
        })
        .collect();
    op.run(attrs, &views, &mut out_views, &Options::default()).expect("a call");
    drop(out_views);
    let ordered = outputs.into_iter().flat_map(|mut d| {
        if !gate_first {
            d.reverse();
        }
        d
    });
    ordered.map(f64::from).collect()
}

#[test]
fn typed_calls_work() {
    use ops_glu_grad::glu::{Approximate, GeGluGradV2};
    let op = GeGluGradV2 { approximate: Approximate::None, ..Default::default() };
    let (dy, x, gelu) = ([1.0f32, 2.0], [3.0f32, 4.0, 0.5, -1.0], [0.25f32, -0.5]);
    let mut dx = [0.0f32; 4];
    op.run(
        View::new(&dy, &[2]).expect("a view"),
        View::new(&x, &[4]).expect("a view"),
        View::new(&gelu, &[2]).expect("a view"),
        ViewMut::new(&mut dx, &[4]).expect("a view"),
    )
    .expect("a call");
    // The gate is the second half.
    assert_eq!(dx[..2], [0.25, -1.0]);
    assert!((dx[2] - 3.0 * 0.867_495_2).abs() < 1e-5, "{dx:?}");
}
