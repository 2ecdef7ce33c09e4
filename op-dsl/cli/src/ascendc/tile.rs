//! `tile`: shows which core and tile of an NPU owns which part of the activation.

use super::args::Tile as Args;
use super::picture;
use crate::args::Shape;
use crate::error::Error;
use crate::lookup::{self, Operators};
use crate::roles;
use crate::table::{Table, escaped, indent};
use crate::verify::formula::mode;
use codegen_ascendc::arch::SOCS;
use codegen_ascendc::plan::{Plan, plan};
use codegen_ascendc::tiling::{BLOCK, Extent, Machine, Path, Side, Tiling, tile as divide};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::bind::bind;
use op_dsl_ir::op::{OpDef, Part};

/// Maximum number of a core's tiles that memory traffic is estimated from.
const SAMPLE: usize = 20_000;
/// Shape of the activation whose tiles are drawn, on `CORES` cores, so few that each can be seen.
const DRAWN: [usize; 2] = [48, 2048];
const CORES: u32 = 4;

/// Returns a text that shows the tiling of an operator's activation; draws it if `--svg` names a file.
pub fn tile(operators: Operators, args: &Args) -> Result<String, Error> {
    let op = lookup::operator(operators, &args.op)?;
    let divided = Divided::new(op, args)?;
    let Divided { heading, plan, extent, machine, tiling } = &divided;
    let text = format!(
        "{heading}\n{}\n{}",
        indent(&summary(op.def(), plan, extent, machine, tiling), 2),
        indent(&cores(tiling), 2)
    );
    if let Some(file) = &args.svg {
        let svg = divided.picture(op.def());
        std::fs::write(file, svg).map_err(|e| Error::Usage(format!("--svg {file}: {e}")))?;
    }
    Ok(text)
}

/// An operator's activation, divided into tiles for the cores of an NPU.
pub struct Divided {
    /// Description of the call, on one line.
    pub heading: String,
    plan: Plan,
    extent: Extent,
    machine: Machine,
    tiling: Tiling,
}

impl Divided {
    pub fn new(op: &Operator, args: &Args) -> Result<Divided, Error> {
        if !op.def().sums.is_empty() {
            return Err(Error::Usage(format!(
                "{} has outputs that are sums, whose tiles follow from the shapes of all inputs; `simulate` counts them",
                op.name()
            )));
        }
        if op.def().has_row_functions() {
            return Err(Error::Usage(format!(
                "{} has functions of rows, whose tiles are whole rows; `simulate` counts them",
                op.name()
            )));
        }
        let attrs = lookup::attributes(op, &args.attrs)?;
        let shape = &args.shape.0;
        let shapes = roles::input_shapes(op, &attrs, shape)?;
        let bound = bind(op.def(), &attrs, &roles::metas(op.def(), &shapes))
            .map_err(|e| Error::Call(e.into()))?;
        let refused = |e: codegen_ascendc::arch::Refusal| Error::Usage(e.to_string());
        let plan = plan(op.def(), bound.spec, args.dtype, args.soc).map_err(refused)?;

        let extent = Extent::new(&bound);
        let machine = Machine {
            ub: args.ub.unwrap_or(args.soc.reported_ub()),
            cores: args.cores.unwrap_or(args.soc.cores),
            pads: args.soc.arch.pads,
        };
        let wrong = |e| Error::Usage(format!("{} on {}: {e}", op.name(), args.soc.name));
        let tiling = divide(&extent, &plan.need, &machine).map_err(wrong)?;

        let dims: Vec<String> = shape.iter().map(usize::to_string).collect();
        let heading = format!(
            "{}, {}, {} of {}: {} on {}",
            op.name(),
            mode(op, &op.def().specs[bound.spec]),
            op.def().inputs[roles::lead(op.def())].name,
            dims.join("x"),
            args.dtype,
            args.soc.name
        );
        Ok(Divided { heading, plan, extent, machine, tiling })
    }

    /// Returns an SVG picture of which core owns which part of the activation.
    pub fn picture(&self, def: &OpDef) -> String {
        let parts = def.inputs[roles::lead(def)].kind.parts().len() as u64;
        picture::svg(&self.heading, &self.tiling, parts)
    }
}

