//! What a tile costs on each NPU.

use crate::table::Table;
use crate::verify::formula::mode;
use codegen_ascendc::arch::{SOCS, Soc};
use codegen_ascendc::plan::{Bound, Plan, plan};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::DType;

/// A row for each form and NPU, a number for each element type; nothing where no NPU can do any.
pub fn table(operators: &[&'static Operator]) -> String {
    let mut table =
        Table::new(&["operator", "form", "NPU", "types", "calls", "cycles", "waits for"]);
    let mut any = false;
    for op in operators {
        for (index, spec) in op.def().specs.iter().enumerate() {
            for soc in SOCS {
                let plans = plans(op, index, soc);
                if plans.is_empty() {
                    continue;
                }
                any = true;
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
    let legend = "calls: vector calls per tile; cycles: of 64 elements on a core, the slower of the vector unit and GM\n";
    if any { format!("\n{}{legend}", table.to_text()) } else { String::new() }
}

fn plans(op: &Operator, spec: usize, soc: &'static Soc) -> Vec<Plan> {
    let def = op.def().of_all_rows();
    let order = [DType::F32, DType::F16, DType::BF16];
    order.iter().filter_map(|dtype| plan(&def, spec, *dtype, soc).ok()).collect()
}
