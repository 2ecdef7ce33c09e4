//! The targets, the capabilities of each, and the messages for what it lacks.

use op_dsl_ir::DType;
use op_dsl_ir::op::OpDef;
use op_dsl_ir::published::LeftOut;

/// Architecture of the vector unit, which several products may share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arch {
    /// Value of the macro `__NPU_ARCH__`.
    pub number: u16,
    /// Element types that the vector unit can load, store and cast.
    pub dtypes: &'static [DType],
    /// Whether copies between GM (global memory) and UB (on-chip buffer) can have any length (`DataCopyPad`).
    ///
    /// Otherwise they copy multiples of 32 bytes.
    pub pads: bool,
    /// Whether the vector unit can gather elements inside UB (the on-chip buffer).
    ///
    /// A gated tensor holds two parts, gate and value, in each row. Kernels gather to separate the parts of narrow rows, and to
    /// join them again.
    pub gathers: bool,
    /// Rounding mode of casts from `float` to `half`.
    ///
    /// On architectures that have only the modes NONE and ODD, NONE rounds to nearest.
    pub to_half: Round,
    /// Whether the vector unit reduces blocks of `float` to one number each, and repeats numbers along blocks.
    ///
    /// Kernels of row functions need both.
    pub reduces: bool,
    /// Bytes of UB (the on-chip buffer) that the vector call `Brcb`, which repeats numbers along blocks, reserves for itself.
    pub repeat_reserve: u64,
    /// Bytes of UB (the on-chip buffer) that the vector call `Select` reserves for itself.
    pub select_reserve: u64,
    /// Whether the repeats (256 bytes each) of one `Select` call read consecutive mask bits.
    ///
    /// Otherwise all repeats of a call use the same mask bits.
    pub long_masks: bool,
    /// Whether scalar code can write the data cache back to GM (global memory).
    ///
    /// Otherwise the cache is written back only when a kernel ends.
    pub flushes: bool,
    /// Whether a function may keep vectors in registers from one vector call to the next.
    pub registers: bool,
    /// Whether hardware orders dependent calls of the vector pipe.
    ///
    /// Otherwise a call may start while the one before it still reads and writes.
    pub orders_vectors: bool,
    /// Whether bit 48 of the control register CTRL decides what 16-bit results beyond their range become.
    ///
    /// The default of the bit, 0, saturates such results at the type's largest number and turns NaN into 0.
    pub saturates: bool,
    /// AscendC names of the vector calls that this architecture lacks; sequences avoid them.
    pub lacks: &'static [&'static str],
    /// Rates of the vector calls that take more than one cycle for 256 bytes.
    ///
    /// All other calls take one cycle.
    pub rates: &'static [Rate],
    /// Factor on the cycles of `FusedMulAdd` if sources and destination are three different addresses.
    pub three_addresses: f64,
    /// Document or measurement from which `rates` come, for reports.
    pub rates_of: &'static str,
}

/// Cycles that a vector call takes per repeat, which is 256 bytes of the wider of its element types.
#[derive(Debug, PartialEq)]
pub struct Rate {
    /// Name of the vector call in AscendC.
    pub call: &'static str,
    /// Cycles for 128 numbers of 16 bits.
    pub half: f64,
    /// Cycles for 64 numbers of 32 bits.
    pub float: f64,
}

const fn rate(call: &'static str, half: f64, float: f64) -> Rate {
    Rate { call, half, float }
}

/// Rates of architecture 2201, where slow calls process 32 elements per cycle whatever their type.
///
/// The exception is `Gather`, which processes 5 elements per cycle. All other calls that kernels use process 128 halves or 64
/// floats per cycle, and need no row because 1 cycle per repeat is the default.
const RATES_2201: &[Rate] = &[
    rate("Exp", 4.0, 2.0),
    rate("Ln", 4.0, 2.0),
    rate("Sqrt", 4.0, 2.0),
    rate("Div", 4.0, 2.0),
    rate("GatherMask", 2.0, 2.0),
    rate("Gather", 25.6, 12.8),
];

/// Rates of architecture 3510, where most slow calls process 16 elements per cycle and `Gather` 32.
///
/// The rates hold for calls on tensors as well, because those are composed of calls on registers.
const RATES_3510: &[Rate] = &[
    rate("Exp", 8.0, 4.0),
    rate("Ln", 8.0, 4.0),
    rate("Sqrt", 8.0, 4.0),
    rate("Div", 8.0, 4.0),
    rate("GatherMask", 5.0, 5.0),
    rate("Gather", 4.0, 2.0),
];

