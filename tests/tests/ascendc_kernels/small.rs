//! Rows that end inside blocks, on products whose copies move whole blocks.
//!
//! Scalar code handles only the ends of tensors.

use super::check;
use super::planned::family;
use super::program::{Program, Ran};
use codegen_ascendc::arch::Soc;
use codegen_ascendc::tiling::{BLOCK, Extent, Machine, Path, tile};
use op_dsl::ir::{DType, op::Value};

/// Runs several cores, each with tiles of whole lanes and one shorter tile.
///
/// The last tile ends inside a block. Every element is compared. The model reports bytes written outside, not at all,
/// or twice.
pub fn rows(p: &Program, attrs: &[Value], dtype: DType) {
    let block = BLOCK as usize / dtype.size();
    for m in (1..block).chain([block + 1, 5 * block + 3]) {
        hold(p, &check(p, attrs, &[999, m], dtype, 3), dtype);
    }
    for m in [3, 7] {
        hold(p, &check(p, attrs, &[4100, m], dtype, 8), dtype);
    }
}

/// Checks the scalar stores: none to GM, and less than a block of each stream of the last two tiles to UB.
///
/// Tensors shorter than a block are an exception. Rows shorter than a block are transposed.
pub fn hold(p: &Program, ran: &Ran, dtype: DType) {
    let (def, t) = (p.op.def(), &ran.tiling);
    if p.soc.arch.pads || def.split.is_none() || t.rows * t.columns < 16 {
        return;
    }
    let stores = ["ub_scalar_stores", "gm_scalar_stores"].map(|field| ran.number("kernel", field));
    let most = 2 * 16 * (def.input_streams().len() + def.output_streams().len()) as u64;
    let what = format!("{} {dtype}: {stores:?} scalar stores in {t:?}", p.op.name());
    let turns = ran.calls("TransDataTo5HD") > 0;
    assert_eq!(stores[1], 0, "{what}");
    // Gathered small rows are an exception, because scalar code writes the tables of the gather.
    assert!(stores[0] <= most || t.path == Path::Small && !turns, "{what}");
    assert!(turns || t.columns * dtype.size() as u64 >= BLOCK, "{what}");
}

/// Rows shorter than a block that scalar code stores after all, because 16 lanes of them do not fit.
#[test]
fn all_but_the_heaviest_are_turned() {
    let mut left = Vec::new();
    let [first, second] = ["ascend310p", "ascend910"].map(|soc| Soc::named(soc).expect("a target"));
    let on = |soc| family(soc, |op| op.def().split.is_some()).map(move |planned| (planned, soc));
    for ((op, package), soc) in on(first).chain(on(second)) {
        let machine = Machine { ub: soc.reported_ub(), cores: soc.cores, pads: false };
        for plan in &package.plans {
            let path = |columns| {
                let extent = Extent { rows: 100_000, columns, split: true };
                tile(&extent, &plan.need, &machine).expect("a tiling").path
            };
            let columns: Vec<u64> =
                (1..BLOCK / plan.need.size).filter(|c| path(*c) != Path::Small).collect();
            if !columns.is_empty() {
                left.push(format!("{} {} {} {columns:?}", op.name(), soc.name, plan.dtype));
            }
        }
    }
    let heaviest = [
        "GeGluGradGradV2 ascend910 f16 [15]",
        "GeGluGradGradV2 ascend910 f16 [13, 15]",
        "SwiGluGradGrad ascend910 f16 [13, 15]",
        "GLUGradGrad ascend910 f16 [13, 15]",
        "SituGluGradGrad ascend910 f16 [11, 13, 15]",
        "ClippedSwigluGradGrad ascend910 f16 [13, 15]",
    ];
    assert_eq!(left, heaviest);
}
