// Multiply and add in one instruction. It saves a pass, not a rounding: the product
// is rounded before the sum.
#pragma once

#include "vector.h"

namespace host_model {

/// x * y + addend: the product rounded to `S` unless the sum is wider, the sum to `D`.
template <typename D, typename S, typename A>
Chunk<D> RoundTwice(const Chunk<S>& x, const Chunk<S>& y, const Chunk<A>& addend)
{
    const Chunk<float> products = Rounded(Apply<float>(
        [](S a, S b) {
            const float product = static_cast<float>(a) * static_cast<float>(b);
            return sizeof(D) == sizeof(S) ? static_cast<float>(Narrow<S>(product)) : product;
        },
        x, y));
    return Apply<D>([](float product, A more) { return Narrow<D>(product + static_cast<float>(more)); }, products, addend);
}

/// dst += scalar * src.
template <typename T, typename U>
void Axpy(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src, const U& scalar, const Extent& extent,
          const AscendC::UnaryRepeatParams& p, Where where)
{
    const char* api = "Axpy";
    CheckType<T>(Types::kReal, api, where);
    CheckType<U>(Types::kReal, api, where);
    if (!std::is_same_v<T, U> && !(std::is_same_v<U, half> && std::is_same_v<T, float>)) {
        Fail("dtype", where, "Axpy: %s times %s into %s", TypeName<U>(), TypeName<U>(), TypeName<T>());
    }
    Instruction run(api, extent, std::max(sizeof(T), sizeof(U)), where);
    const Operand<T> to{dst, {p.dstBlkStride, p.dstRepStride}};
    const Operand<U> from{src, {p.srcBlkStride, p.srcRepStride}};
    run.Aligned(to);
    run.Aligned(from);
    if (extent.count == 0) {
        return;
    }
    run.Overlap(to, from, sizeof(T) == sizeof(U));
    run.Source(from);
    run.Source(to);
    run.Target(to);
    const Chunk<U> factor = Apply<U>([scalar] { return scalar; });
    run.Chunks([&](uint64_t first) {
        run.Give(to, first, RoundTwice<T>(run.Take(from, first), factor, run.Take(to, first)));
    });
    run.Count();
}

/// Counts an instruction with three operands: three addresses halve the rate, as no more than two can
/// be served at a time.
template <typename D, typename S>
void CountThree(TwoSources<D, S>& s)
{
    const uint32_t to = s.to.Start();
    const uint32_t a = s.a.Start();
    const uint32_t b = s.b.Start();
    s.run.Count(to != a && to != b && a != b ? 2 : 1);
}

/// dst = src0 * dst + src1.
template <typename T>
void FusedMulAdd(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src0,
                 const AscendC::LocalTensor<T>& src1, const Extent& extent, const AscendC::BinaryRepeatParams& p,
                 Where where)
{
    TwoSources<T, T> s("FusedMulAdd", Types::kReal, dst, src0, src1, extent, p, where, true);
    if (extent.count == 0) {
        return;
    }
    s.run.Chunks([&](uint64_t first) {
        s.run.Give(s.to, first, RoundTwice<T>(s.run.Take(s.a, first), s.run.Take(s.to, first), s.run.Take(s.b, first)));
    });
    CountThree(s);
}

/// dst += src0 * src1.
template <typename T, typename U>
void MulAddDst(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src0,
               const AscendC::LocalTensor<U>& src1, const Extent& extent, const AscendC::BinaryRepeatParams& p,
               Where where)
{
    if (!std::is_same_v<T, U> && !(std::is_same_v<U, half> && std::is_same_v<T, float>)) {
        Fail("dtype", where, "MulAddDst: %s times %s into %s", TypeName<U>(), TypeName<U>(), TypeName<T>());
    }
    TwoSources<T, U> s("MulAddDst", Types::kNoBf16, dst, src0, src1, extent, p, where, true);
    if (extent.count == 0) {
        return;
    }
    s.run.Chunks([&](uint64_t first) {
        s.run.Give(s.to, first, RoundTwice<T>(s.run.Take(s.a, first), s.run.Take(s.b, first), s.run.Take(s.to, first)));
    });
    CountThree(s);
}

}  // namespace host_model