/// Rounding mode of a cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Round {
    /// No rounding is needed, or to nearest where the architecture has no other name for that.
    None,
    /// To nearest, ties to even.
    Rint,
}

impl Round {
    /// Returns the name of the rounding mode in AscendC.
    pub const fn name(self) -> &'static str {
        match self {
            Round::None => "CAST_NONE",
            Round::Rint => "CAST_RINT",
        }
    }
}

/// Product family of NPUs, under the name that CANN gives it.
#[derive(Debug, PartialEq)]
pub struct Soc {
    /// Name in lower case, for example `ascend910b`.
    pub name: &'static str,
    /// Architecture of the product's vector unit.
    pub arch: &'static Arch,
    /// Bytes of UB (the on-chip buffer) per core, including the reserved bytes in `kept`.
    pub ub: u64,
    /// Bytes of UB (the on-chip buffer) that the platform library reserves, so that kernels cannot use them.
    pub kept: u64,
    /// Vector cores of the largest model.
    ///
    /// Only an example for the command line, because emitted host code asks the platform.
    pub cores: u32,
    /// Clock of the vector cores in MHz.
    pub mhz: f64,
    /// Bytes of GM that one core can move per cycle while all cores do (estimate).
    pub gm_bytes_per_cycle: f64,
}

impl Arch {
    /// Returns how many bits of UB a mask takes per element.
    ///
    /// Where each repeat has its own mask, the mask of a repeat takes a block of 32 bytes for 64 elements, which is 4 bits per
    /// element.
    pub const fn mask_bits(&self) -> u64 {
        if self.long_masks { 1 } else { 4 }
    }

    /// Returns the cycles of a call for one repeat (256 bytes) of its wider element type.
    ///
    /// `call` is the name in AscendC, and `bytes` is the size of the wider element type.
    pub fn cycles_of_repeat(&self, call: &str, bytes: usize) -> f64 {
        let rate = self.rates.iter().find(|r| r.call == call);
        rate.map_or(1.0, |r| if bytes < 4 { r.half } else { r.float })
    }

    /// Returns the cycles of a call for 64 elements.
    ///
    /// `call` is the name in AscendC, and `bytes` is the size of the call's wider element type. For example, `Exp` takes 2
    /// cycles on ascend910b for both `half` and `float`, because a repeat holds 128 halves but only 64 floats.
    pub fn cycles(&self, call: &str, bytes: usize) -> f64 {
        self.cycles_of_repeat(call, bytes) * bytes as f64 / 4.0
    }
}

const ALL: &[DType] = &DType::ALL;
const NO_BF16: &[DType] = &[DType::F16, DType::F32];

static A1001: Arch = Arch {
    number: 1001,
    dtypes: NO_BF16,
    pads: false,
    gathers: false,
    to_half: Round::None,
    reduces: false,
    repeat_reserve: 0,
    select_reserve: 0,
    long_masks: false,
    flushes: false,
    registers: false,
    orders_vectors: false,
    saturates: false,
    lacks: &["Maxs", "Mins", "FusedMulAdd", "Compares"],
    rates: RATES_2201,
    three_addresses: 2.0,
    rates_of: "the table of architecture 2201, as there is none for this one",
};
static A2002: Arch = Arch {
    number: 2002,
    gathers: true,
    reduces: true,
    repeat_reserve: 8192,
    select_reserve: 8192,
    long_masks: true,
    flushes: true,
    lacks: &[],
    ..A1001
};
static A2201: Arch = Arch {
    number: 2201,
    dtypes: ALL,
    pads: true,
    repeat_reserve: 0,
    to_half: Round::Rint,
    saturates: true,
    rates_of: "asc-devkit 9.1, theoretical rates of vector instructions, tables 6 to 15",
    ..A2002
};
// `Select` by count or by mask uses no scratch space here, and that space lies beyond `Soc::ub`.
static A3510: Arch = Arch {
    number: 3510,
    select_reserve: 0,
    registers: true,
    orders_vectors: true,
    rates: RATES_3510,
    three_addresses: 1.0,
    rates_of: "asc-devkit 9.1, theoretical rates of calls on vector registers",
    ..A2201
};

