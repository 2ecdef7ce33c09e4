// Multiply and add in one instruction. It saves a pass, not a rounding: the product
// is rounded before the sum.
#pragma once

#include "vector.h"

namespace host_model {

/// dst += scalar * src.
template <typename T, typename U>
void Axpy(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src, const U& scalar, const Extent& extent,
          const AscendC::UnaryRepeatParams& p, Where where)
{
    const char* api = "Axpy";
    CheckType<T>(Types::kReal, api, where);
    CheckType<U>(Types::kReal, api, where);
    if (!std::is_same_v<T, U> && !(std::is_same_v<U, half> && std::is_same_v<T, float>)) {
        Fail("dtype", where, Format("Axpy: %s times %s into %s", TypeName<U>(), TypeName<U>(), TypeName<T>()));
    }
    Instruction run(api, extent, std::max(sizeof(T), sizeof(U)), where);
    const Operand<T> to{dst, {p.dstBlkStride, p.dstRepStride}};
    const Operand<U> from{src, {p.srcBlkStride, p.srcRepStride}};
    run.Aligned(to);
    run.Aligned(from);
    if (extent.count == 0) {
        return;
    }
    run.ReserveForRepeats();
    run.Overlap(to, from, sizeof(T) == sizeof(U));
    run.Source(from);
    run.Source(to);
    run.Target(to);
    const float factor = static_cast<float>(scalar);
    run.Each([&](uint64_t i) {
        run.Put(to, i, RoundTwice<T, U>(static_cast<float>(run.Get(from, i)), factor, static_cast<float>(run.Get(to, i))));
    });
    run.Count();
}

/// dst = src0 * dst + src1.
template <typename T>
void FusedMulAdd(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src0,
                 const AscendC::LocalTensor<T>& src1, const Extent& extent, const AscendC::BinaryRepeatParams& p,
                 Where where)
{
    Binary<true>("FusedMulAdd", Types::kReal, dst, src0, src1, extent, p, where,
                 [](float x, float y, float d) { return RoundTwice<T, T>(x, d, y); });
}

/// dst += src0 * src1.
template <typename T, typename U>
void MulAddDst(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src0,
               const AscendC::LocalTensor<U>& src1, const Extent& extent, const AscendC::BinaryRepeatParams& p,
               Where where)
{
    if (!std::is_same_v<T, U> && !(std::is_same_v<U, half> && std::is_same_v<T, float>)) {
        Fail("dtype", where, Format("MulAddDst: %s times %s into %s", TypeName<U>(), TypeName<U>(), TypeName<T>()));
    }
    Binary<true>("MulAddDst", Types::kNoBf16, dst, src0, src1, extent, p, where,
                 [](float x, float y, float d) { return RoundTwice<T, U>(x, y, d); });
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
