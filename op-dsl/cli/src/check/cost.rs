//! Cost of a tile on each NPU.

use crate::table::Table;
use crate::verify::formula::mode;
use codegen_ascendc::arch::{SOCS, Soc};
use codegen_ascendc::plan::{Bound, Plan, plan};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::DType;

/// Legend of the columns of [`table`].
pub const LEGEND: &str = "calls: vector calls per tile; cycles: of 64 elements on a core, the slower of the vector unit and GM";

/// Returns a table of a tile's cost, with a row for each operator, specialisation and NPU.
///
/// A cell has a number for each element type.
pub fn table(operators: &[&'static Operator]) -> Table {
    let mut table =
        Table::new(&["operator", "form", "NPU", "types", "calls", "cycles", "waits for"]);
    for op in operators {
        for (index, spec) in op.def().specs.iter().enumerate() {
            for soc in SOCS {
                let plans = plans(op, index, soc);
                if plans.is_empty() {
                    continue;
                }
                let each = |cell: fn(&Plan) -> String| -> String {
                    plans.iter().map(cell).collect::<Vec<_>>().join(" / ")
                };
                table.row([
                    op.name().to_owned(),
                    mode(op, spec),
                    soc.name.to_owned(),
                    each(|p| p.dtype.to_string()),
                    each(|p| p.cost.calls.to_string()),
                    each(|p| format!("{:.0}", p.cost.cycles.max(p.cost.gm_cycles))),
                    each(|p| match p.cost.bound() {
                        Bound::Vector => "vector".into(),
                        Bound::Memory => "GM".into(),
                    }),
                ]);
            }
        }
    }
    table
}

fn plans(op: &Operator, spec: usize, soc: &'static Soc) -> Vec<Plan> {
    let order = [DType::F32, DType::F16, DType::BF16];
    order.iter().filter_map(|dtype| plan(op.def(), spec, *dtype, soc).ok()).collect()
}