/// All products for which code can be generated.
#[rustfmt::skip]
pub static SOCS: &[Soc] = &[
    Soc { name: "ascend910b",   arch: &A2201, ub: 196_608, kept: 256, cores: 48, mhz: 1850.0, gm_bytes_per_cycle: 18.0 },
    Soc { name: "ascend910_93", arch: &A2201, ub: 196_608, kept: 256, cores: 48, mhz: 1850.0, gm_bytes_per_cycle: 18.0 },
    Soc { name: "ascend310p",   arch: &A2002, ub: 262_144, kept: 0,   cores: 8,  mhz: 1060.0, gm_bytes_per_cycle: 24.0 },
    Soc { name: "ascend950",    arch: &A3510, ub: 253_952, kept: 0,   cores: 64, mhz: 1650.0, gm_bytes_per_cycle: 15.0 },
    Soc { name: "ascend910",    arch: &A1001, ub: 262_144, kept: 0,   cores: 32, mhz: 1000.0, gm_bytes_per_cycle: 36.0 },
];

impl Soc {
    /// Returns the bytes of UB that the platform reports to host code.
    ///
    /// All buffers of a kernel share them.
    pub const fn reported_ub(&self) -> u64 {
        self.ub - self.kept
    }

    /// Returns the product with this name, `None` if there is none.
    pub fn named(name: &str) -> Option<&'static Soc> {
        SOCS.iter().find(|s| s.name == name)
    }

    /// Returns the names of all products, separated by commas, for messages.
    pub fn names() -> String {
        SOCS.iter().map(|s| s.name).collect::<Vec<_>>().join(", ")
    }

    /// Returns the rounding mode of a cast from `float` to `to`.
    ///
    /// The mode depends on the architecture for `half` only.
    pub fn round(&self, to: DType) -> Round {
        if to == DType::F16 { self.arch.to_half } else { Round::Rint }
    }

    /// Returns the name of the first product that has this element type, for messages.
    pub fn with(dtype: DType) -> &'static str {
        SOCS.iter().find(|s| s.arch.dtypes.contains(&dtype)).map_or("none", |s| s.name)
    }
}

/// Returns what to use instead if the operator's document leaves out an attribute's value on a product.
///
/// `None` if the document allows the value there.
pub fn left_out(def: &OpDef, soc: &Soc, attr: &str, value: i64) -> Option<&'static str> {
    let rows = def.published.map_or(&[][..], |p| p.left_out);
    let fits = |r: &&LeftOut| r.arch == soc.arch.number && r.attr == attr && r.value == value;
    rows.iter().find(fits).map(|r| r.instead)
}

/// A target's refusal to run an operator: the reason, and the way out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{op} on {soc} in {}: {why}", names(.dtypes, ", "))]
pub struct Refusal {
    /// Name of the operator that the target refuses.
    pub op: String,
    /// Name of the target that refuses it.
    pub soc: &'static str,
    /// Element types in which the target cannot run the operator.
    pub dtypes: Vec<DType>,
    /// Reason, which includes what to do instead.
    pub why: Why,
}

fn names(dtypes: &[DType], between: &str) -> String {
    dtypes.iter().map(|d| d.name()).collect::<Vec<_>>().join(between)
}

