//! The operators that unit tests emit.

use op_dsl_ir::op::{Attr, AttrKind, GradOf, Kind, List, OpDef, Spec, Tensor, Value};
use op_dsl_ir::{Builder, DType, Id, Prim};

/// Returns a gradient with one graph, of whole tensors, with the attributes `dim` and `approximate`.
pub fn operator(
    name: &'static str,
    inputs: &[&'static str],
    outputs: &[&'static str],
    build: impl Fn(&mut Builder, &[Id]) -> Vec<Id>,
) -> OpDef {
    let tensors = |names: &[&'static str]| -> List<Tensor> {
        let tensor = |name: &&'static str| Tensor {
            name: (*name).into(),
            kind: Kind::Whole,
            own: None,
            used: true,
        };
        names.iter().map(tensor).collect::<Vec<_>>().into()
    };
    let attr =
        |name: &'static str, kind, default| Attr { name: name.into(), kind, default, any: false };
    let mut b = Builder::new();
    let streams: Vec<Id> = (0..inputs.len()).map(|k| b.stream(k)).collect();
    let results = build(&mut b, &streams);
    OpDef {
        name: name.into(),
        inputs: tensors(inputs),
        outputs: tensors(outputs),
        attrs: vec![
            attr("dim", AttrKind::Dim, Value::Int(-1)),
            attr("approximate", AttrKind::Bool, Value::Bool(false)),
        ]
        .into(),
        dtypes: DType::ALL.to_vec().into(),
        empty: true,
        specs: vec![Spec::of(b.finish(&results))].into(),
        grad_of: Some(GradOf {
            forward: "Forward".into(),
            inputs: List::default(),
            wrt: List::default(),
        }),
        ..OpDef::default()
    }
}

/// `z = dy gelu'(x)`
pub fn gelu_grad() -> OpDef {
    operator("GeluGradV2", &["dy", "x"], &["z"], |b, s| {
        let slope = b.call(Prim::GeluGrad, &[s[1]]);
        vec![b.product(s[0], slope)]
    })
}
