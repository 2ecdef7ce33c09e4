// Arithmetic on vectors. Every call rounds its result once to the element type;
// the compound ones round their product first and then the sum.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "lanes.h"

namespace host_model {

/// Element types an instruction takes.
enum class Types {
    /// half and float; bfloat16_t where there is arithmetic on it.
    kReal,
    /// half and float only.
    kNoBf16,
    /// Those of kReal, and signed integers: of 32 bits, and of 16 but on 910.
    kWithIntegers,
    /// The same, but on 910 no integers at all.
    kScalar,
    /// half, and except on 910 float.
    kRelu,
};

/// Whether `T` is in `types`.
template <typename T>
constexpr bool Takes(Types types)
{
    constexpr bool newer = kArch != 1001;
    if constexpr (std::is_same_v<T, half>) {
        return true;
    } else if constexpr (std::is_same_v<T, float>) {
        return newer || types != Types::kRelu;
    } else if constexpr (std::is_same_v<T, bfloat16_t>) {
        return kHasBf16Arithmetic && types != Types::kNoBf16 && types != Types::kRelu;
    } else if constexpr (std::is_same_v<T, int32_t>) {
        return types == Types::kWithIntegers || (newer && types == Types::kScalar);
    } else if constexpr (std::is_same_v<T, int16_t>) {
        return newer && (types == Types::kWithIntegers || types == Types::kScalar);
    } else {
        return false;
    }
}

/// Stops on an instruction that 910 does not have.
inline void CheckOnArch(const char* api, Where where)
{
    if (kArch != 1001) {
        return;
    }
    for (const char* missing : {"Maxs", "Mins", "FusedMulAdd", "MulAddDst", "Compares"}) {
        if (std::strcmp(api, missing) == 0) {
            Fail("not-on-arch", where, "%s does not exist on %d", api, kArch);
        }
    }
}

/// Stops on an element type that an instruction does not take.
template <typename T>
void CheckType(Types types, const char* api, Where where)
{
    if (!Takes<T>(types)) {
        Fail("dtype", where, "%s does not take %s on %d", api, TypeName<T>(), kArch);
    }
}

/// The type a scalar operation computes in. Float carries more than twice the digits
/// of the 16-bit types, so rounding its result again is the same as rounding once.
template <typename T>
using Wide = std::conditional_t<std::is_integral_v<T>, T, float>;

/// The wide result as a `T`.
template <typename T, typename W>
T Narrow(W value)
{
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(value);
    } else if constexpr (std::is_same_v<T, float>) {
        return value;
    } else {
        return T(value);
    }
}

/// The larger; a NaN is passed on.
template <typename W>
W Larger(W a, W b)
{
    // All compared first: a choice without branches.
    const bool a_nan = a != a;
    const bool b_nan = b != b;
    W larger = a > b ? a : b;
    larger = b_nan ? b : larger;
    return a_nan ? a : larger;
}

/// The smaller; a NaN is passed on.
template <typename W>
W Smaller(W a, W b)
{
    const bool a_nan = a != a;
    const bool b_nan = b != b;
    W smaller = a < b ? a : b;
    smaller = b_nan ? b : smaller;
    return a_nan ? a : smaller;
}

/// Whether devices may miss the nearest result.
inline bool IsRough(const char* api)
{
    const auto is = [api](const char* rough) { return std::strcmp(api, rough) == 0; };
    return is("Exp") || is("Ln") || is("Sqrt") || is("Div");
}

/// dst = op(src).
template <typename T, typename F>
void Unary(const char* api, Types types, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
           const Extent& extent, const AscendC::UnaryRepeatParams& p, Where where, F op)
{
    CheckOnArch(api, where);
    CheckType<T>(types, api, where);
    Instruction run(api, extent, sizeof(T), where);
    const Operand<T> to{dst, {p.dstBlkStride, p.dstRepStride}};
    const Operand<T> from{src, {p.srcBlkStride, p.srcRepStride}};
    run.Aligned(to);
    run.Aligned(from);
    if (extent.count == 0) {
        return;
    }
    run.Overlap(to, from);
    run.Source(from);
    run.Target(to);
    run.Map(to, [op](T x) { return Narrow<T>(op(static_cast<Wide<T>>(x))); }, from);
    if constexpr (std::is_same_v<T, float>) {
        if (IsRough(api)) {
            run.Disturb(to);
        }
    }
    run.Count();
}

