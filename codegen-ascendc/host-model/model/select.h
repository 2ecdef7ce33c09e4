// Comparison into bits, selection by bits, and filling with a constant.
#pragma once

#include <cstdint>

#include "vector.h"

namespace host_model {

/// Whether `x mode y` holds.
template <typename W>
bool Holds(AscendC::CMPMODE mode, W x, W y)
{
    switch (mode) {
        case AscendC::CMPMODE::LT:
            return x < y;
        case AscendC::CMPMODE::GT:
            return x > y;
        case AscendC::CMPMODE::EQ:
            return x == y;
        case AscendC::CMPMODE::LE:
            return x <= y;
        case AscendC::CMPMODE::GE:
            return x >= y;
        case AscendC::CMPMODE::NE:
            break;
    }
    return x != y;
}

/// One bit per element, the first in the lowest bit; `right(first)` is a chunk of the other side.
template <typename T, typename U, typename Prepare, typename Right>
void CompareBits(const char* api, const AscendC::LocalTensor<U>& dst, const AscendC::LocalTensor<T>& src,
                 AscendC::CMPMODE mode, uint32_t count, Where where, Prepare prepare, Right right)
{
    static_assert(sizeof(U) == 1, "the bits go into a tensor of bytes");
    CheckType<T>(Types::kReal, api, where);
    if (static_cast<uint64_t>(count) * sizeof(T) % kRepeat != 0) {
        Fail("parameter", where,
             "%s: %u elements of %s are %llu bytes, must be a multiple of %u", api, count, TypeName<T>(),
                    static_cast<unsigned long long>(count * sizeof(T)), kRepeat);
    }
    Instruction run(api, CountExtent(count, api, where), sizeof(T), where);
    const Operand<T> from{src, {1, 8}};
    const Operand<U> to{dst, {1, 8}};
    run.Aligned(from);
    run.Aligned(to);
    if (count == 0) {
        return;
    }
    run.Source(from);
    prepare(run);
    Instruction bits(api, CountExtent(count / 8, api, where), 1, where);
    const auto target = to.Bounds(bits.extent);
    const auto source = from.Bounds(run.extent);
    if (target.first < source.second && source.first < target.second) {
        Fail("overlap", where, "%s: the bits overlap what they are made from", api);
    }
    bits.Target(to);
    run.Chunks([&](uint64_t first) {
        const Chunk<T> left = run.Take(from, first);
        const Chunk<T> other = right(run, first);
        uint64_t out = 0;
        for (uint64_t i = 0; i < kChunk; ++i) {
            const bool holds = Holds(mode, static_cast<Wide<T>>(left.at[i]), static_cast<Wide<T>>(other.at[i]));
            out |= static_cast<uint64_t>(holds) << i;
        }
        Store<uint64_t>(run.core.Ub(to.Start() + static_cast<uint32_t>(first / 8)), out);
    });
    run.Count();
}

/// dst = bit ? src0 : other(first), a chunk.
template <typename T, typename U, typename Prepare, typename Other>
void SelectBy(const Operand<T>& to, const AscendC::LocalTensor<U>& mask, const Operand<T>& from,
              AscendC::SELMODE mode, const Extent& extent, Where where, Prepare prepare, Other other)
{
    CheckType<T>(Types::kReal, "Select", where);
    const bool one_mask = mode == AscendC::SELMODE::VSEL_CMPMASK_SPR;
    if (kArch == 1001 && !one_mask) {
        Fail("not-on-arch", where, "Select takes only VSEL_CMPMASK_SPR on 1001");
    }
    Instruction run("Select", extent, sizeof(T), where);
    const auto count = static_cast<uint32_t>(extent.count);
    if ((kArch == 2201 || kArch == 2002) && !one_mask) {
        run.core.Reserve("Select", where);
    }
    const AscendC::LocalTensor<uint8_t> mask_bytes = mask.template ReinterpretCast<uint8_t>();
    const Operand<uint8_t> bits{mask_bytes, {1, 8}};
    run.Aligned(to);
    run.Aligned(from);
    run.Aligned(bits);
    if (count == 0) {
        return;
    }
    run.Overlap(to, from);
    run.Source(from);
    prepare(run);
    constexpr uint32_t lanes = kRepeat / sizeof(T);
    const uint32_t used = one_mask ? std::min(count, lanes) : count;
    Instruction reader("Select", CountExtent((used + 7) / 8, "Select", where), 1, where);
    reader.Source(bits);
    run.Target(to);
    run.Chunks([&](uint64_t first) {
        const uint64_t at = one_mask ? first % lanes : first;
        uint64_t mask_word = 0;
        std::memcpy(&mask_word, run.core.Ub(bits.Start() + static_cast<uint32_t>(at / 8)), (std::min(kChunk, count - first) + 7) / 8);
        Chunk<T> out = run.Take(from, first);
        const Chunk<T> rest = other(run, first);
        for (uint64_t i = 0; i < kChunk; ++i) {
            out.at[i] = ((mask_word >> i) & 1) != 0 ? out.at[i] : rest.at[i];
        }
        run.Give(to, first, out);
    });
    run.Count();
}

/// dst = value.
template <typename T>
void Duplicate(const AscendC::LocalTensor<T>& dst, const T& value, const Extent& extent, const Stride& stride, Where where)
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Duplicate fills 16- or 32-bit elements");
    Instruction run("Duplicate", extent, sizeof(T), where);
    const Operand<T> to{dst, stride};
    run.Aligned(to);
    if (extent.count == 0) {
        return;
    }
    run.Target(to);
    run.Map(to, [value] { return value; });
    run.Count();
}

}  // namespace host_model