namespace AscendC {

/// dst += scalarValue * src over the first `count` elements.
template <typename T, typename U>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, const int32_t& count,
          host_model::Where where = host_model::Where::Here())
{
    host_model::Axpy(dst, src, scalarValue, host_model::CountExtent(count, "Axpy", where), UnaryRepeatParams(), where);
}

/// The same for repeats of the lanes that are on.
template <typename T, typename U, bool isSetMask = true>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask[],
          const host_model::Limited<uint8_t> repeatTime, const UnaryRepeatParams& params,
          host_model::Where where = host_model::Where::Here())
{
    host_model::Axpy(dst, src, scalarValue,
                     host_model::BitExtent(mask, repeatTime, std::max(sizeof(T), sizeof(U)), "Axpy", where), params, where);
}

template <typename T, typename U, bool isSetMask = true>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask,
          const host_model::Limited<uint8_t> repeatTime, const UnaryRepeatParams& params,
          host_model::Where where = host_model::Where::Here())
{
    host_model::Axpy(dst, src, scalarValue,
                     host_model::MaskExtent(mask, repeatTime, std::max(sizeof(T), sizeof(U)), "Axpy", where), params, where);
}

/// dst = src0 * dst + src1 over the first `count` elements.
template <typename T>
void FusedMulAdd(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const int32_t& count,
                 host_model::Where where = host_model::Where::Here())
{
    host_model::FusedMulAdd(dst, src0, src1, host_model::CountExtent(count, "FusedMulAdd", where), BinaryRepeatParams(),
                            where);
}

/// The same for repeats of the lanes that are on.
template <typename T, bool isSetMask = true>
void FusedMulAdd(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[],
                 const host_model::Limited<uint8_t> repeatTime, const BinaryRepeatParams& params,
                 host_model::Where where = host_model::Where::Here())
{
    host_model::FusedMulAdd(dst, src0, src1, host_model::BitExtent(mask, repeatTime, sizeof(T), "FusedMulAdd", where),
                            params, where);
}

template <typename T, bool isSetMask = true>
void FusedMulAdd(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,
                 const host_model::Limited<uint8_t> repeatTime, const BinaryRepeatParams& params,
                 host_model::Where where = host_model::Where::Here())
{
    host_model::FusedMulAdd(dst, src0, src1, host_model::MaskExtent(mask, repeatTime, sizeof(T), "FusedMulAdd", where),
                            params, where);
}

/// dst += src0 * src1 over the first `count` elements.
template <typename T, typename U>
void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, const int32_t& count,
               host_model::Where where = host_model::Where::Here())
{
    host_model::MulAddDst(dst, src0, src1, host_model::CountExtent(count, "MulAddDst", where), BinaryRepeatParams(), where);
}

/// The same for repeats of the lanes that are on.
template <typename T, typename U, bool isSetMask = true>
void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, const uint64_t mask[],
               const host_model::Limited<uint8_t> repeatTime, const BinaryRepeatParams& params,
               host_model::Where where = host_model::Where::Here())
{
    host_model::MulAddDst(dst, src0, src1,
                          host_model::BitExtent(mask, repeatTime, std::max(sizeof(T), sizeof(U)), "MulAddDst", where),
                          params, where);
}

template <typename T, typename U, bool isSetMask = true>
void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, uint64_t mask,
               const host_model::Limited<uint8_t> repeatTime, const BinaryRepeatParams& params,
               host_model::Where where = host_model::Where::Here())
{
    host_model::MulAddDst(dst, src0, src1,
                          host_model::MaskExtent(mask, repeatTime, std::max(sizeof(T), sizeof(U)), "MulAddDst", where),
                          params, where);
}

}  // namespace AscendC
