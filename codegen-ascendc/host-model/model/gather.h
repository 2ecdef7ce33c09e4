// Collecting elements: by byte offsets, and by a bit pattern.
#pragma once

#include <cstdint>

#include "lanes.h"

namespace host_model {

/// dst[i] = the element of src at base + offset[i] bytes.
template <typename T>
void Gather(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
            const AscendC::LocalTensor<uint32_t>& offsets, uint32_t base, const Extent& extent, uint32_t repeat_stride,
            Where where)
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Gather moves 16- or 32-bit elements");
    if (!kHasGather) {
        Fail("not-on-arch", where, "Gather does not exist on %d", kArch);
    }
    Instruction run("Gather", extent, sizeof(T), where);
    const Operand<T> to{dst, {1, repeat_stride}};
    const Operand<T> from{src, {1, 8}};
    const Operand<uint32_t> at{offsets, {1, static_cast<uint32_t>(extent.lanes) / (kBlock / 4)}};
    run.Aligned(to);
    run.Aligned(from);
    run.Aligned(at);
    if (extent.count == 0) {
        return;
    }
    run.Source(at);
    uint32_t low = UINT32_MAX;
    uint32_t high = 0;
    run.Each([&](uint64_t i) {
        const uint64_t offset = static_cast<uint64_t>(base) + run.Get(at, i);
        if (offset % sizeof(T) != 0) {
            Fail("parameter", where, "Gather: offset %llu of element %llu is not a multiple of %d",
                                            static_cast<unsigned long long>(offset), static_cast<unsigned long long>(i),
                                            static_cast<int>(sizeof(T)));
        }
        if (offset + sizeof(T) > src.Span().length) {
            Fail("ub-bounds", where, "Gather: offset %llu of element %llu is beyond the source of %u bytes",
                                            static_cast<unsigned long long>(offset), static_cast<unsigned long long>(i),
                                            src.Span().length);
        }
        const uint32_t address = from.Start() + static_cast<uint32_t>(offset);
        run.SourceBytes(src.Span(), address, sizeof(T));
        low = std::min(low, address);
        high = std::max(high, address + static_cast<uint32_t>(sizeof(T)));
    });
    const auto target = to.Bounds(extent);
    if (low < target.second && target.first < high) {
        Fail("overlap", where, "Gather: target and source may not share a byte");
    }
    run.Overlap(to, at, false);
    run.Target(to);
    run.Each([&](uint64_t i) {
        run.Put(to, i, Load<T>(run.core.Ub(from.Start() + base + run.Get(at, i))));
    });
    run.Count();
}

/// Moves together the elements of src that `on(repeat, element)` names; how many.
template <typename T, typename On>
uint64_t GatherMask(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, bool counter, uint32_t mask,
                    const AscendC::GatherMaskParams& p, Where where, On on)
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "GatherMask moves 16- or 32-bit elements");
    if (!kHasGather) {
        Fail("not-on-arch", where, "GatherMask does not exist on %d", kArch);
    }
    // In counter mode the newer cores take `mask` elements in every repeat, 310P takes
    // them in all.
    const uint32_t lanes = kRepeat / sizeof(T);
    const bool in_all = counter && kArch == 2002;
    const uint32_t per_repeat = counter && !in_all ? mask : lanes;
    const uint32_t repeats = in_all ? (mask + lanes - 1) / lanes : p.repeatTimes;
    if (counter && mask == 0) {
        Fail("parameter", where, "GatherMask: mask is 0 in counter mode");
    }
    const uint64_t all = in_all ? mask : static_cast<uint64_t>(per_repeat) * repeats;
    Instruction run("GatherMask", CountExtent(static_cast<int64_t>(all), "GatherMask", where), sizeof(T), where);
    const Operand<T> to{dst, {1, 8}};
    const Operand<T> from{src, {1, 8}};
    run.Aligned(to);
    run.Aligned(from);
    if (all == 0) {
        return 0;
    }
    constexpr uint32_t per_block = kBlock / sizeof(T);
    const auto address = [&](uint64_t i) {
        const uint32_t repeat = static_cast<uint32_t>(i / per_repeat);
        const uint32_t element = static_cast<uint32_t>(i % per_repeat);
        return from.Start() + (repeat * p.src0RepeatStride + element / per_block * p.src0BlockStride) * kBlock +
               element % per_block * static_cast<uint32_t>(sizeof(T));
    };
    uint64_t kept = 0;
    uint32_t low = UINT32_MAX;
    uint32_t high = 0;
    for (uint64_t i = 0; i < all; ++i) {
        if (on(run, i / per_repeat, static_cast<uint32_t>(i % per_repeat))) {
            run.SourceBytes(src.Span(), address(i), sizeof(T));
            low = std::min(low, address(i));
            high = std::max(high, address(i) + static_cast<uint32_t>(sizeof(T)));
            kept += 1;
        }
    }
    const uint32_t end = to.Start() + static_cast<uint32_t>(kept * sizeof(T));
    // In place is safe: what is kept only ever moves towards the start.
    if (low < end && to.Start() < high && to.Start() != from.Start()) {
        Fail("overlap", where, "GatherMask: target and source overlap at different addresses");
    }
    run.TargetBytes(dst.Span(), to.Start(), static_cast<uint32_t>(kept * sizeof(T)));
    kept = 0;
    for (uint64_t i = 0; i < all; ++i) {
        if (on(run, i / per_repeat, static_cast<uint32_t>(i % per_repeat))) {
            Store<T>(run.core.Ub(to.Start() + static_cast<uint32_t>(kept * sizeof(T))), Load<T>(run.core.Ub(address(i))));
            kept += 1;
        }
    }
    run.Count();
    return kept;
}

}  // namespace host_model

