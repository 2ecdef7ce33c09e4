//! Writes one call on vector registers as a C++ statement.

use super::super::super::package::{Cann, Package};
use super::super::call::{element, mode};
use super::super::names::cpp;
use super::names::{constant, number, place};
use crate::plan::Plan;
use crate::plan::registers::{Call, Op, Register, Registers};
use crate::sequence::{Api, Type};
use op_dsl_ir::DType;

/// Names of the calls that load and store whole registers: the documented name, then the earlier one.
pub(super) const LOAD: [&str; 2] = ["LoadAlign", "DataCopy"];
pub(super) const STORE: [&str; 2] = ["StoreAlign", "DataCopy"];

/// Returns the one of a vector call's two names that the package's toolkit has.
///
/// The documented name exists as of version 8.5; the earlier one exists in every toolkit of generation 8.
pub(super) fn name(package: &Package<'_>, [documented, first]: [&'static str; 2]) -> &'static str {
    match package.options.cann {
        Cann::V8 => first,
        Cann::V9 => documented,
    }
}

pub(super) fn register(registers: &Registers, register: Register) -> String {
    match register {
        Register::Data(k) => format!("t{k}"),
        Register::Half(k) => format!("h{k}"),
        Register::Byte(k) => format!("b{k}"),
        Register::Mask(k) => format!("m{k}"),
        Register::Constant(k) => constant(registers, k),
    }
}

/// Returns the C++ element type of the first register that a call reads.
fn from(op: &Op) -> &'static str {
    if op.from == Type::Byte { "uint8_t" } else { cpp(element(op.from)) }
}

/// Returns template arguments for a load or store that has one 16-bit element per 32-bit lane.
///
/// For example, `<half, MicroAPI::LoadDist::DIST_UNPACK_B16>`. Empty for `float`, which fills the lanes.
fn spread(ty: Type, how: &str) -> String {
    match element(ty) {
        DType::F32 => String::new(),
        dtype => format!("<{}, MicroAPI::{how}>", cpp(dtype)),
    }
}

/// Half of each 32-bit lane that a cast from or to 16 bits reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Lower half, which all calls but those for interleaved pairs use.
    Lower,
    /// Upper half, which holds the second stream of an interleaved gate and value.
    Upper,
}

/// Returns the C++ statement for one call on registers.
pub fn text(
    package: &Package<'_>,
    plan: &Plan,
    registers: &Registers,
    op: &Op,
    half: Half,
) -> String {
    let dst = register(registers, op.dst);
    let srcs: Vec<String> = op.srcs.iter().map(|r| register(registers, *r)).collect();
    let number = || match op.from {
        Type::Byte => op.scalar.map(|s| format!("static_cast<uint8_t>({})", number(s, DType::F32))),
        from => op.scalar.map(|s| number(s, element(from))),
    };
    let mut args = vec![dst.clone()];
    let mut mask = "lanes";
    let function = match op.call {
        Call::Load(k) => {
            let at = place(package, plan, k, false);
            let how = match op.to {
                Type::Byte => "<uint8_t, MicroAPI::LoadDist::DIST_UNPACK4_B8>".into(),
                ty => spread(ty, "LoadDist::DIST_UNPACK_B16"),
            };
            let load = name(package, LOAD);
            return format!("MicroAPI::{load}{how}({dst}, {at} + i * FLOATS);");
        }
        Call::Store(k) => {
            let (at, how) = (place(package, plan, k, true), "StoreDist::DIST_PACK_B32");
            let call = format!("{}{}", name(package, STORE), spread(op.to, how));
            return format!("MicroAPI::{call}({at} + i * FLOATS, {dst}, lanes);");
        }
        Call::Plain(Api::Select) => {
            let [mask, a, b] = &srcs[..] else { unreachable!("three arguments") };
            return format!("MicroAPI::Select({dst}, {a}, {b}, {mask});");
        }
        Call::MulDstAdd => name(package, ["MulDstAdd", "FusedMulDstAdd"]).to_string(),
        Call::MulAddDst => "MulAddDst".to_string(),
        Call::Plain(Api::Compare(by)) => format!("Compare<{}, {}>", from(op), mode(by)),
        Call::Plain(Api::Compares(by)) => {
            let compares = name(package, ["Compares", "CompareScalar"]);
            format!("{compares}<{}, {}>", from(op), mode(by))
        }
        Call::Plain(Api::Cast(_)) => {
            let to = element(op.to);
            let how = match (to, half) {
                (DType::F32, Half::Lower) => "WIDEN",
                (DType::F32, Half::Upper) => {
                    // The mask applies to the source, and `lanes` covers only the lower half of a lane.
                    mask = "halves";
                    "WIDEN_UPPER"
                }
                (_, Half::Lower) => "NARROW",
                (_, Half::Upper) => "NARROW_UPPER",
            };
            format!("Cast<{}, {}, {how}>", cpp(to), from(op))
        }
        Call::Plain(api) => api.name().to_string(),
    };
    args.extend(srcs);
    args.extend(number());
    args.push(mask.into());
    format!("MicroAPI::{function}({});", args.join(", "))
}
