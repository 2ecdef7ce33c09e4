// Casts between element types. Which rounding modes a pair of types takes differs
// by architecture, and a pair that is not listed has no instruction.
#pragma once

#include <cstdint>
#include <limits>

#include "lanes.h"

namespace host_model {

/// Set of rounding modes.
using Modes = uint32_t;

constexpr Modes Mode(Rounding rounding) { return 1u << static_cast<int>(rounding); }

constexpr Modes kNoneOnly = Mode(Rounding::kNone);
constexpr Modes kFiveModes = Mode(Rounding::kRint) | Mode(Rounding::kFloor) | Mode(Rounding::kCeil) |
                             Mode(Rounding::kRound) | Mode(Rounding::kTrunc);

/// The modes a cast from `S` to `D` takes here; none if there is no such cast.
template <typename D, typename S>
constexpr Modes CastModes()
{
    constexpr bool newer = kArch == 2201 || kArch == 3510;
    if constexpr (std::is_same_v<S, half> && std::is_same_v<D, float>) {
        return kNoneOnly;
    } else if constexpr (std::is_same_v<S, float> && std::is_same_v<D, half>) {
        return Mode(Rounding::kOdd) | kNoneOnly | (newer ? kFiveModes : 0);
    } else if constexpr (std::is_same_v<S, bfloat16_t> && std::is_same_v<D, float>) {
        return kHasBf16 ? kNoneOnly : 0;
    } else if constexpr (std::is_same_v<S, float> && std::is_same_v<D, bfloat16_t>) {
        return kHasBf16 ? kFiveModes : 0;
    } else if constexpr ((std::is_same_v<S, half> && std::is_same_v<D, bfloat16_t>) ||
                         (std::is_same_v<S, bfloat16_t> && std::is_same_v<D, half>)) {
        return kArch == 3510 ? kFiveModes : 0;
    } else if constexpr (std::is_same_v<S, half> && std::is_same_v<D, int32_t>) {
        return kFiveModes;
    } else if constexpr ((std::is_same_v<S, float> || std::is_same_v<S, bfloat16_t>) && std::is_same_v<D, int32_t>) {
        return newer ? kFiveModes : 0;
    } else if constexpr (std::is_same_v<S, int32_t> && std::is_same_v<D, float>) {
        return newer ? kFiveModes | (kArch == 2201 ? kNoneOnly : 0) : kNoneOnly;
    } else if constexpr ((std::is_same_v<S, uint8_t> || std::is_same_v<S, int8_t>) && std::is_same_v<D, half>) {
        return kNoneOnly;
    } else if constexpr (std::is_same_v<S, half> && (std::is_same_v<D, int8_t> || std::is_same_v<D, uint8_t>)) {
        return (kFiveModes & ~(newer ? 0u : Mode(Rounding::kRint))) | (kArch == 3510 ? 0u : kNoneOnly);
    } else if constexpr (std::is_same_v<S, int16_t> && std::is_same_v<D, half>) {
        return newer ? kFiveModes | (kArch == 2201 ? kNoneOnly : 0) : kNoneOnly;
    } else if constexpr (std::is_same_v<S, int16_t> && std::is_same_v<D, float>) {
        return newer ? kNoneOnly : 0;
    } else if constexpr (std::is_same_v<S, float> && std::is_same_v<D, float>) {
        return newer ? kFiveModes : 0;
    } else {
        return 0;
    }
}

/// Modes for a message.
inline std::string Text(Modes modes)
{
    constexpr const char* names[] = {"NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD"};
    std::string text;
    for (int i = 0; i < 7; ++i) {
        if (modes & (1u << i)) {
            text += (text.empty() ? "CAST_" : "/CAST_") + std::string(names[i]);
        }
    }
    return text;
}

/// One element of a listed cast.
template <typename D, typename S>
D CastOne(S value, Rounding mode)
{
    if constexpr (std::is_same_v<D, half> && !std::is_integral_v<S>) {
        D out;
        out.bits = FloatTo16<10>(static_cast<float>(value), mode);
        return out;
    } else if constexpr (std::is_same_v<D, half>) {
        // Every int16_t is a float, so this rounds once.
        D out;
        out.bits = FloatTo16<10>(static_cast<float>(static_cast<double>(value)), mode);
        return out;
    } else if constexpr (std::is_same_v<D, bfloat16_t>) {
        D out;
        out.bits = FloatTo16<7>(static_cast<float>(value), mode);
        return out;
    } else if constexpr (std::is_integral_v<D>) {
        const double whole = RoundToInteger(static_cast<double>(static_cast<float>(value)), mode);
        // Out of range gives the nearest end; a NaN gives zero.
        if (whole != whole) {
            return 0;
        }
        const double low = static_cast<double>(std::numeric_limits<D>::min());
        const double high = static_cast<double>(std::numeric_limits<D>::max());
        return static_cast<D>(whole < low ? low : (whole > high ? high : whole));
    } else if constexpr (std::is_same_v<S, float>) {
        return static_cast<D>(RoundToInteger(static_cast<double>(value), mode));
    } else if constexpr (std::is_same_v<S, int32_t>) {
        // Rounded on the power of two below which a float holds every whole number.
        const double exact = static_cast<double>(value);
        double unit = 1;
        while (exact / unit >= 16777216.0 || exact / unit <= -16777216.0) {
            unit *= 2;
        }
        return static_cast<float>(RoundToInteger(exact / unit, mode) * unit);
    } else {
        return static_cast<D>(static_cast<float>(value));
    }
}

/// dst = src as another type.
template <typename D, typename S>
void Cast(const AscendC::LocalTensor<D>& dst, const AscendC::LocalTensor<S>& src, const AscendC::RoundMode& round,
          const Extent& extent, const AscendC::UnaryRepeatParams& p, Where where)
{
    const Rounding mode = static_cast<Rounding>(round);
    constexpr Modes modes = CastModes<D, S>();
    if (modes == 0) {
        Fail("cast", where, "Cast from %s to %s does not exist on %d", TypeName<S>(), TypeName<D>(), kArch);
    }
    if (!(modes & Mode(mode))) {
        Fail("cast", where, "Cast from %s to %s with %s on %d, allowed is %s", TypeName<S>(), TypeName<D>(),
                                   Text(Mode(mode)).c_str(), kArch, Text(modes).c_str());
    }
    Instruction run("Cast", extent, std::max(sizeof(D), sizeof(S)), where);
    const Operand<D> to{dst, {p.dstBlkStride, p.dstRepStride}};
    const Operand<S> from{src, {p.srcBlkStride, p.srcRepStride}};
    run.Aligned(to);
    run.Aligned(from);
    if (extent.count == 0) {
        return;
    }
    run.Overlap(to, from);
    run.Source(from);
    run.Target(to);
    if (mode == Rounding::kNone || mode == Rounding::kRint) {
        // The same rounding, known to the compiler.
        run.Map(to, [](S value) { return CastOne<D>(value, Rounding::kRint); }, from);
    } else {
        run.Map(to, [mode](S value) { return CastOne<D>(value, mode); }, from);
    }
    run.Count(1, true);
}

}  // namespace host_model

namespace AscendC {

/// dst = src as `T` over the first `count` elements.
template <typename T, typename U>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint32_t count,
          host_model::Where where = host_model::Where::Here())
{
    host_model::Cast(dst, src, roundMode, host_model::CountExtent(count, "Cast", where), UnaryRepeatParams(), where);
}

/// The same for repeats of the lanes that are on; a repeat holds as many lanes as
/// the larger type allows.
template <typename T, typename U, bool isSetMask = true>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint64_t mask[],
          const host_model::Limited<uint8_t> repeatTime, const UnaryRepeatParams& params,
          host_model::Where where = host_model::Where::Here())
{
    host_model::Cast(dst, src, roundMode,
                     host_model::BitExtent(mask, repeatTime, std::max(sizeof(T), sizeof(U)), "Cast", where), params, where);
}

template <typename T, typename U, bool isSetMask = true>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint64_t mask,
          const host_model::Limited<uint8_t> repeatTime, const UnaryRepeatParams& params,
          host_model::Where where = host_model::Where::Here())
{
    host_model::Cast(dst, src, roundMode,
                     host_model::MaskExtent(mask, repeatTime, std::max(sizeof(T), sizeof(U)), "Cast", where), params, where);
}

}  // namespace AscendC