namespace AscendC {

/// dst bit = src0 cmpMode src1.
template <typename T, typename U>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
             uint32_t count, host_model::Where where = host_model::Where::Here())
{
    const host_model::Operand<T> other{src1, {1, 8}};
    host_model::CompareBits(
        "Compare", dst, src0, cmpMode, count, where,
        [&](host_model::Instruction& run) {
            run.Aligned(other);
            run.Source(other);
        },
        [&](host_model::Instruction& run, uint64_t first) { return run.Take(other, first); });
}

/// dst bit = src0 cmpMode scalar.
template <typename T, typename U>
void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, uint32_t count,
              host_model::Where where = host_model::Where::Here())
{
    host_model::CheckOnArch("Compares", where);
    host_model::CompareBits(
        "Compares", dst, src0, cmpMode, count, where, [](host_model::Instruction&) {},
        [&](host_model::Instruction&, uint64_t) { return host_model::Apply<T>([src1Scalar] { return src1Scalar; }); });
}

/// The same, as toolkits up to 8.5 call it.
template <typename T, typename U>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, uint32_t count,
                   host_model::Where where = host_model::Where::Here())
{
    Compares(dst, src0, src1Scalar, cmpMode, count, where);
}

/// dst = bit ? src0 : scalar.
template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
            SELMODE selMode, uint32_t count, host_model::Where where = host_model::Where::Here())
{
    if (selMode != SELMODE::VSEL_TENSOR_SCALAR_MODE) {
        host_model::Fail("parameter", where, "Select: a scalar needs VSEL_TENSOR_SCALAR_MODE");
    }
    host_model::SelectBy<T>(
        {dst, {1, 8}}, selMask, {src0, {1, 8}}, selMode, host_model::CountExtent(count, "Select", where), where,
        [](host_model::Instruction&) {},
        [&](host_model::Instruction&, uint64_t) { return host_model::Apply<T>([src1] { return src1; }); });
}

}  // namespace AscendC

namespace host_model {

/// dst = bit ? src0 : src1.
template <typename T, typename U>
void SelectTensors(const Operand<T>& to, const AscendC::LocalTensor<U>& mask, const Operand<T>& a, const Operand<T>& b,
                   AscendC::SELMODE mode, const Extent& extent, Where where)
{
    if (mode == AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE) {
        Fail("parameter", where, "Select: VSEL_TENSOR_SCALAR_MODE with two tensors");
    }
    SelectBy(
        to, mask, a, mode, extent, where,
        [&](Instruction& run) {
            run.Aligned(b);
            run.Overlap(to, b);
            run.Source(b);
        },
        [&](Instruction& run, uint64_t first) { return run.Take(b, first); });
}

}  // namespace host_model

namespace AscendC {

/// dst = bit ? src0 : src1.
template <typename T, typename U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, uint32_t count,
            host_model::Where where = host_model::Where::Here())
{
    host_model::SelectTensors<T>({dst, {1, 8}}, selMask, {src0, {1, 8}}, {src1, {1, 8}}, selMode,
                                 host_model::CountExtent(count, "Select", where), where);
}

/// The same for repeats of the first `mask` lanes; each takes the bits of all its lanes.
template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE selMode, uint64_t mask,
            const host_model::Limited<uint8_t> repeatTime, const BinaryRepeatParams& p,
            host_model::Where where = host_model::Where::Here())
{
    host_model::SelectTensors<T>({dst, {p.dstBlkStride, p.dstRepStride}}, selMask,
                                 {src0, {p.src0BlkStride, p.src0RepStride}},
                                 {src1, {p.src1BlkStride, p.src1RepStride}}, selMode,
                                 host_model::MaskExtent(mask, repeatTime, sizeof(T), "Select", where), where);
}

/// The first `count` elements become `scalarValue`.
template <typename T>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count,
               host_model::Where where = host_model::Where::Here())
{
    host_model::Duplicate(dst, scalarValue, host_model::CountExtent(count, "Duplicate", where), {1, 8}, where);
}

/// The same for repeats of the lanes that are on.
template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask[],
               const host_model::Limited<uint8_t> repeatTime, const uint16_t dstBlockStride, const uint8_t dstRepeatStride,
               host_model::Where where = host_model::Where::Here())
{
    host_model::Duplicate(dst, scalarValue, host_model::BitExtent(mask, repeatTime, sizeof(T), "Duplicate", where),
                          {dstBlockStride, dstRepeatStride}, where);
}

template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask,
               const host_model::Limited<uint8_t> repeatTime, const uint16_t dstBlockStride, const uint8_t dstRepeatStride,
               host_model::Where where = host_model::Where::Here())
{
    host_model::Duplicate(dst, scalarValue, host_model::MaskExtent(mask, repeatTime, sizeof(T), "Duplicate", where),
                          {dstBlockStride, dstRepeatStride}, where);
}

}  // namespace AscendC
