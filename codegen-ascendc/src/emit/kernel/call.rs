//! Writes one vector call of a plan as a C++ statement.

use super::super::package::{Cann, Package};
use super::names::{buffer, splat};
use super::{names, scalar};
use crate::plan::{Buffer, Instr, Operand, Plan};
use crate::sequence::{Api, Compare, Overload, Scalar, Type};
use op_dsl_ir::DType;

/// C++ helper function that calls an API's overload with a number of repeats and strides.
///
/// Only that overload can read one repeat (256 bytes) of equal numbers again and again, by a stride of 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Helper {
    api: Api,
    /// Whether each of the two sources is a splat, which is one repeat of equal numbers.
    splats: [bool; 2],
}

impl Helper {
    fn of(instr: &Instr) -> Option<Helper> {
        let is_splat = |src: &Operand| matches!(src, Operand::Splat(_));
        let [.., a, b] = &instr.srcs[..] else { return None };
        let splats = [is_splat(a), is_splat(b)];
        (instr.overload == Overload::Repeats).then_some(Helper { api: instr.api, splats })
    }

    fn name(self) -> String {
        let side = match self.splats {
            [true, true] => "Splats",
            [true, false] => "SplatFirst",
            _ => "SplatSecond",
        };
        format!("{}{side}", self.api.name())
    }

    /// Returns the C++ definition of the helper function.
    pub fn text(self) -> String {
        let tensor = |ty: &str, name: &str| format!("const LocalTensor<{ty}>& {name}");
        let sides = ["a", "b"].into_iter().zip(self.splats);
        let at =
            |(name, splat): (&str, bool)| if splat { name.into() } else { format!("{name}[at]") };
        let places: Vec<String> = sides.clone().map(at).collect();
        let strides: Vec<&str> = self.splats.iter().map(|s| if *s { "0" } else { "8" }).collect();
        let names: Vec<&str> = sides.filter(|(_, splat)| *splat).map(|(name, _)| name).collect();
        let what = match names[..] {
            [one] => format!("`{one}` is one repeat of equal numbers"),
            _ => "`a` and `b` are one repeat of equal numbers each".into(),
        };
        let mut args = vec![tensor("float", "dst"), tensor("float", "a"), tensor("float", "b")];
        args.push("uint32_t count".into());
        if self.api == Api::Select {
            args.insert(1, tensor("uint8_t", "mask"));
        }
        let (name, api) = (self.name(), self.api.name());
        let head = names::wrapped(&format!("__aicore__ inline void {name}("), &args, ")");
        let (places, strides) = (places.join(", "), strides.join(", "));
        let body = match self.api {
            Api::Select => format!(
                "    constexpr uint32_t MOST = 252;  // repeats of one call, whose bits are whole blocks
    const BinaryRepeatParams strides(1, 1, 1, 8, {strides});
    for (uint32_t at = 0; at < count; at += MOST * FLOATS) {{
        const uint32_t left = (count - at) / FLOATS;
        const uint32_t repeats = left < MOST ? left : MOST;
        {api}(dst[at], mask[at / 8], {places}, SELMODE::VSEL_TENSOR_TENSOR_MODE,
               static_cast<uint64_t>(FLOATS), static_cast<uint8_t>(repeats), strides);
    }}"
            ),
            _ => format!(
                "    constexpr uint32_t MOST = 255;  // repeats of one call
    const BinaryRepeatParams strides(1, 1, 1, 8, {strides});
    uint32_t at = 0;
    while (count - at >= FLOATS) {{
        const uint32_t left = (count - at) / FLOATS;
        const uint32_t repeats = left < MOST ? left : MOST;
        {api}(dst[at], {places}, static_cast<uint64_t>(FLOATS), static_cast<uint8_t>(repeats), strides);
        at += repeats * FLOATS;
    }}
    if (at < count) {{
        {api}(dst[at], {places}, static_cast<uint64_t>(count - at), 1, strides);
    }}"
            ),
        };
        format!(
            "// {api} where {what}, read again and again by stride 0.\n{head}\n{{\n{body}\n}}\n"
        )
    }
}

/// Returns the helper functions that the vector calls of a plan need.
pub fn helpers(plan: &Plan) -> Vec<Helper> {
    plan.instrs.iter().filter_map(Helper::of).collect()
}

/// C++ functions for comparisons and selects that call the API once per repeat.
///
/// They are for architectures where a mask covers only one repeat.
pub const BY_REPEAT: &str = include_str!("by_repeat.h");

/// Returns the C++ call of `CompareRepeats` or `SelectRepeats` for a comparison or a select.
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

/// Returns the C++ name of a comparison.
pub(super) fn mode(by: Compare) -> &'static str {
    match by {
        Compare::Lt => "CMPMODE::LT",
        Compare::Le => "CMPMODE::LE",
        Compare::Gt => "CMPMODE::GT",
        Compare::Ge => "CMPMODE::GE",
        Compare::Eq => "CMPMODE::EQ",
    }
}

/// Returns the element type of values of this type, in which a call takes a scalar operand; `float` for masks.
pub(super) fn element(ty: Type) -> DType {
    if let Type::Data(dtype) = ty { dtype } else { DType::F32 }
}

/// Returns the name that a vector call has in the package's toolkit.
///
/// `Compares` is `CompareScalar` up to 8.5, according to the API's list of changed names.
fn name(api: Api, cann: Cann) -> &'static str {
    match (api, cann) {
        (Api::Compares(_), Cann::V8) => "CompareScalar",
        _ => api.name(),
    }
}

/// Returns the C++ statement for one vector call of a plan.
pub fn text(package: &Package<'_>, plan: &Plan, instr: &Instr) -> String {
    // Values of `half` may be stored in a buffer of another type.
    let half = |ty: Type| ty == Type::Data(DType::F16) && plan.dtype != DType::F16;
    let place = |b: Buffer, ty: Type| match half(ty) {
        true => format!("{}.ReinterpretCast<half>()", buffer(plan, b)),
        false => buffer(plan, b),
    };
    let dst = place(instr.dst, instr.to);
    let number = |s: Scalar, ty: Type| scalar::text(s, element(ty));
    let operand = |src: &Operand| match *src {
        Operand::Buffer(b) => place(b, instr.from),
        Operand::Splat(k) => splat(plan, k),
    };
    let operands: Vec<String> = instr.srcs.iter().map(operand).collect();
    if instr.overload == Overload::EachRepeat {
        return by_repeat(instr, &dst, &operands);
    }
    let own = |ty| instr.scalar.map(|s| number(s, ty));
    let mut args = vec![dst];
    args.extend(operands);
    match (instr.api, instr.overload) {
        (_, Overload::Repeats) => {}
        (Api::Compare(by), _) => args.push(mode(by).into()),
        (Api::Compares(by), _) => {
            args.extend(own(instr.from));
            args.push(mode(by).into());
        }
        (Api::Select, Overload::ScalarLast) => {
            args.extend(own(instr.to));
            args.push("SELMODE::VSEL_TENSOR_SCALAR_MODE".into());
        }
        (Api::Select, _) => args.push("SELMODE::VSEL_TENSOR_TENSOR_MODE".into()),
        (Api::Cast(round), _) => args.push(format!("RoundMode::{}", round.name())),
        _ => args.extend(own(instr.to)),
    }
    let name = || name(instr.api, package.options.cann).into();
    let function = Helper::of(instr).map_or_else(name, Helper::name);
    format!("{function}({}, count);", args.join(", "))
}