/// The operands of an instruction with two sources, checked. One that accumulates reads its target too.
template <typename D, typename S>
struct TwoSources {
    Instruction run;
    Operand<D> to;
    Operand<S> a;
    Operand<S> b;

    TwoSources(const char* api, Types types, const AscendC::LocalTensor<D>& dst, const AscendC::LocalTensor<S>& src0,
               const AscendC::LocalTensor<S>& src1, const Extent& extent, const AscendC::BinaryRepeatParams& p,
               Where where, bool accumulates)
        : run(api, extent, std::max(sizeof(D), sizeof(S)), where), to{dst, {p.dstBlkStride, p.dstRepStride}},
          a{src0, {p.src0BlkStride, p.src0RepStride}}, b{src1, {p.src1BlkStride, p.src1RepStride}}
    {
        CheckOnArch(api, where);
        CheckType<D>(types, api, where);
        CheckType<S>(types, api, where);
        run.Aligned(to);
        run.Aligned(a);
        run.Aligned(b);
        if (extent.count == 0) {
            return;
        }
        run.Overlap(to, a, sizeof(D) == sizeof(S));
        run.Overlap(to, b, sizeof(D) == sizeof(S));
        run.Source(a);
        run.Source(b);
        if (accumulates) {
            run.Source(to);
        }
        run.Target(to);
    }
};

/// dst = op(src0, src1).
template <typename T, typename F>
void Binary(const char* api, Types types, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src0,
            const AscendC::LocalTensor<T>& src1, const Extent& extent, const AscendC::BinaryRepeatParams& p,
            Where where, F op)
{
    TwoSources<T, T> s(api, types, dst, src0, src1, extent, p, where, false);
    if (extent.count != 0) {
        s.run.Map(s.to, [op](T x, T y) { return Narrow<T>(op(static_cast<Wide<T>>(x), static_cast<Wide<T>>(y))); }, s.a, s.b);
        if constexpr (std::is_same_v<T, float>) {
            if (IsRough(api)) {
                s.run.Disturb(s.to);
            }
        }
        s.run.Count();
    }
}

}  // namespace host_model

