//! One vector call as C++.

use super::super::package::Package;
use super::names::{buffer, splat};
use super::{names, scalar};
use crate::plan::{Instr, Operand, Plan};
use crate::sequence::{Api, Compare, Scalar, Type};
use op_dsl_ir::DType;

/// A call of two sources, one of which is a vector of equal numbers: AscendC reads it again for
/// every repeat if its stride is 0, which only the form with repeats can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Helper {
    api: Api,
    first: bool,
}

impl Helper {
    fn of(instr: &Instr) -> Option<Helper> {
        let two =
            matches!(instr.api, Api::Add | Api::Sub | Api::Mul | Api::Div | Api::Max | Api::Min);
        let is_splat = |k: usize| matches!(instr.srcs.get(k), Some(Operand::Splat(_)));
        let fits = two && instr.lanes == Type::Data(DType::F32) && is_splat(0) != is_splat(1);
        fits.then(|| Helper { api: instr.api, first: is_splat(0) })
    }

    fn name(self) -> String {
        let side = if self.first { "SplatFirst" } else { "SplatSecond" };
        format!("{}{side}", self.api.name())
    }

    /// Its definition.
    pub fn text(self) -> String {
        let (name, api) = (self.name(), self.api.name());
        let (a, b, strides) =
            if self.first { ("splat", "src[at]", "0, 8") } else { ("src[at]", "splat", "8, 0") };
        let tensor = |name: &str| format!("const LocalTensor<float>& {name}");
        let args = [tensor("dst"), tensor("splat"), tensor("src"), "uint32_t count".into()];
        let head = names::wrapped(&format!("__aicore__ inline void {name}("), &args, ")");
        format!(
            "// {api} of {}; `splat` is one repeat of equal numbers, read again and again by stride 0.
{head}
{{
    constexpr uint32_t MOST = 255;  // repeats of one call
    const BinaryRepeatParams strides(1, 1, 1, 8, {strides});
    uint32_t at = 0;
    while (count - at >= FLOATS) {{
        const uint32_t left = (count - at) / FLOATS;
        const uint32_t repeats = left < MOST ? left : MOST;
        {api}(dst[at], {a}, {b}, static_cast<uint64_t>(FLOATS), static_cast<uint8_t>(repeats), strides);
        at += repeats * FLOATS;
    }}
    if (at < count) {{
        {api}(dst[at], {a}, {b}, static_cast<uint64_t>(count - at), 1, strides);
    }}
}}
",
            if self.first { "a number and a vector" } else { "a vector and a number" },
        )
    }
}

/// Helpers that a plan's calls need.
pub fn helpers(plan: &Plan) -> Vec<Helper> {
    plan.instrs.iter().filter_map(Helper::of).collect()
}

/// Whether the call reads its splats as vectors, not as scalars.
pub fn reads_splats(plan: &Plan, instr: &Instr) -> bool {
    Helper::of(instr).is_some() || goes_by_repeat(plan, instr)
}

/// Whether masks are for one repeat, so that comparisons and choices go repeat by repeat.
fn goes_by_repeat(plan: &Plan, instr: &Instr) -> bool {
    !plan.soc.arch.long_masks && matches!(instr.api, Api::Compare(_) | Api::Select)
}

/// Comparisons and choices where masks are for one repeat.
pub const BY_REPEAT: &str = "\
// The bits of a repeat, in a block of their own, as Select takes them here.
__aicore__ inline LocalTensor<uint8_t> MaskOf(const LocalTensor<uint8_t>& mask, uint32_t at)
{
    constexpr uint32_t BLOCK = 32;
    return mask[at / FLOATS * BLOCK];
}

// Compare, repeat by repeat. A step of 0 stands for one repeat of equal numbers.
__aicore__ inline void CompareRepeats(const LocalTensor<uint8_t>& mask, const LocalTensor<float>& a, uint32_t aStep,
                                      const LocalTensor<float>& b, uint32_t bStep, CMPMODE mode, uint32_t count)
{
    for (uint32_t at = 0; at < count; at += FLOATS) {
        Compare(MaskOf(mask, at), a[at * aStep], b[at * bStep], mode, FLOATS);
    }
}

