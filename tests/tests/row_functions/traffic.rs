//! Bytes that NPU kernels of row functions move between GM and UB.

use super::{Calls, RUN, Run, Runs};
use codegen_ascendc::emit::Cann;
use op_dsl::ir::DType;

/// UB holds the start of a row between walks, so that only what does not fit is read again.
///
/// A kernel that reads the row in each walk and writes it once would move 2.0 of the least for a softmax. Short rows are copied
/// without gaps; rows of 31 to 64 `float` are not, because gathers would take longer than what copies move beyond them.
#[test]
fn gm_traffic() {
    let [softmax, rms_norm] = [RUN[0], RUN[4]];
    // Each shape with the most times the bytes of its tensors that the kernel may move.
    let cases: [(Run, DType, &[usize], f64); 10] = [
        (softmax, DType::F32, &[2, 8192], 1.0),
        (softmax, DType::F32, &[2, 50_257], 1.28),
        (softmax, DType::BF16, &[2, 50_257], 1.01),
        (softmax, DType::F32, &[1, 131_072], 1.73),
        (softmax, DType::F32, &[4096, 1], 1.1),
        (softmax, DType::F32, &[4096, 7], 1.05),
        (softmax, DType::F16, &[4096, 7], 1.05),
        (softmax, DType::F32, &[4096, 31], 1.25),
        (softmax, DType::F32, &[4096, 63], 1.12),
        (rms_norm, DType::F32, &[1, 131_072], 1.24),
    ];
    let mut calls = Calls::new("ascend910b", Cann::V9);
    for run in [softmax, rms_norm] {
        let own = cases.iter().filter(|case| case.0 == run);
        let own: Vec<_> =
            own.map(|(_, dtype, domain, _)| ([*dtype], [*domain], calls.soc.cores)).collect();
        let runs: Vec<Runs<'_>> =
            own.iter().map(|(dtype, domain, cores)| (&dtype[..], &domain[..], *cores)).collect();
        calls = calls.of(&[run], &runs);
    }
    for ((run, dtype, domain, most), report) in cases.iter().zip(calls.check(&[], &[&[]])) {
        let moved = moved(&report);
        println!("{} {dtype} {domain:?} {moved}", run.0);
        assert!(moved <= *most, "{} {dtype} {domain:?}: {moved}", run.0);
    }
}

/// Returns the bytes of the GM sectors that a kernel touches, divided by those of the tensors that it touches.
fn moved(report: &str) -> f64 {
    let (mut moved, mut least) = (0, 0);
    for line in report.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("a record");
        if record["record"] != "buffer" || record["name"] == "tiling" {
            continue;
        }
        let bytes = record["bytes"].as_u64().expect("a number").next_multiple_of(32);
        for side in ["read", "write"] {
            let sectors = record[side]["sector_bytes"].as_u64().expect("a number");
            moved += sectors;
            least += if sectors > 0 { bytes } else { 0 };
        }
    }
    assert!(least > 0, "{report}");
    moved as f64 / least as f64
}
