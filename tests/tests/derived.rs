//! The derived operators are what CANN documents, and three ways to their values agree: the kernel,
//! the graph, and the author's own function.

use op_dsl::ir::op::{Gate, Kind, Value};
use op_dsl::{Operator, Options, OracleInput, View, ViewMut};
use ops_glu_grad::OPERATORS;

fn find(name: &str) -> &'static Operator {
    OPERATORS.iter().find(|op| op.name() == name).expect("an operator of this name")
}

/// `inputs -> outputs (attributes)`
fn signature(name: &str) -> String {
    let def = &find(name).def();
    let tensors = |list: &[op_dsl::ir::op::Tensor]| {
        let each = list.iter().map(|t| {
            let gated = if t.kind == Kind::Gated { "/2" } else { "" };
            let unused = if t.used { "" } else { "?" };
            format!("{}{gated}{unused}", t.name)
        });
        each.collect::<Vec<_>>().join(", ")
    };
    let attrs = def.attrs.iter().map(|a| format!("{} = {:?}", a.name, a.default));
    let attrs = attrs.collect::<Vec<_>>().join(", ");
    let flags = [(def.broadcast, "broadcast"), (def.promote, "promote"), (!def.empty, "filled")];
    let flags: String = flags.iter().filter(|f| f.0).map(|f| format!(" {}", f.1)).collect();
    format!("{} -> {} ({attrs}){flags}", tensors(&def.inputs), tensors(&def.outputs))
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
    assert_eq!(OPERATORS.len(), 10);
    let split = |name| find(name).def().split.clone().expect("a split").gate;
    assert_eq!(split("GeGluGradV2"), Gate::LeftIf(2));
    assert_eq!(split("SwiGluGrad"), Gate::Left);
}

/// Every combination of the attributes that the formula branches on.
fn settings(op: &Operator) -> Vec<Vec<Value>> {
    let mut all = vec![op.default_attrs()];
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
    // Exact in f32, so that all three ways start from the same numbers.
    let values = [-9.5, -3.25, -0.75, -0.03125, 0.0, 0.5, 1.375, 4.0, 12.0];
    (0..200).map(|i| (0..streams).map(|k| values[(i * (2 * k + 1) + k) % 9]).collect()).collect()
}

#[test]
fn kernel_graph_and_author_agree() {
    for op in OPERATORS {
        let def = op.def();
        let (ins, outs) = (def.input_streams(), def.output_streams());
        for attrs in settings(op) {
            let matches = |s: &&op_dsl::ir::op::Spec| {
                s.when.iter().all(|(i, v)| attrs[*i].as_int() == Some(*v))
            };
            let spec = def.specs.iter().find(matches).expect("a specialisation");
            for streams in samples(ins.len()) {
                let author = op.oracle(&OracleInput { streams: &streams, attrs: &attrs });
                let graph = spec.graph.eval(&streams, &[]);
                let traced = spec.traced.eval(&streams, &[]);
                let kernel = call(op, &attrs, &streams);
                assert_eq!(author.len(), outs.len(), "{}", def.name);
                for k in 0..outs.len() {
                    let context = || format!("{} {attrs:?} {streams:?} output {k}", def.name);
                    let near = |is: f64, digits: f64| {
                        (is - author[k]).abs() <= digits * author[k].abs().max(1e-6)
                    };
                    assert!(near(graph[k], 1e-9), "{}: {} {}", context(), graph[k], author[k]);
                    assert!(near(traced[k], 1e-9), "{}: {} {}", context(), traced[k], author[k]);
                    assert!(near(kernel[k], 1e-6), "{}: {} {}", context(), kernel[k], author[k]);
                }
            }
        }
    }
}

/// One element through the kernel: gates and values side by side along a dimension of 1 or 2.
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
    let views: Vec<View> =
        inputs.iter().map(|d| View::new(d, &[1, d.len()]).expect("a view")).collect();
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
