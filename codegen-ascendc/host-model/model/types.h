// Words of the kernel language and its enumerations.
#pragma once

#include <cstdint>
#include <type_traits>

#include "arch.h"
#include "round.h"

#define __aicore__
#define __global__
#define __vector__
#define __mix__(cubes, vectors)
#define __gm__
#define __ubuf__
#define GM_ADDR __gm__ uint8_t*

/// IEEE binary16, a built-in arithmetic type of the device compiler.
struct half {
    uint16_t bits;

    half() = default;
    template <typename N, typename = std::enable_if_t<std::is_arithmetic_v<N>>>
    half(N value) : bits(host_model::FloatTo16<10>(static_cast<float>(value), host_model::Rounding::kRint))
    {}
    operator float() const { return host_model::FloatFrom16<10>(bits); }
};

/// The upper half of a float.
struct bfloat16_t {
    uint16_t bits;

    bfloat16_t() = default;
    template <typename N, typename = std::enable_if_t<std::is_arithmetic_v<N>>>
    bfloat16_t(N value) : bits(host_model::FloatTo16<7>(static_cast<float>(value), host_model::Rounding::kRint))
    {}
    operator float() const { return host_model::FloatFrom16<7>(bits); }
};

/// The pipes by their global names.
enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL };

/// Event numbers.
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

namespace AscendC {

/// Event number as the pipe hands it out.
using TEventID = int8_t;

/// Where a tensor lives.
enum class TPosition : uint8_t { GM, VECIN, VECOUT, VECCALC, LCM = VECCALC };
using QuePosition = TPosition;

/// Producer and consumer of an event.
enum class HardEvent : uint8_t {
    MTE2_V,
    V_MTE2,
    MTE3_V,
    V_MTE3,
    MTE2_MTE3,
    MTE3_MTE2,
    S_V,
    V_S,
    S_MTE2,
    MTE2_S,
    S_MTE3,
    MTE3_S,
};

/// Rounding of a Cast.
enum class RoundMode {
    UNKNOWN = -1,
    CAST_NONE = 0,
    CAST_RINT,
    CAST_FLOOR,
    CAST_CEIL,
    CAST_ROUND,
    CAST_TRUNC,
    CAST_ODD,
};

/// Relation of a Compare.
enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };

/// Sources of a Select.
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };

/// Padding of every burst or of the whole copy.
enum class PaddingMode : uint8_t { Normal = 0, Compact };

/// L2 behaviour of a GM tensor; it changes no result.
enum class CacheMode { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1 };

/// How much of the scalar unit's cache is written back.
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };

/// Whether two types are one.
template <typename T, typename U>
struct IsSameType {
    static constexpr bool value = std::is_same_v<T, U>;
};

/// The scalar conversions of bfloat16.
inline float ToFloat(const bfloat16_t& value) { return value; }
inline bfloat16_t ToBfloat16(const float& value) { return bfloat16_t(value); }

}  // namespace AscendC

namespace host_model {

/// The name of an element type in messages.
template <typename T>
constexpr const char* TypeName()
{
    if constexpr (std::is_same_v<T, half>) {
        return "half";
    } else if constexpr (std::is_same_v<T, bfloat16_t>) {
        return "bfloat16_t";
    } else if constexpr (std::is_same_v<T, float>) {
        return "float";
    } else if constexpr (std::is_same_v<T, int16_t>) {
        return "int16_t";
    } else if constexpr (std::is_same_v<T, uint16_t>) {
        return "uint16_t";
    } else if constexpr (std::is_same_v<T, int32_t>) {
        return "int32_t";
    } else if constexpr (std::is_same_v<T, uint32_t>) {
        return "uint32_t";
    } else if constexpr (std::is_same_v<T, uint8_t>) {
        return "uint8_t";
    } else if constexpr (std::is_same_v<T, int8_t>) {
        return "int8_t";
    } else {
        return sizeof(T) == 8 ? "64-bit" : "other";
    }
}

}  // namespace host_model
