//! Rows that end inside blocks, where copies move whole blocks: scalar code touches the ends of tensors alone.

use super::common::*;
use super::program::{Program, Ran};
use super::{check, operator};
use codegen_ascendc::emit::kernel::tiling_key;
use op_dsl::ir::tiling::{BLOCK, Path};
use op_dsl::ir::{DType, op::Value};

/// Rows and cores: one tile and many, whole tiles and not, cores without a whole tile.
const ROWS: &[(usize, u32)] = &[(16, 1), (37, 2), (256, 1), (999, 3), (4100, 8)];

/// A tensor's end is at most two tiles, and those are the last ones of one core.
fn most(p: &Program) -> u64 {
    let def = p.op.def();
    2 * 16 * (def.input_streams().len() + def.output_streams().len()) as u64
}

fn scalar_stores(ran: &Ran) -> [u64; 2] {
    ["ub_scalar_stores", "gm_scalar_stores"].map(|field| ran.number("kernel", field))
}

/// Rows of less than a block, and some of more. Every element is judged; the model stops at bytes
/// beyond, left out, or written by two.
pub fn rows(p: &Program, attrs: &[Value], dtype: DType) {
    if p.soc.arch.pads || dim_attr(p.op).is_none() {
        return;
    }
    let block = BLOCK as usize / dtype.size();
    for m in (1..block).chain([block + 1, 2 * block - 1, 5 * block + 3]) {
        for (rows, cores) in ROWS {
            let ran = check(p, attrs, &[*rows, m], dtype, *cores);
            let [ub, gm] = scalar_stores(&ran);
            let what = format!("{} {dtype} {rows} x {m} on {cores}: {ub} {gm}", p.op.name());
            let small = ran.tiling.path == Path::Small;
            assert!(small || m > block, "{what}: {:?}", ran.tiling.path);
            assert!(gm == 0 && (ub <= most(p) || m > block), "{what}");
            let moved = ["TransDataTo5HD", "Gather"].map(|call| ran.calls(call));
            println!("{what} {moved:?}");
            assert!(!small || moved[0] > 0 || m > block, "{what}: {moved:?}");
        }
    }
}
