//! The cases with documented performance, each compared with the floor of its memory traffic.
//!
//! Sizes are moderate, so that everything takes a minute or two; `bench` on the command line measures any size, each
//! run interleaved with one of its floor.

use op_dsl::ir::DType;
use op_dsl::{Operator, Options};
use op_dsl_cli::{Case, DataKind};
use ops_glu_grad::OPERATORS;

/// Gated operators: shape of `x`, data, element types.
const GATED: &[(&[usize], DataKind, &[DType])] = &[
    (&[16, 4096], DataKind::Normal, &DType::ALL),
    (&[16, 4096], DataKind::Tail, &[DType::F32]),
    (&[2048, 8192], DataKind::Normal, &DType::ALL),
    // A small tensor, so that the checks of a call count.
    (&[4, 2048], DataKind::Normal, &[DType::F32]),
];

/// Number of runs of a case, interleaved with its floor.
const RUNS: u16 = 51;

fn operator(name: &str) -> &'static Operator {
    OPERATORS.iter().find(|op| op.name() == name).expect("an operator of this crate")
}

/// Compares an operator's results with the oracle, then times it and its floor.
fn case(name: &str, attrs: &[(&str, &str)], shape: &[usize], data: DataKind, dtype: DType) {
    let op = operator(name);
    let mut values = op.default_attrs();
    for (attr, text) in attrs {
        let (index, value) = op.parse_attr(attr, text).expect("an attribute of the operator");
        values[index] = value;
    }
    let options = Options { threads: 1, ..Options::default() };
    let mut case = Case::new(op, &values, shape, dtype, data).expect("tensors");
    case.check(&options).expect("right results");

    let size: Vec<String> = shape.iter().map(usize::to_string).collect();
    let mode: String = attrs.iter().map(|(_, text)| format!("/{text}")).collect();
    let tail = if data == DataKind::Tail { "/tail" } else { "" };
    let what = format!("{name}{mode}/{}{tail}", size.join("x"));
    let [kernel, floor] = case.time(&options, Some(RUNS)).expect("checked before");
    println!("{what:<36} {dtype:<5} {:>7.3} {:>7.3}", kernel.median, floor.median);
}

fn main() {
    println!("{:<36} dtype  ns per element and of the floor, medians", "operator");
    for &(shape, data, dtypes) in GATED {
        for &dtype in dtypes {
            case("GeGluGradV2", &[("approximate", "none")], shape, data, dtype);
            case("GeGluGradV2", &[("approximate", "tanh")], shape, data, dtype);
            case("SwiGluGrad", &[], shape, data, dtype);
        }
    }
    for (mode, dtype) in [("none", DType::F32), ("tanh", DType::BF16)] {
        let attrs = [("approximate", mode)];
        case("GeluGradV2", &attrs, &[2048, 8192], DataKind::Normal, dtype);
    }
}
