// Arithmetic of vector functions. Every call rounds its result once, a product that is added to something
// as well. Exponentials, logarithms, roots and quotients are correctly rounded; of subnormals a device
// makes zeros there, and so does the model if it is told to.
#pragma once

#include "registers.h"

#if HOST_MODEL_ARCH == 3510

#include <cmath>
#include <limits>

#include "cast.h"
#include "register_moves.h"
#include "vector.h"

namespace AscendC {
namespace Reg {

/// Which lanes of the wider register the narrower one has: the first or the second of each two.
enum class RegLayout { UNKNOWN = -1, ZERO, ONE, TWO, THREE };
/// What becomes of a number that is too large.
enum class SatMode { UNKNOWN = -1, NO_SAT, SAT };
/// What becomes of lanes that are off.
enum class MaskMergeMode { UNKNOWN, MERGING, ZEROING };

/// How a cast goes about.
struct CastTrait {
    RegLayout layoutMode = RegLayout::UNKNOWN;
    SatMode satMode = SatMode::UNKNOWN;
    MaskMergeMode mrgMode = MaskMergeMode::UNKNOWN;
    RoundMode roundMode = RoundMode::UNKNOWN;
};

constexpr CastTrait castTrait = {};

}  // namespace Reg
}  // namespace AscendC

namespace host_model {

/// to = op(from...), where the mask is on.
template <typename T, typename F, typename... S>
void MapRegister(const char* api, RegisterCall kind, Row<T>& to, const AscendC::Reg::MaskReg& mask,
                 Where where, F op, const Row<S>&... from)
{
    TheFunction().Open(api, where);
    const Lanes on = mask.On(api, where) & Lanes::All(sizeof(T));
    (CheckDefined(from, on, api, where), ...);
    for (uint32_t i = 0; i < to.kLanes; ++i) {
        to.at[i] = Narrow<T>(op(static_cast<Wide<S>>(from.at[i])...));
    }
    if constexpr (std::is_same_v<T, float>) {
        const uint32_t seed = kind == RegisterCall::kSlow ? TheDevice().noise : 0;
        std::transform(to.at, to.at + (seed == 0 ? 0 : to.kLanes), to.at, [seed](T v) { return Disturbed(v, seed); });
    }
    to.defined = on;
    CurrentCore().CountRegisters(kind);
}

/// Zero of the same sign for what is smaller than any normal number, if the run is told to.
inline float Flushed(float x)
{
    const bool tiny = std::fabs(x) < std::numeric_limits<float>::min();
    return TheDevice().flush && tiny ? std::copysign(0.0f, x) : x;
}

/// to = from in another type. The narrower one has one element in each lane of the wider one.
template <typename To, typename From>
HOST_MODEL_ONCE void CastRegister(Row<To>& to, const Row<From>& from,
                                  const AscendC::Reg::CastTrait& trait, const AscendC::Reg::MaskReg& mask, Where where)
{
    using namespace AscendC;
    constexpr bool widens = sizeof(To) > sizeof(From);
    static_assert((widens && std::is_same_v<To, float>) || (sizeof(To) < sizeof(From) && std::is_same_v<From, float>),
                  "a cast that the model has");
    TheFunction().Open("Cast", where);
    const bool second = trait.layoutMode == Reg::RegLayout::ONE;
    if (!second && trait.layoutMode != Reg::RegLayout::ZERO) {
        Fail("cast", where, "Cast between types of different sizes: the layout is ZERO or ONE");
    }
    if (trait.mrgMode != Reg::MaskMergeMode::ZEROING) {
        Fail("cast", where, "Cast: lanes that are off become zero, nothing else; say ZEROING");
    }
    const RoundMode round = trait.roundMode;
    if (widens ? round != RoundMode::UNKNOWN : round != RoundMode::CAST_RINT) {
        Fail("cast", where, "Cast from %s to %s: the model has %s", TypeName<From>(), TypeName<To>(),
             widens ? "RoundMode::UNKNOWN" : "CAST_RINT");
    }
    // Where bit 60 of CTRL is 1, its default, bit 48 decides whatever the trait says. Where it is 0 the trait does.
    if (!widens && trait.satMode != Reg::SatMode::NO_SAT) {
        Fail("cast", where, "Cast from %s to %s: NO_SAT keeps what is infinite", TypeName<From>(), TypeName<To>());
    }
    const Lanes& lanes = mask.On("Cast", where);
    const uint32_t shift = second ? 1 : 0;
    Lanes defined;
    for (uint32_t i = 0; i < kRegisterBytes / sizeof(float); ++i) {
        const uint32_t narrow = 2 * i + shift;
        const uint32_t source = widens ? narrow : i;
        const uint32_t target = widens ? i : narrow;
        if (!lanes.Has(source * static_cast<uint32_t>(sizeof(From)))) {
            continue;
        }
        if (!from.defined.Has(source * static_cast<uint32_t>(sizeof(From)))) {
            Fail("reg-undefined", where, "Cast reads lane %u of a register, which has no value: nobody loaded or computed it",
                 source);
        }
        to.at[target] = CastOne<To>(from.at[source], Rounding::kRint);
        defined.Put(target * static_cast<uint32_t>(sizeof(To)), true);
        if constexpr (!widens) {
            // The other half of the lane is zero.
            to.at[target ^ 1u] = To();
            defined.Put((target ^ 1u) * static_cast<uint32_t>(sizeof(To)), true);
        }
    }
    to.defined = defined;
    CurrentCore().CountRegisters(RegisterCall::kCast);
}

/// Lanes of which `op` holds.
template <typename T, typename F>
AscendC::Reg::MaskValue Compared(const char* api, const Row<T>& a, const Row<T>& b,
                                 const AscendC::Reg::MaskReg& mask, Where where, F op)
{
    TheFunction().Open(api, where);
    const Lanes on = mask.On(api, where) & Lanes::All(sizeof(T));
    CheckDefined(a, on, api, where);
    CheckDefined(b, on, api, where);
    AscendC::Reg::MaskValue out;
    for (uint32_t i = 0; i < a.kLanes; ++i) {
        const uint32_t bit = i * static_cast<uint32_t>(sizeof(T));
        out.lanes.Put(bit, on.Has(bit) && op(static_cast<float>(a.at[i]), static_cast<float>(b.at[i])));
    }
    CurrentCore().CountRegisters(RegisterCall::kLinear);
    return out;
}

/// Whether the relation holds.
template <AscendC::CMPMODE mode>
bool Holds(float a, float b)
{
    using AscendC::CMPMODE;
    switch (mode) {
        case CMPMODE::LT:
            return a < b;
        case CMPMODE::LE:
            return a <= b;
        case CMPMODE::GT:
            return a > b;
        case CMPMODE::GE:
            return a >= b;
        case CMPMODE::EQ:
            return a == b;
        default:
            return a != b;
    }
}

}  // namespace host_model