namespace AscendC {

// The three forms of every instruction: count, bit mask and lane count.
#define HOST_MODEL_UNARY(NAME, TYPES, OP)                                                                            \
    template <typename T>                                                                                            \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count,                            \
              host_model::Where where = host_model::Where::Here())                                                   \
    {                                                                                                                \
        host_model::Unary(#NAME, host_model::Types::TYPES, dst, src, host_model::CountExtent(count, #NAME, where),   \
                          UnaryRepeatParams(), where, OP);                                                           \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[],                                 \
              const host_model::Limited<uint8_t> repeatTime, const UnaryRepeatParams& params,                        \
              host_model::Where where = host_model::Where::Here())                                                   \
    {                                                                                                                \
        host_model::Unary(#NAME, host_model::Types::TYPES, dst, src,                                                 \
                          host_model::BitExtent(mask, repeatTime, sizeof(T), #NAME, where), params, where, OP);      \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask,                                   \
              const host_model::Limited<uint8_t> repeatTime, const UnaryRepeatParams& params,                        \
              host_model::Where where = host_model::Where::Here())                                                   \
    {                                                                                                                \
        host_model::Unary(#NAME, host_model::Types::TYPES, dst, src,                                                 \
                          host_model::MaskExtent(mask, repeatTime, sizeof(T), #NAME, where), params, where, OP);     \
    }

#define HOST_MODEL_SCALAR(NAME, TYPES, OP)                                                                           \
    template <typename T, bool isSetMask = true>                                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const int32_t& count,      \
              host_model::Where where = host_model::Where::Here())                                                   \
    {                                                                                                                \
        const auto s = static_cast<host_model::Wide<T>>(scalarValue);                                                \
        host_model::Unary(#NAME, host_model::Types::TYPES, dst, src, host_model::CountExtent(count, #NAME, where),   \
                          UnaryRepeatParams(), where, [s](auto x) { return OP; });                                   \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],           \
              const host_model::Limited<uint8_t> repeatTime, const UnaryRepeatParams& params,                        \
              host_model::Where where = host_model::Where::Here())                                                   \
    {                                                                                                                \
        const auto s = static_cast<host_model::Wide<T>>(scalarValue);                                                \
        host_model::Unary(#NAME, host_model::Types::TYPES, dst, src,                                                 \
                          host_model::BitExtent(mask, repeatTime, sizeof(T), #NAME, where), params, where,           \
                          [s](auto x) { return OP; });                                                               \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,             \
              const host_model::Limited<uint8_t> repeatTime, const UnaryRepeatParams& params,                        \
              host_model::Where where = host_model::Where::Here())                                                   \
    {                                                                                                                \
        const auto s = static_cast<host_model::Wide<T>>(scalarValue);                                                \
        host_model::Unary(#NAME, host_model::Types::TYPES, dst, src,                                                 \
                          host_model::MaskExtent(mask, repeatTime, sizeof(T), #NAME, where), params, where,          \
                          [s](auto x) { return OP; });                                                               \
    }

#define HOST_MODEL_BINARY(NAME, TYPES, OP)                                                                           \
    template <typename T>                                                                                            \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                     \
              const int32_t& count, host_model::Where where = host_model::Where::Here())                             \
    {                                                                                                                \
        host_model::Binary(#NAME, host_model::Types::TYPES, dst, src0, src1,                                  \
                                  host_model::CountExtent(count, #NAME, where), BinaryRepeatParams(), where, OP);    \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[],    \
              const host_model::Limited<uint8_t> repeatTime, const BinaryRepeatParams& params,                       \
              host_model::Where where = host_model::Where::Here())                                                   \
    {                                                                                                                \
        host_model::Binary(#NAME, host_model::Types::TYPES, dst, src0, src1,                                  \
                                  host_model::BitExtent(mask, repeatTime, sizeof(T), #NAME, where), params, where,   \
                                  OP);                                                                               \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,      \
              const host_model::Limited<uint8_t> repeatTime, const BinaryRepeatParams& params,                       \
              host_model::Where where = host_model::Where::Here())                                                   \
    {                                                                                                                \
        host_model::Binary(#NAME, host_model::Types::TYPES, dst, src0, src1,                                  \
                                  host_model::MaskExtent(mask, repeatTime, sizeof(T), #NAME, where), params, where,  \
                                  OP);                                                                               \
    }

HOST_MODEL_UNARY(Abs, kNoBf16, [](float x) { return std::fabs(x); })
HOST_MODEL_UNARY(Relu, kRelu, [](float x) { return host_model::Larger(x, 0.0f); })
HOST_MODEL_UNARY(Sqrt, kNoBf16, [](float x) { return std::sqrt(x); })
// Computed with more digits than the result has, then rounded once: the model takes
// these for correctly rounded, which the devices may miss by some units.
HOST_MODEL_UNARY(Exp, kNoBf16, [](float x) { return static_cast<float>(std::exp(static_cast<double>(x))); })
HOST_MODEL_UNARY(Ln, kNoBf16, [](float x) { return static_cast<float>(std::log(static_cast<double>(x))); })

HOST_MODEL_SCALAR(Adds, kScalar, x + s)
HOST_MODEL_SCALAR(Muls, kScalar, x * s)
HOST_MODEL_SCALAR(Maxs, kScalar, host_model::Larger(x, s))
HOST_MODEL_SCALAR(Mins, kScalar, host_model::Smaller(x, s))

HOST_MODEL_BINARY(Add, kWithIntegers, [](auto x, auto y) { return x + y; })
HOST_MODEL_BINARY(Sub, kWithIntegers, [](auto x, auto y) { return x - y; })
HOST_MODEL_BINARY(Mul, kWithIntegers, [](auto x, auto y) { return x * y; })
HOST_MODEL_BINARY(Max, kWithIntegers, [](auto x, auto y) { return host_model::Larger(x, y); })
HOST_MODEL_BINARY(Min, kWithIntegers, [](auto x, auto y) { return host_model::Smaller(x, y); })
HOST_MODEL_BINARY(Div, kNoBf16, [](float x, float y) { return x / y; })

#undef HOST_MODEL_UNARY
#undef HOST_MODEL_SCALAR
#undef HOST_MODEL_BINARY

}  // namespace AscendC
