//! Emitted shape inference where an input lies along a dimension of the others.

use crate::host::{program, tensor};
use codegen_ascendc::arch::Soc;
use codegen_ascendc::emit::{Options, Package};
use op_dsl::ir::DType;
use op_dsl::ir::bind::TensorMeta;

/// Infers shapes where an input lies along a dimension: they are those of Rust, and so are the refusals.
///
/// The function aclnnPrelu documents the same for its weights: one element, or as many as dimension 1 of the input, and one only
/// where the input has fewer dimensions.
#[test]
fn inputs_along_a_dimension_fit_as_in_rust() {
    let socs = [Soc::named("ascend910b").expect("a target")];
    let packages = ["PRelu", "PReluGrad"].map(|name| {
        let op = ops_glu_grad::OPERATORS.iter().find(|op| op.name() == name);
        Package::able(op.expect("an operator").def(), &socs, Options::default()).expect("one").0
    });
    let program = program(&packages);
    let of_weights: [&[usize]; 7] = [&[], &[1], &[2], &[3], &[4], &[3, 1], &[3, 1, 1]];
    let of_others: [&[usize]; 7] =
        [&[], &[1], &[3], &[2, 3], &[2, 1, 4], &[2, 3, 4], &[2, 3, 4, 5]];
    let mut refused = 0;
    for (package, own) in packages.iter().flat_map(|p| of_weights.map(|own| (p, own))) {
        for others in of_others {
            let (def, dtype) = (&package.def, DType::F32);
            let shape = |i: usize| if def.along(i).is_some() { own } else { others };
            let inputs = 0..def.inputs.len();
            let metas: Vec<TensorMeta<'_>> =
                inputs.map(|i| TensorMeta { shape: shape(i), dtype: dtype.into() }).collect();
            let tensors: String = metas.iter().map(|meta| tensor(dtype, meta.shape)).collect();
            let count = def.outputs.len();
            let question = format!("shape {} 0 {}{tensors} {count}", def.name, metas.len());
            let got = program.ask(&[question]).remove(0);
            let want = match op_dsl::ir::bind::infer(def, &[], &metas) {
                Ok(want) => want.iter().fold("ok".into(), |all, o| format!("{all} {:?}", o.shape)),
                Err(e) => format!("refused [node] {e}"),
            };
            let case = format!("{} of {own:?} beside {others:?}", def.name);
            // Inference does not refuse weights of several dimensions that would widen the input.
            if own.len() == 1 || want.starts_with("ok") {
                assert_eq!(got, want, "{case}");
            }
            refused += usize::from(want.contains(", along dimension 1 of"));
        }
    }
    assert!(refused > 20, "{refused}");
    // An unknown number of weights may be one, or fit.
    let question = "shape PRelu 0 2 0 1 3 0 1 -1 1".to_string();
    assert_eq!(program.ask(&[question]), ["ok [3]"]);
}