namespace AscendC {

/// Which form of GatherMask; the architecture has one.
enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };

/// dst[i] = src at srcBaseAddr + srcOffset[i] bytes.
template <typename T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            const uint32_t srcBaseAddr, const uint32_t count, host_model::Where where = host_model::Where::Here())
{
    host_model::Gather(dst, src, srcOffset, srcBaseAddr, host_model::CountExtent(count, "Gather", where), 8, where);
}

/// The same for repeats of the first `mask` lanes.
template <typename T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
            const uint32_t srcBaseAddr, const uint64_t mask, const host_model::Limited<uint8_t> repeatTime,
            const uint16_t dstRepStride, host_model::Where where = host_model::Where::Here())
{
    host_model::Gather(dst, src, srcOffset, srcBaseAddr,
                       host_model::MaskExtent(mask, repeatTime, sizeof(T), "Gather", where), dstRepStride, where);
}

/// Keeps the elements whose place in groups of two or four `src1Pattern` names:
/// 1 and 2 the even and odd ones, 3 to 6 one of four, 7 all.
template <typename T>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t src1Pattern, const bool reduceMode,
                const uint32_t mask, const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt,
                host_model::Where where = host_model::Where::Here())
{
    const int last = host_model::kArch == 2002 ? 6 : 7;
    if (src1Pattern < 1 || src1Pattern > last) {
        host_model::Fail("parameter", where, "GatherMask: pattern is %d, allowed is 1..%d",
                                                                static_cast<int>(src1Pattern), last);
    }
    rsvdCnt = host_model::GatherMask(dst, src0, reduceMode, mask, gatherMaskParams, where,
                                     [src1Pattern](host_model::Instruction&, uint64_t, uint32_t i) {
                                         if (src1Pattern <= 2) {
                                             return i % 2 == src1Pattern - 1u;
                                         }
                                         return src1Pattern == 7 || i % 4 == src1Pattern - 3u;
                                     });
}

/// Keeps the elements whose bit in `src1Pattern` is set.
template <typename T, typename U>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern,
                const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt,
                host_model::Where where = host_model::Where::Here())
{
    static_assert(std::is_unsigned_v<U> && sizeof(U) == sizeof(T), "the pattern has unsigned elements of the same size");
    const uint32_t step = gatherMaskParams.src1RepeatStride * host_model::kBlock;
    rsvdCnt = host_model::GatherMask(dst, src0, reduceMode, mask, gatherMaskParams, where,
                                     [&](host_model::Instruction& run, uint64_t repeat, uint32_t i) {
                                         const uint32_t at = src1Pattern.Span().address +
                                                             static_cast<uint32_t>(repeat) * step + i / 8;
                                         run.SourceBytes(src1Pattern.Span(), at, 1);
                                         return ((*run.core.Ub(at) >> (i % 8)) & 1) != 0;
                                     });
}

}  // namespace AscendC
