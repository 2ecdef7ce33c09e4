//! The call of the formula on a tile.

use super::super::package::Package;
use super::names::{inputs, slot};
use super::truths;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{Part, Stream};

/// Returns the C++ call that computes the formula on a tile, with the address of each stream in UB.
///
/// With `parted`, the two parts (gate, value) of gated tensors are in buffers of their own; otherwise they are in the queues.
pub fn on_tile(package: &Package<'_>, parted: bool) -> String {
    let def = &package.def;
    let of = |stream: Stream, name: &str, output: bool| {
        let tensors = if output { &def.outputs } else { &def.inputs };
        let tensor = cpp_name(&tensors[stream.tensor].name);
        match (stream.part, output) {
            (Part::Whole, _) | (_, false) if !parted || stream.part == Part::Whole => {
                let owner = if output { "" } else { "Formula::" };
                let queue = if output { "out" } else { "in" };
                format!("{queue}[{owner}{} * capacity_]", slot(name))
            }
            (_, true) if !parted => format!("out[{} * capacity_]", slot(name)),
            (Part::Gate, _) => format!("{tensor}Parts[gate_ == 0 ? 0 : capacity_]"),
            (_, _) => format!("{tensor}Parts[gate_ == 0 ? capacity_ : 0]"),
        }
    };
    let ins = inputs(package);
    let ins = ins.iter().map(|i| match i.truths {
        true => truths::place(&i.name),
        false => of(i.stream, &i.name, false),
    });
    let outs = def.output_streams();
    let names = def.output_names();
    let outs = outs.iter().zip(&names).map(|(s, n)| of(*s, n, true));
    let args: Vec<String> = ins.chain(outs).collect();
    format!("formula_.Run({},\n             tile.count);", args.join(",\n             "))
}
