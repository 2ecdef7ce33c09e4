//! Cost of a tile on each machine.

use crate::table::Table;
use crate::target::{Cost, Kernel, Target, Targets, machines};
use crate::verify::formula::mode;
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::DType;

/// Legend of the columns of [`table`].
pub const LEGEND: &str = "calls: vector calls per tile; cycles: of 64 elements on a core, the slower of the vector unit and GM";

/// Returns a table of a tile's cost, with a row for each operator, specialisation and machine.
///
/// A cell has a number for each element type.
pub fn table(operators: &[&'static Operator], targets: Targets) -> Table {
    let mut table =
        Table::new(&["operator", "form", "NPU", "types", "calls", "cycles", "waits for"]);
    for op in operators {
        for (index, spec) in op.def().specs.iter().enumerate() {
            for (target, machine) in machines(targets) {
                let costs = costs(op, index, target, machine);
                if costs.is_empty() {
                    continue;
                }
                let each = |cell: fn(&(DType, Cost)) -> String| -> String {
                    costs.iter().map(cell).collect::<Vec<_>>().join(" / ")
                };
                table.row([
                    op.name().to_owned(),
                    mode(op, spec),
                    machine.to_owned(),
                    each(|(dtype, _)| dtype.to_string()),
                    each(|(_, cost)| cost.calls.to_string()),
                    each(|(_, cost)| format!("{:.0}", cost.slower)),
                    each(|(_, cost)| cost.waits_for.into()),
                ]);
            }
        }
    }
    table
}

fn costs(op: &Operator, spec: usize, target: &dyn Target, machine: &str) -> Vec<(DType, Cost)> {
    let order = DType::by_precision().into_iter();
    let kernel = |dtype| Kernel { def: op.def(), spec, dtype, machine };
    order.filter_map(|dtype| Some((dtype, target.cost(kernel(dtype))?))).collect()
}