/// Reason why a target cannot run an operator.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Why {
    /// The operator does not take the element type on any target; the text lists the allowed ones.
    #[error("the operator has no such form; use {0}")]
    DType(String),
    /// The target lacks the element type.
    #[error(
        "architecture {arch} has no {1}; use {names}, or {other}",
        names = names(.0.arch.dtypes, " or "), arch = .0.arch.number, other = Soc::with(*.1)
    )]
    NoDType(&'static Soc, DType),
    /// The operator has a mask of one bit per element; the field is the name of the mask.
    ///
    /// The target cannot read it, because all repeats of a vector call use the same mask bits.
    #[error(
        "architecture {arch} chooses by the same bits in every repeat of a call, so that `{1}` cannot be one of bits; \
         publish it with bytes", arch = .0.arch.number
    )]
    OneMask(&'static Soc, String),
    /// The operator has a mask, whose name is the field, as well as gated tensors.
    ///
    /// The target cannot read it, because rows of the mask end at other addresses than rows of the gated tensors.
    #[error(
        "rows of the mask `{1}` and of parts of gated tensors do not begin at blocks together, as architecture {arch} has \
         to have them; write `{1}: Elem` and `{1} != 0.0`, or use bytes on ascend910b", arch = .0.arch.number
    )]
    MaskOfRows(&'static Soc, String),
    /// The output with this name is a sum over elements, which emitted kernels do not compute for the target or operator.
    #[error(
        "`{1}` is a sum over elements, which kernels compute on ascend910b and ascend950 alone, and not beside masks, \
         optional inputs or interleaved parts (architecture {arch}); derive the gradient with `broadcast = false` and sum it",
        arch = .0.arch.number
    )]
    Sum(&'static Soc, String),
    /// The formula needs the function with this name, which no sequence of vector calls computes.
    #[error(
        "`{0}` has no sequence of vector calls, only CPUs compute it; write the formula without it"
    )]
    Missing(&'static str),
    /// The formula has the row function of this name, or the tensor of this name has one number per row, together with a feature,
    /// named by the second field, that emitted kernels do not support beside row functions.
    #[error(
        "the formula has `{0}`, and NPU kernels of row functions are not yet emitted for {1}; compute it on CPUs"
    )]
    Rows(String, String),
    /// The tensor with this name has a type of its own, or is an output of truth values; the second field is its type.
    #[error(
        "`{0}` has elements of {1} whatever the type of the call, which is not yet emitted for NPUs; write `{0}` as an \
         `Elem`, and convert beside the operator"
    )]
    Own(String, String),
    /// The operator's document does not offer this specialisation on the target.
    ///
    /// The fields are the attribute with its value, for example `a = 0`, and what to use instead.
    #[error("the operator's document leaves out {0} there; use {1}")]
    LeftOut(String, &'static str),
    /// The vector call with this name has no overload for the scalar operands that the formula gives it.
    #[error(
        "`{0}` has no form that takes numbers where this formula has them; write the formula with a tensor there"
    )]
    NoOverload(&'static str),
    /// The primitive or vector call with this name could not be planned, which is a bug in the planner.
    #[error(
        "`{0}` could not be planned, which is a mistake of the planner's; please report the formula"
    )]
    Unplanned(&'static str),
    /// The error of a result exceeds its budget; the field holds the worst case that was found.
    #[error("{0}")]
    Inaccurate(Box<Inaccurate>),
    /// UB (the on-chip buffer) cannot hold one block of every input and output of the kernel.
    #[error("{0}; use an operator with fewer streams, or a larger UB")]
    Ub(crate::tiling::UbTooSmall),
}

/// Worst case of a result whose error exceeds its budget.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{function} would be {:.1} ulp off, of at most {} (at {at}: {:e}, not {:e}), as no sequence of vector calls is \
     more accurate; write what cancels or overflows there otherwise, leave the element type out, or accept the error \
     by --accept-error (in a build script by `accept_error: true`)",
    .ulp[0], .ulp[1], .values[0], .values[1]
)]
pub struct Inaccurate {
    /// Output and the functions that it calls, for example `y by tanh, ln`.
    pub function: String,
    /// Inputs at which the error occurs, for example `x = 0.1`.
    pub at: String,
    /// Computed value, then true value.
    pub values: [f64; 2],
    /// Error of the computed value, then its budget, in ULP.
    pub ulp: [f64; 2],
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values from the platform's own files: 192 KiB less 256 bytes, 256 KiB, 248 KiB.
    #[test]
    fn ub_as_the_platform_reports_it() {
        let reported: Vec<(&str, u64)> = SOCS.iter().map(|s| (s.name, s.reported_ub())).collect();
        let want = [
            ("ascend910b", 196_352),
            ("ascend910_93", 196_352),
            ("ascend310p", 262_144),
            ("ascend950", 253_952),
            ("ascend910", 262_144),
        ];
        assert_eq!(reported, want);
    }

    /// Compares the cycles for 64 elements, in `half` and in `float`, of slow and fast calls.
    #[test]
    fn rates_as_documents_have_them() {
        let of = |soc: &str, call| {
            let arch = Soc::named(soc).expect("a target").arch;
            [2, 4].map(|bytes| arch.cycles(call, bytes))
        };
        for (soc, slow) in [("ascend910b", [2.0, 2.0]), ("ascend950", [4.0, 4.0])] {
            for call in ["Exp", "Ln", "Sqrt", "Div"] {
                assert_eq!(of(soc, call), slow, "{call} on {soc}");
            }
            for call in ["Mul", "Axpy", "Cast", "Select", "Compares", "FusedMulAdd"] {
                assert_eq!(of(soc, call), [0.5, 1.0], "{call} on {soc}");
            }
        }
        assert_eq!(of("ascend910b", "Gather"), [12.8, 12.8]);
    }

    #[test]
    fn refusals_name_everything() {
        let soc = Soc::named("ascend310p").expect("a target");
        let of = |why| Refusal { op: "Op".into(), soc: soc.name, dtypes: vec![DType::BF16], why };
        assert_eq!(
            of(Why::NoDType(soc, DType::BF16)).to_string(),
            "Op on ascend310p in bf16: architecture 2002 has no bf16; use f16 or f32, or ascend910b"
        );
    }
}