/// Draws which core owns which part of an activation, in HTML.
///
/// Returns an empty text if the first NPU cannot run the operator.
pub fn figure(op: &Operator) -> String {
    let def = op.def();
    let args = Args {
        op: op.name().to_owned(),
        shape: Shape(DRAWN.to_vec()),
        attrs: Vec::new(),
        dtype: def.dtypes[0],
        soc: &SOCS[0],
        cores: Some(CORES),
        ub: None,
        svg: None,
    };
    let Ok(divided) = Divided::new(op, &args) else { return String::new() };
    let heading = escaped(&divided.heading);
    format!(
        "<h3>Tiles</h3><figure class=\"tiles\" role=\"img\" aria-label=\"Tiles of {heading}\">{}\
         <figcaption>{heading}, {CORES} cores: a colour for each core, an outline for each tile.</figcaption></figure>",
        divided.picture(op.def())
    )
}

fn summary(def: &OpDef, plan: &Plan, extent: &Extent, machine: &Machine, t: &Tiling) -> String {
    let size = plan.need.size;
    let matrix = match extent.split {
        true => format!("{} rows of 2 x {} elements", t.rows, t.columns),
        false => format!("{} elements in a row", t.columns),
    };
    if t.cores == 0 {
        return format!("matrix     {matrix}: nothing to do\n");
    }
    let used = plan.need.of(t.path, t.columns).unwrap_or(plan.need.dense);
    let capacity = used.capacity(machine.ub, size);
    let tile = match t.path {
        Path::Columns => format!("{} columns of one row", t.tile_columns),
        _ => format!("{} rows of {} in UB", t.tile_rows, t.pitch),
    };
    let unit = match t.pieces {
        1 => format!("{} rows", t.unit_rows),
        n => format!("{} columns, {n} to a row", t.unit_columns),
    };
    let more = match t.big {
        0 => String::new(),
        n => format!(", one more on {n} of them"),
    };
    format!(
        "matrix     {matrix}\n\
         path       {}\n\
         tile       {tile}; {capacity} elements fit into {} bytes of UB\n\
         unit       {unit}\n\
         cores      {} of {}, {} units each{more}\n\
         busiest    {:.3} of the mean\n\
         GM bytes   {:.3} of the least\n",
        t.path.name(),
        machine.ub,
        t.cores,
        machine.cores,
        t.share,
        t.balance(machine.cores),
        traffic(def, plan, t),
    )
}

/// Returns the memory traffic of the first core, divided by the bytes that the core needs.
///
/// Traffic counts every memory sector that a copy touches as a whole.
fn traffic(def: &OpDef, plan: &Plan, t: &Tiling) -> f64 {
    let side = |part: Part| match part {
        Part::Whole => Side::Whole,
        Part::Gate => Side::First,
        Part::Value => Side::Second,
    };
    let read = |(k, _): &(usize, _)| plan.inputs[*k].is_some();
    let ins = def.input_streams().into_iter().enumerate().filter(read).map(|(_, s)| side(s.part));
    let sides: Vec<Side> =
        ins.chain(def.output_streams().into_iter().map(|s| side(s.part))).collect();
    let (mut touched, mut needed) = (0, 0);
    for tile in t.tiles(0).take(SAMPLE) {
        for side in &sides {
            touched += t.bursts(tile, *side, plan.need.size).map(|b| b.sectors()).sum::<u64>();
            needed += tile.rows * tile.columns * plan.need.size;
        }
    }
    (touched * BLOCK) as f64 / needed as f64
}

/// Returns a table of typical cores: the first and last core of those with one unit of work more, and of those with less.
///
/// Some cores have one unit of work more than the others if the tiling does not divide evenly.
fn cores(t: &Tiling) -> String {
    if t.cores == 0 {
        return String::new();
    }
    let mut shown = vec![0, t.big.saturating_sub(1), t.big.min(t.cores - 1), t.cores - 1];
    shown.dedup();
    let mut table = Table::new(&["core", "from row", "column", "elements", "tiles", "first tile"]);
    for core in shown {
        let Some(first) = t.tiles(core).next() else { continue };
        let count = t.tiles(core).take(SAMPLE + 1).count();
        table.row([
            core.to_string(),
            first.row.to_string(),
            first.column.to_string(),
            t.load(core).to_string(),
            if count > SAMPLE { format!("over {SAMPLE}") } else { count.to_string() },
            format!("{} x {}", first.rows, first.columns),
        ]);
    }
    table.to_text()
}
