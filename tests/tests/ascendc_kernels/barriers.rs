//! Builds whose compiler orders dependent vector calls, where kernels have no barriers of their own.

use super::common::{Random, inputs};
use super::judge::judge;
use super::program::Program;
use codegen_ascendc::plan::Storage;
use op_dsl::ir::DType;

/// Results are the same without barriers, and the model of such a build reports no missing one.
#[test]
fn left_to_the_compiler() {
    let options = ["-DCOMPILER_ORDERS_VECTOR_CALLS"];
    let op = super::operator("GeGluGradV2");
    let programs = Program::built(&[op], "ascend910b", Storage::Memory, &options);
    let (p, attrs) = (&programs[0], op.default_attrs());
    for dtype in DType::ALL {
        for (domain, cores) in [(&[37, 65][..], 2), (&[29, 1], 1), (&[2, 9001], 40)] {
            let mut random = Random(domain[1] as u64);
            let ins = inputs(op, &attrs, domain, dtype, |_| random.normal(2.0));
            let ran = p.run(&attrs, &ins, cores);
            judge(p, &attrs, &ins, domain, &ran);
            assert_eq!(ran.number("kernel", "barriers"), 0, "{domain:?} {dtype}");
        }
    }
}