namespace AscendC {
namespace Reg {

#define HOST_MODEL_REGISTERS(KIND, NAME, ARGUMENTS, OP, ...)                                                         \
    template <typename T>                                                                                            \
    void NAME(RegTensor<T>& to HOST_MODEL_UNPACK ARGUMENTS, MaskReg& mask,                                           \
              host_model::Where where = host_model::Where::Here())                                                   \
    {                                                                                                                \
        static_assert(std::is_same_v<T, half> || std::is_same_v<T, float>, "types that the call takes");             \
        host_model::MapRegister(#NAME, host_model::RegisterCall::KIND, to, mask, where, OP, __VA_ARGS__);            \
    }
#define HOST_MODEL_UNPACK(...) , __VA_ARGS__
#define HOST_MODEL_ONE (const RegTensor<T>& a)
#define HOST_MODEL_TWO (const RegTensor<T>& a, const RegTensor<T>& b)
#define HOST_MODEL_WITH (const RegTensor<T>& a, const T s)

HOST_MODEL_REGISTERS(kLinear, Abs, HOST_MODEL_ONE, [](float x) { return std::fabs(x); }, a)
HOST_MODEL_REGISTERS(kLinear, Neg, HOST_MODEL_ONE, [](float x) { return -x; }, a)
HOST_MODEL_REGISTERS(kLinear, Relu, HOST_MODEL_ONE, [](float x) { return host_model::Larger(x, 0.0f); }, a)
HOST_MODEL_REGISTERS(kSlow, Sqrt, HOST_MODEL_ONE,
                     [](float x) { return host_model::Flushed(std::sqrt(host_model::Flushed(x))); }, a)
HOST_MODEL_REGISTERS(kSlow, Exp, HOST_MODEL_ONE,
                     [](float x) { return host_model::Flushed(static_cast<float>(std::exp(static_cast<double>(x)))); }, a)
HOST_MODEL_REGISTERS(kSlow, Ln, HOST_MODEL_ONE,
                     [](float x) { return static_cast<float>(std::log(static_cast<double>(host_model::Flushed(x)))); }, a)
HOST_MODEL_REGISTERS(kLinear, Add, HOST_MODEL_TWO, [](float x, float y) { return x + y; }, a, b)
HOST_MODEL_REGISTERS(kLinear, Sub, HOST_MODEL_TWO, [](float x, float y) { return x - y; }, a, b)
HOST_MODEL_REGISTERS(kLinear, Mul, HOST_MODEL_TWO, [](float x, float y) { return x * y; }, a, b)
HOST_MODEL_REGISTERS(kLinear, Max, HOST_MODEL_TWO, [](float x, float y) { return host_model::Larger(x, y); }, a, b)
HOST_MODEL_REGISTERS(kLinear, Min, HOST_MODEL_TWO, [](float x, float y) { return host_model::Smaller(x, y); }, a, b)
HOST_MODEL_REGISTERS(kSlow, Div, HOST_MODEL_TWO,
                     [](float x, float y) { return host_model::Flushed(host_model::Flushed(x) / host_model::Flushed(y)); },
                     a, b)
HOST_MODEL_REGISTERS(kLinear, Adds, HOST_MODEL_WITH, [s](float x) { return x + static_cast<float>(s); }, a)
HOST_MODEL_REGISTERS(kLinear, Muls, HOST_MODEL_WITH, [s](float x) { return x * static_cast<float>(s); }, a)
HOST_MODEL_REGISTERS(kLinear, Maxs, HOST_MODEL_WITH,
                     [s](float x) { return host_model::Larger(x, static_cast<float>(s)); }, a)
HOST_MODEL_REGISTERS(kLinear, Mins, HOST_MODEL_WITH,
                     [s](float x) { return host_model::Smaller(x, static_cast<float>(s)); }, a)
// Fused: one rounding, of the type's own.
HOST_MODEL_REGISTERS(kLinear, MulDstAdd, HOST_MODEL_TWO,
                     [](float d, float x, float y) { return std::fma(d, x, y); }, to, a, b)
// As toolkits before 8.5 call it.
HOST_MODEL_REGISTERS(kLinear, FusedMulDstAdd, HOST_MODEL_TWO,
                     [](float d, float x, float y) { return std::fma(d, x, y); }, to, a, b)
HOST_MODEL_REGISTERS(kLinear, MulAddDst, HOST_MODEL_TWO,
                     [](float d, float x, float y) { return std::fma(x, y, d); }, to, a, b)
HOST_MODEL_REGISTERS(kLinear, Axpy, HOST_MODEL_WITH,
                     [s](float d, float x) { return std::fma(x, static_cast<float>(s), d); }, to, a)

#undef HOST_MODEL_REGISTERS
#undef HOST_MODEL_UNPACK
#undef HOST_MODEL_ONE
#undef HOST_MODEL_TWO
#undef HOST_MODEL_WITH

/// Bits of either.
template <typename T>
void Or(RegTensor<T>& to, RegTensor<T>& a, RegTensor<T>& b, MaskReg& mask,
        host_model::Where where = host_model::Where::Here())
{
    static_assert(std::is_integral_v<T>, "types that the call takes");
    const char* api = "Or";
    host_model::TheFunction().Open(api, where);
    const host_model::Lanes on = mask.On(api, where) & host_model::Lanes::All(sizeof(T));
    host_model::CheckDefined(a, on, api, where);
    host_model::CheckDefined(b, on, api, where);
    for (uint32_t i = 0; i < to.kLanes; ++i) {
        to.at[i] = static_cast<T>(a.at[i] | b.at[i]);
    }
    to.defined = on;
    host_model::CurrentCore().CountRegisters(host_model::RegisterCall::kLinear);
}

/// One number in every lane.
template <typename T, typename U>
void Duplicate(RegTensor<T>& to, U scalar, host_model::Where where = host_model::Where::Here())
{
    host_model::TheFunction().Open("Duplicate", where);
    std::fill_n(to.at, to.kLanes, static_cast<T>(scalar));
    to.defined = host_model::Lanes::All(sizeof(T));
    host_model::CurrentCore().CountRegisters(host_model::RegisterCall::kConstant);
}

/// Another type.
template <typename To, typename From, const CastTrait& trait>
void Cast(RegTensor<To>& to, RegTensor<From>& from, MaskReg& mask, host_model::Where where = host_model::Where::Here())
{
    host_model::CastRegister(to, from, trait, mask, where);
}

/// Lanes of which the relation holds; NaN holds with nothing.
template <typename T, CMPMODE mode>
void Compare(MaskReg& to, RegTensor<T>& a, RegTensor<T>& b, MaskReg& mask,
             host_model::Where where = host_model::Where::Here())
{
    to = host_model::Compared("Compare", a, b, mask, where, host_model::Holds<mode>);
}

template <typename T, CMPMODE mode>
void Compares(MaskReg& to, RegTensor<T>& a, T scalar, MaskReg& mask,
              host_model::Where where = host_model::Where::Here())
{
    to = host_model::Compared("Compares", a, a, mask, where,
                              [scalar](float x, float) { return host_model::Holds<mode>(x, static_cast<float>(scalar)); });
}

/// The same, as toolkits before 8.5 call it.
template <typename T, CMPMODE mode>
void CompareScalar(MaskReg& to, RegTensor<T>& a, T scalar, MaskReg& mask,
                   host_model::Where where = host_model::Where::Here())
{
    Compares<T, mode>(to, a, scalar, mask, where);
}

/// The first where the mask is on, else the second. What has no value is passed on.
template <typename T>
void Select(RegTensor<T>& to, RegTensor<T>& a, RegTensor<T>& b, MaskReg& mask,
            host_model::Where where = host_model::Where::Here())
{
    const char* api = "Select";
    host_model::TheFunction().Open(api, where);
    const host_model::Lanes& on = mask.On(api, where);
    const host_model::Lanes defined = (a.defined & on) | (b.defined & ~on);
    for (uint32_t i = 0; i < to.kLanes; ++i) {
        to.at[i] = on.Has(i * static_cast<uint32_t>(sizeof(T))) ? a.at[i] : b.at[i];
    }
    to.defined = defined;
    host_model::CurrentCore().CountRegisters(host_model::RegisterCall::kLinear);
}

}  // namespace Reg
}  // namespace AscendC

#endif
