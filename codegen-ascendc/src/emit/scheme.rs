//! How cores share a call: each element by itself, with sums over inputs that are broadcast, or row by row.
//!
//! A scheme is a row of this table: the kernel's class, the tiling in C++, what a launch needs. Emitters read the row of an
//! operator and do not ask what it has.

use op_dsl_ir::op::OpDef;

/// Class of a kernel: how it walks its tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Each element by itself; a header has the walk.
    Elements,
    /// Outputs are sums over elements, so that cores wait for each other and add their partial sums.
    Sums,
    /// Tiles are whole rows, which row functions such as `row_sum` reduce to one number each.
    Rows,
}

/// One way in which cores share a call.
pub struct Scheme {
    /// Class of the kernel.
    pub class: Class,
    /// Whether the kernel sums elements. It then broadcasts inputs itself, instead of reading tensors that are expanded already.
    pub adds: bool,
    /// Whether gated tensors with small rows have a kernel of their own.
    pub small: bool,
    /// C++ type of the shape that is tiled.
    pub extent: &'static str,
    /// C++ function that computes this shape from the dimensions of a call; with sums, from the shapes of its inputs, too.
    pub collapse: &'static str,
    /// C++ function that tiles this shape.
    pub tile: &'static str,
    /// Last part of AscendC's name for the kernel type, for products whose vector cores are separate from their cube cores.
    pub kernel_type: &'static str,
    /// Qualifiers of a kernel that is launched directly: before `__global__`, and its unit; empty for the unit of the architecture.
    pub launched: [&'static str; 2],
    /// Whether the kernel takes the workspace, in which cores leave partial results for each other.
    pub workspace: bool,
}

static ELEMENTS: Scheme = Scheme {
    class: Class::Elements,
    adds: false,
    small: true,
    extent: "Extent",
    collapse: "Collapse",
    tile: "Tile",
    kernel_type: "AIV_ONLY",
    launched: ["", ""],
    workspace: false,
};

/// Scheme of sums over elements.
///
/// Cores meet at a barrier, for which all of them must run at once. That needs the scheduler, which kernels of vector cores alone
/// do without.
static SUMS: Scheme = Scheme {
    class: Class::Sums,
    adds: true,
    small: false,
    extent: "SumExtent",
    collapse: "CollapseSums",
    tile: "TileSums",
    kernel_type: "MIX_AIV_1_0",
    launched: ["__schedmode__(1) ", "__mix__(0, 1)"],
    workspace: true,
};

static ROWS: Scheme = Scheme {
    class: Class::Rows,
    small: false,
    extent: "RowExtent",
    collapse: "CollapseRows",
    tile: "TileRows",
    ..ELEMENTS
};

impl Scheme {
    /// Returns the scheme of an operator.
    pub fn of(def: &OpDef) -> &'static Scheme {
        match () {
            _ if !def.sums.is_empty() => &SUMS,
            _ if def.is_by_rows() => &ROWS,
            _ => &ELEMENTS,
        }
    }
}