// Select, repeat by repeat: `a` where the bit is set, else `b`.
__aicore__ inline void SelectRepeats(const LocalTensor<float>& dst, const LocalTensor<uint8_t>& mask,
                                     const LocalTensor<float>& a, uint32_t aStep, const LocalTensor<float>& b,
                                     uint32_t bStep, uint32_t count)
{
    for (uint32_t at = 0; at < count; at += FLOATS) {
        Select(dst[at], MaskOf(mask, at), a[at * aStep], b[at * bStep], SELMODE::VSEL_CMPMASK_SPR, FLOATS);
    }
}
";

/// The call of one of these.
fn by_repeat(instr: &Instr, dst: &str, operands: &[String]) -> String {
    let stepped = |k: usize| {
        let step = u8::from(!matches!(instr.srcs[k], Operand::Splat(_)));
        format!("{}, {step}", operands[k])
    };
    match instr.api {
        Api::Compare(by) => {
            format!("CompareRepeats({dst}, {}, {}, {}, count);", stepped(0), stepped(1), mode(by))
        }
        _ => {
            format!("SelectRepeats({dst}, {}, {}, {}, count);", operands[0], stepped(1), stepped(2))
        }
    }
}

fn mode(by: Compare) -> &'static str {
    match by {
        Compare::Lt => "CMPMODE::LT",
        Compare::Le => "CMPMODE::LE",
        Compare::Gt => "CMPMODE::GT",
        Compare::Ge => "CMPMODE::GE",
        Compare::Eq => "CMPMODE::EQ",
    }
}

/// The type of a scalar among data of this type.
fn element(ty: Type) -> DType {
    if let Type::Data(dtype) = ty { dtype } else { DType::F32 }
}

/// The call, with its semicolon. What has no call is an error of the compiler's, never a wrong
/// result.
pub fn text(package: &Package<'_>, plan: &Plan, instr: &Instr) -> String {
    let dst = buffer(package, plan, instr.dst);
    let number = |s: Scalar, ty: Type| scalar::text(s, element(ty));
    let operands: Vec<String> = instr
        .srcs
        .iter()
        .map(|src| match *src {
            Operand::Buffer(b) => buffer(package, plan, b),
            Operand::Splat(k) => splat(plan, k),
        })
        .collect();
    let constant = |k: usize| match instr.srcs.get(k) {
        Some(Operand::Splat(s)) => Some(number(plan.splats[*s], instr.from)),
        _ => None,
    };
    let api = instr.api.name();
    let own = instr.scalar.map(|s| number(s, instr.to)).unwrap_or_default();
    if let Some(helper) = Helper::of(instr) {
        let (c, v) = if helper.first { (0, 1) } else { (1, 0) };
        return format!("{}({dst}, {}, {}, count);", helper.name(), operands[c], operands[v]);
    }
    if goes_by_repeat(plan, instr) {
        return by_repeat(instr, &dst, &operands);
    }
    match (instr.api, constant(0), constant(1), constant(2)) {
        (Api::Compare(by), None, Some(c), _) => {
            format!("Compares({dst}, {}, {c}, {}, count);", operands[0], mode(by))
        }
        (Api::Compare(by), Some(c), None, _) => {
            format!("Compares({dst}, {}, {c}, {}, count);", operands[1], mode(by.flipped()))
        }
        (Api::Select, None, None, Some(c)) => {
            let mode = "SELMODE::VSEL_TENSOR_SCALAR_MODE";
            format!("Select({dst}, {}, {}, {c}, {mode}, count);", operands[0], operands[1])
        }
        (_, None, None, None) => {
            let mut args = vec![dst];
            args.extend(operands);
            match instr.api {
                Api::Compare(by) => args.push(mode(by).into()),
                Api::Compares(by) => {
                    let c = instr.scalar.map(|s| number(s, instr.from)).unwrap_or_default();
                    args.extend([c, mode(by).to_string()]);
                }
                Api::Select => args.push("SELMODE::VSEL_TENSOR_TENSOR_MODE".into()),
                Api::Cast(round) => args.push(format!("RoundMode::{}", round.name())),
                _ if !own.is_empty() => args.push(own),
                _ => {}
            }
            format!("{api}({}, count);", args.join(", "))
        }
        _ => format!("\n#error \"{api} has no form with these numbers\""),
    }
}
